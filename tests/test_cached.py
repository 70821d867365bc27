"""``harness.ground.cached``: a value is computed once for each instance."""

from __future__ import annotations

from harness.ground.cached import cached_property, kept


class Request:
    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.computed = 0

    @cached_property
    def joined(self) -> str:
        """All texts."""
        self.computed += 1
        return " ".join(self.texts)


def test_a_value_is_computed_once_for_each_instance() -> None:
    first, second = Request(["a", "b"]), Request(["c"])
    assert [first.joined, first.joined, second.joined] == ["a b", "a b", "c"]
    assert (first.computed, second.computed) == (1, 1)


def test_a_kept_value_is_computed_again_after_it_was_deleted() -> None:
    request = Request(["a"])
    assert request.joined == "a"
    request.texts = ["b"]
    del request.joined
    assert (request.joined, request.computed) == ("b", 2)


def test_the_class_has_the_property_with_its_text() -> None:
    assert Request.joined.__doc__ == "All texts."


def test_what_a_function_says_of_an_object_is_kept_with_it() -> None:
    asked: list[str] = []

    @kept
    def last(request: Request) -> str:
        asked.append(request.texts[-1])
        return request.texts[-1]

    first, second = Request(["a", "b"]), Request(["c"])
    assert [last(first), last(second), last(first)] == ["b", "c", "b"]
    assert asked == ["b", "c"]
