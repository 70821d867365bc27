"""Determines what is served: each scenario at a separate address, on all of its wires or on the chosen ones."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from harness.endpoint import PARALLEL, Behaviour, ByWire, CaseEndpoint, Endpoints, Enforcement, Rounds
from harness.endpoint.suite import Suite
from harness.errors import BadInput
from harness.runner.conversations import conversations_of
from harness.runner.guarded import opened_source
from harness.runner.plan import PlannedCase, at_server, case_of, in_dialects
from harness.runner.serving.activity import Activity, WatchedEndpoint
from harness.runner.serving.automatic import AutomaticAnswers, behaving
from harness.runner.sources import Opened, Sources
from harness.scenario import Scenario
from harness.trace import SERVED
from harness.wire import WireName
from harness.wire import wire as wire_named
from harness.wire.channels import CHANNELS


@dataclass(frozen=True, slots=True)
class Offer:
    """A scenario at one address. ``name`` is the end of its path; ``cases`` has one case for each wire.

    A dialect has the path of another wire, so it needs a separate address.
    """

    name: str
    cases: tuple[PlannedCase, ...]

    @property
    def scenario(self) -> Scenario:
        """The scenario, which all cases of the offer have."""
        return self.cases[0].scenario

    @property
    def wires(self) -> tuple[WireName, ...]:
        """The wires on which the scenario is served, in the order of ``cases``."""
        return tuple(item.case.wire for item in self.cases)


@dataclass(frozen=True, slots=True)
class Served:
    """An offer that is open under ``prefix``. Its ``rounds`` have an endpoint for every main conversation.

    ``opened`` has the answers by wire; ``suite`` has the tests that ask.
    """

    offer: Offer
    prefix: str
    rounds: Rounds | ByWire
    opened: Mapping[str, Opened]
    suite: Suite


def offers(
    paths: Sequence[Path],
    wires: Sequence[WireName],
    *,
    seed: int,
    sources: Sources,
    server: str = "",
    dialect: str = "",
    rounds: Sequence[Behaviour] = (PARALLEL,),
) -> tuple[list[Offer], Sources]:
    """The offers for the scenarios in ``paths``, and the sources of their answers.

    Without paths the automatic model is served, once for each behaviour in ``rounds``. ``server`` is the server that
    the endpoint plays, empty for the provider itself; ``dialect`` is the dialect of its streams, empty for the
    provider's own. Scenarios with a timeline are left out: nobody here cancels a program. Raises ``BadInput`` if
    nothing is left to serve, for an unknown server, and for a dialect that no chosen wire has or that the sources
    cannot produce.
    """
    scenarios = [each for each in _scenarios_in(paths) if not each.has_timeline] if paths else [*map(behaving, rounds)]
    if not paths:
        sources = _automatic(wires, sources)
    if dialect and sources.name not in _IN_DIALECTS:
        raise BadInput(f"--dialect: --source {sources.name} answers as it was answered; leave one of them out")
    planned = [item for scenario in scenarios for item in _planned_cases(scenario, wires, seed, sources)]
    if not planned:
        raise BadInput(
            "nothing is left to serve: these scenarios have no answers on the chosen wires, or they have a timeline, "
            "which 'harness run' alone can do"
        )
    items = at_server(server, in_dialects([dialect] if dialect else [], planned))
    return [offer for scenario in scenarios for offer in _of(scenario, items)], sources


_IN_DIALECTS: Final = ("script", "automatic")
"""Sources whose answers the endpoint writes itself."""


def _scenarios_in(paths: Sequence[Path]) -> list[Scenario]:
    from harness.scenario import load  # takes as long to import as all the rest

    return load(list(paths))


def _automatic(wires: Sequence[WireName], sources: Sources) -> Sources:
    if sources.name != "script":
        raise BadInput(f"--source {sources.name} needs a scenario: name its file")
    undeclared = next((name for name in wires if not wire_named(name).declares_tools), None)
    if undeclared is not None:
        raise BadInput(
            f"--wire {undeclared} needs a scenario: the automatic model calls the tools that a request declares, "
            f"and on {undeclared} they are described in the prompt"
        )
    return AutomaticAnswers()


def _planned_cases(scenario: Scenario, wires: Sequence[WireName], seed: int, sources: Sources) -> list[PlannedCase]:
    return [
        PlannedCase(
            case_of(scenario, wire, "event", target=SERVED, seed=seed, source=sources.name, hands_over=False),
            scenario,
        )
        for wire in scenario.wires
        if (wire in wires or not wires) and sources.variations(scenario, wire)
    ]


def _of(scenario: Scenario, planned: Sequence[PlannedCase]) -> list[Offer]:
    items = [item for item in planned if item.scenario is scenario]
    native = tuple(item for item in items if wire_named(item.case.wire).native)
    dialects = [(item,) for item in items if not wire_named(item.case.wire).native]
    return [_offer(scenario, some) for some in (native, *dialects) if some]


def _offer(scenario: Scenario, cases: tuple[PlannedCase, ...]) -> Offer:
    name = scenario.name if len(cases) > 1 else f"{scenario.name}.{cases[0].case.wire}"
    return Offer(name, cases)


@dataclass(frozen=True, slots=True)
class Opening:
    """Opens offers at ``endpoints``: wrong requests are refused by ``enforcement``, and ``activity`` counts all.

    ``channels`` are the channels on which a client may ask, if the wire has them.
    """

    endpoints: Endpoints
    sources: Sources
    enforcement: Enforcement
    activity: Activity
    channels: Collection[str] = tuple(CHANNELS)

    async def open(self, offer: Offer, stack: AsyncExitStack) -> Served:
        """Serve ``offer`` until ``stack`` is closed. Raises ``BadInput`` if its answers are not available."""
        opening = [opened_source(self.sources, item.case, item.scenario) for item in offer.cases]
        opened = [await stack.enter_async_context(each) for each in opening]
        by_wire = {
            wire: Rounds(partial(self._endpoint, item, each))
            for wire, item, each in zip(offer.wires, offer.cases, opened, strict=True)
        }
        rounds = ByWire(by_wire) if len(by_wire) > 1 else by_wire[offer.wires[0]]
        suite = Suite()
        prefix = self.endpoints.open(offer.name, rounds, opened[0].model, channels=self.channels, suite=suite)
        return Served(offer, prefix, rounds, dict(zip(offer.wires, opened, strict=True)), suite)

    def _endpoint(self, item: PlannedCase, opened: Opened, number: int) -> CaseEndpoint:
        case = replace(item.case, id=f"{item.case.scenario}.{item.case.wire}.{number}")
        endpoint = WatchedEndpoint(
            case,
            opened.source(),
            clock=time.perf_counter,
            enforcement=self.enforcement,
            apart=conversations_of(item.case, item.scenario, by_harness=False),
        )
        endpoint.activity = self.activity
        return endpoint
