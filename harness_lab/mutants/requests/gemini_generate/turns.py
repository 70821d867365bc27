"""Contents, roles and turns in the wrong place: GEM-01 to 07, 22 and 23."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from harness.wire.base import Json
from harness.wire.gemini_generate.models import NO_PREFILL
from harness.wire.posted import Posted
from harness_lab.mutants.requests.gemini_generate.base_requests import (
    AT_VERTEX,
    FOREIGN,
    FOREIGN_OLD,
    NEWEST,
    OLD,
    OLD_PRO,
    ONE_CALL,
    STEPS,
    TEXTS,
    TWO_CALLS,
    WITH_AN_IMAGE,
    WITHOUT_IDS,
)
from harness_lab.mutants.requests.gemini_generate.finding import (
    answer_turns,
    call_turns,
    contents,
    fact,
)
from harness_lab.mutants.requests.mutant import RequestMutant

_IMAGE: Final = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}


def _user(*parts: Json) -> Json:
    return {"role": "user", "parts": list(parts)}


def empty_the_contents(posted: Posted) -> bool:
    """Send no contents."""
    posted.body["contents"] = []
    return True


def leave_the_contents_out(posted: Posted) -> bool:
    """Remove the member ``contents``."""
    del posted.body["contents"]
    return True


def empty_a_content(posted: Posted) -> bool:
    """Empty the parts of the last content."""
    contents(posted)[-1]["parts"] = []
    return True


def empty_the_models_content(posted: Posted) -> bool:
    """Empty the parts of a content of the model."""
    return _with_the_models(posted, lambda content: content.update(parts=[]))


def call_the_model_assistant(posted: Posted) -> bool:
    """Give a content of the model the role ``assistant``, as other providers have it."""
    return _with_the_models(posted, lambda content: content.update(role="assistant"))


def _with_the_models(posted: Posted, change: Callable[[Json], None]) -> bool:
    """Change the model's last content."""
    of_the_model = [content for content in contents(posted) if content.get("role") == "model"]
    for content in of_the_model[-1:]:
        change(content)
    return bool(of_the_model)


def call_the_user_tool(posted: Posted) -> bool:
    """Give the last content the role ``tool``, as other providers have it."""
    contents(posted)[-1]["role"] = "tool"
    return True


def begin_with_a_call(posted: Posted) -> bool:
    """Remove everything in front of the last calls, so that no user's turn precedes them."""
    turns = call_turns(posted)
    if turns:
        del contents(posted)[: turns[-1][0]]
    return bool(turns)


def forget_the_call_turn(posted: Posted) -> bool:
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


def answer_as_the_model(posted: Posted) -> bool:
    """Send the last responses under the role ``model``."""
    answers = answer_turns(posted)
    for at, _ in answers[-1:]:
        contents(posted)[at]["role"] = "model"
    return bool(answers)


def speak_before_the_answer(posted: Posted) -> bool:
    """Insert a content of the user between calls and responses."""
    answers = answer_turns(posted)
    for at, _ in answers[-1:]:
        contents(posted).insert(at, _user({"text": "One moment."}))
    return bool(answers)


def speak_instead_of_the_answer(posted: Posted) -> bool:
    """Replace the last responses by a text."""
    answers = answer_turns(posted)
    for at, _ in answers[-1:]:
        contents(posted)[at]["parts"] = [{"text": "Never mind."}]
    return bool(answers)


def end_with_the_call(posted: Posted) -> bool:
    """Remove everything behind the last calls."""
    turns = call_turns(posted)
    for at, _ in turns[-1:]:
        del contents(posted)[at + 1 :]
    return bool(turns)


def lose_an_answer(posted: Posted) -> bool:
    """One of several; to lose the only one leaves a content without parts."""
    for at, answers in reversed(answer_turns(posted)):
        if len(answers) > 1:
            del contents(posted)[at]["parts"][answers[-1].index]
            return True
    return False


def answer_twice(posted: Posted) -> bool:
    """Send the last response twice."""
    answers = answer_turns(posted)
    for at, found in answers[-1:]:
        contents(posted)[at]["parts"].insert(found[-1].index, found[-1].part)
    return bool(answers)


def answer_in_pieces(posted: Posted) -> bool:
    """A content for each response."""
    for at, answers in reversed(answer_turns(posted)):
        if len(answers) > 1:
            contents(posted)[at : at + 1] = [_user(answer.part) for answer in answers]
            return True
    return False


def answer_in_pieces_at_vertex(posted: Posted) -> bool:
    """The same, to Vertex AI."""
    posted.path = posted.path.replace("/v1/models/", "/v1/projects/p/locations/global/publishers/google/models/")
    return answer_in_pieces(posted)


def prefill(posted: Posted) -> bool:
    """End the contents with a beginning of the answer, for a model that accepts none."""
    if not fact(posted, NO_PREFILL):
        return False
    contents(posted).append({"role": "model", "parts": [{"text": "The file"}]})
    return True


def ask_with_a_model_turn_alone(posted: Posted) -> bool:
    """Send one content, which is the model's."""
    posted.body["contents"] = [{"role": "model", "parts": [{"text": "The file"}]}]
    return True


def _add_behind_an_answer(posted: Posted, part: Json) -> bool:
    answers = answer_turns(posted)
    if not answers or not fact(posted, NO_PREFILL):
        return False
    contents(posted)[answers[-1][0]]["parts"].append(part)
    return True


def speak_behind_an_answer(posted: Posted) -> bool:
    """Append a text behind the responses."""
    return _add_behind_an_answer(posted, {"text": "That was the file."})


def show_behind_an_answer(posted: Posted) -> bool:
    """Append an image behind the responses."""
    return _add_behind_an_answer(posted, dict(_IMAGE))


TURNS: Final = (
    RequestMutant("gem-contents-empty", "The history is empty.", ("GEM-01",), empty_the_contents, (ONE_CALL, FOREIGN)),
    RequestMutant("gem-contents-missing", "The history is left out.", ("GEM-01",), leave_the_contents_out, (TEXTS,)),
    RequestMutant(
        "gem-content-empty", "The last content has no parts.", ("GEM-02",), empty_a_content, (TEXTS, TWO_CALLS)
    ),
    RequestMutant(
        "gem-model-content-empty",
        "The model's turn goes back without its parts.",
        ("GEM-02",),
        empty_the_models_content,
        (TEXTS, STEPS, FOREIGN),
    ),
    RequestMutant(
        "gem-role-assistant",
        "The model's turn has the role that other APIs give it.",
        ("GEM-03",),
        call_the_model_assistant,
        (OLD, ONE_CALL, AT_VERTEX, FOREIGN),
    ),
    RequestMutant(
        "gem-role-tool",
        "The last content has role tool.",
        ("GEM-03",),
        call_the_user_tool,
        (ONE_CALL, OLD, AT_VERTEX, TEXTS),
    ),
    RequestMutant(
        "gem-prompt-lost",
        "The history is cut in front of the last call.",
        ("GEM-04",),
        begin_with_a_call,
        (ONE_CALL, STEPS, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-call-turn-lost",
        "The model's turn with the calls is not sent back.",
        ("GEM-05",),
        forget_the_call_turn,
        (ONE_CALL, STEPS, OLD, FOREIGN, FOREIGN_OLD),
    ),
    RequestMutant(
        "gem-answers-of-the-model",
        "The responses have the model's role.",
        ("GEM-05",),
        answer_as_the_model,
        (TWO_CALLS, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-word-before-the-answer",
        "The user speaks between the calls and their responses.",
        ("GEM-05", "GEM-07"),
        speak_before_the_answer,
        (TWO_CALLS, STEPS, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-call-unanswered",
        "The user speaks where the responses should be.",
        ("GEM-07",),
        speak_instead_of_the_answer,
        (ONE_CALL, STEPS, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-call-last",
        "The history ends with the model's calls.",
        ("GEM-07", "GEM-22"),
        end_with_the_call,
        (OLD, TWO_CALLS, WITHOUT_IDS, FOREIGN_OLD),
    ),
    RequestMutant(
        "gem-answer-lost",
        "One of the responses is not sent.",
        ("GEM-06",),
        lose_an_answer,
        (TWO_CALLS, STEPS, OLD, WITHOUT_IDS, FOREIGN),
    ),
    RequestMutant(
        "gem-answer-twice",
        "A response is sent twice.",
        ("GEM-06",),
        answer_twice,
        (ONE_CALL, STEPS, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-answers-split",
        "Each response is in a content of its own.",
        ("GEM-06",),
        answer_in_pieces,
        (TWO_CALLS, OLD, AT_VERTEX, WITHOUT_IDS, FOREIGN_OLD),
    ),
    RequestMutant(
        "gem-answers-split-at-vertex",
        "Each response is in a content of its own, sent to Vertex AI.",
        ("GEM-06", "GEM-09"),
        answer_in_pieces_at_vertex,
        (FOREIGN_OLD, OLD),
    ),
    RequestMutant(
        "gem-prefill", "The model's answer is begun for it.", ("GEM-22",), prefill, (TEXTS, NEWEST, AT_VERTEX, FOREIGN)
    ),
    RequestMutant(
        "gem-model-turn-alone",
        "The request contains nothing but a turn of the model.",
        ("GEM-22",),
        ask_with_a_model_turn_alone,
        (OLD_PRO, TEXTS, FOREIGN_OLD),
    ),
    RequestMutant(
        "gem-word-behind-the-answer",
        "A text follows the responses, in their content.",
        ("GEM-23",),
        speak_behind_an_answer,
        (ONE_CALL, AT_VERTEX, STEPS, FOREIGN),
    ),
    RequestMutant(
        "gem-image-behind-the-answer",
        "An image follows the responses, in their content.",
        ("GEM-23",),
        show_behind_an_answer,
        (WITH_AN_IMAGE, AT_VERTEX),
    ),
)
