"""What documents, examples and starters import of the harness is stable: it comes from ``harness.api``, or another path
that docs/compatibility.md names."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import harness.api
from harness.plugins import GROUPS

ROOT = Path(__file__).resolve().parents[2]

STABLE = (
    "harness.testing",
    "harness_client",
    "harness.strategies",
    "harness.wire",
)
"""Paths beside ``harness.api`` that docs/compatibility.md promises."""

MAINTAINERS = (
    *("architecture", "deviations", "policies", "drift", "golden", "mutation", "performance", "rules", "compatibility"),
)
"""Pages about the harness itself: they may name its modules."""

_FENCE = re.compile(r"(?m)^```(?:python|py|pycon)\n(.*?)^```", re.DOTALL)
_DOTTED = re.compile(r"(?<![\w/.-])harness(?:_lab)?(?:\.\w+)+(?!\w*[/(]?\.\w)")
_FILE_NAMES = re.compile(r"harness\.(?:fish|toml|yaml|yml|json|bash|zsh)$")


def sources() -> Iterator[tuple[str, str]]:
    """The Python of documents, of the example packages in the tests and of the starters, with its place."""
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "clients").rglob("*.md"))):
        for block in _FENCE.findall(page.read_text(encoding="utf-8")):
            yield str(page.relative_to(ROOT)), textwrap.dedent(block)
    examples = [
        path for path in (ROOT / "tests" / "plugins").rglob("*.py") if (path.parent / "pyproject.toml").exists()
    ]
    for path in (*examples, *(ROOT / "harness" / "starter").rglob("*.py")):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def imported(text: str) -> Iterator[tuple[str, str]]:
    """The modules of the harness that are imported, and the name that is taken from each (empty: the module itself).

    Blocks of documents may leave out the body of a function, so lines are read where the whole cannot be parsed.
    """
    try:
        trees = [ast.parse(text)]
    except SyntaxError:
        trees = [ast.parse(line.strip()) for line in text.splitlines() if re.match(r"\s*(from|import) harness", line)]
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("harness"):
                yield from ((node.module, alias.name) for alias in node.names)
            elif isinstance(node, ast.Import):
                yield from ((alias.name, "") for alias in node.names if alias.name.split(".")[0].startswith("harness"))


def is_stable(module: str, name: str) -> bool:
    """Whether other packages may use it."""
    if module == "harness.api":
        return not name or name in harness.api.__all__
    return any(module == path or module.startswith(f"{path}.") for path in STABLE)


def test_documents_and_examples_import_stable_names_only() -> None:
    found = [(place, module, name) for place, text in sources() for module, name in imported(text)]
    assert [each for each in found if not is_stable(*each[1:])] == []
    places = {place for place, _, _ in found}
    assert {"docs/commands.md", "docs/add-a-rule.md", "docs/secrets.md", "tests/plugins/acme/acme_harness.py"} <= places


def mentioned(text: str) -> list[str]:
    """The dotted names of the harness in a text that are neither stable nor groups of entry points nor files."""
    names = {match.group() for match in _DOTTED.finditer(text)}
    return sorted(
        name
        for name in names
        if name not in GROUPS
        and not _FILE_NAMES.search(name)
        and not is_stable(*(name.rpartition(".")[::2] if name.startswith("harness.api.") else (name, "")))
    )


def test_documents_for_users_mention_stable_names_only() -> None:
    there = (ROOT / "docs").rglob("*.md")
    pages = [page for page in there if page.stem not in MAINTAINERS and page.parent.name != "rules"]
    wrong = {page.name: mentioned(page.read_text(encoding="utf-8")) for page in (ROOT / "README.md", *pages)}
    assert {name: names for name, names in wrong.items() if names} == {}
    assert len(pages) > 30


def test_the_page_of_promises_names_every_other_path() -> None:
    page = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    assert [path for path in STABLE if f"`{path}`" not in page] == []


def test_a_private_name_would_be_found() -> None:
    private = "from harness.rules import Rule\nimport harness.trace as t"
    assert [is_stable(*each) for each in imported(private)] == [False, False]
    assert [is_stable(*each) for each in imported("from harness.api import Rule, Nothing")] == [True, False]
    assert list(imported("    from harness.rules import Rule\n  x")) == [("harness.rules", "Rule")]
    assert mentioned("see `harness.trace.Trace`, `harness.api.Trace`, `harness.api.Nothing` and `harness.rules`") == [
        "harness.api.Nothing",
        "harness.trace.Trace",
    ]
