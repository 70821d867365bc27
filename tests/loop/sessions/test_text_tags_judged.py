"""The endpoint knows what it has said without reading it, so a parser's mistake is seen, even one that all share."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx2
import pytest

from harness.endpoint import CaseEndpoint, Endpoints, ScriptSource
from harness.endpoint.transport import EndpointTransport
from harness.loop import Agent, ToolRuntime
from harness.loop.policy import HUGIND
from harness.rules import TraceView, judge
from harness.scenario import TurnStep
from harness.trace import Case, Event
from harness.wire import Call, FinishReason, Text, ThinkingPart, Turn
from harness.wire.text_tags import ReadPiece, TextTags
from harness.wire.text_tags.call import BlockReader
from tests.sdks import openai, sessions

pytestmark = pytest.mark.anyio

PAGE = "<p>Close with </tool_call> and </think>.</p>"
CREATE = Call("create_file", json.dumps({"path": "index.html", "content": PAGE}))
EDIT = Call("edit_file", json.dumps({"path": "index.html", "edits": [{"old_text": "<p>", "new_text": "<p >"}]}))
SCRIPT = (
    Turn(
        (ThinkingPart("A page. </tool_call>"), Text("Here it is."), CREATE, Text("And an edit."), EDIT),
        FinishReason.TOOL_CALLS,
    ),
    Turn((Text("Done."),)),
)


async def found(parser: type[TextTags] = TextTags) -> set[str]:
    """The rules that a run of the reference loop with this parser breaks."""
    case = Case(id="a-case", scenario="text", wire="text-tags", profile="hugind", chunking="event")
    desk = CaseEndpoint(case, ScriptSource([TurnStep(turn) for turn in SCRIPT]), clock=lambda: 0.0)
    endpoints = Endpoints()
    prefix = endpoints.open(case.id, desk)

    async def emitted(event: Event) -> None:
        desk.recorder.emitted(event)

    async with httpx2.AsyncClient(transport=EndpointTransport(endpoints)) as http:
        client = openai.AsyncOpenAI(api_key="k", base_url="http://model.test/v1", http_client=http, max_retries=0)
        agent = Agent(
            open_session=lambda config: sessions.text_tags.TextTagsSession(config, client, parser=parser),
            send_message=emitted,
            tools=ToolRuntime(),
            base_url=f"http://model.test{prefix}",
            policy=HUGIND,
        )
        await agent.run("m", [("user", "A bakery.")])
    endpoints.close(case.id)
    reading = TraceView(desk.recorder.trace(), desk.replies, desk.violations, desk.conversations)
    return {finding.rule for finding in judge(reading)}


async def test_the_parser_as_it_is_breaks_nothing() -> None:
    assert await found() == set()


class LosesTheLastCall(TextTags):
    """Forgets what it has told."""

    @property
    def calls(self) -> tuple[object, ...]:  # type: ignore[override]
        return super().calls[:-1]


class MovesText(TextTags):
    """Tells all text at the end."""

    def feed(self, text: str) -> list[ReadPiece]:
        said = super().feed(text)
        self._late = [*getattr(self, "_late", []), *(each for each in said if each[0] == "text")]
        return [each for each in said if each[0] != "text"]

    def end(self) -> list[ReadPiece]:
        return [*super().end(), *reversed(self._late)]


class RenamesCalls(TextTags):
    """Reads names in capitals."""

    def feed(self, text: str) -> list[ReadPiece]:
        said = super().feed(text)
        for what, _ in said:
            if not isinstance(what, str):
                what.name = what.name.upper()
        return said


class ShowsThinking(TextTags):
    """Takes thinking for text."""

    def feed(self, text: str) -> list[ReadPiece]:
        return [("text" if what == "thinking" else what, piece) for what, piece in super().feed(text)]


@pytest.mark.parametrize(
    ("parser", "rule"),
    [
        (LosesTheLastCall, "history/results"),
        (MovesText, "stream/text"),
        (RenamesCalls, "continuation/text-tags"),
        (ShowsThinking, "stream/text"),
    ],
)
async def test_a_broken_parser_of_the_session_is_found(parser: type[TextTags], rule: str) -> None:
    assert rule in await found(parser)


@pytest.fixture
def _tags_cut_strings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The session, the endpoint and the rules read with the same mistake."""
    with monkeypatch.context() as patch:
        patch.setattr(BlockReader, "in_string", False)
        yield


@pytest.mark.usefixtures("_tags_cut_strings")
async def test_a_mistake_that_session_and_endpoint_share_is_found() -> None:
    assert "stream/text" in await found()
