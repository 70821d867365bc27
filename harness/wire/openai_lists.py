"""OpenAI's lists, page by page (``after``, ``limit``, ``order``), and the checks of metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from harness.finding import ProviderAnswer
from harness.ground.bounded_json import loads
from harness.wire.lenient import Json, string

_MOST: Final = 100
_USUAL: Final = 20
_KEYS: Final = 16
_TOO_FEW: Final = "integer below minimum value. Expected a value >= 1"


def page(items: Sequence[Json], query: Mapping[str, str], order: str) -> Json | ProviderAnswer:
    """The page of a list: a list object, or a refusal. ``items`` come in ``order``, which a query without one gets."""
    limit = query.get("limit") or str(_USUAL)
    if not limit.lstrip("-").isdigit():
        message = f"Invalid type for 'limit': expected an integer, but got '{limit}' instead."
        return _invalid("limit", message, "invalid_type")
    wanted = int(limit)
    if not 1 <= wanted <= _MOST:
        above = wanted > _MOST
        words = f"integer above maximum value. Expected a value <= {_MOST}" if above else _TOO_FEW
        code = f"integer_{'above_max' if above else 'below_min'}_value"
        return _invalid("limit", f"Invalid 'limit': {words}, but got {wanted} instead.", code)
    wanted_order = query.get("order") or order
    if wanted_order not in ("asc", "desc"):
        message = f"Invalid value: '{wanted_order}'. Supported values are: 'asc' and 'desc'."
        return _invalid("order", message, "invalid_value")
    listed = list(items) if wanted_order == "asc" else list(reversed(items))
    if after := query.get("after"):
        place = next((at for at, item in enumerate(listed) if item.get("id") == after), None)
        if place is None:
            return unknown("Item", after)
        listed = listed[place + 1 :]
    shown = listed[:wanted]
    ids = [string(item.get("id")) for item in shown]
    ends = {"first_id": ids[0], "last_id": ids[-1]} if ids else {"first_id": None, "last_id": None}
    return {"object": "list", "data": shown, **ends, "has_more": len(listed) > len(shown)}


def unknown(what: str, id: str) -> ProviderAnswer:
    """The answer about an id that does not exist."""
    return ProviderAnswer(f"{what} with id '{id}' not found.", 404)


def too_long(member: str, most: int, got: int) -> ProviderAnswer:
    """The answer to a list of more entries than are accepted at a time."""
    message = (
        f"Invalid '{member}': array too long. Expected an array with maximum length {most}, but got an array with "
        f"length {got} instead."
    )
    return _invalid(member, message, "array_above_max_length")


def object_of(body: bytes) -> Json | ProviderAnswer:
    """The body of a request, which must be an object. No body counts as an empty object."""
    try:
        found = loads(body) if body.strip() else {}
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    return ProviderAnswer(
        "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library "
        "correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)"
    )


def metadata_of(body: Json, *, required: bool) -> Json | ProviderAnswer:
    """The metadata that a request sets: at most 16 texts."""
    if required and "metadata" not in body:
        return _invalid("metadata", "Missing required parameter: 'metadata'.", "missing_required_parameter")
    found: Any = body.get("metadata")
    if found is None:
        return {}
    if not isinstance(found, dict):
        message = f"Invalid type for 'metadata': expected an object, but got {_kind(found)} instead."
        return _invalid("metadata", message, "invalid_type")
    if len(found) > _KEYS:
        message = (
            f"Invalid 'metadata': too many properties. Expected an object with at most {_KEYS} properties, but got an "
            f"object with {len(found)} properties instead."
        )
        return _invalid("metadata", message, "object_above_max_properties")
    for name, value in found.items():
        if not isinstance(value, str):
            at = f"metadata.{name}"
            return _invalid(
                at, f"Invalid type for '{at}': expected a string, but got {_kind(value)} instead.", "invalid_type"
            )
    return found


def _kind(value: Any) -> str:
    names = {bool: "a boolean", int: "an integer", float: "a decimal number", list: "an array", dict: "an object"}
    return names.get(type(value), "a string" if isinstance(value, str) else "null")


def _invalid(param: str, message: str, code: str) -> ProviderAnswer:
    return ProviderAnswer(message, 400, param, param, code)
