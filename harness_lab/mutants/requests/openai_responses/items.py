"""Mistakes in single items and in the body as a whole: OAI-01 to OAI-09."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.mutant import RequestMutant
from harness_lab.mutants.requests.openai_responses.base_requests import (
    ANSWERED,
    CUSTOM,
    FOREIGN,
    NAMED,
    ONE_CALL,
    PARALLEL,
    PLAIN,
    REFERENCES,
    SEVERAL,
    STORED,
)
from harness_lab.mutants.requests.openai_responses.making import mutant, with_settings
from harness_lab.mutants.requests.openai_responses.places import (
    CALLS,
    OUTPUTS,
    answered_calls,
    functions,
    items,
    kind_of,
    last,
    names_its_history,
)

_PREFIXES = {"function_call": "fc", "custom_tool_call": "ctc"}


# --- the body ---------------------------------------------------------------------------------------------------


def cut_the_body(posted: Posted) -> bool:
    """Remove the last byte, so that the body is no JSON."""
    posted.raw = posted.content()[:-1]
    return True


def wrap_the_body(posted: Posted) -> bool:
    """Send the body as the only element of a list."""
    posted.raw = json.dumps([posted.body]).encode()
    return True


def forget_the_model(posted: Posted) -> bool:
    """Remove the model, in a request without a stored prompt that could name one."""
    return posted.body.pop("model", None) is not None and not posted.body.get("prompt")


def _named(model: str) -> Edit:
    def edit(posted: Posted) -> bool:
        posted.body["model"] = model
        return True

    return edit


def ask_nothing(posted: Posted) -> bool:
    """Remove the input, in a request that names neither a history nor a stored prompt."""
    if names_its_history(posted) or posted.body.get("prompt"):
        return False
    return posted.body.pop("input", None) is not None


def ask_with_nothing(posted: Posted) -> bool:
    """Empty the input, in a request that names neither a history nor a stored prompt."""
    if names_its_history(posted) or posted.body.get("prompt"):
        return False
    posted.body["input"] = []
    return True


# --- members of items -------------------------------------------------------------------------------------------


def _without(member: str, *kinds: str) -> Edit:
    def edit(posted: Posted) -> bool:
        item = last(posted, *kinds)
        return item is not None and item.pop(member, None) is not None

    return edit


def _with(member: str, value: Any, *kinds: str) -> Edit:
    def edit(posted: Posted) -> bool:
        item = last(posted, *kinds)
        if item is None:
            return False
        item[member] = value
        return True

    return edit


def declare_in_chats_shape(posted: Posted) -> bool:
    """Declare every tool in the form of the Chat API."""
    found = functions(posted)
    for tool in found:
        inner = {name: tool.pop(name) for name in list(tool) if name != "type"}
        tool["function"] = inner
    return bool(found)


def send_a_part_without_text(posted: Posted) -> bool:
    """Send the last result as a text part without its text."""
    item = last(posted, *OUTPUTS)
    if item is None:
        return False
    item["output"] = [{"type": "input_text"}]
    return True


def parse_the_arguments(posted: Posted) -> bool:
    """Send the arguments of the last call as an object in the place of JSON text."""
    item = last(posted, "function_call")
    if item is None:
        return False
    item["arguments"] = {"path": "src"}
    return True


def send_a_text_as_item(posted: Posted) -> bool:
    """Append a plain text to the items, where an object is required."""
    items(posted).append("Go on.")  # type: ignore[arg-type]
    return bool(items(posted))


# --- ids --------------------------------------------------------------------------------------------------------


def use_the_call_id_as_item_id(posted: Posted) -> bool:
    """Send the call id of an item as its item id, which has another prefix."""
    for item in items(posted):
        prefix = _PREFIXES.get(kind_of(item))
        call_id = item.get("call_id")
        if prefix and isinstance(call_id, str) and call_id and not call_id.startswith(prefix):
            item["id"] = call_id
            return True
    return False


def _with_item_id(suffix: str | None) -> Edit:
    """Another id for the last call: longer by ``suffix``, or empty."""

    def edit(posted: Posted) -> bool:
        item = last(posted, *CALLS)
        if item is None:
            return False
        item["id"] = "" if suffix is None else f"{_PREFIXES[kind_of(item)]}_{suffix}"
        return True

    return edit


def _with_call_id(call_id: str) -> Edit:
    """Another id for a call and for its output."""

    def edit(posted: Posted) -> bool:
        for call, output in answered_calls(posted):
            items(posted)[call]["call_id"] = items(posted)[output]["call_id"] = call_id
            return True
        return False

    return edit


def send_an_item_twice(posted: Posted) -> bool:
    """Send the first item that has an id twice."""
    for place, item in enumerate(items(posted)):
        if isinstance(item.get("id"), str) and item["id"]:
            items(posted).insert(place, deepcopy(item))
            return True
    return False


MUTANTS: tuple[RequestMutant, ...] = (
    mutant("body-cut", "The body ends one byte early.", ("OAI-01",), cut_the_body, ONE_CALL),
    mutant("body-list", "The body is a list.", ("OAI-01",), wrap_the_body, ONE_CALL, NAMED),
    mutant("model-blank", "The model's name is a title.", ("OAI-02",), _named("GPT 5.5 Pro"), ONE_CALL),
    mutant("model-unknown", "The model's name is misspelt.", ("OAI-02",), _named("gtp-5.5"), ONE_CALL, PLAIN),
    mutant("model-forgotten", "No model is named.", ("OAI-02",), forget_the_model, ONE_CALL, NAMED),
    mutant("input-forgotten", "Nothing is asked.", ("OAI-03",), ask_nothing, ANSWERED, FOREIGN),
    mutant("input-empty", "The input is an empty list.", ("OAI-03",), ask_with_nothing, ANSWERED, ONE_CALL),
    mutant("call-without-name", "A call has no name.", ("OAI-04",), _without("name", *CALLS), ONE_CALL, CUSTOM),
    mutant(
        "call-without-arguments",
        "A call has no arguments.",
        ("OAI-04",),
        _without("arguments", "function_call"),
        ONE_CALL,
        FOREIGN,
    ),
    mutant(
        "result-without-output",
        "An output has no output.",
        ("OAI-04",),
        _without("output", *OUTPUTS),
        PARALLEL,
        NAMED,
    ),
    mutant(
        "result-without-call-id",
        "An output does not say what it answers.",
        ("OAI-04", "OAI-10"),
        _without("call_id", *OUTPUTS),
        PARALLEL,
        NAMED,
        CUSTOM,
    ),
    mutant(
        "reasoning-without-summary",
        "A reasoning item has no summary, not even an empty one.",
        ("OAI-04",),
        _without("summary", "reasoning"),
        ONE_CALL,
        FOREIGN,
    ),
    mutant(
        "reference-without-id", "A reference names nothing.", ("OAI-04",), _without("id", "item_reference"), REFERENCES
    ),
    mutant("part-without-text", "A part has no text.", ("OAI-04",), send_a_part_without_text, ONE_CALL, CUSTOM),
    mutant(
        "tools-of-chat", "Tools are declared in the form of Chat.", ("OAI-04",), declare_in_chats_shape, PLAIN, ONE_CALL
    ),
    mutant(
        "reasoning-with-status",
        "Reasoning goes back as the SDK dumps it.",
        ("OAI-05",),
        _with("status", None, "reasoning"),
        ONE_CALL,
        SEVERAL,
        FOREIGN,
    ),
    mutant(
        "result-is-error",
        "An output is marked as an error in the form of Anthropic.",
        ("OAI-05",),
        _with("is_error", True, *OUTPUTS),
        ONE_CALL,
        CUSTOM,
    ),
    mutant("setting-unknown", "A parameter that no API has.", ("OAI-05",), with_settings(max_tokens=100), ONE_CALL),
    mutant(
        "setting-of-chat",
        "The effort is given in the form of Chat.",
        ("OAI-05",),
        with_settings(reasoning_effort="low"),
        ONE_CALL,
        PLAIN,
    ),
    mutant("arguments-parsed", "Arguments go back as an object.", ("OAI-06",), parse_the_arguments, ONE_CALL, FOREIGN),
    mutant("result-number", "A result is a number.", ("OAI-06",), _with("output", 42, *OUTPUTS), ONE_CALL, NAMED),
    mutant("result-null", "A result is null.", ("OAI-06",), _with("output", None, *OUTPUTS), ONE_CALL, CUSTOM),
    mutant("input-object", "The input is one message.", ("OAI-06",), with_settings(input={"role": "user"}), ANSWERED),
    mutant("item-text", "An input item is a text.", ("OAI-06",), send_a_text_as_item, ONE_CALL, NAMED),
    mutant(
        "setting-text",
        "A number is sent as text.",
        ("OAI-06",),
        with_settings(max_output_tokens="4096"),
        PLAIN,
        ONE_CALL,
    ),
    mutant(
        "call-id-as-item-id",
        "One id serves for the call and for its item.",
        ("OAI-07",),
        use_the_call_id_as_item_id,
        PLAIN,
        ONE_CALL,
        CUSTOM,
    ),
    mutant("item-id-empty", "A call's item id is empty.", ("OAI-07",), _with_item_id(None), PLAIN, ONE_CALL),
    mutant("item-id-long", "A call's item id is too long.", ("OAI-07",), _with_item_id("x" * 64), PLAIN, CUSTOM),
    mutant("call-id-empty", "A call's id is empty.", ("OAI-08",), _with_call_id(""), PLAIN, ONE_CALL, CUSTOM),
    mutant(
        "call-id-long", "A call's id is made of its arguments.", ("OAI-08",), _with_call_id("c" * 67), PLAIN, SEVERAL
    ),
    mutant("item-twice", "An item is sent twice.", ("OAI-09",), send_an_item_twice, STORED, ONE_CALL, FOREIGN),
)
