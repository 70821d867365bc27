"""ANT-34: thinking goes back to the model that has signed it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, ContentBlock
from harness.wire.anthropic_messages.rules.table.thinking import ANT_34

__all__ = ["same_signer"]

_BARE: Final = re.compile(r"claude-[a-z0-9-]+?(?=(?:-0)?(?:-latest|-v\d+|[-@]20\d{6}|[@:]|$))")
_PLATFORMS: Final = (("Bedrock", re.compile(r"anthropic\.claude")), ("Vertex", re.compile(r"@")))


def same_signer(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-34: no thinking of another model's, as far as the endpoint knows whose it is.

    Claude's API leaves out what another Claude has thought, or refuses it: between those it is inferred only.
    """
    model = history.settings.model
    if not history.issued or not MODELS.holds("known", model):
        return
    for run in history.runs:
        for block in run.thinking:
            number = history.issued.number(block.native)
            asked, reply = history.issued.turns[number] if number is not None else (None, None)
            if asked is not None and reply is not None and asked.model != model:
                yield from _foreign(block, model, reply.model or asked.model)


def _foreign(block: ContentBlock, model: str, signer: str) -> Iterator[Finding]:
    if not MODELS.holds("known", signer):
        template = "maker"
    elif _bare(signer) != _bare(model):
        template = "model"
    elif _platform(signer) != _platform(model):
        template = "platform"
    else:
        return
    words: dict[str, Any] = {"member": "signature" if block.kind == "thinking" else "data", "kind": block.kind}
    expected, got = f"thinking of {model}", f"signed by {signer}"
    yield ANT_34.broken(block.at, expected=expected, got=got, template=template, **words)


def _bare(model: str) -> str:
    """The name of a model without its platform, its date and its version there."""
    found = _BARE.search(model.replace(".", "-"))
    return found[0] if found else model


def _platform(model: str) -> str:
    return next((name for name, pattern in _PLATFORMS if pattern.search(model)), "Anthropic")
