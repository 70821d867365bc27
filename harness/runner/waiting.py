"""Whether a loop that has not ended in time waits to ask again, as loops do that wait longer after each refusal."""

from __future__ import annotations

from typing import Final

from harness.targets.declaration import is_asked_again
from harness.trace import RequestRecord, ResponseRecord, Trace

_WAIT: Final = 1.0
"""Seconds of a wait that a loop has chosen; less may be a busy machine."""

_GROWS: Final = 4
"""How many times longer than those before it a wait may be."""


def waits_to_ask_again(trace: Trace, deadline: float) -> str:
    """Why nothing is known of how the loop ends; empty where it does not wait after a refusal.

    It has waited and asked again before, and since the last refusal no longer than the next wait may take. ``deadline``
    is when the case was broken off, in seconds since its beginning.
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
