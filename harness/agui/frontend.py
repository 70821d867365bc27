"""What the user's program knows about a conversation, and what it sends to go on with it (``RunAgentInput``).

The program keeps the history, not the agent: it makes messages from the events, and sends them all with each run.
So whatever an agent loses on the way to its user is lost for good.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from harness.agui.reader import ReadEvent
from harness.trace import JsonValue

Message = dict[str, Any]


class Frontend:
    """The messages of one conversation. ``case`` is part of the ids, so no other conversation has them."""

    def __init__(self, case: str, messages: Sequence[Message] = ()) -> None:
        self.thread = case
        self.messages: list[Message] = [*messages]

    def say(self, role: str, text: str) -> None:
        """Add what the prompt, or the user, says."""
        self._add({"id": f"{self.thread}-{len(self.messages) + 1}", "role": role, "content": text})

    def answer(self, call: str, content: str, *, failed: bool) -> None:
        """Add the result of a call that the program itself has answered."""
        beside = {"error": content} if failed else {}
        self._add_result({"id": f"result-{call}", "role": "tool", "toolCallId": call, "content": content, **beside})

    def run_input(self, tools: Sequence[Mapping[str, JsonValue]], forwarded: Mapping[str, JsonValue]) -> bytes:
        """The body of the request for the next run."""
        body = {
            "threadId": self.thread,
            "runId": f"{self.thread}-run-{len(self.messages)}",
            "state": {},
            "messages": self.messages,
            "tools": [*tools],
            "context": [],
            "forwardedProps": dict(forwarded),
        }
        return json.dumps(body).encode("ascii")

    def call(self, id: str) -> tuple[str, str]:
        """The name and the arguments of a call; two empty texts if there is no such call."""
        for message in reversed(self.messages):
            for each in _calls(message):
                if each["id"] == id:
                    return each["function"]["name"], each["function"]["arguments"]
        return "", ""

    def take(self, read: ReadEvent) -> None:
        """Change the messages as an event says."""
        id, members = read.record.id, read.members
        match read.record.type:
            case "TEXT_MESSAGE_START":
                self._message(id, members.get("role") or "assistant")
            case "TEXT_MESSAGE_CONTENT":
                message = self._message(id, "assistant")
                message["content"] = message.get("content", "") + members["delta"]
            case "TOOL_CALL_START":
                parent = self._message(members.get("parentMessageId") or id, "assistant")
                function = {"name": members["toolCallName"], "arguments": ""}
                parent.setdefault("toolCalls", []).append({"id": id, "type": "function", "function": function})
            case "TOOL_CALL_ARGS":
                self._append_arguments(id, members["delta"])
            case "TOOL_CALL_RESULT":
                role = members.get("role") or "tool"
                message = {"id": members["messageId"], "role": role, "toolCallId": id, "content": members["content"]}
                self._add_result(message)
            case "REASONING_MESSAGE_START":
                self._message(id, "reasoning")
            case "REASONING_MESSAGE_CONTENT":
                message = self._message(id, "reasoning")
                message["content"] = message.get("content", "") + members["delta"]
            case "REASONING_ENCRYPTED_VALUE":
                self._keep_value(id, members)
            case "MESSAGES_SNAPSHOT":
                self.messages = [each for each in members["messages"] if isinstance(each, dict)]

    def _message(self, id: str, role: str) -> Message:
        """The message with this id, or a new one."""
        for message in reversed(self.messages):
            if message["id"] == id:
                return message
        return self._add({"id": id, "role": role, **({} if role == "assistant" else {"content": ""})})

    def _append_arguments(self, id: str, delta: str) -> None:
        for message in reversed(self.messages):
            for each in _calls(message):
                if each["id"] == id:
                    each["function"]["arguments"] += delta
                    return

    def _keep_value(self, id: str, members: Mapping[str, Any]) -> None:
        """Keep a value that only the provider can read, with its message or call."""
        value = members["encryptedValue"]
        for message in self.messages:
            if members["subtype"] == "message" and message["id"] == id:
                message["encryptedValue"] = value
            for each in _calls(message) if members["subtype"] == "tool-call" else ():
                if each["id"] == id:
                    each["encryptedValue"] = value

    def _add_result(self, message: Message) -> None:
        """Add a result behind the message with its call and the results that are there already."""
        id = message["toolCallId"]
        calling = (at for at, each in enumerate(self.messages) if any(call["id"] == id for call in _calls(each)))
        at = next(calling, len(self.messages) - 1) + 1
        while at < len(self.messages) and self.messages[at]["role"] == "tool":
            at += 1
        self.messages.insert(at, message)

    def _add(self, message: Message) -> Message:
        self.messages.append(message)
        return message


def _calls(message: Message) -> Sequence[Message]:
    calls: Sequence[Message] = message.get("toolCalls") or ()
    return calls
