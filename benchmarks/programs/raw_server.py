"""The least that a server can do: it reads a request to its end and writes the bytes that are ready for it.

    python raw_server.py ANSWERS.json

The file is ``{path: [[event, ...], ...]}``: the answers of a path, one after the other and again from the first on each
connection. Below ``/whole`` an answer is one write, below ``/events`` every event is one. Nothing of the harness is
imported; it prints its address, and serves until it is ended.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from itertools import cycle
from pathlib import Path

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"


def writes(events: list[str]) -> list[bytes]:
    chunks = [b"%x\r\n%s\r\n" % (len(event.encode()), event.encode()) for event in events]
    return [HEAD, *chunks, END]


async def serve(turns_of: Mapping[str, list[list[str]]]) -> None:
    answers = {}
    for path, turns in turns_of.items():
        answers[f"/events{path}"] = [writes(events) for events in turns]
        answers[f"/whole{path}"] = [[b"".join(writes(events))] for events in turns]

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ready = {path: cycle(turns) for path, turns in answers.items()}
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
                await reader.readexactly(int(length))
                for chunk in next(ready[head.split(b" ", 2)[1].decode()]):
                    writer.write(chunk)
                    await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
