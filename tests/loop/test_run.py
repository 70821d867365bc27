"""Policies with the driver and an event loop: tools that overlap, crash and finish in any order; runs that wait."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from harness.errors import BadInput
from harness.loop import (
    HUGIND,
    PYDANTIC_AI,
    SCREENSHOT_TO_CODE,
    Agent,
    Approved,
    Denied,
    LoopPolicy,
    Supplied,
    ToolCall,
    ToolOutcome,
    TurnLimitExceeded,
)
from harness.loop.driver import Driver, Ended
from harness.trace import Event, Final, ToolResult, ToolStart
from harness.wire import ToolDeclaration
from tests.loop.fake_session import Answer, FakeSession, turn
from tests.loop.playing import StubTools

pytestmark = pytest.mark.anyio

DONE = Answer(turn("Done."))


@dataclass
class ScriptedTools(StubTools):
    """Tools that do what ``does`` says for a call's id; ``ran`` are the ids in the order in which they began."""

    does: Mapping[str, Callable[[], Awaitable[ToolOutcome]]] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    declarations: Sequence[ToolDeclaration] = ()

    async def run(self, call: ToolCall) -> ToolOutcome:
        self.ran.append(call.id)
        does = self.does.get(call.id)
        return await does() if does else ToolOutcome(f"result {call.id}", "s")


@dataclass
class Stage:
    """An agent on a session without a provider; ``events`` is what its user was told."""

    answers: Sequence[Answer]
    tools: ScriptedTools = field(default_factory=ScriptedTools)
    policy: LoopPolicy = PYDANTIC_AI
    turn_limit: int | None = None
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.session = FakeSession(self.answers)
        self.agent = Agent(
            open_session=self.session.open,
            send_message=self.tell,
            tools=self.tools,
            base_url="http://model.test",
            policy=self.policy,
            turn_limit=self.turn_limit,
        )

    async def tell(self, event: Event) -> None:
        self.events.append(event)

    def ids(self, kind: type) -> list[str]:
        return [event.id for event in self.events if isinstance(event, kind)]  # type: ignore[union-attr, misc]

    @property
    def results(self) -> dict[str, Any]:
        """What went back for the last turn that called, in the order in which it did."""
        return {done.call.id: done.result for done in self.session.appended[-1][1]}


def calls(ids: str) -> Answer:
    return Answer(turn("", *(ToolCall(id, "look", "{}") for id in ids)))


# --- all at once -------------------------------------------------------------------------------------------


def backwards() -> ScriptedTools:
    """Each tool waits for the next one, so that they end backwards; one by one they would never end."""
    ended = {id: asyncio.Event() for id in "abc"}

    def after(id: str, other: str) -> Callable[[], Awaitable[ToolOutcome]]:
        async def run() -> ToolOutcome:
            if other:
                await ended[other].wait()
            ended[id].set()
            return ToolOutcome(f"result {id}", "s")

        return run

    return ScriptedTools(does={id: after(id, other) for id, other in [("a", "b"), ("b", "c"), ("c", "")]})


async def test_tools_overlap_and_results_are_told_as_they_come() -> None:
    stage = Stage([calls("abc"), DONE], backwards())
    async with asyncio.timeout(10):
        await stage.agent.run("m", [])
    assert stage.tools.ran == ["a", "b", "c"]
    assert stage.ids(ToolStart) == ["a", "b", "c"]
    assert stage.ids(ToolResult) == ["c", "b", "a"]
    assert list(stage.results.items()) == [("a", "result a"), ("b", "result b"), ("c", "result c")]


async def test_one_by_one_they_never_end() -> None:
    stage = Stage([calls("abc"), DONE], backwards(), SCREENSHOT_TO_CODE)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await stage.agent.run("m", [])
    assert stage.tools.ran == ["a"]


async def crash() -> ToolOutcome:
    raise ZeroDivisionError("oops")


def crash_is_an_error_result(stage: Stage) -> None:
    assert stage.results == {
        "a": "result a",
        "b": {"error": "ZeroDivisionError: oops"},
        "c": "result c",
    }
    assert [event.ok for event in stage.events if isinstance(event, ToolResult) and event.id == "b"] == [False]


@pytest.mark.parametrize("policy", [PYDANTIC_AI, SCREENSHOT_TO_CODE], ids=lambda policy: policy.name)
async def test_a_crash_does_not_lose_the_others(policy: LoopPolicy) -> None:
    stage = Stage([calls("abc"), DONE], ScriptedTools(does={"b": crash}), policy)
    await stage.agent.run("m", [])
    crash_is_an_error_result(stage)


async def test_a_user_that_cannot_be_told_ends_the_run_and_the_tools() -> None:
    cancelled = []

    async def forever() -> ToolOutcome:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append("a")
            raise
        raise AssertionError

    stage = Stage([calls("ab"), DONE], ScriptedTools(does={"a": forever}))

    async def broken(event: Event) -> None:
        if isinstance(event, ToolResult):
            raise ConnectionError("gone")

    agent = Agent(
        open_session=stage.session.open,
        send_message=broken,
        tools=stage.tools,
        base_url="http://model.test",
        policy=PYDANTIC_AI,
    )
    with pytest.raises(ConnectionError, match="gone"):
        await agent.run("m", [])
    assert cancelled == ["a"]
    assert stage.session.closed == 1


class _LosesOthers(Driver):
    """Gathers without keeping a crash apart."""

    async def _run_tools(self, calls: Sequence[ToolCall], ended: Ended) -> None:
        outcomes = await asyncio.gather(*(self.tools.run(call) for call in calls))
        for call, outcome in zip(calls, outcomes, strict=True):
            ended(call, outcome)


async def test_a_driver_that_loses_the_others_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.loop.agent.Driver", _LosesOthers)
    stage = Stage([calls("abc"), DONE], ScriptedTools(does={"b": crash}))
    with pytest.raises(ZeroDivisionError):
        await stage.agent.run("m", [])
    assert stage.session.appended == []


# --- where the limit comes from ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argument", "configured", "turns"),
    [(1, 2, 1), (None, 2, 2), (None, None, 50)],
    ids=["argument", "agent", "policy"],
)
async def test_the_strongest_limit_counts(argument: int | None, configured: int | None, turns: int) -> None:
    stage = Stage([calls("a")] * 60, turn_limit=configured)
    with pytest.raises(TurnLimitExceeded, match=f"within {turns} turns"):
        await stage.agent.run("m", [], turn_limit=argument)
    assert stage.session.requests == turns


async def test_the_nudge_stands_behind_the_results_in_the_request() -> None:
    stage = Stage([calls("a"), DONE], policy=HUGIND, turn_limit=1)
    await stage.agent.run("m", [])
    assert stage.session.sent[-1] == [
        {"assistant": "", "calls": ["a"]},
        {"results": {"a": "result a"}},
        {"user": HUGIND.answer_now},
    ]


# --- runs that wait ----------------------------------------------------------------------------------------

KINDS: dict[str, Any] = {"ask_boss": "unapproved", "weather": "external"}
WAITING = turn("", ToolCall("w", "weather", "{}"), ToolCall("a", "look", "{}"), ToolCall("u", "ask_boss", "{}"))


async def test_a_run_waits_and_goes_on() -> None:
    stage = Stage([Answer(WAITING), DONE], ScriptedTools(kinds=KINDS))
    async with stage.agent.open("m", [("user", "Go.")]) as run:
        result = await run.start()
        assert (result.outcome, [each.call.id for each in result.deferred]) == ("deferred", ["w", "u"])
        assert (stage.tools.ran, stage.session.appended, stage.session.closed) == (["a"], [], 0)
        result = await run.resume({"u": Approved(), "w": Supplied("sun")})
    assert (result.outcome, result.turns, result.deferred) == ("completed", 2, ())
    assert stage.tools.ran == ["a", "u"]
    assert list(stage.results.items()) == [("w", "sun"), ("a", "result a"), ("u", "result u")]
    assert [event.outcome for event in stage.events if isinstance(event, Final)] == ["deferred", "completed"]
    assert stage.session.closed == 1


async def test_it_may_wait_more_than_once_and_be_denied() -> None:
    stage = Stage([Answer(WAITING), Answer(WAITING), DONE], ScriptedTools(kinds=KINDS))
    async with stage.agent.open("m", []) as run:
        result = await run.start()
        while result.outcome == "deferred":
            result = await run.resume({each.call.id: Denied("No.") for each in result.deferred})
    assert result.turns == 3
    assert stage.tools.ran == ["a", "a"]
    assert stage.results == {"w": "No.", "a": "result a", "u": "No."}


async def test_what_does_not_fit_is_refused_and_the_run_waits_on() -> None:
    stage = Stage([Answer(WAITING), DONE], ScriptedTools(kinds=KINDS))
    async with stage.agent.open("m", []) as run:
        await run.start()
        with pytest.raises(BadInput):
            await run.resume({"u": Approved(), "nobody": Approved()})
        assert stage.tools.ran == ["a"]
        result = await run.resume({"u": Approved(), "w": Supplied(None)})
    assert result.outcome == "completed"


async def test_without_resuming_the_session_is_closed() -> None:
    stage = Stage([Answer(WAITING)], ScriptedTools(kinds=KINDS))
    assert (await stage.agent.run("m", [])).outcome == "deferred"
    assert stage.session.closed == 1
