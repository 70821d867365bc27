"""Where a target of the reference loop gets its sessions from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from harness.loop import EditableSession, SessionConfig
from harness.scenario import Skill
from harness.wire import WireName

NO_SKILLS: Mapping[str, Skill] = {}


class Sessions(Protocol):
    """Opens sessions for all cases of a run. Shared objects are closed when the run ends.

    ``paced``: a session takes a response piece by piece, as it is delivered.
    """

    @property
    def paced(self) -> bool:
        """Whether a session takes a response piece by piece."""

    def open_session(
        self, wire: WireName, config: SessionConfig, skills: Mapping[str, Skill] = NO_SKILLS, /
    ) -> EditableSession:
        """A session of ``wire``. Only the text protocol describes ``skills`` to the model."""

    async def close(self) -> None:
        """Release what the sessions share."""
