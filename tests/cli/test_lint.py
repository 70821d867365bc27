"""``harness lint-request`` and ``harness lint-cassette`` as a person meets them."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from tests.case_tables import from_table
from tests.commands import Printed, start_harness

Command = Callable[..., tuple[int, list[str], list[str]]]

CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "r"}]}
USER = {"role": "user", "content": "a"}
UNANSWERED = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` "
    "block must have a corresponding `tool_result` block in the next message."
)


def body(*messages: Any, **beside: Any) -> dict[str, Any]:
    tools = [{"name": "f", "input_schema": {"type": "object"}}]
    return {"model": "claude-sonnet-4-6", "max_tokens": 9, "tools": tools, "messages": [*messages], **beside}


@pytest.fixture
def harness(harness: Callable[..., Printed]) -> Command:
    """Run a command; its exit code, and the lines of standard output and of standard error."""
    return lambda *arguments: harness(*arguments).lines


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], str]:
    """Write a file into the folder in which the command runs; its name."""
    monkeypatch.chdir(tmp_path)

    def write(content: Any, name: str = "body.json", indent: int | None = None) -> str:
        text = content if isinstance(content, str) else json.dumps(content, indent=indent)
        Path(name).write_text(text, encoding="utf-8")
        return name

    return write


# --- one request --------------------------------------------------------------------------------------------


@from_table(__file__, "test_what_is_said_of_a_file")
def test_what_is_said_of_a_file(
    words: list[str],
    content: Any,
    code: int,
    out: list[str],
    err: list[str],
    harness: Command,
    file: Callable[..., str],
) -> None:
    file(content, "FILE")
    assert harness(*words) == (code, out, err)


def test_a_broken_request_is_told_with_what_the_provider_would_answer(
    harness: Command, file: Callable[..., str]
) -> None:
    name = file(body(USER, CALL, USER), indent=1)
    code, out, _ = harness("lint-request", name)
    line = Path(name).read_text(encoding="utf-8").split("\n").index('   "role": "assistant",')
    assert code == 1
    assert out[0] == f"body.json:{line}: ANT-01  MUST, refused by the provider, at messages.1"
    assert out[1].startswith("  expected  ")
    assert out[2].startswith("  got       ")
    assert out[3] == f"  answer    HTTP 400: {UNANSWERED}"
    assert out[4:] == ["body.json: anthropic-messages, claude-sonnet-4-6: 1 finding (1 MUST)"]


def test_a_body_of_one_line_is_told_without_a_line(harness: Command, file: Callable[..., str]) -> None:
    _, out, _ = harness("lint-request", file(body(USER, CALL, USER)))
    assert out[0] == "body.json: ANT-01  MUST, refused by the provider, at messages.1"


def test_standard_input(harness: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.dumps({"contents": [{"role": "bot", "parts": [{"text": "a"}]}]}).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    code, out, _ = harness("lint-request", "-", "--model", "gemini-3-pro")
    assert (code, out[0], out[-1]) == (
        1,
        "stdin: GEM-03  MUST, refused by the provider, at contents[0]",
        "stdin: gemini-generate, gemini-3-pro: 1 finding (1 MUST)",
    )


def test_param_and_code_of_the_answer(harness: Command, file: Callable[..., str]) -> None:
    code, out, _ = harness("lint-request", file({"model": "gpt-4o", "messages": []}))
    assert code == 1
    assert out[3] == (
        "  answer    HTTP 400: Invalid 'messages': empty array. Expected an array with minimum length 1, but got an "
        "empty array instead. (param messages, code empty_array)"
    )


def test_what_is_pasted_cannot_drive_the_terminal(harness: Command, file: Callable[..., str]) -> None:
    code, out, _ = harness("lint-request", file(body({"role": "\x1b[31mred", "content": "a"}, model="claude-\x07")))
    assert code == 1
    assert all(text.isprintable() for text in out)
    assert any("\\x1b[31mred" in text for text in out)


def test_an_unknown_rule_or_wire_exits_2(harness: Command, file: Callable[..., str]) -> None:
    code, out, err = harness("lint-request", file(body(USER)), "--rule", "nonsense")
    assert (code, out) == (2, [])
    assert err[0].startswith("error: unknown rule 'nonsense'")
    code, _, err = harness("lint-request", file(body(USER)), "--wire", "smtp")
    assert code == 2


@pytest.mark.parametrize("command", ["lint-request", "lint-cassette"])
def test_only_some_findings(command: str, harness: Command, file: Callable[..., str]) -> None:
    """What no rule of the wire reports is left out; the other words are those of ``harness check``."""
    lost = {"interactions": [interaction(body(USER, CALL, USER), status=500)]}
    name = file(body(USER, CALL, USER)) if command == "lint-request" else file(lost, "c")
    assert harness(command, name, "--rule", "continuation/anthropic-messages")[0] == 1
    code, out, _ = harness(command, name, "--rule", "continuation/openai-chat")
    assert (code, out[-1].rpartition(": ")[2]) == (0, "no finding")
    assert harness(command, name, "--skip", "continuation")[0] == 0


@from_table(__file__, "test_a_file_without_a_request_exits_2")
def test_a_file_without_a_request_exits_2(
    content: str, problem: str, harness: Command, file: Callable[..., str]
) -> None:
    assert harness("lint-request", file(content)) == (2, [], [f"error: {problem}"])


def test_a_file_that_cannot_be_read_exits_2(harness: Command, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    assert harness("lint-request", gone) == (2, [], [f"error: {gone}: cannot be read: No such file or directory"])
    assert harness("lint-request", tmp_path) == (2, [], [f"error: {tmp_path}: cannot be read: Is a directory"])


@pytest.mark.parametrize("depth", [300, 980, 995, 2000, 100_000])
def test_deep_nesting_is_no_traceback(depth: int, harness: Command, file: Callable[..., str]) -> None:
    request = f'{{"model": "gpt-5", "input": {"[" * depth}{"]" * depth}}}'
    code, _, err = harness("lint-request", file(request))
    assert code in (0, 1, 2)
    assert code != 2 or err == ["error: body.json: is nested too deeply for a request"]
    recorded = interaction({}, uri="/v1/responses")
    recorded["request"]["body"] = request
    code, _, err = harness("lint-cassette", file({"interactions": [recorded]}, "c"))
    assert code in (0, 1) or err == ["error: c: contains a request that is nested too deeply"]


# --- cassettes ----------------------------------------------------------------------------------------------

ANSWER = {"type": "message", "id": "msg_1", "role": "assistant", "model": "m", "stop_reason": "end_turn", "content": []}


def interaction(request: Any, *, status: int = 200, response: Any = ANSWER, uri: str = "/v1/messages") -> Any:
    return {
        "request": {"method": "POST", "uri": f"https://a{uri}", "headers": {}, "body": json.dumps(request)},
        "response": {"status": {"code": status}, "headers": {}, "body": {"string": json.dumps(response)}},
    }


def cassette(*requests: Any) -> dict[str, Any]:
    return {"version": 1, "interactions": [interaction(request) for request in requests]}


def test_a_finding_is_told_with_its_interaction(harness: Command, file: Callable[..., str]) -> None:
    recording = cassette(body(USER))
    recording["interactions"].append(interaction(body(USER, CALL, USER), status=500, response={}))
    good, bad = file(cassette(body(USER)), "good.json"), file(recording, "bad.json", 1)
    code, out, _ = harness("lint-cassette", good, bad)
    lines = Path(bad).read_text(encoding="utf-8").split("\n")
    second = [number for number, line in enumerate(lines, 1) if line == "  {"][1]
    assert code == 1
    assert out[0] == "good.json: 1 request judged: no finding"
    assert out[1] == f"bad.json:{second}: interaction 2: ANT-01  MUST, refused by the provider, at messages.1"
    assert out[-1] == "bad.json: 2 requests judged: 1 finding (1 MUST)"


def test_a_recorded_answer_settles_it(harness: Command, file: Callable[..., str]) -> None:
    """A rule says that the request is refused, and it was answered: evidence against the rule, and no failure."""
    name = file(cassette(body(USER, CALL, USER)), "c")
    code, out, _ = harness("lint-cassette", name)
    assert (code, out) == (
        0,
        [
            "c:1: interaction 1: ANT-01  accepted by this server: HTTP 200, at messages.1",
            "  expected  the next message begins with the results of all calls",
            "  got       no result: toolu_1",
            "c: 1 request judged: no finding; accepted all the same, which is evidence against ANT-01",
        ],
    )
    code, out, _ = harness("lint-cassette", name, "--format", "json")
    (linted,) = json.loads("".join(out))["files"]
    assert (code, linted["findings"]) == (0, [])
    assert [(each["rule"], each["severity"], each["interaction"]) for each in linted["accepted"]] == [
        ("ANT-01", "MUST", 1)
    ]
    assert harness("lint-cassette", name, "--skip", "ANT-01")[1] == ["c: 1 request judged: no finding"]


@from_table(__file__, "test_only_the_models_answer_settles_it")
def test_only_the_models_answer_settles_it(
    status: int, response: Any, harness: Command, file: Callable[..., str]
) -> None:
    one = interaction(body(USER, CALL, USER), status=status, response=response)
    code, out, _ = harness("lint-cassette", file({"interactions": [one]}, "c"))
    assert code == 1
    assert out[0] == "c:1: interaction 1: ANT-01  MUST, refused by the provider, at messages.1"


CHAT_CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
UNPAIRED = {
    "model": "qwen3-8b",
    "messages": [USER, {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}, USER],
}


def test_a_rule_is_as_certain_as_the_server_makes_it(harness: Command, file: Callable[..., str]) -> None:
    name = file(UNPAIRED)
    assert harness("lint-request", name)[1][0].startswith("body.json: OAC-03  MUST, refused by the provider")
    code, out, _ = harness("lint-request", name, "--server", "groq")
    assert (code, out[0].partition(", at")[0]) == (1, "body.json: OAC-03  SHOULD, likely refused by the provider")
    assert out[4] == "  server    Groq is not known to check it"
    assert out[-1] == "body.json: openai-chat, qwen3-8b at groq: 1 finding (1 SHOULD)"
    code, out, _ = harness("lint-request", name, "--server", "ollama")
    assert (code, out) == (0, ["body.json: openai-chat, qwen3-8b at ollama: no finding"])
    _, out, _ = harness("lint-request", name, "--server", "ollama", "--info")
    assert out[4].startswith("  server    Ollama accepts it: messages are converted one by one")
    beside = file({"url": "http://localhost:11434/v1/chat/completions", "body": UNPAIRED}, "beside.json")
    assert harness("lint-request", beside)[:2] == (0, ["beside.json: openai-chat, qwen3-8b at ollama: no finding"])


@pytest.mark.parametrize("command", ["lint-request", "lint-cassette"])
def test_an_unknown_server_exits_2(command: str, harness: Command, file: Callable[..., str]) -> None:
    name = file(UNPAIRED) if command == "lint-request" else file(cassette(), "c")
    code, out, err = harness(command, name, "--server", "opnai")
    assert (code, out) == (2, [])
    assert err[0].startswith("error: no server is called 'opnai'; expected one of openai, anthropic, ")


def test_the_server_of_a_cassette_is_detected(harness: Command, file: Callable[..., str]) -> None:
    one = interaction(UNPAIRED, status=500, response={}, uri="/v1/chat/completions")
    groq = json.loads(json.dumps(one).replace("https://a/", "https://api.groq.com/openai/"))
    assert (
        harness("lint-cassette", file({"interactions": [one]}, "c"))[1][-1] == "c: 1 request judged: 1 finding (1 MUST)"
    )
    _, out, _ = harness("lint-cassette", file({"interactions": [groq]}, "c"))
    assert out[4:5] + out[-1:] == [
        "  server    Groq is not known to check it",
        "c: 1 request judged: 1 finding (1 SHOULD)",
    ]
    groq["response"]["headers"] = {"Mistral-Correlation-Id": ["x"]}
    code, out, _ = harness("lint-cassette", file({"interactions": [groq]}, "c"), "--format", "json")
    assert json.loads("".join(out))["files"][0]["servers"] == ["groq"]
    one["response"]["headers"] = {"Mistral-Correlation-Id": ["x"]}
    code, out, _ = harness("lint-cassette", file({"interactions": [one]}, "c"), "--format", "json")
    assert (code, json.loads("".join(out))["files"][0]["servers"]) == (1, ["mistral"])


def refused(message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}


@pytest.mark.parametrize(
    ("message", "told"),
    [(UNANSWERED, "  ANT-01 explains it, word for word"), ("Answer it!", "  ANT-01 explains it, in other words")],
)
def test_a_recorded_refusal_stands_beside_the_rule(
    message: str, told: str, harness: Command, file: Callable[..., str]
) -> None:
    recording = {"interactions": [interaction(body(USER, CALL, USER), status=400, response=refused(message))]}
    code, out, _ = harness("lint-cassette", file(recording, "c"))
    assert (code, out[4:6]) == (1, [f"c:1: interaction 1: HTTP 400 was recorded: {message}", told])


def test_a_refusal_for_what_a_model_cannot_do_says_so(harness: Command, file: Callable[..., str]) -> None:
    message = "registry.ollama.ai/library/gemma3:4b does not support tools"
    recording = {"interactions": [interaction(body(USER), status=400, response=refused(message))]}
    code, out, _ = harness("lint-cassette", file(recording, "c"))
    assert (code, out[1]) == (
        0,
        "  no rule explains it: the model or the server cannot do it; ask another model, or leave it out (tools)",
    )
    _, out, _ = harness("lint-cassette", "c", "--format", "json")
    (linted,) = json.loads("".join(out))["files"]
    refusal = {"line": 1, "interaction": 1, "status": 400, "message": message, "rule": None, "exact": False}
    assert linted["refusals"] == [{**refusal, "reason": "ability", "about": "tools"}]


def test_a_response_that_was_recorded_elsewhere(harness: Command, file: Callable[..., str]) -> None:
    request = {"model": "gpt-5", "input": "a", "previous_response_id": "resp_elsewhere"}
    answer = {"error": {"message": "Previous response with id 'resp_elsewhere' not found."}}
    lost = interaction(request, uri="/v1/responses", status=400, response=answer)
    _, out, _ = harness("lint-cassette", file({"interactions": [lost]}, "c"))
    assert out[1] == "  OAI-18 explains it, word for word"


def test_every_file_that_cannot_be_read_is_told(harness: Command, file: Callable[..., str]) -> None:
    code, out, err = harness("lint-cassette", file("", "a"), file(cassette(), "b"), file("[", "c"))
    assert (code, out) == (2, [])
    assert err == ["error: a: is empty; expected a cassette", "error: c:1:2: expected JSON: Expecting value"]


def test_recorded_loops(harness: Command, shared: Path) -> None:
    """The one shared file in which OpenAI refused a continuation, and its whole folder without another finding."""
    folder = shared / "corpus/openai/pydantic+pydantic-ai/tests/models/cassettes/test_openai_responses"
    code, out, _ = harness("lint-cassette", *sorted(folder.glob("*.yaml")))
    found = [line for line in out if "  MUST, refused by the provider, at " in line]
    assert code == 1
    assert len(out) > 40
    assert [line.partition("yaml:131: ")[2] for line in found if "OAI-14" in line] == [
        "interaction 2: OAI-14  MUST, refused by the provider, at input[1]"
    ]
    assert {line.split(": ")[2].split()[0] for line in found} == {"OAI-14", "OAI-22"}


# --- hostile surroundings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["lint-request", "lint-cassette"])
def test_the_name_of_a_file_cannot_drive_the_terminal(command: str, harness: Command) -> None:
    code, _, err = harness(command, "\x1b[31mgone")
    assert (code, err) == (2, ["error: \\x1b[31mgone: cannot be read: No such file or directory"])


@pytest.mark.parametrize("command", ["lint-request", "lint-cassette"])
def test_a_file_without_an_end_is_not_read_to_its_end(
    command: str, harness: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("harness.lint.json_file", "harness.cassette.document", "harness.cli.lint"):
        monkeypatch.setattr(f"{limit}.MOST_BYTES", 1 << 20)
    code, _, err = harness(command, "/dev/zero")
    what = "requests" if command == "lint-request" else "cassettes"
    assert (code, err) == (2, [f"error: /dev/zero: is too long; {what} of up to 1 MB are read"])


def test_closed_standard_input_exits_2(harness: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    code, _, err = harness("lint-request", "-")
    assert (code, err) == (2, ["error: stdin: is closed; expected the JSON body of a request"])


def test_a_terminal_of_another_encoding_gets_escapes(file: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", written)
    with pytest.raises(SystemExit) as left:
        main(["lint-request", file(body({"role": "ü", "content": "a"}))])
    written.flush()
    assert left.value.code == 1
    assert b"\\xfc" in written.buffer.getvalue()  # type: ignore[attr-defined]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.slow
def test_a_full_disk_is_told() -> None:
    with Path("/dev/full").open("w") as full, start_harness("explain", "ANT-15", stdout=full) as process:
        _, err = process.communicate(timeout=60)
    told = "error: standard output cannot be written: No space left on device; make room on the disk, then run again\n"
    assert (process.returncode, err) == (3, told)


@pytest.mark.slow
def test_many_findings_of_one_kind(harness: Command, file: Callable[..., str]) -> None:
    """Takes a minute where each is looked up in the whole history, or in the whole file."""
    call = {"type": "function_call", "call_id": "c", "name": "x y", "arguments": "{}"}
    name = file({"model": "gpt-5", "input": [call] * 5_000}, indent=1)
    code, out, _ = harness("lint-request", name, "--rule", "OAI-25")
    assert (code, out[-1].rpartition(": ")[2]) == (1, "5000 findings (5000 SHOULD)")
