"""Precision and recall on agents that know nothing of the harness: a part of what ``scripts/precision`` measures.

Whole runs take minutes; docs/precision.md has them. Here each wire has a correct agent, and some of the bugs are run.
"""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path

import pytest

from tests.first_contact.judge import (
    LOOPS,
    PACKAGES,
    ROOT,
    Bug,
    Loop,
    broken,
    judged,
    loops,
    planted,
    run,
    run_bug,
    scenarios,
    written,
)

ALL = loops()
BUGS = [bug for loop in ALL for bug in loop.bugs]
PAGE = ROOT / "docs" / "precision.md"

CLEAN = {
    "chat_sse": ("parallel-calls", "parallel-calls-one-raises", "tool-returns-any-json"),
    "responses_sse": ("arguments-cut-off", "thinking-in-every-turn", "tool-raises"),
    "anthropic_stream": ("thinking-in-every-turn", "arguments-cut-off", "unknown-tool"),
    "gemini_stream": ("parallel-calls", "thinking-in-every-turn", "ids-left-out"),
    "chat_urllib": ("tool-returns", "truncated-call", "bad-request"),
}
"""One style each: results in another order, a broken turn asked for again, thinking, no ids, a title request."""

PLANTED = (
    "chat_sse/answers-twice",
    "responses_stored/stores-nothing",
    "responses_stateless/drops-the-reasoning",
    "anthropic_whole/runs-a-refused-call",
    "gemini_whole/strips-the-signature",
    "gemini_stream/reverses-results",
    "chat_urllib/retries-what-was-refused",
    "anthropic_fetch/runs-truncated-arguments",
)


def loop_of(name: str) -> Loop:
    loop = next(each for each in ALL if each.name == name)
    if loop.runs_on_node and (shutil.which("node") is None or not PACKAGES.is_dir()):
        pytest.skip("node or its packages are not installed")
    return loop


def test_there_are_enough_of_them() -> None:
    assert len(ALL) >= 12
    assert len(BUGS) >= 40
    assert {loop.name for loop in ALL} == {path.stem for path in LOOPS.glob("*.yaml")}


@pytest.mark.parametrize("loop", ALL, ids=lambda loop: loop.name)
def test_no_agent_knows_the_harness(loop: Loop) -> None:
    source = loop.source.read_text(encoding="utf-8")
    if loop.runs_on_node:
        imported = re.findall(r"^import .*? from '([^']+)';$", source, re.MULTILINE)
    else:
        nodes = list(ast.walk(ast.parse(source)))
        imported = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        imported += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    assert imported
    assert [name for name in imported if name.startswith((".", "harness"))] == []


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: f"{bug.loop}/{bug.name}")
def test_a_bug_is_one_change_of_its_agent(bug: Bug) -> None:
    source = loop_of(bug.loop).source.read_text(encoding="utf-8")
    changed = planted(source, bug.change)
    assert changed != source
    if not loop_of(bug.loop).runs_on_node:
        ast.parse(changed)
    assert len(scenarios(*bug.cases)) == len(bug.cases) > 0
    assert bug.rules


def test_a_change_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="found them 2 times"):
        planted("a = 1\na = 1\n", "- a = 1\n+ a = 2")
    with pytest.raises(ValueError, match="found them 0 times"):
        planted("a = 1\n", "- b = 1\n+ b = 2")
    assert planted("if x:\n    a = 1\n", "- a = 1\n+ a = 2\n+ b = 3") == "if x:\n    a = 2\n    b = 3\n"


@pytest.mark.parametrize("name", CLEAN)
def test_nothing_is_found_on_a_correct_agent(name: str, tmp_path: Path) -> None:
    results = run(written(loop_of(name), tmp_path), *scenarios(*CLEAN[name]), "-k", "event")
    assert [each for each in broken(results) if each.level == "MUST"] == []
    assert judged(results) == len(CLEAN[name])


@pytest.mark.parametrize("name", PLANTED)
def test_a_bug_is_found_by_the_rule_that_is_about_it(name: str, tmp_path: Path) -> None:
    loop = loop_of(name.partition("/")[0])
    bug = loop.bug(name.partition("/")[2])
    assert bug.found_by(broken(run_bug(loop, bug, tmp_path)))


def test_the_page_is_about_these_agents_and_bugs() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\S+) \| ([a-z-]+) \| ([^|]+) \|", text, re.MULTILINE)
    agents = [agent for agent, _, _ in rows if agent == agent.lower() and agent != "agent"]
    assert set(agents) == {loop.name for loop in ALL}
    shown = {(agent, bug) for agent, bug, _ in rows}
    assert [(bug.loop, bug.name) for bug in BUGS if (bug.loop, bug.name) not in shown] == []
