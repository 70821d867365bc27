"""Mistakes with tools that the provider runs beside the client's, and with strict schemas."""

from __future__ import annotations

from typing import Any

from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.anthropic_messages.base_requests import (
    FALLBACK,
    MANUAL,
    ONE_CALL,
    PROGRAM,
    SEARCHED,
    TWO_CALLS,
)
from harness_lab.mutants.requests.anthropic_messages.parts import (
    Block,
    assistant_turns,
    kinds_in,
    listed,
    messages_of,
    of_kind,
)
from harness_lab.mutants.requests.mutant import RequestMutant

# --- ANT-31, ANT-32 -------------------------------------------------------------------------------------------


def forget_the_container(posted: Posted) -> bool:
    """Leave out the container of a program that waits."""
    return posted.body.pop("container", None) is not None


def name_only_skills(posted: Posted) -> bool:
    """Name the skills of a container, and not the container."""
    if "container" not in posted.body:
        return False
    posted.body["container"] = {"skills": [{"type": "anthropic", "skill_id": "xlsx"}]}
    return True


def drop_the_program(posted: Posted) -> bool:
    """Remove the program and leave the call that it has made."""
    for turn in assistant_turns(posted):
        sources = [
            block["caller"].get("tool_id") for block in of_kind(turn["content"], "tool_use") if "caller" in block
        ]
        programs = [block for block in of_kind(turn["content"], "server_tool_use") if block["id"] in sources]
        if programs:
            turn["content"].remove(programs[0])
            return True
    return False


def call_from_nowhere(posted: Posted) -> bool:
    """Say of a call that a program has made it, which is not in the history."""
    block = next(kinds_in(posted, "tool_use"), None)
    if block is None:
        return False
    block["caller"] = {"type": "code_execution_20260120", "tool_id": "srvtoolu_01nowhere"}
    return True


# --- ANT-33 ---------------------------------------------------------------------------------------------------


def _references(posted: Posted) -> list[Block]:
    found = [block["content"].get("tool_references", ()) for block in kinds_in(posted, "tool_search_tool_result")]
    return [each for references in found for each in references]


def forget_a_found_tool(posted: Posted) -> bool:
    """Declare the search alone, and not the tool that it has found."""
    if not _references(posted):
        return False
    posted.body["tools"] = [tool for tool in posted.body["tools"] if "input_schema" not in tool]
    return True


def declare_no_found_tool(posted: Posted) -> bool:
    """Declare no tool at all in the last turn, and leave the search in the history."""
    return bool(_references(posted)) and posted.body.pop("tools", None) is not None


def refer_in_a_result(posted: Posted) -> bool:
    """Let a search of the client's own return a tool that is not declared."""
    block = next(kinds_in(posted, "tool_result"), None)
    if block is None:
        return False
    block["content"] = [{"type": "tool_reference", "tool_name": "a_tool_of_yesterday"}]
    return True


def defer_all(posted: Posted) -> bool:
    """Declare every tool with ``defer_loading``."""
    tools = posted.body.get("tools", [])
    for tool in tools:
        tool["defer_loading"] = True
    return bool(tools)


# --- ANT-35 ---------------------------------------------------------------------------------------------------


def forget_the_beta(posted: Posted) -> bool:
    """Send a block of a beta back without the header that has asked for it."""
    if not list(kinds_in(posted, "fallback")) or "fallback" not in posted.headers.get("anthropic-beta", ""):
        return False
    del posted.headers["anthropic-beta"]
    return True


def compact_without_the_beta(posted: Posted) -> bool:
    """Begin with a block of a beta whose header is missing; the other headers are there."""
    if "x-api-key" not in posted.headers or posted.body.get("thread"):
        return False
    messages_of(posted).insert(0, {"role": "assistant", "content": [{"type": "compaction", "content": "A summary."}]})
    return True


# --- ANT-36 ---------------------------------------------------------------------------------------------------


def strict(*schemas: Any) -> Edit:
    """The edit that adds a strict tool for each of these schemas."""

    def edit(posted: Posted) -> bool:
        added = [{"name": f"strict_{at}", "strict": True, "input_schema": schema} for at, schema in enumerate(schemas)]
        posted.body["tools"] = [*posted.body.get("tools", []), *added]
        return True

    return edit


def schema(properties: Block, **members: Any) -> Block:
    """A schema that forbids other properties."""
    return {"type": "object", "properties": properties, "additionalProperties": False, **members}


def parameters(count: int, of: Any) -> Block:
    """So many parameters, each of this schema."""
    return {f"parameter_{at}": of for at in range(count)}


_TEXT = {"type": "string"}
_MAYBE = {"type": ["string", "null"]}
_NODE = schema({"next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}}, required=["next"])
_INNER = schema({"more": schema(parameters(25, _TEXT))}, required=["more"])


# --- ANT-01 ---------------------------------------------------------------------------------------------------


def begin_with_a_call(posted: Posted) -> bool:
    """Cut the history off in front of a call, behind which the model has said something."""
    messages = messages_of(posted)
    called = [at for at, message in enumerate(messages) if of_kind(message["content"], "tool_use")]
    if not called or posted.body.get("thread"):
        return False
    listed(messages[called[-1]]).append({"type": "text", "text": "That is what I need."})
    del messages[: called[-1]]
    return True


_WITH_TOOLS = (ONE_CALL, TWO_CALLS, MANUAL)

MUTANTS: tuple[RequestMutant, ...] = (
    RequestMutant(
        "ant-container-forgotten",
        "A program waits for a result, and its container is not named.",
        ("ANT-31",),
        forget_the_container,
        (PROGRAM,),
    ),
    RequestMutant(
        "ant-container-without-id",
        "A program waits for a result, and only the skills of its container are named.",
        ("ANT-31",),
        name_only_skills,
        (PROGRAM,),
    ),
    RequestMutant(
        "ant-program-dropped", "A call goes back without the program.", ("ANT-32",), drop_the_program, (PROGRAM,)
    ),
    RequestMutant(
        "ant-call-from-nowhere",
        "A call names a program that is not there.",
        ("ANT-32",),
        call_from_nowhere,
        (ONE_CALL,),
    ),
    RequestMutant(
        "ant-found-tool-forgotten",
        "A tool that was found is not declared.",
        ("ANT-33",),
        forget_a_found_tool,
        (SEARCHED,),
    ),
    RequestMutant(
        "ant-found-tools-gone",
        "No tool is declared after a search.",
        ("ANT-33",),
        declare_no_found_tool,
        (SEARCHED,),
    ),
    RequestMutant(
        "ant-reference-to-nothing",
        "A result refers to a tool that is not declared.",
        ("ANT-33",),
        refer_in_a_result,
        (ONE_CALL, TWO_CALLS),
    ),
    RequestMutant("ant-all-deferred", "Every tool is deferred.", ("ANT-33",), defer_all, _WITH_TOOLS),
    RequestMutant(
        "ant-beta-forgotten",
        "A block of a beta comes without its header.",
        ("ANT-35",),
        forget_the_beta,
        (FALLBACK,),
    ),
    RequestMutant(
        "ant-compaction-without-beta",
        "A compaction comes without its header.",
        ("ANT-35",),
        compact_without_the_beta,
        (FALLBACK,),
    ),
    RequestMutant(
        "ant-strict-tools", "One tool too many is strict.", ("ANT-36",), strict(*[schema({})] * 21), _WITH_TOOLS
    ),
    RequestMutant(
        "ant-strict-optional",
        "One parameter too many is optional.",
        ("ANT-36",),
        strict(schema(parameters(13, _TEXT)), schema(parameters(12, _TEXT))),
        _WITH_TOOLS,
    ),
    RequestMutant(
        "ant-strict-optional-inside",
        "One parameter too many is optional in an object of a schema.",
        ("ANT-36",),
        strict(_INNER),
        _WITH_TOOLS,
    ),
    RequestMutant(
        "ant-strict-unions",
        "One parameter too many has several types.",
        ("ANT-36",),
        strict(schema(parameters(17, _MAYBE), required=list(parameters(17, _MAYBE)))),
        _WITH_TOOLS,
    ),
    RequestMutant(
        "ant-strict-anything",
        "A strict parameter may be anything.",
        ("ANT-36",),
        strict(schema({"value": True}, required=["value"])),
        _WITH_TOOLS,
    ),
    RequestMutant(
        "ant-strict-recursive",
        "A strict schema contains itself.",
        ("ANT-36",),
        strict({**_NODE, "$defs": {"Node": _NODE}}),
        _WITH_TOOLS,
    ),
    RequestMutant(
        "ant-begins-with-a-call",
        "The history begins with a call, and text behind it.",
        ("ANT-01",),
        begin_with_a_call,
        (ONE_CALL, TWO_CALLS),
    ),
)
