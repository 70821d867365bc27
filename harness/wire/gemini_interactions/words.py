"""The words that several modules of this wire use: its name, and where a request says its instructions."""

from __future__ import annotations

from typing import Final

NAME: Final = "gemini-interactions"

SYSTEM: Final = "system_instruction"
"""The member with the instructions, which is the place of a system message."""

REVISION: Final = "api-revision"
"""The header by which a client asks for an older form of the API."""

GOES_ON: Final = "continuation_token"
"""The member by which a long answer goes on: the interaction has it, and the request that continues it."""
