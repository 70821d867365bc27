"""Requests, judged one after the other by the rules of their wires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.finding import Finding
from harness.lint.memory import AnsweredRequests
from harness.wire import Conversation, IssuedState, Reply, Route, UnreadableRequest, WireName, wire

__all__ = ["Judge", "Judgement", "LintedRequest"]

_NOT_FOUND = frozenset(["previous_response_not_found", "thread_not_found"])
"""Codes of the errors that say that a named response does not exist, which no file can show."""


@dataclass(frozen=True, slots=True)
class LintedRequest:
    """A request to a model, and what it was answered as far as somebody knows.

    Header names are lower case. ``status`` and ``response`` are None where there is no answer.
    """

    route: Route
    headers: Mapping[str, str]
    body: bytes
    status: int | None = None
    content_type: str = ""
    response: bytes | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a request breaks, in the order in which the provider would complain.

    ``withheld`` would hold if the response that the request names did not exist; here it is only not known.
    ``remembered`` counts the replies that were known of the conversation that the request goes on with.
    """

    wire: WireName
    model: str
    violations: tuple[Finding, ...]
    withheld: tuple[Finding, ...] = ()
    remembered: int = 0


class Judge:
    """Judges requests in the order in which they were made. Without ``memory`` each is judged by what it shows."""

    def __init__(self, *, memory: bool = True) -> None:
        self._memory = AnsweredRequests() if memory else None

    def judge(self, asked: LintedRequest) -> Judgement:
        """The rules that one request breaks; its reply is remembered for those that follow."""
        speaker = wire(asked.route.wire)
        try:
            conversation = speaker.read(asked.route, asked.body, asked.headers)
        except UnreadableRequest as unreadable:
            return Judgement(asked.route.wire, asked.route.model or "", (unreadable.finding,))
        issued = self._memory.issued(conversation) if self._memory else IssuedState()
        resolved = speaker.resolve(conversation, issued)
        found = speaker.violations(resolved, issued)
        named = conversation.continues
        withheld = (
            [one for one in found if one.answered.code in _NOT_FOUND] if named and issued.find(named) is None else []
        )
        self._remember(asked, conversation, resolved)
        return Judgement(
            asked.route.wire,
            conversation.model,
            tuple(one for one in found if one not in withheld),
            tuple(withheld),
            len(issued.turns),
        )

    def _remember(self, asked: LintedRequest, conversation: Conversation, resolved: Conversation) -> None:
        reply = _reply(asked) if self._memory and not asked.route.aside else None
        if self._memory and reply is not None:
            self._memory.add(conversation, resolved, reply)


def _reply(asked: LintedRequest) -> Reply | None:
    """What the model said; None for an error, or a body that is no response of this wire."""
    if asked.status is None or asked.status >= 400 or not asked.response:
        return None
    try:
        return wire(asked.route.wire).parse(asked.content_type, asked.response)
    except ValueError:
        return None
