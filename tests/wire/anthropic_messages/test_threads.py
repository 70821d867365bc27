"""Message threads: continued, lost, continued twice, declined."""

from __future__ import annotations

import json

import pytest

from harness.wire import FinishReason, StreamError, Text, ThinkingPart, Turn
from harness.wire.anthropic_messages import WIRE
from tests.wire.anthropic_messages.histories import ROUTE, TWO_CALLS, Body, Served, result, user


def threaded() -> tuple[Served, Body]:
    case = Served(thread={"type": "create"}, system="Be brief.")
    case.answer(TWO_CALLS)
    last = case.sent.replies[-1].id
    new = {name: case.body[name] for name in ("model", "max_tokens", "stream")}
    return case, new | {
        "thread": {"type": "continue", "previous_message_id": last},
        "messages": [case.body["messages"][-1]],
    }


def test_a_thread_is_continued() -> None:
    case, request = threaded()
    conversation = WIRE.resolve(WIRE.read(ROUTE, json.dumps(request).encode()), case.sent)
    assert WIRE.violations(conversation, case.sent) == []
    assert [message.at for message in conversation.messages] == [
        "system",
        "thread.messages.0",
        "thread.messages.1",
        "messages.0",
    ]
    assert [tool.name for tool in conversation.tools] == ["list_files", "read_file"]
    assert conversation.messages[0].text == "Be brief."
    assert conversation.messages[2].calls == case.sent.replies[-1].turn.calls
    again = WIRE.resolve(conversation, case.sent)
    assert again == conversation


@pytest.mark.parametrize(
    ("turn", "rule"),
    [
        (Turn((ThinkingPart("Hm."),)), "ANT-LAST"),
        (Turn((Text(""), *TWO_CALLS.parts), FinishReason.TOOL_CALLS), "ANT-11"),
        (Turn(), "ANT-12"),
    ],
)
def test_a_client_is_not_blamed_for_what_the_server_keeps(turn: Turn, rule: str) -> None:
    """As it came it would be refused of who sends it himself."""
    for thread in ({"type": "create"}, None):
        case = Served(**({"thread": thread} if thread else {}))
        case.answer(turn)
        kept = case.body["messages"]
        answers = [result(call.id or "", "seen") for call in case.sent.replies[-1].turn.calls]
        new = user(*answers, {"type": "text", "text": "And now?"})
        history = [new] if thread else [*kept[:1], {"role": "assistant", "content": _blocks(case)}, new]
        body = case.body | {"messages": history}
        if thread:
            body["thread"] = {"type": "continue", "previous_message_id": case.sent.replies[-1].id}
        assert [violation.id for violation in case.judge(body)] == ([] if thread else [rule])


def _blocks(case: Served) -> list[Body]:
    return list(case.sent.replies[-1].items)


def test_a_thread_with_wrong_results() -> None:
    case, request = threaded()
    request["messages"][0]["content"].pop()
    [violation] = case.judge(request)
    assert (violation.id, violation.answered.place) == ("ANT-01", "thread.messages.1")
    request["messages"][0]["content"].append(result("q"))
    assert ("ANT-03", "messages.0.content.1") in {
        (violation.id, violation.answered.place) for violation in case.judge(request)
    }


def test_a_thread_is_continued_once() -> None:
    case, request = threaded()
    conversation = WIRE.resolve(WIRE.read(ROUTE, json.dumps(request).encode()), case.sent)
    broken = WIRE.render(Turn(error=StreamError()), case.identity, conversation).reply
    case.sent.add(conversation, broken)
    assert case.judge(request) == [], "a response that broke was not kept"
    case.sent.add(conversation, WIRE.render(Turn((Text("Done."),)), case.identity, conversation).reply)
    [violation] = case.judge(request)
    assert (violation.id, violation.answered.status, violation.answered.code) == (
        "ANT-THREAD",
        400,
        "thread_already_continued",
    )
