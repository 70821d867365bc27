"""Small valid loops in the text protocol."""

from __future__ import annotations

from typing import Any, Final

from harness.wire import Call, FinishReason, Text, ThinkingPart, Turn
from harness.wire.played import BaseRequest
from harness.wire.text_tags.prompt import ANSWER_NOW

_LIST: Final = Call("list_files", '{"path": "src"}')
_READ: Final = Call("read_file", '{"path": "src/app.py"}')


def _of(name: str, *turns: Turn, **members: Any) -> BaseRequest:
    return BaseRequest(f"tags-{name}", "text-tags", "llama-3.2-3b-instruct", turns, **members)


def _calls(*parts: Any) -> Turn:
    return Turn(parts, FinishReason.TOOL_CALLS)


BASE_REQUESTS: Final = (
    _of("one-call", _calls(_READ)),
    _of("three-calls", _calls(ThinkingPart("Both."), Text("I look."), _LIST, _READ, _LIST)),
    _of("turns", _calls(_LIST), Turn((Text("Do I go on?"),)), _calls(ThinkingPart("There."), _READ, _LIST)),
    _of("demanded", _calls(_READ, _LIST), follow_ups=("Look: a map.", ANSWER_NOW)),
)

HARMLESS: Final = ()
