"""Parts that fit their message, and files that the provider can read: OAI-20, OAI-21."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.lenient import entries, string
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.rules.places import RESULTS, last, messages, say
from harness.wire.openai_responses.rules.words import brief, spelled
from harness.wire.openai_responses.schema import CHAT_PARTS, INPUT_PARTS
from harness.wire.posted import Right, Wrong, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim
from harness.wire.shape import Fault

_DATA: Final = re.compile(r"data:(?P<mime>[\w.+-]+/[\w.+-]+)(?:;[\w=.+-]+)*;base64,")
_UNREAD: Final = ("audio/", "video/")
"""The kinds with a recorded refusal. Refusals of other kinds depend on the model."""

_UNREAD_ENDINGS: Final = (".mp3", ".wav", ".ogg", ".flac", ".m4a", ".mp4", ".mov", ".webm", ".avi", ".mkv")


OAI_20: Final = WireRule(
    "OAI-20",
    "A message has a role that there is, and parts that fit it: output_text and refusal for the assistant, input_* for "
    "everybody else and in the output of a call. Types of Chat (text, image_url) are none.",
    "A loop that gives every message the same parts works until it sends the first answer back.",
    "certain",
    (
        "https://github.com/NousResearch/hermes-agent/issues/15687",
        "https://community.openai.com/t/1365014 (input_image in an assistant message)",
        "https://github.com/linanwx/nagobot/issues/27 (output_text in an output)",
        "several projects quote the wordings for Chat's types and for roles",
    ),
    (
        ErrorTemplate(
            "Invalid value: '{kind}'. Supported values are: 'output_text' and 'refusal'.",
            "{at}",
            "invalid_value",
            seen="Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
            name="assistant",
        ),
        ErrorTemplate(
            "Invalid value: '{kind}'. Supported values are: 'input_text', 'input_image', 'input_file', and "
            "'scoped_content'.",
            "{at}",
            "invalid_value",
            seen="Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', 'input_file', "
            "and 'scoped_content'.",
            name="input",
        ),
        ErrorTemplate(
            "Invalid value: '{kind}'. Supported values are: 'input_text', 'input_image', 'output_text', 'refusal', "
            "'input_file', 'computer_screenshot', and 'summary_text'.",
            "{at}.type",
            "invalid_value",
            seen="Invalid value: 'text'. Supported values are: 'input_text', 'input_image', 'output_text', "
            "'refusal', 'input_file', 'computer_screenshot', and 'summary_text'.",
            name="chat",
        ),
        ErrorTemplate(
            "Invalid value: '{kind}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
            "{at}",
            "invalid_value",
            certainty="likely",
            seen="Invalid value: '…'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
            name="role",
        ),
    ),
    wrong=(
        Wrong(
            "responses-answer-as-input",
            "An answer goes back in the parts of a question.",
            lambda it: put(messages(it, "assistant")[-1:], content=[{"type": "input_text", "text": "x"}]),
            "answered parallel-calls foreign-history",
        ),
        Wrong(
            "responses-question-as-output",
            "A question has the parts of an answer.",
            lambda it: put(messages(it, "user")[-1:], content=[{"type": "output_text", "text": "x"}]),
            "without-reasoning",
            says="input",
        ),
        Wrong(
            "responses-question-of-chat",
            "A question has the parts of Chat.",
            lambda it: put(messages(it, "user")[-1:], content=[{"type": "text", "text": "x"}]),
            "without-reasoning answered",
            says="chat",
        ),
        Wrong(
            "responses-result-as-output",
            "A result has the parts of an answer.",
            lambda it: put(last(it, *RESULTS), output=[{"type": "output_text", "text": "ok"}]),
            "one-call named-history free-text-tool",
            says="input",
        ),
        Wrong(
            "responses-role-of-chat",
            "A result is a message of role tool.",
            lambda it: say(it, {"role": "tool", "content": "ok"}),
            "without-reasoning one-call",
            says="role",
        ),
        Wrong(
            "responses-role-forgotten",
            "An item has neither type nor role.",
            lambda it: say(it, {"content": "ok"}),
            "without-reasoning named-history",
            says="role",
        ),
    ),
    right=(
        Right(
            "responses-instructions-added",
            "The developer says something in the middle.",
            lambda it: say(
                it, {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be brief."}]}
            ),
            "one-call",
        ),
        Right(
            "responses-part-of-the-future",
            "A part has an unknown type.",
            lambda it: put(last(it, *RESULTS), output=[{"type": "input_hologram", "hologram": {}}]),
            "one-call",
        ),
    ),
)


@RULES.check("content", OAI_20)
def parts_fit_their_role(asked: Asked) -> Iterator[Finding]:
    """OAI-20."""
    yield from map(_unfit, asked.forbidden(OAI_20))


def _unfit(fault: Fault) -> Finding:
    """A part that does not fit its role, or an unknown role."""
    item = spelled(fault.path[:2])
    if fault.keyword in ("enum", "required"):
        kind = fault.value if fault.keyword == "enum" else ""
        return OAI_20.broken(
            item,
            expected="a type, or the role of a message",
            got=brief(kind),
            template="role",
            kind=kind,
            bound=("kind",),
        )
    part = spelled(fault.path[:-1])
    template = "assistant" if fault.value in INPUT_PARTS else "input"
    return OAI_20.broken(
        part,
        expected="a part that fits its role",
        got=fault.value,
        template="chat" if fault.value in CHAT_PARTS else template,
        kind=fault.value,
    )


_READABLE: Final[tuple[Json, ...]] = (
    {"type": "input_file", "file_url": "https://a.example/a.pdf"},
    {"type": "input_file", "file_url": "https://a.example/download?name=a.mp3"},
    {"type": "input_file", "file_id": "file-1"},
    {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
    {"type": "input_image", "detail": "auto", "image_url": "https://a.example/a.png"},
    {"type": "input_image", "detail": "auto", "image_url": "data:image/png;charset=utf-8;base64,iVBO"},
    {"type": "input_image", "detail": "auto", "image_url": None, "file_id": "file-1"},
)


OAI_21: Final = WireRule(
    "OAI-21",
    "A file part has a file: its id, a URL, or base64 data in a data URL of a type that can be read. An image's URL is "
    "a URL. Sound and video are not read.",
    "A tool that returns whatever it finds makes the next request fail, after the tool has done its work.",
    "certain",
    (
        "recordings test_multimodal_tool_return_matrix[*-audio-openai_responses]",
        "the wordings for data without a type and for URLs as they are remembered",
    ),
    (
        ErrorTemplate(
            "Invalid file data: '{param}'. Expected a base64-encoded data URL with a valid file MIME type (e.g. "
            "'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type '{mime}'. Please see "
            "https://platform.openai.com/docs/assistants/tools/file-search#supported-files for supported file "
            "types.",
            "{param}",
            "invalid_value",
            seen="Invalid file data: 'input[3].output[0].file_data'. Expected a base64-encoded data URL with a "
            "valid file MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME "
            "type 'audio/mpeg'. Please see https://platform.openai.com/docs/assistants/tools/file-search"
            "#supported-files for supported file types.",
            name="data",
        ),
        verbatim(
            "The file type you uploaded is not supported. Please try again with a pdf",
            "input",
            "unsupported_file",
            name="type",
        ),
        ErrorTemplate(
            "Invalid file data: '{param}'. Expected a base64-encoded data URL with a valid file MIME type (e.g. "
            "'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got a value without a MIME type.",
            "{param}",
            "invalid_value",
            certainty="likely",
            name="no data URL",
        ),
        ErrorTemplate(
            "Invalid '{param}'. Expected a valid URL, but got a value with an invalid format.",
            "{param}",
            "invalid_value",
            certainty="likely",
            name="url",
        ),
    ),
    applies="files whose type is known from the data URL or the ending of the URL",
    wrong=(
        Wrong(
            "responses-result-sound-url",
            "A tool returns a recording, by its URL.",
            lambda it: put(
                last(it, *RESULTS), output=[{"type": "input_file", "file_url": "https://example.org/a.mp3?v=2"}]
            ),
            "one-call named-history",
            says="type",
        ),
        Wrong(
            "responses-result-sound",
            "A tool returns a recording.",
            lambda it: put(
                last(it, *RESULTS),
                output=[{"type": "input_file", "filename": "a.mp3", "file_data": "data:audio/mpeg;base64,SUQz"}],
            ),
            "pictures free-text-tool",
        ),
        Wrong(
            "responses-result-bare-base64",
            "A tool returns a file without its type.",
            lambda it: put(
                last(it, *RESULTS), output=[{"type": "input_file", "filename": "a.pdf", "file_data": "JVBERi0xLjQK"}]
            ),
            "pictures",
            says="no data URL",
        ),
        Wrong(
            "responses-result-image-path",
            "A tool returns the path of an image.",
            lambda it: put(
                last(it, *RESULTS), output=[{"type": "input_image", "detail": "auto", "image_url": "out/a.png"}]
            ),
            "pictures one-call",
            says="url",
        ),
    ),
    right=(
        Right(
            "responses-result-files",
            "A tool returns files by their ids, their URLs, and as data.",
            lambda it: put(last(it, *RESULTS), output=[dict(part) for part in _READABLE]),
            "one-call pictures",
        ),
    ),
)


@RULES.check("content", OAI_21)
def files_can_be_read(asked: Asked) -> Iterator[Finding]:
    """The finding for each file or image of the request that OpenAI cannot read."""
    for entry in asked.entries:
        for member in ("content", "output"):
            for index, part in enumerate(entries(entry.raw.get(member))):
                if isinstance(part, dict):
                    yield from _part_findings(part, f"{entry.at}.{member}[{index}]")


def _part_findings(part: Json, at: str) -> Iterator[Finding]:
    match part.get("type"):
        case "input_file":
            yield from _file(part, at)
        case "input_image" if isinstance(part.get("image_url"), str):
            yield from _url(part["image_url"], f"{at}.image_url", data=True)


def _file(part: Json, at: str) -> Iterator[Finding]:
    data, url = part.get("file_data"), string(part.get("file_url"))
    if isinstance(data, str) and data:
        yield from _data(data, f"{at}.file_data")
    if url:
        yield from _url(url, f"{at}.file_url", data=False)
        if urlsplit(url).path.lower().endswith(_UNREAD_ENDINGS):
            yield OAI_21.broken(at, expected="a file of a kind that can be read", got=url, template="type")


def _data(data: str, param: str) -> Iterator[Finding]:
    found = _DATA.match(data)
    if found is None:
        yield OAI_21.broken(param, expected="a data URL", got=f"{data[:24]}...", template="no data URL", param=param)
    elif found["mime"].startswith(_UNREAD):
        yield OAI_21.broken(
            param, expected="a file of a kind that can be read", got=found["mime"], param=param, mime=found["mime"]
        )


def _url(url: str, param: str, *, data: bool) -> Iterator[Finding]:
    if url.startswith(("http://", "https://")) or (data and _DATA.match(url)):
        return
    yield OAI_21.broken(param, expected="a URL", got=f"{url[:24]}...", template="url", param=param)
