"""Presets: how a gateway is started, and how it reaches the models of ours that stand in for providers.

A preset is a YAML file, of a user's own or one that is shipped (``presets/``):

    gateway: litellm                             its name in reports
    command: litellm --config {config} --port {port}
    version: "{program} --version"               optional: prints the version; {program} is that of the command
    ready: /health/liveliness                    the path that answers with 200 once it is ready (default: /)
    config: {...}                                its configuration, as text or as a mapping, which is written as JSON
    environment: {NAME: value}                   variables
    upstreams:                                   the models behind it, by names of your own
      openai-chat: {model: up-chat}              which clients ask for ``up-chat``; the name is that of a wire, or
      deepseek: {wire: openai-chat, model: ds}   ``wire`` says it

``{port}`` is the gateway's port, ``{config}`` the file with its configuration, ``{folder}`` the one that this is in,
``{key}`` any key, and ``{fake.NAME}`` the address of our model behind the upstream NAME, without a version; in the
headers of an upstream ``{fake}`` is its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field

from harness.errors import BadInput
from harness.scenario.authored.base import Authored, KnownWire, Slug, Words
from harness.scenario.checking import checked
from harness.scenario.documents import Document, read
from harness.scenario.words import did_you_mean
from harness.wire import NATIVE_WIRES, WireName, wire_names
from harness.wire import wire as wire_named

KEY: Final = "harness"
"""The key that gateways and clients are given: our models take any."""

_PRESETS: Final = Path(__file__).parent / "presets"
_WORD: Final = re.compile(r"\{(config|folder|port|key|program|fake(?:\.[a-z0-9-]+)?)\}")


@dataclass(frozen=True, slots=True)
class UpstreamModel:
    """A model behind the gateway.

    ``wire`` is the API format in which the gateway should ask it, ``model`` the name by which clients of the gateway
    ask for it, ``headers`` the additional headers of their requests, ``clients`` the formats of these clients (None:
    the gateway's). ``thinks``: whether the model sends its thoughts.
    """

    name: str
    wire: WireName
    model: str
    headers: Mapping[str, str] = field(default_factory=dict)
    clients: tuple[WireName, ...] | None = None
    thinks: bool = True


@dataclass(frozen=True, slots=True)
class Preset:
    """A gateway: how it is started, and what is behind it. See the module for what the texts may name.

    ``command`` is empty where the gateway runs already.
    """

    name: str
    command: str
    upstreams: tuple[UpstreamModel, ...]
    version: str = ""
    ready: str = "/"
    config: Any = None
    config_file: str = "config.yaml"
    environment: Mapping[str, str] = field(default_factory=dict)
    clients: tuple[WireName, ...] = NATIVE_WIRES


def preset_names() -> list[str]:
    """The names of the presets that are shipped."""
    return sorted(path.stem for path in _PRESETS.glob("*.yaml"))


def upstream_of(name: WireName, model: str) -> UpstreamModel:
    """A model of the wire with this name, for a gateway without a preset."""
    return UpstreamModel(name, name, model, thinks=not wire_named(name).thinking_model)


def preset_of(word: str) -> Preset:
    """The shipped preset with this name, or the preset in a file. Raises ``BadInput`` with the place in it."""
    if word in preset_names():
        return _read(_PRESETS / f"{word}.yaml")
    if "/" not in word and not word.endswith((".yaml", ".yml")):
        names = preset_names()
        raise BadInput(
            f"--preset {word}: expected {', '.join(names)}, or a file such as my-gateway.yaml"
            f"{did_you_mean(word, names)}"
        )
    return _read(Path(word))


def filled(text: str, words: Mapping[str, str]) -> str:
    """The text with the value of each word in braces that ``words`` have."""
    return _WORD.sub(lambda found: words.get(found[1], found[0]), text)


# --- the file ---------------------------------------------------------------------------------------------------


class UpstreamEntry(Authored):
    """A model behind the gateway."""

    wire: Annotated[KnownWire | None, Field(description="The API format that it is meant to be asked in.")] = None
    model: Annotated[Words, Field(description="The name by which clients of the gateway ask for it.")]
    headers: Annotated[dict[Words, str], Field(description="Headers of these requests.")] = {}  # noqa: RUF012 - pydantic copies it
    clients: Annotated[list[KnownWire] | None, Field(min_length=1, description="The formats of clients.")] = None
    thinks: Annotated[bool | None, Field(description="Whether it sends its thoughts.")] = None


class PresetFile(Authored):
    """The whole file."""

    gateway: Annotated[Slug, Field(description="The name of the gateway in reports.")]
    command: Annotated[Words, Field(description="What starts it.")]
    version: Annotated[Words | None, Field(description="What prints its version.")] = None
    ready: Annotated[Words, Field(pattern="^/", description="The path that answers once it is ready.")] = "/"
    config: Annotated[str | dict[str, Any] | None, Field(description="Its configuration.")] = None
    config_file: Annotated[Words, Field(description="The name of the file with it.")] = "config.yaml"
    environment: Annotated[dict[Words, str], Field(description="Variables of the gateway.")] = {}  # noqa: RUF012 - as above
    clients: Annotated[list[KnownWire] | None, Field(min_length=1, description="The formats of its clients.")] = None
    upstreams: Annotated[dict[Slug, UpstreamEntry], Field(min_length=1, description="The models behind it.")]


class _Entries(dict[str, type[Authored]]):
    """What the last name of a location stands for: upstreams have names of the user's own."""

    def __missing__(self, name: str) -> type[Authored]:
        return UpstreamEntry


_ENTRIES: Final = _Entries({"": PresetFile})


def _read(path: Path) -> Preset:
    document = read(path, path.parent, "gateway")
    file = checked(document, PresetFile, _ENTRIES)
    upstreams = tuple(_upstream(document, name, entry) for name, entry in file.upstreams.items())
    preset = Preset(
        file.gateway,
        file.command,
        upstreams,
        file.version or "",
        file.ready,
        file.config,
        file.config_file,
        file.environment,
        NATIVE_WIRES if file.clients is None else tuple(file.clients),
    )
    _check_words(document, preset)
    return preset


def _upstream(document: Document, name: str, entry: UpstreamEntry) -> UpstreamModel:
    if entry.wire is None and name not in wire_names():
        raise BadInput(
            f"{document.place(('upstreams', name))}: expected 'wire', the API format of the upstream {name!r}, got "
            f"none; name one of {', '.join(NATIVE_WIRES)}"
        )
    wire = entry.wire or name
    thinks = entry.thinks if entry.thinks is not None else not wire_named(wire).thinking_model
    clients = None if entry.clients is None else tuple(entry.clients)
    return UpstreamModel(name, wire, entry.model, entry.headers, clients, thinks)


def _check_words(document: Document, preset: Preset) -> None:
    """Raises ``BadInput`` for the address of an upstream that the file does not have."""
    known = [each.name for each in preset.upstreams]
    texts: list[tuple[Sequence[str], str]] = [(("command",), preset.command)]
    texts += [(("environment", name), value) for name, value in preset.environment.items()]
    texts += [(("config",), json.dumps(preset.config))]
    for location, text in texts:
        for found in _WORD.finditer(text):
            name = found[1].partition(".")[2]
            if found[1] == "fake" or (name and name not in known):
                raise BadInput(
                    f"{document.place(location)}: expected {{fake.NAME}} with one of {', '.join(known)}, got "
                    f"{found[0]}; name an upstream"
                )
