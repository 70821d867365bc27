"""What the fake model says: a systematic sample of all that the renderers of the wires can render."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from harness.recording.forms import Response
from harness.scenario import Scenario, TurnStep, load, shipped
from harness.wire import (
    Conversation,
    ErrorAnswer,
    ErrorTemplate,
    FinishReason,
    Identity,
    NativeWireName,
    Thinking,
    Turn,
    Violation,
    WireRule,
    wire,
)
from harness_lab.drift.recordings import MAKERS, Server
from harness_lab.drift.requests import plain_requests, requests
from harness_lab.drift.turns import TURNS

__all__ = ["Sampled", "sample"]

_STATUSES = (400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 503, 504, 529)


@dataclass(frozen=True, slots=True)
class Sampled:
    """One response of the fake model, and whose server it speaks as.

    ``name`` says what was asked for. ``whole`` is False where the stream breaks off on purpose.
    """

    name: str
    server: Server
    response: Response
    whole: bool = True


def sample(name: NativeWireName) -> Iterator[Sampled]:
    """All on one wire: the turns of the shipped scenarios and those that they lack, errors by status, refusals."""
    for where, turn in _scripted(name):
        for asked, conversation in plain_requests(name):
            yield _spoken(name, f"{where}, {asked}", turn, conversation)
    for where, turn in TURNS.items():
        if turn.stop is not FinishReason.PAUSE or _can_pause(name):
            for asked, conversation in requests(name):
                yield _spoken(name, f"{where}, {asked}", turn, conversation)
    yield from _errors(name)
    yield from _refusals(name)


# --- turns --------------------------------------------------------------------------------------------------


def _scripted(name: NativeWireName) -> Iterator[tuple[str, Turn]]:
    """Each turn that a shipped scenario has for the wire, once, with the place where it stands."""
    told: set[Turn] = set()
    for scenario in _shipped():
        if name not in scenario.wires:
            continue
        for number, step in enumerate(scenario.steps, 1):
            if isinstance(step, TurnStep) and step.turn not in told:
                told.add(step.turn)
                yield f"scenario {scenario.name}, step {number}", step.turn


@cache
def _shipped() -> Sequence[Scenario]:
    """Read once for all wires."""
    return load([shipped()])


def _can_pause(name: NativeWireName) -> bool:
    return name == "anthropic-messages"


def _spoken(name: NativeWireName, where: str, turn: Turn, conversation: Conversation) -> Sampled:
    identity = Identity(where)
    rendered = wire(name).render(turn, identity, conversation)
    headers = {
        "content-type": rendered.content_type,
        **wire(name).response_headers(identity, stream=conversation.stream),
    }
    response = Response(name, rendered.body, conversation.stream, 200, headers)
    return Sampled(where, _server(name, turn), response, turn.ending == "complete")


def _server(name: NativeWireName, turn: Turn) -> Server:
    """OpenAI tells no reasoning on Chat: a turn that has some is said as DeepSeek says it."""
    thinks = any(isinstance(part, Thinking) and part.form == "plain" and part.text for part in turn.parts)
    return "deepseek" if name == "openai-chat" and thinks else MAKERS[name]


# --- errors -------------------------------------------------------------------------------------------------


def _errors(name: NativeWireName) -> Iterator[Sampled]:
    for status in _STATUSES:
        for wait in (None, 2.5):
            answer = wire(name).error(status, Identity("error"), retry_after=wait)
            yield _refused(name, f"HTTP {status}" + ", to come again" * (wait is not None), answer)


def _refusals(name: NativeWireName) -> Iterator[Sampled]:
    """An answer of each wording of each rule that refuses."""
    for rule in wire(name).rules:
        for words, wording in rule.wordings:
            if wording.status >= 400:
                answer = wire(name).refuse(_breach(rule, wording), Identity("refusal"))
                yield _refused(name, f"{rule.id} {words}".rstrip(), answer)


def _breach(rule: WireRule, wording: ErrorTemplate) -> Violation:
    return Violation(
        rule.id,
        wording.message,
        at="",
        expected="",
        got="",
        status=wording.status,
        param=wording.param,
        code=wording.code,
        kind=wording.kind,
    )


def _refused(name: NativeWireName, where: str, answer: ErrorAnswer) -> Sampled:
    headers: Mapping[str, str] = answer.headers
    return Sampled(where, MAKERS[name], Response(name, answer.body, False, answer.status, headers))
