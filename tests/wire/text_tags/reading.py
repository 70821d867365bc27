"""Text read in pieces, and what came of it: what the tests of the parser share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.wire.text_tags import Said, TextCall, TextTags


@dataclass(frozen=True)
class Found:
    """A call that was found, under an id that says in which order the calls of its text were first told."""

    id: str
    name: str
    arguments: str
    problem: str


@dataclass(frozen=True)
class Outcome:
    """What was told, neighbours joined, and what was found. ``told``: (kind or call id, name, text)."""

    told: tuple[tuple[str, str, str], ...]
    calls: tuple[Found, ...]
    without_calls: str
    without_thinking: str

    @property
    def text(self) -> str:
        return "".join(text for kind, _, text in self.told if kind == "text")

    @property
    def thinking(self) -> str:
        return "".join(text for kind, _, text in self.told if kind == "thinking")

    def arguments(self, call_id: str) -> str:
        return "".join(text for kind, _, text in self.told if kind == call_id)


def read(*pieces: str) -> Outcome:
    parser = TextTags()
    said = [each for piece in pieces for each in parser.feed(piece)] + parser.end()
    told_calls = dict.fromkeys(what for what, _ in said if isinstance(what, TextCall))
    ids = {call: f"call_{number}" for number, call in enumerate(told_calls, 1)}
    found = tuple(Found(ids[each], each.name, each.arguments, each.problem) for each in parser.calls)
    return Outcome(_joined(said, ids), found, parser.without("call"), parser.without("thinking"))


def _joined(said: Iterable[Said], ids: dict[TextCall, str]) -> tuple[tuple[str, str, str], ...]:
    told: list[tuple[str, str, str]] = []
    for what, text in said:
        kind, name = (ids[what], what.name) if isinstance(what, TextCall) else (what, "")
        if told and told[-1][:2] == (kind, name):
            text = told.pop()[2] + text
        told.append((kind, name, text))
    return tuple(told)


def call(name: str = "b", arguments: str = "{}", tags: tuple[str, str] = ("<tool_call>", "</tool_call>")) -> str:
    return f'{tags[0]}{{"name":"{name}","args":{arguments}}}{tags[1]}'


TAG_PAIRS = (
    ("<tool_call>", "</tool_call>"),
    ("<|tool_call>", "<tool_call|>"),
    ("<|tool_call|>", "<|/tool_call|>"),
)

NASTY = {
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
"""Documents in which something is odd, each with what comes of it in ``test_documents``."""
