"""The lines of a scenario's parts in its file, so that a report can point at them."""

from __future__ import annotations

from harness.scenario.authored import ScenarioFile
from harness.scenario.documents import Document, Key
from harness.scenario.model import ScenarioLines


def lines_of(document: Document, file: ScenarioFile) -> ScenarioLines:
    """The lines of ``document``, whose entries are ``file``. Answers of one entry share its line."""
    entries = enumerate(file.model)
    steps = tuple(document.place(("model", index)).line for index, entry in entries for _ in range(entry.repeat))
    expected = {key: document.place(("expect", Key(key))).line for key in document.data["expect"]}
    beside = [("side", index) for index in range(len(file.side))]
    beside += [("subagents", index) for index in range(len(file.subagents))]
    lines = tuple(document.place(place).line for place in beside)
    return ScenarioLines(steps, document.place((Key("expect"),)).line, expected, lines)
