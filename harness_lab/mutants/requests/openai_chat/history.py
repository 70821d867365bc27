"""Histories broken on purpose: results, calls and thinking that were dropped, moved, forged, altered or doubled."""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from harness.wire.base import Json
from harness.wire.openai_chat.models import NINE_CHARACTERS
from harness.wire.posted import Posted
from harness_lab.mutants.requests.openai_chat.base_requests import (
    DEEPSEEK,
    FOREIGN,
    FOREIGN_DEEPSEEK,
    FOREIGN_KIMI,
    FOREIGN_REASONER,
    GEMINI,
    IMAGES,
    KIMI,
    MISTRAL,
    ONE_CALL,
    QWEN,
    ROUTER,
    SAME_IDS,
    THINKING_CHAT,
    TURNS,
    TWO_CALLS,
)
from harness_lab.mutants.requests.openai_chat.making import mutant
from harness_lab.mutants.requests.openai_chat.places import (
    blocks,
    fact,
    maker,
    messages,
    of_role,
    results_of,
    thoughts,
)

# --- results --------------------------------------------------------------------------------------------------


def forget_a_result(posted: Posted) -> bool:
    """The last tool message is not sent."""
    results = of_role(posted, "tool")
    if results:
        del messages(posted)[results[-1]]
    return bool(results)


def forget_all_results(posted: Posted) -> bool:
    """None of the first turn's results are sent."""
    found = blocks(posted)
    for at in reversed(results_of(posted, found[0]) if found else []):
        del messages(posted)[at]
    return bool(found)


def speak_before_results(posted: Posted) -> bool:
    """A user message stands between the calls and their results."""
    found = blocks(posted)
    if found:
        messages(posted).insert(found[-1] + 1, {"role": "user", "content": "Wait."})
    return bool(found)


def speak_between_results(posted: Posted) -> bool:
    """A user message stands between two results of one turn."""
    several = [at for at in blocks(posted) if len(results_of(posted, at)) > 1]
    if several:
        messages(posted).insert(several[0] + 2, {"role": "user", "content": "A picture of it."})
    return bool(several)


def send_results_late(posted: Posted) -> bool:
    """The results of the first turn stand at the end, behind a user message."""
    found = blocks(posted)
    places = results_of(posted, found[0]) if found else []
    if places:
        history = messages(posted)
        late = [history.pop(places[0]) for _ in places]
        history += [{"role": "user", "content": "And now?"}, *late]
    return bool(places)


def result_before_call(posted: Posted) -> bool:
    """A result stands in front of its call."""
    found = blocks(posted)
    places = results_of(posted, found[0]) if found else []
    if places:
        messages(posted).insert(found[0], messages(posted).pop(places[0]))
    return bool(places)


def forget_the_calls(posted: Posted) -> bool:
    """The assistant message with the calls is not sent, its results are."""
    found = blocks(posted)
    if found:
        del messages(posted)[found[0]]
    return bool(found)


def strip_the_calls(posted: Posted) -> bool:
    """The assistant message goes back as text, without its calls."""
    found = blocks(posted)
    if found:
        message = messages(posted)[found[-1]]
        del message["tool_calls"]
        message["content"] = message.get("content") or ""
    return bool(found)


def trim_the_front(posted: Posted) -> bool:
    """The history is cut off in front of a result."""
    results = of_role(posted, "tool")
    if results:
        del messages(posted)[: results[0]]
    return bool(results)


def rename_a_result(posted: Posted) -> bool:
    """A result is sent under an id that nobody issued."""
    results = of_role(posted, "tool")
    if results:
        messages(posted)[results[-1]]["tool_call_id"] = "call_nobody_issued"
    return bool(results)


def rename_the_only_result(posted: Posted) -> bool:
    """The only result of a history is sent under an id that nobody issued."""
    return len(of_role(posted, "tool")) == 1 and rename_a_result(posted)


def name_no_call(posted: Posted) -> bool:
    """A result is sent without an id."""
    results = of_role(posted, "tool")
    if results:
        messages(posted)[results[0]].pop("tool_call_id", None)
    return bool(results)


def answer_another_turn(posted: Posted) -> bool:
    """The last result names a call of an earlier turn."""
    found = blocks(posted)
    if len(found) < 2:
        return False
    history = messages(posted)
    earlier, own = ([call.get("id") for call in history[at]["tool_calls"]] for at in (found[0], found[-1]))
    places = results_of(posted, found[-1])
    if not places or earlier[0] in own:
        return False
    history[places[-1]]["tool_call_id"] = earlier[0]
    return True


def answer_twice(posted: Posted) -> bool:
    """A result is sent twice."""
    results = of_role(posted, "tool")
    if results:
        messages(posted).insert(results[-1] + 1, deepcopy(messages(posted)[results[-1]]))
    return bool(results)


def call_twice(posted: Posted) -> bool:
    """A call stands twice in its message."""
    found = blocks(posted)
    if found:
        made = messages(posted)[found[-1]]["tool_calls"]
        made.append(deepcopy(made[0]))
    return bool(found)


def ask_behind_results(posted: Posted) -> bool:
    """On Mistral the user speaks right behind the results."""
    results = of_role(posted, "tool")
    if not results or maker(posted) != "mistral":
        return False
    messages(posted).insert(results[-1] + 1, {"role": "user", "content": "And now?"})
    return True


# --- thinking -------------------------------------------------------------------------------------------------


def drop_thinking(posted: Posted) -> bool:
    """The thinking that came with a call is not sent."""
    found = thoughts(posted)
    if found:
        del messages(posted)[found[-1]]["reasoning_content"]
    return bool(found)


def empty_thinking(posted: Posted) -> bool:
    """The thinking that came with a call is sent as an empty text, which DeepSeek takes of others' calls."""
    found = thoughts(posted, issued=maker(posted) == "deepseek")
    if found:
        messages(posted)[found[0]]["reasoning_content"] = ""
    return bool(found)


def alter_thinking(posted: Posted) -> bool:
    """The thinking is sent in other words."""
    found = thoughts(posted, issued=True)
    if found:
        messages(posted)[found[0]]["reasoning_content"] += " I summarised this."
    return bool(found)


def move_thinking(posted: Posted) -> bool:
    """The thinking stands in a message of its own."""
    found = thoughts(posted)
    if found:
        history = messages(posted)
        thought = history[found[0]].pop("reasoning_content")
        history.insert(found[0], {"role": "assistant", "content": "", "reasoning_content": thought})
    return bool(found)


def swap_thinking(posted: Posted) -> bool:
    """Two turns have each other's thinking."""
    history, found = messages(posted), thoughts(posted, issued=True)
    if len(found) < 2:
        return False
    first, last = history[found[0]], history[found[-1]]
    ids = [{call.get("id") for call in message["tool_calls"]} for message in (first, last)]
    if first["reasoning_content"] == last["reasoning_content"] or ids[0] & ids[1]:
        return False
    swapped = last["reasoning_content"], first["reasoning_content"]
    first["reasoning_content"], last["reasoning_content"] = swapped
    return True


def list_thinking(posted: Posted) -> bool:
    """The thinking is sent as a list of parts."""
    found = thoughts(posted, issued=True)
    if found:
        message = messages(posted)[found[0]]
        message["reasoning_content"] = [{"type": "text", "text": message["reasoning_content"]}]
    return bool(found)


def rename_calls_and_drop_thinking(posted: Posted) -> bool:
    """A turn's calls have ids of the loop's own, and its thinking is not sent."""
    return _rename_without_thinking(posted, "loop_0")


def name_no_calls_and_drop_thinking(posted: Posted) -> bool:
    """The first call of a turn goes back without its id, and the turn without its thinking."""
    return _rename_without_thinking(posted, "")


def _rename_without_thinking(posted: Posted, new: str) -> bool:
    found = thoughts(posted, issued=True)
    if not found:
        return False
    message = messages(posted)[found[0]]
    del message["reasoning_content"]
    old, message["tool_calls"][0]["id"] = message["tool_calls"][0]["id"], new
    for at in results_of(posted, found[0]):
        if messages(posted)[at].get("tool_call_id") == old:
            messages(posted)[at]["tool_call_id"] = new
    return True


def name_calls_as_openai(posted: Posted) -> bool:
    """Mistral gets calls under ids of OpenAI's form."""
    if maker(posted) != "mistral" or not fact(posted, NINE_CHARACTERS):
        return False
    for at in blocks(posted):
        call = messages(posted)[at]["tool_calls"][0]
        answers = [place for place in results_of(posted, at) if _answers(posted, place, call)]
        if answers:
            call["id"] = messages(posted)[answers[0]]["tool_call_id"] = "call_PTLP8xhu3uwZk4l3nlnrrJha"
            return True
    return False


def _answers(posted: Posted, place: int, call: Json) -> bool:
    return messages(posted)[place].get("tool_call_id") == call.get("id")


def drop_a_signature(posted: Posted) -> bool:
    """The members of a call that OpenAI does not have are not sent."""
    signed = [call for at in blocks(posted) if "extra_content" in (call := messages(posted)[at]["tool_calls"][0])]
    for call in signed:
        del call["extra_content"]
    return bool(signed)


MUTANTS: Final = (
    mutant(
        "result-forgotten",
        forget_a_result,
        ("OAC-03",),
        TWO_CALLS,
        ONE_CALL,
        TURNS,
        SAME_IDS,
        DEEPSEEK,
        KIMI,
        QWEN,
        MISTRAL,
        ROUTER,
    ),
    mutant("results-forgotten", forget_all_results, ("OAC-03",), FOREIGN, TURNS, ONE_CALL),
    mutant("speech-before-results", speak_before_results, ("OAC-03", "OAC-04"), TWO_CALLS, FOREIGN, SAME_IDS),
    mutant("speech-between-results", speak_between_results, ("OAC-03", "OAC-04"), IMAGES, TURNS),
    mutant("results-late", send_results_late, ("OAC-03", "OAC-04"), TURNS, ONE_CALL),
    mutant("result-before-call", result_before_call, ("OAC-04", "OAC-03", "OAC-05", "OAC-06"), ONE_CALL, TWO_CALLS),
    mutant("calls-forgotten", forget_the_calls, ("OAC-04", "OAC-05", "OAC-06"), TWO_CALLS, FOREIGN, SAME_IDS),
    mutant("calls-stripped", strip_the_calls, ("OAC-04",), TWO_CALLS, DEEPSEEK, SAME_IDS),
    mutant("history-trimmed", trim_the_front, ("OAC-04",), FOREIGN, TURNS, DEEPSEEK),
    mutant("result-renamed", rename_a_result, ("OAC-05",), TWO_CALLS, FOREIGN, SAME_IDS),
    mutant("result-of-nobody", rename_the_only_result, ("OAC-05",), ONE_CALL),
    mutant("result-unnamed", name_no_call, ("OAC-05",), TWO_CALLS, ONE_CALL),
    mutant("result-of-another-turn", answer_another_turn, ("OAC-05",), TURNS, FOREIGN),
    mutant("result-twice", answer_twice, ("OAC-06",), TWO_CALLS, DEEPSEEK, SAME_IDS),
    mutant("call-twice", call_twice, ("OAC-06",), ONE_CALL, DEEPSEEK),
    mutant(
        "thinking-dropped",
        drop_thinking,
        ("OAC-19",),
        DEEPSEEK,
        KIMI,
        FOREIGN_DEEPSEEK,
        FOREIGN_KIMI,
        FOREIGN_REASONER,
        THINKING_CHAT,
    ),
    mutant("ids-of-another-maker", name_calls_as_openai, ("OAC-07",), MISTRAL),
    mutant("thinking-emptied", empty_thinking, ("OAC-19",), DEEPSEEK, FOREIGN_KIMI),
    mutant("thinking-altered", alter_thinking, ("OAC-19",), DEEPSEEK, KIMI),
    mutant("thinking-moved", move_thinking, ("OAC-19",), DEEPSEEK),
    mutant("thinking-swapped", swap_thinking, ("OAC-19",), DEEPSEEK),
    mutant("thinking-in-parts", list_thinking, ("OAC-19",), DEEPSEEK),
    mutant("thinking-dropped-under-other-ids", rename_calls_and_drop_thinking, ("OAC-19",), DEEPSEEK),
    mutant("thinking-forgotten-with-its-id", name_no_calls_and_drop_thinking, ("OAC-19", "OAC-07"), DEEPSEEK),
    mutant("user-behind-results", ask_behind_results, ("OAC-ORDER",), MISTRAL),
    mutant("signature-dropped", drop_a_signature, ("OAC-SIGNED",), GEMINI),
)
