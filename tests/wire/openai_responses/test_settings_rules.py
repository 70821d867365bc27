"""Models, choices and lengths that no base request has (OAI-02, OAI-24, OAI-26, OAI-27)."""

from __future__ import annotations

import pytest

from harness.wire import IssuedState
from tests.wire.openai_responses.histories import asked_and_answered, judge
from tests.wire.openai_responses.speak import TURNS


@pytest.mark.parametrize(
    ("model", "text", "level"),
    [
        ("gpt-4", "word " * 8_193, "MUST"),
        ("gpt-4", "1\n" * 8_193, "MUST"),
        ("gpt-4o", "é " * 128_001, "MUST"),
        ("gpt-5.5", "a " * 1_050_001, "SHOULD"),
    ],
)
def test_oai_27_a_history_is_too_long(model: str, text: str, level: str) -> None:
    assert [(each.id, each.level) for each in judge(IssuedState(), text, model=model)] == [("OAI-27", level)]
    assert judge(IssuedState(), text, model=model, truncation="auto") == []
    assert judge(IssuedState(), text, model="some-model")[0].id == "OAI-02"


@pytest.mark.parametrize("text", ["word " * 8_192, "x" * 100_000, "- " * 50_000, "    \n" * 50_000, "\u3042" * 50_000])
def test_oai_27_is_told_only_where_it_is_certain(text: str) -> None:
    """Long words, punctuation, white space and scripts without spaces may be few tokens."""
    assert judge(IssuedState(), text, model="gpt-4") == []


def test_oai_27_named_turns_count_and_pictures_do_not() -> None:
    sent = asked_and_answered(TURNS["text"], model="gpt-4", input="word " * 5_000)
    named = {"model": "gpt-4", "previous_response_id": sent.replies[0].id}
    assert judge(sent, "word " * 1_000, **named) == []
    assert [violation.id for violation in judge(sent, "word " * 4_000, **named)] == ["OAI-27"]
    picture = {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{'iVBO' * 9_000}"}
    assert judge(IssuedState(), [{"role": "user", "content": [picture]}], model="gpt-4") == []
