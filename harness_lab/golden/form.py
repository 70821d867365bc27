"""The golden form: one run of a real loop on a scripted model, as one JSON object in one file.

    scenario, provider, note   what was tried; ``openai``, ``anthropic`` or ``gemini``; a remark
    script                     what the model sent, one entry per answer, each text in the chunks that were streamed
    events                     what the user was told, in order
    requests                   path and conversation history of every request, in order
    outcome                    the code that the run ended with, or the exception that ended it

A folder may hold an ``index.json`` that lists its recordings. Everything is read strictly: a member that is not
known here may change what the others mean.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from harness.errors import BadInput
from harness.wire import NativeWireName

__all__ = [
    "Answer",
    "HttpAnswer",
    "ModelAnswer",
    "RecordedEvent",
    "RecordedRequest",
    "Recording",
    "ScriptedPart",
    "read_recording",
    "read_recordings",
]

Json = dict[str, Any]

_INDEX = "index.json"
_WIRES: dict[str, NativeWireName] = {
    "openai": "openai-responses",
    "anthropic": "anthropic-messages",
    "gemini": "gemini-generate",
}


# --- what a recording says ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScriptedPart:
    """A piece of the model's turn. ``chunks`` joined are its text, or a tool call's arguments.

    ``id`` and ``name`` are None where the model sent null. ``unfinished``: the call was never closed.
    """

    kind: Literal["thinking", "text", "tool"]
    chunks: tuple[str, ...]
    id: str | None = None
    name: str | None = None
    signature: str = ""
    unfinished: bool = False

    @property
    def text(self) -> str:
        return "".join(self.chunks)


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model turn.

    ``cut_after`` counts the events after which the connection broke. ``deltas`` False: arguments came in one piece
    at their end. ``announced`` False: no event said that a call begins. ``ending``: with its terminal event, without
    it (``eof``), or with a failed response.
    """

    parts: tuple[ScriptedPart, ...]
    finish: Literal["stop", "length", "pause"] = "stop"
    cut_after: int | None = None
    deltas: bool = True
    announced: bool = True
    ending: Literal["complete", "eof", "failed"] = "complete"


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An HTTP error: its status, headers and JSON body."""

    status: int
    headers: dict[str, str]
    body: Json


Answer = ModelAnswer | HttpAnswer


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """One message to the user. ``value`` is the text of a delta or the code, ``data`` what is said of a tool."""

    kind: Literal["assistant", "thinking", "setCode", "toolStart", "toolResult"]
    id: str
    value: str = ""
    data: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request: its path, and the conversation so far in the provider's own items."""

    path: str
    history: list[Json]


@dataclass(frozen=True, slots=True)
class Recording:
    """One run. ``error`` is None where the run gave ``completion``."""

    path: Path
    scenario: str
    wire: NativeWireName
    script: tuple[Answer, ...]
    events: tuple[RecordedEvent, ...]
    requests: tuple[RecordedRequest, ...]
    completion: str = ""
    error: str | None = None

    @property
    def name(self) -> str:
        """The file's name without its ending: ``create_twice.gemini``."""
        return self.path.stem

    def answer(self, request: int) -> Answer:
        """What request number ``request`` (from 0) got; a script that is at its end says its last answer again."""
        return self.script[min(request, len(self.script) - 1)]


# --- files --------------------------------------------------------------------------------------------------


def read_recordings(folder: Path) -> list[Recording]:
    """Every recording of a folder, by name, or the one of a file.

    Raises ``BadInput`` with every file that is no recording, and those that the folder's index misses.
    """
    if folder.is_file():
        return [read_recording(folder)]
    if not folder.is_dir():
        raise BadInput(f"{folder}: does not exist; expected a folder of recordings, one JSON file each")
    files = sorted(folder.glob("*.json"))
    recordings: list[Recording] = []
    problems: list[str] = []
    for path in files:
        try:
            if path.name == _INDEX:
                _check_index(path, {file.name for file in files})
            else:
                recordings.append(read_recording(path))
        except BadInput as error:
            problems += error.problems
    if problems:
        raise BadInput(*problems)
    if not recordings:
        raise BadInput(
            f"{folder}: contains no recording; expected JSON files with script, events, requests and outcome"
        )
    return recordings


def read_recording(path: Path) -> Recording:
    """The recording in a file. Raises ``BadInput`` with the place and what was expected there."""
    try:
        return _recording(path, _load(path))
    except _Foreign as foreign:
        raise BadInput(f"{path}: {foreign}") from None


def _load(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}:{error.lineno}:{error.colno}: expected a JSON object: {error.msg}") from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"{path}: expected a JSON object: {error}") from None


def _check_index(path: Path, there: set[str]) -> None:
    try:
        listed = [_text(entry, "file") for entry in _objects(_object(_load(path), "the index"), "traces")]
    except _Foreign as foreign:
        raise BadInput(f"{path}: {foreign}") from None
    if missing := [name for name in listed if name not in there]:
        raise BadInput(f"{path}: lists recordings that are not there: {', '.join(missing)}")


# --- members ------------------------------------------------------------------------------------------------


class _Foreign(Exception):
    """A file that is JSON and no recording; the text says which member is wrong."""


def _recording(path: Path, value: Any) -> Recording:
    file = _object(value, "the file")
    _only(file, "a recording", {"scenario", "provider", "note", "script", "events", "requests", "outcome"})
    provider = _word(file, "provider", _WIRES)
    script = tuple(_answer(entry) for entry in _objects(file, "script"))
    for answer in script:
        _check_sayable(answer, _WIRES[provider])
    requests = tuple(
        RecordedRequest(_text(each, "path"), _objects(each, "history")) for each in _objects(file, "requests")
    )
    if not script or not requests:
        raise _Foreign("expected at least one answer in 'script' and one entry in 'requests'")
    completion, error = _outcome(_object(file.get("outcome"), "'outcome'"))
    return Recording(
        path=path,
        scenario=_text(file, "scenario"),
        wire=_WIRES[provider],
        script=script,
        events=tuple(_event(entry) for entry in _objects(file, "events")),
        requests=requests,
        completion=completion,
        error=error,
    )


def _answer(entry: Json) -> Answer:
    if "http" in entry:
        _only(entry, "an HTTP answer", {"http"})
        http = _object(entry["http"], "'http'")
        _only(http, "'http'", {"status", "headers", "body"})
        headers = {name: str(value) for name, value in _object(http.get("headers", {}), "'headers'").items()}
        return HttpAnswer(_number(http, "status"), headers, _object(http.get("body"), "'body'"))
    _only(entry, "an answer", {"parts", "finish", "cut_after", "no_deltas", "no_added", "openai_terminal"})
    endings: dict[Any, Literal["eof", "failed"]] = {"none": "eof", "failed": "failed"}
    return ModelAnswer(
        parts=tuple(_part(part) for part in _objects(entry, "parts")),
        finish=_word(entry, "finish", ("stop", "length", "pause")) if "finish" in entry else "stop",
        cut_after=_number(entry, "cut_after") if "cut_after" in entry else None,
        deltas=not _flag(entry, "no_deltas"),
        announced=not _flag(entry, "no_added"),
        ending=endings[_word(entry, "openai_terminal", endings)] if "openai_terminal" in entry else "complete",
    )


def _check_sayable(answer: Answer, wire: NativeWireName) -> None:
    """Raises ``_Foreign`` for what this provider cannot send."""
    if isinstance(answer, HttpAnswer):
        return
    if wire != "openai-responses" and (not answer.announced or answer.ending != "complete"):
        raise _Foreign("'no_added' and 'openai_terminal' are for recordings of the provider openai only")
    whole = wire == "gemini-generate" or (wire == "anthropic-messages" and not answer.deltas)
    for part in answer.parts if whole else ():
        if part.kind == "tool" and not _is_json(part.text):
            raise _Foreign(f"'chunks' of a call that is sent whole: expected JSON, found {_said(part.text)}")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _part(part: Json) -> ScriptedPart:
    kind: Literal["thinking", "text", "tool"] = _word(part, "kind", ("thinking", "text", "tool"))
    chunks = part.get("chunks")
    if not isinstance(chunks, list) or not all(isinstance(chunk, str) for chunk in chunks):
        raise _Foreign(f"'chunks': expected a list of texts, found {_said(chunks)}")
    if kind != "tool":
        _only(part, f"a part of kind {kind!r}", {"kind", "chunks"})
        return ScriptedPart(kind, tuple(chunks))
    # args_obj repeats what the chunks say; unfinished "item_done" is a call that was closed all the same.
    _only(part, "a tool call", {"kind", "chunks", "id", "name", "signature", "unfinished", "args_obj"})
    return ScriptedPart(
        kind,
        tuple(chunks),
        id=None if part.get("id") is None else _text(part, "id"),
        name=None if part.get("name") is None else _text(part, "name"),
        signature=_text(part, "signature") if "signature" in part else "",
        unfinished=part.get("unfinished") is True,
    )


def _event(event: Json) -> RecordedEvent:
    kinds = ("assistant", "thinking", "setCode", "toolStart", "toolResult")
    kind: Literal["assistant", "thinking", "setCode", "toolStart", "toolResult"] = _word(event, "type", kinds)
    if kind == "setCode":
        return RecordedEvent(kind, "", value=_text(event, "value"))
    event_id = _text(event, "eventId")
    if kind in ("assistant", "thinking"):
        return RecordedEvent(kind, event_id, value=_text(event, "value"))
    data = _object(event.get("data"), f"'data' of a {kind}")
    if data.get("name") is None:
        data = {**data, "name": ""}
    _text(data, "name")
    if kind == "toolResult" and not isinstance(data.get("ok"), bool):
        raise _Foreign(f"'ok' of a toolResult: expected true or false, found {_said(data.get('ok'))}")
    return RecordedEvent(kind, event_id, data=data)


def _outcome(outcome: Json) -> tuple[str, str | None]:
    """The completion, and the exception in words."""
    if _word(outcome, "sut", ("result", "exception")) == "result":
        return _text(outcome, "completion"), None
    return "", f"{_text(outcome, 'class')}: {_text(outcome, 'message')}"


def _object(value: Any, what: str) -> Json:
    if not isinstance(value, dict):
        raise _Foreign(f"{what}: expected an object, found {_said(value)}")
    return value


def _objects(holder: Json, name: str) -> list[Json]:
    value = holder.get(name)
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise _Foreign(f"{name!r}: expected a list of objects, found {_said(value)}")
    return value


def _text(holder: Json, name: str) -> str:
    value = holder.get(name)
    if not isinstance(value, str):
        raise _Foreign(f"{name!r}: expected a text, found {_said(value)}")
    return value


def _number(holder: Json, name: str) -> int:
    value = holder.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _Foreign(f"{name!r}: expected a whole number, found {_said(value)}")
    return value


def _flag(holder: Json, name: str) -> bool:
    value = holder.get(name, False)
    if not isinstance(value, bool):
        raise _Foreign(f"{name!r}: expected true or false, found {_said(value)}")
    return value


def _word(holder: Json, name: str, known: Iterable[str]) -> Any:
    value = holder.get(name)
    if value not in (words := tuple(known)):
        raise _Foreign(f"{name!r}: expected one of {', '.join(words)}, found {_said(value)}")
    return value


def _only(holder: Json, what: str, known: set[str]) -> None:
    if strangers := [name for name in holder if name not in known]:
        raise _Foreign(f"{what} has no member {', '.join(map(repr, strangers))}; it has {', '.join(sorted(known))}")


def _said(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
