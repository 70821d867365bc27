"""Rules on thought signatures and on calls as they were issued: GEM-08, 09, 10, 13, 15."""

from __future__ import annotations

import base64

from harness.wire.base import Json, Level, Violation
from harness.wire.gemini_generate.continuation.issued import Issued, IssuedCall, call_of, called, signature_of
from harness.wire.gemini_generate.continuation.request import (
    Found,
    Placed,
    Request,
    Span,
    calls_of,
    kind_of,
    parts_of,
    place,
    placed_parts,
    responses_of,
)

__all__ = [
    "calls_signed",
    "calls_unaltered",
    "no_call_dropped",
    "not_bypassed",
    "signatures_issued",
    "signatures_stay",
    "text_signatures_kept",
]

_BYPASS = {b"skip_thought_signature_validator", b"context_engineering_is_the_way_to_go"}
"""Signatures that Google documents as accepted for calls that its model did not make (GEM-10)."""

_UNSIGNED = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
    "correctly, and missing thought_signature may lead to degraded model performance. Additional data, function "
    "call `default_api:{name}` , position {position}. Please refer to "
    "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
)


def calls_signed(request: Request) -> Found:
    """GEM-08: in the current turn the first call of each step carries its thought signature.

    The current turn is what comes after the last content that is neither the model's nor a function response.
    """
    if not request.checks_signatures:
        return
    users = [turn[0].at for turn in request.turns if turn[0].role != "model" and not responses_of(turn)]
    current = users[-1] if users else -1
    for turn, _ in request.call_turns:
        first = calls_of(turn)[0]
        if first.holder.at < current or first.part.get("thoughtSignature"):
            continue
        message = _UNSIGNED.format(name=call_of(first.part).get("name"), position=first.holder.at + 1)
        issued = next((call.signature for call in request.issued.find(first.part) if call.signature), None)
        yield Violation("GEM-08", message, first.at, _shown(issued, "a thoughtSignature"), "no thoughtSignature")


def signatures_issued(request: Request) -> Found:
    """GEM-09: a part that the endpoint issued does not come back with a forged or altered signature."""
    for turn in request.model_turns:
        for placed in placed_parts(turn) if _is_issued(turn, request.issued) else ():
            signature = signature_of(placed.part)
            if signature is None or signature in _BYPASS or signature in request.issued.by_signature:
                continue
            is_call = "functionCall" in placed.part
            known = request.issued.find(placed.part)
            if known or not is_call:
                level: Level = "C" if is_call else "L"
                got = _shown(signature, "")
                yield Violation("GEM-09", "Corrupted thought signature.", placed.at, _expected(known), got, level=level)


def not_bypassed(request: Request) -> Found:
    """GEM-10: a call that the endpoint signed does not come back with a bypass value."""
    for turn, _ in request.call_turns:
        for placed in calls_of(turn):
            signature = signature_of(placed.part)
            signed = [call for call in request.issued.find(placed.part) if call.signature]
            if signature in _BYPASS and signed:
                message = "The thought signature was replaced by a value that skips its validation."
                got = (signature or b"").decode()
                yield Violation("GEM-10", message, placed.at, _expected(signed), got, level="I")


def calls_unaltered(request: Request) -> Found:
    """GEM-15, GEM-13: a call comes back with the name, the arguments and the id that the model gave it."""
    for turn, _ in request.call_turns:
        for placed in calls_of(turn):
            made = request.issued.origin(placed.part)
            if made is not None:
                yield from _altered(placed, made)


def _altered(placed: Placed, made: IssuedCall) -> Found:
    name, arguments = called(placed.part)
    given = call_of(placed.part).get("id")
    if (name, arguments) != (made.name, made.arguments):
        message = f"The function call `{name}` is not as the model made it."
        expected, got = f"{made.name}({made.arguments})", f"{name}({arguments})"
        yield Violation("GEM-15", message, placed.at, expected, got, level="I")
    elif made.id and given != made.id:
        message = f"The id of the function call `{name}` is not the one that the model gave it."
        yield Violation("GEM-13", message, placed.at, made.id, str(given or "no id"), level="I")


def no_call_dropped(request: Request) -> Found:
    """GEM-15: a turn that the endpoint issued comes back with all its calls."""
    for turn, _ in request.call_turns:
        calls = calls_of(turn)
        replies = {made.reply for placed in calls for made in request.issued.find(placed.part)}
        made_calls = min((request.issued.by_reply[reply] for reply in sorted(replies)), key=len, default=[])
        if len(calls) < len(made_calls):
            message = "A function call of the model's turn was left out."
            expected = ", ".join(made.name for made in made_calls)
            got = ", ".join(called(placed.part)[0] for placed in calls)
            yield Violation("GEM-15", message, place(turn[0]), expected, got, level="I")


def signatures_stay(request: Request) -> Found:
    """GEM-15: a signature that the endpoint issued is on the part that it was issued with."""
    for turn in request.model_turns:
        for placed in placed_parts(turn):
            signature = signature_of(placed.part)
            if signature is None or signature not in request.issued.by_signature:
                continue
            owner = request.issued.by_signature[signature]
            if not _belongs(placed.part, owner, request.issued):
                message = "The thought signature was moved to another part."
                expected = f"on the call {owner.name}" if owner else "on a part that calls nothing"
                got = f"on {called(placed.part)[0] or kind_of(placed.part)}"
                yield Violation("GEM-15", message, placed.at, expected, got, level="I")


def _belongs(part: Json, owner: IssuedCall | None, known: Issued) -> bool:
    """The part is the signature's owner, or an altered call that only its signature identifies."""
    if owner is None or "functionCall" not in part:
        return owner is None and "functionCall" not in part
    return not known.find(part) or owner in known.find(part)


def text_signatures_kept(request: Request) -> Found:
    """GEM-15: an answer in text that was signed comes back with its signature. Google recommends it."""
    for turn in request.model_turns:
        signatures = request.issued.texts.get(_text(turn), set())
        if signatures and not any(map(signature_of, parts_of(turn))):
            message = "The thought signature of the model's text was left out."
            expected = _shown(next(iter(signatures)), "")
            yield Violation("GEM-15", message, place(turn[-1]), expected, "no thoughtSignature", level="I")


def _is_issued(turn: Span, known: Issued) -> bool:
    """The endpoint made this turn: one of its calls or signatures, or its whole text, is known."""
    parts = parts_of(turn)
    return (
        any("functionCall" in part and known.find(part) for part in parts)
        or any(signature_of(part) in known.by_signature for part in parts)
        or _text(turn) in known.texts
    )


def _text(turn: Span) -> str:
    return "".join([str(part.get("text") or "") for part in parts_of(turn) if not part.get("thought")])


def _expected(calls: list[IssuedCall]) -> str:
    return _shown(next((call.signature for call in calls if call.signature), None), "no thoughtSignature")


def _shown(signature: bytes | None, otherwise: str) -> str:
    return otherwise if signature is None else base64.b64encode(signature).decode("ascii")
