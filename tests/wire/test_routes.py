"""The paths of each wire's requests, behind any prefix, and those of other requests."""

from __future__ import annotations

import pytest

from harness.wire import Route, WireName, recognise, wire
from tests.case_tables import from_table

VERTEX = "/v1beta1/projects/p/locations/global/publishers/google"


@from_table(__file__, "test_a_path_is_of_the_wire")
def test_a_path_is_of_the_wire(name: WireName, path: str, model: str | None, stream: bool | None) -> None:
    assert wire(name).route("POST", path) == recognise("POST", path) == Route(name, model, stream)


@from_table(__file__, "test_another_path_is_not")
def test_another_path_is_not(name: WireName, method: str, path: str) -> None:
    assert wire(name).route(method, path) is None


@pytest.mark.parametrize("prefix", ["/gemini", "/google-ai-studio", "/v1/account/gateway/google"])
@pytest.mark.parametrize("collection", ["/v1beta/models", f"{VERTEX}/models"])
def test_the_prefix_of_a_gateway_is_no_part_of_the_path(prefix: str, collection: str) -> None:
    speaker = wire("gemini-generate")
    route = speaker.route("POST", f"{prefix}{collection}/m:generateContent")
    assert route is not None
    assert (route.model, route.collection) == ("m", collection)
    assert speaker.path(route) == f"{collection}/m:generateContent"
