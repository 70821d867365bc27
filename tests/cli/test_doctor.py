"""``harness doctor``, and what ``harness run`` makes of drivers that are wrong: as commands, with their exit codes."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.doctor import probing
from harness.runner.executor import InProcess
from harness.scenario import shipped
from harness.targets.shipped import SHIPPED, Shipped
from harness.wire import NATIVE_WIRES
from tests.commands import Printed

DRIVERS = "tests.doctor.drivers"
RETURNS = str(shipped() / "universal" / "tool-returns.yaml")
CUT = str(shipped() / "universal" / "connection-cut.yaml")


@pytest.fixture
def run(harness, tmp_path: Path):
    """``harness run`` of the event-by-event cases of a scenario; the results beside what was printed."""

    def run(target: str, *words: str) -> tuple[Printed, dict[str, Any]]:
        out = tmp_path / "out"
        ran = harness("run", "--target", target, "--out", str(out), *(words or (RETURNS,)))
        results = out / "results.json"
        return ran, json.loads(results.read_text(encoding="utf-8")) if results.is_file() else {}

    return run


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop runs in this process, which saves the start of two others; it is asked over loopback all the same."""
    monkeypatch.setattr(probing, "Processes", InProcess)
    monkeypatch.setattr("harness.cli.drive.Processes", InProcess)


def verdicts(results: dict[str, Any]) -> dict[str, str]:
    return {case["wire"]: case["verdict"] for case in results["cases"]}


# --- a driver that is right ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("here")
def test_of_a_driver_that_is_right_nothing_is_said_but_which_wires_are_left_out(run) -> None:
    ran, results = run(f"{DRIVERS}:Driver", RETURNS, "-k", "event")
    assert ran.code == 0
    assert results["driver"] == []
    assert "your adapter" not in ran.out
    others = ", ".join(wire for wire in NATIVE_WIRES if wire != "openai-chat")
    assert ran.out.startswith(f"left out: {others}: the loop asks openai-chat (POST /v1/chat/completions)\ndriving ")
    assert verdicts(results) == {**dict.fromkeys(NATIVE_WIRES, "skip"), "openai-chat": "pass"}
    skipped = next(case for case in results["cases"] if case["wire"] == "anthropic-messages")
    assert skipped["reason"] == (
        "anthropic-messages is left out: the loop asks openai-chat (POST /v1/chat/completions)"
    )


@pytest.mark.usefixtures("here")
def test_a_wire_that_was_asked_for_and_is_not_spoken_fails(run) -> None:
    ran, results = run(f"{DRIVERS}:Driver", RETURNS, "-k", "event", "--wire", "gemini-generate")
    assert ran.code == 1
    (case,) = results["cases"]
    assert [each["rule"] for each in case["findings"]] == ["target/wire"]
    assert case["findings"][0]["expected"] == "requests on gemini-generate"
    assert [each["rule"] for each in results["driver"]] == ["driver/wire"]


@pytest.mark.usefixtures("here")
def test_a_selection_of_wires_that_are_not_spoken_is_no_pass(run) -> None:
    ran, results = run(f"{DRIVERS}:Driver", RETURNS, "-k", "event and gemini")
    assert (ran.code, results) == (2, {})
    assert ran.err.startswith("error: no case is left: the loop asks openai-chat (POST /v1/chat/completions)")


def test_doctor_names_every_check_of_a_driver_that_is_right(harness) -> None:
    ran = harness("doctor", f"{DRIVERS}:Driver")
    assert ran.code == 0
    assert "  ok  driver/text-id " in ran.out
    assert ran.out.endswith("no problems\n")
    assert "expected" not in ran.out


# --- drivers that are wrong ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("here")
def test_rules_that_depend_on_what_is_wrong_are_not_judged_and_the_run_fails_for_the_driver(run) -> None:
    target = f"{DRIVERS}:IdForEveryPiece"
    ran, results = run(target, RETURNS, "--wire", "openai-chat", "-k", "event")
    assert ran.code == 1
    assert verdicts(results) == {"openai-chat": "pass"}
    (finding,) = results["driver"]
    assert finding["rule"] == "driver/text-id"
    assert finding["excluded"] == ["stream/one-id", "stream/fresh-id", "expect/events"]
    assert f"your adapter function ({finding['place']}): driver/text-id" in ran.out
    assert ran.out.count("your adapter function (") == 1
    assert "not checked because of this  stream/one-id, stream/fresh-id, expect/events" in ran.out
    assert ran.out.endswith("1 passed, 0 failed, 1 problem of your adapter\n")


@pytest.mark.usefixtures("here")
def test_what_does_not_depend_on_it_is_judged(run, tmp_path: Path) -> None:
    """Two ends are the driver's; the turn limit that it does not keep is found all the same."""
    (tmp_path / "loop.yaml").write_text(
        f"target: loop\npython: {DRIVERS}:TwoEndsAndNoLimit\ndirectory: {Path.cwd()}\n"
        "wires: [openai-chat]\ncapabilities: [streaming, non-streaming, thinking, parallel, limit]\n",
        encoding="utf-8",
    )
    limit = str(shipped() / "universal" / "turn-limit.yaml")
    ran, results = run(str(tmp_path / "loop.yaml"), limit, "-k", "event")
    assert ran.code == 1
    assert [each["rule"] for each in results["driver"]] == ["driver/events"]
    (case,) = results["cases"]
    rules = {each["rule"] for each in case["findings"]}
    assert "guardrail/turn-limit" in rules
    assert rules.isdisjoint({"order/one-end", "expect/events"})


@pytest.mark.usefixtures("here")
def test_a_loop_that_never_streams_is_judged_as_what_it_is(run) -> None:
    ran, results = run(f"{DRIVERS}:NeverStreams", RETURNS, CUT, "--wire", "openai-chat", "-k", "event")
    assert ran.code == 0
    by_scenario = {case["scenario"]: case for case in results["cases"]}
    assert by_scenario["tool-returns"]["verdict"] == "pass"
    assert by_scenario["connection-cut"]["verdict"] == "skip"
    assert "found by calibration: driver/stream" in by_scenario["connection-cut"]["reason"]
    assert [(each["rule"], each["level"]) for each in results["driver"]] == [("driver/stream", "INFO")]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (f"{DRIVERS}:UnknownKind", "unknown kind of 'error': 'error'; the kinds are http, stream, turn-limit"),
        (f"{DRIVERS}:Drivr", f"doctor/drivers.py defines no 'Drivr'; did you mean {DRIVERS}:Driver?"),
        ("tests.targets.imports_nothing:run", "ModuleNotFoundError: No module named 'no_such_package' ("),
        ("tests.nothing_here:run", "ModuleNotFoundError: No module named 'tests.nothing_here'"),
    ],
)
def test_a_driver_that_cannot_be_driven_is_one_message_and_exit_code_2(target: str, said: str, run, harness) -> None:
    ran, results = run(target, RETURNS, "-k", "event")
    assert (ran.code, results) == (2, {})
    assert ran.err.startswith("error: ")
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert harness("doctor", target).code == (1 if "Unknown" in target else 2)


def test_a_probe_that_hangs_is_one_message_and_exit_code_2(run) -> None:
    ran, _ = run(f"{DRIVERS}:Hangs", RETURNS, "--timeout", "0.3")
    assert ran.code == 2
    assert ran.err.startswith("error: your adapter (")
    assert "the probe calibration-answer.openai-responses.event did not end within 0.3 s" in ran.err


def test_a_program_that_cannot_start_is_one_message_and_no_case_is_run(run) -> None:
    ran, results = run("cmd:python -c 'import no_such_package'", RETURNS)
    assert (ran.code, results) == (2, {})
    assert "no request; the loop ended with exit code 1" in ran.err
    assert "No module named 'no_such_package'" in ran.err


def test_the_deadline_of_a_case_is_an_option_and_part_of_what_repeats_it(run) -> None:
    ran, results = run(
        f"{DRIVERS}:HangsAfterCalibration", RETURNS, "--wire", "openai-chat", "-k", "event", "--timeout", "2"
    )
    assert ran.code == 1
    assert "Traceback" not in ran.out
    (case,) = results["cases"]
    (hung,) = [each for each in case["findings"] if each["rule"] == "target/end"]
    assert hung["detail"].startswith("The case did not end within 2 s.")
    assert hung["got"] == "it did not end; it has sent no request"
    assert case["repeat"].endswith("--timeout 2")


@pytest.mark.parametrize("value", ["0", "-1", "soon", "nan", "inf"])
def test_a_deadline_that_is_none_is_refused(value: str, harness) -> None:
    ran = harness("run", "--timeout", value)
    assert ran.code == 2
    assert "expected a number of seconds above 0" in ran.err


# --- programs -----------------------------------------------------------------------------------------------

PROGRAM = """\
import json, sys, urllib.error, urllib.request
case = json.loads(sys.stdin.readline())
tools = [{"type": "function", "function": {key: tool[key] for key in ("name", "parameters")}} for tool in case["tools"]]
prompt = [{"role": each["role"], "content": each["text"]} for each in case["prompt"]]
body = {"model": case["model"], "messages": prompt}
while True:
    asked = json.dumps({**body, **({"tools": tools} if tools else {})}).encode()
    head = {"content-type": "application/json", "authorization": "Bearer x"}
    request = urllib.request.Request(case["base_url"] + "/v1/chat/completions", asked, head)
    try:
        message = json.load(urllib.request.urlopen(request))["choices"][0]["message"]
    except urllib.error.HTTPError as error:
        print(json.dumps({"event": "error", "kind": KIND, "message": str(error)}))
        break
    body["messages"].append(message)
    if not message.get("tool_calls"):
        print(json.dumps({"event": "final", "code": "", "text": message["content"]}))
        break
    for call in message["tool_calls"]:
        tool = next(tool for tool in case["tools"] if tool["name"] == call["function"]["name"])
        body["messages"].append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(tool["returns"])})
"""


def program(folder: Path, kind: str, declared: str = "capabilities: [non-streaming, parallel]\n") -> str:
    """The target file of a program that asks for whole documents on Chat."""
    script = folder / "loop.py"
    script.write_text(f"KIND = {kind!r}\n{PROGRAM}", encoding="utf-8")
    command = shlex.join([sys.executable, "-IS", str(script)])
    (folder / "loop.yaml").write_text(f"target: loop\ncommand: {command}\n{declared}", encoding="utf-8")
    return str(folder / "loop.yaml")


def test_a_program_is_tested_on_the_first_wire_that_it_speaks(harness, tmp_path: Path) -> None:
    ran = harness("doctor", program(tmp_path, "http"))
    assert ran.code == 0, ran.out
    assert "left out: openai-responses, anthropic-messages, gemini-generate: the loop asks openai-chat" in ran.out
    assert "  ok  driver/results " in ran.out


def test_what_a_program_prints_that_is_no_event_is_shown_with_the_kinds_that_there_are(harness, tmp_path: Path) -> None:
    ran = harness("doctor", program(tmp_path, "oops"))
    assert ran.code == 1
    assert "driver/protocol" in ran.out
    assert "unknown kind of 'error': 'oops'; the kinds are http, stream, turn-limit" in ran.out
    assert '{"event": "error", "kind": "oops"' in ran.out
    assert "loop.py" in ran.out


def test_a_capability_that_is_declared_and_not_there_is_the_drivers_fault(harness, tmp_path: Path) -> None:
    ran = harness("doctor", program(tmp_path, "http", "capabilities: [streaming]\n"), "--wire", "openai-chat")
    assert ran.code == 1
    assert "driver/stream" in ran.out
    assert ran.out.endswith("1 problem\n")


@pytest.mark.usefixtures("here")
def test_a_wire_on_request_is_probed_only_where_it_is_named(harness) -> None:
    assert "bedrock-converse" not in harness("doctor", f"{DRIVERS}:Driver").out
    assert "bedrock-converse" in harness("doctor", f"{DRIVERS}:Driver", "--wire", "bedrock-converse").out


def test_a_wire_that_a_target_does_not_declare_is_bad_input(harness, tmp_path: Path) -> None:
    target = program(tmp_path, "http", "wires: [openai-chat]\n")
    ran = harness("doctor", target, "--wire", "gemini-generate")
    assert ran.code == 2
    assert f"--wire gemini-generate: {target} declares openai-chat" in ran.err


# --- the drivers that come along ----------------------------------------------------------------------------


def _installed(shipped: Shipped) -> bool:
    return None not in shipped.versions.values()


@pytest.mark.sampled(4)
@pytest.mark.usefixtures("here")  # the SDKs of some take seconds to import, and other tests have imported them
@pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")  # of google-genai
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # clients that stay open from run to run
@pytest.mark.parametrize("name", [name for name in SHIPPED if ":" not in name])
def test_the_drivers_that_come_along_have_no_problem(name: str, harness) -> None:
    if not _installed(SHIPPED[name]):
        pytest.skip(f"{name} is not installed")
    ran = harness("doctor", name)
    assert ran.code == 0, ran.out
    assert ran.out.endswith("no problems\n")
