"""The agent with its driver and real tools, on a session that has no provider."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import anyio.lowlevel
import pytest

from harness.loop import (
    Agent,
    AgentError,
    AgentResult,
    FileState,
    HttpFailed,
    StreamFailed,
    ToolCall,
    ToolRuntime,
    TurnLimitExceeded,
)
from harness.trace import Event, Failure, Final, SetCode, Thinking, ToolResult, ToolStart, TurnStart
from tests.loop.fake_session import Answer, FakeSession, streamed, turn

PAGE = "<html><body>" + "<p>Open — “daily” 😀</p>\n" * 20 + "</body></html>"
EDITED = PAGE.replace("daily", "today")

CREATE = ToolCall("c1", "create_file", json.dumps({"path": "index.html", "content": PAGE}))
EDIT = ToolCall(
    "c2",
    "edit_file",
    json.dumps({"path": "index.html", "edits": [{"old_text": "daily", "new_text": "today", "count": -1}]}),
)


class Stage:
    """A run with everything around it: what was told, what was waited for, and in which order."""

    def __init__(self, answers: Sequence[Answer], file: FileState | None = None) -> None:
        self.session = FakeSession(answers)
        self.log = self.session.log
        self.tools = ToolRuntime(file=file)
        self.agent = Agent(
            open_session=self.session.open,
            send_message=self._tell,
            tools=self.tools,
            base_url="http://model.test/case/1",
            sleep=self._sleep,
        )

    async def _tell(self, event: Event) -> None:
        self.log.append(event)

    async def _sleep(self, seconds: float) -> None:
        self.log.append(seconds)

    async def run(self) -> AgentResult:
        return await self.agent.run("model-1", [("system", "You build pages."), ("user", "A bakery.")])

    def told(self, *kinds: type) -> list[Any]:
        return [event for event in self.log if isinstance(event, kinds)]


@pytest.mark.anyio
async def test_create_then_edit_then_done() -> None:
    stage = Stage([streamed("A page.", CREATE, thinking="Bread."), streamed("", EDIT), streamed("Done.")])
    result = await stage.run()
    assert (result.outcome, result.code, result.text) == ("completed", EDITED, "Done.")
    assert (result.turns, result.requests) == (3, 3)
    words: list[str] = []
    for entry in stage.log:
        word = entry if isinstance(entry, str) else type(entry).__name__
        if not words or words[-1] != word:
            words.append(word)
    assert words == [
        *["TurnStart", "request 1", "Thinking", "Assistant", "ToolStart", "SetCode", "ToolResult", "append"],
        *["TurnStart", "request 2", "ToolStart", "SetCode", "ToolResult", "append"],
        *["TurnStart", "request 3", "Assistant", "Final"],
    ]
    previews = [event.code for event in stage.told(SetCode) if event.preview]
    assert all(PAGE.startswith(code) for code in previews)
    assert previews[-1] == PAGE
    assert [event.code for event in stage.told(SetCode) if not event.preview] == [PAGE, EDITED]
    assert stage.told(Final) == [Final(EDITED, "completed", "Done.")]


@pytest.mark.anyio
async def test_results_go_back_as_the_tools_gave_them() -> None:
    stage = Stage([Answer(turn("", CREATE, ToolCall("c2", "nope", "{}"))), streamed("Done.")])
    await stage.run()
    ((sent, call_results),) = stage.session.appended
    assert sent == turn("", CREATE, ToolCall("c2", "nope", "{}"))
    assert [(done.call.id, done.ok, done.result) for done in call_results] == [
        (
            "c1",
            True,
            {
                "content": "Successfully created file at index.html.",
                "details": {"path": "index.html", "contentLength": len(PAGE)},
            },
        ),
        ("c2", False, {"error": "Unknown tool: nope"}),
    ]


@pytest.mark.anyio
async def test_the_session_is_opened_with_what_the_agent_was_given_and_closed_once() -> None:
    stage = Stage([streamed("Done.")])
    await stage.run()
    config = stage.session.config
    assert config is not None
    assert (config.model, config.base_url, config.api_key, config.stream) == (
        "model-1",
        "http://model.test/case/1",
        "harness",
        True,
    )
    assert list(config.prompt) == [("system", "You build pages."), ("user", "A bakery.")]
    assert config.tools == stage.tools.declarations
    assert stage.session.closed == 1


@pytest.mark.anyio
async def test_a_retry_waits_through_the_injected_sleep() -> None:
    stage = Stage([Answer(failure=HttpFailed("slow down", 429, 7.0)), streamed("Done.", size=99)])
    await stage.run()
    assert [entry if isinstance(entry, str | float) else type(entry).__name__ for entry in stage.log] == [
        *["TurnStart", "request 1", 7.0, "request 2"],
        *["Assistant", "Final"],
    ]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("failure", "kind"), [(HttpFailed("no", 400), "http"), (StreamFailed("cut"), "stream")], ids=["http", "stream"]
)
async def test_a_failure_is_told_and_raised_and_the_session_closed(failure: Exception, kind: str) -> None:
    stage = Stage([Answer(failure=failure)])
    with pytest.raises(AgentError, match=str(failure)) as caught:
        await stage.run()
    assert caught.value.__cause__ is failure
    assert stage.log == [TurnStart(1), "request 1", Failure(kind, str(failure))]
    assert stage.session.closed == 1


@pytest.mark.anyio
async def test_what_the_limit_turn_built_is_told_before_the_failure() -> None:
    calls = [ToolCall(f"c{n}", "edit_file", '{"old_text": "a", "new_text": "aa"}') for n in range(25)]
    stage = Stage([Answer(turn("", call)) for call in calls], FileState("index.html", "a"))
    with pytest.raises(TurnLimitExceeded):
        await stage.run()
    assert stage.session.requests == 20
    assert stage.tools.code == "a" * 21
    assert [type(event).__name__ for event in stage.told(ToolStart, SetCode, ToolResult, Failure)][-4:] == [
        *["ToolStart", "SetCode", "ToolResult"],
        "Failure",
    ]


@pytest.mark.anyio
async def test_a_crash_of_the_session_is_not_taken_for_a_failure_of_the_model() -> None:
    stage = Stage([Answer(failure=ZeroDivisionError("bug"))])
    with pytest.raises(ZeroDivisionError):
        await stage.run()
    assert stage.told(Failure) == []
    assert stage.session.closed == 1


@pytest.mark.anyio
async def test_each_event_is_taken_before_the_next_is_told() -> None:
    """A slow user's side holds the loop back; nothing overtakes."""
    busy, overlaps = False, 0

    async def slow(event: Event) -> None:
        nonlocal busy, overlaps
        overlaps += busy
        busy = True
        await anyio.lowlevel.checkpoint()
        busy = False

    stage = Stage([streamed("Hello there.", CREATE), streamed("Done.")])
    agent = Agent(open_session=stage.session.open, send_message=slow, tools=stage.tools, base_url="http://model.test")
    await agent.run("m", [])
    assert overlaps == 0


@pytest.mark.anyio
async def test_a_file_to_start_from_is_the_code() -> None:
    stage = Stage([streamed("<html>NEW</html>")], FileState("index.html", PAGE))
    assert (await stage.run()).code == PAGE
    assert stage.told(Thinking) == []
