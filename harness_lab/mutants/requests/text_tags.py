"""Requests of the text protocol, broken on purpose: words, results and demands."""

from __future__ import annotations

import re
from typing import Any, Final

from harness.wire import Call, FinishReason, Text, ThinkingPart, Turn
from harness.wire.base import Json
from harness.wire.lenient import string
from harness.wire.played import BaseRequest
from harness.wire.posted import Edit, Posted
from harness.wire.text_tags.prompt import ANSWER_NOW
from harness.wire.text_tags.results import HEADER
from harness.wire.text_tags.tags import Tag
from harness_lab.mutants.requests.mutant import EquivalentRequest, RequestMutant

_LIST: Final = Call("list_files", '{"path": "src"}')
_READ: Final = Call("read_file", '{"path": "src/app.py"}')


def _of(name: str, *turns: Turn, **members: Any) -> BaseRequest:
    return BaseRequest(f"tags-{name}", "text-tags", "llama-3.2-3b-instruct", turns, **members)


def _calls(*parts: Any) -> Turn:
    return Turn(parts, FinishReason.TOOL_CALLS)


ONE_CALL: Final = _of("one-call", _calls(_READ))
THREE_CALLS: Final = _of("three-calls", _calls(ThinkingPart("Both."), Text("I look."), _LIST, _READ, _LIST))
TURNS: Final = _of(
    "turns", _calls(_LIST), Turn((Text("Shall I go on?"),)), _calls(ThinkingPart("There."), _READ, _LIST)
)
DEMANDED: Final = _of("demanded", _calls(_READ, _LIST), follow_ups=("Look: a map.", ANSWER_NOW))

BASE_REQUESTS: Final = (ONE_CALL, THREE_CALLS, TURNS, DEMANDED)


# --- places ---------------------------------------------------------------------------------------------------


def _messages(posted: Posted) -> list[Json]:
    found: list[Json] = posted.body["messages"]
    return found


def _results(posted: Posted) -> list[int]:
    """Where messages of results stand."""
    contents = [string(message["content"]) for message in _messages(posted)]
    return [at for at, content in enumerate(contents) if content.startswith(f"{HEADER}\n\n[")]


def _entries(posted: Posted, at: int) -> list[str]:
    return str(_messages(posted)[at]["content"]).split("\n\n[")[1:]


def _name(entry: str) -> str:
    return entry.split("]", 1)[0]


def _write(posted: Posted, at: int, entries: list[str]) -> None:
    _messages(posted)[at]["content"] = HEADER + "".join(f"\n\n[{entry}" for entry in entries)


def _user(text: str) -> Json:
    return {"role": "user", "content": text}


# --- the model's words ----------------------------------------------------------------------------------------


def _reworded(posted: Posted, pattern: str, new: str) -> bool:
    """The first of the model's messages that changes."""
    for at in _results(posted):
        follow_ups = _messages(posted)[at - 1]
        words = re.sub(pattern, new, follow_ups["content"], flags=re.DOTALL)
        if words != follow_ups["content"]:
            follow_ups["content"] = words
            return True
    return False


def strip_thinking(posted: Posted) -> bool:
    """The model's message goes back without its thinking."""
    return _reworded(posted, f"{Tag.THINK}.*?{Tag.THINK_END}", "")


def strip_calls(posted: Posted) -> bool:
    """The model's message goes back as the user saw it, without its calls."""
    return _reworded(posted, f"{Tag.CALL}.*?{Tag.CALL_END}", "")


def tidy_arguments(posted: Posted) -> bool:
    """The arguments of a call are written anew."""
    return _reworded(posted, '"path": ', '"path":')


def forget_the_calls(posted: Posted) -> bool:
    """The results are sent without the message with the calls."""
    found = [at for at in _results(posted) if _messages(posted)[at - 1]["role"] == "assistant"]
    if found:
        del _messages(posted)[found[-1] - 1]
    return bool(found)


# --- where results stand --------------------------------------------------------------------------------------


def forget_results(posted: Posted) -> bool:
    """The results are not sent."""
    found = _results(posted)
    if found:
        del _messages(posted)[found[-1]]
    return bool(found)


def speak_before_results(posted: Posted) -> bool:
    """A user message stands between calls and results."""
    found = _results(posted)
    if found:
        _messages(posted).insert(found[0], _user("Look: a map."))
    return bool(found)


def send_pieces(posted: Posted) -> bool:
    """Each result is a message of its own."""
    several = [at for at in _results(posted) if len(_entries(posted, at)) > 1]
    if not several:
        return False
    pieces = [_user(f"{HEADER}\n\n[{entry}") for entry in _entries(posted, several[0])]
    _messages(posted)[several[0] : several[0] + 1] = pieces
    return True


def answer_what_nobody_asked(posted: Posted) -> bool:
    """Results follow a message that called nothing."""
    for at, message in enumerate(_messages(posted)[1:], 1):
        before = _messages(posted)[at - 1]
        if message["content"] == "Go on." and before["role"] == "assistant":
            message["content"] = f"{HEADER}\n\n[read_file] ok"
            return True
    return False


# --- what they say --------------------------------------------------------------------------------------------


def forget_a_result(posted: Posted) -> bool:
    """One of several results is missing."""
    several = [at for at in _results(posted) if len(_entries(posted, at)) > 1]
    if several:
        _write(posted, several[-1], _entries(posted, several[-1])[:-1])
    return bool(several)


def reorder_results(posted: Posted) -> bool:
    """The results come in the order in which they were ready."""
    for at in _results(posted):
        entries = _entries(posted, at)
        turned = [*entries[1:], entries[0]]
        if [*map(_name, turned)] != [*map(_name, entries)]:
            _write(posted, at, turned)
            return True
    return False


def rename_a_result(posted: Posted) -> bool:
    """A result has the name of a tool that was not called."""
    found = _results(posted)
    if found:
        entries = _entries(posted, found[-1])
        _write(posted, found[-1], ["shell] ok", *entries[1:]])
    return bool(found)


def quote_a_result(posted: Posted) -> bool:
    """A result quotes one that looks like another."""
    found = _results(posted)
    if found:
        entries = _entries(posted, found[-1])
        _write(posted, found[-1], [*entries, f"{_name(entries[0])}] again"])
    return bool(found)


# --- native tools ---------------------------------------------------------------------------------------------


def declare_tools(posted: Posted) -> bool:
    """Tools are declared as for a model with function calling."""
    function = {"name": "read_file", "description": "Reads a file.", "parameters": {"type": "object", "properties": {}}}
    posted.body["tools"] = [{"type": "function", "function": function}]
    return True


def declare_functions(posted: Posted) -> bool:
    """Functions are declared as they were before there were tools."""
    posted.body["functions"] = [{"name": "read_file", "parameters": {"type": "object", "properties": {}}}]
    return True


def answer_natively(posted: Posted) -> bool:
    """A call and its result are native."""
    found = _results(posted)
    if found:
        call = {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
        _messages(posted)[found[-1] - 1]["tool_calls"] = [call]
        _messages(posted)[found[-1]] = {"role": "tool", "tool_call_id": "call_1", "content": "ok"}
    return bool(found)


# --- the demand -----------------------------------------------------------------------------------------------


def demand_inside(posted: Posted) -> bool:
    """The demand for an answer stands in the message with the results."""
    found = _results(posted)
    if found:
        _messages(posted)[found[-1]]["content"] += f"\n\n{ANSWER_NOW}"
    return bool(found)


def demand_before(posted: Posted) -> bool:
    """The demand for an answer stands in front of the results."""
    found = _results(posted)
    if found:
        _messages(posted).insert(found[-1], _user(ANSWER_NOW))
    return bool(found)


def _mutant(name: str, edit: Edit, rules: tuple[str, ...], *base_requests: BaseRequest) -> RequestMutant:
    return RequestMutant(f"tags-{name}", edit.__doc__ or "", rules, edit, base_requests)


MUTANTS: Final = (
    _mutant("thinking-stripped", strip_thinking, ("TAG-01",), THREE_CALLS, TURNS),
    _mutant("calls-stripped", strip_calls, ("TAG-01",), ONE_CALL, THREE_CALLS, TURNS),
    _mutant("arguments-tidied", tidy_arguments, ("TAG-01",), ONE_CALL, THREE_CALLS),
    _mutant("calls-forgotten", forget_the_calls, ("TAG-01",), ONE_CALL, TURNS),
    _mutant("results-forgotten", forget_results, ("TAG-02",), ONE_CALL, TURNS, DEMANDED),
    _mutant("speech-before-results", speak_before_results, ("TAG-02",), ONE_CALL, TURNS),
    _mutant("results-in-pieces", send_pieces, ("TAG-02", "TAG-03", "TAG-01"), THREE_CALLS, DEMANDED),
    _mutant("results-uncalled", answer_what_nobody_asked, ("TAG-02",), TURNS),
    _mutant("result-forgotten", forget_a_result, ("TAG-03",), THREE_CALLS, TURNS),
    _mutant("results-reordered", reorder_results, ("TAG-03", "TAG-04"), THREE_CALLS, DEMANDED),
    _mutant("result-renamed", rename_a_result, ("TAG-03",), ONE_CALL, TURNS),
    _mutant("result-quoted", quote_a_result, ("TAG-04",), ONE_CALL, THREE_CALLS),
    _mutant("tools-declared", declare_tools, ("TAG-05",), ONE_CALL),
    _mutant("functions-declared", declare_functions, ("TAG-05",), ONE_CALL),
    _mutant("calls-native", answer_natively, ("TAG-05",), ONE_CALL, TURNS),
    _mutant("demand-inside", demand_inside, ("TAG-06",), ONE_CALL, TURNS),
    _mutant("demand-before", demand_before, ("TAG-06", "TAG-02"), ONE_CALL, TURNS),
)


# --- what breaks nothing --------------------------------------------------------------------------------------


def speak_behind_results(posted: Posted) -> bool:
    """The user says something behind the results."""
    found = _results(posted)
    if found:
        _messages(posted).insert(found[-1] + 1, _user("Look: a map."))
    return bool(found)


def demand_behind(posted: Posted) -> bool:
    """The demand for an answer is the last message."""
    _messages(posted).append(_user(ANSWER_NOW))
    return True


def list_the_words(posted: Posted) -> bool:
    """The model's words are a list of one text part."""
    found = _results(posted)
    for at in found:
        follow_ups = _messages(posted)[at - 1]
        follow_ups["content"] = [{"type": "text", "text": follow_ups["content"]}]
    return bool(found)


def instruct_anew(posted: Posted) -> bool:
    """The system prompt is another one."""
    _messages(posted)[0]["content"] = "You answer in one word."
    return True


def quote_the_header(posted: Posted) -> bool:
    """A result says something in brackets that is no tool's name."""
    found = _results(posted)
    if found:
        _messages(posted)[found[-1]]["content"] += "\n\n[1] a footnote"
    return bool(found)


def _equivalent(name: str, edit: Edit, allows: tuple[str, ...], *base_requests: BaseRequest) -> EquivalentRequest:
    return EquivalentRequest(f"tags-{name}", edit.__doc__ or "", allows, edit, base_requests)


EQUIVALENTS: Final = (
    _equivalent("speech-behind-results", speak_behind_results, ("TAG-02",), ONE_CALL, TURNS),
    _equivalent("demand-behind", demand_behind, ("TAG-06",), ONE_CALL, THREE_CALLS),
    _equivalent("words-listed", list_the_words, ("TAG-01",), ONE_CALL, TURNS),
    _equivalent("system-anew", instruct_anew, ("TAG-01",), ONE_CALL),
    _equivalent("footnote", quote_the_header, ("TAG-04",), THREE_CALLS),
)
