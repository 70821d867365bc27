"""The map of public reports: each kind of failure that loops were reported with, and the rule that sees it.

The table is ``docs/reality.yaml``; its first lines say what each member means. ``docs/reality.md`` is made of it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

import yaml

from harness.errors import BadInput
from harness.finding import Finding
from harness.lint import Judge, read_pasted, rules_for
from harness.lint.error_messages import words_of
from harness.rules import RULES
from harness.scenario import outline, shipped
from harness.wire import wire as wire_named
from harness.wire import wire_rules

TABLE: Final = "docs/reality.yaml"

Seen = Literal["must", "memory", "weak", "none", "unspoken"]

Bodies = Mapping[str, Sequence[Any]]
"""Measured requests by name: the wire, the model and the body of each."""

_WORDS: Final[Mapping[Seen, str]] = {
    "must": "a MUST finding from the request alone",
    "memory": "a MUST finding with the memory of a run",
    "weak": "a SHOULD or INFO finding, or only in a part of the cases",
    "none": "not seen",
    "unspoken": "a format or transport that is not spoken here",
}
_THREAD: Final = re.compile(r"(?P<repository>\S+) (?:(?P<kind>PR|discussion) )?#(?P<number>\d+)")
_PAGES: Final = {"PR": "pull", "discussion": "discussions"}


@dataclass(frozen=True, slots=True)
class ReportedKind:
    """One row: what was reported, by whom, and what sees it."""

    row: int
    wire: str
    threads: tuple[str, ...]
    text: str
    situation: str
    causes: tuple[str, ...]
    rules: tuple[str, ...]
    seen: Seen
    more: int = 0
    awaits: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    partly: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    note: str = ""

    @property
    def driven(self) -> bool:
        """Whether the harness leads a loop there: by a scenario, or by any scenario in a dialect."""
        return bool(self.scenarios or self.dialects)

    @property
    def count(self) -> int:
        """The number of its threads."""
        return len(self.threads) + self.more


@dataclass(frozen=True, slots=True)
class Form:
    """A measured request that no row names."""

    body: str
    wire: str
    rules: tuple[str, ...]
    seen: Seen
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reality:
    """The table."""

    repositories: Mapping[str, str]
    causes: Mapping[str, str]
    rows: tuple[ReportedKind, ...]
    forms: tuple[Form, ...]

    @property
    def count(self) -> int:
        """The number of all threads."""
        return sum(row.count for row in self.rows)


def read_table(path: Path) -> Reality:
    """Read the table. Raises ``BadInput`` where it is none, with the place."""
    try:
        table = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        rows = tuple(ReportedKind(**_tuples(row)) for row in table["rows"])
        forms = tuple(Form(**_tuples(form)) for form in table["forms"])
        return Reality(dict(table["repositories"]), dict(table["causes"]), rows, forms)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}") from None
    except (yaml.YAMLError, AttributeError, TypeError, KeyError) as error:
        raise BadInput(f"{path}: expected repositories, causes, rows and forms: {error}") from None


def _tuples(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}


# --- whether it is so ---------------------------------------------------------------------------------------


def problems(reality: Reality) -> Iterator[str]:
    """Each name that there is not, and each row that does not go together."""
    if [row.row for row in reality.rows] != list(range(1, len(reality.rows) + 1)):
        yield f"expected the rows 1 to {len(reality.rows)} in their order"
    for thread, count in Counter(thread for row in reality.rows for thread in row.threads).items():
        if count > 1:
            yield f"{thread}: is in {count} rows"
    rules = {*RULES, *wire_rules()}
    scenarios = {scenario.name for scenario in outline([shipped()])}
    for row in reality.rows:
        yield from (f"row {row.row}: {problem}" for problem in _problems_of(row, reality, rules, scenarios))
    for form in reality.forms:
        yield from (f"{form.body}: there is no rule {name}" for name in form.rules if name not in rules)


def _problems_of(row: ReportedKind, reality: Reality, rules: set[str], scenarios: set[str]) -> Iterator[str]:
    yield from (f"there is no rule {name}" for name in row.rules if name not in rules)
    yield from (f"{name} is a rule now: move it from 'awaits' to 'rules'" for name in row.awaits if name in rules)
    yield from (f"there is no scenario {name}" for name in (*row.scenarios, *row.partly) if name not in scenarios)
    spoken = wire_named(row.wire).dialects if row.dialects else ()
    yield from (f"{row.wire} has no dialect {name}" for name in row.dialects if name not in spoken)
    yield from (f"there is no cause {name}" for name in row.causes if name not in reality.causes)
    if row.seen not in get_args(Seen):
        yield f"expected {', '.join(get_args(Seen))} as 'seen', got {row.seen}"
    elif row.seen != "unspoken" and bool(row.rules) is (row.seen == "none"):
        yield f"seen is {row.seen}, so expected {'no rules' if row.rules else 'the rules that see it'}"


def measured_otherwise(reality: Reality, bodies: Bodies) -> Iterator[str]:
    """Each measured request that breaks other rules, or has another answer, than its row says, and what to change."""
    for row in reality.rows:
        for name in row.bodies:
            found = [each for each in _judged(name, bodies) if each.id in row.rules]
            yield from (f"row {row.row}: {name} {problem}" for problem in _as_measured(row, found))
        for name in row.silent:
            found = [each for each in _judged(name, bodies) if each.level == "MUST" or each.id in row.rules]
            if found:
                yield f"row {row.row}: {name} breaks {_shown(found)}: move it from 'silent' to 'bodies', and set 'seen'"
    for form in reality.forms:
        broken = _judged(form.body, bodies)
        if {each.id for each in broken} != set(form.rules) or _seen(broken) != form.seen:
            yield f"{form.body}: expected {', '.join(form.rules) or 'nothing'} ({form.seen}), got {_shown(broken)}"
    rest = bodies.keys() - {name for row in reality.rows for name in (*row.bodies, *row.silent)}
    yield from (f"{name}: no row and no form names it" for name in sorted(rest - {form.body for form in reality.forms}))


def _as_measured(row: ReportedKind, found: Sequence[Finding]) -> Iterator[str]:
    """What is wrong with the findings of one of the row's rules in one of its requests."""
    if not found:
        yield f"breaks none of {', '.join(row.rules) or 'no rules'}"
        return
    if (_seen(found) == "must") is not (row.seen == "must") and not row.silent:
        yield f"breaks {_shown(found)}, and 'seen' is {row.seen}"
    if row.text and not any(_says(each, row.text) for each in found):
        yield f"is answered {found[0].answered.message!r}, expected {row.text!r}"


def _judged(name: str, bodies: Bodies) -> tuple[Finding, ...]:
    wire, model, body = bodies[name]
    pasted = read_pasted(name, json.dumps(body).encode(), wire, model, {})
    return Judge().judge(pasted.asked).violations


def _seen(found: Iterable[Finding]) -> Seen:
    levels = {each.level for each in found}
    return "must" if "MUST" in levels else "weak" if levels else "none"


def _shown(found: Sequence[Finding]) -> str:
    return ", ".join(f"{each.id} {each.level}" for each in found) or "nothing"


def _says(finding: Finding, text: str) -> bool:
    """Whether an answer has the fixed words of a text in their order, or the text is another one of its rule."""
    words = iter([word.text for word in words_of(finding.answered.message) if word.fixed])
    if all(word.text in words for word in words_of(text) if word.fixed):
        return True
    return finding.id in {each.rule.id for each in rules_for(text)}


# --- as a page ----------------------------------------------------------------------------------------------

_HEAD: Final = """\
# Public reports, and the rules that see them

What agent loops were reported with in public in 2025 and 2026: the next request was refused, or went wrong. One row for
each kind; a text is what the provider answered, cut. The page is generated from `docs/reality.yaml`. Tests check that
every rule and scenario exists, and that the requests that were measured break the rules of their row, with its text.
`harness explain "TEXT"` finds the rule of any such text. What was recorded of refusals is in
[a page of its own](rules/recorded-refusals.md).

"""


def headline(reality: Reality) -> str:
    """One sentence with the number that counts."""
    counts = _counts(reality)
    certain, seen = counts["must"] + counts["memory"], counts["must"] + counts["memory"] + counts["weak"]
    return f"Of {reality.count} public reports of failed continuations rules see {seen}, {certain} of them with MUST"


def _counts(reality: Reality) -> Counter[Seen]:
    counts: Counter[Seen] = Counter()
    for row in reality.rows:
        counts[row.seen] += row.count
    return counts


def markdown(reality: Reality) -> str:
    """The page."""
    return "".join([_HEAD, *_totals(reality), *_by_cause(reality), *_kinds(reality), *_other_forms(reality)])


def _totals(reality: Reality) -> Iterator[str]:
    counts = _counts(reality)
    yield f"{headline(reality)}.\n\n| seen | meaning | kinds | reports |\n|---|---|---|---|\n"
    for seen, words in _WORDS.items():
        kinds = sum(row.seen == seen for row in reality.rows)
        yield f"| {seen} | {words} | {kinds} | {_share(counts[seen], reality.count)} |\n"
    yield f"| all | | {len(reality.rows)} | {reality.count} |\n"
    driven = sum(row.count for row in reality.rows if row.driven)
    partly = sum(row.count for row in reality.rows if row.partly and not row.driven)
    yield "\nA shipped scenario, or any in a [dialect](dialects.md), drives a loop into the situation of "
    yield f"{_share(driven, reality.count)}, a scenario near that of "
    yield f"{_share(partly, reality.count)} more.\n"


def _share(count: int, whole: int) -> str:
    return f"{count} ({round(100 * count / whole)} %)"


def _by_cause(reality: Reality) -> Iterator[str]:
    yield "\n## Causes\n\nA report with two causes counts for both.\n\n"
    yield "| cause | | reports | driven |\n|---|---|---|---|\n"
    for cause, words in reality.causes.items():
        rows = [row for row in reality.rows if cause in row.causes]
        driven = sum(row.count for row in rows if row.driven)
        yield f"| {cause} | {words} | {sum(row.count for row in rows)} | {driven} |\n"


def _kinds(reality: Reality) -> Iterator[str]:
    for wire in dict.fromkeys(row.wire for row in reality.rows):
        yield f"\n## {wire}\n\n| | answer | situation | cause | rules | seen | scenarios | reports |\n"
        yield "|---|---|---|---|---|---|---|---|\n"
        yield from (_kind(row, reality) for row in reality.rows if row.wire == wire)


def _kind(row: ReportedKind, reality: Reality) -> str:
    rules = _names(row.rules) or (f"none yet ({', '.join(row.awaits)})" if row.awaits else "none")
    scenarios = [*map("`{}`".format, row.scenarios), *map("`{}` (partly)".format, row.partly)]
    scenarios += map("dialect `{}`".format, row.dialects)
    threads = [_linked(thread, reality) for thread in row.threads] + [f"{row.more} more"] * bool(row.more)
    text = f"`` {row.text} ``" if row.text else "not refused"
    situation = f"{row.situation}; {row.note}" if row.note else row.situation
    cells = (str(row.row), text, situation, ", ".join(row.causes), rules, row.seen, ", ".join(scenarios))
    return _table_row(*cells, ", ".join(threads))


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _linked(thread: str, reality: Reality) -> str:
    """A thread with its address, where the owner of its repository is known."""
    found = _THREAD.fullmatch(thread)
    repository = found and reality.repositories.get(found["repository"], found["repository"])
    if found is None or not repository or "/" not in repository:
        return thread
    page = _PAGES.get(found["kind"], "issues")
    return f"[{thread}](https://github.com/{repository}/{page}/{found['number']})"


def _other_forms(reality: Reality) -> Iterator[str]:
    yield "\n## Other requests that were measured\n\nForms that no row has, one request each.\n\n"
    yield "| request | format | rules | seen | why no more |\n|---|---|---|---|---|\n"
    for form in reality.forms:
        yield _table_row(form.body, form.wire, _names(form.rules), form.seen, form.note)


def _table_row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |\n"
