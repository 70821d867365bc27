"""A JSON file of any size, element by element: what is found, where it stands, and how much is in memory."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from harness.errors import BadInput
from harness.spans import ChangedFile, again, read_spans
from harness.spans import elements as module
from harness.spans.elements import elements, one


def span(number: int, **beside: Any) -> dict[str, Any]:
    return {"traceId": f"{7:032x}", "spanId": f"{number:016x}", "name": f"s{number}", **beside}


def document(*spans: dict[str, Any], scope: str = "x") -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": scope}, "spans": [*spans]}]}]}


def names(text: str) -> list[str]:
    return [each.name for each in read_spans("f", io.BytesIO(text.encode()))]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(document(span(1), span(2))),
        json.dumps(document(span(1), span(2)), indent=1),
        json.dumps(document(span(1))) + "\n" + json.dumps(document(span(2))) + "\n",
        json.dumps([document(span(1)), document(span(2))]),
        "\ufeff" + json.dumps(document(span(1), span(2))),
        json.dumps({"data": [span(1), span(2)]}),
        json.dumps({"resource_spans": [{"scope_spans": [{"spans": [span(1), span(2)]}]}]}),
    ],
    ids=["object", "indented", "lines", "list", "byte order mark", "page of an API", "snake case"],
)
def test_every_form_of_a_file_has_its_spans(text: str) -> None:
    assert names(text) == ["s1", "s2"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_where_the_pieces_of_a_file_end_changes_nothing(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PIECE", size)
    text = json.dumps(document(span(1, name="é東京\n\\"), span(2, kind=-12.5e3)), ensure_ascii=False, indent=1)
    stream = io.BytesIO(text.encode())
    found = list(elements("f", stream))
    assert [each.value["spanId"][-1] for each in found] == ["1", "2"]
    assert [one(stream, each.place) for each in found] == [each.value for each in found]
    before = [text[: text.index(f'"{n:016x}"')] for n in (1, 2)]  # two lines behind the one where the span begins
    assert [each.place.line for each in found] == [each.count("\n") - 1 for each in before]


def test_a_span_is_read_again_from_its_place() -> None:
    stream = io.BytesIO((json.dumps(document(span(1))) + "\n" + json.dumps(document(span(2)))).encode())
    first, second = read_spans("f", stream)
    assert again(stream, second.place, second.scope) == second
    assert again(stream, first.place, first.scope) == first
    assert (first.place.line, second.place.line) == (1, 2)


def test_the_scope_may_stand_behind_its_spans() -> None:
    behind = {"resourceSpans": [{"scopeSpans": [{"spans": [span(1)], "scope": {"name": "late"}}]}]}
    [found] = elements("f", io.BytesIO(json.dumps(behind).encode()))
    assert found.scope == {"name": "late"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"resourceSpans": [\n{"scopeSpans": [\n{"spans": [{"spanId" 1}]}]}]}', 3),
        ('{"resourceSpans": [\n\n', 3),
        ('{"a": 1}\n{"b": }', 2),
        ("[1 2]", 1),
        ("{1: 2}", 1),
        ('{"a": 1', 1),
    ],
)
def test_what_is_no_json_is_named_by_its_line_and_not_quoted(text: str, line: int) -> None:
    with pytest.raises(BadInput, match=rf"^f:{line}: expected") as raised:
        names(text)
    assert "spanId" not in str(raised.value)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(BadInput, match="expected JSON in UTF-8, got the byte 0xff"):
        list(read_spans("f", io.BytesIO(b'{"a": "\xff"}')))


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_what_is_nested_too_deeply_is_refused(depth: int) -> None:
    with pytest.raises(BadInput, match="nested too deeply"):
        names('{"resourceSpans": [{"scopeSpans": [{"spans": [' + "[" * depth + "]" * depth + "]}]}]}")


def test_an_element_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 1000)
    monkeypatch.setattr(module, "_PIECE", 100)
    with pytest.raises(BadInput, match="a value is longer than"):
        names(json.dumps(document(span(1, name="x" * 5000))))


def test_only_one_element_is_in_memory() -> None:
    class Endless(io.RawIOBase):
        """A file of a million spans, which nobody ever has as a whole."""

        def __init__(self) -> None:
            self.written = 0

        def read(self, size: int = -1) -> bytes:
            if not self.written:
                self.written += 1
                return b'{"resourceSpans": [{"scopeSpans": [{"spans": [' + json.dumps(span(0)).encode()
            self.written += 1
            return (", " + json.dumps(span(self.written))).encode() * 100

    found = elements("f", Endless())  # type: ignore[arg-type]
    for _ in range(20_000):
        next(found)
    assert found.gi_frame is not None


@pytest.mark.parametrize("other", [b"x", b'{"a": 1}', b""])
def test_a_file_that_is_changed_while_it_is_read_is_noticed(other: bytes) -> None:
    [found] = read_spans("f", io.BytesIO(json.dumps(document(span(1))).encode()))
    with pytest.raises(ChangedFile):
        again(io.BytesIO(b" " * found.place.offset + other), found.place, found.scope)
