"""On which steps the model's turn must go back, and which call of a turn is which call of the request.

A provider does not accept everything that its model, or a server that speaks its format, has sent: arguments that are
no JSON, or one id for two calls. What a loop does about that is not judged, as long as its request is valid.
"""

from __future__ import annotations

from collections import Counter

from harness.ground.cached import kept
from harness.rules.arguments import is_object
from harness.rules.steps import Step
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.wire import Call, Message, Result


@kept
def own_steps(view: TraceView) -> tuple[Step, ...]:
    """The loop's own steps: a caller may change the history as it likes."""
    return tuple(step for step in view.steps if not view.edited(step.answered))


@kept
def followed(view: TraceView) -> tuple[Step, ...]:
    """The steps on which the model's turn must go back with its results.

    Left out are steps that rewrite the history, because only that is reported, and steps on which the loop has left
    out a broken turn and asks for it again.
    """
    return tuple(step for step in own_steps(view) if step.whole and not _asks_anew(view, step))


def asks_anew(view: TraceView, ask: Ask) -> bool:
    """Whether the loop has left out the broken turn that it got, and asks for it again."""
    return any(step.answered is ask and _asks_anew(view, step) for step in own_steps(view))


def _asks_anew(view: TraceView, step: Step) -> bool:
    """Whether the turn has a call that no tool can be run on, and none of its calls was run, answered or sent back."""
    calls = step.answered.calls
    if all(is_object(call.arguments) for call in calls) or any(isinstance(part, Call) for part in step.went):
        return False
    if added_results(step):
        return False
    tools = [call.tool for call in view.calls_of(step.answered)]
    return all(tool is None or tool.ran_at is None for tool in tools)


@kept
def added_results(step: Step) -> tuple[tuple[Message, Result], ...]:
    """The results that the request adds, each with its message."""
    return tuple((message, part) for message, part in step.added if isinstance(part, Result))


# --- calls under ids that the model did not give them ---------------------------------------------------------


@kept
def sent_once(step: Step) -> frozenset[str]:
    """The ids of the turn's calls that went back with one call and one result, however many calls have them.

    A provider refuses a request in which two calls of a turn have one id, so this is a form that it accepts.
    """
    made, calls = step.answered.calls, Counter(part.id for part in step.went if isinstance(part, Call))
    results = Counter(result.id for _, result in added_results(step))
    once = frozenset(call.id for call in made if call.id and calls[call.id] == results[call.id] == 1)
    # Where as many went back as were made, the others have ids of the loop's own.
    others = [call for call in made if call.id not in once]
    return once if calls.total() == len(others) + len(once) else frozenset()


def pairs_by_its_own_id(step: Step, sent: Call) -> bool:
    """Whether a call that went back under another id has its result under the same id, which no other has."""
    if not sent.id:
        return False
    calls = [part.id for part in step.went if isinstance(part, Call)]
    results = [result.id for _, result in added_results(step)]
    return calls.count(sent.id) == results.count(sent.id) == 1


def went_without_ids(view: TraceView, step: Step) -> bool:
    """Whether calls and results went back without ids, on a wire that pairs them by name and place then."""
    if view.wire.call_ids != "optional":
        return False
    calls = [part for part in step.went if isinstance(part, Call)]
    results = [result for _, result in added_results(step)]
    names = [call.name for call in calls] == [result.name for result in results]
    return names and not any(call.id for call in calls) and not any(result.id for result in results)
