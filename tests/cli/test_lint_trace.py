"""``harness lint-trace`` as a person meets it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.case_tables import from_table
from tests.commands import Printed
from tests.spans.spans import ANSWERED, ASKED, CALL, CALLED, asked, document, request, response, span, written

Command = Callable[..., tuple[int, list[str], list[str]]]
SECRET = "sk-ant-api03-" + "q7" * 40


@pytest.fixture
def lint(harness: Callable[..., Printed], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run the command in a folder of its own; its exit code, and the lines of both outputs."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: harness("lint-trace", *arguments).lines


def forgot() -> Path:
    """A loop that forgets a result, in the folder at hand."""
    spans = asked(1, request(ASKED), response(CALL)), asked(2, request(ASKED, CALLED, ASKED))
    return written(Path("spans.jsonl"), document(spans[0]), document(spans[1]))


def right() -> Path:
    """A request that breaks no rule."""
    return written(Path("right.jsonl"), document(asked(1, request(ASKED), response(CALL))))


def test_a_broken_rule_is_shown_with_its_place(lint: Command) -> None:
    forgot()
    code, out, err = lint("spans.jsonl")
    assert (code, err) == (1, [])
    assert out[:4] == [
        "spans.jsonl:2: span 0000000000000002: ANT-01  MUST, refused by the provider, at messages.1",
        "  expected  the next message begins with the results of all calls",
        "  got       no result: toolu_1",
        "  answer    HTTP 400: messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: "
        "toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ]
    assert out[-4:] == [
        "spans.jsonl: 2 requests from openinference.instrumentation.anthropic 1: whole",
        "spans.jsonl: not judged: runs of tools (there are no spans of them)",
        "spans.jsonl: not judged: stream and preview (they are in no span), headers",
        "spans.jsonl: 1 trace, 2 requests, 2 judged whole, 0 in part, 0 not at all: 2 findings (2 MUST)",
    ]


def test_nothing_broken_is_exit_code_0(lint: Command) -> None:
    right()
    code, out, _ = lint("right.jsonl")
    assert (code, out[-1]) == (
        0,
        "right.jsonl: 1 trace, 1 request, 1 judged whole, 0 in part, 0 not at all: no finding",
    )


def test_several_files_are_judged_one_after_the_other(lint: Command) -> None:
    right()
    forgot()
    code, out, _ = lint("right.jsonl", "spans.jsonl")
    assert code == 1
    assert [line for line in out if "no finding" in line or "2 findings" in line] == [out[3], out[-1]]


def test_as_json(lint: Command) -> None:
    forgot()
    code, out, _ = lint("spans.jsonl", "--format", "json")
    [file] = json.loads("\n".join(out))["files"]
    assert code == 1
    assert (file["whole"], file["in_part"], file["not_at_all"], file["traces"]) == (2, 0, 0, 1)
    assert [(each["rule"], each["line"], each["at"]) for each in file["findings"]] == [
        ("ANT-01", 2, "messages.1"),
        ("history/results", 2, ""),
    ]


def test_rules_can_be_chosen(lint: Command) -> None:
    forgot()
    assert lint("spans.jsonl", "--rule", "ANT-01")[1][-1].endswith("1 finding (1 MUST)")
    assert lint("spans.jsonl", "--skip", "ANT-01", "--skip", "history")[0] == 0
    assert lint("spans.jsonl", "--rule", "T-1")[0] == 0
    assert lint("spans.jsonl", "--skip", "tool-runs")[0] == 1
    code, _, err = lint("spans.jsonl", "--rule", "ANT-999")
    assert (code, len(err)) == (2, 1)


def test_what_the_server_has_answered_is_no_fault(lint: Command) -> None:
    answer = response({"type": "text", "text": "ho"}, stop="end_turn")
    written(Path("f"), document(asked(1, request(ASKED, CALLED, ASKED), answer)))
    code, out, _ = lint("f")
    assert code == 0
    assert out[0].startswith("f:1: span 0000000000000001: ANT-01  accepted by this server, at messages.1")
    assert out[-1].endswith("no finding; accepted all the same, which is evidence against ANT-01")
    assert lint("f", "--answered")[0] == 1


def test_what_is_not_judged_is_named_and_never_fine(lint: Command) -> None:
    nothing = span(1, gen_ai__operation__name="chat")
    written(Path("f"), document(nothing, scope="opentelemetry.instrumentation.genai.openai"))
    code, out, _ = lint("f")
    assert code == 0
    assert out[:2] == [
        "f: 1 request from opentelemetry.instrumentation.genai.openai 1: not at all",
        "f: 1 request: content is not recorded; record it with "
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY with "
        "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental",
    ]
    assert "0 judged whole, 0 in part, 1 not at all" in out[-1]
    assert lint("f", "--strict")[0] == 1


def test_secrets_and_values(lint: Command) -> None:
    """No secret is printed, however long it stands in a value; with --quiet-values no value is."""
    called = {"role": "assistant", "content": [{**CALL, "id": SECRET}]}
    first = asked(1, request(ASKED), response({**CALL, "id": SECRET}))
    written(Path("f"), document(first, asked(2, request(ASKED, called, {"role": "user", "content": SECRET}))))
    for options in ([], ["--format", "json"], ["--quiet-values"]):
        code, out, _ = lint("f", *options)
        assert code == 1
        assert "q7q7q7" not in "\n".join(out)
    assert not any(line.startswith("  ") for line in out)


def test_an_anonymised_file_has_the_same_findings(lint: Command) -> None:
    forgot()
    before = lint("spans.jsonl", "--anonymise", "shared.jsonl")
    after = lint("shared.jsonl")
    assert [line.split(": ", 2)[2] for line in before[1] if "span 0" in line] == [
        line.split(": ", 2)[2] for line in after[1] if ": span " in line
    ]
    code, _, err = lint("spans.jsonl", "--anonymise", "shared.jsonl")
    assert (code, err) == (2, ["error: shared.jsonl: cannot be used: File exists"])
    code, _, err = lint("spans.jsonl", "shared.jsonl", "--anonymise", "x")
    assert (code, err) == (2, ["error: --anonymise takes one file of spans"])


@from_table(__file__, "test_a_file_that_is_no_trace")
def test_a_file_that_is_no_trace(content: str, message: str, lint: Command) -> None:
    Path("f").write_text(content.replace("DEEP", "[" * 5000), encoding="utf-8")
    assert lint("f") == (2, [], [message])


@pytest.mark.parametrize("option", ["--profile", "--server"])
def test_a_name_that_nobody_knows(option: str, lint: Command) -> None:
    right()
    code, out, err = lint("right.jsonl", option, "nobody")
    assert (code, out, len(err)) == (2, [], 1)
    assert "nobody" in err[0]


def test_hostile_names_do_not_drive_a_terminal(lint: Command) -> None:
    evil: Any = {**asked(1, request(ASKED, CALLED, ASKED)), "spanId": "\x1b[2J\u202e"}
    written(Path("f"), document(evil))
    code, out, _ = lint("f")
    assert code == 1
    assert "\x1b" not in "".join(out)


def test_a_limit_of_turns(lint: Command) -> None:
    first, second = asked(1, request(ASKED), response(CALL)), asked(2, request(ASKED, CALLED, ANSWERED))
    written(Path("f"), document(first, second))
    assert lint("f", "--turn-limit", 2)[0] == 0
    assert any("guardrail/turn-limit" in line for line in lint("f", "--turn-limit", 1)[1])
