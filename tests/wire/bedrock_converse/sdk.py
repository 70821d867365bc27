"""boto3 on the wire's own bytes: what it sends is read by the wire, and what the wire answers is read by it.

Nothing is sent: the answer is given to the SDK in place of a connection.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from harness.wire import Conversation, ErrorAnswer, Rendered, recognise, wire

MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
WIRE = wire("bedrock-converse")

Answer = Callable[[Conversation], Rendered | ErrorAnswer]


class _Raw(io.BytesIO):
    """Bytes as urllib3 gives them, in pieces of a few."""

    def stream(self, amount: int = 7, decode_content: bool | None = None) -> Iterator[bytes]:
        while piece := self.read(7):
            yield piece

    def release_conn(self) -> None: ...


def speaking(answer: Answer) -> Any:
    """A client of which each request is read by the wire, and answered as ``answer`` says."""
    import boto3
    from botocore.awsrequest import AWSResponse
    from botocore.config import Config

    client = boto3.client(
        "bedrock-runtime",
        endpoint_url="http://127.0.0.1:1/case/a",
        region_name="us-east-1",
        aws_access_key_id="AKIAIOSFODNN7EXAMPLE",
        aws_secret_access_key="none",
        config=Config(retries={"total_max_attempts": 1}),
    )

    def answered(request: Any, **_: Any) -> Any:
        given = answer(asked_by(request))
        if isinstance(given, ErrorAnswer):
            return AWSResponse(request.url, given.status, dict(given.headers), _Raw(given.body))
        return AWSResponse(request.url, given.status, {"content-type": given.content_type}, _Raw(given.body))

    client.meta.events.register("before-send.bedrock-runtime", answered)
    return client


def asked_by(request: Any) -> Conversation:
    """What the SDK has sent, as the wire reads it."""
    assert b"AWS4-HMAC-SHA256" in request.headers["Authorization"]
    route = recognise(request.method, urlsplit(request.url).path.removeprefix("/case/a"))
    assert route is not None
    return WIRE.read(route, request.body)


def events_of(client: Any, **asked: Any) -> list[dict[str, Any]]:
    """The events of a streamed answer, as the SDK gives them."""
    return list(client.converse_stream(modelId=MODEL, messages=[_HELLO], **asked)["stream"])


_HELLO = {"role": "user", "content": [{"text": "Hello."}]}
