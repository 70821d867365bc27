"""What the schema forbids, reported in the provider's words and with its places.

A place goes through the types of the objects on its way (``messages.1.content.0.tool_use.input``): the provider's
validator names the branch that it has chosen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from harness.finding import Finding
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES, SETTINGS_RULES
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, Settings
from harness.wire.anthropic_messages.rules.places import blocks, messages, rename, show_image, text, tools
from harness.wire.anthropic_messages.schema import HISTORY, SETTINGS
from harness.wire.base import Json
from harness.wire.judge import DeclaredRules
from harness.wire.posted import Posted, Right, Wrong, add, drop, put
from harness.wire.rule import ErrorTemplate, WireRule
from harness.wire.shape import Fault

_QUOTED: Final = "quoted word for word in public code"

_TYPES: Mapping[str, str] = {"object": "dictionary", "array": "list"}
"""The provider's names for types of JSON, if it has its own."""

_TAGGED_LISTS = ("content", "tools")
_TAGGED = ("source", "thinking", "tool_choice")
_UNTYPED = {"tools": "custom"}

_LONGEST = 60


ANT_09: Final = WireRule(
    "ANT-09",
    "Members that the API requires are there and have their type: model, max_tokens and messages, the role and content "
    "of a message, and what each type of block cannot do without.",
    "A loop that builds blocks from its own records drops a signature or an id, and every further request fails.",
    "certain",
    (
        f"{_QUOTED}; each member confirmed by a refusal",
        "recording anthropic_completion_error (a message that is none)",
        "wrong types: likely, the API's texts are those of its validator",
    ),
    (
        ErrorTemplate(
            "{at}: Field required", seen="messages.2.content.0.tool_result.tool_use_id: Field required", name="required"
        ),
        ErrorTemplate("{at}: Input should be a valid {type}", certainty="likely", name="type"),
        ErrorTemplate(
            "{at}: Input does not match the expected shape.",
            seen="messages.0: Input does not match the expected shape.",
            name="shape",
        ),
    ),
    wrong=(
        Wrong(
            "ant-max-tokens-missing",
            "There is no max_tokens.",
            lambda it: drop([it.body], "max_tokens"),
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-model-missing", "There is no model.", lambda it: drop([it.body], "model"), "one-call two-calls foreign"
        ),
        Wrong(
            "ant-messages-missing",
            "There are no messages.",
            lambda it: drop([it.body], "messages"),
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-max-tokens-as-text",
            "max_tokens is text.",
            lambda it: put([it.body], max_tokens="20000"),
            "one-call two-calls foreign",
            says="type",
        ),
        Wrong(
            "ant-messages-as-text",
            "The prompt takes the place of the messages.",
            lambda it: put([it.body], messages="What?"),
            "one-call two-calls foreign",
            says="type",
        ),
        Wrong(
            "ant-system-as-object",
            "system is one block and no list.",
            lambda it: put([it.body], system=text("Be brief.")),
            "one-call two-calls foreign",
            says="type",
        ),
        Wrong(
            "ant-tools-as-object",
            "The tools are an object, by their names.",
            lambda it: put([it.body], tools={}),
            "one-call two-calls foreign",
            says="type",
        ),
        Wrong(
            "ant-content-null",
            "A message has null for its content.",
            lambda it: put(messages(it)[-1:], content=None),
            "one-call two-calls foreign",
            says="type",
        ),
        Wrong(
            "ant-role-missing",
            "A message has no role.",
            lambda it: drop(messages(it)[-1:], "role"),
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-text-for-a-message",
            "A text takes the place of a message.",
            lambda it: add([it.body], "messages", "And now?"),
            "one-call two-calls foreign",
            says="shape",
        ),
        Wrong(
            "ant-signature-missing",
            "A thinking block has no signature.",
            lambda it: drop(blocks(it, "thinking")[-1:], "signature"),
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-result-id-missing",
            "A result names no call.",
            lambda it: drop(blocks(it, "tool_result")[-1:], "tool_use_id"),
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-call-id-null",
            "The id of a call is null.",
            lambda it: put(blocks(it, "tool_use")[-1:], id=None),
            "one-call two-calls foreign",
            says="type",
        ),
        Wrong(
            "ant-arguments-missing",
            "A call has no input.",
            lambda it: drop(blocks(it, "tool_use")[-1:], "input"),
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-type-missing",
            "A result does not say that it is one.",
            lambda it: drop(blocks(it, "tool_result")[-1:], "type"),
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-is-error-as-text",
            "is_error is text.",
            lambda it: put(blocks(it, "tool_result")[-1:], is_error="true"),
            "one-call two-calls foreign",
            says="type",
        ),
        Wrong(
            "ant-image-without-source",
            "An image has a source without a type.",
            lambda it: show_image(it, {"url": "https://a.test/a.png"}),
            "one-call",
        ),
    ),
)

ANT_10: Final = WireRule(
    "ANT-10",
    "A request has no members that the API does not know: in the body, in messages, in blocks and in tools.",
    "A loop that keeps notes of its own in the history, or sends all that response objects carry, is refused.",
    "certain",
    (f"{_QUOTED}; members of blocks confirmed by refusals", "members of tools: likely"),
    (
        ErrorTemplate(
            "{at}: Extra inputs are not permitted",
            seen="messages.1.content.0.tool_use.foo: Extra inputs are not permitted",
            name="additionalProperties",
        ),
        ErrorTemplate("{at}: Extra inputs are not permitted", certainty="likely", name="tool"),
    ),
    wrong=(
        Wrong(
            "ant-note-in-the-body",
            "The body has a member of the client's own.",
            lambda it: put([it.body], session="abc"),
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-note-in-a-message",
            "A message has the id that the response came with.",
            lambda it: put(messages(it)[-1:], id="msg_01"),
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-note-in-a-call",
            "A call says when it was made.",
            lambda it: put(blocks(it, "tool_use")[-1:], timestamp=1),
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-note-in-a-result",
            "A result says which tool it is of, as on other wires.",
            lambda it: put(blocks(it, "tool_result")[-1:], name="read_file"),
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-note-in-thinking",
            "A thinking block is numbered.",
            lambda it: put(blocks(it, "thinking")[-1:], index=0),
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-note-in-a-tool",
            "A tool says which server it is of.",
            lambda it: put(tools(it)[:1], server="files"),
            "one-call two-calls foreign",
            says="tool",
        ),
    ),
)

ANT_RANGE: Final = WireRule(
    "ANT-RANGE",
    "Numbers are within their bounds: max_tokens and top_k are not negative, temperature and top_p are from 0 to 1.",
    "Other providers take a temperature of up to 2.",
    "certain",
    (
        "recording validation_error_carries_identity (temperature)",
        "that other members have bounds: inferred; a top_p of -1 was answered",
    ),
    (
        ErrorTemplate("{at}: range: 0..1", seen="temperature: range: 0..1", name="range"),
        ErrorTemplate("{at}: Input should be greater than or equal to {wanted}", certainty="inferred", name="minimum"),
        ErrorTemplate("{at}: Input should be a valid {type}", certainty="likely", name="type"),
    ),
    applies="certain for temperature, inferred for the others",
    wrong=(
        Wrong(
            "ant-temperature-too-high",
            "The temperature is 1.5.",
            lambda it: put([it.body], temperature=1.5),
            "one-call manual-thinking foreign",
        ),
        Wrong(
            "ant-temperature-as-text",
            "The temperature is text.",
            lambda it: put([it.body], temperature="low"),
            "one-call manual-thinking foreign",
            says="type",
        ),
        Wrong(
            "ant-max-tokens-negative",
            "max_tokens is negative.",
            lambda it: put([it.body], max_tokens=-1),
            "one-call manual-thinking foreign",
            says="minimum",
        ),
    ),
)


@SETTINGS_RULES.check("members", ANT_09, ANT_10, ANT_RANGE)
def of_settings(settings: Settings) -> Iterator[Finding]:
    """ANT-09, ANT-10, ANT-21, ANT-22, ANT-25, ANT-29 and more: the members of the body beside its messages."""
    for fault in SETTINGS.faults(settings.body):
        yield _finding(fault, _place(fault, settings.body))


ANT_07: Final = WireRule(
    "ANT-07",
    "The input of a tool_use is a JSON object, also when the call has no arguments, and its name is not empty.",
    "A loop that keeps arguments as text (as other providers send them), or whose model wrote broken JSON, has to send "
    "an object back.",
    "certain",
    (f"{_QUOTED}, ten times",),
    (
        ErrorTemplate(
            "{at}: Input should be a valid {type}",
            seen="messages.35.content.0.tool_use.input: Input should be a valid dictionary",
            name="type",
        ),
        ErrorTemplate(
            "{at}: String should have at least {wanted} character",
            seen="….tool_use.name: String should have at least 1 character",
            name="minLength",
        ),
    ),
    about=("words",),
    wrong=(
        Wrong(
            "ant-arguments-as-text",
            "The arguments of a call are JSON text.",
            lambda it: [put([call], input=json.dumps(call["input"])) for call in blocks(it, "tool_use")[-1:]],
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-arguments-null",
            "A call without arguments has null for them.",
            lambda it: put(blocks(it, "tool_use")[-1:], input=None),
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-name-empty",
            "A call names no tool.",
            lambda it: put(blocks(it, "tool_use")[-1:], name=""),
            "one-call two-calls foreign",
            says="minLength",
        ),
    ),
)


def _rename_a_search(posted: Posted) -> bool:
    put(blocks(posted, "web_search_tool_result"), tool_use_id="call_search")
    return put(blocks(posted, "server_tool_use"), id="call_search")


ANT_08: Final = WireRule(
    "ANT-08",
    "The id of a tool_use, and the id that a tool_result names, have only letters, digits, _ and -. That of a "
    "server_tool_use begins with srvtoolu_.",
    "A history that another provider's model has written may have ids such as functions.add:0.",
    "certain",
    (
        "https://github.com/anomalyco/opencode/issues/1279",
        "of a server_tool_use: https://github.com/ding113/claude-code-hub/issues/470",
        "that of a tool_result is checked likewise: likely",
    ),
    (
        ErrorTemplate(
            "{at}: String should match pattern '{wanted}'",
            seen="messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
            name="pattern",
        ),
        ErrorTemplate(
            "{at}: String should match pattern '{wanted}'",
            seen="….content.2.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
            name="server",
        ),
        ErrorTemplate("{at}: String should match pattern '{wanted}'", certainty="likely", name="result"),
    ),
    about=("ids",),
    wrong=(
        Wrong(
            "ant-id-of-another-provider",
            "A call has an id with dots and colons in it.",
            lambda it: [rename(it, {call["id"]: "functions.read_file:0"}) for call in blocks(it, "tool_use")[-1:]],
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-result-of-another-provider",
            "A result names an id with dots in it.",
            lambda it: put(blocks(it, "tool_result")[-1:], tool_use_id="functions.read_file:0"),
            "one-call two-calls foreign",
            says="result",
        ),
        Wrong(
            "ant-server-call-renamed",
            "A server tool's call and its result have an id of another provider's.",
            _rename_a_search,
            "paused",
            says="server",
        ),
    ),
)


def _answer_without_content(posted: Posted) -> bool:
    drop(blocks(posted, "tool_result"), "content")
    return put(blocks(posted, "tool_result"), is_error=True)


ANT_27: Final = WireRule(
    "ANT-27",
    "The content of a tool_result is text, a list of at least one block, or not there at all.",
    "A tool that returned nothing becomes an empty list in many loops.",
    "likely",
    ("a comment of pydantic-ai's that it is rejected; the provider's text is not known",),
    (ErrorTemplate("{at}: List should have at least {wanted} item after validation, not 0", name="minItems"),),
    wrong=(
        Wrong(
            "ant-result-list-empty",
            "A tool returned nothing, and its result is an empty list.",
            lambda it: put(blocks(it, "tool_result")[-1:], content=[]),
            "one-call two-calls foreign",
        ),
    ),
    right=(
        Right("ant-result-without-content", "Results without content.", _answer_without_content, "one-call foreign"),
    ),
)


@HISTORY_RULES.check("members", ANT_07, ANT_08, ANT_09, ANT_10, ANT_27)
def of_history(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-07 to ANT-10, ANT-12, ANT-27, ANT-IMAGE: messages, blocks and what is in them."""
    start, body = history.prefix.length, history.conversation.body
    judged: Json = {"messages": body["messages"][start:] if start else body["messages"]} if "messages" in body else {}
    for fault in HISTORY.faults(judged):
        at = _place(fault, judged)
        if len(fault.path) > 1:
            number = int(fault.path[1])
            at = history.place(start + number) + at.removeprefix(f"messages.{number}")
        yield _finding(fault, at)


def shown(value: Any) -> str:
    """A value as JSON, shortened."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _finding(fault: Fault, at: str) -> Finding:
    rule, _, template = fault.rule.partition("/")
    words = {"wanted": fault.wanted, "type": _type(fault.wanted), "choices": _choices(fault.wanted)}
    expected, got = _contrast(fault, words)
    holder = at.rpartition(".")[0]
    return _rules()[rule].broken(
        at,
        expected=expected,
        got=got,
        template=template or fault.keyword,
        bound=() if fault.is_bound else None,
        holder=holder,
        **words,
    )


@cache
def _rules() -> Mapping[str, WireRule]:
    return {rule.id: rule for rule in DeclaredRules(SETTINGS_RULES, HISTORY_RULES)}


def _contrast(fault: Fault, words: Mapping[str, Any]) -> tuple[str, str]:
    match fault.keyword:
        case "required":
            return f"the member {fault.member}", "no such member"
        case "additionalProperties":
            return "no such member", fault.member
        case "type":
            return str(words["type"]), shown(fault.value)
        case "enum" | "const":
            return str(words["choices"]), shown(fault.value)
        case keyword:
            return f"{keyword} {fault.wanted}", shown(fault.value)


def _type(wanted: Any) -> str:
    """The type that a message asks for; if there are several, the richer one."""
    names = wanted if isinstance(wanted, list) else [wanted]
    name = "array" if "array" in names else str(names[0])
    return _TYPES.get(name, name)


def _choices(wanted: Any) -> str:
    values = [f"'{value}'" for value in (wanted if isinstance(wanted, list) else [wanted]) if value is not None]
    return f"{', '.join(values[:-1])} or {values[-1]}" if len(values) > 1 else "".join(values)


# --- places ---------------------------------------------------------------------------------------------------


def _place(fault: Fault, body: Json) -> str:
    path: Sequence[str | int] = (*fault.path, fault.member) if fault.member else fault.path
    words: list[str] = []
    here: Any = body
    for depth, step in enumerate(path):
        if step != "type" and (tag := _tag(path[:depth], here)):
            words.append(tag)
        words.append(str(step))
        here = here[step] if depth < len(fault.path) else None
    return ".".join(words)


def _tag(path: Sequence[str | int], here: Any) -> str:
    """The branch that an object was taken for, if it is one of several kinds."""
    if not path or not isinstance(here, dict):
        return ""
    inside = path[-2] if isinstance(path[-1], int) and len(path) > 1 else ""
    if path[-1] not in _TAGGED and inside not in _TAGGED_LISTS:
        return ""
    return str(here.get("type") or _UNTYPED.get(str(inside), ""))
