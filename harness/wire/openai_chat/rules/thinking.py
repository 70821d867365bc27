"""What a server wants back with the calls: the thinking that came with them, or its signature."""

from __future__ import annotations

from collections.abc import Iterator

from harness.finding import Finding
from harness.wire.base import Json, Reply
from harness.wire.lenient import members, string
from harness.wire.openai_chat.models import MODELS, REASONING_PER_QUESTION, REASONING_WANTED, SIGNATURES_WANTED
from harness.wire.openai_chat.rules.history import CallBlock, ChatHistory, calls_of
from harness.wire.openai_chat.rules.table import OAC_19, OAC_SIGNED
from harness.wire.openai_chat.types import described, shortened
from harness.wire.rule import Certainty

_Met = Iterator[tuple[int, Finding]]


def reasoning_comes_back(history: ChatHistory) -> _Met:
    """As it was sent, where the endpoint sent it; of other calls only that the member is there.

    Only of models that want it, while they think. Other servers send reasoning, too, and neither miss it nor look at
    it. A turn without a thought has the member all the same, and it is missed if it came empty; where our own endpoint
    sent none, nobody knows of it.
    """
    if not _wants_reasoning(history):
        return
    issued = _issued_thoughts(history)
    without = _issued_without(history)
    for block in history.blocks:
        thoughts = next((issued[call_id] for call_id in block.ids if call_id in issued), None)
        message = history.messages[block.at]
        if thoughts is None:
            if _names(message) not in without:
                yield from _foreign(history, block, message)
        elif None not in thoughts and message.get("reasoning_content") not in thoughts:
            yield from _changed(history, block, [thought or "" for thought in thoughts], issued)


def _foreign(history: ChatHistory, block: CallBlock, message: Json) -> _Met:
    """Calls that were not issued here. An empty text is taken by DeepSeek; of Kimi reports differ."""
    got = message.get("reasoning_content")
    if got or (got == "" and history.maker == "deepseek"):
        return
    description = described(message, "reasoning_content")
    is_past = MODELS.holds(REASONING_PER_QUESTION, history.model) and block.at < history.last_question
    certainty: Certainty | None = "likely" if is_past or "reasoning_content" in message else None
    yield block.at, _broken(history, block, "the thinking that came with the calls", description, certainty)


def _changed(history: ChatHistory, block: CallBlock, thoughts: list[str], issued: dict[str, list[str | None]]) -> _Met:
    """Dropped or moved it is refused for certain; whether anybody compares the text is not known."""
    message = history.messages[block.at]
    got = string(message.get("reasoning_content"))
    is_there = isinstance(message.get("reasoning_content"), str)
    if "" in thoughts and is_there:
        return
    expected = f"as it was sent: {' or '.join(map(shortened, thoughts))}" if any(thoughts) else "the empty one"
    if is_there:
        is_anothers = any(got in others for others in issued.values())
        description = f"that of another turn: {shortened(got)}" if is_anothers else f"altered: {shortened(got)}"
        yield block.at, _broken(history, block, expected, description if got else "emptied", "likely")
        return
    texts = [thought for thought in thoughts if thought]
    places = [at for at, each in enumerate(history.messages) if each.get("reasoning_content") in texts]
    yield block.at, _broken(history, block, expected, f"moved to messages[{places[0]}]" if places else "dropped", None)


def _broken(history: ChatHistory, block: CallBlock, expected: str, got: str, certainty: Certainty | None) -> Finding:
    place = f"messages[{block.at}].reasoning_content"
    of_then = MODELS.holds(REASONING_PER_QUESTION, history.model)
    template = "reasoner" if of_then else history.in_words_of_its_maker(OAC_19)
    return OAC_19.broken(place, expected=expected, got=got, template=template, certainty=certainty, number=block.at)


def _issued_thoughts(history: ChatHistory) -> dict[str, list[str | None]]:
    """The thinking that each call came with, None for no member: several where an id was issued more than once."""
    thoughts: dict[str, list[str | None]] = {}
    for reply in history.state.replies:
        thought = _thought(reply)
        for call in reply.turn.calls:
            if call.id and thought not in thoughts.setdefault(call.id, []):
                thoughts[call.id].append(thought)
    return thoughts


def _issued_without(history: ChatHistory) -> list[list[str]]:
    """The calls of each turn that came without thinking, by name: they may go back under ids of the loop's own."""
    return [[call.name for call in reply.turn.calls] for reply in history.state.replies if not _thought(reply)]


def _thought(reply: Reply) -> str | None:
    """The thinking of a reply, which is one message on this wire: None for no member."""
    texts = (item.get("reasoning_content") for item in reply.items)
    return next((text for text in texts if isinstance(text, str)), None)


def _names(message: Json) -> list[str]:
    return [_name(call) for call in calls_of(message)]


def _name(call: Json) -> str:
    return string(members(call.get("function")).get("name"))


def _wants_reasoning(history: ChatHistory) -> bool:
    wanted = MODELS.value(REASONING_WANTED, history.model)
    if wanted is None or history.body.get("reasoning_effort") == "none":
        return False
    thinking = members(history.body.get("thinking")).get("type")
    return thinking != "disabled" if wanted == "unless disabled" else thinking == "enabled"


def signatures_come_back(history: ChatHistory) -> _Met:
    """Only the first call of a turn has one. Of the calls that the endpoint has sent, those need one that came with it.

    Certain behind the user's last message; the signatures of earlier turns are not looked at everywhere.
    """
    if not MODELS.holds(SIGNATURES_WANTED, history.model):
        return
    signed = _signed_here(history)
    for block in history.blocks:
        found = _to_be_signed(history, block, signed)
        if found is None or _signature(found[1]):
            continue
        number, call = found
        place = f"messages[{block.at}].tool_calls[{number}].extra_content.google.thought_signature"
        yield (
            block.at,
            OAC_SIGNED.broken(
                place,
                expected="the signature of the call",
                got="none",
                certainty="certain" if block.at > history.last_question else None,
                name=_name(call),
                position=block.at + 1,
            ),
        )


def _signed_here(history: ChatHistory) -> set[str]:
    """The ids of the calls that the endpoint has sent with a signature."""
    sent = (call for reply in history.state.replies for item in reply.items for call in calls_of(item))
    return {string(call.get("id")) for call in sent if _signature(call)}


def _to_be_signed(history: ChatHistory, block: CallBlock, signed: set[str]) -> tuple[int, Json] | None:
    """The call of a message that needs a signature, and its number; None where it cannot be said of any."""
    calls = calls_of(history.messages[block.at])
    if not any(call_id in history.issued for call_id in block.ids):
        return 0, calls[0]
    found = ((number, call) for number, call in enumerate(calls) if string(call.get("id")) in signed)
    return next(found, None)


def _signature(call: Json) -> str:
    google = members(members(call.get("extra_content")).get("google"))
    return string(google.get("thought_signature"))
