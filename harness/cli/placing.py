"""The options of commands whose work can be done on many machines."""

from __future__ import annotations

import argparse


def executor_option(command: argparse._ActionsContainer) -> None:
    """``--executor``, for ``harness.runner.distributed.cluster.cluster_of``."""
    command.add_argument(
        "--executor",
        default="processes",
        metavar="processes|dask[:ADDRESS]",
        help="where to run: in processes of this machine (default), or on the workers of a dask scheduler, for example "
        "dask:tcp://127.0.0.1:8786; without an address a cluster on this machine is started and ended",
    )


def shard_option(command: argparse._ActionsContainer) -> None:
    """``--shard``, for ``harness.runner.shards.shard_of``."""
    command.add_argument(
        "--shard", metavar="K/N", help="only part K of N parts of the selection; the ids decide which part it is"
    )
