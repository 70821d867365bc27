"""The cheapest loop there is, for ``command_target``: it asks once and ends; without a case it ends at once."""

import socket
import sys

case = sys.stdin.readline()
if case:
    _, _, rest = case.partition('"base_url":"http://')
    place, _, path = rest[: rest.index('"')].partition("/")
    host, port = place.split(":")
    body = b'{"model":"gpt-4.1","messages":[{"role":"user","content":"Say hello."}]}'
    with socket.create_connection((host, int(port))) as connection:
        head = f"POST /{path}/v1/chat/completions HTTP/1.1\r\nhost: {place}\r\nconnection: close\r\n"
        connection.sendall(
            f"{head}content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body
        )
        while connection.recv(65536):
            pass
