"""Broken traces and harmless changes of traces as files have them, in the words of small runs.

A file has ``mutants`` and ``equivalents`` in groups. A group is of one ``scenario``, on some ``wires`` if these are not
all native ones; one of mutants is of a ``rule``, with others that find them ``also``, and one of equivalents may say
which rules its changes ``informs``. Its ``rows`` have a sentence each, and edits behind it, which are made one after
another.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.ground.data_files import Lined, read_data, with_tuples
from harness_lab.mutants.traces.draft import TraceDraft
from harness_lab.mutants.traces.mutant import Edit, EquivalentTrace, TraceMutant
from harness_lab.mutants.traces.small_runs.files import Words, WrittenInWords


def read_mutants(path: Path, words: Words) -> Iterator[TraceMutant | EquivalentTrace]:
    """The mutants and the equivalents of a file. Raises ``BadInput`` with its name and a line that cannot be read."""
    reader, file = WrittenInWords(words, Lined()), read_data(path)
    for kind, made in (("mutants", TraceMutant), ("equivalents", EquivalentTrace)):
        for group in file.get(kind, ()):
            yield from _group(reader, group, made)


def _group(
    reader: WrittenInWords, group: Lined, made: type[TraceMutant | EquivalentTrace]
) -> Iterator[TraceMutant | EquivalentTrace]:
    members: dict[str, Any] = with_tuples({name: value for name, value in group.items() if name != "rows"})
    with group.at("scenario"):
        rows = group["rows"]
    for name in rows:
        with rows.at(name):
            summary, *edits = rows[name]
            yield made(name=name, summary=summary, edit=_one_after_another(*reader.edits(edits)), **members)


def _one_after_another(first: Edit, *others: Edit) -> Edit:
    def edit(draft: TraceDraft) -> None:
        for each in (first, *others):
            each(draft)

    return edit if others else first
