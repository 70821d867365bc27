"""The words that this project no longer uses in texts that users read, and where such texts are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_DATA = (
    "harness_lab/mutants/requests",
    "harness/scenario/tools.py",
    "harness/wire/text_tags/call.py",
    "harness_lab/gallery",
    "harness/starter",
)
"""What models read and write: specimens of requests, tools of the seed documents. The starter is a document."""


@dataclass(frozen=True, slots=True)
class Retired:
    """A word or phrase that is not used any more, as a regular expression, and the standard term for it."""

    pattern: str
    instead: str


RETIRED = (
    Retired(r"tell|tells|told|telling", "report, emit, say, show; 'told apart': distinguished"),
    Retired(r"shall", "must, or will"),
    Retired(r"holds?|held|holding", "contain, compare with, apply, keep"),
    Retired(r"stands?|stood", "be, follow, precede"),
    Retired(r"in vain", "unnecessarily, without a use"),
    Retired(r"jars", "cosmetic"),
    Retired(r"by the thousand", "thousands of"),
    Retired(r"look(s|ed)? after", "manage"),
    Retired(r"one's own", "your own"),
    Retired(r"(loops|those) (of|that) others( have written)?|somebody else's loop", "third-party loops"),
    Retired(r"whole documents?", "non-streaming answer"),
    Retired(r"hand(s|ed)? (nothing )?on", "forward, pass"),
    Retired(r"leaves? the machine", "outbound traffic, egress"),
    Retired(r"what (is|was) (found|there|asked|expected|told)", "a noun: findings, files, requests, expectations"),
    Retired(r"who says so", "sources"),
    Retired(r"(comes?|came|coming) along", "be shipped"),
    Retired(r"(comes?|came) of (it|them|that|what)", "the result of"),
    Retired(r"hard input", "adversarial input"),
    Retired(r"live look", "live view"),
    Retired(r"servers? of models", "model server"),
    Retired(r"keys? without meaning", "dummy key"),
    Retired(r"what is only inferred", "informational findings"),
    Retired(r"MUST (invalid|unsafe|style|expectation|script|replay)", "severity and category, each with its label"),
)


_ANY = re.compile(rf"\b(?:{'|'.join(each.pattern for each in RETIRED)})\b", re.IGNORECASE)


def found(text: str) -> Iterator[tuple[str, Retired]]:
    """Each retired word in ``text``, as it is there, with its entry."""
    for each in RETIRED if _ANY.search(text) else ():
        for match in re.finditer(rf"\b(?:{each.pattern})\b", text, re.IGNORECASE):
            yield match.group(0), each


def prose() -> Iterator[tuple[str, str]]:
    """Every text that users read, with its place: documents, comments of files to copy, and strings in the code.

    Docstrings are for readers of the code. Strings without a blank are names, and words in single quotes are, too.
    """
    for path in _documents():
        yield from _lines(path)
    for path in sorted([*(ROOT / "harness").rglob("*.py"), *(ROOT / "harness_lab").rglob("*.py")]):
        if not any(path.is_relative_to(ROOT / each) for each in _DATA) and "node_modules" not in path.parts:
            yield from _strings(path)
    for path in sorted((ROOT / "harness" / "report").rglob("*.js")):
        yield from _script(path)


def _documents() -> Iterator[Path]:
    yield from (ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "action.yml")
    yield from sorted((ROOT / "docs").rglob("*.md"))
    starters = (ROOT / "harness" / "starter").rglob("*")
    yield from sorted(path for path in starters if path.is_file() and path.suffix != ".pyc")
    yield from sorted((ROOT / "harness" / "report").rglob("*.html"))


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    fence = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fence = "" if fence else line.strip()
        if fence != "```diff":  # source code of the harness
            # The changelog names what was renamed.
            told = re.sub("`[^`]*`", "", line) if path.name == "CHANGELOG.md" else line
            yield f"{path.relative_to(ROOT)}:{number}", told


def _strings(path: Path) -> Iterator[tuple[str, str]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and " " in text.strip() and id(node) not in silent:
            yield f"{path.relative_to(ROOT)}:{node.lineno}", re.sub(r"'\w+'", "", text)


def _script(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for text in re.findall(r'"[^"]* [^"]*"', line.partition("//")[0]):
            yield f"{path.relative_to(ROOT)}:{number}", text
