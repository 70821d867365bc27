"""``harness record --refresh``: recordings made anew beside the old, and what has changed since."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from harness.cassette import Cassette, read_cassette
from harness.cassette.files import only_recorder, take_place
from harness.cli.record import check_upstreams, harmless, nothing_kept
from harness.drift.recordings import of_cassette
from harness.drift.shape import shapes_of
from harness.errors import BadInput
from harness.gateway import Gateway
from harness.report.story import changes
from harness.report.terminal import visible
from harness.runner.execute import Finished, execute
from harness.runner.executor import InProcess, Work
from harness.runner.judging import judging
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, plan
from harness.runner.results import CaseResult
from harness.runner.sources import Cassettes, Recording, Sources, cassette_of
from harness.scenario import load
from harness.trace import Trace
from harness.wire import WireName

__all__ = ["refresh"]


def refresh(
    paths: Sequence[Path], wires: Sequence[WireName], target: str, recording: Recording, *, older_than: int = 0
) -> int:
    """Record again what there is, tell what differs in the form of the answers and in what the loop does, replace it.

    Only cassettes of more than ``older_than`` days are taken. Each takes the place of the old one when it is whole and
    both have been replayed; where something fails, the old one stays. Returns 3 where that happened.
    """
    check_upstreams(wires, recording)
    cases = [item for item in _cases(paths, wires, target, recording.folder) if _is_old(item, recording, older_than)]
    if not cases:
        print("no recording is older than that: nothing is left to do")
        return 0
    renewed = [_renewed(item, target, recording) for item in cases]
    return 0 if all(renewed) else 3


def _cases(paths: Sequence[Path], wires: Sequence[WireName], target: str, folder: Path) -> list[PlannedCase]:
    sources = Cassettes(folder)
    asked = open_target(target, Gateway())
    try:
        return plan(load(paths), target=asked, wires=wires, source=sources.name, variations=sources.variations)
    finally:
        asyncio.run(asked.close())


def _is_old(item: PlannedCase, recording: Recording, days: int) -> bool:
    told = read_cassette(_place(recording, item)).provenance
    if not days or told is None:
        return True
    try:
        recorded = date.fromisoformat(told.recorded)
    except ValueError:
        return True
    return (datetime.now(UTC).date() - recorded).days > days


def _place(recording: Recording, item: PlannedCase) -> Path:
    return cassette_of(recording.folder, item.case.scenario, item.case.wire)


def _renewed(item: PlannedCase, target: str, recording: Recording) -> bool:
    place = _place(recording, item)
    with only_recorder(place), TemporaryDirectory(prefix=".refresh-", dir=recording.folder) as beside:
        staged = replace(recording, folder=Path(beside), mode="all")
        live = replace(item, case=replace(item.case, source=staged.name))
        if (error := _recorded(live, target, staged)) is not None:
            print(f"{place}: not recorded anew; the old recording stays\n    {error}")
            return False
        new = _place(staged, item)
        try:
            difference = _difference(item, target, recording, staged)
        except BadInput as problem:
            print(f"{place}: cannot be compared; the old recording stays\n    {problem}")
            return False
        _tell(place, difference)
        take_place(new, place)
    return True


def _recorded(item: PlannedCase, target: str, staged: Recording) -> str | None:
    """Record one case. Returns why that was not possible."""
    results: list[CaseResult] = []
    work = Work(partial(open_target, target), nothing_kept, judging(refuse="nothing"), sources=staged)
    InProcess(work).run([item], results.append)
    error = results[0].error
    return None if error is None else harmless(error)


@dataclass(frozen=True, slots=True)
class _Difference:
    """Between the old recording and the new: forms that only one has, and how the loop's runs on both differ."""

    gone: Sequence[str]
    new: Sequence[str]
    runs: Sequence[str]


def _difference(item: PlannedCase, target: str, old: Recording, new: Recording) -> _Difference:
    before, now = (_forms(read_cassette(_place(recording, item))) for recording in (old, new))
    runs = [_replayed(item, target, Cassettes(each.folder, patterns=each.patterns)) for each in (old, new)]
    return _Difference(sorted(before - now), sorted(now - before), changes(*runs))


def _forms(cassette: Cassette) -> set[str]:
    return {str(shape) for recording in of_cassette(cassette) for shape in shapes_of(recording.response)}


def _replayed(item: PlannedCase, target: str, sources: Sources) -> Trace:
    async def run() -> Finished:
        gateway = Gateway()
        driven = open_target(target, gateway)
        try:
            (finished,) = await execute([item], driven, gateway, "http://harness", jobs=1, sources=sources)
        finally:
            await driven.close()
        return finished

    return asyncio.run(run()).trace


def _tell(place: Path, difference: _Difference) -> None:
    print(f"{place}: recorded anew")
    sys.stdout.writelines(f"  {line}\n" for line in _lines(difference))


def _lines(difference: _Difference) -> Iterator[str]:
    yield from (f"form gone  {visible(form)}" for form in difference.gone)
    yield from (f"form new   {visible(form)}" for form in difference.new)
    if not difference.gone and not difference.new:
        yield "the answers have the same form"
    yield from map(visible, difference.runs)
    if not difference.runs:
        yield "the loop does the same"
