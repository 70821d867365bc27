"""Chat completions that a request has stored (``store: true``): fetched, listed, changed, deleted, with their messages.

Paths, queries and forms come from the official SDK for Python, 3.54.0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qs

from harness.finding import ProviderAnswer
from harness.ground.bounded_json import loads
from harness.wire.auxiliary import AuxiliaryAnswer, AuxiliaryRequest
from harness.wire.keeping import Keeping, Kept, KeptRequest, KeptResponse
from harness.wire.kept_answers import answered
from harness.wire.lenient import Json, entries, members, string
from harness.wire.openai_chat.parse import parse
from harness.wire.openai_lists import metadata_of, object_of, page, unknown
from harness.wire.sse import SSE, parse_events

_NAME: Final = "openai-chat"
_LIST: Final = re.compile(r"(?:/[^/]+)*/chat/completions/?")
_PATH: Final = re.compile(r"(?:/[^/?]+)*/chat/completions/(?P<id>[^/?]+)(?P<more>/messages)?/?(?:\?(?P<query>.*))?")
_FILTER: Final = re.compile(r"metadata\[(.*)\]")


def _kept_request(method: str, target: str) -> KeptRequest | None:
    found = _PATH.fullmatch(target)
    if found is None:
        return None
    match method, found["more"]:
        case "GET", None:
            return KeptRequest(found["id"])
        case "GET", "/messages":
            return KeptRequest(found["id"], "input", query=_query(found["query"] or ""))
        case "POST", None:
            return KeptRequest(found["id"], "change")
        case "DELETE", None:
            return KeptRequest(found["id"], "delete")
        case _:
            return None


def _query(query: str) -> Mapping[str, str]:
    return {name: values[-1] for name, values in parse_qs(query).items()}


def _document(kept: KeptResponse, with_input: bool = False) -> Json:  # noqa: ARG001 - the signature of document
    """The completion as one document; for a stream, the content of all its chunks."""
    document = _of_chunks(kept) if kept.stream else members(loads(kept.frames[0]))
    return {**document, "metadata": members(kept.asked.get("metadata")), **kept.changed}


def _of_chunks(kept: KeptResponse) -> Json:
    body = b"".join(kept.frames)
    chunks = [members(loads(event.data)) for event in parse_events(body) if event.data.startswith("{")]
    choices = [choice for chunk in chunks for choice in entries(chunk.get("choices"))]
    reason = next((choice["finish_reason"] for choice in reversed(choices) if choice.get("finish_reason")), None)
    whole = {name: value for chunk in chunks for name, value in chunk.items() if name != "choices"}
    message = next(iter(parse(SSE.content_type, body).items), {})
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    return {**whole, "object": "chat.completion", "choices": [choice]}


def _messages(asked: KeptRequest, kept: KeptResponse, shelf: Kept) -> Json | ProviderAnswer:  # noqa: ARG001
    listed = []
    for at, message in enumerate(entries(kept.asked.get("messages"))):
        content = members(message).get("content")
        parts = content if isinstance(content, list) else None
        text = None if parts is not None else content
        listed.append(
            {"name": None, **members(message), "id": f"{kept.id}-{at}", "content": text, "content_parts": parts}
        )
    return page(listed, asked.query, "asc")


def _changed_members(body: bytes) -> Json | ProviderAnswer:
    asked = object_of(body)
    metadata = asked if isinstance(asked, ProviderAnswer) else metadata_of(asked, required=True)
    return metadata if isinstance(metadata, ProviderAnswer) else {"metadata": metadata}


def completions(request: AuxiliaryRequest) -> AuxiliaryAnswer | None:
    """The list of stored completions (``Wire.auxiliary``), by ``model`` and ``metadata``."""
    if request.method != "GET" or not _LIST.fullmatch(request.path):
        return None
    query = _query(request.query)
    wanted = {found[1]: value for name, value in query.items() if (found := _FILTER.fullmatch(name))}
    listed = [
        document
        for document in map(_document, request.kept.responses(_NAME))
        if query.get("model", document.get("model")) == document.get("model")
        and wanted.items() <= members(document.get("metadata")).items()
    ]
    return answered(page(listed, query, "asc"))


KEEPING: Final = Keeping(
    wire=_NAME,
    keeps=lambda body: body.get("store") is True,
    wanted=_kept_request,
    document=_document,
    events=lambda kept, _: kept.frames,
    unfinished=lambda document, _: document,
    cancelled=lambda document: document,
    deleted=lambda id: {"id": id, "object": "chat.completion.deleted", "deleted": True},
    refused=lambda _, __: None,
    unknown=lambda id: unknown("Chat completion", string(id)),
    no_event=ProviderAnswer("Invalid request."),
    items=_messages,
    changed=_changed_members,
)
