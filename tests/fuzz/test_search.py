"""A chunk always comes to the same, and what it finds is shrunk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis.database import DirectoryBasedExampleDatabase

from harness.errors import BadInput
from harness.fuzz.chunks import Chunk, chunks
from harness.fuzz.search import database, run_chunk
from tests.fuzz.toy import PARSERS


def drawn(campaign: str, target: str | None, seed: int = 0, examples: int = 200, database: str = "") -> Chunk:
    return Chunk(campaign, target, "drawn", seed, examples, database)


def test_what_is_right_is_not_blamed(toy: str) -> None:
    result = run_chunk(drawn(toy, None))
    assert (result.examples, result.runs, result.found, result.error) == (200, 200, (), "")
    assert set(result.features) == {"empty", "x", "z", "long"}


def test_a_mistake_is_shrunk_to_its_least(toy: str) -> None:
    (found,) = run_chunk(drawn(toy, "drops-x")).found
    assert (found.oracle, found.example, found.expected, found.got) == ("length", {"text": "x"}, "1", "0")
    assert found.chunk == "toy/drawn-0"


def test_what_is_raised_is_a_mistake_like_any_other(toy: str) -> None:
    (found,) = run_chunk(drawn(toy, "raises")).found
    assert (found.oracle, found.example, found.got) == ("raises", {"text": "z"}, "ValueError: z")


def test_what_does_not_happen_again_is_reported_as_it_was(toy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that stands still for a while, or a race: it is no error of the harness."""
    words: list[str] = []

    def drops_the_tenth(text: str) -> str:
        words.append(text)
        return "" if len(words) == 10 else text

    monkeypatch.setitem(PARSERS, "once", drops_the_tenth)
    (found,) = run_chunk(drawn(toy, "once")).found
    length = len(words[9])
    assert (found.oracle, found.example, found.expected) == ("length", {"text": words[9]}, str(length))
    assert found.got == "0, once: it did not happen again"


def test_the_same_chunk_comes_to_the_same(toy: str) -> None:
    first, second = (run_chunk(drawn(toy, "cuts", seed=7)) for _ in range(2))
    assert (first.examples, first.features, first.found) == (second.examples, second.features, second.found)


def test_seeds_differ(toy: str) -> None:
    assert run_chunk(drawn(toy, None, seed=1)).features != run_chunk(drawn(toy, None, seed=2)).features


def test_an_enumeration_tells_the_first_mistake_of_every_kind(toy: str) -> None:
    result = run_chunk(Chunk(toy, "drops-x-and-cuts", "enumerated", 0, 20))
    assert result.examples == 20
    assert [(found.oracle, found.example) for found in result.found] == [("length", {"text": "a" * 13})]


def test_shrinking_keeps_to_the_oracle(toy: str) -> None:
    """What would be smaller by another mistake is another mistake."""
    result = run_chunk(Chunk(toy, "cuts", "enumerated", 14, 2))
    assert [(found.oracle, found.example) for found in result.found] == [("length", {"text": "a" * 13})]


def test_chunks_are_the_whole_campaign_and_nothing_twice(toy: str) -> None:
    made = chunks(toy, None, size=50, enumerated=20, examples=120, seed=5)
    enumerated = [chunk for chunk in made if chunk.kind == "enumerated"]
    assert [place for chunk in enumerated for place in range(chunk.first, chunk.first + chunk.examples)] == [*range(20)]
    assert [(chunk.first, chunk.examples) for chunk in made[len(enumerated) :]] == [(5, 50), (6, 50), (7, 20)]
    assert len({chunk.id for chunk in made}) == len(made)


def test_no_chunk_of_nothing(toy: str) -> None:
    assert chunks(toy, None, size=50, enumerated=0, examples=0, seed=0) == []


def test_what_was_found_is_tried_first(toy: str, tmp_path: Path) -> None:
    place = str(tmp_path)
    few = drawn(toy, "cuts", seed=99, examples=2)
    assert not run_chunk(few).found, "so few do not find it by themselves"
    assert run_chunk(drawn(toy, "cuts", database=place)).found
    assert run_chunk(replace(few, database=place)).found


def test_what_was_found_of_one_target_is_no_other_s(toy: str, tmp_path: Path) -> None:
    places = [database(drawn(toy, target, database=str(tmp_path))) for target in (None, "cuts")]
    assert all(isinstance(place, DirectoryBasedExampleDatabase) for place in places)
    assert places[0] != places[1]


def test_a_subject_that_cannot_be_had_is_told(toy: str) -> None:
    with pytest.raises(BadInput, match="no such parser"):
        run_chunk(drawn(toy, "nobody"))
