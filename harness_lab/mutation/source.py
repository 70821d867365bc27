"""A module as text and as a tree: where a node is, which function it is in, and which parts are not behaviour."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

NOT_SEEN = frozenset({"repr", "warnings"})
"""Keywords that only decide whether a debugger shows a member, or whether a library warns on stderr."""

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class SourceModule:
    """The source of a module. ``path`` is relative to the folder that it is imported from, with ``/``."""

    def __init__(self, root: Path, path: str) -> None:
        self.path = path
        self.file = root / path
        self.raw = self.file.read_bytes()
        self.tree = ast.parse(self.raw)
        self.lines = self.raw.decode().split("\n")

    @property
    def name(self) -> str:
        """The module's name, as it is imported."""
        parts = self.path.removesuffix(".py").split("/")
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @cached_property
    def _starts(self) -> list[int]:
        """The byte offset of every line."""
        starts = [0]
        for line in self.raw.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts

    @cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The byte offsets of a node."""
        assert node.end_lineno is not None  # noqa: S101 - the parser sets both
        assert node.end_col_offset is not None  # noqa: S101
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node as it is in the file."""
        start, end = self.span(node)
        return self.raw[start:end].decode()

    def with_part(self, node: ast.expr | ast.stmt, part: tuple[int, int], new: str) -> str:
        """The text of a node in which the bytes of ``part``, offsets in the file, are replaced by ``new``."""
        start, end = self.span(node)
        return (self.raw[start : part[0]] + new.encode() + self.raw[part[1] : end]).decode()

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node around a node."""
        return self._parents.get(node)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, the nearest first."""
        while (outer := self._parents.get(node)) is not None:
            yield outer
            node = outer

    def qualname(self, node: ast.AST) -> str:
        """The classes and functions that a node is in; empty at the top of the module."""
        names = [each.name for each in (node, *self.around(node)) if isinstance(each, _SCOPES)]
        return ".".join(reversed(names))

    def function(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The innermost function that a node is in."""
        functions = (each for each in self.around(node) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
        return next(functions, None)

    def is_private(self, node: ast.AST) -> bool:
        """Whether a node is part of a top-level name that other modules do not use: it has an underscore, and no public
        name has a value that is made of it."""
        name = self.top_name(node)
        return name.startswith("_") and name not in self._shared

    @cached_property
    def _shared(self) -> set[str]:
        """The public names at the top of the module, the names that their values are made of, and rules."""
        made_of = {name: value for each in self.tree.body for name, value in _assigned(each)}
        waiting = [name for name in made_of if not name.startswith("_")]
        shared = {each.name for each in self.tree.body if isinstance(each, ast.FunctionDef) and _declarations(each)}
        while waiting:
            name = waiting.pop()
            if name not in shared:
                shared.add(name)
                inside = (each.id for each in ast.walk(made_of[name]) if isinstance(each, ast.Name))
                waiting += [each for each in inside if each in made_of]
        return shared

    def top_name(self, node: ast.AST) -> str:
        """The name at the top of the module that a node is part of; empty if there is none, or more than one."""
        statement = [each for each in (node, *self.around(node)) if isinstance(each, ast.stmt)][-1]
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                return name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                return name
        return ""

    def is_in_body(self, node: ast.AST) -> bool:
        """Whether a node is in the body of a function: not at the top of a module or class, no parameter's default."""
        inner = node
        for outer in self.around(node):
            if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef) and inner in outer.body:
                return True
            inner = outer
        return False

    def ran_with(self, node: ast.AST) -> tuple[int, int]:
        """The first and last line of the statement that runs the node; of a compound statement, its head."""
        statement = next(each for each in (node, *self.around(node)) if isinstance(each, ast.stmt))
        body = getattr(statement, "body", None)
        last = statement.end_lineno or statement.lineno
        if isinstance(body, list) and body and not isinstance(statement, ast.Try):
            last = max(statement.lineno, body[0].lineno - 1)
        return statement.lineno, last

    def behaviour(self) -> Iterator[ast.expr | ast.stmt]:
        """Every node that a run can depend on. Left out are annotations, imports, docstrings, assertions, f-strings,
        whether a debugger shows a member, checks of misuse, and all decorators except the declaration of a rule.

        Text in f-strings has no exact place before Python 3.12, and is for people as a rule. A check of misuse raises
        ``BadInput``, and does nothing else (``is_misuse``).
        """
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.expr | ast.stmt):
                yield node
            waiting.extend(reversed([child for child in _children(node) if not _is_inert(child)]))


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The name that a statement gives a value, with the value."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value


def _declarations(function: ast.FunctionDef) -> list[ast.expr]:
    """The decorator that makes a function the check of a rule, ``@rule(...)``, if it has it."""
    return [each for each in function.decorator_list if isinstance(each, ast.Call) and ast.unparse(each.func) == "rule"]


def _children(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.FunctionDef():
            yield from _declarations(node)
        case ast.Call(func=ast.Name(id="cast"), args=[_, *args]):
            yield from args  # the first one is a type, as annotations are
            return
        case ast.Call(func=ast.Name(id="zip"), args=args):
            yield from args  # that they are as long as each other is an assertion
            return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases", "pattern", "type_params"):
            continue
        if isinstance(value, ast.AST):
            yield value
        elif isinstance(value, list):
            yield from (each for each in value if isinstance(each, ast.AST))


def is_misuse(node: ast.AST) -> bool:
    """Whether a statement only refuses bad input: it raises ``BadInput``, alone or under a condition, or it is a
    function that returns nothing and does only that. A scenario is read and checked before it is run, so no run
    reaches such a statement; tests of the API do."""
    match node:
        case ast.FunctionDef(returns=ast.Constant(value=None)):
            return _only_refuses(node)
        case ast.Raise(exc=ast.Call(func=ast.Name(id="BadInput"))):
            return True
        case ast.If(body=[ast.Raise() as only], orelse=[]):
            return is_misuse(only)
    return False


def _only_refuses(function: ast.FunctionDef) -> bool:
    """Whether a function raises ``BadInput`` and leaves nothing changed outside of it."""
    raised = [each for each in ast.walk(function) if isinstance(each, ast.Raise)]
    targets = (each for each in ast.walk(function) if isinstance(each, ast.Attribute | ast.Subscript))
    changes = any(isinstance(each.ctx, ast.Store | ast.Del) for each in targets)
    waits = any(isinstance(each, ast.Yield | ast.YieldFrom | ast.Await) for each in ast.walk(function))
    return bool(raised) and all(map(is_misuse, raised)) and not changes and not waits


def is_for_people(node: ast.AST) -> bool:
    """Whether a value is text that only people read: with a space in it, formatted, or joined from such texts."""
    match node:
        case ast.Constant(value=str(text)):
            return any(map(str.isspace, text.strip()))
        case ast.JoinedStr():
            return True
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return is_for_people(left) or is_for_people(right)
    return False


def _is_inert(node: ast.AST) -> bool:
    if is_misuse(node):
        return True
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Assert() | ast.JoinedStr() | ast.Global() | ast.Nonlocal():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.keyword(arg=name):
            return name in NOT_SEEN
        case ast.AnnAssign(value=ast.Call(func=ast.Name(id="WireRule"))):
            return True  # statement, reasons and evidence, and the right and wrong requests by which the rest is judged
        case ast.FunctionDef(args=ast.arguments(args=args)):
            return any(isinstance(each.annotation, ast.Name) and each.annotation.id == "Posted" for each in args)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name in ("__all__", "__slots__") or _is_type(value)
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
    return False


def _is_type(value: ast.expr) -> bool:
    """Whether a value is an alias of types, such as ``Callable[[int], str]`` or ``str | None``."""
    match value:
        case ast.Subscript(value=ast.Name(id=name)):
            return name[:1].isupper() or name in ("dict", "list", "tuple", "type", "frozenset", "set")
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _names_a_type(left) and _names_a_type(right)
        case ast.Call(func=ast.Name(id="TypeVar" | "ParamSpec" | "NewType")):
            return True
    return False


def _names_a_type(value: ast.expr) -> bool:
    match value:
        case ast.Name(id=name):
            return name[:1].isupper() or name in ("str", "int", "bytes", "float", "bool", "dict", "list", "tuple")
        case ast.Constant(value=None):
            return True
    return _is_type(value)
