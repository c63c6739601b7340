"""The items that had no case, folded into one sentence where there are many: a row each would bury the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from pytest_vqamt.core.results import RelationResult

_ROWS_AT_MOST = 3
_WIDTH = 100


def is_to_fold(results: Sequence[RelationResult]) -> bool:
    """Whether more of the results had no case than are shown in rows."""
    return sum(not result.all_cases for result in results) > _ROWS_AT_MOST


def folded_in_words(results: Sequence[RelationResult]) -> Iterator[str]:
    """Which of the results had no case, in lines; a relation none of whose variants had one is named alone."""
    folded = [result.item for result in results if not result.all_cases]
    apply = {_relation(result.item) for result in results if result.all_cases}
    names = dict.fromkeys(item if _relation(item) in apply else _relation(item) for item in folded)
    yield from wrap(
        f"{len(folded)} relation variants do not apply here: {', '.join(names)} (pytest -v says why)",
        width=_WIDTH,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _relation(item: str) -> str:
    return item.partition("[")[0]
