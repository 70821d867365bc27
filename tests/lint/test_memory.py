"""Which recorded replies a request is judged against."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.lint import Judge, LintedRequest
from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    NativeWireName,
    Route,
    Text,
    ThinkingPart,
    Turn,
    wire,
)
from harness.wire.base import Json

CHAT = Route("openai-chat")
CALL = Turn((Call("f", "{}"),), FinishReason.TOOL_CALLS)


def user(text: str) -> Json:
    return {"role": "user", "content": text}


def reply(turn: Turn, seed: str, name: NativeWireName = "openai-chat") -> tuple[bytes, Json]:
    """A response that says ``turn``, and the message that gives it back."""
    rendered = wire(name).render(turn, Identity(seed), Conversation(name, "m", False, ()))
    return rendered.body, dict(rendered.reply.items[0])


def asked(messages: list[Json], response: bytes | None = None, **beside: Any) -> LintedRequest:
    body = json.dumps({"model": "gpt-4o", "messages": messages, **beside}).encode()
    return LintedRequest(CHAT, {}, body, 200 if response else None, "application/json", response)


def result(message: Json, of: str = "") -> Json:
    return {"role": "tool", "tool_call_id": of or message["tool_calls"][0]["id"], "content": "r"}


def test_a_request_goes_on_from_the_one_whose_history_it_begins_with() -> None:
    judge = Judge()
    first, said = reply(CALL, "one")
    judge.judge(asked([user("a")], first))
    other, _ = reply(CALL, "two")
    judge.judge(asked([user("b")], other))
    going_on = judge.judge(asked([user("a"), said, result(said)], reply(Turn((Text("t"),)), "three")[0]))
    assert (going_on.violations, going_on.remembered) == ((), 1)
    third = judge.judge(asked([user("a"), said, result(said), {"role": "assistant", "content": "t"}, user("c")]))
    assert third.remembered == 2


def test_instructions_may_change() -> None:
    judge = Judge()
    first, said = reply(CALL, "one")
    judge.judge(asked([{"role": "system", "content": "now it is one"}, user("a")], first))
    again = judge.judge(asked([{"role": "system", "content": "now it is two"}, user("a"), said, result(said)]))
    assert again.remembered == 1


def test_of_two_equal_beginnings_the_one_that_is_repeated_counts() -> None:
    """Two conversations with the same prompt: the second request of the first is judged by the first."""
    judge = Judge()
    bodies = [reply(CALL, seed) for seed in ("one", "two")]
    for body, _ in bodies:
        judge.judge(asked([user("a")], body))
    for _, said in bodies:
        going_on = judge.judge(asked([user("a"), said, result(said)]))
        assert (going_on.violations, going_on.remembered) == ((), 1)


def test_what_is_remembered_is_held_against_what_comes_back() -> None:
    """The body alone is in order; only who knows the reply can tell that its thinking was altered."""
    route = Route("anthropic-messages")
    body = {"model": "claude-sonnet-4-6", "max_tokens": 9, "thinking": {"type": "enabled", "budget_tokens": 2000}}
    turn = Turn((ThinkingPart("Let me see."), Call("f", "{}")), FinishReason.TOOL_CALLS)
    rendered = wire("anthropic-messages").render(turn, Identity("one"), Conversation(route.wire, "m", False, ()))
    thinking, call = map(dict, rendered.reply.items)
    answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call["id"], "content": "r"}]}
    history = [user("a"), {"role": "assistant", "content": [{**thinking, "thinking": "Let me be."}, call]}, answer]
    found = {}
    for memory in (True, False):
        judge = Judge(memory=memory)
        for messages, response in (([user("a")], rendered.body), (history, None)):
            request = json.dumps({**body, "messages": messages}).encode()
            status = 200 if response else None
            judgement = judge.judge(LintedRequest(route, {}, request, status, "application/json", response))
        found[memory] = [violation.id for violation in judgement.violations if violation.level == "MUST"]
    assert len(found[True]) == 1
    assert found[False] == []


@pytest.mark.parametrize("response", [b"", b"<html>", b"[]"])
def test_what_is_no_reply_is_not_remembered(response: bytes) -> None:
    judge = Judge()
    judge.judge(asked([user("a")], response))
    assert judge.judge(asked([user("a"), user("b")])).remembered == 0


def test_a_request_that_is_sent_again_goes_on_from_nothing() -> None:
    judge = Judge()
    first, _ = reply(CALL, "one")
    judge.judge(asked([user("a")], first))
    assert judge.judge(asked([user("a")], first)).remembered == 0


def test_a_response_that_is_only_not_known_is_no_violation() -> None:
    body = {"model": "gpt-5.5", "input": "go on", "previous_response_id": "resp_elsewhere"}
    found = Judge().judge(LintedRequest(Route("openai-responses"), {}, json.dumps(body).encode()))
    assert found.violations == ()
    assert [violation.id for violation in found.withheld] == ["OAI-18"]


def test_a_response_that_was_not_stored_is_one() -> None:
    judge = Judge()
    rendered = wire("openai-responses").render(
        Turn((Text("t"),)), Identity("one"), Conversation("openai-responses", "m", False, ())
    )
    first = {"model": "gpt-5.5", "input": "a", "store": False}
    route = Route("openai-responses")
    judge.judge(LintedRequest(route, {}, json.dumps(first).encode(), 200, "application/json", rendered.body))
    second = {"model": "gpt-5.5", "input": "b", "previous_response_id": rendered.reply.id}
    found = judge.judge(LintedRequest(route, {}, json.dumps(second).encode()))
    assert ([violation.id for violation in found.violations], found.withheld) == (["OAI-18"], ())


def test_a_body_that_cannot_be_read_is_a_violation() -> None:
    (violation,) = Judge().judge(LintedRequest(CHAT, {}, b"{")).violations
    assert violation.answered.status == 400
