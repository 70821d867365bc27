"""Every output has its call, and every approval its request: OAI-11 to OAI-13."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from harness.finding import Finding
from harness.wire.issued import items_by
from harness.wire.openai_responses.rules.asked import Asked, HistoryItem
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.rules.kinds import (
    APPROVAL,
    APPROVED,
    CALL_KINDS,
    FUNCTION,
    OUTPUT_KINDS,
    is_for_the_client,
    request_of,
)
from harness.wire.openai_responses.rules.places import (
    BUILT_IN_CALLS,
    RESULTS,
    answered_calls,
    forget,
    items,
    last,
    leave_out,
    of_kind,
    place_of,
    result_of,
    say,
)
from harness.wire.posted import Posted, Right, Wrong, put
from harness.wire.rule import ErrorTemplate, WireRule

_NO_CALL: Final = "No tool call found for {kind} with call_id {call_id}."


def _trim_the_front(posted: Posted) -> bool:
    """Everything up to the first output goes, as a window over the history does it."""
    for first in of_kind(posted, *RESULTS)[:1]:
        at = place_of(posted, first)
        if any(place_of(posted, call) < at for call, _ in answered_calls(posted)):
            return leave_out(posted, items(posted)[:at])
    return False


def _show_what_the_provider_found(posted: Posted) -> bool:
    """Send only the tools that the provider found."""
    found = last(posted, "tool_search_output")
    return bool(found) and leave_out(posted, last(posted, "tool_search_call")) and put(found, execution="server")


OAI_11: Final = WireRule(
    "OAI-11",
    "Every output answers a call of its kind that the history has, sent or named, and every approval a request.",
    "A loop that trims its history from the front, or makes up ids of its own, leaves outputs without their calls. "
    "With store false the calls of the provider's own tools must be sent, too.",
    "certain",
    (
        "https://github.com/microsoft/vscode/issues/320060",
        "https://github.com/continuedev/continue/issues/10092",
        "shell, with store false: the recorded refusal issue-18134-shell-store-false-error of vercel/ai",
        "tool search: public code quotes the wording; of patches, local shells and the computer it is inferred",
        "approvals: https://community.openai.com/t/1365706",
    ),
    (
        ErrorTemplate(
            _NO_CALL,
            "input",
            seen="No tool call found for function call output with call_id call_TnakLSVsqtVt5cJssAhRwMoe.",
            name="orphan",
        ),
        ErrorTemplate(
            "The following MCP approval requests have approval responses but weren't passed as input: {ids}",
            "input",
            seen="The following MCP approval requests have approval responses but weren't passed as input: ...",
            name="approval",
        ),
    ),
    applies="not judged in a history that only the provider knows (a conversation that this case did not begin), nor "
    "for the output of a search that the provider ran",
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong(
            "responses-call-forgotten",
            "A call is left out, its result is not.",
            lambda it: leave_out(it, [call for call, _ in answered_calls(it)[:1]]),
            "without-reasoning free-text-tool foreign-history",
        ),
        Wrong(
            "responses-front-trimmed",
            "A window over the history cuts a turn in two.",
            _trim_the_front,
            "without-reasoning several-turns",
        ),
        Wrong(
            "responses-result-forged",
            "A result answers a call that was never made.",
            lambda it: not it.body.get("conversation") and say(it, result_of("call_of_nobody")),
            "without-reasoning named-history foreign-history references",
        ),
        Wrong(
            "responses-approval-request-forgotten",
            "The request that an approval answers is not sent.",
            forget(APPROVAL, APPROVED),
            "built-in-tools",
            says="approval",
        ),
        Wrong(
            "responses-approval-of-nobody",
            "An approval answers a request that was never made.",
            lambda it: put(last(it, APPROVED), approval_request_id="mcpr_of_nobody"),
            "built-in-tools",
            also=("OAI-10",),
            says="approval",
        ),
        *(
            Wrong(
                f"responses-{name}-call-forgotten",
                f"The {kind.call} of an output is not sent.",
                forget(kind.call, kind.output),
                "built-in-tools",
            )
            for name, kind in BUILT_IN_CALLS.items()
        ),
    ),
    right=(
        Right(
            "responses-approved-in-a-conversation",
            "An approval answers a request that only the provider's conversation has.",
            lambda it: leave_out(it, of_kind(it, APPROVAL)) and put([it.body], conversation="conv_elsewhere"),
            "built-in-tools",
        ),
        Right(
            "responses-found-by-the-provider",
            "What the provider has found comes back without its search.",
            _show_what_the_provider_found,
            "built-in-tools",
        ),
    ),
)

OAI_13: Final = WireRule(
    "OAI-13",
    "An output follows its call.",
    "Histories that are sorted by role or put together from two lists show the model a result before the question.",
    "inferred",
    ("inferred: no recording and no issue has an output before its call",),
    (ErrorTemplate(_NO_CALL, "input", name="early"),),
    about=("results",),
    wrong=(
        Wrong(
            "responses-result-before-call",
            "A result precedes its call.",
            lambda it: [leave_out(it, [output]) and say(it, output, at=0) for _, output in answered_calls(it)[:1]],
            "without-reasoning one-call free-text-tool",
        ),
    ),
)


@RULES.check("pairs", OAI_11, OAI_13)
def outputs_have_a_call(asked: Asked) -> Iterator[Finding]:
    """OAI-11, and OAI-13 for an output before its call.

    A history that only the provider knows, or that names an item, is not judged. Nor is the output of a search that the
    provider ran.
    """
    if asked.unknown or any(entry.kind == "item_reference" for entry in asked.entries):
        return
    calls = {key for _, call, makes in asked.pairs if makes for key in _keys(call)}
    before: set[tuple[str, str]] = set()
    for entry, call, makes in asked.pairs:
        if makes:
            before.update(_keys(call))
        elif call not in before and entry.own and is_for_the_client(entry.item):
            yield _without_call(asked, entry, call, late=call in calls)


def _keys(call: tuple[str, str]) -> Sequence[tuple[str, str]]:
    """How an output may name a call: by its kind; a built-in tool's call also as a function call."""
    return (call, (FUNCTION, call[1])) if CALL_KINDS[call[0]].built_in else (call,)


def _without_call(asked: Asked, entry: HistoryItem, call: tuple[str, str], *, late: bool) -> Finding:
    kind, call_id = call
    return (OAI_13 if late else OAI_11).broken(
        entry.at,
        expected=f"a {kind} with call_id {call_id} before it",
        got="its call comes later" if late else _no_call(asked, call_id),
        kind=OUTPUT_KINDS[entry.kind].output_words,
        call_id=call_id,
    )


def _no_call(asked: Asked, call_id: str) -> str:
    """What happened to the call: it has another kind, it was dropped, or it never existed."""
    made = asked.made.get(call_id)
    if made is not None:
        return f"a call of another kind: {made.kind} at {made.at}"
    if call_id in _issued_calls(asked.state):
        return "no call: it was made, and is left out of this history"
    return "no call: nothing with this id was issued" if asked.state.turns else "no call"


_issued_calls = items_by(lambda item: str(item.get("call_id")) if item.get("type") in CALL_KINDS else None)
"""The calls by their ids."""


@RULES.check("pairs", OAI_11)
def approvals_have_a_request(asked: Asked) -> Iterator[Finding]:
    """OAI-11, if the request itself shows the requests for approval."""
    if APPROVED not in asked.kinds or asked.unknown:
        return
    if any(entry.kind == "item_reference" for entry in asked.entries):
        return
    answers = [entry for entry in asked.entries if entry.kind == APPROVED]
    known = {entry.id for entry in asked.history if entry.kind == APPROVAL}
    orphans = [entry for entry in answers if request_of(entry.item) not in known]
    if orphans:
        ids = ", ".join(request_of(entry.item) for entry in orphans)
        yield OAI_11.broken(
            orphans[0].at,
            expected=f"the {APPROVAL} that it answers, in the same history",
            got=f"an answer to {ids}, which the history does not have",
            template="approval",
            ids=ids,
        )


def _give_two_calls_one_id(posted: Posted) -> bool:
    pairs = answered_calls(posted)[:2]
    if len(pairs) < 2 or pairs[0][0]["type"] != pairs[1][0]["type"]:
        return False
    return put(pairs[1], call_id=pairs[0][0]["call_id"])


OAI_12: Final = WireRule(
    "OAI-12",
    "A call_id belongs to one call and one output.",
    "A loop that answers a call again after a retry, or keeps one id for two calls, lets the model believe the wrong "
    "result.",
    "likely",
    ("https://github.com/NousResearch/hermes-agent/issues/102629 (a strict server behind gateways)",),
    (
        ErrorTemplate(
            "Duplicate {kind} for call_id '{call_id}'. Each function_call must have exactly one matching "
            "function_call_output",
            "input",
            seen="Duplicate function_call_output for call_id '…'. Each function_call must have exactly one "
            "matching function_call_output",
            name="duplicate",
        ),
    ),
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong(
            "responses-result-twice",
            "A call is answered twice.",
            lambda it: [say(it, {**output, "output": "later"}) for output in last(it, *RESULTS)],
            "one-call named-history conversation free-text-tool",
        ),
        Wrong(
            "responses-id-for-two-calls",
            "Two calls have one id.",
            _give_two_calls_one_id,
            "parallel-calls without-reasoning",
        ),
    ),
)


@RULES.check("pairs", OAI_12)
def outputs_are_unique(asked: Asked) -> Iterator[Finding]:
    """OAI-12, for calls as well as for outputs."""
    seen: dict[tuple[str, tuple[str, str]], str] = {}
    for entry, call, _ in asked.pairs:
        first = seen.setdefault((entry.kind, call), entry.at)
        if first != entry.at and entry.own:
            yield OAI_12.broken(
                entry.at,
                expected=f"one {entry.kind} with call_id {call[1]}",
                got=f"another at {first}",
                kind=entry.kind,
                call_id=call[1],
            )
