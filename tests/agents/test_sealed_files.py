"""An agent writes the folders of its case and no others: one that tries, behind a seal and in the open."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.runner.cases import CaseWork
from harness.runner.executor import InProcess
from harness.runner.plan import plan
from harness.runner.results import CaseResult
from harness.runner.sealed import files_note
from harness.scenario import load
from harness.sealing import allowed
from harness.sealing.allowed import Sealing
from harness.targets import Target
from tests.agents.running import reference
from tests.runner.misbehaving import keep_nothing

CASE = (Path(__file__).parent / "data" / "writes_elsewhere.yaml").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _files_can_be_kept() -> None:
    if why := allowed.refusal() or allowed.files_stay_open():
        pytest.skip(f"no file can be kept here: {why}")


@pytest.fixture
def outside() -> Iterator[Path]:
    """A folder of the user's own, not below ``/tmp``."""
    made = Path(tempfile.mkdtemp(dir="/var/tmp"))
    (made / "file").write_text("as it was\n", encoding="utf-8")
    yield made
    shutil.rmtree(made)
    Path("/tmp", made.name).unlink(missing_ok=True)  # noqa: S108


def ran(folder: Path, outside: Path, sealing: Sealing, more: str = "") -> CaseResult:
    """The result of the case, on the reference agent; ``more`` are lines for its target file."""
    case = CASE.replace("NAME", outside.name).replace("OUTSIDE", str(outside))
    (folder / "case.yaml").write_text(case, encoding="utf-8")

    def opening(_: Endpoints) -> Target:
        return reference(folder, more=more)

    planned = [
        each for each in plan(load([folder / "case.yaml"]), target=opening(Endpoints())) if "event" in each.case.id
    ]
    results: list[CaseResult] = []
    InProcess(CaseWork(opening, keep_nothing, sealing=sealing)).run(planned, results.append)
    (result,) = results
    return result


@pytest.mark.parametrize(
    ("sealing", "more", "text"),
    [
        ("required", "", "as it was\n"),
        ("required", "writes: [{outside}]\n", "as it was\nother\n"),
        ("required", "writes: [{outside}/none]\n", "as it was\n"),
        ("required", "writes: [/]\n", "as it was\nother\n"),
        ("off", "", "as it was\nother\n"),
    ],
    ids=["sealed", "a folder more", "a folder that is not there", "every folder", "in the open"],
)
def test_it_writes_elsewhere_only_where_it_may(
    tmp_path: Path, outside: Path, sealing: Sealing, more: str, text: str
) -> None:
    result = ran(tmp_path, outside, sealing, more.format(outside=outside))
    assert (result.verdict, result.error, result.findings) == ("pass", None, ())
    assert (outside / "file").read_text() == text


def test_temporary_files_are_those_of_the_case(tmp_path: Path, outside: Path) -> None:
    ran(tmp_path, outside, "required")
    assert not Path("/tmp", outside.name).exists()  # noqa: S108
    ran(tmp_path, outside, "off")
    assert Path("/tmp", outside.name).exists()  # noqa: S108


def test_a_run_says_where_the_kernel_cannot_do_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert files_note(reference(tmp_path)) == ""
    monkeypatch.setattr("harness.runner.sealed.files_stay_open", lambda: "Function not implemented")
    assert files_note(reference(tmp_path)) == (
        "files are not sealed: Function not implemented: the loop can write what you can"
    )
    assert files_note(reference(tmp_path, more="writes: [/]\n")) == ""
