"""ANT-34: thinking goes back to the model that has signed it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, ContentBlock
from harness.wire.anthropic_messages.rules.issued import THINKING, proof_member
from harness.wire.anthropic_messages.rules.places import issued_turns
from harness.wire.base import Conversation
from harness.wire.posted import Posted, Right, Wrong, put
from harness.wire.rule import ErrorTemplate, WireRule

_PRESERVED: Final = "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking"

_BARE: Final = re.compile(r"claude-[a-z0-9-]+?(?=(?:-0)?(?:-latest|-v\d+|[-@]20\d{6}|[@:]|$))")
_PLATFORMS: Final = (
    ("Bedrock", re.compile(r"^/model |anthropic\.claude")),
    ("Vertex AI", re.compile(r"/publishers/|@")),
)


def _ask(posted: Posted, model: str) -> bool:
    """Ask another model, or the same on another platform, with thinking of Sonnet 4.6."""
    if posted.body["model"] != "claude-sonnet-4-6" or not issued_turns(posted) or posted.body.get("thread"):
        return False
    return put([posted.body], model=model)


_DATES: Final = {"claude-sonnet-4-5": "20250929", "claude-opus-4-1": "20250805"}


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
    wrong=(
        Wrong(
            "ant-maker-switched",
            "Thinking of another maker's model is sent to a Claude.",
            lambda it: _ask(it, "claude-opus-4-6"),
            "another-maker one-call two-calls several-turns",
        ),
        Wrong(
            "ant-platform-switched",
            "Thinking that was signed on one platform is sent to another.",
            lambda it: _ask(it, "us.anthropic.claude-sonnet-4-6"),
            "one-call two-calls",
            says="platform",
        ),
    ),
    right=(
        Right(
            "ant-model-with-its-date",
            "The same model by another name.",
            lambda it: (date := _DATES.get(it.body["model"])) and put([it.body], model=f"{it.body['model']}-{date}"),
            "manual-thinking opus-4-1",
        ),
    ),
)


@HISTORY_RULES.check("signatures", ANT_34, only_with=THINKING)
def same_signer(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-34: no thinking of another model's, if the endpoint knows whose it is.

    Claude's API leaves out or refuses the thinking of another Claude model: between these it is only inferred.
    """
    model = history.settings.model
    if not history.issued or not MODELS.holds("known", model):
        return
    platform = _platform(history.conversation)
    for run in history.runs:
        for block in run.thinking:
            number = history.issued.number(block.native)
            if number is None:
                continue
            asked, reply = history.issued.turns[number]
            template = _difference(model, asked.model, reply.model or asked.model, platform != _platform(asked))
            if template:
                signer = f"{reply.model or asked.model} on {_platform(asked)}"
                yield _foreign(block, f"{model} on {platform}", signer, template)


def _difference(model: str, asked: str, signer: str, moved: bool) -> str:
    """How a request differs from the one that was answered with the thinking; ``""`` if it does not."""
    if asked == model:  # whatever model the server has answered with
        return "platform" if moved else ""
    if not MODELS.holds("known", signer):
        return "maker"
    if _bare(signer) != _bare(model):
        return "model"
    return "platform" if moved else ""


def _foreign(block: ContentBlock, asked: str, signer: str, template: str) -> Finding:
    words: dict[str, Any] = {"member": proof_member(block.native), "kind": block.kind}
    expected, got = f"thinking of {asked}", f"signed by {signer}"
    return ANT_34.broken(block.at, expected=expected, got=got, template=template, **words)


def _bare(model: str) -> str:
    """The name of a model without its platform, its date and its version there."""
    found = _BARE.search(model.replace(".", "-"))
    return found[0] if found else model


def _platform(conversation: Conversation) -> str:
    """Where a request goes, by its path or by how it spells the model."""
    written = f"{conversation.collection} {conversation.model}"
    return next((name for name, pattern in _PLATFORMS if pattern.search(written)), "the Claude API")
