"""Members that are missing, unknown, or of another type, in the provider's words: OAI-04 to OAI-06."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from harness.finding import Finding
from harness.wire.openai_models import KNOWN, OPENAI_MODELS
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.rules.places import (
    CALLS,
    RESULTS,
    functions,
    is_deepseeks,
    last,
    leave_out,
    of_kind,
    say,
)
from harness.wire.openai_responses.rules.words import around, brief, spelled
from harness.wire.posted import Posted, Right, Wrong, drop, put
from harness.wire.rule import Certainty, ErrorTemplate, WireRule
from harness.wire.shape import Fault

_VENDOR: Final = re.compile(r"[a-z][\w-]*[/.][a-z]", re.IGNORECASE)

_MOVED: Final = {
    "messages": "input",
    "max_completion_tokens": "max_output_tokens",
    "reasoning_effort": "reasoning.effort",
    "response_format": "text.format",
}
"""Parameters of Chat that have another name here."""


def _declare_as_in_chat(posted: Posted) -> bool:
    for tool in (found := functions(posted)):
        tool["function"] = {name: tool.pop(name) for name in list(tool) if name != "type"}
    return bool(found)


OAI_04: Final = WireRule(
    "OAI-04",
    "Every input item, content part and tool has the members that its type requires.",
    "A serialiser that leaves out empty or null members, or tools in the shape of Chat, fail here.",
    "certain",
    (
        "https://github.com/openai/codex/issues/6725",
        "https://github.com/stanfordnlp/dspy/pull/9984 (tools in Chat's shape)",
    ),
    (
        ErrorTemplate(
            "Missing required parameter: '{param}'.",
            "{param}",
            "missing_required_parameter",
            seen="Missing required parameter: 'input[79].id'.",
            name="missing",
        ),
    ),
    applies="certain but for an output's call_id, which the newest SDK types no longer require",
    wrong=(
        Wrong(
            "responses-call-without-name",
            "A call has no name.",
            lambda it: drop(last(it, *CALLS), "name"),
            "one-call free-text-tool",
        ),
        Wrong(
            "responses-call-without-arguments",
            "A call has no arguments.",
            lambda it: drop(last(it, "function_call"), "arguments"),
            "one-call foreign-history",
        ),
        Wrong(
            "responses-result-without-output",
            "An output has no output.",
            lambda it: drop(last(it, *RESULTS), "output"),
            "parallel-calls named-history",
        ),
        Wrong(
            "responses-result-without-call-id",
            "An output does not say what it answers.",
            lambda it: drop(last(it, *RESULTS), "call_id"),
            "parallel-calls named-history free-text-tool",
            also=("OAI-10",),
        ),
        Wrong(
            "responses-reasoning-without-summary",
            "A reasoning item has no summary, not even an empty one.",
            lambda it: drop(last(it, "reasoning"), "summary"),
            "one-call foreign-history",
        ),
        Wrong(
            "responses-reference-without-id",
            "A reference names nothing.",
            lambda it: drop(last(it, "item_reference"), "id"),
            "references",
        ),
        Wrong(
            "responses-part-without-text",
            "A part has no text.",
            lambda it: put(last(it, *RESULTS), output=[{"type": "input_text"}]),
            "one-call free-text-tool",
        ),
        Wrong(
            "responses-tools-of-chat",
            "Tools are declared in the form of Chat.",
            _declare_as_in_chat,
            "without-reasoning one-call",
        ),
    ),
    right=(
        Right(
            "responses-status-dropped",
            "Items come back without their status.",
            lambda it: drop(of_kind(it, *CALLS, "message"), "status"),
            "parallel-calls answered free-text-tool",
        ),
        Right(
            "responses-item-of-the-future",
            "An item has an unknown type.",
            lambda it: say(it, {"type": "hologram_call", "id": "holo_1", "status": "completed"}),
            "one-call named-history",
            also=("OAI-05",),
        ),
    ),
)


@RULES.check("members", OAI_04)
def members_are_there(asked: Asked) -> Iterator[Finding]:
    """OAI-04."""
    yield from map(_missing, asked.forbidden(OAI_04))


def _missing(fault: Fault) -> Finding:
    at, item = around(fault)
    param = f"{at}.{fault.member}"
    kind = str(fault.value.get("type", "message" if "role" in fault.value else at))
    certainty: Certainty | None = "inferred" if (kind, fault.member) == ("function_call_output", "call_id") else None
    only = ", ".join(sorted(fault.value)) or "nothing"
    return OAI_04.broken(
        item, expected=f"{kind} with {fault.member}", got=f"only {only}", certainty=certainty, param=param
    )


def _disable_thinking(posted: Posted) -> bool:
    """Use the setting of DeepSeek's Chat API; the calls come back without reasoning."""
    if not is_deepseeks(posted) or not leave_out(posted, of_kind(posted, "reasoning")):
        return False
    drop([posted.body], "reasoning")
    return put([posted.body], thinking={"type": "disabled"})


OAI_05: Final = WireRule(
    "OAI-05",
    "No item and no request has members that the API does not know. The classic trap is status on a reasoning item, "
    "even null, which model_dump() writes.",
    "A loop that sends back the SDK's objects as they are dumped fails on the first turn with reasoning.",
    "certain",
    (
        "https://github.com/openai/openai-agents-python/pull/3026",
        "https://github.com/1jehuang/jcode/issues/1028",
        "https://github.com/BerriAI/litellm/issues/13420",
        "https://github.com/lobehub/lobehub/issues/8116 (a parameter of Chat)",
        "46 recorded requests with reasoning: its members were id, type, summary and encrypted_content",
        "accepted, though the SDK does not have it: client_metadata, which Codex sends with every request",
        "accepted elsewhere: provider, recording test_openrouter_responses_prompt_cache_e2e",
    ),
    (
        ErrorTemplate(
            "Unknown parameter: '{param}'.",
            "{param}",
            "unknown_parameter",
            seen="Unknown parameter: 'input[1].status'.",
            name="unknown",
        ),
        ErrorTemplate(
            "Unsupported parameter: '{member}'. In the Responses API, this parameter has moved to '{now}'. Try "
            "again with the new parameter. See the API documentation for more information: "
            "https://platform.openai.com/docs/api-reference/responses/create.",
            None,
            "unsupported_parameter",
            seen="Unsupported parameter: 'reasoning_effort'. In the Responses API, this parameter has moved to "
            "'reasoning.effort'. Try again with the new parameter. See the API documentation for more "
            "information: https://platform.openai.com/docs/api-reference/responses/create.",
            name="moved",
        ),
    ),
    applies="certain for status on reasoning and for Chat's parameters; likely for any other member",
    wrong=(
        Wrong(
            "responses-reasoning-with-status",
            "Reasoning goes back as the SDK dumps it.",
            lambda it: put(last(it, "reasoning"), status=None),
            "one-call several-turns foreign-history",
        ),
        Wrong(
            "responses-result-is-error",
            "An output is marked as an error in the form of Anthropic.",
            lambda it: put(last(it, *RESULTS), is_error=True),
            "one-call free-text-tool",
        ),
        Wrong(
            "responses-setting-unknown",
            "A parameter that no API has.",
            lambda it: put([it.body], max_tokens=100),
            "one-call",
        ),
        Wrong(
            "responses-setting-of-chat",
            "The effort is given in the form of Chat.",
            lambda it: put([it.body], reasoning_effort="low"),
            "one-call without-reasoning",
            says="moved",
        ),
        Wrong(
            "responses-thinking-disabled",
            "DeepSeek's thinking is disabled by a setting of another API.",
            _disable_thinking,
            "deepseek",
        ),
    ),
    right=(
        Right(
            "responses-status-null",
            "A call's status is null.",
            lambda it: put(last(it, *CALLS), status=None),
            "one-call free-text-tool",
            also=("OAI-06",),
        ),
        Right(
            "responses-client-metadata",
            "The client says something of itself, as Codex does in every request.",
            lambda it: put([it.body], client_metadata={"session_id": "s-1", "turn_id": "t-1"}),
            "one-call parallel-calls",
        ),
    ),
)


@RULES.check("members", OAI_05)
def members_are_known(asked: Asked) -> Iterator[Finding]:
    """OAI-05. Other makers' servers, routers and clouds have parameters of their own beside the model's."""
    found = [*map(_unknown, asked.forbidden(OAI_05))]
    elsewhere = bool(found) and _is_served_elsewhere(asked.model)
    for each in found:
        yield replace(each, level="INFO") if elsewhere and _is_a_setting(each) else each


def _unknown(fault: Fault) -> Finding:
    at, item = around(fault)
    got = f"{fault.member}: {brief(fault.value[fault.member])}"
    if not fault.path and fault.member in _MOVED:
        now = _MOVED[fault.member]
        return OAI_05.broken(fault.member, expected=now, got=got, template="moved", member=fault.member, now=now)
    kind = fault.value["type"] if fault.path else "request"
    certainty: Certainty | None = None if (kind, fault.member) == ("reasoning", "status") else "likely"
    param = f"{at}.{fault.member}" if at else fault.member
    return OAI_05.broken(
        item or param, expected=f"{kind} without {fault.member}", got=got, certainty=certainty, param=param
    )


def _is_served_elsewhere(model: str) -> bool:
    """By its name: another maker's, or one with a vendor in front (``openai/gpt-5``, ``openai.gpt-oss-120b``)."""
    return OPENAI_MODELS.value(KNOWN, model) is False or _VENDOR.match(model) is not None


def _is_a_setting(found: Finding) -> bool:
    """Whether it is about a parameter beside the input, and one that Chat does not have under this name."""
    answered = found.answered
    return answered.code == "unknown_parameter" and "[" not in answered.place and "." not in answered.place


_ONE: Final = {
    "string": "a string",
    "array": "an array of objects",
    "object": "an object",
    "boolean": "a boolean",
    "integer": "an integer",
    "number": "a decimal",
}

_TYPE_NAMES: Final[dict[type, str]] = {
    bool: "a boolean",
    int: "an integer",
    float: "a decimal number",
    list: "an array",
    dict: "an object",
    str: "a string",
}


OAI_06: Final = WireRule(
    "OAI-06",
    "Every member has the type that the API requires. A call's arguments are a string of JSON, not the object; an "
    "output is a string or a list of parts.",
    "A loop that parses arguments and puts the object back, or returns a number as a result, fails on the next turn.",
    "likely",
    ("https://github.com/browserbase/stagehand-python/issues/149 (an output); other types as they are remembered",),
    (
        ErrorTemplate(
            "Invalid type for '{param}': expected {wanted}, but got {given} instead.",
            "{param}",
            "invalid_type",
            seen="Invalid type for 'input[0].output': expected a computer call output, but got a string instead.",
            name="type",
        ),
    ),
    wrong=(
        Wrong(
            "responses-arguments-parsed",
            "Arguments go back as an object.",
            lambda it: put(last(it, "function_call"), arguments={"path": "src"}),
            "one-call foreign-history",
        ),
        Wrong(
            "responses-result-number",
            "A result is a number.",
            lambda it: put(last(it, *RESULTS), output=42),
            "one-call named-history",
        ),
        Wrong(
            "responses-result-null",
            "A result is null.",
            lambda it: put(last(it, *RESULTS), output=None),
            "one-call free-text-tool",
        ),
        Wrong(
            "responses-input-object",
            "The input is one message.",
            lambda it: put([it.body], input={"role": "user"}),
            "answered",
        ),
        Wrong(
            "responses-item-text", "An input item is a text.", lambda it: say(it, "Go on."), "one-call named-history"
        ),
        Wrong(
            "responses-setting-text",
            "A number is sent as text.",
            lambda it: put([it.body], max_output_tokens="4096"),
            "without-reasoning one-call",
        ),
    ),
    right=(
        Right(
            "responses-results-as-parts",
            "Results are lists of parts.",
            lambda it: [
                put([each], output=[{"type": "input_text", "text": each["output"]}])
                for each in of_kind(it, *RESULTS)
                if isinstance(each.get("output"), str)
            ],
            "parallel-calls named-history free-text-tool",
            also=("OAI-20",),
        ),
        Right(
            "responses-null-settings",
            "Settings are null.",
            lambda it: [
                put([it.body], **{name: None})
                for name in ("temperature", "instructions", "previous_response_id", "tool_choice")
                if it.body.get(name) is None
            ],
            "one-call",
        ),
    ),
)


@RULES.check("members", OAI_06)
def types_fit(asked: Asked) -> Iterator[Finding]:
    """OAI-06."""
    yield from map(_wrong_type, asked.forbidden(OAI_06))


def _wrong_type(fault: Fault) -> Finding:
    kinds = [fault.wanted] if isinstance(fault.wanted, str) else [kind for kind in fault.wanted if kind != "null"]
    first, *rest = sorted(kinds, key=list(_ONE).index, reverse=True)
    wanted = f"one of {_ONE[first]} or {' or '.join(rest)}" if rest else _ONE[first]
    at = spelled(fault.path)
    type_name = _TYPE_NAMES.get(type(fault.value), "null")
    return OAI_06.broken(at, expected=wanted, got=brief(fault.value), param=at, wanted=wanted, given=type_name)
