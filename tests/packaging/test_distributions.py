"""Two distributions: the wheel of the product works without the lab, and the lab adds itself by its entry points."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from harness import __version__

ROOT = Path(__file__).resolve().parents[2]


def test_the_lab_has_the_version_of_the_product_that_it_needs() -> None:
    lab = tomllib.loads((ROOT / "harness_lab" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert lab["version"] == __version__
    (needed,) = lab["dependencies"]
    assert re.fullmatch(r"agent-loop-harness\[[a-z,]+\]==(.*)", needed)[1] == __version__  # type: ignore[index]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheels of the product and of the lab."""
    return built(ROOT, tmp_path_factory), built(ROOT / "harness_lab", tmp_path_factory)


def built(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=project, check=True, capture_output=True)
    (wheel,) = folder.iterdir()
    return wheel


def environment(folder: Path, wheels: Iterable[Path]) -> Path:
    """A new environment with these wheels, and with the other packages of this one. Returns its Python."""
    venv.create(folder, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        is_ours = "agent_loop_harness" in package.name or package.name in ("harness", "harness_lab")
        if not is_ours and package.suffix != ".pth":
            (site / package.name).symlink_to(package)
    for wheel in wheels:
        zipfile.ZipFile(wheel).extractall(site)  # all that an installer does with a wheel without scripts
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def alone(wheels: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("alone"), wheels[:1])


@pytest.fixture(scope="module")
def both(wheels: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("both"), wheels)


def ended(python: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """``harness WORDS`` in an environment, without what is beside it."""
    command = [str(python), "-I", "-m", "harness", *words]
    return subprocess.run(command, cwd=python.parent, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_wheel_has_the_files_of_its_package_only(wheels: tuple[Path, Path]) -> None:
    for wheel, package in zip(wheels, ("harness", "harness_lab"), strict=True):
        names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
        assert {name.partition("/")[0] for name in names} == {package}
        sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / package).rglob("*.py")}
        assert {name for name in sources if "node_modules" not in name} <= names
    assert not {name for name in names if name.endswith((".toml", ".pyc", "LICENSE"))}


@pytest.mark.slow
@pytest.mark.parametrize("words", ["--help", "fuzz --help", "cassettes import --help", "list", "explain OAI-10"])
def test_the_product_alone_has_what_users_need(words: str, alone: Path) -> None:
    done = ended(alone, *words.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) > 5


@pytest.mark.slow
def test_the_product_alone_says_what_the_lab_is_in(alone: Path) -> None:
    for words in ("lab", "lab selftest --quick"):
        done = ended(alone, *words.split())
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines() == [
            "error: harness lab is for those who maintain the harness: pip install agent-loop-harness-lab"
        ]
    assert "mutant:" not in ended(alone, "targets").stdout


@pytest.mark.slow
def test_the_lab_beside_it_adds_its_commands_and_targets(both: Path) -> None:
    assert "selftest" in ended(both, "lab", "--help").stdout
    added = ended(both, "plugins")
    assert added.returncode == 0
    assert {"lab", "mutant", "gallery"} == set(re.findall(r"(?m)^  (\S+) +agent-loop-harness-lab ", added.stdout))
