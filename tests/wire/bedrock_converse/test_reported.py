"""What was reported of Bedrock in public: each request as the report tells it, with the text that answered it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire.bedrock_converse.requests import CLAUDE, LLAMA, assistant, body, call, found, result, user

CLAUDE_3 = "anthropic.claude-3-opus-20240229-v1:0"
CLAUDE_3_5 = "anthropic.claude-3-5-sonnet-20240620-v1:0"
EXCEEDS = (
    "The number of toolResult blocks at messages.{}.content exceeds the number of toolUse blocks of previous turn."
)
EMPTY = "The content field at messages.2.content.0.toolResult cannot be empty when status value is error."
BESIDE_RESULTS = "messages.{}.content: Conversation blocks and tool result blocks cannot be provided in the same turn."
BESIDE_CALLS = "messages.1.content: Conversation blocks and tool use blocks cannot be provided in the same turn."
NO_CONFIG = "The toolConfig field must be defined when using toolUse and toolResult content blocks."
FIRST = "A conversation must start with a user message. Try again with a conversation that starts with a user message."
EXPECTED = "Expected toolResult blocks at messages.2.content for the following Ids: call_time"

ASKED = user("What is the weather, and the time?")
TWO = assistant(call("call_weather"), call("call_time"))
BOTH = user(result("call_weather"), result("call_time"))
ONE = assistant(call("call_time"))

REPORTED = {
    # row 68
    "a history that was summed up, and keeps the results": (
        body(user("A summary of what was said."), user(result("call_time"))), CLAUDE, "BED-02", EXCEEDS.format(1),
    ),
    "the results of parallel calls are sent twice": (
        body(ASKED, TWO, user(*BOTH["content"], result("call_weather"))), CLAUDE, "BED-02", EXCEEDS.format(2),
    ),
    "results behind an answer that makes no call": (
        body(ASKED, assistant("I look."), user(result("call_time"))), CLAUDE, "BED-02", EXCEEDS.format(2),
    ),
    # row 69
    "a tool that failed without a text": (
        body(ASKED, ONE, user(result("call_time", None, "error"))), CLAUDE, "BED-06", EMPTY,
    ),
    # row 70
    "an answer first, to Nova": (
        body(assistant("Hello."), user("Hello.")), "us.amazon.nova-2-lite-v1:0", "BED-10", FIRST,
    ),
    "an answer first, to an older Claude": (body(assistant("Hello."), user("Hello.")), CLAUDE_3_5, "BED-10", FIRST),
    "words beside results, to Llama": (
        body(ASKED, TWO, user(*BOTH["content"], "Well?")), LLAMA, "BED-30", BESIDE_RESULTS.format(2),
    ),
    "words beside results, to Claude 3": (
        body(ASKED, TWO, user(*BOTH["content"], "Well?")), CLAUDE_3, "BED-30", BESIDE_RESULTS.format(2),
    ),
    "words beside calls, to Llama": (
        body(ASKED, assistant("I look.", *TWO["content"]), BOTH), LLAMA, "BED-31", BESIDE_CALLS,
    ),
    "the tools are left out in the last request": (body(ASKED, TWO, BOTH, tools=False), CLAUDE, "BED-05", NO_CONFIG),
    "one of two calls is declined": (
        body(ASKED, TWO, user(result("call_weather"))), CLAUDE, "BED-01", EXPECTED,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("request_body", "model", "rule", "text"), REPORTED.values(), ids=REPORTED)
def test_what_was_reported_is_found_with_its_text(request_body: Any, model: str, rule: str, text: str) -> None:
    findings = found(request_body, model)
    (finding,) = [each for each in findings if each.reference == rule]
    assert finding.answered.message == text
    assert finding.answered.status == 400
    assert finding.level == ("SHOULD" if model == CLAUDE_3 else "MUST")
