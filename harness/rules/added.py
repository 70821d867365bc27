"""The rules that other packages add: the entry points ``harness.rules`` (``harness/plugins.py``)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from harness.errors import BadInput
from harness.plugins import Plugin, load, plugins
from harness.rules.model import Rule

_ID: Final = re.compile(r"[a-z][a-z0-9-]*/[a-z][a-z0-9-]*")


def added_rules(taken: Collection[str]) -> Iterator[Rule]:
    """Every added rule. ``taken`` are the ids of the rules that there are.

    Raises ``BadInput`` for an entry point that cannot be loaded, is no rule, or has an id that is taken or malformed.
    """
    known = set(taken)
    for plugin in plugins("harness.rules").values():
        for rule in rules_of(plugin):
            _check(rule.id, plugin, known)
            known.add(rule.id)
            yield rule


def rules_of(plugin: Plugin) -> Iterator[Rule]:
    """The rules of an entry point. Raises ``BadInput`` where it cannot be loaded, or is neither a rule nor a list."""
    found = load(plugin)
    for rule in found if isinstance(found, list | tuple) else [found]:
        if not isinstance(rule, Rule):
            raise BadInput(f"{plugin.place}: expected a harness.api.Rule or a list of them, got {type(rule).__name__}")
        yield rule


def _check(id: str, plugin: Plugin, known: Collection[str]) -> None:
    where = f"{plugin.package}: its rule {id!r} ({plugin.value})"
    if id in known:
        raise BadInput(f"{where}: there is another rule with this id; choose another one")
    if not _ID.fullmatch(id):
        raise BadInput(f"{where}: expected an id like family/name, in lower case with hyphens")
