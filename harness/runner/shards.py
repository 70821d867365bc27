"""Parts of a run for independent machines, like the jobs of a CI matrix."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from harness.errors import BadInput

_WRITTEN: Final = re.compile(r"(\d{1,9})/(\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shard:
    """The ``number``-th of ``of`` parts, counted from 1."""

    number: int
    of: int

    def holds(self, name: str) -> bool:
        """Whether the case with this id is in this part. Each case is in exactly one part, and always in the same: the
        id alone decides, so adding or removing other cases does not move it."""
        digest = sha256(name.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.of == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def shard_of(text: str) -> Shard:
    """Parse a value of ``--shard``. Raises ``BadInput`` for any other text."""
    written = _WRITTEN.fullmatch(text)
    if written is not None:
        shard = Shard(int(written[1]), int(written[2]))
        if 1 <= shard.number <= shard.of:
            return shard
    raise BadInput(f"--shard {text!r}: expected K/N, the K-th of N parts with K from 1 to N, like 3/8")
