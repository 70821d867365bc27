"""Tools that the provider runs: their results, the program that waits for the client, references, blocks of betas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from harness.finding import Finding
from harness.wire.anthropic_messages.blocks import blocks_of
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.anthropic_messages.rules.history import (
    AnthropicHistory,
    ContentBlock,
    Run,
    is_server_result,
    is_server_tool,
)
from harness.wire.base import Certainty
from harness.wire.lenient import objects, string
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
)


@HISTORY_RULES.check("content", ANT_23)
def server_tools(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-23: a server tool's use has its result in the same turn or behind it, and the other way round.

    It may still be running while all that follows is the results of calls made beside it, or by it.
    """
    used = set(history.prefix.server_tools)
    answered = _answered(history)
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


def _answered(history: AnthropicHistory) -> set[str]:
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
)


@HISTORY_RULES.check("content", ANT_32, only_with=("tool_use", "server_tool_use"))
def callers(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-32: the program that has made a call stands before it."""
    known = set(history.prefix.server_tools)
    for run in history.runs:
        known.update(block.id for block in run.of("server_tool_use"))
        for block in run.programmed:
            source = _source(block)
            if source and source not in known:
                expected = f"the server_tool_use {source} before the call"
                yield ANT_32.broken(block.at, expected=expected, got="none", source=source, id=block.id)


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
)


@HISTORY_RULES.check("content", ANT_33, only_with=("tool_result", "tool_search_tool_result"))
def references(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-33: each tool that the history refers to is declared; those of an MCP server are not listed."""
    for block in [block for run in history.runs for block in _referring(run)]:
        declared = history.settings.tool_names
        if declared is None:
            return
        for name in _referred(block.native.get("content")):
            if name not in declared and name not in _added(history):
                expected, got = "a declared tool", name
                yield ANT_33.broken(block.at, expected=expected, got=got, name=name)


def _added(history: AnthropicHistory) -> set[str]:
    """The tools that messages declare themselves."""
    blocks = [block for message in objects(history.messages) for block in blocks_of(message.get("content"))]
    added = [block.get("tool") for block in blocks if block.get("type") == "tool_addition"]
    return {string(tool.get("name")) for tool in added if isinstance(tool, dict)}


def _referring(run: Run) -> list[ContentBlock]:
    """The results in which tools may be referred to."""
    return run.results or run.of("tool_search_tool_result")


def _referred(content: object) -> Iterator[str]:
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
)


@HISTORY_RULES.check("content", ANT_31, only_with=("tool_result",))
def container_is_named(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-31: the container of a program that waits for the client's results and has called tools itself.

    A loop whose case has never named a container cannot know it.
    """
    runs = history.runs
    if len(runs) < 2 or runs[-1].kinds != {"tool_result"} or history.settings.container:
        return
    answered = _answered(history)
    source = next((source for block in runs[-2].programmed if (source := _source(block)) not in answered), "")
    if source and (containers := _containers(history, source)):
        expected = f"container: {containers[-1] or 'that of the response'}"
        yield ANT_31.broken("container", expected=expected, got="no container")


def _source(block: ContentBlock) -> str:
    """The program that has made a call."""
    return string(block.native["caller"]["tool_id"])


def _containers(history: AnthropicHistory, source: str) -> list[str]:
    """The containers that the loop was given, ``[""]`` where the endpoint has not issued the program itself."""
    if history.issued.number({"type": "server_tool_use", "id": source}) is None:
        return [""]
    return [reply.container for _, reply in history.issued.turns if reply.container]


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
)


@HISTORY_RULES.check("types", ANT_35, only_with=BETAS)
def beta_blocks(history: AnthropicHistory) -> Iterator[Finding]:
    """ANT-35: a block of a beta comes with its header. Nothing is said of requests whose headers are not known.

    Nor of a loop that has never asked for the beta and was sent such a block: the header is not what it has lost.
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
