"""Loops that are wrong in ways that were not seen once, and right ones beside them. They import nothing of the harness.

Each is the loop of ``blamed_loops`` on its wire with one method of its own.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any
from unicodedata import normalize

from tests.first_contact.blamed_loops import LOOPS, Json, Loop, Turn, _of, drops_thinking

Call = tuple[str, str, str]


def _as(of_a_kind: type[Loop]) -> Callable[[Any], Awaitable[str]]:
    """The loops of all wires with the methods of a kind."""
    loops = {
        wire: type(f"{of_a_kind.__name__}Of{loop.__name__}", (of_a_kind, loop), {}) for wire, loop in LOOPS.items()
    }
    return _of(None, loops)


# --- the question ---------------------------------------------------------------------------------------------


class AsksAgain(Loop):
    """A bug: the helper that asks also appends the prompt."""

    async def go_on(self, turn: Turn) -> None:
        await super().go_on(turn)
        self.history += [self.said(text) for role, text in self.case.prompt if role == "user"]


class Reminds(Loop):
    """Right: the same reminder behind the results of each round, and in it what the task was."""

    async def go_on(self, turn: Turn) -> None:
        await super().go_on(turn)
        (task,) = [text for role, text in self.case.prompt if role == "user"]
        self.history += [self.said("Use the tools until you know."), self.said(f"Your task was: {task}")]


class SqueezesThePrompt(Loop):
    """A bug: what the user says is a line."""

    def said(self, text: str) -> Json:
        return super().said(" ".join(text.split()))


class StripsThePrompt(Loop):
    """Right: at its ends a prompt may be stripped."""

    def said(self, text: str) -> Json:
        return super().said(text.strip())


# --- failures -------------------------------------------------------------------------------------------------


class SaysNothingOfFailures(Loop):
    """A bug: what a tool raises is swallowed."""

    async def output(self, call: Call) -> Any:
        output = await super().output(call)
        return "" if isinstance(output, dict) and "error" in output else output


class SaysOneWordOfFailures(Loop):
    """Right, if terse."""

    async def output(self, call: Call) -> Any:
        output = await super().output(call)
        return {"error": ""} if isinstance(output, dict) and "error" in output else output


# --- numbers --------------------------------------------------------------------------------------------------


def _as_javascript(text: str) -> Any:
    return json.loads(text, parse_int=lambda digits: int(float(digits)))


class RoundsArguments(Loop):
    """A bug: ids are read as doubles."""

    async def output(self, call: Call) -> Any:
        id, name, arguments = call
        return await super().output((id, name, json.dumps(_as_javascript(arguments or "{}"))))


class RoundsResults(Loop):
    """A bug: results that are JSON texts are read as doubles and written anew."""

    async def output(self, call: Call) -> Any:
        output = await super().output(call)
        return _as_javascript(output) if isinstance(output, str) else output


class ReadsResults(Loop):
    """Right: results that are JSON texts are sent as the objects that they are."""

    async def output(self, call: Call) -> Any:
        output = await super().output(call)
        return json.loads(output) if isinstance(output, str) else output


# --- results --------------------------------------------------------------------------------------------------


class ComposesResults(Loop):
    """A bug: results are normalised."""

    async def output(self, call: Call) -> Any:
        return json.loads(normalize("NFC", json.dumps(await super().output(call), ensure_ascii=False)))


class CutsResults(Loop):
    """A bug: what does not fit into 64 KB is lost."""

    async def output(self, call: Call) -> Any:
        return json.dumps(await super().output(call))[: 1 << 16]


class CutsResultsAndSaysSo(Loop):
    """Right: the model knows that there is more."""

    async def output(self, call: Call) -> Any:
        text = json.dumps(await super().output(call))
        return (
            f"{text[:2000]}\n[truncated: {len(text) - 4000} characters]\n{text[-2000:]}" if len(text) > 4000 else text
        )


class RunsEqualCallsOnce(Loop):
    """A bug: a call that equals an earlier one gets that one's result."""

    def __init__(self, *given: Any, **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.known: dict[tuple[str, str], Any] = {}

    async def output(self, call: Call) -> Any:
        if call[1:] not in self.known:
            self.known[call[1:]] = await super().output(call)
        return self.known[call[1:]]


class LeavesEqualCallsOut(RunsEqualCallsOnce):
    """Right: the result says that the call was not run."""

    async def output(self, call: Call) -> Any:
        known = call[1:] in self.known
        return {"skipped": "the same call was made before"} if known else await super().output(call)


# --- thinking -------------------------------------------------------------------------------------------------


_THINKING: Json = {"thinking": {"type": "enabled", "budget_tokens": 2000}}


class ThinksOnce(Loop):
    """A bug: thinking is asked for in the first request only."""

    def body(self) -> Json:
        return {**super().body(), **(_THINKING if len(self.history) == 1 else {})}


class ThinksAlways(Loop):
    """Right."""

    def body(self) -> Json:
        return {**super().body(), **_THINKING}


class ThinksFirst(ThinksAlways):
    """A bug: a turn is kept as its thinking and its calls."""

    async def go_on(self, turn: Turn) -> None:
        for entry in turn.entries:
            entry["content"].sort(key=lambda block: block["type"] != "thinking")
        await super().go_on(turn)


class ThinksUntilItIsForced(Loop):
    """Right: Anthropic refuses thinking beside a call that is forced."""

    def body(self) -> Json:
        forced: Json = {"tool_choice": {"type": "any"}, "thinking": {"type": "disabled"}}
        return {**super().body(), **(_THINKING if len(self.history) == 1 else forced)}


# --- tokens ---------------------------------------------------------------------------------------------------


class CountsCachedTokensTwice(Loop):
    """A bug: cached tokens are added to those of the input, which has them, and the history is cut for it."""

    def read(self, document: Json) -> tuple[Turn, str, bool]:
        used = document["usage"]
        if used["prompt_tokens"] + used["prompt_tokens_details"]["cached_tokens"] > 100_000 and len(self.history) > 1:
            self.history = self.history[:1]
        return super().read(document)


# --- what the user reads --------------------------------------------------------------------------------------


async def says_all_twice(case: Any) -> str:
    """A bug: the user gets the answer as it came, and then once more."""
    answer = await _of(None)(case)
    return f"{answer}\n{answer}"


asks_again = _as(AsksAgain)
reminds = _as(Reminds)
squeezes_the_prompt = _as(SqueezesThePrompt)
strips_the_prompt = _as(StripsThePrompt)
says_nothing_of_failures = _as(SaysNothingOfFailures)
says_one_word_of_failures = _as(SaysOneWordOfFailures)
rounds_arguments = _as(RoundsArguments)
rounds_results = _as(RoundsResults)
reads_results = _as(ReadsResults)
composes_results = _as(ComposesResults)
cuts_results = _as(CutsResults)
cuts_results_and_says_so = _as(CutsResultsAndSaysSo)
runs_equal_calls_once = _as(RunsEqualCallsOnce)
leaves_equal_calls_out = _as(LeavesEqualCallsOut)
thinks_first = _as(ThinksFirst)
thinks_once = _as(ThinksOnce)
thinks_always = _as(ThinksAlways)
thinks_until_it_is_forced = _as(ThinksUntilItIsForced)
counts_cached_tokens_twice = _as(CountsCachedTokensTwice)
plain = _of(None)
thoughtless = _of(drops_thinking)
