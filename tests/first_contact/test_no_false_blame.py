"""What was blamed wrongly at first contact is blamed no more, and what was missed there is found.

The loops are those of ``harness_lab.freedoms`` in one style, some with a habit (``habits``), and some with one of the
lab's faults. Beside each right one is a loop that is wrong in the same place: a rule that nothing breaks would pass,
too. More are in the lab: ``tests/freedoms`` draws styles and faults, and ``tests/mutants`` runs the lab's mutants, of
which some were made of what was missed here (question-asked-again, prompt-squeezed, results-composed ...).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.rules import judge
from harness.runner.execute import Finished
from harness.runner.plan import plan
from harness.scenario import load, shipped
from harness.targets import Declaration
from harness.targets.declaration import Capability
from harness.targets.function import FunctionTarget
from harness.trace import Assistant, Case, EventRecord, Final, Trace
from harness.wire import NATIVE_WIRES, WireName
from harness_lab.freedoms.faults import FAULTS
from harness_lab.freedoms.loop import Loop
from harness_lab.freedoms.measure import ran
from tests.first_contact import habits

RESPONSES, CHAT, ANTHROPIC, GEMINI = NATIVE_WIRES
DIGITS = (RESPONSES, CHAT, ANTHROPIC)
UNIVERSAL = shipped() / "universal"

Row = tuple[str, str, tuple[WireName, ...], str, type[Loop]]
"""What the loop does, a scenario, wires, its style, and its kind."""

RIGHT: list[Row] = [
    ("sends client_metadata", "tool-returns", (RESPONSES,), "", habits.SendsClientMetadata),
    ("keeps an order that Chat cannot say", "text-between-calls", NATIVE_WIRES, "delivery/whole", Loop),
    ("escapes characters in JSON", "tool-returns-any-json", NATIVE_WIRES, "json/ascii", Loop),
    ("asks for documents", "parallel-calls", NATIVE_WIRES, "delivery/whole", Loop),
    ("asks for documents", "thinking-in-every-turn", NATIVE_WIRES, "delivery/whole", Loop),
    ("leaves ids out", "tool-returns", (GEMINI,), "call-ids/stripped", Loop),
    ("leaves ids out", "parallel-calls", (GEMINI,), "call-ids/stripped", Loop),
    ("joins halves", "answer-in-half-characters", (CHAT, ANTHROPIC), "tells/pieces", Loop),
    ("replaces odd ids", "one-id-for-two-calls", NATIVE_WIRES, "bad-id/renames", Loop),
    ("replaces missing ids", "several-calls-without-ids", DIGITS, "bad-id/renames", Loop),
    ("leaves missing ids", "ids-left-out", (GEMINI,), "bad-id/renames", Loop),
    ("says texts first", "text-between-calls", (RESPONSES, ANTHROPIC, GEMINI), "", habits.SaysTextFirst),
    ("answers backwards", "parallel-calls", NATIVE_WIRES, "order/reversed", Loop),
    ("answers by tool", "parallel-calls", NATIVE_WIRES, "order/by-tool", Loop),
    ("sends one id once", "one-id-for-two-calls", NATIVE_WIRES, "", habits.SendsOneIdOnce),
    ("drops broken turns", "arguments-cut-off", (RESPONSES, CHAT), "bad-arguments/asks-again", Loop),
    ("asks again for broken streams", "stream-without-its-end-after-a-call", NATIVE_WIRES, "broken/asks-again", Loop),
    ("has ids of its own", "parallel-calls", NATIVE_WIRES, "own-ids/own", Loop),
    ("has ids of its own", "ids-left-out", (GEMINI,), "own-ids/own", Loop),
    ("has ids of its own", "id-used-again", (RESPONSES, ANTHROPIC), "own-ids/own", Loop),
    ("has ids of its own", "thinking-on-chat", (CHAT,), "own-ids/own", Loop),
    ("has ids of its own and thinks", "tool-returns", (ANTHROPIC,), "own-ids/own thinking/budget", Loop),
    ("drops reasoning that gpt does not want", "thinking-on-chat", (CHAT,), "", habits.DropsReasoningContentForGpt),
    ("sends what Claude Code does", "tool-returns", (ANTHROPIC,), "", habits.SendsWhatClaudeCodeDoes),
    ("says so at its limit", "calls-without-end", NATIVE_WIRES, "at-limit/reports tells/turns", Loop),
    ("ends at its limit", "calls-without-end", NATIVE_WIRES, "at-limit/own-words tells/at-the-end", Loop),
    ("wraps null", "tool-returns-any-json", NATIVE_WIRES, "result/wrapped", Loop),
    ("has null in blocks", "tool-returns-any-json", NATIVE_WIRES, "result-content/blocks", Loop),
    ("asks ten times again", "retries-run-out", (GEMINI, CHAT), "retries/ten", Loop),
    ("asks ten times again", "quota-spent-after-two-turns", (GEMINI, CHAT), "retries/ten", Loop),
    ("raises in its text", "truncated-text", NATIVE_WIRES, "tells/turns", habits.RaisesInItsText),
    ("shows texts at the end", "tool-returns", NATIVE_WIRES, "tells/at-the-end", Loop),
    ("reminds", "tool-returns", NATIVE_WIRES, "", habits.Reminds),
    ("reminds", "thinking-in-every-turn", NATIVE_WIRES, "", habits.Reminds),
    ("strips the prompt", "prompt-with-indented-lines", NATIVE_WIRES, "", habits.StripsThePrompt),
    ("says one word of failures", "tool-raises", (RESPONSES, CHAT, GEMINI), "", habits.SaysOneWordOfFailures),
    ("reads results", "integer-of-nineteen-digits", DIGITS, "", habits.ReadsResults),
    (
        "cuts results aloud",
        "result-of-seventy-thousand-characters",
        NATIVE_WIRES,
        "",
        habits.CutsResultsAndSaysSo,
    ),
    ("leaves equal calls out", "two-equal-calls-in-one-turn", NATIVE_WIRES, "", habits.LeavesEqualCallsOut),
    ("thinks always", "thinking-in-every-turn", (ANTHROPIC,), "thinking/budget", Loop),
    ("thinks until a call is forced", "tool-returns", (ANTHROPIC,), "", habits.ThinksUntilItIsForced),
]
CUT = (
    "truncated-call",
    "truncated-after-a-whole-call",
    "truncated-text",
    "content-filter",
    "content-filter-with-a-call",
    "content-filter-with-a-call-at-a-later-turn",
    "refusal",
    "refusal-with-a-call",
    "refusal-beside-a-call-at-a-later-turn",
)
RIGHT += [
    (f"is at a cut turn {style}", scenario, (CHAT, ANTHROPIC), f"{style} tells/turns", Loop)
    for style in ("stopped/shows", "stopped/raises", "cut-call/answers", "cut-call/asks-again")
    for scenario in CUT
]

WRONG: list[tuple[str, Row]] = [
    ("OAC-19", ("drops reasoning", "thinking-on-chat", (CHAT,), "", habits.DropsReasoningContent)),
    ("history/model-calls", ("leaves ids out of calls", "tool-returns", (GEMINI,), "", habits.LeavesIdsOutOfCalls)),
    ("history/model-order", ("says texts last", "parallel-calls", (RESPONSES,), "", habits.SaysTextLast)),
    (
        "history/result-order",
        ("answers by tool without ids", "parallel-calls", (GEMINI,), "order/by-tool call-ids/stripped", Loop),
    ),
    (
        "history/results",
        ("answers no repeated id", "one-id-for-two-calls", (CHAT,), "", habits.AnswersARepeatedIdWithNothing),
    ),
    ("history/results", ("leaves turns out", "tool-returns", (RESPONSES, CHAT), "", habits.LeavesTurnsOut)),
    ("execution/model-arguments", ("rounds", "integer-of-nineteen-digits", DIGITS, "", habits.RoundsArguments)),
    ("execution/every-call", ("runs once", "two-equal-calls-in-one-turn", NATIVE_WIRES, "", habits.RunsEqualCallsOnce)),
    (
        "history/append-only",
        ("counts twice", "usage-mostly-cached", (CHAT,), "delivery/whole", habits.CountsCachedTokensTwice),
    ),
    ("stream/text", ("loses a text", "tool-returns", (CHAT,), "tells/at-the-end", habits.LosesAText)),
    ("final/text", ("says all twice", "tool-returns", NATIVE_WIRES, "returns/last-text", habits.SaysAllTwice)),
]


def played(row: Row) -> Iterator[Finished]:
    """What came of the first case of the scenario on each of the wires that have it."""
    _, scenario, wires, style, make = row
    chosen = dict(freedom.split("/") for freedom in style.split())
    for wire in wires:
        yield from ran(wire, chosen, only=f"{scenario}.{wire}.event", make=make)[0]


def blamed(finished: Finished) -> list[str]:
    found = [each for each in finished.result.findings if each.level != "INFO"]
    return [f"{each.id} {each.level}: {each.expected} / {each.got}" for each in found]


def ids(finished: Finished) -> set[str]:
    return {each.id for each in finished.result.findings}


def named(row: Row) -> str:
    return f"{row[0]} at {row[1]}"


@pytest.mark.parametrize("row", RIGHT, ids=named)
def test_a_right_loop_passes(row: Row) -> None:
    finished = list(played(row))
    assert finished
    for each in finished:
        assert (blamed(each), each.result.error) == ([], None), each.result.id
        assert each.result.verdict == "pass", (each.result.id, each.result.reason)


@pytest.mark.parametrize(("rule", "row"), WRONG, ids=lambda value: named(value) if isinstance(value, tuple) else value)
def test_what_is_wrong_in_the_same_place_is_found(rule: str, row: Row) -> None:
    finished = list(played(row))
    assert len(finished) == len(row[2])
    for each in finished:
        assert rule in ids(each), (each.result.id, blamed(each))


@pytest.mark.parametrize("wire", [RESPONSES, ANTHROPIC, GEMINI])
def test_dropped_thinking_has_one_level(wire: WireName) -> None:
    """MUST where the provider's own table says that it refuses the request for certain, and SHOULD elsewhere."""
    fault = FAULTS["drops-the-thinking"].loop
    (finished,) = played(("", "thinking-in-every-turn", (wire,), "thinking/budget", fault))
    levels = {each.id: each.level for each in finished.result.findings}
    of_the_wire = [level for rule, level in levels.items() if rule in ("ANT-15", "ANT-16", "GEM-08", "OAI-15")]
    assert levels["history/model-thinking"] == ("MUST" if "MUST" in of_the_wire else "SHOULD")


def test_a_turn_without_thinking_under_an_id_that_came_before_is_one_finding_at_most() -> None:
    """The model uses an id again, so no id says which reply a turn repeats; it was sent without thinking."""
    (finished,) = played(("", "id-used-again", (ANTHROPIC,), "", habits.SendsWhatClaudeCodeDoes))
    assert ids(finished) <= {"ANT-05"}, blamed(finished)


def test_half_characters_are_one_finding_and_no_must() -> None:
    halves = [EventRecord(Assistant(half, "a")) for half in "\ud83d\ude80\ud83d\ude80"]
    trace = Trace(Case("c", "s", CHAT), (*halves, EventRecord(Final(""))))
    (finding,) = judge(trace, ["preview/half-character"])
    assert (finding.level, finding.detail) == ("SHOULD", "and 3 more events")


@pytest.mark.parametrize(
    ("habit", "rule", "number", "became"),
    [
        (habits.RoundsResults, "history/result-value", "9223372036854775783", "9223372036854775808"),
        (habits.RoundsArguments, "execution/model-arguments", "1234567890123456789", "1234567890123456768"),
    ],
)
def test_a_number_that_was_rounded_is_named_with_what_became_of_it(
    habit: type[Loop], rule: str, number: str, became: str
) -> None:
    (finished,) = played(("", "integer-of-nineteen-digits", (CHAT,), "", habit))
    finding = next(each for each in finished.result.findings if each.rule == rule)
    assert (number in f"{finding.expected} {finding.got}", became in str(finding.got)) == (True, True)


@pytest.mark.parametrize("scenario", ["code-run-by-the-provider", "code-that-failed-on-gemini"])
def test_what_the_provider_runs_is_played_to_those_who_declare_it(scenario: str) -> None:
    able: frozenset[Capability] = frozenset({"streaming", "non-streaming", "thinking", "parallel"})
    target = FunctionTarget("nobody", "tests.nobody:nobody", Declaration(frozenset(NATIVE_WIRES), capabilities=able))
    (case, *_) = plan(load([UNIVERSAL / f"{scenario}.yaml"]), target=target, wires=[GEMINI])
    assert "server-tools" in case.skip
