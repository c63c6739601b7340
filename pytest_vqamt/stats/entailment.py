"""VEglue's figures: how many tests were made (GNUM), how many found an issue (INUM), and the rate (IFR).

Chang et al., sections 4.6 and 5; published rates from Tables 2 (all over the picture), 3 and 6 (in boxes), of OFA-VE,
ALBEF-VE, LLaVA and GPT-4V, in this order. What is presumed has rows of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_vqamt.core.case import Figures
from pytest_vqamt.core.results import Cell, Cells, RelationResult, Summary
from pytest_vqamt.core.tallies import Tally

ISSUE, INCONSISTENT, SOURCE_RIGHT = "issue", "inconsistent", "source right"
"""The figures of verdicts on hypotheses, as ``relations.labels`` calls them."""

PUBLISHED_IFR: Mapping[str, tuple[float, ...]] = {
    "veglue.mr1_joint_erase": (0.439, 0.461, 0.868, 0.640),
    "veglue.mr2_linked_erase": (0.758, 0.951, 0.826, 0.354),
    "veglue.mr3_unlinked_erase": (0.225, 0.243, 0.389, 0.142),
    "veglue.corruption[impulse-object]": (0.125, 0.129, 0.259, 0.108),
    "veglue.corruption[impulse-global]": (0.119, 0.130, 0.259, 0.096),
    "veglue.corruption[zoom-object]": (0.175, 0.172, 0.312, 0.163),
    "veglue.corruption[zoom-global]": (0.160, 0.170, 0.269, 0.154),
    "veglue.corruption[snow-object]": (0.123, 0.148, 0.258, 0.135),
    "veglue.corruption[snow-global]": (0.122, 0.139, 0.255, 0.110),
    "veglue.corruption[contrast-object]": (0.130, 0.120, 0.259, 0.143),
    "veglue.corruption[contrast-global]": (0.110, 0.120, 0.251, 0.120),
    "text.antonym_swap": (0.327, 0.400, 0.487, 0.221),
    "text.word_substitution": (0.174, 0.180, 0.315, 0.215),
}
"""IFR by item."""
PUBLISHED_MEAN = (0.474, 0.552, 0.694, 0.378)
"""The mean of the three relations' IFR, as Table 2 has it for VEglue."""

_RELATIONS = ("veglue.mr1_joint_erase", "veglue.mr2_linked_erase", "veglue.mr3_unlinked_erase")


def entailment(results: Sequence[RelationResult], *, model: str, data: str) -> Summary | None:
    """The figures of the items about hypotheses; None where there is none with a case.

    An issue is a case whose second label is not the one that the paper expects, or cannot be read: just the violations,
    but for the items that demand the same label twice. Of the inconsistent ones the first label was right. Shares are
    of GNUM. The total is the mean of three rates, presumed tests among them, where all three relations had any.
    """
    counted = [(result.item, *each) for result in results if result.item in PUBLISHED_IFR for each in _counts(result)]
    if not counted:
        return None
    rows = tuple(_ifr_row(item, suffix, tally, figures) for item, suffix, tally, figures in counted)
    rates = [_rate([(tally, figures) for item, _, tally, figures in counted if item == each]) for each in _RELATIONS]
    known = [rate for rate in rates if rate is not None]
    totals: dict[str, Cell] = {}
    if len(known) == len(_RELATIONS):
        totals = {
            "mean IFR of MR1 to MR3": sum(known) / len(known),
            "the same of OFA-VE, ALBEF-VE, LLaVA and GPT-4V": ", ".join(f"{rate:.3f}" for rate in PUBLISHED_MEAN),
        }
    return Summary(kind="entailment", model=model, data=data, rows=rows, totals=totals)


def _counts(result: RelationResult) -> Iterator[tuple[str, Tally, Figures]]:
    if result.tally.cases:
        yield "", result.tally, result.figures
    if result.presumed is not None and result.presumed.tally.cases:
        yield " (presumed)", result.presumed.tally, result.presumed.figures


def _ifr_row(item: str, suffix: str, tally: Tally, figures: Figures) -> Cells:
    return {
        "relation": f"{item}{suffix}",
        "GNUM": tally.judged,
        "INUM": _issues(tally, figures),
        "IFR": _rate([(tally, figures)]),
        "inconsistent": _share(figures, INCONSISTENT),
        "source right": _share(figures, SOURCE_RIGHT),
        "published IFR": f"{min(PUBLISHED_IFR[item]):.3f} to {max(PUBLISHED_IFR[item]):.3f}",
    }


def _rate(counted: Sequence[tuple[Tally, Figures]]) -> float | None:
    """The IFR of all together, None where no test was judged."""
    made = sum(tally.judged for tally, _ in counted)
    return sum(_issues(tally, figures) for tally, figures in counted) / made if made else None


def _issues(tally: Tally, figures: Figures) -> int:
    return round(figures[ISSUE].total) if ISSUE in figures else tally.violated + tally.unparsed


def _share(figures: Figures, name: str) -> float | None:
    return figures[name].mean if name in figures else None
