"""``harness serve`` as a person uses it: another process asks, Ctrl-C ends it, and it tells what it saw."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx2
import pytest

from harness.scenario import shipped
from tests.case_tables import from_table
from tests.commands import run_harness, start_harness
from tests.sdks import anthropic

SCENARIO = shipped() / "universal" / "tool-returns.yaml"


@dataclass
class Served:
    process: subprocess.Popen[str]
    exports: dict[str, str]
    told: str = ""
    code: int = -1


@contextmanager
def serving(*options: str) -> Iterator[Served]:
    words = ("serve", SCENARIO, "--wire", "anthropic-messages", *options)
    process = start_harness(*words, stderr=subprocess.STDOUT)
    try:
        assert process.stdout is not None
        served = Served(process, {})
        for line in process.stdout:
            if line.strip().startswith("export "):
                name, _, value = line.strip().removeprefix("export ").partition("=")
                served.exports[name] = value
            if line.startswith("serving"):
                break
        yield served
        process.send_signal(signal.SIGINT)
        served.told, _ = process.communicate(timeout=30)
        served.code = process.returncode
    finally:
        process.kill()
        process.wait()


def client(served: Served) -> anthropic.Anthropic:
    return anthropic.Anthropic(
        base_url=served.exports["ANTHROPIC_BASE_URL"],
        api_key=served.exports["ANTHROPIC_API_KEY"],
        max_retries=0,
        http_client=httpx2.Client(trust_env=False),
    )


QUESTION = {"role": "user", "content": "What is the weather?"}


TOOL = {"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}


def ask(sdk: anthropic.Anthropic, *messages: object, tools: bool = True) -> anthropic.types.Message:
    offered = {"tools": [TOOL]} if tools else {}
    history = [QUESTION, *messages]
    return sdk.messages.create(model="claude-sonnet-4-6", max_tokens=100, messages=history, **offered)  # type: ignore[arg-type]


def test_what_is_not_served_is_told_at_the_end() -> None:
    with serving() as served:
        base = served.exports["ANTHROPIC_BASE_URL"]
        with httpx2.Client(trust_env=False) as http:
            statuses = [http.get(f"{base}{path}").status_code for path in ("/v1/files", "/v1/files", "/v1/models")]
            assert statuses == [404, 404, 200]
            assert http.get(f"{base.partition('/case/')[0]}/v1/models").status_code == 404
    lines = served.told.split("\n")[1:-1]
    assert lines[:3] == [
        "not served: GET /v1/files x2",
        "not served: GET /v1/models x1",
        "tool-returns.anthropic-messages: 0 requests",
    ]
    # Nothing was asked of the model: that is no success.
    assert (served.code, lines[-2]) == (1, "1 cause, 1 finding")
    assert "target/request" in served.told


def test_a_loop_that_continues_well_is_told_of_no_finding_and_may_run_again() -> None:
    with serving() as served, client(served) as sdk:
        for _ in range(2):
            turn = ask(sdk)
            (call,) = [block for block in turn.content if block.type == "tool_use"]
            answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "clear"}]}
            final = ask(sdk, {"role": "assistant", "content": turn.content}, answer)
            assert final.stop_reason == "end_turn"
    assert served.code == 0
    assert "tool-returns.anthropic-messages.1: 2 requests (200, 200)" in served.told
    assert "tool-returns.anthropic-messages.2: 2 requests (200, 200)" in served.told
    assert served.told.splitlines()[-1] == "0 findings"


def test_a_title_beside_the_run_is_listed_and_judged_by_itself() -> None:
    with serving() as served, client(served) as sdk:
        title = ask(sdk, tools=False)
        assert [block.type for block in title.content] == ["text"]
        turn = ask(sdk)
        assert [block.type for block in turn.content] == ["text", "tool_use"]
    assert served.told.splitlines()[1:4] == [
        "tool-returns.anthropic-messages.1: 2 requests (200, 200)",
        "  side 1: 1 request: What is the weather?",
        "  main: 1 request: What is the weather?",
    ]


def test_a_loop_that_offers_no_tools_is_told_that_its_run_was_not_recognised() -> None:
    with serving() as served, client(served) as sdk:
        ask(sdk, tools=False)
    assert served.code == 1
    assert "no request offered the tools of the scenario (get_weather)" in served.told


def test_a_wrong_continuation_is_refused_and_told() -> None:
    with serving() as served, client(served) as sdk:
        turn = ask(sdk)
        with pytest.raises(anthropic.BadRequestError, match="`tool_use` ids were found without `tool_result` blocks"):
            ask(sdk, {"role": "assistant", "content": turn.content}, {"role": "user", "content": "And?"})
    assert served.code == 1
    assert "2 requests (200, 400)" in served.told
    assert "1. ANT-01, history/results  " in served.told
    assert "   MUST, refused by the provider, 1 case" in served.told


def test_a_server_that_is_not_known_to_check_it_answers_a_wrong_continuation() -> None:
    with serving("--as-server", "litellm") as served, client(served) as sdk:
        turn = ask(sdk)
        assert ask(sdk, {"role": "assistant", "content": turn.content}, {"role": "user", "content": "And?"}).content
    assert "2 requests (200, 200)" in served.told
    assert "ANT-01" in served.told


def test_lenient_answers_a_wrong_continuation_but_tells_it() -> None:
    with serving("--refuse", "nothing") as served, client(served) as sdk:
        turn = ask(sdk)
        assert ask(sdk, {"role": "assistant", "content": turn.content}, {"role": "user", "content": "And?"}).content
    assert served.code == 1
    assert "ANT-01" in served.told


def test_a_taken_port_is_bad_input() -> None:
    with serving() as served:
        port = served.exports["ANTHROPIC_BASE_URL"].partition("/case")[0].rpartition(":")[2]
        second = run_harness("serve", SCENARIO, "--port", port)
    assert second.returncode == 2
    assert second.stderr.splitlines()[1].startswith(f"error: cannot listen on 127.0.0.1:{port}")


def test_a_model_is_served_in_a_dialect() -> None:
    with serving("--dialect", "two-message-starts") as served:
        base = served.exports["ANTHROPIC_BASE_URL"]
        body = {"model": "claude-sonnet-4-6", "max_tokens": 9, "messages": [QUESTION], "tools": [TOOL], "stream": True}
        with httpx2.Client(trust_env=False) as http:
            said = http.post(f"{base}/v1/messages", json=body, headers={"anthropic-version": "2023-06-01"}).text
    assert said.count("event: message_start") == 2
    assert "message_stop" in said


@from_table(__file__, "test_a_dialect_that_cannot_be_served_is_bad_input")
def test_a_dialect_that_cannot_be_served_is_bad_input(options: tuple[str, ...], said: str) -> None:
    done = run_harness("serve", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
