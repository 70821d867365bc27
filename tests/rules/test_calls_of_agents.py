"""Calls that the provider's own agent has run (Interactions) are neither the loop's to answer nor to be blamed for."""

from __future__ import annotations

from typing import Any, cast

import pytest

from harness.rules.steps import Entry, Step
from harness.rules.turns import Ask
from harness.wire import Call, Message, Reply, Result, Text, Turn

RUN, ANSWER = Call("look_up", "{}", "c1"), Result("c1", '"They swim."', "look_up")
MINE, DONE = Call("note", "{}", "c2"), Result("c2", '"noted"', "note")


def added(*parts: Any, done: str = "c1") -> list[Any]:
    reply = Reply("gemini-interactions", "", "", (), Turn((MINE,)), done_calls=frozenset([done] if done else ()))
    answered = Ask(cast("Any", None), None, None, None, reply)
    asked: Entry = (Message("user", (), ""), Text("Go."))
    after = (asked, *((Message("assistant", (), ""), part) for part in parts))
    return [part for _, part in Step(answered, answered, (asked,), after, None).added]


def test_what_the_agent_has_done_is_no_part_of_what_the_loop_adds() -> None:
    assert added(RUN, ANSWER, MINE, DONE) == [MINE, DONE]


@pytest.mark.parametrize("again", [RUN, ANSWER])
def test_what_the_loop_does_once_more_is(again: Call | Result) -> None:
    assert added(RUN, ANSWER, MINE, DONE, again) == [MINE, DONE, again]


def test_without_an_agent_everything_is() -> None:
    assert added(RUN, ANSWER, done="") == [RUN, ANSWER]
