"""``harness cassettes stats``: what cassettes contain, wire by wire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from harness.cassette import Cassette
from harness.cassette.library import cassette_files, read_cassettes, recorded_on
from harness.cli.cassettes.read_interactions import ReadInteraction, read_interactions
from harness.cli.cassettes.table import print_table
from harness.errors import BadInput
from harness.report.terminal import visible
from harness.wire import wire_names

_HEAD = ["wire", "cassettes", "interactions", "turns", "calls", "errors", "bytes", "recorded"]
_BESIDE = "no model"
"""The row of requests that do not go to a model."""


@dataclass(slots=True)
class _Count:
    """The counts of one wire. ``turns`` are responses that can be read, ``bytes`` the size of all bodies."""

    cassettes: set[Path] = field(default_factory=set)
    interactions: int = 0
    turns: int = 0
    calls: int = 0
    errors: int = 0
    bytes: int = 0
    models: set[str] = field(default_factory=set)
    days: set[date] = field(default_factory=set)

    def add(self, cassette: Cassette, day: date | None, each: ReadInteraction) -> None:
        self.cassettes.add(cassette.path)
        self.interactions += 1
        self.turns += each.reply is not None
        self.calls += len(each.reply.turn.calls) if each.reply else 0
        self.errors += each.interaction.status >= 400
        self.bytes += len(each.interaction.request or b"") + len(each.interaction.response)
        self.models |= {each.conversation.model} if each.conversation and each.conversation.model else set()
        self.days |= {day} if day else set()

    def row(self, wire: str) -> list[str]:
        counts = (len(self.cassettes), self.interactions, self.turns, self.calls, self.errors, self.bytes)
        days = f"{min(self.days)} to {max(self.days)}" if self.days else "-"
        return [wire, *(f"{count:,}" for count in counts), days]


def stats(places: Sequence[Path]) -> int:
    """Print a row per wire, and the models. Raises ``BadInput`` at the end for files that are no cassettes."""
    counts = {name: _Count() for name in (*wire_names(), _BESIDE)}
    problems: list[str] = []
    for cassette in read_cassettes(cassette_files(places), problems):
        day = recorded_on(cassette)
        for each in read_interactions(cassette):
            counts[each.wire or _BESIDE].add(cassette, day, each)
    found = {wire: count for wire, count in counts.items() if count.interactions}
    print_table([_HEAD, *(count.row(wire) for wire, count in found.items())])
    for wire, count in found.items():
        if count.models:
            print(visible(f"{wire}: {', '.join(sorted(count.models))}"))
    if problems:
        raise BadInput(*problems)
    return 0
