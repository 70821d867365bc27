"""Calibration of drivers that are right, or wrong in one thing: over loopback HTTP, with the official SDK."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from harness.doctor import CHECKS, Calibration, calibrate, probing
from harness.doctor.checks import _BY_RULE
from harness.doctor.conversations import CAPABILITY_OF
from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.rules import RULES
from harness.runner import processes, timeline
from harness.runner.execute import DEADLINE
from harness.runner.executor import InProcess
from harness.runner.opening import open_target
from harness.runner.plan import plan
from harness.trace import FAILURES, OUTCOMES
from harness.wire import NATIVE_WIRES, wire_rules
from tests.doctor import drivers
from tests.scenarios import shipped_scenarios

DRIVERS = "tests.doctor.drivers"


@pytest.fixture
def elsewhere() -> None:
    """The loop runs in another process, as it does for users."""


@pytest.fixture(autouse=True)
def here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it runs in this process, which saves the start of that one; it is asked over loopback all the same."""
    if "elsewhere" not in request.fixturenames:
        monkeypatch.setattr(probing, "Processes", InProcess)


def calibrated(driver: str, *wires: str, probe: bool = False, deadline: float = DEADLINE) -> Calibration:
    return calibrate(f"{DRIVERS}:{driver}", wires or ("openai-chat",), probe=probe, deadline=deadline)  # type: ignore[arg-type]


def line_of(driver: str) -> int:
    return inspect.getsourcelines(getattr(drivers, driver))[1]


def test_a_driver_that_is_right_passes_every_check(elsewhere: None) -> None:
    passes_every_check("Driver")


def test_so_does_one_that_knows_only_the_text_of_an_error() -> None:
    passes_every_check("OnlyText")


def passes_every_check(driver: str) -> None:
    found = calibrated(driver)
    assert found.findings == ()
    assert found.passed == dict.fromkeys(CHECKS.keys() - CAPABILITY_OF.keys(), ("openai-chat",))
    assert (found.wires, found.excluded) == (("openai-chat",), frozenset())


def test_one_that_returns_its_text_is_right_but_for_the_stream_which_is_a_note() -> None:
    found = calibrated("returns_its_text")
    (note,) = found.findings
    assert (note.rule, note.level, note.excluded) == ("driver/stream", "INFO", ())
    assert found.lacking == {"openai-chat": {"streaming"}}


# --- conversations ------------------------------------------------------------------------------------------

DECLARING = """\
target: mine
python: {address}
directory: {directory}
wires: [openai-chat]
capabilities: [streaming, non-streaming, thinking, parallel, follow-up, cancel, steer, resume]
"""


def conversing(driver: str, folder: Path) -> Calibration:
    """What is found of a driver whose target file declares conversations."""
    text = DECLARING.format(address=f"{DRIVERS}:{driver}", directory=Path.cwd())
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    return calibrate(str(folder / "mine.yaml"), ("openai-chat",), probe=False, deadline=DEADLINE)


def test_a_driver_that_keeps_conversations_passes_every_check(tmp_path: Path) -> None:
    found = conversing("Converses", tmp_path)
    assert found.findings == ()
    assert found.passed == dict.fromkeys(CHECKS, ("openai-chat",))


CONVERSING_WRONG = {
    "Forgets": {"driver/follow-up": "a request without it", "driver/resume": "a request without it"},
    "KeepsNoJson": {"driver/resume": "The 'state' of the run is no JSON (Object of type set"},
    "HearsNothing": {"driver/steer": "a request without it"},
}
"""By driver: the checks that find it, and a part of what was got."""


@pytest.mark.parametrize("driver", CONVERSING_WRONG)
def test_what_a_driver_has_declared_and_does_not_do_is_found_and_its_cases_are_left_out(
    driver: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "_PATIENCE", 0.2)
    monkeypatch.setattr(timeline, "_GRACE", 0.2)
    found = conversing(driver, tmp_path)
    expected = CONVERSING_WRONG[driver]
    assert {each.rule: expected[each.rule] in each.got for each in found.findings} == dict.fromkeys(expected, True)
    assert all(each.level == "MUST" and each.excluded == () for each in found.findings)
    lacking = {CAPABILITY_OF[check] for check in expected}
    assert found.lacking == {"openai-chat": lacking}
    target = open_target(found.target, Endpoints())
    left = found.planned(plan([each for each in shipped_scenarios() if each.acts or each.runs], target=target))
    skipped = {item.skip for item in left if "found by calibration" in item.skip}
    assert skipped
    assert all(any(f"(found by calibration: {check})" in why for check in expected) for why in skipped)


@pytest.mark.parametrize(
    ("driver", "got"),
    [("GoesOn", "a request, whose answer was taken"), ("NeverEnds", "it has not ended within 0.4 s")],
)
def test_the_cases_of_a_loop_that_ignores_a_cancel_are_run(
    driver: str, got: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "_PATIENCE", 0.2)
    monkeypatch.setattr(timeline, "_GRACE", 0.2)
    found = conversing(driver, tmp_path)
    (note,) = found.findings
    assert (note.rule, note.level) == ("driver/cancel", "INFO")
    assert got in note.got
    assert found.lacking == {}
    target = open_target(found.target, Endpoints())
    cancelling = [each for each in shipped_scenarios() if any(act.does == "cancel" for act in each.acts)]
    planned = found.planned(plan(cancelling, target=target))
    assert [item.skip for item in planned if "found by calibration" in item.skip] == []


@pytest.mark.parametrize("driver", ["OtherCallId", "ResultTwice", "OtherRole", "OtherArguments"])
def test_what_a_provider_refuses_and_a_tool_that_ran_wrongly_are_the_loops(driver: str) -> None:
    assert calibrated(driver).findings == ()


def test_a_loop_that_fails_for_no_reason_that_anybody_sees_is_suspect_with_its_driver() -> None:
    (found,) = [each for each in calibrated("RaisesInTheMiddle").findings if each.rule == "driver/answer"]
    assert found.suspect == "your loop or its adapter function"
    (found,) = calibrated("IdForEveryPiece").findings
    assert found.suspect == "your adapter function"


def test_a_loop_whose_own_cancel_lets_a_tool_come_to_its_end_is_not_its_drivers_fault(tmp_path: Path) -> None:
    """Nothing is asked behind it, so it has heard of the cancel; that the tool ran on is for the rules to say."""
    found = conversing("EndsBehindItsTool", tmp_path)
    (note,) = found.findings
    assert (note.rule, note.level) == ("driver/cancel", "INFO")
    assert "ran to its end" in note.got
    assert found.lacking == {}
    assert found.excluded == frozenset()


def test_a_loop_that_runs_a_tool_twice_is_not_its_drivers_fault() -> None:
    """The driver emits nothing: it is the harness that has seen both runs. So the order rules are judged."""
    found = calibrated("runs_a_tool_twice")
    assert [finding.rule for finding in found.findings] == ["driver/stream"]
    assert found.excluded == frozenset()


WRONG = {
    "IdForEveryPiece": ("driver/text-id", "", "an event with the id text-2 (stream/one-id)"),
    "OneIdForAllTurns": ("driver/text-id", "an id of its own", "text, the id of"),
    "TextTwice": ("driver/text", "", "(stream/text)"),
    "NoSystemPrompt": ("driver/prompt", "the system prompt 'You are a guide", "a request without a system prompt"),
    "FirstIsSystem": ("driver/prompt", "in a message of the user", "messages of system"),
    "NoTools": ("driver/tools", "the tool get_weather with its parameters city", "no tool"),
    "NoSchemas": ("driver/tools", "the tool get_weather with its parameters city", "get_weather without city"),
    "NoResults": ("driver/results", "in request 2", "a request without it"),
    "WrongKind": ("driver/kind", "of kind 'http' after HTTP 400, or 'raised'", "of kind 'turn-limit'"),
    "UnknownKind": ("driver/protocol", "", "unknown kind of 'error': 'error'; the kinds are http, stream"),
    "UnknownOutcome": ("driver/protocol", "", "unknown outcome of 'final': 'success'; the outcomes are completed"),
    "TwoEnds": ("driver/events", "", "(order/"),
    "StartsTwice": ("driver/events", "one toolStart for", "(order/tool-start-once)"),
    "OtherIds": ("driver/events", "", "(order/tool-id)"),
    "RaisesInTheMiddle": ("driver/answer", "ends without an error", "KeyError: 'tool'"),
    "AsksNothing": ("driver/request", "requests on openai-chat", "no request"),
    "Raises": ("driver/request", "requests on openai-chat", "no request; the loop ended with KeyError: 'prompts'"),
}
"""By driver: the check that finds it, and parts of what it expected and got."""


@pytest.mark.sampled(5)
@pytest.mark.parametrize("driver", WRONG)
def test_a_driver_that_is_wrong_in_one_thing_is_told_that_thing(driver: str) -> None:
    check, expected, got = WRONG[driver]
    found = {finding.rule: finding for finding in calibrated(driver).findings}
    assert next(iter(found)) == check
    finding = found[check]
    assert expected in finding.expected
    assert got in finding.got
    assert (finding.level, finding.wires) == ("MUST", ("openai-chat",))
    of_wires = ("ANT-12", "INT-02") if check == "driver/prompt" else ()
    assert finding.excluded == (*CHECKS[check].rules, *of_wires)
    file, _, line = finding.place.rpartition(":")
    assert (Path(file).name, int(line)) == ("drivers.py", line_of(driver))
    consequences = {"driver/results", "driver/answer"}
    assert found.keys() - {check} <= consequences, found


@pytest.mark.parametrize(("driver", "lacking"), [("NeverStreams", "streaming"), ("AlwaysStreams", "non-streaming")])
def test_one_that_asks_in_its_own_way_is_judged_as_what_it_is(driver: str, lacking: str) -> None:
    found = calibrated(driver)
    (note,) = found.findings
    assert (note.rule, note.level) == ("driver/stream", "INFO")
    assert found.lacking == {"openai-chat": {lacking}}


@pytest.mark.parametrize(
    ("driver", "notes"),
    [
        ("OwnSystemPrompt", {"driver/prompt": "a system prompt of the loop's own"}),
        ("OwnTools", {"driver/tools": "the tools Bash, Read: the loop is a program with its own"}),
        (
            "OwnPrompt",
            {
                "driver/prompt": "a system prompt of the loop's own",
                "driver/tools": "no tool: the loop is a program with its own",
            },
        ),
    ],
)
def test_a_program_with_a_prompt_or_tools_of_its_own_is_not_blamed(driver: str, notes: dict[str, str]) -> None:
    found = calibrated(driver)
    assert {finding.rule: finding.got for finding in found.findings} == notes
    assert {finding.level for finding in found.findings} == {"INFO"}
    assert found.excluded == frozenset()


def test_results_in_the_notation_of_a_language_are_a_note() -> None:
    (note,) = calibrated("Repr").findings
    assert (note.rule, note.level, note.excluded) == ("driver/results", "INFO", ())
    assert "'windy': True" in note.got


def test_a_driver_that_ends_a_refusal_as_completed_is_suspect() -> None:
    """A note: a loop may show its user the error as its answer."""
    (note,) = calibrated("EndsErrorsAsCompleted").findings
    assert (note.rule, note.level, note.excluded) == ("driver/kind", "INFO", ())
    assert note.got == "a final event with the outcome 'completed'"


def test_what_the_tools_lose_in_a_drivers_signatures_is_a_note() -> None:
    (note,) = calibrated("Signature").findings
    assert (note.rule, note.level, note.excluded) == ("driver/tools", "INFO", ())
    assert (note.expected, note.got) == ("the description of 'city' of get_weather: \"The name of the city.\"", '""')


def test_a_wire_that_is_not_spoken_is_left_out_where_nobody_has_said_that_it_is() -> None:
    found = calibrated("Driver", *NATIVE_WIRES, probe=True)
    why = "the loop asks openai-chat (POST /v1/chat/completions)"
    assert found.left_out == {wire: why for wire in NATIVE_WIRES if wire != "openai-chat"}
    assert (found.wires, found.findings) == (("openai-chat",), ())


def test_a_wire_that_is_declared_and_not_spoken_is_the_drivers_fault() -> None:
    (finding,) = calibrated("Driver", "gemini-generate").findings
    assert (finding.rule, finding.level, finding.wires) == ("driver/wire", "MUST", ("gemini-generate",))
    assert finding.got == "POST /v1/chat/completions (openai-chat)"


def test_a_selection_without_the_wire_that_is_spoken_is_bad_input() -> None:
    with pytest.raises(
        BadInput, match=r"the loop asks openai-chat \(POST .*\), and what is selected are cases of gemini"
    ):
        calibrated("Driver", "gemini-generate", probe=True)


def test_one_that_asks_nothing_anywhere_leaves_nothing_out() -> None:
    found = calibrated("AsksNothing", *NATIVE_WIRES, probe=True)
    assert found.left_out == {}
    assert [finding.rule for finding in found.findings] == ["driver/request"]
    assert found.findings[0].wires == NATIVE_WIRES


def test_a_probe_that_hangs_is_one_message(elsewhere: None) -> None:
    with pytest.raises(BadInput) as raised:
        calibrated("Hangs", *NATIVE_WIRES, probe=True, deadline=0.2)
    (problem,) = raised.value.problems
    assert "the probe calibration-answer.openai-responses.event did not end within 0.2 s" in problem
    assert "waited before any request" in problem
    assert "drivers.py" in problem
    assert "--timeout" in problem


def test_what_is_asked_on_the_side_is_no_wire_of_the_loop() -> None:
    found = calibrated("WithATitle", "openai-chat", "anthropic-messages", probe=True)
    assert found.wires == ("openai-chat",)
    assert found.left_out == {"anthropic-messages": "the loop asks openai-chat (POST /v1/chat/completions)"}


def test_the_tables_name_rules_that_there_are() -> None:
    expectations = {f"expect/{key}" for key in ("sent", "turns", "requests", "events", "error", "outcome")}
    known = {*RULES, *wire_rules(), *expectations}
    assert {rule for check in CHECKS.values() for rule in check.rules} <= known
    assert _BY_RULE.keys() <= RULES.keys()
    assert set(_BY_RULE.values()) <= CHECKS.keys()
    for rule, check in _BY_RULE.items():
        assert rule in CHECKS[check].rules


def test_the_documentation_has_every_check_and_every_word() -> None:
    told = (Path(__file__).parents[2] / "docs" / "own-loop.md").read_text(encoding="utf-8")
    for check in CHECKS.values():
        assert f"| `{check.id}` | {check.states} |" in told
        assert not check.rules or f"| {', '.join(f'`{rule}`' for rule in check.rules)} |\n" in told
    for word, meaning in (*FAILURES.items(), *OUTCOMES.items()):
        assert f"| `{word}` | {meaning} |" in told


def test_a_blocked_process_is_one_message_too(elsewhere: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "GRACE", 0.5)
    with pytest.raises(BadInput, match=r"did not end within 0\.2 s"):
        calibrated("blocks_for_good", deadline=0.2)
