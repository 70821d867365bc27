"""Rules about a request as a whole: that it can be read, and what its members must be."""

from __future__ import annotations

from typing import Final

from harness.wire.openai_chat.rules.wordings import (
    DECIMAL_ABOVE,
    DECIMAL_BELOW,
    EMPTY_ARRAY,
    INTEGER_ABOVE,
    INTEGER_BELOW,
    MISSING,
    TYPE,
    seen,
)
from harness.wire.rule import WireRule, Wording

__all__ = ["OAC_01", "OAC_JSON", "OAC_MODEL", "OAC_NUMBER", "OAC_TYPE"]

OAC_01: Final = WireRule(
    "OAC-01",
    "A request has messages, at least one.",
    "A loop that trims its history to fit a window can trim all of it away; the next request is then refused.",
    "C",
    ("recording chat-no-messages",),
    (
        (
            "minItems",
            seen(
                EMPTY_ARRAY,
                "Invalid 'messages': empty array. Expected an array with minimum length 1, "
                "but got an empty array instead.",
            ),
        ),
        ("required", MISSING),
    ),
)

OAC_JSON: Final = WireRule(
    "OAC-JSON",
    "The body is one JSON object.",
    "A body that was cut, encoded twice or sent as a form is refused before anything of it is read.",
    "C",
    ("OAI-01 of the Responses wire has the same text; known from memory, the refusal itself is certain",),
    (
        (
            "unreadable",
            Wording(
                "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP "
                "library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)"
            ),
        ),
    ),
)

OAC_MODEL: Final = WireRule(
    "OAC-MODEL",
    "A request names a model.",
    "A configuration that was not read leaves the name empty. Local servers that serve one model only do not mind, "
    "so the mistake shows when the loop is pointed at a provider.",
    "L",
    ("the text is known from memory", "llama.cpp accepts requests without one: recordings GenSync-Tools-SquareRoot-1"),
    (("absent", Wording("you must provide a model parameter")),),
)

OAC_NUMBER: Final = WireRule(
    "OAC-NUMBER",
    "Numbers keep to their bounds: temperature 0 to 2, top_p 0 to 1, penalties -2 to 2, n 1 to 128, top_logprobs 0 to "
    "20, token limits at least 1.",
    "A setting that another provider takes (a token limit of 0 for none, a temperature of 100) is refused.",
    "C",
    (
        "recording chat_completions_validation_error_carries_identity",
        "recording test_openai_responses_model_http_error (the same server's text for a value below)",
        "texts for integers: wire rule OAI-22, likely",
        "other makers' servers take some of them (max_tokens 0), so only names of OpenAI's own are judged",
    ),
    (
        (
            "decimal above",
            seen(
                DECIMAL_ABOVE,
                "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 99.0 instead.",
            ),
        ),
        (
            "decimal below",
            seen(
                DECIMAL_BELOW,
                "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.",
            ),
        ),
        ("integer above", seen(INTEGER_ABOVE, level="L")),
        ("integer below", seen(INTEGER_BELOW, level="L")),
    ),
    applies="names of OpenAI's models, and names that nobody is known by",
)

OAC_TYPE: Final = WireRule(
    "OAC-TYPE",
    "Every member has the type that the API says: messages is a list of objects, content text or a list of parts, "
    "a token limit a number.",
    "Values that were read from a configuration as text, or a result put into a message as an object, are refused.",
    "C",
    ("https://github.com/pydantic/pydantic-ai/issues/2653",),
    (
        (
            "type",
            seen(
                TYPE,
                "Invalid type for 'messages[1].content': expected one of a string or array of objects, "
                "but got an object instead.",
            ),
        ),
    ),
)
