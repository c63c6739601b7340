"""Which relations apply to which data, as a page of the documentation: ``python -m tests.soundness.applies_page``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from tests.soundness.asking import Item, items
from tests.soundness.samples import PICTURES, REAL, Sample
from tests.soundness.survey import survey

T = TypeVar("T")

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "applies.md"
SAMPLES: tuple[Sample, ...] = (PICTURES, *REAL)

NONE = "–"  # noqa: RUF001 - a dash stands out from numbers

_HEAD = f"""\
---
search:
  exclude: true
---

# What applies to which data

No scene gives a case of every relation: a picture with one thing cannot be cut between two, and a graph without a photo
has nothing to cut out. Look for the data below that is most like yours.

- A number is how many of the scenes gave a case; `{NONE}` is none, and such a relation is skipped, with the reason.
- In brackets is the share of cases that rest on an absence which the annotations do not guarantee: these are
  [presumed](report.md#presumed-cases), counted apart, and gated only where a pattern names the relation.

`vqamt list --data SPEC` counts the cases of each relation variant on your own data, and says why some have none.
"""

_TAIL = """\
This page is written by `python -m tests.soundness.applies_page` from what the relations make of each scene, with their
default settings. `tests/soundness/test_applies.py` keeps it true.
"""


def page() -> str:
    """The page, as it stands in docs/reference/applies.md."""
    return "\n".join((_HEAD, *_overview(), "", *map(_drawn, SAMPLES), "", _CONTRASTS, _TAIL))


_CONTRASTS = """\
## Contrasts

A case has no [contrast](report.md#the-grounded-rate)

- where no other right answer is certain in any picture that was looked at. Choices about a thing in a relation to
  another ("the cup on the table") need a picture with just one such thing and another answer: few of 500 drawn scenes
  are one, and more of 5,000;
- on photos, where the number of things is too uncertain: half as many more than are annotated are allowed for;
- where an annotated crowd, or a name that others may go by, leaves open whether something is there.
"""


def cell(item: Item, sample: Sample) -> str:
    """How often a relation variant applies, as the overview says it."""
    found = survey(item, sample)
    if not found.applies:
        return NONE
    share = found.presumed / len(found.cases)
    return f"{found.applies} ({_percent(share)})" if share else str(found.applies)


def column(text: str, sample: Sample) -> dict[str, str]:
    """What the overview of a page says of a sample, by the name of the relation variant."""
    rows = [row.strip("| ").split(" | ") for row in text.splitlines() if row.startswith("|")]
    place = rows[0].index(sample.title)
    return {
        name.strip("`"): row[place]
        for row in rows
        if len(row) == len(rows[0]) and row[0].startswith("`")
        for name in row[0].split("<br>")
    }


def _drawn(sample: Sample) -> str:
    scenes = f"{sample.scenes} scenes" if sample.scenes > 1 else "1 scene"
    until = ", or fewer where one gave a case" if sample.one_is_enough else ""
    return f"- {sample.title}: `--vqamt-data={sample.shown}`, {scenes}, {sample.draws} draws each{until}."


def _overview() -> Iterator[str]:
    yield _row("relation", *(sample.title for sample in SAMPLES))
    yield _row("---", *("---:" for _ in SAMPLES))
    for names, cells in _together(lambda item: tuple(cell(item, sample) for sample in SAMPLES)):
        yield _row(names, *cells)


def _together(told: Callable[[Item], T]) -> Iterator[tuple[str, T]]:
    """The variants of each relation, those of which the same is told in one row; its name, and what is told."""
    rows: dict[tuple[str, T], list[str]] = {}
    for item in items():
        rows.setdefault((item.relation.info.name, told(item)), []).append(f"`{item.name}`")
    for (_, same), names in rows.items():
        yield "<br>".join(names), same


def _percent(share: float) -> str:
    """In whole percent, and 0 or 100 only where it is just that.

    >>> _percent(0.004), _percent(0.5), _percent(0.999), _percent(1)
    ('1 %', '50 %', '99 %', '100 %')
    """
    return f"{max(1, min(99, round(100 * share))) if share < 1 else 100} %"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def write() -> None:
    """Writes the page.

    Raises:
        SystemExit: some of the data is not here.
    """
    if missing := [sample.name for sample in SAMPLES if not sample.is_here]:
        raise SystemExit(f"Expected all samples, but {', '.join(missing)} are not here: put them into ../shared/data")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    write()
