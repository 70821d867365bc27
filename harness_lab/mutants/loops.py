"""The reference loop with one thing broken, told apart by what a maintainer would have got wrong.

A mutant breaks the loop where the mistake would be: in its policy, its sessions, its tools, in what it tells its user,
or in the requests that it sends. Each names the rules of which one must catch it; ``tests/mutants`` runs every one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import httpx2

from harness.gateway import Gateway
from harness.loop import LoopPolicy
from harness.targets.base import Target
from harness.targets.clients import Clients
from harness.targets.reference import ReferenceTarget, Seams
from harness.targets.sessions import Sessions
from harness.targets.wire_only import WireOnlySessions
from harness.wire import WIRES, Call, Text, ThinkingPart, WireName, wire
from harness_lab.mutants import builtin, configs, dialects, event_mappings, failed_attempts, outcomes, sessions, tools
from harness_lab.mutants.dialects import AnswersHeard, Hear, PostsHeard
from harness_lab.mutants.edits import (
    EditedPosts,
    EditedRequests,
    alter_arguments,
    drop_phase,
    drop_text,
    drop_thinking,
    trim_history,
    withdraw_tools,
    wrong_call_id,
)
from harness_lab.mutants.text_tags import cuts_strings

__all__ = ["LOOPS", "LoopMutant"]

Edit = Callable[[object], object]

_WITHOUT_PHASES: tuple[WireName, ...] = ("openai-chat", "anthropic-messages", "gemini-generate", "text-tags")
_WITHOUT_A_FLAG: tuple[WireName, ...] = tuple(name for name in WIRES if not wire(name).marks_failures)
"""Wires on which a result says itself that the call failed."""


@dataclass(frozen=True, slots=True)
class LoopMutant:
    """A broken loop. One of ``rules`` (which of them depends on the wire) must find it in each of ``scenarios``.

    ``edit`` is done to the JSON body of every request, ``after_a_failure`` to histories, by one who knows how the
    requests of the case were answered. ``unseen_on`` are wires whose requests do not show the rule what
    it needs. ``streams``: the mistake shows only on an SDK, which takes a response piece by piece. ``hear`` is what the
    loop makes of the events of a stream, which shows in ``dialect``, on the wires that have it.
    """

    name: str
    summary: str
    rules: tuple[str, ...]
    scenarios: tuple[str, ...]
    seams: Seams = Seams()  # noqa: RUF009 - frozen
    edit: Edit | None = None
    after_a_failure: failed_attempts.Edit | None = None
    unseen_on: tuple[WireName, ...] = ()
    streams: bool = False
    hear: Hear | None = None
    dialect: str = ""

    def shows_on(self, name: WireName) -> bool:
        """Whether the mistake shows on a wire: where the wire has the dialect, and its requests what the rule needs."""
        return name not in self.unseen_on and (not self.dialect or self.dialect in wire(name).dialects)

    def build(self, transport: httpx2.AsyncBaseTransport) -> Target:
        """The broken loop, its requests led to ``transport``."""
        below = EditedRequests(transport, self.edit) if self.edit else transport
        if self.after_a_failure:
            below = failed_attempts.HeardRequests(below, self.after_a_failure)
        below = AnswersHeard(below, self.hear) if self.hear else below
        return self._on(Clients(below))

    def build_wire_only(self, gateway: Gateway) -> Target:
        """The broken loop without an SDK: fast, on the wires with tool calls of their own."""
        if self.after_a_failure:
            return self._on(failed_attempts.HeardPosts(gateway, self.after_a_failure))
        if self.hear:
            return self._on(PostsHeard(gateway, self.hear))
        return self._on(EditedPosts(gateway, self.edit) if self.edit else WireOnlySessions(gateway))

    def _on(self, sessions: Sessions) -> Target:
        return ReferenceTarget(sessions, name=f"mutant:{self.name}", seams=self.seams)


def _one_turn_less(policy: LoopPolicy) -> LoopPolicy:
    return policy.with_limit((policy.turn_limit or 20) - 1)


def _one_turn_more(policy: LoopPolicy) -> LoopPolicy:
    return policy.with_limit((policy.turn_limit or 20) + 1)


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

_ALL = (
    LoopMutant(
        "limit-21",
        "Asks for a 21st turn where 20 are allowed.",
        ("guardrail/turn-limit",),
        ("twenty-one-tool-turns",),
        Seams(policy=_one_turn_more),
    ),
    LoopMutant(
        "limit-19",
        "Gives up one turn before the limit.",
        ("guardrail/false-alarm",),
        ("nineteen-tool-turns",),
        Seams(policy=_one_turn_less),
    ),
    LoopMutant(
        "limit-silent",
        "Ends at the turn limit as if the model had come to its end.",
        ("guardrail/limit-reported",),
        ("twenty-one-tool-turns",),
        Seams(event_mapping=event_mappings.limit_in_silence),
    ),
    LoopMutant(
        "limit-missing",
        "Has no turn limit of its own.",
        ("guardrail/no-limit",),
        ("calls-without-end",),
        Seams(policy=lambda policy: replace(policy, turn_limit=None)),
    ),
    LoopMutant(
        "nudge-missing",
        "Asks for the answer at the turn limit without an instruction to answer.",
        ("guardrail/answer-now",),
        ("answer-after-ten-turns",),
        Seams(session=sessions.KeepsTheDemand),
    ),
    LoopMutant(
        "retry-without-bound",
        "Lets the model mend a call as often as it likes.",
        ("retry/tool",),
        ("unknown-tool-twice",),
        Seams(policy=lambda policy: replace(policy, tool_retries=None)),
        unseen_on=("text-tags",),  # whose tools are told in prose
    ),
    LoopMutant(
        "request-without-bound",
        "Sends a request that gets no answer again and again.",
        ("retry/request",),
        ("retries-run-out",),
        Seams(policy=lambda policy: replace(policy, retries=100)),
    ),
    LoopMutant(
        "refusal-retried",
        "Sends a request that was refused for what it says once more.",
        ("retry/refused",),
        ("unauthorised", "model-retired-in-mid-run", "context-too-long-at-a-later-turn"),
        Seams(session=sessions.TakesRefusalsForOverload),
    ),
    LoopMutant(
        "tool-start-twice",
        "Emits every toolStart twice.",
        ("order/tool-start-once",),
        ("create-then-edit",),
        Seams(event_mapping=event_mappings.tool_start_twice),
    ),
    LoopMutant(
        "tool-run-twice",
        "Runs every call twice, and reports both results.",
        ("order/tool-result-once",),
        ("create-then-edit",),
        Seams(tools=tools.RunsTwice, event_mapping=event_mappings.result_twice),
    ),
    LoopMutant(
        "cache-not-used",
        "Runs the tools anew each time that the caller asks for their answers.",
        ("order/tool-result-once",),
        ("response-generated-twice",),
        Seams(runner=tools.ForgetfulRunner),
    ),
    LoopMutant(
        "unapproved-run",
        "Runs what needs approval, or must run elsewhere, without asking.",
        ("execution/unapproved",),
        ("unapproved-calls-approved", "unapproved-call-denied"),
        Seams(tools=tools.RunsEverything),
    ),
    LoopMutant(
        "denied-unasked",
        "Sends the model a denial of a call without a request for approval.",
        ("execution/waiting",),
        ("unapproved-call-denied",),
        Seams(tools=tools.DeniesUnasked),
        unseen_on=("text-tags",),  # whose tools are told in prose
    ),
    LoopMutant(
        "asks-about-everything",
        "Waits for leave to run what needs none.",
        ("final/deferred",),
        ("tool-returns",),
        Seams(tools=tools.AsksAboutEverything),
    ),
    LoopMutant(
        "output-not-the-end",
        "Goes on when the result of the run has been accepted.",
        ("final/output",),
        ("output-tool-ends-the-run",),
        Seams(tools=tools.RunsOutputs),
    ),
    LoopMutant(
        "arguments-salvaged",
        "Repairs arguments that are no JSON, and runs the call on its guess.",
        ("execution/arguments",),
        ("arguments-invalid-json",),
        Seams(tools=tools.SalvagesArguments),
    ),
    LoopMutant(
        "runs-before-it-stops",
        "Runs the calls of the last turn although their results are never sent.",
        ("execution/unnecessary",),
        ("limit-of-one",),
        Seams(policy=lambda policy: replace(policy, at_limit="raise")),
    ),
    LoopMutant(
        "open-call",
        "Ends with a crash at a call that it cannot handle, and never reports the end of that call.",
        ("final/open-call",),
        ("arguments-no-object",),
        Seams(event_mapping=event_mappings.crash_at_a_failed_tool),
    ),
    LoopMutant(
        "preview-not-a-prefix",
        "Shows previews that end in an undecoded escape.",
        ("preview/prefix",),
        ("create-then-edit",),
        Seams(event_mapping=event_mappings.preview_not_a_prefix),
    ),
    LoopMutant(
        "half-characters",
        "Emits text in pieces that end inside a character.",
        ("preview/half-character",),
        ("answer-in-many-scripts",),
        Seams(session=sessions.CutsCharacters),
    ),
    LoopMutant(
        "thinking-hidden",
        "Does not report the model's thinking.",
        ("stream/thinking",),
        ("create-then-edit",),
        Seams(session=sessions.HidesThinking),
    ),
    LoopMutant(
        "start-input-invented",
        "Shows arguments at the start of a call that the model did not write.",
        ("preview/start-input",),
        ("create-then-edit",),
        Seams(event_mapping=event_mappings.other_input),
    ),
    LoopMutant(
        "truncated-call-executed",
        "Overlooks that the turn was cut off at its token limit.",
        ("final/stopped-call",),
        ("truncated-after-a-whole-call",),
        Seams(session=sessions.RunsTruncatedCalls),
    ),
    LoopMutant(
        "truncation-overlooked",
        "Passes half an answer off as a whole one.",
        ("final/outcome",),
        ("truncated-text",),
        Seams(session=sessions.RunsTruncatedCalls),
    ),
    LoopMutant(
        "call-overlooked",
        "Ends the run at a turn that calls a tool.",
        ("final/unfinished",),
        ("tool-returns",),
        Seams(session=sessions.TakesCallsForWords),
    ),
    LoopMutant(
        "refused-call-executed",
        "Overlooks that the model, or a filter, declined.",
        ("final/stopped-call",),
        (
            "refusal-with-a-call",
            "refusal-beside-a-call-at-a-later-turn",
            "content-filter-with-a-call-at-a-later-turn",
        ),
        Seams(session=sessions.RunsRefusedCalls),
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
        "eof-accepted",
        "Takes what has come for the whole turn when a stream ends without its terminal event, or in an error.",
        ("final/failed-turn",),
        ("stream-without-its-end", "error-in-the-stream"),
        Seams(session=sessions.AcceptsBrokenStreams),
    ),
    LoopMutant(
        "pause-taken-for-an-end",
        "Ends the run at a turn that is only paused.",
        ("final/paused-turn",),
        ("paused-turn",),
        Seams(session=sessions.TakesPausesForEnds),
    ),
    LoopMutant(
        "thinking-dropped",
        "Sends the model's turn back without its thinking, reasoning items and signatures.",
        ("history/model-thinking", "continuation/"),
        ("thinking-in-every-turn",),
        edit=drop_thinking,
    ),
    LoopMutant(
        "phase-dropped",
        "Sends the model's commentary back as any text.",
        ("history/model-phase",),
        ("create-then-edit",),
        edit=drop_phase,
        unseen_on=_WITHOUT_PHASES,
    ),
    LoopMutant(
        "text-not-returned",
        "Sends calls back without what the model said beside them.",
        ("history/model-text",),
        ("create-then-edit",),
        edit=drop_text,
        unseen_on=("text-tags",),  # where calls are text
    ),
    LoopMutant(
        "arguments-rewritten",
        "Sends calls back with a path that it has made of the model's.",
        ("history/model-calls", "continuation/"),
        ("create-then-edit",),
        edit=alter_arguments,
    ),
    LoopMutant(
        "history-trimmed",
        "Sends only the question and the last turn.",
        ("history/append-only",),
        ("create-then-edit",),
        edit=trim_history,
    ),
    LoopMutant(
        "tools-withdrawn",
        "Offers fewer tools once one was called.",
        ("history/tools",),
        ("create-then-edit",),
        edit=withdraw_tools,
        unseen_on=("text-tags",),  # whose tools are told in prose
    ),
    LoopMutant(
        "wrong-call-id",
        "Answers every tool call under another id.",
        ("continuation/", "history/results"),
        ("create-then-edit",),
        edit=wrong_call_id,
    ),
    LoopMutant(
        "result-dropped",
        "Forgets the answer to the last call of a turn.",
        ("continuation/", "history/results"),
        ("parallel-calls",),
        Seams(session=sessions.DropsTheLastResult),
    ),
    LoopMutant(
        "results-reordered",
        "Sends the results of a turn in another order than that of the calls.",
        ("history/result-order",),
        ("results-as-they-come",),
        Seams(session=sessions.ReversesResults),
    ),
    LoopMutant(
        "failures-first",
        "Collects the results of calls that failed before all others, and pairs them with the calls by place.",
        ("history/own-result",),
        ("bad-call-beside-good-ones", "arguments-cut-off-beside-good-calls"),
        Seams(session=sessions.SendsFailuresFirst),
    ),
    LoopMutant(
        "failures-unmarked",
        "Sends the result of a call that failed as that of one that did not.",
        ("history/result-error",),
        ("tool-raises", "unapproved-call-denied"),
        Seams(session=sessions.MarksNoFailure),
        unseen_on=_WITHOUT_A_FLAG,
    ),
    LoopMutant(
        "failures-hidden",
        "Sends the model a failed call as ok.",
        ("history/result-error",),
        ("tool-raises",),
        Seams(session=sessions.HidesFailures),
    ),
    LoopMutant(
        "extra-before-results",
        "Sends what tools said beside their results in front of the results.",
        ("history/results-first", "continuation/"),
        ("extra-after-the-results",),
        Seams(session=sessions.ExtraBeforeResults),
    ),
    LoopMutant(
        "string-with-a-tag-cut",
        "Ends a call of the text protocol at an end tag inside a string of its arguments.",
        ("stream/text",),
        ("tag-in-a-string",),
        Seams(session=cuts_strings),
    ),
    LoopMutant(
        "one-tool-declared",
        "Declares only the first of its tools to the model.",
        ("offered/tools",),
        ("create-then-edit", "results-as-they-come"),
        Seams(config=configs.first_tool_only),
        unseen_on=("text-tags",),  # whose tools are told in prose
    ),
    LoopMutant(
        "tools-without-schema",
        "Declares its tools as if they had no arguments.",
        ("offered/schema",),
        ("create-then-edit", "tool-returns"),
        Seams(config=configs.without_schemas),
        unseen_on=("text-tags",),  # whose tools are told in prose
    ),
    LoopMutant(
        "tools-without-description",
        "Declares its tools with no word of what they do.",
        ("offered/description",),
        ("create-then-edit", "tool-returns"),
        Seams(config=configs.without_descriptions),
        unseen_on=("text-tags",),  # whose tools are told in prose
    ),
    LoopMutant(
        "system-prompt-missing",
        "Never sends the system prompt.",
        ("offered/prompt",),
        ("system-prompt",),
        Seams(config=configs.without_system),
    ),
    LoopMutant(
        "question-cut",
        "Sends the first twelve characters of what the user asks.",
        ("offered/prompt", "target/conversation"),
        ("system-prompt", "tool-returns"),
        Seams(config=configs.cut_question),
    ),
    LoopMutant(
        "results-printed",
        "Sends results as Python prints them.",
        ("history/result-value",),
        ("create-then-edit", "tool-returns", "tool-returns-any-json"),
        Seams(session=sessions.PrintsResults),
        unseen_on=("text-tags",),  # which has a form of its own for results
    ),
    LoopMutant(
        "results-cut",
        "Sends the beginning of each result.",
        ("history/result-value",),
        ("tool-returns", "system-prompt", "create-then-edit"),
        Seams(session=sessions.CutsResults),
    ),
    LoopMutant(
        "output-not-reported",
        "Reports the end of a call without what the tool returned.",
        ("reported/output",),
        ("create-then-edit", "tool-returns"),
        Seams(event_mapping=event_mappings.output_lost),
    ),
    LoopMutant(
        "failures-reported-as-ok",
        "Reports calls that failed as ok.",
        ("reported/ok",),
        ("tool-raises",),
        Seams(event_mapping=event_mappings.failures_as_ok),
    ),
    LoopMutant(
        "numbers-invented",
        "Shows numbers at the start of a call that the model did not write.",
        ("reported/input",),
        ("system-prompt",),
        Seams(event_mapping=event_mappings.numbers_invented),
    ),
    LoopMutant(
        "usage-of-the-last-turn",
        "Returns the tokens of the last turn as those of the run.",
        ("reported/usage",),
        ("create-then-edit", "tool-returns"),
        Seams(result=outcomes.usage_of_the_last_turn),
    ),
    LoopMutant(
        "request-not-counted",
        "Returns a request less than it has sent.",
        ("reported/usage",),
        ("create-then-edit", "tool-returns"),
        Seams(result=outcomes.one_request_less),
    ),
    LoopMutant(
        "thinking-forgotten",
        "Returns a history without what the model has thought.",
        ("reported/history",),
        ("thinking-before-text",),
        Seams(result=outcomes.without_thinking),
        unseen_on=("text-tags",),  # where thinking is part of the text
    ),
    LoopMutant(
        "results-of-no-call",
        "Returns a history without the results of calls.",
        ("reported/history",),
        ("create-then-edit", "tool-returns"),
        Seams(result=outcomes.without_results),
    ),
    LoopMutant(
        "history-without-responses",
        "Returns a history in which the model says nothing.",
        ("reported/history",),
        ("create-then-edit", "tool-returns"),
        Seams(result=outcomes.without_responses),
    ),
    LoopMutant(
        "text-held-back",
        "Emits all text when the turn has ended.",
        ("timing/text",),
        ("text-streamed-at-length",),
        Seams(session=sessions.BuffersText),
        streams=True,
        unseen_on=("text-tags",),  # whose text may yet become a call
    ),
    LoopMutant(
        "thinking-held-back",
        "Emits all thinking when the turn has ended.",
        ("timing/thinking",),
        ("text-streamed-at-length",),
        Seams(session=sessions.BuffersThinking),
        streams=True,
        unseen_on=("openai-chat", "text-tags"),
    ),
    LoopMutant(
        "preview-at-the-end",
        "Emits the start and the previews of a call when all of it has arrived.",
        ("timing/preview", "timing/start"),
        ("long-page", "create-then-edit", "option-then-page", "two-pages-in-one-turn"),
        Seams(session=sessions.BuffersArguments),
        streams=True,
        unseen_on=("gemini-generate", "text-tags"),
    ),
    LoopMutant(
        "calls-one-by-one",
        "Runs the calls of a turn one after the other where it promises to run them at once.",
        ("execution/concurrent",),
        ("results-as-they-come",),
        Seams(policy=lambda policy: replace(policy, execution="in-order")),
    ),
    LoopMutant(
        "images-swapped",
        "Gives each image prompt the image of another.",
        ("expect/sent", "expect/final"),
        ("images-then-page", "page-with-the-images-that-came"),
        Seams(tools=tools.SwapsImages),
    ),
    LoopMutant(
        "results-swapped",
        "Sends the results of a turn under the ids of each other's calls.",
        ("expect/results",),
        ("results-are-not-mixed-up", "fresh-results-as-they-come"),
        Seams(session=sessions.SwapsResults),
    ),
    LoopMutant(
        "results-remembered",
        "Returns for every call of a tool what its first call has returned.",
        ("expect/results",),
        ("results-are-not-mixed-up",),
        Seams(tools=tools.RemembersByName),
    ),
    LoopMutant(
        "output-of-the-call-before",
        "Reports the output of the call before.",
        ("expect/reported",),
        ("fresh-results-as-they-come",),
        Seams(event_mapping=event_mappings.output_before),
    ),
    LoopMutant(
        "tools-of-the-caller-ignored",
        "Goes on offering its tools when the caller has set others.",
        ("expect/offered",),
        ("tools-withdrawn-on-chat",),
        Seams(session=sessions.KeepsItsTools),
    ),
    LoopMutant(
        "first-option-read",
        "Reads the first option whichever is asked for.",
        ("expect/sent",),
        ("option-then-page",),
        Seams(tools=tools.ReadsTheFirstOption),
    ),
    LoopMutant(
        "server-results-dropped",
        "Sends calls of the provider's tools back without their results.",
        ("expect/sent",),
        (
            "search-by-the-provider",
            "page-fetched-by-the-provider",
            "shell-in-the-provider-s-container",
            "tool-of-a-remote-server",
            "advice-of-another-model",
            "tools-found-by-a-search",
        ),
        edit=builtin.drop_server_results,
    ),
    LoopMutant(
        "server-results-rewritten",
        "Sends results of the provider's tools back in words of its own.",
        ("expect/sent",),
        ("search-by-the-provider", "search-that-failed", "tool-of-a-remote-server"),
        edit=builtin.change_server_results,
    ),
    LoopMutant(
        "server-calls-dropped",
        "Sends results of the provider's tools, and calls of its programs, back without what they belong to.",
        ("continuation/",),
        (
            "search-by-the-provider",
            "fetch-paused-and-resumed",
            "search-still-running-beside-a-call",
            "program-that-calls-a-tool",
            "thinking-around-a-search",
        ),
        edit=builtin.drop_server_calls,
    ),
    LoopMutant(
        "server-calls-answered",
        "Answers calls of the provider's tools itself.",
        ("continuation/",),
        (
            "search-by-the-provider",
            "fetch-paused-and-resumed",
            "tool-of-a-remote-server",
            "tools-found-by-a-search",
            "paused-twice-with-thinking-before-a-call",
            "overloaded-after-a-paused-turn",
        ),
        edit=builtin.answer_server_calls,
    ),
    LoopMutant(
        "container-forgotten",
        "Goes on with a program without its container.",
        ("continuation/",),
        ("program-that-calls-a-tool", "program-that-calls-a-tool-not-streamed", "program-that-calls-two-tools-at-once"),
        edit=builtin.drop_the_container,
    ),
    LoopMutant(
        "callers-dropped",
        "Sends calls of a program back as if the model had made them.",
        ("continuation/",),
        ("program-that-calls-a-tool",),
        edit=builtin.drop_callers,
    ),
    LoopMutant(
        "text-beside-a-program",
        "Says something beside the answers that a program waits for.",
        ("continuation/",),
        ("program-that-calls-a-tool", "program-that-calls-two-tools-at-once"),
        edit=builtin.speak_beside_results,
    ),
    LoopMutant(
        "compaction-dropped",
        "Forgets the summary that the provider has made of the conversation.",
        ("expect/sent",),
        (
            "history-compacted-by-the-provider",
            "compaction-on-responses",
            "compaction-in-a-later-turn-on-responses",
            "compaction-and-then-overloaded",
            "summary-in-a-later-turn-of-the-provider",
        ),
        edit=builtin.drop_compactions,
    ),
    LoopMutant(
        "citations-dropped",
        "Sends texts back without their citations.",
        ("expect/sent",),
        ("blocks-that-are-only-carried",),
        edit=builtin.drop_citations,
    ),
    LoopMutant(
        "server-items-dropped",
        "Sends back only messages, thoughts and its own calls.",
        ("continuation/", "expect/sent"),
        (
            "search-on-responses",
            "code-interpreted-on-responses",
            "files-searched-on-responses",
            "picture-drawn-on-responses",
            "shell-in-a-container-on-responses",
            "remote-tools-on-responses",
            "namespace-of-a-found-tool",
            "program-on-responses",
            "compaction-on-responses",
        ),
        edit=builtin.drop_server_items,
    ),
    LoopMutant(
        "server-items-moved",
        "Sends the provider's items back behind all others.",
        ("continuation/",),
        ("search-on-responses", "code-interpreted-on-responses"),
        edit=builtin.move_server_items,
    ),
    LoopMutant(
        "namespace-dropped",
        "Sends a call back without its namespace.",
        ("continuation/",),
        ("namespace-of-a-found-tool",),
        edit=builtin.drop_the_namespace,
    ),
    LoopMutant(
        "shell-answered-again",
        "Answers commands that the provider has run itself.",
        ("continuation/",),
        ("shell-in-a-container-on-responses",),
        edit=builtin.answer_the_shell_again,
    ),
    LoopMutant(
        "server-parts-dropped",
        "Sends back only texts, thoughts and its own calls.",
        ("expect/sent",),
        ("signed-code-on-gemini", "code-that-failed-on-gemini", "server-tools-on-gemini", "code-run-by-the-provider"),
        edit=builtin.drop_server_parts,
    ),
    LoopMutant(
        "code-signatures-dropped",
        "Sends the provider's parts back without their signatures.",
        ("expect/sent",),
        ("signed-code-on-gemini", "server-tools-on-gemini"),
        edit=builtin.drop_signatures_of_code,
    ),
    LoopMutant(
        "extra-content-dropped",
        "Sends calls back without the signature that a server has added to them.",
        ("continuation/",),
        ("signed-call-on-chat",),
        edit=builtin.drop_extra_content,
    ),
    LoopMutant(
        "reasoning-details-dropped",
        "Sends calls back without the thoughts that a router has sent as details.",
        ("expect/sent",),
        ("reasoning-details-on-chat",),
        edit=builtin.drop_reasoning_details,
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
        "completed-calls-run-again",
        "Runs the calls of the turn before once more where a request had to be sent again.",
        ("order/tool-ids-fresh", "order/tool-id"),
        ("overloaded-between-turns", "gateway-page-between-turns", "overloaded-not-streamed-between-turns"),
        Seams(session=failed_attempts.RunsCompletedCallsAgain),
    ),
    LoopMutant(
        "results-made-anew-on-a-retry",
        "Sends results of a second run of the tools where a request has to be sent again.",
        ("retry/same-results",),
        ("overloaded-between-turns", "unavailable-after-parallel-calls", "retried-run-with-parallel-calls"),
        after_a_failure=failed_attempts.results_made_anew,
        unseen_on=("text-tags",),  # whose results have no ids
    ),
    LoopMutant(
        "results-lost-on-a-retry",
        "Leaves the last results out where a request has to be sent again.",
        ("continuation/", "history/results"),
        ("overloaded-between-turns", "unavailable-after-parallel-calls"),
        after_a_failure=failed_attempts.answers_without_results,
    ),
    LoopMutant(
        "results-twice-on-a-retry",
        "Sends the last result twice where a request has to be sent again.",
        ("continuation/", "history/results"),
        ("overloaded-between-turns", "unavailable-after-parallel-calls"),
        after_a_failure=failed_attempts.answers_once_more,
    ),
    LoopMutant(
        "thinking-forgotten-on-a-retry",
        "Sends no thinking where a request has to be sent again.",
        ("history/append-only", "history/model-thinking", "continuation/"),
        ("server-error-after-a-signed-turn",),
        after_a_failure=failed_attempts.forgets_thinking,
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
        "pair-cut-when-too-long",
        "Drops a call and keeps its result where the history is too long.",
        ("continuation/",),
        ("context-too-long-at-a-later-turn", "context-too-long-not-streamed"),
        Seams(session=failed_attempts.CutsAPairWhenTooLong),
        unseen_on=("text-tags",),  # where no server refuses a result of no call
    ),
    LoopMutant(
        "error-passed-off-as-an-end",
        "Ends the run as if the model had come to its end where the provider says that it does not go on.",
        ("final/failed-turn",),
        ("quota-spent-after-two-turns", "model-retired-in-mid-run", "connection-lost-twice-in-a-turn"),
        Seams(event_mapping=event_mappings.errors_as_ends),
    ),
    LoopMutant(
        "paused-turn-left-out",
        "Asks again without the turn that was paused.",
        ("history/model-text", "history/model-thinking", "history/append-only"),
        ("paused-after-a-call-was-answered", "paused-twice-with-thinking-before-a-call", "paused-turn"),
        Seams(session=sessions.DropsPausedTurns),
    ),
    LoopMutant(
        "event-after-final",
        "Emits one more event after the final one.",
        ("order/nothing-after-end",),
        ("create-then-edit",),
        Seams(event_mapping=event_mappings.event_after_final),
    ),
    LoopMutant(
        "calls-by-index",
        "Keeps the calls of a turn by their index, whatever their ids are.",
        ("history/model-calls",),
        ("two-calls-of-one-tool", "three-calls-of-three-tools", "twenty-calls-at-once"),
        hear=dialects.joins_by_index,
        dialect="index-zero",
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
        "fragments-to-the-last-call",
        "Adds each fragment to the call that has begun last.",
        ("history/model-calls",),
        ("two-calls-of-one-tool", "arguments-in-many-scripts"),
        hear=dialects.to_the_last_call,
        dialect="interleaved-calls",
    ),
    LoopMutant(
        "repeated-id-is-a-new-call",
        "Takes each fragment with an id for a new call.",
        ("history/model-calls",),
        ("two-calls-of-one-tool", "three-calls-of-three-tools"),
        hear=dialects.begins_with_every_id,
        dialect="repeated-ids",
    ),
    LoopMutant(
        "repeated-id-is-known",
        "Takes a fragment whose id it knows for a call that it has, and so has the first fragment alone.",
        ("history/model-calls",),
        ("two-calls-of-one-tool", "one-id-in-two-turns"),
        hear=dialects.keeps_the_first_of_an_id,
        dialect="repeated-ids",
    ),
    LoopMutant(
        "empty-id-dropped",
        "Leaves out fragments whose id is empty.",
        ("history/model-calls",),
        ("two-calls-of-one-tool", "long-arguments-beside-short-ones"),
        hear=dialects.drops_empty_ids,
        dialect="empty-ids",
    ),
    LoopMutant(
        "calls-by-id",
        "Keeps the calls of a turn by their ids, also where one has two.",
        ("history/model-calls",),
        ("two-calls-of-one-tool", "one-of-two-calls-fails"),
        hear=dialects.keeps_by_id,
        dialect="changing-ids",
    ),
    LoopMutant(
        "object-arguments-printed",
        "Makes text of arguments that are an object as Python prints one.",
        ("history/model-calls",),
        ("arguments-of-every-type", "arguments-in-many-scripts"),
        hear=dialects.prints_objects,
        dialect="object-arguments",
    ),
    LoopMutant(
        "calls-behind-the-reason-ignored",
        "Reads nothing behind the finish reason.",
        ("final/unfinished",),
        ("two-calls-of-one-tool", "answer-behind-a-call"),
        hear=dialects.ends_at_the_reason,
        dialect="calls-after-finish",
    ),
    LoopMutant(
        "stop-believed",
        "Takes a turn that finishes with stop for one without calls.",
        ("final/unfinished",),
        ("two-calls-of-one-tool", "calls-behind-text"),
        hear=dialects.believes_stop,
        dialect="stop-with-calls",
    ),
    LoopMutant(
        "end-turn-believed",
        "Takes a turn that stops with end_turn for one without calls.",
        ("final/unfinished",),
        ("two-calls-of-one-tool", "answer-behind-a-call"),
        hear=dialects.believes_end_turn,
        dialect="end-turn-with-calls",
    ),
    LoopMutant(
        "input-at-the-start-ignored",
        "Looks for the input of a call in deltas alone.",
        ("history/model-calls",),
        ("two-calls-of-one-tool", "arguments-of-every-type"),
        hear=dialects.reads_deltas_only,
        dialect="input-at-start",
    ),
    LoopMutant(
        "thinking-shown-as-text",
        "Shows all that comes in a block of text as text.",
        ("stream/text",),
        ("thinking-beside-two-calls",),
        hear=dialects.takes_thinking_for_text,
        dialect="thinking-in-text",
    ),
    LoopMutant(
        "missing-item-index-is-zero",
        "Takes an event without output_index for one about the first item.",
        ("history/model-calls",),
        ("two-calls-of-one-tool", "three-calls-of-three-tools"),
        hear=dialects.joins_by_item_zero,
        dialect="no-output-index",
    ),
    LoopMutant(
        "ends-at-the-first-stop",
        "Reads nothing behind the first finish reason.",
        ("history/model-calls",),
        ("two-calls-of-one-tool", "three-calls-of-three-tools"),
        hear=dialects.ends_at_the_first_stop,
        dialect="early-stop",
    ),
    LoopMutant(
        "calls-by-name",
        "Keeps calls without ids by the names of their tools.",
        ("history/model-calls",),
        ("two-calls-of-one-tool",),
        hear=dialects.keeps_by_name,
        dialect="ids-missing",
        unseen_on=("openai-chat",),  # it is written for Gemini
    ),
)

LOOPS: dict[str, LoopMutant] = {mutant.name: mutant for mutant in _ALL}
"""Every broken loop by its name."""
