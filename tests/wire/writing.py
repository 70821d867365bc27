"""What the tests of writing share: requests read back, whole loops, recorded requests, and writers that are broken."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hypothesis import strategies as st

from harness.finding import Finding
from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    IssuedState,
    Message,
    Reply,
    Result,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Turn,
    WireName,
    recognise,
    wire,
)
from harness.wire import wire as wire_named
from harness.wire.json_text import compact
from tests.recorded.corpus.shared_exchanges import exchanges

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
names = st.text("abcdefgh_", min_size=1, max_size=8)
_json = st.none() | st.booleans() | st.integers(-9, 9) | texts | st.lists(texts, max_size=2)
arguments = st.dictionaries(texts, _json, max_size=3).map(compact)

TOOLS = (
    ToolDeclaration("create_file", "Creates a file.", {"type": "object", "properties": {"path": {"type": "string"}}}),
    ToolDeclaration("weather", "Tells the weather.", {"type": "object", "properties": {}}),
)


def reread(conversation: Conversation) -> Conversation:
    """``conversation`` written and read."""
    written = wire(conversation.wire).write(conversation)
    return _read(conversation.wire, written.path, written.body)


def _read(name: WireName, path: str, body: bytes) -> Conversation:
    route = recognise("POST", path)
    assert route is not None
    assert route.wire == name
    return wire(name).read(route, body)


def only_words(conversation: Conversation) -> Conversation:
    """What is said in neutral words."""
    return replace(conversation, body={})


@st.composite
def conversations(
    draw: st.DrawFn, name: WireName, messages: st.SearchStrategy[list[Message]], place: str
) -> Conversation:
    """Conversations with these messages at their places (``place`` is a form: ``messages.{}``)."""
    found, told = [], 0
    for message in draw(messages):
        found.append(message if message.at else replace(message, at=place.format(told)))
        told += not message.at
    tools = tuple(draw(st.sets(st.sampled_from(range(len(TOOLS))))))
    stream = draw(st.booleans())
    return Conversation(name, "some-model", stream, tuple(found), tuple(TOOLS[at] for at in tools))


# --- whole loops --------------------------------------------------------------------------------------------

_TURNS = (
    Turn(
        (
            ThinkingPart("The weather first."),
            Text("Let me look."),
            Call("weather", '{"city": "Rome"}'),
            Call("weather", '{"city": "Oslo"}'),
        ),
        FinishReason.TOOL_CALLS,
    ),
    Turn((ThinkingPart("Now the file."), Call("create_file", '{"path": "a"}')), FinishReason.TOOL_CALLS),
    Turn((Text("Done."),)),
)


def asked(name: WireName) -> Conversation:
    """The first request of a client that lets the model call tools."""
    prompt = (Message("system", (Text("You help."),), ""), Message("user", (Text("How is it there?"),), ""))
    return Conversation(name, wire_named(name).default_model, True, prompt, TOOLS, body=dict(wire(name).settings))


def looped(
    name: WireName, edit: Callable[[Any], Any] | None = None, said: Sequence[str] = ("By the way: in Celsius.",)
) -> Iterator[tuple[Conversation, list[Finding], bytes]]:
    """Each request of a whole loop as it was read, its violations, and its bytes. ``edit`` breaks the body.

    ``said`` follows the results. (On Gemini it begins a turn anew, and proofs are asked for in the current one alone.)
    """
    speaker, sent, identity = wire(name), IssuedState(), Identity("loop")
    asking = asked(name)
    for turn in _TURNS:
        written = speaker.write(asking)
        body = json.dumps(edit(json.loads(written.body))).encode() if edit else written.body
        heard = _read(name, written.path, body)
        yield heard, speaker.violations(heard, sent), body
        rendered = speaker.render(turn, identity, heard)
        reply = speaker.parse(rendered.content_type, rendered.body)
        sent.add(heard, reply)
        asking = replace(asking, messages=(*asking.messages, *_going_on(name, reply, said)))


def _going_on(name: WireName, reply: Reply, said: Sequence[str]) -> tuple[Message, ...]:
    ids = [call.id or f"call_{number}" for number, call in enumerate(reply.turn.calls)]
    results = [
        Result(call_id, json.dumps({"nth": number}), call.name, is_error=number == 1)
        for number, (call_id, call) in enumerate(zip(ids, reply.turn.calls, strict=True))
    ]
    return (*wire(name).returned(reply, ids), *wire(name).answers(reply, ids, results, said if results else ()))


def broken(name: WireName, edit: Callable[[Any], Any]) -> set[str]:
    """The rules that a loop breaks whose requests are edited by ``edit``."""
    return {violation.id for _, violations, _ in looped(name, edit, ()) for violation in violations}


# --- recorded requests --------------------------------------------------------------------------------------


@dataclass
class Recordings:
    """What came of recorded requests that were read, written and read again.

    ``judged`` are those whose violations, judged by themselves, are others than before: file, before, after.
    """

    read: int = 0
    same: int = 0
    judged: list[tuple[str, list[str], list[str]]] = field(default_factory=list)


def recordings(shared: Path, name: WireName) -> Recordings:
    """Every recorded request of this wire."""
    found = Recordings()
    for exchange in exchanges(shared, name):
        if exchange.request is None:
            continue
        url = urlsplit(exchange.url)
        conversation = _read(name, f"{url.path}?{url.query}" if url.query else url.path, exchange.request)
        again = reread(conversation)
        found.read += 1
        found.same += only_words(again) == only_words(conversation)
        before, after = ([each.id for each in wire(name).violations(it, IssuedState())] for it in (conversation, again))
        if before != after:
            found.judged.append((exchange.file.rpartition("/")[2], before, after))
    return found
