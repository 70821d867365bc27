"""A command that may write some folders only: ways to write elsewhere, tried for real, and a control in the open."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.sealing import allowed, commands
from harness.sealing.commands import Spawner

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _files_can_be_kept() -> None:
    if why := allowed.files_stay_open():
        pytest.skip(f"no file can be kept here: {why}")


@dataclass
class Folders:
    """``mine`` is the folder that a command may write, ``outside`` one that it may not."""

    mine: Path
    outside: Path

    def seen(self) -> dict[str, tuple[str, int]]:
        """What is outside, as the harness sees it: each path with its text and its permissions."""
        files = {str(each.relative_to(self.outside)): each for each in sorted(self.outside.rglob("*"))}
        return {name: (file.read_text() if file.is_file() else "", file.stat().st_mode) for name, file in files.items()}


@pytest.fixture(params=["/var/tmp", "/tmp"])  # noqa: S108 - the second is shown, and written elsewhere
def folders(request: pytest.FixtureRequest) -> Iterator[Folders]:
    made = Path(tempfile.mkdtemp(dir=request.param))
    made.chmod(0o777)
    for name in ("mine", "outside"):
        (made / name).mkdir()
    (made / "outside/there").write_text("as it was\n", encoding="utf-8")
    yield Folders(made / "mine", made / "outside")
    shutil.rmtree(made)


async def ran(folders: Folders, script: str, *, kept: bool = True) -> tuple[int, str]:
    """The exit code of a shell script, and what it prints on its standard output."""
    spawner = Spawner()
    reader, writer = os.pipe()
    try:
        environment = {"PATH": os.environ["PATH"], "OUT": str(folders.outside), "MINE": str(folders.mine)}
        writable = [folders.mine] if kept else None
        command = spawner.start(
            ["sh", "-c", script], environment, folders.mine, (0, writer, 2), "session", writable=writable
        )
        os.close(writer)
        code = await command.exited
        await command.end()
    finally:
        spawner.close()
    with os.fdopen(reader) as file:
        return code, file.read().strip()


SHARED = (Path("/tmp"), Path("/dev/shm"))  # noqa: S108
PLAIN = {
    "a new file": "echo way > $OUT/new",
    "a file that is there": "echo way >> $OUT/there",
    "a folder": "mkdir $OUT/folder",
    "a removal": "rm $OUT/there",
    "another name": "mv $OUT/there $OUT/moved",
    "its permissions": "chmod 606 $OUT/there",
    "a link that leads out": "ln -s $OUT link && echo way >> link/there",
    "a program in the background": "(setsid sh -c 'echo way >> $OUT/there') & wait; true",
}
HIDDEN = {
    "mounted again": "mount -o remount,bind,rw /; mount -o remount,rw /; echo way >> $OUT/there",
    "unmounted": "umount -l $OUT $MINE /tmp /dev/shm; echo way >> $OUT/there",
    "in namespaces of its own": "unshare -rm sh -c 'mount -o remount,bind,rw /; mount -o remount,bind,rw $OUT;"
    " umount -l /tmp; echo way >> $OUT/there'",
    "bound elsewhere": "unshare -rm sh -c 'mkdir -p $MINE/b; mount --rbind / $MINE/b; "
    "mount -o remount,bind,rw $MINE/b; echo way >> $MINE/b$OUT/there'",
    "by another process's root": "for each in /proc/[0-9]*; do echo way >> $each/root$OUT/there; done",
    "by a link to its folder": "ln -s / all; echo way >> all$OUT/there; ln $OUT/there mine; echo way >> mine",
}


DEVICES = """
import os, pathlib, stat
one, other = os.openpty()
os.write(one, b"x")
os.ttyname(other)
open("/dev/null", "w").write("x")
open("/dev/urandom", "rb").read(1)
for each in pathlib.Path("/dev").iterdir():
    if stat.S_ISBLK(os.stat(each).st_mode):
        try:
            os.close(os.open(each, os.O_RDONLY))
            print(each)
        except OSError:
            pass
"""

OLD_KERNEL = """
import sys
sys.path.insert(0, sys.argv[1])
from harness.sealing import kernel
kernel._MOUNT_SETATTR = 9999
"""
"""What a spawner begins with that has a number for the system call which no kernel has."""


@pytest.mark.sampled(5)
@pytest.mark.parametrize("way", [*PLAIN, *HIDDEN])
async def test_nothing_is_written_elsewhere(folders: Folders, way: str) -> None:
    before = folders.seen()
    await ran(folders, ({**PLAIN, **HIDDEN})[way])
    assert folders.seen() == before


@pytest.mark.sampled(5)
@pytest.mark.parametrize("way", PLAIN)
async def test_without_that_each_way_writes(folders: Folders, way: str) -> None:
    before = folders.seen()
    await ran(folders, PLAIN[way], kept=False)
    assert folders.seen() != before


async def test_its_own_folder_is_written_for_everybody(folders: Folders) -> None:
    script = "mkdir deep && echo one > deep/one && mv deep deeper && rm -r deeper && echo two > two && chmod 600 two"
    assert await ran(folders, script) == (0, "")
    assert (folders.mine / "two").read_text() == "two\n"
    assert (folders.mine / "two").stat().st_uid == os.getuid()


async def test_it_has_temporary_files_that_nobody_else_sees(folders: Folders) -> None:
    name = f"{folders.mine.parent.name}-x"
    script = f"for each in /tmp /dev/shm; do echo mine > $each/{name} && cat $each/{name}; done; cat $OUT/there"
    assert await ran(folders, script) == (0, "mine\nmine\nas it was")
    assert [each for each in SHARED if name in os.listdir(each)] == []  # noqa: PTH208 - it is not awaited


async def test_what_is_outside_later_is_read(folders: Folders) -> None:
    script = "while ! test -e go; do sleep 0.01; done; cat $OUT/later"
    (folders.outside / "later").write_text("before\n", encoding="utf-8")
    (folders.mine / "go").touch()
    assert await ran(folders, script) == (0, "before")


async def test_it_has_the_devices_that_programs_use_and_no_others(folders: Folders) -> None:
    (folders.mine / "devices.py").write_text(DEVICES, encoding="utf-8")
    assert await ran(folders, f"{sys.executable} devices.py") == (0, "")


async def test_settings_of_the_kernel_stay_as_they_are(folders: Folders) -> None:
    code, _ = await ran(folders, "cat /proc/sys/kernel/core_pattern > mine; cat mine > /proc/sys/kernel/core_pattern")
    assert code != 0


async def test_one_command_does_not_keep_another_from_writing(folders: Folders) -> None:
    """They have one spawner: each has mounts of its own."""
    spawner = Spawner()
    environment = {"PATH": os.environ["PATH"], "OUT": str(folders.outside)}
    words = ["sh", "-c", "echo way >> $OUT/there"]
    try:
        for writable in ([folders.mine], None):
            command = spawner.start(words, environment, None, (0, 1, 2), "session", writable=writable)
            await command.exited
            await command.end()
            assert spawner.files_stay_open() == ""
    finally:
        spawner.close()
    assert (folders.outside / "there").read_text() == "as it was\nway\n"


async def test_a_kernel_that_cannot_do_it_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "_MAIN", OLD_KERNEL + commands._MAIN)
    spawner = Spawner()
    try:
        assert spawner.files_stay_open() == "Function not implemented"
    finally:
        spawner.close()


async def test_a_kernel_that_cannot_do_it_runs_the_command_all_the_same(
    monkeypatch: pytest.MonkeyPatch, folders: Folders
) -> None:
    monkeypatch.setattr(commands, "_MAIN", OLD_KERNEL + commands._MAIN)
    assert await ran(folders, "echo way >> $OUT/there && echo mine > mine && cat mine") == (0, "mine")
