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
from harness.wire.gemini_generate.rules.request import Found, Request, brief
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
)


@RULES.check("turns", GEM_04)
def calls_follow_someone(request: Request) -> Found:
    """GEM-04: a turn that calls comes after a user or a function response turn, so it is never the first."""
    first = (*request.history.turns, NOTHING)[0]
    if first.calls:
        yield GEM_04.broken(first.at, expected="a user turn first", got="a function call turn first")


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
)

GEM_07: Final = WireRule(
    "GEM-07",
    "Every function call is answered before anything else is said.",
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
    """A complete answer that is split over contents, where such have been recorded to be taken."""
    if request.vertex or request.fact(UNSPLIT_ANSWERS) is not False:
        return False
    answers = takewhile(lambda turn: turn.responses, islice(request.history.turns, after, None))
    return sum(len(turn.responses) for turn in answers) == calls


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
)


@RULES.check("size", GEM_13)
def server_ids_match(request: Request) -> Found:
    """GEM-13: what a server tool answered stands behind its call, with the call's id."""
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
)


@RULES.check("careless", GEM_12)
def names_match(request: Request) -> Found:
    """GEM-12: every response has the name of the call that it answers. A name that is missing is GEM-11's."""
    for turn, after in request.history.call_turns:
        found = [*_unmatched(turn, after, "name"), *_crossed(turn.calls, after.responses)]
        for placed, name, wanted in found:
            if name:
                yield GEM_12.broken(placed.at, expected=brief(wanted), got=brief(name), name=brief(name))


def _crossed(calls: tuple[Placed, ...], responses: tuple[Placed, ...]) -> Iterator[tuple[Placed, str, str]]:
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
    """GEM-13: responses carry the ids of the calls, and none where the calls have none."""
    for turn, after in request.history.call_turns:
        for placed, response_id, wanted in _unmatched(turn, after, "id"):
            got = brief(response_id or "no id")
            yield GEM_13.broken(placed.at, expected=brief(wanted), got=got, id=brief(response_id))


def _unmatched(turn: TurnSpan, after: TurnSpan, member: str) -> list[tuple[Placed, str, str]]:
    """The responses whose name or id no call of the turn has left, with theirs and the calls' own.

    An answer of the wrong size is GEM-06's.
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
