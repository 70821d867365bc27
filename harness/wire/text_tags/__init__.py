"""Tool calls written as text, over Chat Completions: the protocol of models that have no function calling.

    <tool_call>{"name": "read_file", "args": {"path": "a.py"}}</tool_call>
    <|tool_call>call:read_file{path: "a.py"}<tool_call|>

A dialect of the ``openai-chat`` wire: the same requests, streams and errors; the calls stand in the text of the answer
and their results come back in one user message.

    words        a turn as one text, and back
    results      the message with the results, written and read
    stream       ``TextTags``: an answer's text parsed while it arrives (tags, repaired_json, call, reader below it)
    prompt       what the model is told of tools, skills and failures
    table        the rules of a continuation, and continuation the checks

Source: the design document "Hugind Tool Calling Flow". Where this departs from the program behind it,
``docs/deviations.md`` says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.wire.arrival import Arrival
from harness.wire.base import (
    NO_HEADERS,
    Conversation,
    ErrorAnswer,
    IssuedState,
    Json,
    Message,
    Rendered,
    Reply,
    Result,
    Route,
    Violation,
    Wire,
    WireName,
    Written,
)
from harness.wire.identity import Identity
from harness.wire.openai_chat.errors import error_answer, refusal_answer, response_headers
from harness.wire.openai_chat.models import MODELS
from harness.wire.openai_chat.read import find_route
from harness.wire.text_tags.arrival import arrivals
from harness.wire.text_tags.call import TextCall
from harness.wire.text_tags.continuation import violations
from harness.wire.text_tags.read import read
from harness.wire.text_tags.reader import Said
from harness.wire.text_tags.render import parse, render
from harness.wire.text_tags.stream import TextTags, parse_tool_calls, strip_thinking, strip_tool_calls
from harness.wire.text_tags.table import RULES
from harness.wire.text_tags.write import SETTINGS, answers, entries, returned, write
from harness.wire.turn import Turn

__all__ = [
    "WIRE",
    "Said",
    "TextCall",
    "TextTags",
    "TextTagsWire",
    "parse_tool_calls",
    "strip_thinking",
    "strip_tool_calls",
]


class TextTagsWire:
    """The ``text-tags`` wire. Its path is that of Chat Completions, so only a case that names it is served in it."""

    name: WireName = "text-tags"
    settings = SETTINGS
    rules = RULES
    models = MODELS

    def route(self, method: str, path: str) -> Route | None:
        return Route(self.name) if find_route(method, path) else None

    def read(
        self,
        route: Route,  # noqa: ARG002 - the body says all
        body: bytes,
        headers: Mapping[str, str] = NO_HEADERS,  # noqa: ARG002 - no rule of this wire depends on one
    ) -> Conversation:
        return read(body)

    def resolve(self, conversation: Conversation, sent: IssuedState) -> Conversation:  # noqa: ARG002
        return conversation

    def violations(self, conversation: Conversation, sent: IssuedState) -> list[Violation]:
        return violations(conversation, sent)

    def render(self, turn: Turn, identity: Identity, conversation: Conversation) -> Rendered:
        return render(turn, identity, conversation)

    def parse(self, content_type: str, body: bytes) -> Reply:
        return parse(content_type, body)

    def arrivals(self, content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
        return arrivals(content_type, body, arguments)

    def refuse(self, violation: Violation, identity: Identity) -> ErrorAnswer:
        return refusal_answer(violation, identity)

    def error(self, status: int, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:
        return error_answer(status, identity, retry_after)

    def response_headers(self, identity: Identity, *, stream: bool) -> Mapping[str, str]:
        return response_headers(identity, "text/event-stream; charset=utf-8" if stream else "application/json")

    def write(self, conversation: Conversation) -> Written:
        return write(conversation)

    def entries(self, messages: Sequence[Message]) -> list[Json]:
        return entries(messages)

    def returned(self, reply: Reply, ids: Sequence[str]) -> tuple[Message, ...]:
        return returned(reply, ids)

    def answers(
        self,
        reply: Reply,
        ids: Sequence[str],
        results: Sequence[Result],
        said: Sequence[str] = (),
    ) -> tuple[Message, ...]:
        return answers(reply, ids, results, said)


WIRE: Wire = TextTagsWire()
