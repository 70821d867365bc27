"""Known-bad loops, for the campaign ``loop``: each makes one mistake that was published.

All are targets: ``--target mutant:limit-21`` and ``--target gallery:first-result-only`` fuzz one. Most are the loops on
which the harness proves its rules (``harness_lab/mutants/loops.py``); those that only a fuzzer's oracles see are here.
Where the mistake was seen stands behind it as ``repository#number``; nothing is taken from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from harness.loop import CallResult, OnEvent, ProviderTurn, StreamFailed, ToolCall, ToolOutcome
from harness.loop.progress import sum_of
from harness.loop.tools.arguments import parse_arguments
from harness.loop.tools.tool import ToolError
from harness.targets.reference import Seams
from harness.wire import FinishReason
from harness_lab.mutants.sessions import PassingSession
from harness_lab.mutants.tools import PassingTools

# --- what is made of the model's turn -----------------------------------------------------------------------


class _EndsAtUnknownTools(PassingSession):
    """Raises if the model calls a tool that was not offered, instead of answering the model."""

    def understood(self, turn: ProviderTurn) -> ProviderTurn:
        if any(call.name == "guess" for call in turn.tool_calls):
            raise StreamFailed("Tool guess not found in agent")
        return turn


class _TextIsTheEnd(PassingSession):
    """Takes a turn with text for the last one, even if it has calls."""

    def understood(self, turn: ProviderTurn) -> ProviderTurn:
        return replace(turn, tool_calls=(), stop=FinishReason.END) if turn.assistant_text else turn


class _AsksAgainForWords(PassingSession):
    """Asks once more, in the same words, if the model's turn was empty."""

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        turn = await super().stream_turn(on_event)
        is_content = turn.assistant_text or turn.tool_calls or turn.refusal or turn.stop is not FinishReason.END
        if is_content:
            return turn
        again = await super().stream_turn(on_event)
        return replace(again, usage=sum_of(turn.usage, again.usage))


# --- what goes back -----------------------------------------------------------------------------------------


class _ResultsChanged(PassingSession):
    """Sends other results than those of the tools."""

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        return super().result_messages(turn, self.changed(call_results))

    def changed(self, call_results: Sequence[CallResult]) -> Sequence[CallResult]:
        return call_results


class _ErrorsWithoutWords(_ResultsChanged):
    """Answers the model that a call has failed, without the reason."""

    def changed(self, call_results: Sequence[CallResult]) -> Sequence[CallResult]:
        return [each if each.ok else replace(each, result="Error") for each in call_results]


class _FirstResultOnly(_ResultsChanged):
    """Answers only the first call of a turn."""

    def changed(self, call_results: Sequence[CallResult]) -> Sequence[CallResult]:
        return call_results[:1]


class _NothingIsNoResult(_ResultsChanged):
    """Sends no result if a tool has returned null."""

    def changed(self, call_results: Sequence[CallResult]) -> Sequence[CallResult]:
        return [each for each in call_results if each.result is not None]


class _ResultsMixedUp(_ResultsChanged):
    """Sends each call the result of the next one, as if calls had ended in another order."""

    def changed(self, call_results: Sequence[CallResult]) -> Sequence[CallResult]:
        moved = [*call_results[1:], *call_results[:1]]
        return [replace(each, result=other.result) for each, other in zip(call_results, moved, strict=True)]


# --- what is run --------------------------------------------------------------------------------------------


class _EmptyArguments(PassingTools):
    """Runs a call without arguments if its arguments are no object."""

    async def run(self, call: ToolCall) -> ToolOutcome:
        try:
            parse_arguments(call.arguments)
        except ToolError:
            return await super().run(replace(call, arguments="{}"))
        return await super().run(call)


_SESSIONS: Final[Mapping[str, type[PassingSession]]] = {
    "unknown-tool-ends": _EndsAtUnknownTools,
    "first-result-only": _FirstResultOnly,
    "text-is-the-end": _TextIsTheEnd,
    "asks-again-for-words": _AsksAgainForWords,
    "errors-without-words": _ErrorsWithoutWords,
    "null-is-no-result": _NothingIsNoResult,
    "results-mixed-up": _ResultsMixedUp,
}

LOOPS: Final[Mapping[str, Seams]] = {
    **{name: Seams(session=session) for name, session in _SESSIONS.items()},
    "empty-arguments": Seams(tools=_EmptyArguments),
}
"""The loops of this file by their names, with the parts of our loop that they replace."""


@dataclass(frozen=True, slots=True)
class Known:
    """A loop that the campaign must find: ``target`` by one of ``oracles``, each a name or its beginning."""

    target: str
    oracles: tuple[str, ...]
    seen: str


_LOST_OR_MERGED: Final = ("history/", "order/", "final/", "reported/")
"""The oracles that may be the first to find lost or merged calls. Which one is first depends on the turn."""

GALLERY: Final = (
    Known("gallery:unknown-tool-ends", ("gives-up",), "openai/openai-agents-python#3459"),
    Known("gallery:first-result-only", ("continuation/",), "LiveBench/LiveBench#485"),
    Known("gallery:text-is-the-end", ("final/unfinished",), "code-yeongyu/senpi#1016"),
    Known("gallery:asks-again-for-words", ("asks-on", "reported/usage"), "lsdefine/GenericAgent#201"),
    Known("gallery:errors-without-words", ("results",), "open-webui/open-webui#25144"),
    Known("gallery:null-is-no-result", ("continuation/",), "lastmile-ai/mcp-agent#328"),
    Known("gallery:results-mixed-up", ("results", "history/own-result"), "scitix/siclaw#417"),
    Known("gallery:empty-arguments", ("execution/arguments", "results"), "omnigent-ai/omnigent#2587"),
    Known("mutant:limit-21", ("guardrail/turn-limit",), "langchain4j/langchain4j#5313"),
    Known("mutant:limit-19", ("guardrail/",), "anvia-hq/anvia#397"),
    Known("mutant:limit-silent", ("final/outcome", "guardrail/limit-reported"), ""),
    Known("mutant:nudge-missing", ("guardrail/answer-now",), ""),
    Known("mutant:retry-without-bound", ("retry/tool",), "lsdefine/GenericAgent#201"),
    Known("mutant:refusal-retried", ("retry/refused",), ""),
    Known("mutant:tool-run-twice", ("order/tool-result-once",), "anthropics/anthropic-sdk-python#1536"),
    Known("mutant:truncated-call-executed", ("final/",), "pydantic/pydantic-ai#3118"),
    Known("mutant:refused-call-executed", ("final/",), "pydantic/pydantic-ai#5221"),
    Known("mutant:eof-accepted", ("final/failed-turn",), "pydantic/pydantic-ai#6610"),
    Known("mutant:pause-taken-for-an-end", ("final/paused-turn",), ""),
    Known("mutant:call-overlooked", ("final/unfinished", "reported/history"), "code-yeongyu/senpi#1016"),
    Known("mutant:arguments-salvaged", ("execution/arguments", "results"), "anthropics/anthropic-sdk-python#1594"),
    Known("mutant:open-call", ("final/open-call",), "pydantic/pydantic-ai#5585"),
    Known("mutant:thinking-dropped", ("history/model-thinking", "continuation/"), "langgenius/dify#41092"),
    Known("mutant:text-not-returned", ("history/model-text",), ""),
    Known("mutant:history-trimmed", ("history/", "continuation/"), "HKUDS/nanobot#2075"),
    Known("mutant:tools-withdrawn", ("history/tools",), ""),
    Known("mutant:wrong-call-id", ("continuation/", "history/results"), ""),
    Known("mutant:result-dropped", ("continuation/", "history/results"), "anomalyco/opencode#44852"),
    Known("mutant:results-reordered", ("history/result-order",), "anthropics/claude-code#21906"),
    Known("mutant:half-characters", ("preview/half-character",), ""),
    Known("mutant:string-with-a-tag-cut", ("stream/text",), ""),
    Known("mutant:calls-by-index", _LOST_OR_MERGED, "LibreChat-AI/agents#260"),
    Known("mutant:missing-index-is-zero", _LOST_OR_MERGED, "ollama/ollama#7881"),
    Known("mutant:repeated-id-is-a-new-call", _LOST_OR_MERGED, ""),
    Known("mutant:calls-behind-the-reason-ignored", _LOST_OR_MERGED, ""),
    Known("mutant:end-turn-believed", ("final/unfinished", "reported/history"), "BerriAI/litellm#34692"),
    Known("mutant:missing-item-index-is-zero", _LOST_OR_MERGED, "tontinton/maki#514"),
    Known("mutant:ends-at-the-first-stop", _LOST_OR_MERGED, "Chevey339/kelivo#1003"),
    Known("mutant:cancelled-calls-left-open", ("continuation/", "history/results"), "anthropics/claude-code#6521"),
    Known("mutant:said-and-forgotten", ("caller/message-sent",), ""),
    Known("mutant:said-before-the-results", ("caller/message-last", "continuation/"), "stakpak/agent#488"),
    Known("mutant:last-answer-lost", ("history/",), ""),
    Known("mutant:stored-without-thinking", ("history/", "continuation/"), "RooCodeInc/Roo-Code#10554"),
    Known("mutant:foreign-thinking-kept", ("caller/switched-thinking", "continuation/"), "vybestack/llxprt-code#2335"),
)
"""Every known-bad loop. ``seen`` is where the mistake was published; empty for those that only our rules are about."""
