"""Kinds of secrets in places, a part of both; ``python -m tests.secrets.matrix`` takes all."""

from __future__ import annotations

import pytest

from harness.secrets.redactor import Redactor
from harness.secrets.second_table import suspects
from tests.secrets.kinds import NO_SHAPE, kinds
from tests.secrets.matrix import outcome
from tests.secrets.places import PLACES

_STEP = 97

WITHOUT_A_BEGINNING = (
    "bearer-token", "basic-credentials", "cookie", "named-secret", "userinfo", "url-secret", "connection-string",
    "credential", "assignment", "email", "organization-id", "project-id", "user-id", "openrouter-user-id",
    "google-project-number", "aws-account-id",
)  # fmt: skip
"""Kinds that are known by what is around them, or by their length."""


def test_there_are_as_many_kinds_and_places_as_were_attacked() -> None:
    assert len({kind.name for kind in kinds()}) == len(kinds()) >= 240
    assert len(PLACES) >= 45
    assert len(NO_SHAPE) >= 5


@pytest.mark.sampled(5)
@pytest.mark.parametrize("place", PLACES)
def test_no_secret_is_in_the_file(place: str) -> None:
    """Every ninety-seventh kind, other ones in each place."""
    taken = kinds()[list(PLACES).index(place) % _STEP :: _STEP]
    found = {kind.name: outcome(kind, place) for kind in taken}
    assert set(found.values()) <= {"redacted", "refused"}, found
    assert "redacted" in found.values()


@pytest.mark.sampled(5)
@pytest.mark.parametrize("place", PLACES)
def test_what_is_redacted_once_stays_as_it_is(place: str) -> None:
    """Every thirteenth kind, other ones in each place."""
    taken = kinds()[list(PLACES).index(place) % 13 :: 13]
    redactor = Redactor()
    for kind in taken:
        once = redactor.redact(PLACES[place](kind.text))
        assert redactor.redact(once) == once, kind.name


@pytest.mark.parametrize("place", ["two members in turn", "split over messages"])
def test_kinds_without_a_beginning_are_found_in_pieces(place: str) -> None:
    found = {kind.name: outcome(kind, place) for kind in kinds() if kind.name in WITHOUT_A_BEGINNING}
    assert len(found) == len(WITHOUT_A_BEGINNING)
    assert set(found.values()) <= {"redacted", "refused"}, found


def test_the_scan_knows_most_kinds_by_a_table_of_its_own() -> None:
    """A kind that is taken out of the first table is refused by the second."""
    shaped = [kind for kind in kinds() if not kind.sent and not kind.query and not kind.variable]
    unknown = [kind.name for kind in shaped if not list(suspects(kind.text))]
    assert len(unknown) <= len(shaped) * 0.05, unknown
