"""Turn by turn: what a caller may do to the history, and what is sent next. The table of docs/policies.md."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from harness.errors import BadInput
from harness.loop import (
    HUGIND,
    PYDANTIC_AI,
    TOOL_RUNNER,
    ProviderTurn,
    RequestStep,
    ResponseStep,
    Runner,
    ToolOutcome,
    ToolRetriesExceeded,
    TurnLimitExceeded,
)
from harness.loop.live import LiveTurn
from harness.trace import Event, Failure, Final, ToolResult, ToolStart
from harness.wire import FinishReason, ToolDeclaration
from tests.loop.fake_session import Answer, FakeSession, streamed, turn
from tests.loop.test_engine import create, look
from tests.loop.test_run import ScriptedTools

pytestmark = pytest.mark.anyio

PROMPT = {"user": "Go."}
CALLS = turn("Look.", look("a"), look("b"))
TURN = {"assistant": "Look.", "calls": ["a", "b"]}
RESULTS = {"results": {"a": "result a", "b": "result b"}}
NOTE = {"user": "Hurry."}
DONE = Answer(turn("Done."))

Body = Callable[["Stage", ProviderTurn], Awaitable[None]]


class Stage:
    """A runner on a session without a provider, and what came of it."""

    def __init__(self, *answers: Answer, tools: ScriptedTools | None = None, **options: Any) -> None:
        self.session = FakeSession(answers or (Answer(CALLS), DONE), history=[dict(PROMPT)])
        self.tools = tools or ScriptedTools()
        self.events: list[Event] = []
        self.runner = Runner(self.session, self.tools, self.tell, **options)

    async def tell(self, event: Event) -> None:
        self.events.append(event)

    async def run(self, *bodies: Body) -> Stage:
        """Let the first body have the first turn, and so on; later turns are left alone."""
        left = list(bodies)
        async for each in self.runner:
            if left:
                await left.pop(0)(self, each)
        return self

    @property
    def next_request(self) -> list[Any]:
        """What was sent after the first turn, behind the prompt."""
        assert self.session.sent[1][0] == PROMPT
        return self.session.sent[1][1:]

    @property
    def outcome(self) -> str:
        assert self.runner.result is not None
        return self.runner.result.outcome

    def told(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


# --- what a caller does while it has a turn that calls tools -----------------------------------------------


async def nothing(stage: Stage, turn: ProviderTurn) -> None:
    pass


async def generates_twice(stage: Stage, turn: ProviderTurn) -> None:
    first = await stage.runner.generate_tool_response()
    assert first is not None
    assert await stage.runner.generate_tool_response() is first
    assert first.messages == [RESULTS]
    assert stage.runner.messages == [PROMPT]


async def generates(stage: Stage, turn: ProviderTurn) -> None:
    await stage.runner.generate_tool_response()


async def edits_the_response(stage: Stage, turn: ProviderTurn) -> None:
    response = await stage.runner.generate_tool_response()
    assert response is not None
    response.messages[0]["results"]["b"] = "edited"


async def pushes_a_note(stage: Stage, turn: ProviderTurn) -> None:
    stage.runner.push_messages(("user", "Hurry."))


async def pushes_a_native_note(stage: Stage, turn: ProviderTurn) -> None:
    stage.runner.push_messages(NOTE)


async def pushes_the_turn(stage: Stage, turn: ProviderTurn) -> None:
    stage.runner.push_messages(turn)


async def pushes_the_native_turn(stage: Stage, turn: ProviderTurn) -> None:
    stage.runner.push_messages(dict(TURN))


async def pushes_an_edited_turn(stage: Stage, turn: ProviderTurn) -> None:
    stage.runner.push_messages(replace(turn, assistant_turn={"text": "Shorter."}))


async def pushes_turn_and_note(stage: Stage, turn: ProviderTurn) -> None:
    stage.runner.push_messages(turn, ("user", "Hurry."))


async def pushes_note_then_turn(stage: Stage, turn: ProviderTurn) -> None:
    stage.runner.push_messages(("user", "Hurry."))
    stage.runner.push_messages(turn)


async def pushes_turn_and_response(stage: Stage, turn: ProviderTurn) -> None:
    response = await stage.runner.generate_tool_response()
    assert response is not None
    stage.runner.push_messages(turn, response)


async def pushes_them_apart_and_a_note(stage: Stage, turn: ProviderTurn) -> None:
    stage.runner.push_messages(turn)
    response = await stage.runner.generate_tool_response()
    assert response is not None
    stage.runner.push_messages(*response.messages)
    stage.runner.push_messages(("user", "Hurry."))


async def sets_a_parameter(stage: Stage, turn: ProviderTurn) -> None:
    stage.runner.set_params(max_tokens=9)


async def replaces_the_history(stage: Stage, turn: ProviderTurn) -> None:
    stage.runner.set_params(messages=[PROMPT, NOTE])


async def replaces_it_with_the_turn_in_it(stage: Stage, turn: ProviderTurn) -> None:
    stage.runner.set_params(messages=[*stage.runner.messages, turn, ("user", "Hurry.")], max_tokens=9)


async def edits_the_copy(stage: Stage, turn: ProviderTurn) -> None:
    stage.runner.messages.append(NOTE)


EDITED = {"results": {"a": "result a", "b": "edited"}}
SHORTER = {"assistant": "Shorter.", "calls": ["a", "b"]}


@pytest.mark.parametrize(
    ("body", "sent", "runs"),
    [
        (nothing, [TURN, RESULTS], 2),
        (generates_twice, [TURN, RESULTS], 2),
        (edits_the_response, [TURN, EDITED], 2),
        (pushes_a_note, [NOTE], 0),
        (pushes_a_native_note, [NOTE], 0),
        (pushes_the_turn, [TURN, RESULTS], 2),
        (pushes_the_native_turn, [TURN, RESULTS], 2),
        (pushes_an_edited_turn, [SHORTER, RESULTS], 2),
        (pushes_turn_and_note, [TURN, RESULTS, NOTE], 2),
        (pushes_note_then_turn, [NOTE, TURN, RESULTS], 2),
        (pushes_turn_and_response, [TURN, RESULTS], 2),
        (pushes_them_apart_and_a_note, [TURN, RESULTS, NOTE], 2),
        (sets_a_parameter, [], 0),
        (replaces_the_history, [NOTE], 0),
        (replaces_it_with_the_turn_in_it, [TURN, RESULTS, NOTE], 2),
        (edits_the_copy, [TURN, RESULTS], 2),
    ],
    ids=lambda value: value.__name__ if callable(value) else None,
)
async def test_what_is_sent_next(body: Body, sent: list[Any], runs: int) -> None:
    stage = await Stage().run(body)
    assert stage.next_request == sent
    assert len(stage.tools.ran) == runs
    assert stage.outcome == "completed"
    assert stage.told(Final) == [Final("", "completed", "Done.")]


async def test_parameters_reach_the_session() -> None:
    stage = await Stage().run(sets_a_parameter)
    assert stage.session.params == {"max_tokens": 9}


async def test_the_response_without_the_turn_is_refused_and_nothing_changes() -> None:
    async def body(stage: Stage, turn: ProviderTurn) -> None:
        response = await stage.runner.generate_tool_response()
        assert response is not None
        with pytest.raises(BadInput, match="right behind the turn"):
            stage.runner.push_messages(response)
        with pytest.raises(BadInput, match="right behind the turn"):
            stage.runner.push_messages(turn, ("user", "Hurry."), response)

    stage = await Stage().run(body)
    assert stage.next_request == [TURN, RESULTS]
    assert len(stage.tools.ran) == 2


@pytest.mark.parametrize("message", [None, "Hurry.", ("user",), ("user", None), turn("x").stop])
async def test_what_is_no_message_is_refused_and_nothing_changes(message: Any) -> None:
    async def body(stage: Stage, turn: ProviderTurn) -> None:
        with pytest.raises(BadInput, match="is no message"):
            stage.runner.push_messages(("user", "Hurry."), message)

    assert (await Stage().run(body)).next_request == [TURN, RESULTS]


async def test_a_caller_that_leaves_the_loop_ends_the_run() -> None:
    stage = Stage()
    async with stage.runner as runner:
        turns = aiter(runner)
        assert await anext(turns) == CALLS
        await turns.aclose()  # type: ignore[attr-defined]
    assert (stage.session.requests, stage.session.closed, runner.result) == (1, 1, None)
    assert stage.told(Final) == []


async def test_each_tool_runs_once_though_the_response_is_asked_for_at_the_same_time() -> None:
    async def slow() -> ToolOutcome:
        await asyncio.sleep(0)
        return ToolOutcome("result a", "s")

    async def body(stage: Stage, turn: ProviderTurn) -> None:
        one, other = await asyncio.gather(*(stage.runner.generate_tool_response() for _ in range(2)))
        assert one is other

    stage = await Stage(tools=ScriptedTools(does={"a": slow})).run(body)
    assert stage.tools.ran == ["a", "b"]


async def test_there_is_no_response_to_a_turn_that_calls_nothing_or_to_none() -> None:
    async def body(stage: Stage, turn: ProviderTurn) -> None:
        assert await stage.runner.generate_tool_response() is None

    stage = Stage(DONE)
    with pytest.raises(BadInput, match="no turn to answer"):
        await stage.runner.generate_tool_response()
    await stage.run(body)
    assert stage.outcome == "completed"


async def test_an_answered_turn_is_history_when_the_next_one_comes() -> None:
    """What was pushed for one turn says nothing about the next, even where both read the same."""
    stage = Stage(Answer(CALLS), Answer(CALLS), DONE)
    await stage.run(pushes_turn_and_response)
    assert stage.session.sent[2][1:] == [TURN, RESULTS, TURN, RESULTS]


@pytest.mark.parametrize("before", [nothing, generates, pushes_turn_and_response], ids=lambda body: body.__name__)
async def test_a_turn_that_reads_like_one_before_it_is_another(before: Body) -> None:
    """The history as it was holds the earlier of the two, which has its results, and not the later one."""

    async def body(stage: Stage, turn: ProviderTurn) -> None:
        if before is generates:
            await generates(stage, turn)
        stage.runner.set_params(messages=stage.runner.messages)

    stage = Stage(Answer(CALLS), Answer(CALLS), DONE)
    await stage.run(before, body)
    assert stage.session.sent[2][1:] == [TURN, RESULTS]
    assert len(stage.tools.ran) == (4 if before is generates else 2)


async def test_a_turn_that_reads_like_one_before_it_is_found_where_it_was_put() -> None:
    async def body(stage: Stage, turn: ProviderTurn) -> None:
        stage.runner.set_params(messages=[turn, *stage.runner.messages])

    stage = Stage(Answer(CALLS), Answer(CALLS), DONE)
    await stage.run(nothing, body)
    assert stage.session.sent[2] == [TURN, RESULTS, PROMPT, TURN, RESULTS]
    assert len(stage.tools.ran) == 4


async def test_an_earlier_turn_that_is_pushed_is_not_the_one_at_hand() -> None:
    """The caller goes back to the first turn, whose answers it has, and leaves the second one out: that is not run."""
    earlier: list[Any] = []

    async def keeps(stage: Stage, turn: ProviderTurn) -> None:
        earlier.extend([turn, await stage.runner.generate_tool_response()])

    async def goes_back(stage: Stage, turn: ProviderTurn) -> None:
        stage.runner.set_params(messages=[("user", "Go."), *earlier, ("user", "Hurry.")])

    stage = Stage(Answer(CALLS), Answer(turn("Look there.", look("c"))), DONE)
    await stage.run(keeps, goes_back)
    assert stage.session.sent[2] == [PROMPT, TURN, RESULTS, NOTE]
    assert len(stage.tools.ran) == 2


async def test_a_message_may_be_pushed_before_the_first_turn() -> None:
    stage = Stage(DONE)
    stage.runner.push_messages(("user", "Hurry."))
    await stage.run()
    assert stage.session.sent == [[PROMPT, NOTE]]


# --- the end -----------------------------------------------------------------------------------------------


async def test_a_turn_that_asks_for_no_tool_ends_the_run() -> None:
    stage = await Stage(DONE).run(nothing)
    assert stage.session.requests == 1
    assert stage.outcome == "completed"


@pytest.mark.parametrize(("body", "sent"), [(pushes_a_note, [NOTE]), (sets_a_parameter, [])])
async def test_unless_the_caller_changed_something(body: Body, sent: list[Any]) -> None:
    stage = await Stage(Answer(turn("Half", stop=FinishReason.MAX_TOKENS)), DONE).run(body)
    assert stage.next_request == sent
    assert stage.outcome == "completed"


async def test_a_paused_turn_goes_back() -> None:
    stage = await Stage(Answer(turn("...", stop=FinishReason.PAUSE)), DONE).run()
    assert stage.next_request == [{"assistant": "...", "calls": []}]


async def test_a_truncated_turn_ends_the_run_and_runs_nothing() -> None:
    stage = await Stage(Answer(turn("", look("a"), stop=FinishReason.MAX_TOKENS))).run()
    assert (stage.outcome, stage.tools.ran) == ("truncated", [])


async def test_the_calls_of_a_truncated_turn_that_is_kept_are_answered_and_not_run() -> None:
    stage = await Stage(Answer(turn("", look("a"), stop=FinishReason.MAX_TOKENS)), DONE).run(pushes_the_turn)
    assert stage.tools.ran == []
    assert "cut off" in stage.next_request[1]["results"]["a"]["error"]


async def test_the_limit_stops_the_run_and_says_so() -> None:
    stage = await Stage(*[Answer(CALLS)] * 9, turn_limit=3).run()
    assert stage.session.requests == 3
    assert len(stage.tools.ran) == 4
    assert stage.told(Final) == [Final("", "turn-limit", "Look.")]


async def test_the_limit_holds_for_callers_that_ask_for_more() -> None:
    stage = await Stage(*[DONE] * 9, turn_limit=2).run(*[pushes_a_note] * 9)
    assert stage.session.requests == 2
    assert stage.outcome == "turn-limit"


async def test_after_the_end_there_is_no_turn_to_answer() -> None:
    stage = await Stage(Answer(CALLS), turn_limit=1).run()
    with pytest.raises(BadInput, match="no turn to answer"):
        await stage.runner.generate_tool_response()
    assert stage.tools.ran == []


async def test_another_policy_ends_as_it_does() -> None:
    stage = Stage(*[Answer(CALLS)] * 9, policy=PYDANTIC_AI, turn_limit=2)
    with pytest.raises(TurnLimitExceeded):
        await stage.run()
    assert stage.told(Failure) == [Failure("turn-limit", "The model did not finish within 2 turns.")]
    stage = await Stage(Answer(CALLS), DONE, policy=HUGIND, turn_limit=1).run()
    assert stage.next_request == [TURN, RESULTS, {"user": HUGIND.answer_now}]
    assert stage.outcome == "turn-limit"


async def test_a_bound_on_retries_holds_for_callers_too() -> None:
    async def fails() -> ToolOutcome:
        return ToolOutcome({"error": "no"}, {"error": "no"}, ok=False, retry=True)

    tools = ScriptedTools(does={"a": fails, "b": fails})
    stage = Stage(*(Answer(turn("", look(id))) for id in "ab"), tools=tools, policy=PYDANTIC_AI)
    with pytest.raises(ToolRetriesExceeded):
        await stage.run(generates, generates)
    assert "retry 1 of 1" in repr(stage.next_request)


async def test_nobody_waits_for_an_announced_call_of_a_turn_that_was_left_out() -> None:
    stage = await Stage(streamed("", create("c")), DONE).run(pushes_a_note)
    assert [event.id for event in stage.told(ToolStart)] == ["c"]
    (result,) = stage.told(ToolResult)
    assert (result.id, result.ok) == ("c", False)
    assert "left the model's turn out" in result.output["error"]


async def test_until_done_changes_nothing() -> None:
    stage = Stage()
    async with stage.runner as runner:
        result = await runner.until_done()
    assert (result.outcome, result.turns) == ("completed", 2)
    assert stage.next_request == [TURN, RESULTS]
    assert stage.session.closed == 1


async def test_what_a_caller_pushed_is_in_the_history() -> None:
    stage = await Stage(prompt=[("user", "Go.")]).run(pushes_turn_and_note)
    assert stage.runner.result is not None
    first, response, second, last = stage.runner.result.history
    assert (first, response, last) == (
        RequestStep(texts=(("user", "Go."),)),
        ResponseStep(CALLS),
        ResponseStep(turn("Done.")),
    )
    assert isinstance(second, RequestStep)
    assert [done.result for done in second.results] == ["result a", "result b"]
    assert second.texts == (("user", "Hurry."),)
    stage = await Stage().run(pushes_a_native_note)
    assert stage.runner.result is not None
    assert stage.runner.result.history[2] == RequestStep(native=(NOTE,))
    stage = await Stage(DONE, turn_limit=1).run(pushes_a_native_note)
    assert stage.runner.result is not None
    assert stage.runner.result.history[2:] == (RequestStep(native=(NOTE,)),)


async def test_tools_that_must_be_resolved_are_refused() -> None:
    tools = ScriptedTools(kinds={"ask_boss": "unapproved"}, declarations=[ToolDeclaration("ask_boss", "", {})])
    with pytest.raises(BadInput, match="ask_boss"):
        Stage(tools=tools)


# --- the checks can fail -----------------------------------------------------------------------------------


class _ForgetsTheCache(Runner):
    async def generate_tool_response(self) -> Any:
        if self._current:
            self._current.response = None
            self._current.calls = self._engine.calls_of(self._current.turn, LiveTurn("1", ScriptedTools(), 40))
        return await super().generate_tool_response()


class _AlwaysAppends(Runner):
    async def _go_on(self, current: Any) -> None:
        current.changed = False
        await super()._go_on(current)


def _broken(kind: type[Runner]) -> Stage:
    stage = Stage()
    stage.runner = kind(stage.session, stage.tools, stage.tell, TOOL_RUNNER)
    return stage


async def test_a_runner_without_a_cache_is_seen() -> None:
    stage = await _broken(_ForgetsTheCache).run(edits_the_response)
    assert stage.next_request != [TURN, EDITED]
    assert len(stage.tools.ran) == 4


@pytest.mark.parametrize(("body", "sent"), [(pushes_a_note, [NOTE]), (pushes_turn_and_response, [TURN, RESULTS])])
async def test_a_runner_that_always_appends_is_seen(body: Body, sent: Sequence[Any]) -> None:
    stage = await _broken(_AlwaysAppends).run(body)
    assert stage.next_request != sent
