"""Agents from npm: installed from a lock file into a folder of the harness, and nowhere else."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.runner.opening import open_target
from harness.targets import installed

LOCKED = {path.parent.name: path for path in Path(installed.__file__).parent.glob("agents/*/package-lock.json")}

NPM = """\
#!{python}
import json, pathlib, sys
folder = pathlib.Path(sys.argv[sys.argv.index("--prefix") + 1])
(folder / "asked.json").write_text(json.dumps(sys.argv[1:]))
packages = json.loads((folder / "package-lock.json").read_text())["packages"]
there = {{place: each for place, each in packages.items() if place and not each.get("optional")}}
if "forges" in {how!r}:
    next(iter(there.values()))["integrity"] = "sha512-of another archive"
if "adds" in {how!r}:
    there["node_modules/left-pad"] = {{"integrity": "sha512-of left-pad"}}
(folder / "node_modules").mkdir()
(folder / "node_modules" / ".package-lock.json").write_text(json.dumps({{"packages": there}}))
if "fails" in {how!r}:
    sys.exit("npm error code EINTEGRITY")
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARNESS_AGENTS", str(tmp_path / "cache"))
    return tmp_path / "cache"


def npm(folder: Path, monkeypatch: pytest.MonkeyPatch, how: str = "works") -> None:
    folder.mkdir()
    file = folder / "npm"
    file.write_text(NPM.format(python=sys.executable, how=how))
    file.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_every_agent_has_a_lock_file_with_the_integrity_of_each_package() -> None:
    assert LOCKED.keys() == set(installed.AGENTS)
    for agent, file in LOCKED.items():
        name, version = installed.package_of(agent)
        packages = json.loads(file.read_text())["packages"]
        assert packages[f"node_modules/{name}"]["version"] == version
        below = {place: each for place, each in packages.items() if place}
        assert [place for place, each in below.items() if not each.get("integrity")] == []
        assert [place for place, each in below.items() if "resolved" in each] == []


def test_an_agent_is_installed_once_and_no_script_of_a_package_runs(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm(tmp_path / "bin", monkeypatch)
    assert installed.installed_version("codex") is None
    folder = installed.install("codex")
    assert folder.parent == cache
    assert json.loads((folder / "asked.json").read_text())[:2] == ["install", "--ignore-scripts"]
    assert (folder / "package-lock.json").read_bytes() == LOCKED["codex"].read_bytes()
    assert installed.installed_version("codex") == installed.package_of("codex")[1]
    (folder / "asked.json").unlink()
    assert installed.install("codex") == folder
    assert not (folder / "asked.json").exists()


def test_what_npm_says_when_it_fails_is_reported_and_nothing_counts_as_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm(tmp_path / "bin", monkeypatch, "fails")
    with pytest.raises(BadInput, match=r"exit code 1.*EINTEGRITY"):
        installed.install("codex")
    assert installed.installed_version("codex") is None


def test_without_npm_there_is_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match="no npm on PATH"):
        installed.install("codex")


def test_an_agent_that_is_not_installed_says_what_to_type() -> None:
    with pytest.raises(BadInput, match="type: harness targets install cli:pi"):
        open_target("cli:pi", Endpoints())


def test_an_agent_that_nobody_knows_is_unknown() -> None:
    with pytest.raises(BadInput, match="did you mean cli:pi"):
        open_target("cli:pii", Endpoints())


def test_an_old_node_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm(tmp_path / "bin", monkeypatch)
    installed.install("pi")
    node = tmp_path / "bin" / "node"
    node.write_text(f"#!{sys.executable}\nprint('v18.1.0')\n")
    node.chmod(0o755)
    with pytest.raises(BadInput, match=r"needs node 22 or newer, and .*node is 18\.1\.0"):
        open_target("cli:pi", Endpoints())


@pytest.mark.parametrize("how", ["adds", "forges"])
def test_what_the_lock_file_does_not_have_is_refused(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm(tmp_path / "bin", monkeypatch, how)
    with pytest.raises(BadInput, match="what the lock file does not have: node_modules/"):
        installed.install("pi")
    assert installed.installed_version("pi") is None
