"""What a scenario's caller does, done to the reference loop: every word of it, and what it cannot do."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import pytest

from harness.errors import BadInput
from harness.loop import Approved, DeferredCall, Denied, Runner, Supplied, ToolCall
from harness.loop.deferral import Resolution, ToolKind
from harness.scenario import (
    CallerAction,
    EditedTurn,
    EditToolResponse,
    GenerateToolResponse,
    Piece,
    PushMessages,
    Resolve,
    Round,
    SetMessages,
    SetParams,
)
from harness.targets.callers import act, resolutions
from harness.trace import Event
from tests.loop.fake_session import Answer, FakeSession, turn
from tests.loop.test_engine import look
from tests.loop.test_run import ScriptedTools

PROMPT = {"user": "Go."}
CALLS = turn("Look.", look("a"), look("b"))
TURN = {"assistant": "Look.", "calls": ["a", "b"]}
SAID = {"assistant": "Let me look.", "calls": ["a", "b"]}
RESULTS = {"results": {"a": "result a", "b": "result b"}}
EDITED = {"results": {"a": "result A", "b": "result b"}}
NOTE = {"user": "Hurry."}
DONE = turn("Done.")

pytestmark = pytest.mark.anyio


class Played:
    """A run whose caller does ``actions`` at the first turn: what the second request had, and what ran."""

    def __init__(self, first: Any = CALLS) -> None:
        self.session = FakeSession([Answer(first), Answer(DONE)], history=[dict(PROMPT)])
        self.tools = ScriptedTools()

    async def run(self, *actions: CallerAction) -> Played:
        left = [actions]
        async for each in (runner := Runner(self.session, self.tools, _ignore)):
            await act(runner, each, left.pop() if left else ())
        return self

    @property
    def next_request(self) -> list[Any]:
        return self.session.sent[1]


async def _ignore(event: Event) -> None:
    pass


def push(*pieces: Piece) -> PushMessages:
    return PushMessages(pieces)


def put(*pieces: Piece) -> SetMessages:
    return SetMessages(pieces)


USER: Piece = ("user", "Hurry.")
GENERATE = GenerateToolResponse()
EDIT = EditToolResponse("result a", "result A")


# --- the history -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "sent", "runs"),
    [
        ([], [PROMPT, TURN, RESULTS], 2),
        ([GENERATE], [PROMPT, TURN, RESULTS], 2),
        ([push("turn")], [PROMPT, TURN, RESULTS], 2),
        ([push(USER)], [PROMPT, NOTE], 0),
        ([GENERATE, push(USER)], [PROMPT, NOTE], 2),
        ([push("turn", "response", USER)], [PROMPT, TURN, RESULTS, NOTE], 2),
        ([push("turn"), push("response")], [PROMPT, TURN, RESULTS], 2),
        ([push(("assistant", "No."), USER)], [PROMPT, {"assistant": "No."}, NOTE], 0),
        ([put(USER)], [NOTE], 0),
        ([put("history", "turn", USER)], [PROMPT, TURN, RESULTS, NOTE], 2),
        ([put(USER, "turn", "response")], [NOTE, TURN, RESULTS], 2),
        ([push("turn"), put("history")], [PROMPT, TURN, RESULTS], 2),
        ([push(EditedTurn("Look.", "Let me look."), "response")], [PROMPT, SAID, RESULTS], 2),
        ([push(EditedTurn("Look.", "Let me look."))], [PROMPT, SAID, RESULTS], 2),
        ([EDIT], [PROMPT, TURN, EDITED], 2),
        ([EDIT, push("turn", "response")], [PROMPT, TURN, EDITED], 2),
        ([push("turn", "response"), EDIT], [PROMPT, TURN, EDITED], 2),
        ([push("turn"), EDIT], [PROMPT, TURN, EDITED], 2),
        ([SetParams({"max_tokens": 9})], [PROMPT], 0),
        ([push("turn"), SetParams({"max_tokens": 9})], [PROMPT, TURN, RESULTS], 2),
    ],
)
async def test_each_action(actions: Sequence[CallerAction], sent: list[Any], runs: int) -> None:
    played = await Played().run(*actions)
    assert played.next_request == sent
    assert len(played.tools.ran) == runs


async def test_no_action_is_no_change() -> None:
    assert (await Played(DONE).run()).session.requests == 1


async def test_parameters_reach_the_session_as_they_are_written() -> None:
    played = await Played().run(SetParams({"max_tokens": 9, "metadata": {"user_id": "u"}}))
    assert played.session.params == {"max_tokens": 9, "metadata": {"user_id": "u"}}


async def test_the_edited_text_is_replaced_wherever_it_stands() -> None:
    nested = {"parts": [{"a": "old, old"}, "old", 7, None, True]}
    played = Played()
    played.session.result_messages = lambda *_: [copy.deepcopy(nested)]  # type: ignore[method-assign]
    await played.run(EditToolResponse("old", "new"))
    assert played.next_request[2:] == [{"parts": [{"a": "new, new"}, "new", 7, None, True]}]


async def test_an_edit_does_not_reach_what_the_tool_returned() -> None:
    """Of a session that sends the tool's own object, as that of Gemini does."""
    returned = {"said": ["result a"]}
    played = Played()
    played.session.result_messages = lambda *_: [{"results": returned}]  # type: ignore[method-assign]
    await played.run(EDIT)
    assert played.next_request[2:] == [{"results": {"said": ["result A"]}}]
    assert returned == {"said": ["result a"]}


@pytest.mark.parametrize(
    ("first", "action", "why"),
    [
        (DONE, EDIT, "edits a tool response; the turn asked for no tool"),
        (DONE, push("turn", "response"), "pushes a tool response; the turn asked for no tool"),
        (DONE, put("history", "turn", "response"), "pushes a tool response; the turn asked for no tool"),
        (CALLS, push(EditedTurn("nowhere", "new")), "edits 'nowhere'; the turn does not say that"),
        (CALLS, EditToolResponse("nowhere", "new"), "edits 'nowhere'; the tool response does not say that"),
        (CALLS, push("response"), "right behind the turn"),
        (CALLS, push("turn", USER, "response"), "right behind the turn"),
        (CALLS, put("response", "turn"), "right behind the turn"),
    ],
)
async def test_what_a_caller_cannot_do_is_refused(first: Any, action: CallerAction, why: str) -> None:
    played = Played(first)
    with pytest.raises(BadInput, match=why):
        await played.run(action)
    assert played.session.requests == 1


# --- calls that wait ---------------------------------------------------------------------------------------


def waiting(*calls: tuple[str, str]) -> list[DeferredCall]:
    kind: ToolKind = "external"
    return [DeferredCall(ToolCall(id, name, "{}"), kind) for id, name in calls]


TWO = waiting(("1", "ask"), ("2", "delete"), ("3", "ask"))


@pytest.mark.parametrize(
    ("round", "resolved"),
    [
        ({"delete": Resolve("approve")}, {"2": Approved()}),
        ({"delete": Resolve("deny", "Keep it.")}, {"2": Denied("Keep it.")}),
        ({"delete": Resolve("supply", {"n": 1})}, {"2": Supplied({"n": 1})}),
        ({"delete": Resolve("supply")}, {"2": Supplied(None)}),
        ({"delete": Resolve("fail", "no disk")}, {"2": Supplied({"error": "no disk"}, ok=False)}),
        ({"ask": Resolve("supply", "blue")}, {"1": Supplied("blue"), "3": Supplied("blue")}),
        ({"ask": (Resolve("supply", "a"), Resolve("deny", "b"))}, {"1": Supplied("a"), "3": Denied("b")}),
        ({"ask": Resolve("approve"), "delete": Resolve("approve")}, dict.fromkeys("132", Approved())),
        ({}, {}),
    ],
)
def test_each_resolution(round: Round, resolved: dict[str, Resolution]) -> None:
    assert resolutions(round, TWO) == resolved


@pytest.mark.parametrize(
    ("round", "why"),
    [
        ({"absent": Resolve("approve")}, "the scenario resolves calls of absent; 0 wait"),
        ({"absent": (Resolve("approve"),)}, "the scenario resolves 1 calls of absent; 0 wait"),
        ({"ask": (Resolve("approve"),)}, "the scenario resolves 1 calls of ask; 2 wait"),
        ({"ask": (Resolve("approve"),) * 3}, "the scenario resolves 3 calls of ask; 2 wait"),
    ],
)
def test_a_resolution_that_does_not_fit_the_waiting_calls_is_refused(round: Round, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        resolutions(round, TWO)
