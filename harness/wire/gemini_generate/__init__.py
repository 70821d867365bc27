"""The wire of Gemini ``generateContent`` and ``streamGenerateContent``.

Streams of whole responses, calls that arrive in one piece with or without an id, and thought signatures that
must come back on the part that carried them. The Interactions API, streamed arguments (Vertex) and automatic
continuation are not rendered; a response that has them is parsed without failing.
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
from harness.wire.gemini_generate import errors, rules
from harness.wire.gemini_generate.arrival import arrivals
from harness.wire.gemini_generate.models import MODELS
from harness.wire.gemini_generate.parse import parse
from harness.wire.gemini_generate.read import read, route
from harness.wire.gemini_generate.render import render
from harness.wire.gemini_generate.write import SETTINGS, answers, entries, returned, write
from harness.wire.identity import Identity
from harness.wire.turn import Turn

__all__ = ["WIRE", "GeminiGenerate"]


class GeminiGenerate:
    """Implements ``harness.wire.base.Wire``."""

    name: WireName = "gemini-generate"
    settings = SETTINGS
    rules = rules.RULES
    models = MODELS

    def route(self, method: str, path: str) -> Route | None:
        return route(method, path)

    def read(
        self,
        route: Route,
        body: bytes,
        headers: Mapping[str, str] = NO_HEADERS,  # noqa: ARG002 - no rule of this wire depends on one
    ) -> Conversation:
        return read(route, body)

    def resolve(self, conversation: Conversation, sent: IssuedState) -> Conversation:  # noqa: ARG002
        """Every request carries its whole history, so there is nothing to resolve."""
        return conversation

    def violations(self, conversation: Conversation, sent: IssuedState) -> list[Violation]:
        return rules.violations(conversation, sent)

    def render(self, turn: Turn, identity: Identity, conversation: Conversation) -> Rendered:
        return render(turn, identity, conversation)

    def parse(self, content_type: str, body: bytes) -> Reply:
        return parse(content_type, body)

    def arrivals(self, content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
        return arrivals(content_type, body, arguments)

    def refuse(self, violation: Violation, identity: Identity) -> ErrorAnswer:
        return errors.refuse(violation, identity)

    def error(self, status: int, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:
        return errors.error(status, identity, retry_after=retry_after)

    def response_headers(self, identity: Identity, *, stream: bool) -> Mapping[str, str]:
        return errors.response_headers(identity, stream=stream)

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


WIRE: Wire = GeminiGenerate()
