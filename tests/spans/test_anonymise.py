"""Spans with other texts: nothing of the texts is left, and everything that rules look at is as it was."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from harness.errors import BadInput
from harness.spans import TraceSpan, read_spans
from harness.spans.anonymise import Anonymiser, anonymise
from tests.spans.spans import FILES, asked, document, judged, request, response, span, written

SECRET = "sk-ant-api03-" + "q7" * 40
EVERY = sorted(FILES.glob("*/*.jsonl"))


@pytest.fixture
def text() -> Any:
    return Anonymiser(b"key").text


@pytest.mark.parametrize("original", ["", "a", "Order a Lunch, 12:30!", "日本 é", "toolu_01AbC-9", "x" * 300])
def test_a_text_keeps_its_length_and_its_kinds_of_characters(original: str, text: Any) -> None:
    other = text(original)
    assert len(other) == len(original)
    assert [char.isalnum() for char in other] == [char.isalnum() for char in original]
    assert [char.isupper() for char in other] == [char.isupper() for char in original]


def test_equal_texts_stay_equal_and_others_stay_others(text: Any) -> None:
    words = [f"{number:03}" for number in range(1000)] + ["a", "b", "ab", "ba", "A", "B"]
    assert len({text(word) for word in words}) == len(words)
    assert text("call_1") == text("call_1") != text("call_2")


def test_a_beginning_stays_a_beginning(text: Any) -> None:
    whole = "I look it up. It is cold in Oslo"
    for length in range(len(whole)):
        assert text(whole).startswith(text(whole[:length]))


def test_pieces_of_a_text_stay_its_pieces() -> None:
    changed = Anonymiser(b"key")
    [spoken] = changed._pieces([{"text": "I look it up."}], "parts", own=True)
    pieces = [{"text": "I lo"}, {"text": "ok it"}, {"text": " up."}]
    assert "".join(each["text"] for each in changed._pieces(pieces, "parts", own=True)) == spoken["text"]


@pytest.mark.parametrize(
    "original", ['{"city": "Oslo",\n "n": [1, -2.50, 1e3, 0.5]}', '{"\\u65e5": "\\u672c"}', "[]", '{"a']
)
def test_json_in_a_text_stays_json_in_its_spelling(original: str, text: Any) -> None:
    other = text(original)
    try:
        value = json.loads(original)
    except ValueError:
        with pytest.raises(ValueError):
            json.loads(other)
        return
    assert _shape(json.loads(other)) == _shape(value)
    assert "\n" in other or "\n" not in original
    assert "Oslo" not in other
    assert "本" not in str(json.loads(other))


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return [_shape(each) for each in value.values()]
    return list(map(_shape, value)) if isinstance(value, list) else type(value)


def test_nothing_of_the_content_is_left(tmp_path: Path) -> None:
    """Prompts, results, arguments, names and addresses of customers, keys, and what is in attributes of other kinds."""
    call = {"type": "tool_use", "id": "toolu_Zebra", "name": "f", "input": {"type": "Zebra", "q": ["Zebra", 424242]}}
    messages = [
        {"role": "user", "content": f"Zebra {SECRET}"},
        {"role": "assistant", "content": [call]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_Zebra", "content": '{"a": "Zebra"}'}],
        },
    ]
    body = request(*messages, system="Zebra", metadata={"user_id": "Zebra", SECRET: "x"})
    first = asked(1, body, response({"type": "text", "text": "Zebra"}, stop="end_turn"))
    other = span(2, user__id="Zebra", url__full="http://zebra.example/Zebra", session__id="Zebra")
    run = span(
        3,
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__call__id="toolu_Zebra",
        gen_ai__tool__call__result='{"a": "Zebra", "n": 424242}',
    )
    out = tmp_path / "out"
    anonymise(written(tmp_path / "f", document({**first, "name": "Zebra"}, other, run)), out)
    text = out.read_text(encoding="utf-8")
    for word in ("zebra", "424242", SECRET.lower()[:20], "q7q7"):
        assert word not in text.lower()
    assert "claude-sonnet-4-6" in text


@pytest.mark.slow
def test_the_findings_are_the_same(tmp_path: Path) -> None:
    for number, path in enumerate(EVERY):
        out = tmp_path / f"{number}"
        anonymise(path, out)
        try:
            before, after = judged(path, turn_limit=1, info=True), judged(out, turn_limit=1, info=True)
        except BadInput:
            with pytest.raises(BadInput):
                judged(out)
            continue
        assert _found(after) == _found(before), path
        assert after[1].grades == before[1].grades, path
        assert after[1].lacking == before[1].lacking, path


def _found(result: Any) -> list[tuple[str, str, str]]:
    return sorted((each.finding.id, each.finding.level, each.finding.answered.place) for each in result[0])


@pytest.mark.parametrize(
    ("name", "attributes", "kept"),
    [
        ("ChatAnthropic for Zebra", {}, "anthropic"),
        ("openai.chat", {}, "span"),
        ("find_zebra", {"openinference.span.kind": "TOOL"}, "find_zebra"),
        ("find Zebra", {"openinference.span.kind": "TOOL"}, None),
    ],
)
def test_of_a_name_of_a_span_stays_what_rules_look_at(name: str, attributes: dict[str, str], kept: str | None) -> None:
    changed = Anonymiser(b"key").span(TraceSpan("t", "s", "", name, attributes)).name
    assert changed == kept if kept else len(changed) == len(name) and "Zebra" not in changed


def test_two_runs_write_other_texts(tmp_path: Path) -> None:
    path = written(tmp_path / "f", document(asked(1, request({"role": "user", "content": "Order a lunch"}))))
    for name in ("one", "other"):
        anonymise(path, tmp_path / name)
    assert (tmp_path / "one").read_bytes() != (tmp_path / "other").read_bytes()
    with (tmp_path / "one").open("rb") as stream:
        assert len(list(read_spans("one", stream))) == 1


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    path = written(tmp_path / "f", document(asked(1, request())))
    with pytest.raises(BadInput, match="f: cannot be used"):
        anonymise(path, path)
    with pytest.raises(BadInput, match="missing: cannot be used"):
        anonymise(tmp_path / "missing", tmp_path / "out")
    assert path.read_text(encoding="utf-8")


def test_spans_that_were_anonymised_once_can_be_read(tmp_path: Path) -> None:
    attributes = {
        "llm.token_count.total": 5,
        "gen_ai.response.finish_reasons": ["stop"],
        "llm.x.a": [1, True, 0.5, None],
    }
    row = {"context": {"trace_id": "t", "span_id": "s"}, "attributes": attributes, "name": "n"}
    (tmp_path / "f").write_text(json.dumps(row), encoding="utf-8")
    anonymise(tmp_path / "f", tmp_path / "out")
    [found] = read_spans("out", io.BytesIO((tmp_path / "out").read_bytes()))
    assert found.attributes == attributes
