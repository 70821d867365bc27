"""How servers of this format stream differently from OpenAI."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from harness.wire.dialect import Dialect, changing, named
from harness.wire.lenient import Json, members, string


def _changing_item_ids(events: list[Json]) -> Iterable[Json]:
    """Each event has a different item id; a finished item has the id that the response has at its end."""
    for number, event in enumerate(events):
        if item_id := string(event.get("item_id")):
            event["item_id"] = _other_id(item_id, number)
        item = members(event.get("item"))
        if event.get("type") == "response.output_item.added" and (item_id := string(item.get("id"))):
            item["id"] = _other_id(item_id, number)
    return events


def _as_they_are(events: list[Json]) -> Iterable[Json]:
    return events


def _other_id(item_id: str, number: int) -> str:
    """Another id of the same kind and length, even if the item's own id ends in that number."""
    other = f"{item_id[:-4]}{number:04x}"
    return other if other != item_id else f"{item_id[:-4]}{number + _FAR:04x}"


_FAR: Final = 0x8000
"""More events than a stream has."""


DIALECTS: Final = named(
    Dialect(
        "no-sequence-numbers",
        "No event has a sequence_number.",
        ("llama.cpp PR #24957",),
        changing(lambda event: event.pop("sequence_number", None)),
    ),
    Dialect(
        "sequence-number-one",
        "Each event has the sequence_number 1.",
        ("litellm PR #28899",),
        changing(lambda event: event.update(sequence_number=1)),
    ),
    Dialect(
        "no-output-index",
        "No event has an output_index: the ids of items say which item an event is about.",
        ("lemonade #3607", "maki PR #514", "ai_clients_dart PR #243", "litellm PR #20943"),
        changing(lambda event: event.pop("output_index", None)),
    ),
    Dialect(
        "changing-item-ids",
        "Each event about an item names another id until the item is finished; its output_index says which item it is.",
        ("litellm PR #30072", "vercel/ai PR #18548", "caozhiyuan/copilot-api PR #72", "mistral.rs PR #2309"),
        _changing_item_ids,
    ),
    Dialect(
        "done",
        "data: [DONE] comes behind the last event.",
        ("the specification of Open Responses (openresponses.org)",),
        _as_they_are,
        behind="[DONE]",
    ),
)
