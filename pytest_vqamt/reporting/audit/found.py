"""What an audit has found, in words for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_vqamt.reporting.audit.agreement import Agreement
from pytest_vqamt.reporting.audit.draw import Of
from pytest_vqamt.reporting.audit.judgements import Figures, Share
from pytest_vqamt.reporting.text_table import table

RATES = {Of.VIOLATIONS: "precision", Of.ALL: "valid tests rate (VTR)"}
_HEAD = ("relation", "of", "judged", "valid", "invalid", "unsure", "rate", "95 % interval")


def found_in_words(
    of: Of, whole: Figures, by_item: Mapping[str, Figures], agreements: Sequence[Agreement]
) -> Iterator[str]:
    """The figures of all cases, then those of each item, then how far the judges agree."""
    yield f"{whole.drawn} of {counted(of, whole.population)} drawn, {whole.judged} judged: {_words(whole)}"
    yield f"{RATES[of]}: {share_in_words(whole.share)}"
    if whole.unsure:
        yield f"without the unsure ones: {share_in_words(whole.decided)}"
    if whole.unseen:
        yield f"no case is judged of {', '.join(whole.unseen)}: the rate is without them"
    yield ""
    yield from table([_HEAD, *(_row(item, told) for item, told in by_item.items())])
    for each in agreements:
        told = "no kappa" if each.kappa is None else f"Cohen's kappa {each.kappa:.3f}"
        yield ""
        yield f"{each.first} and {each.second} say the same of {each.same} of {each.shared} cases: {told}"


def counted(of: Of, number: int) -> str:
    """So many of what is drawn from, in words."""
    what = "violation" if of is Of.VIOLATIONS else "case"
    return f"{number} {what}{'' if number == 1 else 's'}"


def share_in_words(share: Share) -> str:
    """The rate with its interval."""
    if share.rate is None:
        return "nothing is judged"
    low, high = share.interval
    return f"{share.rate:.3f} (95 % interval {low:.3f} to {high:.3f})"


def _words(told: Figures) -> str:
    return f"{told.valid} valid, {told.invalid} invalid, {told.unsure} unsure"


def _row(item: str, told: Figures) -> tuple[str, ...]:
    rate, (low, high) = told.share.rate, told.share.interval
    return (
        item,
        str(told.population),
        str(told.judged),
        str(told.valid),
        str(told.invalid),
        str(told.unsure),
        "-" if rate is None else f"{rate:.3f}",
        "-" if rate is None else f"{low:.3f} to {high:.3f}",
    )
