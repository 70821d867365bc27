"""The cassettes of a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Final

from harness.cassette.files import is_interrupted
from harness.cassette.interaction import Cassette
from harness.cassette.read import read_cassette
from harness.errors import BadInput

_ENDINGS: Final = frozenset({".yaml", ".yml", ".json"})


def cassette_files(places: Sequence[Path], *, interrupted: bool = False) -> list[Path]:
    """The files of ``places``, and those in folders that may be cassettes, sorted.

    What an interrupted recording left in a folder is none of them, unless it is asked for. Raises ``BadInput`` for a
    place that is not there, and where there is no file at all.
    """
    missing = [place for place in places if not place.exists()]
    if missing:
        raise BadInput(*(f"{place}: expected a cassette, or a folder of them; there is nothing" for place in missing))
    found = [file for place in places for file in (_below(place, interrupted) if place.is_dir() else [place])]
    if not found:
        raise BadInput(f"{' '.join(map(str, places))}: contains no cassette (*.yaml, *.yml, *.json)")
    return list(dict.fromkeys(found))


def _below(folder: Path, interrupted: bool) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if file.suffix in _ENDINGS and not hidden and file.is_file() and (interrupted or not is_interrupted(file)):
            yield file


def read_cassettes(files: Sequence[Path], problems: list[str]) -> Iterator[Cassette]:
    """The cassettes that can be read; what is wrong with the others is added to ``problems``."""
    for file in files:
        try:
            yield read_cassette(file)
        except BadInput as error:
            problems += error.problems


def recorded_on(cassette: Cassette) -> date | None:
    """The day on which it was recorded: as it says, or as the latest answer in it was dated; None where nothing says.

    Raises ``BadInput`` where it says something that is no day.
    """
    if cassette.provenance is not None:
        try:
            return date.fromisoformat(cassette.provenance.recorded)
        except ValueError as error:
            day = cassette.provenance.recorded
            raise BadInput(f"{cassette.path}: harness: recorded: expected a day (2026-11-22), got {day!r}") from error
    dated = [_day(value) for each in cassette.interactions for value in each.response_headers.get("date", ())]
    return max((day for day in dated if day is not None), default=None)


def _day(header: str) -> date | None:
    try:
        moment: datetime = parsedate_to_datetime(header)
    except ValueError:
        return None
    return moment.astimezone(UTC).date() if moment.tzinfo else moment.date()
