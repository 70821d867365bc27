"""Read a request as a conversation, and put the interactions that it only names in front of it.

The input may be a text, a content, a list of contents or a list of steps; results may be in a ``user_input``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from harness.ground.bounded_json import MOST_HOLDERS, loads
from harness.wire.base import (
    NO_HEADERS,
    Conversation,
    IssuedState,
    Json,
    Message,
    Opaque,
    Reply,
    Result,
    Route,
    ToolDeclaration,
    UnreadableRequest,
)
from harness.wire.gemini_interactions.rules.book import RULES
from harness.wire.gemini_interactions.steps import CALL, INPUT, OUTPUT, RESULT, flattened, kind_of, parts_of
from harness.wire.gemini_interactions.words import GOES_ON, NAME, REVISION, SYSTEM
from harness.wire.json_text import compact
from harness.wire.lenient import entries, members, objects, string
from harness.wire.posted import Posted, Wrong
from harness.wire.rule import ErrorTemplate, WireRule
from harness.wire.turn import Part, Text

IN_A_RESULT: Final = "function_result."
"""The prefix of the kind of an opaque part in a result: ``function_result.image``."""

_PATH: Final = re.compile(r"(?:/[^/?]+)*/interactions/?(?:\?.*)?")
"""Any prefix: the SDKs use ``/v1``, documentation and most others ``/v1beta``, Vertex AI its projects."""


def route(method: str, path: str) -> Route | None:
    """``POST …/interactions``."""
    return Route(NAME) if method.upper() == "POST" and _PATH.fullmatch(path) else None


def _cut(posted: Posted) -> bool:
    posted.raw = posted.content()[:-5]
    return True


INT_BODY: Final = WireRule(
    "INT-BODY",
    "The body is a JSON object.",
    "Nothing else can be read.",
    "inferred",
    ("https://github.com/googleapis/python-genai/issues/2661 (failures of the front end)",),
    (ErrorTemplate("Invalid JSON payload received."),),
    wrong=(Wrong("int-no-json", "The body is no JSON.", _cut, "texts"),),
)

RULES.declare(INT_BODY)


def read(
    route: Route,  # noqa: ARG001 - the body says all
    body: bytes,
    headers: Mapping[str, str] = NO_HEADERS,
    /,
) -> Conversation:
    """``Wire.read``: reads everything that can be read; ``violations`` reports what is wrong."""
    request = _object(body)
    messages = tuple(_messages(request))
    if isinstance(instruction := request.get(SYSTEM), str):
        messages = (Message("system", (Text(instruction),), SYSTEM), *messages)
    named = request.get("previous_interaction_id") or request.get(GOES_ON)
    return Conversation(
        wire=NAME,
        model=string(request.get("model")),
        stream=request.get("stream") is True,
        messages=messages,
        tools=tuple(_tools(request.get("tools"))),
        continues=named if isinstance(named, str) and named else None,
        body=request,
        headers={REVISION: headers[REVISION]} if REVISION in headers else {},
    )


def _object(body: bytes) -> Json:
    try:
        request = loads(body, holders=MOST_HOLDERS)
    except ValueError as error:
        raise UnreadableRequest(INT_BODY.broken("", expected="a JSON object", got=str(error))) from error
    if not isinstance(request, dict):
        raise UnreadableRequest(INT_BODY.broken("", expected="a JSON object", got=f"{compact(request):.60}"))
    return request


def _tools(tools: Any) -> Iterator[ToolDeclaration]:
    """The tools that the client runs; all others are the provider's own."""
    for tool in objects(tools):
        if tool.get("type") == "function":
            parameters = members(tool.get("parameters"))
            yield ToolDeclaration(string(tool.get("name")), string(tool.get("description")), parameters)


# --- steps --------------------------------------------------------------------------------------------------


def _messages(request: Json) -> Iterator[Message]:
    steps = list(flattened(request.get("input")))
    names = {string(step.get("id")): string(step.get("name")) for step, _ in steps if kind_of(step) == CALL}
    return (_message(step, at, names) for step, at in steps)


def _message(step: Json, at: str, names: Mapping[str, str]) -> Message:
    kind = kind_of(step)
    if kind == INPUT:
        return Message("user", tuple(_contents(step.get("content"))), at)
    if kind == OUTPUT:
        return Message("assistant", tuple(_contents(step.get("content"))), at)
    if kind == RESULT:
        return Message("tool", tuple(_result(step, names)), at)
    return Message("assistant", parts_of(step) or (Opaque(kind, step),), at)


def _contents(content: Any) -> Iterator[Part | Opaque]:
    if isinstance(content, str):
        yield Text(content)
    for each in entries(content):
        yield Text(string(each.get("text"))) if kind_of(each) == "text" else Opaque(kind_of(each), each)


def _result(step: Json, names: Mapping[str, str]) -> Iterator[Result | Opaque]:
    """The result with its text (an object becomes text); its other content (images, documents) follows unchanged."""
    value, call_id = step.get("result"), string(step.get("call_id"))
    listed = entries(value)
    texts = (string(each.get("text")) for each in objects(value) if kind_of(each) == "text")
    output = "".join(texts) if isinstance(value, list) else value if isinstance(value, str) else compact(value)
    name = string(step.get("name")) or names.get(call_id, "")
    mark = step.get("is_error")
    yield Result(call_id, output, name, is_error=mark is True, is_marked=mark is not None)
    yield from (Opaque(f"{IN_A_RESULT}{kind_of(each)}", each) for each in listed if kind_of(each) != "text")


# --- interactions that are only named -----------------------------------------------------------------------


def resolve(conversation: Conversation, issued: IssuedState) -> Conversation:
    """``Wire.resolve`` for ``previous_interaction_id``. Instructions are not inherited: earlier ones are left out.

    A long answer that is not stored is continued by its token: the request repeats the input of that answer, and the
    part of the answer that has come is put after it.
    """
    found = issued.find(conversation.continues or "")
    if found is None:
        return conversation
    own = conversation.messages
    instructions = [message for message in own if message.at == SYSTEM]
    rest = [message for message in own if message.at != SYSTEM and conversation.continues == found[1].id]
    return replace(conversation, messages=(*instructions, *_inherited_messages(*found), *rest))


def _inherited_messages(asked: Conversation, reply: Reply) -> Iterable[Message]:
    """The messages of an earlier interaction; its id is in front of their place."""
    for message in asked.messages:
        if message.at.startswith("input"):
            yield replace(message, at=f"{reply.id}.{message.at}")
        elif message.at != SYSTEM:
            yield message
    for index, step in enumerate(reply.items):
        yield _message(step, f"{reply.id}.steps[{index}]", {})
