"""Rules beside the numbered ones: the form of the body, function declarations and settings of the answer.

Protobuf JSON, which all of Google's APIs read: every name in camelCase or in snake_case, null as good as nothing, a
single object as good as a list of one, no unknown names.
"""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

GEM_BODY: Final = WireRule(
    "GEM-BODY",
    "The body is one JSON object.",
    "Nothing else is looked at in a body that cannot be read.",
    "certain",
    ("no reader of JSON takes it; the texts are remembered, not recorded",),
    (
        ErrorTemplate("Invalid JSON payload received. Unexpected token.\n{text}\n^"),
        ErrorTemplate('Invalid JSON payload received. Unknown name "": Root element must be a message.', name="root"),
    ),
)

GEM_FIELD: Final = WireRule(
    "GEM-FIELD",
    "Every member of the request is one that the API knows, and only repeated members contain a list.",
    "Members of other APIs (an id on a part, a role inside parts, cache_control) are refused by name, wherever they "
    "are.",
    "likely",
    (
        "https://github.com/gera2ld/ai.nvim/issues/13",
        "https://github.com/fishjar/kiss-translator/issues/256",
        "https://github.com/Chevey339/kelivo/issues/543",
        "https://github.com/google-gemini/gemini-cli/issues/13972",
        "the members: google-genai 3.4, types; likely (L) only, as the API may have grown since",
        "the second text: protobuf's ProtoStreamObjectWriter, and the code of several clients",
    ),
    (
        ErrorTemplate(
            'Invalid JSON payload received. Unknown name "{name}"{where}: Cannot find field.',
            seen="Invalid JSON payload received. Unknown name \"role\" at 'contents[0].parts': Cannot find field.",
        ),
        ErrorTemplate(
            'Invalid JSON payload received. Unknown name "{name}"{where}: Proto field is not repeating, cannot '
            "start list.",
            seen='Invalid JSON payload received. Unknown name "type"…: Proto field is not repeating, cannot start '
            "list.",
            name="list",
        ),
    ),
)

GEM_TYPE: Final = WireRule(
    "GEM-TYPE",
    "Every member has the type that the API declares: text, number, truth value, one of an enumeration, or an object.",
    "A number as a text that is none, or a text for an object, is refused before anything is looked at.",
    "likely",
    (
        "protobuf's JSON reader, as quoted for other members: "
        "https://github.com/agno-agi/agno/issues/2649, https://github.com/decolua/9router/issues/2489",
    ),
    (
        ErrorTemplate(
            "Invalid value at '{at}' ({type}), {value}",
            seen="Invalid value at 'tools[0].function_declarations[1].parameters.properties[0].value.type' "
            '(type.googleapis.com/google.cloud.aiplatform.v1beta1.Type), ""',
        ),
        ErrorTemplate("Invalid value at '{at}' (TYPE_BYTES), Base64 decoding failed for \"{value}\"", name="base64"),
    ),
)

GEM_PART: Final = WireRule(
    "GEM-PART",
    "A part contains exactly one thing: a text, a call, a response, data, a file, or what a server tool did.",
    "An object that lost its text to a serialiser that drops empty strings contains nothing; text and call that were "
    "joined into one part are two things.",
    "certain",
    (
        "https://github.com/boldsoftware/sketch/issues/68",
        "https://github.com/QuantumNous/new-api/issues/632",
        "https://github.com/songquanpeng/one-api/issues/2243",
        "two things in one part: the text is protobuf's, quoted from live answers in the code of several clients",
    ),
    (
        ErrorTemplate(
            "* GenerateContentRequest.{at}.data: required oneof field 'data' must have one initialized field\n",
            seen="* GenerateContentRequest.contents[33].parts[0].data: required oneof field 'data' must have one "
            "initialized field\n",
        ),
        ErrorTemplate(
            "Invalid value at '{at}' (oneof), oneof field 'data' is already set. Cannot set '{name}'",
            seen="Invalid value at '…contents[801].parts[0]' (oneof), oneof field 'data' is already set. Cannot "
            "set 'text'",
            name="two",
        ),
    ),
    applies="A part that contains only a signature, or a null, is only likely (L) refused.",
)

GEM_TOOL: Final = WireRule(
    "GEM-TOOL",
    "A tool declares something. Function names are unique, begin with a letter or underscore and have only letters, "
    "digits and _ . : - in at most 128 characters; a function has parameters or parametersJsonSchema, not both; there "
    "are at most 512 functions.",
    "One tool with a name that another provider allows (a blank, a slash) makes every request with tools fail.",
    "certain",
    (
        "https://github.com/google-gemini/gemini-cli/issues/9535 and /7869 (names; the limit was 64 then, "
        "https://ai.google.dev/gemini-api/docs/function-calling has 128)",
        "https://github.com/owndev/Open-WebUI-Functions/issues/135 (duplicates)",
        "https://github.com/google-gemini/gemini-cli/issues/19083, /25440 (512, Code Assist)",
        "tool_type: quoted in the code of several clients",
        "parameters and parametersJsonSchema exclude each other: google-genai 3.4, types.FunctionDeclaration; the "
        "answer is not known",
    ),
    (
        ErrorTemplate(
            "* GenerateContentRequest.{at}.name: Invalid function name. Must start with a letter or an "
            "underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes "
            "(-), with a maximum length of {longest}.\n",
            seen="* GenerateContentRequest.tools[0].function_declarations[18].name: Invalid function name. Must "
            "start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots "
            "(.), colons (:), or dashes (-), with a maximum length of 64.\n",
        ),
        ErrorTemplate(
            "Duplicate function declaration found: {name}",
            seen="Duplicate function declaration found: tool_function",
            name="duplicate",
        ),
        ErrorTemplate("Request contains an invalid argument.", certainty="likely", name="both"),
        ErrorTemplate(
            "* GenerateContentRequest.{at}.tool_type: required one_of 'tool_type' must have one initialized field\n",
            certainty="likely",
            seen="…tools[0].tool_type: required one_of 'tool_type' must have one initialized field…",
            name="empty",
        ),
        ErrorTemplate(
            "The GenerateContentRequest proto is invalid:\n  * {at}.function_declarations: [FIELD_INVALID] At most "
            "{most} function declarations can be specified.",
            certainty="likely",
            seen="The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations: "
            "[FIELD_INVALID] At most 512 function declarations can be specified.",
            name="many",
        ),
    ),
)

GEM_RANGE: Final = WireRule(
    "GEM-RANGE",
    "temperature is between 0 and 2, topP between 0 and 1, and there are at most 5 stopSequences.",
    "Settings of another provider's range are refused.",
    "certain",
    (
        "recording test_generate_content_invalid_temperature (Vertex AI, gemini-2.5-pro)",
        "temperature at the Developer API: measured 2026-07 in public code with Flash, Flash-Lite and Pro; what "
        "precedes the text is inferred",
        "stop sequences: measured 2026-09 in public code (Code Assist); topP: "
        "https://ai.google.dev/api/generate-content",
    ),
    (
        ErrorTemplate(
            "* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].\n",
            seen="…temperature must be in the range [0.0, 2.0]…",
        ),
        ErrorTemplate(
            "Unable to submit request because it has a temperature value of {value} but the supported range is "
            "from 0 (inclusive) to 2.0001 (exclusive). Update the value and try again.",
            seen="Unable to submit request because it has a temperature value of 1000 but the supported range is "
            "from 0 (inclusive) to 2.0001 (exclusive). Update the value and try again.",
            name="vertex",
        ),
        ErrorTemplate(
            "* GenerateContentRequest.generation_config.top_p: top_p must be in the range [0.0, 1.0].\n",
            certainty="inferred",
            name="top_p",
        ),
        ErrorTemplate(
            "* GenerateContentRequest.generation_config.stop_sequences: the number of stop_sequences must not "
            "exceed 5.\n",
            certainty="likely",
            seen="…the number of stop_sequences must not exceed 5…",
            name="stops",
        ),
    ),
)

GEM_LOGPROBS: Final = WireRule(
    "GEM-LOGPROBS",
    "responseLogprobs is requested only where the answer is not streamed and the model reports probabilities.",
    "A setting for evaluations that is left on in a streaming loop.",
    "certain",
    ("recordings Scoreboard/gemini-pro-latest_thinking/GenStream-TopLogprobs and GenSync-TopLogprobs",),
    (
        verbatim("LogProbs is not supported in streaming mode", certainty="likely"),
        verbatim("Logprobs is not enabled for this model", name="model"),
    ),
    applies="Streams: recorded with one model at the Developer API, likely (L) with others. The model: as recorded.",
)

GEM_APART: Final = WireRule(
    "GEM-APART",
    "Functions are declared neither beside an answer in JSON (responseMimeType) nor beside tools of Google's own.",
    "A loop that asks for its final answer in JSON works as long as it has no tools, and with newer models.",
    "certain",
    (
        "https://github.com/symfony/ai/issues/803 (both texts)",
        "https://github.com/symfony/ai/issues/1777 (gemini-2.5-flash, 2026-03)",
        "https://github.com/vercel/ai, recorded errors: google-structured-output-with-tools-error (mode ANY), "
        "issue-10023-output-with-tools-error",
        "Google's own tools beside functions: likely only, as it is not known of each of them",
        "Gemini 3 takes both: recordings test_strict_mode_with_tools/google_gemini_3_pro_preview, with 200",
    ),
    (
        ErrorTemplate(
            "Function calling with a response mime type: '{kind}' is unsupported",
            seen="Function calling with a response mime type: 'application/json' is unsupported",
            name="json",
        ),
        ErrorTemplate(
            "Forced function calling (ANY mode) with a response mime type: '{kind}' is unsupported",
            seen="Forced function calling (ANY mode) with a response mime type: 'application/json' is unsupported",
            name="forced",
        ),
        verbatim("Tool use with function calling is unsupported", certainty="likely", name="own"),
    ),
    applies="Gemini 2.5 and older.",
)
