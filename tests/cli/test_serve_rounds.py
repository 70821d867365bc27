"""``harness serve --rounds``: the command is played several times, and each round behaves in its own way."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.endpoint import BEHAVIOURS
from harness.scenario import shipped
from tests.case_tables import from_table
from tests.cli.serving import Serve, serving
from tests.commands import Printed

AGENT = """\
import json, os, sys
from urllib.request import ProxyHandler, Request, build_opener

OPENER = build_opener(ProxyHandler({}))
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    {"type": "function", "function": {"name": "get_weather", "parameters": CITY}},
    {"type": "function", "function": {"name": "get_time", "parameters": CITY}},
]

def ask(messages, **more):
    body = json.dumps({"model": "gpt-4.1", "messages": messages, "tools": TOOLS, **more}).encode()
    with OPENER.open(Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)) as answer:
        return json.load(answer)["choices"][0]["message"]

def result(call):
    if call["function"]["name"] not in ("get_weather", "get_time"):
        return "error: there is no such tool"
    return "sunny in " + json.loads(call["function"]["arguments"]).get("city", "no city: it is missing")

def answer(question="Is it cold?", run=result, text=lambda message: message["content"], **more):
    messages = [{"role": "user", "content": question}]
    while calls := (message := ask(messages, **more)).get("tool_calls"):
        messages.append(message)
        messages += [{"role": "tool", "tool_call_id": call["id"], "content": run(call)} for call in calls]
    return text(message)
"""
"""A right agent. Its parts can be replaced by wrong ones."""

RIGHT = "import agent; agent.answer()"
STOPS_AT_NO_TOOL = """\
import agent

def run(call):
    return {"get_weather": agent.result, "get_time": agent.result}[call["function"]["name"]](call)

agent.answer(run=run)
"""
WANTS_A_TEXT = "import agent; agent.answer(text=lambda message: message['content'].splitlines()[0])"


@pytest.fixture
def serve(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    yield from serving(AGENT, tmp_path, capfd, monkeypatch)


def test_each_round_says_what_it_plays_and_a_right_program_passes_all(serve: Serve) -> None:
    served = serve(RIGHT, "--rounds", str(len(BEHAVIOURS)))
    assert (served.code, served.out[-1]) == (0, "0 findings")
    assert served.starting("harness serve: round 2 of 8") == [
        "harness serve: round 2 of 8, reasoning: reasoning in each of several turns"
    ]
    assert len(served.starting("harness serve: round ")) == len(BEHAVIOURS)
    assert served.starting("automatic") == [
        "automatic.openai-chat.1: 2 requests (200, 200)",
        "automatic-reasoning.openai-chat.1: 3 requests (200, 200, 200)",
        "automatic-failing.openai-chat.1: 2 requests (200, 200)",
        "automatic-sequential.openai-chat.1: 4 requests (200, 200, 200, 200)",
        *(f"automatic-{name}.openai-chat.1: 2 requests (200, 200)" for name in ("long", "empty", "cut", "refusal")),
    ]


@pytest.mark.parametrize(("program", "round_"), [(STOPS_AT_NO_TOOL, "failing"), (WANTS_A_TEXT, "empty")])
def test_a_finding_of_a_round_has_its_name_and_is_repeated_by_it_alone(
    serve: Serve, tmp_path: Path, program: str, round_: str
) -> None:
    out = tmp_path / "out"
    served = serve(program, "--rounds", f"parallel,{round_},sequential", "--out", str(out))
    assert served.code == 1
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))["cases"]
    failed = {case["id"]: shlex.split(case["repeat"]) for case in results if case["verdict"] != "pass"}
    assert list(failed) == [f"automatic-{round_}.openai-chat.1"]
    (words,) = failed.values()
    assert words[: words.index("--")] == ["harness", "serve", "--rounds", round_]
    assert [case["id"].partition(".")[0] for case in results] == [
        "automatic", f"automatic-{round_}", "automatic-sequential"
    ]  # fmt: skip
    assert all((out / case["trace"]).is_file() for case in results)
    assert f"automatic-{round_}" in (out / "junit.xml").read_text(encoding="utf-8")
    again = serve(program, *words[2 : words.index("--")])
    assert again.starting("automatic") == served.starting(f"automatic-{round_}")
    assert again.code == 1


def test_the_first_round_is_what_serve_plays_today(serve: Serve) -> None:
    plain, one = serve(RIGHT), serve(RIGHT, "--rounds", "1")
    assert plain.out == one.out


def test_a_command_that_asks_for_nothing_is_not_played_again(serve: Serve) -> None:
    served = serve("print('hello')", "--rounds", "3")
    assert len(served.starting("harness serve: round ")) == 1
    assert served.starting("hello") == ["hello"]
    assert served.code == 1


def test_the_help_names_every_round(harness: Callable[..., Printed]) -> None:
    said = " ".join(harness("serve", "--help").out.split())
    assert ", ".join(each.name for each in BEHAVIOURS) in said


def test_a_loop_that_drops_reasoning_items_is_found_on_a_default_request(serve: Serve) -> None:
    served = serve(
        "import agent, json, os\n"
        "tool = {'type': 'function', 'name': 'get_weather', 'parameters': agent.CITY}\n"
        "asked = [{'role': 'user', 'content': 'Is it cold?'}]\n"
        "for turn in range(2):\n"
        "    body = json.dumps({'model': 'gpt-5.5', 'input': asked, 'tools': [tool]}).encode()\n"
        "    with agent.OPENER.open(agent.Request(os.environ['OPENAI_BASE_URL'] + '/responses', body)) as answer:\n"
        "        items = [item for item in json.load(answer)['output'] if item['type'] != 'reasoning']\n"
        "    calls = [item['call_id'] for item in items if item['type'] == 'function_call']\n"
        "    asked += [*items, *({'type': 'function_call_output', 'call_id': id, 'output': 'sunny'} for id in calls)]\n"
    )
    assert served.code == 1
    assert served.starting("1. OAI-15")


def test_each_round_reads_the_same_standard_input(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = tmp_path / "asked.txt"
    asked.write_text("Is it cold?\n", encoding="utf-8")
    with asked.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        kept = os.dup(0)
        os.dup2(file.fileno(), 0)
        try:
            served = serve("import agent, sys; print('read', input()); agent.answer()", "--rounds", "2")
        finally:
            os.dup2(kept, 0)
            os.close(kept)
    assert served.starting("read") == ["read Is it cold?"] * 2


@from_table(__file__, "test_rounds_that_cannot_be_played_are_bad_input")
def test_rounds_that_cannot_be_played_are_bad_input(serve: Serve, options: list[str], said: str) -> None:
    scenario = str(shipped() / "universal" / "tool-returns.yaml")
    served = serve(RIGHT, *(scenario if each == "SCENARIO" else each for each in options))
    assert (served.code, served.out) == (2, [])
    assert said in served.err[-1]


def test_rounds_without_a_command_are_bad_input(harness: Callable[..., Printed]) -> None:
    printed = harness("serve", "--rounds", "2")
    assert (printed.code, printed.out) == (2, "")
    assert "expected it behind --" in printed.err


# --- what was not tried -----------------------------------------------------------------------------------------------


@from_table(__file__, "test_what_was_not_tried_is_said_in_one_line")
def test_what_was_not_tried_is_said_in_one_line(serve: Serve, more: str, options: list[str], said: str) -> None:
    program = f"import agent; agent.ask = lambda m, f=agent.ask, **k: f(m, **{{**k, **dict({more})}}); agent.answer()"
    served = serve(program, *options)
    notes = served.starting("note: not tried")
    assert len(notes) == 1
    assert said in notes[0]
    assert ("reasoning (" in notes[0]) == ("reasoning" in said)
    assert ("parallel calls (" in notes[0]) == ("parallel calls (" in said)


def test_nothing_is_said_where_all_was_tried(serve: Serve) -> None:
    streamed = "agent.OPENER.open(agent.Request(url, json.dumps(body).encode())).read()"
    body = "{'model': 'gpt-4.1', 'messages': [{'role': 'user', 'content': 'Hi'}], 'tools': agent.TOOLS, **more}"
    program = (
        "import agent, json, os; agent.answer(model='deepseek-v4-flash'); "
        "more = {'stream': True, 'tool_choice': 'none'}; "
        f"url = os.environ['OPENAI_BASE_URL'] + '/chat/completions'; body = {body}; {streamed}"
    )
    served = serve(program)
    assert served.starting("note: not tried") == []
    assert served.starting("automatic") == [
        "automatic.openai-chat.1: 2 requests (200, 200)",
        "automatic.openai-chat.2: 1 request (200)",
    ]


def test_nothing_is_said_where_no_tools_are_offered(serve: Serve) -> None:
    served = serve("import agent; agent.TOOLS = []; agent.answer()")
    assert served.starting("note: not tried") == []
