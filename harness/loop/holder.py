"""What has an open session: it is closed with it."""

from __future__ import annotations

from types import TracebackType
from typing import Generic, Self, TypeVar

from harness.loop.session import ProviderSession

_Session = TypeVar("_Session", bound=ProviderSession)


class SessionHolder(Generic[_Session]):
    """Holds an open session, and closes it: by ``close``, or at the end of ``async with``."""

    def __init__(self, session: _Session) -> None:
        self._session = session

    async def close(self) -> None:
        """Release what the session holds."""
        await self._session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
