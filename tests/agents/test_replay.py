"""A cassette of one version of an agent is played to another, and the comparison names what changed in its requests.

The two versions are the reference agent as it is, and with one thing that a newer version may do otherwise.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from harness.report.diff import compare
from harness.report.diff.formats import FORMATS
from harness.report.diff.model import Comparison, RequestChange
from harness.runner.execute import Finished, execute
from harness.runner.plan import matrix
from harness.runner.results import RunResult
from harness.runner.sources import SCRIPTED, Cassettes, Recording, Sources
from harness.targets import Target
from harness.trace import RequestRecord, Trace, dump
from tests.agents.running import reference, scenarios
from tests.case_tables import from_table

WIRES = ("anthropic-messages", "gemini-generate", "openai-chat", "openai-responses")
SCENARIO = "agent-edit-after-read"


@dataclass
class Version:
    """A version of the agent: what it does otherwise than the reference, beside what every version does."""

    folder: Path
    does: str = ""
    names: Sequence[str] = (SCENARIO,)
    more: str = "says-where-it-is"
    finished: list[Finished] = field(default_factory=list)

    def ran(self, wire: str, sources: Sources = SCRIPTED) -> Path:
        """Run the scenarios; the folder of the results."""
        self.folder.mkdir(parents=True, exist_ok=True)
        target = reference(self.folder, ",".join(filter(None, (self.more, self.does))))
        self.finished = finished(target, wire, sources, self.names)
        (self.folder / "traces").mkdir(exist_ok=True)
        for each in self.finished:
            dump(each.trace, self.folder / str(each.result.trace))
        cases = tuple(each.result for each in self.finished)
        run = RunResult("0", datetime.now(UTC).isoformat(), "agent", 0, cases=cases)
        (self.folder / "results.json").write_text(json.dumps(run.to_json()))
        return self.folder


def finished(target: Target, wire: str, sources: Sources, names: Sequence[str]) -> list[Finished]:
    planned = [each for each in matrix(scenarios(*names), target=target, sources=sources) if each.case.wire == wire]
    planned = [each for each in planned if each.case.chunking in ("event", "recorded")]

    async def driven() -> list[Finished]:
        endpoints = Endpoints()
        async with serving(endpoints) as url:
            try:
                return await execute(planned, target, endpoints, url, jobs=1, sources=sources)
            finally:
                await target.close()

    return asyncio.run(driven())


def recorded(folder: Path, wire: str, names: Sequence[str] = (SCENARIO,)) -> Cassettes:
    """The cassettes of the reference agent on a scripted model."""
    recording = Recording(folder / "cassettes", "all", scripted=True)
    target = reference(folder, "says-where-it-is")
    assert [each.result.verdict for each in finished(target, wire, recording, names)] == ["pass"] * len(names)
    return Cassettes(recording.folder)


@pytest.fixture(scope="module")
def cassettes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Cassettes, Path]]:
    """By wire, the cassette of the reference agent and the folder of the run in which it is played to that again."""
    found = {}
    for wire in WIRES:
        folder = tmp_path_factory.mktemp(wire)
        played = recorded(folder, wire)
        found[wire] = played, Version(folder / "base").ran(wire, played)
    return found


def changed(base: Path, new: Path) -> tuple[Comparison, list[RequestChange]]:
    comparison = compare(base, new)
    return comparison, list(comparison.requests)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("wire", WIRES)
def test_an_unchanged_version_makes_no_difference(
    tmp_path: Path, cassettes: dict[str, tuple[Cassettes, Path]], wire: str
) -> None:
    played, base = cassettes[wire]
    version = Version(tmp_path / "new", "is-newer")
    comparison, found = changed(base, version.ran(wire, played))
    assert found == []
    assert comparison.cases == ()
    assert [each.result.verdict for each in version.finished] == ["pass"]
    assert not compare(base, version.folder, strict=True).failed


@pytest.mark.sampled(5)
@pytest.mark.parametrize("wire", WIRES)
@from_table(__file__, "test_a_change_is_named_once")
def test_a_change_is_named_once(
    tmp_path: Path, cassettes: dict[str, tuple[Cassettes, Path]], wire: str, does: str, part: str, what: str, line: str
) -> None:
    played, base = cassettes[wire]
    comparison, found = changed(base, Version(tmp_path / "new", does).ran(wire, played))
    assert {each.part for each in found} == {part}
    named = [each for each in found if each.what.removeprefix("generationConfig.") == what]
    assert len(named) == 1, [each.what for each in found]
    assert any(shown[0] == line[0] and line[2:] in shown for shown in named[0].lines), named[0].lines
    assert named[0].wires == (wire,)
    assert compare(base, tmp_path / "new", strict=True).failed
    for render in FORMATS.values():
        render(comparison)
    assert what in FORMATS["terminal"](comparison)
    assert what in FORMATS["markdown"](comparison)
    assert json.loads(FORMATS["json"](comparison))["requests"][0]["part"] == part


def test_cache_marks_that_move_are_named(tmp_path: Path) -> None:
    wire = WIRES[0]
    base = Version(tmp_path / "base", "marks-the-prompt").ran(wire)
    _, found = changed(base, Version(tmp_path / "new", "marks-the-last-message").ran(wire))
    assert [(each.part, each.what, each.lines) for each in found] == [
        ("cache", "moved", ("- system[0]", "+ messages[-1].content[-1]"))
    ]


def test_a_change_is_counted_over_all_cases_and_wires(tmp_path: Path) -> None:
    names = (SCENARIO, "agent-one-call", "agent-sub-agent")
    wire = WIRES[2]
    base = Version(tmp_path / "base", names=names).ran(wire)
    _, found = changed(base, Version(tmp_path / "new", "has-another-description", names=names).ran(wire))
    (change,) = found
    assert (change.cases, change.of_cases) == (3, 3)
    with_tools = sum(b'"tools"' in each.body for version in (base,) for each in requests(version))
    assert (change.requests, change.of_requests) == (with_tools, len(requests(base)))
    assert change.base_at is not None
    line = (base / "traces" / f"{change.first}.jsonl").read_text().split("\n")[change.base_at - 1]
    assert '"record":"request"' in line


def requests(folder: Path) -> list[RequestRecord]:
    from harness.trace import load

    traces: list[Trace] = [load(path) for path in sorted((folder / "traces").glob("*.jsonl"))]
    return [each for trace in traces for each in trace.records if isinstance(each, RequestRecord)]


def test_a_call_that_names_a_file_by_its_whole_path_writes_it_in_the_work_directory_of_the_replay(
    tmp_path: Path,
) -> None:
    names = ("agent-write-a-file",)
    played = recorded(tmp_path, WIRES[0], names)
    (cassette,) = played.folder.rglob("*.yaml")
    assert "harness-agent-" not in cassette.read_text()
    version = Version(tmp_path / "new", "has-another-prompt", names=names)
    version.ran(WIRES[0], played)
    assert [each.result.verdict for each in version.finished] == ["pass"]


def test_sub_agents_and_titles_find_their_answers(tmp_path: Path) -> None:
    names = ("agent-sub-agent", "agent-side-requests")
    played = recorded(tmp_path, WIRES[0], names)
    base = Version(tmp_path / "base", names=names).ran(WIRES[0], played)
    version = Version(tmp_path / "new", "has-another-prompt,has-one-more-tool", names=names)
    _, found = changed(base, version.ran(WIRES[0], played))
    assert [each.result.verdict for each in version.finished] == ["pass", "pass"]
    assert {each.part for each in found} == {"system", "tools"}


def test_two_runs_of_one_version_on_a_script_make_no_difference(tmp_path: Path) -> None:
    names = (SCENARIO, "agent-sub-agent")
    base = Version(tmp_path / "base", names=names).ran(WIRES[0])
    comparison, found = changed(base, Version(tmp_path / "new", names=names).ran(WIRES[0]))
    assert (found, comparison.cases) == ([], ())
    (first, *_) = requests(base)
    assert b"harness-agent-" in first.body or b"harness-agent-" in requests(base)[1].body
