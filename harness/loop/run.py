"""One run with its session. It may stop to wait for approvals and results from elsewhere, and go on with them."""

from __future__ import annotations

from collections.abc import Mapping

from harness.loop.deferral import Resolution
from harness.loop.driver import Driver
from harness.loop.engine import Engine
from harness.loop.holder import SessionHolder
from harness.loop.outcome import AgentResult
from harness.loop.session import ProviderSession


class AgentRun(SessionHolder[ProviderSession]):
    """A run and its open session: ``async with agent.open(model, prompt) as run``.

    While a result's outcome is ``deferred``, ``resume`` takes resolutions of ``result.deferred`` and goes on.
    """

    def __init__(self, engine: Engine, driver: Driver) -> None:
        super().__init__(driver.session)
        self._engine = engine
        self._driver = driver

    async def start(self) -> AgentResult:
        """Drive the loop from the prompt on, once. Raises ``AgentError`` when it ends without a result."""
        return await self._driver.drive(self._engine.flow())

    async def resume(self, resolved: Mapping[str, Resolution]) -> AgentResult:
        """Go on with resolutions of deferred calls, by call id. Calls that are left out wait on.

        Raises like ``start``, and ``BadInput`` for calls that do not wait and resolutions that do not fit. After
        ``BadInput`` the run is unchanged.
        """
        return await self._driver.drive(self._engine.resume(resolved))
