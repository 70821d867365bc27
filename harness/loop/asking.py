"""Asks the model for one turn. The request is sent again while that is allowed and the user has seen nothing."""

from __future__ import annotations

from collections.abc import Mapping

from harness.loop.effects import Emit, Flow, StreamTurn, Wait
from harness.loop.live import LiveTurn, Previews
from harness.loop.outcome import ModelFailed
from harness.loop.policy import LoopPolicy
from harness.loop.progress import Progress
from harness.loop.session import HttpFailed, ProviderTurn, StreamFailed, TurnFailed
from harness.trace import Failure, ToolResult, TurnStart

_TRANSIENT = frozenset({408, 409, 429})
_FIRST_WAIT, _LONGEST_WAIT, _LONGEST_RETRY_AFTER = 0.5, 8.0, 60.0  # seconds; the official SDKs' own figures


def ask(tools: Previews, policy: LoopPolicy, progress: Progress) -> Flow[tuple[ProviderTurn, LiveTurn]]:
    """Return the next turn, and what was emitted of it. Raises ``ModelFailed`` after emitting its ``Failure``."""
    progress.turns += 1
    yield Emit(TurnStart(progress.turns))
    name = f"{progress.turns_before + progress.turns}"
    attempt = 0
    whole = False
    while True:
        live = LiveTurn(name, tools, policy.preview_step, policy.preview_growth)
        progress.requests += 1
        progress.announced = live.waiting
        try:
            turn: ProviderTurn = yield StreamTurn(live.hear, whole)
        except TurnFailed as failure:
            if isinstance(failure, StreamFailed) and policy.broken_stream == "ask-whole" and not whole:
                whole, name = True, f"{name}-again"  # texts with ids of their own: the broken answer is dropped
                yield from end_waiting(live.waiting, f"Not run: {failure}")
                continue
            if attempt == policy.retries or not _is_transient(failure):
                yield from end_waiting(live.waiting, f"Not run: {failure}")
                yield Emit(Failure(failure.kind, str(failure)))
                raise ModelFailed(str(failure)) from failure
            yield Wait(_wait(failure, attempt))
        else:
            progress.received(turn)
            return turn, live
        attempt += 1


def end_waiting(waiting: Mapping[str, str], error: str) -> Flow[None]:
    """Emit the end of calls (id to name) that will not be run and whose beginning was emitted."""
    for id, name in waiting.items():
        yield Emit(ToolResult(id, name, {"error": error}, ok=False))


def _is_transient(failure: TurnFailed) -> bool:
    """Whether the same request may succeed later. A stream that broke had begun, so it is not requested again."""
    if not isinstance(failure, HttpFailed):
        return False
    return failure.status is None or failure.status in _TRANSIENT or failure.status >= 500


def _wait(failure: TurnFailed, attempt: int) -> float:
    """Seconds until the next attempt: what the provider asked for, within reason, or a doubling wait.

    It has no jitter, unlike the SDKs: a run must be reproducible.
    """
    asked = failure.retry_after if isinstance(failure, HttpFailed) else None
    if asked is not None and asked >= 0:
        return min(asked, _LONGEST_RETRY_AFTER)
    return float(min(_FIRST_WAIT * 2**attempt, _LONGEST_WAIT))
