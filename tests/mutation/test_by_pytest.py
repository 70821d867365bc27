"""The tests as a judge: they find nothing in what they pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_PASSES = """
from hypothesis import given, strategies

@given(strategies.integers())
def test_it_passes(number: int) -> None:
    assert number == number
"""


@pytest.mark.parametrize(("text", "found"), [(_PASSES, "None"), ("def test_it_fails(): assert False", "finding")])
def test_only_tests_that_fail_find_something(text: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\nfilterwarnings = ["error"]\n')
    (tmp_path / "test_it.py").write_text(text)
    program = f"""
from pathlib import Path
from harness_lab.mutation.by_pytest import Tests

tests = Tests(Path({str(tmp_path)!r}), ["test_it.py"])
tests.preload()
tests.run(tests.items(), lambda item, fault: print(item, "says", fault and fault[0]))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert f"test_it.py says {found}\n" in done.stdout, done.stdout + done.stderr
