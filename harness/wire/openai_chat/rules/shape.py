"""A request against its schema: each fault in the API's own words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.json_text import compact
from harness.wire.openai_chat.rules.history import ChatHistory
from harness.wire.openai_chat.rules.table import RULE_OF
from harness.wire.openai_chat.rules.table.request import OAC_MODEL
from harness.wire.openai_chat.schema import NAME_PATTERN, SHAPE
from harness.wire.openai_chat.types import described, listed, shortened, type_name, wanted
from harness.wire.rule import Certainty
from harness.wire.shape import Fault

_DECIMALS: Final = frozenset({"temperature", "top_p", "presence_penalty", "frequency_penalty"})

_LAX_ELSEWHERE: Final = frozenset({"OAC-09", "OAC-11", "OAC-15", "OAC-18", "OAC-CACHE", "OAC-NAME", "OAC-NUMBER"})
"""What other makers' servers take that OpenAI's refuses, by recordings or for all that we know."""

_LIKELY_ELSEWHERE: Final = frozenset({"OAC-ROLE"})
"""What some other makers' servers take, and others refuse."""

Description = tuple[str, str, str, dict[str, Any]]
"""The wording of a fault, what was expected, what came, and the words of the wording."""


def model_is_named(history: ChatHistory) -> Iterator[Finding]:
    """OAC-MODEL: a request without the name of a model."""
    if not history.body.get("model"):
        yield OAC_MODEL.broken("model", expected="the name of a model", got=described(history.body, "model"))


def fits_the_schema(history: ChatHistory) -> Iterator[Finding]:
    """The rule of each member that the schema forbids."""
    for fault in SHAPE.faults(history.body):
        if not _is_taken_elsewhere(fault, history):
            template, expected, got, words = _DESCRIPTIONS[fault.keyword](fault)
            certainty: Certainty | None = (
                "likely" if fault.rule in _LIKELY_ELSEWHERE and not history.is_strict else None
            )
            rule = RULE_OF[fault.rule]
            bound = ("value", "length") if fault.is_bound else None
            yield rule.broken(
                _place(fault), expected=expected, got=got, template=template, certainty=certainty, bound=bound, **words
            )


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
