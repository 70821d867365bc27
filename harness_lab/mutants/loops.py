"""The reference loop with one thing broken, told apart by what a maintainer would have got wrong.

A mutant breaks the loop where the mistake would be: in its policy, its sessions, its tools, in what it tells its user,
or in the requests that it sends. Each names the rules of which one must catch it; ``tests/mutants`` runs every one.
"""

from __future__ import annotations

from dataclasses import replace

from harness.loop import LoopPolicy
from harness.targets.reference import Seams
from harness.wire import WIRES, WireName, wire
from harness_lab.mutants import builtin, configs, event_mappings, outcomes, sessions, tools
from harness_lab.mutants.edits import (
    alter_arguments,
    drop_phase,
    drop_text,
    drop_thinking,
    trim_history,
    withdraw_tools,
    wrong_call_id,
)
from harness_lab.mutants.loop_mutant import LoopMutant
from harness_lab.mutants.situations import SITUATIONS
from harness_lab.mutants.text_tags import cuts_strings

__all__ = ["LOOPS", "LoopMutant"]

_WITHOUT_PHASES: tuple[WireName, ...] = ("openai-chat", "anthropic-messages", "gemini-generate", "text-tags")
_WITHOUT_A_FLAG: tuple[WireName, ...] = tuple(name for name in WIRES if not wire(name).marks_failures)
"""Wires on which a result says itself that the call failed."""


def _one_turn_less(policy: LoopPolicy) -> LoopPolicy:
    return policy.with_limit((policy.turn_limit or 20) - 1)


def _one_turn_more(policy: LoopPolicy) -> LoopPolicy:
    return policy.with_limit((policy.turn_limit or 20) + 1)


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
        ("unauthorised",),
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
        ("refusal-with-a-call",),
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
        ("search-by-the-provider", "fetch-paused-and-resumed", "tool-of-a-remote-server", "tools-found-by-a-search"),
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
        ("history-compacted-by-the-provider", "compaction-on-responses"),
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
        "event-after-final",
        "Emits one more event after the final one.",
        ("order/nothing-after-end",),
        ("create-then-edit",),
        Seams(event_mapping=event_mappings.event_after_final),
    ),
)

LOOPS: dict[str, LoopMutant] = {mutant.name: mutant for mutant in (*_ALL, *SITUATIONS)}
"""Every broken loop by its name."""
