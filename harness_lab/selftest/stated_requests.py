"""The exact findings in each broken request and in variants of each valid one, for any model and server.

That a rule finds its mutants proves little about its answer, and nothing about where it must be silent. So every small
change of every base request is judged, each also together with another one, and so is what one request can borrow from
the others. Every mutant is judged for every model, on every server that the wire minds, at every path, with other
headers, and with nothing, or a part, issued before. That is tens of thousands of judgements a wire.

A wire's memory of earlier requests must not change any finding. So every mutant, and some of the small changes, are
judged once more: after the requests before it, also after the unchanged request, after itself before anything was
issued, and with nothing of it issued.
"""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Final
from urllib.parse import quote
from zlib import crc32

from harness.finding import Finding
from harness.rules import rule
from harness.wire import IssuedState, WireName, wire
from harness.wire.base import Json
from harness.wire.posted import Edit
from harness.wire.servers import SERVERS
from harness_lab.mutants.requests import (
    BaseRequest,
    PlayedLoop,
    Posted,
    base_requests,
    equivalents,
    mutants,
)
from harness_lab.mutants.requests.asked_for import HEADERS, MODELS, AskedFor, asked_for, in_pairs, of_any_type
from harness_lab.mutants.requests.odd_values import odd_values
from harness_lab.mutants.requests.other_answers import issued_in_other_forms, issued_otherwise
from harness_lab.mutants.requests.other_parts import other_parts
from harness_lab.mutants.requests.small_changes import (
    SmallChange,
    at_limits,
    borrowed,
    everywhere,
    lent_by,
    pattern_of,
    small_changes,
    two_by_two,
    words_of,
)
from harness_lab.selftest.mutant_run import MutantRun
from harness_lab.selftest.stated import Judgement, by_age, lines_in, lines_of, own_rules_of, unlike_stated

_FOLDER: Final = Path(__file__).parent.parent / "mutants" / "requests" / "stated"
_MOST_LINES: Final = 12
"""How many differences of a wire that remembers are printed: one mistake can change a thousand."""
_REMEMBERED: Final = 40
"""How many small changes of a base request are judged once more by a wire that remembers those before."""
_TIMES: Final = 2
"""How often such a wire judges each of them: its memory of a request must not hide what was wrong in it."""


def as_stated(name: WireName) -> MutantRun:
    """All judgements of a wire, compared with the stated ones."""
    run = MutantRun("small changes and models", f"every base request of {name}")
    try:
        found = lines_of(judgements(name), by_age(file_of(name), own_rules_of(name)))
        remembered = list(islice(otherwise_when_remembered(name), _MOST_LINES))
    except Exception:  # noqa: BLE001 - a check that crashes is a failure of the selftest, and the others go on
        return replace(run, crash=traceback.format_exc())
    return replace(run, unstated=(*unlike_stated(lines_in(file_of(name)), found), *remembered))


def judgements(name: WireName) -> Iterator[Judgement]:
    """Every judgement of the requests of a wire, in the same order each time; and the trace rule that reports each rule
    of the wire."""
    played = [base.play() for base in base_requests(name)]
    elsewhere = list(_other_places(name, played))
    for change in _changes_by_hand(name):
        for each in played:
            if each.base in change.base_requests:
                yield from _elsewhere(change, each, elsewhere)
    yield from _others(name, played)
    yield from _small_changes(played)
    for id in own_rules_of(name):
        yield Judgement("reported", "any trace", (id,), (f"{id} by {rule(id).id}",))


@dataclass(frozen=True, slots=True)
class _Change:
    """A change by hand: its name, the rules that it is for, the edit, and the base requests that it is made in."""

    name: str
    rules: tuple[str, ...]
    edit: Edit
    base_requests: Collection[BaseRequest]


def _changes_by_hand(name: WireName) -> Iterator[_Change]:
    yield _Change("unchanged", (), _unchanged, base_requests(name))
    yield from (_Change(each.name, each.allows, each.edit, each.base_requests) for each in equivalents(name))
    yield from (_Change(each.name, each.rules, each.edit, each.base_requests) for each in mutants(name))


def _unchanged(posted: Posted) -> bool:  # noqa: ARG001 - of the kind of an edit
    return True


# --- small changes ------------------------------------------------------------------------------------------


def _small_changes(played: Sequence[PlayedLoop]) -> Iterator[Judgement]:
    seen: set[str] = set()
    for each, changes in _changes_of(played):
        body = each.requests[-1].posted.body
        for change in changes:
            yield _judgement(change.name, each.base.name, each.judge(_with_body(each, change.made(body))))
        for change in at_limits(body, seen):
            yield _judgement(change.name, each.base.name, each.judge(_with_body(each, change.made(body))))
        for one, other in two_by_two(changes):
            with suppress(LookupError, TypeError):  # the other has no place behind the one
                made = other.made(one.made(body))
                on = f"{each.base.name}, {one.name} {one.rank}, {other.name} {other.rank}"
                yield _judgement(_kind_of_two(one, other), on, each.judge(_with_body(each, made)))


def _changes_of(played: Sequence[PlayedLoop]) -> Iterator[tuple[PlayedLoop, Sequence[SmallChange]]]:
    """Each base request with all its small changes, its own and those that it borrows from the others."""
    bodies = [each.requests[-1].posted.body for each in played]
    words, lent = words_of(bodies), lent_by(bodies)
    for each, body in zip(played, bodies, strict=True):
        yield each, [*small_changes(body, words), *borrowed(body, lent)]


def _with_body(played: PlayedLoop, body: Json) -> Posted:
    return replace(played.requests[-1].posted, body=body)


def _kind_of_two(one: SmallChange, other: SmallChange) -> str:
    """The members of the body that both change."""
    members = sorted({str(step) for change in (one, other) for step in (*change.place, "body")[:1]})
    return f"two changes of {' and '.join(members)}"


def otherwise_when_remembered(name: WireName) -> Iterator[str]:
    """Requests that a wire judges otherwise when it remembers earlier ones."""
    for each, changes in _changes_of([base.play() for base in base_requests(name)]):
        for issued in (True, False):
            before = each.remembering(issued=issued)
            memory = before.memory
            for what, posted in (*_edited(name, each), *_changed(each, changes)):
                alone = each.judge(posted, issued=issued)
                for remembered in _remembered(each, posted, before, memory):
                    if list(map(_words, alone)) != list(map(_words, remembered)):
                        ids = [[finding.id for finding in found] for found in (alone, remembered)]
                        yield f"{what} in {each.base.name}: found {ids[0]}, and where the wire remembers {ids[1]}"


def _remembered(played: PlayedLoop, posted: Posted, before: IssuedState, memory: object) -> Iterator[list[Finding]]:
    """The findings of a wire that remembers the requests before the last, of one that remembers the last, too, and of
    one that has seen the request itself before anything was issued."""
    before.memory = memory
    yield played.judge_after(posted, before)
    if not before.turns:
        return  # nothing was issued, and what follows is about what was
    played.judge_after(played.requests[-1].posted, before)
    for _ in range(_TIMES):
        yield played.judge_after(posted, before)
    before.memory = played.memory_of(posted)
    yield played.judge_after(posted, before)


def _edited(name: WireName, played: PlayedLoop) -> Iterator[tuple[str, Posted]]:
    """The last request unchanged, and with each change that is made for this base request."""
    for change in _changes_by_hand(name):
        posted = played.last
        if played.base in change.base_requests and change.edit(posted):
            yield change.name, posted


def _changed(played: PlayedLoop, changes: Iterable[SmallChange]) -> Iterator[tuple[str, Posted]]:
    """The last request with some of its small changes, which a hash chooses."""
    for change in sorted(changes, key=lambda change: change.rank)[:_REMEMBERED]:
        yield change.name, _with_body(played, change.made(played.requests[-1].posted.body))


# --- what no base request has ---------------------------------------------------------------------------------

_PAIRS: Final = 24
"""How many pairs of settings are tried on each model."""


def judgements_of_others(name: WireName) -> Iterator[Judgement]:
    """Judgements of requests that no base request is like: other settings, and values of other types."""
    return _others(name, [base.play() for base in base_requests(name)])


def _others(name: WireName, played: Sequence[PlayedLoop]) -> Iterator[Judgement]:
    yield from _asked_for(name, played[0])
    yield from _everywhere(played)
    yield from _odd_values(played)
    yield from _other_answers(played)


def _everywhere(played: Sequence[PlayedLoop]) -> Iterator[Judgement]:
    for each in played:
        for change in everywhere(each.requests[-1].posted.body):
            found = each.judge(_with_body(each, change.made({})))
            yield _judgement(f"{change.what} everywhere", each.base.name, found)


def _odd_values(played: Sequence[PlayedLoop]) -> Iterator[Judgement]:
    for number, change in odd_values([each.requests[-1].posted.body for each in played]):
        each = played[number]
        made = change.made(each.requests[-1].posted.body)
        kind, on = f"{pattern_of(change.place)} odd", f"{each.base.name}, {change.what} at {change.place}"
        yield _judgement(kind, on, each.judge(_with_body(each, made)))


def _other_answers(played: Sequence[PlayedLoop]) -> Iterator[Judgement]:
    """The last request after answers in other forms than those that it goes on from."""
    for each in played:
        posted = each.requests[-1].posted
        for what, issued in issued_in_other_forms(each):
            issued.memory = None  # each judgement is independent
            kind = f"issued {_NUMBER.sub('N', what)}"
            yield _judgement(kind, f"{each.base.name}, {what}", each.judge_after(posted, issued))


def _some_forms(played: PlayedLoop, kind: str) -> Iterator[tuple[str, IssuedState]]:
    """Some of the forms in which the answers could have been issued; a hash chooses for each kind of change."""
    ranked = sorted(issued_in_other_forms(played), key=lambda form: crc32(f"{kind} {form[0]}".encode()))
    for what, issued in ranked[:_FORMS]:
        issued.memory = None
        yield what, issued


_FORMS: Final = 4
_NUMBER: Final = re.compile(r"\d+")


def _asked_for(name: WireName, played: PlayedLoop) -> Iterator[Judgement]:
    """Each setting with a value of each type, and other tools and histories; and for each model each setting with
    meaningful values, and some settings together."""
    for one in (*of_any_type(name), *other_parts(name)):
        yield _asked(played, played.base.model, one)
    for model in MODELS.get(name, ()):
        for one in asked_for(name):
            yield _asked(played, model, one)
        for one, other in in_pairs(name, model, _PAIRS):
            yield _asked(played, model, one, other)


def _asked(played: PlayedLoop, model: str, *settings: AskedFor) -> Judgement:
    posted = played.requests[-1].posted
    body = posted.body
    for each in settings:
        body = each.made(body)
    if posted.model_of_body and settings[0].place != "model":
        body = {**body, "model": model}
    path = posted.path.replace(quote(played.base.model, safe=""), quote(model, safe=""))
    words = " and ".join(each.words for each in settings)
    kind = f"asked for {settings[0].place}" if len(settings) == 1 else "asked for two settings"
    return _judgement(kind, f"{model}: {words}", played.judge(replace(posted, body=body, path=path)))


# --- the same elsewhere -------------------------------------------------------------------------------------

_Move = Callable[[Posted], bool]
"""Sends a request elsewhere. Returns False if it goes there already."""


def _other_places(name: WireName, played: Sequence[PlayedLoop]) -> Iterator[tuple[str, _Move]]:
    """For each model, at each path, with the headers of each other request, and on each connection."""
    every = [each.last for each in played]
    for model in sorted({each.base.model for each in played}):
        yield f"for {model}", _sent(model=model)
    for path in sorted({posted.path for posted in every}):
        yield f"at {path}", _sent(path=path)
    known = [*(posted.headers for posted in every), *HEADERS.get(name, ())]
    for headers in sorted({json.dumps(each, sort_keys=True) for each in known}):
        yield f"with {headers}", _sent(headers=json.loads(headers))
    if wire(name).channels:
        yield from ((f"on connection {number}", _sent(connection=number)) for number in range(3))


def _sent(
    *, model: str = "", path: str = "", headers: Mapping[str, str] | None = None, connection: int | None = None
) -> _Move:
    def move(posted: Posted) -> bool:
        before = posted.model_of_body, posted.path, posted.headers, posted.connection
        if model and posted.model_of_body:
            posted.body["model"] = model
        posted.path = path or posted.path
        posted.headers = dict(posted.headers if headers is None else headers)
        posted.connection = posted.connection if connection is None else connection
        return before != (posted.model_of_body, posted.path, posted.headers, posted.connection)

    return move


def _elsewhere(change: _Change, played: PlayedLoop, moves: Iterable[tuple[str, _Move]]) -> Iterator[Judgement]:
    """A changed request where it is, with nothing of its history issued, or not all, and elsewhere."""
    kind, rules, base = change.name, change.rules, played.base.name
    posted = played.last
    if not change.edit(posted):
        return
    yield _judgement(kind, base, played.judge(posted), rules)
    yield _judgement(f"{kind}, not issued here", base, played.judge(posted, issued=False), rules)
    for what, issued in chain(issued_otherwise(played), _some_forms(played, kind)):
        found = played.judge_after(posted, issued)
        yield _judgement(f"{kind}, issued otherwise", f"{base}, {what}", found, rules)
    for server in sorted(SERVERS) if played.wire.minds_server else ():
        yield _judgement(kind, f"{base} to {server}", played.judge(posted, server=server), rules)
    for where, move in moves:
        moved = replace(posted, body=dict(posted.body) if isinstance(posted.body, dict) else posted.body)
        if move(moved):
            yield _judgement(kind, f"{base} {where}", played.judge(moved), rules)


def _judgement(kind: str, on: str, findings: Sequence[Finding], made_for: tuple[str, ...] = ()) -> Judgement:
    return Judgement(kind, on, made_for, tuple(map(_words, findings)))


def _words(finding: Finding) -> str:
    answer = finding.answered
    parts = (answer, answer.param, answer.code, answer.kind, finding.expected, finding.got, finding.detail)
    return f"{finding.id} {finding.level}: {'; '.join(map(str, parts))}"


def file_of(name: WireName) -> Path:
    """The file with the statements about the requests of a wire."""
    return _FOLDER / f"{name}.json"
