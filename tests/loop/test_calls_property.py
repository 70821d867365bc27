"""Whatever kinds a turn's calls have, whenever they end and are resolved: each is answered once, in call order."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.loop import PYDANTIC_AI, SCREENSHOT_TO_CODE, Approved, Denied, LoopPolicy, Supplied, ToolCall, ToolOutcome
from harness.loop.calls import TurnCalls
from harness.loop.effects import Append, RunTool, RunTools
from harness.loop.engine import Engine
from harness.trace import ToolResult, ToolStart
from tests.loop.fake_session import Answer, turn
from tests.loop.playing import Played, StubTools, play_flow

KINDS: dict[str, Any] = {"look": "function", "weather": "external", "ask_boss": "unapproved", "done": "output"}
DONE = Answer(turn("Done."))


@st.composite
def decided(draw: st.DrawFn, calls: list[ToolCall]) -> list[dict[str, Any]]:
    """Resolutions of the calls that wait, in any order and any number of rounds."""
    waiting = draw(st.permutations([call for call in calls if call.name in ("weather", "ask_boss")]))
    rounds: list[dict[str, Any]] = [{}]
    for call in waiting:
        yes: Any = Supplied(f"result {call.id}") if call.name == "weather" else Approved()
        if draw(st.booleans()):
            rounds.append({})
        rounds[-1][call.id] = draw(st.sampled_from([yes, Denied("No.")]))
    return rounds


def play(data: st.DataObject, policy: LoopPolicy, names: list[str]) -> tuple[list[ToolCall], list[Played]]:
    calls = [ToolCall(f"c{number}", name, "{}") for number, name in enumerate(names)]
    engine = Engine(StubTools(kinds=KINDS), policy)
    outcomes = {call.id: ToolOutcome(f"result {call.id}", "s", ok=data.draw(st.booleans())) for call in calls}
    rounds = data.draw(decided(calls))

    def order(running: tuple[ToolCall, ...]) -> list[ToolCall]:
        return data.draw(st.permutations(running))

    plays = [play_flow(engine.flow(), [Answer(turn("", *calls)), DONE], outcomes, order)]
    for each in rounds:
        if plays[-1].ended.outcome == "deferred":
            plays.append(play_flow(engine.resume(each), [DONE], outcomes, order))
    return calls, plays


def holds(calls: list[ToolCall], plays: list[Played]) -> None:
    assert plays[-1].ended.outcome == "completed"
    appended = [append for played in plays for append in played.of(Append)]
    assert [[done.call for done in append.call_results] for append in appended] == [calls]
    started = Counter(event.id for played in plays for event in played.told(ToolStart))
    ended = Counter(event.id for played in plays for event in played.told(ToolResult))
    assert started == ended
    assert set(started.values()) <= {1}
    ran = Counter(effect.call.id for played in plays for effect in played.of(RunTool))
    ran.update(call.id for played in plays for effect in played.of(RunTools) for call in effect.calls)
    assert set(ran.values()) <= {1}
    assert not {call.id for call in calls if call.name == "weather"} & set(ran)


NAMES = st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=6)
POLICIES = st.sampled_from([PYDANTIC_AI, SCREENSHOT_TO_CODE])


@given(st.data(), POLICIES, NAMES)
@settings(max_examples=150, deadline=None)
def test_each_call_is_answered_once_in_call_order(data: st.DataObject, policy: LoopPolicy, names: list[str]) -> None:
    holds(*play(data, policy, names))


def _as_they_came(self: TurnCalls) -> Any:
    return tuple(self._call_results.values())


def _forget_who_waits(self: TurnCalls, calls: Any) -> Any:
    yield from self._run(calls)


def _announce_again(self: TurnCalls, call: ToolCall) -> Any:
    self._waiting.pop(call.id, None)
    return _START(self, call)


_START = TurnCalls._start


@pytest.mark.parametrize(
    ("name", "broken"),
    [("call_results", property(_as_they_came)), ("_defer", _forget_who_waits), ("_start", _announce_again)],
)
def test_broken_calls_are_seen(name: str, broken: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TurnCalls, name, broken)

    @given(st.data(), POLICIES, NAMES)
    @settings(max_examples=150, deadline=None, database=None)
    def hunt(data: st.DataObject, policy: LoopPolicy, names: list[str]) -> None:
        holds(*play(data, policy, names))

    with pytest.raises(AssertionError):
        hunt()
