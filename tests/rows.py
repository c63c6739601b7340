"""Tables of examples that one test goes through: an item of pytest's for each row takes longer than the row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TypeAlias, cast

import pytest
from _pytest.mark import ParameterSet

Test: TypeAlias = Callable[..., None]

_EVERY = "every"


def each_row(names: str | Sequence[str], rows: Iterable[object], *, sample: int = 1) -> Callable[[Test], Test]:
    """Calls a test with each row, as ``pytest.mark.parametrize`` does, and fails with all rows that it fails for.

    Fixtures are set up once for all rows, but each row has a ``tmp_path`` of its own. With ``sample`` the default tier
    takes one row of so many, and the tier ``full`` all of them.
    """
    keys = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    listed = tuple(rows)
    assert listed, "without a row nothing would be tested"
    assert not any(isinstance(row, ParameterSet) for row in listed), "rows have no marks of their own"
    table = [tuple(row) if isinstance(row, Iterable) and len(keys) > 1 else (row,) for row in listed]

    def of_all_rows(test: Test) -> Test:
        @wraps(test)
        def run(*args: object, **fixtures: object) -> None:
            failed: list[str] = []
            first: BaseException | None = None
            chosen = table[:: cast("int", fixtures.pop(_EVERY, 1))]
            for number, row in enumerate(chosen):
                own = dict(fixtures)
                if isinstance(folder := fixtures.get("tmp_path"), Path):
                    own["tmp_path"] = folder / f"row{number}"
                    (folder / f"row{number}").mkdir()
                try:
                    test(*args, **own, **dict(zip(keys, row, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    failed.append(f"{row!r:.200}: {type(error).__name__}: {error}")
                    first = first or error
            if failed:
                raise AssertionError("\n".join((f"{len(failed)} of {len(chosen)} rows:", *failed))) from first

        own = signature(test)
        left = [parameter for name, parameter in own.parameters.items() if name not in keys]
        if sample > 1:
            left.append(Parameter(_EVERY, Parameter.KEYWORD_ONLY))
        run.__signature__ = own.replace(parameters=left)  # type: ignore[attr-defined]  # where pytest looks for fixtures
        if sample == 1:
            return run
        tiers = [pytest.param(sample, id="some"), pytest.param(1, id="all", marks=pytest.mark.full)]
        return pytest.mark.parametrize(_EVERY, tiers)(run)

    return of_all_rows
