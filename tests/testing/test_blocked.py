"""A loop that asks others beside the endpoint: its tests pass, with a warning for each host that is not allowed."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from harness.runner.execute import Finished, skipped
from harness.runner.opening import plan_for
from harness.scenario import load, shipped
from harness.testing.cases import HarnessCase

SCENARIO = shipped() / "universal" / "tool-returns.yaml"


def asked(folder: Path, *blocked: str, allowed: str = "") -> HarnessCase:
    file = folder / "mine.yaml"
    file.write_text(f"target: mine\ncommand: [{sys.executable}]\nallow_refused: [{allowed}]\n", encoding="utf-8")
    planned = plan_for(str(file), load([SCENARIO]), wires=["openai-chat"], expression="event")[0]
    ended = skipped(planned)
    result = replace(ended.result, verdict="pass", blocked=blocked)
    return HarnessCase(planned, folder, lambda _: Finished(result, ended.trace), lambda _: "")


def test_a_host_that_is_blocked_is_a_warning(tmp_path: Path) -> None:
    with pytest.warns(
        pytest.PytestWarning, match="target/network: (one|two).example was asked beside the endpoint"
    ) as warned:
        asked(tmp_path, "look up one.example", "CONNECT one.example:443", "CONNECT two.example:443").check()
    assert len(warned) == 2


def test_one_that_is_allowed_is_none(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asked(tmp_path, "CONNECT one.example:443", allowed="one.example").check()
