"""Requests that the model, or the server that has it, does not take."""

from __future__ import annotations

from typing import Any, Final

from harness.wire.openai_chat.models import FORCED_CHOICE, OPENAI, RESPONSES_ONLY, STOP_REFUSED, TEXT_ONLY
from harness.wire.openai_models import AUDIO, CONTEXT_WINDOW, DEFAULT_EFFORT, EFFORTS, KNOWN, REFUSED_ROLES, SAMPLING
from harness.wire.openai_models import REASONING as REASONS
from harness.wire.posted import Posted
from harness_lab.mutants.requests.openai_chat.base_requests import (
    BLIND,
    DEEPSEEK,
    FOREIGN_DEEPSEEK,
    GPT_5_4,
    GPT_5_6,
    IMAGES,
    MISTRAL,
    NO_SYSTEM,
    ONE_CALL,
    QWEN,
    REASONING,
    SMALL,
    SPOKEN,
    TWO_CALLS,
)
from harness_lab.mutants.requests.openai_chat.making import mutant
from harness_lab.mutants.requests.openai_chat.places import fact, maker, messages, of_role

_SOUND: Final = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
_SOUND_FILE: Final = {"type": "file", "file": {"filename": "a.wav", "file_data": "data:audio/wav;base64,UklGRg=="}}
_IMAGE: Final = {"type": "image_url", "image_url": {"url": "https://img.test/a.png"}}

_LARGEST: Final = 200_000
"""Tokens of the largest window that is filled: more would only take time."""


def _is_openais(posted: Posted) -> bool:
    return maker(posted) == OPENAI and bool(fact(posted, KNOWN))


def misspell_the_model(posted: Posted) -> bool:
    """The model's name is misspelt."""
    posted.body["model"] = "gpt-5.2-proo"
    return True


def _show(posted: Posted, part: Any) -> bool:
    users = of_role(posted, "user")
    if users:
        messages(posted)[users[-1]]["content"] = [{"type": "text", "text": "Here."}, part]
    return bool(users)


def let_it_hear(posted: Posted) -> bool:
    """A model without audio is given sound."""
    return _is_openais(posted) and not fact(posted, AUDIO) and _show(posted, _SOUND)


def let_it_see(posted: Posted) -> bool:
    """A model of text is given an image."""
    return _is_openais(posted) and bool(fact(posted, TEXT_ONLY)) and _show(posted, _IMAGE)


def show_a_listener(posted: Posted) -> bool:
    """A model of audio is given an image."""
    return _is_openais(posted) and bool(fact(posted, AUDIO)) and _show(posted, _IMAGE)


def show_deepseek(posted: Posted) -> bool:
    """DeepSeek, which reads text only, is given an image."""
    return maker(posted) == "deepseek" and _show(posted, _IMAGE)


def send_a_sound_as_file(posted: Posted) -> bool:
    """A sound is sent as a file."""
    return _is_openais(posted) and _show(posted, _SOUND_FILE)


def instruct_it(posted: Posted) -> bool:
    """A model that knows no system prompt is given one."""
    if not fact(posted, REFUSED_ROLES):
        return False
    messages(posted).insert(0, {"role": "developer", "content": "You answer questions."})
    return True


def let_it_think(posted: Posted) -> bool:
    """A model that takes tools only without thinking is asked to think."""
    if not posted.body.get("tools") or not fact(posted, RESPONSES_ONLY):
        return False
    posted.body["reasoning_effort"] = "high"
    return True


def leave_it_to_the_model(posted: Posted) -> bool:
    """A model that thinks unless a request says no is given tools, and no request says it."""
    if not posted.body.get("tools") or fact(posted, RESPONSES_ONLY) != "by default":
        return False
    return posted.body.pop("reasoning_effort", None) is not None


def limit_it_the_old_way(posted: Posted) -> bool:
    """A reasoning model is given max_tokens."""
    return _with_members(posted, bool(fact(posted, REASONS)), max_tokens=4096)


def stop_it(posted: Posted) -> bool:
    """A reasoning model is given a text at which to stop."""
    return _with_members(posted, bool(fact(posted, STOP_REFUSED)), stop=["###"])


def look_into_it(posted: Posted) -> bool:
    """A reasoning model is asked for probabilities."""
    return _with_members(posted, fact(posted, SAMPLING) == "never", logprobs=True, top_logprobs=2)


def look_while_it_thinks(posted: Posted) -> bool:
    """A model that thinks unless a request says no is asked for probabilities."""
    thinks = fact(posted, SAMPLING) == "without reasoning" and fact(posted, DEFAULT_EFFORT) not in (None, "none")
    return _with_members(posted, thinks, reasoning_effort=None, logprobs=True)


def look_while_it_is_asked_to_think(posted: Posted) -> bool:
    """A model that thinks when it is asked to is asked for probabilities as well."""
    takes = fact(posted, SAMPLING) == "without reasoning"
    return _with_members(posted, takes, reasoning_effort="high", logprobs=True)


def penalise_it(posted: Posted) -> bool:
    """A reasoning model is given a penalty."""
    return _with_members(posted, bool(fact(posted, REASONS)), frequency_penalty=0.5)


def cool_it(posted: Posted) -> bool:
    """A reasoning model is given a temperature."""
    return _with_members(posted, fact(posted, SAMPLING) == "never", temperature=0.01)


def narrow_it(posted: Posted) -> bool:
    """A reasoning model is given top_p."""
    return _with_members(posted, fact(posted, SAMPLING) == "never", top_p=0.5)


def ask_for_the_impossible(posted: Posted) -> bool:
    """An effort is asked for that the model does not have."""
    return _with_members(posted, bool(fact(posted, EFFORTS)), reasoning_effort="utmost")


def ask_it_to_think(posted: Posted) -> bool:
    """A model that does not reason is given an effort."""
    return _with_members(posted, fact(posted, REASONS) is False, reasoning_effort="low")


def _with_members(posted: Posted, takes: bool, **members: Any) -> bool:
    if maker(posted) != OPENAI or not takes:
        return False
    posted.body.update(members)
    return True


def _fill(posted: Posted, largest: int) -> bool:
    window, users = fact(posted, CONTEXT_WINDOW), of_role(posted, "user")
    if not window or window > largest or not users:
        return False
    messages(posted)[users[-1]]["content"] = "and " * (window + 1)
    return True


def fill_the_window(posted: Posted) -> bool:
    """The history is longer than the model's window."""
    return _fill(posted, _LARGEST)


def fill_deepseeks_window(posted: Posted) -> bool:
    """The history is longer than DeepSeek's window of a million tokens."""
    return maker(posted) == "deepseek" and _fill(posted, 2_000_000)


def force_a_call(posted: Posted) -> bool:
    """A call is forced on a model that thinks."""
    when, thinking = fact(posted, FORCED_CHOICE), posted.body.get("thinking") or {}
    is_off = thinking.get("type") == "disabled" or (when == "when enabled" and not posted.body.get("enable_thinking"))
    if not when or is_off or not posted.body.get("tools"):
        return False
    posted.body["tool_choice"] = "required"
    return True


def force_a_call_and_a_thought(posted: Posted) -> bool:
    """A call is forced on a model that is asked to think."""
    if fact(posted, FORCED_CHOICE) != "unless disabled" or not posted.body.get("tools"):
        return False
    posted.body.update(tool_choice="required", thinking={"type": "enabled"})
    return True


MUTANTS: Final = (
    mutant("model-misspelt", misspell_the_model, ("OAC-02",), ONE_CALL, TWO_CALLS, MISTRAL),
    mutant("sound", let_it_hear, ("OAC-10b",), ONE_CALL, IMAGES),
    mutant("image-to-the-blind", let_it_see, ("OAC-10b",), BLIND),
    mutant("image-to-the-listener", show_a_listener, ("OAC-10b",), SPOKEN),
    mutant("image-to-deepseek", show_deepseek, ("OAC-10b",), DEEPSEEK, FOREIGN_DEEPSEEK),
    mutant("sound-as-file", send_a_sound_as_file, ("OAC-FILE",), ONE_CALL, REASONING),
    mutant("system-prompt", instruct_it, ("OAC-13",), NO_SYSTEM),
    mutant("tools-and-effort", let_it_think, ("OAC-14",), GPT_5_4, GPT_5_6),
    mutant("tools-and-default-effort", leave_it_to_the_model, ("OAC-14",), GPT_5_6),
    mutant("max-tokens", limit_it_the_old_way, ("OAC-16",), REASONING, GPT_5_6),
    mutant("stop", stop_it, ("OAC-PARAM",), GPT_5_6, REASONING),
    mutant("logprobs", look_into_it, ("OAC-PARAM",), REASONING),
    mutant("logprobs-while-thinking", look_while_it_thinks, ("OAC-PARAM",), GPT_5_6),
    mutant("logprobs-at-high-effort", look_while_it_is_asked_to_think, ("OAC-PARAM",), GPT_5_4),
    mutant("penalty", penalise_it, ("OAC-PARAM",), REASONING, GPT_5_4),
    mutant("temperature", cool_it, ("OAC-PARAM",), REASONING),
    mutant("top-p", narrow_it, ("OAC-PARAM",), REASONING),
    mutant("effort-unknown", ask_for_the_impossible, ("OAC-EFFORT",), REASONING, GPT_5_6),
    mutant("effort-without-reasoning", ask_it_to_think, ("OAC-EFFORT",), ONE_CALL),
    mutant("window-full", fill_the_window, ("OAC-17",), SMALL),
    mutant("window-full-at-deepseek", fill_deepseeks_window, ("OAC-17",), DEEPSEEK),
    mutant("call-forced", force_a_call, ("OAC-FORCED",), DEEPSEEK, QWEN),
    mutant("call-forced-while-thinking", force_a_call_and_a_thought, ("OAC-FORCED",), DEEPSEEK),
)
