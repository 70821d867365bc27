"""A scripted model's answers over a whole run, the tools that it calls, and the loop's prompt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from hypothesis import strategies as st

from harness.fuzz.strategies.turns import texts as texts_of
from harness.scenario import CANONICAL, Cut, HttpErrorStep, Step, Tool, TurnStep
from harness.trace import JsonValue
from harness.wire import Call, FinishReason, Part, Refusal, StreamError, Text, ThinkingPart, ToolDeclaration, Turn
from harness.wire.turn import Deltas

CLOSING: Final = TurnStep(Turn((Text("Done."),)))
"""The answer that ends every script. After it, no loop has a reason to ask again."""


@dataclass(frozen=True, slots=True)
class DrawnScript:
    """What a loop starts with and what it meets: a scenario without a name and without expectations.

    ``prompt`` are (role, text) pairs, role ``system`` or ``user``. ``steps`` are the endpoint's answers, one for each
    request. ``turn_limit`` None leaves the limit to the loop; ``stream`` False asks for whole documents.
    """

    steps: tuple[Step, ...]
    tools: tuple[Tool, ...]
    prompt: tuple[tuple[str, str], ...] = (("user", "Go."),)
    turn_limit: int | None = None
    stream: bool = True


def with_approval(script: DrawnScript) -> tuple[DrawnScript, str]:
    """The script with a tool that needs approval, and the tool's name: the first tool with arguments of its own."""
    at = next(at for at, tool in enumerate(script.tools) if tool.declaration.parameters.get("required"))
    asking = replace(script.tools[at], kind="unapproved")
    tools = (*script.tools[:at], asking, *script.tools[at + 1 :])
    return replace(script, tools=tools), asking.declaration.name


_OBJECT: Final = {"type": "object", "properties": {}}
_PATH: Final = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["path"],
}
_TOKENS: Final = ("a", "Go on.", "\n", '"', "\\", "</", "{}", "é", "😀", "\u2028", "\x00", "data: ", "0", " ")
_NUMBERS: Final = (0, -1, 1, 0.5, -0.0, 1e300, 2**53 + 1, -(2**63))


def texts() -> st.SearchStrategy[str]:
    """Texts of a few difficult tokens: quotes, escapes, line ends, characters of four bytes.

    They are never empty, and have no half surrogates, so that a scenario can contain them.
    """
    return texts_of(_TOKENS, max_tokens=4).map(lambda text: text or _TOKENS[0])


def json_values() -> st.SearchStrategy[JsonValue]:
    """Small JSON values of every kind: what a tool may return.

    >>> from hypothesis import given
    >>> @given(json_values())
    ... def test_any_result_goes_back(value): ...
    """
    scalars: st.SearchStrategy[JsonValue]
    scalars = st.one_of(st.none(), st.booleans(), st.sampled_from(_NUMBERS), texts(), st.just(""))
    flat: st.SearchStrategy[JsonValue] = st.one_of(scalars, st.lists(scalars, max_size=2))
    return st.one_of(flat, st.dictionaries(texts(), flat, max_size=2))


@st.composite
def toolsets(draw: st.DrawFn) -> tuple[Tool, ...]:
    """Two to four tools: ``look`` takes any object and returns any JSON, ``save`` wants a ``path``.

    Beside them there may be ``fail``, which raises, and the canonical ``create_file``.
    """
    tools = [
        Tool(ToolDeclaration("look", "Looks around.", _OBJECT), returns=draw(json_values())),
        Tool(ToolDeclaration("save", "Saves a file.", _PATH), returns=draw(json_values())),
    ]
    if draw(st.booleans()):
        tools.append(Tool(ToolDeclaration("fail", "Cannot work.", _OBJECT), raises=draw(texts())))
    if draw(st.booleans()):
        tools.append(Tool(CANONICAL["create_file"], canonical=True))
    return tuple(tools)


_ARGUMENTS: Final = {
    "look": ("{}", '{"at": null}', '{"at": {"path": [1, "\\u00e9\\ud83d\\ude00"]}}', '{"a": 1e2, "\\"": ""}'),
    "save": (
        '{"path": "a.txt"}',
        '{"path": "</tool_call>"}',
        '{"path": "\\n", "count": 2}',
        '{"count": -1, "path": ""}',
    ),
    "fail": ("{}", '{"why": true}'),
    "create_file": ('{"path": "index.html", "content": "<p>\\u00e9</p>"}', '{"content": "", "path": "a"}'),
    "guess": ("{}", '{"path": "a"}'),
}
"""Arguments that fit the tool; ``guess`` is a tool that is not offered."""

_WRONG: Final = ("", "{", '{"path": "a', '{"path": 1}', '{"count": "2", "path": "a"}', "[]", "null", '"a"', "{} {}")
"""Wrong arguments, as models write them: cut off, of the wrong type, no object, two documents."""


def calls(tools: tuple[Tool, ...], *, sound: bool = False) -> st.SearchStrategy[Call]:
    """Calls of ``tools``: most fit their schema. Unless ``sound``, others do not, or name a tool that is not
    offered."""
    offered = [tool.declaration.name for tool in tools]
    fitting = [Call(name, text) for name in offered for text in _ARGUMENTS[name]]
    if sound:
        return st.sampled_from(fitting)
    odd = [Call("guess", text) for text in _ARGUMENTS["guess"]]
    odd += [Call(name, text) for name in offered for text in _WRONG]
    odd += [Call(name, _ARGUMENTS[name][0], id) for name in offered for id in ("", "call_1")]
    return st.sampled_from(fitting) | st.sampled_from(fitting) | st.sampled_from(odd)


_STOPS: Final = (FinishReason.MAX_TOKENS, FinishReason.CONTENT_FILTER, FinishReason.REFUSAL)
_DELTAS: Final[tuple[Deltas, ...]] = ("token", "whole", "character", "utf16")


@st.composite
def turns(draw: st.DrawFn, tools: tuple[Tool, ...], *, sound: bool = False) -> Turn:
    """A turn: thinking, then text or a refusal, then calls; each may be missing, all may.

    Unless ``sound``, it may be cut short by its token limit or by a filter, and its calls may be wrong.
    """
    parts: list[Part] = []
    if draw(st.booleans()):
        parts.append(draw(st.sampled_from([ThinkingPart("Hm."), ThinkingPart("\n😀"), *_SEALED])))
    if draw(st.booleans()):
        parts.append(Text(draw(texts())))
    parts += draw(st.lists(calls(tools, sound=sound), min_size=1 if sound else 0, max_size=3))
    made = any(isinstance(part, Call) for part in parts)
    stop = FinishReason.TOOL_CALLS if made else FinishReason.END
    deltas = draw(st.sampled_from(_DELTAS))
    if not sound and draw(st.integers(0, 5)) == 5:
        stop = draw(st.sampled_from(_STOPS))
        parts += [Refusal("I will not.")] * (stop is FinishReason.REFUSAL)
    return Turn(tuple(parts), stop, deltas=deltas)


_SEALED: Final = (ThinkingPart(form="redacted"), ThinkingPart(form="omitted"))


@st.composite
def steps(draw: st.DrawFn, tools: tuple[Tool, ...], *, sound: bool = False, stream: bool = True) -> Step:
    """One answer of the endpoint: a turn, perhaps incomplete, or an HTTP error that asks for no wait."""
    kind = draw(st.integers(0, 7))
    if not sound and kind == 7:
        return HttpErrorStep(draw(st.sampled_from([429, 500, 503, 400, 401])), 0)
    turn = draw(turns(tools, sound=sound))
    if sound or not stream or kind < 6:
        return TurnStep(turn)
    return draw(st.sampled_from(_broken(turn)))


def _broken(turn: Turn) -> list[TurnStep]:
    """The turn in every way in which it may break off. Its text is long enough for a break in its second event."""
    long = replace(turn, parts=(Text("Let me look at that first."), *turn.parts), deltas="token")
    return [
        TurnStep(replace(turn, ending="eof")),
        TurnStep(replace(turn, error=StreamError("overloaded"))),
        TurnStep(long, Cut(0, "reset")),
        TurnStep(long, Cut(1)),
    ]


@st.composite
def scripts(draw: st.DrawFn, *, sound: bool = False, most: int = 4) -> DrawnScript:
    """Scripts of at most ``most`` steps and the ``CLOSING`` one.

    ``sound`` ones have no fault of model or provider in them: every call fits, and nothing breaks off.

    >>> from hypothesis import given
    >>> @given(scripts())
    ... def test_my_loop_ends(script): ...
    """
    tools = draw(toolsets())
    stream = draw(st.sampled_from([True, True, True, False]))
    made = draw(st.lists(steps(tools, sound=sound, stream=stream), min_size=1, max_size=most))
    if draw(st.integers(0, 7)) == 7:
        made = [made[0]] * most
    limit = draw(st.sampled_from([None, None, None, 1, 2, 3]))
    prompt = draw(st.sampled_from([(("user", "Go."),), (("system", "Be brief."), ("user", "Go.\n😀"))]))
    return DrawnScript((*made, CLOSING), tools, prompt, limit, stream)
