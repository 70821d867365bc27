"""What a block, a tool and the body itself are made of: BED-08, 09, 12 to 18, 20, 22 to 24, BED-BODY."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_BOTOCORE: Final = "botocore 1.44, which checks it before it sends"
_DOCUMENTS: Final = "https://github.com/aws-samples/generative-ai-use-cases/issues/1685"
_INVALID: Final = "1 validation error detected: Value at '{member}' failed to satisfy constraint: "

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
)

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
)

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
)

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
)

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
)

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
)

BED_16: Final = WireRule(
    "BED-16",
    "In front of a cachePoint its message has something to cache.",
    "A mark that is set by position is left alone where the message it was for has become empty.",
    "certain",
    ("recording: an assistant message of a cachePoint only",),
    (verbatim("There is nothing available to cache. Please remove the invalid cache point and try again."),),
)

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
)

BED_18: Final = WireRule(
    "BED-18",
    "toolConfig has at least one tool.",
    "A loop that takes its tools away sends an empty list of them.",
    "likely",
    (f"{_BOTOCORE}; what the service itself answers was not seen",),
    (ErrorTemplate("Invalid length for parameter toolConfig.tools, value: 0, valid min length: 1"),),
)

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
)

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
)

BED_23: Final = WireRule(
    "BED-23",
    "No two documents of a request have one name.",
    "A file that is shown again, or two of one name from different folders, and the conversation cannot go on.",
    "certain",
    (_DOCUMENTS,),
    (verbatim("Messages can't contain duplicate document names."),),
)

BED_24: Final = WireRule(
    "BED-24",
    "A request has at most five documents.",
    "Each turn that shows a file adds one, until the conversation cannot go on.",
    "certain",
    (_DOCUMENTS,),
    (verbatim("You can't include more than 5 documents in a request."),),
)

BED_26: Final = WireRule(
    "BED-26",
    "No two declared tools have one name.",
    "Tools of several servers may have one name. Claude's own API refuses them; how Bedrock says so was not seen.",
    "inferred",
    ("ANT-20",),
    (ErrorTemplate("The model returned the following errors: tools: Tool names must be unique."),),
    applies="Claude",
)

BED_BODY: Final = WireRule(
    "BED-BODY",
    "The body is a JSON object.",
    "Nothing else can be read.",
    "inferred",
    ("the protocol restJson1 of AWS; what the service itself answers was not seen",),
    (ErrorTemplate("The request body is not a JSON object.", kind="SerializationException"),),
)
