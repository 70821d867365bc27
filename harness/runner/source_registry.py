"""The sources by the names that ``--source`` takes: built-in ones, and sources of other packages.

Other packages provide sources as entry points ``harness.sources`` (``harness/plugins.py``). The name of an entry point
is the name of its source. It is loaded only when that name is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.errors import BadInput
from harness.plugins import Plugin, call, load, plugins
from harness.runner.sources import SCRIPTED, Cassettes, Match, Patterns, Recording, Sources

if TYPE_CHECKING:
    from harness.cassette.cassette_writer import Mode

GROUP: Final = "harness.sources"
"""The group of the entry points of sources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """The command line options other than ``--source``.

    ``folder`` is the value of ``--cassettes``, ``timed`` is ``--timing recorded``, ``patterns`` are the values of
    ``--pattern``, ``match`` is ``--match``, None without it.
    The others are options of ``harness serve``, and None without them.
    """

    folder: Path = Path("cassettes")
    timed: bool = False
    patterns: Patterns = ()
    mode: Mode = "once"
    upstream: str | None = None
    model: str | None = None
    server: str | None = None
    match: Match | None = None


SourceFactory = Callable[[SourceOptions], Sources]
"""Makes the sources of a run. Raises ``BadInput`` for options that it cannot use."""


def _script(options: SourceOptions) -> Sources:  # noqa: ARG001 - the scripts are in the scenarios
    return SCRIPTED


def _cassette(options: SourceOptions) -> Sources:
    return Cassettes(options.folder, options.timed, options.patterns, options.match)


def _live(options: SourceOptions) -> Sources:
    return Recording(
        options.folder, options.mode, options.upstream, options.model, options.server, patterns=options.patterns
    )


BUILT_IN: Final[Mapping[str, SourceFactory]] = {"script": _script, "cassette": _cassette, "live": _live}
"""The sources of the harness itself."""


def sources_of(name: str, options: SourceOptions) -> Sources:
    """The sources with this name. Raises ``BadInput`` if the name is unknown, if an added source cannot be loaded, or
    if it does not make ``Sources`` of its own name."""
    if name in BUILT_IN:
        return BUILT_IN[name](options)
    there = plugins(GROUP)
    if name not in there:
        raise BadInput(f"--source {name!r} is unknown; expected one of {', '.join([*BUILT_IN, *there])}")
    plugin = there[name]
    return _checked_sources(plugin, call(plugin, added_source(plugin), options))


def added_source(plugin: Plugin) -> SourceFactory:
    """The factory of an entry point. Raises ``BadInput`` if it cannot be loaded, is not callable, or has the name of a
    built-in source."""
    factory = load(plugin)
    if plugin.name in BUILT_IN:
        raise BadInput(f"{plugin.place}: the harness has a source of this name; choose another one")
    if not callable(factory):
        raise BadInput(
            f"{plugin.place}: expected a function from harness.api.SourceOptions to harness.api.Sources, got "
            f"{type(factory).__name__}"
        )
    made: SourceFactory = factory
    return made


def _checked_sources(plugin: Plugin, sources: object) -> Sources:
    if not isinstance(sources, Sources):
        raise BadInput(f"{plugin.place}: expected harness.api.Sources, got {type(sources).__name__}")
    if sources.name != plugin.name:
        raise BadInput(
            f"{plugin.place}: expected sources with the name of the entry point, got {sources.name!r}; give both the "
            "same name"
        )
    return sources
