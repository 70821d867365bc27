"""An object with an open session, which is closed together with the object."""

from __future__ import annotations

from types import TracebackType
from typing import Generic, Self, TypeVar

from harness.loop.session import ProviderSession

_Session = TypeVar("_Session", bound=ProviderSession)


class SessionHolder(Generic[_Session]):
    """Keeps an open session, and closes it: by ``close``, or at the end of ``async with``."""

    def __init__(self, session: _Session) -> None:
        self._session = session

    async def close(self) -> None:
        """Close the session."""
        await self._session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
