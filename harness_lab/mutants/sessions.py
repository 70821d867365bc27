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
from harness_lab.mutants.declared import breaks, seen_in
from harness_lab.mutants.edits import is_of_the_user
from harness_lab.mutants.needs import flags_failures


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


@breaks("session", "truncated-call-executed", "final/stopped-call")
@seen_in("truncated-after-a-whole-call")
class RunsTruncatedCalls(PassingSession):
    """Overlooks that the turn was cut off at its token limit."""

    def understood(self, turn: ProviderTurn) -> ProviderTurn:
        """Return a turn that was cut at the token limit as one that ended with calls."""
        return replace(turn, stop=FinishReason.TOOL_CALLS) if turn.stop is FinishReason.MAX_TOKENS else turn


@breaks("session", "refused-call-executed", "final/stopped-call")
@seen_in(
    *("refusal-with-a-call", "refusal-beside-a-call-at-a-later-turn", "content-filter-with-a-call-at-a-later-turn")
)
class RunsRefusedCalls(PassingSession):
    """Overlooks that the model, or a filter, declined."""

    def understood(self, turn: ProviderTurn) -> ProviderTurn:
        """Return a refused turn as one that ended with calls."""
        refused = turn.refusal or turn.stop in (FinishReason.REFUSAL, FinishReason.CONTENT_FILTER)
        return replace(turn, stop=FinishReason.TOOL_CALLS, refusal="") if refused else turn


@breaks("session", "pause-taken-for-an-end", "final/paused-turn")
@seen_in("paused-turn", "long-answer-goes-on", "long-answer-goes-on-not-streamed")
class TakesPausesForEnds(PassingSession):
    """Ends the run at a turn that is only paused."""

    def understood(self, turn: ProviderTurn) -> ProviderTurn:
        """Return a paused turn as one that has ended."""
        return replace(turn, stop=FinishReason.END) if turn.stop is FinishReason.PAUSE else turn


@breaks("session", "eof-accepted", "final/failed-turn")
@seen_in("stream-without-its-end", "error-in-the-stream", "stream-ends-before-a-step")
class AcceptsBrokenStreams(PassingSession):
    """Takes what has come for the whole turn when a stream ends without its terminal event, or in an error."""

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


@breaks("session", "call-overlooked", "final/unfinished")
@seen_in("tool-returns")
class TakesCallsForWords(PassingSession):
    """Ends the run at a turn that calls a tool."""

    def understood(self, turn: ProviderTurn) -> ProviderTurn:
        """Return the turn without its calls."""
        return replace(turn, tool_calls=(), stop=FinishReason.END)


@breaks("session", "refusal-retried", "retry/refused")
@seen_in("unauthorised", "model-retired-in-mid-run", "context-too-long-at-a-later-turn")
class TakesRefusalsForOverload(PassingSession):
    """Sends a request that was refused for what it says once more."""

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Raise every HTTP error as a 503, which is sent again."""
        try:
            return await self._inner.stream_turn(on_event)
        except HttpFailed as failure:
            raise HttpFailed(str(failure), 503) from failure


@breaks("session", "thinking-hidden", "stream/thinking")
@seen_in("create-then-edit")
class HidesThinking(PassingSession):
    """Does not report the model's thinking."""

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Emit no thinking."""

        async def hear(delta: Delta) -> None:
            if not isinstance(delta, ThinkingDelta):
                await on_event(delta)

        return await self._inner.stream_turn(hear)


@breaks("session", "half-characters", "preview/half-character")
@seen_in("answer-in-many-scripts")
class CutsCharacters(PassingSession):
    """Emits text in pieces that end inside a character."""

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


@breaks("session", "result-dropped", "continuation/", "history/results")
@seen_in("parallel-calls")
class DropsTheLastResult(PassingSession):
    """Forgets the answer to the last call of a turn."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results without the last one."""
        return self._inner.result_messages(turn, call_results[:-1])


@breaks("session", "paused-turn-left-out", "history/model-text", "history/model-thinking", "history/append-only")
@seen_in(
    "paused-after-a-call-was-answered",
    "paused-twice-with-thinking-before-a-call",
    "paused-turn",
    "long-answer-goes-on",
    "long-answer-goes-on-not-streamed",
)
class DropsPausedTurns(PassingSession):
    """Asks again without the turn that was paused."""

    def turn_messages(self, turn: ProviderTurn) -> list[Any]:
        """Return nothing for a paused turn."""
        return [] if turn.stop is FinishReason.PAUSE else super().turn_messages(turn)


@breaks("session", "failures-first", "history/own-result")
@seen_in("bad-call-beside-good-ones", "arguments-cut-off-beside-good-calls")
class SendsFailuresFirst(PassingSession):
    """Collects the results of calls that failed before all others, and pairs them with the calls by place."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results with failures first, under the ids of the original order."""
        sorted_ = sorted(call_results, key=lambda done: done.ok)
        paired = [replace(done, call=own.call) for done, own in zip(sorted_, call_results, strict=True)]
        return super().result_messages(turn, paired)


@breaks("session", "results-reordered", "history/result-order")
@seen_in("results-as-they-come")
class ReversesResults(PassingSession):
    """Sends the results of a turn in another order than that of the calls."""

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


@breaks("session", "failures-unmarked", "history/result-error", needs=flags_failures)
@seen_in("tool-raises", "unapproved-call-denied")
class MarksNoFailure(PassingSession):
    """Sends the result of a call that failed as that of one that did not."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return failed results as if they had succeeded, with their error text."""
        return self._inner.result_messages(turn, [replace(each, ok=True) for each in call_results])


@breaks("session", "failures-hidden", "history/result-error")
@seen_in("tool-raises")
class HidesFailures(PassingSession):
    """Sends the model a failed call as ok."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return ``ok`` in the place of every failed result."""
        hidden = [each if each.ok else replace(each, ok=True, result="ok") for each in call_results]
        return self._inner.result_messages(turn, hidden)


@breaks("session", "extra-before-results", "history/results-first", "continuation/")
@seen_in("extra-after-the-results")
class ExtraBeforeResults(PassingSession):
    """Sends what tools said beside their results in front of the results."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the extra texts in front of the results."""
        extras = [self.message("user", each.extra) for each in call_results if each.extra]
        return extras + self._inner.result_messages(turn, [replace(each, extra="") for each in call_results])


@breaks("session", "nudge-missing", "guardrail/answer-now")
@seen_in("answer-after-ten-turns")
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


# unseen_on: whose text may yet become a call
@breaks("session", "text-held-back", "timing/text", unseen_on="text-tags", streams=True)
@seen_in("text-streamed-at-length")
class BuffersText(_Buffers):
    """Emits all text when the turn has ended."""

    kind = AssistantDelta


@breaks("session", "thinking-held-back", "timing/thinking", unseen_on="openai-chat text-tags", streams=True)
@seen_in("text-streamed-at-length")
class BuffersThinking(_Buffers):
    """Emits all thinking when the turn has ended."""

    kind = ThinkingDelta


@breaks(
    "session",
    "preview-at-the-end",
    "timing/preview",
    "timing/start",
    unseen_on="gemini-generate text-tags",
    streams=True,
)
@seen_in("long-page", "create-then-edit", "option-then-page", "two-pages-in-one-turn")
class BuffersArguments(_Buffers):
    """Emits the start and the previews of a call when all of it has arrived."""

    kind = ToolCallDelta


# --- results in another form ---------------------------------------------------------------------------------


# unseen_on: which has a form of its own for results
@breaks("session", "results-printed", "history/result-value", unseen_on="text-tags")
@seen_in("create-then-edit", "tool-returns", "tool-returns-any-json")
class PrintsResults(PassingSession):
    """Sends results as Python prints them."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, each as the text that ``repr`` gives of it."""
        return super().result_messages(turn, [replace(each, result=repr(each.result)) for each in call_results])


@breaks("session", "results-cut", "history/result-value")
@seen_in("tool-returns", "system-prompt", "create-then-edit")
class CutsResults(PassingSession):
    """Sends the beginning of each result."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, each cut."""
        cut = [replace(each, result=json.dumps(each.result, ensure_ascii=False)[:16]) for each in call_results]
        return super().result_messages(turn, cut)


@breaks("session", "results-cut-at-64-kb", "history/result-value")
@seen_in("result-of-seventy-thousand-characters")
class CutsLongResults(PassingSession):
    """Sends the first 65,536 characters of each result."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, each cut."""
        cut = [replace(each, result=json.dumps(each.result, ensure_ascii=False)[: 1 << 16]) for each in call_results]
        return super().result_messages(turn, cut)


@breaks("session", "results-composed", "history/result-value")
@seen_in("combining-marks")
class ComposesResults(PassingSession):
    """Sends results in the normal form of Unicode that composes characters."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, their characters composed."""
        texts = [normalize("NFC", json.dumps(each.result, ensure_ascii=False)) for each in call_results]
        composed = [replace(each, result=json.loads(text)) for each, text in zip(call_results, texts, strict=True)]
        return super().result_messages(turn, composed)


@breaks("session", "results-rounded", "history/result-value")
@seen_in("integer-of-nineteen-digits")
class RoundsResults(PassingSession):
    """Reads results with a parser that knows only doubles, and writes them anew."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, their whole numbers rounded."""
        rounded = [replace(each, result=_rounded(each.result)) for each in call_results]
        return super().result_messages(turn, rounded)


def _rounded(value: Any) -> Any:
    return json.loads(value, parse_int=lambda digits: int(float(digits))) if isinstance(value, str) else value


# unseen_on: where the loop says in a form of its own that it is a failure
@breaks(
    "session",
    "failures-emptied",
    "history/result-error",
    unseen_on="gemini-generate text-tags",
    needs=lambda name: not flags_failures(name),
)
@seen_in("tool-raises")
class EmptiesFailures(PassingSession):
    """Sends an empty text in the place of a failure."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, empty where the tool failed."""
        emptied = [each if each.ok else replace(each, result="") for each in call_results]
        return super().result_messages(turn, emptied)


# unseen_on: where results are the user's words
@breaks("session", "question-asked-again", "history/question-once", unseen_on="text-tags")
@seen_in("tool-returns", "thinking-in-every-turn")
class AsksAgain(PassingSession):
    """Appends the question again behind the results of each round."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, and the question behind them."""
        question = next(entry for entry in self.history if is_of_the_user(entry))
        return [*super().result_messages(turn, call_results), deepcopy(question)]


@breaks("session", "results-swapped", "expect/results")
@seen_in("results-are-not-mixed-up", "fresh-results-as-they-come")
class SwapsResults(PassingSession):
    """Sends the results of a turn under the ids of each other's calls."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results, the last one under the first call."""
        values = [each.result for each in reversed(call_results)]
        swapped = [replace(each, result=value) for each, value in zip(call_results, values, strict=True)]
        return super().result_messages(turn, swapped)


@breaks("session", "tools-of-the-caller-ignored", "expect/offered")
@seen_in("tools-withdrawn-on-chat")
class KeepsItsTools(PassingSession):
    """Goes on offering its tools when the caller has set others."""

    def set_params(self, **fields: Any) -> None:
        """Set the fields but for the tools."""
        super().set_params(**{name: value for name, value in fields.items() if name != "tools"})
