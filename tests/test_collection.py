"""What it costs to collect the tests, which each process does that runs some of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from tests.conftest import COLLECTED, UNNAMED, UNREPRESENTED, leave_out_exhaustive
from tests.exhaustive import has_none, mark_exhaustive, unnamed
from tests.quick import MOST_PARAMETERS, PLACES, TESTS, are_all, are_slow, unrepresented
from tests.sdks import Deferred

ROOT = Path(__file__).resolve().parent.parent

PLANTED = """\
from tests.sdks import openai

def test_one():
    assert openai.OpenAI
"""
PROBE = """\
import sys
import pytest
from tests.quick import mark_quick
from tests.sdks import large

class After:
    def pytest_collection_finish(self, session):
        mark_quick(session.items)
        print("imported:", *large(sys.modules))
        print("quick:", *(item.name for item in session.items if item.get_closest_marker("quick")))

sys.exit(pytest.main(["-q", "--collect-only", "-n", "0", "-p", "no:cacheprovider", sys.argv[1]], plugins=[After()]))
"""


def collected(folder: Path, module: str, what: str) -> list[str]:
    """What is printed behind a word when a test module is collected in a process of its own."""
    (folder / "test_planted.py").write_text(module, encoding="utf-8")
    command = [sys.executable, "-c", PROBE, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith(what)]
    return line.removeprefix(what).split()


def test_no_large_package_is_imported_while_the_tests_are_collected(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.stash[COLLECTED] == [], "import it in a function, or from tests.sdks"


@pytest.mark.slow
@pytest.mark.parametrize(("top", "imported"), [("", []), ("ERROR = openai.BadRequestError\n", ["openai"])])
def test_an_import_at_the_top_of_a_test_module_is_noticed(top: str, imported: list[str], tmp_path: Path) -> None:
    assert collected(tmp_path, PLANTED + top, "imported:") == imported


def test_a_package_is_not_imported_for_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "this", raising=False)
    deferred: Any = Deferred("this")
    assert isinstance(deferred, ModuleType)
    assert not hasattr(deferred, "__wrapped__")
    assert "this" not in sys.modules
    assert deferred.c == 97
    assert "this" in sys.modules


def test_what_a_package_does_not_have_is_no_attribute() -> None:
    deferred: Any = Deferred("xml")
    assert deferred.sax.__name__ == "xml.sax"
    assert deferred.etree.ElementInclude.__name__ == "xml.etree.ElementInclude"
    with pytest.raises(AttributeError, match="module 'xml' has no attribute 'nothing'"):
        _ = deferred.nothing


def test_a_test_may_replace_what_a_package_has(monkeypatch: pytest.MonkeyPatch) -> None:
    import colorsys

    monkeypatch.setattr(Deferred("colorsys"), "ONE_THIRD", 3)
    assert colorsys.ONE_THIRD == 3
    monkeypatch.undo()
    assert colorsys.ONE_THIRD < 1


# --- the quick tests ------------------------------------------------------------------------------------------------

MANY = """\
import pytest
from hypothesis import given, strategies

@pytest.fixture
def browser():
    return None

def test_any():
    assert True

@pytest.mark.slow
def test_marked():
    assert True

def test_page(browser):
    assert browser is None

@given(strategies.integers())
def test_every(number):
    assert number is not None

@pytest.mark.parametrize("number", range(10))
def test_each(number):
    assert number < 10
"""


def test_a_test_is_quick_unless_there_is_a_reason(tmp_path: Path) -> None:
    assert collected(tmp_path, MANY, "quick:") == ["test_any", *(f"test_each[{n}]" for n in range(MOST_PARAMETERS))]


def test_a_place_is_a_module_or_a_package_with_all_that_is_in_it() -> None:
    assert are_slow(TESTS / "rules" / "test_promises.py") == ("proves every rule",)
    assert are_slow(TESTS / "selftest" / "test_whole.py") == ("proves the proof",)
    assert are_slow(TESTS / "fuzz" / "requests" / "test_ours.py") == ("has many examples",)
    assert are_slow(TESTS / "rules" / "test_catalogue.py") == ()


@pytest.mark.parametrize("place", [place for places in PLACES.values() for place in places])
def test_every_place_is_there(place: str) -> None:
    assert (TESTS / place).exists(), "correct it in tests/quick.py"


class Item:
    """A collected test, as far as it matters here."""

    def __init__(self, place: str, *, quick: bool) -> None:
        self.path = TESTS / place
        self._marker = pytest.mark.quick if quick else None

    def get_closest_marker(self, name: str) -> pytest.MarkDecorator | None:
        return self._marker if name == "quick" else None


def test_a_package_without_a_quick_test_would_be_found() -> None:
    items: list[Any] = [
        Item("wire/test_a.py", quick=False),
        Item("wire/deep/test_b.py", quick=True),
        Item("cli/test_a.py", quick=False),
        Item("selftest/test_a.py", quick=False),
        Item("test_alone.py", quick=False),
    ]
    assert unrepresented(items) == ["cli"]


def test_whether_all_tests_are_asked_for() -> None:
    root = TESTS.parent
    assert [are_all(root, places) for places in (["tests"], ["."], [str(TESTS), "x"])] == [True, True, True]
    assert [are_all(root, places) for places in (["tests/wire"], ["tests/test_collection.py", "x"], [])] == [False] * 3
    assert are_all(TESTS, ["."])


def test_every_package_has_a_quick_test(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.stash[UNREPRESENTED] == [], "see tests/quick.py"


# --- the exhaustive tests -------------------------------------------------------------------------------------------


def left_in(*, markexpr: str = "", keyword: str = "", place: str = "tests") -> list[str]:
    """Which of two tests are run, of which one is exhaustive, by what pytest is asked for."""

    def collected_as(name: str, *marks: str) -> Any:
        return SimpleNamespace(name=name, get_closest_marker=lambda mark: mark if mark in marks else None)

    items = [collected_as("one"), collected_as("each", "exhaustive")]
    asked = SimpleNamespace(
        option=SimpleNamespace(markexpr=markexpr, keyword=keyword),
        invocation_params=SimpleNamespace(dir=ROOT),
        args=[place],
        hook=SimpleNamespace(pytest_deselected=lambda items: left_out.extend(each.name for each in items)),
    )
    left_out: list[str] = []
    leave_out_exhaustive(cast("pytest.Config", asked), items)
    kept = [each.name for each in items]
    assert sorted(kept + left_out) == ["each", "one"]
    return kept


def test_exhaustive_tests_are_left_out_where_all_are_asked_for() -> None:
    assert left_in() == ["one"]


@pytest.mark.parametrize("asked", [{"markexpr": "exhaustive"}, {"keyword": "each"}, {"place": "tests/selftest"}])
def test_and_are_run_where_some_are_named(asked: dict[str, str]) -> None:
    assert left_in(**asked) == ["one", "each"]


def test_each_nth_case_of_a_sampled_function_belongs_to_all_tests() -> None:
    marked: list[str] = []

    def collected_as(name: str, n: int | None) -> Any:
        mark = None if n is None else SimpleNamespace(args=(n,))
        return SimpleNamespace(
            nodeid=name,
            get_closest_marker=lambda kind: mark if kind == "sampled" else None,
            add_marker=lambda mark: marked.append(f"{name} {mark.name}"),
        )

    many = [collected_as(f"a.py::each[{number}]", 3) for number in range(7)]
    mark_exhaustive([collected_as("a.py::one", None), *many, collected_as("b.py::each[0]", 3)])
    assert marked == [f"a.py::each[{number}] exhaustive" for number in (1, 2, 4, 5)]


def test_each_module_of_an_exhaustive_test_names_its_marker(pytestconfig: pytest.Config) -> None:
    """Others are not imported where the exhaustive tests are asked for."""
    assert pytestconfig.stash[UNNAMED] == []


@pytest.mark.parametrize(
    ("name", "text", "without"),
    [
        ("test_a.py", "pytestmark = [pytest.mark.anyio, pytest.mark.exhaustive]\n", False),
        ("test_a.py", "@pytest.mark.sampled(3)\ndef test_one(): ...\n", False),
        ("test_a.py", "from tests.marks import each\n", True),
        ("conftest.py", "", False),
        ("test_data.txt", "", False),
    ],
)
def test_a_module_that_names_no_marker_is_not_imported_for_the_exhaustive_tests(
    name: str, text: str, without: bool, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert not has_none(tmp_path)
    assert has_none(path) == without
    marked = SimpleNamespace(path=path, get_closest_marker=lambda mark: mark if mark == "exhaustive" else None)
    plain = SimpleNamespace(path=path, get_closest_marker=lambda mark: None)
    assert unnamed(cast("list[pytest.Item]", [marked, plain])) == [str(path)] * without
    assert unnamed(cast("list[pytest.Item]", [plain])) == []
