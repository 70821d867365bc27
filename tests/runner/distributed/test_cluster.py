"""What ``--executor`` asks for."""

from __future__ import annotations

import sys

import pytest

from harness.errors import BadInput
from harness.runner.distributed.cluster import Cluster, cluster_of
from harness.runner.processes import cores


def test_processes_are_no_cluster() -> None:
    assert cluster_of("processes", 2) is None


def test_a_cluster_of_this_machines_own_has_so_many_workers() -> None:
    assert cluster_of("dask", 3) == Cluster(jobs=3)
    assert cluster_of("dask") == Cluster(jobs=cores())


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "tcp://[::1]:8786", "tls://scheduler.example:8786"])
def test_an_address_is_that_of_a_scheduler(address: str) -> None:
    cluster = cluster_of(f"dask:{address}")
    assert cluster is not None
    assert cluster.scheduler == address


@pytest.mark.parametrize(
    "text",
    ["", "ray", "dask:", "dask:tcp://", "dask:127.0.0.1:8786", "dask:tcp://host", "dasktcp://a:1", "processes:2"],
)
def test_what_names_no_executor_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="expected processes, dask, or dask:ADDRESS"):
        cluster_of(text)


def test_a_scheduler_has_its_own_workers() -> None:
    with pytest.raises(BadInput, match="-j 2: expected no -j with a scheduler"):
        cluster_of("dask:tcp://127.0.0.1:8786", 2)


def test_without_the_package_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(BadInput, match=r"install the extra dask: pip install 'agent-loop-harness\[dask\]'"),
        Cluster().opened(),
    ):
        pass
