"""reports/sample is what a run of today writes. ``scripts/regenerate`` makes it again."""

from __future__ import annotations

import base64
import contextlib
import gzip
import io
import re
import runpy
import shutil
from pathlib import Path

import pytest

from harness.cli.main import main
from harness.cli.report import report
from harness.report.diff import compare
from harness.report.files import read_results
from harness.report.formats.junit import junit
from harness.report.formats.markdown import markdown

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "reports" / "sample"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the same cases."""
    folder = tmp_path_factory.mktemp("fresh")
    words = runpy.run_path(str(ROOT / "scripts" / "sample"))["WORDS"]
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(io.StringIO()), pytest.raises(SystemExit) as left:
        main(["run", *words, "--out", str(folder)])
    assert left.value.code == 1
    return folder


def test_nothing_has_changed_since_it_was_made(fresh: Path) -> None:
    comparison = compare(SAMPLE, fresh)
    assert [(case.id, case.kind) for case in comparison.cases] == [], "run scripts/regenerate"
    assert comparison.shapes == ()
    assert comparison.unchanged == 20


def test_it_has_the_files_of_a_run(fresh: Path) -> None:
    made, now = ({path.relative_to(folder) for path in folder.rglob("*")} for folder in (SAMPLE, fresh))
    assert made == now


def test_its_reports_are_rendered_as_they_are_today(tmp_path: Path) -> None:
    result = read_results(SAMPLE / "results.json")
    assert (SAMPLE / "summary.md").read_text(encoding="utf-8") == markdown(result), "run scripts/regenerate"
    assert (SAMPLE / "junit.xml").read_text(encoding="utf-8") == junit(result)
    copy = Path(shutil.copytree(SAMPLE, tmp_path / "sample"))
    report([copy], format="html", out=None)
    assert unpacked(copy / "index.html") == unpacked(SAMPLE / "index.html"), "run scripts/regenerate"


def unpacked(page: Path) -> str:
    """A page with its data as JSON: how it is compressed is the business of the Python at hand."""
    packed = re.compile("H4sI[A-Za-z0-9+/]+=*")  # how gzip begins, in base64
    text, times = packed.subn(
        lambda data: gzip.decompress(base64.b64decode(data[0])).decode(), page.read_text(encoding="utf-8")
    )
    assert times == 1
    return text
