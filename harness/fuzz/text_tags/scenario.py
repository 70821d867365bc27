"""An example as a regression scenario: a model that sends the text, and the result that the grammar demands.

The expectations come from the grammar and not from a parser, so that a scenario made of a mistake of ours fails until
the mistake is gone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from harness.fuzz.text_tags.example import ArrivingText
from harness.fuzz.text_tags.grammar import Called, ParsedText, parsed
from harness.fuzz.yaml_text import yaml_text
from harness.scenario.tools import CANONICAL
from harness.wire.characters import is_sendable
from harness.wire.text_tags.tags import Tag

_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
_DONE: Final = 'assistant("Done.") final(completed)'


def scenario(example: ArrivingText, name: str, summary: str) -> Mapping[str, str] | None:
    """The scenario ``NAME.yaml``. None for a long text, for an empty one, and for one with half a surrogate pair, which
    no file can contain.

    A call under a name that no tool of a scenario may have is one of an unknown tool.
    """
    if example.times > 1 or not example.text or not is_sendable(example.text):
        return None
    result = parsed(example.text)
    lines = [
        f"scenario: {name}",
        "profile: hugind",
        f"summary: {yaml_text(summary)}",
        "wires: [text-tags]",
        "",
        "prompt: Go on.",
        *_tool_lines(_tools(result)),
        "model:",
        f"  - text: {yaml_text(example.text)}",
        f"    deltas: {'whole' if len(example.deltas) == 1 else 'utf16'}",
        *(["  - text: Done."] if _calls(result) else []),
        "",
        "expect:",
        "  outcome: completed",
        f"  turns: {2 if _calls(result) else 1}",
        f"  events: {yaml_text(' '.join(_events(result, example.text)))}",
    ]
    return {f"{name}.yaml": "\n".join(lines) + "\n"}


def _calls(result: ParsedText) -> bool:
    """Whether a loop must answer something: a call, or a block that is none."""
    return bool(result.calls) or result.doubt is not None


def _tools(result: ParsedText) -> dict[str, list[Called]]:
    """The calls of each tool that can be declared."""
    tools: dict[str, list[Called]] = {}
    for call in (*result.calls, *([result.last] if result.last else [])):
        if _may_be_declared(call.name):
            tools.setdefault(call.name, []).append(call)
    return tools


def _may_be_declared(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name not in CANONICAL


def _tool_lines(tools: Mapping[str, Iterable[Called]]) -> Iterator[str]:
    """Tools that accept exactly the arguments of their calls."""
    if tools:
        yield "tools:"
    for name, calls in tools.items():
        yield f"  - name: {name}"
        yield "    description: Does nothing."
        yield f"    parameters: {{type: object, enum: {yaml_text([dict(call.arguments) for call in calls])}}}"
        yield "    returns: done"


def _events(result: ParsedText, text: str) -> Iterator[str]:
    shown = result.text.strip()
    if result.text_is_whole and Tag.THINK not in text:
        yield f"assistant({json.dumps(shown, ensure_ascii=False)})" if shown else ""
    else:
        yield "(thinking | assistant)*"
    yield from (_run(call) for call in result.calls)
    if result.doubt is not None:
        yield "(toolStart toolResult)*"
    if result.last:
        yield _run(result.last)
    yield _DONE if _calls(result) else "final(completed)"


def _run(call: Called) -> str:
    if not _may_be_declared(call.name):
        return "toolStart toolResult(failed)"
    return f"toolStart({call.name}) toolResult({call.name}, ok)"
