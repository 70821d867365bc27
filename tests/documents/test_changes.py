"""What users notice: a file for each fact in changes/, which a release makes a section of CHANGELOG.md."""

from __future__ import annotations

import re
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = SimpleNamespace(**run_path(str(ROOT / "scripts" / "release-notes"), run_name="release_notes"))


def wrong(name: str, text: str) -> list[str]:
    """What is wrong with a file: its name, or what it says."""
    problems = []
    if not re.fullmatch(rf"[a-z0-9-]+\.({'|'.join(SCRIPT.KINDS)})\.md", name):
        problems.append(f"{name}: expected NAME.KIND.md, NAME in small letters, KIND one of {', '.join(SCRIPT.KINDS)}")
    if not re.fullmatch(r"\S.{,118}\.\n", text):
        problems.append(f"{name}: expected one sentence of at most 120 characters, got {len(text.strip())} in {text!r}")
    return problems


def test_a_fact_is_one_short_sentence() -> None:
    files = (file for file in sorted((ROOT / "changes").iterdir()) if file.name != ".gitkeep")
    assert [problem for file in files for problem in wrong(file.name, file.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("name", "text", "problems"),
    [
        ("a-rule.added.md", "A rule.\n", 0),
        ("a-rule.added.md", f"{'a' * 119}.\n", 0),
        ("a-rule.added.md", f"{'a' * 120}.\n", 1),
        ("a-rule.added.md", "A rule.\nAnother one.\n", 1),
        ("a-rule.added.md", "No full stop\n", 1),
        ("a-rule.md", "A rule.\n", 1),
        ("A rule.removed.md", "", 2),
    ],
)
def test_what_is_wrong_with_a_fact_would_be_found(name: str, text: str, problems: int) -> None:
    assert len(wrong(name, text)) == problems


def test_the_changelog_has_short_lines() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > 120] == []


def test_a_release_makes_facts_a_section_above_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "changes").mkdir()
    for name, text in {"b.fixed": "Two is right.", "a.fixed": "One is right.", "c.added": "Three."}.items():
        (tmp_path / "changes" / f"{name}.md").write_text(f"{text}\n", encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 0.1.0\n\nThe first.\n", encoding="utf-8")
    monkeypatch.setitem(SCRIPT.main.__globals__, "ROOT", tmp_path)
    SCRIPT.main(["0.2.0"])
    assert (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8") == (
        "# Changelog\n\n## 0.2.0\n\n### Added\n\n- Three.\n\n### Fixed\n\n- One is right.\n- Two is right.\n\n"
        "## 0.1.0\n\nThe first.\n"
    )
    assert [*(tmp_path / "changes").iterdir()] == []
