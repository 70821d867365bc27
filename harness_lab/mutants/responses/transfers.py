"""An identity gateway with one fault each: it reads what the upstream has sent, and sends it on, on any wire.

Each fault was seen in a gateway; ``evidence`` says where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from harness.ground.data_files import read_data, with_tuples
from harness.wire import Call, FinishReason, Text, ThinkingPart, Turn, WireName
from harness.wire.response_rule import Content
from harness_lab.mutants.responses.answers import ServedAnswer, served
from harness_lab.mutants.responses.catalogue import carried


@dataclass(frozen=True, slots=True)
class TransferMutant:
    """A gateway with one fault. ``rule`` must find it in each of the answers ``on``, wherever it changes something.

    ``change`` is made to the turn that is sent on, ``status`` is sent in the place of an error's own. ``content`` is
    what it is about, where not every wire can say that.
    """

    name: str
    summary: str
    rule: str
    on: tuple[str, ...]
    change: Callable[[Turn], Turn] = field(repr=False)
    status: int | None = None
    content: Content | Literal[""] = ""
    evidence: str = ""


def transferred(sent: ServedAnswer, client: WireName, mutant: TransferMutant | None = None) -> ServedAnswer:
    """What a gateway sends to a client on some wire for what it was sent, with the fault of ``mutant``, or none.

    It knows nothing but what the bytes of the upstream say.
    """
    side = sent.side
    if side.reply is None:
        status = sent.status if mutant is None or mutant.status is None else mutant.status
        return served(client, f"HTTP {status}", stream=True) if status >= 400 else served(client, "text", stream=True)
    turn = side.reply.turn if mutant is None else mutant.change(side.reply.turn)
    parts = tuple(carried(client, part) if isinstance(part, Call) else part for part in turn.parts)
    return served(client, replace(turn, parts=parts), stream=side.streamed)


def _calls(change: Callable[[Call], Call]) -> Callable[[Turn], Turn]:
    def changed(turn: Turn) -> Turn:
        return replace(turn, parts=tuple(change(part) if isinstance(part, Call) else part for part in turn.parts))

    return changed


def _joined(turn: Turn) -> Turn:
    """Two calls under one index: the second is added to the first."""
    first, second, *_ = turn.calls
    both = replace(first, arguments=first.arguments + second.arguments)
    return replace(turn, parts=tuple(both if part is first else part for part in turn.parts if part is not second))


def _without(kind: type) -> Callable[[Turn], Turn]:
    return lambda turn: replace(turn, parts=tuple(part for part in turn.parts if not isinstance(part, kind)))


def _without_last_call(turn: Turn) -> Turn:
    return replace(turn, parts=tuple(part for part in turn.parts if part is not turn.calls[-1]))


def _calls_first(turn: Turn) -> Turn:
    others = tuple(part for part in turn.parts if not isinstance(part, Call))
    return replace(turn, parts=(*turn.calls, *others))


def _thinking_as_text(turn: Turn) -> Turn:
    parts = tuple(Text(part.text) if isinstance(part, ThinkingPart) else part for part in turn.parts)
    return replace(turn, parts=parts)


def _more(part: Text | ThinkingPart | Call) -> Callable[[Turn], Turn]:
    """A part in front that nobody has sent."""
    return lambda turn: replace(turn, parts=(part, *turn.parts))


_CHANGES: Final[Mapping[str, Callable[[Turn], Turn]]] = {
    "ids by name": _calls(lambda call: replace(call, id=f"call_{call.name}")),
    "joined calls": _joined,
    "without the last call": _without_last_call,
    "no arguments": _calls(lambda call: replace(call, arguments="{}")),
    "without text": _without(Text),
    "without thinking": _without(ThinkingPart),
    "thinking as text": _thinking_as_text,
    "one more call": _more(Call("delete_file", '{"path": "src"}', "call_invented")),
    "one more text": _more(Text("Let me look.")),
    "one more thought": _more(ThinkingPart("Let me think.")),
    "calls first": _calls_first,
    "an end": lambda turn: replace(turn, stop=FinishReason.END),
    "nothing cached": lambda turn: replace(turn, usage=replace(turn.usage, cached=0)),
    "a clean end": lambda turn: replace(turn, ending="complete", error=None),
    "none": lambda turn: turn,
}


def _read(path: Path) -> Iterator[TransferMutant]:
    rows = read_data(path)
    for name in rows:
        with rows.at(name):
            members: dict[str, Any] = with_tuples(rows[name])
            on, change = members.pop("answers"), _CHANGES[members.pop("change", "none")]
            yield TransferMutant(name=name, on=on, change=change, **members)


TRANSFERS: Final = tuple(_read(Path(__file__).with_suffix(".yaml")))
