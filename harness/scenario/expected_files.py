"""What a scenario expects of the files that a coding agent leaves in its work directory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from harness.finding import Finding
from harness.scenario.missed import unmet
from harness.scenario.model import FileExpect
from harness.scenario.words import shown

_NONE: Final = "no such file"


def compare_files(expected: Sequence[FileExpect], found: Mapping[str, str]) -> list[Finding]:
    """Every expectation that the files do not meet. ``found`` has the texts of existing files, by path."""
    return [finding for each in expected for finding in _of_file(each, found.get(each.path))]


def _of_file(expected: FileExpect, text: str | None) -> Iterator[Finding]:
    path, value = expected.path, expected.value
    if expected.absent:
        if text is not None:
            yield unmet("files", f"no file {path}", f"one that says {shown(text)}")
        return
    for whole in value.equals:
        if text != whole:
            yield unmet("files", f"{path} with the text {shown(whole)}", _got(text))
    for part in value.contains:
        if text is None or part not in text:
            yield unmet("files", f"{path} with {shown(part)} in it", _got(text))
    for part in value.lacks:
        if text is None or part in text:
            yield unmet("files", f"{path} without {shown(part)} in it", _got(text))


def _got(text: str | None) -> str:
    return _NONE if text is None else shown(text)
