"""The page of the dialects, ``docs/dialects.md``: how servers stream otherwise than the provider, and which do."""

from __future__ import annotations

from collections.abc import Iterator

from harness.wire import wire, wire_names

_HEAD = """\
# Dialects

Servers that speak a provider's format stream it otherwise than the provider: all calls of a turn have index 0, an id is
repeated, arguments are an object. A loop that was tested with the provider alone then merges two calls, loses one, or
runs one on wrong arguments. A dialect is one such difference. This page is generated from `harness/wire/`;
`scripts/regenerate docs` writes it.

```sh
harness run --target my_agent:run --dialect index-zero
harness run --target my_agent:run --suite core --dialect all
harness serve --wire openai-chat --dialect index-zero -- python my_agent.py
```

Each selected case is run once in each of these dialects that its wire has, if it asks for a stream. The case
`two-calls-at-once.openai-chat.event` is `two-calls-at-once.openai-chat.event+index-zero` then. Cases without a dialect
are not run beside them.

Scenarios may name dialects themselves, [`vary: {dialect: ...}`](scenarios.md#what-is-varied): their cases in these
dialects run without the option, beside those without a dialect. The scenarios in `scenarios/universal/dialects` have
each dialect at least once, on each wire that has it; `--suite dialects` runs them.

`harness serve` and `harness watch` take one dialect, and [pytest](pytest.md) some for the cases of scenarios or one for
a `fake_model`. What is not asked for as a stream is answered as the provider does.

A dialect changes how a turn is streamed and not what it says. So a run is judged by all rules, and by the expectations
of the scenario. But a loop may refuse such a stream: if its run ends with an error, only what it has done before is
judged. It may leave out thinking, and where ids come late or twice it may know a call under an id of its own.

Seen with the shipped drivers, and read in their sources. On Chat Completions pydantic-ai 2.66.0 keeps the parts of a
response by the index of the call, and openai-agents 0.24.0 its buffered calls. So both make one call of two with
`index-zero`, pydantic-ai also with `index-changes`, openai-agents with `index-missing`. The runner of the Anthropic SDK
for Python runs no call of a turn that stops with `end_turn` (`end-turn-with-calls`), and google-genai sends a content
without parts back, which the API refuses (`finish-without-parts`). In the other dialects they do no harm. The numbers
are in [targets.md](targets.md#dialects).
"""


def markdown() -> str:
    """The page."""
    return "".join([_HEAD, *_tables()])


def _tables() -> Iterator[str]:
    for name in wire_names():
        if dialects := wire(name).dialects:
            yield f"\n## `{name}`\n\n| dialect | what is otherwise | seen in |\n|---|---|---|\n"
            for each in dialects.values():
                yield f"| `{each.name}` | {each.summary} | {'; '.join(each.evidence)} |\n"
