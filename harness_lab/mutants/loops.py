"""The reference loop with one thing broken.

A mutant breaks the loop where the mistake would be: in its policy, its sessions, its tools, in what it reports to its
user, or in the requests that it sends. Each names the rules of which one must catch it; ``tests/mutants`` runs
every one. Most are declared above the code that breaks the loop; here are those that break two things, or nothing but
a setting.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

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
from harness_lab.mutants.edited import EDITED
from harness_lab.mutants.edits import drop_phase, drop_thinking
from harness_lab.mutants.loop_mutant import LoopMutant
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


_LOST = (
    "connection-lost-after-signed-thinking",
    "stream-ends-early-after-signed-thinking",
    "overloaded-in-the-stream-after-signed-thinking",
)
_LOST_CALLS = (
    "connection-lost-after-a-whole-call",
    "connection-lost-between-two-calls",
    "connection-reset-after-two-calls",
)

_EDITS = {mutant.name: mutant.edit for mutant in EDITED if mutant.edit}

_TABLE = (
    LoopMutant(
        "limit-missing",
        "Has no turn limit of its own.",
        ("guardrail/no-limit",),
        ("calls-without-end",),
        Seams(policy=lambda policy: replace(policy, turn_limit=None)),
    ),
    LoopMutant(
        "retry-without-bound",
        "Lets the model mend a call as often as it likes.",
        ("retry/tool",),
        ("unknown-tool-twice",),
        Seams(policy=lambda policy: replace(policy, tool_retries=None)),
        unseen_on=("text-tags",),  # whose tools are described in prose
    ),
    LoopMutant(
        "request-without-bound",
        "Sends a request that gets no answer again and again.",
        ("retry/request",),
        ("retries-run-out",),
        Seams(policy=lambda policy: replace(policy, retries=100)),
    ),
    LoopMutant(
        "tool-run-twice",
        "Runs every call twice, and reports both results.",
        ("order/tool-result-once",),
        ("create-then-edit",),
        Seams(tools=tools.RunsTwice, event_mapping=event_mappings.result_twice),
    ),
    LoopMutant(
        "runs-before-it-stops",
        "Runs the calls of the last turn although their results are never sent.",
        ("execution/unnecessary",),
        ("limit-of-one",),
        Seams(policy=lambda policy: replace(policy, at_limit="raise")),
    ),
    LoopMutant(
        "truncation-overlooked",
        "Passes half an answer off as a whole one.",
        ("final/outcome",),
        ("truncated-text",),
        Seams(session=sessions.RunsTruncatedCalls),
    ),
    LoopMutant(
        "truncated-call-executed-in-silence",
        "Overlooks that the turn was cut off at its token limit, and reports nothing of its tools.",
        ("final/stopped-call",),
        ("truncated-after-a-whole-call",),
        Seams(session=sessions.RunsTruncatedCalls, event_mapping=event_mappings.tools_in_silence),
    ),
    LoopMutant(
        "refused-call-executed-in-silence",
        "Overlooks that the model, or a filter, declined, and reports nothing of its tools.",
        ("final/stopped-call",),
        ("refusal-with-a-call", "content-filter-with-a-call"),
        Seams(session=sessions.RunsRefusedCalls, event_mapping=event_mappings.tools_in_silence),
    ),
    LoopMutant(
        "thinking-dropped",
        "Sends the model's turn back without its thinking, reasoning items and signatures.",
        ("history/model-thinking", "continuation/"),
        ("thinking-in-every-turn",),
        Seams(session=sessions.HasNothingKept),
        edit=drop_thinking,
    ),
    LoopMutant(
        "reasoning-content-dropped",
        "Sends the model's turn back on Chat without its reasoning_content.",
        ("continuation/",),
        ("thinking-on-chat",),
        edit=drop_thinking,
    ),
    LoopMutant(
        "calls-one-by-one",
        "Runs the calls of a turn one after the other where it promises to run them at once.",
        ("execution/concurrent",),
        ("results-as-they-come",),
        Seams(policy=lambda policy: replace(policy, execution="in-order")),
    ),
    LoopMutant(
        "failed-turn-sent-back",
        "Sends what came of an answer that broke back when it asks again.",
        ("retry/failed-attempt",),
        (*_LOST, *_LOST_CALLS),
        Seams(policy=_asks_whole),
        after_a_failure=failed_attempts.sends_back(*failed_attempts.ANY),
    ),
    LoopMutant(
        "failed-thinking-sent-back",
        "Sends the thinking of an answer that broke back when it asks again.",
        ("retry/failed-attempt",),
        _LOST,
        Seams(policy=_asks_whole),
        after_a_failure=failed_attempts.sends_back(ThinkingPart),
    ),
    LoopMutant(
        "failed-text-sent-back",
        "Sends the text of an answer that broke back when it asks again.",
        ("retry/failed-attempt",),
        ("context-too-long-in-the-stream", "connection-lost-after-a-whole-call"),
        Seams(policy=_asks_whole),
        after_a_failure=failed_attempts.sends_back(Text),
        unseen_on=("text-tags",),  # where an answer is read as one text
    ),
    LoopMutant(
        "failed-thinking-kept",
        "Keeps the thinking of an answer that broke beside that of the answer that came when it asked again.",
        ("history/model-thinking", "history/model-order", "history/append-only"),
        _LOST,
        Seams(policy=_asks_whole),
        after_a_failure=failed_attempts.keeps_later(ThinkingPart),
        unseen_on=("openai-chat", "gemini-generate"),  # whose thinking has no signature of its own
    ),
    LoopMutant(
        "failed-text-kept",
        "Keeps the text of an answer that broke in front of that of the answer that came when it asked again.",
        ("history/model-text",),
        ("connection-lost-after-a-whole-call",),
        Seams(policy=_asks_whole),
        after_a_failure=failed_attempts.keeps_later(Text),
    ),
    LoopMutant(
        "failed-calls-kept",
        "Keeps the calls of an answer that broke beside those of the answer that came when it asked again.",
        ("history/model-calls", "continuation/"),
        _LOST_CALLS,
        Seams(policy=_asks_whole),
        after_a_failure=failed_attempts.keeps_later(Call),
    ),
    LoopMutant(
        "failed-calls-run",
        "Runs the calls of an answer that broke beside those of the answer that came when it asked again.",
        ("final/failed-turn",),
        (*_LOST_CALLS, "overloaded-in-the-stream-of-a-later-turn"),
        Seams(policy=_asks_whole, session=failed_attempts.RunsWhatBroke),
        unseen_on=("text-tags",),  # whose calls have no ids
    ),
    LoopMutant(
        "thinking-forgotten-in-the-fallback",
        "Sends no thinking where it asks again without a stream.",
        ("history/append-only", "continuation/"),
        _LOST,
        Seams(policy=_asks_whole),
        after_a_failure=failed_attempts.forgets_thinking,
    ),
    LoopMutant(
        "missing-index-is-zero",
        "Keeps calls by their index, and takes one that is missing for 0.",
        ("history/model-calls",),
        ("two-calls-of-one-tool",),
        hear=dialects.joins_by_index,
        dialect="index-missing",
    ),
    LoopMutant(
        "changing-index-splits-a-call",
        "Keeps calls by an index that is another one in the first fragment.",
        ("history/model-calls",),
        ("two-calls-of-one-tool", "long-arguments-beside-short-ones"),
        hear=dialects.joins_by_index,
        dialect="index-changes",
    ),
    LoopMutant(
        "thoughts-sent-alone",
        "Sends a turn back that has ended with thoughts and nothing else.",
        ("continuation/",),
        ("another-question-after-thoughts-alone",),
        Seams(session=sessions.PassingSession),
        needs=minds_thoughts_alone,
    ),
    LoopMutant(
        "stored-without-thinking",
        "Stores the model's turns without thinking and signatures.",
        ("history/append-only", "history/model-thinking", "continuation/"),
        ("resumed-from-what-was-stored", "resumed-with-thinking-in-every-turn", "resumed-with-redacted-thinking"),
        Seams(conversation=continued.stores(drop_thinking)),
    ),
    LoopMutant(
        "stored-without-phases",
        "Stores the model's messages without their phases.",
        ("history/model-phase", "expect/sent"),
        ("resumed-with-phases",),
        Seams(conversation=continued.stores(drop_phase)),
    ),
    LoopMutant(
        "stored-without-server-results",
        "Stores calls of the provider's tools without their results.",
        ("expect/sent", "continuation/"),
        ("resumed-with-a-search-of-the-provider",),
        Seams(conversation=continued.stores(_EDITS["server-results-dropped"])),
    ),
)

_SEAMS = frozenset(seam.name for seam in fields(Seams))


def _made(mistake: DeclaredMistake) -> LoopMutant:
    place: dict[str, Any] = {mistake.place: mistake.breakage}
    broken: dict[str, Any] = {"seams": Seams(**place)} if mistake.place in _SEAMS else place
    return LoopMutant(mistake.name, mistake.summary, mistake.rules, mistake.scenarios, **broken, **mistake.more)


LOOPS: dict[str, LoopMutant] = {mutant.name: mutant for mutant in (*map(_made, DECLARED), *EDITED, *_TABLE)}
"""Every broken loop by its name."""
