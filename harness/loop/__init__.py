"""The reference loop: an agent on the official SDKs that keeps every rule the harness judges by.

What is light is imported at once; the agent and its tools when they are first asked for. No provider SDK is
imported before a session module is.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from harness.loop.partial_arguments import PartialArguments
from harness.loop.policy import (
    HUGIND,
    POLICIES,
    PYDANTIC_AI,
    SCREENSHOT_TO_CODE,
    TOOL_RUNNER,
    LoopPolicy,
)
from harness.loop.session import (
    AssistantDelta,
    CallResult,
    Delta,
    EditableSession,
    HttpFailed,
    ModelFile,
    OnEvent,
    ProviderSession,
    ProviderTurn,
    SessionConfig,
    StreamFailed,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
    TurnFailed,
)

if TYPE_CHECKING:
    from harness.loop.agent import Agent
    from harness.loop.deferral import Approved, DeferredCall, Denied, Supplied
    from harness.loop.outcome import AgentError, AgentResult, ModelFailed, ToolRetriesExceeded, TurnLimitExceeded
    from harness.loop.progress import RequestStep, ResponseStep
    from harness.loop.run import AgentRun
    from harness.loop.runner import Runner, ToolResponse
    from harness.loop.side_by_side import run_side_by_side
    from harness.loop.tools import FileState, ToolOutcome, ToolRuntime

__all__ = [
    "HUGIND",
    "POLICIES",
    "PYDANTIC_AI",
    "SCREENSHOT_TO_CODE",
    "TOOL_RUNNER",
    "Agent",
    "AgentError",
    "AgentResult",
    "AgentRun",
    "Approved",
    "AssistantDelta",
    "CallResult",
    "DeferredCall",
    "Delta",
    "Denied",
    "EditableSession",
    "FileState",
    "HttpFailed",
    "LoopPolicy",
    "ModelFailed",
    "ModelFile",
    "OnEvent",
    "PartialArguments",
    "ProviderSession",
    "ProviderTurn",
    "RequestStep",
    "ResponseStep",
    "Runner",
    "SessionConfig",
    "StreamFailed",
    "Supplied",
    "ThinkingDelta",
    "ToolCall",
    "ToolCallDelta",
    "ToolOutcome",
    "ToolResponse",
    "ToolRetriesExceeded",
    "ToolRuntime",
    "TurnFailed",
    "TurnLimitExceeded",
    "run_side_by_side",
]

_LATER = {
    "Agent": "harness.loop.agent",
    "AgentError": "harness.loop.outcome",
    "Approved": "harness.loop.deferral",
    "DeferredCall": "harness.loop.deferral",
    "Denied": "harness.loop.deferral",
    "FileState": "harness.loop.tools",
    "ModelFailed": "harness.loop.outcome",
    "RequestStep": "harness.loop.progress",
    "ResponseStep": "harness.loop.progress",
    "AgentRun": "harness.loop.run",
    "AgentResult": "harness.loop.outcome",
    "Runner": "harness.loop.runner",
    "Supplied": "harness.loop.deferral",
    "ToolOutcome": "harness.loop.tools",
    "ToolResponse": "harness.loop.runner",
    "ToolRetriesExceeded": "harness.loop.outcome",
    "ToolRuntime": "harness.loop.tools",
    "TurnLimitExceeded": "harness.loop.outcome",
    "run_side_by_side": "harness.loop.side_by_side",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_LATER[name]), name)
    globals()[name] = value
    return value
