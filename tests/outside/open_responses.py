"""What the Open Responses specification of 2026-04-24 says of a response and of the events of a stream, as JSON Schema.

Facts of its OpenAPI document: which members an object must have and of which type they are. Members that it does not
name may be there. Items and events of a type that it does not have are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
TRUTH: Schema = {"type": "boolean"}
ANY: Schema = {}


def one_of(*words: str) -> Schema:
    return {"enum": [*words]}


def nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def several(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def thing(must: Mapping[str, Schema], may: Mapping[str, Schema] | None = None) -> Schema:
    return {"type": "object", "properties": {**must, **(may or {})}, "required": [*must]}


def typed(name: str, must: Mapping[str, Schema] | None = None, may: Mapping[str, Schema] | None = None) -> Schema:
    return thing({"type": one_of(name), **(must or {})}, may)


def by_type(*alternatives: Schema) -> Schema:
    """One of several objects: its ``type`` says which."""
    known = [name for each in alternatives for name in each["properties"]["type"]["enum"]]
    chosen = [{"if": {"properties": {"type": each["properties"]["type"]}}, "then": each} for each in alternatives]
    return {"type": "object", "required": ["type"], "properties": {"type": one_of(*known)}, "allOf": chosen}


PROGRESS = one_of("in_progress", "completed", "incomplete")
LOGPROB = thing({"token": TEXT, "logprob": NUMBER, "bytes": several(WHOLE)}, {"top_logprobs": several(ANY)})
CITATION = typed("url_citation", {"url": TEXT, "start_index": WHOLE, "end_index": WHOLE, "title": TEXT})
OUTPUT_TEXT = typed("output_text", {"text": TEXT, "annotations": several(CITATION)}, {"logprobs": several(LOGPROB)})
PART = by_type(
    OUTPUT_TEXT,
    *(typed(name, {"text": TEXT}) for name in ("input_text", "text", "summary_text", "reasoning_text")),
    typed("refusal", {"refusal": TEXT}),
    typed("input_image", {"image_url": nullable(TEXT), "detail": one_of("low", "high", "auto")}),
    typed("input_file", {}, {"filename": TEXT, "file_url": TEXT}),
)
ITEM = by_type(
    typed(
        "message",
        {
            "id": TEXT,
            "status": PROGRESS,
            "role": one_of("user", "assistant", "system", "developer"),
            "content": several(PART),
        },
        {"phase": one_of("commentary", "final_answer")},
    ),
    typed("function_call", {"id": TEXT, "call_id": TEXT, "name": TEXT, "arguments": TEXT, "status": PROGRESS}),
    typed("function_call_output", {"id": TEXT, "call_id": TEXT, "output": ANY, "status": PROGRESS}),
    typed("reasoning", {"id": TEXT, "summary": several(PART)}, {"content": several(PART), "encrypted_content": TEXT}),
    typed("compaction", {"id": TEXT, "encrypted_content": TEXT}),
)
CHOICE = one_of("none", "auto", "required")
TOOL = typed(
    "function",
    {
        "name": TEXT,
        "description": nullable(TEXT),
        "parameters": nullable({"type": "object"}),
        "strict": nullable(TRUTH),
    },
)
USAGE = thing(
    {
        "input_tokens": WHOLE,
        "output_tokens": WHOLE,
        "total_tokens": WHOLE,
        "input_tokens_details": thing({"cached_tokens": WHOLE}),
        "output_tokens_details": thing({"reasoning_tokens": WHOLE}),
    }
)
EFFORT = one_of("none", "minimal", "low", "medium", "high", "xhigh")
RESPONSE = thing(
    {
        "id": TEXT,
        "object": one_of("response"),
        "created_at": WHOLE,
        "completed_at": nullable(WHOLE),
        "status": TEXT,
        "incomplete_details": nullable(thing({"reason": TEXT})),
        "model": TEXT,
        "previous_response_id": nullable(TEXT),
        "instructions": nullable(TEXT),
        "output": several(ITEM),
        "error": nullable(thing({"code": TEXT, "message": TEXT})),
        "tools": several(TOOL),
        "tool_choice": {"anyOf": [CHOICE, typed("function", {"name": TEXT}), typed("allowed_tools", {"mode": CHOICE})]},
        "truncation": one_of("auto", "disabled"),
        "parallel_tool_calls": TRUTH,
        "text": thing({"format": by_type(*map(typed, ("text", "json_object", "json_schema")))}),
        **dict.fromkeys(("top_p", "presence_penalty", "frequency_penalty", "temperature"), NUMBER),
        "top_logprobs": WHOLE,
        "reasoning": nullable(
            thing({"effort": nullable(EFFORT), "summary": nullable(one_of("concise", "detailed", "auto"))})
        ),
        "usage": nullable(USAGE),
        "max_output_tokens": nullable(WHOLE),
        "max_tool_calls": nullable(WHOLE),
        "store": TRUTH,
        "background": TRUTH,
        "service_tier": TEXT,
        "metadata": ANY,
        "safety_identifier": nullable(TEXT),
        "prompt_cache_key": nullable(TEXT),
    }
)


def event(name: str, **must: Schema) -> Schema:
    return typed(name, {"sequence_number": WHOLE, **must})


ENDS = ("completed", "failed", "incomplete")
OF_ITEM = {"item_id": TEXT, "output_index": WHOLE}
OF_PART = {**OF_ITEM, "content_index": WHOLE}
OF_SUMMARY = {**OF_ITEM, "summary_index": WHOLE}
DELTAS = {
    "response.output_text": (OF_PART, "text"),
    "response.refusal": (OF_PART, "refusal"),
    "response.reasoning": (OF_PART, "text"),
    "response.reasoning_summary_text": (OF_SUMMARY, "text"),
    "response.function_call_arguments": (OF_ITEM, "arguments"),
}
"""What arrives in deltas: how an event says what it is of, and which member of its ``done`` event has the whole."""

EVENT = by_type(
    *(event(f"response.{name}", response=RESPONSE) for name in ("created", "queued", "in_progress", *ENDS)),
    *(event(f"response.output_item.{name}", output_index=WHOLE, item=nullable(ITEM)) for name in ("added", "done")),
    *(event(f"response.content_part.{name}", part=PART, **OF_PART) for name in ("added", "done")),
    *(event(f"response.reasoning_summary_part.{name}", part=PART, **OF_SUMMARY) for name in ("added", "done")),
    *(event(f"{name}.delta", delta=TEXT, **of) for name, (of, _) in DELTAS.items()),
    *(event(f"{name}.done", **{whole: TEXT}, **of) for name, (of, whole) in DELTAS.items()),
    event("response.output_text.annotation.added", annotation_index=WHOLE, annotation=nullable(CITATION), **OF_PART),
    event("error", error=thing({"type": TEXT, "code": nullable(TEXT), "message": TEXT, "param": nullable(TEXT)})),
)


@cache
def _checks(which: str) -> Draft202012Validator:
    return Draft202012Validator({"response": RESPONSE, "event": EVENT}[which])


def _broken(which: str, value: Any) -> list[str]:
    return [f"{error.json_path}: {error.message[:200]}" for error in _checks(which).iter_errors(value)]


def broken_response(response: Any) -> list[str]:
    """What of a response is not as the specification says."""
    return _broken("response", response)


def broken_event(data: Any) -> list[str]:
    """What of an event is not as the specification says."""
    return _broken("event", data)


def broken_order(events: Sequence[Any]) -> Iterator[str]:
    """What of the order of a stream is wrong: numbers, the first and last event, what is open, and sums of deltas."""
    if [each["sequence_number"] for each in events] != list(range(len(events))):
        yield "the sequence numbers do not count from 0"
    if [each["type"] for each in events[:2]] != ["response.created", "response.in_progress"]:
        yield f"the stream begins with {[each['type'] for each in events[:2]]}"
    last = [at for at, each in enumerate(events) if each["type"].removeprefix("response.") in ENDS]
    if last != [len(events) - 1]:
        yield f"the end of the response is at {last} of {len(events)}"
    yield from _pairs(events)
    yield from _sums(events)


def _pairs(events: Sequence[Any]) -> Iterator[str]:
    """Items and parts are added once, and done once after that, in their order."""
    opened: list[Any] = []
    done: list[Any] = []
    for each in events:
        kind, _, what = each["type"].rpartition(".")
        if what == "added" and kind in _OPENED:
            opened.append((kind, *_place(each)))
        elif what == "done" and kind in _OPENED:
            done.append((kind, *_place(each)))
            if done[-1] not in opened:
                yield f"{done[-1]} is done and was not added"
    if sorted(opened) != sorted(done) or len({*opened}) != len(opened):
        yield f"added {opened}, done {done}"
    output = events[-1].get("response", {}).get("output")
    items = [each["item"] for each in events if each["type"] == "response.output_item.done"]
    if items != output:
        yield f"the response has {output} and not the items that were done, {items}"


_OPENED = ("response.output_item", "response.content_part", "response.reasoning_summary_part")


def _place(data: Any) -> tuple[Any, ...]:
    return tuple(data.get(name, -1) for name in ("output_index", "content_index", "summary_index"))


def _sums(events: Sequence[Any]) -> Iterator[str]:
    for name, (_, whole) in DELTAS.items():
        sums: dict[Any, str] = {}
        for each in events:
            if each["type"] == f"{name}.delta":
                sums[_place(each)] = sums.get(_place(each), "") + each["delta"]
            elif each["type"] == f"{name}.done" and sums.pop(_place(each), "") != each[whole]:
                yield f"the deltas of {name} at {_place(each)} are not its whole"
        if sums:
            yield f"{name} is never done: {sums}"
