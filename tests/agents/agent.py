"""A small honest coding agent: the reference for scenarios of the profile ``coding-agent``. It imports nothing of ours.

    python agent.py [--continue] PROMPT
    python agent.py --compact

It speaks four API formats, runs its own tools in its work directory, asks for a title beside the task, starts
sub-agents, and stores its conversation in its home directory. AGENT_MUTANT names what it does wrong.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

MUTANTS = os.environ.get("AGENT_MUTANT", "").split(",")
SYSTEM = "You are a coding agent.\nWork on the files of the current directory with your tools."
SUB_SYSTEM = "You are a sub-agent. Do the task and answer in one sentence."
MOST_TURNS = 100
MOST_RETRIES = 3
LONGEST_RESULT = 30_000


def is_mutant(name: str) -> bool:
    """Whether the agent is to do this wrong."""
    return name in MUTANTS


# What a newer version of the agent does otherwise, each by a name in AGENT_MUTANT.
if is_mutant("says-where-it-is"):
    SYSTEM += f"\nYou are in {Path.cwd()}, your notes are in {Path.home()}/notes."
    SYSTEM += f"\nToday is {datetime.now():%A, %B %d, %Y}. Session {uuid.uuid4()}."
if is_mutant("has-another-prompt"):
    SYSTEM += "\nAnswer in one sentence."


# --- tools ----------------------------------------------------------------------------------------------------


class ToolFailed(Exception):
    """What the model is to read in the place of a result."""


def read_file(path: str) -> str:
    if is_mutant("reads-nothing"):
        return ""
    return Path(path).read_text(encoding="utf-8")


def write_file(path: str, content: str) -> str:
    if is_mutant("writes-escapes"):
        content = json.dumps(content, ensure_ascii=False)[1:-1]
    if is_mutant("writes-no-folders"):
        Path(path).write_text(content, encoding="utf-8")
        return f"wrote {path}"
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(content, encoding="utf-8")
    return f"wrote {path}"


def edit_file(path: str, old_text: str, new_text: str) -> str:
    text = Path(path).read_text(encoding="utf-8")
    if text.count(old_text) != 1:
        raise ToolFailed(f"the text is {text.count(old_text)} times in {path}")
    if is_mutant("edits-the-whole-file"):
        Path(path).write_text(new_text, encoding="utf-8")
        return f"edited {path}"
    Path(path).write_text(text.replace(old_text, new_text), encoding="utf-8")
    return f"edited {path}"


RUNNING: list[subprocess.Popen[bytes]] = []


def run_shell(command: str) -> str:
    streams = subprocess.PIPE if is_mutant("loses-standard-error") else subprocess.STDOUT
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=streams,
        start_new_session=True,
    )
    RUNNING.append(process)
    output = process.communicate()[0]
    RUNNING.remove(process)
    text = output.decode("utf-8", "strict" if is_mutant("chokes-on-bytes") else "replace").replace("\0", "")
    if len(text) > LONGEST_RESULT and is_mutant("chokes-on-length"):
        raise SystemExit("the output is too long")
    if len(text) > LONGEST_RESULT:
        text = f"{text[: LONGEST_RESULT // 2]}\n...\n{text[-LONGEST_RESULT // 2 :]}"
    if process.returncode and is_mutant("ends-at-a-failing-command"):
        raise SystemExit(f"the command failed: {text}")
    return text if not process.returncode else f"{text}\nexit code {process.returncode}"


def search_files(pattern: str) -> str:
    if is_mutant("finds-everything"):
        return "\n".join(str(each) for each in sorted(Path().rglob("*.txt")))
    files = (each for each in sorted(Path().rglob("*")) if each.is_file() and ".git" not in each.parts)
    return "\n".join(str(each) for each in files if pattern in each.read_text(encoding="utf-8", errors="replace"))


def ask_user(question: str) -> str:
    if is_mutant("answers-for-the-user"):
        raise SystemExit(f"nobody answers: {question}")
    return "Nobody is here to answer. Decide yourself, and say what you have decided."


def delegate(task: str) -> str:
    if is_mutant("does-not-delegate"):
        return "done"
    conversation = Conversation(wire=WIRES[os.environ["AGENT_WIRE"]](SUB_SYSTEM, TOOLS[:-1]))
    if is_mutant("delegates-in-the-same-conversation"):
        conversation = Conversation(wire=WIRES[os.environ["AGENT_WIRE"]](SYSTEM, TOOLS))
    return conversation.run(task)


@dataclass(frozen=True)
class Tool:
    name: str
    run: Any
    arguments: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        properties = {each: {"type": "string"} for each in self.arguments}
        if is_mutant("has-another-schema") and self.name == "run_shell":
            properties["seconds"] = {"type": "integer"}
        return {"type": "object", "properties": properties, "required": list(self.arguments)}

    @property
    def description(self) -> str:
        another = is_mutant("has-another-description") and self.name == "run_shell"
        return f"{self.name}, in a shell of its own" if another else self.name


TOOLS = (
    Tool("read_file", read_file, ("path",)),
    Tool("write_file", write_file, ("path", "content")),
    Tool("edit_file", edit_file, ("path", "old_text", "new_text")),
    Tool("run_shell", run_shell, ("command",)),
    Tool("search_files", search_files, ("pattern",)),
    *([Tool("list_files", search_files, ("pattern",))] if is_mutant("has-one-more-tool") else []),
    Tool("ask_user", ask_user, ("question",)),
    Tool("delegate", delegate, ("task",)),
)


# --- turns ----------------------------------------------------------------------------------------------------


class Broken(Exception):
    """The answer did not come whole: the same may be asked again."""


class Refused(Exception):
    """The provider does not answer this, now or later."""


@dataclass
class Call:
    id: str
    name: str
    arguments: str
    result: str = ""
    failed: bool = False


@dataclass
class Turn:
    """``native`` is what goes back to the provider; ``stop`` is why the model stopped, in the provider's word."""

    native: list[dict[str, Any]] = field(default_factory=list)
    text: str = ""
    calls: list[Call] = field(default_factory=list)
    stop: str = ""
    whole: bool = False


CUT = ("max_tokens", "length", "MAX_TOKENS", "max_output_tokens")
FILTERED = ("refusal", "content_filter", "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII")


def post(path: str, body: dict[str, Any], headers: dict[str, str]) -> Any:
    """The events of a stream, each as JSON; ``[DONE]`` as a text. Raises ``Broken`` and ``Refused``."""
    headers = {"user-agent": "agent/2.0.0" if is_mutant("is-newer") else "agent/1.0.0", **headers}
    if is_mutant("sends-one-more-header"):
        headers["x-agent-feature"] = "plans"
    if is_mutant("asks-for-less"):
        body = {**body, **less(body)}
    data = json.dumps(body).encode()
    request = urllib.request.Request(
        os.environ["AGENT_URL"] + path, data, {"content-type": "application/json", **headers}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=60) as response:
            for line in response:
                if line.startswith(b"data:"):
                    payload = line[5:].strip()
                    yield "[DONE]" if payload == b"[DONE]" else json.loads(payload)
    except urllib.error.HTTPError as error:
        text = error.read().decode("utf-8", "replace")
        if error.code in (408, 409, 429) or error.code >= 500:
            raise Broken(f"HTTP {error.code}: {text}") from None
        raise Refused(f"HTTP {error.code}: {text}") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        if is_mutant("takes-a-stream-without-its-end"):
            return
        raise Broken(str(error)) from None


def less(body: dict[str, Any]) -> dict[str, Any]:
    """The temperature, in the words of the wire."""
    return {"generationConfig": {"temperature": 0.5}} if "contents" in body else {"temperature": 0.5}


def joined(text: str) -> str:
    """A text of pieces, in which halves of characters have found each other."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class Speaker:
    """A conversation on one API: its messages, in the form of that."""

    def __init__(self, system: str, tools: tuple[Tool, ...]) -> None:
        self.system, self.tools = system, tools
        self.messages: list[dict[str, Any]] = []

    def take(self, turn: Turn) -> None:
        self.messages += turn.native


class Anthropic(Speaker):
    def ask(self) -> Turn:
        body: dict[str, Any] = {
            "model": os.environ["AGENT_MODEL"],
            "max_tokens": 8192,
            "system": self.system,
            "messages": self.messages,
            "stream": True,
        }
        if is_mutant("marks-the-prompt"):
            body["system"] = [{"type": "text", "text": self.system, "cache_control": {"type": "ephemeral"}}]
        if is_mutant("marks-the-last-message"):
            last = self.messages[-1]["content"]
            blocks = [{"type": "text", "text": last}] if isinstance(last, str) else last
            marked = [*blocks[:-1], {**blocks[-1], "cache_control": {"type": "ephemeral"}}]
            body["messages"] = [*self.messages[:-1], {**self.messages[-1], "content": marked}]
        if self.tools:
            body["tools"] = [
                {"name": t.name, "description": t.description, "input_schema": t.schema} for t in self.tools
            ]
        if os.environ.get("AGENT_REASONS") == "true":
            body["thinking"] = {"type": "adaptive"}
        turn, blocks = Turn(), {}
        for event in post(
            "/v1/messages", body, {"x-api-key": os.environ["AGENT_KEY"], "anthropic-version": "2023-06-01"}
        ):
            match event.get("type"):
                case "content_block_start":
                    blocks[event["index"]] = {**event["content_block"], "json": ""}
                case "content_block_delta":
                    self._delta(blocks[event["index"]], event["delta"])
                case "message_delta":
                    turn.stop = event["delta"].get("stop_reason") or turn.stop
                case "message_stop":
                    turn.whole = True
                case "error":
                    raise_error(event["error"])
        for block in blocks.values():
            self._take(turn, block)
        return turn

    @staticmethod
    def _delta(block: dict[str, Any], delta: dict[str, Any]) -> None:
        match delta["type"]:
            case "text_delta":
                block["text"] += delta["text"]
            case "input_json_delta":
                block["json"] += delta["partial_json"]
            case "thinking_delta":
                block["thinking"] += delta["thinking"]
            case "signature_delta":
                block["signature"] = delta["signature"]

    @staticmethod
    def _take(turn: Turn, block: dict[str, Any]) -> None:
        arguments = block.pop("json")
        if block["type"] == "tool_use":
            turn.calls.append(Call(block["id"], block["name"], arguments))
            block["input"] = as_object(arguments) or {}
        if block["type"] == "text":
            block["text"] = joined(block["text"])
            turn.text += block["text"]
            if not block["text"]:
                return
        if block["type"] in ("thinking", "redacted_thinking") and is_mutant("drops-thinking"):
            return
        turn.native.append(block)

    def say(self, text: str) -> None:
        self.messages.append({"role": "user", "content": [{"type": "text", "text": text}]})

    def take(self, turn: Turn) -> None:
        self.messages.append({"role": "assistant", "content": turn.native})

    def answer(self, calls: list[Call]) -> None:
        blocks = [
            {
                "type": "tool_result",
                "tool_use_id": each.id,
                "content": each.result or "(nothing)",
                "is_error": each.failed,
            }
            for each in calls
        ]
        self.messages.append({"role": "user", "content": blocks})


class Chat(Speaker):
    def __init__(self, system: str, tools: tuple[Tool, ...]) -> None:
        super().__init__(system, tools)
        self.messages.append({"role": "system", "content": system})

    def ask(self) -> Turn:
        body: dict[str, Any] = {"model": os.environ["AGENT_MODEL"], "messages": self.messages, "stream": True}
        if self.tools:
            body["tools"] = [
                {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.schema}}
                for t in self.tools
            ]
        turn, message, calls = Turn(), {"role": "assistant", "content": ""}, {}
        for event in post("/v1/chat/completions", body, {"authorization": f"Bearer {os.environ['AGENT_KEY']}"}):
            if event == "[DONE]":
                break
            if "error" in event:
                raise_error(event["error"])
            for choice in event.get("choices", ()):
                self._delta(message, calls, choice.get("delta") or {})
                if choice.get("finish_reason"):
                    turn.stop, turn.whole = choice["finish_reason"], True
        message["content"] = joined(message["content"])
        turn.text = message["content"]
        if message.pop("refusal", ""):
            turn.stop = "refusal"
        for call in calls.values():
            turn.calls.append(Call(call["id"], call["function"]["name"], call["function"]["arguments"]))
        if calls:
            message["tool_calls"] = list(calls.values())
            message["content"] = message["content"] or None
        if is_mutant("drops-thinking"):
            message.pop("reasoning_content", None)
        turn.native.append(message)
        return turn

    @staticmethod
    def _delta(message: dict[str, Any], calls: dict[int, Any], delta: dict[str, Any]) -> None:
        for name in ("content", "reasoning_content", "refusal"):
            if delta.get(name):
                message[name] = message.get(name, "") + delta[name]
        for piece in delta.get("tool_calls") or ():
            call = calls.setdefault(
                piece["index"], {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
            )
            call["id"] = call["id"] or piece.get("id") or ""
            function = piece.get("function") or {}
            call["function"]["name"] += function.get("name") or ""
            call["function"]["arguments"] += function.get("arguments") or ""

    def say(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def answer(self, calls: list[Call]) -> None:
        self.messages += [{"role": "tool", "tool_call_id": each.id, "content": each.result} for each in calls]


class Responses(Speaker):
    def ask(self) -> Turn:
        body: dict[str, Any] = {
            "model": os.environ["AGENT_MODEL"],
            "instructions": self.system,
            "input": self.messages,
            "store": False,
            "stream": True,
        }
        if self.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "name": t.name,
                    "description": t.description,
                    "parameters": t.schema,
                    "strict": False,
                }
                for t in self.tools
            ]
        if os.environ.get("AGENT_REASONS") == "true":
            body["include"] = ["reasoning.encrypted_content"]
        turn = Turn()
        for event in post("/v1/responses", body, {"authorization": f"Bearer {os.environ['AGENT_KEY']}"}):
            match event.get("type"):
                case "response.completed" | "response.incomplete":
                    self._take(turn, event["response"])
                case "response.failed":
                    raise_error(event["response"].get("error") or {})
                case "error":
                    raise_error(event)
        return turn

    @staticmethod
    def _take(turn: Turn, response: dict[str, Any]) -> None:
        turn.whole = True
        turn.stop = (response.get("incomplete_details") or {}).get("reason") or response["status"]
        for item in response["output"]:
            if item["type"] == "function_call":
                turn.calls.append(Call(item["call_id"], item["name"], item["arguments"]))
            for part in item.get("content") or () if item["type"] == "message" else ():
                turn.text += part.get("text", "")
                turn.stop = "refusal" if part["type"] == "refusal" else turn.stop
            if item["type"] == "reasoning" and is_mutant("drops-thinking"):
                continue
            turn.native.append(item)

    def say(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def answer(self, calls: list[Call]) -> None:
        self.messages += [{"type": "function_call_output", "call_id": each.id, "output": each.result} for each in calls]


class Gemini(Speaker):
    def ask(self) -> Turn:
        body: dict[str, Any] = {
            "contents": self.messages,
            "systemInstruction": {"parts": [{"text": self.system}]},
        }
        if self.tools:
            functions = [
                {"name": t.name, "description": t.description, "parametersJsonSchema": t.schema} for t in self.tools
            ]
            body["tools"] = [{"functionDeclarations": functions}]
        path = f"/v1beta/models/{os.environ['AGENT_MODEL']}:streamGenerateContent?alt=sse"
        turn, parts = Turn(), []
        for event in post(path, body, {"x-goog-api-key": os.environ["AGENT_KEY"]}):
            if "error" in event:
                raise_error(event["error"])
            blocked = (event.get("promptFeedback") or {}).get("blockReason")
            if blocked:
                raise Refused(f"blocked: {blocked}")
            for candidate in event.get("candidates", ()):
                parts += (candidate.get("content") or {}).get("parts") or ()
                if candidate.get("finishReason"):
                    turn.stop, turn.whole = candidate["finishReason"], True
        for part in parts:
            self._take(turn, part)
        return turn

    @staticmethod
    def _take(turn: Turn, part: dict[str, Any]) -> None:
        if "functionCall" in part:
            call = part["functionCall"]
            turn.calls.append(Call(call.get("id", ""), call["name"], json.dumps(call.get("args") or {})))
        elif "text" in part and not part.get("thought"):
            turn.text += part["text"]
        if is_mutant("drops-thinking"):
            part.pop("thoughtSignature", None)
            if part.get("thought"):
                return
        last = turn.native[-1] if turn.native else {}
        if part.keys() == {"text"} and last.keys() == {"text"}:
            last["text"] += part["text"]  # pieces of one text
        else:
            turn.native.append(part)

    def say(self, text: str) -> None:
        self.messages.append({"role": "user", "parts": [{"text": text}]})

    def take(self, turn: Turn) -> None:
        for part in turn.native if is_mutant("sends-no-ids") else ():
            part.get("functionCall", {}).pop("id", None)
        for call in turn.calls if is_mutant("sends-no-ids") else ():
            call.id = ""
        self.messages.append({"role": "model", "parts": turn.native})

    def answer(self, calls: list[Call]) -> None:
        parts = []
        for each in calls:
            response = {"name": each.name, "response": {"error" if each.failed else "output": each.result}}
            parts.append({"functionResponse": {**({"id": each.id} if each.id else {}), **response}})
        self.messages.append({"role": "user", "parts": parts})


WIRES: dict[str, Any] = {
    "anthropic-messages": Anthropic,
    "openai-chat": Chat,
    "openai-responses": Responses,
    "gemini-generate": Gemini,
}


def raise_error(error: dict[str, Any]) -> None:
    if is_mutant("ignores-errors-in-the-stream"):
        return
    raise Broken(json.dumps(error))


def as_object(text: str) -> dict[str, Any] | None:
    """The arguments of a call; None where they are no JSON object."""
    endings = ("", '"}', "}") if is_mutant("repairs-arguments") else ("",)
    for ending in endings:
        try:
            found = json.loads((text or "{}") + ending)
        except ValueError:
            continue
        return found if isinstance(found, dict) else None
    return None


# --- the loop -------------------------------------------------------------------------------------------------


@dataclass
class Conversation:
    wire: Any
    seen: set[str] = field(default_factory=set)
    waiting: list[Call] = field(default_factory=list)

    def run(self, prompt: str) -> str:
        self.wire.say(prompt)
        for number in range(10 if is_mutant("stops-after-ten-turns") else MOST_TURNS):
            if number == 30 and is_mutant("forgets-the-beginning"):
                del self.wire.messages[1:5]
            if number == 2 and is_mutant("forgets-the-first-result"):
                del self.wire.messages[1:3]
            turn = self._asked()
            self._check(turn)
            if is_mutant("drops-texts-beside-calls") and turn.calls:
                turn.native = [each for each in turn.native if each.get("type") != "text"]
            self.wire.take(turn)
            if not turn.calls:
                return turn.text
            self._run(turn.calls)
            while SAID and not is_mutant("ignores-what-the-user-says"):
                self.wire.say(SAID.popleft())
        raise Refused("no answer after so many turns")

    def _asked(self) -> Turn:
        for attempt in range(MOST_RETRIES + 1):
            try:
                turn = self.wire.ask()
                if turn.whole or (turn.calls and is_mutant("takes-a-stream-without-its-end")):
                    return turn
                raise Broken("the stream ended early")
            except Broken as error:
                if attempt == MOST_RETRIES or is_mutant("never-retries"):
                    raise Refused(f"no answer: {error}") from None
                if is_mutant("runs-twice") and RAN:
                    run_one(RAN[-1])
                time.sleep(0.05)
        raise AssertionError

    def _check(self, turn: Turn) -> None:
        if turn.stop in CUT and is_mutant("goes-on-behind-a-cut-call"):
            self.wire.take(turn)
            self.wire.say("Go on.")
            self._check(self._asked())
        if turn.stop in CUT and not is_mutant("runs-a-cut-turn"):
            raise Refused("the answer was cut off at the token limit")
        if turn.stop == "refusal" and is_mutant("asks-again-after-a-refusal"):
            self.wire.take(Turn(native=[{"role": "assistant", "content": None}]))
            self.wire.say("Do it all the same.")
            self._check(self._asked())
        if turn.stop in FILTERED and not is_mutant("runs-a-filtered-turn"):
            raise Refused(f"the model did not answer: {turn.stop}")
        ids = [each.id for each in turn.calls if each.id]
        if (len(set(ids)) < len(ids) or self.seen & set(ids)) and not is_mutant("takes-ids-twice"):
            raise Refused("two calls have one id")
        self.seen |= set(ids)

    def _run(self, calls: list[Call]) -> None:
        self.waiting = calls
        for call in calls:
            run_one(call)
        self.waiting = []
        if is_mutant("swaps-results") and len(calls) > 1:
            calls[0].result, calls[1].result = calls[1].result, calls[0].result
        if is_mutant("answers-one-call"):
            calls = calls[:1]
        self.wire.answer(calls)


RAN: list[Call] = []


def run_one(call: Call) -> None:
    """Run a call; whatever goes wrong becomes its result, so that the model can react."""
    RAN.append(call)
    tool = next((each for each in TOOLS if each.name == call.name), None)
    arguments = as_object(call.arguments)
    try:
        if tool is None:
            if is_mutant("ends-at-an-unknown-tool"):
                raise SystemExit(f"there is no tool {call.name}")
            raise ToolFailed(f"there is no tool {call.name}")
        if arguments is None:
            raise ToolFailed("the arguments are no JSON object, so nothing was run")
        call.result = tool.run(**arguments)
    except (Broken, Refused) as error:
        call.result, call.failed = f"Error: {error}", True
    except (ToolFailed, OSError, TypeError) as error:
        if isinstance(error, TypeError) and is_mutant("ends-at-wrong-arguments"):
            raise
        call.result, call.failed = f"Error: {error}", True


# --- what the user says while it works ---------------------------------------------------------------------------


SAID: deque[str] = deque()


def listen() -> None:
    """Keep what the user says: lines of JSON on standard input, behind that of the case. Not as ``sys.stdin``, which
    a thread may not read when the program ends."""
    begun = b""
    while data := os.read(0, 65536):
        *lines, begun = (begun + data).split(b"\n")
        SAID.extend(each["say"] for each in map(json.loads, lines) if "say" in each)


# --- the program ----------------------------------------------------------------------------------------------


def session_file() -> Path:
    return Path.home() / "session.json"


def title(prompt: str) -> None:
    """A title for the conversation; none where the provider gives none."""
    if is_mutant("asks-for-no-title"):
        return
    beside = WIRES[os.environ["AGENT_WIRE"]]("You write titles.", ())
    beside.say(f"Write a title of at most six words for this task: {prompt}")
    try:
        text = beside.ask().text
    except (Broken, Refused):
        return
    if is_mutant("needs-a-title-of-one-line") and re.search(r"[\n{]", text):
        raise SystemExit(f"this is no title: {text}")


def compacted(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The system prompt and a summary of the rest, for which the model is asked in a conversation of its own."""
    kept = [each for each in messages if each.get("role") == "system"]
    if is_mutant("compacts-nothing"):
        return messages
    if is_mutant("parts-results-from-calls"):
        return [*kept, *messages[-2:]]
    beside = WIRES[os.environ["AGENT_WIRE"]]("You summarise conversations.", ())
    beside.say(f"Summarise this: {json.dumps(messages)}")
    written = WIRES[os.environ["AGENT_WIRE"]](SYSTEM, TOOLS)
    written.messages = kept
    written.say(f"What has happened so far: {beside.ask().text}")
    return list(written.messages)


def main() -> int:
    if "--compact" in sys.argv[1:]:
        session_file().write_text(json.dumps(compacted(json.loads(session_file().read_text()))))
        return 0
    threading.Thread(target=listen, daemon=True).start()
    again, prompt = "--continue" in sys.argv[1:], sys.argv[-1]
    conversation = Conversation(WIRES[os.environ["AGENT_WIRE"]](SYSTEM, TOOLS))
    if again and not is_mutant("forgets-the-session"):
        conversation.wire.messages = json.loads(session_file().read_text())
    else:
        title(prompt)

    def store() -> None:
        messages = conversation.wire.messages
        if is_mutant("stores-no-thinking"):
            messages = without_thinking(messages)
        session_file().write_text(json.dumps(messages))

    def interrupted(*_: object) -> None:
        for process in list(RUNNING):
            if not is_mutant("leaves-commands-running"):
                os.killpg(process.pid, signal.SIGKILL)
        if conversation.waiting and not is_mutant("stores-calls-without-results"):
            for call in conversation.waiting:
                call.result, call.failed = call.result or "The user has interrupted this.", True
            conversation.wire.answer(conversation.waiting)
        store()
        os._exit(130)

    signal.signal(signal.SIGINT, signal.SIG_IGN if is_mutant("ignores-interrupts") else interrupted)
    try:
        print(conversation.run(prompt))
    except Refused as error:
        print(error, file=sys.stderr)
        store()
        return 0 if is_mutant("hides-errors") else 1
    store()
    return 0


def without_thinking(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = []
    for message in messages:
        if message.get("type") == "reasoning":
            continue
        message = {name: value for name, value in message.items() if name != "reasoning_content"}
        for name in ("content", "parts"):
            if isinstance(message.get(name), list):
                parts = [each for each in message[name] if each.get("type") != "thinking" and not each.get("thought")]
                message[name] = [{k: v for k, v in each.items() if k != "thoughtSignature"} for each in parts]
        kept.append(message)
    return kept


if __name__ == "__main__":
    sys.exit(main())
