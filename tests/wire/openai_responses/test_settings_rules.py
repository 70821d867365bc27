"""The rules about models, parts, files, tools and length (OAI-02, OAI-03, OAI-20 to OAI-27), word for word."""

from __future__ import annotations

from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import IssuedState
from tests.wire.openai_responses.histories import asked_and_answered, continuation, judge
from tests.wire.openai_responses.speak import PATCH, QUESTION, READ_FILE, TURNS


def only(found: list[Finding]) -> tuple[Any, ...]:
    (violation,) = found
    return violation.id, violation.level, violation.answered.message, violation.answered.param, violation.answered.code


@pytest.mark.parametrize(
    ("model", "level"),
    [("GPT 5.5", "MUST"), ("gpt-5.2-proo", "INFO"), ("llama-3.3-70b", "INFO"), ("my-deployment", "INFO")],
)
def test_oai_02_a_model_that_no_family_has(model: str, level: str) -> None:
    message = f"The requested model '{model}' does not exist."
    assert only(judge(IssuedState(), "x", model=model)) == ("OAI-02", level, message, "model", "model_not_found")


@pytest.mark.parametrize("model", ["deepseek-v4-flash", "grok-4.3", "openai/gpt-4.1-mini", "ft:gpt-4o:org::abc"])
def test_oai_02_models_of_others_and_of_ones_own_are_known(model: str) -> None:
    assert judge(IssuedState(), "x", model=model) == []


@pytest.mark.parametrize("empty", [[], ""])
def test_oai_03_an_empty_input_asks_nothing(empty: Any) -> None:
    message = """One of "input" or "previous_response_id" or 'prompt' or 'conversation' must be provided."""
    assert only(judge(IssuedState(), empty)) == ("OAI-03", "SHOULD", message, "input", "missing_required_parameter")
    assert judge(IssuedState(), empty, conversation="conv_1") == []


def test_oai_04_tools_in_chats_shape() -> None:
    nested = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    message = "Missing required parameter: 'tools[0].name'."
    expected = ("OAI-04", "MUST", message, "tools[0].name", "missing_required_parameter")
    assert only(judge(IssuedState(), "x", tools=[nested])) == expected


def test_oai_05_parameters_of_chat_have_moved() -> None:
    (moved,) = judge(IssuedState(), "x", messages=[])
    assert moved.answered.message.startswith(
        "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved"
    )
    assert (moved.answered.param, moved.answered.code, moved.level) == (None, "unsupported_parameter", "MUST")
    message = "Unknown parameter: 'max_tokens'."
    assert only(judge(IssuedState(), "x", max_tokens=9)) == (
        "OAI-05",
        "SHOULD",
        message,
        "max_tokens",
        "unknown_parameter",
    )


@pytest.mark.parametrize(
    ("items", "message", "param"),
    [
        (
            [{"role": "tool", "content": "x"}],
            "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
            "input[0]",
        ),
        (
            [{"content": "x"}],
            "Invalid value: ''. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
            "input[0]",
        ),
        (
            [{"role": "user", "content": [{"type": "input_text", "text": "a"}, {"type": "text", "text": "x"}]}],
            "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', 'output_text', 'refusal', "
            "'input_file', 'computer_screenshot', and 'summary_text'.",
            "input[0].content[1].type",
        ),
        (
            [
                {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c", "output": [{"type": "output_text", "text": "x"}]},
            ],
            "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', 'input_file', and "
            "'scoped_content'.",
            "input[1].output[0]",
        ),
    ],
)
def test_oai_20_what_no_message_has(items: Any, message: str, param: str) -> None:
    (violation,) = judge(IssuedState(), items)
    assert (violation.id, violation.answered.message, violation.answered.param, violation.answered.code) == (
        "OAI-20",
        message,
        param,
        "invalid_value",
    )


PDF = "data:application/pdf;base64,JVBERi0="


@pytest.mark.parametrize(
    ("part", "message", "param"),
    [
        (
            {"type": "input_file", "file_url": "https://a.example/x/song.MP3?token=1"},
            "The file type you uploaded is not supported. Please try again with a pdf",
            "input",
        ),
        (
            {"type": "input_file", "filename": "a.mp3", "file_data": "data:audio/mpeg;base64,SUQz"},
            "Invalid file data: 'input[0].content[0].file_data'. Expected a base64-encoded data URL with a valid file "
            "MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type "
            "'audio/mpeg'. Please see",
            "input[0].content[0].file_data",
        ),
        (
            {"type": "input_file", "filename": "a.pdf", "file_data": "JVBERi0="},
            "Invalid file data: 'input[0].content[0].file_data'. Expected a base64-encoded data URL",
            "input[0].content[0].file_data",
        ),
        (
            {"type": "input_image", "detail": "auto", "image_url": "file:///a.png"},
            "Invalid 'input[0].content[0].image_url'. Expected a valid URL",
            "input[0].content[0].image_url",
        ),
    ],
)
def test_oai_21_a_file_cannot_be_read(part: dict[str, Any], message: str, param: str) -> None:
    (violation,) = judge(IssuedState(), [{"role": "user", "content": [part]}])
    assert violation.id == "OAI-21"
    assert violation.answered.message.startswith(message)
    assert violation.answered.param == param


@pytest.mark.parametrize(
    "part",
    [
        {"type": "input_file", "filename": "a.pdf", "file_data": PDF},
        {"type": "input_file", "file_url": "https://a.example/a.pdf"},
        {"type": "input_file", "file_id": "file-1"},
        {"type": "input_file", "file_url": "https://a.example/download?name=a.mp3"},
        {"type": "input_image", "detail": "auto", "image_url": "https://a.example/a.png"},
        {"type": "input_image", "detail": "auto", "image_url": "data:image/png;charset=utf-8;base64,iVBO"},
        {"type": "input_image", "detail": "auto", "file_id": "file-1"},
        {"type": "input_image", "detail": "auto", "image_url": None, "file_id": "file-1"},
    ],
)
def test_oai_21_files_that_can_be_read(part: dict[str, Any]) -> None:
    assert judge(IssuedState(), [{"role": "user", "content": [part]}]) == []


INNER = {"type": "object", "properties": {"a": {"type": "string"}}}
CLOSED = {**INNER, "required": ["a"], "additionalProperties": False}


def strict(**properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
    return {**READ_FILE, "strict": True, "parameters": schema}


@pytest.mark.parametrize(
    ("tool", "context"),
    [
        (strict(edit=INNER), "('properties', 'edit')"),
        (strict(edits={"type": "array", "items": INNER}), "('properties', 'edits', 'items')"),
        (strict(edit={"anyOf": [CLOSED, INNER]}), "('properties', 'edit', 'anyOf', '1')"),
    ],
)
def test_oai_23_an_inner_object_is_open(tool: dict[str, Any], context: str) -> None:
    (violation,) = judge(IssuedState(), "x", tools=[tool])
    assert violation.answered.message == (
        f"Invalid schema for function 'read_file': In context={context}, 'additionalProperties' is required to be "
        "supplied and to be false."
    )
    assert judge(IssuedState(), "x", tools=[strict(edit=CLOSED)]) == []


@pytest.mark.parametrize(("schema", "kind"), [({}, "None"), ({"type": "string"}, "string")])
def test_oai_23_a_schema_of_no_object(schema: dict[str, Any], kind: str) -> None:
    (violation,) = judge(IssuedState(), "x", tools=[{**READ_FILE, "parameters": schema}])
    assert violation.answered.message == (
        "Invalid schema for function 'read_file': schema must be a JSON Schema of 'type: \"object\"', got "
        f"'type: \"{kind}\"'."
    )
    assert judge(IssuedState(), "x", tools=[{**READ_FILE, "parameters": None}]) == []


@pytest.mark.parametrize(
    ("choice", "tools", "message"),
    [
        ("any", None, "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'."),
        ("required", [], "Tool choice 'required' must be specified with 'tools' parameter."),
        ({"type": "custom", "name": "read_file"}, None, "Tool choice 'custom' not found in 'tools' parameter."),
        (
            {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "g"}]},
            None,
            "Tool choice 'function' not found in 'tools' parameter.",
        ),
    ],
)
def test_oai_24_a_choice_that_cannot_be_made(choice: Any, tools: Any, message: str) -> None:
    declared = [READ_FILE, PATCH] if tools is None else tools
    (violation,) = judge(IssuedState(), "x", tools=declared, tool_choice=choice)
    assert (violation.id, violation.answered.message, violation.answered.param) == ("OAI-24", message, "tool_choice")


@pytest.mark.parametrize(
    "members",
    [
        {
            "tool_choice": {
                "type": "allowed_tools",
                "mode": "auto",
                "tools": [{"type": "function", "name": "read_file"}],
            }
        },
        {"tool_choice": {"type": "image_generation"}, "tools": [{"type": "image_generation"}]},
        {"tool_choice": {"type": "function", "name": "f"}, "tools": [{"type": "namespace", "name": "n", "tools": []}]},
        {"tool_choice": "none", "tools": []},
    ],
)
def test_oai_24_choices_that_can_be_made(members: dict[str, Any]) -> None:
    assert judge(IssuedState(), [QUESTION], **members) == []


def test_oai_24_a_history_may_bring_tools() -> None:
    brought = {"type": "additional_tools", "role": "developer", "tools": [READ_FILE]}
    choice = {"type": "function", "name": "read_file"}
    assert judge(IssuedState(), [brought, QUESTION], tools=[], tool_choice=choice) == []


def test_oai_25_a_call_keeps_the_name_that_was_issued() -> None:
    sent = asked_and_answered(TURNS["call"])
    items = continuation(sent)
    items[1]["name"] = "files.read"
    message = (
        "Invalid 'input[1].name': string does not match pattern. Expected a string that matches the pattern "
        "'^[a-zA-Z0-9_-]+$'."
    )
    assert only(judge(sent, items)) == ("OAI-25", "SHOULD", message, "input[1].name", "invalid_value")
    sent.replies[0].items[0]["name"] = "files.read"
    sent.memory = None
    assert judge(sent, items) == []


@pytest.mark.parametrize(
    ("members", "message", "param", "code", "level"),
    [
        (
            {"model": "gpt-5-codex", "temperature": 0.2},
            "Unsupported parameter: 'temperature' is not supported with this model.",
            "temperature",
            None,
            "MUST",
        ),
        (
            {"model": "gpt-5.4", "top_p": 0.5, "reasoning": {"effort": "low"}},
            "Unsupported parameter: 'top_p' is not supported with this model.",
            "top_p",
            None,
            "SHOULD",
        ),
        (
            {"model": "o3-mini", "temperature": 1},
            "Unsupported parameter: 'temperature' is not supported with this model.",
            "temperature",
            None,
            "INFO",
        ),
        (
            {"model": "gpt-4o", "reasoning": {"effort": "low"}},
            "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
            "reasoning.effort",
            "unsupported_parameter",
            "MUST",
        ),
        (
            {"model": "gpt-5.1", "reasoning": {"effort": "minimal"}},
            "Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: 'none', "
            "'low', 'medium', and 'high'.",
            "reasoning.effort",
            "unsupported_value",
            "SHOULD",
        ),
        (
            {"model": "gpt-5-pro", "reasoning": {"effort": "low"}},
            "Unsupported value: 'low' is not supported with the 'gpt-5-pro' model. Supported values are: 'high'.",
            "reasoning.effort",
            "unsupported_value",
            "SHOULD",
        ),
        (
            {"model": "gpt-5.6-sol", "top_logprobs": 2},
            "logprobs are not supported with reasoning models.",
            "top_logprobs",
            "unsupported_parameter",
            "MUST",
        ),
    ],
)
def test_oai_26_what_a_model_does_not_support(
    members: dict[str, Any], message: str, param: str, code: str | None, level: str
) -> None:
    assert only(judge(IssuedState(), "x", **members)) == ("OAI-26", level, message, param, code)


@pytest.mark.parametrize(
    "members",
    [
        {"model": "gpt-5.4", "temperature": 0.2},
        {"model": "gpt-5.5", "temperature": 0.2, "reasoning": {"effort": "none"}},
        {"model": "gpt-5-chat-latest", "temperature": 0.2},
        {"model": "gpt-5.4", "top_logprobs": 2},
        {"model": "gpt-4.1", "top_logprobs": 2, "reasoning": {"effort": None}},
        {"model": "gpt-6-astra", "reasoning": {"effort": "max"}},
        {"model": "gpt-6.2-sol", "reasoning": {"effort": "anything"}},
        {"model": "grok-4.3", "temperature": 0.2, "reasoning": {"effort": "low"}},
    ],
)
def test_oai_26_what_a_model_supports(members: dict[str, Any]) -> None:
    assert judge(IssuedState(), "x", **members) == []


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
    message = "Your input exceeds the context window of this model. Please adjust your input and try again."
    expected = ("OAI-27", level, message, "input", "context_length_exceeded")
    assert only(judge(IssuedState(), text, model=model)) == expected
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
