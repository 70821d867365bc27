"""``harness serve -- pytest``: each finding names its test, whatever the suite's processes, clients and Python are."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from junitparser import JUnitXml

from harness.runner.serving import reporting
from harness.scenario import shipped
from tests.commands import called
from tests.report.test_sample import unpacked

PLUGIN = Path(reporting.__file__).parent / "in_pytest"

AGENT = """\
import json, os
from urllib.request import ProxyHandler, Request, build_opener

OPENER = build_opener(ProxyHandler({}))
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": CITY}}]

class Client:
    def __init__(self, base_url=None):
        self.base_url = base_url or os.environ["OPENAI_BASE_URL"]

    def ask(self, messages):
        body = json.dumps({"model": "gpt-4.1", "messages": messages, "tools": TOOLS}).encode()
        with OPENER.open(Request(self.base_url + "/chat/completions", body)) as answer:
            return json.load(answer)["choices"][0]["message"]

    def answer(self, question, forgets=False, history=()):
        messages = [*history, {"role": "user", "content": question}]
        while calls := (message := self.ask(messages)).get("tool_calls"):
            messages.append(message)
            for call in calls[forgets:]:
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": "sunny"})
        return [*messages, message]
"""
"""An agent without an SDK, whose client may be made once for all tests. With ``forgets`` it has a bug."""

CONFTEST = """\
import pytest
from agent import Client

@pytest.fixture(scope="session")
def client():
    return Client()
"""


@dataclass
class Served:
    code: int
    out: list[str]
    err: list[str]
    results: Any
    folder: Path

    @property
    def cases(self) -> dict[str, list[str]]:
        """The rules that each case has broken, by its id without the offer's name."""
        found = {}
        for case in self.results["cases"]:
            id = case["id"].removeprefix("automatic.openai-chat.")
            found[id] = [each["reference"] or each["rule"] for each in case["findings"]]
        return found

    @property
    def notes(self) -> list[str]:
        """What is noted on the suite itself."""
        return [line for line in self.out if line.startswith("note: ") and not line.startswith("note: not tried: ")]

    @property
    def requests(self) -> dict[str, int]:
        return {each["id"].removeprefix("automatic.openai-chat."): each["requests"] for each in self.results["cases"]}


Serve = Callable[..., Served]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a project with an agent, where pytest knows of no other one. It is the current one."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "agent.py").write_text(AGENT, encoding="utf-8")
    (project / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (project / "pytest.ini").write_text("[pytest]\npythonpath = .\nfilterwarnings = error\n", encoding="utf-8")
    monkeypatch.chdir(project)
    for name in [*os.environ]:
        if name.startswith(("PYTEST_", "HARNESS_")) or name == "PYTHONPATH":
            monkeypatch.delenv(name)
    return project


@pytest.fixture
def serve(project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Serve:
    """``harness serve OPTIONS -- COMMAND``; by default the command is pytest in this Python."""

    def call(*arguments: str, command: Sequence[str] = (), options: Sequence[str] = ()) -> Served:
        out = tmp_path / "out"
        words = [*(command or (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")), *arguments]
        printed = called(capfd, "serve", "--out", out, *options, "--", *words)
        results = json.loads((out / "results.json").read_text(encoding="utf-8"))
        assert "Traceback (most recent call last)" not in printed.err
        return Served(*printed.lines, results, out)

    return call


def write(project: Path, code: str, name: str = "test_it.py") -> None:
    (project / name).write_text(code, encoding="utf-8")


FORTY = """\
import pytest

@pytest.mark.parametrize("number", range(40))
def test_weather(client, number):
    try:
        client.answer("Is it cold?", forgets=number == 23)
    except OSError:
        assert number == 23
    client.answer(f"Is it {number} degrees?")
"""


def assert_one_of_forty(served: Served, prefix: str = "test_it.py::") -> None:
    names = [f"{prefix}test_weather[{number}]" for number in range(40)]
    assert sorted(served.cases) == sorted(names)
    assert {name: found for name, found in served.cases.items() if found} == {names[23]: ["OAC-03", "history/results"]}
    assert served.requests == dict.fromkeys(names, 4)
    assert f"automatic.openai-chat.{names[23]}: 4 requests (200, 400, 200, 200); the test has passed" in served.out
    assert "40 tests, 160 requests: 39 without findings" in served.out
    assert f"   case      automatic.openai-chat.{names[23]}" in served.out
    assert sum(line.startswith("automatic.") for line in served.out) == 1
    assert served.code == 1


def test_the_bug_of_one_of_forty_tests_is_named_with_its_test(project: Path, serve: Serve) -> None:
    write(project, FORTY)
    served = serve()
    assert_one_of_forty(served)
    cases = [case for suite in JUnitXml.fromfile(str(served.folder / "junit.xml")) for case in suite]
    assert len(cases) == 40
    assert [each.name for each in cases if each.result] == ["automatic.openai-chat.test_it.py::test_weather[23]"]
    case = next(each for each in served.results["cases"] if each["findings"])
    lines = (served.folder / case["trace"]).read_text(encoding="utf-8").splitlines()
    wrong = json.loads(lines[case["findings"][0]["at"] - 1])
    assert json.loads(lines[0])["id"] == case["id"]
    assert "Is it cold?" in str(wrong)
    assert "automatic.openai-chat.test_it.py::test_weather[23]" in unpacked(served.folder / "index.html")


def test_the_processes_of_xdist_run_tests_at_once(project: Path, serve: Serve) -> None:
    write(project, FORTY)
    assert_one_of_forty(serve("-n", "2"))


def test_a_pytest_that_loads_no_plugins_by_itself_loads_this_one(
    project: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "own_plugin")
    monkeypatch.setenv("PYTHONPATH", str(project))
    (project / "own_plugin.py").write_text(
        "import pytest\n@pytest.fixture(autouse=True)\ndef own(): pass\n", encoding="utf-8"
    )
    write(project, FORTY + "\ndef test_the_users_own(own): pass\n")
    served = serve()
    assert "40 tests, 160 requests: 39 without findings; 1 other test asked nothing" in served.out
    assert not [line for line in served.out if "failed" in line]


def test_the_users_own_options_and_paths_stay(project: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-k 'not left_out' -p own_plugin")
    monkeypatch.setenv("PYTHONPATH", str(project / "lib"))
    (project / "lib").mkdir()
    (project / "lib" / "own_plugin.py").write_text("", encoding="utf-8")
    write(
        project,
        "import own_plugin, os\n"
        "def test_it(client):\n"
        "    client.answer('Hello?')\n"
        f"    assert os.environ['PYTHONPATH'].split(os.pathsep) == [{str(project / 'lib')!r}, {str(PLUGIN)!r}]\n"
        "def test_left_out(): assert False\n",
    )
    served = serve()
    assert (served.code, served.cases) == (0, {"test_it.py::test_it": []})


def test_a_python_that_reads_no_such_path_runs_as_ever(project: Path, serve: Serve) -> None:
    """Its tests are not known: each conversation is a case."""
    write(project, FORTY)
    served = serve(command=(sys.executable, "-E", "-m", "pytest", "-q", "-p", "no:cacheprovider"))
    assert served.code == 1
    assert len(served.cases) == 80
    assert "80 conversations, 160 requests: 79 without findings" in served.out


def test_a_python_without_the_harness_has_all_that_is_needed(project: Path, serve: Serve, tmp_path: Path) -> None:
    home = tmp_path / "other"
    venv.create(home, symlinks=True, with_pip=False)
    (packages,) = home.glob("lib/python*/site-packages")
    own = Path(pytest.__file__).parents[1]
    for name in ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments"):
        shutil.copytree(own / name, packages / name)
    shutil.copy(own / "py.py", packages)
    for each in own.glob("pytest-*.dist-info"):
        shutil.copytree(each, packages / each.name)
    python = str(home / "bin" / "python")
    has = subprocess.run([python, "-c", "import harness"], capture_output=True, text=True, check=False)
    assert "No module named 'harness'" in has.stderr
    write(project, FORTY)
    assert_one_of_forty(serve(command=(python, "-m", "pytest", "-q", "-p", "no:cacheprovider")))


def test_a_suite_may_be_started_from_elsewhere(
    project: Path, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, FORTY)
    monkeypatch.chdir(tmp_path)
    command = f"cd {project} && {sys.executable} -m pytest -q -p no:cacheprovider"
    assert_one_of_forty(serve(command=("sh", "-c", command)))


EACH_WAY = """\
import asyncio, os, re, subprocess, sys, threading
import pytest
from agent import Client

def test_a_client_of_its_own():
    Client().answer("Hello?")

def test_an_environment_of_its_own(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", re.sub("/worker/[^/]+", "", os.environ["OPENAI_BASE_URL"]))
    Client().answer("Hello?")

def test_threads(client):
    threads = [threading.Thread(target=client.answer, args=(f"Thread {number}?",)) for number in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()

def test_tasks(client):
    async def both():
        await asyncio.gather(*(asyncio.to_thread(client.answer, f"Task {number}?") for number in range(2)))
    asyncio.run(both())

def test_a_program():
    subprocess.run([sys.executable, "-c", "import agent; agent.Client().answer('A program?')"], check=True)

def test_a_pytest_within(tmp_path):
    (tmp_path / "test_within.py").write_text("import agent\\ndef test_within(): agent.Client().answer('Within?')\\n")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    assert subprocess.run([*words, *os.environ.get("WITHIN", "").split()], env={**os.environ, "PYTHONPATH":
        os.pathsep.join([os.getcwd(), os.environ["PYTHONPATH"]])}).returncode == 0

def test_a_pytest_in_this_process(tmp_path):
    (tmp_path / "test_inner.py").write_text("import agent\\ndef test_inner(): agent.Client().answer('Within?')\\n")
    assert pytest.main(["-q", "-p", "no:cacheprovider", str(tmp_path)]) == 0
    Client().answer("Behind it?")

class TestClass:
    def test_method(self, client): client.answer("Hello?")

@pytest.fixture
def asked(client):
    client.answer("Before?")
    yield
    client.answer("Behind?")

def test_fixtures_of_its_own(asked, client): client.answer("Hello?")
"""


@pytest.mark.parametrize("more", [(), ("-n", "2")], ids=["plain", "xdist"])
def test_whoever_asks_within_a_test_asks_for_it(project: Path, serve: Serve, more: tuple[str, ...]) -> None:
    write(project, EACH_WAY)
    served = serve(*more)
    expected = {
        "test_a_client_of_its_own": 2,
        "test_threads": 8,
        "test_tasks": 4,
        "test_a_program": 2,
        "test_a_pytest_within": 2,
        "test_a_pytest_in_this_process": 4,
        "TestClass::test_method": 2,
        "test_fixtures_of_its_own": 6,
    }
    of_its_own = served.requests.keys() - {f"test_it.py::{name}" for name in expected}
    if more:  # nobody knows which of the two processes asked, while both ran a test
        assert of_its_own <= {"outside-tests.1", "test_it.py::test_an_environment_of_its_own"}
    else:
        assert of_its_own == {"test_it.py::test_an_environment_of_its_own"}
    expected_all = {f"test_it.py::{name}": count for name, count in expected.items()}
    assert served.requests == {**expected_all, **dict.fromkeys(of_its_own, 2)}
    assert served.code == 0


def test_what_fixtures_of_several_tests_ask_is_of_none_of_them(project: Path, serve: Serve) -> None:
    write(
        project,
        """\
import pytest
from agent import Client

Client().answer("While it is imported?")

@pytest.fixture(scope="session")
def session(client):
    client.answer("For the session?")
    yield
    client.answer("At its end?")

@pytest.fixture(scope="module", autouse=True)
def module(client, session):
    yield client.answer("For the module?")
    client.answer("At the end of the module?")

class TestIt:
    @classmethod
    def setup_class(cls): Client().answer("For the class?")
    def setup_method(self): Client().answer("For the test?")
    def test_one(self, client): client.answer("One?")
    def test_two(self, client): client.answer("Two?")
""",
    )
    served = serve()
    assert served.requests == {
        **{f"outside-tests.{number}": 2 for number in range(1, 7)},
        "test_it.py::TestIt::test_one": 4,
        "test_it.py::TestIt::test_two": 4,
    }
    assert "2 tests, 8 requests: 2 without findings" in served.out
    assert "outside of tests: 6 conversations, 12 requests: 6 without findings" in served.out
    assert served.code == 0


def test_the_end_of_a_fixture_of_several_tests_is_of_none_of_them(project: Path, serve: Serve) -> None:
    write(
        project,
        """\
import pytest

@pytest.fixture(scope="session")
def session(client):
    yield
    client.answer("At its end?")

def test_one(session, client): client.answer("One?")
""",
    )
    assert serve().requests == {"outside-tests.1": 2, "test_it.py::test_one": 2}


def test_a_history_of_several_tests_is_one_conversation_and_no_fault(project: Path, serve: Serve) -> None:
    write(
        project,
        """\
HISTORY = []

def test_first(client): HISTORY[:] = client.answer("Who are you?")
def test_second(client): HISTORY[:] = client.answer("And what can you do?", history=HISTORY)
def test_third(client): HISTORY[:] = client.answer("And now?", history=HISTORY)
def test_another(client): client.answer("Who are you?")
""",
    )
    served = serve()
    assert served.requests == {"test_it.py::test_first": 6, "test_it.py::test_another": 2}
    assert served.cases == {"test_it.py::test_first": [], "test_it.py::test_another": []}
    assert "note: from request 3 on the conversation was continued in test_it.py::test_second " in "\n".join(served.out)
    assert served.code == 0


OUTCOMES = """\
import pytest

def test_right(client): client.answer("Right?")
def test_demands_more(client): assert client.answer("Right?") == "the moon"
def test_asks_nothing(): assert 1 == 2
def test_broken(client): client.answer("Wrong?", forgets=True)
@pytest.fixture
def broken(): yield; raise ValueError
def test_whose_fixture_fails_behind_it(client, broken): client.answer("Right?")
def test_skipped(client): client.ask([{"role": "user", "content": "Right?"}]); pytest.skip()
@pytest.mark.xfail
def test_expected_to_fail(client): client.answer("Right?"); assert False
"""


def test_failing_tests_are_named_and_are_the_suites_own_matter(project: Path, serve: Serve) -> None:
    write(project, OUTCOMES.replace("forgets=True", "forgets=False"))
    served = serve()
    assert served.code == 1
    assert (
        "3 tests failed and broke no rule: test_it.py::test_demands_more, test_it.py::test_asks_nothing, "
        "test_it.py::test_whose_fixture_fails_behind_it" in served.out
    )
    assert "6 tests, 11 requests: 6 without findings; 1 other test asked nothing" in served.out
    assert served.notes == [], "a skipped test has not passed"
    assert set(map(tuple, served.cases.values())) == {()}
    assert [line for line in served.out if "finding" in line][-1] == "0 findings"
    assert "harness serve: the command ended with exit code 1" in served.err


def test_a_test_that_failed_with_a_finding_is_named_with_that(project: Path, serve: Serve) -> None:
    write(project, OUTCOMES)
    served = serve()
    assert "automatic.openai-chat.test_it.py::test_broken: 2 requests (200, 400); the test has failed" in served.out
    (failed,) = [line for line in served.out if "failed and broke no rule" in line]
    assert failed.startswith("3 tests")
    assert "test_broken" not in failed


def test_what_many_tests_leave_open_is_one_note(project: Path, serve: Serve) -> None:
    write(
        project,
        """\
import pytest

@pytest.mark.parametrize("number", range(12))
def test_the_call(client, number):
    assert client.ask([{"role": "user", "content": "Is it cold?"}])["tool_calls"]

def test_more(client): client.answer("Is it cold?")
""",
    )
    served = serve()
    assert (served.code, set(map(tuple, served.cases.values()))) == (0, {()})
    (note,) = served.notes
    assert note.startswith("note: a test has passed without a request with the results of get_weather, get_weather")
    assert note.count("test_the_call[") == 10
    assert note.endswith(" and 2 more)")


def test_a_suite_that_is_not_run_at_all_is_a_finding(project: Path, serve: Serve) -> None:
    write(project, "from agent import Client\nClient().answer('Hello?')\nimport nothing_of_that_name\n")
    served = serve()
    assert served.code == 1
    assert served.cases == {"1": ["target/exit"]}


def test_so_many_findings_are_shown_as_are_asked_for(project: Path, serve: Serve) -> None:
    write(project, FORTY.replace("number == 23", "number >= 5"))
    served = serve(options=("--max-findings", "2"))
    assert sum(line.startswith("automatic.") for line in served.out) == 2
    assert "... and 33 more with findings" in served.out
    assert "40 tests, 160 requests: 5 without findings" in served.out
    served = serve(options=("--max-findings", "0"))
    assert "... and 35 more with findings" in served.out
    assert not [line for line in served.out if line.startswith("   expected")]


def test_a_test_that_forbids_sockets_is_reported_all_the_same(project: Path, serve: Serve) -> None:
    (project / "conftest.py").write_text(
        CONFTEST
        + """
import http.client, socket
PATCH = pytest.MonkeyPatch()

def pytest_configure():
    def forbidden(*args, **keywords): raise AssertionError("no sockets")
    for name in ("socket", "create_connection"): PATCH.setattr(socket, name, forbidden)
    PATCH.setattr(http.client, "HTTPConnection", forbidden)

@pytest.fixture
def allowed():
    PATCH.undo()
""",
        encoding="utf-8",
    )
    write(project, "def test_forbidden(): pass\ndef test_asks(allowed, client): client.answer('Hello?')\n")
    served = serve()
    assert (served.code, served.requests) == (0, {"test_it.py::test_asks": 2})
    assert "1 test, 2 requests: 1 without findings; 1 other test asked nothing" in served.out


def test_official_clients_of_the_session_and_of_a_test(project: Path, serve: Serve) -> None:
    write(
        project,
        """\
import anthropic, openai, pytest

TOOL = {"name": "get_weather", "description": "The weather.", "parameters": {"type": "object", "properties": {}}}

@pytest.fixture(scope="session")
def asynchronous():
    return openai.AsyncOpenAI

@pytest.fixture(scope="session")
def official():
    with openai.OpenAI() as client: yield client

def responses(client, forgets):
    items = [{"role": "user", "content": "Is it cold?"}]
    tools = [{"type": "function", "strict": False, **TOOL}]
    while True:
        answer = client.responses.create(model="gpt-4.1", input=items, tools=tools)
        items += [each.model_dump(exclude_none=True) for each in answer.output]
        calls = [each for each in answer.output if each.type == "function_call"]
        if not calls: return
        kept = calls[forgets:]
        items += [{"type": "function_call_output", "call_id": each.call_id, "output": "sunny"} for each in kept]

@pytest.mark.parametrize("number", range(6))
def test_of_the_session(official, number):
    try: responses(official, number == 4)
    except openai.BadRequestError: assert number == 4

def test_of_its_own():
    with openai.OpenAI() as client: responses(client, False)

def test_of_another_provider():
    with anthropic.Anthropic() as client:
        client.messages.create(model="claude-sonnet-4-6", max_tokens=99, messages=[{"role": "user", "content": "Hi."}])
""",
    )
    served = serve()
    ids = [case["id"] for case in served.results["cases"]]
    assert ids == [
        *(f"automatic.openai-responses.test_it.py::test_of_the_session[{number}]" for number in range(6)),
        "automatic.openai-responses.test_it.py::test_of_its_own",
        "automatic.anthropic-messages.test_it.py::test_of_another_provider",
    ]
    assert [case["id"] for case in served.results["cases"] if case["findings"]] == [ids[4]]
    assert served.code == 1


def test_asynchronous_tests_and_fixtures(project: Path, serve: Serve) -> None:
    """A client on one event loop, which outlives the tests, and two conversations of a test at once."""
    write(
        project,
        """\
import anyio, pytest
from openai import AsyncOpenAI

@pytest.fixture(scope="module")
def anyio_backend(): return "asyncio"

@pytest.fixture(scope="module")
async def official(anyio_backend):
    async with AsyncOpenAI() as client:
        await ask(client, "For the module?")
        yield client
        await ask(client, "At its end?")

async def ask(client, prompt):
    async with client.chat.completions.stream(
        model="gpt-4.1", messages=[{"role": "user", "content": prompt}]
    ) as stream:
        async for _ in stream: pass

@pytest.mark.anyio
@pytest.mark.parametrize("number", range(3))
async def test_it(official, number):
    async with anyio.create_task_group() as tasks:
        for each in range(2): tasks.start_soon(ask, official, f"Number {each}?")
""",
    )
    served = serve()
    assert served.requests == {
        "outside-tests.1": 1,
        **{f"test_it.py::test_it[{number}]": 2 for number in range(3)},
        "outside-tests.2": 1,
    }
    assert served.code == 0


def test_each_test_plays_the_whole_script_of_a_scenario(project: Path, serve: Serve) -> None:
    write(
        project,
        """\
import pytest

@pytest.mark.parametrize("number", range(3))
def test_it(client, number):
    client.answer("Is it cold?")
    if number == 1: client.answer("Is it cold?")
""",
    )
    served = serve(options=(str(shipped() / "universal" / "tool-returns.yaml"),))
    assert [(case["id"], case["requests"], case["findings"]) for case in served.results["cases"]] == [
        (f"tool-returns.openai-chat.test_it.py::test_it[{number}]", 4 if number == 1 else 2, []) for number in range(3)
    ]


def test_a_suite_is_played_in_each_round(project: Path, serve: Serve) -> None:
    write(project, "def test_it(client): client.answer('Is it cold?')\ndef test_fails(): assert False\n")
    served = serve(options=("--rounds", "2"))
    assert len(served.results["cases"]) == 2
    assert {case["id"].rpartition(".openai-chat.")[2] for case in served.results["cases"]} == {"test_it.py::test_it"}
    assert len({case["id"] for case in served.results["cases"]}) == 2
    assert "1 test failed and broke no rule: test_it.py::test_fails" in served.out
    assert served.code == 1


# --- other runners ------------------------------------------------------------------------------------------------

DATA = Path(__file__).parent / "data"


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_the_tests_of_node_name_themselves(project: Path, serve: Serve) -> None:
    shutil.copy(DATA / "serve_suites_node.mjs", project / "weather.test.mjs")
    served = serve(command=("node", "--test", "weather.test.mjs"))
    assert served.requests == {**{f"weather {number}/of/8": 2 for number in range(8)}, "by header": 2}
    assert {id for id, found in served.cases.items() if found} == {"weather 5/of/8"}
    assert "9 tests, 18 requests: 8 without findings" in served.out


@pytest.mark.skipif(shutil.which("go") is None, reason="no go")
def test_the_tests_of_go_name_themselves(project: Path, serve: Serve) -> None:
    (project / "go.mod").write_text("module weather\n\ngo 1.18\n", encoding="utf-8")
    shutil.copy(DATA / "serve_suites_go.go", project / "weather_test.go")
    served = serve(command=("go", "test", "./..."))
    assert served.requests == {"TestOne": 1, "TestTwo/a_part": 1}
