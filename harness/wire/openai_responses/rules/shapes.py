"""Rules about single input items: which members they have, of which type, and what ids look like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from harness.wire.base import Level, Violation
from harness.wire.lenient import entries
from harness.wire.openai_responses.rules.asked import Asked, Entry, kind_of

__all__ = [
    "call_ids_have_a_length",
    "content_parts_fit_the_role",
    "item_ids_are_well_formed",
    "members_are_known",
    "members_are_present",
    "members_have_their_type",
]

_REQUIRED: Final[dict[str, tuple[str, ...]]] = {
    "message": ("role", "content"),
    "reasoning": ("summary",),
    "function_call": ("call_id", "name", "arguments"),
    "function_call_output": ("call_id", "output"),
    "custom_tool_call": ("call_id", "name", "input"),
    "custom_tool_call_output": ("call_id", "output"),
    "item_reference": ("id",),
}

_CALL: Final = frozenset({"type", "id", "call_id", "name", "status", "namespace", "caller", "async", "created_by"})
_OUTPUT: Final = frozenset({"type", "id", "call_id", "name", "status", "namespace", "caller", "output", "created_by"})
_KNOWN: Final[dict[str, frozenset[str]]] = {
    "reasoning": frozenset({"type", "id", "summary", "content", "encrypted_content"}),
    "function_call": _CALL | {"arguments"},
    "custom_tool_call": _CALL | {"input"},
    "function_call_output": _OUTPUT,
    "custom_tool_call_output": _OUTPUT,
}

_Type = tuple[str, tuple[type, ...]]
_TEXT: Final[_Type] = ("a string", (str,))
_LIST: Final[_Type] = ("an array of objects", (list,))
_TEXT_OR_LIST: Final[_Type] = ("one of an array of objects or string", (str, list))
_TYPES: Final[dict[str, _Type]] = {
    "arguments": _TEXT,
    "call_id": _TEXT,
    "content": _TEXT_OR_LIST,
    "id": _TEXT,
    "input": _TEXT,
    "name": _TEXT,
    "output": _TEXT_OR_LIST,
    "role": _TEXT,
    "summary": _LIST,
}
"""What the provider's message calls the type of a required member, and the types that it takes."""

_PREFIXES: Final = {"message": "msg", "reasoning": "rs", "function_call": "fc", "custom_tool_call": "ctc"}
_ID: Final = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST_ID: Final = 64

_PARTS: Final[dict[str, tuple[str, ...]]] = {
    "assistant": ("output_text", "refusal"),
    "user": ("input_text", "input_image", "input_file", "input_audio", "computer_screenshot"),
}


def members_are_present(asked: Asked) -> Iterator[Violation]:
    """OAI-04. Certain but for an output's ``call_id``, which the newest SDK types no longer require."""
    for entry in asked.entries:
        for member in _REQUIRED.get(kind_of(entry.raw), ()):
            if member not in entry.raw:
                param = f"{entry.at}.{member}"
                level: Level = "I" if (member, entry.kind) == ("call_id", "function_call_output") else "C"
                yield Violation(
                    "OAI-04",
                    f"Missing required parameter: '{param}'.",
                    entry.at,
                    f"{kind_of(entry.raw)} with {member}",
                    f"only {', '.join(sorted(entry.raw))}",
                    level=level,
                    param=param,
                    code="missing_required_parameter",
                )


def members_are_known(asked: Asked) -> Iterator[Violation]:
    """OAI-05. Known for sure is the trap of ``status`` on reasoning, which ``model_dump()`` writes.

    Source: https://github.com/openai/openai-agents-python/pull/3026
    """
    for entry in asked.entries:
        kind = kind_of(entry.raw)
        for member in entry.raw:
            if member in _KNOWN.get(kind, entry.raw):
                continue
            yield Violation(
                "OAI-05",
                f"Unknown parameter: '{entry.at}.{member}'.",
                entry.at,
                f"{kind} without {member}",
                f"{member}: {entry.raw[member]!r}",
                level="C" if (kind, member) == ("reasoning", "status") else "L",
                param=f"{entry.at}.{member}",
                code="unknown_parameter",
            )


def members_have_their_type(asked: Asked) -> Iterator[Violation]:
    """OAI-06."""
    given = asked.body.get("input")
    if given is not None and not isinstance(given, str | list):
        yield _wrong_type("input", _TEXT_OR_LIST[0], given)
    for index, item in enumerate(entries(given)):
        if not isinstance(item, dict):
            yield _wrong_type(f"input[{index}]", "an object", item)
    for entry in asked.entries:
        for member in _REQUIRED.get(kind_of(entry.raw), ()):
            expected, types = _TYPES[member]
            if member in entry.raw and not isinstance(entry.raw[member], types):
                yield _wrong_type(f"{entry.at}.{member}", expected, entry.raw[member])


def _wrong_type(param: str, expected: str, value: Any) -> Violation:
    return Violation(
        "OAI-06",
        f"Invalid type for '{param}': expected {expected}, but got {_type_name(value)} instead.",
        param,
        expected,
        repr(value),
        level="L",
        param=param,
        code="invalid_type",
    )


def _type_name(value: Any) -> str:
    names = {bool: "a boolean", int: "an integer", float: "a decimal number", list: "an array", dict: "an object"}
    return names.get(type(value), "null" if value is None else "a string")


def item_ids_are_well_formed(asked: Asked) -> Iterator[Violation]:
    """OAI-07, for ids that the endpoint did not issue itself; an ``id`` of null counts as none.

    Sources: https://github.com/nodetool-ai/nodetool/pull/4252, https://github.com/langchain-ai/langchainjs/issues/11044
    """
    for entry in asked.entries:
        prefix, item_id = _PREFIXES.get(kind_of(entry.raw)), entry.raw.get("id")
        if prefix is None or not isinstance(item_id, str) or item_id in asked.issued.items:
            continue
        param = f"{entry.at}.id"
        complaint, code = _id_complaint(param, item_id, prefix)
        if complaint:
            yield Violation(
                "OAI-07", complaint, entry.at, f"an id like {prefix}_...", repr(item_id), param=param, code=code
            )


def _id_complaint(param: str, item_id: str, prefix: str) -> tuple[str, str]:
    if not _ID.fullmatch(item_id):
        return (
            f"Invalid '{param}': '{item_id}'. Expected an ID that contains letters, numbers, underscores, or dashes, "
            "but this value contained additional characters.",
            "invalid_value",
        )
    if not item_id.startswith(prefix):
        return f"Invalid '{param}': '{item_id}'. Expected an ID that begins with '{prefix}'.", "invalid_value"
    return _too_long(param, item_id), "string_above_max_length"


def _too_long(param: str, value: str) -> str:
    if len(value) <= _LONGEST_ID:
        return ""
    return (
        f"Invalid '{param}': string too long. Expected a string with maximum length {_LONGEST_ID}, but got a string "
        f"with length {len(value)} instead."
    )


def call_ids_have_a_length(asked: Asked) -> Iterator[Violation]:
    """OAI-08.

    Sources: https://github.com/continuedev/continue/issues/11685,
    https://github.com/router-for-me/CLIProxyAPIPlus/issues/430
    """
    for entry in asked.entries:
        call_id, param = entry.raw.get("call_id"), f"{entry.at}.call_id"
        if not isinstance(call_id, str):
            continue
        complaint, code = _too_long(param, call_id), "string_above_max_length"
        if not call_id:
            complaint = (
                f"Invalid '{param}': empty string. Expected a string with minimum length 1, but got an empty string "
                "instead."
            )
            code = "empty_string"
        if complaint:
            length = f"1 to {_LONGEST_ID} characters"
            yield Violation("OAI-08", complaint, entry.at, length, f"{len(call_id)} characters", param=param, code=code)


def content_parts_fit_the_role(asked: Asked) -> Iterator[Violation]:
    """OAI-20."""
    for entry in asked.entries:
        if kind_of(entry.raw) == "message":
            yield from _misfits(entry)


def _misfits(entry: Entry) -> Iterator[Violation]:
    role = entry.raw.get("role")
    fitting = _PARTS["assistant" if role == "assistant" else "user"]
    for index, part in enumerate(entries(entry.raw.get("content"))):
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in fitting:
            continue
        *first, last = (f"'{name}'" for name in fitting)
        yield Violation(
            "OAI-20",
            f"Invalid value: '{kind}'. Supported values are: {', '.join(first)} and {last}.",
            entry.at,
            f"a part that fits role {role}",
            str(kind),
            level="L",
            param=f"{entry.at}.content[{index}]",
            code="invalid_value",
        )
