"""Faults of what goes back: results, the model's turns, and the rest of a request."""

# ruff: noqa: ARG001, ARG005 - a fault is given the loop and the request, and a change the number of a piece

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from copy import deepcopy

from harness_lab.freedoms.faults_kinds import Faulty, about, pieces_sent, sent
from harness_lab.freedoms.faults_pieces import (
    Json,
    Kind,
    arguments_of,
    changed,
    edited,
    entries_of,
    inner,
    is_of_the_model,
    pieces,
    put_arguments,
    result_id,
    text_of,
    with_entries,
    with_text,
    with_tools,
)

_RESULTS = r"history/(results|no-other-results|result-after-call|results-first|result-name|result-order)|" + about(
    "results"
)
_CALLS = r"history/model-calls|" + about("words")
_THINKING = r"history/model-thinking|" + about("thinking")
_TURN = rf"history/(model-calls|model-text|append-only)|{_RESULTS}|{_THINKING}"
_BY_ID = "openai-chat openai-responses anthropic-messages gemini-interactions bedrock-converse"
_SIGNED = "openai-responses anthropic-messages gemini-generate gemini-interactions bedrock-converse"
_MESSAGES = "openai-chat anthropic-messages gemini-generate bedrock-converse"


def _groups(body: Json, what: Kind) -> list[list[int]]:
    """The numbers of the pieces of a kind, those side by side in one list: the results of a turn, the calls of one."""
    groups: list[list[int]] = []
    number, before = -1, False
    for kind, _ in pieces(entries_of(body)):
        if kind == what:
            number += 1
            groups.append([number]) if not before else groups[-1].append(number)
        before = kind == what
    return groups


def _every(body: Json, what: Kind) -> list[Json]:
    return [piece for kind, piece in pieces(entries_of(body)) if kind == what]


# --- results ----------------------------------------------------------------------------------------------------


@sent("parallel-calls", _RESULTS)
def forgets_the_last_result(loop: Faulty, body: Json) -> Json:
    """Of several calls the last gets no result."""
    last = {group[-1] for group in _groups(body, "result") if len(group) > 1}
    return edited(body, "result", lambda at, piece: None if at in last else piece)


@sent("parallel-calls", _RESULTS)
def sends_the_first_result_only(loop: Faulty, body: Json) -> Json:
    """Of several results the first goes back alone."""
    first = {group[0] for group in _groups(body, "result")}
    return edited(body, "result", lambda at, piece: piece if at in first else None)


@pieces_sent("result", "tool-returns", _RESULTS + "|history/model-calls|GEM-22|final/unfinished")
def sends_no_results(piece: Json) -> None:
    """The calls go back without any result."""
    return None


@sent("tool-returns parallel-calls", _RESULTS + "|OAI-09|INT-07")
def sends_a_result_twice(loop: Faulty, body: Json) -> Json:
    """The first result of a turn goes back twice."""
    first = {group[0] for group in _groups(body, "result")}
    return edited(body, "result", lambda at, piece: [piece, deepcopy(piece)] if at in first else piece)


@pieces_sent("result", "tool-returns", _RESULTS + "|" + about("ids"), _BY_ID)
def makes_an_id_up(piece: Json) -> Json:
    """A result names a call that was never made."""
    return _with_id(piece, "call_madeup0")


@sent("tool-returns", _RESULTS + "|" + about("ids"), _BY_ID)
def names_the_tool_for_the_call(loop: Faulty, body: Json) -> Json:
    """A result names the tool in place of the call."""
    names = [str(inner(call)["name"]) for call in _every(body, "call")]
    return edited(body, "result", lambda at, piece: _with_id(piece, names[at]) if at < len(names) else piece)


@sent("tool-returns", _RESULTS + "|" + about("ids"), "openai-responses")
def answers_by_the_item(loop: Faulty, body: Json) -> Json:
    """An output names the item of its call in place of the call."""
    ids = [str(call["id"]) for call in _every(body, "call") if "id" in call]
    return edited(body, "result", lambda at, piece: _with_id(piece, ids[at]) if at < len(ids) else piece)


def _with_id(piece: Json, id: str) -> Json:
    holder, name = result_id(piece)
    if name:
        holder[name] = id
    return piece


@sent("tool-returns", _RESULTS + "|" + about("ids"), _BY_ID)
def has_ids_of_its_own_in_calls_only(loop: Faulty, body: Json) -> Json:
    """Calls go back under other ids than their results."""

    def rename(at: int, call: Json) -> Json:
        holder = call if "id" in call and "call_id" not in call else inner(call)
        name = next(each for each in ("call_id", "toolUseId", "id") if each in holder)
        return {**call, name: f"own_{at}"} if holder is call else {**call, "toolUse": {**holder, name: f"own_{at}"}}

    return edited(body, "call", rename)


@sent(
    "results-are-not-mixed-up",
    r"history/(own-result|result-value|results|result-order|result-name)|expect/results",
    _BY_ID,
)
def swaps_results(loop: Faulty, body: Json) -> Json:
    """The results of two calls are exchanged."""
    ids = [result_id(piece) for piece in _every(body, "result")]
    names = [holder[name] for holder, name in ids if name]
    for group in _groups(body, "result"):
        if len(group) > 1:
            names[group[0]], names[group[1]] = names[group[1]], names[group[0]]
    return edited(body, "result", lambda at, piece: _with_id(piece, names[at]))


@sent("parallel-calls", r"history/(own-result|result-order|result-name|result-value)|GEM-12", "gemini-generate")
def reverses_results_without_ids(loop: Faulty, body: Json) -> Json:
    """Without ids the place of a result says whose it is; they come in reverse order."""

    def bare(kind: Kind, piece: Json) -> Json:
        if kind in ("call", "result"):
            inner(piece).pop("id", None)
        return piece

    entries = changed(entries_of(body), bare)
    for entry in entries:
        results = [part for part in entry["parts"] if "functionResponse" in part]
        if len(results) > 1:
            entry["parts"] = [*reversed(results), *(part for part in entry["parts"] if part not in results)]
    return with_entries(body, entries)


@sent("tool-returns", _RESULTS + "|history/model-calls")
def says_results_in_words(loop: Faulty, body: Json) -> Json:
    """A result goes back as a text of the user's."""
    report = "The tools said: " + json.dumps(_every(body, "result"))
    without = edited(body, "result", lambda at, piece: None)
    if not _every(body, "result"):
        return body
    entries = [entry for entry in entries_of(without) if is_of_the_model(entry) or entry not in loop.speaker.user("")]
    return with_entries(body, [*entries, *loop.speaker.user(report)])


@sent("tool-returns", r"history/(results-first|results)|ANT-0[12]|OAC-0[34]|GEM-0[4-7]|BED-\d+|INT-\d+", _MESSAGES)
def comments_before_the_results(loop: Faulty, body: Json) -> Json:
    """A text of the user's stands between the calls and their results."""
    entries: list[Json] = []
    for entry in entries_of(body):
        if any(kind == "result" for kind, _ in pieces([entry])) and entries and is_of_the_model(entries[-1]):
            entries += loop.speaker.user("Here is what the tools said.")
        entries.append(entry)
    return with_entries(body, entries)


@sent(
    "tool-returns",
    r"history/(result-after-call|results-first|results|no-other-results)|OAI-1\d|INT-0\d",
    "openai-responses gemini-interactions",
)
def answers_before_the_call(loop: Faulty, body: Json) -> Json:
    """A result stands in front of its call."""
    entries = entries_of(body)
    results = [entry for entry in entries if _is(entry, "result")]
    first = next((at for at, entry in enumerate(entries) if is_of_the_model(entry)), len(entries))
    rest = [entry for entry in entries if entry not in results]
    return with_entries(body, [*rest[:first], *results, *rest[first:]]) if results else body


def _is(entry: Json, what: Kind) -> bool:
    return [kind for kind, _ in pieces([entry])] == [what]


@sent("parallel-calls", _RESULTS + "|BED-11", "gemini-generate bedrock-converse")
def sends_each_result_on_its_own(loop: Faulty, body: Json) -> Json:
    """Each result of a turn is a message of its own, where only the next one is looked at."""
    return with_entries(body, [new for entry in entries_of(body) for new in _split(entry)])


def _split(entry: Json) -> list[Json]:
    member = "parts" if "parts" in entry else "content"
    if sum(kind == "result" for kind, _ in pieces([entry])) < 2:
        return [entry]
    return [{**entry, member: [piece]} for piece in entry[member]]


@sent("tool-returns", r"GEM-\d+|BED-\d+|ANT-\d+|" + _RESULTS, "gemini-generate bedrock-converse anthropic-messages")
def answers_as_the_model(loop: Faulty, body: Json) -> Json:
    """Results are in a turn of the model's."""
    role = "model" if "contents" in body else "assistant"
    return with_entries(
        body, [{**each, "role": role} if "result" in dict(pieces([each])) else each for each in entries_of(body)]
    )


@pieces_sent("result", "tool-returns", r"GEM-11|INT-07", "gemini-generate gemini-interactions")
def leaves_the_name_out(piece: Json) -> Json:
    """A result does not name its tool where that is demanded."""
    inner(piece).pop("name", None)
    return piece


@pieces_sent(
    "result",
    "tool-returns",
    r"GEM-14|OAI-06|BED-1[2-7]|INT-17|OAC-\w+|ANT-\d+",
    "gemini-generate openai-responses openai-chat",
)
def gives_a_result_in_the_wrong_type(piece: Json) -> Json:
    """A result is an object where a text is demanded, or a text where an object is."""
    if "functionResponse" in piece:
        piece["functionResponse"]["response"] = json.dumps(piece["functionResponse"]["response"])
    else:
        name = "output" if "output" in piece else "content"
        piece[name] = {"result": piece[name]}
    return piece


@pieces_sent(
    "result", "tool-raises", r"history/result-error|BED-06", "anthropic-messages bedrock-converse gemini-interactions"
)
def marks_success_for_failure(piece: Json) -> Json:
    """A result that is an error is marked as none, and does not say so."""
    holder = inner(piece)
    for name in ("is_error", "status"):
        holder.pop(name, None)
    name = "result" if "result" in holder else "content"
    holder[name] = "done" if isinstance(holder[name], str) else [{**holder[name][0], "text": "done"}]
    return piece


@pieces_sent(
    "result", "tool-returns", r"history/result-error|BED-\d+", "anthropic-messages bedrock-converse gemini-interactions"
)
def marks_success_as_an_error(piece: Json) -> Json:
    """Every result is marked as an error."""
    inner(piece).update({"status": "error"} if "toolResult" in piece else {"is_error": True})
    return piece


@sent("thinking-in-every-turn", rf"history/(append-only|result-value|results|own-result)|ANT-18|{_RESULTS}")
def clears_old_results(loop: Faulty, body: Json) -> Json:
    """The results of earlier turns are replaced by a note, to save tokens."""
    old = {at for group in _groups(body, "result")[:-1] for at in group}
    return edited(body, "result", lambda at, piece: _cleared(piece) if at in old else piece)


def _cleared(piece: Json) -> Json:
    holder = inner(piece)
    for name in ("content", "output", "result", "response"):
        if name in holder:
            note = "[old result cleared]"
            holder[name] = (
                {"output": note} if name == "response" else [{"text": note}] if "toolResult" in piece else note
            )
    return piece


# --- the model's turns ------------------------------------------------------------------------------------------


@sent("tool-returns", _TURN)
def drops_the_turn(loop: Faulty, body: Json) -> Json:
    """The model's turn does not go back, its results do."""
    return with_entries(body, [entry for entry in entries_of(body) if not is_of_the_model(entry)])


@pieces_sent("call", "tool-returns", _TURN)
def drops_the_calls(piece: Json) -> None:
    """The model's text goes back without its calls."""
    return None


@sent("parallel-calls", _TURN)
def drops_a_parallel_call(loop: Faulty, body: Json) -> Json:
    """Of several calls the last does not go back, nor does its result."""
    last = {group[-1] for group in _groups(body, "call") if len(group) > 1}
    once = edited(body, "call", lambda at, piece: None if at in last else piece)
    answered = {group[-1] for group in _groups(body, "result") if len(group) > 1}
    return edited(once, "result", lambda at, piece: None if at in answered else piece)


@pieces_sent("text", "tool-returns parallel-calls", r"history/model-text")
def drops_the_text_beside_calls(piece: Json) -> None:
    """What the model said beside its calls does not go back."""
    return None


@pieces_sent("text", "tool-returns parallel-calls", r"history/model-text")
def shortens_the_text(piece: Json) -> Json:
    """What the model said goes back without its end."""
    return with_text(piece, lambda text: text[: len(text) // 2] + "...")


@pieces_sent("text", "tool-returns parallel-calls", r"history/model-text")
def writes_the_text_small(piece: Json) -> Json:
    """What the model said goes back in small letters."""
    return with_text(piece, str.lower)


@pieces_sent("text", "tool-returns parallel-calls", r"history/model-text")
def says_the_text_twice(piece: Json) -> Json:
    """What the model said goes back twice."""
    return with_text(piece, lambda text: text + text)


@sent(
    "tool-returns parallel-calls",
    r"history/model-order|history/model-text|BED-\d+|ANT-\d+",
    "anthropic-messages bedrock-converse gemini-generate gemini-interactions",
)
def says_the_text_last(loop: Faulty, body: Json) -> Json:
    """What the model said in front of its calls goes back behind them."""
    if loop.speaker.wire == "gemini-interactions":
        entries = entries_of(body)
        texts = [entry for entry in entries if entry.get("type") == "model_output"]
        rest = [entry for entry in entries if entry not in texts]
        last = max((at for at, entry in enumerate(rest) if _is(entry, "call")), default=-1)
        return with_entries(body, [*rest[: last + 1], *texts, *rest[last + 1 :]]) if last >= 0 else body
    return with_entries(body, [_text_last(entry) if is_of_the_model(entry) else entry for entry in entries_of(body)])


def _text_last(entry: Json) -> Json:
    member = "parts" if "parts" in entry else "content"
    parts = [part for _, part in pieces([entry])]
    texts = [part for kind, part in pieces([entry]) if kind == "text"]
    return {**entry, member: [*(part for part in parts if part not in texts), *texts]}


@sent("thinking-in-every-turn", _THINKING, _SIGNED, thinking="asked", items="as-issued", store="stateless")
def drops_the_thinking(loop: Faulty, body: Json) -> Json:
    """Thinking and its signature do not go back."""

    def bare(kind: Kind, piece: Json) -> Json | None:
        piece.pop("thoughtSignature", None)
        return None if kind == "thinking" else piece

    return with_entries(body, changed(entries_of(body), bare))


@pieces_sent(
    "thinking",
    "thinking-in-every-turn",
    _THINKING + r"|OAI-04|INT-\d+|BED-\d+|ANT-09",
    "anthropic-messages gemini-interactions bedrock-converse",
    thinking="asked",
)
def loses_the_signature(piece: Json) -> Json:
    """Thinking goes back without its signature."""
    holder = piece.get("reasoningContent", {}).get("reasoningText", piece)
    holder.pop("signature", None)
    return piece


@pieces_sent("thinking", "thinking-in-every-turn", _THINKING, "anthropic-messages bedrock-converse", thinking="asked")
def trims_the_thinking(piece: Json) -> Json:
    """Thinking goes back shorter than it was signed."""
    if "thinking" in piece:
        return {**piece, "thinking": piece["thinking"][:5]}
    for thought in (piece.get("reasoningContent") or {}).values():
        if isinstance(thought, dict):
            thought["text"] = thought.get("text", "")[:5]
    return piece


@sent(
    "thinking-in-every-turn",
    _THINKING,
    "anthropic-messages gemini-generate gemini-interactions bedrock-converse",
    thinking="asked",
)
def corrupts_the_signature(loop: Faulty, body: Json) -> Json:
    """A signature goes back with its letters turned round."""

    def turned(kind: Kind, piece: Json) -> Json:
        for holder in (piece, piece.get("reasoningContent", {}).get("reasoningText", {})):
            for name in ("signature", "thoughtSignature"):
                if isinstance(holder.get(name), str):
                    holder[name] = holder[name].swapcase()
        return piece

    return with_entries(body, changed(entries_of(body), turned))


@pieces_sent(
    "thinking",
    "thinking-in-every-turn",
    rf"{_THINKING}|history/(model-text|model-order)",
    "anthropic-messages",
    thinking="asked",
)
def says_thoughts_as_text(piece: Json) -> Json:
    """Thinking goes back as if the model had said it."""
    return {"type": "text", "text": piece["thinking"]} if piece.get("thinking") else piece


@pieces_sent("call", "tool-returns parallel-calls", _CALLS + "|" + _RESULTS)
def empties_the_arguments(piece: Json) -> Json:
    """Calls go back without their arguments."""
    put_arguments(piece, {})
    return piece


@pieces_sent("call", "tool-returns parallel-calls", _CALLS)
def changes_an_argument(piece: Json) -> Json:
    """A call goes back with a value that the model did not write."""
    arguments = arguments_of(piece)
    put_arguments(piece, {name: "Atlantis" if isinstance(value, str) else value for name, value in arguments.items()})
    return piece


@pieces_sent("call", "parallel-calls", _CALLS)
def loses_letters_of_arguments(piece: Json) -> Json:
    """Letters beyond ASCII in arguments go back as question marks."""
    text = json.dumps(arguments_of(piece), ensure_ascii=False).encode("ascii", "replace").decode()
    put_arguments(piece, json.loads(text))
    return piece


@pieces_sent("call", "tool-returns parallel-calls", _CALLS)
def adds_an_argument(piece: Json) -> Json:
    """A call goes back with an argument that the model did not write."""
    put_arguments(piece, {**arguments_of(piece), "verbose": True})
    return piece


@pieces_sent("call", "tool-returns", r"history/(model-calls|result-name)|GEM-\d+|INT-\d+|BED-\d+")
def renames_the_tool(piece: Json) -> Json:
    """A call goes back under another name of its tool."""
    inner(piece)["name"] = "functions_" + inner(piece)["name"]
    return piece


@pieces_sent(
    "call",
    "tool-returns",
    r"GEM-14|OAC-\d+|OAI-06|ANT-\d+|BED-12|INT-16|history/model-calls",
    "openai-chat anthropic-messages gemini-generate bedrock-converse gemini-interactions",
)
def sends_arguments_in_the_wrong_type(piece: Json) -> Json:
    """Arguments are an object where a text is demanded, or a text where an object is."""
    holder = inner(piece)
    for name in ("arguments", "input", "args"):
        if name in holder:
            value = holder[name]
            holder[name] = json.loads(value or "{}") if isinstance(value, str) else json.dumps(value)
    return piece


@sent(
    "parallel-calls",
    r"history/(model-calls|model-order|result-order|own-result|result-name|results)|GEM-12|" + _RESULTS,
)
def reverses_the_calls(loop: Faulty, body: Json) -> Json:
    """The calls of a turn go back in reverse order."""
    calls = _every(body, "call")
    order = {at: group[::-1][place] for group in _groups(body, "call") for place, at in enumerate(group)}
    if not calls or len(order) != len(calls):
        return body
    signed = [{key: call[key] for key in call if key == "thoughtSignature"} for call in calls]
    bare = [{key: value for key, value in call.items() if key != "thoughtSignature"} for call in calls]
    return edited(body, "call", lambda at, piece: {**bare[order[at]], **signed[at]})


@sent("tool-returns", rf"{_TURN}|OAI-\d+|INT-\d+|BED-\d+|ANT-\d+", "openai-chat openai-responses anthropic-messages")
def sends_the_turn_twice(loop: Faulty, body: Json) -> Json:
    """The model's turn goes back twice."""
    entries = entries_of(body)
    doubled = [new for entry in entries for new in ([entry, deepcopy(entry)] if is_of_the_model(entry) else [entry])]
    return with_entries(body, doubled)


@pieces_sent(
    "call",
    "tool-returns",
    r"OAI-05|ANT-\w+|GEM-FIELD",
    "openai-responses anthropic-messages gemini-generate",
)
def adds_an_unknown_member(piece: Json) -> Json:
    """A call goes back with a member of the loop's own."""
    inner(piece)["executed_at"] = "2026-11-29"
    return piece


# --- the rest of a request --------------------------------------------------------------------------------------


def _is_later(body: Json) -> bool:
    return any(map(is_of_the_model, entries_of(body))) or "previous_response_id" in body


_SYSTEMS = ("instructions", "system", "systemInstruction", "system_instruction")


def _without_system(body: Json) -> Json:
    left = {name: value for name, value in body.items() if name not in _SYSTEMS}
    entries = [entry for entry in entries_of(body) if entry.get("role") not in ("system", "developer")]
    return with_entries(left, entries) if entries else left


@sent("system-prompt", r"history/append-only", store="stateless")
def drops_the_system_prompt_later(loop: Faulty, body: Json) -> Json:
    """The system prompt is sent in the first request only."""
    return _without_system(body) if _is_later(body) else body


@sent("system-prompt", r"offered/prompt")
def has_no_system_prompt(loop: Faulty, body: Json) -> Json:
    """The system prompt is never sent."""
    return _without_system(body)


@sent("system-prompt", r"offered/prompt")
def cuts_the_system_prompt(loop: Faulty, body: Json) -> Json:
    """The system prompt is sent without its end."""
    text = json.dumps(body, ensure_ascii=False)
    return dict(json.loads(text.replace(" Never guess a depth", "").replace("\\nNever guess a depth", "\\n")))


@sent("system-prompt", r"offered/prompt")
def says_the_system_prompt_as_the_user(loop: Faulty, body: Json) -> Json:
    """The system prompt is a message of the user's."""
    if not loop.speaker.system:
        return body
    bare = _without_system(body)
    first, *rest = entries_of(bare)
    words = text_of(first) or "".join(text_of(piece) for _, piece in pieces([first]))
    return with_entries(bare, [*loop.speaker.user(f"{loop.speaker.system}\n\n{words}"), *rest])


@sent(
    "tool-returns thinking-in-every-turn",
    rf"history/append-only|OAC-\d+|ANT-\d+|GEM-\d+|BED-\d+|INT-\d+|{_RESULTS}",
    store="stateless",
    items="as-issued",
)
def forgets_the_question(loop: Faulty, body: Json) -> Json:
    """What the user has asked is not in later requests."""
    if not _is_later(body):
        return body
    entries = entries_of(body)
    first = next(at for at, entry in enumerate(entries) if is_of_the_model(entry))
    return with_entries(
        body, [*[e for e in entries[:first] if e.get("role") in ("system", "developer")], *entries[first:]]
    )


@sent("tool-returns thinking-in-every-turn", r"history/append-only|ANT-18", store="stateless")
def changes_the_question(loop: Faulty, body: Json) -> Json:
    """In later requests the user asks something else."""
    if not _is_later(body):
        return body
    entries = entries_of(body)
    at = next(
        (at for at, e in enumerate(entries) if not is_of_the_model(e) and e.get("role") not in ("system", "developer")),
        None,
    )
    if at is None:
        return body
    return with_entries(
        body, [*entries[:at], *loop.speaker.user("Write about something else, and briefly."), *entries[at + 1 :]]
    )


@sent("thinking-in-every-turn", rf"history/append-only|{_TURN}", store="stateless", items="as-issued")
def keeps_the_last_turn_only(loop: Faulty, body: Json) -> Json:
    """Of a long history only the question and the last turn are sent."""
    entries = entries_of(body)
    model = [at for at, entry in enumerate(entries) if is_of_the_model(entry)]
    begins = [at for at in model if at == 0 or not is_of_the_model(entries[at - 1])]
    return with_entries(body, [*entries[: begins[0]], *entries[begins[-1] :]]) if len(begins) > 1 else body


@sent("tool-returns", r"history/tools|BED-05|OAC-\d+|ANT-\d+")
def offers_no_tools_later(loop: Faulty, body: Json) -> Json:
    """Tools are offered in the first request only."""
    return with_tools(body, lambda tools: []) if _is_later(body) else body


@sent("parallel-calls", r"history/tools")
def withdraws_a_tool(loop: Faulty, body: Json) -> Json:
    """One of two tools is not offered any more in later requests."""
    return with_tools(body, lambda tools: tools[:-1]) if _is_later(body) else body


@sent("parallel-calls", r"offered/tools")
def offers_one_tool_of_two(loop: Faulty, body: Json) -> Json:
    """One of the tools is never offered."""
    return with_tools(body, lambda tools: tools[:-1])


_SCHEMAS = ("parameters", "input_schema", "parametersJsonSchema")


def _with_schemas(body: Json, change: Callable[[Json], Json]) -> Json:
    def all_changed(tools: Sequence[Json]) -> list[Json]:
        return [
            {
                name: change(value) if name in _SCHEMAS else _inner_schema(name, value, change)
                for name, value in tool.items()
            }
            for tool in tools
        ]

    return with_tools(body, all_changed)


def _inner_schema(name: str, value: object, change: Callable[[Json], Json]) -> object:
    return {"json": change(value["json"])} if name == "inputSchema" and isinstance(value, dict) else value


@sent("tool-returns system-prompt", r"offered/schema")
def offers_tools_without_schemas(loop: Faulty, body: Json) -> Json:
    """Tools are offered without their parameters."""
    return _with_schemas(body, lambda schema: {"type": "object", "properties": {}})


@sent("tool-returns system-prompt", r"offered/schema")
def makes_every_parameter_optional(loop: Faulty, body: Json) -> Json:
    """No parameter is required any more."""
    return _with_schemas(body, lambda schema: {name: value for name, value in schema.items() if name != "required"})


def _is_integer(schema: Json) -> bool:
    return str(schema.get("type")).lower() == "integer"


@sent("system-prompt", r"offered/schema")
def makes_every_parameter_a_text(loop: Faulty, body: Json) -> Json:
    """A whole number is declared as a text."""
    return _with_properties(body, lambda each: {**each, "type": "string"} if _is_integer(each) else each)


@sent("system-prompt", r"offered/schema")
def forgets_the_values_of_a_parameter(loop: Faulty, body: Json) -> Json:
    """The values that a parameter may have are not declared."""
    return _with_properties(body, lambda each: {name: value for name, value in each.items() if name != "enum"})


@sent("system-prompt", r"offered/schema")
def leaves_a_parameter_out(loop: Faulty, body: Json) -> Json:
    """A parameter that may be left out is not declared."""

    def fewer(schema: Json) -> Json:
        needed = schema.get("required", ())
        kept = {name: each for name, each in (schema.get("properties") or {}).items() if name in needed}
        return {**schema, "properties": kept}

    return _with_schemas(body, fewer)


def _with_properties(body: Json, change: Callable[[Json], Json]) -> Json:
    def each(schema: Json) -> Json:
        return {**schema, "properties": {name: change(value) for name, value in schema.get("properties", {}).items()}}

    return _with_schemas(body, each)


@sent("tool-returns system-prompt", r"offered/description")
def offers_tools_without_descriptions(loop: Faulty, body: Json) -> Json:
    """Tools are offered without saying what they do."""
    return with_tools(body, lambda tools: [{**tool, "description": "A tool."} for tool in tools])


@sent("system-prompt", r"offered/description")
def describes_no_parameter(loop: Faulty, body: Json) -> Json:
    """Parameters are declared without their descriptions."""
    return _with_properties(body, lambda each: {name: value for name, value in each.items() if name != "description"})
