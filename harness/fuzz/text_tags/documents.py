"""Documents with something unusual, and long ones that must not be read repeatedly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.fuzz.strategies.text_tags import call

NASTY: Final[Mapping[str, str]] = {
    "prose-and-two-calls": "I look.\n" + call("a", '{"x": [1, {}]}') + f"\nThen\n{call('b')} Done. \n",
    "gemma": '<|tool_call>call:run{command: "ls", }<tool_call|> <|tool_call|>call: f.g {a:{b:[1,],},}<|/tool_call|>',
    "end-tag-in-string": call("w", '{"content":"a</tool_call>b<|tool_call>c<think>d"}') + "t",
    "start-tag-in-string": call("w", '{"content":"<tool_call>{\\"name\\":\\"x\\",\\"args\\":{}}</tool_call>"}'),
    "call-in-thinking": f"<think>maybe {call('no')}</think>{call('yes')}<think>more",
    "open-string-then-call": '<tool_call>{"name":"a","args":{"x":"oops}}</tool_call> and ' + call("b", '{"y":"z"}'),
    "open-string-then-thinking": f'<tool_call>{{"name":"a","args":{{"x":"oops<think>{call("no")}</think>{call("yes")}',
    "unclosed-then-closed": f'<tool_call>{{"name":"a","args":{{}}}}\n{call("b")}',
    "wrong-end": '<tool_call>{"name":"a","args":{}}<tool_call|>text' + call("b"),
    "no-call-at-all": "<tool_call>not json <b> </think> </tool_call>after",
    "never-ends": 'Hi <tool_call>{"name":"a","args":{"x":"y',
    "never-ends-with-a-tag": 'Hi <tool_call>{"name":"a","args":{"x":"</tool_call>tail ' + call("b"),
    "half-tags": "a < b <t <tool <tool_cal> <|tool_call <|tool_call|x </tool_call <<tool_call",
    "stray-ends": "a</tool_call>b<tool_call|>c<|/tool_call|>d</think>e",
    "escapes": call("e", r'{"s":"\ud83d\ude00\n\"</tool_call>\\","\u006b":"\\\""}'),
    "raw-controls": call("r", '{"s":"two\nlines\tand\x00more","t\nk":1}'),
    "several-lines": '<tool_call>\r\n{\r\n\t"name": "a",\n\t"args": {\n\t\t"x": [\n1\n]\n\t}\n}\n</tool_call>\r\nDone.',
    "json-in-a-string": call("j", r"""{"s":"[1,],{x: 2,}","url":"http://x:80/y","said":"it's \"a: b, }\""}"""),
    "name-last": '<tool_call>{"args":{"x":1},"id":7,"name":"late"}</tool_call>',
    "name-twice": '<tool_call>{"name":"a","args":{"x":1},"name":"b"}</tool_call>',
    "name-twice-at-first": '<tool_call>{"name":"a","name":"b","args":{"x":1}}</tool_call>',
    "args-twice": f'<tool_call>{{"name":"a","args":{{"x":1}},"args":{{"x":2}}}}</tool_call> and {call("b")}',
    "args-twice-at-first": '<tool_call>{"args":{"x":1},"args":{"x":2},"name":"late"}</tool_call>',
    "tag-in-a-string-of-no-call": '<tool_call>{"name":"a","args":{"x":"</tool_call>y"},"args":{}}</tool_call>'
    + '<tool_call>{"name":"f","arguments":{"x":"<think>"}}</tool_call> and '
    + call("b"),
    "no-args": '<tool_call>{"name":"now"}</tool_call><tool_call>{"name":"f","arguments":{"x":1}}</tool_call>',
    "odd-args": "".join(call("n", args) for args in ("null", "[1,]", '"s"', "-1.5e3", "true")),
    "broken-args": "".join(call("n", args) for args in ("{x: hello}", "nul", "01", "{a-b:1}", "[1}", '"\\x"', "{,}")),
    "surrogates": "😀<think>😀</think>" + call("s", '{"x":"😀"}'),
}
"""Difficult documents, by their difficulty."""

_OPEN: Final = '<tool_call>{"name":"a","args":{"x":"'

LONG_ONES: Final[Mapping[str, tuple[str, str]]] = {
    "content": (_OPEN, "plain <b>text</b> "),
    "escapes": (_OPEN, r"\u00e9\"\\"),
    "strings-that-alternate": ('<tool_call>{"a":"', ',<tool_call>{a:"'),
    "open-strings": ("", _OPEN),
    "open-string-and-ends": (_OPEN, "</tool_call>"),
    "calls-in-an-open-string": (_OPEN, '<tool_call>{"name":"b"}</tool_call>'),
    "colon-names": (_OPEN, '<tool_call>call:a"b"{"x":"'),
    "begins": ("", "<tool_call>"),
    "half-tags": ("", "<|tool_cal"),
    "angles": ("", "<<<<<"),
    "repeated": ('<tool_call>{"name":"a",', f'"args":{{"x":"{"y" * 50}"}},"name":"a",'),
    "nested": ('<tool_call>{"name":"a","args":', '{"x":['),
    "commas": ('<tool_call>{"name":"a","args":[', "1, \n"),
    "blanks": ("a", " \n \n \n"),
    "colon-name": ("<tool_call>call:", "name "),
    "thinking": ("", "<think>a</think>b"),
    "garbage": ("", "<tool_call>not json "),
    "calls": ("", f"{call()} and "),
}
"""The beginning of a document, and the part that is repeated."""
