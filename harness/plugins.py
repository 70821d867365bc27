"""What other packages add to the harness: objects that their entry points name.

A package adds one in its ``pyproject.toml``; nothing else is needed but its installation::

    [project.entry-points."harness.commands"]
    audit = "my_package.audit:COMMAND"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from harness.errors import BadInput

__all__ = ["GROUPS", "Plugin", "load", "plugins"]

GROUPS: Final[Mapping[str, str]] = {
    "harness.rules": "a rule, or a sequence of rules (harness.rules.Rule)",
    "harness.commands": "a command of 'harness' (harness.cli.command.Command)",
    "harness.targets": "targets under a prefix, 'PREFIX:NAME' (harness.targets.family.TargetFamily)",
    "harness.examples": "a right and a wrong request for 'harness explain' (a function from WireRule to RuleExample)",
}
"""The groups of entry points, and what the objects of each are."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point: ``value`` is its object, as ``module:name``, ``package`` the distribution that has it."""

    group: str
    name: str
    value: str
    package: str
    version: str


def plugins(group: str) -> Mapping[str, Plugin]:
    """The plugins of a group by their names. Nothing of them is imported.

    Raises ``BadInput`` where two packages give the same name.
    """
    found: dict[str, Plugin] = {}
    for plugin in _installed():
        if plugin.group != group:
            continue
        other = found.setdefault(plugin.name, plugin)
        if other != plugin:
            raise BadInput(
                f"the packages {other.package} and {plugin.package} both have {plugin.name!r} in the entry points "
                f"{group}; uninstall one of them"
            )
    return found


@cache
def _installed() -> tuple[Plugin, ...]:
    """Those of all groups. Reading what is installed takes 20 ms, and is done once."""
    points = entry_points()
    return tuple(_plugin(point) for group in GROUPS for point in points.select(group=group))


def _plugin(point: EntryPoint) -> Plugin:
    known = point.dist
    name, version = (known.name, known.version) if known is not None else ("unknown", "")
    return Plugin(point.group, point.name, point.value, name, version)


def load(plugin: Plugin) -> Any:
    """The object of a plugin. Raises ``BadInput`` where it cannot be imported."""
    try:
        return EntryPoint(plugin.name, plugin.value, plugin.group).load()
    except Exception as problem:
        raise BadInput(
            f"{plugin.package} {plugin.version}: its entry point {plugin.name!r} in {plugin.group} cannot be loaded: "
            f"{type(problem).__name__}: {problem}; reinstall or uninstall it"
        ) from problem
