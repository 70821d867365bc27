"""One case at the endpoint: what it answers, what it remembers, what it records."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import pytest

from harness.endpoint import Endpoints, ReceivedRequest, Refusing, ResponsePlan
from harness.scenario import Cut, HttpErrorStep, TurnStep
from harness.scenario.native import native_step
from harness.trace import RequestRecord
from harness.wire import Text, Turn, wire
from tests.endpoint.endpoint import CALL, DONE, PATH, desk, opened, question, result_for, turn_back


def ask(endpoints: Endpoints, body: bytes, path: str = PATH, headers: dict[str, str] | None = None) -> ResponsePlan:
    return endpoints.answer("POST", f"/case/a-case{path}", headers or {}, body)[2]


def error_of(answer: ResponsePlan) -> str:
    return str(json.loads(b"".join(answer.chunks))["error"]["message"])


def test_the_script_is_answered_turn_by_turn() -> None:
    case = desk()
    endpoints = opened(case)
    first = ask(endpoints, question())
    assert (first.status, first.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    second = ask(endpoints, question(turn_back(case), result_for(case)))
    assert second.reply is not None
    assert second.reply.turn.text == "All done."
    assert case.violations == []
    assert case.overrun == 0


def test_a_wrong_continuation_gets_the_providers_own_refusal_and_does_not_use_up_a_step() -> None:
    case = desk()
    endpoints = opened(case)
    ask(endpoints, question())
    refused = ask(endpoints, question(turn_back(case), result_for(case, "call_somebody_elses")))
    assert refused.status == 400
    assert "'tool_call_id' of 'call_somebody_elses' not found" in error_of(refused)
    assert next(violation.id for _, violation in case.violations) == "OAC-05"
    assert ask(endpoints, question(turn_back(case), result_for(case))).status == 200


@pytest.mark.parametrize("lenient", [{"refuse": "nothing"}, {"without": ["OAC-03"]}], ids=["nothing", "left-out"])
def test_what_is_not_refused_is_answered_and_noted(lenient: Any) -> None:
    case = desk(**lenient)
    endpoints = opened(case)
    ask(endpoints, question())
    assert ask(endpoints, question(turn_back(case))).status == 200
    assert "OAC-03" in [violation.id for _, violation in case.violations]


@pytest.mark.parametrize("refuse", ["must", "nothing"])
def test_a_form_that_is_not_served_is_declined_whatever_else_is_refused(refuse: Refusing) -> None:
    declining = desk([DONE], wire="anthropic-messages", refuse=refuse, declines=("thread",))
    whole = {"model": "claude-sonnet-4-6", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
    threaded = json.dumps({**whole, "thread": {"type": "create"}}).encode()
    version = {"anthropic-version": "2023-06-01"}
    endpoints = opened(declining)
    declined = ask(endpoints, threaded, "/v1/messages", version)
    assert "thread_unsupported_request" in b"".join(declined.chunks).decode()
    assert ask(endpoints, json.dumps(whole).encode(), "/v1/messages", version).status == 200
    trace = declining.recorder.trace()
    assert [exchange.request.exchange for exchange in trace.served] == [1]


def test_a_request_beyond_the_script_is_refused_and_counted() -> None:
    case = desk([DONE])
    endpoints = opened(case)
    ask(endpoints, question())
    beyond = ask(endpoints, question(turn_back(case), {"role": "user", "content": "more"}))
    assert beyond.status == 400
    assert "has no further turn" in error_of(beyond)
    assert case.overrun == 1


def test_an_http_error_step_is_the_providers_error_and_leaves_no_memory() -> None:
    case = desk([HttpErrorStep(429, 0.0), DONE])
    endpoints = opened(case)
    limited = ask(endpoints, question())
    assert limited.status == 429
    assert "retry-after" in {name.lower() for name in limited.headers} | {"retry-after-ms"} & set(limited.headers)
    assert case.issued.replies == ()
    assert ask(endpoints, question()).status == 200


def test_an_error_of_a_proxy_has_the_body_that_is_written() -> None:
    bodies = ["<html>Blocked</html>", "Blocked", '{"detail": "Bl']
    endpoints = opened(desk([HttpErrorStep(502, 0.0, body) for body in bodies]))
    answers = [ask(endpoints, question()) for _ in bodies]
    assert [(each.status, b"".join(each.chunks)) for each in answers] == [(502, body.encode()) for body in bodies]
    kinds = [each.headers["content-type"] for each in answers]
    assert kinds == [f"{kind}; charset=utf-8" for kind in ("text/html", "text/plain", "application/json")]
    assert answers[0].headers.keys() >= {"retry-after"} or "retry-after-ms" in answers[0].headers


def native() -> TurnStep:
    choice = {"index": 0, "delta": {"content": "Hello"}, "finish_reason": "stop"}
    chunk = {"id": "own-id", "object": "chat.completion.chunk", "created": 1, "model": "own", "choices": [choice]}
    return native_step(wire("openai-chat"), [chunk, "[DONE]"], stream=True, cut=None)


def test_an_answer_in_the_providers_own_words_goes_out_and_is_remembered_as_it_is() -> None:
    case, step = desk([native()]), native()
    answer = ask(opened(case), question())
    assert step.native is not None
    assert b"".join(answer.chunks) == b"".join(step.native.frames)
    assert answer.headers["content-type"].startswith("text/event-stream")
    (reply,) = case.issued.replies
    assert (reply.id, reply.model, reply.turn.text) == ("own-id", "own", "Hello")


def test_a_request_for_the_other_form_is_sent_the_same_turn() -> None:
    case = desk([native()])
    document = json.loads(b"".join(ask(opened(case), question(stream=False)).chunks))
    assert document["choices"][0]["message"]["content"] == "Hello"
    assert document["id"] != "own-id"


def test_a_cut_answer_ends_inside_an_event_and_is_remembered_as_far_as_it_was_sent() -> None:
    case = desk([TurnStep(Turn((Text("one two three four five"),)), Cut(after=3, how="reset"))])
    answer = ask(opened(case), question())
    body = b"".join(answer.chunks)
    assert answer.end == "reset"
    assert not body.endswith(b"\n\n")
    assert not case.issued.replies[0].complete
    assert "one two three four five".startswith(case.issued.replies[0].turn.text)


def test_what_was_read_is_kept_for_whoever_judges_the_trace() -> None:
    case = desk([DONE])
    ask(opened(case), question())
    ((asked, full),) = case.conversations.values()
    assert case.issued.turns == [(full, case.replies[0])]
    assert asked == full, "this wire's requests name no earlier turn"


def test_unreadable_json_is_refused_as_the_provider_does() -> None:
    case = desk()
    answer = ask(opened(case), b"{nonsense")
    assert answer.status == 400
    assert len(case.violations) == 1
    assert case.conversations == {}


def test_side_requests_and_closed_cases_are_answered_404_and_not_recorded() -> None:
    case = desk()
    endpoints = opened(case)
    assert endpoints.answer("GET", "/case/a-case/v1/files", {}, b"")[2].status == 404
    assert endpoints.answer("POST", "/case/other/v1/chat/completions", {}, question())[2].status == 404
    endpoints.close("a-case")
    assert ask(endpoints, question()).status == 404
    assert case.recorder.trace().records == ()


def test_one_case_may_be_asked_on_another_wire_than_its_own() -> None:
    """The path decides: a target may use two providers in one run."""
    case = desk([DONE])
    body = json.dumps({"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "hi"}]}).encode()
    answer = ask(opened(case), body, "/v1/messages?beta=true", {"anthropic-version": "2026-10-21"})
    assert json.loads(b"".join(answer.chunks))["content"][0]["text"] == "All done."


def test_keys_never_reach_the_record() -> None:
    case = desk()
    secret = "sk-planted-secret"
    names = ("Authorization", "X-Api-Key", "x-goog-api-key", "api-key", "Cookie")
    ask(opened(case), question(), f"{PATH}?key={secret}&a=b", dict.fromkeys(names, f"Bearer {secret}"))
    (request,) = [record for record in case.recorder.trace().records if isinstance(record, RequestRecord)]
    assert request.headers == {name.lower(): "[redacted]" for name in names}
    assert request.path == f"{PATH}?key=[redacted]&a=b"
    assert secret not in repr(case.recorder.trace())


def test_the_same_case_says_the_same_bytes_and_another_seed_other_ids() -> None:
    first, same, other = (b"".join(ask(opened(desk([CALL], seed=seed)), question()).chunks) for seed in (0, 0, 1))
    assert first == same != other


def test_what_reaches_nobody_any_more_is_not_recorded() -> None:
    """A loop that goes away while the server still writes has ended its response; the server learns of it later."""
    case = desk()
    exchange, answer = case.answer(ReceivedRequest(case.route("POST", PATH) or never(), "POST", PATH, {}, question()))
    assert isinstance(answer, ResponsePlan)
    case.recorder.respond(exchange, answer.status, answer.headers)
    case.recorder.delivered(exchange, b"one")
    case.close()
    case.recorder.delivered(exchange, b"two")
    (told,) = case.recorder.trace().exchanges
    assert told.response is not None
    assert (told.response.body, told.response.end) == (b"one", "closed")


def never() -> NoReturn:
    raise AssertionError("the wire of the case has the path")
