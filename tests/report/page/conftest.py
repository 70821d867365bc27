"""A run of a loop that is broken in one thing."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest

from harness.cli.drive import drive
from harness.cli.run_options import RunOptions
from harness.runner.judging import everything
from harness.scenario import shipped


@pytest.fixture(scope="session")
def broken_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run in which results go back under ids that nobody gave."""
    folder = tmp_path_factory.mktemp("run")
    options = RunOptions(
        paths=[shipped() / "screenshot_to_code" / "create-then-edit.yaml"],
        wires=["openai-chat", "anthropic-messages"],
        target="mutant:wrong-call-id",
        judging=everything(),
        expression="event",
        jobs=1,
        seed=0,
        out=folder,
    )
    with contextlib.redirect_stdout(io.StringIO()):
        drive(options)
    return folder
