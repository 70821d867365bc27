"""Finds results in a posted request, for the edits that make it wrong."""

from __future__ import annotations

from harness.wire.lenient import Json, string
from harness.wire.openai_chat.rules.places import messages, place_of
from harness.wire.posted import Posted, put
from harness.wire.text_tags.results import HEADER


def results(posted: Posted) -> list[Json]:
    """The messages of results."""
    return [each for each in messages(posted) if string(each["content"]).startswith(f"{HEADER}\n\n[")]


def several(posted: Posted) -> list[Json]:
    """The messages of more than one result."""
    return [each for each in results(posted) if len(entries(each)) > 1]


def answered(posted: Posted) -> list[Json]:
    """The messages that messages of results directly follow."""
    return [messages(posted)[place_of(posted, each) - 1] for each in results(posted)]


def entries(message: Json) -> list[str]:
    """The results of a message, each from its name on."""
    return str(message["content"]).split("\n\n[")[1:]


def name(entry: str) -> str:
    """The tool whose result it is."""
    return entry.split("]", 1)[0]


def result_message(*written: str) -> Json:
    """A message of these results."""
    return user(HEADER + "".join(f"\n\n[{entry}" for entry in written))


def write(found: list[Json], *written: str) -> bool:
    """Put these results into messages. Returns whether there was one."""
    return put(found, content=result_message(*written)["content"])


def user(text: str) -> Json:
    """A message of the user's."""
    return {"role": "user", "content": text}


def say_more(found: list[Json], text: str) -> bool:
    """Add a text at the end of messages. Returns whether there was one."""
    for each in found:
        each["content"] += f"\n\n{text}"
    return bool(found)
