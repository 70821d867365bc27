"""Calls and results: their places, their pairing, and how a history ends."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Final

from harness.finding import Finding
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.anthropic_messages.rules.history import (
    AnthropicHistory,
    ContentBlock,
    HistoryPart,
    MessageItem,
    MessagePlace,
    Run,
    is_server_result,
)
from harness.wire.anthropic_messages.rules.places import (
    blocks,
    calling,
    calls_of,
    fact,
    last_results,
    last_user,
    latest,
    latest_calling,
    messages,
    rename,
    results_of,
    say,
    search,
    take,
    text,
    turns,
)
from harness.wire.posted import Posted, Right, Wrong, add, drop, put
from harness.wire.rule import ErrorTemplate, WireRule

_CLAUDE_CODE: Final = "https://github.com/anthropics/claude-code/issues"
_DOCS_TOOLS: Final = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls"

_UNANSWERED: Final = (
    "{at}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)


ANT_06: Final = WireRule(
    "ANT-06",
    "A tool_result belongs in a user message, a tool_use in an assistant message.",
    "A loop that appends results to the model's own turn, or calls to the user's, has lost track of who speaks.",
    "certain",
    ("the first text quoted word for word in public code, nine times; the second is its mirror image",),
    (
        ErrorTemplate(
            "{at}: `tool_result` blocks can only be in `user` messages",
            seen="messages.1: `tool_result` blocks can only be in `user` messages",
            name="result",
        ),
        ErrorTemplate("{at}: `tool_use` blocks can only be in `assistant` messages", certainty="likely", name="call"),
    ),
    wrong=(
        Wrong(
            "ant-result-of-the-assistant",
            "A result is in the assistant's message.",
            lambda it: (
                latest(it)
                and [add(latest(it), "content", take(it, each, each["content"][0])) for each in last_results(it)]
            ),
            "one-call two-calls foreign",
        ),
        Wrong(
            "ant-call-of-the-user",
            "A call is in the user's message.",
            lambda it: (
                calling(it)
                and add(last_user(it), "content", {**deepcopy(blocks(it, "tool_use")[0]), "id": "toolu_01user"})
            ),
            "one-call foreign",
            says="call",
        ),
    ),
)


@HISTORY_RULES.check("content", ANT_06, only_with=("tool_use", "tool_result"))
def places(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-06: results are in user messages, calls in assistant messages."""
    for entry in history.entries:
        for block in entry.blocks:
            if block.kind == "tool_result" and entry.role != "user":
                yield ANT_06.broken(entry.at, expected="role user", got=f"role {entry.role}")
            elif block.kind == "tool_use" and entry.role != "assistant":
                yield ANT_06.broken(entry.at, expected="role assistant", got=f"role {entry.role}", template="call")


def _instruct_behind_a_search(posted: Posted) -> bool:
    """The instructions at the end follow a turn that ends with what the provider's own tool has returned."""
    if messages(posted)[-1]["role"] != "system":
        return False
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_01said", "content": []}
    say(posted, "assistant", [search("srvtoolu_01said"), found], at=-1)
    return say(posted, "assistant", "Understood.") and say(posted, "user", "Go on.")


ANT_24: Final = WireRule(
    "ANT-24",
    "A message of role system follows a user turn, or an assistant turn that ends with the result of a tool of the "
    "provider's; it is followed by an assistant turn, or is the last one.",
    "A loop that inserts instructions anywhere in its history is refused; the top-level system always works.",
    "certain",
    (
        "measured live by pydantic-ai; accepted: recordings test_anthropic_lazy_advertisement_live and "
        "test_anthropic_fable_5_lazy_advertisement_live",
        "accepted behind a search of the provider's: recording messages_preserve_system_role_after_server_tool_result",
        "https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages",
        "the provider's text is not known",
    ),
    (
        ErrorTemplate(
            "{at}: `system` messages must come after a `user` turn, before an `assistant` turn or at the end",
            name="misplaced",
        ),
    ),
    wrong=(
        Wrong(
            "ant-system-message-first",
            "The history begins with a message of role system.",
            lambda it: say(it, "system", "Be brief.", at=0),
            "system-message one-call thread",
        ),
        Wrong(
            "ant-system-message-in-between",
            "The user speaks behind a message of role system.",
            lambda it: (
                fact(it, "system-messages") is not False
                and say(it, "system", "Be brief.")
                and say(it, "user", "Go on.")
            ),
            "system-message",
        ),
        Wrong(
            "ant-system-message-behind-an-answer",
            "A message of role system follows what the model has said.",
            lambda it: (
                fact(it, "system-messages") is not False
                and say(it, "assistant", "Understood.")
                and say(it, "system", "Be brief.")
            ),
            "system-message",
        ),
    ),
    right=(
        Right(
            "ant-system-message-behind-a-search",
            "Instructions behind a search of the provider's.",
            _instruct_behind_a_search,
            "system-message",
        ),
    ),
)


@HISTORY_RULES.check("content", ANT_24)
def system_entries(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-24: a ``system`` entry follows a user turn, and is followed by an assistant turn, or is the last one.

    The result of a provider's tool at the end of an assistant turn counts as a user's turn.
    """
    roles = ["", *[entry.role for entry in history.entries], ""]
    for index, entry in enumerate(history.entries, start=1):
        if entry.role != "system":
            continue
        before, after = roles[index - 1], roles[index + 1]
        waited = before == "assistant" and _ends_with_server_result(history.entries[index - 2])
        if not (waited or before in ("user", "system")) or after not in ("assistant", "system", ""):
            got = f"after {before or 'nothing'}, before {after or 'nothing'}"
            yield ANT_24.broken(entry.at, expected="after user; before assistant or at the end", got=got)


def _ends_with_server_result(entry: MessageItem) -> bool:
    return bool(entry.blocks) and is_server_result(entry.blocks[-1])


def _give_two_calls_one_id(posted: Posted) -> bool:
    for turn in turns(posted):
        if len(calls := calls_of(turn)) > 1:
            return put(calls[1:2], id=calls[0]["id"])
    return False


def _number_calls_anew(posted: Posted) -> bool:
    """The first call of a later turn takes the id of the first one before it, and its result with it."""
    ids = [calls_of(turn)[0]["id"] for turn in calling(posted)]
    return len(ids) > 1 and ids[-1] != ids[0] and rename(posted, {ids[-1]: ids[0]})


def _send_a_turn_twice(posted: Posted) -> bool:
    for turn in calling(posted)[-1:]:
        at = messages(posted).index(turn)
        messages(posted)[at:at] = deepcopy(messages(posted)[at : at + 2])
        return True
    return False


ANT_05: Final = WireRule(
    "ANT-05",
    "No two tool_use blocks of a request have the same id.",
    "A loop that numbers calls anew in each turn, or sends a turn twice, cannot be answered unambiguously.",
    "certain",
    (
        f"{_CLAUDE_CODE}/20700",
        f"{_CLAUDE_CODE}/20573",
        "quoted with request_id req_011Cb4i…",
        "over two turns, each call answered at once, an id of another provider's was accepted: recording "
        "test_cross_provider_capability_replay[google-gemini-3-flash-preview-anthropic-claude-sonnet-4-5]",
    ),
    (
        ErrorTemplate(
            "{at}: `tool_use` ids must be unique",
            seen="messages.1.content.3: `tool_use` ids must be unique",
            name="in-turn",
        ),
        ErrorTemplate(
            "{at}: `tool_use` ids must be unique",
            certainty="likely",
            seen="messages.3.content.1: `tool_use` ids must be unique",
            name="over-turns",
        ),
    ),
    needs=("ids",),
    wrong=(
        Wrong(
            "ant-one-id-for-two-calls", "Parallel calls have the same id.", _give_two_calls_one_id, "two-calls foreign"
        ),
        Wrong(
            "ant-ids-numbered-anew",
            "A call of a later turn has the id of an earlier one.",
            _number_calls_anew,
            "without-thinking several-turns foreign",
            says="over-turns",
        ),
        Wrong(
            "ant-turn-twice",
            "A turn with its results is in the history twice.",
            _send_a_turn_twice,
            "one-call two-calls foreign",
            says="over-turns",
        ),
    ),
)


@HISTORY_RULES.carry(dict[str, tuple[int, int]]())
def _places_of_calls(before: dict[str, tuple[int, int]], part: HistoryPart) -> dict[str, tuple[int, int]]:
    """The place (message, block) of the first call with each id."""
    calls = [block for run in part.runs for block in run.calls]
    return {**{block.id: (block.entry.number, block.index) for block in reversed(calls)}, **before}


@HISTORY_RULES.check("content", ANT_05, only_with=("tool_use",))
def unique_ids(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-05: no two calls of a request have the same id; over turns only likely."""
    before, first = history.before(_places_of_calls), dict[str, ContentBlock]()
    for run in history.runs:
        own: set[str] = set()
        for block in run.calls:
            if not block.id:
                continue
            earlier = before.get(block.id)
            known = first.setdefault(block.id, block)
            if earlier is not None or known is not block:
                place = f"{history.place(earlier[0])}.content.{earlier[1]}" if earlier is not None else known.at
                template = "in-turn" if block.id in own else "over-turns"
                got = f"{block.id}, already at {place}"
                yield ANT_05.broken(block.at, expected="an id of its own", got=got, template=template)
            own.add(block.id)


def _answer_again(posted: Posted) -> bool:
    """A result of an earlier turn comes again, after the results of this one."""
    answers = [message for message in messages(posted) if results_of(message)]
    again = [deepcopy(results_of(message)[0]) for message in answers[:-1][:1]]
    return bool(again) and add(answers[-1:], "content", *again, at=len(results_of(answers[-1])))


def _cut_old_turns(posted: Posted) -> bool:
    """Cut everything before the last results off, their calls with it."""
    for message in last_results(posted):
        at = messages(posted).index(message)
        del messages(posted)[:at]
        return at > 0
    return False


ANT_03: Final = WireRule(
    "ANT-03",
    "A tool_result answers a tool_use of the assistant turn just before it.",
    "A loop that cuts old turns off its history leaves results without their calls; one that makes up ids answers no "
    "call.",
    "certain",
    (f"{_CLAUDE_CODE}/13460", "quoted word for word in public code, with request ids"),
    (
        ErrorTemplate(
            "{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. "
            "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
            seen="messages.48.content.1: unexpected `tool_use_id` found in `tool_result` blocks: "
            "toolu_019ETtGZEhTBXgWPVsdVnXMh. Each `tool_result` block must have a corresponding `tool_use` block "
            "in the previous message.",
            name="unexpected",
        ),
    ),
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong(
            "ant-result-of-nobody",
            "A result names a call that was never made.",
            lambda it: [put(results_of(each)[-1:], tool_use_id="toolu_01nobody") for each in last_results(it)],
            "one-call two-calls foreign thread",
        ),
        Wrong(
            "ant-result-of-an-earlier-turn",
            "A result that was sent in an earlier turn is sent again.",
            _answer_again,
            "several-turns without-thinking foreign",
            also=("ANT-04",),
        ),
        Wrong(
            "ant-old-turns-cut",
            "The history begins with results whose calls have been cut off.",
            _cut_old_turns,
            "several-turns one-call foreign",
        ),
    ),
    right=(
        Right(
            "ant-ids-of-its-own",
            "Ids that were not issued, each call with its result.",
            lambda it: rename(
                it, {call["id"]: f"auto_load_{number}" for number, call in enumerate(blocks(it, "tool_use"))}
            ),
            "one-call two-calls foreign",
            also=("ANT-08",),
        ),
    ),
)


@HISTORY_RULES.check("content", ANT_03, only_with=("tool_result",))
def known_results(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-03: a result answers a call of the assistant turn just before it."""
    called: set[str] = set()
    for run in history.runs:
        if run.role == "assistant":
            called = {block.id for block in run.calls}
            continue
        for block in run.results:
            if block.id and block.id not in called:
                expected = f"one of {_id_list(sorted(called))}" if called else "no result: no call was made before"
                yield ANT_03.broken(block.at, expected=expected, got=block.id, id=block.id)
        called = set()


ANT_04: Final = WireRule(
    "ANT-04",
    "A tool_use has one tool_result.",
    "A loop that retries a tool and sends both outcomes is refused; the last one alone has to go back.",
    "certain",
    ("quoted word for word in public code; the place in front of it is likely",),
    (
        ErrorTemplate(
            "{at}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}",
            seen="…: each tool_use must have a single result. Found multiple `tool_result` blocks with id: …",
            name="several",
        ),
    ),
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong(
            "ant-result-twice",
            "A call is answered twice.",
            lambda it: [add([each], "content", deepcopy(results_of(each)[0]), at=0) for each in last_results(it)],
            "one-call two-calls foreign thread",
        ),
    ),
)


@HISTORY_RULES.check("content", ANT_04, only_with=("tool_result",))
def single_results(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-04: a call has one result."""
    for run in history.runs:
        seen: set[str] = set()
        for block in run.results:
            if block.id and block.id in seen:
                got = f"another result of {block.id}"
                yield ANT_04.broken(block.at, expected="one result", got=got, id=block.id)
            seen.add(block.id)


def _spread_the_results(posted: Posted) -> bool:
    """Move all results but the first into a second message."""
    for message in last_results(posted):
        if len(found := results_of(message)) > 1:
            second, at = message["content"].index(found[1]), messages(posted).index(message)
            messages(posted).insert(at + 1, {"role": "user", "content": message["content"][second:]})
            del message["content"][second:]
            return True
    return False


def _end_with_a_call(posted: Posted) -> bool:
    for turn in [] if fact(posted, "no-prefill") else calling(posted)[-1:]:
        del messages(posted)[messages(posted).index(turn) + 1 :]
        return True
    return False


def _begin_with_a_call(posted: Posted, words: str, *, behind: bool) -> bool:
    """Cut the history off before the last calls, and add a text before the first or after the last call."""
    called = [number for number, each in enumerate(messages(posted)) if calls_of(each)][-1:]
    for number in called:
        turn = messages(posted)[number]
        del messages(posted)[:number]
        add([turn], "content", text(words), at=None if behind else turn["content"].index(calls_of(turn)[0]))
    return bool(called)


def _split_the_turn(posted: Posted) -> bool:
    """Put each block of a turn into its own message; the provider joins them."""
    for turn in latest(posted):
        if len(turn["content"]) > 1:
            at = messages(posted).index(turn)
            messages(posted)[at : at + 1] = [{"role": "assistant", "content": [block]} for block in turn["content"]]
            return True
    return False


def _turn_the_results_round(posted: Posted) -> bool:
    found = last_results(posted)
    for message in found:
        message["content"][: len(results_of(message))] = results_of(message)[::-1]
    return bool(found)


ANT_01: Final = WireRule(
    "ANT-01",
    "Every tool_use of an assistant turn has its tool_result in the user message that follows at once. A history that "
    "begins with the assistant has no text behind the calls of that first turn.",
    "A loop that forgets one result, or sends the results of parallel calls in several messages, ends here. So does "
    "one that was interrupted between a call and its result and then goes on.",
    "certain",
    (
        f"{_CLAUDE_CODE}/3512",
        f"{_CLAUDE_CODE}/12526",
        f"{_CLAUDE_CODE}/1831",
        f"{_CLAUDE_CODE}/6521",
        f"{_CLAUDE_CODE}/5989",
        f"results spread over several messages: no recording, the documentation asks for one ({_DOCS_TOOLS})",
        "text of the model's own behind its calls is accepted where a user's turn comes before: "
        "https://github.com/gotgenes/pi-anthropic-auth/issues/66 (tried on five models, 2026-09)",
        "it is refused where the history begins with that turn, which counts as the second message then: recording "
        "rejects-malformed-assistant-tool-order-without-patch; the same turn with its text in front is accepted: "
        "recording accepts-malformed-assistant-tool-order-with-default-patch",
    ),
    (
        ErrorTemplate(
            _UNANSWERED,
            seen="messages.22: `tool_use` ids were found without `tool_result` blocks immediately after: "
            "toolu_01HqfLWiAKQLsniF2fBGF2KD, toolu_01SJzDkeAZER935cpGFptTNk. Each `tool_use` block must have a "
            "corresponding `tool_result` block in the next message.",
            name="unanswered",
        ),
        ErrorTemplate(_UNANSWERED, certainty="inferred", name="spread"),
        ErrorTemplate(
            _UNANSWERED,
            seen="messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: call_1. "
            "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
            name="trailing",
        ),
    ),
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong(
            "ant-result-forgotten",
            "The answer to the last call is not sent.",
            lambda it: [take(it, each, results_of(each)[-1]) for each in last_results(it)],
            "two-calls one-call foreign thread",
        ),
        Wrong(
            "ant-results-spread",
            "Each result of parallel calls comes in a message of its own.",
            _spread_the_results,
            "two-calls foreign",
            says="spread",
        ),
        Wrong(
            "ant-call-last",
            "The history ends with a call, for a model that takes a prefill.",
            _end_with_a_call,
            "manual-thinking opus-4-1",
        ),
        Wrong(
            "ant-begins-with-a-call",
            "The history begins with a call, and text behind it.",
            lambda it: not it.body.get("thread") and _begin_with_a_call(it, "That is what I need.", behind=True),
            "one-call two-calls",
            says="trailing",
        ),
    ),
    right=(
        Right("ant-turn-split", "A turn in several messages.", _split_the_turn, "two-calls foreign", also=("ANT-15",)),
        Right("ant-results-in-another-order", "Results in another order.", _turn_the_results_round, "two-calls"),
        Right(
            "ant-text-after-a-call",
            "Text behind a call.",
            lambda it: not it.body.get("thread") and add(latest_calling(it), "content", text("That is what I need.")),
            "one-call two-calls foreign",
        ),
        Right(
            "ant-begins-with-text",
            "The history begins with text and a call.",
            lambda it: _begin_with_a_call(it, "I look.", behind=False),
            "one-call foreign",
        ),
    ),
)

ANT_02: Final = WireRule(
    "ANT-02",
    "In the user message that answers calls the results come first: no text or image precedes a tool_result.",
    "A loop that puts a reminder or a screenshot in front of the results gets the error that there are none.",
    "certain",
    (
        "https://github.com/NousResearch/hermes-agent/pull/65369",
        "https://github.com/QwenLM/qwen-code/issues/8161",
        _DOCS_TOOLS,
        f"in 2025 it said: Did not find 1 `tool_result` block(s) at the beginning of this message ({_CLAUDE_CODE}/473)",
    ),
    (ErrorTemplate(_UNANSWERED, name="late"),),
    about=("results",),
    needs=("ids", "part-order"),
    wrong=(
        Wrong(
            "ant-text-before-results",
            "The user says something before the results.",
            lambda it: add(last_results(it), "content", text("Here you are."), at=0),
            "one-call two-calls foreign thread",
        ),
        Wrong(
            "ant-text-between-results",
            "The user says something between two results.",
            lambda it: [
                add([each], "content", text("Here you are."), at=1)
                for each in last_results(it)
                if len(results_of(each)) > 1
            ],
            "two-calls foreign",
        ),
    ),
    right=(
        Right(
            "ant-text-and-image-after-results",
            "Text and an image behind the results.",
            lambda it: add(
                last_user(it),
                "content",
                text("And be quick."),
                {"type": "image", "source": {"type": "url", "url": "https://a.test/a.png"}},
            ),
            "one-call images thread",
        ),
    ),
)


@HISTORY_RULES.check("content", ANT_01, ANT_02, only_with=("tool_use",))
def answered_calls(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-01, ANT-02: every call has its result in the next message, before anything else in it."""
    for index, run in enumerate(history.runs):
        calls = [block for block in run.calls if block.id] if run.role == "assistant" else []
        if calls:
            following = history.runs[index + 1] if index + 1 < len(history.runs) else Run("user")
            yield from _answer_findings(calls, following)


@HISTORY_RULES.check("content", ANT_01, only_with=("tool_use",))
def text_first(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-01: no text after the calls of the turn that begins a history; a message is counted before it."""
    spoken = [run for run in history.runs if run.role == "assistant" and run.entries[0].number == 0]
    blocks = [block for run in spoken for block in run.blocks]
    last = max((at for at, block in enumerate(blocks) if block.kind == "text"), default=0)
    early = [block for block in blocks[:last] if block.kind == "tool_use"]
    if early and not list(answered_calls(history)):
        at, ids = early[0].entry.at, _id_list([call.id for call in early])
        expected, got = "the turn's text in front of its calls", f"text behind {ids}"
        counted = f"messages.{early[0].entry.number + 1}"
        yield ANT_01.broken(at, expected=expected, got=got, template="trailing", ids=ids, at=counted)


def _answer_findings(calls: list[ContentBlock], following: Run) -> Iterator[Finding]:
    at, expected = calls[0].entry.at, "the next message begins with the results of all calls"
    leading: dict[str, MessagePlace] = {}
    for block in following.blocks:
        if block.kind != "tool_result":
            break
        leading[block.id] = block.entry
    missing = [call.id for call in calls if call.id not in leading]
    if missing:
        answered = {block.id for block in following.results}
        ids = _id_list(missing)
        if answered.issuperset(missing):
            yield ANT_02.broken(at, expected=expected, got=f"the results come after other content: {ids}", ids=ids)
        else:
            yield ANT_01.broken(at, expected=expected, got=f"no result: {ids}", ids=ids)
    elif len({leading[call.id].number for call in calls}) > 1:
        first = following.entries[0]
        ids = _id_list([call.id for call in calls if leading[call.id].number != first.number])
        got = f"the results are spread over several messages: {ids}"
        yield ANT_01.broken(at, expected=expected, got=got, template="spread", ids=ids)


def _id_list(ids: list[str]) -> str:
    return ", ".join(dict.fromkeys(ids))


ANT_28: Final = WireRule(
    "ANT-28",
    "A history may call tools that the request does not declare, and may contain calls when it declares no tools at "
    "all.",
    "A loop that takes its tools away for the last turn does nothing wrong. Before 2026 it was refused: Requests which "
    "include `tool_use` or `tool_result` blocks must define tools.",
    "inferred",
    ("recorded requests with undeclared tools and with calls but no tools, answered 200",),
    permits=True,
    right=(
        Right("ant-tools-gone", "Calls, but no tools.", lambda it: drop([it.body], "tools"), "one-call several-turns"),
        Right(
            "ant-tool-undeclared",
            "A call of a tool that is gone.",
            lambda it: put(blocks(it, "tool_use")[:1], name="a_tool_of_yesterday"),
            "foreign two-calls",
        ),
    ),
)

HISTORY_RULES.declare(ANT_28)
