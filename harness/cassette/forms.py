"""What a response is made of, with its values left out: events and their order, members and their types, headers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

from harness.wire import NativeWireName
from harness.wire import wire as wire_named
from harness.wire.members import members_of

Form = Literal["stream", "document", "error", "stream headers", "document headers", "error headers"]
"""What is compared with its like. Headers are forms of their own, because many recorders keep none of them."""

FORMS: tuple[Form, ...] = ("stream", "document", "error", "stream headers", "document headers", "error headers")


@dataclass(frozen=True, slots=True)
class Response:
    """One response as its server sent it. Header names are lower case."""

    wire: NativeWireName
    body: bytes
    streamed: bool
    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """One thing that a response of this form has. ``text`` is one of

    EVENT/path.of<variant>.members[]: type       in an event of a stream
    path.of<variant>.members[]: type             in a document or an error
    EVENT -> EVENT                               the one follows the other; ``(start)`` and ``(end)`` are events
    event: NAME                                  the name that the frame gives its event
    name-of-a-header
    """

    form: Form
    text: str

    def __str__(self) -> str:
        return f"{self.form} | {self.text}"


def form_of(response: Response) -> Form:
    """The form of a response's body. An error is an answer with an HTTP status of one, whatever its body."""
    if response.status >= 400:
        return "error"
    return "stream" if response.streamed else "document"


def shapes_of(response: Response, *, whole: bool = True) -> Iterator[Shape]:
    """The shapes of a response, each once.

    ``whole`` is False for a stream that breaks off on purpose: where it ends then says nothing. A body that is not in
    the form of its wire has the shape ``no JSON``.
    """
    form = form_of(response)
    texts = _of_stream(response, whole) if form == "stream" else _of_document(response)
    yield from (Shape(form, text) for text in dict.fromkeys(texts))
    yield from (Shape(_HEADERS[form], name) for name in response.headers)


_HEADERS: Mapping[Form, Form] = {
    "stream": "stream headers",
    "document": "document headers",
    "error": "error headers",
}


def _of_stream(response: Response, whole: bool) -> Iterator[str]:
    kinds = ["(start)"]
    names: dict[str, None] = {}
    members: dict[str, dict[str, None]] = {}
    for event in wire_named(response.wire).transport.events(response.body):
        kind, place, members_here = _event(response.wire, event.data)
        kinds.append(kind)
        if event.event != "message":
            names[event.event] = None
        members.setdefault(place, {}).update(members_here)
    if whole:
        kinds.append("(end)")
    yield from (f"event: {name}" for name in names)
    yield from (f"{place}/{text}" for place, texts in members.items() for text in texts)
    yield from (f"{before} -> {after}" for before, after in dict.fromkeys(pairwise(kinds)))


@lru_cache(maxsize=4096)  # on most wires half of the events of a sample are said again a response later
def _event(wire: NativeWireName, data: str) -> tuple[str, str, Mapping[str, None]]:
    """What an event is, where its members belong, and the members."""
    grammar, value = wire_named(wire).grammar, _json(data)
    kind = grammar.kind(value)
    return kind, grammar.place(kind), dict.fromkeys(members_of(value, grammar))


def _json(data: str) -> Any:
    """The data of an event; text that is no JSON (``[DONE]``) as it is."""
    try:
        return json.loads(data)
    except ValueError:
        return data


def _of_document(response: Response) -> list[str]:
    try:
        value = json.loads(response.body)
    except ValueError:
        return ["no JSON"]
    return members_of(value, wire_named(response.wire).grammar)
