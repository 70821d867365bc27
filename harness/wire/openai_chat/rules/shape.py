"""A request against its schema: each fault in the API's own words."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from harness.wire.issued import issued_calls
from harness.wire.json_text import compact
from harness.wire.openai_chat.rules.book import RULES
from harness.wire.openai_chat.rules.error_templates import (
    DECIMAL_ABOVE,
    DECIMAL_BELOW,
    EMPTY_ARRAY,
    INTEGER_ABOVE,
    INTEGER_BELOW,
    LONG_STRING,
    MISSING,
    TYPE,
    seen,
)
from harness.wire.openai_chat.rules.history import ChatHistory, Found
from harness.wire.openai_chat.rules.places import call_turns, is_strict, messages, of_role
from harness.wire.openai_chat.schema import NAME_PATTERN, SHAPE
from harness.wire.openai_chat.types import listed, shortened, type_name, wanted
from harness.wire.posted import Posted, Right, Wrong, drop, put
from harness.wire.rule import Certainty, ErrorTemplate, WireRule
from harness.wire.shape import Fault

_DECIMALS: Final = frozenset({"temperature", "top_p", "presence_penalty", "frequency_penalty"})

_LAX_ELSEWHERE: Final = frozenset({"OAC-09", "OAC-11", "OAC-15", "OAC-18", "OAC-CACHE", "OAC-NAME", "OAC-NUMBER"})
"""Rules of OpenAI's server that other makers' servers do not apply, by recordings or by all that is known."""

_LIKELY_ELSEWHERE: Final = frozenset({"OAC-ROLE"})
"""What some other makers' servers accept and others refuse."""

Description = tuple[str, str, str, dict[str, Any]]
"""A description of a fault: its wording, the expected and the actual value, and the words of the wording."""


def _send(posted: Posted, raw: bytes) -> bool:
    posted.raw = raw
    return True


OAC_JSON: Final = WireRule(
    "OAC-JSON",
    "The body is one JSON object.",
    "A body that was cut, encoded twice or sent as a form is refused before anything of it is read.",
    "certain",
    ("OAI-01 of the Responses wire has the same text; known from memory, the refusal itself is certain",),
    (
        ErrorTemplate(
            "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP "
            "library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
            name="unreadable",
        ),
    ),
    wrong=(
        Wrong(
            "chat-body-cut",
            "The body ends in the middle.",
            lambda it: _send(it, it.content()[:-2]),
            "one-call choice spoken",
        ),
        Wrong(
            "chat-body-list",
            "The body is a list.",
            lambda it: _send(it, b"[%s]" % it.content()),
            "one-call choice spoken",
        ),
    ),
)

RULES.declare(OAC_JSON)


OAC_01: Final = WireRule(
    "OAC-01",
    "A request has messages, at least one.",
    "A loop that trims its history to fit a window can trim all of it away; the next request is then refused.",
    "certain",
    ("recording chat-no-messages",),
    (
        seen(
            EMPTY_ARRAY,
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            name="minItems",
        ),
        seen(MISSING, name="required"),
    ),
    wrong=(
        Wrong(
            "chat-messages-empty",
            "The history was trimmed to nothing.",
            lambda it: put([it.body], messages=[]),
            "one-call choice spoken",
        ),
        Wrong(
            "chat-messages-missing",
            "The request has no messages.",
            lambda it: drop([it.body], "messages"),
            "one-call choice spoken",
            says="required",
        ),
    ),
)

OAC_TYPE: Final = WireRule(
    "OAC-TYPE",
    "Every member has the type that the API says: messages is a list of objects, content text or a list of parts, "
    "a token limit a number.",
    "Values that were read from a configuration as text, or a result put into a message as an object, are refused.",
    "certain",
    ("https://github.com/pydantic/pydantic-ai/issues/2653",),
    (
        seen(
            TYPE,
            "Invalid type for 'messages[1].content': expected one of a string or array of objects, "
            "but got an object instead.",
            name="type",
        ),
    ),
    wrong=(
        Wrong(
            "chat-result-id-number",
            "A result's id is a number.",
            lambda it: put(of_role(it, "tool")[-1:], tool_call_id=7),
            "two-calls",
        ),
        Wrong(
            "chat-content-object",
            "A result is put into its message as an object.",
            lambda it: put(of_role(it, "tool", "user")[-1:], content={"content": "ok"}),
            "one-call spoken",
        ),
        Wrong(
            "chat-limit-text",
            "A token limit is sent as text.",
            lambda it: put([it.body], max_completion_tokens="4096"),
            "one-call choice spoken",
        ),
        Wrong(
            "chat-stream-text",
            "Whether to stream is sent as text.",
            lambda it: put([it.body], stream="true"),
            "one-call choice spoken",
        ),
        Wrong(
            "chat-messages-object",
            "The messages are an object.",
            lambda it: (
                (found := messages(it))
                and put([it.body], messages={str(at): message for at, message in enumerate(found)})
            ),
            "one-call choice spoken",
        ),
        Wrong(
            "chat-messages-null",
            "The messages are null.",
            lambda it: put([it.body], messages=None),
            "one-call choice spoken",
        ),
        Wrong(
            "chat-message-text",
            "A message is a text.",
            lambda it: put([it.body], messages=[*messages(it), "Go on."]),
            "one-call choice spoken",
        ),
    ),
    right=(
        Right(
            "chat-results-named",
            "Tool messages have the name of their tool.",
            lambda it: put(of_role(it, "tool"), name="read_file"),
            "two-calls",
        ),
        Right(
            "chat-stream-returned",
            "Calls go back with the index that streams give them, and messages with members of responses.",
            lambda it: (
                put(call_turns(it), annotations=[])
                and [put([call], index=at) for turn in call_turns(it) for at, call in enumerate(turn["tool_calls"])]
            ),
            "two-calls",
        ),
        Right(
            "chat-members-null",
            "Members that are not set are null.",
            lambda it: put(
                [it.body], temperature=None, tool_choice=None, max_tokens=None, stop=None, reasoning_effort=None, n=None
            ),
            "two-calls reasoning gpt-5.4",
            also=("OAC-16", "OAC-EFFORT"),
        ),
    ),
)

OAC_NUMBER: Final = WireRule(
    "OAC-NUMBER",
    "Numbers keep to their bounds: temperature 0 to 2, top_p 0 to 1, penalties -2 to 2, n 1 to 128, top_logprobs 0 to "
    "20, token limits at least 1.",
    "A setting that another provider takes (a token limit of 0 for none, a temperature of 100) is refused.",
    "certain",
    (
        "recording chat_completions_validation_error_carries_identity",
        "recording test_openai_responses_model_http_error (the same server's text for a value below)",
        "bounds of other members: inferred",
        "other makers' servers take some of them (max_tokens 0), so only names of OpenAI's own are judged",
    ),
    (
        seen(
            DECIMAL_ABOVE,
            "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 99.0 instead.",
            name="decimal above",
        ),
        seen(
            DECIMAL_BELOW,
            "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.",
            name="decimal below",
        ),
        seen(INTEGER_ABOVE, certainty="inferred", name="integer above"),
        seen(INTEGER_BELOW, certainty="inferred", name="integer below"),
    ),
    applies="names of OpenAI's models, and names of no known server; certain for temperature, inferred for the others",
    wrong=(
        Wrong(
            "chat-temperature-below",
            "The temperature is below zero.",
            lambda it: is_strict(it) and put([it.body], temperature=-1),
            "one-call choice spoken",
            says="decimal below",
        ),
        Wrong(
            "chat-temperature-above",
            "The temperature is far above what there is.",
            lambda it: is_strict(it) and put([it.body], temperature=99.0),
            "one-call choice spoken",
        ),
        Wrong(
            "chat-limit-zero",
            "A token limit is zero, which elsewhere means none.",
            lambda it: is_strict(it) and put([it.body], max_completion_tokens=0),
            "one-call choice spoken",
            says="integer below",
        ),
        Wrong(
            "chat-too-many-answers",
            "More alternatives are asked for than there are.",
            lambda it: is_strict(it) and put([it.body], n=129),
            "one-call choice spoken",
            says="integer above",
        ),
    ),
)

OAC_CACHE: Final = WireRule(
    "OAC-CACHE",
    "prompt_cache_key has at most 64 characters.",
    "A key that is put together from the ids of session, agent and task fails in the first long one.",
    "certain",
    (
        "https://github.com/theopenco/llmgateway/pull/3110 (the whole body, for this API and the Responses API)",
        "https://github.com/alibaba/open-code-review/issues/1007",
    ),
    (
        seen(
            LONG_STRING,
            "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a "
            "string with length 72 instead.",
            name="maxLength",
        ),
    ),
    applies="names of OpenAI's models, and names of no known server",
    wrong=(
        Wrong(
            "chat-cache-key-long",
            "The key of the prompt cache is made of two ids.",
            lambda it: is_strict(it) and put([it.body], prompt_cache_key="k" * 72),
            "one-call choice spoken",
        ),
    ),
)


@RULES.check("schema", OAC_01, OAC_TYPE, OAC_NUMBER, OAC_CACHE)
def fits_the_schema(history: ChatHistory) -> Found:
    """The rule of each member that the schema forbids."""
    for fault in SHAPE.faults(history.body):
        if not _is_taken_elsewhere(fault, history):
            template, expected, got, words = _DESCRIPTIONS[fault.keyword](fault)
            certainty: Certainty | None = (
                "likely" if fault.rule in _LIKELY_ELSEWHERE and not history.is_strict else None
            )
            rule = _rule(fault.rule)
            bound = ("value", "length") if fault.is_bound else None
            yield rule.broken(
                _place(fault), expected=expected, got=got, template=template, certainty=certainty, bound=bound, **words
            )


@cache
def _rule(id_: str) -> WireRule:
    return next(rule for rule in RULES.declared if rule.id == id_)


def _is_taken_elsewhere(fault: Fault, history: ChatHistory) -> bool:
    """Whether others accept it: nobody refuses an id that was issued, and Mistral sends empty lists."""
    if fault.rule == "OAC-07":
        return fault.keyword == "maxLength" and (not history.is_strict or fault.value in issued_calls(history.state))
    if fault.rule == "OAC-08":
        return history.maker == "mistral"
    if fault.rule == "OAC-11" and fault.member != "type":
        return False
    return fault.rule in _LAX_ELSEWHERE and not history.is_strict


def _place(fault: Fault) -> str:
    """``messages[1].tool_calls[0].id``: the spelling of the API."""
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault.path]
    return "".join([*steps, f".{fault.member}" if fault.member else ""]).removeprefix(".")


# --- what each keyword of the schema says -------------------------------------------------------------------


def _missing(fault: Fault) -> Description:
    return "required", f"a member {fault.member}", "no such member", {}


def _wrong_type(fault: Fault) -> Description:
    expected, came = wanted(fault.wanted), type_name(fault.value)
    return "type", expected, came, {"wanted": expected, "came": came}


def _unknown_value(fault: Fault) -> Description:
    values = listed(fault.wanted)
    return "enum", values, repr(fault.value), {"value": fault.value, "values": values}


def _no_match(fault: Fault) -> Description:
    return "pattern", f"a text that matches {NAME_PATTERN}", shortened(fault.value), {"pattern": NAME_PATTERN}


def _empty(fault: Fault) -> Description:
    return fault.keyword, "at least one", "none", {}


def _empty_text(fault: Fault) -> Description:
    return fault.keyword, "a text", "an empty text", {}


def _too_long(fault: Fault) -> Description:
    length = len(fault.value)
    words: dict[str, Any] = {"limit": fault.wanted, "length": length}
    of = "characters" if isinstance(fault.value, str) else "entries"
    return fault.keyword, f"at most {fault.wanted} {of}", f"{length} {of}", words


def _beyond(fault: Fault) -> Description:
    kind = "decimal" if fault.path[-1] in _DECIMALS else "integer"
    above, sign = ("above", "<=") if fault.keyword == "maximum" else ("below", ">=")
    value = compact(fault.value)
    return f"{kind} {above}", f"a value {sign} {fault.wanted}", value, {"limit": fault.wanted, "value": value}


_DESCRIPTIONS: Final[dict[str, Callable[[Fault], Description]]] = {
    "required": _missing,
    "type": _wrong_type,
    "enum": _unknown_value,
    "pattern": _no_match,
    "minItems": _empty,
    "minLength": _empty_text,
    "maxItems": _too_long,
    "maxLength": _too_long,
    "minimum": _beyond,
    "maximum": _beyond,
}
