"""What is tried again: too often, or although it was refused."""

from __future__ import annotations

from harness_lab.mutants.traces.draft import send_again
from harness_lab.mutants.traces.edits import judged_by
from harness_lab.mutants.traces.mutant import Edit, EquivalentTrace, TraceMutant

__all__ = ["EQUIVALENTS", "MUTANTS"]


def asked_again(number: int, status: int, times: int) -> Edit:
    """Request ``number`` is answered with an HTTP error so many times, and each time sent again."""
    return lambda draft: send_again(draft.records, number, status, times)


_TWO_TURNS = "create-then-edit"

MUTANTS = (
    TraceMutant(
        "mended-for-ever",
        "The model may make the same wrong call as often as it likes.",
        "retry/tool",
        judged_by(profile="pydantic-ai"),
        "arguments-invalid-json",
        ("openai-responses", "openai-chat", "anthropic-messages"),
    ),
    TraceMutant(
        "sent-four-times",
        "An overloaded provider is asked the same a fourth time.",
        "retry/request",
        asked_again(1, 529, times=3),
        _TWO_TURNS,
    ),
    TraceMutant(
        "refused-and-sent-again",
        "A request that was refused for what it says is sent again.",
        "retry/refused",
        asked_again(1, 422, times=1),
        _TWO_TURNS,
    ),
)

EQUIVALENTS = (
    EquivalentTrace(
        "sent-three-times", "An overloaded provider may be asked again twice.", asked_again(1, 529, times=2), _TWO_TURNS
    ),
)
