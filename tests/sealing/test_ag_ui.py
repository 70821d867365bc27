"""A server of AG-UI behind a seal: the harness reaches its port there, and it reaches the endpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from harness.runner.execute import execute
from harness.runner.judging import judging
from harness.runner.plan import plan
from harness.runner.sealed import behind_seal
from tests.targets.agui.test_servers import scenarios, target

pytestmark = pytest.mark.anyio


async def test_cases_of_a_sealed_server(tmp_path: Path) -> None:
    endpoints = Endpoints()
    open_target = target("right", persistent=True)
    planned = plan(scenarios(tmp_path, 2), target=open_target)
    with behind_seal(open_target) as (sealed, listener):
        async with serving(endpoints, listener=listener) as base_url:
            finished = await execute(planned, sealed, endpoints, base_url, jobs=1, judging=judging())
        await sealed.close()
    assert [(each.result.error, each.result.findings) for each in finished] == [(None, ()), (None, ())]
