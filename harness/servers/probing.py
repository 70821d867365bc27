"""A probe of one server: a few requests, and what its answers show.

A step asks for one thing. Its outcome is *ok*, *broken*, or *not shown*: the model's own decisions (to call a tool, to
answer at length) are no mistakes of its server, and an answer without the wanted thing shows nothing.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from harness.finding import Finding
from harness.loop.sessions.shared import unique_id
from harness.loop.sessions.wire_only import Answered, object_in
from harness.scenario.arguments import argument_problems, validator
from harness.servers.asking import LATE, Asks, TalkRefused, headers_of
from harness.servers.rules import ProbeStep, ReceivedResponse, judge_response, probe_rule
from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    IssuedState,
    Message,
    Opaque,
    Reply,
    Result,
    Route,
    Text,
    ToolDeclaration,
    Wire,
    WrittenRequest,
)
from harness.wire.base import ENTRY, Json, Role
from harness.wire.channels import CHANNELS, on_channel
from harness.wire.lenient import members, objects, string
from harness.wire.probe_members import ProbeMembers

_COLLECTION: Final = "/v1beta/models"
_WEATHER: Final = "get_weather"
_TOOL: Final = ToolDeclaration(
    _WEATHER,
    "The weather in a city now.",
    {
        "type": "object",
        "properties": {"city": {"type": "string", "description": "The name of the city."}},
        "required": ["city"],
        "additionalProperties": False,
    },
)
_TOKENS: Final = 16
"""The limit that an answer must reach; there is a provider that takes no smaller one."""

_MOST_TOKENS: Final = 256
"""Tokens of any other answer: a small model may never end by itself."""

_IN_TEXT: Final = ("<tool_call>", "<|tool_call", "[TOOL_CALLS]", "<function=", "<function_call")
"""How models write calls that their server must read."""

_MESSAGES: Final = 4
"""How many are sent on a channel at most."""

_NOT_SERVED: Final = (404, 405, 501)

_HOT: Final = {"temperature": 99}
"""More than any provider takes."""

_ID: Final = "call_a1b2c3d4e5f6g7h8i9j0k1l2"
_OTHER_ID: Final = "call_z9y8x7w6v5u4t3s2r1q0p9o8"


@dataclass(frozen=True, slots=True)
class ProbeExchange:
    """A request of the probe and its answer."""

    asked: WrittenRequest
    headers: Mapping[str, str]
    answered: Answered


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """The outcome of a step: ``findings`` break it; ``not_shown`` is why it shows nothing, empty if it does show it."""

    step: str
    summary: str
    findings: tuple[Finding, ...] = ()
    not_shown: str = ""
    exchanges: tuple[ProbeExchange, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """A step: at most so many ``requests``; ``rule`` is what the probe's rules call it, if they do."""

    name: str
    summary: str
    requests: int
    rule: ProbeStep | None = None


STEPS: Final = (
    _Step("text", "A plain question is answered, streamed.", 1),
    _Step("whole-text", "A plain question is answered in one document.", 1),
    _Step("forced-call", "A call that the request forces comes streamed.", 1),
    _Step("whole-forced-call", "A call that the request forces comes in one document.", 1),
    _Step("call", "A question that a tool answers is answered by a call of it.", 1),
    _Step("two-calls", "A question about two cities is answered by two calls, with ids of their own.", 1),
    _Step("token-limit", "An answer that reaches the token limit says so.", 1),
    _Step("own-answer-back", "The server takes its own call back, with the result, as two clients send it.", 2),
    _Step("own-text-back", "The server takes its own text back.", 1),
    _Step("continuation", "A loop goes on that another server began: its calls and their results.", 1, "continuation"),
    _Step("compaction", "What the server has made of a long history is taken as the next input.", 2, "compaction"),
    *(
        _Step(
            each.name,
            f"A {each.label} has whole responses, one at a time, and outlives an error.",
            _MESSAGES,
            "channel",
        )
        for each in CHANNELS.values()
    ),
    _Step("unanswered-call", "A call without its result is refused.", 1, "wrong continuation"),
    _Step("unknown-id", "A result of a call that there never was is refused.", 1, "wrong continuation"),
    _Step("wrong-request", "A request without a message, or with a temperature of 99, is refused.", 1, "wrong request"),
    _Step("unknown-tool-type", "A tool of an unknown type is refused.", 1, "unknown tool type"),
    _Step("unknown-response", "The id of a response that there never was is refused.", 1, "unknown earlier response"),
    _Step("wrong-key", "A wrong key is refused.", 1, "wrong key"),
    _Step("prompt-tokens", "A request with a tool counts more prompt tokens than one without.", 0),
)
"""What a probe asks, in its order."""


def requests_of(wire: Wire) -> int:
    """How many requests a probe of this wire makes at most."""
    return sum(_most(step, wire) for step in STEPS if _asks(step, wire))


def _most(step: _Step, wire: Wire) -> int:
    """How many requests a step makes on a wire at most."""
    more = {"own-answer-back": len(_members(wire).back), "continuation": int(_members(wire).without_user)}
    return step.requests + more.get(step.name, 0)


def _asks(step: _Step, wire: Wire) -> bool:
    members = _members(wire)
    if step.name == "unknown-tool-type" and not members.unknown_tools:
        return False
    if step.name == "unknown-response" and not members.unknown_earlier:
        return False
    return step.rule is None or probe_rule(wire.name, step.rule) is not None


def _members(wire: Wire) -> ProbeMembers:
    assert wire.probe is not None  # noqa: S101 - the command offers only wires that have it
    return wire.probe


@dataclass(slots=True)
class Probe:
    """One probe of a server on one wire. ``key`` is the key in the requests; ``keyed``: the server demands one.

    ``budget`` is how many requests are left.
    """

    wire: Wire
    model: str
    asking: Asks
    key: str
    keyed: bool
    budget: int
    served: bool = True
    _exchanges: list[ProbeExchange] = field(default_factory=list)
    _replies: dict[str, tuple[Conversation, Answered, Reply]] = field(default_factory=dict)

    async def outcomes(self) -> AsyncIterator[StepOutcome]:
        """The outcome of each step, in order, as it ends."""
        for step in STEPS:
            if _asks(step, self.wire):
                yield await self._outcome(step)

    async def _outcome(self, step: _Step) -> StepOutcome:
        self._exchanges.clear()
        if not self.served:
            return StepOutcome(step.name, step.summary, not_shown="the server does not have this API format")
        if _most(step, self.wire) > self.budget:
            return StepOutcome(step.name, step.summary, not_shown="no request is left for it (--budget)")
        found = await _METHODS[step.name](self, step)
        not_shown = found if isinstance(found, str) else ""
        findings = () if isinstance(found, str) else tuple(each for each in found if each.level != "INFO")
        return StepOutcome(step.name, step.summary, findings, not_shown, tuple(self._exchanges))

    # --- what is asked ------------------------------------------------------------------------------------------

    def _conversation(self, *messages: Message, tools: bool, stream: bool, **body: object) -> Conversation:
        members = {**_members(self.wire).base, **_members(self.wire).limit(_MOST_TOKENS), **body}
        return Conversation(
            self.wire.name,
            self.model,
            stream,
            messages,
            (_TOOL,) if tools else (),
            body={**(self.wire.settings if self._counts_usage_by_option and stream else {}), **members},
            collection=_COLLECTION if self.wire.model_in_path else "",
        )

    @property
    def _counts_usage_by_option(self) -> bool:
        """Whether a stream has its usage only where the request asks for it."""
        return not self.wire.asks_for_usage({"stream": True})

    async def _ask(self, conversation: Conversation, *, key: str | None = None) -> Answered:
        asked = self.wire.write(conversation)
        return await self._post(asked, key=key)

    async def _post(self, asked: WrittenRequest, *, key: str | None = None) -> Answered:
        self.budget -= 1
        headers = headers_of(self.wire, self.key if key is None else key)
        answered = await self.asking.post(asked.path, headers, asked.body)
        if _nothing_came(answered) and self.budget > 0:  # a server may close a connection that is idle
            self.budget -= 1
            answered = await self.asking.post(asked.path, headers, asked.body)
        self._exchanges.append(ProbeExchange(asked, headers, answered))
        return answered

    # --- right requests -----------------------------------------------------------------------------------------

    async def _text(self, step: _Step) -> list[Finding] | str:
        stream = step.name == "text"
        asked = self._conversation(_message("user", "Say hello in one word."), tools=False, stream=stream)
        answered = await self._ask(asked)
        if stream and answered.status in _NOT_SERVED:
            self.served = False
            return f"HTTP {answered.status}: the server does not have this API format"
        return self._judge(step, asked, answered)[0]

    async def _forced_call(self, step: _Step) -> list[Finding] | str:
        stream = step.name == "forced-call"
        forced = _members(self.wire).forced(_WEATHER)
        asked = self._conversation(_message("user", "Oslo."), tools=True, stream=stream, **forced)
        return self._with_calls(step, asked, await self._ask(asked), 1)

    async def _call(self, step: _Step) -> list[Finding] | str:
        asked = self._conversation(_message("user", "What is the weather in Oslo now?"), tools=True, stream=True)
        return self._with_calls(step, asked, await self._ask(asked), 1)

    async def _two_calls(self, step: _Step) -> list[Finding] | str:
        words = "What is the weather in Oslo and in Paris now? Ask for both at once."
        asked = self._conversation(_message("user", words), tools=True, stream=True)
        return self._with_calls(step, asked, await self._ask(asked), 2)

    def _with_calls(self, step: _Step, asked: Conversation, answered: Answered, calls: int) -> list[Finding] | str:
        found, reply = self._judge(step, asked, answered)
        if reply is None or found:
            return found
        if len(reply.turn.calls) < calls:
            written = next((mark for mark in _IN_TEXT if mark in reply.turn.text), "")
            if written:
                return [self._broken("calls in text", "a call", f"{written} in the text")]
            return f"the model made {len(reply.turn.calls) or 'no'} call{'' if len(reply.turn.calls) == 1 else 's'}"
        return [finding for call in reply.turn.calls for finding in _unfit(call)]

    async def _token_limit(self, step: _Step) -> list[Finding] | str:
        limit = _members(self.wire).limit(_TOKENS)
        asked = self._conversation(
            _message("user", "Count from one to two hundred, in words."), tools=False, stream=True, **limit
        )
        found, reply = self._judge(step, asked, await self._ask(asked))
        if reply is None or found:
            return found
        if reply.turn.stop is FinishReason.MAX_TOKENS:
            return []
        if len(reply.turn.text.split()) < _TOKENS:  # a word is a token, or more
            return "the model ended its answer before"
        return [_finding("probe/limit", "the stop for the token limit", f"the stop {reply.turn.stop.value}")]

    # --- its own answers back -----------------------------------------------------------------------------------

    async def _own_answer_back(self, step: _Step) -> list[Finding] | str:  # noqa: ARG002 - it has its own
        name = next((each for each in ("call", "forced-call", "whole-forced-call") if self._has_called(each)), "")
        if not name:
            return "the model made no call"
        asked, answered, reply = self._replies[name]
        forms = [self._request_after(asked, answered, reply, echo=echo) for echo in (False, True)]
        for form in _members(self.wire).back:
            following = self._request_after(asked, answered, reply, form=form)
            if not self._certainly_wrong(following, (asked, reply)):
                forms.append(following)
        bodies = {each.body: each for each in forms}
        return [finding for each in bodies.values() for finding in await self._taken(each)]

    async def _own_text_back(self, step: _Step) -> list[Finding] | str:  # noqa: ARG002 - it has its own
        name = next((each for each in ("text", "whole-text") if each in self._replies), "")
        if not name or not self._replies[name][2].turn.text:
            return "the model has said nothing"
        return await self._taken(self._request_after(*self._replies[name], echo=False))

    async def _taken(self, asked: WrittenRequest, step: ProbeStep = "own answer back") -> list[Finding]:
        answered = await self._post(asked)
        if answered.status == 200:
            return self._grammar(asked, answered)
        return [self._broken(step, "HTTP 200", _status(answered))]

    def _certainly_wrong(self, asked: WrittenRequest, sent: tuple[Conversation, Reply] | None = None) -> list[Finding]:
        """Why the provider refuses a request, where our rules are certain of that; ``sent`` is its last answer."""
        route = self.wire.route("POST", asked.path) or Route(self.wire.name)
        issued = IssuedState()
        if sent is not None:
            issued.add(*sent)
        found = self.wire.violations(self.wire.read(route, asked.body, {}), issued)
        return [each for each in found if each.level == "MUST"]

    def _has_called(self, step: str) -> bool:
        return step in self._replies and bool(self._replies[step][2].turn.calls)

    def _request_after(
        self,
        asked: Conversation,
        answered: Answered,
        reply: Reply,
        *,
        echo: bool = False,
        form: Callable[[Json], Json] | None = None,
    ) -> WrittenRequest:
        """The request that goes on from an answer: with it as the SDK keeps it, as it came (``echo``), or changed."""
        ids: list[str] = []
        for call in reply.turn.calls:
            ids.append(unique_id(call.id, ids, "call_{:024}"))
        kind = answered.content_type
        back = self.wire.returned(reply, ids)
        if echo and self.wire.echoed is not None:
            back = self.wire.echoed(kind, answered.body, ids)
        calls = zip(ids, reply.turn.calls, strict=True)
        results = [Result(id, json.dumps({"celsius": 4}), call.name) for id, call in calls]
        then = self.wire.answers(reply, ids, results) if ids else (_message("user", "And in French?"),)
        own = self.wire.entries(back)
        history = [*self.wire.entries(asked.messages), *(map(form, own) if form else own), *self.wire.entries(then)]
        carried = (Message("user", (Opaque(ENTRY, entry),), "") for entry in history)
        return self.wire.write(self._conversation(*carried, tools=bool(asked.tools), stream=asked.stream))

    # --- what others have begun ---------------------------------------------------------------------------------

    async def _continuation(self, step: _Step) -> list[Finding] | str:  # noqa: ARG002 - it has its own
        opening = _message("system", "You report the weather.")
        asked = _message("user", "What is the weather in Oslo?")
        call = Message("assistant", (Call(_WEATHER, '{"city": "Oslo"}', id=_ID),), "")
        loop = (call, Message("tool", (Result(_ID, '{"celsius": 4}', _WEATHER),), ""))
        histories: list[tuple[Message, ...]] = [(opening, asked, *loop)]
        if _members(self.wire).without_user:  # a loop may have cut the beginning off
            histories.append((opening, *loop))
        written = [self.wire.write(self._conversation(*each, tools=True, stream=False)) for each in histories]
        right = [each for each in written if not self._certainly_wrong(each)]
        if not right:
            return "the provider refuses such a request, too"
        found: list[Finding] = []
        shown = False
        for each in right:
            of_one = await self._taken(each, "continuation")
            if self._exchanges[-1].answered.status not in _NOT_SERVED:  # a mock server may have no answer to it
                found, shown = [*found, *of_one], True
        return found if shown else f"HTTP {self._exchanges[-1].answered.status}: the server has no answer to it"

    async def _compaction(self, step: _Step) -> list[Finding] | str:  # noqa: ARG002 - it has its own
        asked = self.wire.write(self._conversation(_message("user", "Say hello."), tools=False, stream=False))
        body = {name: value for name, value in json.loads(asked.body).items() if name in ("model", self.wire.history)}
        path = asked.path + _members(self.wire).compacting
        answered = await self._post(replace(asked, path=path, body=json.dumps(body).encode()))
        if answered.status != 200:
            return f"HTTP {answered.status}: the server does not compact"
        output = _output(answered.body)
        if not output:
            return [self._broken("compaction", "an output that is the next input", _status(answered))]
        next_one = json.loads(asked.body)
        history = [*output, *self.wire.entries([_message("user", "And in French?")])]
        following = json.dumps({**next_one, self.wire.history: history}).encode()
        return await self._taken(replace(asked, body=following), "compaction")

    async def _on_channel(self, step: _Step) -> list[Finding] | str:
        mode = self.wire.channels[step.name]
        asked = self._conversation(_message("user", "Say hello in one word."), tools=False, stream=True)
        written = self.wire.write(asked)
        headers = headers_of(self.wire, self.key)
        self.budget -= step.requests
        try:
            async with self.asking.talk(written.path, headers, step.name) as talk:
                shown = await on_channel(__package__, step.name).talked(talk, mode, json.loads(written.body))
        except TalkRefused as refused:
            return f"{refused}: the server has no {CHANNELS[step.name].label}"
        for side in shown.sides:
            sent = replace(written, body="\n".join(side.sent).encode())
            self._exchanges.append(ProbeExchange(sent, headers, side.answered))
        found = [self._broken("channel", expected, got) for expected, got in shown.wrong]
        found += [self._broken("channel error", expected, got) for expected, got in shown.formless]
        return [*found, *self._like_a_stream(written, shown.first)]

    def _like_a_stream(self, written: WrittenRequest, first: Answered | None) -> list[Finding]:
        """What the first response on a connection breaks that the streams over HTTP do not."""
        if first is None:
            return []
        text = self._replies.get("text")
        known = {each.id for each in self._grammar(written, text[1])} if text else set()
        found = [each for each in self._grammar(written, first) if each.id not in known]
        return [
            self._broken("channel", "the events of a stream", f"{each.id} at {each.detail}: {each.got}")
            for each in found[:1]
        ]

    # --- wrong requests -----------------------------------------------------------------------------------------

    async def _wrong_continuation(self, step: _Step) -> list[Finding] | str:
        call = Call(_WEATHER, '{"city": "Oslo"}', id=_ID)
        other = Result(_OTHER_ID, "4", _WEATHER)
        asked = _message("user", "What is the weather in Oslo?")
        messages: tuple[Message, ...]
        if step.name == "unanswered-call":
            messages = (asked, Message("assistant", (call,), ""), _message("user", "Well?"))
        else:
            messages = (asked, Message("tool", (other,), ""))
        return await self._probe_refusal(step, self.wire.write(self._conversation(*messages, tools=True, stream=False)))

    async def _wrong_request(self, step: _Step) -> list[Finding] | str:
        empty = self._conversation(tools=False, stream=False)
        hot = self._conversation(_message("user", "Hello."), tools=False, stream=False, **_HOT)
        return await self._probe_refusal(step, self.wire.write(empty), self.wire.write(hot))

    async def _unknown_tool(self, step: _Step) -> list[Finding] | str:
        asked = self._conversation(_message("user", "Hello."), tools=False, stream=False)
        return await self._refusal(step, _with(self.wire.write(asked), _members(self.wire).unknown_tools))

    async def _unknown_response(self, step: _Step) -> list[Finding] | str:
        asked = self._conversation(_message("user", "Hello."), tools=False, stream=False)
        found = await self._refusal(step, _with(self.wire.write(asked), _members(self.wire).unknown_earlier))
        answered, code = self._exchanges[-1].answered, _members(self.wire).unknown_code
        if found or _code(answered.body) == code:
            return found
        return [self._broken("unknown earlier response", f"the code {code}", _status(answered))]

    async def _wrong_key(self, step: _Step) -> list[Finding] | str:  # noqa: ARG002 - there is one key for all
        if not self.keyed:
            return "the server was asked without a key of its own (--key-env)"
        asked = self._conversation(_message("user", "Hello."), tools=False, stream=False)
        answered = await self._ask(asked, key="wrong-" + "0" * 32)
        if answered.status in (401, 403):
            return self._grammar(self.wire.write(asked), answered)
        return [self._broken("wrong key", "HTTP 401 or 403", _status(answered))]

    async def _probe_refusal(self, step: _Step, *wrong: WrittenRequest) -> list[Finding] | str:
        """What comes of the first of these requests that the provider certainly refuses, by our rules."""
        for asked in wrong:
            if certain := self._certainly_wrong(asked):
                why = f"the provider refuses it: {certain[0].id}"
                return [replace(each, detail=why) for each in await self._refusal(step, asked)]
        return "the provider takes such a request, too"

    async def _refusal(self, step: _Step, asked: WrittenRequest) -> list[Finding]:
        answered = await self._post(asked)
        assert step.rule is not None  # noqa: S101 - each such step has one
        if 400 <= answered.status < 500:
            return self._grammar(asked, answered)
        return [self._broken(step.rule, "HTTP 400", _status(answered))]

    async def _prompt_tokens(self, step: _Step) -> list[Finding] | str:  # noqa: ARG002 - it asks nothing
        without = self._replies.get("text") or self._replies.get("whole-text")
        beside = self._replies.get("call") or self._replies.get("forced-call")
        if without is None or beside is None:
            return "an answer is missing that it needs"
        fewer, more = without[2].turn.usage.input, beside[2].turn.usage.input
        if not (fewer and more):
            return "the server has counted no prompt tokens"
        if more > fewer:
            return []
        return [self._broken("prompt tokens", f"more than {fewer} tokens, for there is a tool", f"{more} tokens")]

    # --- judging ------------------------------------------------------------------------------------------------

    def _judge(self, step: _Step, asked: Conversation, answered: Answered) -> tuple[list[Finding], Reply | None]:
        """The findings of an answer to a right request, and what it says."""
        if answered.status != 200 or answered.broken:
            return [_finding("probe/answer", "HTTP 200 and a whole answer", _status(answered))], None
        found = self._grammar(self.wire.write(asked), answered)
        try:
            reply = self.wire.parse(answered.content_type, answered.body)
        except ValueError as error:
            return found or [_finding("probe/answer", "an answer that can be read", str(error))], None
        self._replies[step.name] = asked, answered, reply
        return found, reply

    def _grammar(self, asked: WrittenRequest, answered: Answered) -> list[Finding]:
        kind = answered.content_type
        response = ReceivedResponse(kind, answered.body, answered.status, json.loads(asked.body))
        return [each for each in judge_response(self.wire.name, response) if each.level != "INFO"]

    def _broken(self, step: ProbeStep, expected: str, got: str) -> Finding:
        rule = probe_rule(self.wire.name, step)
        if rule is None:
            return _finding(
                "probe/tokens" if step == "prompt tokens" else "probe/answer", expected, got, level="SHOULD"
            )
        return rule.broken("the answer", expected=expected, got=got)


_METHODS: Final[Mapping[str, Callable[[Probe, _Step], Awaitable[list[Finding] | str]]]] = {
    "text": Probe._text,
    "whole-text": Probe._text,
    "forced-call": Probe._forced_call,
    "whole-forced-call": Probe._forced_call,
    "call": Probe._call,
    "two-calls": Probe._two_calls,
    "token-limit": Probe._token_limit,
    "own-answer-back": Probe._own_answer_back,
    "own-text-back": Probe._own_text_back,
    "continuation": Probe._continuation,
    "compaction": Probe._compaction,
    **dict.fromkeys(CHANNELS, Probe._on_channel),
    "unanswered-call": Probe._wrong_continuation,
    "unknown-id": Probe._wrong_continuation,
    "wrong-request": Probe._wrong_request,
    "unknown-tool-type": Probe._unknown_tool,
    "unknown-response": Probe._unknown_response,
    "wrong-key": Probe._wrong_key,
    "prompt-tokens": Probe._prompt_tokens,
}
"""What does each step: findings, or why nothing is shown."""


def _message(role: Role, text: str) -> Message:
    return Message(role, (Text(text),), "")


def _with(asked: WrittenRequest, members: Json) -> WrittenRequest:
    """The request with more members in its body."""
    return replace(asked, body=json.dumps({**json.loads(asked.body), **members}).encode())


def _output(body: bytes) -> list[Json]:
    """The items that a compacted history consists of; none where the answer has none."""
    return objects(object_in(body).get("output"))


def _code(body: bytes) -> str:
    """The code of an error's body."""
    return string(members(object_in(body).get("error")).get("code"))


def _unfit(call: Call) -> list[Finding]:
    """Findings of the tool's schema about the arguments. Only this detects a call whose arguments never came."""
    problem = next(argument_problems(call.arguments, validator(_TOOL.parameters)), None)
    if problem is None:
        return []
    expected = "arguments that fit the schema of the tool"
    return [_finding("probe/arguments", expected, call.arguments or "none", problem.message, "SHOULD")]


def _finding(rule: str, expected: str, got: str, detail: str = "", level: str = "MUST") -> Finding:
    return Finding(rule, "SHOULD" if level == "SHOULD" else "MUST", "invalid", None, expected, got, detail)


def _nothing_came(answered: Answered) -> bool:
    """Whether the connection was closed before any answer."""
    return answered.status == 0 and bool(answered.broken) and not answered.broken.startswith(LATE)


def _status(answered: Answered) -> str:
    if answered.broken.startswith(LATE):
        return answered.broken
    text = " ".join(answered.body.decode("utf-8", "replace").split())[:300]
    broken = f" ({answered.broken})" if answered.broken else ""
    return f"HTTP {answered.status}{broken}: {text}"
