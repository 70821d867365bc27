"""``harness cassettes show``: prints a cassette as the conversation that it records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from harness.cassette import Cassette, Delivery, read_recording
from harness.cli.cassettes.read_interactions import ReadInteraction, read_interactions
from harness.cli.cassettes.table import many
from harness.report.terminal import visible
from harness.wire import Call, Conversation, Message, Opaque, Part, Refusal, Reply, Result, Text, ThinkingPart
from harness.wire.channels import words

_LINES, _WIDTH = 4, 160
"""The most lines of a text, and the most characters of a line, that are shown."""

_ENDS = {"cut": "then cut off", "reset": "then reset", "closed": "then closed by the client"}

Line = tuple[str, str, str]
"""The direction (``>`` to the model, ``<`` from it), a label, and the text."""


def show(files: Sequence[Path], *, full: bool = False) -> int:
    """Print each exchange with its timing: what is new in the request, and what the model answered."""
    for path in files:
        recorded = read_recording(path)
        cassette = Cassette(path, recorded.interactions, recorded.provenance)
        for text in (*_head(cassette), *(f"  left out: {each}" for each in recorded.left_out)):
            print(visible(text))
        earlier: list[tuple[int, Conversation]] = []
        for each in read_interactions(cassette):
            print(visible(f"\n{_exchange(each)}"))
            for who, what, text in _lines(each, earlier):
                print(visible(f"   {who} {what:<9} {_short_text(text, full)}".rstrip()))
            if each.conversation is not None:
                earlier.append((each.number, each.conversation))
    return 0


def _head(cassette: Cassette) -> Iterator[str]:
    yield f"{cassette.path}: {many(len(cassette.interactions), 'interaction')}"
    if made := cassette.provenance:
        yield f"  {made.source}: {made.model} of {made.server}, {made.recorded}, by harness {made.harness}"
        yield f"  scenario {made.scenario}, {made.wire}, target {made.target}"


def _exchange(each: ReadInteraction) -> str:
    url = urlsplit(each.interaction.url)
    path = f"{url.path}?{url.query}" if url.query else url.path
    model = f", {each.conversation.model}" if each.conversation and each.conversation.model else ""
    kind = f"{each.wire}{model}" if each.wire else "no request to a model"
    if each.interaction.opens_socket:
        opened = each.interaction.socket or words("one")
        return f"{each.number}  {each.interaction.method} {path}  opens {opened}"
    times = _timing(each.interaction.delivery, len(each.interaction.response))
    over = f", {each.interaction.socket}" if each.interaction.socket is not None else ""
    return f"{each.number}  {each.interaction.method} {path}  {each.interaction.status}  {kind}{over}; {times}"


def _timing(delivery: Delivery | None, length: int) -> str:
    if delivery is None:
        return many(length, "byte")
    seconds = [wait / 1000 for wait in delivery.waits]
    first = f", the first after {seconds[0]:.2f} s" if seconds else ""
    end = f", {_ENDS[delivery.end]}" if delivery.end in _ENDS else ""
    if delivery.socket is not None and delivery.socket.code:
        end += f" with the code {delivery.socket.code}"
    return f"{many(length, 'byte')} in {many(len(seconds), 'chunk')} in {sum(seconds):.2f} s{first}{end}"


# --- what was said ------------------------------------------------------------------------------------------


def _lines(each: ReadInteraction, earlier: Sequence[tuple[int, Conversation]]) -> Iterator[Line]:
    if each.conversation is not None:
        yield from _request_lines(each.conversation, earlier)
    if each.reply is not None:
        yield from _reply_lines(each.reply)
    if each.problem:
        yield "<", "error" if each.interaction.status >= 400 else "problem", each.problem


def _request_lines(conversation: Conversation, earlier: Sequence[tuple[int, Conversation]]) -> Iterator[Line]:
    """What is new in a request: not in the one before it in its conversation, and not the model's answer to that
    one."""
    messages = list(conversation.messages)
    begun = [(number, len(old.messages)) for number, old in earlier if _goes_on(conversation, old)]
    if begun:
        number, known = max(begun, key=lambda found: (found[1], found[0]))
        del messages[:known]
        yield (">", "goes on", f"from {number}") if messages else (">", "repeats", f"{number}")
        while messages and messages[0].role == "assistant":
            del messages[0]
    if conversation.continues:
        yield ">", "continues", conversation.continues
    for message in messages:
        for part in message.parts:
            yield ">", *_part(part, message)


def _goes_on(conversation: Conversation, old: Conversation) -> bool:
    known = old.messages
    return conversation.wire == old.wire and bool(known) and conversation.messages[: len(known)] == known


def _reply_lines(reply: Reply) -> Iterator[Line]:
    for part in reply.turn.parts:
        yield "<", *_part(part, None)
    if reply.turn.error is not None:
        yield "<", "error", f"{reply.turn.error.kind}: {reply.turn.error.message}"
    yield "<", "stop", reply.turn.stop.value if reply.complete else "the end is missing"


def _part(part: Part | Result | Opaque, message: Message | None) -> tuple[str, str]:
    match part:
        case Text(text):
            return message.role if message else "text", text
        case ThinkingPart(text, form):
            return "thinking", text if form == "plain" else f"({form})"
        case Refusal(text):
            return "refusal", text
        case Call(name, arguments, id_):
            return "call", f"{name} {arguments}{f'  ({id_})' if id_ else ''}"
        case Result(id_, output, name, is_error):
            who = " ".join(filter(None, (name, f"({id_})" if id_ else "")))
            return "error" if is_error else "result", f"{who} {output}".strip()
        case Opaque(kind):
            return message.role if message else "part", f"({kind})"


def _short_text(text: str, full: bool) -> str:
    lines = text.split("\n")
    shown = lines if full else [line[:_WIDTH] for line in lines[:_LINES]]
    rest = "" if shown == lines else f" ... ({len(text)} characters)"
    return "\n".join([shown[0], *(f"{'':15}{line}".rstrip() for line in shown[1:])]) + rest
