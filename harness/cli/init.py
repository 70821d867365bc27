"""``harness init``: a scenario, a loop, what says how it is started, and a workflow, to begin with."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from harness.errors import BadInput
from harness.scenario import shipped

__all__ = ["LANGUAGES", "init"]

LANGUAGES = {"python": "example_loop.py", "node": "example_loop.mjs"}
"""The languages of the example, with the file that it is in."""

_STARTER = Path(__file__).resolve().parent.parent / "starter"


def init(folder: Path, language: str) -> int:
    """Write what is not there yet below ``folder``, and tell what to do next. No file is changed that is."""
    for source, name in _files(language):
        written = _write(folder / name, source.read_bytes())
        print(f"{'wrote' if written else 'kept '} {folder / name}{'' if written else ', which was there'}")
    steps = [] if folder == Path() else [f"cd {shlex.quote(str(folder))}"]
    print("\nNext:")
    for step in (*steps, "harness run scenarios --target harness-target.yaml"):
        print(f"  {step}")
    return 0


def _files(language: str) -> Iterator[tuple[Path, str]]:
    """Every file, and where it goes."""
    own = _STARTER / language
    yield _STARTER / "weather-in-two-cities.yaml", "scenarios/weather-in-two-cities.yaml"
    yield shipped() / "schema.json", "scenarios/schema.json"
    yield own / LANGUAGES[language], LANGUAGES[language]
    yield own / "harness-target.yaml", "harness-target.yaml"
    yield own / "agent-loop.yml", ".github/workflows/agent-loop.yml"


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
