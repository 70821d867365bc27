"""Every known way out of a loop, tried for real: none leaves a seal, and without one it is known which do."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from harness.gateway import Gateway
from harness.runner.cases import CaseWork
from harness.runner.executor import InProcess
from harness.runner.opening import open_target
from harness.runner.plan import plan
from harness.runner.processes import Processes
from harness.runner.results import CaseResult
from harness.scenario import load
from harness.sealing.allowed import Sealing
from tests.runner.misbehaving import keep_nothing
from tests.sealing.trap import Trap, own_address, trap

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SCENARIO = """\
scenario: hello
profile: universal
summary: A short answer.
wires: [anthropic-messages]
prompt: Say hello.
model:
  - text: Hello.
expect: {outcome: completed}
"""
LOOPS = {
    "function": "python: tests.sealing.function_loop:run",
    "python": f"command: {json.dumps([sys.executable, str(HERE / 'python_ways.py')])}",
    "node": f"command: {json.dumps(['node', str(HERE / 'node_ways.mjs')])}",
}


@dataclass
class Tried:
    """What came of all the ways: ``outcomes`` as the loop has seen them, ``caught`` who got to the trap."""

    caught: set[str]
    outcomes: dict[str, str]
    network: dict[str, str]
    processes: list[str]
    result: CaseResult


@pytest.fixture
def outsider() -> Iterator[int]:
    """A process of this user, outside."""
    with subprocess.Popen(["sleep", "1000"]) as process:
        yield process.pid
        process.kill()


Attempt = Callable[[str, Sealing], Tried]


@pytest.fixture
def attempt(tmp_path: Path, outsider: int, monkeypatch: pytest.MonkeyPatch) -> Attempt:
    def run(loop: str, sealing: Sealing) -> Tried:
        (tmp_path / "hello.yaml").write_text(SCENARIO, encoding="utf-8")
        target = f"target: mine\n{LOOPS[loop]}\ndirectory: {ROOT}\nwires: [anthropic-messages]\n"
        (tmp_path / "mine.yaml").write_text(target, encoding="utf-8")
        opening = partial(open_target, str(tmp_path / "mine.yaml"))
        out = tmp_path / "ways.json"
        monkeypatch.setenv("TEST_WAYS", str(tmp_path / "given.json"))
        results: list[CaseResult] = []
        with trap(tmp_path) as listening:
            (tmp_path / "given.json").write_text(json.dumps(given(listening, outsider, out)), encoding="utf-8")
            work = CaseWork(opening, keep_nothing, deadline=300.0, sealing=sealing)
            planned = plan(load([tmp_path / "hello.yaml"]), target=opening(Gateway()))
            executor = Processes(work, 1) if loop == "function" else InProcess(work)
            executor.run(planned, results.append)
        assert out.exists(), results
        return Tried(listening.caught, result=results[0], **json.loads(out.read_text(encoding="utf-8")))

    return run


def given(listening: Trap, outsider: int, out: Path) -> dict[str, Any]:
    return {
        "host": listening.host,
        "port": listening.port,
        "unix": str(listening.unix),
        "abstract": listening.abstract,
        "outsider": outsider,
        "python": sys.executable,
        "out": str(out),
    }


@pytest.mark.parametrize("loop", LOOPS)
def test_nothing_leaves_a_seal(attempt: Attempt, loop: str) -> None:
    tried = attempt(loop, "required")
    print(json.dumps(tried.outcomes, indent=1), tried.result)
    assert tried.caught == set()



@pytest.mark.parametrize("loop", LOOPS)
def test_open(attempt: Attempt, loop: str) -> None:
    tried = attempt(loop, "off")
    print(json.dumps(tried.outcomes, indent=1), tried.result.blocked)
    print("CAUGHT", sorted(tried.caught))
