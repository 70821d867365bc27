"""What the endpoint itself has issued, arranged for judging what comes back."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from harness.wire.base import Json, Sent
from harness.wire.gemini_generate.parts import signature_bytes

__all__ = ["Issued", "IssuedCall", "call_of", "issued", "same_json", "signature_of"]


@dataclass(frozen=True, slots=True)
class IssuedCall:
    """A call that the endpoint sent. ``signature`` is decoded, None where the part carried none."""

    name: str
    arguments: str
    id: str
    signature: bytes | None


@dataclass(frozen=True, slots=True)
class Issued:
    """All issued calls by id, by what they call, and by signature; and the texts that were issued."""

    by_id: dict[str, list[IssuedCall]] = field(default_factory=dict)
    by_call: dict[tuple[str, str], list[IssuedCall]] = field(default_factory=dict)
    by_signature: dict[bytes, IssuedCall | None] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)

    def find(self, part: Json) -> list[IssuedCall]:
        """The issued calls that this part may be, by its id or else by its name and arguments."""
        call = call_of(part)
        if found := self.by_id.get(call.get("id") or ""):
            return found
        return self.by_call.get((call.get("name") or "", same_json(call.get("args") or {})), [])


def issued(sent: Sent) -> Issued:
    """Arrange every reply of the case."""
    known = Issued()
    for reply in sent.replies:
        known.texts.add(reply.turn.text)
        for part in reply.items:
            _add(known, part)
    return known


def _add(known: Issued, part: Json) -> None:
    signature = signature_of(part)
    if "functionCall" not in part:
        if signature is not None:
            known.by_signature[signature] = None
        return
    call = call_of(part)
    made = IssuedCall(call.get("name") or "", same_json(call.get("args") or {}), call.get("id") or "", signature)
    known.by_call.setdefault((made.name, made.arguments), []).append(made)
    if made.id:
        known.by_id.setdefault(made.id, []).append(made)
    if signature is not None:
        known.by_signature[signature] = made


def call_of(part: Json) -> Json:
    """The part's functionCall, empty when it has none or it is no object."""
    call = part.get("functionCall")
    return call if isinstance(call, dict) else {}


def signature_of(part: Json) -> bytes | None:
    """The part's decoded signature; None without one, or when it is not base64."""
    signature = part.get("thoughtSignature")
    return signature_bytes(signature) if isinstance(signature, str) and signature else None


def same_json(value: Any) -> str:
    """A text that is equal for values that are equal as protobuf JSON.

    Key order does not count, 1 and 1.0 are the same number, and half a surrogate pair, which no request may hold,
    equals the replacement character that a careful loop sends in its place.
    """
    text = json.dumps(_plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    return [_plain(member) for member in value] if isinstance(value, list) else value
