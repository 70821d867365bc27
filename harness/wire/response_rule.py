"""What a server or a gateway must send: the rules about responses. ``harness.wire.rule`` is about requests.

A wire has one table of them (``Wire.response_rules``) and one strict reader (``Wire.strict``), which says where a
response breaks one. The strict reader is a second reader: ``Wire.parse`` stays as tolerant as the official SDKs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from harness.finding import Finding, Impact, Level
from harness.wire.lenient import Json
from harness.wire.rule import Subject

ShownBy = Literal["answer", "transfer", "request", "nothing"]
"""What shows that a rule is broken: one ``answer`` by itself; the answer that a gateway got compared with the answer
that it sent (``transfer``); what a server does with a ``request``; ``nothing``: no check exists yet, or the rule
permits."""

ProbeStep = Literal[
    "own answer back",
    "continuation",
    "wrong request",
    "wrong continuation",
    "unknown tool type",
    "unknown earlier response",
    "wrong key",
    "calls in text",
    "prompt tokens",
    "compaction",
    "channel",
    "channel error",
]
"""The steps of a probe that show what a server does with a request."""

Content = Literal[
    "thinking",
    "thinking signature",
    "redacted thinking",
    "call signature",
    "text signature",
    "call id",
    "cut arguments",
    "order",
    "phase",
    "pause",
    "refusal",
    "content filter",
    "reasoning tokens",
    "cached tokens",
]
"""Content of a turn that not every wire can express."""

CONTENTS: Final[Mapping[Content, str]] = {
    "thinking": "the text of the model's thinking",
    "thinking signature": "the proof that the model has written its thinking",
    "redacted thinking": "thinking that is sent as an opaque blob",
    "call signature": "the proof that the model has made a call",
    "text signature": "the proof that the model has written a text",
    "call id": "the id of a call",
    "cut arguments": "arguments of a call that were cut off, as they came",
    "order": "the order of thinking, text and calls",
    "phase": "whether a text is commentary or the final answer",
    "pause": "that the turn has paused and is to be continued",
    "refusal": "that the model has declined",
    "content filter": "that a filter has ended the turn",
    "reasoning tokens": "how many tokens the model has thought",
    "cached tokens": "how many tokens of the prompt were cached",
}
"""Every content, with its description."""

_FAMILIES: Final[Mapping[ShownBy, str]] = {
    "answer": "server/answer",
    "transfer": "server/loss",
    "request": "server/request",
    "nothing": "server/answer",
}


@dataclass(frozen=True, slots=True)
class ReceivedResponse:
    """One answer of a server, as it came over HTTP.

    ``request`` is the body of the request, if it is known: some rules depend on what was asked for. ``earlier_ids`` are
    the ids of earlier calls in the same conversation. ``unsigned`` are the kinds of signatures that the model behind
    the server never gives, as behind a gateway to a wire without signatures: a missing one is only information then.
    """

    content_type: str
    body: bytes
    status: int = 200
    request: Json | None = None
    earlier_ids: frozenset[str] = field(default_factory=frozenset)
    unsigned: frozenset[Content] = field(default_factory=frozenset)

    @property
    def refused(self) -> bool:
        """Whether it is an HTTP error."""
        return self.status >= 400

    def unsigned_level(self, content: Content) -> Level | None:
        """The level of a missing signature, if it differs from the level of its rule."""
        return "INFO" if content in self.unsigned else None


@dataclass(frozen=True, slots=True)
class ResponseRule:
    """One statement about what a server or a gateway sends.

    ``evidence`` names its sources: threads of users, recordings, documents, an SDK. ``recordings`` says what providers'
    own recordings show, if they have decided its level. ``shown_by`` says what shows that it is broken; if that is a
    request, ``probe`` is the step of a probe. ``also`` are the ids of rules of one wire that the same check covers.
    ``about`` are the subjects that it shares with rules about requests: a loss at the client and a refusal at the
    upstream about the same subject have one cause. A rule with ``permits`` describes what looks wrong but is right.
    """

    id: str
    statement: str
    level: Level
    evidence: tuple[str, ...]
    shown_by: ShownBy = "answer"
    probe: ProbeStep | Literal[""] = ""
    recordings: str = ""
    also: tuple[str, ...] = ()
    about: tuple[Subject, ...] = ()
    impact: Impact = "invalid"
    permits: bool = False

    @property
    def family(self) -> str:
        """The rule of the harness that findings name: ``server/answer``, ``server/loss`` or ``server/request``."""
        return _FAMILIES[self.shown_by]

    def broken(self, place: str, *, expected: str, got: str, level: Level | None = None) -> Finding:
        """This rule, broken at ``place``: ``event 4: choices[0].delta``. ``level`` overrides the rule's own."""
        return Finding(
            self.family, level or self.level, self.impact, None, expected, got, detail=place, reference=self.id
        )


Strict = Callable[[ReceivedResponse], Iterable[Finding]]
"""Reports every place at which a response breaks a rule of its wire, in the order of its bytes."""
