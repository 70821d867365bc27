"""Rules about calls and their outputs: each call is answered once, each output has its call, no item comes twice."""

from __future__ import annotations

from collections.abc import Iterator

from harness.wire.base import Violation
from harness.wire.openai_responses.items import ARGUMENTS, OUTPUTS
from harness.wire.openai_responses.rules.asked import Asked, Entry

__all__ = ["calls_are_answered", "items_are_unique", "outputs_are_unique", "outputs_have_a_call"]

_CALL_NAMES = {"function_call": "function call", "custom_tool_call": "custom tool call"}


def items_are_unique(asked: Asked) -> Iterator[Violation]:
    """OAI-09. Items that ``previous_response_id`` already stands for count too.

    Sources: https://github.com/continuedev/continue/issues/10723, https://github.com/MacPaw/OpenAI/issues/432
    """
    seen: dict[str, str] = {}
    for entry in asked.history:
        item_id = entry.item.get("id")
        if not isinstance(item_id, str) or not item_id:
            continue
        if item_id in seen and entry.at.startswith("input"):
            yield Violation(
                "OAI-09",
                f"Duplicate item found with id {item_id}. Remove duplicate items from your input and try again.",
                entry.at,
                f"{item_id} once",
                f"{item_id} at {seen[item_id]} and again at {entry.at}",
                param="input",
            )
        seen.setdefault(item_id, entry.at)


def _called(entry: Entry) -> tuple[str, str] | None:
    """Kind and id of the call that ``entry`` makes or answers; None for an entry of another kind."""
    kind = entry.kind if entry.kind in ARGUMENTS else OUTPUTS.get(entry.kind)
    call_id = entry.item.get("call_id")
    return (kind, call_id) if kind and isinstance(call_id, str) and call_id else None


def calls_are_answered(asked: Asked) -> Iterator[Violation]:
    """OAI-10. Source: https://github.com/router-for-me/CLIProxyAPI/issues/2368"""
    answered = {_called(entry) for entry in asked.history if entry.kind in OUTPUTS}
    told = set()
    for entry in asked.history:
        call = _called(entry)
        if call is None or entry.kind not in ARGUMENTS or call in answered or call in told:
            continue
        told.add(call)
        kind, call_id = call
        yield Violation(
            "OAI-10",
            f"No tool output found for {_CALL_NAMES[kind]} {call_id}.",
            entry.at,
            f"a {kind}_output for {call_id} ({entry.item.get('name')})",
            "none in the request",
            param="input",
        )


def outputs_have_a_call(asked: Asked) -> Iterator[Violation]:
    """OAI-11, and OAI-13 for an output before its call. Not judged in a history that only the provider knows.

    Sources: https://github.com/microsoft/vscode/issues/320060, https://github.com/continuedev/continue/issues/10092
    """
    if asked.unknown:
        return
    calls = {_called(entry) for entry in asked.history if entry.kind in ARGUMENTS}
    before = {_called(entry) for entry in asked.inherited if entry.kind in ARGUMENTS}
    for entry in asked.entries:
        call = _called(entry)
        if entry.kind in ARGUMENTS:
            before.add(call)
        elif call is not None and call not in before:
            yield _without_call(entry, call, late=call in calls)


def _without_call(entry: Entry, call: tuple[str, str], *, late: bool) -> Violation:
    kind, call_id = call
    return Violation(
        "OAI-13" if late else "OAI-11",
        f"No tool call found for {_CALL_NAMES[kind]} output with call_id {call_id}.",
        entry.at,
        f"a {kind} with call_id {call_id} before it",
        "its call comes later" if late else "no call",
        level="I" if late else "C",
        param="input",
    )


def outputs_are_unique(asked: Asked) -> Iterator[Violation]:
    """OAI-12. The words are those of a strict server behind gateways.

    Source: https://github.com/NousResearch/hermes-agent/issues/102629
    """
    seen: dict[tuple[str, tuple[str, str]], str] = {}
    for entry in asked.history:
        call = _called(entry)
        if call is None:
            continue
        first = seen.setdefault((entry.kind, call), entry.at)
        if first != entry.at and entry.at.startswith("input"):
            _, call_id = call
            yield Violation(
                "OAI-12",
                f"Duplicate {entry.kind} for call_id '{call_id}'. Each function_call must have exactly one matching "
                "function_call_output",
                entry.at,
                f"one {entry.kind} with call_id {call_id}",
                f"another at {first}",
                level="L",
                param="input",
            )
