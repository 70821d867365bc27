"""Content parts and files, numbers, tools and structured answers: OAI-20 to OAI-25, OAI-FORMAT."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

OAI_20: Final = WireRule(
    "OAI-20",
    "A message has a role that there is, and parts that fit it: output_text and refusal for the assistant, input_* for "
    "everybody else and in the output of a call. Types of Chat (text, image_url) are none.",
    "A loop that gives every message the same parts works until it sends the first answer back.",
    "certain",
    (
        "https://github.com/NousResearch/hermes-agent/issues/15687",
        "https://community.openai.com/t/1365014 (input_image in an assistant message)",
        "https://github.com/linanwx/nagobot/issues/27 (output_text in an output)",
        "several projects quote the wordings for Chat's types and for roles",
    ),
    (
        ErrorTemplate(
            "Invalid value: '{kind}'. Supported values are: 'output_text' and 'refusal'.",
            "{at}",
            "invalid_value",
            seen="Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
            name="assistant",
        ),
        ErrorTemplate(
            "Invalid value: '{kind}'. Supported values are: 'input_text', 'input_image', 'input_file', and "
            "'scoped_content'.",
            "{at}",
            "invalid_value",
            seen="Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', 'input_file', "
            "and 'scoped_content'.",
            name="input",
        ),
        ErrorTemplate(
            "Invalid value: '{kind}'. Supported values are: 'input_text', 'input_image', 'output_text', 'refusal', "
            "'input_file', 'computer_screenshot', and 'summary_text'.",
            "{at}.type",
            "invalid_value",
            seen="Invalid value: 'text'. Supported values are: 'input_text', 'input_image', 'output_text', "
            "'refusal', 'input_file', 'computer_screenshot', and 'summary_text'.",
            name="chat",
        ),
        ErrorTemplate(
            "Invalid value: '{kind}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
            "{at}",
            "invalid_value",
            certainty="likely",
            seen="Invalid value: '…'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
            name="role",
        ),
    ),
)

OAI_21: Final = WireRule(
    "OAI-21",
    "A file part has a file: its id, a URL, or base64 data in a data URL of a type that can be read. An image's URL is "
    "a URL. Sound and video are not read.",
    "A tool that returns whatever it finds makes the next request fail, after the tool has done its work.",
    "certain",
    (
        "recordings test_multimodal_tool_return_matrix[*-audio-openai_responses]",
        "the wordings for data without a type and for URLs as they are remembered",
    ),
    (
        ErrorTemplate(
            "Invalid file data: '{param}'. Expected a base64-encoded data URL with a valid file MIME type (e.g. "
            "'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type '{mime}'. Please see "
            "https://platform.openai.com/docs/assistants/tools/file-search#supported-files for supported file "
            "types.",
            "{param}",
            "invalid_value",
            seen="Invalid file data: 'input[3].output[0].file_data'. Expected a base64-encoded data URL with a "
            "valid file MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME "
            "type 'audio/mpeg'. Please see https://platform.openai.com/docs/assistants/tools/file-search"
            "#supported-files for supported file types.",
            name="data",
        ),
        verbatim(
            "The file type you uploaded is not supported. Please try again with a pdf",
            "input",
            "unsupported_file",
            name="type",
        ),
        ErrorTemplate(
            "Invalid file data: '{param}'. Expected a base64-encoded data URL with a valid file MIME type (e.g. "
            "'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got a value without a MIME type.",
            "{param}",
            "invalid_value",
            certainty="likely",
            name="no data URL",
        ),
        ErrorTemplate(
            "Invalid '{param}'. Expected a valid URL, but got a value with an invalid format.",
            "{param}",
            "invalid_value",
            certainty="likely",
            name="url",
        ),
    ),
    applies="files whose type is known from the data URL or the ending of the URL",
)

OAI_22: Final = WireRule(
    "OAI-22",
    "Numbers are in their bounds: temperature 0 to 2, top_p 0 to 1, top_logprobs 0 to 20, max_output_tokens at least "
    "16.",
    "A loop that reckons max_output_tokens from what is left of the window sends less than 16 when the window is full.",
    "certain",
    (
        "recordings test_openai_responses_model_http_error (temperature), "
        "chat_completions_validation_error_carries_identity (Chat)",
        "https://github.com/earendil-works/pi/issues/6265, "
        "https://github.com/vectorize-io/hindsight/issues/58 (max_output_tokens)",
    ),
    (
        ErrorTemplate(
            "Invalid '{name}': decimal below minimum value. Expected a value >= {limit}, but got {value} instead.",
            "{name}",
            "decimal_below_min_value",
            seen="Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.",
            name="decimal below",
        ),
        ErrorTemplate(
            "Invalid '{name}': decimal above maximum value. Expected a value <= {limit}, but got {value} instead.",
            "{name}",
            "decimal_above_max_value",
            seen="Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 99.0 instead.",
            name="decimal above",
        ),
        ErrorTemplate(
            "Invalid '{name}': integer below minimum value. Expected a value >= {limit}, but got {value} instead.",
            "{name}",
            "integer_below_min_value",
            seen="Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.",
            name="integer below",
        ),
        ErrorTemplate(
            "Invalid '{name}': integer above maximum value. Expected a value <= {limit}, but got {value} instead.",
            "{name}",
            "integer_above_max_value",
            certainty="inferred",
            name="integer above",
        ),
    ),
    applies="certain for temperature and max_output_tokens, inferred for the others",
)

OAI_23: Final = WireRule(
    "OAI-23",
    "A function's parameters are a JSON Schema of type object. With strict true every object in it says "
    "additionalProperties false and requires every property.",
    "One tool of which the schema is made by hand or taken from an MCP server makes every request fail, whether the "
    "model uses the tool or not.",
    "likely",
    (
        "recording test_model_call_with_tools of mirascope (a property that is not required)",
        "several projects quote the other two wordings",
    ),
    (
        ErrorTemplate(
            "Invalid schema for function '{name}': In context={context}, 'additionalProperties' is required to be "
            "supplied and to be false.",
            "{param}",
            "invalid_function_parameters",
            seen="Invalid schema for function 'f': In context=(), 'additionalProperties' is required to be "
            "supplied and to be false.",
            name="open",
        ),
        ErrorTemplate(
            "Invalid schema for function '{name}': In context={context}, 'required' is required to be supplied and "
            "to be an array including every key in properties. Missing '{missing}'.",
            "{param}",
            "invalid_function_parameters",
            certainty="certain",
            seen="Invalid schema for function 'get_current_weather': In context=(), 'required' is required to be "
            "supplied and to be an array including every key in properties. Missing 'unit'.",
            name="optional",
        ),
        ErrorTemplate(
            "Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', got "
            "'type: \"{kind}\"'.",
            "{param}",
            "invalid_function_parameters",
            seen="Invalid schema for function '…': schema must be a JSON Schema of 'type: \"object\"', got "
            "'type: \"None\"'.",
            name="no object",
        ),
    ),
)

OAI_24: Final = WireRule(
    "OAI-24",
    "tool_choice is none, auto or required, or names a tool that the request declares; required needs a tool.",
    "A loop that leaves the tools out of its last request, to get an answer, and keeps tool_choice, fails there.",
    "likely",
    ("several projects quote the wordings for required and for built-in tools; the others as they are remembered",),
    (
        ErrorTemplate("Tool choice '{kind}' not found in 'tools' parameter.", "tool_choice", name="unknown"),
        ErrorTemplate(
            "Tool choice '{kind}' must be specified with 'tools' parameter.",
            "tool_choice",
            seen="Tool choice 'required' must be specified with 'tools' parameter.",
            name="no tools",
        ),
        ErrorTemplate(
            "Invalid value: '{kind}'. Supported values are: 'none', 'auto', and 'required'.",
            "tool_choice",
            "invalid_value",
            certainty="inferred",
            name="word",
        ),
    ),
)

OAI_25: Final = WireRule(
    "OAI-25",
    "The name of a tool, and of a call, has letters, digits, underscores and dashes only, 1 to 64 of them.",
    "Names that are put together from a server's and a tool's have dots, slashes or blanks in them.",
    "certain",
    (
        "https://github.com/justrach/codegraff/issues/930",
        "https://github.com/openai/openai-dotnet/issues/441",
        "https://github.com/openai/codex/pull/8694",
    ),
    (
        ErrorTemplate(
            "Invalid '{param}': string does not match pattern. Expected a string that matches the pattern "
            "'^[a-zA-Z0-9_-]+$'.",
            "{param}",
            "invalid_value",
            seen="Invalid 'tools[16].name': string does not match pattern. Expected a string that matches the "
            "pattern '^[a-zA-Z0-9_-]+$'.",
            name="pattern",
        ),
        ErrorTemplate(
            "Invalid '{param}': empty string. Expected a string with minimum length 1, but got an empty string "
            "instead.",
            "{param}",
            "empty_string",
            certainty="likely",
            name="empty",
        ),
        ErrorTemplate(
            "Invalid '{param}': string too long. Expected a string with maximum length {limit}, but got a string "
            "with length {length} instead.",
            "{param}",
            "string_above_max_length",
            certainty="inferred",
            name="long",
        ),
    ),
    applies="certain for declared tools, likely for calls; a call comes back under the name that was issued",
)

OAI_FORMAT: Final = WireRule(
    "OAI-FORMAT",
    "The schema of a structured answer that is strict is closed: every object in it says additionalProperties false "
    "and requires every property. What it refers to is in it, from its root.",
    "A schema that a model class makes is open, has fields that may be left out, or has definitions below its root.",
    "certain",
    (
        "a reference: the recorded refusal of vercel/ai of a schema whose $defs are below its root",
        "https://github.com/mavam/pi-web-providers/issues/14 (the whole body)",
        "a property that is not required: likely, as for the parameters of functions (OAI-23)",
    ),
    (
        ErrorTemplate(
            "Invalid schema for response_format '{name}': In context={context}, 'additionalProperties' is required "
            "to be supplied and to be false.",
            "text.format.schema",
            "invalid_json_schema",
            seen="Invalid schema for response_format 'codex_output_schema': In context=(), 'additionalProperties' "
            "is required to be supplied and to be false.",
            name="open",
        ),
        ErrorTemplate(
            "Invalid schema for response_format '{name}': In context={context}, 'required' is required to be "
            "supplied and to be an array including every key in properties. Missing '{missing}'.",
            "text.format.schema",
            "invalid_json_schema",
            certainty="likely",
            name="optional",
        ),
        ErrorTemplate(
            "Invalid schema for response_format '{name}': In context={context}, reference to component "
            "'{reference}' which was not found in the schema.",
            "text.format.schema",
            "invalid_json_schema",
            seen="Invalid schema for response_format 'response': In context=('properties', 'elements', 'items', "
            "'properties', 'shared'), reference to component '#/$defs/Shared' which was not found in the schema.",
            name="reference",
        ),
    ),
    applies="formats of type json_schema with strict true",
)
