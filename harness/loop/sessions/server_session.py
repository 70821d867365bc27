"""The header by which a server that keeps what it has read of a conversation knows the conversation again.

Source: "Hugind Tool Calling Flow", section 3: the header and its three modes. Every request contains the whole history
anyway, so that a server without such a memory answers in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal
from uuid import uuid4

from harness.errors import BadInput

HEADER = "X-Session-ID"


class ServerSession:
    """The id in a run's requests: ``fresh`` invents one for the run, ``resume`` takes the ``id`` of an earlier run,
    ``stateless`` sends none.

    Raises ``BadInput`` for ``resume`` without an id, an id with another mode, and an id that no header can have.
    """

    def __init__(self, mode: Literal["fresh", "resume", "stateless"] = "stateless", id: str = "") -> None:
        if (mode == "resume") != bool(id):
            raise BadInput(f"session {mode!r}: expected an id with 'resume', and with no other mode; got {id!r}")
        if not (id.isascii() and id.isprintable()) or id != id.strip():
            raise BadInput(f"session {mode!r}: expected an id of visible ASCII characters, got {id!r}")
        self.id = f"run-{uuid4()}" if mode == "fresh" else id

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of every request of the run."""
        return {HEADER: self.id} if self.id else {}
