"""Parts of a run for machines that know nothing of each other, like the jobs of a CI matrix."""

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
        """Whether what has this name (the id of a case) is in this part. It is in one of them, and always in the same:
        the name alone decides, so that what comes or goes beside it does not move it."""
        digest = sha256(name.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.of == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def shard_of(text: str) -> Shard:
    """What ``--shard`` asks for. Raises ``BadInput`` for what is none."""
    written = _WRITTEN.fullmatch(text)
    if written is not None:
        shard = Shard(int(written[1]), int(written[2]))
        if 1 <= shard.number <= shard.of:
            return shard
    raise BadInput(f"--shard {text!r}: expected K/N, the K-th of N parts with K from 1 to N, like 3/8")
