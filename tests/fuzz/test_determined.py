"""What Hypothesis draws does not depend on which modules the process has imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.fuzz.chunks import Chunk
from harness.fuzz.search import run_chunk

DRAWN = """
import sys
sys.path.insert(0, {folder!r})
{before}
from hypothesis import given, seed, settings, strategies as st
from harness.fuzz.determined import by_the_seed_alone

drawn = []

@settings(max_examples=300, database=None)
@seed(1)
@given(st.text() | st.integers().map(str))
def draw(text):
    drawn.append(text)

with {block}:
    draw()
print(ascii(drawn))
"""


def drawn(folder: Path, before: str, block: str) -> str:
    source = DRAWN.format(folder=str(folder), before=before, block=block)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """The folder of a local module that is full of constants."""
    (tmp_path / "full_of_constants.py").write_text(
        "TEXTS = [" + ", ".join(repr(f"constant {number}") for number in range(50)) + "]\n"
    )
    return tmp_path


def test_modules_that_are_imported_change_nothing(module: Path) -> None:
    alone, beside = (drawn(module, before, "by_the_seed_alone()") for before in ("", "import full_of_constants"))
    assert alone == beside


def test_they_would_change_what_is_drawn(module: Path) -> None:
    """Else the function in question is no longer needed."""
    block = "__import__('contextlib').nullcontext()"
    alone, beside = (drawn(module, before, block) for before in ("", "import full_of_constants"))
    assert "constant " in beside
    assert alone != beside


def test_a_chunk_comes_to_the_same_in_another_process() -> None:
    chunk = Chunk("arguments", None, "drawn", 3, 200)
    source = (
        "from harness.fuzz.chunks import Chunk\n"
        "from harness.fuzz.search import run_chunk\n"
        f"result = run_chunk({chunk!r})\n"
        "print(result.examples, result.runs, sorted(result.features.items()))"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    here = run_chunk(chunk)
    assert done.stdout.strip() == f"{here.examples} {here.runs} {sorted(here.features.items())}"
