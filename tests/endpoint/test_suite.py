"""The tests of a suite that ask a served scenario: which request belongs to which, and which rounds are whose."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import websockets

from harness.endpoint import AutomaticModel, CaseEndpoint, Endpoints, LiveResponse, ResponsePlan, Rounds
from harness.endpoint.server import serving
from harness.endpoint.suite import Suite
from harness.trace import Case
from harness.wire.channels import CHANNELS

PATH = "/v1/chat/completions"
TOOL = {"type": "function", "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}}}


class Served:
    """A scenario that is served to a suite on Chat."""

    def __init__(self, most: int = 200, most_bytes: int = 1 << 24) -> None:
        self.suite = Suite()
        self.rounds = Rounds(self._endpoint, most=most, most_bytes=most_bytes)
        self.endpoints = Endpoints()
        self.base = self.endpoints.open("a-case", self.rounds, suite=self.suite)

    def _endpoint(self, number: int) -> CaseEndpoint:
        case = Case(id=f"a-case.{number}", scenario="a-case", wire="openai-chat", chunking="event")
        return CaseEndpoint(case, AutomaticModel(), clock=lambda: 0.0)

    def post(self, path: str, body: bytes, headers: Mapping[str, str] | None = None) -> tuple[int, bytes]:
        endpoint, exchange, answer = self.endpoints.answer("POST", f"{self.base}{path}", headers or {}, body)
        assert not isinstance(answer, LiveResponse)
        if endpoint is not None:
            endpoint.recorder.respond(exchange, answer.status, answer.headers)(answer.chunks)
            endpoint.ended(exchange, answer.end)
        return answer.status, b"".join(answer.chunks)

    def ask(self, prefix: str, messages: Sequence[Any], headers: Mapping[str, str] | None = None) -> Any:
        """The model's message, which goes on ``messages``; None where the request is refused."""
        body = json.dumps({"model": "gpt-4.1", "messages": messages, "tools": [TOOL]}).encode()
        status, answer = self.post(f"{prefix}{PATH}", body, headers)
        return json.loads(answer)["choices"][0]["message"] if status == 200 else None

    def run(self, prefix: str, prompt: str) -> list[Any]:
        """A whole conversation: calls, results, an answer."""
        messages: list[Any] = [{"role": "user", "content": prompt}]
        self.goes_on(prefix, messages)
        return messages

    def goes_on(self, prefix: str, messages: list[Any]) -> None:
        while True:
            messages.append(self.ask(prefix, messages))
            calls = messages[-1].get("tool_calls")
            if not calls:
                return
            messages += [{"role": "tool", "tool_call_id": call["id"], "content": "noon"} for call in calls]

    def says(self, said: object, worker: str = "") -> tuple[int, bytes]:
        return self.post(f"{f'/worker/{worker}' if worker else ''}/test", json.dumps(said).encode())

    def groups(self) -> list[tuple[str, list[int], list[tuple[int, str]]]]:
        """The rounds in groups: the test, the requests of each round, and what was asked of them in others."""
        found = []
        for rounds in self.rounds.grouped():
            each = [one for one in rounds if one.endpoint.recorder.exchanges]
            if each:
                others = [passage for one in each for passage in one.other]
                found.append((each[0].test, [one.endpoint.recorder.exchanges for one in each], others))
        return found

    def findings(self) -> list[str]:
        return [finding.id for each in self.rounds.each() for _, finding in each.violations]


# --- in which test a request is made ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prefix", "test"),
    [
        ("/test/adds", "adds"),
        ("/test/tests%2Ftest_a.py%3A%3Atest_b%5Bx%20y%5D", "tests/test_a.py::test_b[x y]"),
        ("/test/tests/test_a.py::test_b", "tests/test_a.py::test_b"),
        ("/test/TestAdds/of_two", "TestAdds/of_two"),
        ("/worker/w1/test/adds", "adds"),
        ("/test/v1", "v1"),
        ("/test/%E6%B5%8B%E8%AF%95", "测试"),
        ("/test/a%00b", "a\ufffdb"),
        ("/worker/w1", ""),
        ("", ""),
    ],
)
def test_the_path_says_the_test(prefix: str, test: str) -> None:
    served = Served()
    served.run(prefix, "What time is it?")
    assert served.groups() == [(test, [2], [])]
    trace = next(served.rounds.each()).recorder.trace()
    assert [each.request.path for each in trace.exchanges] == [PATH, PATH], "a provider sees nothing of the test"


@pytest.mark.parametrize(
    ("target", "test", "rest"),
    [
        ("/test/a/openai/v1/responses", "a", "/openai/v1/responses"),
        (
            "/test/a/v1beta/models/gemini-3:generateContent?alt=sse",
            "a",
            "/v1beta/models/gemini-3:generateContent?alt=sse",
        ),
        ("/test/a/v1?v=/v1/", "a", "/v1?v=/v1/"),
        ("/worker/w/test/a/model/anthropic.claude-v1%3A0/converse", "a", "/model/anthropic.claude-v1%3A0/converse"),
        ("/test/a/chat/completions", "a", "/chat/completions"),
        ("/test/a", "a", "/"),
        ("/test/", "", "/test/"),
        ("/tests/a/v1/responses", "", "/tests/a/v1/responses"),
    ],
)
def test_what_is_behind_the_name_is_what_the_provider_sees(target: str, test: str, rest: str) -> None:
    placed = Suite().placed("POST", target, {})
    assert (placed.test, placed.target, placed.is_report) == (test, rest, False)


def test_a_name_may_have_any_length() -> None:
    served = Served()
    served.run(f"/test/{'long/' * 200}name", "What time is it?")
    served.run(f"/test/{'long/' * 200}other", "What time is it?")
    (one, _, _), (other, _, _) = served.groups()
    assert one != other
    assert max(len(one), len(other)) < 256


def test_a_header_says_the_test_and_the_path_is_surer() -> None:
    served = Served()
    question = [{"role": "user", "content": "What time is it?"}]
    served.ask("", question, {"X-Harness-Test": "by header"})
    served.ask("/test/by%20path", question, {"x-harness-test": "by header"})
    assert [test for test, *_ in served.groups()] == ["by header", "by path"]


def test_other_requests_of_a_test_are_answered_as_ever() -> None:
    served = Served()
    for path in ("/v1/models", "/test/a/v1/models", "/test/a/b::c/v1/models", "/worker/w/v1/models"):
        _, _, answer = served.endpoints.answer("GET", f"{served.base}{path}", {}, b"")
        assert isinstance(answer, ResponsePlan)
        assert answer.status == 200, path
    assert served.post("/test/a/v1/nothing", b"{}")[0] == 404
    assert served.endpoints.not_served("a-case") == {"POST /v1/nothing": 1}


def test_a_case_without_a_suite_has_no_such_paths() -> None:
    served = Served()
    endpoints = Endpoints()
    base = endpoints.open("a-case", served.rounds)
    endpoint, _, _ = endpoints.answer("POST", f"{base}/test/a{PATH}", {}, b"{}")
    assert endpoint is not None
    assert endpoint.recorder.trace().exchanges[0].request.path == f"/test/a{PATH}"
    _, _, answer = endpoints.answer("POST", f"{base}/test", {}, b"{}")
    assert isinstance(answer, ResponsePlan)
    assert answer.status == 404


# --- what a runner says -------------------------------------------------------------------------------------------


def test_the_requests_of_a_process_belong_to_the_test_that_it_runs() -> None:
    served = Served()
    served.run("/worker/w1", "Before.")
    for test in ("a", "b"):
        assert served.says({"test": test}, "w1") == (204, b"")
        served.run("/worker/w1", "The same.")
        served.says({"test": "", "ended": test, "outcome": "passed"}, "w1")
    served.run("/worker/w1", "Behind.")
    assert [(test, requests) for test, requests, _ in served.groups()] == [("", [2]), ("a", [2]), ("b", [2]), ("", [2])]
    assert served.suite.outcomes == {"a": "passed", "b": "passed"}


def test_processes_run_tests_at_once() -> None:
    served = Served()
    histories: dict[str, list[Any]] = {each: [{"role": "user", "content": "Hello."}] for each in ("w1", "w2")}
    for worker in histories:
        served.says({"test": f"of {worker}"}, worker)
    for _ in range(2):
        for worker, messages in histories.items():
            messages.append(served.ask(f"/worker/{worker}", messages))
            calls = messages[-1].get("tool_calls") or ()
            messages += [{"role": "tool", "tool_call_id": call["id"], "content": "noon"} for call in calls]
    assert [(test, requests) for test, requests, _ in served.groups()] == [("of w1", [2]), ("of w2", [2])]
    assert served.findings() == []


def test_the_only_runner_speaks_for_clients_of_another_address() -> None:
    served = Served()
    served.says({"test": "a"}, "w1")
    served.run("", "Hello.")
    served.says({"test": "b"}, "w2")
    served.run("", "Whose is this?")
    served.says({"over": True}, "w1")
    served.run("", "There is one again.")
    assert [test for test, *_ in served.groups()] == ["a", "", "b"]


def test_a_runner_without_processes_says_it_without_a_worker() -> None:
    served = Served()
    served.says({"test": "a"})
    served.run("", "Hello.")
    served.says({"test": None})
    served.run("", "It goes on.")
    served.says({"test": ""})
    served.run("", "Nobody's.")
    assert [(test, len(rounds)) for test, rounds, _ in served.groups()] == [("a", 2), ("", 1)]


def test_a_test_that_has_failed_once_has_failed() -> None:
    suite = Suite()
    for outcome in ("passed", "failed", "passed"):
        suite.reported("", json.dumps({"ended": "a", "outcome": outcome}).encode())
    suite.reported("", json.dumps({"ended": "b", "outcome": "skipped"}).encode())
    assert suite.outcomes == {"a": "failed", "b": "skipped"}
    assert suite.failed == ["a"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "expected a JSON object such as"),
        (b"[" * 100_000, "expected at most 65536 bytes, got 100000"),
        (b"[" * 60_000, "expected a JSON object such as"),
        (b'"a"', "expected a JSON object such as"),
        (b'{"test": 1}', "names are strings"),
        (b'{"ended": ["a"]}', "names are strings"),
        (b'{"ended": "a"}', "outcome: expected passed, failed, skipped, got None"),
        (b'{"ended": "a", "outcome": "pending"}', "outcome: expected passed, failed, skipped, got pending"),
    ],
)
def test_what_a_runner_says_wrong_is_refused_with_the_reason(body: bytes, why: str) -> None:
    served = Served()
    status, answer = served.post("/test", body)
    assert status == 400
    assert why in json.loads(answer)["error"]["message"]
    assert served.suite.outcomes == {}


@pytest.mark.anyio
async def test_a_websocket_is_asked_by_one_test_after_another() -> None:
    """A connection may be opened once for all tests: what counts is which one runs when a message comes."""
    suite, endpoints = Suite(), Endpoints()

    def endpoint(number: int) -> CaseEndpoint:
        case = Case(id=f"a-case.{number}", scenario="a-case", wire="openai-responses", transport="websocket")
        return CaseEndpoint(case, AutomaticModel(), clock=lambda: 0.0)

    rounds = Rounds(endpoint)
    prefix = endpoints.open("a-case", rounds, suite=suite, channels=CHANNELS)
    async with serving(endpoints) as base:
        for place in ("/worker/w1", "/test/by-path"):
            url = f"{base}{prefix}{place}/v1/responses".replace("http", "ws", 1)
            async with websockets.connect(url, proxy=None) as connection:
                for test in ("a", "b"):
                    suite.reported("w1", json.dumps({"test": test}).encode())
                    said = {"type": "response.create", "model": "gpt-5.5", "input": [{"role": "user", "content": test}]}
                    await connection.send(json.dumps(said))
                    while json.loads(await connection.recv())["type"] != "response.completed":
                        pass
    found = [(one.test, one.endpoint.recorder.exchanges) for each in rounds.grouped() for one in each]
    assert found == [("a", 1), ("b", 1), ("by-path", 1), ("by-path", 1)]
    paths = [each.endpoint.recorder.trace().exchanges[0].request.path for one in rounds.grouped() for each in one]
    assert set(paths) == {"/v1/responses"}


# --- whose round it is --------------------------------------------------------------------------------------------


def test_tests_that_begin_alike_have_conversations_of_their_own() -> None:
    served = Served()
    for name in ("a", "b", "a"):
        served.run(f"/test/{name}", "What time is it?")
    assert served.groups() == [("a", [2, 2], []), ("b", [2], [])]


def test_a_test_does_not_go_on_with_what_another_one_has_left_unanswered() -> None:
    served = Served()
    question: list[Any] = [{"role": "user", "content": "What time is it?"}]
    wrong = [*question, {"role": "tool", "tool_call_id": "call_1", "content": "noon"}]
    for name in ("a", "b", "b", "c"):
        assert served.ask(f"/test/{name}", wrong) is None, "it is refused"
        served.post(f"/test/{name}{PATH}", b"no JSON")
    served.run("/test/d", "What time is it?")
    assert [(test, sum(requests)) for test, requests, _ in served.groups()] == [("a", 2), ("b", 4), ("c", 2), ("d", 2)]


UNANSWERED = ({"role": "user", "content": "Go."}, {"role": "tool", "tool_call_id": "call_1", "content": "noon"})
"""A request that is refused, so that what comes beside it belongs to the same round."""


@pytest.mark.parametrize("most", [1, 4, 200])
def test_a_side_conversation_is_of_the_latest_round_of_its_test(most: int) -> None:
    """The title of a conversation that is not answered yet comes while another process runs other tests."""
    served = Served(most)
    served.ask("/test/a", UNANSWERED)
    for _ in range(8):
        served.run("/test/b", "Another one.")
    served.ask("/test/a", [{"role": "user", "content": "A title, please."}])
    assert served.groups() == [("a", [2], []), ("b", [2] * 8, [])]


def test_a_round_that_has_grown_while_another_test_ran_is_parked_for_its_size() -> None:
    served = Served(most_bytes=100_000)
    served.ask("/test/a", UNANSWERED)
    served.run("/test/b", "Another one.")
    served.ask("/test/a", [{"role": "user", "content": "x" * 200_000}])
    served.run("/test/c", "The next one.")
    assert sum(endpoint.recorder.size for endpoint in served.rounds.live) < 100_000
    assert [test for test, *_ in served.groups()] == ["a", "b", "c"]


def test_a_conversation_of_several_tests_goes_on_as_what_it_is() -> None:
    served = Served()
    messages = served.run("/test/a", "What time is it?")
    for test in ("a", "b", "b", "c"):
        messages.append({"role": "user", "content": f"And in {test}?"})
        served.goes_on(f"/test/{test}", messages)
    served.run("/test/b", "What time is it?")
    (a, b) = served.groups()
    assert a[:2] == ("a", [sum(a[1])])
    assert [test for _, test in a[2]] == ["b", "c"]
    assert b == ("b", [2], [])
    assert served.findings() == []


@pytest.mark.parametrize("most", [1, 4, 200])
def test_what_is_parked_is_of_its_test_all_the_same(most: int) -> None:
    served = Served(most)
    histories: dict[str, list[Any]] = {}
    for number in range(12):
        histories[f"t{number}"] = served.run(f"/test/t{number}", "What time is it?")
    for test, messages in histories.items():
        messages.append({"role": "user", "content": "And now?"})
        served.goes_on(f"/test/{test}", messages)
        served.run(f"/test/{test}", "What time is it?")
    groups = served.groups()
    assert [test for test, *_ in groups] == list(histories)
    assert {len(requests) for _, requests, _ in groups} == {2}
    assert [others for _, _, others in groups] == [[]] * 12
    assert served.findings() == []
