"""Writes replayed loops as our cassettes and scenarios, so that ``harness run`` plays them again.

Such a cassette contains the recorded responses and the requests of our reference loop: ours would never send another
loop's settings, and the rest has been compared with ours before.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import yaml

from harness import __version__
from harness.cassette import Interaction, Provenance
from harness.cassette.cassette_writer import CassetteWriter
from harness.cassette.upstream import scripted_upstream
from harness.cassette.write import written
from harness.endpoint import Endpoints, ModelRequest, RecordedResponse
from harness.errors import BadInput
from harness.ground.disk import make_folder, put
from harness.imports.declaring import Unsayable, declared
from harness.imports.judging import NOT_STORED
from harness.imports.links import links_of
from harness.imports.loops import RecordedLoop
from harness.runner.execute import execute
from harness.runner.opening import open_target
from harness.runner.plan import plan
from harness.runner.sources import RECORDED, Cassettes, Opened, cassette_of
from harness.scenario import Scenario, load
from harness.secrets.redactor import Redactor
from harness.secrets.scan import scan
from harness.trace import Case
from harness.wire import WireName
from harness.wire import wire as wire_named

UNWRITTEN: dict[str, str] = {
    "prompt without words": "the prompt has images, files or turns of the model in it; that of a scenario is text",
    "words without text": "between turns the caller says more than text",
    "results differ": "a tool gives several results and the user speaks in between; a scenario says only one of these",
    "no scenario": "a scenario cannot say it: tools that are offered later, calls that break their schema, empty words",
    "reasoning not stored": "the recorded loop did not ask for encrypted reasoning, which ours must send back",
    "another way": "our whole loop does not ask what the recorded one asked: it ends, fails or is refused",
    "contains a secret": "a secret is left in it that is not redacted",
}
"""Why a loop that is replayed is not written."""

_STEM: Final = 60
_BASE_URL: Final = "http://harness.local"
_KEPT: Final = ("content-type", "retry-after")


@dataclass(frozen=True, slots=True)
class Written:
    """The result for a replayed loop: the scenario that expresses it, or ``why`` there is none, with ``detail``."""

    loop: RecordedLoop
    scenario: Path | None = None
    why: str = ""
    detail: str = ""


class Writer:
    """Writes loops to a folder: the scenarios to ``scenarios/``, the cassettes to where runs look for them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._redactor = Redactor()
        self._names: set[str] = set()

    async def write(self, loop: RecordedLoop) -> Written:
        """Write a replayed loop, unless something prevents it. Raises ``BadInput`` for a full disk."""
        name = self._name(loop)
        path = self._folder / "scenarios" / loop.wire / f"{name}.yaml"
        try:
            scenario = self._scenario(loop, name, path)
            await self._record(loop, scenario)
        except Unsayable as error:
            path.unlink(missing_ok=True)
            return Written(loop, None, error.why, str(error.__cause__ or ""))
        return Written(loop, path)

    def _name(self, loop: RecordedLoop) -> str:
        """A unique name, derived from the file."""
        stem = re.sub(r"[^a-z0-9]+", "-", Path(loop.steps[0].exchange.file).stem.lower()).strip("-")
        stem = stem[-_STEM:].strip("-") or "loop"
        name, number = stem, 1
        while name in self._names:
            number += 1
            name = f"{stem}-{number}"
        self._names.add(name)
        return name

    def _scenario(self, loop: RecordedLoop, name: str, path: Path) -> Scenario:
        """The scenario, in its file."""
        file = self._without_secrets(declared(loop, links_of(loop), name))
        text = yaml.safe_dump(file, sort_keys=False, allow_unicode=True, width=110)
        if scan(text):
            raise Unsayable("contains a secret")
        make_folder(path.parent, f"{path.parent}: cannot be made")
        try:
            put(path, text.encode())
        except UnicodeEncodeError as error:
            raise BadInput(f"{path}: cannot be written: {error}") from error
        try:
            return load([path])[0]
        except BadInput as error:
            raise Unsayable("no scenario") from error

    def _without_secrets(self, value: Any) -> Any:
        """``value`` without secrets in its texts."""
        if isinstance(value, str):
            return self._redactor.redact_text(value)
        if isinstance(value, list):
            return [self._without_secrets(each) for each in value]
        return {key: self._without_secrets(each) for key, each in value.items()} if isinstance(value, dict) else value

    async def _record(self, loop: RecordedLoop, scenario: Scenario) -> None:
        """The cassette: our loop plays the scenario to the recorded responses, and then to the written ones."""
        answers = await _answers(loop, scenario)
        path = cassette_of(self._folder, scenario.name, loop.wire)
        provenance = _provenance(loop, scenario, answers.model)
        try:
            with CassetteWriter.open(path, "all", provenance, redactor=self._redactor, scan=scan) as cassette:
                for interaction in answers.answered:
                    cassette.add(interaction)
        except BadInput as error:
            if self._leaks(answers.answered):
                raise Unsayable("contains a secret") from error
            raise
        try:
            await _require_pass(scenario, Cassettes(self._folder))
        except Unsayable:
            path.unlink()
            raise

    def _leaks(self, interactions: Sequence[Interaction]) -> bool:
        """Whether the scan finds secrets after the redaction."""
        return any(scan(written(self._redactor.redact(each))) for each in interactions)


async def _answers(loop: RecordedLoop, scenario: Scenario) -> _Answers:
    """The answers of a loop, each with the request of our loop that it answers.

    Our loop asks every model for what new ones can do (thinking). If the recorded model cannot, and its provider would
    refuse that, a model that can is asked in its name.
    """
    asked = loop.steps[0].asked.model or wire_named(loop.wire).default_model
    answers = _Answers(loop, asked)
    try:
        await _require_pass(scenario, answers)
    except Unsayable:
        answers = _Answers(loop, wire_named(loop.wire).default_model)
        await _require_pass(scenario, answers)
    if left := answers.left():
        raise Unsayable("another way") from ValueError(f"nothing asked for {', '.join(left)}")
    return answers


async def _require_pass(scenario: Scenario, sources: Any) -> None:
    """Run a scenario through the reference loop and the rules. Raises ``Unsayable`` if it does not pass."""
    endpoints = Endpoints()
    target = open_target("reference", endpoints)
    try:
        planned = plan([scenario], target=target, sources=sources)
        (finished,) = await execute(planned, target, endpoints, _BASE_URL, sources=sources)
    finally:
        await target.close()
    result = finished.result
    if result.verdict != "pass":
        why = result.error or "; ".join(f"{each.name}: {each.got}" for each in result.findings)
        raise Unsayable("reasoning not stored" if NOT_STORED in why else "another way") from ValueError(why)


def _provenance(loop: RecordedLoop, scenario: Scenario, asked: str) -> Provenance:
    host = urlsplit(loop.steps[0].exchange.url).netloc or "an unknown server"
    answered = loop.steps[0].asked.model
    return Provenance(
        source="live",
        scenario=scenario.name,
        wire=loop.wire,
        target="reference",
        server=host if answered in ("", asked) else f"{host}, where {answered} answered",
        model=asked,
        recorded=datetime.now(UTC).strftime("%Y-%m-%d"),
        harness=__version__,
    )


@dataclass
class _Answers:
    """The recorded responses of a loop, in order, for each request to ``model`` (``Sources`` and ``Source`` of one
    case).

    ``answered`` are the responses so far, each with the request that it answered.
    """

    loop: RecordedLoop
    model: str
    answered: list[Interaction] = field(default_factory=list)
    name: str = "live"
    words: tuple[str, ...] = ()

    def variations(self, scenario: Scenario, wire: WireName) -> Sequence[str]:  # noqa: ARG002 - there is one
        return [RECORDED]

    @asynccontextmanager
    async def opened(self, case: Case, scenario: Scenario) -> AsyncIterator[Opened]:  # noqa: ARG002 - there is one
        yield Opened(lambda: self, self.model, scripted=False)

    def next(self, request: ModelRequest) -> RecordedResponse | None:
        if not self.left():
            return None
        step = self.loop.steps[len(self.answered)]
        response = step.responses[0]
        headers = {name: response.headers[name] for name in _KEPT if name in response.headers}
        headers["content-type"] = "text/event-stream" if response.streamed else "application/json"
        self.answered.append(
            Interaction(
                method=request.method,
                url=f"{_server(step.exchange.url, self.loop)}{request.path}",
                request_headers={"content-type": ("application/json",)},
                request=request.body,
                status=response.status,
                response_headers={name: (value,) for name, value in headers.items()},
                response=response.body,
            )
        )
        return RecordedResponse(response.status, headers, (response.body,))

    def left(self) -> Sequence[str]:
        return [step.exchange.name for step in self.loop.steps[len(self.answered) :]]


def _server(url: str, loop: RecordedLoop) -> str:
    split = urlsplit(url)
    return f"{split.scheme}://{split.netloc}" if split.netloc else scripted_upstream(loop.wire).base
