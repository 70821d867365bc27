"""GEM-01 to 07: contents, their roles, and which turn may follow which."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_COUNT: Final = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)

GEM_01: Final = WireRule(
    "GEM-01",
    "A request has contents.",
    "A loop that trims its history to fit a window may trim all of it, and the model is not asked at all.",
    "certain",
    ("captured production text, stated verbatim in a public file; the same text in the code of several clients",),
    (verbatim("* GenerateContentRequest.contents: contents is not specified\n"),),
)

GEM_02: Final = WireRule(
    "GEM-02",
    "Every content has at least one part. An empty text is a part.",
    "A turn in which the model said nothing, or whose parts a client has filtered out, must not go back as an empty "
    "content: every later request of the conversation is refused.",
    "certain",
    (
        "https://github.com/egoist/chatwise-releases/issues/250",
        "https://github.com/vercel/ai/issues/3775",
        "https://github.com/QuantumNous/new-api/issues/1060",
    ),
    (
        ErrorTemplate(
            "* GenerateContentRequest.{at}.parts: contents.parts must not be empty.\n",
            seen="* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n",
        ),
    ),
)

GEM_03: Final = WireRule(
    "GEM-03",
    "The role of a content is user or model, in lower or upper case; function is tolerated. The system prompt has a "
    "place of its own, systemInstruction.",
    "Roles of other APIs (assistant, system, tool) are refused.",
    "certain",
    (
        "recording test_generate_content_invalid_role (Vertex AI, gemini-2.5-pro)",
        "captured production text of newer models, stated verbatim in a public file",
        "https://github.com/the-open-agent/openagent/issues/1666",
        "https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/start/get-started-with-gemini-4 "
        '(an example with "role": "USER")',
    ),
    (
        verbatim("Please use a valid role: user, model."),
        ErrorTemplate(
            "Role '{role}' is not supported. Please use a valid role: {roles}.",
            seen="Role '…' is not supported. Please use a valid role: SYSTEM, SYSTEM_1, USER, ASSISTANT, "
            "DEVELOPER, CONTEXT, USER_CONTEXT, MODEL, USER.",
            name="listed",
        ),
    ),
    applies="The longer text is that of Gemini 3 and later at the Developer API. Of a role that it lists beside user "
    "and model it is only likely (L) that it is refused.",
)

GEM_04: Final = WireRule(
    "GEM-04",
    "A turn with function calls follows a turn of the user or of function responses, so it is never the first. "
    "Neighbouring contents of the model are one turn.",
    "A history that is cut at the front must be cut before a word of the user, not between the user and the call.",
    "certain",
    (
        "https://github.com/continuedev/continue/issues/11164",
        "https://github.com/google-gemini/gemini-cli/issues/26486",
    ),
    (
        verbatim(
            "Please ensure that function call turn comes immediately after a user turn or after a function "
            "response turn."
        ),
    ),
)

GEM_05: Final = WireRule(
    "GEM-05",
    "A content with function responses directly follows the model's turn that has the calls, and is not the model's.",
    "Whatever comes between a call and its answer (a word of the user, a note of the client) parts them, and a "
    "history that is cut between them begins with an answer to nothing.",
    "certain",
    (
        "https://github.com/langchain-ai/langchain/issues/27799",
        "https://github.com/maximhq/bifrost/pull/2222 (responses with role model)",
    ),
    (
        ErrorTemplate(
            "Please ensure that function response turn comes immediately after a function call turn.",
            seen="Please ensure that function response turn comes immediately after a function call turn",
        ),
        ErrorTemplate(
            "Please ensure that function response turn comes immediately after a function call turn.",
            certainty="likely",
            name="model",
        ),
    ),
    about=("results",),
    needs=("ids",),
)

GEM_06: Final = WireRule(
    "GEM-06",
    "The content after a turn with function calls has exactly one function response for each call: none missing, none "
    "twice, none in a content of its own.",
    "The most frequent mistake with parallel calls: clients that keep one message per result send one content per "
    "result. The refusal comes at the first turn with two calls, often long after the loop was thought to work.",
    "certain",
    (
        "https://github.com/vertesia/llumiverse/pull/620 (answers split over contents, replayed on Vertex AI with "
        "gemini-2.5-flash and gemini-3.1-flash-lite)",
        "https://github.com/cloudwego/eino-ext/issues/571",
        "https://github.com/crewAIInc/crewAI/pull/4693",
        "https://github.com/google-gemini/gemini-cli/issues/16415",
        "recordings TestGeminiNativeToolCalling.test_gemini_parallel_native_tool_calling_test_agent_kickoff and "
        "…_test_crew: a split answer that gemini-2.5-flash took at the Developer API",
    ),
    (
        verbatim(_COUNT),
        ErrorTemplate(_COUNT, certainty="likely", name="split"),
    ),
    applies="Answers that are complete but split over contents: likely (L) with Gemini 2.5 and older at the Developer "
    "API, which was recorded to take them; certain everywhere else.",
    about=("results",),
    needs=("ids",),
)

GEM_07: Final = WireRule(
    "GEM-07",
    "Every function call is answered before anything else is said.",
    "After a call that was not run (the user interrupted, an approval was refused) a response that says so must be in "
    "the history, or the model reads a call without an end.",
    "likely",
    ("GEM-06, whose text it shares: no answers are fewer than calls",),
    (
        ErrorTemplate(_COUNT),
        ErrorTemplate(_COUNT, certainty="inferred", name="last"),
    ),
    applies="Calls at the end of the history, with nothing behind them: inferred (I) where the model takes a history "
    "that ends with its own turn (GEM-22).",
    about=("results",),
    needs=("ids",),
)
