"""What the schema forbids, in the provider's words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.openai_responses.rules.table import (
    OAI_04,
    OAI_05,
    OAI_06,
    OAI_07,
    OAI_08,
    OAI_20,
    OAI_22,
    OAI_24,
    OAI_25,
)
from harness.wire.openai_responses.rules.words import brief
from harness.wire.openai_responses.schema import CHAT_PARTS, ID_PREFIXES, INPUT_PARTS
from harness.wire.rule import Certainty
from harness.wire.shape import Fault

_OF_KEYWORD: Final = {"required": OAI_04.id, "additionalProperties": OAI_05.id, "type": OAI_06.id}
"""The rules that a keyword is about, wherever it stands."""

_MOVED: Final = {
    "messages": "input",
    "max_completion_tokens": "max_output_tokens",
    "reasoning_effort": "reasoning.effort",
    "response_format": "text.format",
}
"""Parameters of Chat that have another name here."""

_ITEM_ID: Final = re.compile(r"[A-Za-z0-9_-]+")


def misshapen(faults: Iterable[Fault], body: Json) -> dict[str, list[Finding]]:
    """The violations of each rule, from front to back; one at each place of a rule."""
    found: dict[str, dict[tuple[Any, ...], Finding]] = {}
    for fault in faults:
        rule = OAI_06.id if fault.keyword == "type" else fault.rule or _OF_KEYWORD[fault.keyword]
        findings = found.setdefault(rule, {})
        place = (*fault.path, fault.member)
        if place not in findings:
            findings[place] = _bad_id(fault, body) if rule == OAI_07.id else _FINDINGS[rule](fault)
    return {rule: list(findings.values()) for rule, findings in found.items()}


def _spelled(path: Iterable[str | int]) -> str:
    """A place in the provider's spelling: ``input[2].content[0].text``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def _around(fault: Fault) -> tuple[str, str]:
    """The spelling of the place, and of the input item or tool that it belongs to."""
    return _spelled(fault.path), _spelled(fault.path[:2])


def _missing(fault: Fault) -> Finding:
    at, item = _around(fault)
    param = f"{at}.{fault.member}"
    kind = str(fault.value.get("type", "message" if "role" in fault.value else at))
    certainty: Certainty | None = "inferred" if (kind, fault.member) == ("function_call_output", "call_id") else None
    only = ", ".join(sorted(fault.value)) or "nothing"
    return OAI_04.broken(
        item, expected=f"{kind} with {fault.member}", got=f"only {only}", certainty=certainty, param=param
    )


def _unknown(fault: Fault) -> Finding:
    at, item = _around(fault)
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


# --- types ------------------------------------------------------------------------------------------------------

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


def _wrong_type(fault: Fault) -> Finding:
    kinds = [fault.wanted] if isinstance(fault.wanted, str) else [kind for kind in fault.wanted if kind != "null"]
    first, *rest = sorted(kinds, key=list(_ONE).index, reverse=True)
    wanted = f"one of {_ONE[first]} or {' or '.join(rest)}" if rest else _ONE[first]
    at = _spelled(fault.path)
    type_name = _TYPE_NAMES.get(type(fault.value), "null")
    return OAI_06.broken(at, expected=wanted, got=brief(fault.value), param=at, wanted=wanted, given=type_name)


# --- ids and names ----------------------------------------------------------------------------------------------


def _bad_id(fault: Fault, body: Json) -> Finding:
    at, item = _around(fault)
    prefix = ID_PREFIXES[body["input"][fault.path[1]].get("type", "message")]
    template = "long"
    if not _ITEM_ID.fullmatch(fault.value):
        template = "characters"
    elif not fault.value.startswith(prefix):
        template = "prefix"
    return OAI_07.broken(
        item,
        expected=f"an id like {prefix}_...",
        got=brief(fault.value),
        template=template,
        bound=("length", "id") if template == "long" else None,
        param=at,
        id=fault.value,
        prefix=prefix,
        limit=fault.wanted,
        length=len(fault.value),
    )


def _bad_call_id(fault: Fault) -> Finding:
    at, item = _around(fault)
    length = len(fault.value)
    return OAI_08.broken(
        item,
        expected="1 to 64 characters",
        got=f"{length} characters",
        template="long" if fault.value else "empty",
        bound=("length",) if fault.is_bound else None,
        param=at,
        limit=fault.wanted,
        length=length,
    )


def _bad_name(fault: Fault) -> Finding:
    at, item = _around(fault)
    names = {"pattern": "pattern", "minLength": "empty", "maxLength": "long"}
    return OAI_25.broken(
        at if item.startswith("tools") else item,
        expected="1 to 64 letters, digits, _ and -",
        got=brief(fault.value),
        template=names[fault.keyword],
        certainty=None if item.startswith("tools") else "likely",
        bound=("length",) if fault.is_bound else None,
        param=at,
        limit=fault.wanted,
        length=len(fault.value),
    )


# --- values -----------------------------------------------------------------------------------------------------


def _unfit(fault: Fault) -> Finding:
    """A part that does not fit its role, or a role that there is not."""
    item = _spelled(fault.path[:2])
    if fault.keyword in ("enum", "required"):
        kind = fault.value if fault.keyword == "enum" else ""
        return OAI_20.broken(
            item,
            expected="a type, or the role of a message",
            got=brief(kind),
            template="role",
            kind=kind,
            bound=("kind",),
        )
    part = _spelled(fault.path[:-1])
    template = "assistant" if fault.value in INPUT_PARTS else "input"
    return OAI_20.broken(
        part,
        expected="a part that fits its role",
        got=fault.value,
        template="chat" if fault.value in CHAT_PARTS else template,
        kind=fault.value,
    )


def _out_of_bounds(fault: Fault) -> Finding:
    name = _spelled(fault.path)
    kind = "decimal" if name in ("temperature", "top_p") else "integer"
    side, sign = ("below", ">=") if fault.keyword == "minimum" else ("above", "<=")
    return OAI_22.broken(
        name,
        expected=f"{sign} {fault.wanted}",
        got=str(fault.value),
        template=f"{kind} {side}",
        bound=("value",),
        name=name,
        limit=fault.wanted,
        value=fault.value,
    )


def _bad_choice(fault: Fault) -> Finding:
    return OAI_24.broken(
        "tool_choice",
        expected=", ".join(fault.wanted),
        got=brief(fault.value),
        template="word",
        kind=fault.value,
        bound=("kind",),
    )


_FINDINGS: Final[dict[str, Callable[[Fault], Finding]]] = {
    OAI_04.id: _missing,
    OAI_05.id: _unknown,
    OAI_06.id: _wrong_type,
    OAI_08.id: _bad_call_id,
    OAI_20.id: _unfit,
    OAI_22.id: _out_of_bounds,
    OAI_24.id: _bad_choice,
    OAI_25.id: _bad_name,
}
