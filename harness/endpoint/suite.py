"""The tests of a suite that uses a served scenario: which test made each request, and how each test ended.

There are three ways to know the test of a request, the surest first:

1. its path: ``.../test/NAME/v1/chat/completions``;
2. its header ``x-harness-test: NAME``;
3. the latest report of its process. A test runner posts to ``.../worker/ID/test`` which test begins and ends, and its
clients use ``.../worker/ID/v1/...``: a client that is made once for all tests has one address for all of them.
Without ``worker/ID`` there is only one runner, with one process.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args
from urllib.parse import unquote

from harness.endpoint.response_plan import ResponsePlan
from harness.ground.disk import bounded_name

HEADER: Final = "x-harness-test"
"""The header that names the test of a request, in lower case."""

Outcome = Literal["passed", "failed", "skipped"]
"""How a test ended, as its runner reports."""

_OUTCOMES: Final = get_args(Outcome)
_WORKER: Final = re.compile(r"/worker/([^/?]+)(.*)", re.DOTALL)
_TO_VERSION: Final = re.compile(r"/test/([^?]+?)((?:/openai)?/v\d\w*[/?].*)", re.DOTALL)  # Azure has both
_TO_SLASH: Final = re.compile(r"/test/([^/?]+)(.*)", re.DOTALL)
_LARGEST: Final = 64 * 1024
"""Most bytes of one report of a runner."""


class PlacedRequest(NamedTuple):
    """A request with its test. ``target`` is its path without the part that names the test; ``test`` is empty outside
    of tests. ``is_report``: it is no request to a model, but the report of a runner that a test begins or ends."""

    target: str
    test: str = ""
    worker: str = ""
    is_report: bool = False


class Suite:
    """The tests of one case. ``outcomes`` maps the names of ended tests to their outcomes.

    ``has_asked``: some test made a request.
    """

    def __init__(self) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self.has_asked = False
        self._current: dict[str, str] = {}

    @property
    def failed(self) -> list[str]:
        """The failed tests, in the order in which they ended."""
        return [test for test, outcome in self.outcomes.items() if outcome == "failed"]

    def placed(self, method: str, target: str, headers: Mapping[str, str]) -> PlacedRequest:
        """The request and its test, the path without the name of the test. ``headers`` have names in lower case."""
        worker, test = "", ""
        if target.startswith("/worker/") and (of_worker := _WORKER.fullmatch(target)):
            worker, target = unquote(of_worker[1]), of_worker[2] or "/"
        if method == "POST" and target.partition("?")[0] == "/test":
            return PlacedRequest(target, worker=worker, is_report=True)
        if target.startswith("/test/"):
            test, target = _name_and_rest(target)
        test = test or headers.get(HEADER, "")
        test = _known(test) if test else self.current(worker)
        self.has_asked = self.has_asked or bool(test)
        return PlacedRequest(target, test, worker)

    def current(self, worker: str) -> str:
        """The test that runs in a process now; empty if none does or none was reported."""
        if worker or worker in self._current or len(self._current) != 1:
            return self._current.get(worker, "")
        (test,) = self._current.values()  # of the only runner, whose tests may have made a client of another address
        return test

    def reported(self, worker: str, body: bytes) -> ResponsePlan:
        """Take the report of a runner about one of its processes. Returns the answer.

        The body is an object: ``test`` is the name of the test that runs from now on, empty for none; ``ended`` is the
        name of a test that has ended, and ``outcome`` its outcome; ``over`` is true if the runner ends.
        """
        try:
            report = _Report.read(body)
        except ValueError as wrong:
            answer = {"error": {"message": f"POST .../test: {wrong}", "type": "invalid_request"}}
            return ResponsePlan(400, {"content-type": "application/json"}, (json.dumps(answer).encode(),))
        if report.over:
            self._current.pop(worker, None)
        elif report.test is not None:
            self._current[worker] = report.test
        if report.outcome is not None and self.outcomes.get(report.ended) != "failed":  # once failed is failed
            self.outcomes[report.ended] = report.outcome
        return ResponsePlan(204, {}, ())


@dataclass(frozen=True, slots=True)
class _Report:
    test: str | None
    ended: str
    outcome: Outcome | None
    over: bool

    @classmethod
    def read(cls, body: bytes) -> _Report:
        """Parse a report. Raises ``ValueError`` with an explanation for a person."""
        if len(body) > _LARGEST:
            raise ValueError(f"expected at most {_LARGEST} bytes, got {len(body)}")
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            found = None
        expected = 'expected a JSON object such as {"test": "NAME"} or {"ended": "NAME", "outcome": "passed"}'
        if not isinstance(found, dict):
            raise ValueError(f"{expected}, got something else")
        test, ended, outcome = found.get("test"), found.get("ended") or "", found.get("outcome")
        if not isinstance(test, str | None) or not isinstance(ended, str):
            raise ValueError(f"{expected}: names are strings")
        if ended and outcome not in _OUTCOMES:
            raise ValueError(f"outcome: expected {', '.join(_OUTCOMES)}, got {str(outcome)[:100]}")
        ended_so: Outcome | None = outcome if ended else None
        return cls(None if test is None else _known(test), _known(ended), ended_so, found.get("over") is True)


def _name_and_rest(target: str) -> tuple[str, str]:
    """The name and the rest of ``/test/NAME/REST``.

    A client may leave the slashes of a name unescaped, so the name extends to the version of the API, if there is one.
    """
    found = _TO_VERSION.fullmatch(target) or _TO_SLASH.fullmatch(target)
    return ("", target) if found is None else (unquote(found[1]), found[2] or "/")


def _known(test: str) -> str:
    """The name of a test in the form that is kept. Its input may have any length and any characters."""
    return bounded_name("".join(letter if letter.isprintable() else "\ufffd" for letter in test.strip()))
