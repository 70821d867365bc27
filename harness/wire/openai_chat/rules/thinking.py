"""What a server wants back with the calls: the thinking that came with them, or its signature."""

from __future__ import annotations

from collections.abc import Iterator

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.lenient import string
from harness.wire.openai_chat.models import MODELS, REASONING_WANTED, SIGNATURES_WANTED
from harness.wire.openai_chat.rules.history import CallBlock, ChatHistory, calls_of
from harness.wire.openai_chat.rules.table import OAC_19, OAC_SIGNED
from harness.wire.openai_chat.types import described, shortened
from harness.wire.rule import Certainty

__all__ = ["reasoning_comes_back", "signatures_come_back"]

_Met = Iterator[tuple[int, Finding]]


def reasoning_comes_back(history: ChatHistory) -> _Met:
    """As it was sent, where the endpoint sent it; of other calls only that it is there.

    Only of models that want it. Other servers send reasoning, too, and neither miss it nor look at it.
    """
    if not MODELS.holds(REASONING_WANTED, history.model):
        return
    issued = _issued_thoughts(history)
    wants_any = not _is_disabled(history)
    without = _issued_without(history)
    for block in history.blocks:
        thoughts = next((issued[call_id] for call_id in block.ids if call_id in issued), None)
        message = history.messages[block.at]
        got = message.get("reasoning_content")
        if thoughts is None:
            if wants_any and not got and _names(message) not in without:
                description = described(message, "reasoning_content")
                yield block.at, _broken(history, block, "the thinking that came with the calls", description, "likely")
        elif "" not in thoughts and got not in thoughts:
            yield block.at, _changed(history, block, thoughts, string(got), issued)


def _changed(
    history: ChatHistory, block: CallBlock, thoughts: list[str], got: str, issued: dict[str, list[str]]
) -> Finding:
    """Dropped or moved it is refused for certain; whether anybody compares the text is not known."""
    expected = f"as it was sent: {' or '.join(map(shortened, thoughts))}"
    if got:
        is_anothers = any(got in others for others in issued.values())
        description = f"that of another turn: {shortened(got)}" if is_anothers else f"altered: {shortened(got)}"
        return _broken(history, block, expected, description, "likely")
    places = [at for at, message in enumerate(history.messages) if message.get("reasoning_content") in thoughts]
    description = f"moved to messages[{places[0]}]" if places else "dropped"
    return _broken(history, block, expected, description, None)


def _broken(history: ChatHistory, block: CallBlock, expected: str, got: str, certainty: Certainty | None) -> Finding:
    place, template = f"messages[{block.at}].reasoning_content", history.in_words_of_its_maker(OAC_19)
    return OAC_19.broken(place, expected=expected, got=got, template=template, certainty=certainty, number=block.at)


def _issued_thoughts(history: ChatHistory) -> dict[str, list[str]]:
    """The thinking that each call came with, ``""`` for none: several where an id was issued more than once."""
    thoughts: dict[str, list[str]] = {}
    for reply in history.state.replies:
        thought = "".join(string(item.get("reasoning_content")) for item in reply.items)
        for call in reply.turn.calls:
            if call.id and thought not in thoughts.setdefault(call.id, []):
                thoughts[call.id].append(thought)
    return thoughts


def _issued_without(history: ChatHistory) -> list[list[str]]:
    """The calls of each turn that came without thinking, by name: they may go back under ids of the loop's own."""
    return [
        [call.name for call in reply.turn.calls]
        for reply in history.state.replies
        if not any(string(item.get("reasoning_content")) for item in reply.items)
    ]


def _names(message: Json) -> list[str]:
    functions = [call.get("function") for call in calls_of(message)]
    return [string(function.get("name")) if isinstance(function, dict) else "" for function in functions]


def _is_disabled(history: ChatHistory) -> bool:
    thinking = history.body.get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") == "disabled"


def signatures_come_back(history: ChatHistory) -> _Met:
    """Only the first call of a turn has one. The endpoint sends none, so its own calls need none."""
    if not MODELS.holds(SIGNATURES_WANTED, history.model):
        return
    for block in history.blocks:
        first = calls_of(history.messages[block.at])[0]
        if any(call_id in history.issued for call_id in block.ids) or _signature(first):
            continue
        function = first.get("function")
        name = string(function.get("name")) if isinstance(function, dict) else ""
        place = f"messages[{block.at}].tool_calls[0].extra_content.google.thought_signature"
        expected = "the signature of the call"
        yield block.at, OAC_SIGNED.broken(place, expected=expected, got="none", name=name, position=block.at + 1)


def _signature(call: Json) -> str:
    extra = call.get("extra_content")
    google = extra.get("google") if isinstance(extra, dict) else None
    return string(google.get("thought_signature")) if isinstance(google, dict) else ""
