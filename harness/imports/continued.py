"""Compares how our adapter goes on with how the recorded loop did, which the provider accepted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.imports.comparison import RecordedDifference
from harness.imports.continuation import Continuation, ModelTurn
from harness.imports.links import PLACEHOLDER, Link, answering, same_arguments
from harness.imports.loops import LoopStep
from harness.wire import Call, NativeWireName, Opaque, Refusal, Result, Text


def tool_output(wire: NativeWireName, result: Result) -> tuple[Any, bool]:
    """The value that a tool of ours must return to produce the recorded result, and whether the call succeeded.

    Gemini's results are objects with a member ``output`` or ``error`` by convention, and with any others in fact.
    """
    value = _value(result)
    if wire == "gemini-generate" and not result.is_error and isinstance(value, dict) and value.keys() == {"output"}:
        value = value["output"]
    return value, not result.is_error


def signed_proofs(turn: ModelTurn) -> tuple[str, ...]:
    """The signatures in a turn that the provider made."""
    return tuple(proof for proof in turn.proofs if proof != PLACEHOLDER)


@dataclass(frozen=True, slots=True)
class Continued:
    """A step of a recorded loop: how the loop went on, and how ours does.

    ``link`` and ``ours`` are None at the first step, which continues nothing.
    """

    wire: NativeWireName
    step: LoopStep
    link: Link | None = None
    ours: Continuation | None = None

    @property
    def turns(self) -> tuple[ModelTurn | None, ModelTurn | None]:
        """The model's turn as the recorded loop sent it back, and as ours does; None if it is not sent."""
        return self.link.sent.turn if self.link else None, self.ours.turn if self.ours else None

    @property
    def changed_ids(self) -> list[str]:
        """The places of calls whose id ours may choose: the model sent none, or one that it had used before."""
        ids = self.link.ids if self.link else frozenset()
        return [
            _id_at(number, own)
            for number, _, model, own in self._calls
            if not (model.id and own.id != model.id and model.id not in ids)
        ]

    @property
    def respelled_arguments(self) -> list[str]:
        """The places of calls whose arguments are the same JSON value on both sides."""
        return [_arguments_at(number, own) for number, theirs, _, own in self._calls if same_arguments(theirs, own)]

    @property
    def respelled_results(self) -> list[str]:
        """The places of results that are the same value on both sides."""
        return [
            _result_at(number)
            for number, (theirs, ours) in enumerate(self._results, 1)
            if tool_output(self.wire, theirs) == tool_output(self.wire, ours)
        ]

    @property
    def keeps_the_order(self) -> bool:
        """Whether ours has text and calls in the model's order."""
        ours = self.turns[1]
        return self.link is not None and ours is not None and ours.order == self.link.turn.order

    def differences(self) -> Iterator[RecordedDifference]:
        """Every difference between what was recorded and ours."""
        link, ours = self.link, self.ours
        if link is None or ours is None:
            return
        if ours.turn is None:
            yield RecordedDifference("turn", "the model's turn", "none")
            return
        if link.sent.turn is None:
            yield RecordedDifference("turn", "its id", "the turn")
            yield from _differing("text", link.turn.text, ours.turn.text)
        else:
            yield from _turn_differences(link.sent.turn, ours.turn)
        yield from self._call_differences()
        yield from self._result_differences(link, ours)
        yield from _differing("what the user says", *(str(_words(each)) for each in (link.sent, ours)))

    # --- calls ----------------------------------------------------------------------------------------------

    @property
    def _recorded_calls(self) -> Sequence[Call]:
        if self.link is None:
            return ()
        return self.link.sent.turn.calls if self.link.sent.turn else self.link.turn.calls

    @property
    def _calls(self) -> Iterator[tuple[int, Call, Call, Call]]:
        """Number, recorded call, the model's and ours; empty if their names differ."""
        ours = self.ours.turn.calls if self.ours and self.ours.turn else ()
        if self.link and _names(ours) == _names(self._recorded_calls):
            calls = zip(self._recorded_calls, self.link.turn.calls, ours, strict=True)
            yield from ((number, *each) for number, each in enumerate(calls, 1))

    def _call_differences(self) -> Iterator[RecordedDifference]:
        ours = self.ours.turn.calls if self.ours and self.ours.turn else ()
        yield from _differing("calls", _names(self._recorded_calls), _names(ours))
        for number, theirs, model, own in self._calls:
            yield from _differing(_arguments_at(number, own), theirs.arguments, own.arguments)
            if (theirs.id or "") != (own.id or ""):
                yield RecordedDifference(_id_at(number, own), str(model.id), str(own.id))

    # --- results --------------------------------------------------------------------------------------------

    @property
    def _results(self) -> list[tuple[Result, Result]]:
        """The recorded result of each call with ours; empty if ours do not fit the calls."""
        own = answering(self.ours.turn.calls, self.ours.results) if self.ours and self.ours.turn else None
        return list(zip(self.link.results, own, strict=True)) if self.link and own is not None else []

    def _result_differences(self, link: Link, ours: Continuation) -> Iterator[RecordedDifference]:
        own = answering(ours.turn.calls, ours.results) if ours.turn else None
        if own is None:
            got = f"{len(ours.results)} that do not fit the calls"
            yield RecordedDifference("results", f"{len(link.results)} in call order", got)
            return
        for number, (theirs, mine) in enumerate(self._results, 1):
            same = tool_output(self.wire, theirs) == tool_output(self.wire, mine)
            if not same or theirs.output != mine.output:
                yield RecordedDifference(_result_at(number), theirs.output, mine.output)
        if tuple(ours.results) != own:
            yield RecordedDifference("results in call order", _ids(own), _ids(ours.results))
        if tuple(link.sent.results) != link.results:
            yield RecordedDifference("order of results", _ids(link.sent.results), _ids(ours.results))


def _differing(place: str, recorded: str, ours: str) -> Iterator[RecordedDifference]:
    if recorded != ours:
        yield RecordedDifference(place, recorded, ours)


def _turn_differences(recorded: ModelTurn, ours: ModelTurn) -> Iterator[RecordedDifference]:
    """Differences in a turn besides its calls. If one side has no text, it has no order of text and calls."""
    yield from _differing("text", recorded.text, ours.text)
    yield from _differing("thinking", recorded.thinking, ours.thinking)
    if PLACEHOLDER in recorded.proofs:
        yield RecordedDifference("proof made up", PLACEHOLDER, "none")
    if signed_proofs(recorded) != ours.proofs:
        yield RecordedDifference("proofs", str(recorded.proofs), str(ours.proofs))
    yield from _differing("items without words", ", ".join(recorded.others), ", ".join(ours.others))
    if set(recorded.order) == set(ours.order):
        yield from _differing("order of text and calls", " ".join(recorded.order), " ".join(ours.order))


def _id_at(number: int, call: Call) -> str:
    return f"id of call {number}, {call.name}"


def _arguments_at(number: int, call: Call) -> str:
    return f"arguments of call {number}, {call.name}"


def _result_at(number: int) -> str:
    return f"result {number}"


def _names(calls: Sequence[Call]) -> str:
    return ", ".join(call.name for call in calls) or "none"


def _ids(results: Sequence[Result]) -> str:
    return ", ".join(result.id or result.name for result in results)


def _value(result: Result) -> Any:
    try:
        return json.loads(result.output)
    except ValueError:
        return result.output


def _words(sent: Continuation) -> list[Any]:
    """The words besides the results, however they are cut into messages."""
    parts = [part for message in sent.messages for part in message.parts]
    texts = sent.extra + "".join(part.text for part in parts if isinstance(part, Text | Refusal))
    return [texts, *(part.native for part in parts if isinstance(part, Opaque))]
