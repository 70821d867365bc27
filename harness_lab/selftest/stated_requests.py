"""What is found in each broken request and beside each valid one, to the word, whichever model and server it is for.

That a rule finds its mutants says little about its answer, and nothing about where it must be silent. So every small
change of every base request is judged, and every mutant for every model, on every server that the wire minds, and with
nothing issued before. That is tens of thousands of judgements a wire. ``stated/WIRE.json`` has a line for each kind of
change: the rules that are found, in how many of the requests, and a digest of every word. ``scripts/state-findings``
writes the files anew, and ``scripts/state-findings --words KIND`` prints what is behind a line.
"""

from __future__ import annotations

import json
import traceback
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from harness.finding import Finding
from harness.wire import WireName, wire
from harness.wire.servers import SERVERS
from harness_lab.mutants.requests import (
    BaseRequest,
    Edit,
    EquivalentRequest,
    Played,
    Posted,
    RequestMutant,
    base_requests,
    equivalents,
    mutants,
)
from harness_lab.mutants.requests.small_changes import small_changes, words_of
from harness_lab.selftest.mutant_run import MutantRun

__all__ = ["Judgement", "as_stated", "file_of", "judgements", "lines_of", "text_of_requests", "unlike_stated"]

_FOLDER: Final = Path(__file__).parent.parent / "mutants" / "requests" / "stated"
_MOST_LINES: Final = 12
"""How many differences of a wire are printed: one mistake can change a thousand."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A request, by the ``kind`` of its change and by what it is ``on``, and the ``words`` of what is found in it."""

    kind: str
    on: str
    rules: tuple[str, ...]
    words: tuple[str, ...]


def as_stated(name: WireName) -> MutantRun:
    """All judgements of a wire beside what is stated of them."""
    run = MutantRun("small changes and models", f"every base request of {name}")
    try:
        found = lines_of(judgements(name))
    except Exception:  # noqa: BLE001 - a check that crashes is a failure of the selftest, and the others go on
        return replace(run, crash=traceback.format_exc())
    return replace(run, unstated=tuple(unlike_stated(_stated(name), found)))


def judgements(name: WireName) -> Iterator[Judgement]:
    """Every judgement of the requests of a wire, in the same order each time."""
    played = [base.play() for base in base_requests(name)]
    models = sorted({each.base.model for each in played})
    servers = sorted(SERVERS) if wire(name).minds_server else []
    yield from _small_changes(played)
    for kind, edit, on in _edits(name):
        for each in played:
            if each.base in on:
                yield from _elsewhere(kind, each, edit, models, servers)


def _edits(name: WireName) -> Iterator[tuple[str, Edit, Collection[BaseRequest]]]:
    """The name of each change, what it does, and the base requests that it is made for."""
    yield "unchanged", _unchanged, base_requests(name)
    changes: list[EquivalentRequest | RequestMutant] = [*equivalents(name), *mutants(name)]
    yield from ((each.name, each.edit, each.base_requests) for each in changes)


def _small_changes(played: Sequence[Played]) -> Iterator[Judgement]:
    words = words_of(each.last.body for each in played)
    for each in played:
        body = each.last.body
        for change in small_changes(body, words):
            posted = each.last
            posted.body = change.made(body)
            yield _judgement(change.name, each.base.name, each.judge(posted))


def _elsewhere(
    kind: str, played: Played, edit: Edit, models: Iterable[str], servers: Iterable[str]
) -> Iterator[Judgement]:
    """A changed request as it is, where nothing of its history was issued, for each model, and to each server."""
    base = played.base.name
    yield from _judged(kind, base, played, edit)
    yield from _judged(f"{kind}, not issued here", base, played, edit, issued=False)
    for model in models:
        if played.last.body.get("model") not in (None, model):
            yield from _judged(kind, f"{base} for {model}", played, edit, model=model)
    for server in servers:
        yield from _judged(kind, f"{base} to {server}", played, edit, server=server)


def _judged(
    kind: str, on: str, played: Played, edit: Edit, *, model: str = "", server: str = "", issued: bool = True
) -> Iterator[Judgement]:
    """The judgement, where the edit can be made."""
    posted = played.last
    if not edit(posted):
        return
    if model:
        posted.body["model"] = model
    yield _judgement(kind, on, played.judge(posted, server=server, issued=issued))


def _unchanged(posted: Posted) -> bool:  # noqa: ARG001 - of the kind of an edit
    return True


def _judgement(kind: str, on: str, findings: Sequence[Finding]) -> Judgement:
    rules = tuple(dict.fromkeys(finding.id for finding in findings))
    return Judgement(kind, on, rules, tuple(map(_words, findings)))


def _words(finding: Finding) -> str:
    answer = finding.answered
    parts = (answer, answer.param, answer.code, answer.kind, finding.expected, finding.got, finding.detail)
    return f"{finding.id} {finding.level}: {'; '.join(map(str, parts))}"


def lines_of(each: Iterable[Judgement]) -> Mapping[str, str]:
    """A line for each kind of change, also where nothing is found: that is stated, too."""
    kinds: dict[str, list[Judgement]] = defaultdict(list)
    for judgement in each:
        kinds[judgement.kind].append(judgement)
    return {kind: _line(found) for kind, found in kinds.items()}


def _line(found: Sequence[Judgement]) -> str:
    rules = sorted({rule for each in found for rule in each.rules})
    count = sum(bool(each.rules) for each in found)
    digest = sha256("\n".join(f"{each.on}: {each.words}" for each in found).encode("utf-8", "backslashreplace"))
    return f"{digest.hexdigest()[:12]} {count} of {len(found)}: {' '.join(rules) or 'nothing'}"


def text_of_requests(name: WireName) -> str:
    """The file of a wire."""
    return json.dumps(lines_of(judgements(name)), indent=0, sort_keys=True, ensure_ascii=False) + "\n"


def file_of(name: WireName) -> Path:
    """What is stated of the requests of a wire."""
    return _FOLDER / f"{name}.json"


@cache
def _stated(name: WireName) -> Mapping[str, str]:
    lines: Mapping[str, str] = json.loads(file_of(name).read_text(encoding="utf-8"))
    return lines


def unlike_stated(stated: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    """How lines differ from those that are stated: a line each."""
    kinds = [kind for kind in dict.fromkeys((*stated, *found)) if stated.get(kind) != found.get(kind)]
    for kind in kinds[:_MOST_LINES]:
        yield f"{kind}: stated {stated.get(kind, 'nothing')}; found {found.get(kind, 'nothing')}"
    if len(kinds) > _MOST_LINES:
        yield f"and {len(kinds) - _MOST_LINES} more"
    if kinds:
        yield "where that is meant: scripts/state-findings; the words: scripts/state-findings --words KIND"
