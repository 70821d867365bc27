"""The minimal JSON Schema of a request, kept by hand.

Protobuf JSON is more lenient than JSON Schema: every name may be in camelCase or snake_case, null counts as absent, a
single object as a list of one, numbers may be texts, enumerations may be numbers (all seen in recordings with 200). It
is strict in one thing: it refuses unknown names. The names come from google-genai 3.4 (``types``, and what it sends to
Vertex AI only). Tools, tool configs, safety settings and parts of an unknown kind are left open, because they grow.

Source: wire document, sections 1, 2 and 5.
"""

from __future__ import annotations

from typing import Final

from harness.wire.base import Json
from harness.wire.shape import RequestShape

DATA: Final = (
    "text",
    "inlineData",
    "functionCall",
    "functionResponse",
    "fileData",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)
"""The content of a part, one of these members: its ``oneof data``."""

BASE64: Final = "^(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2}(?:==)?|[A-Za-z0-9+/_-]{3}=?)?$"

INTEGER: Final = r"^-?\d+$"
"""Numbers may be texts. (All other numbers may have a fraction.)"""

_ANY: Final[Json] = {}
_TEXT: Final[Json] = {"type": ["string", "null"]}
_TRUTH: Final[Json] = {"enum": [True, False, None, "true", "false"]}
_BYTES: Final[Json] = {"type": ["string", "null"], "pattern": BASE64}
_NUMBER: Final[Json] = {"type": ["number", "string", "null"], "pattern": r"^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$"}
_INTEGER: Final[Json] = {"type": ["integer", "string", "null"], "pattern": INTEGER}
_STRUCT: Final[Json] = {"rule": "GEM-14", "type": ["object", "null"]}
_OBJECT: Final[Json] = {"type": ["object", "null"]}


def both_spellings(name: str) -> tuple[str, ...]:
    """A member's name as clients may write it: in camelCase, and in snake_case if that differs."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return (name,) if snake == name else (name, snake)


def _members(**members: Json) -> Json:
    return {spelling: schema for name, schema in members.items() for spelling in both_spellings(name)}


def _message(*, closed: bool = True, **members: Json) -> Json:
    """An object; ``closed``: other members are refused."""
    schema: Json = {"type": ["object", "null"], "properties": _members(**members)}
    return {**schema, "additionalProperties": False} if closed else schema


def _ref(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}


def _one_or_many(name: str) -> Json:
    """A list of messages, or a single message. The message's own type finds any other value."""
    return {
        "if": {"type": "array"},
        "then": {"items": _ref(name)},
        "else": _ref(name),
    }


def _texts() -> Json:
    return {"type": ["array", "string", "null"], "items": _TEXT}


def _enumeration(*names: str) -> Json:
    """Names in upper case as documented, in lower case as recorded (``medium``), or numbers as recorded."""
    return {"enum": [None, *range(32), *names, *(name.lower() for name in names)]}


_PART_KINDS: Final = _members(
    text=_TEXT,
    inlineData=_message(data=_BYTES, mimeType=_TEXT, displayName=_TEXT),
    fileData=_message(fileUri=_TEXT, mimeType=_TEXT, displayName=_TEXT),
    functionCall=_message(name=_TEXT, id=_TEXT, args=_STRUCT, partialArgs=_ANY, willContinue=_TRUTH),
    functionResponse=_message(name=_TEXT, id=_TEXT, response=_STRUCT, parts=_ANY, willContinue=_TRUTH, scheduling=_ANY),
    executableCode=_OBJECT,
    codeExecutionResult=_OBJECT,
    toolCall=_OBJECT,
    toolResponse=_OBJECT,
    thought=_TRUTH,
    thoughtSignature={"rule": "GEM-09", **_BYTES},
    videoMetadata=_OBJECT,
    partMetadata=_OBJECT,
    mediaResolution=_ANY,
    mediaProcessing=_ANY,
    audioTranscription=_ANY,
    speechMetadata=_ANY,
    documentMetadata=_ANY,
    spreadsheetMetadata=_ANY,
    audioMetadata=_ANY,
)

KINDS: Final = frozenset(_PART_KINDS)
"""Every member that a part may have, in both spellings."""

_PART: Final[Json] = {
    "type": ["object", "null"],
    "if": {
        "type": "object",
        "anyOf": [{"required": [name]} for kind in DATA for name in both_spellings(kind)],
    },
    "then": {"properties": _PART_KINDS, "additionalProperties": False},
    "else": {"properties": _PART_KINDS},
}

_SCHEMA_TYPES: Final = ("TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")

# additionalProperties is in the SDK's type and in Google's documentation, and refused (GEM-18).
_SCHEMA: Final[Json] = {
    "rule": "GEM-18",
    **_message(
        type=_enumeration(*_SCHEMA_TYPES),
        format=_TEXT,
        title=_TEXT,
        description=_TEXT,
        nullable=_TRUTH,
        enum=_texts(),
        items=_ref("schema"),
        properties={"type": ["object", "null"], "additionalProperties": _ref("schema")},
        required=_texts(),
        anyOf=_one_or_many("schema"),
        propertyOrdering=_texts(),
        default=_ANY,
        example=_ANY,
        defs={"type": ["object", "null"], "additionalProperties": _ref("schema")},
        ref=_TEXT,
        pattern=_TEXT,
        minimum=_NUMBER,
        maximum=_NUMBER,
        minItems=_INTEGER,
        maxItems=_INTEGER,
        minLength=_INTEGER,
        maxLength=_INTEGER,
        minProperties=_INTEGER,
        maxProperties=_INTEGER,
    ),
}

_THINKING: Final = _message(
    includeThoughts=_TRUTH,
    thinkingBudget=_INTEGER,
    thinkingLevel=_enumeration("THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH"),
)

_GENERATION: Final = _message(
    temperature=_NUMBER,
    topP=_NUMBER,
    topK=_NUMBER,
    candidateCount=_INTEGER,
    maxOutputTokens=_INTEGER,
    stopSequences=_texts(),
    seed=_INTEGER,
    presencePenalty=_NUMBER,
    frequencyPenalty=_NUMBER,
    responseLogprobs=_TRUTH,
    logprobs=_INTEGER,
    responseMimeType=_TEXT,
    responseSchema=_ref("schema"),
    responseJsonSchema=_ANY,
    responseFormat=_ANY,
    responseModalities=_ANY,
    thinkingConfig=_THINKING,
    mediaResolution=_ANY,
    speechConfig=_ANY,
    imageConfig=_ANY,
    audioTimestamp=_TRUTH,
    audioTranscriptionConfig=_ANY,
    translationConfig=_ANY,
    routingConfig=_ANY,
    modelConfig=_ANY,
    modelSelectionConfig=_ANY,
    enableAffectiveDialog=_TRUTH,
    enableEnhancedCivicAnswers=_TRUTH,
)

_FUNCTION: Final = _message(
    name=_TEXT,
    description=_TEXT,
    parameters=_ref("schema"),
    parametersJsonSchema=_ANY,
    response=_ref("schema"),
    responseJsonSchema=_ANY,
    behavior=_ANY,
)

_CALLING: Final = _message(
    mode=_enumeration("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"),
    allowedFunctionNames=_texts(),
    streamFunctionCallArguments=_TRUTH,
)

SCHEMA: Final[Json] = {
    "rule": "GEM-FIELD",
    **_message(
        model=_TEXT,
        contents=_one_or_many("content"),
        systemInstruction=_ref("content"),
        tools=_one_or_many("tool"),
        toolConfig=_message(closed=False, functionCallingConfig=_CALLING),
        safetySettings=_ANY,
        generationConfig=_GENERATION,
        cachedContent=_TEXT,
        continuationToken=_BYTES,
        labels=_OBJECT,
        serviceTier=_ANY,
        store=_TRUTH,
        modelArmorConfig=_ANY,
        generationOutputConfig=_ANY,
        webhookConfig=_ANY,
    ),
    "$defs": {
        "content": _message(role=_TEXT, parts=_one_or_many("part")),
        "part": _PART,
        "tool": _message(closed=False, functionDeclarations=_one_or_many("function")),
        "function": _FUNCTION,
        "schema": _SCHEMA,
    },
}

SHAPE: Final = RequestShape(SCHEMA)
