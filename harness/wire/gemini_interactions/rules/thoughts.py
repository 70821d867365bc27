"""Thoughts and their signatures on the way back: INT-10 to 12, 14, 15."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.wire.base import Certainty
from harness.wire.gemini_interactions.models import SIGNED_CALLS
from harness.wire.gemini_interactions.rules.request import Found, InteractionRequest, InteractionTurn, PlacedStep, brief
from harness.wire.gemini_interactions.rules.table import INT_10, INT_11, INT_12, INT_15
from harness.wire.gemini_interactions.steps import CALL, INPUT, OUTPUT, RESULT, THOUGHT, kind_of
from harness.wire.lenient import string

_BYPASSES: Final = frozenset(["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"])


def _signed_steps(request: InteractionRequest) -> Iterator[PlacedStep]:
    """The steps with a signature: thoughts, calls that carry one, and what server tools have done."""
    return (step for step in request.sent if step.kind not in (INPUT, OUTPUT, RESULT) and step.signature)


def thoughts_signed(request: InteractionRequest) -> Found:
    """INT-11."""
    for step in request.sent:
        if step.kind == THOUGHT and not step.signature:
            yield INT_11.broken(step.at, expected="a signature", got=brief(step.native))


def calls_signed(request: InteractionRequest) -> Found:
    """INT-10: behind a signed thought, or signed themselves (INT-14). Of turns that are over nobody has seen it."""
    if not request.fact(SIGNED_CALLS):
        return
    for number, turn in enumerate(request.turns):
        first = next((step for step in turn.calls if step.sent), None)
        if first is not None and not _is_signed(turn, first) and _was_signed(request, first):
            certainty: Certainty | None = None if number >= request.current else "inferred"
            got = "no thought" if not turn.thoughts else "no signature before the call"
            yield INT_10.broken(first.at, expected="a signed thought before it", got=got, certainty=certainty)


def _is_signed(turn: InteractionTurn, first: PlacedStep) -> bool:
    """Whether a thought before the first call has a signature, or one that has none is INT-11's; or a call has one."""
    before = turn.spoken[: turn.spoken.index(first)]
    return any(step.kind == THOUGHT for step in before) or any(step.signature for step in turn.calls)


def _was_signed(request: InteractionRequest, call: PlacedStep) -> bool:
    """Whether the model has signed the answer with this call; of a foreign call it is assumed."""
    issued = request.issued_calls.get(call.id)
    return issued is None or any(
        string(step.get("signature")) for step in issued[1] if kind_of(step) in (THOUGHT, CALL)
    )


def signatures_issued(request: InteractionRequest) -> Found:
    """INT-12, where anything was issued."""
    if not request.issued_signatures:
        return
    for step in _signed_steps(request):
        if step.signature not in request.issued_signatures and step.signature not in _BYPASSES:
            yield INT_12.broken(step.at, expected="a signature that the model has sent", got=brief(step.signature))


def not_bypassed(request: InteractionRequest) -> Found:
    """INT-15."""
    for step in _signed_steps(request):
        if step.signature in _BYPASSES:
            yield INT_15.broken(step.at, expected="the signature that the model has sent", got=step.signature)
