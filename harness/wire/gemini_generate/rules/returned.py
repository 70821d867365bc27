"""GEM-15 and GEM-13: the model's parts go back unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.characters import sendable
from harness.wire.gemini_generate.rules.book import RULES
from harness.wire.gemini_generate.rules.history import Placed, kind_of, name_of, place
from harness.wire.gemini_generate.rules.issued import IssuedPart, call_of, signature_of, signed_with
from harness.wire.gemini_generate.rules.matching import Matched
from harness.wire.gemini_generate.rules.pairing import GEM_13
from harness.wire.gemini_generate.rules.places import (
    FoundPart,
    answer_to_the_last,
    answer_turns,
    answers_behind,
    call_turns,
    contents,
    in_the_last_turn,
    member,
    parts,
    replace,
    settle,
    sign,
    signed_calls,
    texts_in,
)
from harness.wire.gemini_generate.rules.request import DOCUMENTED, Found, Request, brief
from harness.wire.gemini_generate.rules.signatures import is_lost, shown, unsigned_calls
from harness.wire.json_text import compact
from harness.wire.posted import Posted, Right, Wrong
from harness.wire.rule import ErrorTemplate, WireRule
from harness.wire.same_beginning import same_beginning


def _rename(posted: Posted, at: int, found: list[FoundPart]) -> None:
    answer = answer_to_the_last(posted, at, found)
    found[-1].held["name"] += "_v2"
    answer.held["name"] = found[-1].held["name"]


def _drop(posted: Posted, at: int, found: list[FoundPart]) -> None:
    answer = answer_to_the_last(posted, at, found)
    del answer.parts[answer.index]
    del found[-1].parts[found[-1].index]


def _repeat(posted: Posted, at: int, found: list[FoundPart]) -> None:
    answer = answer_to_the_last(posted, at, found)
    answer.parts.insert(answer.index, answer.part)
    found[-1].parts.insert(found[-1].index, found[-1].part)


def _swap(posted: Posted, at: int, found: list[FoundPart]) -> None:
    for first, second in (found[:2], answers_behind(posted, at)[:2]):
        first.parts[first.index], second.parts[second.index] = second.part, first.part


def _turn_around(posted: Posted, at: int, found: list[FoundPart]) -> None:
    """All of them, and the responses; the signature is on the first call as before."""
    signed = member(found[0].part, "thoughtSignature")
    sign(found[:1], None)
    turned = [call.part for call in reversed(found)]
    for call, part in zip(found, turned, strict=True):
        call.parts[call.index] = part
    replace(turned[0], "thoughtSignature", signed)
    contents(posted)[at + 1]["parts"].reverse()


def _turn_the_calls_around(posted: Posted) -> bool:
    """In another order, where that is one."""
    before = posted.content()
    return in_the_last_turn(posted, _turn_around, calls=2) and posted.content() != before


_OTHER_CALL: Final = {"name": "write_file", "args": {"path": "x"}}
_OTHER_ANSWER: Final = {"name": "write_file", "response": {}}


def _beside_a_signed_text(posted: Posted) -> Iterator[tuple[int, list[FoundPart], list[FoundPart]]]:
    """The first answered calls beside signed texts: where, the calls, the texts."""
    for at, found in call_turns(posted):
        signed = [text for text in texts_in(contents(posted)[at : at + 1]) if member(text.part, "thoughtSignature")]
        if signed and len(answers_behind(posted, at)) == len(found):
            yield at, found, signed
            return


def _make_another_call(posted: Posted) -> bool:
    """Another call in the place of one beside a signed text, and no signature on either."""
    for at, found, signed in _beside_a_signed_text(posted):
        answer = answer_to_the_last(posted, at, found)
        found[-1].part.pop("thoughtSignature", None)
        found[-1].part["functionCall"] = dict(_OTHER_CALL)
        answer.part["functionResponse"] = dict(_OTHER_ANSWER)
        return sign(signed, None)
    return False


def _sign_a_call_as_a_text(posted: Posted) -> bool:
    """Move the signature of a text to the call after it, and remove the call's id."""
    for at, found, signed in _beside_a_signed_text(posted):
        sign(found[:1], member(signed[0].part, "thoughtSignature"))
        sign(signed[:1], None)
        return all(settle(held, id=None) for held in (found[0].held, answers_behind(posted, at)[0].held))
    return False


def _replace_and_split(posted: Posted, at: int, found: list[FoundPart]) -> None:
    """Replace the second call by another one, and put what follows it into its own turn."""
    answers = answers_behind(posted, at)
    found[1].part["functionCall"] = dict(_OTHER_CALL)
    answers[1].part["functionResponse"] = dict(_OTHER_ANSWER)
    called, answered = contents(posted)[at]["parts"], contents(posted)[at + 1]["parts"]
    contents(posted)[at : at + 2] = [
        {"role": "model", "parts": called[: found[2].index]},
        {"role": "user", "parts": answered[: answers[2].index]},
        {"role": "model", "parts": called[found[2].index :]},
        {"role": "user", "parts": answered[answers[2].index :]},
    ]


def _calls_with_arguments(posted: Posted) -> list[FoundPart]:
    return [call for call in parts(contents(posted), "functionCall") if member(call.held, "args")]


def _rename_an_argument(posted: Posted) -> bool:
    for call in _calls_with_arguments(posted)[-1:]:
        (_, value), *others = member(call.held, "args").items()
        return settle(call.held, args={"renamed": value, **dict(others)})
    return False


def _count_truth(posted: Posted) -> bool:
    """Send 1 for true in the arguments of calls."""
    counted = False
    for call in _calls_with_arguments(posted):
        for name, value in member(call.held, "args").items():
            if value is True:
                call.held["args"][name] = 1
                counted = True
    return counted


def _invent(posted: Posted, at: int, found: list[FoundPart]) -> None:
    answer = answers_behind(posted, at)[-1]
    answer.parts.insert(answer.index + 1, {"functionResponse": {"name": "delete_file", "response": {"output": "ok"}}})
    found[-1].parts.append({"functionCall": {"name": "delete_file", "args": {}}})


def _change_arguments(posted: Posted, change: Callable[[Json], Json]) -> bool:
    found = [call for call in parts(contents(posted), "functionCall") if member(call.held, "args") is not None]
    return bool(found) and settle(found[-1].held, args=change(member(found[-1].held, "args")))


def _signed_texts(posted: Posted) -> list[FoundPart]:
    return [text for text in texts_in(contents(posted)) if member(text.part, "thoughtSignature")]


def _lose_that_of_a_text_behind_a_cut(posted: Posted) -> bool:
    """The first calls are forgotten, too, with the answers to them."""
    turns, history = call_turns(posted), contents(posted)
    behind = turns[0][0] + 2 if turns else 0
    if len(turns) < 2 or not any(member(found.part, "thoughtSignature") for found in texts_in(history[behind:])):
        return False
    del history[turns[0][0] : behind]
    return sign(_signed_texts(posted)[-1:], None)


def _two_calls(posted: Posted) -> tuple[FoundPart, FoundPart] | None:
    """A signed call and an unsigned one after it in the same content."""
    for _, calls in reversed(call_turns(posted)):
        unsigned = [call for call in calls if not member(call.part, "thoughtSignature")]
        if len(unsigned) < len(calls) and unsigned:
            return next(call for call in calls if call not in unsigned), unsigned[-1]
    return None


def _copy_to_another_call(posted: Posted, *, move: bool = False) -> bool:
    if (two := _two_calls(posted)) is None:
        return False
    sign(two[1:], member(two[0].part, "thoughtSignature"))
    return not move or sign(two[:1], None)


def _move_to_a_text(posted: Posted) -> bool:
    """To a text in front of the call."""
    for call in signed_calls(posted)[-1:]:
        call.parts.insert(0, {"text": "So.", "thoughtSignature": member(call.part, "thoughtSignature")})
        return settle(call.parts[call.index + 1], thoughtSignature=None)
    return False


def _drop_thoughts(posted: Posted) -> bool:
    dropped = False
    for content in contents(posted):
        spoken = [part for part in content["parts"] if not part.get("thought")]
        dropped = dropped or len(spoken) < len(content["parts"])
        content["parts"] = spoken
    return dropped


def _forget_the_first_turn(posted: Posted) -> bool:
    """All up to the second word of the user."""
    answered = [at for at, _ in answer_turns(posted)]
    users = [at for at, one in enumerate(contents(posted)) if one["role"] == "user" and at not in answered]
    if len(users) < 2:
        return False
    del contents(posted)[: users[1]]
    return True


def _turn_arguments_around(posted: Posted) -> bool:
    """Members in another order: an object is the same object."""
    found = _calls_with_arguments(posted)
    for call in found:
        replace(call.held, "args", dict(reversed(member(call.held, "args").items())))
        call.parts[call.index] = dict(reversed(call.part.items()))
    return bool(found)


def _otherwise(value: Any) -> Any:
    """The same value in the other spelling of its numbers, and with U+FFFD for half a character."""
    match value:
        case dict():
            return {_otherwise(name): _otherwise(each) for name, each in reversed(value.items())}
        case list():
            return [_otherwise(each) for each in value]
        case str():
            return sendable(value)
        case int() if not isinstance(value, bool):
            return float(value)
        case float():
            return int(value) if value.is_integer() else value
    return value


def _spell_arguments_otherwise(posted: Posted) -> bool:
    found = _calls_with_arguments(posted)
    return bool(found) and all(settle(call.held, args=_otherwise(member(call.held, "args"))) for call in found)


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
    wrong=(
        Wrong(
            "gem-arguments-altered",
            "A call goes back with an argument that the model did not give.",
            lambda it: _change_arguments(it, lambda before: {**before, "added": True}),
            "one-call steps without-ids old",
        ),
        Wrong(
            "gem-arguments-retyped",
            "A call goes back with arguments of other types.",
            lambda it: _change_arguments(
                it, lambda before: {name: [value] for name, value in before.items()} or {"none": None}
            ),
            "one-call steps without-ids old",
        ),
        Wrong(
            "gem-call-renamed",
            "A call and its response have another name than the model gave.",
            lambda it: in_the_last_turn(it, _rename),
            "one-call steps without-ids old",
        ),
        Wrong(
            "gem-call-dropped",
            "One of several calls is left out with its response.",
            lambda it: in_the_last_turn(it, _drop, calls=2),
            "two-calls steps without-ids old",
            says="dropped",
        ),
        Wrong(
            "gem-call-repeated",
            "A call is sent back twice, and answered twice.",
            lambda it: in_the_last_turn(it, _repeat),
            "one-call steps without-ids old",
            says="repeated",
        ),
        Wrong(
            "gem-calls-swapped",
            "Two calls and their responses are in another order.",
            lambda it: in_the_last_turn(it, _swap, calls=2),
            "two-calls steps without-ids old",
            also=("GEM-08",),
            says="reordered",
        ),
        Wrong(
            "gem-calls-turned-around",
            "The calls of a turn and their responses are in another order, and the first one is signed.",
            _turn_the_calls_around,
            "two-calls steps without-ids arguments",
            also=("GEM-13",),
            says="reordered",
        ),
        Wrong(
            "gem-call-replaced",
            "Another call goes back in the place of one, and the text beside it is not signed.",
            _make_another_call,
            "same-words arguments begun",
            also=("GEM-08",),
            says="invented",
        ),
        Wrong(
            "gem-call-replaced-in-a-split-turn",
            "Another call goes back in the place of one, and the calls behind it are a turn of their own.",
            lambda it: in_the_last_turn(it, _replace_and_split, calls=3),
            "without-ids arguments",
            also=("GEM-08",),
        ),
        Wrong(
            "gem-call-signed-as-a-text",
            "The signature of a text is on a call without its id.",
            _sign_a_call_as_a_text,
            "same-words arguments begun",
            says="moved",
        ),
        Wrong(
            "gem-argument-renamed",
            "An argument goes back under another name.",
            _rename_an_argument,
            "one-call without-ids arguments old",
        ),
        Wrong("gem-truth-counted", "True goes back as 1.", _count_truth, "arguments", says="dropped"),
        Wrong(
            "gem-call-invented",
            "A turn goes back with a call that the model did not make.",
            lambda it: in_the_last_turn(it, _invent),
            "one-call steps without-ids old",
            says="invented",
        ),
        Wrong(
            "gem-old-signature-lost",
            "The signature of a call is not sent back, in a turn that is over.",
            lambda it: sign(signed_calls(it)[:1], None),
            "steps old one-call",
            also=("GEM-08",),
            says="unsigned",
        ),
        Wrong(
            "gem-signature-moved",
            "The signature is on another call of the turn.",
            lambda it: _copy_to_another_call(it, move=True),
            "two-calls steps without-ids old",
            also=("GEM-08",),
            says="moved",
        ),
        Wrong(
            "gem-signature-copied",
            "The signature is on all calls of the turn.",
            _copy_to_another_call,
            "two-calls steps without-ids old",
            says="moved",
        ),
        Wrong(
            "gem-signature-on-a-text",
            "The signature of a call is on a text before it.",
            _move_to_a_text,
            "one-call steps without-ids old",
            also=("GEM-08",),
            says="moved",
        ),
        Wrong(
            "gem-text-signature-lost",
            "The signature of a text is not sent back.",
            lambda it: sign(_signed_texts(it)[-1:], None),
            "texts steps",
            says="unsigned",
        ),
        Wrong(
            "gem-text-signature-lost-behind-a-cut",
            "The signature of a text is not sent back, nor the calls before it.",
            _lose_that_of_a_text_behind_a_cut,
            "same-words",
            says="unsigned",
        ),
    ),
    right=(
        Right("gem-thoughts-dropped", "Thoughts are not sent back.", _drop_thoughts, "two-calls steps old foreign"),
        Right(
            "gem-history-cut", "The first turn is forgotten.", _forget_the_first_turn, "steps texts", also=("GEM-04",)
        ),
        Right(
            "gem-arguments-turned-around",
            "Members are in another order.",
            _turn_arguments_around,
            "two-calls steps without-ids",
        ),
        Right(
            "gem-arguments-respelled",
            "Numbers are spelled otherwise, and half a character is its replacement.",
            _spell_arguments_otherwise,
            "arguments",
        ),
    ),
)


@RULES.check("careless", GEM_13, GEM_15)
def calls_unaltered(request: Request) -> Found:
    """GEM-15, GEM-13: a call comes back with the name, the arguments and the id that the model gave it."""
    for turn in request.matching:
        for placed, origin in turn.pairs:
            if origin.name:
                yield from _alteration_finding(placed, origin, verbatim=origin.number in turn.verbatim)


def _alteration_finding(placed: Placed, origin: IssuedPart, *, verbatim: bool) -> Found:
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
        yield from _drop_findings(turn)
        for placed in turn.repeated:
            yield GEM_15.broken(
                placed.at, template="repeated", expected="once", got="again", name=brief(name_of(placed))
            )
        for placed in turn.invented:
            made = f"{brief(name_of(placed))}({brief(compact(call_of(placed.part).get('args') or {}))})"
            expected, name = "only calls that the model made", brief(name_of(placed))
            yield GEM_15.broken(placed.at, template="invented", expected=expected, got=made, name=name)
        yield from _order_finding(turn)


def _drop_findings(turn: Matched) -> Found:
    names = [name_of(placed) for placed, origin in turn.pairs if origin.name]
    for part in turn.lost:
        if part.name:
            at, got = turn.span.at, brief(", ".join(names) or "no calls")
            expected = brief(f"{part.name}({compact(part.arguments)})")
            yield GEM_15.broken(at, template="dropped", expected=expected, got=got, name=brief(part.name))


def _order_finding(turn: Matched) -> Found:
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
            owner = signed_with(signature, request.parts)
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
