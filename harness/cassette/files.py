"""The files of a cassette that is being recorded. Only one recorder at a time may use them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from glob import escape
from itertools import count
from pathlib import Path

from harness.ground.disk import DRAFT, locked, make_folder

_INTERRUPTED = re.compile(r"\.interrupted-(\d+)$")


# --- interrupted recordings -----------------------------------------------------------------------------------


def unused(cassette: Path) -> Path:
    """A free name for an interrupted recording of a cassette: ``NAME.interrupted-1.yaml``, or the next."""
    names = {each.name for each in cassette.parent.iterdir()}
    return next(path for number in count(1) if (path := _interrupted_path(cassette, number)).name not in names)


def _interrupted_path(cassette: Path, number: int) -> Path:
    return cassette.with_name(f"{cassette.stem}.interrupted-{number}{cassette.suffix}")


def is_interrupted(path: Path) -> bool:
    """Whether a file was left by an interrupted recording."""
    return _INTERRUPTED.search(path.stem) is not None


# --- one recorder -----------------------------------------------------------------------------------------------


@contextmanager
def only_recorder(cassette: Path) -> Iterator[None]:
    """Lock a cassette, which need not exist yet, against other recorders. Raises ``BadInput`` if one uses it.

    It is a lock of the operating system, so it ends with its process, however that ends.
    """
    make_folder(cassette.parent, f"{cassette}: its folder cannot be made")
    with locked(cassette.with_name(f".{cassette.name}.lock"), partial(_taken, cassette), str(cassette)):
        _clear(cassette)
        yield


def _clear(cassette: Path) -> None:
    """Remove the unfinished write of a killed recorder: everything before that is in its part file."""
    for each in cassette.parent.glob(f".{escape(cassette.stem)}.interrupted-*{escape(cassette.suffix)}{DRAFT}"):
        with suppress(OSError):  # what stays is in nobody's way
            each.unlink(missing_ok=True)


def _taken(cassette: Path, process: int | None) -> str:
    holder = "" if process is None else f" (process {process})"
    return (
        f"{cassette}: another recorder{holder} is recording it; wait until it has finished, or record to another file"
    )
