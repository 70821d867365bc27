"""What a script does to the WebSockets of a case."""

from __future__ import annotations

from harness.endpoint.source import ScriptSource
from harness.scenario import SocketFault, TurnStep


def refused_status(script: ScriptSource | None) -> int | None:
    """The status with which a connection that is asked for now is refused, before the next step.

    0: it is closed without an answer; None: it is opened.
    """
    fault = fault_of(script)
    return fault.refuse if fault is not None and fault.refuse is not None and _once_more(script, fault) else None


def hangs(script: ScriptSource | None) -> bool:
    """Whether a connection that is asked for now is never answered, before the next step."""
    fault = fault_of(script)
    return fault is not None and fault.hangs and _once_more(script, fault)


def compresses(script: ScriptSource | None) -> bool:
    """Whether a connection that is opened now, before the next step, has its messages compressed."""
    fault = fault_of(script)
    return fault is not None and fault.compresses


def _once_more(script: ScriptSource | None, fault: SocketFault) -> bool:
    """Whether another client is kept from its connection: each is, where nothing says how many ``times``."""
    if script is None or (fault.times and script.done["refused"] >= fault.times):
        return False
    script.done["refused"] += 1
    return True


def fault_of(script: ScriptSource | None) -> SocketFault | None:
    """What the next step says of its WebSocket."""
    step = None if script is None else script.upcoming
    return step.socket if isinstance(step, TurnStep) else None
