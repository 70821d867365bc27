"""GEM-17 to 25: the model, its tools and settings, and how a history ends."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_MODEL_LAST: Final = "Requests ending with a model turn are not supported."
_SINGLE: Final = "Please ensure that single turn requests end with a user role or the role field is empty."
_UNKNOWN_TEXT: Final = "Request contains an invalid argument."
"""What Google answers where it says nothing more."""

GEM_17: Final = WireRule(
    "GEM-17",
    "The path names a model that there is.",
    "A misspelt or retired name is refused as not found, whatever the request contains.",
    "inferred",
    (
        "recordings nonexistent_model_error_preserves_status_and_body, test_model_name_suggestion[google], "
        "test_error_handling (with the older words Call ListModels), errors/bad_model/GenSync",
        "recording test_generate_content_missing_model (Vertex AI)",
    ),
    (
        ErrorTemplate(
            "models/{model} is not found for API version {version}, or is not supported for generateContent. Call "
            "ModelService.ListModels to see the list of available models and their supported methods.",
            status=404,
            seen="models/gemini-3.6-flahs is not found for API version v1beta, or is not supported for "
            "generateContent. Call ModelService.ListModels to see the list of available models and their "
            "supported methods.",
        ),
        ErrorTemplate(
            "Publisher Model `{resource}` not found.",
            status=404,
            seen="Publisher Model `projects/fake-project/locations/us-central1/publishers/google/models/"
            "gemini-does-not-exist` not found.",
            name="vertex",
        ),
        verbatim("* GenerateContentRequest.model: unexpected model name format\n", certainty="certain", name="format"),
    ),
    applies="That an unknown model is refused is certain; that a name is unknown, because no family of Google's has "
    "it, is only inferred: new models come, and tuned ones and endpoints have names of their own. A name with a blank "
    "in it is certainly refused (C), for its form.",
)

GEM_18: Final = WireRule(
    "GEM-18",
    "The parameters of a function (and responseSchema) have only the keywords of the OpenAPI subset that the API "
    "knows, with one type each, and a list says its items. Any JSON Schema goes into parametersJsonSchema "
    "(responseJsonSchema).",
    "Schema generators write additionalProperties, $schema, const, exclusiveMinimum or a list of types; one of them "
    "anywhere in one tool, and every request with tools is refused.",
    "likely",
    (
        "https://github.com/zed-industries/zed/issues/44875",
        "https://github.com/pizza-bot-app/pizza-bot/issues/62 (gemini-3.8-flash, gemini-2.5-flash)",
        "https://github.com/decolua/9router/pull/3018",
        "https://github.com/router-for-me/CLIProxyAPI/issues/97",
        "https://github.com/zereight/gitlab-mcp/issues/166 (an unknown type)",
        "https://github.com/anomalyco/opencode/pull/49392 (lists without items, 2026)",
        "https://github.com/danny-avila/LibreChat/issues/6971 (no type, 2025)",
        "the keywords: google-genai 3.4, types.Schema, but for additionalProperties, which it has and the API refuses",
    ),
    (
        ErrorTemplate(
            'Invalid JSON payload received. Unknown name "{name}"{where}: Cannot find field.',
            seen='Invalid JSON payload received. Unknown name "exclusiveMinimum" at '
            "'tools[0].function_declarations[6].parameters.properties[3].value.any_of[0]': Cannot find field.",
        ),
        ErrorTemplate(
            "* GenerateContentRequest.{at}.items: missing field.\n",
            certainty="certain",
            seen="* GenerateContentRequest.tools[0].function_declarations[71].parameters.properties[request]."
            "properties[settings].properties[keywordsSetter].any_of[0].items: missing field.\n",
            name="items",
        ),
        ErrorTemplate(
            "* GenerateContentRequest.{at}.type: must be specified when not using one_of, any_of or all_of fields\n",
            seen="* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[commit_hash]."
            "type: must be specified when not using one_of, any_of or all_of fields\n",
            name="no type",
        ),
        ErrorTemplate(
            'Invalid JSON payload received. Unknown name "{name}"{where}: Proto field is not repeating, cannot '
            "start list.",
            seen='Invalid JSON payload received. Unknown name "type"…: Proto field is not repeating, cannot start '
            "list.",
            name="list",
        ),
        ErrorTemplate(
            "Invalid value at '{at}' ({type}), {value}",
            seen="Invalid value at 'tools[0].function_declarations[6].parameters.properties[11].value.any_of[0]"
            '.type\' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), ""',
            name="value",
        ),
    ),
)

GEM_19: Final = WireRule(
    "GEM-19",
    "allowedFunctionNames is allowed only beside mode ANY or VALIDATED and names functions that the request declares; "
    "a functionCallingConfig only beside declared functions.",
    "A loop that takes tools away in its last turn, or renames them, must take them out of the tool config, too.",
    "likely",
    (
        "https://ai.google.dev/api/caching#FunctionCallingConfig; the answer to wrong names is not known, the text is "
        "the one that Google gives where it says nothing more",
        "Function calling config is set without function_declarations.: quoted in the code of several clients, one of "
        "them as measured 2026-05-10",
    ),
    (
        ErrorTemplate(_UNKNOWN_TEXT),
        verbatim("Function calling config is set without function_declarations.", name="alone"),
    ),
)

GEM_20: Final = WireRule(
    "GEM-20",
    "The input has no more tokens than the model takes.",
    "A loop that never drops anything from its history ends here, and cannot go on without dropping.",
    "likely",
    (
        "the text: in the code of several clients",
        "a lower bound of the tokens: Gemini's tokenizer, as far as that of Gemma shows it, keeps spaces with the word "
        "behind them and never joins two words, so there are at least as many tokens as words between spaces "
        "(https://arxiv.org/abs/2403.08295, section 2)",
    ),
    (
        ErrorTemplate(
            "The input token count ({tokens}) exceeds the maximum number of tokens allowed ({most}).",
            seen="The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
        ),
    ),
    applies="Models whose limit is known. That too much is refused is certain; the count is likely: the tokenizer is "
    "known from its sibling.",
)

GEM_21: Final = WireRule(
    "GEM-21",
    "Contents of the user and of the model need not alternate: neighbours with one role are taken as one turn.",
    "So a loop need not merge what a user says in pieces. Function responses are the exception (GEM-06).",
    "certain",
    ("recordings with two contents of one role side by side, with 200 (test_cross_provider_capability_replay)",),
    permits=True,
)

GEM_22: Final = WireRule(
    "GEM-22",
    "The last content is not the model's.",
    "A prefilled answer, a turn that is sent back to be gone on with, or a history that is saved before the results "
    "are added, is refused by newer models.",
    "certain",
    (
        "https://github.com/LibreChat-AI/agents/pull/323 (live: gemini-3.6-flash and 3.5-flash-lite 400, 3.5-flash "
        "and 2.5-flash 200)",
        "https://github.com/anomalyco/opencode/issues/47034",
        "https://github.com/pipecat-ai/pipecat/pull/5821",
        "https://ai.google.dev/gemini-api/docs/whats-new-gemini-3.6",
        "in the first weeks the text went on: … unless the last part is a function response.",
        "older models, one turn of the model alone: the text is in the code of several clients",
    ),
    (
        verbatim(_MODEL_LAST),
        verbatim(_SINGLE, certainty="likely", name="single"),
    ),
    applies="Gemini 3.5 Flash-Lite, 3.6 and later. Older models go on from their own turn, but likely (L) not where it "
    "is all that the request contains.",
)

GEM_23: Final = WireRule(
    "GEM-23",
    "Nothing follows the function responses of a content: what else the user says or shows comes before them or "
    "in a content of its own.",
    "Clients that put an image or a remark behind a result get an error about a model turn at the end, though the last "
    "turn is the user's.",
    "likely",
    (
        "https://github.com/deepnoodle-ai/dive/pull/287 (table of replays)",
        "https://github.com/Prism-Shadow/agenthub/pull/189 (accepted by the Developer API on 3.7)",
        "https://github.com/agentgateway/agentgateway/issues/2811",
        "https://github.com/google/oss-rebuild/pull/1559",
        "https://github.com/router-for-me/CLIProxyAPI/issues/5607 (accepted by the Developer API on 3.8)",
    ),
    (
        ErrorTemplate(_MODEL_LAST),
        verbatim(_MODEL_LAST, certainty="certain", name="vertex"),
    ),
    applies="Gemini 3.5 Flash-Lite, 3.6 and later. Certain on Vertex AI; at the Developer API reports differ.",
    about=("results",),
)

GEM_24: Final = WireRule(
    "GEM-24",
    "thinkingLevel is one that the model has, thinkingBudget is in the model's range, and only one of them is given.",
    "What turns thinking off differs from model to model: settings that are carried over from one to the next are "
    "refused.",
    "certain",
    (
        "https://github.com/can1357/oh-my-pi/issues/10543 (Vertex AI)",
        "https://github.com/fishjar/kiss-translator/issues/1048 (the Interactions API: 'minimal' is not a supported "
        "thinking level for this model. Allowed values are: medium, low, high.)",
        "Thinking level MINIMAL …: https://github.com/BerriAI/litellm-docs/pull/1505 and the code of several clients",
        "https://github.com/RooCodeInc/Roo-Code/issues/10700 (Gemini 2.5)",
        "https://github.com/sterlp/eclipse-peon-ai/issues/115 (both)",
        "https://github.com/vercel/ai/issues/8027, https://github.com/RooCodeInc/Roo-Code/issues/4399 (budgets)",
    ),
    (
        ErrorTemplate(
            "Thinking level {level_name} is not supported for this model. Please retry with other thinking level.",
            seen="Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.",
        ),
        ErrorTemplate("Thinking level is unsupported: THINKING_LEVEL_{level_name}", name="vertex"),
        verbatim("Thinking level is not supported for this model.", name="none"),
        verbatim("You can only set only one of thinking budget and thinking level.", name="both"),
        ErrorTemplate(
            "The thinking budget {budget} is invalid. Please choose a value between {least} and {most}.",
            certainty="likely",
            seen="The thinking budget 32000 is invalid. Please choose a value between 0 and 24576.",
            name="budget",
        ),
    ),
    applies="Models of which levels or budgets are known. Levels that the documentation does not name, without a known "
    "refusal: likely (L).",
)

GEM_25: Final = WireRule(
    "GEM-25",
    "Sampling parameters (temperature, topP, topK) are taken by Gemini 3.6 and later, and ignored.",
    "A loop need not know whether a model still looks at them.",
    "likely",
    (
        "https://ai.google.dev/gemini-api/docs/whats-new-gemini-3.6 (deprecated and ignored)",
        "one report of a refusal: https://github.com/danny-avila/LibreChat/issues/14367",
        "https://github.com/Zoo-Code-Org/Zoo-Code/issues/1052",
    ),
    applies="Values out of range are refused all the same (GEM-RANGE).",
    permits=True,
)
