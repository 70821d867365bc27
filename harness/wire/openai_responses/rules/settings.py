"""Rules about the request as a whole: model, settings, tools, and the history that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeGuard

from harness.wire.base import Json, Violation
from harness.wire.lenient import entries
from harness.wire.openai_responses.read import conversation_id
from harness.wire.openai_responses.rules.asked import Asked

__all__ = [
    "chosen_tool_is_declared",
    "history_has_one_name",
    "model_is_named",
    "numbers_are_in_bounds",
    "previous_response_exists",
    "something_is_asked",
    "strict_schemas_are_closed",
    "tool_names_are_well_formed",
]

_TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]+")
_DECIMAL_BOUNDS: Final = {"temperature": (0, 2), "top_p": (0, 1)}
_LEAST_OUTPUT_TOKENS: Final = 16


def model_is_named(asked: Asked) -> Iterator[Violation]:
    """OAI-02. A stored ``prompt`` may bring its own model."""
    if not asked.body.get("model") and not asked.body.get("prompt"):
        yield Violation(
            "OAI-02",
            "Missing required parameter: 'model'.",
            "model",
            "the name of a model",
            _told(asked.body.get("model")),
            level="L",
            param="model",
            code="missing_required_parameter",
        )


def something_is_asked(asked: Asked) -> Iterator[Violation]:
    """OAI-03."""
    if all(asked.body.get(name) is None for name in ("input", "previous_response_id", "prompt", "conversation")):
        yield Violation(
            "OAI-03",
            """One of "input" or "previous_response_id" or 'prompt' or 'conversation' must be provided.""",
            "input",
            "input, or the name of an earlier response",
            "none of them",
            level="L",
            param="input",
            code="missing_required_parameter",
        )


def previous_response_exists(asked: Asked) -> Iterator[Violation]:
    """OAI-18. A response that was asked for with ``store: false`` is not kept."""
    previous = asked.previous
    if not isinstance(previous, str) or not previous:
        return
    turn = asked.sent.find(previous)
    if turn is None or turn[0].body.get("store") is False:
        yield Violation(
            "OAI-18",
            f"Previous response with id '{previous}' not found.",
            "previous_response_id",
            "the id of a response that was sent and stored",
            previous if turn is None else f"{previous}, which was asked for with store: false",
            param="previous_response_id",
            code="previous_response_not_found",
        )


def history_has_one_name(asked: Asked) -> Iterator[Violation]:
    """OAI-19."""
    if asked.previous and conversation_id(asked.body):
        yield Violation(
            "OAI-19",
            "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing "
            "one of these parameters.",
            "previous_response_id",
            "previous_response_id or conversation",
            "both",
            code="mutually_exclusive_parameters",
        )


def numbers_are_in_bounds(asked: Asked) -> Iterator[Violation]:
    """OAI-22."""
    for name, (least, most) in _DECIMAL_BOUNDS.items():
        value = asked.body.get(name)
        if _is_number(value) and value < least:
            yield _out_of_bounds(name, value, "decimal", "below", "minimum", least)
        if _is_number(value) and value > most:
            yield _out_of_bounds(name, value, "decimal", "above", "maximum", most)
    tokens = asked.body.get("max_output_tokens")
    if _is_number(tokens) and tokens < _LEAST_OUTPUT_TOKENS:
        yield _out_of_bounds("max_output_tokens", tokens, "integer", "below", "minimum", _LEAST_OUTPUT_TOKENS)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _out_of_bounds(name: str, value: Any, kind: str, side: str, bound: str, limit: int) -> Violation:
    sign = ">=" if side == "below" else "<="
    return Violation(
        "OAI-22",
        f"Invalid '{name}': {kind} {side} {bound} value. Expected a value {sign} {limit}, but got {value} instead.",
        name,
        f"{sign} {limit}",
        str(value),
        level="C" if name == "temperature" else "L",
        param=name,
        code=f"{kind}_{side}_{bound[:3]}_value",
    )


# --- tools -------------------------------------------------------------------------------------------------


def _tools(body: Json) -> list[tuple[int, Json]]:
    return [
        (index, tool)
        for index, tool in enumerate(entries(body.get("tools")))
        if isinstance(tool, dict) and tool.get("type") in ("function", "custom")
    ]


def strict_schemas_are_closed(asked: Asked) -> Iterator[Violation]:
    """OAI-23, for the outermost object of a tool that says ``strict: true``."""
    for index, tool in _tools(asked.body):
        schema = tool.get("parameters")
        if tool.get("strict") is not True or not isinstance(schema, dict):
            continue
        for complaint in _open_ends(schema):
            yield Violation(
                "OAI-23",
                f"Invalid schema for function '{tool.get('name')}': In context=(), {complaint}",
                f"tools[{index}].parameters",
                "additionalProperties: false and every property required",
                complaint,
                level="L",
                param=f"tools[{index}].parameters",
                code="invalid_function_parameters",
            )


def _open_ends(schema: Json) -> Iterable[str]:
    if schema.get("additionalProperties") is not False:
        yield "'additionalProperties' is required to be supplied and to be false."
        return
    required = schema.get("required") or ()
    missing = next((name for name in schema.get("properties") or {} if name not in required), None)
    if missing is not None:
        yield (
            "'required' is required to be supplied and to be an array including every key in properties. "
            f"Missing '{missing}'."
        )


def chosen_tool_is_declared(asked: Asked) -> Iterator[Violation]:
    """OAI-24."""
    choice = asked.body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") not in ("function", "custom"):
        return
    declared = {(tool.get("type"), tool.get("name")) for _, tool in _tools(asked.body)}
    if (choice["type"], choice.get("name")) not in declared:
        yield Violation(
            "OAI-24",
            f"Tool choice '{choice['type']}' not found in 'tools' parameter.",
            "tool_choice",
            "a declared tool",
            f"{choice['type']} {choice.get('name')}",
            level="L",
            param="tool_choice",
        )


def tool_names_are_well_formed(asked: Asked) -> Iterator[Violation]:
    """OAI-25."""
    for index, tool in _tools(asked.body):
        name = tool.get("name")
        if isinstance(name, str) and not _TOOL_NAME.fullmatch(name):
            yield Violation(
                "OAI-25",
                f"Invalid 'tools[{index}].name': string does not match pattern. Expected a string that matches the "
                "pattern '^[a-zA-Z0-9_-]+$'.",
                f"tools[{index}].name",
                "letters, digits, _ and -",
                name,
                level="L",
                param=f"tools[{index}].name",
                code="invalid_value",
            )


def _told(value: Any) -> str:
    return "nothing" if value is None else repr(value)
