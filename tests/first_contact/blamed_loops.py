"""Loops that are right, each in a way for which the harness once blamed loops. They import nothing of it.

One small loop for each wire asks for whole documents over plain HTTP. What a loop does otherwise is its *habit*: a
function that is given the model's turn and the results of its calls, and returns what of them goes back.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import httpx2
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI

Json = dict[str, Any]


@dataclass
class Turn:
    """A turn of the model on its way back: its entries of the history, its calls, and the entries of their results.

    A call is (id, name, JSON text of its arguments).
    """

    wire: str
    entries: list[Json]
    calls: list[tuple[str, str, str]]
    results: list[Json] = field(default_factory=list)


Habit = Callable[[Turn], Turn]
"""What becomes of a turn before it goes back."""


class BrokenStream(Exception):
    """The stream ended before the turn did."""


class Loop:
    """A loop with a habit. ``settings`` are further members of every request."""

    limit = 6

    def __init__(self, case: Any, habit: Habit | None = None, **settings: Any) -> None:
        self.case, self.habit, self.settings = case, habit, settings
        self.tools = {tool.name: tool for tool in case.callables}
        self.system = "\n".join(text for role, text in case.prompt if role == "system")
        self.history = [self.said(text) for role, text in case.prompt if role == "user"]

    async def run(self) -> str:
        for _ in range(self.limit):
            try:
                turn, text, stopped = await self.ask()
            except BrokenStream:
                continue
            if stopped or not turn.calls:
                return text
            await self.go_on(turn)
        raise RuntimeError(f"not done within {self.limit} turns")

    async def ask(self) -> tuple[Turn, str, bool]:
        async with httpx2.AsyncClient(base_url=self.case.base_url, timeout=30) as client:
            response = await client.post(self.path(), json=self.body(), headers=self.headers())
        if response.status_code >= 400:
            raise RuntimeError(response.text)
        return self.read(response.json())

    async def go_on(self, turn: Turn) -> None:
        """Run the calls of a turn, and put it with their results into the history, as far as the habit has it so."""
        if self.habit is drops_broken_turns and not all(_is_object(arguments) for _, _, arguments in turn.calls):
            return
        turn.results = [self.result(call, await self.output(call)) for call in turn.calls]
        if self.wire == "gemini-generate":
            turn.results = [{"role": "user", "parts": turn.results}]
        elif self.wire == "anthropic-messages":
            turn.results = [{"role": "user", "content": turn.results}]
        kept = self.habit(turn) if self.habit else turn
        self.history += [*kept.entries, *kept.results]

    async def output(self, call: tuple[str, str, str]) -> Any:
        id, name, arguments = call
        if name not in self.tools or not _is_object(arguments):
            return {"error": f"cannot run {name} with {arguments}"}
        try:
            return await self.tools[name](json.loads(arguments or "{}"), id=id or None)
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is for the model
            return {"error": str(error)}

    # --- what a wire has of its own ---------------------------------------------------------------------------

    wire = ""

    def path(self) -> str:
        raise NotImplementedError

    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.case.api_key}"}

    def body(self) -> Json:
        raise NotImplementedError

    def said(self, text: str) -> Json:
        return {"role": "user", "content": text}

    def read(self, document: Json) -> tuple[Turn, str, bool]:
        """The turn, its text, and whether the model was stopped."""
        raise NotImplementedError

    def result(self, call: tuple[str, str, str], output: Any) -> Json:
        raise NotImplementedError

    def declared(self) -> list[Json]:
        return [
            {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
            for tool in self.tools.values()
        ]


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments or "{}"), dict)
    except ValueError:
        return False


class Chat(Loop):
    wire = "openai-chat"

    def path(self) -> str:
        return "/v1/chat/completions"

    def body(self) -> Json:
        system = [{"role": "system", "content": self.system}] if self.system else []
        tools = {"tools": [{"type": "function", "function": tool} for tool in self.declared()]} if self.tools else {}
        return {"model": self.case.model, "messages": [*system, *self.history], **tools, **self.settings}

    def read(self, document: Json) -> tuple[Turn, str, bool]:
        choice = document["choices"][0]
        message = {name: value for name, value in choice["message"].items() if value is not None}
        calls = [
            (call.get("id") or "", call["function"]["name"], call["function"]["arguments"])
            for call in message.get("tool_calls") or ()
        ]
        stopped = choice["finish_reason"] in ("length", "content_filter")
        return Turn(self.wire, [message], calls), message.get("content") or "", stopped

    def result(self, call: tuple[str, str, str], output: Any) -> Json:
        return {"role": "tool", "tool_call_id": call[0], "content": json.dumps(output)}


class Responses(Loop):
    wire = "openai-responses"

    def path(self) -> str:
        return "/v1/responses"

    def body(self) -> Json:
        tools = {"tools": [{"type": "function", "strict": False, **tool} for tool in self.declared()]}
        asked: Json = {"model": self.case.model, "input": self.history, "store": False, **self.settings}
        asked |= tools if self.tools else {}
        asked |= {"instructions": self.system} if self.system else {}
        return {**asked, "include": ["reasoning.encrypted_content"]}

    def read(self, document: Json) -> tuple[Turn, str, bool]:
        items = [{name: item[name] for name in item if name != "status"} for item in document["output"]]
        calls = [
            (item["call_id"], item["name"], item["arguments"]) for item in items if item["type"] == "function_call"
        ]
        parts = [part for item in items if item["type"] == "message" for part in item["content"]]
        text = "".join(part["text"] for part in parts if part["type"] == "output_text")
        return Turn(self.wire, items, calls), text, document["status"] != "completed"

    def result(self, call: tuple[str, str, str], output: Any) -> Json:
        return {"type": "function_call_output", "call_id": call[0], "output": json.dumps(output)}


class Messages(Loop):
    wire = "anthropic-messages"

    def path(self) -> str:
        return "/v1/messages"

    def headers(self) -> dict[str, str]:
        return {"x-api-key": self.case.api_key, "anthropic-version": "2023-06-01"}

    def body(self) -> Json:
        asked: Json = {"model": self.case.model, "max_tokens": 4000, "messages": self.history, **self.settings}
        asked |= {"system": self.system} if self.system else {}
        tools = [
            {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
            for tool in self.declared()
        ]
        return {**asked, "tools": tools} if tools else asked

    def read(self, document: Json) -> tuple[Turn, str, bool]:
        blocks = document["content"]
        calls = [
            (block["id"], block["name"], json.dumps(block["input"])) for block in blocks if block["type"] == "tool_use"
        ]
        text = "".join(block["text"] for block in blocks if block["type"] == "text")
        stopped = document["stop_reason"] in ("max_tokens", "refusal")
        return Turn(self.wire, [{"role": "assistant", "content": blocks}], calls), text, stopped

    def result(self, call: tuple[str, str, str], output: Any) -> Json:
        return {"type": "tool_result", "tool_use_id": call[0], "content": json.dumps(output)}


class Gemini(Loop):
    wire = "gemini-generate"

    def path(self) -> str:
        return f"/v1beta/models/{self.case.model}:generateContent"

    def headers(self) -> dict[str, str]:
        return {"x-goog-api-key": self.case.api_key}

    def said(self, text: str) -> Json:
        return {"role": "user", "parts": [{"text": text}]}

    def body(self) -> Json:
        asked: Json = {"contents": self.history, **self.settings}
        asked |= {"systemInstruction": {"parts": [{"text": self.system}]}} if self.system else {}
        tools = [
            {"name": tool["name"], "description": tool["description"], "parametersJsonSchema": tool["parameters"]}
            for tool in self.declared()
        ]
        return {**asked, "tools": [{"functionDeclarations": tools}]} if tools else asked

    def read(self, document: Json) -> tuple[Turn, str, bool]:
        candidate = document["candidates"][0]
        parts = candidate.get("content", {}).get("parts", [])
        calls = [
            (call.get("id") or "", call["name"], json.dumps(call.get("args") or {}))
            for part in parts
            if (call := part.get("functionCall"))
        ]
        text = "".join(part.get("text", "") for part in parts if not part.get("thought"))
        turn = Turn(self.wire, [{"role": "model", "parts": parts}], calls)
        return turn, text, candidate.get("finishReason", "STOP") != "STOP"

    def result(self, call: tuple[str, str, str], output: Any) -> Json:
        id, name, _ = call
        return {"functionResponse": {**({"id": id} if id else {}), "name": name, "response": {"output": output}}}


# --- the same with streams, on the official SDKs ----------------------------------------------------------------


class StreamedChat(Chat):
    is_trusting = False

    async def ask(self) -> tuple[Turn, str, bool]:
        message: Json = {"role": "assistant", "content": ""}
        calls: dict[int, Json] = {}
        reason = None
        async with AsyncOpenAI(base_url=f"{self.case.base_url}/v1", api_key=self.case.api_key) as client:
            async for chunk in await client.chat.completions.create(**self.body(), stream=True):
                for choice in chunk.choices:
                    reason = choice.finish_reason or reason
                    message["content"] += choice.delta.content or ""
                    for piece in choice.delta.tool_calls or ():
                        call = calls.setdefault(piece.index, {"type": "function", "function": {"arguments": ""}})
                        call |= {"id": piece.id} if piece.id else {}
                        if piece.function is not None:
                            call["function"] |= {"name": piece.function.name} if piece.function.name else {}
                            call["function"]["arguments"] += piece.function.arguments or ""
        if reason is None and not self.is_trusting:
            raise BrokenStream
        message["content"] = _with_whole_characters(message["content"])
        message |= {"tool_calls": list(calls.values())} if calls else {}
        return self.read({"choices": [{"message": message, "finish_reason": reason}]})


class TrustingChat(StreamedChat):
    """A bug: a stream without its end is taken for whole."""

    is_trusting = True


class StreamedMessages(Messages):
    async def ask(self) -> tuple[Turn, str, bool]:
        blocks: list[Json] = []
        pieces: list[str] = []
        reason = None
        async with AsyncAnthropic(base_url=self.case.base_url, api_key=self.case.api_key) as client:
            async for event in await client.messages.create(**self.body(), stream=True):
                if event.type == "content_block_start":
                    blocks.append(event.content_block.to_dict())
                    pieces.append("")
                elif event.type == "content_block_delta":
                    pieces[event.index] += getattr(event.delta, "text", "") or getattr(event.delta, "partial_json", "")
                elif event.type == "message_delta":
                    reason = event.delta.stop_reason
        if reason is None:
            raise BrokenStream
        for block, piece in zip(blocks, pieces, strict=True):
            if block["type"] == "text":
                block["text"] = _with_whole_characters(piece)
            elif _is_object(piece):
                block["input"] = json.loads(piece or "{}")
            else:
                block["input"] = piece  # no object: nothing runs on it, and it does not go back
        return self.read({"content": blocks, "stop_reason": reason})


def _with_whole_characters(text: str) -> str:
    """Some servers send the halves of a surrogate pair in two events."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16")


STREAMED: dict[str, type[Loop]] = {loop.wire: loop for loop in (StreamedChat, StreamedMessages)}
LOOPS: dict[str, type[Loop]] = {loop.wire: loop for loop in (Chat, Responses, Messages, Gemini)}


# --- habits ---------------------------------------------------------------------------------------------------


def answers_backwards(turn: Turn) -> Turn:
    """Results are sent as the tools end: here the last first."""
    _pieces(turn.results, turn.wire).reverse()
    return turn


def reads_first(turn: Turn) -> Turn:
    """Results of reading tools are sent before those of writing ones."""
    pieces = _pieces(turn.results, turn.wire)
    names = {id: name for id, name, _ in turn.calls}

    def is_writing(piece: Json) -> bool:
        answer = piece.get("functionResponse") or {"name": names[_id_of_result(piece)]}
        return bool(answer["name"] != "get_time")

    pieces.sort(key=is_writing)
    return turn


def says_text_first(turn: Turn) -> Turn:
    """A turn is kept as its text and its calls, as Chat has it."""
    parts = turn.entries if turn.wire == "openai-responses" else _pieces(turn.entries, turn.wire)
    parts.sort(key=_is_call)
    return turn


def has_own_ids(turn: Turn) -> Turn:
    """Every call has an id of the loop's own, and so has its result."""
    return _with_ids(turn, lambda number: f"own_{number:08}")


def leaves_ids_out(turn: Turn) -> Turn:
    """Gemini pairs calls and results by name and place then."""
    return _with_ids(turn, lambda _: "")


def sends_one_id_once(turn: Turn) -> Turn:
    """Of several calls with one id the first goes back, with the first result."""
    for entries, id_of in ((turn.entries, _id_of_call), (turn.results, _id_of_result)):
        pieces = _pieces(entries, turn.wire)
        ids = [id_of(piece) for piece in pieces]
        pieces[:] = [piece for at, piece in enumerate(pieces) if not ids[at] or ids[at] not in ids[:at]]
    return turn


def drops_broken_turns(turn: Turn) -> Turn:
    """A turn with arguments that are no JSON is left out and asked for again (``Loop.goes_on``)."""
    return turn


def keeps_both_ids_apart(turn: Turn) -> Turn:
    """Only calls whose id is missing or another's have one of the loop's own."""
    ids = [id for id, _, _ in turn.calls]
    odd = [not id or id in ids[:at] for at, id in enumerate(ids)]
    return _with_ids(turn, lambda number: f"own_{number:08}" if odd[number] else ids[number])


def _pieces(entries: list[Json], wire: str) -> list[Json]:
    """The calls, results and texts of a turn, in a list that may be changed."""
    member = {"anthropic-messages": "content", "gemini-generate": "parts", "openai-chat": "tool_calls"}.get(wire, "")
    pieces: list[Json] = entries[0].get(member, entries) if isinstance(entries[0].get(member), list) else entries
    return pieces


def _is_call(piece: Json) -> bool:
    return piece.get("type") in ("function_call", "tool_use", "function") or "functionCall" in piece


def _id_of_call(piece: Json) -> str:
    if "functionCall" in piece:
        return str(piece["functionCall"].get("id") or "")
    if not _is_call(piece):
        return ""
    return str(piece.get("call_id") or piece.get("id") or "")


def _id_of_result(piece: Json) -> str:
    if "functionResponse" in piece:
        return str(piece["functionResponse"].get("id") or "")
    return str(piece.get("tool_call_id") or piece.get("tool_use_id") or piece.get("call_id") or "")


_SERIAL = iter(range(10**8))


def _with_ids(turn: Turn, id_of: Callable[[int], str]) -> Turn:
    """The turn with other ids of its calls, by their number in it, and the same in their results."""
    turn = deepcopy(turn)
    start = next(_SERIAL) * 100
    new = [id_of(number) for number in range(len(turn.calls))]
    new = [f"{id[:-8]}{start + number:08}" if id.startswith("own_") else id for number, id in enumerate(new)]
    calls = [piece for piece in _pieces(turn.entries, turn.wire) if _is_call(piece)]
    for pieces in (calls, _pieces(turn.results, turn.wire)):
        for piece, id in zip(pieces, new, strict=True):
            _put_id(piece, id)
    return turn


def _put_id(piece: Json, id: str) -> None:
    if (inner := piece.get("functionCall") or piece.get("functionResponse")) is not None:
        inner.pop("id", None)
        inner.update({"id": id} if id else {})
        return
    member = next(name for name in ("tool_call_id", "tool_use_id", "call_id", "id") if name in piece)
    piece[member] = id


# --- habits that are wrong --------------------------------------------------------------------------------------


def drops_thinking(turn: Turn) -> Turn:
    """Thinking and signatures do not go back."""
    for piece in _pieces(turn.entries, turn.wire):
        piece.pop("thoughtSignature", None)
    for entry in turn.entries:
        entry.pop("reasoning_content", None)
        if isinstance(entry.get("content"), list):
            entry["content"] = [block for block in entry["content"] if "thinking" not in block["type"]]
        if "parts" in entry:
            entry["parts"] = [part for part in entry["parts"] if not part.get("thought")]
    turn.entries = [entry for entry in turn.entries if entry.get("type") != "reasoning"]
    for entry in turn.entries:
        if turn.wire == "openai-responses":
            entry.pop("id", None)  # it would be missed with the reasoning that produced it
    return turn


def forgets_a_result(turn: Turn) -> Turn:
    del _pieces(turn.results, turn.wire)[-1]
    return turn


def forgets_the_turn(turn: Turn) -> Turn:
    return Turn(turn.wire, [], [])


def says_text_last(turn: Turn) -> Turn:
    parts = turn.entries if turn.wire == "openai-responses" else _pieces(turn.entries, turn.wire)
    parts.sort(key=_is_call, reverse=True)
    return turn


def answers_a_repeated_id_with_nothing(turn: Turn) -> Turn:
    once = sends_one_id_once(turn)
    once.results = []
    return once


def has_own_ids_in_calls_only(turn: Turn) -> Turn:
    return Turn(turn.wire, has_own_ids(turn).entries, turn.calls, turn.results)


def leaves_ids_out_of_calls_only(turn: Turn) -> Turn:
    return Turn(turn.wire, leaves_ids_out(turn).entries, turn.calls, turn.results)


# --- the targets ----------------------------------------------------------------------------------------------


Drive = Callable[[Any], Awaitable[str]]


def _of(habit: Habit | None, loops: dict[str, type[Loop]] = LOOPS, **settings: Any) -> Drive:
    async def run(case: Any) -> str:
        return await loops[case.wire](case, habit, **settings).run()

    return run


plain = _of(None)
backwards = _of(answers_backwards)
reading_first = _of(reads_first)
text_first = _of(says_text_first)
own_ids = _of(has_own_ids)
own_ids_and_thinking = _of(has_own_ids, thinking={"type": "enabled", "budget_tokens": 2000})
ids_left_out = _of(leaves_ids_out)
one_id_once = _of(sends_one_id_once)
odd_ids_replaced = _of(keeps_both_ids_apart)
broken_turns_dropped = _of(drops_broken_turns)
broken_streams_asked_again = _of(drops_broken_turns, STREAMED)
streamed = _of(None, STREAMED)
of_codex = _of(None, client_metadata={"session_id": "s-1", "turn_id": "t-1"})
of_claude_code = _of(
    None,
    thinking={"type": "enabled", "budget_tokens": 2000},
    metadata={"user_id": "u"},
    context_management={"edits": []},
)

# --- the targets that are wrong ---------------------------------------------------------------------------------

of_nobody = _of(None, max_tokens=100)
trusting = _of(None, {Chat.wire: TrustingChat})
forgets = _of(forgets_a_result)
leaves_turns_out = _of(forgets_the_turn)
text_last = _of(says_text_last)
one_id_never_answered = _of(answers_a_repeated_id_with_nothing)
own_ids_in_calls_only = _of(has_own_ids_in_calls_only)
ids_left_out_of_calls = _of(leaves_ids_out_of_calls_only)
thoughtless = _of(drops_thinking)
thoughtless_on_claude = _of(drops_thinking, thinking={"type": "enabled", "budget_tokens": 2000})
thoughtless_on_gpt = _of(drops_thinking, model="gpt-4.1")
