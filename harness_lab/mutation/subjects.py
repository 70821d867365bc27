"""The parts of the harness that are mutated, and their judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from harness.ground.data_files import read_data
from harness_lab.mutation.by_cases import Cases
from harness_lab.mutation.by_selftest import Selftest
from harness_lab.mutation.by_stated_traces import StatedTraces
from harness_lab.mutation.judging import MutationJudge


@dataclass(frozen=True, slots=True)
class Subject:
    """A part of the harness. ``files`` and ``left_out`` are patterns of paths, relative to the repository.

    ``why_left_out`` describes those files. ``tests`` are the tests that judge what ``judge`` does not find.
    """

    name: str
    title: str
    files: tuple[str, ...]
    judge: Callable[[], MutationJudge]
    left_out: tuple[str, ...] = ()
    why_left_out: str = ""
    tests: tuple[str, ...] = ()

    @property
    def samples(self) -> str:
        """The earlier samples before the one in the document, and their results: ``samples.yaml``."""
        samples: dict[str, str] = read_data(Path(__file__).with_name("samples.yaml"))
        return samples[self.name]

    def paths(self, root: Path) -> list[str]:
        """The files that are mutated."""
        found = {path.relative_to(root).as_posix() for pattern in self.files for path in root.glob(pattern)}
        return sorted(path for path in found if not any(fnmatch(path, pattern) for pattern in self.left_out))


_ALL: Final = (
    Subject(
        "loop",
        "The reference loop: engine, presets, sessions, tools",
        ("harness/loop/**/*.py",),
        Cases,
        ("harness/loop/tools/drawing.py",),
        "it draws placeholder pictures, of which a run sees the names alone",
    ),
    Subject(
        "rules",
        "The rules about traces",
        ("harness/rules/**/*.py",),
        StatedTraces,
        ("harness/rules/demonstration.py", "harness/rules/example.py"),
        "they are for documentation",
        ("tests/rules",),
    ),
    Subject(
        "wire-rules",
        "The checks of the providers' rules",
        ("harness/wire/*/rules/**/*.py",),
        Selftest,
        ("harness/wire/*/rules/places.py", "harness/wire/*/rules/right.py"),
        "they are the right requests, and where things are in them",
        ("tests/wire",),
    ),
)

SUBJECTS: Final[Mapping[str, Subject]] = {subject.name: subject for subject in _ALL}
"""By name."""
