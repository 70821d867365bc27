"""A loop on ``client.interactions`` of Google's SDK, as its README shows it.

The SDK has no loop for this API: functions are declared by their schemas, and each further request names the previous
interaction (``previous_interaction_id``) and contains the results. Each request has the tools and instructions. The SDK
yields the events of a stream but does not put them together. It raises nothing for an error event or for an answer
without an end, so the loop looks at the steps, and at the status of an interaction that has ended.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.targets.base import CaseRun
from harness.targets.drivers.conversation import system_texts
from harness.targets.tools import CallableTool
from harness.trace import Assistant, Failure, Final, JsonValue, Thinking

if TYPE_CHECKING:
    from google.genai.client import AsyncClient

_MOST_TURNS = 20
_OUTCOMES = {"incomplete": "truncated", "budget_exceeded": "truncated", "requires_continuation": "truncated"}


@dataclass(slots=True)
class _Interaction:
    """The contents of the steps of one answer. ``status`` is empty if no event has reported its end."""

    id: str = ""
    status: str = ""
    text: str = ""
    calls: list[_Called] = field(default_factory=list)


@dataclass(slots=True)
class _Called:
    """A call: its arguments as pieces of JSON, or as the object of a whole answer."""

    id: str
    name: str
    arguments: Any = ""

    def read(self) -> Any:
        """The arguments as a value. Raises ``ValueError`` if the pieces are no JSON."""
        return json.loads(self.arguments or "{}") if isinstance(self.arguments, str) else self.arguments


async def run(case_run: CaseRun) -> None:
    """Run the case. Raises what the SDK raises."""
    from google.genai import Client
    from google.genai.types import HttpOptions

    client = Client(api_key=case_run.api_key, http_options=HttpOptions(base_url=case_run.base_url))
    async with client.aio as asynchronous:
        await _answer(case_run, asynchronous)


async def _answer(case_run: CaseRun, client: AsyncClient) -> None:
    """Ask, run the called functions, and go on from the interaction, until the model calls none."""
    tools = {tool.name: tool for tool in case_run.callables}
    asked = _settings(case_run, tools)
    new = [_step_of(text, role) for role, text in case_run.prompt if role != "system"]
    for turn in range(case_run.turn_limit or _MOST_TURNS):
        interaction = await _next_interaction(case_run, client, {**asked, "input": new}, turn)
        if interaction.id:
            asked["previous_interaction_id"] = interaction.id
        if interaction.status == "failed":
            case_run.emit(Failure("stream", "the interaction has failed"))
            return
        if interaction.status in _OUTCOMES or not interaction.calls:
            case_run.emit(Final("", _OUTCOMES.get(interaction.status, "completed"), interaction.text))
            return
        new = [await _result(call, tools) for call in interaction.calls]
    case_run.emit(Failure("turn-limit", "no answer in so many turns"))


def _settings(case_run: CaseRun, tools: dict[str, CallableTool]) -> dict[str, Any]:
    """The fields of every request."""
    settings: dict[str, Any] = {"model": case_run.model, "stream": case_run.stream}
    if system := system_texts(case_run):
        settings["system_instruction"] = "\n".join(system)
    if case_run.reasons:
        settings["generation_config"] = {"thinking_summaries": "auto"}
    if tools:
        settings["tools"] = [_declaration(tool) for tool in tools.values()]
    return settings


def _step_of(text: str, role: str) -> dict[str, Any]:
    kind = "model_output" if role == "assistant" else "user_input"
    return {"type": kind, "content": [{"type": "text", "text": text}]}


def _declaration(tool: CallableTool) -> dict[str, Any]:
    return {"type": "function", "name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}


async def _result(call: _Called, tools: dict[str, CallableTool]) -> dict[str, Any]:
    """The step that answers a call. An error is a result, too, and is marked as one."""
    answers = {"type": "function_result", "name": call.name, "call_id": call.id}
    try:
        output: JsonValue = await tools[call.name](call.read(), id=call.id)
    except Exception as error:  # noqa: BLE001 - the model is to know whatever it is
        return {**answers, "result": f"Error: {error}", "is_error": True}
    return {**answers, "result": output if isinstance(output, str) else json.dumps(output)}


# --- one answer -------------------------------------------------------------------------------------------------


async def _next_interaction(case_run: CaseRun, client: AsyncClient, request: dict[str, Any], turn: int) -> _Interaction:
    """One answer, shown while it arrives."""
    answer: Any = await client.interactions.create(**request)
    reader = _StepReader(case_run, turn)
    if not case_run.stream:
        reader.whole(answer)
    else:
        async for event in answer:
            reader.event(event)
    return reader.interaction


class _StepReader:
    """Puts the steps of one answer together, by their indices."""

    def __init__(self, case_run: CaseRun, turn: int) -> None:
        self.interaction = _Interaction()
        self._emit = case_run.emit
        self._turn = turn
        self._calls: dict[int, _Called] = {}

    def event(self, event: Any) -> None:
        """An event of a stream."""
        match event.event_type:
            case "interaction.created":
                self.interaction.id = event.interaction.id or ""
            case "interaction.completed":
                self.interaction.status = event.interaction.status
            case "step.start" if event.step.type == "function_call":
                self._calls[event.index] = call = _Called(event.step.id, event.step.name)
                self.interaction.calls.append(call)
            case "step.delta":
                self._delta(event.index, event.delta)

    def _delta(self, index: int, delta: Any) -> None:
        match delta.type:
            case "text":
                self._text(delta.text)
            case "thought_summary":
                self._emit(Thinking(delta.content.text, f"thinking-{self._turn}"))
            case "arguments_delta":
                self._calls[index].arguments += delta.arguments

    def whole(self, interaction: Any) -> None:
        """An answer that came in one piece."""
        self.interaction.id, self.interaction.status = interaction.id or "", interaction.status
        for step in interaction.steps or ():
            match step.type:
                case "model_output":
                    for content in step.content or ():
                        self._text(getattr(content, "text", None) or "")
                case "thought":
                    for content in step.summary or ():
                        self._emit(Thinking(content.text, f"thinking-{self._turn}"))
                case "function_call":
                    self.interaction.calls.append(_Called(step.id, step.name, step.arguments))

    def _text(self, text: str) -> None:
        self.interaction.text += text
        if text:
            self._emit(Assistant(text, f"text-{self._turn}"))
