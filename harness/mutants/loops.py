"""The reference loop with one thing broken, told apart by what a maintainer would have got wrong.

A mutant breaks the loop where the mistake would be: in its policy, in what it tells its user, or in the requests
that it sends. Each names the rule that must catch it; ``tests/mutants`` runs every one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from harness.loop import LoopPolicy
from harness.mutants.requests import EditedRequests, drop_thinking, wrong_call_id
from harness.targets.base import Target
from harness.targets.clients import Clients
from harness.targets.reference import ReferenceTarget, Seams, Tell
from harness.trace import Assistant, Event, Final, SetCode, ToolStart

__all__ = ["LOOPS", "Mutant"]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A broken loop. One of ``rules`` (which of them depends on the wire) must find it, in ``scenario``."""

    name: str
    summary: str
    rules: tuple[str, ...]
    scenario: str
    build: Callable[[httpx2.AsyncBaseTransport], Target]


# --- what the loop tells its user ---------------------------------------------------------------------------


def _tool_start_twice(tell: Tell) -> Tell:
    def telling(event: Event) -> None:
        tell(event)
        if isinstance(event, ToolStart):
            tell(event)

    return telling


def _preview_not_a_prefix(tell: Tell) -> Tell:
    """Previews as a parser shows them that leaves an escape undecoded."""

    def telling(event: Event) -> None:
        if isinstance(event, SetCode) and event.preview and event.code:
            event = replace(event, code=event.code[:-1] + "\\n")
        tell(event)

    return telling


def _event_after_final(tell: Tell) -> Tell:
    def telling(event: Event) -> None:
        tell(event)
        if isinstance(event, Final):
            tell(Assistant("Anything else?", "assistant-late"))

    return telling


def _one_turn_more(policy: LoopPolicy) -> LoopPolicy:
    return policy.with_limit((policy.turn_limit or 20) + 1)


# --- the table ----------------------------------------------------------------------------------------------


def _broken(name: str, **seams: Any) -> Callable[[httpx2.AsyncBaseTransport], Target]:
    return lambda transport: ReferenceTarget(Clients(transport), name=f"mutant:{name}", seams=Seams(**seams))


def _editing(name: str, edit: Callable[[object], object]) -> Callable[[httpx2.AsyncBaseTransport], Target]:
    return lambda transport: ReferenceTarget(Clients(EditedRequests(transport, edit)), name=f"mutant:{name}")


_ALL = (
    Mutant(
        "limit-21",
        "Asks for a 21st turn where 20 are allowed.",
        ("guardrail/turn-limit",),
        "twenty-one-tool-turns",
        _broken("limit-21", policy=_one_turn_more),
    ),
    Mutant(
        "tool-start-twice",
        "Tells every toolStart twice.",
        ("order/tool-start-once",),
        "create-then-edit",
        _broken("tool-start-twice", telling=_tool_start_twice),
    ),
    Mutant(
        "preview-not-a-prefix",
        "Shows previews that end in an undecoded escape.",
        ("preview/prefix",),
        "create-then-edit",
        _broken("preview-not-a-prefix", telling=_preview_not_a_prefix),
    ),
    Mutant(
        "thinking-dropped",
        "Sends the model's turn back without its thinking, reasoning items and signatures.",
        ("history/model-thinking", "continuation/"),
        "thinking-in-every-turn",
        _editing("thinking-dropped", drop_thinking),
    ),
    Mutant(
        "wrong-call-id",
        "Answers every tool call under another id.",
        ("continuation/", "history/results"),
        "create-then-edit",
        _editing("wrong-call-id", wrong_call_id),
    ),
    Mutant(
        "event-after-final",
        "Tells one more event after the final one.",
        ("order/nothing-after-end",),
        "create-then-edit",
        _broken("event-after-final", telling=_event_after_final),
    ),
)

LOOPS: dict[str, Mutant] = {mutant.name: mutant for mutant in _ALL}
"""Every broken loop by its name."""
