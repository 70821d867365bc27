"""Any sequence of turns and edits: the history stays what the caller and the rules of the runner make it.

The machine keeps a history of its own by the simplest means and compares it with what each request had.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from harness.loop import ProviderTurn, Runner, ToolCall
from harness.loop.runner import _Iteration
from harness.trace import Event
from tests.loop.fake_session import Answer, FakeSession, turn
from tests.loop.test_run import ScriptedTools

_T = TypeVar("_T")


def now(work: Coroutine[Any, Any, _T]) -> _T:
    """What ``work`` returns; nothing here ever waits."""
    try:
        work.send(None)
    except StopIteration as end:
        result: _T = end.value
        return result
    raise AssertionError("something waited")


class CallerEdits(RuleBasedStateMachine):
    """``expected`` is the history as it must be; ``here`` the turn that the caller has."""

    runner_class = Runner

    @initialize()
    def start(self) -> None:
        self.answers: list[Answer] = []
        self.session = FakeSession(self.answers, history=[{"user": "Go."}])
        self.tools = ScriptedTools()
        self.runner = self.runner_class(self.session, self.tools, self.tell)
        self.turns = self.runner.__aiter__()
        self.expected: list[Any] = [{"user": "Go."}]
        self.calls_made = 0
        self.notes = 0
        self.over = False
        self.here: ProviderTurn | None = None
        self.receive([])

    async def tell(self, event: Event) -> None:
        pass

    def teardown(self) -> None:
        if hasattr(self, "turns"):
            now(self.turns.aclose())

    # --- what the machine knows ---

    def receive(self, calls: list[ToolCall]) -> None:
        """The next request is answered with ``calls``, or with a text that ends."""
        self.answers.append(Answer(turn(f"Turn {len(self.answers)}.", *calls)))
        try:
            self.here = now(self.turns.__anext__())
        except StopAsyncIteration:
            self.over, self.here = True, None
            return
        self.changed = self.kept = self.answered = False
        assert self.session.sent[-1] == self.expected

    def native_turn(self) -> dict[str, Any]:
        assert self.here is not None
        return {"assistant": self.here.assistant_text, "calls": [call.id for call in self.here.tool_calls]}

    def native_results(self) -> dict[str, Any]:
        assert self.here is not None
        return {"results": {call.id: f"result {call.id}" for call in self.here.tool_calls}}

    def calls_here(self) -> bool:
        return self.here is not None and bool(self.here.tool_calls)

    # --- what a caller may do ---

    @precondition(lambda self: self.over)
    @rule()
    def begin_anew(self) -> None:
        self.start()

    @precondition(lambda self: not self.over)
    @rule(count=st.integers(0, 3))
    def go_on(self, count: int) -> None:
        assert self.here is not None
        ends = not self.changed and not self.here.tool_calls
        if not self.changed:
            self.expected.append(self.native_turn())
            self.kept = True
        if self.kept and not self.answered and self.here.tool_calls:
            at = self.expected.index(self.native_turn())
            self.expected.insert(at + 1, self.native_results())
        calls = [ToolCall(f"c{self.calls_made + n}", "look", "{}") for n in range(count)]
        self.calls_made += count
        self.receive(calls)
        assert self.over == ends

    @precondition(lambda self: not self.over)
    @rule()
    def push_note(self) -> None:
        self.notes += 1
        self.runner.push_messages(("user", f"Note {self.notes}."))
        self.expected.append({"user": f"Note {self.notes}."})
        self.changed = True

    @precondition(lambda self: not self.over and not self.kept)
    @rule(native=st.booleans())
    def push_turn(self, native: bool) -> None:
        assert self.here is not None
        self.runner.push_messages(self.native_turn() if native else self.here)
        self.expected.append(self.native_turn())
        self.changed = self.kept = True

    @precondition(lambda self: self.calls_here())
    @rule()
    def generate(self) -> None:
        response = now(self.runner.generate_tool_response())
        assert response is not None
        assert response.messages == [self.native_results()]

    @precondition(lambda self: self.calls_here() and not self.kept)
    @rule()
    def push_turn_and_response(self) -> None:
        response = now(self.runner.generate_tool_response())
        assert response is not None
        assert self.here is not None
        self.runner.push_messages(self.here, response)
        self.expected += [self.native_turn(), self.native_results()]
        self.changed = self.kept = self.answered = True

    @precondition(lambda self: not self.over)
    @rule()
    def set_a_parameter(self) -> None:
        self.runner.set_params(max_tokens=self.notes)
        self.changed = True

    @precondition(lambda self: not self.over)
    @rule(keep=st.booleans())
    def replace_the_history(self, keep: bool) -> None:
        kept = [self.here] if keep else []
        self.runner.set_params(messages=[{"user": "Anew."}, *kept, {"user": "Go."}])
        self.expected = [{"user": "Anew."}, *([self.native_turn()] if keep else []), {"user": "Go."}]
        self.changed, self.kept, self.answered = True, keep, False

    # --- what must always hold ---

    @invariant()
    def each_tool_ran_at_most_once(self) -> None:
        ran = self.tools.ran if hasattr(self, "tools") else []
        assert len(ran) == len(set(ran))

    @invariant()
    def every_call_is_answered_right_behind_its_turn_and_nothing_else_is(self) -> None:
        for history in self.session.sent if hasattr(self, "session") else []:
            for before, message in zip([{}, *history], [*history, {}], strict=True):
                assert message.get("results", {}).keys() == set(before.get("calls", [])), history


SETTINGS = settings(max_examples=60, stateful_step_count=20, deadline=None, database=None)


def test_any_sequence_of_edits() -> None:
    run_state_machine_as_test(CallerEdits, settings=SETTINGS)


class _AlwaysAppends(Runner):
    async def _go_on(self, current: _Iteration) -> None:
        current.changed = False
        await super()._go_on(current)


class _AnswersOnlyWhatItAppended(Runner):
    async def _go_on(self, current: _Iteration) -> None:
        if current.changed:
            current.end = None
        await super()._go_on(current)


class _ForgetsThePush(Runner):
    async def _go_on(self, current: _Iteration) -> None:
        current.answered = False
        await super()._go_on(current)


class _EndsThoughChanged(Runner):
    def _ending(self, current: _Iteration) -> Any:
        current.changed = current.changed and bool(current.turn.tool_calls)
        return super()._ending(current)


class _AppendsTheResultsAtTheEnd(Runner):
    async def _go_on(self, current: _Iteration) -> None:
        if current.end is not None:
            current.end = len(self._session.history)
        await super()._go_on(current)


@pytest.mark.parametrize(
    "broken",
    [_AlwaysAppends, _AnswersOnlyWhatItAppended, _ForgetsThePush, _EndsThoughChanged, _AppendsTheResultsAtTheEnd],
    ids=lambda kind: kind.__name__,
)
def test_a_broken_runner_is_seen(broken: type[Runner]) -> None:
    class Broken(CallerEdits):
        runner_class = broken

    quick = settings(SETTINGS, phases=[Phase.generate], derandomize=True, max_examples=200)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(Broken, settings=quick)
