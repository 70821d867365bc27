"""The helpers of two SDKs as their own tests use them: streams, parsed answers, tool runners; each a right program.

Every program is played whole, and its last answer is looked at with the SDK's own objects. The endpoint must have
called none of them wrong, and must have seen an answer to each call that was not forced.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from tests.outside.endpoint import Endpoint, asked
from tests.outside.test_sdk_forms import sdks
from tests.sdks import anthropic, openai

USER: Any = {"role": "user", "content": "When is high water, and how high?"}
OPENAI = ("gpt-4.1", "gpt-5.5")
ANTHROPIC = ("claude-sonnet-4-6", "claude-opus-4-6")


class Berth(BaseModel):
    """A place at a quay."""

    number: int
    side: Literal["port", "starboard"]


class Tide(BaseModel):
    """High water at a harbour."""

    harbour: str
    heights: list[float]
    berth: Berth | None


def answer_to(call: Any) -> str:
    """The result of a call, which must be one of the tool's."""
    return f"{Tide.model_validate(call).harbour or 'nowhere'}: 5.1 m"


# --- OpenAI Chat ----------------------------------------------------------------------------------------------------


def chat_parse(endpoint: Endpoint, model: str) -> None:
    client, _ = sdks(endpoint)
    done = client.chat.completions.parse(model=model, messages=[USER], response_format=Tide)
    assert isinstance(done.choices[0].message.parsed, Tide)


def chat_stream_parse(endpoint: Endpoint, model: str) -> None:
    client, _ = sdks(endpoint)
    with client.chat.completions.stream(
        model=model, messages=[USER], response_format=Tide, stream_options={"include_usage": True}
    ) as stream:
        kinds = [event.type for event in stream]
        done = stream.get_final_completion()
    assert {"chunk", "content.delta", "content.done"} <= {*kinds}
    assert isinstance(done.choices[0].message.parsed, Tide)
    assert done.usage is not None


def _chat_loop(endpoint: Endpoint, model: str, turn: Callable[[Any, list[Any], list[Any]], Any]) -> None:
    client, _ = sdks(endpoint)
    tools = [openai.pydantic_function_tool(Tide)]
    history: list[Any] = [USER]
    while (message := turn(client, history, tools)).tool_calls:
        history.append(message)
        for call in message.tool_calls:
            assert isinstance(call.function.parsed_arguments, Tide)
            text = answer_to(json.loads(call.function.arguments))
            history.append({"role": "tool", "tool_call_id": call.id, "content": text})
    assert message.content
    assert len(history) > 2


def chat_parse_loop(endpoint: Endpoint, model: str) -> None:
    def turn(client: Any, history: list[Any], tools: list[Any]) -> Any:
        return client.chat.completions.parse(model=model, messages=history, tools=tools).choices[0].message

    _chat_loop(endpoint, model, turn)


def chat_stream_loop(endpoint: Endpoint, model: str) -> None:
    def turn(client: Any, history: list[Any], tools: list[Any]) -> Any:
        with client.chat.completions.stream(model=model, messages=history, tools=tools) as stream:
            for _ in stream:
                pass
            return stream.get_final_completion().choices[0].message

    _chat_loop(endpoint, model, turn)


def chat_raw(endpoint: Endpoint, model: str) -> None:
    client, _ = sdks(endpoint)
    raw = client.chat.completions.with_raw_response.create(model=model, messages=[USER])
    assert raw.headers["x-request-id"]
    assert raw.parse().choices[0].message.content
    with client.chat.completions.with_streaming_response.create(model=model, messages=[USER], stream=True) as bytewise:
        assert list(bytewise.iter_lines())[-2:][0] == "data: [DONE]"


# --- OpenAI Responses -----------------------------------------------------------------------------------------------


def responses_parse(endpoint: Endpoint, model: str) -> None:
    client, _ = sdks(endpoint)
    done = client.responses.parse(model=model, input=USER["content"], text_format=Tide)
    assert isinstance(done.output_parsed, Tide)


def responses_stream_parse(endpoint: Endpoint, model: str) -> None:
    client, _ = sdks(endpoint)
    with client.responses.stream(model=model, input=[USER], text_format=Tide) as stream:
        kinds = [event.type for event in stream]
        done = stream.get_final_response()
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"
    assert isinstance(done.output_parsed, Tide)


def responses_loop(endpoint: Endpoint, model: str) -> None:
    """The whole output goes back, nothing is stored."""
    client, _ = sdks(endpoint)
    tools: Any = [responses_tool()]
    history: list[Any] = [USER]
    while True:
        done = client.responses.create(
            model=model, input=history, tools=tools, store=False, include=["reasoning.encrypted_content"]
        )
        history += done.output
        calls = [item for item in done.output if item.type == "function_call"]
        if not calls:
            break
        history += [
            {"type": "function_call_output", "call_id": each.call_id, "output": answer_to(json.loads(each.arguments))}
            for each in calls
        ]
    assert done.output_text


def responses_streamed_loop_by_id(endpoint: Endpoint, model: str) -> None:
    client, _ = sdks(endpoint)
    tools: Any = [responses_tool()]
    before: str | None = None
    said: list[Any] = [USER]
    while said:
        with client.responses.stream(model=model, input=said, tools=tools, previous_response_id=before) as stream:
            for _ in stream:
                pass
            done = stream.get_final_response()
        before = done.id
        said = [
            {"type": "function_call_output", "call_id": each.call_id, "output": answer_to(json.loads(each.arguments))}
            for each in done.output
            if each.type == "function_call"
        ]
    assert done.output_text


def responses_runner(endpoint: Endpoint, model: str) -> None:
    from openai.lib.responses_tool_runner import RegisteredFunction, ResponsesToolRunner

    client, _ = sdks(endpoint)
    for stream in (False, True):
        runner = ResponsesToolRunner(functions=[RegisteredFunction(responses_tool(), answer_to)])
        done = runner.run(client, {"model": model, "input": [USER]}, max_steps=6, stream=stream)
        assert done.output_text


def responses_tool() -> Any:
    tool = openai.pydantic_function_tool(Tide)["function"]
    return {"type": "function", **tool}


# --- Anthropic ------------------------------------------------------------------------------------------------------


def messages_parse(endpoint: Endpoint, model: str) -> None:
    _, client = sdks(endpoint)
    done = client.messages.parse(model=model, max_tokens=2000, messages=[USER], output_format=Tide)
    assert isinstance(done.parsed_output, Tide)
    beta = client.beta.messages.parse(model=model, max_tokens=2000, messages=[USER], output_format=Tide)
    assert isinstance(beta.parsed_output, Tide)


def messages_stream(endpoint: Endpoint, model: str) -> None:
    _, client = sdks(endpoint)
    for messages in (client.messages, client.beta.messages):
        with messages.stream(model=model, max_tokens=2000, messages=[USER]) as stream:
            text = "".join(stream.text_stream)
        assert text == stream.get_final_text()
        with messages.stream(model=model, max_tokens=2000, messages=[USER]) as stream:
            assert {"text", "message_stop", "content_block_stop"} <= {event.type for event in stream}


def messages_loop(endpoint: Endpoint, model: str) -> None:
    """With thinking, streamed and whole by turns."""
    _, client = sdks(endpoint)
    tool: Any = {"name": "tide", "description": "High water.", "input_schema": Tide.model_json_schema()}
    history: list[Any] = [USER]
    settings: Any = {"model": model, "max_tokens": 3000, "tools": [tool]}
    settings["thinking"] = {"type": "adaptive"}
    while True:
        assert client.messages.count_tokens(
            **{name: value for name, value in settings.items() if name != "max_tokens"}, messages=history
        ).input_tokens
        if len(history) % 4 == 1:
            with client.messages.stream(**settings, messages=history) as stream:
                done = stream.get_final_message()
        else:
            done = client.messages.create(**settings, messages=history)
        history.append({"role": "assistant", "content": done.content})
        calls = [block for block in done.content if block.type == "tool_use"]
        if not calls:
            break
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": answer_to(call.input)} for call in calls]
        history.append({"role": "user", "content": results})
    assert done.content[-1].type == "text"


def messages_runner(endpoint: Endpoint, model: str) -> None:
    _, client = sdks(endpoint)
    asked_for: list[str] = []

    @anthropic.beta_tool
    def tide(harbour: str, day: int = 1) -> str:
        """High water at a harbour."""
        asked_for.append(harbour)
        return f"{day}: 5.1 m"

    settings: Any = {"model": model, "max_tokens": 2000, "messages": [USER], "tools": [tide]}
    done = client.beta.messages.tool_runner(**settings).until_done()
    assert done.content[-1].type == "text"
    for stream in client.beta.messages.tool_runner(**settings, stream=True):
        last = stream.get_final_message()
    assert last.content[-1].type == "text"
    assert len(asked_for) >= 2


def without_waiting(endpoint: Endpoint, model: str) -> None:
    """The asynchronous clients, several requests at once."""
    of_openai = openai.AsyncOpenAI(base_url=endpoint.v1, api_key="harness", max_retries=0)
    of_anthropic = anthropic.AsyncAnthropic(base_url=endpoint.url, api_key="harness", max_retries=0)

    async def ask() -> list[Any]:
        async with of_openai, of_anthropic:
            return await asyncio.gather(
                *(of_openai.responses.create(model="gpt-4.1", input="Hello") for _ in "abc"),
                *(of_openai.chat.completions.create(model="gpt-4.1", messages=[USER]) for _ in "abc"),
                *(of_anthropic.messages.create(model=model, max_tokens=900, messages=[USER]) for _ in "abc"),
                of_openai.chat.completions.parse(model="gpt-4.1", messages=[USER], response_format=Tide),
            )

    assert len(asyncio.run(ask())) == 10


PROGRAMS: dict[Callable[[Endpoint, str], None], tuple[str, ...]] = {
    **dict.fromkeys((chat_parse, chat_stream_parse, chat_parse_loop, chat_stream_loop, chat_raw), OPENAI),
    **dict.fromkeys((responses_parse, responses_stream_parse, responses_loop), OPENAI),
    **dict.fromkeys((responses_streamed_loop_by_id, responses_runner), OPENAI),
    **dict.fromkeys((messages_parse, messages_stream, messages_loop, messages_runner, without_waiting), ANTHROPIC),
}


@pytest.mark.parametrize("play", PROGRAMS, ids=[play.__name__ for play in PROGRAMS])
def test_a_helper_reads_what_it_has_asked_for(play: Callable[[Endpoint, str], None]) -> None:
    with asked() as endpoint:
        for model in PROGRAMS[play]:
            play(endpoint, model)
    assert endpoint.findings == []


def test_all_of_them_at_one_endpoint() -> None:
    with asked() as endpoint:
        for play, models in PROGRAMS.items():
            for model in models:
                play(endpoint, model)
    assert endpoint.findings == []
    assert {status for statuses in endpoint.cases.values() for status in statuses} == {200}
