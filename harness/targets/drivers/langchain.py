"""LangChain's agent, ``create_agent``, on both of OpenAI's APIs and on Anthropic's, seen by the stream of its graph.

The library's defaults are kept, except for tracing by LangSmith. Tools are plain functions, whose arguments the library
checks. An exception of a tool ends the run. Google's models are left out: ``langchain-google-genai`` 4 needs
``google-genai`` 2, but the harness itself needs 3.

A conversation is a thread of the checkpointer, ``InMemorySaver``. Another process reads its last checkpoint as a
checkpointer with a database would write it: by its ``serde``. A run is cancelled as an asyncio task. Before the next
run, calls that it has left without a result get one in the state, as LangGraph's page on INVALID_CHAT_HISTORY says:
https://docs.langchain.com/oss/python/langgraph/errors/INVALID_CHAT_HISTORY. That is done in the name of the tools'
node; without a node, langgraph 1.2 raises ``KeyError: 'model'`` where some tools had ended.

For calls that need approval ``HumanInTheLoopMiddleware`` interrupts the run before any tool of the turn runs. It takes
the decisions about all of them at once, by ``Command(resume=...)``: an earlier decision is kept until then. When the
user says something else instead, the calls get a result as above.

Two settings are not defaults. Claude is asked to think if the model of the case thinks: if a request has no thinking
and no tools, ChatAnthropic makes strings of the texts of an answer, with an empty string before its thinking. And
before Python 3.12 ChatOpenAI has no ``stream_chunk_timeout``, because a cancellation that comes with a chunk would be
lost: langchain-openai waits for each chunk with ``asyncio.wait_for``, which in that case returned the chunk
(https://github.com/python/cpython/issues/86296).
"""

from __future__ import annotations

import sys
from base64 import b64decode, b64encode
from itertools import groupby
from typing import TYPE_CHECKING, Any
from typing import Final as Constant

from harness.scenario import Resolve
from harness.targets.base import CaseRun
from harness.targets.drivers.conversation import keep, live, stored, system_texts
from harness.targets.tools import CallableTool
from harness.targets.typed import checked_type, signed, typed_arguments
from harness.trace import Assistant, Failure, Final, JsonValue, Thinking, ToolResult, ToolStart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, ToolCall, ToolMessage
    from langchain_core.tools import StructuredTool
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

_OUTCOMES = {
    "length": "truncated",
    "max_tokens": "truncated",
    "max_output_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "content_filter": "refused",
    "refusal": "refused",
}
"""The outcome by the provider's reason in ``response_metadata`` of the last message. Any other means an answer."""

_THINKING: Constant[Any] = {"type": "adaptive", "display": "summarized"}
"""Asks Claude to think, and to return its thoughts."""

_NO_RESULT: Constant = "The run has ended without a result of this call."
"""The result for the model of a call whose run was cancelled, or ended by an exception of a tool."""

_NOT_RUN: Constant = "This call was not run: the user went on before the calls of its turn were approved."
"""The result for the model of a call that waited, or was beside one, when the user went on without it."""

_DECIDED: Constant = "decided"
"""The key of the decisions, in the order of the calls that wait. They are kept until each call has one."""

_THREAD: Constant[Any] = {"configurable": {"thread_id": "conversation", "checkpoint_ns": ""}}
"""The one thread of a case's checkpointer."""


async def run(case_run: CaseRun) -> None:
    """Run the case on its wire. Raises what the library raises, except for its limits, which are emitted as events."""
    from langchain.agents import create_agent

    saver = await _saver(case_run) if case_run.has_timeline else None
    agent: Any = create_agent(
        _model(case_run),
        [_tool(tool) for tool in case_run.callables],
        system_prompt="\n".join(system_texts(case_run)) or None,
        middleware=[*_limit(case_run), *_approval(case_run)],
        checkpointer=saver,
    )
    begins = await _begins(case_run, agent)
    if begins is None:
        case_run.emit(Final("", "deferred"))
        return
    try:
        await _run_agent(case_run, agent, begins)
    finally:
        if saver is not None:
            await _keep(case_run, saver)


async def _run_agent(case_run: CaseRun, agent: Any, begins: dict[str, Any] | Command[Any]) -> None:
    """Run the agent, and report what its graph streams."""
    from langchain.agents.middleware.model_call_limit import ModelCallLimitExceededError
    from langgraph.errors import GraphRecursionError
    from langsmith import tracing_context

    mapper = _MessageMapper(case_run)
    try:
        with tracing_context(enabled=False):
            async for mode, update in agent.astream(begins, _THREAD, stream_mode=["messages", "updates"]):
                mapper.piece(*update) if mode == "messages" else mapper.step(update)
    except (GraphRecursionError, ModelCallLimitExceededError) as error:
        case_run.emit(Failure("turn-limit", str(error)))
    else:
        mapper.end()


async def _begins(case_run: CaseRun, agent: Any) -> dict[str, Any] | Command[Any] | None:
    """The input of the run: what the user says, or decides about the calls that wait; None if some still wait."""
    from langgraph.types import Command

    if case_run.resolve:
        decisions = _decisions(case_run, await agent.aget_state(_THREAD))
        return Command(resume={"decisions": decisions}) if decisions else None
    case_run.state.pop(_DECIDED, None)
    if case_run.number > 1:
        await _answer_open_calls(agent)
    return {"messages": [{"role": role, "content": text} for role, text in case_run.prompt if role != "system"]}


async def _answer_open_calls(agent: Any) -> None:
    """Give a result to each call that the previous run has left without one."""
    state = await agent.aget_state(_THREAD)
    history = state.values.get("messages", [])
    if unanswered := _missing_results(history, _NOT_RUN if state.interrupts else _NO_RESULT):
        await agent.aupdate_state(_THREAD, {"messages": [*history, *unanswered]}, as_node="tools")


def _missing_results(history: Sequence[Any], why: str) -> list[ToolMessage]:
    """A result for each call that was left without one."""
    from langchain_core.messages import ToolMessage

    answered = {message.tool_call_id for message in history if message.type == "tool"}
    called = [call for message in history if message.type == "ai" for call in message.tool_calls]
    return [
        ToolMessage(why, tool_call_id=call["id"], name=call["name"], status="error")
        for call in called
        if call["id"] not in answered
    ]


# --- what waits for the user -----------------------------------------------------------------------------------------


def _approval(case_run: CaseRun) -> list[AgentMiddleware[Any, Any]]:
    from langchain.agents.middleware import HumanInTheLoopMiddleware

    unapproved = [tool.name for tool in case_run.callables if tool.kind == "unapproved"]
    return [HumanInTheLoopMiddleware(dict.fromkeys(unapproved, True))] if unapproved else []


def _decisions(case_run: CaseRun, state: Any) -> list[dict[str, str]] | None:
    """The decisions of this and earlier runs, one for each call that waits; None if a call has no decision."""
    (waiting,) = state.interrupts
    names = [request["name"] for request in waiting.value["action_requests"]]
    decided: Any = case_run.state.setdefault(_DECIDED, [None] * len(names))
    for round in case_run.resolve:
        for name, words in round.items():
            places = [place for place, each in enumerate(names) if each == name]
            for place, word in zip(places, words if isinstance(words, tuple) else (words,) * len(places), strict=True):
                decided[place] = _decision(word)
    if None in decided:
        return None
    del case_run.state[_DECIDED]
    return list(decided)


def _decision(word: Resolve) -> dict[str, str]:
    return {"type": "approve"} if word.how == "approve" else {"type": "reject", "message": str(word.value)}


# --- what the next run finds -----------------------------------------------------------------------------------------


async def _saver(case_run: CaseRun) -> InMemorySaver:
    """The checkpointer of the conversation."""
    from langgraph.checkpoint.memory import InMemorySaver

    saver: InMemorySaver | None = live(case_run)
    if saver is None:
        saver = InMemorySaver()
        if written := stored(case_run):
            await _restore(saver, *written)
    return saver


async def _keep(case_run: CaseRun, saver: InMemorySaver) -> None:
    """Leave the checkpointer for the next run and, for another process, the contents of its last checkpoint."""
    if last := await saver.aget_tuple(_THREAD):
        format, written = saver.serde.dumps_typed([last.checkpoint, last.metadata, last.pending_writes])
        keep(case_run, [format, b64encode(written).decode()], saver)


async def _restore(saver: InMemorySaver, format: str, written: str) -> None:
    """Put a checkpoint, and what its tasks have written since, into an empty checkpointer.

    Tasks are read in the order of their paths, so the numbers here follow that order.
    """
    checkpoint, metadata, writes = saver.serde.loads_typed((format, b64decode(written)))
    config = await saver.aput(_THREAD, checkpoint, metadata, checkpoint["channel_versions"])
    for number, (task, wrote) in enumerate(groupby(writes, key=lambda write: write[0])):
        await saver.aput_writes(config, [(channel, value) for _, channel, value in wrote], task, f"{number:08}")


# --- the agent -------------------------------------------------------------------------------------------------------


def _model(case_run: CaseRun) -> BaseChatModel:
    settings: dict[str, Any] = {"model": case_run.model, "api_key": case_run.api_key}
    settings["disable_streaming"] = not case_run.stream
    if case_run.wire == "anthropic-messages":
        from langchain_anthropic import ChatAnthropic

        thinking = _THINKING if case_run.reasons else None
        return ChatAnthropic(base_url=case_run.base_url, thinking=thinking, **settings)
    from langchain_openai import ChatOpenAI

    responses = case_run.wire == "openai-responses"
    if sys.version_info < (3, 12):
        settings["stream_chunk_timeout"] = None
    return ChatOpenAI(base_url=f"{case_run.base_url}/v1", use_responses_api=responses, **settings)


def _tool(tool: CallableTool) -> StructuredTool:
    from langchain_core.tools import StructuredTool

    async def call(**arguments: Any) -> JsonValue:
        return await tool(typed_arguments(tool, arguments))

    return StructuredTool.from_function(
        coroutine=signed(call, tool, checked_type, described=False), name=tool.name, description=tool.description
    )


def _limit(case_run: CaseRun) -> list[AgentMiddleware[Any, Any]]:
    from langchain.agents.middleware import ModelCallLimitMiddleware

    if case_run.turn_limit is None:
        return []
    return [ModelCallLimitMiddleware(run_limit=case_run.turn_limit, exit_behavior="error")]


class _MessageMapper:
    """Maps the messages of the library to events."""

    def __init__(self, case_run: CaseRun) -> None:
        self._emit = case_run.emit
        self._last: AIMessage | None = None
        self._waits = False

    def piece(self, message: Any, _: Any) -> None:
        """Take a piece of a message, or a whole message that was not streamed."""
        if not message.type.lower().startswith("ai"):
            return
        for block in message.content_blocks:
            if block["type"] == "text":
                self._text(block["text"], message)
            elif block["type"] == "reasoning" and block.get("reasoning"):
                self._emit(Thinking(block["reasoning"], f"thinking-{message.id}"))
        self._text(_refusal(message), message)

    def _text(self, text: str, message: AIMessage) -> None:
        if text:
            self._emit(Assistant(text, f"text-{message.id}"))

    def step(self, update: dict[str, Any]) -> None:
        """Take what a node of the graph has added to the history, or what interrupts the run.

        The middleware adds the model's message again.
        """
        if "__interrupt__" in update:
            self._waits = True
            return
        for node, state in update.items():
            for message in (state or {}).get("messages", ()):
                if message.type == "ai" and node == "model":
                    self._answer(message)
                elif message.type == "tool":
                    self._result(message)

    def end(self) -> None:
        """The run has ended, or waits."""
        if self._waits:
            self._emit(Final("", "deferred"))
        elif self._last is None:
            self._emit(Final(""))
        else:
            self._emit(Final("", _outcome(self._last), self._last.text))

    def _answer(self, message: AIMessage) -> None:
        self._last = message
        for number, call in enumerate(message.tool_calls):
            self._emit(ToolStart(_id(call, f"{message.id}-call-{number}"), call["name"], call["args"]))

    def _result(self, message: ToolMessage) -> None:
        output: Any = message.content
        self._emit(ToolResult(message.tool_call_id, message.name or "", output, message.status == "success"))


def _id(call: ToolCall, own: str) -> str:
    """The id of the call, or ``own`` if the library has None: two calls without an id do not share one.

    No result needs ``own``: the library makes no message from the result of such a call.
    """
    return own if call["id"] is None else call["id"]


def _refusal(message: AIMessage) -> str:
    """The words in which the model declines: on Chat they are beside the content, on Responses in the content."""
    refusals = [block.get("refusal") for block in message.content if isinstance(block, dict)]
    return "".join([message.additional_kwargs.get("refusal") or "", *filter(None, refusals)])


def _outcome(message: AIMessage) -> str:
    """How the run ended, by the provider's reason in the library's message."""
    if _refusal(message):
        return "refused"
    update = message.response_metadata
    reasons = (
        update.get("finish_reason"),
        update.get("stop_reason"),
        (update.get("incomplete_details") or {}).get("reason"),
    )
    return next((_OUTCOMES[reason] for reason in reasons if reason in _OUTCOMES), "completed")
