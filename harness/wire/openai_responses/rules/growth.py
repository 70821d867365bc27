"""OAI-28: a history only grows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.json_text import compact
from harness.wire.lenient import entries
from harness.wire.openai_responses.items import ARGUMENTS, kind_of
from harness.wire.openai_responses.rules.asked import Asked, HistoryItem, entries_of
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.rules.kinds import OUTPUT_KINDS
from harness.wire.openai_responses.rules.places import (
    CALLS,
    RESULTS,
    is_by,
    items,
    leave_out,
    messages,
    names_its_history,
    of_kind,
    place_of,
    say,
)
from harness.wire.openai_responses.rules.words import brief
from harness.wire.posted import Posted, Right, Wrong, drop, put
from harness.wire.rule import ErrorTemplate, WireRule

_SYSTEM: Final = ("system", "developer")


def _answered_messages(posted: Posted, *roles: str) -> list[Json]:
    """The messages of some roles that are followed by something of the model's."""
    spoken = [item for item in items(posted) if kind_of(item) in CALLS or is_by(item, "assistant")]
    if not spoken or names_its_history(posted):
        return []
    at = place_of(posted, spoken[-1])
    return [item for item in messages(posted, *roles) if place_of(posted, item) < at]


def _call_with(posted: Posted, arguments: str) -> bool:
    """The first call that is sent back has other arguments."""
    return not names_its_history(posted) and put(of_kind(posted, "function_call")[:1], arguments=arguments)


def _split_the_question(posted: Posted) -> bool:
    for item in messages(posted, "user"):
        text = item.get("content")
        if isinstance(text, str) and len(text) > 1:
            return put([item], content=[{"type": "input_text", "text": half} for half in (text[:1], text[1:])])
    return False


def _write_arguments_anew(posted: Posted) -> bool:
    """Write arguments as JSON without spaces; arguments that are no JSON go back unchanged."""
    calls = [call for call in of_kind(posted, "function_call") if _is_same_json(call["arguments"], call["arguments"])]
    for call in calls:
        put([call], arguments=compact(json.loads(call["arguments"])))
    return bool(calls)


OAI_28: Final = WireRule(
    "OAI-28",
    "A history only grows: what the request before said, and what the model answered, is said again, in the same "
    "order, before anything new. Reasoning may be left out.",
    "No server refuses it. The model has lost its instructions, and the prompt cache is lost from there on.",
    "inferred",
    ("not checked by OpenAI; inferred from what a model can know",),
    (
        ErrorTemplate(
            "The history is not that of the request before: from here on the prompt cache is lost, and the model "
            "does not know what is missing.",
            status=200,
            name="broken",
        ),
    ),
    applies="requests after a reply in the same case, histories that are only named included",
    about=("words",),
    wrong=(
        Wrong(
            "responses-question-forgotten",
            "The oldest message is dropped to save tokens.",
            lambda it: leave_out(it, _answered_messages(it, "user")[:1]),
            "one-call several-turns without-reasoning",
        ),
        Wrong(
            "responses-instructions-rewritten",
            "The time is in the instructions, anew in each request.",
            lambda it: put(_answered_messages(it, *_SYSTEM)[:1], content="It is the 3rd of May, 10:31."),
            "one-call without-reasoning",
        ),
        Wrong(
            "responses-question-pushed-back",
            "Something new precedes the history.",
            lambda it: _answered_messages(it, "user") and say(it, {"role": "user", "content": "By the way."}, at=0),
            "one-call stored",
        ),
        Wrong(
            "responses-call-rewritten",
            "A call comes back with other arguments.",
            lambda it: _call_with(it, '{"path": "rewritten"}'),
            "one-call without-reasoning",
        ),
        Wrong(
            "responses-call-rewritten-without-an-end",
            "A call comes back with arguments that are nested deeper than a parser goes.",
            lambda it: _call_with(it, "[" * 100_000),
            "one-call",
        ),
    ),
    right=(
        Right(
            "responses-question-in-two-parts",
            "The user's question is sent in two parts.",
            _split_the_question,
            "one-call",
        ),
        Right(
            "responses-names-of-outputs-dropped",
            "Outputs come back without the name of their function.",
            lambda it: drop(of_kind(it, *RESULTS), "name"),
            "without-reasoning",
        ),
        Right(
            "responses-arguments-anew",
            "Arguments are serialised anew.",
            _write_arguments_anew,
            "parallel-calls without-reasoning",
        ),
        Right(
            "responses-user-behind-results",
            "The user says something behind the results.",
            lambda it: say(it, {"role": "user", "content": "And?"}),
            "parallel-calls named-history conversation",
        ),
    ),
)


@RULES.check("growth", OAI_28)
def history_only_grows(asked: Asked) -> Iterator[Finding]:
    """OAI-28, against the last request that was answered, and its answer. Reported once: at the first difference.

    A request that equals the last one is a retry: it lacks only an answer that may not have arrived.
    """
    if len(asked.state.turns) == asked.state.made_anew or asked.unknown:
        return
    if "compaction" in asked.kinds:  # what it stands for need not be there
        return
    conversation, reply = asked.state.turns[-1]
    asked_before = _without_reasoning(Asked(conversation, asked.state, len(asked.state.turns) - 1).history)
    arrived = reply.complete and reply.turn.error is None  # what broke off need not be known to the client
    answered = _without_reasoning(entries_of(reply.id, reply.items if arrived else ()))
    # Outputs may stand behind each call or behind all of them: recorded traffic has both.
    before = [*asked_before, *_without_outputs(answered)]
    after = _without_reasoning(asked.history)
    after[len(asked_before) :] = _without_outputs(after[len(asked_before) :])
    for place, earlier in enumerate(before):
        now = after[place] if place < len(after) else None
        if now is None and place == len(asked_before):
            return
        if now is None or not _says_the_same(earlier.item, now.item):
            yield _broken(earlier, now, before[place:], after[place:])
            return


def _without_reasoning(history: Iterable[HistoryItem]) -> list[HistoryItem]:
    return [entry for entry in history if entry.kind != "reasoning"]


def _without_outputs(history: Iterable[HistoryItem]) -> list[HistoryItem]:
    return [entry for entry in history if entry.kind not in OUTPUT_KINDS]


def _broken(
    earlier: HistoryItem, now: HistoryItem | None, before: Sequence[HistoryItem], after: Sequence[HistoryItem]
) -> Finding:
    return OAI_28.broken(
        now.at if now else "input",
        expected=f"{earlier.name}: {brief(_content(earlier.item))}",
        got=f"{now.name}: {brief(_content(now.item))}; {_fate(earlier, now, before, after)}" if now else "nothing",
    )


def _fate(earlier: HistoryItem, now: HistoryItem, before: Sequence[HistoryItem], after: Sequence[HistoryItem]) -> str:
    """What happened to an item: moved back because something was put before it, left out, or altered."""
    moved = next((entry for entry in after if _says_the_same(earlier.item, entry.item)), None)
    if moved is not None:
        return f"it is at {moved.at}"
    if any(_says_the_same(later.item, now.item) for later in before):
        return "it is left out"
    return "it is altered" if _head(earlier.item) == _head(now.item) else "it is left out or replaced"


def _says_the_same(earlier: Json, now: Json) -> bool:
    """Whether two items mean the same to the model. Ids may differ: loops mend them, and no model reads them."""
    if earlier == now:
        return True
    if _head(earlier) != _head(now) or not _has_the_name(earlier, now):
        return False
    first, second = _content(earlier), _content(now)
    return bool(first == second) or (kind_of(now) in ARGUMENTS and _is_same_json(first, second))


def _head(item: Json) -> tuple[Any, ...]:
    role = item.get("role")
    return kind_of(item), "system" if role in _SYSTEM else role


def _has_the_name(earlier: Json, now: Json) -> bool:
    """A call without a name must be given one: the API refuses an empty name."""
    return kind_of(now) not in ARGUMENTS or not earlier.get("name") or earlier["name"] == now.get("name")


def _content(item: Json) -> Any:
    kind = kind_of(item)
    if kind in ARGUMENTS:
        return item.get(ARGUMENTS[kind])
    content = item.get("content") if kind == "message" else item.get("output", item.get("id"))
    return content if isinstance(content, str) else _parts(content)


def _parts(content: Any) -> Any:
    """The joined text if all parts are texts, else the parts."""
    parts = [part if isinstance(part, dict) else {} for part in entries(content)]
    texts = [text for part in parts if isinstance(text := part.get("text", part.get("refusal")), str)]
    return "".join(texts) if len(texts) == len(parts) else parts


def _is_same_json(first: Any, second: Any) -> bool:
    try:
        return bool(json.loads(first) == json.loads(second))
    except (TypeError, ValueError, RecursionError):
        return False
