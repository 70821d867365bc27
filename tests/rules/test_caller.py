"""What becomes of what a caller does: small traces, each with one thing as it should be and one as it should not.

The conversations are written down without a loop: what is sent, what comes back, what is told, what the caller does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from harness.rules import judge, select
from harness.trace import (
    Assistant,
    CallerRecord,
    Case,
    End,
    EventRecord,
    Failure,
    Final,
    Record,
    RequestRecord,
    ResponseRecord,
    ToolResult,
    ToolStart,
    Trace,
)
from harness.wire import Call, Conversation, FinishReason, Identity, Text, ThinkingPart, Turn, WireName, wire

ANTHROPIC: WireName = "anthropic-messages"
CHAT: WireName = "openai-chat"
CALLS = Turn(
    (Text("Let me look."), Call("look", "{}", "toolu_1"), Call("wait", "{}", "toolu_2")), FinishReason.TOOL_CALLS
)
DONE = Turn((Text("Done."),))
CANCELLED = '{"error": "cancelled"}'

Json = dict[str, Any]


def user(*content: Json | str) -> Json:
    blocks = [{"type": "text", "text": each} if isinstance(each, str) else each for each in content]
    return {"role": "user", "content": blocks}


def result(id: str, output: str, *, is_error: bool = False) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": output, "is_error": is_error}


class Told:
    """A trace on Anthropic's wire, or another one, while it is written down."""

    def __init__(self, wire_name: WireName = ANTHROPIC, **case: Any) -> None:
        self.wire = wire_name
        self.case = Case("c", "small", wire_name, **case)
        self.records: list[Record] = []
        self.history: list[Json] = []
        self.exchange = -1

    def asks(self, *messages: Json, turn: Turn = DONE, cut: int | None = None, **body: Any) -> Told:
        """A request with ``messages`` behind the history, and the answer; ``cut``: only so many frames arrive."""
        self.history += messages
        return self.sends(self.history, turn=turn, cut=cut, **body)

    def sends(self, history: Sequence[Json], *, turn: Turn = DONE, cut: int | None = None, **body: Any) -> Told:
        """A request with a history of its own."""
        speaker = wire(self.wire)
        self.exchange += 1
        whole = {**speaker.settings, "model": speaker.default_model, "stream": True, speaker.history: list(history)}
        whole |= {"max_tokens": 5000} if self.wire == ANTHROPIC else {}
        path = speaker.write(Conversation(self.wire, speaker.default_model, True, ())).path
        self.records.append(RequestRecord(self.exchange, "POST", path, {}, json.dumps({**whole, **body}).encode()))
        rendered = speaker.render(turn, Identity("small"), Conversation(self.wire, "m", True, (), ()))
        frames = rendered.frames[:cut]
        end: End = "eof" if cut is None else "closed"
        head = {"content-type": rendered.content_type}
        self.records.append(ResponseRecord(self.exchange, 200, head, b"".join(frames), end=end))
        self.said = [{"role": "assistant", "content": list(rendered.reply.items)}]
        return self

    def tells(self, *events: Any) -> Told:
        self.records += [EventRecord(event, self.exchange) for event in events]
        return self

    def does(self, did: Any, text: str = "", **members: Any) -> Told:
        self.records.append(CallerRecord(did, text, **members))
        return self

    def rules(self, family: str = "caller/") -> set[str]:
        found = judge(Trace(self.case, tuple(self.records)))
        return {finding.rule for finding in found if finding.rule.startswith(family)}


def started(*numbers: int) -> list[ToolStart]:
    return [ToolStart(f"toolu_{number}", ("look", "wait")[number - 1], {}) for number in numbers]


def ended(number: int, *, ok: bool = True) -> ToolResult:
    return ToolResult(f"toolu_{number}", ("look", "wait")[number - 1], "seen", ok)


def cancelled_at_the_second(*results: Json, **case: Any) -> Told:
    """The second call runs when the run is cancelled; the next request has these results."""
    told = Told(**case).asks(user("Go."), turn=CALLS)
    told.tells(*started(1), ended(1), *started(2)).does("cancel").tells(ended(2, ok=False)).does("run", "Again.")
    return told.asks(*told.said, user(*results, "Again.")).tells(Final(""))


# --- a run is cancelled -------------------------------------------------------------------------------------


SEEN, ENDED_CALL_LOST = result("toolu_1", "seen"), result("toolu_1", CANCELLED, is_error=True)
GONE = result("toolu_2", CANCELLED, is_error=True)


@pytest.mark.parametrize(
    ("results", "returns", "found"),
    [
        ((SEEN, GONE), {}, set()),
        ((SEEN, result("toolu_2", "seen")), {}, {"caller/cancelled-result"}),
        ((SEEN, result("toolu_2", "")), {}, {"caller/cancelled-result"}),
        ((SEEN, result("toolu_2", "no error at all")), {"wait": "no error at all"}, {"caller/cancelled-result"}),
        ((SEEN, GONE), {"wait": ""}, set()),
        ((ENDED_CALL_LOST, GONE), {}, {"caller/ended-result"}),
        ((ENDED_CALL_LOST, GONE), {"look": "seen"}, {"caller/ended-result"}),
    ],
    ids=["right", "as-done", "empty", "as-returned", "returns-nothing", "ended-lost", "ended-lost-and-known"],
)
def test_a_cancelled_call_says_so_and_an_ended_one_keeps_its_result(
    results: Sequence[Json], returns: Json, found: set[str]
) -> None:
    """What its tool returns tells a cancelled call from one that was done; a tool that returns nothing does not."""
    assert cancelled_at_the_second(*results, returns=returns).rules() == found


def test_of_a_loop_that_reports_no_ends_nobody_knows_what_had_ended() -> None:
    told = Told().asks(user("Go."), turn=CALLS).does("cancel").does("run", "Again.")
    told.asks(*told.said, user(result("toolu_1", "seen"), result("toolu_2", "seen"), "Again."))
    assert told.rules() == set()


@pytest.mark.parametrize(
    ("running", "before", "behind", "after", "found"),
    [
        ((1,), [], ("toolu_1",), [ended(1)], set()),
        ((1,), [], (), [ended(1)], {"caller/cancelled"}),
        ((1, 2), [], ("toolu_1",), [ended(1), ended(2)], {"caller/cancelled"}),
        ((1,), [ended(1), *started(2)], ("toolu_1",), [ended(2)], {"caller/cancelled"}),
    ],
    ids=["on-its-way", "not-on-its-way", "one-of-two", "reported-before"],
)
def test_a_result_that_was_on_its_way_is_taken(
    running: Sequence[int], before: list[Any], behind: tuple[str, ...], after: list[Any], found: set[str]
) -> None:
    told = Told().asks(user("Go."), turn=CALLS).tells(*started(*running), *before)
    assert told.does("cancel", ended=behind).tells(*after).rules() == found


def test_an_answer_that_is_taken_after_the_cancel_is_found_and_one_that_is_left_is_not() -> None:
    told = Told().asks(user("Go.")).does("cancel")
    history = list(told.history)
    assert told.sends(history, cut=1).rules() == set()
    assert told.sends(history).rules() == {"caller/cancelled"}


@pytest.mark.parametrize(
    ("cut", "events", "found"),
    [(-1, [Final("")], {"caller/cancelled"}), (-1, [], set()), (-2, [Final("")], set())],
)
def test_an_answer_is_taken_that_ends_the_run_though_its_connection_is_closed(
    cut: int, events: list[Any], found: set[str]
) -> None:
    """Streams of Interactions have an event behind the one that says the end, and their SDK waits for no more."""
    asked = [{"type": "user_input", "content": [{"type": "text", "text": "Go."}]}]
    told = Told("gemini-interactions").sends(asked).does("cancel")
    assert told.sends(asked, cut=cut).tells(*events).rules() == found


@pytest.mark.parametrize(
    ("kept", "found"),
    [
        ("Bread is", set()),
        ("Bread is [interrupted]", set()),
        ("I was interrupted.", {"caller/shown"}),
        ("", {"caller/shown"}),
    ],
)
def test_what_was_shown_is_in_the_next_request(kept: str, found: set[str]) -> None:
    told = Told().asks(user("Go."), turn=Turn((Text("Bread is old."),)), cut=5).tells(Assistant("Bread is", "1"))
    told.does("cancel").does("run", "Again.")
    said = [{"role": "assistant", "content": [{"type": "text", "text": kept}]}] if kept else []
    assert told.asks(*said, user("Again.")).rules() == found


@pytest.mark.parametrize(
    ("kept", "found"),
    [
        ("Oslo is in the north, so it is cold.", {"caller/thought"}),
        ("Bread is", set()),
        ("Oslo is far.", set()),
    ],
)
def test_a_thought_that_was_cut_off_is_no_answer(kept: str, found: set[str]) -> None:
    turn = Turn((ThinkingPart("Oslo is in the north, so it is cold."), Text("It is cold.")))
    told = Told().asks(user("Go."), turn=turn, cut=9).does("cancel").does("run", "Again.")
    said = {"role": "assistant", "content": [{"type": "text", "text": kept}]}
    assert told.asks(said, user("Again.")).rules() == found


# --- the user says something --------------------------------------------------------------------------------


def said_while_tools_run(*content: Json | str, text: str = "Quickly.") -> Told:
    told = Told(prompt=(("user", "Go."),)).asks(user("Go."), turn=CALLS).tells(*started(1), ended(1))
    told.does("say", text)
    told.tells(*started(2), ended(2))
    return told.asks(*told.said, user(*content)).tells(Final(""))


DONE_SAID: list[Json] = [{"role": "assistant", "content": "Done."}]
RESULTS = (result("toolu_1", "seen"), result("toolu_2", "seen"))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ((*RESULTS, "Quickly."), set()),
        ((*RESULTS, "The user says: Quickly."), set()),
        (RESULTS, {"caller/message-sent"}),
        ((*RESULTS, "Quickly.", "Quickly."), {"caller/message-sent"}),
        (("Quickly.", *RESULTS), {"caller/message-last"}),
        ((RESULTS[0], "Quickly.", RESULTS[1]), {"caller/message-last"}),
    ],
)
def test_what_was_said_is_there_once_and_behind_all_results(content: Sequence[Json | str], found: set[str]) -> None:
    assert said_while_tools_run(*content).rules() == found


def test_what_the_prompt_says_may_be_said_again() -> None:
    assert said_while_tools_run(*RESULTS, "Go.", text="Go.").rules() == set()


def test_what_was_said_is_the_users() -> None:
    told = Told().asks(user("Go."), turn=CALLS).tells(*started(1, 2), ended(1)).does("say", "Quickly.").tells(ended(2))
    told.asks(*told.said, user(*RESULTS), {"role": "assistant", "content": "Quickly."}, user("Well?")).tells(Final(""))
    assert told.rules() == {"caller/message-role", "caller/message-sent"}


def test_a_message_that_comes_back_in_a_later_request_is_found() -> None:
    told = said_while_tools_run(*RESULTS, "Quickly.").does("run", "More.")
    again = [*told.history, *told.said]
    assert Told.rules(told.sends([*again, user("More.")])) == set()
    assert told.sends([*again, user("More.", "Quickly.")]).rules() == {"caller/message-sent"}


@pytest.mark.parametrize(
    ("end", "found"),
    [
        (Final(""), {"caller/message-sent"}),
        (Final("", outcome="truncated"), set()),
        (Failure("http", "no"), set()),
    ],
)
def test_a_message_without_a_further_request_is_lost_if_the_model_was_done(end: Any, found: set[str]) -> None:
    assert Told().asks(user("Go.")).does("say", "Quickly.").tells(end).rules() == found


@pytest.mark.parametrize(
    ("profile", "asks", "end", "found"),
    [
        ("coding-agent", False, Final(""), {"caller/message-sent"}),
        ("coding-agent", False, Failure("http", "no"), {"caller/message-sent"}),
        ("coding-agent", False, Failure("raised", "exit code 1"), set()),
        ("universal", False, Failure("raised", "a call waits"), {"caller/message-sent"}),
        ("coding-agent", True, Failure("raised", "exit code 1"), {"caller/message-sent"}),
    ],
    ids=["ends", "fails", "agent-raises", "library-raises", "raises-behind-a-request"],
)
def test_a_run_of_an_agent_that_raises_before_it_has_asked_has_lost_no_message(
    profile: str, asks: bool, end: Any, found: set[str]
) -> None:
    """An agent's command for another run may just be wrong: the runner reports that the run has sent no request."""
    told = Told(profile=profile).asks(user("Go.")).tells(Final("")).does("run", "More.")
    if asks:
        told.asks(*DONE_SAID, user("Other."))
    assert told.tells(end).rules() == found


@pytest.mark.parametrize(("limit", "found"), [(1, set()), (2, {"caller/message-sent"})])
def test_a_message_in_the_last_turn_of_a_run_may_wait_for_another(limit: int, found: set[str]) -> None:
    told = (
        Told(turn_limit=limit).asks(user("Go.")).tells(Final("")).does("run", "More.").asks(*DONE_SAID, user("More."))
    )
    assert told.does("say", "Quickly.").tells(Final("")).rules() == found


@pytest.mark.parametrize(("said_in", "found"), [(1, {"guardrail/false-alarm"}), (2, set())])
def test_a_message_in_the_last_turn_makes_the_limit_no_false_alarm(said_in: int, found: set[str]) -> None:
    told = Told(turn_limit=2)
    for number, turn in enumerate((CALLS, DONE), 1):
        told.asks(
            *([user("Go.")] if number == 1 else [*told.said, user(result("toolu_1", "a"), result("toolu_2", "b"))]),
            turn=turn,
        )
        if number == said_in:
            told.does("say", "And this?")
    told.tells(Failure("turn-limit", "The next request would exceed the limit."))
    assert told.rules("guardrail/false-alarm") == found


def test_a_message_that_was_said_before_the_last_turn_has_to_be_in_it() -> None:
    told = Told(turn_limit=2).asks(user("Go."), turn=CALLS).tells(*started(1)).does("say", "Quickly.")
    told.tells(ended(1), *started(2), ended(2)).asks(*told.said, user(*RESULTS)).tells(Final(""))
    assert told.rules() == {"caller/message-sent"}


def test_a_message_in_the_words_of_the_prompt_is_looked_for_where_it_is_new() -> None:
    told = Told(prompt=(("user", "Go."),)).asks(user("Go."), turn=CALLS).tells(*started(1, 2), ended(1), ended(2))
    told.asks(*told.said, user(*_both()), cut=1).does("say", "Go.").sends(list(told.history))
    assert told.asks(*told.said, user("Go.")).tells(Final("")).rules() == set()


def _both() -> tuple[Json, Json]:
    return result("toolu_1", "seen"), result("toolu_2", "seen")


def test_a_message_in_a_run_that_is_cancelled_may_wait_for_another() -> None:
    assert Told().asks(user("Go.")).does("say", "Quickly.").does("cancel").rules() == set()


# --- another run --------------------------------------------------------------------------------------------


def two_runs(*later: Any, turn: Turn = DONE) -> Told:
    told = Told().asks(user("Go."), turn=CALLS).tells(*started(1, 2), ended(1), ended(2))
    told.asks(*told.said, user(*RESULTS)).tells(Final("")).does("run", "More.", resumed=True)
    return told.asks(*told.said, user("More."), turn=turn).tells(*later, Final(""))


def test_what_has_run_is_not_run_again() -> None:
    assert two_runs().rules() == set()
    assert two_runs(*started(1), ended(1)).rules() == {"caller/ran-again"}


def test_an_id_that_the_model_uses_again_is_a_call_of_its_own() -> None:
    again = Turn((Call("look", "{}", "toolu_1"),), FinishReason.TOOL_CALLS)
    assert two_runs(*started(1), ended(1), turn=again).rules() == set()


@pytest.mark.parametrize("first", ["toolu_1", "toolu_3"])
def test_an_id_that_the_model_uses_again_after_a_compaction_may_be_replaced(first: str) -> None:
    made = [Turn((Call("look", "{}", id),), FinishReason.TOOL_CALLS) for id in (first, "toolu_1")]
    told = (
        Told().asks(user("Go."), turn=made[0]).tells(ToolStart(first, "look", {}), ToolResult(first, "look", "", True))
    )
    told.asks(*told.said, user(result(first, "seen"))).tells(Final("")).does("run", "More.", compacted=True)
    told.sends([user("In short: nothing.", "More.")], turn=made[1])
    told.tells(ToolStart("a-new-one", "look", {}), ToolResult("a-new-one", "look", "", True))
    told.sends([user("In short: nothing.", "More."), *told.said, user(result("toolu_1", "seen"))]).tells(Final(""))
    assert ("order/tool-id" in told.rules("order/")) is (first != "toolu_1")


def test_a_call_that_had_failed_may_be_tried_again() -> None:
    told = Told().asks(user("Go."), turn=CALLS).tells(*started(1), ended(1, ok=False)).does("run", "More.")
    assert told.asks(*told.said, user(*RESULTS, "More.")).tells(*started(1), ended(1)).rules() == set()


# --- a call waits for approval ------------------------------------------------------------------------------

WAITS = Turn((Call("wait", "{}", "toolu_2"),), FinishReason.TOOL_CALLS)


def waiting(*, resolved: tuple[tuple[str, str], ...] = (), text: str = "", kind: str = "unapproved") -> Told:
    """A call of the tool ``wait`` is deferred, the next run begins with this, and the call runs in it."""
    told = Told(kinds={"wait": kind}).asks(user("Go."), turn=WAITS).tells(*started(2), Final("", outcome="deferred"))
    told.does("run", text, resolved=resolved).tells(ended(2))
    content = [result("toolu_2", "seen"), *([text] if text else [])]
    return told.asks(*told.said, user(*content)).tells(Final(""))


@pytest.mark.parametrize(
    ("resolved", "text", "found"),
    [
        ((("wait", "approve"),), "", set()),
        ((("wait", "deny"),), "", {"caller/approved"}),
        ((("look", "approve"),), "", {"caller/approved"}),
        ((("wait", "deny"), ("wait", "approve")), "", set()),
        ((), "More.", {"caller/approved"}),
    ],
)
def test_a_call_that_waits_runs_once_it_is_approved(
    resolved: tuple[tuple[str, str], ...], text: str, found: set[str]
) -> None:
    assert waiting(resolved=resolved, text=text).rules() == found


def test_a_run_that_waits_when_it_is_cancelled_may_go_on_as_the_user_decides() -> None:
    told = Told(kinds={"wait": "unapproved"}, returns={"wait": "seen at last"}).asks(user("Go."), turn=WAITS)
    told.tells(*started(2)).does("cancel").tells(Final("", outcome="deferred"))
    told.does("run", resolved=(("wait", "approve"),)).tells(ended(2))
    told.asks(*told.said, user(result("toolu_2", "seen at last"))).tells(Final(""))
    assert told.rules() == set()
    told.records = [replace(each, resolved=()) if isinstance(each, CallerRecord) else each for each in told.records]
    assert told.rules() == {"caller/cancelled-result", "caller/approved"}


@pytest.mark.parametrize(("did", "found"), [("cancel", set()), ("say", {"execution/waiting"})])
def test_a_call_of_a_run_that_is_cancelled_need_not_wait(did: str, found: set[str]) -> None:
    told = (
        Told(kinds={"wait": "unapproved"})
        .asks(user("Go."), turn=WAITS)
        .tells(*started(2))
        .does(did)
        .does("run", "Again.")
    )
    told.asks(*told.said, user(result("toolu_2", CANCELLED, is_error=True), "Again.")).tells(Final(""))
    assert told.rules("execution/") == found


@pytest.mark.parametrize(("failure", "found"), [([Failure("http", "no")], set()), ([], {"execution/waiting"})])
def test_a_call_of_a_run_that_has_failed_need_not_wait(failure: list[Failure], found: set[str]) -> None:
    """The user goes on; a finding about the run that failed would be one about that."""
    told = Told(kinds={"wait": "unapproved"}).asks(user("Go."), turn=WAITS).tells(*failure).does("run", "Again.")
    told.asks(*told.said, user(result("toolu_2", CANCELLED, is_error=True), "Again.")).tells(Final(""))
    assert told.rules("execution/") == found


@pytest.mark.parametrize(("did", "found"), [("run", set()), ("say", {"retry/tool"})])
def test_the_turns_in_which_a_tool_fails_are_counted_run_by_run(did: str, found: set[str]) -> None:
    """The run has ended because of them, and the user has gone on."""
    wrong = Turn((Call("look", '{"far', "toolu_1"),), FinishReason.TOOL_CALLS)
    told = Told(profile="pydantic-ai").asks(user("Go."), turn=wrong)
    told.tells(*started(1), ended(1, ok=False))
    told.asks(*told.said, user(result("toolu_1", "no JSON", is_error=True)), turn=wrong)
    told.tells(*started(1), ended(1, ok=False), Failure("tool-retries", "twice")).does(did, "Again.")
    told.asks(*told.said, user(result("toolu_1", "no JSON", is_error=True), "Again.")).tells(Final(""))
    assert told.rules("retry/tool") == found


def test_a_call_that_need_not_wait_may_run_later() -> None:
    assert waiting(text="More.", kind="function").rules() == set()


def test_a_call_that_was_approved_before_a_later_run_needs_no_second_approval() -> None:
    told = Told(kinds={"wait": "unapproved"}).asks(user("Go."), turn=WAITS).tells(*started(2))
    told.tells(Final("", outcome="deferred")).does("run", resolved=(("wait", "approve"),)).tells(ended(2))
    told.asks(*told.said, user(result("toolu_2", "seen"))).tells(Final("")).does("run", "More.")
    assert told.asks(*told.said, user("More.")).tells(Final("")).rules() == set()


# --- a switch -----------------------------------------------------------------------------------------------

THOUGHT = Turn((ThinkingPart("Hm."), Text("Let me look."), Call("look", "{}", "toolu_1")), FinishReason.TOOL_CALLS)


def switched(*content: Json, asked: str = "claude-opus-4-8", named: str = "claude-opus-4-8") -> Told:
    """Another model of the same wire goes on with these blocks as the first one's turn."""
    told = Told().asks(user("Go."), turn=THOUGHT).tells(ToolStart("toolu_1", "look", {}), ended(1))
    told.asks(*told.said, user(RESULTS[0])).tells(Final("")).does("run", "More.", model=named)
    history = [user("Go."), {"role": "assistant", "content": list(content)}, user(RESULTS[0]), *told.said]
    return told.sends([*history, user("More.")], model=asked).tells(Final(""))


LOOKED: Json = {"type": "text", "text": "Let me look."}
LOOKS: Json = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}


def thinking() -> Json:
    (block, *_) = Told().asks(user("Go."), turn=THOUGHT).said[0]["content"]
    assert isinstance(block, dict)
    return block


def test_after_a_switch_texts_calls_and_results_stay_and_thinking_goes() -> None:
    assert switched(LOOKED, LOOKS).rules() == set()
    kept = switched(thinking(), LOOKED, LOOKS)
    assert kept.rules() == set()
    found = judge(Trace(kept.case, tuple(kept.records)), select(["caller/switched-thinking"], info=True))
    assert [each.level for each in found] == ["INFO"], "between models of one provider the rules of the wire decide"


@pytest.mark.parametrize(
    "sent",
    [
        {"error": "closed"},
        {"name": "look", "error": "closed"},
        {"name": "look", "content": "closed"},
        {"error": {"error": "closed"}},
        "closed",
    ],
)
def test_a_result_may_be_wrapped_as_another_provider_wants_it(sent: Any) -> None:
    told = Told().asks(user("Go."), turn=THOUGHT).tells(ToolStart("toolu_1", "look", {}), ended(1, ok=False))
    told.asks(*told.said, user(result("toolu_1", "closed", is_error=True))).tells(Final(""))
    told.does("run", "More.", model="claude-opus-4-8")
    output = sent if isinstance(sent, str) else json.dumps(sent)
    history = [user("Go."), {"role": "assistant", "content": [LOOKED, LOOKS]}, user(result("toolu_1", output))]
    assert told.sends([*history, *told.said, user("More.")], model="claude-opus-4-8").rules() == set()
    history[2] = user(result("toolu_1", '{"name": "look", "error": "open"}'))
    assert told.sends([*history, *told.said, user("More.")]).rules() == set(), "only the first request is compared"


def test_what_the_loop_itself_has_put_into_the_history_need_not_stay() -> None:
    """One that writes a thought as a text for a provider, and has it as a thought for the one that it comes from."""
    told = Told().asks(user("Go."), turn=THOUGHT).tells(ToolStart("toolu_1", "look", {}), ended(1))
    own: Json = {"type": "text", "text": "<think>Hm.</think>"}
    said = {"role": "assistant", "content": [own, LOOKED, LOOKS]}
    told.asks(said, user(result("toolu_1", "seen"))).tells(Final("")).does("run", "More.", model="claude-opus-4-8")
    kept = {"role": "assistant", "content": [LOOKED, LOOKS]}
    history = [user("Go."), kept, user(result("toolu_1", "seen")), *told.said, user("More.")]
    assert told.sends(history, model="claude-opus-4-8").rules() == set()


@pytest.mark.parametrize(("named", "level"), [("", "INFO"), (ANTHROPIC, "MUST")])
def test_another_provider_of_the_same_wire_has_none_of_the_signatures(named: str, level: str) -> None:
    told = switched(thinking(), LOOKED, LOOKS)
    told.records = [
        replace(each, wire=named) if isinstance(each, CallerRecord) and each.model else each for each in told.records
    ]
    found = judge(Trace(told.case, tuple(told.records)), select(["caller/switched-thinking"], info=True))
    assert [each.level for each in found] == [level]


PIECES: list[Json] = [{"type": "text", "text": text} for text in ("Let m", "e look.")]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (({"type": "text", "text": "(Hm.) Let me look."}, LOOKS), set()),
        ((*PIECES, LOOKS), set()),
        ((*reversed(PIECES), LOOKS), {"caller/switched-history"}),
        ((LOOKS,), {"caller/switched-history"}),
        ((LOOKED, {**LOOKS, "input": {"at": "sea"}}), {"caller/switched-history"}),
    ],
    ids=["thinking-as-text", "pieces-that-part-words", "pieces-in-another-order", "text-missing", "another-call"],
)
def test_after_a_switch_a_text_may_be_in_pieces_and_nothing_is_missing(
    content: Sequence[Json], found: set[str]
) -> None:
    assert switched(*content).rules() == found


def test_broken_arguments_may_go_back_as_the_other_wire_can_say_them() -> None:
    cut = Turn((Call("look", '{"at', "toolu_1"),), FinishReason.TOOL_CALLS)
    told = Told(CHAT).asks({"role": "user", "content": "Go."}, turn=cut).tells(Failure("http", "no"))
    told.does("run", "More.", model="gpt-5.2")
    call = {"id": "c23456789", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    history: list[Json] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c23456789", "content": "error"},
        {"role": "user", "content": "More."},
    ]
    assert told.asks(*history, model="gpt-5.2").rules() == set()


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("claude-opus-4-8", set()),
        ("anthropic/claude-opus-4-8", set()),
        ("claude-sonnet-4-6", {"caller/switched-model"}),
    ],
)
def test_after_a_switch_the_model_that_was_named_is_asked(asked: str, found: set[str]) -> None:
    assert switched(LOOKED, LOOKS, asked=asked).rules() == found


@pytest.mark.parametrize(
    ("marks", "found"),
    [
        (("[redacted]", "[redacted 2]"), set()),
        (("[redacted]", "[redacted]"), {"caller/switched-key"}),
        (("[redacted]", ""), set()),
    ],
)
def test_after_a_change_of_key_the_old_one_is_used_no_more(marks: tuple[str, str], found: set[str]) -> None:
    told = Told().asks(user("Go.")).tells(Final("")).does("run", "More.", key=True)
    told.asks(*told.said, user("More.")).tells(Final(""))
    keys = iter(marks)
    told.records = [
        replace(each, headers={"x-api-key": next(keys)}) if isinstance(each, RequestRecord) else each
        for each in told.records
    ]
    assert told.rules() == found


def test_after_a_switch_ids_have_the_form_that_the_new_maker_takes() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    for id, found in (("call_1", {"caller/switched-ids"}), ("a23456789", set[str]())):
        told = Told(CHAT).asks({"role": "user", "content": "Go."}).tells(Final(""))
        told.does("run", "More.", model="mistral-large-latest")
        turn: list[Json] = [
            {"role": "assistant", "content": None, "tool_calls": [{**call, "id": id}]},
            {"role": "tool", "tool_call_id": id, "content": "seen"},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "More."},
        ]
        assert told.asks(*turn, model="mistral-large-latest").rules() == found


@pytest.mark.parametrize(
    ("asked", "summary", "found"),
    [
        ("Tell me. " * 100, "In short: nothing.", set()),
        ("Tell me. " * 100, "At length: nothing. " * 100, {"caller/compacted"}),
        ("Go.", "This is a summary of all that was said until now: they greeted each other.", set()),
    ],
)
def test_what_was_compacted_is_shorter_where_there_was_much(asked: str, summary: str, found: set[str]) -> None:
    told = Told().asks(user(asked)).does("run", "And now?", compacted=True)
    assert told.sends([user(summary), *told.said, user("And now?")]).rules() == found


def test_a_text_that_was_shown_may_be_compacted_with_the_rest() -> None:
    told = Told().asks(user("Go. " * 200), turn=DONE, cut=4).tells(Assistant("Do", "a")).does("cancel")
    told.does("run", "And now?", compacted=True).sends([user("In short: nothing.", "And now?")])
    assert told.rules() == set()
    told.records = [replace(each, compacted=False) if isinstance(each, CallerRecord) else each for each in told.records]
    assert told.rules() == {"caller/shown"}


def test_a_call_that_had_failed_when_the_run_was_cancelled_keeps_its_failure() -> None:
    told = Told().asks(user("Go."), turn=CALLS).tells(*started(1))
    told.does("cancel", ended=("toolu_1",), failed=("toolu_1",)).does("run", "Again.")
    failed = result("toolu_1", '{"error": "There is nothing to look at."}', is_error=True)
    told.tells(ended(1, ok=False))
    told.history += told.said
    assert told.asks(user(failed, result("toolu_2", CANCELLED, is_error=True), "Again.")).rules() == set()
    assert "caller/ended-result" in _as_returned(told).rules()


def _as_returned(told: Told) -> Told:
    """The same, of a call that has returned."""
    told.records = [replace(each, failed=()) if isinstance(each, CallerRecord) else each for each in told.records]
    return told
