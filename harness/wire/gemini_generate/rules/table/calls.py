"""GEM-08 to 16: calls and responses, and the signatures that prove whose they are."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_SIGNATURES: Final = "https://ai.google.dev/gemini-api/docs/thought-signatures"

GEM_08: Final = WireRule(
    "GEM-08",
    "In the current turn - all that comes after the last content of the user that has no function responses - the "
    "first function call of each step (each turn of the model) carries its thoughtSignature.",
    "Clients that rebuild the model's turn from names and arguments lose the signature, and the second request of "
    "every loop is refused.",
    "certain",
    (
        _SIGNATURES,
        "https://github.com/lbjlaq/Antigravity-Manager/issues/2157",
        "https://github.com/manthanabc/paws/issues/103",
        "an older wording, in the code of several clients: Function call `default_api:X` in the `2.` content block is "
        "missing a `thought_signature`. …",
    ),
    (
        ErrorTemplate(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
            "work correctly, and missing thought_signature may lead to degraded model performance. Additional "
            "data, function call `default_api:{name}` , position {position}. Please refer to "
            "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
            seen="Function call is missing a thought_signature in functionCall parts. This is required for tools "
            "to work correctly, and missing thought_signature may lead to degraded model performance. Additional "
            "data, function call `default_api:list_files` , position 2. Please refer to "
            "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
        ),
    ),
    applies="Gemini 3 and later, but for image models.",
    about=("thinking",),
)

GEM_09: Final = WireRule(
    "GEM-09",
    "A thoughtSignature is the bytes that the model sent with this part, from the same backend and the same model, "
    "in base64 of either alphabet.",
    "Signatures are opaque and encrypted: one that a client invents, cuts, re-encodes as text or carries over from "
    "another backend cannot be read, and the conversation is stuck with it.",
    "certain",
    (
        "https://github.com/google-gemini/gemini-cli/issues/13467",
        "https://github.com/charmbracelet/crush/issues/1698",
        "https://github.com/heyhuynhgiabuu/proxypal/issues/119",
        "https://github.com/alphaXiv/agents/pull/61 (replayed at another backend)",
        "https://github.com/lbjlaq/Antigravity-Manager/pull/3342 (Invalid thought signature.)",
        "https://github.com/decolua/9router/issues/301 (Vertex AI; its texts of this kind go on with Learn more: "
        "https://github.com/lobehub/lobehub/issues/7985)",
    ),
    (
        verbatim("Corrupted thought signature."),
        verbatim("Invalid thought signature.", name="backend"),
        ErrorTemplate("Invalid thought signature.", certainty="likely", name="model"),
        ErrorTemplate("Corrupted thought signature.", certainty="likely", name="text"),
        ErrorTemplate(
            "Unable to submit request because Thought signature is not valid.. Learn more: "
            "https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini",
            certainty="likely",
            seen="Unable to submit request because Thought signature is not valid..…",
            name="vertex",
        ),
        ErrorTemplate(
            "Invalid value at '{at}' (TYPE_BYTES), Base64 decoding failed for \"{value}\"",
            certainty="likely",
            name="base64",
        ),
    ),
    applies="Only what the endpoint has issued is compared. Models that do not check signatures (GEM-16): inferred "
    "(I).",
    about=("thinking",),
)

GEM_10: Final = WireRule(
    "GEM-10",
    "A call that the model has signed goes back with that signature, not with a value that skips its validation "
    "(skip_thought_signature_validator, context_engineering_is_the_way_to_go).",
    "The values are accepted, for calls that the model did not make. On a call that it did make the model loses the "
    "thoughts behind it, and Google warns of worse answers.",
    "inferred",
    (
        _SIGNATURES,
        "19 recordings with skip_thought_signature_validator and one with context_engineering_is_the_way_to_go, "
        "all with 200",
    ),
    (ErrorTemplate("The thought signature was replaced by a value that skips its validation.", status=200),),
    about=("thinking",),
)

GEM_11: Final = WireRule(
    "GEM-11",
    "Function calls and function responses have a name.",
    "The API finds the call of a response by its name, so a client that keeps only ids has nothing to send.",
    "certain",
    ("the same text, quoted in the code of eight clients",),
    (
        ErrorTemplate(
            "* GenerateContentRequest.{at}.{field}.name: Name cannot be empty.\n",
            seen="* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n",
        ),
    ),
)

GEM_12: Final = WireRule(
    "GEM-12",
    "A function response has the name of the call that it answers.",
    "No refusal is known, but without ids only the name says which call was answered: it takes one result for "
    "another's.",
    "inferred",
    (
        "242 recorded responses that were accepted, each with the name of its call; a run reports another name as "
        "history/result-name",
        "no answer of Google's is known; the texts that are often quoted (functionResponse.name … does not match "
        "functionCall.name …) come from a gateway: https://github.com/router-for-me/CLIProxyAPI/issues/5098",
    ),
    (ErrorTemplate('The function response "{name}" does not name the function that was called.', status=200),),
    about=("results",),
)

GEM_13: Final = WireRule(
    "GEM-13",
    "A function response has the id of the call that it answers, and none where the call has none; a call goes back "
    "with the id that the model gave it. The response to a server tool's call has that call's id.",
    "With calls of one function side by side only ids say which result belongs to which call.",
    "inferred",
    (
        "https://ai.google.dev/gemini-api/docs/function-calling (since Gemini 3: always map function IDs)",
        "pydantic-ai, models/google.py: unknown ids of server tool calls are rejected",
    ),
    (
        ErrorTemplate('The function response id "{id}" does not match the id of a function call.', status=200),
        ErrorTemplate(
            "The id of the function call `{name}` is not the one that the model gave it.", status=200, name="altered"
        ),
        ErrorTemplate("Request contains an invalid argument.", certainty="likely", name="server"),
    ),
    about=("results",),
)

GEM_14: Final = WireRule(
    "GEM-14",
    "The args of a function call and the response of a function response are JSON objects.",
    "A tool's text or list must be wrapped in an object, and arguments that could not be parsed cannot go back as "
    "text.",
    "likely",
    ("quoted in the code of several clients; Code Assist answers the same with a request. in front of the place",),
    (
        ErrorTemplate(
            "Invalid value at '{at}' (type.googleapis.com/google.protobuf.Struct), {value}",
            seen="Invalid value at 'contents[2].parts[0].function_response.response' "
            '(type.googleapis.com/google.protobuf.Struct), "…"',
        ),
        ErrorTemplate(
            'Invalid JSON payload received. Unknown name "{name}"{where}: Proto field is not repeating, cannot '
            "start list.",
            seen='Invalid JSON payload received. Unknown name "response"…: Proto field is not repeating, cannot '
            "start list.",
            name="list",
        ),
    ),
    about=("words",),
)

GEM_15: Final = WireRule(
    "GEM-15",
    "A turn of the model goes back as it came: every call, as it was made, once and in order, and every signature on "
    "the part that it came with.",
    "The API refuses none of this while the signatures are valid (they are not bound to the parts beside them), but "
    "the history says that the model did what it did not do.",
    "inferred",
    (
        _SIGNATURES,
        "a live experiment with gemini-3-flash-preview, 2025-12, in public code: edited arguments, system prompt and "
        "earlier text, and a truncated history, were all accepted with 200",
    ),
    (
        ErrorTemplate("The function call `{name}` is not as the model made it.", status=200),
        ErrorTemplate("A function call of the model's turn was left out: `{name}`.", status=200, name="dropped"),
        ErrorTemplate("The function call `{name}` is sent again.", status=200, name="repeated"),
        ErrorTemplate("The function calls of the model's turn are in another order.", status=200, name="reordered"),
        ErrorTemplate("The function call `{name}` was not made by the model.", status=200, name="invented"),
        ErrorTemplate("The thought signature was moved to another part.", status=200, name="moved"),
        ErrorTemplate("The thought signature of the model's {what} was left out.", status=200, name="unsigned"),
    ),
    applies="Turns that the endpoint has issued.",
    about=("words",),
)

GEM_16: Final = WireRule(
    "GEM-16",
    "Gemini 2.5 and older, and the image models of Gemini 3, take calls without a signature.",
    "A history that was made with one of them needs signatures, or values in their place (GEM-10), only when it moves "
    "to a newer model.",
    "certain",
    (_SIGNATURES, "recordings of gemini-2.0-flash without signatures, with 200"),
    permits=True,
)
