"""The rule of a pasted error: every template finds its own rule, and what is about no request finds none."""

from __future__ import annotations

import json
import re
import time

import pytest

from harness.lint import rules_for
from harness.lint.known_errors import known_errors
from harness.wire import wire_rules
from harness.wire.other_texts import OTHER_TEXTS

NO_RULE = [
    "Overloaded",
    "Error code: 529 - {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Overloaded'}}",
    "The model is overloaded. Please try again later.",
    "Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 29000. Please try",
    "This request would exceed your organization's rate limit of 20,000 input tokens per minute.",
    "You exceeded your current quota, please check your plan and billing details.",
    "Incorrect API key provided: sk-abc. You can find your API key at https://platform.openai.com/account/api-keys.",
    "invalid x-api-key",
    "API key not valid. Please pass a valid API key.",
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade.",
    "Internal server error",
    "The server had an error while processing your request. Sorry about that!",
    "Connection error.",
    "Request timed out.",
    "Output blocked by content filtering policy",
    "User location is not supported for the API use.",
    "Invalid model: mistral-none",
    "Model Not Exist",
    "bad/model is not a valid model ID",
    "Service unavailable.",
    "pydantic_core.ValidationError: 1 validation error for Answer\ncity\n  Field required [type=missing]",
    "Traceback (most recent call last):\n  File \"loop.py\", line 3, in run\n    messages.append(tool)\nKeyError: 'id'",
    "the model does not call my tool, and the answer is empty when I ask it again",
    "Request contains an invalid argument.",
    "This model does not support the 'logprobs' parameter.",
    "a b",
    "{}",
    "[",
]


@pytest.mark.parametrize("text", NO_RULE)
def test_what_is_about_no_request_finds_no_rule(text: str) -> None:
    assert rules_for(text) == []


def seen_texts() -> list[tuple[str, str]]:
    """Every text that somebody got from a provider, with its rule."""
    return [(rule.id, template.seen) for rule in wire_rules().values() for template in rule.templates if template.seen]


def says_the_same(one: str, other: str) -> bool:
    """Whether two rules have a text in common, places apart."""
    words = [{known.words for known in known_errors() if known.rule.id == id} for id in (one, other)]
    return bool(words[0] & words[1])


def missed(wrapped: str) -> list[str]:
    """The rules whose text, wrapped so, finds another rule first, or none."""
    found = [(id, text, rules_for(wrapped.format(text))) for id, text in seen_texts()]
    return [id for id, _, rules in found if not rules or not says_the_same(rules[0].rule.id, id)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("wrapped", ["{}", "Error code: 400 - {{'error': {{'message': {0!r}}}}}"])
def test_every_text_of_a_provider_finds_its_rule(wrapped: str) -> None:
    assert len(seen_texts()) > 150
    assert missed(wrapped) == []


def test_a_text_of_two_words_is_not_looked_for_in_a_longer_line() -> None:
    short = {known.rule.id for known in known_errors() if len(known.words) < 3}
    assert {"OAI-05", "ANT-MODEL"} <= set(missed("ERROR [agent] 400: {}")) <= short


def test_other_texts_are_those_of_rules_and_find_them() -> None:
    for id, texts in OTHER_TEXTS.items():
        known = [template.message for template in wire_rules()[id].templates]
        for text in texts:
            assert text not in known
            found = rules_for(re.sub(r"\{\w*\}", "17", text))
            assert found[0].rule.id == id, text


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("Missing required parameter: 'messages[7].content[0].type'.", ["OAC-PART", "OAC-11", "OAI-04"]),
        ("Missing required parameter: 'input[7].id'.", ["OAI-04"]),
        ("tools.3.custom.input_schema.type: Field required", ["ANT-22", "ANT-09", "ANT-FORMAT"]),
        ("messages.8.content.1.tool_result.tool_use_id: Field required", ["ANT-09"]),
    ],
)
def test_a_place_decides_between_rules_with_one_text(text: str, rules: list[str]) -> None:
    found = rules_for(text)
    assert [each.rule.id for each in found][: len(rules)] == rules
    assert {each.sureness for each in found[1:]} <= {"possible"}


def test_a_path_beside_the_text_decides_between_wires() -> None:
    text = "Function call is missing a thought_signature in functionCall parts."
    assert [each.sureness for each in rules_for(text)] == ["possible", "possible"]
    chat = rules_for(f"POST https://host/v1beta/openai/chat/completions 400: {text}")
    own = rules_for(f"POST https://host/v1beta/models/gemini-3-pro:generateContent 400: {text}")
    assert (chat[0].rule.id, own[0].rule.id) == ("OAC-SIGNED", "GEM-08")


def test_a_code_beside_the_text_decides_between_rules() -> None:
    text = "Invalid schema for function 'f': In context=(), 'additionalProperties' is required to be supplied and to be"
    body = {
        "error": {"message": f"{text} false.", "param": "tools[0].parameters", "code": "invalid_function_parameters"}
    }
    assert rules_for(json.dumps(body))[0].rule.id == "OAI-23"


def test_ids_numbers_names_and_quotes_may_differ() -> None:
    text = (
        "messages.77: tool_use ids were found without 'tool_result' blocks immediately after: call_9, functions.Bash:0."
    )
    (best, *_) = rules_for(text)
    assert (best.rule.id, best.message) == ("ANT-01", text)


def test_a_longer_text_is_preferred_to_its_beginning() -> None:
    short = "messages.5.content.0: Invalid `signature` in `thinking` block"
    assert rules_for(short)[0].rule.id == "ANT-14"
    assert (
        rules_for(f"{short}. The block is bound to a different conversation. Remove the block, or")[0].rule.id
        == "ANT-18"
    )


def test_a_part_of_a_text_is_likely_and_the_whole_is_certain() -> None:
    whole = "Item 'rs_1' of type 'reasoning' was provided without its required following item."
    assert rules_for(whole)[0].sureness == "certain"
    cut = rules_for("messages.3: `tool_use` ids were found without `tool_result` blocks immediately after")[0]
    assert (cut.rule.id, cut.sureness) == ("ANT-01", "likely")


@pytest.mark.parametrize("text", ["tool " * 5000, "messages.1: " * 4000, '{"message": "tool"} ' * 1500])
def test_a_long_text_is_judged_in_moderate_time(text: str) -> None:
    rules_for("warm up")
    started = time.process_time()
    rules_for(text)
    assert time.process_time() - started < 5
