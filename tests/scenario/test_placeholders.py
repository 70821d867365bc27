"""What stands for a value that is known at run time, how it is found, and what becomes of it."""

from __future__ import annotations

import time

import pytest

from harness.scenario.placeholders import (
    MISSING,
    ResultMember,
    filled_text,
    filled_value,
    is_whole,
    member_at,
    placeholders,
)
from harness.trace import JsonValue

VALUES: dict[ResultMember, JsonValue] = {
    ResultMember(1, ("url",)): "a.png",
    ResultMember(2, ("images", "0", "width")): 640,
    ResultMember(2, ("images",)): [{"width": 640}],
    ResultMember(12, ("A red fox",)): None,
}


def value(member: ResultMember) -> JsonValue | object:
    return VALUES.get(member, MISSING)


@pytest.mark.parametrize("member", VALUES)
def test_a_placeholder_is_read_as_it_is_written(member: ResultMember) -> None:
    text = f"before {member} behind"
    (found,) = placeholders(text)
    assert found.member == member
    assert text[found.start : found.end] == str(member)


@pytest.mark.parametrize(
    "text", ["{{ user }}", "{{result}}", "{{result.url}}", "{{ result.1.url }}", "{result.1.url}", "{{results.1.url}}"]
)
def test_other_double_braces_are_text(text: str) -> None:
    assert list(placeholders(text)) == []
    assert filled_text(text, lambda _: "x") == text


@pytest.mark.parametrize(
    "text",
    ["{{result.1}}", "{{result.0.url}}", "{{result.1.}}", "{{result.1..url}}", "{{result.1x.url}}", "{{result.1.url}",
     "{{result.1.a\nb}}", "{{result.1234567.url}}", "{{result.1.{{result.2.url}}", f"{{{{result.1.{'a' * 300}}}}}"],
)  # fmt: skip
def test_what_begins_like_one_and_is_not_in_order_has_no_member(text: str) -> None:
    assert next(placeholders(text)).member is None


def test_a_text_gets_texts_as_they_are_and_other_values_as_json() -> None:
    text = "{{result.1.url}} is {{result.2.images.0.width}} wide: {{result.2.images}}, {{result.12.A red fox}}"
    assert filled_text(text, value) == 'a.png is 640 wide: [{"width": 640}], null'  # type: ignore[arg-type]


def test_what_has_no_value_stays() -> None:
    assert filled_text("<{{result.7.url}}>{{result.1.url}}", value) == "<{{result.7.url}}>a.png"  # type: ignore[arg-type]


def test_a_text_that_is_one_placeholder_becomes_its_value() -> None:
    written: JsonValue = {"{{result.1.url}}": ["{{result.2.images.0.width}}", " {{result.2.images.0.width}}", 7, None]}
    assert filled_value(written, value) == {"{{result.1.url}}": [640, " 640", 7, None]}  # type: ignore[arg-type]
    assert filled_value("{{result.9.url}}", value) == "{{result.9.url}}"  # type: ignore[arg-type]
    assert is_whole("{{result.1.url}}")
    assert not is_whole("{{result.1.url}}{{result.1.url}}")


@pytest.mark.parametrize(
    ("path", "found"),
    [(("a",), [{"b": None}]), (("a", "0", "b"), None), (("a", "1"), MISSING), (("a", "x"), MISSING), (("b",), MISSING),
     (("a", "0", "b", "c"), MISSING), (("1",), "one")],
)  # fmt: skip
def test_a_member_of_a_value(path: tuple[str, ...], found: object) -> None:
    assert member_at({"a": [{"b": None}], "1": "one"}, path) == found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("piece", ["{{result.1", "{{result.1.a}}", "{{result.", "{{result.1.a"])
def test_a_long_text_takes_a_time_in_proportion(piece: str) -> None:
    def seconds(times: int) -> float:
        started = time.process_time()
        filled_text(piece * times, lambda _: "x")
        return time.process_time() - started

    seconds(2_000)
    short, long = min(seconds(10_000) for _ in range(3)), min(seconds(80_000) for _ in range(3))
    assert long < 30 * short + 0.05
