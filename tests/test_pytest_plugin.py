"""The fixture ``harness_cassette``, in runs of pytest of its own."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from harness.cassette import read_cassette
from tests.cassette.upstream import Upstream, upstream

pytest_plugins = ["pytester"]

PRELOADED = (
    "httpcore2",
    "vcr.patch",
    "harness.secrets.redactor",
    "harness.secrets.scan",
    *(f"harness.cassette.{each}" for each in ("intercept", "matching", "cassette_writer")),
)
"""pytester forgets what a run of its own was the first to import; these would be imported in each run again.

A second ``httpcore2`` has other exceptions than those that ``httpx2`` knows, in each test that follows.
"""

PLUGIN = ("-p", "harness.pytest_plugin", "-p", "no:cacheprovider")


@pytest.fixture(scope="session", autouse=True)
def preloaded() -> None:
    for module in PRELOADED:
        import_module(module)


@pytest.fixture(autouse=True)
def nothing_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither CI nor other plugins, nor this one, which pytest may have found by itself in the run around."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delitem(sys.modules, PLUGIN[1], raising=False)


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-W", "error", *PLUGIN, *options)


def asking(pytester: pytest.Pytester, url: str, *, body: str = "1", **more: str) -> None:
    """A module with a test that asks once; ``more`` are lines at the top, after the request, and other tests."""
    pytester.makepyfile(
        test_asks=f"""
        import httpx2, pytest
        {more.get("top", "")}

        def ask(body=1):
            return httpx2.post("{url}/json", json=body).json()["text"]

        def test_one(harness_cassette):
            assert ask({body}) == "héllo ✓"
            {more.get("after", "")}
        """
    )


def cassettes(pytester: pytest.Pytester) -> list[str]:
    return sorted(str(path.relative_to(pytester.path)) for path in pytester.path.rglob("*.yaml"))


def recorded(pytester: pytest.Pytester, *options: str, **lines: str) -> Upstream:
    """The module with one test, recorded; the server is down by then."""
    with upstream() as server:
        asking(pytester, server.url, **lines)
        run(pytester, *options).assert_outcomes(passed=1)
    return server


# --- where and when -----------------------------------------------------------------------------------------


def test_a_test_is_recorded_once_and_then_replayed(pytester: pytest.Pytester) -> None:
    server = recorded(pytester)
    assert cassettes(pytester) == ["cassettes/test_asks/test_one.yaml"]
    for options in ([], ["--harness-record=none"], ["--harness-record=new_episodes"]):
        run(pytester, *options).assert_outcomes(passed=1)
    assert server.got == [b"1"]


def test_all_records_again(pytester: pytest.Pytester) -> None:
    recorded(pytester)
    assert recorded(pytester, "--harness-record=all", body="2").got == [b"2"]
    (interaction,) = read_cassette(pytester.path / "cassettes/test_asks/test_one.yaml").interactions
    assert interaction.request == b"2"


def test_in_ci_nothing_is_recorded(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with upstream() as server:
        asking(pytester, server.url)
        result = run(pytester)
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["*test_one.yaml: there is no such cassette*"])
        assert server.got == []
        run(pytester, "--harness-record=once").assert_outcomes(passed=1)
    run(pytester).assert_outcomes(passed=1)


def test_every_test_has_a_file_of_its_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_names="""
        import httpx2, os, pytest

        def ask():
            httpx2.post(os.environ["URL"] + "/json", json=1)

        class TestClass:
            def test_one(self, harness_cassette):
                ask()

        @pytest.mark.parametrize("what", ["a/b", "a:b", "é", "x" * 300, "../../up"])
        def test_two(harness_cassette, what):
            ask()
        """
    )
    with upstream() as server, pytest.MonkeyPatch.context() as environment:
        environment.setenv("URL", server.url)
        run(pytester).assert_outcomes(passed=6)
    found = cassettes(pytester)
    assert len(found) == 6
    assert "cassettes/test_names/TestClass.test_one.yaml" in found
    assert {str(Path(each).parent) for each in found} == {"cassettes/test_names"}
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("URL", server.url)
        run(pytester, "--harness-record=none").assert_outcomes(passed=6)


def test_other_secrets_are_named_in_a_conftest(pytester: pytest.Pytester) -> None:
    secret = "-".join(["of", "this", "house"])
    pytester.makeconftest(
        f"""
        import pytest

        @pytest.fixture(scope="session")
        def harness_secrets():
            return {{"house": {secret!r}}}
        """
    )
    recorded(pytester, body=repr({"say": secret}))
    assert secret not in (pytester.path / "cassettes/test_asks/test_one.yaml").read_text()
    run(pytester).assert_outcomes(passed=1)


def test_it_says_whether_a_key_is_needed(pytester: pytest.Pytester) -> None:
    recorded(pytester, after="assert harness_cassette.records")
    asking(pytester, "http://nowhere.example", after="assert not harness_cassette.records")
    run(pytester).assert_outcomes(passed=1)


# --- what fails ---------------------------------------------------------------------------------------------


def test_a_miss_fails_the_test_itself(pytester: pytest.Pytester) -> None:
    server = recorded(pytester)
    asking(pytester, server.url, body="2")
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E*Missed*"])


def test_a_miss_that_is_swallowed_fails_the_test_itself(pytester: pytest.Pytester) -> None:
    server = recorded(pytester)
    asking(pytester, server.url, after="with pytest.raises(Exception): ask(2)")
    run(pytester).assert_outcomes(failed=1)


def test_what_was_not_asked_for_fails_the_test_itself(pytester: pytest.Pytester) -> None:
    server = recorded(pytester, after="ask(2)")
    asking(pytester, server.url)
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E*test_one.yaml:*POST http://127.0.0.1:*/json was not asked for"])


@pytest.mark.parametrize(("end", "told"), [("assert False", "failed"), ("pytest.skip('no')", "skipped")])
def test_a_test_that_does_not_pass_records_nothing(pytester: pytest.Pytester, end: str, told: str) -> None:
    with upstream() as server:
        asking(pytester, server.url, after=end)
        run(pytester).assert_outcomes(**{told: 1})
    assert cassettes(pytester) == ["cassettes/test_asks/test_one.interrupted-1.yaml"]


def test_a_fixture_that_fails_after_it_has_recorded_keeps_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_fixture="""
        import httpx2, os, pytest

        @pytest.fixture
        def prepared(harness_cassette):
            httpx2.post(os.environ["URL"] + "/json", json=1)
            raise RuntimeError("not prepared")

        def test_one(prepared):
            pass

        def test_two(harness_cassette):
            httpx2.post(os.environ["URL"] + "/json", json=1)
        """
    )
    with upstream() as server, pytest.MonkeyPatch.context() as environment:
        environment.setenv("URL", server.url)
        run(pytester).assert_outcomes(errors=1, passed=1)
    assert cassettes(pytester) == [
        "cassettes/test_fixture/test_one.interrupted-1.yaml",
        "cassettes/test_fixture/test_two.yaml",
    ]


# --- beside other plugins -----------------------------------------------------------------------------------

ASYNC = """
    import httpx2, os, pytest

    @pytest.fixture
    def anyio_backend():
        return "asyncio"

    @pytest.fixture
    async def client():
        async with httpx2.AsyncClient() as client:
            yield client

    @pytest.mark.anyio
    @pytest.mark.parametrize("number", range(4))
    async def test_awaits(harness_cassette, client, number):
        response = await client.post(os.environ["URL"] + "/json", json=number)
        assert response.json() == {"text": "héllo ✓"}
"""


def test_tests_that_await(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makepyfile(test_async=ASYNC)
    with upstream() as server:
        monkeypatch.setenv("URL", server.url)
        run(pytester, "-p", "anyio").assert_outcomes(passed=4)
    run(pytester, "-p", "anyio").assert_outcomes(passed=4)
    assert len(server.got) == 4


def test_who_does_not_use_it_imports_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_nothing_more():
            assert {name for name in sys.modules if name.startswith("harness.")} == {"harness.pytest_plugin"}
            assert not {"vcr", "yaml", "filelock"} & set(sys.modules)
        """
    )
    pytester.runpytest_subprocess(*PLUGIN).assert_outcomes(passed=1)
