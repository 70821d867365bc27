"""How answers of this format stream differently from Google's newest models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from harness.wire.dialect import Dialect, changing, named
from harness.wire.lenient import Json, members, objects


def _candidate(chunk: Json) -> Json:
    """The first candidate of a chunk. The harness sends no other."""
    return next(iter(objects(chunk.get("candidates"))), {})


def _parts(chunk: Json) -> list[Json]:
    return objects(members(_candidate(chunk).get("content")).get("parts"))


def _calls_only(chunk: Json) -> bool:
    parts = _parts(chunk)
    return bool(parts) and all("functionCall" in part for part in parts) and not _candidate(chunk).get("finishReason")


def _is_bare(part: Json) -> bool:
    """Whether it is the empty text with which a stream ends."""
    return part.get("text") == "" and not part.get("thought")


def _early_stop(chunks: list[Json]) -> Iterable[Json]:
    """If the turn has an end, each chunk before the last one says STOP, too."""
    if any(_candidate(chunk).get("finishReason") for chunk in chunks):
        for chunk in chunks:
            if candidate := _candidate(chunk):
                candidate.setdefault("finishReason", "STOP")
    return chunks


def _finish_with_last_part(chunks: list[Json]) -> Iterable[Json]:
    """The signature of the empty text at the end moves to the last part."""
    if len(chunks) < 2 or not _candidate(chunks[-1]).get("finishReason") or not _parts(chunks[-2]):
        return chunks
    *before, last, end = chunks
    closing = _parts(end)
    if not all(map(_is_bare, closing)):
        return chunks
    for part in closing:
        if "thoughtSignature" in part:
            _parts(last)[-1].setdefault("thoughtSignature", part["thoughtSignature"])
    ending = {name: value for name, value in _candidate(end).items() if name != "content"}
    _candidate(last).update(ending)
    return [*before, last]


def _finish_without_parts(chunk: Json) -> None:
    candidate = _candidate(chunk)
    if (
        candidate.get("finishReason")
        and [part.keys() for part in _parts(chunk)] == [{"text"}]
        and _is_bare(_parts(chunk)[0])
    ):
        candidate["content"] = {"role": "model"}


def _calls_together(chunks: list[Json]) -> Iterable[Json]:
    together: list[Json] = []
    for chunk in chunks:
        if together and _calls_only(chunk) and _calls_only(together[-1]):
            _candidate(together[-1])["content"]["parts"] += _parts(chunk)
        else:
            together.append(chunk)
    return together


def _without_ids(chunk: Json) -> None:
    for part in _parts(chunk):
        members(part.get("functionCall")).pop("id", None)


DIALECTS: Final = named(
    Dialect(
        "early-stop",
        "Each chunk has the finish reason STOP, and not the last one only.",
        ("CLIProxyAPI #5651", "kelivo #1003", "litellm #2195", "litellm PR #31634"),
        _early_stop,
    ),
    Dialect(
        "finish-with-last-part",
        "The finish reason is in the chunk with the last call or the last piece of text.",
        ("recorded streams of Gemini 2.0, 2.5 and 3",),
        _finish_with_last_part,
    ),
    Dialect(
        "finish-without-parts",
        "The finish reason is in a chunk of its own, whose content has no parts.",
        ("pydantic-ai PR #2631", "req_llm #638", "ailoy PR #434"),
        changing(_finish_without_parts),
    ),
    Dialect(
        "calls-together",
        "The calls of a turn come in one chunk.",
        ("recorded streams of Gemini 2.0, 2.5 and 3",),
        _calls_together,
    ),
    Dialect(
        "ids-missing",
        "No call has an id.",
        ("recorded streams of Gemini 2.0, 2.5 and 3",),
        changing(_without_ids),
    ),
)
