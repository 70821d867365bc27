"""Rules about what one message must be."""

from __future__ import annotations

from typing import Final

from harness.wire.openai_chat.rules.error_templates import (
    EMPTY_ARRAY,
    EMPTY_STRING,
    LONG_STRING,
    MISSING,
    TYPE,
    VALUE,
    seen,
)
from harness.wire.rule import ErrorTemplate, WireRule, verbatim

OAC_07: Final = WireRule(
    "OAC-07",
    "Every call has an id, which is not empty and at most 40 characters long.",
    "Ids of other providers' models are longer, or there are none: a history that moves from one provider to another "
    "is refused. An id that the endpoint itself issued fits, however long: other makers have limits of their own.",
    "certain",
    (
        "public code quotes the text for a long id",
        "accepted where they were issued: GenSync-Tools-SquareRoot-2 of DeepSeek-V4-Pro (46), "
        "test_openrouter_google_nested_schema (50)",
        "Mistral: https://github.com/nearai/ironclaw/issues/1241, https://github.com/anomalyco/opencode/issues/1680, "
        "https://github.com/karthink/gptel/issues/1203, https://github.com/editor-code-assistant/eca/issues/233; all "
        "ids of its recordings are such, but where the recorder has replaced them",
    ),
    (
        seen(
            LONG_STRING,
            "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, "
            "but got a string with length 53 instead.",
            name="maxLength",
        ),
        seen(MISSING, name="required"),
        seen(EMPTY_STRING, certainty="likely", name="minLength"),
        ErrorTemplate(
            "Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.",
            code="3280",
            kind="invalid_function_call",
            seen="Tool call id was call_search but must be a-z, A-Z, 0-9, with a length of 9.",
            name="mistral",
        ),
    ),
    applies="the length: names of OpenAI's models, and names of no known server; nine letters and digits: certain for "
    "Mistral's own names (mistral-large-latest, mistral-small-2506), inferred where others serve its models",
    about=("results", "ids"),
)

OAC_08: Final = WireRule(
    "OAC-08",
    "An assistant message without calls has no tool_calls; an empty list is refused.",
    "Adapters that always write the member send an empty list after the first turn without a call.",
    "certain",
    (
        "public code quotes the body",
        "accepted by Mistral, which sends it so: recording test_mistral_model_thinking_part",
    ),
    (
        seen(
            EMPTY_ARRAY,
            "Invalid 'messages[2].tool_calls': empty array. Expected an array with minimum length 1, "
            "but got an empty array instead.",
            name="minItems",
        ),
    ),
    applies="all but Mistral's models",
)

OAC_09: Final = WireRule(
    "OAC-09",
    "Every message has content that is not null; only an assistant message with calls, a refusal or sound may do "
    "without.",
    "A tool that returns nothing, or a turn in which the model said nothing, must go back as an empty text.",
    "certain",
    ("public code quotes live bodies",),
    (
        verbatim(
            "Invalid value for 'content': expected a string, got null.",
            param="messages.[{number}].content",
            name="null",
        ),
        seen(EMPTY_ARRAY, certainty="likely", name="minItems"),
    ),
)

OAC_10: Final = WireRule(
    "OAC-10",
    "Only user messages show images: a tool, system or assistant message has text parts only.",
    "A tool that returns a picture must hand it over in a user message behind the whole block of results.",
    "certain",
    (
        "https://github.com/OpenHands/OpenHands/issues/7700",
        "public code quotes the body with param and code",
    ),
    (
        ErrorTemplate(
            "Invalid '{at}'. Image URLs are only allowed for messages with role 'user', but this message with role "
            "'{role}' contains an image URL.",
            param="{at}",
            code="invalid_value",
            seen="Invalid 'messages[3]'. Image URLs are only allowed for messages with role 'user', but this "
            "message with role 'tool' contains an image URL.",
            name="image",
        ),
    ),
)

OAC_11: Final = WireRule(
    "OAC-11",
    "A call says its type and its function, whose arguments are text: the JSON as the model wrote it, not the object "
    "that it says.",
    "A loop that parses the arguments and puts the object back into its history is refused, and so is one that leaves "
    "empty arguments out.",
    "certain",
    (
        "https://github.com/aaif-goose/goose-mobile/pull/20 (an object)",
        "https://github.com/mark3labs/mcphost/issues/117 (none)",
        "Mistral sends and takes calls without a type",
    ),
    (
        seen(
            TYPE,
            "Invalid type for 'messages[2].tool_calls[0].function.arguments': expected a string, "
            "but got an object instead.",
            name="type",
        ),
        seen(MISSING, "Missing required parameter: 'messages[1].tool_calls[1].function.arguments'.", name="required"),
    ),
    about=("words",),
)

OAC_12: Final = WireRule(
    "OAC-12",
    "The arguments of a call need not be JSON: what the model wrote goes back as it is, valid or not.",
    "Repairing broken arguments before they go back is not needed, and hides from the model what it did.",
    "likely",
    ("recording TestExecutorWithOpenAIFunctionAgent sends '15 * 4' and is accepted; some other servers refuse it",),
    permits=True,
)

OAC_PART: Final = WireRule(
    "OAC-PART",
    "Every part of a content names its type and contains what that type needs, in the words of this wire: text, "
    "image_url, not those of another (input_text, tool_result).",
    "Parts that were written for another provider are refused, wherever in the history they are.",
    "certain",
    (
        "recording test_custom_llm_within_crew",
        "of another wire: public code quotes the body, param messages[1].content[0].type",
        "texts for a missing or wrong member: known from memory, likely",
        "types without a known refusal pass: other makers have video_url, thinking and more",
    ),
    (
        seen(MISSING, "Missing required parameter: 'messages[1].content[0].type'.", name="required"),
        seen(TYPE, certainty="likely", name="type"),
        seen(
            VALUE,
            "Invalid value: 'thinking'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', "
            "'audio', and 'file'.",
            name="foreign",
        ),
    ),
    applies="types of other wires: certain for OpenAI's models, likely for others",
)

OAC_ROLE: Final = WireRule(
    "OAC-ROLE",
    "Every message has a role of the API: system, developer, user, assistant, tool, or function.",
    "Histories of other providers have other roles (model, human), and so have loops that keep roles of their own.",
    "certain",
    (
        "public code quotes the body, param messages[0].role, code invalid_value",
        "other servers may take any role (Ollama does), so for other makers' models it is only likely",
    ),
    (
        seen(
            VALUE,
            "Invalid value: 'exit'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and "
            "'developer'.",
            name="enum",
        ),
        seen(MISSING, certainty="likely", name="required"),
    ),
)
