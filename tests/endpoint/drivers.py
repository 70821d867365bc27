"""The two ways to a case at the endpoint, as an HTTP client goes them: in this process, and over loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from harness.endpoint.transport import EndpointTransport


@asynccontextmanager
async def in_process(endpoints: Endpoints) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(transport=EndpointTransport(endpoints), base_url="http://harness") as client:
        yield client


@asynccontextmanager
async def over_loopback(endpoints: Endpoints) -> AsyncIterator[httpx2.AsyncClient]:
    async with serving(endpoints) as base, httpx2.AsyncClient(base_url=base, trust_env=False) as client:
        yield client


DRIVERS = [pytest.param(in_process, id="in-process"), pytest.param(over_loopback, id="loopback")]
