"""Every call has its output, and every request for an approval its answer: OAI-10, OAI-COMPACT.

One pairing for all kinds of calls (``kinds``). Requests for an approval have no call id: the answer names their item.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from harness.finding import Finding
from harness.wire.openai_models import ADJACENT_CALLS, OPENAI_MODELS
from harness.wire.openai_responses.items import kind_of
from harness.wire.openai_responses.rules.asked import Asked, HistoryItem
from harness.wire.openai_responses.rules.book import COMPACT, RULES
from harness.wire.openai_responses.rules.kinds import (
    APPROVAL,
    APPROVED,
    CALL_KINDS,
    FUNCTION,
    OUTPUT_KINDS,
    call_id_of,
    is_for_the_client,
    request_of,
)
from harness.wire.openai_responses.rules.places import (
    BUILT_IN_CALLS,
    CALLS,
    OTHER_TEXT,
    RESULTS,
    answered_calls,
    forget,
    is_deepseeks,
    items,
    known_outputs,
    last,
    leave_out,
    of_kind,
    place_of,
    say,
)
from harness.wire.posted import Posted, Right, Wrong, put
from harness.wire.rule import ErrorTemplate, WireRule

_SETTLING: Final = (APPROVED, "mcp_call")
"""What shows that a request was answered: the answer, or the call that was made because of it."""


def _speak_between_calls(posted: Posted) -> bool:
    """Put a message between calls. Only servers that want a turn's calls side by side refuse it."""
    calls = of_kind(posted, *CALLS) if is_deepseeks(posted) else []
    for first, second in pairwise(calls):
        if place_of(posted, second) == place_of(posted, first) + 1:
            return say(posted, OTHER_TEXT, at=place_of(posted, second))
    return False


def _answer_each_call_at_once(posted: Posted) -> bool:
    pairs = answered_calls(posted)
    for call, output in pairs:
        leave_out(posted, [output])
        say(posted, output, at=place_of(posted, call) + 1)
    return len(pairs) > 1


def _answer_in_another_order(posted: Posted) -> bool:
    """Exchange two results that follow each other."""
    history = items(posted)
    for at, (item, after) in enumerate(pairwise(history)):
        if kind_of(item) in RESULTS and kind_of(after) in RESULTS:
            history[at : at + 2] = [after, item]
            return True
    return False


def _answer_as_a_function(posted: Posted) -> bool:
    found = [*last(posted, "tool_search_output"), *last(posted, "local_shell_call_output")]
    for item in found:
        call_id = item["call_id"]
        item.clear()
        item.update(type="function_call_output", call_id=call_id, output="Found one.")
    return bool(found)


def _let_the_provider_run_it(posted: Posted) -> bool:
    """The provider ran the search and the shell, and the request leaves out the results."""
    searched = put(last(posted, "tool_search_call"), execution="server")
    ran = put(last(posted, "shell_call"), environment={"type": "container_auto"})
    leave_out(posted, of_kind(posted, "tool_search_output", "shell_call_output"))
    return searched or ran


OAI_10: Final = WireRule(
    "OAI-10",
    "Every call in the history, sent or named, has an output of its kind in the same request, and every request for "
    "an approval its answer. Calls are those of functions, free-text tools, shells, patches, the computer and searches "
    "that the client runs.",
    "A loop that stops at a limit, drops a cancelled tool or answers only one of several calls cannot go on: each "
    "later request fails the same way. So does one that does not know all kinds of calls.",
    "certain",
    (
        "https://github.com/router-for-me/CLIProxyAPI/issues/2368",
        "several projects quote the wording for custom tools",
        "shell: https://github.com/microsoft/agent-framework/issues/8663",
        "local shell, also that an output under id in place of call_id answers nothing: "
        "https://github.com/openai/openai-agents-python/pull/1855",
        "tool search: https://github.com/openai/codex/issues/31053; patches and the computer: public code quotes the "
        "wording",
        "a function_call_output answers a search that the client runs: recording "
        "test_tool_availability_portability_matrix[R5-T3-native-search]; Codex answers local shells so",
        "approvals: https://github.com/openai/openai-agents-js/issues/131",
        "recordings rejects-continuation-with-an-unresolved-tool and "
        "rejects-continuation-with-a-missing-parallel-tool-result",
        "recording test_deepseek_responses_rejects_interleaved_function_calls (adjacent calls)",
    ),
    (
        ErrorTemplate(
            "No tool output found for {kind} {call_id}.",
            "input",
            seen="No tool output found for function call call_uK3eDRSXx9p45csFRjvXDNPq.",
            name="unanswered",
        ),
        ErrorTemplate(
            "The following MCP approval requests do not have an approval: {ids}",
            "input",
            seen="The following MCP approval requests do not have an approval: mcpr_...",
            name="approval",
        ),
        ErrorTemplate(
            "No tool output found for tool call {call_id}.",
            None,
            "invalid_request_error",
            seen="No tool output found for tool call call-a.",
            name="parted",
        ),
    ),
    applies="not judged: calls that the provider itself runs (a search on its side, a shell in a container); "
    "DeepSeek's server requires the calls of a turn side by side, too, and answers in words of its own",
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong(
            "responses-result-forgotten",
            "The answer to the last call is not sent.",
            lambda it: leave_out(it, known_outputs(it)[-1:]),
            "parallel-calls one-call named-history free-text-tool foreign-history pictures",
        ),
        Wrong(
            "responses-result-renamed",
            "A result names a call that was never made.",
            lambda it: put(known_outputs(it)[-1:], call_id="call_of_nobody"),
            "parallel-calls named-history free-text-tool foreign-history",
            also=("OAI-11",),
        ),
        Wrong(
            "responses-result-of-another-kind",
            "A result has the kind of another tool.",
            lambda it: [
                put([output], type=RESULTS[1 - RESULTS.index(output["type"])]) for output in known_outputs(it)[-1:]
            ],
            "free-text-tool parallel-calls named-history",
            also=("OAI-11",),
        ),
        Wrong(
            "responses-calls-parted",
            "Text is between the calls of a turn.",
            _speak_between_calls,
            "deepseek",
            says="parted",
        ),
        Wrong(
            "responses-local-shell-answered-by-id",
            "The output of a local shell names its call in id.",
            lambda it: [put([output], id=output.pop("call_id")) for output in last(it, "local_shell_call_output")],
            "built-in-tools",
        ),
        Wrong(
            "responses-shell-output-renamed",
            "The output of a shell names a call that was never made.",
            lambda it: put(last(it, "shell_call_output"), call_id="call_of_nobody"),
            "built-in-tools",
            also=("OAI-11",),
        ),
        Wrong(
            "responses-approval-unanswered",
            "A request for an approval is not answered.",
            forget(APPROVED, APPROVAL),
            "built-in-tools",
            says="approval",
        ),
        *(
            Wrong(
                f"responses-{name}-unanswered",
                f"A {kind.call} has no output.",
                forget(kind.output, kind.call),
                "built-in-tools",
            )
            for name, kind in BUILT_IN_CALLS.items()
        ),
    ),
    right=(
        Right(
            "responses-calls-one-by-one",
            "Each result follows its call.",
            _answer_each_call_at_once,
            "without-reasoning parallel-calls",
            also=("OAI-28",),
        ),
        Right(
            "responses-results-in-another-order",
            "Results come in another order.",
            _answer_in_another_order,
            "parallel-calls named-history",
        ),
        Right(
            "responses-answered-as-functions",
            "A search and a local shell are answered as functions are.",
            _answer_as_a_function,
            "built-in-tools",
            also=("OAI-11",),
        ),
        Right(
            "responses-run-by-the-provider",
            "What the provider has run has no output.",
            _let_the_provider_run_it,
            "built-in-tools",
        ),
    ),
)


@RULES.check("pairs", OAI_10)
def calls_are_answered(asked: Asked) -> Iterator[Finding]:
    """OAI-10."""
    yield from _missing_outputs(asked, OAI_10)
    if OPENAI_MODELS.holds(ADJACENT_CALLS, asked.model):
        yield from _parted_calls(asked)


def _missing_outputs(asked: Asked, rule: WireRule) -> Iterator[Finding]:
    """A finding of ``rule`` for each call without an output. OAI-12 reports several calls with one id."""
    answered = {call for _, call, makes in asked.pairs if not makes}
    reported = set()
    for entry, call, _ in asked.pairs:
        if call not in answered and call not in reported and _is_open(entry, call, answered):
            reported.add(call)
            yield _unanswered_finding(asked, rule, entry, call)


def _is_open(entry: HistoryItem, call: tuple[str, str], answered: set[tuple[str, str]]) -> bool:
    """Whether the client must answer a call that no output of its kind answers."""
    is_answered = CALL_KINDS[call[0]].built_in and (FUNCTION, call[1]) in answered
    return not is_answered and is_for_the_client(entry.item)


def _unanswered_finding(asked: Asked, rule: WireRule, entry: HistoryItem, call: tuple[str, str]) -> Finding:
    kind, call_id = call
    name = f" ({entry.item['name']})" if entry.item.get("name") else ""
    return rule.broken(
        entry.at,
        expected=f"a {CALL_KINDS[kind].output} for {call_id}{name}",
        got=_instead(asked.orphans, call_id),
        kind=CALL_KINDS[kind].words,
        call_id=call_id,
    )


def _instead(orphans: Sequence[HistoryItem], call_id: str) -> str:
    """The output that seems to be meant for a call: of another kind, or under an id that no call has."""
    for orphan in orphans:
        if orphan.item.get("call_id") == call_id:
            return f"an output of another kind: {orphan.kind} at {orphan.at}"
    if orphans:
        return f"none in the request; {orphans[0].at} answers {orphans[0].item.get('call_id')}, which no call has"
    return "none in the request"


def _parted_calls(asked: Asked) -> Iterator[Finding]:
    """OAI-10 on DeepSeek's server: something else of the model's is between the calls of a turn."""
    open_calls: list[HistoryItem] = []
    parted: HistoryItem | None = None
    for entry in asked.entries:
        if entry.kind in CALL_KINDS:
            if parted is not None and call_id_of(entry.item):
                first = open_calls[0]
                yield OAI_10.broken(
                    first.at,
                    expected="all calls of a turn side by side, then their outputs",
                    got=f"{parted.kind} at {parted.at} between it and {entry.name}",
                    template="parted",
                    call_id=first.item.get("call_id"),
                )
                parted = None
            open_calls.append(entry)
        elif entry.kind in OUTPUT_KINDS:
            open_calls, parted = [], None
        elif open_calls:
            parted = entry


@RULES.check("pairs", OAI_10)
def requests_are_answered(asked: Asked) -> Iterator[Finding]:
    """OAI-10. The provider names all that lack an answer at once."""
    if APPROVAL not in asked.kinds:
        return
    requests = [entry for entry in asked.history if entry.kind == APPROVAL and entry.id]
    settled = {request_of(entry.item) for entry in asked.history if entry.kind in _SETTLING}
    missing = [entry for entry in requests if entry.id not in settled]
    if missing:
        yield OAI_10.broken(
            missing[0].at,
            expected=f"an {APPROVED} for each {APPROVAL}",
            got=f"none for {_ids(missing)}",
            template="approval",
            ids=_ids(missing),
        )


def _ids(entries: list[HistoryItem]) -> str:
    return ", ".join(entry.id for entry in entries)


def _compact(posted: Posted) -> bool:
    posted.path += "/compact"
    return True


OAI_COMPACT: Final = WireRule(
    "OAI-COMPACT",
    "A history is compacted (POST /responses/compact) only where every call has its output.",
    "A loop that compacts as soon as the history is long enough does so between a call and its output, and its run "
    "ends.",
    "certain",
    (
        "https://github.com/openai/openai-agents-python/issues/2317",
        "accepted: recordings test_openai_responses_compact_messages and its like, none with an open call",
    ),
    (
        ErrorTemplate(
            "No tool output found for {kind} {call_id}.",
            "input",
            seen="No tool output found for function call ...",
            name="unanswered",
        ),
    ),
    applies="requests to /responses/compact",
    aside=True,
    wrong=(
        Wrong(
            "responses-compacted-too-early",
            "The history is compacted between a call and its output.",
            lambda it: leave_out(it, known_outputs(it)[-1:]) and _compact(it),
            "parallel-calls named-history",
        ),
    ),
    right=(Right("responses-compacted", "A whole history is compacted.", _compact, "parallel-calls answered"),),
)


@RULES.check(COMPACT, OAI_COMPACT)
def compaction_waits_for_outputs(asked: Asked) -> Iterator[Finding]:
    """OAI-COMPACT. No other refusal of such a request is known."""
    yield from _missing_outputs(asked, OAI_COMPACT)
