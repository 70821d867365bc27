"""ANT-14: thinking is genuine: it proves that the model wrote it."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Iterator, Sequence
from typing import Any, Final

from harness.finding import Finding
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, ContentBlock
from harness.wire.anthropic_messages.rules.issued import THINKING, is_one_of, proof_member, proof_of, show
from harness.wire.anthropic_messages.rules.places import (
    blocks,
    doubt,
    imported,
    issued_turns,
    latest,
    plain_of,
    say,
    text,
    turns,
)
from harness.wire.base import Json
from harness.wire.posted import Posted, Right, Wrong, add, put
from harness.wire.rule import ErrorTemplate, WireRule

_LONG = 100
"""Every signature of a Claude model is longer than this; texts that somebody puts there instead are not."""


_FORGED: Final = "Zm9yZ2VkIGJ5IHNvbWVib2R5IGVsc2U="


def _paste_a_conversation(posted: Posted) -> bool:
    """A conversation from elsewhere comes before this one."""
    if imported(posted) or not turns(posted):
        return False
    thought = {"type": "thinking", "thinking": "They greet me.", "signature": _FORGED}
    say(posted, "assistant", [thought, text("Hello.")], at=0)
    return say(posted, "user", "Good morning.", at=0)


def _spell_signatures_for_urls(posted: Posted) -> bool:
    """Base64 in the other alphabet, without padding, is the same signature."""
    for block in blocks(posted, "thinking"):
        block["signature"] = block["signature"].replace("+", "-").replace("/", "_").rstrip("=")
    return True


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
    wrong=(
        Wrong(
            "ant-signature-forged",
            "Thinking has a signature that was never issued.",
            lambda it: put([each for turn in issued_turns(it)[::-1] for each in plain_of(turn)][:1], signature=_FORGED),
            "one-call two-calls several-turns manual-thinking",
        ),
        Wrong(
            "ant-redacted-forged",
            "Redacted thinking has data that was never issued.",
            lambda it: issued_turns(it) and put(blocks(it, "redacted_thinking")[:1], data=_FORGED),
            "two-calls several-turns",
        ),
        Wrong(
            "ant-signature-empty",
            "Thinking has no signature.",
            lambda it: put(blocks(it, "thinking")[:1], signature=""),
            "one-call foreign",
        ),
        Wrong(
            "ant-thinking-invented",
            "Thinking is made up.",
            lambda it: (
                not imported(it)
                and add(
                    latest(it),
                    "content",
                    {"type": "thinking", "thinking": "I know that already.", "signature": _FORGED},
                    at=0,
                )
            ),
            "one-call two-calls",
        ),
        Wrong(
            "ant-earlier-thinking-altered",
            "The text of thinking in an earlier turn is changed.",
            lambda it: doubt([each for turn in issued_turns(it)[:-1] for each in plain_of(turn)]),
            "several-turns manual-thinking",
        ),
        Wrong(
            "ant-conversation-pasted",
            "A conversation with thinking that was had elsewhere comes first.",
            _paste_a_conversation,
            "one-call several-turns",
            says="foreign",
        ),
    ),
    right=(
        Right(
            "ant-signatures-for-urls",
            "Signatures in the other alphabet of base64.",
            _spell_signatures_for_urls,
            "two-calls several-turns bound-thinking",
            also=("ANT-15",),
        ),
    ),
)


@HISTORY_RULES.check("signatures", ANT_14, only_with=THINKING)
def signatures(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-14: a thinking block proves that the model wrote it.

    An empty proof proves nothing, but it is no fault of the loop if the endpoint itself sent it so, as servers of other
    models do. Any other proof is compared with what was issued in this case; in a turn that was not issued here, an
    unknown one may be a real one of an earlier conversation. Text under another block's signature is judged here in
    earlier turns, and by ``latest_turn`` in the latest.
    """
    by_claude = MODELS.holds("known", history.settings.model)
    for run in history.runs:
        proofs = [proof_of(block.native) for block in run.thinking]
        is_doubtful = run.role == "assistant" and not all(each and history.issued.thinking(each) for each in proofs)
        sent = history.issued_as(run) if is_doubtful else []
        for block, proof in zip(run.thinking, proofs, strict=True):
            issued = history.issued.thinking(proof)
            if not proof:
                if isinstance(block.native.get(proof_member(block.native)), str) and block.native not in sent:
                    yield _not_genuine(block, "the block's own", f"dropped: an empty {proof_member(block.native)}")
            elif not issued and by_claude and len(proof) < _LONG and not _is_base64(proof):
                yield _not_genuine(block, "a signature of the model's", f"no base64: {show(block.native)}")
            elif not issued and history.issued:
                yield _unknown(block, sent)
            elif issued and run is not history.latest and not is_one_of(block.native, issued):
                yield _not_genuine(block, show(issued[0]), f"altered: {show(block.native)}")


def _is_base64(proof: str) -> bool:
    """Base64, as every Claude signs. (Proxies put a word and # in front of it.)"""
    signed = proof.rpartition("#")[2]
    try:
        a2b_base64(signed + "=" * (-len(signed) % 4), strict_mode=True)
    except ValueError:
        return False
    return True


def _unknown(block: ContentBlock, items: Sequence[Json]) -> Finding:
    text = block.native.get("thinking")
    if text and any(item.get("thinking") == text for item in items if item["type"] == "thinking"):
        return _not_genuine(block, "the signature that came with this text", f"altered signature: {show(block.native)}")
    if items:
        return _not_genuine(block, "a block that was issued", f"forged: {show(block.native)}")
    return _not_genuine(
        block, "a block that was issued", f"never issued here: {show(block.native)}", template="foreign"
    )


def _not_genuine(block: ContentBlock, expected: str, got: str, template: str = "invalid") -> Finding:
    words: dict[str, Any] = {"member": proof_member(block.native), "kind": block.kind}
    return ANT_14.broken(block.at, expected=expected, got=got, template=template, **words)
