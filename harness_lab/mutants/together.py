"""Mistakes that hide each other: together they are none, or another one than either."""

from __future__ import annotations

from collections.abc import Mapping

_NEITHER = "neither the calls nor their results go back: a turn that was left out as a whole"
_NO_RESULTS = "results are results only where the text begins with them, and no call waits for any"
_NOT_OURS = "a call under another id and with another signature may come from a history that was brought along"

TAKEN_BACK: Mapping[frozenset[str], str] = {
    # traces
    frozenset({"first-turn-for-the-last", "asked-on-after-the-output"}): (
        "a run that ends at the turn whose call was its output is right"
    ),
    frozenset({"pause-for-an-end", "paused-beyond-the-limit"}): (
        "a run that ends at its limit is right but for its silence, which is another mistake"
    ),
    # requests of Chat Completions
    frozenset({"chat-result-forgotten", "chat-calls-stripped"}): _NEITHER,
    frozenset({"chat-results-forgotten", "chat-calls-forgotten"}): _NEITHER,
    frozenset({"chat-results-late", "chat-result-before-call"}): "the result that was moved back is moved forth again",
    frozenset({"chat-speech-before-results", "chat-result-before-call"}): (
        "the result that was moved back is moved forth again"
    ),
    # requests of the Messages API
    frozenset({"ant-search-result-dropped", "ant-search-dropped"}): "neither the search nor its result goes back",
    frozenset({"ant-text-before-results", "ant-result-of-the-assistant"}): (
        "what goes to the assistant is the remark, and the results are first again"
    ),
    # requests of the Gemini API
    **{
        frozenset({"gem-call-id-altered", f"gem-signature-{done}"}): _NOT_OURS
        for done in ("altered", "cut", "engineered", "forged", "skipped")
    },
    frozenset({"gem-call-turn-lost", "gem-call-unanswered"}): _NEITHER,
    frozenset({"gem-answers-of-the-model", "gem-call-unanswered"}): "what is left is one message in the wrong role",
    frozenset({"gem-answer-lost", "gem-answer-twice"}): "there are as many responses as calls again, under other ids",
    # requests of Bedrock's Converse
    frozenset({"bed-interrupted", "bed-call-forgotten"}): _NEITHER,
    # requests of Gemini's Interactions
    frozenset({"int-calls-forgotten", "int-interrupted"}): _NEITHER,
    frozenset({"int-begins-with-results", "int-interrupted"}): _NEITHER,
    frozenset({"int-found-lost", "int-search-lost"}): "neither the search nor its result goes back",
    frozenset({"int-model-and-agent", "int-nobody-asked"}): "an agent is asked in place of the model",
    # requests of the text protocol
    frozenset({"tags-calls-forgotten", "tags-results-forgotten"}): _NEITHER,
    frozenset({"tags-calls-stripped", "tags-results-forgotten"}): _NEITHER,
    frozenset({"tags-calls-forgotten", "tags-demand-before"}): _NO_RESULTS,
    frozenset({"tags-calls-forgotten", "tags-speech-before-results"}): _NO_RESULTS,
    frozenset({"tags-result-forgotten", "tags-result-quoted"}): "what a result quotes reads as the one that is missing",
}
"""The pairs by the names of their mutants, each with the reason why no rule that either names can find it."""
