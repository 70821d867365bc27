"""BED-01 to 06, 10, 11 and 19: calls and their results, and who speaks when."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

BED_01: Final = WireRule(
    "BED-01",
    "Each toolUse of an assistant message has its toolResult in the next message, which is the user's.",
    "A loop that is interrupted, declines one of several calls, or spreads their results over two messages loses the "
    "conversation.",
    "certain",
    (
        "recording rejects-continuation-with-a-missing-parallel-tool-result",
        "https://github.com/genkit-ai/aws-bedrock-js-plugin/issues/664",
        "https://github.com/zeroclaw-labs/zeroclaw/pull/1476",
    ),
    (
        ErrorTemplate(
            "Expected toolResult blocks at {at} for the following Ids: {ids}",
            seen="Expected toolResult blocks at messages.2.content for the following Ids: call_time",
        ),
        ErrorTemplate(
            "Expected toolResult blocks at {at} for the following Ids: {ids}", certainty="likely", name="last"
        ),
    ),
    about=("results",),
    needs=("ids",),
)

BED_02: Final = WireRule(
    "BED-02",
    "A message has no more toolResults than the message before it has toolUses.",
    "A history that was shortened at its front, or between a call and its result, begins with results of nothing. So "
    "does one in which results are sent twice.",
    "certain",
    (
        "https://github.com/strands-agents/harness-sdk/issues/1435",
        "https://github.com/pydantic/pydantic-ai/issues/2327",
        "https://github.com/Just-Curieous/Curie/issues/16",
        "https://github.com/langgenius/dify-official-plugins/issues/765",
    ),
    (
        ErrorTemplate(
            "The number of toolResult blocks at {at} exceeds the number of toolUse blocks of previous turn.",
            seen="The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of "
            "previous turn.",
        ),
    ),
    about=("results",),
    needs=("ids",),
)

BED_04: Final = WireRule(
    "BED-04",
    "The toolUseIds of one message differ.",
    "Two calls with one id cannot be distinguished by their results. Adapters that shorten ids make such.",
    "certain",
    ("recording mistral-duplicate-tool-call-ids-error",),
    (
        ErrorTemplate(
            "The toolUse blocks at {at} contain duplicate Ids: {ids}",
            seen="The toolUse blocks at messages.2.content contain duplicate Ids: tooluseAc",
        ),
    ),
    needs=("ids",),
)

BED_05: Final = WireRule(
    "BED-05",
    "A request whose history has a toolUse or a toolResult declares tools in toolConfig.",
    "The last request of a loop, which is to sum up or to answer in text, leaves the tools out. There is no toolChoice "
    "that forbids calls, so they must be declared all the same.",
    "certain",
    (
        "https://github.com/vercel/ai/pull/7537",
        "https://github.com/vxcontrol/pentagi/pull/196",
        "https://github.com/timothy-agent/timothy/pull/282",
        "59 of 59 recorded requests with such a history that were accepted declare tools",
    ),
    (verbatim("The toolConfig field must be defined when using toolUse and toolResult content blocks."),),
)

BED_06: Final = WireRule(
    "BED-06",
    "A toolResult with the status error has content.",
    "A tool that fails without a text has an empty result, and the run fails with it.",
    "certain",
    ("https://github.com/aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15",),
    (
        ErrorTemplate(
            "The content field at {at} cannot be empty when status value is error.",
            seen="The content field at messages.<n>.content.0.toolResult cannot be empty when status value is error.",
        ),
    ),
)

BED_10: Final = WireRule(
    "BED-10",
    "The first message is the user's.",
    "A history that was shortened at its front may begin with an answer.",
    "certain",
    (
        "https://github.com/langgenius/dify/issues/12340",
        "https://github.com/strands-agents/harness-sdk/issues/2085",
        "https://github.com/pydantic/pydantic-ai/pull/6255",
    ),
    (
        verbatim(
            "A conversation must start with a user message. Try again with a conversation that starts with a user "
            "message."
        ),
    ),
    applies="all models but Claude 4.5 and later and Qwen3, which accepted it when they were asked",
)

BED_11: Final = WireRule(
    "BED-11",
    "The messages of the user and of the assistant alternate.",
    "Loops that send each result, or the next question, in a message of its own were refused for it. The reports are "
    "of 2024 and 2025; a recorded request with two messages of the user was accepted, so the service may have dropped "
    "the check.",
    "inferred",
    (
        "https://github.com/microsoft/semantic-kernel/issues/10281",
        "https://github.com/langchain-ai/langchain-aws/issues/130",
        "https://github.com/cline/cline/issues/431",
        "https://github.com/langgenius/dify/issues/9294",
    ),
    (
        verbatim(
            "A conversation must alternate between user and assistant roles. Make sure the conversation alternates "
            "between user and assistant roles and try again."
        ),
    ),
    applies="all models but Nova and Titan, which accepted it in recordings",
)

BED_19: Final = WireRule(
    "BED-19",
    "Only messages of the assistant have reasoningContent.",
    "An adapter that puts the model's turn into a message of the user moves its reasoning there.",
    "certain",
    ("recording issue-7034", "https://github.com/can1357/oh-my-pi/pull/9086"),
    (verbatim("User messages cannot contain reasoning content. Please remove the reasoning content and try again."),),
)
