"""The matrix: the cases of a run, in a fixed order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from harness.errors import BadInput
from harness.loop.sessions import missing
from harness.rules.contracts import contract_of
from harness.runner.selection import selector
from harness.runner.sources import RECORDED, SCRIPTED, Sources
from harness.scenario import (
    CallerAction,
    EditToolResponse,
    GenerateToolResponse,
    HttpErrorStep,
    PushMessages,
    Scenario,
    SetMessages,
    Tool,
    is_fresh,
)
from harness.targets import Declaration, Target
from harness.trace import Case, JsonValue
from harness.wire import WireName, wire_names
from harness.wire import wire as wire_named
from harness.wire.channels import HTTP, channel
from harness.wire.servers import known_server


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """A case to run and its scenario. ``skip`` is the reason why it is not run; empty if it is run.

    ``opened_as`` is the name that opens its target, if it differs from the target's own name (a file).
    """

    case: Case
    scenario: Scenario
    skip: str = ""
    opened_as: str = ""


def plan(
    scenarios: Sequence[Scenario],
    *,
    target: Target,
    wires: Sequence[WireName] = (),
    expression: str = "",
    seed: int = 0,
    sources: Sources = SCRIPTED,
    transport: str = "",
) -> list[PlannedCase]:
    """The cases of the ``matrix`` that are ``selected``."""
    planned = matrix(scenarios, target=target, seed=seed, sources=sources, transport=transport)
    return selected(planned, wires, expression, sources)


def matrix(
    scenarios: Sequence[Scenario],
    *,
    target: Target,
    seed: int = 0,
    sources: Sources = SCRIPTED,
    transport: str = "",
) -> list[PlannedCase]:
    """Scenario x wire x chunking, in that order, if the target supports them and ``sources`` answer them.

    If ``sources`` are the scripts, each case is followed by its cases in the dialects that the scenario varies. With a
    channel as ``transport`` only cases that work on the channel are included; without one, only those for HTTP. Raises
    ``BadInput`` if no case works on the transport, unless only the cassettes are missing.
    """
    able = target.declaration
    over = transport or able.transport
    scenarios = [each for each in scenarios if each.transport in ("", over or HTTP)]
    planned = [
        PlannedCase(
            _taken_by(
                able,
                case_of(
                    scenario,
                    wire,
                    chunking,
                    target=target.name,
                    seed=seed,
                    source=sources.name,
                    declines=tuple(sorted(able.declines)),
                    capabilities=promised(target),
                    paced=is_paced(target),
                ),
            ),
            scenario,
            able.lacks(scenario, wire),
        )
        for scenario in scenarios
        if scenario.profile in able.profiles
        for wire in scenario.wires
        if wire in able.wires
        for chunking in sources.variations(scenario, wire)
    ]
    if over:
        there = list(_on_channel(planned, over))
        if transport and not there and sources.name != "cassette":
            raise BadInput(
                f"--transport {transport}: no case is on a wire with {channel(over).many} that the target speaks"
            )
        return there
    if sources.name != SCRIPTED.name:
        return planned
    return [each for item in planned for each in (item, *_spoken(item, item.scenario.dialects))]


def _on_channel(planned: Iterable[PlannedCase], name: str) -> Iterator[PlannedCase]:
    """The cases that work on a channel, one for each scenario and wire: an event is a message there, so there is no
    chunking."""
    seen: set[tuple[str, WireName]] = set()
    for item in planned:
        case, place = item.case, (item.scenario.name, item.case.wire)
        if place not in seen and name in wire_named(case.wire).channels and _has_messages(item.scenario):
            seen.add(place)
            chunking = case.chunking if case.chunking == RECORDED else "event"
            id = f"{item.scenario.name}.{case.wire}.{chunking}+{name}"
            yield replace(item, case=replace(case, id=id, chunking=chunking, transport=name, paced=False))


def _has_messages(scenario: Scenario) -> bool:
    """Whether a script can be sent as messages: it only streams, and contains no answers of an HTTP proxy."""
    return scenario.stream and not any(isinstance(step, HttpErrorStep) and step.body for step in scenario.steps)


def _spoken(item: PlannedCase, names: Collection[str]) -> Iterator[PlannedCase]:
    """The case in each of these dialects that its wire has, if it is streamed."""
    if item.scenario.stream:
        for name in wire_named(item.case.wire).dialects:
            if name in names or "all" in names:
                yield replace(item, case=replace(item.case, id=f"{item.case.id}+{name}", dialect=name))


def selected(
    planned: Sequence[PlannedCase], wires: Sequence[WireName], expression: str, sources: Sources = SCRIPTED
) -> list[PlannedCase]:
    """The cases on ``wires`` that the expression selects. The whole id of a case selects only that case.

    Without ``wires`` see ``asked``. Raises ``BadInput`` if nothing is left to run.
    """
    wanted = selector(expression)
    on_wires = [item for item in asked(planned, wires) if not wires or item.case.wire in wires]
    if not on_wires and sources.name == "cassette":
        raise BadInput("no cassette is there for these scenarios; 'harness record SCENARIO --wire WIRE' makes one")
    found = [item for item in on_wires if item.case.id == expression.strip()]
    found = found or [item for item in on_wires if wanted(item.case.id)]
    if not found:
        lacking = "".join(f"; {why}" for why in map(missing, wires) if why)
        raise BadInput(
            f"no case is left of {len(on_wires)}: relax -k {expression!r} or --wire; 'harness list' shows the scenarios"
            f"{lacking}"
        )
    return found


def asked(planned: Sequence[PlannedCase], wires: Sequence[WireName]) -> list[PlannedCase]:
    """The cases, except those on wires that run only on request and that ``wires`` does not name.

    If nothing would be left, the target speaks no other wire, and all cases are kept.
    """
    found = [item for item in planned if item.case.wire in wires or not wire_named(item.case.wire).on_request]
    return found or list(planned)


def at_server(server: str, planned: Sequence[PlannedCase]) -> list[PlannedCase]:
    """The cases at an endpoint that plays this server; an empty name means the provider itself.

    Raises ``BadInput`` for an unknown server.
    """
    known_server(server)
    return [replace(item, case=replace(item.case, server=server)) for item in planned] if server else list(planned)


def in_dialects(names: Sequence[str], planned: Sequence[PlannedCase]) -> list[PlannedCase]:
    """The streamed cases, once in each of these dialects that their wire has; ``all`` means all dialects.

    Cases without a dialect, and in other dialects that their scenario varies, are left out then. Without names the
    cases are unchanged. Raises ``BadInput`` for a dialect that no wire has, and if no case is left.
    """
    check_dialects(names)
    found = spoken_in(names, planned)
    if names and not found:
        raise BadInput(f"--dialect {','.join(names)}: no streamed case is on a wire that has it; see --wire")
    return found


def check_dialects(names: Sequence[str]) -> None:
    """Raises ``BadInput`` for the name of a dialect that no wire has, unless it is ``all``."""
    known = {name: None for each in wire_names() for name in wire_named(each).dialects}
    if unknown := next((name for name in names if name != "all" and name not in known), ""):
        raise BadInput(f"--dialect: no wire has a dialect {unknown!r}; expected all, or some of {', '.join(known)}")


def spoken_in(names: Sequence[str], planned: Sequence[PlannedCase]) -> list[PlannedCase]:
    """Like ``in_dialects``, but for known names; the result may be empty."""
    if not names:
        return list(planned)
    return [each for item in planned if not item.case.dialect for each in _spoken(item, names)]


def _taken_by(able: Declaration, case: Case) -> Case:
    """The case as the loop gets it: a server has its own system prompt, and perhaps its own tools."""
    if not able.is_server:
        return case
    says = tuple(pair for pair in case.prompt if pair[0] == "user")
    return replace(case, prompt=says, tools={} if able.own_tools else case.tools)


def case_of(
    scenario: Scenario,
    wire: WireName,
    chunking: str,
    *,
    target: str,
    seed: int = 0,
    source: str = "script",
    declines: tuple[str, ...] = (),
    capabilities: tuple[str, ...] | None = None,
    hands_over: bool = True,
    paced: bool = False,
) -> Case:
    """The case of a scenario on one wire. Its turn limit is the scenario's, else the one of the profile's contract.

    ``hands_over``: the loop gets the prompt and the tools. (A served program brings its own.)
    ``paced``: the loop takes each piece of a response before the next one is delivered.
    """
    own = scenario.turn_limit
    limit = contract_of(scenario.profile).turn_limit if own is None else own
    return Case(
        id=f"{scenario.name}.{wire}.{chunking}",
        scenario=scenario.name,
        wire=wire,
        target=target,
        source=source,
        profile=scenario.profile,
        chunking=chunking,
        seed=seed,
        turn_limit=limit,
        # In the last turn tools run only for the caller.
        edits=tuple(turn for turn, actions in scenario.caller.items() if turn == limit or any(map(_edits, actions))),
        generated=tuple(turn for turn, actions in scenario.caller.items() if any(map(_generates, actions))),
        kinds={tool.declaration.name: tool.kind for tool in scenario.tools if tool.kind != "function"},
        declines=declines,
        capabilities=capabilities,
        returns={tool.declaration.name: tool.returns for tool in scenario.tools if _is_return_known(scenario, tool)},
        tools=_declarations(scenario) if hands_over and not scenario.is_of_agent else {},
        prompt=tuple(scenario.prompt) if hands_over else (),
        raises=tuple(tool.declaration.name for tool in scenario.tools if tool.raises is not None),
        paced=paced,
    )


def _declarations(scenario: Scenario) -> dict[str, JsonValue]:
    """The declarations of the scenario's tools in the form of a trace."""
    declared = (tool.declaration for tool in scenario.tools)
    return {each.name: {"description": each.description, "parameters": dict(each.parameters)} for each in declared}


def _is_return_known(scenario: Scenario, tool: Tool) -> bool:
    """Whether the scenario determines what every call of the tool returns, which may be null."""
    if tool.returns is not None:
        return not is_fresh(tool.returns)
    return tool.kind == "function" and tool.raises is None and not (tool.canonical or scenario.is_of_agent)


def is_paced(target: Target) -> bool:
    """Whether the loop takes each piece of a response before the next one is delivered: in process, as a stream."""
    return target.isolation == "in-process" and bool(getattr(target, "paced", False))


def promised(target: Target) -> tuple[str, ...] | None:
    """The capabilities by which the loop is judged; None (all) for the loops that come with the harness."""
    return None if target.isolation == "in-process" else tuple(sorted(target.declaration.capabilities))


def _edits(action: CallerAction) -> bool:
    """Whether the caller itself edits the history or runs the tools."""
    return not isinstance(action, GenerateToolResponse)


def _generates(action: CallerAction) -> bool:
    """Whether the caller makes the tools run, in order to see, push or change their results."""
    match action:
        case GenerateToolResponse() | EditToolResponse():
            return True
        case PushMessages(pieces) | SetMessages(pieces):
            return "response" in pieces
        case _:
            return False
