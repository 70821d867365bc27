"""Cases of agents: what an agent does not offer is skipped by name, and nothing of a case is left behind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.targets.file import open_file
from tests.agents.running import AGENT, cases, reference, run
from tests.case_tables import from_table

WIRE = "anthropic-messages"
OPENED = Path("/proc/self/fd")


def outcome(folder: Path, more: str, *names: str) -> tuple[str, str]:
    target = reference(folder, more=more)
    (result,) = run(target, cases(target, WIRE, *names))
    assert result.findings == ()
    return result.verdict, result.reason


@from_table(__file__, "test_what_the_agent_does_not_offer_is_skipped_by_name")
def test_what_the_agent_does_not_offer_is_skipped_by_name(tmp_path: Path, tool: str, reason: str) -> None:
    assert outcome(tmp_path, f"tools: {{{tool}}}\n", "agent-one-call") == ("skip", reason)


def test_what_the_file_does_not_map_is_not_run(tmp_path: Path) -> None:
    target = reference(tmp_path)
    object.__setattr__(target.declaration, "tools", ())
    (item,) = cases(target, WIRE, "agent-one-call")
    assert item.skip == "the target file maps no tool of the agent to read, which the script calls"


def test_a_model_that_never_thinks_is_not_asked_to(tmp_path: Path) -> None:
    target = reference(tmp_path, more=f"model: {{{WIRE}: {{name: claude-sonnet-4-6, thinks: false}}}}\n")
    (item,) = cases(target, WIRE, "agent-thinking-in-every-turn")
    assert item.skip == f"the target's model on {WIRE} never thinks: the scripted model does"
    (other,) = cases(target, WIRE, "agent-one-call")
    assert item.skip != other.skip == ""


def test_a_program_beside_the_file_is_started_in_the_work_directory(tmp_path: Path) -> None:
    script = AGENT.with_name("agent.py")
    program, file = tmp_path / "agent.sh", tmp_path / "mine.yaml"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    text = AGENT.read_text(encoding="utf-8")
    file.write_text(text.replace("[python3, $folder/agent.py,", "[./agent.sh,"), encoding="utf-8")
    target = open_file(file)
    (result,) = run(target, cases(target, WIRE, "agent-one-call"))
    assert (result.verdict, result.error) == ("pass", None)


@pytest.mark.parametrize("mutant", ["", "sends-no-ids"])
def test_a_sub_agent_goes_on_with_its_own_conversation(tmp_path: Path, mutant: str) -> None:
    """Also where a client leaves out the ids of calls, as Gemini's may: what it sends back is still the model's."""
    target = reference(tmp_path, mutant)
    (result,) = run(target, cases(target, "gemini-generate", "agent-sub-agent"))
    assert (result.verdict, result.error, result.requests) == ("pass", None, 5)


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    target = reference(tmp_path, "leaves-commands-running")
    names = ("agent-interrupted-while-a-command-runs", "agent-one-call", "agent-failing-command")
    opened = len(list(OPENED.iterdir()))
    results = run(target, cases(target, WIRE, *names))
    assert [each.verdict for each in results] == ["pass", "pass", "pass"]
    assert list(folder.iterdir()) == []
    assert len(list(OPENED.iterdir())) == opened
    assert [each for each in _commands() if str(folder) in each] == []


def _commands() -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            found.append((process / "environ").read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return found
