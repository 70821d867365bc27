"""The scenarios that come with the harness: complete, told apart by their reasons, and cheap to list."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import BadInput
from harness.scenario import CHUNKINGS, HttpErrorStep, Scenario, TurnStep, outline, shipped
from harness.scenario.documents import read_head
from harness.scenario.outlines import plain_head
from harness.scenario.patterns import EVENTS
from harness.scenario.places import files
from harness.wire import OWN_WIRES, Call, FinishReason, ThinkingPart, Turn
from tests.case_tables import from_table
from tests.scenario.files import SMALL, write
from tests.scenarios import shipped_scenarios

SCENARIOS = shipped_scenarios()


def turns() -> Iterator[tuple[Scenario, Turn]]:
    for scenario in SCENARIOS:
        for step in scenario.steps:
            if isinstance(step, TurnStep):
                yield scenario, step.turn


def test_there_are_enough_and_each_lies_where_it_says() -> None:
    assert len(SCENARIOS) >= 32
    for scenario in SCENARIOS:
        assert scenario.path.stem == scenario.name
        folder, *_ = scenario.path.relative_to(shipped()).parts
        assert folder in (scenario.profile.replace("-", "_"), "recorded")


def test_every_scenario_has_a_reason_of_its_own() -> None:
    assert len({scenario.summary for scenario in SCENARIOS}) == len(SCENARIOS)
    for scenario in SCENARIOS:
        assert scenario.summary.endswith("."), scenario.name
        assert 40 <= len(scenario.summary) <= 125, scenario.name


def test_every_outcome_wire_chunking_and_event_is_exercised() -> None:
    assert {outcome for scenario in SCENARIOS for outcome in scenario.expect.outcome} == {
        "completed", "truncated", "refused", "failed", "turn-limit", "deferred",
    }  # fmt: skip
    assert {wire for scenario in SCENARIOS for wire in scenario.wires} == set(OWN_WIRES)
    assert sum(scenario.chunkings == CHUNKINGS for scenario in SCENARIOS) >= 5
    named = {
        place.kind for scenario in SCENARIOS if scenario.expect.events for place in scenario.expect.events.positions
    }
    assert named == set(EVENTS) - {"toolArguments"}  # no shipped loop shows them: test_silent_events.py
    assert any(not scenario.stream for scenario in SCENARIOS)


def test_every_form_of_a_turn_is_exercised() -> None:
    parts = [part for _, turn in turns() for part in turn.parts]
    assert {part.form for part in parts if isinstance(part, ThinkingPart)} == {"plain", "redacted", "omitted"}
    assert {turn.stop for _, turn in turns()} == set(FinishReason)
    assert {turn.deltas for _, turn in turns()} >= {"token", "character", "utf16"}
    assert {turn.error.kind for _, turn in turns() if turn.error} >= {"overloaded", "server_error"}
    assert any(turn.ending == "eof" for _, turn in turns())
    assert any(turn == Turn() for _, turn in turns())
    assert any(len(turn.calls) > 2 for _, turn in turns())
    assert {call.id for call in parts if isinstance(call, Call)} >= {None, "", "call_1"}
    assert max(len(call.arguments) for call in parts if isinstance(call, Call)) > 5_000


def test_no_provider_sends_the_status_of_another_for_an_overload() -> None:
    """529 is Anthropic's; ``kind: overloaded`` is the status that each provider sends."""
    errors = [(each.name, step) for each in SCENARIOS for step in each.steps if isinstance(step, HttpErrorStep)]
    assert [name for name, step in errors if step.status == 529] == []
    assert {step.kind for _, step in errors} >= {"overloaded"}


def test_every_status_and_break_is_exercised() -> None:
    steps = [step for scenario in SCENARIOS for step in scenario.steps]
    assert {step.status for step in steps if isinstance(step, HttpErrorStep)} >= {400, 401, 429, 500, 503}
    assert {step.cut.how for step in steps if isinstance(step, TurnStep) and step.cut} == {
        "cut",
        "reset",
        "garbled",
        "close",
        "limit",
    }
    assert {step.connection for step in steps if isinstance(step, HttpErrorStep)} == {None, "closed", "reset"}
    answers = [
        (scenario.name, step)
        for scenario in SCENARIOS
        for step in scenario.steps
        if isinstance(step, HttpErrorStep) and not step.connection  # else nobody is there to say how long
    ]
    waiting = {name for name, step in answers if step.status not in (200, 400, 401, 404) and step.retry_after != 0}
    allowed = {"retry-between-tools", "waits-before-it-asks-again", "six-retries", "wait-said-over-websocket"}
    allowed |= {"wait-until-a-date", "wait-below-zero"}  # both are over at once
    assert waiting == allowed, "a scenario that does not say 'retry_after: 0' makes every run wait"


@pytest.mark.parametrize(("tool_turns", "outcome"), [(19, "completed"), (20, "turn-limit"), (21, "turn-limit")])
def test_the_turn_limit_is_tried_from_both_sides(tool_turns: int, outcome: str) -> None:
    per_scenario = Counter(scenario.name for scenario, turn in turns() if turn.calls)
    given_none = [each for each in SCENARIOS if not each.is_of_agent]  # an agent has a limit of its own
    found = [scenario for scenario in given_none if per_scenario[scenario.name] == tool_turns]
    assert {(scenario.expect.outcome, scenario.expect.requests) for scenario in found} == {((outcome,), 20)}


# --- lists ------------------------------------------------------------------------------------------------


def test_an_outline_is_the_head_of_the_scenario() -> None:
    heads = [(found.name, found.profile, found.summary, found.path) for found in outline([shipped()])]
    assert heads == [(found.name, found.profile, found.summary, found.path) for found in SCENARIOS]


def test_shipped_heads_are_read_without_yaml() -> None:
    for path, _ in files([shipped()], []):
        assert plain_head(path.read_text(encoding="utf-8")) is not None, path


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="aZ0 :#-'\"&*!|>%@`{}[],\\?\t~éé\u2028", max_size=12).map(lambda text: f"a{text}"))
def test_the_short_way_reads_what_yaml_reads(tmp_path_factory: pytest.TempPathFactory, summary: str) -> None:
    text = f"scenario: x\nprofile: universal\nsummary: {summary}\nprompt: x\n"
    head = plain_head(text)
    if head is None:
        return
    path = tmp_path_factory.getbasetemp() / "head.yaml"
    path.write_text(text, encoding="utf-8")
    assert read_head(path)["summary"] == head["summary"]


@from_table(__file__, "test_other_heads_take_the_long_way")
def test_other_heads_take_the_long_way(tmp_path: Path, summary: str, expected: str | None) -> None:
    path = write(tmp_path, SMALL.replace("summary: Small.", summary))
    assert plain_head(path.read_text(encoding="utf-8")) is None
    if expected is None:
        with pytest.raises(BadInput, match=r"a.yaml:3:\d+: expected YAML"):
            outline([path])
    else:
        assert [found.summary for found in outline([path])] == [expected]


def test_an_outline_needs_its_keys(tmp_path: Path) -> None:
    write(tmp_path, "scenario: a\nprofile: universal\n", "a.yaml")
    write(tmp_path, "scenario: a\nprofile: universal\nsummary: [x]\n", "b.yaml")
    (tmp_path / "c.yaml").write_bytes(b"\xff")
    with pytest.raises(BadInput) as caught:
        outline([tmp_path, tmp_path / "nowhere"])
    assert [problem.removeprefix(f"{tmp_path}/") for problem in caught.value.problems] == [
        "nowhere: expected a scenario file or a folder, got nothing there; correct the path",
        "a.yaml:1:1: expected a scenario with the key 'summary', got none; add it",
        "b.yaml:1:1: expected a scenario with the key 'summary', got none; add it",
        "c.yaml:1:1: expected UTF-8, " + str(tmp_path / "c.yaml") + " is not (byte 0); save it as UTF-8",
    ]


NOT_NEEDED = {
    "import harness.scenario": {"yaml", "pydantic", "jsonschema", "harness.wire", "harness.trace"},
    "from harness.scenario import outline, shipped; outline([shipped()])": {"yaml", "pydantic", "harness.wire"},
    "from harness.scenario import TurnStep, compare, CANONICAL": {"yaml", "pydantic", "jsonschema"},
    "from harness.scenario import *": {"openai", "anthropic", "google.genai", "httpx2", "asyncio"},
}


def test_what_is_not_needed_is_not_imported() -> None:
    """One process does one after another, what needs least comes first."""
    code = "import sys\n" + "".join(f"{each}\nprint(*sys.modules)\n" for each in NOT_NEEDED)
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for (each, absent), imported in zip(NOT_NEEDED.items(), output.splitlines(), strict=True):
        assert "harness.scenario" in imported.split()
        assert absent.isdisjoint(imported.split()), each


def test_the_package_has_what_it_lists_and_nothing_else() -> None:
    import harness.scenario as package

    assert all(getattr(package, name) is not None for name in package.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'lode'"):
        _ = package.lode
