"""Breakages of requests, below the SDK, that are written in a file: ``edited.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from harness.ground.data_files import read_data, with_tuples
from harness_lab.mutants.json_edits import edit_json
from harness_lab.mutants.loop_mutant import Edit, LoopMutant


def _edited_by(edits: Sequence[Mapping[str, Any]]) -> Edit:
    def edit(body: Any) -> Any:
        for each in edits:
            edit_json(body, each)
        return body

    return edit


def _read(path: Path) -> Iterator[LoopMutant]:
    rows = read_data(path)["mutants"]
    for name in rows:
        with rows.at(name):
            members = with_tuples(rows[name])
            yield LoopMutant(name=name, edit=_edited_by(members.pop("edits")), **members)


EDITED: Final = tuple(_read(Path(__file__).with_suffix(".yaml")))
"""The broken loops of the file."""
