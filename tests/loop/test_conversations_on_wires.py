"""Conversations of several runs: whatever ended a run, the provider's own rules accept the next request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from harness.errors import BadInput
from harness.loop import (
    PYDANTIC_AI,
    SCREENSHOT_TO_CODE,
    Agent,
    AgentError,
    Approved,
    Denied,
    LoopPolicy,
    SessionConfig,
    Supplied,
    ToolCall,
    ToolKind,
    ToolOutcome,
)
from harness.loop.sessions.wire_only import Answered, WireOnlySession
from harness.trace import Event, ToolResult
from harness.wire import (
    Call,
    FinishReason,
    Identity,
    IssuedState,
    NativeWireName,
    Refusal,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Turn,
    Usage,
    wire,
)
from tests.loop.playing import StubTools

pytestmark = pytest.mark.anyio

WIRES: tuple[NativeWireName, ...] = ("openai-responses", "openai-chat", "anthropic-messages", "gemini-generate")
LOOK = ToolDeclaration("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})
CALLS = Turn(
    (ThinkingPart("Both."), Text("I look."), Call("look", '{"at": "the sky"}'), Call("look", '{"at": "the sea"}')),
    FinishReason.TOOL_CALLS,
)
DONE = Turn((Text("Done."),), usage=Usage(input=900, output=1))
PROMPT = (("system", "Be brief."), ("user", "Look at both."))


@dataclass
class Tools(StubTools):
    """Each call gives its number. One that is in ``waits`` never ends."""

    waits: frozenset[str] = frozenset()
    ran: list[str] = field(default_factory=list)
    began: asyncio.Event = field(default_factory=asyncio.Event)
    declarations: Sequence[ToolDeclaration] = (LOOK,)

    async def run(self, call: ToolCall) -> ToolOutcome:
        at = json.loads(call.arguments)["at"]
        if at in self.waits:
            self.began.set()
            await asyncio.Event().wait()
        self.ran.append(at)
        return ToolOutcome({"seen": at}, "s")


@dataclass
class Model:
    """A model endpoint on any wire: it judges each request by the rules of its wire, and answers from a script."""

    answers: Sequence[Turn | int]
    bodies: list[Any] = field(default_factory=list)
    issued: dict[str, IssuedState] = field(default_factory=dict)
    wire: str = "openai-chat"
    name: str = "first"

    def open(self, config: SessionConfig) -> WireOnlySession:
        speaker = wire(self.wire)
        model = config.model or speaker.default_model
        return WireOnlySession(speaker, replace(config, model=model, stream=False), self.post, self.fetch)

    def post(self, path: str, body: bytes) -> Answered:
        speaker, issued = wire(self.wire), self.issued.setdefault(self.wire, IssuedState())
        route = speaker.route("POST", path)
        assert route is not None
        asked = speaker.resolve(speaker.read(route, body), issued)
        assert [each for each in speaker.violations(asked, issued) if each.level != "INFO"] == []
        answer = self.answers[len(self.bodies)]
        self.bodies.append(json.loads(body))
        if isinstance(answer, int):
            refused = speaker.error(answer, Identity("conversation"))
            return Answered(answer, refused.headers, refused.body)
        rendered = speaker.render(answer, Identity(f"{self.name} {len(self.bodies)}"), asked)
        issued.add(asked, rendered.reply)
        return Answered(200, {"content-type": rendered.content_type}, rendered.body)

    def fetch(self, path: str) -> Answered:
        raise AssertionError("nothing is made in the background")

    def says(self, number: int) -> str:
        return json.dumps(self.bodies[number], ensure_ascii=False)


@dataclass
class Stage:
    model: Model
    tools: Tools = field(default_factory=Tools)
    policy: LoopPolicy = SCREENSHOT_TO_CODE
    turn_limit: int | None = None
    events: list[Event] = field(default_factory=list)

    @property
    def agent(self) -> Agent:
        return Agent(
            open_session=self.model.open,
            send_message=self._take,
            tools=self.tools,
            base_url="",
            policy=replace(self.policy, retries=0),
            turn_limit=self.turn_limit,
        )

    async def _take(self, event: Event) -> None:
        self.events.append(event)


@pytest.mark.parametrize("name", WIRES)
async def test_a_second_run_sends_all_that_was_said(name: NativeWireName) -> None:
    stage = Stage(Model([CALLS, DONE, DONE], wire=name))
    async with stage.agent.converse("", PROMPT) as conversation:
        await conversation.run()
        result = await conversation.run("And now?")
    assert result.text == "Done."
    assert all(each in stage.model.says(2) for each in ("Be brief.", "I look.", "the sky", "Done.", "And now?"))


@pytest.mark.parametrize("name", WIRES)
async def test_a_stored_conversation_sends_the_same_bytes(name: NativeWireName) -> None:
    model = Model([CALLS, DONE, CALLS, DONE], wire=name)
    async with Stage(model).agent.converse("", PROMPT) as conversation:
        await conversation.run()
        state = json.loads(json.dumps(conversation.state))
        await conversation.run("And now?")
    again = Model([CALLS, DONE], wire=name, issued=dict(model.issued), name="again")
    async with Stage(again).agent.converse("", state=state) as resumed:
        await resumed.run("And now?")
    assert again.bodies[0] == model.bodies[2]
    assert resumed.state["turns"] == conversation.state["turns"] == 4


@pytest.mark.parametrize("name", WIRES)
async def test_a_cancelled_run_leaves_no_call_open(name: NativeWireName) -> None:
    stage = Stage(Model([CALLS, DONE], wire=name), Tools(waits=frozenset({"the sea"})))
    async with stage.agent.converse("", PROMPT) as conversation:
        running = asyncio.create_task(conversation.run())
        await stage.tools.began.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await conversation.run("Never mind.")
    assert stage.tools.ran == ["the sky"]
    assert '{\\"seen\\": \\"the sky\\"}' in stage.model.says(1) or "the sky" in stage.model.says(1)
    assert "Cancelled by the user" in stage.model.says(1)
    assert [event.ok for event in stage.events if isinstance(event, ToolResult)] == [True, False]


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize(
    "last",
    [
        500,
        Turn((Text("Half a sen"),), FinishReason.MAX_TOKENS),
        Turn((Text("Half"), Call("look", '{"at": "th')), FinishReason.MAX_TOKENS),
        Turn((Refusal("I will not."),), FinishReason.REFUSAL),
        Turn(()),
    ],
    ids=["an HTTP error", "a cut text", "a cut call", "a refusal", "nothing"],
)
async def test_however_a_run_has_ended_the_next_one_is_accepted(name: NativeWireName, last: Turn | int) -> None:
    if isinstance(last, Turn) and any(isinstance(part, Call) for part in last.parts) and name != "openai-chat":
        last = replace(last, parts=(Text("Half"), Call("look", '{"at": "the sky"}')))
    stage = Stage(Model([CALLS, last, DONE], wire=name))
    async with stage.agent.converse("", PROMPT) as conversation:
        try:
            await conversation.run()
        except AgentError:
            assert last == 500
        await conversation.run("And now?")
    assert "And now?" in stage.model.says(2)
    assert stage.model.says(2).count("look") == stage.model.says(1).count("look")


@pytest.mark.parametrize("at_limit", ["raise", "stop"])
async def test_a_run_at_its_turn_limit_can_go_on(at_limit: Any) -> None:
    policy = replace(SCREENSHOT_TO_CODE, at_limit=at_limit)
    stage = Stage(Model([CALLS, DONE], wire="anthropic-messages"), policy=policy, turn_limit=1)
    async with stage.agent.converse("", PROMPT) as conversation:
        try:
            assert (await conversation.run()).outcome == "turn-limit"
        except AgentError:
            assert at_limit == "raise"
        assert (await conversation.run("Go on.")).outcome == "completed"


async def test_what_is_said_while_nothing_runs_begins_the_next_run() -> None:
    stage = Stage(Model([DONE, DONE]))
    async with stage.agent.converse("", PROMPT) as conversation:
        await conversation.run()
        conversation.say("And now?")
        await conversation.run()
    assert stage.model.bodies[1]["messages"][-1] == {"role": "user", "content": "And now?"}


@pytest.mark.parametrize(("of", "to"), [(of, to) for of in WIRES for to in WIRES])
async def test_another_model_goes_on_at_another_provider(of: NativeWireName, to: NativeWireName) -> None:
    stage = Stage(Model([CALLS, DONE, CALLS, DONE], wire=of))
    async with stage.agent.converse("", PROMPT) as conversation:
        await conversation.run()
    stage.model.wire = to
    async with stage.agent.converse(wire(to).default_model, state=conversation.state) as switched:
        await switched.run("And now?")
    assert all(each in stage.model.says(2) for each in ("Be brief.", "I look.", "the sky", "Done.", "And now?"))
    assert stage.tools.ran == ["the sky", "the sea"] * 2


@pytest.mark.parametrize("name", WIRES)
async def test_a_long_conversation_is_compacted_before_it_goes_on(name: NativeWireName) -> None:
    summary = Turn((Text("They looked at both."),))
    stage = Stage(Model([CALLS, DONE, summary, DONE], wire=name), policy=replace(SCREENSHOT_TO_CODE, compact_at=900))
    async with stage.agent.converse("", PROMPT) as conversation:
        await conversation.run()
        await conversation.run("And now?")
        assert conversation.state["tokens"] == 900
    assert "Summarise" in stage.model.says(2)
    assert "user: Look at both." in stage.model.says(2)
    assert all(each in stage.model.says(3) for each in ("Be brief.", "They looked at both.", "And now?"))
    assert "the sky" not in stage.model.says(3)


async def test_a_long_conversation_goes_on_as_it_is_where_no_summary_is_given() -> None:
    stage = Stage(Model([CALLS, DONE, 500, DONE]), policy=replace(SCREENSHOT_TO_CODE, compact_at=900))
    async with stage.agent.converse("", PROMPT) as conversation:
        await conversation.run()
        result = await conversation.run("And now?")
    assert result.outcome == "completed"
    assert "Summarise" in stage.model.says(2)
    assert all(each in stage.model.says(3) for each in ("I look.", "And now?"))


async def test_what_was_said_is_not_lost_when_the_run_is_cancelled_while_it_is_compacted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage(Model([CALLS, DONE, DONE]), policy=replace(SCREENSHOT_TO_CODE, compact_at=900))

    async def cancelled(*_: object) -> str:
        raise asyncio.CancelledError

    async with stage.agent.converse("", PROMPT) as conversation:
        await conversation.run()
        monkeypatch.setattr(conversation, "compact", cancelled)
        with pytest.raises(asyncio.CancelledError):
            await conversation.run("And now?")
        monkeypatch.setattr(conversation, "_is_long", lambda: False)
        await conversation.run("Tell me.")
    assert all(each in stage.model.says(2) for each in ("And now?", "Tell me."))


async def test_a_conversation_stays_as_it_was_where_no_summary_is_given() -> None:
    stage = Stage(Model([CALLS, DONE, 500, DONE]))
    async with stage.agent.converse("", PROMPT) as conversation:
        await conversation.run()
        with pytest.raises(AgentError):
            await conversation.compact()
        await conversation.run("And now?")
    assert "I look." in stage.model.says(3)


# --- calls that wait ----------------------------------------------------------------------------------------


@dataclass
class AskingTools(Tools):
    """Calls about the sea need approval."""

    declarations: Sequence[ToolDeclaration] = (LOOK, ToolDeclaration("dive", "Dives.", LOOK.parameters))

    def kind(self, name: str) -> ToolKind:
        return "unapproved" if name == "dive" else "function"


DIVES = Turn(
    (ThinkingPart("Both."), Text("I look."), Call("dive", '{"at": "the sea"}'), Call("look", '{"at": "the sky"}')),
    FinishReason.TOOL_CALLS,
)
POLICIES_OF_EXECUTION = (SCREENSHOT_TO_CODE, PYDANTIC_AI)


def asking(name: NativeWireName, *answers: Turn | int, policy: LoopPolicy = SCREENSHOT_TO_CODE) -> Stage:
    return Stage(Model([DIVES, *answers], wire=name), AskingTools(), policy)


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize("policy", POLICIES_OF_EXECUTION, ids=lambda policy: policy.name)
async def test_a_call_that_waits_runs_in_another_process_once_it_is_approved(
    name: NativeWireName, policy: LoopPolicy
) -> None:
    stage = asking(name, DONE, DONE, policy=policy)
    async with stage.agent.converse("", PROMPT) as conversation:
        assert (await conversation.run()).outcome == "deferred"
        assert [each.call.name for each in conversation.deferred] == ["dive"]
        state = json.loads(json.dumps(dict(conversation.state)))
    assert stage.tools.ran == ["the sky"]
    async with stage.agent.converse("", state=state) as conversation:
        (waiting,) = conversation.deferred
        assert (await conversation.resolve({waiting.call.id: Approved()})).outcome == "completed"
        assert conversation.deferred == ()
        await conversation.run("And now?")
    assert stage.tools.ran == ["the sky", "the sea"]
    says = stage.model.says(1)
    assert says.index('\\"seen\\": \\"the sea\\"' if name != "gemini-generate" else '"seen": "the sea"') < says.index(
        '\\"seen\\": \\"the sky\\"' if name != "gemini-generate" else '"seen": "the sky"'
    )


@pytest.mark.parametrize("name", WIRES)
async def test_a_call_that_is_denied_has_the_reason_for_a_result(name: NativeWireName) -> None:
    stage = asking(name, DONE)
    async with stage.agent.converse("", PROMPT) as conversation:
        await conversation.run()
        (waiting,) = conversation.deferred
        await conversation.resolve({waiting.call.id: Denied("Too cold.")})
    assert stage.tools.ran == ["the sky"]
    assert "Too cold." in stage.model.says(1)


@pytest.mark.parametrize("name", WIRES)
async def test_another_message_leaves_a_call_that_waits_undone(name: NativeWireName) -> None:
    stage = asking(name, DONE)
    async with stage.agent.converse("", PROMPT) as conversation:
        await conversation.run()
        assert (await conversation.run("Only the sky.")).outcome == "completed"
        assert conversation.deferred == ()
    assert stage.tools.ran == ["the sky"]
    assert "the user went on without it" in stage.model.says(1)
    assert [event.ok for event in stage.events if isinstance(event, ToolResult)] == [True, False]


@pytest.mark.parametrize("name", WIRES)
async def test_a_decision_that_does_not_fit_leaves_the_call_waiting(name: NativeWireName) -> None:
    stage = asking(name, DONE)
    async with stage.agent.converse("", PROMPT) as conversation:
        with pytest.raises(BadInput, match="no call waits"):
            await conversation.resolve({})
        await conversation.run()
        (waiting,) = conversation.deferred
        with pytest.raises(BadInput, match="expected Approved or Denied, got a result"):
            await conversation.resolve({waiting.call.id: Supplied("wet")})
        assert conversation.deferred == (waiting,)
        await conversation.resolve({waiting.call.id: Approved()})
    assert stage.tools.ran == ["the sky", "the sea"]


@pytest.mark.parametrize("name", WIRES)
async def test_who_goes_on_with_another_provider_leaves_the_calls_that_wait(name: NativeWireName) -> None:
    stage = asking(name)
    async with stage.agent.converse("", PROMPT) as conversation:
        await conversation.run()
        state = json.loads(json.dumps(dict(conversation.state)))
    other: NativeWireName = "anthropic-messages" if name != "anthropic-messages" else "openai-chat"
    onwards = Stage(Model([DONE], wire=other, name="second"), AskingTools())
    async with onwards.agent.converse("", state=state) as conversation:
        assert conversation.deferred == ()
        await conversation.run("Only the sky.")
    assert onwards.tools.ran == []
    assert "the user went on without it" in onwards.model.says(0)


@pytest.mark.parametrize("name", WIRES)
async def test_a_run_that_fails_after_an_approval_has_run_the_call(name: NativeWireName) -> None:
    stage = asking(name, 400, DONE)
    async with stage.agent.converse("", PROMPT) as conversation:
        await conversation.run()
        (waiting,) = conversation.deferred
        with pytest.raises(AgentError):
            await conversation.resolve({waiting.call.id: Approved()})
        await conversation.run("Again.")
    assert stage.tools.ran == ["the sky", "the sea"]


@pytest.mark.parametrize("name", WIRES)
async def test_a_compaction_parts_no_call_that_waits_from_its_result(name: NativeWireName) -> None:
    stage = asking(name, Turn((Text("They look at the sky."),)), DONE)
    async with stage.agent.converse("", PROMPT) as conversation:
        await conversation.run()
        await conversation.compact()
        assert conversation.deferred == ()
        await conversation.run("And now?")
    assert stage.tools.ran == ["the sky"]
    assert "the user went on without it" in stage.model.says(1)
    assert "dive" not in json.dumps(stage.model.bodies[2][wire(name).history])
