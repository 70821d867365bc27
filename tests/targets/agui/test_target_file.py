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


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            f"{COMMAND}url: http://127.0.0.1:$port/agui\nwires: [openai-chat]\n",
            "3:6: expected 'events: ag-ui' beside 'url', got our own format; add 'events: ag-ui'",
        ),
        (
            f"{COMMAND}url: http://127.0.0.1:$port/agui\nevents: ag-ui\n",
            "3:6: expected 'wires' beside 'url', got none; write which API formats the agent speaks",
        ),
        (
            SERVER.replace("127.0.0.1:$port", "127.0.0.1:8000"),
            "got 'http://127.0.0.1:8000/agui'; several of it may run at once, so write $port for the port",
        ),
        (
            SERVER.replace("http://127.0.0.1", "https://agents.example.com"),
            "got 'https://agents.example.com:$port/agui'; it must be on this machine, without TLS",
        ),
        (
            SERVER.replace(", $port]", "]"),
            "2:10: expected $port in 'command' or 'environment', got a server without; write $port where it takes its",
        ),
        (
            f"{SERVER}capabilities: [streaming, cancel]\n",
            "6:27: expected no 'cancel' beside 'url', got it; remove it: a run that is posted is not cancelled",
        ),
        (f"{SERVER}home: temporary\n", "6:1: expected no 'home' beside 'url', got one; leave it out: a server serves"),
        (
            f"target: mine\ncommand: [{sys.executable}]\nown_tools: true\n",
            "3:1: expected 'own_tools' beside 'url' only, got no 'url'; leave it out",
        ),
        (f"{COMMAND}events: sse\n", "3:9: expected 'harness' or 'ag-ui', got 'sse'"),
        ("target: mine\nurl: http://127.0.0.1:$port/agui\nevents: ag-ui\n", "keys command or python, got none"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as raised:
        opened(tmp_path, text)
    assert problem in "\n".join(raised.value.problems)
