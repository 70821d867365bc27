"""The sources of the answers in a run: scripts, cassettes, or models that are being recorded."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Protocol, runtime_checkable

from harness import __version__
from harness.endpoint import Source
from harness.ground.disk import bounded_name
from harness.runner.conversations import conversations_of
from harness.runner.environment import users_environment
from harness.runner.paths import shown
from harness.runner.scripts import script_source
from harness.scenario import Scenario
from harness.trace import Case
from harness.wire import WireName
from harness.wire import wire as wire_named

if TYPE_CHECKING:
    import httpx2

    from harness.cassette import Provenance
    from harness.cassette.cassette_writer import Mode
    from harness.cassette.upstream import Upstream
    from harness.secrets.redactor import Redactor

RECORDED: Final = "recorded"
"""The chunking of an answer that comes in its recorded pieces."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The answers of one case while it runs.

    Each call of ``source`` begins the answers anew, but a recording continues. ``scripted``: the answers are the
    scenario's own, so its expectations can be met. ``redactor`` removes secrets from what is stored of the case;
    None if everything comes from the scenario.
    """

    source: Callable[[], Source]
    model: str
    scripted: bool = True
    redactor: Redactor | None = None


@runtime_checkable
class Sources(Protocol):
    """Opens the source of each case. It can be pickled, to reach another process.

    Sources that ask other machines also have a member ``asks_others`` that is true: see ``asks_others``.

    ``name`` is its name in traces. ``opened`` ends with the case, and raises ``BadInput`` if its answers are not
    available or cannot be stored.
    """

    @property
    def name(self) -> str:
        """Their name in ``--source`` and in traces."""

    @property
    def words(self) -> tuple[str, ...]:
        """The options of ``harness run`` that select the same answers."""

    def variations(self, scenario: Scenario, wire: WireName) -> Sequence[str]:
        """The chunkings of the scenario's answers on a wire; empty if there are no answers."""

    def opened(self, case: Case, scenario: Scenario) -> AbstractAsyncContextManager[Opened]:
        """The answers of a case while it runs. Raises ``BadInput`` if they are not available or cannot be stored."""


def asks_others(sources: Sources) -> bool:
    """Whether the answers come from other machines, so that the process may connect to these."""
    return bool(getattr(sources, "asks_others", False))


@dataclass(frozen=True, slots=True)
class PerCaseSources:
    """Sources that the function ``answers`` makes, case by case, without anything to open or close.

    ``name`` is the value of ``--source``. ``scripted``: the answers follow the scenario's script, so its expectations
    are checked. ``asks_others`` as in ``Sources``. ``options`` are the other options that select the same answers
    again. ``answers`` must be a function at the top of a module, because it is pickled.
    """

    name: str
    answers: Callable[[Case, Scenario], Source]
    scripted: bool = False
    asks_others: bool = False
    options: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The options of ``harness run`` that select the same answers."""
        return ("--source", self.name, *self.options)

    def variations(self, scenario: Scenario, wire: WireName) -> Sequence[str]:  # noqa: ARG002 - one on every wire
        """One: the answers are sent event by event."""
        return ("event",)

    @asynccontextmanager
    async def opened(self, case: Case, scenario: Scenario) -> AsyncIterator[Opened]:
        """The answers of a case, made anew each time they begin."""
        model = wire_named(case.wire).default_model
        yield Opened(partial(self.answers, case, scenario), model, scripted=self.scripted)


@dataclass(frozen=True, slots=True)
class Scripted:
    """The scripts of the scenarios."""

    name: str = "script"

    @property
    def words(self) -> tuple[str, ...]:
        """The options of ``harness run`` that select the same answers."""
        return ()

    def variations(self, scenario: Scenario, wire: WireName) -> Sequence[str]:  # noqa: ARG002 - a script has all wires
        """The chunkings that the scenario asks for."""
        return scenario.chunkings

    @asynccontextmanager
    async def opened(self, case: Case, scenario: Scenario) -> AsyncIterator[Opened]:
        """The script of the scenario, begun anew each time."""
        yield Opened(lambda: script_source(scenario, scenario.steps), _scripted_model(case.wire, scenario))


def _scripted_model(wire: WireName, scenario: Scenario) -> str:
    """The model that a script plays. On Chat other makers send their models' thinking, but OpenAI does not.

    Loops decide by the model's name whether the thinking is sent back.
    """
    if scenario.plays:
        return scenario.plays
    speaks = wire_named(wire)
    return speaks.thinking_model if scenario.thinks and speaks.thinking_model else speaks.default_model


SCRIPTED: Final = Scripted()

_TIMED: Final = ("--timing", "recorded")
_NO_SECRETS: Final[Mapping[str, str]] = {}


def cassette_of(folder: Path, scenario: str, wire: str) -> Path:
    """The file with a scenario's recording on a wire."""
    return folder / wire / f"{bounded_name(scenario)}.yaml"


Patterns = tuple[tuple[str, re.Pattern[str]], ...]

Match = Literal["meaning", "place"]
"""How the recording for a request is chosen: by equal meaning, or by its place in its conversation."""


def _redactor(patterns: Patterns, secrets: Mapping[str, str] = _NO_SECRETS) -> Redactor:
    from harness.secrets.finder import Pattern
    from harness.secrets.redactor import Redactor

    return Redactor(secrets, [Pattern(name, found) for name, found in patterns])


@dataclass(frozen=True, slots=True)
class Cassettes:
    """The cassettes of a folder.

    ``timed``: answers come with their recorded waits. ``patterns`` are the names and regular expressions of the user's
    own secrets, with which they were recorded. ``match`` determines which request gets which answer; None: by place for
    a coding agent, whose requests are never the same twice, else by meaning.
    """

    folder: Path
    timed: bool = False
    patterns: Patterns = ()
    match: Match | None = None
    name: str = "cassette"

    @property
    def words(self) -> tuple[str, ...]:
        """The options of ``harness run`` that select the same answers."""
        patterns = (word for name, found in self.patterns for word in ("--pattern", f"{name}={found.pattern}"))
        match = () if self.match is None else ("--match", self.match)
        return ("--source", "cassette", "--cassettes", str(self.folder), *_TIMED * self.timed, *match, *patterns)

    def variations(self, scenario: Scenario, wire: WireName) -> Sequence[str]:
        """One if there is a cassette; none otherwise."""
        return [RECORDED] if cassette_of(self.folder, scenario.name, wire).is_file() else []

    @asynccontextmanager
    async def opened(self, case: Case, scenario: Scenario) -> AsyncIterator[Opened]:
        """A player of the cassette. Raises ``BadInput`` if it cannot be read."""
        from harness.cassette.folders import as_secrets
        from harness.cassette.index import open_player
        from harness.cassette.replay import ReplaySource

        path = cassette_of(self.folder, case.scenario, case.wire)
        redactor = _redactor(self.patterns, as_secrets(case.folders))
        provenance = open_player(path).provenance
        model = provenance.model if provenance else wire_named(case.wire).default_model
        by_place = (self.match or ("place" if scenario.is_of_agent else "meaning")) == "place"

        def source() -> Source:
            if by_place:
                return self._by_place(path, case, scenario)
            again = self._again(case, scenario, provenance)
            return ReplaySource(open_player(path, redactor, again), timed=self.timed, folders=case.folders)

        yield Opened(
            source,
            model,
            scripted=provenance is not None and provenance.source == "script",
            redactor=redactor,
        )

    def _again(self, case: Case, scenario: Scenario, provenance: Provenance | None) -> str:
        """The command that records a cassette again in the same way; empty if no command of ours recorded it."""
        if provenance is None or not scenario.path.name:
            return ""
        served = provenance.target == "served"
        words = ["harness", "serve" if served else "record", shown(scenario.path), "--wire", case.wire]
        words += ["--source", "live"] if served else []
        words += ["--target", provenance.target] if provenance.target not in ("served", "reference") else []
        words += ["--cassettes", str(self.folder)] if self.folder != Path("cassettes") else []
        words += ["--scripted"] if provenance.source == "script" else ["--model", provenance.model]
        provider = wire_named(case.wire).provider.base_url
        words += ["--upstream", provenance.server] if "://" in provenance.server.replace(provider, "") else []
        words += [word for name, found in self.patterns for word in ("--pattern", f"{name}={found.pattern}")]
        return shlex.join(words)

    def _by_place(self, path: Path, case: Case, scenario: Scenario) -> Source:
        from harness.cassette.by_place import PlaceSource
        from harness.cassette.read import read_cassette

        apart = partial(conversations_of, case, scenario)
        return PlaceSource(read_cassette(path), apart, case.folders, timed=self.timed)


@dataclass(frozen=True, slots=True)
class Recording:
    """Models that answer now and are recorded to the cassettes of a folder.

    ``upstream`` None: the provider of the wire. ``model`` None: the model of scripted cases. ``server`` is a better
    name for the upstream than its URL. ``scripted``: record the scenario's own script instead of a model, for a wire
    without an available model; the cassettes note that. ``patterns`` as in ``Cassettes``.
    """

    folder: Path
    mode: Mode
    upstream: str | None = None
    model: str | None = None
    server: str | None = None
    scripted: bool = False
    patterns: Patterns = ()
    name: str = "live"
    asks_others: bool = True

    @property
    def words(self) -> tuple[str, ...]:
        """The options of ``harness run`` that select the same answers."""
        return Cassettes(self.folder, patterns=self.patterns).words

    def variations(self, scenario: Scenario, wire: WireName) -> Sequence[str]:  # noqa: ARG002 - all can be asked
        """One: any model can be asked."""
        return [RECORDED]

    @asynccontextmanager
    async def opened(self, case: Case, scenario: Scenario) -> AsyncIterator[Opened]:
        """The recorded upstream. Raises ``BadInput`` if the cassette cannot be written."""
        from harness.cassette import Cassette
        from harness.cassette.cassette_writer import CassetteWriter
        from harness.cassette.folders import as_secrets
        from harness.cassette.matching import Player
        from harness.cassette.record import RecordSource
        from harness.secrets.scan import scan

        upstream = self._upstream(case.wire)
        redactor = _redactor(self.patterns, {**upstream.secrets, **as_secrets(case.folders)})
        provenance = self._provenance(case, upstream)
        path = cassette_of(self.folder, case.scenario, case.wire)
        path.parent.mkdir(parents=True, exist_ok=True)
        searched = partial(scan, values=tuple(upstream.secrets.values()))
        with CassetteWriter.open(path, self.mode, provenance, redactor=redactor, scan=searched) as writer:
            async with self._client(case, scenario, upstream) as client:
                player = Player(Cassette(path, writer.known), redactor)
                asked = partial(RecordSource, writer, player, upstream, client, time.perf_counter)
                source = asked(has_channels=not self.scripted)
                try:
                    yield Opened(lambda: source, provenance.model, self.scripted, redactor)
                finally:
                    await source.close()
            if source.problem is not None:
                raise source.problem

    def _upstream(self, wire: WireName) -> Upstream:
        from harness.cassette.upstream import scripted_upstream, upstream_of

        return scripted_upstream(wire) if self.scripted else upstream_of(wire, self.upstream, users_environment())

    def _client(self, case: Case, scenario: Scenario, upstream: Upstream) -> httpx2.AsyncClient:
        import httpx2

        from harness.cassette.scripted import ScriptedTransport

        script = None
        if self.scripted:
            as_script = replace(case, source=SCRIPTED.name)
            answers = script_source(scenario, scenario.steps)
            script = ScriptedTransport(as_script, answers, conversations_of(as_script, scenario))
        return httpx2.AsyncClient(transport=script, trust_env=not upstream.is_local)

    def _provenance(self, case: Case, upstream: Upstream) -> Provenance:
        from harness.cassette import Provenance

        model = self.model or wire_named(case.wire).default_model
        server = self.server or ("scripted" if self.scripted else upstream.base)
        return Provenance(
            source="script" if self.scripted else "live",
            scenario=case.scenario,
            wire=case.wire,
            target=case.target,
            server=server,
            model=model,
            recorded=datetime.now(UTC).strftime("%Y-%m-%d"),
            harness=__version__,
        )
