"""A report format of somebody else's, installed: ``harness report`` writes it like its own."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from harness.ground.disk import put
from harness.report.files import results_json
from tests.plugins.site import built, harness
from tests.plugins.test_installed import ACME
from tests.report.runs import case, run


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ACME, tmp_path_factory.mktemp("acme"))


def test_its_report_format_is_written_like_those_of_the_harness(installed: Path, tmp_path: Path) -> None:
    selection = ["--suite", "all", "-k", "parallel-calls.openai-chat.event"]
    run = tmp_path / "run"
    assert harness(installed, "run", *selection, "--out", run, cwd=tmp_path)[0] == 1
    code, out, err = harness(installed, "report", run, "--format", "acme-csv", cwd=tmp_path)
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(out.splitlines()))
    assert rows
    assert {(row["case"], row["rule"], row["level"]) for row in rows} == {
        ("parallel-calls.openai-chat.event", "acme/few-tools", "MUST")
    }
    trace, _, line = rows[0]["trace"].rpartition(":")
    assert json.loads(Path(trace).read_text(encoding="utf-8").splitlines()[int(line) - 1])["record"] == "request"
    assert harness(installed, "report", run, "--format", "acme-csv", "--out", "found.csv", cwd=tmp_path)[:2] == (0, "")
    assert (tmp_path / "found.csv").read_text(encoding="utf-8").splitlines() == out.splitlines()
    assert "acme-csv" in harness(installed, "report", "--help", cwd=tmp_path)[1]


def test_the_page_shows_the_report_format_as_it_is() -> None:
    source = (ACME / "acme_harness.py").read_text(encoding="utf-8")
    page = (ACME.parents[2] / "docs" / "add-a-report-format.md").read_text(encoding="utf-8")
    shown = source[source.index("def _csv(") : source.index("class _Terse:")]
    assert shown.rstrip().endswith('CSV = ReportFormat("the findings as comma-separated values", _csv)')
    assert shown.rstrip() in page


@pytest.mark.parametrize(
    ("wrong", "right", "format", "why"),
    [
        ("acme_harness:CSV", "acme_harness:AUDIT", "acme-csv", "ReportFormat, got Command"),
        ("return text.getvalue()", "return text", "acme-csv", "expected text, got StringIO"),
        ("return text.getvalue()", "return text.value", "acme-csv", "it fails: AttributeError"),
        ('acme-csv = "', 'junit = "', "junit", "has the name of one of the harness"),
        ("acme-csv", "acme-tsv", "acme-csv", "did you mean acme-tsv?"),
    ],
    ids=["no-format", "no-text", "fails", "taken", "unknown"],
)
def test_what_is_wrong_with_a_report_format_is_bad_input(
    wrong: str, right: str, format: str, why: str, tmp_path: Path
) -> None:
    site = built(changed(wrong, right, tmp_path), tmp_path)
    (tmp_path / "run").mkdir()
    put(tmp_path / "run" / "results.json", results_json(run(case())).encode())
    code, _, err = harness(site, "report", tmp_path / "run", "--format", format, cwd=tmp_path)
    assert code == 2
    assert why in err
    assert "Traceback" not in err


def changed(wrong: str, right: str, folder: Path) -> Path:
    """The package with another text in its files."""
    package = folder / "package"
    package.mkdir()
    for file in ACME.glob("*.*"):
        text = file.read_text(encoding="utf-8")
        (package / file.name).write_text(text.replace(wrong, right), encoding="utf-8")
    return package
