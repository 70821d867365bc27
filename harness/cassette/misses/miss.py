"""Explains why no recording answers a request, so that a person need not search."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from harness.cassette.interaction import Cassette, Interaction
from harness.cassette.match_key import Key, MatchableRequest, canonical_text, matchable_of
from harness.cassette.misses.diff_text import sides, unified
from harness.cassette.misses.differences import Difference, place
from harness.cassette.misses.nearest import Near, nearest, value
from harness.cassette.misses.subject import SUBJECTS, Subject, subject
from harness.wire.characters import sendable

MissKind = Literal["changed", "played", "unrecorded"]

_MOST_NAMED: Final = 5

_ANSWERED: Final[frozenset[Subject]] = frozenset({"id", "turn", "order", "less"})
"""Subjects that do not differ if a loop continues from the answers that it got."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A request for which no recording is left.

    ``changed``: it differs from ``nearest``, which is unplayed. ``played``: it was recorded, but each of its recordings
    has been played; ``nearest`` is the last of them. ``unrecorded``: nothing similar is left; ``nearest`` has been
    played, or is None.

    ``at`` is the place of the first difference as the provider writes it (``messages[2].content``), ``path`` if the
    endpoints differ, ``body`` for a body that is no JSON, ``""`` without a difference. ``expected`` is the recorded
    value there, ``got`` the requested one. ``summary`` is a sentence on what happened, ``advice`` what to do.
    """

    kind: MissKind
    nearest: Interaction | None
    at: str
    expected: str
    got: str
    diff: str
    summary: str = ""
    advice: str = ""

    def __str__(self) -> str:
        first = f"  {self.at or 'request'}: expected {self.expected}, got {self.got}"
        return "\n".join(filter(None, (self.summary, first, self.diff, self.advice)))


def explained(asked: MatchableRequest, cassette: Cassette, keys: Sequence[Key], unplayed: frozenset[int]) -> Miss:
    """Why no ``unplayed`` recording of a cassette answers a request; ``keys`` are the keys of all recordings."""
    recordings = cassette.interactions
    same = [recording for recording, key in zip(recordings, keys, strict=True) if key == asked.key]
    if same:
        return _played_miss(asked, cassette, same)
    try:
        if near := nearest(asked, [each for number, each in enumerate(recordings) if number in unplayed]):
            return _differing("changed", asked, cassette, near)
        if near := nearest(asked, recordings):
            return _differing("unrecorded", asked, cassette, near)
    except RecursionError:  # nested too deeply for anybody to read where it differs
        pass
    return _unknown(asked, cassette)


def _played_miss(asked: MatchableRequest, cassette: Cassette, same: Sequence[Interaction]) -> Miss:
    times = "once" if len(same) == 1 else f"{len(same)} times"
    lines = ", ".join(str(recording.line) for recording in same[-_MOST_NAMED:])
    summary = f"{_name(asked)}: this request was recorded {times}, and each has been played ({cassette.path}:{lines})"
    advice = f"A loop that asks the same again may retry or repeat itself; if that is meant, {_record(cassette)}"
    return Miss("played", same[-1], "", f"it {times}", "it once more", "", sendable(summary), advice)


def _unknown(asked: MatchableRequest, cassette: Cassette) -> Miss:
    asked_for = [each for each in cassette.interactions if not each.opens_socket]
    known = list(dict.fromkeys(_name(matchable_of(recording)) for recording in asked_for))
    recorded = ", ".join((*known[:_MOST_NAMED], *(["…"] if len(known) > _MOST_NAMED else []))) or "no request at all"
    summary = f"{_name(asked)}: nothing like this request is recorded in {cassette.path}"
    advice = f"If it is meant, {_record(cassette)}"
    return Miss("unrecorded", None, "path", sendable(recorded), _name(asked), "", sendable(summary), advice)


def _differing(kind: MissKind, asked: MatchableRequest, cassette: Cassette, near: Near) -> Miss:
    found = near.differences(asked)
    about, at, expected, got = _first(found, asked, near)
    where = f"{cassette.path}:{near.recording.line}"
    names = f"{where}: {_name(near.recorded)}", f"this request: {_name(asked)}"
    left = "is not played yet" if kind == "changed" else "has been played, as all of its kind"
    summary = f"{_name(asked)}: {SUBJECTS[about]}{_but(found)}; the nearest recording, {where}, {left}"
    diff = unified(found, value(asked), names) if found else ""
    return Miss(kind, near.recording, at, expected, got, diff, sendable(summary), _advice(kind, about, cassette))


def _first(found: Sequence[Difference], asked: MatchableRequest, near: Near) -> tuple[Subject, str, str, str]:
    """The subject of the first difference, its place, and its two sides."""
    if asked.endpoint != near.recorded.endpoint or not found:
        return "endpoint", "path", near.recorded.endpoint.path, asked.endpoint.path
    about = subject(found[0], asked.body)
    return about, place(found[0].at) or "body", *sides(found[0])


def _but(found: Sequence[Difference]) -> str:
    only = len(found) == 1 and _is_same_json(found[0].recorded, found[0].asked)
    return " as text, and for a model it is text, though as JSON it is the same" if only else ""


def _is_same_json(recorded: Any, asked: Any) -> bool:
    if not isinstance(recorded, str) or not isinstance(asked, str):
        return False
    try:
        return canonical_text(json.loads(recorded)) == canonical_text(json.loads(asked))
    except (ValueError, RecursionError):
        return False


def _advice(kind: MissKind, about: Subject, cassette: Cassette) -> str:
    record = _record(cassette, mode="all" if kind == "changed" else "new_episodes")
    if about in _ANSWERED:
        return f"A loop that goes on from what it was answered does not differ here. If it is meant, {record}"
    if about == "result":
        return f"A tool that answers otherwise each time (a clock, a path) cannot be replayed. If it is meant, {record}"
    return f"If it is meant, {record}"


def _record(cassette: Cassette, mode: Literal["all", "new_episodes"] = "new_episodes") -> str:
    provenance, does = cassette.provenance, "replaces the cassette" if mode == "all" else "adds what is not recorded"
    if cassette.again:
        return f"record again: '{cassette.again} --mode {mode}' {does}."
    if provenance is None:  # of another recorder, or recorded in process, where no command can do it
        return f"record again in mode '{mode}', which {does}."
    return f"record again: 'harness record {provenance.scenario} --wire {provenance.wire} --mode {mode}' {does}."


def _name(recorded: MatchableRequest) -> str:
    return sendable(f"{recorded.method} {recorded.endpoint.path}")
