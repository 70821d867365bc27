"""Files that are whole at every moment, and the words for what the system refuses."""

from __future__ import annotations

import errno
import os
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import BadInput, Breakdown, unwrapped
from harness.ground.disk import bounded_name, problem, put


@given(st.text(st.characters(blacklist_categories=["Cs"]), max_size=400))
def test_a_name_is_bounded_in_bytes_and_stays_where_it_is_short(name: str) -> None:
    bounded = bounded_name(name)
    assert len(bounded.encode()) <= 200
    assert (bounded == name) == (len(name.encode()) <= 200)


def test_names_that_begin_alike_stay_different() -> None:
    names = {bounded_name("ä" * 300 + str(number)) for number in range(1000)}
    assert len(names) == 1000
    assert all(name.startswith("ä" * 80 + "-") for name in names)


def test_half_a_character_is_no_obstacle() -> None:
    assert bounded_name("\ud83d" * 300).encode()


@pytest.mark.parametrize(
    ("code", "kind", "advice"),
    [
        (errno.ENOENT, BadInput, ""),
        (errno.EACCES, BadInput, ""),
        (errno.EROFS, BadInput, ""),
        (errno.ENAMETOOLONG, BadInput, ""),
        (errno.ENOSPC, Breakdown, "; make room on the disk, then run again"),
        (errno.EDQUOT, Breakdown, "; make room below your quota, then run again"),
        (errno.EMFILE, Breakdown, "; raise the limit of open files (ulimit -n), then run again"),
        (errno.EIO, Breakdown, "; check the disk, then run again"),
        (errno.EINTR, Breakdown, ""),
    ],
)
def test_what_the_user_can_correct_is_bad_input(code: int, kind: type[Exception], advice: str) -> None:
    found = problem(OSError(code, os.strerror(code)), "a.txt: cannot be written")
    assert type(found) is kind
    assert str(found) == f"a.txt: cannot be written: {os.strerror(code)}{advice}"


def test_a_file_that_cannot_be_written_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    put(path, b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Breakdown, match=r"a\.txt: cannot be written: No space left on device"):
        put(path, b"new")
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"old", [path])


def test_a_breakdown_reaches_other_processes() -> None:
    assert pickle.loads(pickle.dumps(Breakdown("a", "b"))).problems == ("a", "b")  # noqa: S301


def test_what_went_wrong_is_within_the_groups_of_tasks() -> None:
    error = OSError("full")
    assert unwrapped(ExceptionGroup("", [ExceptionGroup("", [error])])) is error
