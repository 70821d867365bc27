"""``python -m benchmarks``: runs benchmarks one after the other, tells their figures and which goals are missed."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.tracking import machine
from benchmarks.tracking.document import Document
from benchmarks.tracking.figure import Figure, Row, row_from
from benchmarks.tracking.table import HEAD, line
from harness.errors import BadInput

NAMES = (
    "partial_arguments",
    "transport",
    "loop",
    "cases",
    "suites",
    "wire_only",
    "servers",
    "serving_memory",
    "serving_tests",
    "traces",
    "judging",
    "replay",
    "redaction",
    "fuzzing",
    "command_target",
    "sealing",
    "reports",
    "journal",
    "startup",
)
"""Every benchmark, in the order in which they run."""

_ROOT = Path(__file__).parents[2]
_DOCUMENT = _ROOT / "docs" / "performance.md"


@dataclass(slots=True)
class Ran:
    """A benchmark that has run: its rows, how it went, and when."""

    name: str
    rows: list[Row] = field(default_factory=list)
    failed: bool = False
    said: str = ""

    @property
    def missed(self) -> list[str]:
        return [f"{self.name}: {row.what}" for row in self.rows if isinstance(row, Figure) and row.missed]


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when every goal was met, 1 when one was missed, 2 for bad input, 3 when a benchmark broke off."""
    options = _parser().parse_args(arguments)
    try:
        written = options.document if options.write else None
        return _run(options.names or NAMES, options.quick, options.json, written)
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:  # what has ended is told and written already
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measures the harness beside its peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to measure; all of: {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help="as few rounds as still say something")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file, too")
    parser.add_argument("--write", action="store_true", help="put the tables between their markers in the document")
    parser.add_argument("--document", type=Path, metavar="FILE", default=_DOCUMENT, help="the document (%(default)s)")
    return parser


def _run(names: Sequence[str], quick: bool, file: Path | None, written: Path | None) -> int:
    _check_names(names)
    document = None if written is None else _opened(written, names)
    ended: list[Ran] = []
    about = machine.described()
    _save(file, about, ended)
    if document is not None:
        document.put("machine", "".join(f"- {name}: {text}\n" for name, text in about.items()))
    for name in names:
        print(f"## {name}\n\n{HEAD}", end="", flush=True)
        ended.append(ran := _measured(name, quick))
        print(f"\n{ran.said}\n", flush=True)
        _save(file, about, ended)
        if document is not None and not ran.failed:
            document.put(name, f"{HEAD}{''.join(map(line, ran.rows))}\n{ran.said}\n")
    return _told(ended)


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if name not in NAMES:
            raise BadInput(f"expected the name of a benchmark, got {name!r}; there are: {', '.join(NAMES)}")


def _opened(path: Path, names: Sequence[str]) -> Document:
    """A document with a place for all that will be measured; it would be a pity to learn otherwise at the end."""
    document = Document(path)
    for name in ("machine", *names):
        document.require(name)
    return document


def _measured(name: str, quick: bool) -> Ran:
    """A benchmark, run in a process of its own; its rows are printed as they come."""
    ran, begun, before, start = Ran(name), machine.now(), machine.load(), time.perf_counter()
    command = [sys.executable, "-m", "benchmarks.tracking.one", name, *(["--quick"] if quick else [])]
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for told in child.stdout:
            ran.rows.append(row := row_from(json.loads(told)))
            print(line(row), end="", flush=True)
    ran.failed = child.returncode != 0
    ran.said = (
        f"{begun:%Y-%m-%d %H:%M} UTC, {'quick, ' if quick else ''}{time.perf_counter() - start:.0f} s, "
        f"load {before:.1f} before and {machine.load():.1f} after"
        + (f"; **broke off** with exit code {child.returncode}" if ran.failed else "")
    )
    return ran


def _save(file: Path | None, about: Mapping[str, str], ended: Sequence[Ran]) -> None:
    """All that there is so far: what was measured is not lost with what comes after it."""
    if file is None:
        return
    try:
        file.write_text(json.dumps({"machine": about, "benchmarks": [_json(ran) for ran in ended]}, indent=1) + "\n")
    except OSError as error:
        raise BadInput(f"--json {file}: cannot be written: {error.strerror}") from None


def _json(ran: Ran) -> dict[str, Any]:
    return {**asdict(ran), "missed": ran.missed}


def _told(ended: Sequence[Ran]) -> int:
    figures = [row for ran in ended for row in ran.rows if isinstance(row, Figure)]
    goals, missed = sum(len(each.goals) for each in figures), sum(len(each.missed) for each in figures)
    print(f"{goals} goals: {goals - missed} met, {missed} missed")
    for name in _lines(ended):
        print(f"  {name}")
    if any(ran.failed for ran in ended):
        return 3
    return 1 if missed else 0


def _lines(ended: Sequence[Ran]) -> Iterator[str]:
    for ran in ended:
        yield from (f"missed: {name}" for name in ran.missed)
        if ran.failed:
            yield f"broke off: {ran.name}"
