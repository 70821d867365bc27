"""An identity gateway with one fault each: it reads what the upstream has sent, and sends it on, on any wire.

Each fault was seen in a gateway; ``evidence`` says where.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from harness.wire import Call, FinishReason, Text, ThinkingPart, Turn, WireName
from harness.wire.response_rule import Content
from harness_lab.mutants.responses.answers import ServedAnswer, served
from harness_lab.mutants.responses.catalogue import carried

_TRIED: Final = "LiteLLM's proxy 1.106.2"


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
    change: Callable[[Turn], Turn] = field(default=lambda turn: turn, repr=False)
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


def _clean(turn: Turn) -> Turn:
    return replace(turn, ending="complete", error=None)


TRANSFERS: Final = (
    TransferMutant(
        "ids-by-name",
        "The id of a call is made of its name.",
        "SX-ID",
        ("three calls",),
        _calls(lambda call: replace(call, id=f"call_{call.name}")),
        evidence=f"{_TRIED}, on Gemini's door",
    ),
    TransferMutant(
        "joined-calls",
        "Two calls arrive as one.",
        "SX-CALLS",
        ("three calls",),
        _joined,
        evidence="ollama #15457, behind a gateway",
    ),
    TransferMutant(
        "last-call-dropped",
        "The last call does not arrive.",
        "SX-CALLS",
        ("a call", "three calls"),
        _without_last_call,
        evidence="vllm PR #53965",
    ),
    TransferMutant(
        "no-arguments",
        "The arguments of calls do not arrive.",
        "SX-ARGS",
        ("a call",),
        _calls(lambda call: replace(call, arguments="{}")),
        evidence="litellm #25561",
    ),
    TransferMutant(
        "cut-arguments-whole",
        "Arguments that were cut arrive as {}.",
        "SX-CUT",
        ("a cut call",),
        _calls(lambda call: replace(call, arguments="{}")),
        evidence=_TRIED,
    ),
    TransferMutant(
        "no-text", "The text does not arrive.", "SX-TEXT", ("text",), _without(Text), evidence="litellm #29286"
    ),
    TransferMutant(
        "no-thinking",
        "The thinking does not arrive.",
        "SX-THINK",
        ("thinking",),
        _without(ThinkingPart),
        evidence="vllm #41691",
    ),
    TransferMutant(
        "thinking-as-text",
        "The thinking arrives as text.",
        "SX-TEXT",
        ("thinking",),
        _thinking_as_text,
        evidence=_TRIED,
    ),
    TransferMutant(
        "invented-call",
        "A call arrives that the model has not made.",
        "SX-MORE",
        ("text", "a call"),
        _more(Call("delete_file", '{"path": "src"}', "call_invented")),
    ),
    TransferMutant(
        "invented-text",
        "A text arrives that the model has not written.",
        "SX-MORE",
        ("calls alone",),
        _more(Text("Let me look.")),
    ),
    TransferMutant(
        "invented-thinking",
        "Thinking arrives, and the model has not thought.",
        "SX-MORE",
        ("text",),
        _more(ThinkingPart("Let me think.")),
    ),
    TransferMutant(
        "calls-first",
        "Calls arrive before the text.",
        "SX-ORDER",
        ("a call",),
        _calls_first,
        content="order",
        evidence=_TRIED,
    ),
    TransferMutant(
        "end-for-calls",
        "A cut answer arrives as one that is at its end.",
        "SX-STOP",
        ("a cut text",),
        lambda turn: replace(turn, stop=FinishReason.END),
        evidence="litellm #12862",
    ),
    TransferMutant(
        "no-cached-tokens",
        "The cached tokens do not arrive.",
        "SX-USAGE",
        ("text",),
        lambda turn: replace(turn, usage=replace(turn.usage, cached=0)),
        evidence=_TRIED,
    ),
    TransferMutant(
        "cut-as-clean-end", "A cut stream arrives with a clean end.", "SX-END", ("no end",), _clean, evidence=_TRIED
    ),
    TransferMutant(
        "error-as-clean-end",
        "An error in the stream arrives as a clean end.",
        "SX-END",
        ("an error in the stream",),
        _clean,
        evidence=_TRIED,
    ),
    TransferMutant("429-to-200", "A rate limit arrives as an answer.", "SX-STATUS", ("HTTP 429",), status=200),
    TransferMutant("529-to-500", "529 arrives as 500.", "SX-STATUS", ("HTTP 529",), status=500, evidence=_TRIED),
)
