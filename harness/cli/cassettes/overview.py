"""``harness cassettes list``, ``stale`` and ``orphans``: facts about cassettes from their own metadata."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from harness.cassette import Cassette
from harness.cassette.files import is_interrupted
from harness.cassette.library import cassette_files, read_cassettes, recorded_on
from harness.cli.cassettes.table import many, print_table
from harness.errors import BadInput
from harness.report.terminal import visible
from harness.scenario import outline, shipped
from harness.wire import route_of


def list_cassettes(places: Sequence[Path]) -> int:
    """Print a line for each cassette, including files of interrupted recordings.

    Files that are no cassettes are reported at the end, as ``BadInput``.
    """
    problems: list[str] = []
    rows = [_row(each) for each in read_cassettes(cassette_files(places, interrupted=True), problems)]
    print_table(rows)
    print(many(len(rows), "cassette"))
    if problems:
        raise BadInput(*problems)
    return 0


def _row(cassette: Cassette) -> list[str]:
    provenance = cassette.provenance
    source = "interrupted" if is_interrupted(cassette.path) else provenance.source if provenance else "foreign"
    day = provenance.recorded if provenance else str(recorded_on(cassette) or "-")
    requests = many(sum(not each.opens_socket for each in cassette.interactions), "request")
    return [
        str(cassette.path),
        " ".join(_wires(cassette)) or "-",
        source,
        provenance.model if provenance else "-",
        day,
        requests,
    ]


def _wires(cassette: Cassette) -> list[str]:
    if cassette.provenance:
        return [cassette.provenance.wire]
    routes = (route_of(each.method, each.url) for each in cassette.interactions)
    return sorted({route.wire for route in routes if route})


def stale(places: Sequence[Path], max_age: int, today: date | None = None) -> int:
    """Print the cassettes that are more than ``max_age`` days old, or of unknown age. Returns 1 when there are any."""
    today = today or datetime.now(UTC).date()
    ages = [(each.path, _age(each, today)) for each in _all(places)]
    old = [(path, age) for path, age in ages if age is None or age > max_age]
    for path, age in old:
        print(visible(f"{path}: {f'recorded {age} days ago' if age is not None else 'it has no date'}"))
    print(f"{len(old)} of {many(len(ages), 'cassette')} {'is' if len(old) == 1 else 'are'} stale")
    return 1 if old else 0


def _age(cassette: Cassette, today: date) -> int | None:
    recorded = recorded_on(cassette)
    return None if recorded is None else (today - recorded).days


def orphans(places: Sequence[Path], scenarios: Sequence[Path]) -> int:
    """Print the cassettes whose scenario is not among ``scenarios``. Returns 1 when there are any.

    A cassette of another recorder has no scenario, so it is never an orphan.
    """
    known = {scenario.name for scenario in outline(list(scenarios) or [shipped()])}
    cassettes = _all(places)
    alone = [
        (each.path, provenance.scenario)
        for each in cassettes
        if (provenance := each.provenance) and provenance.scenario not in known
    ]
    for path, scenario in alone:
        print(visible(f"{path}: its scenario {scenario!r} is none of the {len(known)}"))
    print(f"{len(alone)} of {many(len(cassettes), 'cassette')} {'is an orphan' if len(alone) == 1 else 'are orphans'}")
    return 1 if alone else 0


def _all(places: Sequence[Path]) -> list[Cassette]:
    """The cassettes. Raises ``BadInput`` if one cannot be read, because nobody can know then that it is fine."""
    problems: list[str] = []
    found = list(read_cassettes(cassette_files(places), problems))
    if problems:
        raise BadInput(*problems)
    return found
