"""Detects that a loop that has not ended in time waits to retry; many loops wait longer after each refusal."""

from __future__ import annotations

from typing import Final

from harness.targets.declaration import is_asked_again
from harness.trace import RequestRecord, ResponseRecord, Trace

_WAIT: Final = 1.0
"""Least seconds of a deliberate wait; a shorter one may be due to a busy machine."""

_GROWS: Final = 4
"""How many times longer than the earlier waits the next wait may be."""


def waits_to_ask_again(trace: Trace, deadline: float) -> str:
    """Why it is unknown how the loop ends; empty if it does not wait after a refusal.

    It waits if it has waited and retried before, and if the time since the last refusal is a plausible next wait.
    ``deadline`` is when the case was aborted, in seconds since its beginning.
    """
    waits: list[float] = []
    refused: ResponseRecord | None = None
    for record in trace.records:
        if isinstance(record, RequestRecord):
            waits += [record.at - refused.at] if refused is not None else []
        elif isinstance(record, ResponseRecord):
            refused = record if is_asked_again(record.status) else None
            waits = waits if refused is not None else []
    longest = max(waits, default=0.0)
    if refused is None or longest < _WAIT or deadline - refused.at > _GROWS * longest:
        return ""
    attempts = len(waits) + 1
    return f"waits to ask again after {attempts} attempts, for {longest:.0f} s at most so far: raise --timeout"
