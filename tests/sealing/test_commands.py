"""A command behind a seal, as the harness has it: what it inherits, how it ends, and what goes wrong."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from harness.errors import BadInput
from harness.sealing.commands import Place, SealedCommand, Spawner
from harness.sealing.errors import CannotStart, SealBroken, SealRefused

pytestmark = pytest.mark.anyio


@pytest.fixture
def spawner() -> Iterator[Spawner]:
    made = Spawner()
    yield made
    made.close()


def start(
    spawner: Spawner, *words: str, folder: Path | None = None, output: int = 1, place: Place = "session"
) -> SealedCommand:
    environment = {"PATH": os.environ["PATH"], "MINE": "yes"}
    return spawner.start(words, environment, folder, (0, output, 2), place)


async def printed(spawner: Spawner, *words: str, folder: Path | None = None, place: Place = "session") -> str:
    """What a command prints that ends by itself with exit code 0."""
    reader, writer = os.pipe()
    command = start(spawner, *words, folder=folder, output=writer, place=place)
    os.close(writer)
    assert await command.exited == 0
    await command.end()
    with os.fdopen(reader) as file:
        return file.read().strip()


async def test_it_has_its_words_environment_and_folder(spawner: Spawner, tmp_path: Path) -> None:
    source = "import os, sys; print(sys.argv[1:], dict(os.environ)['MINE'], os.getcwd(), 'HOME' in os.environ)"
    assert await printed(spawner, sys.executable, "-c", source, "a b", "", folder=tmp_path) == (
        f"['a b', ''] yes {tmp_path} False"
    )


async def test_it_is_who_started_the_harness(spawner: Spawner) -> None:
    assert await printed(spawner, "id", "-u") == str(os.getuid())
    assert await printed(spawner, "id", "-g") == str(os.getgid())


@pytest.mark.parametrize(
    ("place", "expected"), [("session", "True True"), ("group", "True False"), ("terminal", "False False")]
)
async def test_it_belongs_where_it_was_put(spawner: Spawner, place: Place, expected: str) -> None:
    source = "import os; print(os.getpgid(0) == os.getpid(), os.getsid(0) == os.getpid())"
    assert await printed(spawner, sys.executable, "-c", source, place=place) == expected


async def test_it_inherits_no_file_and_no_ignored_signal(spawner: Spawner) -> None:
    source = (
        "import os, signal; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1], "
        "[n.name for n in signal.valid_signals() if n not in (9, 19) and isinstance(n, signal.Signals) "
        "and signal.getsignal(n) == signal.SIG_IGN])"
    )
    assert await printed(spawner, sys.executable, "-c", source) == "[0, 1, 2] ['SIGPIPE', 'SIGXFSZ']"  # Python's own


IGNORED = (
    "import signal; print(*[n.name for n in (signal.SIGINT, signal.SIGHUP) if signal.getsignal(n) == signal.SIG_IGN])"
)


@pytest.mark.parametrize(("place", "expected"), [("session", ""), ("group", ""), ("terminal", "SIGINT SIGHUP")])
async def test_where_signals_are_ignored_only_one_in_the_group_of_the_terminal_ignores_them(
    place: Place, expected: str
) -> None:
    """A job in the background ignores Ctrl-C, and ``nohup`` SIGHUP; what the harness sends is meant for it."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGHUP)}
    spawner = Spawner()
    try:
        assert await printed(spawner, sys.executable, "-c", IGNORED, place=place) == expected
    finally:
        spawner.close()
        for number, usual in before.items():
            signal.signal(number, usual)


async def test_its_own_programs_may_use_users_and_files_as_outside(spawner: Spawner, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    (tmp_path / "mine").chmod(0o600)
    assert await printed(spawner, "cat", str(tmp_path / "mine")) == "mine"
    assert await printed(spawner, "sh", "-c", "echo new > new && cat new", folder=tmp_path) == "new"
    assert (tmp_path / "new").stat().st_uid == os.getuid()


@pytest.mark.parametrize(
    ("words", "code"),
    [(["true"], 0), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -SEGV $$"], -signal.SIGSEGV)],
    ids=["success", "failure", "signal"],
)
async def test_how_it_ends_is_reported(spawner: Spawner, words: list[str], code: int) -> None:
    command = start(spawner, *words)
    assert await command.exited == code
    await command.end()


async def test_a_signal_reaches_it_and_its_group(spawner: Spawner) -> None:
    command = start(spawner, "sh", "-c", "sleep 1000 & wait")
    await command.started
    command.signal(signal.SIGTERM)
    assert await command.exited == -signal.SIGTERM
    await command.end()


async def test_one_that_ignores_signals_is_ended_with_all_that_it_has_started(spawner: Spawner) -> None:
    command = start(spawner, "sh", "-c", "trap '' TERM; setsid sleep 1000 & sleep 1000; sleep 1000")
    await command.started
    before = len(psutil.Process(spawner._process.pid).children(recursive=True))
    await command.end()
    assert await command.exited == -signal.SIGKILL
    assert len(psutil.Process(spawner._process.pid).children(recursive=True)) == 1 < before


@pytest.mark.parametrize(
    ("words", "folder", "message"),
    [
        (["no-such-program"], None, "Cannot start no-such-program: No such file or directory."),
        (["/etc/passwd"], None, "Cannot start /etc/passwd: Permission denied."),
        (["true"], Path("/no/such/folder"), "Cannot start /no/such/folder: No such file or directory."),
    ],
    ids=["unknown", "no program", "no folder"],
)
async def test_what_cannot_be_started_says_why(
    spawner: Spawner, words: list[str], folder: Path | None, message: str
) -> None:
    command = start(spawner, *words, folder=folder)
    for future in (command.started, command.exited):
        with pytest.raises(CannotStart) as raised:
            await future
        assert str(raised.value) == message
    await command.end()


async def test_many_at_once_do_not_mix(spawner: Spawner) -> None:
    commands = [start(spawner, "sh", "-c", f"exit {number}") for number in range(40)]
    assert await asyncio.gather(*(command.exited for command in commands)) == list(range(40))
    await asyncio.gather(*(command.end() for command in commands))


async def test_a_large_environment_arrives(spawner: Spawner) -> None:
    environment = {"PATH": os.environ["PATH"], **{f"V{number}": "x" * 100_000 for number in range(10)}}
    command = spawner.start(["sh", "-c", "test ${#V9} = 100000"], environment, None, (0, 1, 2))
    assert await command.exited == 0
    await command.end()


async def test_a_listener_is_reached_from_behind_the_seal_only(spawner: Spawner) -> None:
    listener = spawner.listener()
    port = listener.getsockname()[1]

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        writer.close()

    async with await asyncio.start_server(answer, sock=listener):
        source = f"import socket; print(socket.create_connection(('127.0.0.1', {port})).recv(9))"
        assert await printed(spawner, sys.executable, "-c", source) == "b'hello'"
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)


async def test_a_port_behind_the_seal_is_reached_by_a_connection_from_there(spawner: Spawner) -> None:
    with spawner.listener() as listener:
        port = listener.getsockname()[1]
        with spawner.connection(port) as outer:
            inner, _ = listener.accept()
            with inner:
                inner.sendall(b"hello")
                assert outer.recv(9) == b"hello"
    with pytest.raises(SealRefused, match="refused"):
        spawner.connection(port)


async def test_a_port_that_is_taken_is_bad_input(spawner: Spawner) -> None:
    with spawner.listener() as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match=f"cannot listen on 127.0.0.1:{port}: .*choose another --port"):
            spawner.listener(port)


async def test_a_spawner_that_dies_ends_its_commands_with_an_error(spawner: Spawner) -> None:
    command = start(spawner, "sleep", "1000")
    await command.started
    spawner._process.kill()
    with pytest.raises(SealBroken, match="has ended, or does not answer"):
        await command.exited
    await command.end()
    spawner._process.wait()
    with pytest.raises(SealBroken, match="--no-isolate does without it"):
        start(spawner, "true")


async def test_nothing_is_left_of_a_spawner_that_is_closed(tmp_path: Path) -> None:
    spawner = Spawner()
    command = start(spawner, "sleep", "1000")
    await command.started
    below = psutil.Process(spawner._process.pid).children(recursive=True)
    assert len(below) >= 3
    spawner.close()
    await command.end()
    assert psutil.wait_procs(below, 60)[1] == []
