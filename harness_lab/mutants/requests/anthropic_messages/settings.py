"""Mistakes in all beside the messages: tools, thinking, sampling, limits, model and version."""

from __future__ import annotations

from typing import Any, cast

from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.anthropic_messages.base_requests import (
    ALWAYS_THINKING,
    BOUND,
    EFFORT,
    FOREIGN,
    MANUAL,
    ONE_CALL,
    OPUS_4_1,
    OPUS_4_7,
    THREAD,
    VERSION_OF_2023,
    VERSION_OF_2026,
)
from harness_lab.mutants.requests.anthropic_messages.parts import (
    holds,
    model_fact,
    only_words,
    setting,
    user_blocks,
    version_without_sampling,
)
from harness_lab.mutants.requests.mutant import RequestMutant


def in_a_tool(**members: Any) -> Edit:
    """The edit that sets members of the first tool."""

    def edit(posted: Posted) -> bool:
        tools = posted.body.get("tools")
        if tools:
            tools[0].update(members)
        return bool(tools)

    return edit


def force_a_tool(posted: Posted) -> bool:
    """Demand a call of a model that cannot be forced."""
    posted.body["tool_choice"] = {"type": "any"}
    return holds(posted, "never-forced")


def force_a_tool_with_manual_thinking(posted: Posted) -> bool:
    """Demand a certain call while thinking is enabled with a budget."""
    if posted.body.get("thinking", {}).get("type") != "enabled":
        return False
    posted.body["tool_choice"] = {"type": "tool", "name": "read_file"}
    return True


def declare_a_tool_twice(posted: Posted) -> bool:
    """Declare the first tool a second time."""
    tools = posted.body.get("tools")
    if tools:
        tools.append(tools[0])
    return bool(tools)


def choose_without_tools(posted: Posted) -> bool:
    """Remove the tools, and say how one is to be chosen."""
    if posted.body.pop("tools", None) is None or "thread" in posted.body:
        return False
    posted.body["tool_choice"] = {"type": "auto"}
    return True


def think_more_than_there_is_room(posted: Posted) -> bool:
    """Allow as many tokens of thinking as for the whole answer."""
    if "interleaved-thinking" in posted.headers.get("anthropic-beta", ""):
        return False
    posted.body["thinking"] = {"type": "enabled", "budget_tokens": posted.body["max_tokens"]}
    return True


def upgrade_with_sampling(posted: Posted) -> bool:
    """Set a temperature under an API version that accepts none."""
    posted.headers["anthropic-version"] = "2026-10-21"
    posted.body["temperature"] = 1.0
    return True


def think_in(mode: str) -> Edit:
    """The edit that asks for a type of thinking which the model has not."""

    def edit(posted: Posted) -> bool:
        supported = model_fact(posted, "thinking")
        if not isinstance(supported, tuple) or mode in supported:
            return False
        posted.body["thinking"] = {"type": mode, "budget_tokens": 2000} if mode == "enabled" else {"type": mode}
        return True

    return edit


def try_harder(posted: Posted) -> bool:
    """The greatest effort that the model does not have."""
    levels = model_fact(posted, "efforts")
    missing = [level for level in ("xhigh", "max", "high") if isinstance(levels, tuple) and level not in levels]
    if not missing:
        return False
    posted.body["output_config"] = {"effort": missing[0]}
    return True


def sample_a_newer_model(posted: Posted) -> bool:
    """Set a temperature for a model that accepts none."""
    if not holds(posted, "no-sampling") or version_without_sampling(posted):
        return False
    posted.body["temperature"] = 0.2
    return True


def sample_twice(posted: Posted) -> bool:
    """Set temperature and top_p for a model that accepts one of them only."""
    if not holds(posted, "one-sampling") or version_without_sampling(posted):
        return False
    posted.body |= {"temperature": 1.0, "top_p": 0.9}
    return True


def sample_thinking(posted: Posted) -> bool:
    """Set a temperature while the model thinks."""
    thinks = posted.body.get("thinking", {}).get("type") in ("enabled", "adaptive")
    if not thinks or holds(posted, "no-sampling") or version_without_sampling(posted):
        return False
    posted.body["temperature"] = 0.2
    return True


def ask_for_too_much(posted: Posted) -> bool:
    """Ask for more output than the model can give."""
    posted.body["max_tokens"] = 10_000_000
    return holds(posted, "output")


def say_too_much(posted: Posted) -> bool:
    """Send a prompt that is longer than the model's window."""
    return _say_words(posted, cast(int, model_fact(posted, "window") or 0), 1)


def say_one_word_too_many(posted: Posted) -> bool:
    """Send one word more than the model's window has tokens, and nothing beside them."""
    return only_words(posted, 1)


def leave_no_room_for_the_answer(posted: Posted) -> bool:
    """Send a prompt that fits the window, but not together with the answer."""
    return holds(posted, "counts-output") and _say_words(posted, cast(int, model_fact(posted, "window")), -1000)


def _say_words(posted: Posted, window: int, more: int) -> bool:
    content = user_blocks(posted)
    if content is None or not window or "context-1m" in posted.headers.get("anthropic-beta", ""):
        return False
    content.append({"type": "text", "text": "a " * (window + more)})
    return True


def forget_the_version(posted: Posted) -> bool:
    """Remove the header with the API version, and use an API key."""
    posted.headers.pop("anthropic-version", None)
    posted.headers["x-api-key"] = "key"
    return True


def ask_for_version(version: str) -> Edit:
    """Return an edit that asks for this API version."""

    def edit(posted: Posted) -> bool:
        posted.headers["anthropic-version"] = version
        return True

    return edit


_ANYWHERE = (ONE_CALL, MANUAL, FOREIGN)
_OPEN = {"type": "json_schema", "schema": {"type": "object", "properties": {"page": {"type": "string"}}}}
_UNION = {"type": "object", "anyOf": [{"required": ["path"]}, {"required": ["url"]}]}

MUTANTS: tuple[RequestMutant, ...] = (
    RequestMutant(
        "ant-forced-on-a-thinking-model",
        "A tool is forced on a model that always thinks.",
        ("ANT-19",),
        force_a_tool,
        (BOUND, ALWAYS_THINKING),
    ),
    RequestMutant(
        "ant-forced-with-manual-thinking",
        "A tool is forced while manual thinking is enabled.",
        ("ANT-20",),
        force_a_tool_with_manual_thinking,
        (MANUAL, OPUS_4_1),
    ),
    RequestMutant("ant-tool-twice", "A tool is declared twice.", ("ANT-21",), declare_a_tool_twice, (ONE_CALL, THREAD)),
    RequestMutant(
        "ant-tool-name-with-dots", "A tool's name has dots.", ("ANT-21",), in_a_tool(name="files.list"), _ANYWHERE
    ),
    RequestMutant(
        "ant-schema-of-text",
        "A tool takes a text and no object.",
        ("ANT-22",),
        in_a_tool(input_schema={"type": "string"}),
        _ANYWHERE,
    ),
    RequestMutant("ant-schema-without-type", "A schema is empty.", ("ANT-22",), in_a_tool(input_schema={}), _ANYWHERE),
    RequestMutant("ant-schema-of-anything", "A schema is true.", ("ANT-22",), in_a_tool(input_schema=True), _ANYWHERE),
    RequestMutant(
        "ant-schema-invalid",
        "A property has the name of its type where its schema should be.",
        ("ANT-22",),
        in_a_tool(input_schema={"type": "object", "properties": {"path": "string"}}),
        _ANYWHERE,
    ),
    RequestMutant("ant-schema-union", "A schema is a union.", ("ANT-22",), in_a_tool(input_schema=_UNION), _ANYWHERE),
    RequestMutant(
        "ant-budget-too-large",
        "The thinking budget is as large as max_tokens.",
        ("ANT-25",),
        think_more_than_there_is_room,
        (OPUS_4_1, MANUAL),
    ),
    RequestMutant(
        "ant-budget-too-small",
        "The thinking budget is 512 tokens.",
        ("ANT-25",),
        setting(thinking={"type": "enabled", "budget_tokens": 512}),
        (MANUAL,),
    ),
    RequestMutant(
        "ant-budget-missing",
        "Manual thinking has no budget.",
        ("ANT-25",),
        setting(thinking={"type": "enabled"}),
        (MANUAL,),
    ),
    RequestMutant(
        "ant-sampling-in-a-new-version",
        "A temperature is sent with the API version of October 2026.",
        ("ANT-26",),
        upgrade_with_sampling,
        (VERSION_OF_2026, VERSION_OF_2023, ONE_CALL),
    ),
    RequestMutant(
        "ant-effort-unsupported",
        "An effort is asked for that the model has not.",
        ("ANT-29",),
        try_harder,
        (EFFORT, ONE_CALL, MANUAL),
    ),
    RequestMutant(
        "ant-effort-unknown",
        "An effort is none at all.",
        ("ANT-29",),
        setting(output_config={"effort": "extreme"}),
        _ANYWHERE,
    ),
    RequestMutant(
        "ant-context-too-long", "There are more words than fit.", ("ANT-30",), say_too_much, (OPUS_4_1, MANUAL)
    ),
    RequestMutant(
        "ant-one-word-too-many", "There is one word more than fits.", ("ANT-30",), say_one_word_too_many, (MANUAL,)
    ),
    RequestMutant(
        "ant-no-room-for-the-answer",
        "What is said and what is to be written do not fit together.",
        ("ANT-30",),
        leave_no_room_for_the_answer,
        (OPUS_4_1,),
    ),
    RequestMutant(
        "ant-choice-undeclared",
        "A tool is chosen that is not declared.",
        ("ANT-CHOICE",),
        setting(tool_choice={"type": "tool", "name": "delete_file"}),
        (ONE_CALL, FOREIGN),
    ),
    RequestMutant(
        "ant-choice-without-tools",
        "There is a choice and no tools.",
        ("ANT-CHOICE",),
        choose_without_tools,
        (ONE_CALL,),
    ),
    RequestMutant(
        "ant-choice-of-another-provider",
        "The choice is required, as other providers call it.",
        ("ANT-CHOICE",),
        setting(tool_choice={"type": "required"}),
        _ANYWHERE,
    ),
    RequestMutant(
        "ant-choice-without-a-name",
        "A tool is chosen without its name.",
        ("ANT-CHOICE",),
        setting(tool_choice={"type": "tool"}),
        (ONE_CALL,),
    ),
    RequestMutant(
        "ant-format-open",
        "The schema of the output allows more than it says.",
        ("ANT-FORMAT",),
        setting(output_config={"format": _OPEN}),
        _ANYWHERE,
    ),
    RequestMutant(
        "ant-format-without-schema",
        "An output format has no schema.",
        ("ANT-FORMAT",),
        setting(output_format={"type": "json_schema"}),
        _ANYWHERE,
    ),
    RequestMutant(
        "ant-thinking-enabled-on-a-newer-model",
        "A newer model is asked for thinking with a budget.",
        ("ANT-MODE",),
        think_in("enabled"),
        (OPUS_4_7, BOUND),
    ),
    RequestMutant(
        "ant-thinking-adaptive-on-an-older-model",
        "An older model is asked for adaptive thinking.",
        ("ANT-MODE",),
        think_in("adaptive"),
        (MANUAL, OPUS_4_1),
    ),
    RequestMutant(
        "ant-thinking-between-tools",
        "Thinking between tools is asked of a model without it.",
        ("ANT-MODE",),
        think_in("between_tools"),
        (ONE_CALL, MANUAL, BOUND),
    ),
    RequestMutant(
        "ant-thinking-unknown", "Thinking is on.", ("ANT-MODE",), setting(thinking={"type": "on"}), _ANYWHERE
    ),
    RequestMutant(
        "ant-thinking-without-type",
        "Thinking has only a budget.",
        ("ANT-MODE",),
        setting(thinking={"budget_tokens": 2000}),
        _ANYWHERE,
    ),
    RequestMutant(
        "ant-model-misspelt",
        "The model's name is misspelt.",
        ("ANT-MODEL",),
        setting(model="claude-sonet-4-6"),
        (ONE_CALL,),
    ),
    RequestMutant(
        "ant-output-too-large",
        "More tokens are asked for than the model writes.",
        ("ANT-OUTPUT",),
        ask_for_too_much,
        _ANYWHERE,
    ),
    RequestMutant(
        "ant-temperature-too-high", "The temperature is 1.5.", ("ANT-RANGE",), setting(temperature=1.5), _ANYWHERE
    ),
    RequestMutant(
        "ant-temperature-as-text", "The temperature is text.", ("ANT-RANGE",), setting(temperature="low"), _ANYWHERE
    ),
    RequestMutant(
        "ant-max-tokens-negative", "max_tokens is negative.", ("ANT-RANGE",), setting(max_tokens=-1), _ANYWHERE
    ),
    RequestMutant(
        "ant-sampling-on-a-newer-model",
        "A newer model is given a temperature.",
        ("ANT-SAMPLING",),
        sample_a_newer_model,
        (OPUS_4_7, BOUND),
    ),
    RequestMutant(
        "ant-sampling-twice",
        "Temperature and top_p are both given.",
        ("ANT-SAMPLING",),
        sample_twice,
        (ONE_CALL, MANUAL, VERSION_OF_2023),
    ),
    RequestMutant(
        "ant-sampling-with-thinking",
        "A temperature is given while thinking is enabled.",
        ("ANT-SAMPLING",),
        sample_thinking,
        (ONE_CALL, MANUAL),
    ),
    RequestMutant(
        "ant-version-missing",
        "There is no anthropic-version.",
        ("ANT-VERSION",),
        forget_the_version,
        (VERSION_OF_2023,),
    ),
    RequestMutant(
        "ant-version-unknown",
        "The version is a date on which there was none.",
        ("ANT-VERSION",),
        ask_for_version("2023-10-01"),
        (VERSION_OF_2023, ONE_CALL),
    ),
    RequestMutant(
        "ant-version-to-come",
        "The version is later than all that are known here.",
        ("ANT-VERSION",),
        ask_for_version("2031-01-01"),
        (VERSION_OF_2023,),
    ),
)
