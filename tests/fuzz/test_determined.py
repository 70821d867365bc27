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

def draw():
    drawn = []

    @settings(max_examples=300, database=None)
    @seed(1)
    @given(st.text() | st.integers().map(str))
    def one(text):
        drawn.append(text)

    one()
    print(ascii(drawn))

with by_the_seed_alone():
    draw()
draw()
"""


def drawn(folder: Path, before: str) -> list[str]:
    """What is drawn by the seed alone, and then otherwise."""
    source = DRAWN.format(folder=str(folder), before=before)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def alone_and_beside(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    """What is drawn without and with a local module that is full of constants."""
    folder = tmp_path_factory.mktemp("local")
    (folder / "full_of_constants.py").write_text(
        "TEXTS = [" + ", ".join(repr(f"constant {number}") for number in range(50)) + "]\n"
    )
    return drawn(folder, ""), drawn(folder, "import full_of_constants")


def test_modules_that_are_imported_change_nothing(alone_and_beside: tuple[list[str], list[str]]) -> None:
    (alone, _), (beside, _) = alone_and_beside
    assert len(alone) > 300
    assert alone == beside


def test_they_would_change_what_is_drawn(alone_and_beside: tuple[list[str], list[str]]) -> None:
    """Else the function in question is no longer needed."""
    (_, alone), (_, beside) = alone_and_beside
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
