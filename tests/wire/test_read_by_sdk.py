"""The official SDKs read what a wire writes: turns of every kind, however the bytes are cut; and when calls arrive."""

from __future__ import annotations

import json

import pytest

from harness.wire import Call, FinishReason, Refusal, Text, ThinkingPart, Turn, WireName
from tests.wire.arriving import arrivals_of, crlf, lengths_of
from tests.wire.by_sdk import READS, HeardBySdk
from tests.wire.cutting import cut_places
from tests.wire.openai_anthropic.transport import cut
from tests.wire.spoken import rendered
from tests.wire.whole_turns import WHOLE_TURNS

pytestmark = pytest.mark.anyio

STOPS: dict[WireName, dict[FinishReason, str]] = {
    "anthropic-messages": {
        FinishReason.END: "end_turn",
        FinishReason.TOOL_CALLS: "tool_use",
        FinishReason.MAX_TOKENS: "max_tokens",
        FinishReason.REFUSAL: "refusal",
        FinishReason.CONTENT_FILTER: "refusal",
        FinishReason.PAUSE: "pause_turn",
    },
    "gemini-generate": {
        FinishReason.MAX_TOKENS: "MAX_TOKENS",
        FinishReason.CONTENT_FILTER: "SAFETY",
        FinishReason.REFUSAL: "PROHIBITED_CONTENT",
    },
    "openai-chat": {
        FinishReason.TOOL_CALLS: "tool_calls",
        FinishReason.MAX_TOKENS: "length",
        FinishReason.CONTENT_FILTER: "content_filter",
    },
    "openai-responses": {
        FinishReason.MAX_TOKENS: "max_output_tokens",
        FinishReason.CONTENT_FILTER: "content_filter",
    },
}
USUAL_STOPS: dict[WireName, str] = {"gemini-generate": "STOP", "openai-chat": "stop", "openai-responses": "completed"}

NO_PART_FOR_REFUSALS = ("anthropic-messages", "gemini-generate")

SAID = [
    (name, said)
    for name in READS
    for said in WHOLE_TURNS[name]
    # The SDK's accumulation of Chat joins texts without looking at surrogates, so it cannot judge that turn.
    if (name, said) != ("openai-chat", "utf16")
]


def says(heard: HeardBySdk, name: WireName, turn: Turn) -> None:
    """What the SDK has read is what the script says."""
    parts = list(turn.parts)
    if name == "gemini-generate":  # where the first call that is no object ends the answer
        wrong = [at for at, part in enumerate(parts) if isinstance(part, Call) and not _is_object(part.arguments)]
        parts = parts[: min(wrong, default=len(parts))]
    texts = (Text, Refusal) if name in NO_PART_FOR_REFUSALS else (Text,)
    refusal = "".join(part.text for part in parts if isinstance(part, Refusal) and Refusal not in texts)
    shown = [part for part in parts if isinstance(part, ThinkingPart) and part.form == "plain"]
    assert _joined(heard.text) == "".join(part.text for part in parts if isinstance(part, texts))
    assert _joined(heard.thinking) == "".join(part.text for part in shown)
    assert heard.refusal == refusal
    called = [(part.name, _value(part.arguments)) for part in parts if isinstance(part, Call)]
    assert [(each, _value(_joined(arguments))) for each, arguments in heard.calls] == called
    assert heard.stop == STOPS[name].get(turn.stop, USUAL_STOPS.get(name))
    assert heard.spent == turn.usage.input + turn.usage.output


def _joined(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _value(arguments: str) -> object:
    try:
        return json.loads(arguments or "{}")
    except ValueError:
        return arguments


def _is_object(arguments: str) -> bool:
    return isinstance(_value(arguments), dict)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("size", [0, 1, 2, 3, 7])
@pytest.mark.parametrize(("name", "said"), SAID)
async def test_the_sdk_reads_the_turn_in_pieces_of_any_size(name: WireName, said: str, size: int) -> None:
    turn = WHOLE_TURNS[name][said]
    answer = rendered(name, turn, stream=True)
    pieces = cut(answer.body, size) if size else list(answer.frames)
    says(await READS[name](pieces, answer.content_type), name, turn)


@pytest.mark.parametrize(
    ("name", "said"),
    [each for each in SAID if each[1] != "max-tokens-in-tool"],  # where an input is an object
)
async def test_the_sdk_reads_the_document(name: WireName, said: str) -> None:
    turn = WHOLE_TURNS[name][said]
    answer = rendered(name, turn, stream=False)
    assert answer.terminal == 0
    says(await READS[name]([answer.body], answer.content_type), name, turn)


@pytest.mark.parametrize("name", READS)
async def test_the_sdk_reads_a_body_cut_anywhere_in_two(name: WireName) -> None:
    turn = Turn((Text("é\U0001f600"), Call("f", '{"a": 1}')), FinishReason.TOOL_CALLS, deltas="whole")
    answer = rendered(name, turn, stream=True)
    for at in cut_places(answer.body):
        says(await READS[name]([answer.body[:at], answer.body[at:]], answer.content_type), name, turn)


@pytest.mark.parametrize(("name", "said"), [each for each in SAID if each[0] != "gemini-generate"])
async def test_calls_arrive_in_the_pieces_that_the_sdk_has(name: WireName, said: str) -> None:
    answer = rendered(name, WHOLE_TURNS[name][said], stream=True)
    pieces = (await READS[name](answer.frames, answer.content_type)).pieces
    for body in (answer.body, crlf(answer.body)):
        assert [each.lengths for each in arrivals_of(name, body)] == [lengths_of(of_call) for of_call in pieces]
