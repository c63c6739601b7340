"""The table of relations and faults as a page of the documentation: ``python -m tests.soundness.fault_page``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pytest_vqamt.models.faults import FAULTS
from tests.soundness.fault_table import TABLE, Effect

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"

_MARKS = {Effect.CAUGHT: "**caught**", Effect.VACUOUS: "vacuous", Effect.QUIET: "·"}

_HEAD = """\
# Relations and planted faults

`oracle` is a model that knows every scene and reads every question right: it never violates a relation. `fault:NAME` is
the oracle with one fault. What a relation is made for it must catch, and every fault must be caught by some relation:
that is how one knows that a pass means something. Try one: `pytest --vqamt-model=fault:saturates`.

In 100 cases on the picture world, with the default settings, a relation's cases come out so:

- **caught**: some case is violated, or an answer cannot be read.
- vacuous: every case holds, but none of them shows anything (0 = 0 + 0). The pass rate is 1, and so is the share of
  vacuous cases, which stands beside it in every report.
- `·`: every case holds. The relation asks nothing that the fault is wrong about, or the fault makes all answers of a
  case wrong in the same way. No relation catches everything: that is what there are several for.
"""

_TAIL = """\
This page is written by `python -m tests.soundness.fault_page`, from the table in `tests/soundness/fault_table.py`,
which says why each effect is what it is. `tests/soundness/test_fault_matrix.py` runs all of it.
"""


def page() -> str:
    """The page, as it stands in docs/faults.md."""
    return "\n".join((_HEAD, *_matrix(), "", "## The faults", "", *_faults(), "", _TAIL))


def _matrix() -> Iterator[str]:
    yield _row("", *(f"`{name}`" for name in TABLE))
    yield _row("---", *(":---:" for _ in TABLE))
    for fault in FAULTS:
        yield _row(f"`{fault}`", *(_MARKS[row.effect(fault)] for row in TABLE.values()))


def _faults() -> Iterator[str]:
    for name, fault in FAULTS.items():
        yield f"- `fault:{name}` {fault.description}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
