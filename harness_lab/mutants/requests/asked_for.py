"""What requests may ask for that no base request does, and the models that rules tell from each other.

A rule about a setting is silent in every request without it, and one about some models in every request for others. So
each setting is tried with each of its values on each model, and with another setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from harness.ground.data_files import read_data
from harness.wire import WireName
from harness.wire.base import Json

_TYPES: Final[Sequence[Any]] = ("x", "", 0, 7, -1, 0.5, 1000000000, True, False, None, [], ["x"], {}, {"x": 1}, [{}])
"""A value of each type, and at the ends of what numbers may be."""


@dataclass(frozen=True, slots=True)
class AskedFor:
    """A setting: the dotted ``place`` of a member, and its value."""

    place: str
    value: Any

    @property
    def words(self) -> str:
        """It in words: ``temperature 0.5``."""
        return f"{self.place} {self.value!r:.80}"

    def made(self, body: Json) -> Json:
        """The body with it, which shares with it what is as it was."""
        return _with(body, self.place.split("."), self.value)


def _with(body: Json, steps: Sequence[str], value: Any) -> Json:
    step, *others = steps
    if not others:
        return {**body, step: value}
    below = body.get(step)
    return {**body, step: _with(below if isinstance(below, dict) else {}, others, value)}


def asked_for(name: WireName) -> Iterator[AskedFor]:
    """Every setting of a wire with each of the values that mean something."""
    for place, values in _VALUES.get(name, {}).items():
        yield from (AskedFor(place, value) for value in values)


def of_any_type(name: WireName) -> Iterator[AskedFor]:
    """Every setting with a value of each type."""
    yield from (AskedFor(place, value) for place in _VALUES.get(name, {}) for value in _TYPES)


def in_pairs(name: WireName, model: str, most: int) -> Iterator[tuple[AskedFor, AskedFor]]:
    """So many pairs of settings that mean something, other ones for each model: those with the lowest hashes."""
    ranked = sorted(asked_for(name), key=lambda each: crc32(f"{model} {each.words}".encode()))
    half = len(ranked) // 2
    pairs = zip(ranked[:half], ranked[half:], strict=False)
    yield from [(one, other) for one, other in pairs if one.place != other.place][:most]


_PICTURE: Final[Json] = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}


def _called(*ids: str, **members: Any) -> list[Json]:
    """An assistant message with calls under these ids, and their results."""
    function = {"name": "read_file", "arguments": "{}"}
    calls = [{"id": id, "type": "function", "function": function, **members} for id in ids]
    results = [{"role": "tool", "tool_call_id": id, "content": "x"} for id in ids]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *results]


_WORDS: Final = 8192
"""As many as the smallest context window has tokens."""

_ONE_WORD_TOO_MANY: Final = ("a " * (_WORDS // 2 - 1) + "\ud800", "a " * (_WORDS // 2) + "a")
"""In as few characters as can be, and with half a character among them."""

_CHAT_MESSAGES: Final[Sequence[Any]] = (
    [{"role": "user", "content": [{"type": "text", "text": "See."}, _PICTURE, _PICTURE]}],
    [{"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}]}],
    [{"role": "user", "content": [{"type": "file", "file": {"file_data": "data:audio/wav;base64,AAAA"}}]}],
    [{"role": "system", "content": "Be brief."}, {"role": "developer", "content": "Be kind."}],
    _called("call_1", "abcdefg-1", "abcdefg\u00e91"),
    [*_called("call_1"), {"role": "user", "content": "Go on."}],
    [{"role": "user", "content": "aa " * (_WORDS - 1)}, *_called("call_1", function=None)],
    [{"role": "user", "content": [{"type": "text", "text": text} for text in _ONE_WORD_TOO_MANY]}],
)

_ASKED: Final[Json] = {"role": "user", "content": "What does it print?"}
_SEARCH: Final[Json] = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
_FOUND: Final[Json] = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
_UNFINISHED: Final[Sequence[Any]] = (
    *("It prints", "It prints ", "It prints the name of the folder \n", [_SEARCH], [_SEARCH, _FOUND]),
    *([_SEARCH, _FOUND, {**_SEARCH, "id": "srvtoolu_2"}], [{**_SEARCH, "type": "mcp_tool_use", "server_name": "a"}]),
    *([{"type": "text", "text": "It "}, {"type": "text", "text": "prints"}], [{"type": "text", "text": "It "}, _FOUND]),
    [{"type": "text", "text": "It"}, {"type": "text", "text": "prints "}],
)
"""What a message of the assistant's at the end of a history may be."""

_ANSWERED: Final[Json] = {"role": "assistant", "content": "I look."}


def _parted(*ids: str | None) -> list[Json]:
    """Calls under these ids, of which a message stands in front of the last, and their outputs."""
    calls = [{"type": "function_call", "call_id": id, "name": "read_file", "arguments": "{}"} for id in ids]
    outputs = [{"type": "function_call_output", "call_id": id, "output": "x"} for id in ids]
    return [{"role": "user", "content": "Hello."}, *calls[:-1], _ANSWERED, calls[-1], *outputs]


_PARTED: Final = (_parted("call_1", "call_2", "call_3"), _parted("call_1", None))


def _called_alone(argument: str, **members: Any) -> list[Json]:
    """A call and its output, each of one word."""
    call = {"type": "function_call", "call_id": "call_1", "name": "read_file", "arguments": argument, **members}
    return [call, {"type": "function_call_output", "call_id": "call_1", "output": "x"}]


_REFUSED: Final[Json] = {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}

_LONG_HISTORIES: Final[Sequence[Any]] = (
    [{"role": "user", "content": "a " * _WORDS}],
    [{"role": "user", "content": "a\u00a0" * (_WORDS - 3) + "a"}, _REFUSED, *_called_alone("a")],
    [{"role": "user", "content": "a " * (_WORDS - 3) + "a"}, _REFUSED, *_called_alone("a")],
)
"""As long as the smallest context window, and one word longer, which each of its items has a part in."""

_THOUGHT: Final[Json] = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "So."}]}

_THOUGHT_BEFORE: Final[Sequence[Any]] = (
    _called_alone("{}"),
    [_THOUGHT, {"type": "reasoning", "summary": []}, *_called_alone("{}")],
    *([_THOUGHT, {"role": role, "content": "x"}, *_called_alone("{}")] for role in ("user", "system", "developer")),
)
"""Calls that no thought stands in front of, one that it does, and some that something else stands between."""

_HI: Final[Json] = {"role": "user", "parts": [{"text": "Hello."}]}
_INSTRUCTIONS: Final = 5
"""The words of the instructions that all requests have."""

_AS_MANY_WORDS: Final[Sequence[Sequence[str]]] = (
    *(["long " * (_WORDS - _INSTRUCTIONS)], ["long " * (_WORDS - _INSTRUCTIONS) + "a"], ["a " * (_WORDS + 1)]),
    [*("a",) * 30, "a " * (_WORDS - 31)],
)
"""As many words as the smallest window, one more, and more in as few characters as can be, in one text and in many."""

_CONTENTS: Final[Sequence[Any]] = (
    *([], {"parts": [{"text": "x"}]}),
    *([{"parts": [{"text": text} for text in texts]}] for texts in _AS_MANY_WORDS),
    [{"parts": [{"text": "x"}]}, {"role": "model", "parts": [{"text": "a " * _WORDS, "thought": True}]}, _HI],
)

_GREETED: Final[Json] = {"role": "user", "content": [{"text": "Hello."}]}
_IN_S3: Final[Sequence[Json]] = tuple(
    {kind: {"format": kind, "source": {"s3Location": {"uri": "s3://a/b"}}}} for kind in ("image", "video", "document")
)
_SPOKEN: Final[Sequence[Any]] = tuple(
    [{"reasoningContent": {"reasoningText": reasoning}}, {"text": "x"}]
    for reasoning in ({"text": "x"}, {"text": "x", "signature": "A"}, {"signature": "A"})
)
_USED: Final[Json] = {"toolUse": {"toolUseId": "a", "name": "read_file", "input": {}}}
_ANSWER: Final[Json] = {"toolResult": {"toolUseId": "a", "content": [{"text": "x"}]}}
_RESULTS: Final[Sequence[Any]] = (
    *([_ANSWER], [_ANSWER, {"text": "x"}], [_ANSWER, {"cachePoint": {"type": "default"}}]),
    *([{"toolResult": {"toolUseId": "a", "content": [each]}}] for each in _IN_S3),
)

_BEDROCK_MESSAGES: Final[Sequence[Any]] = (
    [],
    *([_GREETED, {"role": "user", "content": [each]}] for each in _IN_S3),
    *([_GREETED, {"role": "assistant", "content": content}, _GREETED] for content in _SPOKEN),
    *([_GREETED, {"role": "assistant", "content": content}] for content in ([{"text": "x"}], [_USED])),
    *([_GREETED, {"role": "assistant", "content": [_USED]}, {"role": "user", "content": each}] for each in _RESULTS),
    [_GREETED, {"role": "assistant", "content": [{"text": "x"}, _USED]}, {"role": "user", "content": _RESULTS[0]}],
    [{"role": "system", "content": [{"text": "x"}]}, {"role": "assistant", "content": [{"text": "x"}]}, _GREETED],
)

_MADE: Final[Mapping[tuple[WireName, str], Sequence[Any]]] = {
    ("openai-chat", "messages"): _CHAT_MESSAGES,
    ("anthropic-messages", "messages"): tuple(
        [_ASKED, {"role": "assistant", "content": content}] for content in _UNFINISHED
    ),
    ("openai-responses", "input"): ("x", "", [], *_PARTED, *_LONG_HISTORIES, *_THOUGHT_BEFORE),
    ("gemini-generate", "contents"): _CONTENTS,
    ("gemini-generate", "generationConfig.temperature"): (0, 0.5, 2, 2.5, "1", "2.5", 10**400),
    ("bedrock-converse", "messages"): _BEDROCK_MESSAGES,
}

_TABLE: Final = read_data(Path(__file__).with_suffix(".yaml"))

_VALUES: Final[Mapping[WireName, Mapping[str, Sequence[Any]]]] = {
    wire: {place: _MADE[wire, place] if values == "made" else values for place, values in places.items()}
    for wire, places in _TABLE["values"].items()
}

MODELS: Final[Mapping[WireName, Sequence[str]]] = _TABLE["models"]
"""For each wire models of every kind that its table of models has facts about, and such as it knows nothing of."""

HEADERS: Final[Mapping[WireName, Sequence[Mapping[str, str]]]] = _TABLE["headers"]
"""Headers that rules look at, and no base request has."""
