"""Small loops without a mistake: the model's turns, and the requests of a client that continues them.

They are played on the wire alone: no SDK, no endpoint, no clock.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import (
    Conversation,
    IssuedState,
    Message,
    Rendered,
    Reply,
    Result,
    ToolDeclaration,
    UnreadableRequest,
    Wire,
)
from harness.wire.identity import Identity
from harness.wire.lenient import Json
from harness.wire.names import WireName
from harness.wire.posted import Posted, Right, Wrong
from harness.wire.registry import wire
from harness.wire.turn import Text, Turn

_PATH: Final = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}

TOOLS: Final = (
    ToolDeclaration("list_files", "Lists a folder.", _PATH),
    ToolDeclaration("read_file", "Reads a file.", _PATH),
)

PROMPT: Final = (
    Message("system", (Text("You answer questions about code."),), ""),
    Message("user", (Text("What is in src/app.py?"),), ""),
)


@dataclass(frozen=True, slots=True, eq=False)
class BaseRequest:
    """A loop in which nobody makes a mistake. Its last request is the one that mutants break.

    Each turn's calls are answered; after a turn without calls the user says ``Go on.`` ``settings`` are additional
    members of each request's body, ``follow_ups`` come after the results of each turn, and ``amend`` brings a request
    into another valid form (it gets what was sent so far). ``foreign``: the endpoint has issued nothing of it, so only
    the body can be judged. ``fixed``: with other turns ``amend`` would make no valid request. ``remembered``: one must
    know what was sent to know that the request is valid. ``connection``: as for ``Posted``.
    """

    name: str
    wire: WireName
    model: str
    turns: tuple[Turn, ...]
    settings: Json = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    tools: tuple[ToolDeclaration, ...] = field(default=TOOLS, repr=False)
    prompt: tuple[Message, ...] = field(default=PROMPT, repr=False)
    follow_ups: tuple[str, ...] = ()
    amend: Callable[[Posted, IssuedState], None] | None = None
    foreign: bool = False
    fixed: bool = False
    remembered: bool = False
    connection: int = 0

    def play(self) -> PlayedLoop:
        """All its requests as read, with the responses. Raises ``AssertionError`` if a request breaks a rule."""
        played = PlayedLoop(self, wire(self.wire))
        messages = self.prompt
        for turn in (*self.turns, None):
            asked = played.ask(messages)
            if turn is not None:
                messages = messages + played.answer(asked, turn)
        return played


@dataclass(frozen=True, slots=True)
class PlayedRequest:
    """One request of a loop, as posted and as read."""

    posted: Posted
    conversation: Conversation


class PlayedLoop:
    """A base request with all its requests and responses. ``issued`` is what was issued before the last request."""

    def __init__(self, base: BaseRequest, speaker: Wire) -> None:
        self.base = base
        self.wire = speaker
        self.issued = IssuedState()
        self.requests: list[PlayedRequest] = []
        self.rendered: list[Rendered] = []
        self._identity = Identity(base.name)
        self.answers: list[tuple[Turn, Identity]] = []
        self._pickled = b""  # of the last request, as it was sent

    @property
    def last(self) -> Posted:
        """A copy of the last request, to be changed. By pickle, which takes a tenth of the time of ``deepcopy``."""
        posted: Posted = pickle.loads(self._pickled)  # noqa: S301 - our own bytes
        return posted

    def judge(self, posted: Posted, *, server: str = "", issued: bool = True) -> list[Finding]:
        """The rules that a request breaks if it is sent instead of the last one, to the server of this name.

        Without ``issued``, the endpoint has sent nothing of its history.
        """
        before = self.state_before if issued else IssuedState()
        before.memory = None  # each judgement is independent
        return self.judge_after(posted, before, server=server)

    def judge_after(self, posted: Posted, before: IssuedState, *, server: str = "") -> list[Finding]:
        """The rules that a request breaks after ``before`` was issued, with the memory of ``before``."""
        before.stored = dict.fromkeys(posted.deleted)
        try:
            conversation = self._read(posted, before)
        except UnreadableRequest as unreadable:
            return [unreadable.finding]
        return self.wire.violations(replace(conversation, server=server) if server else conversation, before)

    def remembering(self, *, issued: bool = True) -> IssuedState:
        """What was issued before the last request, with the wire's memory of judging the requests before it.

        Without ``issued``: for an endpoint that got these requests but issued nothing of their history.
        """
        state = IssuedState()
        for asked, turn in zip(self.requests, self.issued.turns, strict=False):
            self.wire.violations(asked.conversation, state)
            if issued and not self.base.foreign:
                state.add(*turn)
        return state

    def memory_of(self, posted: Posted) -> object:
        """What the wire remembers after a request that came before anything was issued."""
        state = IssuedState()
        self.judge_after(posted, state)
        return state.memory

    def ask(self, messages: tuple[Message, ...]) -> PlayedRequest:
        """Send the next request; a mistake in it would make every proof on this base request worthless."""
        base = self.base
        settings = {**self.wire.settings, **base.settings}
        written = self.wire.write(Conversation(base.wire, base.model, True, messages, base.tools, body=settings))
        posted = Posted(written.path, json.loads(written.body), dict(base.headers), connection=base.connection)
        if base.amend is not None:
            base.amend(posted, self.issued)
        asked = PlayedRequest(posted, self._read(posted, self.state_before))
        found = self._violations(asked.conversation, self.state_before)
        if found:
            place = found[0].answered.place
            raise AssertionError(f"base request {base.name} breaks {found[0].id} at {place}: {found[0].got}")
        self.requests.append(asked)
        self._pickled = pickle.dumps(asked.posted)
        return asked

    def answer(self, asked: PlayedRequest, turn: Turn) -> tuple[Message, ...]:
        """Send ``turn`` in answer to a request; returns the messages by which a client continues."""
        self.answers.append((turn, copy(self._identity)))
        self.rendered.append(self.wire.render(turn, self._identity, asked.conversation))
        reply = self.rendered[-1].reply
        self.issued.add(asked.conversation, reply)
        ids = list(_ids(reply, len(self.requests)))
        results = [Result(id, '{"content": "ok"}', call.name) for id, call in zip(ids, reply.turn.calls, strict=True)]
        following = self.wire.answers(reply, ids, results, self.base.follow_ups)
        go_on = Message("user", (Text("Go on."),), "")
        return (*self.wire.returned(reply, ids), *(following if results else (go_on,)))

    def _read(self, posted: Posted, before: IssuedState) -> Conversation:
        route = self.wire.route("POST", posted.path) or self.wire.aside("POST", posted.path)
        if route is None:
            raise AssertionError(f"{posted.path} is no path of {self.wire.name}")
        conversation = self.wire.read(route, posted.content(), posted.headers)
        if posted.connection:
            conversation = replace(conversation, connection=posted.connection)
        return self.wire.resolve(conversation, before)

    def _violations(self, conversation: Conversation, before: IssuedState) -> list[Finding]:
        before.memory = None  # each judgement is independent
        return self.wire.violations(conversation, before)

    @property
    def state_before(self) -> IssuedState:
        """What the endpoint has issued before the last request; nothing if the loop is ``foreign``."""
        return IssuedState() if self.base.foreign else self.issued


def _ids(reply: Reply, number: int) -> Iterator[str]:
    """One id for each call: its own id, or one made from its place if it has none."""
    for index, call in enumerate(reply.turn.calls):
        yield call.id or f"call-{number}-{index}"


# --- the base requests of a wire, and the edits that its rules state ------------------------------------------------


@cache
def base_requests(name: WireName) -> Mapping[str, BaseRequest]:
    """The base requests of one of our wires, by their names without the wire's prefix (``one-call``)."""
    return {each.name.partition("-")[2]: each for each in right_module(name).BASE_REQUESTS}


def right_module(name: WireName) -> Any:
    """``rules/right.py`` of a wire: ``BASE_REQUESTS``, and ``HARMLESS`` edits that no single rule is about."""
    return import_module(f"harness.wire.{name.replace('-', '_')}.rules.right")


def bases_of(name: WireName, edit: Wrong | Right) -> tuple[BaseRequest, ...]:
    """The base requests that an edit is made for."""
    return tuple(base_requests(name)[each] for each in edit.on.split())
