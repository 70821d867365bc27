"""Small valid loops with Interactions: each form of a continuation, and the models that a rule depends on."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Final

from harness.wire import Call, FinishReason, IssuedState, StreamError, Text, ThinkingPart, Turn
from harness.wire.base import Json
from harness.wire.gemini_interactions.models import LISTED_RESULTS, SIGNED_CALLS
from harness.wire.gemini_interactions.rules.places import MODEL_STEPS, configure, fact, last, of_kind, spoken, steps
from harness.wire.played import PROMPT, BaseRequest
from harness.wire.posted import Posted, Right, add, drop, put
from harness.wire.turn import NativePiece

_WIRE: Final = "gemini-interactions"
_NEW: Final = "gemini-3.8-flash"
_LONGEST: Final = "gemini-4-argon"
_LIST: Final = Call("list_files", '{"path": "src"}')
_READ: Final = Call("read_file", '{"path": "src/app.py"}')

_ONE: Final = Turn((_READ,), FinishReason.TOOL_CALLS)
_TWO: Final = Turn((Text("I look. "), _LIST, _READ), FinishReason.TOOL_CALLS)
_REASONED: Final = Turn((ThinkingPart("A folder, then a file."), _LIST, _READ), FinishReason.TOOL_CALLS)
_SEARCH: Final = {"id": "7xveqyd2", "signature": "EpwC", "type": "google_search_call", "arguments": {"queries": ["a"]}}
_FOUND: Final = {"call_id": "7xveqyd2", "signature": "CqQB", "type": "google_search_result", "result": []}
_SEARCHED: Final = replace(_REASONED, natives=(NativePiece(0, _SEARCH), NativePiece(0, _FOUND)))
_OF_AN_AGENT: Final = {"id": "a0n1t2c3", "type": "function_call", "name": "list_files", "arguments": {"path": "src"}}
_RUN_BY_IT: Final = {"call_id": "a0n1t2c3", "type": "function_result", "name": "list_files", "result": "app.py"}
_COMPUTED: Final = (
    {"id": "9kqwzt1c", "type": "code_execution_call", "arguments": {"language": "python", "code": "1"}},
    {"call_id": "9kqwzt1c", "type": "code_execution_result", "result": "1"},
)
_SEARCHED_LATER: Final = replace(
    _TWO, natives=(NativePiece(2, _SEARCH), NativePiece(2, _FOUND), *(NativePiece(3, each) for each in _COMPUTED))
)
"""Steps of server tools come between the calls and after them, and not all of them are signed."""

_LISTED: Final = replace(_LIST, id="kx4b71zq", signature="c2lnbmVk")
_REPEATED: Final = Turn((_LISTED, replace(_READ, id="p0d83mva"), _LISTED), FinishReason.TOOL_CALLS)
"""A model that gives the same call twice, under one id."""

_DONE: Final = replace(_REASONED, natives=(NativePiece(0, _OF_AN_AGENT), NativePiece(0, _RUN_BY_IT)))
_PIECE: Final = Turn((Text("The file begins with a line. "),), FinishReason.PAUSE)
_FAILED: Final = Turn((Text("The file"),), error=StreamError("overloaded"))
_FAILED_SILENTLY: Final = Turn((), members={"status": "failed", "errors": [{"code": "service_unavailable"}]})
_STORED: Final[Json] = {"store": True}


def _continue_last(posted: Posted, issued: IssuedState) -> None:
    """Name the last interaction, and send only what is new."""
    if not issued.turns:
        return
    posted.body["previous_interaction_id"] = issued.turns[-1][1].id
    last = max(number for number, step in enumerate(steps(posted)) if step["type"] in MODEL_STEPS)
    del steps(posted)[: last + 1]


def _continue_and_wrap(posted: Posted, issued: IssuedState) -> None:
    _continue_last(posted, issued)
    _wrap(posted, issued)


def _wrap(posted: Posted, _: IssuedState) -> None:
    """Put adjacent results into the content of a ``user_input``, as two clients do."""
    wrapped: list[Json] = []
    for step in steps(posted):
        if step["type"] != "function_result":
            wrapped.append(step)
        elif wrapped and wrapped[-1]["type"] == "user_input" and wrapped[-1]["content"][0]["type"] == step["type"]:
            wrapped[-1]["content"].append(step)
        else:
            wrapped.append({"type": "user_input", "content": [step]})
    posted.body["input"] = wrapped


def _with_the_signature(posted: Posted, issued: IssuedState) -> None:
    """Name the last interaction, and send its thought again in front of the results, as one client does."""
    _continue_last(posted, issued)
    for step in issued.turns[-1][1].items if issued.turns else ():
        if step["type"] == "thought":
            steps(posted).insert(0, step)


def _with_search(posted: Posted, _: IssuedState) -> None:
    """Let the provider search."""
    posted.body["tools"].append({"type": "google_search"})


def _with_search_continued(posted: Posted, issued: IssuedState) -> None:
    """Let the provider search, and name the last interaction."""
    _with_search(posted, issued)
    _continue_last(posted, issued)


def _answering_once(posted: Posted, issued: IssuedState) -> None:
    """Let the provider search, and answer each id once."""
    _with_search(posted, issued)
    answered: set[str] = set()
    for step in list(steps(posted)):
        if step["type"] == "function_result" and step["call_id"] in answered:
            steps(posted).remove(step)
        answered.add(step.get("call_id", ""))


def _of_an_agent(posted: Posted, issued: IssuedState) -> None:
    """Ask an agent, which runs tools of its own, and name the last interaction."""
    _ask_the_agent(posted, issued)
    _continue_last(posted, issued)


def _ask_the_agent(posted: Posted, _: IssuedState) -> None:
    """Ask an agent, which runs tools of its own."""
    del posted.body["model"]
    posted.body["agent"] = "antigravity-preview-09-2026"


def _going_on(posted: Posted, issued: IssuedState) -> None:
    """Have a long answer continued: by its token, and by its interaction or the input that it has answered."""
    asked, reply = issued.turns[-1] if issued.turns else (None, None)
    if asked is not None and reply is not None and reply.continuation:
        posted.body["continuation_token"] = reply.continuation
        named: Json = {"previous_interaction_id": reply.id, "input": []}
        posted.body.update(named if reply.id else {"input": deepcopy(asked.body["input"])})
    elif posted.body["store"]:
        _continue_last(posted, issued)


def _asking_again(posted: Posted, issued: IssuedState) -> None:
    """Ask once more what an interaction has failed to answer. Its id is in what the user's webhook is to get."""
    asked, reply = issued.turns[-1] if issued.turns else (None, None)
    if asked is None or reply is None or reply.turn.error is None:
        _continue_last(posted, issued)
        return
    posted.body.update(
        previous_interaction_id=asked.continues,
        input=deepcopy(asked.body["input"]),
        webhook_config={"uris": ["https://example.com/"], "user_metadata": {"failed": reply.id}},
    )


ONE_CALL: Final = BaseRequest("int-one-call", _WIRE, _NEW, (_REASONED, _ONE))
TWO_CALLS: Final = BaseRequest("int-two-calls", _WIRE, _NEW, (_TWO,))
STEPS: Final = BaseRequest("int-steps", _WIRE, _NEW, (_TWO, Turn((Text("Two."),)), _ONE, _TWO))
"""Two turns of the user, two steps in the second."""

TEXTS: Final = BaseRequest("int-texts", _WIRE, _NEW, (Turn((Text("It prints a line."),)), Turn((Text("Done."),))))
OLDER: Final = BaseRequest("int-older", _WIRE, "gemini-2.5-flash", (_TWO, _ONE))
STATEFUL: Final = BaseRequest(
    "int-stateful", _WIRE, _NEW, (_REASONED, _TWO), settings=_STORED, amend=_continue_last, remembered=True
)
TEXTS_STORED: Final = BaseRequest(
    "int-texts-stored",
    _WIRE,
    _NEW,
    (Turn((Text("It prints a line."),)), Turn((Text("Done."),))),
    settings=_STORED,
    amend=_continue_last,
    remembered=True,
)
WRAPPED: Final = BaseRequest(
    "int-wrapped", _WIRE, _NEW, (_ONE, _TWO), settings=_STORED, amend=_continue_and_wrap, remembered=True
)
WRAPPED_WHOLE: Final = BaseRequest("int-wrapped-whole", _WIRE, _NEW, (_TWO, _ONE), settings=_STORED, amend=_wrap)
SIGNED: Final = BaseRequest(
    "int-signed", _WIRE, _NEW, (_REASONED, _ONE), settings=_STORED, amend=_with_the_signature, remembered=True
)
SEARCHED: Final = BaseRequest("int-searched", _WIRE, _NEW, (_SEARCHED, _ONE), amend=_with_search)
SEARCHED_OLDER: Final = BaseRequest(
    "int-searched-older",
    _WIRE,
    "gemini-2.5-flash",
    (Turn((Text("In which folder?"),)), _SEARCHED_LATER, _REPEATED),
    amend=_answering_once,
)
"""A model that need sign nothing."""

SEARCHED_STORED: Final = BaseRequest(
    "int-searched-stored",
    _WIRE,
    _NEW,
    (_SEARCHED_LATER,),
    settings=_STORED,
    amend=_with_search_continued,
    remembered=True,
)
LONG: Final = BaseRequest("int-long", _WIRE, _LONGEST, (_ONE, _PIECE), amend=_going_on)
"""The last request has an answer continued."""

LONG_STORED: Final = BaseRequest(
    "int-long-stored", _WIRE, _LONGEST, (_ONE, _PIECE, _PIECE), settings=_STORED, amend=_going_on, remembered=True
)
AGAIN: Final = BaseRequest(
    "int-again", _WIRE, _NEW, (_ONE, _FAILED), settings=_STORED, amend=_asking_again, remembered=True
)
SILENT: Final = BaseRequest(
    "int-failed-silently",
    _WIRE,
    _NEW,
    (_ONE, _ONE, _FAILED_SILENTLY),
    settings=_STORED,
    prompt=PROMPT[1:],
    follow_ups=("And quickly.",),
    amend=_asking_again,
    remembered=True,
)
"""Asks once more what an interaction without a step has failed to answer; no instructions were ever sent."""

AGENT: Final = BaseRequest(
    "int-history-of-an-agent", _WIRE, _NEW, (_DONE,), settings=_STORED, amend=_of_an_agent, remembered=True
)
"""An agent that has run a tool of its own, and calls two of the client's."""

AGENT_WHOLE: Final = BaseRequest("int-history-of-an-agent-whole", _WIRE, _NEW, (_DONE, _ONE), amend=_ask_the_agent)
FOREIGN: Final = BaseRequest("int-foreign", _WIRE, _NEW, (_REASONED, _ONE), foreign=True)

BASE_REQUESTS: Final = (
    *(ONE_CALL, TWO_CALLS, STEPS, TEXTS, OLDER, STATEFUL, TEXTS_STORED, WRAPPED, WRAPPED_WHOLE, SIGNED, SEARCHED),
    *(SEARCHED_OLDER, SEARCHED_STORED, SILENT, LONG, LONG_STORED, AGAIN, AGENT, AGENT_WHOLE, FOREIGN),
)


# --- changes that no rule is about -----------------------------------------------------------------------------


def _wrap_each_result(posted: Posted) -> bool:
    at = [number for number, step in enumerate(steps(posted)) if step["type"] == "function_result"]
    for number in at:
        steps(posted)[number] = {"type": "user_input", "content": [steps(posted)[number]]}
    return bool(at)


def _exchange_the_results(posted: Posted) -> bool:
    at = [number for number, step in enumerate(steps(posted)) if step["type"] == "function_result"]
    if len(at) < 2 or at[-1] != at[-2] + 1:
        return False
    steps(posted)[at[-2]], steps(posted)[at[-1]] = steps(posted)[at[-1]], steps(posted)[at[-2]]
    return True


def _say(posted: Posted, *texts: str) -> bool:
    return add([posted.body], "input", *map(spoken, texts))


def _speak_in_a_text(posted: Posted) -> bool:
    step = steps(posted)[0]
    if len(steps(posted)) != 1 or step["type"] != "user_input" or step["content"][0]["type"] != "text":
        return False
    return put([posted.body], input=step["content"][0]["text"])


def _speak_in_contents(posted: Posted) -> bool:
    for number, step in enumerate(steps(posted)):
        if step["type"] == "user_input" and step["content"][0]["type"] == "text":
            steps(posted)[number : number + 1] = step["content"]
            return True
    return False


def _note_a_call(posted: Posted) -> bool:
    """A text of nobody's has the id of the call which the stored interaction waits for."""
    words = {"content": [{"type": "text", "text": "I have looked."}]}
    notes = [{"type": "model_output", "id": each["call_id"], **words} for each in last(posted, "function_result")]
    return bool(notes) and add([posted.body], "input", *notes, at=0)


def _invent_an_answer(posted: Posted) -> bool:
    words = {"type": "model_output", "content": [{"type": "text", "text": "Acknowledged."}]}
    return "previous_interaction_id" not in posted.body and add([posted.body], "input", words, spoken("Well?"), at=1)


def _ask_an_agent(posted: Posted) -> bool:
    return drop([posted.body], "model") and put([posted.body], agent="antigravity-preview-09-2026")


_PICTURE: Final = (
    {"type": "text", "text": "a plot"},
    {"type": "image", "mime_type": "image/png", "data": "iVBORw0KGgo="},
)

HARMLESS: Final = (
    Right(
        "int-results-wrapped",
        "Results are in a user_input.",
        _wrap_each_result,
        "one-call two-calls stateful steps foreign",
    ),
    Right(
        "int-failed",
        "A tool has failed.",
        lambda it: put(last(it, "function_result"), is_error=True),
        "one-call stateful wrapped",
    ),
    Right(
        "int-result-object",
        "A result is an object.",
        lambda it: [put([each], result={"sum": 18.0}) for each in of_kind(it, "function_result")],
        "one-call wrapped older wrapped-whole",
    ),
    Right(
        "int-result-picture",
        "A result has a picture.",
        lambda it: fact(it, LISTED_RESULTS) is not False and put(last(it, "function_result"), result=list(_PICTURE)),
        "one-call signed",
    ),
    Right("int-results-exchanged", "Results come as the tools are done.", _exchange_the_results, "two-calls stateful"),
    Right(
        "int-speech-behind",
        "The user speaks behind the results.",
        lambda it: _say(it, "And quickly."),
        "two-calls stateful",
    ),
    Right(
        "int-speech-twice",
        "The user speaks twice behind the results.",
        lambda it: _say(it, "And quickly.", "And quickly."),
        "two-calls stateful",
    ),
    Right(
        "int-quoted",
        "The user says what the model has words.",
        lambda it: add(
            [it.body], "input", {"type": "user_input", "content": [{"text": "It prints a line.", "type": "text"}]}
        ),
        "texts-stored",
    ),
    Right("int-call-noted", "A text has the id of a stored call.", _note_a_call, "stateful"),
    Right(
        "int-older-unsigned",
        "An older model's calls lose their signatures.",
        lambda it: not fact(it, SIGNED_CALLS) and drop(of_kind(it, "function_call"), "signature"),
        "searched-older",
    ),
    Right("int-input-text", "The input is a text.", _speak_in_a_text, "texts-stored"),
    Right("int-input-contents", "The input has contents.", _speak_in_contents, "texts steps"),
    Right("int-foreign-answer", "An answer is nobody's.", _invent_an_answer, "texts one-call searched"),
    Right("int-top-k", "A setting is unknown to the types.", lambda it: configure(it, top_k=1), "texts"),
    Right("int-no-settings", "Nothing is set.", lambda it: drop([it.body], "generation_config"), "stateful one-call"),
    Right("int-agent", "An agent is asked.", _ask_an_agent, "texts"),
    Right(
        "int-one-tool-allowed",
        "One tool is allowed.",
        lambda it: configure(it, tool_choice={"allowed_tools": {"mode": "validated", "tools": ["read_file"]}}),
        "one-call",
    ),
)
"""What is accepted, though one could think otherwise. Most of it was recorded, or is what clients send."""
