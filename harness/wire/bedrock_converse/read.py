"""Read a request as a conversation. The path has the model and whether to stream."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote, unquote

from harness.ground.bounded_json import MOST_HOLDERS, loads
from harness.wire.base import (
    Conversation,
    Json,
    Message,
    Opaque,
    Result,
    Role,
    Route,
    ToolDeclaration,
    UnreadableRequest,
)
from harness.wire.bedrock_converse.blocks import kind_of, part_of
from harness.wire.bedrock_converse.rules.book import RULES
from harness.wire.json_text import compact
from harness.wire.lenient import entries, members, objects, string
from harness.wire.posted import Posted, Wrong
from harness.wire.rule import ErrorTemplate, WireRule
from harness.wire.turn import Part, Text

_NAME: Final = "bedrock-converse"
_PATH: Final = re.compile(r"/model/(?P<model>[^/?]+(?:/[^/?]+)*)/(?P<verb>converse(?:-stream)?)(?:\?.*)?")
_BEHIND_A_PROXY: Final = re.compile(r"(?:/[^/]+)*?(?P<path>/model/.+)")
_ROLES: Final[dict[Any, Role]] = {"assistant": "assistant", "system": "system"}

IN_A_RESULT: Final = "toolResult."
"""The prefix of the kind of an opaque part in a result: ``toolResult.image``."""


def route(method: str, path: str) -> Route | None:
    """``POST /model/{modelId}/converse`` and ``/converse-stream``. The id is encoded, and may be an ARN."""
    found = _PATH.fullmatch(path) if method.upper() == "POST" else None
    if found is None:
        return None
    return Route(_NAME, unquote(found["model"]), found["verb"] == "converse-stream", "/model")


def elsewhere(method: str, path: str) -> Route | None:
    """The same path behind a proxy's own path."""
    found = _BEHIND_A_PROXY.fullmatch(path)
    return route(method, found["path"]) if found else None


def path(route: Route) -> str:
    """The path of the request, encoded as by the SDKs."""
    return f"/model/{quote(route.model or '', safe='')}/converse{'-stream' if route.stream else ''}"


def read(route: Route, body: bytes) -> Conversation:
    """Read a request body.

    Only a body that is no JSON object is unreadable (``UnreadableRequest``): of a history with a wrong shape,
    everything readable is read, and ``violations`` reports what is wrong with it.
    """
    parsed = _parse(body)
    return Conversation(
        wire=_NAME,
        model=route.model or string(parsed.get("modelId")),
        stream=bool(route.stream),
        messages=tuple(_messages(parsed)),
        tools=tuple(_tools(parsed.get("toolConfig"))),
        body=parsed,
        collection=route.collection,
    )


def _send(posted: Posted, raw: bytes) -> bool:
    posted.raw = raw
    return True


BED_BODY: Final = WireRule(
    "BED-BODY",
    "The body is a JSON object.",
    "Nothing else can be read.",
    "inferred",
    ("the protocol restJson1 of AWS; what the service itself answers was not seen",),
    (ErrorTemplate("The request body is not a JSON object.", kind="SerializationException"),),
    wrong=(
        Wrong("bed-cut", "The body breaks off.", lambda it: _send(it, it.content()[:-1]), "one-call foreign"),
        Wrong("bed-no-object", "The body is a list.", lambda it: _send(it, b"[]"), "texts"),
    ),
)

RULES.declare(BED_BODY)


def _parse(body: bytes) -> Json:
    try:
        parsed = loads(body, holders=MOST_HOLDERS)
    except ValueError as error:
        raise UnreadableRequest(BED_BODY.broken("", expected="a JSON object", got=str(error))) from error
    if not isinstance(parsed, dict):
        raise UnreadableRequest(BED_BODY.broken("", expected="a JSON object", got=f"{compact(parsed):.60}"))
    return parsed


# --- messages -----------------------------------------------------------------------------------------------


def _messages(body: Json) -> Iterator[Message]:
    if system := objects(body.get("system")):
        yield Message("system", tuple(_parts(system)), "system")
    for index, message in enumerate(entries(body.get("messages"))):
        if isinstance(message, dict):
            role = _ROLES.get(message.get("role"), "user") if isinstance(message.get("role"), str) else "user"
            yield Message(role, tuple(_parts(objects(message.get("content")))), f"messages.{index}")


def _parts(blocks: list[Json]) -> Iterator[Part | Result | Opaque]:
    for block in blocks:
        result = members(block.get("toolResult"))
        if result and "type" not in result:
            yield from _result(result)
            continue
        part = part_of(block)
        yield part if part is not None else Opaque(kind_of(block), block)


def _result(result: Json) -> Iterator[Result | Opaque]:
    """The result with its text (JSON becomes text); its other content (images, documents) follows unchanged."""
    content = objects(result.get("content"))
    output = "".join(_text(inner) for inner in content)
    yield Result(
        string(result.get("toolUseId")), output, is_error=result.get("status") == "error", is_marked="status" in result
    )
    for inner in content:
        if not {"text", "json"} & inner.keys():
            yield Opaque(f"{IN_A_RESULT}{kind_of(inner)}", inner)


def _text(inner: Json) -> str:
    if "json" in inner:
        return compact(inner["json"])
    part = part_of(inner)
    return part.text if isinstance(part, Text) else ""


def _tools(config: Any) -> Iterator[ToolDeclaration]:
    """The tools that the client runs, without the provider's system tools and without cache points."""
    for tool in objects(members(config).get("tools")):
        if isinstance(spec := tool.get("toolSpec"), dict):
            schema = members(members(spec.get("inputSchema")).get("json"))
            yield ToolDeclaration(string(spec.get("name")), string(spec.get("description")), schema)
