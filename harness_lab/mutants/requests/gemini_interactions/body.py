"""What a request asks for, where nothing of the kind is served: INT-01 to 03, 18, 19, 21, 25 to 28, 32, INT-BODY."""

from __future__ import annotations

from typing import Final

from harness.wire.gemini_interactions.models import THINKING_LEVELS
from harness.wire.gemini_interactions.steps import INPUT, flattened, kind_of
from harness.wire.posted import Posted
from harness_lab.mutants.requests.gemini_interactions.base_requests import (
    AGAIN,
    FOREIGN,
    LONG,
    LONG_STORED,
    ONE_CALL,
    SEARCHED,
    SILENT,
    STATEFUL,
    TEXTS,
    TEXTS_STORED,
    TWO_CALLS,
    WRAPPED,
)
from harness_lab.mutants.requests.gemini_interactions.finding import fact
from harness_lab.mutants.requests.mutant import RequestMutant


def ask_both(posted: Posted) -> bool:
    """Ask an agent, too."""
    posted.body["agent"] = "deep-research-preview-04-2026"
    return "model" in posted.body


def ask_nobody(posted: Posted) -> bool:
    """Leave the model out."""
    return posted.body.pop("model", None) is not None


def say_nothing(posted: Posted) -> bool:
    """Send an empty input."""
    posted.body["input"] = []
    return True


def ask_for_the_older_form(posted: Posted) -> bool:
    """Ask for the revision of early 2026."""
    posted.headers["api-revision"] = "2026-05-07"
    return True


def speak_in_roles(posted: Posted) -> bool:
    """Begin the input with an entry as generateContent has it."""
    posted.body["input"].insert(0, {"role": "user", "parts": [{"text": "Hello."}]})
    return True


def name_the_input_contents(posted: Posted) -> bool:
    """Send the history as contents, too."""
    posted.body["contents"] = []
    return True


def store_nothing(posted: Posted) -> bool:
    """Name an interaction, and ask to store none."""
    posted.body["store"] = False
    return "previous_interaction_id" in posted.body


def work_in_the_background(posted: Posted) -> bool:
    """Ask for an answer in the background that is not stored."""
    posted.body.update(store=False, background=True)
    return True


def name_another_interaction(posted: Posted) -> bool:
    """Go on from an interaction that there is not."""
    if "previous_interaction_id" not in posted.body:
        return False
    posted.body["previous_interaction_id"] = "v1_Cg"
    return True


def name_the_failed_interaction(posted: Posted) -> bool:
    """Go on from the interaction that has failed."""
    failed = posted.body.get("webhook_config", {}).get("user_metadata", {}).get("failed")
    if failed:
        posted.body["previous_interaction_id"] = failed
    return bool(failed)


def leave_the_tools_out(posted: Posted) -> bool:
    """Send the tools once, with the first request. Another question may be asked without them."""
    asks = any(kind_of(native) == INPUT for native, _ in flattened(posted.body.get("input")))
    return not asks and "previous_interaction_id" in posted.body and posted.body.pop("tools", None) is not None


def leave_the_instructions_out(posted: Posted) -> bool:
    """Send the instructions once, with the first request."""
    return "previous_interaction_id" in posted.body and posted.body.pop("system_instruction", None) is not None


def allow_another_tool(posted: Posted) -> bool:
    """Allow a tool that is not declared."""
    choice = {"allowed_tools": {"mode": "any", "tools": ["read_file", "write_file"]}}
    posted.body.setdefault("generation_config", {})["tool_choice"] = choice
    return True


def choose_beside_the_tools(posted: Posted) -> bool:
    """Put the choice where other APIs have it."""
    posted.body["tool_choice"] = "auto"
    return True


def spell_in_humps(posted: Posted) -> bool:
    """Spell a member as generateContent does."""
    posted.body["generationConfig"] = {"temperature": 0}
    return True


def think_little(posted: Posted) -> bool:
    """Ask a model for less thinking than it takes."""
    posted.body.setdefault("generation_config", {})["thinking_level"] = "minimal"
    return fact(posted, THINKING_LEVELS) is not None


def declare_a_list(posted: Posted) -> bool:
    """Declare the functions in one tool, as generateContent has them."""
    posted.body["tools"] = [{"functionDeclarations": posted.body.get("tools", [])}]
    return True


def invent_a_tool(posted: Posted) -> bool:
    """Declare a tool of a type that there is not."""
    posted.body.setdefault("tools", []).append({"type": "invalid_tool_type_xyz"})
    return True


def send_no_json(posted: Posted) -> bool:
    """Cut the body."""
    posted.raw = posted.content()[:-5]
    return True


def continue_by_another_token(posted: Posted) -> bool:
    """Have the answer continued by a token of nowhere."""
    if not posted.body.get("continuation_token"):
        return False
    posted.body["continuation_token"] = posted.body["continuation_token"][::-1]
    return True


def continue_from_the_interaction_before(posted: Posted) -> bool:
    """Name the interaction before the one that issued the token."""
    if not posted.body.get("continuation_token") or "previous_interaction_id" not in posted.body:
        return False
    posted.body["previous_interaction_id"] = posted.body["previous_interaction_id"][::-1]
    return True


def continue_another_input(posted: Posted) -> bool:
    """Say something more beside the token."""
    if not posted.body.get("continuation_token") or "previous_interaction_id" in posted.body:
        return False
    posted.body["input"].append({"type": "user_input", "content": [{"type": "text", "text": "Go on."}]})
    return True


BODY: Final = (
    RequestMutant("int-model-and-agent", "A model and an agent are asked.", ("INT-01",), ask_both, (TEXTS,)),
    RequestMutant("int-nobody-asked", "Nobody is asked.", ("INT-01",), ask_nobody, (TEXTS, STATEFUL)),
    RequestMutant("int-input-empty", "The input is empty.", ("INT-02",), say_nothing, (TEXTS, TEXTS_STORED)),
    RequestMutant(
        "int-older-revision", "The older form is asked for.", ("INT-03",), ask_for_the_older_form, (TEXTS, STATEFUL)
    ),
    RequestMutant("int-roles", "An entry of the input has a role.", ("INT-03",), speak_in_roles, (TEXTS,)),
    RequestMutant("int-contents", "The history is contents.", ("INT-03",), name_the_input_contents, (TEXTS,)),
    RequestMutant("int-stored-nowhere", "What is not stored goes on.", ("INT-18",), store_nothing, (STATEFUL, WRAPPED)),
    RequestMutant(
        "int-background-unstored",
        "What is not stored is in the background.",
        ("INT-18",),
        work_in_the_background,
        (TEXTS,),
    ),
    RequestMutant(
        "int-unknown-interaction",
        "The interaction before is unknown.",
        ("INT-19",),
        name_another_interaction,
        (STATEFUL, TEXTS_STORED),
    ),
    RequestMutant(
        "int-failed-named",
        "A request goes on from an interaction that has failed.",
        ("INT-19",),
        name_the_failed_interaction,
        (AGAIN, SILENT),
    ),
    RequestMutant("int-tools-once", "The tools are sent once.", ("INT-21",), leave_the_tools_out, (STATEFUL,)),
    RequestMutant(
        "int-instructions-once", "The instructions are sent once.", ("INT-21",), leave_the_instructions_out, (STATEFUL,)
    ),
    RequestMutant(
        "int-undeclared-allowed",
        "A tool is allowed that is not declared.",
        ("INT-25",),
        allow_another_tool,
        (ONE_CALL, SEARCHED),
    ),
    RequestMutant(
        "int-choice-outside",
        "The choice among tools is beside them.",
        ("INT-25",),
        choose_beside_the_tools,
        (ONE_CALL,),
    ),
    RequestMutant("int-humps", "A member is spelled in camelCase.", ("INT-26",), spell_in_humps, (TEXTS,)),
    RequestMutant(
        "int-little-thinking", "The model takes no minimal thinking.", ("INT-27",), think_little, (TWO_CALLS, FOREIGN)
    ),
    RequestMutant(
        "int-token-of-nowhere",
        "A long answer is continued by another token.",
        ("INT-28",),
        continue_by_another_token,
        (LONG, LONG_STORED),
    ),
    RequestMutant(
        "int-token-of-another",
        "A long answer is continued from another interaction than its own.",
        ("INT-28", "INT-19"),
        continue_from_the_interaction_before,
        (LONG_STORED,),
    ),
    RequestMutant(
        "int-token-beside-more",
        "Beside the token is another input than the one that the answer has begun with.",
        ("INT-28",),
        continue_another_input,
        (LONG,),
    ),
    RequestMutant("int-declarations", "Functions are in one tool.", ("INT-32",), declare_a_list, (ONE_CALL,)),
    RequestMutant("int-tool-invented", "A tool has an unknown type.", ("INT-32",), invent_a_tool, (ONE_CALL,)),
    RequestMutant("int-no-json", "The body is no JSON.", ("INT-BODY",), send_no_json, (TEXTS,)),
)
