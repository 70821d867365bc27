"""BED-40: the reasoning of Claude goes back as it came.

An issued history is compared with what was issued; any other history is judged only by its form.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import IssuedState, Json
from harness.wire.bedrock_converse.models import CLAUDE
from harness.wire.bedrock_converse.rules.book import RULES
from harness.wire.bedrock_converse.rules.places import (
    call_turns,
    fact,
    messages,
    reasoning,
    signed,
    thinks,
    use_ids_of_ones_own,
    without_reasoning,
)
from harness.wire.bedrock_converse.rules.request import FROM_THE_MODEL, Block, ConverseRequest, Entry, Found, brief
from harness.wire.issued import IssuedKind, IssuedTurn, issued_calls
from harness.wire.lenient import members, string
from harness.wire.posted import Posted, Right, Wrong, drop, put
from harness.wire.rule import ErrorTemplate, WireRule

_MODIFIED: Final = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must "
    "remain as they were in the original response."
)


def _lose_what_is_redacted(posted: Posted) -> bool:
    for message in call_turns(posted)[-1:]:
        kept = [block for block in message["content"] if "redactedContent" not in block.get("reasoningContent", {})]
        lost = len(kept) < len(message["content"])
        message["content"] = kept
        return lost
    return False


def _lose_the_reasoning(posted: Posted) -> bool:
    """In every turn, while the model is asked to think."""
    if not thinks(posted) or not reasoning(posted):
        return False
    return all(put([message], content=without_reasoning(message)) for message in messages(posted))


def _leave_earlier_reasoning_out(posted: Posted) -> bool:
    turns = call_turns(posted)
    for message in turns[:-1]:
        message["content"] = without_reasoning(message)
    return len(turns) > 1 and bool(fact(posted, CLAUDE))


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
        ErrorTemplate(f"{FROM_THE_MODEL}{{at}}: {_MODIFIED}"),
        ErrorTemplate(
            f"{FROM_THE_MODEL}{{at}}.thinking.signature: Field required",
            seen="The model returned the following errors: messages.1.content.0.thinking.signature: Field required",
            name="unsigned",
        ),
        ErrorTemplate(f"{FROM_THE_MODEL}{{at}}: Invalid `signature` in `thinking` block", name="forged"),
        ErrorTemplate(
            f"{FROM_THE_MODEL}{{at}}.type: Expected `thinking` or `redacted_thinking`, but found `{{found}}`. "
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
    wrong=(
        Wrong(
            "bed-signature-lost",
            "The model's reasoning has no signature.",
            lambda it: drop(signed(it), "signature"),
            "thinking redacted",
            says="unsigned",
        ),
        Wrong(
            "bed-signature-forged",
            "The model's reasoning has another signature.",
            lambda it: [put([text], signature=text["signature"][::-1]) for text in signed(it)],
            "thinking redacted",
            says="forged",
        ),
        Wrong(
            "bed-reasoning-rewritten",
            "The model's reasoning is changed under its signature.",
            lambda it: [put([text], text=text["text"].upper()) for text in signed(it)],
            "thinking redacted",
        ),
        Wrong("bed-redacted-lost", "What the model has redacted is not sent back.", _lose_what_is_redacted, "redacted"),
        Wrong(
            "bed-reasoning-lost",
            "The model's reasoning is not sent back.",
            _lose_the_reasoning,
            "thinking redacted",
            says="missing",
        ),
    ),
    right=(
        Right(
            "bed-own-ids-without-reasoning",
            "Calls of a turn without reasoning have other ids.",
            use_ids_of_ones_own,
            "without-thinking",
        ),
        Right(
            "bed-earlier-reasoning",
            "The reasoning of an earlier turn is not sent back.",
            _leave_earlier_reasoning_out,
            "redacted sonnet-4-6",
        ),
    ),
)


@RULES.check("maker", BED_40)
def reasoning_kept(request: ConverseRequest) -> Found:
    """Every block is signed. In the turn that results continue, they are the issued ones and come first."""
    if not request.fact(CLAUDE):
        return
    for entry in request.entries:
        if entry.role == "assistant":
            yield from _missing_signatures(entry)
    turn = _continued_turn(request)
    if turn is None:
        return
    issued = _issued_items(turn, request.issued)
    if len(issued) == 1:
        yield from _as_issued(turn, issued[0])
    if request.thinking == "enabled" and not turn.reasoning:
        issued = issued or _of_the_same_tools(turn, request.issued)
        if all(map(_reasons, issued)):
            yield from _missing(request, turn)


def _missing_signatures(entry: Entry) -> Iterator[Finding]:
    for block in entry.reasoning:
        text = members(block.value).get("reasoningText")
        if isinstance(text, dict) and not text.get("signature"):
            yield BED_40.broken(block.at, template="unsigned", expected="a signature", got=brief(text))


def _continued_turn(request: ConverseRequest) -> Entry | None:
    """The turn of the assistant whose calls the last message answers."""
    if len(request.entries) < 2:
        return None
    turn, last = request.entries[-2:]
    return turn if turn.calls and last.results else None


def _issued_items(turn: Entry, state: IssuedState) -> list[tuple[Json, ...]]:
    """The items of each reply that has as many calls with one of these ids.

    If a model reuses an id, or a loop changes the ids of calls, it is open which reply a turn repeats.
    """
    issued = issued_calls(state)
    found = {each.number: each.reply for block in turn.calls for each in issued.get(block.id, ())}
    replies = (found[number] for number in sorted(found))
    return [reply.items for reply in replies if len(reply.turn.calls) == len(turn.calls)]


def _of_the_same_tools(turn: Entry, state: IssuedState) -> list[tuple[Json, ...]]:
    """The items of each reply that calls the same tools: a turn with changed call ids may repeat one of them.

    If there is none, nothing is known about the turn.
    """
    names = [string(members(block.value).get("name")) for block in turn.calls]
    return _items_of_tools(state).get(tuple(names), [])


@IssuedKind
def _items_of_tools(turn: IssuedTurn) -> Iterator[tuple[tuple[str, ...], tuple[Json, ...]]]:
    """The items of each reply, by the names of the tools that it calls."""
    yield tuple(call.name for call in turn.reply.turn.calls), turn.reply.items


def _reasons(items: tuple[Json, ...]) -> bool:
    return bool(items) and "reasoningContent" in items[0]


def _as_issued(turn: Entry, items: tuple[Json, ...]) -> Iterator[Finding]:
    """A turn without any reasoning is not modified; its reasoning may be missing (``_missing``)."""
    expected = [item["reasoningContent"] for item in items if "reasoningContent" in item]
    blocks = [block for block in turn.reasoning if _is_signed(block)]
    for block, issued in zip(blocks, expected, strict=False):
        if block.value != issued:
            yield _change_finding(block, issued)
            return
    if blocks and len(turn.reasoning) < len(expected):
        lost = expected[len(turn.reasoning)]
        yield BED_40.broken(blocks[-1].at, expected=f"{brief(lost)} behind it", got="nothing of it")
    for block in blocks[len(expected) :]:
        yield BED_40.broken(block.at, template="forged", expected="no more reasoning", got=brief(block.value))


def _is_signed(block: Block) -> bool:
    text = members(block.value).get("reasoningText")
    return not isinstance(text, dict) or bool(text.get("signature"))


def _change_finding(block: Block, issued: Any) -> Finding:
    """The finding for a changed block: a signature that was not issued, or a change under an issued one."""
    forged = _proof(block.value) != _proof(issued) and "reasoningText" in members(block.value)
    return BED_40.broken(
        block.at, template="forged" if forged else None, expected=brief(issued), got=brief(block.value)
    )


def _proof(value: Any) -> str:
    return string(members(members(value).get("reasoningText")).get("signature"))


def _missing(request: ConverseRequest, turn: Entry) -> Iterator[Finding]:
    """Somewhere in the tool loop that the last message continues, the turn that began it may have reasoned."""
    if any(entry.reasoning for entry in _loop(request)):
        return
    first = turn.blocks[0]
    found = {"toolUse": "tool_use"}.get(first.kind, first.kind)
    yield BED_40.broken(first.at, template="missing", expected="its reasoning first", got=first.kind, found=found)


def _loop(request: ConverseRequest) -> Iterator[Entry]:
    """The assistant's turns since the user's last text."""
    for entry in reversed(request.entries):
        if entry.role == "assistant":
            yield entry
        elif not entry.results:
            return
