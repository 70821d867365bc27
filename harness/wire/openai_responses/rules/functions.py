"""Rules from a function's declaration about its calls: the namespace (OAI-NS) and the output (OAI-OUTSCHEMA)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.issued import items_by
from harness.wire.lenient import objects, string
from harness.wire.openai_responses.rules.asked import Asked, HistoryItem
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.rules.kinds import DECLARING, call_id_of
from harness.wire.openai_responses.rules.places import functions, last, of_kind, tools
from harness.wire.openai_responses.rules.words import brief
from harness.wire.posted import Posted, Right, Wrong, add, drop, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_OUTPUT: Final = "function_call_output"


def _declared_tools(asked: Asked) -> Iterator[Json]:
    """Every tool that the request declares, itself or in its items."""
    yield from objects(asked.body.get("tools"))
    if not asked.kinds.isdisjoint(DECLARING):
        for entry in asked.history:
            yield from objects(entry.item.get("tools"))


def _declares_more(asked: Asked) -> bool:
    """Whether a tool may have a namespace or an output schema. In most requests none has."""
    if not asked.kinds.isdisjoint(DECLARING):
        return True
    tools = asked.body.get("tools")
    return isinstance(tools, list) and any(map(_says_more, tools))


def _says_more(tool: Any) -> bool:
    return isinstance(tool, dict) and (tool.get("type") == "namespace" or "output_schema" in tool)


def _functions(tools: Iterable[Json], namespace: str = "") -> Iterator[tuple[str, str, Json]]:
    """Each function by its namespace (``""``: the default one) and its name."""
    for tool in tools:
        if tool.get("type") == "namespace":
            yield from _functions(objects(tool.get("tools")), string(tool.get("name")))
        elif tool.get("type") == "function":
            yield namespace, string(tool.get("name")), tool


def _declare_it_twice(posted: Posted) -> bool:
    """A function is in the default namespace, too, and its call names none."""
    for call in [call for call in of_kind(posted, "function_call") if call.get("namespace")][:1]:
        add([posted.body], "tools", {"type": "function", "name": call["name"], "parameters": {"type": "object"}})
        return drop([call], "namespace")
    return False


OAI_NS: Final = WireRule(
    "OAI-NS",
    "A function_call that came with a namespace goes back with it.",
    "Adapters that know only name and arguments drop it, and the request after the first such call is refused.",
    "certain",
    ("the recorded refusal openai-missing-function-call-namespace-error of vercel/ai",),
    (
        ErrorTemplate(
            "Missing namespace for function_call '{name}'. It does not exist in the default namespace. Round-trip "
            "the model's function_call item with its namespace field included.",
            "{param}",
            seen="Missing namespace for function_call 'create_widget'. It does not exist in the default namespace. "
            "Round-trip the model's function_call item with its namespace field included.",
            name="lost",
        ),
    ),
    applies="certain where the request declares the function in namespaces only; likely where the call came with one "
    "and the default namespace has such a function, too, or nobody declares it",
    wrong=(
        Wrong(
            "responses-namespace-dropped",
            "A call loses its namespace.",
            lambda it: drop(of_kind(it, "function_call"), "namespace"),
            "namespaces without-reasoning",
        ),
    ),
    right=(
        Right(
            "responses-namespace-by-default",
            "A function of the default namespace is called without one.",
            _declare_it_twice,
            "namespaces",
        ),
        Right(
            "responses-namespace-of-what-is-named",
            "Functions that now have a namespace were called without it, and the calls are only named.",
            lambda it: (
                of_kind(it, "item_reference")
                and put(
                    [it.body],
                    tools=[{"type": "namespace", "name": "files", "description": "Files.", "tools": functions(it)}],
                )
            ),
            "references",
        ),
    ),
)


_with_a_namespace = items_by(lambda item: str(item.get("call_id")) if string(item.get("namespace")) else None)
"""The calls that came with a namespace, by their ids."""


@RULES.check("functions", OAI_NS)
def calls_keep_their_namespace(asked: Asked) -> Iterator[Finding]:
    """OAI-NS: a call of a function that exists only in a namespace names the namespace.

    It is certain if the request shows that the default namespace has no such function. If a call came with a namespace
    and goes back without it, the provider may still find the function.
    """
    if "function_call" not in asked.kinds or not (_with_a_namespace(asked.state) or _declares_more(asked)):
        return
    homes = _homes(asked)
    for entry in asked.entries:
        if entry.kind == "function_call" and entry.raw is entry.item and not entry.item.get("namespace"):
            yield from _bare(asked, entry, homes.get(string(entry.item.get("name")), set()))


def _bare(asked: Asked, entry: HistoryItem, known: set[str]) -> Iterator[Finding]:
    lost = (_with_a_namespace.last(asked.state, call_id_of(entry.item)) or {}).get("namespace")
    is_elsewhere = bool(known) and "" not in known
    if is_elsewhere or lost:
        name = string(entry.item.get("name"))
        wanted = lost or " or ".join(sorted(known))
        yield OAI_NS.broken(
            entry.at,
            expected=f"function_call {name} with namespace {wanted}",
            got="none; it came with one" if lost else "none",
            certainty=None if is_elsewhere else "likely",
            name=name,
            param=f"{entry.at}.namespace",
        )


def _homes(asked: Asked) -> dict[str, set[str]]:
    """The namespaces of each function; empty if the request declares none."""
    tools = [*_declared_tools(asked)]
    homes: dict[str, set[str]] = {}
    if any(tool.get("type") == "namespace" for tool in tools):
        for namespace, name, _ in _functions(tools):
            homes.setdefault(name, set()).add(namespace)
    return homes


def _fail_in_words(posted: Posted) -> bool:
    calls = [call for call in of_kind(posted, "function_call") if call.get("name") == "create_widget"]
    called = [call["call_id"] for call in calls if call.get("namespace") == "shop"]
    outputs = [item for item in of_kind(posted, _OUTPUT) if item.get("call_id") in called]
    return put(outputs[:1], output="Error: the shop is closed.")


def _fail_as_the_only_tool(posted: Posted) -> bool:
    """The namespace's function is declared without it, and alone."""
    inner = [each for space in tools(posted, "namespace") for each in space["tools"]]
    if not inner or not _fail_in_words(posted):
        return False
    drop(of_kind(posted, "function_call"), "namespace")
    return put([posted.body], tools=inner)


OAI_OUTSCHEMA: Final = WireRule(
    "OAI-OUTSCHEMA",
    "The output of a function that declares output_schema is JSON text.",
    "Loops that report a failed tool as plain text work until the first tool with an output schema fails.",
    "certain",
    ("the recorded refusal openai-output-schema-tool-error of vercel/ai",),
    (
        verbatim(
            "Invalid function_call_output.output: expected a JSON string because the function declares output_schema.",
            "input",
            "invalid_value",
            name="text",
        ),
    ),
    applies="functions whose declaration is in the request",
    wrong=(
        Wrong(
            "responses-schema-output-as-text-alone",
            "The output of the only tool, which has an output schema, is plain text.",
            _fail_as_the_only_tool,
            "namespaces",
        ),
        Wrong(
            "responses-schema-output-as-text",
            "The output of a tool with an output schema is plain text.",
            _fail_in_words,
            "namespaces",
        ),
    ),
    right=(
        Right(
            "responses-schema-output-as-json",
            "Output that has another form than its schema is JSON all the same.",
            lambda it: tools(it, "namespace") and put(last(it, _OUTPUT), output='"The shop is closed."'),
            "namespaces",
        ),
    ),
)


@RULES.check("functions", OAI_OUTSCHEMA)
def outputs_fit_their_schema(asked: Asked) -> Iterator[Finding]:
    """OAI-OUTSCHEMA. A list of parts is not judged: no client is known to send one."""
    if _OUTPUT not in asked.kinds or not _declares_more(asked):
        return
    wanting = {(space, name) for space, name, tool in _functions(_declared_tools(asked)) if tool.get("output_schema")}
    if not wanting:
        return
    called = {
        call_id_of(entry.item): (string(entry.item.get("namespace")), string(entry.item.get("name")))
        for entry in asked.history
        if entry.kind == "function_call"
    }
    for entry in asked.entries:
        output = entry.item.get("output") if entry.kind == _OUTPUT else None
        if isinstance(output, str) and called.get(call_id_of(entry.item)) in wanting and not _is_json(output):
            yield _no_json(entry, output)


def _no_json(entry: HistoryItem, output: str) -> Finding:
    return OAI_OUTSCHEMA.broken(entry.at, expected="JSON text, which output_schema describes", got=brief(output))


def _is_json(text: Any) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
