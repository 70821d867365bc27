"""Rules on order and pairing of calls and responses: GEM-04 to 07, 12, 13, 22, 23.

Answers are looked for only in the one content that follows the call turn, because answers that are spread over
several contents are refused (GEM-06).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice, pairwise, takewhile
from typing import Final

from harness.wire.base import Json
from harness.wire.gemini_generate.models import NO_PREFILL, UNSPLIT_ANSWERS
from harness.wire.gemini_generate.rules.book import RULES
from harness.wire.gemini_generate.rules.history import NOTHING, Placed, TurnSpan, kind_of, name_of, place
from harness.wire.gemini_generate.rules.places import (
    FoundPart,
    answer_to_the_last,
    answer_turns,
    answers_behind,
    begin_with_the_last_calls,
    call_turns,
    contents,
    fact,
    in_the_last_turn,
    last_answers,
    member,
    parts,
    replace,
    set_held,
    settle,
)
from harness.wire.gemini_generate.rules.request import Found, Request, brief
from harness.wire.posted import Posted, Right, Wrong, add, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_MODEL_LAST: Final = "Requests ending with a model turn are not supported."

_SINGLE: Final = "Please ensure that single turn requests end with a user role or the role field is empty."

_COUNT: Final = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)


GEM_04: Final = WireRule(
    "GEM-04",
    "A turn with function calls follows a turn of the user or of function responses, so it is never the first. "
    "Neighbouring contents of the model are one turn.",
    "A history that is cut at the front must be cut before a word of the user, not between the user and the call.",
    "certain",
    (
        "https://github.com/continuedev/continue/issues/11164",
        "https://github.com/google-gemini/gemini-cli/issues/26486",
    ),
    (
        verbatim(
            "Please ensure that function call turn comes immediately after a user turn or after a function "
            "response turn."
        ),
    ),
    wrong=(
        Wrong(
            "gem-prompt-lost",
            "The history is cut in front of the last call.",
            begin_with_the_last_calls,
            "one-call steps old foreign",
        ),
    ),
)


@RULES.check("turns", GEM_04)
def calls_follow_someone(request: Request) -> Found:
    """GEM-04: a turn that calls comes after a user or a function response turn, so it is never the first."""
    first = (*request.history.turns, NOTHING)[0]
    if first.calls:
        yield GEM_04.broken(first.at, expected="a user turn first", got="a function call turn first")


def _forget_the_call_turn(posted: Posted) -> bool:
    """With all contents of the model that are one turn with it."""
    answers = answer_turns(posted)
    if not answers:
        return False
    history = contents(posted)
    end = start = answers[-1][0]
    while start and history[start - 1].get("role") == "model":
        start -= 1
    del history[start:end]
    return start < end


def _speak_before_the_answer(posted: Posted) -> bool:
    answers = answer_turns(posted)
    for at, _ in answers[-1:]:
        contents(posted).insert(at, {"role": "user", "parts": [{"text": "One moment."}]})
    return bool(answers)


GEM_05: Final = WireRule(
    "GEM-05",
    "A content with function responses directly follows the model's turn that has the calls, and is not the model's.",
    "Whatever comes between a call and its answer (a word of the user, a note of the client) parts them, and a "
    "history that is cut between them begins with an answer to nothing.",
    "certain",
    (
        "https://github.com/langchain-ai/langchain/issues/27799",
        "https://github.com/maximhq/bifrost/pull/2222 (responses with role model)",
    ),
    (
        ErrorTemplate(
            "Please ensure that function response turn comes immediately after a function call turn.",
            seen="Please ensure that function response turn comes immediately after a function call turn",
        ),
        ErrorTemplate(
            "Please ensure that function response turn comes immediately after a function call turn.",
            certainty="likely",
            name="model",
        ),
    ),
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong(
            "gem-call-turn-lost",
            "The model's turn with the calls is not sent back.",
            _forget_the_call_turn,
            "one-call steps old foreign foreign-old",
        ),
        Wrong(
            "gem-answers-of-the-model",
            "The responses have the model's role.",
            lambda it: put(last_answers(it), role="model"),
            "two-calls old foreign",
        ),
        Wrong(
            "gem-word-before-the-answer",
            "The user speaks between the calls and their responses.",
            _speak_before_the_answer,
            "two-calls steps old foreign",
            also=("GEM-07",),
        ),
    ),
)


@RULES.check("turns", GEM_05)
def responses_follow_calls(request: Request) -> Found:
    """GEM-05: responses come right after the turn that called. An answer in several contents is GEM-06's."""
    awaited = 0
    for before, turn in pairwise((NOTHING, *request.history.turns)):
        if before.calls:
            awaited = len(before.calls)
        if not turn.responses:
            awaited = 0
        elif awaited <= 0:
            got = "nothing" if before is NOTHING else "a turn without function calls"
            yield GEM_05.broken(turn.at, expected="a function call turn before it", got=got)
        awaited -= len(turn.responses)
    for turn in request.history.model_turns:
        for placed in turn.parts:
            if isinstance(placed.part.get("functionResponse"), dict):
                got = "a function response in a turn of the model"
                yield GEM_05.broken(placed.at, template="model", expected="role user", got=got)


def _lose_an_answer(posted: Posted) -> bool:
    """One of several; to lose the only one leaves a content without parts."""
    for at, answers in reversed(answer_turns(posted)):
        if len(answers) > 1:
            del contents(posted)[at]["parts"][answers[-1].index]
            return True
    return False


def _answer_twice(posted: Posted) -> bool:
    for at, found in answer_turns(posted)[-1:]:
        return add([contents(posted)[at]], "parts", found[-1].part, at=found[-1].index)
    return False


def _answer_in_pieces(posted: Posted) -> bool:
    for at, answers in reversed(answer_turns(posted)):
        if len(answers) > 1:
            contents(posted)[at : at + 1] = [{"role": "user", "parts": [answer.part]} for answer in answers]
            return True
    return False


def _answer_in_pieces_at_vertex(posted: Posted) -> bool:
    posted.path = posted.path.replace("/v1/models/", "/v1/projects/p/locations/global/publishers/google/models/")
    return _answer_in_pieces(posted)


def _cross_names(posted: Posted) -> bool:
    """Two responses keep their ids and exchange their names. Without ids nobody could see it."""
    for _, answers in reversed(answer_turns(posted)):
        first = answers[0].held
        for other in answers[1:]:
            ids = {member(first, "id"), member(other.held, "id")}
            if first["name"] != other.held["name"] and len(ids) == 2 and all(ids):
                first["name"], other.held["name"] = other.held["name"], first["name"]
                return True
    return False


def _cross_and_lose(posted: Posted) -> bool:
    answers = answer_turns(posted)
    if not answers or len(answers[-1][1]) < 2 or not _cross_names(posted):
        return False
    answers[-1][1][-1].parts.pop(answers[-1][1][-1].index)
    return True


def _answer_in_another_order(posted: Posted) -> bool:
    for at, answers in answer_turns(posted):
        if len(answers) > 1:
            contents(posted)[at]["parts"].reverse()
            return True
    return False


GEM_06: Final = WireRule(
    "GEM-06",
    "The content after a turn with function calls has exactly one function response for each call: none missing, none "
    "twice, none in a content of its own.",
    "The most frequent mistake with parallel calls: clients that keep one message per result send one content per "
    "result. The refusal comes at the first turn with two calls, often long after the loop was thought to work.",
    "certain",
    (
        "https://github.com/vertesia/llumiverse/pull/620 (answers split over contents, replayed on Vertex AI with "
        "gemini-2.5-flash and gemini-3.1-flash-lite)",
        "https://github.com/cloudwego/eino-ext/issues/571",
        "https://github.com/crewAIInc/crewAI/pull/4693",
        "https://github.com/google-gemini/gemini-cli/issues/16415",
        "recordings TestGeminiNativeToolCalling.test_gemini_parallel_native_tool_calling_test_agent_kickoff and "
        "…_test_crew: a split answer that gemini-2.5-flash took at the Developer API",
    ),
    (
        verbatim(_COUNT),
        ErrorTemplate(_COUNT, certainty="likely", name="split"),
    ),
    applies="Answers that are complete but split over contents: likely (L) with Gemini 2.5 and older at the Developer "
    "API, which was recorded to take them; certain everywhere else.",
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong(
            "gem-answer-lost",
            "One of the responses is not sent.",
            _lose_an_answer,
            "two-calls steps old without-ids foreign",
        ),
        Wrong("gem-answer-twice", "A response is sent twice.", _answer_twice, "one-call steps old foreign"),
        Wrong(
            "gem-answers-split",
            "Each response is in a content of its own.",
            _answer_in_pieces,
            "two-calls old at-vertex without-ids foreign-old",
        ),
        Wrong(
            "gem-answers-split-at-vertex",
            "Each response is in a content of its own, sent to Vertex AI.",
            _answer_in_pieces_at_vertex,
            "foreign-old old",
            also=("GEM-09",),
        ),
        Wrong(
            "gem-response-crossed-and-lost",
            "A response has the name of another call, whose response is lost.",
            _cross_and_lose,
            "two-calls old",
        ),
    ),
    right=(
        Right(
            "gem-responses-reordered",
            "Responses are in another order than the calls.",
            _answer_in_another_order,
            "two-calls steps old foreign",
            also=("GEM-12",),
        ),
    ),
)


def _end_with_the_call(posted: Posted) -> bool:
    turns = call_turns(posted)
    for at, _ in turns[-1:]:
        del contents(posted)[at + 1 :]
    return bool(turns)


GEM_07: Final = WireRule(
    "GEM-07",
    "Every function call is answered before anything else is begun.",
    "After a call that was not run (the user interrupted, an approval was refused) a response that says so must be in "
    "the history, or the model reads a call without an end.",
    "likely",
    ("GEM-06, whose text it shares: no answers are fewer than calls",),
    (
        ErrorTemplate(_COUNT),
        ErrorTemplate(_COUNT, certainty="inferred", name="last"),
    ),
    applies="Calls at the end of the history, with nothing behind them: inferred (I) where the model takes a history "
    "that ends with its own turn (GEM-22).",
    about=("results",),
    needs=("ids",),
    wrong=(
        Wrong(
            "gem-call-unanswered",
            "The user speaks where the responses should be.",
            lambda it: put(last_answers(it), parts=[{"text": "Never mind."}]),
            "one-call steps old foreign",
        ),
        Wrong(
            "gem-call-last",
            "The history ends with the model's calls.",
            _end_with_the_call,
            "old two-calls without-ids foreign-old",
            also=("GEM-22",),
        ),
    ),
)


@RULES.check("turns", GEM_06, GEM_07)
def every_call_answered(request: Request) -> Found:
    """GEM-06: as many responses in the next content as calls in the turn. GEM-07: some, not none."""
    for number, (turn, after) in enumerate(pairwise((*request.history.turns, NOTHING))):
        calls, answered = turn.calls, len(after.responses)
        if not calls or len(calls) == answered:
            continue
        names = brief(", ".join(map(name_of, calls)))
        last = after is NOTHING
        where = "behind it" if last else f"in {after.at}"
        expected, got = f"{len(calls)} responses ({names}) {where}", f"{answered} responses {where}"
        if answered:
            split = "split" if _is_taken_split(request, len(calls), number + 1) else None
            yield GEM_06.broken(turn.at, template=split, expected=expected, got=got)
        elif not last or not request.fact(NO_PREFILL):
            yield GEM_07.broken(turn.at, template="last" if last else None, expected=expected, got=got)


def _is_taken_split(request: Request, calls: int, after: int) -> bool:
    """Whether it is a complete answer that is split over contents, where recordings show that this is accepted."""
    if request.vertex or request.fact(UNSPLIT_ANSWERS) is not False:
        return False
    answers = takewhile(lambda turn: turn.responses, islice(request.history.turns, after, None))
    return sum(len(turn.responses) for turn in answers) == calls


def _prefill(posted: Posted) -> bool:
    begun = {"role": "model", "parts": [{"text": "The file"}]}
    return bool(fact(posted, NO_PREFILL)) and add([posted.body], "contents", begun)


GEM_22: Final = WireRule(
    "GEM-22",
    "The last content is not the model's.",
    "A prefilled answer, a turn that is sent back to be gone on with, or a history that is saved before the results "
    "are added, is refused by newer models.",
    "certain",
    (
        "https://github.com/LibreChat-AI/agents/pull/323 (live: gemini-3.6-flash and 3.5-flash-lite 400, 3.5-flash "
        "and 2.5-flash 200)",
        "https://github.com/anomalyco/opencode/issues/47034",
        "https://github.com/pipecat-ai/pipecat/pull/5821",
        "https://ai.google.dev/gemini-api/docs/whats-new-gemini-3.6",
        "in the first weeks the text went on: … unless the last part is a function response.",
        "older models, one turn of the model alone: the text is in the code of several clients",
    ),
    (
        verbatim(_MODEL_LAST),
        verbatim(_SINGLE, certainty="likely", name="single"),
    ),
    applies="Gemini 3.5 Flash-Lite, 3.6 and later. Older models go on from their own turn, but likely (L) not where it "
    "is all that the request contains.",
    wrong=(
        Wrong("gem-prefill", "The model's answer is begun for it.", _prefill, "texts newest at-vertex foreign"),
        Wrong(
            "gem-model-turn-alone",
            "The request contains nothing but a turn of the model.",
            lambda it: put([it.body], contents=[{"role": "model", "parts": [{"text": "The file"}]}]),
            "old-pro texts foreign-old",
            says="single",
        ),
    ),
)


@RULES.check("turns", GEM_22)
def ends_with_user(request: Request) -> Found:
    """GEM-22: new models take no prefill, and older ones nothing but a prefill."""
    turns = request.history.turns
    if not turns or not turns[-1].is_model:
        return
    if request.fact(NO_PREFILL) or len(turns) == 1:
        template = None if request.fact(NO_PREFILL) else "single"
        at = place(turns[-1].last)
        yield GEM_22.broken(at, template=template, expected="a user turn at the end", got="a model turn at the end")


def _add_behind_an_answer(posted: Posted, part: Json) -> bool:
    return bool(fact(posted, NO_PREFILL)) and add(last_answers(posted), "parts", part)


def _show_in_a_response(posted: Posted) -> bool:
    found = parts(contents(posted), "functionResponse")[-1:]
    image = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    return bool(found) and settle(found[0].held, parts=[image])


GEM_23: Final = WireRule(
    "GEM-23",
    "Nothing follows the function responses of a content: what else the user says or shows comes before them or "
    "in a content of its own.",
    "Clients that put an image or a remark behind a result get an error about a model turn at the end, though the last "
    "turn is the user's.",
    "likely",
    (
        "https://github.com/deepnoodle-ai/dive/pull/287 (table of replays)",
        "https://github.com/Prism-Shadow/agenthub/pull/189 (accepted by the Developer API on 3.7)",
        "https://github.com/agentgateway/agentgateway/issues/2811",
        "https://github.com/google/oss-rebuild/pull/1559",
        "https://github.com/router-for-me/CLIProxyAPI/issues/5607 (accepted by the Developer API on 3.8)",
    ),
    (
        ErrorTemplate(_MODEL_LAST),
        verbatim(_MODEL_LAST, certainty="certain", name="vertex"),
    ),
    applies="Gemini 3.5 Flash-Lite, 3.6 and later. Certain on Vertex AI; at the Developer API reports differ.",
    about=("results",),
    wrong=(
        Wrong(
            "gem-word-behind-the-answer",
            "A text follows the responses, in their content.",
            lambda it: _add_behind_an_answer(it, {"text": "That was the file."}),
            "one-call at-vertex steps foreign",
        ),
        Wrong(
            "gem-image-behind-the-answer",
            "An image follows the responses, in their content.",
            lambda it: _add_behind_an_answer(it, {"inlineData": {"mimeType": "image/png", "data": "aGk="}}),
            "with-an-image at-vertex",
        ),
    ),
    right=(
        Right(
            "gem-word-before-the-responses",
            "A text precedes the responses, in their content.",
            lambda it: add(
                (contents(it)[at] for at, _ in answer_turns(it)), "parts", {"text": "Here is the result:"}, at=0
            ),
            "two-calls newest at-vertex old foreign",
        ),
        Right(
            "gem-image-in-a-response",
            "An image is inside of a response.",
            _show_in_a_response,
            "one-call at-vertex foreign",
        ),
    ),
)


@RULES.check("turns", GEM_23)
def nothing_after_responses(request: Request) -> Found:
    """GEM-23: a content with responses holds nothing after them. Certain on Vertex AI, reports differ elsewhere."""
    if not request.fact(NO_PREFILL):
        return
    for content in request.contents:
        last = max((at for at, part in enumerate(content.parts) if "functionResponse" in part), default=None)
        if last is not None and last + 1 < len(content.parts):
            got = f"{kind_of(content.parts[last + 1])} after a functionResponse"
            template = "vertex" if request.vertex else None
            expected = "its own user content after the responses"
            yield GEM_23.broken(place(content, last + 1), template=template, expected=expected, got=got)


# --- what Google lets pass, but a careful loop does not do -------------------------------------------------


def _reissue(posted: Posted, at: int, found: list[FoundPart]) -> None:
    for held in (answer_to_the_last(posted, at, found).held, found[-1].held):
        replace(held, "id", "toolu_01")


def _is_known_with_ids(posted: Posted) -> bool:
    """The last calls have ids, and are known by more than these: by a signature, or by a text."""
    for _, calls in call_turns(posted)[-1:]:
        known = any(part.get("thoughtSignature") or part.get("text") for part in calls[0].parts)
        return known and all(member(call.held, "id") for call in calls)
    return False


def _number_calls(posted: Posted) -> bool:
    """Give calls and responses ids of the client's own if the model gave none."""
    for at, calls in call_turns(posted):
        for number, (call, answer) in enumerate(zip(calls, answers_behind(posted, at), strict=True)):
            for held in (call.held, answer.held):
                replace(held, "id", f"pyd_ai_{at}_{number}")
    return bool(call_turns(posted))


GEM_13: Final = WireRule(
    "GEM-13",
    "A function response has the id of the call that it answers, and none where the call has none; a call goes back "
    "with the id that the model gave it. The response to a server tool's call has that call's id.",
    "With calls of one function side by side only ids say which result belongs to which call.",
    "inferred",
    (
        "https://ai.google.dev/gemini-api/docs/function-calling (since Gemini 3: always map function IDs)",
        "pydantic-ai, models/google.py: unknown ids of server tool calls are rejected",
    ),
    (
        ErrorTemplate('The function response id "{id}" does not match the id of a function call.', status=200),
        ErrorTemplate(
            "The id of the function call `{name}` is not the one that the model gave it.", status=200, name="altered"
        ),
        ErrorTemplate("Request contains an invalid argument.", certainty="likely", name="server"),
    ),
    about=("results",),
    wrong=(
        Wrong(
            "gem-response-id-lost",
            "A response has no id, though its call has one.",
            lambda it: set_held(it, "functionResponse", id=None),
            "one-call steps old foreign",
        ),
        Wrong(
            "gem-response-id-forged",
            "A response has the id of no call.",
            lambda it: set_held(it, "functionResponse", id="toolu_01"),
            "one-call steps old foreign",
        ),
        Wrong(
            "gem-call-id-altered",
            "A call and its response have an id that the model did not give.",
            lambda it: _is_known_with_ids(it) and in_the_last_turn(it, _reissue),
            "one-call two-calls old",
            says="altered",
        ),
        Wrong(
            "gem-server-id-forged",
            "What a server tool answered has the id of no call.",
            lambda it: set_held(it, "toolResponse", id="toolu_01"),
            "server-tool",
            says="server",
        ),
    ),
    right=(Right("gem-own-ids", "Calls without an id are given one.", _number_calls, "without-ids foreign"),),
)


@RULES.check("size", GEM_13)
def server_ids_match(request: Request) -> Found:
    """GEM-13: a server tool's answer comes after its call, with the call's id."""
    called: set[str] = set()
    for placed in request.history.parts:
        call, response = placed.part.get("toolCall"), placed.part.get("toolResponse")
        if isinstance(call, dict):
            called.add(str(call.get("id") or ""))
        if isinstance(response, dict) and str(response.get("id") or "") not in called:
            got = brief(response.get("id") or "no id")
            yield GEM_13.broken(placed.at, template="server", expected="the id of a toolCall before it", got=got)


GEM_12: Final = WireRule(
    "GEM-12",
    "A function response has the name of the call that it answers.",
    "No refusal is known, but without ids only the name says which call was answered: it takes one result for "
    "another's.",
    "inferred",
    (
        "242 recorded responses that were accepted, each with the name of its call; a run reports another name as "
        "history/result-name",
        "no answer of Google's is known; the texts that are often quoted (functionResponse.name … does not match "
        "functionCall.name …) come from a gateway: https://github.com/router-for-me/CLIProxyAPI/issues/5098",
    ),
    (ErrorTemplate('The function response "{name}" does not name the function that was called.', status=200),),
    about=("results",),
    wrong=(
        Wrong(
            "gem-response-renamed",
            "A response has the name of no call.",
            lambda it: set_held(it, "functionResponse", name="another_tool"),
            "one-call steps without-ids old foreign",
        ),
        Wrong(
            "gem-response-names-crossed", "Two responses have each other's name.", _cross_names, "two-calls old foreign"
        ),
    ),
)


@RULES.check("careless", GEM_12)
def names_match(request: Request) -> Found:
    """GEM-12: every response has the name of the call that it answers. A name that is missing is GEM-11's."""
    for turn, after in request.history.call_turns:
        found = [*_unmatched_responses(turn, after, "name"), *_crossed_responses(turn.calls, after.responses)]
        for placed, name, wanted in found:
            if name:
                yield GEM_12.broken(placed.at, expected=brief(wanted), got=brief(name), name=brief(name))


def _crossed_responses(calls: tuple[Placed, ...], responses: tuple[Placed, ...]) -> Iterator[tuple[Placed, str, str]]:
    """Responses with the id of one call and the name of another."""
    if len(calls) != len(responses):
        return
    named: dict[str, set[str]] = {}
    for placed in calls:
        if name_of(placed):
            named.setdefault(_member(placed, "functionCall", "id"), set()).add(name_of(placed))
    every = set().union(*named.values())
    for placed in responses:
        call_id, name = _member(placed, "functionResponse", "id"), _member(placed, "functionResponse", "name")
        if call_id and name in every and name not in named.get(call_id, every):
            yield placed, name, " or ".join(sorted(named[call_id]))


@RULES.check("careless", GEM_13)
def ids_match(request: Request) -> Found:
    """GEM-13: responses carry the ids of the calls, or none if the calls have none."""
    for turn, after in request.history.call_turns:
        for placed, response_id, wanted in _unmatched_responses(turn, after, "id"):
            got = brief(response_id or "no id")
            yield GEM_13.broken(placed.at, expected=brief(wanted), got=got, id=brief(response_id))


def _unmatched_responses(turn: TurnSpan, after: TurnSpan, member: str) -> list[tuple[Placed, str, str]]:
    """The responses whose name or id matches no remaining call of the turn, with their value and the calls' values.

    GEM-06 reports an answer of the wrong size.
    """
    calls = [_member(placed, "functionCall", member) for placed in turn.calls]
    answers = [_member(placed, "functionResponse", member) for placed in after.responses]
    if len(calls) != len(answers):
        return []
    left = Counter(calls)
    wanted = ", ".join(value or f"no {member}" for value in calls)
    strangers = []
    for placed, value in zip(after.responses, answers, strict=True):
        if left[value]:
            left[value] -= 1
        else:
            strangers.append((placed, value, wanted))
    return strangers


def _member(placed: Placed, kind: str, member: str) -> str:
    held: Json = placed.part[kind]
    return str(held.get(member) or "")
