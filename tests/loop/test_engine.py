"""The engine alone: a generator that is handed what happened and asked what it wants next. No model, no event loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from harness.loop import (
    SCREENSHOT_TO_CODE,
    HttpFailed,
    ModelFailed,
    ProviderTurn,
    StreamFailed,
    ToolCall,
    ToolOutcome,
    TurnLimitExceeded,
)
from harness.loop.calls import TurnCalls
from harness.loop.effects import Append, Emit, RunTool, StreamTurn, Wait
from harness.loop.engine import Engine
from harness.loop.live import LiveTurn
from harness.trace import Assistant, Failure, Final, SetCode, Thinking, ToolResult, ToolStart, TurnStart
from harness.wire import FinishReason
from tests.loop.fake_session import Answer, streamed, turn
from tests.loop.playing import Outcomes, Played, StubTools, play_flow

PAGE = "<html><body>Bakery</body></html>"


def play(answers: Sequence[Answer], outcomes: Outcomes | None = None, engine: Engine | None = None) -> Played:
    """Run the engine against ``answers``; ``outcomes`` are by call id."""
    return play_flow((engine or Engine(StubTools(), SCREENSHOT_TO_CODE)).flow(), answers, outcomes)


def look(id: str) -> ToolCall:
    return ToolCall(id, "look", "{}")


def create(id: str, content: str = PAGE) -> ToolCall:
    return ToolCall(id, "create_file", f'{{"path": "index.html", "content": "{content}"}}')


def ended(played: Played) -> tuple[str, str, int, int]:
    result = played.ended
    return result.outcome, result.text, result.turns, result.requests


def shapes(played: Played) -> list[str]:
    """The effects in short: ``tell TurnStart``, ``run c1`` ..."""
    names = []
    for effect in played.effects:
        match effect:
            case Emit(event):
                names.append(f"tell {type(event).__name__}")
            case RunTool(call):
                names.append(f"run {call.id}")
            case _:
                names.append(type(effect).__name__)
    return names


# --- the flow ----------------------------------------------------------------------------------------------


def test_a_text_turn_ends_the_run() -> None:
    played = play([streamed("All is well.", size=99)])
    assert shapes(played) == ["tell TurnStart", "StreamTurn", "tell Assistant", "tell Final"]
    assert ended(played) == ("completed", "All is well.", 1, 1)


def test_calls_run_one_after_another_and_their_results_go_back_in_order() -> None:
    outcomes = {"a": ToolOutcome({"n": 1}, "one"), "b": ToolOutcome({"n": 2}, "two", ok=False)}
    played = play([Answer(turn("Look.", look("a"), look("b"))), Answer(turn("Done."))], outcomes)
    assert shapes(played) == [
        "tell TurnStart",
        "StreamTurn",
        "tell ToolStart",
        "run a",
        "tell ToolResult",
        "tell ToolStart",
        "run b",
        "tell ToolResult",
        "Append",
        "tell TurnStart",
        "StreamTurn",
        "tell Final",
    ]
    (append,) = played.of(Append)
    assert [(done.call.id, done.result, done.ok) for done in append.call_results] == [
        ("a", {"n": 1}, True),
        ("b", {"n": 2}, False),
    ]
    assert append.turn == turn("Look.", look("a"), look("b"))
    assert played.told(ToolResult)[1] == ToolResult("b", "look", "two", ok=False)
    assert played.told(ToolStart)[0] == ToolStart("a", "look", "summary of a")


def test_code_is_told_between_start_and_result_only_when_the_tool_changed_it() -> None:
    outcomes = {"a": ToolOutcome("r", "s", code=PAGE), "c": ToolOutcome("r", "s", code="")}
    played = play([Answer(turn("", look("a"), look("b"), look("c"))), Answer(turn("Done."))], outcomes)
    assert played.told(SetCode) == [SetCode(PAGE, "a"), SetCode("", "c")]
    assert [type(event).__name__ for event in played.told(ToolStart, SetCode, ToolResult)] == [
        *["ToolStart", "SetCode", "ToolResult"],
        *["ToolStart", "ToolResult"],
        *["ToolStart", "SetCode", "ToolResult"],
    ]


def test_calls_run_whatever_stop_reason_came_with_them() -> None:
    """Gemini stops with STOP after a call; some Chat servers say ``stop`` too."""
    played = play([Answer(turn("", look("a"), stop=FinishReason.END)), Answer(turn("Done."))])
    assert [effect.call.id for effect in played.of(RunTool)] == ["a"]


def test_pieces_of_one_turn_share_an_id_and_turns_do_not() -> None:
    played = play([streamed("abcdefgh", look("a"), size=2, thinking="hmm"), streamed("ijkl", size=2)])
    ids = [event.id for event in played.told(Assistant, Thinking)]
    assert ids == [*["thinking-1"] * 2, *["assistant-1"] * 4, *["assistant-2"] * 2]


# --- how a turn ends the run -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stop", "outcome"),
    [
        (FinishReason.MAX_TOKENS, "truncated"),
        (FinishReason.REFUSAL, "refused"),
        (FinishReason.CONTENT_FILTER, "refused"),
    ],
)
def test_no_call_of_a_turn_that_was_cut_short_runs(stop: FinishReason, outcome: str) -> None:
    played = play([Answer(turn("Look.", look("a"), look("b"), stop=stop))])
    assert played.of(RunTool) == played.of(Append) == []
    assert played.told(ToolStart, ToolResult) == []
    assert played.told(Final) == [Final("", outcome, "Look.")]
    assert played.result is not None
    assert played.result.outcome == outcome


@pytest.mark.parametrize(
    ("code", "stop", "text", "expected"),
    [
        ("the file", FinishReason.END, PAGE, "the file"),
        ("the file", FinishReason.MAX_TOKENS, PAGE, "the file"),
        ("the file", FinishReason.REFUSAL, "", "the file"),
        ("", FinishReason.END, PAGE, ""),  # a file that was edited to nothing is a file
        (None, FinishReason.END, f"Here:\n```html\n{PAGE}\n```", PAGE),
        (None, FinishReason.MAX_TOKENS, f"{PAGE} and another: <html><body>", PAGE),
        (None, FinishReason.END, "All done.", ""),
        (None, FinishReason.END, "<html><body>Bak", ""),
        (None, FinishReason.MAX_TOKENS, "<html><body>Bak", ""),
        (None, FinishReason.REFUSAL, f"I will not finish {PAGE}", ""),
        (None, FinishReason.CONTENT_FILTER, PAGE, ""),
        (None, FinishReason.END, "", ""),
    ],
)
def test_the_code_is_the_file_or_else_a_whole_page_of_the_text(
    code: str | None, stop: FinishReason, text: str, expected: str
) -> None:
    played = play([Answer(turn(text, stop=stop))], engine=Engine(StubTools(code), SCREENSHOT_TO_CODE))
    (final,) = played.told(Final)
    assert (final.code, final.text) == (expected, text)


def test_a_refusal_in_a_part_of_its_own_is_a_refusal_though_the_stop_reason_does_not_say_so() -> None:
    played = play([Answer(turn("", refusal="I cannot help with that."))])
    assert played.told(Final) == [Final("", "refused", "I cannot help with that.")]


def test_a_call_beside_a_refusal_does_not_run() -> None:
    played = play([Answer(turn("", look("a"), refusal="I cannot help with that."))])
    assert played.of(RunTool) == []
    assert played.told(Final) == [Final("", "refused", "I cannot help with that.")]


def test_a_paused_turn_goes_back_without_results_and_counts() -> None:
    played = play([Answer(turn("Searching", stop=FinishReason.PAUSE)), Answer(turn("Found."))])
    assert [(append.turn.assistant_text, append.call_results) for append in played.of(Append)] == [("Searching", ())]
    assert played.told(TurnStart) == [TurnStart(1), TurnStart(2)]
    assert played.told(Final) == [Final("", "completed", "Found.")]


def test_the_calls_of_a_paused_turn_are_answered() -> None:
    played = play([Answer(turn("", look("a"), stop=FinishReason.PAUSE)), Answer(turn("Done."))])
    assert [len(append.call_results) for append in played.of(Append)] == [1]


# --- the guardrail -----------------------------------------------------------------------------------------


def test_exactly_20_requests_then_the_limit() -> None:
    played = play([Answer(turn("", look(f"c{n}"))) for n in range(25)])
    assert isinstance(played.error, TurnLimitExceeded)
    assert len(played.of(StreamTurn)) == 20
    assert [event.turn for event in played.told(TurnStart)] == list(range(1, 21))
    assert [effect.call.id for effect in played.of(RunTool)][-1] == "c19"
    assert played.told(ToolResult)[-1].id == "c19"
    assert played.told()[-1] == Failure("turn-limit", "The model did not finish within 20 turns.")
    assert str(played.error) == played.told()[-1].message


def test_a_final_text_as_20th_turn_completes() -> None:
    played = play([*(Answer(turn("", look(f"c{n}"))) for n in range(19)), Answer(turn("Done."))])
    assert ended(played) == ("completed", "Done.", 20, 20)


def test_pauses_count_towards_the_limit() -> None:
    played = play([Answer(turn("...", stop=FinishReason.PAUSE)) for _ in range(25)])
    assert isinstance(played.error, TurnLimitExceeded)
    assert len(played.of(StreamTurn)) == 20


def test_the_limit_is_the_policys() -> None:
    engine = Engine(StubTools(), replace(SCREENSHOT_TO_CODE, turn_limit=3))
    assert len(play([Answer(turn("", look(f"c{n}"))) for n in range(9)], engine=engine).of(StreamTurn)) == 3


# --- failures and retries ----------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [None, 408, 409, 429, 500, 502, 503, 529])
def test_a_request_that_may_succeed_later_is_sent_again(status: int | None) -> None:
    failed = Answer(failure=HttpFailed("busy", status))
    played = play([failed, failed, Answer(turn("Done."))])
    assert shapes(played) == [
        *["tell TurnStart", "StreamTurn", "Wait", "StreamTurn", "Wait", "StreamTurn"],
        "tell Final",
    ]
    assert played.of(Wait) == [Wait(0.5), Wait(1.0)]
    assert played.result is not None
    assert (played.result.turns, played.result.requests) == (1, 3)


def test_after_two_retries_the_run_fails() -> None:
    played = play([Answer(failure=HttpFailed("busy", 503))] * 9)
    assert len(played.of(StreamTurn)) == 3
    assert played.told() == [TurnStart(1), Failure("http", "busy")]
    assert isinstance(played.error, ModelFailed)
    assert isinstance(played.error.__cause__, HttpFailed)


def test_each_turn_has_its_own_retries() -> None:
    busy = Answer(failure=HttpFailed("busy", 503))
    answers = [busy, busy, Answer(turn("", look("a"))), busy, busy, Answer(turn("Done."))]
    played = play(answers)
    assert played.of(Wait) == [Wait(0.5), Wait(1.0)] * 2
    assert ended(played) == ("completed", "Done.", 2, 6)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_refused_request_is_not_sent_again(status: int) -> None:
    played = play([Answer(failure=HttpFailed("no", status))] * 3)
    assert shapes(played) == ["tell TurnStart", "StreamTurn", "tell Failure"]
    assert played.told(Failure) == [Failure("http", "no")]
    assert isinstance(played.error, ModelFailed)


@pytest.mark.parametrize(
    ("asked", "waited"),
    [(0.0, 0.0), (3.5, 3.5), (60.0, 60.0), (86_400.0, 60.0), (-1.0, 0.5), (float("nan"), 0.5), (float("inf"), 60.0)],
)
def test_the_providers_wait_is_kept_within_reason(asked: float, waited: float) -> None:
    played = play([Answer(failure=HttpFailed("slow down", 429, asked)), Answer(turn("Done."))])
    assert played.of(Wait) == [Wait(waited)]


def test_waits_double_up_to_8_seconds() -> None:
    engine = Engine(StubTools(), replace(SCREENSHOT_TO_CODE, retries=7))
    played = play([Answer(failure=HttpFailed("busy", 500))] * 8, engine=engine)
    assert [wait.seconds for wait in played.of(Wait)] == [0.5, 1, 2, 4, 8, 8, 8]


def test_a_broken_stream_is_told_and_not_asked_for_again() -> None:
    played = play([Answer(deltas=streamed("Let me").deltas, failure=StreamFailed("cut")), Answer(turn("Done."))])
    assert len(played.of(StreamTurn)) == 1
    assert played.told()[-1] == Failure("stream", "cut")
    assert isinstance(played.error, ModelFailed)


def asking_whole() -> Engine:
    return Engine(StubTools(), replace(SCREENSHOT_TO_CODE, broken_stream="ask-whole"))


def test_a_broken_stream_may_be_asked_for_once_more_without_a_stream() -> None:
    broken = replace(streamed("Let me", create("c"), look("d")), failure=StreamFailed("cut"))
    outcomes = {"e": ToolOutcome("r", "s")}
    played = play([broken, streamed("", look("e")), Answer(turn("Done."))], outcomes, asking_whole())
    assert [ask.whole for ask in played.of(StreamTurn)] == [False, True, False]
    assert [run.call.id for run in played.of(RunTool)] == ["e"], "nothing of the turn that broke is run"
    assert [each.turn.tool_calls for each in played.of(Append)] == [(look("e"),)]
    (unrun, _) = played.told(ToolResult)
    assert (unrun.id, unrun.ok, unrun.output) == ("c", False, {"error": "Not run: cut"})
    assert ended(played) == ("completed", "Done.", 2, 3)


def test_what_comes_after_a_broken_stream_is_a_piece_of_its_own() -> None:
    broken = replace(streamed("Let me", thinking="Hm"), failure=StreamFailed("cut"))
    played = play([broken, streamed("Let me see.", thinking="Hm.")], engine=asking_whole())
    assert {event.id for event in played.told(Assistant)} == {"assistant-1", "assistant-1-again"}
    assert {event.id for event in played.told(Thinking)} == {"thinking-1", "thinking-1-again"}


def test_a_turn_that_breaks_twice_ends_the_run() -> None:
    broken = replace(streamed("Let me"), failure=StreamFailed("cut"))
    played = play([broken, broken, Answer(turn("Done."))], engine=asking_whole())
    assert len(played.of(StreamTurn)) == 2
    assert isinstance(played.error, ModelFailed)


def test_an_answer_without_a_stream_may_be_overloaded_like_any() -> None:
    broken = replace(streamed("Let me"), failure=StreamFailed("cut"))
    played = play([broken, Answer(failure=HttpFailed("busy", 529)), Answer(turn("Done."))], engine=asking_whole())
    assert [ask.whole for ask in played.of(StreamTurn)] == [False, True, True]
    assert ended(played) == ("completed", "Done.", 1, 3)


# --- calls that were told early ----------------------------------------------------------------------------


def test_an_early_start_is_not_repeated() -> None:
    outcomes = {"c": ToolOutcome("r", "s", code=PAGE)}
    played = play([streamed("", create("c")), Answer(turn("Done."))], outcomes)
    assert len(played.told(ToolStart)) == len(played.told(ToolResult)) == 1
    names = shapes(played)
    assert names.index("tell ToolStart") < names.index("run c")
    previews = [event.code for event in played.told(SetCode) if event.preview]
    assert previews[-1] == PAGE
    assert played.told(SetCode)[-1] == SetCode(PAGE, "c", preview=False)


def test_a_call_that_did_not_stream_is_told_when_it_runs() -> None:
    played = play([Answer(turn("", create("c"))), Answer(turn("Done."))])
    assert shapes(played)[2:5] == ["tell ToolStart", "run c", "tell ToolResult"]


@pytest.mark.parametrize(
    ("answer", "end"),
    [
        (streamed("", create("c"), look("d"), stop=FinishReason.MAX_TOKENS), Final("", "truncated", "")),
        (streamed("", create("c"), look("d"), stop=FinishReason.REFUSAL), Final("", "refused", "")),
        (replace(streamed("", create("c"), look("d")), failure=StreamFailed("cut")), Failure("stream", "cut")),
        (replace(streamed("", create("c")), turn=turn("Never mind.")), Final("", "completed", "Never mind.")),
    ],
    ids=["truncated", "refused", "broken", "vanished"],
)
def test_nobody_waits_for_a_call_that_was_announced_and_does_not_run(answer: Answer, end: Final | Failure) -> None:
    played = play([answer])
    assert played.of(RunTool) == []
    assert [event.id for event in played.told(ToolStart)] == ["c"]
    (result,) = played.told(ToolResult)
    assert (result.id, result.name, result.ok) == ("c", "create_file", False)
    assert result.output["error"].startswith("Not run: ")
    assert played.told()[-2:] == [result, end]


def test_a_vanished_call_beside_one_that_runs_is_ended_too() -> None:
    answer = replace(streamed("", create("c")), turn=turn("", look("d")))
    played = play([answer, Answer(turn("Done."))])
    assert [(result.id, result.ok) for result in played.told(ToolResult)] == [("c", False), ("d", True)]


# --- the checks can fail -----------------------------------------------------------------------------------


class _ForgetsEarlyStarts(Engine):
    def calls_of(self, turn: ProviderTurn, live: LiveTurn) -> TurnCalls:
        live.waiting.clear()
        return super().calls_of(turn, live)


def test_a_loop_that_forgets_early_starts_is_seen() -> None:
    engine = _ForgetsEarlyStarts(StubTools(), SCREENSHOT_TO_CODE)
    played = play([streamed("", create("c")), Answer(turn("Done."))], engine=engine)
    assert len(played.told(ToolStart)) == 2


def test_a_loop_with_one_turn_more_is_seen() -> None:
    engine = Engine(StubTools(), replace(SCREENSHOT_TO_CODE, turn_limit=21))
    assert len(play([Answer(turn("", look(f"c{n}"))) for n in range(25)], engine=engine).of(StreamTurn)) == 21
