"""The SDKs of the providers and other large packages, each of which is imported when a test first uses it.

Collecting the tests imports none of them: importing all takes longer than collecting, and each process that runs tests
collects all of them. Write ``from tests.sdks import openai``, and ``openai.AsyncOpenAI`` in a function. At the top of a
module, in a class statement or in a parameter of ``parametrize``, that would import the SDK at once, and
``tests/test_collection.py`` fails.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

__all__ = [
    "PIL",
    "Deferred",
    "agents",
    "anthropic",
    "genai",
    "large",
    "mkdocs",
    "needs",
    "openai",
    "pydantic_ai",
    "sessions",
    "vcr",
]


class Deferred(ModuleType):
    """A module or package of which only the name is known, until something in it is read or replaced.

    An attribute that the package does not have is looked for among its modules. pytest looks for some attributes in
    whatever a test module has; a package that is not imported has none of them.
    """

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        return vars(import_module(self.__name__))  # where monkeypatch looks

    def __getattr__(self, name: str) -> Any:
        if name == "_mock_name" or (name.startswith("__") and name != "__version__"):
            raise AttributeError(name)
        module = import_module(self.__name__)
        try:
            found = getattr(module, name)
        except AttributeError:
            with suppress(ModuleNotFoundError):
                found = import_module(f"{self.__name__}.{name}")
                return Deferred(found.__name__) if hasattr(found, "__path__") else found
            raise
        is_package = isinstance(found, ModuleType) and hasattr(found, "__path__")
        return Deferred(found.__name__) if is_package else found

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(import_module(self.__name__), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(import_module(self.__name__), name)


LARGE = ("openai", "anthropic", "google.genai", "agents", "pydantic_ai", "langchain", "mkdocs", "playwright", "vcr")


def large(modules: Iterable[str]) -> list[str]:
    """Those of some modules that no test module may import at its top."""
    return sorted({*modules} & {*LARGE})


def needs(package: str, reason: str) -> pytest.MarkDecorator:
    """Skip the tests of a module, ``pytestmark``, where a package is not installed. The package is not imported."""
    return pytest.mark.skipif(find_spec(package) is None, reason=reason)


if TYPE_CHECKING:
    import agents
    import anthropic
    import mkdocs
    import openai
    import PIL
    import pydantic_ai
    import vcr
    from google import genai

    from harness.loop import sessions
else:
    PIL = Deferred("PIL")
    agents = Deferred("agents")
    anthropic = Deferred("anthropic")
    genai = Deferred("google.genai")
    mkdocs = Deferred("mkdocs")
    openai = Deferred("openai")
    pydantic_ai = Deferred("pydantic_ai")
    sessions = Deferred("harness.loop.sessions")
    vcr = Deferred("vcr")
