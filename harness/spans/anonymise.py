"""Replaces every text in a file of spans, so that somebody else may examine a problem.

Rules compare texts and their beginnings, lengths, kinds of characters, and the shape of JSON. All of that is preserved:
equal texts stay equal, and a text that is the beginning of another one stays its beginning. The replacement of a letter
depends on all letters before it and on a key that is not stored.

Names of members, tools, models and instrumentations stay, and so do words of an API (roles, types, reasons). Attributes
that nothing reads (addresses, users, sessions) are left out, and times are shifted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from secrets import token_bytes
from typing import Any, Final

from harness.ground.disk import problem
from harness.secrets.redactor import Redactor
from harness.spans import TraceSpan, read_spans
from harness.spans.kinds import kind_of
from harness.spans.parts import provider_words
from harness.wire import wires

_NAME = re.compile(r"[A-Za-z_$@][\w.:$/-]{0,63}")
_ID = re.compile(r"([a-z]{1,9}_)(\w+)")
"""An id with a prefix for its kind: ``toolu_01A``."""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*')

_READ: Final = (
    "gen_ai.",
    "llm.",
    "openinference.span.kind",
    "input.value",
    "output.value",
    "tool.",
    "tool_",
    "langfuse.observation.",
    "traceloop.span.kind",
    "traceloop.entity.",
    "pydantic_ai.",
    "openai.api.type",
    "server.address",
)
"""The beginnings of the names of attributes that are read; others are left out."""

_WORDS: Final = re.compile(
    r"gen_ai\.(operation|provider|system$|request\.model|response\.(model|finish)|tool\.(name|type)|output\.type)"
    r"|openinference\.span\.kind|llm\.(model_name|provider|system|request\.type|finish)|tool\.name"
    r"|langfuse\.observation\.(type|model)|traceloop\.(span\.kind|entity\.name)|pydantic_ai\.tool\.failure_stage"
    r"|openai\.api\.type|.*\.(role|type|mime_type|finish_reason)|.*\.function\.name|.*\.message\.name"
)
"""The names of attributes whose values are words of an API, or names."""

_BODIES: Final = re.compile(
    r"(input|output)\.value|gen_ai\.(input|output)\.messages|gen_ai\.(system_instructions|tool\.definitions)"
    r"|langfuse\.observation\.(input|output)|llm\.(tools|invocation_parameters|input_messages|output_messages)$"
)
"""The names of attributes with objects of an API; the content of other attributes is the user's own."""

_KEPT: Final = frozenset(
    [
        *("type", "role", "object", "status", "model", "modelVersion", "model_version", "name", "finish_reason"),
        *("finishReason", "stop_reason", "required", "effort", "mode", "include", "format", "$schema", "tool_choice"),
        *("truncation", "service_tier", "phase", "toolName", "tool_name", "stop", "id_type", "mime_type", "mimeType"),
    ]
)
"""Members of an API's own objects whose values are words of the API, or names."""

_FREE: Final = frozenset(["input", "arguments", "args", "response", "result", "default", "example"])
"""Members whose objects are the user's own."""

_PERHAPS_FREE: Final = frozenset(["output", "content"])
"""Members whose objects are the user's own, unless they have a ``type`` or ``role``."""

_STATES: Final = frozenset([("status", "success"), ("status", "error"), ("type", "tool"), ("type", "tool_call")])
"""Members that frameworks add to a result or to the arguments of a tool."""


def anonymise(path: Path, out: Path) -> None:
    """Write the spans of ``path`` to ``out``, as OTLP JSON with one span per line.

    Raises ``BadInput`` for a file that cannot be read or written.
    """
    changed = Anonymiser()
    try:
        with path.open("rb") as stream, out.open("x", encoding="utf-8") as written:
            for span in read_spans(str(path), stream):
                written.write(json.dumps(_document(changed.span(span)), ensure_ascii=False) + "\n")
    except OSError as error:
        where = out if error.filename == str(out) else path
        raise problem(error, f"{where}: cannot be used") from error


class Anonymiser:
    """Replaces texts, equal texts by equal ones. ``key`` makes it repeatable; the default is a random key."""

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or token_bytes(32)
        self._redactor = Redactor()
        self._hosts = frozenset(each.provider.host for each in wires() if each.provider.host)
        self._since: int | None = None

    def span(self, span: TraceSpan) -> TraceSpan:
        """The span with replaced texts."""
        if self._since is None:
            self._since = span.began
        return TraceSpan(
            trace=self._id(span.trace),
            id=self._id(span.id),
            parent=self._id(span.parent) if span.parent else "",
            name=self._name(span),
            attributes=dict(self._attributes(span.attributes, own=kind_of(span) != "tool")),
            scope=span.scope,
            began=self._shifted_time(span.began),
            ended=self._shifted_time(span.ended),
            failed=span.failed,
            dropped=span.dropped,
            is_log=span.is_log,
        )

    def _name(self, span: TraceSpan) -> str:
        """The kept part of a span's name: the name of a tool, and the words for the called API."""
        if kind_of(span) == "tool":
            return span.name if self._is_name(span.name) else self.text(span.name)
        return " ".join(provider_words(span.name)) or "span"

    def text(self, text: str) -> str:
        """A text of the same length with other words."""
        if inside := self._json(text):
            return inside
        if found := _ID.fullmatch(text):
            return found[1] + self._words(found[2], text)
        return self._words(text, "")

    # --- attributes and values ------------------------------------------------------------------------------

    def _attributes(self, attributes: Mapping[str, Any], *, own: bool) -> Iterator[tuple[str, Any]]:
        for name, value in attributes.items():
            if not name.startswith(_READ) or (name == "server.address" and str(value) not in self._hosts):
                continue
            if _WORDS.match(name) and self._is_name(value):
                yield name, value
            else:
                is_text = isinstance(value, str)  # with JSON, of an API or of the user
                yield name, self._whole(value, own=own and (not is_text or _BODIES.match(name) is not None))

    def _whole(self, value: Any, *, own: bool) -> Any:
        """The replaced value of an attribute: JSON text of an API, or parts of it."""
        if isinstance(value, str):
            try:
                parsed = json.loads(value)
            except (ValueError, RecursionError):
                return self.text(value)
            if own and isinstance(parsed, dict | list):
                return json.dumps(self._value(parsed, "", own=own), ensure_ascii=False)
            return self.text(value)
        return self._value(value, "", own=own)

    def _value(self, value: Any, member: str, *, own: bool) -> Any:
        """A replaced JSON value; ``own``: the object around it belongs to the API, not to the user."""
        if isinstance(value, dict):
            says_what = "type" in value or "role" in value
            own = own and member not in _FREE and (says_what or member not in _PERHAPS_FREE)
            if own and isinstance(value.get("content"), str) and value.get("role") not in (None, "tool", "function"):
                spoken = {"content": self._run(value["content"], self._begun())[0]}
            else:
                spoken = {}
            return {self._member(k): spoken.get(k) or self._value(v, k, own=own) for k, v in value.items()}
        if isinstance(value, list):
            return self._pieces(value, "" if member == "input" else member, own=own)  # a request's items are the API's
        if isinstance(value, str):
            is_kept = own and (member in _KEPT or value == "__REDACTED__") and self._is_name(value)
            return value if is_kept or (member, value) in _STATES else self.text(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and not own:
            return json.loads(self._number(json.dumps(value)))
        return value

    def _member(self, name: str) -> str:
        return name if self._is_name(name) else self.text(name)

    def _is_name(self, value: Any) -> bool:
        """Whether a value may stay: it is a name, or words of an API, and no secret."""
        values = value if isinstance(value, list) else [value]
        return all(
            isinstance(each, str) and _NAME.fullmatch(each) and not self._redactor.finds(each) for each in values
        )

    def _json(self, text: str) -> str:
        """JSON text with its values replaced in place, so that its spelling stays; ``""`` for other text."""
        if text.lstrip()[:1] not in ("{", "["):
            return ""
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return ""
        return _STRING.sub(lambda found: self._token(found, text), text)

    def _token(self, found: re.Match[str], text: str) -> str:
        token = found[0]
        if token[0] != '"':
            return self._number(token)
        value = json.loads(token)
        is_member = text[found.end() :].lstrip()[:1] == ":"
        return json.dumps(self._member(value) if is_member else self.text(value), ensure_ascii=token.isascii())

    # --- words ----------------------------------------------------------------------------------------------

    def _words(self, text: str, before: str) -> str:
        return self._run(text, self._begun(before))[0]

    def _begun(self, before: str = "") -> bytes:
        return blake2b(before.encode("utf-8", "surrogatepass"), key=self._key, digest_size=32).digest()

    def _run(self, text: str, state: bytes) -> tuple[str, bytes]:
        """A text replaced letter by letter, each depending on all before it, and the state for a continuation."""
        replaced: list[str] = []
        for char in text:
            replaced.append(_other(char, state[0]) if char.isalnum() else char)
            state = blake2b(state + char.encode("utf-8", "surrogatepass"), key=self._key, digest_size=32).digest()
        return "".join(replaced), state

    def _pieces(self, pieces: list[Any], member: str, *, own: bool) -> list[Any]:
        """The replaced items of a list. Consecutive texts may be pieces of one text, and are replaced as one."""
        found: list[Any] = []
        kind: object = None
        state = self._begun()
        for piece in pieces:
            name = _text_member(piece)
            before, kind = kind, None if name is None else {k: v for k, v in piece.items() if k != name}
            if name is None:
                found.append(self._value(piece, member, own=own))
                continue
            text, state = self._run(piece[name], state if kind == before else self._begun())
            found.append({**self._value({**piece, name: ""}, member, own=own), name: text})
        return found

    def _number(self, token: str) -> str:
        """Another number with as many digits; a sign, a point and an exponent stay."""
        mantissa, mark, exponent = token.partition("e" if "e" in token else "E")
        state = blake2b(b"number", key=self._key, digest_size=32).digest()
        digits = [_other(char, state[at % 32]) if char.isdigit() else char for at, char in enumerate(mantissa)]
        first = next(at for at, char in enumerate(digits) if char.isdigit())
        leading = int(mantissa[first])
        digits[first] = str(1 + (leading - 1 + state[0]) % 9) if leading else "0"
        return "".join(digits) + mark + exponent

    def _id(self, id: str) -> str:
        return blake2b(id.encode(), key=self._key, digest_size=max(1, min(32, len(id) // 2))).hexdigest()

    def _shifted_time(self, time: int) -> int:
        return max(1, time - (self._since or 0) + 10**18) if time else 0


def _text_member(piece: Any) -> str | None:
    """The member of a part that has the text of a message; None for any other part."""
    if not isinstance(piece, dict) or "role" in piece:
        return None
    if isinstance(piece.get("text"), str):
        return "text"
    return "content" if piece.get("type") in ("text", "reasoning") and isinstance(piece.get("content"), str) else None


def _other(char: str, number: int) -> str:
    """Another character of the same kind; two characters never become the same one."""
    if char.isdigit() and char.isascii():
        return chr(ord("0") + (ord(char) + number) % 10)
    if char.isupper():
        return chr(ord("A") + (ord(char) + number) % 26)
    return chr(ord("a") + (ord(char) + number) % 26)


# --- writing ------------------------------------------------------------------------------------------------


def _document(span: TraceSpan) -> dict[str, Any]:
    """The span as OTLP JSON, alone in its document."""
    scope = {"name": span.scope.name, "version": span.scope.version}
    attributes = [{"key": name, "value": _otlp_value(value)} for name, value in span.attributes.items()]
    if span.is_log:
        record = {
            "timeUnixNano": str(span.began),
            "traceId": span.trace,
            "spanId": span.id,
            "eventName": span.name,
            "attributes": attributes,
        }
        return {"resourceLogs": [{"scopeLogs": [{"scope": scope, "logRecords": [record]}]}]}
    written = {
        "traceId": span.trace,
        "spanId": span.id,
        "parentSpanId": span.parent,
        "name": span.name,
        "startTimeUnixNano": str(span.began),
        "endTimeUnixNano": str(span.ended),
        "attributes": attributes,
        "droppedAttributesCount": span.dropped,
        "status": {"code": 2} if span.failed else {},
    }
    return {"resourceSpans": [{"scopeSpans": [{"scope": scope, "spans": [written]}]}]}


def _otlp_value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_otlp_value(each) for each in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": k, "value": _otlp_value(v)} for k, v in value.items()]}}
    return {"stringValue": str(value)} if value is not None else {}
