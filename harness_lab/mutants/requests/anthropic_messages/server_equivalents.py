"""Changes that the provider accepts around its own tools, strict schemas and the models that have thought."""

from __future__ import annotations

from harness.wire.posted import Posted
from harness_lab.mutants.requests.anthropic_messages.base_requests import (
    FALLBACK,
    FOREIGN,
    MANUAL,
    ONE_CALL,
    OPUS_4_1,
    PROGRAM,
    SAME_WORDS,
    SEARCHED,
    SYSTEM_MESSAGE,
    TWO_CALLS,
)
from harness_lab.mutants.requests.anthropic_messages.parts import (
    assistant_turns,
    calls_of,
    copied,
    kinds_in,
    latest,
    listed,
    messages_of,
    of_kind,
    setting,
    thinking_of,
)
from harness_lab.mutants.requests.anthropic_messages.server_tools import parameters, schema, strict
from harness_lab.mutants.requests.mutant import EquivalentRequest

_PROGRAM = {"type": "server_tool_use", "id": "srvtoolu_01program", "name": "code_execution", "input": {"code": "1"}}
_CALLER = {"type": "code_execution_20260120", "tool_id": "srvtoolu_01program"}
_ENDED = {
    "type": "code_execution_tool_result",
    "tool_use_id": "srvtoolu_01program",
    "content": {"type": "code_execution_result", "stdout": "1", "stderr": "", "return_code": 0, "content": []},
}


def run_code_beside_a_call(posted: Posted) -> bool:
    """A program that has called nothing waits beside a call of the model's, and no container is named."""
    turn = latest(posted)
    if turn is None or not calls_of(turn):
        return False
    turn["content"].insert(turn["content"].index(calls_of(turn)[0]), copied(_PROGRAM))
    return True


def end_the_program(posted: Posted) -> bool:
    """The program has ended in a later turn, so that no container need be named."""
    if posted.body.pop("container", None) is None:
        return False
    ended = [copied(_ENDED), {"type": "text", "text": "It prints 1."}]
    messages_of(posted).append({"role": "assistant", "content": ended})
    messages_of(posted).append({"role": "user", "content": "Go on."})
    return True


def call_again_from_the_program(posted: Posted) -> bool:
    """The program makes another call in a later turn, in which it does not stand itself."""
    calls = list(kinds_in(posted, "tool_use"))
    if "container" not in posted.body or not calls:
        return False
    again = {**copied(calls[-1]), "id": "toolu_01again", "caller": copied(_CALLER)}
    messages_of(posted).append({"role": "assistant", "content": [again]})
    result = {"type": "tool_result", "tool_use_id": "toolu_01again", "content": "ok"}
    messages_of(posted).append({"role": "user", "content": [result]})
    return True


def name_the_container_with_skills(posted: Posted) -> bool:
    """A container is named as an object, beside the skills in it."""
    container = posted.body.get("container")
    posted.body["container"] = {"id": container, "skills": [{"type": "anthropic", "skill_id": "xlsx"}]}
    return container is not None


def refer_to_a_remote_tool(posted: Posted) -> bool:
    """What a search has found is a tool of an MCP server, which lists its tools itself."""
    found = [block["content"]["tool_references"] for block in kinds_in(posted, "tool_search_tool_result")]
    for references in found:
        references.append({"type": "tool_reference", "tool_name": "ask_question"})
    posted.body["tools"].append({"type": "mcp_toolset", "mcp_server_name": "deepwiki"})
    return bool(found)


def refer_to_a_tool_of_a_server(posted: Posted) -> bool:
    """What a search has found is a tool of an MCP server that the body names."""
    found = [block["content"]["tool_references"] for block in kinds_in(posted, "tool_search_tool_result")]
    for references in found:
        references.append({"type": "tool_reference", "tool_name": "ask_question"})
    posted.body["mcp_servers"] = [{"type": "url", "url": "https://a.test", "name": "deepwiki"}]
    return bool(found)


def keep_the_headers_back(posted: Posted) -> bool:
    """Nobody knows the headers of a request."""
    posted.headers.clear()
    return bool(list(kinds_in(posted, "fallback")))


def call_the_model_by_its_date(posted: Posted) -> bool:
    """Ask the same model by the name that has its date."""
    dates = {"claude-sonnet-4-5": "20250929", "claude-opus-4-1": "20250805"}
    date = dates.get(str(posted.body["model"]))
    posted.body["model"] = f"{posted.body['model']}-{date}"
    return date is not None


def forget_the_thoughts_of_the_same_words(posted: Posted) -> bool:
    """Of two turns that say the same, the first goes back without its thinking."""
    turns = assistant_turns(posted)
    first = turns[0] if len(turns) > 1 else None
    if first is None or not thinking_of(first):
        return False
    first["content"] = of_kind(first["content"], "text")
    return True


def begin_with_text_and_a_call(posted: Posted) -> bool:
    """Cut the history off in front of a call, before which the model has said something."""
    messages = messages_of(posted)
    called = [at for at, message in enumerate(messages) if of_kind(message["content"], "tool_use")]
    if not called:
        return False
    content = listed(messages[called[-1]])
    content.insert(content.index(calls_of(messages[called[-1]])[0]), {"type": "text", "text": "I look."})
    del messages[: called[-1]]
    return True


def instruct_behind_a_search(posted: Posted) -> bool:
    """The instructions at the end follow a turn that ends with what the provider's own tool has returned."""
    if messages_of(posted)[-1]["role"] != "system":
        return False
    search = {"type": "server_tool_use", "id": "srvtoolu_01said", "name": "web_search", "input": {"query": "hi"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_01said", "content": []}
    messages_of(posted).insert(-1, {"role": "assistant", "content": [search, found]})
    messages_of(posted).append({"role": "assistant", "content": "Understood."})
    messages_of(posted).append({"role": "user", "content": "Go on."})
    return True


_TEXT = {"type": "string"}
_EITHER = {"anyOf": [{"type": "string"}, {"type": "null"}]}
_ALLOWED = [schema(parameters(24, _TEXT)), schema(parameters(16, _EITHER), required=list(parameters(16, _EITHER)))]

EQUIVALENTS: tuple[EquivalentRequest, ...] = (
    EquivalentRequest(
        "ant-program-without-calls",
        "A program that has called nothing waits without a container.",
        ("ANT-31",),
        run_code_beside_a_call,
        (ONE_CALL, TWO_CALLS),
    ),
    EquivalentRequest(
        "ant-program-ended",
        "A program ends in a later turn.",
        ("ANT-31", "ANT-23"),
        end_the_program,
        (PROGRAM,),
    ),
    EquivalentRequest(
        "ant-program-calls-again",
        "A program calls again in a later turn.",
        ("ANT-32", "ANT-23"),
        call_again_from_the_program,
        (PROGRAM,),
    ),
    EquivalentRequest(
        "ant-container-with-skills",
        "A container as an object.",
        ("ANT-31",),
        name_the_container_with_skills,
        (PROGRAM,),
    ),
    EquivalentRequest(
        "ant-remote-tool-found",
        "A reference to a tool of an MCP server.",
        ("ANT-33",),
        refer_to_a_remote_tool,
        (SEARCHED,),
    ),
    EquivalentRequest(
        "ant-tool-of-a-server-found",
        "A reference to a tool of a server that the body names.",
        ("ANT-33",),
        refer_to_a_tool_of_a_server,
        (SEARCHED,),
    ),
    EquivalentRequest(
        "ant-search-with-choice-none",
        "No tool may be called, and the found one is declared.",
        ("ANT-33",),
        setting(tool_choice={"type": "none"}),
        (SEARCHED,),
    ),
    EquivalentRequest(
        "ant-headers-unknown", "A block of a beta, and no headers.", ("ANT-35",), keep_the_headers_back, (FALLBACK,)
    ),
    EquivalentRequest(
        "ant-model-with-its-date",
        "The same model by another name.",
        ("ANT-34",),
        call_the_model_by_its_date,
        (MANUAL, OPUS_4_1),
    ),
    EquivalentRequest(
        "ant-strict-as-allowed",
        "As many strict tools, optional parameters and unions as are allowed.",
        ("ANT-36",),
        strict(*_ALLOWED, *[schema({})] * 18),
        (ONE_CALL, TWO_CALLS),
    ),
    EquivalentRequest(
        "ant-same-words-without-thinking",
        "Of two turns that say the same, the first has no thinking any more.",
        ("ANT-15",),
        forget_the_thoughts_of_the_same_words,
        (SAME_WORDS,),
    ),
    EquivalentRequest(
        "ant-begins-with-text",
        "The history begins with text and a call.",
        ("ANT-01",),
        begin_with_text_and_a_call,
        (ONE_CALL, FOREIGN),
    ),
    EquivalentRequest(
        "ant-system-message-behind-a-search",
        "Instructions behind a search of the provider's.",
        ("ANT-24",),
        instruct_behind_a_search,
        (SYSTEM_MESSAGE,),
    ),
)
