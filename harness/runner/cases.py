"""Cases as work for executors: each is run on a target, judged, and stored with its trace."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

from harness.endpoint import Endpoints
from harness.endpoint.providers import provider_hosts
from harness.runner.environment import PROXIES, take_secrets, without_secrets
from harness.runner.execute import DEADLINE, Finished, execute, failed
from harness.runner.executor import with_printed
from harness.runner.judging import Judging, everything
from harness.runner.plan import PlannedCase
from harness.runner.redacting import redacted_result, run_redactor
from harness.runner.results import CaseResult
from harness.runner.sealed import behind_seal, seals_workers, why_open
from harness.runner.sources import SCRIPTED, Recording, Sources, asks_others
from harness.sealing.allowed import Sealing
from harness.targets import Target
from harness.targets.base import Preparing
from harness.targets.environment import AsProvider, without_own
from harness.trace import Event, Trace
from harness.wire import wire as wire_named
from harness.wire import wire_names

if TYPE_CHECKING:
    from harness.endpoint.authority import Authority


class _Stopped(Exception):
    """Raised if the caller of ``run`` wants no more results."""


@dataclass(frozen=True, slots=True)
class CaseWork:
    """The work for every case (``runner.executor.Work``).

    ``open_target`` makes the system under test, whose requests go to an endpoint. ``keep`` gets each case and its trace
    before its result is reported, in the process that ran it: so traces are written there and not transferred.
    ``deadline`` is in seconds. With ``as_provider`` targets connect to the providers' own hosts; its value is the
    folder with the certificates of the authorities that they must trust. ``sealing`` decides whether third-party loops
    are sealed off. ``sealed`` is whether the target's workers are, if that is known on this machine; otherwise the
    target is opened to find out. ``on_event`` gets every event of the loops after it was recorded, in any thread.
    """

    open_target: Callable[[Endpoints], Target]
    keep: Callable[[Finished], None]
    judging: Judging = field(default_factory=everything)
    deadline: float = DEADLINE
    sources: Sources = SCRIPTED
    seconds: float = 0.02
    as_provider: Path | None = None
    noun: str = "case"
    sealing: Sealing = "possible"
    on_event: Callable[[Event], None] | None = None
    sealed: bool | None = None

    def seals_workers(self) -> bool:
        """Whether the loop runs in the worker process and is sealed off with it (``executor.SealedWork``)."""
        if self.sealing == "off" or self.sealed is not None:
            return bool(self.sealed)
        target = self.open_target(Endpoints())
        with ThreadPoolExecutor(1) as pool:  # the caller's thread may have an event loop that runs
            pool.submit(lambda: asyncio.run(target.close())).result()
        return seals_workers(target, self.sources, self.sealing)

    def needs(self, item: PlannedCase, /) -> str:
        """The provider SDK that the reference loop imports for the case's wire."""
        return sdk_of(item.case.wire)

    def run(
        self,
        batches: Iterable[Sequence[PlannedCase]],
        on_finished: Callable[[CaseResult], None],
        /,
        *,
        jobs: int = 1,
        in_worker: bool = False,
    ) -> None:
        """Run the cases of each batch on one target, so that they share its clients.

        More than one job pays only if cases run in separate processes. (Measured with cases whose requests stay in the
        process: eight at once save neither wall time nor CPU time.)
        """

        stopping: list[KeyboardInterrupt | Exception] = []

        def ended(finished: Finished) -> None:
            try:
                self.keep(finished)
                on_finished(finished.result)
            except (KeyboardInterrupt, Exception) as stop:  # noqa: BLE001 - raised again when the tasks have ended
                stopping.append(stop)
                raise _Stopped from None  # out of a task an interrupt breaks off the event loop, with a traceback

        async def run() -> None:
            try:
                await self.drive(batches, ended, jobs=jobs, in_worker=in_worker)
            except KeyboardInterrupt as stop:  # asyncio.run raises that of a case itself, and forgets that of its task
                stopping.append(stop)

        try:
            asyncio.run(run())
        except* _Stopped:
            pass
        if stopping:
            raise stopping[0]

    def failed(self, item: PlannedCase, why: str, /) -> CaseResult:
        """The result of a case whose process died or was ended: ``error``, with ``why``, without secrets."""
        return redacted_result(failed(item, why), run_redactor())

    def explained(self, result: CaseResult, printed: str, /) -> CaseResult:
        """The result; if the case crashed, with its process's output after the traceback."""
        return (
            result
            if result.error is None
            else replace(result, error=run_redactor().redact_text(with_printed(result.error, printed)))
        )

    async def drive(
        self,
        batches: Iterable[Sequence[PlannedCase]],
        on_finished: Callable[[Finished], None],
        *,
        jobs: int = 1,
        in_worker: bool = False,
    ) -> None:
        """Run the cases like ``run``, inside a running event loop; ``keep`` is not called."""
        endpoints = Endpoints()
        opened = self.open_target(endpoints)
        authority = self._authority()
        if in_worker:
            self._isolate(opened)
        with self._environment(opened, in_worker=in_worker), self._placed_target(opened) as (target, listener):
            await self._run_on(target, endpoints, listener, authority, batches, on_finished, jobs, in_worker)

    @contextmanager
    def _placed_target(self, target: Target) -> Iterator[tuple[Target, socket | None]]:
        """The target to run; if its commands are sealed off, also the socket behind the seal for the endpoint."""
        if target.isolation != "command" or why_open(target, self.sources, self.sealing):
            yield target, None
            return
        with behind_seal(target) as placed:
            yield placed

    async def _run_on(
        self,
        target: Target,
        endpoints: Endpoints,
        listener: socket | None,
        authority: Authority | None,
        batches: Iterable[Sequence[PlannedCase]],
        on_finished: Callable[[Finished], None],
        jobs: int,
        in_worker: bool,
    ) -> None:
        try:
            keyed = asks_others(self.sources)
            async with endpoint(target, endpoints, authority, listener, keyed=keyed) as base_url:
                as_provider = (
                    None if authority is None else AsProvider(base_url, authority.certificates, provider_hosts())
                )
                if as_provider and in_worker:
                    _take_environment(as_provider)
                if isinstance(target, Preparing):
                    target.prepare()  # what it imports may make clients, which read the environment
                for batch in batches:
                    async with _reachable_url(batch, target, endpoints, base_url, keyed=keyed) as reached:
                        await execute(
                            batch,
                            target,
                            endpoints,
                            reached,
                            jobs=jobs,
                            judging=self.judging,
                            sources=self.sources,
                            deadline=self.deadline,
                            on_finished=on_finished,
                            as_provider=as_provider,
                            options=["--no-isolate"] if self.sealing == "off" else [],
                            on_event=self.on_event,
                        )
        finally:
            await target.close()

    def _authority(self) -> Authority | None:
        """A certificate authority for this process, whose key never leaves it."""
        if self.as_provider is None:
            return None
        from harness.endpoint.authority import Authority

        return Authority(self.as_provider)

    def _isolate(self, target: Target) -> None:
        """Restrict third-party loops to this machine, unless a model is being recorded.

        They see no secrets of the user, unless answers come from a package that may need one.
        """
        if target.isolation != "worker":
            return
        asks = asks_others(self.sources)
        if not asks:
            from harness.targets.network_guard import isolate

            isolate()
        if not asks or isinstance(self.sources, Recording):
            run_redactor()  # what is written must know them
            take_secrets(self._visible_variables(target))

    def _environment(self, target: Target, *, in_worker: bool) -> AbstractContextManager[None]:
        """Hide the user's secrets also from a loop in the process that records a model for it."""
        if in_worker or target.isolation != "worker" or not isinstance(self.sources, Recording):
            return nullcontext()
        run_redactor()
        return without_secrets(self._visible_variables(target))

    def _visible_variables(self, target: Target) -> Sequence[str]:
        """The variables that the loop may see: those that its file names, and the addresses of proxies."""
        return *getattr(target, "passes", ()), *(PROXIES if asks_others(self.sources) else ())


@dataclass(frozen=True, slots=True)
class CarriedCases:
    """Runs cases and passes on each result with its trace; ``work.keep`` stores nothing in this process."""

    work: CaseWork

    def seals_workers(self) -> bool:
        """As in ``work``."""
        return self.work.seals_workers()

    @property
    def noun(self) -> str:
        """The noun of ``work``."""
        return self.work.noun

    @property
    def deadline(self) -> float:
        """Seconds that a case may take, as in ``work``."""
        return self.work.deadline

    @property
    def seconds(self) -> float:
        """Seconds that a case takes, approximately, as in ``work``."""
        return self.work.seconds

    def needs(self, item: PlannedCase, /) -> str:
        """What a process must import to run the case, as in ``work``."""
        return self.work.needs(item)

    def run(
        self,
        batches: Iterable[Sequence[PlannedCase]],
        on_finished: Callable[[Finished], None],
        /,
        *,
        jobs: int = 1,
        in_worker: bool = False,
    ) -> None:
        """Run the cases like ``work``, and pass on each result with its trace."""
        replace(self.work, keep=on_finished).run(batches, _reported_already, jobs=jobs, in_worker=in_worker)

    def failed(self, item: PlannedCase, why: str, /) -> Finished:
        """The result of ``work`` with an empty trace."""
        return Finished(self.work.failed(item, why), Trace(item.case))

    def explained(self, result: Finished, printed: str, /) -> Finished:
        """The result with the output of its process, as in ``work``."""
        return replace(result, result=self.work.explained(result.result, printed))


def _reported_already(result: CaseResult) -> None:
    """Does nothing: the result was passed on with its trace."""


def _take_environment(as_provider: AsProvider) -> None:
    """Set up this process, which only runs the loop: the loop's clients use the endpoint as their proxy."""
    environment = {**without_own(os.environ, "harness"), **as_provider.environment()}
    os.environ.clear()
    os.environ.update(environment)


def endpoint(
    target: Target,
    endpoints: Endpoints,
    authority: Authority | None = None,
    listener: socket | None = None,
    *,
    keyed: bool = False,
) -> AbstractAsyncContextManager[str]:
    """The URL at which the target reaches the endpoint while the block runs: in this process, or over loopback HTTP.

    With an ``authority`` it is also reached under the providers' hosts. ``listener`` and ``keyed``: see ``serving``.
    """
    if target.isolation == "in-process":
        return nullcontext("http://harness")
    from harness.endpoint.server import serving

    return serving(endpoints, authority=authority, listener=listener, keyed=keyed)


def _reachable_url(
    batch: Sequence[PlannedCase], target: Target, endpoints: Endpoints, base_url: str, *, keyed: bool
) -> AbstractAsyncContextManager[str]:
    """The URL at which the target reaches the endpoint for these cases. A channel always needs a real socket."""
    if target.isolation != "in-process" or not any(item.case.transport for item in batch):
        return nullcontext(base_url)
    from harness.endpoint.server import serving

    return serving(endpoints, keyed=keyed)


def sdk_of(wire: str) -> str:
    """The SDK that cases of ``wire`` need, or the wire itself if no SDK is known."""
    return wire_named(wire).provider.sdk or wire if wire in wire_names() else wire
