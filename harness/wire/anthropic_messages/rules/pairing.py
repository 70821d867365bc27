"""Calls and results: where they stand, that they pair, and how a history ends."""

from __future__ import annotations

from collections.abc import Iterator

from harness.finding import Finding
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.rules.history import (
    AnthropicHistory,
    ContentBlock,
    MessageItem,
    MessagePlace,
    Run,
    is_server_result,
)
from harness.wire.anthropic_messages.rules.shape import shown
from harness.wire.anthropic_messages.rules.table.calls import (
    ANT_01,
    ANT_02,
    ANT_03,
    ANT_04,
    ANT_05,
    ANT_06,
    ANT_13,
    ANT_24,
    ANT_PREFILL,
)


def places(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-06: results stand in user messages, calls in assistant messages."""
    for entry in history.entries:
        for block in entry.blocks:
            if block.kind == "tool_result" and entry.role != "user":
                yield ANT_06.broken(entry.at, expected="role user", got=f"role {entry.role}")
            elif block.kind == "tool_use" and entry.role != "assistant":
                yield ANT_06.broken(entry.at, expected="role assistant", got=f"role {entry.role}", template="call")


def system_entries(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-24: a ``system`` entry follows a user turn, and is followed by an assistant turn, or is the last one.

    What a tool of the provider's returned at the end of an assistant turn counts as a user's turn.
    """
    roles = ["", *[entry.role for entry in history.entries], ""]
    for index, entry in enumerate(history.entries, start=1):
        if entry.role != "system":
            continue
        before, after = roles[index - 1], roles[index + 1]
        waited = before == "assistant" and _ends_with_server_result(history.entries[index - 2])
        if not (waited or before in ("user", "system")) or after not in ("assistant", "system", ""):
            got = f"after {before or 'nothing'}, before {after or 'nothing'}"
            yield ANT_24.broken(entry.at, expected="after user; before assistant or at the end", got=got)


def _ends_with_server_result(entry: MessageItem) -> bool:
    return bool(entry.blocks) and is_server_result(entry.blocks[-1])


def unique_ids(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-05: no two calls of a request have the same id; over turns only likely."""
    first: dict[str, ContentBlock] = {}
    for run in history.runs:
        own: set[str] = set()
        for block in run.calls:
            if not block.id:
                continue
            earlier = history.prefix.calls.get(block.id)
            known = first.setdefault(block.id, block)
            if earlier is not None or known is not block:
                place = f"{history.place(earlier[0])}.content.{earlier[1]}" if earlier is not None else known.at
                template = "in-turn" if block.id in own else "over-turns"
                got = f"{block.id}, already at {place}"
                yield ANT_05.broken(block.at, expected="an id of its own", got=got, template=template)
            own.add(block.id)


def known_results(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-03: a result answers a call of the assistant turn just before it."""
    called: set[str] = set()
    for run in history.runs:
        if run.role == "assistant":
            called = {block.id for block in run.calls}
            continue
        for block in run.results:
            if block.id and block.id not in called:
                expected = f"one of {_listed(sorted(called))}" if called else "no result: no call was made before"
                yield ANT_03.broken(block.at, expected=expected, got=block.id, id=block.id)
        called = set()


def single_results(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-04: a call has one result."""
    for run in history.runs:
        seen: set[str] = set()
        for block in run.results:
            if block.id and block.id in seen:
                got = f"another result of {block.id}"
                yield ANT_04.broken(block.at, expected="one result", got=got, id=block.id)
            seen.add(block.id)


def answered_calls(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-01, ANT-02: every call has its result in the next message, before anything else in it."""
    for index, run in enumerate(history.runs):
        calls = [block for block in run.calls if block.id] if run.role == "assistant" else []
        if calls:
            following = history.runs[index + 1] if index + 1 < len(history.runs) else Run("user")
            yield from _unanswered(calls, following)


def text_first(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-01: no text behind the calls of the turn with which a history begins; a message is counted before it."""
    spoken = [run for run in history.runs if run.role == "assistant" and run.entries[0].number == 0]
    blocks = [block for run in spoken for block in run.blocks]
    last = max((at for at, block in enumerate(blocks) if block.kind == "text"), default=0)
    early = [block for block in blocks[:last] if block.kind == "tool_use"]
    if early and not list(answered_calls(history)):
        at, ids = early[0].entry.at, _listed([call.id for call in early])
        expected, got = "the turn's text in front of its calls", f"text behind {ids}"
        counted = f"messages.{early[0].entry.number + 1}"
        yield ANT_01.broken(at, expected=expected, got=got, template="trailing", ids=ids, at=counted)


def _unanswered(calls: list[ContentBlock], following: Run) -> Iterator[Finding]:
    at, expected = calls[0].entry.at, "the next message begins with the results of all calls"
    leading: dict[str, MessagePlace] = {}
    for block in following.blocks:
        if block.kind != "tool_result":
            break
        leading[block.id] = block.entry
    missing = [call.id for call in calls if call.id not in leading]
    if missing:
        answered = {block.id for block in following.results}
        ids = _listed(missing)
        if answered.issuperset(missing):
            yield ANT_02.broken(at, expected=expected, got=f"the results come after other content: {ids}", ids=ids)
        else:
            yield ANT_01.broken(at, expected=expected, got=f"no result: {ids}", ids=ids)
    elif len({leading[call.id].number for call in calls}) > 1:
        first = following.entries[0]
        ids = _listed([call.id for call in calls if leading[call.id].number != first.number])
        got = f"the results are spread over several messages: {ids}"
        yield ANT_01.broken(at, expected=expected, got=got, template="spread", ids=ids)


def _listed(ids: list[str]) -> str:
    return ", ".join(dict.fromkeys(ids))


def ends_with_user(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-13, ANT-PREFILL: newer models take no prefill, older ones none that ends with white space.

    A paused turn alone is sent back with the assistant at the end.
    """
    if not history.entries or history.entries[-1].role != "assistant":
        return
    entry, last = history.entries[-1], history.runs[-1]
    answered = {block.id for block in last.blocks if is_server_result(block)}
    if any(block.id not in answered for block in last.of("server_tool_use", "mcp_tool_use")):
        return
    if MODELS.holds("no-prefill", history.settings.model):
        yield ANT_13.broken(entry.at, expected="a user message at the end", got="an assistant message")
        return
    text = entry.blocks[-1].native.get("text") if entry.blocks else None
    if isinstance(text, str) and text != text.rstrip() and MODELS.holds("known", history.settings.model):
        got = shown(text[-20:])
        yield ANT_PREFILL.broken(entry.blocks[-1].at, expected="text without white space at its end", got=got)
