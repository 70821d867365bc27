"""A user's validator: what it is shown, what is asked of it, and what is told of one that cannot be asked."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.errors import BadInput
from harness.fuzz.campaign import Falsified
from harness.fuzz.requests.campaign import CAMPAIGN
from harness.fuzz.requests.example import RequestExample
from harness.fuzz.requests.theirs import Theirs
from harness.fuzz.strategies.damage import Odd, Splice
from harness.fuzz.strategies.requests import shaped

CHAT = RequestExample("openai-chat", "chat-one-call", (shaped("call"), shaped("call call")))
TWICE = replace(CHAT, change="chat-result-twice")
HARMLESS = replace(CHAT, base="chat-two-calls", change="chat-member-invented")


class Recording:
    """A validator that keeps what it is shown and always says the same."""

    def __init__(self, said: Any = ()) -> None:
        self.shown: list[tuple[str, Mapping[str, Any]]] = []
        self.said = said

    def __call__(self, wire: str, request: Mapping[str, Any]) -> Sequence[str] | None:
        self.shown.append((wire, request))
        if isinstance(self.said, Exception):
            raise self.said
        said: Sequence[str] | None = self.said
        return said


def objection(example: RequestExample, said: Any) -> Falsified:
    with pytest.raises(Falsified) as falsified:
        Theirs(Recording(said)).hold(example)
    return falsified.value


def test_every_request_of_a_right_loop_is_shown() -> None:
    recording = Recording()
    assert Theirs(recording).hold(CHAT) == 3
    assert [(wire, request["method"], request["path"]) for wire, request in recording.shown] == [
        ("openai-chat", "POST", "/v1/chat/completions")
    ] * 3
    assert [len(request["body"]["messages"]) for _, request in recording.shown] == [2, 4, 7]


def test_of_a_changed_loop_the_last_request_is_shown() -> None:
    recording = Recording(["no"])
    assert Theirs(recording).hold(TWICE) == 1
    assert [message["role"] for message in recording.shown[0][1]["body"]["messages"]].count("tool") == 4


@pytest.mark.parametrize(
    ("example", "said", "oracle"),
    [
        (CHAT, ["no"], "accepts"),
        (HARMLESS, ["no"], "spares"),
        (TWICE, [], "finds"),
        (CHAT, ValueError("odd"), "raises"),
        (replace(CHAT, damage=(Odd(("model",), "[]"),)), KeyError("model"), "raises"),
        (CHAT, "no", "raises"),
        (CHAT, 3, "raises"),
        (CHAT, [3], "raises"),
    ],
)
def test_what_is_objected_to(example: RequestExample, said: Any, oracle: str) -> None:
    assert objection(example, said).oracle == oracle


def test_what_the_provider_would_say_is_told() -> None:
    told = objection(TWICE, [])
    assert told.expected.startswith("a complaint: OAC-06 at messages[7], HTTP 400: ")
    assert told.got == "none"
    assert objection(CHAT, ValueError("odd")).got == "ValueError: odd"


@pytest.mark.parametrize(
    ("example", "said"),
    [
        (CHAT, None),  # it does not know the wire
        (TWICE, None),
        (replace(CHAT, change="chat-model-misspelt"), []),  # no provider was seen to refuse it in these words
        (replace(CHAT, damage=(Odd(("model",), "[]"),)), []),  # nobody says whether that is right
        (replace(CHAT, damage=(Splice(0, 1),)), ["no"]),  # it is no JSON
        (RequestExample("text-tags", "tags-one-call", (shaped("call"),)), ["no"]),  # it is Chat, and more
        (RequestExample("anthropic-messages", "ant-manual-thinking", (shaped("call"),)), []),
    ],
)
def test_what_is_not_objected_to(example: RequestExample, said: Any) -> None:
    assert Theirs(Recording(said)).hold(example) >= 0


def test_without_thinking_the_request_does_not_show_that_it_is_right() -> None:
    recording = Recording()
    Theirs(recording).hold(RequestExample("anthropic-messages", "ant-manual-thinking", (shaped("call"),)))
    assert [len(request["body"]["messages"]) for _, request in recording.shown] == [1]


# --- commands and names ---------------------------------------------------------------------------------------

COMMAND = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    seen = [each.get("tool_call_id") for each in asked["request"]["body"]["messages"] if each["role"] == "tool"]
    print(json.dumps({ANSWER}), flush=True)
"""


def command(folder: Path, answer: str) -> str:
    path = folder / "validator.py"
    path.write_text(COMMAND.replace("{ANSWER}", answer))
    return f"cmd:{sys.executable} {path}"


def test_a_command_is_asked(tmp_path: Path) -> None:
    duplicates = '{"complaints": ["a result comes twice"] if len(seen) > len(set(seen)) else []}'
    subject = CAMPAIGN.open(command(tmp_path, duplicates))
    assert CAMPAIGN.check(CHAT, subject) == 3
    assert CAMPAIGN.check(TWICE, subject) == 1
    with pytest.raises(Falsified, match="finds: expected a complaint: OAC-03"):
        CAMPAIGN.check(replace(CHAT, change="chat-result-forgotten"), subject)


def test_a_command_that_answers_something_else_is_told(tmp_path: Path) -> None:
    subject = CAMPAIGN.open(command(tmp_path, '{"errors": seen}'))
    with pytest.raises(Falsified, match="raises: expected no exception, got Crashed: it answered without 'complaints'"):
        CAMPAIGN.check(CHAT, subject)


def test_a_target_that_is_none_is_told() -> None:
    with pytest.raises(BadInput, match=r"complaints\(wire: str, request: Mapping\)"):
        CAMPAIGN.open("harness_lab.gallery.requests:nobody")
