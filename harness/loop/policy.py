"""The differences between loops as one value, so that one loop serves all. ``docs/policies.md`` has the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from harness.errors import BadInput
from harness.wire.text_tags.prompt import ANSWER_NOW


@dataclass(frozen=True, slots=True)
class LoopPolicy:
    """The contract of a family of loops.

    ``turn_limit``: how many model turns a run may take; None: any number. ``at_limit``: what happens when the last
    allowed turn still calls tools (``raise`` an error, ``stop`` with the result so far, or ask the model to
    ``answer-now`` in one further request, whose calls are not run). ``answer_now``: the user message of that request.
    ``execution``: whether the calls of a turn run one after another, or all at once; results are always in call order.
    ``tool_retries``: in how many consecutive turns a tool may fail for a reason that the model can correct and be
    tried again; None: in any number. ``beside_output``: whether function calls beside an output call still run.
    ``retries``: how often a request that got no answer is sent again. ``broken_stream``: what happens when the answer
    breaks after it has begun (``raise`` an error, or ``ask-whole``: drop the broken answer, and ask once more for the
    same turn, without a stream). ``preview_step``: a preview is emitted when the code has grown by at least this many
    characters. ``preview_growth``: it must also have grown by at least this part of its length; 16 means a sixteenth,
    None no part (see ``harness.loop.live``). ``compact_at``: a conversation whose last request had at least so many
    tokens is compacted before its next run, if the model returns a summary; None: never automatically.
    ``cut_pages``: ``create_file`` keeps only the first page of its content. ``joined_diffs``: in diffs
    a last line without a line break is joined with the next line, and the first changed line is the one where the diff
    begins. ``null_is_empty``: a built-in tool reads the arguments ``null`` as an empty object and says what is missing.
    ``ToolRuntime`` takes the policy for these three.
    """

    name: str
    turn_limit: int | None = 20
    at_limit: Literal["raise", "stop", "answer-now"] = "raise"
    answer_now: str = ANSWER_NOW
    execution: Literal["in-order", "parallel"] = "in-order"
    tool_retries: int | None = None
    beside_output: Literal["skip", "run"] = "skip"
    retries: int = 2
    broken_stream: Literal["raise", "ask-whole"] = "raise"
    preview_step: int = 40
    preview_growth: int | None = 16
    compact_at: int | None = None
    cut_pages: bool = False
    joined_diffs: bool = False
    null_is_empty: bool = False

    def with_limit(self, *wanted: int | None) -> LoopPolicy:
        """This policy with the first turn limit in ``wanted`` that is not None, or else with its own.

        Raises ``BadInput`` for a limit below 0.
        """
        limit = next((each for each in wanted if each is not None), self.turn_limit)
        if limit is not None and limit < 0:
            raise BadInput(f"a turn limit of {limit} is not possible; the lowest is 0")
        return self if limit == self.turn_limit else replace(self, turn_limit=limit)


SCREENSHOT_TO_CODE = LoopPolicy(
    "screenshot-to-code", preview_growth=None, cut_pages=True, joined_diffs=True, null_is_empty=True
)
"""The flow of "Agent Tool-Calling Flow": 20 tool turns, then an error; previews every 40 characters; files, diffs and
empty arguments as in its engine (``docs/deviations.md``)."""

PYDANTIC_AI = LoopPolicy("pydantic-ai", turn_limit=50, execution="parallel", tool_retries=1)
"""The flow of "Tool Call Flow Diagrams"; limits and retries are the defaults of pydantic-ai 2."""

TOOL_RUNNER = LoopPolicy("tool-runner", turn_limit=None, at_limit="stop")
"""The flow of "How the Tool Runner Works". Its caller edits the history with ``harness.loop.runner``."""

HUGIND = LoopPolicy("hugind", turn_limit=10, at_limit="answer-now")
"""The flow of "Hugind Tool Calling Flow", section "Loop Termination"."""

RESILIENT = LoopPolicy(
    "resilient",
    tool_retries=3,
    beside_output="run",
    retries=6,
    broken_stream="ask-whole",
    compact_at=100_000,
)
"""Goes on where others give up, like coding agents: after a broken stream it asks without one, it compacts by itself,
and it asks again more often (public reports: claude-code #38569, zeroclaw #3811; opencode #27594, gemini-cli #4105)."""

POLICIES: Mapping[str, LoopPolicy] = {
    policy.name: policy for policy in (SCREENSHOT_TO_CODE, PYDANTIC_AI, TOOL_RUNNER, HUGIND, RESILIENT)
}
"""The presets by their names."""
