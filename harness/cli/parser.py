"""The argument parser of ``harness``: argparse with the messages, the usage lines and the overview of this command.

argparse is imported in a tenth of the time that a richer library takes: people wait for ``harness --help``.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NoReturn

_MOST_LISTED: Final = 12
"""The most known names that a message lists. If there are more, it names only the near ones."""


def near(word: str, known: Iterable[str]) -> str:
    """``"; did you mean openai-chat or openai-responses?"``, or an empty text if no known name is near.

    Near names are those that contain the word, or else those that differ in a few letters.
    """
    names = list(known)
    found = [name for name in names if len(word) >= 3 and word.lower() in name.lower()]
    if not found:
        from difflib import get_close_matches  # most runs need it not

        found = get_close_matches(word, names, n=2)
    return f"; did you mean {' or '.join(found[:3])}?" if found else ""


class Repeated(argparse.Action):
    """An option that may be given several times; its values are a list, which replaces the default."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002 - the signature is argparse's
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, [values] if before is self.default else [*before, values])


class _Layout(argparse.HelpFormatter):
    """Wraps paragraphs and keeps indented lines (examples). A usage line names the required arguments."""

    def __init__(self, prog: str, **rest: Any) -> None:
        super().__init__(prog, max_help_position=28, **rest)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = text.splitlines()
        return "\n".join(
            line if line.startswith("  ") or not line else _wrapped_line(line, width, indent) for line in lines
        )

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _format_usage(self, usage: str | None, actions: Iterable[argparse.Action], groups: Any, prefix: Any) -> str:
        if usage is not None or prefix == "":  # written by hand; the words before a command of this parser
            return super()._format_usage(usage, actions, groups, prefix)
        shown = [action for action in actions if not action.option_strings or action.required]
        return f"{super()._format_usage(usage, shown, [], prefix).rstrip()} [OPTION]...\n\n"


def _wrapped_line(line: str, width: int, indent: str) -> str:
    return textwrap.fill(line, width, initial_indent=indent, subsequent_indent=indent)


class Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line, and suggests what may have been meant.

    ``configure`` is called before arguments are read, to change the defaults of this parser.
    """

    configure: Callable[[Parser], None] | None = None

    def __init__(self, **rest: Any) -> None:
        super().__init__(**{"formatter_class": _Layout, **rest})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Read the arguments as argparse does, after ``configure``.

        Reports an unknown argument and exits with code 2, so the returned list of unknown arguments is empty.
        """
        words = sys.argv[1:] if args is None else list(args)
        if self.configure is not None and not {"-h", "--help"}.intersection(words):
            self.configure(self)
        options, left = super().parse_known_args(words, namespace)
        if left:
            self.error(self._why_unexpected(left[0]))
        return options, left

    def _why_unexpected(self, word: str) -> str:
        if not word.startswith("-") or word == "-":
            return f"unexpected argument {word!r}"
        known = [option for action in self._actions for option in action.option_strings if option.startswith("--")]
        return f"unknown option {word!r}{near(word.partition('=')[0].lstrip('-'), known)}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Reports what is expected in the form of all other messages, with near names."""
        if action.choices is None or value in action.choices:
            return
        known = list(map(str, action.choices))
        hint = near(str(value), known)
        if isinstance(action, argparse._SubParsersAction):
            raise argparse.ArgumentError(None, f"unknown command {value!r}{hint}")
        if hint and len(known) > _MOST_LISTED:
            raise argparse.ArgumentError(action, f"{value!r} is unknown{hint}")
        raise argparse.ArgumentError(action, f"expected one of {', '.join(known)}, got {value!r}{hint}")

    def error(self, message: str) -> NoReturn:
        """Report the error, the usage and where it is described. Exits with code 2."""
        problem = message.removeprefix("argument ").replace("the following arguments are required:", "missing:")
        usage = " ".join(self.format_usage().split())
        self.exit(2, f"error: {self.prog}: {problem}\n{usage}\n'{self.prog} --help' describes it\n")


def examples(commands: Sequence[str]) -> str | None:
    """Examples of a command, for the end of its help."""
    return "\n".join(["examples:", *(f"  {each}" for each in commands)]) if commands else None


def overview(groups: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    """Commands with their summaries, group by group, for the description of a parser."""
    lines = []
    for title, commands in groups.items():
        lines += ["", f"{title}:"]
        lines += [f"    {name:<15} {summary}" for name, summary in commands]
    return "\n".join(lines)


def sentence(summary: str) -> str:
    """The summary of a command as the first sentence of its help."""
    return f"{summary[0].upper()}{summary[1:]}."
