"""Which tools were run, and which were not: by events, and by the results in requests."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.finding import Finding
from harness.scenario import Expect, ToolRun, compare
from harness.trace import Case, Event, EventRecord, SetCode, ToolResult, ToolStart, Trace
from harness.wire import WIRES, Call, FinishReason, Turn, WireName
from tests.case_tables import from_table
from tests.rules.silent import OUTPUT, played
from tests.scenario.files import loaded, problems

ANY = ToolRun("list_files")
HERE, THERE = ToolRun("list_files", {"path": "."}), ToolRun("list_files", {"path": "/"})
WHOLE = Call("list_files", '{"path": "."}')
STOPPED = Turn((WHOLE,), FinishReason.MAX_TOKENS)


def missed(trace: Trace, *, ran: tuple[ToolRun, ...] = (), not_ran: tuple[ToolRun, ...] = ()) -> list[Finding]:
    expect = Expect(("completed",), ran=ran, not_ran=not_ran)
    return [each for each in compare(expect, trace) if each.rule in ("expect/ran", "expect/not_ran")]


def told(*events: Event) -> Trace:
    return Trace(Case("c", "s", "openai-responses"), tuple(map(EventRecord, events)))


RUN = told(ToolStart("1", "list_files", {"path": "."}), ToolResult("1", "list_files", None, ok=True))
FAILED = told(ToolStart("1", "list_files", {"path": "."}), ToolResult("1", "list_files", None, ok=False))
CODE = told(ToolStart("1", "create_file"), SetCode("<p>", "1", preview=True), SetCode("<p>", "1"))
PREVIEW = told(ToolStart("1", "create_file"), SetCode("<p>", "1", preview=True))


# --- events -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("trace", "run"), [(RUN, ANY), (RUN, HERE), (CODE, ToolRun("create_file"))])
def test_a_run_that_was_told_was_one(trace: Trace, run: ToolRun) -> None:
    assert missed(trace, ran=(run,)) == []
    (mismatch,) = missed(trace, not_ran=(run,))
    assert mismatch.rule == "expect/not_ran"
    assert mismatch.expected.startswith(run.tool)
    assert mismatch.at is not None


@pytest.mark.parametrize(
    ("trace", "run"),
    [(RUN, THERE), (RUN, ToolRun("other")), (FAILED, ANY), (PREVIEW, ToolRun("create_file")), (told(), ANY)],
)
def test_what_was_not_told_as_a_run_was_none(trace: Trace, run: ToolRun) -> None:
    assert missed(trace, not_ran=(run,)) == []
    assert [each.rule for each in missed(trace, ran=(run,))] == ["expect/ran"]


# --- requests -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", WIRES)
def test_a_result_in_a_request_shows_a_run(wire: WireName) -> None:
    trace = played(wire, STOPPED)
    assert missed(trace, ran=(ANY,)) == []
    (mismatch,) = missed(trace, not_ran=(ANY,))
    assert "out42" in mismatch.got


@pytest.mark.parametrize("wire", WIRES)
def test_a_run_may_be_on_certain_arguments(wire: WireName) -> None:
    trace = played(wire, STOPPED)
    assert missed(trace, not_ran=(THERE,)) == []
    assert len(missed(trace, not_ran=(HERE,))) == 1
    assert missed(trace, ran=(HERE,)) == []
    assert len(missed(trace, ran=(THERE,))) == 1


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("output", ["Error: cut off", "Nothing was run.", "参数错误"])
def test_a_result_that_may_be_a_refusal_breaks_neither(wire: WireName, output: str) -> None:
    trace = played(wire, STOPPED, output=output)
    assert missed(trace, ran=(ANY,), not_ran=(ANY,)) == []


def test_a_result_that_is_marked_as_an_error_is_no_run() -> None:
    trace = played("anthropic-messages", STOPPED, is_error=True)
    assert missed(trace, not_ran=(ANY,)) == []
    assert len(missed(trace, ran=(ANY,))) == 1


@pytest.mark.parametrize("returns", [{}, {"list_files": OUTPUT}])
def test_where_tools_are_told_only_what_the_tool_returns_is_certain(returns: dict[str, str]) -> None:
    quiet = played("openai-chat", STOPPED, returns=returns)
    events = (EventRecord(ToolStart("9", "other")), EventRecord(ToolResult("9", "other", None, ok=True)))
    assert len(missed(Trace(quiet.case, (*quiet.records, *events)), not_ran=(ANY,))) == bool(returns)


def test_words_that_no_tool_returns_are_no_run_where_it_is_known_what_it_returns() -> None:
    """A loop may answer a call that it leaves out in any words."""
    words = "The user has said something else."
    assert len(missed(played("openai-chat", STOPPED, output=words), not_ran=(ANY,))) == 1
    known = played("openai-chat", STOPPED, output=words, returns={"list_files": {"files": ["a.txt"]}})
    assert missed(known, not_ran=(ANY,)) == []


def test_without_ids_names_and_places_pair_calls_and_results() -> None:
    other = Call("edit_file", "{}")
    trace = played(
        "gemini-generate", Turn((WHOLE, other), FinishReason.TOOL_CALLS), outputs=("no", OUTPUT), keeps_ids=False
    )
    assert missed(trace, not_ran=(ANY,)) == []
    assert len(missed(trace, not_ran=(ToolRun("edit_file"),))) == 1


# --- in files -----------------------------------------------------------------------------------------------

FILE = (Path(__file__).parent / "data" / "tool_runs_file.yaml").read_text(encoding="utf-8")


def test_runs_are_tools_or_tools_with_arguments(tmp_path: Path) -> None:
    expect = loaded(tmp_path, FILE.replace("RUNS", "ran: [order]\n  not_ran: [{order: {dish: soup}}]")).expect
    assert expect.ran == (ToolRun("order"),)
    assert expect.not_ran == (ToolRun("order", {"dish": "soup"}),)


@from_table(__file__, "test_a_wrong_run_is_told_in_one_line")
def test_a_wrong_run_is_told_in_one_line(tmp_path: Path, runs: str, said: str) -> None:
    (problem,) = problems(tmp_path, FILE.replace("RUNS", runs))
    assert said in problem
    assert problem.startswith("a.yaml:1")
