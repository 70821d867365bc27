"""Drives the runs of one case and the acts of its caller during them: the timeline of the scenario.

No clock is used: the caller acts at the moment that the scenario names, and a running tool or an arriving response
stops there until the run is over. If the loop continues nevertheless, the tool or response continues, too. A run that
does not end at all is ended.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from harness.endpoint import CaseEndpoint, Pause
from harness.rules.contracts import contract_of
from harness.runner.showing import Showing
from harness.scenario import CallerAct, NextRun, Round, Scenario, When
from harness.targets.agent.watching import watch
from harness.targets.base import CaseRun, Target
from harness.targets.failed import TargetFailed
from harness.targets.moments import ToolMoment
from harness.trace import CallerRecord, JsonValue
from harness.wire import Call, Reply, ThinkingPart

_PATIENCE: Final = 5.0
"""Seconds within which a cancelled run should end; after that the tool or the response continues."""

_GRACE: Final = 5.0
"""Further seconds for a loop that has continued to reach its end, so that the rules can judge what it did."""

_TRICKLE: Final = 1.0
"""Seconds over which the rest of an answer is delivered, piece by piece, if stopping it was in vain. A loop may check
for its cancellation only when the next piece comes."""

_PARTING: Final = 1.0
"""Seconds between two attempts to end a run that does not end by itself."""


class Timeline:
    """Drives the runs of a case one after another, and performs the caller's acts in them."""

    def __init__(self, scenario: Scenario, endpoint: CaseEndpoint, emits: frozenset[str] | None = None) -> None:
        """``emits`` are the kinds of the events that the loop emits; None for all."""
        self._left = list(scenario.acts)
        self._taking = threading.Lock()  # moments come from the endpoint and from tools in the thread of a loop
        self._runs = scenario.runs
        self._compact_at = contract_of(scenario.profile).compact_at
        self._model = ""
        self._endpoint = endpoint
        endpoint.unreached = [str(each.when) for each in self._left]
        self._issued: Callable[[], Sequence[Sequence[Call]]] = tuple
        self._ended: list[str] = []
        self._failed: list[str] = []
        self._current = _Run()
        endpoint.pauses = self._pauses
        self._showing = Showing(emits)
        endpoint.after_event = self._showing.emitted

    async def drive(self, target: Target, case_run: CaseRun) -> None:
        """Drive all runs.

        Raises what the target raises, and ``TargetFailed`` for a store that is no JSON and for a run that does not end
        after its cancellation.
        """
        first = replace(
            case_run,
            has_timeline=True,
            on_cancel=self._on_cancel,
            on_say=self._on_say,
            at_tool=self._at_tool,
        )
        self._issued = case_run.issued
        await self._one(target, first)
        run = first
        for number, begins in enumerate(self._runs, 2):
            if begins.compacted:
                await self._compact(target, run)
            compacted = begins.compacted or self._compacts_by_itself()
            before, run = run, self._next(run, number, begins)
            switches = (run.model, run.wire) != (before.model, before.wire)
            model, wire = (begins.model, begins.wire) if switches else ("", "")
            record = CallerRecord("run", begins.says, compacted, begins.resumed, model, wire)
            self._endpoint.recorder.happened(
                replace(record, resolved=_words(begins.resolves), key=run.api_key != before.api_key)
            )
            if begins.says:
                self._endpoint.apart.goes_on_with(begins.says, compacted=compacted)
            if compacted or switches:
                self._endpoint.apart.make_anew()
            await self._one(target, run)

    def _compacts_by_itself(self) -> bool:
        """Whether the loop's contract demands that it compacts so long a history by itself before the next run."""
        turns = self._endpoint.apart.main.issued.turns
        return self._compact_at is not None and bool(turns) and turns[-1][1].turn.usage.input >= self._compact_at

    async def _compact(self, target: Target, before: CaseRun) -> None:
        """Make the loop compact its history. Its requests during that do not belong to the main conversation."""
        self._endpoint.recorder.happened(CallerRecord("compact"))
        self._endpoint.apart.step_aside()
        await self._one(target, replace(before, compacts=True, prompt=()))
        self._endpoint.apart.step_back()

    def _next(self, before: CaseRun, number: int, begins: NextRun) -> CaseRun:
        if begins.wire == before.wire and before.as_provider is None:
            before = _elsewhere(before, number)
        if begins.key:
            before = replace(before, api_key=f"{before.api_key}-{number}")
        return replace(
            before,
            number=number,
            prompt=(("user", begins.says),) if begins.says else (),
            resolve=(begins.resolves,) if begins.resolves else (),
            state=_stored_state(before.state) if begins.resumed else before.state,
            resumed=begins.resumed,
            model=begins.model or before.model,
            wire=begins.wire or before.wire,
        )

    async def _one(self, target: Target, case_run: CaseRun) -> None:
        task = asyncio.create_task(_run_target(target, case_run))
        loop = asyncio.get_running_loop()
        self._current = current = _Run(lambda: loop.call_soon_threadsafe(task.cancel))
        watching = self._watching(case_run)
        try:
            await _wait_for_end(task, current)
        except asyncio.CancelledError:  # the deadline of the case
            task.cancel()
            await task
            raise
        finally:
            current.over.set_result(None)
            watching.cancel()
        if not task.cancelled() and (exits := task.result()) is not None:
            raise exits
        if current.raised is not None:
            what = f"{type(current.raised).__name__}: {current.raised}"
            raise TargetFailed(f"What the loop has named by 'on_cancel' or 'on_say' has raised {what}") from None

    def _watching(self, case_run: CaseRun) -> asyncio.Task[None]:
        """A task that looks for the files of the remaining moments during a run."""
        paths = [each.when.file for each in self._left if each.when.file]
        folders = case_run.workspace
        work = watch(folders, paths, self._act_on_file) if folders is not None and paths else asyncio.sleep(0)
        return asyncio.create_task(work)

    def _act_on_file(self, path: str) -> None:
        self._act_at(When(file=path))

    # --- requests of the target --------------------------------------------------------------------------------

    def _on_cancel(self, cancel: Callable[[], object]) -> None:
        self._current.cancel = cancel

    def _on_say(self, say: Callable[[str], object]) -> None:
        self._current.listeners.append(say)

    # --- moments -----------------------------------------------------------------------------------------------

    def _at_tool(self, turn: int, call: int, moment: ToolMoment) -> Awaitable[bool] | None:
        ended = moment != "begun"
        if ended:
            id = self._issued()[turn - 1][call - 1].id or ""
            self._ended.append(id)
            self._failed += [id] * (moment == "failed")
        self._act_at(When(turn=self._turn_of_the_script(turn), call=call, ended=ended))
        # A tool that has ended returns its result to the loop, which continues no further than its next step.
        return self._current.ended() if self._current.is_cancelled and not ended else None

    def _turn_of_the_script(self, turn: int) -> int:
        """The number of an answer within the main conversation; 0 for a side conversation, such as a summary."""
        answer = tuple(self._endpoint.replies.values())[turn - 1]
        numbers = (number for number, reply in enumerate(self._endpoint.issued.replies, 1) if reply is answer)
        return next(numbers, 0)

    def _act_and_wait(self, when: When) -> Awaitable[bool] | None:
        """Perform the caller's act at this moment. The result is awaited before anything continues."""
        return self._current.ended() if self._act_at(when) else None

    def _act_at(self, when: When) -> bool:
        """Perform the caller's act at this moment. Returns whether it ends the run."""
        with self._taking:
            now = [each for each in self._left if each.when == when]
            self._left = [each for each in self._left if each not in now]
            self._endpoint.unreached = [str(each.when) for each in self._left]
        cancels = [self._act(each) for each in now]
        return any(cancels)

    def _act(self, act: CallerAct) -> bool:
        """Perform the act. Returns whether it ends the run."""
        answering = bool(act.when.request or act.when.characters or act.when.thinking)
        ended, failed = tuple(self._ended), tuple(self._failed)
        record = CallerRecord(act.does, act.text, ended=ended, failed=failed, answering=answering)
        self._endpoint.recorder.happened(record)
        if act.does == "cancel":
            self._current.cancel_now()
            return True
        for say in self._current.listeners:
            self._current.attempt(partial(say, act.text))
        return False

    def _pauses(
        self, request: int, turn: int, chunks: Sequence[bytes], read: Callable[[int], Reply]
    ) -> tuple[Pause, ...]:
        if self._current.is_cancelled:  # it was on its way when the run was cancelled
            return (Pause(0, self._current.ended),)
        self._showing.begin()
        found: list[tuple[int, When]] = []
        for when in dict.fromkeys(each.when for each in self._left):
            if when.request == request:
                found.append((0, when))
            elif turn and when.turn == turn and (when.characters or when.thinking):
                found.append((_chunks_needed(when, len(chunks), read), when))
        found.sort(key=lambda each: each[0])
        begins = found[0][0] + 1 if found else len(chunks)
        pauses: list[Pause] = []
        for after, when in found:
            pauses += [Pause(after, partial(self._showing.whole, partial(read, after)))] * (after > 0)
            pauses.append(Pause(after, partial(self._act_and_wait, when)))
        seconds = _TRICKLE / max(len(chunks), 1)
        pauses += [Pause(after, partial(self._current.slowed, seconds)) for after in range(begins, len(chunks))]
        return tuple(sorted(pauses, key=lambda each: each.after))


@dataclass(eq=False)
class _Run:
    """A current run. ``cancel`` ends it, ``listeners`` take the user's words, ``over`` is done at its end.

    ``cancelled`` is done once the caller has cancelled it. ``is_patient`` is false after a wait for the end in vain.
    ``raised`` is the exception of ``cancel`` or of a listener.
    """

    cancel: Callable[[], object] = lambda: None
    listeners: list[Callable[[str], object]] = field(default_factory=list)
    over: Future[None] = field(default_factory=Future)
    cancelled: Future[None] = field(default_factory=Future)
    is_patient: bool = True
    raised: Exception | None = None

    @property
    def is_cancelled(self) -> bool:
        """Whether the caller has cancelled it."""
        return self.cancelled.done()

    def cancel_now(self) -> None:
        """Cancel it for the caller; another call has no effect."""
        if not self.is_cancelled:
            self.cancelled.set_result(None)
        self.attempt(self.cancel)

    def attempt(self, callback: Callable[[], object]) -> None:
        """Call a callback of the loop. Its exceptions are no errors of the endpoint or of the current tool."""
        try:
            callback()
        except Exception as error:  # noqa: BLE001 - it is the code of somebody else
            self.raised = self.raised or error

    def ended(self) -> Awaitable[bool]:
        """An awaitable that returns whether the run is over. It waits for a limited time, and in vain only once."""
        return _RunEnd(self)

    def slowed(self, seconds: float) -> Awaitable[bool] | None:
        """An awaitable of ``seconds`` for the end of a run that has not ended in time; None for any other run."""
        return None if self.is_patient else _RunEnd(self, seconds)


@dataclass(frozen=True, slots=True)
class _RunEnd:
    """Waits, once awaited, for the end of a run. ``seconds``: wait that long, even after a wait in vain."""

    run: _Run
    seconds: float = 0.0

    def __await__(self) -> Generator[None, None, bool]:
        return self._wait().__await__()

    async def _wait(self) -> bool:
        seconds = _PATIENCE if self.run.is_patient else self.seconds
        if seconds:
            await asyncio.wait({asyncio.wrap_future(self.run.over)}, timeout=seconds)
            self.run.is_patient = self.run.over.done()
        return self.run.over.done()


async def _run_target(target: Target, case_run: CaseRun) -> SystemExit | None:
    """Run the target. A ``SystemExit`` is returned, because raising it in a task would end the process."""
    try:
        await target.run(case_run)
    except SystemExit as exits:
        return exits
    return None


async def _wait_for_end(task: asyncio.Task[SystemExit | None], run: _Run) -> None:
    """Wait for the end of a run, but only for a limited time if it is cancelled. Raises ``TargetFailed``."""
    cancelled = asyncio.wrap_future(run.cancelled)
    either: set[asyncio.Future[Any]] = {task, cancelled}
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.wait({task}, timeout=_PATIENCE + _GRACE)
    if task.done():
        return
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=_PARTING)
    raise TargetFailed(
        f"The caller has cancelled the run, and it has not ended within {_PATIENCE + _GRACE:g} s. "
        "A loop that is cancelled must end its run; one that cannot be cancelled declares no 'cancel'."
    )


def _chunks_needed(when: When, chunks: int, read: Callable[[int], Reply]) -> int:
    """The number of chunks after which the characters that ``when`` names have arrived.

    If the last chunk is needed, the moment is before it: a client that has the last chunk need not wait, and an
    incomplete document cannot be parsed.
    """
    wanted = when.characters or when.thinking
    return next((number for number in range(1, chunks) if _characters_of(when, read, number) >= wanted), chunks - 1)


def _characters_of(when: When, read: Callable[[int], Reply], chunks: int) -> int:
    try:
        reply = read(chunks)
    except ValueError:
        return 0
    if when.thinking:
        return sum(len(part.text) for part in reply.turn.parts if isinstance(part, ThinkingPart))
    if not when.call:
        return len(reply.turn.text)
    calls = reply.turn.calls
    return len(calls[when.call - 1].arguments) if len(calls) >= when.call else 0


def _elsewhere(before: CaseRun, number: int) -> CaseRun:
    """The case run with another provider of the same wire, which has its own address and key."""
    home, _, name = before.base_url.rpartition("/")
    name = f"{name}.{number}"
    before.alias(name)
    return replace(before, base_url=f"{home}/{name}", api_key=f"{before.api_key}-{number}")


def _words(resolved: Round) -> tuple[tuple[str, str], ...]:
    """The outcomes of waiting calls, as pairs of tool and outcome word."""
    each = (
        (tool, word) for tool, words in resolved.items() for word in (words if isinstance(words, tuple) else (words,))
    )
    return tuple((tool, word.how) for tool, word in each)


def _stored_state(state: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """A loop's store as another process would read it. Raises ``TargetFailed`` if it is no JSON."""
    try:
        stored: dict[str, JsonValue] = json.loads(json.dumps(state, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise TargetFailed(
            f"The 'state' of the run is no JSON ({error}); put into it what the loop stores for a later process."
        ) from None
    return stored
