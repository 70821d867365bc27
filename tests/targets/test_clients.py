"""The SDK clients of one run."""

from __future__ import annotations

import gc

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.transport import EndpointTransport
from harness.loop import SessionConfig
from harness.targets.clients import Clients

_CONFIG = SessionConfig(model="gpt-5", prompt=[("user", "Hello")], tools=(), base_url="http://harness")


@pytest.mark.parametrize("collecting", [True, False], ids=["collecting", "not collecting"])
def test_the_collector_rests_while_a_session_is_opened_and_is_then_as_it_was(
    monkeypatch: pytest.MonkeyPatch, *, collecting: bool
) -> None:
    seen: list[bool] = []
    clients = Clients(EndpointTransport(Endpoints()))
    client = clients._client
    monkeypatch.setattr(clients, "_client", lambda session: [seen.append(gc.isenabled()), client(session)][1])
    was = gc.isenabled()
    try:
        (gc.enable if collecting else gc.disable)()
        clients.open_session("openai-chat", _CONFIG)
        with pytest.raises(AttributeError):
            clients.open_session("openai-chat", None)  # type: ignore[arg-type]
        assert gc.isenabled() is collecting
    finally:
        (gc.enable if was else gc.disable)()
    assert seen == [False, False]
