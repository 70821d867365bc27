"""The verdicts of a subject in a file. The next run judges only what is open, and the document has all of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.errors import BadInput
from harness.ground.disk import problem
from harness_lab.mutation.scoring import MutantVerdict


@dataclass(frozen=True, slots=True)
class SubjectVerdicts:
    """``generated`` is the number of all mutants; ``verdicts`` contains a sample of them.

    ``tests`` maps mutants to whether the subject's tests found what the judge had not.
    """

    subject: str
    seed: int
    generated: int
    verdicts: Sequence[MutantVerdict]
    tests: Mapping[str, bool]


def write_verdicts(path: Path, verdicts: SubjectVerdicts) -> None:
    """Write the file, and its folder. Raises ``BadInput`` or ``Breakdown`` if that is impossible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(verdicts), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise problem(error, f"{path}: cannot be written") from None


def read_verdicts(path: Path) -> SubjectVerdicts | None:
    """The content of the file; None if there is none. Raises ``BadInput`` for another file."""
    if not path.is_file():
        return None
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        return SubjectVerdicts(**{**value, "verdicts": _verdicts(value["verdicts"])})
    except (ValueError, TypeError, KeyError) as error:
        raise BadInput(f"{path}: expected what scripts/mutation-score has written, got: {error}; remove it") from None


def _verdicts(values: Iterable[Mapping[str, object]]) -> list[MutantVerdict]:
    return [MutantVerdict(**value) for value in values]  # type: ignore[arg-type]
