"""What the endpoint itself has issued, arranged for judging what comes back."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from harness.wire.base import Json, Sent
from harness.wire.characters import sendable
from harness.wire.gemini_generate.parts import signature_bytes

__all__ = ["Issued", "IssuedCall", "call_of", "called", "issued", "same_json", "signature_of"]


@dataclass(frozen=True, slots=True)
class IssuedCall:
    """A call that the endpoint sent.

    ``arguments`` is as ``same_json`` writes it, ``signature`` is decoded (None where the part carried none), and
    ``reply`` counts the replies of the case.
    """

    name: str
    arguments: str
    id: str
    signature: bytes | None
    reply: int


@dataclass(frozen=True, slots=True)
class Issued:
    """All issued calls by reply, by id, by what they call, and by signature.

    ``by_signature`` has None for a signature on a part that calls nothing. ``texts`` has every issued text without
    calls, with the signatures that it was issued with.
    """

    by_reply: list[list[IssuedCall]] = field(default_factory=list)
    by_id: dict[str, list[IssuedCall]] = field(default_factory=dict)
    by_call: dict[tuple[str, str], list[IssuedCall]] = field(default_factory=dict)
    by_signature: dict[bytes, IssuedCall | None] = field(default_factory=dict)
    texts: dict[str, set[bytes]] = field(default_factory=dict)

    def find(self, part: Json) -> list[IssuedCall]:
        """The issued calls that this part may be, by its id or else by its name and arguments."""
        return self.by_id.get(call_of(part).get("id") or "") or self.by_call.get(called(part), [])

    def origin(self, part: Json) -> IssuedCall | None:
        """The issued call that this part is meant to be: by its id, else by its signature."""
        same = self.by_id.get(call_of(part).get("id") or "", [])
        if same:
            return next((made for made in same if (made.name, made.arguments) == called(part)), same[0])
        signature = signature_of(part)
        return self.by_signature.get(signature) if signature is not None else None


def issued(sent: Sent) -> Issued:
    """Arrange every reply of the case."""
    known = Issued()
    for number, reply in enumerate(sent.replies):
        known.by_reply.append([])
        for part in reply.items:
            if "functionCall" in part:
                _add_call(known, part, number)
            elif (signature := signature_of(part)) is not None:
                known.by_signature[signature] = None
        if reply.turn.text and not known.by_reply[-1]:
            signatures = {signature for part in reply.items if (signature := signature_of(part)) is not None}
            known.texts.setdefault(reply.turn.text, set()).update(signatures)
    return known


def _add_call(known: Issued, part: Json, number: int) -> None:
    call = call_of(part)
    made = IssuedCall(*called(part), call.get("id") or "", signature_of(part), number)
    known.by_reply[-1].append(made)
    known.by_call.setdefault((made.name, made.arguments), []).append(made)
    if made.id:
        known.by_id.setdefault(made.id, []).append(made)
    if made.signature is not None:
        known.by_signature[made.signature] = made


def call_of(part: Json) -> Json:
    """The part's functionCall, empty when it has none or it is no object."""
    call = part.get("functionCall")
    return call if isinstance(call, dict) else {}


def called(part: Json) -> tuple[str, str]:
    """What the part calls: the name, and the arguments as ``same_json`` writes them."""
    call = call_of(part)
    return call.get("name") or "", same_json(call.get("args") or {})


def signature_of(part: Json) -> bytes | None:
    """The part's decoded signature; None without one, or when it is not base64."""
    signature = part.get("thoughtSignature")
    return signature_bytes(signature) if isinstance(signature, str) and signature else None


def same_json(value: Any) -> str:
    """A text that is equal for values that are equal as protobuf JSON.

    Key order does not count, 1 and 1.0 are the same number, and half a surrogate pair, which no request may hold,
    equals the replacement character that a careful loop sends in its place.
    """
    return sendable(json.dumps(_plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":")))


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    return [_plain(member) for member in value] if isinstance(value, list) else value
