"""What the reference loop sends and emits in every scenario, on every wire, by the preset of the scenario's profile.

Any change of behaviour changes a file in ``__snapshots__``. Where it is wanted: ``pytest tests/golden_runs
--snapshot-update``, and the difference belongs to the commit.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from harness.gateway import Gateway
from harness.runner.execute import execute
from harness.runner.judging import judging
from harness.runner.opening import open_target
from harness.runner.plan import PlannedCase, matrix
from harness.scenario import Scenario, load, shipped
from harness.targets import Target
from harness.trace import EventRecord, RequestRecord, ToolResult, Trace
from tests.golden_runs.golden_text import golden_text
from tests.scenarios import shipped_scenarios

ONE_RULE = judging(["order/one-end"])
"""The rules judge elsewhere; here they would take a quarter of the time."""

MOST_BYTES = 8_000  # of one file, on average
LOOPS = ("mutant:result-dropped", "mutant:tool-run-twice", "mutant:text-not-returned")
FILES = [
    path.relative_to(shipped()).as_posix()
    for path in sorted(shipped().rglob("*.yaml"))
    if path.parent.name != "coding_agent"  # the reference loop has no such tools
]
"""By their names, so that collecting the tests reads none of them."""


class TextFile(SingleFileSnapshotExtension):
    """A snapshot is a text file."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@cache
def opened(name: str) -> tuple[Gateway, Target]:
    gateway = Gateway()
    return gateway, open_target(name, gateway)


def runs(scenario: Scenario, loop: str = "reference", seed: int = 0) -> dict[str, Trace]:
    """The scenario on each wire, in the first of its ways to cut the stream."""
    gateway, target = opened(loop)
    first: dict[str, PlannedCase] = {}
    for item in matrix([scenario], target=target, seed=seed):
        first.setdefault(item.case.wire, item)
    planned = [*first.values()]
    finished = asyncio.run(execute(planned, target, gateway, "http://harness", jobs=1, judging=ONE_RULE))
    return dict(zip(first, (each.trace for each in finished), strict=True))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.removesuffix(".yaml").replace("/", "."))
def test_scenario(file: str, snapshot: SnapshotAssertion) -> None:
    (scenario,) = load([shipped() / file])
    traces = runs(scenario)
    assert traces
    assert all(trace.records for trace in traces.values())
    assert golden_text(traces) == snapshot(extension_class=TextFile)


def test_declarations_of_tools(snapshot: SnapshotAssertion) -> None:
    """In full, on each wire: the runs have a hash of them."""
    (scenario,) = shipped_scenarios("screenshot_to_code/create-then-edit.yaml")
    asked = {wire: json.loads(next(_requests(trace)).body) for wire, trace in runs(scenario).items()}
    declared = {wire: body.get("tools", body.get("messages")) for wire, body in asked.items()}
    text = json.dumps(declared, indent=1, ensure_ascii=False)
    assert text == snapshot(extension_class=TextFile)


def _requests(trace: Trace) -> Iterator[RequestRecord]:
    return (record for record in trace.records if isinstance(record, RequestRecord))


def test_all_of_them_are_small() -> None:
    files = [*(Path(__file__).parent / "__snapshots__").rglob("*.txt")]
    assert len(files) == len(FILES) + 1
    assert sum(file.stat().st_size for file in files) < MOST_BYTES * len(files)


# --- what they see ------------------------------------------------------------------------------------------


@pytest.fixture
def scenario() -> Scenario:
    (one,) = shipped_scenarios("screenshot_to_code/create-then-edit.yaml")
    return one


def test_ids_are_no_difference(scenario: Scenario) -> None:
    assert golden_text(runs(scenario)) == golden_text(runs(scenario, seed=7))


def test_a_result_that_is_reported_otherwise_is_a_difference(scenario: Scenario) -> None:
    traces = runs(scenario)
    wire, trace = next(iter(traces.items()))
    at, record = next(
        (at, each)
        for at, each in enumerate(trace.records)
        if isinstance(each, EventRecord) and isinstance(each.event, ToolResult)
    )
    emptied = replace(record, event=replace(record.event, output=None))
    changed = replace(trace, records=(*trace.records[:at], emptied, *trace.records[at + 1 :]))
    assert golden_text(traces) != golden_text({**traces, wire: changed})


def test_a_letter_far_behind_in_a_long_text_is_a_difference(scenario: Scenario) -> None:
    traces = runs(scenario)
    wire, trace = next(iter(traces.items()))
    last = max(at for at, each in enumerate(trace.records) if isinstance(each, RequestRecord))
    request = trace.records[last]
    assert isinstance(request, RequestRecord)
    body = request.body.replace(b"The whole", b"The  whole", 1)
    if body == request.body:
        body = request.body.replace(b"</html>", b"</htmI>", 1)
    assert body != request.body
    changed = replace(trace, records=(*trace.records[:last], replace(request, body=body), *trace.records[last + 1 :]))
    assert golden_text(traces) != golden_text({**traces, wire: changed})


@pytest.mark.parametrize("loop", LOOPS)
def test_a_broken_loop_is_a_difference(scenario: Scenario, loop: str) -> None:
    assert golden_text(runs(scenario)) != golden_text(runs(scenario, loop))
