"""Read a request as a conversation, and put the turns of a thread in front of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote, unquote

from harness.ground.bounded_json import MOST_HOLDERS, loads
from harness.wire.anthropic_messages.blocks import blocks_of, part_of
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.base import (
    NO_HEADERS,
    Conversation,
    IssuedState,
    Json,
    Message,
    Opaque,
    Result,
    Role,
    Route,
    ToolDeclaration,
    UnreadableRequest,
)
from harness.wire.lenient import entries, objects, string
from harness.wire.posted import Posted, Wrong
from harness.wire.rule import ErrorTemplate, WireRule
from harness.wire.turn import Part, Text

_PATH = re.compile(r"(?:(?:/(?!v\d\w*/v\d)[^/?]+)*/(?:v\d\w*|anthropic))?/messages/?")
"""Gateways and makers of other models have a prefix before it: ``/anthropic/v1/messages``. A version or ``anthropic``
must come right before, since other APIs have messages, too (``/v1/threads/ID/messages``). Only one version is allowed:
a ``/v1`` in the base URL of an SDK that adds it itself leads to ``/v1/v1/messages``, which no server has."""

_VERTEX = re.compile(
    r"(?P<collection>(?:/v\d\w*)?/projects/[^/]+/locations/[^/]+/publishers/anthropic/models)"
    r"/(?P<model>[^/:]+):(?P<verb>rawPredict|streamRawPredict)"
)
BEDROCK: Final = "/model"
"""The part before the model in a path of Bedrock's."""

_BEDROCK = re.compile(r"(?P<collection>/model)/(?P<model>[^/]*anthropic\.claude[^/]*)/(?P<verb>invoke)")
_BEDROCK_RECORDED = re.compile(
    r"(?:/[^/]+)*?/model/(?P<model>[^/]*anthropic\.claude[^/]*)/(?P<verb>invoke(?:-with-response-stream)?)"
)
_CREDENTIALS = ("x-api-key", "authorization")
_BETA = "anthropic-beta"
_HEADERS = ("anthropic-version", _BETA)
_ROLES: dict[Any, Role] = {"assistant": "assistant", "system": "system"}
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def route(method: str, path: str) -> Route | None:
    """``POST /v1/messages`` with any version prefix or none, behind any prefix, and with any query (``?beta=true``).

    On Vertex AI (``rawPredict``) and Bedrock (``invoke``) the path names the model. Bedrock's streams are left out,
    because they have no events of this wire.
    """
    bare = path.partition("?")[0]
    if method.upper() != "POST":
        return None
    if _PATH.fullmatch(bare):
        return Route("anthropic-messages")
    found = _VERTEX.fullmatch(bare) or _BEDROCK.fullmatch(bare)
    if found is None:
        return None
    stream = found["verb"] == "streamRawPredict"
    return Route("anthropic-messages", unquote(found["model"]), stream, found["collection"])


def elsewhere(method: str, path: str) -> Route | None:
    """Bedrock's streams (``invoke-with-response-stream``), and its other path behind a proxy's own path.

    Their frames are AWS's (``aws_events``), which the endpoint does not send.
    """
    found = _BEDROCK_RECORDED.fullmatch(path) if method.upper() == "POST" else None
    if found is None:
        return None
    return Route("anthropic-messages", unquote(found["model"]), found["verb"] != "invoke", BEDROCK)


def path(route: Route) -> str:
    """The path of the request."""
    if not route.collection:
        return "/messages"
    model = quote(route.model or "", safe="@-._")
    if route.collection == BEDROCK:
        return f"/model/{model}/{'invoke-with-response-stream' if route.stream else 'invoke'}"
    return f"{route.collection}/{model}:{'streamRawPredict' if route.stream else 'rawPredict'}"


def read(route: Route, body: bytes, headers: Mapping[str, str] = NO_HEADERS) -> Conversation:
    """Read a request body. Only the API version and the betas count among its headers.

    Each is ``""`` if a request whose headers are all known (even the credential, which recorders remove) does not have
    it. It is missing if the headers are not known.

    If the path names the model, the body has the platform's version, and on Bedrock the betas.

    Only a body that is no JSON object is unreadable (``UnreadableRequest``): of a history with a wrong shape,
    everything readable is read, and ``violations`` reports what is wrong with it.
    """
    parsed = _parse(body)
    known = _headers(headers)
    if route.collection:
        parsed, known = _of_a_platform(route.model or "", parsed, headers)
    stream = route.stream if route.stream is not None else parsed.get("stream")
    thread = parsed.get("thread")
    continues = thread.get("previous_message_id") if isinstance(thread, dict) else None
    return Conversation(
        wire="anthropic-messages",
        model=str(parsed.get("model") or ""),
        stream=stream is True,
        messages=tuple(_messages(parsed)),
        tools=tuple(_tools(parsed.get("tools"))),
        continues=continues if isinstance(continues, str) else None,
        body=parsed,
        headers=known,
        collection=route.collection,
    )


def _of_a_platform(model: str, body: Json, headers: Mapping[str, str]) -> tuple[Json, dict[str, str]]:
    """The body in the form of the Messages API, and the betas that it asks for."""
    betas = [headers[_BETA]] if _BETA in headers else []
    betas += [each for each in entries(body.get("anthropic_beta")) if isinstance(each, str)]
    rest = {name: value for name, value in body.items() if name not in ("anthropic_version", "anthropic_beta")}
    return {"model": model, **rest}, {_BETA: ",".join(betas)} if betas else {}


def _headers(headers: Mapping[str, str]) -> dict[str, str]:
    unsaid = dict.fromkeys(_HEADERS, "") if not headers.keys().isdisjoint(_CREDENTIALS) else {}
    return unsaid | {name: headers[name] for name in _HEADERS if name in headers}


def _send(posted: Posted, raw: bytes) -> bool:
    posted.raw = raw
    return True


ANT_BODY: Final = WireRule(
    "ANT-BODY",
    "The body is a JSON object in UTF-8, without halves of surrogate pairs.",
    "A loop that cuts text by UTF-16 units, or encodes in another alphabet, sends what no reader can decode.",
    "certain",
    ("quoted word for word in public code: The request body is not valid JSON: no low surrogate in string",),
    (
        ErrorTemplate(
            "The request body is not valid JSON: {reason}",
            seen="The request body is not valid JSON: no low surrogate in string: line 1 column …",
            name="json",
        ),
        ErrorTemplate(
            "Input should be a valid dictionary or object to extract fields from", certainty="likely", name="object"
        ),
    ),
    wrong=(
        Wrong(
            "ant-body-cut", "The last byte of the body is missing.", lambda it: _send(it, it.content()[:-1]), "one-call"
        ),
        Wrong(
            "ant-body-list",
            "The body is the list of messages.",
            lambda it: _send(it, json.dumps(it.body["messages"]).encode()),
            "one-call",
            says="object",
        ),
        Wrong(
            "ant-half-a-surrogate-pair",
            "A text was cut within a character.",
            lambda it: _send(it, it.content()[:-1] + b', "metadata": {"user_id": "\\ud83d"}}'),
            "one-call",
        ),
    ),
)

HISTORY_RULES.declare(ANT_BODY)


def _parse(body: bytes) -> Json:
    try:
        parsed = loads(body, holders=MOST_HOLDERS)
    except ValueError as error:
        raise _not_json(str(error)) from error
    if _ESCAPED_SURROGATE.search(body):
        _check_surrogates(parsed)
    if not isinstance(parsed, dict):
        got = f"{json.dumps(parsed):.60}"
        raise UnreadableRequest(ANT_BODY.broken("", expected="a JSON object", got=got, template="object"))
    return parsed


def _check_surrogates(parsed: Any) -> None:
    # The provider's JSON reader refuses half a surrogate pair; Python's lets it through.
    lone = _LONE_SURROGATE.search(json.dumps(parsed, ensure_ascii=False))
    if lone:
        column = lone.start() + 1
        raise _not_json(f"no low surrogate in string: line 1 column {column} (char {column - 1})")


def _not_json(reason: str) -> UnreadableRequest:
    expected = "a JSON object in UTF-8"
    return UnreadableRequest(ANT_BODY.broken("", expected=expected, got=reason, template="json", reason=reason))


# --- messages -----------------------------------------------------------------------------------------------


def _messages(body: Json) -> Iterator[Message]:
    system = blocks_of(body.get("system"))
    if system:
        yield Message("system", _parts(system), "system")
    for index, message in enumerate(entries(body.get("messages"))):
        if isinstance(message, dict):
            role, content = message.get("role"), message.get("content")
            by = _ROLES.get(role, "user") if isinstance(role, str) else "user"
            yield Message(by, _parts(blocks_of(content)), f"messages.{index}")


def _parts(blocks: list[Json]) -> tuple[Part | Result | Opaque, ...]:
    parts: list[Part | Result | Opaque] = []
    for block in blocks:
        kind = block.get("type")
        if kind == "tool_result":
            parts += _result(block)
            continue
        part = part_of(block)
        parts.append(part if part is not None else Opaque(str(kind), block))
    return tuple(parts)


def _result(block: Json) -> list[Result | Opaque]:
    """The result with its text; its other content (images, documents) follows unchanged."""
    raw = block.get("content")
    id, mark = string(block.get("tool_use_id")), block.get("is_error")
    is_error, is_marked = mark is True, mark is not None
    if isinstance(raw, str):  # as most loops send it
        return [Result(id, raw, is_error=is_error, is_marked=is_marked)]
    content = objects(raw)
    output = "".join(part.text for part in map(part_of, content) if isinstance(part, Text))
    others = [Opaque(str(inner.get("type")), inner) for inner in content if inner.get("type") != "text"]
    return [Result(id, output, is_error=is_error, is_marked=is_marked), *others]


def _tools(tools: Any) -> Iterator[ToolDeclaration]:
    """The tools that the client runs; server tools have no schema and are the provider's own."""
    for tool in objects(tools):
        if tool.get("type", "custom") in ("custom", None):
            schema = tool.get("input_schema")
            name, description = string(tool.get("name")), string(tool.get("description"))
            yield ToolDeclaration(name, description, schema if isinstance(schema, dict) else {})


# --- threads ------------------------------------------------------------------------------------------------


def resolve(conversation: Conversation, issued: IssuedState) -> Conversation:
    """Put the content of a thread in front of a request that continues it (``thread: {"type": "continue"}``).

    The result has the whole history in ``messages`` and ``body`` (which then has no ``thread``), with the thread's
    ``system`` and ``tools`` if the request has none; places of earlier messages begin with ``thread.``. ``continues``
    stays. The conversation is unchanged if the thread was not issued here, or if ``messages`` is no list.
    """
    found = issued.find(conversation.continues) if conversation.continues else None
    if found is None or "thread" not in conversation.body or not isinstance(conversation.body.get("messages"), list):
        return conversation
    asked, reply = found
    answered: Json = {"role": "assistant", "content": list(reply.items)}
    earlier = [*entries(asked.body.get("messages")), *([answered] if reply.items else [])]
    kept: Json = {name: asked.body[name] for name in ("system", "tools") if name in asked.body}
    body = {**kept, **conversation.body, "messages": [*earlier, *entries(conversation.body.get("messages"))]}
    del body["thread"]
    whole = tuple(_messages(body))
    return replace(
        conversation,
        messages=tuple(replace(message, at=_place_in_thread(message.at, len(earlier))) for message in whole),
        tools=tuple(_tools(body.get("tools"))),
        body=body,
    )


def _place_in_thread(at: str, earlier: int) -> str:
    name, _, index = at.partition(".")
    if not index:
        return at
    return f"{name}.{int(index) - earlier}" if int(index) >= earlier else f"thread.{at}"
