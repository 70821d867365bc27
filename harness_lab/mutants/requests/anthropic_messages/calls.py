"""Mistakes with calls and results, with roles, and with how a history ends."""

from __future__ import annotations

from harness.wire.posted import Posted
from harness_lab.mutants.requests.anthropic_messages.base_requests import (
    FOREIGN,
    MANUAL,
    ONE_CALL,
    OPUS_4_1,
    PAUSED,
    SEVERAL_TURNS,
    SYSTEM_MESSAGE,
    THREAD,
    TWO_CALLS,
    WITHOUT_THINKING,
)
from harness_lab.mutants.requests.anthropic_messages.parts import (
    Block,
    assistant_turns,
    calls_of,
    copied,
    holds,
    is_imported,
    kinds_in,
    last_results,
    latest,
    messages_of,
    model_fact,
    of_kind,
    results_of,
    user_blocks,
)
from harness_lab.mutants.requests.mutant import RequestMutant

# --- calls and their results ----------------------------------------------------------------------------------


def forget_a_result(posted: Posted) -> bool:
    """Remove the last result of the latest results, and the message if it is empty then."""
    message = last_results(posted)
    if message is None:
        return False
    message["content"].remove(results_of(message)[-1])
    if not message["content"]:
        messages_of(posted).remove(message)
    return True


def spread_results(posted: Posted) -> bool:
    """Move all results but the first into a second message."""
    message = last_results(posted)
    if message is None or len(results_of(message)) < 2:
        return False
    content = message["content"]
    second = content.index(results_of(message)[1])
    messages = messages_of(posted)
    messages.insert(messages.index(message) + 1, {"role": "user", "content": content[second:]})
    del content[second:]
    return True


def speak_before_results(posted: Posted) -> bool:
    """Put a text in front of the results, which must come first."""
    message = last_results(posted)
    if message is None:
        return False
    message["content"].insert(0, {"type": "text", "text": "Here you are."})
    return True


def answer_nobody(posted: Posted) -> bool:
    """Give the last result the id of no call."""
    message = last_results(posted)
    if message is None:
        return False
    results_of(message)[-1]["tool_use_id"] = "toolu_01nobody"
    return True


def answer_again(posted: Posted) -> bool:
    """A result of an earlier turn comes again, behind those of this one."""
    answers = [message for message in messages_of(posted) if results_of(message)]
    if len(answers) < 2:
        return False
    later = answers[-1]
    later["content"].insert(len(results_of(later)), copied(results_of(answers[0])[0]))
    return True


def cut_old_turns(posted: Posted) -> bool:
    """Everything before the last results is cut off, their calls with it."""
    message, messages = last_results(posted), messages_of(posted)
    if message is None or messages[0] is message:
        return False
    del messages[: messages.index(message)]
    return True


def answer_twice(posted: Posted) -> bool:
    """Send the first result twice."""
    message = last_results(posted)
    if message is None:
        return False
    message["content"].insert(0, copied(results_of(message)[0]))
    return True


def give_two_calls_one_id(posted: Posted) -> bool:
    """Give the second call of a turn the id of the first."""
    message = next((each for each in assistant_turns(posted) if len(calls_of(each)) > 1), None)
    if message is None:
        return False
    first, second = calls_of(message)[:2]
    second["id"] = first["id"]
    return True


def number_calls_anew(posted: Posted) -> bool:
    """The first call of a later turn takes the id of the first one before it, and its result with it."""
    turns = [message for message in assistant_turns(posted) if calls_of(message)]
    if len(turns) < 2:
        return False
    old, new = str(calls_of(turns[-1])[0]["id"]), str(calls_of(turns[0])[0]["id"])
    for block in kinds_in(posted, "tool_use", "tool_result"):
        for member in ("id", "tool_use_id"):
            if block.get(member) == old:
                block[member] = new
    return old != new


def send_a_turn_twice(posted: Posted) -> bool:
    """Send the last turn with calls and its results twice."""
    turns, messages = [message for message in assistant_turns(posted) if calls_of(message)], messages_of(posted)
    if not turns:
        return False
    at = messages.index(turns[-1])
    messages[at:at] = copied(messages[at : at + 2])
    return True


def answer_as_the_assistant(posted: Posted) -> bool:
    """Move the first result into the model's own turn."""
    message, turn = last_results(posted), latest(posted)
    if message is None or turn is None:
        return False
    turn["content"].append(message["content"].pop(0))
    if not message["content"]:
        messages_of(posted).remove(message)
    return True


def call_as_the_user(posted: Posted) -> bool:
    """Put a copy of a call into the user's message."""
    content, turn = user_blocks(posted), next((each for each in assistant_turns(posted) if calls_of(each)), None)
    if content is None or turn is None:
        return False
    content.append(copied(calls_of(turn)[0]) | {"id": "toolu_01user"})
    return True


# --- server tools ---------------------------------------------------------------------------------------------


def drop_a_search_result(posted: Posted) -> bool:
    """Remove the result of a web search and leave the search."""
    return _drop(posted, "web_search_tool_result")


def drop_a_search(posted: Posted) -> bool:
    """Remove a web search and leave its result."""
    return _drop(posted, "server_tool_use")


def _drop(posted: Posted, kind: str) -> bool:
    """Drop a block of a turn that is over: somebody has said something since."""
    messages = messages_of(posted)
    for at, message in enumerate(messages):
        found = of_kind(message["content"], kind)
        over = any(later["role"] == "user" and not _only_results(later) for later in messages[at:])
        if found and over:
            message["content"].remove(found[0])
            if not message["content"]:
                del messages[at]
            return True
    return False


def _only_results(message: Block) -> bool:
    return isinstance(message["content"], list) and len(results_of(message)) == len(message["content"])


# --- roles and the end ----------------------------------------------------------------------------------------


def instruct_first(posted: Posted) -> bool:
    """Begin the messages with a message of role ``system``."""
    messages_of(posted).insert(0, {"role": "system", "content": "Be brief."})
    return True


def instruct_at_the_end(posted: Posted) -> bool:
    """End the messages with one of role ``system``, for a model that accepts none."""
    messages = messages_of(posted)
    if model_fact(posted, "system-messages") is not False or messages[-1]["role"] != "user":
        return False
    messages.append({"role": "system", "content": "Be brief."})
    return True


def instruct_as_a_message(posted: Posted) -> bool:
    """Begin the messages with one of role ``system``, for a model that accepts none."""
    return model_fact(posted, "system-messages") is False and instruct_first(posted)


def answer_as_a_tool(posted: Posted) -> bool:
    """Send the results in a message of role ``tool``, as in OpenAI's Chat API."""
    message = last_results(posted)
    if message is None:
        return False
    message["role"] = "tool"
    return True


def prefill(posted: Posted) -> bool:
    """End the messages with a beginning of the answer, for a model that accepts none."""
    if not holds(posted, "no-prefill"):
        return False
    messages_of(posted).append({"role": "assistant", "content": "It prints"})
    return True


def prefill_with_a_blank(posted: Posted) -> bool:
    """End the messages with a beginning of the answer that ends in white space."""
    if holds(posted, "no-prefill") or not holds(posted, "known"):
        return False
    messages_of(posted).append({"role": "assistant", "content": [{"type": "text", "text": "It prints "}]})
    return True


# --- threads --------------------------------------------------------------------------------------------------


def lose_the_thread(posted: Posted) -> bool:
    """Continue a thread from a message that the endpoint has never sent."""
    posted.body["thread"] = {"type": "continue", "previous_message_id": "msg_01nobodyhassentthis"}
    return True


def continue_again(posted: Posted) -> bool:
    """The thread goes on from its first response, which has been continued."""
    earlier = posted.body.get("diagnostics", {}).get("previous_message_id")
    thread = posted.body.get("thread", {})
    if earlier is None or thread.get("previous_message_id") in (None, earlier) or is_imported(posted):
        return False
    thread["previous_message_id"] = earlier
    return True


MUTANTS: tuple[RequestMutant, ...] = (
    RequestMutant(
        "ant-result-forgotten",
        "The answer to the last call is not sent.",
        ("ANT-01",),
        forget_a_result,
        (TWO_CALLS, ONE_CALL, FOREIGN, THREAD),
    ),
    RequestMutant(
        "ant-results-spread",
        "Each result of parallel calls comes in a message of its own.",
        ("ANT-01",),
        spread_results,
        (TWO_CALLS, FOREIGN),
    ),
    RequestMutant(
        "ant-text-before-results",
        "The user says something before the results.",
        ("ANT-02",),
        speak_before_results,
        (ONE_CALL, TWO_CALLS, FOREIGN, THREAD),
    ),
    RequestMutant(
        "ant-result-of-nobody",
        "A result names a call that was never made.",
        ("ANT-03",),
        answer_nobody,
        (ONE_CALL, TWO_CALLS, FOREIGN, THREAD),
    ),
    RequestMutant(
        "ant-result-of-an-earlier-turn",
        "A result that was sent in an earlier turn is sent again.",
        ("ANT-03", "ANT-04"),
        answer_again,
        (SEVERAL_TURNS, WITHOUT_THINKING, FOREIGN),
    ),
    RequestMutant(
        "ant-old-turns-cut",
        "The history begins with results whose calls have been cut off.",
        ("ANT-03",),
        cut_old_turns,
        (SEVERAL_TURNS, ONE_CALL, FOREIGN),
    ),
    RequestMutant(
        "ant-result-twice",
        "A call is answered twice.",
        ("ANT-04",),
        answer_twice,
        (ONE_CALL, TWO_CALLS, FOREIGN, THREAD),
    ),
    RequestMutant(
        "ant-one-id-for-two-calls",
        "Parallel calls have the same id.",
        ("ANT-05",),
        give_two_calls_one_id,
        (TWO_CALLS, FOREIGN),
    ),
    RequestMutant(
        "ant-ids-numbered-anew",
        "A call of a later turn has the id of an earlier one.",
        ("ANT-05",),
        number_calls_anew,
        (WITHOUT_THINKING, SEVERAL_TURNS, FOREIGN),
    ),
    RequestMutant(
        "ant-turn-twice",
        "A turn with its results is in the history twice.",
        ("ANT-05",),
        send_a_turn_twice,
        (ONE_CALL, TWO_CALLS, FOREIGN),
    ),
    RequestMutant(
        "ant-result-of-the-assistant",
        "A result is in the assistant's message.",
        ("ANT-06",),
        answer_as_the_assistant,
        (ONE_CALL, TWO_CALLS, FOREIGN),
    ),
    RequestMutant(
        "ant-call-of-the-user",
        "A call is in the user's message.",
        ("ANT-06",),
        call_as_the_user,
        (ONE_CALL, FOREIGN),
    ),
    RequestMutant(
        "ant-search-result-dropped",
        "The result of the provider's own search is left out.",
        ("ANT-23",),
        drop_a_search_result,
        (PAUSED,),
    ),
    RequestMutant("ant-search-dropped", "The search itself is left out.", ("ANT-23",), drop_a_search, (PAUSED,)),
    RequestMutant(
        "ant-system-message-first",
        "The history begins with a message of role system.",
        ("ANT-24",),
        instruct_first,
        (SYSTEM_MESSAGE, ONE_CALL, THREAD),
    ),
    RequestMutant(
        "ant-system-message-unsupported",
        "Instructions follow the user's message, to a model that knows no such role.",
        ("ANT-ROLE",),
        instruct_at_the_end,
        (ONE_CALL, MANUAL),
    ),
    RequestMutant(
        "ant-system-message-as-prompt",
        "The instructions are the first message, as other providers have them.",
        ("ANT-ROLE", "ANT-24"),
        instruct_as_a_message,
        (ONE_CALL,),
    ),
    RequestMutant(
        "ant-role-tool",
        "Results come from the role tool.",
        ("ANT-ROLE",),
        answer_as_a_tool,
        (ONE_CALL, FOREIGN, THREAD),
    ),
    RequestMutant(
        "ant-prefill",
        "The assistant's answer is begun for it.",
        ("ANT-13",),
        prefill,
        (ONE_CALL, SEVERAL_TURNS, FOREIGN, THREAD),
    ),
    RequestMutant(
        "ant-prefill-with-a-blank",
        "The answer is begun for an older model, with white space at its end.",
        ("ANT-PREFILL",),
        prefill_with_a_blank,
        (OPUS_4_1, MANUAL),
    ),
    RequestMutant(
        "ant-thread-lost",
        "A thread goes on from a response that was never sent.",
        ("ANT-THREAD",),
        lose_the_thread,
        (ONE_CALL, THREAD),
    ),
    RequestMutant(
        "ant-thread-continued-again",
        "A thread goes on from a response that has been continued.",
        ("ANT-THREAD",),
        continue_again,
        (THREAD,),
    ),
)
