"""Thinking blocks are genuine, unmodified, complete and in their place. (``binding`` has what they are bound to.)

``got`` begins with what has happened to a block: it is forged, altered, moved, dropped or duplicated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, HistoryPart, Run
from harness.wire.anthropic_messages.rules.issued import THINKING, show
from harness.wire.anthropic_messages.rules.places import (
    blocks,
    fact,
    forget_thinking,
    imported,
    latest,
    of_kind,
    rename,
    say,
    thinking_of,
    thinks,
    tool_loop,
    turns,
)
from harness.wire.posted import Posted, Wrong, put
from harness.wire.rule import ErrorTemplate, WireRule

_LEGACY: Final = "requests with thinking of type enabled (manual extended thinking)"


def _say_first(posted: Posted) -> bool:
    """Put something else in front of a turn that begins with thinking."""
    for turn in turns(posted) if thinks(posted) == "enabled" else ():
        content, thoughts = turn["content"], thinking_of(turn)
        others = [block for block in content if block not in thoughts]
        if thoughts and others and content[0] in thoughts:
            content.remove(others[0])
            content.insert(0, others[0])
            return True
    return False


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
    wrong=(
        Wrong(
            "ant-manual-thinking-not-first",
            "With manual thinking, something else comes first.",
            _say_first,
            "manual-thinking opus-4-1",
        ),
    ),
)


@HISTORY_RULES.check("thinking", ANT_17, only_with=THINKING)
def starts_the_turn(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-17: with manual thinking, a turn with thinking begins with it.

    A turn that was issued without thinking in front is no fault of the loop.
    """
    if not history.settings.manual:
        return
    for run in history.runs:
        if run.role == "assistant" and run.thinking and not _starts(run) and _issued_so(history, run):
            first = run.blocks[0]
            yield ANT_17.broken(first.at, expected="thinking first", got=first.kind, found=first.kind)


def _think_no_more(posted: Posted) -> bool:
    """Leave all thinking of the open tool loop out."""
    loop = tool_loop(posted) if thinks(posted) == "enabled" else []
    return bool(loop) and loop[0]["content"][0] in thinking_of(loop[0]) and forget_thinking(loop)


def _think_no_more_in_a_loop_of_ones_own(posted: Posted) -> bool:
    """The same, with other ids for its calls, and a message in front of all."""
    if imported(posted) or not _think_no_more(posted):
        return False
    rename(posted, {call["id"]: f"{call['id']}_1" for call in blocks(posted, "tool_use")})
    return say(posted, "user", "It is 12:34.", at=0)


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
    wrong=(
        Wrong(
            "ant-manual-thinking-dropped",
            "With manual thinking, a tool loop goes on without any.",
            _think_no_more,
            "opus-4-1 manual-thinking",
        ),
        Wrong(
            "ant-manual-thinking-dropped-behind-other-ids",
            "With manual thinking, a tool loop with ids of its own goes on without any.",
            _think_no_more_in_a_loop_of_ones_own,
            "manual-thinking-once opus-4-1",
        ),
    ),
)


@HISTORY_RULES.carry(tuple[Run, ...]())
def _loop_start(before: tuple[Run, ...], part: HistoryPart) -> tuple[Run, ...]:
    """The first assistant turn of the tool loop that is open behind the part; empty if none is open."""
    for run in part.runs:
        if run.role == "user" and not run.results:
            before = ()
        elif not before and run.role == "assistant" and run.blocks:
            before = (run,)
    return before


@HISTORY_RULES.check("thinking", ANT_16, only_with=("tool_result",))
def starts_the_loop(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-16: with manual thinking, the tool loop that the request continues starts with thinking."""
    loop = _tool_loop(history) if history.settings.manual else []
    if not loop or _starts(loop[0]) or _starts(loop[-1]) or not _issued_so(history, loop[0]):
        return
    if not loop[-1].thinking:
        first = loop[-1].blocks[0]
        expected = "the turn's thinking first"
        yield ANT_16.broken(f"{first.at}.type", expected=expected, got=first.kind or "no type", found=first.kind)


def _starts(run: Run) -> bool:
    return bool(run.blocks) and run.blocks[0].kind in THINKING


def _issued_so(history: AnthropicHistory, run: Run) -> bool:
    """False if the endpoint itself sent this turn without thinking in front, or may have done so.

    If a model reuses a call id, or a loop changes the ids of calls, it is open which reply a turn repeats: any with its
    calls and text.
    """
    if items := history.issued_as(run):
        return items[0]["type"] in THINKING
    return all(items[0]["type"] in THINKING for items in history.issued.holding(run.natives))


def _tool_loop(history: AnthropicHistory) -> list[Run]:
    """The assistant turns of the tool loop that the request continues; empty when it continues none."""
    if not history.runs or history.runs[-1].role != "user" or not history.runs[-1].results:
        return []
    loop: list[Run] = []
    for run in reversed(history.runs):
        if run.role == "user" and not run.results:
            return loop[::-1]
        if run.role == "assistant" and run.blocks:
            loop.append(run)
    return [*history.before(_loop_start), *reversed(loop)]


def _turn_thinking_off(posted: Posted) -> bool:
    thoughts = [block for turn in latest(posted) for block in thinking_of(turn)]
    if not thoughts or not tool_loop(posted) or not fact(posted, "refuses-thinking"):
        return False
    return put([posted.body], thinking={"type": "disabled"})


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
    wrong=(
        Wrong(
            "ant-thinking-off", "Thinking is turned off in a tool loop.", _turn_thinking_off, "opus-4-1 manual-thinking"
        ),
    ),
)


@HISTORY_RULES.check("thinking", ANT_OFF, only_with=THINKING)
def off_in_a_loop(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-OFF: with thinking off, older models refuse thinking in the turn that results continue."""
    if history.settings.thinking.get("type", "disabled") != "disabled":
        return
    if history.latest is None or not MODELS.holds("refuses-thinking", history.settings.model):
        return
    if _tool_loop(history):
        for block in history.latest.thinking[:1]:
            yield ANT_OFF.broken(block.at, expected="no thinking in this turn", got=show(block.native), kind=block.kind)


def _end_with(posted: Posted, kind: str) -> bool:
    """A turn ends with its thinking."""
    for turn in turns(posted):
        for block in of_kind(turn["content"], kind)[:1]:
            turn["content"].remove(block)
            turn["content"].append(block)
            return True
    return False


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
    wrong=(
        Wrong(
            "ant-thinking-last",
            "A turn ends with its thinking.",
            lambda it: _end_with(it, "thinking"),
            "one-call foreign",
        ),
        Wrong(
            "ant-redacted-last",
            "A turn ends with redacted thinking.",
            lambda it: _end_with(it, "redacted_thinking"),
            "two-calls foreign",
            says="redacted",
        ),
    ),
)


@HISTORY_RULES.check("latest turn", ANT_LAST, only_with=THINKING)
def never_last(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-LAST: an assistant turn ends with something else than thinking."""
    for run in history.runs:
        if run.role == "assistant" and run.blocks and run.blocks[-1].kind in THINKING:
            last = run.blocks[-1]
            if last.entry.is_kept:
                continue
            expected, template = "text or a call behind it", "thinking" if last.kind == "thinking" else "redacted"
            yield ANT_LAST.broken(last.entry.at, expected=expected, got=show(last.native), template=template)
