"""How requests are assigned to the conversations of a case."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from harness.endpoint import (
    BuiltInModel,
    CaseEndpoint,
    Conversations,
    ReceivedRequest,
    Rounds,
    ScriptSource,
    SideScript,
)
from harness.rules import judge
from harness.scenario import Cut, Step, TurnStep
from harness.trace import RequestRecord, ToolResult, ToolStart
from harness.wire import Call, FinishReason, Route, Text, Turn, wire
from tests.endpoint.endpoint import CALL, DONE, PATH, answered, desk, opened

PROMPT = (("system", "You read files."), ("user", "What is in a?"))
NO_PARAMETERS = {"type": "object", "properties": {}}
TOOL, OTHER = (
    {"type": "function", "function": {"name": name, "description": "", "parameters": NO_PARAMETERS}}
    for name in ("read", "search")
)
SYSTEM = {"role": "system", "content": "You read files."}
USER = {"role": "user", "content": "What is in a?"}
TITLE = {"role": "system", "content": "Write a title of five words."}


class Served:
    """A case at the endpoint on Chat, asked with bodies."""

    def __init__(
        self, steps: tuple[Step, ...] = (CALL, DONE), scripts: tuple[SideScript, ...] = (), **options: Any
    ) -> None:
        self.desk = desk(steps, apart=Conversations(PROMPT, ["read"], scripts, BuiltInModel, **options))
        self.endpoints = opened(self.desk)

    def ask(self, *messages: Any, tools: tuple[Any, ...] = (TOOL,), **members: Any) -> dict[str, Any]:
        """The message that answers; the error where the request is refused."""
        body = {"model": "gpt-4.1", "messages": list(messages), **({"tools": list(tools)} if tools else {}), **members}
        said: dict[str, Any] = json.loads(b"".join(answered(self.endpoints, PATH, json.dumps(body).encode()).chunks))
        return said["choices"][0]["message"] if "choices" in said else said

    @property
    def numbers(self) -> list[int | None]:
        """The conversation of each request, in order."""
        records = self.desk.recorder.trace().records
        return [record.conversation for record in records if isinstance(record, RequestRecord)]


def result_for(message: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "a file"}


def test_a_title_request_before_the_main_one_takes_no_step_of_the_script() -> None:
    served = Served()
    title = served.ask(TITLE, USER, tools=())
    assert "tool_calls" not in title
    called = served.ask(SYSTEM, USER)
    assert called["tool_calls"][0]["function"]["name"] == "read"
    assert served.ask(SYSTEM, USER, called, result_for(called))["content"] == "All done."
    assert served.numbers == [1, 0, 0]
    assert judge(served.desk.recorder.trace()) == []


def test_the_built_in_model_answers_in_json_of_the_demanded_schema() -> None:
    schema = {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "topics": {"type": "array", "items": {"enum": ["code", "talk"]}},
            "fresh": {"type": "boolean"},
            "words": {"$ref": "#/$defs/count"},
        },
        "$defs": {"count": {"type": "integer", "minimum": 3}},
    }
    demanded = {"type": "json_schema", "json_schema": {"name": "t", "schema": schema}}
    said = Served().ask(TITLE, USER, tools=(), response_format=demanded)
    assert json.loads(said["content"]) == {"title": "All right.", "topics": ["code"], "fresh": True, "words": 3}


AGENT = {**SYSTEM, "content": "You are an agent."}


@pytest.mark.parametrize(
    ("system", "asked", "tools"),
    [
        (AGENT, "<context>today is Monday</context> What is  in\na?", (TOOL, OTHER)),
        (AGENT, [{"type": "text", "text": text} for text in ("Today is Monday.", USER["content"])], (TOOL, OTHER)),
        (AGENT, '{"task": "What is in a?"}', (TOOL, OTHER)),
        (SYSTEM, USER["content"], ()),
    ],
    ids=["context", "parts", "JSON", "alone-without-tools"],
)
def test_a_prompt_that_a_loop_wraps_or_says_alone_is_the_main_one(
    system: Any, asked: Any, tools: tuple[Any, ...]
) -> None:
    served = Served()
    assert "tool_calls" in served.ask(system, {"role": "user", "content": asked}, tools=tools)
    assert served.numbers == [0]


def test_a_request_that_is_sent_again_stays_in_its_conversation() -> None:
    served = Served((CALL, CALL, DONE))
    first = served.ask(SYSTEM, USER)
    second = served.ask(SYSTEM, USER)
    assert first["tool_calls"][0]["id"] != second["tool_calls"][0]["id"]
    assert served.numbers == [0, 0]


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(
            lambda called: [{**SYSTEM, "content": "It is now noon."}, USER, called, result_for(called)], id="system"
        ),
        pytest.param(lambda called: [called, result_for(called)], id="prompt-lost"),
        pytest.param(lambda called: [SYSTEM, USER, result_for(called)], id="turn-lost"),
        pytest.param(lambda called: [SYSTEM, {**USER, "content": "Go on."}, result_for(called)], id="only-the-result"),
        pytest.param(lambda called: [SYSTEM, {"role": "user", "content": "The file is empty."}], id="history-lost"),
    ],
)
def test_a_loop_that_rewrites_its_history_is_still_the_main_conversation(second: Any) -> None:
    served = Served()
    called = served.ask(SYSTEM, USER)
    served.ask(*second(called))
    assert served.numbers == [0, 0]
    assert judge(served.desk.recorder.trace()), "and it is blamed for it"


def test_a_prompt_to_try_again_that_comes_as_a_system_message_stays_in_the_conversation() -> None:
    """As where a turn was empty, so that nothing of the model's marks the request."""
    empty = TurnStep(Turn(()))
    served = Served((empty, DONE))
    served.ask(SYSTEM, USER)
    again = {"role": "system", "content": "Please return text or call a tool."}
    assert served.ask(SYSTEM, USER, again)["content"] == "All done."
    assert served.numbers == [0, 0]


def test_a_demand_for_the_answer_without_tools_is_the_main_conversations_own() -> None:
    served = Served()
    called = served.ask(SYSTEM, USER)
    served.ask(SYSTEM, USER, called, result_for(called), {"role": "user", "content": "Answer now."}, tools=())
    assert served.numbers == [0, 0]


def test_a_summary_of_the_main_conversation_is_a_side_conversation() -> None:
    served = Served()
    called = served.ask(SYSTEM, USER)
    history = [USER, called, result_for(called)]
    served.ask(
        {"role": "system", "content": "You summarise."}, *history, {"role": "user", "content": "Sum up."}, tools=()
    )
    assert served.ask(SYSTEM, *history)["content"] == "All done."
    assert served.numbers == [0, 1, 0]
    assert judge(served.desk.recorder.trace()) == []


def test_two_sub_agents_with_the_same_prompt_are_two_conversations() -> None:
    helper = (
        TurnStep(Turn((Text("One moment."), Call("search", '{"q":"a"}')), FinishReason.TOOL_CALLS)),
        TurnStep(Turn((Text("Found."),))),
    )
    served = Served(scripts=(SideScript("You search.", lambda: ScriptSource(helper, BuiltInModel())),))
    asked = ({"role": "system", "content": "You search."}, {"role": "user", "content": "Find a."})
    called = served.ask(SYSTEM, USER, tools=(TOOL, OTHER))
    one = served.ask(*asked, tools=(OTHER,))
    two = served.ask(*asked, tools=(OTHER,))
    assert one["tool_calls"][0]["id"] != two["tool_calls"][0]["id"]
    for said in (two, one):
        assert served.ask(*asked, said, result_for(said), tools=(OTHER,))["content"] == "Found."
    served.ask(SYSTEM, USER, called, result_for(called), tools=(TOOL, OTHER))
    assert served.numbers == [0, 1, 2, 2, 1, 0]
    assert judge(served.desk.recorder.trace()) == []


def test_a_script_beside_the_main_one_that_has_ended_leaves_the_rest_to_the_built_in_model() -> None:
    served = Served(scripts=(SideScript("title", lambda: ScriptSource([DONE], BuiltInModel())),))
    first = served.ask(TITLE, {"role": "user", "content": "one"}, tools=())
    again = served.ask(TITLE, {"role": "user", "content": "one"}, first, {"role": "user", "content": "more"}, tools=())
    assert [first["content"], again["content"]] == ["All done.", "All right."]
    assert served.desk.overrun == 0


def test_a_request_that_sends_back_a_turn_of_neither_of_two_sub_agents_is_a_third_one() -> None:
    served = Served()
    asked = ({"role": "system", "content": "You search."}, {"role": "user", "content": "Find a."})
    served.ask(SYSTEM, USER)
    served.ask(*asked, tools=(OTHER,))
    served.ask(*asked, tools=(OTHER,))
    served.ask(*asked, {"role": "assistant", "content": "I said this elsewhere."}, USER, tools=(OTHER,))
    assert served.numbers == [0, 1, 2, 3]
    assert [each.number for each in served.desk.apart] == [0, 1, 2, 3]
    assert judge(served.desk.recorder.trace()) == []


def test_a_question_about_the_history_that_is_asked_again_and_again_is_another_conversation_each_time() -> None:
    """A loop detector: the same instructions and the same first words, over the latest part of a history that grows."""
    served = Served((CALL, CALL, CALL, DONE))
    history: list[Any] = [USER]
    for _ in range(3):
        called = served.ask(SYSTEM, *history)
        history += [called, result_for(called)]
        detector = ({"role": "system", "content": "Is it stuck?"}, {"role": "user", "content": "The history:"})
        changed = {**called["tool_calls"][0], "id": f"read__{called['tool_calls'][0]['id']}"}
        quoted = {"role": "assistant", "content": None, "tool_calls": [changed]}
        answer = {"role": "tool", "tool_call_id": changed["id"], "content": "a file"}
        served.ask(*detector, quoted, answer, {"role": "user", "content": "Say so."}, tools=())
    assert served.ask(SYSTEM, *history)["content"] == "All done."
    assert served.numbers == [0, 1, 0, 2, 0, 3, 0]
    assert judge(served.desk.recorder.trace()) == []


def test_a_request_of_the_same_words_behind_each_turn_is_another_conversation_each_time() -> None:
    served = Served((CALL, CALL, CALL, DONE))
    history: list[Any] = [USER]
    for _ in range(3):
        called = served.ask(SYSTEM, *history)
        history += [called, result_for(called)]
        served.ask({"role": "user", "content": "Summarise the results."}, tools=())
    served.ask(SYSTEM, *history)
    assert served.numbers == [0, 1, 0, 2, 0, 3, 0]
    assert judge(served.desk.recorder.trace()) == []


def test_what_is_told_of_a_sub_agents_tool_belongs_to_the_sub_agent() -> None:
    helper = (TurnStep(Turn((Call("search", '{"q":"a"}'),), FinishReason.TOOL_CALLS)), DONE)
    served = Served(scripts=(SideScript("You search.", lambda: ScriptSource(helper)),))
    served.ask(SYSTEM, USER)
    called = served.ask({"role": "system", "content": "You search."}, {"role": "user", "content": "Find a."})
    call = called["tool_calls"][0]["id"]
    served.desk.emitted(ToolStart(call, "search", {"q": "a"}))
    served.desk.emitted(ToolResult(call, "search", "found", ok=True))
    trace = served.desk.recorder.trace()
    assert [told.conversation for _, told in trace.events] == [1, 1]
    assert [told.exchange for _, told in trace.events] == [1, 1]
    assert trace.main.events == ()
    assert len(trace.of(1).events) == 2


def test_an_event_is_placed_in_the_response_of_its_own_conversation() -> None:
    """A title that is answered meanwhile must not look like the response that the event came from."""
    served = Served()
    served.ask(SYSTEM, USER)
    served.ask(TITLE, USER, tools=())
    served.desk.emitted(ToolStart("any", "read"))
    ((_, told),) = served.desk.recorder.trace().events
    body = served.desk.recorder.trace().exchanges[0].response
    assert body is not None
    assert (told.exchange, told.offset) == (0, len(body.body))


def test_responses_that_name_the_earlier_one_are_told_apart_by_it() -> None:
    helper = (TurnStep(Turn((Text("One."),))), TurnStep(Turn((Text("Two."),))))
    apart = Conversations(PROMPT, ["read"], (SideScript("You search.", lambda: ScriptSource(helper)),), BuiltInModel)
    case = desk(wire="openai-responses", apart=apart)
    endpoints = opened(case)

    def ask(**members: Any) -> dict[str, Any]:
        body = json.dumps({"model": "gpt-5.5", **members}).encode()
        _, _, answer = endpoints.answer("POST", "/case/a-case/v1/responses", {}, body)
        said: dict[str, Any] = json.loads(b"".join(answer.chunks))
        return said

    tool = {"type": "function", "name": "read", "parameters": {"type": "object", "properties": {}}}
    main = ask(instructions="You read files.", input="What is in a?", tools=[tool])
    side = ask(instructions="You search.", input="Find a.")
    more = ask(previous_response_id=side["id"], input="Find more.")
    call = next(item for item in main["output"] if item["type"] == "function_call")
    output = {"type": "function_call_output", "call_id": call["call_id"], "output": "a file"}
    done = ask(previous_response_id=main["id"], input=[output], tools=[tool])
    assert [each["output"][0]["content"][0]["text"] for each in (side, more, done)] == ["One.", "Two.", "All done."]
    numbers = [record.conversation for record in case.recorder.trace().records if isinstance(record, RequestRecord)]
    assert numbers == [0, 1, 1, 0]
    assert judge(case.recorder.trace()) == []


@pytest.mark.parametrize("sent", ["What is in a? And in b?", "And in b?"])
@pytest.mark.parametrize(("is_said", "numbers"), [(True, [0, 0, 1]), (False, [0, 1, 2])])
def test_only_what_the_user_says_next_goes_on_with_the_main_conversation_without_a_turn_of_the_models(
    sent: str, is_said: bool, numbers: list[int]
) -> None:
    """A loop whose run was cancelled may have nothing of the model's to send, and may have forgotten the prompt."""
    served = Served((DONE, DONE))
    served.ask(SYSTEM, USER, tools=())
    if is_said:
        served.desk.apart.goes_on_with("And in b?")
    for system in (SYSTEM, TITLE):
        served.ask(system, {"role": "user", "content": sent}, tools=())
    assert served.numbers == numbers


@pytest.mark.parametrize(("answered", "numbers"), [(TurnStep(Turn(())), [0, 0, 1]), (DONE, [0, 1, 2])])
def test_a_loop_that_asks_again_in_the_message_of_the_prompt_goes_on_where_the_model_has_said_nothing(
    answered: Step, numbers: list[int]
) -> None:
    """As pydantic-ai does on Bedrock, which takes no answer without content and no two messages of the user's."""
    served = Served((answered, DONE))
    served.ask(SYSTEM, USER, tools=())
    again = {"role": "user", "content": "What is in a? Please return text."}
    served.ask(SYSTEM, again, tools=())
    served.ask(TITLE, again, tools=())
    assert served.numbers == numbers


def test_what_goes_on_after_a_compaction_opens_as_that_has_left_it_though_the_model_has_said_nothing() -> None:
    served = Served((DONE, DONE, DONE))
    served.ask(SYSTEM, USER, tools=())
    served.desk.apart.goes_on_with("And in b?", compacted=True)
    served.desk.apart.make_anew()
    compacted = (SYSTEM, {"role": "user", "content": "So far: a."}, {"role": "user", "content": "And in b?"})
    served.ask(*compacted, tools=())
    served.desk.apart.goes_on_with("And in c?")
    said = ({"role": "assistant", "content": ""}, {"role": "user", "content": "And in c?"})
    served.ask(*compacted, *said, tools=())
    assert served.numbers == [0, 0, 0]


def test_two_summaries_of_the_same_words_are_two_conversations_and_one_that_is_asked_again_is_one() -> None:
    served = Served((DONE,))
    served.ask(SYSTEM, USER)
    summary = ({"role": "system", "content": "Sum up."}, {"role": "user", "content": "Never mind. All done."})
    for times in (2, 1):
        served.desk.apart.step_aside()
        for _ in range(times):
            served.ask(*summary, tools=())
        served.desk.apart.step_back()
    assert served.numbers == [0, 1, 1, 2]


def test_a_program_with_a_prompt_and_tools_of_its_own_is_the_main_conversation_until_somebody_says_the_prompt() -> None:
    served = Served()
    own = ({"role": "system", "content": "You are a bot."}, {"role": "user", "content": "Hello."})
    assert "tool_calls" in served.ask(*own, tools=(OTHER,))
    assert served.numbers == [0]
    served.ask(SYSTEM, USER)
    assert served.numbers == [1, 0]


class Plain(Served):
    """A case without tools."""

    def __init__(self, steps: tuple[Step, ...] = (DONE,)) -> None:
        self.desk = desk(steps, apart=Conversations(PROMPT, [], (), BuiltInModel, restart=lambda: ScriptSource(steps)))
        self.endpoints = opened(self.desk)


def test_in_a_case_without_tools_a_prompt_that_a_loop_wraps_is_the_main_one() -> None:
    served = Plain()
    wrapped = {"role": "user", "content": "Answer this question: What is in a?"}
    assert served.ask({"role": "system", "content": "You are helpful."}, wrapped, tools=())["content"] == "All done."
    assert served.numbers == [0]


def test_in_a_case_without_tools_an_agent_takes_over_from_its_request_for_a_title() -> None:
    """The title looked like the main conversation until the agent said the prompt with tools of its own."""
    served = Plain()
    assert served.ask(TITLE, USER, tools=())["content"] == "All done."
    agent = {"role": "system", "content": "You are an agent."}
    assert served.ask(agent, USER, tools=(OTHER,))["content"] == "All done."
    assert served.numbers == [1, 0]
    assert [(each.number, each.requests) for each in served.desk.apart] == [(1, 1), (0, 1)]
    assert judge(served.desk.recorder.trace()) == []


@pytest.mark.parametrize(
    ("title", "agent"),
    [
        ([{"role": "user", "content": "Write a title: What is in a?"}], [SYSTEM, USER]),
        ([{"role": "user", "content": "Write a title: What is in a?"}], [{**SYSTEM, "content": "Be kind."}, USER]),
        ([TITLE, USER], [SYSTEM, USER]),
    ],
)
def test_in_a_case_without_tools_whoever_says_the_prompt_most_plainly_is_the_main_one(title: Any, agent: Any) -> None:
    for first, second, numbers in ((title, agent, [1, 0]), (agent, title, [0, 1])):
        served = Plain()
        served.ask(*first, tools=())
        served.ask(*second, tools=())
        assert served.numbers == numbers


class Rounded:
    """A served scenario: nobody knows the prompts."""

    def __init__(self, *steps: Step) -> None:
        def begun(number: int) -> CaseEndpoint:
            apart = Conversations(PROMPT, ["read"], (), BuiltInModel, by_harness=False)
            return desk(steps or (CALL, DONE), name=f"a-case.{number}", apart=apart)

        self.rounds = Rounds(begun)
        self.endpoints = opened(self.rounds)

    def begin(self, *messages: Any, tools: tuple[Any, ...] = (TOOL,)) -> bytes:
        body = {"model": "gpt-4.1", "messages": list(messages), **({"tools": list(tools)} if tools else {})}
        _, _, answer = self.endpoints.answer("POST", f"/case/a-case{PATH}", {}, json.dumps(body).encode())
        return b"".join(answer.chunks)

    def ask(self, *messages: Any, tools: tuple[Any, ...] = (TOOL,)) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.begin(*messages, tools=tools))["choices"][0]["message"]
        return message

    @property
    def counts(self) -> list[list[tuple[int | None, int]]]:
        return [[(each.number, each.requests) for each in desk.apart] for desk in self.rounds.endpoints]


def test_two_loops_at_a_served_scenario_at_the_same_time_are_two_rounds() -> None:
    """The repeat of field note H1: a title and a prompt each, one loop a step behind the other."""
    served = Rounded()
    a, b = {"role": "user", "content": "A?"}, {"role": "user", "content": "B?"}
    served.ask({"role": "user", "content": "Write a title: A?"}, tools=())
    one = served.ask(SYSTEM, a)
    served.ask({"role": "user", "content": "Write a title: B?"}, tools=())
    two = served.ask(SYSTEM, b)
    assert served.ask(SYSTEM, a, one, result_for(one))["content"] == "All done."
    assert served.ask(SYSTEM, b, two, result_for(two))["content"] == "All done."
    assert served.counts == [[(1, 1), (0, 2), (2, 1)], [(0, 2)]]
    assert [judge(desk.recorder.trace()) for desk in served.rounds.endpoints] == [[], []]


def test_two_loops_with_the_same_prompt_at_the_same_time_are_two_rounds() -> None:
    served = Rounded()
    for called in [served.ask(SYSTEM, USER) for _ in range(2)]:
        assert served.ask(SYSTEM, USER, called, result_for(called))["content"] == "All done."
    assert served.counts == [[(0, 2)], [(0, 2)]]
    assert [judge(desk.recorder.trace()) for desk in served.rounds.endpoints] == [[], []]


def test_a_loop_that_is_run_again_with_the_same_request_is_read_once() -> None:
    """Its rounds are judged apart all the same; a request that differs in anything is read anew."""
    served = Rounded()
    for _ in range(3):
        served.ask(SYSTEM, USER)
    served.ask(SYSTEM, USER, tools=(TOOL, OTHER))
    read = [asked for desk in served.rounds.endpoints for asked, _ in desk.conversations.values()]
    assert [each is read[0] for each in read] == [True, True, True, False]
    assert [len(each.tools) for each in read] == [1, 1, 1, 2]
    assert served.counts == [[(0, 1)]] * 4


def test_the_same_body_with_other_headers_is_read_anew() -> None:
    rounds = Rounds(lambda _: desk(wire="anthropic-messages"))
    body = json.dumps({"model": "claude-sonnet-4-6", "max_tokens": 9, "messages": [USER]}).encode()
    versions = []
    for version in ("2023-06-01", "2026-10-21"):
        asked = ReceivedRequest(
            Route("anthropic-messages"), "POST", "/v1/messages", {"Anthropic-Version": version}, body
        )
        rounds.endpoint_for(asked)
        versions.append(asked.asked(wire("anthropic-messages")).conversation.headers["anthropic-version"])
    assert versions == ["2023-06-01", "2026-10-21"]


def test_a_request_is_held_against_few_of_the_rounds_before(monkeypatch: pytest.MonkeyPatch) -> None:
    served = Rounded()
    looked: list[Conversations] = []
    find = Conversations.find
    monkeypatch.setattr(Conversations, "find", lambda self, asked: (looked.append(self), find(self, asked))[1])
    for _ in range(30):
        called = served.ask(SYSTEM, USER)
        served.ask(SYSTEM, USER, called, result_for(called))
    assert len(served.rounds.endpoints) == 30
    assert len(looked) <= 60 * 3


def test_what_had_no_whole_answer_is_asked_again_in_its_round_after_another_has_begun() -> None:
    served = Rounded(replace(CALL, cut=Cut(after=0, how="cut")), CALL, DONE)
    served.begin(SYSTEM, USER)
    served.begin(SYSTEM, {"role": "user", "content": "Something else?"})
    called = served.ask(SYSTEM, USER)
    served.ask(SYSTEM, USER, called, result_for(called))
    assert served.counts == [[(0, 3)], [(0, 1)]]


def test_a_served_loop_that_is_started_again_with_the_same_prompt_begins_a_round() -> None:
    served = Rounded()
    for _ in range(2):
        called = served.ask(SYSTEM, USER)
        served.ask(SYSTEM, USER, called, result_for(called))
    assert served.counts == [[(0, 2)], [(0, 2)]]


def test_a_sub_agent_of_a_served_loop_begins_no_round() -> None:
    served = Rounded()
    called = served.ask(SYSTEM, USER)
    served.ask({"role": "system", "content": "You search."}, {"role": "user", "content": "Find a."}, tools=(OTHER,))
    served.ask(SYSTEM, USER, called, result_for(called))
    assert served.counts == [[(0, 2), (1, 1)]]
