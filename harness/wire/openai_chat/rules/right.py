"""Small valid loops with Chat Completions: of OpenAI's models, of other makers', and with a history from elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from harness.wire import Call, FinishReason, IssuedState, Text, ThinkingPart, Turn
from harness.wire.played import PROMPT, BaseRequest
from harness.wire.posted import Posted

_LIST: Final = Call("list_files", '{"path": "src"}')
_READ: Final = Call("read_file", '{"path": "src/app.py"}')
_IMAGE: Final = {"type": "image_url", "image_url": {"url": "https://img.test/a.png"}}
_SOUND: Final = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}


def _calls(*parts: Any) -> Turn:
    return Turn(parts, FinishReason.TOOL_CALLS)


def _import(posted: Posted, issued: IssuedState) -> None:  # noqa: ARG001
    """Ids from another server: nine letters and digits, as Mistral wants them."""
    known: dict[str, str] = {}
    for message in posted.body["messages"]:
        for each in (message, *message.get("tool_calls", ())):
            for name in ("id", "tool_call_id"):
                if name in each:
                    each[name] = known.setdefault(each[name], f"import{len(known):03}")


def _think(posted: Posted, issued: IssuedState) -> None:
    """Every message with calls has thinking, whatever model has made it."""
    _import(posted, issued)
    for message in posted.body["messages"]:
        if message.get("tool_calls"):
            message.setdefault("reasoning_content", "Nobody knows it.")


def _of(name: str, model: str, *turns: Turn, **members: Any) -> BaseRequest:
    return BaseRequest(f"chat-{name}", "openai-chat", model, turns, **members)


# --- OpenAI ---------------------------------------------------------------------------------------------------

ONE_CALL: Final = _of("one-call", "gpt-4.1", _calls(_READ))
TWO_CALLS: Final = _of("two-calls", "gpt-4.1", _calls(Text("I look."), _LIST, _READ))
TURNS: Final = _of("turns", "gpt-4o", _calls(_LIST), Turn((Text("Do I go on?"),)), _calls(_READ, _LIST))
_LONG_ID: Final = f"call_{'0' * 40}"
"""Too long for an id, unless the endpoint itself has issued it."""

SAME_IDS: Final = _of(
    "same-ids", "gpt-4.1", _calls(replace(_LIST, id=_LONG_ID)), _calls(replace(_READ, id=_LONG_ID)), remembered=True
)
CHOICE: Final = _of(
    "choice", "gpt-4.1", _calls(_READ), settings={"tool_choice": "auto", "parallel_tool_calls": True, "temperature": 0}
)


def _close_the_tools(posted: Posted, issued: IssuedState) -> None:  # noqa: ARG001
    for tool in posted.body["tools"]:
        tool["function"]["strict"] = True
        tool["function"]["parameters"]["additionalProperties"] = False


def _show_an_image(posted: Posted, issued: IssuedState) -> None:  # noqa: ARG001
    messages = posted.body["messages"]
    if messages[-1]["role"] == "tool":
        messages[-1]["content"] = [{"type": "text", "text": messages[-1]["content"]}]
        messages.append({"role": "user", "content": [{"type": "text", "text": "It shows this."}, _IMAGE]})


def _speak(posted: Posted, issued: IssuedState) -> None:  # noqa: ARG001
    posted.body["messages"][-1]["content"] = [{"type": "text", "text": "Hear."}, _SOUND]


STRICT: Final = _of("strict", "gpt-4.1", _calls(_READ), amend=_close_the_tools)
IMAGES: Final = _of("images", "gpt-4o-mini", _calls(_LIST, _READ), amend=_show_an_image)
SPOKEN: Final = _of("spoken", "gpt-audio", Turn((Text("Yes."),)), tools=(), amend=_speak)

# --- models of which more is known ----------------------------------------------------------------------------

REASONING: Final = _of("reasoning", "o3", _calls(_READ), settings={"max_completion_tokens": 4096, "temperature": 1})
GPT_5_4: Final = _of("gpt-5.4", "gpt-5.4", _calls(_READ))
GPT_5_6: Final = _of("gpt-5.6", "gpt-5.6-luna", _calls(_READ), settings={"reasoning_effort": "none"})
SMALL: Final = _of("small", "gpt-4", _calls(_READ))
BLIND: Final = _of("blind", "gpt-3.5-turbo", _calls(_READ))
NO_SYSTEM: Final = _of("no-system", "o1-mini", Turn((Text("Hm."),)), tools=(), prompt=PROMPT[1:])

# --- other makers' servers ------------------------------------------------------------------------------------

_THINKS: Final = (
    _calls(ThinkingPart("Where is it?"), Text("I look."), _LIST),
    _calls(ThinkingPart("There."), _READ, _LIST),
)

DEEPSEEK: Final = _of("deepseek", "deepseek-v4-flash", *_THINKS)
_ID: Final = "call_q2UyBRP7eXNTzAoR8lEhjc9Z"
_NO_THOUGHT: Final = Turn((replace(_READ, id=_ID),), FinishReason.TOOL_CALLS, members={"reasoning_content": ""})
_TWO_OF_AN_ID: Final = (_NO_THOUGHT, _calls(ThinkingPart("There."), replace(_LIST, id=_ID)))


def _have_it_whole(posted: Posted, issued: IssuedState) -> None:  # noqa: ARG001 - of the kind of an amendment
    """Ask for no stream: only then the answer shows that its thought is empty, and it goes back so."""
    posted.body["stream"] = False
    posted.body.pop("stream_options", None)
    for message in posted.body["messages"]:
        if message.get("tool_calls"):
            message.setdefault("reasoning_content", "")


KIMI: Final = _of("kimi", "kimi-k2.5", _THINKS[0], *_TWO_OF_AN_ID, amend=_have_it_whole)
QWEN: Final = _of("qwen", "qwen3.8-max", _calls(_READ), settings={"enable_thinking": True})
_SIGNED: Final = {"extra_content": {"google": {"thought_signature": "CkgB0e2Kb7"}}}
GEMINI: Final = _of(
    "gemini",
    "gemini-3-flash",
    _calls(Text("I look."), replace(_LIST, members=_SIGNED), _READ),
    _calls(replace(_READ, members=_SIGNED)),
    remembered=True,
)
OLLAMA: Final = _of("ollama", "qwen3:8b", _calls(Text("I look."), _LIST, _READ))
ROUTER: Final = _of("router", "openai/o4-mini", _calls(_READ), settings={"max_tokens": 4096})

# --- histories that the endpoint has not issued ---------------------------------------------------------------

_TWICE: Final = (_calls(Text("I look."), _LIST, _READ), _calls(_READ))

FOREIGN: Final = _of("foreign", "gpt-4.1", *_TWICE, amend=_import, foreign=True)
FOREIGN_DEEPSEEK: Final = _of("foreign-deepseek", "deepseek-v4-pro", *_THINKS, amend=_think, foreign=True)
FOREIGN_KIMI: Final = _of("foreign-kimi", "kimi-k2.6", *_THINKS, amend=_think, foreign=True)
FOREIGN_REASONER: Final = _of("foreign-reasoner", "deepseek-reasoner", *_THINKS, amend=_think, foreign=True)
THINKING_CHAT: Final = _of(
    "thinking-chat", "deepseek-chat", *_THINKS, settings={"thinking": {"type": "enabled"}}, amend=_think, foreign=True
)
MISTRAL: Final = _of("mistral", "mistral-large-latest", *_TWICE, amend=_import, foreign=True)

BASE_REQUESTS: Final = (
    ONE_CALL,
    TWO_CALLS,
    TURNS,
    SAME_IDS,
    FOREIGN,
    CHOICE,
    STRICT,
    IMAGES,
    SPOKEN,
    REASONING,
    GPT_5_4,
    GPT_5_6,
    SMALL,
    BLIND,
    NO_SYSTEM,
    DEEPSEEK,
    KIMI,
    FOREIGN_DEEPSEEK,
    FOREIGN_KIMI,
    FOREIGN_REASONER,
    THINKING_CHAT,
    QWEN,
    MISTRAL,
    ROUTER,
    OLLAMA,
    GEMINI,
)

HARMLESS: Final = ()
