"""The calls of a turn by policy: all at once, asked for again, kinds of tools, what tools say beside their results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from harness.errors import BadInput
from harness.loop import (
    PYDANTIC_AI,
    SCREENSHOT_TO_CODE,
    Approved,
    CallResult,
    DeferredCall,
    Denied,
    LoopPolicy,
    ProviderTurn,
    RequestStep,
    ResponseStep,
    Supplied,
    ToolCall,
    ToolOutcome,
    ToolRetriesExceeded,
)
from harness.loop.calls import TurnCalls
from harness.loop.deferral import Resolution
from harness.loop.effects import Append, RunTool, RunTools, StreamTurn
from harness.loop.engine import Engine
from harness.loop.live import LiveTurn
from harness.trace import Failure, Final, SetCode, ToolResult, ToolStart
from harness.wire import FinishReason, Usage
from tests.loop.fake_session import Answer, streamed, turn
from tests.loop.playing import Order, Outcomes, Played, StubTools, play_flow
from tests.loop.test_engine import PAGE, create, ended, look, shapes

KINDS: dict[str, Any] = {"done": "output", "ask_boss": "unapproved", "weather": "external"}
DONE = Answer(turn("Done."))
FAILED = ToolOutcome({"error": "no such city"}, {"error": "no such city"}, ok=False, retry=True)


def engine(policy: LoopPolicy = PYDANTIC_AI) -> Engine:
    return Engine(StubTools(kinds=KINDS), policy, [("user", "Go.")])


def play(
    answers: Sequence[Answer],
    outcomes: Outcomes | None = None,
    order: Order = tuple,
    policy: LoopPolicy = PYDANTIC_AI,
) -> Played:
    return play_flow(engine(policy).flow(), answers, outcomes, order)


def call(id: str, name: str, arguments: str = "{}") -> ToolCall:
    return ToolCall(id, name, arguments)


def backwards(calls: tuple[ToolCall, ...]) -> Sequence[ToolCall]:
    return calls[::-1]


def sent(played: Played) -> list[list[tuple[str, Any, bool]]]:
    """What went back to the model, turn by turn."""
    return [[(done.call.id, done.result, done.ok) for done in append.call_results] for append in played.of(Append)]


# --- all at once -------------------------------------------------------------------------------------------


def in_call_order(played: Played) -> None:
    """Results go back in the order of the calls, whichever ended first."""
    for append in played.of(Append):
        assert [done.call for done in append.call_results] == list(append.turn.tool_calls)


def test_calls_start_in_call_order_end_as_they_end_and_go_back_in_call_order() -> None:
    outcomes = {id: ToolOutcome(f"result {id}", f"summary {id}") for id in "abc"}
    played = play([Answer(turn("", look("a"), look("b"), look("c"))), DONE], outcomes, backwards)
    assert [effect.calls for effect in played.of(RunTools)] == [(look("a"), look("b"), look("c"))]
    assert [event.id for event in played.told(ToolStart)] == ["a", "b", "c"]
    assert [(event.id, event.output) for event in played.told(ToolResult)] == [
        ("c", "summary c"),
        ("b", "summary b"),
        ("a", "summary a"),
    ]
    assert sent(played) == [[("a", "result a", True), ("b", "result b", True), ("c", "result c", True)]]
    in_call_order(played)


def test_all_starts_are_told_before_the_first_tool_runs() -> None:
    played = play([Answer(turn("", look("a"), look("b"))), DONE])
    assert shapes(played)[2:7] == [*["tell ToolStart"] * 2, "RunTools", *["tell ToolResult"] * 2]


def test_code_that_a_tool_set_comes_with_its_result() -> None:
    outcomes = {"a": ToolOutcome("r", "s", code=PAGE)}
    played = play([Answer(turn("", look("a"), look("b"))), DONE], outcomes, backwards)
    assert [(type(event), event.id) for event in played.told(SetCode, ToolResult)] == [
        (ToolResult, "b"),
        (SetCode, "a"),
        (ToolResult, "a"),
    ]


def test_a_call_that_was_announced_early_is_not_announced_again() -> None:
    played = play([streamed("", create("a"), look("b")), DONE])
    assert [event.id for event in played.told(ToolStart)] == ["a", "b"]


class _CompletionOrder(TurnCalls):
    @property
    def call_results(self) -> tuple[CallResult, ...]:
        return tuple(self._call_results.values())


def broken(calls: type[TurnCalls]) -> Engine:
    """An engine whose turns handle their calls as ``calls`` does."""

    class Broken(Engine):
        def calls_of(self, turn: ProviderTurn, live: LiveTurn) -> TurnCalls:
            return calls(turn, live.waiting, StubTools(kinds=KINDS), self.policy, self.progress)

    return Broken(StubTools(kinds=KINDS), PYDANTIC_AI)


def test_results_in_completion_order_are_seen() -> None:
    flow = broken(_CompletionOrder).flow()
    with pytest.raises(AssertionError):
        in_call_order(play_flow(flow, [Answer(turn("", look("a"), look("b"))), DONE], order=backwards))


# --- asked for again ---------------------------------------------------------------------------------------


def test_without_a_bound_a_failure_is_an_error_result() -> None:
    played = play([Answer(turn("", look("a"))), DONE], {"a": FAILED}, policy=SCREENSHOT_TO_CODE)
    assert sent(played) == [[("a", {"error": "no such city"}, False)]]
    assert played.ended.tool_retries == {}


def test_a_failure_says_which_retry_the_model_has() -> None:
    played = play([Answer(turn("", look("a"))), Answer(turn("", look("b"))), DONE], {"a": FAILED})
    word = "Mend the call and make it again (retry 1 of 1)."
    assert sent(played)[0] == [("a", {"error": "no such city", "retry": word}, False)]
    assert played.told(ToolResult)[0].output == {"error": "no such city", "retry": word}
    assert played.ended.tool_retries == {"look": 1}
    assert played.ended.outcome == "completed"


def bounded(played: Played) -> None:
    """A tool that goes on failing ends the run."""
    assert isinstance(played.error, ToolRetriesExceeded)
    assert played.told()[-1] == Failure("tool-retries", str(played.error))


def test_the_second_failure_running_ends_the_run_when_all_results_are_told() -> None:
    answers = [Answer(turn("", look("a"))), Answer(turn("", look("b"), call("c", "other"))), DONE]
    played = play(answers, {"a": FAILED, "b": FAILED})
    bounded(played)
    assert len(played.of(StreamTurn)) == 2
    assert [event.id for event in played.told(ToolResult)] == ["a", "b", "c"]
    assert str(played.error) == (
        "Tool 'look' failed in 2 turns running; 1 retry is allowed. The last failure: no such city"
    )
    assert len(played.of(Append)) == 1


def test_a_turn_in_which_the_tool_does_not_fail_starts_the_count_anew() -> None:
    answers = [Answer(turn("", look(id))) for id in "abcd"]
    played = play([*answers, DONE], {"a": FAILED, "c": FAILED})
    assert played.ended.tool_retries == {"look": 2}


def test_tools_are_counted_apart_and_calls_of_one_turn_together() -> None:
    answers = [Answer(turn("", look("a"), look("b"))), Answer(turn("", call("c", "other"))), DONE]
    played = play(answers, dict.fromkeys("abc", FAILED))
    assert played.ended.tool_retries == {"look": 1, "other": 1}


def test_a_failure_that_the_model_cannot_mend_is_no_retry() -> None:
    crash = ToolOutcome({"error": "boom"}, {"error": "boom"}, ok=False)
    played = play([*(Answer(turn("", look(id))) for id in "ab"), DONE], {"a": crash, "b": crash})
    assert sent(played)[0] == [("a", {"error": "boom"}, False)]
    assert played.ended.tool_retries == {}


def test_a_failure_in_words_is_put_beside_the_retry() -> None:
    played = play([Answer(turn("", look("a"))), DONE], {"a": ToolOutcome("nope", "nope", ok=False, retry=True)})
    assert [done[1]["error"] for done in sent(played)[0]] == ["nope"]


def test_nobody_waits_for_a_call_that_vanished_when_a_tool_ends_the_run() -> None:
    vanishing = Answer(turn("", look("b"), call("u", "ask_boss")), streamed("", create("v")).deltas)
    played = play([Answer(turn("", look("a"))), vanishing], {"a": FAILED, "b": FAILED})
    bounded(played)
    assert sorted(event.id for event in played.told(ToolStart)) == ["a", "b", "v"]
    assert sorted(event.id for event in played.told(ToolResult)) == ["a", "b", "v"]


def test_nobody_waits_for_an_announced_call_that_would_have_waited_for_approval() -> None:
    built = Engine(StubTools(kinds={"create_file": "unapproved"}), PYDANTIC_AI)
    answers = [Answer(turn("", look("a"))), streamed("", look("b"), create("u"))]
    played = play_flow(built.flow(), answers, {"a": FAILED, "b": FAILED})
    bounded(played)
    assert [(event.id, event.ok) for event in played.told(ToolResult)][1:] == [("b", False), ("u", False)]


class _Unbounded(TurnCalls):
    def _check_failures(self) -> Any:
        yield from ()


def test_retries_without_bound_are_seen() -> None:
    answers = [*(Answer(turn("", look(id))) for id in "abc"), DONE]
    with pytest.raises(AssertionError):
        bounded(play_flow(broken(_Unbounded).flow(), answers, dict.fromkeys("abc", FAILED)))


# --- output tools ------------------------------------------------------------------------------------------

RESULT = ToolOutcome({"answer": 42}, {"answer": 42})


def test_an_output_call_ends_the_run_with_its_arguments() -> None:
    played = play([Answer(turn("Here.", call("o", "done")))], {"o": RESULT})
    assert played.ended.output == {"answer": 42}
    assert ended(played) == ("completed", "Here.", 1, 1)
    assert len(played.of(StreamTurn)) == 1
    assert played.told(ToolResult) == [ToolResult("o", "done", {"answer": 42}, ok=True)]
    assert played.told()[-1] == Final("", "completed", "Here.")
    assert sent(played) == [[("o", "The final result was accepted.", True)]]


def every_call_has_a_result(played: Played) -> None:
    for append in played.of(Append):
        assert [done.call for done in append.call_results] == list(append.turn.tool_calls)


def test_function_calls_beside_it_are_not_run_and_still_have_a_result() -> None:
    calls = (look("a"), call("o", "done"), call("w", "weather"), call("p", "done"))
    played = play([Answer(turn("", *calls))], {"o": RESULT})
    assert [effect.calls for effect in played.of(RunTools)] == [(calls[1],)]
    every_call_has_a_result(played)
    assert [(id, ok) for id, _, ok in sent(played)[0]] == [("a", False), ("o", True), ("w", False), ("p", False)]
    assert "output tool" in sent(played)[0][0][1]["error"]
    assert played.ended.deferred == ()


def test_function_calls_beside_it_run_where_the_policy_says_so() -> None:
    policy = LoopPolicy("exhaustive", beside_output="run")
    played = play([Answer(turn("", look("a"), call("o", "done")))], {"o": RESULT}, policy=policy)
    assert [effect.call.id for effect in played.of(RunTool)] == ["o", "a"]
    assert [id for id, _, _ in sent(played)[0]] == ["a", "o"]
    assert played.ended.output == {"answer": 42}


def test_a_failed_output_call_does_not_end_the_run() -> None:
    answers = [Answer(turn("", call("o", "done"), look("a"))), Answer(turn("", call("p", "done")))]
    played = play(answers, {"o": FAILED, "p": RESULT})
    assert [done[0] for done in sent(played)[0]] == ["o", "a"]
    assert played.ended.tool_retries == {"done": 1}
    assert played.ended.output == {"answer": 42}


def test_a_skipped_call_that_was_announced_is_ended() -> None:
    played = play([streamed("", create("c"), call("o", "done"))], {"o": RESULT})
    assert [(event.id, event.ok) for event in played.told(ToolResult)] == [("o", True), ("c", False)]


class _Unanswered(TurnCalls):
    def skip(self, reason: str) -> Any:
        yield from ()


def test_a_skipped_call_without_a_result_is_seen() -> None:
    played = play_flow(broken(_Unanswered).flow(), [Answer(turn("", look("a"), call("o", "done")))], {"o": RESULT})
    with pytest.raises(AssertionError):
        every_call_has_a_result(played)


# --- calls that wait ---------------------------------------------------------------------------------------

BOTH = turn("Asking.", look("a"), call("w", "weather"), look("b"), call("u", "ask_boss"))


def deferred(resolutions: dict[str, Resolution], policy: LoopPolicy = PYDANTIC_AI) -> tuple[Played, Played]:
    """A run that waits for two calls, before and after ``resolutions``."""
    built = engine(policy)
    before = play_flow(built.flow(), [Answer(BOTH)])
    return before, play_flow(built.resume(resolutions), [DONE])


def test_function_calls_run_and_the_others_wait() -> None:
    before, _ = deferred({})
    assert before.ended.outcome == "deferred"
    assert before.ended.deferred == (
        DeferredCall(call("w", "weather"), "external"),
        DeferredCall(call("u", "ask_boss"), "unapproved"),
    )
    assert [event.id for event in before.told(ToolStart)] == ["a", "b", "w", "u"]
    assert [event.id for event in before.told(ToolResult)] == ["a", "b"]
    assert before.of(Append) == []
    assert before.told()[-1] == Final("", "deferred", "Asking.")


@pytest.mark.parametrize("policy", [PYDANTIC_AI, SCREENSHOT_TO_CODE], ids=lambda policy: policy.name)
def test_results_go_back_in_call_order_though_some_came_later(policy: LoopPolicy) -> None:
    _, after = deferred({"u": Approved(), "w": Supplied({"celsius": 21})}, policy)
    assert sent(after) == [
        [("a", "ok", True), ("w", {"celsius": 21}, True), ("b", "ok", True), ("u", "ok", True)],
    ]
    assert after.told(ToolStart) == []
    assert sorted(event.id for event in after.told(ToolResult)) == ["u", "w"]
    assert ended(after) == ("completed", "Done.", 2, 2)


def test_what_is_denied_does_not_run_and_the_model_is_told_why() -> None:
    _, after = deferred({"u": Denied("Not today."), "w": Denied()})
    assert after.of(RunTools) == []
    results = {id: (result, ok) for id, result, ok in sent(after)[0]}
    assert results["u"] == ("Not today.", False)
    assert results["w"] == ("The tool call was denied.", False)


def nothing_ran_unasked(played: Played) -> None:
    ran = [each.name for effect in played.of(RunTools) for each in effect.calls]
    assert not set(ran) & {"weather", "ask_boss"}


def test_nothing_runs_before_it_is_approved() -> None:
    nothing_ran_unasked(deferred({})[0])


def test_a_loop_that_takes_every_tool_for_a_function_is_seen() -> None:
    with pytest.raises(AssertionError):
        nothing_ran_unasked(play_flow(Engine(StubTools(), PYDANTIC_AI).flow(), [Answer(BOTH), DONE]))


def test_nobody_is_asked_about_a_call_that_cannot_be_run_as_it_is_written() -> None:
    wrong = turn("", call("u", "ask_boss", "?"), look("a"), call("w", "weather", "?"))
    played = play([Answer(wrong), DONE], {"u": FAILED, "w": FAILED})
    assert ended(played) == ("completed", "Done.", 2, 2)
    assert [(id, ok) for id, _, ok in sent(played)[0]] == [("u", False), ("a", True), ("w", False)]
    assert played.ended.tool_retries == {"ask_boss": 1, "weather": 1}


def test_beside_one_that_can_the_other_waits() -> None:
    built = engine()
    wrong = turn("", call("v", "ask_boss", "?"), call("u", "ask_boss"))
    before = play_flow(built.flow(), [Answer(wrong)], {"v": FAILED})
    assert [each.call.id for each in before.ended.deferred] == ["u"]
    after = play_flow(built.resume({"u": Approved()}), [DONE])
    assert [(id, ok) for id, _, ok in sent(after)[0]] == [("v", False), ("u", True)]


def test_results_in_the_order_of_their_coming_are_seen() -> None:
    built = broken(_CompletionOrder)
    play_flow(built.flow(), [Answer(BOTH)])
    with pytest.raises(AssertionError):
        in_call_order(play_flow(built.resume({"u": Approved(), "w": Supplied(1)}), [DONE]))


def test_some_may_wait_on() -> None:
    built = engine()
    play_flow(built.flow(), [Answer(BOTH)])
    first = play_flow(built.resume({"u": Approved()}))
    assert first.ended.outcome == "deferred"
    assert [each.call.id for each in first.ended.deferred] == ["w"]
    assert first.of(Append) == []
    second = play_flow(built.resume({"w": Supplied("sun")}), [DONE])
    assert [id for id, _, _ in sent(second)[0]] == ["a", "w", "b", "u"]


@pytest.mark.parametrize(
    ("resolutions", "problem"),
    [
        ({"x": Approved()}, "no call 'x' waits; waiting: w, u"),
        ({"a": Approved()}, "no call 'a' waits"),
        ({"u": Supplied(1)}, "'u' waits for approval"),
        ({"w": Approved()}, "'w' is not run here"),
    ],
)
def test_a_resolution_that_does_not_fit_is_refused_and_changes_nothing(
    resolutions: dict[str, Resolution], problem: str
) -> None:
    built = engine()
    play_flow(built.flow(), [Answer(BOTH)])
    with pytest.raises(BadInput, match=problem):
        play_flow(built.resume({"u": Approved(), **resolutions}))
    after = play_flow(built.resume({"u": Approved(), "w": Supplied(1)}), [DONE])
    assert len(sent(after)[0]) == 4


def test_a_run_that_is_not_deferred_cannot_be_resumed() -> None:
    built = engine()
    with pytest.raises(BadInput, match="not deferred"):
        play_flow(built.resume({}))
    play_flow(built.flow(), [DONE])
    with pytest.raises(BadInput, match="not deferred"):
        play_flow(built.resume({}))


def test_an_approved_call_that_fails_has_the_bound_of_its_tool() -> None:
    built = engine()
    asked = [Answer(turn("", call("u", "ask_boss"))), Answer(turn("", call("v", "ask_boss")))]
    play_flow(built.flow(), asked[:1])
    again = play_flow(built.resume({"u": Approved()}), asked[1:], {"u": FAILED})
    assert again.ended.tool_retries == {"ask_boss": 1}
    bounded(play_flow(built.resume({"v": Approved()}), [], {"v": FAILED}))


def test_turns_are_counted_through() -> None:
    built = engine(PYDANTIC_AI.with_limit(1))
    play_flow(built.flow(), [Answer(BOTH)])
    after = play_flow(built.resume({"u": Approved(), "w": Supplied(1)}))
    assert after.told()[-1].kind == "turn-limit"
    assert len(sent(after)[0]) == 4


def test_a_turn_that_was_cut_short_defers_nothing() -> None:
    cut = turn("", call("u", "ask_boss"), stop=FinishReason.MAX_TOKENS)
    assert play([Answer(cut)]).ended.outcome == "truncated"


# --- beside the results, and what is left behind -----------------------------------------------------------


def test_what_tools_say_beside_their_results_goes_along_in_call_order() -> None:
    outcomes = {"a": ToolOutcome(10, 10, extra="It costs 10."), "b": ToolOutcome(5, 5)}
    played = play([Answer(turn("", look("a"), look("b"))), DONE], outcomes, backwards)
    (append,) = played.of(Append)
    assert [done.extra for done in append.call_results] == ["It costs 10.", ""]


def test_the_history_is_request_response_request_response() -> None:
    outcomes = {"a": ToolOutcome(10, 10, extra="Extra."), "b": ToolOutcome(5, 5)}
    first, last = turn("", look("a"), look("b")), turn("Price: 10")
    played = play([Answer(first), Answer(last)], outcomes, backwards)
    assert played.ended.history == (
        RequestStep(texts=(("user", "Go."),)),
        ResponseStep(first),
        RequestStep(
            results=(CallResult(look("a"), 10, True, "Extra."), CallResult(look("b"), 5, True, "")),
            texts=(("user", "Extra."),),
        ),
        ResponseStep(last),
    )
    assert played.ended.usage == Usage(input=128, output=64)


def test_a_history_without_its_results_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.loop.progress.Progress.answered", lambda self, call_results: None)
    with pytest.raises(AssertionError):
        test_the_history_is_request_response_request_response()


def test_a_paused_turn_is_followed_by_an_empty_request() -> None:
    played = play([Answer(turn("...", stop=FinishReason.PAUSE)), DONE])
    assert played.ended.history[2] == RequestStep()


def test_results_that_the_model_was_not_sent_end_the_history() -> None:
    played = play([Answer(turn("", call("o", "done")))], {"o": RESULT})
    assert [type(step) for step in played.ended.history] == [RequestStep, ResponseStep, RequestStep]
