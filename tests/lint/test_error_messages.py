"""The messages in pasted errors, and their words."""

from __future__ import annotations

import json

import pytest

from harness.lint.error_messages import MOST_CHARACTERS, PastedMessage, messages_in, words_of

TEXT = 'messages.1: `tool_use` ids must be "unique", it\'s so'
BODY = {"type": "error", "error": {"type": "invalid_request_error", "message": TEXT}}


@pytest.mark.parametrize(
    "pasted",
    [
        json.dumps(BODY),
        json.dumps(BODY, indent=2),
        json.dumps(json.dumps(BODY)),
        f"Error code: 400 - {BODY}",
        f"2026-11-02T10:00:00 WARN request failed status=400 body={json.dumps(BODY)} attempt=1",
        json.dumps({"error": {"message": "Provider returned error", "metadata": {"raw": json.dumps(BODY)}}}),
        json.dumps({"error": {"code": 400, "message": json.dumps(BODY)}}),
        json.dumps({"detail": TEXT}),
        json.dumps([{"error": {"message": TEXT}}]),
        json.dumps({"error": TEXT})[:-2],
    ],
)
def test_the_message_of_a_body_is_found_in_whatever_is_around_it(pasted: str) -> None:
    assert PastedMessage(TEXT, whole=True) in messages_in(pasted)


def test_a_bare_text_is_a_whole_message_and_a_line_of_several_is_none() -> None:
    assert messages_in(TEXT) == [PastedMessage(TEXT, whole=True)]
    assert messages_in(f"{TEXT}\n\nagain") == [
        PastedMessage(TEXT, whole=False),
        PastedMessage("again", whole=False),
        PastedMessage(f"{TEXT} again", whole=False),
    ]


def test_a_body_that_is_cut_off_has_its_message_as_far_as_it_goes() -> None:
    whole = json.dumps({"error": {"message": "Item 'rs_1' of type 'reasoning' was provided without"}})
    cut = whole[: whole.index(" without")]
    assert messages_in(cut)[0] == PastedMessage("Item 'rs_1' of type 'reasoning' was provided", whole=True)


def test_words_are_the_provider_s_own_or_parts_of_a_place() -> None:
    words = words_of(
        "messages.1.content: Invalid `tool_use` with id toolu_01A, see https://example.org/tool_use (400)."
    )
    assert [word.text for word in words if word.fixed] == ["invalid", "tool_use", "with", "id", "see"]
    assert [word.text for word in words if not word.fixed] == ["messages", "content", "toolu_", "a"]


@pytest.mark.parametrize("hostile", ["{" * 100_000, '{"error":' * 30_000, '\\"message\\":' * 20_000, "\x00" * 9])
def test_a_hostile_text_ends_quickly(hostile: str) -> None:
    messages = messages_in(hostile)
    assert all(len(message.text) <= MOST_CHARACTERS for message in messages)
