"""Each row of what was blamed wrongly at first contact: a small loop that does exactly this, and is right, passes.

The loops (``blamed_loops``) ask the real endpoint over HTTP and import nothing of the harness. Beside each row stands
a loop that is wrong in the same place, which is still found: a rule that nothing breaks would pass, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from harness.rules import judge
from harness.runner.execute import Finished, execute
from harness.runner.plan import plan
from harness.scenario import load, shipped
from harness.targets import Declaration
from harness.targets.function import FunctionTarget
from harness.trace import Assistant, Case, EventRecord, Final, Trace
from harness.wire import NATIVE_WIRES, WireName

pytestmark = pytest.mark.anyio

RESPONSES, CHAT, ANTHROPIC, GEMINI = NATIVE_WIRES
LOOPS = "tests.first_contact.blamed_loops"


EVERY_WIRE = Declaration(frozenset(NATIVE_WIRES))


async def driven(
    loop: str, path: Path, wires: Sequence[WireName], module: str = LOOPS, declared: Declaration = EVERY_WIRE
) -> list[Finished]:
    """A loop at a scenario, one case on each of the wires that the scenario has."""
    endpoints = Endpoints()
    target = FunctionTarget(loop, f"{module}:{loop}", declared)
    planned = plan(load([path]), target=target, wires=wires)
    first = {each.case.wire: each for each in reversed(planned)}
    cases = [first[wire] for wire in wires if wire in first]
    assert cases
    try:
        async with serving(endpoints) as base_url:
            return list(await execute(cases, target, endpoints, base_url, deadline=60.0))
    finally:
        await target.close()


def universal(name: str) -> Path:
    return shipped() / "universal" / f"{name}.yaml"


def told(finished: Finished) -> list[str]:
    return [f"{each.id} {each.level}: {each.expected} / {each.got}" for each in finished.result.findings]


def ids(finished: Finished) -> set[str]:
    return {each.id for each in finished.result.findings}


async def passes(loop: str, path: Path, *wires: WireName) -> None:
    for finished in await driven(loop, path, wires or NATIVE_WIRES):
        assert (told(finished), finished.result.error) == ([], None), finished.result.id
        assert finished.result.verdict == "pass", finished.result.reason


async def is_blamed(loop: str, path: Path, **right: str) -> None:
    """On each wire, for what is named there: the ids that must be among those of the findings."""
    wires: dict[str, WireName] = {name.partition("-")[2]: name for name in NATIVE_WIRES}
    asked = [wires[wire] for wire in right]
    for finished, expected in zip(await driven(loop, path, asked), right.values(), strict=True):
        assert set(expected.split()) <= ids(finished), (finished.result.id, told(finished))


@pytest.fixture
def between(tmp_path: Path) -> Path:
    """A turn of a call, a text and a call."""
    return scenario(
        tmp_path,
        """
  - parts:
      - call: {look: {at: door}}
      - text: And now the window.
      - call: {look: {at: window}}
  - text: All shut.
""",
    )


def scenario(folder: Path, model: str, expect: str = "outcome: completed", wires: str = "native") -> Path:
    path = folder / "of-a-test.yaml"
    path.write_text(
        f"""scenario: of-a-test
profile: universal
summary: What a model says in a test.
wires: {wires}

prompt: Is everything shut?
tools:
  - name: look
    description: Look at something.
    parameters:
      type: object
      properties:
        at: {{type: string, description: What.}}
      required: [at]
      additionalProperties: false
    returns: shut
model:{model}
expect:
  {expect}
""",
        encoding="utf-8",
    )
    return path


# --- A1 -------------------------------------------------------------------------------------------------------


async def test_h2_client_metadata_on_responses() -> None:
    await passes("of_codex", universal("tool-returns"), RESPONSES)
    await is_blamed("of_nobody", universal("tool-returns"), responses="OAI-05")


async def test_h3_an_order_that_chat_cannot_say(between: Path) -> None:
    await passes("plain", between)
    await passes("streamed", between, CHAT, ANTHROPIC)


# --- A2 -------------------------------------------------------------------------------------------------------


async def test_f2_a_character_in_a_json_escape() -> None:
    """``json.dumps`` writes them by default."""
    await passes("plain", universal("tool-returns-any-json"))


async def test_f2_a_result_that_did_not_go_back_is_missed() -> None:
    (finished,) = await driven("forgets", universal("tool-returns-any-json"), [RESPONSES])
    assert {"history/results", "OAI-10"} <= ids(finished)


async def test_f6_no_rule_judges_a_document_as_a_stream() -> None:
    """The loop asks for a document, which has come to its end when it has been read. What the scenario itself expects
    of a stream is for the driver's check to leave out, which finds that the loop does not ask for one."""
    for finished in await driven("plain", universal("stream-without-its-end"), NATIVE_WIRES):
        assert {each for each in ids(finished) if not each.startswith("expect/")} == set(), finished.result.id
    await is_blamed("trusting", universal("stream-without-its-end"), chat="final/failed-turn")


async def test_f6_a_loop_that_asks_for_documents_is_judged_by_all_else() -> None:
    await passes("plain", universal("parallel-calls"))
    await passes("plain", universal("thinking-in-every-turn"))


# --- A3 -------------------------------------------------------------------------------------------------------


async def test_row_1_ids_left_out_on_gemini() -> None:
    await passes("ids_left_out", universal("tool-returns"), GEMINI)
    await passes("ids_left_out", universal("parallel-calls"), GEMINI)
    await is_blamed("ids_left_out_of_calls", universal("tool-returns"), generate="history/model-calls")


@pytest.mark.parametrize("wire", [RESPONSES, ANTHROPIC, GEMINI])
async def test_row_2_dropped_thinking_has_one_level(wire: WireName) -> None:
    """MUST where the provider's own table says that it refuses the request for certain, and SHOULD elsewhere."""
    loop = "thoughtless_on_claude" if wire == ANTHROPIC else "thoughtless"
    (finished,) = await driven(loop, universal("thinking-in-every-turn"), [wire])
    levels = {each.id: each.level for each in finished.result.findings}
    assert "history/model-thinking" in levels
    of_the_wire = [level for rule, level in levels.items() if rule in ("ANT-15", "ANT-16", "GEM-08", "OAI-15")]
    assert levels["history/model-thinking"] == ("MUST" if "MUST" in of_the_wire else "SHOULD")


def test_row_3_half_characters_are_one_finding_and_no_must() -> None:
    halves = [EventRecord(Assistant(half, "a")) for half in "\ud83d\ude80\ud83d\ude80"]
    trace = Trace(Case("c", "s", CHAT), (*halves, EventRecord(Final(""))))
    (finding,) = judge(trace, ["preview/half-character"])
    assert (finding.level, finding.detail) == ("SHOULD", "and 3 more events")


async def test_row_3_joined_halves() -> None:
    await passes("streamed", universal("answer-in-half-characters"), CHAT, ANTHROPIC)


async def test_row_4_missing_and_repeated_ids_are_the_loops_to_replace() -> None:
    await passes("odd_ids_replaced", universal("one-id-for-two-calls"))
    await passes("odd_ids_replaced", universal("several-calls-without-ids"), RESPONSES, CHAT, ANTHROPIC)
    await passes("odd_ids_replaced", universal("ids-left-out"), GEMINI)


async def test_row_6_text_between_calls_goes_back_first(between: Path) -> None:
    await passes("text_first", between, RESPONSES, ANTHROPIC, GEMINI)
    await passes("text_first", universal("text-between-calls"), RESPONSES, ANTHROPIC, GEMINI)
    await is_blamed("text_last", universal("parallel-calls"), responses="history/model-order")


@pytest.mark.parametrize("loop", ["backwards", "reading_first"])
async def test_row_6_results_in_another_order(loop: str) -> None:
    await passes(loop, universal("parallel-calls"))


async def test_row_6_results_without_ids_keep_their_order() -> None:
    await is_blamed("reading_first", universal("ids-left-out"), generate="history/result-order")


async def test_row_7_a_repeated_id_goes_back_once() -> None:
    await passes("one_id_once", universal("one-id-for-two-calls"))


async def test_row_7_a_repeated_id_without_a_result_is_missed() -> None:
    await is_blamed("one_id_never_answered", universal("one-id-for-two-calls"), chat="history/results")


async def test_row_8_a_turn_with_broken_arguments_is_asked_for_again() -> None:
    await passes("broken_turns_dropped", universal("arguments-cut-off"), RESPONSES, CHAT)
    await passes("broken_streams_asked_again", universal("arguments-cut-off"), CHAT, ANTHROPIC)


async def test_row_8_a_turn_of_a_broken_stream_is_asked_for_again(tmp_path: Path) -> None:
    broken = """
  - calls: [{look: {at: door}}]
    ending: eof
  - calls: [{look: {at: door}}]
  - text: It is shut.
"""
    await passes("broken_streams_asked_again", scenario(tmp_path, broken), CHAT, ANTHROPIC)


async def test_row_8_a_whole_turn_may_not_be_left_out() -> None:
    await is_blamed("leaves_turns_out", universal("tool-returns"), chat="history/results", responses="history/results")


async def test_row_9_every_call_has_an_id_of_the_loops_own() -> None:
    await passes("own_ids", universal("parallel-calls"))
    await passes("own_ids", universal("ids-left-out"), GEMINI)
    await passes("own_ids", universal("id-used-again"), RESPONSES, ANTHROPIC)
    await is_blamed("own_ids_in_calls_only", universal("tool-returns"), chat="history/model-calls OAC-03")


async def test_row_9_a_turn_that_came_without_thinking_is_known_under_other_ids() -> None:
    await passes("own_ids", universal("thinking-omitted"), CHAT)
    await passes("own_ids_and_thinking", universal("tool-returns"), ANTHROPIC)


# --- C --------------------------------------------------------------------------------------------------------


async def test_c5_reasoning_content_is_missed_by_models_that_want_it_only(tmp_path: Path) -> None:
    thinks = """
  - thinking: I look first.
    calls: [{look: {at: door}}]
  - text: It is shut.
"""
    path = scenario(tmp_path, thinks, wires="[openai-chat]")
    await passes("thoughtless_on_gpt", path, CHAT)
    await is_blamed("thoughtless", path, chat="OAC-19")


async def test_c9_a_turn_without_thinking_under_an_id_that_came_before() -> None:
    """The model uses an id again, so no id says which reply a turn repeats; it was sent without thinking."""
    (finished,) = await driven("of_claude_code", universal("id-used-again"), [ANTHROPIC])
    assert ids(finished) <= {"ANT-05"}, told(finished)
    await passes("of_claude_code", universal("tool-returns"), ANTHROPIC)
