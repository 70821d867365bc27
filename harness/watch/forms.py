"""The forms in which a run goes over the socket: the harness's own, or the form that a product's front end reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from harness.finding import Finding
from harness.runner.execute import Finished
from harness.runner.plan import PlannedCase
from harness.trace import Assistant, Event, Failure, Final, SetCode, Thinking, ToolResult, ToolStart
from harness.watch.messages import Message, case_message, event_message, result_message


class MessageForm(Protocol):
    """The messages of a run: at its beginning, for each event, and at its end."""

    def first(self, item: PlannedCase) -> Iterator[Message]:
        """The messages before the run."""

    def event(self, event: Event) -> Iterator[Message]:
        """The messages for an event."""

    def last(self, finished: Finished, severity: Callable[[Finding], str]) -> Iterator[Message]:
        """The messages after the run, when it has been judged."""


class _Harness:
    """The case, every event, the verdict with its findings (``harness.watch.messages``)."""

    def first(self, item: PlannedCase) -> Iterator[Message]:
        yield case_message(item)

    def event(self, event: Event) -> Iterator[Message]:
        yield event_message(event)

    def last(self, finished: Finished, severity: Callable[[Finding], str]) -> Iterator[Message]:
        yield result_message(finished, severity)


class _ScreenshotToCode:
    """The messages of "Agent Tool-Calling Flow", section "Response Streaming to Frontend", of one variant.

    Each has its kind as ``type``; the text, or the whole code so far, as ``value``; the facts of a tool as ``data``.
    The document names five kinds. The others come from its program: they say how many variants there are, and how each
    has ended, and its front end waits for them. The form has no verdict, so none is sent.
    """

    def first(self, item: PlannedCase) -> Iterator[Message]:  # noqa: ARG002 - it does not say what is run
        yield {"type": "variantCount", "value": "1"}

    def event(self, event: Event) -> Iterator[Message]:
        match event:
            case Assistant(text, id):
                yield _message("assistant", value=text, eventId=id)
            case Thinking(text, id):
                yield _message("thinking", value=text, eventId=id)
            case ToolStart(id, name, shown):
                yield _message("toolStart", data={"name": name, "input": shown}, eventId=id)
            case ToolResult(id, name, output, ok):
                yield _message("toolResult", data={"name": name, "output": output, "ok": ok}, eventId=id)
            case SetCode(code):
                yield _message("setCode", value=code)
            case Final(code):
                if code:
                    yield _message("setCode", value=code)
                yield _message("variantComplete", value="Variant generation complete")
            case Failure(_, message):
                yield _message("variantError", value=message)

    def last(self, finished: Finished, severity: Callable[[Finding], str]) -> Iterator[Message]:  # noqa: ARG002
        if finished.result.error:
            yield _message("variantError", value=finished.result.error)


def _message(kind: str, **members: object) -> Message:
    return {"type": kind, "variantIndex": 0, **members}


HARNESS: MessageForm = _Harness()

FORMS: Mapping[str, MessageForm] = {"harness": HARNESS, "screenshot-to-code": _ScreenshotToCode()}
"""The forms by their names."""
