"""The requests of LangChain's standard tests, and of ordinary scripts: no program that is right is called wrong.

Each program (``programs``) is played on each native wire by itself, again and again at one endpoint, and with all others
in an order that is drawn, as the tests of a suite and the threads of a program are. ``python -m
tests.outside.test_programs SEED ...`` plays others and prints what was found.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from random import Random
from typing import Any

import pytest

from harness.wire import NATIVE_WIRES, NativeWireName
from tests.outside.conversing import WRITERS, Ask, Calls, Do, Says
from tests.outside.endpoint import Endpoint, asked
from tests.outside.programs import PROGRAMS, Turn, leaves_calls_open

SEED = 11


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


def play(endpoint: Endpoint, wire: NativeWireName, names: Sequence[str], draw: Random) -> None:
    """Play programs at once: whose request is next is drawn."""
    running: list[Generator[Ask, Turn, None]] = [PROGRAMS[name](Random(draw.random())) for name in names]
    waiting: list[tuple[Generator[Ask, Turn, None], Turn | None]] = [(each, None) for each in running]
    while waiting:
        one, turn = waiting.pop(draw.randrange(len(waiting)))
        try:
            request = one.send(turn) if turn else next(one)
        except StopIteration:
            continue
        waiting.append((one, ask(endpoint, wire, request)))


each_wire = pytest.mark.parametrize("wire", NATIVE_WIRES)


@pytest.mark.sampled(7)
@each_wire
@pytest.mark.parametrize("name", [*PROGRAMS])
def test_a_right_program_is_not_called_wrong(wire: NativeWireName, name: str) -> None:
    draw = Random(f"{SEED} {name}")
    with asked() as endpoint:
        for _ in range(3):  # as a suite does whose tests are alike
            play(endpoint, wire, [name], draw)
    assert endpoint.musts == []
    if not leaves_calls_open(name):
        assert [each for each in endpoint.findings if " final/unfinished" in each] == []


@each_wire
def test_all_of_them_at_one_endpoint_at_once(wire: NativeWireName) -> None:
    draw = Random(f"{SEED} {wire}")
    with asked() as endpoint:
        play(endpoint, wire, draw.sample([*PROGRAMS], len(PROGRAMS)), draw)
    assert endpoint.musts == []
    assert {status for statuses in endpoint.cases.values() for status in statuses} == {200}


def main(seeds: Iterable[int]) -> None:
    """Print what is found of right programs, for each seed and wire: alone, and all at once."""
    for seed in seeds:
        for wire in NATIVE_WIRES:
            draw = Random(f"{seed} {wire}")
            found: Counter[str] = Counter()
            alone: Counter[str] = Counter()
            for name in PROGRAMS:
                with asked() as endpoint:
                    for _ in range(3):
                        play(endpoint, wire, [name], draw)
                alone.update(f"{name}: {each.partition(' ')[2][:150]}" for each in endpoint.musts)
            with asked() as endpoint:
                play(endpoint, wire, draw.sample([*PROGRAMS], len(PROGRAMS)), draw)
            found.update(each.partition(" ")[2][:200] for each in endpoint.musts)
            print(f"seed {seed}, {wire}: {alone.total()} MUST alone, {found.total()} all at once")
            for line, count in [*alone.items(), *found.items()]:
                print(f"  {count} {line}")


if __name__ == "__main__":
    main(map(int, sys.argv[1:]))
