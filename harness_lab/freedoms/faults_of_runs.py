"""Faults of how calls are run, of how answers are read, of how a run ends, and of what is asked again."""

# ruff: noqa: ARG001 - a fault is given more than each needs

from __future__ import annotations

import html
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import httpx2
from typing_extensions import override

from harness.trace import Final
from harness_lab.freedoms.faults_kinds import (
    Faulty,
    alters_arguments,
    alters_results,
    changes_class,
    heard,
    ran,
    returned,
)
from harness_lab.freedoms.faults_pieces import Json
from harness_lab.freedoms.loop import Refused
from harness_lab.freedoms.speaker import Answer, Broken, Call, Output, as_arguments

Run = Callable[[Call], Awaitable[Output]]

_VALUE = r"history/result-value|reported/output|history/own-result|expect/results"
_ERROR = r"history/result-error|history/result-value|reported/ok"
_STOPPED = r"final/stopped-call"
_SSE = "openai-chat openai-responses anthropic-messages gemini-generate gemini-interactions"


# --- the results of tools ---------------------------------------------------------------------------------------


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _in_ascii(value: Any) -> Any:
    return json.loads(json.dumps(value, ensure_ascii=False).encode("ascii", "replace"))


@alters_results(_VALUE, "tool-returns results-are-not-mixed-up")
def cuts_results(value: Any) -> Any:
    """A result is cut after a few characters."""
    return _as_text(value)[:12]


@alters_results(_VALUE, "tool-returns results-are-not-mixed-up")
def sends_nothing_for_a_result(value: Any) -> Any:
    """A result goes back as an empty text."""
    return ""


@alters_results(_VALUE, "tool-returns results-are-not-mixed-up")
def says_done_for_a_result(value: Any) -> Any:
    """A result goes back as the word 'done'."""
    return "done"


@alters_results(_VALUE, "tool-returns")
def prints_results_as_python_does(value: Any) -> Any:
    """A result goes back with None, True and single quotes."""
    return str(value)


@alters_results(_VALUE, "tool-returns")
def drops_objects_of_results(value: Any) -> Any:
    """Members of a result that are objects go back as a mark."""
    return {name: "[object Object]" if isinstance(each, dict) else each for name, each in value.items()}


@alters_results(_VALUE, "system-prompt")
def rounds_numbers_of_results(value: Any) -> Any:
    """Numbers of a result lose what is behind the point."""
    return {name: int(each) if isinstance(each, float) else each for name, each in value.items()}


@alters_results(_VALUE, "tool-returns-any-json")
def loses_letters_of_results(value: Any) -> Any:
    """Letters beyond ASCII in a result become question marks."""
    return _in_ascii(value)


@alters_results(_VALUE, "tool-returns-any-json")
def escapes_results_for_html(value: Any) -> Any:
    """Quotes and angles in a result become entities of HTML."""
    return html.escape(value) if isinstance(value, str) else value


@alters_results(_VALUE, "system-prompt")
def writes_results_small(value: Any) -> Any:
    """A result goes back in small letters."""
    return json.loads(json.dumps(value, ensure_ascii=False).lower())


@alters_results(_VALUE, "tool-returns-any-json")
def sends_the_first_of_a_list(value: Any) -> Any:
    """Of a result that is a list the first item goes back."""
    return value[0] if isinstance(value, list) else value


@alters_results(_VALUE, "tool-returns-any-json")
def takes_false_for_nothing(value: Any) -> Any:
    """A result that is false or 0 goes back as an empty text: 'if result' was meant for None."""
    return value or ""


@changes_class("results-are-not-mixed-up", _VALUE + r"|order/tool-result-reported|final/open-call|history/results")
class CachesResultsByTool(Faulty):
    """A second call of a tool is not run: it gets the result of the first, whatever its arguments."""

    @override
    async def output(self, call: Call) -> Output:
        cache: dict[str, Output] = self.__dict__.setdefault("cache", {})
        if call.name in cache:
            self.did = True
            return Output(call, cache[call.name].value, cache[call.name].failed)
        cache[call.name] = await super().output(call)
        return cache[call.name]


@ran("tool-raises parallel-calls-one-raises", _ERROR)
async def says_ok_for_a_failure(loop: Faulty, call: Call, run: Run) -> Output:
    """A tool that failed goes back as 'ok'."""
    output = await run(call)
    return Output(call, "ok") if output.failed else output


@ran("tool-raises parallel-calls-one-raises", _ERROR)
async def says_nothing_of_a_failure(loop: Faulty, call: Call, run: Run) -> Output:
    """A tool that failed goes back as an empty text."""
    output = await run(call)
    return Output(call, "") if output.failed else output


@ran("tool-raises parallel-calls-one-raises", _ERROR)
async def says_null_for_a_failure(loop: Faulty, call: Call, run: Run) -> Output:
    """A tool that failed goes back as null."""
    output = await run(call)
    return Output(call, None) if output.failed else output


# --- running calls ----------------------------------------------------------------------------------------------


@ran("tool-returns", r"order/tool-(start-once|result-once|id)")
async def runs_a_tool_twice(loop: Faulty, call: Call, run: Run) -> Output:
    """A call has its effect twice."""
    await run(call)
    return await run(call)


@ran("tool-returns", r"execution/model-arguments|reported/input")
async def runs_a_tool_on_nothing(loop: Faulty, call: Call, run: Run) -> Output:
    """A tool is run without its arguments."""
    return await run(Call(call.id, call.name, "{}", call.native))


@alters_arguments("tool-returns system-prompt")
def writes_arguments_small(arguments: Json) -> Json:
    """A tool is run on its arguments in small letters."""
    return {name: each.lower() if isinstance(each, str) else each for name, each in arguments.items()}


@alters_arguments("parallel-calls")
def loses_letters_of_what_it_runs_on(arguments: Json) -> Json:
    """Letters beyond ASCII in arguments become question marks before the tool is run."""
    return dict(_in_ascii(arguments))


@alters_arguments("system-prompt")
def loses_the_last_argument(arguments: Json) -> Json:
    """A tool is run without the last of its arguments."""
    return dict(list(arguments.items())[:-1])


@alters_arguments("system-prompt")
def counts_from_one(arguments: Json) -> Json:
    """A tool is run on numbers that are one higher than the model wrote."""
    return {name: each + 1 if isinstance(each, int) else each for name, each in arguments.items()}


@changes_class(
    "results-are-not-mixed-up parallel-calls",
    r"execution/model-arguments|reported/input|order/tool-\S+|history/own-result",
    calls="one-by-one",
)
class RunsOnTheFirstArguments(Faulty):
    """Every call of a turn is run on the arguments of the first one of its tool."""

    @override
    async def output(self, call: Call) -> Output:
        first: dict[str, str] = self.__dict__.setdefault("first", {})
        written = first.setdefault(call.name, call.arguments)
        self.did = self.did or written != call.arguments
        return await super().output(Call(call.id, call.name, written, call.native))


@ran(
    "tool-returns parallel-calls", r"order/tool-result-reported|final/open-call|final/unfinished|history/\S+|expect/\S+"
)
async def makes_results_up(loop: Faulty, call: Call, run: Run) -> Output:
    """No tool is run; its result is made up."""
    return Output(call, {"status": "ok"})


@ran("unknown-tool", r"execution/\S+|order/tool-\S+|history/\S+|final/\S+|expect/\S+")
async def runs_another_tool_for_an_unknown_one(loop: Faulty, call: Call, run: Run) -> Output:
    """For a tool that there is not the first one is run."""
    name = call.name if call.name in loop.tools else next(iter(loop.tools))
    return await run(Call(call.id, name, call.arguments, call.native))


@ran(
    "arguments-cut-off",
    r"execution/arguments",
    _SSE.replace("gemini-generate ", "") + " bedrock-converse",
    bad_arguments="error",
)
async def runs_broken_arguments_as_none(loop: Faulty, call: Call, run: Run) -> Output:
    """A tool is run on nothing where its arguments are no JSON."""
    broken = as_arguments(call.arguments) is None
    return await run(Call(call.id, call.name, "{}" if broken else call.arguments, call.native))


@ran(
    "arguments-cut-off",
    r"execution/arguments",
    _SSE.replace("gemini-generate ", "") + " bedrock-converse",
    bad_arguments="error",
)
async def repairs_broken_arguments(loop: Faulty, call: Call, run: Run) -> Output:
    """Arguments that break off are completed by guesswork, and the tool is run on them."""
    text = call.arguments
    if as_arguments(text) is None and "," in text:
        text = text[: text.rindex(",")] + "}"
    return await run(Call(call.id, call.name, text, call.native))


@changes_class("tool-raises", r"final/(open-call|reported|unfinished)|expect/(outcome|turns|requests|events)|order/\S+")
class DiesOfAToolThatFails(Faulty):
    """A tool that fails ends the run."""

    @override
    async def output(self, call: Call) -> Output:
        output = await super().output(call)
        if output.failed:
            self.did = True
            raise RuntimeError(str(output.value))
        return output


@changes_class(
    "unknown-tool", r"final/(open-call|reported|unfinished)|expect/(outcome|turns|requests|events)|order/\S+"
)
class DiesOfAnUnknownTool(DiesOfAToolThatFails):
    """A tool that there is not ends the run."""


@changes_class("tool-returns results-are-not-mixed-up", r"final/(unfinished|text)")
class EndsAfterATool(Faulty):
    """The run ends with the results of the first calls, which the model never gets."""

    @override
    async def turns(self) -> str | None:
        answer = await self.ask()
        self.show(answer)
        if not answer.calls:
            return self.done(answer)
        self.did = True
        outputs = await self.outputs(answer.calls)
        return self.final("completed", str(outputs[0].value))


# --- answers ----------------------------------------------------------------------------------------------------


@heard("truncated-after-a-whole-call", _STOPPED)
def takes_a_cut_turn_for_whole(loop: Faulty, answer: Answer) -> Answer:
    """The calls of a turn that was cut at the token limit are run."""
    answer.ended = "whole" if answer.ended == "cut" else answer.ended
    return answer


@heard("content-filter-with-a-call", _STOPPED)
def takes_a_refused_turn_for_whole(loop: Faulty, answer: Answer) -> Answer:
    """The calls of a turn that a filter stopped are run."""
    answer.ended = "whole" if answer.ended == "refused" else answer.ended
    return answer


@heard("paused-turn", r"final/paused-turn", "anthropic-messages")
def takes_a_pause_for_the_end(loop: Faulty, answer: Answer) -> Answer:
    """A turn that goes on when it is sent back is taken for the last one."""
    answer.ended = "whole" if answer.ended == "paused" else answer.ended
    return answer


@heard("tool-returns", r"final/unfinished")
def does_not_see_calls(loop: Faulty, answer: Answer) -> Answer:
    """Calls are overlooked, and the text beside them is taken for the answer."""
    answer.calls = []
    return answer


@heard(
    "parallel-calls",
    r"history/(results|model-calls)|OAI-10|OAC-03|ANT-0[1-4]|GEM-06|BED-0[12]|INT-0\d|final/open-call",
)
def sees_the_first_call_only(loop: Faulty, answer: Answer) -> Answer:
    """Of several calls of a turn the first is run, and the others get no result."""
    answer.calls = answer.calls[:1]
    return answer


@changes_class("stream-without-its-end-after-a-call", r"final/failed-turn", delivery="as-asked")
class TakesABrokenStreamForWhole(Faulty):
    """The calls of a turn are run although its stream ended before it did."""

    @override
    async def streamed(self, response: httpx2.Response) -> Answer:
        events = [event async for event in self.pieces(response)]
        try:
            return self.speaker.read(self.speaker.joined(events))
        except Broken:
            self.did = True
            return self.speaker.read(self.speaker.joined([*events, *_end(self.speaker.wire, events)]))


def _end(wire: str, events: Sequence[Json]) -> list[Json]:
    """What would have ended the stream."""
    match wire:
        case "openai-chat":
            return [{"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}]
        case "anthropic-messages":
            return [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}]
        case "gemini-generate":
            return [{"candidates": [{"finishReason": "STOP"}]}]
        case "gemini-interactions":
            return [{"event_type": "interaction.completed", "interaction": {"status": "requires_action"}}]
        case "bedrock-converse":
            return [{"messageStop": {"stopReason": "tool_use"}}]
        case _:
            items = [event["item"] for event in events if event["type"] == "response.output_item.done"]
            return [{"type": "response.completed", "response": {"id": "", "status": "completed", "output": items}}]


@changes_class(
    "parallel-calls",
    r"history/(model-calls|model-text)|execution/\S+|stream/text",
    _SSE,
    chunking="byte",
    delivery="as-asked",
    json="utf-8",
)
class DecodesBytesAsTheyCome(Faulty):
    """A character that the network cuts becomes signs of an error."""

    @override
    async def pieces(self, response: httpx2.Response) -> AsyncIterator[Json]:
        self.did = True
        return_to = response.aiter_bytes

        async def decoded() -> AsyncIterator[bytes]:
            async for piece in return_to():
                yield piece.decode("utf-8", "replace").encode()

        response.aiter_bytes = decoded  # type: ignore[method-assign, assignment] # this response alone
        async for event in super().pieces(response):
            yield event


@changes_class(
    "answer-in-many-scripts",
    r"final/reported|final/text|stream/text|expect/\S+",
    _SSE,
    delivery="as-asked",
    broken="raises",
)
class EndsLinesAtAnySeparator(Faulty):
    """A line of a stream ends at U+2028, too, as many readers of lines have it."""

    @override
    async def pieces(self, response: httpx2.Response) -> AsyncIterator[Json]:
        self.did = True
        whole = b"".join([piece async for piece in response.aiter_bytes()])

        async def lines() -> AsyncIterator[bytes]:
            for line in whole.decode().splitlines():
                yield line.encode() + b"\n"

        response.aiter_bytes = lines  # type: ignore[method-assign, assignment] # this response alone
        async for event in super().pieces(response):
            yield event


@changes_class(
    "parallel-calls",
    r"history/model-calls|execution/arguments|OAC-\d+|history/results",
    "openai-chat",
    delivery="as-asked",
)
class IgnoresTheIndexOfCalls(Faulty):
    """All pieces of arguments are joined in the first call."""

    @override
    async def pieces(self, response: httpx2.Response) -> AsyncIterator[Json]:
        async for event in super().pieces(response):
            for choice in event.get("choices") or ():
                for part in (choice.get("delta") or {}).get("tool_calls") or ():
                    self.did = self.did or part["index"] > 0
                    part["index"] = 0
            yield event


@changes_class(
    "text-streamed-at-length",
    r"final/text|stream/text|history/model-text",
    _SSE.replace("openai-responses ", "") + " bedrock-converse",  # the last event of Responses has all of the text
    delivery="as-asked",
    returns="last-text",
)
class LosesTheBeginningOfAStream(Faulty):
    """The first piece of a text is lost."""

    @override
    async def pieces(self, response: httpx2.Response) -> AsyncIterator[Json]:
        lost = False
        async for event in super().pieces(response):
            if not lost and self.speaker.piece(event)[0] and "delta" in json.dumps(event):
                lost = self.did = True
                continue
            yield event


# --- ends -------------------------------------------------------------------------------------------------------


@returned("tool-returns answer", r"final/text", tells="nothing", returns="last-text")
def returns_an_empty_text(loop: Faulty, text: str) -> str:
    """The model's answer is lost."""
    return ""


@returned("tool-returns answer", r"final/text", tells="nothing", returns="last-text")
def returns_half_the_text(loop: Faulty, text: str) -> str:
    """The answer is cut in the middle."""
    return text[: len(text) // 2]


@returned("tool-returns answer", r"final/text", returns="last-text")
def returns_words_of_its_own(loop: Faulty, text: str) -> str:
    """The user gets other words than the model's."""
    return "Done."


@returned("tool-returns", r"final/text", returns="last-text")
def returns_the_first_text(loop: Faulty, text: str) -> str:
    """The user gets the text of the first turn in place of the last."""
    return loop.kept[0]


@returned("answer-in-many-scripts", r"final/text", returns="last-text")
def loses_letters_of_the_answer(loop: Faulty, text: str) -> str:
    """Letters beyond ASCII in the answer become question marks."""
    return text.encode("ascii", "replace").decode()


@heard("thinking-before-text", r"final/thinking", thinking="asked", reasoning="asked", returns="last-text")
def shows_thinking_as_the_answer(loop: Faulty, answer: Answer) -> Answer:
    """The user reads what the model thought as a part of its answer."""
    answer.text = answer.thinking + "\n\n" + answer.text if answer.thinking else answer.text
    return answer


@changes_class("calls-without-end", r"guardrail/no-limit")
class HasNoLimit(Faulty):
    """A model that calls tools for ever is asked for ever."""

    did = True

    @override
    def limit(self) -> int:
        return 1_000


@changes_class("turn-limit", r"guardrail/(turn-limit|limit-reported)")
class IgnoresTheTurnLimit(Faulty):
    """The limit of turns that the case sets is not kept."""

    did = True

    @override
    def limit(self) -> int:
        return 20


@changes_class("turn-limit", r"guardrail/(limit-reported|turn-limit)|final/(unfinished|outcome)")
class IsSilentAtItsLimit(Faulty):
    """At its limit a run returns nothing, as if it were done."""

    @override
    async def at_limit(self) -> str | None:
        self.did = True
        return self.final("completed", "")


@changes_class("tool-returns answer", r"order/(one-end|nothing-after-end)")
class EndsTwice(Faulty):
    """A run reports its end twice."""

    did = True

    @override
    def final(self, outcome: str, text: str | None) -> str | None:
        self.show_what_was_kept()
        self.case.emit(Final("", outcome, text))
        self.case.emit(Final("", outcome, text))
        return text


@changes_class("truncated-text", r"final/outcome|expect/outcome", stopped="shows", tells="ends")
class CallsHalfATextCompleted(Faulty):
    """A text that was cut at the token limit is reported as a whole one."""

    @override
    def stopped(self, answer: Answer) -> str | None:
        self.did = True
        return self.final("completed", answer.text)


@changes_class("refusal content-filter", r"final/outcome|expect/outcome", stopped="shows", tells="ends")
class CallsARefusalCompleted(CallsHalfATextCompleted):
    """A text that was refused is reported as an answer."""


# --- what is asked again ----------------------------------------------------------------------------------------


@changes_class("bad-request unauthorised", r"retry/refused")
class AsksAgainWhatWasRefused(Faulty):
    """A request that is wrong is sent again."""

    @override
    async def ask(self) -> Answer:
        for _ in range(2):
            try:
                return await super().ask()
            except Refused as refused:
                self.did = self.did or refused.status_code in (400, 401, 403, 404)
        return await super().ask()


@changes_class("retries-run-out", r"retry/request", retries="two")
class AsksAgainForEver(Faulty):
    """A request that fails is sent again without a bound, and without a pause."""

    @override
    async def ask(self) -> Answer:
        for _ in range(40):
            try:
                return await super().ask()
            except Refused:
                self.did = True
        return await super().ask()

    @override
    def pause(self, response: httpx2.Response, retry: int) -> float:
        return 0


@changes_class(
    "overloaded-between-turns unavailable-after-parallel-calls",
    r"order/tool-(start|result)-once|retry/\S+|history/\S+",
    retries="none",
)
class RunsToolsAgainWithARetry(Faulty):
    """Before a request is sent again, the tools of the turn are run again."""

    last: Answer | None = None

    @override
    async def ask(self) -> Answer:
        for _ in range(4):
            try:
                self.last = await super().ask()
            except Refused:
                for call in self.last.calls if self.last else ():
                    self.did = True
                    await self.output(call)
            else:
                return self.last
        return await super().ask()


@changes_class(
    "server-error-then-answer overloaded-then-answer",
    r"history/\S+|retry/\S+|caller/message-sent|offered/prompt",
    retries="none",
)
class AsksTheQuestionAgainWithARetry(Faulty):
    """A request that is sent again has the question of the user's twice."""

    @override
    async def ask(self) -> Answer:
        for _ in range(4):
            try:
                return await super().ask()
            except Refused:
                self.did = True
                self.history += [
                    entry for role, text in self.case.prompt if role == "user" for entry in self.opening(text)
                ]
        return await super().ask()


@changes_class("bad-request unauthorised", r"final/\S+|expect/(outcome|error|events|final)")
class TakesAnErrorForAnAnswer(Faulty):
    """An error of HTTP is returned to the user as an answer."""

    @override
    async def turns(self) -> str | None:
        try:
            return await super().turns()
        except Refused as refused:
            self.did = True
            return self.final("completed", str(refused))
