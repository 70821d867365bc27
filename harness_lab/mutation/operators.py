"""The mistakes that are made: for a node, each text that can replace it, with the name of the operator.

The operators are those of the literature (Offutt; cosmic-ray and mutmut have most): comparisons, connectives,
constants, conditions, returned values, arguments of calls, and missing statements. A mutant has one of them, once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from harness_lab.mutation.calls import of_call
from harness_lab.mutation.source import SourceModule, is_for_people
from harness_lab.mutation.statements import of_statement

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Change:
    """``node`` is replaced by the text ``new``."""

    operator: str
    node: ast.expr | ast.stmt
    new: str


def changes(module: SourceModule) -> Iterator[Change]:
    """Every change of a module that parses, each text once."""
    seen: set[tuple[tuple[int, int], str]] = set()
    for node in module.behaviour():
        made = of_statement(module, node) if isinstance(node, ast.stmt) else _of_expression(module, node)
        for operator, new in made:
            key = module.span(node), new
            if key not in seen:
                seen.add(key)
                yield Change(operator, node, new)


def _of_expression(module: SourceModule, node: ast.expr) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Compare(ops=[_]):
            yield from _compare(node)
        case ast.BoolOp():
            yield from _connective(node)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "drop-not", f"({ast.unparse(operand)})"
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield "drop-minus", ast.unparse(operand)
        case ast.BinOp() if not is_for_people(node):
            yield from _arithmetic(node)
        case ast.Constant():
            yield from _constant(module, node)
        case ast.IfExp(test=test):
            yield "negate", ast.unparse(ast.IfExp(_not(test), node.body, node.orelse)).join("()")
        case ast.Slice(lower=lower, upper=upper):
            yield from _slice(lower, upper)
        case ast.List() | ast.Tuple() | ast.Set() if isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            yield from _elements(module, node)
        case ast.Dict(keys=keys):
            for at in range(len(keys)):
                yield "drop-element", ast.unparse(ast.Dict(_without(keys, at), _without(node.values, at)))
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            yield from _filters(node)
        case ast.Call():
            yield from of_call(node)
        case ast.Name(ctx=ast.Load()):
            yield from _names(module, node)


# --- conditions ---------------------------------------------------------------------------------------------

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}


def _compare(node: ast.Compare) -> Iterator[tuple[str, str]]:
    for other in _COMPARED[type(node.ops[0])]:
        yield "compare", ast.unparse(ast.Compare(node.left, [other()], node.comparators)).join("()")


def _connective(node: ast.BoolOp) -> Iterator[tuple[str, str]]:
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield "connective", ast.unparse(ast.BoolOp(other, node.values)).join("()")
    for at in range(len(node.values)):
        left = _without(node.values, at)
        yield "drop-operand", ast.unparse(left[0] if len(left) == 1 else ast.BoolOp(node.op, left)).join("()")


def _filters(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Iterator[tuple[str, str]]:
    for generator in node.generators:
        for at, test in enumerate(generator.ifs):
            for operator, ifs in (
                ("drop-filter", _without(generator.ifs, at)),
                ("negate", [*generator.ifs[:at], _not(test), *generator.ifs[at + 1 :]]),
            ):
                whole, generator.ifs = generator.ifs, ifs
                text = ast.unparse(node)
                generator.ifs = whole
                yield operator, text


def _not(test: ast.expr) -> ast.expr:
    return (
        test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else ast.UnaryOp(ast.Not(), test)
    )


# --- values -------------------------------------------------------------------------------------------------

_OTHER_WAY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


def _arithmetic(node: ast.BinOp) -> Iterator[tuple[str, str]]:
    if (other := _OTHER_WAY.get(type(node.op))) is not None:
        yield "arithmetic", ast.unparse(ast.BinOp(node.left, other(), node.right)).join("()")
    if isinstance(node.op, ast.Add | ast.Sub | ast.BitOr | ast.BitAnd):
        yield "drop-operand", ast.unparse(node.left).join("()")
        if not isinstance(node.op, ast.Sub):
            yield "drop-operand", ast.unparse(node.right).join("()")


def _constant(module: SourceModule, node: ast.Constant) -> Iterator[tuple[str, str]]:
    """Mutants of a constant. Words for people, which have a space in them, are no behaviour."""
    match node.value:
        case bool(value):
            yield "constant", str(not value)
        case int(value) | float(value):
            yield "off-by-one", repr(value + 1)
            yield "off-by-one", repr(value - 1) if value else "(-1)"
        case "":
            yield "constant", '"mutated"'
        case b"":
            yield "constant", 'b"mutated"'
        case str(text) if not any(map(str.isspace, text.strip())) and module.text(node)[:1] in "\"'":
            yield "constant", '""'
        case bytes():
            yield "constant", 'b""'


def _slice(lower: ast.expr | None, upper: ast.expr | None) -> Iterator[tuple[str, str]]:
    if lower is not None:
        yield "drop-bound", f":{ast.unparse(upper) if upper is not None else ''}"
    if upper is not None:
        yield "drop-bound", f"{ast.unparse(lower) if lower is not None else ''}:"


def _elements(module: SourceModule, node: ast.List | ast.Tuple | ast.Set) -> Iterator[tuple[str, str]]:
    """Mutants of the elements. A tuple that is an index keeps its form, and one that is unpacked its length."""
    unpacked = isinstance(module.parent(node), ast.Subscript | ast.Assign | ast.Return | ast.For)
    if len(node.elts) < 2 or (isinstance(node, ast.Tuple) and unpacked):
        return
    for at in range(len(node.elts)):
        left = _without(node.elts, at)
        made = ast.Set(left) if isinstance(node, ast.Set) else type(node)(left, ast.Load())
        yield "drop-element", ast.unparse(made)


def _names(module: SourceModule, node: ast.Name) -> Iterator[tuple[str, str]]:
    """For a parameter, another parameter of the function that has the same type."""
    function = module.function(node)
    if function is None:
        return
    parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    types = {each.arg: ast.unparse(each.annotation) for each in parameters if each.annotation is not None}
    for name, kind in types.items():
        if name != node.id and types.get(node.id) == kind:
            yield "other-name", name


def _without(values: list[_T], at: int) -> list[_T]:
    return [*values[:at], *values[at + 1 :]]
