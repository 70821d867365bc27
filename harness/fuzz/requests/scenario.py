"""An example as a scenario, in which the reference loop sends such requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import yaml

from harness.fuzz.requests.example import RequestExample
from harness.wire import Call, FinishReason, Part, Refusal, Text, ThinkingPart, Turn
from harness.wire.characters import is_sendable
from harness.wire.played import TOOLS

_OFFERED: Final = tuple(tool.name for tool in TOOLS)
_STOPS: Final = (FinishReason.END, FinishReason.TOOL_CALLS)


def scenario(example: RequestExample, name: str, summary: str) -> Mapping[str, str] | None:
    """The scenario ``NAME.yaml``, with one more turn that ends the run.

    None if no loop can be made to send such a request: a changed or damaged one, one that continues after an answer,
    and one with parts that only this base request has (pauses, other tools, half a surrogate pair).
    """
    turns = example.turns
    goes_on = any(not turn.calls for turn in turns[:-1])
    if example.change or example.damage or goes_on or not all(map(_can_be_scripted, turns)):
        return None
    model = [_turn(turn) for turn in turns]
    if not turns or turns[-1].calls:
        model.append({"text": "Done."})
    document = {
        "scenario": name,
        "profile": "universal",
        "summary": summary,
        "wires": [example.wire],
        "prompt": [{"system": "You answer questions about code."}, {"user": "What is in src/app.py?"}],
        "tools": [_tool(name) for name in dict.fromkeys(call.name for turn in turns for call in turn.calls)],
        "model": model,
        "expect": {
            "outcome": "refused" if turns and _refuses(turns[-1]) else "completed",
            "turns": len(model),
            "requests": len(model),
        },
    }
    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110)
    return {f"{name}.yaml": text}


def _can_be_scripted(turn: Turn) -> bool:
    calls_are_known = all(call.name in _OFFERED for call in turn.calls)
    return turn.stop in _STOPS and calls_are_known and all(map(is_sendable, map(_words, turn.parts)))


def _words(part: Part) -> str:
    return part.arguments if isinstance(part, Call) else part.text


def _refuses(turn: Turn) -> bool:
    return any(isinstance(part, Refusal) for part in turn.parts)


def _tool(name: str) -> dict[str, Any]:
    described = next(tool for tool in TOOLS if tool.name == name)
    return {
        "name": name,
        "description": described.description,
        "parameters": dict(described.parameters),
        "returns": {"content": "ok"},
    }


def _turn(turn: Turn) -> dict[str, Any]:
    return {"parts": [_part(part) for part in turn.parts]}


def _part(part: Part) -> dict[str, Any]:
    match part:
        case Call(name, arguments, id):
            call_id = {} if id is None else {"id": id or "none"}
            return {"call": {"name": name, "arguments": arguments, **call_id}}
        case ThinkingPart(text, form):
            return {"thinking": text if form == "plain" else {form: True}}
        case Refusal(text):
            return {"refusal": text}
        case Text(text):
            return {"text": text}
