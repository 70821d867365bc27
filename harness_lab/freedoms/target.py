"""A generated loop as a target: its requests reach the endpoint within this process, without a socket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import httpx2

from harness.endpoint import Endpoints
from harness.endpoint.transport import EndpointTransport
from harness.targets import CaseRun, Declaration
from harness.targets.base import Isolation
from harness.targets.declaration import Capability
from harness.targets.raised import failure_of
from harness.trace import Event, Failure, Final
from harness.wire import WireName
from harness_lab.freedoms.loop import Loop, offered
from harness_lab.freedoms.speakers import SPEAKERS
from harness_lab.freedoms.style import Style


@dataclass(frozen=True)
class GeneratedTarget:
    """Loops in one style on one wire. ``touched`` are, by the case, the freedoms that the loop was asked for in it.

    ``isolation`` says that its capabilities are what it is judged by, as any third-party loop is. ``make`` builds the
    loop: a fault is a function that returns another one.
    """

    wire: WireName
    chosen: Mapping[str, str]
    endpoints: Endpoints
    make: type[Loop] = Loop
    name: str = "generated"
    isolation: Isolation = "worker"
    touched: dict[str, set[tuple[str, str]]] = field(default_factory=dict)

    @property
    def declaration(self) -> Declaration:
        """What the style can do: a loop that never asks for a stream is judged as one that does not."""
        able: set[Capability] = {"streaming", "non-streaming", "thinking", "parallel", "retry", "limit", "server-tools"}
        able -= {"streaming"} if self.chosen.get("delivery") == "whole" else set()
        able -= {"non-streaming"} if self.chosen.get("delivery") == "streamed" else set()
        able -= {"retry"} if self.chosen.get("retries") == "none" else set()
        if self.chosen.get("at-limit") == "own-words-completed":  # it does not say that a limit has ended it
            able -= {"limit"}
        return Declaration(frozenset({self.wire}), capabilities=frozenset(able))

    async def run(self, case_run: CaseRun) -> None:
        """Run the loop once; what it raises or returns is its end, as of any function in Python."""
        style, ended = Style(self.chosen), [False]

        def emit(event: Event) -> None:
            ended[0] = ended[0] or isinstance(event, Failure | Final)
            case_run.emit(event)

        case = replace(case_run, emit=emit)
        dated = ["Today is Sunday, 29 November 2026."] if style.takes("system-words", "dated") else []
        system = "\n\n".join([*(text for role, text in case.prompt if role == "system"), *dated])
        try:
            async with httpx2.AsyncClient(
                transport=EndpointTransport(self.endpoints), base_url=case.base_url, timeout=None
            ) as client:
                speaker = SPEAKERS[self.wire](case, style, offered(case, style), system)
                text = await self.make(case, client, speaker, style).run()
        except Exception as error:  # noqa: BLE001 - how a loop says that it has failed
            case_run.emit(failure_of(error))
        else:
            if not ended[0]:
                case_run.emit(Final("", text=text))
        finally:
            self.touched.setdefault(case_run.case, set()).update(style.touched)

    async def close(self) -> None:
        """Nothing is open."""
