"""The code that a run ends with: what a call has set, or a page of the last text, and nothing that is no page."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from harness.finding import Finding, broken
from harness.rules.evidence import difference, quote
from harness.rules.model import rule
from harness.rules.trace_view import SCREENSHOT_TO_CODE, TraceView
from harness.trace import Final, SetCode, ToolResult, ToolStart

_PAGE = re.compile(r"^(?:<!doctype\s[^<>]*>\s*)?<html[\s>].*?</html\s*>", re.IGNORECASE | re.DOTALL | re.MULTILINE)
_WHOLE_PAGE = re.compile(r"\s*(?:<!doctype\s[^<>]*>\s*)?<html[\s>].*</html\s*>\s*", re.IGNORECASE | re.DOTALL)

_RAW_TEXT = (
    ("<!--", "-->"),
    ("<script", "</script"),
    ("<style", "</style"),
    ("<textarea", "</textarea"),
    ("<title", "</title"),
)
"""What a tag in it is not one of the page."""


@rule(
    "final/code",
    "MUST",
    "unsafe",
    "The final code is the code last set by a call; where none was, the file that was there before the run, the "
    "complete HTML page of the last text, or nothing. What is set outside any call is that code too.",
    why="Prose, a refusal or half a page is not code, and does not become code by being shown as such before the end.",
    source="Agent Tool-Calling Flow, Finalization",
    needs=("events", "exchanges"),
    profiles=(SCREENSHOT_TO_CODE,),
    scope="run",
)
def _code(view: TraceView) -> Iterator[Finding]:
    called, loose = _codes(view)
    text = _last_text(view)
    last = called[-1] if called else None
    wanted = "a complete HTML page of the last text" if last is None else f"what a call set last: {quote(last)}"
    for at, code in loose:
        if code == called[-1] if called else _is_page_of(text, code):
            last = code
        else:
            yield broken(at, f"{wanted}, if a code is set outside any call", quote(code))
    if view.final is not None:
        yield from _final_code(*view.final, last, text, (view.trace.case.files or {}).values())


def _final_code(at: int, final: Final, last: str | None, text: str, before: Collection[str]) -> Iterator[Finding]:
    """``before`` are the files that were there before the run: where nothing has changed one, it is what there is."""
    if last is not None:
        if final.code != last:
            expected, got = difference(last, final.code)
            yield broken(at, f"the code last set: {expected}", got)
    elif final.code:
        if final.code not in before and not _is_page_of(text, final.code):
            yield broken(at, "no code, or a complete HTML page of the last text", quote(final.code))
    elif final.outcome == "completed" and (page := _page(text)):
        yield broken(at, f"the page in the last text: {quote(page)}", "no code")


def _is_page_of(text: str, code: str) -> bool:
    return code in text and _WHOLE_PAGE.fullmatch(code) is not None


def _page(text: str) -> str | None:
    """A page that begins on a line of its own; nothing is searched after the last ``</html>``, where none can end.

    None where that tag may be part of a script or the like, which has not ended.
    """
    closing = text.lower().rfind("</html")
    match = _PAGE.search(text[: text.find(">", closing) + 1]) if closing >= 0 else None
    page = match.group() if match else ""
    tags = page.lower()
    return page if not any(tags.count(begin) > tags.count(end) for begin, end in _RAW_TEXT) else None


def _codes(view: TraceView) -> tuple[list[str], list[tuple[int, str]]]:
    """The codes that calls have set, and those that were reported outside any call: no id, and no call is open."""
    called: list[str] = []
    loose: list[tuple[int, str]] = []
    open_calls: set[str] = set()
    for at, record in view.trace.events:
        event = record.event
        if isinstance(event, ToolStart):
            open_calls.add(event.id)
        elif isinstance(event, ToolResult):
            open_calls.discard(event.id)
        elif not isinstance(event, SetCode) or event.preview:
            continue
        elif event.id is not None or open_calls:
            called.append(event.code)
        else:
            loose.append((at, event.code))
    return called, loose


def _last_text(view: TraceView) -> str:
    return view.last.turn.text
