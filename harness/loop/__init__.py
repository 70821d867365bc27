"""The reference loop: an agent on the official SDKs that keeps every rule the harness judges by.

Light modules are imported at once, the agent and its tools when they are first used. A provider SDK is imported only
with a session module.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from harness.loop.partial_arguments import PartialArguments
from harness.loop.policy import (
    HUGIND,
    POLICIES,
    PYDANTIC_AI,
    RESILIENT,
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
    from harness.loop.agent import Agent, AgentConversation
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
    "RESILIENT",
    "SCREENSHOT_TO_CODE",
    "TOOL_RUNNER",
    "Agent",
    "AgentConversation",
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

_LATER = ("outcome", "deferral", "progress", "tools", "run", "agent", "runner", "side_by_side")
"""The modules that are imported, one after another, until one has the requested name."""


def __getattr__(name: str) -> Any:
    for each in () if name.startswith("_") else _LATER:
        module = import_module(f"{__name__}.{each}")
        if name in vars(module):
            globals()[name] = value = getattr(module, name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
