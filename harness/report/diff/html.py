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
:root { color-scheme: light dark; --bad: light-dark(#b3261e, #ff8a80); --good: light-dark(#1b6e2e, #7bd88f); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1.bad, h2.bad, .minus { color: var(--bad); }
h2.good, .plus { color: var(--good); }
h3, code, pre, dd { font-family: ui-monospace, monospace; font-size: .9rem; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; border-left: 3px solid; padding-left: .75rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dd { margin: 0; white-space: pre-wrap; }
summary { cursor: pointer; }
"""


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
        lines = "\n".join(map(_line, item.diff))
        yield f"<pre>{lines}</pre>"
    yield "</details>"


def _facts(facts: Iterable[tuple[str, str]]) -> Iterator[str]:
    told = [f"<dt>{_text(label)}</dt><dd>{_text(text)}</dd>" for label, text in facts]
    if told:
        yield f"<dl>{''.join(told)}</dl>"


def _line(line: str) -> str:
    sign = {"+": "plus", "-": "minus"}.get(line[:1], "")
    return f'<span class="{sign}">{_text(line)}</span>'


def _text(text: str) -> str:
    return escape(visible(text))
