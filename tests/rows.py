"""Tables of examples that one test goes through: an item of pytest's for each row takes longer than the row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import signature
from typing import TypeAlias

import pytest
from _pytest.mark import ParameterSet

Test: TypeAlias = Callable[..., None]


def each_row(names: str | Sequence[str], rows: Iterable[object]) -> Callable[[Test], Test]:
    """Calls a test with each row, as ``pytest.mark.parametrize`` does, and fails with all rows that it fails for.

    Fixtures are set up once for all rows.
    """
    keys = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    listed = tuple(rows)
    assert listed, "without a row nothing would be tested"
    assert not any(isinstance(row, ParameterSet) for row in listed), "rows have no marks of their own"
    table = [tuple(row) if isinstance(row, Iterable) and len(keys) > 1 else (row,) for row in listed]

    def of_all_rows(test: Test) -> Test:
        @wraps(test)
        def run(*args: object, **fixtures: object) -> None:
            failed = []
            for row in table:
                try:
                    test(*args, **fixtures, **dict(zip(keys, row, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    failed.append(f"{row!r}: {type(error).__name__}: {error}")
            if failed:
                pytest.fail("\n".join((f"{len(failed)} of {len(table)} rows:", *failed)), pytrace=False)

        own = signature(test)
        left = [parameter for name, parameter in own.parameters.items() if name not in keys]
        run.__signature__ = own.replace(parameters=left)  # type: ignore[attr-defined]  # where pytest looks for fixtures
        return run

    return of_all_rows
