"""What a wire must have for a mistake to be possible on it, or to be one: each is asked of the wire itself."""

from __future__ import annotations

from collections import Counter
from functools import cache

from harness.wire import (
    Conversation,
    FinishReason,
    IssuedState,
    Message,
    Text,
    ThinkingPart,
    Turn,
    Wire,
    WireName,
    wire,
)
from harness.wire.identity import Identity


def everywhere(name: WireName) -> bool:  # noqa: ARG001 - the signature of the others
    """The mistake is possible on any wire."""
    return True


def flags_failures(name: WireName) -> bool:
    """A result has a flag that says whether the tool failed; elsewhere it says so itself."""
    return wire(name).marks_failures


@cache
def has_phases(name: WireName) -> bool:
    """A text of the model's goes back with a mark that says whether it is commentary."""
    plain, marked = (Message("assistant", (Text("So.", phase=phase),), "") for phase in ("", "commentary"))
    return wire(name).entries([plain]) != wire(name).entries([marked])


@cache
def has_system_messages(name: WireName) -> bool:
    """The system prompt is a message of the history, so what is left out of that may be the prompt."""
    return bool(wire(name).entries([Message("system", (Text("Be brief."),), "")]))


@cache
def minds_thoughts_alone(name: WireName) -> bool:
    """The provider refuses a turn that has ended with thoughts and nothing else, sent back as it came."""
    speaker = wire(name)
    question, next_question = (Message("user", (Text(text),), "") for text in ("Go.", "And now?"))
    asked = _asked(speaker, question)
    reply = speaker.render(Turn((ThinkingPart("Hm."),), FinishReason.END), Identity("thoughts"), asked).reply
    issued = IssuedState()
    issued.add(asked, reply)
    with_it, without = (
        _found(speaker, issued, _asked(speaker, question, *between, next_question))
        for between in (speaker.returned(reply, ()), ())
    )
    return bool(with_it - without)


def keeps_thinking_mode(name: WireName) -> bool:
    """A turn that was begun with thinking is gone on with in thinking."""
    return wire(name).keeps_thinking_mode


def _asked(speaker: Wire, *messages: Message) -> Conversation:
    """A request with these messages, as its wire reads it."""
    conversation = Conversation(speaker.name, speaker.default_model, False, messages, body=dict(speaker.settings))
    written = speaker.write(conversation)
    route = speaker.route("POST", written.path)
    assert route is not None  # noqa: S101 - the wire has written the path
    return speaker.read(route, written.body, {})


def _found(speaker: Wire, issued: IssuedState, asked: Conversation) -> Counter[str]:
    """The rules that a request breaks."""
    return Counter(finding.reference for finding in speaker.violations(asked, issued))
