"""A client of the gateway: a conversation on one wire, with results from the scenario's tools.

Two clients continue the same answer. The *official* client sends back the members for which its wire's SDK has types,
the *echo* client all members. Gateways put content that the wire lacks into members of their own, and a single client
would blame gateways that rely on the other one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from harness.loop.sessions.shared import unique_id
from harness.loop.sessions.wire_only import Answered
from harness.scenario import Scenario
from harness.wire import Call, Conversation, Message, Opaque, Reply, Result, Text, Wire, WrittenRequest
from harness.wire.base import ENTRY, Json, Role

ClientKind = Literal["official", "echo"]

CLIENTS: Final[tuple[ClientKind, ...]] = ("official", "echo")

_COLLECTION: Final = "/v1beta/models"
"""Where clients ask for a model that is named in the path, as the official SDK does."""

_GO_ON: Final = "Go on."
"""The user's words after an answer that calls no tool."""


@dataclass(slots=True)
class ClientConversation:
    """One conversation of a client of ``wire`` with the model of this name."""

    wire: Wire
    scenario: Scenario
    model: str
    stream: bool
    history: list[Json] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Begin with the prompt of the scenario."""
        if not self.history:
            self.history = self.wire.entries(self._prompt)

    def copy(self) -> ClientConversation:
        """The same conversation, which may go on otherwise."""
        return replace(self, history=list(self.history), ids=set(self.ids))

    def request(self) -> WrittenRequest:
        """The next request."""
        apart = tuple(each for each in self._prompt if not self.wire.entries([each]))
        carried = (Message("user", (Opaque(ENTRY, entry),), "") for entry in self.history)
        return self.wire.write(
            Conversation(
                self.wire.name,
                self.model,
                self.stream,
                (*apart, *carried),
                tuple(tool.declaration for tool in self.scenario.tools),
                body=dict(self.wire.settings),
                collection=_COLLECTION if self.wire.model_in_path else "",
            )
        )

    def go_on(self, reply: Reply, answered: Answered, kind: ClientKind) -> None:
        """Send back an answer, and the results of its calls or another word of the user.

        Raises ``ValueError`` if the answer cannot be sent back.
        """
        ids = self._ids(reply.turn.calls)
        self.history += self.wire.entries(self._back(reply, answered, ids, kind))
        if ids:
            results = [self._result(id, call) for id, call in zip(ids, reply.turn.calls, strict=True)]
            self.history += self.wire.entries(self.wire.answers(reply, ids, results))
        else:
            self.history += self.wire.entries([_message("user", _GO_ON)])

    def _back(self, reply: Reply, answered: Answered, ids: Sequence[str], kind: ClientKind) -> tuple[Message, ...]:
        if kind == "echo" and self.wire.echoed is not None:
            return self.wire.echoed(answered.content_type, answered.body, ids)
        return self.wire.returned(reply, ids)

    def _ids(self, calls: Sequence[Call]) -> list[str]:
        ids = []
        for call in calls:
            ids.append(unique_id(call.id, self.ids, "call_{:024}"))
            self.ids.add(ids[-1])
        return ids

    def _result(self, id: str, call: Call) -> Result:
        tool = next((each for each in self.scenario.tools if each.declaration.name == call.name), None)
        value = tool.returns if tool is not None else {"error": "no such tool"}
        return Result(id, json.dumps(value, ensure_ascii=False), call.name)

    @property
    def _prompt(self) -> list[Message]:
        return [_message(role, text) for role, text in self.scenario.prompt]


def _message(role: str, text: str) -> Message:
    roles: dict[str, Role] = {"system": "system"}
    return Message(roles.get(role, "user"), (Text(text),), "")
