"""Characters that turn the direction of a text: no reader of a report sees other words than there are."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from harness.report.formats.github import workflow_commands
from harness.report.formats.junit import junit
from harness.report.formats.markdown import markdown
from harness.report.formats.sarif import sarif
from harness.runner.results import RunResult
from tests.report.runs import hostile

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

FORMATS: dict[str, Callable[[RunResult], str]] = {
    "junit": junit,
    "sarif": lambda run: json.dumps(json.loads(sarif(run)), ensure_ascii=False),
    "markdown": markdown,
    "annotations": workflow_commands,
}


@pytest.mark.parametrize("name", FORMATS)
def test_what_turns_the_direction_is_an_escape(name: str) -> None:
    text = FORMATS[name](hostile(f"exec{BIDI}txt"))
    assert [mark for mark in BIDI if mark in text] == []
    assert "\\u202e" in text
    assert "\\u2066" in text
