"""Known-bad parsers of calls in text, for the campaign ``text-tags``: each makes one mistake that parsers really make.

All are ``read(deltas)`` of the campaign's signature, so ``--target harness_lab.gallery.text_tags:greedy`` fuzzes
one. ``sound`` makes none of the mistakes; it reads the whole text at its end, which is the one thing that it cannot do
well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from harness.fuzz.text_tags.grammar import name_and_arguments

Answer = Mapping[str, Any]
Call = tuple[str, Mapping[str, Any]]
Block = tuple[int, int, Call | None]
"""The place of a block, and the call in it."""

_PAIRS: Final = (
    ("<tool_call>", "</tool_call>"),
    ("<|tool_call>", "<tool_call|>"),
    ("<|tool_call|>", "<|/tool_call|>"),
)
_BEGINS, _ENDS = zip(*_PAIRS, strict=True)
_TAGS: Final = "|".join(map(re.escape, [*_BEGINS, *_ENDS, "<think>", "</think>"]))
_STRING: Final = r'"(?:[^"\\]|\\.)*+"'
_AWARE: Final = rf'(?:{_STRING}|[^"<]|(?!{_TAGS})<)*+'
_THINKING: Final = r"<think>.*?(?:</think>|\Z)"


# --- what they consist of -----------------------------------------------------------------------------------


def _blocks(inside: str) -> re.Pattern[str]:
    """A call in any pair of tags, with this regular expression between them."""
    pairs = [f"{re.escape(begin)}({inside}){re.escape(end)}" for begin, end in _PAIRS]
    return re.compile("|".join(pairs), re.DOTALL)


def _inside(block: re.Match[str]) -> str:
    return next(group for group in block.groups() if group is not None)


def _answer(shown: str, calls: Iterable[Call | None]) -> Answer:
    """The answer without the remaining tags, which a user is not shown."""
    text = re.sub("|".join(map(re.escape, [*_BEGINS, *_ENDS, "<think>"])), "", shown)
    return {
        "text": text.strip(),
        "calls": [{"name": call[0], "arguments": call[1]} for call in calls if call],
    }


def _by_pattern(text: str, inside: str) -> Answer:
    """The usual way: thinking is cut out, then calls are looked for, then they are cut out, too."""
    text = re.sub(_THINKING, "", text, flags=re.DOTALL)
    pattern = _blocks(inside)
    calls = [name_and_arguments(_inside(block)) for block in pattern.finditer(text)]
    return _answer(pattern.sub("", text), calls)


def _one_by_one(text: str, thinking: str = _THINKING) -> tuple[str, list[Block]]:
    """The careful way: from tag to tag, skipping the strings of calls. Returns the text for the user, and the
    blocks."""
    mark, block = re.compile(rf"{thinking}|{_TAGS}", re.DOTALL), _blocks(_AWARE)
    shown: list[str] = []
    blocks: list[Block] = []
    at = 0
    while found := mark.search(text, at):
        shown.append(text[at : found.start()])
        at = found.end()
        if found[0] in _BEGINS:
            whole = block.match(text, found.start())
            call = name_and_arguments(_inside(whole)) if whole else None
            behind = mark.search(text, at)
            at = whole.end() if whole and call else behind.start() if behind else len(text)
            blocks.append((found.start(), at, call))
        elif found[0] == "</think>":
            shown.append(found[0])
    return "".join([*shown, text[at:]]), blocks


def _calls(blocks: Iterable[Block]) -> Iterator[Call]:
    return (call for _, _, call in blocks if call)


def sound(deltas: Iterable[str]) -> Answer:
    """None of the mistakes."""
    shown, blocks = _one_by_one(_joined(deltas))
    return _answer(shown, _calls(blocks))


def _joined(deltas: Iterable[str]) -> str:
    return "".join(deltas).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# --- patterns that take too much or too little ----------------------------------------------------------------


def greedy(deltas: Iterable[str]) -> Answer:
    """``<tool_call>(.*)</tool_call>`` takes everything from the first tag to the last, so two calls are none.

    Seen in hermes-agent's parser for DeepSeek (pull request 992), mlx-lm's for Mistral (1448).
    """
    return _by_pattern(_joined(deltas), ".*")


def one_line_only(deltas: Iterable[str]) -> Answer:
    """Without ``re.DOTALL`` a call that is written on several lines is no call.

    Seen in hermes-agent (issue 443), vLLM (pull request 24668), smg (1636), nobodywho (735).
    """
    shown, blocks = _one_by_one(text := _joined(deltas))
    return _answer(shown, _calls(block for block in blocks if "\n" not in text[slice(*block[:2])]))


def cuts_strings(deltas: Iterable[str]) -> Answer:
    """The first end tag ends the call, be it in a string: who writes about tool calls loses what is written.

    Seen in the program behind the protocol, in Rapid-MLX (issues 1515 and 1591).
    """
    return _by_pattern(_joined(deltas), ".*?")


def standard_tags_only(deltas: Iterable[str]) -> Answer:
    """Knows one pair of tags; calls in another one are shown to the user.

    Seen in ATOM (pull request 1427), Rapid-MLX (issue 448).
    """
    text = re.sub(_THINKING, "", _joined(deltas), flags=re.DOTALL)
    block = re.compile(f"<tool_call>({_AWARE})</tool_call>", re.DOTALL)
    calls = [name_and_arguments(found[1]) for found in block.finditer(text)]
    return {**_answer("", calls), "text": block.sub("", text)}


def standard_tags_first(deltas: Iterable[str]) -> Answer:
    """Looks for other tags only where the standard ones gave no call, so of an answer in both it takes one half.

    Seen in the program behind the protocol.
    """
    shown, blocks = _one_by_one(text := _joined(deltas))
    for begin in _BEGINS:
        if calls := list(_calls(block for block in blocks if text.startswith(begin, block[0]))):
            return _answer(shown, calls)
    return _answer(shown, ())


# --- one call at the cost of another --------------------------------------------------------------------------


def last_call_only(deltas: Iterable[str]) -> Answer:
    """Keeps one call of several, the last.

    Seen in hermes-agent (pull request 1015), where patterns merge calls; the like in SGLang (issue 35564).
    """
    shown, blocks = _one_by_one(_joined(deltas))
    return _answer(shown, list(_calls(blocks))[-1:])


def stops_at_a_bad_call(deltas: Iterable[str]) -> Answer:
    """A block that is no call ends the reading, and with it what would have followed.

    Seen in the program behind the protocol, where an unclosed call ends it.
    """
    shown, blocks = _one_by_one(_joined(deltas))
    bad = next((place for place, block in enumerate(blocks) if not block[2]), len(blocks))
    return _answer(shown, _calls(blocks[:bad]))


def all_or_nothing(deltas: Iterable[str]) -> Answer:
    """One ``try`` around the loop over all blocks: a bad one drops the good ones before it, too.

    Seen in SGLang (pull request 32027), vLLM's Hermes parser, ninfer (issue 158).
    """
    shown, blocks = _one_by_one(_joined(deltas))
    return _answer(shown, _calls(blocks) if all(call for _, _, call in blocks) else ())


def repairs_too_much(deltas: Iterable[str]) -> Answer:
    """Where the quote or the end tag is missing, what is open is closed at the end of the text: the next call becomes a
    part of this one's arguments, and runs as such.

    Seen in vLLM (pull request 51649: one call whose argument is the other call's text).
    """
    shown, blocks = _one_by_one(text := _joined(deltas))
    bad = next((place for place, block in enumerate(blocks) if not block[2]), None)
    if bad is None:
        return _answer(shown, _calls(blocks))
    rest = text[text.index(">", blocks[bad][0]) + 1 :]
    closed = (name_and_arguments(rest + tail) for tail in ("", "}", "}}", '"}', '"}}', '"}]}}'))
    return _answer(shown, [*_calls(blocks[:bad]), next(filter(None, closed), None)])


def half_calls_run(deltas: Iterable[str]) -> Answer:
    """A block that never ends is run with the text so far, although the model was cut off.

    Seen in parsers whose pattern ends with ``|<tool_call>(.*)``: vLLM's for Hermes.
    """
    shown, blocks = _one_by_one(text := _joined(deltas))
    if not blocks or blocks[-1][2] or any(end in text[blocks[-1][0] :] for end in _ENDS):
        return _answer(shown, _calls(blocks))
    begun = text[text.index(">", blocks[-1][0]) + 1 :]
    return _answer(shown, [*_calls(blocks), name_and_arguments(begun)])


def raises_on_no_json(deltas: Iterable[str]) -> Answer:
    """``json.loads`` without ``try``: a model that writes no JSON ends the loop.

    Seen in SGLang (issue 37283).
    """
    shown, blocks = _one_by_one(text := _joined(deltas))
    for start, end, call in blocks:
        if call is None:
            json.loads(text[start:end])
    return _answer(shown, _calls(blocks))


def commas_in_strings(deltas: Iterable[str]) -> Answer:
    """Takes out commas before closing brackets, in strings too: code that a model writes loses them.

    Seen wherever JSON is repaired with one ``re.sub``.
    """
    answer = sound([re.sub(r",(\s*[}\]])", r"\1", _joined(deltas))])
    return {**answer, "text": sound(deltas)["text"]}


# --- thinking -----------------------------------------------------------------------------------------------


def thinking_runs(deltas: Iterable[str]) -> Answer:
    """Calls are looked for before thinking is cut out, so a call that is only thought of runs, or runs twice.

    Seen in verl (issue 4757), renderers (pull request 80), LM Studio (issue 1592).
    """
    shown, _ = _one_by_one(text := _joined(deltas))
    return _answer(shown, _calls(_one_by_one(text, thinking="(?!)")[1]))


def thinking_must_end(deltas: Iterable[str]) -> Answer:
    """Cuts out ``<think>...</think>`` only where it is closed; a model that is cut off in thought acts, and is shown.

    Seen wherever thinking is cut out with ``<think>.*?</think>`` alone.
    """
    shown, blocks = _one_by_one(_joined(deltas), thinking="<think>.*?</think>")
    return _answer(shown, _calls(blocks))


def greedy_thinking(deltas: Iterable[str]) -> Answer:
    """Cuts out ``<think>.*</think>``: with a second thought, all text and calls between the two are lost."""
    shown, blocks = _one_by_one(_joined(deltas), thinking=r"<think>(?:.*</think>|.*\Z)")
    return _answer(shown, _calls(blocks))


# --- what comes in pieces -------------------------------------------------------------------------------------


def tags_in_one_delta(deltas: Iterable[str]) -> Answer:
    """Looks for tags in each delta: one that comes in two is text.

    Seen in Rapid-MLX (pull request 1031), vLLM (38168), SGLang (issue 35564).
    """
    shown: list[str] = []
    held = ""
    for delta in deltas:
        if held or any(begin in delta for begin in (*_BEGINS, "<think>")):
            held += delta
        else:
            shown.append(delta)
    answer = sound([held])
    return {**answer, "text": f"{_joined(shown)}{answer['text']}".strip()}


def half_tags_shown(deltas: Iterable[str]) -> Answer:
    """Finds its calls in the whole text, but shows each delta at once: the beginning of a tag is on the screen before
    the rest of it says what it is.

    Seen in vLLM, Rapid-MLX (issue 448), pythinker-code (pull request 288).
    """
    text = shown = ""
    for delta in deltas:
        text += delta
        shown += sound([text])["text"][len(shown) :]
    return {**sound([text]), "text": shown}


def drops_half_characters(deltas: Iterable[str]) -> Answer:
    """Each delta is made valid UTF-8 by itself: of a character whose halves come apart two question marks are left."""
    return sound([delta.encode("utf-8", "replace").decode() for delta in deltas])


def read_again_and_again(deltas: Iterable[str]) -> Answer:
    """Reads the whole text again after every delta: right, and quadratic.

    Seen in openclaw (issue 113124), oh-my-pi (3946), pi (9063), ai-sdk-tool-call-middleware (pull request 396).
    """
    text, answer = "", sound([])
    for delta in deltas:
        text += delta
        answer = sound([text])
    return answer


GALLERY: Final[Mapping[Callable[[Iterable[str]], Answer], str]] = {
    greedy: "lost-call",
    one_line_only: "lost-call",
    cuts_strings: "lost-call",
    standard_tags_only: "shown",
    standard_tags_first: "lost-call",
    last_call_only: "lost-call",
    stops_at_a_bad_call: "lost-call",
    all_or_nothing: "lost-call",
    repairs_too_much: "lost-call",
    half_calls_run: "invented-call",
    raises_on_no_json: "raises",
    commas_in_strings: "arguments",
    thinking_runs: "thinking",
    thinking_must_end: "thinking",
    greedy_thinking: "lost-text",
    tags_in_one_delta: "cut",
    half_tags_shown: "cut",
    drops_half_characters: "cut",
    read_again_and_again: "linear",
}
"""The mistakes, each with the oracle that finds it."""
