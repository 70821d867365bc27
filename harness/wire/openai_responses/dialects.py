"""How servers of this format stream otherwise than OpenAI."""

from __future__ import annotations

from typing import Final

from harness.wire.dialect import Dialect, changing, named

__all__ = ["DIALECTS"]

DIALECTS: Final = named(
    Dialect(
        "no-sequence-numbers",
        "No event has a sequence_number.",
        ("llama.cpp PR #24957",),
        changing(lambda event: event.pop("sequence_number", None)),
    ),
    Dialect(
        "sequence-number-one",
        "Each event has the sequence_number 1.",
        ("litellm PR #28899",),
        changing(lambda event: event.update(sequence_number=1)),
    ),
)
