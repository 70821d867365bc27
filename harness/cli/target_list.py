"""``harness targets``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from textwrap import wrap

from harness.baseline.loader import load
from harness.baseline.places import find
from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.loop.policy import POLICIES
from harness.loop.sessions import with_session
from harness.report.json_output import ListedTarget, TargetList, as_json
from harness.scenario.words import did_you_mean
from harness.targets import CAPABILITIES, Declaration
from harness.targets.agent.words import PREFIX
from harness.targets.extra import INSTALL, REFERENCE, unfit
from harness.targets.family import families
from harness.targets.file import read_file
from harness.targets.installed import (
    AGENTS,
    agent_of,
    file_of,
    install,
    installed_others,
    installed_version,
    is_pinned,
    package_of,
)
from harness.targets.shipped import SHIPPED, Shipped
from harness.targets.wire_only import wire_only
from harness.trace.kinds import EVENTS
from harness.wire import wire_names

_WIDTH = 100
_NAME = max(len(name) for name in ("package.module:function", *SHIPPED))
_OWN = {
    "package.module:function": "a loop of yours in Python: a function, or a class with a method 'run'",
    "cmd:COMMAND": "a loop of yours in any language: a command, started once for every case",
}

_REFERENCE = "the loop inside, by the policy of each scenario's profile"
_NOT_PINNED = (
    "the harness has no lock file of this version: npm has checked each archive against what the registry says of it, "
    "and no more; what that was is in {}"
)
_WIRE_ONLY = "the same without provider SDKs"


def list_targets(*, format: str = "terminal") -> int:
    """Print every target: what it is, which of its packages are installed, and what it declares.

    ``format``: ``terminal``, or ``json`` (``report.json_output.TargetList``).
    """
    if format == "json":
        print(as_json(TargetList(tuple(_listed_targets()))))
        return 0
    for line in _lines():
        print(line)
    return 0


def install_agents(names: Sequence[str]) -> int:
    """Install agents by the names of their targets, ``cli:NAME`` or ``cli:NAME@VERSION``. Returns the exit code.

    Raises ``BadInput`` for an unknown one, and for a version that no package can have.
    """
    unknown = [name for name in names if not agent_of(name)]
    if unknown:
        known = [f"{PREFIX}{agent}" for agent in AGENTS]
        raise BadInput(
            f"{unknown[0]!r} cannot be installed{did_you_mean(unknown[0], known)}; "
            f"known: {', '.join(known)}, each also with a version ({known[-1]}@1.2.3)"
        )
    agents = [name.removeprefix(PREFIX) for name in names]
    for agent, (package, version) in [(agent, package_of(agent)) for agent in agents]:
        print(f"{PREFIX}{agent}: {package} {version}", flush=True)
        folder = install(agent)
        print(f"{PREFIX}{agent}: in {folder}")
        if not is_pinned(agent):
            print(f"{PREFIX}{agent}: {_NOT_PINNED.format(folder / 'package-lock.json')}")
    return 0


def _lines() -> Iterator[str]:
    yield from _ours("reference", _REFERENCE)
    yield from _name_lines("reference:PRESET", f"the same by one policy, for its own profile: {', '.join(POLICIES)}")
    yield from _ours("wire-only", _WIRE_ONLY)
    for prefix, each in families().items():
        yield from _name_lines(f"{prefix}:NAME", each.summary)
    for shipped in SHIPPED.values():
        yield from _third_party(shipped.name, shipped)
    for agent in (*AGENTS, *installed_others()):
        yield from _agent(agent)
    for name, summary in _OWN.items():
        yield from _name_lines(name, summary)


def _ours(name: str, summary: str) -> Iterator[str]:
    """The reference loop, and the missing packages of its extra."""
    yield from _name_lines(name, summary)
    if problem := unfit(_packages(name)):
        yield from _row("missing", [f"{problem}; {INSTALL}"])
    yield from _declaration_lines(_declaration(name))


def _listed_targets() -> Iterator[ListedTarget]:
    yield _of_ours("reference", _REFERENCE)
    for preset in POLICIES:
        yield _of_ours(f"reference:{preset}", "the loop inside, by this one policy")
    yield _of_ours("wire-only", _WIRE_ONLY)
    for shipped in SHIPPED.values():
        yield _with_packages(_target(shipped.name, shipped.summary, shipped.declaration), shipped)
    yield from _agents()


def _of_ours(name: str, summary: str) -> ListedTarget:
    problem = unfit(_packages(name))
    target = _target(name, summary, _declaration(name))
    return replace(target, installed=not problem, missing=(problem,) if problem else ())


def _declaration(name: str) -> Declaration:
    """The declaration of the inner loop. It works without the loop's SDKs, since only its sessions need them."""
    bare = wire_only(Endpoints())
    loop = bare if name == "wire-only" else replace(bare, wires=with_session())
    return replace(loop, preset=name.partition(":")[2] or None).declaration


def _packages(name: str) -> Iterable[str]:
    return ("Pillow",) if name == "wire-only" else REFERENCE


def _target(name: str, summary: str, declared: Declaration) -> ListedTarget:
    file = find(name)
    return ListedTarget(
        name,
        summary,
        tuple(wire for wire in wire_names() if wire in declared.wires),
        tuple(sorted(declared.profiles)),
        tuple(each for each in CAPABILITIES if each in declared.capabilities),
        None if declared.emits is None else tuple(each for each in EVENTS if each in declared.emits),
        tuple(sorted(declared.declines)),
        baseline=None if file is None else str(file),
        expected=0 if file is None else len(load(file, drafts=True).entries),
    )


def _with_packages(target: ListedTarget, shipped: Shipped) -> ListedTarget:
    state, details = _package_state(shipped)
    versions = {package: found for package, found in shipped.versions.items() if found is not None}
    missing = tuple(details) if state == "missing" else ()
    return replace(target, installed=not missing, versions=versions, missing=missing)


def _third_party(name: str, shipped: Shipped) -> Iterator[str]:
    yield from _name_lines(name, shipped.summary)
    yield from _row(*_package_state(shipped))
    yield from _declaration_lines(shipped.declaration)
    if (file := find(name)) is not None:
        yield from _row("expected", [f"{len(load(file, drafts=True).entries)} entries in {file}"])


def _agent(agent: str) -> Iterator[str]:
    name, version = package_of(agent)
    yield from _name_lines(f"{PREFIX}{agent}", _summary(agent))
    found = installed_version(agent)
    state = f"{name} {version}; harness targets install {PREFIX}{agent}" if found is None else f"{name} {found}"
    yield from _row("missing" if found is None else "versions", [state])
    yield from _declaration_lines(read_file(file_of(agent))[1].declaration)
    if (file := find(f"{PREFIX}{agent}")) is not None:
        yield from _row("expected", [f"{len(load(file, drafts=True).entries)} entries in {file}"])


def _summary(agent: str) -> str:
    kind = "a coding agent" if is_pinned(agent) else "another version of it"
    return f"{kind}: npm package {package_of(agent)[0]}"


def _agents() -> Iterator[ListedTarget]:
    for agent in (*AGENTS, *installed_others()):
        name, version = package_of(agent)
        target = _target(f"{PREFIX}{agent}", _summary(agent), read_file(file_of(agent))[1].declaration)
        there = installed_version(agent) is not None
        missing = () if there else (f"{name} {version}",)
        yield replace(target, installed=there, versions={name: version} if there else {}, missing=missing)


def _declaration_lines(declared: Declaration) -> Iterator[str]:
    yield from _row("wires", [wire for wire in wire_names() if wire in declared.wires])
    yield from _row("profiles", sorted(declared.profiles))
    yield from _row("can", [_can(declared)])
    yield from _row("emits", _emitted_kinds(declared))
    yield from _row("declined", sorted(declared.declines))


def _can(declared: Declaration) -> str:
    lacking = [each for each in CAPABILITIES if each not in declared.capabilities]
    return f"everything but {', '.join(lacking)}" if lacking else "everything"


def _emitted_kinds(declared: Declaration) -> list[str]:
    if declared.emits is None:
        return ["what comes"]
    return ["everything"] if declared.emits >= set(EVENTS) else [each for each in EVENTS if each in declared.emits]


def _package_state(shipped: Shipped) -> tuple[str, list[str]]:
    """The installed packages of a target, or what to do to install them."""
    missing = [package for package, found in shipped.versions.items() if found is None]
    if missing:
        return "missing", [f"{', '.join(missing)}; {shipped.install}"]
    try:
        shipped.open()
    except BadInput as why:
        return "missing", list(why.problems)
    return "versions", [f"{package} {found}" for package, found in shipped.versions.items()]


def _name_lines(name: str, summary: str) -> Iterator[str]:
    yield from _beside(f"{name:<{_NAME}}", summary)


def _row(key: str, words: list[str]) -> Iterator[str]:
    yield from _beside(f"  {key:<9}", ", ".join(words))


def _beside(left: str, text: str) -> Iterator[str]:
    """The text to the right of ``left``, wrapped to as many lines as it needs."""
    lines = wrap(text, _WIDTH - len(left) - 1, break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(lines):
        yield f"{left if number == 0 else ' ' * len(left)} {line}"
