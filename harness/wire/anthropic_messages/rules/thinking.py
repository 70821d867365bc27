"""Thinking blocks: genuine, unmodified, complete and in their place. (What they are bound to: ``binding``.)

``got`` begins with what has happened to a block: it is forged, altered, moved, dropped or duplicated.
"""

from __future__ import annotations

from binascii import a2b_base64
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from harness.finding import Finding
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, ContentBlock, Run
from harness.wire.anthropic_messages.rules.issued import THINKING, proof_of
from harness.wire.anthropic_messages.rules.table.thinking import ANT_14, ANT_15, ANT_16, ANT_17, ANT_LAST, ANT_OFF
from harness.wire.base import Json

_LONG = 100
"""Every signature of a Claude is longer than this, and what somebody has put in its place is not."""


def starts_the_turn(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-17: with manual thinking, a turn with thinking begins with it.

    A turn that was issued without thinking in front is not held against the loop.
    """
    if not history.settings.manual:
        return
    for run in history.runs:
        if run.role == "assistant" and run.thinking and not _starts(run) and _issued_so(history, run):
            first = run.blocks[0]
            yield ANT_17.broken(first.at, expected="thinking first", got=first.kind, found=first.kind)


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
    """False when the endpoint itself sent this turn without thinking in front, or may have done so.

    A model that uses a call id again, or a loop that gives calls ids of its own, leaves open which reply a turn
    repeats: any that has its calls and text.
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
    earlier = [history.prefix.loop] if history.prefix.loop is not None else []
    return [*earlier, *reversed(loop)]


def off_in_a_loop(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-OFF: older models refuse thinking in the turn that results continue where thinking is off."""
    if history.settings.thinking.get("type", "disabled") != "disabled":
        return
    if history.latest is None or not MODELS.holds("refuses-thinking", history.settings.model):
        return
    if _tool_loop(history):
        for block in history.latest.thinking[:1]:
            yield ANT_OFF.broken(block.at, expected="no thinking in this turn", got=show(block.native), kind=block.kind)


def never_last(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-LAST: an assistant turn ends with something else than thinking."""
    for run in history.runs:
        if run.role == "assistant" and run.blocks and run.blocks[-1].kind in THINKING:
            last = run.blocks[-1]
            if last.entry.is_kept:
                continue
            expected, template = "text or a call behind it", "thinking" if last.kind == "thinking" else "redacted"
            yield ANT_LAST.broken(last.entry.at, expected=expected, got=show(last.native), template=template)


# --- ANT-14 ---------------------------------------------------------------------------------------------------


def signatures(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-14: a thinking block proves that the model wrote it.

    An empty proof proves nothing; that the endpoint itself sent it so, as servers of other models do, is not held
    against the loop. Any other is judged against what was issued in this case; in a turn that was issued nowhere here,
    an unknown one may be a real one of an earlier conversation. Text under another block's signature is judged here in
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
                if isinstance(block.native.get(_member(block)), str) and block.native not in sent:
                    yield _not_genuine(block, "the block's own", f"dropped: an empty {_member(block)}")
            elif not issued and by_claude and len(proof) < _LONG and not _is_base64(proof):
                yield _not_genuine(block, "a signature of the model's", f"no base64: {show(block.native)}")
            elif not issued and history.issued:
                yield _unknown(block, sent)
            elif issued and run is not history.latest and not _is_one_of(block.native, issued):
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
    words: dict[str, Any] = {"member": _member(block), "kind": block.kind}
    return ANT_14.broken(block.at, expected=expected, got=got, template=template, **words)


def _member(block: ContentBlock) -> str:
    return "data" if block.kind == "redacted_thinking" else "signature"


# --- ANT-15 ---------------------------------------------------------------------------------------------------


def latest_turn(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-15: the thinking of the latest assistant turn goes back unmodified, complete and in its place.

    To leave all of it out is allowed outside a tool loop, with thinking disabled, and where another model has thought.
    """
    run = history.latest
    items = history.issued_as(run) if run is not None else []
    if run is None or not items or _ordered(run.natives) == _ordered(items):
        return
    found = _dropped(history, run, items) or _altered(history, run, items) or _moved(run, items)
    if found is not None:
        yield found


_ORDERED = (*THINKING, "tool_use")


def _ordered(natives: Sequence[Json]) -> list[Any]:
    """The thinking and the calls of a turn: where they are as issued, nothing has happened to them."""
    kinds = [(native.get("type"), native) for native in natives]
    return [native if kind != "tool_use" else native.get("id") for kind, native in kinds if kind in _ORDERED]


def _dropped(history: AnthropicHistory, run: Run, items: Sequence[Json]) -> Finding | None:
    proofs = {proof_of(block.native) for block in run.thinking}
    is_off = history.settings.thinking.get("type") == "disabled" or not run.calls
    if not proofs and (is_off or _is_of_another_model(history, items)):
        return None
    for position, item in enumerate(items):
        if item["type"] in THINKING and proof_of(item) not in proofs and not _resigned(history, item, run):
            at = run.blocks[min(position, len(run.blocks) - 1)].at
            got = "dropped" if proofs else "dropped, and all other thinking of the turn"
            return ANT_15.broken(at, expected=show(item), got=got, template="modified" if proofs else "all-dropped")
    return None


def _is_of_another_model(history: AnthropicHistory, items: Sequence[Json]) -> bool:
    """Whether another model than the one that is asked now was asked for the thinking of a turn."""
    numbers = {history.issued.number(item) for item in items if item["type"] in THINKING}
    asked = [history.issued.turns[number][0].model for number in numbers if number is not None]
    return bool(asked) and history.settings.model not in asked


def _altered(history: AnthropicHistory, run: Run, items: Sequence[Json]) -> Finding | None:
    """Other text under a signature, a block of another turn, or a block twice."""
    seen: set[str] = set()
    for block in run.thinking:
        proof = proof_of(block.native)
        issued = history.issued.thinking(proof)
        if not issued:
            continue
        if not _is_one_of(block.native, issued):
            return _modified(block.at, show(issued[0]), f"altered: {show(block.native)}")
        if not any(item is one for item in items for one in issued):
            return _modified(block.at, _OWN, f"moved here from another turn: {show(block.native)}")
        if proof in seen:
            return _modified(block.at, _OWN, f"duplicated: {show(block.native)}")
        seen.add(proof)
    return None


_OWN = "only this turn's own blocks, once each"


def _moved(run: Run, items: Sequence[Json]) -> Finding | None:
    """The order of thinking and calls, as far as both sides have them."""
    was = [key for item in items if (key := _landmark(item))]
    blocks = {key: block for block in run.blocks if (key := _landmark(block.native))}
    counts = Counter(was)
    now = [key for key in blocks if counts[key] == 1]
    was = [key for key in was if key in blocks and counts[key] == 1]
    for before, after in zip(was, now, strict=True):
        if before != after:
            return _modified(blocks[after].at, f"{before[0]} {before[1]:.24}", f"moved: {after[0]} {after[1]:.24}")
    return None


def _modified(at: str, expected: str, got: str) -> Finding:
    return ANT_15.broken(at, expected=expected, got=got)


def _resigned(history: AnthropicHistory, item: Json, run: Run) -> bool:
    """Whether a block came back under a proof that nobody issued, which ``signatures`` reports."""
    return any(
        block.native.get("thinking") == item.get("thinking") and not history.issued.thinking(proof_of(block.native))
        for block in run.of(item["type"])
    )


def _landmark(block: Json) -> tuple[str, str] | None:
    if block.get("type") in THINKING:
        return "thinking", proof_of(block)
    call_id = block.get("id") if block.get("type") == "tool_use" else None
    return ("call", call_id) if isinstance(call_id, str) else None


def _is_one_of(block: Json, issued: Sequence[Json]) -> bool:
    return any(item["type"] == block.get("type") and item.get("thinking") == block.get("thinking") for item in issued)


def show(block: Json) -> str:
    """A thinking block, shortened."""
    if block.get("type") == "redacted_thinking":
        return f"redacted_thinking {proof_of(block):.16}…"
    return f"thinking {block.get('thinking')!r:.60} signed {proof_of(block):.16}…"
