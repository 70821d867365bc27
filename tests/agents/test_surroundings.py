"""What of the environment of the harness an agent has: in a fresh home nothing that configures it."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.runner.cases import CaseWork
from harness.runner.executor import InProcess
from harness.runner.plan import plan
from harness.runner.results import CaseResult
from harness.scenario import load
from harness.targets.agent.login import of_a_login, without_repository
from tests.agents.running import reference
from tests.runner.misbehaving import keep_nothing

CASE = (Path(__file__).parent / "data" / "looks_around.yaml").read_text(encoding="utf-8")


def looked_around(folder: Path, seen: str, more: str = "") -> CaseResult:
    file = folder / "case.yaml"
    file.write_text(CASE.replace("SEEN", seen), encoding="utf-8")
    target = reference(folder, more=more)
    results: list[CaseResult] = []
    InProcess(CaseWork(lambda _: target, keep_nothing)).run(plan(load([file]), target=target), results.append)
    (result,) = results
    return result


@pytest.fixture(autouse=True)
def _set_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the harness runs in a git hook, or is started by an agent."""
    settings = {"CODEX_HOME": "/mine", "GIT_DIR": "/mine/.git", "OWN_SETTING": "mine", "LANG": "C.UTF-8"}
    for name, value in settings.items():
        monkeypatch.setenv(name, value)


def test_in_a_fresh_home_it_has_what_a_new_user_has(tmp_path: Path) -> None:
    result = looked_around(tmp_path, "none none none C.UTF-8")
    assert (result.verdict, result.findings, result.error) == ("pass", (), None)


def test_what_its_target_file_names_it_has(tmp_path: Path) -> None:
    result = looked_around(tmp_path, "none none mine C.UTF-8", "passes: [OWN_SETTING]\n")
    assert (result.verdict, result.findings, result.error) == ("pass", (), None)


OWN = {
    "PATH": "/bin",
    "LC_ALL": "C",
    "LD_LIBRARY_PATH": "/lib",
    "GIT_DIR": "/mine/.git",
    "GIT_INDEX_FILE": "index.lock",
    "GIT_AUTHOR_NAME": "Me",
    "CLAUDECODE": "1",
    "GEMINI_MODEL": "other",
    "PATHOLOGY": "no path",
}


def test_a_login_has_no_setting_of_a_program() -> None:
    assert list(of_a_login(OWN)) == ["PATH", "LC_ALL", "LD_LIBRARY_PATH"]
    assert list(of_a_login(OWN, ["CLAUDECODE"])) == ["PATH", "LC_ALL", "LD_LIBRARY_PATH", "CLAUDECODE"]


def test_in_a_work_directory_of_its_own_git_works_on_what_is_there() -> None:
    assert OWN.keys() - without_repository(OWN).keys() == {"GIT_DIR", "GIT_INDEX_FILE"}
