"""The subject of this campaign: a parser of calls in text, ours or a user's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from harness.fuzz.campaign import Falsified
from harness.fuzz.subject import CommandSubject, Crashed, function
from harness.fuzz.text_tags.ours import read

SIGNATURE = (
    "read(deltas: Iterable[str]) -> Mapping: "
    '{"text": what the user is shown, "calls": [{"name": str, "arguments": mapping}]}; '
    'cmd: is asked {"deltas": [...]} and answers that mapping'
)

Read = Callable[[Iterable[str]], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ParserOutcome:
    """A parser's result for a text. ``calls`` are (name, arguments).

    ``unreadable`` are blocks that are no calls: (arguments up to where they were emitted, problem). None for a parser
    that does not emit them.
    """

    text: str
    calls: tuple[tuple[str, Any], ...]
    unreadable: tuple[tuple[str, str], ...] | None = None


@dataclass(slots=True)
class TagParser:
    """``read`` is the function to check. ``countable``: it runs in this process, so that its steps can be counted.

    ``right`` is the last text that it read correctly in one piece, with its result: a text comes in many cuts.
    """

    read: Read
    countable: bool = True
    runs: int = 0
    right: tuple[str, ParserOutcome] | None = None

    def outcome(self, deltas: Sequence[str]) -> ParserOutcome:
        """The parser's result for a text. Raises ``Falsified`` if it raises, or has no valid answer."""
        self.runs += 1
        try:
            answer = self.read(deltas)
        except Crashed as crash:
            raise Falsified("raises", "an answer", str(crash)) from crash
        except Exception as error:
            raise Falsified("raises", "no exception", f"{type(error).__name__}: {error}") from error
        return _outcome(answer)

    def steps(self, deltas: Sequence[str]) -> int:
        """How many steps it takes to read them."""
        return _steps(lambda: self.outcome(deltas))


def _steps(work: Callable[[], object]) -> int:
    """The number of lines of Python that ``work`` executes, counted without a clock. Work in C is not counted."""
    counted = 0

    def count(frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG001 - the signature of a trace function
        nonlocal counted
        counted += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return counted


def opened(target: str | None) -> TagParser:
    """The parser with this name. Raises ``BadInput`` if it cannot be found or started."""
    if target is None:
        return TagParser(read)
    if not target.startswith("cmd:"):
        return TagParser(function(target, SIGNATURE))
    command = CommandSubject(target.removeprefix("cmd:"), SIGNATURE)
    return TagParser(lambda deltas: command.ask({"deltas": list(deltas)}), countable=False)


def _outcome(answer: Any) -> ParserOutcome:
    """The parsed answer. Raises ``Falsified`` for one of another shape than in ``SIGNATURE``."""
    try:
        calls = tuple([(call["name"], call["arguments"]) for call in answer["calls"]])
        unreadable = answer.get("unreadable")
        reasons = None if unreadable is None else tuple([(each["arguments"], each["problem"]) for each in unreadable])
        text = answer["text"]
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise Falsified("raises", SIGNATURE, f"{answer!r} ({type(error).__name__}: {error})") from error
    if not isinstance(text, str):
        raise Falsified("raises", SIGNATURE, repr(answer))
    return ParserOutcome(text, calls, reasons)
