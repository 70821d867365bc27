"""Imports a module from a source other than its file, and finds out what can be imported before that."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from harness_lab.mutation.forking import Limits, in_forks


def import_as(module: str, source: str) -> None:
    """From now on this process imports ``module`` with this source. Raises ``RuntimeError`` if it has imported it
    already."""
    if module in sys.modules:
        raise RuntimeError(f"{module} was imported before it was replaced: what has its names would keep them")
    sys.meta_path.insert(0, _OtherSource(module, source))


def independent(root: Path, modules: Sequence[str], mutated: Set[str]) -> list[str]:
    """Those of ``modules``, with sources in ``root``, whose import does not import a ``mutated`` module, even
    indirectly. So they can be imported once, before any fork."""
    sources = {name: file for name in modules if (file := _file(root, name)) is not None}
    imported = {name: set(_imported(name, file)) & sources.keys() for name, file in sources.items()}
    left = sources.keys() - mutated
    while dependent := {name for name in left if not imported[name] <= left}:
        left = left - dependent
    return [name for name in modules if name in left]


def importable(root: Path, modules: Sequence[str], mutated: Set[str]) -> list[str]:
    """Those of ``independent`` that import no ``mutated`` module through a call either. That shows only during the
    import, so it is tried in a fork, which reports the first one that does."""
    by_call: frozenset[str] = frozenset()
    while True:
        names = independent(root, modules, mutated | by_call)
        (fork,) = in_forks([names], lambda each: _first_that_imports(each, mutated), lambda _: Limits(300, 1500), 1)
        if not isinstance(fork.result, str):
            return names
        by_call |= {fork.result}


def _first_that_imports(names: Sequence[str], mutated: Set[str]) -> str | None:
    for name in names:
        with suppress(Exception):  # what only some platforms have
            import_module(name)
        if mutated & sys.modules.keys():
            return name
    return None


def _file(root: Path, module: str) -> Path | None:
    path = root / module.replace(".", "/")
    return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)


def _imported(module: str, file: Path) -> Iterator[str]:
    """The modules that a module's own code imports when it is imported, with the packages around each of them."""
    yield from _packages(module)
    for name in _names(ast.parse(file.read_bytes())):
        yield name
        yield from _packages(name)


def _packages(module: str) -> Iterator[str]:
    parts = module.split(".")
    return (".".join(parts[:length]) for length in range(1, len(parts)))


def _names(node: ast.AST) -> Iterator[str]:
    """The imported names, without imports for types alone or inside functions; a name may be a module."""
    match node:
        case ast.Import(names=names):
            yield from (each.name for each in names)
        case ast.ImportFrom(module=str(module), names=names):
            yield from (module, *(f"{module}.{each.name}" for each in names))
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            return
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=others):
            yield from (name for other in others for name in _names(other))
        case _:
            yield from (name for child in ast.iter_child_nodes(node) for name in _names(child))


class _OtherSource(MetaPathFinder):
    def __init__(self, module: str, source: str) -> None:
        self._module = module
        self._source = source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of that one module, with our loader; None for any other, so that the usual finders are asked."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname == self._module else None
        if spec is not None and spec.origin is not None:
            spec.loader = _OtherLoader(fullname, spec.origin, self._source)
        return spec


class _OtherLoader(SourceFileLoader):
    def __init__(self, fullname: str, path: str, source: str) -> None:
        super().__init__(fullname, path)
        self._source = source

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - the loader has one module
        """The code of the other source, under the name of the file, never from or into a cache."""
        return compile(self._source, self.path, "exec", dont_inherit=True)
