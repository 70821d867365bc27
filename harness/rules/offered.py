"""What the model is offered: the prompt and the tools that the harness has handed to the loop, in the requests.

Nothing is expected of a loop that brings its own prompt or tools: ``Case.tools`` and ``Case.prompt`` are empty then, as
they are beside the main conversation, where a sub-agent rightly has others.
That later requests go on saying the same is for ``history/append-only`` and ``history/tools`` to check.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.finding import Finding, Level, broken
from harness.ground.cached import cached_property, kept
from harness.rules.evidence import quote
from harness.rules.model import rule
from harness.rules.schema_shape import SchemaShape, contains_words, lost, lost_descriptions, shape_of
from harness.rules.steps import plain_text
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.wire import Conversation, ToolDeclaration
from harness.wire.characters import sendable

_TOOLS = "Agent Tool-Calling Flow: canonical_tool_definitions are what the model is offered; survey of agent loops"
_BEGINNING = 10
"""Characters by which a text is recognised if a loop has cut the rest."""

_PROMPT = "Tool Call Flow Diagrams, UserPromptNode: system prompts and the user's prompt make the first request"


def _first_read(view: TraceView) -> tuple[Ask, Conversation] | None:
    """The first request that can be read, and the history that the model saw."""
    return next(((ask, ask.full) for ask in view.asks if ask.full is not None), None)


# --- tools --------------------------------------------------------------------------------------------------


def _offering(view: TraceView) -> tuple[Ask, Mapping[str, ToolDeclaration]] | None:
    """The first request that can be read, on a wire on which it must declare the tools of the case, and its tools."""
    first = _first_read(view)
    if first is None or not view.wire.declares_tools:
        return None
    ask, full = first
    return ask, {tool.name: tool for tool in full.tools}


@rule(
    "offered/tools",
    "MUST",
    "unsafe",
    "The first request of the main conversation declares every tool that the loop was given. A loop that declares "
    "only tools of its own is not judged, nor is a wire that describes tools in the prompt.",
    why="The model cannot call a tool that it is not offered, and does its work without it.",
    source=_TOOLS,
    needs=("exchanges",),
    proof="""
    run: {turns: [Yes.], tools: [], case: {tools: {depth: {description: The depth of a basin.,
        parameters: &same {object: {basin: {type: string}}, required: [basin]}},
        tide: {description: The tide in a basin., parameters: *same}, enter: {description: Enters a basin.,
        parameters: *same}}}}
    wrong: {tools-none: A request without tools.}
    """,
)
def _tools(view: TraceView) -> Iterator[Finding]:
    offering = _offering(view)
    if offering is None:
        return
    ask, offered = offering
    missing = [name for name in view.case.tools if name not in offered]
    own = bool(offered) and len(missing) == len(view.case.tools)
    if missing and not own:
        got = f"no {', no '.join(missing)}" if offered else "a request without tools"
        yield broken(ask.at, f"the tools that the loop was given: {', '.join(view.case.tools)}", got)


@rule(
    "offered/schema",
    "MUST",
    "unsafe",
    "A declared tool has the arguments that the loop was given: every property with its type, values, items, and "
    "what is required. Other spellings and changes for strict decoding are right; bounds and formats are not "
    "judged.",
    why="A model that is not offered an argument, or not its type, guesses, and the call is refused or does something "
    "else.",
    source=_TOOLS,
    needs=("exchanges",),
    proof="""
    wires: [openai-chat]
    run: {offers_one: {const: y}, wanted: {const: x}}
    right:
      schema-inside-itself-by-all-of: [A part is the whole., {run: {offers_one: {},
          wanted: {allOf: [{$ref: '#'}]}}}]
    wrong: {schema-value-other: The only value is another.}
    """,
)
def _schema(view: TraceView) -> Iterator[Finding]:
    for pair in _pairs(view):
        for where, expected, got in lost(*pair.shapes):
            place = f"argument {where!r} of {pair.name}" if where else f"the arguments of {pair.name}"
            yield broken(pair.at, f"{place}: {expected}", got)
            break


@rule(
    "offered/description",
    "SHOULD",
    "unsafe",
    "A declared tool has the description that the loop was given, and so have its arguments. A loop may add words.",
    why="The description is all that the model knows of what a tool does and when to call it.",
    source=_TOOLS,
    needs=("exchanges",),
    proof="""
    wires: [openai-chat]
    run: {describes: {a: '', b: ''}, wanted: {a: The name., b: Age.}}
    right:
      described-same: [The words of all descriptions are offered., {run: {describes: {a: The name.},
          wanted: {a: The  name.}}}]
    wrong: {described-of-two-gone: Of two that are lost the first is named.}
    """,
)
def _descriptions(view: TraceView) -> Iterator[Finding]:
    for pair in _pairs(view):
        description, offered = str(pair.declared.get("description") or ""), pair.offered.description
        if not contains_words(offered, description):
            yield broken(pair.at, f"the description of {pair.name}: {quote(description)}", quote(offered))
            continue
        for where, expected, got in lost_descriptions(*pair.shapes):
            if contains_words(offered, expected):
                continue  # libraries that take functions for tools have one place for both, the docstring
            yield broken(pair.at, f"the description of {where!r} of {pair.name}: {quote(expected)}", quote(got))
            break


class _Pair:
    """A tool that was handed over, and what the request at ``at`` declares under its name."""

    def __init__(self, at: int, name: str, declared: Mapping[str, Any], offered: ToolDeclaration) -> None:
        self.at = at
        self.name = name
        self.declared = declared
        self.offered = offered

    @cached_property
    def shapes(self) -> tuple[SchemaShape, SchemaShape]:
        """What both ask for as arguments; two empty shapes where both are written alike: then nothing is lost."""
        declared, offered = self.declared.get("parameters"), self.offered.parameters
        if declared == offered and json.dumps(declared, default=repr) == json.dumps(offered, default=repr):
            return SchemaShape(), SchemaShape()  # Python's own comparison takes 1 for true
        return shape_of(declared), shape_of(offered)


@kept
def _pairs(view: TraceView) -> tuple[_Pair, ...]:
    """Each tool that was handed over with what the request declares under its name."""
    offering = _offering(view)
    if offering is None:
        return ()
    ask, offered = offering
    handed_over = view.case.tools.items()
    return tuple(
        [
            _Pair(ask.at, name, declared, offered[name])
            for name, declared in handed_over
            if name in offered and isinstance(declared, Mapping)
        ]
    )


# --- the prompt ---------------------------------------------------------------------------------------------


@rule(
    "offered/prompt",
    "MUST",
    "unsafe",
    "The first request of the main conversation contains the whole system prompt and the whole user prompt that "
    "the loop was given, each in its role and in order. The loop may add text, and strip the prompt at its ends; a "
    "prompt in another role, or with other white space inside, is a SHOULD. A loop that sends a prompt of its own, "
    "with nothing of what it was given, is not judged.",
    why="A model that does not see its instructions, or only the beginning of the question, answers something else.",
    source=_PROMPT,
    needs=("exchanges",),
    proof="""
    wires: [openai-chat]
    run: {asked_as: May we enter the basin}
    right: {asked-whole: [The prompt is there., {run: {asked_as: 'May we enter the basin before noon?'}}]}
    wrong: {asked-cut: Its end is missing.}
    """,
)
def _prompt(view: TraceView) -> Iterator[Finding]:
    first = _first_read(view)
    if first is None:
        return
    ask, full = first
    if full.continues is not None and full is ask.conversation:
        return  # it goes on from a response that is not in the trace
    everything = "\n".join(message.text for message in full.messages)
    if not _says_some(view.case.prompt, everything):
        return  # a loop with a prompt of its own
    for role in ("system", "user"):
        wanted = [text for sent, text in view.case.prompt if sent == role]
        if (missing := _first_missing(wanted, _text_by(full, role))) is not None:
            elsewhere = _first_missing([missing], everything) is None
            got = f"it is not what the {role} says" if elsewhere else "it is not in the request"
            level: Level | None = "SHOULD" if elsewhere else None
            yield broken(ask.at, f"the {role} prompt, whole: {quote(missing)}", got, level=level)
            return
        if (changed := _first_respaced(wanted, _text_by(full, role))) is not None:
            expected = f"the {role} prompt with its line breaks and indents: {quote(changed)}"
            yield broken(ask.at, expected, "its words alone, in other white space", level="SHOULD")
            return


def _says_some(prompt: Sequence[tuple[str, str]], sent: str) -> bool:
    """Whether the request has anything of the prompt: how one of its texts begins."""
    plain = plain_text(sent)
    return any(plain_text(text)[:_BEGINNING] in plain for _, text in prompt if text.strip())


def _text_by(conversation: Conversation, role: str) -> str:
    return "\n".join(message.text for message in conversation.messages if message.role == role)


def _first_missing(wanted: Sequence[str], sent: str) -> str | None:
    """The first text that ``sent`` does not contain behind those before it, white space apart.

    A loop may write the text into JSON.
    """
    plain, start = plain_text(sent), 0
    for text in wanted:
        spellings = [plain_text(text), *(json.dumps(text, ensure_ascii=each)[1:-1] for each in (True, False))]
        ends = [at + len(each) for each in spellings if (at := plain.find(each, start)) >= 0]
        if not ends:
            return text
        start = min(ends)
    return None


def _first_respaced(wanted: Sequence[str], sent: str) -> str | None:
    """The first text with lines or indents whose words are in ``sent`` with other white space.

    A loop may strip a text at its ends, and write it into JSON.
    """
    plain = sendable(sent).replace("\r\n", "\n")
    for text in wanted:
        inside = sendable(text).replace("\r\n", "\n").strip()
        spellings = (inside, *(json.dumps(inside, ensure_ascii=each)[1:-1] for each in (True, False)))
        if inside != plain_text(inside) and not any(each in plain for each in spellings):
            return text
    return None
