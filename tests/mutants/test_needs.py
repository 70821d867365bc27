"""On which wires a mistake is possible is asked of the wires: what they have, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.wire import OWN_WIRES, WireName
from harness_lab.mutants import needs
from harness_lab.mutants.loops import LOOPS


@pytest.mark.parametrize(
    ("need", "wires"),
    [
        (needs.everywhere, OWN_WIRES),
        (needs.flags_failures, ("anthropic-messages", "bedrock-converse", "gemini-interactions")),
        (needs.has_phases, ("openai-responses",)),
        (needs.has_system_messages, ("openai-responses", "openai-chat", "text-tags")),
        (needs.minds_thoughts_alone, ("anthropic-messages",)),
    ],
)
def test_a_need_is_that_of_some_wires(need: Callable[[WireName], bool], wires: tuple[WireName, ...]) -> None:
    assert tuple(filter(need, OWN_WIRES)) == wires


@pytest.mark.parametrize(
    ("name", "need"), [("phase-dropped", needs.has_phases), ("thoughts-sent-alone", needs.minds_thoughts_alone)]
)
def test_a_loop_shows_its_mistake_where_it_is_one(name: str, need: Callable[[WireName], bool]) -> None:
    assert list(filter(LOOPS[name].shows_on, OWN_WIRES)) == list(filter(need, OWN_WIRES))
