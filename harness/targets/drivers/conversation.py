"""What a run on a library leaves for the next one in the same conversation.

A run in the same process finds the library's own objects. A run that is resumed in another process finds the JSON
that the library makes of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.targets.base import CaseRun
from harness.trace import JsonValue

_CONVERSATION = "conversation"
_SYSTEM = "system"


class _Kept(list[JsonValue]):
    """A history as JSON, and the same history as objects of the library."""

    live: Any = None


def keep(case_run: CaseRun, history: Sequence[Any], live: object = None) -> None:
    """Leave the history for the next run: as JSON, and as the library's own objects if it has any."""
    kept = _Kept(history)
    kept.live = live
    case_run.state[_CONVERSATION] = kept


def live(case_run: CaseRun) -> Any:
    """The objects that the previous run has left; None in a first run and in a resumed run."""
    return getattr(case_run.state.get(_CONVERSATION), "live", None)


def stored(case_run: CaseRun) -> list[Any]:
    """The history that the previous run has left, as JSON; empty in a first run."""
    history = case_run.state.get(_CONVERSATION)
    return list(history) if isinstance(history, list) else []


def system_texts(case_run: CaseRun) -> list[str]:
    """The system prompt. It is the prompt of the first run, which the loop's user passes again in each run."""
    texts: list[JsonValue] = [text for role, text in case_run.prompt if role == "system"]
    kept = case_run.state.setdefault(_SYSTEM, texts)
    return [str(text) for text in kept] if isinstance(kept, list) else []


def turns_before(case_run: CaseRun) -> int:
    """How many turns the previous runs have had, by ``state["turns"]``."""
    turns = case_run.state.get("turns")
    return turns if isinstance(turns, int) else 0


def user_texts(case_run: CaseRun) -> list[str]:
    """What the user says to begin the run."""
    return [text for role, text in case_run.prompt if role != "system"]
