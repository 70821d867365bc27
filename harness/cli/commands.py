"""What each command does with its options. Its work is imported when it runs, so that the others need not wait."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from harness.wire.channels import CHANNELS, HTTP

if TYPE_CHECKING:
    from harness.cli.run import RunOptions
    from harness.runner.sources import Sources
    from harness.sealing.allowed import Sealing


def do_run(options: argparse.Namespace) -> int:
    """``harness run``, or what ``--on-save`` repeats. Returns the exit code."""
    if options.on_save:
        from harness.cli.on_save import run_on_save

        return run_on_save(options)
    if sys.stderr is not None and sys.stderr.isatty() and options.quiet <= options.verbose:
        # Importing what a run needs takes seconds on a slow machine. Programs read errors from a pipe, and these alone.
        print("reading the scenarios", file=sys.stderr, flush=True)
    from harness.baseline.loader import chosen
    from harness.cli.run import RunOptions, run
    from harness.doctor import named
    from harness.runner.distributed.cluster import cluster_of
    from harness.runner.judging import judging
    from harness.runner.selection import union
    from harness.runner.shards import shard_of

    return run(
        RunOptions(
            paths=options.paths,
            wires=options.wire,
            target=options.target,
            judging=judging(
                options.rule,
                without=options.skip,
                skipped=named(options.skip),
                info=options.info,
                refuse=options.refuse,
            ),
            expression=union(options.expressions),
            jobs=options.jobs,
            seed=options.seed,
            out=options.out,
            sources=_sources(options),
            baseline=chosen(options.baseline, options.target),
            cluster=cluster_of(options.executor, options.jobs),
            shard=None if options.shard is None else shard_of(options.shard),
            as_provider=options.as_provider,
            sealing=_sealing(options),
            suites=options.suite,
            deadline=options.timeout or 0.0,
            last_failed=options.last_failed,
            failed_first=options.failed_first,
            fail_fast=options.fail_fast,
            verbosity=options.verbose - options.quiet,
            max_findings=options.max_findings,
            config=options.config,
            resume=options.resume,
            against=options.against,
            server=options.as_server,
            dialects=options.dialect,
            otlp=options.otlp or "",
            transport=_transport(options),
        )
    )


def do_doctor(options: argparse.Namespace) -> int:
    """``harness doctor``. Returns the exit code."""
    from harness.cli.doctor import doctor
    from harness.runner.execute import DEADLINE

    deadline = options.timeout or DEADLINE
    return doctor(options.target, options.wire, deadline, format=options.format, sealing=_sealing(options))


def do_report(options: argparse.Namespace) -> int:
    """``harness report``. Returns the exit code."""
    from harness.cli.report import report

    return report(
        options.runs,
        format=options.format,
        out=options.out,
        against=options.against,
        history=options.history,
        max_findings=options.max_findings,
    )


def do_diff(options: argparse.Namespace) -> int:
    """``harness diff``. Returns the exit code."""
    from harness.cli.diff import diff

    return diff(options.base, options.new, format=options.format, out=options.out, strict=options.strict)


def do_history(options: argparse.Namespace) -> int:
    """``harness history``. Returns the exit code."""
    from harness.cli.history import history

    return history(options.folder, format=options.format, out=options.out)


def do_baseline_update(options: argparse.Namespace) -> int:
    """``harness baseline update``. Returns the exit code."""
    from harness.cli.baseline import update

    return update(_usual_run(options), options.baseline, options.source)


def do_baseline_prune(options: argparse.Namespace) -> int:
    """``harness baseline prune``. Returns the exit code."""
    from harness.cli.baseline import prune

    return prune(_usual_run(options), options.baseline)


def _usual_run(options: argparse.Namespace) -> RunOptions:
    """A run as baselines have it: scripted, by every rule."""
    from harness.cli.run import RunOptions
    from harness.runner.judging import everything
    from harness.runner.selection import union

    return RunOptions(
        paths=options.paths,
        wires=options.wire,
        target=options.target,
        judging=everything(),
        expression=union(options.expressions),
        jobs=options.jobs,
        seed=0,
        out=options.out,
        suites=options.suite,
        deadline=options.timeout or 0.0,
        sealing=_sealing(options),
    )


def _sealing(options: argparse.Namespace) -> Sealing:
    """What ``--isolate``, ``--no-isolate``, or neither asks for."""
    if options.isolate is None:
        return "possible"
    return "required" if options.isolate else "off"


def _sources(options: argparse.Namespace) -> Sources:
    from harness.runner.source_registry import SourceOptions, sources_of

    live = {name: getattr(options, name) for name in ("mode", "upstream", "model", "server") if name in options}
    return sources_of(
        options.source,
        SourceOptions(
            folder=options.cassettes,
            timed=options.timing == "recorded",
            patterns=tuple(options.pattern),
            match=options.match,
            **live,
        ),
    )


def do_record(options: argparse.Namespace) -> int:
    """``harness record``. Returns the exit code."""
    from harness.cli.record import record
    from harness.runner.sources import Recording

    recording = Recording(
        options.cassettes,
        options.mode,
        options.upstream,
        options.model,
        options.server,
        options.scripted,
        tuple(options.pattern),
    )
    if options.refresh or options.max_age is not None:
        from harness.cli.refresh import refresh

        age = options.max_age or 0
        return refresh(
            options.paths,
            options.wire,
            options.target,
            recording,
            older_than=age,
            sealing=_sealing(options),
            transport=_transport(options),
        )
    return record(
        options.paths,
        options.wire,
        options.target,
        recording,
        sealing=_sealing(options),
        out=options.out,
        transport=_transport(options),
    )


def _transport(options: argparse.Namespace) -> str:
    """The transport of the cases as they have it: empty for HTTP."""
    return "" if options.transport == HTTP else str(options.transport)


def do_list(options: argparse.Namespace) -> int:
    """``harness list``. Returns the exit code."""
    from harness.cli.listing import list_scenarios

    return list_scenarios(options.paths, format=options.format)


def do_targets(options: argparse.Namespace) -> int:
    """``harness targets``. Returns the exit code."""
    from harness.cli.targets import list_targets

    return list_targets(format=options.format)


def do_targets_install(options: argparse.Namespace) -> int:
    """``harness targets install``. Returns the exit code."""
    from harness.cli.targets import install_agents

    return install_agents(options.agents)


def do_plugins(options: argparse.Namespace) -> int:  # noqa: ARG001 - it has no options
    """``harness plugins``. Returns the exit code."""
    from harness.cli.listed_plugins import list_plugins

    return list_plugins()


def do_explain(options: argparse.Namespace) -> int:
    """``harness explain``. Returns the exit code."""
    from harness.cli.explain import explain

    return explain(options.subject, format=options.format)


def do_check(options: argparse.Namespace) -> int:
    """``harness check``. Returns the exit code."""
    from harness.cli.check import check, check_streams

    if options.events is not None:
        return check_streams(options.traces, options.rule, without=options.skip, info=options.info)
    return check(options.traces, options.rule, without=options.skip, info=options.info)


def do_lint_request(options: argparse.Namespace) -> int:
    """``harness lint-request``. Returns the exit code."""
    from harness.cli.lint import lint_request
    from harness.rules import select

    selection = select(options.rule, without=options.skip, info=options.info)
    return lint_request(
        options.file,
        selection,
        wire=options.wire,
        model=options.model,
        headers=options.header,
        server=options.server,
        format=options.format,
    )


def do_lint_target(options: argparse.Namespace) -> int:
    """``harness lint-target``. Returns the exit code."""
    from harness.cli.lint_target import lint_targets

    return lint_targets(options.paths)


def do_lint_scenario(options: argparse.Namespace) -> int:
    """``harness lint-scenario``. Returns the exit code."""
    from harness.cli.lint_scenario import lint_scenarios

    return lint_scenarios(options.paths, format=options.format)


def do_lint_cassette(options: argparse.Namespace) -> int:
    """``harness lint-cassette``. Returns the exit code."""
    from harness.cli.lint import lint_cassettes
    from harness.rules import select

    selection = select(options.rule, without=options.skip, info=options.info)
    return lint_cassettes(options.cassettes, selection, server=options.server, format=options.format)


def do_lint_trace(options: argparse.Namespace) -> int:
    """``harness lint-trace``. Returns the exit code."""
    from harness.cli.lint_trace import LintTraceOptions, lint_traces

    return lint_traces(
        LintTraceOptions(
            paths=options.traces,
            rules=options.rule,
            without=options.skip,
            info=options.info,
            profile=options.profile,
            turn_limit=options.turn_limit,
            answered=options.answered,
            only_whole=options.only_whole,
            quiet_values=options.quiet_values,
            strict=options.strict,
            server=options.server,
            anonymised=options.anonymise,
            scenarios=options.to_scenario,
            cassettes=options.to_cassettes,
            format=options.format,
        )
    )


def do_serve(options: argparse.Namespace) -> int:
    """``harness serve``. Returns the exit code. Prints a line before the imports, which take a second."""
    print("harness serve: starting the endpoint", file=sys.stderr, flush=True)  # what follows imports for a second
    from harness.cli.serve import ServeOptions, serve

    return serve(
        ServeOptions(
            paths=options.paths,
            wires=options.wire,
            port=options.port,
            seed=options.seed,
            refuse=options.refuse,
            without=options.skip,
            sources=_sources(options),
            command=options.program,
            out=options.out,
            rounds=options.rounds,
            requests=options.requests,
            idle=options.idle,
            sealing=_sealing(options),
            passes=options.passes,
            server=options.as_server,
            dialect=options.dialect,
            channels=[name for name in CHANNELS if name not in options.without_channels],
            max_findings=options.max_findings,
        )
    )


def do_gateway(options: argparse.Namespace) -> int:
    """``harness gateway``. Returns the exit code."""
    from harness.cli.gateway import GatewayOptions, gateway

    return gateway(
        GatewayOptions(
            command=options.gateway,
            preset=options.preset,
            url=options.url,
            models=options.model,
            clients=options.client,
            upstreams=options.upstream,
            scenarios=options.scenario,
            only_streams=options.only_streams,
            info=options.info,
            port=options.port,
            seed=options.seed,
            out=options.out,
            baseline=options.baseline,
            start_timeout=options.start_timeout,
            timeout=options.timeout or 60.0,
            sealing=_sealing(options),
            verbosity=options.verbose - options.quiet,
            max_findings=options.max_findings,
        )
    )


def do_probe(options: argparse.Namespace) -> int:
    """``harness probe``. Returns the exit code."""
    from harness.cli.probe import ProbeOptions, probe

    return probe(
        ProbeOptions(
            url=options.url,
            wires=options.wire,
            model=options.model,
            key_env=options.key_env,
            budget=options.budget,
            timeout=options.timeout or 60.0,
            out=options.out,
        )
    )


def do_watch(options: argparse.Namespace) -> int:
    """``harness watch``. Returns the exit code."""
    from harness.cli.watch import watch

    return watch(
        options.scenario,
        wire=options.wire,
        dialect=options.dialect,
        target=options.target,
        sealing=_sealing(options),
        port=options.port,
        pace=options.pace,
        messages=options.messages,
    )


def do_completion(options: argparse.Namespace) -> int:
    """``harness completion``. Returns the exit code."""
    from harness.cli.completion import completion

    return completion(options.shell)


def do_init(options: argparse.Namespace) -> int:
    """``harness init``. Returns the exit code."""
    from harness.cli.init import init

    return init(options.folder, options.language, options.client, command=options.command)
