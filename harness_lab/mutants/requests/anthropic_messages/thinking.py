"""Mistakes with thinking: forged, altered, moved, dropped, duplicated, and torn from what came before it."""

from __future__ import annotations

from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.anthropic_messages.base_requests import (
    ANOTHER_MAKER,
    BOUND,
    BOUND_WITH_BETA,
    FOREIGN,
    MANUAL,
    MANUAL_ONCE,
    ONE_CALL,
    OPUS_4_1,
    SAME_WORDS,
    SEVERAL_TURNS,
    TWO_CALLS,
    TWO_THOUGHTS,
)
from harness_lab.mutants.requests.anthropic_messages.parts import (
    Block,
    assistant_turns,
    calls_of,
    copied,
    holds,
    is_imported,
    kinds_in,
    latest,
    listed,
    messages_of,
    of_kind,
    results_of,
    thinking_of,
    tool_loop,
)
from harness_lab.mutants.requests.mutant import RequestMutant

_FORGED = "Zm9yZ2VkIGJ5IHNvbWVib2R5IGVsc2U="


def _plain(turn: Block) -> list[Block]:
    return [block for block in thinking_of(turn) if block["type"] == "thinking"]


def _issued_turns(posted: Posted) -> list[Block]:
    """The assistant's turns with thinking in them, where somebody here has issued them."""
    return [] if is_imported(posted) else [turn for turn in assistant_turns(posted) if thinking_of(turn)]


def _latest_issued(posted: Posted) -> Block | None:
    """The latest turn, if it has thinking that was issued here."""
    turn = latest(posted)
    return turn if turn is not None and thinking_of(turn) and not is_imported(posted) else None


# --- ANT-14 ---------------------------------------------------------------------------------------------------


def forge_a_signature(posted: Posted) -> bool:
    """Replace the signature of a thinking block by one that the endpoint has not issued."""
    block = next((block for turn in _issued_turns(posted)[::-1] for block in _plain(turn)), None)
    if block is None:
        return False
    block["signature"] = _FORGED
    return True


def forge_redacted_data(posted: Posted) -> bool:
    """Replace the data of a redacted thinking block."""
    turns = _issued_turns(posted)
    block = next((each for turn in turns for each in thinking_of(turn) if each["type"] == "redacted_thinking"), None)
    if block is None:
        return False
    block["data"] = _FORGED
    return True


def empty_a_signature(posted: Posted) -> bool:
    """Empty the signature of a thinking block."""
    block = next((block for turn in assistant_turns(posted) for block in _plain(turn)), None)
    if block is None:
        return False
    block["signature"] = ""
    return True


def invent_thinking(posted: Posted) -> bool:
    """Insert a thinking block that the model has not sent."""
    turn = None if is_imported(posted) else latest(posted)
    if turn is None:
        return False
    turn["content"].insert(0, {"type": "thinking", "thinking": "I know that already.", "signature": _FORGED})
    return True


def alter_an_earlier_turn(posted: Posted) -> bool:
    """Change the thinking of an earlier turn and leave its signature."""
    turns = [turn for turn in _issued_turns(posted)[:-1] if _plain(turn)]
    if not turns:
        return False
    _plain(turns[0])[0]["thinking"] += " Or not."
    return True


def paste_a_conversation(posted: Posted) -> bool:
    """A conversation that was had elsewhere comes before this one."""
    if is_imported(posted) or not assistant_turns(posted):
        return False
    thought = {"type": "thinking", "thinking": "They greet me.", "signature": _FORGED}
    text = {"type": "text", "text": "Hello."}
    messages_of(posted)[:0] = [
        {"role": "user", "content": "Good morning."},
        {"role": "assistant", "content": [thought, text]},
    ]
    return True


# --- ANT-15 ---------------------------------------------------------------------------------------------------


def alter_the_latest(posted: Posted) -> bool:
    """Change the thinking of the latest turn and leave its signature."""
    turn = _latest_issued(posted)
    if turn is None or not _plain(turn):
        return False
    _plain(turn)[0]["thinking"] += " Or not."
    return True


def swap_signatures(posted: Posted) -> bool:
    """Exchange the signatures of two thinking blocks of one turn."""
    turn = _latest_issued(posted)
    blocks = _plain(turn) if turn is not None else []
    if len(blocks) < 2 or blocks[0]["thinking"] == blocks[1]["thinking"]:
        return False
    first, second = blocks[:2]
    first["signature"], second["signature"] = second["signature"], first["signature"]
    return True


def drop_one(posted: Posted) -> bool:
    """Remove the last of several thinking blocks of the latest turn."""
    turn = _latest_issued(posted)
    if turn is None or len(thinking_of(turn)) < 2:
        return False
    turn["content"].remove(thinking_of(turn)[-1])
    return True


def drop_all(posted: Posted) -> bool:
    """All thinking of the turn that the results answer is left out."""
    turn, asked = _latest_issued(posted), posted.body.get("thinking", {})
    if turn is None or not calls_of(turn) or asked.get("type") == "disabled":
        return False
    turn["content"] = [block for block in turn["content"] if block not in thinking_of(turn)]
    return True


def duplicate(posted: Posted) -> bool:
    """Send the first thinking block of the latest turn twice."""
    turn = _latest_issued(posted)
    if turn is None:
        return False
    turn["content"].insert(0, copied(thinking_of(turn)[0]))
    return True


def move_behind_a_call(posted: Posted) -> bool:
    """Move the last thinking block behind the call that follows it."""
    turn = _latest_issued(posted)
    if turn is None or not calls_of(turn):
        return False
    content, call = turn["content"], calls_of(turn)[-1]
    last = thinking_of(turn)[-1]
    if content.index(last) > content.index(call):
        return False
    content.remove(last)
    content.insert(content.index(call) + 1, last)
    return True


def swap_two(posted: Posted) -> bool:
    """Exchange the first two thinking blocks of a turn."""
    turn = _latest_issued(posted)
    blocks = thinking_of(turn) if turn is not None else []
    if turn is None or len(blocks) < 2:
        return False
    content = turn["content"]
    first, second = content.index(blocks[0]), content.index(blocks[1])
    content[first], content[second] = content[second], content[first]
    return True


def repeat_an_earlier_thought(posted: Posted) -> bool:
    """Copy a thinking block of an earlier turn into the latest one."""
    turns, last = _issued_turns(posted), latest(posted)
    if len(turns) < 2 or last is None or turns[0] is last:
        return False
    last["content"].insert(0, copied(thinking_of(turns[0])[0]))
    return True


def exchange_the_thoughts_of_the_same_words(posted: Posted) -> bool:
    """Exchange the thinking of the last two turns, which say the same."""
    turns = _issued_turns(posted)[-2:]
    texts = [[block for block in turn["content"] if block["type"] == "text"] for turn in turns]
    if len(turns) < 2 or turns[-1] is not latest(posted) or texts[0] != texts[1] or any(map(calls_of, turns)):
        return False
    turns[0]["content"], turns[1]["content"] = turns[1]["content"], turns[0]["content"]
    return True


# --- ANT-34 ---------------------------------------------------------------------------------------------------


def ask(model: str) -> Edit:
    """The edit that asks another model, or the same on another platform, with what Sonnet 4.6 has thought."""

    def edit(posted: Posted) -> bool:
        if posted.body["model"] != "claude-sonnet-4-6" or not _issued_turns(posted) or posted.body.get("thread"):
            return False
        posted.body["model"] = model
        return True

    return edit


# --- ANT-16, ANT-17, ANT-LAST, ANT-OFF ------------------------------------------------------------------------


def _is_manual(posted: Posted) -> bool:
    return bool(posted.body.get("thinking", {}).get("type") == "enabled")


def think_no_more(posted: Posted) -> bool:
    """All thinking of the open tool loop is left out."""
    loop = tool_loop(posted)
    if not loop or not _is_manual(posted) or loop[0]["content"][0] not in thinking_of(loop[0]):
        return False
    for turn in loop:
        turn["content"] = [block for block in turn["content"] if block not in thinking_of(turn)]
    return True


def think_no_more_in_a_loop_of_its_own(posted: Posted) -> bool:
    """Leave the thinking of the open tool loop out, give its calls other ids, and put a message in front of all."""
    if is_imported(posted) or not think_no_more(posted):
        return False
    for block in kinds_in(posted, "tool_use", "tool_result"):
        member = "id" if block["type"] == "tool_use" else "tool_use_id"
        block[member] = f"{block[member]}_1"
    messages_of(posted).insert(0, {"role": "user", "content": "It is 12:34."})
    return True


def say_first(posted: Posted) -> bool:
    """Of a turn that begins with thinking, something else comes first."""
    for turn in assistant_turns(posted) if _is_manual(posted) else ():
        content, thoughts = turn["content"], thinking_of(turn)
        others = [block for block in content if block not in thoughts]
        if thoughts and others and content[0] in thoughts:
            content.remove(others[0])
            content.insert(0, others[0])
            return True
    return False


def end_with(kind: str) -> Edit:
    """The edit by which a turn ends with its thinking."""

    def edit(posted: Posted) -> bool:
        for turn in assistant_turns(posted):
            found = [block for block in thinking_of(turn) if block["type"] == kind]
            if found:
                turn["content"].remove(found[0])
                turn["content"].append(found[0])
                return True
        return False

    return edit


def turn_thinking_off(posted: Posted) -> bool:
    """Switch thinking off in the middle of a tool loop, for a model that refuses that."""
    turn = latest(posted)
    if turn is None or not thinking_of(turn) or not tool_loop(posted) or not holds(posted, "refuses-thinking"):
        return False
    posted.body["thinking"] = {"type": "disabled"}
    return True


# --- ANT-18 ---------------------------------------------------------------------------------------------------


def _is_bound(posted: Posted) -> bool:
    binding = posted.body.get("thinking", {}).get("block_binding", {})
    dropped = binding.get("prefix_mismatch_behavior") == "drop_block"
    return bool(_issued_turns(posted)) and holds(posted, "bound-thinking") and not dropped


def alter_the_instructions(posted: Posted) -> bool:
    """Change the system prompt in front of thinking that is bound to it."""
    if not _is_bound(posted):
        return False
    posted.body["system"] = "You answer questions about code. It is 12:34."
    return True


def rewrite_what_is_bound_to_fail(posted: Posted) -> bool:
    """Change the system prompt, and say that thinking which is bound to another one is refused."""
    if not alter_the_instructions(posted):
        return False
    posted.body["thinking"] = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "error"}}
    return True


def take_a_tool_away(posted: Posted) -> bool:
    """Remove a tool in front of thinking that is bound to it."""
    return _is_bound(posted) and bool(posted.body["tools"].pop())


def alter_the_prompt(posted: Posted) -> bool:
    """Replace the first message in front of thinking that is bound to it."""
    if not _is_bound(posted):
        return False
    messages_of(posted)[0]["content"] = "A summary of what was said."
    return True


def add_a_message_in_front(posted: Posted) -> bool:
    """Insert a message in front of thinking that is bound to what precedes it."""
    if not _is_bound(posted):
        return False
    messages_of(posted).insert(0, {"role": "user", "content": "It is 12:34."})
    return True


def drop_the_prompt(posted: Posted) -> bool:
    """Remove the first message in front of thinking that is bound to it."""
    messages = messages_of(posted)
    if not _is_bound(posted) or messages[0]["role"] != "user":
        return False
    del messages[0]
    return True


def alter_a_result(posted: Posted) -> bool:
    """A result of an earlier turn is cut short; thinking that came after it is still sent."""
    turns, messages = _issued_turns(posted) if _is_bound(posted) else [], messages_of(posted)
    for message in messages[: messages.index(turns[-1])] if turns else ():
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] == "tool_result":
                block["content"] = "[cut]"
                return True
    return False


def alter_a_text_behind_an_empty_one(posted: Posted) -> bool:
    """An empty text comes first, and what the model said behind its first thinking is another text."""
    turns = _issued_turns(posted)[:-1] if _is_bound(posted) else []
    texts = [turn["content"][1] for turn in turns[:1] if of_kind(turn["content"][1:2], "text")]
    if not texts:
        return False
    texts[0]["text"] += " Or not."
    listed(messages_of(posted)[0]).insert(0, {"type": "text", "text": ""})
    return True


def say_it_only_once(posted: Posted) -> bool:
    """What the user says behind each result is left out but for the first time, for a model that binds its thinking."""
    spoken = [each for each in messages_of(posted) if results_of(each) and of_kind(each["content"], "text")]
    if len(spoken) < 2 or not _issued_turns(posted):
        return False
    for message in spoken[1:]:
        message["content"] = results_of(message)
    posted.body["model"] = "claude-opus-5-5"
    return True


MUTANTS: tuple[RequestMutant, ...] = (
    RequestMutant(
        "ant-signature-forged",
        "Thinking has a signature that was never issued.",
        ("ANT-14",),
        forge_a_signature,
        (ONE_CALL, TWO_CALLS, SEVERAL_TURNS, MANUAL),
    ),
    RequestMutant(
        "ant-redacted-forged",
        "Redacted thinking has data that was never issued.",
        ("ANT-14",),
        forge_redacted_data,
        (TWO_CALLS, SEVERAL_TURNS),
    ),
    RequestMutant(
        "ant-signature-empty", "Thinking has no signature.", ("ANT-14",), empty_a_signature, (ONE_CALL, FOREIGN)
    ),
    RequestMutant("ant-thinking-invented", "Thinking is made up.", ("ANT-14",), invent_thinking, (ONE_CALL, TWO_CALLS)),
    RequestMutant(
        "ant-earlier-thinking-altered",
        "The text of thinking in an earlier turn is changed.",
        ("ANT-14",),
        alter_an_earlier_turn,
        (SEVERAL_TURNS, MANUAL),
    ),
    RequestMutant(
        "ant-conversation-pasted",
        "A conversation with thinking that was had elsewhere comes first.",
        ("ANT-14",),
        paste_a_conversation,
        (ONE_CALL, SEVERAL_TURNS),
    ),
    RequestMutant(
        "ant-thinking-altered", "The text of thinking is changed.", ("ANT-15",), alter_the_latest, (ONE_CALL, TWO_CALLS)
    ),
    RequestMutant(
        "ant-signatures-swapped",
        "Two thinking blocks have each other's signature.",
        ("ANT-15",),
        swap_signatures,
        (TWO_THOUGHTS,),
    ),
    RequestMutant(
        "ant-thinking-dropped", "One thinking block of a turn is left out.", ("ANT-15",), drop_one, (TWO_CALLS,)
    ),
    RequestMutant(
        "ant-all-thinking-dropped",
        "Calls are answered without the thinking that led to them.",
        ("ANT-15", "ANT-16"),
        drop_all,
        (ONE_CALL, TWO_CALLS, SEVERAL_TURNS, MANUAL),
    ),
    RequestMutant(
        "ant-thinking-duplicated", "A thinking block comes twice.", ("ANT-15",), duplicate, (ONE_CALL, TWO_CALLS)
    ),
    RequestMutant(
        "ant-thinking-moved",
        "Thinking follows the call that it led to.",
        ("ANT-15",),
        move_behind_a_call,
        (TWO_CALLS, ONE_CALL),
    ),
    RequestMutant("ant-thinking-reordered", "Two thinking blocks change places.", ("ANT-15",), swap_two, (TWO_CALLS,)),
    RequestMutant(
        "ant-thinking-of-another-turn",
        "Thinking of an earlier turn is put into the latest.",
        ("ANT-15",),
        repeat_an_earlier_thought,
        (SEVERAL_TURNS, MANUAL),
    ),
    RequestMutant(
        "ant-thinking-of-the-same-words",
        "Two turns that say the same have each other's thinking.",
        ("ANT-15",),
        exchange_the_thoughts_of_the_same_words,
        (SAME_WORDS,),
    ),
    RequestMutant(
        "ant-maker-switched",
        "Thinking of another maker's model is sent to a Claude.",
        ("ANT-34",),
        ask("claude-opus-4-6"),
        (ANOTHER_MAKER, ONE_CALL, TWO_CALLS, SEVERAL_TURNS),
    ),
    RequestMutant(
        "ant-platform-switched",
        "Thinking that was signed on one platform is sent to another.",
        ("ANT-34",),
        ask("us.anthropic.claude-sonnet-4-6"),
        (ONE_CALL, TWO_CALLS),
    ),
    RequestMutant(
        "ant-manual-thinking-dropped",
        "With manual thinking, a tool loop goes on without any.",
        ("ANT-16",),
        think_no_more,
        (OPUS_4_1, MANUAL),
    ),
    RequestMutant(
        "ant-manual-thinking-dropped-behind-other-ids",
        "With manual thinking, a tool loop with ids of its own goes on without any.",
        ("ANT-16",),
        think_no_more_in_a_loop_of_its_own,
        (MANUAL_ONCE, OPUS_4_1),
    ),
    RequestMutant(
        "ant-manual-thinking-not-first",
        "With manual thinking, something else comes first.",
        ("ANT-17",),
        say_first,
        (MANUAL, OPUS_4_1),
    ),
    RequestMutant(
        "ant-bound-instructions-altered",
        "The instructions have a clock in them.",
        ("ANT-18",),
        alter_the_instructions,
        (BOUND, BOUND_WITH_BETA),
    ),
    RequestMutant(
        "ant-bound-instructions-altered-openly",
        "The instructions have a clock in them, where that is to fail.",
        ("ANT-18",),
        rewrite_what_is_bound_to_fail,
        (BOUND_WITH_BETA,),
    ),
    RequestMutant(
        "ant-bound-tools-altered", "A tool is taken away.", ("ANT-18",), take_a_tool_away, (BOUND, BOUND_WITH_BETA)
    ),
    RequestMutant(
        "ant-bound-prompt-altered",
        "The prompt becomes a summary.",
        ("ANT-18",),
        alter_the_prompt,
        (BOUND, BOUND_WITH_BETA),
    ),
    RequestMutant("ant-bound-message-added", "A reminder comes first.", ("ANT-18",), add_a_message_in_front, (BOUND,)),
    RequestMutant("ant-bound-message-dropped", "The prompt is left out.", ("ANT-18",), drop_the_prompt, (BOUND,)),
    RequestMutant(
        "ant-bound-result-altered",
        "An earlier result is cut short.",
        ("ANT-18",),
        alter_a_result,
        (BOUND, BOUND_WITH_BETA),
    ),
    RequestMutant(
        "ant-bound-text-altered",
        "An empty text comes first, and an earlier text is changed.",
        ("ANT-18", "ANT-11"),
        alter_a_text_behind_an_empty_one,
        (BOUND,),
    ),
    RequestMutant(
        "ant-bound-repetition-dropped",
        "What the user has said twice is sent once.",
        ("ANT-18",),
        say_it_only_once,
        (SEVERAL_TURNS,),
    ),
    RequestMutant(
        "ant-thinking-last",
        "A turn ends with its thinking.",
        ("ANT-LAST",),
        end_with("thinking"),
        (ONE_CALL, FOREIGN),
    ),
    RequestMutant(
        "ant-redacted-last",
        "A turn ends with redacted thinking.",
        ("ANT-LAST",),
        end_with("redacted_thinking"),
        (TWO_CALLS, FOREIGN),
    ),
    RequestMutant(
        "ant-thinking-off",
        "Thinking is turned off in a tool loop.",
        ("ANT-OFF",),
        turn_thinking_off,
        (OPUS_4_1, MANUAL),
    ),
)
