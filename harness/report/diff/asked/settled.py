"""A run's texts without what differs in every run: its folders, its days, its ids, the version of the program.

The run itself shows what to replace: the folders are in its traces, the day and the versions in its results. An id is
recognised by its shape, and counts as fresh only if no two cases of the run have the same.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from harness.runner.results import RunResult
from harness.scenario import CODING_AGENT
from harness.trace import Case, RequestRecord, Trace

_ID: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:"
    r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
    r"|(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{16,64}"
    r"|[0-7][0-9A-HJKMNP-TV-Z]{25}"
    r"|(?=[A-Za-z]*[0-9])(?=[0-9a-z]*[A-Z])(?=[0-9A-Z]*[a-z])[0-9A-Za-z]{20,40}"
    r"|(?<=\b[Ii][Dd]: )[0-9a-f]{6,15}"
    r")(?![0-9A-Za-z])"
)
"""A UUID, hexadecimal digits, a ULID, or twenty letters and digits that nobody would write; fewer digits after "id:
"."""

_CLOCK: Final = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AaPp][Mm])?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?"
_MOMENT: Final = re.compile(rf"\$date(?:(?:T|,? (?:at )?){_CLOCK})")
_NUMBER: Final = re.compile(r"(?<![\w.])\d{10}(?:\d{3})?(?![\w.])")
_MEASURED: Final = re.compile(r"(?<![\w.])\d+\.\d{3,} ?(?:milliseconds|seconds|secs?|ms|s)\b")
"""A measured duration. A limit that somebody has set has no thousandths."""

_PRODUCT: Final = re.compile(r"(?<=/)v?\d+(?:\.\d+)+[\w.+-]*")
"""The version of a product in the name of a program: ``pi/1.5.0``."""

_DAY: Final = timedelta(days=1)


def is_of_agent(case: Case) -> bool:
    """Whether the case is one of a program with a prompt and tools of its own."""
    return case.profile == CODING_AGENT


@dataclass(slots=True)
class Settling:
    """Replaces what differs in every run by fixed names: ``$workdir``, ``$date``, ``$seconds``, ``$version``, ``$id``.

    ``started`` is when the run began, ``versions`` are the versions of the program. ``learn`` must see all texts of the
    run first: they show which ids are fresh.
    """

    started: str
    versions: tuple[str, ...] = ()
    _cases_by_id: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _cases: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, run: RunResult) -> Settling:
        """The facts about a run from its results."""
        return cls(run.started, tuple(sorted(filter(_is_version, run.versions.values()), key=len, reverse=True)))

    def learn(self, trace: Trace) -> None:
        """Learn which ids the requests of a case contain."""
        self._cases.add(trace.case.id)
        for request in (each for each in trace.records if isinstance(each, RequestRecord)):
            for text in (_text(request.body), *request.headers.values()):
                for found in _ID.finditer(text):
                    self._cases_by_id[found[0]].add(trace.case.id)

    def of_case(self, case: Case) -> SettledTexts:
        """The object that settles the texts of a case."""
        return SettledTexts(tuple(_folders(case.folders)), tuple(_days(self.started)), self.versions, self._is_fresh)

    def _is_fresh(self, id: str) -> bool:
        """A fresh id is in one case only. If the run has only one case, every word of this shape counts as fresh."""
        return len(self._cases) < 2 or len(self._cases_by_id.get(id, ())) < 2


@dataclass(frozen=True, slots=True)
class SettledTexts:
    """Settles the texts of one case. ``folders`` are pairs of a path and its name."""

    folders: tuple[tuple[str, str], ...]
    days: tuple[date, ...]
    versions: tuple[str, ...]
    is_fresh: Callable[[str], bool]

    def header(self, name: str, value: str) -> str:
        """The value of a header. In the name of a program, its version is replaced."""
        return self.text(_PRODUCT.sub("$version", value) if name == "user-agent" else value)

    def value(self, value: Any) -> Any:
        """A JSON value with its texts settled."""
        try:
            return json.loads(self.text(json.dumps(value, ensure_ascii=False)))
        except ValueError:
            return value

    def text(self, text: str) -> str:
        """Any text, also JSON as it is written."""
        for folder, name in self.folders:
            text = text.replace(folder, name)
        for version in self.versions:
            text = re.sub(rf"(?<![\w.])(v?){re.escape(version)}(?!\w|\.\d)", r"\1$version", text)
        for spelling in _spellings(self.days):
            if spelling in text:
                text = re.sub(rf"(?<!\w){re.escape(spelling)}(?!\d)", "$date", text)
        text = _MOMENT.sub("$time", text)
        text = _MEASURED.sub("$seconds", text)
        text = _NUMBER.sub(self._number, text)
        return _ID.sub(self._id, text)

    def _number(self, found: re.Match[str]) -> str:
        """A number of seconds or milliseconds since 1970, replaced if it is a time during the run."""
        seconds = int(found[0][:10])
        days = {datetime.fromtimestamp(seconds, UTC).date()}
        return "0" if days & set(self.days) else found[0]  # a number, because it may be one of JSON

    def _id(self, found: re.Match[str]) -> str:
        return "$id" if self.is_fresh(found[0]) else found[0]


def _text(body: bytes) -> str:
    return body.decode("utf-8", "surrogateescape")


def _is_version(text: str) -> bool:
    return re.fullmatch(r"\d+(?:\.\d+){2,}[\w.+-]*", text) is not None  # 1.5 may be a number of JSON


def _folders(folders: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The folders with their names, the longest first, also in the form that programs make of a path: ``-tmp-work``."""
    for name, path in sorted(folders.items(), key=lambda each: -len(each[1])):
        yield path, f"${name}"
        yield re.sub(r"[^0-9A-Za-z]", "-", path), f"${name}"


def _days(started: str) -> Iterator[date]:
    """The day of the run and the days around it: a run may last over midnight, and clocks have time zones."""
    try:
        day = datetime.fromisoformat(started).date()
    except ValueError:
        return
    yield from (day - _DAY, day, day + _DAY)


@lru_cache(maxsize=8)
def _spellings(days: tuple[date, ...]) -> tuple[str, ...]:
    """The ways in which programs write these days, the longest form of each first."""
    return tuple(chain.from_iterable(map(_spellings_of, days)))


def _spellings_of(day: date) -> Iterator[str]:
    d, m, y = day.day, day.month, day.year
    month, short, weekday, brief = f"{day:%B}", f"{day:%b}", f"{day:%A}", f"{day:%a}"
    dates = [
        f"{month} {d}, {y}",
        f"{short} {d:02} {y}",
        f"{short} {d}, {y}",
        f"{d} {month} {y}",
        f"{d:02} {short} {y}",
    ]
    yield from (f"{name}{comma} {each}" for each in dates for name in (weekday, brief) for comma in (",", ""))
    yield from dates
    yield from (f"{y}-{m:02}-{d:02}", f"{y}/{m:02}/{d:02}", f"{m:02}/{d:02}/{y}", f"{m}/{d}/{y}", f"{d}.{m}.{y}")
