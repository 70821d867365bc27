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
    Variant,
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
VARIANTS = [variant for loop in ALL for variant in loop.variants]
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
    "responses_stateless/drops-the-reasoning",
    "gemini_stream/reverses-results",
    "anthropic_fetch/runs-truncated-arguments",
)


def loop_of(name: str) -> Loop:
    loop = next(each for each in ALL if each.name == name)
    if loop.runs_on_node and (shutil.which("node") is None or (loop.needs_packages and not PACKAGES.is_dir())):
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


@pytest.mark.parametrize("change", [*BUGS, *VARIANTS], ids=lambda change: f"{change.loop}/{change.name}")
def test_a_change_fits_its_agent(change: Bug | Variant) -> None:
    loop = next(each for each in ALL if each.name == change.loop)
    source = loop.source.read_text(encoding="utf-8")
    changed = planted(source, change.change)
    assert changed != source
    if not loop.runs_on_node:
        ast.parse(changed)


def test_every_bug_has_scenarios_and_rules_that_must_find_it() -> None:
    assert [bug.name for bug in BUGS if len(scenarios(*bug.cases)) != len(bug.cases) or not bug.cases] == []
    assert [bug.name for bug in BUGS if not bug.rules or not bug.harm or not bug.source] == []


def test_a_change_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="found them 2 times"):
        planted("a = 1\na = 1\n", "- a = 1\n+ a = 2")
    with pytest.raises(ValueError, match="found them 0 times"):
        planted("a = 1\n", "- b = 1\n+ b = 2")
    assert planted("if x:\n    a = 1\n", "- a = 1\n+ a = 2\n+ b = 3") == "if x:\n    a = 2\n    b = 3\n"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", CLEAN)
def test_nothing_is_found_on_a_correct_agent(name: str, tmp_path: Path) -> None:
    results = run(written(loop_of(name), tmp_path), *scenarios(*CLEAN[name]), "-k", "event")
    assert [each for each in broken(results) if each.level == "MUST"] == []
    assert judged(results) == len(CLEAN[name])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", PLANTED)
def test_a_bug_is_found_by_the_rule_that_is_about_it(name: str, tmp_path: Path) -> None:
    loop = loop_of(name.partition("/")[0])
    bug = loop.bug(name.partition("/")[2])
    assert bug.found_by(broken(run_bug(loop, bug, tmp_path)))


def test_the_page_is_about_these_agents_and_bugs() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("## Agents without a known bug")[2]
    rows = re.findall(r"^\| (\S+) \| ([a-z-]+) \| ([^|]+) \|", text, re.MULTILINE)
    agents = [agent for agent, _, _ in rows if agent == agent.lower() and agent != "agent"]
    assert set(agents) == {loop.name for loop in ALL}
    shown = {(agent, bug) for agent, bug, _ in rows}
    assert [(each.loop, each.name) for each in [*BUGS, *VARIANTS] if (each.loop, each.name) not in shown] == []
