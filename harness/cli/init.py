"""``harness init``: writes a scenario, a loop, the file that starts it, and a workflow, to begin with."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from harness.cli.command import Command
from harness.cli.parser import Parser
from harness.errors import BadInput
from harness.ground.disk import problem

EXAMPLES: Mapping[str, Mapping[str, str]] = {
    "python": {"openai": "openai_loop.py", "anthropic": "anthropic_loop.py", "google-genai": "google_genai_loop.py"},
    "node": {"fetch": "fetch_loop.mjs"},
}
"""The example loops by their language and the client that they use; the usual client of a language is the first."""

_STARTER = Path(__file__).resolve().parent.parent / "starter"
_NODE_CLIENT = _STARTER / "clients" / "harness-client.mjs"
_PYTHON_CLIENT = _STARTER / "clients" / "harness_client.py"
_PROGRAM = "run_loop.py"
_WORKFLOW = ".github/workflows/agent-loop.yml"

_SERVES = '''\
"""Runs the loop as a command: the harness starts this program in the Python environment of the loop."""

from harness_client import serve
from {module} import run

serve(run)
'''

_STARTED = f"""\
command: python3 {_PROGRAM}  # with the Python of your loop: .venv/bin/python {_PROGRAM}
persistent: true  # one process runs many cases, one after another; left out, each case has a process"""


def options(command: Parser) -> None:
    """Where, and for which kind of loop."""
    command.set_defaults(work=work)
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


COMMAND: Final = Command(
    "Check a loop",
    "write a scenario, an example loop and a CI workflow to start from",
    options,
    "harness init my-loop",
    "harness init my-loop --language node",
)


def work(options: argparse.Namespace) -> int:
    """Write the files that do not exist yet below the folder, and print what to do next. No existing file is changed.

    Raises ``BadInput`` for a client that is not in ``EXAMPLES[language]``.
    """
    folder, language = options.folder, options.language
    loop = _loop(language, options.client)
    contents = _command(loop) if options.command and language == "python" else _contents(language, loop)
    for name, content in contents.items():
        written = _write(folder / name, content)
        print(f"wrote {folder / name}" if written else f"{folder / name} already exists, skipped")
    steps = [] if folder == Path() else [f"cd {shlex.quote(str(folder))}"]
    steps += _installs(loop) if language == "python" else []
    run = "--target harness-target.yaml"
    print("\nNext:")
    for step in (*steps, f"harness run scenarios {run}", f"harness run {run}"):
        print(f"  {step}")
    return 0


def _loop(language: str, client: str | None) -> str:
    """The file of the example loop."""
    loops = EXAMPLES[language]
    if client is None:
        return next(iter(loops.values()))
    if client not in loops:
        raise BadInput(
            f"--client {client}: expected one of {', '.join(loops)} for --language {language}; choose another"
        )
    return loops[client]


def _contents(language: str, loop: str) -> dict[str, bytes]:
    """The files with their contents."""
    from harness.scenario import shipped

    loops = _STARTER / "loops"
    files = {
        "scenarios/weather-in-two-cities.yaml": _STARTER / "weather-in-two-cities.yaml",
        "scenarios/schema.json": shipped() / "schema.json",
        loop: loops / loop,
        **({_NODE_CLIENT.name: _NODE_CLIENT} if language == "node" else {}),
        "harness-target.yaml": (loops / loop).with_suffix(".yaml"),
        _WORKFLOW: _STARTER / language / "agent-loop.yml",
    }
    contents = {name: file.read_bytes() for name, file in files.items()}
    if language == "python":
        workflow = contents[_WORKFLOW]
        contents[_WORKFLOW] = workflow.replace(b"pip install openai", f"pip install {_package(loop)}".encode())
    return contents


def _package(loop: str) -> str:
    """The SDK of an example loop in Python, which is named like its client."""
    return next(client for client, file in EXAMPLES["python"].items() if file == loop)


def _command(loop: str) -> dict[str, bytes]:
    """The files for a loop in Python that runs as a command: a copy of the client, and a program that uses it."""
    contents = _contents("python", loop)
    target = contents["harness-target.yaml"].decode()
    return {
        **contents,
        "harness-target.yaml": re.sub("^python: .*", _STARTED, target, flags=re.MULTILINE).encode(),
        _PROGRAM: _SERVES.format(module=Path(loop).stem).encode(),
        _PYTHON_CLIENT.name: _PYTHON_CLIENT.read_bytes(),
    }


def _write(path: Path, content: bytes) -> bool:
    """Write a file. Returns False if it exists already."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        if path.parent.is_dir():
            return False
        raise BadInput(f"{path.parent}: expected a folder, got a file; choose another folder") from None
    except OSError as error:
        found = problem(error, f"{path}: cannot be written")
        raise BadInput(f"{found}; choose another folder") if isinstance(found, BadInput) else found from None
    return True


def _installs(loop: str) -> list[str]:
    """The command that installs the SDK of an example loop in Python; empty if the SDK is installed."""
    from importlib import metadata

    package = _package(loop)
    return [] if any(metadata.distributions(name=package)) else [f"pip install {package}"]
