"""What other packages add to the harness: objects that their entry points name.

A package adds one in its ``pyproject.toml``; nothing else is needed but its installation::

    [project.entry-points."harness.commands"]
    audit = "my_package.audit:COMMAND"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from harness.errors import BadInput

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_T = TypeVar("_T")

GROUPS: Final[Mapping[str, str]] = {
    "harness.rules": "a rule, or a sequence of rules (harness.api.Rule)",
    "harness.commands": "a command of 'harness' (harness.api.Command)",
    "harness.targets": "targets under a prefix, 'PREFIX:NAME' (harness.api.TargetFamily)",
    "harness.wires": "a wire, under its name (harness.api.Wire)",
    "harness.reports": "a format of 'harness report' (harness.api.ReportFormat)",
    "harness.sources": "answers of the endpoint, '--source NAME' (a function, harness.api.SourceFactory)",
    "harness.tools": "a tool that scenarios offer by its name (harness.api.ScenarioTool)",
    "harness.examples": "requests for 'harness explain', one right and one wrong (a function, harness.api.ExampleOf)",
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

    @property
    def place(self) -> str:
        """Where it is, for the beginning of an error message."""
        return f"{self.package}: its entry point {self.name!r} in {self.group} ({self.value})"


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
    """The plugins of all groups. Reading the installed packages takes 20 ms, and is done once."""
    from importlib.metadata import entry_points  # takes 10 ms, for which no command waits that needs no plugin

    points = entry_points()
    return tuple(_plugin(point) for group in GROUPS for point in points.select(group=group))


def _plugin(point: EntryPoint) -> Plugin:
    known = None if point.dist is None else point.dist.metadata  # its name and its version would each read it anew
    name, version = ("unknown", "") if known is None else (known["Name"], known["Version"])
    return Plugin(point.group, point.name, point.value, name, version)


def load(plugin: Plugin) -> Any:
    """The object of a plugin. Raises ``BadInput`` where it cannot be imported."""
    from importlib.metadata import EntryPoint

    try:
        return EntryPoint(plugin.name, plugin.value, plugin.group).load()
    except Exception as problem:
        raise BadInput(
            f"{plugin.package} {plugin.version}: its entry point {plugin.name!r} in {plugin.group} cannot be loaded: "
            f"{type(problem).__name__}: {problem}; reinstall or uninstall it"
        ) from problem


def load_as(plugin: Plugin, kind: type[_T]) -> _T:
    """The object of a plugin, which must be a ``kind`` of ``harness.api``. Raises ``BadInput`` where it is none."""
    found = load(plugin)
    if not isinstance(found, kind):
        raise BadInput(f"{plugin.place}: expected a harness.api.{kind.__name__}, got {type(found).__name__}")
    return found


def call(plugin: Plugin, function: Callable[..., _T], *arguments: object) -> _T:
    """What a function of the plugin returns. Raises ``BadInput`` for whatever it raises: its package is wrong."""
    try:
        return function(*arguments)
    except BadInput:
        raise
    except Exception as problem:
        raise BadInput(f"{plugin.place}: it fails: {type(problem).__name__}: {problem}") from problem
