"""No text that users read has a word that was replaced by the standard term of the field."""

from __future__ import annotations

from functools import cache

import pytest

from tests.prose.retired import RETIRED, found, prose


@cache
def texts() -> list[tuple[str, str]]:
    """Each text that users read, with its place: reading all of them takes a second."""
    return list(prose())


def test_no_retired_word_is_left() -> None:
    left = [f"{place}: '{word}'; use: {each.instead}" for place, text in texts() for word, each in found(text)]
    assert left == []


@pytest.mark.parametrize("each", RETIRED, ids=lambda each: each.instead)
def test_every_retired_word_would_be_found(each: object) -> None:
    samples = (
        "it tells",
        "it shall",
        "it holds",
        "it stands",
        "in vain",
        "it jars",
        "by the thousand",
        "look after it",
        "one's own",
        "those of others",
        "a whole document",
        "hands on",
        "leaves the machine",
        "what is found",
        "who says so",
        "comes along",
        "came of it",
        "hard input",
        "the live look",
        "a server of models",
        "a key without meaning",
        "what is only inferred",
        "MUST unsafe",
    )
    assert any(entry is each for sample in samples for _, entry in found(sample))


def test_names_and_parts_of_words_are_no_words() -> None:
    assert [word for word, _ in found("understand the threshold of a household, uphold it")] == []


def test_documents_messages_and_pages_are_read() -> None:
    places = {place.partition(":")[0] for place, _ in texts()}
    assert {"README.md", "docs/own-loop.md", "harness/cli/common_options.py", "harness/rules/order.py"} <= places
    assert any(place.endswith((".js", ".html")) for place in places)
