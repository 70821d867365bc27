"""What a loop does with its WebSockets: requests before the end of an answer, too many connections, one that has lasted
too long, and tools that run again because a connection was lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.trace import Failure, Record, RequestRecord, ResponseRecord, SocketDid, SocketRecord
from harness.wire import Turn
from harness_lab.mutants.traces.draft import TraceDraft, later, requests, rewrite
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.changes import RESPONSES

_CALLS = Turn((call("depth", "call_1", basin="n"),))
_RUN = PlainRun((_CALLS, says("Yes.")), outputs={"depth": {"metres": 4}})
_SAYS_SO = PlainRun((_CALLS, says("Yes, without the WebSocket.")), outputs={"depth": {"metres": 4}})
_FAILS = PlainRun((_CALLS, says("Yes.")), end=Failure("stream", "The connection has lasted too long."))
_MOST = 10


def over(connections: tuple[int, ...] = (1, 1)) -> Edit:
    """The requests come over these WebSockets, each of which is opened in front of its first one; 0: over HTTP."""

    def edit(draft: TraceDraft) -> None:
        opened: set[int] = set()
        for at, number in reversed(list(zip(requests(draft.records), connections, strict=True))):
            record = draft.records[at]
            assert isinstance(record, RequestRecord)  # noqa: S101 - what requests() looks for
            draft.records[at] = replace(record, connection=number)
        for at, number in zip(requests(draft.records), connections, strict=True):
            if number and number not in opened:
                draft.records.insert(at + len(opened), SocketRecord(number, "open"))
                opened.add(number)

    return edit


def at_request(number: int, did: SocketDid, times: int = 1, *, behind: bool = False, **members: Any) -> Edit:
    """This has happened so many times in front of a request, or right behind it."""

    def edit(draft: TraceDraft) -> None:
        at = requests(draft.records)[number] + behind
        draft.records[at:at] = [SocketRecord(1, did, **members)] * times

    return edit


def _at_the_end(did: SocketDid, **members: Any) -> Edit:
    """This has happened when all else has, but for the end of the run."""
    return lambda draft: draft.records.insert(len(draft.records) - 1, SocketRecord(1, did, **members))


def _cut_and_sent_again(result: str) -> Edit:
    """The last answer breaks off, and the request is sent again on another WebSocket, with another result."""

    def edit(draft: TraceDraft) -> None:
        at = requests(draft.records)[-1]
        request, response, rest = draft.records[at], draft.records[at + 1], draft.records[at + 2 :]
        assert isinstance(request, RequestRecord)  # noqa: S101 - what requests() looks for
        assert isinstance(response, ResponseRecord)  # noqa: S101 - what follows it
        broken = response.body[: response.body.index(b"event: response.output_item.added")]
        again: list[Record] = [
            SocketRecord(2, "open"),
            replace(request, exchange=request.exchange + 1, connection=2),
            replace(response, exchange=response.exchange + 1),
        ]
        moved = map(later, rest)
        draft.records[at:] = [request, replace(response, body=broken, end="cut"), *again, *moved]
        rewrite(draft.records, -1, lambda body: body["input"][-1].update(output=result))

    return edit


def _rows(rule: str, run: PlainRun, *rows: tuple[str, str, list[Edit]]) -> tuple[SmallRun, ...]:
    return tuple(SmallRun(name, rule, summary, run, tuple(edits), RESPONSES) for name, summary, edits in rows)


_LIMIT = "websocket_connection_limit_reached"

SOCKETS: tuple[SmallRun, ...] = (
    *_rows(
        "socket/one-at-a-time",
        _RUN,
        (
            "socket-request-too-early",
            "A request comes before the answer to the last one has ended.",
            [over(), at_request(0, "early", behind=True)],
        ),
        (
            "socket-stream-asked-too-early",
            "The same on a stream with a name.",
            [over(), at_request(0, "early", behind=True, lane="a")],
        ),
        ("socket-requests-in-turn", "Each request waits for the end of the answer.", [over()]),
        (
            "socket-warmed-up",
            "Something that is no request happens before the answer has ended.",
            [over(), at_request(0, "warm-up", behind=True)],
        ),
    ),
    *_rows(
        "socket/streams",
        _RUN,
        (
            "socket-streams-too-many",
            "A request comes on a stream while as many others have an answer as there may be.",
            [over(), at_request(0, "crowded", behind=True, lane="q")],
        ),
    ),
    *_rows(
        "socket/fork",
        _RUN,
        (
            "socket-fork-overtaken",
            "A stream goes on before the one that has forked from it.",
            [over(), at_request(1, "overtaken", lane="a")],
        ),
        (
            "socket-fork-overtaken-by-the-stream-without-a-name",
            "The same on the stream without a name.",
            [over(), at_request(1, "overtaken")],
        ),
        (
            "socket-stray-messages",
            "Messages come that belong to no request, and something is said to a response.",
            [over(), at_request(0, "stray", behind=True), at_request(0, "steer", behind=True)],
        ),
    ),
    *_rows(
        "socket/fallback",
        _RUN,
        (
            "socket-http-behind-a-refusal",
            "The WebSocket is refused.",
            [over((0, 0)), at_request(0, "refuse", status=426)],
        ),
        ("socket-http-behind-a-websocket", "The second request goes over HTTP.", [over((1, 0))]),
        ("socket-never-asked-for", "All goes over HTTP.", [over((0, 0))]),
    ),
    *_rows(
        "socket/fallback",
        _SAYS_SO,
        ("socket-http-and-said-so", "The user can read it.", [over((1, 0))]),
    ),
    *_rows(
        "socket/bounded",
        _RUN,
        (
            "socket-opened-again-and-again",
            "The eleventh WebSocket in a row is opened, and nothing was answered.",
            [over(), at_request(1, "open", _MOST + 1)],
        ),
        (
            "socket-refused-again-and-again",
            "The eleventh WebSocket in a row is refused.",
            [over(), at_request(1, "refuse", _MOST + 1, status=503)],
        ),
        (
            "socket-opened-ten-times",
            "Ten WebSockets are refused, and then something is answered.",
            [over((0, 0)), at_request(1, "refuse", _MOST, status=503)],
        ),
        (
            "socket-opened-often-between-answers",
            "There are more, but answers in between.",
            [over((0, 0)), at_request(1, "refuse", _MOST - 2, status=503), at_request(0, "refuse", 5, status=503)],
        ),
        (
            "socket-closed-often",
            "What is closed was opened before.",
            [over(), at_request(1, "close", _MOST + 1)],
        ),
    ),
    *_rows(
        "socket/limit",
        _FAILS,
        (
            "socket-limit-ends-the-run",
            "The run ends because its WebSocket has lasted too long.",
            [over(), _at_the_end("error", error=_LIMIT)],
        ),
        (
            "socket-limit-and-the-same-connection",
            "The run asks on the same WebSocket again, and ends.",
            [over(), at_request(1, "error", error=_LIMIT)],
        ),
        (
            "socket-limit-and-another-connection",
            "The run goes on over another WebSocket, and ends for another reason.",
            [over((1, 2)), at_request(1, "error", error=_LIMIT)],
        ),
        (
            "socket-limit-and-http",
            "The run goes on over HTTP, and ends for another reason.",
            [over((1, 0)), at_request(1, "error", error=_LIMIT)],
        ),
        ("socket-run-that-fails", "The run ends with an error, and no WebSocket has lasted too long.", [over()]),
    ),
    *_rows(
        "socket/limit",
        _RUN,
        (
            "socket-limit-behind-the-answer",
            "The WebSocket has lasted too long when all is said.",
            [over(), _at_the_end("error", error=_LIMIT)],
        ),
    ),
    *_rows(
        "retry/same-results",
        _RUN,
        (
            "socket-tool-run-again",
            "The WebSocket breaks in an answer; the whole input has another result under the same id.",
            [over(), _cut_and_sent_again('{"metres": 5}')],
        ),
        (
            "socket-result-sent-again",
            "The WebSocket breaks in an answer; the whole input has the same result.",
            [over(), _cut_and_sent_again('{"metres": 4}')],
        ),
    ),
)
