"""ANT-15: the thinking of the latest assistant turn is unmodified, complete and in its place.

``got`` begins with what happened to a block: it is altered, moved, dropped or duplicated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, Final

from harness.finding import Finding
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, Run
from harness.wire.anthropic_messages.rules.issued import THINKING, is_one_of, proof_of, show
from harness.wire.anthropic_messages.rules.places import (
    calls_of,
    doubt,
    forget_thinking,
    issued_turns,
    latest,
    latest_issued,
    of_kind,
    plain_of,
    take,
    thinking_of,
    thinks,
    turns,
)
from harness.wire.base import Json
from harness.wire.posted import Posted, Right, Wrong, add, put
from harness.wire.rule import ErrorTemplate, WireRule

_MODIFIED: Final = (
    "{at}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
    "These blocks must remain as they were in the original response."
)


def _swap_signatures(posted: Posted) -> bool:
    """Exchange the signatures of two thinking blocks of one turn."""
    for turn in latest_issued(posted):
        first, second = [*plain_of(turn), {}, {}][:2]
        if second and first["thinking"] != second["thinking"]:
            first["signature"], second["signature"] = second["signature"], first["signature"]
            return True
    return False


def _swap_two(posted: Posted) -> bool:
    """Exchange the first two thinking blocks of a turn."""
    for turn in latest_issued(posted):
        if len(thoughts := thinking_of(turn)) > 1:
            content = turn["content"]
            first, second = content.index(thoughts[0]), content.index(thoughts[1])
            content[first], content[second] = content[second], content[first]
            return True
    return False


def _move_behind_a_call(posted: Posted) -> bool:
    """Move the last thinking block after the call that follows it."""
    for turn in latest_issued(posted):
        content, last = turn["content"], thinking_of(turn)[-1]
        for call in calls_of(turn)[-1:]:
            if content.index(last) < content.index(call):
                content.remove(last)
                content.insert(content.index(call) + 1, last)
                return True
    return False


def _exchange_the_thoughts_of_the_same_words(posted: Posted) -> bool:
    """Exchange the thinking of the last two turns, which say the same."""
    found = issued_turns(posted)[-2:]
    texts = [of_kind(turn["content"], "text") for turn in found]
    if len(found) < 2 or found[-1:] != latest(posted) or texts[0] != texts[1] or any(map(calls_of, found)):
        return False
    found[0]["content"], found[1]["content"] = found[1]["content"], found[0]["content"]
    return True


ANT_15: Final = WireRule(
    "ANT-15",
    "The thinking blocks of the latest assistant turn go back unmodified, complete and in their order. All of them may "
    "be left out outside a tool loop and with thinking disabled.",
    "A loop that trims, merges, reorders or drops thinking within a turn is refused when it sends the results.",
    "certain",
    (
        "https://github.com/bastani-inc/atomic/issues/1318",
        "https://github.com/anthropics/anthropic-sdk-python/issues/1598",
        "all of a turn's thinking left out of a tool loop was accepted with adaptive thinking: likely only",
    ),
    (
        ErrorTemplate(
            _MODIFIED,
            seen="messages.3.content.9: `thinking` or `redacted_thinking` blocks in the latest assistant message "
            "cannot be modified. These blocks must remain as they were in the original response.",
            name="modified",
        ),
        ErrorTemplate(_MODIFIED, certainty="likely", name="all-dropped"),
    ),
    about=("thinking",),
    needs=("thinking", "signatures", "part-order"),
    wrong=(
        Wrong(
            "ant-thinking-altered",
            "The text of thinking is changed.",
            lambda it: doubt([each for turn in latest_issued(it) for each in plain_of(turn)]),
            "one-call two-calls",
        ),
        Wrong(
            "ant-signatures-swapped",
            "Two thinking blocks have each other's signature.",
            _swap_signatures,
            "two-thoughts",
        ),
        Wrong(
            "ant-thinking-dropped",
            "One thinking block of a turn is left out.",
            lambda it: [
                take(it, turn, thinking_of(turn)[-1]) for turn in latest_issued(it) if len(thinking_of(turn)) > 1
            ],
            "two-calls",
        ),
        Wrong(
            "ant-all-thinking-dropped",
            "Calls are answered without the thinking that led to them.",
            lambda it: (
                thinks(it) != "disabled" and forget_thinking([turn for turn in latest_issued(it) if calls_of(turn)])
            ),
            "one-call two-calls several-turns manual-thinking",
            also=("ANT-16",),
            says="all-dropped",
        ),
        Wrong(
            "ant-thinking-duplicated",
            "A thinking block comes twice.",
            lambda it: [add([turn], "content", deepcopy(thinking_of(turn)[0]), at=0) for turn in latest_issued(it)],
            "one-call two-calls",
        ),
        Wrong(
            "ant-thinking-moved", "Thinking follows the call that it led to.", _move_behind_a_call, "two-calls one-call"
        ),
        Wrong("ant-thinking-reordered", "Two thinking blocks change places.", _swap_two, "two-calls"),
        Wrong(
            "ant-thinking-of-another-turn",
            "Thinking of an earlier turn is put into the latest.",
            lambda it: (
                len(found := issued_turns(it)) > 1
                and add(latest(it), "content", deepcopy(thinking_of(found[0])[0]), at=0)
            ),
            "several-turns manual-thinking",
        ),
        Wrong(
            "ant-thinking-of-the-same-words",
            "Two turns that say the same have each other's thinking.",
            _exchange_the_thoughts_of_the_same_words,
            "same-words",
        ),
    ),
    right=(
        Right(
            "ant-earlier-thinking-forgotten",
            "The thinking of earlier turns is left out.",
            lambda it: forget_thinking([turn for turn in turns(it)[:-1] if thinking_of(turn)]),
            "several-turns foreign",
        ),
        Right(
            "ant-same-words-without-thinking",
            "Of two turns that say the same, the first has no thinking any more.",
            lambda it: [
                put([turn], content=of_kind(turn["content"], "text"))
                for turn in turns(it)[:-1][:1]
                if thinking_of(turn)
            ],
            "same-words",
        ),
    ),
)


@HISTORY_RULES.check("latest turn", ANT_15)
def latest_turn(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-15: the thinking of the latest assistant turn goes back unmodified, complete and in its place.

    All of it may be left out outside a tool loop, with thinking disabled, or if another model wrote it.
    """
    run = history.latest
    if run is None or not (run.thinking or len(run.calls) > 1 or history.issued.has_thinking):
        return
    items = history.issued_as(run)
    if not items or _order_of(run.natives) == _order_of(items):
        return
    found = _drop_finding(history, run, items) or _alteration_finding(history, run, items) or _move_finding(run, items)
    if found is not None:
        yield found


_ORDERED = (*THINKING, "tool_use")


def _order_of(natives: Sequence[Json]) -> list[Any]:
    """The thinking and the calls of a turn, to compare them with the issued ones."""
    kinds = [(native.get("type"), native) for native in natives]
    return [native if kind != "tool_use" else native.get("id") for kind, native in kinds if kind in _ORDERED]


def _drop_finding(history: AnthropicHistory, run: Run, items: Sequence[Json]) -> Finding | None:
    proofs = {proof_of(block.native) for block in run.thinking}
    is_off = history.settings.thinking.get("type") == "disabled" or not run.calls
    if not proofs and (is_off or _is_of_another_model(history, items)):
        return None
    for position, item in enumerate(items):
        if item["type"] in THINKING and proof_of(item) not in proofs and not _has_unissued_proof(history, item, run):
            at = run.blocks[min(position, len(run.blocks) - 1)].at
            got = "dropped" if proofs else "dropped, and all other thinking of the turn"
            return ANT_15.broken(at, expected=show(item), got=got, template="modified" if proofs else "all-dropped")
    return None


def _is_of_another_model(history: AnthropicHistory, items: Sequence[Json]) -> bool:
    """Whether the thinking of a turn came from another model than the one that is asked now."""
    numbers = {history.issued.number(item) for item in items if item["type"] in THINKING}
    asked = [history.issued.turns[number][0].model for number in numbers if number is not None]
    return bool(asked) and history.settings.model not in asked


def _alteration_finding(history: AnthropicHistory, run: Run, items: Sequence[Json]) -> Finding | None:
    """Other text under a signature, a block of another turn, or a block twice."""
    seen: set[str] = set()
    for block in run.thinking:
        proof = proof_of(block.native)
        issued = history.issued.thinking(proof)
        if not issued:
            continue
        if not is_one_of(block.native, issued):
            return _finding_at(block.at, show(issued[0]), f"altered: {show(block.native)}")
        if not any(item is one for item in items for one in issued):
            return _finding_at(block.at, _OWN, f"moved here from another turn: {show(block.native)}")
        if proof in seen:
            return _finding_at(block.at, _OWN, f"duplicated: {show(block.native)}")
        seen.add(proof)
    return None


_OWN = "only this turn's own blocks, once each"


def _move_finding(run: Run, items: Sequence[Json]) -> Finding | None:
    """Reports a changed order of the thinking and calls that both sides have."""
    was = [key for item in items if (key := _landmark(item))]
    blocks = {key: block for block in run.blocks if (key := _landmark(block.native))}
    counts = Counter(was)
    now = [key for key in blocks if counts[key] == 1]
    was = [key for key in was if key in blocks and counts[key] == 1]
    for before, after in zip(was, now, strict=True):
        if before != after:
            return _finding_at(blocks[after].at, f"{before[0]} {before[1]:.24}", f"moved: {after[0]} {after[1]:.24}")
    return None


def _finding_at(at: str, expected: str, got: str) -> Finding:
    return ANT_15.broken(at, expected=expected, got=got)


def _has_unissued_proof(history: AnthropicHistory, item: Json, run: Run) -> bool:
    """Whether a block came back under a proof that nobody issued, which ``signatures`` reports."""
    return any(
        block.native.get("thinking") == item.get("thinking") and not history.issued.thinking(proof_of(block.native))
        for block in run.of(item["type"])
    )


def _landmark(block: Json) -> tuple[str, str] | None:
    if block.get("type") in THINKING:
        return "thinking", proof_of(block)
    call_id = block.get("id") if block.get("type") == "tool_use" else None
    return ("call", call_id) if isinstance(call_id, str) else None
