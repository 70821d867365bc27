"""The runs of ``limits.yaml`` that are made for each contract."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.trace import Failure, Final
from harness.wire import Text
from harness_lab.mutants.traces import conversations
from harness_lab.mutants.traces.edits import alter
from harness_lab.mutants.traces.plain import PlainRun, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.changes import (
    CHAT,
    case,
    part,
    runs,
)

_LOOK = runs("depth")[0]


_DEMANDED = PlainRun((_LOOK, says("Yes.")), end=Final("", "turn-limit"))


_ASK = conversations.remark(behind=True)


_CONTRACTS: tuple[str, ...] = ("universal", "tool-runner", "screenshot-to-code", "pydantic-ai", "hugind")


def limits() -> Iterator[SmallRun]:
    """For each contract: how a run ends that was stopped in its last turn, and one request more than allowed."""
    ends: tuple[tuple[str, Any], ...] = (
        ("raised-limit", Failure("turn-limit", "no more")),
        ("raised", Failure("raised", "no more")),
        ("failed", Failure("crash", "no more")),
        ("retries", Failure("tool-retries", "no more")),
        ("limit", Final("", "turn-limit")),
        ("completed", Final("")),
        ("deferred", Final("", "deferred")),
        ("never", None),
    )
    for profile in _CONTRACTS:
        for name, end in ends:
            run = PlainRun((_LOOK,) * 2, end=end, stops_at=2, case={"profile": profile, "turn_limit": 2})
            edits = [case(emits=("toolStart", "toolResult", "final", "error"))] if end is None else []
            summary = f"Under the contract {profile} the last turn that was allowed called a tool."
            yield SmallRun(f"limit-{profile}-{name}", "guardrail/limit-reported", summary, run, tuple(edits), CHAT)
        for name, edits in (
            ("asked", [_ASK]),
            ("unasked", []),
            ("asked-completed", [_ASK, alter(Final, 0, outcome="completed")]),
        ):
            run = PlainRun(_DEMANDED.turns, end=_DEMANDED.end, case={"profile": profile, "turn_limit": 1})
            summary = f"Under the contract {profile} one request more than allowed."
            yield SmallRun(f"beyond-{profile}-{name}", "guardrail/turn-limit", summary, run, tuple(edits), CHAT)
    blank = PlainRun(_DEMANDED.turns, end=_DEMANDED.end, case={"profile": "hugind", "turn_limit": 1})
    yield SmallRun(
        "beyond-asked-blank",
        "guardrail/answer-now",
        "A blank text demands nothing.",
        blank,
        (_ASK, part(Text, {"text": " "}, -1, "user")),
        CHAT,
    )
