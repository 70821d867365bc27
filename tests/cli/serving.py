"""``harness serve -- COMMAND`` in this process, on a program that has an agent's functions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.commands import called


@dataclass
class Served:
    code: int
    out: list[str]
    err: list[str]

    def starting(self, start: str) -> list[str]:
        return [line for line in (*self.out, *self.err) if line.startswith(start)]


Serve = Callable[..., Served]


def serving(
    agent: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Serve]:
    """``harness serve OPTIONS -- python -c PROGRAM``, where the program can import ``agent``, which is its source."""
    (tmp_path / "agent.py").write_text(agent, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSAFEPATH", "1")

    def call(program: str, *options: str) -> Served:
        printed = called(capfd, "serve", *options, "--", sys.executable, "-c", program)
        assert "Traceback (most recent call last)" not in printed.out
        assert "an error of the harness itself" not in printed.err
        return Served(*printed.lines)

    yield call
