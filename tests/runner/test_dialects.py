"""``--dialect``: the endpoint streams as other servers do; a loop may refuse that, and must do no harm."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.errors import BadInput
from harness.runner.opening import examined
from harness.runner.plan import PlannedCase, case_of, in_dialects, matrix
from harness.runner.sources import Recording
from harness.runner.suites import in_suites
from harness.scenario import Scenario
from harness.scenario import load as load_scenarios
from harness.trace import Case, Failure, Trace, dumps, load, loads
from harness.wire import NATIVE_WIRES, wire
from tests.commands import run_harness
from tests.first_contact.judge import loops, written
from tests.scenarios import shipped_scenarios

THINKING = ("thinking-before-text", "thinking-in-every-turn", "thinking-twice-in-a-turn")
SCENARIOS = f"({' or '.join(('one-call.', 'two-calls-at-once', 'bad-call-beside-good-ones', *THINKING))}) and event"


def planned(scenario: str, *wires: str) -> list[PlannedCase]:
    (found,) = shipped_scenarios(scenario)
    return [PlannedCase(case_of(found, wire, "event", target="t"), found) for wire in wires]


def cases(out: Path) -> Mapping[str, Any]:
    return {case["id"]: case for case in json.loads((out / "results.json").read_text(encoding="utf-8"))["cases"]}


def test_a_case_is_run_in_each_dialect_that_its_wire_has() -> None:
    matrix = planned("recorded/one-call.yaml", "openai-chat", "anthropic-messages", "gemini-generate")
    assert in_dialects((), matrix) == matrix
    (one,) = in_dialects(("index-zero",), matrix)
    assert (one.case.id, one.case.dialect) == ("one-call.openai-chat.event+index-zero", "index-zero")
    every = [*wire("openai-chat").dialects, *wire("anthropic-messages").dialects, *wire("gemini-generate").dialects]
    assert [item.case.dialect for item in in_dialects(("all",), matrix)] == every
    two = in_dialects(("two-message-starts", "no-done"), matrix)
    assert [item.case.wire for item in two] == ["openai-chat", "anthropic-messages"]


@pytest.mark.parametrize(
    ("names", "scenario", "wire", "said"),
    [
        (
            ("broad",),
            "recorded/one-call.yaml",
            "openai-chat",
            "no wire has a dialect 'broad'; expected all, or some of",
        ),
        (("no-done",), "recorded/one-call.yaml", "gemini-generate", "no streamed case is on a wire that has it"),
        (("no-done",), "tool_runner/not-streamed.yaml", "openai-chat", "no streamed case is on a wire that has it"),
    ],
)
def test_what_leaves_no_case_is_bad_input(names: tuple[str, ...], scenario: str, wire: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        in_dialects(names, planned(scenario, wire))


def test_a_trace_names_a_dialect_only_where_one_is_spoken() -> None:
    usual, other = (Trace(Case("a", "a", "openai-chat", dialect=dialect), ()) for dialect in ("", "no-done"))
    assert '"dialect"' not in dumps(usual)
    assert (loads(dumps(usual)), loads(dumps(other))) == (usual, other)


VARIED = """\
scenario: one-call-anywhere
profile: universal
suite: core
summary: A call, in two dialects beside the provider's way.
wires: [openai-chat, anthropic-messages, gemini-generate]
prompt: What is it?
tools:
  - {name: look, description: Look., parameters: {type: object, properties: {}}, returns: a rye bread}
model:
  - calls: [{look: {}}]
  - text: A rye bread.
expect: {outcome: completed, turns: 2}
vary:
  chunking: [event, byte]
  dialect: [index-zero, two-message-starts]
"""


def varied(folder: Path) -> Scenario:
    (folder / "one.yaml").write_text(VARIED, encoding="utf-8")
    return load_scenarios([folder / "one.yaml"])[0]


def test_the_dialects_of_a_file_are_run_beside_its_cases_without_one(tmp_path: Path) -> None:
    scenario = varied(tmp_path)
    found = matrix([scenario], target=examined("wire-only"))
    assert [item.case.id.removeprefix("one-call-anywhere.") for item in found] == [
        *("openai-chat.event", "openai-chat.event+index-zero", "openai-chat.byte", "openai-chat.byte+index-zero"),
        *("anthropic-messages.event", "anthropic-messages.event+two-message-starts"),
        *("anthropic-messages.byte", "anthropic-messages.byte+two-message-starts"),
        *("gemini-generate.event", "gemini-generate.byte"),
    ]
    assert {item.case.dialect for item in found} == {"", "index-zero", "two-message-starts"}
    asked = in_dialects(["index-zero", "no-done"], found)
    assert [item.case.dialect for item in asked] == ["index-zero", "no-done"] * 2, "each once"


def test_the_cases_in_a_dialect_that_the_file_varies_are_in_the_suite_of_that_name(tmp_path: Path) -> None:
    found = matrix([varied(tmp_path)], target=examined("wire-only"))
    assert {item.case.dialect for item in in_suites(found, frozenset({"core"}))} == {""}
    assert "" not in {item.case.dialect for item in in_suites(found, frozenset({"dialects"}))}
    asked = in_dialects(["no-done"], found)
    assert in_suites(asked, frozenset({"core"})) == asked, "asked for by name, a case stays in its suite"


def test_recorded_answers_come_in_no_dialect_that_a_file_varies(tmp_path: Path) -> None:
    found = matrix([varied(tmp_path)], target=examined("wire-only"), sources=Recording(tmp_path, "once"))
    assert {item.case.dialect for item in found} == {""}


@pytest.mark.parametrize("options", [(), ("--dialect", "index-zero,no-done")])
def test_the_command_that_repeats_a_case_selects_it_alone(options: tuple[str, ...], tmp_path: Path) -> None:
    varied(tmp_path)
    done = run_harness(
        *("run", "one.yaml", "--target", "wire-only", "--wire", "openai-chat", *options, "--out", "out"), cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = cases(tmp_path / "out")
    assert len(found) == 4
    for name, case in found.items():
        _, *words = case["repeat"].split()
        assert ("--dialect" in words) == name.endswith("+no-done")
        again = run_harness(*words, "--out", "again", cwd=tmp_path)
        assert again.returncode == 0, again.stdout + again.stderr
        assert list(cases(tmp_path / "again")) == [name]


def test_recorded_answers_are_in_no_dialect(tmp_path: Path) -> None:
    done = run_harness("run", "--dialect", "all", "--source", "cassette", "--out", tmp_path / "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--dialect: --source cassette answers as it was recorded" in done.stderr


@pytest.mark.exhaustive
def test_the_reference_loop_reads_every_dialect(tmp_path: Path) -> None:
    done = run_harness(
        "run", "--suite", "core,dialects", "-k", SCENARIOS, "--dialect", "all", "--out", tmp_path / "out"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = cases(tmp_path / "out")
    spoken = {case.partition("+")[2] for case in found}
    assert spoken == {name for each in NATIVE_WIRES for name in wire(each).dialects}
    traces = [load(tmp_path / "out" / case["trace"]) for case in found.values()]
    assert [trace.case.id for trace in traces if isinstance(trace.events[-1][1].event, Failure)] == []


def test_a_loop_that_joins_fragments_by_their_index_merges_calls_and_may_raise_on_what_it_does_not_know(
    tmp_path: Path,
) -> None:
    """It keeps all rules with the provider. Arguments that are no text are an error, and it has done nothing before."""
    (loop,) = (loop for loop in loops() if loop.name == "chat_stream")
    target = written(loop, tmp_path)
    out = tmp_path / "out"
    dialects = "index-zero,object-arguments,no-done"
    words = ("run", "--target", target, "--suite", "core", "-k", SCENARIOS, "--dialect", dialects, "--out", out)
    done = run_harness(*words, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    broken = {
        case["id"]: {each["rule"] for each in case["findings"]} for case in cases(out).values() if case["findings"]
    }
    assert {name.partition("+")[2] for name in broken} == {"index-zero"}
    assert "history/model-calls" in broken["two-calls-at-once.openai-chat.event+index-zero"]
    assert "one-call.openai-chat.event+index-zero" not in broken
    trace = load(out / "traces" / "two-calls-at-once.openai-chat.event+object-arguments.jsonl")
    assert isinstance(trace.events[-1][1].event, Failure)
    assert " --dialect index-zero\n" in done.stdout, "the command that repeats a case"
