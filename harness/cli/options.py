"""The commands of ``harness`` with their options, and the overview of them.

Nothing but argparse is imported here: the work of a command is imported when it runs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from harness import __version__
from harness.cli import commands as work
from harness.cli import common_options as common
from harness.cli.added import WIRES
from harness.cli.amounts import at_least_0, at_least_1, seconds
from harness.cli.cassettes.options import cassettes_options
from harness.cli.command import GROUPS, Command
from harness.cli.config import CONFIGURED, configure
from harness.cli.parser import Parser, Repeated, examples, overview, sentence
from harness.cli.placing import executor_option, shard_option
from harness.cli.servers import gateway_options, probe_options
from harness.wire.channels import CHANNELS


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of one command; ``arguments`` default to those of the process.

    The words after ``--`` of ``harness serve`` are the user's command, and none of them is an option of ours.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    read, program = words, None
    if words[:1] == ["serve"] and "--" in words:
        at = words.index("--")
        read, program = words[:at], words[at + 1 :]
    options = parser(read[0] if read else "").parse_args(read)
    options.program, options.arguments = program, words
    return options


def parser(first: str = "") -> Parser:
    """The command that ``first`` names; all commands where it names none.

    The options of each have the function that does its ``work``. People wait for a command: the options of the others
    take some 15 ms, and the packages that may add commands are looked for in another 20.
    """
    made = Parser(prog="harness", usage="harness COMMAND [OPTION]...", epilog=_EXIT_CODES)
    made.add_argument("--version", action="version", version=f"harness {__version__}")
    added = made.add_subparsers(
        prog="harness", metavar="COMMAND", required=True, help=argparse.SUPPRESS, parser_class=Parser
    )
    known = _COMMANDS if first in _COMMANDS else _with_added()
    wanted = {first: known[first]} if first in known else known
    for name, each in wanted.items():
        command: Parser = added.add_parser(
            name, help=each.summary, description=sentence(each.summary), epilog=examples(each.examples)
        )
        if name in CONFIGURED:
            command.configure = configure
        each.options(command)
    made.description = f"{_PURPOSE}\n{overview(_by_task(known))}"
    return made


def _with_added() -> dict[str, Command]:
    """All commands. What is built in cannot be replaced."""
    from harness.cli.added import added_commands

    return {**added_commands(), **_COMMANDS}


def _by_task(commands: Mapping[str, Command]) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Names and summaries by task, as ``harness --help`` shows them."""
    tasks: dict[str, list[tuple[str, str]]] = {task: [] for task in GROUPS}
    for name, each in commands.items():
        tasks.setdefault(each.group, []).append((name, each.summary))
    return {task: some for task, some in tasks.items() if some}


_PURPOSE: Final = (
    "Run an agent loop against scripted models and report which conformance rules it breaks, with the evidence. "
    "'harness COMMAND --help' describes a command and shows examples."
)

_EXIT_CODES: Final = (
    "Exit codes: 0 all as expected, 1 findings, 2 bad input, 3 an error of the machine or of the harness "
    "itself, 130 interrupted. "
    "Defaults of options can be set in pyproject.toml, in the table [tool.harness] (docs/configuration.md)."
)


# --- check a loop ----------------------------------------------------------------------------------------------


def _init(command: Parser) -> None:
    command.set_defaults(work=work.do_init)
    command.add_argument(
        "folder", nargs="?", type=Path, default=Path(), metavar="DIR", help="where to write (default: here)"
    )
    command.add_argument(
        "--language", choices=("python", "node"), default="python", help="language of the loop (default python)"
    )
    command.add_argument(
        "--client",
        choices=("openai", "anthropic", "google-genai", "fetch"),
        help="how the loop calls the model: an SDK in Python (default openai), fetch on Node",
    )
    command.add_argument(
        "--command",
        action="store_true",
        help="start the loop in Python as a program, with packages of its own (a loop on Node always is one); "
        "writes harness_client.py beside it",
    )


def _run(command: Parser) -> None:
    command.set_defaults(work=work.do_run, config=None)
    _which_cases(command.add_argument_group("which cases"))
    _how_they_run(command.add_argument_group("how they run"))
    _how_they_are_judged(command.add_argument_group("how they are judged"))
    _output_of_a_run(command.add_argument_group("output"))


def _which_cases(which: argparse._ArgumentGroup) -> None:
    common.scenario_paths(which)
    common.suites(which)
    common.wires(which)
    common.expression(which)
    which.add_argument(
        "--last-failed",
        "--lf",
        action="store_true",
        help="only the cases that did not pass in the last run of this target; all cases if there are none",
    )
    which.add_argument(
        "--failed-first", "--ff", action="store_true", help="run the cases first that did not pass in the last run"
    )
    shard_option(which)


def _how_they_run(how: argparse._ArgumentGroup) -> None:
    common.target(how)
    common.timeout(how)
    how.add_argument("-x", "--fail-fast", action="store_true", help="stop after the first case that does not pass")
    how.add_argument(
        "--on-save",
        action="store_true",
        help="run again, in a new process, whenever a source or scenario file below this folder is saved; Ctrl-C ends",
    )
    common.jobs(how)
    executor_option(how)
    common.seed(how)
    common.as_server(how)
    how.add_argument(
        "--dialect",
        type=lambda text: tuple(text.split(",")),
        default=(),
        metavar="NAME[,NAME...]|all",
        help="stream as servers do that are not the provider's own: index-zero, no-done, ... (docs/dialects.md)",
    )
    common.transport(how)
    common.source(how, ("script", "cassette"))
    how.add_argument(
        "--as-provider",
        action="store_true",
        help="answer as the provider's own host (https://api.openai.com ...), for loops that accept no base URL",
    )
    common.isolate(how)


def _how_they_are_judged(judging: argparse._ArgumentGroup) -> None:
    common.rules(judging)
    common.refuse(judging)
    judging.add_argument(
        "--baseline",
        metavar="FILE|none",
        help="findings that are expected of the target (default: baselines/TARGET.yaml, else the shipped baseline)",
    )
    judging.add_argument(
        "--against",
        type=Path,
        metavar="BASE",
        help="compare with the run in this results folder, and fail, too, if any case is not as it was there",
    )


def _output_of_a_run(output: argparse._ArgumentGroup) -> None:
    common.out(output)
    output.add_argument(
        "--resume",
        type=Path,
        metavar="DIR",
        help="go on with the run in this results folder, which was interrupted or killed; give its other options again",
    )
    output.add_argument(
        "--otlp",
        metavar="FILE|URL",
        help="write each case as spans, too: to a file, or to the address of a collector (http://localhost:4318/v1/traces)",
    )
    common.verbosity(output)
    common.max_findings(output)


def _serve_options(command: Parser) -> None:
    command.set_defaults(work=work.do_serve)
    command.usage = "harness serve [SCENARIO]... [OPTION]... [-- COMMAND [ARG]...]"
    command.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="SCENARIO",
        help="scenario file or folder (default: an automatic model, which calls the tools that your loop offers); "
        "without -- COMMAND: print the variables for your loop, and serve until Ctrl-C",
    )
    common.wires(command)
    common.port(command)
    common.source(command, ("script", "cassette", "live"))
    common.upstream(command.add_argument_group("with --source live"))
    common.skip(command)
    common.refuse(command)
    common.seed(command)
    common.as_server(command)
    common.dialect(command)
    for each in CHANNELS.values():
        command.add_argument(
            f"--no-{each.name}",
            dest="without_channels",
            action="append_const",
            const=each.name,
            default=[],
            help=f"refuse {each.many} (426), so that clients use HTTP; else a client may open one where the API has "
            "them",
        )
    common.isolate(command)
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="also write the page, the results and the traces to this folder"
    )
    command.add_argument(
        "--pass",
        dest="passes",
        action="append",
        default=[],
        metavar="NAME",
        help="a variable of yours that the command gets although its name is that of a secret (repeatable)",
    )
    command.add_argument(
        "--rounds",
        default="",
        metavar="N|NAME[,NAME...]",
        help="play the command so many times, each time with another behaviour of the automatic model: parallel, "
        "reasoning, failing, sequential, long, empty, cut, refusal; or with those that are named (docs/serve.md)",
    )
    common.max_findings(command)
    command.add_argument("--requests", type=at_least_1, metavar="N", help="end after N answered model requests")
    command.add_argument(
        "--idle", type=seconds, metavar="S", help="end after S seconds without a request, counted from the first one"
    )


def _doctor(command: Parser) -> None:
    command.set_defaults(work=work.do_doctor)
    common.target_name(command)
    common.wires(command)
    common.timeout(command)
    common.isolate(command)
    common.format_option(command)


MESSAGE_FORMS = ("harness", "screenshot-to-code")
"""``harness.watch.FORMS``, whose import takes long."""


def _watch(command: Parser) -> None:
    command.set_defaults(work=work.do_watch)
    command.add_argument("scenario", metavar="SCENARIO", help="a scenario's name, or its file")
    command.add_argument("--wire", choices=WIRES, metavar="WIRE", help="API format (wire): %(choices)s")
    common.dialect(command)
    common.target(command)
    common.isolate(command)
    common.port(command)
    command.add_argument(
        "--pace", type=at_least_0, default=30, metavar="MS", help="milliseconds between messages (default 30)"
    )
    command.add_argument(
        "--messages",
        choices=MESSAGE_FORMS,
        default=MESSAGE_FORMS[0],
        metavar="FORM",
        help="whose messages the socket speaks: %(choices)s (default harness)",
    )


def _baseline(command: Parser) -> None:
    commands = command.add_subparsers(title="commands", metavar="COMMAND", required=True, help="one of:")
    for name, does, summary in (
        ("update", work.do_baseline_update, "run the target and add an entry for every cause that has none"),
        ("prune", work.do_baseline_prune, "run the target and remove entries for findings that no longer occur"),
    ):
        added: Parser = commands.add_parser(
            name,
            help=summary,
            description=sentence(summary),
            epilog=examples([f"harness baseline {name} my_package.agent:run"]),
        )
        added.set_defaults(work=does)
        added.configure = configure
        common.target_name(added)
        common.scenario_paths(added)
        common.suites(added)
        common.wires(added)
        common.expression(added)
        common.timeout(added)
        common.isolate(added)
        common.jobs(added)
        common.out(added)
        added.add_argument(
            "--baseline", type=Path, metavar="FILE", help="the file to change (default baselines/TARGET.yaml)"
        )
        if name == "update":
            help = "take the results in this folder, and run nothing"
            added.add_argument("--from", type=Path, dest="source", metavar="RUN", help=help)


def _check(command: Parser) -> None:
    command.set_defaults(work=work.do_check)
    command.add_argument("traces", nargs="+", type=Path, metavar="TRACE", help="trace file, or folder of *.jsonl files")
    command.add_argument(
        "--events",
        choices=("ag-ui",),
        metavar="FORMAT",
        help="the files are recorded streams of events in this format: %(choices)s",
    )
    common.rules(command)


def _lint_request(command: Parser) -> None:
    command.set_defaults(work=work.do_lint_request)
    command.add_argument("file", metavar="FILE", help="file with the JSON body of a request; - for standard input")
    command.add_argument(
        "--wire",
        choices=WIRES,
        metavar="WIRE",
        help="API format (wire) of the request: %(choices)s (default: detected from the body)",
    )
    command.add_argument(
        "--model", default="", metavar="NAME", help="the model, where the body does not name it (Gemini)"
    )
    command.add_argument(
        "--header",
        action=Repeated,
        default=[],
        metavar="HEADER",
        help="header of the request, 'name: value'; repeatable",
    )
    common.server(command)
    common.rules(command)
    common.format_option(command)


# --- record and replay -----------------------------------------------------------------------------------------


def _record(command: Parser) -> None:
    command.set_defaults(work=work.do_record)
    command.add_argument("paths", nargs="+", type=Path, metavar="SCENARIO", help="scenario file or folder")
    command.add_argument(
        "--wire",
        action="append",
        required=True,
        choices=WIRES,
        metavar="WIRE",
        help="API format (wire) to record: %(choices)s; repeatable",
    )
    common.target(command)
    common.isolate(command)
    common.cassettes(command)
    common.patterns(command)
    common.upstream(command)
    common.transport(command)
    common.out(command)
    command.add_argument("--scripted", action="store_true", help="record the script of the scenario, not a model")
    command.add_argument(
        "--refresh", action="store_true", help="record existing cassettes again, and report what has changed"
    )
    command.add_argument(
        "--max-age", type=at_least_1, metavar="DAYS", help="refresh only cassettes that are older than DAYS"
    )


def _lint_cassette(command: Parser) -> None:
    command.set_defaults(work=work.do_lint_cassette)
    command.add_argument("cassettes", nargs="+", type=Path, metavar="FILE", help="cassette (vcrpy, go-vcr, VCR)")
    common.server(command)
    common.rules(command)
    common.format_option(command)


def _lint_trace(command: Parser) -> None:
    command.set_defaults(work=work.do_lint_trace)
    command.add_argument(
        "traces",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="spans: OTLP JSON (spans and logs), or an export of Phoenix or Langfuse",
    )
    command.add_argument("--turn-limit", type=at_least_1, metavar="N", help="report runs of more than N turns")
    command.add_argument(
        "--profile",
        default="universal",
        metavar="NAME",
        help="judge by the contract of this profile (default universal)",
    )
    command.add_argument(
        "--answered",
        action="store_true",
        help="report what breaks a rule even where the server has answered it, as a fake endpoint does",
    )
    command.add_argument(
        "--only-whole", action="store_true", help="judge only requests that are recorded as they were sent"
    )
    command.add_argument("--quiet-values", action="store_true", help="name places only, and quote nothing of the spans")
    command.add_argument(
        "--strict", action="store_true", help="exit code 1, too, where no request of a file is recorded whole"
    )
    command.add_argument(
        "--to-scenario",
        type=Path,
        metavar="DIR",
        help="write a scenario of each conversation that broke, for 'harness run'; secrets are taken out",
    )
    command.add_argument(
        "--to-cassettes",
        type=Path,
        metavar="DIR",
        help="write the model's own answers to these scenarios, too, for 'harness run --source cassette --match place'",
    )
    command.add_argument(
        "--anonymise",
        type=Path,
        metavar="OUT",
        help="write the spans with every text replaced, for a bug report: findings stay the same",
    )
    common.server(command)
    common.rules(command)
    common.format_option(command)


# --- report ----------------------------------------------------------------------------------------------------


def _report(command: Parser) -> None:
    from harness.report.formats import format_names

    command.set_defaults(work=work.do_report)
    command.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="results folder of 'harness run'")
    command.add_argument(
        "--format",
        choices=format_names(),
        default="html",
        help="what to write; github: annotations for the log of a GitHub job; 'harness plugins' lists the formats of "
        "other packages (default html)",
    )
    command.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="file to write (default: standard output; for html index.html in the results folder)",
    )
    command.add_argument("--against", type=Path, metavar="BASE", help="show the changes since this run, too (html)")
    command.add_argument(
        "--history", type=Path, metavar="DIR", help="plot the findings of the runs in this folder, too (html)"
    )
    common.max_findings(command)


def _diff(command: Parser) -> None:
    command.set_defaults(work=work.do_diff)
    for name, which in (("base", "before"), ("new", "after")):
        command.add_argument(name, type=Path, metavar=name.upper(), help=f"results folder of the run {which} a change")
    command.add_argument(
        "--format",
        choices=("terminal", "json", "markdown", "junit", "html"),
        default="terminal",
        help="what to write (default terminal)",
    )
    command.add_argument("--out", type=Path, metavar="FILE", help="file to write (default: standard output)")
    command.add_argument(
        "--strict",
        action="store_true",
        help="exit code 1, too, if a case of BASE is missing or did anything else, whatever its verdict",
    )


def _history(command: Parser) -> None:
    command.set_defaults(work=work.do_history)
    command.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path("reports"),
        metavar="DIR",
        help="folder of results folders (default reports)",
    )
    command.add_argument(
        "--format",
        choices=("terminal", "json", "markdown", "html"),
        default="terminal",
        help="what to write (default terminal)",
    )
    command.add_argument("--out", type=Path, metavar="FILE", help="file to write (default: standard output)")


# --- look up and extend ----------------------------------------------------------------------------------------


def _list(command: Parser) -> None:
    command.set_defaults(work=work.do_list)
    common.scenario_paths(command)
    common.format_option(command)


def _explain(command: Parser) -> None:
    command.set_defaults(work=work.do_explain)
    command.add_argument(
        "subject",
        metavar="RULE|FAMILY|SCENARIO|ERROR",
        help="a rule (order/tool-start-once, ANT-15), a family of rules (continuation), another finding (expect/sent), "
        "a scenario, or the text of a provider's error, as it was printed",
    )
    common.format_option(command)


def _targets(command: Parser) -> None:
    command.set_defaults(work=work.do_targets)
    common.format_option(command)
    commands = command.add_subparsers(title="commands", metavar="COMMAND", help="one of:")
    summary = "install a coding agent from npm into the cache, in the version that comes with the harness or in another"
    added: Parser = commands.add_parser(
        "install",
        help=summary,
        description=sentence(summary),
        epilog=examples(["harness targets install cli:pi", "harness targets install cli:pi@1.4.0"]),
    )
    added.set_defaults(work=work.do_targets_install)
    added.add_argument(
        "agents", nargs="+", metavar="TARGET", help="cli:NAME, as harness targets lists them, or cli:NAME@VERSION"
    )


def _plugins(command: Parser) -> None:
    command.set_defaults(work=work.do_plugins)


def _lint_target(command: Parser) -> None:
    command.set_defaults(work=work.do_lint_target)
    command.add_argument("paths", nargs="+", type=Path, metavar="FILE", help="target file")


def _lint_scenario(command: Parser) -> None:
    command.set_defaults(work=work.do_lint_scenario)
    command.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="scenario file or folder")
    common.format_option(command)


def _completion(command: Parser) -> None:
    command.set_defaults(work=work.do_completion)
    command.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish")


_COMMANDS: Final[dict[str, Command]] = {
    "init": Command(
        "Check a loop",
        "write a scenario, an example loop and a CI workflow to start from",
        _init,
        "harness init my-loop",
        "harness init my-loop --language node",
    ),
    "run": Command(
        "Check a loop",
        "run scenarios against a loop and judge every trace",
        _run,
        "harness run --target my_package.agent:run",
        "harness run scenarios --target cmd:'node my_agent.mjs' --wire anthropic-messages",
        "harness run --last-failed -x",
    ),
    "serve": Command(
        "Check a loop",
        "start a command in any language, answer its model requests, and judge them",
        _serve_options,
        "harness serve -- node my_agent.mjs",
        "harness serve scenarios/weather.yaml --wire openai-chat -- python my_agent.py",
        "harness serve scenarios/weather.yaml",
    ),
    "doctor": Command(
        "Check a loop",
        "test the driver that connects your loop with the harness, and report what to change",
        _doctor,
        "harness doctor my_package.agent:run",
    ),
    "watch": Command(
        "Check a loop",
        "show a scenario in the browser while it runs",
        _watch,
        "harness watch parallel-calls --target my_package.agent:run",
    ),
    "baseline": Command(
        "Check a loop",
        "record which findings are expected of a loop",
        _baseline,
        "harness baseline update my_package.agent:run",
        "harness baseline prune my_package.agent:run",
    ),
    "check": Command(
        "Check a loop",
        "judge traces that were written earlier",
        _check,
        "harness check reports/run-20260101-120000/traces",
        "harness check --events ag-ui answer.sse",
    ),
    "lint-request": Command(
        "Check a loop",
        "judge the body of one request",
        _lint_request,
        "harness lint-request body.json",
        "pbpaste | harness lint-request - --wire openai-chat",
    ),
    "gateway": Command(
        "Check a server or a gateway",
        "put a gateway between the harness's clients and scripted models, and report what gets lost",
        gateway_options,
        "harness gateway --preset litellm",
        "harness gateway --preset my-gateway.yaml --client openai-chat --scenario parallel-calls",
        "harness gateway --url http://127.0.0.1:4000 --model anthropic-messages=claude --port 8900",
    ),
    "probe": Command(
        "Check a server or a gateway",
        "ask a model server a few questions, and report what its answers show",
        probe_options,
        "harness probe http://127.0.0.1:8080 --wire openai-chat --model smollm2",
        "harness probe https://models.example.com --wire openai-chat --model m1 --key-env EXAMPLE_API_KEY --budget 20",
    ),
    "record": Command(
        "Record and replay",
        "record real models to cassettes, without secrets",
        _record,
        "harness record scenarios/weather.yaml --wire openai-chat --model gpt-4.1",
    ),
    "cassettes": Command(
        "Record and replay",
        "list, show, count, verify, redact and import cassettes",
        cassettes_options,
        "harness cassettes list",
        "harness cassettes show cassettes/openai-chat/weather.yaml",
    ),
    "lint-cassette": Command(
        "Record and replay",
        "judge the requests in cassettes",
        _lint_cassette,
        "harness lint-cassette tests/cassettes/*.yaml",
    ),
    "lint-trace": Command(
        "Record and replay",
        "judge the requests in production traces (OpenTelemetry spans)",
        _lint_trace,
        "harness lint-trace spans.jsonl",
        "harness lint-trace spans.jsonl --turn-limit 20 --quiet-values",
    ),
    "report": Command(
        "Report",
        "render runs again: page, JUnit, SARIF, Markdown, annotations",
        _report,
        "harness report reports/run-20260101-120000 --format sarif --out findings.sarif",
    ),
    "diff": Command(
        "Report",
        "compare two runs; exit code 1 on a regression",
        _diff,
        "harness diff reports/main reports/branch",
    ),
    "history": Command("Report", "show trends over many runs", _history, "harness history reports"),
    "list": Command(
        "Look up and extend",
        "list the scenarios and their purpose",
        _list,
        "harness list",
        "harness list --format json",
    ),
    "explain": Command(
        "Look up and extend",
        "explain a provider's error, a rule, a family of rules or a scenario",
        _explain,
        'harness explain "messages.3: `tool_use` ids were found without `tool_result` blocks"',
        "harness explain ANT-15",
        "harness explain continuation",
    ),
    "targets": Command(
        "Look up and extend",
        "list the loops that the harness can run, and what they declare",
        _targets,
        "harness targets",
        "harness targets --format json",
        "harness targets install cli:pi",
    ),
    "plugins": Command(
        "Look up and extend",
        "list the rules, commands and targets that other packages add",
        _plugins,
        "harness plugins",
    ),
    "lint-scenario": Command(
        "Look up and extend",
        "report every problem of scenario files, without a run",
        _lint_scenario,
        "harness lint-scenario scenarios",
    ),
    "lint-target": Command(
        "Look up and extend",
        "report every problem of target files, without a run",
        _lint_target,
        "harness lint-target my-agent.yaml",
    ),
    "completion": Command(
        "Look up and extend",
        "print a script that completes commands, options and names in a shell",
        _completion,
        "harness completion bash > ~/.local/share/bash-completion/completions/harness",
        "harness completion zsh > ~/.zfunc/_harness",
        "harness completion fish > ~/.config/fish/completions/harness.fish",
    ),
}
