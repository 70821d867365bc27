"""Loops with one habit that no style of ``harness_lab.freedoms`` has, right ones and wrong ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import httpx2
from typing_extensions import override

from harness.trace import Assistant
from harness_lab.freedoms.faults_kinds import Faulty
from harness_lab.freedoms.faults_pieces import Kind, changed, entries_of, inner, kind, with_entries
from harness_lab.freedoms.loop import Loop, Stopped
from harness_lab.freedoms.speaker import Answer, Call, Json, Output

THINKING: Json = {"thinking": {"type": "enabled", "budget_tokens": 2000}}


def _read_as_javascript(text: str) -> Any:
    return json.loads(text, parse_int=lambda digits: int(float(digits)))


# --- right --------------------------------------------------------------------------------------------------------


class SendsClientMetadata(Faulty):
    """Codex says in a member of its own whose session it is."""

    @override
    def sent(self, body: Json) -> Json:
        return {**body, "client_metadata": {"session_id": "s-1", "turn_id": "t-1"}}


class SendsWhatClaudeCodeDoes(Faulty):
    """Thinking, a user, and edits of the context."""

    @override
    def sent(self, body: Json) -> Json:
        return {**body, **THINKING, "metadata": {"user_id": "u"}, "context_management": {"edits": []}}


class SaysTextFirst(Faulty):
    """A turn is kept as its text and its calls, as Chat has it."""

    last = False

    @override
    def sent(self, body: Json) -> Json:
        entries = entries_of(body)
        if "input" in body:
            return with_entries(body, _by_calls(entries, self.last))
        for entry in entries:
            if entry["role"] in ("assistant", "model"):
                member = "parts" if "parts" in entry else "content"
                entry[member] = _by_calls(entry[member], self.last)
        return body


def _by_calls(pieces: list[Json], last: bool) -> list[Json]:
    """Each run of texts and calls with its texts first, or last."""
    run: list[Json] = []
    sorted_pieces: list[Json] = []
    for piece in [*pieces, {}]:
        if kind(piece) in ("text", "call"):
            run.append(piece)
            continue
        sorted_pieces += [*sorted(run, key=lambda each: (kind(each) == "call") is not last), piece]
        run = []
    return sorted_pieces[:-1]


class SendsOneIdOnce(Loop):
    """Of several calls with one id the first goes back, with the first result."""

    @override
    def has_ids(self, calls: Sequence[Call]) -> bool:
        return True

    @override
    def keep(self, answer: Answer, outputs: Sequence[Output]) -> None:
        first = {output.call.id: output for output in reversed(outputs)}
        kept = [output for output in outputs if first[output.call.id] is output]
        number = iter(range(len(outputs)))
        places = [at for at, output in enumerate(outputs) if first[output.call.id] is output]

        def once(what: Kind, piece: Json) -> Json | None:
            return piece if what != "call" or next(number) in places else None

        if len(kept) < len(outputs):
            answer.entries = changed(answer.entries, once)
        super().keep(answer, kept)


class Reminds(Loop):
    """The same reminder goes behind the results of each round, and in it what the task was."""

    @override
    def keep(self, answer: Answer, outputs: Sequence[Output]) -> None:
        super().keep(answer, outputs)
        (task,) = [text for role, text in self.case.prompt if role == "user"]
        self.history += [
            *self.speaker.user("Use the tools until you know."),
            *self.speaker.user(f"Your task was: {task}"),
        ]


class StripsThePrompt(Loop):
    """At its ends a prompt may be stripped."""

    @override
    def opening(self, text: str) -> list[Json]:
        return super().opening(text.strip())


class SaysOneWordOfFailures(Loop):
    """Right, if terse."""

    @override
    async def outcome(self, call: Call) -> Output:
        output = await super().outcome(call)
        return Output(call, {"error": ""}) if output.failed else output


class ReadsResults(Loop):
    """Results that are JSON texts are sent as the objects that they are."""

    @override
    async def outcome(self, call: Call) -> Output:
        output = await super().outcome(call)
        return replace(output, value=json.loads(output.value) if isinstance(output.value, str) else output.value)


class CutsResultsAndSaysSo(Loop):
    """The model knows that there is more."""

    @override
    async def outcome(self, call: Call) -> Output:
        text = json.dumps((await super().outcome(call)).value)
        cut = f"{text[:2000]}\n[truncated: {len(text) - 4000} characters]\n{text[-2000:]}"
        return Output(call, cut if len(text) > 4000 else text)


class LeavesEqualCallsOut(Loop):
    """The result of a call that equals an earlier one says that it was not run."""

    @override
    async def outcome(self, call: Call) -> Output:
        known: set[tuple[str, str]] = self.__dict__.setdefault("known", set())
        if (call.name, call.arguments) in known:
            return Output(call, {"skipped": "the same call was made before"})
        known.add((call.name, call.arguments))
        return await super().outcome(call)


class ThinksUntilItIsForced(Faulty):
    """Anthropic refuses thinking beside a call that is forced."""

    @override
    def sent(self, body: Json) -> Json:
        forced: Json = {"tool_choice": {"type": "any"}, "thinking": {"type": "disabled"}}
        return {**body, **(THINKING if len(body["messages"]) == 1 else forced)}


class RaisesInItsText(Loop):
    """The user has half of a text when the loop raises because it was cut off."""

    @override
    def show(self, answer: Answer) -> None:
        if answer.ended != "whole":
            self.case.emit(Assistant(answer.text[: len(answer.text) // 2], self.id()))
            raise Stopped("the answer was cut off")


# --- wrong --------------------------------------------------------------------------------------------------------


class DropsReasoningContent(Faulty):
    """A turn goes back without what the model has thought."""

    @override
    def sent(self, body: Json) -> Json:
        for message in body["messages"]:
            message.pop("reasoning_content", None)
        return body


class DropsReasoningContentForGpt(DropsReasoningContent):
    """Right: only some models want it back, and this is none of them."""

    @override
    def sent(self, body: Json) -> Json:
        return {**super().sent(body), "model": "gpt-4.1"}


class SaysTextLast(SaysTextFirst):
    """A turn is kept as its calls and its text."""

    last = True


class AnswersARepeatedIdWithNothing(SendsOneIdOnce):
    """Of several calls with one id the first goes back, without a result."""

    @override
    def keep(self, answer: Answer, outputs: Sequence[Output]) -> None:
        before = len(self.history)
        super().keep(answer, outputs)
        self.history[before:] = answer.entries


class LeavesIdsOutOfCalls(Faulty):
    """Results name calls by ids that do not go back."""

    @override
    def sent(self, body: Json) -> Json:
        def nameless(what: Kind, piece: Json) -> Json:
            if what == "call":
                inner(piece).pop("id", None)
            return piece

        return with_entries(body, changed(entries_of(body), nameless))


class LeavesTurnsOut(Loop):
    """Neither the model's turn nor its results go back."""

    @override
    def keep(self, answer: Answer, outputs: Sequence[Output]) -> None:
        pass


class RoundsArguments(Loop):
    """Ids are read as doubles."""

    @override
    async def outcome(self, call: Call) -> Output:
        rounded = replace(call, arguments=json.dumps(_read_as_javascript(call.arguments or "{}")))
        return replace(await super().outcome(rounded), call=call)


class RoundsResults(Loop):
    """Results that are JSON texts are read as doubles and written anew."""

    @override
    async def outcome(self, call: Call) -> Output:
        output = await super().outcome(call)
        read = _read_as_javascript(output.value) if isinstance(output.value, str) else output.value
        return replace(output, value=read)


class RunsEqualCallsOnce(Loop):
    """A call that equals an earlier one gets the result of that one."""

    @override
    async def outcome(self, call: Call) -> Output:
        known: dict[tuple[str, str], Output] = self.__dict__.setdefault("known", {})
        if (call.name, call.arguments) not in known:
            known[call.name, call.arguments] = await super().outcome(call)
        return replace(known[call.name, call.arguments], call=call)


class CountsCachedTokensTwice(Loop):
    """Cached tokens are added to those of the input, which has them, and the history is cut for it."""

    @override
    async def whole(self, response: httpx2.Response) -> Answer:
        used = json.loads(await response.aread())["usage"]
        if used["prompt_tokens"] + used["prompt_tokens_details"]["cached_tokens"] > 100_000:
            del self.history[1:]
        return await super().whole(response)


class LosesAText(Loop):
    """Of the texts that are shown at the end the first is missing."""

    @override
    def show_what_was_kept(self) -> None:
        del self.kept_back[:1]
        super().show_what_was_kept()


class SaysAllTwice(Loop):
    """The user gets the answer as it came, and then once more."""

    @override
    def done(self, answer: Answer) -> str | None:
        return self.final("completed", f"{answer.text}\n{answer.text}")
