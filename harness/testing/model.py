"""The fixture ``fake_model``: a scripted model for a user's own test, which judges the requests that it gets."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from harness.endpoint import CaseEndpoint
from harness.errors import BadInput
from harness.finding import Finding, line_of
from harness.rules.unanswered import UNFINISHED
from harness.runner.findings import found_by_rules, with_refusals
from harness.runner.judging import Judging, judging
from harness.targets.environment import environment
from harness.testing.endpoint import Endpoint
from harness.testing.findings import headline, ordered, story_of
from harness.testing.script import Script
from harness.trace import TEST, Case, Trace
from harness.trace.files import dump
from harness.wire import WireName, wire_names
from harness.wire import wire as wire_named
from harness.wire.chunking import CHUNKINGS, Chunking
from harness.wire.dialects import dialect_of


class FakeModel:
    """A scripted model at a loopback address.

    It answers one request after another with its turns, in the bytes of the provider, and refuses what the provider
    would refuse. It ends with its ``with`` block, or else with the test; then its requests are judged.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        name: str,
        wire: WireName,
        script: Script,
        chunking: Chunking,
        judging: Judging,
        trace_file: Path,
        dialect: str = "",
    ) -> None:
        self._endpoint = endpoint
        self._script = script
        self._judging = judging
        self._trace_file = trace_file
        self._open = True
        self.is_reported = False
        case = Case(name, name, wire, target=TEST, profile="universal", chunking=chunking, emits=(), dialect=dialect)
        self._case_endpoint = CaseEndpoint(
            case, script, clock=time.perf_counter, chunking=chunking, enforcement=judging.enforcement
        )
        self._address = endpoint.open(name, self._case_endpoint)

    @property
    def wire(self) -> WireName:
        """The provider API that it speaks."""
        return self._case_endpoint.case.wire

    @property
    def model(self) -> str:
        """The name of a model that the provider has, for requests."""
        return wire_named(self.wire).default_model

    @property
    def base_url(self) -> str:
        """What the provider's official SDK takes as its base URL: OpenAI's ends in ``/v1``."""
        return next(value for name, value in self.environment.items() if name.endswith("_BASE_URL"))

    @property
    def api_key(self) -> str:
        """A key, since SDKs want one."""
        return next(value for name, value in self.environment.items() if name.endswith("_API_KEY"))

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables by which the provider's official SDK finds this model, and a key."""
        return environment(self.wire, self._address)

    @property
    def trace(self) -> Trace:
        """What was asked and answered so far."""
        return self._endpoint.do(self._case_endpoint.recorder.trace)

    @property
    def requests(self) -> Sequence[Any]:
        """The bodies of the requests so far, read as JSON; None for a body that is no JSON."""
        return [_json(exchange.request.body) for exchange in self.trace.exchanges]

    def check(self) -> None:
        """End the model, and fail the test if something is wrong with its requests."""
        __tracebackhide__ = True
        if self.problem:
            self.is_reported = True
            pytest.fail(self.problem, pytrace=False)

    @cached_property
    def problem(self) -> str:
        """What is wrong with the requests, with the evidence; empty for nothing. Reading this ends the model."""
        if self._open:
            self.close()
        found = list(self._found())
        if not found:
            return ""
        self._trace_file.parent.mkdir(parents=True, exist_ok=True)
        dump(self.trace, self._trace_file)
        story = story_of(ordered(found), self._trace_file)
        return "\n".join([headline(found), *story, f"trace     {self._trace_file}"])

    def close(self) -> None:
        """Answer no more."""
        self._open = False
        self._endpoint.close(self._case_endpoint.case.id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        __tracebackhide__ = True
        self.close()
        if error is None:
            self.check()

    def _found(self) -> Iterator[Finding]:
        case_endpoint = self._case_endpoint
        found = found_by_rules(case_endpoint, self.trace, self._judging.rules, over=not self._script.complete)
        yield from with_refusals(found, case_endpoint, self.trace)
        requests = [exchange.request_at for exchange in self.trace.exchanges]
        for misfit in self._script.misfits:
            at = line_of(requests[misfit.request])
            yield Finding("script/call", "MUST", "script", at, misfit.expected, misfit.got)
        refused = len(case_endpoint.refused)
        # That the test has stopped after a refusal, or with calls that nobody answered, is reported already.
        stopped = (refused and found) or any(each.rule == UNFINISHED for each in found)
        if case_endpoint.overrun or (not self._script.complete and not stopped):
            turns = len(self._script)
            expected = f"{turns} request{'' if turns == 1 else 's'}, one for each turn of the script"
            got = f"{len(requests) or 'none'}{f', of which {refused} {_was(refused)} refused' if refused else ''}"
            yield Finding("script/requests", "MUST", "script", None, expected, got)


class FakeModels:
    """Makes the models of one test. Their traces are written below ``folder`` where something is wrong."""

    def __init__(self, endpoint: Endpoint, test: str, folder: Path) -> None:
        self._endpoint = endpoint
        self._test = test
        self._folder = folder
        self._made: list[FakeModel] = []

    def __call__(
        self,
        wire: WireName,
        turns: Sequence[Mapping[str, Any]],
        *,
        chunking: Chunking = "event",
        dialect: str = "",
        skip: Sequence[str] = (),
    ) -> FakeModel:
        """A model on ``wire`` that answers with ``turns``, which are written as in a scenario's ``model``.

        ``chunking`` is how its bytes are cut on their way, ``dialect`` the dialect of its wire in which it streams, and
        ``skip`` names rules that the test does not care for (families, rules, wire rules). Fails the test if a name is
        unknown.
        """
        __tracebackhide__ = True
        name = f"{self._test}.{len(self._made) + 1}"
        problem = ""
        try:
            _known("wire", wire, wire_names())
            _known("chunking", chunking, CHUNKINGS)
            if dialect:
                dialect_of(wire_named(wire), dialect)
            script, judged = Script(wire, turns), judging(without=skip)
        except BadInput as error:
            problem = str(error)
        if problem:  # raised out here, where pytest shows the line of the test and not how we noticed
            pytest.fail(f"fake_model: {problem}")
        trace_file = self._folder / f"{name}.jsonl"
        made = FakeModel(self._endpoint, name, wire, script, chunking, judged, trace_file, dialect)
        self._made.append(made)
        return made

    def check(self) -> None:
        """End all models, and fail the test if something is wrong with their requests."""
        __tracebackhide__ = True
        for made in self._made:
            made.check()

    @property
    def problems(self) -> str:
        """What is wrong with their requests and not reported yet; empty for nothing. Reading this ends the models."""
        return "\n".join(made.problem for made in self._made if made.problem and not made.is_reported)


def _was(times: int) -> str:
    return "was" if times == 1 else "were"


def _known(what: str, word: str, words: Collection[str]) -> None:
    if word not in words:
        raise BadInput(f"expected a {what} of {', '.join(words)}, got {word!r}")


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
