"""Blocks, names and documents that are not taken: BED-08, 09, 12 to 18, 20, 22 to 24, 26, BED-BODY."""

from __future__ import annotations

from typing import Final

from harness.wire.base import Json
from harness.wire.bedrock_converse.models import CLAUDE
from harness.wire.posted import Posted
from harness_lab.mutants.requests.bedrock_converse.base_requests import (
    DOCUMENTS,
    FOREIGN,
    FOREIGN_TEXTS,
    LLAMA,
    NOVA,
    ONE_CALL,
    STEPS,
    TEXTS,
    TWO_CALLS,
)
from harness_lab.mutants.requests.bedrock_converse.finding import (
    blocks,
    call_turns,
    fact,
    last_answers,
    messages,
    tool_config,
)
from harness_lab.mutants.requests.mutant import RequestMutant

_SOURCE: Final = {"bytes": "aGk="}


def _last_call(posted: Posted) -> Json | None:
    turns = call_turns(posted)
    found: Json | None = blocks(turns[-1], "toolUse")[-1]["toolUse"] if turns else None
    return found


def _last_answer_in_text(posted: Posted) -> Json | None:
    found = [each for each in messages(posted) if each["role"] == "assistant" and not blocks(each, "toolUse")]
    return found[-1] if found else None


# --- messages -----------------------------------------------------------------------------------------------


def empty_an_answer(posted: Posted) -> bool:
    """Send an answer without content."""
    answer = _last_answer_in_text(posted)
    if answer is not None:
        answer["content"] = []
    return answer is not None


def empty_the_first_message(posted: Posted) -> bool:
    """Send the user's first message without content."""
    messages(posted)[0]["content"] = []
    return True


def ask_with_an_empty_text(posted: Posted) -> bool:
    """Empty the user's first text."""
    for block in blocks(messages(posted)[0], "text")[:1]:
        block["text"] = ""
        return True
    return False


def answer_with_white_space(posted: Posted) -> bool:
    """Answer with a new line alone."""
    answer = _last_answer_in_text(posted)
    if answer is not None:
        answer["content"] = [{"text": "\n"}]
    return answer is not None


def send_a_text_for_the_list(posted: Posted) -> bool:
    """Send the user's first message as a text, which other APIs take."""
    messages(posted)[0]["content"] = "What is in src/app.py?"
    return True


def send_blocks_with_a_type(posted: Posted) -> bool:
    """Send the user's first message in the form of another API."""
    messages(posted)[0]["content"] = [{"type": "text", "text": "What is in src/app.py?"}]
    return True


def join_two_blocks(posted: Posted) -> bool:
    """Put a text and a call into one block."""
    for message in call_turns(posted)[-1:]:
        blocks(message, "toolUse")[-1]["text"] = "I look."
        return True
    return False


def cache_first(posted: Posted) -> bool:
    """Put a mark in front of all that it is for."""
    messages(posted)[-1]["content"].insert(0, {"cachePoint": {"type": "default"}})
    return True


# --- calls and results --------------------------------------------------------------------------------------


def send_arguments_as_text(posted: Posted) -> bool:
    """Send the arguments of the last call back as a text that is no JSON."""
    called = _last_call(posted)
    if called is not None:
        called["input"] = '{"path": "src/a'
    return called is not None


def return_a_list(posted: Posted) -> bool:
    """Give the list back that the tool returned."""
    for answer in last_answers(posted)[-1:]:
        answer["content"] = [{"json": ["app.py"]}]
        return True
    return False


def call_what_is_no_name(posted: Posted) -> bool:
    """Let the model have made up a tool's name."""
    called = _last_call(posted)
    if called is not None:
        called["name"] = "$READFILE"
    return called is not None


def declare_a_long_name(posted: Posted) -> bool:
    """Declare a tool under the name of its server and its own."""
    for tool in tool_config(posted).get("tools", [])[:1]:
        tool["toolSpec"]["name"] = "mcp__" + "files_" * 12
        return True
    return False


def _renamed(posted: Posted, new: str) -> bool:
    called = _last_call(posted)
    answers = [each for each in last_answers(posted) if called is not None and each["toolUseId"] == called["toolUseId"]]
    if called is None or not answers:
        return False
    called["toolUseId"] = answers[0]["toolUseId"] = new
    return True


def lengthen_an_id(posted: Posted) -> bool:
    """Give the last call and its result an id that is too long."""
    return _renamed(posted, "call_" + "0123456789" * 7)


def put_an_id_together(posted: Posted) -> bool:
    """Give the last call and its result an id with a character that none may have."""
    return _renamed(posted, "call|fc_1")


# --- tools --------------------------------------------------------------------------------------------------


def take_the_tools_away(posted: Posted) -> bool:
    """Send an empty list of tools."""
    if not tool_config(posted):
        return False
    posted.body["toolConfig"] = {"tools": []}
    return True


def declare_a_tool_twice(posted: Posted) -> bool:
    """Declare one tool twice, to a Claude."""
    tools = tool_config(posted).get("tools", [])
    if not tools or not fact(posted, CLAUDE):
        return False
    tools.append(tools[0])
    return True


# --- documents ----------------------------------------------------------------------------------------------


def _document(name: str) -> Json:
    return {"document": {"format": "txt", "name": name, "source": _SOURCE}}


def name_a_document_as_its_file(posted: Posted) -> bool:
    """Show a document under the name of its file."""
    messages(posted)[0]["content"].append(_document("app.py.txt"))
    return True


def name_a_document_with_two_spaces(posted: Posted) -> bool:
    """Show a document whose name has two spaces in a row."""
    messages(posted)[0]["content"].append(_document("notes  of today"))
    return True


def show_a_document_without_a_word(posted: Posted) -> bool:
    """Let the user show a document, and say nothing."""
    messages(posted)[0]["content"] = [_document("notes")]
    return True


def show_a_document_again(posted: Posted) -> bool:
    """Show one document twice."""
    messages(posted)[0]["content"] += [_document("report"), _document("report")]
    return True


def show_six_documents(posted: Posted) -> bool:
    """Show six documents."""
    messages(posted)[0]["content"] += [_document(f"file {number}") for number in range(6)]
    return True


# --- the body -----------------------------------------------------------------------------------------------


def break_the_body_off(posted: Posted) -> bool:
    """Break the JSON off."""
    posted.raw = posted.content()[:-1]
    return True


def send_a_list(posted: Posted) -> bool:
    """Send the messages alone."""
    posted.raw = b"[]"
    return True


BODY: Final = (
    RequestMutant("bed-empty-answer", "An answer has no content.", ("BED-08",), empty_an_answer, (TEXTS, STEPS)),
    RequestMutant(
        "bed-empty-question", "The first message has no content.", ("BED-08",), empty_the_first_message, (TEXTS, LLAMA)
    ),
    RequestMutant(
        "bed-empty-text", "A text is empty.", ("BED-09",), ask_with_an_empty_text, (TEXTS, NOVA, DOCUMENTS, FOREIGN)
    ),
    RequestMutant(
        "bed-white-space", "An answer is white space.", ("BED-09",), answer_with_white_space, (TEXTS, FOREIGN_TEXTS)
    ),
    RequestMutant(
        "bed-content-as-text", "The content is a text.", ("BED-17",), send_a_text_for_the_list, (TEXTS, NOVA, FOREIGN)
    ),
    RequestMutant(
        "bed-typed-blocks",
        "A block has the form of another API.",
        ("BED-17",),
        send_blocks_with_a_type,
        (TWO_CALLS, TEXTS, FOREIGN),
    ),
    RequestMutant(
        "bed-two-in-one-block", "A block has two members.", ("BED-17",), join_two_blocks, (TWO_CALLS, NOVA, FOREIGN)
    ),
    RequestMutant(
        "bed-cache-point-first", "A cachePoint is in front.", ("BED-16",), cache_first, (TEXTS, ONE_CALL, FOREIGN)
    ),
    RequestMutant(
        "bed-arguments-as-text",
        "The arguments of a call are a text.",
        ("BED-12",),
        send_arguments_as_text,
        (ONE_CALL, LLAMA, FOREIGN),
    ),
    RequestMutant("bed-result-is-a-list", "A result is a list.", ("BED-13",), return_a_list, (ONE_CALL, NOVA, FOREIGN)),
    RequestMutant(
        "bed-no-name",
        "A call has a name that no tool can have.",
        ("BED-14",),
        call_what_is_no_name,
        (TWO_CALLS, STEPS, FOREIGN),
    ),
    RequestMutant(
        "bed-long-name", "A tool has a long name.", ("BED-14",), declare_a_long_name, (TWO_CALLS, LLAMA, FOREIGN)
    ),
    RequestMutant("bed-long-id", "An id is too long.", ("BED-15",), lengthen_an_id, (TWO_CALLS, LLAMA, FOREIGN)),
    RequestMutant(
        "bed-id-of-two", "An id was put together.", ("BED-15",), put_an_id_together, (TWO_CALLS, NOVA, FOREIGN)
    ),
    RequestMutant(
        "bed-no-tools", "The list of tools is empty.", ("BED-18",), take_the_tools_away, (TWO_CALLS, LLAMA, FOREIGN)
    ),
    RequestMutant(
        "bed-tool-twice", "Two tools have one name.", ("BED-26",), declare_a_tool_twice, (TWO_CALLS, TEXTS, FOREIGN)
    ),
    RequestMutant(
        "bed-document-of-a-file",
        "A document has the name of a file.",
        ("BED-20",),
        name_a_document_as_its_file,
        (TEXTS, NOVA, FOREIGN),
    ),
    RequestMutant(
        "bed-document-with-two-spaces",
        "The name of a document has two spaces in a row.",
        ("BED-20",),
        name_a_document_with_two_spaces,
        (TEXTS, DOCUMENTS),
    ),
    RequestMutant(
        "bed-document-alone",
        "The user shows a document, and says nothing.",
        ("BED-22",),
        show_a_document_without_a_word,
        (TEXTS, NOVA, FOREIGN),
    ),
    RequestMutant(
        "bed-document-twice", "A document is shown twice.", ("BED-23",), show_a_document_again, (TEXTS, DOCUMENTS)
    ),
    RequestMutant(
        "bed-six-documents", "Six documents are shown.", ("BED-24",), show_six_documents, (TEXTS, DOCUMENTS, FOREIGN)
    ),
    RequestMutant("bed-cut", "The body breaks off.", ("BED-BODY",), break_the_body_off, (ONE_CALL, FOREIGN)),
    RequestMutant("bed-no-object", "The body is a list.", ("BED-BODY",), send_a_list, (TEXTS,)),
)
