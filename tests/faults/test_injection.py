"""The calls that are counted are those below the folder, and what strikes is what was asked for."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tests.faults.injection import KILLS, Faults, Strike, strikes_at


def faults(below: Path, strike: Strike | None = None) -> tuple[Faults, list[tuple[str, str]]]:
    calls: list[tuple[str, str]] = []
    return Faults(below, lambda operation, name: calls.append((operation, name)), strike), calls


def test_calls_about_other_folders_are_left_alone(tmp_path: Path) -> None:
    counted, calls = faults(tmp_path / "run", Strike(0, "EIO"))
    assert counted.call("mkdir", tmp_path / "elsewhere", lambda: "made") == "made"
    assert (calls, counted.count, counted.struck) == ([], 0, False)


def test_an_error_is_that_of_one_call(tmp_path: Path) -> None:
    counted, calls = faults(tmp_path, Strike(1, "ENOSPC"))
    assert counted.call("mkdir", tmp_path / "a", lambda: 1) == 1
    with pytest.raises(OSError, match="No space left") as raised:
        counted.call("open", tmp_path / "b", lambda: 2)
    assert raised.value.errno == errno.ENOSPC
    assert counted.call("open", tmp_path / "b", lambda: 3) == 3
    assert calls == [("mkdir", "a"), ("open", "b"), ("open", "b")]


def test_an_error_that_stays_hits_all_that_follow_of_its_kind(tmp_path: Path) -> None:
    counted, _ = faults(tmp_path, Strike(1, "ENOSPC for good"))
    assert counted.call("write", tmp_path / "a", lambda: 1) == 1
    for operation in ("write", "fsync", "write"):
        with pytest.raises(OSError, match="No space left"):
            counted.call(operation, tmp_path / "a", lambda: 2)  # type: ignore[arg-type]
    assert counted.call("unlink", tmp_path / "a", lambda: 3) == 3


def test_half_of_what_is_written_is_there_when_it_fails_in_the_middle(tmp_path: Path) -> None:
    counted, _ = faults(tmp_path, Strike(0, "ENOSPC in the middle"))
    file = os.open(tmp_path / "a", os.O_WRONLY | os.O_CREAT)
    with pytest.raises(OSError, match="No space left"):
        counted.writes(file, b"12345678", lambda data: os.write(file, data))
    os.close(file)
    assert (tmp_path / "a").read_bytes() == b"1234"


def test_a_write_can_be_broken_in_more_ways_than_other_calls() -> None:
    assert set(strikes_at("write")) - set(strikes_at("open")) == {"ENOSPC in the middle", KILLS[1]}
