"""A loop that cannot be imported."""

import no_such_package  # type: ignore[import-not-found]  # noqa: F401


def run(case: object) -> None:
    raise AssertionError("never imported")
