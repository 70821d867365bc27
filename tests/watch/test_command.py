"""``harness watch`` as a person uses it: it says where to look, Ctrl-C ends it, bad names end it with code 2."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from itertools import groupby

from websockets.sync.client import connect

from tests.case_tables import from_table
from tests.commands import run_harness

WATCH = (sys.executable, "-m", "harness", "watch")


def test_it_serves_until_ctrl_c() -> None:
    command = [*WATCH, "tool-returns", "--wire", "openai-chat", "--pace", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "tool-returns.openai-chat.event on reference\n"
            url = process.stdout.readline().strip()
            with connect(url.replace("http:", "ws:") + "events", proxy=None) as connection:
                messages = [json.loads(text) for text in connection]
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (process.returncode, errors) == (0, "")
    assert messages[0]["case"]["wire"] == "openai-chat"
    assert messages[-1]["verdict"] == "pass"


def test_one_case_in_a_dialect_is_watched() -> None:
    command = [*WATCH, "two-calls-of-one-tool", "--wire", "openai-chat", "--dialect", "index-zero", "--pace", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            case = "two-calls-of-one-tool.openai-chat.event+index-zero"
            assert process.stdout.readline() == f"{case} on reference\n"
        finally:
            process.kill()


def test_a_front_end_of_a_product_gets_the_messages_that_it_knows() -> None:
    command = [*WATCH, "create-then-edit", "--wire", "openai-chat", "--pace", "0", "--messages", "screenshot-to-code"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "create-then-edit.openai-chat.event on reference\n"
            with connect(process.stdout.readline().strip(), proxy=None) as connection:
                messages = [json.loads(text) for text in connection]
        finally:
            process.kill()
    kinds = [kind for kind, _ in groupby(message["type"] for message in messages)]
    edited = ["toolStart", "setCode", "toolResult"]
    words = ["thinking", "assistant"]
    assert [kind for kind in kinds if kind not in words] == [
        *["variantCount", *edited, *edited, "setCode", "variantComplete"]
    ]
    assert [message["variantIndex"] for message in messages[1:]] == [0] * (len(messages) - 1)


@from_table(__file__, "test_bad_input_ends_it_with_a_reason")
def test_bad_input_ends_it_with_a_reason(arguments: list[str], said: str) -> None:
    done = run_harness("watch", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_in_use_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run_harness("watch", "tool-returns", "--port", str(port))
    assert done.returncode == 2
    assert f"cannot listen on 127.0.0.1:{port}: " in done.stderr


def test_the_help_needs_no_websockets() -> None:
    program = "import sys; from harness.cli.command_line import parser; parser(); print('websockets' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "False\n"
