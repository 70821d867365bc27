"""Breakages of a provider session: what it makes of the model's turn, and what it sends back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any
from unicodedata import normalize

from harness.loop import (
    AssistantDelta,
    CallResult,
    Delta,
    EditableSession,
    HttpFailed,
    OnEvent,
    ProviderTurn,
    StreamFailed,
    ThinkingDelta,
    ToolCallDelta,
)
from harness.wire import FinishReason, WireName, wire
from harness_lab.mutants.edits import is_of_the_user


class PassingSession:
    """A session that passes everything on, for mutants to change one thing of."""

    def __init__(self, inner: EditableSession) -> None:
        self._inner = inner

    @property
    def history(self) -> list[Any]:
        """The messages in the provider's form."""
        return self._inner.history

    @history.setter
    def history(self, messages: list[Any]) -> None:
        """Replace the messages."""
        self._inner.history = messages

    @property
    def wire(self) -> WireName:
        """The name of the wire."""
        return self._inner.wire

    def stored(self) -> dict[str, Any]:
        """What a later session needs to go on."""
        return self._inner.stored()

    def restore(self, stored: Mapping[str, Any]) -> None:
        """Go on with what an earlier session has stored."""
        self._inner.restore(stored)

    def stored_turn(self, turn: ProviderTurn) -> dict[str, Any]:
        """The last turn, as JSON."""
        return self._inner.stored_turn(turn)

    def restored_turn(self, stored: Mapping[str, Any]) -> ProviderTurn:
        """The turn that an earlier session has stored."""
        return self._inner.restored_turn(stored)

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Return the next turn as ``understood`` changes it."""
        return self.understood(await self._inner.stream_turn(on_event))

    async def whole_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Return the next turn, asked for without a stream, as ``understood`` changes it."""
        return self.understood(await self._inner.whole_turn(on_event))

    def understood(self, turn: ProviderTurn) -> ProviderTurn:
        """The turn as the loop is given it."""
        return turn

    def append_tool_results(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> None:
        """Append the turn and the results by ``turn_messages`` and ``result_messages``."""
        self.history += self.turn_messages(turn) + self.result_messages(turn, call_results)

    def append_user(self, text: str) -> None:
        """Append a message of the user."""
        self._inner.append_user(text)

    def message(self, role: str, text: str) -> Any:
        """Return a message in the provider's form."""
        return self._inner.message(role, text)

    def turn_messages(self, turn: ProviderTurn) -> list[Any]:
        """Return the model's turn in the provider's form."""
        return self._inner.turn_messages(turn)

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results in the provider's form."""
        return self._inner.result_messages(turn, call_results)

    def set_params(self, **fields: Any) -> None:
        """Change settings of the requests to come."""
        self._inner.set_params(**fields)

    async def close(self) -> None:
        """Release what the session has opened."""
        await self._inner.close()


# --- what is made of the model's turn -----------------------------------------------------------------------


class RunsTruncatedCalls(PassingSession):
    """Overlooks that the turn was cut off at its token limit."""

    def understood(self, turn: ProviderTurn) -> ProviderTurn:
        """Return a turn that was cut at the token limit as one that ended with calls."""
        return replace(turn, stop=FinishReason.TOOL_CALLS) if turn.stop is FinishReason.MAX_TOKENS else turn


class RunsRefusedCalls(PassingSession):
    """Overlooks that the model, or a filter, declined."""

    def understood(self, turn: ProviderTurn) -> ProviderTurn:
        """Return a refused turn as one that ended with calls."""
        refused = turn.refusal or turn.stop in (FinishReason.REFUSAL, FinishReason.CONTENT_FILTER)
        return replace(turn, stop=FinishReason.TOOL_CALLS, refusal="") if refused else turn


class TakesPausesForEnds(PassingSession):
    """Takes a turn that is only paused for the last one."""

    def understood(self, turn: ProviderTurn) -> ProviderTurn:
        """Return a paused turn as one that has ended."""
        return replace(turn, stop=FinishReason.END) if turn.stop is FinishReason.PAUSE else turn


class AcceptsBrokenStreams(PassingSession):
    """Takes what has come for the whole turn when a stream ends without its terminal event."""

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Return the text that had arrived where the stream breaks, as a turn that has ended."""
        texts: list[str] = []

        async def hear(delta: Delta) -> None:
            if isinstance(delta, AssistantDelta):
                texts.append(delta.text)
            await on_event(delta)

        try:
            return await self._inner.stream_turn(hear)
        except StreamFailed:
            return ProviderTurn("".join(texts), (), None, FinishReason.END, model="")


class TakesCallsForWords(PassingSession):
    """Overlooks that the model has called a tool."""

    def understood(self, turn: ProviderTurn) -> ProviderTurn:
        """Return the turn without its calls."""
        return replace(turn, tool_calls=(), stop=FinishReason.END)


class TakesRefusalsForOverload(PassingSession):
    """Takes a request that was refused for what it says for one that came at a bad time."""

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Raise every HTTP error as a 503, which is sent again."""
        try:
            return await self._inner.stream_turn(on_event)
        except HttpFailed as failure:
            raise HttpFailed(str(failure), 503) from failure


class HidesThinking(PassingSession):
    """Does not report the model's thinking."""

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Emit no thinking."""

        async def hear(delta: Delta) -> None:
            if not isinstance(delta, ThinkingDelta):
                await on_event(delta)

        return await self._inner.stream_turn(hear)


class CutsCharacters(PassingSession):
    """Emits text in pieces of so many UTF-16 units, be it inside a character."""

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Emit the text in UTF-16 units, so that pairs of surrogates are split."""

        async def hear(delta: Delta) -> None:
            if not isinstance(delta, AssistantDelta):
                await on_event(delta)
                return
            units = delta.text.encode("utf-16-le", "surrogatepass")
            for at in range(0, len(units), 2):
                await on_event(AssistantDelta(units[at : at + 2].decode("utf-16-le", "surrogatepass")))

        return await self._inner.stream_turn(hear)


# --- what is sent back --------------------------------------------------------------------------------------


class HasNothingKept(PassingSession):
    """Has a provider that keeps responses keep none: all of the history is in each request."""

    def __init__(self, inner: EditableSession) -> None:
        super().__init__(inner)
        if wire(inner.wire).keeping is not None:
            inner.set_params(store=False)


class DropsTheLastResult(PassingSession):
    """Forgets the answer to the last call of a turn."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results without the last one."""
        return self._inner.result_messages(turn, call_results[:-1])


class DropsPausedTurns(PassingSession):
    """Asks again without the turn that was paused."""

    def turn_messages(self, turn: ProviderTurn) -> list[Any]:
        """Return nothing for a paused turn."""
        return [] if turn.stop is FinishReason.PAUSE else super().turn_messages(turn)


class SendsFailuresFirst(PassingSession):
    """Puts the results of calls that failed in front, and pairs calls and results by their places."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results with failures first, under the ids of the original order."""
        sorted_ = sorted(call_results, key=lambda done: done.ok)
        paired = [replace(done, call=own.call) for done, own in zip(sorted_, call_results, strict=True)]
        return super().result_messages(turn, paired)


class ReversesResults(PassingSession):
    """Sends the results in the order in which the last call comes first."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results in the opposite order."""
        messages = self._inner.result_messages(turn, call_results)
        return messages[::-1] if len(messages) > 1 else [_reversed(message) for message in messages]


def _reversed(message: Any) -> Any:
    """A message with its list of parts, or the entries of its text, the other way round."""
    changed: dict[str, Any] = {key: value[::-1] for key, value in message.items() if isinstance(value, list)}
    if isinstance(text := message.get("content"), str):
        head, *entries = text.split("\n\n")
        changed["content"] = "\n\n".join([head, *entries[::-1]])
    return {**message, **changed}


class MarksNoFailure(PassingSession):
    """Sends the result of a call that failed as that of one that did not."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return failed results as if they had succeeded, with their error text."""
        return self._inner.result_messages(turn, [replace(each, ok=True) for each in call_results])


class HidesFailures(PassingSession):
    """Sends the result of a call that failed as "ok"."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return ``ok`` in the place of every failed result."""
        hidden = [each if each.ok else replace(each, ok=True, result="ok") for each in call_results]
        return self._inner.result_messages(turn, hidden)


class ExtraBeforeResults(PassingSession):
    """Sends what tools said beside their results in front of the results."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the extra texts in front of the results."""
        extras = [self.message("user", each.extra) for each in call_results if each.extra]
        return extras + self._inner.result_messages(turn, [replace(each, extra="") for each in call_results])


class KeepsTheDemand(PassingSession):
    """Asks for the answer at the turn limit without an instruction to answer."""

    def append_user(self, text: str) -> None:  # noqa: ARG002 - that is the point
        """Append nothing."""
        return None


# --- what is held back ---------------------------------------------------------------------------------------


class _Buffers(PassingSession):
    """Holds deltas of one kind back until the turn has ended."""

    kind: type[Delta]

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Pass on the deltas of ``kind`` behind all others."""
        held: list[Delta] = []

        async def sort(delta: Delta) -> None:
            if isinstance(delta, self.kind):
                held.append(delta)
            else:
                await on_event(delta)

        turn = await self._inner.stream_turn(sort)
        for delta in held:
            await on_event(delta)
        return turn


class BuffersText(_Buffers):
    """Holds all text back until the turn has ended."""

    kind = AssistantDelta


class BuffersThinking(_Buffers):
    """Holds all thinking back until the turn has ended."""

    kind = ThinkingDelta


class BuffersArguments(_Buffers):
    """Holds the arguments of calls back until the turn has ended, and passes them on in one piece."""

    kind = ToolCallDelta


# --- results in another form ---------------------------------------------------------------------------------


class PrintsResults(PassingSession):
    """Sends results as Python prints them."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, each as the text that ``repr`` gives of it."""
        return super().result_messages(turn, [replace(each, result=repr(each.result)) for each in call_results])


class CutsResults(PassingSession):
    """Sends the first sixteen characters of a result."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, each cut."""
        cut = [replace(each, result=json.dumps(each.result, ensure_ascii=False)[:16]) for each in call_results]
        return super().result_messages(turn, cut)


class CutsLongResults(PassingSession):
    """Sends what fits into a buffer of 64 KB."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, each cut."""
        cut = [replace(each, result=json.dumps(each.result, ensure_ascii=False)[: 1 << 16]) for each in call_results]
        return super().result_messages(turn, cut)


class ComposesResults(PassingSession):
    """Sends results in another normal form of Unicode."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, their characters composed."""
        texts = [normalize("NFC", json.dumps(each.result, ensure_ascii=False)) for each in call_results]
        composed = [replace(each, result=json.loads(text)) for each, text in zip(call_results, texts, strict=True)]
        return super().result_messages(turn, composed)


class RoundsResults(PassingSession):
    """Reads JSON texts in results as doubles, and writes them anew."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, their whole numbers rounded."""
        rounded = [replace(each, result=_rounded(each.result)) for each in call_results]
        return super().result_messages(turn, rounded)


def _rounded(value: Any) -> Any:
    return json.loads(value, parse_int=lambda digits: int(float(digits))) if isinstance(value, str) else value


class EmptiesFailures(PassingSession):
    """Says nothing of a failure."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, empty where the tool failed."""
        emptied = [each if each.ok else replace(each, result="") for each in call_results]
        return super().result_messages(turn, emptied)


class AsksAgain(PassingSession):
    """Appends the question again after each round."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, and the question behind them."""
        question = next(entry for entry in self.history if is_of_the_user(entry))
        return [*super().result_messages(turn, call_results), deepcopy(question)]


class SwapsResults(PassingSession):
    """Sends each result of a turn under the id of another call: the ids and their order are right."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, the last one under the first call."""
        values = [each.result for each in reversed(call_results)]
        swapped = [replace(each, result=value) for each, value in zip(call_results, values, strict=True)]
        return super().result_messages(turn, swapped)


class KeepsItsTools(PassingSession):
    """Offers the tools that it began with, whatever its caller sets."""

    def set_params(self, **fields: Any) -> None:
        """Set the fields but for the tools."""
        super().set_params(**{name: value for name, value in fields.items() if name != "tools"})
