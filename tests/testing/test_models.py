"""The fixture ``fake_model``, asked by the providers' own SDKs, in runs of pytest of their own."""

from __future__ import annotations

import pytest

from harness.trace.files import load as load_trace
from tests.case_tables import from_table
from tests.testing.running import PLUGIN, run

AGENT = '''
import json
import openai

TOOL = {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}},
        "required": ["city"]}}

def agent(model, answered=lambda calls: calls, **options):
    """Asks on Chat until there is no call; ``answered`` says which calls are."""
    messages = [{"role": "user", "content": "How is the weather?"}]
    with openai.OpenAI(base_url=model.base_url, api_key=model.api_key, max_retries=0) as client:
        while True:
            answer = client.chat.completions.create(
                model=model.model, messages=messages, tools=[{"type": "function", "function": TOOL}], **options)
            message = answer.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return message.content
            for call in answered(message.tool_calls):
                messages.append({"role": "tool", "tool_call_id": call.id, "content": "8"})
'''

OSLO = {"calls": [{"get_weather": {"city": "Oslo"}}]}
TWO = {"calls": [{"get_weather": {"city": "Oslo"}}, {"get_weather": {"city": "Rome"}}]}
COLD = {"text": "Cold."}


def asking(pytester: pytest.Pytester, *lines: str, top: str = "", asynchronous: bool = False) -> pytest.RunResult:
    """A run of a test of these lines, which has the fixture and the agent."""
    pytester.makepyfile(agent=AGENT)
    pytester.syspathinsert()
    head = "@pytest.mark.anyio\nasync def" if asynchronous else "def"
    body = "\n    ".join(lines)
    given = f"OSLO, TWO, COLD = {OSLO!r}, {TWO!r}, {COLD!r}"
    text = f"import pytest\nfrom agent import agent\n{given}\n{top}\n\n{head} test_one(fake_model):\n    {body}\n"
    (pytester.path / "test_agent.py").write_text(text)
    return run(pytester, "test_agent.py", plugins=("anyio",) if asynchronous else ())


def test_three_lines_are_enough(pytester: pytest.Pytester) -> None:
    result = asking(
        pytester,
        "model = fake_model('openai-chat', [OSLO, COLD])",
        "assert agent(model) == 'Cold.'",
        "assert [each['role'] for each in model.requests[1]['messages']] == ['user', 'assistant', 'tool']",
        "assert [each.response.status for each in model.trace.exchanges] == [200, 200]",
    )
    result.assert_outcomes(passed=1)


def test_an_agent_may_be_asked_twice_and_each_conversation_is_judged_by_itself(pytester: pytest.Pytester) -> None:
    result = asking(
        pytester,
        "model = fake_model('openai-chat', [OSLO, COLD, OSLO, COLD, {'text': 'A title'}])",
        "assert [agent(model), agent(model)] == ['Cold.', 'Cold.']",
        "with openai.OpenAI(base_url=model.base_url, api_key=model.api_key) as client:",
        "    said = [{'role': 'user', 'content': 'Write a title.'}]",
        "    client.chat.completions.create(model=model.model, messages=said)",
        "assert [each.request.conversation for each in model.trace.exchanges] == [0, 0, 1, 1, 2]",
        top="import openai",
    )
    result.assert_outcomes(passed=1)


# --- what fails the test ------------------------------------------------------------------------------------


def test_what_breaks_a_rule_fails_the_test_itself(pytester: pytest.Pytester) -> None:
    result = asking(
        pytester,
        "model = fake_model('openai-chat', [TWO, COLD])",
        "with pytest.raises(openai.BadRequestError, match='tool_call_id'):",
        "    agent(model, lambda calls: calls[:1])",
        top="import openai",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "continuation/openai-chat (OAC-03)  MUST, *",
            "  expected  a tool message for each call*",
            "  got       none for call_*",
        ]
    )
    assert "agent.py" not in result.stdout.str().split("FAILURES")[1].split("short test summary")[0].replace(
        "test_", ""
    )


def test_the_trace_is_where_it_says(pytester: pytest.Pytester) -> None:
    result = asking(
        pytester,
        "model = fake_model('openai-chat', [TWO, COLD])",
        "with pytest.raises(Exception):",
        "    agent(model, lambda calls: calls[:1])",
    )
    (told,) = [line for line in result.outlines if line.startswith("trace ")]
    trace = load_trace(pytester.path / told.split()[1])
    assert trace.case.id == "test_one.1"
    assert len(trace.exchanges) == 2


def test_beside_a_failure_of_the_test_it_is_told(pytester: pytest.Pytester) -> None:
    result = asking(pytester, "model = fake_model('openai-chat', [TWO, COLD])", "agent(model, lambda calls: calls[:1])")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*BadRequestError*", "*Captured fake_model call*", "continuation/*OAC-03*"])


@pytest.mark.parametrize(
    ("turns", "told"),
    [
        ("[OSLO, COLD, COLD]", ["  expected  3 requests, one for each turn of the script", "  got       2"]),
        ("[OSLO]", ["  expected  1 request, one for each turn of the script", "  got       2"]),
    ],
)
def test_too_few_and_too_many_requests(pytester: pytest.Pytester, turns: str, told: list[str]) -> None:
    result = asking(
        pytester,
        f"model = fake_model('openai-chat', {turns})",
        "try:",
        "    agent(model)",
        "except Exception:",
        "    assert len(model.requests) == 2",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["script/requests*", *told])


def test_turns_that_a_refusal_has_left_are_no_finding_of_their_own(pytester: pytest.Pytester) -> None:
    result = asking(
        pytester,
        "model = fake_model('openai-chat', [TWO, COLD])",
        "with pytest.raises(openai.BadRequestError):",
        "    agent(model, lambda calls: calls[:1])",
        "assert len(model.requests) == 2",
        top="import openai",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["continuation/*OAC-03*"])
    result.stdout.no_fnmatch_line("*script/requests*")


def test_too_many_requests_say_how_many_of_them_were_refused(pytester: pytest.Pytester) -> None:
    result = asking(
        pytester,
        "model = fake_model('openai-chat', [TWO])",
        "with pytest.raises(openai.BadRequestError):",
        "    agent(model, lambda calls: calls[:1])",
        "with pytest.raises(openai.NotFoundError):",
        "    agent(model)",
        top="import openai",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  expected  1 request, *", "  got       3, of which 1 was refused"])


def test_who_is_not_asked_at_all_says_so(pytester: pytest.Pytester) -> None:
    result = asking(pytester, "fake_model('openai-chat', [COLD])")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  expected  1 request, *", "  got       none"])


@pytest.mark.parametrize(
    ("call", "expected", "got"),
    [
        ({"get_wether": {}}, "a tool that the request offers: get_weather", "a call of get_wether"),
        ({"get_weather": {"town": "Oslo"}}, "arguments that the tool get_weather allows", "*'city' is a required*"),
        ({"get_weather": {"city": 5}}, "arguments that the tool get_weather allows", "city: 5 is no string"),
        ({"name": "get_weather", "arguments": "{"}, "arguments that the tool get_weather allows", "*no JSON*"),
    ],
)
def test_a_script_about_other_tools_fails_the_test(
    pytester: pytest.Pytester, call: object, expected: str, got: str
) -> None:
    turns = [{"calls": [call]}, COLD]
    result = asking(pytester, f"model = fake_model('openai-chat', {turns!r})", "agent(model)")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["script/call  MUST, unexpected *:2", f"  expected  {expected}", f"  got       {got}"])


def test_a_call_may_be_wrong_on_purpose(pytester: pytest.Pytester) -> None:
    calls = [{"name": "get_wether", "arguments": {}, "invalid": True}, {"get_weather": {"city": "Oslo"}}]
    parts = [{"text": "Well."}, {"call": {"name": "get_weather", "arguments": "{", "invalid": True}}]
    lines = f"model = fake_model('openai-chat', {[{'calls': calls}, {'parts': parts}, COLD]!r})", "agent(model)"
    asking(pytester, *lines).assert_outcomes(passed=1)


@from_table(__file__, "test_what_cannot_be_meant_is_told_at_the_line_of_the_test")
def test_what_cannot_be_meant_is_told_at_the_line_of_the_test(pytester: pytest.Pytester, asked: str, told: str) -> None:
    result = asking(pytester, f"fake_model({asked})")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f">   *fake_model({asked.replace('[', '[[]', 1)[:20]}*", f"E  *fake_model: {told}"])
    assert "During handling" not in result.stdout.str()


# --- what does not ------------------------------------------------------------------------------------------


def test_a_rule_may_be_left_out(pytester: pytest.Pytester) -> None:
    result = asking(
        pytester,
        "model = fake_model('openai-chat', [TWO, COLD], skip=['OAC-03', 'history/results'])",
        "assert agent(model, lambda calls: calls[:1]) == 'Cold.'",
    )
    result.assert_outcomes(passed=1)


def test_http_errors_are_turns(pytester: pytest.Pytester) -> None:
    result = asking(
        pytester,
        "model = fake_model('openai-chat', [{'http': {'status': 429, 'retry_after': 0}}, COLD])",
        "with openai.OpenAI(base_url=model.base_url, api_key='key', max_retries=1) as client:",
        "    answer = client.chat.completions.create(model=model.model, messages=[{'role': 'user', 'content': '?'}])",
        "assert answer.choices[0].message.content == 'Cold.'",
        top="import openai",
    )
    result.assert_outcomes(passed=1)


# --- who asks, and how --------------------------------------------------------------------------------------

PROVIDERS = {
    "openai-responses": (
        "import openai",
        "openai.OpenAI().responses.create(model=model.model, input='?').output_text",
    ),
    "openai-chat": (
        "import openai",
        "openai.OpenAI().chat.completions.create(model=model.model, messages=ASK).choices[0].message.content",
    ),
    "anthropic-messages": (
        "import anthropic",
        "anthropic.Anthropic().messages.create(model=model.model, messages=ASK, max_tokens=99).content[0].text",
    ),
    "gemini-generate": (
        "from google import genai",
        "genai.Client().models.generate_content(model=model.model, contents='?').text",
    ),
}


@pytest.mark.parametrize("wire", PROVIDERS)
def test_the_sdk_of_each_provider_finds_it_by_its_environment(
    pytester: pytest.Pytester, wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    top, expression = PROVIDERS[wire]
    pytester.makepyfile(
        f"""
        import gc
        {top}
        ASK = [{{"role": "user", "content": "?"}}]

        def test_one(fake_model, monkeypatch):
            model = fake_model("{wire}", [{{"text": "Cold."}}])
            for name, value in model.environment.items():
                monkeypatch.setenv(name, value)
            assert {expression} == "Cold."
        """
    )
    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=1)


def test_asynchronous_code_and_streams(pytester: pytest.Pytester) -> None:
    result = asking(
        pytester,
        "model = fake_model('anthropic-messages', [{'thinking': 'Hm.', 'text': 'Cold, très.'}], chunking='byte')",
        "async with anthropic.AsyncAnthropic(base_url=model.base_url, api_key=model.api_key) as client:",
        "    async with client.messages.stream(model=model.model, max_tokens=9999, messages=ASK, "
        "thinking={'type': 'enabled', 'budget_tokens': 2000}) as stream:",
        "        assert ''.join([text async for text in stream.text_stream]) == 'Cold, très.'",
        "(exchange,) = model.trace.exchanges",
        "assert len(exchange.response.chunks) == len(exchange.response.body)",
        top="import anthropic\nASK = [{'role': 'user', 'content': '?'}]\n"
        "@pytest.fixture\ndef anyio_backend(): return 'asyncio'",
        asynchronous=True,
    )
    result.assert_outcomes(passed=1)


def test_several_in_one_test_are_told_apart(pytester: pytest.Pytester) -> None:
    result = asking(
        pytester,
        "with fake_model('openai-chat', [OSLO, COLD]) as first:",
        "    agent(first)",
        "second = fake_model('openai-chat', [OSLO, {'text': 'Warm.'}])",
        "third = fake_model('openai-chat', [COLD])",
        "assert (agent(third), agent(second)) == ('Cold.', 'Warm.')",
        "assert [len(each.requests) for each in (first, second, third)] == [2, 2, 1]",
        "with pytest.raises(openai.NotFoundError):",
        "    agent(first)",
        top="import openai",
    )
    result.assert_outcomes(passed=1)


def test_in_a_block_it_is_judged_where_the_block_ends(pytester: pytest.Pytester) -> None:
    result = asking(
        pytester,
        "with pytest.raises(pytest.fail.Exception, match='script/requests'):",
        "    with fake_model('openai-chat', [COLD, COLD]) as model:",
        "        agent(model)",
        "model = fake_model('openai-chat', [COLD])",
        "agent(model)",
        "model.check()",
        "raise KeyError('to be seen alone')",
    )
    result.assert_outcomes(failed=1)
    assert "Captured fake_model" not in result.stdout.str()


def test_the_summary_names_the_rule_before_what_the_client_has_raised(pytester: pytest.Pytester) -> None:
    result = asking(pytester, "model = fake_model('openai-chat', [TWO, COLD])", "agent(model, lambda calls: calls[:1])")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["FAILED * - OAC-03: got none for call_*"])
    result.stdout.no_fnmatch_line("*script/requests*")


def test_a_failure_in_a_block_is_not_covered(pytester: pytest.Pytester) -> None:
    result = asking(
        pytester, "with fake_model('openai-chat', [COLD, COLD]) as model:", "    assert agent(model) == 'Warm.'"
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E  *Warm.*", "*Captured fake_model call*", "script/requests: *"])


def test_with_a_cassette_both_are_held(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agent=AGENT)
    pytester.syspathinsert()
    pytester.makepyfile(
        """
        def test_one(fake_model, harness_cassette):
            fake_model("openai-chat", [{"text": "Never asked."}])
        """
    )
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["script/requests*"])


# --- dialects -----------------------------------------------------------------------------------------------

STREAMING = """
def names_of(model):
    \"\"\"The names of the calls of the first turn, by the index at which a fragment of each came.\"\"\"
    tools = [{"type": "function", "function": TOOL}]
    with openai.OpenAI(base_url=model.base_url, api_key=model.api_key, max_retries=0) as client:
        stream = client.chat.completions.create(model=model.model, stream=True, tools=tools,
            messages=[{"role": "user", "content": "How is the weather?"}])
        fragments = [each for chunk in stream for choice in chunk.choices for each in choice.delta.tool_calls or ()]
    return sorted({each.index for each in fragments}), len({each.id for each in fragments if each.id})
"""


def test_a_model_may_stream_in_a_dialect(pytester: pytest.Pytester) -> None:
    result = asking(
        pytester,
        "assert names_of(fake_model('openai-chat', [TWO])) == ([0, 1], 2)",
        "assert names_of(fake_model('openai-chat', [TWO], dialect='index-zero')) == ([0], 2)",
        top=f"import openai\nfrom agent import TOOL\n{STREAMING}",
    )
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("wire", "dialect", "said"),
    [
        ("openai-chat", "index-zer", "openai-chat has no dialect 'index-zer'; expected one of: index-zero, "),
        ("anthropic-messages", "index-zero", "anthropic-messages has no dialect 'index-zero'; expected one of: two-"),
    ],
)
def test_a_dialect_that_the_wire_has_not_fails_the_test(
    wire: str, dialect: str, said: str, pytester: pytest.Pytester
) -> None:
    result = asking(pytester, f"fake_model({wire!r}, [COLD], dialect={dialect!r})")
    result.assert_outcomes(failed=1)
    assert f"fake_model: {said}" in result.stdout.str()


def test_harness_model_is_the_same_fixture(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_one(fake_model, harness_model):\n    assert harness_model is fake_model\n")
    run(pytester).assert_outcomes(passed=1)
