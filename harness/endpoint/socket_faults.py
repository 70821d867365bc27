"""The scripted faults of a case's WebSockets."""

from __future__ import annotations

from harness.endpoint.source import ScriptSource
from harness.scenario import SocketFault, TurnStep


def refused_status(script: ScriptSource | None) -> int | None:
    """The status that refuses a connection requested now, before the next step.

    0: it is closed without an answer; None: it is opened.
    """
    fault = fault_of(script)
    return fault.refuse if fault is not None and fault.refuse is not None and _once_more(script, fault) else None


def hangs(script: ScriptSource | None) -> bool:
    """Whether the request for a connection now, before the next step, is never answered."""
    fault = fault_of(script)
    return fault is not None and fault.hangs and _once_more(script, fault)


def compresses(script: ScriptSource | None) -> bool:
    """Whether a connection opened now, before the next step, compresses its messages."""
    fault = fault_of(script)
    return fault is not None and fault.compresses


def _once_more(script: ScriptSource | None, fault: SocketFault) -> bool:
    """Whether the fault applies to one more connection; without ``times`` it applies to each."""
    if script is None or (fault.times and script.done["refused"] >= fault.times):
        return False
    script.done["refused"] += 1
    return True


def fault_of(script: ScriptSource | None) -> SocketFault | None:
    """The WebSocket fault of the next step; None without one."""
    step = None if script is None else script.upcoming
    return step.socket if isinstance(step, TurnStep) else None
