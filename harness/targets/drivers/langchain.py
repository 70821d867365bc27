"""LangChain's agent, ``create_agent``, on both of OpenAI's APIs and on Anthropic's, told by the stream of its graph.

The library's defaults are kept, tracing by LangSmith apart. Tools are plain functions, whose arguments the library
checks; a tool that raises raises. Google's models are left out: ``langchain-google-genai`` 4 wants ``google-genai`` 2,
and the harness itself is built on 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.targets.base import CaseRun
from harness.targets.tools import CallableTool
from harness.targets.typed import checked_type, signed, typed_arguments
from harness.trace import Assistant, Failure, Final, JsonValue, Thinking, ToolResult, ToolStart

if TYPE_CHECKING:
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


async def run(case_run: CaseRun) -> None:
    """Run the case on the wire that it names. Raises what the library raises; its limits are emitted as events."""
    from langchain.agents import create_agent
    from langchain.agents.middleware.model_call_limit import ModelCallLimitExceededError
    from langgraph.errors import GraphRecursionError
    from langsmith import tracing_context

    agent: Any = create_agent(
        _model(case_run),
        [_tool(tool) for tool in case_run.callables],
        system_prompt="\n".join(text for role, text in case_run.prompt if role == "system") or None,
        middleware=_limit(case_run),
    )
    prompt = [{"role": role, "content": text} for role, text in case_run.prompt if role != "system"]
    mapper = _MessageMapper(case_run)
    try:
        with tracing_context(enabled=False):
            async for mode, update in agent.astream({"messages": prompt}, stream_mode=["messages", "updates"]):
                mapper.piece(*update) if mode == "messages" else mapper.step(update)
    except (GraphRecursionError, ModelCallLimitExceededError) as error:
        case_run.emit(Failure("turn-limit", str(error)))
    else:
        mapper.end()


def _model(case_run: CaseRun) -> BaseChatModel:
    settings: dict[str, Any] = {"model": case_run.model, "api_key": case_run.api_key}
    settings["disable_streaming"] = not case_run.stream
    if case_run.wire == "anthropic-messages":
        from langchain_anthropic import ChatAnthropic

        return ChatAnthropic(base_url=case_run.base_url, **settings)
    from langchain_openai import ChatOpenAI

    responses = case_run.wire == "openai-responses"
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
