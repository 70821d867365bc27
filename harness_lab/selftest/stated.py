"""What is found in each broken trace and small run, to the word: the rule, its level, the line, and what it says.

That a rule finds a mistake is little if it names another line or another value. So ``stated.json`` has every finding,
as a person has read and approved it. ``scripts/state-findings`` writes the file anew; what it changes is to be read
again.

Ids of calls are written by their places, and numbers of bytes are left out, so that most runs say the same on all
wires.
What a provider's own rule says is stated with that rule, in its requests, and what it has for information is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from harness.finding import Finding
from harness.rules import TraceView

FILE: Final = Path(__file__).parent.parent / "mutants" / "traces" / "stated.json"
_BYTES = re.compile(r"\bbytes? \d+|\b\d+ bytes?")

Words = tuple[str, ...]
Stated = Mapping[str, Mapping[str, Words]]
"""By the name of what is broken and by wire, a line for each finding."""


def in_words(findings: Iterable[Finding], views: Iterable[TraceView]) -> Words:
    """A line for each finding in the conversations of a trace."""
    ids = [call.id for view in views for ask in view.asks for call in ask.calls if call.id]
    names = {id: f"<call {number}>" for number, id in enumerate(dict.fromkeys(ids), 1)}
    longest_first = sorted(names, key=len, reverse=True)
    named = re.compile("|".join(map(re.escape, longest_first))) if names else None
    lines = (_line(finding) for finding in findings if finding.level != "INFO" or not finding.reference)
    if named is None:
        return tuple(lines)
    return tuple(named.sub(lambda match: names[match.group()], line) for line in lines)


def _line(finding: Finding) -> str:
    after = f" after {finding.answer}" if finding.answer is not None else ""
    where = f"{finding.id} {finding.level} {finding.impact} at {finding.at}{after}"
    if finding.reference:
        return where
    about = f"{finding.conversation}: " if finding.conversation else ""
    beside = f" ({finding.detail})" if finding.detail else ""
    words = _BYTES.sub("N bytes", f"{where}: {about}expected {finding.expected}; got {finding.got}{beside}")
    return words.encode("utf-8", "backslashreplace").decode()


@cache
def stated() -> Stated:
    """The file, wire by wire."""
    entries = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    return {
        name: {wire: tuple(each["found"]) for each in groups for wire in each["on"]} for name, groups in entries.items()
    }


def unlike(name: str, wire: str, found: Words) -> Words:
    """How what is found differs from what is stated: a line each."""
    wanted = stated().get(name, {}).get(wire, ())
    lost = (f"stated, and not found: {line}" for line in wanted if line not in found)
    new = (f"found, and not stated: {line}" for line in found if line not in wanted)
    moved = ("found in another order than stated",) if sorted(found) == sorted(wanted) and found != wanted else ()
    return (*lost, *new, *moved)


def text_of(every: Iterable[tuple[str, str, Words]]) -> str:
    """The file: (name, wire, what is found) of each run. What finds nothing needs no entry."""
    groups: dict[str, dict[Words, list[str]]] = {}
    for name, wire, words in every:
        if words:
            groups.setdefault(name, {}).setdefault(words, []).append(wire)
    entries = {name: list(_groups(each)) for name, each in sorted(groups.items())}
    return json.dumps(entries, indent=1, ensure_ascii=False) + "\n"


def _groups(by_words: Mapping[Words, Sequence[str]]) -> Iterator[Mapping[str, Sequence[str]]]:
    for words, wires in by_words.items():
        yield {"on": list(wires), "found": list(words)}
