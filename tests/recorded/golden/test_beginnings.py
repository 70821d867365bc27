"""The file that a run began with: as the recording says, or as what happened shows. No name of a recording counts."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

import pytest

from harness.rules import judge
from harness.trace import dump, load
from harness_lab.recorded.golden import against_reference, against_rules
from harness_lab.recorded.golden.beginnings import first_files, first_page
from harness_lab.recorded.golden.imported import trace_of
from tests.recorded.golden.recordings import call, created, read, run_of, text

pytestmark = pytest.mark.anyio

OLD, NEW = "<html>\n<p>one</p>\n<p>two</p>\n</html>\n", "<html>\n<p>ONE</p>\n<p>two</p>\n</html>\n"


def edited(old: str, new: str, *, ok: bool = True) -> dict[str, Any]:
    """A run whose one call edits the page."""
    lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    diff = "".join(difflib.unified_diff(*lines, fromfile="index.html", tofile="index.html"))
    run = run_of(
        [{"parts": [call('{"old_text": "one", "new_text": "ONE"}', name="edit_file")]}, {"parts": [text("Done.")]}]
    )
    run["events"] = [
        {"type": "toolStart", "eventId": "call_1", "data": {"name": "edit_file", "input": {}}},
        *([{"type": "setCode", "value": new}] if ok and new else []),
        {
            "type": "toolResult",
            "eventId": "call_1",
            "data": {"name": "edit_file", "output": {"diff": diff} if ok else {"error": "no"}, "ok": ok},
        },
        {"type": "assistant", "eventId": "a", "value": "Done."},
    ]
    run["outcome"] = {"sut": "result", "completion": new if ok else old}
    return run


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, NEW),
        ("<html>one</html>", "<html>ONE</html>"),
        ("<html>+one</html>", "<html>+ONE</html>"),
        ("<html>one</html>", ""),
        (OLD, OLD),
    ],
)
def test_the_first_edit_shows_what_was_there(old: str, new: str, tmp_path: Path) -> None:
    assert first_page(read(tmp_path, edited(old, new), "any")) == old


def test_a_code_that_nobody_has_said_was_there(tmp_path: Path) -> None:
    run = edited(OLD, NEW, ok=False)
    assert first_files(read(tmp_path, run, "any")) == {"index.html": OLD}
    run["script"][1]["parts"] = [text(f"Here it is: {OLD}")]
    assert first_files(read(tmp_path, run, "any")) is None
    run["script"][1]["parts"] = [call(json.dumps({"content": OLD}))]
    assert first_files(read(tmp_path, run, "any")) is None


def test_what_is_not_certain_is_not_made_up(tmp_path: Path) -> None:
    assert first_files(read(tmp_path, created(), "edit_noop.anthropic")) is None
    run = edited(OLD, NEW)
    run["events"].insert(0, {"type": "setCode", "value": "other"})
    assert first_files(read(tmp_path, run, "any")) is None
    run = edited(OLD, NEW)
    run["events"][2]["data"]["output"]["diff"] = "no difference"
    assert first_files(read(tmp_path, run, "any")) is None


def test_the_recording_may_say_it(tmp_path: Path) -> None:
    run = {**edited(OLD, NEW), "files": {"page.html": "there"}}
    found = read(tmp_path, run, "any")
    assert first_files(found) == {"page.html": "there"}
    assert first_files(read(tmp_path, {**run, "files": {}}, "any")) == {}
    assert trace_of(found).case.files == {"page.html": "there"}


def test_a_file_that_stays_as_it_was_is_no_finding(tmp_path: Path) -> None:
    trace = trace_of(read(tmp_path, edited(OLD, NEW, ok=False), "any"))
    dump(trace, tmp_path / "trace.jsonl")
    assert "final/code" not in {finding.rule for finding in judge(load(tmp_path / "trace.jsonl"))}
    run = {**edited(OLD, NEW, ok=False), "files": {"index.html": "something else"}}
    assert "final/code" in {finding.rule for finding in judge(trace_of(read(tmp_path, run, "any")))}


@pytest.mark.parametrize(
    "name", ["edit_count_zero.anthropic", "edit_multi_second_fails.openai", "edit_to_empty.gemini"]
)
async def test_an_unseen_run_of_the_same_kind_is_explained(name: str, shared: Path, tmp_path: Path) -> None:
    """Other words on the page, in the arguments and in the results; another name."""
    whole = json.loads((shared / "golden" / "screenshot-to-code" / f"{name}.json").read_text(encoding="utf-8"))
    calls = [part for answer in whole["script"] for part in answer["parts"] if part["kind"] == "tool"]
    for call_made in calls:
        call_made["chunks"] = ["".join(call_made["chunks"])]
    found = json.dumps(whole)
    for old, new in (("two", "second"), (">one", ">first"), ('"one', '"first'), ("<p id=", "<p class=")):
        found = found.replace(old, new)
    run = json.loads(found)
    unseen = read(tmp_path, run, f"unseen.{name.rpartition('.')[2]}")
    assert first_page(unseen) == '<html><body><p class="a">first</p><p>second</p><p>second</p></body></html>'
    for compared in (await against_reference([unseen]), against_rules([unseen])):
        assert [each.differences for each in compared] == [()]
        assert all(each.sound for each in compared)
