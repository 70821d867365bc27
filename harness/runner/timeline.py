"""The runs of one case, and what its caller does while they go on: the timeline of the scenario.

Nothing waits for a clock: what the caller does happens at the moment that the scenario names, and a tool that runs, or
a response that arrives, stops there until the run is over. If the loop goes on all the same, so does the rest.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from harness.gateway import CaseEndpoint, Pause
from harness.scenario import CallerAct, NextRun, Scenario, When
from harness.targets.base import CaseRun, Target
from harness.targets.failed import TargetFailed
from harness.trace import CallerRecord, JsonValue
from harness.wire import Reply, ThinkingPart

__all__ = ["Timeline"]

_PATIENCE: Final = 5.0
"""Seconds in which a run that is cancelled is expected to end; then the tool, or the response, goes on."""


class Timeline:
    """Drives the runs of a case one after another, and does what the caller does in them."""

    def __init__(self, scenario: Scenario, endpoint: CaseEndpoint) -> None:
        self._left = list(scenario.acts)
        self._runs = scenario.runs
        self._model = ""
        self._endpoint = endpoint
        self._current = _Run()
        endpoint.pauses = self._pauses

    async def drive(self, target: Target, case_run: CaseRun) -> None:
        """All runs. Raises what the target raises, and ``TargetFailed`` for a store that is no JSON."""
        first = replace(
            case_run,
            has_timeline=True,
            on_cancel=self._on_cancel,
            on_say=self._on_say,
            at_tool=self._at_tool,
        )
        await self._one(target, first)
        run = first
        for number, begins in enumerate(self._runs, 2):
            run = self._next(run, number, begins)
            record = CallerRecord("run", begins.says, resumed=begins.resumed, model=begins.model, wire=begins.wire)
            self._endpoint.recorder.acted(record)
            await self._one(target, run)

    def _next(self, before: CaseRun, number: int, begins: NextRun) -> CaseRun:
        return replace(
            before,
            number=number,
            prompt=(("user", begins.says),),
            state=_stored(before.state) if begins.resumed else before.state,
            resumed=begins.resumed,
            model=begins.model or before.model,
            wire=begins.wire or before.wire,
        )

    async def _one(self, target: Target, case_run: CaseRun) -> None:
        task = asyncio.create_task(target.run(case_run))
        loop = asyncio.get_running_loop()
        self._current = current = _Run(lambda: loop.call_soon_threadsafe(task.cancel))
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:  # the deadline of the case
            task.cancel()
            await task
            raise
        finally:
            current.over.set_result(None)
        if not task.cancelled():
            task.result()

    # --- what the target asks for ------------------------------------------------------------------------------

    def _on_cancel(self, cancel: Callable[[], None]) -> None:
        self._current.cancel = cancel

    def _on_say(self, say: Callable[[str], None]) -> None:
        self._current.listeners.append(say)

    # --- moments -----------------------------------------------------------------------------------------------

    def _at_tool(self, turn: int, call: int, ended: bool) -> Awaitable[None] | None:
        self._current.calls_ended += ended
        self._act_at(When(turn=turn, call=call, ended=ended))
        # A tool that has ended gives its result to the loop, which goes on no further than its next step.
        return self._current.ended() if self._current.is_cancelled and not ended else None

    def _reached(self, when: When) -> Awaitable[None] | None:
        """Do what the caller does at this moment. What is returned is awaited before anything goes on."""
        return self._current.ended() if self._act_at(when) else None

    def _act_at(self, when: When) -> bool:
        """Do what the caller does at this moment. Returns whether the run is to end by it."""
        now = [each for each in self._left if each.when == when]
        self._left = [each for each in self._left if each not in now]
        cancels = [self._act(each) for each in now]
        return any(cancels)

    def _act(self, act: CallerAct) -> bool:
        """Whether the run is to end by it."""
        self._endpoint.recorder.acted(CallerRecord(act.does, act.text, ended=self._current.calls_ended))
        if act.does == "cancel":
            self._current.is_cancelled = True
            self._current.cancel()
            return True
        for say in self._current.listeners:
            say(act.text)
        return False

    def _pauses(
        self, request: int, turn: int, chunks: Sequence[bytes], read: Callable[[int], Reply]
    ) -> tuple[Pause, ...]:
        if self._current.is_cancelled:  # it was on its way when the run was cancelled
            return (Pause(0, self._current.ended),)
        found: list[tuple[int, When]] = []
        for when in dict.fromkeys(each.when for each in self._left):
            if when.request == request:
                found.append((0, when))
            elif turn and when.turn == turn and (when.characters or when.thinking):
                found.append((_arrived(when, len(chunks), read), when))
        found.sort(key=lambda each: each[0])
        return tuple(Pause(after, partial(self._reached, when)) for after, when in found)


@dataclass(eq=False)
class _Run:
    """A run that goes on. ``cancel`` ends it, ``listeners`` take what the user says, ``over`` is done at its end.

    ``calls_ended`` are its calls that have run to their end.
    """

    cancel: Callable[[], object] = lambda: None
    listeners: list[Callable[[str], None]] = field(default_factory=list)
    over: Future[None] = field(default_factory=Future)
    is_cancelled: bool = False
    calls_ended: int = 0

    def ended(self) -> Awaitable[None]:
        """To be awaited until it is over, or not: nothing begins before."""
        return _UntilOver(self)

    async def wait(self) -> None:
        """Wait until it is over, but not for ever."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await asyncio.shield(asyncio.wrap_future(self.over))


@dataclass(frozen=True, slots=True)
class _UntilOver:
    """The end of a run, which may be awaited."""

    run: _Run

    def __await__(self) -> Generator[Any, None, None]:
        return self.run.wait().__await__()


def _arrived(when: When, chunks: int, read: Callable[[int], Reply]) -> int:
    """After how many chunks so many characters have arrived."""
    wanted = when.characters or when.thinking
    return next((number for number in range(1, chunks) if _characters_of(when, read(number)) >= wanted), chunks)


def _characters_of(when: When, reply: Reply) -> int:
    if when.thinking:
        return sum(len(part.text) for part in reply.turn.parts if isinstance(part, ThinkingPart))
    if not when.call:
        return len(reply.turn.text)
    calls = reply.turn.calls
    return len(calls[when.call - 1].arguments) if len(calls) >= when.call else 0


def _stored(state: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """What a loop has stored, as another process reads it. Raises ``TargetFailed`` for what is no JSON."""
    try:
        stored: dict[str, JsonValue] = json.loads(json.dumps(state, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise TargetFailed(
            f"The 'state' of the run is no JSON ({error}); put into it what the loop stores for a later process."
        ) from None
    return stored
