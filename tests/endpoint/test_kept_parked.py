"""What is kept and stored, of a server that parks its rounds on disk: the same as of one that keeps all in memory."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.endpoint import Rounds
from harness.rules import judge
from tests.endpoint.endpoint import CALL, DONE, answered, desk, opened

Json = dict[str, Any]


class Server:
    """Rounds of Responses behind a gateway; ``log`` has every answer."""

    def __init__(self, most: int) -> None:
        steps = [CALL, DONE, DONE, CALL, DONE]
        self.rounds = Rounds(lambda number: desk(steps, name=f"round-{number}", wire="openai-responses"), most=most)
        self.endpoints = opened(self.rounds)
        self.log: list[tuple[str, int, Any]] = []

    def ask(self, method: str, path: str, body: Json | None = None) -> Json:
        content = b"" if body is None else json.dumps(body).encode()
        plan = answered(self.endpoints, f"/v1{path}", content, method=method)
        answer: Json = json.loads(b"".join(plan.chunks))
        self.log.append((f"{method} {path}", plan.status, answer))
        return answer

    def respond(self, text: str, **members: Any) -> Json:
        """A response to an input of the user's, or to the outputs of the calls of ``to``."""
        outputs = [
            {"type": "function_call_output", "call_id": item["call_id"], "output": "x"}
            for item in members.pop("to", {}).get("output", ())
            if item["type"] == "function_call"
        ]
        given = outputs or [{"role": "user", "content": text}]
        return self.ask("POST", "/responses", {"model": "gpt-5.5", "input": given, **members})

    def outcome(self) -> list[Any]:
        """All that is judged of the rounds."""
        return [
            (desk.recorder.trace(), judge(desk.recorder.trace()), desk.violations, desk.replies)
            for desk in self.rounds.each()
        ]


def everything(server: Server) -> None:
    """Some conversations at once, with all that is asked about what is kept."""
    first = [server.respond(f"Question {at}.") for at in range(6)]
    background = server.respond("In the background.", background=True)
    made = server.ask("POST", "/conversations", {"items": [{"role": "user", "content": "I like rye."}]})
    inside = server.respond("Look.", conversation=made["id"])
    server.respond("Another question.")
    for each in first[:4]:
        server.ask("GET", f"/responses/{each['id']}")
        server.respond("", to=each, previous_response_id=each["id"])
    server.respond("", to=inside, conversation=made["id"])
    server.ask("DELETE", f"/responses/{first[1]['id']}")
    server.ask("GET", f"/responses/{first[1]['id']}")
    server.ask("POST", f"/responses/{background['id']}/cancel")
    server.respond("A question in between.")
    server.respond("On.", previous_response_id=first[1]["id"])
    server.ask("GET", f"/responses/{first[0]['id']}/input_items")
    server.respond("A last one.")
    server.ask("POST", f"/responses/{background['id']}/cancel")
    listed = server.ask("GET", f"/conversations/{made['id']}/items?order=asc")
    server.ask("DELETE", f"/conversations/{made['id']}/items/{listed['data'][0]['id']}")
    server.respond("More.", conversation=made["id"])
    server.ask("GET", f"/conversations/{made['id']}/items")
    server.ask("DELETE", f"/conversations/{made['id']}")
    server.respond("Still there?", conversation=made["id"])


@pytest.mark.parametrize("most", [1, 2, 5])
def test_a_server_that_parks_its_rounds_answers_and_judges_alike(most: int) -> None:
    parking, keeping = Server(most), Server(1000)
    for server in (parking, keeping):
        everything(server)
    assert parking.log == keeping.log
    assert parking.outcome() == keeping.outcome()
    assert len(parking.rounds.live) < len(keeping.rounds.live)
    statuses = [status for asked, status, _ in keeping.log if asked != "POST /responses"]
    assert statuses.count(404) == 1
    assert statuses.count(200) == len(statuses) - 1


def test_each_conversation_of_the_provider_s_is_one_of_its_own() -> None:
    server = Server(1000)
    server.respond("A question.")
    made = [server.ask("POST", "/conversations", {}) for _ in range(2)]
    first = [server.respond(f"Look {at}.", conversation=each["id"]) for at, each in enumerate(made)]
    for each, answer in zip(made, first, strict=True):
        server.respond("", to=answer, conversation=each["id"])
        server.respond("And now?", conversation={"id": each["id"]})
    desks = list(server.rounds.each())
    assert [len(desk.recorder.trace().exchanges) for desk in desks] == [1, 3, 3]
    assert [desk.violations for desk in desks] == [[], [], []]
    assert [finding for desk in desks for finding in judge(desk.recorder.trace())] == []


def test_a_compacted_history_is_another_history() -> None:
    server = Server(1000)
    first = server.respond("Look.")
    history = [{"role": "user", "content": "Look."}, *first["output"]]
    output = {"type": "function_call_output", "call_id": first["output"][-1]["call_id"], "output": "x"}
    compacted = server.ask("POST", "/responses/compact", {"model": "gpt-5.5", "input": [*history, output]})
    anew = [compacted["output"][-1], *first["output"], output, {"role": "user", "content": "And now?"}]
    server.ask("POST", "/responses", {"model": "gpt-5.5", "input": anew})
    (desk,) = server.rounds.each()
    assert desk.violations == []
    assert judge(desk.recorder.trace()) == []


def test_what_a_compaction_has_broken_is_found_in_the_trace_alone() -> None:
    server = Server(1000)
    first = server.respond("Look.")
    open_call = [{"role": "user", "content": "Look."}, *first["output"]]
    server.ask("POST", "/responses/compact", {"model": "gpt-5.5", "input": open_call})
    assert server.log[-1][1] == 400
    (desk,) = server.rounds.each()
    found = [(finding.rule, finding.reference, finding.at) for finding in judge(desk.recorder.trace())]
    assert ("continuation/openai-responses", "OAI-COMPACT", 4) in found
