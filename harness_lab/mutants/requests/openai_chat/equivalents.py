"""Changes that break nothing: what OpenAI, or the server of another maker, is known to accept."""

from __future__ import annotations

from typing import Any, Final

from harness.wire.posted import Posted
from harness_lab.mutants.requests.openai_chat.base_requests import (
    CHOICE,
    DEEPSEEK,
    FOREIGN,
    FOREIGN_DEEPSEEK,
    FOREIGN_REASONER,
    GPT_5_4,
    MISTRAL,
    ONE_CALL,
    REASONING,
    ROUTER,
    SAME_IDS,
    SMALL,
    SPOKEN,
    THINKING_CHAT,
    TURNS,
    TWO_CALLS,
)
from harness_lab.mutants.requests.openai_chat.making import equivalent
from harness_lab.mutants.requests.openai_chat.places import (
    blocks,
    calls,
    maker,
    messages,
    of_role,
    results_of,
)


def break_arguments(posted: Posted) -> bool:
    """The arguments of a call are no JSON."""
    made = calls(posted)
    if made:
        made[0]["function"]["arguments"] = "15 * 4"
    return bool(made)


def reorder_results(posted: Posted) -> bool:
    """The results of a turn come in another order."""
    history = messages(posted)
    for at in blocks(posted):
        places = results_of(posted, at)
        history[places[0] : places[-1] + 1] = [history[place] for place in reversed(places)]
    return bool(blocks(posted))


def list_the_results(posted: Posted) -> bool:
    """Results are lists of text parts."""
    for at in of_role(posted, "tool"):
        messages(posted)[at]["content"] = [{"type": "text", "text": "ok"}]
    return bool(of_role(posted, "tool"))


def name_the_results(posted: Posted) -> bool:
    """Tool messages have the name of their tool."""
    for at in of_role(posted, "tool"):
        messages(posted)[at]["name"] = "read_file"
    return bool(of_role(posted, "tool"))


def answer_with_nothing(posted: Posted) -> bool:
    """A result is an empty text."""
    results = of_role(posted, "tool")
    if results:
        messages(posted)[results[0]]["content"] = ""
    return bool(results)


def _contents(posted: Posted, content: Any) -> bool:
    for at in blocks(posted):
        messages(posted)[at]["content"] = content
    return bool(blocks(posted))


def empty_content(posted: Posted) -> bool:
    """Messages with calls have an empty content."""
    return _contents(posted, "")


def null_content(posted: Posted) -> bool:
    """Messages with calls have null for content."""
    return _contents(posted, None)


def no_content(posted: Posted) -> bool:
    """Messages with calls have no content at all."""
    for at in blocks(posted):
        messages(posted)[at].pop("content", None)
    return bool(blocks(posted))


def _append(posted: Posted, *new: dict[str, Any]) -> bool:
    messages(posted).extend(new)
    return True


def two_users(posted: Posted) -> bool:
    """Two user messages stand behind each other, and behind the results."""
    return _append(posted, {"role": "user", "content": "And"}, {"role": "user", "content": "now?"})


def two_assistants(posted: Posted) -> bool:
    """Two assistant messages stand behind each other, one of them empty."""
    return _append(posted, {"role": "assistant", "content": ""}, {"role": "assistant", "content": "Well."})


def refuse(posted: Posted) -> bool:
    """An assistant message has a refusal in place of content."""
    return _append(posted, {"role": "assistant", "content": None, "refusal": "No."}, {"role": "user", "content": "Do."})


def developer(posted: Posted) -> bool:
    """The system prompt is a developer message."""
    systems = of_role(posted, "system")
    for at in systems:
        messages(posted)[at]["role"] = "developer"
    return bool(systems)


def rewrite_a_call(posted: Posted) -> bool:
    """A call goes back under another name, with other arguments: OpenAI compares neither."""
    made = calls(posted)
    if made:
        made[0]["function"].update(name="list_files", arguments="{}")
    return bool(made)


def return_a_stream(posted: Posted) -> bool:
    """Calls go back with the index that streams give them, and messages with members of responses."""
    for at in blocks(posted):
        messages(posted)[at].update(annotations=[])
        for number, call in enumerate(messages(posted)[at]["tool_calls"]):
            call["index"] = number
    return bool(blocks(posted))


def send_nulls(posted: Posted) -> bool:
    """Members that are not set are null."""
    posted.body.update(temperature=None, tool_choice=None, max_tokens=None, stop=None, reasoning_effort=None, n=None)
    return True


def invent_a_member(posted: Posted) -> bool:
    """The request has a member of another maker's."""
    posted.body["cache_prompt"] = True
    return True


def think_at_openai(posted: Posted) -> bool:
    """A message has thinking that OpenAI does not know."""
    for at in blocks(posted):
        messages(posted)[at].setdefault("reasoning_content", "Hm.")
    return bool(blocks(posted))


def custom_tool(posted: Posted) -> bool:
    """A tool takes free text."""
    posted.body["tools"].append({"type": "custom", "custom": {"name": "run", "description": "Runs it."}})
    return True


def choose_a_tool(posted: Posted) -> bool:
    """A declared tool is chosen."""
    posted.body["tool_choice"] = {"type": "function", "function": {"name": "read_file"}}
    return True


def drop_thinking_off(posted: Posted) -> bool:
    """Calls that were made without thinking go back to DeepSeek without it, with thinking switched off."""
    posted.body["thinking"] = {"type": "disabled"}
    return True


def force_a_call_without_thinking(posted: Posted) -> bool:
    """A call is forced on DeepSeek with thinking switched off."""
    posted.body.update(thinking={"type": "disabled"}, tool_choice="required")
    return bool(posted.body.get("tools"))


def empty_foreign_thinking(posted: Posted) -> bool:
    """DeepSeek gets calls of another model's with an empty thought."""
    found = [at for at in blocks(posted) if maker(posted) == "deepseek"]
    for at in found:
        messages(posted)[at]["reasoning_content"] = ""
    return bool(found)


def think_no_more(posted: Posted) -> bool:
    """Thinking is switched off, and the thoughts of before are left out."""
    posted.body["thinking"] = {"type": "disabled"}
    for at in blocks(posted):
        messages(posted)[at].pop("reasoning_content", None)
    return bool(blocks(posted))


def think_no_more_by_effort(posted: Posted) -> bool:
    """Thinking is switched off by the effort, and the thoughts of before are left out."""
    posted.body["reasoning_effort"] = "none"
    for at in blocks(posted):
        messages(posted)[at].pop("reasoning_content", None)
    return bool(blocks(posted))


def list_no_calls(posted: Posted) -> bool:
    """Mistral gets its own empty list of calls back."""
    return _append(
        posted, {"role": "assistant", "content": "Well.", "tool_calls": []}, {"role": "user", "content": "?"}
    )


def choose_any(posted: Posted) -> bool:
    """Mistral is asked to call any tool."""
    posted.body["tool_choice"] = "any"
    return True


def speak_a_little(posted: Posted) -> bool:
    """A long history that fits."""
    messages(posted)[-1]["content"] = "and " * 4000
    return True


EQUIVALENTS: Final = (
    equivalent("arguments-broken", break_arguments, ("OAC-12",), TWO_CALLS, FOREIGN),
    equivalent("results-reordered", reorder_results, ("OAC-03", "OAC-05"), TWO_CALLS, TURNS, FOREIGN),
    equivalent("results-listed", list_the_results, ("OAC-10", "OAC-TYPE"), TWO_CALLS, FOREIGN),
    equivalent("results-named", name_the_results, ("OAC-TYPE",), TWO_CALLS),
    equivalent("result-empty", answer_with_nothing, ("OAC-09",), TWO_CALLS),
    equivalent("content-empty", empty_content, ("OAC-09",), TWO_CALLS, MISTRAL),
    equivalent("content-null", null_content, ("OAC-09",), TWO_CALLS),
    equivalent("content-absent", no_content, ("OAC-09",), TWO_CALLS, FOREIGN),
    equivalent("two-users", two_users, ("OAC-ORDER",), TWO_CALLS, DEEPSEEK),
    equivalent("two-assistants", two_assistants, ("OAC-09",), TWO_CALLS, ONE_CALL),
    equivalent("refusal", refuse, ("OAC-09",), TWO_CALLS),
    equivalent("developer", developer, ("OAC-13", "OAC-ROLE"), TWO_CALLS, REASONING),
    equivalent("call-rewritten", rewrite_a_call, ("OAC-03",), TWO_CALLS, SAME_IDS),
    equivalent("stream-returned", return_a_stream, ("OAC-TYPE",), TWO_CALLS),
    equivalent("members-null", send_nulls, ("OAC-TYPE", "OAC-16", "OAC-EFFORT"), TWO_CALLS, REASONING, GPT_5_4),
    equivalent("member-invented", invent_a_member, ("OAC-PARAM",), TWO_CALLS, SPOKEN),
    equivalent("thinking-at-openai", think_at_openai, ("OAC-19",), TWO_CALLS, FOREIGN),
    equivalent("tool-custom", custom_tool, ("OAC-15",), TWO_CALLS),
    equivalent("choice-declared", choose_a_tool, ("OAC-15",), CHOICE, ROUTER),
    equivalent("thinking-off", drop_thinking_off, ("OAC-19", "OAC-FORCED"), DEEPSEEK),
    equivalent("call-forced-without-thinking", force_a_call_without_thinking, ("OAC-FORCED",), DEEPSEEK),
    equivalent("thinking-empty", empty_foreign_thinking, ("OAC-19",), FOREIGN_DEEPSEEK, FOREIGN_REASONER),
    equivalent("thinking-no-more", think_no_more, ("OAC-19",), FOREIGN_DEEPSEEK, THINKING_CHAT),
    equivalent("thinking-no-more-by-effort", think_no_more_by_effort, ("OAC-19",), FOREIGN_DEEPSEEK),
    equivalent("calls-empty-at-mistral", list_no_calls, ("OAC-08",), MISTRAL),
    equivalent("choice-any-at-mistral", choose_any, ("OAC-15",), MISTRAL),
    equivalent("window-half-full", speak_a_little, ("OAC-17",), SMALL),
)
