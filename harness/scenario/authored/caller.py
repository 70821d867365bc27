"""What the caller of the loop does: resolve calls that wait, and change the history between turns."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, JsonValue, Tag

from harness.scenario.authored.base import Authored, Words, by_shape, one_key


class ResolveEntry(Authored):
    """What becomes of a call that waits."""

    one_of = ("deny", "supply", "fail")
    may_be_null = frozenset({"supply"})
    model_config = ConfigDict(json_schema_extra=one_key(one_of))

    deny: Annotated[Words | None, Field(description="It does not run, and the model gets this text.")] = None
    supply: Annotated[JsonValue, Field(description="What running it elsewhere gave.")] = None
    fail: Annotated[Words | None, Field(description="Running it elsewhere failed with this message.")] = None


ResolveForm = Annotated[
    Annotated[Literal["approve"], Tag("approval")] | Annotated[ResolveEntry, Tag("resolution")],
    by_shape(lambda value: "resolution" if isinstance(value, dict) else "approval"),
]

OneOrEach = Annotated[
    Annotated[ResolveForm, Tag("all calls")] | Annotated[list[ResolveForm], Field(min_length=1), Tag("call by call")],
    by_shape(lambda value: "call by call" if isinstance(value, list) else "all calls"),
]

RoundEntry = Annotated[
    dict[str, OneOrEach],
    Field(min_length=1, description="By tool: one word for all its calls that wait, or a list in call order."),
]


class EditEntry(Authored):
    """Text of the tool response, or of the turn, that is changed before it is sent."""

    old: Annotated[Words, Field(description="The text, wherever it is in it.")]
    new: Annotated[str, Field(description="What replaces it.")]


class MessageEntry(Authored):
    """A message of the caller."""

    one_of = ("turn", "system", "user", "assistant")
    model_config = ConfigDict(json_schema_extra=one_key(one_of))

    turn: Annotated[EditEntry | None, Field(description="The model's turn with a text of it changed.")] = None
    system: Annotated[Words | None, Field(description="What the system prompt says.")] = None
    user: Annotated[Words | None, Field(description="What the user says.")] = None
    assistant: Annotated[Words | None, Field(description="What the model is made to have said.")] = None


MessageForm = Annotated[
    Annotated[Literal["turn", "response", "history"], Tag("part of the run")] | Annotated[MessageEntry, Tag("message")],
    by_shape(lambda value: "message" if isinstance(value, dict) else "part of the run"),
]


class ActionEntry(Authored):
    """One thing that the caller does."""

    one_of = ("push_messages", "set_messages", "set_params", "edit_tool_response")
    model_config = ConfigDict(json_schema_extra=one_key(one_of))

    push_messages: Annotated[
        list[MessageForm] | None, Field(min_length=1, description="Messages that are appended to the history.")
    ] = None
    set_messages: Annotated[
        list[MessageForm] | None, Field(min_length=1, description="Messages that replace the history.")
    ] = None
    set_params: Annotated[
        dict[str, Any] | None,
        Field(min_length=1, description="Fields of later requests, by the provider's names."),
    ] = None
    edit_tool_response: Annotated[EditEntry | None, Field(description="Changes the response that is sent.")] = None


ActionForm = Annotated[
    Annotated[Literal["generate_tool_response"], Tag("plain action")] | Annotated[ActionEntry, Tag("action")],
    by_shape(lambda value: "action" if isinstance(value, dict) else "plain action"),
]


class CallerEntry(Authored):
    """What the caller does while it has a turn."""

    after: Annotated[int, Field(ge=1, description="The turn, counted from 1.")]
    do: Annotated[list[ActionForm], Field(min_length=1, description="What it does, in order.")]
