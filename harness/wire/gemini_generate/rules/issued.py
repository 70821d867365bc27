"""What the endpoint itself has issued in one case, arranged for finding what comes back."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.wire.base import Json, Reply
from harness.wire.gemini_generate.parts import signature_bytes
from harness.wire.gemini_generate.rules.same import fingerprint, same
from harness.wire.gemini_generate.write import UNNAMED
from harness.wire.issued import IssuedKind, IssuedTurn


@dataclass(frozen=True, slots=True, eq=False)
class IssuedPart:
    """A call, or any other part with a signature, as the endpoint sent it.

    ``reply`` counts the replies of the case; ``number`` has the place of the part in its reply, too. ``name`` is ``""``
    for a part that calls nothing. ``signature`` is decoded, None where the part carried none.
    """

    reply: int
    number: tuple[int, int]
    name: str
    arguments: Any
    id: str
    signature: bytes | None

    def made(self, part: Json) -> bool:
        """Whether a part of a request makes this very call, whatever its id."""
        call = call_of(part)
        return same(self.name, call.get("name")) and same(self.arguments, call.get("args") or {})


def _parts(turn: IssuedTurn) -> Iterator[IssuedPart]:
    for at, part in enumerate(turn.reply.items):
        number, call, signature = (turn.number, at), call_of(part), signature_of(part)
        if call:
            name, arguments = call.get("name") or UNNAMED, call.get("args") or {}
            yield IssuedPart(turn.number, number, name, arguments, call.get("id") or "", signature)
        elif signature is not None:
            yield IssuedPart(turn.number, number, "", None, "", signature)


@IssuedKind
def issued_parts(turn: IssuedTurn) -> Iterator[tuple[Hashable, IssuedPart]]:
    """Each part by its reply (a number) and its signature, and each call by its id and all else that shows it."""
    for part in _parts(turn):
        yield part.reply, part
        if part.signature is not None:
            yield part.signature, part
        if part.name:
            content = (part.name, fingerprint(part.arguments))
            yield ("calls of reply", part.reply), part
            yield ("content", *content), part
            yield ("id and content", part.id, *content), part
            if part.id:
                yield part.id, part


@IssuedKind
def issued_texts(turn: IssuedTurn) -> Iterator[tuple[tuple[str, bool], int]]:
    """The numbers of replies, by what they said and whether they called."""
    if turn.reply.turn.text:
        yield (turn.reply.turn.text, any(map(call_of, turn.reply.items))), turn.number


def is_broken(reply: Reply) -> bool:
    """Whether its end was not sent, or not taken, or a call in it has no end: a loop may not have read all of it."""
    return not reply.complete or any(call_of(part).get("willContinue") for part in reply.items)


def signed_with(signature: bytes | None, parts: Mapping[Hashable, list[IssuedPart]]) -> IssuedPart | None:
    """The part of ``issued_parts`` that came with a signature; None for none, or for one that was not issued."""
    found = parts.get(signature)
    return found[0] if found else None


def call_of(part: Json) -> Json:
    """The part's functionCall, empty when it has none or it is no object."""
    call = part.get("functionCall")
    return call if isinstance(call, dict) else {}


def signature_of(part: Json) -> bytes | None:
    """The part's decoded signature; None without one, or when it is not base64."""
    signature = part.get("thoughtSignature")
    return signature_bytes(signature) if isinstance(signature, str) and signature else None
