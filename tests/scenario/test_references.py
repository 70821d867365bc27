"""What a file says of calls and results is checked when it is read, each problem with its place."""

from __future__ import annotations

from pathlib import Path

from harness.scenario import Scenario, TurnStep
from harness.scenario.model import ResultExpect, ValueExpect
from tests.case_tables import from_table
from tests.scenario.files import loaded, problems

FILE = (Path(__file__).parent / "data" / "references_file.yaml").read_text(encoding="utf-8")


def written(model: str = "text: Hm.", expect: str = "") -> str:
    return FILE.replace("MODEL", model).replace("EXPECT", expect)


def scenario(folder: Path, model: str = "text: Hm.", expect: str = "") -> Scenario:
    return loaded(folder, written(model, expect))


@from_table(__file__, "test_a_script_that_uses_results_is_known_as_such")
def test_a_script_that_uses_results_is_known_as_such(tmp_path: Path, model: str) -> None:
    steps = [step for step in scenario(tmp_path, model).steps if isinstance(step, TurnStep)]
    assert [step.uses_results for step in steps] == [False, True, False]


@from_table(__file__, "test_what_a_script_could_never_have_is_bad_input")
def test_what_a_script_could_never_have_is_bad_input(tmp_path: Path, model: str, problem: str) -> None:
    assert problems(tmp_path, written(model)) == [problem]


def test_a_call_is_not_before_its_own_answer(tmp_path: Path) -> None:
    text = written().replace("{picture: {of: bread}}", "{picture: {of: '{{result.1.url}}'}}", 1)
    (problem,) = problems(tmp_path, text)
    assert problem.startswith("a.yaml:16:28: expected a call before this answer, of which there is none, got call 1")


def test_calls_of_a_turn_that_breaks_off_and_after_it_have_no_number(tmp_path: Path) -> None:
    text = written("text: '{{result.1.url}}'").replace("- calls: [{p", "- cut: {after: 9}\n    calls: [{p", 1)
    (problem,) = problems(tmp_path, text)
    assert problem == (
        "a.yaml:18:11: expected a call before this answer, of which there is none, got call 1; calls of and after a "
        "turn that breaks off have no number"
    )


def test_an_answer_that_is_repeated_counts_each_time(tmp_path: Path) -> None:
    text = written("text: '{{result.6.anything}}'").replace("- calls: [{p", "- repeat: 2\n    calls: [{p", 1)
    assert loaded(tmp_path, text).expect.uses_results is False


def test_a_conversation_beside_the_main_one_counts_its_own_calls(tmp_path: Path) -> None:
    side = "subagents:\n  - says: Sea\n    model:\n      - calls: [{look: {}}]\n      - text: '{{result.NUMBER.a}}'\n"
    good = written().replace("expect:\n", side.replace("NUMBER", "1") + "expect:\n")
    assert loaded(tmp_path, good).beside[0].steps[1].uses_results  # type: ignore[union-attr]
    (problem,) = problems(tmp_path, good.replace("result.1.a", "result.2.a"))
    assert problem.startswith("a.yaml:23:15: expected a call from 1 to 1 before this answer, got call 2")


@from_table(__file__, "test_what_no_run_could_meet_is_bad_input")
def test_what_no_run_could_meet_is_bad_input(tmp_path: Path, expect: str, problem: str) -> None:
    assert problems(tmp_path, written(expect=expect)) == [problem]


def test_results_are_known_by_the_numbers_of_their_calls(tmp_path: Path) -> None:
    model = "calls: [{picture: {of: cake}}]"
    expect = (
        "results: [{tool: picture, equals: null}, {call: 2, lacks: x, failed: true}, "
        "{tool: picture, contains: ['{{result.4.url}}']}]"
    )
    found = scenario(tmp_path, model, expect).expect
    assert found.uses_results
    assert found.results == (
        ResultExpect(1, "picture", ValueExpect(equals=(None,))),
        ResultExpect(2, "broken", ValueExpect(lacks=("x",)), failed=True),
        ResultExpect(4, "picture", ValueExpect(contains=("{{result.4.url}}",))),
    )
