"""A comparison as one small HTML file, to be looked at or attached. Its cases are links to the pages of their runs.

The page of a run (``harness report --format html``) shows a run with its traces; this one only what has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import Final

from harness.report.diff.summary import ComparisonSummary, Group, Item, Place, Section
from harness.report.document import document
from harness.report.visible import visible

Pages = Callable[[Place], str]
"""The address of a case in the page of its run, escaped."""

_FIRST: Final = ("found", "still", "error", "changed", "repeat")
"""Labels of entries that begin something new."""


def html(summary: ComparisonSummary, pages: Pages) -> str:
    """The page. ``pages`` returns the address of a case in the page of its run. Texts are texts, whatever they say."""
    body = "\n".join(
        [
            f'<h1 class="{summary.tone}">{_text(summary.last)}</h1>',
            *_facts(summary.head),
            *(_section(section, pages) for section in summary.sections),
        ]
    )
    return document(visible(summary.last), body)


def _section(section: Section, pages: Pages) -> str:
    more = [f"<p>{_text(section.more)}</p>"] if section.more else []
    groups = [line for group in section.groups for line in _group(group, pages)]
    heading = f'<h2 class="{section.tone}">{_text(section.title)}</h2>'
    return "\n".join(["<section>", heading, *groups, *more, "</section>"])


def _group(group: Group, pages: Pages) -> Iterator[str]:
    yield '<div class="group">'
    if group.title:
        yield f"<h3>{_text(group.title)}</h3>"
    for item in group.items:
        yield from _item(item, pages)
    if group.named:
        links = ", ".join(_link(place, pages, place.id) for place in group.named)
        yield f'<p class="item card"><code>{"also " if group.items else ""}{links}{_text(group.left)}</code></p>'
    yield "</div>"


def _item(item: Item, pages: Pages) -> Iterator[str]:
    title = f"<code>{_text(item.title) if item.place is None else _link(item.place, pages, item.title)}</code>"
    title += f" {_text(item.note)}"
    if not item.facts and not item.diff:
        yield f'<p class="item card">{title}</p>'
        return
    yield f'<details class="item" open><summary>{title}</summary>'
    yield from _facts(item.facts)
    if item.diff:
        yield f"<pre>{''.join(map(_line, item.diff))}</pre>"
    yield "</details>"


def _link(place: Place, pages: Pages, text: str) -> str:
    """A link. ``pages`` has escaped the address."""
    return f'<a href="{pages(place)}">{_text(text)}</a>'


def _facts(facts: Iterable[tuple[str, str]]) -> Iterator[str]:
    if rendered := [_fact(label, text) for label, text in facts]:
        yield f"<dl>{''.join(rendered)}</dl>"


def _fact(label: str, text: str) -> str:
    first = ' class="first"' if label in _FIRST else ""
    return f"<dt{first}>{_text(label)}</dt><dd{first}>{_text(text)}</dd>"


def _line(line: str) -> str:
    sign = {"+": "plus", "-": "minus"}.get(line[:1], "")
    return f'<span class="{sign}">{_text(line)}</span>'


def _text(text: str) -> str:
    return escape(visible(text))
