"""GEM-15 and GEM-13: what the model made goes back as it made it."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from harness.wire.base import Json
from harness.wire.gemini_generate.rules.book import RULES
from harness.wire.gemini_generate.rules.history import Placed, kind_of, name_of, place
from harness.wire.gemini_generate.rules.issued import IssuedPart, call_of, signature_of
from harness.wire.gemini_generate.rules.matching import Matched
from harness.wire.gemini_generate.rules.pairing import GEM_13
from harness.wire.gemini_generate.rules.request import DOCUMENTED, Found, Request, brief
from harness.wire.gemini_generate.rules.signatures import is_lost, shown, unsigned_calls
from harness.wire.json_text import compact
from harness.wire.rule import ErrorTemplate, WireRule
from harness.wire.same_beginning import same_beginning

GEM_15: Final = WireRule(
    "GEM-15",
    "A turn of the model goes back as it came: every call, as it was made, once and in order, and every signature on "
    "the part that it came with.",
    "The API refuses none of this while the signatures are valid (they are not bound to the parts beside them), but "
    "the history says that the model did what it did not do.",
    "inferred",
    (
        DOCUMENTED,
        "a live experiment with gemini-3-flash-preview, 2025-12, in public code: edited arguments, system prompt and "
        "earlier text, and a truncated history, were all accepted with 200",
    ),
    (
        ErrorTemplate("The function call `{name}` is not as the model made it.", status=200),
        ErrorTemplate("A function call of the model's turn was left out: `{name}`.", status=200, name="dropped"),
        ErrorTemplate("The function call `{name}` is sent again.", status=200, name="repeated"),
        ErrorTemplate("The function calls of the model's turn are in another order.", status=200, name="reordered"),
        ErrorTemplate("The function call `{name}` was not made by the model.", status=200, name="invented"),
        ErrorTemplate("The thought signature was moved to another part.", status=200, name="moved"),
        ErrorTemplate("The thought signature of the model's {what} was left out.", status=200, name="unsigned"),
    ),
    applies="Turns that the endpoint has issued.",
    about=("words",),
)


@RULES.check("careless", GEM_13, GEM_15)
def calls_unaltered(request: Request) -> Found:
    """GEM-15, GEM-13: a call comes back with the name, the arguments and the id that the model gave it."""
    for turn in request.matching:
        for placed, origin in turn.pairs:
            if origin.name:
                yield from _altered(placed, origin, verbatim=origin.number in turn.verbatim)


def _altered(placed: Placed, origin: IssuedPart, *, verbatim: bool) -> Found:
    call, name = call_of(placed.part), name_of(placed)
    returned_id = str(call.get("id") or "")
    if not verbatim and not origin.made(placed.part):
        expected = f"{origin.name}({compact(origin.arguments)})"
        got = f"{name}({compact(call.get('args') or {})})"
        yield GEM_15.broken(placed.at, expected=_around(expected, got), got=_around(got, expected), name=brief(name))
    elif origin.id and returned_id != origin.id:
        yield GEM_13.broken(
            placed.at,
            template="altered",
            expected=brief(origin.id),
            got=brief(returned_id or "no id"),
            name=brief(name),
        )


def _around(text: str, other: str) -> str:
    """``text`` where it begins to differ from ``other``, with a little before it."""
    same = same_beginning(text, other)
    return brief(text) if same < 60 else brief(f"{text[: text.find('(') + 1]}…{text[same - 20 :]}")


@RULES.check("careless", GEM_15)
def calls_complete(request: Request) -> Found:
    """GEM-15: a turn that the endpoint issued comes back with all its calls, each once, in order, and no others."""
    for turn in request.matching:
        yield from _dropped(turn)
        for placed in turn.repeated:
            yield GEM_15.broken(
                placed.at, template="repeated", expected="once", got="again", name=brief(name_of(placed))
            )
        for placed in turn.invented:
            made = f"{brief(name_of(placed))}({brief(compact(call_of(placed.part).get('args') or {}))})"
            expected, name = "only calls that the model made", brief(name_of(placed))
            yield GEM_15.broken(placed.at, template="invented", expected=expected, got=made, name=name)
        yield from _reordered(turn)


def _dropped(turn: Matched) -> Found:
    names = [name_of(placed) for placed, origin in turn.pairs if origin.name]
    for part in turn.lost:
        if part.name:
            at, got = turn.span.at, brief(", ".join(names) or "no calls")
            expected = brief(f"{part.name}({compact(part.arguments)})")
            yield GEM_15.broken(at, template="dropped", expected=expected, got=got, name=brief(part.name))


def _reordered(turn: Matched) -> Found:
    calls = [(placed, origin) for placed, origin in turn.pairs if origin.name]
    calls.sort(key=lambda pair: (pair[0].holder.at, pair[0].number))
    for (before, first), (placed, second) in pairwise(calls):
        if second.number < first.number:
            one, two = (
                _call_words(name_of(before), call_of(before.part)),
                _call_words(name_of(placed), call_of(placed.part)),
            )
            expected, got = f"{two} before {one}", f"{one} before {two}"
            yield GEM_15.broken(placed.at, template="reordered", expected=expected, got=got)
            return


def _call_words(name: str, call: Json) -> str:
    return brief(f"{name}({compact(call.get('args') or {})}){call.get('id') or ''}", 60)


@RULES.check("careless", GEM_15)
def signatures_stay(request: Request) -> Found:
    """GEM-15: a signature that the endpoint issued is on the part that it was issued with."""
    for turn in request.matching:
        for placed, origin in (*turn.pairs, *((other, None) for other in turn.others)):
            signature = signature_of(placed.part)
            owner = None if signature is None else request.issued.by_signature.get(signature)
            if owner is not None and (bool(owner.name) if origin is None else origin.signature != signature):
                expected = f"on the call {owner.name}" if owner.name else "on a part that calls nothing"
                got = f"on {name_of(placed) or kind_of(placed.part)}"
                yield GEM_15.broken(placed.at, template="moved", expected=brief(expected), got=brief(got))


@RULES.check("careless", GEM_15)
def signatures_kept(request: Request) -> Found:
    """GEM-15: a part that was signed comes back with its signature. Where Google demands that, it is GEM-08's."""
    demanded = {placed.at for placed in unsigned_calls(request)}
    for turn in request.matching:
        for placed, origin in turn.pairs:
            if is_lost(placed, origin) and placed.at not in demanded:
                expected, what = brief(shown(origin.signature)), f"call `{brief(origin.name)}`"
                yield GEM_15.broken(
                    placed.at, template="unsigned", expected=expected, got="no thoughtSignature", what=what
                )
        for part in turn.lost:
            if not part.name and not turn.others:
                expected = brief(shown(part.signature))
                at = place(turn.span.last)
                yield GEM_15.broken(at, template="unsigned", expected=expected, got="no thoughtSignature", what="text")
