"""The folders of one case: a home directory and a work directory that nobody has used, and that nobody finds later."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from harness.errors import BadInput
from harness.ground.disk import problem
from harness.targets.agent.login import of_a_login, without_repository
from harness.targets.agent.setup import AgentSetup, Workdir

_PREFIX: Final = "harness-agent-"
_MOST_BYTES: Final = 1_000_000
"""The most bytes that a compared file may have."""

_GIT_SECONDS: Final = 30
_GIT: Final = (
    ("init", "--quiet", "--initial-branch=main"),
    ("add", "--all"),
    ("commit", "--quiet", "--allow-empty", "--message=The beginning"),
)
_AUTHOR: Final = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Harness"), ("EMAIL", "harness@localhost"), ("DATE", "2026-01-01T00:00:00Z"))
}


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folders of a case. A folder is None if the target does not ask for it.

    ``program`` is the folder with the program's own files, if its command shows which one that is.
    """

    home: Path | None
    workdir: Path | None
    program: Path | None = None

    def named(self) -> dict[str, str]:
        """The folders that exist, by their names."""
        all_of_them = {"home": self.home, "workdir": self.workdir, "program": self.program}
        return {name: str(path) for name, path in all_of_them.items() if path is not None}

    def environment(self, own: Mapping[str, str], passes: Sequence[str] = ()) -> dict[str, str]:
        """The environment of the program: all of ``own``, or, in a fresh home, only what a new user has.

        It always has the variables named in ``passes``. The variables that name its folders name those of this case.
        """
        kept = dict(own) if self.home is None else of_a_login(own, passes)
        return {**(kept if self.workdir is None else without_repository(kept)), **self._variables()}

    def _variables(self) -> dict[str, str]:
        """The variables by which programs find their home directory, and the directory in which they begin."""
        here = {} if self.workdir is None else {"PWD": str(self.workdir)}
        if self.home is None:
            return here
        home = str(self.home)
        return {
            **here,
            "HOME": home,
            "USERPROFILE": home,
            "XDG_CONFIG_HOME": f"{home}/.config",
            "XDG_DATA_HOME": f"{home}/.local/share",
            "XDG_STATE_HOME": f"{home}/.local/state",
            "XDG_CACHE_HOME": f"{home}/.cache",
            "TMPDIR": f"{home}/tmp",  # noqa: S108 - below the fresh home
        }

    def write(self, files: Mapping[str, str]) -> None:
        """Write configuration files into the home directory, readable for the user alone."""
        for path, text in files.items():
            if self.home is not None:
                _write(self.home / path, text)

    def texts(self, paths: Sequence[str]) -> dict[str, str]:
        """The texts of the files of the work directory that exist. A link that leads out of it is no file."""
        found: dict[str, str] = {}
        for path in paths:
            if self.workdir is not None and (text := _text(self.workdir, path)) is not None:
                found[path] = text
        return found

    def has(self, path: str) -> bool:
        """Whether a file of this path is in the work directory."""
        return self.workdir is not None and _text(self.workdir, path) is not None


@contextmanager
def workspace(setup: AgentSetup, files: Mapping[str, str], command: Sequence[str] = ()) -> Iterator[Workspace]:
    """Make the folders, with ``files`` in the work directory, and remove them when the block ends.

    ``command`` is the program's command, which may show where its own files are. Raises ``BadInput`` if the folders
    cannot be made.
    """
    _sweep()
    top = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")).resolve()
    try:
        yield replace(_made(top, setup, files), program=_program(command))
    finally:
        _remove_folder(top)


def _program(command: Sequence[str]) -> Path | None:
    """The folder of the packages that contain the program: ``node_modules``, or else the folder of its file."""
    files = (Path(word).resolve() for word in command[:2] if Path(word).is_absolute() and Path(word).is_file())
    found = next((each for each in reversed(list(files))), None)
    if found is None:
        return None
    return next((each for each in reversed(found.parents) if each.name == "node_modules"), found.parent)


def _made(top: Path, setup: AgentSetup, files: Mapping[str, str]) -> Workspace:
    home = top / "home" if setup.fresh_home else None
    workdir = top / "work" if setup.workdir is not None else None
    try:
        if home is not None:
            (home / "tmp").mkdir(parents=True)
        if workdir is not None and setup.workdir is not None:
            _fill(workdir, setup.workdir, files)
    except OSError as error:
        raise problem(error, "the folders of a case") from None
    return Workspace(home, workdir)


def _fill(workdir: Path, wanted: Workdir, files: Mapping[str, str]) -> None:
    if wanted.template is None:
        workdir.mkdir()
    else:
        shutil.copytree(wanted.template, workdir, symlinks=True)
    for path, text in files.items():
        _write(workdir / path, text)
    if wanted.git:
        _commit(workdir)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")


def _commit(workdir: Path) -> None:
    """Make the folder a git repository with one commit, whatever the user's own configuration says."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(workdir), "GIT_CONFIG_NOSYSTEM": "1", **_AUTHOR}
    for words in _GIT:
        try:
            subprocess.run(  # noqa: S603 - fixed words
                ["git", *words],  # noqa: S607 - that of the user
                cwd=workdir,
                env=environment,
                check=True,
                capture_output=True,
                timeout=_GIT_SECONDS,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise BadInput(
                f"'workdir: {{git: true}}': git {words[0]} failed: {error}; install git, or leave it out"
            ) from None


def _text(workdir: Path, path: str) -> str | None:
    file = workdir / path
    try:
        if not file.resolve().is_relative_to(workdir) or not file.is_file():
            return None
        with file.open("rb") as opened:
            return opened.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return None


# --- what is left behind --------------------------------------------------------------------------------------


@cache
def _sweep() -> None:
    """Remove the folders of processes that were killed in the middle of a case. Once is enough."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and _is_own_folder(folder) and not _runs(int(owner)):
            _remove_folder(folder)


def _is_own_folder(folder: Path) -> bool:
    """Whether this user has made the folder: anybody may put a link of such a name among the temporary files."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True


def _remove_folder(folder: Path) -> None:
    """Remove a folder, even if somebody has taken away the permission to remove what is in it."""

    def allow(top: Path) -> None:
        for each in [top, *(path for path in top.rglob("*") if path.is_dir() and not path.is_symlink())]:
            with contextlib.suppress(OSError):
                each.chmod(0o700)

    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        allow(folder)
        shutil.rmtree(folder, ignore_errors=True)
