"""Rules about calls and their outputs: each call is answered once, each output has its call, no item comes twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from harness.finding import Finding
from harness.wire.lenient import string
from harness.wire.openai_models import ADJACENT_CALLS, OPENAI_MODELS
from harness.wire.openai_responses.items import ARGUMENTS, OUTPUTS
from harness.wire.openai_responses.rules.asked import Asked, HistoryItem
from harness.wire.openai_responses.rules.table import OAI_09, OAI_10, OAI_11, OAI_12, OAI_13

__all__ = ["calls_are_answered", "items_are_unique", "outputs_are_unique", "outputs_have_a_call"]

_KINDS: Final = {"function_call": "function call", "custom_tool_call": "custom tool call"}


def items_are_unique(asked: Asked) -> Iterator[Finding]:
    """OAI-09. Items that ``previous_response_id`` already stands for count too."""
    seen: dict[str, str] = {}
    for entry in asked.history:
        item_id = entry.id
        if not item_id:
            continue
        if item_id in seen and entry.own:
            got = f"{item_id} at {seen[item_id]} and again at {entry.at}"
            yield OAI_09.broken(entry.at, expected=f"{item_id} once", got=got, id=item_id)
        seen.setdefault(item_id, entry.at)


def calls_are_answered(asked: Asked) -> Iterator[Finding]:
    """OAI-10. Of several calls with one id only OAI-12 knows something."""
    answered = {entry.call for entry in asked.history if entry.kind in OUTPUTS}
    orphans = list(_orphans(asked))
    reported = set()
    for entry in asked.history:
        call = entry.call
        if call is None or entry.kind not in ARGUMENTS or call in answered or call in reported:
            continue
        reported.add(call)
        kind, call_id = call
        yield OAI_10.broken(
            entry.at,
            expected=f"a {kind}_output for {call_id} ({entry.item.get('name')})",
            got=_instead(orphans, call_id),
            kind=_KINDS[kind],
            call_id=call_id,
        )
    if OPENAI_MODELS.holds(ADJACENT_CALLS, asked.model):
        yield from _parted_calls(asked)


def _orphans(asked: Asked) -> Iterator[HistoryItem]:
    """The outputs of which the request has no call."""
    calls = {entry.call for entry in asked.history if entry.kind in ARGUMENTS}
    return (entry for entry in asked.entries if entry.kind in OUTPUTS and entry.call not in calls)


def _instead(orphans: Sequence[HistoryItem], call_id: str) -> str:
    """The output that seems to be meant for a call: of another kind, or under an id that no call has."""
    for orphan in orphans:
        if orphan.item.get("call_id") == call_id:
            return f"an output of another kind: {orphan.kind} at {orphan.at}"
    if orphans:
        return f"none in the request; {orphans[0].at} answers {orphans[0].item.get('call_id')}, which no call has"
    return "none in the request"


def _parted_calls(asked: Asked) -> Iterator[Finding]:
    """OAI-10 on DeepSeek's server: something of the model's stands between the calls of a turn."""
    open_calls: list[HistoryItem] = []
    parted: HistoryItem | None = None
    for entry in asked.entries:
        if entry.kind in ARGUMENTS:
            if parted is not None and entry.call is not None:
                first = open_calls[0]
                yield OAI_10.broken(
                    first.at,
                    expected="all calls of a turn side by side, then their outputs",
                    got=f"{parted.kind} at {parted.at} between it and {entry.name}",
                    template="parted",
                    call_id=first.item.get("call_id"),
                )
                parted = None
            open_calls.append(entry)
        elif entry.kind in OUTPUTS:
            open_calls, parted = [], None
        elif open_calls:
            parted = entry


def outputs_have_a_call(asked: Asked) -> Iterator[Finding]:
    """OAI-11, and OAI-13 for an output before its call.

    Not judged in a history that only the provider knows, or of which it knows an item that is only named.
    """
    if asked.unknown or any(entry.kind == "item_reference" for entry in asked.entries):
        return
    calls = {entry.call for entry in asked.history if entry.kind in ARGUMENTS}
    before = {entry.call for entry in asked.inherited if entry.kind in ARGUMENTS}
    made: dict[str, HistoryItem] = {}
    for entry in asked.history:
        if entry.kind in ARGUMENTS:
            made.setdefault(string(entry.item.get("call_id")), entry)
    for entry in asked.entries:
        call = entry.call
        if entry.kind in ARGUMENTS:
            before.add(call)
        elif call is not None and call not in before:
            rule = OAI_13 if call in calls else OAI_11
            kind, call_id = call
            yield rule.broken(
                entry.at,
                expected=f"a {kind} with call_id {call_id} before it",
                got="its call comes later" if call in calls else _no_call(asked, call_id, made.get(call_id)),
                kind=_KINDS[kind],
                call_id=call_id,
            )


def _no_call(asked: Asked, call_id: str, made: HistoryItem | None) -> str:
    """What became of the call: it has another kind, it was dropped, or there never was one.

    ``made`` is the first call with this id, of whatever kind.
    """
    if made is not None:
        return f"a call of another kind: {made.kind} at {made.at}"
    if call_id in asked.issued.call_ids:
        return "no call: it was made, and is left out of this history"
    return "no call: nothing with this id was issued" if asked.state.turns else "no call"


def outputs_are_unique(asked: Asked) -> Iterator[Finding]:
    """OAI-12, for calls as well as for outputs."""
    seen: dict[tuple[str, tuple[str, str]], str] = {}
    for entry in asked.history:
        call = entry.call
        if call is None:
            continue
        first = seen.setdefault((entry.kind, call), entry.at)
        if first != entry.at and entry.own:
            yield OAI_12.broken(
                entry.at,
                expected=f"one {entry.kind} with call_id {call[1]}",
                got=f"another at {first}",
                kind=entry.kind,
                call_id=call[1],
            )
