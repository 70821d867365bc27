"""The tool runner of Anthropic's SDK for Python, ``client.beta.messages.tool_runner``, as its documentation uses it.

By default it keeps the conversation in a message thread on the server. With ``run_unthreaded`` it sends the whole
history each time. It reports the model's turns to its user, but not the tools that it runs.

A conversation of several runs is a ``thread()``, and each run is a ``tool_runner()`` of it: ``append`` takes what the
user says, ``update`` takes another model, and ``params`` has the messages and the container with which another process
begins. With ``run_unthreaded`` they come from ``set_messages_params``. A run is cancelled as an asyncio task.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.errors import BadInput
from harness.scenario import (
    CallerAction,
    EditedTurn,
    EditToolResponse,
    GenerateToolResponse,
    Piece,
    PushMessages,
    SetMessages,
    SetParams,
)
from harness.targets.base import CaseRun
from harness.targets.drivers.conversation import keep, live, stored, system_texts, turns_before, user_texts
from harness.targets.tools import CallableTool, ToolRaised
from harness.trace import Assistant, Final, Thinking

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.lib.tools import BetaAsyncFunctionTool

_MAX_TOKENS = 8_192

_OUTCOMES = {"max_tokens": "truncated", "model_context_window_exceeded": "truncated", "refusal": "refused"}
"""The outcome by the stop reason of the last message. Any other reason means an answer."""

_UNFINISHED = ("tool_use", "pause_turn")
"""Stop reasons after which the runner ends only if it may not ask again."""

_CONTAINER = "container"
"""The key in the state for the id of the container in which code has run. A request names it to go on in it."""


async def run(case_run: CaseRun) -> None:
    """Run the case with the defaults of the library."""
    if not case_run.has_timeline:
        await _run(case_run)
        return
    thread = live(case_run)
    if thread is None:
        thread = _lasting_client(case_run).beta.messages.thread(
            **_fields(case_run), unsupported_request_behavior="continue_unthreaded"
        )
    else:
        thread.update(model=case_run.model)
        thread.append(*[_message("user", text) for text in user_texts(case_run)])
    case_run.on_say(lambda text: thread.append(_message("user", text)))
    try:
        await _run_thread(case_run, thread)
    finally:
        _keep(case_run, thread.params, thread)


async def run_unthreaded(case_run: CaseRun) -> None:
    """The same with ``thread=False``."""
    await _run(case_run, thread=False)


async def _run_thread(case_run: CaseRun, thread: Any) -> None:
    """Run the loop over the thread, and once more if the user has written while the last answer arrived.

    An appended message waits for the next turn, but a tool runner ends after an answer, so the user of the thread must
    begin that turn.
    """
    before, spent, waits = turns_before(case_run), 0, True
    while waits and (not spent or spent != case_run.turn_limit):
        message = await _driven(case_run, thread.tool_runner(stream=case_run.stream, **_limit(case_run, spent)))
        spent = turns_before(case_run) - before
        waits = bool(spent) and message.stop_reason == "end_turn" and thread.messages[-1]["role"] == "user"
    case_run.emit(_final(message, spent=spent == case_run.turn_limit, waits=waits))


async def _run(case_run: CaseRun, **options: Any) -> None:
    before = turns_before(case_run)
    async with _client(case_run) as client:
        fields = {**_fields(case_run), **_limit(case_run), **options}
        runner: Any = client.beta.messages.tool_runner(**fields, stream=case_run.stream)
        try:
            message = await _driven(case_run, runner)
        finally:
            if case_run.has_timeline:
                _keep(case_run, _params(runner))
    case_run.emit(_final(message, spent=turns_before(case_run) - before == case_run.turn_limit))


def _client(case_run: CaseRun) -> AsyncAnthropic:
    from anthropic import AsyncAnthropic

    return AsyncAnthropic(base_url=case_run.base_url, api_key=case_run.api_key)


def _lasting_client(case_run: CaseRun) -> AsyncAnthropic:
    """One client for all runs of a conversation, as in a program. It keeps no connection open, because the driver never
    knows which run is the last."""
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient
    from httpx2 import Limits

    http_client = DefaultAsyncHttpxClient(limits=Limits(max_keepalive_connections=0))
    return AsyncAnthropic(base_url=case_run.base_url, api_key=case_run.api_key, http_client=http_client)


def _limit(case_run: CaseRun, spent: int = 0) -> dict[str, Any]:
    return {} if case_run.turn_limit is None else {"max_iterations": case_run.turn_limit - spent}


def _fields(case_run: CaseRun) -> dict[str, Any]:
    """The fields of a request that the runner does not add by itself."""
    system = system_texts(case_run)
    messages = [_message(role, text) for role, text in case_run.prompt if role != "system"]
    container = case_run.state.get(_CONTAINER)
    return {
        "model": case_run.model,
        "max_tokens": _MAX_TOKENS,
        "thinking": {"type": "adaptive", "display": "summarized"},
        "messages": [*stored(case_run), *messages],
        "tools": [_tool(each) for each in case_run.callables],
        **({"system": "\n\n".join(system)} if system else {}),
        **({"container": container} if container else {}),
    }


def _params(runner: Any) -> Mapping[str, Any]:
    """The parameters of the runner's next request, which it passes to the function that may change them."""
    found: dict[str, Any] = {}

    def read(params: Any) -> Any:
        found.update(params)
        return params

    runner.set_messages_params(read)
    return found


def _keep(case_run: CaseRun, params: Mapping[str, Any], thread: object = None) -> None:
    """Keep the messages for the next run. The library turns its objects in them, the model's blocks, into JSON."""
    messages = list(params["messages"])
    keep(case_run, json.loads(json.dumps(messages, default=lambda block: block.to_dict())), thread)
    if container := params.get("container"):
        case_run.state[_CONTAINER] = container


async def _driven(case_run: CaseRun, runner: Any) -> Any:
    """Take the runner from turn to turn, and report each turn. Returns the message of the last turn."""
    turn, message, before = 0, None, turns_before(case_run)
    try:
        async for item in runner:
            turn += 1
            case_run.state["turns"] = before + turn
            message = await (_emit_stream if case_run.stream else _emit_message)(case_run, item, before + turn)
            await _act(runner, message, case_run.caller.get(turn, ()))
    finally:
        await runner.close()
    return message


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


# --- what its user gets ---------------------------------------------------------------------------------------


async def _emit_stream(case_run: CaseRun, stream: Any, turn: int) -> Any:
    async for event in stream:
        if event.type == "text":
            case_run.emit(Assistant(event.text, f"text-{turn}"))
        elif event.type == "thinking":
            case_run.emit(Thinking(event.thinking, f"thinking-{turn}"))
    return await stream.get_final_message()


async def _emit_message(case_run: CaseRun, message: Any, turn: int) -> Any:
    for block in message.content:
        if block.type == "text":
            case_run.emit(Assistant(block.text, f"text-{turn}"))
        elif block.type == "thinking":
            case_run.emit(Thinking(block.thinking, f"thinking-{turn}"))
    return message


def _final(message: Any, *, spent: bool, waits: bool = False) -> Final:
    return Final("", _outcome(message, spent=spent, waits=waits), _text(message))


def _outcome(message: Any, *, spent: bool, waits: bool) -> str:
    """How the run ended, by its last message (None: no turn was allowed). ``waits``: the user waits for an answer.

    At ``max_iterations`` the runner stops silently. Its user sees from the message whether the model wanted more.
    """
    if message is None or (spent and (waits or message.stop_reason in _UNFINISHED)):
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
        case EditedTurn(old, new):
            return _edited_turn(turn, old, new)
        case "response":
            return await _response(runner, "pushes")
        case "history":
            raise BadInput("the scenario pushes the history; this runner shows it only where it is set")
        case (role, text):
            return _message(role, text)


async def _set_messages(runner: Any, turn: Any, pieces: Sequence[Piece]) -> None:
    """Replace the history. Only the function for ``set_messages_params`` sees it, so that function replaces it."""
    messages = [None if piece == "history" else await _piece(runner, turn, piece) for piece in pieces]

    def replaced(params: Any) -> Any:
        put = [params["messages"] if message is None else [message] for message in messages]
        return {**params, "messages": [message for each in put for message in each]}

    runner.set_messages_params(replaced)


def _edited_turn(turn: Any, old: str, new: str) -> Any:
    blocks = [block.to_dict() for block in turn.content]
    edited = [{**block, "text": block["text"].replace(old, new)} if "text" in block else block for block in blocks]
    if edited == blocks:
        raise BadInput(f"the scenario edits {old!r}; the turn does not say that")
    return {"role": turn.role, "content": edited}


async def _response(runner: Any, does: str) -> Any:
    response = await runner.generate_tool_call_response()
    if response is None:
        raise BadInput(f"the scenario {does} a tool response; the turn asked for no tool")
    return response


def _edit(response: Any, old: str, new: str) -> None:
    """Change the text of the results in place: the runner appends the same message object that it returned."""
    edited = False
    for block in response["content"]:
        edited = edited or old in block["content"]
        block["content"] = block["content"].replace(old, new)
    if not edited:
        raise BadInput(f"the scenario edits {old!r}; the tool response does not say that")
