"""A server under test may send anything: no strict reader ends in a traceback, whatever a member is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from harness.servers.rules import judge_response
from harness.wire import OWN_NATIVE_WIRES, NativeWireName
from harness.wire.sse import SSE, frame, parse_events
from harness_lab.mutants.responses import ServedAnswer, answers_of, served

ODD: tuple[Any, ...] = (None, [[]], {"a": 1}, "x", 7)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each holder in a JSON value with each of its keys."""
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


def spoiled(document: Any) -> Iterator[Any]:
    """The document with one member of another type, for each member; it is put right again behind each."""
    for holder, key in places(document):
        right = holder[key]
        for odd in ODD:
            holder[key] = odd
            yield document
        holder[key] = right


def spoiled_answers(answer: ServedAnswer) -> Iterator[ServedAnswer]:
    if not SSE.is_stream(answer.content_type):
        document = json.loads(answer.body)
        for each in spoiled(document):
            yield replace(answer, body=json.dumps(each).encode())
        return
    events = [(json.loads(event.data), event.event) for event in parse_events(answer.body) if event.data[0] == "{"]
    frames = [frame(data, name) for data, name in events]
    kinds: set[str] = set()
    for at, (data, name) in enumerate(events):
        kind = f"{name} {[key for _, key in places(data)]}"
        for each in spoiled(data) if kind not in kinds else ():
            yield replace(answer, body=b"".join([*frames[:at], frame(each, name), *frames[at + 1 :]]))
        kinds.add(kind)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("name", OWN_NATIVE_WIRES)
def test_a_member_of_any_type_is_read(name: NativeWireName, stream: bool) -> None:
    answer = served(name, replace(answers_of(name)["a call"], deltas="whole"), stream=stream)
    if stream and not SSE.is_stream(answer.content_type):
        pytest.skip("frames of AWS; its documents have the same blocks")
    judged = [judge_response(name, odd.response) for odd in spoiled_answers(answer)]
    assert len(judged) > 80


@pytest.mark.parametrize("body", [b"", b"\x00", b"{", b"[]", b"null", b"data: \n\n", b"data: [1]\n\n", b"event: x\n\n"])
@pytest.mark.parametrize("name", OWN_NATIVE_WIRES)
def test_a_body_that_is_nothing_of_the_kind_is_read(name: NativeWireName, body: bytes) -> None:
    for stream in (True, False):
        for status in (200, 500):
            answer = replace(served(name, "text", stream=stream), body=body, status=status)
            assert judge_response(name, answer.response)
