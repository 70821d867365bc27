"""``harness lint-trace --to-scenario``: what broke in production is run again, by a right loop and by a wrong one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.case_tables import from_table
from tests.commands import Printed
from tests.spans.spans import FILES, asked, document, request, response, span, written

PLAYED = ("--source", "cassette", "--cassettes", "played", "--match", "place", "--wire", "openai-chat", "--jobs", 1)

Command = Callable[..., tuple[int, list[str], list[str]]]
SECRET = "sk-ant-api03-" + "q7" * 40


@pytest.fixture
def harness(harness: Callable[..., Printed], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command in a folder of its own; its exit code, and the lines of both outputs."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: harness(*arguments).lines


@from_table(__file__, "test_what_broke_can_be_run_again")
def test_what_broke_can_be_run_again(name: str, harness: Command) -> None:
    code, _, err = harness(
        "lint-trace", FILES / "plain" / f"{name}.forgot.jsonl", "--answered", "--to-scenario", "made"
    )
    assert code == 1
    [path] = Path("made").glob("*.yaml")
    assert err == [f"wrote {path}"]
    assert harness("lint-scenario", path)[0] == 0
    run = ("run", path, "--wire", "anthropic-messages", "--jobs", 1)
    assert harness(*run, "--out", "right")[0] == 0
    code, out, _ = harness(*run, "--out", "wrong", "--target", "mutant:result-dropped", "--baseline", "none")
    assert code == 1
    assert any("ANT-01" in line for line in out)


def test_what_is_right_makes_no_scenario(harness: Command) -> None:
    path = FILES / "plain" / "openinference-anthropic.messages.none.jsonl"
    assert harness("lint-trace", path, "--to-scenario", "made") == (0, harness("lint-trace", path)[1], [])
    assert not Path("made").exists()


def test_no_secret_is_in_a_scenario(harness: Command) -> None:
    call: Any = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"key": SECRET}}
    user = {"role": "user", "content": f"my key is {SECRET}"}
    spans = (
        asked(1, request(user), response(call)),
        asked(2, request(user, {"role": "assistant", "content": [call]}, user)),
    )
    written(Path("f.jsonl"), document(*spans))
    assert harness("lint-trace", "f.jsonl", "--to-scenario", "made")[0] == 1
    text = Path("made/f-1.yaml").read_text(encoding="utf-8")
    assert "q7q7" not in text
    assert harness("lint-scenario", "made")[0] == 0


def test_a_conversation_without_answers_makes_none(harness: Command) -> None:
    messages = [
        {"role": "user", "parts": [{"type": "text", "content": "hi"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "a", "name": "f", "arguments": {}}]},
        {"role": "user", "parts": [{"type": "text", "content": "and?"}]},
    ]
    part = span(1, gen_ai__operation__name="chat", gen_ai__input__messages=json.dumps(messages))
    written(Path("f.jsonl"), document(part, scope="opentelemetry.instrumentation.openai"))
    code, _, err = harness("lint-trace", "f.jsonl", "--to-scenario", "made")
    assert (code, err) == (1, ["warning: f-1: the model's answers are not recorded, so that no scenario can be made"])


def test_a_call_that_is_no_json_is_said_as_it_was(harness: Command) -> None:
    answer = json.loads((Path(__file__).parent / "data" / "to_scenario_answer.json").read_text(encoding="utf-8"))
    user = {"role": "user", "content": "hi"}
    tool = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}
    first = asked(1, json.dumps({"model": "gpt-4.1", "messages": [user], "tools": [tool]}), json.dumps(answer))
    called = answer["choices"][0]["message"]
    second = asked(2, json.dumps({"model": "gpt-4.1", "messages": [user, called, user], "tools": [tool]}))
    written(Path("f.jsonl"), document(first, second, scope="openinference.instrumentation.openai"))
    assert harness("lint-trace", "f.jsonl", "--to-scenario", "made")[0] == 1
    assert "invalid: true" in Path("made/f-1.yaml").read_text(encoding="utf-8")
    assert harness("lint-scenario", "made")[0] == 0


# --- the answers, too -------------------------------------------------------------------------------------------


def chat_spans(*, stream: bool) -> dict[str, Any]:
    """A loop on Chat that does not send the result of a call."""
    called = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "call_own", "type": "function", "function": {"name": "f", "arguments": '{"city": "Oslo"}'}},
        ],
    }
    choice = {"index": 0, "finish_reason": "tool_calls", "message": called}
    answer = {"id": "chatcmpl-own", "object": "chat.completion", "model": "gpt-4.1", "choices": [choice]}
    user = {"role": "user", "content": f"Oslo, please. My key is {SECRET}"}
    tool = {
        "type": "function",
        "function": {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}},
    }
    body = {"model": "gpt-4.1", "tools": [tool], "stream": stream}
    first = asked(1, json.dumps({**body, "messages": [user]}), json.dumps(answer))
    second = asked(2, json.dumps({**body, "messages": [user, called, {"role": "user", "content": "And?"}]}))
    return document(first, second, scope="openinference.instrumentation.openai")


def test_the_answers_of_a_loop_that_streams_are_streams_with_their_ids(harness: Command) -> None:
    written(Path("f.jsonl"), chat_spans(stream=True))
    code, _, err = harness("lint-trace", "f.jsonl", "--to-scenario", "made", "--to-cassettes", "played")
    assert (code, err) == (1, ["wrote made/f-1.yaml", "wrote played/openai-chat/f-1.yaml"])
    text = Path("played/openai-chat/f-1.yaml").read_text(encoding="utf-8")
    assert "call_own" in text
    assert "q7q7" not in text
    assert harness("run", "made", *PLAYED, "--out", "right")[0] == 0
    assert "call_own" in next(Path("right/traces").glob("*.jsonl")).read_text(encoding="utf-8")
    wrong = ("--out", "wrong", "--target", "mutant:result-dropped", "--baseline", "none")
    code, out, _ = harness("run", "made", *PLAYED, *wrong)
    assert code == 1
    assert any("OAC-03" in line for line in out)


def test_those_of_one_that_does_not_are_the_documents(harness: Command) -> None:
    written(Path("f.jsonl"), chat_spans(stream=False))
    harness("lint-trace", "f.jsonl", "--to-scenario", "made", "--to-cassettes", "played")
    text = Path("played/openai-chat/f-1.yaml").read_text(encoding="utf-8")
    assert '"id": "chatcmpl-own"' in text
    assert "text/event-stream" not in text


def test_what_is_recorded_in_part_makes_a_scenario_and_no_cassette(harness: Command) -> None:
    path = FILES / "plain" / "langfuse.langchain.forgot.jsonl"
    code, _, err = harness("lint-trace", path, "--answered", "--to-scenario", "made", "--to-cassettes", "played")
    name = "langfuse-langchain-forgot-1"
    assert (code, err) == (
        1,
        [f"wrote made/{name}.yaml", f"warning: {name}: no cassette: its requests are not recorded whole"],
    )


def test_cassettes_are_those_of_scenarios(harness: Command) -> None:
    written(Path("f.jsonl"), chat_spans(stream=False))
    code, _, err = harness("lint-trace", "f.jsonl", "--to-cassettes", "played")
    assert (code, err) == (2, ["error: --to-cassettes needs --to-scenario: a cassette has the answers to a scenario"])
