"""The hooks of pre-commit, and what they call."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.ci_kit.kit import ROOT, is_harness_command

MANIFEST = ROOT / ".pre-commit-hooks.yaml"
HOOKS = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))


def test_pre_commit_takes_the_manifest(tmp_path: Path) -> None:
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    command = [sys.executable, "-m", "pre_commit", "validate-manifest"]
    assert subprocess.run([*command, str(MANIFEST)], check=False, capture_output=True).returncode == 0
    broken = tmp_path / "hooks.yaml"
    broken.write_text("- id: no-name\n", encoding="utf-8")
    assert subprocess.run([*command, str(broken)], check=False, capture_output=True).returncode != 0


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_what_a_hook_calls_is_a_command(hook: dict[str, str]) -> None:
    assert is_harness_command(" ".join([hook["entry"], *hook["args"]]))
