"""Which items run which line, and how long each takes: measured once for all mutants of a subject."""

from __future__ import annotations

import gc
import json
import re
import sys
import time
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from harness_lab.mutation.judging import Fault, MutationJudge
from harness_lab.mutation.mutants import SourceMutant
from harness_lab.mutation.source import SourceModule

_CACHE = re.compile(r"@(lru_)?cache\b")
_CACHED = type(lru_cache(lambda: None))


@dataclass(frozen=True)
class Coverage:
    """``lines``: for each path and line a number whose bit N is set if item N runs it. ``seconds``: CPU time of each
    item.

    ``faults`` are errors without any mutant: nothing can be judged then. ``modules`` are all imported modules.
    """

    items: Sequence[str]
    seconds: Sequence[float]
    lines: Mapping[str, Mapping[int, int]]
    faults: Sequence[str]
    modules: Sequence[str]

    def judging(self, mutant: SourceMutant) -> Sequence[str]:
        """The items that can see a mutant: those that run its line. If the mistake takes effect when the module is
        imported, or before the first item, these are the items that run anything of the module, or all items if
        other modules can use it: what a function makes during the import is used under other names. If only the
        first item that runs anything of the module runs the line, its effect may be made once for all: then all
        items that run anything of the module judge it."""
        lines = self.lines.get(mutant.key.path, {})
        first, last = mutant.ran_with
        run = [lines[line] for line in range(first, last + 1) if line in lines]
        nearer = _bits(_union(lines.values()))
        if mutant.runs_when_called and (any(run) or not run):
            judging = _bits(_union(run))
            return self._named(nearer if judging == nearer[:1] else judging)
        unused = mutant.is_private and not mutant.runs_when_called
        others = [] if unused and nearer else sorted(set(range(len(self.items))) - set(nearer))
        return self._named([*nearer, *others])

    def _named(self, numbers: Iterable[int]) -> Sequence[str]:
        return [self.items[number] for number in numbers]

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Coverage:
        """The coverage from what ``measured`` has returned."""
        lines = {
            path: {int(line): int(mask, 16) for line, mask in masks.items()} for path, masks in value["lines"].items()
        }
        return cls(value["items"], value["seconds"], lines, value["faults"], value["modules"])


def measured(judge: MutationJudge, root: Path, paths: Sequence[str]) -> dict[str, Any]:
    """Judge all items without a mutant. Returns JSON values, because it is called in a process of its own."""
    from coverage import Coverage as Tracer

    tracer = Tracer(data_file=None, include=[str(root / path) for path in paths], config_file=False, branch=False)
    tracer.start()
    items = judge.items()
    seconds: dict[str, float] = {}
    faults: list[str] = []
    caching = [path for path in paths if _CACHE.search((root / path).read_text(encoding="utf-8"))]
    caches = _Caches({SourceModule(root, path).name for path in caching})
    began = time.process_time()

    def done(item: str, fault: Fault | None) -> None:
        nonlocal began
        seconds[item] = round(time.process_time() - began, 4)
        if fault is not None:
            faults.append(f"{item}: {fault[1]}")
        caches.empty()
        if len(seconds) < len(items):
            tracer.switch_context(items[len(seconds)])
        began = time.process_time()

    for path in paths:  # what runs while a module is imported is of no item
        with suppress(Exception):  # a module that only some environments can import
            import_module(SourceModule(root, path).name)
    tracer.switch_context(items[0])
    began = time.process_time()
    judge.run(items, done)
    tracer.stop()
    return {
        "items": list(items),
        "seconds": [seconds[item] for item in items],
        "lines": _lines(tracer.get_data(), root, paths, items),
        "faults": faults,
        "modules": sorted(sys.modules),
    }


@dataclass(frozen=True, slots=True)
class KeptCoverage:
    """A file with the result of ``measured`` for later runs: to measure takes longer than many mutants.

    It is valid for the same ``items``, as long as nothing in ``root`` has changed that could change it.
    """

    file: Path
    root: Path
    items: str

    def read(self) -> dict[str, Any] | None:
        """The stored result; None if there is none, or if it is not valid any more."""
        try:
            kept = json.loads(self.file.read_text(encoding="utf-8"))
            return dict(kept["coverage"]) if kept["of"] == self._digest() else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, coverage: Mapping[str, Any]) -> None:
        """Keep what was measured. Raises ``OSError``."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps({"of": self._digest(), "coverage": coverage}), encoding="utf-8")

    def _digest(self) -> str:
        """A hash of the code and the scenarios, and of the items."""
        digest = sha256(self.items.encode())
        for folder in ("harness", "harness_lab", "scenarios"):
            for path in sorted(self.root.glob(f"{folder}/**/*")):
                if path.suffix in (".py", ".yaml", ".json") and path.is_file():
                    digest.update(path.relative_to(self.root).as_posix().encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()


class _Caches:
    """The caches of functions in ``modules``: a later item would not run what an earlier one has cached."""

    def __init__(self, modules: Set[str]) -> None:
        self._modules = modules
        self._imported = 0
        self._found: list[Any] = []

    def empty(self) -> None:
        """Empty all caches. If a module has been added, they are searched for among all objects, which takes long."""
        if self._modules and self._imported != len(sys.modules):
            self._imported = len(sys.modules)
            found = [each for each in gc.get_objects() if type(each) is _CACHED]
            self._found = [each for each in found if each.__module__ in self._modules]
        for each in self._found:
            each.cache_clear()


def _lines(data: Any, root: Path, paths: Sequence[str], items: Sequence[str]) -> dict[str, dict[int, str]]:
    bit = {item: 1 << number for number, item in enumerate(items)}
    found: dict[str, dict[int, str]] = {}
    for path in paths:
        contexts = data.contexts_by_lineno(str(root / path))
        found[path] = {line: f"{_union(bit.get(item, 0) for item in each):x}" for line, each in contexts.items()}
    return found


def _union(masks: Iterable[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


def _bits(mask: int) -> list[int]:
    return [number for number in range(mask.bit_length()) if mask >> number & 1]
