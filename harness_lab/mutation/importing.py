"""A module that is imported with another source than its file has."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

__all__ = ["import_as"]


def import_as(module: str, source: str) -> None:
    """From now on this process imports ``module`` with this source. Raises ``RuntimeError`` where it has already."""
    if module in sys.modules:
        raise RuntimeError(f"{module} was imported before it was replaced: what has its names would keep them")
    sys.meta_path.insert(0, _OtherSource(module, source))


class _OtherSource(MetaPathFinder):
    def __init__(self, module: str, source: str) -> None:
        self._module = module
        self._source = source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of that one module, with our loader; of any other None, so that the usual finders are asked."""
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
