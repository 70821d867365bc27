"""The reference loop with one thing broken.

A mutant breaks the loop where the mistake would be: in its policy, its sessions, its tools, in what it reports to its
user, or in the requests that it sends. Each names the rules of which one must catch it; ``tests/mutants`` runs
every one. Most are declared above the code that breaks the loop; here are those that break two things, or nothing but
a setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from harness.ground.data_files import read_data, with_tuples
from harness.loop import LoopPolicy
from harness.targets.reference import Seams
from harness.wire import Call, Text, ThinkingPart
from harness_lab.mutants import (  # noqa: F401 - they declare their mistakes
    approvals,
    builtin,
    compactions,
    configs,
    continued,
    conversations,
    dialects,
    event_mappings,
    failed_attempts,
    outcomes,
    sessions,
    text_tags,
    tools,
)
from harness_lab.mutants.declared import DECLARED, DeclaredMistake, breaks, seen_in
from harness_lab.mutants.edits import drop_phase, drop_thinking
from harness_lab.mutants.json_edits import edit_json
from harness_lab.mutants.loop_mutant import Edit, LoopMutant
from harness_lab.mutants.needs import minds_thoughts_alone

__all__ = ["LOOPS", "LoopMutant"]


@breaks("policy", "limit-21", "guardrail/turn-limit")
@seen_in("twenty-one-tool-turns")
def _one_turn_more(policy: LoopPolicy) -> LoopPolicy:
    """Asks for a 21st turn where 20 are allowed."""
    return policy.with_limit((policy.turn_limit or 20) + 1)


@breaks("policy", "limit-19", "guardrail/false-alarm")
@seen_in("nineteen-tool-turns")
def _one_turn_less(policy: LoopPolicy) -> LoopPolicy:
    """Gives up one turn before the limit."""
    return policy.with_limit((policy.turn_limit or 20) - 1)


def _asks_whole(policy: LoopPolicy) -> LoopPolicy:
    """Nothing is broken here: the loop asks once more, without a stream, where a stream broke."""
    return replace(policy, broken_stream="ask-whole")


def _after_a_failure(edit: failed_attempts.Edit) -> Mapping[str, Any]:
    return {"seams": Seams(policy=_asks_whole), "after_a_failure": edit}


def _without_server_results(body: Any) -> Any:
    edit_json(body, {"without": {"type": {"like": ".*_tool_result"}}})
    return body


_BREAKAGES: Mapping[str, Mapping[str, Any]] = {
    "limit-missing": {"seams": Seams(policy=lambda policy: replace(policy, turn_limit=None))},
    "retry-without-bound": {"seams": Seams(policy=lambda policy: replace(policy, tool_retries=None))},
    "request-without-bound": {"seams": Seams(policy=lambda policy: replace(policy, retries=100))},
    "tool-run-twice": {"seams": Seams(tools=tools.RunsTwice, event_mapping=event_mappings.result_twice)},
    "runs-before-it-stops": {"seams": Seams(policy=lambda policy: replace(policy, at_limit="raise"))},
    "truncation-overlooked": {"seams": Seams(session=sessions.RunsTruncatedCalls)},
    "truncated-call-executed-in-silence": {
        "seams": Seams(session=sessions.RunsTruncatedCalls, event_mapping=event_mappings.tools_in_silence)
    },
    "refused-call-executed-in-silence": {
        "seams": Seams(session=sessions.RunsRefusedCalls, event_mapping=event_mappings.tools_in_silence)
    },
    "thinking-dropped": {"seams": Seams(session=sessions.HasNothingKept), "edit": drop_thinking},
    "reasoning-content-dropped": {"edit": drop_thinking},
    "calls-one-by-one": {"seams": Seams(policy=lambda policy: replace(policy, execution="in-order"))},
    "failed-turn-sent-back": _after_a_failure(failed_attempts.sends_back(*failed_attempts.ANY)),
    "failed-thinking-sent-back": _after_a_failure(failed_attempts.sends_back(ThinkingPart)),
    "failed-text-sent-back": _after_a_failure(failed_attempts.sends_back(Text)),
    "failed-thinking-kept": _after_a_failure(failed_attempts.keeps_later(ThinkingPart)),
    "failed-text-kept": _after_a_failure(failed_attempts.keeps_later(Text)),
    "failed-calls-kept": _after_a_failure(failed_attempts.keeps_later(Call)),
    "failed-calls-run": {"seams": Seams(policy=_asks_whole, session=failed_attempts.RunsWhatBroke)},
    "thinking-forgotten-in-the-fallback": _after_a_failure(failed_attempts.forgets_thinking),
    "missing-index-is-zero": {"hear": dialects.joins_by_index},
    "changing-index-splits-a-call": {"hear": dialects.joins_by_index},
    "thoughts-sent-alone": {"seams": Seams(session=sessions.PassingSession), "needs": minds_thoughts_alone},
    "stored-without-thinking": {"seams": Seams(conversation=continued.stores(drop_thinking))},
    "stored-without-phases": {"seams": Seams(conversation=continued.stores(drop_phase))},
    "stored-without-server-results": {"seams": Seams(conversation=continued.stores(_without_server_results))},
}
"""What breaks the loops of the file that have no edits."""


def _written(path: Path) -> Iterator[LoopMutant]:
    """The broken loops of a file."""
    rows = read_data(path)["mutants"]
    for name in rows:
        with rows.at(name):
            members: dict[str, Any] = with_tuples(rows[name])
            edits = members.pop("edits", ())
            broken = {"edit": _edited_by(edits)} if edits else _BREAKAGES[name]
            yield LoopMutant(name=name, **broken, **members)


def _edited_by(edits: Sequence[Mapping[str, Any]]) -> Edit:
    def edit(body: Any) -> Any:
        for each in edits:
            edit_json(body, each)
        return body

    return edit


_SEAMS = frozenset(seam.name for seam in fields(Seams))


def _made(mistake: DeclaredMistake) -> LoopMutant:
    place: dict[str, Any] = {mistake.place: mistake.breakage}
    broken: dict[str, Any] = {"seams": Seams(**place)} if mistake.place in _SEAMS else place
    return LoopMutant(mistake.name, mistake.summary, mistake.rules, mistake.scenarios, **broken, **mistake.more)


_WRITTEN = {mutant.name: mutant for mutant in _written(Path(__file__).with_suffix(".yaml"))}

LOOPS: dict[str, LoopMutant] = {**{mutant.name: mutant for mutant in map(_made, DECLARED)}, **_WRITTEN}
"""Every broken loop by its name."""
