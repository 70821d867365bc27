"""A comparison as one small HTML file, for who wants to look at it or hand it on. It loads nothing and runs nothing.

The page of a run (``harness report --format html``) shows a run with its traces; this one only what has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from harness.report.diff.told import Group, Item, Section, Told
from harness.report.visible import visible

__all__ = ["html"]

_STYLE: Final = """
:root {
  color-scheme: light dark;
  --paper: light-dark(#f6f6f4, #131416); --card: light-dark(#fff, #1b1d20);
  --ink: light-dark(#1c1d1f, #e6e6e3); --soft: light-dark(#5c6068, #a0a4ab); --line: light-dark(#e0e0db, #303338);
  --bad: light-dark(#b3261e, #ff8f85); --bad-paper: light-dark(#fbe4e1, #43201d);
  --good: light-dark(#1d7044, #6fcf97); --good-paper: light-dark(#dcefe3, #173322);
  --accent: light-dark(#2b5fb8, #8ab4f8);
}
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1.25rem; }
body { background: var(--paper); color: var(--ink); overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .75rem; }
h2 { font-size: .95rem; margin: 2rem 0 .6rem; letter-spacing: .02em; }
h3 { font-size: .9rem; margin: 1.2rem 0 .5rem; }
h1.bad, h2.bad { color: var(--bad); }
h2.good { color: var(--good); }
h3, code, pre, dd { font-family: ui-monospace, Menlo, Consolas, monospace; }
code, pre, dd { font-size: .82rem; unicode-bidi: isolate; }
details, section > p { background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
details, section > p { margin: .5rem 0; padding: .6rem .9rem; }
summary { cursor: pointer; }
summary code, section > p > code:first-child { font-weight: 600; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
dl { display: grid; grid-template-columns: fit-content(12rem) minmax(0, 1fr); gap: .1rem 1rem; margin: .5rem 0 0; }
dt { color: var(--soft); font-size: .85rem; }
dd { margin: 0; white-space: pre-wrap; }
.first { margin-top: .5rem; }
dd.first { font-weight: 600; }
pre { white-space: pre-wrap; margin: .7rem 0 0; }
pre span { display: block; padding: 0 .5rem; }
.plus { color: var(--good); background: var(--good-paper); }
.minus { color: var(--bad); background: var(--bad-paper); }
@media (max-width: 40rem) { dl { grid-template-columns: minmax(0, 1fr); } dd { margin-bottom: .4rem; } }
"""


_FIRST: Final = ("found", "still", "error", "changed", "repeat")
"""Labels with which something new begins."""


def html(told: Told) -> str:
    """The page. Its policy forbids scripts and everything from elsewhere; its texts are text."""
    body = "\n".join(
        [f'<h1 class="{told.tone}">{_text(told.last)}</h1>', *_facts(told.head), *map(_section, told.sections)]
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{_text(told.last)}</title>
<style>{_STYLE}</style>
</head>
<body>
{body}
</body>
</html>
"""


def _section(section: Section) -> str:
    more = [f"<p>{_text(section.more)}</p>"] if section.more else []
    groups = [line for group in section.groups for line in _group(group)]
    heading = f'<h2 class="{section.tone}">{_text(section.title)}</h2>'
    return "\n".join(["<section>", heading, *groups, *more, "</section>"])


def _group(group: Group) -> Iterator[str]:
    if group.title:
        yield f"<h3>{_text(group.title)}</h3>"
    for item in group.items:
        yield from _item(item)
    if group.more:
        yield f"<p><code>{_text(group.more)}</code></p>"


def _item(item: Item) -> Iterator[str]:
    title = f"<code>{_text(item.title)}</code> {_text(item.note)}"
    if not item.facts and not item.diff:
        yield f"<p>{title}</p>"
        return
    yield f"<details open><summary>{title}</summary>"
    yield from _facts(item.facts)
    if item.diff:
        yield f"<pre>{''.join(map(_line, item.diff))}</pre>"
    yield "</details>"


def _facts(facts: Iterable[tuple[str, str]]) -> Iterator[str]:
    if told := [_fact(label, text) for label, text in facts]:
        yield f"<dl>{''.join(told)}</dl>"


def _fact(label: str, text: str) -> str:
    first = ' class="first"' if label in _FIRST else ""
    return f"<dt{first}>{_text(label)}</dt><dd{first}>{_text(text)}</dd>"


def _line(line: str) -> str:
    sign = {"+": "plus", "-": "minus"}.get(line[:1], "")
    return f'<span class="{sign}">{_text(line)}</span>'


def _text(text: str) -> str:
    return escape(visible(text))
