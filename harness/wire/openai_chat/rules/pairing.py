"""Results and their calls, in the order of the history. Each violation comes with the message at which it is met."""

from __future__ import annotations

from collections.abc import Iterator

from harness.wire.base import Violation
from harness.wire.openai_chat.rules.history import Block, History
from harness.wire.openai_chat.rules.table import OAC_03, OAC_04, OAC_05, OAC_06, OAC_07, OAC_ORDER
from harness.wire.openai_chat.types import shortened
from harness.wire.rule import WireRule

__all__ = [
    "calls_are_answered",
    "calls_are_answered_once",
    "ids_are_mistrals",
    "results_follow_calls",
    "results_name_calls",
    "users_wait_for_the_assistant",
]

_Met = Iterator[tuple[int, Violation]]


def _in_words_of(history: History, rule: WireRule) -> str:
    """The maker's own wording of a rule, if it has one."""
    return history.maker if history.maker in dict(rule.wordings) else ""


def results_follow_calls(history: History) -> _Met:
    for at in history.orphans:
        before = history.messages[at - 1].get("role") if at else None
        got = f"a {before} message without tool_calls before it" if before else "nothing before it"
        expected = "an assistant message with tool_calls (and its other results) directly before it"
        saying = _in_words_of(history, OAC_04)
        yield at, OAC_04.broken(f"messages[{at}]", expected=expected, got=got, saying=saying, number=at)


def results_name_calls(history: History) -> _Met:
    for block in history.blocks:
        known = set(block.ids)
        for at, call_id in block.results:
            if call_id not in known:
                yield at, _unknown(history, block, at, call_id)


def _unknown(history: History, block: Block, at: int, call_id: str) -> Violation:
    place, expected = f"messages[{at}].tool_call_id", f"one of {', '.join(block.ids)}"
    if not call_id:
        return OAC_05.broken(place, expected=expected, got="no id", saying="missing", number=at)
    made = "of another turn" if call_id in history.issued else "never issued" if history.issued else "of no call"
    return OAC_05.broken(place, expected=expected, got=f"{shortened(call_id)}, {made}", id=call_id, number=at)


def calls_are_answered_once(history: History) -> _Met:
    """Within one block; an id that comes back in a later turn is accepted."""
    for block in history.blocks:
        for first, at, call_id in _repeated([(block.at, call_id) for call_id in block.ids]):
            saying = _in_words_of(history, OAC_06) or "call"
            yield at, _twice(first, at, call_id, saying, "each id once")
        for first, at, call_id in _repeated(block.results):
            saying = _in_words_of(history, OAC_06)
            yield at, _twice(first, at, call_id, saying, "one result for each call")


def _repeated(uses: list[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    """Where an id was used first, where again, and the id."""
    seen: dict[str, int] = {}
    for at, call_id in uses:
        if call_id in seen:
            yield seen[call_id], at, call_id
        elif call_id:
            seen[call_id] = at


def _twice(first: int, at: int, call_id: str, saying: str, expected: str) -> Violation:
    got = f"{shortened(call_id)} again"
    return OAC_06.broken(
        f"messages[{at}]", expected=expected, got=got, saying=saying, id=call_id, first=first, number=at
    )


def calls_are_answered(history: History) -> _Met:
    answers = {call_id: at for block in history.blocks for at, call_id in block.results}
    answers |= {str(history.messages[at].get("tool_call_id")): at for at in history.orphans}
    for block in history.blocks:
        answered = {call_id for _, call_id in block.results}
        missing = [call_id for call_id in block.ids if call_id and call_id not in answered]
        if missing:
            yield (
                block.end,
                OAC_03.broken(
                    f"messages[{block.at}]",
                    expected=f"a tool message for each call of messages[{block.at}] before any other message",
                    got=_told_missing(missing, answers),
                    saying=_in_words_of(history, OAC_03),
                    ids=", ".join(missing),
                    end=block.end,
                ),
            )


def _told_missing(missing: list[str], answers: dict[str, int]) -> str:
    """A result that stands elsewhere was moved, or belongs to a call of another turn under the same id."""
    moved = [f"{call_id} only in messages[{answers[call_id]}]" for call_id in missing if call_id in answers]
    dropped = [call_id for call_id in missing if call_id not in answers]
    return "; ".join([*([f"none for {', '.join(dropped)}"] if dropped else []), *moved])


def users_wait_for_the_assistant(history: History) -> _Met:
    if history.maker != "mistral":
        return
    for at, message in enumerate(history.messages[1:], 1):
        if message.get("role") == "user" and history.messages[at - 1].get("role") == "tool":
            expected = "an assistant message behind the results"
            yield at, OAC_ORDER.broken(f"messages[{at}].role", expected=expected, got="user")


def ids_are_mistrals(history: History) -> _Met:
    if history.maker != "mistral":
        return
    for place, call in history.calls:
        call_id = call.get("id")
        if isinstance(call_id, str) and call_id and not _is_mistrals(call_id) and call_id not in history.issued:
            at = int(place.split("]", 1)[0].removeprefix("messages["))
            expected = "nine letters and digits"
            yield (
                at,
                OAC_07.broken(f"{place}.id", expected=expected, got=shortened(call_id), saying="mistral", id=call_id),
            )


def _is_mistrals(call_id: str) -> bool:
    return len(call_id) == 9 and call_id.isascii() and call_id.isalnum()
