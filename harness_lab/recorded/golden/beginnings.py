"""Finds the file that a recorded run began with. If the recording does not name it, the events of the run show it."""

from __future__ import annotations

import json

from harness_lab.recorded.run import ModelAnswer, RecordedEvent, RecordedRun

PATH = "index.html"
"""The one file that the recorded loop knows."""


def first_files(run: RecordedRun) -> dict[str, str] | None:
    """The files before the run, by their paths; None if neither the recording nor the run shows them."""
    if run.files is not None:
        return dict(run.files)
    page = _of_first_edit(run) or _unwritten_code(run)
    return None if page is None else {PATH: page}


def first_page(run: RecordedRun) -> str | None:
    """The page before the run; None if the run began with nothing, or if nobody knows."""
    return next(iter((first_files(run) or {}).values()), None)


def _of_first_edit(run: RecordedRun) -> str | None:
    """The text that the first successful call has edited, if that call is an edit.

    Its result contains the difference, and the code right before it is the edited text.
    """
    codes: list[str] = []
    for event in run.events:
        if event.kind == "setCode":
            codes.append(event.value)
        elif event.kind == "toolResult" and event.data["ok"]:
            diff = _diff(event)
            return None if diff is None or len(codes) > 1 else _before(diff, codes[0] if codes else "")
    return None


def _diff(event: RecordedEvent) -> str | None:
    output = event.data.get("output")
    found = output.get("diff") if isinstance(output, dict) else None
    return found if isinstance(found, str) else None


def _before(diff: str, after: str) -> str | None:
    """The text from which the difference made ``after``; None if that is not certain.

    In the difference, a line without an end is joined with the next one.
    """
    if not diff:
        return after
    lines = diff.splitlines(keepends=True)
    if len(lines) < 4 or not lines[0].startswith("--- ") or sum(each.startswith("@@ ") for each in lines) != 1:
        return None
    changed = "".join(lines[3:])
    if len(lines) == 4 and changed.startswith("-"):
        joined = f"+{after}" if changed.endswith(f"+{after}") else ""
        return changed[1 : len(changed) - len(joined)]
    return _taken_back(lines[3:], after)


def _taken_back(lines: list[str], after: str) -> str | None:
    """``after`` with one hunk reverted; None unless its lines are there exactly once."""
    new = "".join(line[1:] for line in lines if line[:1] in " +")
    old = "".join(line[1:] for line in lines if line[:1] in " -")
    return after.replace(new, old) if new and after.count(new) == 1 else None


def _unwritten_code(run: RecordedRun) -> str | None:
    """The code that a run ended with, if no event contains it and the model wrote it neither in text nor in calls."""
    if run.error is not None or not run.completion or any(event.kind == "setCode" for event in run.events):
        return None
    answers = (answer for answer in run.script if isinstance(answer, ModelAnswer))
    texts = [part.text for answer in answers for part in answer.parts]
    in_json = json.dumps(run.completion)[1:-1]
    return None if any(run.completion in text or in_json in text for text in texts) else run.completion
