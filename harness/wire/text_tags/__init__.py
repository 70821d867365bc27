"""Tool calls written as text, over Chat Completions: the protocol of models that have no function calling.

    <tool_call>{"name": "read_file", "args": {"path": "a.py"}}</tool_call>
    <|tool_call>call:read_file{path: "a.py"}<tool_call|>

A dialect of the ``openai-chat`` wire with the same requests, streams and errors. The calls are in the text of the
answer, and their results come back in one user message.

    words        a turn as one text, and back
    results      the message with the results, written and read
    stream       ``TextTags``: an answer's text parsed while it arrives (tags, repaired_json, call, reader below it)
    prompt       what the system prompt and results say of tools, skills and failures
    rules        what a continuation must keep

Source: the design document "Hugind Tool Calling Flow". ``docs/deviations.md`` explains where this package departs from
that document's program.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from harness.wire.base import Demand, GrowingRead, Route, Wire
from harness.wire.judge import DeclaredRules
from harness.wire.openai_chat import WIRE as CHAT
from harness.wire.text_tags.arrival import arrivals
from harness.wire.text_tags.call import TextCall
from harness.wire.text_tags.read import read
from harness.wire.text_tags.reader import ReadPiece
from harness.wire.text_tags.render import parse, render
from harness.wire.text_tags.rules.book import BODY, TURNS, violations
from harness.wire.text_tags.stream import TextTags, parse_tool_calls, strip_thinking, strip_tool_calls
from harness.wire.text_tags.write import SETTINGS, answers, entries, returned, write

__all__ = [
    "WIRE",
    "ReadPiece",
    "TextCall",
    "TextTags",
    "parse_tool_calls",
    "strip_thinking",
    "strip_tool_calls",
]

_NAME: Final = "text-tags"


def _route(method: str, path: str) -> Route | None:
    """None: it shares the path of Chat Completions, so it serves only cases that name the dialect."""
    return Route(_NAME) if CHAT.route(method, path) else None


WIRE: Final[Wire] = replace(
    CHAT,
    name=_NAME,
    label="tags",
    dialect_of=CHAT.name,
    rule_prefix="TAG",
    rules=DeclaredRules(BODY, TURNS),
    default_model="qwen3-8b",
    thinking_model="",
    settings=SETTINGS,
    route=_route,
    read=GrowingRead(read),
    violations=violations,
    render=render,
    dialects={},
    keeping=None,
    parse=parse,
    arrivals=arrivals,
    write=write,
    entries=entries,
    returned=returned,
    answers=answers,
    custom_tools=False,
    scripted=frozenset(),
    declares_tools=False,
    has_skills=True,
    call_ids="none",
    demand=Demand(
        "Every request keeps the protocol in which calls and results are text.",
        "No server refuses a wrong continuation: the model takes one result for another's, repeats calls that have "
        "been made, or believes what it has not said. What the Chat API itself refuses is reported too, under its own "
        "ids (OAC-01).",
        "Hugind Tool Calling Flow, sections 3, 4 and 6, and measured cases of the program behind it",
        impact="unsafe",  # no server refuses a text: a violation has the status 200
    ),
)
