"""Generates unscripted model output: arguments that the tools accept, and answers in JSON of a schema.

All of it follows from the request alone, so the same request gets the same output, and the same notes on what could
not be generated (``unfit_tools``, ``unfit_answer``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from harness.fitting import Fit, fits, fitting
from harness.wire import Call, Conversation, ToolDeclaration
from harness.wire.output_format import demanded_schema

_ANY_JSON: Final = {"type": "object", "properties": {"answer": {"type": "string"}}}
"""The schema of an answer that may be any JSON."""

_TEXTS: Final = ("example", "another example")
"""The strings in the arguments of the first and the second call, if the schema does not restrict them."""


def fitted_calls(tools: Sequence[ToolDeclaration], most: int, number: int) -> tuple[Call, ...]:
    """At most ``most`` calls, one for each tool whose schema can be met; if there are fewer tools, they repeat.

    ``number`` is the number of the first call in its conversation. Each call has different arguments, some with and
    some without optional members.
    """
    calls: list[Call] = []
    fitting_tools: list[ToolDeclaration] = []
    for tool in tools:
        if len(calls) == most:
            break
        if (text := _arguments(tool, number + len(calls)).text) is not None:
            calls.append(Call(tool.name, text))
            fitting_tools.append(tool)
    for tool in fitting_tools[: most - len(calls)]:
        if (text := _arguments(tool, number + len(calls)).text) is not None:
            calls.append(Call(tool.name, text))
    return tuple(calls)


def unfit_tools(tools: Sequence[ToolDeclaration], most: int, number: int) -> Iterator[str]:
    """Notes on the tools that ``fitted_calls`` leaves out, and on tools whose schema is not strictly valid."""
    called = 0
    for tool in tools:
        if called == most:
            return
        fit = _arguments(tool, number + called)
        if fit.text is None:
            yield f"the automatic model does not call {tool.name}: {fit.why}"
            continue
        called += 1
        if fit.passed_over:
            yield f"the schema of {tool.name} is no JSON Schema: {_places(fit)}; the arguments follow the rest of it"


def fitted_answer(asked: Conversation, plain: str, own: str = "") -> str:
    """The answer to a request: JSON of the demanded schema; ``plain`` if there is no schema, or if nothing fits it.

    ``own`` replaces ``plain`` this one time, wherever the schema allows it.
    """
    fit = _answer(asked, plain)
    if fit is None or fit.text is None:
        return own or plain
    text = fit.text.replace(json.dumps(plain), json.dumps(own or plain))
    return text if text == fit.text or fits(demanded_schema(asked.body) or _ANY_JSON, text) else fit.text


def unfit_answer(asked: Conversation, plain: str) -> Iterator[str]:
    """A note, if the answer is not what the request demands."""
    fit = _answer(asked, plain)
    if fit is None:
        return
    if fit.text is None:
        yield f"the answer is a text, and not JSON of the schema that the request demands: {fit.why}"
    elif fit.passed_over:
        yield f"the schema of the answer is no JSON Schema: {_places(fit)}; the answer follows the rest of it"


def _answer(asked: Conversation, plain: str) -> Fit | None:
    schema = demanded_schema(asked.body)
    return None if schema is None else fitting(schema or _ANY_JSON, text=plain)


def _arguments(tool: ToolDeclaration, number: int) -> Fit:
    text = _TEXTS[number] if number < len(_TEXTS) else f"example {number + 1}"
    return fitting(tool.parameters, text=text, number=number, arguments=True)


def _places(fit: Fit) -> str:
    return ", ".join(f"'{place}'" for place in fit.passed_over[:3]) + (" and more" if len(fit.passed_over) > 3 else "")
