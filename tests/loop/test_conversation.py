"""Several runs in one conversation: what is left of one that is cancelled or fails, and what another goes on with.

On a session that has no provider. What is asserted is the history that the next request has.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from harness.loop import (
    Agent,
    AgentConversation,
    AgentError,
    AssistantDelta,
    HttpFailed,
    LoopPolicy,
    ToolCall,
    ToolOutcome,
    ToolRuntime,
    TurnLimitExceeded,
)
from harness.loop.policy import PYDANTIC_AI, SCREENSHOT_TO_CODE, TOOL_RUNNER
from harness.trace import Assistant, Event, Final, ToolResult
from harness.wire import FinishReason
from tests.loop.fake_session import Answer, FakeSession, streamed, turn

pytestmark = pytest.mark.anyio

ONE, TWO, THREE = (ToolCall(f"c{number}", "look", "{}") for number in (1, 2, 3))
PROMPT = [("system", "Be brief."), ("user", "Look.")]


class StoringSession(FakeSession):
    """A session whose history another one can go on with."""

    wire = "openai-chat"

    def stored(self) -> dict[str, Any]:
        return {"history": list(self.history)}

    def restore(self, stored: Any) -> None:
        self.history[:] = stored["history"]


class ActingTools(ToolRuntime):
    """Tools of which each does what ``acts`` says for its call, before it ends."""

    def __init__(self, acts: dict[str, Callable[[], object]]) -> None:
        super().__init__()
        self.acts = acts
        self.ran: list[str] = []
        self.at_once = False

    async def run(self, call: ToolCall) -> ToolOutcome:
        self.ran.append(call.id)
        if act := self.acts.get(call.id):
            act()
        if not self.at_once:
            await asyncio.sleep(0)
        return ToolOutcome(f"saw {call.id}", None, ok=True)


class Stage:
    """A conversation with everything around it."""

    def __init__(self, *answers: Answer, policy: LoopPolicy = SCREENSHOT_TO_CODE) -> None:
        self.session = StoringSession(answers)
        self.events: list[Event] = []
        self.tools = ActingTools({})
        self.agent = Agent(
            open_session=self.session.open,
            send_message=self._tell,
            tools=self.tools,
            base_url="http://model.test/case/1",
            policy=policy,
        )
        self.conversation = self.agent.converse("model-1", PROMPT)
        self.on_event: Callable[[Event], object] = lambda event: None

    async def _tell(self, event: Event) -> None:
        self.events.append(event)
        self.on_event(event)
        await asyncio.sleep(0)

    async def run(self, *messages: str) -> None:
        await self.conversation.run(*messages)

    async def cancelled(self, *messages: str, at: str) -> None:
        """A run that the caller cancels while the tool of the call ``at`` runs."""
        task = asyncio.create_task(self.conversation.run(*messages))
        self.tools.acts[at] = task.cancel
        with pytest.raises(asyncio.CancelledError):
            await task
        del self.tools.acts[at]

    def resumed(self) -> AgentConversation:
        """Another conversation that goes on from what this one stores."""
        state = json.loads(json.dumps(dict(self.conversation.state)))
        self.session.history = []
        self.conversation = self.agent.converse("model-1", state=state)
        return self.conversation

    @property
    def sent(self) -> list[Any]:
        """The history of the last request."""
        return self.session.sent[-1]


def answered(*calls: ToolCall) -> Answer:
    return streamed("", *calls)


async def test_each_call_of_a_cancelled_turn_has_a_result_and_only_what_ended_has_its_own() -> None:
    stage = Stage(answered(ONE, TWO, THREE), streamed("Done."))
    await stage.cancelled(at="c2")
    await stage.run("Go on.")
    results = next(entry["results"] for entry in stage.sent if "results" in entry)
    assert results["c1"] == "saw c1"
    assert [list(results[id]) for id in ("c2", "c3")] == [["error"], ["error"]]
    assert stage.sent[-1] == {"user": "Go on."}
    assert stage.tools.ran == ["c1", "c2"]


async def test_of_calls_side_by_side_what_has_ended_keeps_its_result() -> None:
    """Also where the cancel comes before the loop has looked at it."""
    stage = Stage(answered(ONE, TWO), streamed("Done."), policy=PYDANTIC_AI)
    waits = asyncio.Event()
    run = stage.tools.run

    async def first_only(call: ToolCall) -> ToolOutcome:
        if call.id == "c2":
            await waits.wait()
        return await run(call)

    stage.tools.run = first_only  # type: ignore[method-assign]
    stage.tools.at_once = True
    await stage.cancelled(at="c1")
    await stage.run("Go on.")
    results = next(entry["results"] for entry in stage.sent if "results" in entry)
    assert results["c1"] == "saw c1"
    assert list(results["c2"]) == ["error"]


async def test_what_was_shown_of_a_cancelled_answer_stays() -> None:
    stage = Stage(
        Answer(turn("Bread is old."), (AssistantDelta("Bread "), AssistantDelta("is old."))), streamed("Rye.")
    )
    task = asyncio.create_task(stage.conversation.run())
    stage.on_event = lambda event: task.cancel() if getattr(event, "text", "") == "Bread " else None
    with pytest.raises(asyncio.CancelledError):
        await task
    stage.on_event = lambda event: None
    await stage.run("Only rye.")
    assert stage.sent == [{"assistant": "Bread "}, {"user": "Only rye."}]


@pytest.mark.parametrize("resumed", [False, True])
async def test_what_was_said_before_a_cancel_is_in_front_of_the_next_message(resumed: bool) -> None:
    stage = Stage(answered(ONE, TWO), streamed("Done."))
    stage.tools.acts["c1"] = lambda: stage.conversation.say("Quickly.")
    await stage.cancelled(at="c2")
    if resumed:
        stage.resumed()
    await stage.run("Go on.")
    assert stage.sent[-2:] == [{"user": "Quickly."}, {"user": "Go on."}]


@pytest.mark.parametrize("stop", [FinishReason.MAX_TOKENS, FinishReason.REFUSAL])
async def test_what_was_said_while_the_last_turn_came_is_not_lost(stop: FinishReason) -> None:
    stage = Stage(streamed("I cannot", stop=stop), streamed("Done."))
    said = iter(["Quickly."])
    stage.on_event = lambda event: [*map(stage.conversation.say, said)] if isinstance(event, Assistant) else None
    await stage.run()
    stage.resumed()
    await stage.run("Go on.")
    assert stage.sent == [{"assistant": "I cannot"}, {"user": "Quickly."}, {"user": "Go on."}]


async def test_what_is_said_while_nothing_runs_is_for_the_next_run_and_is_sent_once() -> None:
    stage = Stage(streamed("Yes?"), streamed("Done."), streamed("Good."))
    await stage.run()
    stage.conversation.say("One thing.")
    await stage.run("Two things.")
    await stage.run("Three.")
    said = [entry["user"] for entry in stage.sent if "user" in entry]
    assert said == ["One thing.", "Two things.", "Three."]


async def test_a_failed_run_leaves_the_results_that_the_model_was_to_get() -> None:
    stage = Stage(answered(ONE), Answer(failure=HttpFailed("no", 400)), streamed("Done."))
    with pytest.raises(AgentError):
        await stage.run()
    await stage.run("Again.")
    assert stage.sent[-2:] == [{"results": {"c1": "saw c1"}}, {"user": "Again."}]
    assert stage.tools.ran == ["c1"]


async def test_calls_that_the_turn_limit_leaves_open_have_a_result() -> None:
    stage = Stage(answered(ONE), answered(TWO), streamed("Done."), policy=TOOL_RUNNER.with_limit(1))
    await stage.run()
    await stage.run("Go on.")
    results = next(entry["results"] for entry in stage.sent if "results" in entry)
    assert list(results) == ["c1"]
    assert "error" in results["c1"]
    assert stage.tools.ran == []


async def test_the_text_of_a_turn_that_is_in_the_history_is_not_there_twice() -> None:
    """The run fails behind a turn with text and a call, at its limit."""
    stage = Stage(streamed("Let me.", ONE), streamed("Done."), policy=SCREENSHOT_TO_CODE.with_limit(1))
    with pytest.raises(TurnLimitExceeded):
        await stage.run()
    await stage.run("Go on.")
    assert [entry for entry in stage.sent if "assistant" in entry] == [{"assistant": "Let me.", "calls": ["c1"]}]


async def test_an_answer_that_is_whole_stays_so_when_the_run_is_cancelled_at_its_end() -> None:
    stage = Stage(streamed("Done."), streamed("Good."))
    task = asyncio.create_task(stage.conversation.run())
    stage.on_event = lambda event: task.cancel() if isinstance(event, Final) else None
    with pytest.raises(asyncio.CancelledError):
        await task
    stage.on_event = lambda event: None
    await stage.run("Thanks.")
    assert stage.sent == [{"assistant": "Done.", "calls": []}, {"user": "Thanks."}]


async def test_no_call_that_has_begun_for_the_user_is_left_without_an_end() -> None:
    stage = Stage(answered(ONE, TWO), streamed("Done."))
    await stage.cancelled(at="c1")
    ends = [(event.id, event.ok) for event in stage.events if isinstance(event, ToolResult)]
    assert ("c1", False) in ends


async def test_the_state_is_json_that_another_conversation_goes_on_with() -> None:
    stage = Stage(answered(ONE), streamed("Done."), streamed("Again."))
    await stage.run()
    first: Sequence[Any] = list(stage.session.history)
    stage.resumed()
    await stage.run("More.")
    assert stage.sent == [*first, {"user": "More."}]
