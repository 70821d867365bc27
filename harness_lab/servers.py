"""The page of the servers, ``docs/servers.md``: what is known of each, with those who have seen it."""

from __future__ import annotations

from collections.abc import Iterator

from harness.wire import wire_of_rule
from harness.wire.servers import REASONS, SERVERS, Practice, RefusalReason, Server, refusal_reasons

_HEAD = """\
# Servers

The rules of a wire are those of the provider that has made it. Others serve it, too, and check less, more or otherwise.
This page is generated from `harness/wire/servers/`; `scripts/regenerate docs` writes it. Each line names who has seen
it: a recording of the shared sets of traffic (the tests look it up there), or a public report.

`harness lint-request` and `harness lint-cassette` take the server's name: `--server NAME`. Without it they go by the
host of the request, then by the response (headers and marks that only one server sends), then by the model. With
`--as-server NAME` the endpoint of `harness run` and `harness serve` plays one: it refuses what is certain there.

| on a server that | a finding of the rule |
|---|---|
| is the provider, or serves the provider's models behind its own door (*as*) | is as certain as the rule |
| refuses it, as somebody has seen | is as certain as the rule |
| accepts it, as somebody has seen | is information |
| is another, and nothing is known | is one level lower: MUST becomes SHOULD, SHOULD information |
| is known by the model's name only | is as certain as the rule, but for what the server is known to accept |

A recorded answer counts more than all of this: a request that a server has answered breaks no rule of it.

"""


def markdown() -> str:
    """The page."""
    return "".join([_HEAD, *_servers(), *_practices(), *_abilities(), *_others()])


def _servers() -> Iterator[str]:
    yield "## How each is recognised\n\n| name | server | as | hosts | response | models | seen in |\n"
    yield "|---|---|---|---|---|---|---|\n"
    for server in SERVERS.values():
        marks = [*map(_code, server.headers), *([_code(server.answers)] if server.answers else [])]
        yield _row(
            _code(server.name),
            server.title,
            ", ".join(server.like),
            _code(server.hosts),
            ", ".join(marks),
            _code(server.models),
            _evidence(server.evidence),
        )


def _practices() -> Iterator[str]:
    yield "\n## What each does with requests that break a rule\n\n| server | format | rule | does | what | seen in |\n"
    yield "|---|---|---|---|---|---|\n"
    for server in SERVERS.values():
        for practice in sorted(server.practices, key=lambda each: (each.does, each.rule)):
            yield _practice(server, practice)


def _practice(server: Server, practice: Practice) -> str:
    wire = wire_of_rule(practice.rule) or ""
    rule = f"[{practice.rule}](rules/{wire}.md)"
    return _row(server.title, wire, rule, practice.does, practice.about, _evidence(practice.evidence))


def _abilities() -> Iterator[str]:
    yield "\n## What models and servers cannot do\n\n"
    yield "Known by the words of a refusal, which `harness explain` recognises.\n\n"
    yield "| cannot | server | models | words | seen in |\n|---|---|---|---|---|\n"
    abilities = [each for each in refusal_reasons() if each.ability]
    for reason in sorted(abilities, key=lambda each: (each.ability, _title(each))):
        yield _row(reason.ability, _title(reason), reason.models, _code(reason.text), _evidence((reason.evidence,)))


def _others() -> Iterator[str]:
    yield "\n## Other refusals that are no fault of a history\n\n| reason | means |\n|---|---|\n"
    yield from (_row(kind, means) for kind, means in REASONS.items())
    yield "\n| reason | server | words | seen in |\n|---|---|---|---|\n"
    for reason in refusal_reasons():
        if not reason.ability:
            yield _row(reason.kind, _title(reason), _code(reason.text), _evidence((reason.evidence,)))


def _title(reason: RefusalReason) -> str:
    return SERVERS[reason.server].title if reason.server else "several"


def _evidence(evidence: tuple[str, ...]) -> str:
    return ", ".join(_code(each) if each.startswith("recording ") else each for each in evidence)


def _code(text: str) -> str:
    escaped = text.replace("|", "&#124;")
    return f"`` {escaped} ``" if text else ""


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"
