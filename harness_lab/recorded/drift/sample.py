"""A systematic sample of all that the renderers of the wires can render."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from harness.cassette.forms import Response
from harness.finding import ProviderAnswer
from harness.scenario import Scenario, TurnStep, load, shipped
from harness.wire import (
    Conversation,
    ErrorAnswer,
    FinishReason,
    Identity,
    NativeWireName,
    ThinkingPart,
    Turn,
    wire,
)
from harness_lab.recorded.drift.requests import plain_requests, requests
from harness_lab.recorded.drift.turns import TURNS
from harness_lab.recorded.reading.servers import MAKERS, Server, ServerResponse

_STATUSES = (400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 503, 504, 529)


def sample(name: NativeWireName) -> Iterator[ServerResponse]:
    """The sample for one wire: the turns of the shipped scenarios and those that they lack, errors by status,
    refusals."""
    for where, turn in _scripted(name):
        for asked, conversation in plain_requests(name):
            yield _spoken(name, f"{where}, {asked}", turn, conversation)
    for where, turn in TURNS.items():
        if turn.stop is not FinishReason.PAUSE or wire(name).can_pause:
            for asked, conversation in requests(name):
                yield _spoken(name, f"{where}, {asked}", turn, conversation)
    yield from _errors(name)
    yield from _refusals(name)


# --- turns --------------------------------------------------------------------------------------------------


def _scripted(name: NativeWireName) -> Iterator[tuple[str, Turn]]:
    """Each turn that a shipped scenario has for the wire, once, with its place; no turns in the provider's own
    words."""
    seen: set[Turn] = set()
    for scenario in _shipped():
        if name not in scenario.wires or scenario.plays:  # whose model another server has
            continue
        for number, step in enumerate(scenario.steps, 1):
            if isinstance(step, TurnStep) and step.native is None and step.turn not in seen:
                seen.add(step.turn)
                yield f"scenario {scenario.name}, step {number}", step.turn


@cache
def _shipped() -> Sequence[Scenario]:
    """The shipped scenarios, read once for all wires."""
    return load([shipped()])


def _spoken(name: NativeWireName, where: str, turn: Turn, conversation: Conversation) -> ServerResponse:
    identity = Identity(where)
    rendered = wire(name).render(turn, identity, conversation)
    headers = {
        "content-type": rendered.content_type,
        **wire(name).response_headers(identity, stream=conversation.stream),
    }
    if rendered.status != 200:
        headers = dict(wire(name).error(rendered.status, identity).headers)
    response = Response(name, rendered.body, conversation.stream, rendered.status, headers)
    return ServerResponse(where, _server(name, turn), response, turn.ending == "complete")


def _server(name: NativeWireName, turn: Turn) -> Server:
    """The server in whose form a turn is rendered. OpenAI sends no reasoning on Chat, so such a turn is in DeepSeek's
    form."""
    thinks = any(isinstance(part, ThinkingPart) and part.form == "plain" and part.text for part in turn.parts)
    return "deepseek" if wire(name).thinking_model and thinks else MAKERS[name]


# --- errors -------------------------------------------------------------------------------------------------


def _errors(name: NativeWireName) -> Iterator[ServerResponse]:
    for status in _STATUSES:
        for wait in (None, 2.5):
            answer = wire(name).error(status, Identity("error"), retry_after=wait)
            yield _refused(name, f"HTTP {status}" + ", to come again" * (wait is not None), answer)


def _refusals(name: NativeWireName) -> Iterator[ServerResponse]:
    """An answer of each wording of each rule that refuses."""
    for rule in wire(name).rules:
        for template in rule.templates:
            if template.status >= 400:
                answer = ProviderAnswer(
                    template.message, template.status, param=template.param, code=template.code, kind=template.kind
                )
                refused = wire(name).refuse(answer, Identity("refusal"))
                yield _refused(name, f"{rule.id} {template.name}".rstrip(), refused)


def _refused(name: NativeWireName, where: str, answer: ErrorAnswer) -> ServerResponse:
    headers: Mapping[str, str] = answer.headers
    return ServerResponse(where, MAKERS[name], Response(name, answer.body, False, answer.status, headers))
