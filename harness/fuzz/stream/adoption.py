"""An example as a regression scenario: its turn, on its wire, cut in the ways that scenarios know.

A scenario contains the model's turn and not its spelling by a server. So variations of the bytes, and JSON that breaks
in the middle, are left out, and the summary mentions that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Final

from harness.fuzz.stream.example import StreamExample, sent
from harness.fuzz.stream.expected import expected
from harness.fuzz.yaml_text import yaml_text
from harness.wire import Call, FinishReason, Part, Refusal, Text, ThinkingPart, Turn, Usage, wire
from harness.wire.characters import is_sendable
from harness.wire.json_text import strict

_IN_SCRIPTS: Final = ("cut", "error", "no end")
_OUTCOMES: Final = {
    FinishReason.MAX_TOKENS: "truncated",
    FinishReason.REFUSAL: "refused",
    FinishReason.CONTENT_FILTER: "refused",
}


def scenario(example: StreamExample, name: str, summary: str) -> Mapping[str, str] | None:
    """The scenario ``NAME.yaml``. None for half a surrogate pair, which no file can contain, and for a forced id.

    For a whole turn, the end of the run is expected; for a broken one, that the loop does not take it for whole.
    """
    turn = _without_empty_parts(example.turn)
    example = replace(example, turn=turn)
    if not all(map(is_sendable, _words(turn))) or any(call.id for call in turn.calls):
        return None
    lines = [
        f"scenario: {name}",
        "profile: universal",
        f"summary: {yaml_text(summary + _left_out(example))}",
        f"wires: [{example.wire}]",
        "",
        "prompt: Go on.",
        *_tools(turn),
        "model:",
        *_step(example),
        "  - text: Done.",
        "",
        "expect:",
        f"  outcome: {_outcome(example)}",
        "vary:",
        "  chunking: [event, adversarial, random]",
    ]
    return {f"{name}.yaml": "\n".join(lines) + "\n"}


def _without_empty_parts(turn: Turn) -> Turn:
    """The turn without empty texts, which no scenario has."""
    return replace(turn, parts=tuple(part for part in turn.parts if isinstance(part, Call) or _is_visible(part)))


def _is_visible(part: Text | ThinkingPart | Refusal) -> bool:
    return part.text != "" or (isinstance(part, ThinkingPart) and part.form != "plain")


def _words(turn: Turn) -> Iterator[str]:
    for part in turn.parts:
        yield part.arguments if isinstance(part, Call) else part.text


def _left_out(example: StreamExample) -> str:
    fault = example.fault
    names = [*example.variations, *([fault.kind] if fault and fault.kind not in _IN_SCRIPTS else [])]
    return f" (without what no script says: {', '.join(names)})" if names else ""


def _tools(turn: Turn) -> Iterator[str]:
    names = dict.fromkeys(call.name for call in turn.calls)
    if names:
        yield "tools:"
    for name in names:
        yield f"  - name: {name}"
        yield "    description: Does nothing."
        yield "    parameters: {type: object, properties: {}}"
        yield "    returns: done"


def _step(example: StreamExample) -> Iterator[str]:
    turn, fault = example.turn, example.fault
    can_pause = wire(example.wire).can_pause
    yield f"  - stop: {FinishReason.END if turn.stop is FinishReason.PAUSE and not can_pause else turn.stop}"
    yield f"    deltas: {turn.deltas}"
    if turn.usage != Usage():
        counts = ", ".join(f"{name}: {count}" for name, count in asdict(turn.usage).items())
        yield f"    usage: {{{counts}}}"
    if fault and fault.kind == "error":
        yield "    error: {kind: overloaded}"
    elif fault and fault.kind == "no end":
        yield "    ending: eof"
    elif fault and fault.kind == "cut":
        yield f"    cut: {{after: {max(len(sent(example).events) - 1, 0)}, how: cut}}"
    if turn.parts:
        yield "    parts:"
        yield from map(_part, turn.parts)


def _part(part: Part) -> str:
    if isinstance(part, Call):
        return f"      - call: {{name: {part.name}, arguments: {yaml_text(part.arguments)}{_call_members(part)}}}"
    if isinstance(part, ThinkingPart) and part.form != "plain":
        return f"      - thinking: {{{part.form}: true}}"
    kind = "thinking" if isinstance(part, ThinkingPart) else type(part).__name__.lower()
    return f"      - {kind}: {yaml_text(part.text)}"


def _call_members(call: Call) -> str:
    without_id = ", id: none" if call.id == "" else ""
    return without_id + ("" if _is_object(call.arguments) else ", invalid: true")


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(strict(arguments), dict)
    except ValueError:
        return False


def _outcome(example: StreamExample) -> str:
    """The right outcome of a loop that reads the turn correctly."""
    wanted, fault = expected(example), example.fault
    if not wanted.usable or (fault and fault.kind in _IN_SCRIPTS):
        return "failed"
    return _OUTCOMES.get(wanted.turn.stop, "completed")
