"""Summarizes a comparison: the most important first, similar entries together, the first in full and the rest
counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from harness.finding import Finding
from harness.report.diff.items import case_item, request_item, shape_item, shortened, speed_item, stale_item
from harness.report.diff.model import CaseChange, ChangeKind, Comparison, RequestChange, RequestPart
from harness.report.diff.summary import Amount, ComparisonSummary, Group, Item, Place, Section, Tone

_NOT_JUDGED = "could not be judged"

_Label = Callable[[CaseChange], str]


def summarize(comparison: Comparison, amount: Amount) -> ComparisonSummary:
    """The parts of the report, never longer than ``amount`` allows."""
    tone: Tone = "bad" if comparison.failed else "plain"
    head = tuple((shortened(label, amount), shortened(text, amount)) for label, text in _head(comparison))
    return ComparisonSummary(head, tuple(_sections(comparison, amount)), _last(comparison), tone)


def _head(comparison: Comparison) -> Iterator[tuple[str, str]]:
    for name, side in (("base", comparison.base), ("new", comparison.new)):
        whole = "" if side.complete else ", interrupted"
        counts = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(side.totals.items()))
        yield name, f"{side.folder}  {side.target}, {side.started}, {_number(side.cases, 'case')}: {counts}{whole}"
    for each in comparison.settings:
        yield each.name, f"{each.base or 'none'} -> {each.new or 'none'}"
    speed = comparison.speed
    if speed.base:
        yield "seconds", f"{speed.base:.1f} -> {speed.new:.1f} (x{speed.new / speed.base:.2f}), cases of both runs"


def _sections(comparison: Comparison, amount: Amount) -> Iterator[Section]:
    folders = (comparison.base.folder, comparison.new.folder)

    def section(title: str, tone: Tone, cases: Iterable[CaseChange], label: _Label, *, full: bool) -> Iterator[Section]:
        if some := list(cases):
            groups = list(_groups(some, label, folders, amount, full=full))
            shown, left = groups[: amount.groups], len(groups) - amount.groups
            more = f"and {_number(left, 'kind')} more" if left > 0 else ""
            yield Section(f"{title}: {_number(len(some), 'case')}", tone, tuple(shown), more)

    def of(*kinds: ChangeKind) -> list[CaseChange]:
        return [case for case in comparison.cases if case.kind in kinds and not case.regression]

    yield from section("REGRESSED", "bad", comparison.regressions, _rule_found, full=True)
    yield from _stale(comparison, amount)
    yield from _requests(comparison, amount)
    yield from section("NEWLY VISIBLE", "plain", of("visible"), _rule_visible, full=True)
    yield from section("FIXED", "good", of("fixed", "better", "worse"), _rule_gone, full=False)
    yield from section("ANOTHER VERDICT", "plain", of("verdict", "regressed"), _verdicts, full=False)
    yield from section("THE SAME RULE, OTHER WORDS", "plain", of("findings"), _rule_altered, full=True)
    yield from section("ANOTHER TRACE, THE SAME VERDICT", "plain", of("trace"), _first_change, full=True)
    yield from section("ADDED", "plain", of("added"), lambda case: str(case.new), full=False)
    yield from section("REMOVED", "plain", of("removed"), lambda case: f"had {case.base}", full=False)
    yield from _rest(comparison, amount)


def _groups(
    cases: Sequence[CaseChange], label: _Label, folders: tuple[str, str], amount: Amount, *, full: bool
) -> Iterator[Group]:
    """Groups of cases with the same label, the largest first."""
    alike: dict[str, list[CaseChange]] = {}
    for case in cases:
        alike.setdefault(label(case), []).append(case)
    for name, some in sorted(alike.items(), key=lambda pair: -len(pair[1])):
        shown = some[: amount.items] if full else []
        items = tuple(case_item(case, folders, amount) for case in shown)
        title = f"{shortened(name, amount)}  {_number(len(some), 'case')}"
        others = some[len(shown) :]
        left = f" and {len(others) - amount.names:,} more" if len(others) > amount.names else ""
        named = tuple(Place(shortened(case.id, amount), case.new is None) for case in others[: amount.names])
        yield Group(title, items, _text_of_rest(named, left, also=bool(shown)), named, left)


def _text_of_rest(named: Sequence[Place], left: str, *, also: bool) -> str:
    return f"{'also ' if also and named else ''}{', '.join(place.id for place in named)}{left}"


# --- by what cases are put together ---------------------------------------------------------------------------


def _rule_found(case: CaseChange) -> str:
    return case.found[0].id if case.found else _NOT_JUDGED


def _rule_visible(case: CaseChange) -> str:
    return case.visible[0].id


def _rule_gone(case: CaseChange) -> str:
    rules = dict.fromkeys(each.id for each in case.gone)
    return ", ".join(rules) or _NOT_JUDGED


def _rule_altered(case: CaseChange) -> str:
    changed: Iterable[Finding] = chain((each.new for each in case.altered), case.gone)
    return next((each.id for each in changed), "as expected")


def _verdicts(case: CaseChange) -> str:
    return f"{case.base} -> {case.new}" + (f" ({case.reason})" if case.reason else "")


def _first_change(case: CaseChange) -> str:
    """The first difference, without the number that distinguishes it from similar ones."""
    return re.sub(r"\d+", "*", case.trace.what) if case.trace is not None else ""


# --- requests of agents ---------------------------------------------------------------------------------------

_PARTS: dict[RequestPart, str] = {
    "request": "requests",
    "system": "system prompt",
    "tools": "tools",
    "history": "history",
    "cache": "cache marks",
    "member": "other members",
    "header": "headers",
}


def _requests(comparison: Comparison, amount: Amount) -> Iterator[Section]:
    if not comparison.requests:
        return
    folders = (comparison.base.folder, comparison.new.folder)
    groups = []
    for part, name in _PARTS.items():
        if some := [each for each in comparison.requests if each.part == part]:
            shown, left = some[: 2 * amount.groups], len(some) - 2 * amount.groups
            title = f"{name}  {_number(len(some), 'change')}{_sizes(some)}"
            items = tuple(request_item(each, folders, amount) for each in shown)
            groups.append(Group(title, items, f"and {left:,} more" if left > 0 else ""))
    title = f"WHAT CHANGED IN REQUESTS: {_number(len(comparison.requests), 'change')}"
    yield Section(title, "plain", tuple(groups))


def _sizes(changes: Sequence[RequestChange]) -> str:
    found = next((each.sizes for each in changes if each.sizes is not None), None)
    return "" if found is None else f", {found[0]:,} -> {found[1]:,} characters"


# --- what is not about one case -------------------------------------------------------------------------------


def _stale(comparison: Comparison, amount: Amount) -> Iterator[Section]:
    if stale := comparison.stale:
        items = (stale_item(each, amount) for each in stale)
        yield _limited_section(f"STALE IN THE BASELINE: {len(stale)}", items, len(stale), amount, "bad")
    if mended := comparison.mended:
        items = (stale_item(each, amount) for each in mended)
        yield _limited_section(f"NO LONGER STALE: {len(mended)}", items, len(mended), amount, "good")


def _rest(comparison: Comparison, amount: Amount) -> Iterator[Section]:
    if comparison.shapes:
        title = f"WHAT REQUESTS ARE MADE OF: {_number(len(comparison.shapes), 'change')}"
        items = (shape_item(each, amount) for each in comparison.shapes)
        yield _limited_section(title, items, len(comparison.shapes), amount)
    if slower := comparison.speed.slower:
        title = f"MUCH SLOWER: {_number(len(slower), 'case')}"
        yield _limited_section(title, (speed_item(each, amount) for each in slower), len(slower), amount)
    if unread := comparison.unread:
        title = f"NOT COMPARED: {_number(len(unread), 'trace')}"
        yield _limited_section(title, (Item(shortened(each, amount)) for each in unread), len(unread), amount)


def _limited_section(title: str, items: Iterable[Item], number: int, amount: Amount, tone: Tone = "plain") -> Section:
    most = 2 * amount.groups
    shown = tuple(item for item, _ in zip(items, range(most), strict=False))
    return Section(title, tone, (Group("", shown),), f"and {number - most:,} more" if number > most else "")


_WORDS: dict[ChangeKind, str] = {
    "visible": "newly visible",
    "fixed": "fixed",
    "better": "better",
    "verdict": "with another verdict",
    "findings": "with other words",
    "trace": "with another trace only",
    "added": "added",
    "removed": "removed",
}


def _last(comparison: Comparison) -> str:
    """``3 regressed, 1 fixed, 1,368 unchanged``."""
    regressions = len(comparison.regressions)
    totals = comparison.totals
    others = [f"{totals[kind]:,} {words}" for kind, words in _WORDS.items() if totals[kind]]
    stale = [f"{len(comparison.stale)} stale in the baseline"] if comparison.stale else []
    bad = [f"{regressions:,} regressed", *stale] if comparison.regressed else []
    if others_fail := len(comparison.failures) - regressions:
        bad.append(f"{others_fail:,} not as before (--strict)")
    if requests := len(comparison.requests):
        others.append(f"{_number(requests, 'change')} in requests")
    if not (bad or others):
        return f"nothing changed in {_number(comparison.unchanged, 'case')}"
    return ", ".join([*bad, *others, f"{comparison.unchanged:,} unchanged"])


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
