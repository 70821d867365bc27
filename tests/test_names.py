"""Classes have the field's words: no class has a private name again that was given up for one of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

RETIRED = {
    "Assignment": "CaseRun",
    "Audience": "EventSink",
    "Desk": "CaseEndpoint",
    "Given": "SourceResponse",
    "Klass": "Impact",
    "Question": "ModelRequest",
    "Stop": "FinishReason",
    "Tape": "CassetteWriter",
    "Wording": "ErrorTemplate",
}
"""Names that no class and no alias has any more, and what they are called."""


def defined(tree: ast.Module) -> Iterator[str]:
    """The classes of a module and the names that it assigns at its top."""
    yield from (node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def test_no_retired_name_is_back() -> None:
    modules = [*(ROOT / "harness").rglob("*.py"), *(ROOT / "harness_lab").rglob("*.py")]
    parsed = {path: ast.parse(path.read_text(encoding="utf-8")) for path in modules if "node_modules" not in path.parts}
    assert len(parsed) > 700
    back = [
        f"{path.relative_to(ROOT)}: {name} is {RETIRED[name]}"
        for path, tree in parsed.items()
        for name in defined(tree)
        if name in RETIRED
    ]
    assert back == []


def test_a_retired_name_would_be_found() -> None:
    tree = ast.parse("class Desk: ...\nGiven = int | str\nTape: type = Desk\ndef f():\n    Stop = 1\n")
    assert [name for name in defined(tree) if name in RETIRED] == ["Desk", "Given", "Tape"]
