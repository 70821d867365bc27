"""Thought signatures lost, forged and moved: GEM-08, 09, 10 and what of them is GEM-15's."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Final

from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.gemini_generate.base_requests import (
    AT_VERTEX,
    FIRST_3,
    FOREIGN,
    NEWEST,
    OLD,
    ONE_CALL,
    SAME_WORDS,
    STEPS,
    TEXTS,
    TWO_CALLS,
    WITHOUT_IDS,
)
from harness_lab.mutants.requests.gemini_generate.finding import (
    FoundPart,
    call_turns,
    contents,
    member,
    model,
    parts,
    replace,
    signature,
    texts_in,
)
from harness_lab.mutants.requests.mutant import RequestMutant


def _base64(signature: bytes) -> str:
    return base64.b64encode(signature).decode()


def _signed(posted: Posted) -> list[FoundPart]:
    """The calls with a signature, in order."""
    return [call for call in parts(contents(posted), "functionCall") if member(call.part, "thoughtSignature")]


def _sign(call: FoundPart, text: str | None) -> None:
    replace(call.part, "thoughtSignature", text)


def _with_the_last(change: Callable[[FoundPart], str | None]) -> Edit:
    """Change the signature of the last signed call."""

    def edit(posted: Posted) -> bool:
        signed = _signed(posted)
        for call in signed[-1:]:
            _sign(call, change(call))
        return bool(signed)

    return edit


def _other_bit(found: FoundPart) -> str:
    altered = bytearray(signature(found))
    altered[len(altered) // 2] ^= 1
    return _base64(bytes(altered))


def lose_all(posted: Posted) -> bool:
    """As a client does that keeps names and arguments."""
    signed = _signed(posted)
    for call in signed:
        _sign(call, None)
    return bool(signed)


def lose_the_first(posted: Posted) -> bool:
    """That of the first call; in a turn that is over nobody demands it."""
    signed = _signed(posted)
    for call in signed[:1]:
        _sign(call, None)
    return bool(signed)


def lose_all_and_the_prompt(posted: Posted) -> bool:
    """Send nothing in front of the last calls, which are not signed."""
    turns = call_turns(posted)
    if turns:
        del contents(posted)[: turns[-1][0]]
    return bool(turns) and lose_all(posted)


def bypass_with(value: str) -> Edit:
    """Skip the validation of a call that the model has made."""
    return _with_the_last(lambda _: _base64(value.encode()))


def forge_that_of_a_text(posted: Posted) -> bool:
    """Replace the signature of a text by one that the endpoint has not issued."""
    for found in reversed(texts_in(contents(posted))):
        if member(found.part, "thoughtSignature"):
            _sign(found, _base64(b"my own idea"))
            return True
    return False


def lose_that_of_a_text(posted: Posted) -> bool:
    """Remove the signature of a text."""
    for found in reversed(texts_in(contents(posted))):
        if member(found.part, "thoughtSignature"):
            _sign(found, None)
            return True
    return False


def lose_that_of_a_text_behind_a_cut(posted: Posted) -> bool:
    """The same, where the first calls are forgotten with the answers to them."""
    turns, history = call_turns(posted), contents(posted)
    behind = turns[0][0] + 2 if turns else 0
    if len(turns) < 2 or not any(member(found.part, "thoughtSignature") for found in texts_in(history[behind:])):
        return False
    del history[turns[0][0] : behind]
    return lose_that_of_a_text(posted)


def _two_calls(posted: Posted) -> tuple[FoundPart, FoundPart] | None:
    """A signed call and one behind it in its content that is not signed."""
    for _, calls in reversed(call_turns(posted)):
        unsigned = [call for call in calls if not member(call.part, "thoughtSignature")]
        if len(unsigned) < len(calls) and unsigned:
            return next(call for call in calls if call not in unsigned), unsigned[-1]
    return None


def move_to_another_call(posted: Posted) -> bool:
    """Move the signature of the first call to the second."""
    if (two := _two_calls(posted)) is None:
        return False
    _sign(two[1], member(two[0].part, "thoughtSignature"))
    _sign(two[0], None)
    return True


def copy_to_another_call(posted: Posted) -> bool:
    """Copy the signature of the first call to the second."""
    if (two := _two_calls(posted)) is None:
        return False
    _sign(two[1], member(two[0].part, "thoughtSignature"))
    return True


def move_to_a_text(posted: Posted) -> bool:
    """To a text in front of the call."""
    signed = _signed(posted)
    for call in signed[-1:]:
        call.parts.insert(0, {"text": "So.", "thoughtSignature": member(call.part, "thoughtSignature")})
        replace(call.parts[call.index + 1], "thoughtSignature", None)
    return bool(signed)


def ask_another_backend(posted: Posted) -> bool:
    """Vertex AI where it was the Developer API, and the other way round."""
    if not _signed(posted):
        return False
    version, slash, rest = posted.path.removeprefix("/").partition("/")
    if rest.startswith("models/"):
        posted.path = f"/{version}{slash}projects/p/locations/global/publishers/google/{rest}"
    else:
        posted.path = f"/{version}/models/{rest.rpartition('/')[2]}"
    return True


def ask_another_model(posted: Posted) -> bool:
    """Send signed calls to another model than the one that signed them."""
    other = "gemini-3-flash-preview" if model(posted) != "gemini-3-flash-preview" else "gemini-3.5-flash"
    posted.path = posted.path.replace(f"/{model(posted)}:", f"/{other}:")
    return bool(_signed(posted))


_FORGED: Final = (ONE_CALL, STEPS, AT_VERTEX, NEWEST, WITHOUT_IDS, OLD)

SIGNATURES: Final = (
    RequestMutant(
        "gem-signature-lost",
        "The signature of a call is not sent back.",
        ("GEM-08", "GEM-15"),
        _with_the_last(lambda _: None),
        (ONE_CALL, STEPS, FIRST_3, AT_VERTEX, FOREIGN, OLD),
    ),
    RequestMutant(
        "gem-signatures-lost",
        "No signature of a call is sent back.",
        ("GEM-08", "GEM-15"),
        lose_all,
        (STEPS, TWO_CALLS, FOREIGN, OLD),
    ),
    RequestMutant(
        "gem-signatures-lost-with-the-prompt",
        "The history begins with calls that are not signed.",
        ("GEM-08", "GEM-04"),
        lose_all_and_the_prompt,
        (ONE_CALL, FOREIGN, OLD),
    ),
    RequestMutant(
        "gem-signature-empty",
        "The signature of a call is an empty text.",
        ("GEM-08", "GEM-15"),
        _with_the_last(lambda _: ""),
        (ONE_CALL, FOREIGN, OLD),
    ),
    RequestMutant(
        "gem-old-signature-lost",
        "The signature of a call is not sent back, in a turn that is over.",
        ("GEM-15", "GEM-08"),
        lose_the_first,
        (STEPS, OLD, ONE_CALL),
    ),
    RequestMutant(
        "gem-signature-forged",
        "The signature of a call is a client's own.",
        ("GEM-09",),
        _with_the_last(lambda _: _base64(b"my own idea")),
        _FORGED,
    ),
    RequestMutant(
        "gem-signature-altered",
        "One bit of a call's signature is another.",
        ("GEM-09",),
        _with_the_last(_other_bit),
        _FORGED,
    ),
    RequestMutant(
        "gem-signature-cut",
        "The signature of a call is cut, as by a database column.",
        ("GEM-09",),
        _with_the_last(lambda call: _base64(signature(call)[:-3])),
        _FORGED,
    ),
    RequestMutant(
        "gem-signature-no-base64",
        "The signature of a call is sent as text that is no base64.",
        ("GEM-09",),
        _with_the_last(lambda _: "<signature>"),
        (*_FORGED, FOREIGN),
    ),
    RequestMutant(
        "gem-text-signature-forged",
        "The signature of a text is a client's own.",
        ("GEM-09",),
        forge_that_of_a_text,
        (TEXTS, STEPS),
    ),
    RequestMutant(
        "gem-backend-changed",
        "The conversation goes on at Google's other backend.",
        ("GEM-09",),
        ask_another_backend,
        (ONE_CALL, AT_VERTEX, STEPS, OLD),
    ),
    RequestMutant(
        "gem-model-changed",
        "The conversation goes on with another model.",
        ("GEM-09",),
        ask_another_model,
        (ONE_CALL, WITHOUT_IDS, AT_VERTEX),
    ),
    RequestMutant(
        "gem-signature-skipped",
        "The signature of a call is replaced by the value that skips its validation.",
        ("GEM-10",),
        bypass_with("skip_thought_signature_validator"),
        (ONE_CALL, STEPS, WITHOUT_IDS, OLD),
    ),
    RequestMutant(
        "gem-signature-engineered",
        "The signature of a call is replaced by the other value that skips its validation.",
        ("GEM-10",),
        bypass_with("context_engineering_is_the_way_to_go"),
        (ONE_CALL, AT_VERTEX),
    ),
    RequestMutant(
        "gem-signature-moved",
        "The signature is on another call of the turn.",
        ("GEM-15", "GEM-08"),
        move_to_another_call,
        (TWO_CALLS, STEPS, WITHOUT_IDS, OLD),
    ),
    RequestMutant(
        "gem-signature-copied",
        "The signature is on all calls of the turn.",
        ("GEM-15",),
        copy_to_another_call,
        (TWO_CALLS, STEPS, WITHOUT_IDS, OLD),
    ),
    RequestMutant(
        "gem-signature-on-a-text",
        "The signature of a call is on a text before it.",
        ("GEM-15", "GEM-08"),
        move_to_a_text,
        (ONE_CALL, STEPS, WITHOUT_IDS, OLD),
    ),
    RequestMutant(
        "gem-text-signature-lost",
        "The signature of a text is not sent back.",
        ("GEM-15",),
        lose_that_of_a_text,
        (TEXTS, STEPS),
    ),
    RequestMutant(
        "gem-text-signature-lost-behind-a-cut",
        "The signature of a text is not sent back, nor the calls before it.",
        ("GEM-15",),
        lose_that_of_a_text_behind_a_cut,
        (SAME_WORDS,),
    ),
)
