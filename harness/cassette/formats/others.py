"""Files that lie among recordings and are none of HTTP: what they are, and what to do with them."""

from __future__ import annotations

import re
from typing import Any, Final

from harness.cassette.formats.content import Content
from harness.cassette.formats.model import OtherFile
from harness.wire import history_members

_FLOW: Final = re.compile(rb"\d+:\d+:[a-z]")
"""How a file of netstrings begins, which mitmproxy writes."""


def _is_flow(content: Content) -> bool:
    return _FLOW.match(content.data) is not None


def _lines_have(*names: str) -> Any:
    def claims(content: Content) -> bool:
        first = content.json_lines[0] if content.json_lines else None
        return isinstance(first, dict) and {*names} <= first.keys()

    return claims


def _is_call_of_an_sdk(content: Content) -> bool:
    """gemini-cli's dumps, where one line may be all of the file."""
    first = content.json_lines[0] if content.json_lines else _object(content)
    return {"method", "response"} == first.keys()


def _object(content: Content) -> dict[Any, Any]:
    return {} if content.text is None or content.json_lines else content.top


def _is_llama_stack(content: Content) -> bool:
    response = _object(content).get("response")
    return isinstance(response, dict) and "is_streaming" in response


def _is_run(content: Content) -> bool:
    return {"script", "events", "requests", "outcome"} <= _object(content).keys()


def _is_scenario(content: Content) -> bool:
    return {"scenario", "profile"} <= _object(content).keys()


def _is_request(content: Content) -> bool:
    return bool(history_members() & _object(content).keys())


OTHERS: Final = (
    OtherFile("flows of mitmproxy", _is_flow, "export them as HAR: mitmdump -r FILE --set hardump=OUT.har"),
    OtherFile(
        "exchanges in the form of a corpus",
        _lines_have("file", "index", "request", "response"),
        "name the folder, and the file exchanges.jsonl",
    ),
    OtherFile("a trace of the harness", _lines_have("record"), "'harness check' judges it"),
    OtherFile("calls of an SDK with its objects", _is_call_of_an_sdk, "no HTTP was recorded; record the exchanges"),
    OtherFile("Llama Stack's objects of an SDK", _is_llama_stack, "no HTTP was recorded; record the exchanges"),
    OtherFile("a recorded run of a loop", _is_run, "'harness lab golden' and 'harness lab import-trace' read it"),
    OtherFile("a scenario", _is_scenario, "'harness run' runs it"),
    OtherFile("a single request", _is_request, "'harness lint-request' judges it"),
)
"""The known ones, in the order in which they are looked for."""
