"""The page of the dialects, ``docs/dialects.md``: how servers stream otherwise than the provider, and which do."""

from __future__ import annotations

from collections.abc import Iterator

from harness.wire import wire, wire_names

__all__ = ["markdown"]

_HEAD = """\
# Dialects

Servers that speak a provider's format stream it otherwise than the provider: all calls of a turn have index 0, an id is
repeated, arguments are an object. A loop that was tested with the provider alone then merges two calls, loses one, or
runs one on wrong arguments. A dialect is one such difference. This page is generated from `harness/wire/`;
`scripts/regenerate docs` writes it.

```sh
harness run --target my_agent:run --dialect index-zero
harness run --target my_agent:run --suite core --dialect all
```

Each selected case is run once in each of these dialects that its wire has, if it asks for a stream. The case
`two-calls-at-once.openai-chat.event` is `two-calls-at-once.openai-chat.event+index-zero` then. Cases without a dialect
are not run beside them.

A dialect changes how a turn is streamed and not what it says. So a run is judged by all rules, and by the expectations
of the scenario. But a loop may refuse such a stream: if its run ends with an error, only what it has done before is
judged.

Seen with the shipped drivers, on Chat Completions, and read in their sources: pydantic-ai 2.66.0 keeps the parts of a
response by the index of the call, and openai-agents 0.24.0 its buffered calls. So both make one call of two with
`index-zero`, pydantic-ai also with `index-changes`, openai-agents with `index-missing`. In the other dialects they do
no harm, and the Vercel AI SDK (ai 7) does none in any: it ends a run with an error where a chunk has no choices. The
numbers are in [targets.md](targets.md#dialects).
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
