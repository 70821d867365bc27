"""``edit_file``: exact replacements, all of a call or none."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest

from harness.loop import SCREENSHOT_TO_CODE, FileState, ToolCall, ToolOutcome, ToolRuntime
from tests.case_tables import from_table
from tests.loop.test_tools import PAGE, assert_refused, run, with_file


def edited(content: str, *edits: dict[str, Any]) -> ToolOutcome:
    outcome = run(with_file(content), "edit_file", {"edits": list(edits)})
    assert outcome.ok
    return outcome


def edit(old_text: str, new_text: str, **count: Any) -> dict[str, Any]:
    return {"old_text": old_text, "new_text": new_text, **count}


def diff_of(outcome: ToolOutcome) -> Any:
    assert isinstance(outcome.summary, dict)
    return outcome.summary["diff"]


def test_edit_file() -> None:
    tools = with_file("one\ntwo\nthree\n")
    outcome = run(tools, "edit_file", {"path": "index.html", "edits": [edit("two", "2")]})
    diff = "--- index.html\n+++ index.html\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
    assert outcome == ToolOutcome(
        result={
            "content": "Successfully edited file at index.html.",
            "details": {"diff": diff, "firstChangedLine": 2},
        },
        summary={
            "path": "index.html",
            "edits": [{"old_text": "two", "new_text": "2", "replaced": 1}],
            "contentLength": 12,
            "diff": diff,
            "firstChangedLine": 2,
        },
        ok=True,
        code="one\n2\nthree\n",
    )
    assert tools.file == FileState("index.html", "one\n2\nthree\n")


def test_one_edit_may_stand_at_the_top() -> None:
    assert run(with_file("a"), "edit_file", edit("a", "b")).code == "b"
    nulls = {"path": None, "edits": None, "count": None, **edit("a", "b")}
    assert run(with_file("a"), "edit_file", nulls).code == "b"


def test_edits_are_made_on_what_the_one_before_left() -> None:
    assert edited("a", edit("a", "b"), edit("b", "c")).code == "c"


@from_table(__file__, "test_count_says_how_many_are_replaced")
def test_count_says_how_many_are_replaced(count: dict[str, Any], content: str, replaced: int) -> None:
    outcome = edited("a a a", edit("a", "x", **count))
    assert outcome.code == content
    assert isinstance(outcome.summary, dict)
    assert outcome.summary["edits"] == [{"old_text": "a", "new_text": "x", "replaced": replaced}]


_ZERO = "count 0 would replace nothing; leave it out for the first match, -1 is all"


@pytest.mark.parametrize(
    ("arguments", "error", "summary"),
    [
        ({"edits": [edit("two", "2", count=0)]}, _ZERO, "Invalid count"),
        ({"edits": [edit("two", "2", count="1")]}, "count must be an integer", "Invalid count"),
        ({"edits": [edit("two", "2", count=1.0)]}, "count must be an integer", "Invalid count"),
        ({"edits": [edit("two", "2", count=True)]}, "count must be an integer", "Invalid count"),
        ({"edits": {"old_text": "two"}}, "edits must be a list", "Invalid edits payload"),
        ({"edits": "two"}, "edits must be a list", "Invalid edits payload"),
        (
            {"edits": ["a", "b"]},
            "each of edits must be an object with old_text and new_text",
            "Invalid edits payload",
        ),
        ({"edits": [edit("two", 2)]}, "old_text and new_text must be strings", "Invalid edits payload"),  # type: ignore[arg-type]
        ({"edits": [edit(["two"], "2")]}, "old_text and new_text must be strings", "Invalid edits payload"),  # type: ignore[arg-type]
        ({}, "edit_file requires old_text", "Missing old_text"),
        ({"edits": []}, "edit_file requires old_text", "Missing old_text"),
        ({"edits": [edit("", "2")]}, "edit_file requires old_text", "Missing old_text"),
        (
            {"edits": [{"old_text": "two"}]},
            'edit_file requires new_text; use "" to delete old_text',
            "Missing new_text",
        ),
        ({"edits": [edit("absent", "x")]}, "old_text not found", "old_text not found"),
        ({"edits": [edit("one", "1"), edit("absent", "x")]}, "old_text not found", "old_text not found"),
        ({"edits": [edit("one", "1"), edit("two", "2", count=0)]}, _ZERO, "Invalid count"),
        (
            {"path": "../x", "edits": [edit("one", "1")]},
            "path must be a relative path to a file inside the project",
            "Invalid path",
        ),
        (
            {"path": "b.css", "edits": [edit("one", "1")]},
            "No file exists at b.css. The file is index.html.",
            "No file to edit",
        ),
    ],
)
def test_an_edit_that_cannot_be_made_says_why_and_changes_nothing(arguments: Any, error: str, summary: str) -> None:
    tools = with_file()
    assert_refused(run(tools, "edit_file", arguments), error, summary)
    assert tools.file == FileState("index.html", PAGE)


def test_without_a_file_there_is_nothing_to_edit() -> None:
    outcome = run(ToolRuntime(), "edit_file", edit("a", "b"))
    assert_refused(outcome, "No file exists yet. Call create_file first.", "No file to edit")


def test_an_empty_file_is_a_file() -> None:
    assert_refused(run(with_file(""), "edit_file", edit("a", "b")), "old_text not found")


def test_the_file_is_the_same_by_another_spelling_of_its_path() -> None:
    assert run(with_file("a"), "edit_file", {"path": "./index.html", **edit("a", "b")}).code == "b"


def test_text_that_was_not_found_is_quoted_in_part() -> None:
    outcome = run(with_file(), "edit_file", edit("y" * 200, "x"))
    assert outcome.result == outcome.summary == {"error": "old_text not found", "old_text": "y" * 160 + "..."}


def test_a_file_may_be_edited_to_nothing_and_the_user_is_shown_that() -> None:
    outcome = edited("all", edit("all", ""))
    assert outcome.code == ""
    assert diff_of(outcome) == "--- index.html\n+++ index.html\n@@ -1 +0,0 @@\n-all\n\\ No newline at end of file\n"


def test_an_edit_that_changes_nothing_has_no_diff() -> None:
    outcome = edited("a\n", edit("a", "a"))
    assert isinstance(outcome.summary, dict)
    assert (outcome.summary["diff"], outcome.summary["firstChangedLine"]) == ("", None)


@from_table(__file__, "test_the_first_changed_line_is_the_first_that_differs")
def test_the_first_changed_line_is_the_first_that_differs(before: str, old: str, new: str, line: int) -> None:
    outcome = edited(before, edit(old, new))
    assert isinstance(outcome.summary, dict)
    assert outcome.summary["firstChangedLine"] == line


@pytest.mark.parametrize(
    ("before", "old", "new"),
    [
        ("a\nb\nc", "b", "x"),
        ("a\nb", "b", "x"),
        ("a\nb", "b", "b\n"),
        ("a\nb\n", "b\n", "b"),
        ("one line", "line", "page"),
        ("a\u2028b\x0cc\x85d\re\nf\n", "c", "x"),
        ("a\r\nb\r\nc\r\n", "b", "x"),
        ("".join(f"line {n}\n" for n in range(60)), "line 30\n", ""),
        ("x\n", "x\n", ""),
    ],
)
def test_the_diff_can_be_applied(before: str, old: str, new: str) -> None:
    outcome = edited(before, edit(old, new))
    assert applied(before, diff_of(outcome)) == outcome.code


def applied(before: str, diff: str) -> str:
    """What patch(1) makes of ``before``: every hunk must stand where it says and say what stands there."""
    old, after, at = list(io.StringIO(before)), "", 0
    lines = re.findall(r"(.*\n)(\\ No newline at end of file\n)?", diff)
    assert [line for line, _ in lines[:2]] == ["--- index.html\n", "+++ index.html\n"]
    for line, open_end in lines[2:]:
        text = line[1:-1] if open_end else line[1:]
        if hunk := re.match(r"@@ -(\d+)(,0)?", line):
            start = int(hunk[1]) - (0 if hunk[2] else 1)
            after += "".join(old[at:start])
            at = start
        if line[0] in " -":
            assert old[at] == text
            at += 1
        if line[0] in " +":
            after += text
    return after + "".join(old[at:])


def test_summaries_of_edit_file_are_cut() -> None:
    old = "o" * 161
    outcome = edited(old, edit(old, "n" * 160))
    assert isinstance(outcome.summary, dict)
    assert outcome.summary["edits"] == [{"old_text": "o" * 140 + "...", "new_text": "n" * 140 + "...", "replaced": 1}]


@from_table(__file__, "test_the_user_is_told_of_the_edits_before_they_are_made")
def test_the_user_is_told_of_the_edits_before_they_are_made(arguments: str, summary: Any) -> None:
    assert ToolRuntime().call_summary(ToolCall("c", "edit_file", arguments)) == summary


def test_long_texts_are_cut_in_the_announcement() -> None:
    call = ToolCall("c", "edit_file", f'{{"old_text": "{"o" * 161}", "new_text": "{"n" * 160}"}}')
    assert ToolRuntime().call_summary(call) == {
        "edits": [{"old_text": "o" * 160 + "...", "new_text": "n" * 160, "count": None}]
    }


@pytest.mark.parametrize(
    ("before", "old", "new", "diff", "begins"),
    [
        ("a", "a", "b", "@@ -1 +1 @@\n-a+b", 1),
        ("1\n2\n3\n4\n5\n6\n", "5", "x", "@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+x\n 6\n", 2),
        ("a", "a", "a", "", None),
    ],
)
def test_diffs_are_joined_where_the_policy_says_so(before: str, old: str, new: str, diff: str, begins: int) -> None:
    tools = ToolRuntime(file=FileState("index.html", before), policy=SCREENSHOT_TO_CODE)
    outcome = run(tools, "edit_file", edit(old, new))
    head = "--- index.html\n+++ index.html\n" if diff else ""
    details = {"diff": head + diff, "firstChangedLine": begins}
    assert isinstance(outcome.result, dict)
    assert isinstance(outcome.summary, dict)
    assert outcome.result["details"] == details
    assert outcome.summary.items() >= details.items()
