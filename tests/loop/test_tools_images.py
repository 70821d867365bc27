"""The image tools with services of all tempers: what the model is told, what the user is told, in which order."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from harness.loop import ToolCall, ToolOutcome, ToolRuntime
from harness.loop.tools import ImageFailed

Make = Callable[[str], Awaitable[Any]]

TOOLS = [("generate_images", "prompts", "prompts"), ("remove_background", "image_urls", "image URLs")]
"""A tool, its one argument, and what its errors call the things in it."""

both = pytest.mark.parametrize(("tool", "key", "noun"), TOOLS)


class Service:
    """An image service that does one and the same for both tools; it keeps what it was asked for."""

    def __init__(self, make: Make) -> None:
        self.asked: list[str] = []
        self._make = make

    async def generate(self, prompt: str) -> Any:
        self.asked.append(prompt)
        return await self._make(prompt)

    remove_background = generate


async def named(text: str) -> str:
    """Make the image, unless it is one of these."""
    if text == "bad":
        raise ImageFailed("not today")
    if text == "broken":
        raise KeyError("url")
    return f"made/{text}"


def run(service: Service, tool: str, arguments: Any) -> ToolOutcome:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return anyio.run(ToolRuntime(images=service).run, ToolCall("c", tool, text))


def summary(tool: str, arguments: Any) -> Any:
    return ToolRuntime().call_summary(ToolCall("c", tool, json.dumps(arguments)))


# --- what comes of the images ------------------------------------------------------------------------------


def test_generated_images_are_told_by_prompt() -> None:
    outcome = run(Service(named), "generate_images", {"prompts": ["a fox", "a cat"]})
    assert outcome == ToolOutcome(
        result={"images": {"a fox": "made/a fox", "a cat": "made/a cat"}},
        summary={
            "images": [
                {"prompt": "a fox", "url": "made/a fox", "status": "ok"},
                {"prompt": "a cat", "url": "made/a cat", "status": "ok"},
            ]
        },
    )


def test_cut_out_images_are_told_one_by_one() -> None:
    outcome = run(Service(named), "remove_background", {"image_urls": ["a.png", "b.png"]})
    told = [
        {"image_url": "a.png", "result_url": "made/a.png", "status": "ok"},
        {"image_url": "b.png", "result_url": "made/b.png", "status": "ok"},
    ]
    assert outcome == ToolOutcome(result={"images": told}, summary={"images": told})


def test_a_failed_image_is_told_beside_the_others() -> None:
    outcome = run(Service(named), "generate_images", {"prompts": ["a", "bad", "broken", "b"]})
    assert outcome.ok
    assert outcome.result == {
        "images": {"a": "made/a", "bad": None, "broken": None, "b": "made/b"},
        "errors": {"bad": "not today", "broken": "KeyError: 'url'"},
    }
    assert list(outcome.result["images"]) == ["a", "bad", "broken", "b"]  # type: ignore[arg-type, call-overload, index]
    assert outcome.summary == {
        "images": [
            {"prompt": "a", "url": "made/a", "status": "ok"},
            {"prompt": "bad", "url": None, "status": "error", "error": "not today"},
            {"prompt": "broken", "url": None, "status": "error", "error": "KeyError: 'url'"},
            {"prompt": "b", "url": "made/b", "status": "ok"},
        ]
    }


def test_a_failed_cut_out_is_told_beside_the_others() -> None:
    outcome = run(Service(named), "remove_background", {"image_urls": ["bad", "a"]})
    assert outcome.ok
    assert outcome.result == outcome.summary
    assert outcome.result == {
        "images": [
            {"image_url": "bad", "result_url": None, "status": "error", "error": "not today"},
            {"image_url": "a", "result_url": "made/a", "status": "ok"},
        ]
    }


def test_a_call_none_of_whose_images_could_be_made_has_failed() -> None:
    """The engine that this follows says ok."""
    generated = run(Service(named), "generate_images", {"prompts": ["bad"]})
    assert generated == ToolOutcome(
        result={"error": "No image could be generated", "images": {"bad": None}, "errors": {"bad": "not today"}},
        summary={
            "error": "No image could be generated",
            "images": [{"prompt": "bad", "url": None, "status": "error", "error": "not today"}],
        },
        ok=False,
    )
    cut_out = run(Service(named), "remove_background", {"image_urls": ["bad"]})
    told = [{"image_url": "bad", "result_url": None, "status": "error", "error": "not today"}]
    assert cut_out == ToolOutcome(
        result={"error": "No background could be removed", "images": told},
        summary={"error": "No background could be removed", "images": told},
        ok=False,
    )


@both
@pytest.mark.parametrize("nothing", [None, "", 5, ["x.png"]])
def test_a_service_that_gives_no_reference_has_failed(tool: str, key: str, noun: str, nothing: Any) -> None:
    """An empty text is no image; what is no text is an error of the service's own."""

    async def make(_text: str) -> Any:
        return nothing

    outcome = run(Service(make), tool, {key: ["a"]})
    assert not outcome.ok
    words = "The image service gave no image." if nothing == "" else "AttributeError"
    assert words in json.dumps(outcome.result)
    assert words in json.dumps(outcome.summary)


@both
def test_half_a_character_from_a_service_leaves_no_tool(tool: str, key: str, noun: str) -> None:
    async def make(text: str) -> str:
        if text == "bad":
            raise ImageFailed("\ud83d")
        return "\ud83d.png"

    outcome = run(Service(make), tool, {key: ["a", "bad"]})
    for told in (outcome.result, outcome.summary):
        assert "\ud83d" not in json.dumps(told, ensure_ascii=False)
        assert "\ufffd.png" in json.dumps(told, ensure_ascii=False)


# --- order and number --------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("failing", [set(), {1}, {0, 2}])
def test_images_come_in_the_order_asked_for_whichever_is_ready_first(
    tool: str, key: str, noun: str, failing: set[int]
) -> None:
    asked = [str(number) for number in range(4)]
    finished: list[str] = []

    async def ask() -> ToolOutcome:
        ready = {text: anyio.Event() for text in asked}
        ready["3"].set()

        async def backwards(text: str) -> str:
            await ready[text].wait()
            finished.append(text)
            if text != "0":
                ready[str(int(text) - 1)].set()
            if int(text) in failing:
                raise ImageFailed("no")
            return f"made/{text}"

        with anyio.fail_after(5):
            arguments = json.dumps({key: asked})
            return await ToolRuntime(images=Service(backwards)).run(ToolCall("c", tool, arguments))

    outcome = anyio.run(ask)
    assert finished == ["3", "2", "1", "0"]
    shown: Any = outcome.summary
    assert [each.get("prompt", each.get("image_url")) for each in shown["images"]] == asked
    assert [each["status"] for each in shown["images"]] == ["error" if n in failing else "ok" for n in range(4)]


@both
def test_at_most_twenty_are_made_at_once(tool: str, key: str, noun: str) -> None:
    running, most = 0, 0

    async def make(text: str) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await anyio.lowlevel.checkpoint()
        running -= 1
        return f"made/{text}"

    service = Service(make)
    asked = [str(number) for number in range(45)]
    assert run(service, tool, {key: asked}).ok
    assert most == 20
    assert service.asked == asked


@both
def test_a_run_that_is_cancelled_ends_while_images_are_being_made(tool: str, key: str, noun: str) -> None:
    stopped: list[str] = []

    async def never(text: str) -> str:
        try:
            await anyio.sleep_forever()
        finally:
            stopped.append(text)
        return ""

    async def ask() -> bool:
        with anyio.move_on_after(0.01) as scope:
            await ToolRuntime(images=Service(never)).run(ToolCall("c", tool, json.dumps({key: ["a", "b"]})))
        return scope.cancelled_caught

    assert anyio.run(ask)
    assert sorted(stopped) == ["a", "b"]


@both
def test_each_is_made_once_and_blanks_are_not_made(tool: str, key: str, noun: str) -> None:
    service = Service(named)
    assert run(service, tool, {key: [" a ", "b", "a", "", "  \n", "a\n"]}).ok
    assert service.asked == ["a", "b"]


# --- arguments ---------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("value", ["absent", None, [], "a fox", {"a": 1}, 5, True])
def test_no_list_is_refused(tool: str, key: str, noun: str, value: Any) -> None:
    service = Service(named)
    outcome = run(service, tool, {} if value == "absent" else {key: value})
    assert outcome.result == {"error": f"{tool} requires a non-empty {key} list"}
    assert outcome.summary == {"error": f"Missing {key}"}
    assert (outcome.ok, service.asked) == (False, [])


@both
@pytest.mark.parametrize("value", [[5], ["a", None], ["a", ["b"]], [{"prompt": "a"}]])
def test_what_is_no_text_is_refused_and_not_passed_over(tool: str, key: str, noun: str, value: Any) -> None:
    service = Service(named)
    outcome = run(service, tool, {key: value})
    assert outcome.result == {"error": f"each of {key} must be a string"}
    assert outcome.summary == {"error": f"Invalid {key}"}
    assert (outcome.ok, service.asked) == (False, [])


@both
def test_blanks_alone_are_refused(tool: str, key: str, noun: str) -> None:
    outcome = run(Service(named), tool, {key: ["", "  "]})
    assert outcome.result == {"error": f"No valid {noun} provided"}
    assert outcome.summary == {"error": f"No valid {key}"}
    assert not outcome.ok


@both
def test_too_many_are_refused_before_any_is_made(tool: str, key: str, noun: str) -> None:
    service = Service(named)
    outcome = run(service, tool, {key: [str(number) for number in range(101)]})
    assert outcome.result == {"error": f"at most 100 {key} in one call"}
    assert outcome.summary == {"error": f"Too many {key}"}
    assert (outcome.ok, service.asked) == (False, [])
    assert run(service, tool, {key: ["a"] * 500 + [str(number) for number in range(99)]}).ok


@both
@pytest.mark.parametrize("text", ["[]", "null", "5", '{"prompts": ["a"', ""])
def test_arguments_that_are_no_object_ask_for_nothing(tool: str, key: str, noun: str, text: str) -> None:
    service = Service(named)
    outcome = run(service, tool, text)
    assert (outcome.ok, service.asked) == (False, [])


# --- what the user is told of the arguments ----------------------------------------------------------------


def test_the_summary_counts_and_lists() -> None:
    assert summary("generate_images", {"prompts": ["a fox", "a cat"]}) == {"count": 2, "prompts": ["a fox", "a cat"]}
    assert summary("remove_background", {"image_urls": ["a"]}) == {"count": 1, "image_urls": ["a"]}


@both
@pytest.mark.parametrize("value", [None, "x", {}, 5, [], [5, None, []]])
def test_the_summary_takes_arguments_of_any_shape(tool: str, key: str, noun: str, value: Any) -> None:
    assert summary(tool, {key: value}) == {"count": 0, key: []}
    assert summary(tool, {}) == {"count": 0, key: []}


def test_a_url_that_is_the_image_itself_is_cut_wherever_it_is_told() -> None:
    image = "DATA:image/png;base64," + "A" * 500
    elsewhere = "https://example.com/" + "a" * 500
    cut, shown = f"{image[:100]}...", f"{elsewhere[:100]}..."
    arguments = {"image_urls": [image, elsewhere]}
    assert summary("remove_background", arguments) == {"count": 2, "image_urls": [cut, shown]}
    service = Service(named)
    outcome: Any = run(service, "remove_background", arguments)
    assert service.asked == [image, elsewhere]
    assert [each["image_url"] for each in outcome.summary["images"]] == [cut, shown]
    assert [each["image_url"] for each in outcome.result["images"]] == [cut, elsewhere]
