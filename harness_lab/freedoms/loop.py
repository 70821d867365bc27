"""A right loop, on any wire and in any style: it asks, runs the calls, sends the results, until the model is done.

Its requests are plain HTTP. Where two right loops differ it asks its style; what is the same in all of them is here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import httpx2

from harness.targets import CaseRun
from harness.trace import Assistant, Failure, Final, Thinking, ToolResult, ToolStart, TurnStart
from harness_lab.freedoms.speaker import Answer, Broken, Call, Json, Output, Speaker, Tool, as_arguments
from harness_lab.freedoms.style import Style

_WORTH_ANOTHER = (408, 409, 429)
_RETRIES = {"two": 2, "none": 0, "six": 6, "ten": 10}


class Stopped(Exception):
    """The run cannot go on, and says so to its user."""


class Refused(Exception):
    """An HTTP error that the loop does not, or no longer, answer by asking again. ``status_code`` is what it says."""

    def __init__(self, response: httpx2.Response) -> None:
        super().__init__(f"HTTP {response.status_code}: {response.text}")
        self.status_code = response.status_code


class Loop:
    """One run of one case."""

    def __init__(self, case: CaseRun, client: httpx2.AsyncClient, speaker: Speaker, style: Style) -> None:
        self.case, self.client, self.speaker, self.style = case, client, speaker, style
        self.tools = {tool.name: tool for tool in case.callables}
        self.history: list[Json] = []
        self.turn = 0
        self.kept_back: list[tuple[str, str]] = []
        self.kept: list[str] = []
        self.ids: set[str] = set()
        self.shown: set[str] = set()
        self.made = 0
        self.asked = 0

    async def run(self) -> str | None:
        """Returns the answer to the user, if the style is to return one. Raises what ends the run."""
        self.history = [entry for role, text in self.case.prompt if role == "user" for entry in self.opening(text)]
        if self.speaker.models and self.style.takes("models", "listed"):
            await self.sent_beside(
                self.client.build_request("GET", self.speaker.models, headers=self.speaker.headers())
            )
        if self.style.takes("side", "before", "around"):
            await self.aside("Write a title of five words for this conversation.")
        try:
            text = await self.turns()
        finally:
            self.show_what_was_kept()
        if self.style.takes("side", "after", "around"):
            await self.aside("Write a title of five words for what was said.")
        return text

    def opening(self, text: str) -> list[Json]:
        """The first entries of the history."""
        if self.style.takes("context", "behind"):
            text = f"{text}\n\n<environment>\nThe user is in Oslo.\n</environment>"
        return self.speaker.user(text)

    async def turns(self) -> str | None:
        """Turn by turn until the model is done, or the limit is reached."""
        cut = 0
        for _ in range(self.limit()):
            self.turn += 1
            if self.style.takes("tells", "everything"):
                self.emit(TurnStart(self.turn))
            answer = await self.ask()
            self.show(answer)
            if answer.ended in ("cut", "refused") and not (answer.calls and answer.ended == "cut" and cut < 2):
                return self.stopped(answer)
            if answer.ended == "cut":
                cut += 1
                if not self.after_cut(answer):
                    return self.stopped(answer)
                continue
            if answer.ended == "paused":
                self.keep(answer, [])
                continue
            if not answer.calls:
                return self.done(answer)
            if not self.has_ids(answer.calls):
                raise Stopped("a call has no id of its own")
            await self.go_on(answer)
        return await self.at_limit()

    def limit(self) -> int:
        """How many turns the loop makes at most."""
        own = 12 if self.style.takes("limit-turns", "twelve") else 25
        return self.case.turn_limit or own

    # --- how a run ends -----------------------------------------------------------------------------------------

    def done(self, answer: Answer) -> str | None:
        """End a run whose model has nothing more to do; the text that it returns."""
        if self.style.takes("returns", "nothing"):
            return self.final("completed", None)
        whole = "".join(self.kept) if self.style.takes("returns", "all-texts") else answer.text
        if not whole and self.style.takes("no-answer", "own-words"):
            whole = "(The model has said nothing.)"
        return self.final("completed", whole)

    def final(self, outcome: str, text: str | None) -> str | None:
        """Report the end, if the style does, and return the text."""
        if self.style.takes("tells", "everything", "ends"):
            self.show_what_was_kept()
            self.case.emit(Final("", outcome, text))
        return text

    def stopped(self, answer: Answer) -> str | None:
        """A turn that was cut, or refused: nothing of it runs."""
        outcome = "truncated" if answer.ended == "cut" else "refused"
        match self.style["stopped"]:
            case "raises":
                raise Stopped(f"the answer is {outcome}")
            case "shows":
                return self.final(outcome, answer.text)
            case _:
                return self.final(outcome, f"{answer.text}\n[The answer is {outcome}.]")

    def after_cut(self, answer: Answer) -> bool:
        """What becomes of calls at the token limit. Returns whether the run goes on; none of them runs."""
        how = self.style["cut-call"]
        if how == "answers" and self.has_ids(answer.calls):
            outputs = [Output(call, "the answer was cut off; call again", failed=True) for call in answer.calls]
            answer.entries = self.speaker.cut_off(answer)
            self.keep(answer, outputs)
        return how in ("answers", "asks-again")

    async def at_limit(self) -> str | None:
        """The limit of turns is reached."""
        words = f"Stopped: {self.turn} turns, and no answer."
        match self.style["at-limit"]:
            case "raises":
                raise Stopped(words)
            case "reports":
                self.case.emit(Failure("turn-limit", words))
                return None
            case "own-words":
                self.show_what_was_kept()
                self.case.emit(Final("", "turn-limit", words))
                return None
            case "own-words-completed":
                return self.final("completed", words)
            case _:
                self.case.emit(Final("", "turn-limit", None))
                return None

    # --- requests -----------------------------------------------------------------------------------------------

    def streams(self) -> bool:
        """Whether the next request asks for a stream."""
        match self.style["delivery"]:
            case "as-asked":
                return self.case.stream
            case how:
                return how == "streamed"

    async def ask(self) -> Answer:
        """The next turn. A stream that breaks is asked again, or fails the run."""
        more = 0
        while True:
            try:
                return await self.attempted()
            except (Broken, httpx2.TransportError):
                more += 1
                if not self.style.takes("broken", "asks-again") or more > 2:
                    raise
                self.case.note_passed(0.5 * 2**more)

    async def attempted(self) -> Answer:
        """Ask once, and again where the style asks again after an error."""
        stream = self.streams()
        body = self.speaker.body(self.history, stream=stream)
        self.asked += 1
        if (counting := self.speaker.counting(body)) and self.style.takes("counting", "before-each"):
            await self.sent_beside(self.request(*counting, 0))
        for retry in range(_RETRIES[self.style["retries"]] + 1):
            request = self.request(self.speaker.path(stream=stream), body, retry)
            response = await self.client.send(request, stream=True)
            try:
                if response.status_code < 400:
                    return await (self.streamed(response) if stream else self.whole(response))
                await response.aread()
            finally:
                await response.aclose()
            if response.status_code < 500 and response.status_code not in _WORTH_ANOTHER:
                break
            self.case.note_passed(self.pause(response, retry))
        raise Refused(response)

    def request(self, path: str, body: Json, retry: int) -> httpx2.Request:
        """The request with the headers of the style."""
        headers = {"content-type": "application/json", **self.speaker.headers()}
        if self.style.takes("idempotency", "key"):
            headers["idempotency-key"] = f"key-{self.asked}"
        if self.style.takes("retry-count", "said"):
            headers["x-stainless-retry-count"] = str(retry)
        if self.style.takes("user-agent", "own"):
            headers["user-agent"] = "generated-loop/1.0"
        plain = self.style.takes("json", "ascii")
        text = json.dumps(body, ensure_ascii=plain, separators=None if plain else (",", ":"))
        return self.client.build_request("POST", path, content=text.encode(), headers=headers)

    def pause(self, response: httpx2.Response, retry: int) -> float:
        """How long to wait before the next attempt: as long as is asked for, and longer each time."""
        grown: float = min(0.5 * 2**retry, 60)
        try:
            wanted = float(response.headers.get("retry-after", ""))
        except ValueError:
            wanted = 0
        return max(grown, wanted) if self.style.takes("wait", "at-least-growing") else wanted if wanted > 0 else grown

    async def whole(self, response: httpx2.Response) -> Answer:
        """The answer in a document."""
        await response.aread()
        try:
            document = response.json()
        except ValueError as error:
            raise Broken("the answer is no JSON") from error
        return self.speaker.read(document)

    async def streamed(self, response: httpx2.Response) -> Answer:
        """The answer in a stream."""
        events: list[Json] = []
        async for event in self.pieces(response):
            events.append(event)
        return self.speaker.read(self.speaker.joined(events))

    async def pieces(self, response: httpx2.Response) -> AsyncIterator[Json]:
        """The events of a stream; what they say reaches the user as it comes, if the style is so."""
        half = ""
        async for event in self.speaker.events(response):
            text, thinking = self.speaker.piece(event)
            if self.style.takes("tells", "pieces", "everything"):
                text, half = half + text, ""
                if text and 0xD800 <= ord(text[-1]) < 0xDC00:
                    text, half = text[:-1], text[-1]
                if thinking:
                    self.say_thought(thinking)
                if text:
                    self.case.emit(Assistant(text.encode("utf-16", "surrogatepass").decode("utf-16"), self.id()))
            yield event

    async def aside(self, text: str) -> None:
        """A small request beside the conversation. That it fails is no reason to fail."""
        path = self.speaker.path(stream=False)
        await self.sent_beside(self.request(path, self.speaker.side(text), 0))

    async def sent_beside(self, request: httpx2.Request) -> None:
        """Send what is no turn of the conversation, and make nothing of the answer."""
        response = await self.client.send(request)
        await response.aclose()

    # --- what the user gets -------------------------------------------------------------------------------------

    def id(self) -> str:
        """An id for a text that is shown."""
        return f"text-{self.turn}-{self.asked}"

    def emit(self, event: TurnStart | ToolStart | ToolResult) -> None:
        """Show an event, if the style shows all."""
        self.case.emit(event)

    def say_thought(self, text: str) -> None:
        """Show a thought, if the style does."""
        if self.style.takes("thoughts", "shown"):
            self.case.emit(Thinking(text, f"thought-{self.id()}"))

    def show(self, answer: Answer) -> None:
        """Show what was not shown piece by piece."""
        self.kept.append(answer.text)
        how = self.style["tells"]
        if how == "turns" or (how in ("pieces", "everything") and not self.streams()):
            if answer.thinking:
                self.say_thought(answer.thinking)
            if answer.text:
                self.case.emit(Assistant(answer.text, self.id()))
        elif how == "at-the-end" and answer.text:
            self.kept_back.append((self.id(), answer.text))

    def show_what_was_kept(self) -> None:
        """Show the texts that are shown at the end of the run."""
        late, self.kept_back = self.kept_back, []
        for id, text in late:
            self.case.emit(Assistant(text, id))

    # --- calls --------------------------------------------------------------------------------------------------

    def has_ids(self, calls: Sequence[Call]) -> bool:
        """Whether each call has an id that no other has; a loop may give it one."""
        seen = set() if self.speaker.ids_come_back else self.ids
        for call in calls:
            if not (call.id or self.speaker.ids_needed):
                continue
            if not call.id or call.id in seen:
                if not self.style.takes("bad-id", "renames"):
                    return False
                self.made += 1
                self.speaker.rename(call, f"call_made{self.made}")
            seen.add(str(call.id))
        return True

    async def go_on(self, answer: Answer) -> None:
        """Run the calls of a turn, and put the turn and their results into the history."""
        if self.style.takes("bad-arguments", "asks-again") and any(
            as_arguments(call.arguments) is None for call in answer.calls
        ):
            return
        if self.style.takes("own-ids", "own"):
            for call in answer.calls:
                self.made += 1
                self.speaker.rename(call, f"call_own{self.made}")
        self.keep(answer, self.in_order(await self.outputs(answer.calls)))
        if self.style.takes("side", "between"):
            await self.aside("Summarise the results in one sentence.")

    def keep(self, answer: Answer, outputs: Sequence[Output]) -> None:
        """Add the turn and its results to the history."""
        self.history += answer.entries
        self.speaker.went_on(answer, self.history)
        self.history += self.speaker.results(outputs) if outputs else []

    async def outputs(self, calls: Sequence[Call]) -> list[Output]:
        """Run the calls, one after the other or at once."""
        if self.style.takes("calls", "at-once"):
            return list(await asyncio.gather(*map(self.output, calls)))
        if self.style.takes("calls", "last-first"):
            return [await self.output(call) for call in reversed(calls)][::-1]
        return [await self.output(call) for call in calls]

    def in_order(self, outputs: list[Output]) -> list[Output]:
        """The outputs in the order in which they go back."""
        match self.style["order"]:
            case "reversed":
                return outputs[::-1]
            case "by-tool":
                return sorted(outputs, key=lambda each: each.call.name)
            case _:
                return outputs

    async def output(self, call: Call) -> Output:
        """Run one call and show it."""
        shows = self.style.takes("tells", "everything")
        id = self.id_to_show(call) if shows else ""
        if shows:
            self.emit(ToolStart(id, call.name, as_arguments(call.arguments)))
        output = await self.outcome(call)
        if shows:
            self.emit(ToolResult(id, call.name, output.value, not output.failed))
        return output

    def id_to_show(self, call: Call) -> str:
        """The id under which the user gets a call: the model's, if there is one and no other call has it."""
        candidates = (call.issued, call.id, f"tool-{len(self.shown) + 1}")
        id = next(id for id in candidates if id and id not in self.shown)
        self.shown.add(id)
        return id

    async def outcome(self, call: Call) -> Output:
        """What came of a call, or why it was not run."""
        tool, arguments = self.tools.get(call.name), as_arguments(call.arguments)
        if tool is None:
            known = f"; there are {', '.join(self.tools)}" if self.style.takes("unknown-tool", "lists") else ""
            return Output(call, f"there is no tool {call.name}{known}", failed=True)
        if arguments is None:
            return Output(call, "the arguments are no JSON object", failed=True)
        try:
            return Output(call, await tool(arguments, id=call.issued or None))
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is for the model
            return Output(call, str(error), failed=True)


def offered(case: CaseRun, style: Style) -> list[Tool]:
    """The tools of the case, in the order and with the schemas that the style has."""
    tools = [Tool(each.name, each.description, _schema(each.parameters, style)) for each in case.callables]
    match style["tools"]:
        case "sorted":
            return sorted(tools, key=lambda tool: tool.name)
        case "reversed":
            return tools[::-1]
        case _:
            return tools


def _schema(parameters: Mapping[str, Any], style: Style) -> Json:
    schema = dict(parameters)
    match style["schema"]:
        case "closed":
            return {**schema, "additionalProperties": False} if schema.get("type") == "object" else schema
        case "titled":
            named = {name: _titled(name, each) for name, each in (schema.get("properties") or {}).items()}
            return {**schema, **({"properties": named} if named else {}), "title": "Arguments"}
        case _:
            return schema


def _titled(name: str, schema: Any) -> Any:
    return {"title": name.replace("_", " ").title(), **schema} if isinstance(schema, dict) else schema
