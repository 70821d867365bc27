"""docs/contribute-a-rule.md does what it says: its snippets are written into a copy of the repository, and checked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copy, copytree, ignore_patterns

import pytest

from tests.plugins.pages import files

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "contribute-a-rule.md").read_text(encoding="utf-8")
FILES = files(PAGE)
(RULES,) = FILES
WRONG = re.compile(r"    wrong:\n(?:      .*\n)+")
IDS = "tests/compatibility/rule-ids.txt"
PUBLISHED = (
    "pytest",
    "-q",
    "--noconftest",
    "-p",
    "no:cacheprovider",
    "tests/compatibility",
    "-k",
    "every_id_is_published",
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the page changes, and of what is needed to check it."""
    tree = tmp_path_factory.mktemp("contribute") / "tree"
    for folder in ("harness", "harness_lab", "scenarios", "tests/compatibility"):
        copytree(ROOT / folder, tree / folder, ignore=ignore_patterns("__pycache__", "node_modules"))
    (tree / "docs").mkdir()
    for file in ("pyproject.toml", "docs/compatibility.md"):
        copy(ROOT / file, tree / file)
    return tree


def run(tree: Path, *words: str) -> tuple[int, str]:
    """The exit code of a Python module in the copy, and what it has printed."""
    environ = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(
        [sys.executable, "-m", *words], cwd=tree, env=environ, capture_output=True, text=True, check=False
    )
    return ended.returncode, ended.stdout + ended.stderr


def add(file: Path, text: str) -> None:
    """Write a text at the end of a file."""
    file.write_text(f"{file.read_text(encoding='utf-8').rstrip()}\n{text}", encoding="utf-8")


@pytest.mark.exhaustive
def test_the_page_adds_a_rule_that_is_proven(tree: Path) -> None:
    words = next(line for line in PAGE.splitlines() if "selftest --rule" in line).split()[1:]
    id = words[words.index("--rule") + 1]
    module = tree / RULES
    before = module.read_text(encoding="utf-8")
    add(module, f"\n\n{re.sub(WRONG, '', FILES[RULES])}")
    code, out = run(tree, "harness", *words)
    assert (code, f"{id} is not killed: it finds no mutant that names it" in out) == (1, True), out
    assert f"`{id} is not killed: it finds no mutant that names it`" in PAGE

    module.write_text(before, encoding="utf-8")
    add(module, f"\n\n{FILES[RULES]}")
    code, out = run(tree, "harness", *words)
    assert code == 0, out
    code, out = run(tree, "mypy", "--follow-imports=silent", RULES)
    assert code == 0, out

    code, out = run(tree, *PUBLISHED)
    assert (code, IDS in out) == (1, True), out
    assert f"`{IDS}`" in PAGE
    add(tree / IDS, f"{id}\n")
    code, out = run(tree, *PUBLISHED)
    assert code == 0, out
