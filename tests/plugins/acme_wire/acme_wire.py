"""Acme's API: JSON requests; streamed responses are frames, each a length of 4 bytes and that many bytes of JSON."""

import json

from harness.wire import (
    Call,
    Claim,
    Conversation,
    ErrorAnswer,
    ErrorTemplate,
    FinishReason,
    Message,
    ModelTable,
    Provider,
    Refusal,
    Rendered,
    Reply,
    Result,
    Route,
    StreamError,
    StreamEvent,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Transport,
    Turn,
    UnreadableRequest,
    Usage,
    Wire,
    WireRule,
    WrittenRequest,
    from_body,
)
from harness.wire.arrival import Piece, arrived, at_once
from harness.wire.base import ENTRY, Opaque
from harness.wire.characters import sendable
from harness.wire.deltas import split
from harness.wire.grammar import Grammar, by_type

NAME = "acme-frames"
ROLES = {"system": "system", "user": "user", "model": "assistant", "tools": "tool"}
FROM = {role: name for name, role in ROLES.items()}


# --- frames: how a streamed response is cut into events ---------------------------------------------------------


def frame(value):
    payload = json.dumps(value).encode()
    return len(payload).to_bytes(4, "big") + payload


def frames(body):
    """Each whole frame as an object, with the offset of its end."""
    at = 0
    while at + 4 <= len(body):
        end = at + 4 + int.from_bytes(body[at : at + 4], "big")
        if end > len(body):
            return
        yield end, json.loads(body[at + 4 : end])
        at = end


class FrameReader:
    def __init__(self):
        self._left = b""

    def feed(self, chunk):
        self._left += chunk
        found = list(frames(self._left))
        self._left = self._left[found[-1][0] :] if found else self._left
        return [StreamEvent(json.dumps(value)) for _, value in found]


FRAMES = Transport("acme frames", "application/vnd.acme.frames", FrameReader)


# --- rules: what the provider demands of a request --------------------------------------------------------------


def rule(number, statement, why, message, about=()):
    template = ErrorTemplate(message, status=422, kind="bad_request")
    evidence = ("https://acme.example/api#errors",)
    return WireRule(f"ACM-{number}", statement, why, "certain", evidence, (template,), about=about)


BODY = rule("01", "The body is a JSON object", "Nothing else can be read.", "body: not a JSON object")
ANSWERED = rule(
    "02",
    "Each call has its result in the next entry",
    "The model would go on without an answer.",
    "call {id} has no result",
    about=("results",),
)
ASKED = rule("03", "Each result names a call", "The result would answer nothing.", "no call has the id {id}")


def violations(conversation, issued):
    waiting = []
    for message in conversation.messages:
        for result in message.results:
            if result.id in waiting:
                waiting.remove(result.id)
            else:
                yield ASKED.broken(message.at, expected="the id of a call", got=result.id or "none", id=result.id)
        if not message.results:
            yield from unanswered(waiting, message.at)
            waiting = [call.id for call in message.calls]
    yield from unanswered(waiting, "history")


def unanswered(ids, at):
    for id in ids:
        yield ANSWERED.broken(at, expected=f"the result of the call {id}", got="none", id=id)


# --- requests ---------------------------------------------------------------------------------------------------


def route(method, path):
    return Route(NAME) if method == "POST" and path.partition("?")[0].endswith("/converse") else None


def read(body):
    try:
        request = json.loads(body)
    except ValueError:
        request = None
    if not isinstance(request, dict):
        raise UnreadableRequest(BODY.broken("body", expected="a JSON object", got=repr(body[:40])))
    tools = [ToolDeclaration(tool["name"], tool["description"], tool["schema"]) for tool in request.get("tools", [])]
    history = enumerate(request.get("history", []))
    return Conversation(
        wire=NAME,
        model=request.get("model", ""),
        stream=request.get("stream") is True,
        messages=tuple(message(entry, f"history[{at}]") for at, entry in history),
        tools=tuple(tools),
        body=request,
    )


def message(entry, at):
    parts = [ThinkingPart(entry["thought"])] if entry.get("thought") else []
    parts += [Text(entry["says"])] if entry.get("says") else []
    parts += [Call(call["tool"], call["input"], call["id"]) for call in entry.get("calls", [])]
    parts += [Result(each["id"], each["output"], is_error=each["failed"]) for each in entry.get("results", [])]
    return Message(ROLES[entry["from"]], tuple(parts), at)


def write(conversation):
    tools = [{"name": t.name, "description": t.description, "schema": t.parameters} for t in conversation.tools]
    said = {"model": conversation.model, "stream": conversation.stream, "history": entries(conversation.messages)}
    return WrittenRequest(
        "/converse", json.dumps({**conversation.body, **said, **({"tools": tools} if tools else {})}).encode()
    )


def entries(messages):
    return [entry_of(message) for message in messages]


def entry_of(message):
    if len(message.parts) == 1 and isinstance(message.parts[0], Opaque) and message.parts[0].kind == ENTRY:
        return message.parts[0].native
    entry = {"from": FROM[message.role], "says": sendable(message.text)}
    if message.calls:
        entry["calls"] = [{"id": call.id, "tool": call.name, "input": call.arguments} for call in message.calls]
    if message.results:
        entry["results"] = [{"id": r.id, "output": r.output, "failed": r.is_error} for r in message.results]
    return entry


def returned(reply, ids):
    """The model's turn as it came, but each call under an id that no other has."""
    for entry in reply.items:
        calls = [{**call, "id": id} for call, id in zip(entry["calls"], ids, strict=True)]
        return (Message("assistant", (Opaque(ENTRY, {**entry, "calls": calls}),), ""),)
    return ()


def answers(reply, ids, results, said=()):
    return (Message("tool", tuple(results), ""), *(Message("user", (Text(text),), "") for text in said))


def claim(body, headers):
    return Claim.SURE if "history" in body else Claim.NONE


# --- responses --------------------------------------------------------------------------------------------------


def events(turn, identity):
    """What the turn says, event by event, each with what it adds."""
    yield {"id": identity.id("turn_", 12)}
    for part in turn.parts:
        if isinstance(part, Call):
            id = identity.id("call_", 12) if part.id is None else part.id
            yield {"call": {"id": id, "tool": part.name}}
            yield from ({"input": piece} for piece in split(part.arguments, turn.deltas))
        else:
            name = "thought" if isinstance(part, ThinkingPart) else "text"
            yield from ({name: piece} for piece in split(part.text, turn.deltas))
    if turn.error:
        yield {"error": {"kind": turn.error.kind, "message": turn.error.message}}
    elif turn.ending == "complete":
        refused = any(isinstance(part, Refusal) for part in turn.parts)
        stop = FinishReason.REFUSAL if refused else turn.stop
        yield {"stop": stop.value, "used": [turn.usage.input, turn.usage.output]}


def reply_of(said, model=""):
    """The reply that events say: a document is a list of them. Raises ``ValueError`` for what is none."""
    if not isinstance(said, list) or not all(isinstance(event, dict) for event in said):
        raise ValueError("not a list of events")
    id, thought, text, calls, end, error = "", "", "", [], {}, None
    for event in said:
        id = event.get("id", id)
        thought += event.get("thought", "")
        text += event.get("text", "")
        calls += [{**event["call"], "input": ""}] if "call" in event else []
        if "input" in event:
            calls[-1]["input"] += event["input"]
        error = event.get("error", error)
        end = event if "stop" in event else end
    entry = {"from": "model", "thought": thought, "says": text, "calls": calls}
    turn = Turn(
        message(entry, "").parts,
        FinishReason(end.get("stop", "end")),
        Usage(*end.get("used", (0, 0))),
        StreamError(error["kind"], error["message"]) if error else None,
        "complete" if end or error else "eof",
    )
    return Reply(NAME, id, model, (entry,) if turn.parts else (), turn, bool(end))


def render(turn, identity, conversation):
    said = list(events(turn, identity))
    if conversation.stream:
        pieces, kind = tuple(map(frame, said)), FRAMES.content_type
    else:
        pieces, kind = (json.dumps(said).encode(),), "application/json"
    return Rendered(kind, pieces, parse(kind, b"".join(pieces)), terminal=int(conversation.stream))


def parse(content_type, body):
    if FRAMES.is_stream(content_type):
        return reply_of([value for _, value in frames(body)])
    return reply_of(json.loads(body))


def arrivals(content_type, body, arguments):
    if not FRAMES.is_stream(content_type):
        return at_once(body, arguments)
    found = list(frames(body))
    return arrived(pieces(found), arguments, last=found[-2][0] if len(found) > 1 else 0)


def pieces(found):
    number = -1
    for end, value in found:
        number += "call" in value
        if "input" in value:
            yield Piece(number, end, value["input"])
        elif number >= 0 and "stop" in value:
            yield from (Piece(each, end, done=True) for each in range(number + 1))


def refuse(answer, identity):
    body = json.dumps({"error": {"message": answer.message}}).encode()
    return ErrorAnswer(answer.status, {"content-type": "application/json"}, body)


def error(status, identity, *, retry_after=None):
    wait = {} if retry_after is None else {"retry-after": str(retry_after)}
    return ErrorAnswer(status, {"content-type": "application/json", **wait}, b'{"error": {"message": "try again"}}')


def response_headers(identity, *, stream):
    return {"content-type": FRAMES.content_type if stream else "application/json"}


def same(kind):
    return kind


WIRE = Wire(
    name=NAME,
    label="acme",
    rule_prefix="ACM",
    rules=(BODY, ANSWERED, ASKED),
    models=ModelTable(),
    provider=Provider(
        base_url="https://api.acme.example",
        base_variables=("ACME_BASE_URL",),
        key_variables=("ACME_API_KEY",),
        key_header="x-acme-key",
        key_form="{}",
    ),
    default_model="acme-1",
    history="history",
    grammar=Grammar(lambda event: next(iter(event), "nothing"), same, by_type, frozenset({"schema"})),
    settings={},
    transport=FRAMES,
    route=route,
    path=lambda route: "/converse",
    read=from_body(read),
    violations=lambda conversation, issued: list(violations(conversation, issued)),
    render=render,
    parse=parse,
    arrivals=arrivals,
    refuse=refuse,
    error=error,
    response_headers=response_headers,
    write=write,
    entries=entries,
    returned=returned,
    answers=answers,
    claim=claim,
    marks_failures=True,
)
