"""The items of histories that the provider stores, as it lists them: each with a type and an id."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from harness.wire.base import IssuedState, Json, Reply, StoredHistory
from harness.wire.identity import HEX, Identity
from harness.wire.lenient import entries, string
from harness.wire.openai_responses.items import input_items
from harness.wire.openai_responses.schema import ID_PREFIXES

_OTHER: Final = {"function_call_output": "fc", "custom_tool_call_output": "ctc", "compaction": "cmp"}
_PARTS: Final = {"assistant": "output_text"}

_Turn = Callable[[str], tuple[Json, Sequence[Any]] | None]
"""The body of the request for a response, and its output; None if the response is not kept."""


def items_of(id: str, stored: Iterable[Json | str], removed: Collection[str], turn: _Turn) -> Iterator[Json]:
    """The items of the stored history ``id``, without the removed ones."""
    for at, entry in enumerate(stored):
        if isinstance(entry, str):
            found = turn(entry)
            items: Iterable[Json] = () if found is None else items_of_turn(entry, *found)
        else:
            items = (with_id(entry, f"{id}.items[{at}]"),)
        yield from (item for item in items if item.get("id") not in removed)


def items_of_turn(id: str, asked: Json, output: Iterable[Any]) -> Iterator[Json]:
    """The items in the request for the response ``id``, each with an id, and the ``output``."""
    sent = asked.get("input")
    if isinstance(sent, str):
        yield with_id({"role": "user", "content": sent}, f"{id}.input")
    for at, item in enumerate(entries(sent)):
        if isinstance(item, dict):
            yield with_id(item, f"{id}.input[{at}]")
    yield from (item for item in output if isinstance(item, dict))


def with_id(item: Json, seed: str) -> Json:
    """The item as the provider lists it: with its type and an id, and a message with its parts and a status."""
    kind = string(item.get("type")) or "message"
    prefix = ID_PREFIXES.get(kind) or _OTHER.get(kind, "item")
    id = string(item.get("id")) or Identity(seed).id(f"{prefix}_", 48, HEX)
    if kind != "message":
        return {**item, "id": id}
    content = item.get("content")
    if isinstance(content, str):
        content = [{"type": _PARTS.get(string(item.get("role")), "input_text"), "text": content}]
    parts = [{"annotations": [], "logprobs": [], **part} if _is_output(part) else part for part in entries(content)]
    return {"status": "completed", **item, "id": id, "type": "message", "content": parts}


def _is_output(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "output_text"


def stored_items(
    id: str, stored: StoredHistory, issued: IssuedState, until: Reply | None = None
) -> Iterator[tuple[str, Json]]:
    """The items of a stored history, each with its place, in front of the reply ``until``.

    For a turn these are the items of its request and of its reply.
    """
    for number, entry in enumerate(stored.entries):
        if not isinstance(entry, str):
            items = [(f"{id}.items[{number}]", entry)]
        elif until is not None and entry == until.id:
            return
        else:
            items = list(_of_turn(entry, issued))
        for at, item in items:
            if not stored.removed or with_id(item, at).get("id") not in stored.removed:
                yield at, item


def _of_turn(id: str, issued: IssuedState) -> Iterator[tuple[str, Json]]:
    turn = issued.find(id)
    if turn is None:
        return
    asked, reply = turn
    sent = asked.body.get("input")
    if isinstance(sent, str):
        yield f"{id}.input", {"role": "user", "content": sent}
    yield from ((f"{id}.input[{at}]", item) for at, item in enumerate(input_items(asked.body)))
    yield from ((f"{id}.output[{at}]", item) for at, item in enumerate(reply.items))
