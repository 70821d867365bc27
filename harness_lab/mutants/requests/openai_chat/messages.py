"""Messages broken on purpose: ids, contents, parts, roles and types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from harness.wire.base import Json
from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.openai_chat.base_requests import (
    FOREIGN,
    IMAGES,
    MISTRAL,
    ONE_CALL,
    SPOKEN,
    TURNS,
    TWO_CALLS,
)
from harness_lab.mutants.requests.openai_chat.making import mutant
from harness_lab.mutants.requests.openai_chat.places import (
    blocks,
    calls,
    is_strict,
    maker,
    messages,
    of_role,
    results_of,
)

_IMAGE: Final = {"type": "image_url", "image_url": {"url": "https://img.test/a.png"}}
_LONG: Final = f"fc_{'0' * 50}"
_OPENAIS: Final = "call_q2UyBRP7eXNTzAoR8lEhjc9Z"


def _with_id(posted: Posted, new: str) -> bool:
    """The last call and its result under another id."""
    made = calls(posted)
    if not made:
        return False
    old, made[-1]["id"] = made[-1].get("id"), new
    for at in results_of(posted, blocks(posted)[-1]):
        if messages(posted)[at].get("tool_call_id") == old:
            messages(posted)[at]["tool_call_id"] = new
    return True


def drop_an_id(posted: Posted) -> bool:
    """A call goes back without its id."""
    made = calls(posted)
    if made:
        made[-1].pop("id", None)
    return bool(made)


def empty_an_id(posted: Posted) -> bool:
    """A call and its result go back under an empty id."""
    return _with_id(posted, "")


def lengthen_an_id(posted: Posted) -> bool:
    """A call and its result have an id of another provider's length."""
    return is_strict(posted) and _with_id(posted, _LONG)


def take_openais_id(posted: Posted) -> bool:
    """A call that was made elsewhere keeps its id on Mistral."""
    return maker(posted) == "mistral" and _with_id(posted, _OPENAIS)


def list_no_calls(posted: Posted) -> bool:
    """A message without calls has an empty list of them."""
    if maker(posted) == "mistral":
        return False
    silent = [at for at in of_role(posted, "assistant") if not messages(posted)[at].get("tool_calls")]
    if silent:
        messages(posted)[silent[-1]]["tool_calls"] = []
    else:
        messages(posted).append({"role": "assistant", "content": "Well.", "tool_calls": []})
    return True


# --- contents -------------------------------------------------------------------------------------------------


def say_null(posted: Posted) -> bool:
    """A user message has null for content."""
    users = of_role(posted, "user")
    if users:
        messages(posted)[users[-1]]["content"] = None
    return bool(users)


def answer_nothing(posted: Posted) -> bool:
    """A result has no content."""
    results = of_role(posted, "tool")
    if results:
        messages(posted)[results[0]].pop("content", None)
    return bool(results)


def answer_with_null(posted: Posted) -> bool:
    """A result has null for content, as a tool that returns nothing makes it."""
    results = of_role(posted, "tool")
    if results:
        messages(posted)[results[-1]]["content"] = None
    return bool(results)


def say_nothing(posted: Posted) -> bool:
    """An assistant message has neither content nor calls."""
    messages(posted).append({"role": "assistant", "content": None})
    return True


def list_no_parts(posted: Posted) -> bool:
    """A content is an empty list."""
    users = of_role(posted, "user")
    if not users or not is_strict(posted):
        return False
    messages(posted)[users[0]]["content"] = []
    return True


def _add_part(posted: Posted, role: str, part: Json) -> bool:
    """The last message of a role gets a part more."""
    found = of_role(posted, role)
    if found:
        message = messages(posted)[found[-1]]
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
        message["content"] = [*parts, part]
    return bool(found)


def answer_with_an_image(posted: Posted) -> bool:
    """A result shows an image."""
    return _add_part(posted, "tool", _IMAGE)


def show_the_system_an_image(posted: Posted) -> bool:
    """The system prompt shows an image."""
    return _add_part(posted, "system", _IMAGE)


def let_the_assistant_show(posted: Posted) -> bool:
    """An assistant message shows an image."""
    return _add_part(posted, "assistant", _IMAGE)


def drop_a_type(posted: Posted) -> bool:
    """A part does not say its type."""
    return _add_part(posted, "user", {"text": "Which?"})


def drop_a_text(posted: Posted) -> bool:
    """A part of type text has no text."""
    return _add_part(posted, "user", {"type": "text"})


def flatten_an_image(posted: Posted) -> bool:
    """An image's URL stands where an object is expected."""
    return _add_part(posted, "user", {"type": "image_url", "image_url": "https://img.test/a.png"})


def speak_responses(posted: Posted) -> bool:
    """A part has the type that the Responses API gives it."""
    return _add_part(posted, "user", {"type": "input_text", "text": "Which?"})


def think_in_parts(posted: Posted) -> bool:
    """An assistant message has its thinking as a part, as other makers' servers give it."""
    return is_strict(posted) and _add_part(posted, "assistant", {"type": "thinking", "thinking": "Hm."})


def speak_anthropic(posted: Posted) -> bool:
    """A result is written as the Messages API wants it."""
    block = {"type": "tool_result", "tool_use_id": "toolu_01", "content": "ok"}
    return _add_part(posted, "user", block)


def _speak_another_api(kind: str, role: str) -> Edit:
    """The edit that adds a part of a type that another API has; only strict servers refuse what a model itself says."""

    def edit(posted: Posted) -> bool:
        taken = role == "assistant" and not is_strict(posted)
        return not taken and _add_part(posted, role, {"type": kind, "text": "Hm."})

    edit.__doc__ = f"A part has the type {kind!r}, which another API has."
    return edit


_OF_ANOTHER_API: Final = (
    *((kind, "user") for kind in ("output_text", "input_image", "input_file", "image", "document", "tool_use")),
    *((kind, "assistant") for kind in ("redacted_thinking", "reasoning", "functionCall")),
)


# --- calls ----------------------------------------------------------------------------------------------------


def _in_a_call(posted: Posted, change: Callable[[Json], object]) -> bool:
    """The last call of a function, changed."""
    made = [call for call in calls(posted) if "arguments" in (call.get("function") or ())]
    if made:
        change(made[-1])
    return bool(made)


def parse_arguments(posted: Posted) -> bool:
    """The arguments of a call go back as the object that they say."""
    return _in_a_call(posted, lambda call: call["function"].update(arguments={"path": "src/app.py"}))


def drop_arguments(posted: Posted) -> bool:
    """A call goes back without arguments."""
    return _in_a_call(posted, lambda call: call["function"].pop("arguments"))


def drop_the_function(posted: Posted) -> bool:
    """A call goes back without its function."""
    return _in_a_call(posted, lambda call: call.pop("function"))


def drop_the_call_type(posted: Posted) -> bool:
    """A call goes back without its type."""
    return is_strict(posted) and _in_a_call(posted, lambda call: call.pop("type", None))


# --- roles and types ------------------------------------------------------------------------------------------


def take_geminis_role(posted: Posted) -> bool:
    """The assistant's role is that of another provider."""
    messages(posted).append({"role": "model", "content": "Well."})
    return True


def drop_a_role(posted: Posted) -> bool:
    """A message has no role."""
    users = of_role(posted, "user")
    if users:
        del messages(posted)[users[-1]]["role"]
    return bool(users)


def wrap_a_content(posted: Posted) -> bool:
    """A result is put into its message as an object."""
    found = of_role(posted, "tool", "user")
    if found:
        messages(posted)[found[-1]]["content"] = {"content": "ok"}
    return bool(found)


def number_an_id(posted: Posted) -> bool:
    """A result's id is a number."""
    results = of_role(posted, "tool")
    if results:
        messages(posted)[results[-1]]["tool_call_id"] = 7
    return bool(results)


MUTANTS: Final = (
    mutant("id-dropped", drop_an_id, ("OAC-07",), TWO_CALLS, FOREIGN),
    mutant("id-empty", empty_an_id, ("OAC-07",), ONE_CALL, FOREIGN),
    mutant("id-long", lengthen_an_id, ("OAC-07",), FOREIGN, TWO_CALLS),
    mutant("id-of-openai", take_openais_id, ("OAC-07",), MISTRAL),
    mutant("calls-empty", list_no_calls, ("OAC-08",), TURNS, ONE_CALL),
    mutant("result-missing-content", answer_nothing, ("OAC-09",), TWO_CALLS),
    mutant("result-null", answer_with_null, ("OAC-09",), FOREIGN, TWO_CALLS),
    mutant("image-in-result", answer_with_an_image, ("OAC-10",), TWO_CALLS, IMAGES, FOREIGN),
    mutant("image-in-system", show_the_system_an_image, ("OAC-10",), TWO_CALLS),
    mutant("image-in-assistant", let_the_assistant_show, ("OAC-10",), TWO_CALLS),
    mutant("arguments-parsed", parse_arguments, ("OAC-11",), TWO_CALLS, FOREIGN),
    mutant("arguments-dropped", drop_arguments, ("OAC-11",), TWO_CALLS),
    mutant("function-dropped", drop_the_function, ("OAC-11",), TWO_CALLS),
    mutant("call-untyped", drop_the_call_type, ("OAC-11",), ONE_CALL),
    mutant("result-id-number", number_an_id, ("OAC-TYPE",), TWO_CALLS),
    mutant("message-null", say_null, ("OAC-09",), ONE_CALL, SPOKEN),
    mutant("message-silent", say_nothing, ("OAC-09",), ONE_CALL, SPOKEN),
    mutant("content-empty-list", list_no_parts, ("OAC-09",), ONE_CALL, SPOKEN),
    mutant("part-untyped", drop_a_type, ("OAC-PART",), ONE_CALL, SPOKEN),
    mutant("part-without-text", drop_a_text, ("OAC-PART",), ONE_CALL, SPOKEN),
    mutant("image-flat", flatten_an_image, ("OAC-PART",), ONE_CALL, SPOKEN),
    mutant("part-of-responses", speak_responses, ("OAC-PART",), ONE_CALL, SPOKEN),
    mutant("part-of-thinking", think_in_parts, ("OAC-PART",), ONE_CALL, SPOKEN),
    mutant("part-of-messages", speak_anthropic, ("OAC-PART",), ONE_CALL, SPOKEN),
    *(
        mutant(f"part-of-type-{kind}", _speak_another_api(kind, role), ("OAC-PART",), ONE_CALL, SPOKEN)
        for kind, role in _OF_ANOTHER_API
    ),
    mutant("role-of-gemini", take_geminis_role, ("OAC-ROLE",), ONE_CALL, SPOKEN),
    mutant("role-dropped", drop_a_role, ("OAC-ROLE",), ONE_CALL, SPOKEN),
    mutant("content-object", wrap_a_content, ("OAC-TYPE",), ONE_CALL, SPOKEN),
)
