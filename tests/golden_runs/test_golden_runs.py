"""What the reference loop sends and emits in every scenario, on every wire, by the preset of the scenario's profile.

Any change of behaviour changes a file in ``__snapshots__``. Where it is wanted: ``pytest tests/golden_runs
--snapshot-update``, and the difference belongs to the commit.
"""

from __future__ import annotations

import json

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from harness.scenario import load, shipped
from harness.trace import RequestRecord, Trace
from tests.golden_runs.golden_text import golden_text
from tests.golden_runs.runs import FILES, ON_REQUEST, runs
from tests.scenarios import shipped_scenarios
from tests.sdks import needs

pytestmark = pytest.mark.exhaustive


class TextFile(SingleFileSnapshotExtension):
    """A snapshot is a text file."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.removesuffix(".yaml").replace("/", "."))
def test_scenario(file: str, snapshot: SnapshotAssertion) -> None:
    (scenario,) = load([shipped() / file])
    traces = runs(scenario)
    assert traces
    assert all(trace.records for trace in traces.values())
    assert golden_text(traces) == snapshot(extension_class=TextFile)


@needs("boto3", "boto3 is not installed")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.removesuffix(".yaml").replace("/", "."))
def test_scenario_on_request(file: str, snapshot: SnapshotAssertion) -> None:
    """On the wires that are run on request. What has cases on these alone is in the other test."""
    (scenario,) = load([shipped() / file])
    asked = [name for name in ON_REQUEST if name in scenario.wires]
    if not asked or not set(scenario.wires) - set(ON_REQUEST):
        pytest.skip(
            "the scenario has no case on a wire that is run on request, or its golden file is that of the other test"
        )
    traces = runs(scenario, wires=asked)
    assert all(trace.records for trace in traces.values())
    assert golden_text(traces) == snapshot(extension_class=TextFile)


def test_declarations_of_tools(snapshot: SnapshotAssertion) -> None:
    """In full, on each wire: the runs have a hash of them."""
    (scenario,) = shipped_scenarios("screenshot_to_code/create-then-edit.yaml")
    asked = {wire: json.loads(_first_request(trace).body) for wire, trace in runs(scenario).items()}
    declared = {wire: body.get("tools", body.get("messages")) for wire, body in asked.items()}
    text = json.dumps(declared, indent=1, ensure_ascii=False)
    assert text == snapshot(extension_class=TextFile)


def _first_request(trace: Trace) -> RequestRecord:
    return next(record for record in trace.records if isinstance(record, RequestRecord))
