"""The page of the rules about servers, ``docs/server-rules.md``: the rules, what breaks them, and what must be lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from harness.servers.rules import ResponseRule, every_rule, inevitable, rules_of
from harness.servers.rules.table import TRANSFER_RULES
from harness.wire import OWN_NATIVE_WIRES, wire
from harness.wire.response_rule import CONTENTS
from harness_lab.mutants.probed import SERVER_MUTANTS
from harness_lab.mutants.responses import TRANSFERS, response_mutants

_HEAD = """\
# Rules about servers and gateways

What a server must send so that an official SDK or a loop can go on with it, and what a gateway must not lose. The
[other rules](rules.md) are about loops. This page is generated from `harness/wire/` and `harness/servers/rules/`;
`scripts/regenerate docs` writes it.

- **MUST**: an official SDK or a client breaks, or something is lost. **SHOULD**: clients must work around it. **INFO**:
  for information.
- *By an answer*: the strict reader of the wire sees it in one answer. *Through a gateway*: what the upstream has sent
  is compared with what has arrived. *By a request*: a server shows it when it is asked something.
- Recordings of providers decide the levels: none of them breaks a MUST. Where one contradicts a rule, the last column
  says what it has changed. `harness lab corpus DIR` judges the recordings of a folder and counts the providers' own
  answers that break a MUST.
- Each rule is proven by answers, gateways and servers that are broken on purpose, and by sound ones in which no rule
  finds anything: `harness lab selftest --servers`.
"""

_SHOWN: Final = {
    "answer": "by an answer",
    "transfer": "through a gateway",
    "request": "by a request",
    "nothing": "not judged",
}

_TRANSFERS = """
## Through a gateway

Asked of every gateway, whichever two wires it is between. What the client's wire cannot say is no finding.
"""

_LOSSES = """
## What must be lost

What no answer of a wire can say, so that a gateway to it loses it whatever it does. What is missing in a row is lost
from every other wire that can say it.
"""

_REQUESTS = """
## Asked of any server

For wires that have no rule of their own about it.
"""


def markdown() -> str:
    """The page."""
    return "".join([_HEAD, *_wires(), *_gateways(), *_losses()])


def _wires() -> Iterator[str]:
    through = _kills_through_gateways()
    also = {each: through.get(rule.id, []) for rule in TRANSFER_RULES for each in rule.also}
    for name in OWN_NATIVE_WIRES:
        if rules := rules_of(name):
            kills: dict[str, list[str]] = dict(also)
            for mutant in response_mutants(name):
                for rule in mutant.rules:
                    kills.setdefault(rule, []).append(mutant.name)
            for broken in SERVER_MUTANTS if wire(name).probe is not None else ():
                kills.setdefault(broken.named(name), []).append(broken.name)
            yield f"\n## `{name}`\n\n"
            yield from _table(rules, kills)


def _gateways() -> Iterator[str]:
    yield f"{_TRANSFERS}\n"
    yield from _table(TRANSFER_RULES, _kills_through_gateways())
    yield f"{_REQUESTS}\n"
    of_wires = {rule.id for name in OWN_NATIVE_WIRES for rule in rules_of(name)}
    shared = [rule for rule in every_rule().values() if rule.id not in of_wires and rule not in TRANSFER_RULES]
    killed: dict[str, list[str]] = {}
    for name in (name for name in OWN_NATIVE_WIRES if wire(name).probe is not None):
        for broken in SERVER_MUTANTS:
            if broken.name not in killed.setdefault(broken.named(name), []):
                killed[broken.named(name)].append(broken.name)
    yield from _table(shared, killed)


def _kills_through_gateways() -> dict[str, list[str]]:
    """The mutants that rules about gateways find, by rule."""
    kills: dict[str, list[str]] = {}
    for transfer in TRANSFERS:
        kills.setdefault(transfer.rule, []).append(transfer.name)
    for name in OWN_NATIVE_WIRES:
        for mutant in response_mutants(name):
            for rule in mutant.rules:
                kills.setdefault(rule, []).append(f"{wire(name).label}: {mutant.name}")
    kills.setdefault("SX-SAME", []).append("less-in-streams")
    kills.setdefault("SX-HISTORY", []).append("calls-as-text")
    return kills


def _table(rules: Sequence[ResponseRule], kills: dict[str, list[str]]) -> Iterator[str]:
    yield "| rule | statement | level | shown | broken by | known from | recordings |\n|---|---|---|---|---|---|---|\n"
    for rule in rules:
        statement = rule.statement + (f" ({', '.join(rule.also)})" if rule.also else "")
        level = "permitted" if rule.permits else rule.level
        broken = ", ".join(f"`{each}`" for each in kills.get(rule.id, ()))
        cells = (rule.id, statement, level, _SHOWN[rule.shown_by], broken, "; ".join(rule.evidence), rule.recordings)
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |\n"


def _losses() -> Iterator[str]:
    yield f"{_LOSSES}\n| client's wire | cannot say | known from |\n|---|---|---|\n"
    for name in OWN_NATIVE_WIRES:
        for content, source in wire(name).lacks.items():
            yield f"| `{name}` | {CONTENTS[content]} | {source} |\n"
    yield "\n| upstream to client | lost |\n|---|---|\n"
    for upstream, client in product(OWN_NATIVE_WIRES, OWN_NATIVE_WIRES):
        if lost := inevitable(upstream, client):
            yield f"| `{upstream}` to `{client}` | {', '.join(each.content for each in lost)} |\n"
