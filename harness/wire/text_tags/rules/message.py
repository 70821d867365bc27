"""The model's message on its way back: TAG-01."""

from __future__ import annotations

import re
from typing import Final

from harness.wire.base import Reply
from harness.wire.characters import sendable
from harness.wire.lenient import string
from harness.wire.openai_chat.rules.places import insert, leave_out, messages
from harness.wire.posted import Posted, Right, Wrong, put
from harness.wire.rule import ErrorTemplate, WireRule
from harness.wire.text_tags.rules.book import TURNS
from harness.wire.text_tags.rules.places import answered, user
from harness.wire.text_tags.rules.turn import Found, ReturnedTurn, is_results, quoted
from harness.wire.text_tags.tags import Tag
from harness.wire.turn import FinishReason, Refusal


def _reword(posted: Posted, pattern: str, new: str) -> bool:
    """Change the first of the model's messages that has such words."""
    for message in answered(posted):
        words = re.sub(pattern, new, message["content"], flags=re.DOTALL)
        if words != message["content"]:
            return put([message], content=words)
    return False


TAG_01: Final = WireRule(
    "TAG-01",
    "The model's message goes back to the letter, with its tags and its thinking.",
    "A loop that shows the user a text without tags is tempted to send that text back. The model then finds a history "
    "in which it has called nothing, and stops using its tools or calls them again.",
    "certain",
    ("Hugind Tool Calling Flow, section 3", "measured case result-message-two-tools"),
    (
        ErrorTemplate(
            "The model does not find its own words: it repeats them, or believes what it has not said.",
            status=200,
            name="altered",
        ),
        ErrorTemplate(
            "The model gets results without the message in which it asked for them.", status=200, name="lost"
        ),
    ),
    about=("words",),
    wrong=(
        Wrong(
            "tags-thinking-stripped",
            "The model's message goes back without its thinking.",
            lambda it: _reword(it, f"{Tag.THINK}.*?{Tag.THINK_END}", ""),
            "three-calls turns",
        ),
        Wrong(
            "tags-calls-stripped",
            "The model's message goes back as the user saw it, without its calls.",
            lambda it: _reword(it, f"{Tag.CALL}.*?{Tag.CALL_END}", ""),
            "one-call three-calls turns",
        ),
        Wrong(
            "tags-arguments-tidied",
            "The arguments of a call are written anew.",
            lambda it: _reword(it, '"path": ', '"path":'),
            "one-call three-calls",
        ),
        Wrong(
            "tags-calls-forgotten",
            "The results are sent without the message with the calls.",
            lambda it: leave_out(it, [each for each in answered(it) if each["role"] == "assistant"][-1:]),
            "one-call turns",
            says="lost",
        ),
        Wrong(
            "tags-calls-replaced",
            "The results are sent behind a message of the user's, without the message with the calls.",
            lambda it: insert(it, found := answered(it)[-1:], user("Look: a map.")) and leave_out(it, found),
            "three-calls",
            says="lost",
        ),
    ),
    right=(
        Right(
            "tags-words-listed",
            "The model's words are a list of one text part.",
            lambda it: [put([each], content=[{"type": "text", "text": each["content"]}]) for each in answered(it)],
            "one-call turns",
        ),
        Right(
            "tags-system-anew",
            "The system prompt is another one.",
            lambda it: put(messages(it)[:1], content="You answer in one word."),
            "one-call",
        ),
    ),
)


@TURNS.check("turn", TAG_01)
def message_is_as_it_was(turn: ReturnedTurn) -> Found:
    """TAG-01. A loop may keep what the user has seen of a refused or cut off turn."""
    issued = sendable(string(turn.reply.items[0].get("content"))) if turn.reply.items else ""
    if not issued:
        return
    if not turn.is_back:
        yield from _lost(turn, issued)
    elif not _is_stopped(turn.reply) and (came := sendable(turn.text(0))) != issued:
        yield turn.broken(TAG_01, 0, "altered", *_difference(issued, came))


def _is_stopped(reply: Reply) -> bool:
    declined = any(isinstance(part, Refusal) for part in reply.turn.parts)
    return declined or reply.turn.stop not in (FinishReason.END, FinishReason.TOOL_CALLS)


def _lost(turn: ReturnedTurn, issued: str) -> Found:
    """Reports results without a model's message before them. Another message may replace it."""
    for number, message in enumerate(turn.messages):
        if message.role == "assistant":
            return
        if is_results(message):
            yield turn.broken(TAG_01, number, "lost", f"the model's message: {quoted(issued)}", "its results only")
            return


def _difference(issued: str, came: str) -> tuple[str, str]:
    """Both texts from a little before the first character that differs."""
    same = next((at for at, (one, other) in enumerate(zip(issued, came, strict=False)) if one != other), None)
    at = max(0, (min(len(issued), len(came)) if same is None else same) - 20)
    return quoted(issued[at:], at), quoted(came[at:], at)
