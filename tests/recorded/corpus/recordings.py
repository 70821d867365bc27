"""Small recordings for tests: exchanges of each wire, a folder of them, and sessions that are broken on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from harness.cassette.recordings.recording import RecordedExchange
from harness.imports.comparison import RecordedComparison
from harness.loop.session import OnEvent, ProviderTurn, SessionConfig
from harness.wire import Conversation, Identity, NativeWireName, Turn, wire
from harness_lab.recorded.sessions.judge import Judge
from harness_lab.recorded.sessions.read_exchange import ReadExchange
from harness_lab.recorded.sessions.replay import Replay

URLS: dict[NativeWireName, str] = {
    "openai-responses": "https://api.openai.com/v1/responses",
    "openai-chat": "https://api.openai.com/v1/chat/completions",
    "anthropic-messages": "https://api.anthropic.com/v1/messages",
    "gemini-generate": "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse",
    "bedrock-converse": "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse-stream",
}

WIRES: tuple[NativeWireName, ...] = tuple(URLS)
"""Those of which small recordings are judged."""


def recorded(name: NativeWireName, body: bytes | None, **changed: Any) -> RecordedExchange:
    """One exchange of a wire. ``changed`` are members of ``Recorded``."""
    members: dict[str, Any] = {
        "file": f"someone/{name}.yaml",
        "index": 0,
        "provider": "someone",
        "api": name,
        "fidelity": "wire",
        "method": "POST",
        "url": URLS[name],
        "request": None,
        "status": 200,
        "headers": {},
        "response": body,
    }
    return RecordedExchange(**members | changed)


def spoken(name: NativeWireName, turn: Turn, *, stream: bool = True) -> RecordedExchange:
    """An exchange in which the provider says ``turn``."""
    body = {"stream_options": {"include_usage": True}}
    conversation = Conversation(name, "model", stream, (), body=body)
    return recorded(name, wire(name).render(turn, Identity("recorded"), conversation).body)


@cache
def replay() -> Replay:
    """Shared by the tests of one module, which closes it: SDK clients cost more than what they read here."""
    return Replay()


async def judged(
    exchanges: Iterable[RecordedExchange], *, recut: bool = True
) -> list[RecordedComparison[ReadExchange]]:
    judge = Judge(replay(), recut=recut)
    return [await judge.judge(exchange) for exchange in exchanges]


def detail(found: RecordedComparison[ReadExchange]) -> str:
    """The first difference, or the name of the reason for which nothing was compared."""
    return found.obstacle.name if found.obstacle else "".join(map(str, found.differences[:1]))


# --- a corpus on disk ---------------------------------------------------------------------------------------


def line(exchange: RecordedExchange) -> dict[str, Any]:
    """The exchange as a line of a corpus has it."""
    request, body = (text and {"text": text.decode()} for text in (exchange.request, exchange.response))
    return {
        "file": exchange.file,
        "index": exchange.index,
        "provider": exchange.provider,
        "api": exchange.api,
        "fidelity": exchange.fidelity,
        "request": {"method": exchange.method, "url": exchange.url, "headers": {}, "body": request},
        "response": {"status": exchange.status, "headers": dict(exchange.headers), "body": body},
    }


def write_corpus(folder: Path, *exchanges: RecordedExchange) -> Path:
    folder.mkdir(exist_ok=True)
    lines = (json.dumps(line(exchange)) + "\n" for exchange in exchanges)
    (folder / "exchanges.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


# --- broken sessions ----------------------------------------------------------------------------------------

Spoil = Callable[[ProviderTurn], ProviderTurn]


class Spoiled:
    """A session whose turn is changed before it is handed out, or whose deltas are not told."""

    def __init__(self, session: Any, spoil: Spoil, *, silent: bool) -> None:
        self._session = session
        self._spoil = spoil
        self._silent = silent

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        async def nobody(delta: Any) -> None:
            pass

        return self._spoil(await self._session.stream_turn(nobody if self._silent else on_event))


def spoiling(open_session: Callable[..., Any], spoil: Spoil, *, silent: bool = False) -> Callable[..., Any]:
    """``Clients.open_session``, with every session spoiled."""

    def opened(clients: Any, name: NativeWireName, config: SessionConfig) -> Spoiled:
        return Spoiled(open_session(clients, name, config), spoil, silent=silent)

    return opened
