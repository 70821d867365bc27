"""How servers of this format stream differently from OpenAI."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import Final

from harness.wire.dialect import Dialect, changing, named
from harness.wire.lenient import Json, members, objects


def _choices(chunk: Json) -> list[Json]:
    return objects(chunk.get("choices"))


def _deltas(chunk: Json) -> list[Json]:
    return [members(choice.get("delta")) for choice in _choices(chunk)]


def _fragments(chunk: Json) -> list[Json]:
    """The fragments of calls in a chunk. The harness sends at most one."""
    return [fragment for delta in _deltas(chunk) for fragment in objects(delta.get("tool_calls"))]


def _finishes(chunk: Json) -> bool:
    return any(choice.get("finish_reason") for choice in _choices(chunk))


def _in_calls(change: Callable[[Json], object]) -> Callable[[Json], None]:
    """Changes each fragment of a chunk."""

    def changed(chunk: Json) -> None:
        for fragment in _fragments(chunk):
            change(fragment)

    return changed


def _in_deltas(change: Callable[[Json], object]) -> Callable[[Json], None]:
    """Changes each delta of a chunk that does not finish."""

    def changed(chunk: Json) -> None:
        if not _finishes(chunk):
            for delta in _deltas(chunk):
                change(delta)

    return changed


def _by_call(chunks: Iterable[Json]) -> list[list[Json]]:
    """The chunks with fragments, call by call."""
    found: defaultdict[int, list[Json]] = defaultdict(list)
    for chunk in chunks:
        for fragment in _fragments(chunk):
            found[fragment["index"]].append(chunk)
    return list(found.values())


# --- which call a fragment belongs to -------------------------------------------------------------------------------


def _changing_index(chunks: list[Json]) -> Iterable[Json]:
    for head, *_ in _by_call(chunks):
        _fragments(head)[0]["index"] = 0
    return chunks


def _repeated_ids(chunks: list[Json]) -> Iterable[Json]:
    for head, *others in _by_call(chunks):
        (first,) = _fragments(head)
        for fragment in (fragment for chunk in others for fragment in _fragments(chunk)):
            fragment |= {name: first[name] for name in ("id", "type") if name in first}
    return chunks


def _late_ids(chunks: list[Json]) -> Iterator[Json]:
    """The id of a call comes with its second fragment. If there is none, a fragment without arguments is added."""
    waiting: dict[int, str] = {}
    last = {fragment["index"]: id(chunk) for chunk in chunks for fragment in _fragments(chunk)}
    for chunk in chunks:
        for fragment in _fragments(chunk):
            if call_id := fragment.pop("id", ""):
                waiting[fragment["index"]] = call_id
            elif fragment["index"] in waiting:
                fragment["id"] = waiting.pop(fragment["index"])
        yield chunk
        for index in [index for index in waiting if last[index] == id(chunk)]:
            late = {"index": index, "id": waiting.pop(index), "function": {"arguments": ""}}
            choice = {**_choices(chunk)[0], "delta": {"tool_calls": [late]}}
            yield {**chunk, "choices": [choice]}


def _changing_ids(chunks: list[Json]) -> Iterable[Json]:
    """All fragments of a call except the first have the same other id."""
    for head, *others in _by_call(chunks):
        (first,) = _fragments(head)
        for fragment in (fragment for chunk in others for fragment in _fragments(chunk)):
            fragment |= {"id": f"{first['id']}_1" if first.get("id") else "", "type": "function"}
    return chunks


def _empty_ids(chunks: list[Json]) -> Iterable[Json]:
    for _, *others in _by_call(chunks):
        for fragment in (fragment for chunk in others for fragment in _fragments(chunk)):
            fragment |= {"id": "", "type": "function"}
            fragment["function"].setdefault("name", "")
    return chunks


def _interleaved_calls(chunks: list[Json]) -> Iterable[Json]:
    """The fragments of adjacent calls alternate."""
    run: list[Json] = []
    for chunk in chunks:
        if _fragments(chunk):
            run.append(chunk)
            continue
        yield from _in_turns(run)
        run = []
        yield chunk
    yield from _in_turns(run)


def _in_turns(chunks: list[Json]) -> Iterator[Json]:
    rows = zip_longest(*_by_call(chunks))
    return (chunk for row in rows for chunk in row if chunk is not None)


# --- how much comes at once, and when -------------------------------------------------------------------------------


def _whole_calls(chunks: list[Json]) -> list[Json]:
    """The first fragment of a call has all its arguments."""
    left_out: set[int] = set()
    for head, *others in _by_call(chunks):
        fragments = [fragment for chunk in (head, *others) for fragment in _fragments(chunk)]
        fragments[0]["function"]["arguments"] = "".join(each["function"]["arguments"] for each in fragments)
        left_out |= {id(chunk) for chunk in others}
    return [chunk for chunk in chunks if id(chunk) not in left_out]


def _object_arguments(chunks: list[Json]) -> Iterable[Json]:
    """Arguments that are no JSON object stay text."""
    whole = _whole_calls(chunks)
    for fragment in (fragment for chunk in whole for fragment in _fragments(chunk)):
        try:
            value = json.loads(fragment["function"]["arguments"])
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            fragment["function"]["arguments"] = value
    return whole


def _calls_after_finish(chunks: list[Json]) -> Iterable[Json]:
    whole = _whole_calls(chunks)
    calls = [chunk for chunk in whole if _fragments(chunk)]
    others = [chunk for chunk in whole if not _fragments(chunk)]
    behind = next((at + 1 for at, chunk in enumerate(others) if _finishes(chunk)), len(others))
    return [*others[:behind], *calls, *others[behind:]]


def _finish_with_last_delta(chunks: list[Json]) -> Iterable[Json]:
    """The finish reason moves into the chunk before, together with usage from the finish chunk."""
    at = next((at for at, chunk in enumerate(chunks) if _finishes(chunk)), 0)
    if not at or not _choices(chunks[at - 1]):
        return chunks
    last, finish = chunks[at - 1], chunks[at]
    _choices(last)[0]["finish_reason"] = _choices(finish)[0]["finish_reason"]
    if finish.get("usage"):
        last["usage"] = finish["usage"]
    return [*chunks[:at], *chunks[at + 1 :]]


def _two_finish_reasons(chunks: list[Json]) -> Iterable[Json]:
    """A chunk with ``stop`` follows the one with ``tool_calls``."""
    for chunk in chunks:
        yield chunk
        for choice in _choices(chunk):
            if choice.get("finish_reason") == "tool_calls":
                yield {**chunk, "choices": [{**choice, "finish_reason": "stop"}]}


def _stop(chunk: Json) -> None:
    for choice in _choices(chunk):
        if choice.get("finish_reason") == "tool_calls":
            choice["finish_reason"] = "stop"


def _no_finish_reason(chunks: list[Json]) -> Iterable[Json]:
    """A reason stays if it means more than the end of the turn, or if no chunk with the usage alone follows."""
    if any(chunk.get("usage") and not _choices(chunk) for chunk in chunks):
        for choice in (choice for chunk in chunks for choice in _choices(chunk)):
            if choice.get("finish_reason") in ("stop", "tool_calls"):
                choice["finish_reason"] = None
    return chunks


# --- members --------------------------------------------------------------------------------------------------------


def _without_choices(chunk: Json) -> None:
    if chunk.get("choices") == []:
        del chunk["choices"]


def _null_choices(chunk: Json) -> None:
    if chunk.get("choices") == []:
        chunk["choices"] = None


def _reasoning(delta: Json) -> None:
    if "reasoning_content" in delta:
        delta["reasoning"] = delta.pop("reasoning_content")


DIALECTS: Final = named(
    Dialect(
        "index-zero",
        "All calls of a turn have index 0; only their ids differ.",
        ("ollama #15457", "LibreChat-AI/agents PR #260", "dynamo PR #4723", "lmdeploy #3412"),
        changing(_in_calls(lambda fragment: fragment.update(index=0))),
    ),
    Dialect(
        "index-missing",
        "No fragment of a call has an index; a fragment without an id belongs to the call before it.",
        ("ollama #7881", "term-llm PR #314", "Qwen-Agent PR #943"),
        changing(_in_calls(lambda fragment: fragment.pop("index", None))),
    ),
    Dialect(
        "index-changes",
        "A call begins with index 0, and its other fragments have its own index.",
        ("agno PR #8880",),
        _changing_index,
    ),
    Dialect(
        "interleaved-calls",
        "The fragments of parallel calls take turns.",
        ("smolagents PR #1958", "open-interpreter #315", "term-llm PR #314"),
        _interleaved_calls,
    ),
    Dialect(
        "repeated-ids",
        "Each fragment of a call repeats its id and type.",
        ("a recorded stream of Baseten",),
        _repeated_ids,
    ),
    Dialect(
        "empty-ids",
        "All fragments of a call but the first have an empty id and an empty name.",
        ("recorded streams of DashScope", "opencode #37841", "opencode PR #40969", "symfony/ai PR #2220"),
        _empty_ids,
    ),
    Dialect(
        "late-ids",
        "The id of a call comes with its second fragment, behind its name.",
        ("pipecat #4987", "pipecat PR #5023"),
        _late_ids,
        other_ids=True,
    ),
    Dialect(
        "ids-missing",
        "No fragment of a call has an id.",
        ("opencode PR #47954", "continue PR #13235"),
        changing(_in_calls(lambda fragment: fragment.pop("id", None))),
    ),
    Dialect(
        "changing-ids",
        "All fragments of a call but the first have another id than the first.",
        ("poolsideai/pool #9",),
        _changing_ids,
        other_ids=True,
    ),
    Dialect(
        "whole-calls",
        "A call comes in one fragment, with all its arguments.",
        ("recorded streams of Mistral, Groq, Ollama and Cerebras",),
        _whole_calls,
    ),
    Dialect(
        "object-arguments",
        "A call comes in one fragment, and its arguments are a JSON object and no text.",
        ("llama.cpp #20198", "picoclaw #1287", "claudette PR #238"),
        _object_arguments,
    ),
    Dialect(
        "calls-after-finish",
        "The calls come behind the chunk with the finish reason.",
        ("recorded streams of Together",),
        _calls_after_finish,
    ),
    Dialect(
        "stop-with-calls",
        "A turn that calls tools finishes with stop.",
        ("openvino model_server #3927", "litellm #12862", "mlx-vlm PR #1014", "vllm PR #9209"),
        changing(_stop),
        wrong_stop=True,
    ),
    Dialect(
        "no-finish-reason",
        "A turn that calls tools, or has come to its end, has no finish reason; the chunk with the usage ends it.",
        ("recorded streams of Snowflake and of gpt-audio", "pi PR #6225", "vllm #27572", "vllm-mlx #628"),
        _no_finish_reason,
    ),
    Dialect(
        "two-finish-reasons",
        "The finish reason tool_calls is followed by a second one, stop.",
        ("ChatMock PR #114",),
        _two_finish_reasons,
    ),
    Dialect(
        "finish-with-last-delta",
        "The finish reason is in the chunk with the last delta.",
        ("recorded streams of Mistral, Baseten and Together",),
        _finish_with_last_delta,
    ),
    Dialect(
        "no-done",
        "The stream ends without data: [DONE].",
        ("recorded streams of Perplexity",),
        list,
        end=False,
    ),
    Dialect(
        "usage-without-choices",
        "The chunk with the usage has no member choices.",
        ("FastChat #3160", "litellm PR #34382"),
        changing(_without_choices),
    ),
    Dialect(
        "usage-with-null-choices",
        "The chunk with the usage has null for its choices.",
        ("pydantic-ai #5165", "langfuse #6658"),
        changing(_null_choices),
    ),
    Dialect(
        "reasoning",
        "Thinking is in reasoning and not in reasoning_content.",
        ("recorded streams of OpenRouter, Groq, Together and Ollama",),
        changing(_in_deltas(_reasoning)),
    ),
    Dialect(
        "repeated-roles",
        "Each delta has the role of the message, and an empty content where it says something else.",
        ("recorded streams of OpenRouter, Ollama, Together and Databricks",),
        changing(_in_deltas(lambda delta: delta.update(role="assistant", content=delta.get("content") or ""))),
    ),
    Dialect(
        "null-calls",
        "Each delta without calls has null for them.",
        ("recorded streams of Ollama, Baseten, vLLM and MiMo",),
        changing(_in_deltas(lambda delta: delta.setdefault("tool_calls", None))),
    ),
)
"""Ordered by subject: which call a fragment belongs to, how much comes at once and when, members."""
