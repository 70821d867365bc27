"""OAI-01 to OAI-09: what makes a body a request, and its items what they are."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_TOO_LONG: Final = (
    "Invalid '{param}': string too long. Expected a string with maximum length {limit}, but got a string with length "
    "{length} instead."
)

OAI_01: Final = WireRule(
    "OAI-01",
    "The body is a JSON object.",
    "Nothing of the request is read, so the answer says nothing about what was meant.",
    "likely",
    ("the wording from memory; there is no recording",),
    (
        ErrorTemplate(
            "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP "
            "library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If "
            "you have trouble figuring out how to fix this, please contact us through our help center at "
            "help.openai.com.)",
            name="unreadable",
        ),
    ),
)

OAI_02: Final = WireRule(
    "OAI-02",
    "The request names a model that exists. A stored prompt may bring its own.",
    "A misspelt or retired name fails at the first request. Responses answers 400 where Chat answers 404, so a loop "
    "that looks for 404 does not recognise it.",
    "certain",
    (
        "recordings test_model_name_suggestion[openai-responses], test_inferred_model_name_suggestion, bad_model",
        "openai.types.ResponsesModel of the official SDK for the names",
    ),
    (
        ErrorTemplate(
            "The requested model '{model}' does not exist.",
            "model",
            "model_not_found",
            seen="The requested model 'gpt-5.2-proo' does not exist.",
            name="unknown",
        ),
        ErrorTemplate(
            "Missing required parameter: 'model'.",
            "model",
            "missing_required_parameter",
            certainty="likely",
            name="missing",
        ),
    ),
    applies="certain for a name that no model can have (with a space in it); inferred for one that no "
    "family in the model table has, because other servers have models of their own",
)

OAI_03: Final = WireRule(
    "OAI-03",
    "The request asks something: it has an input that is not empty, or names an earlier response, a conversation or a "
    "stored prompt.",
    "A loop that moves system messages into instructions and has nothing else sends an empty input.",
    "likely",
    ("the wording as many projects quote it; param as it is remembered",),
    (
        verbatim(
            """One of "input" or "previous_response_id" or 'prompt' or 'conversation' must be provided.""",
            "input",
            "missing_required_parameter",
            name="nothing",
        ),
    ),
)

OAI_04: Final = WireRule(
    "OAI-04",
    "Every input item, content part and tool has the members that its type requires.",
    "A serialiser that leaves out empty or null members, or tools in the shape of Chat, fail here.",
    "certain",
    (
        "https://github.com/openai/codex/issues/6725",
        "https://github.com/stanfordnlp/dspy/pull/9984 (tools in Chat's shape)",
    ),
    (
        ErrorTemplate(
            "Missing required parameter: '{param}'.",
            "{param}",
            "missing_required_parameter",
            seen="Missing required parameter: 'input[79].id'.",
            name="missing",
        ),
    ),
    applies="certain but for an output's call_id, which the newest SDK types no longer require",
)

OAI_05: Final = WireRule(
    "OAI-05",
    "No item and no request has members that the API does not know. The classic trap is status on a reasoning item, "
    "even null, which model_dump() writes.",
    "A loop that sends back the SDK's objects as they are dumped fails on the first turn with reasoning.",
    "certain",
    (
        "https://github.com/openai/openai-agents-python/pull/3026",
        "https://github.com/1jehuang/jcode/issues/1028",
        "https://github.com/BerriAI/litellm/issues/13420",
        "https://github.com/lobehub/lobehub/issues/8116 (a parameter of Chat)",
        "46 recorded requests with reasoning: its members were id, type, summary and encrypted_content",
        "accepted, though the SDK does not have it: client_metadata, which Codex sends with every request",
        "accepted elsewhere: provider, recording test_openrouter_responses_prompt_cache_e2e",
    ),
    (
        ErrorTemplate(
            "Unknown parameter: '{param}'.",
            "{param}",
            "unknown_parameter",
            seen="Unknown parameter: 'input[1].status'.",
            name="unknown",
        ),
        ErrorTemplate(
            "Unsupported parameter: '{member}'. In the Responses API, this parameter has moved to '{now}'. Try "
            "again with the new parameter. See the API documentation for more information: "
            "https://platform.openai.com/docs/api-reference/responses/create.",
            None,
            "unsupported_parameter",
            seen="Unsupported parameter: 'reasoning_effort'. In the Responses API, this parameter has moved to "
            "'reasoning.effort'. Try again with the new parameter. See the API documentation for more "
            "information: https://platform.openai.com/docs/api-reference/responses/create.",
            name="moved",
        ),
    ),
    applies="certain for status on reasoning and for Chat's parameters; likely for any other member",
)

OAI_06: Final = WireRule(
    "OAI-06",
    "Every member has the type that the API requires. A call's arguments are a string of JSON, not the object; an "
    "output is a string or a list of parts.",
    "A loop that parses arguments and puts the object back, or returns a number as a result, fails on the next turn.",
    "likely",
    ("https://github.com/browserbase/stagehand-python/issues/149 (an output); other types as they are remembered",),
    (
        ErrorTemplate(
            "Invalid type for '{param}': expected {wanted}, but got {given} instead.",
            "{param}",
            "invalid_type",
            seen="Invalid type for 'input[0].output': expected a computer call output, but got a string instead.",
            name="type",
        ),
    ),
)

OAI_07: Final = WireRule(
    "OAI-07",
    "An item id that is sent begins as ids of its type do (msg, rs, fc, ctc), has letters, digits, underscores and "
    "dashes only, and at most 64 of them. It may be left out, or null.",
    "Loops that use one id for both, or bring ids of another provider, put a call_id where the item id belongs.",
    "certain",
    (
        "https://github.com/nodetool-ai/nodetool/pull/4252",
        "https://github.com/langchain-ai/langchainjs/issues/11044",
        "recordings of DeepSeek have ids of its own, which its server takes back",
    ),
    (
        ErrorTemplate(
            "Invalid '{param}': '{id}'. Expected an ID that begins with '{prefix}'.",
            "{param}",
            "invalid_value",
            seen="Invalid 'input[3].id': 'call_x'. Expected an ID that begins with 'fc'.",
            name="prefix",
        ),
        ErrorTemplate(
            "Invalid '{param}': '{id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but "
            "this value contained additional characters.",
            "{param}",
            "invalid_value",
            seen="Invalid 'input[2].id': ''. Expected an ID that contains letters, numbers, underscores, or "
            "dashes, but this value contained additional characters.",
            name="characters",
        ),
        ErrorTemplate(_TOO_LONG, "{param}", "string_above_max_length", certainty="inferred", name="long"),
    ),
    applies="ids that the endpoint has not issued itself; inferred where the model is none of OpenAI's",
    about=("ids",),
)

OAI_08: Final = WireRule(
    "OAI-08",
    "A call_id has 1 to 64 characters.",
    "Ids that a loop makes up from names, or takes over from another provider, are too long; ids that a stream never "
    "delivered are empty.",
    "certain",
    (
        "https://github.com/continuedev/continue/issues/11685",
        "https://github.com/router-for-me/CLIProxyAPIPlus/issues/430",
        "https://github.com/BigPizzaV3/CodexPlusPlus/issues/315",
    ),
    (
        ErrorTemplate(
            "Invalid '{param}': empty string. Expected a string with minimum length 1, but got an empty string "
            "instead.",
            "{param}",
            "empty_string",
            seen="Invalid 'input[4].call_id': empty string. Expected a string with minimum length 1, but got an "
            "empty string instead.",
            name="empty",
        ),
        ErrorTemplate(
            _TOO_LONG,
            "{param}",
            "string_above_max_length",
            seen="Invalid 'input[35].call_id': string too long. Expected a string with maximum length 64, but got "
            "a string with length 67 instead.",
            name="long",
        ),
    ),
    about=("ids",),
)

OAI_09: Final = WireRule(
    "OAI-09",
    "No item comes twice: its id is used once in the input and in the responses that previous_response_id names.",
    "A loop that names the previous response and sends its items again, or restores a session that the server still "
    "has, fails at the next request.",
    "certain",
    (
        "https://github.com/continuedev/continue/issues/10723",
        "https://github.com/MacPaw/OpenAI/issues/432 (together with previous_response_id)",
    ),
    (
        ErrorTemplate(
            "Duplicate item found with id {id}. Remove duplicate items from your input and try again.",
            "input",
            seen="Duplicate item found with id rs_…. Remove duplicate items from your input and try again.",
            name="duplicate",
        ),
    ),
)
