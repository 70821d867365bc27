"""``harness run --on-save``: the run is repeated whenever a source file is saved, in a new process each time.

A new process imports the changed code. Files are compared by time and size twice a second: this needs no package, and
finds what editors do that save by replacing a file.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

Snapshot = Mapping[Path, tuple[int, int]]

_SUFFIXES: Final = frozenset(
    (
        *(".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".tsx", ".go", ".rs", ".java", ".kt", ".rb", ".php"),
        *(".cs", ".sh", ".yaml", ".yml", ".toml"),
    )
)
"""Suffixes of files that a loop or a scenario may consist of."""
_NOT_SOURCES: Final = frozenset({"node_modules", "__pycache__", "reports", "build", "dist", "target", "vendor"})
_PAUSE: Final = 0.5
"""Seconds between two looks."""


def run_on_save(options: argparse.Namespace) -> int:
    """Run, wait for a saved file, and run again, until Ctrl-C. Returns the exit code of the last run.

    ``options`` are the options of ``harness run``, with the ``arguments`` that they were read from.
    """
    words = [word for word in options.arguments if not (len(word) > 4 and "--on-save".startswith(word))]
    command = [sys.executable, "-m", "harness", *words]
    places = [Path.cwd(), *options.paths]
    return repeat(lambda: _run(command), lambda: snapshot(places), lambda: time.sleep(_PAUSE))


def repeat(run: Callable[[], int], look: Callable[[], Snapshot], pause: Callable[[], None]) -> int:
    """Run again whenever ``look`` returns something else. A file that is saved during a run causes another run."""
    code = 0
    try:
        while True:
            before = look()
            code = run()
            print("\nwaiting for a saved file; Ctrl-C ends", flush=True)
            while not (changed := _changed_files(before, look())):
                pause()
            print(f"saved: {', '.join(os.path.relpath(path) for path in changed[:3])}\n", flush=True)
    except KeyboardInterrupt:
        return code


def _run(command: Sequence[str]) -> int:
    """Run a command and return its exit code. The run itself handles Ctrl-C and writes its results so far."""
    with subprocess.Popen(command) as run:  # noqa: S603 - the user's own command line
        try:
            return run.wait()
        except KeyboardInterrupt:
            run.wait()
            raise


def _changed_files(before: Snapshot, now: Snapshot) -> list[Path]:
    return sorted(path for path in {*before, *now} if before.get(path) != now.get(path))


def snapshot(places: Sequence[Path]) -> Snapshot:
    """The source files in these places, each with its time and its size."""
    found: dict[Path, tuple[int, int]] = {}
    for place in places:
        for path in [place] if place.is_file() else _sources(place):
            try:
                state = path.stat()
            except OSError:  # gone since
                continue
            found[path.absolute()] = state.st_mtime_ns, state.st_size
    return found


def _sources(folder: Path) -> Iterator[Path]:
    """The source files of a folder, without those of others: packages, virtual environments, hidden folders,
    results."""
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not _is_foreign(Path(path), name)]
        yield from (Path(path, name) for name in files if Path(name).suffix in _SUFFIXES)


def _is_foreign(parent: Path, name: str) -> bool:
    return name.startswith(".") or name in _NOT_SOURCES or (parent / name / "pyvenv.cfg").exists()
