"""The tests as a judge: they find nothing in what they pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_PASSES = """
from hypothesis import given, strategies

@given(strategies.integers())
def test_it_passes(number: int) -> None:
    assert number == number
"""


def test_only_tests_that_fail_find_something(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\nfilterwarnings = ["error"]\n')
    (tmp_path / "test_passes.py").write_text(_PASSES)
    (tmp_path / "test_fails.py").write_text("def test_it_fails(): assert False")
    program = f"""
from pathlib import Path
from harness_lab.mutation.by_pytest import Tests

tests = Tests(Path({str(tmp_path)!r}), ["test_passes.py", "test_fails.py"])
tests.preload()
tests.run(tests.items(), lambda item, fault: print(item, "says", fault and fault[0]))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert "test_passes.py says None\n" in done.stdout, done.stdout + done.stderr
    assert "test_fails.py says finding\n" in done.stdout, done.stdout + done.stderr


def test_tests_judge_the_mutant_of_a_module_of_the_harness(tmp_path: Path) -> None:
    (tmp_path / "test_imports.py").write_text("def test_it_imports(): import harness.wire.same_json")
    program = f"""
from pathlib import Path
from harness_lab.mutation.by_pytest import Tests
from harness_lab.mutation.importing import import_as

import_as("harness.wire.same_json", "raise RuntimeError('the mutant')")
Tests(Path({str(tmp_path)!r}), []).run(["test_imports.py"], lambda item, fault: print(item, "says", fault and fault[0]))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert "test_imports.py says finding\n" in done.stdout, done.stdout + done.stderr
