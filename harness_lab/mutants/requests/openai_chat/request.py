"""Requests broken on purpose as a whole: bodies, missing members, wrong types and numbers."""

from __future__ import annotations

import json
from typing import Any, Final

from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.openai_chat.base_requests import CHOICE, ONE_CALL, SPOKEN
from harness_lab.mutants.requests.openai_chat.making import mutant
from harness_lab.mutants.requests.openai_chat.places import is_strict, messages


def _with(posted: Posted, **members: Any) -> bool:
    posted.body.update(members)
    return True


def say_a_limit(posted: Posted) -> bool:
    """A token limit is sent as text."""
    return _with(posted, max_completion_tokens="4096")


def say_stream(posted: Posted) -> bool:
    """Whether to stream is sent as text."""
    return _with(posted, stream="true")


def name_the_messages(posted: Posted) -> bool:
    """The messages are an object."""
    if not messages(posted):
        return False
    return _with(posted, messages={str(at): message for at, message in enumerate(messages(posted))})


def forget_them_by_null(posted: Posted) -> bool:
    """The messages are null."""
    return _with(posted, messages=None)


def say_a_message(posted: Posted) -> bool:
    """A message is a text."""
    return _with(posted, messages=[*messages(posted), "Go on."])


def cool_down(posted: Posted) -> bool:
    """The temperature is below zero."""
    return is_strict(posted) and _with(posted, temperature=-1)


def heat_up(posted: Posted) -> bool:
    """The temperature is far above what there is."""
    return is_strict(posted) and _with(posted, temperature=99.0)


def ask_for_none(posted: Posted) -> bool:
    """A token limit is zero, which elsewhere means none."""
    return is_strict(posted) and _with(posted, max_completion_tokens=0)


def name_the_cache_after_two_ids(posted: Posted) -> bool:
    """The key of the prompt cache is made of two ids."""
    return is_strict(posted) and _with(posted, prompt_cache_key="k" * 72)


def ask_for_many(posted: Posted) -> bool:
    """More alternatives are asked for than there are."""
    return is_strict(posted) and _with(posted, n=129)


# --- the request as a whole -----------------------------------------------------------------------------------


def forget_everything(posted: Posted) -> bool:
    """The history was trimmed to nothing."""
    return _with(posted, messages=[])


def forget_the_messages(posted: Posted) -> bool:
    """The request has no messages."""
    return posted.body.pop("messages", None) is not None


def cut_the_body(posted: Posted) -> bool:
    """The body ends in the middle."""
    posted.raw = json.dumps(posted.body).encode()[:-2]
    return True


def list_the_body(posted: Posted) -> bool:
    """The body is a list."""
    posted.raw = json.dumps([posted.body]).encode()
    return True


def forget_the_model(posted: Posted) -> bool:
    """The request names no model."""
    return posted.body.pop("model", None) is not None


def empty_the_model(posted: Posted) -> bool:
    """The name of the model is empty."""
    return _with(posted, model="")


_MADE: Final[tuple[tuple[str, Edit, tuple[str, ...]], ...]] = (
    ("limit-text", say_a_limit, ("OAC-TYPE",)),
    ("stream-text", say_stream, ("OAC-TYPE",)),
    ("messages-object", name_the_messages, ("OAC-TYPE",)),
    ("messages-null", forget_them_by_null, ("OAC-TYPE",)),
    ("message-text", say_a_message, ("OAC-TYPE",)),
    ("temperature-below", cool_down, ("OAC-NUMBER",)),
    ("temperature-above", heat_up, ("OAC-NUMBER",)),
    ("limit-zero", ask_for_none, ("OAC-NUMBER",)),
    ("cache-key-long", name_the_cache_after_two_ids, ("OAC-CACHE",)),
    ("too-many-answers", ask_for_many, ("OAC-NUMBER",)),
    ("messages-empty", forget_everything, ("OAC-01",)),
    ("messages-missing", forget_the_messages, ("OAC-01",)),
    ("body-cut", cut_the_body, ("OAC-JSON",)),
    ("body-list", list_the_body, ("OAC-JSON",)),
    ("model-missing", forget_the_model, ("OAC-MODEL",)),
    ("model-empty", empty_the_model, ("OAC-MODEL",)),
)

MUTANTS: Final = tuple(mutant(name, edit, rules, ONE_CALL, CHOICE, SPOKEN) for name, edit, rules in _MADE)
