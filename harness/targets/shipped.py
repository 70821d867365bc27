"""The third-party loops for which the harness has a driver: their names, packages and declarations.

The table imports none of them; a driver is imported when its first case runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from harness.targets.base import Target
from harness.targets.declaration import EVERY_CAPABILITY, Capability, Declaration
from harness.targets.node_drivers import INSTALL, NodeDriver, package_version
from harness.wire import NATIVE_WIRES, WireName


@dataclass(frozen=True, slots=True)
class Shipped:
    """One driver.

    ``driver`` is the address of its function (``harness.targets.drivers.MODULE:run``), or its program on Node.
    ``packages`` are the distributions that it drives, the loop's own first. ``install`` is the command that installs
    them.
    """

    name: str
    summary: str
    driver: str | NodeDriver
    packages: tuple[str, ...]
    install: str
    declaration: Declaration

    @property
    def versions(self) -> Mapping[str, str | None]:
        """The installed version of every package; None for one that is missing."""
        version_of = package_version if isinstance(self.driver, NodeDriver) else _version
        return {package: version_of(package) for package in self.packages}

    def open(self) -> Target:
        """The target. Raises ``BadInput`` if a package is missing, or the node that runs it."""
        from harness.errors import BadInput

        missing = [package for package, found in self.versions.items() if found is None]
        if missing:
            raise BadInput(f"--target {self.name} needs {', '.join(missing)}, which is not installed: {self.install}")
        if isinstance(self.driver, NodeDriver):
            from harness.targets.command.target import CommandTarget

            return CommandTarget(self.name, self.driver.command(self.name), self.declaration, persistent=True)
        from harness.targets.function import FunctionTarget

        return FunctionTarget(self.name, self.driver, self.declaration)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


_OF_CONVERSATIONS: Final = frozenset[Capability](
    {"follow-up", "cancel", "steer", "resume", "switch-model", "switch-wire", "switch-key"}
)
"""Capabilities for callers who do more than run a loop once. A driver supports those that its library has."""

_USUAL: Final = EVERY_CAPABILITY - {"answer-schema", "compact", "approve"} - _OF_CONVERSATIONS
"""Capabilities that all drivers pass on to their loops."""

_GOES_ON: Final = frozenset[Capability]({"follow-up", "resume", "switch-model"})
"""Capabilities of a loop whose user has its history and begins another run with it."""

_RUNNER = Declaration(
    wires=frozenset({"anthropic-messages"}),
    profiles=frozenset({"universal", "tool-runner"}),
    capabilities=_USUAL,
    emits=frozenset({"assistant", "thinking", "error", "final"}),
)


def _anthropic_runner(
    suffix: str,
    summary: str,
    function: str = "run",
    declines: frozenset[str] = frozenset(),
    talk: frozenset[Capability] = frozenset({"cancel", "steer"}),
) -> Shipped:
    return Shipped(
        f"anthropic-runner{suffix}",
        f"the tool runner of Anthropic's SDK for Python, {summary}",
        f"harness.targets.drivers.anthropic_runner:{function}",
        ("anthropic",),
        "pip install anthropic",
        replace(_RUNNER, declines=declines, capabilities=_USUAL | _GOES_ON | talk),
    )


def _anthropic_runner_ts(
    suffix: str,
    summary: str,
    *options: str,
    declines: frozenset[str] = frozenset(),
    talk: frozenset[Capability] = frozenset({"cancel", "steer"}),
) -> Shipped:
    return Shipped(
        f"anthropic-runner-ts{suffix}",
        f"the tool runner of Anthropic's SDK for TypeScript, {summary}",
        NodeDriver(("anthropic-runner-ts.mjs", *options), since=20),
        ("@anthropic-ai/sdk",),
        INSTALL,
        replace(_RUNNER, declines=declines, capabilities=_USUAL | _GOES_ON | talk),
    )


_VERCEL_DECLARED = Declaration(
    capabilities=((_USUAL | _OF_CONVERSATIONS) - {"server-tools"}) | {"approve"},
    emits=frozenset({"assistant", "thinking", "toolStart", "toolResult", "error", "final"}),
)

_VERCEL_AI = Shipped(
    "vercel-ai",
    "Vercel's AI SDK: streamText and generateText on all four APIs",
    NodeDriver(("vercel-ai.mjs",), since=22),
    ("ai", "@ai-sdk/openai", "@ai-sdk/openai-compatible", "@ai-sdk/anthropic", "@ai-sdk/google"),
    INSTALL,
    _VERCEL_DECLARED,
)


def _vercel_interactions(suffix: str, summary: str, *options: str) -> Shipped:
    return Shipped(
        f"vercel-ai:{suffix}",
        f"Vercel's AI SDK with google.interactions(): {summary}",
        NodeDriver(("vercel-ai.mjs", *options), since=22),
        ("ai", "@ai-sdk/google"),
        INSTALL,
        replace(
            _VERCEL_DECLARED,
            wires=frozenset({"gemini-interactions"}),
            capabilities=(_VERCEL_DECLARED.capabilities - {"switch-wire"}) | {"server-tools"},
        ),
    )


def _openai_agents(suffix: str, summary: str, function: str, *wires: WireName, transport: str = "") -> Shipped:
    more: frozenset[Capability] = frozenset() if transport else frozenset({"switch-wire"})
    return Shipped(
        f"openai-agents{suffix}",
        f"OpenAI's Agents SDK for Python: its runner {summary}",
        f"harness.targets.drivers.openai_agents:{function}",
        ("openai-agents", "openai"),
        "pip install 'agent-loop-harness[openai-agents]'",
        Declaration(
            wires=frozenset(wires),
            capabilities=_USUAL | _GOES_ON | frozenset[Capability]({"cancel", "switch-key", "approve"}) | more,
            emits=frozenset({"assistant", "thinking", "toolStart", "toolResult", "error", "final"}),
            transport=transport,
        ),
    )


_OPENAI_CONNECTION = Shipped(
    "openai:websocket",
    "a loop on client.responses.connect() of OpenAI's SDK for Python, which reconnects",
    "harness.targets.drivers.openai_connection:run",
    ("openai",),
    "pip install 'openai[realtime]'",
    Declaration(
        wires=frozenset({"openai-responses"}),
        capabilities=_USUAL - {"retry"},
        emits=frozenset({"assistant", "thinking", "error", "final"}),
        transport="websocket",
    ),
)


def _pydantic_ai(suffix: str, summary: str, packages: tuple[str, ...], install: str, *wires: WireName) -> Shipped:
    able = (_USUAL | _OF_CONVERSATIONS | frozenset[Capability]({"approve"})) - {"server-tools"}
    return Shipped(
        f"pydantic-ai{suffix}",
        f"pydantic-ai: its agent {summary}",
        "harness.targets.drivers.pydantic_ai:run",
        ("pydantic-ai-slim", *packages),
        install,
        Declaration(
            wires=frozenset(wires),
            profiles=frozenset({"universal", "pydantic-ai"}),
            capabilities=able if len(wires) > 1 else able - {"switch-wire"},
            emits=frozenset({"turnStart", "assistant", "thinking", "toolStart", "toolResult", "error", "final"}),
        ),
    )


def _google_genai(suffix: str, summary: str, function: str = "run") -> Shipped:
    return Shipped(
        f"google-genai{suffix}",
        f"automatic function calling of Google's SDK for Python, {summary}",
        f"harness.targets.drivers.google_genai:{function}",
        ("google-genai",),
        "pip install google-genai",
        Declaration(
            wires=frozenset({"gemini-generate"}),
            capabilities=_USUAL
            | _GOES_ON
            | frozenset[Capability]({"switch-key"} if suffix else {"switch-key", "cancel"}),
            emits=frozenset({"assistant", "thinking", "error", "final"}),
        ),
    )


_GOOGLE_INTERACTIONS = Shipped(
    "google-genai:interactions",
    "a loop on client.interactions of Google's SDK for Python, which has none itself",
    "harness.targets.drivers.google_interactions:run",
    ("google-genai",),
    "pip install google-genai",
    Declaration(
        wires=frozenset({"gemini-interactions"}),
        capabilities=_USUAL,
        emits=frozenset({"assistant", "thinking", "error", "final"}),
    ),
)


_GOOGLE_ADK = Shipped(
    "google-adk:interactions",
    "Google's Agent Development Kit for Python on the Interactions API",
    "harness.targets.drivers.google_adk:run",
    ("google-adk", "google-genai"),
    "pip install google-adk, in an environment of its own: it wants google-genai 2",
    Declaration(
        wires=frozenset({"gemini-interactions"}),
        capabilities=_USUAL,
        emits=frozenset({"assistant", "thinking", "toolStart", "toolResult", "error", "final"}),
    ),
)


_STRANDS = Shipped(
    "strands",
    "Strands Agents for Python: its agent with BedrockModel",
    "harness.targets.drivers.strands:run",
    ("strands-agents", "boto3"),
    "pip install strands-agents",
    Declaration(
        wires=frozenset({"bedrock-converse"}),
        capabilities=(_USUAL | _GOES_ON | frozenset[Capability]({"cancel", "switch-key", "approve"}))
        - {"server-tools"},
        emits=frozenset({"assistant", "thinking", "toolStart", "toolResult", "error", "final"}),
    ),
)


_LANGCHAIN = Shipped(
    "langchain",
    "LangChain's agent for Python: create_agent with ChatOpenAI on both APIs, and with ChatAnthropic",
    "harness.targets.drivers.langchain:run",
    ("langchain", "langchain-openai", "langchain-anthropic"),
    "pip install 'agent-loop-harness[langchain]'",
    Declaration(
        wires=frozenset({"openai-responses", "openai-chat", "anthropic-messages"}),
        capabilities=_USUAL | _GOES_ON | {"cancel", "switch-wire", "switch-key", "approve"},
        emits=frozenset({"assistant", "thinking", "toolStart", "toolResult", "error", "final"}),
    ),
)


_ALL: tuple[Shipped, ...] = (
    _anthropic_runner("", "with its defaults: the conversation is a thread that the server keeps"),
    _anthropic_runner(
        ":unthreaded", "set to send the whole history each time", "run_unthreaded", talk=frozenset({"cancel"})
    ),
    _anthropic_runner(":declined", "on a server that keeps no threads", declines=frozenset({"thread"})),
    _anthropic_runner_ts("", "with its defaults: the conversation is a thread that the server keeps"),
    _anthropic_runner_ts(
        ":unthreaded", "set to send the whole history each time", "--unthreaded", talk=frozenset({"cancel"})
    ),
    _anthropic_runner_ts(":declined", "on a server that keeps no threads", declines=frozenset({"thread"})),
    _openai_agents("", "on both of OpenAI's APIs", "run", "openai-responses", "openai-chat"),
    _openai_agents(":websocket", "over WebSockets", "run_over_websocket", "openai-responses", transport="websocket"),
    _openai_agents(
        ":websocket-unstored",
        "over WebSockets, each turn from the response before, which is not stored",
        "run_unstored_over_websocket",
        "openai-responses",
        transport="websocket",
    ),
    _OPENAI_CONNECTION,
    _google_genai("", "its asynchronous client"),
    _google_genai(":sync", "its client that blocks", "run_sync"),
    _GOOGLE_INTERACTIONS,
    _GOOGLE_ADK,
    _STRANDS,
    _LANGCHAIN,
    _pydantic_ai(
        "",
        "on all four APIs",
        ("openai", "anthropic", "google-genai"),
        "pip install 'agent-loop-harness[pydantic-ai]'",
        *NATIVE_WIRES,
    ),
    _pydantic_ai(
        ":bedrock",
        "on Amazon Bedrock",
        ("boto3",),
        "pip install 'pydantic-ai-slim[bedrock]'",
        "bedrock-converse",
    ),
    _VERCEL_AI,
    _vercel_interactions("interactions", "each request with all steps"),
    _vercel_interactions("interactions-chained", "a run from the interaction before it", "--chained"),
)

SHIPPED: Final[Mapping[str, Shipped]] = {each.name: each for each in _ALL}
"""Every driver by the name of its target."""
