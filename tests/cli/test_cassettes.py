"""``harness cassettes`` as a person meets it: cassettes of every wire and of other recorders, and what is wrong."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path

import pytest

from harness.cassette import Delivery, Interaction, OverSocket, Provenance, read_cassette
from harness.cassette.write import document, written
from harness.cli.cassettes.overview import stale
from harness.wire import (
    WIRES,
    Call,
    Conversation,
    FinishReason,
    Identity,
    Message,
    Result,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Turn,
    Wire,
    WireName,
    wire,
)
from tests.case_tables import from_table
from tests.commands import Printed
from tests.sdks import vcr

KEY = "sk-" + "proj-" + "Fake1234" * 6
"""Planted; put together here so that nobody finds a key in this file."""

ADDRESS = "someone" + "@" + "planted-mail.com"

TOOL = ToolDeclaration("read_file", "Reads a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
CALL = Call("read_file", '{"path": "a.txt"}')
TURNS = (
    Turn(parts=(ThinkingPart("Let me look."), Text("Looking."), CALL), stop=FinishReason.TOOL_CALLS),
    Turn(parts=(Text("It says hello."),)),
)


@pytest.fixture
def cassettes(harness: Callable[..., Printed]) -> Callable[..., Printed]:
    return partial(harness, "cassettes")


# --- cassettes to look at -------------------------------------------------------------------------------------


def asked(
    speaker: Wire, messages: Sequence[Message], turn: Turn, identity: Identity
) -> tuple[Interaction, tuple[Message, ...]]:
    """A request with its answer, and the messages by which a client goes on."""
    settings = {**speaker.settings, "max_tokens": 100} if speaker.name == "anthropic-messages" else speaker.settings
    request = speaker.write(Conversation(speaker.name, "model-x", True, tuple(messages), (TOOL,), body=settings))
    route = speaker.route("POST", request.path)
    assert route is not None
    answer = speaker.render(turn, identity, speaker.read(route, request.body))
    interaction = Interaction(
        method="POST",
        url=f"https://host{request.path}",
        request_headers={"content-type": ("application/json",)},
        request=request.body,
        status=200,
        response_headers={"content-type": (answer.content_type,)},
        response=answer.body,
        delivery=Delivery(tuple(map(len, answer.frames)), (250.0, *(10.0 for _ in answer.frames[1:]))),
    )
    ids = [call.id or "call-1" for call in answer.reply.turn.calls]
    results = [Result(each, '{"content": "hello"}', "read_file") for each in ids]
    return interaction, (*speaker.returned(answer.reply, ids), *speaker.answers(answer.reply, ids, results))


def provenance(name: WireName, scenario: str = "reading", recorded: str = "2026-11-20") -> Provenance:
    return Provenance("script", scenario, name, "reference", "scripted", "model-x", recorded, "0.1")


def loop(name: WireName) -> list[Interaction]:
    """A call and its result, then the last request once more, as after a lost answer."""
    speaker, identity = wire(name), Identity(name)
    prompt = (Message("user", (Text("What does a.txt say?"),), ""),)
    first, following = asked(speaker, prompt, TURNS[0], identity)
    second, _ = asked(speaker, (*prompt, *following), TURNS[1], identity)
    return [first, second, replace(second, status=503, response=b'{"error": {"message": "busy"}}', delivery=None)]


def save(path: Path, interactions: Sequence[Interaction], told: Provenance | None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document(told, map(written, interactions)), encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A cassette of each wire, one of another recorder, and what is none of these."""
    place = tmp_path / "cassettes"
    for name in WIRES:
        save(place / name / "reading.yaml", loop(name), provenance(name))
    shutil.copy(Path(__file__).parent / "data" / "cassettes_foreign.json", place / "foreign.json")
    (place / "README.md").write_text("Cassettes.")
    (place / ".reading.yaml.lock").write_text("1")
    (place / "foreign.json.index").write_text("{}")
    return place


def words(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


# --- list, stats ------------------------------------------------------------------------------------------------


def test_list(cassettes: Callable[..., Printed], folder: Path) -> None:
    left = save(folder / "openai-chat/reading.interrupted-1.yaml", [], provenance("openai-chat"))
    printed = cassettes("list", folder)
    *rows, count = words(printed.out)
    assert (printed.code, printed.err, count) == (0, "", ["7", "cassettes"])
    row = ["script", "model-x", "2026-11-20", "3", "requests"]
    assert [str(left), "openai-chat", "interrupted", "model-x", "2026-11-20", "0", "requests"] in rows
    assert [str(folder / "foreign.json"), "-", "foreign", "-", "2026-11-03", "1", "request"] in rows
    assert all([str(folder / name / "reading.yaml"), name, *row] in rows for name in WIRES)


def test_list_tells_what_is_no_cassette_and_goes_on(cassettes: Callable[..., Printed], folder: Path) -> None:
    (folder / "broken.yaml").write_text("interactions: [")
    printed = cassettes("list", folder)
    assert printed.code == 2
    assert "6 cassettes" in printed.out
    assert f"error: {folder / 'broken.yaml'}:2:1: expected a cassette in YAML" in printed.err


def test_stats(cassettes: Callable[..., Printed], folder: Path) -> None:
    printed = cassettes("stats", folder)
    assert (printed.code, printed.err) == (0, "")
    head, *rows = [line for line in words(printed.out) if not line[0].endswith(":")]
    assert head == ["wire", "cassettes", "interactions", "turns", "calls", "errors", "bytes", "recorded"]
    counted = {row[0]: row[1:] for row in rows}
    for name in WIRES:
        bodies = sum(len(each.request or b"") + len(each.response) for each in loop(name))
        assert counted[name] == ["1", "3", "2", "1", "1", f"{bodies:,}", "2026-11-20", "to", "2026-11-20"]
    assert counted["no"] == ["model", "1", "1", "0", "0", "0", "2", "2026-11-03", "to", "2026-11-03"]
    assert "anthropic-messages: model-x" in printed.out


# --- show -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WIRES)
def test_show(name: WireName, cassettes: Callable[..., Printed], folder: Path) -> None:
    path = folder / name / "reading.yaml"
    printed = cassettes("show", path)
    assert (printed.code, printed.err) == (0, "")
    head, first, second, third = re.split(r"\n\n(?=\d  POST)", printed.out)
    assert head == (
        f"{path}: 3 interactions\n"
        "  script: model-x of scripted, 2026-11-20, by harness 0.1\n"
        f"  scenario reading, {name}, target reference"
    )
    size, chunks = len(loop(name)[0].response), len(loop(name)[0].delivery.chunks)  # type: ignore[union-attr]
    seconds = f"{(240 + 10 * chunks) / 1000:.2f} s, the first after 0.25 s"
    assert re.match(
        rf"1  POST /\S+  200  {name}, model-x; {size} bytes in {chunks} chunks in {re.escape(seconds)}\n", first
    )
    assert "\n   > user      What does a.txt say?\n" in first
    assert "\n   < text      Looking.\n" in first
    assert re.search(r'\n   < call      read_file \{"path": ?"a.txt"\}', first)
    assert first.endswith("\n   < stop      tool_calls")
    assert "\n   > goes on   from 1\n   > result  " in second
    assert "hello" in second
    assert "What does" not in second + third
    assert second.endswith("   < text      It says hello.\n   < stop      end")
    assert "\n   > repeats   2\n   < error     " in third
    assert "busy" in third


def test_show_tells_how_a_response_ended(cassettes: Callable[..., Printed], tmp_path: Path) -> None:
    one = loop("openai-chat")[0]
    cut = replace(one, response=one.response[:400], delivery=Delivery((400,), (5.0,), "cut"))
    printed = cassettes("show", save(tmp_path / "cut.yaml", [cut], None))
    assert "400 bytes in 1 chunk in 0.01 s, the first after 0.01 s, then cut off\n" in printed.out
    assert printed.out.endswith("   < stop      the end is missing\n")


def test_show_and_list_say_what_was_over_a_websocket(cassettes: Callable[..., Printed], tmp_path: Path) -> None:
    one = loop("openai-responses")[0]
    opening = replace(one, method="GET", status=101, request=None, response=b"", delivery=None)
    over = Delivery((len(one.response),), (5.0,), "cut", OverSocket(2, "a", 1011))
    kept = [replace(opening, delivery=Delivery((), (), "eof", OverSocket(2))), replace(one, delivery=over)]
    path = save(tmp_path / "over.yaml", [*kept, opening], None)
    printed = cassettes("show", path).out
    assert "/responses  opens WebSocket 2\n" in printed
    assert ", WebSocket 2, stream a; " in printed
    assert "then cut off with the code 1011\n" in printed
    assert "/responses  opens a WebSocket\n" in printed  # another recorder, that says no more
    assert "1 request\n" in cassettes("list", path).out


def test_show_shortens_long_texts(cassettes: Callable[..., Printed], tmp_path: Path) -> None:
    text = "\n".join(["x" * 300, "", *map(str, range(20))])
    prompt = (Message("user", (Text(text),), ""),)
    one, _ = asked(wire("openai-chat"), prompt, TURNS[1], Identity("x"))
    path = save(tmp_path / "long.yaml", [one], None)
    short = cassettes("show", path).out
    assert f"   > user      {'x' * 160}\n\n{'':15}0\n{'':15}1 ... ({len(text)} characters)\n" in short
    full = cassettes("show", path, "--full").out
    assert f"{'x' * 300}\n\n{'':15}0\n" in full
    assert f"\n{'':15}19\n" in full


@from_table(__file__, "test_show_what_cannot_be_read")
def test_show_what_cannot_be_read(
    request_body: str | None, response: str, problem: str, cassettes: Callable[..., Printed], tmp_path: Path
) -> None:
    headers = {"content-type": ("application/json",)}
    sent, received = (text and text.replace("DEEP", "[" * 100_000).encode() for text in (request_body, response))
    one = Interaction("POST", "https://host/v1/chat/completions", {}, sent or None, 200, headers, received or b"")
    printed = cassettes("show", save(tmp_path / "odd.yaml", [one], None))
    assert printed.code == 0
    assert f"   < problem   {problem}" in printed.out


def test_show_cannot_drive_a_terminal(cassettes: Callable[..., Printed], tmp_path: Path) -> None:
    one, _ = asked(wire("openai-chat"), (Message("user", (Text("\x1b[2Jgone"),), ""),), TURNS[1], Identity("x"))
    assert "\\x1b[2Jgone" in cassettes("show", save(tmp_path / "escape.yaml", [one], None)).out


def test_show_reads_recorded_traffic(shared: Path, cassettes: Callable[..., Printed]) -> None:
    """Cassettes of other recorders, one of each folder of the corpus."""
    shown = 0
    for place in sorted((shared / "corpus").iterdir()):
        files = (
            [file for file in sorted(place.rglob("*.yaml")) if "pydantic-ai" in str(file)][:3] if place.is_dir() else []
        )
        for file in files:
            printed = cassettes("show", file)
            assert printed.code == 0
            assert "   < stop " in printed.out or "   < error " in printed.out
            shown += 1
    assert shown >= 9


# --- stale, orphans -----------------------------------------------------------------------------------------------


def test_stale(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(folder / "when.yaml", [], None)
    today = date(2026, 11, 22)
    assert stale([folder / "openai-chat"], 2, today) == 0
    assert capsys.readouterr().out == "0 of 1 cassette are stale\n"
    assert stale([folder / "openai-chat"], 1, today) == 1
    capsys.readouterr()
    assert stale([folder], 2, today) == 1
    assert capsys.readouterr().out == (
        f"{folder / 'foreign.json'}: recorded 19 days ago\n"
        f"{folder / 'when.yaml'}: it has no date\n"
        "2 of 7 cassettes are stale\n"
    )


def test_stale_from_outside(cassettes: Callable[..., Printed], folder: Path) -> None:
    assert cassettes("stale", "--max-age", 0, folder).code == 1
    assert cassettes("stale", "--max-age", 40_000, folder).code == 0
    assert cassettes("stale", folder).code == 2
    save(folder / "odd.yaml", [], provenance("openai-chat", recorded="yesterday"))
    printed = cassettes("stale", "--max-age", 1, folder)
    problem = "odd.yaml: harness: recorded: expected a day (2026-11-22), got 'yesterday'\n"
    assert (printed.code, printed.err) == (2, f"error: {folder}/{problem}")


def test_orphans(cassettes: Callable[..., Printed], folder: Path) -> None:
    scenario = folder.parent / "reading.yaml"
    scenario.write_text("scenario: reading\nprofile: universal\nsummary: Reads.\nprompt: []\n")
    printed = cassettes("orphans", folder, "--scenarios", scenario)
    assert (printed.code, printed.out) == (0, "0 of 6 cassettes are orphans\n")
    alone = save(folder / "old.yaml", [], provenance("openai-chat", scenario="gone"))
    printed = cassettes("orphans", folder, "--scenarios", scenario)
    assert (printed.code, printed.out) == (
        1,
        f"{alone}: its scenario 'gone' is none of the 1\n1 of 7 cassettes is an orphan\n",
    )
    assert cassettes("orphans", folder).out.endswith("6 of 7 cassettes are orphans\n")  # of those that are shipped


@pytest.mark.parametrize("command", [("stale", "--max-age", 1), ("orphans",)])
def test_what_cannot_be_read_is_not_passed_over(
    command: tuple[object, ...], cassettes: Callable[..., Printed], folder: Path
) -> None:
    (folder / "broken.yaml").write_text("interactions: [")
    printed = cassettes(*command, folder)
    assert (printed.code, printed.out) == (2, "")
    assert "broken.yaml:2:1" in printed.err


@pytest.mark.parametrize("command", [["list"], ["stats"], ["stale", "--max-age", "1"], ["orphans"], ["lint"]])
def test_a_place_without_cassettes(
    command: list[str], cassettes: Callable[..., Printed], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = cassettes(*command, tmp_path)
    assert (printed.code, printed.out) == (2, "")
    assert printed.err == f"error: {tmp_path}: contains no cassette (*.yaml, *.yml, *.json)\n"
    monkeypatch.chdir(tmp_path)
    assert cassettes(*command).err == "error: cassettes: expected a cassette, or a folder of them; there is nothing\n"


# --- lint, redact -------------------------------------------------------------------------------------------------


def leaking(path: Path) -> Path:
    one = loop("openai-chat")[0]
    prompt = json.loads(one.request or b"")
    prompt["messages"][0]["content"] += f" Ask {ADDRESS}."
    secret = replace(
        one,
        request=json.dumps(prompt).encode(),
        request_headers={"content-type": ("application/json",), "authorization": (f"Bearer {KEY}",)},
    )
    return save(path, [loop("openai-chat")[0], secret], None)


def test_lint(cassettes: Callable[..., Printed], folder: Path) -> None:
    printed = cassettes("lint", folder)
    assert (printed.code, printed.err) == (0, "")
    assert "0 secrets found\n" in printed.out
    assert f"{folder / 'openai-chat/reading.yaml'}: 3 requests judged: no finding" in printed.out


@pytest.mark.parametrize("name", ["leak.yaml", "leak.interrupted-1.yaml"])
def test_lint_finds_secrets(name: str, cassettes: Callable[..., Printed], tmp_path: Path) -> None:
    path = leaking(tmp_path / name)
    save(tmp_path / "good.yaml", loop("openai-chat"), None)
    printed = cassettes("lint", tmp_path)
    lines = path.read_text().split("\n")
    line = next(number for number, text in enumerate(lines, 1) if KEY in text)
    assert printed.code == 1
    assert f"{path}:{line}: secret: " in printed.out
    assert KEY not in printed.out + printed.err
    assert ADDRESS not in printed.out + printed.err


def test_lint_finds_broken_requests(cassettes: Callable[..., Printed], tmp_path: Path) -> None:
    second = loop("openai-chat")[1]
    body = json.loads(second.request or b"")
    body["messages"] = [each for each in body["messages"] if each["role"] != "tool"]
    save(tmp_path / "broken.yaml", [replace(second, request=json.dumps(body).encode(), status=500)], None)
    printed = cassettes("lint", tmp_path)
    rule = re.search(r": ([A-Z]+-\d+) .*MUST", printed.out)
    assert (printed.code, rule is not None) == (1, True)
    assert rule is not None
    assert cassettes("lint", tmp_path, "--skip", rule[1]).code == 0


def test_redact(cassettes: Callable[..., Printed], tmp_path: Path) -> None:
    path = leaking(tmp_path / "leak.yaml")
    printed = cassettes("redact", path)
    assert (printed.code, printed.err) == (0, "")
    assert printed.out == (
        f"{path}: 1 interaction of 2 redacted\n  interaction 2: request body; request headers authorization\n"
    )
    assert KEY not in path.read_text()
    assert ADDRESS not in path.read_text()
    assert read_cassette(path).interactions[0].response == loop("openai-chat")[0].response
    assert cassettes("lint", tmp_path).code == 0
    before = path.stat()
    assert cassettes("redact", path).out == f"{path}: nothing to redact\n"
    assert path.stat() == before
    with vcr.use_cassette(str(path), record_mode="none") as plain:
        assert len(plain.responses) == 2


def test_redact_what_is_secret_to_its_user(cassettes: Callable[..., Printed], tmp_path: Path) -> None:
    path = save(tmp_path / "own.yaml", loop("openai-chat")[:1], None)
    printed = cassettes("redact", path, "--pattern", "file=[a-z]\\.txt")
    assert "interaction 1: request body; response body" in printed.out
    assert "a.txt" not in path.read_text()
    assert cassettes("redact", path, "--pattern", "file=(").code == 2
    assert cassettes("redact", path, "--pattern", "file").code == 2


def test_redact_leaves_what_it_cannot_write(cassettes: Callable[..., Printed], folder: Path) -> None:
    go = folder / "go.yaml"
    go.write_text("version: 2\ninteractions:\n- request: {url: a, method: GET}\n  response: {code: 200}\n")
    ruby = folder / "ruby.yaml"
    ruby.write_text("http_interactions:\n- request: {uri: a, method: get}\n  response: {status: {code: 200}}\n")
    files = [folder / "foreign.json", go, ruby]
    before = [file.read_bytes() for file in files]
    good = leaking(folder / "leak.yaml")
    printed = cassettes("redact", *files, good)
    assert printed.code == 2
    assert printed.err.count("expected a cassette in vcrpy's YAML") == 3
    assert [file.read_bytes() for file in files] == before
    assert KEY not in good.read_text()


def test_redact_leaves_what_would_leak_all_the_same(
    cassettes: Callable[..., Printed], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = leaking(tmp_path / "leak.yaml")
    before = path.read_bytes()
    monkeypatch.setattr("harness.secrets.redactor.Redactor.redact", lambda _self, interaction: interaction)
    printed = cassettes("redact", path)
    assert printed.code == 2
    assert f"{path}: is left as it is: " in printed.err
    assert KEY not in printed.err
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["leak.yaml"]


def test_lint_of_a_file_that_is_nested_too_deeply_ends_with_a_message(
    cassettes: Callable[..., Printed], tmp_path: Path
) -> None:
    path = tmp_path / "deep.yaml"
    path.write_text("interactions: " + "[" * 100_000, encoding="utf-8")
    printed = cassettes("lint", path)
    assert printed.code == 2
    assert "values are nested more than 200 deep" in printed.err
