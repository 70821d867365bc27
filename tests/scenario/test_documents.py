"""YAML as scenarios use it: YAML 1.2 scalars, no duplicate keys, no tags, bounded aliases, includes that stay in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.errors import BadInput
from harness.scenario.documents import MAX_BYTES, Document, Key, read
from tests.case_tables import from_table


def document(folder: Path, text: str | bytes) -> Document:
    path = folder / "a.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path, folder)


def problems(folder: Path, text: str | bytes) -> list[str]:
    with pytest.raises(BadInput) as caught:
        document(folder, text)
    return [problem.removeprefix(f"{folder}/") for problem in caught.value.problems]


@from_table(__file__, "test_scalars_are_those_of_yaml_1_2")
def test_scalars_are_those_of_yaml_1_2(tmp_path: Path, scalar: str, value: Any) -> None:
    got = document(tmp_path, f"key: {scalar}\n").data["key"]
    assert got == value
    assert type(got) is type(value)


@from_table(
    __file__,
    "test_what_is_not_plain_yaml_is_refused_with_its_place",
    ("a: " + "9" * 5000, "a.yaml:1:4: expected a number, got 5000 digits"),
    (b"a: \xff\n", "a.yaml:1:1: expected UTF-8"),
    (b"a: 1\n#" + b"x" * MAX_BYTES, "expected at most 1,000,000 bytes"),
    ("[" * 100_000 + "]" * 100_000, "a.yaml:1:50: expected YAML, got '[[["),  # PyYAML alone: segmentation fault
    ("a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 60)), "nested at most 50 deep"),
)
def test_what_is_not_plain_yaml_is_refused_with_its_place(tmp_path: Path, text: str | bytes, expected: str) -> None:
    assert any(expected in problem for problem in problems(tmp_path, text))


def test_values_may_be_nested_and_stand_side_by_side(tmp_path: Path) -> None:
    assert document(tmp_path, "a: " + "[" * 48 + "]" * 48).data["a"]
    assert len(document(tmp_path, "[" + "[[x]], " * 200 + "]").data) == 200


def test_aliases_stand_for_values_and_cannot_explode(tmp_path: Path) -> None:
    assert document(tmp_path, "a: &x {b: 1}\nc: [*x, *x]\n").data["c"] == [{"b": 1}, {"b": 1}]
    bomb = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    assert problems(tmp_path, bomb) == [
        "a.yaml:1:10: expected at most 20,000 values, got more; use fewer aliases",
    ]


def test_all_problems_of_a_file_are_found(tmp_path: Path) -> None:
    found = problems(tmp_path, "a: 1\na: 2\nb: !x y\nc: !include nowhere.html\n")
    assert [problem.split(": ")[0] for problem in found] == ["a.yaml:2:1", "a.yaml:3:4", "a.yaml:4:4"]


# --- includes ---------------------------------------------------------------------------------------------


def test_an_include_is_the_text_of_a_file_beside_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_bytes("<p>é</p>\r\n".encode())
    assert document(tmp_path, "a: [!include pages/a.html]\n").data == {"a": ["<p>é</p>\n"]}


def test_an_include_stays_inside_the_tree(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.txt").write_text("s")
    (inside / "link").symlink_to(tmp_path / "secret.txt")
    for name in ("../secret.txt", str(tmp_path / "secret.txt"), "link"):
        (found,) = problems(inside, f"a: !include {name}\n")
        assert found.startswith(f"a.yaml:1:4: expected a file inside {inside}, got '{name[:40]}")


@from_table(__file__, "test_an_include_that_cannot_be_read_is_named_with_both_places")
def test_an_include_that_cannot_be_read_is_named_with_both_places(tmp_path: Path, name: str, expected: str) -> None:
    (tmp_path / "latin").write_bytes(b"\xff")
    (tmp_path / "large").write_bytes(b"x" * (MAX_BYTES + 1))
    (found,) = problems(tmp_path, f"a: !include {name}\n")
    assert found.startswith("a.yaml:1:4: ")
    assert expected in found


# --- places -----------------------------------------------------------------------------------------------

TEXT = (Path(__file__).parent / "data" / "documents_text.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ((), "1:1"),
        (("a", "b", 1, "c"), "1:16"),
        (("a", "b", 1, Key("c")), "1:13"),
        (("a", "a tag", "b", 0), "1:9"),
        (("a", "b", 7), "1:8"),
        (("a", "b", 1, "nothing"), "1:12"),
        (("a", Key("nothing")), "1:4"),
    ],
)
def test_every_value_has_a_place(tmp_path: Path, location: tuple[str | int | Key, ...], place: str) -> None:
    assert str(document(tmp_path, TEXT).place(location)).endswith(f"a.yaml:{place}")


@from_table(__file__, "test_a_place_inside_a_text")
def test_a_place_inside_a_text(tmp_path: Path, key: str, place: str) -> None:
    found = document(tmp_path, TEXT)
    offset = found.data[key].index("two")
    assert str(found.place_inside((key,), offset)).endswith(f"a.yaml:{place}")
