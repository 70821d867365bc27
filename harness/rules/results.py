"""The results of a turn's calls on their way back.

One for each, behind the calls, in their order, first of all, and failed where a failure was reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from harness.finding import Finding, Level, broken
from harness.ground.cached import kept
from harness.rules.emptiness import says_nothing
from harness.rules.evidence import quote
from harness.rules.model import rule
from harness.rules.returned import added_results, followed, sent_once
from harness.rules.run_evidence import answers, of_another
from harness.rules.steps import Step
from harness.rules.trace_view import TraceView
from harness.rules.turns import ReportedCall
from harness.trace import ToolResult
from harness.wire import Call, Message, Result, Text
from harness.wire.results import reports_success, texts_of

_LOOP = "Agent Tool-Calling Flow, Provider-Specific Continuation"
_CALL_ORDER = (
    "Tool Call Flow Diagrams, Tool Execution Parallelism: same order as the calls; in the other three designs calls "
    "run and are answered in order"
)
_FLAG = "Anthropic's documentation of tool_result: is_error; survey of agent loops: denied calls"
_WRAPPERS = frozenset({"type", "text", "output", "result", "content", "data", "value"})
"""Names of members that do not show how a call has ended."""
_EXTRA = "Tool Call Flow Diagrams, Detailed Tool Execution Flow: tool return parts first, then user prompt parts"


@kept
def matched(step: Step) -> tuple[list[int | None], list[int]]:
    """For each result the place of the call that it answers (None: of none), and the calls that are left.

    A result belongs to the first open call with its id: the one that came, else the one under which the call went back
    (a model that repeats an id over turns leaves a loop no other way). Calls and results that have no id in common are
    matched in order, by name where there are names: where the model sends no id, some loops invent one and some send
    none.
    """
    calls, results = step.answered.calls, [result for _, result in added_results(step)]
    ids = [call.id for call in calls]
    left = list(range(len(calls)))
    found: list[int | None] = [None] * len(results)
    for known in (ids, _ids_that_went(step)):
        for place, result in enumerate(results):
            at = next((at for at in left if result.id and known[at] == result.id), None)
            if found[place] is None and at is not None:
                found[place] = at
                left.remove(at)
    for place, result in enumerate(results):
        if found[place] is None:
            anonymous = [at for at in left if not (result.id and calls[at].id)]
            at = next((at for at in anonymous if calls[at].name == result.name), next(iter(anonymous), None))
            found[place] = at
            if at is not None:
                left.remove(at)
    return found, left


def matched_results(step: Step) -> Iterator[tuple[Message, Result, int | None]]:
    """Each result with its message and the place of the call that it answers."""
    found, _ = matched(step)
    return ((message, result, at) for (message, result), at in zip(added_results(step), found, strict=True))


def _ids_that_went(step: Step) -> list[str | None]:
    """The ids under which the calls went back; those that they came with where not all did."""
    went = [part.id for part in step.went if isinstance(part, Call)]
    calls = step.answered.calls
    return went if len(went) == len(calls) else [call.id for call in calls]


@rule(
    "history/results",
    "MUST",
    "invalid",
    "The request after a turn with calls contains the result of every one of them. A turn with arguments that are "
    "no JSON may be left out as a whole, and calls that share an id may go back as one.",
    why="A provider refuses a call without its result; without ids it gives the model one call's result for another's.",
    source=_LOOP,
    needs=("exchanges",),
    facts=("ids",),
    proof="""
    wires: [openai-chat]
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.]}
    right:
      broken-turn-out-but-text: [Its text may go back alone., {run: {turns: [[Well.,
          {call: depth, arguments: '{"basin": "no'}], Yes.], failing: [depth]}}, {lacking: [Call, Result]}]
    wrong: {whole-turn-out: [A turn whose arguments are whole may not be left out., {lacking: [Call, Result]}]}
    """,
)
def _results(view: TraceView) -> Iterator[Finding]:
    for step in followed(view):
        once = sent_once(step)
        for at in matched(step)[1]:
            if (call := step.answered.calls[at]).id not in once:
                yield _missing(step, call)
    for step in _edited_steps(view):
        kept, answered = _ids(step, Call), _ids(step, Result)
        for call in step.answered.calls:
            if kept[call.id] and not answered[call.id]:
                yield _missing(step, call)


def _missing(step: Step, call: Call) -> Finding:
    return broken(step.ask.at, f"a result of {call.name} {call.id or '(no id)'}", "none in the next request")


@rule(
    "history/no-other-results",
    "MUST",
    "invalid",
    "Results go back only for calls that the model has just made, one each.",
    why="A result without a call is refused, or taken for the answer to something else.",
    source=_LOOP,
    needs=("exchanges",),
    facts=("ids",),
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: n}}, {call: tide, with: {basin: s}}], Yes.]}
    right: {result-after-an-answer: A result in a turn without calls.}
    wrong: {result-sent-twice-over: [The last result goes back twice., {part: Result, become: [{}, {}]}]}
    """,
)
def _no_other_results(view: TraceView) -> Iterator[Finding]:
    for step in followed(view):
        made = ", ".join(call.id or call.name for call in step.answered.calls) or "none"
        for message, result, at in matched_results(step):
            if at is None:
                got = f"another result for {result.id or result.name or 'no id'}: {quote(result.output)}"
                yield broken(step.ask.at, f"one result for each call ({made})", got, message.at)
    for step in _edited_steps(view):
        kept, answered = _ids(step, Call), _ids(step, Result)
        for call in step.answered.calls:
            if answered[call.id] > kept[call.id]:
                got = f"{answered[call.id]} results for {call.id}"
                yield broken(step.ask.at, "one result for each call that the caller has kept", got)


@rule(
    "history/result-after-call",
    "MUST",
    "invalid",
    "The model's call goes back before its result.",
    why="An answer in front of its question is refused, or read as the answer to an earlier one.",
    source=_LOOP,
    needs=("exchanges",),
    facts=("ids",),
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: n}}, {call: tide, with: {basin: s}}], Yes.]}
    wrong:
      results-before-calls: ['Both results go in front of the turn: one finding.', answer_before_the_call,
          answer_before_the_call]
    """,
)
def _result_after_call(view: TraceView) -> Iterator[Finding]:
    for step in followed(view):
        open_calls = {call.id for call in step.answered.calls if call.id}
        for message, part in step.added:
            if isinstance(part, Call):
                open_calls.discard(part.id)
            elif isinstance(part, Result) and part.id in open_calls:
                yield broken(step.ask.at, f"the call {part.id} before its result", "the result first", message.at)
                break


@rule(
    "history/result-order",
    "MUST",
    "unsafe",
    "The results of a turn go back in the order of its calls, in whatever order they came. Where every result "
    "names its call by an id, and no contract demands the order, another one is information only.",
    why="Where calls have no ids of their own, or a model does not look at them, the order is what says which result "
    "is whose; and two runs of one conversation would differ.",
    source=_CALL_ORDER,
    needs=("exchanges",),
    facts=("ids",),
    proof="""
    wires: [gemini-generate]
    run: {turns: [[{call: depth, id: '', with: {basin: n}}, {call: tide, id: '', with: {basin: s}}], Yes.]}
    right: {results-in-order-without-ids: Results without ids in the order of the calls.}
    wrong:
      results-in-another-order-without-ids: [Results without ids in another order.,
          {swapped: Result, one: -1, other: -2}]
    """,
)
def _result_order(view: TraceView) -> Iterator[Finding]:
    for step in followed(view):
        found, _ = matched(step)
        came = [at for at in found if at is not None]
        if came != sorted(came):
            expected, got = _names(step, sorted(came)), _names(step, came)
            level: Level | None = "INFO" if _may_be_in_any_order(view, step) else None
            yield broken(step.ask.at, f"the results in the order of the calls: {expected}", got, level=level)


def _may_be_in_any_order(view: TraceView, step: Step) -> bool:
    """Whether each result names its call by an id that no other has, and no contract demands an order.

    Responses, Chat, Anthropic and Gemini accept such results in any order.
    """
    ids = [result.id for _, result in added_results(step)]
    return view.contract.execution == "any" and all(ids) and len(set(ids)) == len(ids)


def _names(step: Step, places: Sequence[int]) -> str:
    calls = [step.answered.calls[at] for at in places]
    return ", ".join([f"{call.name} {call.id or ''}".rstrip() for call in calls[:4]]) + (", ..." if calls[4:] else "")


@rule(
    "history/result-name",
    "SHOULD",
    "unsafe",
    "Where results are paired with calls by name, a result has the name of the call that it answers.",
    why="No provider is known to refuse another name, but the model reads from it what was done: it takes one result "
    "for another's.",
    source="https://ai.google.dev/gemini-api/docs/function-calling; 242 recorded results, each with the name of its "
    "call",
    needs=("exchanges",),
    proof="""
    wires: [gemini-generate]
    run: {turns: [[{call: depth, id: call_1, with: {basin: n}}], Yes.]}
    right: {result-under-its-name: The result has the name of its call.}
    wrong: {result-under-another-name: [The result has another tool's name., {part: Result, become: {name: enter}}]}
    """,
)
def _result_name(view: TraceView) -> Iterator[Finding]:
    """Elsewhere the id says which call is answered, and a name is nothing that the provider reads."""
    if view.wire.call_ids != "optional":
        return
    for step in followed(view):
        for message, result, at in matched_results(step):
            call = None if at is None else step.answered.calls[at]
            if call is not None and call.name and result.name and result.name != call.name:
                got = f"a result of {quote(result.name)}"
                yield broken(step.ask.at, f"a result of {call.name} {call.id or '(no id)'}", got, message.at)


@rule(
    "history/results-first",
    "MUST",
    "unsafe",
    "What a tool says beside its result, and whatever else is added as the user's, comes after all results of the "
    "turn.",
    why="A text in the place of a result is read as one; two providers refuse it.",
    source=_EXTRA,
    needs=("exchanges",),
    facts=("ids", "part-order"),
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: n}}, {call: tide, with: {basin: s}}], Yes.]}
    wrong:
      word-before-results: [The user says something before all results., {says_before: user, text: 'Well?',
          before: Result, which: -2}]
    """,
)
def _results_first(view: TraceView) -> Iterator[Finding]:
    for step in followed(view):
        last = max((at for at, (_, part) in enumerate(step.added) if isinstance(part, Result)), default=0)
        # What stands in front of the model's turn is not between its calls and their results.
        turn = next((at for at, (message, _) in enumerate(step.added) if message.role == "assistant"), 0)
        for message, part in step.added[turn:last]:
            if isinstance(part, Text) and message.role == "user":
                got = f"a text before the last result: {quote(part.text)}"
                yield broken(step.ask.at, "all results first", got, message.at, level=_level_between(view))
                break


def _level_between(view: TraceView) -> Level | None:
    """Responses accepts a message between the results of a turn; every other wire refuses it or has no ids to pair."""
    return "SHOULD" if view.wire.texts_between_results else None


@rule(
    "history/result-error",
    "SHOULD",
    "unsafe",
    "The result of a call that was reported as failed says so: on a wire that can mark a result as an error it is "
    "marked, and only then; on the others it has a word that can mean a failure, or what the tool said of it. A "
    "result without any mark that repeats what the tool said of its failure is information only.",
    why="A model that gets a refusal as the tool's own output may go on as if the tool had run.",
    source=_FLAG,
    needs=("events", "exchanges"),
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: n}}, {call: tide, with: {basin: s}}], Yes.],
        outputs: {depth: {note: basin closed for repairs}}, failing: [depth]}
    right: {failure-sent: A failure goes back as one.}
    wrong:
      failure-sent-unmarked: [A failure goes back unmarked., {part: Result, become: {is_error: false}, which: 0}]
    """,
)
def _result_error(view: TraceView) -> Iterator[Finding]:
    """Only one wire has a flag for it; on the others a failure is whatever the result says."""
    check = _flag if view.wire.marks_failures else _words
    for step in followed(view):
        calls = view.calls_of(step.answered)
        for message, result, at in matched_results(step):
            if at is not None and (differs := check(view, calls[at], result, step.ask.at)) is not None:
                level: Level | None = "INFO" if _is_in_words(view, calls[at], result, step.ask.at) else None
                yield broken(step.ask.at, *differs, message.at, level=level)


def _is_in_words(view: TraceView, call: ReportedCall, result: Result, before: int) -> bool:
    """Whether a result without a mark, which no provider demands, repeats what the tool of a call has said of its
    failure. A refusal by the user is none of the tool's words."""
    failure = _last_reported(call, before)
    if result.is_marked or failure is None or view.kind(call) != "function":
        return False
    return any(text.strip() and text in result.output for text in texts_of(failure.output))


def _flag(_: TraceView, call: ReportedCall, result: Result, before: int) -> tuple[str, str] | None:
    if _reported_ok(call, before) is not result.is_error:
        return None
    reported, sent = ("failed", "false") if not result.is_error else ("ok", "true")
    expected = f"an is_error that fits {call.call.name} {result.id}, which was reported as {reported}"
    return expected, f"{sent}: {quote(result.output)}"


def _words(view: TraceView, call: ReportedCall, result: Result, before: int) -> tuple[str, str] | None:
    """A failed call whose result has no word of a failure, and none of what the tool said."""
    failure = _last_reported(call, before)
    if failure is None or failure.ok is not False or not _is_known(view, call):
        return None
    if not reports_success(result) and not says_nothing(result.output, _WRAPPERS):
        return None
    if any(text.strip() and text in result.output for text in texts_of(failure.output)):
        return None
    expected = f"a result that reports the failure of {call.call.name} {call.call.id or '(no id)'}"
    return expected, quote(result.output)


def _is_known(view: TraceView, call: ReportedCall) -> bool:
    """Whether the result is certainly that of this call: by its id, or because the turn calls no other tool."""
    if call.call.id:
        return call.call.id not in view.repeated_ids
    return len(call.ask.calls) == 1


def _last_reported(call: ReportedCall, before: int) -> ToolResult | None:
    """The last result that was reported of the call before that place."""
    results = call.tool.results if call.tool is not None else []
    return next((result for at, result in reversed(results) if at < before), None)


def _reported_ok(call: ReportedCall, before: int) -> bool | None:
    """Whether that result is ok; None if there is none."""
    result = _last_reported(call, before)
    return None if result is None else result.ok


# --- where a caller took a hand -----------------------------------------------------------------------------


def _edited_steps(view: TraceView) -> Iterator[Step]:
    """The steps at which a caller could do anything, but for a call without its result or a result without its call."""
    return (step for step in view.steps if step.answered.runnable and view.edited(step.answered))


def _ids(step: Step, kind: type[Call] | type[Result]) -> Counter[str | None]:
    """How often each id stands in the new history, under calls or under results."""
    return Counter([part.id for _, part in step.after if isinstance(part, kind) and part.id])


@rule(
    "history/own-result",
    "MUST",
    "unsafe",
    "The result that goes back under a call is not what another tool of the same turn returns.",
    why="The model takes one tool's answer for another's, and the call that failed for one that did not.",
    source="survey of agent loops: results are paired by position although failures are sent first",
    needs=("exchanges",),
    proof="""
    wires: [openai-chat]
    run: {turns: [[{call: depth, id: call_1, with: {basin: n}}, {call: tide, id: call_2, with: {basin: s}}], Yes.],
        outputs: {depth: {metres: 9}, tide: {rises: at noon}}, case: {returns: {depth: {metres: 9},
        tide: {rises: at noon}}}}
    right: {each-has-its-own: Each call has the result of its own tool.}
    wrong: {exchanged: [Each call has the result of the other tool., {results_become: [{}, {}]}]}
    """,
)
def _own_result(view: TraceView) -> Iterator[Finding]:
    for ask in view.asks:
        if not ask.runnable or view.edited(ask):
            continue
        for place, answer in answers(view, ask).items():
            call = ask.calls[place]
            if (other := of_another(view, ask, place, answer.result)) is not None:
                expected = (
                    f"the result of {call.name} {call.id or '(no id)'}, called in answer to request {ask.number + 1}"
                )
                got = f"the result of {other}: {quote(answer.result.output)}"
                yield broken(answer.step.ask.at, expected, got, f"call {place + 1} of {len(ask.calls)}")
