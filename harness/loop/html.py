"""Finds a complete HTML document in a model's text, and the page in a file's content.

Prose is never code, and neither is a page that breaks off. A document goes from ``<html>`` (with its doctype, if it
has one) to the ``</html>`` that ends it. Marks in a comment, a script, a style sheet or an inline code span do not
count. The first of several documents is taken. A page that begins again before it has ended is taken from its last
beginning. Every character is read a bounded number of times.
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
    """The first complete HTML document in ``text``, fenced or bare, without anything around it; None if none."""
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
    """The first complete page in a file's content, from its doctype to its end; None if there is none.

    Unlike in an answer, an ``<html>`` inside it does not begin the page again: the content is a file, so this is part
    of the page.
    """
    start: int | None = None
    for mark in _marks(content, 0):
        if mark["page"] and start is None and not content.endswith("`", 0, mark.start()):
            start = _with_doctype(content, mark.start())
        if mark["end"] and start is not None:
            return content[start : mark.end()]
    return None


def _with_doctype(content: str, start: int) -> int:
    """Where the page at ``start`` begins, including a doctype in front of it; only comments may be between them."""
    doctype = _DOCTYPE.search(content, 0, start)
    if doctype is None or _COMMENT.sub("", content[doctype.end() : start]).strip():
        return start
    return doctype.start()


def _first_page(text: str) -> re.Match[str] | None:
    return next((match for match in _BEGIN.finditer(text) if match["page"]), None)


def _marks(text: str, at: int) -> Iterator[re.Match[str]]:
    """The marks from ``at`` on, except in comments, scripts and the like. One of these that does not end is last."""
    while at >= 0 and (mark := _MARK.search(text, at)):
        yield mark
        at = _after(text, mark)


def _after(text: str, mark: re.Match[str]) -> int:
    """Where the content that belongs to ``mark`` ends; negative if it does not end."""
    if mark["comment"]:
        return text.find("-->", mark.end())
    if mark["raw"]:
        end = _RAW_END[mark["raw"].lower()].search(text, mark.end())
        return end.start() if end else -1
    return mark.end()
