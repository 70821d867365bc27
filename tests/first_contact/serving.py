"""One program under ``harness serve -- COMMAND``, to its end: what was said of it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.commands import run_harness

STARTS = {".py": sys.executable, ".sh": "sh", ".mjs": "node"}


@dataclass(frozen=True)
class Served:
    """What ``harness serve`` has said: its exit code, the rules of each cause, and all that was printed."""

    code: int
    causes: list[list[str]]
    printed: str


def served(program: Path, folder: Path, *arguments: str) -> Served:
    """Serve a program in its own folder. The report is written below ``folder``."""
    command = (STARTS[program.suffix], program.name, *arguments)
    ended = run_harness("serve", "--out", folder / "report", "--", *command, cwd=program.parent)
    results = json.loads((folder / "report" / "results.json").read_text(encoding="utf-8"))
    return Served(ended.returncode, [each["rules"] for each in results["causes"]], f"{ended.stdout}\n{ended.stderr}")
