"""The subject: a target of the harness, opened once and driven through gateway and runner as ``harness run`` does."""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AsyncExitStack
from typing import Final, Protocol, runtime_checkable

from harness.baseline.loader import chosen
from harness.baseline.versions import in_force, installed
from harness.endpoint import Endpoints
from harness.fuzz.loop.example import Play, scenario_of, sdk_is_asked
from harness.fuzz.loop.library import LIBRARIES, is_common
from harness.plugins import load, plugins
from harness.runner.cases import endpoint
from harness.runner.execute import Finished, execute
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, case_of, is_paced, promised, spoken_in
from harness.scenario import Scenario
from harness.targets import Target
from harness.targets.shipped import SHIPPED
from harness.wire import NATIVE_WIRES, WireName

DEADLINE: Final = 20.0
"""Seconds that one run may take. It is short, because it finds loops that wait for ever."""

Build = Callable[[Endpoints], Target]


class Stage:
    """One target with its endpoint and an event loop of its own, which all of its runs share."""

    def __init__(self, build: Build) -> None:
        self._runner = asyncio.Runner()
        self._open = AsyncExitStack()
        self._endpoints = Endpoints()
        try:
            self.target = build(self._endpoints)
            self._open.push_async_callback(self.target.close)
            self._base_url = self._runner.run(self._open.enter_async_context(endpoint(self.target, self._endpoints)))
        except BaseException:
            self.close()
            raise

    def plan(self, play: Play, wires: Iterable[WireName]) -> list[PlannedCase]:
        """The cases of ``play`` on those ``wires`` that the target can run."""
        scenario, able = scenario_of(play), self.target.declaration
        if play.profile not in able.profiles:
            return []
        spoken = [wire for wire in wires if wire in able.wires and not able.lacks(scenario, wire)]
        planned = [self._case(scenario, wire, how) for wire in spoken for how in play.chunkings]
        return spoken_in([play.dialect] if play.dialect else [], planned)

    def _case(self, scenario: Scenario, wire: WireName, chunking: str) -> PlannedCase:
        case = case_of(
            scenario,
            wire,
            chunking,
            target=self.target.name,
            declines=tuple(sorted(self.target.declaration.declines)),
            capabilities=promised(self.target),
            paced=is_paced(self.target),
        )
        return PlannedCase(case, scenario)

    def run(self, planned: Sequence[PlannedCase]) -> list[Finished]:
        """The results of the cases, which are run one after another."""
        if not planned:
            return []
        work = execute(planned, self.target, self._endpoints, self._base_url, jobs=1, deadline=DEADLINE)
        # Not Runner.run, which sets a signal handler each time: half a millisecond.
        return self._runner.get_loop().run_until_complete(work)

    def close(self) -> None:
        """Close the target and end what was started for it."""
        self._runner.run(self._open.aclose())
        self._runner.close()


class LoopSubject:
    """The subject of a campaign: a target's stage and, if it saves time, one without SDKs for most runs.

    ``expected`` are rules with known findings, from the target's baseline. With ``ours`` nothing at all may be found.
    ``blind`` are wires on which there is nothing to see. ``library`` is the stage of the library that the target
    follows.
    """

    def __init__(
        self,
        sdk: Stage,
        bare: Stage | None = None,
        expected: frozenset[str] = frozenset(),
        *,
        ours: bool = False,
        blind: Collection[str] = (),
        library: Stage | None = None,
    ) -> None:
        self.expected = expected
        self.ours = ours
        self._sdk = sdk
        self._bare = bare
        self._blind = blind
        self._library = library

    def run(self, play: Play) -> list[Finished]:
        """The results of ``play`` on each of its wires, in each of its chunkings.

        If there is a stage without SDKs, it plays every wire of a provider. The other one plays the text protocol, and
        everything for which it matters how bytes are cut.
        """
        wires = [wire for wire in play.wires if wire not in self._blind]
        if self._bare is None:
            return self._sdk.run(self._sdk.plan(play, wires))
        bare = [wire for wire in wires if wire in NATIVE_WIRES]
        sdk = wires if sdk_is_asked(play) else [wire for wire in wires if wire not in bare]
        # How bytes are cut is nothing to a loop that reads them whole.
        once = [case for case in self._bare.plan(play, bare) if case.case.chunking == play.chunkings[0]]
        return self._bare.run(once) + self._sdk.run(self._sdk.plan(play, sdk))

    def of_the_library(self, play: Play) -> list[Finished]:
        """The results of the library that the target follows, on one wire; empty if there is none, or if it is known to
        differ."""
        if self._library is None or not is_common(play):
            return []
        return self._library.run(self._library.plan(play, play.wires[:1])[:1])

    def close(self) -> None:
        """Close the targets."""
        atexit.unregister(self.close)
        for stage in (self._sdk, self._bare, self._library):
            if stage is not None:
                stage.close()


@runtime_checkable
class FuzzedFamily(Protocol):
    """A family of targets (``harness.targets.family``) that opens them for the fuzzer in its own way."""

    def names(self) -> Sequence[str]:
        """Their names, without the prefix."""

    def subject(self, name: str) -> LoopSubject:
        """The subject for the target with this name, one of ``names()``."""


def opened(name: str | None) -> LoopSubject:
    """The target with this name, or the reference loop. Raises ``BadInput`` if it cannot be found or started.

    It is closed with the process, so open it only once.
    """
    subject = _subject(name or "reference")
    atexit.register(subject.close)
    return subject


def _subject(name: str) -> LoopSubject:
    prefix, _, rest = name.partition(":")
    plugin = plugins("harness.targets").get(prefix)
    if plugin is not None and isinstance(known := load(plugin), FuzzedFamily) and rest in known.names():
        return known.subject(rest)
    if name == "reference":
        return LoopSubject(_stage(name), _stage("wire-only"), ours=True)
    if name in LIBRARIES and all(SHIPPED[LIBRARIES[name]].versions.values()):
        return LoopSubject(_stage(name), ours=True, library=_stage(LIBRARIES[name]))
    return LoopSubject(_stage(name), expected=_baseline_rules(name), ours=name.startswith(("reference:", "wire-only")))


def _stage(name: str) -> Stage:
    return Stage(lambda endpoints: open_target(name, endpoints))


def _baseline_rules(name: str) -> frozenset[str]:
    """The rules that are broken anywhere according to the target's baseline: scripts have no names there."""
    baseline = chosen(None, name)
    if baseline is None:
        return frozenset()
    entries, _ = in_force(baseline, installed(name))
    return frozenset([rule.text for entry in entries for rule in entry.rules])
