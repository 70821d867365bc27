"""Rules that the body alone shows: each is broken by a request that differs in one thing."""

from __future__ import annotations

import pytest

from tests.wire.anthropic_messages.histories import TOOLS, Body, assistant, body_of, call, judge, result, text, user

PAIR = "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
FOUND = "`tool_use` ids were found without `tool_result` blocks immediately after:"


def without(body: Body, name: str) -> Body:
    return {key: value for key, value in body.items() if key != name}


def search(call_id: str) -> Body:
    return {"type": "server_tool_use", "id": call_id, "name": "web_search", "input": {}}


BROKEN: dict[str, tuple[Body, str, str, str]] = {
    "no result": (
        body_of(user("a"), assistant(call("x"), call("y"), call("z")), user(result("y"))),
        "ANT-01",
        "messages.1",
        f"messages.1: {FOUND} x, z. {PAIR}",
    ),
    "call at the end": (
        body_of(user("a"), assistant(call("x")), model="claude-haiku-4-5"),
        "ANT-01",
        "messages.1",
        f"messages.1: {FOUND} x. {PAIR}",
    ),
    "text before the result": (
        body_of(user("a"), assistant(call("x"), call("y")), user(result("x"), text("so"), result("y"))),
        "ANT-02",
        "messages.1",
        f"messages.1: {FOUND} y. {PAIR}",
    ),
    "unknown result": (
        body_of(user("a"), assistant(call("x")), user(result("x"), result("q"))),
        "ANT-03",
        "messages.2.content.1",
        "messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: q. Each `tool_result` "
        "block must have "
        "a corresponding `tool_use` block in the previous message.",
    ),
    "result of an earlier turn": (
        body_of(user("a"), assistant(call("x")), user(result("x")), assistant(text("b")), user(result("x"))),
        "ANT-03",
        "messages.4.content.0",
        "messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: x. Each `tool_result` "
        "block must have "
        "a corresponding `tool_use` block in the previous message.",
    ),
    "two results": (
        body_of(user("a"), assistant(call("x")), user(result("x"), result("x"))),
        "ANT-04",
        "messages.2.content.1",
        "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: x",
    ),
    "an id twice": (
        body_of(user("a"), assistant(call("x")), user(result("x")), assistant(text("b"), call("x")), user(result("x"))),
        "ANT-05",
        "messages.3.content.1",
        "messages.3.content.1: `tool_use` ids must be unique",
    ),
    "result in an assistant message": (
        body_of(user("a"), assistant(result("x")), user("b")),
        "ANT-06",
        "messages.1",
        "messages.1: `tool_result` blocks can only be in `user` messages",
    ),
    "call in a user message": (
        body_of(user(call("x"))),
        "ANT-06",
        "messages.0",
        "messages.0: `tool_use` blocks can only be in `assistant` messages",
    ),
    "arguments as text": (
        body_of(user("a"), assistant(call("x") | {"input": "{}"}), user(result("x"))),
        "ANT-07",
        "messages.1.content.0.tool_use.input",
        "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ),
    "no name": (
        body_of(user("a"), assistant(call("x", "")), user(result("x"))),
        "ANT-07",
        "messages.1.content.0.tool_use.name",
        "messages.1.content.0.tool_use.name: String should have at least 1 character",
    ),
    "alphabet of ids": (
        body_of(user("a"), assistant(call("f.add:0")), user(result("f.add:0"))),
        "ANT-08",
        "messages.1.content.0.tool_use.id",
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ),
    "no signature": (
        body_of(user("a"), assistant({"type": "thinking", "thinking": "t"}, text("b")), user("c")),
        "ANT-09",
        "messages.1.content.0.thinking.signature",
        "messages.1.content.0.thinking.signature: Field required",
    ),
    "no tool_use_id": (
        body_of(user("a"), assistant(text("b")), user({"type": "tool_result", "content": "ok"})),
        "ANT-09",
        "messages.2.content.0.tool_result.tool_use_id",
        "messages.2.content.0.tool_result.tool_use_id: Field required",
    ),
    "null id": (
        body_of(user("a"), assistant(call("x") | {"id": None}), user("b")),
        "ANT-09",
        "messages.1.content.0.tool_use.id",
        "messages.1.content.0.tool_use.id: Input should be a valid string",
    ),
    "no max_tokens": (without(body_of(user("a")), "max_tokens"), "ANT-09", "max_tokens", "max_tokens: Field required"),
    "no role": (body_of({"content": "a"}), "ANT-09", "messages.0.role", "messages.0.role: Field required"),
    "no content": (body_of({"role": "user"}), "ANT-09", "messages.0.content", "messages.0.content: Field required"),
    "a string for a message": (
        body_of("a"),
        "ANT-09",
        "messages.0",
        "messages.0: Input does not match the expected shape.",  # type: ignore[arg-type]
    ),
    "another role": (
        body_of({"role": "tool", "content": "a"}),
        "ANT-ROLE",
        "messages.0.role",
        'messages: Unexpected role "tool". Allowed roles are "user" or "assistant".',
    ),
    "unknown member of the body": (body_of(user("a"), foo=1), "ANT-10", "foo", "foo: Extra inputs are not permitted"),
    "unknown member of a message": (
        body_of(user("a") | {"name": "bob"}),
        "ANT-10",
        "messages.0.name",
        "messages.0.name: Extra inputs are not permitted",
    ),
    "unknown member of a block": (
        body_of(user("a"), assistant(call("x") | {"foo": 1}), user(result("x"))),
        "ANT-10",
        "messages.1.content.0.tool_use.foo",
        "messages.1.content.0.tool_use.foo: Extra inputs are not permitted",
    ),
    "empty text": (
        body_of(user("a"), assistant(text(""), call("x")), user(result("x"))),
        "ANT-11",
        "messages.1.content.0",
        "messages: text content blocks must be non-empty",
    ),
    "blank text": (
        body_of(user(text(" \n"))),
        "ANT-11",
        "messages.0.content.0",
        "messages: text content blocks must contain non-whitespace text",
    ),
    "blank system": (
        body_of(user("a"), system=[text(" ")]),
        "ANT-11",
        "system.0",
        "system: text content blocks must contain non-whitespace text",
    ),
    "empty message": (
        body_of(user("a"), assistant(), user("b")),
        "ANT-12",
        "messages.1",
        "messages.1: all messages must have non-empty content except for the optional final assistant message",
    ),
    "no messages": (body_of(), "ANT-12", "messages", "messages: at least one message is required"),
    "prefill": (
        body_of(user("a"), assistant(text("b"))),
        "ANT-13",
        "messages.1",
        "This model does not support assistant message prefill. The conversation must end with a user message.",
    ),
    "manual thinking without thinking": (
        body_of(
            user("a"), assistant(call("x")), user(result("x")), thinking={"type": "enabled", "budget_tokens": 2000}
        ),
        "ANT-16",
        "messages.1.content.0.type",
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When "
        "`thinking` is enabled, "
        "a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and "
        "`tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this "
        "requirement, "
        "disable `thinking`. Please consult our documentation at "
        "https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
    ),
    "thinking not first": (
        body_of(
            user("a"),
            assistant(text("b"), {"type": "thinking", "thinking": "t", "signature": "c2lnbg=="}, text("d")),
            user("c"),
            thinking={"type": "enabled", "budget_tokens": 2000},
        ),
        "ANT-17",
        "messages.1.content.0",
        "messages.1.content.0: If an assistant message contains any thinking blocks, the first block must be "
        "`thinking` or "
        "`redacted_thinking`. Found `text`.",
    ),
    "forced tool": (
        body_of(user("a"), model="claude-opus-5-5", tool_choice={"type": "any"}),
        "ANT-19",
        "tool_choice",
        'tool_choice: type "tool" and "any" are not supported for this model.',
    ),
    "forced tool with manual thinking": (
        body_of(user("a"), tool_choice={"type": "any"}, thinking={"type": "enabled", "budget_tokens": 2000}),
        "ANT-20",
        "tool_choice",
        "Thinking may not be enabled when tool_choice forces tool use.",
    ),
    "a tool twice": (body_of(user("a"), tools=TOOLS[:1] * 2), "ANT-21", "tools", "tools: Tool names must be unique."),
    "alphabet of tool names": (
        body_of(user("a"), tools=[TOOLS[0] | {"name": "a.b"}]),
        "ANT-21",
        "tools.0.custom.name",
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ),
    "schema of a string": (
        body_of(user("a"), tools=[TOOLS[0] | {"input_schema": {"type": "string"}}]),
        "ANT-22",
        "tools.0.custom.input_schema.type",
        "tools.0.custom.input_schema.type: Input should be 'object'",
    ),
    "schema without a type": (
        body_of(user("a"), tools=[TOOLS[0] | {"input_schema": {}}]),
        "ANT-22",
        "tools.0.custom.input_schema.type",
        "tools.0.custom.input_schema.type: Field required",
    ),
    "server tool without its result": (
        body_of(user("a"), assistant(search("srvtoolu_1"), text("b")), user("c")),
        "ANT-23",
        "messages.1.content.0",
        "`web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block",
    ),
    "result without its server tool": (
        body_of(user("a"), assistant({"type": "advisor_tool_result", "tool_use_id": "srv", "content": {}}), user("c")),
        "ANT-23",
        "messages.1.content.0",
        "messages.1.content.0: unexpected `tool_use_id` found in `advisor_tool_result` blocks: srv. Each "
        "`advisor_tool_result` "
        "block must have a corresponding `server_tool_use` block before it.",
    ),
    "system in the middle": (
        body_of(user("a"), {"role": "system", "content": "b"}, user("c"), model="claude-opus-4-8"),
        "ANT-24",
        "messages.1",
        "messages.1: `system` messages must come after a `user` turn, before an `assistant` turn or at the end",
    ),
    "small budget": (
        body_of(user("a"), thinking={"type": "enabled", "budget_tokens": 10}),
        "ANT-25",
        "thinking.enabled.budget_tokens",
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    ),
    "large budget": (
        body_of(user("a"), thinking={"type": "enabled", "budget_tokens": 9000}),
        "ANT-25",
        "max_tokens",
        "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at "
        "https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size",
    ),
    "empty result list": (
        body_of(user("a"), assistant(call("x")), user(result("x", []))),
        "ANT-27",
        "messages.2.content.0.tool_result.content",
        "messages.2.content.0.tool_result.content: List should have at least 1 item after validation, not 0",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_by_what_the_body_shows(name: str) -> None:
    body, rule, at, message = BROKEN[name]
    found = {(violation.id, violation.answered.place): violation for violation in judge(body)}
    assert (rule, at) in found, found
    assert found[rule, at].answered.message == message
    assert found[rule, at].expected
    assert found[rule, at].got
    assert found[rule, at].answered.status == 400


@pytest.mark.parametrize(
    "name",
    sorted(
        set(BROKEN)
        - {
            "call at the end",
            "result in an assistant message",
            "call in a user message",
            "null id",
            "no role",
            "no tool_use_id",
            "no signature",
        }
    ),
)
def test_nothing_else_is_said_of_it(name: str) -> None:
    """One mistake is one violation, unless it is two by its nature."""
    assert {violation.id for violation in judge(BROKEN[name][0])} == {BROKEN[name][1]}


def test_results_over_several_messages_are_only_inferred_to_be_wrong() -> None:
    body = body_of(user("a"), assistant(call("x"), call("y")), user(result("x")), user(result("y")))
    [violation] = judge(body)
    assert (violation.id, violation.level, violation.answered.place) == ("ANT-01", "INFO", "messages.1")
    assert violation.answered.message == f"messages.1: {FOUND} y. {PAIR}"


def test_an_id_twice_is_certain_in_one_turn_and_likely_over_turns() -> None:
    """The provider has been seen to accept the latter from a history of another provider's (recorded)."""
    in_one = body_of(user("a"), assistant(call("x"), call("x")), user(result("x")))
    over_two = body_of(user("a"), assistant(call("x")), user(result("x")), assistant(call("x")), user(result("x")))
    for body, level in ((in_one, "MUST"), (over_two, "SHOULD")):
        levels = [violation.level for violation in judge(body) if violation.id == "ANT-05"]
        assert levels == [level]
