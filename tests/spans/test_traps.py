"""What real instrumentations write that is not what was sent: no false alarm, and nothing is passed over in silence.

The files were made by ``scripts/trace-fixtures`` with the versions that ``docs/lint-trace.md`` names.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.errors import BadInput
from harness.spans import TraceSpan, read_spans
from harness.spans.judging import turn_of
from harness.spans.kinds import kind_of
from harness.spans.parts import partial_turn
from harness.spans.tool_runs import run_of
from harness.spans.turns import Gap, PartialTurn, WholeTurn
from harness.wire import Call, FinishReason, Result
from tests.spans.spans import FILES, document, ids, judged, span, written

PLAIN = FILES / "plain"
RIGHT = sorted(FILES.glob("*/*.none*.jsonl"))
WHOLE = ("openinference-openai", "openinference-anthropic", "openinference-google-genai")


def turns(path: Path, kind: type = PartialTurn) -> list[Any]:
    with path.open("rb") as stream:
        requests = [each for each in read_spans(path.name, stream) if kind_of(each) == "inference"]
        return [turn for each in requests if isinstance(turn := turn_of(each), kind)]


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_correct_loop_has_no_finding_on_any_source(path: Path) -> None:
    findings, totals = judged(path, turn_limit=20)
    assert ids(findings) == []
    assert totals.requests == 2


@pytest.mark.parametrize("path", sorted(PLAIN.glob("*.forgot.jsonl")), ids=lambda path: path.stem)
def test_a_forgotten_result_is_found_wherever_it_is_recorded(path: Path) -> None:
    findings, totals = judged(path)
    not_on_the_wire = "pydantic-ai" in path.name  # the framework puts a text in its place before it asks
    ids_of_two_kinds = ("ids of two kinds", "") in totals.why
    assert ("history/results" in ids(findings)) is not (not_on_the_wire or ids_of_two_kinds)


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("openinference-openai.chat.nothink", {"OAC-19"}),
        ("openinference-openai.responses.nothink", {"OAI-15", "history/model-thinking"}),
        ("openinference-anthropic.messages.nothink", {"ANT-15", "ANT-16", "history/model-thinking"}),
        ("openinference-google-genai.gemini.nothink", {"GEM-08", "history/model-thinking"}),
        ("otel-anthropic.messages.nothink", {"history/model-thinking"}),
    ],
)
def test_thinking_that_did_not_go_back(name: str, rules: set[str]) -> None:
    assert set(ids(judged(PLAIN / f"{name}.jsonl")[0])) == rules


# --- 1 to 15 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["openinference-anthropic.messages", "openinference-openai.chat"])
def test_1_attributes_that_were_dropped(name: str) -> None:
    """Beyond 128 attributes an SDK drops the oldest: the request, and parts of the flat history."""
    findings, totals = judged(FILES / "default-limit" / f"{name}.limit.jsonl")
    assert (findings, set(totals.grades), set(totals.why)) == ([], {"not at all"}, {("cut by the recorder", "")})


def test_2_values_that_were_cut() -> None:
    """A limit of 200 characters ends JSON in its middle, and nothing says so. The flat history is whole."""
    for run, expected in (("none", []), ("forgot", ["OAC-03", "history/results"])):
        path = FILES / "cut" / f"openinference-openai.chat.{run}.jsonl"
        findings, totals = judged(path)
        assert (ids(findings), dict(totals.grades)) == (expected, {"in part": 2})


def test_3_inputs_that_were_hidden() -> None:
    for run in ("none", "forgot"):
        findings, totals = judged(FILES / "hidden-inputs" / f"openinference-anthropic.messages.{run}.jsonl")
        assert (findings, dict(totals.grades)) == ([], {"not at all": 2})
        assert dict(totals.why) == {("hidden", ""): 2}


def test_3_texts_that_were_hidden_in_one_place_only() -> None:
    """The flat texts are hidden, and the whole request is not: it is judged, and nothing of it is printed in full."""
    path = FILES / "hidden-text" / "openinference-openai.responses.forgot.jsonl"
    assert "__REDACTED__" in path.read_text(encoding="utf-8")
    findings, totals = judged(path)
    assert (ids(findings), dict(totals.grades)) == (["OAI-10", "history/results"], {"whole": 2})


@pytest.mark.parametrize(
    "name", ["openinference-anthropic.messages.none+stream", "openinference-pydantic-ai.pydantic-ai.none"]
)
def test_4_a_request_that_the_sdk_records_once_more(name: str) -> None:
    path = PLAIN / f"{name}.jsonl"
    assert path.read_text(encoding="utf-8").count("com.anthropic.sdk.python") >= 2
    assert judged(path)[1].requests == 2


def test_5_ids_of_two_kinds() -> None:
    findings, totals = judged(PLAIN / "openllmetry-openai.responses.none.jsonl")
    assert (findings, totals.why["ids of two kinds", ""]) == ([], 1)
    assert totals.lacking["ids"] == 1


def test_6_parts_in_another_order_and_two_finish_reasons() -> None:
    for turn in turns(PLAIN / "otel-openai.chat.none.jsonl"):
        assert "part-order" not in turn.facts
    reasons = {"gen_ai__response__finish_reasons": ["stop", "length"]}
    cut = [
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "a", "name": "f"}], "finish_reason": "tool_call"}
    ]
    asked = [{"role": "user", "parts": [{"type": "text", "content": "hi"}]}]
    turn = partial(gen_ai__input__messages=json.dumps(asked), gen_ai__output__messages=json.dumps(cut), **reasons)
    assert turn.reply.turn.stop is FinishReason.MAX_TOKENS


def partial(**attributes: Any) -> Any:
    """What one span with messages shows."""
    import io

    spans = document(span(1, gen_ai__operation__name="chat", **attributes), scope="opentelemetry.instrumentation.x")
    [only] = read_spans("f", io.BytesIO(json.dumps(spans).encode()))
    return turn_of(only)


def test_7_tools_that_are_listed_as_messages() -> None:
    """Langfuse lists the declared tools as messages of a tool: without the id of a call they are no results."""
    first, second = turns(PLAIN / "langfuse.langchain.none.jsonl")
    assert [message.role for message in first.conversation.messages] == ["user"]
    assert sum(len(message.results) for message in second.conversation.messages) == 2


def test_8_members_in_snake_case() -> None:
    """Google's SDK spells members otherwise than its API; what is the user's own keeps its spelling."""
    first, second = turns(PLAIN / "openinference-google-genai.gemini.none.jsonl", WholeTurn)
    assert b'"finishReason"' in first.asked.response
    body = json.loads(second.asked.body)
    assert body["contents"][1]["parts"][2]["functionCall"]["args"] == {"city": "Oslo"}
    assert body["generationConfig"] == {"thinkingConfig": {"includeThoughts": True}}


@pytest.mark.parametrize("name", ["otel-anthropic.messages.trunc", "openllmetry-anthropic.messages.trunc"])
def test_9_arguments_that_were_cut_off_are_recorded_as_an_empty_object(name: str) -> None:
    path = PLAIN / f"{name}.jsonl"
    assert judged(path)[0] == []
    [call] = turns(path)[0].reply.turn.calls
    assert turns(path)[0].reply.turn.stop is FinishReason.MAX_TOKENS
    assert "arguments-text" not in turns(path)[0].facts
    assert json.loads(call.arguments) == {}


@pytest.mark.parametrize(
    ("call", "result"),
    [
        ({"type": "tool_call", "arguments": {"a": 1}}, {"type": "tool_call_response", "response": "r"}),
        ({"type": "tool_call", "arguments": '{"a": 1}'}, {"type": "tool_call_response", "result": "r"}),
        ({"type": "tool_use", "input": {"a": 1}}, {"type": "tool_result", "content": [{"type": "text", "text": "r"}]}),
    ],
)
@pytest.mark.parametrize("roles", [("assistant", "tool"), ("model", "user"), ("ai", "function")])
def test_10_names_of_parts_and_roles_differ(call: Any, result: Any, roles: tuple[str, str]) -> None:
    messages = [
        {"role": "user", "parts": [{"type": "text", "content": "hi"}]},
        {"role": roles[0], "parts": [{"type": "thinking", "content": "hm"}, {**call, "id": "i", "name": "f"}]},
        {"role": roles[1], "parts": [{**result, "id": "i"}]},
    ]
    asked, called, answered = partial(gen_ai__input__messages=json.dumps(messages)).conversation.messages
    [made] = called.calls
    assert (asked.role, called.role, answered.role) == ("user", "assistant", "tool")
    assert (made, json.loads(made.arguments)) == (Call("f", made.arguments, "i"), {"a": 1})
    assert answered.parts == (Result("i", "r"),)


def test_11_a_framework_shows_what_it_passed_on() -> None:
    """LangChain's own thinking is in no flat attribute: that it is missing is no finding, and the report says why."""
    findings, totals = judged(PLAIN / "openinference-langchain.langchain.nothink.jsonl")
    assert findings == []
    assert totals.why["what was sent is not recorded", ""] == 2
    assert (totals.lacking["thinking"], totals.lacking["signatures"]) == (2, 2)


def test_12_a_file_without_requests_is_bad_input(tmp_path: Path) -> None:
    """An instrumentation whose version does not fit writes nothing: that is not the same as no finding."""
    with pytest.raises(BadInput, match="found none in 1 spans"):
        judged(written(tmp_path / "f", document(span(1, gen_ai__operation__name="embeddings"))))


def test_13_content_that_is_off() -> None:
    findings, totals = judged(FILES / "no-content" / "otel-anthropic.messages.forgot.jsonl")
    assert (findings, dict(totals.grades)) == ([], {"not at all": 2})
    [(why, hint)] = totals.why
    assert (why, hint[:49]) == ("content is not recorded", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTEN")


def test_13_content_that_is_in_log_records() -> None:
    findings, totals = judged(FILES / "events" / "otel-openai.chat.forgot.jsonl")
    assert (ids(findings), dict(totals.grades)) == (["OAC-03", "history/results"], {"in part": 2})


def test_14_ids_in_base64() -> None:
    path = FILES / "base64" / "openinference-openai.chat.forgot.jsonl"
    findings, _ = judged(path)
    assert ids(findings) == ["OAC-03", "history/results"]
    assert len(findings[0].span) == 16
    assert findings[0].span not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "attributes", "wire"),
    [
        ("NouoKgcpifoqut", {}, "openai-chat"),
        ("answer", {"gen_ai.response.id": "chatcmpl-K3gcpVertexgoogle"}, "openai-chat"),
        ("answer", {"gen_ai.response.id": "resp_0a"}, "openai-responses"),
        ("answer", {"gen_ai.response.id": "a_resp_0a"}, "openai-chat"),
        ("responses", {}, "openai-responses"),
        ("ChatAnthropic", {}, "anthropic-messages"),
        ("ChatVertexAI", {}, "gemini-generate"),
        ("chat", {"gen_ai.system": "gcp.gemini"}, "gemini-generate"),
        ("chat", {"gen_ai.system": "vertex_ai"}, "gemini-generate"),
        ("chat", {"gen_ai.request.model": "us.anthropic.claude-sonnet-4-5"}, "anthropic-messages"),
        ("chat", {"gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-5.5"}, "openai-chat"),
    ],
)
def test_an_api_is_recognised_by_words_and_not_by_letters_of_an_id(
    name: str, attributes: dict[str, str], wire: str
) -> None:
    history = [{"role": "user", "parts": [{"type": "text", "content": "hi"}]}]
    asked = TraceSpan("t", "s", "", name, {"gen_ai.input.messages": json.dumps(history), **attributes})
    turn = partial_turn(asked)
    assert isinstance(turn, PartialTurn)
    assert turn.conversation.wire == wire


def test_15_a_run_in_several_traces_and_two_agents_in_one_trace(tmp_path: Path) -> None:
    """The loops on SDKs have a trace for each request; here two of them, mixed, are put into one trace."""
    forgot = (PLAIN / "openinference-openai.chat.forgot.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(judged(PLAIN / "openinference-openai.chat.forgot.jsonl")[1].traces) == 2
    right = (PLAIN / "openinference-anthropic.messages.none.jsonl").read_text(encoding="utf-8").splitlines()
    mixed = [json.loads(line) for pair in zip(forgot, right, strict=False) for line in pair]
    for each in mixed:
        for found in each["resourceSpans"][0]["scopeSpans"]:
            for one in found["spans"]:
                one["traceId"] = f"{1:032x}"
    findings, totals = judged(written(tmp_path / "f", *mixed))
    assert (ids(findings), len(totals.traces)) == (["OAC-03", "history/results"], 1)


# --- runs of tools ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pydantic-ai.pydantic-ai", "langfuse.langchain", "openinference-langchain.langchain"])
def test_results_that_were_exchanged(name: str) -> None:
    findings, totals = judged(PLAIN / f"{name}.swapped.jsonl")
    assert (ids(findings), totals.tool_runs) == (["T-1"], 2)
    assert {found.finding.level for found in findings} == {"MUST"}


def test_a_call_that_was_cut_off_and_refused_did_not_run() -> None:
    path = PLAIN / "pydantic-ai.pydantic-ai.trunc.jsonl"
    findings, totals = judged(path)
    assert (findings, totals.tool_runs) == ([], 1)
    with path.open("rb") as stream:
        [run] = [run_of(each) for each in read_spans("f", stream) if each.name.startswith("execute_tool")]
    assert run.how == "refused"


def test_gaps_say_nothing_of_what_they_hide() -> None:
    for turn in turns(FILES / "hidden-inputs" / "openinference-anthropic.messages.none.jsonl", Gap):
        assert turn.facts == frozenset()
