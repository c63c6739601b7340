"""The table of relations and faults as a page of the documentation: ``python -m tests.soundness.fault_page``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pytest_vqamt.models.reference.faults import FAULTS
from tests.soundness import blind_rates, graded_faults
from tests.soundness.fault_effects import HARMLESS, OF_CHANCE, OF_OTHER_SCENES, Effect
from tests.soundness.fault_table import TABLE

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "faults.md"

CASES = 200
"""So many cases of each relation the page tells of."""

_HEAD = f"""\
---
search:
  exclude: true
---

# Relations and planted faults

`oracle` is a model that knows every scene and reads every question right: it never violates a relation. `fault:NAME` is
the oracle with one planted fault. Each relation catches the faults that it is made for, and each fault is caught by
some relation, so a pass means something. Try one: `pytest --vqamt-model=fault:saturates`.

`fault:NAME@0.05` has the fault in 5 % of the queries, chosen by a hash of their ids; any share above 0 and at most 1
will do. It shows how small a fault your cases and gates detect: `pytest --vqamt-model=fault:saturates@0.05`.

On {CASES} cases of a relation (picture world, default settings) a fault is **caught** if some case is violated, or an
answer cannot be read. All other faults pass: the relation asks nothing that the fault is wrong about, or the fault
makes all answers of a case wrong in the same way.

`vqamt list --faults` says what is wrong with each. Almost every relation catches a model that gives no answer of the
right kind (`always-yes`, `always-no`, `always-zero`, `refuses`); the other faults are those that it is made for.

## By fault
"""

_BLIND = f"""\
## Models that do not look

Five faults answer about another scene than the one that is shown, always or for half of the pictures. Each is right
about some scene of the same data, chosen by a hash of the text or of the picture, so that it is the same in every
process, shard and order. What they answer depends on the scenes that are there: a relation catches them if fewer than
{blind_rates.PASSED:g} of its cases hold, of {blind_rates.CASES} on `{blind_rates.DATA}` with the default settings.

A pass rate alone does not show that a model looks. Only of `overlay.text` and of relations that are
[directional](../explanation/grounding.md#four-cells) does no case hold for a model that answers by the text alone.

"Not vacuously" leaves out variants of whose cases 5 % or more are vacuous. "Grounded" counts the gated variants with a
[grounded rate](report.md#the-grounded-rate) of {blind_rates.PASSED:g} or more, where every case has a contrast that can
have one. `tests/soundness/blind_rates.json` has the rates of each variant.
"""

_TODAY = f"""\
## What `--vqamt-preset=today` finds

For each fault of answers to questions, the table has the relation that finds the smallest share of it, with that share
in percent (2 is `fault:NAME@0.02`): among the twelve of the preset, and among all relations of questions. A dash means
that no relation of the preset finds it. A share is found if {graded_faults.QUERIES:,} distinct queries on
`{graded_faults.DATA}` show it with a probability of {graded_faults.POWER:g}, in a model without other faults. A real
model has others, so it takes more (`vqamt power`). Faults of captions and entailment are left out, and those that only
the controls find. `python -m tests.soundness.graded_faults` writes the figures.
"""

_TAIL = """\
This page is written by `python -m tests.soundness.fault_page`, from the tables in `tests/soundness/fault_table.py` and
the `*_faults.py` beside it, which say why each effect is what it is, and from `tests/soundness/blind_rates.json`, which
`python -m tests.soundness.blind_rates` writes. `tests/soundness/test_fault_matrix.py` runs all of it.
"""


def page() -> str:
    """The page, as it stands in docs/reference/faults.md."""
    return "\n".join((_HEAD, *_by_fault(), "", _BLIND, *_blind(), "", _TODAY, *_today(), "", _TAIL))


def _by_fault() -> Iterator[str]:
    yield _row("fault", "caught by")
    yield _row("---", "---")
    for name in FAULTS:
        if name in OF_OTHER_SCENES:
            items = blind_rates.caught_by(name)
        elif name in HARMLESS:
            items = []
        elif name in OF_CHANCE:
            items = list(TABLE)
        else:
            items = [item for item, row in TABLE.items() if row.effect(name) is Effect.CAUGHT]
        is_by_most = 2 * len(items) > len(TABLE)
        caught = f"{len(items)} of {len(TABLE)} variants" if is_by_most else ", ".join(_with_variants(items))
        yield _row(f"`fault:{name}`", caught)


def _blind() -> Iterator[str]:
    yield _row("model", "passes", "of those that are gated", "of these not vacuously", "grounded")
    yield _row("---", "---:", "---:", "---:", "---:")
    for row in blind_rates.passes():
        yield _row(*row)


def _today() -> Iterator[str]:
    yield _row("fault", "found by the preset", "found by all relations")
    yield _row("---", "---", "---")
    for row in graded_faults.preset_against_all("today"):
        yield _row(*row)


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
