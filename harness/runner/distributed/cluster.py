"""The scheduler that gives items to its workers, and a client of it."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from harness.errors import BadInput
from harness.runner.processes import cores

if TYPE_CHECKING:
    from distributed import Client

REACHED: Final = 10.0
"""Seconds within which a scheduler must answer."""

FIRST_WORKER: Final = 60.0
"""Seconds within which the first worker must join its scheduler: both may just have been started."""

_ADDRESS: Final = re.compile(r"(?:tcp|tls|ws|wss|ucx)://\S+:\d+")


@dataclass(frozen=True, slots=True)
class Cluster:
    """A scheduler with its workers. ``scheduler`` is its address; empty for a local cluster, which has ``jobs`` workers
    and ends with the run."""

    scheduler: str = ""
    jobs: int = 1

    @contextmanager
    def opened(self) -> Iterator[Client]:
        """A client of the scheduler while the block runs. Raises ``BadInput`` if there is no worker."""
        try:
            from distributed import Client, LocalCluster
        except ImportError as missing:
            raise BadInput(
                f"--executor dask: expected dask.distributed to be installed, got: {missing}; install the extra dask: "
                "pip install 'agent-loop-harness[dask]'"
            ) from missing
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what goes wrong is reported by us
        if self.scheduler:
            with self._connection(Client) as client:
                yield client
            return
        with (
            TemporaryDirectory(prefix="harness-dask-") as folder,
            LocalCluster(
                n_workers=1,
                threads_per_worker=self.jobs,
                processes=False,  # a batch has a process of its own, wherever its worker is
                protocol="tcp",
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                memory_limit=0,
                local_directory=folder,
                silence_logs=logging.CRITICAL,
            ) as local,
            Client(local) as client,
        ):
            yield client

    @contextmanager
    def _connection(self, connect: type[Client]) -> Iterator[Client]:
        try:
            client = connect(self.scheduler, timeout=REACHED)
        except (OSError, ValueError) as error:
            raise BadInput(
                f"--executor dask:{self.scheduler}: no scheduler can be reached there: {error}; start one with "
                "'dask scheduler', and workers with 'dask worker ADDRESS'"
            ) from error
        with client:
            try:
                client.wait_for_workers(1, timeout=FIRST_WORKER)
            except TimeoutError:
                raise BadInput(
                    f"--executor dask:{self.scheduler}: the scheduler has had no worker for {FIRST_WORKER:g} s; start "
                    f"some with 'dask worker {self.scheduler}'"
                ) from None
            yield client


def cluster_of(text: str, jobs: int | None = None) -> Cluster | None:
    """The cluster for a value of ``--executor``; None for processes of this machine. Raises ``BadInput`` otherwise.

    ``jobs`` is the value of ``-j``, None without it. It sets the number of workers of a local cluster only.
    """
    name, _, scheduler = text.partition(":")
    if text == "processes":
        return None
    if name != "dask" or (text != "dask" and not _ADDRESS.fullmatch(scheduler)):
        raise BadInput(
            f"--executor {text!r}: expected processes, dask, or dask:ADDRESS with the address of a scheduler, like "
            "dask:tcp://127.0.0.1:8786"
        )
    if scheduler and jobs is not None:
        raise BadInput(f"-j {jobs}: expected no -j with a scheduler, which has its own workers; leave it out")
    return Cluster(scheduler, jobs or cores())
