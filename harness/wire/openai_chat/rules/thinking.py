"""What a server wants back with the calls: the thinking that came with them, or its signature."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.base import Json, Reply
from harness.wire.issued import IssuedKind, IssuedTurn, issued_calls
from harness.wire.lenient import members, string
from harness.wire.openai_chat.models import MODELS, REASONING_PER_QUESTION, REASONING_WANTED, SIGNATURES_WANTED
from harness.wire.openai_chat.rules.book import RULES
from harness.wire.openai_chat.rules.history import CallBlock, ChatHistory, Found, calls_of
from harness.wire.openai_chat.rules.places import call_turns, insert, maker, rename, thoughts
from harness.wire.openai_chat.types import described, shortened
from harness.wire.posted import Posted, Right, Wrong, drop, put
from harness.wire.rule import Certainty, ErrorTemplate, WireRule, verbatim

_DEEPSEEK_CODE: Final = "invalid_request_error"


def _swap_thinking(posted: Posted) -> bool:
    found = thoughts(posted, issued=True)
    if len(found) < 2:
        return False
    first, last = found[0], found[-1]
    ids = [{call.get("id") for call in message["tool_calls"]} for message in (first, last)]
    texts = first["reasoning_content"], last["reasoning_content"]
    if texts[0] == texts[1] or ids[0] & ids[1]:
        return False
    last["reasoning_content"], first["reasoning_content"] = texts
    return True


def _move_thinking(posted: Posted) -> bool:
    found = thoughts(posted)[:1]
    alone = [{"role": "assistant", "content": "", "reasoning_content": turn.pop("reasoning_content")} for turn in found]
    return insert(posted, found, *alone, behind=False)


OAC_19: Final = WireRule(
    "OAC-19",
    "DeepSeek's and Kimi's models, while they think, require the reasoning_content of an assistant message with calls "
    "back, as it was sent. The member must be there even where it came empty.",
    "They refuse the request after the first tool call if the thinking is dropped, as adapters that only know "
    "OpenAI's members do. What is merged or rewritten is no longer the model's thinking.",
    "certain",
    (
        "https://github.com/mnfst/modelparams.dev/issues/29",
        "Kimi: https://github.com/iOfficeAI/AionUi/issues/2746",
        "recordings permission_control_prompt_example and tools_smoke of DeepSeek send it back and are accepted",
        "the reasoner, and chat while it thinks: https://github.com/abhigyanpatwari/GitNexus/issues/43, "
        "https://github.com/langgenius/dify-official-plugins/issues/2306, "
        "https://github.com/continuedev/continue/issues/11285 (an empty text is enough)",
        "deepseek-reasoner accepts an empty one: recording test_deepseek_deferred_capability_with_thinking; so do "
        "DeepSeek's newer models, and of Kimi's there are reports of both",
        "servers that send it and do not miss it: recordings of Qwen, GLM, llama.cpp, vLLM and others",
    ),
    (
        verbatim(
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
            code=_DEEPSEEK_CODE,
            name="deepseek",
        ),
        ErrorTemplate(
            "Missing `reasoning_content` field in the assistant message at message index {number}. For more "
            "information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
            code=_DEEPSEEK_CODE,
            seen="Missing `reasoning_content` field in the assistant message at message index 2. For more "
            "information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
            name="reasoner",
        ),
        ErrorTemplate(
            "thinking is enabled but reasoning_content is missing in assistant tool call message at index {number}",
            seen="thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
            name="moonshot",
        ),
    ),
    applies="models that are known to require it, unless thinking is switched off (deepseek-chat: only if it is "
    "switched on); likely for a text that was altered or emptied, and for calls before the user's last message of "
    "deepseek-reasoner and deepseek-chat",
    about=("thinking",),
    wrong=(
        Wrong(
            "chat-thinking-dropped",
            "The thinking that came with a call is not sent.",
            lambda it: drop(thoughts(it)[-1:], "reasoning_content"),
            "deepseek kimi foreign-deepseek foreign-kimi foreign-reasoner thinking-chat",
        ),
        Wrong(
            "chat-thinking-emptied",
            "The thinking that came with a call is sent as an empty text, which DeepSeek takes of others' calls.",
            lambda it: put(thoughts(it, issued=maker(it) == "deepseek")[:1], reasoning_content=""),
            "deepseek foreign-kimi",
        ),
        Wrong(
            "chat-thinking-altered",
            "The thinking is sent in other words.",
            lambda it: [
                put([turn], reasoning_content=turn["reasoning_content"] + " I summarised this.")
                for turn in thoughts(it, issued=True)[:1]
            ],
            "deepseek kimi",
        ),
        Wrong("chat-thinking-moved", "The thinking is in a message of its own.", _move_thinking, "deepseek"),
        Wrong("chat-thinking-swapped", "Two turns have each other's thinking.", _swap_thinking, "deepseek"),
        Wrong(
            "chat-thinking-in-parts",
            "The thinking is sent as a list of parts.",
            lambda it: [
                put([turn], reasoning_content=[{"type": "text", "text": turn["reasoning_content"]}])
                for turn in thoughts(it, issued=True)[:1]
            ],
            "deepseek",
        ),
        Wrong(
            "chat-thinking-dropped-under-other-ids",
            "A turn's calls have ids of the loop's own, and its thinking is not sent.",
            lambda it: (
                drop(found := thoughts(it, issued=True)[:1], "reasoning_content") and rename(it, found, 0, "loop_0")
            ),
            "deepseek",
        ),
        Wrong(
            "chat-thinking-forgotten-with-its-id",
            "The first call of a turn goes back without its id, and the turn without its thinking.",
            lambda it: drop(found := thoughts(it, issued=True)[:1], "reasoning_content") and rename(it, found, 0, ""),
            "deepseek",
            also=("OAC-07",),
        ),
    ),
    right=(
        Right(
            "chat-thinking-at-openai",
            "A message has thinking that OpenAI does not know.",
            lambda it: put(
                [turn for turn in call_turns(it) if "reasoning_content" not in turn], reasoning_content="Hm."
            ),
            "two-calls foreign",
        ),
        Right(
            "chat-thinking-off",
            "Calls that were made without thinking go back to DeepSeek without it, with thinking switched off.",
            lambda it: put([it.body], thinking={"type": "disabled"}),
            "deepseek",
            also=("OAC-FORCED",),
        ),
        Right(
            "chat-thinking-empty",
            "DeepSeek gets calls of another model's with an empty thought.",
            lambda it: maker(it) == "deepseek" and put(call_turns(it), reasoning_content=""),
            "foreign-deepseek foreign-reasoner",
        ),
        Right(
            "chat-thinking-no-more",
            "Thinking is switched off, and the thoughts of before are left out.",
            lambda it: drop(call_turns(it), "reasoning_content") and put([it.body], thinking={"type": "disabled"}),
            "foreign-deepseek thinking-chat",
        ),
        Right(
            "chat-thinking-no-more-by-effort",
            "Thinking is switched off by the effort, and the thoughts of before are left out.",
            lambda it: drop(call_turns(it), "reasoning_content") and put([it.body], reasoning_effort="none"),
            "foreign-deepseek",
        ),
    ),
)


@RULES.check("history", OAC_19)
def reasoning_comes_back(history: ChatHistory) -> Found:
    """Issued thinking must come back as it was sent; for other calls only the member must be there.

    This is only about models that want it, while they think. Other servers send reasoning, too, but do not check it. A
    turn without a thought also needs the member if it came empty; nothing is known if our own endpoint sent none.
    """
    if not _wants_reasoning(history):
        return
    issued, without = issued_calls(history.state), _calls_without_thinking(history.state)
    for block in history.blocks:
        turns = next((issued[call_id] for call_id in block.ids if call_id in issued), ())
        thoughts = list(dict.fromkeys(_thought(turn.reply) for turn in turns))
        message = history.messages[block.at]
        if not thoughts:
            if _names(message) not in without:
                yield from _foreign(history, block, message)
        elif None not in thoughts and message.get("reasoning_content") not in thoughts:
            yield from _change_finding(history, block, [thought or "" for thought in thoughts])


def _foreign(history: ChatHistory, block: CallBlock, message: Json) -> Found:
    """Calls that were not issued here. DeepSeek accepts an empty text; reports about Kimi differ."""
    got = message.get("reasoning_content")
    if got or (got == "" and history.maker == "deepseek"):
        return
    description = described(message, "reasoning_content")
    is_past = MODELS.holds(REASONING_PER_QUESTION, history.model) and block.at < history.last_question
    certainty: Certainty | None = "likely" if is_past or "reasoning_content" in message else None
    yield _broken(history, block, "the thinking that came with the calls", description, certainty)


def _change_finding(history: ChatHistory, block: CallBlock, thoughts: list[str]) -> Found:
    """Dropped or moved thinking is certainly refused; whether a server compares the text is unknown."""
    message = history.messages[block.at]
    got = string(message.get("reasoning_content"))
    is_there = isinstance(message.get("reasoning_content"), str)
    if "" in thoughts and is_there:
        return
    expected = f"as it was sent: {' or '.join(map(shortened, thoughts))}" if any(thoughts) else "the empty one"
    if is_there:
        others = issued_calls(history.state).values()
        is_anothers = any(got == _thought(turn.reply) for turns in others for turn in turns)
        description = f"that of another turn: {shortened(got)}" if is_anothers else f"altered: {shortened(got)}"
        yield _broken(history, block, expected, description if got else "emptied", "likely")
        return
    texts = [thought for thought in thoughts if thought]
    places = [at for at, each in enumerate(history.messages) if each.get("reasoning_content") in texts]
    yield _broken(history, block, expected, f"moved to messages[{places[0]}]" if places else "dropped", None)


def _broken(history: ChatHistory, block: CallBlock, expected: str, got: str, certainty: Certainty | None) -> Finding:
    place = f"messages[{block.at}].reasoning_content"
    of_then = MODELS.holds(REASONING_PER_QUESTION, history.model)
    template = "reasoner" if of_then else history.in_words_of_its_maker(OAC_19)
    return OAC_19.broken(place, expected=expected, got=got, template=template, certainty=certainty, number=block.at)


@IssuedKind
def _calls_without_thinking(turn: IssuedTurn) -> Iterator[tuple[tuple[str, ...], None]]:
    """The calls of each turn that came without thinking, by name: the loop may send them back with its own ids."""
    if not _thought(turn.reply):
        yield tuple(call.name for call in turn.reply.turn.calls), None


def _thought(reply: Reply) -> str | None:
    """The thinking of a reply, which is one message on this wire: None for no member."""
    texts = (item.get("reasoning_content") for item in reply.items)
    return next((text for text in texts if isinstance(text, str)), None)


def _names(message: Json) -> tuple[str, ...]:
    return tuple(map(_name, calls_of(message)))


def _name(call: Json) -> str:
    return string(members(call.get("function")).get("name"))


def _wants_reasoning(history: ChatHistory) -> bool:
    wanted = MODELS.value(REASONING_WANTED, history.model)
    if wanted is None or history.body.get("reasoning_effort") == "none":
        return False
    thinking = members(history.body.get("thinking")).get("type")
    return thinking != "disabled" if wanted == "unless disabled" else thinking == "enabled"


OAC_SIGNED: Final = WireRule(
    "OAC-SIGNED",
    "On Gemini 3 the first call of an assistant message has its signature, in extra_content.google.thought_signature.",
    "Adapters that only know OpenAI's members drop it, and the request after the first tool call is refused.",
    "likely",
    (
        "https://github.com/manthanabc/paws/issues/103",
        "https://github.com/BerriAI/litellm/issues/16893",
        "https://ai.google.dev/gemini-api/docs/thought-signatures (the current turn is checked)",
    ),
    (
        ErrorTemplate(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
            "work correctly, and missing thought_signature may lead to degraded model performance. Additional "
            "data, function call `default_api:{name}` , position {position}. Please refer to "
            "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
            seen="Function call is missing a thought_signature in functionCall parts. This is required for tools "
            "to work correctly, and missing thought_signature may lead to degraded model performance. Additional "
            "data, function call `default_api:shell` , position 2. Please refer to "
            "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
            name="google",
        ),
    ),
    applies="names that begin with gemini-3; of calls that were issued here, those that came with a signature; certain "
    "for those behind the user's last message",
    about=("thinking",),
    wrong=(
        Wrong(
            "chat-signature-dropped",
            "The members of a call that OpenAI does not have are not sent.",
            lambda it: drop([turn["tool_calls"][0] for turn in call_turns(it)], "extra_content"),
            "gemini",
        ),
    ),
)


@RULES.check("history", OAC_SIGNED)
def signatures_come_back(history: ChatHistory) -> Found:
    """Only the first call of a turn has a signature. A call from the endpoint needs one if it came with one.

    It is certain after the user's last message; not every server checks the signatures of earlier turns.
    """
    if not MODELS.holds(SIGNATURES_WANTED, history.model):
        return
    for block in history.blocks:
        found = _to_be_signed(history, block)
        if found is None or _signature(found[1]):
            continue
        number, call = found
        place = f"messages[{block.at}].tool_calls[{number}].extra_content.google.thought_signature"
        yield OAC_SIGNED.broken(
            place,
            expected="the signature of the call",
            got="none",
            certainty="certain" if block.at > history.last_question else None,
            name=_name(call),
            position=block.at + 1,
        )


@IssuedKind
def _signed_calls(turn: IssuedTurn) -> Iterator[tuple[str, Json]]:
    """The calls that came with a signature, by their ids."""
    calls = (call for item in turn.reply.items for call in calls_of(item))
    yield from ((string(call.get("id")), call) for call in calls if _signature(call))


def _to_be_signed(history: ChatHistory, block: CallBlock) -> tuple[int, Json] | None:
    """The call of a message that needs a signature, and its number; None if no call is known to need one."""
    calls = calls_of(history.messages[block.at])
    if not any(call_id in issued_calls(history.state) for call_id in block.ids):
        return 0, calls[0]
    signed = _signed_calls(history.state)
    found = ((number, call) for number, call in enumerate(calls) if string(call.get("id")) in signed)
    return next(found, None)


def _signature(call: Json) -> str:
    google = members(members(call.get("extra_content")).get("google"))
    return string(google.get("thought_signature"))
