"""Drivers of a correct loop on Chat Completions: one that is right, and others that are wrong in one thing each.

They use the official SDK, as people do. ``Driver`` is right; what a wrong one does differently is all that stands in
its class.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from harness.targets import CaseRun
from harness.targets.tools import CallableTool
from harness.trace import Assistant, Failure, Final, ToolResult, ToolStart, TurnStart
from tests.sdks import anthropic, openai


class Driver:
    """A correct one: it streams if the case does, emits every event, and hands on what the client raises."""

    turn = 0

    def run(self, case: CaseRun) -> None:
        tools = {tool.name: tool for tool in case.callables}
        offered: dict[str, Any] = {"tools": [self.offer(tool) for tool in tools.values()]} if tools else {}
        messages = self.messages(case)
        with openai.OpenAI(base_url=f"{case.base_url}/v1", api_key=case.api_key) as client:
            for turn in range(1, (case.turn_limit or 50) + 1):
                self.turn = turn
                case.emit(TurnStart(turn))
                try:
                    message = self.asked(case, client, {"model": case.model, "messages": messages, **offered})
                except openai.APIStatusError as error:
                    self.refused(case, error)
                    return
                messages.append(message)
                if not message.get("tool_calls"):
                    self.end(case, message["content"])
                    return
                messages += [self.called(case, tools, call) for call in message["tool_calls"]]
        case.emit(Failure("turn-limit", "it goes on and on"))

    def messages(self, case: CaseRun) -> list[Any]:
        return [{"role": role, "content": text} for role, text in case.prompt]

    def offer(self, tool: CallableTool) -> dict[str, Any]:
        schema = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
        return {"type": "function", "function": schema}

    def asked(self, case: CaseRun, client: openai.OpenAI, request: Mapping[str, Any]) -> dict[str, Any]:
        """One turn of the model; its text is emitted as it comes."""
        if not self.streams(case):
            answer: Any = client.chat.completions.create(**request)
            message: dict[str, Any] = answer.choices[0].message.model_dump(exclude_none=True)
            if message.get("content"):
                self.say(case, message["content"])
            return message
        return self.joined(case, client.chat.completions.create(**request, stream=True))

    def joined(self, case: CaseRun, chunks: Iterator[Any]) -> dict[str, Any]:
        text, calls = "", {}
        for chunk in chunks:
            for choice in chunk.choices:
                if choice.delta.content:
                    text += choice.delta.content
                    self.say(case, choice.delta.content)
                for piece in choice.delta.tool_calls or ():
                    call = calls.setdefault(piece.index, {"id": piece.id, "name": "", "arguments": ""})
                    call["name"] += piece.function.name or ""
                    call["arguments"] += piece.function.arguments or ""
        called = [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
            for call in calls.values()
        ]
        return {"role": "assistant", "content": text, **({"tool_calls": called} if called else {})}

    def called(self, case: CaseRun, tools: Mapping[str, CallableTool], call: Any) -> dict[str, Any]:
        name, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
        case.emit(ToolStart(call["id"], name, arguments))
        result = tools[name].now(arguments, id=call["id"])
        case.emit(ToolResult(call["id"], name, result, ok=True))
        return {"role": "tool", "tool_call_id": call["id"], "content": self.written(result)}

    def streams(self, case: CaseRun) -> bool:
        return case.stream

    def say(self, case: CaseRun, text: str) -> None:
        case.emit(Assistant(text, f"text-{self.turn}"))

    def written(self, result: Any) -> str:
        return json.dumps(result)

    def refused(self, case: CaseRun, error: openai.APIStatusError) -> None:
        raise error

    def end(self, case: CaseRun, text: str) -> None:
        case.emit(Final("", text=text))


class Converses(Driver):
    """A correct one that declares conversations: its messages are in the state of the case."""

    def messages(self, case: CaseRun) -> list[Any]:
        self.said: list[str] = []
        case.on_say(self.said.append)
        kept = self.kept(case)
        kept += super().messages(case)
        return kept

    def kept(self, case: CaseRun) -> list[Any]:
        kept: Any = case.state.setdefault("messages", [])
        return kept  # type: ignore[no-any-return]

    def asked(self, case: CaseRun, client: openai.OpenAI, request: Mapping[str, Any]) -> dict[str, Any]:
        request["messages"].extend({"role": "user", "content": text} for text in self.said)
        self.said.clear()
        return super().asked(case, client, request)


class Forgets(Converses):
    def kept(self, case: CaseRun) -> list[Any]:
        return []


class KeepsNoJson(Converses):
    def kept(self, case: CaseRun) -> list[Any]:
        case.state["seen"] = {1}  # type: ignore[assignment]
        return super().kept(case)


class HearsNothing(Converses):
    def asked(self, case: CaseRun, client: openai.OpenAI, request: Mapping[str, Any]) -> dict[str, Any]:
        self.said.clear()
        return super().asked(case, client, request)


class GoesOn(Converses):
    """It takes a tool that is cancelled for one that has failed."""

    def called(self, case: CaseRun, tools: Mapping[str, CallableTool], call: Any) -> dict[str, Any]:
        try:
            return super().called(case, tools, call)
        except asyncio.CancelledError:
            return {"role": "tool", "tool_call_id": call["id"], "content": "it failed"}


class EndsBehindItsTool(Converses):
    """Its own cancel stops it behind the tool that runs, and never inside one."""

    def called(self, case: CaseRun, tools: Mapping[str, CallableTool], call: Any) -> dict[str, Any]:
        try:
            return super().called(case, tools, call)
        except asyncio.CancelledError:
            case.emit(ToolResult(call["id"], call["function"]["name"], "done", ok=True))
            raise


class NeverEnds(Converses):
    def called(self, case: CaseRun, tools: Mapping[str, CallableTool], call: Any) -> dict[str, Any]:
        try:
            return super().called(case, tools, call)
        except asyncio.CancelledError:
            threading.Event().wait()
            raise


class IdForEveryPiece(Driver):
    pieces = 0

    def say(self, case: CaseRun, text: str) -> None:
        self.pieces += 1
        case.emit(Assistant(text, f"text-{self.pieces}"))


class OneIdForAllTurns(Driver):
    def say(self, case: CaseRun, text: str) -> None:
        case.emit(Assistant(text, "text"))


class TextTwice(Driver):
    def end(self, case: CaseRun, text: str) -> None:
        self.say(case, text)
        super().end(case, text)


class NoSystemPrompt(Driver):
    def messages(self, case: CaseRun) -> list[Any]:
        return [each for each in super().messages(case) if each["role"] != "system"]


class FirstIsSystem(Driver):
    """It takes the first message for the system prompt, whatever it is."""

    def messages(self, case: CaseRun) -> list[Any]:
        first, *others = super().messages(case)
        return [{**first, "role": "system"}, *others]


class NoTools(Driver):
    def asked(self, case: CaseRun, client: openai.OpenAI, request: Mapping[str, Any]) -> dict[str, Any]:
        return super().asked(case, client, {key: value for key, value in request.items() if key != "tools"})


class NoSchemas(Driver):
    def offer(self, tool: CallableTool) -> dict[str, Any]:
        return {"type": "function", "function": {"name": tool.name, "parameters": {"type": "object", "properties": {}}}}


class Signature(Driver):
    """As a framework that reads the types of a function's signature alone."""

    def offer(self, tool: CallableTool) -> dict[str, Any]:
        types: Any = {name: {"type": each["type"]} for name, each in tool.parameters["properties"].items()}
        schema = {"name": tool.name, "description": tool.description}
        return {"type": "function", "function": {**schema, "parameters": {**tool.parameters, "properties": types}}}


class Repr(Driver):
    def written(self, result: Any) -> str:
        return repr(result)


class NoResults(Driver):
    def written(self, result: Any) -> str:
        return "done"


class OtherCallId(Driver):
    """A loop whose second request is refused; so are those below, but for the last."""

    def called(self, case: CaseRun, tools: Mapping[str, CallableTool], call: Any) -> dict[str, Any]:
        return {**super().called(case, tools, call), "tool_call_id": "call_of_my_own"}


class ResultTwice(Driver):
    def asked(self, case: CaseRun, client: openai.OpenAI, request: Mapping[str, Any]) -> dict[str, Any]:
        messages = [each for each in request["messages"] for _ in range(1 + (each["role"] == "tool"))]
        return super().asked(case, client, {**request, "messages": messages})


class OtherRole(Driver):
    def called(self, case: CaseRun, tools: Mapping[str, CallableTool], call: Any) -> dict[str, Any]:
        return {"role": "user", "content": super().called(case, tools, call)["content"]}


class OtherArguments(Driver):
    """It runs its tool with something else than the model has said, and fails at what that returns."""

    def called(self, case: CaseRun, tools: Mapping[str, CallableTool], call: Any) -> dict[str, Any]:
        called = {**call, "function": {**call["function"], "arguments": '{"place": "Oslo"}'}}
        super().called(case, tools, called)
        raise KeyError("celsius")


class UnknownKind(Driver):
    def refused(self, case: CaseRun, error: openai.APIStatusError) -> None:
        case.emit(Failure("error", str(error)))


class EndsErrorsAsCompleted(Driver):
    def refused(self, case: CaseRun, error: openai.APIStatusError) -> None:
        case.emit(Final("", outcome="completed", text=""))


class WrongKind(Driver):
    def refused(self, case: CaseRun, error: openai.APIStatusError) -> None:
        case.emit(Failure("turn-limit", str(error)))


class OnlyText(Driver):
    """It knows no more of an error than its text, and says so."""

    def refused(self, case: CaseRun, error: openai.APIStatusError) -> None:
        case.emit(Failure("raised", str(error)))


class UnknownOutcome(Driver):
    def end(self, case: CaseRun, text: str) -> None:
        case.emit(Final("", "success", text))


class NeverStreams(Driver):
    def streams(self, case: CaseRun) -> bool:
        return False


class AlwaysStreams(Driver):
    def streams(self, case: CaseRun) -> bool:
        return True


class TwoEnds(Driver):
    def end(self, case: CaseRun, text: str) -> None:
        super().end(case, text)
        super().end(case, text)


class StartsTwice(Driver):
    """It emits the start of a call when it begins, and again when it has ended."""

    def called(self, case: CaseRun, tools: Mapping[str, CallableTool], call: Any) -> dict[str, Any]:
        answered = super().called(case, tools, call)
        case.emit(ToolStart(call["id"], call["function"]["name"]))
        return answered


class OtherIds(Driver):
    """Its tools are emitted under ids that the model has not given."""

    def called(self, case: CaseRun, tools: Mapping[str, CallableTool], call: Any) -> dict[str, Any]:
        answered = super().called(case, tools, {**call, "id": f"mine-{call['id']}"})
        return {**answered, "tool_call_id": call["id"]}


class Raises(Driver):
    def messages(self, case: CaseRun) -> list[Any]:
        raise KeyError("prompts")


class RaisesInTheMiddle(Driver):
    def called(self, case: CaseRun, tools: Mapping[str, CallableTool], call: Any) -> dict[str, Any]:
        raise KeyError("tool")


class Hangs(Driver):
    def run(self, case: CaseRun) -> None:
        threading.Event().wait()


class AsksNothing(Driver):
    def run(self, case: CaseRun) -> None:
        case.emit(Final("", text="I knew that."))


class WithATitle(Driver):
    """A correct one that asks for a title first, on another wire."""

    def run(self, case: CaseRun) -> None:
        with anthropic.Anthropic(base_url=case.base_url, api_key=case.api_key) as client:
            client.messages.create(
                model="claude-sonnet-4-6", max_tokens=20, messages=[{"role": "user", "content": "A title, please."}]
            )
        super().run(case)


def returns_its_text(case: CaseRun, runs: int = 1) -> str:
    """The least that a driver may do: no event, no stream, and its text."""
    with openai.OpenAI(base_url=f"{case.base_url}/v1", api_key=case.api_key) as client:
        tools = {tool.name: tool for tool in case.callables}
        functions: Any = [Driver().offer(tool) for tool in tools.values()]
        messages: list[Any] = [{"role": role, "content": text} for role, text in case.prompt]
        while True:
            offered: dict[str, Any] = {"tools": functions} if functions else {}
            answer = client.chat.completions.create(model=case.model, messages=messages, **offered)
            message: Any = answer.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return str(message.content)
            for call in message.tool_calls:
                arguments = json.loads(call.function.arguments)
                result = [tools[call.function.name].now(arguments, id=call.id) for _ in range(runs)][-1]
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})


def runs_a_tool_twice(case: CaseRun) -> str:
    """The same driver of a loop with a bug: it runs every tool twice, and sends one result."""
    return returns_its_text(case, runs=2)


async def blocks_for_good(case: CaseRun) -> None:
    """It keeps its event loop, and the process that waits for it, from doing anything else."""
    while True:
        pass


class TwoEndsAndNoLimit(TwoEnds):
    def run(self, case: CaseRun) -> None:
        super().run(replace(case, turn_limit=None))


class HangsAfterCalibration(Driver):
    def run(self, case: CaseRun) -> None:
        if "calibration" not in case.base_url:
            threading.Event().wait()
        super().run(case)


class OwnSystemPrompt(Driver):
    def messages(self, case: CaseRun) -> list[Any]:
        said = [each for each in super().messages(case) if each["role"] != "system"]
        return [{"role": "system", "content": "You are a pirate."}, *said]


class OwnTools(Driver):
    """As coding agents: it knows its own tools only, and says so to a model that calls another one."""

    def asked(self, case: CaseRun, client: openai.OpenAI, request: Mapping[str, Any]) -> dict[str, Any]:
        schema = {"type": "object", "properties": {"input": {"type": "string"}}}
        tools = [{"type": "function", "function": {"name": name, "parameters": schema}} for name in ("Bash", "Read")]
        return super().asked(case, client, {**request, "tools": tools})

    def called(self, case: CaseRun, tools: Mapping[str, CallableTool], call: Any) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": call["id"], "content": "There is no such tool."}


class OwnPrompt(NoTools):
    """A program that always asks the same."""

    def messages(self, case: CaseRun) -> list[Any]:
        return [{"role": "system", "content": "You are a guide."}, {"role": "user", "content": "Tell me a story."}]
