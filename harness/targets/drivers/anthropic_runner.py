"""The tool runner of Anthropic's SDK for Python, ``client.beta.messages.tool_runner``, as its documentation uses it.

By default it keeps the conversation in a message thread on the server; ``run_unthreaded`` has it send the whole
history each time. It tells its user the model's turns and nothing of the tools that it runs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.errors import BadInput
from harness.scenario import (
    CallerAction,
    EditToolResponse,
    GenerateToolResponse,
    Piece,
    PushMessages,
    SetMessages,
    SetParams,
)
from harness.targets.base import CaseRun
from harness.targets.tools import CallableTool, ToolRaised
from harness.trace import Assistant, Final, Thinking

if TYPE_CHECKING:
    from anthropic.lib.tools import BetaAsyncFunctionTool

__all__ = ["run", "run_unthreaded"]

_MAX_TOKENS = 8_192

_OUTCOMES = {"max_tokens": "truncated", "model_context_window_exceeded": "truncated", "refusal": "refused"}
"""What the stop reason of the last message says to the runner's user; any other is an answer."""

_UNFINISHED = ("tool_use", "pause_turn")
"""Stop reasons of a message on which the runner ends only where it may ask no more."""


async def run(case_run: CaseRun) -> None:
    """Run the case with the defaults of the library."""
    await _run(case_run)


async def run_unthreaded(case_run: CaseRun) -> None:
    """The same with ``thread=False``."""
    await _run(case_run, thread=False)


async def _run(case_run: CaseRun, **options: Any) -> None:
    from anthropic import AsyncAnthropic

    if case_run.turn_limit is not None:
        options["max_iterations"] = case_run.turn_limit
    if system := [text for role, text in case_run.prompt if role == "system"]:
        options["system"] = "\n\n".join(system)
    async with AsyncAnthropic(base_url=case_run.base_url, api_key=case_run.api_key) as client:
        runner: Any = client.beta.messages.tool_runner(
            model=case_run.model,
            max_tokens=_MAX_TOKENS,
            thinking={"type": "adaptive", "display": "summarized"},
            messages=[_message(role, text) for role, text in case_run.prompt if role != "system"],
            tools=[_tool(each) for each in case_run.callables],
            stream=case_run.stream,
            **options,
        )
        try:
            turns, message = await _driven(case_run, runner)
        finally:
            await runner.close()
    case_run.emit(Final("", _outcome(message, spent=turns == case_run.turn_limit), _text(message)))


async def _driven(case_run: CaseRun, runner: Any) -> tuple[int, Any]:
    """How many turns the runner has taken, and the message of the last; None where there was none."""
    turn, message = 0, None
    async for item in runner:
        turn += 1
        message = await (_streamed if case_run.stream else _unstreamed)(case_run, item, turn)
        await _act(runner, message, case_run.caller.get(turn, ()))
    return turn, message


def _message(role: str, text: str) -> Any:
    return {"role": role, "content": text}


# --- tools ----------------------------------------------------------------------------------------------------


def _tool(tool: CallableTool) -> BetaAsyncFunctionTool[Any]:
    from anthropic import beta_async_tool
    from anthropic.lib.tools import ToolError

    async def call(**arguments: Any) -> str:
        try:
            result = await tool(arguments)
        except ToolRaised as raised:
            raise ToolError(str(raised)) from raised
        return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)

    schema: Any = dict(tool.parameters)
    return beta_async_tool(call, name=tool.name, description=tool.description, input_schema=schema)


# --- what its user is told --------------------------------------------------------------------------------------


async def _streamed(case_run: CaseRun, stream: Any, turn: int) -> Any:
    async for event in stream:
        if event.type == "text":
            case_run.emit(Assistant(event.text, f"text-{turn}"))
        elif event.type == "thinking":
            case_run.emit(Thinking(event.thinking, f"thinking-{turn}"))
    return await stream.get_final_message()


async def _unstreamed(case_run: CaseRun, message: Any, turn: int) -> Any:
    for block in message.content:
        if block.type == "text":
            case_run.emit(Assistant(block.text, f"text-{turn}"))
        elif block.type == "thinking":
            case_run.emit(Thinking(block.thinking, f"thinking-{turn}"))
    return message


def _outcome(message: Any, *, spent: bool) -> str:
    """How the run ended, by its last message; None where no turn was allowed.

    At ``max_iterations`` the runner stops without a word. Its user knows from the message whether it wanted more.
    """
    if message is None or (spent and message.stop_reason in _UNFINISHED):
        return "turn-limit"
    return _OUTCOMES.get(message.stop_reason, "completed")


def _text(message: Any) -> str:
    return "" if message is None else "".join(block.text for block in message.content if block.type == "text")


# --- what its user does between turns ---------------------------------------------------------------------------


async def _act(runner: Any, turn: Any, actions: Sequence[CallerAction]) -> None:
    for action in actions:
        match action:
            case GenerateToolResponse():
                await runner.generate_tool_call_response()
            case PushMessages(pieces):
                runner.append_messages(*[await _piece(runner, turn, piece) for piece in pieces])
            case SetMessages(pieces):
                await _set_messages(runner, turn, pieces)
            case SetParams(fields):
                runner.set_messages_params(lambda params, fields=fields: {**params, **fields})
            case EditToolResponse(old, new):
                _edit(await _response(runner, "edits"), old, new)


async def _piece(runner: Any, turn: Any, piece: Piece) -> Any:
    match piece:
        case "turn":
            return turn.to_param()
        case "response":
            return await _response(runner, "pushes")
        case "history":
            raise BadInput("the scenario pushes the history; this runner shows it only where it is set")
        case (role, text):
            return _message(role, text)


async def _set_messages(runner: Any, turn: Any, pieces: Sequence[Piece]) -> None:
    """The history is known inside of ``set_messages_params`` only, so it takes its place there."""
    messages = [None if piece == "history" else await _piece(runner, turn, piece) for piece in pieces]

    def replaced(params: Any) -> Any:
        put = [params["messages"] if message is None else [message] for message in messages]
        return {**params, "messages": [message for each in put for message in each]}

    runner.set_messages_params(replaced)


async def _response(runner: Any, does: str) -> Any:
    response = await runner.generate_tool_call_response()
    if response is None:
        raise BadInput(f"the scenario {does} a tool response; the turn asked for no tool")
    return response


def _edit(response: Any, old: str, new: str) -> None:
    """Change the text of the results in place: the runner appends the message that it handed out."""
    edited = False
    for block in response["content"]:
        edited = edited or old in block["content"]
        block["content"] = block["content"].replace(old, new)
    if not edited:
        raise BadInput(f"the scenario edits {old!r}; the tool response does not say that")
