"""Whether node and the packages are there, what is said where they are not, and what of the drivers is shipped."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.targets import node_drivers
from harness.targets.node_drivers import NodeDriver, package_version
from harness.targets.shipped import SHIPPED
from tests.targets.node.driving import DRIVERS

DRIVER = NodeDriver(("a.mjs", "--option"), since=22)


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Neither packages nor a node; the folder is the only one on PATH, and that of the packages."""
    monkeypatch.setattr(node_drivers, "_MODULES", tmp_path / "node_modules")
    monkeypatch.setattr(node_drivers, "_LOCAL", tmp_path / "node_modules" / "node" / "bin" / "node")
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def program(path: Path, prints: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {prints}\n")
    path.chmod(0o755)
    return path


def test_the_node_of_the_user_runs_it(nowhere: Path) -> None:
    node = program(nowhere / "node", "v24.1.0")
    assert DRIVER.command("a") == (str(node), str(DRIVERS / "a.mjs"), "--option")


def test_a_node_among_the_packages_goes_before_it(nowhere: Path) -> None:
    program(nowhere / "node", "v20.20.2")
    local = program(nowhere / "node_modules" / "node" / "bin" / "node", "v22.23.3")
    assert DRIVER.command("a")[0] == str(local)


@pytest.mark.parametrize(
    ("prints", "here"), [("v20.20.2", r"\S+/node is 20\.20\.2"), ("nothing", "there is none"), (None, "there is none")]
)
def test_without_a_node_that_is_new_enough_it_is_said_what_to_type(
    nowhere: Path, prints: str | None, here: str
) -> None:
    if prints is not None:
        program(nowhere / "node", prints)
    with pytest.raises(BadInput, match=rf"^--target a needs node 22 .*, and {here}: .* type npm install .* node@22$"):
        DRIVER.command("a")


def test_versions_are_those_of_the_folder(nowhere: Path) -> None:
    package = nowhere / "node_modules" / "@scope" / "name" / "package.json"
    package.parent.mkdir(parents=True)
    package.write_text('{"version": "1.2.3"}')
    assert (package_version("@scope/name"), package_version("other")) == ("1.2.3", None)


@pytest.mark.parametrize("name", ["anthropic-runner-ts", "anthropic-runner-ts:unthreaded", "vercel-ai"])
def test_without_their_packages_it_is_said_what_to_type(nowhere: Path, name: str) -> None:
    program(nowhere / "node", "v24.1.0")
    with pytest.raises(BadInput) as told:
        SHIPPED[name].open()
    assert f"--target {name} needs " in str(told.value)
    assert str(told.value).endswith(f": npm ci --prefix {DRIVERS}")


def test_the_lock_file_has_what_the_table_names_and_no_registry() -> None:
    text = (DRIVERS / "package-lock.json").read_text()
    locked = json.loads(text)["packages"]
    assert locked[""]["dependencies"] == json.loads((DRIVERS / "package.json").read_text())["dependencies"]
    drivers = [shipped for shipped in SHIPPED.values() if isinstance(shipped.driver, NodeDriver)]
    assert {f"node_modules/{package}" for shipped in drivers for package in shipped.packages} <= locked.keys()
    assert "resolved" not in text
    assert not re.search(r"https?://(?!opencollective\.com|github\.com)", text)


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_the_drivers_are_shipped_without_their_packages(kind: str) -> None:
    builders = pytest.importorskip(f"hatchling.builders.{kind}", reason="hatchling is not installed")
    builder = {"wheel": "WheelBuilder", "sdist": "SdistBuilder"}[kind]
    files = getattr(builders, builder)(str(DRIVERS.parents[2])).recurse_included_files()
    names = {str(file.distribution_path) for file in files}
    mine = {name.rpartition("/")[2] for name in names if name.startswith("harness/targets/node/")}
    assert mine == {
        "anthropic-runner-ts.mjs",
        "guard.cjs",
        "package-lock.json",
        "package.json",
        "vercel-ai.mjs",
    }
    assert not any("node_modules" in name for name in names)
