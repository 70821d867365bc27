"""What is wrong with the requests to a served scenario: misses, and numbers of requests that are not as expected."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from harness.endpoint import Endpoints
from harness.endpoint.transport import EndpointTransport
from harness.runner.execute import Finished
from harness.runner.judging import everything
from harness.runner.results import CaseResult
from harness.runner.serving import Activity, Opening, offers
from harness.runner.serving.outcome import outcome
from harness.runner.sources import SCRIPTED, Cassettes, Sources
from harness.scenario import shipped
from harness.wire import Wire
from harness.wire.channels import CHANNELS

pytestmark = pytest.mark.anyio

TWO_TURNS = shipped() / "universal" / "tool-returns.yaml"
RECORDED = shipped() / "recorded" / "one-call.yaml"
CASSETTES = Path(__file__).parents[2] / "cassettes"
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": PARAMETERS}}

Ask = Callable[[list[Any]], Awaitable[Any]]
Agent = Callable[[Ask], Awaitable[None]]


async def served(agent: Agent, path: Path = TWO_TURNS, sources: Sources = SCRIPTED, **how: Any) -> Finished:
    """The result of one agent that asks on Chat. ``how`` is for ``outcome``."""
    endpoints = Endpoints()
    (offer,), sources = offers([path], ["openai-chat"], seed=0, sources=sources)
    opening = Opening(endpoints, sources, everything().enforcement, Activity())
    async with AsyncExitStack() as stack:
        offered = await opening.open(offer, stack)
        http = await stack.enter_async_context(httpx2.AsyncClient(transport=EndpointTransport(endpoints)))

        async def ask(messages: list[Any]) -> Any:
            body = {"model": "gpt-4.1", "messages": messages, "tools": [TOOL]}
            answer = (await http.post(f"http://harness{offered.prefix}/v1/chat/completions", json=body)).json()
            return answer["choices"][0]["message"] if "choices" in answer else None

        await agent(ask)
        (found,) = outcome([offered], endpoints, everything(), **how)
    return found


async def one_request(ask: Ask) -> None:
    await ask([{"role": "user", "content": "Is it cold?"}])


async def whole(ask: Ask) -> list[Any]:
    """The messages of a run that ends well."""
    messages: list[Any] = [{"role": "user", "content": "Is it cold?"}]
    messages.append(await ask(messages))
    call = messages[1]["tool_calls"][0]["id"]
    messages.append({"role": "tool", "tool_call_id": call, "content": "sunny"})
    messages.append(await ask(messages))
    return messages


async def one_too_many(ask: Ask) -> None:
    await ask([*await whole(ask), {"role": "user", "content": "And?"}])


async def to_its_end(ask: Ask) -> None:
    await whole(ask)


def found(result: CaseResult) -> list[tuple[str, str, str]]:
    return [(each.rule, each.expected, each.got) for each in result.findings]


async def test_a_run_as_expected_has_no_finding_and_a_note_on_what_was_not_checked() -> None:
    result = (await served(to_its_end)).result
    assert (result.verdict, found(result)) == ("pass", [])
    note = "expectations of the scenario that 'harness serve' does not check: outcome, events, sent"
    assert result.notes == (note,)


async def test_what_the_endpoint_has_read_is_not_read_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("it was read when it came")

    async def runs(ask: Ask) -> None:
        await whole(ask)
        for name in ("read", "resolve", "parse", "violations"):
            monkeypatch.setattr(Wire, name, refuse)

    result = (await served(runs)).result
    assert (result.verdict, found(result)) == ("pass", [])


async def test_tools_of_the_loops_own_are_compared_and_those_of_the_scenario_are_not(tmp_path: Path) -> None:
    """The scenario's tools were not handed to it."""
    text = TWO_TURNS.read_text(encoding="utf-8").split("\nvary:")[0]
    for offered, expected in (
        ("tools: [get_weather], lacks: [find]", []),
        ("lacks: [get_weather]", []),
        ("tools: [find]", [("expect/offered", "request 2 with the tool find", "the tools get_weather")]),
    ):
        file = tmp_path / "a.yaml"
        file.write_text(f"{text}  offered: [{{request: 2, {offered}}}]\n", encoding="utf-8")
        result = (await served(to_its_end, file)).result
        assert found(result) == expected
        (note,) = result.notes
        assert ("offered" in note) is ("get_weather" in offered)


async def test_a_loop_that_ends_too_early_is_found() -> None:
    result = (await served(one_request)).result
    unfinished = (
        "final/unfinished",
        "a request with the results of get_weather",
        "no more requests of this conversation",
    )
    assert found(result) == [unfinished, ("expect/turns", "2 model turns", "1"), ("expect/requests", "2 requests", "1")]
    assert result.verdict == "fail"


@pytest.mark.parametrize("how", [{"ended": False}, {"exit_code": 1}], ids=["ended", "failed"])
async def test_a_loop_that_was_ended_or_has_failed_need_not_ask_as_often(how: dict[str, Any]) -> None:
    result = (await served(one_request, **how)).result
    assert [rule for rule, _, _ in found(result)] == ["target/exit"] * ("exit_code" in how)
    assert "does not check: outcome, turns, requests, events, sent" in result.notes[0]


@pytest.mark.parametrize("how", [{}, {"ended": False}, {"exit_code": 1}], ids=["ends", "ended", "failed"])
async def test_a_request_after_the_script_is_found_however_the_loop_ended(how: dict[str, Any]) -> None:
    result = (await served(one_too_many, **how)).result
    assert ("expect/requests", "at most 2 requests: the script has no more answers", "3 requests") in found(result)


async def test_a_request_that_no_recording_answers_is_found_with_its_difference() -> None:
    finished = await served(one_request, RECORDED, Cassettes(CASSETTES))
    miss, *unplayed = finished.result.findings
    assert (miss.rule, miss.expected, miss.got) == ("cassette/miss", '"smollm2-135m-instruct-q4_1"', '"gpt-4.1"')
    assert (miss.at, [each.rule for each in unplayed]) == (2, ["cassette/unplayed"] * 2)
    assert finished.result.notes == (
        "expectations of the scenario that 'harness serve' does not check: outcome, turns, requests, events",
    )


async def test_a_tool_that_is_not_offered_is_noted() -> None:
    path = shipped() / "universal" / "parallel-calls.yaml"
    result = (await served(one_request, path, ended=False)).result
    note = "the script calls get_time, which request 1 does not offer: offered are get_weather"
    assert result.notes[0] == note


async def test_secrets_in_requests_are_not_kept_of_recordings() -> None:
    async def with_a_key(ask: Ask) -> None:
        await ask([{"role": "user", "content": f"My key is {SECRET}."}])

    finished = await served(with_a_key, RECORDED, Cassettes(CASSETTES))
    assert SECRET not in str(finished)


SECRET = "sk-proj-" + "a1B2" * 12


@pytest.mark.parametrize("websockets", [True, False])
async def test_an_offer_has_websockets_unless_they_are_refused(websockets: bool) -> None:
    endpoints = Endpoints()
    (offer,), sources = offers([TWO_TURNS], ["openai-responses"], seed=0, sources=SCRIPTED)
    opening = Opening(endpoints, sources, everything().enforcement, Activity(), CHANNELS if websockets else ())
    async with AsyncExitStack() as stack:
        offered = await opening.open(offer, stack)
        opened = endpoints.connection(f"{offered.prefix}/v1/responses", {}, "websocket")
        assert (opened is not None) is websockets
        assert endpoints.connection(f"{offered.prefix}/v1/chat/completions", {}, "websocket") is None
