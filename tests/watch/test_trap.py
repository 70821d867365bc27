"""The trap itself, which tests of the page rely on."""

from __future__ import annotations

import asyncio

import pytest

from tests.watch.trap import CONTROL, NAMES, NO_REQUEST, setting_a_trap

pytestmark = pytest.mark.anyio


async def test_a_visit_is_forgotten_while_its_connection_is_still_open() -> None:
    async with asyncio.timeout(10), setting_a_trap() as trap:
        reader, writer = await asyncio.open_connection("127.0.0.1", trap.port)
        writer.write(b"GET / HTTP/1.1\r\n")
        while trap.visits != [NO_REQUEST]:  # noqa: ASYNC110 - the other end is a task of this loop
            await asyncio.sleep(0)
        trap.forget()
        writer.write(f"Host: late.{NAMES}\r\n\r\n".encode())
        assert (await reader.read()).startswith(b"HTTP/1.1 200")
        assert trap.visits == []
        writer.close()


async def test_what_is_opened_for_a_visit_of_our_own_is_no_visit() -> None:
    async with asyncio.timeout(10), setting_a_trap() as trap:
        late, idle = await asyncio.open_connection("127.0.0.1", trap.control)
        reader, writer = await asyncio.open_connection("127.0.0.1", trap.control)
        assert not trap.works
        writer.write(f"GET / HTTP/1.1\r\nHost: {CONTROL}\r\n\r\n".encode())
        assert (await reader.read()).startswith(b"HTTP/1.1 200")
        assert (trap.works, trap.visits) == (True, [])
        trap.forget()
        assert not trap.works
        idle.write(b"GET / HTTP/1.1\r\n\r\n")
        assert (await late.read()).startswith(b"HTTP/1.1 200")
        for each in (idle, writer):
            each.close()
