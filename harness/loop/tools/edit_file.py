"""``edit_file``: replace pieces of the file by exact match.

All edits of a call happen, or none does. A call has one edit (``old_text``, ``new_text``, ``count``) at the top of its
arguments, or several under ``edits``. Each edit works on the result of the previous one.
"""

from __future__ import annotations

import difflib
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import PureWindowsPath

from harness.loop.tools.arguments import file_path
from harness.loop.tools.tool import Arguments, Implementation, ToolError, ToolOutcome, Workbench, shortened
from harness.trace import JsonValue

_INPUT_TEXT, _OUTPUT_TEXT = 160, 140
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Edit:
    """``count``: how many matches to replace, from the start; negative for all."""

    old_text: str
    new_text: str
    count: int


async def _run(bench: Workbench, arguments: Arguments) -> ToolOutcome:
    file = bench.file
    if file.content is None:
        raise ToolError("No file exists yet. Call create_file first.", "No file to edit")
    path = file_path(arguments, file.path)
    if PureWindowsPath(path) != PureWindowsPath(file.path):
        raise ToolError(f"No file exists at {path}. The file is {file.path}.", "No file to edit")
    before = after = file.content
    edits = []
    for edit in _edits(arguments):
        after, replaced = _replace(after, edit)
        edits.append(_edit_summary(edit.old_text, edit.new_text, _OUTPUT_TEXT) | {"replaced": replaced})
    file.content = after
    details = (_joined_diff if bench.policy.joined_diffs else _diff)(before, after, file.path)
    return ToolOutcome(
        result={"content": f"Successfully edited file at {file.path}.", "details": details},
        summary={"path": file.path, "edits": [*edits], "contentLength": len(after), **details},
        code=after,
    )


# --- arguments ---------------------------------------------------------------------------------------------


def _edits(arguments: Arguments) -> list[_Edit]:
    edits = arguments.get("edits")
    if edits is None or edits == []:
        return [_edit(arguments)]
    if not isinstance(edits, list):
        raise ToolError("edits must be a list", "Invalid edits payload")
    return [_edit(edit) for edit in edits]


def _edit(edit: object) -> _Edit:
    if not isinstance(edit, dict):
        raise ToolError("each of edits must be an object with old_text and new_text", "Invalid edits payload")
    old_text, new_text, count = edit.get("old_text"), edit.get("new_text"), edit.get("count")
    if old_text is None or old_text == "":
        raise ToolError("edit_file requires old_text", "Missing old_text")
    if new_text is None:
        raise ToolError('edit_file requires new_text; use "" to delete old_text', "Missing new_text")
    if not isinstance(old_text, str) or not isinstance(new_text, str):
        raise ToolError("old_text and new_text must be strings", "Invalid edits payload")
    return _Edit(old_text, new_text, _count(count))


def _count(count: object) -> int:
    if count is None:
        return 1
    if not isinstance(count, int) or isinstance(count, bool):
        raise ToolError("count must be an integer", "Invalid count")
    if count == 0:
        raise ToolError("count 0 would replace nothing; leave it out for the first match, -1 is all", "Invalid count")
    return count


# --- the edit ----------------------------------------------------------------------------------------------


def _replace(text: str, edit: _Edit) -> tuple[str, int]:
    found = text.count(edit.old_text)
    if not found:
        raise ToolError("old_text not found", old_text=shortened(edit.old_text, _INPUT_TEXT))
    replaced = found if edit.count < 0 else min(edit.count, found)
    return text.replace(edit.old_text, edit.new_text, replaced), replaced


def _diff(before: str, after: str, path: str) -> dict[str, JsonValue]:
    """A unified diff in which every line ends with a line break, even for a file without a final one."""
    diff = difflib.unified_diff(_lines(before), _lines(after), fromfile=path, tofile=path)
    ended = [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff]
    return {"diff": "".join(ended), "firstChangedLine": _first_changed_line(before, after)}


def _joined_diff(before: str, after: str, path: str) -> dict[str, JsonValue]:
    """A diff for reading: a last line without a line break is joined with the next. The diff begins up to three lines
    before the first line that differs, and its first line is called the first changed line."""
    diff = "".join(difflib.unified_diff(_lines(before), _lines(after), fromfile=path, tofile=path))
    begins = _HUNK.search(diff)
    return {"diff": diff, "firstChangedLine": int(begins[1]) if begins else None}


def _first_changed_line(before: str, after: str) -> int | None:
    """The first line, from 1, that differs; None if no line differs."""
    if before == after:
        return None
    pairs = enumerate(zip_longest(_lines(before), _lines(after)), start=1)
    return next(number for number, (old, new) in pairs if old != new)


def _lines(text: str) -> list[str]:
    """Lines with their ends, cut at ``\\n`` only, as tools that apply a diff count them."""
    return list(io.StringIO(text))


# --- for the user ------------------------------------------------------------------------------------------


def _summary(arguments: Arguments) -> JsonValue:
    path, edits = arguments.get("path"), arguments.get("edits")
    shown: Sequence[object] = edits if isinstance(edits, list) else [arguments] if edits is None else []
    summary: dict[str, JsonValue] = {
        "edits": [
            _edit_summary(edit.get("old_text"), edit.get("new_text"), _INPUT_TEXT) | {"count": edit.get("count")}
            for edit in shown
            if isinstance(edit, dict)
        ]
    }
    return {"path": path, **summary} if isinstance(path, str) else summary


def _edit_summary(old_text: object, new_text: object, limit: int) -> dict[str, JsonValue]:
    return {"old_text": _short(old_text, limit), "new_text": _short(new_text, limit)}


def _short(text: object, limit: int) -> str:
    """The beginning of a text; empty if a call has none, like in the engine that this loop follows."""
    return shortened(text, limit) if isinstance(text, str) else ""


EDIT_FILE = Implementation(run=_run, summary=_summary)
