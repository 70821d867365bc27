"""The measured program, case by case: ours does the same, or the case is listed with the reason.

Cases of the parser are compared as values; a block that is no call is a call here and none there, so it differs
(``DEVIATIONS``). Cases of the loop are asked of the session over a scripted endpoint.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from harness.golden.text_deviations import DEVIATIONS
from harness.loop.policy import HUGIND
from harness.loop.session import TurnFailed
from harness.loop.tools.arguments import parse_arguments
from harness.wire import ToolDeclaration
from harness.wire.text_tags import parse_tool_calls, strip_thinking, strip_tool_calls
from harness.wire.text_tags.repaired_json import RepairedJson
from tests.loop.sessions.text_tags_endpoint import Conversing, tool
from tests.loop.sessions.text_tags_run import requests, run
from tests.wire.openai_chat.chat_support import response
from tests.wire.text_tags.reading import call

pytestmark = pytest.mark.anyio

DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "deviations.md").read_text()


def calls_in(text: str) -> list[Any]:
    """The calls as a tool gets them; what cannot be run shows why."""
    found = []
    for each in parse_tool_calls(text):
        if each.problem:
            found.append({"name": each.name, "problem": each.problem})
        else:
            args = json.loads(each.arguments)
            found.append({"name": each.name, "args": parse_arguments(each.arguments) if args else args})
    return found


def repaired(text: str) -> str:
    return "".join(part.text for part in RepairedJson(depth=0).feed(text))


def assistant_step(text: str) -> Any:
    stripped, calls = strip_thinking(text), calls_in(text)
    return {
        "stripped_content": stripped,
        "calls": calls,
        "final_text_if_no_calls": None if calls else strip_tool_calls(stripped),
    }


# --- the loop's cases -------------------------------------------------------------------------------------------


async def results(given: Any) -> Any:
    tools = [tool(name) for name, _ in given["results"]]
    talk = Conversing("".join(call(each.name) for each in tools), "Done.", tools=tools)
    await talk.turn(*(text for _, text in given["results"]))
    await talk.turn()
    return talk.messages[-1]


async def result(value: Any, name: str = "search") -> str:
    talk = Conversing(call(name), "Done.")
    await talk.turn(value)
    await talk.turn()
    return str(talk.messages[-1]["content"]).removeprefix(f"Tool results:\n\n[{name}] ")


async def first_request(given: Any) -> Any:
    tools = [
        ToolDeclaration(name, description, {"type": "object", "properties": {key: {} for key in parameters}})
        for name, description, parameters in given["tools"]
    ]
    talk = Conversing("Hi.", tools=tools, prompt=(("system", given["system"]), ("user", given["user"])), stream=False)
    await talk.turn()
    request = talk.transport.requests[0]
    path = request.url.path.replace("/case/7/v1", "{base_url}")
    return {"method": request.method, "path": path, "body": talk.transport.bodies[0]}


async def nudge(given: Any) -> Any:
    result, _, desk = await run(
        *[call("search")] * (given["max_turns"] + 1), policy=HUGIND.with_limit(given["max_turns"])
    )
    sent = requests(desk)
    assert result.outcome == "turn-limit"
    results, demand = sent[-1][-2:]
    results["content"] = results["content"].replace("[search] Error: tool 'search' not found", "...")
    return {"requests": len(sent), "last_request_ends_with": [results, demand]}


async def nudge_fails(given: Any) -> Any:
    talk = Conversing(httpx2.Response(500, text="boom"))
    talk.session.append_user(HUGIND.answer_now)
    return {"ok": True, "final_text": (await talk.turn()).assistant_text}


async def status(given: Any) -> Any:
    await Conversing(httpx2.Response(given["status"], text=given["body"])).turn()


async def body(given: Any) -> Any:
    await Conversing(response([json.dumps(given["body"]).encode()], "application/json"), stream=False).turn()


async def not_here(given: Any) -> Any:
    """A promise that never settles, a command line: the reference loop has none."""


LOOP: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "result-message-two-tools": results,
    "result-undefined": lambda given: result(None),
    "result-empty-string": lambda given: result(given["tool_returns"]),
    "result-number-zero": lambda given: result(given["tool_returns"]),
    "result-object": lambda given: result(given["tool_returns"]),
    "result-throws-Error": lambda given: result(ValueError("boom")),
    "unknown-tool": lambda given: result(ValueError("Unknown tool: nope"), given["call"]["name"]),
    "never-resolving-promise": not_here,
    "first-request": first_request,
    "max-turns-nudge": nudge,
    "nudge-http-error": nudge_fails,
    "http-error-in-loop": status,
    "no-choices": body,
    "user-prompt-args": not_here,
}

PARSER: dict[str, Callable[[str], Any]] = {
    "parse_tool_calls": calls_in,
    "strip_thinking": strip_thinking,
    "strip_tool_calls": strip_tool_calls,
    "fix_unquoted_keys": repaired,
    "assistant_step": assistant_step,
}


async def ours(case: dict[str, Any]) -> Any:
    if case["fn"] in PARSER:
        return PARSER[case["fn"]](case["input"])
    try:
        return await LOOP[case["id"]](case["input"])
    except TurnFailed as failure:
        return {"error": f"{type(failure).__name__}: {failure}"}


def certain_cases(shared: Path) -> dict[str, dict[str, Any]]:
    cases = json.loads((shared / "golden" / "hugind" / "cases.json").read_text())["cases"]
    return {case["id"]: case for case in cases if case["certain"]}


async def test_every_certain_case_holds_or_is_a_listed_deviation(shared: Path) -> None:
    cases = certain_cases(shared)
    outcomes = {name: "holds" if await ours(case) == case["expected"] else "deviates" for name, case in cases.items()}
    unexplained = sorted(name for name, outcome in outcomes.items() if outcome == "deviates" and name not in DEVIATIONS)
    stale = sorted(name for name in DEVIATIONS if outcomes.get(name) != "deviates")
    assert (unexplained, stale) == ([], [])
    assert Counter(outcomes.values()) == {"holds": 36, "deviates": 26}


async def test_calls_that_the_program_drops_are_answered(shared: Path) -> None:
    """Wherever the program finds no call in a block, ours has a call: one that can be run or one that has a problem."""
    cases = certain_cases(shared).values()
    dropped = [case for case in cases if case["fn"] == "parse_tool_calls" and "tool_call" in case["input"]]
    assert len(dropped) > 20
    for case in dropped:
        assert parse_tool_calls(case["input"]), case["id"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("std-wins-over-gemma", [{"name": "a", "args": {}}, {"name": "b", "args": {"x": 1}}]),
        (
            "unclosed-then-closed",
            [{"name": "a", "problem": "<tool_call> stands where </tool_call> is expected"}, {"name": "b", "args": {}}],
        ),
        ("end-tag-inside-string", [{"name": "w", "args": {"content": "a</tool_call>b"}}]),
        ("call-colon-broken-args-become-empty", [{"name": "run", "problem": "'l' begins no value"}]),
        ("key-newline-before-colon", [{"name": "a", "args": {}}]),
        ("lone-surrogate", [{"name": "a", "args": {"s": "\ufffd"}}]),
        ("big-integer", [{"name": "a", "args": {"n": 12345678901234567890123}}]),
    ],
)
async def test_a_deviation_comes_out_like_this(name: str, found: list[Any], shared: Path) -> None:
    assert calls_in(certain_cases(shared)[name]["input"]) == found


@pytest.mark.parametrize("name", DEVIATIONS)
async def test_the_document_tells_every_deviation(name: str) -> None:
    assert f"`{name}`" in DOCUMENT
