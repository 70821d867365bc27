"""The ids of items and of calls: OAI-07 to OAI-09."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.lenient import objects, string
from harness.wire.openai_models import KNOWN, OPENAI_MODELS
from harness.wire.openai_responses.items import kind_of
from harness.wire.openai_responses.rules.asked import Asked, HistoryItem
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.rules.issued import issued_items
from harness.wire.openai_responses.rules.kinds import APPROVAL, APPROVED
from harness.wire.openai_responses.rules.places import (
    CALLS,
    answered_calls,
    drop_ids,
    function_call,
    items,
    last,
    names_its_history,
    of_kind,
    result_of,
    say,
    send_twice,
    stores_nothing,
)
from harness.wire.openai_responses.rules.words import around, brief
from harness.wire.openai_responses.schema import ID_PREFIXES
from harness.wire.posted import Posted, Right, Wrong, put
from harness.wire.rule import ErrorTemplate, WireRule
from harness.wire.shape import Fault

_TOO_LONG: Final = (
    "Invalid '{param}': string too long. Expected a string with maximum length {limit}, but got a string with length "
    "{length} instead."
)

_ITEM_ID: Final = re.compile(r"[A-Za-z0-9_-]+")


def _use_a_call_id(posted: Posted) -> bool:
    for item in of_kind(posted, *CALLS):
        call_id = item.get("call_id")
        if isinstance(call_id, str) and call_id and not call_id.startswith(ID_PREFIXES[kind_of(item)]):
            item["id"] = call_id
            return True
    return False


OAI_07: Final = WireRule(
    "OAI-07",
    "An item id that is sent begins as ids of its type do (msg, rs, fc, ctc), has letters, digits, underscores and "
    "dashes only, and at most 64 of them. It may be left out, or null.",
    "Loops that use one id for both, or bring ids of another provider, put a call_id where the item id belongs.",
    "certain",
    (
        "https://github.com/nodetool-ai/nodetool/pull/4252",
        "https://github.com/langchain-ai/langchainjs/issues/11044",
        "recordings of DeepSeek have ids of its own, which its server takes back",
    ),
    (
        ErrorTemplate(
            "Invalid '{param}': '{id}'. Expected an ID that begins with '{prefix}'.",
            "{param}",
            "invalid_value",
            seen="Invalid 'input[3].id': 'call_x'. Expected an ID that begins with 'fc'.",
            name="prefix",
        ),
        ErrorTemplate(
            "Invalid '{param}': '{id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but "
            "this value contained additional characters.",
            "{param}",
            "invalid_value",
            seen="Invalid 'input[2].id': ''. Expected an ID that contains letters, numbers, underscores, or "
            "dashes, but this value contained additional characters.",
            name="characters",
        ),
        ErrorTemplate(_TOO_LONG, "{param}", "string_above_max_length", certainty="inferred", name="long"),
    ),
    applies="ids that the endpoint has not issued itself; inferred where the model is none of OpenAI's",
    about=("ids",),
    wrong=(
        Wrong(
            "responses-call-id-as-item-id",
            "One id serves for the call and for its item.",
            _use_a_call_id,
            "without-reasoning one-call free-text-tool",
        ),
        Wrong(
            "responses-item-id-empty",
            "A call's item id is empty.",
            lambda it: put(last(it, *CALLS), id=""),
            "without-reasoning one-call",
            says="characters",
        ),
        Wrong(
            "responses-item-id-long",
            "A call's item id is too long.",
            lambda it: [put([call], id=f"{ID_PREFIXES[kind_of(call)]}_{'x' * 64}") for call in last(it, *CALLS)],
            "without-reasoning free-text-tool",
            says="long",
        ),
    ),
    right=(
        Right(
            "responses-ids-dropped",
            "All items come back without ids.",
            drop_ids,
            "parallel-calls several-turns foreign-history",
            also=("OAI-15",),
        ),
        Right(
            "responses-calls-of-others",
            "Calls of another account precede the history.",
            lambda it: (
                not names_its_history(it)
                and not stores_nothing(it)
                and say(it, function_call("call_f", id="fc_of_others"), result_of("call_f"), at=0)
            ),
            "stored",
        ),
    ),
)


@RULES.check("ids", OAI_07)
def item_ids_are_well_formed(asked: Asked) -> Iterator[Finding]:
    """OAI-07, for ids that the endpoint did not issue itself. Servers of other makers have other ids."""
    found = [_bad_id(fault, asked.body) for fault in asked.forbidden(OAI_07)]
    issued = {entry.at for entry in asked.entries if found and string(entry.raw.get("id")) in issued_items(asked.state)}
    known = OPENAI_MODELS.holds(KNOWN, asked.model)
    for each in found:
        if each.answered.place not in issued:
            yield each if known else replace(each, level="INFO")


def _bad_id(fault: Fault, body: Json) -> Finding:
    at, item = around(fault)
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


OAI_08: Final = WireRule(
    "OAI-08",
    "A call_id has 1 to 64 characters.",
    "Ids that a loop makes up from names, or takes over from another provider, are too long; ids that a stream never "
    "delivered are empty.",
    "certain",
    (
        "https://github.com/continuedev/continue/issues/11685",
        "https://github.com/router-for-me/CLIProxyAPIPlus/issues/430",
        "https://github.com/BigPizzaV3/CodexPlusPlus/issues/315",
    ),
    (
        ErrorTemplate(
            "Invalid '{param}': empty string. Expected a string with minimum length 1, but got an empty string "
            "instead.",
            "{param}",
            "empty_string",
            seen="Invalid 'input[4].call_id': empty string. Expected a string with minimum length 1, but got an "
            "empty string instead.",
            name="empty",
        ),
        ErrorTemplate(
            _TOO_LONG,
            "{param}",
            "string_above_max_length",
            seen="Invalid 'input[35].call_id': string too long. Expected a string with maximum length 64, but got "
            "a string with length 67 instead.",
            name="long",
        ),
    ),
    about=("ids",),
    wrong=(
        Wrong(
            "responses-call-id-empty",
            "A call's id is empty.",
            lambda it: [put(pair, call_id="") for pair in answered_calls(it)[:1]],
            "without-reasoning one-call free-text-tool",
        ),
        Wrong(
            "responses-call-id-long",
            "A call's id is made of its arguments.",
            lambda it: [put(pair, call_id="c" * 67) for pair in answered_calls(it)[:1]],
            "without-reasoning several-turns",
            says="long",
        ),
    ),
)


@RULES.check("ids", OAI_08)
def call_ids_are_well_formed(asked: Asked) -> Iterator[Finding]:
    """OAI-08."""
    yield from map(_bad_call_id, asked.forbidden(OAI_08))


def _bad_call_id(fault: Fault) -> Finding:
    at, item = around(fault)
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


OAI_09: Final = WireRule(
    "OAI-09",
    "No item comes twice: its id is used once in the input and in the responses that previous_response_id names.",
    "A loop that names the previous response and sends its items again, or restores a session that the server still "
    "has, fails at the next request.",
    "certain",
    (
        "https://github.com/continuedev/continue/issues/10723",
        "https://github.com/MacPaw/OpenAI/issues/432 (together with previous_response_id)",
    ),
    (
        ErrorTemplate(
            "Duplicate item found with id {id}. Remove duplicate items from your input and try again.",
            "input",
            seen="Duplicate item found with id rs_…. Remove duplicate items from your input and try again.",
            name="duplicate",
        ),
    ),
    wrong=(
        Wrong(
            "responses-item-twice",
            "An item is sent twice.",
            lambda it: send_twice(it, [item for item in objects(items(it)) if item.get("id")]),
            "stored one-call foreign-history",
        ),
        Wrong(
            "responses-approval-asked-twice",
            "A request for an approval is sent twice.",
            lambda it: send_twice(it, of_kind(it, APPROVAL)),
            "built-in-tools",
        ),
        Wrong(
            "responses-approval-asked-again",
            "A request for an approval is sent again, though the response that is named has it.",
            lambda it: (
                it.body.get("previous_response_id")
                and say(it, {"type": APPROVAL, "id": "mcpr_1", "name": "ask", "server_label": "wiki"})
            ),
            "named-history",
            also=("OAI-10",),
        ),
        Wrong(
            "responses-call-sent-again",
            "A call is sent again, though the history that is named has it.",
            lambda it: names_its_history(it) and say(it, function_call("call_o", id="fc_o")),
            "conversation named-history",
            also=("OAI-10",),
        ),
    ),
    right=(
        Right(
            "responses-approval-asked-and-given-again",
            "A conversation is sent a request for an approval once more, with its answer.",
            lambda it: (
                it.body.get("conversation")
                and say(
                    it,
                    {"type": APPROVAL, "id": "mcpr_1", "name": "ask", "server_label": "wiki"},
                    {"type": APPROVED, "approval_request_id": "mcpr_1", "approve": True},
                )
            ),
            "conversation",
        ),
    ),
)


@RULES.check("ids", OAI_09)
def items_are_unique(asked: Asked) -> Iterator[Finding]:
    """OAI-09. Items that ``previous_response_id`` already includes count, too.

    A provider's conversation wants a request for an approval once more beside its answer, though it has it
    (community.openai.com/t/1365706).
    """
    seen: dict[str, HistoryItem] = {}
    for entry in asked.history:
        item_id = entry.id
        if not item_id:
            continue
        first = seen.setdefault(item_id, entry)
        if first is not entry and entry.own and (first.own or asked.previous or entry.kind != APPROVAL):
            got = f"{item_id} at {first.at} and again at {entry.at}"
            yield OAI_09.broken(entry.at, expected=f"{item_id} once", got=got, id=item_id)
