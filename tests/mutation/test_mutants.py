"""Which mutants are made of a piece of source, and that their keys survive what is changed elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness_lab.mutation.mutants import SourceMutant, in_order_of_lot, mutants_of, sample
from harness_lab.mutation.subjects import SUBJECTS

ROOT = Path(__file__).resolve().parents[2]


def made(tmp_path: Path, source: str) -> list[SourceMutant]:
    (tmp_path / "planted.py").write_text(source)
    return [each for each in mutants_of(tmp_path, ["planted.py"]) if each.is_one]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a == b", {"compare: x = (a != b)"}),
        ("x = a < b", {"compare: x = (a <= b)", "compare: x = (a >= b)"}),
        ("x = not a", {"drop-not: x = (a)"}),
        ("x = a and b", {"connective: x = (a or b)", "drop-operand: x = (b)", "drop-operand: x = (a)"}),
        ("x = f(a, k=b)", {"drop-keyword: x = f(a)"}),
        ("x = f(a, repr=False)", set()),
        ("x = zip(a, b, strict=True)", set()),
        ("x = f(a, warnings=False)", set()),
        ("x = frozenset({a})", set()),
        ("x = frozenset(a)", {"drop-call: x = (a)"}),
        ("x = min(a, b)", {"opposite: x = max(a, b)"}),
        ("x = cast('Word', a.strip())", {"drop-call: x = cast('Word', a)"}),
        ("x = f(a, b)", {"exchange: x = f(b, a)"}),
        ("x = f('One text.', 'Another text.')", set()),
        ("x = any(a)", {"opposite: x = all(a)"}),
        ("x = a.strip()", {"drop-call: x = a"}),
        ("x = [a for a in b if a]", {"drop-filter: x = [a for a in b]", "negate: x = [a for a in b if not a]"}),
        ("x = a[b:c]", {"drop-bound: x = a[:c]", "drop-bound: x = a[b:]"}),
        ("x = True", {"constant: x = False"}),
        ("x = 1", {"off-by-one: x = 2", "off-by-one: x = 0"}),
        ("x = 'word'", {'constant: x = ""'}),
        ("x = 'words for people'", set()),
        ("x = f'{a} and {b}'", set()),
        ("x = 'words for people, ' + a", set()),
        ("x = 'word' + a", {"arithmetic: x = ('word' - a)", 'constant: x = "" + a', "drop-operand: x = ('word')",
                            "drop-operand: x = (a)"}),
        ("if a < b: raise BadInput(c)", set()),
        ("raise BadInput(c)", set()),
        ("def f(a) -> None:\n  b = [c for c in a if c]\n  if b: raise BadInput(b)", set()),
        ("def f(a) -> None:\n  a.b = 1\n  raise BadInput(c)",
         {"delete: pass", "off-by-one: a.b = 2", "off-by-one: a.b = 0"}),
        ("raise Problem(c)", {"delete: pass"}),
        ("x: int | None = a", set()),
        ("X = Callable[[int], str]", set()),
        ("'docstring'", set()),
        ("A: Final = WireRule('A-01', wrong=(Wrong(lambda it: it == 1),))", set()),
        ("def edit(posted: Posted) -> bool: return a == b", set()),
        ("assert a == b", set()),
        ("x.y = a", {"delete: pass"}),
        ("x += a", {"delete: pass", "assign: x = a"}),
        ("def f(a: int, b: int): return a", {"other-name: def f(a: int, b: int): return b",
                                             "return: def f(a: int, b: int): return None"}),
        ("if a: b()", {"negate: if (not (a)): b()", "delete: pass", "delete: if a: pass"}),
        ("for a in b:\n  continue", {"delete: pass", "delete: pass ", "jump: break"}),
    ],
)  # fmt: skip
def test_the_mutants_of_a_line(tmp_path: Path, source: str, expected: set[str]) -> None:
    found = {f"{each.key.operator}: {[*each.diff][-1][1:].strip()}" for each in made(tmp_path, source)}
    assert found == {each.strip() for each in expected}


def test_a_key_survives_what_is_changed_elsewhere(tmp_path: Path) -> None:
    function = "def f(a):\n    return a == 1\n"
    before = {each.key.id: each.lineno for each in made(tmp_path, function)}
    after = {each.key.id: each.lineno for each in made(tmp_path, "# a comment\n\n\n" + function)}
    assert after == {key: line + 3 for key, line in before.items()}


def test_lines_that_are_alike_are_counted(tmp_path: Path) -> None:
    found = [each.key.nth for each in made(tmp_path, "def f():\n    g()\n    g()\n")]
    assert found == [1, 2]


def test_a_sample_changes_little_when_the_source_does(tmp_path: Path) -> None:
    source = "".join(f"x{number} = a{number} == b{number}\n" for number in range(50))
    one = {each.key for each in sample(made(tmp_path, source), 20, 1)}
    more = {each.key for each in sample(made(tmp_path, source + "y = c == d\n"), 20, 1)}
    other_seed = {each.key for each in sample(made(tmp_path, source), 20, 2)}
    assert (len(one), len(more)) == (20, 20)
    assert len(one & more) >= 19
    assert one != other_seed


def test_a_name_with_an_underscore_is_private_where_no_other_is_made_of_it(tmp_path: Path) -> None:
    source = "_ONE = a == b\n_TWO = (c == d, _ONE)\n_THREE = e == f\nALL = (*_TWO, *g(_TWO))\n_FOUR: int = h == i"
    private = {each.key.line.partition(" ")[0] for each in made(tmp_path, source) if each.is_private}
    assert private == {"_THREE", "_FOUR:"}


def test_the_first_of_a_sample_are_a_smaller_sample(tmp_path: Path) -> None:
    mutants = made(tmp_path, "".join(f"x{number} = a{number} == b{number}\n" for number in range(50)))
    by_lot = in_order_of_lot(sample(mutants, 20, 1), 1)
    assert {each.key for each in by_lot[:7]} == {each.key for each in sample(mutants, 7, 1)}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SUBJECTS)
def test_there_are_enough_mutants_of_each_subject(name: str) -> None:
    """Of the generated ones nearly all are Python."""
    mutants = [*mutants_of(ROOT, SUBJECTS[name].paths(ROOT))]
    assert len({each.key for each in mutants}) == len(mutants) > 3000
    assert sum(each.is_one for each in mutants[::200]) >= 0.8 * len(mutants[::200])
