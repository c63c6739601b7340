"""The table of relations and faults as a page of the documentation: ``python -m tests.soundness.fault_page``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pytest_vqamt.models.reference.faults import FAULTS
from tests.soundness.fault_effects import Effect, Row
from tests.soundness.fault_table import TABLE

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"

CASES = 200
"""So many cases of each relation the page tells of."""

_HEAD = f"""\
# Relations and planted faults

`oracle` is a model that knows every scene and reads every question right: it never violates a relation. `fault:NAME` is
the oracle with one fault. What a relation is made for it must catch, and every fault must be caught by some relation:
that is how one knows that a pass means something. Try one: `pytest --vqamt-model=fault:saturates`.

In {CASES} cases on the picture world, with the default settings, a relation's cases come out so:

- **caught**: some case is violated, or an answer cannot be read.
- **vacuous**: every case holds, but none of them shows anything (0 = 0 + 0). The pass rate is 1, and so is the share of
  vacuous cases, which stands beside it in every report.
- Of all other faults every case holds. The relation asks nothing that the fault is wrong about, or the fault makes all
  answers of a case wrong in the same way. No relation catches everything: that is what there are several for.

## By relation

Relations with the same faults stand together. Almost any relation catches who gives no answer of the right kind
(`always-yes`, `always-no`, `always-zero`, `refuses`); the others are what it is there for.
"""

_TAIL = """\
This page is written by `python -m tests.soundness.fault_page`, from the tables in `tests/soundness/fault_table.py` and
`tests/soundness/carets_faults.py`, which say why each effect is what it is. `tests/soundness/test_fault_matrix.py` runs
all of it.
"""


def page() -> str:
    """The page, as it stands in docs/faults.md."""
    return "\n".join((_HEAD, *_by_relation(), "", "## By fault", "", *_by_fault(), "", _TAIL))


def _by_relation() -> Iterator[str]:
    yield _row("relation", "caught", "vacuous")
    yield _row("---", "---", "---")
    together: dict[tuple[str, str], list[str]] = {}
    for item, row in TABLE.items():
        together.setdefault((_listed(row, Effect.CAUGHT), _listed(row, Effect.VACUOUS)), []).append(item)
    for (caught, vacuous), names in together.items():
        yield _row("<br>".join(f"`{name}`" for name in names), caught, vacuous)


def _listed(row: Row, effect: Effect) -> str:
    """The faults of this effect, in the order of the catalogue."""
    return ", ".join(f"`{fault}`" for fault in FAULTS if row.effect(fault) is effect)


def _by_fault() -> Iterator[str]:
    yield _row("fault", "what is wrong", "caught by")
    yield _row("---", "---", "---")
    for name, fault in FAULTS.items():
        items = [item for item, row in TABLE.items() if row.effect(name) is Effect.CAUGHT]
        yield _row(f"`fault:{name}`", fault.description, ", ".join(_with_variants(items)))


def _with_variants(items: list[str]) -> Iterator[str]:
    """Each relation once, with those of its variants that are among the items unless all are."""
    relations = dict.fromkeys(item.partition("[")[0] for item in items)
    for relation in relations:
        own = [item for item in items if item.partition("[")[0] == relation]
        every = [item for item in TABLE if item.partition("[")[0] == relation]
        if own == every:
            yield f"`{relation}`"
        else:
            yield from (f"`{item}`" for item in own)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
