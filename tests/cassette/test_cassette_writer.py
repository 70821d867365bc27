"""A tape loses nothing, keeps no secret, and leaves the old cassette alone until the new one is whole."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import pytest

from harness.cassette import Delivery, Interaction, Provenance, read_cassette
from harness.cassette.cassette_writer import CassetteWriter, Mode
from harness.cassette.write import document, written
from harness.errors import BadInput, Breakdown
from harness.secrets import redactor as real
from harness.secrets.scan import scan as leaks
from tests.sdks import vcr

SECRET = "sk-" + "planted" * 3

PROVENANCE = Provenance("live", "two-calls", "openai-chat", "reference", "a server 1.0", "gpt-x", "2026-11-22", "0.1")


def asked(number: int, body: str = "") -> Interaction:
    return Interaction(
        method="POST",
        url="https://a/v1/messages",
        request_headers={"content-type": ("application/json",)},
        request=f'{{"number": {number}}}{body}'.encode(),
        status=200,
        response_headers={},
        response=b"data: 1\n\n",
        delivery=Delivery((9,), (1.0,)),
    )


@dataclass
class Leak:
    kind: str
    line: int
    where: str


def scan(text: str) -> list[Leak]:
    return [Leak("openai-key", number, "body") for number, line in enumerate(text.split("\n"), 1) if SECRET in line]


class Redactor:
    """Knows the word 'private'; what is secret beside it, it misses."""

    def redact(self, interaction: Interaction) -> Interaction:
        return replace(interaction, request=(interaction.request or b"").replace(b"private", b"[redacted]"))


def tape(path: Path, mode: Mode, provenance: Provenance | None = PROVENANCE) -> AbstractContextManager[CassetteWriter]:
    return CassetteWriter.open(path, mode, provenance, redactor=Redactor(), scan=scan)


def record(path: Path, mode: Mode, *steps: Interaction | Callable[[], object]) -> None:
    """Add interactions; between them, do what is to happen there."""
    with tape(path, mode) as opened:
        for step in steps:
            if isinstance(step, Interaction):
                opened.add(step)
            else:
                step()


def numbers(path: Path) -> list[int]:
    return [
        int((each.request or b"").partition(b": ")[2].partition(b"}")[0]) for each in read_cassette(path).interactions
    ]


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "loop.yaml"


def recorded(path: Path, *interactions: int) -> bytes:
    path.write_text(document(None, (written(asked(number)) for number in interactions)))
    return path.read_bytes()


# --- modes --------------------------------------------------------------------------------------------------

# Mode, what is there before: what may be played, whether the rest is recorded, and what is there when 7 was added.
MODES: list[tuple[Mode, Sequence[int] | None, list[int], bool, list[int]]] = [
    ("none", [1, 2], [1, 2], False, [1, 2]),
    ("once", [1, 2], [1, 2], False, [1, 2]),
    ("once", None, [], True, [7]),
    ("new_episodes", [1, 2], [1, 2], True, [1, 2, 7]),
    ("new_episodes", None, [], True, [7]),
    ("all", [1, 2], [], True, [7]),
    ("all", None, [], True, [7]),
]


@pytest.mark.parametrize(("mode", "before", "known", "records", "after"), MODES)
def test_modes(
    path: Path, mode: Mode, before: Sequence[int] | None, known: list[int], records: bool, after: list[int]
) -> None:
    if before is not None:
        recorded(path, *before)
    with tape(path, mode) as opened:
        assert [each.request for each in opened.known] == [asked(number).request for number in known]
        assert opened.records is records
        if records:
            opened.add(asked(7))
        else:
            with pytest.raises(ValueError, match="this cassette is only replayed"):
                opened.add(asked(7))
    assert numbers(path) == after
    assert names(path.parent) == ["loop.yaml"]


def test_every_mode_is_tried() -> None:
    assert {mode for mode, *_ in MODES} == set(get_args(Mode))


def test_mode_none_needs_a_cassette(path: Path) -> None:
    with pytest.raises(BadInput, match=r"loop\.yaml: there is no such cassette, and mode 'none' does not record one"):
        record(path, "none")
    assert names(path.parent) == []


def test_what_only_replays_writes_nothing(path: Path) -> None:
    """Cassettes may lie where nobody may write, and be replayed by many at once."""
    recorded(path, 1)
    path.parent.chmod(0o500)
    modes: list[Mode] = ["none", "once"]
    try:
        for mode in modes:
            with tape(path, mode), tape(path, mode) as second:
                assert len(second.known) == 1
                assert names(path.parent) == ["loop.yaml"]
    finally:
        path.parent.chmod(0o700)


@pytest.mark.parametrize("mode", ["all", "new_episodes"])
def test_a_cassette_stays_where_nothing_was_recorded(path: Path, mode: Mode) -> None:
    before = recorded(path, 1) + b"# by hand\n"
    path.write_bytes(before)
    with tape(path, mode):
        pass
    assert path.read_bytes() == before
    assert names(path.parent) == ["loop.yaml"]


def test_all_repairs_a_cassette_that_cannot_be_read(path: Path) -> None:
    path.write_text("interactions: [")
    with pytest.raises(BadInput, match=r"loop\.yaml:2:1: expected a cassette"):
        record(path, "new_episodes")
    assert path.read_text() == "interactions: ["
    record(path, "all", asked(7))
    assert numbers(path) == [7]


def test_a_cassette_of_vcrpy_goes_on_as_ours(path: Path) -> None:
    """The bodies that vcrpy keeps compressed, too: without the header, plain vcrpy replays them all the same."""
    path.write_text(
        "interactions:\n- request: {body: '{\"number\": 1}', headers: {}, method: POST, uri: https://a/}\n"
        "  response:\n    body: {string: !!binary H4sIAAAAAAAC/0tJLElUSEksSQQAmLAX3QkAAAA=}\n"
        "    headers: {Content-Encoding: [gzip]}\n    status: {code: 200, message: OK}\nversion: 1\n"
    )
    with pytest.raises(BadInput, match="broken gzip"):
        record(path, "new_episodes")
    path.write_text(path.read_text().replace("!!binary H4sIAAAAAAAC/0tJLElUSEksSQQAmLAX3QkAAAA=", "data"))
    record(path, "new_episodes", asked(7))
    assert numbers(path) == [1, 7]
    old, _new = read_cassette(path).interactions
    assert (old.response, old.response_headers, old.delivery) == (b"data", {}, None)
    with vcr.use_cassette(str(path), record_mode="none") as plain:
        assert [response["body"]["string"] for response in plain.responses] == [b"data", b"data: 1\n\n"]


def test_provenance(path: Path) -> None:
    with tape(path, "all") as opened:
        opened.add(asked(1))
    assert read_cassette(path).provenance == PROVENANCE
    later = replace(PROVENANCE, recorded="2026-11-23")
    for given, expected in ((None, PROVENANCE), (later, later)):
        with tape(path, "new_episodes", given) as opened:
            opened.add(asked(1))
        assert read_cassette(path).provenance == expected


# --- nothing is lost ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "kept"), [("new_episodes", [1, 2]), ("all", [])])
def test_every_interaction_is_on_disk_at_once(path: Path, mode: Mode, kept: list[int]) -> None:
    before = recorded(path, 1, 2)
    part = path.with_name("loop.interrupted-1.yaml")
    with tape(path, mode) as opened:
        assert not part.exists()
        for number in (7, 8, 9):
            assert opened.add(asked(number)) == asked(number)
            assert numbers(part) == [*kept, *range(7, number + 1)]
            assert path.read_bytes() == before
    assert numbers(path) == [*kept, 7, 8, 9]
    assert names(path.parent) == ["loop.yaml"]


def interrupt() -> None:
    raise KeyboardInterrupt


def test_what_was_recorded_before_an_exception_stays_beside_the_cassette(path: Path) -> None:
    before = recorded(path, 1)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            record(path, "new_episodes", asked(7), interrupt)
    assert path.read_bytes() == before
    parts = [f"loop.interrupted-{number}.yaml" for number in (1, 2, 3)]
    assert names(path.parent) == [*parts, "loop.yaml"]
    assert [numbers(path.with_name(part)) for part in parts] == [[1, 7]] * 3


def test_a_name_beside_it_is_not_overwritten(path: Path) -> None:
    taken = path.with_name("loop.interrupted-1.yaml")
    taken.write_text("mine")
    record(path, "all", asked(7))
    assert (taken.read_text(), numbers(path)) == ("mine", [7])


def test_a_full_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = recorded(path, 1)

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(Breakdown, match=r"loop\.interrupted-1\.yaml: cannot be written: No space left on device; make"):
        record(path, "all", asked(7), lambda: monkeypatch.setattr(os, "fsync", full), asked(8))
    assert path.read_bytes() == before
    assert numbers(path.with_name("loop.interrupted-1.yaml")) == [7]
    assert names(path.parent) == ["loop.interrupted-1.yaml", "loop.yaml"]


def test_a_place_that_cannot_be_taken(path: Path) -> None:
    problem = r"loop\.yaml: cannot be replaced by loop\.interrupted-1\.yaml: Is a directory"
    with pytest.raises(BadInput, match=problem):
        record(path, "all", asked(7), path.mkdir)
    assert numbers(path.with_name("loop.interrupted-1.yaml")) == [7]


def test_a_file_is_on_disk_before_it_takes_a_place(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    fsync, rename = os.fsync, os.replace

    def told(name: str, work: Callable[..., None]) -> Callable[..., None]:
        def does(*arguments: object) -> None:
            done.append(name)
            work(*arguments)

        return does

    monkeypatch.setattr(os, "fsync", told("fsync", fsync))
    monkeypatch.setattr(os, "replace", told("replace", rename))
    record(path, "all", asked(7))
    assert done == ["fsync", "replace", "fsync", "replace", "fsync"]  # file, rename, folder; rename, folder


def test_what_a_killed_recorder_left_half_written_is_removed(path: Path) -> None:
    half = path.with_name(".loop.interrupted-1.yaml.new")
    other = path.with_name(".other.interrupted-1.yaml.new")
    half.touch()
    other.touch()
    record(path, "all", asked(7))
    assert names(path.parent) == [other.name, "loop.yaml"]


# --- one recorder -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["once", "new_episodes", "all"])
def test_a_second_recorder_is_kept_out(path: Path, mode: Mode) -> None:
    with tape(path, "all") as opened:
        opened.add(asked(7))
        taken = rf"loop\.yaml: another recorder \(process {os.getpid()}\) is recording it; wait until"
        with pytest.raises(BadInput, match=taken):
            record(path, mode)
        opened.add(asked(8))
    assert numbers(path) == [7, 8]
    record(path, "all", asked(9))
    assert numbers(path) == [9]


def test_once_plays_what_a_faster_recorder_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([False, True, True])
    exists = Path.exists
    recorded(path, 1)
    monkeypatch.setattr(Path, "exists", lambda self: next(looks) if self == path else exists(self))
    with tape(path, "once") as opened:
        assert (opened.records, len(opened.known)) == (False, 1)


def test_a_folder_is_made(tmp_path: Path) -> None:
    record(tmp_path / "a/b/loop.yaml", "once", asked(7))
    assert numbers(tmp_path / "a/b/loop.yaml") == [7]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match=r"its folder cannot be made: File exists"):
        record(tmp_path / "file/loop.yaml", "once")


# --- secrets ------------------------------------------------------------------------------------------------


def everything(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.iterdir())


def test_what_is_added_is_redacted(path: Path) -> None:
    with tape(path, "once") as opened:
        assert opened.add(asked(7, " private")).request == b'{"number": 7} [redacted]'
        assert b"private" not in everything(path.parent)
    assert b"[redacted]" in everything(path.parent)
    assert b"private" not in everything(path.parent)


def test_an_interaction_with_a_secret_is_not_kept(path: Path) -> None:
    before = recorded(path, 1)
    with pytest.raises(BadInput) as refusal:
        record(path, "new_episodes", asked(7), asked(8, SECRET))
    assert SECRET.encode() not in everything(path.parent)
    part = path.with_name("loop.interrupted-1.yaml")
    line = part.read_text().count("\n") + 5  # the fifth of the block that would have come next
    assert refusal.value.problems == (
        f"{path}:{line}: interaction 3 is not kept: it contains a secret (openai-key) that is not redacted, at body; "
        "add a pattern for it",
    )
    assert SECRET not in str(refusal.value)
    assert path.read_bytes() == before
    assert numbers(part) == [1, 7]


def test_a_recording_goes_on_after_a_secret(path: Path) -> None:
    with tape(path, "once") as opened:
        with pytest.raises(BadInput):
            opened.add(asked(7, SECRET))
        opened.add(asked(8))
    assert numbers(path) == [8]


def test_a_secret_in_what_was_known(path: Path) -> None:
    path.write_text(document(None, map(written, [asked(1), asked(2, SECRET)])))
    before = path.read_bytes()
    line = before.split(b"\n").index(f'      {{"number": 2}}{SECRET}'.encode()) + 1
    problem = rf"loop\.yaml:{line}: interaction 2 of the cassette is not kept: it contains a secret"
    with pytest.raises(BadInput, match=problem):
        record(path, "new_episodes")
    assert path.read_bytes() == before


def test_what_was_known_is_redacted(path: Path) -> None:
    path.write_text(document(None, [written(asked(1, " private"))]))
    with tape(path, "new_episodes") as opened:
        assert opened.known[0].request == b'{"number": 1} [redacted]'
        opened.add(asked(7))
    assert b"private" not in path.read_bytes()
    assert numbers(path) == [1, 7]


def test_a_secret_in_the_provenance(path: Path) -> None:
    problem = r"loop\.yaml:8: the provenance of this recording is not kept: it contains a secret"
    with pytest.raises(BadInput, match=problem), tape(path, "once", replace(PROVENANCE, server=f"a?key={SECRET}")):
        pass
    assert names(path.parent) == []


# --- with the redaction and the scan that recorders use ---------------------------------------------------------


def test_a_key_is_redacted_and_one_that_was_missed_is_found(path: Path) -> None:
    key = "sk-" + "proj-" + "Fake1234" * 6
    one = replace(asked(7), request=json.dumps({"text": f"my key is {key}"}).encode())
    with CassetteWriter.open(path, "once", PROVENANCE, redactor=real.Redactor(), scan=leaks) as opened:
        opened.add(one)
    assert key not in path.read_text()
    assert leaks(path.read_text()) == []
    problem = (
        r"loop\.yaml:\d+: interaction 2 is not kept: it contains a secret \(.+\) that is not redacted, at request\.body"
    )
    with (
        CassetteWriter.open(path, "new_episodes", PROVENANCE, redactor=Redactor(), scan=leaks) as opened,
        pytest.raises(BadInput, match=problem),
    ):
        opened.add(one)
    assert key not in everything(path.parent).decode()
