"""``harness init``: a scenario, a loop, what says how it is started, and a workflow, to begin with."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

from harness.errors import BadInput
from harness.scenario import shipped

__all__ = ["EXAMPLES", "LANGUAGES", "init"]

EXAMPLES: Mapping[str, Mapping[str, str]] = {
    "python": {"openai": "openai_loop.py", "anthropic": "anthropic_loop.py", "google-genai": "google_genai_loop.py"},
    "node": {"fetch": "fetch_loop.mjs"},
}
"""The example loops by their language and the client that they use; the usual client of a language is the first."""

LANGUAGES = tuple(EXAMPLES)

_STARTER = Path(__file__).resolve().parent.parent / "starter"


def init(folder: Path, language: str, client: str | None = None) -> int:
    """Write what is not there yet below ``folder``, and say what to do next. No file is changed that is there.

    ``client`` is one of ``EXAMPLES[language]``; None is the usual one. Raises ``BadInput`` for any other.
    """
    for source, name in _files(language, _loop(language, client)):
        written = _write(folder / name, source.read_bytes())
        print(f"{'wrote' if written else 'kept '} {folder / name}{'' if written else ', which was there'}")
    steps = [] if folder == Path() else [f"cd {shlex.quote(str(folder))}"]
    steps += _installs(language, client)
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


def _files(language: str, loop: str) -> Iterator[tuple[Path, str]]:
    """Every file, and where it goes."""
    loops = _STARTER / "loops"
    yield _STARTER / "weather-in-two-cities.yaml", "scenarios/weather-in-two-cities.yaml"
    yield shipped() / "schema.json", "scenarios/schema.json"
    yield loops / loop, loop
    yield (loops / loop).with_suffix(".yaml"), "harness-target.yaml"
    yield _STARTER / language / "agent-loop.yml", ".github/workflows/agent-loop.yml"


def _write(path: Path, content: bytes) -> bool:
    """False where there is something already."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        if path.parent.is_dir():
            return False
        raise BadInput(f"{path.parent}: expected a folder, got a file; choose another folder") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror or error}; choose another folder") from None
    return True


def _installs(language: str, client: str | None) -> list[str]:
    """What to install for the example loop: the SDK of its client, which is called as its package; or nothing."""
    package = client or next(iter(EXAMPLES[language]))
    if language != "python" or any(metadata.distributions(name=package)):
        return []
    return [f"pip install {package}"]
