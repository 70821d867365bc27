"""What is kept and stored: responses by their ids, conversations, compacted histories, as the official SDKs ask."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import boto3
import botocore.config
import httpx2
import pytest
from anyio import to_thread

from harness.endpoint import CaseEndpoint, Endpoints
from harness.endpoint.server import serving
from harness.endpoint.stored import Stored
from harness.scenario import Step, TurnStep
from harness.wire import Call, FinishReason, ThinkingPart, Turn, WireName, wire
from harness.wire.keeping import KeptChange
from tests.endpoint.endpoint import DONE, desk
from tests.sdks import openai

pytestmark = pytest.mark.anyio

MODEL = "gpt-5.5"
CALL = TurnStep(Turn((ThinkingPart("I look."), Call("read", '{"path":"a"}')), FinishReason.TOOL_CALLS))


@dataclass(frozen=True)
class Asked:
    """A case at a loopback port, and a client that asks it."""

    case: CaseEndpoint
    endpoints: Endpoints
    client: Any
    url: str

    @property
    def broken(self) -> list[str]:
        """The rules that requests have broken."""
        return [finding.reference for _, finding in self.case.violations]

    async def answer(self, **members: Any) -> Any:
        return await self.client.responses.create(model=MODEL, **members)

    async def refused(self, call: Any) -> tuple[int, str]:
        with pytest.raises(openai.APIStatusError) as caught:
            await call
        return caught.value.status_code, caught.value.body["message"]


@asynccontextmanager
async def asked(steps: Sequence[Step], name: WireName = "openai-responses") -> AsyncIterator[Asked]:
    case = desk(steps, wire=name)
    endpoints = Endpoints()
    endpoints.open("a-case", case, MODEL)
    async with serving(endpoints) as base:
        url = f"{base}/case/a-case"
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="harness", max_retries=0) as client:
            yield Asked(case, endpoints, client, url)


@pytest.fixture
async def a() -> AsyncIterator[Asked]:
    async with asked([CALL, DONE] * 10) as each:
        yield each


# --- responses ----------------------------------------------------------------------------------------------------


async def test_a_response_is_fetched_with_what_it_has_answered(a: Asked) -> None:
    first = await a.answer(input="Look.", instructions="Be brief.")
    call = first.output[-1]
    output = {"type": "function_call_output", "call_id": call.call_id, "output": "x"}
    second = await a.answer(input=[output], previous_response_id=first.id, stream=True)
    *_, last = [event async for event in second]
    whole = await a.client.responses.retrieve(last.response.id)
    assert whole.output_text == "All done."
    assert whole.to_dict() == last.response.to_dict()
    items = [item async for item in a.client.responses.input_items.list(whole.id, order="asc", limit=2)]
    assert [item.type for item in items] == ["message", "reasoning", "function_call", "function_call_output"]
    assert len({item.id for item in items}) == 4
    page = await a.client.responses.input_items.list(whole.id, limit=1)
    assert (page.data[0].output, page.has_more) == ("x", True)  # the latest comes first
    assert a.broken == []


async def test_a_page_that_there_is_not_is_refused(a: Asked) -> None:
    first = await a.answer(input="Look.")
    listed = a.client.responses.input_items.list
    assert await a.refused(listed(first.id, limit=101)) == (
        400,
        "Invalid 'limit': integer above maximum value. Expected a value <= 100, but got 101 instead.",
    )
    assert (await a.refused(listed(first.id, limit=0)))[1].startswith("Invalid 'limit': integer below minimum value.")
    assert await a.refused(listed(first.id, after="msg_x")) == (404, "Item with id 'msg_x' not found.")


async def test_a_deleted_response_is_gone_and_nothing_goes_on_from_it(a: Asked) -> None:
    first = await a.answer(input="Look.")
    await a.client.responses.delete(first.id)
    gone = (404, f"Response with id '{first.id}' not found.")
    for ask in (a.client.responses.retrieve, a.client.responses.delete, a.client.responses.cancel):
        assert await a.refused(ask(first.id)) == gone
    assert await a.refused(a.client.responses.input_items.list(first.id)) == gone
    status, message = await a.refused(a.answer(input="On.", previous_response_id=first.id))
    assert (status, message) == (400, f"Previous response with id '{first.id}' not found.")
    assert "OAI-18" in a.broken


async def test_a_response_that_is_not_stored_is_not_kept(a: Asked) -> None:
    first = await a.answer(input="Look.", store=False)
    assert (await a.refused(a.client.responses.retrieve(first.id)))[0] == 404


async def test_cancelling(a: Asked) -> None:
    cancel = a.client.responses.cancel
    whole = await a.answer(input="Look.")
    assert await a.refused(cancel(whole.id)) == (400, "Cannot cancel a synchronous response.")
    running = await a.answer(input="Look.", background=True)
    assert await a.refused(a.client.responses.delete(running.id)) == (400, "Cannot delete an in-flight response.")
    cancelled = await cancel(running.id)
    assert (cancelled.status, cancelled.output) == ("cancelled", [])
    assert (await cancel(running.id)).status == "cancelled"
    assert (await a.client.responses.retrieve(running.id)).status == "cancelled"
    done = await a.answer(input="Look.", background=True)
    while done.status in ("queued", "in_progress"):
        done = await a.client.responses.retrieve(done.id)
    assert (done.status, done.background) == ("completed", True)
    assert await a.refused(cancel(done.id)) == (400, "Cannot cancel a completed response.")


@pytest.mark.parametrize("got", [1, 4, 7])
async def test_a_stream_in_the_background_is_left_and_resumed(got: int) -> None:
    async with asked([DONE, DONE]) as a:
        events: list[Any] = []
        async with await a.answer(input="Say.", background=True, stream=True) as stream:
            async for event in stream:
                events.append(event)
                if len(events) == got:
                    break
        id = events[0].response.id
        resumed = await a.client.responses.retrieve(id, stream=True, starting_after=events[-1].sequence_number)
        events += [event async for event in resumed]
        assert [event.sequence_number for event in events] == list(range(len(events)))
        assert events[-1].response.output_text == "All done."
        after = await a.client.responses.retrieve(id, stream=True, starting_after=events[-1].sequence_number)
        assert [event async for event in after] == []
        followed = await a.answer(input="On.", previous_response_id=id)
        assert followed.output_text == "All done."
        assert a.broken == []


async def test_only_a_stream_in_the_background_is_streamed_again(a: Asked) -> None:
    for members, lacking in (({"stream": True}, "background"), ({"background": True}, "stream")):
        answer = await a.answer(input="Look.", **members)
        events = [] if lacking == "stream" else [event async for event in answer]
        id = events[0].response.id if events else answer.id
        message = f"This response cannot be streamed because it was not created with {lacking}=true."
        assert await a.refused(a.client.responses.retrieve(id, stream=True)) == (400, message)


async def test_padding_is_left_out_of_a_stream_that_asks_for_none() -> None:
    async with asked([DONE]) as a:
        events = [event async for event in await a.answer(input="Say.", background=True, stream=True)]
        id = events[0].response.id
        plain = await a.client.responses.retrieve(id, stream=True, include_obfuscation=False)
        kinds = [(event.type, "obfuscation" in event.to_dict()) async for event in plain]
        assert ("response.output_text.delta", False) in kinds
        assert ("response.output_text.delta", True) not in kinds


# --- conversations --------------------------------------------------------------------------------------------------


async def test_a_conversation_is_the_history_of_what_is_asked_in_it(a: Asked) -> None:
    made = await a.client.conversations.create(items=[{"role": "user", "content": "I like rye."}], metadata={"a": "b"})
    first = await a.answer(input="Look.", conversation=made.id)
    assert first.conversation.id == made.id
    call = first.output[-1]
    await a.client.conversations.items.create(made.id, items=[{"role": "user", "content": "Also walnuts."}])
    output = {"type": "function_call_output", "call_id": call.call_id, "output": "x"}
    second = await a.answer(input=[output], conversation={"id": made.id})
    assert second.output_text == "All done."
    items = [item async for item in a.client.conversations.items.list(made.id, order="asc", limit=3)]
    kinds = [item.type for item in items]
    history = ["message", "message", "reasoning", "function_call", "message", "function_call_output", "message"]
    assert kinds == history
    assert [item.content[0].text for item in items if item.type == "message"] == [
        *("I like rye.", "Look.", "Also walnuts.", "All done."),
    ]
    (_, seen) = a.case.conversations[1]
    assert [message.role for message in seen.messages] == [
        *("user", "user", "assistant", "assistant", "user", "tool"),
    ]
    listed = [item async for item in a.client.responses.input_items.list(second.id, order="asc")]
    assert [item.type for item in listed] == history[:-1]
    assert a.broken == []


async def test_a_call_in_a_conversation_must_be_answered(a: Asked) -> None:
    made = await a.client.conversations.create()
    first = await a.answer(input="Look.", conversation=made.id)
    id = first.output[-1].call_id
    refused = await a.refused(a.answer(input="Go on.", conversation=made.id))
    assert refused == (400, f"No tool output found for function call {id}.")
    assert a.broken == ["OAI-10"]


async def test_a_call_that_was_put_there_is_answered(a: Asked) -> None:
    call = {"type": "function_call", "call_id": "call_1", "name": "read", "arguments": "{}"}
    made = await a.client.conversations.create(items=[{"role": "user", "content": "Look."}, call])
    assert (await a.refused(a.answer(input="Go on.", conversation=made.id)))[0] == 400
    output = {"type": "function_call_output", "call_id": "call_1", "output": "x"}
    await a.answer(input=[output], conversation=made.id)
    assert a.broken == ["OAI-10"]


async def test_an_item_that_was_taken_out_is_no_part_of_the_history(a: Asked) -> None:
    made = await a.client.conversations.create()
    first = await a.answer(input="Look.", conversation=made.id)
    items = a.client.conversations.items
    for item in first.output:
        deleted = await items.delete(item.id, conversation_id=made.id)
        assert deleted.id == made.id
    gone = first.output[-1].id
    assert await a.refused(items.retrieve(gone, conversation_id=made.id)) == (404, f"Item with id '{gone}' not found.")
    assert [item.type async for item in items.list(made.id)] == ["message"]
    answer = await a.answer(input="Go on.", conversation=made.id)
    assert answer.output_text == "All done."
    assert "OAI-10" not in a.broken


async def test_a_conversation_is_changed_and_deleted(a: Asked) -> None:
    conversations = a.client.conversations
    made = await conversations.create(metadata={"a": "b"})
    assert (await conversations.update(made.id, metadata={"c": "d"})).metadata == {"c": "d"}
    assert (await conversations.retrieve(made.id)).metadata == {"c": "d"}
    assert (await conversations.delete(made.id)).deleted is True
    gone = (404, f"Conversation with id '{made.id}' not found.")
    assert await a.refused(conversations.retrieve(made.id)) == gone
    assert await a.refused(conversations.items.list(made.id)) == gone
    assert await a.refused(conversations.items.create(made.id, items=[])) == gone
    await a.answer(input="Look.", conversation="conv_from_before")  # may have been there before the case
    assert a.broken == []


async def test_nothing_is_asked_in_a_deleted_conversation() -> None:
    async with asked([DONE, DONE]) as a:
        made = await a.client.conversations.create()
        await a.answer(input="Look.", conversation=made.id)
        await a.client.conversations.delete(made.id)
        refused = await a.refused(a.answer(input="Go on.", conversation=made.id))
        assert refused == (404, f"Conversation with id '{made.id}' not found.")
        assert a.broken == ["OAI-CONVERSATION"]


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([{"role": "user", "content": "hi"}] * 21, "Invalid 'items': array too long. Expected an array with maximum"),
        ([{"role": "nobody", "content": "hi"}], "Invalid value: 'nobody'."),
        (
            [{"type": "function_call", "name": "a", "arguments": "{}"}],
            "Missing required parameter: 'items[0].call_id'.",
        ),
        ([{"type": "function_call", "name": "a", "call_id": "c", "arguments": {}}], "Invalid type for 'items[0].arg"),
    ],
)
async def test_what_is_no_item_is_refused(a: Asked, items: Any, message: str) -> None:
    assert (await a.refused(a.client.conversations.create(items=items)))[1].startswith(message)
    made = await a.client.conversations.create()
    status, said = await a.refused(a.client.conversations.items.create(made.id, items=items))
    assert (status, said.startswith(message)) == (400, True)
    assert [item async for item in a.client.conversations.items.list(made.id)] == []


@pytest.mark.parametrize("metadata", [{"a": 1}, "text", {str(at): "x" for at in range(17)}])
async def test_what_is_no_metadata_is_refused(a: Asked, metadata: Any) -> None:
    status, message = await a.refused(a.client.conversations.create(metadata=metadata))
    assert (status, "'metadata" in message) == (400, True)


def test_what_is_stored_is_parked_and_found_again() -> None:
    parking, keeping = Stored("a", most=4, most_bytes=3000), Stored("a")
    for store in (parking, keeping):
        for at in range(50):
            store.change(KeptChange("store", f"conv_{at}", {"id": at}))
            store.change(KeptChange("append", f"conv_{at}", items=[{"text": "x" * at}]))
            store.turn(f"conv_{at % 7}", f"resp_{at}")
        store.change(KeptChange("drop", "conv_3"))
        store.change(KeptChange("remove", "conv_4", item="msg_1"))
    assert len(parking._live) <= 4
    assert parking._size <= 3000
    assert len(keeping._live) == 49
    for at in range(50):
        assert parking.get(f"conv_{at}") == keeping.get(f"conv_{at}")
    assert parking.get("conv_3") is None
    assert parking.is_dropped("conv_3")


# --- compacted histories --------------------------------------------------------------------------------------------


async def compacted(a: Asked) -> tuple[Any, list[Any]]:
    """A compacted history, and the messages that were sent."""
    first = await a.answer(input=[{"role": "user", "content": "Look."}])
    history = [{"role": "user", "content": "Look."}, *(item.to_dict() for item in first.output)]
    for item in history:
        if item.get("type") == "reasoning":
            item.pop("status", None)
    output = {"type": "function_call_output", "call_id": first.output[-1].call_id, "output": "x"}
    return await a.client.responses.compact(model=MODEL, input=[*history, output]), [*history, output]


async def test_a_compacted_history_goes_on(a: Asked) -> None:
    made, _ = await compacted(a)
    assert made.object == "response.compaction"
    *said, item = made.output
    assert [(each.type, each.role, each.content[0].text) for each in said] == [("message", "user", "Look.")]
    assert item.type == "compaction"
    assert made.usage.total_tokens == made.usage.input_tokens + made.usage.output_tokens
    for kept in (made.output, [item]):
        history = [each.to_dict(warnings=False) for each in kept]
        answer = await a.answer(input=[*history, {"role": "user", "content": "And then?"}])
        if answer.output[-1].type == "function_call":
            break
    assert a.broken == []


async def test_a_compacted_history_that_was_altered_is_refused(a: Asked) -> None:
    made, history = await compacted(a)
    item = made.output[-1].to_dict()
    forged = {**item, "encrypted_content": item["encrypted_content"][:-9] + "AAAAAAAA="}
    status, message = await a.refused(a.answer(input=[forged, {"role": "user", "content": "And then?"}]))
    assert status == 400
    assert message.startswith(f"The encrypted content for item {item['id']} could not be verified.")
    unknown = {**item, "id": "cmp_1", "encrypted_content": "gAAAAABqaR39"}  # behind a call that was issued here
    assert (await a.refused(a.answer(input=[*history, unknown, {"role": "user", "content": "And?"}])))[0] == 400
    assert a.broken == ["OAI-17", "OAI-17"]


async def test_a_history_with_an_open_call_is_not_compacted(a: Asked) -> None:
    _, history = await compacted(a)
    refused = await a.refused(a.client.responses.compact(model=MODEL, input=history[:-1]))
    assert refused == (400, f"No tool output found for function call {history[-1]['call_id']}.")
    assert a.broken == ["OAI-COMPACT"]
    statuses = [exchange.response and exchange.response.status for exchange in a.case.recorder.trace().exchanges]
    assert statuses == [200, 200, 400]


# --- the other wires ------------------------------------------------------------------------------------------------


async def test_stored_completions_of_chat() -> None:
    async with asked([DONE] * 4, "openai-chat") as a:
        chat = a.client.chat.completions
        messages: Any = [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]
        members: Any = {"model": "gpt-4.1", "messages": messages}
        plain = await chat.create(**members)
        first = await chat.create(**members, store=True, metadata={"a": "b"})
        chunks = [chunk async for chunk in await chat.create(**members, store=True, stream=True)]
        assert (await a.refused(chat.retrieve(plain.id)))[0] == 404
        assert (await chat.retrieve(first.id)).choices == first.choices
        assert (await chat.retrieve(chunks[0].id)).choices[0].message.content == "All done."
        assert [each.id async for each in await chat.list()] == [first.id, chunks[0].id]
        assert [each.id async for each in await chat.list(metadata={"a": "b"}, limit=1)] == [first.id]
        assert [each.id async for each in await chat.list(model="gpt-5.5")] == []
        (message,) = [each async for each in await chat.messages.list(first.id)]
        assert (message.id, message.content, message.content_parts[0].text) == (f"{first.id}-0", None, "hi")
        assert (await chat.update(first.id, metadata={"c": "d"})).metadata == {"c": "d"}
        assert (await chat.retrieve(first.id)).metadata == {"c": "d"}
        assert (await chat.delete(first.id)).deleted is True
        assert (await a.refused(chat.retrieve(first.id)))[0] == 404
        assert a.broken == []


async def test_bedrock_counts_tokens() -> None:
    async with asked([DONE], "bedrock-converse") as a:
        client = boto3.client(
            "bedrock-runtime",
            endpoint_url=a.url,
            region_name="us-east-1",
            aws_access_key_id="harness",
            aws_secret_access_key="harness",
            config=botocore.config.Config(retries={"total_max_attempts": 1}),
        )
        messages = [{"role": "user", "content": [{"text": "How many tokens are these words? " * 20}]}]
        counted = await to_thread.run_sync(
            partial(client.count_tokens, modelId="a.claude-v1:0", input={"converse": {"messages": messages}})
        )
        assert 100 < counted["inputTokens"] < 1000
        assert a.endpoints.not_served("a-case") == {}


PATHS: tuple[tuple[WireName, dict[str, str], str, tuple[str, ...], str], ...] = (
    ("openai-chat", {}, "/v1/files", ("error", "message"), "Invalid URL (GET /v1/files)"),
    ("openai-responses", {"x-api-key": "k"}, "/v1/files", ("error", "type"), "not_found_error"),
    ("anthropic-messages", {}, "/v1/files", ("error", "type"), "not_found_error"),
    ("openai-chat", {"x-goog-api-key": "k"}, "/v1beta/files", ("error", "status"), "NOT_FOUND"),
    ("gemini-generate", {}, "/v1beta/files", ("error", "status"), "NOT_FOUND"),
    ("bedrock-converse", {}, "/async-invoke", ("message",), "Unable to determine service/operation name"),
)


@pytest.mark.parametrize(("name", "headers", "path", "place", "said"), PATHS)
async def test_an_unknown_path_is_answered_as_its_provider_does(
    name: WireName, headers: dict[str, str], path: str, place: tuple[str, ...], said: str
) -> None:
    async with asked([DONE], name) as a:
        async with httpx2.AsyncClient(trust_env=False) as http:
            answer = await http.get(f"{a.url}{path}", headers=headers)
        found = answer.json()
        for member in place:
            found = found[member]
        assert (answer.status_code, said in found) == (404, True)
        assert a.endpoints.not_served("a-case") == {f"GET {path}": 1}


def test_every_wire_that_keeps_something_answers_about_it() -> None:
    for name in ("openai-responses", "openai-chat", "gemini-interactions"):
        keeping = wire(name).keeping
        assert keeping is not None
        assert keeping.wire == name
