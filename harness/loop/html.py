"""A complete HTML document in a model's text, or none; the page that a file's content is.

Prose is never code, and neither is a page that breaks off. A document is what stands between ``<html>`` (with
its doctype, if it has one) and the ``</html>`` that ends it: not one in a comment, a script, a style sheet or an
inline code span. Of several documents the first is taken; a page that begins again before it ended is taken from
its last beginning. Every character is looked at a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_BEGIN = re.compile(
    r"(?P<code_span>(?<!`)`[^`\n]+`(?!`))"
    r"|(?P<page>(?:<!doctype\s[^<>]*>\s*)?<html(?=[\s>])[^<>]*>)",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"(?P<code_span>`</html\s*>`)"
    r"|(?P<end></html\s*>)"
    r"|(?P<page>(?:<!doctype\s[^<>]*>\s*)?<html(?=[\s>])[^<>]*>)"
    r"|(?P<comment><!--)"
    r"|<(?P<raw>script|style|textarea|title)(?=[\s/>])",
    re.IGNORECASE,
)
_DOCTYPE = re.compile(r"<!doctype\s[^<>]*>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_RAW_END = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style", "textarea", "title")
}


def complete_html(text: str) -> str | None:
    """The first complete HTML document in ``text``, fenced or bare, without anything around it; None if none is."""
    begin = _first_page(text)
    if begin is None:
        return None
    start = begin.start()
    for mark in _marks(text, begin.end()):
        if mark["end"]:
            return text[start : mark.end()]
        if mark["page"]:
            start = mark.start()
    return None


def page_of(content: str) -> str | None:
    """The first page in a file's content, from its doctype to its end; None where there is none that ends.

    Unlike a page in an answer, it is not begun again by an ``<html>`` inside it: the content is a file, so that is a
    word of the page.
    """
    start: int | None = None
    for mark in _marks(content, 0):
        if mark["page"] and start is None and not content.endswith("`", 0, mark.start()):
            start = _with_doctype(content, mark.start())
        if mark["end"] and start is not None:
            return content[start : mark.end()]
    return None


def _with_doctype(content: str, start: int) -> int:
    """Where a page that starts at ``start`` begins with a doctype that only comments separate from it."""
    doctype = _DOCTYPE.search(content, 0, start)
    if doctype is None or _COMMENT.sub("", content[doctype.end() : start]).strip():
        return start
    return doctype.start()


def _first_page(text: str) -> re.Match[str] | None:
    return next((match for match in _BEGIN.finditer(text) if match["page"]), None)


def _marks(text: str, at: int) -> Iterator[re.Match[str]]:
    """The marks from ``at`` on, without those in a comment, a script and the like; what does not end is the last."""
    while at >= 0 and (mark := _MARK.search(text, at)):
        yield mark
        at = _after(text, mark)


def _after(text: str, mark: re.Match[str]) -> int:
    """Where the content that belongs to ``mark`` ends; negative when it does not end."""
    if mark["comment"]:
        return text.find("-->", mark.end())
    if mark["raw"]:
        end = _RAW_END[mark["raw"].lower()].search(text, mark.end())
        return end.start() if end else -1
    return mark.end()
