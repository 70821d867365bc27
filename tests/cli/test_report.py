"""``harness report``: a run's folder in every format, on standard output or in a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from junitparser import JUnitXml

from harness.report.files import RunFolder
from tests.commands import Printed
from tests.report.runs import everything, hostile

Report = Callable[..., Printed]
FORMATS = ("terminal", "json", "junit", "markdown", "sarif", "github")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    RunFolder.create(tmp_path / "run").write_results(everything())
    return tmp_path / "run"


@pytest.fixture
def report(harness: Report) -> Report:
    return partial(harness, "report")


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_printed_is_what_is_written(report: Report, format: str, folder: Path, tmp_path: Path) -> None:
    printed = report(folder, "--format", format)
    assert (printed.code, "order/tool-start-once" in printed.out) == (0, True)
    assert report(folder, "--format", format, "--out", tmp_path / "file") == Printed(0, "", "")
    assert (tmp_path / "file").read_text(encoding="utf-8") == printed.out


def test_a_run_keeps_what_would_be_rendered_again(report: Report, folder: Path) -> None:
    for format, name in (("markdown", "summary.md"), ("junit", "junit.xml"), ("json", "results.json")):
        assert report(folder, "--format", format).out == (folder / name).read_text(encoding="utf-8")


def test_the_formats_are_what_they_are_called(report: Report, folder: Path, tmp_path: Path) -> None:
    for format in FORMATS:
        report(folder, "--format", format, "--out", tmp_path / format)
    assert json.loads((tmp_path / "json").read_bytes())["totals"]["fail"] == 1
    assert json.loads((tmp_path / "sarif").read_bytes())["version"] == "2.1.0"
    assert JUnitXml.fromfile(str(tmp_path / "junit")).failures == 2
    assert (tmp_path / "markdown").read_text(encoding="utf-8").startswith("## 2 passed, 1 failed")
    assert (tmp_path / "github").read_text(encoding="utf-8").startswith("::error ")
    told = (tmp_path / "terminal").read_text(encoding="utf-8").splitlines()
    assert told[-2] == f"results: {folder / 'results.json'}"
    assert told[-1].startswith("2 passed, 1 failed")


@pytest.mark.parametrize("format", FORMATS)
def test_half_characters_in_results_are_told_in_every_format(report: Report, format: str, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(json.dumps(hostile("half \ud83d").to_json()), encoding="utf-8")
    assert report(tmp_path, "--format", format, "--out", tmp_path / "file").code == 0
    assert (tmp_path / "file").read_bytes()


@pytest.mark.parametrize("more", [["{run}"], ["--against", "{run}"], ["--history", "{run}"]])
def test_what_only_the_page_can_show_is_refused(report: Report, more: list[str], folder: Path) -> None:
    printed = report(folder, *(word.format(run=folder) for word in more), "--format", "sarif")
    assert (printed.code, "--format sarif shows one run" in printed.err) == (2, True)


def test_a_folder_without_results_and_a_file_that_cannot_be_written_are_bad_input(
    report: Report, folder: Path, tmp_path: Path
) -> None:
    assert report(tmp_path, "--format", "markdown").code == 2
    printed = report(folder, "--format", "markdown", "--out", tmp_path / "no" / "file")
    assert (printed.code, "choose another --out" in printed.err) == (2, True)
