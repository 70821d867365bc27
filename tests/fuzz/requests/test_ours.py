"""The wires survive the campaign, and each oracle objects to what it is about."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from harness.finding import Finding, ProviderAnswer
from harness.fuzz.campaign import Falsified
from harness.fuzz.requests import example as examples
from harness.fuzz.requests import loop as loops
from harness.fuzz.requests.campaign import CAMPAIGN
from harness.fuzz.requests.example import RequestExample
from harness.fuzz.requests.official import error_of
from harness.fuzz.shrink import objection_to
from harness.fuzz.strategies.damage import Gone, Odd
from harness.fuzz.strategies.requests import shaped
from harness.wire import NATIVE_WIRES, Conversation, ErrorAnswer, Identity, IssuedState, WireName, wire
from harness.wire.openai_chat import WIRE

OURS = CAMPAIGN.open(None)
CHAT = RequestExample("openai-chat", "chat-one-call", (shaped("think text call call"), shaped("call")))


def test_what_is_enumerated_is_made_or_cannot_be_made() -> None:
    unmade = replace(CHAT, change="chat-id-dropped", turns=(shaped("text"),))
    assert CAMPAIGN.check(unmade, OURS) == 0
    assert CAMPAIGN.check(replace(CHAT, change="chat-id-dropped"), OURS) == 1
    assert CAMPAIGN.check(CHAT, OURS) == 3


def test_results_of_calls_that_are_only_referred_to_are_taken_by_who_sees_the_request_alone() -> None:
    example = next(each for each in CAMPAIGN.enumerated() if each.base == "responses-references" and len(each.turns))
    posted = loops.loop_of(example).played.last
    assert [item.get("type") for item in posted.body["input"]][-1] == "function_call_output"
    assert loops.alone(wire("openai-responses"), posted) == ()


# --- each oracle objects --------------------------------------------------------------------------------------


def oracle_of(example: RequestExample) -> str:
    loops._loop.cache_clear()
    try:
        with pytest.raises(Falsified) as falsified:
            CAMPAIGN.check(example, OURS)
    finally:
        loops._loop.cache_clear()
    assert falsified.value.oracle in CAMPAIGN.oracles
    assert falsified.value.expected
    assert falsified.value.got
    return falsified.value.oracle


Violations = Callable[[Conversation, IssuedState], list[Finding]]


@pytest.fixture
def judging(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Violations], Violations]], None]:
    """Puts something else in the place of the rules of Chat; it is given the right ones."""

    def judge(other: Callable[[Violations], Violations]) -> None:
        wrong = other(WIRE.violations)
        monkeypatch.setattr(type(WIRE), "violations", lambda _, conversation, sent: wrong(conversation, sent))

    return judge


SPOKEN = "Invalid value for 'content': expected a string, got null."


def false_alarm(*, at: str = "messages[0]", got: str = "something") -> Finding:
    answer = ProviderAnswer(SPOKEN, place=at)
    return Finding("", "MUST", "", None, "nothing", got, reference="OAC-09", provider=answer)


def test_a_false_alarm_on_a_right_loop(judging: Any) -> None:
    judging(lambda right: lambda asked, sent: [*right(asked, sent), *([false_alarm()] if sent.turns else [])])
    assert oracle_of(CHAT) == "accepts"


def test_a_false_alarm_without_memory_of_what_was_sent(judging: Any) -> None:
    long = lambda asked: len(asked.messages) > 5  # noqa: E731
    judging(lambda right: lambda asked, sent: [false_alarm()] if long(asked) and not sent.turns else right(asked, sent))
    assert oracle_of(CHAT) == "accepts"


def test_a_mistake_that_is_missed(judging: Any) -> None:
    judging(lambda right: lambda asked, sent: [each for each in right(asked, sent) if each.id != "OAC-06"])
    assert oracle_of(replace(CHAT, change="chat-result-twice")) == "finds"


def test_a_false_alarm_on_what_breaks_nothing(judging: Any) -> None:
    judging(lambda right: lambda asked, sent: [false_alarm()] if "cache_prompt" in asked.body else right(asked, sent))
    assert oracle_of(replace(CHAT, base="chat-two-calls", change="chat-member-invented")) == "spares"


def test_a_memory_that_forgets_to_judge(judging: Any) -> None:
    def forgetful(right: Violations) -> Violations:
        def judge(asked: Conversation, sent: IssuedState) -> list[Finding]:
            known, sent.memory = sent.memory is not None, "judged"
            return [] if known else right(asked, sent)

        return judge

    judging(forgetful)
    assert oracle_of(replace(CHAT, change="chat-result-twice")) == "remembers"


@pytest.mark.parametrize("wrong", [{"got": ""}, {"got": "x" * 401}, {"reference": "OAC-99"}, {"provider": None}])
def test_a_finding_that_says_too_little_or_too_much(judging: Any, wrong: dict[str, Any]) -> None:
    judging(lambda right: lambda asked, sent: [replace(each, **wrong) for each in right(asked, sent)])
    assert oracle_of(replace(CHAT, damage=(Gone(("messages", 3, "content")),))) == "explains"


def test_a_writer_that_drops_the_second_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(conversation: Conversation) -> Any:
        written = right(conversation)
        body = json.loads(written.body)
        for message in body["messages"]:
            message["tool_calls"] = message.get("tool_calls", [])[:1]
        return replace(written, body=json.dumps(body).encode())

    played = loops.loop_of(CHAT)
    right = WIRE.write
    monkeypatch.setattr(loops, "_loop", lambda _: played)
    monkeypatch.setattr(type(WIRE), "write", lambda _, conversation: wrong(conversation))
    with pytest.raises(Falsified) as falsified:
        CAMPAIGN.check(CHAT, OURS)
    assert falsified.value.oracle == "writes"


def test_a_reader_that_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    right = WIRE.read
    monkeypatch.setattr(
        type(WIRE), "read", lambda _, route, body, headers: {}["x"] if b"odd" in body else right(route, body, headers)
    )
    assert oracle_of(replace(CHAT, damage=(Odd(("model",), '"odd"'),))) == "raises"


def test_an_error_without_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = ErrorAnswer(400, {"content-type": "application/json"}, b'{"error": {"message": "No."}}')
    monkeypatch.setattr(type(WIRE), "refuse", lambda *_: wrong)
    # Only a share of the answers is given to the SDK, so most mistakes do not come so far.
    changed = (replace(CHAT, change=each) for each in examples.changes("openai-chat"))
    found = (objection_to(example, CAMPAIGN, OURS) for example in changed)
    assert any(each is not None and each.oracle == "refuses" for each in found)


def test_a_loop_whose_trace_breaks_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    played = loops.loop_of(CHAT)
    changed = played.played.requests[1].posted
    monkeypatch.setitem(changed.body, "messages", [*changed.body["messages"][:1], *changed.body["messages"][2:]])
    monkeypatch.setattr(loops, "_loop", lambda _: played)
    with pytest.raises(Falsified, match="trace of a loop"):
        CAMPAIGN.check(CHAT, OURS)


@pytest.mark.parametrize("name", NATIVE_WIRES)
def test_the_sdk_raises_an_error_of_its_own(name: WireName) -> None:
    answer = wire(name).error(429, Identity("fuzz"))
    kind, status, text = error_of(name, answer)
    assert (kind, status) == ("ClientError" if name == "gemini-generate" else "RateLimitError", 429)
    assert text
