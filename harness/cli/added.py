"""What other packages add to the command line (``harness/plugins.py``): commands, and names that options take."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

from harness.cli.command import Command
from harness.plugins import load_as, plugins
from harness.wire.names import OWN_WIRES as BUILT_IN_WIRES
from harness.wire.names import wire_names

SOURCES: Final = ("script", "cassette", "live")
"""The built-in sources. They are named here again: importing the registry would double the start-up time."""


def added_commands(below: str = "") -> Mapping[str, Command]:
    """The added commands by their names. For subcommands, ``below`` names their command: the entry point
    ``cassettes.upload`` is ``harness cassettes upload``.

    Raises ``BadInput`` for an entry point that cannot be loaded or is no ``Command``.
    """
    found: dict[str, Command] = {}
    for name, plugin in sorted(plugins("harness.commands").items()):
        parent, _, own = name.rpartition(".")
        if parent != below:
            continue
        found[own] = load_as(plugin, Command)
    return found


class KnownNames(Collection[str]):
    """The names that an option takes: the ``built_in`` ones, and those that packages add (``every`` returns both).

    ``every`` reads the installed packages, which takes 20 ms. It is called only for other names, and for a list.
    """

    def __init__(self, built_in: Sequence[str], every: Callable[[], Sequence[str]]) -> None:
        self._built_in, self._every = built_in, every

    def __contains__(self, name: object) -> bool:
        return name in self._built_in or name in self._every()

    def __iter__(self) -> Iterator[str]:
        return iter(self._every())

    def __len__(self) -> int:
        return len(self._every())


def source_names(built_in: Sequence[str]) -> KnownNames:
    """What ``--source`` takes: some of the built-in sources, and those that other packages add. None is loaded."""
    return KnownNames(
        built_in, lambda: [*built_in, *(name for name in plugins("harness.sources") if name not in SOURCES)]
    )


WIRES: Final = KnownNames(BUILT_IN_WIRES, wire_names)
"""What ``--wire`` takes. No wire is loaded."""
