"""Differences that have a name, and adapters that are broken on purpose, which the recordings find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.imports import DIFFERENCES
from harness.loop.session import CallResult, ProviderTurn
from harness.wire import NATIVE_WIRES, NativeWireName
from harness_lab.mutants.sessions import DropsTheLastResult
from tests.imports.exchanges import Exchange, loop, write_vcr
from tests.imports.replaying import replayed


async def differences(tmp_path: Path, *exchanges: Exchange) -> list[str]:
    write_vcr(tmp_path / "loop.yaml", *exchanges)
    (outcome,), _ = await replayed(tmp_path)
    assert outcome.verdict == "explained"
    assert set(outcome.names) <= {reason.name for reason in DIFFERENCES}
    return list(outcome.names)


# --- differences ----------------------------------------------------------------------------------------------


def no_thinking(request: dict[str, Any]) -> None:
    del request["messages"][1]["content"][0]


def no_text(request: dict[str, Any]) -> None:
    request["messages"][2]["content"] = None


def another_spelling_and_order(request: dict[str, Any]) -> None:
    messages = request["messages"]
    messages[2]["tool_calls"][0]["function"]["arguments"] = '{ "city": "P\\u0061ris" }'
    messages[3]["content"] = "mild"
    messages[3:] = reversed(messages[3:])


def ids_that_gemini_has_not_given(request: dict[str, Any]) -> None:
    for number in (0, 1):
        request["contents"][1]["parts"][number]["functionCall"]["id"] = f"own-{number}"
        request["contents"][2]["parts"][number]["functionResponse"]["id"] = f"own-{number}"
    request["contents"][2]["parts"][0]["functionResponse"]["response"] = {"result": 18}


def a_named_turn(request: dict[str, Any]) -> None:
    request["input"] = request["input"][-2:]
    request["previous_response_id"] = "resp_1"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("wire", "edit", "names"),
    [
        ("anthropic-messages", no_thinking, ["thinking left out", "proofs left out"]),
        ("openai-chat", no_text, ["text left out"]),
        (
            "openai-chat",
            another_spelling_and_order,
            ["arguments spelled otherwise", "results as JSON text", "results in another order"],
        ),
        ("gemini-generate", ids_that_gemini_has_not_given, ["ids changed", "results in an envelope"]),
        ("openai-responses", a_named_turn, ["turn named by its id"]),
    ],
)
async def test_a_difference_of_the_recorded_loop_has_a_name(
    wire: NativeWireName, edit: Callable[[dict[str, Any]], None], names: list[str], tmp_path: Path
) -> None:
    first, last = loop(wire)
    assert await differences(tmp_path, first, last.asking(edit)) == names


@pytest.mark.anyio
@pytest.mark.parametrize("wire", NATIVE_WIRES)
async def test_what_the_user_says_beside_results_is_no_difference(wire: NativeWireName, tmp_path: Path) -> None:
    members = {"openai-responses": "input", "gemini-generate": "contents"}
    words = {"parts": [{"text": "And Oslo?"}]} if wire == "gemini-generate" else {"content": "And Oslo?"}

    def asking(request: dict[str, Any]) -> None:
        request[members.get(wire, "messages")].append({"role": "user", **words})

    first, last = loop(wire)
    write_vcr(tmp_path / "loop.yaml", first, last.asking(asking))
    (outcome,), _ = await replayed(tmp_path)
    assert (outcome.verdict, outcome.differences) == ("agrees", ())


# --- broken adapters ------------------------------------------------------------------------------------------


class _Broken:
    """A session that changes one thing of what goes back."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def append_tool_results(self, turn: ProviderTurn, call_results: list[CallResult]) -> None:
        self._inner.history += self.turn_messages(turn) + self.result_messages(turn, call_results)

    def turn_messages(self, turn: ProviderTurn) -> list[Any]:
        native: list[Any] = self._inner.turn_messages(turn)
        return native

    def result_messages(self, turn: ProviderTurn, call_results: list[CallResult]) -> list[Any]:
        native: list[Any] = self._inner.result_messages(turn, call_results)
        return native


class DropsThinking(_Broken):
    def turn_messages(self, turn: ProviderTurn) -> list[Any]:
        return [_without_thinking(entry) for entry in super().turn_messages(turn) if entry.get("type") != "reasoning"]


def _without_thinking(entry: dict[str, Any]) -> dict[str, Any]:
    """Blocks that think, and signatures of parts."""
    if isinstance(entry.get("content"), list):
        return {**entry, "content": [each for each in entry["content"] if each["type"] != "thinking"]}
    if "parts" in entry:
        parts = [{name: each[name] for name in each if name != "thoughtSignature"} for each in entry["parts"]]
        return {**entry, "parts": parts}
    return entry


class ReversesResults(_Broken):
    """Each result under the id of the other call, or where there is no id in its place."""

    def result_messages(self, turn: ProviderTurn, call_results: list[CallResult]) -> list[Any]:
        swapped = [
            replace(one, result=other.result) for one, other in zip(call_results, reversed(call_results), strict=True)
        ]
        return super().result_messages(turn, swapped)


class RewritesArguments(_Broken):
    async def stream_turn(self, on_event: Any) -> ProviderTurn:
        turn: ProviderTurn = await self._inner.stream_turn(on_event)
        return replace(turn, assistant_turn=_changed(turn.assistant_turn))


def _changed(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("Paris", "paris")
    if isinstance(value, list):
        return [_changed(each) for each in value]
    return {name: _changed(each) for name, each in value.items()} if isinstance(value, dict) else value


class ChangesThePrompt(_Broken):
    def append_tool_results(self, turn: ProviderTurn, call_results: list[CallResult]) -> None:
        super().append_tool_results(turn, call_results)
        self._inner.history[0] = {**self._inner.history[0], "role": "user", "note": "other"}


class Crashes(_Broken):
    async def stream_turn(self, on_event: Any) -> ProviderTurn:
        await self._inner.stream_turn(on_event)
        raise KeyError("output")


@pytest.mark.anyio
async def test_an_adapter_that_crashes_is_found(tmp_path: Path) -> None:
    write_vcr(tmp_path / "loop.yaml", *loop("gemini-generate"))
    (outcome,), _ = await replayed(tmp_path, Crashes)
    (finding,) = outcome.differences
    assert (outcome.verdict, finding.place, finding.got) == ("differs", "the response", "KeyError: 'output'")


@pytest.mark.anyio
@pytest.mark.parametrize("wire", NATIVE_WIRES)
async def test_an_adapter_that_changes_what_it_has_sent_is_found(wire: NativeWireName, tmp_path: Path) -> None:
    write_vcr(tmp_path / "loop.yaml", *loop(wire))
    (outcome,), _ = await replayed(tmp_path, ChangesThePrompt)
    assert "the history so far" in [each.place for each in outcome.differences]


@pytest.mark.anyio
@pytest.mark.parametrize("broken", [DropsThinking, ReversesResults, RewritesArguments, DropsTheLastResult])
@pytest.mark.parametrize("wire", NATIVE_WIRES)
async def test_a_broken_adapter_is_found(broken: type, wire: NativeWireName, tmp_path: Path) -> None:
    if broken is DropsThinking and wire == "openai-chat":
        first, last = _thinking_on_chat()
    else:
        first, last = loop(wire)
    write_vcr(tmp_path / "loop.yaml", first, last)
    (whole,), _ = await replayed(tmp_path)
    assert whole.verdict == "agrees"
    (outcome,), _ = await replayed(tmp_path, broken if wire != "openai-chat" else _on_chat(broken))
    assert outcome.verdict == "differs"
    assert {each.at for each in outcome.differences} == {outcome.happened.steps[1].exchange.name}


def _thinking_on_chat() -> list[Exchange]:
    """As DeepSeek has it, which wants it back."""

    def thinking(request: dict[str, Any]) -> None:
        request["messages"][2]["reasoning_content"] = "Two cities."

    first, last = loop("openai-chat")
    assert isinstance(first.response, dict)
    (choice,) = first.response["choices"]
    message = {**choice["message"], "reasoning_content": "Two cities."}
    return [
        replace(first, response={**first.response, "choices": [{**choice, "message": message}]}),
        last.asking(thinking),
    ]


class _DropsReasoning(_Broken):
    def turn_messages(self, turn: ProviderTurn) -> list[Any]:
        return [{**each, "reasoning_content": ""} for each in super().turn_messages(turn)]


def _on_chat(broken: type) -> type:
    return _DropsReasoning if broken is DropsThinking else broken
