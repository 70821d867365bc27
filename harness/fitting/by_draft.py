"""A schema that can be queried: compiled by its draft, without fetching anything, and with bounded patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from harness.fitting.dialects import OLDER, in_json_schema
from harness.fitting.patterns import is_pattern
from harness.scenario.drafts import DRAFT_07, NEWEST, WITH_SIBLINGS, draft_of
from harness.scenario.regexes import MOST_BACKTRACKING
from harness.wire.characters import sendable_value

_LARGEST_PATTERN: Final = 1_000_000
"""Bytes of a compiled pattern."""

_MOST_MENDED: Final = 20
"""The most keywords that are left out of a schema that its draft refuses."""

_ADDRESS: Final = "json-schema:///"
"""The address under which a schema without its own address is registered."""


_NO_ADDRESS: Final = re.compile(r'[\s<>"{}|\\^`]')
"""Characters that no address contains."""


class Unreadable(Exception):
    """Nobody can know what fits a schema. The text of the error is the reason."""


@dataclass(frozen=True, slots=True)
class SchemaByDraft:
    """A schema by one draft. ``left_out`` are the places that the draft refuses; they are ignored."""

    schema: Any
    draft: str
    left_out: tuple[str, ...]
    _validator: Any
    _accepting: dict[str, Any] = field(default_factory=dict)
    _forms: list[SchemaByDraft | None] = field(default_factory=list)

    @property
    def siblings(self) -> bool:
        """Whether keywords beside a ``$ref`` count."""
        return self.draft in WITH_SIBLINGS

    def accepts(self, value: Any) -> bool:
        """Whether ``value`` fits."""
        try:
            return bool(self._validator.is_valid(value))
        except ValueError:  # nested more deeply than the validator goes
            return False

    def problem(self, value: Any) -> str:
        """The first reason why ``value`` does not fit; ``""`` if it fits."""
        error = next(self._validator.iter_errors(value), None)
        at = "" if error is None else "/".join(map(str, error.instance_path))
        return "" if error is None else f"{error.message[:200]} (at {at or 'the top'})"

    def accepts_alone(self, schemas: Sequence[Mapping[str, Any]], value: Any) -> bool:
        """Whether ``value`` fits each of ``schemas``, which refer to nothing."""
        import jsonschema_rs

        key = repr(schemas)
        if key not in self._accepting:
            try:
                self._accepting[key] = _validator_of({"allOf": list(schemas)}, self.draft)
            except (jsonschema_rs.ValidationError, Unreadable):  # at a keyword that the draft does not have
                self._accepting[key] = None
        alone = self._accepting[key]
        try:
            return alone is None or bool(alone.is_valid(value))
        except ValueError:
            return False

    def references(self) -> ReferenceFinder:
        """Finds what the references of the schema lead to."""
        return ReferenceFinder(self.schema, _number(self.draft))

    def canonical(self) -> SchemaByDraft | None:
        """The same schema in fewer keywords, with conditions and choices decided; None if there is no such form.

        Its schema is False if it is certain that nothing fits.
        """
        if not self._forms:
            self._forms.append(self._canonical())
        return self._forms[0]

    def _canonical(self) -> SchemaByDraft | None:
        import jsonschema_rs

        refused = (jsonschema_rs.canonical.CanonicalizationError, jsonschema_rs.ValidationError, ValueError)
        try:
            form = jsonschema_rs.canonicalize(
                self.schema, draft=_number(self.draft), validate_formats=True, offline=True
            )
            nothing = form.satisfiability() == jsonschema_rs.canonical.Satisfiability.NO
            schema = False if nothing else form.to_json_schema()
        except refused:
            return None
        return replace(self, schema=schema, _forms=[])


class ReferenceFinder:
    """Finds what references lead to, from one place in a schema; nothing is ever fetched."""

    def __init__(self, schema: Any, draft: int) -> None:
        self._schema = schema
        self._draft = draft
        self._resolver: Any = None
        self._found: dict[tuple[str, str], tuple[Any, ReferenceFinder]] = {}

    def lookup(self, reference: str) -> tuple[Any, ReferenceFinder]:
        """The target of ``reference``, the same object each time. Raises ``LookupError`` if there is none."""
        import jsonschema_rs

        try:
            if self._resolver is None:
                registry = jsonschema_rs.Registry([(_ADDRESS, self._schema)], draft=self._draft)
                self._resolver = registry.resolver(_ADDRESS)
            key = (self._resolver.base_uri, reference)
            if key not in self._found:
                found = self._resolver.lookup(reference)
                there = ReferenceFinder(self._schema, self._draft)
                there._resolver, there._found = found.resolver, self._found
                self._found[key] = (found.contents, there)
        except (jsonschema_rs.ReferencingError, ValueError) as error:
            raise LookupError(reference) from error
        return self._found[key]


def by_each_draft(schema: Any) -> list[SchemaByDraft]:
    """The schema by each draft that it may mean. A value must fit the first, and should fit the others.

    Raises ``Unreadable`` if it is no JSON Schema, or refers to something outside of itself.
    """
    if isinstance(schema, bool) or not isinstance(schema, Mapping):
        schema = {} if schema is not False else {"not": {}}
    schema = sendable_value(dict(schema))
    if draft_of(schema) is None:
        schema.pop("$schema", None)
    if isinstance(own := schema.get("$id"), str) and _NO_ADDRESS.search(own):
        del schema["$id"]  # a title: nothing can refer to it
    whole = _each_draft(schema) or _each_draft(in_json_schema(schema))
    return whole or [_mended_schema(in_json_schema(schema))]


def _each_draft(schema: Mapping[str, Any]) -> list[SchemaByDraft]:
    """The schema by its draft, or by each draft that it may mean; empty if the draft refuses it."""
    import jsonschema_rs

    named = draft_of(schema)
    try:
        found = [_by_draft(schema, named or NEWEST)]
    except jsonschema_rs.ValidationError as error:
        path = list(error.instance_path)
        older = OLDER.get(str(path[-1])) if path and named is None else None
        with suppress(jsonschema_rs.ValidationError):
            return [] if older is None else [_by_draft(schema, older)]
        return []
    with suppress(jsonschema_rs.ValidationError, Unreadable):  # what it refers to may be no place in an older draft
        found += [_by_draft(schema, DRAFT_07)] * (named is None)
    return found


def _by_draft(schema: Any, draft: str, left_out: tuple[str, ...] = ()) -> SchemaByDraft:
    return SchemaByDraft(schema, draft, left_out, _validator_of(schema, draft))


def _validator_of(schema: Any, draft: str) -> Any:
    """Raises ``jsonschema_rs.ValidationError`` if ``schema`` is not valid by the draft."""
    import jsonschema_rs

    options = jsonschema_rs.FancyRegexOptions(backtrack_limit=MOST_BACKTRACKING, size_limit=_LARGEST_PATTERN)
    names = {20: "Draft202012", 19: "Draft201909", 7: "Draft7", 6: "Draft6", 4: "Draft4"}
    kind = getattr(jsonschema_rs, f"{names[_number(draft)]}Validator")
    try:
        return kind(schema, validate_formats=True, pattern_options=options, offline=True)
    except jsonschema_rs.ValidationError as error:
        if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Referencing):
            asked = re.search("'([^']*)'", error.message)
            what = asked[1] if asked else "something"
            raise Unreadable(f"its schema refers to {what}, which is not in it, and nothing is fetched") from None
        raise
    except ValueError as error:
        raise Unreadable(f"its schema cannot be read: {error}") from None


def _mended_schema(schema: dict[str, Any]) -> SchemaByDraft:
    """The schema without the parts that its draft refuses."""
    import jsonschema_rs

    draft = draft_of(schema) or NEWEST
    left_out: list[str] = []
    for _ in range(_MOST_MENDED):
        try:
            return _by_draft(schema, draft, tuple(left_out))
        except jsonschema_rs.ValidationError as error:
            path = list(error.instance_path)
            if not path:
                raise Unreadable(f"its schema is no JSON Schema: {str(error.message)[:200]}") from None
            left_out.append("/".join(map(str, path)))
            if all(map(is_pattern, _patterns_at(schema, path))):
                raise Unreadable(f"its pattern at '{left_out[-1]}' is too large to be matched") from None
            schema = _without(schema, path)
    raise Unreadable(f"its schema is no JSON Schema: {', '.join(left_out[:3])} and more are wrong")


def _patterns_at(schema: Any, path: Sequence[str | int]) -> Sequence[object]:
    """The patterns at a place; if it has none, one pattern that nobody can read."""
    for step in path:
        schema = schema[step]
    if path[-1] == "pattern":
        return [schema]
    return list(schema) if path[-1] == "patternProperties" and isinstance(schema, dict) else [None]


def _without(schema: Any, path: Sequence[str | int]) -> Any:
    """A copy of the schema without the part at ``path``."""
    step, *rest = path
    copied: Any = list(schema) if isinstance(schema, list) else dict(schema)
    if rest:
        copied[step] = _without(schema[step], rest)
    else:
        del copied[step]
    return copied


def _number(draft: str) -> int:
    return {"2020-12": 20, "2019-09": 19, "07": 7, "06": 6, "04": 4}[
        draft.partition("draft")[2].strip("-/#").partition("/")[0]
    ]
