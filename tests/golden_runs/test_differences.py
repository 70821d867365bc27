"""What the golden files see of a run, and what they do not; and how large they are."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from harness.trace import EventRecord, RequestRecord, ResponseRecord, ToolResult, Trace
from harness.trace.model import End
from tests.golden_runs.golden_text import golden_text
from tests.golden_runs.runs import FILES, ON_REQUEST, runs
from tests.scenarios import shipped_scenarios
from tests.sdks import needs

MOST_BYTES = 8_000  # of one file, on average
LOOPS = ("mutant:result-dropped", "mutant:tool-run-twice", "mutant:text-not-returned")


def test_all_of_them_are_small() -> None:
    files = [*(Path(__file__).parent / "__snapshots__").rglob("*.txt")]
    assert len([file for file in files if not file.name.startswith("test_scenario_on_request")]) == len(FILES) + 1
    assert sum(file.stat().st_size for file in files) < MOST_BYTES * len(files)


@cache
def traces_of(loop: str = "reference", seed: int = 0, wires: tuple[str, ...] = ()) -> dict[str, Trace]:
    (scenario,) = shipped_scenarios("screenshot_to_code/create-then-edit.yaml")
    return runs(scenario, loop, seed, wires)


@pytest.mark.slow
def test_ids_are_no_difference() -> None:
    assert golden_text(traces_of()) == golden_text(traces_of(seed=7))


@pytest.mark.slow
@needs("boto3", "boto3 is not installed")
def test_ids_are_none_on_wires_on_request() -> None:
    runs_of = [traces_of(seed=seed, wires=ON_REQUEST) for seed in (0, 7)]
    assert golden_text(runs_of[0]) == golden_text(runs_of[1])


def test_a_result_that_is_reported_otherwise_is_a_difference() -> None:
    traces = traces_of()
    wire, trace = next(iter(traces.items()))
    at, record = next(
        (at, each)
        for at, each in enumerate(trace.records)
        if isinstance(each, EventRecord) and isinstance(each.event, ToolResult)
    )
    emptied = replace(record, event=replace(record.event, output=None))
    changed = replace(trace, records=(*trace.records[:at], emptied, *trace.records[at + 1 :]))
    assert golden_text(traces) != golden_text({**traces, wire: changed})


def test_a_letter_far_behind_in_a_long_text_is_a_difference() -> None:
    traces = traces_of()
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


def read_to(end: End, trace: Trace) -> Trace:
    """The client has read the first answer so far, and it is noted behind all else."""
    (first,) = (each for each in trace.records if isinstance(each, ResponseRecord) and each.exchange == 0)
    others = (each for each in trace.records if each is not first)
    return replace(trace, records=(*others, replace(first, end=end)))


def test_how_far_a_stream_with_an_error_was_read_is_no_difference() -> None:
    (broken,) = shipped_scenarios("universal/another-question-after-a-broken-stream.yaml")
    for wire, trace in runs(broken).items():
        assert golden_text({wire: read_to("closed", trace)}) == golden_text({wire: read_to("eof", trace)}), wire
        assert golden_text({wire: read_to("cut", trace)}) != golden_text({wire: read_to("eof", trace)}), wire


def test_how_far_a_whole_stream_was_read_is_one() -> None:
    for wire, trace in traces_of().items():
        assert golden_text({wire: read_to("closed", trace)}) != golden_text({wire: read_to("eof", trace)}), wire


@pytest.mark.sampled(3)
@pytest.mark.parametrize("loop", LOOPS)
def test_a_broken_loop_is_a_difference(loop: str) -> None:
    assert golden_text(traces_of()) != golden_text(traces_of(loop))
