"""``harness plugins``: lists what other packages add."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from harness.cli.added import SOURCES
from harness.cli.command import FURTHER, Command
from harness.cli.parser import Parser
from harness.errors import BadInput
from harness.plugins import GROUPS, Plugin, load, load_as, plugins
from harness.wire.names import OWN_WIRES


def options(command: Parser) -> None:
    """Add no options."""
    command.set_defaults(work=work)


COMMAND: Final = Command(
    FURTHER, "list the rules, commands and targets that other packages add", options, "harness plugins"
)


def work(options: argparse.Namespace) -> int:  # noqa: ARG001 - it has no options
    """Print every group of entry points with its installed plugins and what they add.

    Returns 2 if a plugin cannot be loaded or does not fit its group.
    """
    problems = [problem for group in GROUPS for problem in _print_group(group)]
    return 2 if problems else 0


def _print_group(group: str) -> list[str]:
    """Print a group. Returns the errors of its plugins."""
    from harness.report.visible import visible

    print(f"{group}: {GROUPS[group]}")
    if group in _BUILT_IN:
        print(f"  built in: {', '.join(_BUILT_IN[group]())}")
    problems: list[str] = []
    try:
        there = plugins(group)
    except BadInput as problem:  # two packages have one name
        there, problems = {}, list(problem.problems)
        print("".join(f"  {visible(each)}\n" for each in problems), end="")
    for plugin in there.values():
        print(f"  {plugin.name:<20} {plugin.package} {plugin.version}, {plugin.value}")
        try:
            lines = list(_ADDS.get(group, _nothing)(plugin))
        except BadInput as problem:
            problems += problem.problems
            lines = list(problem.problems)
        print("".join(f"    {visible(line)}\n" for line in lines), end="")
    return problems


def _rules(plugin: Plugin) -> Iterable[str]:
    from harness.rules import families
    from harness.rules.added import rules_of

    found = list(rules_of(plugin))
    families()  # of all rules: an id that is taken or malformed is found here
    return [f"{rule.id}  {rule.statement}" for rule in found]


def _command(plugin: Plugin) -> Iterable[str]:
    return [f"harness {plugin.name.replace('.', ' ')}: {load_as(plugin, Command).summary}"]


def _targets(plugin: Plugin) -> Iterable[str]:
    from harness.targets.family import added_family

    family = added_family(plugin)
    names = family.names()
    shown = ", ".join(f"{plugin.name}:{name}" for name in names[:_MOST])
    return [f"{family.summary}: {shown}{f' and {len(names) - _MOST} more' if len(names) > _MOST else ''}"]


def _source(plugin: Plugin) -> Iterable[str]:
    from harness.runner.source_registry import added_source

    return [f"--source {plugin.name}{_first_sentence(added_source(plugin).__doc__)}"]


def _tool(plugin: Plugin) -> Iterable[str]:
    from harness.scenario.tools import added_tool

    return [f"tools: [{plugin.name}]{_first_sentence(added_tool(plugin).declaration.description)}"]


def _wire(plugin: Plugin) -> Iterable[str]:
    from harness.wire.registry import added_wire

    added = added_wire(plugin.name)
    return [f"--wire {plugin.name}: {added.label}, {len(added.rules)} rules"]


def _report(plugin: Plugin) -> Iterable[str]:
    from harness.report.formats import ReportFormat

    return [f"--format {plugin.name}: {load_as(plugin, ReportFormat).summary}"]


def _nothing(plugin: Plugin) -> Iterable[str]:
    """For groups whose objects have no summary: check only that the object can be loaded."""
    load(plugin)
    return ()


def _first_sentence(text: str | None) -> str:
    """The first sentence as it follows a name; empty if there is no text."""
    lines = (text or "").strip().splitlines()
    return f": {lines[0]}" if lines else ""


def _built_in_tools() -> Iterable[str]:
    from harness.scenario import CANONICAL

    return CANONICAL


_MOST: Final = 5
"""Targets of a family that are listed by name."""

_ADDS: Final[Mapping[str, Callable[[Plugin], Iterable[str]]]] = {
    "harness.rules": _rules,
    "harness.commands": _command,
    "harness.targets": _targets,
    "harness.wires": _wire,
    "harness.reports": _report,
    "harness.sources": _source,
    "harness.tools": _tool,
}
"""What a plugin of each group adds, a line each. Raises ``BadInput`` if the plugin is malformed."""

_BUILT_IN: Final[Mapping[str, Callable[[], Iterable[str]]]] = {
    "harness.wires": lambda: OWN_WIRES,
    "harness.sources": lambda: SOURCES,
    "harness.tools": _built_in_tools,
}
"""The built-in members of a group."""
