"""Calls and responses altered, renamed, lost and made up: GEM-11 to 15."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.gemini_generate.base_requests import (
    ARGUMENTS,
    BEGUN,
    FOREIGN,
    FOREIGN_OLD,
    OLD,
    ONE_CALL,
    SAME_WORDS,
    SERVER_TOOL,
    STEPS,
    TWO_CALLS,
    WITHOUT_IDS,
)
from harness_lab.mutants.requests.gemini_generate.finding import (
    FoundPart,
    answer_turns,
    call_turns,
    contents,
    member,
    parts,
    replace,
    texts_in,
)
from harness_lab.mutants.requests.mutant import RequestMutant


def _set(kind: str, name: str, new: Any) -> Edit:
    """Set a member of the last call or response; None takes it away, and nothing is changed that it does not have."""

    def edit(posted: Posted) -> bool:
        found = [part for part in parts(contents(posted), kind) if member(part.held, name) is not None]
        for part in found[-1:]:
            replace(part.held, name, new(member(part.held, name)) if callable(new) else new)
        return bool(found)

    return edit


def cross_names(posted: Posted) -> bool:
    """Two responses keep their ids and exchange their names. Without ids nobody could see it."""
    for _, answers in reversed(answer_turns(posted)):
        first = answers[0].held
        for other in answers[1:]:
            apart = len({member(first, name) for name in ("id",)} | {member(other.held, "id")}) == 2
            if first["name"] != other.held["name"] and apart and member(first, "id") and member(other.held, "id"):
                first["name"], other.held["name"] = other.held["name"], first["name"]
                return True
    return False


def cross_and_lose(posted: Posted) -> bool:
    """Two responses exchange their names, and the last response is not sent."""
    answers = answer_turns(posted)
    if not answers or len(answers[-1][1]) < 2 or not cross_names(posted):
        return False
    answers[-1][1][-1].parts.pop(answers[-1][1][-1].index)
    return True


def _answer_of(posted: Posted, at: int, number: int) -> FoundPart:
    """The response to a call, by its place."""
    return parts([contents(posted)[at + 1]], "functionResponse")[number]


def _in_the_last_turn(change: Callable[[Posted, int, list[FoundPart]], None], *, calls: int = 1) -> Edit:
    """Change the last turn with so many calls and an answer to each behind it."""

    def edit(posted: Posted) -> bool:
        for at, found in reversed(call_turns(posted)):
            answers = parts(contents(posted)[at + 1 : at + 2], "functionResponse")
            if len(found) >= calls and len(answers) == len(found):
                change(posted, at, found)
                return True
        return False

    return edit


def _rename(posted: Posted, at: int, found: list[FoundPart]) -> None:
    found[-1].held["name"] += "_v2"
    _answer_of(posted, at, _last_of(posted, at, found)).held["name"] = found[-1].held["name"]


def _last_of(posted: Posted, at: int, found: list[FoundPart]) -> int:
    """Which of the responses answers the last call: the one with its id, or the last."""
    ids = [member(answer.held, "id") for answer in parts([contents(posted)[at + 1]], "functionResponse")]
    wanted = member(found[-1].held, "id")
    return ids.index(wanted) if wanted in ids else len(ids) - 1


def _reissue(posted: Posted, at: int, found: list[FoundPart]) -> None:
    answer = _answer_of(posted, at, _last_of(posted, at, found))
    replace(found[-1].held, "id", "toolu_01")
    replace(answer.held, "id", "toolu_01")


def has_ids(edit: Edit) -> Edit:
    """Only where the calls of the last turn have ids."""

    def edited(posted: Posted) -> bool:
        turns = call_turns(posted)
        return bool(turns) and all(member(call.held, "id") for call in turns[-1][1]) and edit(posted)

    return edited


def is_known(edit: Edit) -> Edit:
    """Only where the last turn with calls is known by more than their ids: by a signature, or by a text."""

    def edited(posted: Posted) -> bool:
        turns = call_turns(posted)
        parts = turns[-1][1][0].parts if turns else []
        return any(part.get("thoughtSignature") or part.get("text") for part in parts) and edit(posted)

    return edited


def _drop(posted: Posted, at: int, found: list[FoundPart]) -> None:
    answer = _answer_of(posted, at, _last_of(posted, at, found))
    del answer.parts[answer.index]
    del found[-1].parts[found[-1].index]


def _repeat(posted: Posted, at: int, found: list[FoundPart]) -> None:
    answer = _answer_of(posted, at, _last_of(posted, at, found))
    answer.parts.insert(answer.index, answer.part)
    found[-1].parts.insert(found[-1].index, found[-1].part)


def _swap(posted: Posted, at: int, found: list[FoundPart]) -> None:
    first, second = found[0], found[1]
    answers = parts([contents(posted)[at + 1]], "functionResponse")
    first.parts[first.index], second.parts[second.index] = second.part, first.part
    one, two = answers[0], answers[1]
    one.parts[one.index], two.parts[two.index] = two.part, one.part


def _turn_around(posted: Posted, at: int, found: list[FoundPart]) -> None:
    """All of them, and the responses; the signature is on the first call as before."""
    signed = member(found[0].part, "thoughtSignature")
    replace(found[0].part, "thoughtSignature", None)
    places = [call.index for call in found]
    turned = [call.part for call in reversed(found)]
    for place, part in zip(places, turned, strict=True):
        found[0].parts[place] = part
    replace(turned[0], "thoughtSignature", signed)
    contents(posted)[at + 1]["parts"].reverse()


def turn_the_calls_around(posted: Posted) -> bool:
    """Send the calls of the last turn in another order, where that is one."""
    before = posted.content()
    return _in_the_last_turn(_turn_around, calls=2)(posted) and posted.content() != before


def make_another_call(posted: Posted) -> bool:
    """Another call in the place of one beside a signed text, and no signature on either."""
    for at, found in call_turns(posted):
        signed = [text for text in texts_in(contents(posted)[at : at + 1]) if member(text.part, "thoughtSignature")]
        answers = parts(contents(posted)[at + 1 : at + 2], "functionResponse")
        if signed and len(answers) == len(found):
            answer = _answer_of(posted, at, _last_of(posted, at, found))
            found[-1].part.pop("thoughtSignature", None)
            found[-1].part["functionCall"] = {"name": "write_file", "args": {"path": "x"}}
            answer.part["functionResponse"] = {"name": "write_file", "response": {}}
            for text in signed:
                replace(text.part, "thoughtSignature", None)
            return True
    return False


def sign_a_call_as_a_text(posted: Posted) -> bool:
    """The signature of a text is on the call behind it, which has no id any more."""
    for at, found in call_turns(posted):
        signed = [text for text in texts_in(contents(posted)[at : at + 1]) if member(text.part, "thoughtSignature")]
        answers = parts(contents(posted)[at + 1 : at + 2], "functionResponse")
        if signed and len(answers) == len(found):
            replace(found[0].part, "thoughtSignature", member(signed[0].part, "thoughtSignature"))
            replace(signed[0].part, "thoughtSignature", None)
            for held in (found[0].held, answers[0].held):
                replace(held, "id", None)
            return True
    return False


def _replace_and_split(posted: Posted, at: int, found: list[FoundPart]) -> None:
    """Another call in the place of the second, and what is behind it in a turn of its own."""
    answers = parts([contents(posted)[at + 1]], "functionResponse")
    found[1].part["functionCall"] = {"name": "write_file", "args": {"path": "x"}}
    answers[1].part["functionResponse"] = {"name": "write_file", "response": {}}
    called, answered = contents(posted)[at]["parts"], contents(posted)[at + 1]["parts"]
    contents(posted)[at : at + 2] = [
        {"role": "model", "parts": called[: found[2].index]},
        {"role": "user", "parts": answered[: answers[2].index]},
        {"role": "model", "parts": called[found[2].index :]},
        {"role": "user", "parts": answered[answers[2].index :]},
    ]


def rename_an_argument(posted: Posted) -> bool:
    """Give the first argument of the last call that has one another name."""
    found = [call for call in parts(contents(posted), "functionCall") if member(call.held, "args")]
    for call in found[-1:]:
        (_, value), *others = member(call.held, "args").items()
        replace(call.held, "args", {"renamed": value, **dict(others)})
    return bool(found)


def count_truth(posted: Posted) -> bool:
    """Send 1 for true in the arguments of calls."""
    counted = False
    for call in parts(contents(posted), "functionCall"):
        for name, value in member(call.held, "args", {}).items():
            if value is True:
                call.held["args"][name] = 1
                counted = True
    return counted


def _invent(posted: Posted, at: int, found: list[FoundPart]) -> None:
    answer = _answer_of(posted, at, -1)
    answer.parts.insert(answer.index + 1, {"functionResponse": {"name": "delete_file", "response": {"output": "ok"}}})
    found[-1].parts.append({"functionCall": {"name": "delete_file", "args": {}}})


def _add_argument(arguments: Json) -> Json:
    return {**arguments, "added": True}


def _other_type(arguments: Json) -> Json:
    """The same in other types: a text for a number, a number for a truth value."""
    return {name: [value] for name, value in arguments.items()} or {"none": None}


CALLS: Final = (
    RequestMutant(
        "gem-response-nameless",
        "A response has an empty name.",
        ("GEM-11",),
        _set("functionResponse", "name", ""),
        (ONE_CALL, STEPS, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-response-name-missing",
        "A response has no name.",
        ("GEM-11",),
        _set("functionResponse", "name", None),
        (TWO_CALLS, FOREIGN_OLD),
    ),
    RequestMutant(
        "gem-call-nameless",
        "A call goes back with an empty name.",
        ("GEM-11",),
        _set("functionCall", "name", ""),
        (ONE_CALL, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-response-renamed",
        "A response has the name of no call.",
        ("GEM-12",),
        _set("functionResponse", "name", "another_tool"),
        (ONE_CALL, STEPS, WITHOUT_IDS, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-response-names-crossed",
        "Two responses have each other's name.",
        ("GEM-12",),
        cross_names,
        (TWO_CALLS, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-response-crossed-and-lost",
        "A response has the name of another call, whose response is lost.",
        ("GEM-06",),
        cross_and_lose,
        (TWO_CALLS, OLD),
    ),
    RequestMutant(
        "gem-response-id-lost",
        "A response has no id, though its call has one.",
        ("GEM-13",),
        _set("functionResponse", "id", None),
        (ONE_CALL, STEPS, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-response-id-forged",
        "A response has the id of no call.",
        ("GEM-13",),
        _set("functionResponse", "id", "toolu_01"),
        (ONE_CALL, STEPS, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-call-id-altered",
        "A call and its response have an id that the model did not give.",
        ("GEM-13",),
        is_known(has_ids(_in_the_last_turn(_reissue))),
        (ONE_CALL, TWO_CALLS, OLD),
    ),
    RequestMutant(
        "gem-server-id-forged",
        "What a server tool answered has the id of no call.",
        ("GEM-13",),
        _set("toolResponse", "id", "toolu_01"),
        (SERVER_TOOL,),
    ),
    RequestMutant(
        "gem-response-text",
        "A response is a text.",
        ("GEM-14",),
        _set("functionResponse", "response", "ok"),
        (ONE_CALL, FOREIGN),
    ),
    RequestMutant(
        "gem-response-list",
        "A response is a list.",
        ("GEM-14",),
        _set("functionResponse", "response", [{"output": "ok"}]),
        (ONE_CALL, FOREIGN),
    ),
    RequestMutant(
        "gem-arguments-text",
        "The arguments of a call go back as the text that they were streamed as.",
        ("GEM-14",),
        _set("functionCall", "args", '{"path": "src"}'),
        (ONE_CALL, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-arguments-list",
        "The arguments of a call go back as a list.",
        ("GEM-14",),
        _set("functionCall", "args", ["src"]),
        (ONE_CALL, FOREIGN),
    ),
    RequestMutant(
        "gem-arguments-altered",
        "A call goes back with an argument that the model did not give.",
        ("GEM-15",),
        _set("functionCall", "args", _add_argument),
        (ONE_CALL, STEPS, WITHOUT_IDS, OLD),
    ),
    RequestMutant(
        "gem-arguments-retyped",
        "A call goes back with arguments of other types.",
        ("GEM-15",),
        _set("functionCall", "args", _other_type),
        (ONE_CALL, STEPS, WITHOUT_IDS, OLD),
    ),
    RequestMutant(
        "gem-call-renamed",
        "A call and its response have another name than the model gave.",
        ("GEM-15",),
        _in_the_last_turn(_rename),
        (ONE_CALL, STEPS, WITHOUT_IDS, OLD),
    ),
    RequestMutant(
        "gem-call-dropped",
        "One of several calls is left out with its response.",
        ("GEM-15",),
        _in_the_last_turn(_drop, calls=2),
        (TWO_CALLS, STEPS, WITHOUT_IDS, OLD),
    ),
    RequestMutant(
        "gem-call-repeated",
        "A call is sent back twice, and answered twice.",
        ("GEM-15",),
        _in_the_last_turn(_repeat),
        (ONE_CALL, STEPS, WITHOUT_IDS, OLD),
    ),
    RequestMutant(
        "gem-calls-swapped",
        "Two calls and their responses are in another order.",
        ("GEM-15", "GEM-08"),
        _in_the_last_turn(_swap, calls=2),
        (TWO_CALLS, STEPS, WITHOUT_IDS, OLD),
    ),
    RequestMutant(
        "gem-calls-turned-around",
        "The calls of a turn and their responses are in another order, and the first one is signed.",
        ("GEM-15", "GEM-13"),
        turn_the_calls_around,
        (TWO_CALLS, STEPS, WITHOUT_IDS, ARGUMENTS),
    ),
    RequestMutant(
        "gem-call-replaced",
        "Another call goes back in the place of one, and the text beside it is not signed.",
        ("GEM-15", "GEM-08"),
        make_another_call,
        (SAME_WORDS, ARGUMENTS, BEGUN),
    ),
    RequestMutant(
        "gem-call-replaced-in-a-split-turn",
        "Another call goes back in the place of one, and the calls behind it are a turn of their own.",
        ("GEM-15", "GEM-08"),
        _in_the_last_turn(_replace_and_split, calls=3),
        (WITHOUT_IDS, ARGUMENTS),
    ),
    RequestMutant(
        "gem-call-signed-as-a-text",
        "The signature of a text is on a call without its id.",
        ("GEM-15",),
        sign_a_call_as_a_text,
        (SAME_WORDS, ARGUMENTS, BEGUN),
    ),
    RequestMutant(
        "gem-argument-renamed",
        "An argument goes back under another name.",
        ("GEM-15",),
        rename_an_argument,
        (ONE_CALL, WITHOUT_IDS, ARGUMENTS, OLD),
    ),
    RequestMutant("gem-truth-counted", "True goes back as 1.", ("GEM-15",), count_truth, (ARGUMENTS,)),
    RequestMutant(
        "gem-call-invented",
        "A turn goes back with a call that the model did not make.",
        ("GEM-15",),
        _in_the_last_turn(_invent),
        (ONE_CALL, STEPS, WITHOUT_IDS, OLD),
    ),
)
