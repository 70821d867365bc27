"""The answers of a recorded conversation as a cassette: the provider's own output, with its ids and signatures.

A loop gets the same answer at each place of the conversation, whatever it sends. A span contains a whole answer and
never its stream; the stream of a streamed answer is generated anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness import __version__
from harness.cassette import Interaction, Provenance
from harness.errors import BadInput
from harness.lint.judging import LintedRequest
from harness.spans.scenarios import RecordedTurn, last_run
from harness.wire import Conversation, Identity, Text, Turn, WireName, wire

_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class RecordedConversation:
    """The content of a cassette: its wire, its origin, and its exchanges, not yet redacted."""

    wire: WireName
    provenance: Provenance
    interactions: tuple[Interaction, ...]


def conversation_of(name: str, turns: Sequence[RecordedTurn], day: str) -> RecordedConversation:
    """The conversation of the scenario ``name``, recorded on ``day`` (2026-11-22).

    It begins where its scenario begins. Raises ``BadInput`` with the reason if no cassette can be made.
    """
    turns = last_run(turns)
    asked = [turn.asked for turn in turns if turn.asked is not None]
    if len(asked) < len(turns):
        raise BadInput(f"{name}: no cassette: its requests are not recorded whole")
    wires = {each.route.wire for each in asked}
    if len(wires) > 1:
        raise BadInput(f"{name}: no cassette: its requests are of several API formats")
    interactions = tuple(_interactions(name, turns, asked))
    if not interactions:
        raise BadInput(f"{name}: no cassette: no answer is recorded")
    (speaks,) = wires
    server, model = _host(asked[0]), turns[0].conversation.model or "unknown"
    return RecordedConversation(
        speaks, Provenance("live", name, speaks, "production", server, model, day, __version__), interactions
    )


def _interactions(name: str, turns: Sequence[RecordedTurn], asked: Sequence[LintedRequest]) -> Iterator[Interaction]:
    """The exchanges. If the results of the last calls have no recorded answer, one that ends the run is added."""
    last: tuple[int, RecordedTurn] | None = None
    for number, (turn, request) in enumerate(zip(turns, asked, strict=True)):
        if request.response is not None and request.status is not None:
            last = number, turn
            yield _interaction(name, turn, request, request.status, request.response)
    if last is None or last[1].reply is None or not last[1].reply.turn.calls:
        return
    behind = min(last[0] + 1, len(turns) - 1)
    yield _written(name, turns[behind].conversation, asked[behind], Turn((Text("Done."),)))


def _interaction(name: str, turn: RecordedTurn, request: LintedRequest, status: int, response: bytes) -> Interaction:
    if turn.conversation.stream and turn.reply is not None and turn.reply.turn.parts:
        return _written(name, turn.conversation, request, turn.reply.turn)
    return _exchange(request, status, request.content_type or _JSON, response)


def _written(name: str, conversation: Conversation, request: LintedRequest, turn: Turn) -> Interaction:
    """An exchange whose answer is the turn, with its ids and signatures, in the requested form."""
    rendered = wire(request.route.wire).render(turn, Identity(name), conversation)
    return _exchange(request, rendered.status, rendered.content_type, rendered.body)


def _exchange(request: LintedRequest, status: int, content_type: str, response: bytes) -> Interaction:
    speaks = wire(request.route.wire)
    return Interaction(
        "POST",
        f"https://{_host(request)}{speaks.provider.base_suffix}{speaks.path(request.route)}",
        {"content-type": (_JSON,)},
        request.body,
        status,
        {"content-type": (content_type,)},
        response,
    )


def _host(request: LintedRequest) -> str:
    """The server that was asked; the provider's, if the span does not contain it."""
    return request.host or wire(request.route.wire).provider.host
