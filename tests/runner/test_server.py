"""``--as-server``: the endpoint refuses what the server that it plays refuses, and judges as certainly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.rules.trace_view import TraceView
from harness.runner.plan import PlannedCase, at_server, case_of
from harness.trace import Case, Trace, dumps, loads
from harness.wire import IssuedState, route_of, wire
from harness.wire.servers import known_server
from tests.commands import run_harness
from tests.scenarios import shipped_scenarios

CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
UNPAIRED = {
    "model": "gpt-4.1",
    "messages": [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "user", "content": "b"},
    ],
}


def levels(case: Case) -> list[str]:
    """Of what the wire of a trace says of a request with an unanswered call."""
    view = TraceView(Trace(case, ()))
    route = route_of("POST", "/v1/chat/completions")
    assert route is not None
    conversation = view.wire.read(route, json.dumps(UNPAIRED).encode())
    return [each.level for each in view.wire.violations(conversation, IssuedState())]


def test_a_trace_is_judged_as_on_the_server_that_was_played() -> None:
    assert levels(Case("a", "a", "openai-chat")) == ["MUST"]
    assert levels(Case("a", "a", "openai-chat", server="ollama")) == ["INFO"]
    assert levels(Case("a", "a", "openai-chat", server="groq")) == ["SHOULD"]


def test_a_trace_names_a_server_only_where_one_is_played() -> None:
    usual, local = Trace(Case("a", "a", "openai-chat"), ()), Trace(Case("a", "a", "openai-chat", server="ollama"), ())
    assert '"server"' not in dumps(usual)
    assert (loads(dumps(usual)), loads(dumps(local))) == (usual, local)


def test_a_wire_is_the_same_object_for_the_same_server() -> None:
    at_ollama = wire("openai-chat", (), known_server("ollama"))
    assert at_ollama is wire("openai-chat", (), known_server("ollama"))
    assert at_ollama is not wire("openai-chat")
    assert wire("openai-chat", (), known_server("")) is wire("openai-chat", (), None)


def test_cases_at_a_server() -> None:
    (scenario,) = shipped_scenarios("universal/answer.yaml")
    planned = [PlannedCase(case_of(scenario, "openai-chat", "event", target="t"), scenario)]
    assert at_server("", planned) == planned
    assert [item.case.server for item in at_server("groq", planned)] == ["groq"]
    with pytest.raises(BadInput, match="no server is called 'gorq'"):
        at_server("gorq", planned)


def test_a_run_at_a_server_says_so_in_its_traces_and_in_what_repeats_a_case(tmp_path: Path) -> None:
    name = "answer.openai-chat.event"
    words = ("run", "--target", "wire-only", "--suite", "all", "-k", name, "--out", str(tmp_path / "out"))
    done = run_harness(*words, "--as-server", "groq")
    assert done.returncode == 0, done.stdout + done.stderr
    (trace,) = (tmp_path / "out").rglob(f"{name}.jsonl")
    assert json.loads(trace.read_text(encoding="utf-8").partition("\n")[0])["server"] == "groq"
    cases = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["cases"]
    assert cases
    assert all("--as-server groq" in case["repeat"] for case in cases)
    assert run_harness(*words, "--as-server", "gorq").returncode == 2
