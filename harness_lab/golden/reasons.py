"""What was observed of recordings, held against the reasons that are listed for it.

An observation that no reason lists is unexplained; a listed one that is not observed (any more) is stale. Both fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

__all__ = ["Account", "Observation", "Reason", "account"]


@dataclass(frozen=True, slots=True)
class Observation:
    """Something that was observed of one recording: ``what`` in a fixed spelling, ``detail`` for a person."""

    what: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why certain things are observed of certain recordings, in one line.

    A key of ``where`` names recordings, separated by blanks: ``create_twice.gemini``, ``create_twice`` (on every
    wire) or a pattern. All that stands behind it is observed of each of them.
    """

    why: str
    where: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Account:
    """How observations and reasons agree. ``unexplained`` are (recording, observation).

    ``quiet`` and ``listed`` are recordings without observations, and with observations that are all listed.
    ``by_reason`` says to which recordings a reason applied, ``absent`` which listed ones are not in the folder.
    """

    quiet: tuple[str, ...]
    listed: tuple[str, ...]
    unexplained: tuple[tuple[str, Observation], ...]
    stale: tuple[str, ...]
    absent: tuple[str, ...]
    by_reason: Mapping[str, tuple[str, ...]]

    @property
    def holds(self) -> bool:
        return not self.unexplained and not self.stale


def account(observed: Mapping[str, Sequence[Observation]], reasons: Sequence[Reason]) -> Account:
    """The account of everything that was ``observed``, by recording."""
    seen = {(name, each.what) for name, observations in observed.items() for each in observations}
    expected: dict[tuple[str, str], list[str]] = {}
    applied: dict[str, dict[str, None]] = {}
    absent: dict[str, None] = {}
    for why, word, whats in _entries(reasons):
        names = [name for name in observed if _is_meant(name, word)]
        if not names:
            absent[word] = None
        for name, what in [(name, what) for name in names for what in whats]:
            expected.setdefault((name, what), []).append(why)
            if (name, what) in seen:
                applied.setdefault(why, {})[name] = None
    unexplained = tuple(
        (name, each) for name, many in observed.items() for each in many if (name, each.what) not in expected
    )
    open_names = {name for name, _ in unexplained}
    return Account(
        quiet=tuple(name for name, many in observed.items() if not many),
        listed=tuple(name for name, many in observed.items() if many and name not in open_names),
        unexplained=unexplained,
        stale=tuple(_stale(*each, whys) for each, whys in expected.items() if each not in seen),
        absent=tuple(absent),
        by_reason={why: tuple(names) for why, names in applied.items()},
    )


def _stale(name: str, what: str, whys: Sequence[str]) -> str:
    return f"{name}: {what}: not so any more, though listed: {' / '.join(whys)}"


def _entries(reasons: Sequence[Reason]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Each reason, each word that names recordings, and what is observed of them."""
    for reason in reasons:
        for key, whats in reason.where.items():
            for word in key.split():
                yield reason.why, word, whats


def _is_meant(name: str, word: str) -> bool:
    return fnmatchcase(name, word) or name.partition(".")[0] == word
