"""Variants: runs side by side that share a prompt and nothing else."""

from __future__ import annotations

import asyncio
import json

import pytest

from harness.loop import (
    Agent,
    AgentError,
    AgentResult,
    HttpFailed,
    SessionConfig,
    ToolCall,
    ToolRuntime,
    run_side_by_side,
)
from harness.loop.driver import SendMessage
from harness.trace import Event, Failure, Final, SetCode, ToolStart
from tests.loop.fake_session import Answer, FakeSession, streamed

pytestmark = pytest.mark.anyio

PROMPT = [("user", "A page.")]


def created(page: str) -> list[Answer]:
    """A model that creates a page; every model calls its call the same."""
    return [streamed("", ToolCall("c1", "create_file", json.dumps({"content": page}))), streamed("Done.")]


class Stage:
    """Agents whose models are scripted by name; ``told`` are all events, each with its variant."""

    def __init__(self, **models: list[Answer]) -> None:
        self.models = models
        self.told: list[tuple[int, Event]] = []
        self.configs: list[SessionConfig] = []

    def agent(self, send_message: SendMessage) -> Agent:
        async def no_waiting(seconds: float) -> None:
            await asyncio.sleep(0)

        return Agent(
            open_session=self._open,
            send_message=send_message,
            tools=ToolRuntime(),
            base_url="http://model.test",
            sleep=no_waiting,
        )

    def _open(self, config: SessionConfig) -> FakeSession:
        self.configs.append(config)
        return FakeSession(self.models[config.model])

    async def tell(self, variant: int, event: Event) -> None:
        await asyncio.sleep(0)  # so that the variants take turns
        self.told.append((variant, event))

    async def run(self, *models: str) -> list[AgentResult | AgentError]:
        return await run_side_by_side(self.agent, models, PROMPT, self.tell)

    def of(self, variant: int, kind: type) -> list[Event]:
        return [event for number, event in self.told if number == variant and isinstance(event, kind)]


async def test_each_variant_has_its_own_page_and_its_own_number() -> None:
    stage = Stage(one=created("<html>one</html>"), other=created("<html>other</html>"))
    results = await stage.run("one", "other")
    assert [each.code for each in results if isinstance(each, AgentResult)] == [
        "<html>one</html>",
        "<html>other</html>",
    ]
    for variant, page in enumerate(("<html>one</html>", "<html>other</html>")):
        assert all(page.startswith(event.code) for event in stage.of(variant, SetCode))  # type: ignore[attr-defined]
        assert [event.id for event in stage.of(variant, ToolStart)] == ["c1"]  # type: ignore[attr-defined]
        assert len(stage.of(variant, Final)) == 1
    assert [config.prompt for config in stage.configs] == [PROMPT, PROMPT]


async def test_variants_run_at_once() -> None:
    stage = Stage(one=created("<html>1</html>"), other=created("<html>2</html>"))
    await stage.run("one", "other")
    numbers = [number for number, _ in stage.told]
    assert numbers != sorted(numbers)


async def test_a_variant_that_fails_leaves_the_others() -> None:
    stage = Stage(lost=[Answer(failure=HttpFailed("gone", 404))], good=created("<html>2</html>"))
    lost, good = await stage.run("lost", "good")
    assert isinstance(lost, AgentError)
    assert isinstance(good, AgentResult)
    assert good.code == "<html>2</html>"
    assert [type(event) for event in stage.of(0, object)][-1] is Failure


async def test_a_user_who_cannot_be_reached_ends_all_variants() -> None:
    stage = Stage(one=created("<html>1</html>"), other=created("<html>2</html>"))

    async def gone(variant: int, event: Event) -> None:
        raise ConnectionError("the user has left")

    with pytest.raises(ConnectionError, match="the user has left"):
        await run_side_by_side(stage.agent, ["one", "other"], PROMPT, gone)


async def test_no_variants_are_no_results() -> None:
    assert await Stage().run() == []
