"""Rules about calls and their outputs: each call is answered once, each output has its call, no item comes twice.

One pairing for all kinds of calls (``kinds``). Requests for an approval are paired by their item's id (``approvals``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.finding import Finding
from harness.wire.openai_models import ADJACENT_CALLS, OPENAI_MODELS
from harness.wire.openai_responses.rules.asked import Asked, HistoryItem
from harness.wire.openai_responses.rules.kinds import (
    APPROVAL,
    CALL_KINDS,
    OUTPUT_KINDS,
    call_id_of,
    is_for_the_client,
)
from harness.wire.openai_responses.rules.table import OAI_09, OAI_10, OAI_11, OAI_12, OAI_13
from harness.wire.rule import WireRule

_FUNCTION = "function_call"


def items_are_unique(asked: Asked) -> Iterator[Finding]:
    """OAI-09. Items that ``previous_response_id`` already stands for count too.

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


def calls_are_answered(asked: Asked) -> Iterator[Finding]:
    """OAI-10."""
    yield from missing_outputs(asked, OAI_10)
    if OPENAI_MODELS.holds(ADJACENT_CALLS, asked.model):
        yield from _parted_calls(asked)


def missing_outputs(asked: Asked, rule: WireRule) -> Iterator[Finding]:
    """A finding of ``rule`` for each call without an output. Of several calls with one id OAI-12 knows more."""
    answered = {call for _, call, makes in asked.pairs if not makes}
    reported = set()
    for entry, call, _ in asked.pairs:
        if call not in answered and call not in reported and _is_open(entry, call, answered):
            reported.add(call)
            yield _unanswered(asked, rule, entry, call)


def _is_open(entry: HistoryItem, call: tuple[str, str], answered: set[tuple[str, str]]) -> bool:
    """Whether the client must answer a call that no output of its kind answers."""
    is_answered = CALL_KINDS[call[0]].built_in and (_FUNCTION, call[1]) in answered
    return not is_answered and is_for_the_client(entry.item)


def _unanswered(asked: Asked, rule: WireRule, entry: HistoryItem, call: tuple[str, str]) -> Finding:
    kind, call_id = call
    name = f" ({entry.item['name']})" if entry.item.get("name") else ""
    return rule.broken(
        entry.at,
        expected=f"a {CALL_KINDS[kind].output} for {call_id}{name}",
        got=_instead(asked.orphans, call_id),
        kind=CALL_KINDS[kind].words,
        call_id=call_id,
    )


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
        if entry.kind in CALL_KINDS:
            if parted is not None and call_id_of(entry.item):
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
        elif entry.kind in OUTPUT_KINDS:
            open_calls, parted = [], None
        elif open_calls:
            parted = entry


def outputs_have_a_call(asked: Asked) -> Iterator[Finding]:
    """OAI-11, and OAI-13 for an output before its call.

    Not judged in a history that only the provider knows, or of which it knows an item that is only named. Nor is the
    output of a search that the provider ran.
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
    """How an output may name a call: by its kind, and one of a built-in tool as a function call, too."""
    return (call, (_FUNCTION, call[1])) if CALL_KINDS[call[0]].built_in else (call,)


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
    """What became of the call: it has another kind, it was dropped, or there never was one."""
    made = asked.made.get(call_id)
    if made is not None:
        return f"a call of another kind: {made.kind} at {made.at}"
    if call_id in asked.issued.call_ids:
        return "no call: it was made, and is left out of this history"
    return "no call: nothing with this id was issued" if asked.state.turns else "no call"


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
