"""``events: ag-ui`` and ``url`` of target files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.targets import Target
from harness.targets.agui import AgUiTarget
from harness.targets.command.target import CommandTarget
from harness.targets.file import open_file
from tests.case_tables import from_table

COMMAND = f"target: mine\ncommand: [{sys.executable}, app.py, $port]\n"
SERVER = f"{COMMAND}url: http://127.0.0.1:$port/agui\nevents: ag-ui\nwires: [openai-chat]\n"


def opened(folder: Path, text: str) -> Target:
    file = folder / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    return open_file(file)


def test_a_server(tmp_path: Path) -> None:
    target = opened(tmp_path, f"{SERVER}persistent: true\nown_tools: true\nenvironment: {{DEBUG: '$port'}}\n")
    assert isinstance(target, AgUiTarget)
    assert (target.url, target.persistent) == ("http://127.0.0.1:$port/agui", True)
    assert target.command == (sys.executable, "app.py", "$port")
    assert target.environment == {"DEBUG": "$port"}
    declared = target.declaration
    assert (declared.is_server, declared.own_tools, declared.emits) == (True, True, None)


def test_a_command_that_prints_events_of_ag_ui(tmp_path: Path) -> None:
    target = opened(tmp_path, f"target: mine\ncommand: [{sys.executable}, app.py]\nevents: ag-ui\ninput: nothing\n")
    assert isinstance(target, CommandTarget)
    assert (target.events, target.declaration.emits) == ("ag-ui", None)


@from_table(__file__, "test_what_is_wrong_is_named_with_its_place")
def test_what_is_wrong_is_named_with_its_place(text: str, problem: str, tmp_path: Path) -> None:
    text = text.replace("SERVER\n", SERVER).replace("COMMAND\n", COMMAND).replace("PYTHON", sys.executable)
    with pytest.raises(BadInput) as raised:
        opened(tmp_path, text)
    assert problem in "\n".join(raised.value.problems)
