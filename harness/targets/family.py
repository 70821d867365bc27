"""Targets that other packages add under a prefix: the entry points ``harness.targets`` (``harness/plugins.py``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from harness.errors import BadInput
from harness.plugins import Plugin, call, load, plugins

if TYPE_CHECKING:
    from harness.endpoint import Endpoints
    from harness.targets.base import Target


@runtime_checkable
class TargetFamily(Protocol):
    """Targets with a common prefix, which is the name of the entry point: ``PREFIX:NAME``."""

    @property
    def summary(self) -> str:
        """One line about these targets."""

    def names(self) -> Sequence[str]:
        """Their names, without the prefix."""

    def open(self, name: str, endpoints: Endpoints) -> Target:
        """The target with this name, one of ``names()``. Its requests go to ``gateway``. Raises ``BadInput`` if
        something that it needs is not installed."""


def families() -> Mapping[str, TargetFamily]:
    """Every installed family by its prefix. Raises ``BadInput`` for one that cannot be loaded."""
    return {prefix: added_family(plugin) for prefix, plugin in plugins("harness.targets").items()}


def family(prefix: str) -> TargetFamily | None:
    """The family with this prefix; None if no installed package has one. Other families are not imported."""
    plugin = plugins("harness.targets").get(prefix)
    return None if plugin is None else added_family(plugin)


def added_family(plugin: Plugin) -> TargetFamily:
    """The family of an entry point. Raises ``BadInput`` if it cannot be loaded or lacks a member of a family."""
    found = load(plugin)
    if not isinstance(found, TargetFamily):
        raise BadInput(
            f"{plugin.place}: expected a harness.api.TargetFamily, with 'summary', 'names' and 'open', got "
            f"{type(found).__name__}"
        )
    return _Added(plugin, found)


_MEMBERS = ("name", "declaration", "isolation", "run", "close")


@dataclass(frozen=True, slots=True)
class _Added:
    """The family of a package. Its exceptions, and objects that are no targets, become ``BadInput``."""

    plugin: Plugin
    family: TargetFamily

    @property
    def summary(self) -> str:
        return self.family.summary

    def names(self) -> Sequence[str]:
        return call(self.plugin, lambda: list(self.family.names()))

    def open(self, name: str, endpoints: Endpoints) -> Target:
        target = call(self.plugin, self.family.open, name, endpoints)
        missing = [member for member in _MEMBERS if not hasattr(target, member)]
        if missing:
            raise BadInput(
                f"{self.plugin.place}: expected a harness.api.Target, got {type(target).__name__}, which has no "
                f"{', '.join(map(repr, missing))}"
            )
        return target
