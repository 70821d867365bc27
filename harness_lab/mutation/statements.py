"""Mutants of statements: missing ones, ones that end something else, and ones with the opposite condition."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from harness_lab.mutation.source import SourceModule


def of_statement(module: SourceModule, node: ast.stmt) -> Iterator[tuple[str, str]]:
    """For each operator its name and the text that replaces the statement."""
    match node:
        case ast.If(test=test) | ast.While(test=test):
            yield from _condition(module, node, test)
        case ast.Return(value=value) if value is not None:
            yield from _returned(module, node, value)
        case ast.Expr() | ast.Raise() | ast.Delete() | ast.For() | ast.AsyncFor():
            yield "delete", "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "delete", "pass"
        case ast.AugAssign(target=target, value=value):
            yield "delete", "pass"
            yield "assign", f"{ast.unparse(target)} = {ast.unparse(value)}"
        case ast.Continue():
            yield "delete", "pass"
            yield "jump", "break"
        case ast.Break():
            yield "delete", "pass"
            yield "jump", "continue"
        case ast.Try():
            yield from _handlers(module, node)


def _condition(module: SourceModule, node: ast.If | ast.While, test: ast.expr) -> Iterator[tuple[str, str]]:
    """Mutants of a condition. A comparison or a negation has its own operators."""
    if not isinstance(test, ast.Compare) and not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
        yield "negate", module.with_part(node, module.span(test), f"(not ({module.text(test)}))")
    if not node.orelse and isinstance(node, ast.If):
        yield "delete", "pass"


def _returned(module: SourceModule, node: ast.Return, value: ast.expr) -> Iterator[tuple[str, str]]:
    if isinstance(value, ast.BoolOp):
        yield "negate", f"return not ({module.text(value)})"
    if not isinstance(value, ast.Constant):
        yield "return", "return None"
    if isinstance(module.parent(node), ast.If):
        yield "delete", "pass"


def _handlers(module: SourceModule, node: ast.Try) -> Iterator[tuple[str, str]]:
    """A handler that raises the caught exception again."""
    for handler in node.handlers:
        part = module.span(handler.body[0])[0], module.span(handler.body[-1])[1]
        yield "uncaught", module.with_part(node, part, "raise")
