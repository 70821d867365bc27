"""``harness record --refresh``: records again and compares the new recordings with the old ones."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from harness.cassette import Cassette, Interaction, read_cassette
from harness.cassette.files import only_recorder
from harness.cassette.forms import Response, Shape, shapes_of
from harness.cli.record_cases import RecordOptions, harmless, planned_for, recorded
from harness.ground.disk import take_place
from harness.report.story import changes
from harness.report.terminal import visible
from harness.runner.cases import CaseWork
from harness.runner.execute import Finished
from harness.runner.executor import InProcess
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase
from harness.runner.results import CaseResult
from harness.runner.sources import Cassettes, Recording, Sources, cassette_of
from harness.sealing.allowed import Sealing
from harness.trace import Trace
from harness.wire import route_of, wire


def refresh(options: RecordOptions) -> int:
    """Record existing cassettes again, print how the answers and the loop's behaviour differ, and replace the
    cassettes.

    Only cassettes of more than ``max_age`` days are taken. A new cassette replaces the old one when it is complete and
    both have been replayed; if something fails, the old one stays. Returns 3 if something failed, and 1 if the loop
    breaks a rule with the new answers.
    """
    recording = options.recording
    there = planned_for(options, _cassettes(recording))
    cases = [item for item in there if _is_old(item, recording, options.max_age or 0)]
    if not cases:
        print("no recording is older than that: nothing is left to do")
    return max((_record_again(item, options.target, recording, options.sealing) for item in cases), default=0)


def _cassettes(recording: Recording) -> Cassettes:
    return Cassettes(recording.folder, patterns=recording.patterns)


def _is_old(item: PlannedCase, recording: Recording, days: int) -> bool:
    provenance = read_cassette(_place(recording, item)).provenance
    if not days or provenance is None:
        return True
    try:
        recorded = date.fromisoformat(provenance.recorded)
    except ValueError:
        return True
    return (datetime.now(UTC).date() - recorded).days > days


def _place(recording: Recording, item: PlannedCase) -> Path:
    return cassette_of(recording.folder, item.case.scenario, item.case.wire)


def _record_again(item: PlannedCase, target: str, recording: Recording, sealing: Sealing) -> int:
    """Record one case again. Returns its part of the exit code."""
    place = _place(recording, item)
    with only_recorder(place), TemporaryDirectory(prefix=".refresh-", dir=recording.folder) as beside:
        staged = replace(recording, folder=Path(beside), mode="all")
        live = replace(item, case=replace(item.case, source=staged.name))
        (result,) = recorded([live], target, staged, lambda _: None, sealing)
        if result.error is not None:
            print(f"{place}: not recorded anew; the old recording stays\n    {harmless(result.error)}")
            return 3
        before, now = (_replay_of(item, target, _cassettes(each), sealing) for each in (recording, staged))
        if now.result.error is not None or _misses(now.result):
            print(f"{place}: what was recorded does not replay; the old recording stays")
            _print_indented(_wrong(now.result))
            return 3
        new = _place(staged, item)
        print(f"{place}: recorded anew")
        _print_indented(_lines(_difference(place, new, before.trace, now.trace)))
        _print_indented(_wrong(now.result))
        take_place(new, place)
    return 1 if now.result.findings else 0


def _replay_of(item: PlannedCase, target: str, sources: Sources, sealing: Sealing) -> Finished:
    kept: list[Finished] = []
    work = CaseWork(partial(open_target, target), kept.append, sources=sources, sealing=sealing)
    InProcess(work).run([item], lambda _: None)
    return kept[0]


def _misses(result: CaseResult) -> bool:
    return any(finding.impact == "replay" for finding in result.findings)


def _wrong(result: CaseResult) -> Iterator[str]:
    """The findings of the replay of the new recording, about the loop or about the recording."""
    if result.error is not None:
        yield from harmless(result.error).splitlines()
    for finding in result.findings:
        yield f"{finding.name}: expected {finding.expected}, got {finding.got}"


@dataclass(frozen=True, slots=True)
class _RecordingDifference:
    """The difference between two recordings: the forms that only one has, and how the loop's runs on them differ."""

    gone: Sequence[str]
    new: Sequence[str]
    runs: Sequence[str]


def _difference(old: Path, new: Path, before: Trace, now: Trace) -> _RecordingDifference:
    was, are = _forms(read_cassette(old)), _forms(read_cassette(new))
    return _RecordingDifference(sorted(was - are), sorted(are - was), changes(before, now))


def _forms(cassette: Cassette) -> set[str]:
    """The forms in a real model's answers; empty for a scripted model."""
    if cassette.provenance is not None and cassette.provenance.source != "live":
        return set()
    return {str(form) for each in cassette.interactions for form in _forms_of(each)}


def _forms_of(exchange: Interaction) -> Iterator[Shape]:
    route = route_of(exchange.method, exchange.url)
    if route is not None:
        headers = {name: ", ".join(values) for name, values in exchange.response_headers.items()}
        streamed = exchange.status < 400 and wire(route.wire).transport.is_stream(headers.get("content-type", ""))
        yield from shapes_of(Response(route.wire, exchange.response, streamed, exchange.status, headers))


def _print_indented(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"  {visible(line)}\n" for line in lines)


def _lines(difference: _RecordingDifference) -> Iterator[str]:
    yield from (f"form gone  {form}" for form in difference.gone)
    yield from (f"form new   {form}" for form in difference.new)
    if not difference.gone and not difference.new:
        yield "the answers have the same form"
    yield from difference.runs
    if not difference.runs:
        yield "the loop does the same"
