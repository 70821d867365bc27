"""Small correct traces on every wire, made by a loop that is too plain to be wrong, and ways to break them.

The loop reads what has arrived by parsing each beginning of the response anew: slow, and independent of how the
rules read arrivals.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

from harness.rules.contracts import contract_of
from harness.trace import (
    Assistant,
    Case,
    Event,
    EventRecord,
    Failure,
    Final,
    Record,
    RequestRecord,
    ResponseRecord,
    SetCode,
    Thinking,
    ToolResult,
    ToolStart,
    Trace,
    TurnStart,
)
from harness.wire import (
    Call,
    FinishReason,
    Identity,
    IssuedState,
    Refusal,
    Reply,
    Text,
    ThinkingPart,
    Turn,
    WireName,
    wire,
)
from harness.wire.turn import Part
from harness_lab.mutants.traces.draft import places

PAGE = '<!DOCTYPE html>\n<html lang="de">\n<body>\n<h1>Bäckerei \\ "Öffnung"</h1>\n<p>🥐 & 🥖</p>\n</body>\n</html>'
EDITED = PAGE.replace("Bäckerei", "Konditorei")

PATHS = {
    "openai-responses": "/v1/responses",
    "openai-chat": "/v1/chat/completions",
    "text-tags": "/v1/chat/completions",
    "anthropic-messages": "/v1/messages",
    "gemini-generate": "/v1beta/models/gemini-3-pro-preview:streamGenerateContent?alt=sse",
}
MODELS = {
    "openai-responses": "gpt-5.2",
    "openai-chat": "gpt-5.2",
    "text-tags": "qwen3",
    "anthropic-messages": "claude-sonnet-4-6",
    "gemini-generate": "gemini-3-pro-preview",
}
SYSTEM, USER = "You build web pages.", "Build a page for a bakery."
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}
TOOLS = ("create_file", "edit_file", "list_files")


def call(name: str, *, id: str | None = None, **arguments: Any) -> Call:
    return Call(name, json.dumps(arguments), id)


CREATE = call("create_file", path="index.html", content=PAGE)
EDIT = call("edit_file", old_text="Bäckerei", new_text="Konditorei")
LIST = call("list_files", path=".")

SCRIPT = (
    Turn((ThinkingPart("A small page first."), Text("Creating the page."), CREATE), FinishReason.TOOL_CALLS),
    Turn((Text("Two more."), EDIT, LIST), FinishReason.TOOL_CALLS),
    Turn((ThinkingPart("All there."), Text("Done.")), FinishReason.END),
)
"""A page is made and edited; two calls in one turn; then the model stops."""


# --- requests, one writer per wire --------------------------------------------------------------------------


def first_request(name: WireName) -> dict[str, Any]:
    described = [{"name": tool, "description": f"{tool}.", "parameters": SCHEMA} for tool in TOOLS]
    chat = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}]
    base = {"model": MODELS[name], "stream": True}
    match name:
        case "openai-responses":
            return {**base, "input": chat, "tools": [{"type": "function", **tool} for tool in described]}
        case "text-tags":
            return {**base, "messages": chat}
        case "openai-chat":
            return {**base, "messages": chat, "tools": [{"type": "function", "function": tool} for tool in described]}
        case "anthropic-messages":
            tools = [
                {"name": tool["name"], "description": tool["description"], "input_schema": SCHEMA} for tool in described
            ]
            return {**base, "max_tokens": 5000, "system": SYSTEM, "messages": chat[1:], "tools": tools}
        case "gemini-generate":
            return {
                "contents": [{"role": "user", "parts": [{"text": USER}]}],
                "systemInstruction": {"parts": [{"text": SYSTEM}]},
                "tools": [{"functionDeclarations": described}],
            }


def next_request(name: WireName, body: dict[str, Any], reply: Reply, results: Sequence[tuple[Call, str, bool]]) -> Any:
    """``body`` with the model's turn as it came and the results (call, output, ok)."""
    items = list(reply.items)
    match name:
        case "openai-responses":
            echoed = [{key: item[key] for key in item if key != "status"} for item in items]
            outputs = [
                {"type": "function_call_output", "call_id": call.id, "output": output} for call, output, _ in results
            ]
            return {**body, "input": [*body["input"], *echoed, *outputs]}
        case "text-tags":
            told = "\n\n".join(["Tool results:", *[f"[{call.name}] {output}" for call, output, _ in results]])
            answers = [{"role": "user", "content": told}] if results else []
            return {**body, "messages": [*body["messages"], *items, *answers]}
        case "openai-chat":
            outputs = [{"role": "tool", "tool_call_id": call.id, "content": output} for call, output, _ in results]
            return {**body, "messages": [*body["messages"], *items, *outputs]}
        case "anthropic-messages":
            outputs = [
                {"type": "tool_result", "tool_use_id": call.id, "content": output, "is_error": not ok}
                for call, output, ok in results
            ]
            said = [item for item in items if item["type"] != "text" or item["text"].strip()]
            answers = [{"role": "user", "content": outputs}] if outputs else []
            return {**body, "messages": [*body["messages"], {"role": "assistant", "content": said}, *answers]}
        case "gemini-generate":
            outputs = [
                {"functionResponse": {**_id(call), "name": call.name, "response": {"output": output}}}
                for call, output, _ in results
            ]
            added = [{"role": "model", "parts": items}, {"role": "user", "parts": outputs}]
            return {**body, "contents": [*body["contents"], *added]}


def with_user_text(name: WireName, body: dict[str, Any], text: str) -> Any:
    """``body`` with a message of the user at its end."""
    if name == "gemini-generate":
        return {**body, "contents": [*body["contents"], {"role": "user", "parts": [{"text": text}]}]}
    history = "input" if name == "openai-responses" else "messages"
    return {**body, history: [*body[history], {"role": "user", "content": text}]}


def _id(call: Call) -> dict[str, str]:
    return {"id": call.id} if call.id else {}


_OUTCOMES = {
    FinishReason.MAX_TOKENS: "truncated",
    FinishReason.REFUSAL: "refused",
    FinishReason.CONTENT_FILTER: "refused",
}


# --- the plain loop -----------------------------------------------------------------------------------------


@dataclass
class Loop:
    """Plays a script and writes down what a correct loop would tell."""

    name: WireName
    case: Case
    records: list[Record] = field(default_factory=list)
    exchange: int | None = None
    offset: int = 0
    code: str = ""
    invented: int = 0

    def tell(self, *events: Event) -> None:
        self.records.extend(EventRecord(event, self.exchange, self.offset) for event in events)

    def play(self, script: Sequence[Turn]) -> Trace:
        identity, sent, body = Identity(self.case.id), IssuedState(), first_request(self.name)
        contract = contract_of(self.case.profile)
        limit, failing = self.case.turn_limit, 0
        for number, turn in enumerate(script, 1):
            self.tell(TurnStart(number))
            reply = self.ask(body, turn, identity, sent, number)
            if not reply.complete or reply.turn.error is not None:
                self.tell(Failure("stream", "the stream broke"))
                break
            declined = any(isinstance(part, Refusal) for part in reply.turn.parts)
            outcome = "refused" if declined else _OUTCOMES.get(reply.turn.stop)
            if outcome is None and limit is not None:
                stops = number == limit and contract.at_limit == "stop" and bool(reply.turn.calls)
                outcome = "turn-limit" if stops or number > limit else None
            if reply.turn.stop is not FinishReason.PAUSE and (outcome or not reply.turn.calls):
                self.tell(Final(self.code, outcome or "completed", reply.turn.text))
                break
            results = self.run_all(reply.turn.calls)
            if any(ok and self.case.kinds.get(call.name) == "output" for call, _, ok in results):
                self.tell(Final(self.code, "completed", reply.turn.text))
                break
            failing = 0 if all(ok for _, _, ok in results) else failing + 1
            if contract.tool_retries is not None and failing > contract.tool_retries:
                self.tell(Failure("tool-retries", f"failed in {failing} turns running"))
                break
            body = next_request(self.name, body, reply, results)
            if number == limit and contract.at_limit == "answer-now":
                body = with_user_text(self.name, body, "Answer now.")
            elif number == limit:
                self.tell(Failure("turn-limit", f"not finished within {number} turns"))
                break
        return Trace(self.case, tuple(self.records))

    def run_all(self, calls: Sequence[Call]) -> list[tuple[Call, str, bool]]:
        """Run the calls in order; where some have to wait for somebody, they run when the run is resumed."""
        waiting = [call for call in calls if self.case.kinds.get(call.name) in ("external", "unapproved")]
        results = {id(call): self.run(call) for call in calls if call not in waiting}
        for call in waiting:
            assert call.id
            self.tell(ToolStart(call.id, call.name))
        if waiting:
            self.tell(Final(self.code, "deferred"))
        results |= {id(call): self.run(call) for call in waiting}
        return [results[id(call)] for call in calls]

    def ask(self, body: Any, turn: Turn, identity: Identity, sent: IssuedState, number: int) -> Reply:
        speaker = wire(self.name)
        self.exchange = 0 if self.exchange is None else self.exchange + 1
        self.offset = 0
        raw = json.dumps(body).encode()
        self.records.append(RequestRecord(self.exchange, "POST", PATHS[self.name], {}, raw))
        route = speaker.route("POST", PATHS[self.name])
        assert route is not None
        conversation = speaker.read(route, raw)
        rendered = speaker.render(turn, identity, conversation)
        self.listen(rendered.content_type, rendered.frames, number)
        headers = {"content-type": rendered.content_type}
        self.records.append(ResponseRecord(self.exchange, 200, headers, rendered.body))
        sent.add(conversation, rendered.reply)
        return rendered.reply

    def listen(self, content_type: str, frames: Sequence[bytes], number: int) -> None:
        """Tell what each frame adds to the ones before it."""
        heard: dict[Any, str] = {}
        for offset, parts in _arriving(self.name, content_type, tuple(frames)):
            self.offset = offset
            if parts is None:
                continue
            self._hear(Assistant, "assistant", number, "".join([p.text for p in parts if isinstance(p, Text)]), heard)
            thought = "".join([part.text for part in parts if isinstance(part, ThinkingPart)])
            self._hear(Thinking, "thinking", number, thought, heard)
            for made in parts:
                if isinstance(made, Call) and made.name == "create_file" and made.id:
                    self._preview(made, heard)

    def _hear(self, kind: Any, word: str, number: int, text: str, heard: dict[Any, str]) -> None:
        before = heard.get(kind, "")
        if "\ud800" <= text[-1:] < "\udc00":
            text = text[:-1]  # its other half has not arrived
        if self.name == "text-tags" and "<" in text and ">" not in text[text.rindex("<") :]:
            text = text[: text.rindex("<")]  # it may become a tag
        if len(text) > len(before):
            self.tell(kind(text[len(before) :], f"{word}-{number}"))
            heard[kind] = text

    def _preview(self, made: Call, heard: dict[Any, str]) -> None:
        content = content_so_far(made.arguments)
        if content is None:
            return
        assert made.id is not None
        if made.id not in heard:
            path = made.arguments.partition('"path": "')[2].partition('"')[0]
            self.tell(ToolStart(made.id, made.name, {"path": path}))
        if len(content) > len(heard.get(made.id, "")):
            self.tell(SetCode(content, made.id, preview=True))
        heard[made.id] = content

    def run(self, made: Call) -> tuple[Call, str, bool]:
        id = made.id or self.invent()
        if not places(self.records, ToolStart, id=id):
            self.tell(ToolStart(id, made.name))
        try:
            arguments = json.loads(made.arguments or "{}")
        except ValueError:
            arguments = None
        ok = made.name in TOOLS and isinstance(arguments, dict)
        match made.name if ok else "":
            case "create_file":
                self.code = arguments["content"]
                self.tell(SetCode(self.code, id))
            case "edit_file":
                ok = arguments["old_text"] in self.code
                if ok:
                    self.code = self.code.replace(arguments["old_text"], arguments["new_text"])
                    self.tell(SetCode(self.code, id))
        self.tell(ToolResult(id, made.name, {"summary": made.name}, ok))
        return made, json.dumps({"ok": ok}), ok

    def invent(self) -> str:
        self.invented += 1
        return f"tool-{self.invented}"


@lru_cache(maxsize=256)
def _arriving(
    name: WireName, content_type: str, frames: tuple[bytes, ...]
) -> tuple[tuple[int, tuple[Part, ...] | None], ...]:
    """After each frame how many bytes have come, and what they say; None where they are no response yet.

    Many traces here begin with the same response, which is read once.
    """
    read: list[tuple[int, tuple[Part, ...] | None]] = []
    for place in range(1, len(frames) + 1):
        body = b"".join(frames[:place])
        try:
            read.append((len(body), wire(name).parse(content_type, body).turn.parts))
        except ValueError:
            read.append((len(body), None))
    return tuple(read)


def content_so_far(arguments: str) -> str | None:
    """The content that a beginning of the arguments says: what every completion of it would begin with."""
    key = '"content": "'
    if key not in arguments:
        return None
    rest = arguments.partition(key)[2]
    for end in range(len(rest), max(-1, len(rest) - 13), -1):
        for close in ('"', ""):
            try:
                text, _ = json.JSONDecoder().raw_decode('"' + rest[:end] + close)
            except ValueError:
                continue
            if (isinstance(text, str) and text.isascii()) or _whole(text):
                return text
    return ""


def _whole(text: str) -> bool:
    return not any(0xD800 <= ord(character) < 0xE000 for character in text)


@cache
def build(
    name: WireName,
    script: tuple[Turn, ...] = SCRIPT,
    *,
    profile: str = "screenshot-to-code",
    turn_limit: int | None = None,
    kinds: tuple[tuple[str, str], ...] = (),
) -> Trace:
    """The trace of a correct loop that keeps the contract of ``profile``."""
    case = Case(f"case.{name}", "case", name, profile=profile, turn_limit=turn_limit, kinds=dict(kinds))
    return Loop(name, case).play(script)


# --- ways to break a trace ----------------------------------------------------------------------------------

Edit = Callable[[list[Record]], None]


def broken(trace: Trace, edit: Edit) -> Trace:
    """``trace`` after ``edit`` has changed its list of records."""
    records = list(trace.records)
    edit(records)
    return Trace(trace.case, tuple(records))


def breaking(turn: int, *, before_its_end: bool = False) -> Edit:
    """The connection of this turn's answer breaks: behind all of it, or before the event that ends it."""

    def edit(records: list[Record]) -> None:
        answers = [(at, record) for at, record in enumerate(records) if isinstance(record, ResponseRecord)]
        at, response = answers[turn]
        events = re.findall(rb".*?(?:\r?\n){2}", response.body, re.DOTALL)
        if before_its_end:
            # Behind the last chunk of Chat comes [DONE], which says nothing that it has not said.
            del events[-2 if events[-1].strip() == b"data: [DONE]" else -1 :]
        records[at] = replace(response, body=b"".join(events), end="cut")

    return edit


def known(trace: Trace) -> Mapping[int, Reply]:
    """The replies of a trace by exchange, as the model endpoint would know them."""
    speaker = wire(trace.case.wire)  # type: ignore[arg-type]
    return {
        record.exchange: speaker.parse(record.headers.get("content-type", ""), record.body)
        for record in trace.records
        if isinstance(record, ResponseRecord) and record.status < 400
    }
