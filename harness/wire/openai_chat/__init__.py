"""OpenAI Chat Completions, as OpenAI and the many compatible servers speak it."""

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
from harness.wire.openai_chat.arrival import arrivals
from harness.wire.openai_chat.errors import error_answer, refusal_answer, response_headers
from harness.wire.openai_chat.models import MODELS
from harness.wire.openai_chat.parse import parse
from harness.wire.openai_chat.read import find_route, read
from harness.wire.openai_chat.render import render
from harness.wire.openai_chat.rules import RULES, violations
from harness.wire.openai_chat.write import SETTINGS, answers, entries, returned, write
from harness.wire.turn import Turn

__all__ = ["WIRE", "OpenAIChat"]


class OpenAIChat:
    """The ``openai-chat`` wire. Requests send their whole history, so there is nothing to resolve."""

    name: WireName = "openai-chat"
    settings = SETTINGS
    rules = RULES
    models = MODELS

    def route(self, method: str, path: str) -> Route | None:
        return find_route(method, path)

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


WIRE: Wire = OpenAIChat()
