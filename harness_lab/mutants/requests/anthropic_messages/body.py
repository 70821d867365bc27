"""Mistakes in the shape of a request: members, their types and their texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.anthropic_messages.base_requests import (
    EFFORT,
    FOREIGN,
    IMAGES,
    ONE_CALL,
    PAUSED,
    SEVERAL_TURNS,
    THREAD,
    TWO_CALLS,
    VERSION_OF_2023,
    VERSION_OF_2026,
)
from harness_lab.mutants.requests.anthropic_messages.parts import (
    Block,
    copied,
    kinds_in,
    latest,
    listed,
    messages_of,
    setting,
    user_blocks,
)
from harness_lab.mutants.requests.mutant import RequestMutant

_EVERYWHERE = (ONE_CALL, TWO_CALLS, FOREIGN)


def in_block(kind: str, change: Callable[[Block], Any]) -> Edit:
    """The edit that changes the last block of a type."""

    def edit(posted: Posted) -> bool:
        block = next(reversed(list(kinds_in(posted, kind))), None)
        if block is None:
            return False
        change(block)
        return True

    return edit


def without_member(name: str) -> Edit:
    """The edit that leaves a member of the body out."""

    def edit(posted: Posted) -> bool:
        return posted.body.pop(name, None) is not None

    return edit


def from_another_provider(posted: Posted) -> bool:
    """The id of the last call, and with it that of its result, is one of Kimi's."""
    call = next(reversed(list(kinds_in(posted, "tool_use"))), None)
    if call is None:
        return False
    for block in kinds_in(posted, "tool_use", "tool_result"):
        for member in ("id", "tool_use_id"):
            if block.get(member) == call["id"] and block is not call:
                block[member] = "functions.read_file:0"
    call["id"] = "functions.read_file:0"
    return True


def send_text_for_a_message(posted: Posted) -> bool:
    """Append a plain text to the messages, where an object is required."""
    messages_of(posted).append("And now?")  # type: ignore[arg-type]
    return True


def change_last_message(change: Callable[[Block], Any]) -> Edit:
    """Return an edit that applies ``change`` to the last message."""

    def edit(posted: Posted) -> bool:
        change(messages_of(posted)[-1])
        return True

    return edit


def declare_another_providers_tool(posted: Posted) -> bool:
    """Declare one more tool in the form of OpenAI's Chat API."""
    if not posted.body.get("tools"):
        return False
    posted.body["tools"].append({"type": "function", "function": {"name": "save", "parameters": {"type": "object"}}})
    return True


def rename_a_search(posted: Posted) -> bool:
    """Give every web search and its result an id without the prefix ``srvtoolu_``."""
    found = list(kinds_in(posted, "server_tool_use", "web_search_tool_result"))
    for block in found:
        block["id" if "id" in block else "tool_use_id"] = "call_search"
    return bool(found)


def annotate_a_tool(posted: Posted) -> bool:
    """Add a member to the first tool that the API does not know."""
    tools = posted.body.get("tools")
    if not tools:
        return False
    tools[0]["server"] = "files"
    return True


# --- texts ----------------------------------------------------------------------------------------------------


def say_nothing_beside_a_call(posted: Posted) -> bool:
    """Put an empty text block in front of the model's latest turn."""
    turn = latest(posted)
    if turn is None:
        return False
    turn["content"].insert(0, {"type": "text", "text": ""})
    return True


def say_a_blank(posted: Posted) -> bool:
    """Append a text block of white space to the user's last message."""
    content = user_blocks(posted)
    if content is None:
        return False
    content.append({"type": "text", "text": " \n"})
    return True


def drop_assistant_text(posted: Posted) -> bool:
    """A turn without anything in it stays in the history."""
    messages_of(posted).extend([{"role": "assistant", "content": []}, {"role": "user", "content": "Go on."}])
    return True


def empty_the_history(posted: Posted) -> bool:
    """Send no messages, in a request that does not continue a thread."""
    if "continue" in json.dumps(posted.body.get("thread")):
        return False
    posted.body["messages"] = []
    return True


# --- images, documents, marks ---------------------------------------------------------------------------------

_JPEG = "/9j/4AAQSkZJRgABAQ=="


def show(source: Block) -> Edit:
    """The edit that shows an image to the model."""

    def edit(posted: Posted) -> bool:
        content = user_blocks(posted)
        if content is None:
            return False
        content.append({"type": "image", "source": copied(source)})
        return True

    return edit


def spoil_an_image_in_a_result(posted: Posted) -> bool:
    """Give an image in a tool result a media type that the API does not accept."""
    return _change_an_image_in_a_result(posted, media_type="image/jpg")


def show_a_jpeg_as_a_png_in_a_result(posted: Posted) -> bool:
    """Put a JPEG in the place of a PNG in a tool result."""
    return _change_an_image_in_a_result(posted, data=_JPEG)


def _change_an_image_in_a_result(posted: Posted, **members: str) -> bool:
    for block in kinds_in(posted, "tool_result"):
        for inner in block["content"] if isinstance(block.get("content"), list) else ():
            if inner["type"] == "image":
                inner["source"].update(members)
                return True
    return False


def send_another_providers_image(posted: Posted) -> bool:
    """Append an image in the form of OpenAI's Chat API."""
    content = user_blocks(posted)
    if content is None:
        return False
    content.append({"type": "image_url", "image_url": {"url": "https://a.test/a.png"}})
    return True


def store_a_document(posted: Posted) -> bool:
    """Put a document into the model's turn, under an API version that does not accept one there."""
    turn = latest(posted)
    if turn is None:
        return False
    posted.headers["anthropic-version"] = "2026-10-21"
    source = {"type": "text", "media_type": "text/plain", "data": "print('hi')"}
    turn["content"].insert(0, {"type": "document", "source": source})
    return True


_CITED = {"type": "char_location", "cited_text": "hi", "document_index": 0, "start_char_index": 0}
_CITING = {"type": "text", "citations": [_CITED]}


def quote_with_citations(posted: Posted) -> bool:
    """Append a text with citations as the user, under an API version that does not accept them."""
    content = user_blocks(posted)
    if content is None:
        return False
    posted.headers["anthropic-version"] = "2026-10-21"
    content.append({**_CITING, "text": "You said hi."})
    return True


def cite_in_a_result(posted: Posted) -> bool:
    """Put a text with citations into the last result, under an API version that does not accept them."""
    results = list(kinds_in(posted, "tool_result"))
    if not results:
        return False
    posted.headers["anthropic-version"] = "2026-10-21"
    results[-1]["content"] = [{"type": "text", "text": "You said hi."}, {**_CITING, "text": "It says hi."}]
    return True


def mark_everything(posted: Posted) -> bool:
    """Every block gets a cache mark, and each tool."""
    marked = list(posted.body.get("tools", []))
    for message in messages_of(posted):
        marked += [block for block in listed(message) if block["type"] in ("text", "tool_use", "tool_result")]
    for block in marked:
        block["cache_control"] = {"type": "ephemeral"}
    return len(marked) > 4


def mark_what_is_new(posted: Posted) -> bool:
    """Append as many texts with cache marks as make five marks."""
    content = user_blocks(posted)
    if content is None:
        return False
    blocks = [block for message in messages_of(posted) for block in listed(message)]
    marks = sum("cache_control" in each for each in (*posted.body.get("tools", ()), *blocks))
    content += [{"type": "text", "text": "See.", "cache_control": {"type": "ephemeral"}} for _ in range(5 - marks)]
    return marks < 5


def mark_five_tools(posted: Posted) -> bool:
    """Declare five tools with cache marks, and send no instructions."""
    tools = posted.body.get("tools")
    if not tools:
        return False
    posted.body.pop("system", None)
    posted.body["tools"] = [
        {**tools[0], "name": f"tool_{number}", "cache_control": {"type": "ephemeral"}} for number in range(5)
    ]
    return True


# --- what is no JSON ------------------------------------------------------------------------------------------


def cut_short(posted: Posted) -> bool:
    """Remove the last byte, so that the body is no JSON."""
    posted.raw = posted.content()[:-1]
    return True


def send_a_list(posted: Posted) -> bool:
    """Send the messages alone as the body, which is a list then."""
    posted.raw = json.dumps(messages_of(posted)).encode()
    return True


def cut_a_pair_of_surrogates(posted: Posted) -> bool:
    """Escape half a surrogate pair in a text of the body."""
    posted.raw = posted.content()[:-1] + b', "metadata": {"user_id": "\\ud83d"}}'
    return True


def _mutants() -> Iterator[RequestMutant]:
    """Those of ANT-07 to ANT-10, of which there are many of a kind."""
    empty: dict[str, Any] = {}
    rows: tuple[tuple[str, str, str, Edit], ...] = (
        ("arguments-as-text", "The arguments of a call are JSON text.", "ANT-07",
         in_block("tool_use", lambda block: block.update(input=json.dumps(block["input"])))),
        ("arguments-null", "A call without arguments has null for them.", "ANT-07",
         in_block("tool_use", lambda block: block.update(input=None))),
        ("name-empty", "A call names no tool.", "ANT-07", in_block("tool_use", lambda block: block.update(name=""))),
        ("id-of-another-provider", "A call has an id with dots and colons in it.", "ANT-08", from_another_provider),
        ("result-of-another-provider", "A result names an id with dots in it.", "ANT-08",
         in_block("tool_result", lambda block: block.update(tool_use_id="functions.read_file:0"))),
        ("max-tokens-missing", "There is no max_tokens.", "ANT-09", without_member("max_tokens")),
        ("model-missing", "There is no model.", "ANT-09", without_member("model")),
        ("messages-missing", "There are no messages.", "ANT-09", without_member("messages")),
        ("max-tokens-as-text", "max_tokens is text.", "ANT-09", setting(max_tokens="20000")),
        ("messages-as-text", "The prompt takes the place of the messages.", "ANT-09", setting(messages="What?")),
        ("system-as-object", "system is one block and no list.", "ANT-09",
         setting(system={"type": "text", "text": "Be brief."})),
        ("tools-as-object", "The tools are an object, by their names.", "ANT-09", setting(tools=empty)),
        ("content-null", "A message has null for its content.", "ANT-09",
         change_last_message(lambda message: message.update(content=None))),
        ("role-missing", "A message has no role.", "ANT-09", change_last_message(lambda message: message.pop("role"))),
        ("text-for-a-message", "A text takes the place of a message.", "ANT-09", send_text_for_a_message),
        ("signature-missing", "A thinking block has no signature.", "ANT-09",
         in_block("thinking", lambda block: block.pop("signature"))),
        ("result-id-missing", "A result names no call.", "ANT-09",
         in_block("tool_result", lambda block: block.pop("tool_use_id"))),
        ("call-id-null", "The id of a call is null.", "ANT-09",
         in_block("tool_use", lambda block: block.update(id=None))),
        ("arguments-missing", "A call has no input.", "ANT-09", in_block("tool_use", lambda block: block.pop("input"))),
        ("type-missing", "A result does not say that it is one.", "ANT-09",
         in_block("tool_result", lambda block: block.pop("type"))),
        ("is-error-as-text", "is_error is text.", "ANT-09",
         in_block("tool_result", lambda block: block.update(is_error="true"))),
        ("note-in-the-body", "The body has a member of the client's own.", "ANT-10", setting(session="abc")),
        ("note-in-a-message", "A message has the id that the response came with.", "ANT-10",
         change_last_message(lambda message: message.update(id="msg_01"))),
        ("note-in-a-call", "A call says when it was made.", "ANT-10",
         in_block("tool_use", lambda block: block.update(timestamp=1))),
        ("note-in-a-result", "A result says which tool it is of, as on other wires.", "ANT-10",
         in_block("tool_result", lambda block: block.update(name="read_file"))),
        ("note-in-thinking", "A thinking block is numbered.", "ANT-10",
         in_block("thinking", lambda block: block.update(index=0))),
        ("note-in-a-tool", "A tool says which server it is of.", "ANT-10", annotate_a_tool),
        ("result-list-empty", "A tool returned nothing, and its result is an empty list.", "ANT-27",
         in_block("tool_result", lambda block: block.update(content=[]))),
    )  # fmt: skip
    for name, summary, rule, edit in rows:
        yield RequestMutant(f"ant-{name}", summary, (rule,), edit, _EVERYWHERE)


MUTANTS: tuple[RequestMutant, ...] = (
    *_mutants(),
    RequestMutant(
        "ant-text-empty",
        "An empty text beside a call is sent back.",
        ("ANT-11",),
        say_nothing_beside_a_call,
        (ONE_CALL, FOREIGN),
    ),
    RequestMutant(
        "ant-text-blank",
        "The user says nothing but white space.",
        ("ANT-11",),
        say_a_blank,
        (ONE_CALL, FOREIGN, THREAD),
    ),
    RequestMutant(
        "ant-system-blank",
        "The instructions are white space.",
        ("ANT-11",),
        setting(system=[{"type": "text", "text": " "}]),
        (ONE_CALL,),
    ),
    RequestMutant(
        "ant-message-empty",
        "A turn in which the model said nothing is sent back.",
        ("ANT-12",),
        drop_assistant_text,
        (ONE_CALL, SEVERAL_TURNS),
    ),
    RequestMutant("ant-history-empty", "There is no message.", ("ANT-12",), empty_the_history, (ONE_CALL,)),
    RequestMutant("ant-body-cut", "The last byte of the body is missing.", ("ANT-BODY",), cut_short, (ONE_CALL,)),
    RequestMutant("ant-body-list", "The body is the list of messages.", ("ANT-BODY",), send_a_list, (ONE_CALL,)),
    RequestMutant(
        "ant-half-a-surrogate-pair",
        "A text was cut within a character.",
        ("ANT-BODY",),
        cut_a_pair_of_surrogates,
        (ONE_CALL,),
    ),
    RequestMutant(
        "ant-cache-marks", "Every block has a cache mark.", ("ANT-CACHE",), mark_everything, (TWO_CALLS, SEVERAL_TURNS)
    ),
    RequestMutant(
        "ant-cache-marks-of-what-is-new",
        "With what is new there is a mark too many.",
        ("ANT-CACHE",),
        mark_what_is_new,
        (EFFORT, ONE_CALL),
    ),
    RequestMutant("ant-cache-marks-of-tools", "Five tools have marks.", ("ANT-CACHE",), mark_five_tools, (ONE_CALL,)),
    RequestMutant(
        "ant-document-of-the-assistant",
        "The assistant's turn contains a document.",
        ("ANT-CITED",),
        store_a_document,
        (VERSION_OF_2026, VERSION_OF_2023),
    ),
    RequestMutant(
        "ant-citations-of-the-user",
        "The user's text has citations.",
        ("ANT-CITED",),
        quote_with_citations,
        (VERSION_OF_2026, VERSION_OF_2023),
    ),
    RequestMutant(
        "ant-citations-in-a-result",
        "A text in a result has citations.",
        ("ANT-CITED",),
        cite_in_a_result,
        (VERSION_OF_2026, VERSION_OF_2023),
    ),
    RequestMutant(
        "ant-image-of-another-type",
        "An image says that it is image/svg+xml.",
        ("ANT-IMAGE",),
        show({"type": "base64", "media_type": "image/svg+xml", "data": "PHN2Zy8+"}),
        (ONE_CALL, FOREIGN),
    ),
    RequestMutant(
        "ant-image-in-a-result",
        "An image in a result says that it is image/jpg.",
        ("ANT-IMAGE",),
        spoil_an_image_in_a_result,
        (IMAGES,),
    ),
    RequestMutant(
        "ant-image-empty",
        "An image has no data.",
        ("ANT-IMAGE",),
        show({"type": "base64", "media_type": "image/png", "data": ""}),
        (ONE_CALL,),
    ),
    RequestMutant(
        "ant-image-under-another-name",
        "A JPEG says that it is a PNG.",
        ("ANT-IMAGE",),
        show({"type": "base64", "media_type": "image/png", "data": _JPEG}),
        (ONE_CALL, FOREIGN),
    ),
    RequestMutant(
        "ant-image-in-a-result-under-another-name",
        "An image in a result is a JPEG and says that it is a PNG.",
        ("ANT-IMAGE",),
        show_a_jpeg_as_a_png_in_a_result,
        (IMAGES,),
    ),
    RequestMutant(
        "ant-image-too-large",
        "An image has 6 MB.",
        ("ANT-IMAGE",),
        show({"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" + "A" * 8_000_001}),
        (ONE_CALL,),
    ),
    RequestMutant(
        "ant-tool-of-another-provider",
        "A tool is declared in the form of another provider.",
        ("ANT-TAG",),
        declare_another_providers_tool,
        (ONE_CALL, FOREIGN),
    ),
    RequestMutant(
        "ant-server-call-renamed",
        "A server tool's call and its result have an id of another provider's.",
        ("ANT-08",),
        rename_a_search,
        (PAUSED,),
    ),
    RequestMutant(
        "ant-image-without-source",
        "An image has a source without a type.",
        ("ANT-09",),
        show({"url": "https://a.test/a.png"}),
        (ONE_CALL,),
    ),
    RequestMutant(
        "ant-image-url",
        "An image is sent in the form of another provider.",
        ("ANT-TAG",),
        send_another_providers_image,
        (ONE_CALL, THREAD),
    ),
)
