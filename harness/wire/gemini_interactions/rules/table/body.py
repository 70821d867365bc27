"""INT-01 to 03, 18, 19, 21, 25 to 28, 32 and INT-BODY: what a request asks for."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_INVALID: Final = "Request contains an invalid argument."
_INTERACTIONS: Final = "https://ai.google.dev/gemini-api/docs/interactions"
_ERRORS: Final = "https://ai.google.dev/gemini-api/docs/api-errors"
_SDK: Final = "google-genai 3.4.0, its types of requests"
_LEGACY: Final = (
    "The legacy Interactions API schema is no longer supported. Please upgrade your client SDK to Python >= 2.0.0 or "
    "JavaScript/TypeScript >= 2.0.0 to adopt the new 'steps' schema. For details and migration examples, see: "
    "https://ai.google.dev/gemini-api/docs/interactions-breaking-changes-may-2026"
)

INT_01: Final = WireRule(
    "INT-01",
    "A request has a model or an agent, and not both.",
    "Which of the two answers decides what else the request may ask for.",
    "likely",
    (_INTERACTIONS, _SDK),
    (ErrorTemplate(_INVALID),),
)

INT_02: Final = WireRule(
    "INT-02",
    "The input is not empty, unless a long answer is continued.",
    "A loop that sends results only may have none to send.",
    "inferred",
    (_SDK,),
    (ErrorTemplate(_INVALID),),
    about=("prompt",),
)

INT_03: Final = WireRule(
    "INT-03",
    "A request is in the form with steps, which replaced the one with roles and outputs in 2026.",
    "Clients of early 2026 send the older form, or ask for it with a header; it is no longer served.",
    "certain",
    (
        "https://github.com/allenhutchison/gemini-cli-deep-research/issues/73",
        "https://ai.google.dev/gemini-api/docs/interactions-breaking-changes-may-2026; no recorded request that was "
        "answered has a member of it",
    ),
    (verbatim(_LEGACY),),
)

INT_18: Final = WireRule(
    "INT-18",
    "A request that is not to be stored names no interaction before it, and does not run in the background.",
    "Both need what is stored.",
    "likely",
    ("https://github.com/google-gemini/gemini-skills (SKILL.md of the Interactions API)", _INTERACTIONS),
    (ErrorTemplate(_INVALID),),
)

INT_19: Final = WireRule(
    "INT-19",
    "previous_interaction_id is that of an interaction that is stored, and that has not failed or been cancelled.",
    "Interactions end: after 55 days, or after one where the user does not pay, or because a client deletes them; one "
    "that was requested without a store was never there.",
    "likely",
    (_INTERACTIONS, _ERRORS),
    (
        ErrorTemplate("Requested entity was not found.", status=404, kind="not_found"),
        ErrorTemplate(_INVALID, certainty="inferred", name="failed"),
    ),
)

INT_21: Final = WireRule(
    "INT-21",
    "Tools and instructions are sent with each request: an interaction inherits neither.",
    "A loop that sends them once has a model without tools or instructions from the second request on. Nobody refuses "
    "it.",
    "likely",
    (_INTERACTIONS, "https://github.com/TanStack/ai/pull/502"),
    (ErrorTemplate("The model answers without {name}.", status=200),),
)

INT_25: Final = WireRule(
    "INT-25",
    "The choice among tools is in generation_config, and names only tools that are declared.",
    "Other APIs have it beside the tools.",
    "inferred",
    (_SDK,),
    (
        ErrorTemplate(_INVALID),
        ErrorTemplate("Unknown parameter 'tool_choice'.", kind="parameter_unknown", name="place"),
    ),
)

INT_26: Final = WireRule(
    "INT-26",
    "A request has no member that the API does not know.",
    "Members are spelled with underscores; those of generateContent are not.",
    "likely",
    (_ERRORS,),
    (ErrorTemplate("Unknown parameter '{name}'.", kind="parameter_unknown"),),
)

INT_27: Final = WireRule(
    "INT-27",
    "thinking_level is one that the model takes.",
    "Newer models think always: minimal is refused.",
    "certain",
    ("https://github.com/fishjar/kiss-translator/issues/1048",),
    (
        ErrorTemplate(
            "'{level}' is not a supported thinking level for this model. Allowed values are: {allowed}.",
            seen="'minimal' is not a supported thinking level for this model. Allowed values are: medium, low, high.",
        ),
    ),
    applies="Gemini 3.7 Flash and later, Gemini 4",
)

INT_28: Final = WireRule(
    "INT-28",
    "A long answer is continued by the token that it ended with, from its own interaction; where it is not stored, "
    "with the input that it has answered.",
    "A loop that does so itself may keep the token of an earlier piece, or send what has come of the answer, too.",
    "likely",
    ("google-genai 3.4.0, which continues such answers by itself",),
    (ErrorTemplate(_INVALID),),
)

INT_32: Final = WireRule(
    "INT-32",
    "Each tool has a type that the API knows.",
    "Tools are flat, each with its type: a list of declarations, as generateContent has it, is none.",
    "likely",
    (f"{_ERRORS}, quoted at https://www.developersdigest.tech/errors/api/gemini-api", _SDK),
    (
        ErrorTemplate(
            "The value '{kind}' is not supported for 'type' at '{at}'.",
            seen="The value 'invalid_tool_type_xyz' is not supported for 'type' at 'tools[0]'.",
        ),
    ),
)

INT_BODY: Final = WireRule(
    "INT-BODY",
    "The body is a JSON object.",
    "Nothing else can be read.",
    "inferred",
    ("https://github.com/googleapis/python-genai/issues/2661 (failures of the front end)",),
    (ErrorTemplate("Invalid JSON payload received."),),
)
