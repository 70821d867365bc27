"""``harness explain`` of a provider's rule: what, why, where from, the answer, a right and a wrong request."""

from __future__ import annotations

import json

import pytest

from harness.cli.explain_subject import explain
from harness.errors import BadInput
from harness.report.explanations import FINDINGS
from harness.rules.demonstration import changes, example_of
from harness.spans.tool_runs import RUN_RULES, RunRule
from harness.wire import WireRule, wire_rules
from harness.wire.posted import Posted
from tests.case_tables import from_table


def told(rule: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert explain(rule) == 0
    return capsys.readouterr().out


@pytest.mark.sampled(9)
@pytest.mark.parametrize("rule", wire_rules().values(), ids=lambda rule: rule.id)
def test_every_rule_is_explained(rule: WireRule, capsys: pytest.CaptureFixture[str]) -> None:
    text = told(rule.id, capsys)
    words = " ".join(text.split())
    assert " ".join(rule.statement.split()) in words
    assert " ".join(rule.why.split()) in words
    assert text.startswith(f"{rule.id}  {'ALLOWED' if rule.permits else ''}")
    assert "A right request" in text
    example = example_of(rule)
    assert example is not None
    assert example.changes, "right and wrong look the same"
    if example.answer is not None:
        assert f"HTTP {example.answer.status}" in text
        assert example.message is not None
        assert example.message in json.dumps(json.loads(example.answer.body), ensure_ascii=False) or (
            json.dumps(example.message)[1:-1] in example.answer.body.decode()
        )


@from_table(__file__, "test_what_an_explanation_says")
def test_what_an_explanation_says(
    subject: str, start: str, parts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = told(subject, capsys)
    assert text.startswith(start)
    assert [part for part in parts if part not in text] == []


def test_the_wrong_request_differs_from_the_right_one(capsys: pytest.CaptureFixture[str]) -> None:
    right, wrong = told("ANT-01", capsys).split("Wrong: ")
    assert '"type": "tool_result"' in right
    assert any(line.lstrip().startswith("-") for line in wrong.splitlines())


def test_a_rule_that_there_is_not_is_told_with_a_near_one() -> None:
    with pytest.raises(BadInput, match="did you mean ANT-"):
        explain("ANT-99")


def test_a_difference_in_the_middle_of_a_long_text_is_shown() -> None:
    before = Posted("/v1/messages", {"signature": "a" * 200})
    after = Posted("/v1/messages", {"signature": "a" * 100 + "b" + "a" * 99})
    assert any("b" in line for line in changes(before, after) if line.startswith("+"))
    assert changes(before, before) == []


def test_evidence_is_told_for_each_rule() -> None:
    for rule in wire_rules().values():
        assert rule.evidence, rule.id
        assert rule.statement.endswith("."), rule.id
        assert rule.why.endswith("."), rule.id
        assert rule.permits != bool(rule.templates), rule.id


@pytest.mark.parametrize("name", FINDINGS)
def test_a_finding_that_no_rule_makes_is_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    statement, why = FINDINGS[name]
    words = " ".join(told(name, capsys).split())
    assert words.startswith(f"{name} MUST, ")
    assert words.endswith(f"{statement} {why}")


# --- the text of an error -------------------------------------------------------------------------------------

PASTED = (
    "openai.BadRequestError: Error code: 400 - {'error': {'message': 'No tool output found for function call call_9.', "
    "'type': 'invalid_request_error', 'param': 'input', 'code': None}}"
)


def test_the_rule_of_an_error_is_explained_with_what_to_change(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(PASTED, capsys)
    assert text.startswith("OAI-10  MUST, refused by the provider, on openai-responses: this is its error text\n")
    assert "\n  No tool output found for function call call_9.\n" in text
    assert " ".join(wire_rules()["OAI-10"].statement.split()) in " ".join(text.split())
    assert '\n  +      "type": "function_call_output",\n' in text, "the missing output is not among the lines to add"
    assert "'harness explain OAI-10'" in text


def test_what_is_wrong_comes_before_what_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(
        "messages.9.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", capsys
    ).splitlines()
    removed, added = (next(n for n, line in enumerate(lines) if line.startswith(f"  {sign} ")) for sign in "-+")
    assert removed < added


def test_a_text_that_no_rule_is_about_is_bad_input() -> None:
    for text in ("Rate limit reached for requests", '{"error": {"message": "Overloaded"}}', "[1]", "x " * 900):
        with pytest.raises(
            BadInput, match=r"not recognised as a request-format error: .*'harness lint-request"
        ) as raised:
            explain(text)
        assert len(str(raised.value)) < 700


def test_what_a_model_cannot_do_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    pasted = '400 {"error":{"message":"registry.ollama.ai/library/llama2:13b does not support tools"}}'
    text = told(pasted, capsys)
    assert text.startswith("no rule: the model or the server cannot do it; ask another model, or leave it out\n")
    assert "\n  cannot    tools\n  server    Ollama\n" in text
    assert explain(pasted, format="json") == 0
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["rules"], error["reason"]["kind"], error["reason"]["ability"]) == ([], "ability", "tools")
    text = told("API key not valid. Please pass a valid API key.", capsys)
    assert text == (
        "no rule: the key is not accepted; nothing in the request is wrong\n\n"
        "  seen in   recording auth_rejection_keeps_transport_shape\n"
    )


def test_an_error_is_explained_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(PASTED, format="json") == 0
    found = json.loads(capsys.readouterr().out)["error"]["rules"]
    assert found[0]["rule"]["id"] == "OAI-10"
    assert (found[0]["sureness"], found[0]["message"]) == ("certain", "No tool output found for function call call_9.")
    assert found[0]["rule"]["example"]["changes"]
    assert all(each["rule"]["example"] is None for each in found[1:])


@pytest.mark.parametrize("each", RUN_RULES, ids=lambda each: each.id)
def test_a_rule_about_runs_of_tools_is_explained(each: RunRule, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(each.id) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"{each.id}  {each.level}")
    assert each.why.split()[-1] in printed
    with pytest.raises(BadInput, match="no rule and no scenario is called 'T-9'"):
        explain("T-9")
