"""A recorded script as a turn, and as the frames that were streamed, in exactly the recorded chunks.

The wires render a turn in pieces of their own choice. Here each piece of a turn that was rendered whole is cut into the
recorded chunks, and the recorded gaps (events, ids and names) are restored.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from harness.wire import Call, FinishReason, NativeWireName, Part, StreamError, Text, ThinkingPart, Turn
from harness.wire import wire as wire_named
from harness.wire.sse import frame, parse_events
from harness_lab.recorded.run import ModelAnswer, ScriptedPart

Json = dict[str, Any]

_FINISH_REASONS = {"length": FinishReason.MAX_TOKENS, "pause": FinishReason.PAUSE}


def turn_of(answer: ModelAnswer, wire: NativeWireName) -> Turn:
    """The turn of the script, in whole pieces."""
    parts = tuple(_part(part, wire) for part in answer.parts)
    calls = any(isinstance(part, Call) for part in parts)
    return Turn(
        parts=parts,
        stop=_FINISH_REASONS.get(answer.finish, FinishReason.TOOL_CALLS if calls else FinishReason.END),
        error=StreamError("server_error") if answer.ending == "failed" else None,
        ending="eof" if answer.ending == "eof" else "complete",
        deltas="whole",
    )


def _part(part: ScriptedPart, wire: NativeWireName) -> Part:
    match part.kind:
        case "thinking":
            return ThinkingPart(part.text)
        case "text":
            return Text(part.text)
        case "tool":
            # Such a renderer refuses other arguments than an object; as_streamed puts them in.
            arguments = "{}" if wire_named(wire).whole_arguments else part.text
            return Call(part.name or "", arguments, part.id or "", part.signature)


def as_streamed(frames: Sequence[bytes], answer: ModelAnswer, wire: NativeWireName) -> list[bytes]:
    """``frames`` of the turn, rendered whole, as they were streamed; only those before the connection broke."""
    events = [event for each in frames for event in parse_events(each)]
    sent = _CUTTERS[wire]((json.loads(event.data) for event in events), answer)
    end = "\r\n" if wire == "gemini-generate" else "\n"
    return [frame(document, document.get("type"), end=end) for document in sent][: answer.cut_after]


# --- one wire after the other -------------------------------------------------------------------------------


def _anthropic(documents: Iterable[Json], answer: ModelAnswer) -> Iterator[Json]:
    for document in documents:
        index = document.get("index")
        if index is None:
            yield document
        elif index < len(answer.parts):  # behind them is what the renderer adds to a paused turn
            yield from _anthropic_block(document, answer.parts[index], answer)


def _anthropic_block(document: Json, part: ScriptedPart, answer: ModelAnswer) -> Iterator[Json]:
    match document["type"]:
        case "content_block_start":
            yield {**document, "content_block": _tool_use(document["content_block"], part, answer)}
        case "content_block_delta":
            yield from _anthropic_deltas(document, part, answer)
        case _:
            yield document


def _tool_use(block: Json, part: ScriptedPart, answer: ModelAnswer) -> Json:
    if part.kind != "tool":
        return block
    ids = {} if part.id is None else {"id": part.id}
    whole = {} if answer.deltas else {"input": json.loads(part.text)}
    return {**block, **ids, "name": part.name, **whole}


def _anthropic_deltas(document: Json, part: ScriptedPart, answer: ModelAnswer) -> Iterator[Json]:
    delta = document["delta"]
    member = next((name for name in ("text", "thinking", "partial_json") if delta.get(name)), None)
    if member is None:
        yield document  # a signature, or the empty piece that begins a call
    elif part.kind != "tool" or answer.deltas:
        yield from ({**document, "delta": {**delta, member: chunk}} for chunk in part.chunks)


def _responses(documents: Iterable[Json], answer: ModelAnswer) -> Iterator[Json]:
    for number, document in enumerate(_responses_events(documents, answer)):
        yield {**document, "sequence_number": number}


def _responses_events(documents: Iterable[Json], answer: ModelAnswer) -> Iterator[Json]:
    for document in documents:
        if "output_index" in document:
            yield from _responses_item(document, answer.parts[document["output_index"]], answer)
        elif "response" in document:
            output = [_item(*pair) for pair in zip(document["response"]["output"], answer.parts, strict=False)]
            yield {**document, "response": {**document["response"], "output": output}}
        else:
            yield document


def _responses_item(document: Json, part: ScriptedPart, answer: ModelAnswer) -> Iterator[Json]:
    if part.kind == "tool" and _left_out(document["type"], part, answer):
        return
    if document.get("delta") == part.text:
        yield from ({**document, "delta": chunk} for chunk in part.chunks)
    elif "item" in document:
        yield {**document, "item": _item(document["item"], part)}
    else:
        yield document


def _left_out(kind: str, part: ScriptedPart, answer: ModelAnswer) -> bool:
    match kind:
        case "response.output_item.added":
            return not answer.announced
        case "response.function_call_arguments.delta":
            return not answer.deltas
        case "response.function_call_arguments.done" | "response.output_item.done":
            return part.unfinished
        case _:
            return False


def _item(item: Json, part: ScriptedPart) -> Json:
    if part.kind != "tool":
        return item
    ids = {} if part.id is None else {"call_id": part.id}
    return {**item, **ids, "name": part.name}


def _gemini(documents: Iterable[Json], answer: ModelAnswer) -> Iterator[Json]:
    """One event per piece; what ends the turn stays with the last one of its event."""
    scripted = iter([part for part in answer.parts if part.text or part.kind == "tool"])
    for document in documents:
        (candidate,) = document["candidates"]
        pieces: list[Json] = []
        for native in candidate["content"].get("parts", ()):
            part = next(scripted, None)
            pieces += [native] if part is None else _gemini_pieces(native, part)
        for piece in pieces[:-1]:
            yield {**document, "candidates": [{"content": {"parts": [piece], "role": "model"}, "index": 0}]}
        content = {**candidate["content"], "parts": pieces[-1:]} if pieces else candidate["content"]
        yield {**document, "candidates": [{**candidate, "content": content}]}


def _gemini_pieces(native: Json, part: ScriptedPart) -> list[Json]:
    if part.kind != "tool":
        return [{**native, "text": chunk} for chunk in part.chunks]
    ids = {} if part.id is None else {"id": part.id}
    named = {} if part.name is None else {"name": part.name}
    return [{**native, "functionCall": {**ids, **named, "args": json.loads(part.text)}}]


_CUTTERS: dict[NativeWireName, Callable[[Iterable[Json], ModelAnswer], Iterator[Json]]] = {
    "anthropic-messages": _anthropic,
    "openai-responses": _responses,
    "gemini-generate": _gemini,
}
