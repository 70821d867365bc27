"""A caller's changes to the history between two turns of a random script: it takes turns and answers, adds and
omits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hypothesis import strategies as st

from harness.scenario import CallerAction, GenerateToolResponse, PushMessages, SetMessages, Step, TurnStep
from harness.wire import FinishReason

Edits = tuple[tuple[int, tuple[CallerAction, ...]], ...]
"""The caller's actions, by the number of the turn after which they happen."""

_NOTE: Final = ("user", "Quickly, please.")

EDITS: Final[tuple[tuple[CallerAction, ...], ...]] = (
    (GenerateToolResponse(),),
    (PushMessages((_NOTE,)),),
    (PushMessages(("turn",)),),
    (PushMessages(("turn", _NOTE)),),
    (PushMessages(("turn", "response")),),
    (PushMessages(("turn", "response", _NOTE)),),
    (GenerateToolResponse(), PushMessages(("turn",))),
    (GenerateToolResponse(), PushMessages(("turn", "response"))),
    (PushMessages(("turn",)), PushMessages((_NOTE,))),
    (SetMessages(("history", "turn")),),
    (SetMessages(("history", _NOTE)),),
)
"""All that a caller may do with a turn that calls tools (docs/policies.md, "tool-runner")."""


def edits(steps: Sequence[Step]) -> st.SearchStrategy[Edits]:
    """An edit behind some of the turns that call tools."""
    each = [st.tuples(st.just(number), st.sampled_from(EDITS)) for number in may_be_edited(steps)]
    return st.lists(st.one_of(each), min_size=1, unique_by=lambda edit: edit[0]).map(lambda made: tuple(sorted(made)))


def may_be_edited(steps: Sequence[Step]) -> Iterator[int]:
    """The numbers of the turns that call tools, up to the first answer that is no complete turn."""
    for number, step in enumerate(steps, 1):
        if not isinstance(step, TurnStep) or step.cut is not None or step.turn.ending != "complete" or step.turn.error:
            return
        if step.turn.calls and step.turn.stop is FinishReason.TOOL_CALLS:
            yield number
