"""``harness serve -- COMMAND``: it starts somebody's program, judges what it asks, and ends with it."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.ground.signals import ENDING
from harness.report.files import RunFolder
from harness.scenario import shipped
from tests.case_tables import from_table
from tests.cli.serving import Serve, serving
from tests.commands import Printed, start_harness

SCENARIO = shipped() / "universal" / "tool-returns.yaml"
TIMEOUT = 120
"""Seconds after which a command hangs. Far beyond what these take on a busy machine."""

AGENT = """\
import json, os, sys
from urllib.request import ProxyHandler, Request, build_opener

OPENER = build_opener(ProxyHandler({}))
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": CITY}}]

def ask(messages):
    body = json.dumps({"model": "gpt-4.1", "messages": messages, "tools": TOOLS}).encode()
    with OPENER.open(Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)) as answer:
        return json.load(answer)["choices"][0]["message"]

def answer(question, forgets=False):
    messages = [{"role": "user", "content": question}]
    while calls := (message := ask(messages)).get("tool_calls"):
        messages.append(message)
        for call in calls[forgets:]:
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": "sunny"})
    return message["content"]
"""
"""An agent without an SDK. With ``forgets`` it sends no result of the first call."""

ANSWER = r"This is the answer of the automatic model\. \[[0-9a-f]{8}\]"


NOT_TRIED = (
    "note: not tried: reasoning (gpt-4.1 does not reason by itself: --rounds reasoning tries it), "
    "streaming (no request asks for a stream)"
)


@pytest.fixture
def serve(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    yield from serving(AGENT, tmp_path, capfd, monkeypatch)


def test_a_correct_loop_has_its_output_first_and_then_no_finding(serve: Serve) -> None:
    served = serve("import agent; print(agent.answer('Is it cold?'), flush=True)")
    assert re.fullmatch(ANSWER, served.out[0])
    assert served.out[1:] == ["automatic.openai-chat.1: 2 requests (200, 200)", NOT_TRIED, "0 findings"]
    assert served.err[0] == "harness serve: starting the endpoint"
    assert served.err[1].startswith("harness serve: automatic model on openai-responses, openai-chat, ")
    assert served.err[2].startswith(f"harness serve: started {sys.executable} -c ")
    assert served.code == 0


def test_a_loop_with_a_bug_is_found_and_written(serve: Serve, tmp_path: Path) -> None:
    out = tmp_path / "out"
    served = serve("import agent; agent.answer('Is it cold?', forgets=True)", "--out", str(out))
    assert served.code == 1
    assert served.out[:2] == ["automatic.openai-chat.1: 2 requests (200, 400)", NOT_TRIED]
    assert served.out[3].startswith("1. OAC-03, history/results  Every tool_call needs its own `tool` message")
    assert served.out[4] == "   MUST, refused by the provider, 1 case"
    assert "   provider  messages[1]: HTTP 400 An assistant message with 'tool_calls' must be" in "\n".join(served.out)
    assert f"   trace     {out}/traces/automatic.openai-chat.1.jsonl:4" in served.out
    assert served.out[-4:-2] == ["1 cause, 2 findings", "next: 'harness explain OAC-03' explains the rule"]
    assert len(served.out) < 25
    assert served.err[-1] == "harness serve: the command ended with exit code 1"
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    (case,) = results["cases"]
    assert (case["id"], case["verdict"], case["requests"]) == ("automatic.openai-chat.1", "fail", 2)
    found = [(each["rule"], each["reference"]) for each in case["findings"]]
    assert found == [("continuation/openai-chat", "OAC-03"), ("history/results", "")]
    assert shlex.split(case["repeat"])[:3] == ["harness", "serve", "--"]
    assert {path.name for path in out.iterdir()} == {
        "index.html",
        "junit.xml",
        "results.json",
        "summary.md",
        "traces",
    }
    assert (out / case["trace"]).is_file()


def test_a_folder_in_which_a_run_is_writing_is_not_served_into(serve: Serve, tmp_path: Path) -> None:
    out = tmp_path / "served"
    with RunFolder.create(out).locked():
        served = serve("print('it ran')", "--out", str(out))
    assert (served.code, served.out) == (2, [])
    assert f"served: another run (process {os.getpid()}) is writing to this folder" in "".join(served.err)


def test_nothing_of_an_earlier_run_is_left_in_its_folder(serve: Serve, tmp_path: Path) -> None:
    folder = tmp_path / "served"
    folder.mkdir()
    for name in ("results.json", "junit.xml", "summary.md", "index.html", "journal.jsonl"):
        (folder / name).write_text("of an earlier run", encoding="utf-8")
    serve("pass", "--out", str(folder))
    assert not (folder / "journal.jsonl").exists()
    assert all("of an earlier run" not in each.read_text() for each in folder.iterdir() if each.is_file())


def test_a_program_that_runs_its_loop_again_and_again_has_a_result_for_each(serve: Serve) -> None:
    served = serve("import agent; agent.answer('One?'); agent.answer('Two?')")
    assert [line for line in served.out if line.startswith("automatic")] == [
        "automatic.openai-chat.1: 2 requests (200, 200)",
        "automatic.openai-chat.2: 2 requests (200, 200)",
    ]
    assert served.code == 0


def test_a_scenario_says_what_the_model_answers_on_all_of_its_wires(serve: Serve) -> None:
    served = serve("import agent; print(agent.answer('Is it cold?'), flush=True)", str(SCENARIO))
    assert served.out[1:] == [
        "tool-returns.openai-chat.1: 2 requests (200, 200)",
        "note: expectations of the scenario that 'harness serve' does not check: outcome, events, sent",
        "0 findings",
    ]
    assert served.code == 0


def test_no_request_is_a_finding_that_says_what_to_do(serve: Serve) -> None:
    served = serve("pass")
    assert (served.code, served.out[0], served.out[2:6]) == (
        1,
        "automatic: 0 requests",
        [
            "1. target/request  A target sends at least one request to the endpoint",
            "   MUST, unexpected output or end, 1 case",
            "   expected  a model request to the endpoint",
            "   got       no request",
        ],
    )
    assert (
        "OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL or AWS_ENDPOINT_URL_BEDROCK_RUNTIME"
        in served.out[6]
    )
    assert served.out[-2] == "1 cause, 1 finding"


def test_a_failure_of_the_command_is_never_a_success(serve: Serve) -> None:
    served = serve("import agent, sys; agent.answer('Is it cold?'); sys.exit(3)")
    assert served.code == 1
    assert "1. target/exit  The command of 'harness serve' ends with exit code 0" in served.out
    assert "   got       it ended with exit code 3" in served.out


def test_no_key_and_no_endpoint_of_the_user_reaches_the_program(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "real")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "1")
    monkeypatch.setenv("NO_PROXY", "intranet")
    names = ["OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GOOGLE_GENAI_USE_VERTEXAI", "NO_PROXY", "GEMINI_API_KEY"]
    served = serve(f"import os; print([os.environ.get(name) for name in {names}], flush=True)")
    assert served.out[0] == str(["harness", "harness", None, "intranet,127.0.0.1,localhost,::1", "harness"])


def test_idle_ends_a_program_that_goes_on(serve: Serve) -> None:
    program = (
        "import agent, threading; agent.answer('Is it cold?'); print('asked', flush=True); threading.Event().wait()"
    )
    served = serve(program, "--idle", "0.2")
    assert served.out == ["asked", "automatic.openai-chat.1: 2 requests (200, 200)", NOT_TRIED, "0 findings"]
    assert served.err[-1] == "harness serve: ending the command: there was no request for 0.2 s (--idle)"
    assert served.code == 0


def test_after_the_last_request_the_program_may_end_by_itself(serve: Serve) -> None:
    served = serve("import agent; print(agent.answer('Is it cold?'), flush=True)", "--requests", "2")
    assert re.fullmatch(ANSWER, served.out[0])
    assert served.code == 0


@from_table(__file__, "test_what_cannot_be_served_is_bad_input")
def test_what_cannot_be_served_is_bad_input(
    arguments: list[str], message: str, harness: Callable[..., Printed]
) -> None:
    printed = harness("serve", *(each.replace("SCENARIOS", str(SCENARIO.parent)) for each in arguments))
    assert (printed.code, printed.out) == (2, "")
    assert message in printed.err


STARTS_ANOTHER = """\
import agent, subprocess, sys, threading
subprocess.Popen([sys.executable, "-c", "import threading; threading.Event().wait()"], start_new_session=True)
agent.answer("Is it cold?")
print("ready", flush=True)
threading.Event().wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what left its group is found on Linux only")
@pytest.mark.parametrize("number", ENDING, ids=["ctrl-c", "sigterm", "sighup"])
def test_a_signal_ends_the_program_and_what_it_started_and_then_there_is_a_report(
    tmp_path: Path, number: signal.Signals
) -> None:
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    with start_harness("serve", "--", sys.executable, "-c", STARTS_ANOTHER, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        # The end of its output: whatever has inherited it, which all that was started has, is gone.
        out, err = process.communicate(timeout=TIMEOUT)
    assert out.splitlines() == ["automatic.openai-chat.1: 2 requests (200, 200)", NOT_TRIED, "0 findings"]
    assert err.splitlines()[-1] == "harness serve: ending the command: interrupted"
    assert process.returncode == 0


def test_an_answer_that_is_printed_twice_is_a_note(serve: Serve) -> None:
    served = serve("import agent; a = agent.answer('Is it cold?'); print(a); print('so:', a, flush=True)")
    (note,) = [line for line in served.out if "has printed" in line]
    assert re.fullmatch(r"note: the program has printed the answer \[[0-9a-f]{8}\] 2 times", note)
    assert served.code == 0


def test_a_loop_that_loses_the_calls_of_the_model_is_found(serve: Serve) -> None:
    served = serve("import agent; print(agent.ask([{'role': 'user', 'content': 'hi'}])['content'], flush=True)")
    assert any(line.startswith("1. final/unfinished  ") for line in served.out)
    assert served.code == 1


def test_a_program_that_fails_after_calls_is_a_program_that_fails(serve: Serve) -> None:
    served = serve("import agent, sys; agent.ask([{'role': 'user', 'content': 'hi'}]); sys.exit('no tools here')")
    assert [line for line in served.out if line.startswith("1. target/exit  ")]
    assert "final/unfinished" not in "\n".join(served.out)


def test_requests_with_the_same_examples_are_independent(serve: Serve) -> None:
    served = serve(
        "import agent\n"
        "shots = [{'role': 'user', 'content': 'Example'}, {'role': 'assistant', 'content': 'A'}]\n"
        "agent.TOOLS = None\n"
        "for text in ('doc one', 'doc two'): agent.ask([*shots, {'role': 'user', 'content': text}])"
    )
    assert served.out[-1] == "0 findings"
    assert served.code == 0


@pytest.mark.parametrize("code", [0, 3])
def test_a_program_without_tools_is_one_that_this_model_cannot_drive(serve: Serve, code: int) -> None:
    served = serve(
        f"import agent, sys; agent.TOOLS = None; agent.ask([{{'role': 'user', 'content': 'Act.'}}]); sys.exit({code})"
    )
    words = "no request offered tools, so the automatic model called none"
    assert any(line.startswith(f"note: {words}") for line in served.out)
    assert any("evidence" in line and words in line for line in served.out) is bool(code)
    assert (
        [line for line in served.out if line.startswith("1. target/exit  ")] if code else served.out[-1] == "0 findings"
    )


@pytest.mark.parametrize(("second", "found"), [("hi", False), ("ho", True)], ids=["the-same", "another"])
def test_a_request_that_is_sent_twice_need_be_answered_once(serve: Serve, second: str, found: bool) -> None:
    served = serve(
        "import agent\n"
        f"left = agent.ask([{{'role': 'user', 'content': {second!r}}}])\n"
        "history = [{'role': 'user', 'content': 'hi'}]\n"
        "message = agent.ask(history)\n"
        "agent.ask([*history, message] + [{'role': 'tool', 'tool_call_id': call['id'], 'content': 'sunny'}\n"
        "                                 for call in message['tool_calls']])"
    )
    assert any(line.startswith("1. final/unfinished") for line in served.out) is found
