"""Thinking blocks: genuine, unmodified, complete, in their place, and bound to what came before them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from harness.wire.anthropic_messages.read import blocks_of
from harness.wire.anthropic_messages.rules.history import THINKING, Block, History, Run, broken, proof_of
from harness.wire.base import Json, Level, Violation
from harness.wire.lenient import objects

__all__ = ["bound_to_prefix", "latest_turn", "signatures", "starts_the_turn"]

_BOUND = {"opus": (5, 5), "fable": (5, 1)}

_MODIFIED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
    "These blocks must remain as they were in the original response."
)
_NOT_FIRST = (
    "If an assistant message contains any thinking blocks, the first block must be `thinking` or "
    "`redacted_thinking`. Found `{found}`."
)
_EXPECTED = (
    "Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, a final `assistant` "
    "message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). "
    "We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. "
    "Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
)
_OTHER_CONVERSATION = (
    "Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set "
    '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block". That setting requires the '
    "`thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header."
)


def starts_the_turn(history: History) -> Iterator[Violation]:
    """ANT-16, ANT-17: with manual thinking, a turn with thinking begins with it, and so does a tool loop.

    A turn that was issued without thinking in front is not held against the loop.
    """
    if history.thinking != "enabled":
        return
    for run in history.runs:
        if run.role == "assistant" and run.of(*THINKING) and not _starts(run) and _issued_so(history, run):
            first = run.blocks[0]
            problem = _NOT_FIRST.format(found=first.kind)
            yield broken("ANT-17", first.at, problem, expected="thinking first", got=first.kind)
    loop = _tool_loop(history)
    if not loop or any(_starts(run) for run in (loop[0], loop[-1])) or not _issued_so(history, loop[0]):
        return
    if not loop[-1].of(*THINKING):
        first = loop[-1].blocks[0]
        problem = _EXPECTED.format(found=first.kind)
        yield broken("ANT-16", f"{first.at}.type", problem, expected="the turn's thinking first", got=first.kind)


def _starts(run: Run) -> bool:
    return bool(run.blocks) and run.blocks[0].kind in THINKING


def _issued_so(history: History, run: Run) -> bool:
    """False when the endpoint itself sent this turn without thinking in front."""
    items = history.issued.items(run)
    return not items or items[0]["type"] in THINKING


def _tool_loop(history: History) -> list[Run]:
    """The assistant turns of the tool loop that the request continues; empty when it continues none."""
    if not history.runs or history.runs[-1].role != "user" or not history.runs[-1].of("tool_result"):
        return []
    loop: list[Run] = []
    for run in reversed(history.runs):
        if run.role == "user" and not run.of("tool_result"):
            break
        if run.role == "assistant" and run.blocks:
            loop.insert(0, run)
    return loop


def signatures(history: History) -> Iterator[Violation]:
    """ANT-14: a thinking block proves that the model wrote it.

    Judged against what was issued in this case. In a turn that was issued nowhere here, an unknown proof may be
    a real one of an earlier conversation: that is only inferred. Text under another block's signature is judged
    here in earlier turns, and by ``latest_turn`` in the latest.
    """
    if not history.issued:
        return
    latest = _latest(history)
    for run in history.runs:
        items = history.issued.items(run) if run.role == "assistant" else []
        for block in run.of(*THINKING):
            issued = history.issued.thinking.get(proof_of(block.native))
            if issued is None:
                yield _forged(block, items)
            elif run is not latest and not _same(issued, block.native):
                yield _not_genuine(block, expected=_show(issued), got=_show(block.native), level="C")


def _forged(block: Block, items: list[Json]) -> Violation:
    if any(item.get("thinking") == block.native.get("thinking") != "" for item in items if item["type"] == "thinking"):
        return _not_genuine(
            block, expected="the signature that came with this text", got="another signature", level="C"
        )
    got = f"never issued: {_show(block.native)}"
    return _not_genuine(block, expected="a block that was issued", got=got, level="C" if items else "I")


def _not_genuine(block: Block, *, expected: str, got: str, level: Level) -> Violation:
    member = "data" if block.kind == "redacted_thinking" else "signature"
    return broken(
        "ANT-14", block.at, f"Invalid `{member}` in `{block.kind}` block", expected=expected, got=got, level=level
    )


def latest_turn(history: History) -> Iterator[Violation]:
    """ANT-15: the thinking of the latest assistant turn goes back unmodified, complete and in its place.

    To leave all of it out is allowed outside a tool loop and with thinking disabled. Within a tool loop it is only
    likely to be refused: with adaptive thinking the provider has been seen to take it.
    """
    run = _latest(history)
    items = history.issued.items(run) if run is not None else []
    if run is not None and any(item["type"] in THINKING for item in items):
        found = _dropped(history, run, items) or _altered(history, run, items) or _moved(run, items)
        if found:
            yield found


def _dropped(history: History, run: Run, items: list[Json]) -> Violation | None:
    given = {proof_of(block.native) for block in run.of(*THINKING)}
    if not given and (history.thinking == "disabled" or not run.of("tool_use")):
        return None
    for position, item in enumerate(items):
        if item["type"] in THINKING and proof_of(item) not in given and not _resigned(item, run):
            at = run.blocks[min(position, len(run.blocks) - 1)].at
            return _modified(at, item, "dropped", level="C" if given else "L")
    return None


def _altered(history: History, run: Run, items: list[Json]) -> Violation | None:
    """Other text under a signature, a block of another turn, or a block twice."""
    seen: set[str] = set()
    for block in run.of(*THINKING):
        proof = proof_of(block.native)
        issued = history.issued.thinking.get(proof)
        if issued is None:
            continue
        if not _same(issued, block.native):
            return _modified(block.at, issued, f"altered: {_show(block.native)}")
        if all(item is not issued for item in items):
            return _modified(block.at, None, f"moved here from another turn: {_show(issued)}")
        if proof in seen:
            return _modified(block.at, None, f"sent twice: {_show(issued)}")
        seen.add(proof)
    return None


def _moved(run: Run, items: list[Json]) -> Violation | None:
    """The order of thinking and calls, as far as both sides have them."""
    was = [key for item in items if (key := _landmark(item))]
    blocks = {key: block for block in run.blocks if (key := _landmark(block.native))}
    counts = Counter(was)
    now = [key for key in blocks if counts[key] == 1]
    was = [key for key in was if key in blocks and counts[key] == 1]
    for before, after in zip(was, now, strict=True):
        if before != after:
            at, got = blocks[after].at, f"moved: {after[0]} {after[1]:.24}"
            return broken("ANT-15", at, _MODIFIED, expected=f"{before[0]} {before[1]:.24}", got=got)
    return None


def _modified(at: str, issued: Json | None, got: str, level: Level = "C") -> Violation:
    expected = _show(issued) if issued else "only this turn's own blocks, once each"
    return broken("ANT-15", at, _MODIFIED, expected=expected, got=got, level=level)


def _resigned(item: Json, run: Run) -> bool:
    """Whether a block came back with its text and another proof, which ``signatures`` tells of."""
    text = item.get("thinking")
    return bool(text) and any(block.native.get("thinking") == text for block in run.of("thinking"))


def _landmark(block: Json) -> tuple[str, str] | None:
    if block.get("type") in THINKING:
        return "thinking", proof_of(block)
    call_id = block.get("id") if block.get("type") == "tool_use" else None
    return ("call", call_id) if isinstance(call_id, str) else None


def _latest(history: History) -> Run | None:
    return next((run for run in reversed(history.runs) if run.role == "assistant"), None)


def _same(issued: Json, block: Json) -> bool:
    return issued["type"] == block.get("type") and issued.get("thinking") == block.get("thinking")


def _show(block: Json) -> str:
    if block.get("type") == "redacted_thinking":
        return f"redacted_thinking {proof_of(block):.16}…"
    return f"thinking {block.get('thinking')!r:.60} signed {proof_of(block):.16}…"


# --- ANT-18 -------------------------------------------------------------------------------------------------


def bound_to_prefix(history: History) -> Iterator[Violation]:
    """ANT-18: on newer models thinking is bound to all that came before it: system, tools, every earlier message.

    It is enough to look at the newest turn that the request repeats: the turns before it are its prefix.
    """
    if not _binds(history):
        return
    numbers = [history.issued.number(block.native) for _, block in history.blocks if block.kind in THINKING]
    known = [number for number in numbers if number is not None]
    if not known:
        return
    asked, _ = history.sent.turns[max(known)]
    changed = _first_change(asked.body, history.body)
    if changed is None:
        return
    position, what = changed
    for index, block in enumerate(block for _, block in history.blocks if _significant(block.native)):
        if index >= position and block.kind == "thinking" and history.issued.number(block.native) is not None:
            expected = "the history as it was when the block was issued"
            yield broken("ANT-18", block.at, _OTHER_CONVERSATION, expected=expected, got=f"{what} changed")
            return


def _binds(history: History) -> bool:
    if history.version is None or not history.issued:
        return False
    family, *version = history.version
    return family in _BOUND and tuple(version) >= _BOUND[family]


def _first_change(asked: Json, body: Json) -> tuple[int, str] | None:
    """How many blocks of the history come before the first change to what was asked then, and what changed."""
    for member in ("system", "tools"):
        if _plain(asked.get(member)) != _plain(body.get(member)):
            return 0, member
    was, now = _flat(asked), _flat(body)
    for index, block in enumerate(was):
        if index >= len(now) or now[index] != block:
            return index, f"block {index + 1} of the history"
    return None


def _flat(body: Json) -> list[tuple[Any, Any]]:
    return [
        (message.get("role"), _plain(block))
        for message in objects(body.get("messages"))
        for block in blocks_of(message.get("content"))
        if _significant(block)
    ]


def _significant(block: Json) -> bool:
    return block.get("type") != "text" or bool(block.get("text"))


def _plain(value: Any) -> Any:
    """``value`` without what may change from request to request: cache breakpoints, a call's caller."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items() if name not in ("cache_control", "caller")}
    return [_plain(each) for each in value] if isinstance(value, list) else value
