"""A caller acts on what is to be seen: a moment within an answer waits until the loop has shown what has arrived."""

from __future__ import annotations

import asyncio
import threading

import pytest

from harness.runner.showing import Showing
from harness.trace import Assistant, Thinking, ToolStart
from harness.wire import Call, FinishReason, Reply, Text, ThinkingPart, Turn

pytestmark = pytest.mark.anyio

TURN = Turn((ThinkingPart("Hm."), Text("Bread"), Call("look", "{}", "c")), FinishReason.TOOL_CALLS)
ANSWER = Reply("openai-chat", "chatcmpl-1", "gpt-5.2", (), TURN)


def arrived() -> Reply:
    return ANSWER


def cut() -> Reply:
    raise ValueError("half an event")


async def test_what_is_shown_need_not_be_waited_for() -> None:
    showing = Showing()
    for event in (Thinking("Hm.", "1"), Assistant("Br", "2"), Assistant("ead", "2")):
        assert showing.whole(arrived) is not None
        showing.emitted(event)
    assert showing.whole(arrived) is None
    showing.begin()
    assert showing.whole(arrived) is not None, "that was another answer"


async def test_the_last_piece_ends_the_wait_from_whatever_thread_it_comes() -> None:
    showing = Showing()
    waits = showing.whole(arrived)
    assert waits is not None
    waiting = asyncio.ensure_future(_done(waits))
    for event in (Assistant("Bread", "2"), ToolStart("c", "look", {})):
        showing.emitted(event)
    await asyncio.sleep(0)
    assert not waiting.done(), "the thought is not shown yet"
    thread = threading.Thread(target=showing.emitted, args=(Thinking("Hm.", "1"),))
    thread.start()
    assert await waiting is False
    thread.join()


async def _done(waits: object) -> bool:
    return await waits  # type: ignore[misc, no-any-return]


@pytest.mark.parametrize(("emits", "shows"), [({"assistant"}, "Bread"), ({"thinking"}, "Hm."), ({"final"}, "")])
async def test_only_what_the_loop_shows_is_waited_for(emits: set[str], shows: str) -> None:
    showing = Showing(emits)
    if shows:
        assert showing.whole(arrived) is not None
        showing.emitted(Assistant(shows, "1"))
    assert showing.whole(arrived) is None


async def test_an_answer_that_cannot_be_read_yet_has_shown_nothing() -> None:
    assert Showing().whole(cut) is None


async def test_a_loop_that_shows_nothing_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.runner.showing._PATIENCE", 0.0)
    showing = Showing()
    waits = showing.whole(arrived)
    assert waits is not None
    assert await waits is False
    assert showing.whole(arrived) is None
