"""Names that several modules of this wire use."""

from __future__ import annotations

from typing import Final

NAME: Final = "gemini-interactions"

SYSTEM: Final = "system_instruction"
"""The member with the instructions, which is the place of a system message."""

REVISION: Final = "api-revision"
"""The header by which a client asks for an older form of the API."""

GOES_ON: Final = "continuation_token"
"""The member that continues a long answer: the interaction and the request that continues it have it."""
