"""The reference loop: an agent on the official SDKs that keeps every rule the harness judges by.

What is light is imported at once; the agent and its tools when they are first asked for. No provider SDK is
imported before a session module is.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from harness.loop.partial_arguments import PartialArguments
from harness.loop.policy import SCREENSHOT_TO_CODE, LoopPolicy
from harness.loop.session import (
    AssistantDelta,
    Delta,
    Executed,
    HttpFailed,
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
    from harness.loop.engine import AgentError, ModelFailed, RunResult, TurnLimitExceeded
    from harness.loop.tools import FileState, ToolOutcome, ToolRuntime

__all__ = [
    "SCREENSHOT_TO_CODE",
    "Agent",
    "AgentError",
    "AssistantDelta",
    "Delta",
    "Executed",
    "FileState",
    "HttpFailed",
    "LoopPolicy",
    "ModelFailed",
    "OnEvent",
    "PartialArguments",
    "ProviderSession",
    "ProviderTurn",
    "RunResult",
    "SessionConfig",
    "StreamFailed",
    "ThinkingDelta",
    "ToolCall",
    "ToolCallDelta",
    "ToolOutcome",
    "ToolRuntime",
    "TurnFailed",
    "TurnLimitExceeded",
]

_LATER = {
    "Agent": "harness.loop.agent",
    "AgentError": "harness.loop.engine",
    "FileState": "harness.loop.tools",
    "ModelFailed": "harness.loop.engine",
    "RunResult": "harness.loop.engine",
    "ToolOutcome": "harness.loop.tools",
    "ToolRuntime": "harness.loop.tools",
    "TurnLimitExceeded": "harness.loop.engine",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_LATER[name]), name)
    globals()[name] = value
    return value
