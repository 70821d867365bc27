"""What a file says of calls and results is checked when it is read, each problem with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.scenario import Scenario, TurnStep
from harness.scenario.model import ResultExpect, ValueExpect
from tests.scenario.files import HEAD, loaded, problems

FILE = (
    HEAD
    + """\
prompt: Hello.
tools:
  - name: picture
    description: A picture.
    parameters: {type: object, properties: {of: {type: string}, size: {type: integer}}}
    returns: {url: '{{fresh}}.png', sizes: [1, 2]}
  - name: broken
    description: Fails.
    parameters: {type: object}
    raises: no gas
  - retrieve_option
model:
  - calls: [{picture: {of: bread}}, {broken: {}}, {retrieve_option: {option_number: 1}}]
  - MODEL
  - text: Done.
expect:
  outcome: completed
  EXPECT
"""
)


def written(model: str = "text: Hm.", expect: str = "") -> str:
    return FILE.replace("MODEL", model).replace("EXPECT", expect)


def scenario(folder: Path, model: str = "text: Hm.", expect: str = "") -> Scenario:
    return loaded(folder, written(model, expect))


@pytest.mark.parametrize(
    "model",
    [
        "text: At {{result.1.url}}.",
        "thinking: At {{result.1.url}}.",
        "parts: [{text: 'At {{result.1.url}}.'}]",
        "calls: [{picture: {size: '{{result.1.sizes.0}}'}}]",
        "calls: [{name: picture, arguments: {of: '{{result.1.url}}'}}]",
        "text: '{{result.2.error}} {{result.3.anything}}'",  # how a loop puts these is its own
    ],
)
def test_a_script_that_uses_results_is_known_as_such(tmp_path: Path, model: str) -> None:
    steps = [step for step in scenario(tmp_path, model).steps if isinstance(step, TurnStep)]
    assert [step.uses_results for step in steps] == [False, True, False]


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        ("text: 'At {{result.4.url}}.'",
         "a.yaml:17:11: expected a call from 1 to 3 before this answer, got call 4; correct the number"),
        ("text: '{{result.1.address}}'",
         "a.yaml:17:11: expected a member of what picture returns, {\"url\": \"{{fresh}}.png\", \"sizes\": [1, 2]}, "
         "got "
         "{{result.1.address}}; correct the names behind the number"),
        ("text: '{{result.1}}'",
         "a.yaml:17:11: expected '{{result.N.MEMBER}}' with the number of a call and a member of its result, got "
         "'{{result.1}}'; write it like '{{result.1.url}}'"),
        ("calls: [{name: picture, arguments: '{\"of\": \"{{result.1.url}}\"}'}]",
         "a.yaml:17:40: expected arguments as an object where they name results, got {{result.1.url}}; write 'key: "
         "value'"),
        ("calls: [{picture: {size: 'x {{result.1.sizes.0}}'}}]",
         "a.yaml:17:30: expected arguments of picture, got 'x {{result.1.sizes.0}}' is no integer; correct them or "
         "say "
         "'invalid: true'"),
        ("parts: [{text: Hm.}, {call: {picture: {of: '{{result.9.url}}'}}}]",
         "a.yaml:17:48: expected a call from 1 to 3 before this answer, got call 9; correct the number"),
    ],
)  # fmt: skip
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


@pytest.mark.parametrize(
    ("expect", "problem"),
    [
        ("sent: [{request: 2, contains: '{{result.2.error}}'}]",
         "a.yaml:21:33: expected the result of a tool of this file that says what it 'returns', got "
         "{{result.2.error}} of "
         "'broken'; write the value that you expect"),
        ("sent: [{request: 2, contains: '{{result.3.x}}'}]",
         "a.yaml:21:33: expected the result of a tool of this file that says what it 'returns', got {{result.3.x}} of "
         "'retrieve_option'; write the value that you expect"),
        ("sent: [{request: 2, contains: '{{result.1.x}}'}]",
         "a.yaml:21:33: expected a member of what picture returns, {\"url\": \"{{fresh}}.png\", \"sizes\": [1, 2]}, "
         "got "
         "{{result.1.x}}; correct the names behind the number"),
        ("results: [{call: 4, contains: x}]",
         "a.yaml:21:13: expected a call from 1 to 3 in the script, got call 4; correct the number"),
        ("results: [{tool: picture}, {tool: picture}]",
         "a.yaml:21:37: expected one entry for each call of a tool at most, got 1 call of 'picture' in the script; "
         "remove "
         "the entry, or correct the name; did you mean 'picture'?"),
        ("results: [{tool: pictur}]",
         "a.yaml:21:20: expected one entry for each call of a tool at most, got 0 calls of 'pictur' in the script; "
         "remove "
         "the entry, or correct the name; did you mean 'picture'?"),
        ("results: [{call: 1, tool: picture}]",
         "a.yaml:21:13: expected exactly one of the keys call or tool, got 'call' and 'tool'; keep one"),
        ("results: [{contains: x}]",
         "a.yaml:21:13: expected exactly one of the keys call or tool, got none of them; keep one"),
        ("results: [{call: 1, has: x}]",
         "a.yaml:21:23: expected the keys call, tool, equals, contains, lacks or failed, got 'has'; remove or "
         "rename it"),
        ("reported: [{tool: pictures}]",
         "a.yaml:21:21: expected one of the tools picture, broken or retrieve_option, got 'pictures'; correct the "
         "name, "
         "or remove it; did you mean 'picture'?"),
        ("reported: [{tool: picture, output: {}}]",
         "a.yaml:21:38: expected at least one of the keys equals, members, contains or lacks, got none of them; "
         "add one, or remove the entry"),
        ("reported: [{tool: picture, input: {is: 1}}]",
         "a.yaml:21:38: expected the keys equals, members, contains or lacks, got 'is'; remove or rename it"),
        ("reported: [{ok: true}]", "a.yaml:21:14: expected the key 'tool', got only 'ok'; add it"),
        ("offered: [{tools: [picture]}]", "a.yaml:21:13: expected the key 'request', got only 'tools'; add it"),
        ("offered: [{request: 0}]", "a.yaml:21:23: expected at least 1, got 0; use a larger number"),
        ("offered: [{request: 1, tool: picture}]",
         "a.yaml:21:26: expected the keys request, tools or lacks, got 'tool'; remove or rename it; did you mean "
         "'tools'?"),
    ],
)  # fmt: skip
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
