"""What a loop needs of a wire: requests from its history, answers read, results written. One class for each wire.

A speaker is plain HTTP and JSON; of the harness it uses the case alone. Where two right clients of the wire differ,
it asks its style.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import httpx2

from harness.targets import CaseRun
from harness.wire import WireName
from harness_lab.freedoms.style import Style

Json = dict[str, Any]

Ended = Literal["whole", "cut", "refused", "paused"]
"""``cut``: at the token limit. ``refused``: by the model or a filter. ``paused``: it goes on when it is sent back."""


class Broken(Exception):
    """The answer is no whole turn: its stream ended before it, or has an error in it."""


@dataclass
class Call:
    """A call of the model's. ``arguments`` is their JSON text, which may be no JSON; ``native`` the object of the entry
    that it was read from: ``Speaker.rename`` changes the id there, too. ``issued`` is the id that it came with."""

    id: str | None
    name: str
    arguments: str
    native: Json
    issued: str = ""

    def __post_init__(self) -> None:
        self.issued = self.id or ""


@dataclass
class Answer:
    """A turn of the model: ``entries`` as they go back into the history, and what a loop must know of it."""

    entries: list[Json]
    calls: list[Call] = field(default_factory=list)
    text: str = ""
    thinking: str = ""
    ended: Ended = "whole"
    name: str = ""
    """The id of a response that is stored at the provider; empty where the wire has none."""


@dataclass
class Output:
    """What came of a call: what the tool returned, or else, with ``failed``, what went wrong, in words."""

    call: Call
    value: Any
    failed: bool = False


@dataclass
class Tool:
    """A tool as the model is offered it."""

    name: str
    description: str
    parameters: Json


class Speaker(ABC):
    """One wire, in one style. ``tools`` are offered as the style has them; ``system`` is the whole system prompt."""

    wire: ClassVar[WireName]
    ids_come_back: ClassVar[bool] = False
    """Whether the id of an earlier turn's call may come again, and go back, for a call of its own."""
    ids_needed: ClassVar[bool] = True
    """Whether each call must have an id; else name and place pair a result with it."""
    models: ClassVar[str] = ""
    """The path that lists the models; empty where that is another host's."""
    words_after_results: ClassVar[str] = "Go on with these results."

    def __init__(self, case: CaseRun, style: Style, tools: Sequence[Tool], system: str) -> None:
        self.case, self.style, self.tools, self.system = case, style, list(tools), system

    # --- requests -----------------------------------------------------------------------------------------------

    @abstractmethod
    def path(self, *, stream: bool) -> str:
        """The path of a request, which begins with a slash."""

    @abstractmethod
    def headers(self) -> dict[str, str]:
        """The headers that the wire wants: the key, a version."""

    @abstractmethod
    def body(self, history: Sequence[Json], *, stream: bool) -> Json:
        """A request for the next turn: model, system prompt, tools, ``history``, and what the style adds."""

    @abstractmethod
    def side(self, text: str) -> Json:
        """A small request of its own, without tools and not streamed: a title, a summary."""

    def counting(self, body: Json) -> tuple[str, Json] | None:  # noqa: ARG002 - most wires count nothing
        """The path and the body of a request that has the tokens of ``body`` counted; None where the wire has none."""
        return None

    @abstractmethod
    def user(self, text: str) -> list[Json]:
        """What the user says, as entries of the history."""

    @abstractmethod
    def results(self, outputs: Sequence[Output]) -> list[Json]:
        """The results of all calls of a turn, as entries of the history, in the order given."""

    # --- answers ------------------------------------------------------------------------------------------------

    @abstractmethod
    def read(self, document: Json) -> Answer:
        """A whole answer. Raises ``Broken`` for one that says that it has failed."""

    @abstractmethod
    def joined(self, events: Sequence[Json]) -> Json:
        """The events of a whole stream as the document that ``read`` takes. Raises ``Broken`` where the last one of a
        turn is missing, or one of them is an error."""

    @abstractmethod
    def piece(self, event: Json) -> tuple[str, str]:
        """The text and the thinking that an event adds; mostly one of them is empty, and often both."""

    async def events(self, response: httpx2.Response) -> AsyncIterator[Json]:
        """The events of a stream as they come: server-sent events here. Only line feeds end a line."""
        rest = b""
        async for piece in response.aiter_bytes():
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                data = line[5:].strip() if line.startswith(b"data:") else b""
                if data == b"[DONE]":
                    return
                if data:
                    yield json.loads(data)

    @abstractmethod
    def rename(self, call: Call, id: str) -> None:
        """Give a call another id, in the entry that it was read from, too."""

    def words_of(self, output: Output) -> str:
        """What came of a call, as a text for the model."""
        if output.failed:
            failed = {"error": output.value}
            return json.dumps(failed) if self.style.takes("error", "json") else f"Error: {output.value}"
        match self.style["result"]:
            case "wrapped":
                return json.dumps({"output": output.value})
            case "indented":
                return json.dumps(output.value, indent=2, ensure_ascii=False)
            case "plain" if isinstance(output.value, str):
                return output.value or ("(no output)" if self.style.takes("empty-result", "own-words") else "")
            case _:
                return json.dumps(output.value, ensure_ascii=False)

    def object_input(self, arguments: str) -> Json:
        """The input of a call as it goes back where it must be an object, whatever the model has written."""
        read = as_arguments(arguments)
        if read is not None:
            return read
        return {"INVALID_JSON": arguments} if self.style.takes("bad-input", "wrapped") else {}

    def cut_off(self, answer: Answer) -> list[Json]:
        """The entries of a turn that was cut in a call, as they may go back with a result for each of its calls."""
        return answer.entries

    def went_on(self, answer: Answer, history: Sequence[Json]) -> None:  # noqa: B027 - a wire may not mind
        """The loop goes on from this answer: its entries are the last of ``history`` now, before their results."""


def as_arguments(text: str) -> Json | None:
    """The arguments of a call; None where they are no JSON object. No text at all is an empty one."""
    try:
        read = json.loads(text or "{}")
    except ValueError:
        return None
    return read if isinstance(read, dict) else None


def joined_halves(text: str) -> str:
    """Some servers cut a text between the halves of a surrogate pair."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def without(entry: Mapping[str, Any], *names: str) -> Json:
    """A copy of the entry without these members."""
    return {name: value for name, value in entry.items() if name not in names}
