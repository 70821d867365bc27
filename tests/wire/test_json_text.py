"""JSON text written as providers write it, and read as strictly as they do."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.wire.characters import joined
from harness.wire.json_text import compact, encoded, strict

HIGH, LOW = "\ud83e", "\udd50"  # together 🥐


@given(st.text(st.sampled_from(["a", '"', "\\", "é", "🥐", HIGH, LOW]), max_size=12))
def test_compact_json_can_be_encoded_and_reads_back_joined(text: str) -> None:
    written = compact({"text": text})
    assert written.encode() == encoded(written)
    assert json.loads(written) == {"text": joined(text)}


def test_json_is_compact_and_escapes_only_halves() -> None:
    assert compact(["é", {"a": HIGH}]) == '["é",{"a":"\\ud83e"}]'
    assert encoded(f'"{LOW}é"') == b'"\\udd50\xc3\xa9"'


@pytest.mark.parametrize("text", ["NaN", "[-Infinity]", '{"a": 1e999}', "-1e999", "[1", "", "[1] 2"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not JSON|Expecting|Extra"):
        strict(text)


def test_what_is_json_is_read() -> None:
    assert strict(' {"a": [1, 1.5, -2e3, true, null, "\\ud83e\\udd50"]}\n') == {
        "a": [1, 1.5, -2000.0, True, None, "🥐"]
    }
