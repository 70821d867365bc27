"""What the loop is given: the prompt, the tools, and skills."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, JsonValue, PlainValidator, Tag, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from harness.scenario.agent_tools import AGENT_TOOLS
from harness.scenario.authored.base import Authored, Words, by_shape, one_key
from harness.scenario.tools import CANONICAL, scenario_tool, tool_names


class PromptEntry(Authored):
    """One message of the prompt."""

    one_of = ("system", "user")
    model_config = ConfigDict(json_schema_extra=one_key(one_of))

    system: Annotated[Words | None, Field(description="What the system prompt says.")] = None
    user: Annotated[Words | None, Field(description="What the user says.")] = None


PromptForm = Annotated[
    Annotated[Words, Tag("user prompt")] | Annotated[list[PromptEntry], Field(min_length=1), Tag("messages")],
    by_shape(lambda value: "messages" if isinstance(value, list) else "user prompt"),
]

_OF_OTHERS = ("output", "external")
_ANSWERED: dict[str, Any] = {
    "if": {"properties": {"kind": {"enum": list(_OF_OTHERS)}}, "required": ["kind"]},
    "then": {"not": {"anyOf": [{"required": ["returns"]}, {"required": ["raises"]}]}},
    "else": one_key(("returns", "raises")),
}


class ToolEntry(Authored):
    """A tool of this scenario alone."""

    may_be_null = frozenset({"returns"})
    model_config = ConfigDict(json_schema_extra=_ANSWERED)
    answers: ClassVar[tuple[str, ...]] = ("returns", "raises")

    name: Annotated[str, Field(pattern=r"^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$", description="The name the model calls.")]
    description: Annotated[Words, Field(description="What the model reads about it.")]
    parameters: Annotated[dict[str, Any], Field(description="JSON Schema of its arguments, of type object.")]
    returns: Annotated[JsonValue, Field(description="The result of every call.")] = None
    raises: Annotated[Words | None, Field(description="Every call fails with this message.")] = None
    kind: Annotated[
        Literal["function", "output", "external", "unapproved"],
        Field(
            description="Who runs it: the loop; no one (output: its arguments are the result of the run); "
            "another system (external); the loop, after an approval (unapproved)."
        ),
    ] = "function"
    extra: Annotated[
        Words | None,
        Field(description="What every call says beside its result; the model reads it after all results."),
    ] = None
    finishes_after: Annotated[
        Words | None, Field(description="Every call ends only after a call of this tool has ended, of kind function.")
    ] = None

    @model_validator(mode="after")
    def _answered_once(self) -> Self:
        present = sorted(self.model_fields_set.intersection(self.answers))
        if self.kind in _OF_OTHERS and present:
            raise PydanticCustomError("not_answered", "not answered", {"kind": self.kind, "given": present})
        if self.kind not in _OF_OTHERS and len(present) != 1:
            raise PydanticCustomError("one_of", "one of", {"keys": list(self.answers), "given": present})
        return self


def _known_tool(value: Any) -> str:
    """The name of a tool that is built in or added. Raises what a ``Literal`` of all names would."""
    if isinstance(value, str) and (value in AGENT_TOOLS or scenario_tool(value) is not None):
        return value
    *others, last = map(repr, [*tool_names(), *AGENT_TOOLS])
    raise PydanticCustomError("literal_error", "no such tool", {"expected": f"{', '.join(others)} or {last}"})


# Editors know the built-in names. Which others there are depends on what is installed where a scenario is loaded.
CanonicalName = Annotated[
    str, PlainValidator(_known_tool), WithJsonSchema({"enum": [*CANONICAL, *AGENT_TOOLS], "type": "string"})
]

ToolForm = Annotated[
    Annotated[CanonicalName, Tag("canonical tool")] | Annotated[ToolEntry, Tag("tool")],
    by_shape(lambda value: "tool" if isinstance(value, dict) else "canonical tool"),
]


class SkillEntry(Authored):
    """Instructions that the model loads when it needs them."""

    description: Annotated[Words, Field(description="What the model reads about it from the start.")]
    instructions: Annotated[Words, Field(description="What it reads once it has activated the skill.")]
