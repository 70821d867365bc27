"""What an exception says of why a run failed, told by its shape, as the official SDKs raise it."""

from __future__ import annotations

import aiohttp.http_exceptions
import anthropic
import httpx2
import openai
import pytest
from google.genai import errors

from harness.targets.raised import failure_of
from harness.trace import RAISED, Failure

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1")


def answered(status: int) -> httpx2.Response:
    return httpx2.Response(status, request=REQUEST)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (openai.BadRequestError("no", response=answered(400), body=None), "http"),
        (anthropic.InternalServerError("no", response=answered(529), body=None), "http"),
        (errors.ServerError(503, {"error": {"message": "no"}}), "http"),
        (anthropic.APIStatusError("overloaded", response=answered(200), body=None), "stream"),
        (openai.APIConnectionError(request=REQUEST), "stream"),
        (httpx2.RemoteProtocolError("peer closed connection"), "stream"),
        (ConnectionResetError(104, "reset"), "stream"),
        (ValueError("boom"), RAISED),
    ],
)
def test_the_kind_of_a_failure_is_told_by_the_shape_of_its_exception(error: Exception, kind: str) -> None:
    failure = failure_of(error)
    assert (failure.kind, failure.message.partition(":")[0]) == (kind, type(error).__name__)


def test_what_an_exception_was_raised_from_counts_too() -> None:
    error = RuntimeError("the model failed")
    error.__cause__ = httpx2.ReadError("reset")
    assert failure_of(error) == Failure("stream", "RuntimeError: the model failed")


def test_a_body_that_breaks_off_in_aiohttp_is_no_answer_with_status_400() -> None:
    """Its parser says so with the code that a server would give: google-genai asks by way of aiohttp where it is."""
    error = aiohttp.ClientPayloadError("Response payload is not completed")
    error.__cause__ = aiohttp.http_exceptions.TransferEncodingError("Not enough data")
    assert error.__cause__.code == 400
    assert failure_of(error).kind == "stream"


def test_a_message_of_any_length_is_told_in_a_bounded_one() -> None:
    assert len(failure_of(ValueError("x" * 100_000)).message) == 2_000
