"""What is wrong with a driver, in every report that can fail a build."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from harness.report.files import RunFolder, read_results
from harness.report.formats.github import workflow_commands
from harness.report.formats.junit import junit
from harness.report.formats.markdown import markdown
from harness.report.formats.sarif import sarif
from harness.report.terminal import Terminal
from harness.runner.results import DriverFinding, RunResult
from harness_lab.documents.schemas import results_schema

FINDING = DriverFinding(
    "driver/text-id",
    "MUST",
    "all pieces of a turn's text are emitted under one id",
    ("openai-chat",),
    "all assistant pieces of turn 1 under text-1",
    "one under text-2 | ::error::\x1b[31m",
    "my_agent.py:12",
    "make the id when a turn begins",
    ("stream/one-id", "expect/events"),
)
NOTE = replace(FINDING, rule="driver/stream", level="INFO", excluded=())
RUN = RunResult("0.1.0", "2026-01-01T00:00:00+00:00", "my_agent:run", 0, driver=(FINDING, NOTE))


def test_a_note_fails_nothing() -> None:
    assert RUN.driver_problems == (FINDING,)


def test_the_terminal_shows_it_with_what_to_change_and_counts_what_fails() -> None:
    Terminal(told := io.StringIO()).summary(RUN, Path("reports"))
    text = told.getvalue()
    assert "your adapter function (my_agent.py:12): driver/text-id  all pieces" in text
    assert "info (my_agent.py:12): driver/stream" in text
    assert (
        "    change    make the id when a turn begins\n    not checked because of this  stream/one-id, expect/events\n"
        in text
    )
    assert "\x1b" not in text
    assert text.endswith("0 passed, 0 failed, 1 problem of your adapter\n")


def test_junit_has_a_failure_of_it() -> None:
    root = ElementTree.fromstring(junit(RUN))  # noqa: S314 - our own document
    assert (root.attrib["tests"], root.attrib["failures"]) == ("1", "1")
    (case,) = root.iter("testcase")
    assert (case.attrib["classname"], case.attrib["name"]) == ("my_agent.py:12", "driver/text-id")
    (failure,) = case
    assert "got:      one under text-2" in (failure.text or "")


def test_markdown_has_a_row_of_each() -> None:
    text = markdown(RUN)
    assert text.startswith("## 0 passed, 0 failed, 1 problem of your adapter\n")
    rows = [line for line in text.splitlines() if line.startswith("| `driver/")]
    assert [row.split(" ")[1] for row in rows] == ["`driver/text-id", "`driver/stream"]


def test_github_shows_what_fails_at_its_line() -> None:
    (line,) = workflow_commands(RUN).splitlines()
    assert line.startswith("::error ")
    assert "file=my_agent.py" in line
    assert "line=12" in line
    assert "your adapter function: all pieces" in line


def test_sarif_has_a_result_of_it_at_its_line() -> None:
    (found,) = json.loads(sarif(RUN))["runs"]
    wrong, note = found["results"]
    assert [(each["ruleId"], each["level"]) for each in (wrong, note)] == [
        ("driver/text-id", "error"),
        ("driver/stream", "note"),
    ]
    assert wrong["message"]["text"].startswith(
        "your adapter function: all pieces of a turn's text are emitted under one id\n"
    )
    assert wrong["message"]["text"].endswith("\nchange: make the id when a turn begins")
    assert wrong["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "my_agent.py"},
        "region": {"startLine": 12},
    }
    rules = found["tool"]["driver"]["rules"]
    assert [rules[each["ruleIndex"]]["id"] for each in (wrong, note)] == ["driver/text-id", "driver/stream"]
    assert "Not judged because of it: stream/one-id, expect/events." in rules[wrong["ruleIndex"]]["help"]["text"]
    assert "toolConfigurationNotifications" not in found["invocations"][0]


def test_sarif_notifies_of_the_driver_that_is_a_command() -> None:
    """Code scanning refuses a result without a place."""
    command = replace(FINDING, place="node my_agent.mjs --port :80")
    (found,) = json.loads(sarif(replace(RUN, driver=(command,))))["runs"]
    assert (found["results"], found["tool"]["driver"]["rules"]) == ([], [])
    (told,) = found["invocations"][0]["toolConfigurationNotifications"]
    assert told["level"] == "error"
    assert told["message"]["text"].startswith(
        "driver/text-id (node my_agent.mjs --port :80)\nyour adapter function: all pieces"
    )


def test_results_hold_it_and_satisfy_the_schema(tmp_path: Path) -> None:
    RunFolder.create(tmp_path).write_results(RUN)
    written = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    jsonschema.validate(written, results_schema())
    assert read_results(tmp_path / "results.json") == RUN
    wrong = {**written, "driver": [{**written["driver"][0], "level": "SHOULD"}]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, results_schema())
