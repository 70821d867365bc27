"""Tools that the provider runs: their results, the program that waits for the client, references, blocks of betas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Final

from harness.finding import Finding
from harness.wire.anthropic_messages.blocks import blocks_of
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.anthropic_messages.rules.history import (
    AnthropicHistory,
    ContentBlock,
    HistoryPart,
    Run,
    is_server_result,
    is_server_tool,
)
from harness.wire.anthropic_messages.rules.places import (
    betas,
    blocks,
    calls_of,
    latest_calling,
    messages,
    of_kind,
    results_of,
    say,
    search,
    take,
    text,
    tools,
    turns,
)
from harness.wire.base import Certainty, Json
from harness.wire.lenient import objects, string
from harness.wire.posted import Posted, Right, Wrong, add, drop, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_CLAUDE_CODE: Final = "https://github.com/anthropics/claude-code/issues"
_MEASURED: Final = "measured live by pydantic-ai: recording test_unpaired_native_tool_calls"
_PYTHON: Final = "https://github.com/anthropics/anthropic-sdk-python"
_TYPESCRIPT: Final = "https://github.com/anthropics/anthropic-sdk-typescript"
_VERCEL: Final = "recorded by vercel/ai, with its request id: fixture"
_TOOL_SEARCH: Final = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool"

BETAS: Final[Mapping[str, str]] = {
    "fallback": "server-side-fallback",
    "compaction": "compact",
    "mcp_tool_use": "mcp-client",
    "mcp_tool_result": "mcp-client",
    "advisor_tool_result": "advisor-tool",
}
"""The betas to which types of blocks belong, without their dates."""


def _drop(posted: Posted, kind: str) -> bool:
    """Drop a block of a turn that is over, because a later message follows."""
    for at, message in enumerate(messages(posted)):
        over = any(each["role"] == "user" and each["content"] != results_of(each) for each in messages(posted)[at:])
        if over and (found := of_kind(message["content"], kind)):
            return bool(take(posted, message, found[0]))
    return False


def _beside_a_call(posted: Posted, block: Json) -> bool:
    """The provider runs a tool of its own, and the model calls others beside it."""
    found = latest_calling(posted)
    return any(add([turn], "content", block, at=turn["content"].index(calls_of(turn)[0])) for turn in found)


ANT_23: Final = WireRule(
    "ANT-23",
    "A server_tool_use or mcp_tool_use has its result in the same turn, or in a later one where it had to wait for the "
    "client's results, and such a result its use. It may still be running while all that follows is the results of "
    "calls made beside it, or by it.",
    "A loop that drops the provider's own tool blocks, or adds a reminder to the results of a mixed batch, breaks the "
    "pair.",
    "certain",
    (_MEASURED, f"{_CLAUDE_CODE}/64383", "https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools"),
    (
        ErrorTemplate(
            "`{name}` tool use with id `{id}` was found without a corresponding `{result}` block",
            seen="`tool_search_tool_regex` tool use with id `srvtoolu_018yKDHFpyBNErTrzqbP8etq` was found without "
            "a corresponding `tool_search_tool_result` block",
            name="use",
        ),
        ErrorTemplate(
            "{at}: unexpected `tool_use_id` found in `{kind}` blocks: {id}. "
            "Each `{kind}` block must have a corresponding `{use}` block before it.",
            seen="messages.7.content.0: unexpected `tool_use_id` found in `advisor_tool_result` blocks: "
            "srvtoolu_01JjfQsdhSJkT7qLCL7Pj9jc. Each `advisor_tool_result` block must have a corresponding "
            "`server_tool_use` block before it.",
            name="result",
        ),
    ),
    wrong=(
        Wrong(
            "ant-search-result-dropped",
            "The result of the provider's own search is left out.",
            lambda it: _drop(it, "web_search_tool_result"),
            "paused",
        ),
        Wrong(
            "ant-search-dropped",
            "The search itself is left out.",
            lambda it: _drop(it, "server_tool_use"),
            "paused",
            says="result",
        ),
    ),
    right=(
        Right(
            "ant-search-still-running",
            "A server tool still runs.",
            lambda it: _beside_a_call(it, search("srvtoolu_01running")),
            "one-call two-calls",
        ),
    ),
)


@HISTORY_RULES.carry(frozenset[str]())
def _server_tools(before: frozenset[str], part: HistoryPart) -> frozenset[str]:
    """The ids of the tools that the provider has run."""
    return before.union(block.id for block in part.blocks if is_server_tool(block.kind))


@HISTORY_RULES.check("content", ANT_23)
def server_tools(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-23: a server tool's use has its result in the same turn or after it, and the other way round.

    It may still be running if only results of calls made beside it, or by it, follow.
    """
    used = {*history.before(_server_tools)}
    answered = _answered_ids(history)
    spoken = [run for run in history.runs if run.kinds - {"tool_result"}]
    calling = {_source(block) for run in spoken[-1:] for block in run.programmed}
    for run in history.runs:
        for block in run.blocks:
            if is_server_tool(block.kind):
                used.add(block.id)
                if run is not spoken[-1] and block.id not in answered and block.id not in calling:
                    yield _without_result(block)
            elif is_server_result(block) and block.id not in used:
                yield _without_use(block)


def _answered_ids(history: AnthropicHistory) -> set[str]:
    return {block.id for run in history.runs for block in run.blocks if is_server_result(block)}


def _without_result(block: ContentBlock) -> Finding:
    name = "mcp" if block.kind == "mcp_tool_use" else str(block.native.get("name"))
    result = "tool_search_tool_result" if name.startswith("tool_search_tool") else f"{name}_tool_result"
    expected = f"its {result} in the same turn"
    return ANT_23.broken(block.at, expected=expected, got="none", name=name, id=block.id, result=result)


def _without_use(block: ContentBlock) -> Finding:
    use = "mcp_tool_use" if block.kind == "mcp_tool_result" else "server_tool_use"
    expected, kind = f"a {use} block before it", block.kind
    return ANT_23.broken(
        block.at, expected=expected, got=block.id or "no id", template="result", id=block.id, kind=kind, use=use
    )


def _drop_the_program(posted: Posted) -> bool:
    """Remove the program and leave the call that it has made."""
    for turn in turns(posted):
        sources = [call["caller"].get("tool_id") for call in calls_of(turn) if "caller" in call]
        for block in [each for each in of_kind(turn["content"], "server_tool_use") if each["id"] in sources][:1]:
            turn["content"].remove(block)
            return True
    return False


def _call_again_from_the_program(posted: Posted) -> bool:
    """The program makes another call in a later turn that does not contain the program itself."""
    if "container" not in posted.body or not (calls := blocks(posted, "tool_use")):
        return False
    caller = {"type": "code_execution_20260120", "tool_id": "srvtoolu_01program"}
    say(posted, "assistant", [{**deepcopy(calls[-1]), "id": "toolu_01again", "caller": caller}])
    return say(posted, "user", [{"type": "tool_result", "tool_use_id": "toolu_01again", "content": "ok"}])


ANT_32: Final = WireRule(
    "ANT-32",
    "A call that a program has made (caller with a tool_id) goes back with the server_tool_use of that program before "
    "it.",
    "A loop that drops the provider's own blocks keeps the calls that they have made.",
    "certain",
    (
        f"{_VERCEL} anthropic-issue-12504-orphaned-caller-error",
        "accepted with it: recording test_programmatic_tool_use",
    ),
    (
        ErrorTemplate(
            "source tool `{source}` not found for tool use block `{id}`",
            seen="source tool `srvtoolu_01Issue12504Source` not found for tool use block `toolu_01Issue12504Lookup`",
            name="orphan",
        ),
    ),
    wrong=(
        Wrong("ant-program-dropped", "A call goes back without the program.", _drop_the_program, "program"),
        Wrong(
            "ant-call-from-nowhere",
            "A call names a program that is not there.",
            lambda it: put(
                blocks(it, "tool_use")[:1], caller={"type": "code_execution_20260120", "tool_id": "srvtoolu_01nowhere"}
            ),
            "one-call",
        ),
    ),
    right=(
        Right(
            "ant-program-calls-again",
            "A program calls again in a later turn.",
            _call_again_from_the_program,
            "program",
            also=("ANT-23",),
        ),
    ),
)


@HISTORY_RULES.check("content", ANT_32, only_with=("tool_use", "server_tool_use"))
def callers(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-32: the program that has made a call comes before it."""
    known = {*history.before(_server_tools)}
    for run in history.runs:
        known.update(block.id for block in run.of("server_tool_use"))
        for block in run.programmed:
            source = _source(block)
            if source and source not in known:
                expected = f"the server_tool_use {source} before the call"
                yield ANT_32.broken(block.at, expected=expected, got="none", source=source, id=block.id)


def _found(posted: Posted) -> list[Json]:
    """What searches for tools have found."""
    return [block["content"] for block in blocks(posted, "tool_search_tool_result")]


def _find_another(posted: Posted) -> bool:
    return add(_found(posted), "tool_references", {"type": "tool_reference", "tool_name": "ask_question"})


ANT_33: Final = WireRule(
    "ANT-33",
    "A tool that the history refers to (tool_reference) is declared, also where none may be called; and not every tool "
    "is declared with defer_loading.",
    "A loop that sends only the tools of the moment, or none in its last turn, forgets those that a search has found.",
    "certain",
    (
        f"{_VERCEL} anthropic-tool-choice-none-tool-search-history.error",
        f"{_TOOL_SEARCH}, where the first text is in older words: Tool reference 'unknown_tool' has no corresponding "
        "tool definition",
        "tools of an MCP server are not listed in a request, so nothing is said where it has one",
    ),
    (
        ErrorTemplate(
            "Tool reference '{name}' not found in available tools",
            seen="Tool reference 'lookup_documents' not found in available tools",
            name="undeclared",
        ),
        verbatim("All tools have defer_loading set. At least one tool must be non-deferred.", name="all-deferred"),
    ),
    wrong=(
        Wrong(
            "ant-found-tool-forgotten",
            "A tool that was found is not declared.",
            lambda it: (
                _found(it) and put([it.body], tools=[tool for tool in it.body["tools"] if "input_schema" not in tool])
            ),
            "tool-search",
        ),
        Wrong(
            "ant-found-tools-gone",
            "No tool is declared after a search.",
            lambda it: _found(it) and drop([it.body], "tools"),
            "tool-search",
        ),
        Wrong(
            "ant-reference-to-nothing",
            "A result refers to a tool that is not declared.",
            lambda it: put(
                blocks(it, "tool_result")[:1], content=[{"type": "tool_reference", "tool_name": "a_tool_of_yesterday"}]
            ),
            "one-call two-calls",
        ),
        Wrong(
            "ant-all-deferred",
            "Every tool is deferred.",
            lambda it: put(tools(it), defer_loading=True),
            "one-call two-calls manual-thinking",
            says="all-deferred",
        ),
    ),
    right=(
        Right(
            "ant-remote-tool-found",
            "A reference to a tool of an MCP server.",
            lambda it: (
                _find_another(it) and add([it.body], "tools", {"type": "mcp_toolset", "mcp_server_name": "deepwiki"})
            ),
            "tool-search",
        ),
        Right(
            "ant-tool-of-a-server-found",
            "A reference to a tool of a server that the body names.",
            lambda it: (
                _find_another(it)
                and put([it.body], mcp_servers=[{"type": "url", "url": "https://a.test", "name": "deepwiki"}])
            ),
            "tool-search",
        ),
        Right(
            "ant-search-with-choice-none",
            "No tool may be called, and the found one is declared.",
            lambda it: put([it.body], tool_choice={"type": "none"}),
            "tool-search",
        ),
    ),
)


@HISTORY_RULES.check("content", ANT_33, only_with=("tool_result", "tool_search_tool_result"))
def references(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-33: each tool that the history refers to is declared; tools of an MCP server are not listed."""
    for block in [block for run in history.runs for block in _referring(run)]:
        declared = history.settings.tool_names
        if declared is None:
            return
        for name in _referenced_names(block.native.get("content")):
            if name not in declared and name not in _tools_in_messages(history):
                expected, got = "a declared tool", name
                yield ANT_33.broken(block.at, expected=expected, got=got, name=name)


def _tools_in_messages(history: AnthropicHistory) -> set[str]:
    """The tools that messages declare themselves."""
    blocks = [block for message in objects(history.messages) for block in blocks_of(message.get("content"))]
    added = [block.get("tool") for block in blocks if block.get("type") == "tool_addition"]
    return {string(tool.get("name")) for tool in added if isinstance(tool, dict)}


def _referring(run: Run) -> list[ContentBlock]:
    """The results in which tools may be referred to."""
    return run.results or run.of("tool_search_tool_result")


def _referenced_names(content: object) -> Iterator[str]:
    listed = content.get("tool_references") if isinstance(content, dict) else content
    for each in objects(listed):
        if each.get("type") == "tool_reference" and isinstance(each.get("tool_name"), str):
            yield each["tool_name"]


_TAGS: Final = (
    *("bash_code_execution_tool_result", "code_execution_tool_result", "connector_text", "container_upload"),
    *("document", "image", "mid_conv_system", "redacted_thinking", "search_result", "server_tool_use", "text"),
    *("text_editor_code_execution_tool_result", "thinking", "tool_result", "tool_search_tool_result", "tool_use"),
    *("web_fetch_tool_result", "web_search_tool_result"),
)
"""Types of blocks without any beta, as a refusal has named them."""


_PROGRAM: Final = "srvtoolu_01program"


def _run_code_beside_a_call(posted: Posted) -> bool:
    """A program that has called nothing waits beside a call of the model's, and no container is named."""
    code = {"type": "server_tool_use", "id": _PROGRAM, "name": "code_execution", "input": {"code": "1"}}
    return _beside_a_call(posted, code)


def _end_the_program(posted: Posted) -> bool:
    """The program has ended in a later turn, so that no container need be named."""
    printed = {"type": "code_execution_result", "stdout": "1", "stderr": "", "return_code": 0, "content": []}
    ended = {"type": "code_execution_tool_result", "tool_use_id": _PROGRAM, "content": printed}
    return (
        drop([posted.body], "container")
        and say(posted, "assistant", [ended, text("It prints 1.")])
        and say(posted, "user", "Go on.")
    )


ANT_31: Final = WireRule(
    "ANT-31",
    "A request that answers calls while code on the provider's side still waits, code that has called tools itself, "
    "names the container in which it runs.",
    "The calls of a program, and searches that filter their results by code, leave the program waiting. A loop that "
    "keeps the messages of a response and forgets its container cannot go on.",
    "certain",
    (
        f"{_TYPESCRIPT}/issues/1114",
        f"{_TYPESCRIPT}/pull/1073",
        f"{_PYTHON}/pull/1150",
        f"{_PYTHON}/issues/1865",
        "https://github.com/UKGovernmentBEIS/inspect_ai/pull/4603",
        "https://github.com/defog-ai/defog/issues/270",
        f"a pause in which the code has called nothing is accepted without: {_PYTHON}/issues/1801",
        "accepted with the container: recordings test_programmatic_tool_use and test_programmatic_tool_use_streaming",
        f"some streamed responses named no container ({_PYTHON}/issues/1801): a loop that was given none is not blamed",
    ),
    (
        verbatim(
            "container_id is required when there are pending tool uses generated by code execution with tools.",
            name="missing",
        ),
    ),
    wrong=(
        Wrong(
            "ant-container-forgotten",
            "A program waits for a result, and its container is not named.",
            lambda it: drop([it.body], "container"),
            "program",
        ),
        Wrong(
            "ant-container-without-id",
            "A program waits for a result, and only the skills of its container are named.",
            lambda it: (
                "container" in it.body
                and put([it.body], container={"skills": [{"type": "anthropic", "skill_id": "xlsx"}]})
            ),
            "program",
        ),
    ),
    right=(
        Right(
            "ant-program-without-calls",
            "A program that has called nothing waits without a container.",
            _run_code_beside_a_call,
            "one-call two-calls",
        ),
        Right("ant-program-ended", "A program ends in a later turn.", _end_the_program, "program", also=("ANT-23",)),
        Right(
            "ant-container-with-skills",
            "A container as an object.",
            lambda it: (
                (named := it.body.get("container"))
                and put([it.body], container={"id": named, "skills": [{"type": "anthropic", "skill_id": "xlsx"}]})
            ),
            "program",
        ),
    ),
)


@HISTORY_RULES.check("content", ANT_31, only_with=("tool_result",))
def container_is_named(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-31: the container of a program that waits for the client's results and has called tools itself.

    A loop whose case has never named a container cannot know it.
    """
    runs = history.runs
    if len(runs) < 2 or runs[-1].kinds != {"tool_result"} or history.settings.container:
        return
    answered = _answered_ids(history)
    source = next((source for block in runs[-2].programmed if (source := _source(block)) not in answered), "")
    if source and (containers := _containers(history, source)):
        expected = f"container: {containers[-1] or 'that of the response'}"
        yield ANT_31.broken("container", expected=expected, got="no container")


def _source(block: ContentBlock) -> str:
    """The program that has made a call."""
    return string(block.native["caller"]["tool_id"])


def _containers(history: AnthropicHistory, source: str) -> list[str]:
    """The containers that the loop got; ``[""]`` if the endpoint has not issued the program itself."""
    if history.issued.number({"type": "server_tool_use", "id": source}) is None:
        return [""]
    return [reply.container for _, reply in history.issued.turns if reply.container]


def _compact(posted: Posted) -> bool:
    """Begin with a block of a beta whose header is missing; the other headers are there."""
    if "x-api-key" not in posted.headers or posted.body.get("thread"):
        return False
    return say(posted, "assistant", [{"type": "compaction", "content": "A summary."}], at=0)


def _keep_the_headers_back(posted: Posted) -> bool:
    posted.headers.clear()
    return bool(blocks(posted, "fallback"))


ANT_35: Final = WireRule(
    "ANT-35",
    "A block whose type belongs to a beta (fallback, compaction, mcp_tool_use, advisor_tool_result) goes back with "
    "that beta in the header anthropic-beta.",
    "A loop that sets the header for the request that needs it, and not for those that follow, cannot send the answer "
    "back.",
    "certain",
    (
        f"{_VERCEL} anthropic-fallback-replay-without-beta.error",
        "of other blocks than fallback: likely, only the types of the betas of anthropic 2.12 have them",
        "nothing is said of requests whose headers are not known, nor of a block that came in a case that never asked "
        "for its beta",
    ),
    (
        ErrorTemplate(
            "{at}: Input tag '{tag}' found using 'type' does not match any of the expected tags: {tags}",
            seen="messages.1.content.0: Input tag 'fallback' found using 'type' does not match any of the expected "
            "tags: 'bash_code_execution_tool_result', 'code_execution_tool_result', 'connector_text', "
            "'container_upload', 'document', 'image', 'mid_conv_system', 'redacted_thinking', 'search_result', "
            "'server_tool_use', 'text', 'text_editor_code_execution_tool_result', 'thinking', 'tool_result', "
            "'tool_search_tool_result', 'tool_use', 'web_fetch_tool_result', 'web_search_tool_result'",
            name="without",
        ),
    ),
    wrong=(
        Wrong(
            "ant-beta-forgotten",
            "A block of a beta comes without its header.",
            lambda it: blocks(it, "fallback") and "fallback" in betas(it) and it.headers.pop("anthropic-beta"),
            "fallback",
        ),
        Wrong("ant-compaction-without-beta", "A compaction comes without its header.", _compact, "fallback"),
    ),
    right=(Right("ant-headers-unknown", "A block of a beta, and no headers.", _keep_the_headers_back, "fallback"),),
)


@HISTORY_RULES.check("types", ANT_35, only_with=BETAS)
def beta_blocks(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-35: a block of a beta comes with its header. Requests with unknown headers are not judged.

    Nor is a loop that never asked for the beta but got such a block: it has lost no header.
    """
    asked = history.settings.headers.get("anthropic-beta")
    if asked is None:
        return
    for run in history.runs:
        for block in run.of(*BETAS):
            if BETAS[block.kind] not in asked and not _came_unasked(block.kind, history):
                yield _without_beta(block)


def _came_unasked(kind: str, history: AnthropicHistory) -> bool:
    """Whether the endpoint has sent blocks of this kind, and only in answer to requests without their beta."""
    asked = [
        BETAS[kind] in asking.headers.get("anthropic-beta", "")
        for asking, reply in history.issued.turns
        if any(item.get("type") == kind for item in reply.items)
    ]
    return bool(asked) and not any(asked)


def _without_beta(block: ContentBlock) -> Finding:
    expected, got = f"anthropic-beta: {BETAS[block.kind]}-…", "no such beta"
    certainty: Certainty = "certain" if block.kind == "fallback" else "likely"
    tags = ", ".join(f"'{tag}'" for tag in _TAGS)
    return ANT_35.broken(block.at, expected=expected, got=got, certainty=certainty, tag=block.kind, tags=tags)
