"""Tools of another protocol: TAG-05."""

from __future__ import annotations

from collections import Counter
from typing import Final

from harness.wire.base import Json
from harness.wire.lenient import objects
from harness.wire.openai_chat.rules.places import insert, leave_out
from harness.wire.posted import Wrong, put
from harness.wire.rule import ErrorTemplate, WireRule
from harness.wire.text_tags.rules.book import BODY
from harness.wire.text_tags.rules.places import answered, results
from harness.wire.text_tags.rules.turn import Found

_FUNCTION: Final = {"name": "read_file", "parameters": {"type": "object", "properties": {}}}
_CALL: Final = {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
_RESULT: Final = {"role": "tool", "tool_call_id": "call_1", "content": "ok"}

TAG_05: Final = WireRule(
    "TAG-05",
    "There are no native tools, tool calls or tool messages.",
    "An adapter that falls back to native function calling for a model that has none loses every call.",
    "certain",
    ("Hugind Tool Calling Flow, section 6",),
    (
        ErrorTemplate(
            "A model that gets tools in two forms calls them in either; the loop reads its text alone.",
            status=200,
            name="native",
        ),
    ),
    wrong=(
        Wrong(
            "tags-tools-declared",
            "Tools are declared as for a model with function calling.",
            lambda it: put([it.body], tools=[{"type": "function", "function": _FUNCTION}]),
            "one-call",
        ),
        Wrong(
            "tags-functions-declared",
            "Functions are declared as they were before there were tools.",
            lambda it: put([it.body], functions=[_FUNCTION]),
            "one-call",
        ),
        Wrong(
            "tags-calls-native",
            "A call and its result are native.",
            lambda it: (
                put(answered(it)[-1:], tool_calls=[_CALL])
                and insert(it, found := results(it)[-1:], {**_RESULT})
                and leave_out(it, found)
            ),
            "one-call turns",
        ),
    ),
)


@BODY.check("native", TAG_05)
def tools_are_text(body: Json) -> Found:
    """Reports declared tools, then the first of each kind of native message."""
    for name in ("tools", "functions"):
        if body.get(name):
            yield TAG_05.broken(name, expected=f"no {name}: the system prompt has them", got="declared")
    kinds: Counter[str] = Counter()
    for at, message in enumerate(objects(body.get("messages"))):
        kind = "a tool message" if message.get("role") in ("tool", "function") else ""
        kind = kind or next((name for name in ("tool_calls", "function_call") if message.get(name)), "")
        kinds[kind] += 1
        if kind and kinds[kind] == 1:
            yield TAG_05.broken(f"messages[{at}]", expected="calls and results as text", got=kind)
