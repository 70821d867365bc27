"""Events of pydantic-ai, mapped to ours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic_ai import DeferredToolRequests
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    IncompleteToolCall,
    ModelAPIError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)
from pydantic_ai.messages import (
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallEvent,
    ToolCallPart,
    ToolResultEvent,
    ToolReturnPart,
)
from pydantic_ai.run import AgentRunResult

from harness.targets.base import CaseRun
from harness.targets.drivers.conversation import turns_before
from harness.trace import Assistant, Failure, Final, Thinking, ToolResult, ToolStart, TurnStart

_OUTCOMES = {"length": "truncated", "content_filter": "refused"}
"""The outcome by ``result.response.finish_reason``. Any other reason means an answer."""

_RETRIES = "exceeded max"
"""The error text for a tool or an output without a retry left. The library has no own exception for it."""


def end_of(error: AgentRunError) -> Final | Failure | None:
    """How the run ended, if the library has an exception for that; None if the exception is only an error.

    An error in a stream is raised with the status that it would have had before the stream; its text shows this.
    """
    match error:
        case ContentFilterError():
            return Final("", "refused")
        case IncompleteToolCall():
            return Final("", "truncated")
        case UsageLimitExceeded():
            return Failure("turn-limit", str(error))
        case UnexpectedModelBehavior() if _RETRIES in str(error).lower():
            return Failure("tool-retries", str(error))
        case ModelAPIError(in_stream=True):
            return Failure("stream", str(error))
        case _:
            return None


class CaseEvents:
    """The events of one case, over all its runs."""

    def __init__(self, case_run: CaseRun) -> None:
        self._emit = case_run.emit
        self._state = case_run.state
        self._before = self._turn = turns_before(case_run)
        self._started: set[str] = set()
        self._passed_over: set[str] = set()
        self._asked = False

    def turn(self) -> None:
        """The model is about to be asked."""
        self._turn += 1
        self._state["turns"] = self._turn
        self._started.clear()
        self._passed_over.clear()
        self._asked = True
        self._emit(TurnStart(self._turn - self._before))

    def response(self, response: ModelResponse) -> None:
        """Emit a whole response, unless an earlier run of the case has emitted it."""
        for part in response.parts if self._asked else ():
            self._part(part)
        self._asked = False

    def event(self, event: Any) -> None:
        """Take an event of the model's stream or of the tools' stream."""
        match event:
            case PartStartEvent(part=part):
                self._part(part)
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                self._text(text)
            case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=text)):
                self._thinking(text or "")
            case ToolCallEvent(part=call, args_valid=valid):
                self._start(call, valid)
            case ToolResultEvent(part=returned):
                self._result(returned)

    def begun(self, ids: Iterable[str]) -> None:
        """Calls with these ids were announced when they were deferred, in an earlier run of the case."""
        self._started.update(ids)

    def wait(self) -> None:
        """Nothing was run: calls wait."""
        self._emit(Final("", "deferred"))

    def end(self, result: AgentRunResult[Any]) -> None:
        """The run has ended with this result, or waits."""
        if isinstance(result.output, DeferredToolRequests):
            self.wait()
            return
        outcome = _OUTCOMES.get(result.response.finish_reason or "", "completed")
        self._emit(Final("", outcome, result.output if isinstance(result.output, str) else None))

    def _part(self, part: Any) -> None:
        match part:
            case TextPart(content=text):
                self._text(text)
            case ThinkingPart(content=text):
                self._thinking(text)

    def _text(self, text: str) -> None:
        if text:
            self._emit(Assistant(text, f"text-{self._turn}"))

    def _thinking(self, text: str) -> None:
        if text:
            self._emit(Thinking(text, f"thinking-{self._turn}"))

    def _start(self, call: ToolCallPart, valid: bool | None) -> None:
        """A call that waits is announced when it is deferred, and again by the run that has its result.

        That run takes up the calls before it asks the model, so a later call with the same id is another call.

        A call whose arguments are unchecked (``valid`` None) when it is first announced is skipped: its result says so,
        although the library calls it a success.
        """
        if call.tool_call_id in self._started:
            return
        self._started.add(call.tool_call_id)
        if valid is None:
            self._passed_over.add(call.tool_call_id)
        self._emit(ToolStart(call.tool_call_id, call.tool_name, call.args_as_dict()))

    def _result(self, returned: ToolReturnPart) -> None:
        id = returned.tool_call_id
        output: Any = returned.content
        ok = returned.outcome == "success" and id not in self._passed_over
        self._emit(ToolResult(id, returned.tool_name, output, ok))
