"""The tools by themselves: what they do to the file, what the model is told, what the user is told."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest

from harness.errors import BadInput
from harness.loop import SCREENSHOT_TO_CODE, FileState, ToolCall, ToolOutcome, ToolRuntime
from harness.loop.tools import Implementation, implementation
from harness.scenario import CANONICAL, Tool
from harness.scenario import tools as scenario_tools
from harness.scenario.tools import ScenarioTool
from harness.wire import ToolDeclaration
from tests.case_tables import from_table

PAGE = '<html><body><p id="a">one</p><p>two</p><p>two</p></body></html>'


def run(tools: ToolRuntime, name: str, arguments: Any) -> ToolOutcome:
    """Run one call; ``arguments`` that are no text are sent as JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return anyio.run(tools.run, ToolCall("c", name, text))


def with_file(content: str = PAGE) -> ToolRuntime:
    return ToolRuntime(file=FileState("index.html", content))


def declared(name: str, **answer: Any) -> Tool:
    return Tool(ToolDeclaration(name, "", {"type": "object"}), **answer)


def assert_refused(outcome: ToolOutcome, error: str, summary: str | None = None) -> None:
    assert outcome.ok is False
    assert outcome.code is None
    assert isinstance(outcome.result, dict)
    assert isinstance(outcome.summary, dict)
    assert outcome.result["error"] == error
    assert outcome.summary["error"] == (summary or error)


# --- the runtime -------------------------------------------------------------------------------------------


def test_every_canonical_tool_has_an_implementation() -> None:
    assert all(isinstance(implementation(name), Implementation) for name in CANONICAL)
    assert [tool.name for tool in ToolRuntime().declarations] == list(CANONICAL)


def test_tools_are_offered_in_the_order_given() -> None:
    edit = Tool(CANONICAL["edit_file"], canonical=True)
    tools = ToolRuntime([declared("look"), edit])
    assert tools.declarations == (declared("look").declaration, CANONICAL["edit_file"])


def test_an_unknown_tool_is_an_error_result() -> None:
    assert_refused(run(ToolRuntime(), "delete_universe", {"confirm": True}), "Unknown tool: delete_universe")
    assert_refused(run(ToolRuntime([]), "create_file", {"content": "x"}), "Unknown tool: create_file")


def test_a_tool_given_twice_or_without_an_implementation_is_bad_input() -> None:
    with pytest.raises(BadInput, match="'look' is declared twice"):
        ToolRuntime([declared("look"), declared("look")])
    with pytest.raises(BadInput, match="no tool 'paint'; there are create_file, edit_file"):
        ToolRuntime([declared("paint", canonical=True)])


def test_a_declared_tool_returns_or_fails_as_declared() -> None:
    tools = ToolRuntime([declared("look", returns={"n": [1, None]}), declared("fail", raises="no such page")])
    assert run(tools, "look", {"anything": 1}) == ToolOutcome({"n": [1, None]}, {"n": [1, None]})
    assert_refused(run(tools, "fail", {}), "no such page")
    assert run(ToolRuntime([declared("fail", raises="")]), "fail", {}).ok is False
    assert_refused(run(tools, "look", [1]), "Tool arguments must be a JSON object", "Tool arguments are not an object")


def test_a_declared_tool_may_bear_a_canonical_name() -> None:
    tools = ToolRuntime([declared("create_file", returns="mine")])
    assert run(tools, "create_file", {}).result == "mine"
    assert not tools.previews("create_file")


def test_a_tool_that_raises_is_an_error_result(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_arguments: Any) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setitem(scenario_tools._TOOLS, "edit_file", ScenarioTool(CANONICAL["edit_file"], broken))
    edits = {"path": "index.html", "edits": []}
    assert_refused(run(ToolRuntime(), "edit_file", edits), "ZeroDivisionError: division by zero")


# --- arguments ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ['{"content": "<h', "{content: <p>}", '{"content": NaN}', '{"a": -Infinity}', "[" * 9999, '{"a": 1} x', '"\n"'],
)
@pytest.mark.parametrize("name", ["create_file", "edit_file", "look"])
def test_arguments_that_are_no_json_are_refused_and_change_nothing(name: str, text: str) -> None:
    tools = ToolRuntime([*(Tool(tool, canonical=True) for tool in CANONICAL.values()), declared("look")])
    outcome = run(tools, name, text)
    assert outcome.ok is False
    assert outcome.summary == {"error": "Invalid JSON tool arguments"}
    assert str(outcome.result["error"]).startswith("Tool arguments were invalid JSON: ")  # type: ignore[index, call-overload]
    assert tools.code is None


@pytest.mark.parametrize("text", ["[1, 2]", "42", '"hello"', "null", "true"])
def test_arguments_that_are_no_object_are_refused(text: str) -> None:
    outcome = run(ToolRuntime(), "create_file", text)
    assert_refused(outcome, "Tool arguments must be a JSON object", "Tool arguments are not an object")


@pytest.mark.parametrize("text", ["null", " null\n"])
@pytest.mark.parametrize("name", CANONICAL)
def test_a_policy_may_read_null_as_no_arguments_which_every_built_in_tool_refuses(name: str, text: str) -> None:
    tools = ToolRuntime(policy=SCREENSHOT_TO_CODE)
    assert run(tools, name, text) == run(tools, name, {})
    assert not run(tools, name, text).ok
    assert tools.call_summary(ToolCall("c", name, text)) == tools.summary(name, {})
    assert_refused(
        run(ToolRuntime(), name, text), "Tool arguments must be a JSON object", "Tool arguments are not an object"
    )


@pytest.mark.parametrize("text", ["[]", "false", "0", '""', "nul", "[null]"])
def test_nothing_but_null_is_read_as_no_arguments(text: str) -> None:
    assert "arguments" in str(run(ToolRuntime(policy=SCREENSHOT_TO_CODE), "edit_file", text).summary)


def test_a_call_with_null_is_never_run() -> None:
    """Neither is a tool that requires nothing, nor is an output accepted, nor is anybody asked to approve it."""
    kept = [declared("look", returns=1), declared("create_file", returns=1)]
    edit = Tool(CANONICAL["edit_file"], canonical=True, kind="output")
    images = Tool(CANONICAL["generate_images"], canonical=True, kind="unapproved")
    tools = ToolRuntime([*kept, edit, images], policy=SCREENSHOT_TO_CODE)
    for tool in tools.declarations:
        assert run(tools, tool.name, "null").ok is False, tool.name
        assert not tools.accepts(ToolCall("c", tool.name, "null")), tool.name


@pytest.mark.parametrize("text", ["", "  \n"])
def test_no_arguments_are_an_empty_object(text: str) -> None:
    assert run(ToolRuntime([declared("look", returns=1)]), "look", text).ok


def test_an_argument_may_have_any_name() -> None:
    """One real loop signals a parse error by this key among the arguments, and so refuses arguments that hold it."""
    outcome = run(ToolRuntime(), "create_file", {"content": "x", "INVALID_JSON": "x"})
    assert outcome.ok


def test_of_a_repeated_key_the_last_value_counts() -> None:
    assert run(ToolRuntime(), "create_file", '{"content": "a", "content": "b"}').code == "b"


@from_table(__file__, "test_halves_of_surrogate_pairs_are_joined_or_replaced")
def test_halves_of_surrogate_pairs_are_joined_or_replaced(text: str, content: str) -> None:
    assert run(ToolRuntime(), "create_file", text).code == content


def test_nothing_with_half_a_pair_leaves_a_tool() -> None:
    tools = ToolRuntime([declared("look")])
    call = ToolCall("c", "look", '{"\\ud83d": ["\\ud83d", {"a": "\\ud83d"}]}')
    assert tools.call_summary(call) == {"\ufffd": ["\ufffd", {"a": "\ufffd"}]}
    assert tools.call_summary(ToolCall("c", "look", "\ud83d")) == {"arguments": "\ufffd"}
    assert run(tools, "\ud83d", {}).result == {"error": "Unknown tool: \ufffd"}


def test_the_summary_of_arguments_that_do_not_parse_is_their_beginning() -> None:
    summary = ToolRuntime().call_summary(ToolCall("c", "create_file", "x" * 201))
    assert summary == {"arguments": "x" * 200 + "..."}


def test_the_summary_of_an_unknown_tool_is_its_arguments() -> None:
    assert ToolRuntime().call_summary(ToolCall("c", "destroy", '{"confirm": true}')) == {"confirm": True}


# --- create_file -------------------------------------------------------------------------------------------


def test_create_file() -> None:
    tools = ToolRuntime()
    outcome = run(tools, "create_file", {"path": "a/b.html", "content": PAGE})
    assert outcome == ToolOutcome(
        result={
            "content": "Successfully created file at a/b.html.",
            "details": {"path": "a/b.html", "contentLength": len(PAGE)},
        },
        summary={"path": "a/b.html", "contentLength": len(PAGE), "preview": PAGE},
        ok=True,
        code=PAGE,
    )
    assert tools.file == FileState("a/b.html", PAGE)


def test_create_file_replaces_the_file() -> None:
    tools = with_file()
    run(tools, "create_file", {"path": "b.html", "content": "new"})
    assert tools.file == FileState("b.html", "new")


@pytest.mark.parametrize("path", [None, ""])
def test_a_file_without_a_path_is_the_current_one_or_the_index(path: Any) -> None:
    tools = ToolRuntime()
    run(tools, "create_file", {"path": path, "content": "x"})
    assert tools.file.path == "index.html"
    run(tools, "create_file", {"path": "b.html", "content": "x"})
    run(tools, "create_file", {"path": path, "content": "y"})
    assert tools.file == FileState("b.html", "y")


@pytest.mark.parametrize(
    "content",
    [
        "  ",
        "just words",
        f"<!-- first -->{PAGE}<script></script>",
        '<file path="x">in</file>',
        f"{PAGE}{PAGE}",
        f"{PAGE}\n",
    ],
)
def test_content_is_kept_as_it_came(content: str) -> None:
    """The real loop keeps the first page of it, or the inside of the first ``<file>``."""
    assert run(ToolRuntime(), "create_file", {"content": content}).code == content


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        (f"<!-- first -->{PAGE}<script></script>", PAGE),
        (f"{PAGE}\n", PAGE),
        ("just words", "just words"),
        ("```html\n<p>\n```", "```html\n<p>\n```"),
        ('<file path="x">in</file>', '<file path="x">in</file>'),
        ("<html>breaks off", "<html>breaks off"),
    ],
)
def test_a_page_is_cut_out_of_the_content_where_the_policy_says_so(content: str, kept: str) -> None:
    tools = ToolRuntime(policy=SCREENSHOT_TO_CODE)
    outcome = run(tools, "create_file", {"content": content})
    size = {"path": "index.html", "contentLength": len(kept)}
    assert (outcome.code, tools.code) == (kept, kept)
    assert outcome.summary == {**size, "preview": kept}
    assert outcome.result == {"content": "Successfully created file at index.html.", "details": size}


@from_table(__file__, "test_content_that_is_none_is_refused")
def test_content_that_is_none_is_refused(arguments: Any, error: str, summary: str) -> None:
    tools = ToolRuntime()
    assert_refused(run(tools, "create_file", arguments), error, summary)
    assert tools.file == FileState()


@pytest.mark.parametrize(
    "path",
    [
        *["../x", "a/../../x", "a/..", "..", "/etc/passwd", "//host/share/x", "\\x", "a\\..\\..\\x"],
        *["C:\\x", "c:x", "C:/x", "a\0b", "a\nb", ".", "./"],
    ],
)
def test_a_path_outside_the_project_is_refused(path: str) -> None:
    tools = ToolRuntime()
    outcome = run(tools, "create_file", {"path": path, "content": "x"})
    assert_refused(outcome, "path must be a relative path to a file inside the project", "Invalid path")
    assert tools.file == FileState()


@pytest.mark.parametrize("path", ["index.html", "./index.html", "a/b c/ü.html", "..hidden", "a..b", "日本.html"])
def test_a_path_inside_the_project_is_taken_as_written(path: str) -> None:
    tools = ToolRuntime()
    assert run(tools, "create_file", {"path": path, "content": "x"}).ok
    assert tools.file.path == path


def test_summaries_of_create_file_are_cut() -> None:
    content = "x" * 400
    summary = ToolRuntime().call_summary(ToolCall("c", "create_file", json.dumps({"path": "p", "content": content})))
    assert summary == {"path": "p", "contentLength": 400, "preview": "x" * 200 + "..."}
    outcome = run(ToolRuntime(), "create_file", {"content": content})
    assert outcome.summary == {"path": "index.html", "contentLength": 400, "preview": "x" * 320 + "..."}
    exactly = ToolRuntime().call_summary(ToolCall("c", "create_file", json.dumps({"content": "x" * 200})))
    assert exactly == {"contentLength": 200, "preview": "x" * 200}
