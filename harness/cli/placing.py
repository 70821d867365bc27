"""The options of commands whose work can be done on many machines."""

from __future__ import annotations

import argparse

__all__ = ["executor_option", "shard_option"]


def executor_option(command: argparse.ArgumentParser) -> None:
    """``--executor``, for ``harness.runner.distributed.cluster.cluster_of``."""
    command.add_argument(
        "--executor",
        default="processes",
        metavar="processes|dask[:ADDRESS]",
        help="where it runs: in processes of this machine (default), or on the workers of a dask scheduler, like "
        "dask:tcp://127.0.0.1:8786; without an address those of a cluster that is started and ended here",
    )


def shard_option(command: argparse.ArgumentParser) -> None:
    """``--shard``, for ``harness.runner.shards.shard_of``."""
    command.add_argument(
        "--shard", metavar="K/N", help="only the K-th of N parts of what is selected, told apart by the ids alone"
    )
