"""Coding agents that are installed from npm into a folder of the harness: the targets ``cli:NAME``.

Each has a target file and the lock file of its packages, which come with the harness. The user's own installation of an
agent is neither used nor changed.

An *agent* is its name (``pi``), or its name with a version (``pi@1.4.0``). The version that comes with the harness is
*pinned*: it has a lock file. For any other version npm writes a lock file at the installation, from the registry's
contents on that day.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from harness.errors import BadInput
from harness.ground.disk import make_folder, problem
from harness.scenario.agent_tools import text_of
from harness.scenario.documents import read
from harness.targets.agent.words import PREFIX
from harness.targets.node_drivers import version_of_node

_FILES: Final = Path(__file__).resolve().parent / "agents"
_CACHE: Final = "HARNESS_AGENTS"
"""The variable that names another folder for the packages."""

_LOCK: Final = "package-lock.json"
_MANIFEST: Final = "package.json"
_DONE: Final = "installed"
"""The file that is written when the installation is complete. A folder without it is installed again."""

_NO_SUCH_VERSION: Final = re.compile(r"\b(?:ETARGET|E404)\b")
"""How npm reports that the registry does not have the package or version."""

_MACHINES: Final = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}


def _names() -> tuple[str, ...]:
    return tuple(sorted(each.stem for each in _FILES.glob("*.yaml")))


AGENTS: Final = _names()
"""The agents that come with a target file."""

_EXACT: Final = re.compile(r"\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?")
"""An exact version. For a range, or a tag like ``latest``, npm may install another version tomorrow."""


def is_known(agent: str) -> bool:
    """Whether ``agent`` is one of ``AGENTS``, in any version."""
    return agent.partition("@")[0] in AGENTS


def agent_of(name: str) -> str:
    """The agent of a target ``cli:NAME``, without a version in the name; empty for any other target."""
    agent = name.removeprefix(PREFIX).partition("@")[0]
    return agent if name.startswith(PREFIX) and agent in AGENTS else ""


def is_pinned(agent: str) -> bool:
    """Whether the harness has a lock file for this version. Raises ``BadInput`` like ``package_of``."""
    return package_of(agent)[1] == _pinned_package(_name(agent))[1]


def file_of(agent: str) -> Path:
    """The target file of an agent, which is the same for all its versions."""
    return _FILES / f"{_name(agent)}.yaml"


def package_of(agent: str) -> tuple[str, str]:
    """The agent's own npm package with its version: the pinned version if the agent names none.

    Raises ``BadInput`` if it names a version that npm cannot have.
    """
    name, _, version = agent.partition("@")
    package, pinned = _pinned_package(name)
    if not version and agent == name:
        return package, pinned
    if not _EXACT.fullmatch(version):
        raise BadInput(
            f"{PREFIX}{agent}: expected a version such as {PREFIX}{name}@{pinned}, got {version!r}; "
            f"'npm view {package} versions' lists those that there are"
        )
    return package, version


def _name(agent: str) -> str:
    return agent.partition("@")[0]


@cache
def _pinned_package(name: str) -> tuple[str, str]:
    ((package, version),) = _manifest(name)["dependencies"].items()
    return package, version


def _manifest(name: str) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((_FILES / name / _MANIFEST).read_text(encoding="utf-8"))
    return manifest


def words_of_agent(agent: str) -> Mapping[str, str]:
    """The values of ``$package``, ``$platform`` and, if it is used, ``$node``.

    Raises ``BadInput`` if the agent is not installed.
    """
    if installed_version(agent) is None:
        name, version = package_of(agent)
        raise BadInput(
            f"--target {PREFIX}{agent}: {name} {version} is not installed; "
            f"type: harness targets install {PREFIX}{agent}"
        )
    words = {"package": str(folder_of(agent)), "platform": _platform()}
    if not is_pinned(agent) and (missing := _missing(agent, words)):
        name, version = package_of(agent)
        raise BadInput(_of_another_form(agent, missing, f"{name} {version}"))
    return {**words, "node": _node(agent)} if "$node" in file_of(agent).read_text(encoding="utf-8") else words


def _missing(agent: str, words: Mapping[str, str]) -> str:
    """A file that the target file starts and that this version of the package lacks; empty if there is none."""
    path = file_of(agent)
    command = read(path, path.parent, "target").data.get("command")
    files = [word for word in command or () if word.startswith("$package/")]
    return next((word for word in files if not Path(text_of(word, words)).is_file()), "")


def _of_another_form(agent: str, missing: str, package: str) -> str:
    return (
        f"--target {PREFIX}{agent}: {package} has no file {missing.removeprefix('$package/')}, which the target file "
        f"of {PREFIX}{_name(agent)} starts: this version has another form, or is not for this machine; write a target "
        f"file with 'extends: {PREFIX}{agent}' and a 'command' of its own"
    )


def installed_version(agent: str) -> str | None:
    """The version, if this agent is installed; None if it is not. Raises ``BadInput`` like ``package_of``."""
    return package_of(agent)[1] if (folder_of(agent) / _DONE).is_file() else None


def installed_others() -> tuple[str, ...]:
    """The agents that are installed in versions which are not pinned: ``pi@1.4.0``."""
    found = (each.parent.name for each in _cache().glob(f"*@*/{_DONE}"))
    return tuple(sorted(each for each in found if is_known(each) and _EXACT.fullmatch(each.partition("@")[2])))


def install(agent: str) -> Path:
    """Install the packages of an agent, unless they are there. Returns their folder.

    No script of a package is run, and npm checks each archive. For a pinned version it checks against the lock file,
    and no other package may be there (``npm ci`` would refuse a lock file without the packages for other machines).
    For any other version it checks against the registry, and keeps the result as a lock file in the folder. Raises
    ``BadInput`` if there is no npm, if npm fails, or if it has installed something else.
    """
    folder = folder_of(agent)
    if (folder / _DONE).is_file():
        return folder
    npm = shutil.which("npm")
    if npm is None:
        raise BadInput("there is no npm on PATH: install Node (https://nodejs.org), and type the command again")
    shutil.rmtree(folder, ignore_errors=True)
    make_folder(folder, "the folder of the agent's packages")
    _write_npm_files(agent, folder)
    keeps = "--no-save" if is_pinned(agent) else "--package-lock"
    words = [npm, "install", "--ignore-scripts", keeps, "--no-audit", "--no-fund", "--prefix", str(folder)]
    done = subprocess.run(words, cwd=folder, check=False, capture_output=True, text=True)  # noqa: S603 - fixed words
    if done.returncode:
        raise BadInput(_failure_message(agent, folder, done))
    if others := _unlocked_packages(agent, folder):
        raise BadInput(f"npm has installed in {folder} what the lock file does not have: {', '.join(others)}")
    try:
        (folder / _DONE).write_text("".join(f"{name} {version}\n" for name, version in [package_of(agent)]))
    except OSError as error:
        raise problem(error, str(folder)) from None
    return folder


def _write_npm_files(agent: str, folder: Path) -> None:
    """Write the files that npm reads: the wanted packages and, for a pinned version, their lock file."""
    name = _name(agent)
    if is_pinned(agent):
        for file in (_MANIFEST, _LOCK):
            shutil.copyfile(_FILES / name / file, folder / file)
        return
    manifest = {**_manifest(name), "dependencies": dict([package_of(agent)])}
    (folder / _MANIFEST).write_text(json.dumps(manifest, indent=2), encoding="utf-8")


def _failure_message(agent: str, folder: Path, done: subprocess.CompletedProcess[str]) -> str:
    """The message for a failure of npm. A version that the registry does not have is the user's mistake."""
    package, version = package_of(agent)
    if not is_pinned(agent) and _NO_SUCH_VERSION.search(done.stderr) and f"{package}@{version}" in done.stderr:
        shutil.rmtree(folder, ignore_errors=True)
        return (
            f"{PREFIX}{agent}: the registry that npm asks has no {package} {version}; "
            f"'npm view {package} versions' lists those that there are"
        )
    why = "\n".join(done.stderr.strip().splitlines()[-5:])
    return f"npm install in {folder} failed (exit code {done.returncode}): {why}"


def _unlocked_packages(agent: str, folder: Path) -> list[str]:
    """Installed packages, by npm's own list, that are not in the lock file or have other archives there."""
    lock = (_FILES / _name(agent) if is_pinned(agent) else folder) / _LOCK
    try:
        locked = json.loads(lock.read_text(encoding="utf-8"))["packages"]
        there = json.loads((folder / "node_modules" / ".package-lock.json").read_text(encoding="utf-8"))["packages"]
    except (OSError, ValueError, KeyError):
        return ["no list of packages"]
    return [
        place
        for place, each in there.items()
        if not each.get("integrity") or each["integrity"] != locked.get(place, {}).get("integrity")
    ]


def folder_of(agent: str) -> Path:
    """Where the packages of an agent are, or would be.

    Each lock file has its own folder, so a newer harness uses another one. Each version that is not pinned has one,
    too. Raises ``BadInput`` like ``package_of``.
    """
    name, version = _name(agent), package_of(agent)[1]
    if not is_pinned(agent):
        return _cache() / f"{name}@{version}"
    lock = (_FILES / name / _LOCK).read_bytes()
    return _cache() / f"{name}-{version}-{sha256(lock).hexdigest()[:12]}"


def _cache() -> Path:
    if own := os.environ.get(_CACHE):
        return Path(own)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "agent-loop-harness" / "agents"


def _node(agent: str) -> str:
    """The node that runs the agent: one among its packages, or else the user's."""
    for found in sorted((folder_of(agent) / "node_modules").glob("node-*/bin/node")):
        if version_of_node(str(found)) is not None:
            return str(found)
    since, node = _since(_name(agent)), shutil.which("node")
    version = None if node is None else version_of_node(node)
    if node is None or version is None or int(version.partition(".")[0]) < since:
        here = "there is none on PATH" if version is None else f"{node} is {version}"
        raise BadInput(
            f"--target {PREFIX}{agent} needs node {since} or newer, and {here}: put a newer one first on PATH"
        )
    return node


def _platform() -> str:
    """The machine in the words of npm packages: ``linux-x64``."""
    machine = platform.machine().lower()
    return f"{platform.system().lower()}-{_MACHINES.get(machine, machine)}"


@cache
def _since(name: str) -> int:
    """The oldest major version of node that runs the pinned version of the agent."""
    wanted: str = _manifest(name)["engines"]["node"]
    return int(wanted.removeprefix(">="))
