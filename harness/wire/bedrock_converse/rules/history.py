"""Calls and their results, and who speaks when: BED-01 to 06, 10, 11, 19."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Final

from harness.wire.bedrock_converse.models import FREE_FIRST, FREE_ROLES, LONE_RESULTS
from harness.wire.bedrock_converse.rules.book import RULES
from harness.wire.bedrock_converse.rules.places import (
    answers,
    blocks,
    call_turns,
    fact,
    last_answers,
    messages,
    rename,
    result_turns,
)
from harness.wire.bedrock_converse.rules.request import ConverseRequest, Entry, Found, brief
from harness.wire.lenient import Json, members
from harness.wire.posted import Posted, Right, Wrong, drop, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_NOTHING = Entry(-1, "", None)


BED_10: Final = WireRule(
    "BED-10",
    "The first message is the user's.",
    "A history that was shortened at its front may begin with an answer.",
    "certain",
    (
        "https://github.com/langgenius/dify/issues/12340",
        "https://github.com/strands-agents/harness-sdk/issues/2085",
        "https://github.com/pydantic/pydantic-ai/pull/6255",
    ),
    (
        verbatim(
            "A conversation must start with a user message. Try again with a conversation that starts with a user "
            "message."
        ),
    ),
    applies="all models but Claude 4.5 and later and Qwen3, which accepted it when they were asked",
    wrong=(
        Wrong(
            "bed-answer-first",
            "The history is cut in front of an answer.",
            lambda it: not fact(it, FREE_FIRST) and _begin_with(it, answers(it)),
            "nova foreign-texts llama",
        ),
    ),
    right=(
        Right(
            "bed-answer-first-of-claude",
            "An answer is first.",
            lambda it: fact(it, FREE_FIRST) and _begin_with(it, answers(it)),
            "texts steps sonnet-4-6",
        ),
    ),
)


@RULES.check("conversation", BED_10)
def user_first(request: ConverseRequest) -> Found:
    """BED-10. If the API accepts messages with the role system, they may come first."""
    if request.fact(FREE_FIRST):
        return
    spoken = [entry for entry in request.entries if entry.role != "system"]
    if spoken and spoken[0].role == "assistant":
        yield BED_10.broken(spoken[0].at, expected="a user message first", got="an assistant message first")


def _leave_the_tools_out(posted: Posted) -> bool:
    return bool(call_turns(posted)) and posted.body.pop("toolConfig", None) is not None


BED_05: Final = WireRule(
    "BED-05",
    "A request whose history has a toolUse or a toolResult declares tools in toolConfig.",
    "The last request of a loop, which is to sum up or to answer in text, leaves the tools out. There is no toolChoice "
    "that forbids calls, so they must be declared all the same.",
    "certain",
    (
        "https://github.com/vercel/ai/pull/7537",
        "https://github.com/vxcontrol/pentagi/pull/196",
        "https://github.com/timothy-agent/timothy/pull/282",
        "59 of 59 recorded requests with such a history that were accepted declare tools",
    ),
    (verbatim("The toolConfig field must be defined when using toolUse and toolResult content blocks."),),
    wrong=(
        Wrong(
            "bed-tools-left-out",
            "The last request of a loop declares no tools.",
            _leave_the_tools_out,
            "two-calls steps llama foreign-texts",
        ),
    ),
)


@RULES.check("conversation", BED_05)
def tools_declared(request: ConverseRequest) -> Found:
    """BED-05."""
    used = next((block for entry in request.entries for block in (*entry.calls, *entry.results)), None)
    if used is not None and not request.tool_config:
        yield BED_05.broken("toolConfig", expected="the tools", got=f"none, and a {used.kind} at {used.at}")


def _call_twice_under_one_id(posted: Posted) -> bool:
    """As an adapter does that cuts ids."""
    for message in reversed(call_turns(posted)):
        if len(calls := blocks(message, "toolUse")) > 1:
            first, lost = (call["toolUse"]["toolUseId"] for call in calls[:2])
            rename(posted, lost, first)
            return True
    return False


BED_04: Final = WireRule(
    "BED-04",
    "The toolUseIds of one message differ.",
    "Two calls with one id cannot be distinguished by their results. Adapters that shorten ids make such.",
    "certain",
    ("recording mistral-duplicate-tool-call-ids-error",),
    (
        ErrorTemplate(
            "The toolUse blocks at {at} contain duplicate Ids: {ids}",
            seen="The toolUse blocks at messages.2.content contain duplicate Ids: tooluseAc",
        ),
    ),
    needs=("ids",),
    wrong=(Wrong("bed-id-twice", "Two calls have one id.", _call_twice_under_one_id, "two-calls steps llama"),),
)


@RULES.check("conversation", BED_04)
def ids_differ(request: ConverseRequest) -> Found:
    """BED-04."""
    for entry in request.entries:
        counts = Counter(block.id for block in entry.calls if block.id)
        if twice := [id_ for id_, count in counts.items() if count > 1]:
            at = f"{entry.at}.content"
            yield BED_04.broken(at, expected="an id for each call", got=brief(", ".join(twice)), ids=", ".join(twice))


def _lose_a_result(posted: Posted) -> bool:
    for message in reversed(result_turns(posted)):
        if len(blocks(message, "toolResult")) > 1:
            message["content"].remove(blocks(message, "toolResult")[-1])
            return True
    return False


def _split_the_results(posted: Posted) -> bool:
    for message in reversed(result_turns(posted)):
        if len(found := blocks(message, "toolResult")) > 1:
            message["content"].remove(found[-1])
            at = messages(posted).index(message)
            messages(posted).insert(at + 1, {"role": "user", "content": [found[-1]]})
            return True
    return False


def _end_with(posted: Posted, turns: list[Json]) -> bool:
    """Remove everything after the last of these messages."""
    for message in turns[-1:]:
        del messages(posted)[messages(posted).index(message) + 1 :]
    return bool(turns)


def _begin_with(posted: Posted, turns: list[Json]) -> bool:
    """Cut the history in front of the first of these messages."""
    for message in turns[:1]:
        del messages(posted)[: messages(posted).index(message)]
    return bool(turns)


def _reverse_the_results(posted: Posted) -> bool:
    for message in result_turns(posted)[-1:]:
        message["content"].reverse()
    return True


BED_01: Final = WireRule(
    "BED-01",
    "Each toolUse of an assistant message has its toolResult in the next message, which is the user's.",
    "A loop that is interrupted, declines one of several calls, or spreads their results over two messages loses the "
    "conversation.",
    "certain",
    (
        "recording rejects-continuation-with-a-missing-parallel-tool-result",
        "https://github.com/genkit-ai/aws-bedrock-js-plugin/issues/664",
        "https://github.com/zeroclaw-labs/zeroclaw/pull/1476",
    ),
    (
        ErrorTemplate(
            "Expected toolResult blocks at {at} for the following Ids: {ids}",
            seen="Expected toolResult blocks at messages.2.content for the following Ids: call_time",
        ),
        ErrorTemplate(
            "Expected toolResult blocks at {at} for the following Ids: {ids}", certainty="likely", name="last"
        ),
    ),
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong("bed-result-lost", "One of two calls has no result.", _lose_a_result, "two-calls steps nova"),
        Wrong(
            "bed-results-split",
            "Each result is in a message of its own.",
            _split_the_results,
            "two-calls steps nova llama",
            also=("BED-02",),
        ),
        Wrong(
            "bed-interrupted",
            "The user speaks where the results should be.",
            lambda it: put(result_turns(it)[-1:], content=[{"text": "Never mind."}]),
            "one-call steps foreign",
        ),
        Wrong(
            "bed-result-of-another-call",
            "A result has an id that no call has.",
            lambda it: put(last_answers(it)[-1:], toolUseId="tooluse_0000000000000000000000"),
            "one-call two-calls foreign",
        ),
        Wrong(
            "bed-call-last",
            "The history ends with calls.",
            lambda it: _end_with(it, call_turns(it)),
            "two-calls steps sonnet-4-6",
        ),
    ),
    right=(Right("bed-results-backwards", "Results in another order.", _reverse_the_results, "two-calls llama"),),
)


@RULES.check("conversation", BED_01)
def calls_answered(request: ConverseRequest) -> Found:
    """BED-01: in the next message, whatever comes after it. A history that ends with a call is refused, too."""
    for entry, after in pairwise((*request.entries, _NOTHING)):
        answered = {block.id for block in after.results}
        missing = list(dict.fromkeys(block.id for block in entry.calls if block.id not in answered))
        if missing:
            at, ids = f"messages.{entry.number + 1}.content", ", ".join(missing)
            template, got = ("last", "the end of the history") if after is _NOTHING else (None, _results(after))
            yield BED_01.broken(at, template=template, expected=f"results of {brief(ids)}", got=got, ids=ids)


def _results(entry: Entry) -> str:
    return f"results of {brief(', '.join(block.id for block in entry.results))}" if entry.results else "no results"


def _answer_twice(posted: Posted) -> bool:
    for message in result_turns(posted)[-1:]:
        found = blocks(message, "toolResult")
        message["content"].insert(message["content"].index(found[-1]), found[-1])
        return True
    return False


BED_02: Final = WireRule(
    "BED-02",
    "A message has no more toolResults than the message before it has toolUses.",
    "A history that was shortened at its front, or between a call and its result, begins with results of nothing. So "
    "does one in which results are sent twice.",
    "certain",
    (
        "https://github.com/strands-agents/harness-sdk/issues/1435",
        "https://github.com/pydantic/pydantic-ai/issues/2327",
        "https://github.com/Just-Curieous/Curie/issues/16",
        "https://github.com/langgenius/dify-official-plugins/issues/765",
    ),
    (
        ErrorTemplate(
            "The number of toolResult blocks at {at} exceeds the number of toolUse blocks of previous turn.",
            seen="The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of "
            "previous turn.",
        ),
    ),
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong(
            "bed-call-forgotten",
            "The results of calls stay that were summed up.",
            lambda it: put(call_turns(it)[-1:], content=[{"text": "Some files were read."}]),
            "one-call steps foreign nova",
        ),
        Wrong("bed-result-twice", "A result is sent twice.", _answer_twice, "two-calls one-call llama foreign"),
        Wrong(
            "bed-result-first",
            "The history is cut in front of the results.",
            lambda it: _begin_with(it, result_turns(it)[-1:]),
            "two-calls steps foreign",
        ),
    ),
)


@RULES.check("conversation", BED_02)
def results_asked_for(request: ConverseRequest) -> Found:
    """BED-02."""
    for before, entry in pairwise((_NOTHING, *request.entries)):
        sent, asked = len(entry.results), len(before.calls)
        if sent > asked:
            at = f"{entry.at}.content"
            yield BED_02.broken(at, expected=f"at most {asked} results", got=f"{sent} results")


BED_06: Final = WireRule(
    "BED-06",
    "A toolResult with the status error has content.",
    "A tool that fails without a text has an empty result, and the run fails with it.",
    "certain",
    ("https://github.com/aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15",),
    (
        ErrorTemplate(
            "The content field at {at} cannot be empty when status value is error.",
            seen="The content field at messages.<n>.content.0.toolResult cannot be empty when status value is error.",
        ),
    ),
    wrong=(
        Wrong(
            "bed-failure-without-a-text",
            "A failed tool says nothing.",
            lambda it: put(last_answers(it)[-1:], status="error", content=[]),
            "one-call nova foreign",
        ),
    ),
    right=(
        Right(
            "bed-no-status",
            "A result has no status.",
            lambda it: [drop([each], "status") for each in last_answers(it)],
            "one-call nova foreign",
        ),
        Right(
            "bed-failure",
            "A result says why it failed.",
            lambda it: put(last_answers(it), status="error"),
            "one-call llama",
        ),
        Right(
            "bed-empty-result",
            "A tool returns nothing.",
            lambda it: put(last_answers(it)[-1:], status="success", content=[]) or True,
            "one-call without-thinking",
        ),
    ),
)


@RULES.check("conversation", BED_06)
def failures_say_something(request: ConverseRequest) -> Found:
    """BED-06."""
    for entry in request.entries:
        for block in entry.results:
            result = members(block.value)
            if result.get("status") == "error" and not result.get("content"):
                at = f"{block.at}.toolResult"
                yield BED_06.broken(at, expected="content", got=brief(result.get("content", "none")))


def _answer_in_two_messages(posted: Posted) -> bool:
    if fact(posted, FREE_ROLES) or not (found := answers(posted)):
        return False
    at = messages(posted).index(found[-1])
    messages(posted).insert(at, {"role": "assistant", "content": [{"text": "Well."}]})
    return True


def _say(posted: Posted, role: str, text: str) -> bool:
    messages(posted).append({"role": role, "content": [{"text": text}]})
    return True


BED_11: Final = WireRule(
    "BED-11",
    "The messages of the user and of the assistant alternate.",
    "Loops that send each result, or the next question, in a message of its own were refused for it. The reports are "
    "of 2024 and 2025; a recorded request with two messages of the user was accepted, so the service may have dropped "
    "the check.",
    "inferred",
    (
        "https://github.com/microsoft/semantic-kernel/issues/10281",
        "https://github.com/langchain-ai/langchain-aws/issues/130",
        "https://github.com/cline/cline/issues/431",
        "https://github.com/langgenius/dify/issues/9294",
    ),
    (
        verbatim(
            "A conversation must alternate between user and assistant roles. Make sure the conversation alternates "
            "between user and assistant roles and try again."
        ),
    ),
    applies="all models but Nova and Titan, which accepted it in recordings",
    wrong=(
        Wrong(
            "bed-user-twice",
            "The user's words are in two messages.",
            lambda it: not fact(it, FREE_ROLES) and _say(it, "user", "And quickly."),
            "texts steps foreign",
        ),
        Wrong(
            "bed-answer-in-two",
            "The model's answer is in two messages.",
            _answer_in_two_messages,
            "texts two-calls foreign",
        ),
    ),
    right=(
        Right(
            "bed-two-messages-to-nova",
            "Two messages of the user's.",
            lambda it: _say(it, "user", "And quickly."),
            "nova",
        ),
    ),
)


@RULES.check("conversation", BED_11)
def roles_alternate(request: ConverseRequest) -> Found:
    """BED-11."""
    if request.fact(FREE_ROLES):
        return
    for before, entry in pairwise(request.entries):
        if entry.role == before.role != "system":
            yield BED_11.broken(entry.at, expected=f"another role than {entry.role}", got=f"{entry.role} again")


def _reason_as_the_user(posted: Posted) -> bool:
    for number, message in enumerate(messages(posted)):
        if number and (found := blocks(message, "reasoningContent")):
            before = messages(posted)[number - 1]
            if fact(posted, LONE_RESULTS) and blocks(before, "toolResult"):
                return False
            message["content"] = [block for block in message["content"] if block not in found]
            before["content"] += found
            return True
    return False


BED_19: Final = WireRule(
    "BED-19",
    "Only messages of the assistant have reasoningContent.",
    "An adapter that puts the model's turn into a message of the user moves its reasoning there.",
    "certain",
    ("recording issue-7034", "https://github.com/can1357/oh-my-pi/pull/9086"),
    (verbatim("User messages cannot contain reasoning content. Please remove the reasoning content and try again."),),
    wrong=(
        Wrong(
            "bed-reasoning-of-the-user",
            "The model's reasoning is in a message of the user.",
            _reason_as_the_user,
            "thinking one-call gpt-oss foreign",
        ),
    ),
)


@RULES.check("conversation", BED_19)
def reasoning_of_the_model(request: ConverseRequest) -> Found:
    """BED-19."""
    for entry in request.entries:
        if entry.role == "user":
            for block in entry.reasoning:
                yield BED_19.broken(block.at, expected="no reasoningContent", got=brief(block.native))
