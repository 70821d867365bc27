"""The golden form: one run of a real loop on a scripted model, as one JSON object in one file.

    scenario, provider, note   what was tried; ``openai``, ``anthropic`` or ``gemini``; a remark
    script                     what the model sent, one entry per answer, each text in the chunks that were streamed
    events                     what the user was shown, in order
    requests                   path and conversation history of every request, in order
    outcome                    the code that the run ended with, or the exception that ended it
    files                      optional: what was there before the run, the content of each file by its path

A folder may have an ``index.json`` that lists its recordings. Everything is read strictly: a member that is not
known here may change what the others mean.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from harness.cassette.recordings.recording import RecordedExchange
from harness.errors import BadInput
from harness.wire import NativeWireName
from harness.wire import wire as wire_named
from harness.wire.base import Json
from harness_lab.recorded.run import Answer, HttpAnswer, ModelAnswer, RecordedEvent, RecordedRun, ScriptedPart

_INDEX = "index.json"
_WIRES: dict[str, NativeWireName] = {
    "openai": "openai-responses",
    "anthropic": "anthropic-messages",
    "gemini": "gemini-generate",
}

_SETTINGS: dict[NativeWireName, dict[str, Any]] = {
    "openai-responses": {"model": "not-recorded", "stream": True},
    "anthropic-messages": {"model": "not-recorded", "stream": True, "max_tokens": 50000},
    "gemini-generate": {},
}
"""Members without which a request is not valid. The recordings contain histories only; no rule is asked about
settings."""


# --- files --------------------------------------------------------------------------------------------------


def read_runs(folder: Path, unread: list[str] | None = None) -> list[RecordedRun]:
    """Every recording of a folder, by name, or the one of a file.

    Files that are no recording, and those that the folder's index misses, are added to ``unread``. Without it, or if
    there is no recording at all, they are raised as ``BadInput``.
    """
    if folder.is_file():
        return [read_run(folder)]
    if not folder.is_dir():
        raise BadInput(f"{folder}: does not exist; expected a folder of recordings, one JSON file each")
    files = sorted(folder.glob("*.json"))
    recordings: list[RecordedRun] = []
    problems: list[str] = []
    for path in files:
        try:
            if path.name == _INDEX:
                _check_index(path, {file.name for file in files})
            else:
                recordings.append(read_run(path))
        except BadInput as error:
            problems += error.problems
    if problems and (unread is None or not recordings):
        raise BadInput(*problems)
    if unread is not None:
        unread += problems
    if not recordings:
        raise BadInput(
            f"{folder}: contains no recording; expected JSON files with script, events, requests and outcome"
        )
    return recordings


def read_run(path: Path) -> RecordedRun:
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
    """A file that is JSON and no recording; the text names the wrong member."""


def _recording(path: Path, value: Any) -> RecordedRun:
    file = _object(value, "the file")
    _only(file, "a recording", {"scenario", "provider", "note", "script", "events", "requests", "outcome", "files"})
    provider = _word(file, "provider", _WIRES)
    script = tuple(_answer(entry) for entry in _objects(file, "script"))
    for answer in script:
        _check_sayable(answer, _WIRES[provider])
    requests = _objects(file, "requests")
    if not script or not requests:
        raise _Foreign("expected at least one answer in 'script' and one entry in 'requests'")
    completion, error = _outcome(_object(file.get("outcome"), "'outcome'"))
    return RecordedRun(
        path=path,
        exchanges=tuple(_exchange(path, _WIRES[provider], *each) for each in enumerate(requests)),
        scenario=_text(file, "scenario"),
        wire=_WIRES[provider],
        script=script,
        events=tuple(_event(entry) for entry in _objects(file, "events")),
        completion=completion,
        error=error,
        files=_files(file["files"]) if "files" in file else None,
    )


def _files(value: Any) -> Mapping[str, str]:
    files = _object(value, "'files'")
    for name in files:
        _text(files, name)
    return files


def _exchange(path: Path, wire: NativeWireName, index: int, entry: Json) -> RecordedExchange:
    url, history = _text(entry, "path"), _objects(entry, "history")
    body = json.dumps({**_SETTINGS[wire], wire_named(wire).history: history}).encode()
    return RecordedExchange(path.stem, index, "", wire, "golden", "POST", url, body, 200, {}, None)


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
    whole = wire_named(wire).whole_arguments or (wire == "anthropic-messages" and not answer.deltas)
    for part in answer.parts if whole else ():
        if part.kind == "tool" and not _is_json(part.text):
            raise _Foreign(f"'chunks' of a call that is sent whole: expected JSON, found {_quoted(part.text)}")


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
        raise _Foreign(f"'chunks': expected a list of texts, found {_quoted(chunks)}")
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
        raise _Foreign(f"'ok' of a toolResult: expected true or false, found {_quoted(data.get('ok'))}")
    return RecordedEvent(kind, event_id, data=data)


def _outcome(outcome: Json) -> tuple[str, str | None]:
    """The completion, and the exception in words."""
    if _word(outcome, "sut", ("result", "exception")) == "result":
        return _text(outcome, "completion"), None
    return "", f"{_text(outcome, 'class')}: {_text(outcome, 'message')}"


def _object(value: Any, what: str) -> Json:
    if not isinstance(value, dict):
        raise _Foreign(f"{what}: expected an object, found {_quoted(value)}")
    return value


def _objects(holder: Json, name: str) -> list[Json]:
    value = holder.get(name)
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise _Foreign(f"{name!r}: expected a list of objects, found {_quoted(value)}")
    return value


def _text(holder: Json, name: str) -> str:
    value = holder.get(name)
    if not isinstance(value, str):
        raise _Foreign(f"{name!r}: expected a text, found {_quoted(value)}")
    return value


def _number(holder: Json, name: str) -> int:
    value = holder.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _Foreign(f"{name!r}: expected a whole number, found {_quoted(value)}")
    return value


def _flag(holder: Json, name: str) -> bool:
    value = holder.get(name, False)
    if not isinstance(value, bool):
        raise _Foreign(f"{name!r}: expected true or false, found {_quoted(value)}")
    return value


def _word(holder: Json, name: str, known: Iterable[str]) -> Any:
    value = holder.get(name)
    if value not in (words := tuple(known)):
        raise _Foreign(f"{name!r}: expected one of {', '.join(words)}, found {_quoted(value)}")
    return value


def _only(holder: Json, what: str, known: set[str]) -> None:
    if strangers := [name for name in holder if name not in known]:
        raise _Foreign(f"{what} has no member {', '.join(map(repr, strangers))}; it has {', '.join(sorted(known))}")


def _quoted(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
