"""A YAML loader that no file can bring down: libyaml reads what is nested by recursion, and would overrun the stack."""

from __future__ import annotations

import yaml


class BoundedLoader(yaml.CSafeLoader):
    """PyYAML's safe loader on libyaml. It raises ``ComposerError`` where values are nested more than ``most_levels``
    deep: the process would otherwise end, without a word, at some tens of thousands."""

    most_levels = 200

    _level = 0

    def descend_resolver(self, current_node: yaml.Node | None, _index: object) -> None:
        """The composer calls this on its way down."""
        self._level += 1
        if current_node is not None and self._level > self.most_levels:
            problem = f"values are nested more than {self.most_levels} deep"
            raise yaml.composer.ComposerError(None, None, problem, current_node.start_mark)

    def ascend_resolver(self) -> None:
        """And this on its way up."""
        self._level -= 1
