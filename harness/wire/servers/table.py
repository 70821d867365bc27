"""The known servers, from ``servers.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from harness.wire.servers.model import Server


class _ServersWhenWanted(Mapping[str, Server]):
    """The servers of the file, which is read on demand: most runs are with the wire's own provider."""

    @cached_property
    def _servers(self) -> Mapping[str, Server]:
        from harness.wire.servers.files import read_servers

        return read_servers()

    def __getitem__(self, name: str) -> Server:
        if not name:
            raise KeyError(name)  # the provider itself, of which nothing need be known
        return self._servers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._servers)

    def __len__(self) -> int:
        return len(self._servers)


SERVERS: Final[Mapping[str, Server]] = _ServersWhenWanted()
"""Every known server by its name."""
