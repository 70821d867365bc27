"""ANT-18: on newer models thinking is bound to all that came before it: system, tools and every earlier message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.anthropic_messages.blocks import blocks_of
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, ContentBlock, HistoryPart, MessageItem
from harness.wire.anthropic_messages.rules.issued import THINKING, proof_member, proof_of
from harness.wire.anthropic_messages.rules.places import (
    blocks,
    calls_of,
    fact,
    issued_turns,
    listed,
    mark,
    messages,
    of_kind,
    results_of,
    say,
    text,
    turns,
)
from harness.wire.base import Json
from harness.wire.lenient import entries, objects
from harness.wire.posted import Posted, Right, Wrong, drop, put
from harness.wire.rule import ErrorTemplate, WireRule

_PRESERVED: Final = "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking"

_OTHER_CONVERSATION: Final = (
    "{at}: Invalid `{member}` in `{kind}` block. The block is bound to a different conversation. Remove the block, or "
    'set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)

_WITH_BETA: Final = (
    " That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header."
)

_BETA = "thinking-binding-controls-2026-08-01"
_MAY_CHANGE = ("cache_control", "caller")


def _bound(posted: Posted) -> bool:
    binding = posted.body.get("thinking", {}).get("block_binding", {})
    dropped = binding.get("prefix_mismatch_behavior") == "drop_block"
    return bool(issued_turns(posted)) and bool(fact(posted, "bound-thinking")) and not dropped


def _set_the_clock(posted: Posted) -> bool:
    return _bound(posted) and put([posted.body], system="You answer questions about code. It is 12:34.")


def _bind(behavior: str) -> Json:
    return {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": behavior}}


def _cut_a_result(posted: Posted) -> bool:
    """A result of an earlier turn is cut short; thinking that came after it is still sent."""
    for turn in issued_turns(posted)[-1:] if _bound(posted) else ():
        earlier = messages(posted)[: messages(posted).index(turn)]
        return put([result for message in earlier for result in results_of(message)][:1], content="[cut]")
    return False


def _alter_a_text_behind_an_empty_one(posted: Posted) -> bool:
    """Put an empty text first, and change the model's text after its first thinking."""
    found = issued_turns(posted)[:-1][:1] if _bound(posted) else []
    for each in [each for turn in found for each in of_kind(turn["content"][1:2], "text")]:
        each["text"] += " Or not."
        listed(messages(posted)[0]).insert(0, text(""))
        return True
    return False


def _say_it_only_once(posted: Posted) -> bool:
    """Keep the user's text only after the first result, for a model that binds its thinking."""
    spoken = [each for each in messages(posted) if results_of(each) and of_kind(each["content"], "text")]
    if len(spoken) < 2 or not issued_turns(posted):
        return False
    for message in spoken[1:]:
        message["content"] = results_of(message)
    return put([posted.body], model="claude-opus-5-5")


def _give_bound_thinking_up(posted: Posted) -> bool:
    """The client permits that thinking which is bound to another history is dropped."""
    posted.headers["anthropic-beta"] = _BETA
    return put([posted.body], thinking=_bind("drop_block"), system="Another.")


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
    wrong=(
        Wrong(
            "ant-bound-instructions-altered",
            "The instructions have a clock in them.",
            _set_the_clock,
            "bound-thinking bound-thinking-with-beta",
        ),
        Wrong(
            "ant-bound-instructions-altered-openly",
            "The instructions have a clock in them, where that is to fail.",
            lambda it: _set_the_clock(it) and put([it.body], thinking=_bind("error")),
            "bound-thinking-with-beta",
            says="with-beta",
        ),
        Wrong(
            "ant-bound-tools-altered",
            "A tool is taken away.",
            lambda it: _bound(it) and it.body["tools"].pop(),
            "bound-thinking bound-thinking-with-beta",
        ),
        Wrong(
            "ant-bound-prompt-altered",
            "The prompt becomes a summary.",
            lambda it: _bound(it) and put(messages(it)[:1], content="A summary of what was said."),
            "bound-thinking bound-thinking-with-beta",
        ),
        Wrong(
            "ant-bound-message-added",
            "A reminder comes first.",
            lambda it: _bound(it) and say(it, "user", "It is 12:34.", at=0),
            "bound-thinking",
        ),
        Wrong(
            "ant-bound-message-dropped",
            "The prompt is left out.",
            lambda it: _bound(it) and messages(it)[0]["role"] == "user" and messages(it).pop(0),
            "bound-thinking",
        ),
        Wrong(
            "ant-bound-result-altered",
            "An earlier result is cut short.",
            _cut_a_result,
            "bound-thinking bound-thinking-with-beta",
        ),
        Wrong(
            "ant-bound-text-altered",
            "An empty text comes first, and an earlier text is changed.",
            _alter_a_text_behind_an_empty_one,
            "bound-thinking",
            also=("ANT-11",),
        ),
        Wrong(
            "ant-bound-repetition-dropped",
            "What the user has said twice is sent once.",
            _say_it_only_once,
            "several-turns",
        ),
    ),
    right=(
        Right(
            "ant-callers-dropped",
            "Calls without their caller.",
            lambda it: drop([call for turn in turns(it) for call in calls_of(turn)], "caller"),
            "bound-thinking one-call",
        ),
        Right(
            "ant-cache-marked-in-a-result",
            "A cache mark within a result.",
            lambda it: mark(
                [each for result in blocks(it, "tool_result") for each in of_kind(result.get("content"), "text")][:1]
            ),
            "bound-thinking-with-beta",
        ),
        Right(
            "ant-choice-changed",
            "No tool may be called any more.",
            lambda it: put([it.body], tool_choice={"type": "none"}),
            "bound-thinking manual-thinking",
            also=("ANT-19",),
        ),
        Right(
            "ant-bound-thinking-given-up", "Bound thinking may be dropped.", _give_bound_thinking_up, "bound-thinking"
        ),
    ),
)


@HISTORY_RULES.check("whole", ANT_18, only_with=THINKING)
def bound_to_prefix(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-18: nothing before a thinking block has changed.

    It is enough to look at the newest reply whose thinking the request repeats: the turns before it are its prefix. If
    all thinking is in the part that was judged before, that part has not changed, and nothing is checked again.
    """
    if not _binds(history) or (newest := history.through(_newest_reply)) < 0:
        return
    asked = history.issued.turns[newest][0].body
    changed = _first_change(asked, history.conversation.body)
    if changed is None:
        return
    position, what = changed
    for block in _significant_blocks(history)[position:]:
        if block.kind in THINKING and history.issued.number(block.native) is not None:
            expected = "all before it as it was when the block was issued"
            template = "with-beta" if _BETA in history.settings.betas else "without-beta"
            words: dict[str, Any] = {"member": proof_member(block.native), "kind": block.kind}
            yield ANT_18.broken(block.at, expected=expected, got=what, template=template, **words)
            return


@HISTORY_RULES.carry(-1)
def _newest_reply(before: int, part: HistoryPart) -> int:
    """The newest reply with a thinking block in the history; -1 for none."""
    numbers = [part.issued.number(block.native) for run in part.runs for block in run.thinking]
    return max([before, *(number for number in numbers if number is not None)])


def _binds(history: AnthropicHistory) -> bool:
    binding = history.settings.thinking.get("block_binding")
    dropped = isinstance(binding, dict) and binding.get("prefix_mismatch_behavior") == "drop_block"
    return not dropped and MODELS.holds("bound-thinking", history.settings.model)


def _significant_blocks(history: AnthropicHistory) -> list[ContentBlock]:
    """Every block of the request, even if judged before, without empty texts."""
    objects_of = ((number, message) for number, message in enumerate(history.messages) if isinstance(message, dict))
    placed = [MessageItem(history.place(number), number, message) for number, message in objects_of]
    return [block for entry in placed for block in entry.blocks if _significant(block.native)]


def _first_change(asked: Json, body: Json) -> tuple[int, str] | None:
    """The number of blocks before the first change since the earlier request, and what changed."""
    before, after = entries(asked.get("messages")), entries(body.get("messages"))
    members = [member for member in ("system", "tools") if asked.get(member) != body.get(member)]
    if not members and after[: len(before)] == before:
        return None
    for member in members:
        if _plain(asked.get(member)) != _plain(body.get(member)):
            return 0, f"altered: {member}"
    was, now = _flat(before), _flat(after)
    for index, block in enumerate(was):
        if now[index : index + 1] != [block]:
            return index, f"{_change(was, now, index)}: block {index + 1} of the history"
    return None


def _change(was: list[Any], now: list[Any], index: int) -> str:
    """What happened to the first block that is not at its old place."""
    if was[index] in now[index:]:
        return "added before" if now[index] not in was else "moved"
    following = was[index + 1 : index + 2]
    return "dropped" if following == now[index : index + 1] else "altered"


def _flat(messages: list[Any]) -> list[tuple[Any, Any]]:
    return [
        (message.get("role"), proof_of(block) if block.get("type") in THINKING else _plain(block))
        for message in objects(messages)
        for block in blocks_of(message.get("content"))
        if _significant(block)
    ]


# What a thinking block says besides its proof is judged by ``thinking``.


def _significant(block: Json) -> bool:
    return block.get("type") != "text" or bool(block.get("text"))


def _plain(value: Any) -> Any:
    """Blocks or tools without what may change from request to request: cache breakpoints, a call's caller."""
    if isinstance(value, list):
        return [_plain(each) if isinstance(each, dict) else each for each in value]
    if not isinstance(value, dict):
        return value
    kept = _without(value)
    if isinstance(kept.get("content"), list):
        kept["content"] = [_without(each) if isinstance(each, dict) else each for each in kept["content"]]
    return kept


def _without(block: Json) -> Json:
    return {name: each for name, each in block.items() if name not in _MAY_CHANGE}
