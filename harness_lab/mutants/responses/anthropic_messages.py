"""Answers of the Messages API that no other wire has."""

from __future__ import annotations

from typing import Final

from harness.wire import Call, FinishReason, Turn
from harness_lab.mutants.responses.answers import CALL

OWN_ANSWERS: Final = {
    "a call by code": Turn(
        (
            Call(
                CALL.name,
                CALL.arguments,
                members={"caller": {"type": "code_execution_20250825", "tool_id": "srvtoolu_01"}},
            ),
        ),
        FinishReason.TOOL_CALLS,
        members={"container": {"id": "container_01", "expires_at": "2026-08-01T00:00:00Z"}},
    ),
    "a pause": Turn((), FinishReason.PAUSE),
}
