"""The OpenAI Responses API (``POST /v1/responses``), streamed and whole; its WebSocket mode is not covered.

items         native items <-> neutral parts, shared by all the others
build, render a turn as items, and items as bytes
parse         bytes as items and a turn
read          a request as a conversation
write         a conversation as a request, and how a client goes on
rules         what a continuation must be, judged against what was sent
errors        error answers and headers; ``failure`` has the errors inside a stream
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

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
from harness.wire.openai_models import OPENAI_MODELS
from harness.wire.openai_responses import errors
from harness.wire.openai_responses.arrival import arrivals
from harness.wire.openai_responses.parse import parse
from harness.wire.openai_responses.read import read, resolve
from harness.wire.openai_responses.render import render
from harness.wire.openai_responses.rules.judge import violations
from harness.wire.openai_responses.rules.table import RULES
from harness.wire.openai_responses.write import SETTINGS, answers, entries, returned, write
from harness.wire.rule import WireRule
from harness.wire.turn import Turn

__all__ = ["WIRE", "ResponsesWire"]

_PATH: Final = re.compile(r"(?:/[^/?]+)*/responses/?(?:\?.*)?")
"""Any prefix, because servers of this API differ in it: ``/v1``, ``/openai/v1``, ``/api/v1``, none."""


class ResponsesWire:
    """``harness.wire.base.Wire`` for the Responses API."""

    name: WireName = "openai-responses"
    settings = SETTINGS
    rules: tuple[WireRule, ...] = RULES
    models = OPENAI_MODELS

    def route(self, method: str, path: str) -> Route | None:
        return Route(self.name) if method == "POST" and _PATH.fullmatch(path) else None

    def read(
        self,
        route: Route,  # noqa: ARG002 - the body says all
        body: bytes,
        headers: Mapping[str, str] = NO_HEADERS,  # noqa: ARG002 - no rule of this wire depends on one
    ) -> Conversation:
        return read(body)

    def resolve(self, conversation: Conversation, sent: IssuedState) -> Conversation:
        return resolve(conversation, sent)

    def violations(self, conversation: Conversation, sent: IssuedState) -> list[Violation]:
        return violations(conversation, sent)

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


WIRE: Final[Wire] = ResponsesWire()
