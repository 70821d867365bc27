"""The history that goes back to the model: rewritten, shortened, put in another order, or not what a provider takes."""

from __future__ import annotations

from harness.wire import OWN_WIRES, WireName
from harness_lab.mutants.traces import conversations
from harness_lab.mutants.traces.draft import TraceDraft, rewrite
from harness_lab.mutants.traces.mutant import EquivalentTrace, TraceMutant

_TWO_TURNS = "create-then-edit"
_THINKING = "thinking-in-every-turn"
_CALLS = "parallel-calls"
_IN_ORDER = "results-as-they-come"
_REFUSED = ("continuation/",)

_SIGNED: tuple[WireName, ...] = ("openai-responses", "anthropic-messages", "gemini-generate")


def _without_thinking(draft: TraceDraft) -> None:
    """The last request asks for no thinking."""
    rewrite(draft.records, -1, lambda body: body.update(thinking={"type": "disabled"}))


_CONTINUATION = tuple(
    TraceMutant(
        f"result-lost-on-{name}",
        f"The result of a call does not go back, which is no request of {name}.",
        f"continuation/{name}",
        conversations.drop_result,
        _TWO_TURNS,
        (name,),
        also=("history/results",),
    )
    for name in OWN_WIRES
)

_SO_FAR = (
    TraceMutant(
        "question-reworded",
        "A later request asks another question than the first.",
        "history/append-only",
        conversations.reword_question,
        _TWO_TURNS,
        also=_REFUSED,
    ),
    TraceMutant(
        "question-asked-again",
        "The user's question is once more behind the results.",
        "history/question-once",
        conversations.ask_again,
        _TWO_TURNS,
        also=_REFUSED,
    ),
    TraceMutant(
        "thinking-switched-off",
        "The request with the results of a turn that was begun with thinking does not ask for any.",
        "history/thinking-mode",
        _without_thinking,
        _THINKING,
        ("anthropic-messages",),
        also=_REFUSED,
    ),
    TraceMutant(
        "tool-withdrawn",
        "A later request offers one tool less.",
        "history/tools",
        conversations.withdraw_tool,
        _TWO_TURNS,
        also=_REFUSED,
    ),
)

_TURN = (
    TraceMutant(
        "phase-dropped",
        "The commentary of the model's turn goes back as any text.",
        "history/model-phase",
        conversations.drop_phase,
        _TWO_TURNS,
        ("openai-responses",),
    ),
    TraceMutant(
        "text-reworded",
        "The text of the model's turn goes back in other words.",
        "history/model-text",
        conversations.reword_text,
        _TWO_TURNS,
        also=_REFUSED,
    ),
    TraceMutant(
        "text-squeezed",
        "The text of the model's turn goes back without its white space.",
        "history/model-text",
        conversations.squeeze_text,
        _TWO_TURNS,
        also=_REFUSED,
    ),
    TraceMutant(
        "arguments-in-another-case",
        "A call goes back with its arguments in the other case.",
        "history/model-calls",
        conversations.swap_case_of_arguments,
        _TWO_TURNS,
        also=_REFUSED,
    ),
    TraceMutant(
        "arguments-altered",
        "A call goes back with other arguments.",
        "history/model-calls",
        conversations.alter_arguments,
        _TWO_TURNS,
        also=_REFUSED,
    ),
    TraceMutant(
        "call-under-another-id",
        "A call goes back under another id than its result.",
        "history/model-calls",
        conversations.give_the_call_another_id,
        _TWO_TURNS,
        also=("history/results", "history/no-other-results", "history/result-after-call", *_REFUSED),
    ),
    TraceMutant(
        "thinking-not-returned",
        "The model's turn goes back without its thinking and signatures.",
        "history/model-thinking",
        conversations.drop_thinking,
        _THINKING,
        _SIGNED,
        also=_REFUSED,
    ),
    TraceMutant(
        "text-behind-calls",
        "Text before a call goes back after it.",
        "history/model-order",
        conversations.text_behind_calls,
        _TWO_TURNS,
        _SIGNED,
        also=_REFUSED,
    ),
)

_RESULTS = (
    TraceMutant(
        "result-of-no-call",
        "A result goes back under an id that no call has.",
        "history/results",
        conversations.answer_nobody,
        _TWO_TURNS,
        also=("history/no-other-results", *_REFUSED),
    ),
    TraceMutant(
        "result-of-another-name",
        "A result goes back under the name of a tool that was not called.",
        "history/result-name",
        conversations.name_another_tool,
        _TWO_TURNS,
        ("gemini-generate",),
        also=_REFUSED,
    ),
    TraceMutant(
        "result-of-another-name-without-an-id",
        "The same, where only names pair results with calls.",
        "history/result-name",
        conversations.name_another_tool,
        "calls-without-ids",
        ("gemini-generate",),
        also=_REFUSED,
    ),
    TraceMutant(
        "result-sent-twice",
        "The result of a call goes back twice.",
        "history/no-other-results",
        conversations.answer_twice,
        _TWO_TURNS,
        also=_REFUSED,
    ),
    TraceMutant(
        "result-too-many",
        "A result without a call goes back.",
        "history/no-other-results",
        conversations.answer_one_too_many,
        _TWO_TURNS,
        also=_REFUSED,
    ),
    TraceMutant(
        "result-before-its-call",
        "A result goes back in front of its call.",
        "history/result-after-call",
        conversations.answer_before_the_call,
        _TWO_TURNS,
        also=_REFUSED,
    ),
    TraceMutant(
        "results-swapped",
        "The last two results of a turn go back in the other order, where the contract is to keep that of the calls.",
        "history/result-order",
        conversations.swap_results,
        _IN_ORDER,
        also=_REFUSED,
    ),
    TraceMutant(
        "results-swapped-without-ids",
        "Results that differ only by name go back in the other order.",
        "history/result-order",
        conversations.swap_results,
        "calls-without-ids",
        ("gemini-generate",),
        also=_REFUSED,
    ),
    TraceMutant(
        "results-exchanged",
        "Beside a call that failed, a good call gets the failure, and the bad one what the good one's tool returned.",
        "history/own-result",
        conversations.exchange_results,
        "bad-call-beside-good-ones",
        also=("history/result-error", "history/result-value"),  # the failure is that of another call, too
    ),
    TraceMutant(
        "failure-unmarked",
        "The result of a call that failed goes back as that of one that did not.",
        "history/result-error",
        conversations.mark_otherwise,
        "tool-raises",
        ("anthropic-messages",),
    ),
    TraceMutant(
        "failure-emptied",
        "The result of a call that failed goes back empty, where nothing else says that it failed.",
        "history/result-error",
        conversations.empty_result,
        "tool-raises",
        ("openai-responses", "openai-chat"),
        also=_REFUSED,
    ),
    TraceMutant(
        "success-marked-as-failure",
        "The result of a call that did not fail goes back marked as an error.",
        "history/result-error",
        conversations.mark_otherwise,
        _TWO_TURNS,
        ("anthropic-messages",),
    ),
    TraceMutant(
        "remark-before-a-result",
        "A word of the user's goes in front of the last result.",
        "history/results-first",
        conversations.remark(behind=False),
        _CALLS,
        also=_REFUSED,
    ),
)

MUTANTS = (*_CONTINUATION, *_SO_FAR, *_TURN, *_RESULTS)

EQUIVALENTS = (
    EquivalentTrace(
        "spelled-anew",
        "A request that is read and written says the same, whatever its white space.",
        conversations.spell_anew,
        _THINKING,
    ),
    EquivalentTrace(
        "failure-emptied-and-marked",
        "A failure that is marked as one needs no words.",
        conversations.empty_result,
        "tool-raises",
        ("anthropic-messages",),
        informs=_REFUSED,
    ),
    EquivalentTrace(
        "remark-behind-the-results",
        "What the user says behind all results is no mistake.",
        conversations.remark(behind=True),
        _CALLS,
    ),
    EquivalentTrace(
        "results-in-another-order",
        "Results that name their calls by ids may go back in any order, where no contract says which.",
        conversations.swap_results,
        _CALLS,
        informs=("history/result-order", *_REFUSED),
    ),
    EquivalentTrace(
        "ids-of-the-loop",
        "A loop may give every call an id of its own, with which its result goes back.",
        conversations.use_own_ids,
        _CALLS,
        informs=("history/model-calls", *_REFUSED),
    ),
    EquivalentTrace(
        "ids-left-out",
        "On Gemini names and places pair results with calls where a loop sends no ids.",
        conversations.leave_ids_out,
        _CALLS,
        ("gemini-generate",),
        informs=("history/model-calls", *_REFUSED),
    ),
    EquivalentTrace(
        "text-first",
        "Text between the calls of a turn may go back in front of them.",
        conversations.say_text_first,
        "text-between-calls",
        _SIGNED,
        informs=("history/model-order", *_REFUSED),
    ),
    EquivalentTrace(
        "one-id-sent-once",
        "Of two calls with one id, which no provider takes back, one may go back with its result.",
        conversations.send_one_id_once,
        "one-id-for-two-calls",
        informs=_REFUSED,
    ),
    EquivalentTrace(
        "broken-turn-left-out",
        "A turn with arguments that are no JSON may be left out, and asked for again.",
        conversations.ask_anew_without_a_broken_turn,
        "arguments-cut-off",
        ("openai-responses", "openai-chat", "anthropic-messages"),
        informs=_REFUSED,
    ),
)
