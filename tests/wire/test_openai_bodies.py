"""Requests in the forms that people were refused in public (rows 30 to 57 of the survey), on OpenAI's two formats.

The bodies and the recorded refusals are read from the shared folder. Each must break the rule with the provider's text,
and certainly where the provider refuses it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import IssuedState, WireName, route_of, wire
from tests.wire.fitting import fits

FOUND: dict[str, tuple[str, str, str]] = {
    "R01-interrupt": ("OAI-10", "MUST", "No tool output found for function call call_1."),
    "R02-compaction-orphan-output": (
        "OAI-11",
        "MUST",
        "No tool call found for function call output with call_id call_1.",
    ),
    "R03-reasoning-alone": (
        "OAI-14",
        "MUST",
        "Item 'rs_01' of type 'reasoning' was provided without its required following item.",
    ),
    "R05-id-prefix": ("OAI-07", "MUST", "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'."),
    "R06-empty-id": ("OAI-07", "MUST", "Invalid 'input[1].id': ''. Expected an ID that contains letters, …"),
    "R07-reasoning-no-summary": ("OAI-04", "MUST", "Missing required parameter: 'input[1].summary'."),
    "R08-custom-no-output": ("OAI-10", "MUST", "No tool output found for custom tool call call_1."),
    "R09-shell-no-output": ("OAI-10", "MUST", "No tool output found for shell call call_1."),
    "R10-local-shell-no-output": ("OAI-10", "MUST", "No tool output found for local shell call call_1."),
    "R11-apply-patch-no-output": ("OAI-10", "MUST", "No tool output found for apply patch call call_1."),
    "R12-computer-no-output": ("OAI-10", "MUST", "No tool output found for computer call call_1."),
    "R13-mcp-approval-unanswered": (
        "OAI-10",
        "MUST",
        "The following MCP approval requests do not have an approval: mcpr_1",
    ),
    "R14-mcp-approval-orphan": (
        "OAI-11",
        "MUST",
        "The following MCP approval requests have approval responses but weren't passed as input: mcpr_nobody",
    ),
    "R15-tool-search-no-output": ("OAI-10", "MUST", "No tool output found for tool search call call_1."),
    "R16-shell-output-orphan": ("OAI-11", "MUST", "No tool call found for shell call output with call_id call_9."),
    "R17-duplicate-item": ("OAI-09", "MUST", "Duplicate item found with id fc_01. Remove duplicate items …"),
    "R18-chat-parts": ("OAI-20", "MUST", "Invalid value: 'text'. Supported values are: 'input_text', …"),
    "R19-prev-and-conv": ("OAI-19", "MUST", "Mutually exclusive parameters: 'previous_response_id' and …"),
    "R20-program-call-no-output": ("OAI-10", "MUST", "No tool output found for function call call_1."),
    "R21-args-object": (  # nobody is known to have been refused
        "OAI-06",
        "SHOULD",
        "Invalid type for 'input[1].arguments': expected a string, but got an object instead.",
    ),
    "R22-deepseek-responses-second-call": (
        "OAI-DS",
        "MUST",
        "The `reasoning_text` in the thinking mode must be passed back to the API.",
    ),
    "R23-namespace-missing": (
        "OAI-NS",
        "MUST",
        "Missing namespace for function_call 'get_weather'. It does not exist in the default namespace. …",
    ),
    "R24-output-schema-text": (
        "OAI-OUTSCHEMA",
        "MUST",
        "Invalid function_call_output.output: expected a JSON string because the function declares output_schema.",
    ),
    "R25-dup-mcpr": ("OAI-09", "MUST", "Duplicate item found with id mcpr_1. Remove duplicate items …"),
    "C01-steer": ("OAC-03", "MUST", "An assistant message with 'tool_calls' must be followed by tool messages …"),
    "C02-orphan-tool": ("OAC-04", "MUST", "Invalid parameter: messages with role 'tool' must be a response to …"),
    "C03-deepseek-no-reasoning": (
        "OAC-19",
        "MUST",
        "Missing `reasoning_content` field in the assistant message at message index 1. …",
    ),
    "C04-kimi-no-reasoning": (
        "OAC-19",
        "MUST",
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1",
    ),
    "C04b-kimi-k25-no-reasoning": (
        "OAC-19",
        "MUST",
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1",
    ),
    "C04c-deepseek-v4-no-reasoning": (
        "OAC-19",
        "MUST",
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
    ),
    "C05-mistral-id": (
        "OAC-07",
        "MUST",
        "Tool call id was call_PTLP8xhu3uwZk4l3nlnrrJha but must be a-z, A-Z, 0-9, with a length of 9.",
    ),
    "C06-mistral-user-after-tool": ("OAC-ORDER", "MUST", "Unexpected role 'user' after role 'tool'"),
    "C08-empty-tool-calls": ("OAC-08", "MUST", "Invalid 'messages[1].tool_calls': empty array. …"),
    "C09-dup-ids": ("OAC-06", "MUST", "Invalid parameter: Duplicate value for 'tool_call_id' of 'call_1', …"),
    "C10-gemini-compat-no-sig": (
        "OAC-SIGNED",
        "MUST",
        "Function call is missing a thought_signature in functionCall parts. …",
    ),
    "C11-null-content": ("OAC-09", "MUST", "Invalid value for 'content': expected a string, got null."),
}
"""The rule that each body breaks, how surely, and the text of the refusal; ``…`` is any text."""

ACCEPTED = {
    "R04-msg-without-reasoning-id": "only the memory of a case shows that reasoning stood before the message",
    "C07-args-concatenated": "OpenAI reads no arguments (OAC-12); what the model sent, history/model-calls knows",
}
"""Bodies that break no rule by themselves, and why."""

PATHS: dict[str, str] = {"openai-responses": "/v1/responses", "openai-chat": "/v1/chat/completions"}


@cache
def bodies(shared: Path) -> dict[str, tuple[WireName, bytes]]:
    found = json.loads((shared / "field" / "bodies.json").read_text(encoding="utf-8"))
    ours = {name: each for name, each in found.items() if each[0] in PATHS}
    return {name: (named, json.dumps(body).encode()) for name, (named, _, body) in ours.items()}


def judged(shared: Path, name: str) -> list[Finding]:
    named, body = bodies(shared)[name]
    route = route_of("POST", PATHS[named])
    assert route is not None
    speaker = wire(named)
    return list(speaker.violations(speaker.resolve(speaker.read(route, body, {}), IssuedState()), IssuedState()))


def test_the_table_has_all_bodies(shared: Path) -> None:
    assert set(bodies(shared)) == set(FOUND) | set(ACCEPTED)
    assert len(FOUND) == 36


@pytest.mark.parametrize("name", FOUND)
def test_a_form_that_people_were_refused_breaks_its_rule(shared: Path, name: str) -> None:
    rule, level, text = FOUND[name]
    found = [each for each in judged(shared, name) if each.id == rule and fits(text, each.answered.message)]
    assert [each.level for each in found] == [level]
    others = [each.id for each in judged(shared, name) if each.level == "MUST" and each.id != rule]
    assert others == (["OAC-04"] if name == "C01-steer" else [])


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_form_that_only_memory_shows_breaks_none(shared: Path, name: str) -> None:
    assert judged(shared, name) == []


# --- refusals that were recorded ----------------------------------------------------------------------------

NOT_OURS = {
    "Invalid request body: [INVALID_ARGUMENT] input must be string or input items": "a strict server without a name",
    "Validation: Temperature must be between 0 and 2": "another server's own check",
    "Validation: `response_format.json_schema.name` cannot be empty": "another server's own check",
    "code=400, message=tools[0].type must be one of": "another server's own check",
    "messages[0].content must be a string": "an ability of the model",
    "Provider returned error": "a router hides the text of the provider",
    "Could not finish the message because max_tokens": "what a request costs is not in it",
}
"""Refusals about form that no rule says, and why."""


def refusals(shared: Path) -> list[dict[str, Any]]:
    lines = (shared / "corpus2" / "errors_recorded2.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return [each for each in found if each["api"] in PATHS and each["about"] in ("history", "form")]


def message_of(refusal: dict[str, Any]) -> str:
    body = json.loads(refusal["body"])
    error = body.get("error", body)
    return str(error if isinstance(error, str) else error["message"])


def test_every_recorded_refusal_about_a_history_is_in_the_words_of_a_rule(shared: Path) -> None:
    said = {"history": 0, "form": 0}
    unsaid = []
    for refusal in refusals(shared):
        message = message_of(refusal)
        wordings = [wording.message for rule in wire(refusal["api"]).rules for wording in rule.templates]
        if any(fits(wording, message) for wording in wordings if not wording.startswith("{")):
            said[refusal["about"]] += 1
        else:
            unsaid.append(next((start for start in NOT_OURS if message.startswith(start)), message))
    assert sorted(set(unsaid)) == sorted(NOT_OURS)
    assert (said, len(unsaid)) == ({"history": 8, "form": 3}, 9)
