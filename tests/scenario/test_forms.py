"""What the short and long forms of a file stand for."""

# ruff: noqa: E501 - the cases are a table, one a line
from __future__ import annotations

from pathlib import Path

import pytest

from harness.scenario import CANONICAL, CHUNKINGS, Cut, HttpErrorStep, Step, TurnStep, load
from harness.wire import OWN_WIRES, Call, FinishReason, StreamError, Text, ThinkingPart, Turn, Usage, wire
from harness.wire.turn import Refusal
from tests.scenario.files import SMALL, loaded, write

MODEL = (Path(__file__).parent / "data" / "forms_model.yaml").read_text(encoding="utf-8")


def steps(folder: Path, text: str) -> tuple[Step, ...]:
    return loaded(folder, MODEL.replace("STEP", text)).steps


def turn(folder: Path, text: str) -> Turn:
    (step,) = steps(folder, text)
    assert isinstance(step, TurnStep)
    return step.turn


def test_defaults(tmp_path: Path) -> None:
    scenario = loaded(tmp_path, SMALL)
    assert (scenario.name, scenario.profile, scenario.summary) == ("small", "universal", "Small.")
    assert scenario.wires == OWN_WIRES
    assert scenario.prompt == (("user", "Hello."),)
    assert scenario.tools == ()
    assert scenario.steps == (TurnStep(Turn((Text("Hi."),))),)
    assert scenario.chunkings == ("event",)
    assert scenario.stream
    assert scenario.turn_limit is None
    assert scenario.options == ()
    assert scenario.path == tmp_path / "a.yaml"
    expect = scenario.expect
    assert (expect.outcome, expect.turns, expect.requests, expect.events, expect.final, expect.error) == (
        ("completed",), None, None, None, None, None,
    )  # fmt: skip


def test_the_head_of_a_file(tmp_path: Path) -> None:
    text = (Path(__file__).parent / "data" / "forms_head.yaml").read_text(encoding="utf-8")
    scenario = loaded(tmp_path, text)
    assert scenario.summary == "Two lines."
    assert scenario.wires == ("gemini-generate", "openai-chat")
    assert scenario.prompt == (("system", "Be brief."), ("user", "Hello."))
    assert scenario.chunkings == CHUNKINGS
    assert (scenario.stream, scenario.turn_limit) == (False, 7)
    assert (scenario.expect.turns, scenario.expect.requests) == (0, 1)
    assert scenario.expect.events is not None
    assert scenario.expect.error is not None
    assert (scenario.expect.error.kind, scenario.expect.error.contains) == ("http", "no")


def test_the_dialects_that_are_varied(tmp_path: Path) -> None:
    assert loaded(tmp_path, SMALL).dialects == ()
    some = loaded(tmp_path, SMALL + "vary: {dialect: [no-done, two-message-starts, no-done]}\n")
    assert (some.dialects, some.chunkings) == (("no-done", "two-message-starts"), ("event",))
    every = loaded(
        tmp_path, SMALL + "wires: [openai-chat, anthropic-messages]\nvary: {dialect: all, chunking: [byte]}\n"
    )
    assert every.dialects == (*wire("openai-chat").dialects, *wire("anthropic-messages").dialects)
    assert every.chunkings == ("byte",)


def test_several_outcomes(tmp_path: Path) -> None:
    expect = loaded(
        tmp_path, SMALL.replace("outcome: completed", "outcome: [turn-limit, failed]\n  error: {kind: http}")
    ).expect
    assert expect.outcome == ("turn-limit", "failed")


def test_tools(tmp_path: Path) -> None:
    create, note, fail = loaded(tmp_path, MODEL.replace("STEP", "{}")).tools
    assert create.canonical
    assert create.declaration is CANONICAL["create_file"]
    assert (note.canonical, note.declaration.name, note.returns, note.raises) == (False, "note", None, None)
    assert note.declaration.parameters == {"type": "object"}
    assert (fail.returns, fail.raises) == (None, "it broke")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", Turn()),
        ("{text: a}", Turn((Text("a"),))),
        ("{calls: [{note: {}}], text: b, thinking: a}", Turn((ThinkingPart("a"), Text("b"), Call("note", "{}")), FinishReason.TOOL_CALLS)),
        ("{thinking: {text: a}}", Turn((ThinkingPart("a"),))),
        ("{thinking: {redacted: true}}", Turn((ThinkingPart(form="redacted"),))),
        ("{thinking: {omitted: true}}", Turn((ThinkingPart(form="omitted"),))),
        ("{refusal: no}", Turn((Refusal("no"),), FinishReason.REFUSAL)),
        ("{refusal: no, calls: [{note: {}}]}", Turn((Refusal("no"), Call("note", "{}")), FinishReason.REFUSAL)),
        ("{refusal: no, stop: end}", Turn((Refusal("no"),), FinishReason.END)),
        ("{calls: [{note: {}}], stop: max_tokens}", Turn((Call("note", "{}"),), FinishReason.MAX_TOKENS)),
        ("{calls: [{note: {a: é, b: [1.5, null]}}]}", Turn((Call("note", '{"a": "é", "b": [1.5, null]}'),), FinishReason.TOOL_CALLS)),
        ("{calls: [{name: note, arguments: ' {} '}]}", Turn((Call("note", " {} "),), FinishReason.TOOL_CALLS)),
        ("{calls: [{name: note, arguments: {}, id: none}]}", Turn((Call("note", "{}", id=""),), FinishReason.TOOL_CALLS)),
        ("{calls: [{name: note, arguments: {}, id: call_1}]}", Turn((Call("note", "{}", id="call_1"),), FinishReason.TOOL_CALLS)),
        ("{calls: [{name: note, arguments: '[', invalid: true}]}", Turn((Call("note", "["),), FinishReason.TOOL_CALLS)),
        ("{calls: [{name: nobody, arguments: {}, invalid: true}]}", Turn((Call("nobody", "{}"),), FinishReason.TOOL_CALLS)),
        ("{parts: [{text: a}, {call: {note: {}}}, {text: b}, {thinking: c}, {refusal: d}]}",
         Turn((Text("a"), Call("note", "{}"), Text("b"), ThinkingPart("c"), Refusal("d")), FinishReason.REFUSAL)),
        ("{usage: {output: 9, cached: 1}}", Turn(usage=Usage(output=9, cached=1))),
        ("{error: {}}", Turn(error=StreamError())),
        ("{error: {kind: rate_limit, message: slow}}", Turn(error=StreamError("rate_limit", "slow"))),
        ("{ending: eof}", Turn(ending="eof")),
        ("{deltas: utf16}", Turn(deltas="utf16")),
    ],
)  # fmt: skip
def test_a_turn(tmp_path: Path, text: str, expected: Turn) -> None:
    assert turn(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{cut: {after: 3}}", (TurnStep(Turn(), Cut(3, "cut")),)),
        ("{cut: {after: 0, how: reset}}", (TurnStep(Turn(), Cut(0, "reset")),)),
        ("{http: {status: 400}}", (HttpErrorStep(400),)),
        ("{http: {status: 429, retry_after: 1.5}, repeat: 2}, {}", (HttpErrorStep(429, 1.5),) * 2 + (TurnStep(Turn()),)),
        ("{http: {kind: model_retired}}", (HttpErrorStep(404, kind="model_retired"),)),
        ("{http: {status: 429, retry_after: 0}}", (HttpErrorStep(429, 0),)),
        ("{text: a, repeat: 3}", (TurnStep(Turn((Text("a"),))),) * 3),
    ],
)  # fmt: skip
def test_steps(tmp_path: Path, text: str, expected: tuple[Step, ...]) -> None:
    assert steps(tmp_path, text) == expected


def test_pause_is_for_anthropic_alone(tmp_path: Path) -> None:
    text = MODEL.replace("STEP", "{text: a, stop: pause}").replace("model:", "wires: [anthropic-messages]\nmodel:")
    (step,) = loaded(tmp_path, text).steps
    assert step == TurnStep(Turn((Text("a"),), FinishReason.PAUSE))


@pytest.mark.parametrize(
    ("final", "expected"),
    [
        ("{equals: ''}", ("", (), ())),
        ("{contains: a, lacks: b}", (None, ("a",), ("b",))),
        ("{contains: [a, b]}", (None, ("a", "b"), ())),
    ],
)
def test_final(tmp_path: Path, final: str, expected: object) -> None:
    got = loaded(tmp_path, SMALL.replace("completed", f"completed\n  final: {final}")).expect.final
    assert got is not None
    assert (got.equals, got.contains, got.lacks) == expected


def test_files_are_sorted_and_read_once(tmp_path: Path) -> None:
    for name in ("b/2.yaml", "a/9.yaml", "a/b/c.yaml", "notes.yml"):
        write(tmp_path, SMALL.replace("small", name.replace("/", "-").split(".")[0]), name)
    found = load([tmp_path, tmp_path / "b", tmp_path / "a" / "9.yaml"])
    assert [str(scenario.path.relative_to(tmp_path)) for scenario in found] == ["a/9.yaml", "a/b/c.yaml", "b/2.yaml"]


def test_a_file_given_by_itself_may_be_called_anything(tmp_path: Path) -> None:
    path = write(tmp_path, SMALL, "scenario.yml")
    assert [scenario.path for scenario in load([path])] == [path]


def test_an_include_may_climb_within_the_folder_that_was_given(tmp_path: Path) -> None:
    write(tmp_path, "Hi from outside.", "pages/hi.txt")
    path = write(tmp_path, SMALL.replace("Hi.", "!include ../pages/hi.txt"), "deep/a.yaml")
    (scenario,) = load([tmp_path])
    assert scenario.steps == (TurnStep(Turn((Text("Hi from outside."),))),)
    with pytest.raises(Exception, match="expected a file inside"):
        load([path])


def test_options_are_the_codes_in_order(tmp_path: Path) -> None:
    scenario = loaded(tmp_path, SMALL.replace("model:", "tools: [retrieve_option]\noptions: [<p>one, '']\nmodel:"))
    assert scenario.options == ("<p>one", "")
