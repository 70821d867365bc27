"""Files of the golden form, and files that are not: what was wrong, where, and what was expected."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.errors import BadInput
from harness_lab.recorded.reading.golden import read_runs
from harness_lab.recorded.run import HttpAnswer, ModelAnswer
from tests.recorded.golden.recordings import call, created, read, run_of, text, write


def test_a_recording_is_read_as_it_is(tmp_path: Path) -> None:
    recording = read(tmp_path, created("openai"), "created.openai")
    assert (recording.name, recording.scenario, recording.wire) == ("created.openai", "created", "openai-responses")
    turn = recording.script[0]
    assert isinstance(turn, ModelAnswer)
    assert [(part.kind, part.text, part.id, part.name) for part in turn.parts] == [
        ("text", "A page.", None, None),
        ("tool", '{"content": "<html><p>Hi</p></html>"}', "call_1", "create_file"),
    ]
    assert [event.kind for event in recording.events][2:] == [
        "toolStart",
        "setCode",
        "setCode",
        "setCode",
        "toolResult",
        "assistant",
    ]
    assert (recording.completion, recording.error) == ("<html><p>Hi</p></html>", None)


def test_what_the_script_says_of_the_stream(tmp_path: Path) -> None:
    answer = {"parts": [call("{}", unfinished=True)], "finish": "length", "cut_after": 3, "no_deltas": True}
    openai = {**answer, "no_added": True, "openai_terminal": "failed"}
    assert read(tmp_path, run_of([openai], provider="openai")).script[0] == ModelAnswer(
        parts=read(tmp_path, run_of([{"parts": [call("{}", unfinished=True)]}])).script[0].parts,  # type: ignore[union-attr]
        finish="length",
        cut_after=3,
        deltas=False,
        announced=False,
        ending="failed",
    )


def test_an_http_answer_and_an_exception(tmp_path: Path) -> None:
    failed = run_of([{"http": {"status": 429, "body": {"error": {}}, "headers": {"retry-after-ms": "10"}}}])
    failed["outcome"] = {"sut": "exception", "class": "RateLimitError", "module": "openai", "message": "slow down"}
    recording = read(tmp_path, failed)
    assert recording.script == (HttpAnswer(429, {"retry-after-ms": "10"}, {"error": {}}),)
    assert recording.error == "RateLimitError: slow down"


def test_a_script_at_its_end_repeats_its_last_answer(tmp_path: Path) -> None:
    recording = read(tmp_path, created())
    assert recording.answer(1) is recording.script[1]
    assert recording.answer(7) is recording.script[1]


def test_a_folder_is_read_by_name_with_its_index_and_a_file_by_itself(tmp_path: Path) -> None:
    write(tmp_path, created("openai"), "b.openai")
    write(tmp_path, created(), "a.anthropic")
    write(tmp_path, {"about": "", "traces": [{"file": "a.anthropic.json"}]}, "index")
    assert [recording.name for recording in read_runs(tmp_path)] == ["a.anthropic", "b.openai"]
    assert [recording.name for recording in read_runs(tmp_path / "b.openai.json")] == ["b.openai"]


def test_every_shared_recording_is_read(shared: Path) -> None:
    recordings = read_runs(shared / "golden" / "screenshot-to-code")
    assert len(recordings) == 186
    assert all(recording.name.startswith(recording.scenario + ".") for recording in recordings)


# --- files that are not ---------------------------------------------------------------------------------------


def _without(name: str) -> Callable[[dict[str, Any]], Any]:
    return lambda recording: {key: value for key, value in recording.items() if key != name}


def _with(**members: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda recording: {**recording, **members}


def _answer(**members: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda recording: {**recording, "script": [{"parts": [text("x")], **members}]}


def _part(**members: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda recording: {**recording, "script": [{"parts": [{**call("{}"), **members}]}]}


def _event(**event: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda recording: {**recording, "events": [event]}


FOREIGN: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a list": (lambda _: [], "the file: expected an object, found []"),
    "no script": (_without("script"), "'script': expected a list of objects, found nothing"),
    "empty script": (_with(script=[]), "expected at least one answer in 'script'"),
    "no requests": (_with(requests=[]), "one entry in 'requests'"),
    "no events": (_without("events"), "'events': expected a list of objects, found nothing"),
    "no outcome": (_without("outcome"), "'outcome': expected an object, found nothing"),
    "outcome": (_with(outcome={"sut": "other"}), "'sut': expected one of result, exception, found \"other\""),
    "provider": (_with(provider="mistral"), "'provider': expected one of openai, anthropic, gemini, found \"mistral\""),
    "unknown member": (_with(seed=1), "a recording has no member 'seed'; it has events, files, note"),
    "history": (_with(requests=[{"path": "/v1/messages"}]), "'history': expected a list of objects, found nothing"),
    "scenario": (_with(scenario=3), "'scenario': expected a text, found 3"),
    "finish": (_answer(finish="tool_use"), "'finish': expected one of stop, length, pause, found \"tool_use\""),
    "cut_after": (_answer(cut_after=True), "'cut_after': expected a whole number, found true"),
    "no_deltas": (_answer(no_deltas=1), "'no_deltas': expected true or false, found 1"),
    "terminal": (_answer(openai_terminal="none"), "are for recordings of the provider openai only"),
    "answer member": (_answer(delay=3), "an answer has no member 'delay'"),
    "http": (_with(script=[{"http": {"status": "429", "body": {}}}]), "'status': expected a whole number"),
    "http body": (_with(script=[{"http": {"status": 429, "body": "no"}}]), "'body': expected an object, found \"no\""),
    "kind": (_part(kind="image"), "'kind': expected one of thinking, text, tool, found \"image\""),
    "chunks": (_part(chunks="{}"), "'chunks': expected a list of texts, found \"{}\""),
    "part member": (_part(cache=1), "a tool call has no member 'cache'"),
    "whole call": (
        _with(script=[{"parts": [call('{"a')], "no_deltas": True}]),
        "'chunks' of a call that is sent whole: expected JSON",
    ),
    "event": (_event(type="status"), "'type': expected one of assistant, thinking, setCode, toolStart, toolResult"),
    "no event id": (_event(type="assistant", value="x"), "'eventId': expected a text, found nothing"),
    "result": (
        _event(type="toolResult", eventId="a", data={"name": "x", "ok": 1}),
        "'ok' of a toolResult: expected true or false, found 1",
    ),
    "event data": (_event(type="toolStart", eventId="a"), "'data' of a toolStart: expected an object, found nothing"),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_a_foreign_file_is_refused_with_its_name_and_what_was_expected(case: str, tmp_path: Path) -> None:
    change, expected = FOREIGN[case]
    path = write(tmp_path, change(created()))
    with pytest.raises(BadInput) as refused:
        read_runs(tmp_path)
    (problem,) = refused.value.problems
    assert problem.startswith(f"{path}: ")
    assert expected in problem


def test_every_foreign_file_is_named(tmp_path: Path) -> None:
    write(tmp_path, created())
    write(tmp_path, [], "one")
    (tmp_path / "two.json").write_text("{", encoding="utf-8")
    (tmp_path / "three.json").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(BadInput) as refused:
        read_runs(tmp_path)
    assert [Path(problem.split(":")[0]).name for problem in refused.value.problems] == [
        "one.json",
        "three.json",
        "two.json",
    ]
    assert f"{tmp_path / 'two.json'}:1:2: expected a JSON object" in refused.value.problems[2]


def test_an_index_that_lists_what_is_not_there_is_refused(tmp_path: Path) -> None:
    write(tmp_path, created())
    write(tmp_path, {"traces": [{"file": "gone.openai.json"}]}, "index")
    with pytest.raises(BadInput, match=r"index\.json: lists recordings that are not there: gone\.openai\.json"):
        read_runs(tmp_path)


def test_no_folder_and_an_empty_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist; expected a folder of recordings"):
        read_runs(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="contains no recording"):
        read_runs(tmp_path)


def test_json_that_is_too_deep_is_refused(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text("[" * 100_000 + "]" * 100_000, encoding="utf-8")
    with pytest.raises(BadInput, match=r"deep\.json: expected"):
        read_runs(tmp_path)


def test_a_script_may_hold_half_a_character(tmp_path: Path) -> None:
    recording = read(tmp_path, json.loads(json.dumps(run_of([{"parts": [text("\ud83d", "\ude00")]}]))))
    assert isinstance(recording.script[0], ModelAnswer)
    assert recording.script[0].parts[0].chunks == ("\ud83d", "\ude00")
