"""A cassette opened by its index: as fast as it goes, and never by the word of the index."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.cassette import Cassette, Interaction, Provenance, index, read_cassette
from harness.cassette.index import index_path, open_player
from harness.cassette.matching import Player
from harness.cassette.write import document, written
from harness.errors import BadInput
from tests.case_tables import from_table
from tests.cassette.asking import CHAT, answer, asking, missed, recording, said

NAMES = [f"question {number}" for number in range(30)]
PADDING = "data: word\n\n" * 300


@pytest.fixture(autouse=True)
def _another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins with nothing opened."""
    monkeypatch.setattr(index, "_OPENED", {})


def forget() -> None:
    """What a new process does not know."""
    index._OPENED.clear()


TOLD = Provenance("script", "weather", "openai-chat", "reference", "server", "m", "2026-11-22", "1")


def cassette_text(names: list[str] = NAMES, padding: str = PADDING) -> str:
    return document(TOLD, [written(recording(asking(name), f"{name}!\n{padding}")) for name in names])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "weather.yaml"
    path.write_text(cassette_text())
    return path


@pytest.fixture
def indexed(path: Path) -> Path:
    """A cassette with its index, in a process that has not read it."""
    open_player(path)
    assert index_path(path).is_file()
    forget()
    return path


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of what is read as YAML."""
    lengths: list[int] = []

    def read(path: Path, content: bytes | None = None) -> Cassette:
        lengths.append(path.stat().st_size if content is None else len(content))
        return read_cassette(path, content)

    monkeypatch.setattr(index, "read_cassette", read)
    return lengths


def ask(player: Player, name: str) -> Any:
    return player.play("POST", CHAT, said(asking(name)))


def first_line(player: Player, name: str) -> str:
    return answer(ask(player, name)).partition("\n")[0]


class TestFast:
    def test_only_what_is_played_is_read(self, indexed: Path, reads: list[int]) -> None:
        size = indexed.stat().st_size
        playing = open_player(indexed)
        assert sum(reads) < 500, "the head of the file"
        assert first_line(playing, NAMES[7]) == "question 7!"
        assert sum(reads) < 2 * size / len(NAMES)

    def test_it_plays_what_the_whole_file_says(self, indexed: Path) -> None:
        playing, whole = open_player(indexed), read_cassette(indexed).interactions
        assert [ask(playing, name) for name in reversed(NAMES)] == list(reversed(whole))
        assert playing.unplayed == ()
        assert playing.provenance == TOLD

    def test_each_file_is_read_once_in_a_process(self, path: Path, reads: list[int]) -> None:
        size = path.stat().st_size
        for _ in range(3):
            assert [first_line(open_player(path), name) for name in NAMES[:3]] == [f"{name}!" for name in NAMES[:3]]
        assert reads == [size]
        forget()
        for _ in range(3):
            ask(open_player(path), NAMES[0])
        assert len(reads) == 3, "the head and one interaction, once"

    def test_players_of_one_file_do_not_disturb_each_other(self, indexed: Path) -> None:
        one, other = open_player(indexed), open_player(indexed)
        assert first_line(one, NAMES[0]) == first_line(other, NAMES[0])
        assert missed(ask(one, NAMES[0])).kind == "played"

    def test_what_is_not_played_is_told_in_the_order_of_the_file(self, indexed: Path) -> None:
        playing = open_player(indexed)
        for name in NAMES[1:-1]:
            ask(playing, name)
        whole = read_cassette(indexed).interactions
        assert playing.unplayed == (whole[0], whole[-1])

    def test_a_miss_is_explained_by_the_file(self, indexed: Path) -> None:
        playing = open_player(indexed)
        ask(playing, NAMES[0])
        miss = missed(ask(playing, "question X"))
        assert (miss.kind, miss.at) == ("changed", "messages[0].content")
        assert f"weather.yaml:{read_cassette(indexed).interactions[1].line}" in str(miss)
        assert first_line(playing, NAMES[1]) == "question 1!", "it goes on"
        assert missed(ask(playing, NAMES[0])).kind == "played", "and knows what was played before"

    def test_cassettes_of_vcrpy_have_an_index_as_well(self, tmp_path: Path, reads: list[int]) -> None:
        from vcr.request import Request
        from vcr.serialize import serialize
        from vcr.serializers import yamlserializer

        requests = [Request("POST", f"https://api.openai.com{CHAT}", said(asking(name)), {}) for name in NAMES]
        answers = [
            {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": f"{name}!\n{PADDING}"}}
            for name in NAMES
        ]
        path = tmp_path / "vcr.yaml"
        path.write_text(serialize({"requests": requests, "responses": answers}, yamlserializer))
        open_player(path)
        forget()
        reads.clear()
        playing = open_player(path)
        assert [first_line(playing, name) for name in (NAMES[7], NAMES[-1])] == ["question 7!", "question 29!"]
        assert sum(reads) < path.stat().st_size / 4


def flowing(value: Any) -> str:
    return f"version: 1\ninteractions: {yaml.safe_dump(value['interactions'], default_flow_style=True)}"


def indented(value: Any) -> str:
    """As Ruby and Go write lists."""
    listed = yaml.safe_dump(value["interactions"])
    return "version: 1\ninteractions:\n" + "".join(f"  {line}\n" for line in listed.splitlines())


def aliased(value: Any) -> str:
    shared = value["interactions"][0]["request"]["headers"]
    shared["x"] = ["y"]
    for each in value["interactions"]:
        each["request"]["headers"] = shared
    text = yaml.safe_dump(value)
    assert "*id001" in text
    return text


class TestWhereThereIsNone:
    def test_a_small_cassette_is_read_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "small.yaml"
        path.write_text(cassette_text(["a"], ""))
        assert first_line(open_player(path), "a") == "a!"
        assert not index_path(path).exists()

    @pytest.mark.parametrize(
        ("layout", "has_index"),
        [
            pytest.param(json.dumps, False, id="JSON"),
            pytest.param(flowing, False, id="flow style"),
            pytest.param(indented, False, id="an indented list"),
            pytest.param(lambda value: yaml.safe_dump(value) + "more:\n- 1\n- 2\n", False, id="another list behind"),
            pytest.param(lambda value: yaml.safe_dump(value).replace("\n", "\r\n"), True, id="Windows lines"),
            pytest.param(aliased, True, id="aliases, which show only when an interaction is played"),
        ],
    )
    def test_other_layouts_are_read_all_the_same(
        self, tmp_path: Path, layout: Callable[[Any], str], has_index: bool
    ) -> None:
        value = yaml.safe_load(cassette_text())
        path = tmp_path / "foreign.yaml"
        path.write_bytes(layout(value).encode())
        for _ in range(2):
            playing = open_player(path)
            assert [first_line(playing, name) for name in NAMES] == [f"{name}!" for name in NAMES]
            forget()
        assert index_path(path).exists() == has_index

    def test_a_folder_that_cannot_be_written_to(self, path: Path) -> None:
        index_path(path).mkdir()
        assert first_line(open_player(path), NAMES[0]) == "question 0!"
        assert [each.name for each in path.parent.iterdir() if each.is_file()] == [path.name]

    @pytest.mark.parametrize("content", ["", "interactions: []\n", "interactions:\n- 1\n", "a: 1\n", "- 1\n"])
    def test_what_is_no_cassette_is_told_as_by_reading_it(self, tmp_path: Path, content: str) -> None:
        path = tmp_path / "no.yaml"
        path.write_text(content)
        assert told(lambda: open_player(path).unplayed) == told(lambda: read_cassette(path).interactions)

    def test_a_file_that_is_not_there_is_told_as_by_reading_it(self, tmp_path: Path) -> None:
        assert "No such file" in str(told(lambda: open_player(tmp_path / "none.yaml")))


def told(work: Callable[[], object]) -> object:
    try:
        return work()
    except BadInput as problem:
        return str(problem)


class TestNeverBelieved:
    """The same bytes, and an index that says something else of them."""

    def test_a_changed_file_is_read_anew(self, indexed: Path) -> None:
        playing = open_player(indexed)
        status = indexed.stat()
        indexed.write_text(indexed.read_text().replace("question 7!", "answer 7!!!"))
        os.utime(indexed, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert indexed.stat().st_size == status.st_size
        assert first_line(open_player(indexed), NAMES[7]) == "answer 7!!!"
        assert first_line(playing, NAMES[7]) == "question 7!", "one that is open plays what it opened"
        forget()
        assert first_line(open_player(indexed), NAMES[7]) == "answer 7!!!"

    def test_the_index_of_a_changed_file_is_written_anew_at_once(self, indexed: Path) -> None:
        old = index_path(indexed).read_bytes()
        indexed.write_text(indexed.read_text().replace("question 7!", "answer 7!!!"))
        open_player(indexed)
        assert index_path(indexed).read_bytes() != old

    @pytest.mark.parametrize(
        "spoil",
        [
            pytest.param(lambda found: found["keys"].reverse(), id="keys of others"),
            pytest.param(lambda found: found["keys"].__setitem__(slice(None), found["keys"][:1] * 30), id="one key"),
            pytest.param(lambda found: found["keys"].__setitem__(slice(None), ["0" * 32] * 30), id="keys of nothing"),
            pytest.param(lambda found: found["keys"].__setitem__(3, None), id="no key"),
            pytest.param(lambda found: found["keys"].__setitem__(3, []), id="a key that is none"),
            pytest.param(lambda found: found["starts"].reverse(), id="starts in another order"),
            pytest.param(lambda found: found["starts"].__setitem__(3, found["starts"][4]), id="a start twice"),
            pytest.param(lambda found: found["starts"].__setitem__(3, found["starts"][3] + 5), id="a start amidst"),
            pytest.param(lambda found: found["starts"].__setitem__(3, -5), id="a start before"),
            pytest.param(lambda found: found["starts"].__setitem__(29, 10**9), id="a start behind"),
            pytest.param(
                lambda found: found["starts"].__setitem__(3, float(found["starts"][3])), id="a start that is none"
            ),
            pytest.param(lambda found: (found["starts"].pop(3), found["keys"].pop(3)), id="one left out"),
            pytest.param(lambda found: (found["starts"].pop(0), found["keys"].pop(0)), id="the first left out"),
            pytest.param(lambda found: (found["starts"].pop(), found["keys"].pop()), id="the last left out"),
            pytest.param(lambda found: (found["starts"].clear(), found["keys"].clear()), id="all left out"),
            pytest.param(lambda found: found["starts"].pop(), id="fewer starts"),
            pytest.param(lambda found: found.update(keys="x" * 30), id="keys that are text"),
            pytest.param(lambda found: found.update(format=2), id="another format"),
            pytest.param(lambda found: found.clear(), id="nothing"),
        ],
    )
    def test_a_wrong_index_serves_nothing_that_the_file_does_not_say(
        self, indexed: Path, spoil: Callable[[dict[str, Any]], object]
    ) -> None:
        found = json.loads(index_path(indexed).read_bytes())
        spoil(found)
        index_path(indexed).write_text(json.dumps(found))
        playing, whole = open_player(indexed), read_cassette(indexed).interactions
        assert [ask(playing, name) for name in NAMES[:5]] == list(whole[:5])
        assert playing.unplayed == whole[5:]
        assert [ask(playing, name) for name in NAMES[5:]] == list(whole[5:])
        assert missed(ask(playing, NAMES[0])).kind == "played"
        assert playing.unplayed == ()

    @pytest.mark.parametrize(
        "content", [b"", b"null", b"[" * 100_000, b"\xff", b"{" * 10**6, b'{"keys": 1' + b"0" * 5000]
    )
    def test_an_index_that_is_none_is_written_anew(self, indexed: Path, content: bytes) -> None:
        good = index_path(indexed).read_bytes()
        index_path(indexed).write_bytes(content)
        assert first_line(open_player(indexed), NAMES[0]) == "question 0!"
        assert index_path(indexed).read_bytes() == good

    def test_an_index_with_wrong_keys_is_written_anew_when_that_shows(self, indexed: Path) -> None:
        good = index_path(indexed).read_bytes()
        found = json.loads(good)
        found["keys"] = ["0" * 32] * 30
        index_path(indexed).write_text(json.dumps(found))
        assert first_line(open_player(indexed), NAMES[0]) == "question 0!"
        assert index_path(indexed).read_bytes() == good

    def test_the_index_of_another_cassette(self, indexed: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.yaml"
        other.write_text(cassette_text([name.upper() for name in NAMES]))
        open_player(other)
        index_path(other).replace(index_path(indexed))
        forget()
        assert first_line(open_player(indexed), NAMES[0]) == "question 0!"

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
    def test_a_pipe_in_place_of_an_index_is_not_waited_for(self, indexed: Path) -> None:
        index_path(indexed).unlink()
        os.mkfifo(index_path(indexed))
        assert first_line(open_player(indexed), NAMES[0]) == "question 0!"

    def test_an_index_that_is_longer_than_its_cassette_is_not_read(self, indexed: Path) -> None:
        index_path(indexed).write_bytes(index_path(indexed).read_bytes() + b" " * indexed.stat().st_size)
        assert first_line(open_player(indexed), NAMES[0]) == "question 0!"
        assert index_path(indexed).stat().st_size < indexed.stat().st_size


class TestHostileFilesWithAnIndex:
    """Somebody gives a cassette that is refused an index that would lead around what is wrong with it."""

    def planted(self, path: Path, text: str) -> Path:
        good = [
            Interaction("POST", f"https://api.openai.com{CHAT}", {}, said(asking(name)), 200, {}, b"") for name in NAMES
        ]
        content = text.encode()
        starts = [at + 1 for at in range(len(content)) if content.startswith(b"\n- ", at)]
        keys = [index.matchable_of(each).key for each in good]
        assert all(before < after for before, after in pairwise(starts))
        path.write_bytes(content)
        value = {"format": 1, "checksum": index._checksum(content), "keys": keys, "starts": starts}
        index_path(path).write_text(json.dumps(value))
        return path

    def test_the_planted_index_would_lead_there(self, tmp_path: Path, reads: list[int]) -> None:
        path = self.planted(tmp_path / "good.yaml", cassette_text())
        assert first_line(open_player(path), NAMES[7]) == "question 7!"
        assert sum(reads) < path.stat().st_size / 4

    @from_table(__file__, "test_a_head_that_is_refused_is_refused")
    def test_a_head_that_is_refused_is_refused(self, tmp_path: Path, old: str, new: str, why: str) -> None:
        path = self.planted(tmp_path / "bad.yaml", cassette_text().replace(old, new, 1))
        with pytest.raises(BadInput, match=why):
            open_player(path)

    def test_what_stands_behind_the_list_is_refused_as_well(self, tmp_path: Path) -> None:
        path = self.planted(tmp_path / "bad.yaml", cassette_text() + "more: !!python/object/apply:os.abort []\n")
        with pytest.raises(BadInput, match="asks for an object"):
            open_player(path)

    @from_table(
        __file__,
        "test_an_interaction_that_is_refused_is_refused_when_it_is_played",
        pytest.param(
            "    method: POST\n", f"    method: {'[' * 300}{']' * 300}\n", "nested more than 200 deep", id="deep"
        ),
    )
    def test_an_interaction_that_is_refused_is_refused_when_it_is_played(
        self, tmp_path: Path, old: str, new: str, why: str
    ) -> None:
        head, _, rest = cassette_text().partition("- request:\n")
        path = self.planted(tmp_path / "bad.yaml", head + "- request:\n" + rest.replace(old, new, 1))
        with pytest.raises(BadInput, match=why):
            ask(open_player(path), NAMES[0])

    def test_text_in_a_body_that_reads_as_an_interaction_is_none(self, tmp_path: Path) -> None:
        """The planted index leads into the body of a response, to a line that would be one at the first column."""
        inner = {
            "request": {"method": "POST", "uri": CHAT, "body": said(asking("planted")).decode()},
            "response": {"status": {"code": 200}, "body": {"string": "from inside"}},
        }
        path = tmp_path / "weather.yaml"
        path.write_text(
            f"version: 1\ninteractions:\n- request: {{method: POST, uri: '{CHAT}'}}\n  response:\n"
            f"    status: {{code: 200}}\n    body:\n      string: |\n{'        data: word' * 5000}\n"
            f"        - {json.dumps(inner)}\n"
        )
        open_player(path)
        found = json.loads(index_path(path).read_bytes())
        found["keys"].append(index.matchable_of(recording(asking("planted"))).key)
        found["starts"].append(path.read_bytes().rindex(b'- {"request"'))
        index_path(path).write_text(json.dumps(found))
        forget()
        assert missed(ask(open_player(path), "planted")).kind == "changed"
