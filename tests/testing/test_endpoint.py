"""The endpoint of a pytest process, by itself."""

from __future__ import annotations

import asyncio
import threading

import pytest

from harness.testing.endpoint import Endpoint


def test_what_nobody_waits_for_ends_with_it() -> None:
    with Endpoint() as endpoint, pytest.raises(TimeoutError):
        endpoint.run(asyncio.Event().wait, 0.01)
    assert "harness" not in {thread.name for thread in threading.enumerate()}


def test_what_is_raised_there_is_raised_here() -> None:
    async def fail() -> None:
        raise KeyError("there")

    with Endpoint() as endpoint, pytest.raises(KeyError, match="there"):
        endpoint.run(fail)


def test_it_is_served_once() -> None:
    with Endpoint() as endpoint:
        first = endpoint.run(endpoint.served)
        assert endpoint.run(endpoint.served) == first
        assert first.startswith("http://127.0.0.1:")
