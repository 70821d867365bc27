"""The table ``notes.yaml``: mutants that change nothing, with the reason, and what would find those that survive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from harness.errors import BadInput
from harness_lab.mutation.mutants import MutantKey, SourceMutant

NOTES: Final = Path(__file__).with_name("notes.yaml")

_KEY: Final = ("path", "qualname", "operator", "line", "change")


@dataclass(frozen=True, slots=True)
class MutantNote:
    """``equivalent``: why no judge can find it. ``wanted``: what would find it. Exactly one of them is set."""

    key: MutantKey
    equivalent: str = ""
    wanted: str = ""


def read_notes(path: Path = NOTES) -> Mapping[MutantKey, MutantNote]:
    """The table. Raises ``BadInput`` for an entry without a mutant, or without one reason."""
    entries = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    if not isinstance(entries, list):
        raise BadInput(f"{path}: expected a list of notes, got {type(entries).__name__}")
    notes = [_note(entry, f"{path}: note {number}") for number, entry in enumerate(entries, 1)]
    by_key = {note.key: note for note in notes}
    if len(by_key) < len(notes):
        twice = next(note.key for note in notes if by_key[note.key] is not note)
        raise BadInput(f"{path}: {twice.path}, {twice.line!r} is there twice; remove one of them")
    return by_key


def gone(notes: Iterable[MutantNote], mutants: Iterable[SourceMutant]) -> list[MutantNote]:
    """The notes on mutants that do not exist any more, because their line or the operators have changed."""
    there = {mutant.key for mutant in mutants}
    return [note for note in notes if note.key not in there]


def _note(entry: Any, where: str) -> MutantNote:
    if not isinstance(entry, dict):
        raise BadInput(f"{where}: expected {', '.join(_KEY)} and a reason, got {entry!r}")
    if problem := _problem(entry):
        raise BadInput(f"{where}: {problem}")
    key = MutantKey(**{name: entry[name] for name in _KEY}, nth=entry.get("nth", 1))
    return MutantNote(key, entry.get("equivalent", ""), entry.get("wanted", ""))


def _problem(entry: Mapping[str, Any]) -> str:
    known = {*_KEY, "nth", "equivalent", "wanted"}
    if missing := [name for name in _KEY if not isinstance(entry.get(name), str)]:
        return f"expected a text for {', '.join(missing)}"
    if unknown := sorted(set(entry) - known):
        return f"{', '.join(unknown)}: expected only {', '.join(sorted(known))}"
    reasons = [name for name in ("equivalent", "wanted") if entry.get(name)]
    return "" if len(reasons) == 1 else "expected one of 'equivalent' and 'wanted', with a reason"
