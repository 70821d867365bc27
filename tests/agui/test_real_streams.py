"""Streams of pydantic-ai and agno, right ones and broken ones (``scripts/ag-ui-fixtures``): what is found in them."""

import json
from pathlib import Path

import pytest

from harness.agui.recorded import recorded
from harness.rules import judge
from harness.trace import AgUiRecord, Trace, load

FILES = Path(__file__).with_name("files")
VERDICTS = json.loads((FILES / "verdicts.json").read_text(encoding="utf-8"))
STREAMS = sorted(VERDICTS)
TRACES = sorted(path.stem for path in FILES.glob("*.jsonl"))
RIGHT = [name for name in STREAMS if name.endswith(("-own", "-offered"))]
DOUBLED = {"agno-openai-chat-offered", "agno-anthropic-messages-offered"}


def rules(trace: Trace) -> list[str]:
    return list(dict.fromkeys(finding.id for finding in judge(trace)))


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_by_itself(name: str) -> None:
    stream = recorded((FILES / f"{name}.sse").read_bytes(), name)
    assert rules(stream.trace) == VERDICTS[name]["alone"]
    assert not stream.passed_over


@pytest.mark.parametrize("name", TRACES)
def test_a_stream_beside_the_answers_of_the_model(name: str) -> None:
    assert rules(load(FILES / f"{name}.jsonl")) == VERDICTS[name]["run"]


@pytest.mark.parametrize("name", RIGHT)
def test_in_right_runs_nothing_is_found_but_a_text_that_agno_sends_twice(name: str) -> None:
    assert VERDICTS[name] == {"run": ["stream/text"] if name in DOUBLED else [], "alone": []}


def test_every_break_is_found_beside_the_model() -> None:
    broken = [name for name in STREAMS if name not in RIGHT]
    assert len(broken) == 11
    assert all(VERDICTS[name]["run"] for name in broken)


@pytest.mark.parametrize("name", TRACES)
def test_the_events_of_a_trace_are_those_of_its_stream(name: str) -> None:
    stream = recorded((FILES / f"{name}.sse").read_bytes(), name).trace
    trace = load(FILES / f"{name}.jsonl")
    spoken = [(each.type, each.id) for each in trace.records if isinstance(each, AgUiRecord)]
    assert spoken == [(each.type, each.id) for each in stream.records if isinstance(each, AgUiRecord)]
