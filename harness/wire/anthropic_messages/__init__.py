"""The Anthropic Messages wire: ``POST /v1/messages``, streamed or not, with and without message threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.wire.anthropic_messages.arrival import arrivals
from harness.wire.anthropic_messages.errors import answer, refusal, request_id
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.parse import parse
from harness.wire.anthropic_messages.read import read, resolve, route
from harness.wire.anthropic_messages.render import EVENT_STREAM, JSON, render
from harness.wire.anthropic_messages.rules.judge import violations
from harness.wire.anthropic_messages.rules.table import RULES
from harness.wire.anthropic_messages.write import SETTINGS, answers, entries, returned, write
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
    WireName,
    Written,
)
from harness.wire.identity import Identity
from harness.wire.models import ModelTable
from harness.wire.rule import WireRule
from harness.wire.turn import Turn

__all__ = ["WIRE", "WITHOUT_THREADS", "AnthropicMessages"]


class AnthropicMessages:
    """The wire. With ``threads`` False it declines message threads.

    The SDK's tool runner asks for a server-side thread (``thread: {"type": "create"}``) and sends only new
    messages from then on. A server that does not keep threads must say so with ``thread_unsupported_request``:
    the runner then sends the whole history again and goes on without threads.
    """

    name: WireName = "anthropic-messages"
    settings = SETTINGS
    rules: tuple[WireRule, ...] = RULES
    models: ModelTable = MODELS

    def __init__(self, *, threads: bool = True) -> None:
        self._threads = threads

    def route(self, method: str, path: str) -> Route | None:
        return route(method, path)

    def read(
        self,
        route: Route,  # noqa: ARG002 - the body says model and stream
        body: bytes,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> Conversation:
        return read(body, headers)

    def resolve(self, conversation: Conversation, sent: IssuedState) -> Conversation:
        return resolve(conversation, sent) if self._threads else conversation

    def violations(self, conversation: Conversation, sent: IssuedState) -> list[Violation]:
        return violations(conversation, sent, threads_kept=self._threads)

    def render(self, turn: Turn, identity: Identity, conversation: Conversation) -> Rendered:
        return render(turn, identity, conversation)

    def parse(self, content_type: str, body: bytes) -> Reply:
        return parse(content_type, body)

    def arrivals(self, content_type: str, body: bytes, arguments: Sequence[str]) -> tuple[Arrival, ...] | None:
        return arrivals(content_type, body, arguments)

    def refuse(self, violation: Violation, identity: Identity) -> ErrorAnswer:
        return refusal(violation, identity)

    def error(self, status: int, identity: Identity, *, retry_after: float | None = None) -> ErrorAnswer:
        return answer(status, identity, retry_after)

    def response_headers(self, identity: Identity, *, stream: bool) -> Mapping[str, str]:
        kind = {"content-type": EVENT_STREAM, "cache-control": "no-cache"} if stream else {"content-type": JSON}
        return {**kind, "request-id": request_id(identity)}

    def write(self, conversation: Conversation) -> Written:
        return write(conversation)

    def entries(self, messages: Sequence[Message]) -> list[Json]:
        return entries(messages)

    def returned(self, reply: Reply, ids: Sequence[str]) -> tuple[Message, ...]:
        return returned(reply, ids)

    def answers(
        self,
        reply: Reply,  # noqa: ARG002 - results name calls by their ids
        ids: Sequence[str],  # noqa: ARG002
        results: Sequence[Result],
        said: Sequence[str] = (),
    ) -> tuple[Message, ...]:
        return answers(results, said)


WIRE = AnthropicMessages()
"""The wire as the harness serves it: threads are kept."""

WITHOUT_THREADS = AnthropicMessages(threads=False)
"""The same wire on a server that declines threads."""
