"""Histories that are stored under their own ids: ``/v1/conversations``, with their items.

Paths, queries and forms come from the official SDK for Python, 3.54.0; creating and deleting one is recorded.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Final
from urllib.parse import parse_qs

from harness.finding import ProviderAnswer
from harness.wire.auxiliary import CREATED, AuxiliaryAnswer, AuxiliaryRequest
from harness.wire.base import Conversation, IssuedState
from harness.wire.keeping import KeptChange, StoredConversation
from harness.wire.kept_answers import answered
from harness.wire.lenient import Json, entries
from harness.wire.openai_lists import metadata_of, object_of, page, too_long, unknown
from harness.wire.openai_responses.keeping import turn_of
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.stored_items import items_of, with_id

_PATH: Final = re.compile(r"(?:/[^/]+)*/conversations(?:/(?P<id>[^/]+)(?P<items>/items(?:/(?P<item>[^/]+))?)?)?/?")
_AT_A_TIME: Final = 20


def conversations(request: AuxiliaryRequest) -> AuxiliaryAnswer | None:
    """The answer to a request about stored conversations (``Wire.auxiliary``)."""
    found = _PATH.fullmatch(request.path)
    if found is None:
        return None
    if found["id"] is None:
        return _answer_to_create(request) if request.method == "POST" else None
    stored = request.kept.conversation(found["id"])
    if stored is None:
        return answered(unknown("Conversation", found["id"]))
    if found["items"] is None:
        return _whole(request, stored)
    return _of_items(request, stored) if found["item"] is None else _of_item(request, stored, found["item"])


def _answer_to_create(request: AuxiliaryRequest) -> AuxiliaryAnswer:
    body = object_of(request.body)
    metadata = body if isinstance(body, ProviderAnswer) else metadata_of(body, required=False)
    if isinstance(metadata, ProviderAnswer) or isinstance(body, ProviderAnswer):
        return answered(metadata)
    put = _put(body, required=False)
    if isinstance(put, ProviderAnswer):
        return answered(put)
    id = request.kept.fresh("conv_")
    document = {"id": id, "object": "conversation", "created_at": CREATED, "metadata": metadata}
    first = [with_id(item, f"{id}.items[{at}]") for at, item in enumerate(put)]
    return answered(document, KeptChange("store", id, document), KeptChange("append", id, items=first))


def _whole(request: AuxiliaryRequest, stored: StoredConversation) -> AuxiliaryAnswer | None:
    match request.method:
        case "GET":
            return answered(stored.document)
        case "DELETE":
            document = {"id": stored.id, "object": "conversation.deleted", "deleted": True}
            return answered(document, KeptChange("drop", stored.id))
        case "POST":
            body = object_of(request.body)
            metadata = body if isinstance(body, ProviderAnswer) else metadata_of(body, required=True)
            if isinstance(metadata, ProviderAnswer):
                return answered(metadata)
            document = {**stored.document, "metadata": metadata}
            return answered(document, KeptChange("store", stored.id, document))
        case _:
            return None


def _of_items(request: AuxiliaryRequest, stored: StoredConversation) -> AuxiliaryAnswer | None:
    if request.method == "GET":
        query = {name: values[-1] for name, values in parse_qs(request.query).items()}
        return answered(page(_stored_items(request, stored), query, "desc"))
    if request.method != "POST":
        return None
    body = object_of(request.body)
    put = body if isinstance(body, ProviderAnswer) else _put(body, required=True)
    if isinstance(put, ProviderAnswer):
        return answered(put)
    there = len(stored.entries)
    added = [with_id(item, f"{stored.id}.items[{there + at}]") for at, item in enumerate(put)]
    return answered(page(added, {"limit": "100"}, "asc"), KeptChange("append", stored.id, items=added))


def _of_item(request: AuxiliaryRequest, stored: StoredConversation, id: str) -> AuxiliaryAnswer | None:
    if request.method not in ("GET", "DELETE"):
        return None
    item = next((each for each in _stored_items(request, stored) if each.get("id") == id), None)
    if item is None:
        return answered(unknown("Item", id))
    if request.method == "GET":
        return answered(item)
    return answered(stored.document, KeptChange("remove", stored.id, item=id))


def _put(body: Json, *, required: bool) -> list[Json] | ProviderAnswer:
    """The items that a request puts into a conversation, or a refusal if one is no item."""
    put = body.get("items")
    if put is None and not required:
        return []
    if put is None:
        message = "Missing required parameter: 'items'."
        return ProviderAnswer(message, 400, "items", "items", "missing_required_parameter")
    found = _refusal(put if isinstance(put, list) else [put])
    if found:
        param = (found.param or "items").replace("input[", "items[")
        return ProviderAnswer(found.message.replace("'input[", "'items["), 400, param, param, found.code)
    if len(entries(put)) > _AT_A_TIME:
        return too_long("items", _AT_A_TIME, len(put))
    return entries(put)


def _refusal(put: list[Any]) -> ProviderAnswer | None:
    """The refusal of a request with these items as its input, for the first thing that its schema forbids."""
    asked = Asked(Conversation("openai-responses", "", stream=False, messages=(), body={"input": put}), IssuedState())
    rule = next(iter(asked.faults), None)
    return next((found.answered for found in RULES.judge(asked) if found.id == rule), None)


# --- the items --------------------------------------------------------------------------------------------------


def _stored_items(request: AuxiliaryRequest, stored: StoredConversation) -> list[Json]:
    """The items of a conversation, in their order."""
    return list(items_of(stored.id, stored.entries, stored.removed, partial(turn_of, request.kept)))
