"""Kimi's requests for a call of a tool of every form: the arguments of the automatic model fit the schema, each time.

A verifier of vendors forces the call of one tool, whole and streamed, and validates the arguments. So does this, with
schemas of our own (``tool_schemas``). The seed of the tests is always the same; ``python -m tests.outside`` tries
others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from tests.outside.endpoint import Endpoint, asked
from tests.outside.tool_schemas import LEAVES, Form, forms

SEED = 20
PATH = "/v1/chat/completions"
THINKING: tuple[dict[str, Any], ...] = (
    {},
    {"thinking": {"type": "enabled"}},
    {"thinking": {"type": "disabled"}},
    {"chat_template_kwargs": {"thinking": True}},
)
"""How vendors are asked to think, and one that is not asked."""


def request(form: Form, *, stream: bool, **more: Any) -> dict[str, Any]:
    tool = {"name": "log_entry", "description": "Write into the ship's log.", "parameters": form.schema}
    streamed = {"stream_options": {"include_usage": True}} if stream else {}
    return {
        "model": "kimi-k2.6",
        "messages": [{"role": "user", "content": "Make an entry with log_entry; say nothing else."}],
        "tools": [{"type": "function", "function": tool}],
        "tool_choice": "required",
        "max_tokens": 2048,
        "stream": stream,
        **streamed,
        **more,
    }


def arguments(endpoint: Endpoint, body: dict[str, Any]) -> str:
    """The arguments of the only call of the answer; those of a stream put together from its chunks. Empty for no call:
    a model that finds none that fit says so."""
    if not body["stream"]:
        message = endpoint.post(PATH, body).json()["choices"][0]["message"]
        if not message.get("tool_calls"):
            return ""
        (call,) = message["tool_calls"]
        assert call["function"]["name"] == "log_entry"
        return str(call["function"]["arguments"])
    *chunks, end = endpoint.events(PATH, body)
    assert end == "[DONE]"
    assert chunks[-1]["usage"] is not None
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    calls = [call for delta in deltas for call in delta.get("tool_calls") or ()]
    assert {call["index"] for call in calls} <= {0}
    return "".join(call["function"].get("arguments") or "" for call in calls)


def problems(form: Form, said: str) -> list[str]:
    """What of the arguments does not fit, in the dialect of the schema."""
    if not said:
        return ["no call"]
    dialect = validator_for(form.schema, default=Draft202012Validator)
    checks = dialect(form.schema, format_checker=dialect.FORMAT_CHECKER)
    return [f"{error.json_path}: {error.message[:200]}" for error in checks.iter_errors(json.loads(said))]


def misfits(endpoint: Endpoint, some: Iterable[Form]) -> Iterator[tuple[Form, bool, str, list[str]]]:
    """Of some forms those whose arguments do not fit: whether it was streamed, the arguments, and what is wrong."""
    for number, form in enumerate(some):
        for stream in (False, True):
            said = arguments(endpoint, request(form, stream=stream, **THINKING[number % len(THINKING)]))
            if wrong := problems(form, said):
                yield form, stream, said, wrong


@pytest.mark.parametrize("seed", [SEED, SEED + 1, SEED + 2])
def test_each_schema_is_right_and_has_a_value_that_fits(seed: int) -> None:
    drawn = [*forms(seed)]
    assert len(drawn) >= 204
    assert {form.name.partition("-")[0] for form in drawn} == {*LEAVES}
    for form in drawn:
        validator_for(form.schema, default=Draft202012Validator).check_schema(form.schema)
        assert problems(form, json.dumps(form.fits)) == [], form


@pytest.mark.sampled(9)
@pytest.mark.parametrize("kind", [*LEAVES])
def test_the_arguments_fit(kind: str) -> None:
    with asked("openai-chat") as endpoint:
        found = [*misfits(endpoint, (form for form in forms(SEED) if form.name.partition("-")[0] == kind))]
    assert [(form.name, form.schema, said, wrong) for form, _, said, wrong in found] == []
    assert endpoint.findings == []  # a call that was forced is the answer itself: nobody has to answer it
