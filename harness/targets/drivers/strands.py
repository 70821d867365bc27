"""Strands Agents on Amazon Bedrock: ``Agent`` with ``BedrockModel``, seen by the events of ``stream_async``.

The library's defaults are kept. Tools are functions under its decorator, with the schema that the model is offered. The
library checks their arguments by the types of the signature, and turns an exception of a tool into an error result.

A further run is a new agent that has loaded the snapshot of the previous one. ``Agent.cancel`` ends a run at its next
checkpoint: tools that run are finished first. ``interrupt`` of a hook stops calls that need approval, as on the
library's page about interrupts. A run goes on with the responses that exist, and the other calls are interrupted again.
If the user says something else instead, only the messages are loaded, and the agent gives the open calls a result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from typing import Final as Constant

from harness.scenario import Resolve
from harness.targets.base import CaseRun
from harness.targets.drivers.conversation import keep, live, stored, system_texts, turns_before, user_texts
from harness.targets.tools import CallableTool
from harness.targets.typed import python_type, signed, typed_arguments
from harness.trace import Assistant, Failure, Final, JsonValue, Thinking, ToolResult, ToolStart

if TYPE_CHECKING:
    from strands import Agent
    from strands.agent import AgentResult
    from strands.hooks import BeforeToolCallEvent
    from strands.models import BedrockModel
    from strands.types.agent import AgentInput

_OUTCOMES = {"guardrail_intervened": "refused", "content_filtered": "refused"}
"""The outcome by ``stop_reason`` of the result. Any other reason means an answer."""

_WAITING: Constant = "waiting"
"""The key of the interrupts that wait for a response: their ids, and the names of their tools."""
_THINKING: Constant[Any] = {"thinking": {"type": "enabled", "budget_tokens": 1024}}


async def run(case_run: CaseRun) -> None:
    """Run the case. Raises what the library raises, except for a token limit, which is emitted as an outcome."""
    from strands.types.exceptions import MaxTokensReachedException

    model = _model(case_run)
    try:
        agent = _agent(case_run, model)
        case_run.on_cancel(agent.cancel)
        try:
            await _run_agent(case_run, agent)
        except MaxTokensReachedException:
            case_run.emit(Final("", "truncated"))
        finally:
            _keep(case_run, agent)
    finally:
        model.client.close()


async def _run_agent(case_run: CaseRun, agent: Agent) -> None:
    """Run the agent, and report what it streams."""
    from strands.hooks import BeforeToolCallEvent

    mapper = _StrandsEvents(case_run, agent)
    agent.add_hook(mapper.call, BeforeToolCallEvent)
    if unapproved := {tool.declaration.name for tool in case_run.tools if tool.kind == "unapproved"}:
        agent.add_hook(_asks_first(unapproved), BeforeToolCallEvent)
    limits: Any = None if case_run.turn_limit is None else {"turns": case_run.turn_limit}
    async for event in agent.stream_async(_begins(case_run), limits=limits):
        mapper.event(event)


def _begins(case_run: CaseRun) -> AgentInput:
    """The input of the run: what the user says, or decides about the calls that wait."""
    waiting: Any = case_run.state.pop(_WAITING, [])
    if case_run.resolve:
        return _responses(case_run, waiting)
    return [{"text": text} for text in user_texts(case_run)]


# --- the agent -------------------------------------------------------------------------------------------------------


def _model(case_run: CaseRun) -> BedrockModel:
    from boto3 import Session
    from strands.models import BedrockModel

    session = Session(
        aws_access_key_id=case_run.api_key, aws_secret_access_key=case_run.api_key, region_name="us-east-1"
    )
    return BedrockModel(
        boto_session=session,
        endpoint_url=case_run.base_url,
        model_id=case_run.model,
        streaming=case_run.stream,
        additional_request_fields=_THINKING if case_run.reasons else None,
    )


def _agent(case_run: CaseRun, model: BedrockModel) -> Agent:
    from strands import Agent

    agent = Agent(
        model=model,
        tools=[_tool(tool) for tool in case_run.callables],
        system_prompt="\n".join(system_texts(case_run)) or None,
        callback_handler=None,
    )
    _load(case_run, agent)
    return agent


def _tool(tool: CallableTool) -> Any:
    from strands import ToolContext
    from strands import tool as decorated

    async def call(context: ToolContext, **arguments: Any) -> JsonValue:
        return await tool(typed_arguments(tool, arguments), id=context.tool_use["toolUseId"])

    function = signed(call, tool, python_type, context=ToolContext, described=False)
    schema: Any = {"json": dict(tool.parameters)}
    return decorated(name=tool.name, description=tool.description, inputSchema=schema, context="context")(function)


# --- what waits for the user -----------------------------------------------------------------------------------------


def _asks_first(unapproved: set[str]) -> Any:
    """A hook that interrupts the run for each call of these tools, until its user has responded."""

    def ask(event: BeforeToolCallEvent) -> None:
        name = event.tool_use["name"]
        if name in unapproved:
            response = event.interrupt(name)
            if response["how"] != "approve":
                event.cancel_tool = str(response["value"])

    return ask


def _responses(case_run: CaseRun, waiting: list[list[str]]) -> Any:
    """The responses to those interrupts whose tools this run decides about."""
    responses = []
    for round in case_run.resolve:
        for name, words in round.items():
            ids = [id for id, tool in waiting if tool == name]
            for id, word in zip(ids, words if isinstance(words, tuple) else (words,) * len(ids), strict=True):
                responses.append({"interruptResponse": {"interruptId": id, "response": _word(word)}})
    return responses


def _word(word: Resolve) -> dict[str, JsonValue]:
    return {"how": word.how, "value": word.value}


# --- what the next run finds -----------------------------------------------------------------------------------------


def _keep(case_run: CaseRun, agent: Agent) -> None:
    """Leave the snapshot of the agent and, for another process, its JSON."""
    if case_run.has_timeline:
        snapshot = agent.take_snapshot(preset="session")
        keep(case_run, [_as_json(snapshot.to_dict())], snapshot)


def _load(case_run: CaseRun, agent: Agent) -> None:
    """Load what the previous run has left. Without a decision no call waits any longer."""
    from strands import Snapshot

    snapshot = live(case_run)
    if snapshot is None and (written := stored(case_run)):
        snapshot = Snapshot.from_dict(_from_json(written[0]))
    if snapshot is None:
        return
    if not case_run.resolve:
        snapshot.data.pop("interrupt_state", None)
    agent.load_snapshot(snapshot)


def _as_json(value: Any) -> Any:
    """The value with its bytes as the library's session managers write them."""
    from strands.types.session import encode_bytes_values

    return encode_bytes_values(value)


def _from_json(value: Any) -> Any:
    from strands.types.session import decode_bytes_values

    return decode_bytes_values(value)


class _StrandsEvents:
    """Maps the events of the library to ours.

    A message of the model does not mean that its calls will run, so the hook before each call announces it. A call
    with an unknown name is answered without that hook; its result announces it.
    """

    def __init__(self, case_run: CaseRun, agent: Agent) -> None:
        self._emit = case_run.emit
        self._state = case_run.state
        self._turn = turns_before(case_run)
        self._calls = _calls(agent.messages[-1]["content"] if agent.messages else [])
        self._waited = set(self._calls)
        self._started = set(self._calls)

    def event(self, event: dict[str, Any]) -> None:
        """One event of the stream."""
        if "start_event_loop" in event:
            self._turn += 1
            self._state["turns"] = self._turn
        elif event.get("data"):
            self._emit(Assistant(event["data"], f"text-{self._turn}"))
        elif event.get("reasoningText"):
            self._emit(Thinking(event["reasoningText"], f"thinking-{self._turn}"))
        elif "message" in event:
            self._message(event["message"])
        elif "result" in event:
            self._end(event["result"])

    def call(self, event: BeforeToolCallEvent) -> None:
        """A call is about to run. A call that has waited was announced in the previous run, and comes here again."""
        id = event.tool_use["toolUseId"]
        if id in self._waited:
            self._waited.remove(id)
        else:
            self._start(event.tool_use)

    def _start(self, called: Any) -> None:
        self._started.add(called["toolUseId"])
        self._emit(ToolStart(called["toolUseId"], called["name"], called["input"]))

    def _message(self, message: Any) -> None:
        """Take a message that was added to the history: the model's, or one with results."""
        if message["role"] == "assistant":
            self._calls = _calls(message["content"])
            self._started.clear()
        for block in message["content"]:
            if done := block.get("toolResult"):
                self._result(done)

    def _result(self, done: Any) -> None:
        called = self._calls[done["toolUseId"]]
        if done["toolUseId"] not in self._started:
            self._start(called)
        output, ok = _output(done["content"]), done["status"] == "success"
        self._emit(ToolResult(done["toolUseId"], called["name"], output, ok))

    def _end(self, result: AgentResult) -> None:
        match result.stop_reason:
            case "cancelled":
                return
            case "interrupt":
                self._state[_WAITING] = [[each.id, each.name] for each in result.interrupts or ()]
                self._emit(Final("", "deferred"))
            case "limit_turns":
                self._emit(Failure("turn-limit", "limit_turns"))
            case reason:
                texts = [block["text"] for block in result.message["content"] if "text" in block]
                self._emit(Final("", _OUTCOMES.get(reason, "completed"), "".join(texts)))


def _calls(content: list[Any]) -> dict[str, Any]:
    """The calls in a message, by their ids."""
    return {block["toolUse"]["toolUseId"]: block["toolUse"] for block in content if "toolUse" in block}


def _output(content: list[Any]) -> JsonValue:
    """What a tool has returned: the text of a single block, else all blocks."""
    return content[0]["text"] if len(content) == 1 and "text" in content[0] else content
