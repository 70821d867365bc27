"""Whether a continuation keeps the text protocol (``table``), and what the Chat API would refuse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from harness.finding import Finding
from harness.wire.base import Conversation, IssuedState, Json, Message, Reply
from harness.wire.characters import sendable
from harness.wire.lenient import objects, string
from harness.wire.openai_chat.rules.book import violations as violations_of_chat
from harness.wire.openai_chat.rules.models import OAC_02
from harness.wire.rule import WireRule
from harness.wire.text_tags.prompt import ANSWER_NOW
from harness.wire.text_tags.results import HEADER, Entries, read_results
from harness.wire.text_tags.table import TAG_01, TAG_02, TAG_03, TAG_04, TAG_05, TAG_06
from harness.wire.turn import FinishReason, Refusal


def violations(conversation: Conversation, issued: IssuedState) -> list[Finding]:
    """What the request breaks: what the Chat API refuses, then what confuses the model, from front to back.

    Models that need this protocol are served under any name, so none is unknown.
    """
    found = [finding for finding in violations_of_chat(conversation, issued) if finding.id != OAC_02.id]
    found += _native(conversation.body)
    for turn in _returned(conversation, issued):
        found += _verbatim(turn)
        found += _results(turn)
    return found


@dataclass(frozen=True, slots=True)
class _Returned:
    """An issued turn in a later request: ``messages`` begin where the turn must stand and end before the next one's.

    ``natives`` are the same messages as they came, ``at`` is the first one's index.
    """

    at: int
    reply: Reply
    messages: tuple[Message, ...]
    natives: tuple[Json, ...]

    @property
    def names(self) -> list[str]:
        """What the model called, by the endpoint's own knowledge."""
        return [call.name for call in self.reply.turn.calls if not call.id]

    def place(self, number: int) -> str:
        return f"messages[{self.at + number}]"

    def breaks(self, rule: WireRule, number: int, template: str, expected: str, got: str) -> Finding:
        return rule.broken(self.place(number), expected=expected, got=got, template=template)


def _returned(conversation: Conversation, issued: IssuedState) -> Iterator[_Returned]:
    """The issued turns that this request goes on from, without those that an earlier request has shown like this.

    A turn stands behind the history that it answered. One that ended in an error, was asked for again, has moved, or
    is not there at all, nor its results, is left to the rules on histories: a caller may take a turn out, put it
    elsewhere, or say something else in its place.
    """
    starts = [len(asked.messages) for asked, _ in issued.turns]
    for number, (_, reply) in enumerate(issued.turns):
        at = starts[number]
        following = issued.turns[number + 1][0].messages if number + 1 < len(starts) else ()
        end = min([len(conversation.messages), *(start for start in starts[number + 1 :] if start >= at)])
        messages = conversation.messages[at:end]
        if not messages or not reply.complete or (following and following[at:end] == messages):
            continue
        if _is_results(messages[0]) and conversation.messages[at - 1].role == "assistant":
            continue
        if reply.turn.calls and not messages[0].calls and not any(map(_is_results, messages)):
            continue
        yield _Returned(at, reply, messages, tuple(conversation.body["messages"][at:end]))


# --- the model's message ------------------------------------------------------------------------------------


def _verbatim(turn: _Returned) -> Iterator[Finding]:
    issued = sendable(string(turn.reply.items[0].get("content"))) if turn.reply.items else ""
    if not issued:
        return
    if turn.messages[0].role != "assistant":
        yield from _lost(turn, issued)
        return
    if _is_stopped(turn.reply):
        return
    came = sendable(_content(turn.natives[0]))
    if came != issued:
        yield turn.breaks(TAG_01, 0, "altered", *_difference(issued, came))


def _is_stopped(reply: Reply) -> bool:
    """Of a turn that was refused or cut off a loop may keep what the user has seen."""
    declined = any(isinstance(part, Refusal) for part in reply.turn.parts)
    return declined or reply.turn.stop not in (FinishReason.END, FinishReason.TOOL_CALLS)


def _lost(turn: _Returned, issued: str) -> Iterator[Finding]:
    """Results come, and nothing of the model's before them: somebody else may stand in its place, but not nobody."""
    for number, message in enumerate(turn.messages):
        if message.role == "assistant":
            return
        if _is_results(message):
            yield turn.breaks(TAG_01, number, "lost", f"the model's message: {_quoted(issued)}", "its results only")
            return


def _content(native: Json) -> str:
    content = native.get("content")
    return string(content) or "".join(string(part.get("text")) for part in objects(content))


# --- the results --------------------------------------------------------------------------------------------


def _results(turn: _Returned) -> Iterator[Finding]:
    places = [number for number, message in enumerate(turn.messages) if _is_results(message)]
    if turn.messages[0].role != "assistant":
        return
    if not turn.names:
        if places and places[0] == 1:
            yield turn.breaks(TAG_02, 1, "uncalled", "no results", _quoted(turn.messages[1].text))
        return
    yield from _one_message(turn, places)
    if len(places) == 1:
        entries = read_results(_text_of(turn, places[0]), turn.names)
        yield from _entries(turn, places[0], entries or Entries(()))
    if places:
        yield from _demand(turn, places[0])


def _one_message(turn: _Returned, places: list[int]) -> Iterator[Finding]:
    calls = f"{len(turn.names)} call{'s' if len(turn.names) > 1 else ''}"
    expected = f"one user message that begins '{HEADER}' directly behind the {calls}"
    if not places:
        got = f"{_described(turn.messages[1])} there" if len(turn.messages) > 1 else "nothing behind them"
        yield turn.breaks(TAG_02, min(1, len(turn.messages) - 1), "none", expected, got)
        return
    if places[0] != 1:
        yield turn.breaks(TAG_02, 1, "late", expected, f"{_described(turn.messages[1])} between them")
    if len(places) > 1:
        yield turn.breaks(TAG_02, places[1], "several", expected, f"{len(places)} messages of results")


def _entries(turn: _Returned, number: int, entries: Entries) -> Iterator[Finding]:
    named = [name for name, _ in entries.results]
    if named != turn.names:
        yield turn.breaks(TAG_03, number, "order", _listed(turn.names), _listed(named))
    if entries.surplus:
        expected = f"no other entry than {_listed(turn.names)}"
        yield turn.breaks(TAG_04, number, "surplus", expected, f"{entries.surplus} more")


def _demand(turn: _Returned, number: int) -> Iterator[Finding]:
    if ANSWER_NOW in _text_of(turn, number):
        expected = "a user message of its own behind the results"
        yield turn.breaks(TAG_06, number, "inside", expected, "in their message")
    for place in range(1, number):
        if ANSWER_NOW in turn.messages[place].text:
            yield turn.breaks(TAG_06, place, "before", f"behind the results ({turn.place(number)})", "before them")


def _is_results(message: Message) -> bool:
    """Whether a message holds results, read as such or not."""
    return message.role == "user" and (bool(message.results) or message.text.startswith(f"{HEADER}\n\n["))


def _text_of(turn: _Returned, number: int) -> str:
    return _content(turn.natives[number])


# --- native tools -------------------------------------------------------------------------------------------


def _native(body: Json) -> Iterator[Finding]:
    for name in ("tools", "functions"):
        if body.get(name):
            yield TAG_05.broken(name, expected=f"no {name}: the system prompt has them", got="declared")
    kinds: Counter[str] = Counter()
    for at, message in enumerate(objects(body.get("messages"))):
        kind = "a tool message" if message.get("role") in ("tool", "function") else ""
        kind = kind or next((name for name in ("tool_calls", "function_call") if message.get(name)), "")
        kinds[kind] += 1
        if kind and kinds[kind] == 1:
            yield TAG_05.broken(f"messages[{at}]", expected="calls and results as text", got=kind)


# --- evidence -----------------------------------------------------------------------------------------------


def _described(message: Message) -> str:
    return f"{'an' if message.role == 'assistant' else 'a'} {message.role} message"


def _listed(names: list[str]) -> str:
    return " ".join(f"[{name}]" for name in names) or "no entry"


def _difference(issued: str, came: str) -> tuple[str, str]:
    """Both from a little before the first character in which they differ."""
    same = next((at for at, (one, other) in enumerate(zip(issued, came, strict=False)) if one != other), None)
    at = max(0, (min(len(issued), len(came)) if same is None else same) - 20)
    return _quoted(issued[at:], at), _quoted(came[at:], at)


def _quoted(text: str, at: int = 0) -> str:
    before, after = "…" if at else "", "…" if len(text) > 80 else ""
    return repr(f"{before}{text[:80]}{after}")
