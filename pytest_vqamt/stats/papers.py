"""The six tests of CARETS: which items belong to which, and what people reach.

Human figures from Jimenez et al., ACL 2022: CONS of Table 1, the others of Tables 8 to 12; hypernym against hyponym of
Table 2; yes/no questions against choices of Table 18. The last two headings of Table 1 are exchanged: Tables 11 and 12
show which is which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

from pytest_vqamt.core.case import Figures
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.pairs import Pairs
from pytest_vqamt.core.results import Cell, Cells, Coverage, Reference, RelationResult, Summary
from pytest_vqamt.core.tallies import Tally

PUBLISHED_PAIRS = "carets.published"
"""The relation each of whose variants is a test by itself, named as in the authors' default.yml."""

_PUBLISHED_TESTS: Mapping[str, str] = {
    "phrasal_invariance": "carets.rephrase",
    "symmetry_invariance": "carets.order",
    "ontological_consistency": "carets.ontological",
    "negation_consistency": "carets.negation",
    "antonym_consistency": "carets.antonym",
}

_HUMAN: Mapping[str, Reference] = {
    "carets.rephrase": Reference(cons=0.966, acc=0.8615, acc_original=0.8674, acc_perturbed=0.8556, c_acc=0.8528),
    "carets.order": Reference(cons=0.988, acc=0.7910, acc_original=0.7938, acc_perturbed=0.7883, c_acc=0.7876),
    "carets.ontological": Reference(cons=0.940, acc=0.9600, acc_original=0.9600, acc_perturbed=0.9600, c_acc=0.9400),
    "carets.ontological[hypernym]": Reference(cons=0.91),
    "carets.ontological[hyponym]": Reference(cons=0.96),
    "carets.visual": Reference(cons=0.890),
    "carets.antonym": Reference(cons=0.890, acc=0.8750, acc_original=0.8600, acc_perturbed=0.8900, c_acc=0.8400),
    "carets.negation": Reference(cons=0.885, acc=0.7825, acc_original=0.8250, acc_perturbed=0.7400, c_acc=0.7450),
}

_HUMAN_BY_ANSWERS: Mapping[tuple[str, str], Reference] = {
    ("carets.rephrase", "binary"): Reference(cons=0.9850, acc=0.8800, c_acc=0.8750),
    ("carets.rephrase", "choices"): Reference(cons=0.9453, acc=0.8419, c_acc=0.8292),
    ("carets.order", "binary"): Reference(cons=0.9900, acc=0.7250, c_acc=0.7200),
    ("carets.order", "choices"): Reference(cons=0.9873, acc=0.8261, c_acc=0.8236),
}


def test_of(item: str) -> str:
    """The test that an item belongs to: its relation, whose variants are added up.

    >>> test_of("carets.visual[blur3]"), test_of("carets.published[phrasal_invariance]")
    ('carets.visual', 'carets.published[phrasal_invariance]')
    """
    relation, _, _ = item.partition("[")
    return item if relation == PUBLISHED_PAIRS else relation


def human(item: str, fact: str = "", value: str = "") -> Reference | None:
    """What people reach on an item or a test, or on its pairs with a value of a fact; None where nobody asked."""
    relation, _, variant = item.partition("[")
    test = _PUBLISHED_TESTS.get(variant.removesuffix("]"), item) if relation == PUBLISHED_PAIRS else item
    if fact:
        return _HUMAN_BY_ANSWERS.get((test, value)) if fact == "answers" else None
    return _HUMAN.get(test)


# A pair of captions is a suspicious issue where it violates either relation (section 3.4). The second one is judged
# where the first holds, and both are made of the same pairs, so at each level of overlap the violations of the two
# add up. The published precision, 84.9 to 98.4 %, is what people found of such issues, and is not worked out here.


_OF_PAPER = "metaic."
_APPEARANCE, _FORMS = "metaic.object_appearance", "metaic.singular_plural"
_SUSPICIOUS = "suspicious"
_KINDS = ("omission", "misclassification", "quantity")
_PRESUMED = " (presumed)"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """What an item found, of its presumed cases or of the others; ``suffix`` is said of them."""

    item: str
    suffix: str
    tally: Tally
    figures: Figures

    @property
    def level(self) -> str:
        return self.item.rpartition("[")[2].removesuffix("]")

    def sum_of(self, name: str) -> int | None:
        return round(self.figures[name].total) if name in self.figures else None

    @property
    def row(self) -> Cells:
        return {
            "relation": self.item + self.suffix,
            "cases": self.tally.judged,
            "unparsed": self.tally.unparsed,
            **{name: self.sum_of(name) for name in (_SUSPICIOUS, *_KINDS)},
        }


def captioning(results: Sequence[RelationResult], *, model: str, data: str) -> Summary | None:
    """A row for each of MetaIC's items, and for each level of overlap how many suspicious issues there are."""
    counted = [each for result in results if result.item.startswith(_OF_PAPER) for each in _counted(result)]
    if not counted:
        return None
    return Summary(
        kind="captioning",
        model=model,
        data=data,
        rows=tuple(each.row for each in counted),
        totals=_by_level(counted),
    )


def _counted(result: RelationResult) -> list[_Counted]:
    apart = [("", result.tally, result.figures)]
    if result.presumed:
        apart.append((_PRESUMED, result.presumed.tally, result.presumed.figures))
    return [
        _Counted(item=result.item, suffix=suffix, tally=tally, figures=figures)
        for suffix, tally, figures in apart
        if tally.judged
    ]


def _by_level(counted: Sequence[_Counted]) -> Mapping[str, Cell]:
    """Of each level of which both relations have the same number of pairs: how many violate either, and their share."""
    totals: dict[str, Cell] = {}
    of_forms = {(each.level, each.suffix): each for each in counted if each.item.startswith(_FORMS)}
    for each in counted:
        other = of_forms.get((each.level, each.suffix))
        if not (each.item.startswith(_APPEARANCE) and other and _SUSPICIOUS in each.figures):
            continue
        pairs = each.figures[_SUSPICIOUS].cases
        violated, of_the_rest = each.sum_of(_SUSPICIOUS), other.sum_of(_SUSPICIOUS)
        if violated is None or of_the_rest is None or other.figures[_SUSPICIOUS].cases != pairs:
            continue
        where = f"at overlap {each.level}{each.suffix}"
        totals[f"suspicious issues {where}"] = violated + of_the_rest
        totals[f"share of pairs {where}"] = (violated + of_the_rest) / pairs
    return totals


_ByItem = Mapping[str, Pairs]


def coverage(results: Iterable[RelationResult]) -> tuple[Coverage, ...]:
    """A table for each test and data source that several models were run on, in the order of the results.

    A variant that one of the models was not run on is left out.
    """
    found: dict[tuple[str, str, bool], dict[str, dict[str, Pairs]]] = {}
    for result in results:
        for presumed, pairs in ((False, result.pairs), (True, result.presumed.pairs if result.presumed else None)):
            if pairs is not None:
                models = found.setdefault((test_of(result.item), result.data.spec, presumed), {})
                models.setdefault(result.model.name, {})[result.item] = pairs
    return tuple(
        _table(test, data, presumed, models)
        for (test, data, presumed), models in found.items()
        if len(models) > 1 and any(pairs.tally.pairs for items in models.values() for pairs in items.values())
    )


def _table(test: str, data: str, presumed: bool, models: Mapping[str, _ByItem]) -> Coverage:
    shared = set.intersection(*(set(items) for items in models.values()))
    of = [{item: pairs for item, pairs in items.items() if item in shared} for items in models.values()]
    return Coverage(
        test=test,
        data=data,
        presumed=presumed,
        models=tuple(models),
        right=tuple(sum(pairs.right.bit_count() for pairs in items.values()) for items in of),
        shares=tuple(tuple(_share_of_pairs(ours, theirs) for theirs in of) for ours in of),
    )


def _share_of_pairs(ours: _ByItem, theirs: _ByItem) -> float | None:
    """The share of their right pairs that are right here, too; a pair without an answer here says nothing."""
    both = sum((ours[item].right & pairs.right).bit_count() for item, pairs in theirs.items())
    known = sum((pairs.right & ~ours[item].unanswered).bit_count() for item, pairs in theirs.items())
    return both / known if known else None


# Chang et al., sections 4.6 and 5; published rates from Tables 2 (all over the picture), 3 and 6 (in boxes), of
# OFA-VE, ALBEF-VE, LLaVA and GPT-4V, in this order. What is presumed has rows of its own.


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


_RELATION = "basic_questions.noise"
_FIRST = f"{_RELATION}[1]"
_PARTITIONS = 7
_ANSWER_TYPES = ("other", "number", "yes/no")


def noise(results: Sequence[RelationResult], *, model: str, data: str) -> Summary | None:
    """A row for each partition, the least noise first; accuracy in percent, its drop in percent points.

    Totals: the R_score is that of the first partition; the monotonicity is that of the accuracy under noise over all
    seven (see ``stats.robustness``), or of the share of same answers where the accuracy of one is not known.
    """
    partitions = {each.item: each for each in results if each.item.startswith(f"{_RELATION}[") and each.tally.cases}
    if not partitions:
        return None
    ordered = [partitions[item] for item in sorted(partitions)]
    return Summary(
        kind="noise",
        model=model,
        data=data,
        rows=tuple(_noise_row(each) for each in ordered),
        totals={
            "R_score": _r_score(partitions[_FIRST]) if _FIRST in partitions else None,
            "monotonicity": _monotonicity(ordered),
        },
    )


def _noise_row(result: RelationResult) -> dict[str, Cell]:
    clean, noisy = _percent(result, "clean"), _percent(result, "noisy")
    return {
        "relation": result.item,
        "pairs": result.tally.judged,
        "same answer": result.pass_rate,
        "clean": clean,
        "noisy": noisy,
        "drop": None if clean is None or noisy is None else clean - noisy,
        "R_score": _r_score(result),
        **{type_: _percent(result, f"noisy {type_}") for type_ in _ANSWER_TYPES},
    }


def _percent(result: RelationResult, figure: str) -> float | None:
    found = result.figures.get(figure)
    return None if found is None or found.mean is None else 100 * found.mean


def _r_score(result: RelationResult) -> float | None:
    clean, noisy = _percent(result, "clean"), _percent(result, "noisy")
    return None if clean is None or noisy is None else r_score(clean - noisy)


def _monotonicity(ordered: Sequence[RelationResult]) -> float | None:
    """None unless all partitions are there."""
    if len(ordered) < _PARTITIONS:
        return None
    for values in ([_percent(each, "noisy") for each in ordered], [each.pass_rate for each in ordered]):
        known = [value for value in values if value is not None]
        if len(known) == _PARTITIONS:
            return monotonicity(known)
    return None


TOLERANCE = 0.05
LIMIT = 20.0
"""The paper's parameters t and m, in percent points."""


def r_score(difference: float, *, t: float = TOLERANCE, m: float = LIMIT) -> float:
    """``(sqrt(m) - sqrt(d)) / (sqrt(m) - sqrt(t))``, clamped to [0, 1]; d is ``|difference|`` in percent points.

    Huang et al., AAAI 2019, equations 2 and 3: 1 where noise changes the accuracy by t points or less, 0 from m points
    on. A gain counts as a loss does.

    >>> round(r_score(13.55), 2), round(r_score(-5.85), 2), r_score(0), r_score(40)
    (0.19, 0.48, 1.0, 0.0)

    Raises:
        VqamtError: not 0 <= t < m <= 100.
    """
    if not 0 <= t < m <= 100:
        raise VqamtError(f"Expected a tolerance and a limit with 0 <= t < m <= 100, but got t={t!r}, m={m!r}")
    score = (sqrt(m) - sqrt(abs(difference))) / (sqrt(m) - sqrt(t))
    return max(0.0, min(1.0, score))


def monotonicity(values: Sequence[float]) -> float | None:
    """How steadily the values fall, from 1 (each is below all before it) over 0 (no trend) to -1 (each is above them).

    Of all pairs, the share that falls less the share that rises: Kendall's tau (Biometrika 30, 1938) of the values and
    their order, with its sign turned. None for fewer than two values.

    >>> monotonicity([5, 3, 4, 1]), monotonicity([1, 1])
    (0.6666666666666666, 0.0)
    """
    pairs = list(combinations(values, 2))
    return sum((first > later) - (first < later) for first, later in pairs) / len(pairs) if pairs else None


def summaries(results: Sequence[RelationResult]) -> tuple[Summary, ...]:
    """Every summary that the results, in the order of the run, give; none where no such relation was run."""
    of_one: dict[tuple[str, str], list[RelationResult]] = {}
    for result in results:
        of_one.setdefault((result.model.name, result.data.spec), []).append(result)
    found = (
        summarize(same, model=model, data=data)
        for (model, data), same in of_one.items()
        for summarize in (entailment, captioning, noise)
    )
    return tuple(summary for summary in found if summary is not None)
