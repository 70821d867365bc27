"""A package of somebody else's, built and installed: its rule, command and targets are those of ``harness``."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

ACME = Path(__file__).resolve().parent / "acme"


def built(package: Path, folder: Path) -> Path:
    """The folder in which the package's wheel is unpacked, which is how it is installed."""
    wheels = folder / "wheels"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(build, cwd=package, check=True, capture_output=True)
    (wheel,) = wheels.iterdir()
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ACME, tmp_path_factory.mktemp("acme"))


def harness(site: Path, *words: str | Path, cwd: Path) -> tuple[int, str, str]:
    """A new process: what is installed is read at its start."""
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment: Mapping[str, str] = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-m", "harness", *map(str, words)]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_what_is_installed_is_listed(installed: Path, tmp_path: Path) -> None:
    code, out, err = harness(installed, "plugins", cwd=tmp_path)
    assert (code, err) == (0, "")
    assert [" ".join(line.split()) for line in out.splitlines() if "acme" in line] == [
        "acme acme-harness-rules 1.2, acme_harness:FEW_TOOLS",
        "acme-audit acme-harness-rules 1.2, acme_harness:AUDIT",
        "acme acme-harness-rules 1.2, acme_harness:TARGETS",
    ]


def test_a_rule_of_the_house_is_judged_and_explained(installed: Path, tmp_path: Path) -> None:
    selection = ["--suite", "all", "-k", "parallel-calls.openai-chat.event"]
    code, out, _ = harness(installed, "run", *selection, "--out", tmp_path, cwd=tmp_path)
    assert code == 1
    assert "\n1. acme/few-tools  A request offers at most one tool\n" in out
    assert "   MUST, opinion, 1 case\n" in out
    assert "expected  at most 1 tool in a request" in out
    code, out, _ = harness(installed, "explain", "acme/few-tools", cwd=tmp_path)
    assert code == 0
    assert "Each tool costs tokens in each turn." in out
    code, out, _ = harness(installed, "check", tmp_path / "traces", "--skip", "acme", cwd=tmp_path)
    assert (code, out) == (0, "1 trace, 0 findings\n")


def test_a_command_is_run_and_listed_in_a_group_of_its_own(installed: Path, tmp_path: Path) -> None:
    assert harness(installed, "acme-audit", "search", cwd=tmp_path) == (0, "search is audited\n", "")
    _, out, _ = harness(installed, "--help", cwd=tmp_path)
    assert "\nAcme:\n    acme-audit      audit a loop of Acme's\n" in out


def test_its_targets_are_opened_by_their_prefix(installed: Path, tmp_path: Path) -> None:
    selection = ["-k", "parallel-calls.openai-chat.event", "--suite", "all", "--out", tmp_path / "out"]
    code, out, _ = harness(installed, "run", "--target", "acme:search", *selection, cwd=tmp_path)
    assert code == 1
    assert "is not written yet" in out
    code, _, err = harness(installed, "run", "--target", "acme:serch", *selection, cwd=tmp_path)
    assert code == 2
    assert "did you mean acme:search?" in err


@pytest.mark.parametrize(
    ("wrong", "right", "why"),
    [
        (
            'FEW_TOOLS = Rule(\n    id="acme/few-tools"',
            'FEW_TOOLS = Rule(\n    id="order/turn-count"',
            "there is another rule",
        ),
        ('id="acme/few-tools"', 'id="few tools"', "expected an id like family/name"),
        ("FEW_TOOLS = Rule(", "FEW_TOOLS = dict(", "expected a harness.rules.Rule or a list of them, got dict"),
        ("import Breach, Rule", "import Breach, Rules", "cannot be loaded: ImportError"),
        ("TARGETS = _Loops()", "TARGETS = 1 / 0", "cannot be loaded: ZeroDivisionError"),
    ],
    ids=["taken", "malformed", "no-rule", "broken", "crashes"],
)
def test_what_is_wrong_with_a_plugin_is_bad_input(wrong: str, right: str, why: str, tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    for file in ACME.glob("*.*"):
        text = file.read_text(encoding="utf-8")
        (package / file.name).write_text(text.replace(wrong, right), encoding="utf-8")
    code, _, err = harness(built(package, tmp_path), "explain", "order/turn-count", cwd=tmp_path)
    assert code == 2
    assert why in err
    assert "acme-harness-rules" in err
    assert "Traceback" not in err
