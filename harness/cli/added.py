"""The commands that other packages add: the entry points ``harness.commands`` (``harness/plugins.py``)."""

from __future__ import annotations

from collections.abc import Mapping

from harness.cli.command import Command
from harness.errors import BadInput
from harness.plugins import load, plugins

__all__ = ["added_commands"]


def added_commands(below: str = "") -> Mapping[str, Command]:
    """The added commands by their names. ``below`` names a command whose own commands are wanted: the entry point
    ``cassettes.import`` is ``harness cassettes import``.

    Raises ``BadInput`` for an entry point that cannot be loaded or is no ``Command``.
    """
    found: dict[str, Command] = {}
    for name, plugin in sorted(plugins("harness.commands").items()):
        parent, _, own = name.rpartition(".")
        if parent != below:
            continue
        command = load(plugin)
        if not isinstance(command, Command):
            raise BadInput(
                f"{plugin.package}: its entry point {name!r} in harness.commands ({plugin.value}): expected a "
                f"harness.cli.command.Command, got {type(command).__name__}"
            )
        found[own] = command
    return found
