"""A request against its schema: each fault in the API's own words."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

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
from harness.wire.openai_chat.schema import NAME_PATTERN, SHAPE
from harness.wire.openai_chat.types import listed, shortened, type_name, wanted
from harness.wire.rule import Certainty, WireRule
from harness.wire.shape import Fault

_DECIMALS: Final = frozenset({"temperature", "top_p", "presence_penalty", "frequency_penalty"})

_LAX_ELSEWHERE: Final = frozenset({"OAC-09", "OAC-11", "OAC-15", "OAC-18", "OAC-CACHE", "OAC-NAME", "OAC-NUMBER"})
"""What other makers' servers take that OpenAI's refuses, by recordings or for all that we know."""

_LIKELY_ELSEWHERE: Final = frozenset({"OAC-ROLE"})
"""What some other makers' servers take, and others refuse."""

Description = tuple[str, str, str, dict[str, Any]]
"""The wording of a fault, what was expected, what came, and the words of the wording."""


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
    return next(rule for rule in RULES.rules if rule.id == id_)


def _is_taken_elsewhere(fault: Fault, history: ChatHistory) -> bool:
    """OpenAI's limits are not those of others: nobody refuses an id that was issued, and Mistral sends empty lists."""
    if fault.rule == "OAC-07":
        return fault.keyword == "maxLength" and (not history.is_strict or fault.value in history.issued)
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
