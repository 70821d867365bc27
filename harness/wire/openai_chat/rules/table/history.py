"""Rules about the history: results follow their calls, and thinking goes back where a server wants it.

OpenAI checks pairing only. It compares neither names nor arguments nor text with what it sent.
"""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_DEEPSEEK_CODE: Final = "invalid_request_error"

_UNANSWERED: Final = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
)

OAC_03: Final = WireRule(
    "OAC-03",
    "An assistant message with tool_calls is followed at once by tool messages that answer every one of its ids, "
    "before any message of another role.",
    "A loop that stops in the middle of its calls, drops a result, or speaks to the user before all results are there "
    "cannot go on: every later request with this history is refused.",
    "certain",
    (
        "https://github.com/sdcb/chats/pull/132",
        "https://github.com/BloomLabsInc/genkit-plugins/issues/225",
        "https://github.com/agno-agi/agno/issues/4345",
        "DeepSeek: https://github.com/langgenius/dify/issues/32222",
        "Qwen: https://github.com/alibaba/spring-ai-alibaba/issues/914, https://github.com/QwenLM/qwen-code/issues/315",
        "Mistral: https://github.com/camel-ai/camel/issues/1467",
        "Moonshot: https://github.com/MoonshotAI/kimi-cli/issues/2405",
    ),
    (
        ErrorTemplate(
            _UNANSWERED + "The following tool_call_ids did not have response messages: {ids}",
            param="messages.[{end}].role",
            seen=_UNANSWERED
            + "The following tool_call_ids did not have response messages: call_ctiGXrgM0r61c6nkf2v7zbKb",
            name="openai",
        ),
        verbatim(
            _UNANSWERED + "(insufficient tool messages following tool_calls message)",
            code=_DEEPSEEK_CODE,
            name="deepseek",
        ),
        ErrorTemplate(
            '<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by '
            'tool messages responding to each "tool_call_id". The following tool_call_ids did not have response '
            "messages: message[{end}].role",
            code="invalid_parameter_error",
            seen='<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be '
            'followed by tool messages responding to each "tool_call_id". The following tool_call_ids did not have '
            "response messages: message[15].role",
            name="qwen",
        ),
        ErrorTemplate(
            "an assistant message with 'tool_calls' must be followed by tool messages responding to each "
            "'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
            name="moonshot",
        ),
        verbatim("Not the same number of function calls and responses", name="mistral"),
    ),
    about=("results",),
    needs=("ids",),
)

OAC_04: Final = WireRule(
    "OAC-04",
    "A tool message follows an assistant message with tool_calls, with nothing but its other tool messages between.",
    "Trimming or summarising a history from the front leaves results without their calls. So does a loop that sends "
    "results but not the message in which the model asked for them.",
    "certain",
    (
        "https://github.com/sdcb/chats/pull/132",
        "https://github.com/miurla/morphic/issues/136",
        "https://github.com/smarter-sh/smarter/issues/264",
        "DeepSeek's text is quoted in public code",
    ),
    (
        verbatim(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
            "'tool_calls'.",
            param="messages.[{number}].role",
            name="openai",
        ),
        verbatim(
            "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
            code=_DEEPSEEK_CODE,
            name="deepseek",
        ),
    ),
    about=("results",),
    needs=("ids",),
)

OAC_05: Final = WireRule(
    "OAC-05",
    "The tool_call_id of a tool message is one of the ids of the assistant message before it.",
    "Results that are sent under an invented, shortened or re-generated id answer nothing.",
    "certain",
    (
        "public code quotes the text; the param is likely",
        "without an id: https://github.com/langchain-ai/langchain/issues/22600, "
        "https://github.com/MadcowD/ell/issues/325",
    ),
    (
        ErrorTemplate(
            "Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message.",
            param="messages.[{number}].tool_call_id",
            seen="Invalid parameter: 'tool_call_id' of 'call_…' not found in 'tool_calls' of previous message.",
            name="unknown",
        ),
        verbatim(
            "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
            param="messages.[{number}].tool_call_id",
            name="missing",
        ),
    ),
    about=("results",),
    needs=("ids",),
)

OAC_06: Final = WireRule(
    "OAC-06",
    "No two tool messages of a turn answer the same call, and no two calls of one message have the same id. In a later "
    "turn an id may come back.",
    "A retry that appends a second result, or a restored session that appends what is already there, is refused.",
    "certain",
    (
        "https://github.com/agno-agi/agno/issues/5116, https://github.com/fatwang2/search2ai/issues/30",
        "DeepSeek's text, also for calls, is quoted in public code",
        "OpenAI may accept two calls with one id: https://github.com/latitude-dev/latitude-llm/pull/1840",
    ),
    (
        ErrorTemplate(
            "Invalid parameter: Duplicate value for 'tool_call_id' of '{id}', in messages[{first}] and "
            "messages[{number}].",
            param="messages.[{number}].tool_call_id",
            seen="Invalid parameter: Duplicate value for 'tool_call_id' of 'call_gmd4tanjXcwOxfPawOnDmq6R', in "
            "messages[7] and messages[8].",
            name="result",
        ),
        ErrorTemplate(
            "Duplicate value for 'tool_call_id' of {id} in message[{number}]",
            seen="Duplicate value for 'tool_call_id' of call_a9hDhfmLkboHAaoTtIsHKedq in message[74]",
            name="deepseek",
        ),
        ErrorTemplate(
            "Duplicate value for 'tool_call_id' of {id} in message[{number}]", certainty="likely", name="call"
        ),
    ),
    about=("results",),
    needs=("ids",),
)

OAC_19: Final = WireRule(
    "OAC-19",
    "DeepSeek's and Kimi's models, while they think, require the reasoning_content of an assistant message with calls "
    "back, as it was sent. The member must be there even where it came empty.",
    "They refuse the request after the first tool call if the thinking is dropped, as adapters that only know "
    "OpenAI's members do. What is merged or rewritten is no longer the model's thinking.",
    "certain",
    (
        "https://github.com/mnfst/modelparams.dev/issues/29",
        "Kimi: https://github.com/iOfficeAI/AionUi/issues/2746",
        "recordings permission_control_prompt_example and tools_smoke of DeepSeek send it back and are accepted",
        "the reasoner, and chat while it thinks: https://github.com/abhigyanpatwari/GitNexus/issues/43, "
        "https://github.com/langgenius/dify-official-plugins/issues/2306, "
        "https://github.com/continuedev/continue/issues/11285 (an empty text is enough)",
        "deepseek-reasoner accepts an empty one: recording test_deepseek_deferred_capability_with_thinking; so do "
        "DeepSeek's newer models, and of Kimi's there are reports of both",
        "servers that send it and do not miss it: recordings of Qwen, GLM, llama.cpp, vLLM and others",
    ),
    (
        verbatim(
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
            code=_DEEPSEEK_CODE,
            name="deepseek",
        ),
        ErrorTemplate(
            "Missing `reasoning_content` field in the assistant message at message index {number}. For more "
            "information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
            code=_DEEPSEEK_CODE,
            seen="Missing `reasoning_content` field in the assistant message at message index 2. For more "
            "information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
            name="reasoner",
        ),
        ErrorTemplate(
            "thinking is enabled but reasoning_content is missing in assistant tool call message at index {number}",
            seen="thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
            name="moonshot",
        ),
    ),
    applies="models that are known to require it, unless thinking is switched off (deepseek-chat: only if it is "
    "switched on); likely for a text that was altered or emptied, and for calls before the user's last message of "
    "deepseek-reasoner and deepseek-chat",
    about=("thinking",),
)

OAC_ORDER: Final = WireRule(
    "OAC-ORDER",
    "On Mistral's models no user message directly follows a tool message.",
    "A loop that adds a picture, a reminder or the next question behind its results works with OpenAI and is refused "
    "here; an assistant message between them is accepted.",
    "certain",
    (
        "https://github.com/datapizza-labs/datapizza-ai/issues/98",
        "recordings of Mistral put an assistant message between: test_image_as_binary_content_tool_response",
    ),
    (
        verbatim(
            "Unexpected role 'user' after role 'tool'",
            code="3230",
            kind="invalid_request_message_order",
            name="mistral",
        ),
    ),
    applies="names of Mistral's models",
)

OAC_SIGNED: Final = WireRule(
    "OAC-SIGNED",
    "On Gemini 3 the first call of an assistant message has its signature, in extra_content.google.thought_signature.",
    "Adapters that only know OpenAI's members drop it, and the request after the first tool call is refused.",
    "likely",
    (
        "https://github.com/manthanabc/paws/issues/103",
        "https://github.com/BerriAI/litellm/issues/16893",
        "https://ai.google.dev/gemini-api/docs/thought-signatures (the current turn is checked)",
    ),
    (
        ErrorTemplate(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
            "work correctly, and missing thought_signature may lead to degraded model performance. Additional "
            "data, function call `default_api:{name}` , position {position}. Please refer to "
            "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
            seen="Function call is missing a thought_signature in functionCall parts. This is required for tools "
            "to work correctly, and missing thought_signature may lead to degraded model performance. Additional "
            "data, function call `default_api:shell` , position 2. Please refer to "
            "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
            name="google",
        ),
    ),
    applies="names that begin with gemini-3; of calls that were issued here, those that came with a signature; certain "
    "for those behind the user's last message",
    about=("thinking",),
)
