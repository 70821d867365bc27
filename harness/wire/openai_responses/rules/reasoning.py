"""Rules about reasoning: it goes back untouched, together with the item that it produced.

They are judged on items that the endpoint issued in this case, recognised by id. An item without id has no known
link, and the provider accepts it.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.wire.base import Json, Level, Violation
from harness.wire.openai_responses.items import parts_of
from harness.wire.openai_responses.rules.asked import Asked, Entry
from harness.wire.turn import Text

__all__ = [
    "encrypted_content_is_untouched",
    "items_keep_their_reasoning",
    "reasoning_can_be_found",
    "reasoning_keeps_its_item",
]


def _is_same(entry: Entry, item: Json) -> bool:
    return bool(item.get("id")) and entry.item.get("id") == item.get("id")


def reasoning_keeps_its_item(asked: Asked) -> Iterator[Violation]:
    """OAI-14: right behind a reasoning item comes what it produced.

    A call may come without its item id, then its ``call_id`` tells (recorded traffic: accepted). A message needs its
    id: one that was rewritten and sent without is refused (recorded traffic); one that says the same is inferred.
    """
    follower: Entry | None = None
    found = []
    for entry in reversed(asked.entries):
        if entry.kind != "reasoning":
            follower = entry
            continue
        produced = asked.issued.leads.get(str(entry.item.get("id")))
        if produced is None or (follower and _is_item(follower, produced)):
            continue
        level: Level = "I" if follower and _says_what(follower, produced) else "C"
        found.append(_without_item(entry, produced, follower, level))
    yield from reversed(found)


def _is_item(entry: Entry, produced: Json) -> bool:
    call_id = produced.get("call_id")
    without_id = entry.item.get("id") is None
    return _is_same(entry, produced) or bool(call_id and without_id and entry.item.get("call_id") == call_id)


def _says_what(entry: Entry, produced: Json) -> bool:
    """Whether an assistant message has the text of the one that was produced."""
    if entry.kind != "message" or entry.item.get("role") != "assistant":
        return False
    content = entry.item.get("content")
    parts = (Text(content),) if isinstance(content, str) else parts_of({**entry.item, "type": "message"})
    return parts == parts_of(produced)


def _without_item(entry: Entry, produced: Json, follower: Entry | None, level: Level) -> Violation:
    return Violation(
        "OAI-14",
        f"Item '{entry.item['id']}' of type 'reasoning' was provided without its required following item.",
        entry.at,
        f"{produced['type']} {produced['id']} right after it",
        _name(follower) if follower else "nothing",
        level=level,
        param="input",
    )


def _name(entry: Entry) -> str:
    return f"{entry.kind} {entry.item.get('id') or 'without id'} at {entry.at}"


def items_keep_their_reasoning(asked: Asked) -> Iterator[Violation]:
    """OAI-15: before an item that reasoning produced comes that reasoning, by id or by its encrypted content.

    Sources: https://github.com/cline/cline/issues/12242, https://github.com/continuedev/continue/issues/12620
    """
    before: list[Entry] = []
    for entry in asked.entries:
        if entry.kind == "reasoning":
            before.append(entry)
            continue
        for reasoning in asked.issued.led_by.get(str(entry.item.get("id")), ()):
            if not any(_is_same(other, reasoning) or _says_same(other, reasoning) for other in before):
                yield _without_reasoning(entry, reasoning, before)
        before = []


def _says_same(entry: Entry, reasoning: Json) -> bool:
    token = reasoning.get("encrypted_content")
    return bool(token) and "id" not in entry.item and entry.item.get("encrypted_content") == token


def _without_reasoning(entry: Entry, reasoning: Json, before: list[Entry]) -> Violation:
    return Violation(
        "OAI-15",
        f"Item '{entry.item['id']}' of type '{entry.kind}' was provided without its required 'reasoning' item: "
        f"'{reasoning['id']}'.",
        entry.at,
        f"reasoning {reasoning['id']} right before it",
        ", ".join(_name(other) for other in before) or "no reasoning before it",
        param="input",
    )


def reasoning_can_be_found(asked: Asked) -> Iterator[Violation]:
    """OAI-16: what was not stored can be sent back only in full. Answered with 404.

    Sources: https://github.com/router-for-me/CLIProxyAPI/issues/2381, https://github.com/vercel/ai/issues/7543
    """
    for entry in asked.entries:
        item_id = entry.raw.get("id")
        if not item_id or not (_is_bare(entry.raw) or entry.raw.get("type") == "item_reference"):
            continue
        if _is_stored(asked, item_id):
            continue
        yield Violation(
            "OAI-16",
            f"Item with id '{item_id}' not found. Items are not persisted when `store` is set to false. Try again with "
            "`store` set to true, or remove this item from your input.",
            entry.at,
            "encrypted_content" if _is_bare(entry.raw) else "the id of an item that was stored",
            f"{entry.raw['type']} {item_id}, which is not stored",
            status=404,
            param="input",
        )


def _is_bare(item: Json) -> bool:
    return item.get("type") == "reasoning" and not item.get("encrypted_content")


def _is_stored(asked: Asked, item_id: str) -> bool:
    """Whether the provider can look the item up; a foreign item can be anywhere, unless this request stores nothing."""
    if item_id in asked.issued.items:
        return item_id not in asked.issued.not_stored
    return asked.body.get("store") is not False


def encrypted_content_is_untouched(asked: Asked) -> Iterator[Violation]:
    """OAI-17: each ``encrypted_content`` is one that was issued, on the item that it was issued for.

    The one of ``output_item.added`` is no substitute: it may be incomplete
    (``openai.types.responses.ResponseReasoningItem.encrypted_content``).
    """
    for entry in asked.entries:
        token = entry.item.get("encrypted_content")
        if entry.kind != "reasoning" or not isinstance(token, str) or not token:
            continue
        issued = asked.issued.items.get(str(entry.item.get("id")), {}).get("encrypted_content")
        if token == issued or (issued is None and (not asked.sent.turns or token in asked.issued.tokens)):
            continue
        yield Violation(
            "OAI-17",
            f"The encrypted content {token[:4]}...{token[-4:]} could not be verified.",
            entry.at,
            f"{issued[:12]}...{issued[-8:]}" if issued else "encrypted_content that was issued in this conversation",
            f"{token[:12]}...{token[-8:]}",
            code="invalid_encrypted_content",
        )
