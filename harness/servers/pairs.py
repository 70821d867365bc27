"""What a run of a gateway consists of: scenario x client x upstream, each streamed and whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from harness.errors import BadInput
from harness.scenario import Scenario, Step, TurnStep, load
from harness.scenario.words import did_you_mean
from harness.servers.preset import KEY, Preset, UpstreamModel, filled
from harness.wire import ThinkingPart, WireName

_SCENARIOS: Final = Path(__file__).parent / "scenarios"


@dataclass(frozen=True, slots=True)
class PairCase:
    """A scenario that a client of one wire plays with the model of one upstream, streamed or not."""

    scenario: Scenario
    client: WireName
    upstream: UpstreamModel
    stream: bool

    @property
    def way(self) -> str:
        """The upstream, and whether the answer is streamed, as results name them: ``to-NAME``, ``to-NAME-whole``."""
        return f"to-{self.upstream.name}{'' if self.stream else '-whole'}"

    @property
    def id(self) -> str:
        """Its id in results and baselines: ``SCENARIO.CLIENT.to-UPSTREAM``."""
        return f"{self.scenario.name}.{self.client}.{self.way}"

    @property
    def script(self) -> Scenario:
        """The scenario as this model plays it: one that does not send its thoughts leaves them out."""
        if self.upstream.thinks:
            return self.scenario
        return replace(self.scenario, steps=tuple(map(_without_thoughts, self.scenario.steps)))


def scenario_names() -> list[str]:
    """The names of the scenarios for gateways that are shipped."""
    return sorted(path.stem for path in _SCENARIOS.glob("*.yaml"))


def chosen_scenarios(words: Sequence[str]) -> list[Scenario]:
    """The scenarios with these names, or in these files; all that are shipped where there are none.

    Raises ``BadInput``.
    """
    if not words:
        return load([_SCENARIOS])
    return load([_path(word) for word in words])


def cases_of(
    preset: Preset,
    scenarios: Sequence[Scenario],
    *,
    clients: Sequence[WireName] = (),
    upstreams: Sequence[str] = (),
    only_streams: bool = False,
) -> list[PairCase]:
    """The cases of a gateway, upstream by upstream, of these clients and upstreams (none: all).

    Raises ``BadInput`` for an upstream that the preset does not have, and where nothing is left.
    """
    known = {each.name: each for each in preset.upstreams}
    for name in upstreams:
        if name not in known:
            raise BadInput(f"--upstream {name}: expected one of {', '.join(known)}{did_you_mean(name, list(known))}")
    found = list(_pair_cases(preset, scenarios, clients, upstreams, only_streams=only_streams))
    if not found:
        raise BadInput(
            "no case is left: this gateway has no such pair of client and upstream; see --client, --upstream"
        )
    return found


def addressed(cases: Sequence[PairCase], fakes: Mapping[str, str]) -> list[PairCase]:
    """The cases, with the addresses of our models in the headers of their upstreams."""
    made = {each.upstream.name: _filled_upstream(each.upstream, fakes[each.upstream.name]) for each in cases}
    return [replace(each, upstream=made[each.upstream.name]) for each in cases]


def _filled_upstream(upstream: UpstreamModel, fake: str) -> UpstreamModel:
    words = {"fake": fake, "key": KEY}
    return replace(upstream, headers={name: filled(value, words) for name, value in upstream.headers.items()})


def _pair_cases(
    preset: Preset,
    scenarios: Sequence[Scenario],
    clients: Sequence[WireName],
    upstreams: Sequence[str],
    *,
    only_streams: bool,
) -> Iterator[PairCase]:
    for upstream in preset.upstreams:
        for client in upstream.clients or preset.clients:
            if (upstreams and upstream.name not in upstreams) or (clients and client not in clients):
                continue
            for scenario in scenarios:
                for stream in (True,) if only_streams else (True, False):
                    case = PairCase(scenario, client, upstream, stream)
                    if _applies(case):
                        yield case


def _applies(case: PairCase) -> bool:
    """Whether the scenario is about anything here.

    Only a stream can end without its end; a model that does not send its thoughts has none that are redacted; a wire
    may be left out by the scenario.
    """
    if case.client not in case.scenario.wires or case.upstream.wire not in case.scenario.wires:
        return False
    turns = [step for step in case.scenario.steps if isinstance(step, TurnStep)]
    if not case.stream and any(not step.is_whole for step in turns):
        return False
    return case.upstream.thinks or not any(map(_thinks_in_secret, turns))


def _thinks_in_secret(step: TurnStep) -> bool:
    return any(isinstance(part, ThinkingPart) and part.form != "plain" for part in step.turn.parts)


def _without_thoughts(step: Step) -> Step:
    if not isinstance(step, TurnStep):
        return step
    parts = tuple(part for part in step.turn.parts if not isinstance(part, ThinkingPart))
    usage = replace(step.turn.usage, reasoning=0)
    return replace(step, turn=replace(step.turn, parts=parts, usage=usage))


def _path(word: str) -> Path:
    if word in scenario_names():
        return _SCENARIOS / f"{word}.yaml"
    if "/" in word or word.endswith((".yaml", ".yml")):
        return Path(word)
    names = scenario_names()
    raise BadInput(f"--scenario {word}: expected {', '.join(names)}, or a file of yours{did_you_mean(word, names)}")
