"""Calls and results: where they stand, that they pair, and how a history ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from harness.wire.anthropic_messages.rules.history import Block, History, Run, broken
from harness.wire.base import Level, Violation

__all__ = [
    "answered_calls",
    "ends_with_user",
    "known_results",
    "places",
    "server_tools",
    "single_results",
    "system_entries",
    "unique_ids",
]

_NO_PREFILL = (4, 6)


def places(history: History) -> Iterator[Violation]:
    """ANT-06: results stand in user messages, calls in assistant messages."""
    for entry, block in history.blocks:
        if block.kind == "tool_result" and entry.role != "user":
            problem = "`tool_result` blocks can only be in `user` messages"
            yield broken("ANT-06", entry.at, problem, expected="role user", got=f"role {entry.role}")
        elif block.kind == "tool_use" and entry.role != "assistant":
            problem = "`tool_use` blocks can only be in `assistant` messages"
            yield broken("ANT-06", entry.at, problem, expected="role assistant", got=f"role {entry.role}", level="L")


def system_entries(history: History) -> Iterator[Violation]:
    """ANT-24: a ``system`` entry follows a user turn, and stands before an assistant turn or at the end.

    The rule was measured, the provider's text is not known.
    """
    roles = ["", *(entry.role for entry in history.entries), ""]
    for index, entry in enumerate(history.entries, start=1):
        if entry.role != "system":
            continue
        before, after = roles[index - 1], roles[index + 1]
        if before not in ("user", "system") or after not in ("assistant", "system", ""):
            problem = "`system` messages must come after a `user` turn, before an `assistant` turn or at the end"
            got = f"after {before or 'nothing'}, before {after or 'nothing'}"
            yield broken("ANT-24", entry.at, problem, expected="after user; before assistant or at the end", got=got)


def unique_ids(history: History) -> Iterator[Violation]:
    """ANT-05: no two calls of a request have the same id.

    Certain within one turn. Over turns only likely: the provider has been seen to take a foreign id in two turns,
    each call answered at once, and to refuse one.
    """
    seen: dict[str, tuple[Run, str]] = {}
    for run in history.runs:
        for block in run.of("tool_use"):
            if not block.id:
                continue
            first, place = seen.setdefault(block.id, (run, block.at))
            if place != block.at:
                problem, got = "`tool_use` ids must be unique", f"{block.id}, already at {place}"
                level: Level = "C" if first is run else "L"
                yield broken("ANT-05", block.at, problem, expected="an id of its own", got=got, level=level)


def known_results(history: History) -> Iterator[Violation]:
    """ANT-03: a result answers a call of the assistant turn just before it."""
    called: set[str] = set()
    for run in history.runs:
        if run.role == "assistant":
            called = {block.id for block in run.of("tool_use")}
            continue
        for block in run.of("tool_result"):
            if block.id and block.id not in called:
                yield _unexpected(block, called)
        called = set()


def _unexpected(block: Block, called: set[str]) -> Violation:
    problem = (
        f"unexpected `tool_use_id` found in `tool_result` blocks: {block.id}. "
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
    )
    expected = f"one of {', '.join(sorted(called))}" if called else "no result: the turn before made no call"
    return broken("ANT-03", block.at, problem, expected=expected, got=block.id)


def single_results(history: History) -> Iterator[Violation]:
    """ANT-04: a call has one result."""
    for run in history.runs:
        seen: set[str] = set()
        for block in run.of("tool_result"):
            if block.id and block.id in seen:
                problem = (
                    f"each tool_use must have a single result. Found multiple `tool_result` blocks with id: {block.id}"
                )
                yield broken("ANT-04", block.at, problem, expected="one result", got=f"another result of {block.id}")
            seen.add(block.id)


def answered_calls(history: History) -> Iterator[Violation]:
    """ANT-01, ANT-02: every call has its result in the next message, before anything else in it.

    Results that lead the next turn but are spread over several user messages are refused as inferred only: the
    documentation asks for one message, no recording shows either answer.
    """
    for index, run in enumerate(history.runs):
        calls = [block for block in run.of("tool_use") if block.id] if run.role == "assistant" else []
        if not calls:
            continue
        following = history.runs[index + 1] if index + 1 < len(history.runs) else Run("user", ())
        leading = {
            block.id: block.message for block in takewhile(lambda block: block.kind == "tool_result", following.blocks)
        }
        given = {block.id for block in following.of("tool_result")}
        unanswered = [call for call in calls if call.id not in leading]
        if unanswered:
            late = all(call.id in given for call in unanswered)
            yield _unanswered(
                "ANT-02" if late else "ANT-01",
                unanswered,
                "the results come after other content" if late else "no result",
            )
        elif len({leading[call.id] for call in calls}) > 1:
            first = following.entries[0].at
            apart = [call for call in calls if leading[call.id] != first]
            yield _unanswered("ANT-01", apart, "the results are spread over several messages", level="I")


def _unanswered(rule: str, calls: list[Block], got: str, level: Level = "C") -> Violation:
    ids = ", ".join(dict.fromkeys(call.id for call in calls))
    problem = (
        f"`tool_use` ids were found without `tool_result` blocks immediately after: {ids}. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )
    expected = "the next message begins with the results of all calls"
    return broken(rule, calls[0].message, problem, expected=expected, got=f"{got}: {ids}", level=level)


def server_tools(history: History) -> Iterator[Violation]:
    """ANT-23: a server tool's use has its result in the same turn, and the other way round.

    It may still be running while all that follows is the results of calls made beside it.
    """
    used: set[str] = set()
    others = [index for index, run in enumerate(history.runs) if any(b.kind != "tool_result" for b in run.blocks)]
    for index, run in enumerate(history.runs):
        answered = {block.id for block in run.blocks if _is_server_result(block)}
        running = not others or index >= others[-1]
        for block in run.blocks:
            if block.kind in ("server_tool_use", "mcp_tool_use"):
                used.add(block.id)
                if block.id not in answered and not running:
                    yield _without_result(block)
            elif _is_server_result(block) and block.id not in used:
                yield _without_use(block)


def _is_server_result(block: Block) -> bool:
    return block.kind.endswith("_tool_result")


def _without_result(block: Block) -> Violation:
    name = "mcp" if block.kind == "mcp_tool_use" else str(block.native.get("name"))
    message = f"`{name}` tool use with id `{block.id}` was found without a corresponding `{name}_tool_result` block"
    return Violation("ANT-23", message, block.at, f"its {name}_tool_result in the same turn", "none")


def _without_use(block: Block) -> Violation:
    use = "mcp_tool_use" if block.kind == "mcp_tool_result" else "server_tool_use"
    problem = (
        f"unexpected `tool_use_id` found in `{block.kind}` blocks: {block.id}. "
        f"Each `{block.kind}` block must have a corresponding `{use}` block before it."
    )
    return broken("ANT-23", block.at, problem, expected=f"a {use} block before it", got=block.id)


def ends_with_user(history: History) -> Iterator[Violation]:
    """ANT-13: newer models take no prefill; only a paused turn is sent back with the assistant at the end."""
    if history.version is None or history.version[1:] < _NO_PREFILL:
        return
    if not history.entries or history.entries[-1].role != "assistant":
        return
    last = history.runs[-1]
    answered = {block.id for block in last.blocks if _is_server_result(block)}
    if any(block.id not in answered for block in last.of("server_tool_use", "mcp_tool_use")):
        return
    message = "This model does not support assistant message prefill. The conversation must end with a user message."
    yield Violation("ANT-13", message, history.entries[-1].at, "a user message at the end", "an assistant message")
