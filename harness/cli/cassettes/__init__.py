"""``harness cassettes``: commands that show, check and change the cassettes in a folder.

No command's work is imported before that command runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from harness.cli.added import added_commands
from harness.cli.command import Command, add_command
from harness.cli.common_options import pattern, selection_of
from harness.cli.parser import Parser

_FOLDER = Path("cassettes")

_Add = Callable[[str, Callable[[argparse.Namespace], int], str, str], argparse.ArgumentParser]
"""Adds a command. The arguments are its name, its work, a summary, and the rest of an example."""


def options(command: Parser) -> None:
    """Add the commands to a parser, each with its ``work``, which is called with the options."""
    commands = command.add_subparsers(title="commands", metavar="COMMAND", required=True, help="one of:")

    def add(name: str, work: Callable[[argparse.Namespace], int], summary: str, more: str) -> argparse.ArgumentParser:
        each = Command(
            "", summary, lambda added: added.set_defaults(work=work), f"harness cassettes {name} {more}".strip()
        )
        return add_command(commands, name, each)

    _looks(add)
    _checks(add)
    _changes(add)
    for name, each in added_commands("cassettes").items():
        add_command(commands, name, each)


def _looks(add: _Add) -> None:
    """The commands that show cassettes."""
    _places(add("list", _do_list, "list cassettes: API format (wire), source, model, day, requests", ""))
    show = add("show", _do_show, "show a cassette as a conversation", "cassettes/openai-chat/weather.yaml")
    show.add_argument("files", nargs="+", type=Path, metavar="FILE", help="cassette")
    show.add_argument("--full", action="store_true", help="do not shorten texts")
    _places(add("stats", _do_stats, "count interactions, turns, calls and errors, per API format (wire)", ""))


def _checks(add: _Add) -> None:
    """The commands that find something wrong."""
    stale = add(
        "stale", _do_stale, "list cassettes that are older than DAYS; exit code 1 if there are any", "--max-age 90"
    )
    _places(stale)
    stale.add_argument("--max-age", type=_days, required=True, metavar="DAYS", help="maximal age in days")
    orphans = add(
        "orphans",
        _do_orphans,
        "list cassettes whose scenario no longer exists; exit code 1 if there are any",
        "--scenarios scenarios",
    )
    _places(orphans)
    orphans.add_argument(
        "--scenarios",
        nargs="+",
        type=Path,
        default=[],
        metavar="PATH",
        help="scenario files or folders (default: shipped)",
    )
    lint = add("lint", _do_lint, "judge the requests in cassettes, and search the files for secrets", "")
    _places(lint)
    for name, dest, text in (
        ("--rule", "rules", "judge only by this rule or family"),
        ("--skip", "without", "do not report this one"),
    ):
        lint.add_argument(name, dest=dest, action="append", default=[], metavar="RULE", help=f"{text}; repeatable")
    lint.add_argument("--info", action="store_true", help="report informational findings, too")


def _changes(add: _Add) -> None:
    """The commands that write cassettes."""
    redact = add(
        "redact",
        _do_redact,
        "remove secrets from cassettes in the format of vcrpy, in place",
        "cassettes/openai-chat/weather.yaml",
    )
    redact.add_argument("files", nargs="+", type=Path, metavar="FILE", help="cassette")
    redact.add_argument(
        "--pattern",
        action="append",
        default=[],
        type=pattern,
        metavar="NAME=REGEX",
        help="text that is secret; if it has a group named 'secret', only that group is; repeatable",
    )
    imported = add(
        "import",
        _do_import,
        "replay the agent loops in recordings of other tools, and write them as cassettes",
        "recordings --out imported",
    )
    imported.add_argument("recordings", type=Path, metavar="DIR", help="folder of recordings, or of a corpus")
    imported.add_argument(
        "--out", type=Path, metavar="DIR", help="new folder for the cassettes and scenarios of loops that replay"
    )


def _places(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "places",
        nargs="*",
        type=Path,
        default=[_FOLDER],
        metavar="PATH",
        help=f"cassette, or folder of cassettes (default {_FOLDER})",
    )


def _days(text: str) -> int:
    days = int(text)
    if days < 0:
        raise argparse.ArgumentTypeError("expected 0 or more")
    return days


COMMAND: Final = Command(
    "Record and replay",
    "list, show, count, verify, redact and import cassettes",
    options,
    "harness cassettes list",
    "harness cassettes show cassettes/openai-chat/weather.yaml",
)


# --- what each command does, imported when it runs ------------------------------------------------------------


def _do_list(options: argparse.Namespace) -> int:
    from harness.cli.cassettes.overview import list_cassettes

    return list_cassettes(options.places)


def _do_show(options: argparse.Namespace) -> int:
    from harness.cli.cassettes.show import show

    return show(options.files, full=options.full)


def _do_stats(options: argparse.Namespace) -> int:
    from harness.cli.cassettes.stats import stats

    return stats(options.places)


def _do_stale(options: argparse.Namespace) -> int:
    from harness.cli.cassettes.overview import stale

    return stale(options.places, options.max_age)


def _do_orphans(options: argparse.Namespace) -> int:
    from harness.cli.cassettes.overview import orphans

    return orphans(options.places, options.scenarios)


def _do_lint(options: argparse.Namespace) -> int:
    from harness.cli.cassettes.lint import lint

    return lint(options.places, selection_of(options))


def _do_redact(options: argparse.Namespace) -> int:
    from harness.cli.cassettes.redact import redact
    from harness.secrets.finder import Pattern

    patterns: list[Any] = [Pattern(name, expression) for name, expression in options.pattern]
    return redact(options.files, patterns)


def _do_import(options: argparse.Namespace) -> int:
    from harness.cli.cassettes.import_recordings import import_recordings
    from harness.targets.extra import require_reference

    require_reference("harness cassettes import")
    return import_recordings(options.recordings, options.out)
