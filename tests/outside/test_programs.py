"""The requests of LangChain's standard tests, and of ordinary scripts: no program that is right is called wrong.

Each program (``programs``) is played on each native wire by itself, again and again at one endpoint, and with all
others in an order that is drawn, as the tests of a suite and the threads of a program are. ``python -m tests.outside``
plays others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from harness.wire import NATIVE_WIRES, NativeWireName
from tests.outside.conversing import WRITERS, Ask, Calls, Do, Gives, Message, Says
from tests.outside.endpoint import Endpoint, asked
from tests.outside.playing import Playing
from tests.outside.programs import PROGRAMS, REWRITERS, Turn, leaves_calls_open

SEED = 11

Change = Callable[[Ask], Ask]


def turn_of(wire: NativeWireName, answer: Any) -> Turn:
    """What the model has said in an answer that came as one document, in the program's own words."""
    match wire:
        case "openai-chat":
            message = answer["choices"][0]["message"]
            made = [
                Do(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
                for call in message.get("tool_calls") or ()
            ]
            text = message["content"] or ""
        case "openai-responses":
            items = answer["output"]
            made = [
                Do(item["call_id"], item["name"], json.loads(item["arguments"]))
                for item in items
                if item["type"] == "function_call"
            ]
            text = "".join(part["text"] for item in items if item["type"] == "message" for part in item["content"])
        case "anthropic-messages":
            blocks = answer["content"]
            made = [Do(block["id"], block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"]
            text = "".join(block["text"] for block in blocks if block["type"] == "text")
        case "gemini-generate":
            parts = answer["candidates"][0]["content"]["parts"]
            made = [
                Do(each.get("id", ""), each["name"], each["args"])
                for part in parts
                if (each := part.get("functionCall"))
            ]
            text = "".join(part.get("text", "") for part in parts)
    return Calls(made, text) if made else Says("assistant", text)


def ask(endpoint: Endpoint, wire: NativeWireName, request: Ask) -> Turn:
    path, body = WRITERS[wire](request)
    if request.stream:
        assert endpoint.events(path, body)
        return Says("assistant", "nobody reads it")
    return turn_of(wire, endpoint.post(path, body).json())


def play(
    endpoint: Endpoint,
    wires: Sequence[NativeWireName],
    names: Sequence[str],
    draw: Random,
    change: Change | None = None,
) -> None:
    """Play programs at once. Whose request is next is drawn, and on which wire. ``change`` makes another of each
    request that is not the first of its program."""
    running = [{**PROGRAMS, **REWRITERS}[name](Random(draw.random())) for name in names]
    waiting: list[tuple[Playing, Turn | None]] = [(each, None) for each in running]
    while waiting:
        one, turn = waiting.pop(draw.randrange(len(waiting)))
        try:
            request = next(one) if turn is None else one.send(turn)
        except StopIteration:
            continue
        request = change(request) if change and turn is not None else request
        waiting.append((one, ask(endpoint, draw.choice(wires), request)))


each_wire = pytest.mark.parametrize("wire", NATIVE_WIRES)


@pytest.mark.sampled(7)
@each_wire
@pytest.mark.parametrize("name", [*PROGRAMS])
def test_a_right_program_is_not_called_wrong(wire: NativeWireName, name: str) -> None:
    draw = Random(f"{SEED} {name}")
    with asked() as endpoint:
        for _ in range(3):  # as a suite does whose tests are alike
            play(endpoint, [wire], [name], draw)
    assert endpoint.musts == []
    if not leaves_calls_open(name):
        assert [each for each in endpoint.findings if " final/unfinished" in each] == []


@each_wire
def test_all_of_them_at_one_endpoint_at_once(wire: NativeWireName) -> None:
    draw = Random(f"{SEED} {wire}")
    with asked() as endpoint:
        play(endpoint, [wire], draw.sample([*PROGRAMS], len(PROGRAMS)), draw)
    assert endpoint.musts == []
    assert {status for statuses in endpoint.cases.values() for status in statuses} == {200}


@each_wire
def test_programs_in_threads(wire: NativeWireName) -> None:
    with asked() as endpoint, ThreadPoolExecutor(4) as threads:
        draws = [Random(f"{SEED} {wire} {number}") for number in range(8)]
        for done in [threads.submit(play, endpoint, [wire], draw.sample([*PROGRAMS], 6), draw) for draw in draws]:
            done.result()
    assert endpoint.musts == []


@pytest.mark.sampled(7)
@each_wire
@pytest.mark.parametrize("name", [*REWRITERS])
def test_a_history_that_is_written_anew_is_called_that_and_nothing_else(wire: NativeWireName, name: str) -> None:
    draw = Random(f"{SEED} {name}")
    with asked() as endpoint:
        play(endpoint, [wire], [name], draw)
    assert {each.split()[2] for each in endpoint.musts} <= {"history/append-only:"}
    assert {status for statuses in endpoint.cases.values() for status in statuses} == {200}


# --- what is wrong is found -----------------------------------------------------------------------------------------


def without(kind: type[Message]) -> Change:
    """The last of the messages of a kind is lost."""

    def change(request: Ask) -> Ask:
        places = [at for at, each in enumerate(request.messages) if isinstance(each, kind)]
        return replace(request, messages=[each for at, each in enumerate(request.messages) if at not in places[-1:]])

    return change


def with_other(kind: type[Message], **words: Any) -> Change:
    """The messages of a kind say something else."""

    def change(request: Ask) -> Ask:
        messages = [replace(each, **words) if isinstance(each, kind) else each for each in request.messages]
        return replace(request, messages=messages)

    return change


WRONG: dict[str, Change] = {
    "loses the latest result": without(Gives),
    "loses the calls": without(Calls),
    "says other text beside the calls": with_other(Calls, text="Let me see."),
    "loses a call with its result": lambda request: replace(
        request,
        messages=[
            replace(each, calls=each.calls[:1]) if isinstance(each, Calls) else each
            for at, each in enumerate(request.messages)
            if not (isinstance(each, Gives) and isinstance(request.messages[at - 1], Gives))
        ],
    ),
    "changes the arguments": lambda request: replace(
        request,
        messages=[
            replace(each, calls=[replace(call, arguments={"place": "Leith"}) for call in each.calls])
            if isinstance(each, Calls)
            else each
            for each in request.messages
        ],
    ),
}


@each_wire
@pytest.mark.parametrize("what", WRONG)
def test_a_loop_that_is_wrong_is_found_among_right_ones(wire: NativeWireName, what: str) -> None:
    draw = Random(f"{SEED} {what}")
    with asked() as endpoint:
        play(endpoint, [wire], draw.sample([*PROGRAMS], 4), draw)
        with suppress(AssertionError):  # what the provider refuses is refused
            play(endpoint, [wire], ["a_loop"], draw, WRONG[what])
    assert endpoint.musts != []
