"""What our adapter sends to go on, held against what the recorded loop sent and the provider took."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from harness.wire import Call, NativeWireName, Opaque, Refusal, Result, Text
from harness_lab.imports.continuation import Continuation, Turned
from harness_lab.imports.links import PLACEHOLDER, Link, answering, same_arguments
from harness_lab.imports.outcome import Difference

__all__ = ["Other", "compared", "given"]

Other = tuple[str, str, str]
"""A difference that nothing explains: what it is about, what the recording has, and what ours has."""


def given(wire: NativeWireName, result: Result) -> tuple[Any, bool]:
    """What a tool of ours must return so that it says what the recorded result says, and whether the call went well.

    Gemini's results are objects; what they hold is ``output`` or ``error`` by convention, and anything else in fact.
    """
    value = _value(result)
    if wire == "gemini-generate" and not result.is_error and isinstance(value, dict) and value.keys() == {"output"}:
        value = value["output"]
    return value, not result.is_error


def compared(wire: NativeWireName, link: Link, ours: Continuation) -> Iterator[Difference | Other]:
    """Every difference between what was recorded and ``ours``: by its name where both may be right."""
    if ours.turn is None:
        yield "turn", "the model's turn", "none"
        return
    if link.sent.turn is None:
        yield "turn named by its id"
        if link.told.text != ours.turn.text:
            yield "text", link.told.text, ours.turn.text
        yield from _calls(link, link.told.calls, ours.turn.calls)
    else:
        yield from _texts(link.sent.turn, ours.turn)
        yield from _thinking(wire, link.sent.turn, ours.turn)
        yield from _proofs(link.sent.turn, ours.turn)
        yield from _others(link.sent.turn, ours.turn)
        yield from _order(link, link.sent.turn, ours.turn)
        yield from _calls(link, link.sent.turn.calls, ours.turn.calls)
    yield from _results(wire, link, ours)
    recorded, sent = _words(link.sent), _words(ours)
    if recorded != sent:
        yield "what the user says", str(recorded), str(sent)


# --- the turn -------------------------------------------------------------------------------------------------


def _texts(recorded: Turned, ours: Turned) -> Iterator[Difference | Other]:
    if recorded.text == ours.text:
        return
    if not recorded.text:
        yield "text left out"
    elif not ours.text and not recorded.text.strip():
        yield "white space added"
    elif recorded.text == ours.text.strip():
        yield "text trimmed"
    else:
        yield "text", recorded.text, ours.text


def _thinking(wire: NativeWireName, recorded: Turned, ours: Turned) -> Iterator[Difference | Other]:
    if recorded.thinking == ours.thinking:
        return
    if not recorded.thinking:
        yield "thinking left out"
    elif wire == "openai-chat" and not ours.calls and not ours.thinking:
        yield "thinking without calls"
    else:
        yield "thinking", recorded.thinking, ours.thinking


def _proofs(recorded: Turned, ours: Turned) -> Iterator[Difference | Other]:
    """Signatures; which part has one counts where the recorded loop sends each where it came."""
    theirs = tuple(proof for proof in recorded.proofs if proof != PLACEHOLDER)
    if theirs != recorded.proofs:
        yield "proof made up"
    if theirs == ours.proofs:
        return
    if not {*theirs} <= {*ours.proofs}:
        yield "proofs", str(recorded.proofs), str(ours.proofs)
    elif len(theirs) > len(ours.proofs):
        yield "proofs repeated"
    elif Counter(theirs) < Counter(ours.proofs):
        yield "proofs left out"
    else:
        yield "proofs", str(recorded.proofs), str(ours.proofs)


def _others(recorded: Turned, ours: Turned) -> Iterator[Difference | Other]:
    if recorded.others == ours.others:
        return
    if Counter(recorded.others) < Counter(ours.others):
        yield "server items left out"
    else:
        yield "items without words", ", ".join(recorded.others), ", ".join(ours.others)


def _order(link: Link, recorded: Turned, ours: Turned) -> Iterator[Difference | Other]:
    """Text and calls; where one side has no text, there is nothing to compare."""
    if recorded.order == ours.order or set(recorded.order) != set(ours.order):
        return
    if ours.order == link.told.order:
        yield "parts in another order"
    else:
        yield "order of text and calls", " ".join(recorded.order), " ".join(ours.order)


def _calls(link: Link, recorded: Sequence[Call], ours: Sequence[Call]) -> Iterator[Difference | Other]:
    if [call.name for call in recorded] != [call.name for call in ours]:
        yield "calls", _names(recorded), _names(ours)
        return
    for theirs, model, own in zip(recorded, link.told.calls, ours, strict=True):
        if not same_arguments(theirs, own):
            yield f"arguments of {own.name}", theirs.arguments, own.arguments
        elif theirs.arguments != own.arguments:
            yield "arguments spelled otherwise"
        if (theirs.id or "") != (own.id or ""):
            if model.id and own.id != model.id and model.id not in link.ids:
                yield f"id of {own.name}", str(model.id), str(own.id)
            else:
                yield "ids changed"


def _names(calls: Sequence[Call]) -> str:
    return ", ".join(call.name for call in calls) or "none"


# --- the results, and what else is said -----------------------------------------------------------------------


def _results(wire: NativeWireName, link: Link, ours: Continuation) -> Iterator[Difference | Other]:
    own = answering(ours.turn.calls, ours.results) if ours.turn else None
    if own is None:
        yield "results", f"{len(link.results)} in call order", f"{len(ours.results)} that do not fit the calls"
        return
    for theirs, mine in zip(link.results, own, strict=True):
        if given(wire, theirs) != given(wire, mine):
            yield "result", theirs.output, mine.output
        elif theirs.output != mine.output:
            yield "results in an envelope" if wire == "gemini-generate" else "results as JSON text"
    if tuple(ours.results) != own:
        yield "results in call order", _ids(own), _ids(ours.results)
    if tuple(link.sent.results) != link.results:
        yield "results in another order"


def _ids(results: Sequence[Result]) -> str:
    return ", ".join(result.id or result.name for result in results)


def _value(result: Result) -> Any:
    try:
        return json.loads(result.output)
    except ValueError:
        return result.output


def _words(sent: Continuation) -> list[Any]:
    """What was said beside the results, without regard to how it is cut into messages."""
    parts = [part for message in sent.said for part in message.parts]
    texts = sent.extra + "".join(part.text for part in parts if isinstance(part, Text | Refusal))
    return [texts, *(part.native for part in parts if isinstance(part, Opaque))]
