"""Each bound of a number, a length or a choice, and the recording that shows it: what nobody has recorded is inferred.

Every bound in a schema is reached here by a body with each of its members in turn beyond it (``LEAVES``), so a new one
without a refusal that somebody got (``ErrorTemplate.seen``) cannot be certain, nor likely. A provider's facts about
single models have evidence of their own (``ModelFact``). The bounds of Gemini and Converse are in no schema: the wrong
requests of GEM-RANGE, BED-14 and BED-15 are beyond them.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from harness.finding import Finding
from harness.wire import ErrorTemplate, IssuedState, WireName, wire, wire_rules
from harness.wire.anthropic_messages.schema import HISTORY, SETTINGS
from harness.wire.openai_chat.schema import SHAPE as CHAT
from harness.wire.openai_responses.schema import SHAPE as RESPONSES
from harness.wire.shape import Fault, RequestShape

Path = tuple[str | int, ...]
PATHS: Final[dict[WireName, str]] = {
    "anthropic-messages": "/v1/messages",
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
}
SHAPES: Final[dict[WireName, tuple[RequestShape, ...]]] = {
    "anthropic-messages": (SETTINGS, HISTORY),
    "openai-chat": (CHAT,),
    "openai-responses": (RESPONSES,),
}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
FUNCTION: Final = {"name": "look", "parameters": {"type": "object", "properties": {}}}
BODIES: Final[dict[WireName, dict[str, Any]]] = {
    "anthropic-messages": {
        "model": "claude-opus-4-5",
        **{"max_tokens": 3000, "temperature": 1, "top_p": 1, "top_k": 5},
        "thinking": {"type": "enabled", "budget_tokens": 2000},
        "output_config": {"effort": "low"},
        "tool_choice": {"type": "auto"},
        "tools": [{"name": "look", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "a"}, IMAGE]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": [IMAGE]}]},
        ],
    },
    "openai-chat": {
        "model": "gpt-4.1",
        **{"max_tokens": 50, "max_completion_tokens": 50, "n": 1, "top_logprobs": 1, "seed": 1},
        **{"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0},
        **{"prompt_cache_key": "a", "tool_choice": "auto", "tools": [{"type": "function", "function": FUNCTION}]},
        "messages": [
            {"role": "user", "content": "a"},
            {
                "role": "assistant",
                "tool_calls": [
                    {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "b"},
        ],
    },
    "openai-responses": {
        "model": "gpt-4.1",
        **{"max_output_tokens": 50, "max_tool_calls": 1, "temperature": 1, "top_p": 1, "top_logprobs": 1},
        **{"tool_choice": "auto", "tools": [{"type": "function", **FUNCTION}]},
        "input": [
            {"role": "user", "content": "a"},
            {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "b"},
        ],
    },
}


def leaves(value: Any, at: Path = ()) -> Iterator[Path]:
    """The place of every value in a body, the lists among them."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if at and not isinstance(value, dict):
        yield at
    for step, inner in members:
        yield from leaves(inner, (*at, step))


def beyond(value: Any) -> Iterator[Any]:
    """Values of the same type that are beyond any bound."""
    match value:
        case bool() | None:
            pass
        case int() | float():
            yield from (-(10**9), -1, 10**9)
        case str():
            yield from (f"{value}{'a' * 300}", "no-such")
        case list():
            yield value * 600


def changed(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for at in leaves(body):
        holder: Any = copy.deepcopy(body)
        whole = holder
        for step in at[:-1]:
            holder = holder[step]
        old = holder[at[-1]]
        for new in beyond(old):
            holder[at[-1]] = new
            yield copy.deepcopy(whole)


def found(name: WireName, body: dict[str, Any]) -> list[Finding]:
    speaks = wire(name)
    route = speaks.route("POST", PATHS[name])
    assert route is not None
    return speaks.violations(speaks.read(route, json.dumps(body).encode()), IssuedState())


def bounds_beyond(name: WireName) -> Iterator[tuple[Fault, Finding]]:
    """Each bound of the schema that a changed body is beyond, with what the wire finds there."""
    for body in changed(BODIES[name]):
        judged = found(name, body)
        for fault in (fault for shape in SHAPES[name] for fault in shape.faults(body)):
            rule = fault.rule.partition("/")[0]
            for finding in judged if fault.is_bound else ():
                if finding.reference == rule and (str(fault.path[-1]) in said(finding) or rule.endswith("-20")):
                    yield fault, finding


def said(finding: Finding) -> str:
    return f"{finding.answered.place} {finding.answered.param} {finding.answered.message}"


def declared(schema: Any, rule: str = "", member: str = "", *, when: bool = False) -> Iterator[tuple[str, str, str]]:
    """(rule, member, keyword) of each bound that a schema states."""
    if isinstance(schema, list):
        for each in schema:
            yield from declared(each, rule, member, when=when)
    if not isinstance(schema, dict):
        return
    rule = schema.get("rule", rule)
    for keyword, inner in schema.items():
        if Fault(rule, keyword, inner, (), None).is_bound and not when:
            yield rule, member, keyword
        elif keyword == "properties":
            for name, each in inner.items():
                yield from declared(each, rule, name, when=when)
        elif keyword not in ("rule", "required", "type", "enum", "const"):
            yield from declared(inner, rule, member, when=when or keyword in ("if", "not"))


def is_shown(finding: Finding) -> bool:
    """Whether somebody got this refusal for this member: the same text but for places, and for what was sent."""
    message = finding.answered.message
    seen = [template.seen for template in wire_rules()[finding.reference].templates if template.seen]
    return any(
        re.search(".*".join(map(re.escape, placeless(text).split("…"))), placeless(message), re.DOTALL) is not None
        if "…" in text
        else without_sent(placeless(text)) == without_sent(placeless(message))
        for text in seen
    )


def placeless(text: str) -> str:
    """A text with the last member for each place."""
    return re.sub(r"[\w\[\]-]+[.\]][\w.\[\]-]*?(?<!\w)([A-Za-z_]\w*)(?![\w.\[\]-])", r"\1", text)


def without_sent(text: str) -> str:
    return re.sub(r"(got|with length|Invalid value:) ('[^']*'|(a string with length )?-?[\d.]+)", r"\1 x", text)


@pytest.mark.parametrize("name", SHAPES)
def test_what_nobody_has_recorded_is_inferred(name: WireName) -> None:
    for fault, finding in bounds_beyond(name):
        assert (finding.level == "INFO") or is_shown(finding), (fault, finding)


@pytest.mark.parametrize("name", SHAPES)
def test_no_bound_is_left_out(name: WireName) -> None:
    stated = {each for shape in SHAPES[name] for each in declared(shape._schema)}
    reached = {(fault.rule, str(fault.path[-1]), fault.keyword) for fault, _ in bounds_beyond(name)}
    assert stated - reached == set()


SHOWN: Final = [
    ("anthropic-messages", {"temperature": 1.5, "top_p": None}, "MUST"),
    ("anthropic-messages", {"temperature": -0.5, "top_p": None}, "MUST"),
    ("anthropic-messages", {"top_p": -1, "temperature": None}, "INFO"),  # answered with 200
    ("anthropic-messages", {"top_k": -1}, "INFO"),
    ("openai-responses", {"temperature": 3}, "MUST"),
    ("openai-responses", {"temperature": -1}, "MUST"),
    ("openai-responses", {"max_output_tokens": 1}, "MUST"),
    ("openai-responses", {"top_p": 1.5}, "INFO"),
    ("openai-responses", {"top_logprobs": 30}, "INFO"),
    ("openai-chat", {"temperature": 99.0, "max_completion_tokens": None}, "MUST"),
    ("openai-chat", {"n": 200, "max_completion_tokens": None}, "INFO"),
    ("openai-chat", {"frequency_penalty": 3, "max_completion_tokens": None}, "INFO"),
    ("openai-chat", {"prompt_cache_key": "a" * 65, "max_completion_tokens": None}, "MUST"),
]


@pytest.mark.parametrize(("name", "members", "level"), SHOWN)
def test_a_bound_is_as_certain_as_its_recording(name: WireName, members: dict[str, Any], level: str) -> None:
    body = {key: value for key, value in {**BODIES[name], "thinking": None, **members}.items() if value is not None}
    body.pop("output_config", None)
    levels = [each.level for each in found(name, body) if next(iter(members)) in said(each)]
    assert levels == [level]


@pytest.mark.parametrize(
    ("seen", "words", "shown"),
    [
        ("Invalid 'input[35].id': at most 64, got 67.", {"at": "input[2].id", "most": 64, "got": 99}, True),
        ("Invalid 'input[35].id': at most 64, got 67.", {"at": "input[2].id", "most": 40, "got": 99}, False),
        ("Invalid 'input[35].id': at most 64, got 67.", {"at": "input[2].name", "most": 64, "got": 99}, False),
        ("…'input[35].id': at most 64…", {"at": "input[2].id", "most": 64, "got": 99}, True),
        ("…at most 40…", {"at": "input[2].id", "most": 64, "got": 99}, False),
        ("", {"at": "input[2].id", "most": 64, "got": 99}, False),
    ],
)
def test_a_refusal_shows_the_bound_that_it_names(seen: str, words: dict[str, Any], shown: bool) -> None:
    template = ErrorTemplate("Invalid '{at}': at most {most}, got {got}.", seen=seen)
    assert template.shows(words, ("got",)) is shown
