"""OpenAI's Agents SDK: ``Runner`` on both APIs of OpenAI, seen by its stream events, or by its hooks without a stream.

Tools are plain functions under ``function_tool``, so the library checks arguments and words failures. Only tracing,
which would call OpenAI, is switched off.

A further run begins with ``result.to_input_list()`` of the previous run, which is JSON, and what the user says next.
``RunResultStreaming.cancel`` ends a streamed run at once, and its result has what was done until then. Without a stream
there is no result before the end, so the task is cancelled, and the next run begins with what the run has done.
A run that waits for approval has ``interruptions``; its ``RunState`` takes the user's decisions, and begins the next.

Over WebSockets the model is ``OpenAIResponsesWSModel``: with its defaults it sends the whole input in each turn. With
``auto_previous_response_id`` a turn goes on from the previous response, which with ``store`` false exists only in its
connection. Before Python 3.12 the client has no timeout there: the library waits for each message with
``asyncio.wait_for``, which would lose a cancellation that comes with a message and return the message
(https://github.com/python/cpython/issues/86296).
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from harness.targets.base import CaseRun
from harness.targets.drivers.conversation import keep, stored, system_texts, turns_before, user_texts
from harness.targets.tools import CallableTool
from harness.targets.typed import checked_type, signed, typed_arguments
from harness.trace import Assistant, Failure, Final, JsonValue, Thinking, ToolResult, ToolStart

if TYPE_CHECKING:
    from agents import Agent, FunctionTool, ModelResponse, RunHooks, RunState
    from agents.models.interface import Model
    from agents.result import RunResult, RunResultStreaming
    from agents.stream_events import RunItemStreamEvent
    from openai import AsyncOpenAI
    from openai.types.responses import ResponseOutputItem, ResponseStreamEvent

_WAITING = "waiting"


async def run(case_run: CaseRun) -> None:
    """Run the case on the wire that it names.

    Raises what the library raises, except for two exceptions that say how the run has ended: at the turn limit, or
    refused by the model.
    """
    await _run(case_run, _model, {})


async def run_over_websocket(case_run: CaseRun) -> None:
    """The same over WebSockets, with the defaults of the library."""
    await _run(case_run, _socket_model, {})


async def run_unstored_over_websocket(case_run: CaseRun) -> None:
    """The same over WebSockets. Each turn goes on from the previous response; the provider stores none."""
    await _run(case_run, _socket_model, {"auto_previous_response_id": True}, store=False)


async def _run(
    case_run: CaseRun,
    model_of: Callable[[CaseRun, AsyncOpenAI], Model],
    settings: dict[str, Any],
    *,
    store: bool | None = None,
) -> None:
    from agents import Agent, MaxTurnsExceeded, ModelRefusalError, ModelSettings
    from openai import AsyncOpenAI
    from openai.types.shared import Reasoning

    mapper = _EventMapper(case_run)
    settings = {**_settings(case_run), **settings}
    async with (
        AsyncOpenAI(base_url=f"{case_run.base_url}/v1", api_key=case_run.api_key, **_patience(case_run)) as client,
        AsyncExitStack() as stack,
    ):
        agent = Agent(
            name="assistant",
            instructions="\n".join(system_texts(case_run)) or None,
            model=(model := model_of(case_run, client)),
            model_settings=ModelSettings(
                store=store,
                reasoning=Reasoning(summary="auto") if case_run.reasons else None,
                response_include=["reasoning.encrypted_content"] if store is False else None,  # or it cannot go back
            ),
            tools=[_function_tool(tool, mapper) for tool in case_run.callables],
        )
        stack.push_async_callback(model.close)
        begins = await _decided_state(case_run, agent, mapper) if case_run.resolve else _input(case_run)
        if isinstance(begins, list):
            _keep(case_run, begins)
        try:
            text = await (_run_streaming if case_run.stream else _run_whole)(case_run, agent, begins, mapper, settings)
        except MaxTurnsExceeded as error:
            case_run.emit(Failure("turn-limit", str(error)))
        except ModelRefusalError as error:
            case_run.emit(Final("", "refused", error.refusal))
        else:
            if _WAITING in case_run.state:
                case_run.emit(Final("", "deferred"))
            elif text is not None:
                case_run.emit(Final("", text=text))


def _patience(case_run: CaseRun) -> dict[str, Any]:
    return {"timeout": None} if case_run.transport and sys.version_info < (3, 12) else {}


def _model(case_run: CaseRun, client: AsyncOpenAI) -> Model:
    from agents import OpenAIChatCompletionsModel, OpenAIResponsesModel

    if case_run.wire == "openai-chat":
        return OpenAIChatCompletionsModel(case_run.model, client)
    return OpenAIResponsesModel(case_run.model, client)


def _socket_model(case_run: CaseRun, client: AsyncOpenAI) -> Model:
    from agents.models.openai_responses import OpenAIResponsesWSModel

    return OpenAIResponsesWSModel(case_run.model, client)


def _function_tool(tool: CallableTool, mapper: _EventMapper) -> FunctionTool:
    from agents import function_tool
    from agents.tool_context import ToolContext

    async def call(context: ToolContext[Any], **arguments: Any) -> JsonValue:
        result = await tool(typed_arguments(tool, arguments), id=context.tool_call_id)
        mapper.returned.add(context.tool_call_id)
        return result

    function = signed(call, tool, checked_type, context=ToolContext[Any])
    return function_tool(function, needs_approval=tool.kind == "unapproved")


async def _run_streaming(
    case_run: CaseRun,
    agent: Agent[Any],
    begins: list[Any] | RunState[Any],
    mapper: _EventMapper,
    settings: dict[str, Any],
) -> str | None:
    """The answer; None if the run was cancelled, or waits."""
    from agents import Runner

    loop, cancelled = asyncio.get_running_loop(), asyncio.Event()
    result = Runner.run_streamed(agent, begins, **settings)

    def cancel() -> None:
        cancelled.set()
        result.cancel()

    case_run.on_cancel(lambda: loop.call_soon_threadsafe(cancel))
    try:
        async for event in result.stream_events():
            if event.type == "raw_response_event":
                mapper.delta(event.data)
            elif event.type == "run_item_stream_event":
                mapper.item(event)
    finally:
        _keep(case_run, result.to_input_list())
    _keep_waiting(case_run, result)
    return None if cancelled.is_set() else str(result.final_output)


async def _run_whole(
    case_run: CaseRun,
    agent: Agent[Any],
    begins: list[Any] | RunState[Any],
    mapper: _EventMapper,
    settings: dict[str, Any],
) -> str:
    from agents import Runner

    result = await Runner.run(agent, begins, hooks=_hooks(mapper), **settings)
    _keep(case_run, result.to_input_list())
    _keep_waiting(case_run, result)
    return str(result.final_output)


def _keep_waiting(case_run: CaseRun, result: RunResult | RunResultStreaming) -> None:
    """Leave the state of a run whose calls wait, as the documentation shows it for another process."""
    if result.interruptions:
        case_run.state[_WAITING] = result.to_state().to_json()


async def _decided_state(case_run: CaseRun, agent: Agent[Any], mapper: _EventMapper) -> RunState[Any]:
    """The state of the run that waits, with what the user decides about its calls, tool by tool."""
    from agents import RunState

    waiting: Any = case_run.state.pop(_WAITING)
    state = await RunState.from_json(agent, waiting)
    for name, words in case_run.resolve[0].items():
        calls = [each for each in state.get_interruptions() if each.name == name]
        for call, word in zip(calls, words if isinstance(words, tuple) else (words,) * len(calls), strict=True):
            mapper.begun(call.call_id or "", name)
            if word.how == "approve":
                state.approve(call)
            else:
                state.reject(call, rejection_message=str(word.value))
    return state


def _input(case_run: CaseRun) -> list[Any]:
    """The earlier history, and the prompt without its system texts, which are the agent's instructions."""
    case_run.state.pop(_WAITING, None)
    if case_run.number == 1:
        return [{"role": role, "content": text} for role, text in case_run.prompt if role != "system"]
    return [*stored(case_run), *({"role": "user", "content": text} for text in user_texts(case_run))]


def _keep(case_run: CaseRun, items: list[Any]) -> None:
    if case_run.has_timeline:
        keep(case_run, items)


def _settings(case_run: CaseRun) -> dict[str, Any]:
    from agents import RunConfig

    limit = {} if case_run.turn_limit is None else {"max_turns": case_run.turn_limit}
    return {"run_config": RunConfig(tracing_disabled=True), **limit}


class _EventMapper:
    """Maps the events of the library to ours.

    The library does not report whether a tool has failed: the model gets a text in either case. The author of the
    tool knows it, so ``returned`` has the ids of the calls whose function has returned.
    """

    def __init__(self, case_run: CaseRun) -> None:
        self._emit = case_run.emit
        self._state = case_run.state
        self._turn = turns_before(case_run)
        self._names: dict[str, str] = {}
        self.returned: set[str] = set()

    def delta(self, event: ResponseStreamEvent) -> None:
        """Take an event of the model's stream. The library translates events of Chat into events of Responses."""
        match event.type:
            case "response.created":
                self._begin_turn()
            case "response.output_text.delta" | "response.refusal.delta":
                self._text(event.delta)
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                self._thinking(event.delta)

    def item(self, event: RunItemStreamEvent) -> None:
        """A step of the run."""
        raw: Any = event.item.raw_item
        if event.name == "tool_called" and raw.type == "function_call":  # others the provider has run
            self.start(raw.call_id, raw.name, raw.arguments)
        elif event.name == "tool_output":
            self.result(raw["call_id"], raw["output"])

    def answer(self, items: Sequence[ResponseOutputItem]) -> None:
        """A turn of the model as a whole."""
        self._begin_turn()
        for item in items:
            if item.type == "message":
                for part in item.content:
                    self._text(part.text if part.type == "output_text" else part.refusal)
            elif item.type == "reasoning":
                for part in (*item.summary, *(item.content or ())):
                    self._thinking(part.text)

    def _begin_turn(self) -> None:
        self._turn += 1
        self._state["turns"] = self._turn

    def begun(self, id: str, name: str) -> None:
        """The model has made this call in an earlier run."""
        self._names[id] = name

    def start(self, id: str, name: str, arguments: str) -> None:
        """The model has called a tool. ``arguments`` are as the model wrote them."""
        self._names[id] = name
        self._emit(ToolStart(id, name, _read(arguments)))

    def result(self, id: str, output: Any) -> None:
        """Emit the result of a call."""
        self._emit(ToolResult(id, self._names[id], output, id in self.returned))

    def _text(self, text: str) -> None:
        self._emit(Assistant(text, f"text-{self._turn}"))

    def _thinking(self, text: str) -> None:
        self._emit(Thinking(text, f"thinking-{self._turn}"))


def _hooks(mapper: _EventMapper) -> RunHooks[Any]:
    """Hooks that report the same without a stream."""
    from agents import RunHooks

    class Hooks(RunHooks[Any]):
        async def on_llm_end(self, context: Any, agent: Any, response: ModelResponse) -> None:  # noqa: ARG002 - the library calls it so
            mapper.answer(response.output)

        async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:  # noqa: ARG002 - the library calls it so
            mapper.start(context.tool_call_id, context.tool_name, context.tool_arguments)

        async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:  # noqa: ARG002 - the library calls it so
            mapper.result(context.tool_call_id, result)

    return Hooks()


def _read(arguments: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(arguments)
    except ValueError:
        return arguments
    return value
