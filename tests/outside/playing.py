"""What programs are written with: a register of them, and the words, tools and examples that they ask with.

A program is a generator: it yields a request (``conversing.Ask``) and is sent the turn that the model has answered
with. Words, ids and numbers are drawn, so that the same program can be tried with others.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from random import Random
from typing import Any

from tests.outside.conversing import Ask, Calls, Do, Gives, Message, Says, Tool

Turn = Says | Calls
Playing = Generator[Ask, Turn, None]
Program = Callable[[Random], Playing]
PROGRAMS: dict[str, Program] = {}
MIXED: dict[str, Program] = {}
"""Programs with turns in their history that somebody else has answered."""

REWRITERS: dict[str, Program] = {}
"""Programs that go on from what the model has said with another history before it, on purpose. Nobody can tell them
from a loop that loses its history by looking at their requests."""

OBJECT = {"type": "object"}
ADD = Tool(
    "add", {**OBJECT, "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}
)
WEATHER = Tool("get_weather", {**OBJECT, "properties": {"place": {"type": "string"}}, "required": ["place"]})
CUSTOMER = Tool("customer", {**OBJECT, "properties": {"名前": {"type": "string"}, "name": {"type": "string"}}})
NOTHING = Tool("ping", {**OBJECT, "properties": {}})
PLAN = {
    **OBJECT,
    "properties": {"title": {"type": "string"}, "aside": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
    "required": ["title", "aside"],
    "additionalProperties": False,
}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
PDF = "JVBERi0xLjEKdHJhaWxlcjw8Pj4KJSVFT0YK"
SIGNED = "EqQBCkYICxgCKkBCaWxnZSBwdW1wIG9uIHRoZSBsZWUgc2lkZQ=="

WORDS = ["tide", "reef", "pilot", "harbour", "lantern", "oar", "cargo", "gale", "mooring", "sextant", "log", "keel"]
OPEN: set[str] = set()


def program(play: Program) -> Program:
    PROGRAMS[play.__name__] = play
    return play


def rewriter(play: Program) -> Program:
    REWRITERS[play.__name__] = play
    return play


def mixed(play: Program) -> Program:
    MIXED[play.__name__] = play
    return play


def left_open(play: Program) -> Program:
    """A program that asks for calls and does not answer them: a test of what the model can do, no loop."""
    OPEN.add(play.__name__)
    return program(play)


def leaves_calls_open(name: str) -> bool:
    """Whether the program never answers calls that it has not forced."""
    return name in OPEN


def word(draw: Random) -> str:
    return draw.choice(WORDS)


def question(draw: Random) -> Says:
    return Says("user", f"What of the {word(draw)} and the {word(draw)}?")


def an_id(draw: Random) -> str:
    """As tests write them, as clients make them up, and as other providers do."""
    return draw.choice(["1", "abc123", "foo", f"call_{draw.getrandbits(60):x}", f"toolu_{draw.getrandbits(60):x}"])


def added(draw: Random, **some: Any) -> Do:
    arguments: Mapping[str, Any] = some or {"a": draw.randint(0, 2), "b": 2}
    return Do(an_id(draw), "add", arguments)


def example(draw: Random, *, text: str = "", failed: bool = False) -> list[Message]:
    """A question, a call and its result that no model has said."""
    call = added(draw)
    return [Says("user", "What is 1 + 2?"), Calls([call], text), Gives(call, '{"sum": 3}', failed)]


def whole_or_streamed(draw: Random) -> bool:
    return draw.random() < 0.5
