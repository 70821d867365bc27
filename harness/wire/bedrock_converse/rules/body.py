"""What blocks, tools and documents are made of: BED-08, 09, 12 to 18, 20, 22 to 24, 26."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.bedrock_converse.models import CLAUDE
from harness.wire.bedrock_converse.rules.book import RULES
from harness.wire.bedrock_converse.rules.places import (
    blocks,
    call_turns,
    fact,
    last_answers,
    last_calls,
    last_text_answer,
    messages,
    rename,
    tool_config,
    use_ids_of_ones_own,
)
from harness.wire.bedrock_converse.rules.request import BLOCKS, Block, ConverseRequest, Entry, Found, brief
from harness.wire.lenient import entries, members, objects, string
from harness.wire.posted import Posted, Right, Wrong, add, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_BOTOCORE: Final = "botocore 1.44, which checks it before it sends"

_DOCUMENTS: Final = "https://github.com/aws-samples/generative-ai-use-cases/issues/1685"

_INVALID: Final = "1 validation error detected: Value at '{member}' failed to satisfy constraint: "

_LONGEST: Final = 64
_MOST_DOCUMENTS: Final = 5
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]+")
_ID: Final = re.compile(r"[a-zA-Z0-9_.:-]+")
_OF_A_FILE: Final = re.compile(r"[./\\:,;!?@#&%*+='\"<>|~^$`{}]")
"""Characters that no name may have. Which letters beyond ASCII are allowed is unknown."""


# --- blocks -------------------------------------------------------------------------------------------------


def _type_the_calls(posted: Posted) -> bool:
    for message in call_turns(posted):
        put((block["toolUse"] for block in blocks(message, "toolUse")), type="tool_use")
    return True


BED_17: Final = WireRule(
    "BED-17",
    "The content of a message is a list of blocks, each an object with one member of those that the API knows.",
    "Messages of another provider's format have blocks with a type, and a text in place of the list.",
    "likely",
    (f"{_BOTOCORE}; what the service itself answers was not seen",),
    (
        ErrorTemplate(
            "Invalid number of parameters set for tagged union structure {at}. Can only set one of the following "
            "keys: text, image, document, video, audio, toolUse, toolResult, guardContent, cachePoint, "
            "reasoningContent, citationsContent, searchResult."
        ),
        ErrorTemplate('Unknown parameter in {at}: "{name}", must be one of: text, image, document, …', name="unknown"),
        ErrorTemplate("Invalid type for parameter {at}, value: {value}, type: {type}, valid types: list", name="list"),
    ),
    wrong=(
        Wrong(
            "bed-content-as-text",
            "The content is a text.",
            lambda it: put(messages(it)[:1], content="What is in src/app.py?"),
            "texts nova foreign",
            says="list",
        ),
        Wrong(
            "bed-typed-blocks",
            "A block has the form of another API.",
            lambda it: put(messages(it)[:1], content=[{"type": "text", "text": "What is in src/app.py?"}]),
            "two-calls texts foreign",
            says="unknown",
        ),
        Wrong(
            "bed-two-in-one-block",
            "A block has two members.",
            lambda it: [put(blocks(turn, "toolUse")[-1:], text="I look.") for turn in call_turns(it)[-1:]],
            "two-calls nova foreign",
        ),
    ),
    right=(
        Right("bed-typed-calls", "A call has the type tool_use.", _type_the_calls, "two-calls one-call"),
        Right(
            "bed-model-in-the-body",
            "The body names the model.",
            lambda it: put([it.body], modelId=it.path.split("/")[2]),
            "texts nova",
        ),
    ),
)


@RULES.check("members", BED_17)
def blocks_known(request: ConverseRequest) -> Found:
    """BED-17."""
    for entry in request.entries:
        if entry.content is None:
            continue
        if not isinstance(entry.content, list):
            kind, value = type(entry.content).__name__, brief(entry.content)
            at, expected = f"{entry.at}.content", "a list of blocks"
            yield BED_17.broken(at, template="list", expected=expected, got=value, value=value, type=kind)
        for block in entry.blocks:
            yield from _one_member(block)


def _one_member(block: Block) -> Iterator[Finding]:
    unknown = [name for name in block.native if name not in BLOCKS]
    if unknown:
        expected = "a member of the API"
        yield BED_17.broken(block.at, template="unknown", expected=expected, got=unknown[0], name=unknown[0])
    elif len(block.native) != 1:
        yield BED_17.broken(block.at, expected="one member", got=brief(", ".join(block.native) or "none"))


def _declare_a_long_name(posted: Posted) -> bool:
    """Name a tool by its server's name and its own."""
    tools = tool_config(posted).get("tools", [])[:1]
    return put((tool["toolSpec"] for tool in tools), name="mcp__" + "files_" * 12)


BED_14: Final = WireRule(
    "BED-14",
    "The name of a tool has 1 to 64 letters, digits, underscores and hyphens, where it is declared and where it was "
    "called.",
    "A model may call a tool that there is not; the name that it has made up stays in the history, and every request "
    "from then on is refused.",
    "certain",
    (
        "recording bedrock-invalid-tool-name-validation-error",
        "https://github.com/NousResearch/hermes-agent/issues/90008",
        "https://github.com/BerriAI/litellm/issues/24668",
        "https://github.com/openclaw/openclaw/pull/12949",
    ),
    (
        ErrorTemplate(
            _INVALID + "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
            seen="1 validation error detected: Value at 'messages.2.member.content.1.member.toolUse.name' failed "
            "to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
        ),
        ErrorTemplate(_INVALID + "Member must have length less than or equal to 64", certainty="inferred", name="long"),
    ),
    wrong=(
        Wrong(
            "bed-no-name",
            "A call has a name that no tool can have.",
            lambda it: put(last_calls(it)[-1:], name="$READFILE"),
            "two-calls steps foreign",
        ),
        Wrong("bed-long-name", "A tool has a long name.", _declare_a_long_name, "two-calls llama foreign", says="long"),
    ),
)


@RULES.check("members", BED_14)
def names_valid(request: ConverseRequest) -> Found:
    """BED-14, for declared, chosen and called tools. In these places the service counts from 1."""
    for number, spec in enumerate(request.specs):
        yield from _name(spec, f"toolConfig.tools.{number + 1}.member.toolSpec.name")
    chosen = members(request.tool_config.get("toolChoice")).get("tool")
    if isinstance(chosen, dict):
        yield from _name(chosen, "toolConfig.toolChoice.tool.name")
    for entry in request.entries:
        for block in entry.calls:
            yield from _name(members(block.value), f"{_member_path(entry, block)}.toolUse.name")


def _name(holder: Json, member: str) -> Iterator[Finding]:
    name = holder.get("name")
    if isinstance(name, str):
        yield from _constraint_finding(BED_14, name, _NAME, member, pattern=None, long="long")


def _rename_last_call(posted: Posted, new: str) -> bool:
    """The last call and its result get another id."""
    ids = {each["toolUseId"] for each in last_answers(posted)}
    for call in last_calls(posted)[-1:]:
        if call["toolUseId"] in ids:
            return rename(posted, call["toolUseId"], new)
    return False


BED_15: Final = WireRule(
    "BED-15",
    "A toolUseId has 1 to 64 letters, digits, underscores, dots, colons and hyphens.",
    "Ids of another provider, and such that a loop has put together itself, are longer or have other characters.",
    "certain",
    ("https://github.com/RooCodeInc/Roo-Code/pull/10902", "botocore 1.44, the model of the service"),
    (
        ErrorTemplate(
            _INVALID + "Member must have length less than or equal to 64",
            seen="…Value at 'messages.2.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: "
            "Member must have length less than or equal to 64",
        ),
        ErrorTemplate(
            _INVALID + "Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+",
            certainty="likely",
            name="pattern",
        ),
    ),
    about=("ids",),
    wrong=(
        Wrong(
            "bed-long-id",
            "An id is too long.",
            lambda it: _rename_last_call(it, "call_" + "0123456789" * 7),
            "two-calls llama foreign",
        ),
        Wrong(
            "bed-id-of-two",
            "An id was put together.",
            lambda it: _rename_last_call(it, "call|fc_1"),
            "two-calls nova foreign",
            says="pattern",
        ),
    ),
    right=(Right("bed-own-ids", "Ids of another form.", use_ids_of_ones_own, "two-calls llama foreign"),),
)


@RULES.check("members", BED_15)
def ids_valid(request: ConverseRequest) -> Found:
    """BED-15."""
    for entry in request.entries:
        for block in (*entry.calls, *entry.results):
            id_ = members(block.value).get("toolUseId")
            if isinstance(id_, str):
                member = f"{_member_path(entry, block)}.{block.kind}.toolUseId"
                yield from _constraint_finding(BED_15, id_, _ID, member, pattern="pattern", long=None)


def _constraint_finding(
    rule: WireRule, value: str, wanted: re.Pattern[str], member: str, *, pattern: str | None, long: str | None
) -> Iterator[Finding]:
    if wanted.fullmatch(value) is None:
        expected = f"characters of {wanted.pattern}"
        yield rule.broken(member, template=pattern, expected=expected, got=brief(value) or "none", member=member)
    elif len(value) > _LONGEST:
        expected = f"at most {_LONGEST} characters"
        yield rule.broken(member, template=long, expected=expected, got=str(len(value)), member=member, bound=())


def _member_path(entry: Entry, block: Block) -> str:
    number = int(block.at.rpartition(".")[2])
    return f"messages.{entry.number + 1}.member.content.{number + 1}.member"


BED_18: Final = WireRule(
    "BED-18",
    "toolConfig has at least one tool.",
    "A loop that takes its tools away sends an empty list of them.",
    "likely",
    (f"{_BOTOCORE}; what the service itself answers was not seen",),
    (ErrorTemplate("Invalid length for parameter toolConfig.tools, value: 0, valid min length: 1"),),
    wrong=(
        Wrong(
            "bed-no-tools",
            "The list of tools is empty.",
            lambda it: tool_config(it) and put([it.body], toolConfig={"tools": []}),
            "two-calls llama foreign",
        ),
    ),
)


@RULES.check("members", BED_18)
def some_tools(request: ConverseRequest) -> Found:
    """BED-18."""
    if request.tool_config.get("tools") == []:
        yield BED_18.broken("toolConfig.tools", expected="a tool", got="none")


BED_12: Final = WireRule(
    "BED-12",
    "The input of a toolUse is a JSON object.",
    "Arguments that the model has broken off are text that is no JSON; a loop that sends them back as a text is "
    "refused in every request from then on.",
    "certain",
    ("https://github.com/vercel/ai/pull/19023",),
    (
        ErrorTemplate(
            "The format of the value at {at} is invalid. Provide a json object for the field and try again.",
            seen="The format of the value at messages.1.content.1.toolUse.input is invalid. …",
        ),
    ),
    wrong=(
        Wrong(
            "bed-arguments-as-text",
            "The arguments of a call are a text.",
            lambda it: put(last_calls(it)[-1:], input='{"path": "src/a'),
            "one-call llama foreign",
        ),
    ),
)


@RULES.check("members", BED_12)
def inputs_are_objects(request: ConverseRequest) -> Found:
    """BED-12."""
    for entry in request.entries:
        for block in entry.blocks:
            called = block.value if block.kind == "toolUse" else None
            if isinstance(called, dict) and not isinstance(called.get("input", {}), dict):
                at = f"{block.at}.toolUse.input"
                yield BED_12.broken(at, expected="a JSON object", got=brief(called["input"]))


BED_13: Final = WireRule(
    "BED-13",
    "The json of a toolResult is an object.",
    "A tool that returns a list, a number or a text is given back as it is.",
    "certain",
    (
        "https://github.com/aws/aws-sdk-js-v3/issues/7330",
        "https://github.com/sigoden/aichat/pull/1550",
    ),
    (
        ErrorTemplate(
            "The format of the value at {at} is invalid. Provide a json object for the field and try again.",
            seen="The format of the value at messages.2.content.0.toolResult.content.0.json is invalid. Provide a "
            "json object for the field and try again.",
        ),
    ),
    wrong=(
        Wrong(
            "bed-result-is-a-list",
            "A result is a list.",
            lambda it: put(last_answers(it)[-1:], content=[{"json": ["app.py"]}]),
            "one-call nova foreign",
        ),
    ),
    right=(
        Right(
            "bed-result-as-json",
            "A result is JSON.",
            lambda it: [put([each], content=[{"json": {"files": ["app.py"]}}]) for each in last_answers(it)],
            "one-call nova",
        ),
    ),
)


@RULES.check("members", BED_13)
def results_are_objects(request: ConverseRequest) -> Found:
    """BED-13."""
    for entry in request.entries:
        for block in entry.results:
            for number, inner in enumerate(entries(members(block.value).get("content"))):
                if isinstance(inner, dict) and "json" in inner and not isinstance(inner["json"], dict):
                    at = f"{block.at}.toolResult.content.{number}.json"
                    yield BED_13.broken(at, expected="a JSON object", got=brief(inner["json"]))


# --- names and ids ------------------------------------------------------------------------------------------


BED_08: Final = WireRule(
    "BED-08",
    "A message has content.",
    "An answer that said nothing, or of which everything was taken out, goes back as an empty message.",
    "certain",
    ("recording issue-7830-empty-assistant-content-error",),
    (
        ErrorTemplate(
            "The content field in the Message object at {at} is empty. Add a ContentBlock object to the content "
            "field and try again.",
            seen="The content field in the Message object at messages.1 is empty. Add a ContentBlock object to the "
            "content field and try again.",
        ),
    ),
    wrong=(
        Wrong(
            "bed-empty-answer",
            "An answer has no content.",
            lambda it: put(last_text_answer(it), content=[]),
            "texts steps",
        ),
        Wrong(
            "bed-empty-question",
            "The first message has no content.",
            lambda it: put(messages(it)[:1], content=[]),
            "texts llama",
        ),
    ),
)


@RULES.check("messages", BED_08)
def contents_present(request: ConverseRequest) -> Found:
    """BED-08."""
    for entry in request.entries:
        if entry.content in (None, [], ""):
            yield BED_08.broken(entry.at, expected="content", got="none")


def _part_with_white_space(posted: Posted) -> bool:
    at = next(at for at, block in enumerate(messages(posted)[0]["content"]) if "cachePoint" in block)
    return add(messages(posted)[:1], "content", {"text": "\n"}, at=at)


BED_09: Final = WireRule(
    "BED-09",
    "A text is not empty, and that of a message is not white space alone.",
    "Models answer with an empty text beside a call, and users send none. A text of white space beside other blocks "
    "was accepted in a recording.",
    "certain",
    (
        "https://github.com/aws-samples/bedrock-engineer/issues/8",
        "https://github.com/earendil-works/pi/issues/4975",
        "https://github.com/NousResearch/hermes-agent/pull/63983",
    ),
    (
        ErrorTemplate(
            "The text field in the ContentBlock object at {at} is blank. Add text to the text field, and try again.",
            seen="The text field in the ContentBlock object at messages.15.content.0 is blank. Add text to the "
            "text field, and try again.",
        ),
        verbatim(
            "The model returned the following errors: messages: text content blocks must contain non-whitespace text",
            certainty="likely",
            name="white",
        ),
    ),
    wrong=(
        Wrong(
            "bed-empty-text",
            "A text is empty.",
            lambda it: put(blocks(messages(it)[0], "text")[:1], text=""),
            "texts nova documents foreign",
        ),
        Wrong(
            "bed-white-space",
            "An answer is white space.",
            lambda it: put(last_text_answer(it), content=[{"text": "\n"}]),
            "texts foreign-texts",
            says="white",
        ),
    ),
    right=(Right("bed-white-space-between", "White space between blocks.", _part_with_white_space, "documents"),),
)


@RULES.check("messages", BED_09)
def texts_present(request: ConverseRequest) -> Found:
    """BED-09. A text of white space beside other blocks is accepted."""
    for entry in request.entries:
        texts = [block for block in entry.blocks if block.kind == "text" and isinstance(block.value, str)]
        for block in texts:
            if not block.value:
                yield BED_09.broken(block.at, expected="a text", got="an empty one")
        if len(texts) == len(entry.blocks) and not any(block.value.strip() for block in texts):
            for block in texts[:1]:
                if block.value:
                    yield BED_09.broken(block.at, template="white", expected="a text", got="white space alone")


def _document(name: str) -> Json:
    return {"document": {"format": "txt", "name": name, "source": {"bytes": "aGk="}}}


def _show(posted: Posted, *names: str) -> bool:
    """Show documents of these names in the first message."""
    return add(messages(posted)[:1], "content", *map(_document, names))


BED_20: Final = WireRule(
    "BED-20",
    "The name of a document has letters, digits, single white space, hyphens, parentheses and square brackets.",
    "Names of files have a dot in front of what they end with. Underscores are accepted, whatever the text says.",
    "certain",
    ("recording: a document whose name is that of a file",),
    (
        verbatim(
            "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, "
            "parentheses, and square brackets. The name can't contain more than one consecutive whitespace "
            "character. Check that the file name conforms to these restrictions and retry your request."
        ),
    ),
    wrong=(
        Wrong(
            "bed-document-of-a-file",
            "A document has the name of a file.",
            lambda it: _show(it, "app.py.txt"),
            "texts nova foreign",
        ),
        Wrong(
            "bed-document-with-two-spaces",
            "The name of a document has two spaces in a row.",
            lambda it: _show(it, "notes  of today"),
            "texts documents",
        ),
    ),
)


@RULES.check("messages", BED_20)
def documents_named(request: ConverseRequest) -> Found:
    """BED-20. Letters of other alphabets than ASCII's are not judged."""
    for at, document in _documents(request):
        name = string(members(document).get("name"))
        if _OF_A_FILE.search(name) or re.search(r"\s\s", name):
            yield BED_20.broken(f"{at}.name", expected="letters, digits, spaces, - ( ) [ ]", got=brief(name))


BED_23: Final = WireRule(
    "BED-23",
    "No two documents of a request have one name.",
    "A file that is shown again, or two of one name from different folders, and the conversation cannot go on.",
    "certain",
    (_DOCUMENTS,),
    (verbatim("Messages can't contain duplicate document names."),),
    wrong=(
        Wrong(
            "bed-document-twice",
            "A document is shown twice.",
            lambda it: _show(it, "report", "report"),
            "texts documents",
        ),
    ),
)


@RULES.check("messages", BED_23)
def document_names_differ(request: ConverseRequest) -> Found:
    """BED-23."""
    counts = Counter(name for _, document in _documents(request) if (name := string(members(document).get("name"))))
    for name, count in counts.items():
        if count > 1:
            yield BED_23.broken("messages", expected="names that differ", got=f"{brief(name)} {count} times")


BED_24: Final = WireRule(
    "BED-24",
    "A request has at most five documents.",
    "Each turn that shows a file adds one, until the conversation cannot go on.",
    "certain",
    (_DOCUMENTS,),
    (verbatim("You can't include more than 5 documents in a request."),),
    wrong=(
        Wrong(
            "bed-six-documents",
            "Six documents are shown.",
            lambda it: _show(it, *(f"file {number}" for number in range(6))),
            "texts documents foreign",
        ),
    ),
    right=(
        Right(
            "bed-five-documents",
            "Five documents.",
            lambda it: _show(it, *(f"file_{number} (copy)" for number in range(5))),
            "texts nova",
            also=("BED-20",),
        ),
    ),
)


@RULES.check("messages", BED_24)
def documents_few(request: ConverseRequest) -> Found:
    """BED-24."""
    count = sum(1 for _ in _documents(request))
    if count > _MOST_DOCUMENTS:
        yield BED_24.broken("messages", expected=f"at most {_MOST_DOCUMENTS} documents", got=str(count), bound=())


BED_22: Final = WireRule(
    "BED-22",
    "A message of the user with a document has a text, too.",
    "A loop that shows the model a file, and says nothing, is refused.",
    "certain",
    (
        "https://github.com/BerriAI/litellm/pull/36499",
        "https://github.com/maximhq/bifrost/pull/5817",
        "https://github.com/archestra-ai/archestra/pull/4220",
    ),
    (verbatim("A text block must be included when using documents. Add a text block and retry your request."),),
    wrong=(
        Wrong(
            "bed-document-alone",
            "The user shows a document, and says nothing.",
            lambda it: put(messages(it)[:1], content=[_document("notes")]),
            "texts nova foreign",
        ),
    ),
)


@RULES.check("messages", BED_22)
def documents_with_text(request: ConverseRequest) -> Found:
    """BED-22."""
    for entry in request.entries:
        kinds = {block.kind for block in entry.blocks}
        if entry.role == "user" and "document" in kinds and not kinds & {"text", "guardContent", "toolResult"}:
            yield BED_22.broken(f"{entry.at}.content", expected="a text", got=", ".join(sorted(kinds)))


BED_26: Final = WireRule(
    "BED-26",
    "No two declared tools have one name.",
    "Tools of several servers may have one name. Claude's own API refuses them; how Bedrock says so was not seen.",
    "inferred",
    ("ANT-20",),
    (ErrorTemplate("The model returned the following errors: tools: Tool names must be unique."),),
    applies="Claude",
    wrong=(
        Wrong(
            "bed-tool-twice",
            "Two tools have one name.",
            lambda it: (
                fact(it, CLAUDE)
                and (tools := tool_config(it).get("tools"))
                and add([tool_config(it)], "tools", tools[0])
            ),
            "two-calls texts foreign",
        ),
    ),
)


@RULES.check("maker", BED_26)
def tool_names_differ(request: ConverseRequest) -> Found:
    """BED-26."""
    if not request.fact(CLAUDE):
        return
    counts = Counter(name for spec in request.specs if (name := string(spec.get("name"))))
    for name, count in counts.items():
        if count > 1:
            yield BED_26.broken("toolConfig.tools", expected="names that differ", got=f"{brief(name)} {count} times")


# --- documents ----------------------------------------------------------------------------------------------


def _documents(request: ConverseRequest) -> Iterator[tuple[str, Any]]:
    """Each document with its place, including documents in results."""
    for entry in request.entries:
        for block in entry.blocks:
            if block.kind == "document":
                yield f"{block.at}.document", block.value
            for number, inner in enumerate(objects(members(block.value).get("content"))):
                if block.kind == "toolResult" and "document" in inner:
                    yield f"{block.at}.toolResult.content.{number}.document", inner["document"]
