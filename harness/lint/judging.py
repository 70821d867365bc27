"""Judges requests one after another by the rules of their wires.

The recorded answer counts more than any rule: if a finding claims that the provider refuses a request, but the request
was answered, it is no fault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from harness.finding import Finding
from harness.lint.memory import AnsweredRequests
from harness.wire import IssuedState, Reply, Route, UnreadableRequest, WireName, wire
from harness.wire.servers import KnownServer, detected, known_server

_NOT_FOUND = frozenset(["previous_response_not_found", "thread_not_found"])
"""Codes of the errors that say that a named response does not exist, which no file can show."""


@dataclass(frozen=True, slots=True)
class LintedRequest:
    """A request to a model, and its answer if it is known.

    Header names are lower case. ``status`` and ``response`` are None where there is no answer. ``host`` is that of the
    request's URL, with its port; ``answer_headers`` are the names of the response's headers. ``connection``
    and ``lane`` are as in ``Conversation``.
    """

    route: Route
    headers: Mapping[str, str]
    body: bytes
    status: int | None = None
    content_type: str = ""
    response: bytes | None = None
    host: str = ""
    answer_headers: frozenset[str] = field(default_factory=frozenset)
    connection: int = 0
    lane: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a request breaks, in the order in which the provider would complain.

    ``withheld`` would hold if the response that the request names did not exist; here it is only not known.
    ``remembered`` counts the replies that were known of the conversation that the request goes on with.

    ``accepted`` are the rules that it breaks and that say that it is refused, while the recorded server has answered
    it: no faults of the request, and evidence against the rules. ``server`` is the one by whose practice the rules are
    weighed; None where nothing shows which it is.
    """

    wire: WireName
    model: str
    violations: tuple[Finding, ...]
    withheld: tuple[Finding, ...] = ()
    remembered: int = 0
    accepted: tuple[Finding, ...] = ()
    server: KnownServer | None = None


class Judge:
    """Judges requests in the order in which they were made. Without ``memory`` each is judged by what it shows.

    ``server`` is the name of the server that was asked; without it each request and its answer show it. ``settles``: an
    answer shows that a server accepts the request. Raises ``BadInput`` for a server that nobody knows.
    """

    def __init__(self, *, memory: bool = True, server: str = "", settles: bool = True) -> None:
        self._settles = settles
        self._memory = AnsweredRequests() if memory else None
        self._server = known_server(server)

    def judge(self, asked: LintedRequest) -> Judgement:
        """The rules that one request breaks; its reply is remembered for those that follow."""
        speaker = wire(asked.route.wire)
        reply = _reply(asked)
        try:
            conversation = speaker.read(asked.route, asked.body, asked.headers)
        except UnreadableRequest as unreadable:
            server = self._server or _server_of(asked, asked.route.model or "")
            return self._judgement(asked, reply, asked.route.model or "", [unreadable.finding], server)
        conversation = replace(conversation, connection=asked.connection, lane=asked.lane)
        issued = self._memory.issued(conversation) if self._memory else IssuedState()
        resolved = speaker.resolve(conversation, issued)
        server = self._server or _server_of(asked, conversation.model)
        found = wire(asked.route.wire, (), server).violations(resolved, issued)
        earlier = conversation.continues
        is_unknown = earlier is not None and issued.find(earlier) is None
        if self._memory and reply is not None and not asked.route.aside:
            self._memory.add(conversation, resolved, reply)
        return self._judgement(
            asked, reply, conversation.model, found, server, unknown=is_unknown, remembered=len(issued.turns)
        )

    def _judgement(
        self,
        asked: LintedRequest,
        reply: Reply | None,
        model: str,
        found: Sequence[Finding],
        server: KnownServer | None,
        *,
        unknown: bool = False,
        remembered: int = 0,
    ) -> Judgement:
        """What was answered is no fault that the server would refuse; what comes of it holds all the same.

        ``unknown``: the request names a response that is in no file, so nothing is known about it.
        """
        if not found:
            return Judgement(asked.route.wire, model, (), remembered=remembered, server=server)
        withheld = [one for one in found if unknown and one.answered.code in _NOT_FOUND]
        is_settled = self._settles and _is_answered(asked, reply)
        refuted = [one for one in found if is_settled and one.answered.status >= 400 and one not in withheld]
        held = tuple(one for one in found if one not in withheld and one not in refuted)
        return Judgement(asked.route.wire, model, held, tuple(withheld), remembered, tuple(refuted), server)


def host_of(url: str) -> str:
    """The host of a URL, for ``LintedRequest.host``; ``""`` if there is none or it is no URL.

    It includes an unusual port, which distinguishes local servers.
    """
    try:
        found = urlsplit(url).netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""
    return found.removesuffix(":443").removesuffix(":80")


def _is_answered(asked: LintedRequest, reply: Reply | None) -> bool:
    """Whether the model's answer, or its beginning, is recorded; for other requests, whether they succeeded."""
    if asked.status is None or not 200 <= asked.status < 300:
        return False
    if asked.route.aside:
        return bool(asked.response)
    return reply is not None and reply.turn.error is None and bool(reply.items or reply.id)


def _server_of(asked: LintedRequest, model: str) -> KnownServer | None:
    return detected(host=asked.host, headers=asked.answer_headers, answer=asked.response, model=model)


def _reply(asked: LintedRequest) -> Reply | None:
    """The model's reply; None for an error, or for a body that is no response of this wire."""
    if asked.status is None or asked.status >= 400 or not asked.response:
        return None
    try:
        return wire(asked.route.wire).parse(asked.content_type, asked.response)
    except ValueError:
        return None
