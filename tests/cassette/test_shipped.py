"""The recordings that come with the harness: whole, without secrets, and the same on every replay, by vcrpy as well."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.cassette import Cassette, Provenance, read_cassette
from harness.endpoint import Endpoints
from harness.runner.execute import Finished, execute
from harness.runner.opening import open_target
from harness.runner.plan import plan
from harness.runner.sources import Cassettes, cassette_of
from harness.scenario import Scenario, compare
from harness.secrets.scan import scan
from harness.trace import canonical
from harness.wire import WIRES, WireName, wire
from tests.cassette.plain_vcr import replayed
from tests.scenarios import shipped_scenarios

FOLDER = Path(__file__).parent.parent.parent / "cassettes"
SCENARIOS = {scenario.name: scenario for scenario in shipped_scenarios("recorded")}
FILES = sorted(FOLDER.rglob("*.yaml"))

each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")


def provenance(cassette: Cassette) -> Provenance:
    assert cassette.provenance is not None
    return cassette.provenance


async def replay(
    folder: Path, scenarios: Sequence[Scenario] = tuple(SCENARIOS.values()), wires: Sequence[WireName] = ()
) -> list[Finished]:
    """The recorded scenarios answered from the cassettes of a folder."""
    endpoints, sources = Endpoints(), Cassettes(folder)
    target = open_target("reference", endpoints)
    planned = plan(scenarios, target=target, wires=wires, sources=sources)
    try:
        return await execute(planned, target, endpoints, "http://harness", jobs=1, sources=sources)
    finally:
        await target.close()


# --- the files ------------------------------------------------------------------------------------------------


def test_every_recorded_scenario_has_a_cassette_for_each_wire_on_which_the_reference_loop_runs_it() -> None:
    spoken = [(name, speaks) for name, scenario in SCENARIOS.items() for speaks in scenario.wires if speaks in WIRES]
    wanted = {cassette_of(FOLDER, name, speaks) for name, speaks in spoken}
    assert set(FILES) == wanted


@each_file
def test_a_cassette_says_where_it_comes_from(path: Path) -> None:
    told = provenance(read_cassette(path))
    assert cassette_of(FOLDER, told.scenario, told.wire) == path
    if told.wire == "gemini-generate":
        assert told.source == "script"
    else:
        assert (told.source, told.model) == ("live", "smollm2-135m-instruct-q4_1")
        assert told.server.startswith("llama.cpp (xllamacpp ")


@each_file
def test_a_cassette_is_small_and_holds_no_secret(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text) < 32_000
    assert scan(text) == []
    secret = "sk-" + "proj-" + "Zx81kQ" * 8
    [leak, *_] = scan(text.replace("get_weather", secret).replace("draw_tree", secret))
    assert secret not in leak.shown


@each_file
def test_the_pieces_of_a_response_are_the_whole_of_it(path: Path) -> None:
    for interaction in read_cassette(path).interactions:
        assert interaction.delivery is not None
        assert sum(interaction.delivery.chunks) == len(interaction.response)
        assert len(interaction.delivery.waits) == len(interaction.delivery.chunks)
        assert interaction.delivery.end == "eof"


@each_file
def test_every_answer_is_read_as_a_turn_or_is_an_error(path: Path) -> None:
    cassette = read_cassette(path)
    speaker = wire(provenance(cassette).wire)  # type: ignore[arg-type]
    for interaction in cassette.interactions:
        if interaction.status == 200:
            reply = speaker.parse(interaction.response_headers["content-type"][0], interaction.response)
            assert reply.complete
            assert reply.turn.parts
        else:
            assert interaction.status == 400


# --- replays --------------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
@pytest.mark.anyio
async def test_a_replay_passes_meets_what_is_expected_and_is_the_same_again() -> None:
    """All of them once, and the scenario of one call again on every wire."""
    first, again = await replay(FOLDER), await replay(FOLDER, [SCENARIOS["one-call"]])
    assert len(first) == len(FILES)
    for one in first:
        assert one.result.verdict == "pass", (one.result.id, one.result.error, one.result.findings)
        assert list(compare(SCENARIOS[one.result.scenario].expect, one.trace)) == [], one.result.id
    traces = {one.result.id: canonical(one.trace) for one in first}
    assert {other.result.wire for other in again} == {one.result.wire for one in first}
    for other in again:
        assert canonical(other.trace) == traces[other.result.id], other.result.id


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        pytest.param('\\"sky\\": \\"cloudy\\"', '\\"sky\\": \\"clear\\"', id="what a tool returned"),
        pytest.param("Paris, in C?", "Oslo, in C?", id="what was asked"),
        pytest.param('"partial_json":"Paris"', '"partial_json":"Oslos"', id="what the model called"),
    ],
)
async def test_a_cassette_in_which_something_else_stands_does_not_replay(
    tmp_path: Path, was: str, becomes: str
) -> None:
    path = cassette_of(tmp_path, "one-call", "anthropic-messages")
    path.parent.mkdir(parents=True)
    text = cassette_of(FOLDER, "one-call", "anthropic-messages").read_text(encoding="utf-8")
    assert was in text
    path.write_text(text.replace(was, becomes), encoding="utf-8")
    [finished] = await replay(tmp_path, [SCENARIOS["one-call"]], ["anthropic-messages"])
    assert finished.result.verdict == "fail"
    assert "cassette/miss" in {evidence.rule for evidence in finished.result.findings}


@each_file
def test_plain_vcrpy_gives_the_same_bytes(path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(path, tmp_path))
    assert replayed(copy) == [interaction.response for interaction in read_cassette(path).interactions]
