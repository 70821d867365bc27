"""Scenario files as tests, in runs of pytest of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import pytest
from junitparser import Failure, JUnitXml, Skipped

from harness.runner.opening import plan_for
from harness.runner.plan import PlannedCase
from harness.scenario import Scenario, load, shipped
from harness.trace.files import load as load_trace
from harness.wire import WIRES
from tests.case_tables import from_table
from tests.scenarios import shipped_scenarios
from tests.testing.running import LOOP, PLUGIN, answer, ids, run, run_apart, weather

ONE_OF_TWO = LOOP.replace("in message.tool_calls:", "in message.tool_calls[:1]:")


def written(pytester: pytest.Pytester, files: dict[str, str], *, loop: str = LOOP) -> None:
    for name, text in {**files, "loop.py": loop}.items():
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def folder(pytester: pytest.Pytester, **scenarios: str) -> None:
    written(pytester, {f"scenarios/{name}.yaml": text for name, text in scenarios.items()})


# --- what is collected --------------------------------------------------------------------------------------


def _planned_by_themselves(scenarios: Sequence[Scenario]) -> Iterator[PlannedCase]:
    """The cases of each file: one whose only wire is run on request has them, as where it is named."""
    usual = [each for each in scenarios if not set(each.wires).isdisjoint(WIRES)]
    cases = {
        name: list(group) for name, group in groupby(plan_for("reference", usual), lambda item: item.scenario.name)
    }
    for scenario in scenarios:
        alone = set(scenario.wires).isdisjoint(WIRES)
        yield from plan_for("reference", [scenario]) if alone else cases.get(scenario.name, ())


def test_every_case_is_a_test_under_its_file_in_the_order_of_a_run(pytester: pytest.Pytester) -> None:
    source = shipped() / "universal"
    (pytester.path / "scenarios").symlink_to(source)
    result = run(pytester, "--harness-target", "reference", "--collect-only", "-q", "scenarios")
    planned = list(_planned_by_themselves(load([source])))
    paths = (item.scenario.path.relative_to(source) for item in planned)
    assert ids(result) == [f"scenarios/{path}::{item.case.id}" for path, item in zip(paths, planned, strict=True)]
    assert len(planned) > 100


def test_no_yaml_is_looked_at_without_a_target(pytester: pytest.Pytester) -> None:
    folder(pytester, one=answer("one"), broken="scenario: [")
    pytester.makepyfile(
        """
        import sys

        def test_nothing_more():
            assert {name for name in sys.modules if name.startswith("harness.")} == {"harness.pytest_plugin"}
        """
    )
    result = pytester.runpytest_subprocess("-W", "error", *PLUGIN, "-v")
    result.assert_outcomes(passed=1)
    assert ".yaml" not in result.stdout.str()
    assert run(pytester, "scenarios").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_other_yaml_may_lie_beside_scenarios(pytester: pytest.Pytester) -> None:
    others = {"compose.yaml": "version: 3\nx:\n  scenario: no\n", "broken.yaml": "a: [", "latin.yaml": ""}
    written(pytester, {"scenarios/one.yaml": answer("one"), **{f"scenarios/{name}": t for name, t in others.items()}})
    (pytester.path / "scenarios/latin.yaml").write_bytes(b"name: \xe9\n")
    run(pytester, "--harness-target", "loop:run", "scenarios").assert_outcomes(passed=1)


def test_a_file_that_is_named_is_taken_at_its_word(pytester: pytest.Pytester) -> None:
    written(pytester, {"compose.yaml": "version: 3\n"})
    result = run(pytester, "--harness-target", "loop:run", "compose.yaml")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["compose.yaml:1:1: expected the key 'scenario', got only 'version'; add it"])


def test_what_is_wrong_with_a_file_is_told_with_its_place(pytester: pytest.Pytester) -> None:
    folder(pytester, one=answer("one"), wrong=answer("wrong", "expekt: 1").replace("text: Well.", "text: 5"))
    result = run(pytester, "--harness-target", "loop:run", "scenarios")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["scenarios/wrong.yaml:7:*expected text, got 5*", "scenarios/wrong.yaml:9:1: *'expekt'*did you mean 'expect'?"]
    )
    assert "Traceback" not in result.stdout.str()
    assert "harness/testing" not in result.stdout.str()


def test_two_scenarios_of_one_name_are_told(pytester: pytest.Pytester) -> None:
    folder(pytester, one=answer("one"), two=answer("one"))
    result = run(pytester, "--harness-target", "loop:run", "scenarios")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["scenarios/two.yaml: expected a name of its own*as in scenarios/one.yaml*"])
    run(pytester, "--harness-target", "loop:run", "scenarios/one.yaml", "scenarios/one.yaml").assert_outcomes(passed=1)


def test_what_is_included_may_lie_anywhere_in_the_folder_that_was_given(pytester: pytest.Pytester) -> None:
    deep = answer("deep").replace("prompt: Well?", "prompt: !include ../pages/prompt.txt")
    written(pytester, {"scenarios/deep/one.yaml": deep, "scenarios/pages/prompt.txt": "What?"})
    run(pytester, "--harness-target", "loop:run", "scenarios").assert_outcomes(passed=1)
    result = run(pytester, "--harness-target", "loop:run", "scenarios/deep/one.yaml")
    result.stdout.fnmatch_lines(["*expected a file inside scenarios/deep*"])


def test_scenarios_of_other_profiles_and_wires_are_no_tests(pytester: pytest.Pytester) -> None:
    folder(
        pytester,
        one=answer("one", wires="[openai-chat, anthropic-messages]"),
        two=answer("two").replace("profile: universal", "profile: hugind"),
        three=answer("three", wires="[gemini-generate]"),
    )
    options = ("--harness-target", "loop:run", "--collect-only", "-q", "scenarios")
    assert ids(run(pytester, *options, "--harness-wire", "openai-chat")) == [
        "scenarios/one.yaml::one.openai-chat.event"
    ]
    assert len(ids(run(pytester, *options))) == 3


# --- which of them ------------------------------------------------------------------------------------------

TWO_WIRES = "[openai-chat, anthropic-messages]"


@from_table(__file__, "test_a_choice")
def test_a_choice(pytester: pytest.Pytester, options: list[str], chosen: list[str]) -> None:
    folder(pytester, one=answer("one", wires=TWO_WIRES), two=weather("two"))
    where = [] if "::" in options[0] else ["scenarios"]
    result = run(pytester, "--harness-target", "loop:run", "--collect-only", "-q", *options, *where)
    assert sorted(line.partition("::")[2] for line in ids(result)) == chosen


def test_every_mark_is_told(pytester: pytest.Pytester) -> None:
    folder(pytester)
    result = run(pytester, "--harness-target", "loop:run", "--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.harness_cases(*", "@pytest.mark.harness_rule_preview: *family preview*"])


# --- what comes of them -------------------------------------------------------------------------------------


def test_a_broken_loop_fails_with_the_rule_and_the_evidence(pytester: pytest.Pytester) -> None:
    folder(pytester, one=answer("one"), two=weather("two"))
    (pytester.path / "loop.py").write_text(ONE_OF_TWO)
    result = run(pytester, "--harness-target", "loop:run", "--harness-out", "out", "scenarios")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*two.openai-chat.event*",
            "continuation/openai-chat (OAC-03)  MUST, refused by the provider  */traces/two.openai-chat.event.jsonl:6",
            "  expected  a tool message for each call*",
            "  got       none for call_*",
            "  evidence  messages[[]1]: HTTP 400*",
            "trace     out/traces/two.openai-chat.event.jsonl",
            "repeat    harness run scenarios/two.yaml --wire openai-chat -k two.openai-chat.event --target loop:run",
        ]
    )
    told = result.stdout.str()
    assert "Traceback" not in told
    assert ".py" not in told.split("FAILURES")[1]
    trace = load_trace(pytester.path / "out/traces/two.openai-chat.event.jsonl")
    assert [exchange.response.status for exchange in trace.exchanges if exchange.response] == [200, 400]


def test_what_the_loop_cannot_do_is_skipped_with_the_reason(pytester: pytest.Pytester) -> None:
    target = "target: mine\npython: loop:run\nwires: [openai-chat]\ncapabilities: [non-streaming, limit]\n"
    written(pytester, {"scenarios/two.yaml": weather("two"), "mine.yaml": target})
    result = run(pytester, "--harness-target", "mine.yaml", "-rs", "scenarios")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*scenarios/two.yaml*needs several calls in one turn; declare `parallel`*"])


BASELINE = """
baseline: loop:run
findings:
  - cases: [two.*]
    rules: [OAC-03, history/results, expect/outcome]
    reason: It answers one call of two.
"""


def test_what_the_baseline_expects_is_an_expected_failure(pytester: pytest.Pytester) -> None:
    files = {f"scenarios/{name}.yaml": weather(name) for name in ("two", "three")}
    written(pytester, {**files, "baselines/loop-run.yaml": BASELINE}, loop=ONE_OF_TWO)
    result = run(pytester, "--harness-target", "loop:run", "-rx", "scenarios")
    result.assert_outcomes(xfailed=1, failed=1)
    result.stdout.fnmatch_lines(["XFAIL*::two.* - It answers one call of two. (*OAC-03*)"])


def test_beside_what_is_expected_the_rest_fails(pytester: pytest.Pytester) -> None:
    baseline = BASELINE.replace(", expect/outcome", "")
    written(pytester, {"scenarios/two.yaml": weather("two"), "mine.yaml": baseline}, loop=ONE_OF_TWO)
    result = run(pytester, "--harness-target", "loop:run", "--harness-baseline", "mine.yaml", "scenarios/two.yaml")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["expect/outcome  MUST, *", "continuation/* is expected: It answers one call of two."])


def test_no_baseline_is_used_where_none_is_wanted(pytester: pytest.Pytester) -> None:
    written(pytester, {"scenarios/two.yaml": weather("two"), "baselines/loop-run.yaml": BASELINE}, loop=ONE_OF_TWO)
    run(pytester, "--harness-target", "loop:run", "--harness-baseline", "none", "scenarios").assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--harness-target", "nowhere:run"], "*--harness-target nowhere:run: no package 'nowhere'*"),
        (["--harness-target", "refrence"], "*--harness-target 'refrence' is unknown; did you mean reference?*"),
        (["--harness-target", "loop:run", "--harness-baseline", "nix.yaml"], "*nix.yaml*"),
        (["--harness-target", "loop:run", "--harness-wire", "nix"], "*--harness-wire*"),
    ],
)
def test_what_cannot_be_meant_is_told_before_anything(pytester: pytest.Pytester, options: list[str], told: str) -> None:
    folder(pytester, one=answer("one"))
    result = run(pytester, *options, "scenarios")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([told])
    assert "Traceback" not in result.stderr.str()


def test_a_loop_that_cannot_be_imported_is_an_error_of_its_cases(pytester: pytest.Pytester) -> None:
    written(pytester, {"scenarios/one.yaml": answer("one")}, loop="import nothing_like_this\n\ndef run(case): ...\n")
    result = run(pytester, "--harness-target", "loop:run", "scenarios")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["error: --target loop:run: cannot import loop: ModuleNotFoundError: No module named 'nothing_like_this' (*"]
    )


BLOCKING = """
import pathlib, time
from loop_that_works import run as works

async def run(assignment):
    if "blocks" in assignment.base_url:
        while not pathlib.Path("released").exists():
            time.sleep(0.01)
    return await works(assignment)
"""


def test_a_loop_that_blocks_is_left_behind_and_the_others_go_on(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.testing.cases.DEADLINE", 0.1)
    monkeypatch.setattr("harness.testing.cases.GRACE", 0.1)
    blocks = {"scenarios/one.yaml": answer("blocks"), "loop_that_works.py": LOOP}
    written(pytester, {**blocks, "scenarios/two.yaml": answer("two")}, loop=BLOCKING)
    pytester.makeconftest(
        """
        import pathlib, pytest

        @pytest.fixture(autouse=True)
        def patient(request, monkeypatch):
            if "two" in request.node.name:  # however slow the machine is
                monkeypatch.setattr("harness.testing.cases.DEADLINE", 60)
            yield
            if "two" in request.node.name:
                pathlib.Path("released").touch()
        """
    )
    result = run(pytester, "--harness-target", "loop:run", "scenarios")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*evidence*The case did not end within 0.1 s and blocked its thread*"])


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_loop_that_never_ends_does_not_keep_pytest_from_ending(pytester: pytest.Pytester, kind: str) -> None:
    loop = f"import threading\n\n{kind} run(assignment):\n    threading.Event().wait()\n"
    written(pytester, {"scenarios/one.yaml": answer("one")}, loop=loop)
    pytester.makeconftest("import harness.testing.cases as cases\ncases.DEADLINE = cases.GRACE = 0.1")
    result = run_apart(pytester, "-W", "error", "--harness-target", "loop:run", "scenarios")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*evidence*The case did not end within 0.1 s*"])


# --- the wires that a loop speaks ----------------------------------------------------------------------------

ALL_WIRES = "[openai-responses, openai-chat, anthropic-messages, gemini-generate]"
WHY = "is left out: the loop asks openai-chat (POST /v1/chat/completions)"


def test_wires_that_the_loop_does_not_speak_are_skipped_with_the_reason(pytester: pytest.Pytester) -> None:
    folder(pytester, one=answer("one", wires=ALL_WIRES), two=answer("two", wires=TWO_WIRES))
    result = run(pytester, "--harness-target", "loop:run", "-rs", "scenarios")
    result.assert_outcomes(passed=2, skipped=4)
    result.stdout.fnmatch_lines_random(
        [
            f"SKIPPED*scenarios/one.yaml*: openai-responses {WHY}",
            f"SKIPPED*scenarios/two.yaml*: anthropic-messages {WHY}",
        ]
    )


def test_wires_are_probed_once(pytester: pytest.Pytester) -> None:
    names = ("one", "two", "three")
    written(pytester, {f"scenarios/{name}.yaml": answer(name, wires=TWO_WIRES) for name in names}, loop=COUNTING)
    run(pytester, "--harness-target", "loop:Agent", "scenarios").assert_outcomes(passed=3, skipped=3)
    made, *calls = (pytester.path / "seen").read_text().splitlines()
    assert (made, len(calls)) == ("made", 2 + 3)


def test_nothing_is_run_where_cases_are_only_collected(pytester: pytest.Pytester) -> None:
    written(
        pytester,
        {"scenarios/one.yaml": answer("one", wires=ALL_WIRES)},
        loop="raise SystemExit(7)\n\ndef run(case): ...\n",
    )
    result = run(pytester, "--harness-target", "loop:run", "--collect-only", "-q", "scenarios")
    assert len(ids(result)) == 4


@pytest.mark.parametrize("declared", ["option", "file"])
def test_a_wire_that_somebody_has_named_and_the_loop_does_not_speak_fails(
    pytester: pytest.Pytester, declared: str
) -> None:
    target = f"target: mine\npython: loop:run\nwires: {TWO_WIRES}\n"
    written(pytester, {"scenarios/one.yaml": answer("one", wires=TWO_WIRES), "mine.yaml": target})
    wires = ("--harness-wire", "openai-chat", "--harness-wire", "anthropic-messages")
    options = ("--harness-target", "mine.yaml") if declared == "file" else ("--harness-target", "loop:run", *wires)
    result = run(pytester, *options, "scenarios")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["  expected  requests on anthropic-messages", "  got       POST /v1/chat/completions (openai-chat)"]
    )


def test_a_loop_that_asks_nothing_on_any_wire_fails_on_all(pytester: pytest.Pytester) -> None:
    written(
        pytester, {"scenarios/one.yaml": answer("one", wires=TWO_WIRES)}, loop="def run(case):\n    return 'Well.'\n"
    )
    result = run(pytester, "--harness-target", "loop:run", "scenarios")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["target/request*"])


def test_a_case_in_a_test_of_ones_own_is_skipped_there(pytester: pytest.Pytester) -> None:
    folder(pytester, one=answer("one", wires=TWO_WIRES))
    pytester.makepyfile(
        test_mine="""
        import pytest

        @pytest.mark.harness_cases("scenarios", target="loop:run")
        def test_it(harness_case):
            assert harness_case.id
            assert harness_case.result.verdict == "pass"
        """
    )
    result = run(pytester, "-rs", "test_mine.py")
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines([f"SKIPPED*test_mine.py:6: anthropic-messages {WHY}"])


def test_a_probe_that_hangs_is_one_message_for_every_case(pytester: pytest.Pytester) -> None:
    loop = "import threading\n\ndef run(assignment):\n    open('seen', 'a').write('x')\n    threading.Event().wait()\n"
    written(pytester, {"scenarios/one.yaml": answer("one", wires=TWO_WIRES)}, loop=loop)
    pytester.makeconftest("import harness.testing.cases as cases\ncases.DEADLINE = cases.GRACE = 0.1")
    result = run_apart(pytester, "--harness-target", "loop:run", "scenarios")
    result.assert_outcomes(failed=2)
    message = "error: the probe of openai-chat did not end within 0.1 s; end it, or say*--harness-wire*'wires'*"
    result.stdout.fnmatch_lines([message, message])
    assert (pytester.path / "seen").read_text() == "x"


def test_an_import_has_a_time_of_its_own(pytester: pytest.Pytester) -> None:
    loop = "import threading\n\nthreading.Event().wait()\n\ndef run(case): ...\n"
    written(pytester, {f"scenarios/{name}.yaml": answer(name) for name in ("one", "two")}, loop=loop)
    pytester.makeconftest("import harness.testing.cases as cases\ncases.READY = 0.1\ncases.DEADLINE = 3600")
    result = run_apart(pytester, "--harness-target", "loop:run", "scenarios")
    result.assert_outcomes(failed=2)
    message = "error: --target loop:run: it was not imported within 0.1 s"
    result.stdout.fnmatch_lines([message, message])


# --- beside the rest of pytest ------------------------------------------------------------------------------


def test_junit_has_a_class_for_every_file_and_a_test_for_every_case(pytester: pytest.Pytester) -> None:
    target = "target: mine\npython: loop:run\nwires: [openai-chat]\ncapabilities: [parallel]\n"
    whole = answer("whole", "stream: false")
    files = {"one": answer("one"), "two": weather("two"), "whole": whole}
    written(
        pytester, {**{f"scenarios/{name}.yaml": text for name, text in files.items()}, "mine.yaml": target},
        loop=ONE_OF_TWO,
    )  # fmt: skip
    result = run(pytester, "--harness-target", "mine.yaml", "--junit-xml", "junit.xml", "scenarios")
    result.assert_outcomes(passed=1, failed=1, skipped=1)
    (suite,) = JUnitXml.fromfile(str(pytester.path / "junit.xml"))
    cases = {case.name: case for case in suite}
    assert {name: case.classname for name, case in cases.items()} == {
        f"{name}.openai-chat.event": f"scenarios.{name}.yaml" for name in files
    }
    (failure,) = cases["two.openai-chat.event"].result
    assert isinstance(failure, Failure)
    assert "OAC-03" in failure.message
    assert "repeat    harness run scenarios/two.yaml" in failure.text
    (skipped,) = cases["whole.openai-chat.event"].result
    assert isinstance(skipped, Skipped)
    assert "declare `non-streaming`" in skipped.message


PATCHING = """
import pytest, loop

@pytest.fixture(autouse=True, scope="module")
def once():
    with open("modules", "a") as file:
        file.write("x")

@pytest.fixture(autouse=True)
def deaf(monkeypatch, request, harness_case):
    assert harness_case.id == request.node.name
    if request.node.name.startswith("two"):
        async def answer(assignment):
            raise RuntimeError("patched")
        monkeypatch.setattr(loop, "converse", lambda assignment, client: answer(assignment))
"""


def test_fixtures_beside_the_scenarios_hold_for_them_and_reach_the_loop(pytester: pytest.Pytester) -> None:
    folder(pytester, one=answer("one", "vary: {chunking: [event, byte]}"), two=answer("two"))
    (pytester.path / "scenarios/conftest.py").write_text(PATCHING)
    pytester.syspathinsert()
    result = run(pytester, "--harness-target", "loop:run", "scenarios")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        ["*target/request*", "*No request has reached the endpoint*", "*RuntimeError: patched*"]
    )
    assert (pytester.path / "modules").read_text() == "xx"


COUNTING = (
    LOOP
    + """
import os, threading

class Agent:
    def __init__(self):
        with open("seen", "a") as file:
            file.write("made\\n")

    async def run(self, assignment):
        with open("seen", "a") as file:
            file.write(f"{assignment.base_url.partition('/case/')[0]} {threading.get_ident()} {os.getpid()}\\n")
        return await run(assignment)
"""
)


def test_all_cases_share_one_target_and_one_endpoint(pytester: pytest.Pytester) -> None:
    written(pytester, {f"scenarios/{name}.yaml": answer(name) for name in "abcd"}, loop=COUNTING)
    run(pytester, "--harness-target", "loop:Agent", "scenarios").assert_outcomes(passed=4)
    made, *calls = (pytester.path / "seen").read_text().splitlines()
    assert made == "made"
    assert len(calls) == 4
    assert len(set(calls)) == 1


def test_a_target_that_runs_in_process_opens_no_port(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder(pytester, one=answer("one"))
    monkeypatch.setattr("harness.testing.endpoint.serving", None)
    run(pytester, "--harness-target", "reference", "scenarios").assert_outcomes(passed=1)


# --- cases in tests of one's own ----------------------------------------------------------------------------


def test_a_test_of_ones_own_is_run_for_every_case(pytester: pytest.Pytester) -> None:
    folder(pytester, one=answer("one", wires=TWO_WIRES), two=weather("two"))
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.harness_cases("scenarios", target="loop:run", wires=["openai-chat"])
        def test_few_requests(harness_case):
            harness_case.check()
            assert harness_case.result.verdict == "pass"
            assert len(harness_case.trace.exchanges) == harness_case.scenario.expect.requests < 2
        """
    )
    result = run(pytester, "-v")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*::test_few_requests[[]one.openai-chat.event[]] PASSED*", "E  *assert 2 < 2"])


def test_its_check_fails_it_as_the_scenario_would_fail(pytester: pytest.Pytester) -> None:
    folder(pytester, two=weather("two"))
    (pytester.path / "loop.py").write_text(ONE_OF_TWO)
    pytester.makepyfile(
        """
        import pytest
        pytestmark = pytest.mark.harness_cases("scenarios")

        def test_rules(harness_case):
            harness_case.check()

        def test_looks(harness_case):
            assert [each.id for each in harness_case.result.findings][0] == "OAC-03"
        """
    )
    result = run(pytester, "--harness-target", "loop:run", "test_its_check_fails_it_as_the_scenario_would_fail.py")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        ["continuation/openai-chat (OAC-03)  MUST, *", "repeat    harness run scenarios/two.yaml*"]
    )


def test_the_loop_runs_when_somebody_asks(pytester: pytest.Pytester) -> None:
    folder(pytester, one=answer("one"))
    pytester.makepyfile(
        """
        import pathlib, pytest

        @pytest.mark.harness_cases("scenarios", target="loop:run")
        def test_prepared(harness_case):
            source = pathlib.Path("loop.py")
            source.write_text(source.read_text().replace("return message.content", "return 'Prepared.'"))
            (told,) = [told.event for _, told in harness_case.trace.events]
            assert told.text == "Prepared."
        """
    )
    run(pytester).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ("", "*::test_one: harness_case expects @pytest.mark.harness_cases(*"),
        ("@pytest.mark.harness_cases('scenarios')", "*::test_one: expected a target, in --harness-target or*"),
    ],
)
def test_without_scenarios_or_a_target_it_says_so(pytester: pytest.Pytester, mark: str, told: str) -> None:
    folder(pytester, one=answer("one"))
    pytester.makepyfile(f"import pytest\n{mark}\ndef test_one(harness_case): pass")
    result = run(pytester)
    assert result.ret != 0
    (result.stdout if "test_one" in result.stdout.str() else result.stderr).fnmatch_lines([told])


def test_without_paths_they_are_those_that_are_shipped(pytester: pytest.Pytester) -> None:
    written(pytester, {})
    pytester.makepyfile(
        "import pytest\n@pytest.mark.harness_cases(target='loop:run')\ndef test_one(harness_case): pass"
    )
    result = run(pytester, "--collect-only", "-q", "--harness-wire", "openai-chat")
    planned = plan_for("reference", shipped_scenarios("universal"), wires=["openai-chat"])
    assert {line.partition("[")[2].rstrip("]") for line in ids(result)} >= {item.case.id for item in planned}


def test_the_folder_of_the_traces_is_a_temporary_one(pytester: pytest.Pytester, tmp_path: Path) -> None:
    folder(pytester, one=answer("one"))
    options = ("--harness-target", "loop:run", "--basetemp", str(tmp_path / "base"), "scenarios")
    run(pytester, *options).assert_outcomes(passed=1)
    (trace,) = (tmp_path / "base").rglob("*.jsonl")
    assert trace.name == "one.openai-chat.event.jsonl"


# --- dialects -----------------------------------------------------------------------------------------------


def test_cases_are_collected_in_the_dialects_that_are_asked_for(pytester: pytest.Pytester) -> None:
    folder(pytester, one=answer("one"))
    chosen = ("--harness-target", "reference", "--harness-dialect", "early-stop", "--harness-dialect", "no-done")
    result = run(pytester, *chosen, "scenarios")
    result.assert_outcomes(passed=1)
    names = [each.rpartition("::")[2] for each in ids(run(pytester, *chosen, "--collect-only", "-q", "scenarios"))]
    assert names == ["one.openai-chat.event+no-done"], "it has no case on the wire of the other one"


def test_an_unknown_dialect_is_an_error_of_usage(pytester: pytest.Pytester) -> None:
    folder(pytester, one=answer("one"))
    result = run(pytester, "--harness-target", "reference", "--harness-dialect", "early-stopp", "scenarios")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--harness-dialect: no wire has a dialect 'early-stopp'; expected all, or some of" in result.stderr.str()
