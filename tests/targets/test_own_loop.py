"""The loops of docs/own-loop.md are the files that ``harness init`` writes, which tests/cli/test_init.py runs."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

from harness.cli.init import EXAMPLES
from harness.endpoint import Endpoints
from harness.runner.opening import open_target
from harness.scenario import load
from harness.targets import CAPABILITIES, Declaration, Target
from harness.targets.base import CaseRun
from harness.targets.command.case_line import case_line
from harness.targets.command.target import CommandTarget
from harness.targets.function import FunctionTarget
from harness.targets.shipped import SHIPPED
from harness.trace import FAILURES, OUTCOMES
from harness.trace.kinds import EVENTS
from tests.scenarios import shipped_scenarios
from tests.targets.command.running import run

DOCUMENT = Path("docs/own-loop.md").read_text(encoding="utf-8")
STARTER = Path("harness/starter")
LOOPS = STARTER / "loops"
MODULES = Path("harness/targets/node/node_modules").resolve()


def blocks(language: str, text: str = DOCUMENT) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_loop_that_is_shown_is_the_one_that_is_written() -> None:
    assert blocks("python")[0] == (LOOPS / "openai_loop.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(("client", "language", "place"), [("python", "python", 1), ("node", "js", 0)])
def test_a_client_shows_the_same_example(client: str, language: str, place: int) -> None:
    (shown,) = blocks(language, Path("clients", client, "README.md").read_text(encoding="utf-8"))
    assert shown == blocks(language)[place]


async def ran(tmp_path: Path, command: list[str], wire: str) -> str:
    """The verdict of the scenario that ``harness init`` writes, and what is wrong."""
    declared = Declaration(frozenset({wire}), capabilities=frozenset({"non-streaming", "parallel"}))  # type: ignore[arg-type]
    (scenario,) = load([STARTER / "weather-in-two-cities.yaml"])
    target = CommandTarget("example", tuple(command), declared, directory=tmp_path, persistent=True)
    (one,) = (await run(target, [replace(scenario, stream=False)])).values()
    return f"{one.result.verdict} {one.found}"


@pytest.mark.anyio
async def test_the_example_of_a_command_in_python_passes(tmp_path: Path) -> None:
    shutil.copy("clients/python/harness_client.py", tmp_path)
    (tmp_path / "agent.py").write_text(blocks("python")[1], encoding="utf-8")
    assert await ran(tmp_path, [sys.executable, "agent.py"], "openai-chat") == "pass []"


@pytest.mark.skipif(not (MODULES / "ai").is_dir(), reason="Vercel's AI SDK is not installed")
@pytest.mark.anyio
async def test_the_example_of_a_command_on_node_passes(tmp_path: Path) -> None:
    node, *_ = SHIPPED["vercel-ai"].open().command  # type: ignore[attr-defined]
    (tmp_path / "node_modules").symlink_to(MODULES)
    shutil.copy("clients/node/harness-client.mjs", tmp_path)
    (tmp_path / "agent.mjs").write_text(blocks("js")[0], encoding="utf-8")
    assert await ran(tmp_path, [node, "agent.mjs"], "openai-responses") == "pass []"


# --- conversations ------------------------------------------------------------------------------------------

CONVERSING = Declaration(
    frozenset({"openai-chat"}),
    capabilities=frozenset({"non-streaming", "thinking", "parallel", "follow-up", "cancel", "steer", "resume"}),
)


def test_the_target_file_of_a_conversation_declares_what_its_example_can_do() -> None:
    (file,) = (each for each in blocks("yaml") if "follow-up" in each)
    assert f"capabilities: [{', '.join(each for each in CAPABILITIES if each in CONVERSING.capabilities)}]" in file


async def conversed(target: Target) -> dict[str, tuple[str, list[str]]]:
    """What came of the shipped scenarios with a timeline that the target can run on Chat."""
    given = [each for each in shipped_scenarios() if (each.acts or each.runs) and "openai-chat" in each.wires]
    able = [each for each in given if not target.declaration.lacks(each, "openai-chat")]
    ran = await run(target, [replace(each, wires=("openai-chat",), stream=False) for each in able])
    assert {"another-question-after-the-answer", "cancelled-while-a-tool-runs", "said-while-a-tool-runs"} <= ran.keys()
    return {name: (one.result.verdict, one.found) for name, one in ran.items() if one.result.verdict != "pass"}


@pytest.mark.anyio
async def test_the_example_of_a_conversation_passes(tmp_path: Path) -> None:
    (tmp_path / "conversing_agent.py").write_text(blocks("python")[2], encoding="utf-8")
    target = FunctionTarget("example", "conversing_agent:run", CONVERSING, directory=tmp_path)
    assert await conversed(target) == {}


@pytest.mark.exhaustive
@pytest.mark.anyio
async def test_the_example_of_a_conversation_passes_as_a_command(tmp_path: Path) -> None:
    shutil.copy("clients/python/harness_client.py", tmp_path)
    (tmp_path / "agent.py").write_text("\n".join(blocks("python")[2:4]), encoding="utf-8")
    command = (sys.executable, "agent.py")
    assert await conversed(CommandTarget("example", command, CONVERSING, directory=tmp_path, persistent=True)) == {}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.anyio
async def test_the_example_of_a_conversation_on_node_passes(tmp_path: Path) -> None:
    shutil.copy("clients/node/harness-client.mjs", tmp_path)
    (tmp_path / "agent.mjs").write_text(blocks("js")[1], encoding="utf-8")
    command = ("node", "agent.mjs")
    assert await conversed(CommandTarget("example", command, CONVERSING, directory=tmp_path, persistent=True)) == {}


# --- its words ----------------------------------------------------------------------------------------------


def test_every_example_is_linked_to() -> None:
    files = [file for clients in EXAMPLES.values() for file in clients.values()]
    assert re.findall(r"\]\(\.\./harness/starter/loops/([a-z_.]+)\)", DOCUMENT) == files
    assert sorted(path.name for path in LOOPS.iterdir() if path.suffix in (".py", ".mjs")) == sorted(files)


@pytest.mark.parametrize("path", sorted(LOOPS.glob("*.yaml")), ids=lambda path: path.stem)
def test_an_example_declares_no_more_than_its_loop_keeps(path: Path) -> None:
    if path.stem == "fetch_loop" and shutil.which("node") is None:
        pytest.skip("node is not installed")
    declared = open_target(str(path), Endpoints()).declaration
    assert len(declared.wires) == 1
    assert not {"outcomes", "limit"} & declared.capabilities


def test_the_target_file_is_one(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("target: base\ncommand: [node, base.mjs]\n", encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(next(each for each in blocks("yaml") if "profiles" in each), encoding="utf-8")
    if shutil.which("node") is not None:
        assert open_target(str(tmp_path / "mine.yaml"), Endpoints()).name == "my-agent"


def test_the_table_has_every_capability_with_its_words_and_says_which_are_usual() -> None:
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \| [^|]+ \|$", DOCUMENT, re.MULTILINE))
    assert set(rows) == set(CAPABILITIES)
    assert list(rows)[:4] == [each for each in CAPABILITIES if each in Declaration().capabilities]


def test_the_protocol_has_every_member_event_and_word() -> None:
    told = Path("docs/command-protocol.md").read_text(encoding="utf-8")
    shown = json.loads(blocks("json", told)[0])
    case = CaseRun("openai-chat", "gpt-4.1", "http://127.0.0.1:1/case/x", (), (), lambda event: None)
    assert list(shown) == list(json.loads(case_line(case)))
    for name in shown:
        assert f"`{name}`" in told.partition("## What the program writes")[0].partition("| member |")[2]
    for kind, event in EVENTS.items():
        assert f"| `{kind}` | {', '.join(f'`{each.name}`' for each in fields(event))} |" in told
    for word, meaning in (*FAILURES.items(), *OUTCOMES.items()):
        assert f"| `{word}` | {meaning} |" in told
