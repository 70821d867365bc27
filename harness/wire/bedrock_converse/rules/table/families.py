"""What the models of some makers demand: BED-30 to 36, 38 to 41, 47."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_FROM_THE_MODEL: Final = "The model returned the following errors: "
_MODIFIED: Final = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must "
    "remain as they were in the original response."
)

BED_30: Final = WireRule(
    "BED-30",
    "Beside toolResults a message has nothing else.",
    "A loop that says something with the results, or sends them with the user's next words, is refused.",
    "certain",
    (
        "https://github.com/strands-agents/harness-sdk/issues/1223",
        "https://github.com/langchain-ai/langchain-aws/issues/141",
        "https://github.com/BerriAI/litellm/issues/6053",
    ),
    (
        ErrorTemplate(
            "{at}: Conversation blocks and tool result blocks cannot be provided in the same turn.",
            seen="messages.4.content: Conversation blocks and tool result blocks cannot be provided in the same turn.",
        ),
    ),
    applies="Llama; likely Claude 3; perhaps Mistral and Writer. Claude 4.5 and Nova accept it.",
)

BED_31: Final = WireRule(
    "BED-31",
    "Beside toolUses a message of the assistant has nothing else.",
    "A model that says something and calls is answered with a history that the same API refuses.",
    "certain",
    (
        "https://github.com/quarkiverse/quarkus-langchain4j/issues/1983",
        "an experiment with Llama 4 Maverick, whose code names the text",
        "langchain-aws, test_tool_message_histories_list_content (Mistral)",
    ),
    (
        ErrorTemplate(
            "{at}: Conversation blocks and tool use blocks cannot be provided in the same turn.",
            seen="messages.7.content: Conversation blocks and tool use blocks cannot be provided in the same turn.",
        ),
    ),
    applies="Llama 4; likely Mistral",
)

BED_32: Final = WireRule(
    "BED-32",
    "A document or a video in a toolResult is sent, and not named by its place in S3.",
    "A tool that returns a large file names the place where it lies. An image may be named so.",
    "certain",
    ("recordings test_multimodal_tool_return_matrix, direct-uploaded_file-document-bedrock_nova",),
    (
        ErrorTemplate(
            f"{_FROM_THE_MODEL}Malformed input request: #/{{at}}: extraneous key [toolResult] is not permitted, "
            "please reformat your input and try again.",
            seen="The model returned the following errors: Malformed input request: #/messages/2/content/0: "
            "extraneous key [toolResult] is not permitted, please reformat your input and try again.",
        ),
    ),
    applies="Nova",
)

BED_33: Final = WireRule(
    "BED-33",
    "The model takes no video, no image by its place in S3, and a document by its place only in a toolResult.",
    "A tool that returns a video, or names the place where a file lies, works with another maker's models.",
    "certain",
    ("recordings test_multimodal_tool_return_matrix, of Claude",),
    (
        verbatim(
            "This model doesn't support the video content block that you provided. Update the content block and "
            "try again."
        ),
        verbatim("This model doesn't support the s3Uri field. Remove s3Uri and try again.", name="s3"),
        ErrorTemplate(
            f"{_FROM_THE_MODEL}{{at}}.document.source.type: Field required",
            seen="The model returned the following errors: messages.2.content.2.document.source.type: Field required",
            name="document",
        ),
    ),
    applies="Claude",
)

BED_34: Final = WireRule(
    "BED-34",
    "A request with tools asks for no stream.",
    "A loop that always streams cannot use such a model with tools at all.",
    "certain",
    (
        "https://github.com/earendil-works/pi/issues/3739",
        "https://github.com/run-llama/llama_index/issues/19655",
    ),
    (verbatim("This model doesn't support tool use in streaming mode."),),
    applies="Llama 4; likely Llama 3.1 and later and Mistral Large",
)

BED_35: Final = WireRule(
    "BED-35",
    "A request declares no tools.",
    "The model has none; a loop can only ask it without.",
    "certain",
    ("https://github.com/langchain-ai/langchain-aws/issues/447",),
    (verbatim("This model doesn't support tool use."),),
    applies="DeepSeek R1",
)

BED_36: Final = WireRule(
    "BED-36",
    "toolChoice forces no call.",
    "Structured output by way of a tool forces its call.",
    "certain",
    ("https://github.com/strands-agents/harness-sdk/issues/1241",),
    (
        ErrorTemplate(
            "This model doesn't support the toolConfig.toolChoice.{choice} field. Remove "
            "toolConfig.toolChoice.{choice} and try again.",
            seen="This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any "
            "and try again.",
        ),
    ),
    applies="Llama",
)

BED_38: Final = WireRule(
    "BED-38",
    "Reasoning goes back without a signature.",
    "A history of Claude's has signatures; with another model it is refused.",
    "certain",
    ("https://github.com/earendil-works/pi/issues/686",),
    (
        verbatim(
            "This model doesn't support the reasoningContent.reasoningText.signature field. Remove "
            "reasoningContent.reasoningText.signature and try again."
        ),
    ),
    applies="gpt-oss",
)

BED_39: Final = WireRule(
    "BED-39",
    "Reasoning goes back as redactedContent, or not at all, but not as text.",
    "A history of another model's has reasoning in plain words.",
    "certain",
    ("https://github.com/UKGovernmentBEIS/inspect_ai/issues/5217",),
    (
        verbatim(
            "This model doesn't support the reasoningContent.reasoningText.text field for assistant messages. "
            "Remove reasoningContent.reasoningText.text and try again."
        ),
    ),
    applies="GPT-5",
)

BED_40: Final = WireRule(
    "BED-40",
    "The reasoning of a turn that results continue goes back as it came: its text, its signature, all of its blocks, "
    "in front.",
    "Adapters lose the signature, join blocks, or leave out what is redacted; the second request of the loop is "
    "refused.",
    "certain",
    (
        "https://github.com/egoist/chatwise-releases/issues/1399",
        "https://github.com/run-llama/llama_index/issues/20851",
        "https://github.com/langchain-ai/langchain-aws/issues/844",
        "https://github.com/BerriAI/litellm/pull/25375",
        "https://github.com/RooCodeInc/Roo-Code/pull/11238",
        "https://github.com/can1357/oh-my-pi/pull/333",
    ),
    (
        ErrorTemplate(f"{_FROM_THE_MODEL}{{at}}: {_MODIFIED}"),
        ErrorTemplate(
            f"{_FROM_THE_MODEL}{{at}}.thinking.signature: Field required",
            seen="The model returned the following errors: messages.1.content.0.thinking.signature: Field required",
            name="unsigned",
        ),
        ErrorTemplate(f"{_FROM_THE_MODEL}{{at}}: Invalid `signature` in `thinking` block", name="forged"),
        ErrorTemplate(
            f"{_FROM_THE_MODEL}{{at}}.type: Expected `thinking` or `redacted_thinking`, but found `{{found}}`. "
            "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding "
            "the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks "
            "from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation "
            "at https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
            seen="The model returned the following errors: messages.1.content.0.type: Expected `thinking` or "
            "`redacted_thinking`, but found `text`. When `thinking` is enabled, a final `assistant` message must "
            "start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We "
            "recommend you include thinking blocks from previous turns. To avoid this requirement, disable "
            "`thinking`. Please consult our documentation at "
            "https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
            name="missing",
        ),
    ),
    applies="Claude; what must be in front, where thinking is enabled",
    about=("thinking",),
)

BED_41: Final = WireRule(
    "BED-41",
    "The last message is the user's.",
    "A loop that begins the answer for the model, or asks again after an answer that broke off, is refused.",
    "certain",
    (
        "https://github.com/NousResearch/hermes-agent/issues/105780",
        "https://platform.claude.com/docs/en/api/errors#prefill-not-supported",
    ),
    (
        ErrorTemplate(
            f"{_FROM_THE_MODEL}This model does not support assistant message prefill. The conversation must end "
            "with a user message.",
            seen="…This model does not support assistant message prefill. The conversation must end with a user "
            "message.",
        ),
    ),
    applies="Claude 4.6 and later",
)

BED_47: Final = WireRule(
    "BED-47",
    "With thinking, toolChoice forces no call.",
    "Structured output by way of a tool forces its call.",
    "certain",
    ("https://github.com/can1357/oh-my-pi/pull/333",),
    (
        ErrorTemplate(
            f"{_FROM_THE_MODEL}Thinking may not be enabled when tool_choice forces tool use.",
            seen="…Thinking may not be enabled when tool_choice forces tool use…",
        ),
    ),
    applies="Claude",
)
