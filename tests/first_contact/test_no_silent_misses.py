"""Each loop that was wrong in silence is named, on the wires where it is wrong, and the right ones beside it pass."""

from __future__ import annotations

import pytest

from harness.wire import NATIVE_WIRES, WireName
from tests.first_contact.test_no_false_blame import driven, ids, told, universal

pytestmark = pytest.mark.anyio

RESPONSES, CHAT, ANTHROPIC, GEMINI = NATIVE_WIRES
LOOPS = "tests.first_contact.missed_loops"
DIGITS = (RESPONSES, CHAT, ANTHROPIC)

WRONG: list[tuple[str, str, tuple[WireName, ...], str]] = [
    ("asks_again", "tool-returns", NATIVE_WIRES, "history/question-once"),
    ("squeezes_the_prompt", "prompt-with-indented-lines", NATIVE_WIRES, "offered/prompt"),
    ("says_nothing_of_failures", "tool-raises", (RESPONSES, CHAT, GEMINI), "history/result-error"),
    ("rounds_arguments", "integer-of-nineteen-digits", DIGITS, "execution/model-arguments"),
    ("rounds_results", "integer-of-nineteen-digits", DIGITS, "history/result-value"),
    ("composes_results", "combining-marks", NATIVE_WIRES, "history/result-value"),
    ("cuts_results", "result-of-seventy-thousand-characters", NATIVE_WIRES, "history/result-value"),
    ("runs_equal_calls_once", "two-equal-calls-in-one-turn", NATIVE_WIRES, "execution/every-call"),
    ("thinks_first", "thinking-behind-a-call", (ANTHROPIC,), "history/model-order"),
    ("thinks_once", "thinking-in-every-turn", (ANTHROPIC,), "history/thinking-mode"),
    ("thoughtless", "thinking-on-chat", (CHAT,), "OAC-19"),
    ("counts_cached_tokens_twice", "usage-mostly-cached", (CHAT,), "history/append-only"),
    ("says_all_twice", "tool-returns", NATIVE_WIRES, "final/text"),
]
RIGHT: list[tuple[str, str, tuple[WireName, ...]]] = [
    ("reminds", "tool-returns", NATIVE_WIRES),
    ("reminds", "thinking-in-every-turn", NATIVE_WIRES),
    ("strips_the_prompt", "prompt-with-indented-lines", NATIVE_WIRES),
    ("says_one_word_of_failures", "tool-raises", (RESPONSES, CHAT, GEMINI)),
    ("reads_results", "integer-of-nineteen-digits", DIGITS),
    ("cuts_results_and_says_so", "result-of-seventy-thousand-characters", NATIVE_WIRES),
    ("leaves_equal_calls_out", "two-equal-calls-in-one-turn", NATIVE_WIRES),
    ("thinks_always", "thinking-in-every-turn", (ANTHROPIC,)),
    ("thinks_until_it_is_forced", "tool-returns", (ANTHROPIC,)),
    ("plain", "integer-of-nineteen-digits", DIGITS),
    ("plain", "combining-marks", NATIVE_WIRES),
    ("plain", "result-of-seventy-thousand-characters", NATIVE_WIRES),
    ("plain", "two-equal-calls-in-one-turn", NATIVE_WIRES),
    ("thinks_always", "thinking-behind-a-call", (ANTHROPIC,)),
    ("plain", "thinking-on-chat", (CHAT,)),
    ("plain", "usage-mostly-cached", NATIVE_WIRES),
]


@pytest.mark.parametrize(("loop", "scenario", "wires", "rule"), WRONG)
async def test_what_was_missed_is_found(loop: str, scenario: str, wires: tuple[WireName, ...], rule: str) -> None:
    for finished in await driven(loop, universal(scenario), wires, LOOPS):
        assert rule in ids(finished), (finished.result.id, told(finished))


@pytest.mark.parametrize(("loop", "scenario", "wires"), RIGHT)
async def test_the_right_loop_beside_it_is_not(loop: str, scenario: str, wires: tuple[WireName, ...]) -> None:
    for finished in await driven(loop, universal(scenario), wires, LOOPS):
        assert (told(finished), finished.result.error) == ([], None), finished.result.id


async def test_a_number_that_was_rounded_is_named_with_what_became_of_it() -> None:
    (finished,) = await driven("rounds_results", universal("integer-of-nineteen-digits"), [CHAT], LOOPS)
    (finding,) = finished.result.findings
    assert "9223372036854775783 became 9223372036854775808" in finding.got
    (finished,) = await driven("rounds_arguments", universal("integer-of-nineteen-digits"), [CHAT], LOOPS)
    finding = next(each for each in finished.result.findings if each.rule == "execution/model-arguments")
    assert ("1234567890123456789" in finding.expected, finding.got) == (True, "1234567890123456768")
