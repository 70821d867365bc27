"""Rules about what a model, or whose server it is, takes or not. What is so of which model stands in ``models``."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

OAC_02: Final = WireRule(
    "OAC-02",
    "The model is one that the server has.",
    "A misspelt, retired or not yet released name is answered with 404, and so is a name of another provider.",
    "inferred",
    (
        "recordings test_model_name_suggestion[openai-chat], test_llm_call_with_error, test_async_chat_completion_404",
        "the answer is certain; that a name is unknown is inferred from the families that we know of",
    ),
    (
        ErrorTemplate(
            "The model `{model}` does not exist or you do not have access to it.",
            code="model_not_found",
            status=404,
            seen="The model `gpt-5.2-proo` does not exist or you do not have access to it.",
            name="unknown",
        ),
    ),
    applies="names of no family that is known to be served in this format",
)

OAC_10B: Final = WireRule(
    "OAC-10b",
    "User messages have only parts that the model takes: sound only for models with audio, images not for models of "
    "text.",
    "A tool's recording or screenshot that is handed to the wrong model is refused.",
    "certain",
    (
        "recording test_multimodal_tool_return_matrix[direct-binary-audio-openai_chat]",
        "https://github.com/openai/openai-python/issues/2454",
        "images: public code quotes the body; which models are of text is likely only",
        "models of audio: recording GenStreamMultiModal-Image-jpg-Inline of gpt-audio",
        "DeepSeek: recordings blocking_image_base64_part_reaches_the_wire, blocking_pdf_document_part_reaches_the_wire "
        "of deepseek-v4-flash",
    ),
    (
        ErrorTemplate(
            "Invalid '{at}'. Content blocks are expected to be either text or image_url type.",
            param="{at}",
            code="invalid_value",
            seen="Invalid 'messages[3]'. Content blocks are expected to be either text or image_url type.",
            name="sound",
        ),
        verbatim(
            "Invalid content type. image_url is only supported by certain models.",
            param="messages.[{number}].content.[{part}].type",
            certainty="likely",
            name="image",
        ),
        verbatim(
            "This model does not support image_url content.", param="{at}", code="invalid_value", name="audio model"
        ),
        ErrorTemplate(
            "Failed to deserialize the JSON body into the target type: messages[{number}]: unknown variant "
            "`{kind}`, expected `text`",
            code="invalid_request_error",
            seen="Failed to deserialize the JSON body into the target type: messages[0]: unknown variant "
            "`image_url`, expected `text`",
            name="deepseek",
        ),
    ),
    applies="OpenAI's models without audio, of audio, and of text; DeepSeek's own server, whose text goes on with a "
    "line and a column",
)

OAC_13: Final = WireRule(
    "OAC-13",
    "Every role is one that the model takes.",
    "The first small reasoning models know no system prompt; it must be a user message.",
    "certain",
    ("recording test_openai_o1_mini_system_role, both of them",),
    (
        ErrorTemplate(
            "Unsupported value: '{at}' does not support '{role}' with this model.",
            param="{at}",
            code="unsupported_value",
            seen="Unsupported value: 'messages[0].role' does not support 'developer' with this model.",
            name="role",
        ),
    ),
    applies="o1-mini, o1-preview",
)

_TOOLS: Final = "Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. "

OAC_14: Final = WireRule(
    "OAC-14",
    "Newer reasoning models take tools on Chat only if they do not think: from gpt-5.6 on reasoning_effort is 'none', "
    "for gpt-5.4 and gpt-5.5 it is 'none' or not there.",
    "A loop that is given a newer model stops with its first request. The Responses API takes both.",
    "certain",
    (
        "https://github.com/BerriAI/litellm/pull/34569 (gpt-5.6, tried without, with low and with none)",
        "https://github.com/GoogleChromeLabs/webmcp-tools/issues/417 (gpt-5.6-terra)",
        "https://github.com/pipecat-ai/pipecat/issues/4043 (gpt-5.4)",
        "https://github.com/charmbracelet/crush/issues/2913 (gpt-5.5)",
        "accepted: recordings of gpt-5.4 and gpt-5.4-mini without an effort, of gpt-5.6-luna at none",
    ),
    (
        ErrorTemplate(
            _TOOLS + "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
            param="reasoning_effort",
            seen="Function tools with reasoning_effort are not supported for gpt-5.6-terra in "
            "/v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
            name="by default",
        ),
        ErrorTemplate(
            _TOOLS + "Please use /v1/responses instead.",
            param="reasoning_effort",
            seen="Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. "
            "Please use /v1/responses instead.",
            name="when asked",
        ),
    ),
    applies="gpt-5.4 and later, gpt-6",
)

OAC_16: Final = WireRule(
    "OAC-16",
    "A reasoning model is given max_completion_tokens, not max_tokens.",
    "A limit that worked with an older model stops the loop with the first request to a newer one.",
    "certain",
    (
        "recording chat-bad-request (gpt-5-nano)",
        "routers translate it: recordings of openai/gpt-5.2 and openai/o4-mini at OpenRouter",
    ),
    (
        verbatim(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
            "instead.",
            param="max_tokens",
            code="unsupported_parameter",
            name="max_tokens",
        ),
    ),
    applies="OpenAI's reasoning models",
)

OAC_17: Final = WireRule(
    "OAC-17",
    "The messages fit into the model's context window.",
    "A loop that never shortens its history reaches the limit in the middle of its work, and no retry helps.",
    "certain",
    (
        "https://github.com/crewAIInc/crewAI-examples/issues/121",
        "DeepSeek: recording chat_real_error_scenarios_deepseek_deepseek-chat_handles_context_length_exceeded_errors",
        "tokens are counted from below: each run of characters between white space is at least one, as the published "
        "tokenizers cut there before they merge; the real number is higher",
        "likely, where the tokenizer is not published",
    ),
    (
        ErrorTemplate(
            "This model's maximum context length is {limit} tokens. However, your messages resulted in {tokens} "
            "tokens. Please reduce the length of the messages.",
            param="messages",
            code="context_length_exceeded",
            seen="This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 "
            "tokens. Please reduce the length of the messages.",
            name="openai",
        ),
        ErrorTemplate(
            "This model's maximum context length is {limit} tokens. However, you requested {tokens} tokens "
            "({tokens} in the messages, 0 in the completion). Please reduce the length of the messages or "
            "completion.",
            code="invalid_request_error",
            seen="This model's maximum context length is 1048565 tokens. However, you requested 1250025 tokens "
            "(1250025 in the messages, 0 in the completion). Please reduce the length of the messages or "
            "completion.",
            name="deepseek",
        ),
    ),
    applies="models whose window is known",
)

OAC_EFFORT: Final = WireRule(
    "OAC-EFFORT",
    "reasoning_effort is one that the model has, and only reasoning models are given one.",
    "Efforts differ from model to model: 'minimal' of gpt-5 is refused by gpt-5.6, and 'none' the other way round.",
    "certain",
    (
        "https://github.com/livekit/agents/pull/7169",
        "models without reasoning: public code quotes the text, for deployments at Azure",
    ),
    (
        ErrorTemplate(
            "Unsupported value: 'reasoning_effort' does not support '{value}' with this model. Supported values "
            "are: {values}.",
            param="reasoning_effort",
            code="unsupported_value",
            seen="Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported "
            "values are: 'none', 'low', 'medium', 'high', 'xhigh'.",
            name="value",
        ),
        verbatim("Unrecognized request argument supplied: reasoning_effort", certainty="likely", name="parameter"),
    ),
    applies="OpenAI's models whose efforts are known, and OpenAI's models without reasoning",
)

OAC_FILE: Final = WireRule(
    "OAC-FILE",
    "The data of a file is a data URL of a PDF.",
    "A tool that passes whatever it finds as a file (a sound, a film) is refused; Responses takes more kinds.",
    "certain",
    (
        "recordings GenStreamMultiModal-Audio-*-Inline and GenStreamMultiModal-Video-mp4-Inline of gpt-audio",
        "other kinds than sound and film: the text names PDF only",
    ),
    (
        ErrorTemplate(
            "Invalid file data: '{at}'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. "
            "'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type '{mime}'.",
            param="{at}",
            code="invalid_value",
            seen="Invalid file data: 'messages[0].content[1].file.file_data'. Expected a base64-encoded data URL "
            "with an application/pdf MIME type (e.g. 'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got "
            "unsupported MIME type 'audio/aac'.",
            name="type",
        ),
    ),
    applies="OpenAI's models; certain for sound and film, likely for other kinds",
)

OAC_FORCED: Final = WireRule(
    "OAC-FORCED",
    "No request forces a call on a model that thinks: with thinking on, DeepSeek's V4 and Qwen's models take no "
    "tool_choice but auto and none.",
    "Loops that ask for an answer through a tool force its call; with these models they must switch thinking off.",
    "certain",
    (
        "recording forced_tool_choice_under_thinking_is_rejected_upstream",
        "recording GenSync-Tools-SquareRoot-1 of qwen3.8-max",
    ),
    (
        verbatim("Thinking mode does not support this tool_choice", code="invalid_request_error", name="deepseek"),
        verbatim(
            "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to "
            "required or object in thinking mode",
            code="invalid_parameter_error",
            name="qwen",
        ),
    ),
    applies="DeepSeek's V4 unless thinking is disabled, Qwen's models where enable_thinking is true",
)

OAC_PARAM: Final = WireRule(
    "OAC-PARAM",
    "A reasoning model is given no stop and no penalties, and while it thinks no logprobs, and no temperature or top_p "
    "but 1.",
    "Settings that are made for all models stop the loop with the first request to one that thinks.",
    "certain",
    (
        "recordings GenSync-Stop and GenSync-TopLogprobs of gpt-5.6-sol; stop: also the SDK's documentation",
        "temperature: https://github.com/owndev/Open-WebUI-Functions/issues/98 (gpt-5); 1 is accepted: recordings of "
        "gpt-5-nano",
        "which models think by default: the table of models",
        "top_p, top_logprobs and penalties: likely",
    ),
    (
        ErrorTemplate(
            "Unsupported parameter: '{at}' is not supported with this model.",
            param="{at}",
            code="unsupported_parameter",
            seen="Unsupported parameter: 'stop' is not supported with this model.",
            name="parameter",
        ),
        ErrorTemplate(
            "Unsupported value: '{at}' does not support {value} with this model. Only the default (1) value is "
            "supported.",
            param="{at}",
            code="unsupported_value",
            seen="Unsupported value: 'temperature' does not support 0.01 with this model. Only the default (1) "
            "value is supported.",
            name="value",
        ),
    ),
    applies="OpenAI's reasoning models",
)
