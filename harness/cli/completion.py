"""``harness completion``: a script for a shell, which completes commands, options and the names that are known.

shtab writes it from the parser. The script is static: it starts no Python, and makes no command start later.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from harness.cli.command import FURTHER, Command
from harness.cli.parser import Parser
from harness.errors import BadInput


def options(command: Parser) -> None:
    """Which shell."""
    command.set_defaults(work=work)
    command.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish")


COMMAND: Final = Command(
    FURTHER,
    "print a script that completes commands, options and names in a shell",
    options,
    "harness completion bash > ~/.local/share/bash-completion/completions/harness",
    "harness completion zsh > ~/.zfunc/_harness",
    "harness completion fish > ~/.config/fish/completions/harness.fish",
)

_FILES: Final = ("FILE", "PATH", "TRACE", "SCENARIO", "FILE|none")
_FOLDERS: Final = ("DIR", "RUN", "BASE", "NEW")


def work(options: argparse.Namespace) -> int:
    """Print the script. Raises ``BadInput`` where shtab is not installed."""
    from harness.cli.command_line import parser

    try:
        import shtab
    except ModuleNotFoundError:
        raise BadInput(
            "harness completion: expected the package shtab, got none; pip install 'agent-loop-harness[completion]'"
        ) from None
    made = parser()
    known = _known()
    for action in _actions(made):
        _describe(action, known, shtab.FILE, shtab.DIRECTORY)
    print(shtab.complete(made, shell=options.shell))
    return 0


def _actions(made: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The actions of the parser, and of all its commands."""
    for action in made._actions:
        if isinstance(action, argparse._SubParsersAction):
            action.help = "command"  # the overview of --help hides them, and shtab would, too
            for command in action.choices.values():
                yield from _actions(command)
        else:
            yield action


def _known() -> Mapping[str, Sequence[str]]:
    """The words that can follow an option or be an argument, by the name of its destination."""
    from harness.loop.policy import POLICIES
    from harness.rules import RULES, families
    from harness.runner.suites import NAMES
    from harness.scenario import outline, shipped
    from harness.targets.shipped import SHIPPED
    from harness.wire import wire_rules

    scenarios = [scenario.name for scenario in outline([shipped()])]
    rules = [*families(), *RULES, *wire_rules()]
    targets = ["reference", *(f"reference:{preset}" for preset in POLICIES), "wire-only", *SHIPPED]
    return {
        "target": targets,
        "suites": ["all", *NAMES],
        "rules": rules,
        "without": rules,
        "subject": [*rules, *scenarios],
        "scenario": scenarios,
    }


def _describe(action: argparse.Action, known: Mapping[str, Sequence[str]], files: Any, folders: Any) -> None:
    """Add the completion of an action to it. This parser reads no arguments."""
    if action.choices is None and action.dest in known:
        action.choices = list(known[action.dest])
    elif action.choices is None and action.metavar in (*_FILES, *_FOLDERS):
        action.complete = folders if action.metavar in _FOLDERS else files  # type: ignore[attr-defined]  # shtab reads it from the action
