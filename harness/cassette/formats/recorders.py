"""Recorders of SDKs and of test suites whose files have a form of their own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from harness.cassette.formats.bodies import exchange, from_base64
from harness.cassette.formats.content import Content
from harness.cassette.formats.model import Entry, RecordingFormat
from harness.cassette.interaction import Headers, Interaction
from harness.cassette.members import Unexpected, as_json, encoded, headers_of, http_status, member, shown, text_of
from harness.cassette.read import interaction_of
from harness.errors import BadInput


def _request_head(request: dict[str, Any]) -> tuple[str, str, Headers]:
    method, url = (text_of(request, (name,), "request") for name in ("method", "url"))
    return method, url, headers_of(request, "request")


# --- cassettes ----------------------------------------------------------------------------------------------

_LISTS: Final = ("interactions", "http_interactions")


def _is_cassette(content: Content) -> bool:
    return any(name in content.top for name in _LISTS)


def _interactions(content: Content) -> Iterator[Entry]:
    (document,) = content.documents
    name = next(name for name in _LISTS if name in content.top)
    if not isinstance(content.top[name], list):
        raise BadInput(f"{content.path}:1: {name}: expected a list of interactions, got {shown(content.top[name])}")
    for line, value in zip(document.lines(name), content.top[name], strict=True):
        yield line, partial(interaction_of, value, line)


CASSETTE: Final = RecordingFormat(
    "cassette",
    "a list 'interactions' or 'http_interactions' (vcrpy, go-vcr, VCR of Ruby and R, Betamax, opencode's recorder)",
    _is_cassette,
    _interactions,
    strict=True,
    entry="interaction",
)


# --- LangChain's standard tests -----------------------------------------------------------------------------


def _is_langchain(content: Content) -> bool:
    return all(isinstance(content.top.get(name), list) for name in ("requests", "responses"))


def _both_lists(content: Content) -> Iterator[Entry]:
    (document,) = content.documents
    requests, responses = content.top["requests"], content.top["responses"]
    for at, (line, request) in enumerate(zip(document.lines("requests"), requests, strict=True)):
        yield line, partial(_interaction_of_pair, request, responses[at] if at < len(responses) else None, line)


def _interaction_of_pair(request: Any, response: Any, line: int) -> Interaction:
    if response is None:
        raise Unexpected("has no response at its place in 'responses'")
    return interaction_of({"request": request, "response": response}, line)


LANGCHAIN: Final = RecordingFormat(
    "langchain-tests", "lists 'requests' and 'responses', mostly gzipped (langchain-tests)", _is_langchain, _both_lists
)

# --- the test proxy of Azure's and OpenAI's .NET SDKs -------------------------------------------------------


def _is_session(content: Content) -> bool:
    entries = content.top.get("Entries")
    return isinstance(entries, list) and all(isinstance(each, dict) and "RequestUri" in each for each in entries)


def _session(content: Content) -> Iterator[Entry]:
    (document,) = content.documents
    for line, value in zip(document.lines("Entries"), content.top["Entries"], strict=True):
        yield line, partial(_session_entry, value, line)


def _session_entry(value: dict[str, Any], line: int) -> Interaction:
    request_headers = headers_of({"headers": value.get("RequestHeaders")}, "RequestHeaders")
    response_headers = headers_of({"headers": value.get("ResponseHeaders")}, "ResponseHeaders")
    asked = (
        text_of(value, ("RequestMethod",), "entry"),
        text_of(value, ("RequestUri",), "entry"),
        request_headers,
        _session_body(value.get("RequestBody"), request_headers, "RequestBody"),
    )
    answer = _session_body(value.get("ResponseBody"), response_headers, "ResponseBody") or b""
    return exchange(line, asked, (http_status(value.get("StatusCode"), "StatusCode"), response_headers, answer))


def _session_body(body: Any, headers: Any, where: str) -> bytes | None:
    """JSON is kept as its value, text as it is or cut into its lines, and other bytes in base64."""
    kind = "".join(headers.get("content-type", ()))
    if body is None:
        return None
    if isinstance(body, dict) or (isinstance(body, list) and "json" in kind):
        return as_json(body)
    if isinstance(body, list):
        body = "".join(map(str, body))
    if not isinstance(body, str):
        raise Unexpected(f"{where}: expected text, lines or a JSON value, got {shown(body)}")
    is_text = not kind or "json" in kind or kind.startswith("text/") or "event-stream" in kind
    return encoded(body) if is_text else from_base64(body, where)


SESSION_RECORDS: Final = RecordingFormat(
    "SessionRecords", "a list 'Entries' with 'RequestUri' (test proxy of .NET SDKs)", _is_session, _session
)

# --- Braintrust's JavaScript SDK ----------------------------------------------------------------------------


def _is_braintrust(content: Content) -> bool:
    entries = content.top.get("entries")
    return isinstance(entries, list) and bool(entries) and all(map(_has_kinds, entries))


def _has_kinds(value: Any) -> bool:
    sides = [value.get(name) for name in ("request", "response")] if isinstance(value, dict) else [None]
    return all(isinstance(side, dict) and (side.get("body") is None or "kind" in side["body"]) for side in sides)


def _braintrust(content: Content) -> Iterator[Entry]:
    (document,) = content.documents
    for line, value in zip(document.lines("entries"), content.top["entries"], strict=True):
        yield line, partial(_braintrust_entry, value, line)


def _braintrust_entry(value: dict[str, Any], line: int) -> Interaction:
    request, response = value["request"], value["response"]
    asked = (*_request_head(request), _of_kind(request.get("body"), "request: body"))
    answered = (
        http_status(response.get("status"), "response: status"),
        headers_of(response, "response"),
        _of_kind(response.get("body"), "response: body") or b"",
    )
    return exchange(line, asked, answered)


def _of_kind(body: Any, where: str) -> bytes | None:
    """A body with its kind; the pieces of a stream are its events, without the blank line behind each."""
    match body:
        case None | {"kind": "empty" | "none"}:
            return None
        case {"kind": "json", "value": value}:
            return as_json(value)
        case {"kind": "text", "value": str(text)}:
            return encoded(text)
        case {"kind": "sse", "chunks": list(chunks)} if all(isinstance(chunk, str) for chunk in chunks):
            return b"".join(encoded(chunk.rstrip("\r\n")) + b"\n\n" for chunk in chunks)
        case {"kind": "base64", "value": text}:
            return from_base64(text, where)
        case _:
            raise Unexpected(f"{where}: expected a body of kind json, text, sse or base64, got {shown(body)}")


BRAINTRUST: Final = RecordingFormat(
    "Braintrust",
    "a list 'entries' whose bodies have a 'kind' (Braintrust's JavaScript SDK)",
    _is_braintrust,
    _braintrust,
)

# --- req_llm (Elixir) ---------------------------------------------------------------------------------------


def _is_req_llm(content: Content) -> bool:
    request = content.top.get("request")
    return isinstance(request, dict) and "canonical_json" in request and isinstance(content.top.get("response"), dict)


def _req_llm(content: Content) -> Iterator[Entry]:
    yield 1, partial(_req_llm_entry, content.top)


def _req_llm_entry(top: dict[str, Any]) -> Interaction:
    request, response = top["request"], top["response"]
    body = request.get("body")
    sent = (
        from_base64(body["b64"], "request: body: b64")
        if isinstance(body, dict) and "b64" in body
        else as_json(request["canonical_json"])
    )
    asked = (*_request_head(request), sent)
    status = http_status(response.get("status"), "response: status")
    return exchange(1, asked, (status, headers_of(response, "response"), _req_llm_answer(top, response)))


def _req_llm_answer(top: dict[str, Any], response: dict[str, Any]) -> bytes:
    """The pieces of a stream as they came, or the body: parsed JSON, text, or base64 under ``b64``."""
    chunks = top.get("chunks")
    if isinstance(chunks, list) and chunks:
        return b"".join(
            from_base64(member({"chunk": each}, "chunk", dict).get("b64"), "chunks: b64") for each in chunks
        )
    body = response.get("body")
    if isinstance(body, dict) and body.keys() == {"b64"}:
        return from_base64(body["b64"], "response: body: b64")
    if isinstance(body, str):
        return encoded(body)
    return b"" if body is None else as_json(body)


REQ_LLM: Final = RecordingFormat("req_llm", "'request' with 'canonical_json' (Elixir's req_llm)", _is_req_llm, _req_llm)

# --- one exchange in a file ---------------------------------------------------------------------------------


def _is_single(content: Content) -> bool:
    request, response = content.top.get("request"), content.top.get("response")
    if not isinstance(request, dict) or not isinstance(response, dict) or "canonical_json" in request:
        return False
    if "is_streaming" in response:  # Llama Stack's objects
        return False
    url = request.get("url", request.get("uri"))
    return (
        isinstance(url, str)
        and "://" in url
        and "method" in request
        and bool({"status", "status_code"} & response.keys())
    )


def _single(content: Content) -> Iterator[Entry]:
    yield 1, partial(_single_entry, content.top)


def _single_entry(top: dict[str, Any]) -> Interaction:
    """A body may be the JSON value itself, too."""
    request, response = (_with_body(top[name]) for name in ("request", "response"))
    return interaction_of({"request": request, "response": response}, 1)


def _with_body(message: dict[str, Any]) -> dict[str, Any]:
    body = message.get("body")
    is_wrapped = isinstance(body, dict) and bool({"string", "base64_string"} & body.keys())
    return {**message, "parsed_body": body} if isinstance(body, dict | list) and not is_wrapped else message


SINGLE: Final = RecordingFormat(
    "one exchange",
    "one 'request' with method and address and its 'response' with a status (the test agent of DataDog)",
    _is_single,
    _single,
)
