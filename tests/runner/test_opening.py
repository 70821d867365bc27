"""Targets by the names that people give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.runner.opening import open_target


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("agent.py", "'--target agent:run', or 'harness serve -- python agent.py'"),
        ("./agent.py", "'--target agent:run', or 'harness serve -- python agent.py'"),
        ("agent", "'--target agent:run', or 'harness serve -- python agent.py'"),
        ("agent.answer", "'--target agent:answer', or 'harness serve -- python agent.py'"),
        ("package.loop", "'--target package.loop:run', or 'harness serve -- python package/loop.py'"),
        ("package.loop.ask", "'--target package.loop:ask', or 'harness serve -- python package/loop.py'"),
        ("package/loop.py", "'--target package.loop:run', or 'harness serve -- python package/loop.py'"),
        ("x.mjs", "'harness serve -- node x.mjs'"),
        ("node x.mjs", "'--target \"cmd:node x.mjs\"', or 'harness serve -- node x.mjs'"),
    ],
)
def test_a_file_or_a_command_is_answered_with_what_was_meant(
    name: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "package").mkdir()
    for file in ("agent.py", "x.mjs", "package/loop.py"):
        (tmp_path / file).touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput) as refused:
        open_target(name, Endpoints())
    (problem,) = refused.value.problems
    assert problem.startswith(f"--target {name!r}")
    assert problem.endswith(f"did you mean {meant}?")


def test_a_name_that_is_none_is_answered_with_ones_own_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput) as refused:
        open_target("agent.py", Endpoints())
    (problem,) = refused.value.problems
    own = "--target 'agent.py' is unknown. For your own: package.module:function, cmd:COMMAND or FILE.yaml. Known: "
    assert problem.startswith(own)
