"""Thoughts and their signatures on the way back: INT-10 to 12, 14, 15."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.wire.base import Certainty
from harness.wire.gemini_interactions.models import SIGNED_CALLS
from harness.wire.gemini_interactions.rules.book import RULES
from harness.wire.gemini_interactions.rules.history import call_steps
from harness.wire.gemini_interactions.rules.places import fact, keep, last, steps
from harness.wire.gemini_interactions.rules.request import Found, InteractionRequest, InteractionTurn, PlacedStep, brief
from harness.wire.gemini_interactions.steps import CALL, INPUT, OUTPUT, RESULT, THOUGHT, kind_of
from harness.wire.issued import items_by
from harness.wire.lenient import string
from harness.wire.posted import Posted, Right, Wrong, drop, put
from harness.wire.rule import ErrorTemplate, WireRule

_INVALID: Final = "Request contains an invalid argument."
"""The text that was seen. It is that of most refusals, so nobody is led to a rule by it (``ErrorTemplate.seen``)."""

_OBSIDIAN: Final = "https://github.com/allenhutchison/obsidian-gemini/pull/1269"

_JS_1735: Final = "https://github.com/googleapis/js-genai/issues/1735"

_PI_2172: Final = "https://github.com/earendil-works/pi/pull/2172"

_BYPASSES: Final = frozenset(["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"])


def _signed_steps(request: InteractionRequest) -> Iterator[PlacedStep]:
    """The steps with a signature: thoughts, calls that carry one, and what server tools have done."""
    return (step for step in request.sent if step.kind not in (INPUT, OUTPUT, RESULT) and step.signature)


INT_11: Final = WireRule(
    "INT-11",
    "A thought that is sent back has a signature that is not empty.",
    "In a stream the signature comes as a delta behind the start of the step: a loop that reads only the start sends "
    "the thought without it.",
    "certain",
    (_JS_1735,),
    (ErrorTemplate(_INVALID),),
    about=("thinking",),
    wrong=(
        Wrong(
            "int-signature-empty",
            "A thought goes back with an empty signature.",
            lambda it: put(last(it, "thought"), signature=""),
            "one-call signed",
        ),
        Wrong(
            "int-signature-lost",
            "A thought goes back without its signature.",
            lambda it: drop(last(it, "thought"), "signature"),
            "one-call foreign",
        ),
    ),
)


@RULES.check("steps", INT_11)
def thoughts_signed(request: InteractionRequest) -> Found:
    """INT-11."""
    for step in request.sent:
        if step.kind == THOUGHT and not step.signature:
            yield INT_11.broken(step.at, expected="a signature", got=brief(step.native))


def _sign_the_call(posted: Posted) -> bool:
    for number, step in enumerate(steps(posted)):
        behind = steps(posted)[number + 1 : number + 2]
        if step["type"] == "thought" and step.get("signature") and behind and behind[0]["type"] == "function_call":
            behind[0]["signature"] = step["signature"]
            del steps(posted)[number]
            return True
    return False


INT_14: Final = WireRule(
    "INT-14",
    "The signature of the thought may be on the call behind it, in place of the thought.",
    "One client drops the thought and writes its signature to the next call, which is accepted; the member is in no "
    "documentation and no longer in the types of the SDKs.",
    "likely",
    (_OBSIDIAN,),
    permits=True,
    right=(Right("int-call-signed", "The call has the signature of the thought.", _sign_the_call, "one-call foreign"),),
)

RULES.declare(INT_14)


def _signs_calls(posted: Posted) -> bool:
    return bool(fact(posted, SIGNED_CALLS) and last(posted, "function_call"))


def _think_behind_the_calls(posted: Posted) -> bool:
    for call in last(posted, "function_call") if _signs_calls(posted) else ():
        at = steps(posted).index(call)
        thought = next((each for each in reversed(steps(posted)[:at]) if each["type"] == "thought"), None)
        if thought is not None:
            steps(posted).remove(thought)
            steps(posted).insert(steps(posted).index(call) + 1, thought)
            return True
    return False


INT_10: Final = WireRule(
    "INT-10",
    "Where a request sends the calls of the model, it sends the signed thought that came before them.",
    "The signature is on a step of its own in front of the calls, and a call has none: a loop that keeps only the "
    "steps that it knows loses it, and the next request is refused.",
    "certain",
    (_OBSIDIAN, _PI_2172, _JS_1735),
    (ErrorTemplate(_INVALID),),
    applies="Gemini 3 and later, in the turn that results continue",
    about=("thinking",),
    wrong=(
        Wrong(
            "int-thoughts-forgotten",
            "The calls go back without the thought before them.",
            lambda it: _signs_calls(it) and keep(it, lambda step: step["type"] != "thought"),
            "two-calls steps one-call foreign",
        ),
        Wrong(
            "int-thought-behind-calls",
            "The thought goes back behind the calls that it signs.",
            _think_behind_the_calls,
            "one-call two-calls",
        ),
    ),
)


@RULES.check("model", INT_10)
def calls_signed(request: InteractionRequest) -> Found:
    """INT-10: calls follow a signed thought, or are signed themselves (INT-14). No refusal for older turns is known."""
    if not request.fact(SIGNED_CALLS):
        return
    for number, turn in enumerate(request.turns):
        first = next((step for step in turn.calls if step.sent), None)
        if first is not None and not _is_signed(turn, first) and _was_signed(request, first):
            certainty: Certainty | None = None if number >= request.current else "inferred"
            got = "no thought" if not turn.thoughts else "no signature before the call"
            yield INT_10.broken(first.at, expected="a signed thought before it", got=got, certainty=certainty)


def _is_signed(turn: InteractionTurn, first: PlacedStep) -> bool:
    """Whether a call has a signature or a thought before the first one. INT-11 reports an unsigned thought."""
    before = turn.spoken[: turn.spoken.index(first)]
    return any(step.kind == THOUGHT for step in before) or any(step.signature for step in turn.calls)


def _was_signed(request: InteractionRequest, call: PlacedStep) -> bool:
    """Whether the model has signed the answer with this call; of a foreign call it is assumed."""
    issued = call_steps.last(request.issued, call.id)
    return issued is None or any(
        string(step.get("signature")) for step in issued[1].reply.items if kind_of(step) in (THOUGHT, CALL)
    )


INT_12: Final = WireRule(
    "INT-12",
    "A signature goes back as it came.",
    "It is bytes of the provider's own; a loop that decodes, cuts or exchanges them has made another.",
    "likely",
    ("https://ai.google.dev/gemini-api/docs/interactions/thinking.md.txt", "on generateContent: GEM-09"),
    (ErrorTemplate(_INVALID),),
    about=("thinking",),
    wrong=(
        Wrong(
            "int-signature-forged",
            "A thought goes back with another signature.",
            lambda it: [put([each], signature=each["signature"][::-1]) for each in last(it, "thought")],
            "one-call signed",
        ),
        Wrong(
            "int-search-forged",
            "A search goes back under another signature.",
            lambda it: put(last(it, "google_search_call"), signature="CwpE"),
            "searched",
        ),
    ),
)


_signed = items_by(lambda step: string(step.get("signature")) or None)
"""The steps by their signatures."""


@RULES.check("model", INT_12)
def signatures_issued(request: InteractionRequest) -> Found:
    """INT-12, if anything was issued."""
    issued = _signed(request.issued)
    if not issued:
        return
    for step in _signed_steps(request):
        if step.signature not in issued and step.signature not in _BYPASSES:
            yield INT_12.broken(step.at, expected="a signature that the model has sent", got=brief(step.signature))


INT_15: Final = WireRule(
    "INT-15",
    "A thought of the model does not go back with a bypass value in place of its signature.",
    "The value is accepted, and the model goes on without its thoughts.",
    "likely",
    (_PI_2172, "on generateContent: GEM-10"),
    (ErrorTemplate("The model goes on without its thoughts.", status=200),),
    about=("thinking",),
    wrong=(
        Wrong(
            "int-signature-skipped",
            "A thought goes back with a bypass value.",
            lambda it: put(last(it, "thought"), signature="skip_thought_signature_validator"),
            "one-call signed",
        ),
    ),
)


@RULES.check("model", INT_15)
def not_bypassed(request: InteractionRequest) -> Found:
    """INT-15."""
    for step in _signed_steps(request):
        if step.signature in _BYPASSES:
            yield INT_15.broken(step.at, expected="the signature that the model has sent", got=step.signature)
