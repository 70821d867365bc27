"""The conversations of a test are one case, in which all that is found is at its place."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

import httpx2
import pytest
from junitparser import JUnitXml

from harness.endpoint import Endpoints
from harness.endpoint.transport import EndpointTransport
from harness.finding import conversation_name, record_of
from harness.report.formats.junit import junit
from harness.rules import judge
from harness.runner.judging import everything
from harness.runner.results import RunResult
from harness.runner.serving import Activity, Opening, offers
from harness.runner.serving.of_tests import FinishedTest, has_passed
from harness.runner.serving.outcome import outcome
from harness.runner.sources import SCRIPTED
from harness.trace import RequestRecord, ResponseRecord
from harness.trace.files import dumps, loads

pytestmark = pytest.mark.anyio

PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CHAT = {"type": "function", "function": {"name": "get_weather", "parameters": PARAMETERS}}
MESSAGES = {"name": "get_weather", "input_schema": PARAMETERS}


class Suite:
    """A suite that asks the automatic model, and what came of it."""

    def __init__(self, http: httpx2.AsyncClient, base: str) -> None:
        self._http = http
        self._base = base
        self.opened: Any = None

    async def chat(self, test: str, prompt: str, before: Sequence[Any] = (), *, forgets: bool = False) -> list[Any]:
        """A conversation on Chat, or more of one; with ``forgets`` the result of the first call is not sent."""
        messages: list[Any] = [*before, {"role": "user", "content": prompt}]
        while (message := await self._asked(test, messages)) is not None:
            messages.append(message)
            calls = message.get("tool_calls") or []
            if not calls:
                break
            messages += [
                {"role": "tool", "tool_call_id": each["id"], "content": "sunny"} for each in calls[int(forgets) :]
            ]
        return messages

    async def first_request(self, test: str) -> list[Any]:
        """A request whose calls nobody answers."""
        question = {"role": "user", "content": "Is it cold?"}
        message = await self._asked(test, [question])
        assert message["tool_calls"]
        return [question, message]

    async def _asked(self, test: str, messages: list[Any]) -> Any:
        body = {"model": "gpt-4.1", "messages": messages, "tools": [CHAT]}
        answer = await self._http.post(f"{self._base}{self._place(test)}/v1/chat/completions", json=body)
        return answer.json()["choices"][0]["message"] if answer.status_code == 200 else None

    async def once_on_messages(self, test: str) -> None:
        """A request on Anthropic's API that needs no other."""
        body = {"model": "claude-sonnet-4-6", "max_tokens": 99, "messages": [{"role": "user", "content": "Hello."}]}
        headers = {"anthropic-version": "2023-06-01", "x-api-key": "harness"}
        answer = await self._http.post(f"{self._base}{self._place(test)}/v1/messages", json=body, headers=headers)
        assert answer.status_code == 200

    async def says(self, **said: Any) -> None:
        assert (await self._http.post(f"{self._base}/test", json=said)).status_code == 204

    def _place(self, test: str) -> str:
        return f"/test/{test}" if test else ""


class Playing:
    """``async with`` gives a suite; its ``results`` are there when the block has ended."""

    def __init__(self, **how: Any) -> None:
        self._how = how
        self._stack = AsyncExitStack()
        self._endpoints = Endpoints()
        self.results: list[FinishedTest] = []

    async def __aenter__(self) -> Suite:
        (offer,), sources = offers([], [], seed=0, sources=SCRIPTED)
        opening = Opening(self._endpoints, sources, everything().enforcement, Activity())
        self.served = await opening.open(offer, self._stack)
        http = await self._stack.enter_async_context(httpx2.AsyncClient(transport=EndpointTransport(self._endpoints)))
        return Suite(http, f"http://harness{self.served.prefix}")

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()
        self.results = list(outcome([self.served], self._endpoints, everything(), **self._how))


async def test_a_test_is_a_case_on_each_wire() -> None:
    playing = Playing()
    async with playing as suite:
        await suite.chat("test_a.py::test_one", "One?")
        await suite.chat("test_a.py::test_two", "Two?")
        await suite.chat("test_a.py::test_one", "Another one?")
        await suite.once_on_messages("test_a.py::test_one")
    found = [(each.result.id, each.result.requests, each.result.verdict, each.test) for each in playing.results]
    assert found == [
        ("automatic.openai-chat.test_a.py::test_one", 4, "pass", "test_a.py::test_one"),
        ("automatic.openai-chat.test_a.py::test_two", 2, "pass", "test_a.py::test_two"),
        ("automatic.anthropic-messages.test_a.py::test_one", 1, "pass", "test_a.py::test_one"),
    ]
    names = [each.name for each in playing.results[0].result.conversations]
    begins = [each.begins for each in playing.results[0].result.conversations]
    assert (names, begins) == (["main", "side 1"], ["One?", "Another one?"])
    assert playing.results[1].result.conversations == ()


async def test_findings_are_where_the_trace_of_the_test_has_them() -> None:
    """The rules say of the trace of the whole test what they have said of each of its conversations."""
    playing = Playing()
    async with playing as suite:
        await suite.chat("t", "Right?")
        await suite.chat("t", "Wrong?", forgets=True)
        await suite.chat("t", "Right again?")
        await suite.chat("t", "Wrong again?", forgets=True)
    (case,) = playing.results
    at = [(each.rule, each.at, each.conversation) for each in case.result.findings]
    assert sorted(set(at)) == sorted({(each.rule, each.at, each.conversation) for each in judge(case.trace)})
    assert {conversation for _, _, conversation in at} == {"side 1", "side 3"}
    for finding in case.result.findings:
        assert finding.at is not None
        record = case.trace.records[record_of(finding.at)]
        assert isinstance(record, RequestRecord)
        assert conversation_name(record.conversation) == finding.conversation
        assert b"rong" in record.body
        assert finding.answer is not None
        assert isinstance(case.trace.records[record_of(finding.answer)], ResponseRecord)
    assert case.result.verdict == "fail"


async def test_the_trace_of_a_test_is_one_trace() -> None:
    playing = Playing()
    async with playing as suite:
        for number in range(3):
            await suite.chat("tests/t.py::t[a/b]", f"Number {number}?")
    (case,) = playing.results
    assert case.trace.case.id == case.result.id == "automatic.openai-chat.tests/t.py::t[a/b]"
    assert loads(dumps(case.trace)) == case.trace
    asked = [each for each in case.trace.records if isinstance(each, RequestRecord)]
    assert [each.exchange for each in asked] == list(range(6))
    assert [each.conversation for each in asked] == [0, 0, 1, 1, 2, 2]
    times = [record.at for record in case.trace.records]
    assert times == sorted(times)
    assert len(case.trace.exchanges) == 6
    assert case.result.requests == 6


async def test_a_branch_follows_an_exchange_of_the_trace_of_the_test() -> None:
    """An answer is made anew: a conversation of its own, which goes on from an earlier turn of another one."""
    playing = Playing()
    async with playing as suite:
        await suite.chat("t", "Before?")
        messages = await suite.chat("t", "One?")
        await suite.chat("t", "And?", messages)
        await suite.chat("t", "Or rather?", messages)
    (case,) = playing.results
    asked = [each for each in case.trace.records if isinstance(each, RequestRecord)]
    assert [(each.conversation, each.follows) for each in asked] == [
        *[(0, None), (0, None), (1, None), (1, None), (1, None), (1, None)],
        *[(2, 3), (2, None)],
    ]
    assert case.result.findings == ()


async def test_a_trace_has_a_name_that_every_file_system_takes_and_no_other_test_has() -> None:
    playing = Playing()
    names = ["../../x", "a/b", "a-b", "a:b", "CON", "é" * 200, "x" * 400]
    async with playing as suite:
        for name in names:
            await suite.once_on_messages(name.replace("/", "%2F"))
    files = [each.result.trace or "" for each in playing.results]
    assert len(set(files)) == len(names)
    for file in files:
        folder, _, rest = file.partition("/")
        assert folder == "traces"
        assert set(rest) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=-")
        assert len(rest) < 200


async def test_what_is_asked_outside_of_tests_has_cases_of_its_own() -> None:
    playing = Playing()
    async with playing as suite:
        await suite.chat("", "A fixture?")
        await suite.chat("t", "A test?")
        await suite.chat("", "Another fixture?")
    assert [each.result.id for each in playing.results] == [
        "automatic.openai-chat.outside-tests.1",
        "automatic.openai-chat.t",
        "automatic.openai-chat.outside-tests.2",
    ]


async def test_where_nobody_names_a_test_each_conversation_is_a_case() -> None:
    playing = Playing()
    async with playing as suite:
        await suite.chat("", "One?")
        await suite.chat("", "Two?")
    assert [each.result.id for each in playing.results] == ["automatic.openai-chat.1", "automatic.openai-chat.2"]


async def test_a_conversation_of_several_tests_says_so() -> None:
    playing = Playing()
    async with playing as suite:
        await suite.chat("a", "Before.")
        messages = await suite.chat("a", "One?")
        for test in ("b", "c"):
            messages = await suite.chat(test, f"And in {test}?", messages)
    (case,) = playing.results
    assert (case.result.verdict, case.result.requests) == ("pass", 8)
    assert case.result.notes == (
        "from request 5 on the conversation was continued in b",
        "from request 7 on the conversation was continued in c",
    )


async def test_how_a_test_has_ended_is_known() -> None:
    playing = Playing()
    async with playing as suite:
        for name, ended in (("a", "passed"), ("b", "failed"), ("c", "skipped")):
            await suite.chat(name, "Hello?")
            await suite.says(ended=name, outcome=ended)
        await suite.chat("d", "Hello?")
    assert [each.outcome for each in playing.results] == ["passed", "failed", "skipped", None]
    passed = [has_passed(each, playing.served.suite) for one in playing.served.rounds.grouped() for each in one]
    asked = [bool(each.endpoint.recorder.exchanges) for one in playing.served.rounds.grouped() for each in one]
    assert [one for one, other in zip(passed, asked, strict=True) if other] == [True, False, False, False]


async def test_a_conversation_has_passed_if_all_of_its_tests_have() -> None:
    playing = Playing()
    async with playing as suite:
        for last in ("passed", "failed", ""):
            messages = await suite.chat(f"first, {last}", "Hello?")
            await suite.chat(f"then {last}", "And?", messages)
            await suite.says(ended=f"first, {last}", outcome="passed")
            if last:
                await suite.says(ended=f"then {last}", outcome=last)
    rounds = [each for one in playing.served.rounds.grouped() for each in one if each.test]
    assert [has_passed(each, playing.served.suite) for each in rounds] == [True, False, False]


async def test_a_finding_names_the_test_that_asked() -> None:
    """The conversation is that of another test, and its fault is not."""
    playing = Playing()
    async with playing as suite:
        messages = await suite.chat("a", "One?")
        messages = await suite.chat("b", "Right?", messages)
        await suite.chat("c", "Wrong?", messages, forgets=True)
        await suite.chat("a", "Another one, and wrong?", forgets=True)
    (case,) = playing.results
    found = [(each.reference or each.rule, each.conversation, each.detail) for each in case.result.findings]
    assert found == [
        ("OAC-03", "", "asked in c"),
        ("history/results", "", "asked in c"),
        ("OAC-03", "side 1", ""),
        ("history/results", "side 1", ""),
    ]
    assert case.result.findings[0].explanation.startswith("asked in c; messages[")


async def test_the_first_request_of_another_test_may_be_the_wrong_one() -> None:
    playing = Playing()
    async with playing as suite:
        await suite.chat("b", "And?", await suite.first_request("a"))
    (case,) = playing.results
    assert {each.detail for each in case.result.findings if each.reference} == {"asked in b"}


@pytest.mark.parametrize("code", [0, 1])
async def test_calls_that_a_test_leaves_open_are_a_note_where_it_has_passed(code: int) -> None:
    """Where it has failed, it may have had more to ask; where nobody knows how it has ended, the program says it."""
    playing = Playing(command=["pytest"], exit_code=code)
    async with playing as suite:
        for name, ended in (("a", "passed"), ("b", "failed"), ("skipped", "skipped"), ("c", "")):
            await suite.first_request(name)
            if ended:
                await suite.says(ended=name, outcome=ended)
    a, b, skipped, c = (each.result for each in playing.results)
    assert (a.verdict, a.findings) == ("pass", ())
    assert a.notes == (
        "a test has passed without a request with the results of get_weather, get_weather: it may want the calls alone",
    )
    assert (b.findings, b.notes, skipped.findings, skipped.notes) == ((), (), (), ())
    assert [each.rule for each in c.findings] == ([] if code else ["final/unfinished"])


async def test_calls_that_a_test_leaves_open_are_found_though_another_one_answers_the_same() -> None:
    playing = Playing()
    async with playing as suite:
        await suite.first_request("a")
        await suite.chat("b", "Is it cold?")
    assert [[each.rule for each in case.result.findings] for case in playing.results] == [["final/unfinished"], []]


@pytest.mark.parametrize(
    ("code", "failed", "rules"),
    [(0, False, []), (1, True, []), (2, True, []), (1, False, ["target/exit"]), (139, True, ["target/exit"])],
)
async def test_a_failing_suite_is_a_finding_only_where_no_test_explains_it(
    code: int, failed: bool, rules: list[str]
) -> None:
    playing = Playing(command=["pytest"], exit_code=code)
    async with playing as suite:
        await suite.chat("a", "Hello?")
        await suite.says(ended="a", outcome="failed" if failed else "passed")
    assert [each.rule for one in playing.results for each in one.result.findings] == rules


async def test_a_killed_suite_is_a_finding_whatever_has_failed() -> None:
    playing = Playing(command=["pytest"], exit_code=-9)
    async with playing as suite:
        await suite.chat("a", "Hello?")
        await suite.says(ended="a", outcome="failed")
    assert [each.rule for each in playing.results[0].result.findings] == ["target/exit"]


async def test_junit_has_a_test_case_for_each_test() -> None:
    playing = Playing()
    async with playing as suite:
        await suite.chat("tests/t.py::right[<&>]", "Right?")
        await suite.chat("tests/t.py::wrong", "Right?")
        await suite.chat("tests/t.py::wrong", "Wrong?", forgets=True)
    run = RunResult("0", "2026-01-01T00:00:00", "served", 0, tuple(each.result for each in playing.results))
    cases = [case for suite in JUnitXml.fromstring(junit(run).encode()) for case in suite]
    assert [(each.name, len(each.result)) for each in cases] == [
        ("automatic.openai-chat.tests/t.py::right[<&>]", 0),
        ("automatic.openai-chat.tests/t.py::wrong", 1),
    ]


async def test_a_secret_in_the_name_of_a_test_is_written_nowhere() -> None:
    key = "sk-proj-" + "Ab3" * 16
    playing = Playing()
    async with playing as suite:
        messages = await suite.chat(f"test_key[{key}]", "Hello?")
        await suite.chat(f"test_other[{key}]", "Wrong?", messages, forgets=True)
    (case,) = playing.results
    assert case.result.findings
    assert case.result.notes
    assert key not in f"{case.result} {case.test}"
    assert key not in dumps(case.trace)
