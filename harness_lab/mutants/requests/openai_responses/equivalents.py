"""Changes that break nothing, though one could think so: shapes that the provider is recorded to accept."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from harness.wire.base import Json
from harness.wire.played import BaseRequest
from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.mutant import EquivalentRequest
from harness_lab.mutants.requests.openai_responses.base_requests import (
    ANSWERED,
    BUILT_IN,
    CUSTOM,
    DECLARED,
    DEEPSEEK,
    FOREIGN,
    NAMED,
    ONE_CALL,
    PARALLEL,
    PLAIN,
    REFERENCES,
    SEVERAL,
    STORED,
    STRICT,
    THREAD,
)
from harness_lab.mutants.requests.openai_responses.places import (
    CALLS,
    OUTPUTS,
    answered_calls,
    functions,
    items,
    kind_of,
    last,
    messages,
    names_its_history,
    places,
)


def _each(change: Callable[[Json], bool], *kinds: str) -> Edit:
    """A change of every item of some kinds."""

    def edit(posted: Posted) -> bool:
        changed = [change(items(posted)[place]) for place in places(posted, *kinds)]
        return any(changed)

    return edit


def _without(member: str, *kinds: str) -> Edit:
    return _each(lambda item: item.pop(member, None) is not None, *kinds)


def _set(**members: Any) -> Edit:
    """Members that the request leaves out."""

    def edit(posted: Posted) -> bool:
        new = {name: value for name, value in members.items() if posted.body.get(name) is None}
        posted.body.update(new)
        return bool(new)

    return edit


def drop_all_ids(posted: Posted) -> bool:
    """Remove the ids of all items; references keep theirs."""
    dropped = [item.pop("id", None) for item in items(posted) if kind_of(item) != "item_reference"]
    return any(dropped)


def drop_reasoning_and_ids(posted: Posted) -> bool:
    """Remove all reasoning, and the ids of the items that it belonged to."""
    found = places(posted, "reasoning")
    for place in reversed(found):
        del items(posted)[place]
    return bool(found) and drop_all_ids(posted)


def answer_each_call_at_once(posted: Posted) -> bool:
    """Move the result of each call directly behind it."""
    pairs = [*answered_calls(posted)]
    if len(pairs) < 2:
        return False
    history = items(posted)
    behind = {id(history[call]): history[output] for call, output in pairs}
    outputs = {id(output) for output in behind.values()}
    parted: list[Json] = []
    for item in [item for item in history if id(item) not in outputs]:
        parted += [item, *([behind[id(item)]] if id(item) in behind else [])]
    posted.body["input"] = parted
    return True


def answer_in_another_order(posted: Posted) -> bool:
    """Exchange two results that follow each other."""
    found = places(posted, *OUTPUTS)
    side = next((place for place in found if place + 1 in found), None)
    if side is None:
        return False
    history = items(posted)
    history[side], history[side + 1] = history[side + 1], history[side]
    return True


def serialise_arguments_anew(posted: Posted) -> bool:
    """Write the arguments of every call as JSON without spaces."""

    def change(item: Json) -> bool:
        try:
            item["arguments"] = json.dumps(json.loads(item["arguments"]), separators=(",", ":"))
        except ValueError:
            return False  # the model may write what is no JSON, and it goes back as it came
        return True

    return bool(_each(change, "function_call")(posted))


def return_parts(posted: Posted) -> bool:
    """Send every result as a list of parts in the place of a text."""

    def change(item: Json) -> bool:
        if isinstance(item.get("output"), str):
            item["output"] = [{"type": "input_text", "text": item["output"]}]
        return True

    return bool(_each(change, *OUTPUTS)(posted))


def edit_an_answer_under_its_id(posted: Posted) -> bool:
    """Change the text of an answer, and keep the id of its item."""
    for item in messages(posted, "assistant"):
        if item.get("id"):
            item["content"] = [{"type": "output_text", "text": "Edited by the user.", "annotations": []}]
            return True
    return False


def _adding(*more: Json, front: bool = False) -> Edit:
    def edit(posted: Posted) -> bool:
        added = deepcopy(list(more))
        if front:
            items(posted)[:0] = added
        else:
            items(posted).extend(added)
        return bool(items(posted))

    return edit


def bring_a_foreign_history(posted: Posted) -> bool:
    """Ids of another account are accepted, as long as nothing asks for what only that account could read."""
    if names_its_history(posted) or posted.body.get("store") is False:
        return False
    call = {"type": "function_call", "id": "fc_of_others", "call_id": "call_f", "name": "list_files", "arguments": "{}"}
    return bool(
        _adding(call, {"type": "function_call_output", "call_id": "call_f", "output": "ok"}, front=True)(posted)
    )


def add_a_part_of_the_future(posted: Posted) -> bool:
    """Send a result with a part of a kind that is not known yet."""
    item = last(posted, *OUTPUTS)
    if item is None:
        return False
    item["output"] = [{"type": "input_hologram", "hologram": {}}]
    return True


def close_a_strict_schema(posted: Posted) -> bool:
    """Declare every tool as strict, with a schema that meets the conditions for it."""
    for tool in functions(posted):
        tool["strict"] = True
        tool["parameters"] = {
            "type": "object",
            "properties": {"edits": {"type": "array", "items": {"type": "string"}}},
            "required": ["edits"],
            "additionalProperties": False,
        }
        return True
    return False


def null_a_status(posted: Posted) -> bool:
    """Send null as the status of the last call."""
    item = last(posted, *CALLS)
    if item is None:
        return False
    item["status"] = None
    return kind_of(item) in CALLS


def _on(model: str, effort: str | None = None, **members: Any) -> Edit:
    """The request goes to another model, with these settings."""

    def edit(posted: Posted) -> bool:
        posted.body["model"] = model
        posted.body.pop("reasoning", None)
        posted.body.update({"reasoning": {"effort": effort}} if effort else {}, **members)
        return True

    return edit


def drop_stored_content(posted: Posted) -> bool:
    """Remove the encrypted content of reasoning that the provider has stored."""
    return posted.body.get("store") is not False and _without("encrypted_content", "reasoning")(posted)


def drop_content_stored_before(posted: Posted) -> bool:
    """Remove the encrypted content of stored reasoning from a request that itself is not to be stored."""
    if not drop_stored_content(posted):
        return False
    posted.body["store"] = False
    return True


def split_the_question(posted: Posted) -> bool:
    """Send what the user has said in two parts."""
    for item in messages(posted, "user"):
        text = item.get("content")
        if isinstance(text, str) and len(text) > 1:
            item["content"] = [{"type": "input_text", "text": half} for half in (text[:1], text[1:])]
            return True
    return False


def move_functions_into_a_namespace(posted: Posted) -> bool:
    """Declare all functions in a namespace, and name calls that were made without it by their items."""
    named = places(posted, "item_reference")
    if named:
        posted.body["tools"] = [
            {"type": "namespace", "name": "files", "description": "Files.", "tools": functions(posted)}
        ]
    return bool(named)


def _outgrowing(**members: Any) -> Edit:
    """More than the window of ``gpt-4`` takes, with settings by which the provider makes it fit."""

    def edit(posted: Posted) -> bool:
        posted.body.update(model="gpt-4", **members)
        items(posted).append({"role": "user", "content": "word " * 9_000})
        return bool(items(posted))

    return edit


def name_calls_by_their_items(posted: Posted) -> bool:
    """Calls come back without their item ids, which stand in the place of their call ids."""
    found = [pair for pair in answered_calls(posted) if items(posted)[pair[0]].get("id")]
    for call, output in found:
        items(posted)[call]["call_id"] = items(posted)[output]["call_id"] = items(posted)[call].pop("id")
    return bool(found)


def compact_it(posted: Posted) -> bool:
    """Have a whole history compacted."""
    posted.path += "/compact"
    return True


def answer_as_a_function(posted: Posted) -> bool:
    """Answer a search and a local shell with the output of a function."""
    answers = [last(posted, kind) for kind in ("tool_search_output", "local_shell_call_output")]
    for item in answers:
        if item is not None:
            call_id = item["call_id"]
            item.clear()
            item.update(type="function_call_output", call_id=call_id, output="Found one.")
    return any(item is not None for item in answers)


def let_the_provider_run_it(posted: Posted) -> bool:
    """The provider ran the search and the shell, and what came of it is not sent."""
    ran: dict[str, Json] = {
        "tool_search_call": {"execution": "server"},
        "shell_call": {"environment": {"type": "container_auto"}},
    }
    found = [(last(posted, kind), members) for kind, members in ran.items()]
    for item, members in found:
        if item is not None:
            item.update(members)
    for place in reversed(places(posted, "tool_search_output", "shell_call_output")):
        del items(posted)[place]
    return any(item is not None for item, _ in found)


def choose_what_was_found(posted: Posted) -> bool:
    """A search has brought a tool that the request does not declare."""
    found = places(posted, "tool_search_output")
    if found:
        posted.body["tool_choice"] = {"type": "function", "name": items(posted)[found[0]]["tools"][0]["name"]}
    return bool(found)


def leave_it_to_a_conversation(posted: Posted) -> bool:
    """What the provider keeps can be all that is asked."""
    if names_its_history(posted):
        return False
    posted.body.pop("input", None)
    posted.body["conversation"] = "conv_elsewhere"
    return True


def leave_it_to_a_prompt(posted: Posted) -> bool:
    """A stored prompt has a model of its own."""
    for name in ("model", "reasoning"):
        posted.body.pop(name, None)
    posted.body["prompt"] = {"id": "pmpt_1"}
    return True


def ask_by_a_prompt(posted: Posted) -> bool:
    """A stored prompt can be all that is asked."""
    if names_its_history(posted):
        return False
    posted.body.pop("input", None)
    posted.body["prompt"] = {"id": "pmpt_1"}
    return True


def choose_from_a_namespace(posted: Posted) -> bool:
    """The tool that is chosen is one of a namespace."""
    if not _has_a_schema(posted):
        return False
    posted.body["tool_choice"] = {"type": "function", "name": "create_widget"}
    return True


def ask_for_the_approval_again(posted: Posted) -> bool:
    """A conversation wants it beside its answer, though it has it."""
    if not posted.body.get("conversation"):
        return False
    asked = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "ask", "server_label": "wiki"}
    items(posted).extend([asked, {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}])
    return True


def approve_what_a_conversation_asks(posted: Posted) -> bool:
    """The request for the approval is not in the input."""
    found = places(posted, "mcp_approval_request")
    for place in reversed(found):
        del items(posted)[place]
    posted.body["conversation"] = "conv_elsewhere"
    return bool(found)


def show_what_the_provider_found(posted: Posted) -> bool:
    """The tools that the provider found stand alone."""
    found = [last(posted, kind) for kind in ("tool_search_call", "tool_search_output")]
    if found[0] is None or found[1] is None:
        return False
    items(posted).remove(found[0])
    found[1]["execution"] = "server"
    return True


def declare_it_twice(posted: Posted) -> bool:
    """A function is in the default namespace, too, and its call names none."""
    call = next(
        (items(posted)[at] for at in places(posted, "function_call") if items(posted)[at].get("namespace")), None
    )
    if call is None:
        return False
    posted.body["tools"].append({"type": "function", "name": call["name"], "parameters": {"type": "object"}})
    del call["namespace"]
    return True


def answer_with_any_json(posted: Posted) -> bool:
    """The output of a tool with an output schema is JSON of another kind."""
    output = last(posted, "function_call_output") if _has_a_schema(posted) else None
    if output is not None:
        output["output"] = '"The shop is closed."'
    return output is not None


def _has_a_schema(posted: Posted) -> bool:
    return any(tool.get("type") == "namespace" for tool in posted.body.get("tools") or ())


def think_before_each_call(posted: Posted) -> bool:
    """DeepSeek's reasoning stands in front of each of two calls, which are answered in turn."""
    found = places(posted, "reasoning")
    pairs = [*answered_calls(posted)]
    if not str(posted.body.get("model")).startswith("deepseek") or len(found) != 1 or len(pairs) != 2:
        return False
    history = items(posted)
    thought = history[found[0]]
    (first, output), (second, other) = pairs
    rest = [history[first], history[output], deepcopy(thought), history[second], history[other]]
    posted.body["input"] = [*history[: found[0]], thought, *rest, *history[max(output, other) + 1 :]]
    return True


def switch_thinking_off(posted: Posted) -> bool:
    """DeepSeek is not to think, and its calls stand alone."""
    if not str(posted.body.get("model")).startswith("deepseek"):
        return False
    posted.body["reasoning"] = {"effort": "none"}
    for place in reversed(places(posted, "reasoning")):
        del items(posted)[place]
    return True


def take_the_tools_away(posted: Posted) -> bool:
    """DeepSeek has no tools any more, and its calls stand alone."""
    if not switch_thinking_off(posted):
        return False
    for name in ("reasoning", "tools"):
        posted.body.pop(name, None)
    return True


def _equivalent(
    name: str, summary: str, allows: tuple[str, ...], edit: Edit, *base_requests: BaseRequest
) -> EquivalentRequest:
    return EquivalentRequest(f"responses-{name}", summary, allows, edit, base_requests)


EQUIVALENTS: tuple[EquivalentRequest, ...] = (
    _equivalent(
        "status-dropped",
        "Items come back without their status.",
        ("OAI-04",),
        _without("status", *CALLS, "message"),
        PARALLEL,
        ANSWERED,
        CUSTOM,
    ),
    _equivalent("status-null", "A call's status is null.", ("OAI-05", "OAI-06"), null_a_status, ONE_CALL, CUSTOM),
    _equivalent(
        "call-ids-only",
        "Calls come back without their item ids.",
        ("OAI-14",),
        _without("id", *CALLS),
        ONE_CALL,
        SEVERAL,
    ),
    _equivalent(
        "ids-dropped",
        "All items come back without ids.",
        ("OAI-07", "OAI-15"),
        drop_all_ids,
        PARALLEL,
        SEVERAL,
        FOREIGN,
    ),
    _equivalent(
        "reasoning-dropped",
        "Reasoning is left out, and with it all ids.",
        ("OAI-14", "OAI-15"),
        drop_reasoning_and_ids,
        PARALLEL,
        SEVERAL,
        STORED,
    ),
    _equivalent(
        "content-stored",
        "Reasoning that is stored comes back without its content.",
        ("OAI-16",),
        drop_stored_content,
        STORED,
    ),
    EquivalentRequest(
        "responses-content-stored-before",
        "Reasoning that is stored comes back without its content, and the request itself is not stored.",
        ("OAI-16",),
        drop_content_stored_before,
        (STORED,),
        remembered=True,
    ),
    _equivalent(
        "reasoning-ids-dropped",
        "Reasoning comes back without its id, in front of an item that has its own.",
        ("OAI-14", "OAI-15"),
        _without("id", "reasoning"),
        ONE_CALL,
    ),
    _equivalent(
        "question-in-two-parts", "The user's question is sent in two parts.", ("OAI-28",), split_the_question, ONE_CALL
    ),
    _equivalent(
        "names-of-outputs-dropped",
        "Outputs come back without the name of their function.",
        ("OAI-28",),
        _without("name", *OUTPUTS),
        PLAIN,
    ),
    _equivalent(
        "calls-one-by-one",
        "Each result follows its call.",
        ("OAI-10", "OAI-28"),
        answer_each_call_at_once,
        PLAIN,
        PARALLEL,
    ),
    _equivalent(
        "results-in-another-order",
        "Results come in another order.",
        ("OAI-10",),
        answer_in_another_order,
        PARALLEL,
        NAMED,
    ),
    _equivalent(
        "arguments-anew", "Arguments are serialised anew.", ("OAI-28",), serialise_arguments_anew, PARALLEL, PLAIN
    ),
    _equivalent(
        "results-as-parts", "Results are lists of parts.", ("OAI-06", "OAI-20"), return_parts, PARALLEL, NAMED, CUSTOM
    ),
    _equivalent(
        "answer-edited",
        "The user edits an answer, which keeps its id.",
        ("OAI-14", "OAI-28"),
        edit_an_answer_under_its_id,
        ANSWERED,
        SEVERAL,
    ),
    _equivalent(
        "item-ids-as-call-ids",
        "The item ids of calls are their call ids.",
        ("OAI-14",),
        name_calls_by_their_items,
        ONE_CALL,
        SEVERAL,
    ),
    _equivalent("compacted", "A whole history is compacted.", ("OAI-COMPACT",), compact_it, PARALLEL, ANSWERED),
    _equivalent(
        "answered-as-functions",
        "A search and a local shell are answered as functions are.",
        ("OAI-10", "OAI-11"),
        answer_as_a_function,
        BUILT_IN,
    ),
    _equivalent(
        "run-by-the-provider",
        "What the provider has run has no output.",
        ("OAI-10",),
        let_the_provider_run_it,
        BUILT_IN,
    ),
    _equivalent(
        "found-tool-chosen", "A tool that a search has found is chosen.", ("OAI-24",), choose_what_was_found, BUILT_IN
    ),
    _equivalent(
        "conversation-alone", "A conversation has all of the input.", ("OAI-03",), leave_it_to_a_conversation, FOREIGN
    ),
    _equivalent("prompt-alone", "A prompt has all of the input.", ("OAI-03",), ask_by_a_prompt, FOREIGN),
    _equivalent(
        "tool-of-a-namespace-chosen",
        "A tool that only a namespace has is chosen.",
        ("OAI-24",),
        choose_from_a_namespace,
        DECLARED,
    ),
    _equivalent(
        "model-of-a-prompt",
        "A prompt says which model it is for.",
        ("OAI-02",),
        leave_it_to_a_prompt,
        FOREIGN,
    ),
    _equivalent(
        "approval-asked-and-given-again",
        "A conversation is sent a request for an approval once more, with its answer.",
        ("OAI-09",),
        ask_for_the_approval_again,
        THREAD,
    ),
    _equivalent(
        "approved-in-a-conversation",
        "An approval answers a request that only the provider's conversation has.",
        ("OAI-11",),
        approve_what_a_conversation_asks,
        BUILT_IN,
    ),
    _equivalent(
        "found-by-the-provider",
        "What the provider has found comes back without its search.",
        ("OAI-11",),
        show_what_the_provider_found,
        BUILT_IN,
    ),
    _equivalent(
        "namespace-by-default",
        "A function of the default namespace is called without one.",
        ("OAI-NS",),
        declare_it_twice,
        DECLARED,
    ),
    _equivalent(
        "namespace-of-what-is-named",
        "Functions that now have a namespace were called without it, and the calls are only named.",
        ("OAI-NS",),
        move_functions_into_a_namespace,
        REFERENCES,
    ),
    _equivalent(
        "schema-output-as-json",
        "Output that has another form than its schema is JSON all the same.",
        ("OAI-OUTSCHEMA",),
        answer_with_any_json,
        DECLARED,
    ),
    _equivalent(
        "thinking-before-each-call",
        "DeepSeek's calls are answered in turn, each with reasoning.",
        ("OAI-DS",),
        think_before_each_call,
        DEEPSEEK,
    ),
    _equivalent(
        "thinking-off",
        "DeepSeek's calls come back alone, as it does not think.",
        ("OAI-DS",),
        switch_thinking_off,
        DEEPSEEK,
    ),
    _equivalent(
        "thinking-without-tools",
        "DeepSeek's calls come back alone, to a request without tools.",
        ("OAI-DS",),
        take_the_tools_away,
        DEEPSEEK,
    ),
    _equivalent(
        "user-behind-results",
        "The user says something behind the results.",
        ("OAI-28",),
        _adding({"role": "user", "content": "And?"}),
        PARALLEL,
        NAMED,
        THREAD,
    ),
    _equivalent(
        "instructions-added",
        "The developer says something in the middle.",
        ("OAI-20",),
        _adding({"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be brief."}]}),
        ONE_CALL,
    ),
    _equivalent(
        "calls-of-others",
        "Calls of another account precede the history.",
        ("OAI-07",),
        bring_a_foreign_history,
        STORED,
    ),
    _equivalent(
        "item-of-the-future",
        "An item has an unknown type.",
        ("OAI-04", "OAI-05"),
        _adding({"type": "hologram_call", "id": "holo_1", "status": "completed"}),
        ONE_CALL,
        NAMED,
    ),
    _equivalent(
        "part-of-the-future",
        "A part has an unknown type.",
        ("OAI-20",),
        add_a_part_of_the_future,
        ONE_CALL,
    ),
    _equivalent("schema-closed", "A strict schema is closed.", ("OAI-23",), close_a_strict_schema, STRICT, PLAIN),
    _equivalent(
        "temperature",
        "A model without reasoning gets a temperature.",
        ("OAI-26",),
        _on("gpt-4.1", temperature=0.2),
        PLAIN,
    ),
    _equivalent(
        "temperature-unthinking",
        "A model that does not reason unasked gets a temperature.",
        ("OAI-26",),
        _on("gpt-5.4", temperature=0.2),
        PLAIN,
    ),
    _equivalent("effort", "A reasoning model gets an effort.", ("OAI-26",), _on("gpt-5.5", "xhigh"), ONE_CALL),
    _equivalent(
        "bounds",
        "Numbers are at their bounds.",
        ("OAI-22",),
        _on("gpt-4.1", temperature=2, top_p=0, max_output_tokens=16),
        PLAIN,
    ),
    _equivalent(
        "cut-by-the-provider", "The provider may cut a long history.", ("OAI-27",), _set(truncation="auto"), ONE_CALL
    ),
    _equivalent(
        "long-and-cut-by-the-provider",
        "The provider may cut a history that is too long.",
        ("OAI-27",),
        _outgrowing(truncation="auto"),
        PLAIN,
    ),
    _equivalent(
        "long-and-compacted-by-the-provider",
        "The provider may compact a history that is too long.",
        ("OAI-27",),
        _outgrowing(context_management=[{"type": "compaction", "compact_threshold": 4096}]),
        PLAIN,
    ),
    _equivalent(
        "client-metadata",
        "The client says something of itself, as Codex does in every request.",
        ("OAI-05",),
        _set(client_metadata={"session_id": "s-1", "turn_id": "t-1"}),
        ONE_CALL,
        PARALLEL,
    ),
    _equivalent(
        "null-settings",
        "Settings are null.",
        ("OAI-06",),
        _set(temperature=None, instructions=None, previous_response_id=None, tool_choice=None),
        ONE_CALL,
    ),
)
