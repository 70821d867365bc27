"""What the tools tell a policy: who runs them, and which failures the model can mend."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from harness.loop import ToolCall, ToolOutcome, ToolRuntime
from harness.loop.tools.tool import Arguments, Implementation, ToolError, Workbench
from harness.scenario import CANONICAL, Tool
from harness.scenario.tools import ScenarioTool
from harness.wire import ToolDeclaration
from harness.wire.text_tags.prompt import Skill
from tests.case_tables import from_table

ORDER = {
    "type": "object",
    "properties": {"dish": {"type": "string"}, "for": {"type": "integer", "minimum": 1}},
    "required": ["dish"],
    "additionalProperties": False,
}
CREATE, EDIT = (Tool(CANONICAL[name], canonical=True) for name in ("create_file", "edit_file"))


def tool(name: str, **says: Any) -> Tool:
    return Tool(ToolDeclaration(name, "", {"type": "object"}), **says)


def run(tools: ToolRuntime, name: str, arguments: str = "{}") -> ToolOutcome:
    return asyncio.run(tools.run(ToolCall("c", name, arguments)))


def test_tools_are_functions_unless_something_else_is_said() -> None:
    tools = ToolRuntime([tool("look"), tool("ask", kind="unapproved")])
    assert [tools.kind(name) for name in ("look", "ask", "unknown")] == ["function", "unapproved", "function"]


def test_what_comes_of_an_output_tool_are_its_arguments() -> None:
    tools = ToolRuntime([tool("done", kind="output")])
    assert run(tools, "done", '{"answer": 42}') == ToolOutcome({"answer": 42}, {"answer": 42})
    refused = run(tools, "done", "[42]")
    assert (refused.ok, refused.retry) == (False, True)


@pytest.mark.parametrize("kind", ["function", "output", "unapproved"])
@from_table(__file__, "test_arguments_that_break_the_schema_of_a_tool_are_for_the_model_to_mend")
def test_arguments_that_break_the_schema_of_a_tool_are_for_the_model_to_mend(
    kind: Any, arguments: str, said: str | None
) -> None:
    tools = ToolRuntime([Tool(ToolDeclaration("order", "", ORDER), kind=kind)])
    outcome = run(tools, "order", arguments)
    assert tools.accepts(ToolCall("c", "order", arguments)) == outcome.ok == (said is None)
    assert outcome.retry == (said is not None)
    if said is not None:
        assert isinstance(outcome.result, dict)
        assert said in str(outcome.result["error"])


def test_a_tool_that_is_not_offered_cannot_be_run() -> None:
    assert not ToolRuntime([tool("look")]).accepts(ToolCall("c", "book", "{}"))


def test_a_schema_that_cannot_be_read_is_a_crash_and_not_for_the_model_to_mend() -> None:
    lost = ToolDeclaration("order", "", {"type": "object", "properties": {"dish": {"$ref": "#/nowhere"}}})
    tools = ToolRuntime([Tool(lost)])
    outcome = run(tools, "order", '{"dish": "soup"}')
    assert (outcome.ok, outcome.retry) == (False, False)
    assert not tools.accepts(ToolCall("c", "order", '{"dish": "soup"}'))


@from_table(__file__, "test_a_call_that_was_wrong_may_be_made_again_and_a_tool_that_fails_fails")
def test_a_call_that_was_wrong_may_be_made_again_and_a_tool_that_fails_fails(
    name: str, arguments: str, retry: bool
) -> None:
    tools = ToolRuntime([CREATE, EDIT, tool("fails", raises="no")])
    outcome = run(tools, name, arguments)
    assert (outcome.ok, outcome.retry) == (False, retry)


def test_a_crash_is_not_for_the_model_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    async def crash(bench: Workbench, arguments: Arguments) -> ToolOutcome:
        raise ZeroDivisionError("oops")

    tools = ToolRuntime([tool("look")])
    monkeypatch.setitem(tools._tools, "look", Implementation(run=crash, summary=dict))
    assert run(tools, "look") == ToolError("ZeroDivisionError: oops", retry=False).outcome


def test_skills_are_loaded_by_the_loop() -> None:
    tools = ToolRuntime([tool("ask", kind="external")], skills={"bakery": Skill("Bread", "Warm.")})
    assert [tools.kind(name) for name in ("activate_skill", "ask")] == ["function", "external"]
    accepted = [tools.accepts(ToolCall("c", name, "{}")) for name in ("activate_skill", "ask", "unknown")]
    assert accepted == [True, True, False]


async def _price(bench: Workbench, arguments: Arguments) -> ToolOutcome:
    price = bench.deps["prices"][arguments["fruit"]]
    return ToolOutcome(price, price, extra=f"It costs ${price}.", metadata={"looked up": arguments["fruit"]})


def test_tools_use_what_the_program_around_the_loop_gives_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.loop.tools.runtime.implementation", lambda _: Implementation(_price, dict))
    price = Tool(ToolDeclaration("price", "", {"type": "object"}), canonical=True)
    tools = ToolRuntime([price], deps={"prices": {"apple": 10.0}})
    assert run(tools, "price", '{"fruit": "apple"}').result == 10.0
    assert "KeyError" in str(run(tools, "price", '{"fruit": "fig"}').result)
    assert not run(ToolRuntime([price]), "price", '{"fruit": "apple"}').ok


def test_a_function_may_say_what_is_for_whom(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = ToolOutcome(10.0, "ten", extra="It costs $10.", metadata={"currency": "USD"})
    declared = ScenarioTool(ToolDeclaration("price", "", {"type": "object"}), lambda _: outcome)
    monkeypatch.setattr("harness.loop.tools.registered.registered", lambda _: declared)
    assert run(ToolRuntime([Tool(declared.declaration, canonical=True)]), "price") == outcome
