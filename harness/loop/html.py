"""A complete HTML document in a model's text, or none.

Prose is never code, and neither is a page that breaks off. A document is what stands between ``<html>`` (with
its doctype, if it has one) and the ``</html>`` that ends it: not one in a comment, a script, a style sheet or an
inline code span. Of several documents the first is taken; a page that begins again before it ended is taken from
its last beginning. Every character is looked at a bounded number of times.
"""

from __future__ import annotations

import re

__all__ = ["complete_html"]

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
_RAW_END = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style", "textarea", "title")
}


def complete_html(text: str) -> str | None:
    """The first complete HTML document in ``text``, fenced or bare, without anything around it; None if none is."""
    begin = _first_page(text)
    if begin is None:
        return None
    start, at = begin.start(), begin.end()
    while mark := _MARK.search(text, at):
        if mark["end"]:
            return text[start : mark.end()]
        if mark["page"]:
            start = mark.start()
        at = _after(text, mark)
        if at < 0:
            return None
    return None


def _first_page(text: str) -> re.Match[str] | None:
    return next((match for match in _BEGIN.finditer(text) if match["page"]), None)


def _after(text: str, mark: re.Match[str]) -> int:
    """Where the content that belongs to ``mark`` ends; negative when it does not end."""
    if mark["comment"]:
        return text.find("-->", mark.end())
    if mark["raw"]:
        end = _RAW_END[mark["raw"].lower()].search(text, mark.end())
        return end.start() if end else -1
    return mark.end()
