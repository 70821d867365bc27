"""Rules on thought signatures: GEM-08, 09, 10."""

from __future__ import annotations

import base64
from typing import Final

from harness.wire.base import Certainty
from harness.wire.gemini_generate.models import SIGNED_CALLS
from harness.wire.gemini_generate.rules.book import RULES
from harness.wire.gemini_generate.rules.history import Placed, name_of
from harness.wire.gemini_generate.rules.issued import IssuedPart, signature_of
from harness.wire.gemini_generate.rules.places import (
    answer_turns,
    begin_with_the_last_calls,
    contents,
    encoded,
    parts,
    sign,
    signature,
    signed_calls,
)
from harness.wire.gemini_generate.rules.request import DOCUMENTED, Found, Request, brief, is_vertex
from harness.wire.gemini_generate.rules.shape import GEM_09
from harness.wire.posted import Posted, Right, Wrong
from harness.wire.rule import ErrorTemplate, WireRule

_WORDS: Final = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")
_BYPASS: Final = {
    **{word.encode(): word for word in _WORDS},
    **{base64.urlsafe_b64decode(word): word for word in _WORDS},
}
"""Signatures that Google documents as accepted for calls that its model did not make (GEM-10), by their bytes: the word
itself, and what it says where a client writes it in the place of base64, as Gemini CLI does."""


def _lose_all_and_the_prompt(posted: Posted) -> bool:
    """Send nothing in front of the last calls, which are not signed."""
    return begin_with_the_last_calls(posted) and sign(signed_calls(posted), None)


def _lose_signatures_of_turns_that_are_over(posted: Posted) -> bool:
    """Remove all signatures except those after the user's last text."""
    history = contents(posted)
    answered = [at for at, _ in answer_turns(posted)]
    users = [at for at, content in enumerate(history) if content["role"] == "user" and at not in answered]
    return sign((call for call in parts(history[: users[-1]], "functionCall") if signature(call)), None)


GEM_08: Final = WireRule(
    "GEM-08",
    "In the current turn - all that comes after the last content of the user that has no function responses - the "
    "first function call of each step (each turn of the model) carries its thoughtSignature.",
    "Clients that rebuild the model's turn from names and arguments lose the signature, and the second request of "
    "every loop is refused.",
    "certain",
    (
        DOCUMENTED,
        "https://github.com/lbjlaq/Antigravity-Manager/issues/2157",
        "https://github.com/manthanabc/paws/issues/103",
        "an older wording, in the code of several clients: Function call `default_api:X` in the `2.` content block is "
        "missing a `thought_signature`. …",
    ),
    (
        ErrorTemplate(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
            "work correctly, and missing thought_signature may lead to degraded model performance. Additional "
            "data, function call `default_api:{name}` , position {position}. Please refer to "
            "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
            seen="Function call is missing a thought_signature in functionCall parts. This is required for tools "
            "to work correctly, and missing thought_signature may lead to degraded model performance. Additional "
            "data, function call `default_api:list_files` , position 2. Please refer to "
            "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
        ),
    ),
    applies="Gemini 3 and later, but for image models.",
    about=("thinking",),
    wrong=(
        Wrong(
            "gem-signature-lost",
            "The signature of a call is not sent back.",
            lambda it: sign(signed_calls(it)[-1:], None),
            "one-call steps first-3 at-vertex foreign old",
            also=("GEM-15",),
        ),
        Wrong(
            "gem-signatures-lost",
            "No signature of a call is sent back.",
            lambda it: sign(signed_calls(it), None),
            "steps two-calls foreign old",
            also=("GEM-15",),
        ),
        Wrong(
            "gem-signatures-lost-with-the-prompt",
            "The history begins with calls that are not signed.",
            _lose_all_and_the_prompt,
            "one-call foreign old",
            also=("GEM-04",),
        ),
        Wrong(
            "gem-signature-empty",
            "The signature of a call is an empty text.",
            lambda it: sign(signed_calls(it)[-1:], ""),
            "one-call foreign old",
            also=("GEM-15",),
        ),
    ),
    right=(
        Right(
            "gem-over-unsigned",
            "Calls of turns that are over have no signature.",
            _lose_signatures_of_turns_that_are_over,
            "steps",
        ),
    ),
)


@RULES.check("signatures", GEM_08)
def calls_signed(request: Request) -> Found:
    """GEM-08: in the current turn the first call of each step carries its thought signature."""
    missing = unsigned_calls(request)
    issued = {placed.at: origin for turn in request.matching for placed, origin in turn.pairs} if missing else {}
    for placed in missing:
        origin = issued.get(placed.at)
        expected = shown(origin.signature) if origin and origin.signature else "a thoughtSignature"
        yield GEM_08.broken(
            placed.at,
            expected=brief(expected),
            got="no thoughtSignature",
            name=name_of(placed),
            position=placed.holder.at + 1,
        )


def unsigned_calls(request: Request) -> list[Placed]:
    """The calls of the current turn that lack the signature which the model demands."""
    if not request.fact(SIGNED_CALLS):
        return []
    firsts = (turn.calls[0] for turn, _ in request.history.call_turns)
    return [
        first
        for first in firsts
        if first.holder.at >= request.history.current and not first.part.get("thoughtSignature")
    ]


@RULES.check("signatures", GEM_09)
def signatures_issued(request: Request) -> Found:
    """GEM-09: a part that the endpoint issued does not come back with a forged or altered signature."""
    for turn in request.matching:
        for placed, origin in turn.pairs:
            if _is_forged(request, placed):
                template = "vertex" if request.vertex else None
                expected = shown(origin.signature) if origin.signature else "no thoughtSignature"
                yield GEM_09.broken(
                    placed.at, template=template, expected=brief(expected), got=_got(placed), certainty=_level(request)
                )
        for placed in turn.others:
            if _is_forged(request, placed):
                expected = "the thoughtSignature that the model sent"
                yield GEM_09.broken(
                    placed.at, template="text", expected=expected, got=_got(placed), certainty=_less_sure(request)
                )


def _is_forged(request: Request, placed: Placed) -> bool:
    signature = signature_of(placed.part)
    if signature is None or signature in _BYPASS:
        return False
    return signature not in request.parts


@RULES.check("signatures", GEM_09)
def same_source(request: Request) -> Found:
    """GEM-09: a signature goes back to the backend and the model that sent it."""
    for turn in request.matching:
        for placed, origin in turn.pairs:
            if origin.signature is None or signature_of(placed.part) != origin.signature:
                continue
            asked = request.issued.turns[origin.reply][0]
            if is_vertex(asked) is not (vertex := is_vertex(request.conversation)):
                here, there = _backend(vertex=vertex), _backend(vertex=is_vertex(asked))
                yield GEM_09.broken(
                    placed.at,
                    template="backend",
                    expected=f"sent to {there}",
                    got=f"sent to {here}",
                    certainty=_level(request),
                )
            elif asked.model != request.model:
                expected, got = f"sent to {asked.model}", f"sent to {request.model}"
                yield GEM_09.broken(
                    placed.at,
                    template="model",
                    expected=brief(expected),
                    got=brief(got),
                    certainty=_less_sure(request),
                )


def _bypass(posted: Posted, value: str) -> bool:
    return sign(signed_calls(posted)[-1:], encoded(value.encode()))


GEM_10: Final = WireRule(
    "GEM-10",
    "A call that the model has signed goes back with that signature, not with a value that skips its validation "
    "(skip_thought_signature_validator, context_engineering_is_the_way_to_go).",
    "The values are accepted, for calls that the model did not make. On a call that it did make the model loses the "
    "thoughts behind it, and Google warns of worse answers.",
    "inferred",
    (
        DOCUMENTED,
        "19 recordings with skip_thought_signature_validator and one with context_engineering_is_the_way_to_go, "
        "all with 200",
    ),
    (ErrorTemplate("The thought signature was replaced by a value that skips its validation.", status=200),),
    about=("thinking",),
    wrong=(
        Wrong(
            "gem-signature-skipped",
            "The signature of a call is replaced by the value that skips its validation.",
            lambda it: _bypass(it, "skip_thought_signature_validator"),
            "one-call steps without-ids old",
        ),
        Wrong(
            "gem-signature-engineered",
            "The signature of a call is replaced by the other value that skips its validation.",
            lambda it: _bypass(it, "context_engineering_is_the_way_to_go"),
            "one-call at-vertex",
        ),
    ),
    right=(
        Right(
            "gem-validation-skipped",
            "Calls that Google's model did not make have a value in place of a signature.",
            lambda it: sign(parts(contents(it), "functionCall"), encoded(b"skip_thought_signature_validator")),
            "foreign",
        ),
    ),
)


@RULES.check("bypass", GEM_10)
def not_bypassed(request: Request) -> Found:
    """GEM-10: a call that the endpoint signed does not come back with a bypass value."""
    for turn in request.matching:
        for placed, origin in turn.pairs:
            signature = signature_of(placed.part)
            if origin.signature is not None and signature in _BYPASS:
                yield GEM_10.broken(placed.at, expected=brief(shown(origin.signature)), got=_BYPASS[signature])


def _level(request: Request) -> Certainty | None:
    """The certainty; None (the rule's own) if the model is known to check signatures."""
    checks = request.fact(SIGNED_CALLS)
    return None if checks else "likely" if checks is None else "inferred"


def _less_sure(request: Request) -> Certainty | None:
    """The certainty; None (the template's own) if the model is known to check signatures."""
    return None if _level(request) is None else "inferred"


def _backend(*, vertex: bool) -> str:
    return "Vertex AI" if vertex else "the Developer API"


def _got(placed: Placed) -> str:
    return brief(shown(signature_of(placed.part)))


def shown(signature: bytes | None) -> str:
    """A signature in base64."""
    return "no thoughtSignature" if signature is None else base64.b64encode(signature).decode("ascii")


def is_lost(placed: Placed, origin: IssuedPart) -> bool:
    """The part came with a signature and goes back without one."""
    return origin.signature is not None and not placed.part.get("thoughtSignature")


GEM_16: Final = WireRule(
    "GEM-16",
    "Gemini 2.5 and older, and the image models of Gemini 3, take calls without a signature.",
    "A history that was made with one of them needs signatures, or values in their place (GEM-10), only when it moves "
    "to a newer model.",
    "certain",
    (DOCUMENTED, "recordings of gemini-2.0-flash without signatures, with 200"),
    permits=True,
    right=(
        Right(
            "gem-unsigned",
            "An older model is sent its calls without signatures.",
            lambda it: sign(signed_calls(it), None),
            "old",
        ),
    ),
)

RULES.declare(GEM_16)
