"""Results and their calls."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Final

from harness.finding import Finding
from harness.wire.issued import issued_calls
from harness.wire.lenient import Json, string
from harness.wire.openai_chat.models import MODELS, NINE_CHARACTERS
from harness.wire.openai_chat.rules.book import RULES
from harness.wire.openai_chat.rules.error_templates import EMPTY_STRING, LONG_STRING, MISSING, seen
from harness.wire.openai_chat.rules.history import CallBlock, ChatHistory, Found
from harness.wire.openai_chat.rules.places import (
    call_turns,
    calls,
    fact,
    first_results,
    insert,
    is_strict,
    leave_out,
    maker,
    messages,
    of_role,
    place_of,
    rename,
    results_of,
)
from harness.wire.openai_chat.types import few, shortened
from harness.wire.posted import Posted, Right, Wrong, add, drop, put
from harness.wire.rule import Certainty, ErrorTemplate, WireRule, verbatim

_DEEPSEEK_CODE: Final = "invalid_request_error"

_UNANSWERED: Final = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
)


def _begin_with(posted: Posted, found: list[Json]) -> bool:
    """Cut the history in front of the first of these messages."""
    for message in found[:1]:
        del messages(posted)[: place_of(posted, message)]
    return bool(found)


OAC_04: Final = WireRule(
    "OAC-04",
    "A tool message follows an assistant message with tool_calls, with nothing but its other tool messages between.",
    "Trimming or summarising a history from the front leaves results without their calls. So does a loop that sends "
    "results but not the message in which the model asked for them.",
    "certain",
    (
        "https://github.com/sdcb/chats/pull/132",
        "https://github.com/miurla/morphic/issues/136",
        "https://github.com/smarter-sh/smarter/issues/264",
        "DeepSeek's text is quoted in public code",
    ),
    (
        verbatim(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
            "'tool_calls'.",
            param="messages.[{number}].role",
            name="openai",
        ),
        verbatim(
            "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
            code=_DEEPSEEK_CODE,
            name="deepseek",
        ),
    ),
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong(
            "chat-result-before-call",
            "A result precedes its call.",
            lambda it: (
                leave_out(it, first := first_results(it)[:1]) and insert(it, call_turns(it)[:1], *first, behind=False)
            ),
            "one-call two-calls",
            also=("OAC-03", "OAC-05", "OAC-06"),
        ),
        Wrong(
            "chat-calls-forgotten",
            "The assistant message with the calls is not sent, its results are.",
            lambda it: leave_out(it, call_turns(it)[:1]),
            "two-calls foreign same-ids",
            also=("OAC-05", "OAC-06"),
        ),
        Wrong(
            "chat-calls-stripped",
            "The assistant message goes back as text, without its calls.",
            lambda it: [
                put([turn], content=turn.get("content") or "") and drop([turn], "tool_calls")
                for turn in call_turns(it)[-1:]
            ],
            "two-calls deepseek same-ids",
        ),
        Wrong(
            "chat-history-trimmed",
            "The history is cut off in front of a result.",
            lambda it: _begin_with(it, of_role(it, "tool")),
            "foreign turns deepseek",
        ),
    ),
)


@RULES.check("history", OAC_04)
def results_follow_calls(history: ChatHistory) -> Found:
    """OAC-04: a tool message that follows no assistant message with calls."""
    for at in history.orphans:
        before = history.messages[at - 1].get("role") if at else None
        got = f"a {before} message without tool_calls before it" if before else "nothing before it"
        expected = "an assistant message with tool_calls (and its other results) directly before it"
        template = history.in_words_of_its_maker(OAC_04)
        yield OAC_04.broken(
            f"messages[{at}]",
            expected=expected,
            got=got,
            template=template,
            certainty=history.pairs,
            number=at,
        )


def _answer_another_turn(posted: Posted) -> bool:
    turns = call_turns(posted)
    if len(turns) < 2:
        return False
    earlier, own = ([call.get("id") for call in turn["tool_calls"]] for turn in (turns[0], turns[-1]))
    return earlier[0] not in own and put(results_of(posted, turns[-1])[-1:], tool_call_id=earlier[0])


OAC_05: Final = WireRule(
    "OAC-05",
    "The tool_call_id of a tool message is one of the ids of the assistant message before it.",
    "Results that are sent under an invented, shortened or re-generated id answer nothing.",
    "certain",
    (
        "public code quotes the text; the param is likely",
        "without an id: https://github.com/langchain-ai/langchain/issues/22600, "
        "https://github.com/MadcowD/ell/issues/325",
    ),
    (
        ErrorTemplate(
            "Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message.",
            param="messages.[{number}].tool_call_id",
            seen="Invalid parameter: 'tool_call_id' of 'call_…' not found in 'tool_calls' of previous message.",
            name="unknown",
        ),
        verbatim(
            "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
            param="messages.[{number}].tool_call_id",
            name="missing",
        ),
    ),
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong(
            "chat-result-renamed",
            "A result is sent under an id that nobody issued.",
            lambda it: put(of_role(it, "tool")[-1:], tool_call_id="call_nobody_issued"),
            "two-calls foreign same-ids",
        ),
        Wrong(
            "chat-result-of-nobody",
            "The only result of a history is sent under an id that nobody issued.",
            lambda it: len(found := of_role(it, "tool")) == 1 and put(found, tool_call_id="call_nobody_issued"),
            "one-call",
        ),
        Wrong(
            "chat-result-unnamed",
            "A result is sent without an id.",
            lambda it: drop(of_role(it, "tool")[:1], "tool_call_id"),
            "two-calls one-call",
            says="missing",
        ),
        Wrong(
            "chat-result-of-another-turn",
            "The last result names a call of an earlier turn.",
            _answer_another_turn,
            "turns foreign",
        ),
    ),
)


@RULES.check("history", OAC_05)
def results_name_calls(history: ChatHistory) -> Found:
    """OAC-05: a tool message whose id is that of no call before it."""
    for block in history.blocks:
        known = set(block.ids)
        for at, call_id in block.results:
            if call_id not in known:
                yield _unknown(history, block, at, call_id)


def _unknown(history: ChatHistory, block: CallBlock, at: int, call_id: str) -> Finding:
    place, expected = f"messages[{at}].tool_call_id", f"one of {few(block.ids)}"
    if not call_id:
        return OAC_05.broken(
            place, expected=expected, got="no id", template="missing", certainty=history.pairs, number=at
        )
    got = f"{shortened(call_id)}, {_origin(history, call_id)}"
    return OAC_05.broken(place, expected=expected, got=got, certainty=history.pairs, id=call_id, number=at)


def _origin(history: ChatHistory, call_id: str) -> str:
    """The owner of an id: a call elsewhere in the history, a call that is not sent back, or none."""
    if call_id in history.made_at:
        return f"the id of a call in messages[{history.made_at[call_id]}]"
    if call_id in issued_calls(history.state):
        return "the id of a call that is not in this history"
    return "an id that was never issued" if issued_calls(history.state) else "the id of no call"


OAC_06: Final = WireRule(
    "OAC-06",
    "No two tool messages of a turn answer the same call, and no two calls of one message have the same id. In a later "
    "turn an id may come back.",
    "A retry that appends a second result, or a restored session that appends what is already there, is refused.",
    "certain",
    (
        "https://github.com/agno-agi/agno/issues/5116, https://github.com/fatwang2/search2ai/issues/30",
        "DeepSeek's text, also for calls, is quoted in public code",
        "OpenAI may accept two calls with one id: https://github.com/latitude-dev/latitude-llm/pull/1840",
    ),
    (
        ErrorTemplate(
            "Invalid parameter: Duplicate value for 'tool_call_id' of '{id}', in messages[{first}] and "
            "messages[{number}].",
            param="messages.[{number}].tool_call_id",
            seen="Invalid parameter: Duplicate value for 'tool_call_id' of 'call_gmd4tanjXcwOxfPawOnDmq6R', in "
            "messages[7] and messages[8].",
            name="result",
        ),
        ErrorTemplate(
            "Duplicate value for 'tool_call_id' of {id} in message[{number}]",
            seen="Duplicate value for 'tool_call_id' of call_a9hDhfmLkboHAaoTtIsHKedq in message[74]",
            name="deepseek",
        ),
        ErrorTemplate(
            "Duplicate value for 'tool_call_id' of {id} in message[{number}]", certainty="likely", name="call"
        ),
    ),
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong(
            "chat-result-twice",
            "A result is sent twice.",
            lambda it: insert(it, last := of_role(it, "tool")[-1:], *deepcopy(last)),
            "two-calls deepseek same-ids",
        ),
        Wrong(
            "chat-call-twice",
            "A call is in its message twice.",
            lambda it: [add([turn], "tool_calls", deepcopy(turn["tool_calls"][0])) for turn in call_turns(it)[-1:]],
            "one-call deepseek",
            says="deepseek",
        ),
    ),
    right=(
        Right(
            "chat-id-of-an-earlier-turn",
            "A call of a later turn has the id of an earlier one.",
            lambda it: len(call_turns(it)) > 1 and rename(it, call_turns(it)[-1:], 0, calls(it)[0]["id"]),
            "foreign",
        ),
    ),
)


@RULES.check("history", OAC_06)
def calls_are_answered_once(history: ChatHistory) -> Found:
    """Two results for one call within one block; an id that comes again in a later turn is accepted."""
    for block in history.blocks:
        for at, _, call_id in _repeated_ids([(block.at, call_id) for call_id in block.ids]):
            made = history.in_words_of_its_maker(OAC_06) or "call"
            yield _twice(history, at, at, call_id, made, "each id once")
        for first, at, call_id in _repeated_ids(block.results):
            template = history.in_words_of_its_maker(OAC_06)
            yield _twice(history, first, at, call_id, template, "one result for each call")


def _repeated_ids(uses: list[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    """The places of the first and of a later use of an id, and the id."""
    seen: dict[str, int] = {}
    for at, call_id in uses:
        if call_id in seen:
            yield seen[call_id], at, call_id
        elif call_id:
            seen[call_id] = at


def _twice(history: ChatHistory, first: int, at: int, call_id: str, template: str | None, expected: str) -> Finding:
    return OAC_06.broken(
        f"messages[{at}]",
        expected=expected,
        got=f"{shortened(call_id)} again",
        template=template,
        certainty=history.pairs,
        id=call_id,
        first=first,
        number=at,
    )


def _speak_between_results(posted: Posted) -> bool:
    several = [found for turn in call_turns(posted) if len(found := results_of(posted, turn)) > 1]
    return insert(posted, [found[0] for found in several[:1]], {"role": "user", "content": "A picture of it."})


def _answer_late(posted: Posted) -> bool:
    late = first_results(posted)
    return leave_out(posted, late) and add([posted.body], "messages", {"role": "user", "content": "And now?"}, *late)


def _reverse_the_results(posted: Posted) -> bool:
    for turn in call_turns(posted):
        found, at = results_of(posted, turn), place_of(posted, turn) + 1
        messages(posted)[at : at + len(found)] = reversed(found)
    return bool(call_turns(posted))


OAC_03: Final = WireRule(
    "OAC-03",
    "Every tool_call needs its own `tool` message, directly after the assistant message.",
    "A loop that stops in the middle of its calls, drops a result, or speaks to the user before all results are there "
    "cannot go on: every later request with this history is refused.",
    "certain",
    (
        "https://github.com/sdcb/chats/pull/132",
        "https://github.com/BloomLabsInc/genkit-plugins/issues/225",
        "https://github.com/agno-agi/agno/issues/4345",
        "DeepSeek: https://github.com/langgenius/dify/issues/32222",
        "Qwen: https://github.com/alibaba/spring-ai-alibaba/issues/914, https://github.com/QwenLM/qwen-code/issues/315",
        "Mistral: https://github.com/camel-ai/camel/issues/1467",
        "Moonshot: https://github.com/MoonshotAI/kimi-cli/issues/2405",
    ),
    (
        ErrorTemplate(
            _UNANSWERED + "The following tool_call_ids did not have response messages: {ids}",
            param="messages.[{end}].role",
            seen=_UNANSWERED
            + "The following tool_call_ids did not have response messages: call_ctiGXrgM0r61c6nkf2v7zbKb",
            name="openai",
        ),
        verbatim(
            _UNANSWERED + "(insufficient tool messages following tool_calls message)",
            code=_DEEPSEEK_CODE,
            name="deepseek",
        ),
        ErrorTemplate(
            '<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by '
            'tool messages responding to each "tool_call_id". The following tool_call_ids did not have response '
            "messages: message[{end}].role",
            code="invalid_parameter_error",
            seen='<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be '
            'followed by tool messages responding to each "tool_call_id". The following tool_call_ids did not have '
            "response messages: message[15].role",
            name="qwen",
        ),
        ErrorTemplate(
            "an assistant message with 'tool_calls' must be followed by tool messages responding to each "
            "'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
            name="moonshot",
        ),
        verbatim("Not the same number of function calls and responses", name="mistral"),
    ),
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong(
            "chat-result-forgotten",
            "The last tool message is not sent.",
            lambda it: leave_out(it, of_role(it, "tool")[-1:]),
            "two-calls one-call turns same-ids deepseek kimi qwen mistral router",
        ),
        Wrong(
            "chat-results-forgotten",
            "None of the first turn's results are sent.",
            lambda it: leave_out(it, first_results(it)),
            "foreign turns one-call",
        ),
        Wrong(
            "chat-results-not-there",
            "The history ends with the calls.",
            lambda it: [leave_out(it, messages(it)[place_of(it, turn) + 1 :]) for turn in call_turns(it)[:1]],
            "one-call",
        ),
        Wrong(
            "chat-speech-before-results",
            "A user message is between the calls and their results.",
            lambda it: insert(it, call_turns(it)[-1:], {"role": "user", "content": "Wait."}),
            "two-calls foreign same-ids",
            also=("OAC-04",),
        ),
        Wrong(
            "chat-speech-between-results",
            "A user message is between two results of one turn.",
            _speak_between_results,
            "images turns",
            also=("OAC-04",),
        ),
        Wrong(
            "chat-results-late",
            "The results of the first turn are at the end, behind a user message.",
            _answer_late,
            "turns one-call",
            also=("OAC-04",),
        ),
    ),
    right=(
        Right(
            "chat-results-reordered",
            "The results of a turn come in another order.",
            _reverse_the_results,
            "two-calls turns foreign",
            also=("OAC-05",),
        ),
        Right(
            "chat-call-rewritten",
            "A call goes back under another name, with other arguments: OpenAI compares neither.",
            lambda it: put([call["function"] for call in calls(it)[:1]], name="list_files", arguments="{}"),
            "two-calls same-ids",
        ),
    ),
)


@RULES.check("history", OAC_03)
def calls_are_answered(history: ChatHistory) -> Found:
    """OAC-03: a call without a result directly after its message."""
    answers = {call_id: at for block in history.blocks for at, call_id in block.results}
    answers |= {string(history.messages[at].get("tool_call_id")): at for at in history.orphans}
    for block in history.blocks:
        answered = {call_id for _, call_id in block.results}
        missing = [call_id for call_id in block.ids if call_id and call_id not in answered]
        if missing:
            yield _unanswered_finding(history, block, missing, _missing_words(missing, answers))


def _unanswered_finding(history: ChatHistory, block: CallBlock, missing: list[str], got: str) -> Finding:
    place = f"messages[{block.at}]"
    expected = f"a tool message for each call of {place} before any other message"
    template, ids = history.in_words_of_its_maker(OAC_03), ", ".join(missing)
    return OAC_03.broken(
        place, expected=expected, got=got, template=template, certainty=history.pairs, ids=ids, end=block.end
    )


def _missing_words(missing: list[str], answers: dict[str, int]) -> str:
    """The words for missing results. A result elsewhere was moved, or another turn has a call with its id."""
    moved = [f"{call_id} only in messages[{answers[call_id]}]" for call_id in missing if call_id in answers]
    dropped = [call_id for call_id in missing if call_id not in answers]
    return "; ".join([*([f"none for {few(dropped)}"] if dropped else []), *([few(moved)] if moved else [])])


OAC_ORDER: Final = WireRule(
    "OAC-ORDER",
    "On Mistral's models no user message directly follows a tool message.",
    "A loop that adds a picture, a reminder or the next question behind its results works with OpenAI and is refused "
    "here; an assistant message between them is accepted.",
    "certain",
    (
        "https://github.com/datapizza-labs/datapizza-ai/issues/98",
        "recordings of Mistral put an assistant message between: test_image_as_binary_content_tool_response",
    ),
    (
        verbatim(
            "Unexpected role 'user' after role 'tool'",
            code="3230",
            kind="invalid_request_message_order",
            name="mistral",
        ),
    ),
    applies="names of Mistral's models",
    wrong=(
        Wrong(
            "chat-user-behind-results",
            "On Mistral the user speaks right behind the results.",
            lambda it: (
                maker(it) == "mistral" and insert(it, of_role(it, "tool")[-1:], {"role": "user", "content": "And now?"})
            ),
            "mistral",
        ),
    ),
    right=(
        Right(
            "chat-two-users",
            "Two user messages follow each other, and the results.",
            lambda it: add(
                [it.body], "messages", {"role": "user", "content": "And"}, {"role": "user", "content": "now?"}
            ),
            "two-calls deepseek",
        ),
    ),
)


@RULES.check("history", OAC_ORDER)
def users_wait_for_the_assistant(history: ChatHistory) -> Found:
    """OAC-ORDER: on Mistral's models, a user message directly after a result."""
    if history.maker != "mistral":
        return
    for at, message in enumerate(history.messages[1:], 1):
        if message.get("role") == "user" and history.messages[at - 1].get("role") == "tool":
            expected = "an assistant message behind the results"
            yield OAC_ORDER.broken(f"messages[{at}].role", expected=expected, got="user")


_LONG: Final = f"fc_{'0' * 50}"


OAC_07: Final = WireRule(
    "OAC-07",
    "Every call has an id, which is not empty and at most 40 characters long.",
    "Ids of other providers' models are longer, or there are none: a history that moves from one provider to another "
    "is refused. An id that the endpoint itself issued fits, however long: other makers have limits of their own.",
    "certain",
    (
        "public code quotes the text for a long id",
        "accepted where they were issued: GenSync-Tools-SquareRoot-2 of DeepSeek-V4-Pro (46), "
        "test_openrouter_google_nested_schema (50)",
        "Mistral: https://github.com/nearai/ironclaw/issues/1241, https://github.com/anomalyco/opencode/issues/1680, "
        "https://github.com/karthink/gptel/issues/1203, https://github.com/editor-code-assistant/eca/issues/233; all "
        "ids of its recordings are such, but where the recorder has replaced them",
    ),
    (
        seen(
            LONG_STRING,
            "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, "
            "but got a string with length 53 instead.",
            name="maxLength",
        ),
        seen(MISSING, name="required"),
        seen(EMPTY_STRING, certainty="likely", name="minLength"),
        ErrorTemplate(
            "Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.",
            code="3280",
            kind="invalid_function_call",
            seen="Tool call id was call_search but must be a-z, A-Z, 0-9, with a length of 9.",
            name="mistral",
        ),
    ),
    applies="the length: names of OpenAI's models, and names of no known server; nine letters and digits: certain for "
    "Mistral's own names (mistral-large-latest, mistral-small-2506), inferred where others serve its models",
    about=("results", "ids"),
    wrong=(
        Wrong(
            "chat-ids-of-another-maker",
            "Mistral gets calls under ids of OpenAI's form.",
            lambda it: (
                maker(it) == "mistral"
                and fact(it, NINE_CHARACTERS)
                and rename(it, call_turns(it)[:1], 0, "call_PTLP8xhu3uwZk4l3nlnrrJha")
            ),
            "mistral",
            says="mistral",
        ),
        Wrong(
            "chat-id-dropped",
            "A call goes back without its id.",
            lambda it: drop(calls(it)[-1:], "id"),
            "two-calls foreign",
            says="required",
        ),
        Wrong(
            "chat-id-empty",
            "A call and its result go back under an empty id.",
            lambda it: rename(it, call_turns(it)[-1:], -1, ""),
            "one-call foreign",
            says="minLength",
        ),
        Wrong(
            "chat-id-long",
            "A call and its result have an id of another provider's length.",
            lambda it: is_strict(it) and rename(it, call_turns(it)[-1:], -1, _LONG),
            "foreign two-calls",
        ),
        Wrong(
            "chat-id-of-openai",
            "A call that was made elsewhere keeps its id on Mistral.",
            lambda it: maker(it) == "mistral" and rename(it, call_turns(it)[-1:], -1, "call_q2UyBRP7eXNTzAoR8lEhjc9Z"),
            "mistral",
            says="mistral",
        ),
    ),
    right=(
        Right(
            "chat-id-at-the-limit",
            "A call and its result have an id of forty characters.",
            lambda it: is_strict(it) and rename(it, call_turns(it)[-1:], -1, "c" * 40),
            "foreign",
        ),
    ),
)


@RULES.check("history", OAC_07)
def ids_are_mistrals(history: ChatHistory) -> Found:
    """Ids that the endpoint itself issued fit. A server with the model under another name may accept others.

    A known server decides rather than the model's name.
    """
    if history.maker != "mistral":
        return
    is_its_own = history.server == "mistral" or MODELS.holds(NINE_CHARACTERS, history.model)
    certainty: Certainty | None = None if is_its_own else "inferred"
    for block in history.blocks:
        for number, call_id in enumerate(block.ids):
            if call_id and not _is_mistrals(call_id) and call_id not in issued_calls(history.state):
                place, got = f"messages[{block.at}].tool_calls[{number}].id", shortened(call_id)
                expected = "nine letters and digits"
                yield OAC_07.broken(
                    place, expected=expected, got=got, template="mistral", certainty=certainty, id=call_id
                )


def _is_mistrals(call_id: str) -> bool:
    return len(call_id) == 9 and call_id.isascii() and call_id.isalnum()
