"""Opens targets by their names on the command line, and plans their cases."""

from __future__ import annotations

import asyncio
import difflib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.loop.policy import POLICIES
from harness.runner.plan import PlannedCase, matrix, selected
from harness.runner.sources import SCRIPTED, Sources
from harness.scenario import Scenario
from harness.targets import Declaration, Target
from harness.targets.family import TargetFamily, families, family
from harness.targets.shipped import SHIPPED
from harness.wire import WireName, native_wires

_NAME_YOUR_OWN = (
    "to check your own loop instead, name it: --target package.module:function, cmd:COMMAND or FILE.yaml; "
    "'harness init' writes an example (docs/own-loop.md)"
)
_IMPORTABLE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def examined(name: str) -> Target:
    """The target with this name, opened and closed again: its properties can be read, but it cannot be run.

    Raises ``BadInput`` like ``open_target``.
    """
    target = open_target(name, Endpoints())
    asyncio.run(target.close())
    return target


def plan_for(
    name: str,
    scenarios: Sequence[Scenario],
    *,
    wires: Sequence[WireName] = (),
    expression: str = "",
    seed: int = 0,
    sources: Sources = SCRIPTED,
    transport: str = "",
) -> list[PlannedCase]:
    """The selected cases (``plan``) of the target with this name, which is opened only to read its properties."""
    planned = matrix_for(examined(name), name, scenarios, seed=seed, sources=sources, transport=transport)
    return selected(planned, wires, expression, sources)


def matrix_for(
    target: Target,
    name: str,
    scenarios: Sequence[Scenario],
    *,
    seed: int = 0,
    sources: Sources = SCRIPTED,
    transport: str = "",
) -> list[PlannedCase]:
    """All cases of a target that was opened as ``name``. Raises ``BadInput`` like ``matrix``."""
    planned = matrix(scenarios, target=target, seed=seed, sources=sources, transport=transport)
    return [replace(item, opened_as=name) for item in planned] if target.name != name else planned


def is_own(name: str, target: Target) -> bool:
    """Whether a target is the user's own loop, with an untested driver.

    An agent gets no tools and emits no events, so it has no driver to test. A server has none either: the harness
    itself sends the requests.
    """
    declared = target.declaration
    has_none = declared.is_agent or declared.is_server
    return name not in SHIPPED and target.isolation != "in-process" and not has_none


def open_target(name: str, endpoints: Endpoints) -> Target:
    """The target with this name, whose requests go to ``endpoints``. Raises ``BadInput`` for an unknown name, and for
    the reference loop if its extra is not installed.

    It imports only what that target needs: ``wire-only`` imports no SDK and no HTTP client.
    """
    if name in SHIPPED:
        return SHIPPED[name].open()
    if name.endswith((".yaml", ".yml")):
        from harness.targets.file import open_file

        return open_file(Path(name))
    match name.split(":", 1):
        case ["cmd", command]:
            return _command(name, command)
        case ["cli", agent]:
            return _installed_agent(name, agent)
        case ["reference"]:
            return _reference(endpoints, None, name)
        case ["reference", preset] if preset in POLICIES:
            return _reference(endpoints, preset, name)
        case ["wire-only"]:
            from harness.targets.extra import require_reference
            from harness.targets.wire_only import wire_only

            require_reference("--target wire-only", ("Pillow",))
            return wire_only(endpoints)
        case ["reference" | "wire-only", _]:
            raise BadInput(_unknown(name))
        case [prefix, one] if (known := family(prefix)) is not None:
            if one in known.names():
                return known.open(one, endpoints)
            raise BadInput(_unknown(name, prefix, known))
        case [module, function] if _IMPORTABLE.fullmatch(module) and _IMPORTABLE.fullmatch(function):
            from harness.targets.function import FunctionTarget, is_found, undefined

            if is_found(module):
                if why := undefined(name):
                    raise BadInput(f"--target {name}: {why}")
                return FunctionTarget(name, name, Declaration(frozenset(native_wires()), wires_declared=False))
            raise BadInput(
                f"--target {name}: no package {module.partition('.')[0]!r} can be imported from here; run in the "
                f"folder that contains it, or install it"
            )
    raise BadInput(_meant(name) or _unknown(name))


def agent_names() -> list[str]:
    """The names of the agents that can be installed."""
    from harness.targets.installed import AGENTS

    return [f"cli:{agent}" for agent in AGENTS]


def _installed_agent(name: str, agent: str) -> Target:
    from harness.targets.file import open_agent
    from harness.targets.installed import is_known

    if not is_known(agent):
        raise BadInput(_unknown(name))
    return open_agent(agent)


def _command(name: str, command: str) -> Target:
    from harness.targets.command.program import program
    from harness.targets.command.target import CommandTarget

    undeclared = Declaration(frozenset(native_wires()), wires_declared=False)
    return CommandTarget(name, program(command, f"--target {name!r}"), undeclared)


def _reference(endpoints: Endpoints, preset: str | None, name: str) -> Target:
    from harness.endpoint.transport import EndpointTransport
    from harness.targets.clients import Clients
    from harness.targets.extra import require_reference
    from harness.targets.reference import ReferenceTarget

    try:
        require_reference(f"--target {name}{'' if preset else ' (the default)'}")
    except BadInput as why:
        raise BadInput(*why.problems, _NAME_YOUR_OWN) from None
    return ReferenceTarget(Clients(EndpointTransport(endpoints, whole_lines=True)), preset, name)


_PROGRAMS: Final = {".py": "python", ".mjs": "node", ".js": "node", ".ts": "node", ".rb": "ruby", ".sh": "sh"}
"""The program that runs a file, by the file's suffix."""


def _meant(name: str) -> str:
    """A suggestion, if the name is a file, a module, a function with a dot, or a command; else empty."""
    words = name.split()
    if len(words) > 1:
        return f"--target {name!r} is a command: did you mean '--target \"cmd:{name}\"', or 'harness serve -- {name}'?"
    module, _, function = name.rpartition(".")
    for path in map(Path, (name, f"{name.replace('.', '/')}.py", f"{module.replace('.', '/')}.py")):
        if path.is_file() and path.suffix in _PROGRAMS:
            served = f"harness serve -- {_PROGRAMS[path.suffix]} {path}"
            called = function if path != Path(name) and path.stem == module.rpartition(".")[2] else "run"
            dotted = ".".join(path.with_suffix("").parts)
            own = f"'--target {dotted}:{called}', or " if path.suffix == ".py" else ""
            return f"--target {name!r}: there is a file {path}: did you mean {own}'{served}'?"
    return ""


def _unknown(name: str, prefix: str = "", known: TargetFamily | None = None) -> str:
    """The message for an unknown name. ``known`` is the family of its ``prefix``."""
    loops = [*SHIPPED, "reference", *(f"reference:{preset}" for preset in POLICIES), "wire-only"]
    there = {prefix: known} if known is not None else families()
    loops += agent_names()
    added = [f"{prefix}:{one}" for prefix, some in there.items() for one in some.names()]
    close = difflib.get_close_matches(name, [*loops, *added], n=1)
    hint = f"; did you mean {close[0]}?" if close else "."
    shown = added if known is not None else [*loops, *(f"{prefix}:NAME" for prefix in there)]
    own = "For your own: package.module:function, cmd:COMMAND or FILE.yaml."
    return f"--target {name!r} is unknown{hint} {own} Known: {', '.join(shown)}"
