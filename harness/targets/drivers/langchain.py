"""LangChain's agent, ``create_agent``, on both of OpenAI's APIs and on Anthropic's, told by the stream of its graph.

The library's defaults are kept, tracing by LangSmith apart. Tools are plain functions, whose arguments the library
checks; a tool that raises raises. Google's models are left out: ``langchain-google-genai`` 4 wants ``google-genai`` 2,
and the harness itself is built on 3.

A conversation is a thread of the checkpointer, ``InMemorySaver``; another process begins a thread with its messages,
written by ``messages_to_dict``. A run is cancelled as an asyncio task. Calls that it has left without a result are
given one in the state before the next run, as LangGraph's page on INVALID_CHAT_HISTORY says:
https://docs.langchain.com/oss/python/langgraph/errors/INVALID_CHAT_HISTORY. That is done in the name of the tools'
node; without one, langgraph 1.2 raises ``KeyError: 'model'`` where some tools had ended.

Two settings are no defaults. Claude is asked to think where the model of the case thinks: without thinking or tools in
the request ChatAnthropic makes strings of the texts of an answer, and an empty one stands in front of its thinking. And
before Python 3.12 ChatOpenAI has no ``stream_chunk_timeout``, since a cancellation that comes with a chunk would be
lost: langchain-openai waits for each chunk with ``asyncio.wait_for``, which then returned it
(https://github.com/python/cpython/issues/86296).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from typing import Final as Constant

from harness.targets.base import CaseRun
from harness.targets.drivers.conversation import keep, live, stored, system_texts
from harness.targets.tools import CallableTool
from harness.targets.typed import checked_type, signed, typed_arguments
from harness.trace import Assistant, Failure, Final, JsonValue, Thinking, ToolResult, ToolStart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain.agents.middleware import ModelCallLimitMiddleware
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, ToolCall, ToolMessage
    from langchain_core.tools import StructuredTool

__all__ = ["run"]

_OUTCOMES = {
    "length": "truncated",
    "max_tokens": "truncated",
    "max_output_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "content_filter": "refused",
    "refusal": "refused",
}
"""What the provider's reason in ``response_metadata`` of the last message says; any other is an answer."""

_THINKING: Constant[Any] = {"type": "adaptive", "display": "summarized"}
"""Asks Claude to think, and for what it has thought."""

_NO_RESULT: Constant = "The run has ended without a result of this call."
"""What the model is told of a call whose run was cancelled, or ended by what a tool has raised."""

_THREAD: Constant[Any] = {"configurable": {"thread_id": "conversation"}}
"""The one thread of a case's checkpointer."""


async def run(case_run: CaseRun) -> None:
    """Run the case on the wire that it names. Raises what the library raises; its limits are emitted as events."""
    from langchain.agents import create_agent
    from langchain.agents.middleware.model_call_limit import ModelCallLimitExceededError
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.errors import GraphRecursionError
    from langsmith import tracing_context

    saver = (live(case_run) or InMemorySaver()) if case_run.has_timeline else None
    agent: Any = create_agent(
        _model(case_run),
        [_tool(tool) for tool in case_run.callables],
        system_prompt="\n".join(system_texts(case_run)) or None,
        middleware=_limit(case_run),
        checkpointer=saver,
    )
    begins = {"messages": await _messages(case_run, agent)}
    mapper = _MessageMapper(case_run)
    try:
        with tracing_context(enabled=False):
            async for mode, update in agent.astream(begins, _THREAD, stream_mode=["messages", "updates"]):
                mapper.piece(*update) if mode == "messages" else mapper.step(update)
    except (GraphRecursionError, ModelCallLimitExceededError) as error:
        case_run.emit(Failure("turn-limit", str(error)))
    else:
        mapper.end()
    finally:
        if saver is not None:
            await _keep(case_run, agent, saver)


async def _messages(case_run: CaseRun, agent: Any) -> list[Any]:
    """What the run begins with: the prompt, and in another process what was said before."""
    from langchain_core.messages import messages_from_dict

    prompt = [{"role": role, "content": text} for role, text in case_run.prompt if role != "system"]
    if case_run.number == 1:
        return prompt
    if live(case_run) is None:
        history = messages_from_dict(stored(case_run))
        return [*history, *_unanswered(history), *prompt]
    history = await _history(agent)
    if unanswered := _unanswered(history):
        await agent.aupdate_state(_THREAD, {"messages": [*history, *unanswered]}, as_node="tools")
    return prompt


def _unanswered(history: Sequence[Any]) -> list[ToolMessage]:
    """A result for each call that was left without one."""
    from langchain_core.messages import ToolMessage

    answered = {message.tool_call_id for message in history if message.type == "tool"}
    called = [call for message in history if message.type == "ai" for call in message.tool_calls]
    return [
        ToolMessage(_NO_RESULT, tool_call_id=call["id"], name=call["name"], status="error")
        for call in called
        if call["id"] not in answered
    ]


async def _history(agent: Any) -> list[Any]:
    messages: list[Any] = (await agent.aget_state(_THREAD)).values.get("messages", [])
    return messages


async def _keep(case_run: CaseRun, agent: Any, saver: object) -> None:
    from langchain_core.messages import messages_to_dict

    keep(case_run, messages_to_dict(await _history(agent)), saver)


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
        coroutine=signed(call, tool, checked_type), name=tool.name, description=tool.description
    )


def _limit(case_run: CaseRun) -> list[ModelCallLimitMiddleware[Any, Any]]:
    from langchain.agents.middleware import ModelCallLimitMiddleware

    if case_run.turn_limit is None:
        return []
    return [ModelCallLimitMiddleware(run_limit=case_run.turn_limit, exit_behavior="error")]


class _MessageMapper:
    """Maps the messages of the library to events."""

    def __init__(self, case_run: CaseRun) -> None:
        self._emit = case_run.emit
        self._last: AIMessage | None = None

    def piece(self, message: Any, _: Any) -> None:
        """A piece of a message, or the whole of one that was not streamed."""
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
        """What a node of the graph has added to the history."""
        for state in update.values():
            for message in (state or {}).get("messages", ()):
                if message.type == "ai":
                    self._answer(message)
                elif message.type == "tool":
                    self._result(message)

    def end(self) -> None:
        """The run has ended, with this as its last message."""
        if self._last is None:
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
    """The id of the call, or ``own`` where the library has None: calls without an id are no calls of one id.

    No result needs ``own``: the library makes no message of what such a call returns.
    """
    return own if call["id"] is None else call["id"]


def _refusal(message: AIMessage) -> str:
    """The words in which the model declines: those of Chat stand beside the content, those of Responses in it."""
    refusals = [block.get("refusal") for block in message.content if isinstance(block, dict)]
    return "".join([message.additional_kwargs.get("refusal") or "", *filter(None, refusals)])


def _outcome(message: AIMessage) -> str:
    """How the run ended, by what the library hands on of the provider's words."""
    if _refusal(message):
        return "refused"
    update = message.response_metadata
    reasons = (
        update.get("finish_reason"),
        update.get("stop_reason"),
        (update.get("incomplete_details") or {}).get("reason"),
    )
    return next((_OUTCOMES[reason] for reason in reasons if reason in _OUTCOMES), "completed")
