"""Thinking blocks: genuine, unmodified, complete, in their place, and bound to what came before them."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule

_PRESERVED: Final = "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking"
_LEGACY: Final = "requests with thinking of type enabled (manual extended thinking)"

_MODIFIED: Final = (
    "{at}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
    "These blocks must remain as they were in the original response."
)
_OTHER_CONVERSATION: Final = (
    "{at}: Invalid `{member}` in `{kind}` block. The block is bound to a different conversation. Remove the block, or "
    'set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
_WITH_BETA: Final = (
    " That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header."
)

ANT_14: Final = WireRule(
    "ANT-14",
    "A thinking block carries the signature that it came with, a redacted_thinking block its data.",
    "A loop that makes thinking up, mixes signatures up or loses them cannot prove that the model wrote a block.",
    "certain",
    (
        "quoted word for word in public code, with request ids",
        "https://github.com/lbjlaq/Antigravity-Manager/issues/498",
        "in a turn that was not issued here an unknown signature may be a real one: inferred only, unless it is no "
        "base64, as no Claude signs (better-ccflare, issue 52)",
        "servers of other models send thinking with an empty signature; back as it was sent, it breaks nothing",
    ),
    (
        ErrorTemplate(
            "{at}: Invalid `{member}` in `{kind}` block",
            seen="messages.1.content.0: Invalid `signature` in `thinking` block",
            name="invalid",
        ),
        ErrorTemplate(
            "{at}: Invalid `{member}` in `{kind}` block",
            certainty="inferred",
            seen="…: Invalid `data` in `redacted_thinking` block",
            name="foreign",
        ),
    ),
    about=("thinking",),
    needs=("thinking", "signatures"),
)

ANT_15: Final = WireRule(
    "ANT-15",
    "The thinking blocks of the latest assistant turn go back unmodified, complete and in their order. All of them may "
    "be left out outside a tool loop and with thinking disabled.",
    "A loop that trims, merges, reorders or drops thinking within a turn is refused when it sends the results.",
    "certain",
    (
        "https://github.com/bastani-inc/atomic/issues/1318",
        "https://github.com/anthropics/anthropic-sdk-python/issues/1598",
        "all of a turn's thinking left out of a tool loop was accepted with adaptive thinking: likely only",
    ),
    (
        ErrorTemplate(
            _MODIFIED,
            seen="messages.3.content.9: `thinking` or `redacted_thinking` blocks in the latest assistant message "
            "cannot be modified. These blocks must remain as they were in the original response.",
            name="modified",
        ),
        ErrorTemplate(_MODIFIED, certainty="likely", name="all-dropped"),
    ),
    about=("thinking",),
    needs=("thinking", "signatures", "part-order"),
)

ANT_16: Final = WireRule(
    "ANT-16",
    "With manual thinking, the assistant turn that tool results continue starts with thinking.",
    "A loop that drops thinking, or turns it on in the middle of a tool loop, is refused.",
    "certain",
    (
        "https://github.com/Kilo-Org/kilocode/issues/5219",
        "https://github.com/anthropics/claude-code/issues/11978",
        "https://github.com/n8n-io/n8n/issues/22550",
    ),
    (
        ErrorTemplate(
            "{at}: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, "
            "a final `assistant` message must start with a thinking block (preceeding the lastmost set of "
            "`tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. "
            "To avoid this requirement, disable `thinking`. Please consult our documentation at "
            "https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
            seen="messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. "
            "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding "
            "the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks "
            "from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation "
            "at https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
            name="without",
        ),
    ),
    applies=_LEGACY,
    about=("thinking",),
)

ANT_17: Final = WireRule(
    "ANT-17",
    "With manual thinking, an assistant turn that has thinking begins with it.",
    "A loop that gathers text first and thinking behind it reorders what the model said.",
    "certain",
    ("quoted word for word in public code",),
    (
        ErrorTemplate(
            "{at}: If an assistant message contains any thinking blocks, the first block must be `thinking` or "
            "`redacted_thinking`. Found `{found}`.",
            seen="messages.1.content.0: If an assistant message contains any thinking blocks, the first block "
            "must be `thinking` or `redacted_thinking`. Found `text`.",
            name="behind",
        ),
    ),
    applies=_LEGACY,
    about=("thinking",),
)

ANT_18: Final = WireRule(
    "ANT-18",
    "Where a thinking block goes back, all that came before it is as it was when the block was issued: system, tools "
    "and every earlier message. Cache marks, the caller of a call and tool_choice may change.",
    "A loop that rewrites its history (summaries, a clock in the system prompt, tools that come and go) loses the "
    "thinking, and the request with it.",
    "certain",
    (
        _PRESERVED,
        "https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-block-binding.md",
        "quoted word for word in public code, eight times",
    ),
    (
        ErrorTemplate(
            _OTHER_CONVERSATION + _WITH_BETA,
            seen="messages.5.content.0: Invalid `signature` in `thinking` block. The block is bound to a different "
            "conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "
            '"drop_block". That setting requires the `thinking-binding-controls-2026-08-01` value in the '
            "`anthropic-beta` header.",
            name="without-beta",
        ),
        ErrorTemplate(_OTHER_CONVERSATION, name="with-beta"),
    ),
    applies="Opus 5.5, Fable 5.1 and later of these, for accounts created on or after 2026-08-31; not where "
    'thinking.block_binding.prefix_mismatch_behavior is "drop_block"',
    about=("thinking",),
)

ANT_34: Final = WireRule(
    "ANT-34",
    "A thinking block goes back to the model that signed it. Thinking that another maker's model has signed goes back "
    "to no Claude.",
    "A loop that changes its model in mid-conversation still has the thinking of the first one in its history. The "
    "API refuses what it cannot decrypt, and leaves out what another Claude cannot read.",
    "certain",
    (
        "another maker's: https://github.com/NousResearch/hermes-agent/issues/24401 (with request id), "
        "https://github.com/can1357/oh-my-pi/issues/6379, https://github.com/openclaw/openclaw/issues/91205",
        "an undecryptable signature is always refused, a block that the model cannot read is left out without an error "
        f"since Fable 5.1: {_PRESERVED}; so between Claude models and between platforms it is inferred only",
        "refused between Claude models in July 2026: https://github.com/vybestack/llxprt-code/issues/2335, "
        "https://github.com/openclaw/openclaw/issues/107221",
        "refused between platforms in July 2026: https://github.com/openclaw/openclaw/issues/110079",
        "no recorded request has thinking of another model",
    ),
    (
        ErrorTemplate(
            "{at}: Invalid `{member}` in `{kind}` block",
            seen="messages.1.content.7: Invalid `signature` in `thinking` block",
            name="maker",
        ),
        ErrorTemplate(
            "{at}: Invalid `{member}` in `{kind}` block",
            certainty="inferred",
            seen="messages.1.content.0: Invalid `signature` in `thinking` block",
            name="model",
        ),
        ErrorTemplate("{at}: Invalid `{member}` in `{kind}` block", certainty="inferred", name="platform"),
    ),
    applies="requests to a Claude model, in a case in which the endpoint knows who has signed the block",
)

ANT_LAST: Final = WireRule(
    "ANT-LAST",
    "An assistant turn does not end with thinking.",
    "A turn that was cut while the model thought, or said nothing else, cannot go back; a loop has to leave it out.",
    "certain",
    (
        "https://github.com/tailcallhq/forgecode/issues/2107",
        "https://github.com/tailcallhq/forgecode/pull/3073",
        "https://github.com/NousResearch/hermes-agent/pull/16921",
        "redacted_thinking: likely",
    ),
    (
        ErrorTemplate(
            "{at}: The final block in an assistant message cannot be `thinking`.",
            seen="messages.1: The final block in an assistant message cannot be `thinking`.",
            name="thinking",
        ),
        ErrorTemplate(
            "{at}: The final block in an assistant message cannot be `redacted_thinking`.",
            certainty="likely",
            name="redacted",
        ),
    ),
    about=("thinking",),
)

ANT_OFF: Final = WireRule(
    "ANT-OFF",
    "With thinking off, the assistant turn that tool results continue contains no thinking.",
    "A loop that turns thinking off in the middle of a tool loop, for a cheaper model or a last turn, still sends it.",
    "likely",
    (
        "https://github.com/tailcallhq/forgecode/issues/1853",
        "https://github.com/tailcallhq/forgecode/issues/1195",
        "https://github.com/Kilo-Org/kilocode/pull/4631",
        "all of 2025; newer models are documented to ignore such blocks",
    ),
    (
        ErrorTemplate(
            "{at}: When thinking is disabled, an `assistant` message in the final position cannot contain "
            "`{kind}`. To use thinking blocks, enable `thinking` in your request.",
            seen="messages.1.content.0: When thinking is disabled, an `assistant` message in the final position "
            "cannot contain `thinking`. To use thinking blocks, enable `thinking` in your request.",
            name="holds",
        ),
    ),
    applies="models before Claude 4.6, with thinking of type disabled or without a thinking member",
    about=("thinking",),
)
