"""Harmless changes of any loop: whatever was said in it, each is accepted."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.wire import Call, Text, ThinkingPart, Turn
from harness.wire.openai_responses.rules.right import AMENDMENTS
from harness_lab.mutants.requests import BaseRequest, equivalents

texts = st.text(st.sampled_from('a é😀 \n"\\{'), max_size=8)
arguments = st.sampled_from(["{}", '{"path": "src"}', '{"path": "é\\n"}', "", "no json", '{"a": [1, null]}'])
calls = st.builds(Call, st.sampled_from(["list_files", "read_file"]), arguments)
thoughts = st.builds(ThinkingPart, texts, st.sampled_from(["plain", "redacted", "omitted"]))
parts = st.one_of(calls, st.builds(Text, texts), thoughts)
turns = st.builds(Turn, st.lists(parts, min_size=1, max_size=5).map(tuple))


@st.composite
def loops(draw: Any) -> BaseRequest:
    """A loop in which nobody makes a mistake, in one of the forms that a history can have."""
    said = draw(st.lists(turns, min_size=1, max_size=4).map(tuple))
    form = draw(st.sampled_from(["sent", *AMENDMENTS]))
    store = form != "sent" or draw(st.booleans())
    model = draw(st.sampled_from(["gpt-5.5", "gpt-4.1", "o3"]))
    also = draw(st.lists(st.sampled_from(["Be brief.", "é"]), max_size=2).map(tuple))
    members = {"store": store, "reasoning": {}} if model == "gpt-4.1" else {"store": store}
    return BaseRequest("any", "openai-responses", model, said, members, follow_ups=also, amend=AMENDMENTS.get(form))


@settings(max_examples=25, deadline=None)
@given(loops())
def test_any_harmless_change_of_any_loop_is_accepted(loop: BaseRequest) -> None:
    played = loop.play()
    for variant in equivalents("openai-responses"):
        posted = played.last
        if variant.edit(posted):
            assert [found for found in played.judge(posted) if found.level != "INFO"] == [], variant.name
