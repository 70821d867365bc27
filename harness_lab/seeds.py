"""The ledger: every statement of the design documents that the project follows, with what checks it.

The table is ``docs/seeds.yaml``; its first lines say what each member means. ``docs/seeds.md`` is made of it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml

from harness.errors import BadInput
from harness.rules import RULES
from harness.scenario import outline, shipped
from harness.wire import WIRES, wire

TABLE = "docs/seeds.yaml"

Status = Literal["checked", "checked on the reference loop", "weak", "departed", "missing"]

_WORDS: Mapping[Status, str] = {
    "checked": "a rule or a scenario judges it in the run of any loop that it can be seen of",
    "checked on the reference loop": "tests of the reference loop check it; no rule and no scenario is about it",
    "weak": "a loop that does otherwise, as is said, passes every rule and scenario; the reference loop has tests",
    "departed": "the reference loop does otherwise, for the reason that is given",
    "missing": "nothing here does it, for the reason that is given",
}
_MEMBERS = {"id", "says", "rules", "scenarios", "tests", "see", "weak", "departs", "missing"}


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement. ``tests`` are below ``tests/``, ``see`` pages below ``docs/``, with or without a section."""

    id: str
    says: str
    rules: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    see: tuple[str, ...] = ()
    weak: str = ""
    departs: str = ""
    missing: str = ""

    @property
    def status(self) -> Status:
        """In which way the statement is accounted for."""
        if self.missing:
            return "missing"
        if self.weak:
            return "weak"
        if self.departs:
            return "departed"
        return "checked" if self.rules or self.scenarios else "checked on the reference loop"


@dataclass(frozen=True, slots=True)
class Document:
    """A design document ``of`` a project, and its statements in their order."""

    title: str
    of: str
    statements: tuple[Statement, ...]


def read_table(path: Path) -> tuple[Document, ...]:
    """The documents of a table. Raises ``BadInput`` where it is none, with the place."""
    try:
        table = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        return tuple(
            Document(entry["document"], entry["of"], tuple(map(_statement, entry["statements"]))) for entry in table
        )
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror or error}") from None
    except (yaml.YAMLError, TypeError, KeyError, ValueError) as error:
        raise BadInput(f"{path}: expected a list of documents with their statements: {error}") from None


def _statement(row: Mapping[str, Any]) -> Statement:
    if unknown := row.keys() - _MEMBERS:
        raise ValueError(f"statement {row.get('id')}: unknown members {', '.join(sorted(unknown))}")
    return Statement(
        row["id"],
        row["says"],
        rules=tuple(row.get("rules", ())),
        scenarios=tuple(row.get("scenarios", ())),
        tests=tuple(row.get("tests", ())),
        see=tuple(row.get("see", ())),
        weak=row.get("weak", ""),
        departs=row.get("departs", ""),
        missing=row.get("missing", ""),
    )


# --- whether it is so ---------------------------------------------------------------------------------------


def problems(documents: Sequence[Document], root: Path) -> Iterator[str]:
    """Each statement that is not accounted for, and each name that there is not, below the repository's ``root``."""
    statements = [statement for document in documents for statement in document.statements]
    for id, count in Counter(statement.id for statement in statements).items():
        if count > 1:
            yield f"{id}: there are {count} statements of this id"
    scenarios = {scenario.name for scenario in outline([shipped()])}
    rules = {*RULES, *(rule.id for name in WIRES for rule in wire(name).rules)}
    for each in statements:
        if not (each.rules or each.scenarios or each.tests or each.departs or each.missing):
            yield f"{each.id}: expected a rule, a scenario, a test or a reason, got none"
        if each.departs and each.missing:
            yield f"{each.id}: expected 'departs' or 'missing', got both"
        if (each.departs or each.missing) and not each.see:
            yield f"{each.id}: expected the section of the documentation that says more, in 'see'"
        yield from (f"{each.id}: there is no rule {name}" for name in each.rules if name not in rules)
        yield from (f"{each.id}: there is no scenario {name}" for name in each.scenarios if name not in scenarios)
        yield from (f"{each.id}: there is no test {name}" for name in each.tests if not _is_test(root / "tests", name))
        yield from (f"{each.id}: there is no section {name}" for name in each.see if not _is_section(root, name))


def _is_test(tests: Path, name: str) -> bool:
    file, _, function = name.partition("::")
    return (tests / file).is_file() and (not function or function in _functions(tests / file))


@cache
def _functions(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _is_section(root: Path, name: str) -> bool:
    page, _, anchor = name.partition("#")
    return (root / "docs" / page).is_file() and (not anchor or anchor in _anchors(root / "docs" / page))


@cache
def _anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as the documentation site makes them."""
    headings = re.findall(r"(?m)^#+ (.+)$", page.read_text(encoding="utf-8"))
    return frozenset(re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", each).strip().lower()) for each in headings)


# --- as a page ----------------------------------------------------------------------------------------------

_HEAD = """\
# The ledger of the design documents

The project follows four design documents. This page has each of their statements, in our words, with what checks it. It
is generated from `docs/seeds.yaml`; a test checks that every rule, scenario, test and section exists.

"""


def markdown(documents: Sequence[Document]) -> str:
    """The page."""
    lines = [_HEAD, "| status | statements | meaning |\n|---|---|---|\n"]
    counts = Counter(statement.status for document in documents for statement in document.statements)
    lines += [f"| {status} | {counts[status]} | {words} |\n" for status, words in _WORDS.items()]
    lines.append(f"| all | {counts.total()} | |\n")
    for document in documents:
        lines.append(f"\n## {document.title}\n\nOf {document.of}.\n\n")
        lines.append("| | statement | status | by |\n|---|---|---|---|\n")
        lines += [_row(statement) for statement in document.statements]
    return "".join(lines)


def _row(statement: Statement) -> str:
    by = [
        _named("rules" if len(statement.rules) > 1 else "rule", statement.rules),
        _named("scenarios" if len(statement.scenarios) > 1 else "scenario", statement.scenarios),
        _named("tests" if len(statement.tests) > 1 else "test", statement.tests),
        statement.missing or statement.weak,
        statement.departs,
        " ".join(f"[{page.partition('#')[0]}]({page})" for page in statement.see),
    ]
    cells = (statement.id, statement.says, statement.status, "; ".join(filter(None, by)))
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |\n"


def _named(kind: str, names: Sequence[str]) -> str:
    return f"{kind} {', '.join(f'`{name}`' for name in names)}" if names else ""
