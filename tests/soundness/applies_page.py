"""Which relations apply to which data, as a page of the documentation: ``python -m tests.soundness.applies_page``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from pytest_vqamt.relations.contrasts import with_contrast
from tests.soundness.asking import Item, items
from tests.soundness.samples import COCO, PICTURES, REAL, Sample
from tests.soundness.survey import survey

T = TypeVar("T")

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "applies.md"
SAMPLES: tuple[Sample, ...] = (PICTURES, *REAL)

NONE = "–"  # noqa: RUF001 - a dash stands out from numbers

_HEAD = f"""\
# What applies to which data

No scene gives a case of every relation: a picture with one thing cannot be cut between two, and a graph without a photo
has nothing to cut out. Look for the data below that is most like yours.

- A number is how many of the scenes gave a case; `{NONE}` is none, and such a relation is skipped, with the reason.
- "presumed" is the share of cases that rest on an absence which the annotations do not guarantee. They are
  [counted apart](report.md#presumed-cases), and gated only where a pattern names the relation. Where nothing is said,
  no case is presumed.

Below, each kind of data has a table of the reasons why scenes gave none.
"""

_TAIL = """\
This page is written by `python -m tests.soundness.applies_page` from what the relations make of each scene, with their
default settings. `tests/soundness/test_applies.py` keeps it true.
"""


def page() -> str:
    """The page, as it stands in docs/reference/applies.md."""
    sections = "\n".join(section(sample) for sample in SAMPLES)
    return "\n".join((_HEAD, *_overview(), "", contrasts(), sections, _TAIL))


_CONTRASTS = f"""\
## Contrasts

The share of cases with a [contrast](report.md#the-grounded-rate) at `--vqamt-contrast=1`; "presumed" as above.
`{NONE}` is no case, and `directional` a relation that needs no contrast. A case has none

- where no other right answer is certain in any picture that was looked at. Choices about a thing in a relation to
  another ("the cup on the table") need a picture with just one such thing and another answer: few of 500 drawn scenes
  are one, and more of 5,000;
- on photos, where the number of things is too uncertain: half as many more than are annotated are allowed for;
- where an annotated crowd, or a name that others may go by, leaves open whether something is there.
"""
_CONTRASTED: tuple[Sample, ...] = (PICTURES, COCO)
_MOST_CASES = 200


def contrasts() -> str:
    """How many cases have a contrast, on drawn scenes and on photos with masks."""
    lines = [_CONTRASTS, _row("relation", *(sample.title for sample in _CONTRASTED)), _row("---", "---:", "---:")]
    for names, cells in _together(lambda item: tuple(_contrasted(item, sample) for sample in _CONTRASTED)):
        lines.append(_row(names, *cells))
    return "\n".join((*lines, ""))


def _contrasted(item: Item, sample: Sample) -> str:
    cases = survey(item, sample).cases
    some = cases[:: max(1, len(cases) // _MOST_CASES)]
    if not some or item.relation.info.is_directional(item.variant):
        return "directional" if some else NONE
    corpus = sample.load().corpus
    found = [made for case in some if (made := with_contrast(item.relation, case, corpus, 1.0)).contrast]
    presumed = [case for case in found if case.is_presumed or (case.contrast and case.contrast.presumed)]
    share = _percent(len(found) / len(some)) if found else "0 %"
    return f"{share}, {_percent(len(presumed) / len(some))} presumed" if presumed else share


def cell(item: Item, sample: Sample) -> str:
    """How often a relation variant applies, as the overview says it."""
    found = survey(item, sample)
    if not found.applies:
        return NONE
    share = found.presumed / len(found.cases)
    return f"{found.applies}, {_percent(share)} presumed" if share else str(found.applies)


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


def section(sample: Sample) -> str:
    """Why scenes of a sample gave no case."""
    lines = [f"## {sample.title[0].upper()}{sample.title[1:]}", "", _drawn(sample), ""]
    lines += [_row("relation", "applies", "scenes, and why they gave no case"), _row("---", "---:", "---")]
    for names, (applies, reasons) in _together(lambda item: _outcome(item, sample)):
        if reasons:
            why = "<br>".join(f"{count}: {reason}" for reason, count in reasons)
            lines.append(_row(names, f"{applies} of {sample.scenes}", why))
    return "\n".join((*lines, ""))


def _outcome(item: Item, sample: Sample) -> tuple[int, tuple[tuple[str, int], ...]]:
    found = survey(item, sample)
    return found.applies, found.reasons


def _drawn(sample: Sample) -> str:
    scenes = f"{sample.scenes} scenes" if sample.scenes > 1 else "1 scene"
    until = ", or fewer where one gave a case" if sample.one_is_enough else ""
    return f"`--vqamt-data={sample.shown}`: {scenes}, {sample.draws} draws each{until}."


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
