"""``scripts/regenerate`` writes stale files again, and no others."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "scripts" / "regenerate"
GENERATED = list(runpy.run_path(str(SCRIPT))["documents"]())


def regenerate(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, SCRIPT, *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with the generated documents of this one."""
    for path in GENERATED:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    return tmp_path


def test_the_documents_here_are_current() -> None:
    done = regenerate("--check", "docs", "scenarios", "tests")
    assert (done.returncode, done.stdout) == (0, "0 generated files are stale\n"), "run scripts/regenerate"


@pytest.mark.exhaustive
def test_stale_and_absent_files_are_written_again_and_the_others_are_not(copy: Path) -> None:
    rules, schema, page = "docs/rules.md", "docs/results.schema.json", "docs/rules/openai-chat.md"
    (copy / rules).write_text("# The rules\n", encoding="utf-8")
    (copy / schema).unlink()
    (copy / page).write_text("", encoding="utf-8")
    before = (copy / "scenarios/schema.json").stat().st_mtime_ns
    looked = regenerate("--root", copy, "--check")
    assert (looked.returncode, looked.stdout.splitlines()[-1]) == (1, "3 generated files are stale")
    done = regenerate("--root", copy)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()[:-1]) == sorted(f"{each}: written again" for each in (rules, schema, page))
    for path in GENERATED:
        assert (copy / path).read_bytes() == (ROOT / path).read_bytes()
    assert (copy / "scenarios/schema.json").stat().st_mtime_ns == before


def test_a_folder_without_generated_files_is_bad_input() -> None:
    done = regenerate("cassettes")
    assert done.returncode == 2
    assert "nothing is generated below cassettes" in done.stderr


def test_every_json_schema_and_page_of_rules_of_the_documentation_is_generated() -> None:
    docs = [*(ROOT / "docs").glob("*.schema.json"), *(ROOT / "docs" / "rules").iterdir()]
    by_recordings = {"docs/rules/recorded-refusals.md"}  # of scripts/refusals, since the recordings lie elsewhere
    assert {str(path.relative_to(ROOT)) for path in docs} - by_recordings < {*GENERATED}
