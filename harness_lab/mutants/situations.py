"""The reference loop with one thing broken in what it makes of its caller: who cancels, says something, or goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from harness.loop import AgentConversation, SessionConfig
from harness.targets.reference import Seams
from harness.wire import WireName
from harness_lab.mutants import approvals, builtin, compactions, continued, conversations
from harness_lab.mutants.edits import drop_phase, drop_thinking
from harness_lab.mutants.loop_mutant import LoopMutant
from harness_lab.mutants.needs import everywhere, flags_failures, has_system_messages, minds_thoughts_alone
from harness_lab.mutants.sessions import PassingSession


def _mutant(
    name: str,
    conversation: type[AgentConversation],
    rules: tuple[str, ...],
    scenarios: tuple[str, ...],
    summary: str,
    unseen_on: tuple[WireName, ...] = (),
    needs: Callable[[WireName], bool] = everywhere,
) -> LoopMutant:
    seams = Seams(conversation=conversation)
    return LoopMutant(name, summary, rules, scenarios, seams, unseen_on=unseen_on, needs=needs)


_CANCELLED: Final = (
    _mutant(
        "cancelled-calls-left-open",
        conversations.LeavesCallsOpen,
        ("continuation/", "history/results"),
        ("cancelled-while-a-tool-runs", "cancelled-at-the-first-of-three-calls", "cancelled-twice"),
        "Sends the turn whose calls were cancelled without their results.",
    ),
    _mutant(
        "cancelled-taken-for-done",
        conversations.TakesCancelledForDone,
        ("caller/cancelled-result",),
        ("cancelled-while-a-tool-runs", "cancelled-after-thinking-and-a-call", "resumed-after-a-cancelled-run"),
        "Answers the calls that were cancelled as if they had been done.",
        unseen_on=("text-tags",),  # whose results name no call
    ),
    _mutant(
        "ended-results-forgotten",
        conversations.ForgetsWhatHasEnded,
        ("caller/ended-result", "history/result-value", "history/result-error"),
        ("cancelled-while-a-tool-runs", "cancelled-when-a-call-has-ended", "cancelled-at-the-last-of-three-calls"),
        "Answers every call of a cancelled turn as cancelled, those that had ended too.",
    ),
    _mutant(
        "cancelled-turn-lost",
        conversations.LosesTheCancelledTurn,
        ("history/model-calls", "history/model-text", "caller/ended-result"),
        ("cancelled-while-a-tool-runs", "cancelled-when-a-call-has-ended"),
        "Leaves a cancelled turn out of the history, though one of its tools has run.",
    ),
    _mutant(
        "cancelled-run-lost",
        conversations.LosesTheCancelledRun,
        ("history/append-only", "caller/message-sent"),
        ("cancelled-while-a-tool-runs", "cancelled-in-the-second-turn", "cancelled-when-the-second-question-runs"),
        "Takes back all of a cancelled run, the question and the turns before the last too.",
    ),
    _mutant(
        "runs-what-is-left",
        conversations.RunsWhatIsLeft,
        ("caller/cancelled",),
        ("cancelled-when-a-call-has-ended",),
        "Runs the calls that are left of a cancelled turn.",
    ),
    _mutant(
        "goes-on-after-a-cancel",
        conversations.GoesOnAfterACancel,
        ("caller/cancelled",),
        ("cancelled-after-thinking-and-a-call",),
        "Answers the cancelled calls, and asks the model how to go on.",
    ),
    _mutant(
        "shown-text-lost",
        conversations.LosesWhatWasShown,
        ("caller/shown",),
        ("cancelled-while-text-arrives", "cancelled-after-thinking-in-the-text", "cancelled-while-arguments-arrive"),
        "Leaves out what the user has seen of an answer that was cancelled.",
    ),
    _mutant(
        "shown-text-rewritten",
        conversations.RewritesWhatWasShown,
        ("caller/shown",),
        ("cancelled-while-text-arrives", "resumed-after-a-cancelled-answer"),
        "Puts words of its own in place of an answer that was cancelled.",
    ),
    _mutant(
        "broken-thinking-as-text",
        conversations.KeepsTheThinkingAsText,
        ("caller/thought",),
        ("cancelled-while-it-thinks",),
        "Keeps what was thought before a cancel as if it had been said.",
    ),
)

_MESSAGES: Final = (
    _mutant(
        "said-and-forgotten",
        conversations.ForgetsMessages,
        ("caller/message-sent",),
        ("said-while-a-tool-runs", "said-while-the-answer-arrives", "said-before-the-first-byte"),
        "Takes no notice of what the user says while it works.",
    ),
    _mutant(
        "said-in-other-words",
        conversations.SaysThatThereIsAMessage,
        ("caller/message-sent", "caller/message-last"),
        ("said-while-a-tool-runs", "said-what-the-prompt-says"),
        "Sends a note in place of what the user says.",
    ),
    _mutant(
        "said-twice",
        conversations.SaysItTwice,
        ("caller/message-sent",),
        ("said-while-a-tool-runs", "said-in-the-second-turn"),
        "Sends what the user says twice.",
    ),
    _mutant(
        "said-in-every-request",
        conversations.SaysInEveryRequest,
        ("caller/message-sent",),
        ("said-while-arguments-arrive", "said-twice-while-tools-run"),
        "Sends what the user says once more with the results of every turn that follows.",
    ),
    _mutant(
        "said-at-once",
        conversations.SaysItAtOnce,
        ("caller/message-last",),
        ("said-while-a-tool-runs", "said-at-the-second-of-two-calls", "said-while-arguments-arrive"),
        "Puts what the user says in front of the turn whose tools run.",
    ),
    _mutant(
        "said-before-the-results",
        conversations.SaysItBeforeTheResults,
        ("caller/message-last", "continuation/"),
        ("said-while-a-tool-runs", "said-at-the-first-of-two-calls", "said-while-a-failing-call-runs"),
        "Puts what the user says between calls and results.",
    ),
    _mutant(
        "said-as-the-model",
        conversations.SaysItAsTheModel,
        ("caller/message-role",),
        ("said-while-a-tool-runs", "said-when-the-last-call-has-ended"),
        "Sends what the user says as words of the model.",
    ),
    _mutant(
        "said-as-a-developer",
        conversations.SaysItAsADeveloper,
        ("caller/message-role",),
        ("said-while-a-tool-runs", "said-in-the-second-turn"),
        "Sends what the user says as an instruction.",
    ),
    _mutant(
        "said-and-lost-with-the-run",
        conversations.LosesWhatWaits,
        ("caller/message-sent",),
        ("said-and-then-cancelled",),
        "Forgets what was said, and not yet sent, when the run is cancelled.",
    ),
)

_ANOTHER_RUN: Final = (
    _mutant(
        "last-answer-lost",
        conversations.KeepsNoLastTurn,
        ("history/model-text",),
        ("another-question-after-the-answer", "four-questions-in-one-conversation", "resumed-from-what-was-stored"),
        "Goes on without the answer that ended the run before.",
    ),
    LoopMutant(
        "thoughts-sent-alone",
        "Sends a turn back that has ended with thoughts and nothing else.",
        ("continuation/",),
        ("another-question-after-thoughts-alone",),
        Seams(session=PassingSession),
        needs=minds_thoughts_alone,
    ),
    _mutant(
        "begun-anew",
        continued.BeginsAnew,
        ("history/append-only", "caller/message-sent"),
        ("another-question-after-the-answer", "another-question-after-parallel-calls"),
        "Begins every run anew, with nothing that was said before.",
    ),
    _mutant(
        "system-prompt-forgotten",
        continued.ForgetsTheSystemPrompt,
        ("history/append-only",),
        ("four-questions-in-one-conversation", "resumed-three-times"),
        "Goes on without the system prompt.",
    ),
    _mutant(
        "tools-forgotten",
        continued.OffersNoTools,
        ("history/tools",),
        ("another-question-after-the-answer", "resumed-after-parallel-calls"),
        "Goes on without tools.",
        unseen_on=("text-tags",),  # whose tools are in the prompt
    ),
)

_WAITING: Final = (
    _mutant(
        "message-taken-for-approval",
        approvals.TakesAMessageForApproval,
        ("caller/approved", "expect/not_ran"),
        ("another-question-while-a-call-waits", "another-question-after-a-restart-while-a-call-waits"),
        "Runs the calls that wait for approval when the user says anything.",
    ),
    _mutant(
        "denied-call-run",
        approvals.RunsWhatWasDenied,
        ("caller/approved", "expect/not_ran"),
        ("denied-in-a-later-run",),
        "Runs a call that the user has denied.",
    ),
    _mutant(
        "one-decision-for-all",
        approvals.ApprovesAll,
        ("caller/approved",),
        ("approved-one-after-the-other",),
        "Takes a decision about one call for the approval of the others.",
    ),
    _mutant(
        "approval-forgotten",
        approvals.ForgetsTheDecision,
        ("expect/sent",),
        ("approved-in-a-later-run", "approved-after-a-restart"),
        "Answers a call that was approved as one that was denied.",
    ),
    _mutant(
        "waiting-calls-left-open",
        approvals.LeavesWaitingCallsOpen,
        ("continuation/", "history/results"),
        ("another-question-while-a-call-waits", "another-question-after-a-restart-while-a-call-waits"),
        "Goes on with another message behind calls that wait, without results for them.",
    ),
    _mutant(
        "waiting-calls-forgotten",
        approvals.ForgetsWaitingCalls,
        ("history/model-calls", "history/results"),
        ("another-question-while-a-call-waits", "another-question-after-a-restart-while-a-call-waits"),
        "Stores nothing of a turn with calls that wait.",
    ),
    _mutant(
        "results-beside-waiting-calls-lost",
        approvals.LosesTheOtherResults,
        ("history/result-value", "history/result-error"),
        ("approved-in-a-later-run", "approved-after-a-restart"),
        "Loses the results of the calls beside those that wait.",
    ),
)

_RESUMED: Final = (
    _mutant(
        "stored-without-thinking",
        continued.stores(drop_thinking),
        ("history/append-only", "history/model-thinking", "continuation/"),
        ("resumed-from-what-was-stored", "resumed-with-thinking-in-every-turn", "resumed-with-redacted-thinking"),
        "Stores the model's turns without thinking and signatures.",
    ),
    _mutant(
        "stored-without-phases",
        continued.stores(drop_phase),
        ("history/model-phase", "expect/sent"),
        ("resumed-with-phases",),
        "Stores the model's messages without their phases.",
    ),
    _mutant(
        "stored-without-server-results",
        continued.stores(builtin.drop_server_results),
        ("expect/sent", "continuation/"),
        ("resumed-with-a-search-of-the-provider",),
        "Stores calls of the provider's tools without their results.",
    ),
    _mutant(
        "calls-named-anew",
        continued.NamesCallsAnew,
        ("history/append-only", "continuation/"),
        ("resumed-from-what-was-stored", "resumed-after-parallel-calls"),
        "Goes on with ids of its own for the calls that were stored.",
        unseen_on=("text-tags",),
    ),
    _mutant(
        "stored-failures-unmarked",
        continued.MarksNoStoredFailure,
        ("history/append-only",),
        ("resumed-after-a-failed-call", "another-question-after-a-failed-call"),
        "Goes on with results of which none is marked as a failure.",
        needs=flags_failures,
    ),
    _mutant(
        "stored-calls-run-again",
        continued.RunsStoredCallsAgain,
        ("caller/ran-again",),
        ("resumed-from-what-was-stored", "resumed-after-a-failed-run", "another-question-after-parallel-calls"),
        "Runs the calls of the history once more when it goes on.",
        unseen_on=("text-tags",),  # whose calls have no ids
    ),
    _mutant(
        "first-message-lost",
        continued.LosesTheFirstMessage,
        ("history/append-only",),
        ("resumed-from-what-was-stored", "resumed-after-parallel-calls", "resumed-after-a-cancelled-run"),
        "Goes on without the question that the conversation began with.",
    ),
    _mutant(
        "last-turns-lost",
        continued.LosesTheLastTurns,
        ("history/append-only", "continuation/"),
        ("resumed-with-thinking-in-every-turn", "sixty-calls-then-another-question"),
        "Goes on with the beginning of the history alone.",
    ),
    _mutant(
        "written-as-a-text",
        continued.WritesTheHistoryDown,
        ("history/append-only", "caller/message-sent"),
        ("resumed-from-what-was-stored", "another-question-after-the-answer"),
        "Goes on with a text that repeats all that was said.",
    ),
    _mutant(
        "texts-alone-stored",
        continued.SummarisesTheHistory,
        ("history/append-only",),
        ("resumed-from-what-was-stored", "resumed-after-a-failed-call"),
        "Goes on with the texts of the user and the model alone.",
    ),
)


def _with_the_old_key(config: SessionConfig) -> SessionConfig:
    """The key with which the conversation has begun: the runner makes others by a suffix."""
    return replace(config, api_key=config.api_key.partition("-")[0])


_SWITCHED: Final = (
    LoopMutant(
        "old-key-kept",
        "Asks with the key with which the conversation has begun.",
        ("caller/switched-key",),
        ("switched-key",),
        Seams(config=_with_the_old_key),
    ),
    _mutant(
        "foreign-thinking-kept",
        continued.KeepsForeignThinking,
        ("caller/switched-thinking",),
        ("switched-provider-on-openai-responses",),
        "Sends another maker's model what the one before has thought and signed.",
    ),
    _mutant(
        "foreign-ids-kept",
        continued.KeepsForeignIds,
        ("continuation/", "caller/switched-ids"),
        ("switched-with-ids-of-another-alphabet", "switched-with-long-ids", "switched-to-mistral"),
        "Goes on at another provider with the ids that calls had at the first.",
    ),
    _mutant(
        "results-lost-in-the-switch",
        continued.LosesResultsInTheSwitch,
        ("caller/switched-history", "continuation/"),
        ("switched-from-openai-chat-to-anthropic-messages", "switched-after-a-cancelled-run"),
        "Goes on at another provider without the results.",
    ),
    _mutant(
        "calls-lost-in-the-switch",
        continued.LosesCallsInTheSwitch,
        ("caller/switched-history",),
        ("switched-from-anthropic-messages-to-gemini-generate", "switched-after-a-failed-call"),
        "Goes on at another provider with the texts alone.",
    ),
    _mutant(
        "calls-written-in-the-switch",
        continued.WritesCallsDownInTheSwitch,
        ("caller/switched-history",),
        ("switched-from-gemini-generate-to-openai-chat", "switched-there-and-back"),
        "Goes on at another provider with calls and results in words.",
    ),
    _mutant(
        "system-prompt-lost-in-the-switch",
        continued.LosesTheSystemPromptInTheSwitch,
        ("offered/prompt",),
        ("switched-from-openai-responses-to-anthropic-messages", "switched-after-thinking-in-every-turn"),
        "Goes on at another provider without the system prompt.",
    ),
    _mutant(
        "model-before-asked",
        continued.AsksTheModelBefore,
        ("caller/switched-model",),
        ("switched-model-after-thinking", "switched-from-openai-chat-to-gemini-generate"),
        "Goes on with the name of the model that it has begun with.",
    ),
)

_COMPACTED: Final = (
    _mutant(
        "pair-cut-in-compaction",
        compactions.CutsAPair,
        ("continuation/",),
        ("compacted-after-two-runs", "compacted-after-parallel-calls", "compacted-and-resumed"),
        "Compacts the calls of a turn and keeps their results.",
        unseen_on=("text-tags",),  # whose results name no call
    ),
    _mutant(
        "calls-kept-in-compaction",
        compactions.KeepsCallsAlone,
        ("continuation/",),
        ("compacted-after-two-runs", "compacted-after-parallel-calls"),
        "Compacts the results of a turn and keeps its calls.",
        unseen_on=("text-tags",),
    ),
    _mutant(
        "summary-inside-a-pair",
        compactions.PutsTheSummaryIntoAPair,
        ("continuation/", "caller/compacted"),
        ("compacted-after-two-runs", "compacted-after-parallel-calls"),
        "Puts the summary between the calls of a turn and their results.",
        unseen_on=("text-tags",),
    ),
    _mutant(
        "nothing-compacted",
        compactions.KeepsEverything,
        ("caller/compacted",),
        ("compacted-after-two-runs", "compacted-twice"),
        "Adds the summary to the history and leaves nothing out.",
    ),
    _mutant(
        "system-prompt-compacted",
        compactions.ForgetsTheSystemPrompt,
        ("caller/compacted-system", "offered/prompt"),
        ("compacted-after-two-runs", "compacted-and-resumed"),
        "Compacts the system prompt with the rest.",
        needs=has_system_messages,
    ),
    _mutant(
        "question-compacted",
        compactions.ForgetsTheQuestion,
        ("caller/message-sent",),
        ("compacted-after-two-runs", "compacted-after-a-cancelled-run"),
        "Compacts the message with which the user goes on.",
    ),
    _mutant(
        "question-twice-after-compaction",
        compactions.SaysTheQuestionTwice,
        ("caller/message-sent",),
        ("compacted-after-two-runs", "compacted-twice"),
        "Sends what the user says after a compaction twice.",
    ),
)

SITUATIONS: tuple[LoopMutant, ...] = (
    *_COMPACTED,
    *_CANCELLED,
    *_MESSAGES,
    *_ANOTHER_RUN,
    *_WAITING,
    *_RESUMED,
    *_SWITCHED,
)
"""Every loop that is broken in a situation into which its caller brings it."""
