"""Runs planned cases against a target, several at once, each with a deadline; one crash does not stop the others."""

from __future__ import annotations

import asyncio
import shlex
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from harness.endpoint import CaseEndpoint, Endpoints
from harness.errors import BadInput, HarnessError
from harness.finding import Finding
from harness.runner.agents import agent_case, unexpected_files, why_unfit
from harness.runner.conversations import conversations_of, counted
from harness.runner.event_sink import EventSink
from harness.runner.findings import (
    HUNG,
    distrust,
    hung_finding,
    is_unreached,
    judged,
    no_channel_finding,
    unreached_finding,
)
from harness.runner.guarded import opened_source
from harness.runner.judging import Judging, everything
from harness.runner.models import model_of
from harness.runner.notes import ended_in_dialect, notes_of, passed_over
from harness.runner.paths import shown, shown_in
from harness.runner.plan import PlannedCase
from harness.runner.redacting import knowing_sent, redacted_finding, redacted_result, redacted_trace, run_redactor
from harness.runner.results import CaseResult, ConversationCount, Verdict, trace_name
from harness.runner.scripts import as_played, hangs_on_thinking, without_thoughts
from harness.runner.sources import RECORDED, SCRIPTED, Opened, Sources
from harness.runner.timeline import Timeline
from harness.runner.waiting import waits_to_ask_again
from harness.scenario import Step, shipped
from harness.targets.agent import Workspace
from harness.targets.base import CaseRun, Target
from harness.targets.environment import AsProvider
from harness.trace import Event, RequestRecord, Trace
from harness.wire import wire
from harness.wire.chunking import CHUNKINGS, Chunking

if TYPE_CHECKING:
    from harness.secrets.redactor import Redactor

DEADLINE = 60.0
"""Most seconds for one case. A scripted case takes milliseconds, but shares the processor with others."""

LATE = "The case did not end within"
"""The beginning of the error of a case that has reached its deadline."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A case's verdict with the trace that it is based on."""

    result: CaseResult
    trace: Trace


async def execute(
    planned: Sequence[PlannedCase],
    target: Target,
    endpoints: Endpoints,
    base_url: str,
    *,
    jobs: int = 4,
    judging: Judging | None = None,
    sources: Sources = SCRIPTED,
    deadline: float = DEADLINE,
    on_finished: Callable[[Finished], None] | None = None,
    as_provider: AsProvider | None = None,
    options: Sequence[str] = (),
    on_event: Callable[[Event], None] | None = None,
) -> list[Finished]:
    """Run the cases, at most ``jobs`` at once; the results come back in the order of the plan.

    ``base_url`` is where the target reaches ``endpoints``; with ``as_provider`` it connects to the provider's own host
    instead. ``on_finished`` is called with each case as it ends. ``options`` are further options of ``harness run`` in
    the command that repeats a case. ``judging`` is by default ``everything()``. ``on_event`` is called with each event
    after it was recorded, in the thread that emitted it.
    """
    by = judging or everything()
    finished: dict[int, Finished] = {}
    waiting = iter(enumerate(planned))

    async def work() -> None:
        for number, item in waiting:
            finished[number] = await _run(
                item, target, endpoints, base_url, by, sources, deadline, as_provider, options, on_event
            )
            if on_finished is not None:
                on_finished(finished[number])
            await asyncio.sleep(0)  # a case in this process never waits: only here can a Ctrl-C end the run

    async with asyncio.TaskGroup() as group:
        for _ in range(max(1, min(jobs, len(planned)))):
            group.create_task(work())
    return [finished[number] for number in sorted(finished)]


def skipped(item: PlannedCase) -> Finished:
    """A case that the target cannot run."""
    trace = Trace(item.case)
    return Finished(replace(_result(item, "skip", 0.0, trace, (), None), reason=item.skip), trace)


def failed(item: PlannedCase, why: str) -> CaseResult:
    """The result, without a trace, of a case that the harness could not run to its end."""
    if why.startswith(LATE):
        found = (hung_finding(None, why),)
        return replace(_result(item, "fail", 0.0, Trace(item.case), found, None), trace=None)
    return replace(_result(item, "error", 0.0, Trace(item.case), (), why), trace=None)


async def _run(
    item: PlannedCase,
    target: Target,
    endpoints: Endpoints,
    base_url: str,
    judging: Judging,
    sources: Sources,
    deadline: float,
    as_provider: AsProvider | None,
    options: Sequence[str],
    on_event: Callable[[Event], None] | None,
) -> Finished:
    if item.skip:
        return skipped(item)
    started = time.perf_counter()
    try:
        with agent_case(item, target) as (spoken, folders):
            async with opened_source(sources, spoken.case, spoken.scenario) as opened:
                ended = await _outcome_of(
                    spoken, opened, target, endpoints, base_url, judging, deadline, as_provider, on_event, folders
                )
                if ended.crash is not None or is_hung(ended.findings):
                    raise _Crashed(ended)  # so that half a recording does not take the place of a whole one
    except _Crashed as crashed:
        ended = crashed.ended
    except BadInput as problem:  # its cassette cannot be read, or not be kept
        ended = _Ended(Trace(item.case), (), "\n".join(problem.problems))
    seconds = time.perf_counter() - started
    verdict: Verdict = "error" if ended.crash is not None else "fail" if ended.findings else "pass"
    verdict = "skip" if ended.unfit else verdict
    words = [*judging.words, *sources.words, *(["--as-provider"] if as_provider else []), *options]
    usual = target.declaration.timeout or DEADLINE
    words += [] if deadline == usual else ["--timeout", f"{deadline:g}"]
    result = _result(item, verdict, seconds, ended.trace, ended.findings, ended.crash, words)
    result = replace(
        result,
        conversations=ended.conversations,
        notes=ended.notes,
        names=ended.names,
        blocked=ended.blocked,
        not_served=ended.not_served,
        reason=ended.unfit,
    )
    return Finished(redacted_result(result, run_redactor()), ended.trace)


@dataclass(frozen=True, slots=True)
class _Ended:
    """The outcome of a case: its trace, its findings, and the traceback of a crash.

    ``unfit``: why it shows nothing about the target. The other members are as in ``CaseResult``.
    """

    trace: Trace
    findings: tuple[Finding, ...]
    crash: str | None
    conversations: tuple[ConversationCount, ...] = ()
    blocked: tuple[str, ...] = ()
    not_served: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    unfit: str = ""


class _Crashed(Exception):
    """The case did not reach its end."""

    def __init__(self, ended: _Ended) -> None:
        super().__init__(ended.crash)
        self.ended = ended


async def _outcome_of(
    item: PlannedCase,
    opened: Opened,
    target: Target,
    endpoints: Endpoints,
    base_url: str,
    judging: Judging,
    deadline: float,
    as_provider: AsProvider | None,
    on_event: Callable[[Event], None] | None,
    folders: Workspace | None,
) -> _Ended:
    endpoint = _case_endpoint(item, opened, judging)
    event_sink = EventSink(_overheard(endpoint.emitted, on_event), target.declaration.emits)
    model, notes = model_of(item.case, item.scenario, opened, target.declaration)
    prefix = endpoints.open(item.case.id, endpoint, model, channels=[item.case.transport])
    try:
        note_blocked = partial(endpoints.note_blocked, item.case.id)
        url = wire(item.case.wire).provider.base_url if as_provider else base_url + prefix
        alias = partial(endpoints.alias, case=item.case.id)
        case_run = replace(
            _case_run(item, endpoint, event_sink),
            model=model,
            base_url=url,
            note_blocked=note_blocked,
            emits=target.declaration.emits,
            as_provider=as_provider,
            alias=alias,
            workspace=folders,
        )
        crash = await _drive(item, case_run, target, endpoint, deadline)
        blocked, not_served = endpoints.blocked(item.case.id), endpoints.not_served(item.case.id)
        untrusted = endpoints.untrusted(item.case.id)
    finally:
        endpoints.close(item.case.id)
    trace, unasked = without_thoughts(event_sink.completed(endpoint.recorder.trace()), endpoint)
    found: tuple[Finding, ...] = ()
    waits = ""
    if untrusted and not trace.exchanges:
        crash = distrust(untrusted[0], crash)
    elif crash is not None and crash.startswith(LATE):
        waits = waits_to_ask_again(trace, deadline)
        found, crash = _hung(item, endpoint, opened, trace, judging, crash, is_waiting=bool(waits)), None
    elif crash is None and is_unreached(item, target, trace):
        found = (unreached_finding(trace, blocked, as_provider=as_provider is not None),)
    elif crash is None and (over_http := no_channel_finding(trace)) is not None:
        found = (over_http,)
    elif crash is None:
        spoken = replace(item, scenario=as_played(item.scenario, endpoint))
        found, crash = judged(spoken, endpoint, opened, trace, judging.rules)
    called = item.scenario.is_of_agent and opened.scripted  # a recorded model calls what it was offered
    unfit = why_unfit(item.scenario, dict(target.declaration.tools), endpoint) if called else ""
    unfit = (
        unfit
        or hangs_on_thinking(item.scenario, endpoint)
        or ("" if any(each.level != "INFO" for each in found) else waits)
    )
    if unfit:
        found, crash = (), None
    elif crash is None and opened.scripted and judging.rules.whole:
        found = (*found, *unexpected_files(item.scenario, folders))
    findings = tuple(filter(judging.counts, found))
    offered = [tool.declaration.name for tool in item.scenario.tools]
    noted = (*notes, *unasked, *notes_of(endpoint, offered), *passed_over(trace), *ended_in_dialect(trace))
    names = names_of(offered, endpoint)
    ended = _Ended(trace, findings, crash, counted(endpoint), blocked, not_served, noted, names, unfit)
    return _kept(ended, knowing_sent(opened.redactor) if opened.redactor else run_redactor(), item.scenario.steps)


def _hung(
    item: PlannedCase,
    endpoint: CaseEndpoint,
    opened: Opened,
    trace: Trace,
    judging: Judging,
    why: str,
    *,
    is_waiting: bool,
) -> tuple[Finding, ...]:
    """The findings about the requests that the loop has sent (the rest is unknown). Another finding reports that the
    loop has not ended, unless it waits to ask again."""
    found, _ = judged(item, endpoint, opened, trace, judging.rules)
    of_requests = ("continuation", "history", "offered", "retry")
    sent = [each for each in found if each.rule.partition("/")[0] in of_requests]
    return tuple(sent) if is_waiting else (*sent, hung_finding(trace, why))


def is_hung(findings: Iterable[Finding]) -> bool:
    """Whether the case was aborted because its loop did not end."""
    return any(each.rule == HUNG for each in findings)


def _overheard(record: Callable[[Event], None], on_event: Callable[[Event], None] | None) -> Callable[[Event], None]:
    """A function that records an event and then passes it on to ``on_event``."""
    if on_event is None:
        return record
    listen = on_event

    def emitted(event: Event) -> None:
        record(event)
        listen(event)

    return emitted


def names_of(offered: Sequence[str], endpoint: CaseEndpoint) -> tuple[str, ...]:
    """The names of the tools of a scenario (``offered``) and of those that were called, and the ids of the calls."""
    calls = [call for reply in endpoint.replies.values() for call in reply.turn.calls]
    return tuple(sorted({*offered, *(call.name for call in calls), *(call.id or "" for call in calls)} - {""}))


def _kept(ended: _Ended, redactor: Redactor, script: Sequence[Step]) -> _Ended:
    """The outcome without secrets."""
    return _Ended(
        redacted_trace(ended.trace, redactor, script),
        tuple([redacted_finding(each, redactor) for each in ended.findings]),
        None if ended.crash is None else redactor.redact_text(ended.crash),
        tuple([replace(each, begins=redactor.redact_text(each.begins)) for each in ended.conversations]),
        tuple([redactor.redact_text(each) for each in ended.blocked]),
        {redactor.redact_text(what): count for what, count in ended.not_served.items()},
        tuple(map(redactor.redact_text, ended.notes)),
        tuple(map(redactor.redact_text, ended.names)),
        redactor.redact_text(ended.unfit),
    )


def _case_endpoint(item: PlannedCase, opened: Opened, judging: Judging) -> CaseEndpoint:
    chunking = item.case.chunking
    assert chunking in CHUNKINGS or chunking == RECORDED, chunking  # noqa: S101 - the scenario loader checks it
    return CaseEndpoint(
        item.case,
        opened.source(),
        clock=time.perf_counter,
        chunking="event" if chunking == RECORDED else cast(Chunking, chunking),
        enforcement=judging.enforcement,
        apart=conversations_of(item.case, item.scenario),
    )


def _case_run(item: PlannedCase, endpoint: CaseEndpoint, event_sink: EventSink) -> CaseRun:
    """The case for a target, without the model and the endpoint's address."""

    def before_requests(take_in: Callable[[], None]) -> None:
        endpoint.before_requests = take_in

    return CaseRun(
        wire=item.case.wire,
        model="",
        base_url="",
        prompt=item.scenario.prompt,
        tools=() if item.scenario.is_of_agent else item.scenario.tools,
        emit=event_sink.emit,
        observe=event_sink.observe,
        note_waited=event_sink.note_waited,
        note_agui=endpoint.recorder.happened,
        note_passed=endpoint.recorder.passed,
        stream=item.scenario.stream,
        turn_limit=item.scenario.turn_limit,
        answer_schema=item.scenario.answer_schema,
        options=item.scenario.options,
        profile=item.scenario.profile,
        skills=item.scenario.skills,
        resolve=item.scenario.resolve,
        caller=item.scenario.caller,
        issued=lambda: [reply.turn.calls for reply in tuple(endpoint.replies.values())],
        reasons=item.scenario.thinks,
        case=item.case.id,
        transport=item.case.transport,
        before_requests=before_requests,
    )


async def _drive(
    item: PlannedCase, case_run: CaseRun, target: Target, endpoint: CaseEndpoint, deadline: float
) -> str | None:
    """Let the target run the case. Returns the traceback of a crash, else None."""
    try:
        async with asyncio.timeout(deadline):
            if item.scenario.has_timeline:
                await Timeline(item.scenario, endpoint, target.declaration.emits).drive(target, case_run)
            else:
                await target.run(case_run)
    except TimeoutError as late:
        return f"{LATE} {deadline:g} s.\n{_notes(late)}".strip()
    except HarnessError as problem:
        return str(problem)
    except (Exception, SystemExit):  # noqa: BLE001 - whatever a target raises is that case's error, with its traceback
        return traceback.format_exc()
    return None


def _notes(late: TimeoutError) -> str:
    """The target's notes on its cancellation: they show better than a traceback where it was."""
    return "\n".join(getattr(late.__cause__, "__notes__", ()))


def _result(
    item: PlannedCase,
    verdict: Verdict,
    seconds: float,
    trace: Trace,
    findings: tuple[Finding, ...],
    crash: str | None,
    words: Sequence[str] = (),
) -> CaseResult:
    requests = sum(isinstance(record, RequestRecord) for record in trace.records)
    return replace(
        CaseResult.of(item.case, findings, requests=requests, seconds=seconds, verdict=verdict),
        error=crash,
        trace=trace_name(item.case.id),
        repeat=_repeat(item, words),
        file=shown(item.scenario.path),
        summary=item.scenario.summary,
    )


def _repeat(item: PlannedCase, words: Sequence[str]) -> str:
    case = item.case
    command = ["harness", "run", *_chosen(item.scenario.path, Path.cwd()), "--wire", case.wire, "-k", case.id]
    if case.target != "reference":
        command += ["--target", item.opened_as or case.target]
    if case.seed:
        command += ["--seed", str(case.seed)]
    if case.server:
        command += ["--as-server", case.server]
    if case.transport:
        command += ["--transport", case.transport]
    if case.dialect and case.dialect not in item.scenario.dialects:
        command += ["--dialect", case.dialect]
    return shlex.join([*command, *words])


@lru_cache(maxsize=256)
def _chosen(path: Path, here: Path) -> tuple[str, ...]:
    """The command line words that select a scenario from the folder ``here``."""
    # The folder of an installation means nothing to a reader: a shipped scenario is known by its name.
    if path.is_relative_to(shipped()) and path == Path(shown_in(here, path)):
        return ("--suite", "all")
    return (shown_in(here, path),)
