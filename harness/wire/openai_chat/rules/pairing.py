"""Results and their calls, in the order of the history. Each finding comes with the message at which it is met."""

from __future__ import annotations

from collections.abc import Iterator

from harness.finding import Finding
from harness.wire.lenient import string
from harness.wire.openai_chat.models import MODELS, NINE_CHARACTERS
from harness.wire.openai_chat.rules.history import CallBlock, ChatHistory
from harness.wire.openai_chat.rules.table import OAC_03, OAC_04, OAC_05, OAC_06, OAC_07, OAC_ORDER
from harness.wire.openai_chat.types import few, shortened
from harness.wire.rule import Certainty

_Met = Iterator[tuple[int, Finding]]


def results_follow_calls(history: ChatHistory) -> _Met:
    """OAC-04: a tool message that follows no assistant message with calls."""
    for at in history.orphans:
        before = history.messages[at - 1].get("role") if at else None
        got = f"a {before} message without tool_calls before it" if before else "nothing before it"
        expected = "an assistant message with tool_calls (and its other results) directly before it"
        template = history.in_words_of_its_maker(OAC_04)
        yield (
            at,
            OAC_04.broken(
                f"messages[{at}]",
                expected=expected,
                got=got,
                template=template,
                certainty=history.pairs,
                number=at,
            ),
        )


def results_name_calls(history: ChatHistory) -> _Met:
    """OAC-05: a tool message whose id is that of no call before it."""
    for block in history.blocks:
        known = set(block.ids)
        for at, call_id in block.results:
            if call_id not in known:
                yield at, _unknown(history, block, at, call_id)


def _unknown(history: ChatHistory, block: CallBlock, at: int, call_id: str) -> Finding:
    place, expected = f"messages[{at}].tool_call_id", f"one of {few(block.ids)}"
    if not call_id:
        return OAC_05.broken(
            place, expected=expected, got="no id", template="missing", certainty=history.pairs, number=at
        )
    got = f"{shortened(call_id)}, {_origin(history, call_id)}"
    return OAC_05.broken(place, expected=expected, got=got, certainty=history.pairs, id=call_id, number=at)


def _origin(history: ChatHistory, call_id: str) -> str:
    """Whose id it is: of a call that stands elsewhere, of one that is not sent back, or of none."""
    if call_id in history.made_at:
        return f"the id of a call in messages[{history.made_at[call_id]}]"
    if call_id in history.issued:
        return "the id of a call that is not in this history"
    return "an id that was never issued" if history.issued else "the id of no call"


def calls_are_answered_once(history: ChatHistory) -> _Met:
    """Within one block; an id that comes back in a later turn is accepted."""
    for block in history.blocks:
        for at, _, call_id in _repeated([(block.at, call_id) for call_id in block.ids]):
            made = history.in_words_of_its_maker(OAC_06) or "call"
            yield at, _twice(history, at, at, call_id, made, "each id once")
        for first, at, call_id in _repeated(block.results):
            template = history.in_words_of_its_maker(OAC_06)
            yield at, _twice(history, first, at, call_id, template, "one result for each call")


def _repeated(uses: list[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    """Where an id was used first, where again, and the id."""
    seen: dict[str, int] = {}
    for at, call_id in uses:
        if call_id in seen:
            yield seen[call_id], at, call_id
        elif call_id:
            seen[call_id] = at


def _twice(history: ChatHistory, first: int, at: int, call_id: str, template: str | None, expected: str) -> Finding:
    return OAC_06.broken(
        f"messages[{at}]",
        expected=expected,
        got=f"{shortened(call_id)} again",
        template=template,
        certainty=history.pairs,
        id=call_id,
        first=first,
        number=at,
    )


def calls_are_answered(history: ChatHistory) -> _Met:
    """OAC-03: a call without a result directly behind its message."""
    answers = {call_id: at for block in history.blocks for at, call_id in block.results}
    answers |= {string(history.messages[at].get("tool_call_id")): at for at in history.orphans}
    for block in history.blocks:
        answered = {call_id for _, call_id in block.results}
        missing = [call_id for call_id in block.ids if call_id and call_id not in answered]
        if missing:
            yield block.end, _unanswered(history, block, missing, _missing_words(missing, answers))


def _unanswered(history: ChatHistory, block: CallBlock, missing: list[str], got: str) -> Finding:
    place = f"messages[{block.at}]"
    expected = f"a tool message for each call of {place} before any other message"
    template, ids = history.in_words_of_its_maker(OAC_03), ", ".join(missing)
    return OAC_03.broken(
        place, expected=expected, got=got, template=template, certainty=history.pairs, ids=ids, end=block.end
    )


def _missing_words(missing: list[str], answers: dict[str, int]) -> str:
    """A result that stands elsewhere was moved, or belongs to a call of another turn under the same id."""
    moved = [f"{call_id} only in messages[{answers[call_id]}]" for call_id in missing if call_id in answers]
    dropped = [call_id for call_id in missing if call_id not in answers]
    return "; ".join([*([f"none for {few(dropped)}"] if dropped else []), *([few(moved)] if moved else [])])


def users_wait_for_the_assistant(history: ChatHistory) -> _Met:
    """OAC-ORDER: on Mistral's models, a user message directly behind a result."""
    if history.maker != "mistral":
        return
    for at, message in enumerate(history.messages[1:], 1):
        if message.get("role") == "user" and history.messages[at - 1].get("role") == "tool":
            expected = "an assistant message behind the results"
            yield at, OAC_ORDER.broken(f"messages[{at}].role", expected=expected, got="user")


def ids_are_mistrals(history: ChatHistory) -> _Met:
    """Ids that the endpoint itself issued fit. Who serves a model under another name may take others.

    Which server it is somebody may know better than the model's name does.
    """
    if history.maker != "mistral":
        return
    is_its_own = history.server == "mistral" or MODELS.holds(NINE_CHARACTERS, history.model)
    certainty: Certainty | None = None if is_its_own else "inferred"
    for block in history.blocks:
        for number, call_id in enumerate(block.ids):
            if call_id and not _is_mistrals(call_id) and call_id not in history.issued:
                place, got = f"messages[{block.at}].tool_calls[{number}].id", shortened(call_id)
                expected = "nine letters and digits"
                yield (
                    block.at,
                    OAC_07.broken(
                        place, expected=expected, got=got, template="mistral", certainty=certainty, id=call_id
                    ),
                )


def _is_mistrals(call_id: str) -> bool:
    return len(call_id) == 9 and call_id.isascii() and call_id.isalnum()
