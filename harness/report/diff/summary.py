"""The parts of a report of a comparison, in order: the same on a terminal, in Markdown and in HTML.

Texts are not escaped: whoever renders them must do that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tone = Literal["bad", "good", "plain"]


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is reported: ``groups`` of a section, ``items`` of a group in full and ``names`` of others, ``findings``
    of a case in full, ``lines`` of a diff, ``characters`` of a text."""

    groups: int = 8
    items: int = 1
    names: int = 6
    findings: int = 1
    lines: int = 12
    characters: int = 300

    @property
    def less(self) -> Amount:
        """About half as much, but never less than a useful minimum."""
        return Amount(
            groups=max(self.groups // 2, 5),
            items=max(self.items // 2, 1),
            names=max(self.names // 2, 3),
            findings=max(self.findings // 2, 1),
            lines=max(self.lines // 2, 5),
            characters=max(self.characters // 2, 100),
        )


@dataclass(frozen=True, slots=True)
class Place:
    """A case by its id. ``removed``: only the base run has it."""

    id: str
    removed: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One entry in full. ``facts`` are labels with their texts, ``diff`` has lines with ``-``, ``+`` or a space.
    ``place`` is the case that it is about, if any."""

    title: str
    note: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    diff: tuple[str, ...] = ()
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Entries of a kind; the title contains their number. ``more`` names entries that are not shown in full: the cases
    ``named``, with short names, and ``left``, a note on the rest."""

    title: str
    items: tuple[Item, ...] = ()
    more: str = ""
    named: tuple[Place, ...] = ()
    left: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """The entries under one heading; ``more`` says which are left out."""

    title: str
    tone: Tone
    groups: tuple[Group, ...]
    more: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonSummary:
    """The whole summary: ``head`` are labels with their texts, ``last`` sums up."""

    head: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    last: str
    tone: Tone
