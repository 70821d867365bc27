"""Every way to get a scenario wrong: the place, what was expected, what came, what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import BadInput
from harness.scenario import checking, load
from harness.scenario.authored import Authored
from tests.case_tables import from_table
from tests.scenario.files import HEAD, SMALL, problems, write

MODEL = f"""\
{HEAD}prompt: Hello.
tools: [create_file, edit_file]
model:
  - STEP
expect:
  outcome: completed
"""

WAITING_TOOLS = """\
tools:
  - {name: ask, description: Ask., parameters: {type: object}, kind: external}
  - {name: drop, description: Drop., parameters: {type: object}, kind: unapproved, returns: done}"""


@from_table(__file__, "test_a_broken_file_is_told_in_one_line")
def test_a_broken_file_is_told_in_one_line(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert old in SMALL
    text = SMALL.replace(old, new.replace("TOOLS", WAITING_TOOLS), 1)
    assert any(expected in problem for problem in problems(tmp_path, text))


@from_table(__file__, "test_a_broken_step_is_told_in_one_line")
def test_a_broken_step_is_told_in_one_line(tmp_path: Path, step: str, expected: str) -> None:
    assert any(expected in problem for problem in problems(tmp_path, MODEL.replace("STEP", step)))


@from_table(__file__, "test_a_broken_tool_is_told_in_one_line")
def test_a_broken_tool_is_told_in_one_line(tmp_path: Path, tool: str, expected: str) -> None:
    found = problems(tmp_path, SMALL.replace("model:", f"tools: [{tool}]\nmodel:"))
    assert any(expected in problem for problem in found)


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ("{minimum: 2}", "expected arguments of a, got 1 is less than the minimum of 2; correct them"),
        ("{enum: [" + ", ".join(f"number {n}" for n in range(40)) + "]}", "expected arguments of a, got breaks 'enum'"),
        ("{type: objekt}", "expected a JSON Schema of type 'object', got no JSON Schema"),
    ],
)
def test_arguments_of_a_tool_of_the_file_are_checked_too(tmp_path: Path, limit: str, expected: str) -> None:
    schema = f"{{type: object, properties: {{n: {limit}}}}}"
    tool = f"{{name: a, description: d, parameters: {schema}, returns: 1}}"
    (found,) = problems(tmp_path, SMALL.replace("text: Hi.", f"calls: [{{a: {{n: 1}}}}]\ntools: [{tool}]"))
    assert expected in found


@pytest.mark.parametrize("fault", ["error: {}", "ending: eof", "cut: {after: 2}"])
def test_faults_of_a_stream_need_a_stream(tmp_path: Path, fault: str) -> None:
    text = SMALL.replace("text: Hi.", f"{{{fault}}}").replace("model:", "stream: false\nmodel:")
    (found,) = problems(tmp_path, text)
    assert "expected a fault of a stream in a streamed scenario" in found


def test_all_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        SMALL.replace("Small.", "5").replace("outcome: completed", "outcome: done"),
        "nonsense: [",
        SMALL.replace("Hi.", "!include x.txt"),
    )
    assert [problem.split(": ")[0] for problem in found] == ["a.yaml:3:10", "a.yaml:8:12", "b.yaml:2:1", "c.yaml:6:11"]


def test_a_name_belongs_to_one_file(tmp_path: Path) -> None:
    assert problems(tmp_path, SMALL, SMALL) == [
        "b.yaml:1:11: expected a name of its own, got 'small', as in a.yaml:1:11; rename one",
    ]


def test_files_that_are_not_there_and_folders_without_files(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput) as caught:
        load([tmp_path / "nowhere.yaml", tmp_path / "empty"])
    assert list(caught.value.problems) == [
        f"{tmp_path}/nowhere.yaml: expected a scenario file or a folder, got nothing there; correct the path",
        f"{tmp_path}/empty: expected a folder with *.yaml files, got none in it; correct the path",
    ]


def test_every_entry_can_say_its_own_keys() -> None:
    entries = {each for each in Authored.__subclasses__() if each.__module__.startswith("harness.scenario.")}
    assert set(checking._MODELS.values()) == entries


VALUES = st.recursive(
    st.sampled_from(["x", "", "5", "true", "null", "all", "none", "!include x", "{}", "[]", "'{'", "429"]),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.dictionaries(
            st.sampled_from(["text", "call", "calls", "name", "arguments", "http", "status", "create_file", "thinking",
                             "redacted", "cut", "after", "parts", "error", "kind", "invalid", "stop", "repeat"]),
            inner,
            max_size=3,
        ).map(lambda items: "{" + ", ".join(f"{key}: {value}" for key, value in items.items()) + "}")
    ),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["prompt", "tools", "model", "expect", "vary", "wires", "summary"]), VALUES)
def test_whatever_is_written_is_loaded_or_told_with_a_place(tmp_path: Path, key: str, value: str) -> None:
    path = write(tmp_path, SMALL.replace("scenario: small\n", "").replace(f"{key}:", "old:") + f"{key}: {value}\n")
    with pytest.raises(BadInput) as caught:
        load([path])  # the name is missing, so there is always something to say
    assert all(problem.startswith(f"{path}:") and "; " in problem for problem in caught.value.problems)
