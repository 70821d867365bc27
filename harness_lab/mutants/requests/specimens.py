"""Small loops without a mistake: what the model says, turn by turn, and the requests of a client that goes on from it.

Played on the wire alone: no SDK, no gateway, no clock.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Final

from harness.wire import (
    Conversation,
    Identity,
    IssuedState,
    Message,
    Rendered,
    Reply,
    Result,
    Text,
    ToolDeclaration,
    Turn,
    UnreadableRequest,
    Violation,
    Wire,
    WireName,
    wire,
)
from harness.wire.base import Json

__all__ = ["PROMPT", "TOOLS", "Asked", "Played", "Posted", "Specimen"]

_PATH: Final = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}

TOOLS: Final = (
    ToolDeclaration("list_files", "Lists a folder.", _PATH),
    ToolDeclaration("read_file", "Reads a file.", _PATH),
)

PROMPT: Final = (
    Message("system", (Text("You answer questions about code."),), ""),
    Message("user", (Text("What is in src/app.py?"),), ""),
)


@dataclass(slots=True)
class Posted:
    """A request as it is posted, for somebody to change. ``raw`` is sent in place of ``body`` where it is set."""

    path: str
    body: Json
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None

    def content(self) -> bytes:
        return json.dumps(self.body).encode() if self.raw is None else self.raw


@dataclass(frozen=True, slots=True, eq=False)
class Specimen:
    """A loop in which nobody makes a mistake. Its last request is the one that mutants break.

    Each turn's calls are answered; after a turn without calls the user says ``Go on.`` ``settings`` are members of
    each request's body beside the wire's own, ``said`` follows the results of each turn, and ``amend`` brings a
    request into another form that is as valid (it is given what was sent so far). ``foreign``: the endpoint has
    issued none of it, so that only the body can be judged.
    """

    name: str
    wire: WireName
    model: str
    turns: tuple[Turn, ...]
    settings: Json = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    tools: tuple[ToolDeclaration, ...] = field(default=TOOLS, repr=False)
    prompt: tuple[Message, ...] = field(default=PROMPT, repr=False)
    said: tuple[str, ...] = ()
    amend: Callable[[Posted, IssuedState], None] | None = None
    foreign: bool = False

    def play(self) -> Played:
        """All its requests, read, and what was sent by then. Raises ``AssertionError`` when one breaks a rule."""
        played = Played(self, wire(self.wire))
        messages = self.prompt
        for turn in (*self.turns, None):
            asked = played.ask(messages)
            if turn is not None:
                messages = messages + played.answer(asked, turn)
        return played


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of a specimen, and how it was read."""

    posted: Posted
    conversation: Conversation


class Played:
    """A specimen with all its requests and responses. ``sent`` is what was issued before the last request."""

    def __init__(self, specimen: Specimen, speaker: Wire) -> None:
        self.specimen = specimen
        self.wire = speaker
        self.sent = IssuedState()
        self.requests: list[Asked] = []
        self.rendered: list[Rendered] = []
        self._identity = Identity(specimen.name)

    @property
    def last(self) -> Posted:
        """A copy of the last request, to be changed."""
        return deepcopy(self.requests[-1].posted)

    def judge(self, posted: Posted) -> list[Violation]:
        """What a request breaks that is sent in place of the last one."""
        try:
            conversation = self._read(posted)
        except UnreadableRequest as unreadable:
            return [unreadable.violation]
        return self._violations(conversation)

    def ask(self, messages: tuple[Message, ...]) -> Asked:
        """Send the next request; a mistake in it would make every proof on this specimen worthless."""
        specimen = self.specimen
        settings = {**self.wire.settings, **specimen.settings}
        written = self.wire.write(
            Conversation(specimen.wire, specimen.model, True, messages, specimen.tools, body=settings)
        )
        posted = Posted(written.path, json.loads(written.body), dict(specimen.headers))
        if specimen.amend is not None:
            specimen.amend(posted, self.sent)
        asked = Asked(posted, self._read(posted))
        found = self._violations(asked.conversation)
        if found:
            raise AssertionError(f"specimen {specimen.name} breaks {found[0].rule} at {found[0].at}: {found[0].got}")
        self.requests.append(asked)
        return asked

    def answer(self, asked: Asked, turn: Turn) -> tuple[Message, ...]:
        """Send ``turn`` in answer to a request; returns how a client goes on from it."""
        self.rendered.append(self.wire.render(turn, self._identity, asked.conversation))
        reply = self.rendered[-1].reply
        self.sent.add(asked.conversation, reply)
        ids = list(_ids(reply, len(self.requests)))
        results = [Result(id, '{"content": "ok"}', call.name) for id, call in zip(ids, reply.turn.calls, strict=True)]
        following = self.wire.answers(reply, ids, results, self.specimen.said)
        go_on = Message("user", (Text("Go on."),), "")
        return (*self.wire.returned(reply, ids), *(following if results else (go_on,)))

    def _read(self, posted: Posted) -> Conversation:
        route = self.wire.route("POST", posted.path)
        if route is None:
            raise AssertionError(f"{posted.path} is no path of {self.wire.name}")
        conversation = self.wire.read(route, posted.content(), posted.headers)
        return self.wire.resolve(conversation, self._issued)

    def _violations(self, conversation: Conversation) -> list[Violation]:
        self._issued.memory = None  # each judgement stands for itself
        return self.wire.violations(conversation, self._issued)

    @property
    def _issued(self) -> IssuedState:
        return IssuedState() if self.specimen.foreign else self.sent


def _ids(reply: Reply, number: int) -> Iterator[str]:
    """One id for each call: its own, and one by its place where it has none."""
    for index, call in enumerate(reply.turn.calls):
        yield call.id or f"call-{number}-{index}"
