"""``retrieve_option``: the code of an option by its number, or why there is none."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest

from harness.loop import FileState, ToolCall, ToolOutcome, ToolRuntime

OPTIONS = ("<p>first</p>", "x" * 201, " \n", "")


def retrieve(arguments: Any, options: tuple[str, ...] = OPTIONS, file: FileState | None = None) -> ToolOutcome:
    tools = ToolRuntime(options=options, file=file)
    return anyio.run(tools.run, ToolCall("c", "retrieve_option", json.dumps(arguments)))


def test_options_are_counted_from_one() -> None:
    assert retrieve({"option_number": 1}) == ToolOutcome(
        result={"option_number": 1, "code": "<p>first</p>"},
        summary={"option_number": 1, "contentLength": 12, "preview": "<p>first</p>"},
    )


def test_the_model_gets_the_whole_code_and_the_user_its_beginning() -> None:
    outcome = retrieve({"option_number": 2})
    assert outcome.result == {"option_number": 2, "code": "x" * 201}
    assert outcome.summary == {"option_number": 2, "contentLength": 201, "preview": "x" * 200 + "..."}


def test_reading_an_option_is_not_taking_it() -> None:
    file = FileState("index.html", "mine")
    assert retrieve({"option_number": 1}, file=file).code is None
    assert file == FileState("index.html", "mine")


@pytest.mark.parametrize("number", [0, -1, 5, 10**30, -(10**30)])
def test_a_number_out_of_range_is_told_with_how_many_there_are(number: int) -> None:
    assert retrieve({"option_number": number}) == ToolOutcome(
        result={"error": "Option index out of range", "option_number": number, "available": 4},
        summary={"error": "Option index out of range", "available": 4},
        ok=False,
        retry=True,
    )


def test_without_options_every_number_is_out_of_range() -> None:
    outcome = retrieve({"option_number": 1}, ())
    assert outcome.result == {"error": "Option index out of range", "option_number": 1, "available": 0}


@pytest.mark.parametrize("number", [3, 4])
def test_an_option_without_code_is_told(number: int) -> None:
    assert retrieve({"option_number": number}) == ToolOutcome(
        result={"error": "Option code is empty or unavailable", "option_number": number},
        summary={"error": "Option code unavailable"},
        ok=False,
    )


@pytest.mark.parametrize("arguments", [{}, {"option_number": None}, {"index": 0}])
def test_no_number_is_told(arguments: Any) -> None:
    """The engine that this follows also takes an ``index``, from 0, which the model is not told of here."""
    outcome = retrieve(arguments)
    assert outcome.result == {"error": "retrieve_option requires option_number"}
    assert (outcome.summary, outcome.ok) == ({"error": "Missing option_number"}, False)


@pytest.mark.parametrize("number", ["1", "one", 1.0, 1.5, True, [1], {}])
def test_a_number_is_not_guessed(number: Any) -> None:
    outcome = retrieve({"option_number": number})
    assert outcome.result == {"error": "option_number must be an integer"}
    assert (outcome.summary, outcome.ok) == ({"error": "Invalid option_number"}, False)


@pytest.mark.parametrize(
    ("arguments", "number"), [({"option_number": 2}, 2), ({}, None), ({"option_number": "x"}, "x")]
)
def test_the_summary_is_the_number_as_it_came(arguments: Any, number: Any) -> None:
    call = ToolCall("c", "retrieve_option", json.dumps(arguments))
    assert ToolRuntime().call_summary(call) == {"option_number": number, "index": None}
