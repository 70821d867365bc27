"""A judgement that goes on from the one before, by the checks that can find something, finds what one of everything by
all checks finds, whatever is sent between."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from harness.finding import Finding
from harness.wire import Call, Conversation, FinishReason, Identity, IssuedState, Reply, Text, ThinkingPart, Turn
from harness.wire.anthropic_messages import WIRE
from harness.wire.anthropic_messages.rules.issued import IssuedReplies, Key
from harness.wire.anthropic_messages.rules.memory import JudgedBefore
from harness_lab.mutants.requests import Posted, equivalents, mutants
from tests.wire.anthropic_messages.histories import (
    ROUTE,
    TOOLS,
    TWO_CALLS,
    WITHOUT_THREADS,
    Body,
    Served,
    body_of,
    by_every_check,
    text,
    user,
)

# --- what a model says, repeating itself --------------------------------------------------------------------------

few_texts = st.sampled_from([*["a", "b", "Doing."] * 4, " "])
forms = st.sampled_from(["plain", "plain", "redacted", "omitted"])
thinkings = st.builds(ThinkingPart, few_texts, forms, st.sampled_from([*[""] * 9, "c2FtZQ=="]))
ids = st.sampled_from([*[None] * 9, "x", ""])
calls = st.builds(Call, st.sampled_from(["list_files", "read_file"]), st.just("{}"), ids)


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    """Mostly as models answer, and now and then as none would."""
    if draw(st.integers(0, 9)) == 9:
        parts = draw(st.lists(thinkings | st.builds(Text, few_texts) | calls, max_size=4))
        return Turn(tuple(parts), draw(st.sampled_from([FinishReason.END, FinishReason.PAUSE])))
    said = [*draw(st.lists(thinkings, max_size=2)), Text(draw(few_texts)), *draw(st.lists(calls, max_size=2))]
    return Turn(tuple(said))


models = st.sampled_from(["claude-sonnet-4-6", "claude-opus-5-5", "claude-haiku-4-5", "local"])
thinking_settings = st.sampled_from(
    [{}, {"thinking": {"type": "adaptive"}}, {"thinking": {"type": "enabled", "budget_tokens": 2000}}]
)
headers = st.sampled_from([*[{}] * 6, {"anthropic-version": "2023-06-01"}, {"anthropic-version": "2026-10-21"}])

EDITS = [*mutants("anthropic-messages"), *equivalents("anthropic-messages")]
"""Those that say very much are slow, and are about nothing else than length."""
QUICK = [edit for edit in EDITS if edit.name not in ("ant-context-too-long", "ant-no-room-for-the-answer")]


class Client:
    """A client of a lenient endpoint: what it sends is judged twice, and may be answered whatever is found."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.sent = IssuedState()
        self.identity = Identity("memory")
        more = data.draw(thinking_settings)
        self.body = body_of(user("What is in src?"), model=data.draw(models), **more)
        self.threads = data.draw(st.booleans())
        if self.threads:
            self.body["thread"] = {"type": "create"}
        self.unsent = 0

    def draw(self, *choices: Any) -> Any:
        return self.data.draw(st.sampled_from(choices))

    def request(self) -> tuple[Body, dict[str, str]]:
        """The next request, often with a mistake in it."""
        posted = Posted("/v1/messages", copy.deepcopy(self.body), dict(self.data.draw(headers)))
        if self.threads and self.sent.turns:
            posted.body["messages"] = posted.body["messages"][self.unsent :]
            posted.body["thread"] = {"type": "continue", "previous_message_id": self.sent.replies[-1].id}
        match self.draw(*["nothing"] * 5, "mutant", "mutant", "old", "setting"):
            case "mutant":
                edit = self.data.draw(st.sampled_from(QUICK))
                try:
                    edit.edit(posted)
                except (KeyError, IndexError, TypeError, AttributeError):
                    event("an edit that is made for valid requests")
            case "old":
                self.edit_old(posted.body)
            case "setting":
                posted.body.update(self.draw({"max_tokens": 10}, {"tools": TOOLS[:1]}, {"system": "B"}, {"foo": 1}))
        return posted.body if posted.raw is None else self.body, posted.headers

    def edit_old(self, body: Body) -> None:
        messages = body["messages"]
        if not isinstance(messages, list) or not messages:
            return
        at = self.data.draw(st.integers(0, len(messages) - 1))
        match self.draw("drop", "repeat", "swap", "text", "null", "cut", "system"):
            case "drop":
                del messages[at]
            case "repeat":
                messages.insert(at, copy.deepcopy(messages[at]))
            case "swap":
                messages[at], messages[-1] = messages[-1], messages[at]
            case "text":
                messages[at] = user("Something else.")
            case "null":
                messages[at] = None
            case "cut":
                del messages[:at]
            case "system":
                messages.insert(at, {"role": "system", "content": "Be brief."})

    def send(self, body: Body, said: dict[str, str]) -> Conversation:
        conversation = WIRE.resolve(WIRE.read(ROUTE, json.dumps(body).encode(), said), self.sent)
        assert judged_twice(conversation, self.sent)
        return conversation

    def go_on(self, conversation: Conversation, *, from_what_was_sent: bool) -> None:
        reply = WIRE.render(self.data.draw(turns()), self.identity, conversation).reply
        self.sent.add(conversation, reply)
        if from_what_was_sent and isinstance(conversation.body.get("messages"), list):
            self.body["messages"] = copy.deepcopy(conversation.body["messages"])
        self.body["messages"] += [*answer(reply, len(self.sent.turns))]
        self.unsent = len(self.body["messages"]) - 1


def answer(reply: Reply, number: int) -> list[Body]:
    """The turn, and what a client says behind it; calls without an id get one of their own."""
    blocks = copy.deepcopy(list(reply.items))
    for index, block in enumerate(blocks):
        if block["type"] == "tool_use":
            block.setdefault("id", f"own_{number}_{index}")
    results = [
        {"type": "tool_result", "tool_use_id": id, "content": "ok"}
        for id in dict.fromkeys(block["id"] for block in blocks if block["type"] == "tool_use")
    ]
    following = user(*results) if results else user("Go on.")
    return [{"role": "assistant", "content": blocks}, following] if blocks else [following]


def judged_twice(conversation: Conversation, sent: IssuedState) -> bool:
    """Judge with what is remembered and with nothing, by some checks and by all, on both kinds of server. Says whether
    memory was of use."""
    for wire in (WIRE, WITHOUT_THREADS):
        found = wire.violations(conversation, sent)
        memory, sent.memory = sent.memory, None
        afresh = wire.violations(conversation, sent)
        sent.memory = None
        with by_every_check():
            by_all = wire.violations(conversation, sent)
        sent.memory = memory
        assert found == afresh == by_all
    return True


@pytest.mark.exhaustive
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_what_is_remembered_changes_nothing(data: st.DataObject) -> None:
    client = Client(data)
    for _ in range(data.draw(st.integers(2, 6))):
        conversation = client.send(*client.request())
        again = client.draw(False, False, True)
        if again:
            judged_twice(conversation, client.sent)
        if client.draw(*[True] * 5, False):
            client.go_on(conversation, from_what_was_sent=client.draw(*[False] * 5, True))


# --- what it saves ------------------------------------------------------------------------------------------------


def looked_at(case: Served) -> int:
    """How many messages of the next request would be judged."""
    conversation = WIRE.read(ROUTE, json.dumps(case.body).encode())
    before = JudgedBefore.of(case.sent)
    issued = IssuedReplies(case.sent, before.missed)
    prefix = before.prefix(conversation, before.settings(conversation), issued)
    return len(case.body["messages"]) - prefix.length


@pytest.mark.parametrize("model", ["claude-sonnet-4-6", "local"])
def test_only_what_is_new_is_judged(model: str) -> None:
    """Also of a model that is not known: what is wrong with the settings is remembered, too."""
    case = Served(model=model)
    for turn in range(8):
        case.answer(TWO_CALLS)
        # What was judged before anything had been issued counts no more.
        assert looked_at(case) == (3 if turn == 0 else 2), turn
    case.body["messages"][0] = user(text("What is in lib?"))
    assert looked_at(case) == 17


def test_a_turn_that_is_not_over_is_judged_again() -> None:
    case = Served()
    case.answer(TWO_CALLS)
    case.answer(TWO_CALLS)
    assert case.judge() == []
    assert looked_at(case) == 2, "the same request, from its last assistant turn on"
    case.body["messages"].append(user("And be quick."))
    assert looked_at(case) == 3


def test_a_request_that_breaks_a_rule_is_not_gone_on_from() -> None:
    case = Served()
    case.answer(TWO_CALLS)
    case.answer(TWO_CALLS)
    before = looked_at(case)
    broken = {**case.body, "messages": [*case.body["messages"][:-1], user("Never mind.")]}
    found: list[Finding] = case.judge(broken)
    assert [each.id for each in found] == ["ANT-01"]
    assert looked_at(case) == before


def test_a_block_that_a_later_reply_repeats_is_judged_again_until_only_its_place_identifies_it() -> None:
    case, missed, changes = Served(), set[Key](), []
    for number, said in enumerate(["a", "b", "b", "b", "c"]):
        case.answer(Turn((Text(said),)))
        case.body["messages"].append(user("Go on."))
        replies = IssuedReplies(case.sent, missed)
        changes.append(replies.change_judgements(number))
        if number == 0:
            assert replies.number(text("b")) is None
    # The first of the case, the first of what was missed, and the second, which makes it ambiguous.
    assert changes == [True, True, True, False, False]


def test_the_memory_of_another_wire_is_none_here() -> None:
    case = Served()
    case.sent.memory = object()
    assert case.judge() == []
    assert JudgedBefore.of(case.sent).kept is not None


# --- what is equal in Python and not in JSON ----------------------------------------------------------------------


@pytest.mark.parametrize("place", ["settings", "messages"])
def test_true_is_not_one(place: str) -> None:
    """A setting or an old message whose ``true`` has become ``1`` is judged again, and refused."""
    case = Served()
    for _ in range(3):
        case.answer(TWO_CALLS)
    case.body["stream"] = True
    results = case.body["messages"][2]["content"]
    results[0]["is_error"] = True
    assert case.judge() == []
    if place == "settings":
        case.body["stream"] = 1
    else:
        results[0]["is_error"] = 1
    remembered = case.judge()
    case.sent.memory = None
    assert remembered == case.judge()
    assert remembered
