"""Changes that the provider accepts, though one could think otherwise; each names the rules that say so."""

from __future__ import annotations

from harness.wire.posted import Posted
from harness_lab.mutants.requests.anthropic_messages.base_requests import (
    BOUND,
    BOUND_WITH_BETA,
    EFFORT,
    FOREIGN,
    IMAGES,
    MANUAL,
    ONE_CALL,
    OPUS_4_1,
    SEVERAL_TURNS,
    SYSTEM_MESSAGE,
    THREAD,
    TWO_CALLS,
    VERSION_OF_2023,
    VERSION_OF_2026,
)
from harness_lab.mutants.requests.anthropic_messages.parts import (
    assistant_turns,
    calls_of,
    kinds_in,
    last_results,
    latest,
    listed,
    messages_of,
    of_kind,
    only_words,
    results_of,
    setting,
    thinking_of,
    user_blocks,
)
from harness_lab.mutants.requests.mutant import EquivalentRequest


def declare_no_tools(posted: Posted) -> bool:
    """Remove the declarations of the tools, and leave the calls in the history."""
    return posted.body.pop("tools", None) is not None


def call_another_tool(posted: Posted) -> bool:
    """Rename the tool of the first call to one that is not declared."""
    block = next(kinds_in(posted, "tool_use"), None)
    if block is None:
        return False
    block["name"] = "a_tool_of_yesterday"
    return True


def speak_twice(posted: Posted) -> bool:
    """Append a second message of the user."""
    messages_of(posted).append({"role": "user", "content": "And be quick."})
    return True


def split_a_turn(posted: Posted) -> bool:
    """The blocks of a turn come in messages of their own; the provider joins them."""
    turn, messages = latest(posted), messages_of(posted)
    if turn is None or len(turn["content"]) < 2:
        return False
    at = messages.index(turn)
    messages[at : at + 1] = [{"role": "assistant", "content": [block]} for block in turn["content"]]
    return True


def begin_with_the_assistant(posted: Posted) -> bool:
    """Begin the messages with one of the assistant."""
    messages_of(posted).insert(0, {"role": "assistant", "content": "Hello."})
    return True


def answer_in_another_order(posted: Posted) -> bool:
    """Reverse the results of one turn."""
    message = last_results(posted)
    if message is None:
        return False
    message["content"][: len(results_of(message))] = results_of(message)[::-1]
    return True


def speak_after_results(posted: Posted) -> bool:
    """Append a text and an image behind the results."""
    content = user_blocks(posted)
    if content is None:
        return False
    content.append({"type": "text", "text": "And be quick."})
    content.append({"type": "image", "source": {"type": "url", "url": "https://a.test/a.png"}})
    return True


def answer_without_content(posted: Posted) -> bool:
    """Remove the content of every result, and mark it as an error."""
    blocks = list(kinds_in(posted, "tool_result"))
    for block in blocks:
        block.pop("content", None)
        block["is_error"] = True
    return bool(blocks)


def number_calls_in_its_own_way(posted: Posted) -> bool:
    """Ids need not begin with ``toolu_``."""
    ids = {block["id"]: f"auto_load_{number}" for number, block in enumerate(kinds_in(posted, "tool_use"))}
    for block in kinds_in(posted, "tool_use", "tool_result"):
        for member in ("id", "tool_use_id"):
            if member in block:
                block[member] = ids[block[member]]
    return bool(ids)


def forget_earlier_thinking(posted: Posted) -> bool:
    """Remove the thinking of all turns but the latest."""
    turns = [turn for turn in assistant_turns(posted)[:-1] if thinking_of(turn)]
    for turn in turns:
        turn["content"] = [block for block in turn["content"] if block not in thinking_of(turn)]
    return bool(turns)


def spell_signatures_for_urls(posted: Posted) -> bool:
    """Base64 in the other alphabet, without padding, is the same signature."""
    for block in kinds_in(posted, "thinking"):
        block["signature"] = block["signature"].replace("+", "-").replace("/", "_").rstrip("=")
    return True


def drop_callers(posted: Posted) -> bool:
    """Remove the member ``caller`` of every call."""
    calls = [call for turn in assistant_turns(posted) for call in calls_of(turn)]
    return bool([call for call in calls if call.pop("caller", None)])


def mark_for_the_cache(posted: Posted) -> bool:
    """Add cache marks to the first message and the last tool."""
    listed(messages_of(posted)[0])[-1]["cache_control"] = {"type": "ephemeral"}
    posted.body["tools"][-1]["cache_control"] = {"type": "ephemeral"}
    return True


def mark_four(posted: Posted) -> bool:
    """Add cache marks to the first message, the last tool, the last call, and what the user says last."""
    turn, content = latest(posted), user_blocks(posted)
    if turn is None or content is None or not calls_of(turn):
        return False
    first = listed(messages_of(posted)[0])
    for marked in (first[-1], posted.body["tools"][-1], calls_of(turn)[-1], content[-1]):
        marked["cache_control"] = {"type": "ephemeral"}
    return True


def mark_inside_a_result(posted: Posted) -> bool:
    """Add a cache mark to what is in the first result."""
    inside = [block for result in kinds_in(posted, "tool_result") for block in of_kind(result.get("content"), "text")]
    if not inside:
        return False
    inside[0]["cache_control"] = {"type": "ephemeral"}
    return True


def find_pages(posted: Posted) -> bool:
    """The last result is a page that was found, in which citations stand, under a version that accepts none."""
    results = list(kinds_in(posted, "tool_result"))
    if not results:
        return False
    posted.headers["anthropic-version"] = "2026-10-21"
    page = {"type": "search_result", "source": "https://a.test", "title": "A page", "citations": {"enabled": True}}
    results[-1]["content"] = [{**page, "content": [{"type": "text", "text": "hi", "citations": [{}]}]}]
    return True


def fill_the_window(posted: Posted) -> bool:
    """Send as many words as the model's window has tokens, and nothing beside them."""
    return only_words(posted, 0)


def leave_a_blank_beside_a_call(posted: Posted) -> bool:
    """Insert a text of one space in front of the last call."""
    turn = latest(posted)
    if turn is None or not calls_of(turn):
        return False
    turn["content"].insert(len(turn["content"]) - 1, {"type": "text", "text": " "})
    return True


def end_with_an_empty_turn(posted: Posted) -> bool:
    """End the messages with an empty turn of the assistant."""
    messages_of(posted).append({"role": "assistant", "content": []})
    return True


def prefill(posted: Posted) -> bool:
    """End the messages with a beginning of the answer."""
    messages_of(posted).append({"role": "assistant", "content": "It prints"})
    return True


def pause(posted: Posted) -> bool:
    """What the user said last is left out: the paused turn is resumed as it is."""
    search = {"type": "server_tool_use", "id": "srvtoolu_01paused", "name": "web_search", "input": {"query": "hi"}}
    messages_of(posted).append({"role": "assistant", "content": [search]})
    return True


def search_beside_a_call(posted: Posted) -> bool:
    """A server tool still runs while the calls that were made beside it are answered."""
    turn = latest(posted)
    if turn is None or not calls_of(turn):
        return False
    search = {"type": "server_tool_use", "id": "srvtoolu_01running", "name": "web_search", "input": {"query": "hi"}}
    turn["content"].insert(turn["content"].index(calls_of(turn)[0]), search)
    return True


def speak_after_the_call(posted: Posted) -> bool:
    """The model's own text stands behind its calls."""
    turn = latest(posted)
    if turn is None or not calls_of(turn) or posted.body.get("thread"):
        return False
    turn["content"].append({"type": "text", "text": "That is what I need."})
    return True


def send_a_block_of_tomorrow(posted: Posted) -> bool:
    """Append a content block of a kind that is not known yet."""
    content = user_blocks(posted)
    if content is None:
        return False
    content.append({"type": "hologram", "source": {"type": "url", "url": "https://a.test/a.holo"}})
    return True


def rewrite_history_openly(posted: Posted) -> bool:
    """The client says that thinking which is bound to another history may be dropped."""
    posted.body["thinking"] = {
        "type": "adaptive",
        "block_binding": {"prefix_mismatch_behavior": "drop_block"},
    }
    posted.headers["anthropic-beta"] = "thinking-binding-controls-2026-08-01"
    posted.body["system"] = "Another."
    return True


def think_between_calls(posted: Posted) -> bool:
    """Allow more thinking than ``max_tokens``, which interleaved thinking permits."""
    posted.headers["anthropic-beta"] = "interleaved-thinking-2025-05-14"
    posted.body["thinking"] = {"type": "enabled", "budget_tokens": 100_000}
    return True


EQUIVALENTS: tuple[EquivalentRequest, ...] = (
    EquivalentRequest(
        "ant-tools-gone", "Calls, but no tools.", ("ANT-28",), declare_no_tools, (ONE_CALL, SEVERAL_TURNS)
    ),
    EquivalentRequest(
        "ant-tool-undeclared", "A call of a tool that is gone.", ("ANT-28",), call_another_tool, (FOREIGN, TWO_CALLS)
    ),
    EquivalentRequest(
        "ant-user-twice", "Two messages of the user's.", ("ANT-ROLE",), speak_twice, (ONE_CALL, FOREIGN, THREAD)
    ),
    EquivalentRequest(
        "ant-turn-split", "A turn in several messages.", ("ANT-01", "ANT-15"), split_a_turn, (TWO_CALLS, FOREIGN)
    ),
    EquivalentRequest(
        "ant-assistant-first", "The assistant begins.", ("ANT-ROLE",), begin_with_the_assistant, (ONE_CALL, FOREIGN)
    ),
    EquivalentRequest(
        "ant-results-in-another-order", "Results in another order.", ("ANT-01",), answer_in_another_order, (TWO_CALLS,)
    ),
    EquivalentRequest(
        "ant-text-and-image-after-results",
        "Text and an image behind the results.",
        ("ANT-02",),
        speak_after_results,
        (ONE_CALL, IMAGES, THREAD),
    ),
    EquivalentRequest(
        "ant-text-after-a-call",
        "Text behind a call.",
        ("ANT-01",),
        speak_after_the_call,
        (ONE_CALL, TWO_CALLS, FOREIGN),
    ),
    EquivalentRequest(
        "ant-result-without-content",
        "Results without content.",
        ("ANT-27",),
        answer_without_content,
        (ONE_CALL, FOREIGN),
    ),
    EquivalentRequest(
        "ant-ids-of-its-own",
        "Ids that were not issued, each call with its result.",
        ("ANT-03", "ANT-08"),
        number_calls_in_its_own_way,
        (ONE_CALL, TWO_CALLS, FOREIGN),
    ),
    EquivalentRequest(
        "ant-earlier-thinking-forgotten",
        "The thinking of earlier turns is left out.",
        ("ANT-15",),
        forget_earlier_thinking,
        (SEVERAL_TURNS, FOREIGN),
    ),
    EquivalentRequest(
        "ant-signatures-for-urls",
        "Signatures in the other alphabet of base64.",
        ("ANT-14", "ANT-15"),
        spell_signatures_for_urls,
        (TWO_CALLS, SEVERAL_TURNS, BOUND),
    ),
    EquivalentRequest(
        "ant-callers-dropped", "Calls without their caller.", ("ANT-18",), drop_callers, (BOUND, ONE_CALL)
    ),
    EquivalentRequest(
        "ant-cache-marked", "Cache marks in the prefix.", ("ANT-CACHE", "ANT-18"), mark_for_the_cache, (BOUND, ONE_CALL)
    ),
    EquivalentRequest(
        "ant-cache-marked-four-times",
        "As many cache marks as there may be.",
        ("ANT-CACHE",),
        mark_four,
        (EFFORT, ONE_CALL),
    ),
    EquivalentRequest(
        "ant-cache-marked-in-a-result",
        "A cache mark within a result.",
        ("ANT-18",),
        mark_inside_a_result,
        (BOUND_WITH_BETA,),
    ),
    EquivalentRequest(
        "ant-pages-found", "A result is a page with citations.", ("ANT-CITED",), find_pages, (VERSION_OF_2026,)
    ),
    EquivalentRequest(
        "ant-window-full", "As many words as the window has tokens.", ("ANT-30",), fill_the_window, (MANUAL,)
    ),
    EquivalentRequest(
        "ant-choice-changed",
        "No tool may be called any more.",
        ("ANT-18", "ANT-19"),
        setting(tool_choice={"type": "none"}),
        (BOUND, MANUAL),
    ),
    EquivalentRequest(
        "ant-blank-beside-a-call",
        "White space beside a call.",
        ("ANT-11",),
        leave_a_blank_beside_a_call,
        (ONE_CALL, FOREIGN),
    ),
    EquivalentRequest(
        "ant-last-turn-empty", "An empty turn at the end.", ("ANT-12",), end_with_an_empty_turn, (OPUS_4_1, MANUAL)
    ),
    EquivalentRequest(
        "ant-prefill-of-an-older-model", "A prefill for an older model.", ("ANT-13",), prefill, (OPUS_4_1, MANUAL)
    ),
    EquivalentRequest("ant-paused-turn", "A paused turn at the end.", ("ANT-13", "ANT-23"), pause, (SEVERAL_TURNS,)),
    EquivalentRequest(
        "ant-search-still-running",
        "A server tool still runs.",
        ("ANT-23",),
        search_beside_a_call,
        (ONE_CALL, TWO_CALLS),
    ),
    EquivalentRequest(
        "ant-block-of-tomorrow",
        "A block of a type unknown here.",
        ("ANT-TAG",),
        send_a_block_of_tomorrow,
        (ONE_CALL, SYSTEM_MESSAGE),
    ),
    EquivalentRequest(
        "ant-bound-thinking-given-up",
        "Bound thinking may be dropped.",
        ("ANT-18",),
        rewrite_history_openly,
        (BOUND,),
    ),
    EquivalentRequest(
        "ant-interleaved-thinking",
        "A budget above max_tokens for thinking between calls.",
        ("ANT-25",),
        think_between_calls,
        (MANUAL,),
    ),
    EquivalentRequest(
        "ant-sampling-in-an-old-version",
        "A temperature of 1 in an older version.",
        ("ANT-26", "ANT-SAMPLING"),
        setting(temperature=1.0),
        (VERSION_OF_2023,),
    ),
)
