"""Reads a request as a conversation, and puts the turns that it only names in front of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from harness.ground.bounded_json import MOST_HOLDERS, loads
from harness.wire.base import (
    Conversation,
    IssuedState,
    Json,
    Message,
    Opaque,
    Reply,
    Result,
    Role,
    ToolDeclaration,
    UnreadableRequest,
)
from harness.wire.lenient import entries, objects, string
from harness.wire.openai_responses.items import ARGUMENTS, OUTPUTS, conversation_id, input_items, kind_of, parts_of
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.stored_items import stored_items
from harness.wire.posted import Posted, Wrong
from harness.wire.rule import ErrorTemplate, WireRule
from harness.wire.turn import Part, Refusal, Text

_ROLES: Final[dict[Any, Role]] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


def read(body: bytes) -> Conversation:
    """``Wire.read``: reads everything that can be read; ``violations`` reports what is wrong."""
    request = _object(body)
    items = input_items(request)
    messages = [*_messages(items)]
    if isinstance(request.get("input"), str):
        messages = [Message("user", (Text(request["input"]),), "input")]
    if isinstance(request.get("instructions"), str):
        messages.insert(0, Message("system", (Text(request["instructions"]),), "instructions"))
    return Conversation(
        wire="openai-responses",
        model=str(request.get("model") or ""),
        stream=request.get("stream") is True,
        messages=tuple(messages),
        tools=tuple(_tools(request.get("tools"))),
        continues=_continues(request),
        body=request,
    )


def _send(posted: Posted, raw: bytes) -> bool:
    posted.raw = raw
    return True


OAI_01: Final = WireRule(
    "OAI-01",
    "The body is a JSON object.",
    "Nothing of the request is read, so the answer says nothing about what was meant.",
    "likely",
    ("the wording from memory; there is no recording",),
    (
        ErrorTemplate(
            "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP "
            "library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If "
            "you have trouble figuring out how to fix this, please contact us through our help center at "
            "help.openai.com.)",
            name="unreadable",
        ),
    ),
    wrong=(
        Wrong(
            "responses-body-cut", "The body ends one byte early.", lambda it: _send(it, it.content()[:-1]), "one-call"
        ),
        Wrong(
            "responses-body-list",
            "The body is a list.",
            lambda it: _send(it, json.dumps([it.body]).encode()),
            "one-call named-history",
        ),
    ),
)
RULES.declare(OAI_01)


def _object(body: bytes) -> Json:
    try:
        request = loads(body, holders=MOST_HOLDERS)
    except ValueError:
        request = None
    if not isinstance(request, dict):
        got = body[:60].decode("utf-8", "replace")
        raise UnreadableRequest(OAI_01.broken("", expected="a JSON object", got=got))
    return request


def _continues(request: Json) -> str | None:
    previous = request.get("previous_response_id")
    return previous if isinstance(previous, str) and previous else conversation_id(request)


def _tools(tools: Any) -> Iterable[ToolDeclaration]:
    for tool in objects(tools):
        if tool.get("type") in ("function", "custom"):
            parameters = tool.get("parameters")
            yield ToolDeclaration(
                name=str(tool.get("name") or ""),
                description=str(tool.get("description") or ""),
                parameters=parameters if isinstance(parameters, dict) else {},
            )


# --- items -------------------------------------------------------------------------------------------------


def _messages(items: Sequence[Json]) -> Iterator[Message]:
    """The messages. An output gets the name of the latest call with its id, since an id may be repeated."""
    names = {string(item.get("call_id")): str(item.get("name")) for item in items if kind_of(item) in ARGUMENTS}
    for at, item in enumerate(items):
        if kind_of(item) in ARGUMENTS:
            names[string(item.get("call_id"))] = str(item.get("name"))
        yield _message(item, f"input[{at}]", names)


def _message(item: Json, at: str, names: Mapping[Any, str]) -> Message:
    kind = kind_of(item)
    if kind in OUTPUTS:
        return Message("tool", _result_parts(item, names), at)
    if kind == "message":
        role: Role = _ROLES.get(string(item.get("role")), "user")
        return Message(role, _content_parts(item.get("content"), string(item.get("phase"))), at)
    parts = parts_of(item)
    if not parts:
        role = "tool" if kind.endswith("_output") else "assistant"
        return Message(role, (Opaque(kind, item),), at)
    return Message("assistant", parts, at)


def _content_parts(content: Any, phase: str = "") -> tuple[Part | Opaque, ...]:
    if isinstance(content, str):
        return (Text(content, phase=phase),)
    return tuple(_content_part(part, phase) for part in entries(content))


def _content_part(part: Any, phase: str) -> Part | Opaque:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind in ("input_text", "output_text", "text"):
        return Text(str(part.get("text") or ""), phase=phase)
    if kind == "refusal":
        return Refusal(str(part.get("refusal") or ""))
    return Opaque(str(kind), part)


def _result_parts(item: Json, names: Mapping[Any, str]) -> tuple[Result | Opaque, ...]:
    """The result, and the images and files in a list output."""
    parts = _content_parts(item.get("output"))
    text = "".join(part.text for part in parts if isinstance(part, Text))
    call_id = string(item.get("call_id"))
    result = Result(call_id, text, names.get(call_id, ""))
    return (result, *(part for part in parts if isinstance(part, Opaque)))


# --- turns that are only named -----------------------------------------------------------------------------


def resolve(conversation: Conversation, issued: IssuedState) -> Conversation:
    """``Wire.resolve`` for ``previous_response_id``, ``conversation`` and ``item_reference``.

    Instructions are not inherited (https://platform.openai.com/docs/api-reference/responses/create), so earlier
    requests' instructions are left out. Inherited messages have the response's id in front of their place.
    """
    named = {id_: item for reply in issued.replies for item in reply.items if (id_ := string(item.get("id")))}
    own = tuple(_resolved_message(message, named) for message in conversation.messages)
    stored = issued.stored.get(conversation_id(conversation.body) or "")
    if stored is not None:
        return _behind(stored_items(conversation.continues or "", stored, issued), conversation, own)
    found = issued.find(conversation.continues or "") or _last_of(conversation, issued)
    if found is None:
        return conversation if own == conversation.messages else replace(conversation, messages=own)
    asked, reply = found
    instructions = [message for message in own if message.at == "instructions"]
    rest = [message for message in own if message.at != "instructions"]
    inherited = tuple(_inherited_messages(asked, reply))
    if conversation.connection:  # the same is said in full when the connection is lost, with the calls in front
        rest = list(_with_call_names(rest, {call.id: call.name for message in inherited for call in message.calls}))
    return replace(conversation, messages=(*instructions, *inherited, *rest))


def _behind(items: Iterable[tuple[str, Json]], conversation: Conversation, own: Sequence[Message]) -> Conversation:
    """The conversation after the items of a stored history, each with its place."""
    names: dict[Any, str] = {}
    inherited = []
    for at, item in items:
        if kind_of(item) in ARGUMENTS:
            names[string(item.get("call_id"))] = str(item.get("name"))
        inherited.append(_message(item, at, names))
    instructions = [message for message in own if message.at == "instructions"]
    rest = _with_call_names([message for message in own if message.at != "instructions"], names)
    return replace(conversation, messages=(*instructions, *inherited, *rest))


def _with_call_names(messages: Iterable[Message], names: Mapping[str | None, str]) -> Iterator[Message]:
    """The messages; results get the names of calls that came in another response."""
    for message in messages:
        parts = [
            replace(part, name=names.get(part.id, "")) if isinstance(part, Result) and not part.name else part
            for part in message.parts
        ]
        yield replace(message, parts=tuple(parts)) if message.results else message


def _last_of(conversation: Conversation, issued: IssuedState) -> tuple[Conversation, Reply] | None:
    """The last turn of the provider-side conversation that the request belongs to."""
    wanted = conversation_id(conversation.body)
    if wanted is None:
        return None
    return next((turn for turn in reversed(issued.turns) if conversation_id(turn[0].body) == wanted), None)


def _inherited_messages(asked: Conversation, reply: Reply) -> Iterable[Message]:
    for message in asked.messages:
        if message.at.startswith("input"):
            yield replace(message, at=f"{reply.id}.{message.at}")
        elif message.at != "instructions":
            yield message
    for index, item in enumerate(reply.items):
        yield _message(item, f"{reply.id}.output[{index}]", {})


def _resolved_message(message: Message, named: Mapping[str, Json]) -> Message:
    part = message.parts[0] if message.parts else None
    if isinstance(part, Opaque) and part.kind == "item_reference":
        item = named.get(string(part.native.get("id")))
        if item is not None:
            return _message(item, message.at, {})
    return message
