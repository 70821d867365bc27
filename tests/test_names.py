"""Names in the code have the field's words: none that was given up is back, and a class name means one class."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

RETIRED = {
    "Assignment": "CaseRun",
    "Audience": "EventSink",
    "Breach": "Finding",
    "Desk": "CaseEndpoint",
    "Evidence": "Finding",
    "Executed": "CallResult",
    "Given": "SourceResponse",
    "Heard": "JoinedDeltas",
    "Klass": "Impact",
    "Meaning": "MatchableRequest",
    "Mismatch": "Finding",
    "Observation": "Difference",
    "Placement": "Isolation",
    "Question": "ModelRequest",
    "Recorded": "Exchange",
    "SaidCall": "RecordedCall",
    "Specimen": "BaseRequest",
    "Stop": "FinishReason",
    "Tape": "CassetteWriter",
    "Turned": "ModelTurn",
    "Violation": "Finding",
    "Wording": "ErrorTemplate",
}
"""Names that no class and no alias has any more, and what they are called."""

PLACES = (
    "clients",
    *(
        path.relative_to(ROOT).as_posix()
        for package in ("harness", "harness_lab")
        for path in sorted((ROOT / package).iterdir())
        if path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py")))
    ),
)
"""The packages and modules of both wheels' top level, and the clients."""

OLD_WORDS = {
    "allowance": "permitted",
    "assignment": "case run",
    "audience": "event sink",
    "desk": "endpoint",
    "executed": "call results",
    "given": "what it is that is given",
    "meaning": "match key",
    "placement": "isolation",
    "reading": "view, or what was read",
    "said": "the text, or what it is",
    "saying": "the text, or what it is",
    "specimen": "base request",
    "stray": "blocked request",
    "tape": "cassette writer",
    "tell": "emit",
    "telling": "event mapping",
    "told": "emitted",
    "trial": "mutant run",
    "variant": "equivalent mutant",
    "wording": "error template",
}
"""Words that no identifier has, also in the plural, and what is meant by them."""

OLD_WORDS_OF = {"harness_lab/selftest": {"account": "summary", "fault": "failure"}}
"""Words that some of the packages have for something else: a fault that is injected into a stream is no failure."""


@cache
def parsed(folder: str) -> Mapping[Path, ast.Module]:
    """The modules of a folder, or the one of that name, without Node packages and clients that users copy."""
    place = ROOT / folder
    found = [place] if place.is_file() else place.rglob("*.py")
    modules = [path for path in found if not {"node_modules", ".venv"} & set(path.parts)]
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in modules}


def defined(tree: ast.Module) -> Iterator[str]:
    """The classes of a module and the names that it assigns at its top."""
    yield from (node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def test_no_retired_name_is_back() -> None:
    modules = parsed("harness") | parsed("harness_lab")
    assert len(modules) > 700
    back = [
        f"{path.relative_to(ROOT)}: {name} is {RETIRED[name]}"
        for path, tree in modules.items()
        for name in defined(tree)
        if name in RETIRED
    ]
    assert back == []


def test_a_retired_name_would_be_found() -> None:
    tree = ast.parse("class Desk: ...\nGiven = int | str\nTape: type = Desk\ndef f():\n    Stop = 1\n")
    assert [name for name in defined(tree) if name in RETIRED] == ["Desk", "Given", "Tape"]


# --- old words ----------------------------------------------------------------------------------------------


def introduced(tree: ast.Module) -> Iterator[str]:
    """Every name that a module gives to something: not those that it uses, whose owner may be another package."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case _:
                continue


def words(name: str) -> frozenset[str]:
    """The words of a name in snake case or camel case, in lower case and in the singular."""
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return frozenset(word.lower() for word in found) | {word.lower().removesuffix("s") for word in found}


def old_words(names: Iterable[str], old: Mapping[str, str]) -> list[str]:
    """A line for each name with an old word in it."""
    return [f"{name}: say {old[word]}" for name in names for word in sorted(words(name) & old.keys())]


@pytest.mark.parametrize("package", PLACES)
def test_no_identifier_has_an_old_word(package: str) -> None:
    old = OLD_WORDS | OLD_WORDS_OF.get(package, {})
    modules = parsed(package)
    assert modules
    found = [
        f"{path.relative_to(ROOT)}: {line}"
        for path, tree in modules.items()
        for line in old_words([path.stem, *introduced(tree)], old)
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "class CaseDesk: ...",
        "def stray_hosts(): ...",
        "async def _told(): ...",
        "def f(assignment): ...",
        "def f(*, _given=1): ...",
        "TAPES = ()",
        "self.last_said = 1",
        "for reading in (): ...",
        "with x as specimens: ...",
        "import a as variant",
        "match x:\n    case [*trials]: ...",
        "if (telling := 1): ...",
    ],
)
def test_an_old_word_would_be_found(source: str) -> None:
    assert len(old_words(introduced(ast.parse(source)), OLD_WORDS)) == 1


@pytest.mark.parametrize("source", ["x.told", "import assignment", "f(given=1)", "retold = misreading = 1"])
def test_what_others_have_named_and_other_words_are_no_old_words(source: str) -> None:
    assert old_words(introduced(ast.parse(source)), OLD_WORDS) == []


# --- class names --------------------------------------------------------------------------------------------


def classes_used_twice(modules: Mapping[Path, ast.Module]) -> dict[str, list[Path]]:
    """The classes whose name more than one module has, with these modules."""
    found: dict[str, list[Path]] = {}
    for path, tree in modules.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def product() -> Mapping[Path, ast.Module]:
    """The modules of the product but for clients, each of which is a program by itself."""
    return {path: tree for path, tree in parsed("harness").items() if "clients" not in path.parts}


def test_a_class_name_is_used_once_in_the_product() -> None:
    twice = classes_used_twice(product())
    assert {name: [str(path.relative_to(ROOT)) for path in paths] for name, paths in twice.items()} == {}


def test_a_class_name_that_is_used_twice_would_be_found() -> None:
    modules = {Path("a.py"): ast.parse("class Here: ..."), Path("b.py"): ast.parse("if x:\n    class Here: ...")}
    assert classes_used_twice(modules) == {"Here": [Path("a.py"), Path("b.py")]}


# --- docstrings ---------------------------------------------------------------------------------------------


def without_docstring(tree: ast.Module | ast.ClassDef) -> Iterator[str]:
    """The public functions and classes at the top of a module, and the public methods of these, that have none.

    A method that says ``@override`` has the docstring of the one that it overrides.
    """
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            overrides = any(isinstance(each, ast.Name) and each.id == "override" for each in node.decorator_list)
            if ast.get_docstring(node) is None and not overrides:
                yield node.name
            if isinstance(node, ast.ClassDef):
                yield from (f"{node.name}.{name}" for name in without_docstring(node))


def test_what_is_public_has_a_docstring() -> None:
    modules = product() | parsed("harness_lab")
    found = [f"{path.relative_to(ROOT)}: {name}" for path, tree in modules.items() for name in without_docstring(tree)]
    assert found == []


def test_a_missing_docstring_would_be_found() -> None:
    source = """
def f(): ...
async def g(): "It is there."
class Here:
    "Here."
    def method(self): ...
    def _own(self): ...
    @override
    def of_the_base(self): ...
    class Inner: ...
class _Private:
    def method(self): ...
"""
    assert list(without_docstring(ast.parse(source))) == ["f", "Here.method", "Here.Inner"]
