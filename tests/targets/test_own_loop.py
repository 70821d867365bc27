"""The loops of docs/own-loop.md, run as they stand there."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from harness.gateway import Gateway
from harness.runner.opening import open_target
from harness.scenario import load, shipped
from tests.targets.command.running import run

pytestmark = pytest.mark.anyio

DOCUMENT = Path("docs/own-loop.md")
SCENARIOS = ("answer-not-streamed", "tool-returns-not-streamed")


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    return str(found)


async def verdicts(folder: Path, entry: str) -> dict[str, str]:
    file = folder / "mine.yaml"
    file.write_text(f"target: mine\n{entry}\nwires: [openai-chat]\n", encoding="utf-8")
    given = load([shipped() / "universal" / f"{name}.yaml" for name in SCENARIOS])
    ran = await run(open_target(str(file), Gateway()), given, deadline=60.0)
    return {name: each.result.verdict for name, each in ran.items()}


async def test_the_loop_in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "my_documented_agent.py").write_text(block("python"), encoding="utf-8")
    assert await verdicts(tmp_path, "python: my_documented_agent:run") == dict.fromkeys(SCENARIOS, "pass")


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
async def test_the_loop_in_node(tmp_path: Path) -> None:
    (tmp_path / "my_agent.mjs").write_text(block("js"), encoding="utf-8")
    assert await verdicts(tmp_path, "command: node my_agent.mjs") == dict.fromkeys(SCENARIOS, "pass")


async def test_the_target_file_is_one(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(block("yaml"), encoding="utf-8")
    if shutil.which("node") is not None:
        assert open_target(str(tmp_path / "mine.yaml"), Gateway()).name == "my-agent"
