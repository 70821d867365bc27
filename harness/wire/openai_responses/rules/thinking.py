"""OAI-DS: DeepSeek's server wants the text of its reasoning back, in front of the calls that it led to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.issued import issued_calls
from harness.wire.lenient import members, objects, string
from harness.wire.openai_models import OPENAI_MODELS, REASONING_TEXT
from harness.wire.openai_responses.rules.asked import Asked, HistoryItem
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.rules.issued import issued_items
from harness.wire.openai_responses.rules.kinds import CALL_KINDS, OUTPUT_KINDS, call_id_of
from harness.wire.openai_responses.rules.places import answered_calls, is_deepseeks, leave_out, of_kind, place_of, say
from harness.wire.posted import Posted, Right, Wrong, drop, put
from harness.wire.rule import WireRule, verbatim

_OWN: Final = ("function_call", "custom_tool_call")


def _answer_calls_in_turn(posted: Posted) -> bool:
    """Put the first output right after its call, so that the second call has no reasoning in front of it."""
    pairs = answered_calls(posted) if is_deepseeks(posted) else []
    if len(pairs) < 2 or place_of(posted, pairs[1][0]) != place_of(posted, pairs[0][0]) + 1:
        return False
    return leave_out(posted, [pairs[0][1]]) and say(posted, pairs[0][1], at=place_of(posted, pairs[1][0]))


def _think_before_each_call(posted: Posted) -> bool:
    """Two calls are answered in turn, with the same reasoning in front of each."""
    thoughts, pairs = of_kind(posted, "reasoning"), answered_calls(posted)
    if not is_deepseeks(posted) or len(thoughts) != 1 or len(pairs) != 2:
        return False
    at = place_of(posted, thoughts[0])
    leave_out(posted, [*thoughts, *pairs[0], *pairs[1]])
    return say(posted, *thoughts, *pairs[0], *thoughts, *pairs[1], at=at)


def _keep_no_reasoning(posted: Posted) -> bool:
    return is_deepseeks(posted) and leave_out(posted, of_kind(posted, "reasoning"))


OAI_DS: Final = WireRule(
    "OAI-DS",
    "On DeepSeek's server the calls of a message have reasoning with its text (content with reasoning_text) in front "
    "of them. Calls that follow each other are one message; a call behind an output begins another.",
    "A loop that keeps only summaries, or puts each output right behind its call, is refused as soon as the model "
    "makes two calls at once, with a text that speaks of reasoning and not of order.",
    "certain",
    (
        "https://github.com/rikkahub/rikkahub/issues/1690 (accepted and refused variants), "
        "https://github.com/rikkahub/rikkahub/issues/1629, "
        "https://github.com/Kohaku-Lab/KohakuTerrarium/issues/322 (calls and outputs in turn)",
        "accepted: recordings test_deepseek_responses[function_tool] and "
        "test_deepseek_responses_replay_own_reasoning_history, reasoning with content in front of two calls",
    ),
    (
        verbatim(
            "The `reasoning_text` in the thinking mode must be passed back to the API.",
            None,
            "invalid_request_error",
            name="lost",
        ),
    ),
    applies="DeepSeek's own models, but deepseek-chat, in requests with tools that do not switch thinking off "
    "(reasoning.effort none)",
    wrong=(
        Wrong("responses-thinking-forgotten", "DeepSeek's calls come back alone.", _keep_no_reasoning, "deepseek"),
        Wrong(
            "responses-thinking-as-summary",
            "DeepSeek's reasoning has no text.",
            lambda it: (
                is_deepseeks(it)
                and [
                    put([thought], summary=[{"type": "summary_text", "text": "Both."}]) and drop([thought], "content")
                    for thought in of_kind(it, "reasoning")
                ]
            ),
            "deepseek",
        ),
        Wrong(
            "responses-calls-answered-in-turn",
            "An output is between DeepSeek's calls.",
            _answer_calls_in_turn,
            "deepseek",
        ),
    ),
    right=(
        Right(
            "responses-thinking-before-each-call",
            "DeepSeek's calls are answered in turn, each with reasoning.",
            _think_before_each_call,
            "deepseek",
        ),
        Right(
            "responses-thinking-off",
            "DeepSeek's calls come back alone, as it does not think.",
            lambda it: _keep_no_reasoning(it) and put([it.body], reasoning={"effort": "none"}),
            "deepseek",
        ),
        Right(
            "responses-thinking-without-tools",
            "DeepSeek's calls come back alone, to a request without tools.",
            lambda it: _keep_no_reasoning(it) and drop([it.body], "reasoning", "tools"),
            "deepseek",
        ),
    ),
)


@RULES.check("reasoning", OAI_DS)
def reasoning_text_comes_back(asked: Asked) -> Iterator[Finding]:
    """OAI-DS. The server reads adjacent calls as one message, and wants reasoning in front of each message.

    Only with tools, and while nothing switches thinking off. What the endpoint issued goes back as it came: its
    reasoning need have no text, and its calls that came without reasoning need none.
    """
    if not OPENAI_MODELS.holds(REASONING_TEXT, asked.model) or not asked.body.get("tools") or _is_off(asked):
        return
    thought = False
    found: list[HistoryItem] = []
    for entry in asked.history:
        if entry.kind == "reasoning":
            thought = thought or _has_its_text(asked, entry)
            found.append(entry)
        elif entry.kind in CALL_KINDS:
            if entry.own and not thought and entry.kind in _OWN and not _came_without(asked, entry):
                yield _without(entry, found)
            thought = True  # one finding for the calls of a message
        elif entry.kind in OUTPUT_KINDS or entry.item.get("role") in ("user", "system", "developer"):
            thought, found = False, []


def _is_off(asked: Asked) -> bool:
    return (
        members(asked.body.get("reasoning")).get("effort") == "none"
        or members(asked.body.get("thinking")).get("type") == "disabled"
    )


def _has_its_text(asked: Asked, entry: HistoryItem) -> bool:
    """Whether reasoning has its text; a summary or encrypted content is none."""
    texts = (string(part.get("text")) for part in objects(entry.item.get("content")))
    return any(texts) or entry.id in issued_items(asked.state)


def _came_without(asked: Asked, entry: HistoryItem) -> bool:
    """Whether a response made this call and had no reasoning."""
    turns = issued_calls(asked.state).get(call_id_of(entry.item), ())
    return not all(any(item.get("type") == "reasoning" for item in turn.reply.items) for turn in turns)


def _without(entry: HistoryItem, found: list[HistoryItem]) -> Finding:
    what = ", ".join(f"{each.name} without its text" for each in found)
    return OAI_DS.broken(
        entry.at,
        expected="reasoning with its reasoning_text in front of the calls of a message",
        got=what or "no reasoning since the last output or message",
    )
