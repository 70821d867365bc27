"""How a fault is declared, and where in the loop it breaks one thing: in a request, an answer, a call, or the end."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any

import httpx2
from typing_extensions import override

from harness.wire import WireName, subjects_of, wire_rules
from harness_lab.freedoms.faults_pieces import Json, Kind, edited
from harness_lab.freedoms.loop import Loop
from harness_lab.freedoms.speaker import Answer, Call, Output, as_arguments

ALL = (
    "openai-chat",
    "openai-responses",
    "anthropic-messages",
    "gemini-generate",
    "gemini-interactions",
    "bedrock-converse",
)


class Faulty(Loop):
    """A loop with a fault. ``did``: the fault has shown in this run; freedoms may leave it nothing to break."""

    did = False
    _is_beside = False

    def sent(self, body: Json) -> Json:
        """A request of the conversation, as it is sent."""
        return body

    def heard(self, answer: Answer) -> Answer:
        """An answer, as the loop understands it."""
        return answer

    @override
    def request(self, path: str, body: Json, retry: int) -> httpx2.Request:
        new = body if self._is_beside else self.sent(deepcopy(body))
        self.did = self.did or new != body
        return super().request(path, new, retry)

    @override
    async def aside(self, text: str) -> None:
        self._is_beside = True
        await super().aside(text)
        self._is_beside = False

    @override
    async def ask(self) -> Answer:
        return self.heard(await super().ask())


@dataclass(frozen=True)
class Fault:
    """One thing that a loop does wrong. ``cases`` are scenarios that lead it there, ``rules`` the pattern of the rules
    that must name it, ``needs`` the freedoms without which it does not show."""

    name: str
    does: str
    loop: type[Faulty]
    cases: tuple[str, ...]
    rules: str
    wires: tuple[WireName, ...] = ALL
    chunking: str = "event"
    needs: Mapping[str, str] = field(default_factory=dict)


FAULTS: dict[str, Fault] = {}


def planted(
    loop: type[Faulty],
    does: Callable[..., object] | type,
    cases: str,
    rules: str,
    wires: str = "",
    chunking: str = "event",
    **needs: str,
) -> None:
    """Note a fault under the name of the function or class that makes it."""
    name = does.__name__.strip("_").replace("_", "-")
    chosen = tuple(each for each in ALL if not wires or each in wires.split())
    styled = {axis.replace("_", "-"): value for axis, value in needs.items()}
    FAULTS[name] = Fault(name, does.__doc__ or "", loop, tuple(cases.split()), rules, chosen, chunking, styled)


def about(*subjects: str) -> str:
    """A pattern of the providers' rules about these subjects."""
    return "|".join(rule for rule in wire_rules() if {*subjects} & {*subjects_of(rule)})


Sent = Callable[[Faulty, Json], Json]
Piece = Callable[[Json], Json | None]
Run = Callable[[Call], Awaitable[Output]]
OnAnswer = Callable[[Faulty, Answer], Answer]
Ran = Callable[[Faulty, Call, Callable[[Call], Awaitable[Output]]], Awaitable[Output]]
Returned = Callable[[Faulty, str], str]


def sent(cases: str, rules: str, wires: str = "", **needs: str) -> Callable[[Sent], Sent]:
    """A fault of requests: takes the loop and a body that it may change, and returns what is sent."""

    def plant(change: Sent) -> Sent:
        loop = type(change.__name__, (Faulty,), {"sent": change})
        planted(loop, change, cases, rules, wires, **needs)
        return change

    return plant


def heard(cases: str, rules: str, wires: str = "", **needs: str) -> Callable[[OnAnswer], OnAnswer]:
    """A fault of what is made of an answer."""

    def plant(change: OnAnswer) -> OnAnswer:
        def noted(self: Faulty, answer: Answer) -> Answer:
            before = deepcopy(answer)
            new = change(self, answer)
            self.did = self.did or new != before
            return new

        planted(type(change.__name__, (Faulty,), {"heard": noted}), change, cases, rules, wires, **needs)
        return change

    return plant


def ran(cases: str, rules: str, wires: str = "", **needs: str) -> Callable[[Ran], Ran]:
    """A fault of how a call is run: takes the loop, the call, and what runs a call rightly."""

    def plant(change: Ran) -> Ran:
        async def output(self: Faulty, call: Call) -> Output:
            run = partial(Loop.output, self)
            new = await change(self, call, run)
            return new

        planted(type(change.__name__, (Faulty,), {"output": output, "did": True}), change, cases, rules, wires, **needs)
        return change

    return plant


def returned(cases: str, rules: str, wires: str = "", **needs: str) -> Callable[[Returned], Returned]:
    """A fault of the text that a run returns."""

    def plant(change: Returned) -> Returned:
        def done(self: Faulty, answer: Answer) -> str | None:
            wrong = change(self, answer.text)
            self.did = self.did or wrong != answer.text
            return Loop.final(self, "completed", wrong)

        planted(type(change.__name__, (Faulty,), {"done": done}), change, cases, rules, wires, **needs)
        return change

    return plant


def changes_class(
    cases: str, rules: str, wires: str = "", chunking: str = "event", **needs: str
) -> Callable[[type[Faulty]], type[Faulty]]:
    """A fault that is a loop of its own, with other methods."""

    def plant(loop: type[Faulty]) -> type[Faulty]:
        planted(loop, loop, cases, rules, wires, chunking, **needs)
        return loop

    return plant


def pieces_sent(what: Kind, cases: str, rules: str, wires: str = "", **needs: str) -> Callable[[Piece], Piece]:
    """A fault of all pieces of a kind in requests: takes one that it may change, and returns what is sent for it."""

    def plant(change: Piece) -> Piece:
        @wraps(change)
        def all_edited(_: Faulty, body: Json) -> Json:
            return edited(body, what, lambda _at, piece: change(piece))

        sent(cases, rules, wires, **needs)(all_edited)
        return change

    return plant


def alters_results(rules: str, cases: str) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """A fault of what tools return: takes a value, and returns what goes back in its place."""

    def plant(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @wraps(change)
        async def altered(_: Faulty, call: Call, run: Run) -> Output:
            output = await run(call)
            return output if output.failed else Output(call, change(output.value))

        ran(cases, rules)(altered)
        return change

    return plant


def alters_arguments(cases: str) -> Callable[[Callable[[Json], Json]], Callable[[Json], Json]]:
    """A fault of what tools are run on: takes the arguments of a call, and returns others."""

    def plant(change: Callable[[Json], Json]) -> Callable[[Json], Json]:
        @wraps(change)
        async def altered(_: Faulty, call: Call, run: Run) -> Output:
            arguments = as_arguments(call.arguments)
            if arguments is not None:
                call = Call(call.id, call.name, json.dumps(change(arguments)), call.native)
            return await run(call)

        ran(cases, r"execution/model-arguments|reported/input")(altered)
        return change

    return plant
