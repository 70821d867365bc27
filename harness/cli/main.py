"""The commands and their options. No command's work is imported before that command runs: ``--help`` stays fast.

Exit codes: 0 all as expected, 1 findings, 2 bad input, 3 an error of the harness itself, 130 interrupted.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from harness import __version__
from harness.errors import BadInput
from harness.wire import WIRES

__all__ = ["main"]

_PATHS = click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
_WIRES = click.option(
    "--wire", "wires", multiple=True, type=click.Choice(WIRES), help="Only this wire format; may be repeated."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="harness")
def _group() -> None:
    """Drive an agent loop against scripted models and say which conformance rule it breaks, with the evidence."""


@_group.command()
@_PATHS
@_WIRES
@click.option("--target", default="reference", show_default=True, help="The loop to drive: reference, mutant:NAME.")
@click.option("--rule", "rules", multiple=True, help="Judge only by this rule or family; may be repeated.")
@click.option("-k", "expression", default="", help="Only cases whose id matches: words, and, or, not, ( ).")
@click.option("-j", "jobs", default=4, show_default=True, type=click.IntRange(1, 256), help="Cases at once.")
@click.option("--seed", default=0, show_default=True, help="Seed of ids, signatures and random chunking.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the results  [default: reports/run-TIME]")
def run(**options: Any) -> None:
    """Run scenarios against a target and judge every trace. PATHS are files or folders; default: all shipped."""
    from harness.cli.run import run as work

    sys.exit(work(**options))


@_group.command(name="list")
@_PATHS
def list_(paths: tuple[Path, ...]) -> None:
    """List the scenarios with their reason to exist."""
    from harness.cli.listing import list_scenarios

    list_scenarios(paths)


@_group.command()
@click.argument("subject")
def explain(subject: str) -> None:
    """Explain a RULE (its statement, why, source) or a SCENARIO (what it scripts and expects)."""
    from harness.cli.listing import explain as work

    work(subject)


@_group.command()
@click.argument("traces", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--rule", "rules", multiple=True, help="Judge only by this rule or family; may be repeated.")
def check(traces: tuple[Path, ...], rules: tuple[str, ...]) -> None:
    """Judge stored TRACES (files, or folders of *.jsonl)."""
    from harness.cli.check import check as work

    sys.exit(work(traces, rules))


@_group.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@_WIRES
@click.option("--port", default=0, show_default=True, help="Port on 127.0.0.1; 0 takes a free one.")
@click.option("--lenient", is_flag=True, help="Answer a wrong continuation all the same; only note it.")
@click.option("--seed", default=0, show_default=True, help="Seed of ids and signatures.")
def serve(**options: Any) -> None:
    """Serve scenarios on a loopback port for a loop in any language; Ctrl-C prints what was asked and the findings."""
    from harness.cli.serve import serve as work

    sys.exit(work(**options))


@_group.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--wire", "wires", multiple=True, type=click.Choice(WIRES), help="Only this wire format.")
@click.option("--recut/--whole", default=True, show_default=True, help="Also feed every stream cut apart again.")
def corpus(folder: Path, wires: tuple[str, ...], recut: bool) -> None:
    """Push recorded provider responses (FOLDER/exchanges.jsonl.gz) through the provider sessions' parsers."""
    from harness.cli.corpus import corpus as work

    sys.exit(work(folder, wires, recut=recut))


def main() -> None:
    """Entry point of the command ``harness``."""
    try:
        _group(prog_name="harness", standalone_mode=False)
    except BadInput as error:
        for problem in error.problems:
            click.echo(f"error: {problem}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(1)
