"""A caller's actions in a random script: it cancels, sends messages, continues, resumes, decides, and switches the
model.

It decides about calls that wait for approval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hypothesis import strategies as st

from harness.scenario import CallerAct, NextRun, Resolve, Step, TurnStep, When
from harness.wire import Part, ThinkingPart, WireName, wire

MODELS: Final[dict[WireName, str]] = {
    "openai-responses": "gpt-5.2",
    "openai-chat": "gpt-4.1",
    "anthropic-messages": "claude-opus-4-8",
    "gemini-generate": "gemini-3-flash-preview",
}
"""Another model than the wire's own."""

_TEXTS: Final = ("In Fahrenheit.", "Hurry up \U0001f600.", "Go.", "Never mind.")
"""Messages of the user."""

_EITHER: Final = (False, True)


def acts(steps: Sequence[Step], wires: Sequence[WireName]) -> st.SearchStrategy[tuple[CallerAct, ...]]:
    """At most three, at moments that the script has on these wires."""
    in_pieces = not any(wire(name).whole_arguments for name in wires)
    moments = st.sampled_from([each for each in _moments(steps) if in_pieces or not (each.call and each.characters)])
    cancels = st.builds(CallerAct, moments, st.just("cancel"))
    says = st.builds(CallerAct, moments, st.just("say"), st.sampled_from(_TEXTS))
    return st.lists(cancels | says, max_size=3, unique_by=lambda act: act.when).map(tuple)


def runs(wires: Sequence[WireName], asking: str = "") -> st.SearchStrategy[tuple[NextRun, ...]]:
    """One to three further runs; on a single wire of a provider some of them switch the model.

    If the tool ``asking`` needs approval, some begin with the user's decisions about its calls.
    """
    text = st.sampled_from(_TEXTS)
    plain = st.builds(NextRun, text, compacted=st.booleans(), resumed=st.booleans())
    if asking:
        words = st.sampled_from((Resolve("approve"), Resolve("deny", "No.")))
        plain |= st.builds(NextRun, st.just(""), resumed=st.booleans(), resolves=st.fixed_dictionaries({asking: words}))
    if len(wires) != 1 or wires[0] not in MODELS:
        return st.lists(plain, min_size=1, max_size=3).map(tuple)
    others = [
        NextRun(text, resumed=resumed, model=MODELS[wire], wire=wire)
        for text in _TEXTS
        for resumed in _EITHER
        for wire in MODELS
    ]
    switched = st.sampled_from([*others, NextRun(_TEXTS[0], model=MODELS[wires[0]])])
    return st.lists(plain | switched, min_size=1, max_size=3).map(tuple)


def _moments(steps: Sequence[Step]) -> Iterator[When]:
    """Every call that begins and ends, some places in texts, thinking and arguments, and every request."""
    yield from (When(request=number) for number, _ in enumerate(steps, 1))
    turns = (step.turn for step in steps if isinstance(step, TurnStep))
    for number, turn in enumerate(turns, 1):
        for at, call in enumerate(turn.calls, 1):
            yield When(turn=number, call=at)
            yield When(turn=number, call=at, ended=True)
            yield from (When(turn=number, call=at, characters=size) for size in _sizes(call.arguments))
        yield from (When(turn=number, characters=size) for size in _sizes(turn.text))
        yield from (When(turn=number, thinking=size) for size in _sizes(_thought(turn.parts)))


def _thought(parts: Sequence[Part]) -> str:
    return "".join(part.text for part in parts if isinstance(part, ThinkingPart))


def _sizes(text: str) -> list[int]:
    return sorted({1, len(text) // 2, len(text)} - {0}) if text else []


def fits(act: CallerAct, steps: Sequence[Step]) -> bool:
    """Whether the script has the moment at which the caller acts."""
    when = act.when
    if when.request:
        return when.request <= len(steps)
    turns = [step.turn for step in steps if isinstance(step, TurnStep)]
    if when.turn > len(turns):
        return False
    turn = turns[when.turn - 1]
    if when.call > len(turn.calls):
        return False
    text = turn.calls[when.call - 1].arguments if when.call else turn.text
    return when.characters <= len(text) and when.thinking <= len(_thought(turn.parts))
