"""The built-in model: it answers what no script answers, such as a request for a title."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.endpoint.fitted import fitted_answer
from harness.endpoint.source import ModelRequest
from harness.scenario import TurnStep
from harness.wire import Text, Turn

_ANSWER: Final = "All right."


class BuiltInModel:
    """Answers every request with a short text, in JSON of the demanded schema where there is one, and calls nothing."""

    repeats: Final = True

    def next(self, request: ModelRequest) -> TurnStep:
        """Return a short text, or JSON that fits the schema which the request demands."""
        return TurnStep(Turn((Text(fitted_answer(request.conversation, _ANSWER)),)))

    def left(self) -> Sequence[str]:
        """Return nothing: there are no recordings."""
        return ()
