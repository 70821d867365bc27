"""Turns as a model without function calling writes them, sent and read as texts of the Chat wire."""

from __future__ import annotations

from dataclasses import replace

from harness.wire.base import Conversation, Rendered, Reply
from harness.wire.identity import Identity
from harness.wire.openai_chat.parse import parse as parse_chat
from harness.wire.openai_chat.render import render as render_chat
from harness.wire.text_tags.words import meant, read_message, written
from harness.wire.turn import FinishReason, Part, Refusal, Text, Turn


def render(turn: Turn, identity: Identity, conversation: Conversation) -> Rendered:
    """The answer to ``conversation`` with ``turn``; a stream if the request asked for one.

    The reply comes from ``turn`` and not from the text, so that it shares no mistake with readers of the text, except
    for turns that only a reader can understand (``words.meant``). Refusals are the Chat wire's own. A server that knows
    no tools never reports that it stopped for one.
    """
    refusals = tuple([part for part in turn.parts if isinstance(part, Refusal)])
    stop = FinishReason.END if turn.stop is FinishReason.TOOL_CALLS else turn.stop
    text = written(turn.parts, turn.stop)
    rendered = render_chat(replace(turn, parts=(Text(text), *refusals), stop=stop), identity, conversation)
    return replace(rendered, reply=_reply(rendered.reply, meant(turn.parts, turn.stop)))


def parse(content_type: str, body: bytes) -> Reply:
    """Read a response body. Raises ``ValueError`` if it is no response of the Chat wire."""
    return _reply(parse_chat(content_type, body))


def _reply(native: Reply, content: tuple[Part, ...] | None = None) -> Reply:
    """The Chat wire's reply in the form of this protocol; ``content``: the parts of its content, if known."""
    if content is None or not native.items:
        parts: tuple[Part, ...] = read_message(native.turn.parts)
    else:
        parts = (*content, *(part for part in native.turn.parts if isinstance(part, Refusal)))
    turn = replace(native.turn, parts=parts)
    if native.complete and turn.calls and turn.stop is FinishReason.END:
        turn = replace(turn, stop=FinishReason.TOOL_CALLS)
    return replace(native, wire="text-tags", turn=turn)
