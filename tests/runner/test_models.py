"""The model that a case asks for: the target's, unless the script needs another one."""

from __future__ import annotations

import pytest

from harness.endpoint import Endpoints, ScriptSource
from harness.runner.execute import execute
from harness.runner.models import model_of
from harness.runner.plan import case_of, plan
from harness.runner.sources import Opened
from harness.scenario import Scenario
from harness.targets import CaseRun, Declaration, Isolation
from harness.trace import Assistant, Final
from harness.wire import WIRES, WireName
from tests.scenarios import shipped_scenarios

UNIVERSAL = {scenario.name: scenario for scenario in shipped_scenarios("universal")}
PLAIN = UNIVERSAL["tool-returns"]
THINKING = UNIVERSAL["thinking-before-text"]


def asked(scenario: Scenario, wire: WireName, model: str, source: str = "script") -> tuple[str, tuple[str, ...]]:
    case = case_of(scenario, wire, "event", target="mine", source=source)
    opened = Opened(lambda: ScriptSource(()), "the-scripts")
    return model_of(case, scenario, opened, Declaration(models=((wire, model),)))


@pytest.mark.parametrize("wire", WIRES)
def test_the_targets_model_is_asked_for(wire: WireName) -> None:
    assert asked(PLAIN, wire, "mine") == ("mine", ())


def test_a_target_that_names_none_gets_the_scripts() -> None:
    case = case_of(PLAIN, "openai-chat", "event", target="mine")
    opened = Opened(lambda: ScriptSource(()), "the-scripts")
    assert model_of(case, PLAIN, opened, Declaration(models=(("gemini-generate", "mine"),))) == ("the-scripts", ())


@pytest.mark.parametrize(
    ("wire", "model", "why"),
    [
        ("openai-chat", "gpt-4.1", "it must be one whose thinking is sent back"),
        ("openai-chat", "some-model", "it must be one whose thinking is sent back"),
        ("openai-responses", "gpt-4.1", "this one never does"),
        ("anthropic-messages", "claude-3-5-haiku-latest", "this one never does"),
    ],
)
def test_a_script_that_thinks_keeps_its_own_where_the_targets_cannot(wire: WireName, model: str, why: str) -> None:
    kept, (note,) = asked(THINKING, wire, model)
    assert kept == "the-scripts"
    assert note.startswith(f"asks for the model the-scripts in place of {model}: the scripted model thinks, and ")
    assert note.endswith(why)


@pytest.mark.parametrize(
    ("wire", "model"),
    [
        ("openai-responses", "gpt-5.5"),
        ("anthropic-messages", "claude-opus-4-6"),
        ("gemini-generate", "gemini-3.6-flash"),
        ("anthropic-messages", "somebody-elses"),
    ],
)
def test_a_script_that_thinks_is_played_by_a_model_that_can(wire: WireName, model: str) -> None:
    assert asked(THINKING, wire, model) == (model, ())


def test_a_scenario_that_names_a_model_keeps_it() -> None:
    kept, (note,) = asked(UNIVERSAL["signed-call-on-chat"], "openai-chat", "gpt-4.1")
    assert kept == "the-scripts"
    assert note == "asks for the model the-scripts in place of gpt-4.1: the scenario plays a model of its own"


def test_recorded_answers_keep_their_model() -> None:
    kept, (note,) = asked(PLAIN, "openai-chat", "mine", source="cassette")
    assert (kept, note) == ("the-scripts", "asks for the model the-scripts in place of mine: its answers are recorded")


class Noting:
    """A target that notes the assignments that it is given."""

    name = "noting"
    isolation: Isolation = "in-process"

    def __init__(self) -> None:
        self.declaration = Declaration(models=(("openai-chat", "mine"),))
        self.given: list[CaseRun] = []

    async def run(self, case_run: CaseRun) -> None:
        self.given.append(case_run)
        case_run.emit(Assistant("x", "1"))
        case_run.emit(Final("", "completed"))

    async def close(self) -> None:
        pass


@pytest.mark.anyio
async def test_the_target_is_told_and_the_case_says_so() -> None:
    target = Noting()
    planned = plan([PLAIN, THINKING], target=target, wires=["openai-chat"], expression="event")
    finished = await execute(planned, target, Endpoints(), "http://harness", jobs=1)
    given = {item.case.scenario: each for item, each in zip(planned, target.given, strict=True)}
    assert (given[PLAIN.name].model, given[PLAIN.name].reasons) == ("mine", False)
    assert (given[THINKING.name].model, given[THINKING.name].reasons) == ("deepseek-v4-flash", True)
    notes = {each.result.scenario: each.result.notes for each in finished}
    assert notes[PLAIN.name] == ()
    assert notes[THINKING.name][0].startswith("asks for the model deepseek-v4-flash in place of mine: ")
