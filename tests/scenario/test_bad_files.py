"""Every way to get a scenario wrong: the place, what was expected, what came, what to do."""

# ruff: noqa: E501 - the cases are a table, one a line
from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import BadInput
from harness.scenario import checking, load
from harness.scenario.authored import Authored
from tests.scenario.files import HEAD, SMALL, problems, write

MODEL = f"""\
{HEAD}prompt: Hello.
tools: [create_file, edit_file]
model:
  - STEP
expect:
  outcome: completed
"""

WAITING_TOOLS = """\
tools:
  - {name: ask, description: Ask., parameters: {type: object}, kind: external}
  - {name: drop, description: Drop., parameters: {type: object}, kind: unapproved, returns: done}"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("prompt: Hello.\n", "", "a.yaml:1:1: expected the key 'prompt', got only 'scenario', 'profile', 'summary', 'model', 'expect'; add it"),
        ("prompt:", "promt:", "a.yaml:4:1: expected the keys scenario, profile, suite, summary, wires, transport, stream, plays, turn_limit, answer_schema, prompt, tools, options, skills, resolve, caller, timeline, model, side, subagents, files, expect or vary, got 'promt'; remove or rename it; did you mean 'prompt'?"),
        ("prompt:", "plays: a-model\nprompt:", "a.yaml:4:8: expected one wire, which serves the model, got 7 wires; add 'wires: [openai-responses]', or the wire that serves it"),
        ("small\n", "Small one\n", "a.yaml:1:11: expected lower-case words joined by hyphens, got 'Small one'; write it like 'create-then-edit'"),
        ("universal", "universe", "a.yaml:2:10: expected 'universal', 'screenshot-to-code', 'pydantic-ai', 'tool-runner', 'hugind', 'resilient' or 'coding-agent', got 'universe'; write one of these; did you mean 'universal'?"),
        ("Small.", "''", "a.yaml:3:10: expected some text, got ''; write it, or remove the key"),
        ("Small.", "5", "a.yaml:3:10: expected text, got 5; write text, in quotes if it looks like something else"),
        ("Small.", "[x]", "a.yaml:3:10: expected text, got a list; write text"),
        ("prompt: Hello.", "prompt:", "a.yaml:4:8: expected text, got nothing; write text"),
        ("prompt: Hello.", "prompt: []", "a.yaml:4:9: expected at least one entry, got none; add one or remove the key"),
        ("prompt: Hello.", "prompt: [{}]", "a.yaml:4:10: expected exactly one of the keys system or user, got none of them; keep one"),
        ("prompt: Hello.", "prompt: [{user: a, system: b}]", "got 'system' and 'user'; keep one"),
        ("prompt: Hello.", "prompt: [{assistant: a}]", "a.yaml:4:11: expected the keys system or user, got 'assistant'"),
        ("prompt: Hello.", "prompt: x\nwires: some", "a.yaml:5:8: expected 'all' or 'native', got 'some'; write one of these"),
        ("prompt: Hello.", "prompt: x\nwires: [openai]", "a.yaml:5:9: expected 'openai-responses', 'openai-chat', 'anthropic-messages', 'gemini-generate', 'text-tags', 'bedrock-converse' or 'gemini-interactions', got 'openai'"),
        ("prompt: Hello.", "prompt: x\nvary: {chunking: [bytes]}", "a.yaml:5:19: expected 'whole', 'event', 'token', 'byte', 'adversarial' or 'random', got 'bytes'; write one of these; did you mean 'byte'?"),
        ("prompt: Hello.", "prompt: x\nvary: {chunking: everything}", "a.yaml:5:18: expected 'all', got 'everything'"),
        ("prompt: Hello.", "prompt: x\nvary: {}", "a.yaml:5:7: expected the keys chunking or dialect, got neither of them; add one, or remove 'vary'"),
        ("prompt: Hello.", "prompt: x\nvary: {dialect: some}", "a.yaml:5:17: expected 'all', got 'some'; write one of these"),
        ("prompt: Hello.", "prompt: x\nvary: {dialect: []}", "a.yaml:5:17: expected at least one entry, got none; add one or remove the key"),
        ("prompt: Hello.", "prompt: x\nvary: {dialect: [no-done, index-zer]}", "a.yaml:5:27: expected the name of a dialect, got 'index-zer'; write one of docs/dialects.md; did you mean 'index-zero'?"),
        ("prompt: Hello.", "prompt: x\nwires: [gemini-generate, openai-responses]\nvary: {dialect: [index-zero]}", "a.yaml:6:18: expected a dialect of gemini-generate or openai-responses, got 'index-zero', which neither has; add 'openai-chat' to 'wires', or remove it"),
        ("prompt: Hello.", "prompt: x\nwires: [text-tags]\nvary: {dialect: [index-zero]}", "a.yaml:6:18: expected a dialect of text-tags, got 'index-zero', which it has not; add 'openai-chat' to 'wires', or remove it"),
        ("prompt: Hello.", "prompt: x\nwires: [text-tags]\nvary: {dialect: all}", "a.yaml:6:17: expected a wire that has dialects, got text-tags; add 'openai-responses', "),
        ("prompt: Hello.", "prompt: x\nstream: false\nvary: {dialect: all}", "a.yaml:6:17: expected a scenario that is streamed, got 'stream: false'; remove one of them"),
        ("prompt: Hello.", "prompt: x\nstream: no", "a.yaml:5:9: expected true or false, got 'no'; write one of these"),
        ("prompt: Hello.", "prompt: x\nturn_limit: -1", "a.yaml:5:13: expected at least 0, got -1; use a larger number"),
        ("prompt: Hello.", "prompt: x\nturn_limit: '20'", "a.yaml:5:13: expected a whole number, got '20'; write a number without quotes"),
        ("prompt: Hello.", "prompt: x\ntools: [create_fil]", "a.yaml:5:9: expected 'create_file', 'edit_file', 'generate_images', 'remove_background', 'retrieve_option', 'read', 'write', 'edit', 'shell', 'search', 'ask' or 'delegate', got 'create_fil'; write one of these; did you mean 'create_file'?"),
        ("prompt: Hello.", "prompt: x\noptions: [<p>]", "a.yaml:5:10: expected the tool 'retrieve_option', which reads options, got no such tool; add it to 'tools', or remove 'options'"),
        ("prompt: Hello.", "prompt: x\nresolve: [{ask: approve}]", "a.yaml:5:1: expected 'resolve' only with profile 'pydantic-ai', got profile 'universal'; remove 'resolve'"),
        ("prompt: Hello.", "prompt: x\ncaller: [{after: 1, do: [generate_tool_response]}]", "expected 'caller' only with profile 'tool-runner', got profile 'universal'"),
        ("prompt: Hello.", "prompt: x\nskills: {pdf: {description: a, instructions: b}}", "expected 'skills' only with profile 'hugind', got profile 'universal'"),
        ("prompt: Hello.", "prompt: x\ntools: [{name: t, description: d, parameters: {type: object}, returns: 1, extra: more}]", "expected 'extra' only with profile 'pydantic-ai', got profile 'universal'; remove 'extra'"),
        ("universal", "hugind\nskills: {pdf: {description: a, instructions: b}}", "a.yaml:3:9: expected 'skills' only on the wire that reports them, got other wires; add 'wires: [text-tags]'"),
        ("universal", "tool-runner\nsuite: core", "a.yaml:3:1: expected 'suite' only with profile 'universal', got profile 'tool-runner'; remove it: the suite of this scenario is 'tool-runner'"),
        ("universal", "universal\nsuite: cor", "a.yaml:3:8: expected 'core', 'robustness', 'situations' or 'dialects', got 'cor'; write one of these; did you mean 'core'?"),
        ("universal", "hugind\nskills: {pdf: {description: a}}", "a.yaml:3:15: expected the key 'instructions', got only 'description'; add it"),
        ("universal", "pydantic-ai\nresolve: [{ask: approve}]", "a.yaml:3:17: expected a tool of kind 'external' or 'unapproved', got 'ask'; give a tool such a kind"),
        ("universal", "pydantic-ai\nTOOLS\nresolve: [{as: approve}]", "expected a tool of kind 'external' or 'unapproved', got 'as'; name one; did you mean 'ask'?"),
        ("universal", "pydantic-ai\nTOOLS\nresolve: [{ask: approve}]", "expected 'supply', 'fail' or 'deny' for a tool of kind 'external', got 'approve'; write one of these"),
        ("universal", "pydantic-ai\nTOOLS\nresolve: [{drop: [approve, {supply: 5}]}]", "expected 'approve' or 'deny' for a tool of kind 'unapproved', got 'supply'; write one of these"),
        ("universal", "pydantic-ai\nTOOLS\nresolve: [{drop: aprove}]", "expected 'approve', got 'aprove'; write one of these; did you mean 'approve'?"),
        ("universal", "pydantic-ai\nTOOLS\nresolve: [{drop: {deny: a, fail: b}}]", "expected exactly one of the keys deny, supply or fail, got 'deny' and 'fail'; keep one"),
        ("universal", "pydantic-ai\ntools: [{name: t, description: d, parameters: {type: object}, kind: external, returns: 1}]", "a.yaml:3:9: expected neither 'returns' nor 'raises' for a tool of kind 'external', got 'returns'; remove it: its result is under 'resolve'"),
        ("universal", "pydantic-ai\ntools: [{name: t, description: d, parameters: {type: object}, kind: output, raises: x}]", "got 'raises'; remove it: its arguments are the result"),
        ("universal", "pydantic-ai\ntools: [{name: t, description: d, parameters: {type: object}, returns: 1, finishes_after: t}]", "expected another tool that the loop runs at once, got 't'; name the tool that ends first"),
        ("universal", "pydantic-ai\ntools: [{name: t, description: d, parameters: {type: object}, returns: 1, finishes_after: ask}, {name: ask, description: d, parameters: {type: object}, kind: external}]", "expected another tool that the loop runs at once, got 'ask'; name the tool that ends first"),
        ("universal", "tool-runner\ncaller: [{after: 1, do: [generate_tool_response]}, {after: 1, do: [generate_tool_response]}]", "expected every turn once, got 1 again; put both lists together"),
        ("universal", "tool-runner\ncaller: [{after: 1, do: [{set_params: {max_tokens: 5}}]}]", "expected fields of one wire, since every provider has other names, got several wires; add 'wires: [...]'"),
        ("universal", "tool-runner\ncaller: [{after: 1, do: [{push_messages: [{users: a}]}]}]", "expected the keys turn, system, user or assistant, got 'users'; remove or rename it; did you mean 'user'?"),
        ("universal", "tool-runner\ncaller: [{after: 1, do: [{push_messages: [{turn: {old: a, knew: b}}]}]}]", "expected the keys old or new, got 'knew'; remove or rename it; did you mean 'new'?"),
        ("universal", "tool-runner\ncaller: [{after: 1, do: [{push_messages: [turns]}]}]", "expected 'turn', 'response' or 'history', got 'turns'; write one of these; did you mean 'turn'?"),
        ("universal", "tool-runner\ncaller: [{after: 0, do: [generate_tool_response]}]", "expected at least 1, got 0; use a larger number"),
        ("outcome: completed", "outcome: completed\n  sent: [{request: 0}]", "a.yaml:9:20: expected at least 1, got 0; use a larger number"),
        ("prompt: Hello.", "prompt: x\noptions: [5]", "a.yaml:5:11: expected text, got 5"),
        ("prompt: Hello.", "prompt: x\ntools: create_file", "a.yaml:5:8: expected a list, got 'create_file'; write '- ' before each entry"),
        ("  - text: Hi.", "  []", "a.yaml:6:3: expected at least one entry, got none"),
        ("  - text: Hi.", "  - Hi.", "a.yaml:6:5: expected a mapping, got 'Hi.'; write 'key: value'"),
        ("outcome: completed", "outcome:", "a.yaml:8:11: expected 'completed', 'truncated', 'refused', 'failed', 'turn-limit' or 'deferred', got nothing; write one of these"),
        ("outcome: completed", "outcome: complete", "a.yaml:8:12: expected 'completed', 'truncated', 'refused', 'failed', 'turn-limit' or 'deferred', got 'complete'; write one of these; did you mean 'completed'?"),
        ("outcome: completed", "outcome: completed\n  error: {kind: http}", "a.yaml:8:3: expected 'error' only with outcome 'failed' or 'turn-limit', got outcome 'completed'; remove 'error'"),
        ("outcome: completed", "outcome: failed\n  final: {equals: ''}", "a.yaml:8:3: expected 'final' only with an outcome that has a final event, got outcome 'failed'; remove 'final'"),
        ("outcome: completed", "outcome: [completed]", "a.yaml:8:12: expected two or more outcomes, each once, got [\"completed\"]; write a single one without brackets"),
        ("outcome: completed", "outcome: []", "a.yaml:8:12: expected two or more outcomes, each once, got []; write a single one without brackets"),
        ("outcome: completed", "outcome: [failed, completed, failed]", "a.yaml:8:12: expected two or more outcomes, each once, got [\"failed\", \"completed\", \"failed\"]"),
        ("outcome: completed", "outcome: [failed, complete]", "a.yaml:8:21: expected 'completed', 'truncated', 'refused', 'failed', 'turn-limit' or 'deferred', got 'complete'; write one of these; did you mean 'completed'?"),
        ("outcome: completed", "outcome: {completed: true}", "a.yaml:8:12: expected 'completed', 'truncated', 'refused', 'failed', 'turn-limit' or 'deferred', got a mapping"),
        ("outcome: completed", "outcome: [failed, refused]\n  error: {kind: http}", "a.yaml:8:3: expected 'error' only with outcome 'failed' or 'turn-limit', got outcome 'failed' or 'refused'; remove 'error'"),
        ("outcome: completed", "outcome: [completed, failed]\n  final: {equals: ''}", "a.yaml:8:3: expected 'final' only with an outcome that has a final event, got outcome 'completed' or 'failed'; remove 'final'"),
        ("outcome: completed", "outcome: failed\n  error: {kid: http}", "a.yaml:9:11: expected the keys kind, contains or lacks, got 'kid'; remove or rename it; did you mean 'kind'?"),
        ("outcome: completed", "outcome: completed\n  events: |\n    assistant\n      finale", "a.yaml:11:7: expected an event expression, got 'finale': 'finale' is no event"),
        ("outcome: completed", "outcome: completed\n  events: assistant finale", "a.yaml:9:21: expected an event expression, got 'finale'"),
        ("prompt: Hello.", "answer_schema: {type: object}\nprompt: Hello.", "a.yaml:4:1: expected 'answer_schema' only with profile 'pydantic-ai' or 'resilient', got profile 'universal'; remove 'answer_schema'"),
        ("outcome: completed", "outcome: completed\n  reported: [{tool: look}]", "expected no report without tools, got 'look'; correct the name, or remove it"),
        ("outcome: completed", "outcome: completed\n  reported: [{tool: look, result: 1}]", "expected the keys tool, ok, input or output, got 'result'"),
        ("outcome: completed", "outcome: completed\n  final: {has: x}", "a.yaml:9:11: expected the keys equals, contains, lacks, says, usage, history or output, got 'has'"),
    ],
)  # fmt: skip
def test_a_broken_file_is_told_in_one_line(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert old in SMALL
    text = SMALL.replace(old, new.replace("TOOLS", WAITING_TOOLS), 1)
    assert any(expected in problem for problem in problems(tmp_path, text))


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("{txt: Hi}", "a.yaml:7:6: expected the keys thinking, text, refusal, calls, parts, stop, usage, error, ending, cut, socket, deltas, members, native or repeat, got 'txt'; remove or rename it; did you mean 'text'?"),
        ("{text: }", "expected text, got nothing"),
        ("{text: Hi, parts: [{text: x}]}", "a.yaml:7:5: expected 'parts' by itself, got also 'text'; make them parts too"),
        ("{native: [{a: 1}], text: Hi}", "a.yaml:7:5: expected 'native' by itself, got also 'text'; write all of the answer in the provider's words, or nothing of it"),
        ("{native: []}", "expected at least one entry, got none"),
        ("{native: [{a: 1}]}", "expected one wire, whose words these are, got 7 wires; add 'wires: [openai-responses]', or the wire whose words these are"),
        ("{parts: [{native: {type: a}}]}", "expected one wire, whose words these are, got 7 wires; add 'wires: [openai-responses]', or the wire whose words these are"),
        ("{text: Hi, members: {a: 1}}", "expected one wire, whose words these are, got 7 wires"),
        ("{parts: [{text: Hi, members: {a: 1}}]}", "expected one wire, whose words these are, got 7 wires"),
        ("{parts: [{thinking: Hm, members: {a: 1}}]}", "a.yaml:7:14: expected 'members' beside 'text' or 'call', got members of something else; write them into 'native'"),
        ("{parts: [{native: {}}]}", "expected at least one entry, got none"),
        ("{error: {}, cut: {after: 1}}", "expected one way for the stream to break, got 'cut' and 'error'; keep one"),
        ("{error: {knd: x}}", "expected the keys kind or message, got 'knd'"),
        ("{error: {kind: server}}", "expected 'overloaded', 'server_error', 'rate_limit' or 'context_length', got 'server'"),
        ("{cut: {}}", "a.yaml:7:11: expected exactly one of the keys after or after_parts, got none of them; keep one"),
        ("{cut: {after: -1}}", "expected at least 0, got -1"),
        ("{ending: complete}", "expected 'eof', got 'complete'"),
        ("{stop: stop}", "expected 'end', 'tool_calls', 'max_tokens', 'refusal', 'content_filter' or 'pause', got 'stop'"),
        ("{stop: pause}", "a.yaml:7:12: expected a stop that every wire can say, got 'pause'; add 'wires: [anthropic-messages, gemini-interactions]'"),
        ("{repeat: 1000}", "expected at most 100, got 1000; use a smaller number"),
        ("{deltas: bytes}", "expected 'whole', 'token', 'character' or 'utf16', got 'bytes'"),
        ("{usage: {in: 1}}", "expected the keys input, output, reasoning or cached, got 'in'"),
        ("{thinking: {redacted: false}}", "a.yaml:7:27: expected true, got false; write one of these"),
        ("{thinking: {text: a, omitted: true}}", "expected exactly one of the keys text, redacted or omitted, got 'omitted' and 'text'"),
        ("{thinking: {hidden: true}}", "expected the keys text, redacted or omitted, got 'hidden'"),
        ("{parts: [{text: a, call: {create_file: {}}}]}", "expected exactly one of the keys thinking, text, refusal, call or native"),
        ("{parts: [{say: a}]}", "expected the keys thinking, text, refusal, call, native or members, got 'say'"),
        ("{http: {status: 200}}", "a.yaml:7:12: expected a status from 400 to 599, or 200 with a 'body', got 200; correct one of them"),
        ("{http: {status: 429, retry_after: [5]}}", "expected a number, got a list; write a number without quotes"),
        ("{http: {status: 429, retry: 1}}", "expected the keys status, kind, connection, retry_after, body or breaks, got 'retry'"),
        ("{http: {retry_after: 1}}", "expected exactly one of the keys status, kind or connection, got none of them; keep one"),
        ("{http: {status: 429, kind: quota}}", "expected exactly one of the keys status, kind or connection, got 'kind' and 'status'; keep one"),
        ("{http: {connection: lost}}", "expected 'closed' or 'reset', got 'lost'"),
        ("{http: {connection: reset, body: Hi}}", "expected 'connection' by itself, got what an answer says; remove 'retry_after' and 'body'"),
        ("{http: {status: 503, breaks: closed}}", "expected 'breaks' beside a 'body', got no body"),
        ("{http: {connection: closed, retry_after: 1}}", "expected 'connection' by itself, got what an answer says"),
        ("{http: {kind: quotas}}", "got 'quotas'; write one of these; did you mean 'quota'?"),
        ("{text: Hi, cut: {after: 1, after_parts: 1}}", "expected exactly one of the keys after or after_parts, got 'after' and 'after_parts'; keep one"),
        ("{text: Hi, cut: {after_parts: 2}}", "expected at most 1, got 2; use a lower number"),
        ("{http: {status: 429}, text: Hi}", "expected the keys http or repeat, got 'text'"),
        ("{calls: [create_file]}", "expected a tool with a mapping of arguments, got 'create_file'; write '- TOOL: {…}'"),
        ("{calls: [{create_file: 'raw'}]}", "raw text goes in the long form '- name: TOOL, arguments: TEXT'"),
        ("{calls: [{create_file: {}, edit_file: {}}]}", "expected one tool with its arguments, got only 'create_file', 'edit_file'; make one entry per call"),
        ("{calls: [{name: create_file}]}", "expected the key 'arguments', got only 'name'; add it"),
        ("{calls: [{name: create_file, arguments: [1]}]}", "expected text, got a list"),
        ("{calls: [{name: create_file, arguments: '{}', ok: true}]}", "expected the keys name, arguments, id or invalid, got 'ok'"),
        # what only the whole file can tell
        ("{calls: [{create_fil: {}}]}", "a.yaml:7:14: expected one of the tools create_file or edit_file, got 'create_fil'; add it to 'tools', or say 'invalid: true'; did you mean 'create_file'?"),
        ("{calls: [{create_file: {path: x}}]}", "a.yaml:7:28: expected arguments of create_file, got 'content' is a required property; correct them or say 'invalid: true'"),
        ("{calls: [{create_file: {path: 5, content: x}}]}", "a.yaml:7:35: expected arguments of create_file, got 5 is no string"),
        ("{calls: [{edit_file: {path: x, edits: [{old_text: a, new_txt: b}]}}]}", "a.yaml:7:44: expected arguments of edit_file, got Additional properties are not allowed ('new_txt' was unexpected)"),
        ("{calls: [{name: create_file, arguments: '{\"path\": NaN}'}]}", "a.yaml:7:45: expected arguments of create_file, got no JSON"),
        ("{calls: [{name: create_file, arguments: '{'}]}", "a.yaml:7:45: expected arguments of create_file, got no JSON: Expecting property name"),
        ("{calls: [{name: create_file, arguments: '[]'}]}", "got [] is no object"),
        ("{calls: [{name: create_file, arguments: {path: a, content: b}, invalid: true}]}", "expected arguments that create_file refuses, got arguments that fit its schema; remove 'invalid'"),
        ("{parts: [{call: {create_file: {}}}]}", "a.yaml:7:35: expected arguments of create_file, got 'path' is a required property"),
    ],
)  # fmt: skip
def test_a_broken_step_is_told_in_one_line(tmp_path: Path, step: str, expected: str) -> None:
    assert any(expected in problem for problem in problems(tmp_path, MODEL.replace("STEP", step)))


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("{name: a, description: d, parameters: {}, returns: 1}", "a.yaml:5:47: expected a JSON Schema of type 'object', got a JSON Schema of type null; correct the schema"),
        ("{name: a, description: d, parameters: {type: objekt}, returns: 1}", "a.yaml:5:54: expected a JSON Schema of type 'object', got no JSON Schema: '\"objekt\" is not valid under"),
        ("{name: a, description: d, parameters: {type: object}}", "expected exactly one of the keys returns or raises, got none of them"),
        ("{name: a, description: d, parameters: {type: object}, returns: null, raises: x}", "got 'raises' and 'returns'"),
        ("{name: 1a, description: d, parameters: {type: object}, returns: 1}", "expected letters, digits, '_' and '-', at most 64, got '1a'; rename it"),
        ("{name: edit_file, description: d, parameters: {type: object}, returns: 1}", "expected a name of its own, got 'edit_file'; write '- edit_file', or use another name"),
        ("create_file, create_file", "a.yaml:5:22: expected every tool once, got 'create_file' again; remove one of them"),
    ],
)  # fmt: skip
def test_a_broken_tool_is_told_in_one_line(tmp_path: Path, tool: str, expected: str) -> None:
    found = problems(tmp_path, SMALL.replace("model:", f"tools: [{tool}]\nmodel:"))
    assert any(expected in problem for problem in found)


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ("{minimum: 2}", "expected arguments of a, got 1 is less than the minimum of 2; correct them"),
        ("{enum: [" + ", ".join(f"number {n}" for n in range(40)) + "]}", "expected arguments of a, got breaks 'enum'"),
        ("{type: objekt}", "expected a JSON Schema of type 'object', got no JSON Schema"),
    ],
)
def test_arguments_of_a_tool_of_the_file_are_checked_too(tmp_path: Path, limit: str, expected: str) -> None:
    schema = f"{{type: object, properties: {{n: {limit}}}}}"
    tool = f"{{name: a, description: d, parameters: {schema}, returns: 1}}"
    (found,) = problems(tmp_path, SMALL.replace("text: Hi.", f"calls: [{{a: {{n: 1}}}}]\ntools: [{tool}]"))
    assert expected in found


@pytest.mark.parametrize("fault", ["error: {}", "ending: eof", "cut: {after: 2}"])
def test_faults_of_a_stream_need_a_stream(tmp_path: Path, fault: str) -> None:
    text = SMALL.replace("text: Hi.", f"{{{fault}}}").replace("model:", "stream: false\nmodel:")
    (found,) = problems(tmp_path, text)
    assert "expected a fault of a stream in a streamed scenario" in found


def test_all_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        SMALL.replace("Small.", "5").replace("outcome: completed", "outcome: done"),
        "nonsense: [",
        SMALL.replace("Hi.", "!include x.txt"),
    )
    assert [problem.split(": ")[0] for problem in found] == ["a.yaml:3:10", "a.yaml:8:12", "b.yaml:2:1", "c.yaml:6:11"]


def test_a_name_belongs_to_one_file(tmp_path: Path) -> None:
    assert problems(tmp_path, SMALL, SMALL) == [
        "b.yaml:1:11: expected a name of its own, got 'small', as in a.yaml:1:11; rename one",
    ]


def test_files_that_are_not_there_and_folders_without_files(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput) as caught:
        load([tmp_path / "nowhere.yaml", tmp_path / "empty"])
    assert list(caught.value.problems) == [
        f"{tmp_path}/nowhere.yaml: expected a scenario file or a folder, got nothing there; correct the path",
        f"{tmp_path}/empty: expected a folder with *.yaml files, got none in it; correct the path",
    ]


def test_every_entry_can_say_its_own_keys() -> None:
    entries = {each for each in Authored.__subclasses__() if each.__module__.startswith("harness.scenario.")}
    assert set(checking._MODELS.values()) == entries


VALUES = st.recursive(
    st.sampled_from(["x", "", "5", "true", "null", "all", "none", "!include x", "{}", "[]", "'{'", "429"]),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.dictionaries(
            st.sampled_from(["text", "call", "calls", "name", "arguments", "http", "status", "create_file", "thinking",
                             "redacted", "cut", "after", "parts", "error", "kind", "invalid", "stop", "repeat"]),
            inner,
            max_size=3,
        ).map(lambda items: "{" + ", ".join(f"{key}: {value}" for key, value in items.items()) + "}")
    ),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["prompt", "tools", "model", "expect", "vary", "wires", "summary"]), VALUES)
def test_whatever_is_written_is_loaded_or_told_with_a_place(tmp_path: Path, key: str, value: str) -> None:
    path = write(tmp_path, SMALL.replace("scenario: small\n", "").replace(f"{key}:", "old:") + f"{key}: {value}\n")
    with pytest.raises(BadInput) as caught:
        load([path])  # the name is missing, so there is always something to say
    assert all(problem.startswith(f"{path}:") and "; " in problem for problem in caught.value.problems)
