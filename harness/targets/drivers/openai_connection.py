"""A loop on the WebSocket of OpenAI's SDK: ``client.responses.connect``, which opens a lost connection again.

The SDK has no loop of its own, so this is the shortest one that its connection allows. A turn goes on from the previous
response, which the provider stores, so that another connection finds it. ``on_reconnecting`` is set and returns None:
the SDK reconnects by its defaults. An exception of the SDK ends the run, and so does an error event, which the SDK does
not raise. The SDK waits for events for ever; the loop does not.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from harness.targets.base import CaseRun
from harness.targets.tools import CallableTool
from harness.trace import Assistant, Failure, Final, JsonValue, Thinking

if TYPE_CHECKING:
    from openai.resources.responses.responses import AsyncResponsesConnection
    from openai.types.responses import Response
    from openai.types.websocket_reconnection import ReconnectingEvent

_MOST_TURNS = 20
_PATIENCE = 10.0
"""Seconds within which an event must come. The SDK waits less than one second before its first reconnect."""


async def run(case_run: CaseRun) -> None:
    """Run the case. Raises what the SDK raises."""
    from openai import AsyncOpenAI

    tools = {tool.name: tool for tool in case_run.callables}
    async with (
        AsyncOpenAI(base_url=f"{case_run.base_url}/v1", api_key=case_run.api_key) as client,
        client.responses.connect(on_reconnecting=_reconnect) as connection,
    ):
        await _answer(case_run, connection, tools)


def _reconnect(event: ReconnectingEvent) -> None:
    """Let the SDK reconnect with the same settings as before."""


async def _answer(case_run: CaseRun, connection: AsyncResponsesConnection, tools: dict[str, CallableTool]) -> None:
    """Ask, run the called tools, and go on from the response with their results, until the model calls none."""
    asked: dict[str, Any] = {"model": case_run.model, "tools": [_declaration(tool) for tool in tools.values()]}
    if case_run.reasons:
        asked["reasoning"] = {"summary": "auto"}
    new: list[Any] = [{"role": role, "content": text} for role, text in case_run.prompt]
    for turn in range(case_run.turn_limit or _MOST_TURNS):
        await connection.response.create(**asked, input=new)
        if (response := await _response(case_run, connection, turn)) is None:
            return
        calls = [item for item in response.output if item.type == "function_call"]
        if (outcome := _outcome(response)) != "completed" or not calls:
            case_run.emit(Final("", outcome, response.output_text))
            return
        asked["previous_response_id"] = response.id
        new = [await _result(call, tools) for call in calls]
    case_run.emit(Failure("turn-limit", "no answer in so many turns"))


async def _response(case_run: CaseRun, connection: AsyncResponsesConnection, turn: int) -> Response | None:
    """Show the events of the response and return it. None: it failed, and the user has seen that."""
    events = aiter(connection)
    while True:
        try:
            event = await asyncio.wait_for(anext(events), _PATIENCE)
        except StopAsyncIteration:
            case_run.emit(Failure("stream", "the connection was closed before the answer had ended"))
            return None
        except TimeoutError:
            case_run.emit(Failure("stream", f"no event has come within {_PATIENCE:g} seconds"))
            return None
        match event.type:
            case "response.output_text.delta" | "response.refusal.delta":
                case_run.emit(Assistant(event.delta, f"text-{turn}"))
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                case_run.emit(Thinking(event.delta, f"thinking-{turn}"))
            case "response.completed" | "response.incomplete":
                return event.response
            case "response.failed":
                case_run.emit(Failure("stream", str(event.response.error)))
                return None
            case "error":
                kind = "stream" if getattr(event, "status", None) is None else "http"
                case_run.emit(Failure(kind, event.to_json(indent=None)))
                return None


def _outcome(response: Response) -> str:
    if response.status == "incomplete":
        filtered = response.incomplete_details and response.incomplete_details.reason == "content_filter"
        return "refused" if filtered else "truncated"
    parts = [part for item in response.output if item.type == "message" for part in item.content]
    return "refused" if any(part.type == "refusal" for part in parts) else "completed"


def _declaration(tool: CallableTool) -> dict[str, Any]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": False,
    }


async def _result(call: Any, tools: dict[str, CallableTool]) -> dict[str, Any]:
    """The item that answers a call. An error is a result, too."""
    try:
        output: JsonValue = await tools[call.name](json.loads(call.arguments or "{}"), id=call.call_id)
    except Exception as error:  # noqa: BLE001 - the model is to know whatever it is
        output = f"Error: {error}"
    text = output if isinstance(output, str) else json.dumps(output)
    return {"type": "function_call_output", "call_id": call.call_id, "output": text}
