"""Runs of pytest with the plugin, loops for them to drive, and a scenario."""

from __future__ import annotations

import os

import pytest

from tests.commands import run_harness

PLUGIN = ("-p", "harness.pytest_plugin", "-p", "no:cacheprovider")


def run(pytester: pytest.Pytester, *options: str, plugins: tuple[str, ...] = ()) -> pytest.RunResult:
    more = [word for plugin in plugins for word in ("-p", plugin)]
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTEST_XDIST_WORKER", raising=False)  # or the run within takes itself for a worker
        return pytester.runpytest_inprocess("-W", "error", "--strict-markers", *PLUGIN, *more, *options)


def run_apart(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    """Run pytest in a process of its own, which need not do the imports. Warnings are no errors there."""
    env = {name: value for name, value in os.environ.items() if name != "PYTEST_XDIST_WORKER"}
    ended = run_harness(*PLUGIN, *options, cwd=pytester.path, env=env, module="pytest")
    return pytest.RunResult(ended.returncode, ended.stdout.splitlines(), ended.stderr.splitlines(), 0)


def ids(result: pytest.RunResult) -> list[str]:
    """What was collected, by ``--collect-only -q``."""
    return [line for line in result.outlines if "::" in line and not line.startswith("ERROR")]


LOOP = """
import json

from openai import AsyncOpenAI


async def run(assignment):
    async with AsyncOpenAI(base_url=assignment.base_url + "/v1", api_key="key", max_retries=0) as client:
        return await converse(assignment, client)


async def converse(assignment, client):
    tools = {tool.name: tool for tool in assignment.callables}
    keys = ("name", "description", "parameters")
    offered = [{"type": "function", "function": {key: getattr(t, key) for key in keys}} for t in tools.values()]
    messages = [{"role": role, "content": text} for role, text in assignment.prompt]
    while True:
        answer = await client.chat.completions.create(
            model=assignment.model, messages=messages, **({"tools": offered} if offered else {})
        )
        message = answer.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = await tools[call.function.name](json.loads(call.function.arguments), id=call.id)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
"""
"""A loop on Chat without a mistake in what these tests ask of it."""


def scenario(name: str, *lines: str, wires: str = "[openai-chat]", profile: str = "universal") -> str:
    """A scenario file; ``lines`` follow its head and wires."""
    head = (f"scenario: {name}", f"profile: {profile}", "summary: A test's own.", f"wires: {wires}", "prompt: Well?")
    return "\n".join([*head, *lines, ""])


def answer(name: str, *more: str, wires: str = "[openai-chat]") -> str:
    """The model answers at once."""
    return scenario(name, "model:", "  - text: Well.", "expect: {outcome: completed, requests: 1}", *more, wires=wires)


def weather(name: str, calls: int = 2) -> str:
    """The model asks for the weather, so many times in one turn, and then answers."""
    schema = "{type: object, properties: {city: {type: string}}, required: [city]}"
    tool = f"{{name: get_weather, description: The weather., parameters: {schema}, returns: {{celsius: 21}}}}"
    turn = [f"      - get_weather: {{city: '{number}'}}" for number in range(calls)]
    expected = "expect: {outcome: completed, requests: 2}"
    return scenario(name, f"tools: [{tool}]", "model:", "  - calls:", *turn, "  - text: Mild.", expected)
