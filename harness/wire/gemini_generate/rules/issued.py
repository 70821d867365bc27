"""What the endpoint itself has issued in one case, arranged for finding what comes back.

Kept in ``IssuedState.memory`` and added to as replies are: a request costs only what is new since the last.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from harness.wire.base import Conversation, IssuedState, Json, Reply
from harness.wire.gemini_generate.parts import signature_bytes
from harness.wire.gemini_generate.rules.same import fingerprint, same
from harness.wire.gemini_generate.write import UNNAMED


@dataclass(frozen=True, slots=True, eq=False)
class IssuedPart:
    """A call, or any other part with a signature, as the endpoint sent it.

    ``reply`` counts the replies of the case, ``number`` the issued parts. ``name`` is ``""`` for a part that calls
    nothing. ``signature`` is decoded, None where the part carried none.
    """

    reply: int
    number: int
    name: str
    arguments: Any
    id: str
    signature: bytes | None

    def made(self, part: Json) -> bool:
        """Whether a part of a request makes this very call, whatever its id."""
        call = call_of(part)
        return same(self.name, call.get("name")) and same(self.arguments, call.get("args") or {})


@dataclass(slots=True)
class IssuedParts:
    """All issued parts and calls by reply, and the ways to find them again.

    ``by_call`` has the calls by id (``""`` where there is none), name and fingerprint of the arguments, ``by_content``
    the same whatever their id, ``texts`` the replies by what they said and whether they called. ``asked`` are the
    requests that were answered, and ``prompt`` the contents of the first of them, which nobody issued. ``broken`` are
    the replies whose end was not sent, or not taken, and those in which a call has no end: a loop may not have read all
    of such a reply.
    """

    prompt: Any = None
    asked: list[Conversation] = field(default_factory=list)
    parts: list[list[IssuedPart]] = field(default_factory=list)
    calls: list[list[IssuedPart]] = field(default_factory=list)
    by_id: dict[str, list[IssuedPart]] = field(default_factory=dict)
    by_call: dict[tuple[str, str, int], list[IssuedPart]] = field(default_factory=dict)
    by_content: dict[tuple[str, int], list[IssuedPart]] = field(default_factory=dict)
    by_signature: dict[bytes, IssuedPart] = field(default_factory=dict)
    texts: dict[tuple[str, bool], list[int]] = field(default_factory=dict)
    broken: set[int] = field(default_factory=set)
    count: int = 0

    def add(self, asked: Conversation, reply: Reply) -> None:
        """Take in a reply and the request that it answered."""
        if not self.asked:
            self.prompt = asked.body.get("contents")
        self.asked.append(asked)
        if not reply.complete:
            self.broken.add(len(self.parts))
        self.parts.append([])
        self.calls.append([])
        for part in reply.items:
            signature = signature_of(part)
            if call := call_of(part):
                self._add_call(call, signature)
                if call.get("willContinue"):
                    self.broken.add(len(self.parts) - 1)
            elif signature is not None:
                self._add(IssuedPart(len(self.parts) - 1, self.count, "", None, "", signature))
        if reply.turn.text:
            key = (reply.turn.text, bool(self.calls[-1]))
            self.texts.setdefault(key, []).append(len(self.parts) - 1)

    def _add_call(self, call: Json, signature: bytes | None) -> None:
        name, arguments, call_id = call.get("name") or UNNAMED, call.get("args") or {}, call.get("id") or ""
        made = IssuedPart(len(self.parts) - 1, self.count, name, arguments, call_id, signature)
        self._add(made)
        self.calls[-1].append(made)
        content = (name, fingerprint(arguments))
        self.by_call.setdefault((call_id, *content), []).append(made)
        self.by_content.setdefault(content, []).append(made)
        if call_id:
            self.by_id.setdefault(call_id, []).append(made)

    def _add(self, part: IssuedPart) -> None:
        self.count += 1
        self.parts[-1].append(part)
        if part.signature is not None:
            self.by_signature.setdefault(part.signature, part)


def issued(state: IssuedState) -> IssuedParts:
    """All that was issued so far."""
    memory = state.memory
    if not isinstance(memory, IssuedParts) or len(memory.parts) > len(state.turns):
        memory = state.memory = IssuedParts()
    for asked, reply in state.turns[len(memory.parts) :]:
        memory.add(asked, reply)
    return memory


def call_of(part: Json) -> Json:
    """The part's functionCall, empty when it has none or it is no object."""
    call = part.get("functionCall")
    return call if isinstance(call, dict) else {}


def signature_of(part: Json) -> bytes | None:
    """The part's decoded signature; None without one, or when it is not base64."""
    signature = part.get("thoughtSignature")
    return signature_bytes(signature) if isinstance(signature, str) and signature else None
