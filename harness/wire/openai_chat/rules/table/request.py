"""Rules about a request as a whole: that it can be read, and what its members must be."""

from __future__ import annotations

from typing import Final

from harness.wire.openai_chat.rules.error_templates import (
    DECIMAL_ABOVE,
    DECIMAL_BELOW,
    EMPTY_ARRAY,
    INTEGER_ABOVE,
    INTEGER_BELOW,
    LONG_STRING,
    MISSING,
    TYPE,
    seen,
)
from harness.wire.rule import ErrorTemplate, WireRule

OAC_01: Final = WireRule(
    "OAC-01",
    "A request has messages, at least one.",
    "A loop that trims its history to fit a window can trim all of it away; the next request is then refused.",
    "certain",
    ("recording chat-no-messages",),
    (
        seen(
            EMPTY_ARRAY,
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            name="minItems",
        ),
        seen(MISSING, name="required"),
    ),
)

OAC_CACHE: Final = WireRule(
    "OAC-CACHE",
    "prompt_cache_key has at most 64 characters.",
    "A key that is put together from the ids of session, agent and task fails in the first long one.",
    "certain",
    (
        "https://github.com/theopenco/llmgateway/pull/3110 (the whole body, for this API and the Responses API)",
        "https://github.com/alibaba/open-code-review/issues/1007",
    ),
    (
        seen(
            LONG_STRING,
            "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a "
            "string with length 72 instead.",
            name="maxLength",
        ),
    ),
    applies="names of OpenAI's models, and names of no known server",
)

OAC_FORMAT: Final = WireRule(
    "OAC-FORMAT",
    "The schema of a structured answer that is strict is closed and complete: every object in it says "
    "additionalProperties false and requires every property.",
    "A schema that a model class makes is open, and has fields that may be left out.",
    "certain",
    (
        "https://github.com/moeru-ai/xsai/issues/202 (the whole body), "
        "https://github.com/dottxt-ai/outlines/issues/844",
        "a property that is not required: likely, as for the parameters of functions (OAC-15)",
    ),
    (
        ErrorTemplate(
            "Invalid schema for response_format '{name}': In context={context}, 'additionalProperties' is required "
            "to be supplied and to be false.",
            param="response_format",
            seen="Invalid schema for response_format 'json_schema': In context=('properties', 'etymology'), "
            "'additionalProperties' is required to be supplied and to be false.",
            name="open",
        ),
        ErrorTemplate(
            "Invalid schema for response_format '{name}': In context={context}, 'required' is required to be "
            "supplied and to be an array including every key in properties. Missing '{missing}'.",
            param="response_format",
            certainty="likely",
            name="incomplete",
        ),
    ),
    applies="names of OpenAI's models, and names of no known server",
)

OAC_JSON: Final = WireRule(
    "OAC-JSON",
    "The body is one JSON object.",
    "A body that was cut, encoded twice or sent as a form is refused before anything of it is read.",
    "certain",
    ("OAI-01 of the Responses wire has the same text; known from memory, the refusal itself is certain",),
    (
        ErrorTemplate(
            "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP "
            "library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
            name="unreadable",
        ),
    ),
)

OAC_MODEL: Final = WireRule(
    "OAC-MODEL",
    "A request names a model.",
    "A configuration that was not read leaves the name empty. Local servers that serve one model only do not mind, "
    "so the mistake shows when the loop is pointed at a provider.",
    "likely",
    ("the text is known from memory", "llama.cpp accepts requests without one: recordings GenSync-Tools-SquareRoot-1"),
    (ErrorTemplate("you must provide a model parameter", name="absent"),),
)

OAC_NUMBER: Final = WireRule(
    "OAC-NUMBER",
    "Numbers keep to their bounds: temperature 0 to 2, top_p 0 to 1, penalties -2 to 2, n 1 to 128, top_logprobs 0 to "
    "20, token limits at least 1.",
    "A setting that another provider takes (a token limit of 0 for none, a temperature of 100) is refused.",
    "certain",
    (
        "recording chat_completions_validation_error_carries_identity",
        "recording test_openai_responses_model_http_error (the same server's text for a value below)",
        "bounds of other members: inferred",
        "other makers' servers take some of them (max_tokens 0), so only names of OpenAI's own are judged",
    ),
    (
        seen(
            DECIMAL_ABOVE,
            "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 99.0 instead.",
            name="decimal above",
        ),
        seen(
            DECIMAL_BELOW,
            "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.",
            name="decimal below",
        ),
        seen(INTEGER_ABOVE, certainty="inferred", name="integer above"),
        seen(INTEGER_BELOW, certainty="inferred", name="integer below"),
    ),
    applies="names of OpenAI's models, and names of no known server; certain for temperature, inferred for the others",
)

OAC_TYPE: Final = WireRule(
    "OAC-TYPE",
    "Every member has the type that the API says: messages is a list of objects, content text or a list of parts, "
    "a token limit a number.",
    "Values that were read from a configuration as text, or a result put into a message as an object, are refused.",
    "certain",
    ("https://github.com/pydantic/pydantic-ai/issues/2653",),
    (
        seen(
            TYPE,
            "Invalid type for 'messages[1].content': expected one of a string or array of objects, "
            "but got an object instead.",
            name="type",
        ),
    ),
)
