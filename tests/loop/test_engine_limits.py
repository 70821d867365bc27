"""What happens at the turn limit, by policy: raise, stop, or one request more for an answer. Never in silence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.loop import HUGIND, PYDANTIC_AI, TOOL_RUNNER, AgentResult, LoopPolicy, TurnLimitExceeded
from harness.loop.effects import Append, AppendUser, Flow, RunTool, RunTools, StreamTurn
from harness.loop.engine import Engine
from harness.trace import Failure, Final, ToolResult, ToolStart, TurnStart
from harness.wire import FinishReason
from tests.loop.fake_session import Answer, streamed, turn
from tests.loop.playing import Played, StubTools, play_flow
from tests.loop.test_engine import create, look

ENDLESS = [Answer(turn(f"Turn {n}.", look(f"c{n}"))) for n in range(1, 70)]


def play(policy: LoopPolicy, answers: Any = ENDLESS, engine: type[Engine] = Engine) -> Played:
    return play_flow(engine(StubTools(), policy).flow(), answers)


def limit_is_told(played: Played) -> None:
    """The last word to the user names the limit."""
    last = played.told()[-1]
    assert last == Failure("turn-limit", str(played.error)) or getattr(last, "outcome", "") == "turn-limit"


# --- raise -------------------------------------------------------------------------------------------------


def test_the_50th_request_is_the_last_and_the_error_is_told() -> None:
    played = play(PYDANTIC_AI)
    assert len(played.of(StreamTurn)) == 50
    assert isinstance(played.error, TurnLimitExceeded)
    limit_is_told(played)


# --- stop --------------------------------------------------------------------------------------------------


def test_a_runner_has_no_limit_of_its_own() -> None:
    played = play(TOOL_RUNNER, [*ENDLESS, Answer(turn("Done."))])
    assert (played.ended.outcome, played.ended.turns) == ("completed", len(ENDLESS) + 1)


def test_a_run_that_stops_says_so_and_runs_no_call_whose_result_the_model_would_not_see() -> None:
    played = play(TOOL_RUNNER.with_limit(3))
    assert len(played.of(StreamTurn)) == 3
    assert [effect.call.id for effect in played.of(RunTool)] == ["c1", "c2"]
    assert played.ended.outcome == "turn-limit"
    assert played.told()[-1] == Final("", "turn-limit", "Turn 3.")
    limit_is_told(played)


def test_a_run_that_finishes_in_its_last_turn_has_not_met_the_limit() -> None:
    played = play(TOOL_RUNNER.with_limit(2), [ENDLESS[0], Answer(turn("Done."))])
    assert played.ended.outcome == "completed"


def test_a_last_turn_that_was_cut_short_ends_as_that() -> None:
    played = play(TOOL_RUNNER.with_limit(1), [Answer(turn("", look("a"), stop=FinishReason.MAX_TOKENS))])
    assert played.ended.outcome == "truncated"


def test_a_pause_in_the_last_turn_is_not_the_end_of_the_work() -> None:
    played = play(TOOL_RUNNER.with_limit(1), [Answer(turn("...", stop=FinishReason.PAUSE))])
    assert played.ended.outcome == "turn-limit"


def test_nobody_waits_for_a_call_that_the_limit_kept_from_running() -> None:
    played = play(TOOL_RUNNER.with_limit(1), [streamed("", create("c"))])
    (result,) = played.told(ToolResult)
    assert [event.id for event in played.told(ToolStart)] == ["c"]
    assert (result.id, result.ok) == ("c", False)
    assert "turn limit" in result.output["error"]


def test_without_any_turn_nothing_is_asked() -> None:
    played = play(TOOL_RUNNER.with_limit(0))
    assert played.of(StreamTurn) == []
    assert (played.ended.outcome, played.ended.turns) == ("turn-limit", 0)


# --- answer now --------------------------------------------------------------------------------------------


def test_after_ten_turns_the_model_is_told_to_answer_in_one_more() -> None:
    played = play(HUGIND, [*ENDLESS[:10], Answer(turn("So far: 10."))])
    assert len(played.of(StreamTurn)) == 11
    assert [effect.call.id for effect in played.of(RunTool)][-1] == "c10"
    assert played.of(AppendUser) == [AppendUser(HUGIND.answer_now)]
    order = [type(effect) for effect in played.effects if isinstance(effect, Append | AppendUser | StreamTurn)]
    assert order[-3:] == [Append, AppendUser, StreamTurn]
    assert played.told(TurnStart)[-1] == TurnStart(11)
    assert played.told()[-1] == Final("", "turn-limit", "So far: 10.")
    assert played.ended.turns == 11
    limit_is_told(played)


def test_calls_of_the_answer_are_not_run() -> None:
    played = play(HUGIND.with_limit(1))
    assert [effect.call.id for effect in played.of(RunTool)] == ["c1"]
    assert len(played.of(Append)) == 1
    assert (played.ended.outcome, played.ended.text) == ("turn-limit", "Turn 2.")


def test_a_call_announced_in_the_answer_is_ended() -> None:
    played = play(HUGIND.with_limit(0), [streamed("Well.", create("c"))])
    assert [(event.id, event.ok) for event in played.told(ToolResult)] == [("c", False)]


def test_a_limit_of_zero_asks_for_the_answer_at_once() -> None:
    played = play(HUGIND.with_limit(0), [Answer(turn("An answer."))])
    assert [type(effect) for effect in played.effects if isinstance(effect, AppendUser | StreamTurn)] == [
        AppendUser,
        StreamTurn,
    ]
    assert played.ended.text == "An answer."


def test_no_nudge_without_need() -> None:
    played = play(HUGIND, [*ENDLESS[:9], Answer(turn("Done."))])
    assert played.of(AppendUser) == []
    assert played.ended.outcome == "completed"


@pytest.mark.parametrize(
    ("stop", "outcome"), [(FinishReason.MAX_TOKENS, "truncated"), (FinishReason.REFUSAL, "refused")]
)
def test_an_answer_that_was_cut_short_says_so(stop: FinishReason, outcome: str) -> None:
    assert play(HUGIND.with_limit(0), [Answer(turn("Half", stop=stop))]).ended.outcome == outcome


def test_the_nudge_is_in_the_history_behind_the_results() -> None:
    played = play(HUGIND.with_limit(1), [ENDLESS[0], Answer(turn("Done."))])
    request = played.ended.history[2]
    assert [done.call.id for done in request.results] == ["c1"]  # type: ignore[union-attr]
    assert request.texts == (("user", HUGIND.answer_now),)  # type: ignore[union-attr]


# --- the checks can fail -----------------------------------------------------------------------------------


class _SilentLimit(Engine):
    def reach_limit(self) -> Flow[AgentResult]:
        return self.finish(None, "completed")


class _NoNudge(Engine):
    def _answer_now(self) -> Flow[AgentResult]:
        turn, _ = yield from self.ask()
        return (yield from self.finish(turn, "turn-limit"))


@pytest.mark.parametrize("policy", [PYDANTIC_AI, HUGIND.with_limit(2)], ids=lambda policy: policy.name)
def test_a_limit_in_silence_is_seen(policy: LoopPolicy) -> None:
    with pytest.raises(AssertionError):
        limit_is_told(play(policy, engine=_SilentLimit))


def test_a_missing_nudge_is_seen() -> None:
    assert play(HUGIND.with_limit(1), engine=_NoNudge).of(AppendUser) == []


def test_calls_that_are_run_for_nobody_are_seen() -> None:
    played = play(replace(TOOL_RUNNER, turn_limit=3, at_limit="raise"))
    assert [effect.call.id for effect in played.of(RunTool)] == ["c1", "c2", "c3"]


def test_one_request_too_many_is_seen() -> None:
    assert len(play(replace(PYDANTIC_AI, turn_limit=51)).of(StreamTurn)) == 51
    assert len(play(PYDANTIC_AI).of(RunTools)) == 50
