"""Parts of a run: each name is in one of them, and stays there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import BadInput
from harness.runner.shards import Shard, shard_of

COUNTS = st.integers(1, 50)


@given(st.text(st.characters(exclude_categories=())), COUNTS)
def test_every_name_is_in_one_shard(name: str, count: int) -> None:
    assert sum(Shard(number, count).holds(name) for number in range(1, count + 1)) == 1


def test_where_a_name_is_does_not_change_from_one_version_to_the_next() -> None:
    names = ["answer.openai-chat.event", "parallel-calls.gemini-generate.byte", "arguments/drawn-7", "", "\ud800"]
    held = [next(number for number in range(1, 9) if Shard(number, 8).holds(name)) for name in names]
    assert held == [5, 7, 1, 5, 5]  # the first 16 digits of sha256sum, in hexadecimal, modulo 8, and 1


def test_shards_are_of_about_one_size() -> None:
    names = [f"case-{number}.openai-chat.event" for number in range(1000)]
    sizes = [sum(map(Shard(number, 8).holds, names)) for number in range(1, 9)]
    assert sum(sizes) == 1000
    assert min(sizes) > 80


@given(COUNTS.flatmap(lambda of: st.tuples(st.integers(1, of), st.just(of))))
def test_what_is_written_is_read(parts: tuple[int, int]) -> None:
    assert shard_of(str(Shard(*parts))) == Shard(*parts)


@pytest.mark.parametrize(
    "text",
    ["", "3", "0/3", "4/3", "-1/3", "1/0", "0/0", "1/3/5", "a/b", " 1/3", "1/3\n", "1.0/3", "٣/٨", "1/" + "9" * 5000],
)
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="expected K/N, the K-th of N parts with K from 1 to N, like 3/8"):
        shard_of(text)
