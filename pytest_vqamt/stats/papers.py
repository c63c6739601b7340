"""The figures of the papers: human reference, coverage, and summaries of captions, hypotheses and noise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

from pytest_vqamt.core.case import Figures
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.pairs import Pairs
from pytest_vqamt.core.results import Cell, Cells, Coverage, HumanReference, RelationResult, Summary
from pytest_vqamt.core.tallies import Tally

_CARETS_TESTS = ("rephrase", "order", "ontological", "visual", "negation", "antonym")

NOISE_R_SCORE: Mapping[str, float] = {
    "LSTM Q+I": 0.19,
    "HieCoAtt (Alt, VGG19)": 0.48,
    "HieCoAtt (Alt, Resnet200)": 0.45,
    "MUTAN without attention": 0.30,
    "MUTAN with attention": 0.34,
    "MLB with attention": 0.36,
}
"""R_score1 of Table 1."""

METAIC_RANGES: Mapping[str, str] = {
    "published issues with errors, of 1,000 pairs at one overlap": "535 to 948",
    "published precision": "0.849 to 0.984",
}
"""Yu et al., ISSTA 2022, section 4.2.2, of Azure's API and five models. Table 1 has them by model, but as a picture."""

PUBLISHED_PAIRS = "carets.published"
"""The relation with a test for each variant, named as in the authors' default.yml."""

_PUBLISHED_TESTS: Mapping[str, str] = {
    "phrasal_invariance": "carets.rephrase",
    "symmetry_invariance": "carets.order",
    "ontological_consistency": "carets.ontological",
    "negation_consistency": "carets.negation",
    "antonym_consistency": "carets.antonym",
}

_HUMAN_REFERENCE: Mapping[str, HumanReference] = {
    "carets.rephrase": HumanReference(cons=0.966, acc=0.8615, acc_original=0.8674, acc_perturbed=0.8556, c_acc=0.8528),
    "carets.order": HumanReference(cons=0.988, acc=0.7910, acc_original=0.7938, acc_perturbed=0.7883, c_acc=0.7876),
    "carets.ontological": HumanReference(
        cons=0.940, acc=0.9600, acc_original=0.9600, acc_perturbed=0.9600, c_acc=0.9400
    ),
    "carets.ontological[hypernym]": HumanReference(cons=0.91),
    "carets.ontological[hyponym]": HumanReference(cons=0.96),
    "carets.visual": HumanReference(cons=0.890),
    "carets.antonym": HumanReference(cons=0.890, acc=0.8750, acc_original=0.8600, acc_perturbed=0.8900, c_acc=0.8400),
    "carets.negation": HumanReference(cons=0.885, acc=0.7825, acc_original=0.8250, acc_perturbed=0.7400, c_acc=0.7450),
}

_HUMAN_REFERENCE_BY_ANSWERS: Mapping[tuple[str, str], HumanReference] = {
    ("carets.rephrase", "binary"): HumanReference(cons=0.9850, acc=0.8800, c_acc=0.8750),
    ("carets.rephrase", "choices"): HumanReference(cons=0.9453, acc=0.8419, c_acc=0.8292),
    ("carets.order", "binary"): HumanReference(cons=0.9900, acc=0.7250, c_acc=0.7200),
    ("carets.order", "choices"): HumanReference(cons=0.9873, acc=0.8261, c_acc=0.8236),
}

_METAIC = "metaic."

_SUSPICIOUS = "suspicious"
_ERROR_KINDS = ("omission", "misclassification", "quantity")
_PRESUMED = " (presumed)"

_ByItem = Mapping[str, Pairs]

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
"""The published IFR by item."""
PUBLISHED_SYSTEMS = ("OFA-VE", "ALBEF-VE", "LLaVA", "GPT-4V")
"""The order of the rates in ``PUBLISHED_IFR`` and ``PUBLISHED_MEAN``."""
PUBLISHED_MEAN = (0.474, 0.552, 0.694, 0.378)
"""The mean IFR of the three relations (VEglue, Table 2)."""

VEGLUE_RELATIONS = ("veglue.mr1_joint_erase", "veglue.mr2_linked_erase", "veglue.mr3_unlinked_erase")
"""The relations whose mean rate the paper gives."""

NOISE = "basic_questions.noise"
"""The relation with a variant for each partition of noise."""
FIRST_PARTITION = f"{NOISE}[1]"
"""The least noise, on which the paper's R_score is computed."""
_PARTITIONS = 7
"""All of the paper's, which monotonicity needs."""
_ANSWER_TYPES = ("other", "number", "yes/no")
"""The answer types of VQA, by which the paper breaks accuracies down."""

TOLERANCE = 0.05
LIMIT = 20.0
"""The paper's parameters t and m, in percentage points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFigures:
    """The figures of one kind in a paper; None where it gives none."""

    source: str
    """The paper and its tables."""
    columns: tuple[str, ...]
    """The paper's columns, by the names of our relations or partitions."""
    models: Mapping[str, tuple[float | None, ...]]
    """In percent, by model, one for each column."""
    cases: tuple[int, ...] = ()
    """The number of tests in each column; empty where it is not known."""


METAVQA_ERROR_RATES = PublishedFigures(
    source="Yuan et al., CVPR 2021, Table 4",
    columns=("partition", "reversion", "reorder", "cutting", "insertion", "removal", "removal_plus"),
    models={
        "GridFeat+MoVie+": (94.97, 68.77, 24.13, 36.99, 11.76, 10.83, 88.12),
        "Oscar-large+": (84.91, 34.94, 23.66, 35.15, 5.74, 3.91, 91.63),
        "Oscar-base": (85.13, 36.71, 34.35, 45.44, 6.59, 4.49, 89.86),
        "MCAN-large+": (92.25, 47.94, 37.21, 45.78, 13.92, 6.30, 90.90),
        "MCAN+": (94.48, 51.07, 31.72, 48.16, 11.89, 5.58, 90.14),
        "VisualBERT+": (35.17, 82.44, 18.02, 6.44, 1.19, 0.52, 99.68),
        "VisualBERT": (30.34, 98.61, 10.20, 4.50, 1.02, 0.30, 99.56),
        "ViLBERT": (23.93, 98.70, 8.78, 1.82, 0.61, 0.20, 99.74),
        "Pythia+": (97.92, 73.15, 45.77, 74.33, 9.17, 7.40, 97.31),
        "Pythia": (92.04, 71.25, 37.83, 62.37, 10.16, 8.87, 98.26),
    },
    cases=(142_213, 53_221, 142_213, 315_796, 836_574, 806_872, 105_847),
)
"""A plus after a name is the paper's: the model may have been trained on the validation split, too (section 5)."""

CARETS_CONS = PublishedFigures(
    # Tables 8 to 12, and for visual Table 1, which has no second decimal. Its last two headings are exchanged, as
    # Tables 11 (antonyms) and 12 (negation) show.
    source="Jimenez et al., ACL 2022, Tables 1 and 8 to 12",
    columns=_CARETS_TESTS,
    models={
        "BAN": (82.32, 65.22, 77.36, 82.0, 19.30, 56.80),
        "CNN+LSTM": (68.93, 62.56, 73.37, 80.0, 17.85, 10.50),
        "LXMERT": (83.83, 71.02, 83.48, 78.6, 28.11, 71.12),
        "MMBT": (81.72, 58.62, 70.46, 81.4, 23.07, 54.58),
        "ViLBERT": (86.44, 66.21, 76.48, 83.4, 18.73, 55.30),
        "VisualBERT": (83.62, 60.75, 74.13, 83.8, 18.26, 59.84),
    },
)
CARETS_ACC = PublishedFigures(
    source="Jimenez et al., ACL 2022, Tables 8 to 12",
    columns=_CARETS_TESTS,
    models={
        "BAN": (55.86, 51.69, 77.67, None, 50.10, 71.02),
        "CNN+LSTM": (37.58, 33.25, 52.37, None, 49.67, 51.98),
        "LXMERT": (67.80, 63.26, 85.69, None, 52.31, 79.47),
        "MMBT": (56.91, 51.52, 73.73, None, 50.13, 69.83),
        "ViLBERT": (56.44, 51.02, 78.30, None, 49.15, 72.41),
        "VisualBERT": (59.81, 55.87, 74.82, None, 51.10, 73.76),
    },
)
CARETS_C_ACC = PublishedFigures(
    source="Jimenez et al., ACL 2022, Tables 8 to 12",
    columns=_CARETS_TESTS,
    models={
        "BAN": (50.20, 38.43, 66.36, None, 9.73, 49.42),
        "CNN+LSTM": (28.90, 22.29, 39.06, None, 8.59, 7.24),
        "LXMERT": (61.89, 51.01, 77.43, None, 17.00, 65.04),
        "MMBT": (50.76, 36.65, 58.97, None, 11.90, 47.54),
        "ViLBERT": (51.63, 38.27, 66.56, None, 8.61, 50.06),
        "VisualBERT": (53.87, 40.60, 61.88, None, 10.23, 53.68),
    },
)

NOISE_ACCURACY = PublishedFigures(
    # Table 2: open-ended, "All", on test-dev with general basic questions.
    source="Huang et al., AAAI 2019, Tables 1 and 2",
    columns=("clean", "1", "2", "3", "4", "5", "6", "7"),
    models={
        "LSTM Q+I": (58.02, 44.47, 42.75, 40.97, 40.86, 40.70, 40.19, 39.21),
        "HieCoAtt (Alt, VGG19)": (60.48, 54.63, 52.67, 51.08, 51.34, 49.99, 50.27, 48.92),
        "HieCoAtt (Alt, Resnet200)": (61.81, 55.22, 53.34, 51.84, 51.88, 51.23, 51.12, 49.54),
        "MUTAN without attention": (60.16, 49.96, 48.67, 46.27, 46.30, 46.41, 46.22, 45.57),
        "MUTAN with attention": (65.98, 56.85, 54.88, 54.00, 53.35, 52.88, 52.46, 52.46),
        "MLB with attention": (65.79, 57.12, 55.98, 55.16, 54.84, 54.05, 53.34, 52.99),
    },
)


def carets_test_of(item: str) -> str:
    """Returns the CARETS test of an item: its relation, whose variants are added up.

    >>> carets_test_of("carets.visual[blur3]"), carets_test_of("carets.published[phrasal_invariance]")
    ('carets.visual', 'carets.published[phrasal_invariance]')
    """
    relation, _, _ = item.partition("[")
    # The authors' own pairs are a table of their own for each of their tests.
    return item if relation == PUBLISHED_PAIRS else relation


def human_reference(item: str, fact: str = "", value: str = "") -> HumanReference | None:
    """Returns the human reference of an item or test, or of its pairs with a value of a fact; None if there is none."""
    test = paper_test_of(item) if item.startswith(PUBLISHED_PAIRS) else item
    # People were compared by answers alone: binary, or a choice.
    if fact:
        return _HUMAN_REFERENCE_BY_ANSWERS.get((test, value)) if fact == "answers" else None
    return _HUMAN_REFERENCE.get(test)


def paper_test_of(item: str) -> str:
    """Returns the test of an item: its relation, or that of the authors' own pairs."""
    relation, _, variant = item.partition("[")
    return _PUBLISHED_TESTS.get(variant.removesuffix("]"), item) if relation == PUBLISHED_PAIRS else relation


# Yu et al., ISSTA 2022, section 3.4: a pair of captions is a suspicious issue if it violates either relation. The
# second relation is judged if the first holds, on the same pairs, so at each level of overlap their violations add up.
# The published figures are of issues that people judged: our issues have no precision without an audit.

_APPEARANCE, _FORMS = "metaic.object_appearance", "metaic.singular_plural"


@dataclass(frozen=True, slots=True, kw_only=True)
class _CaptionCounts:
    """The counts of an item's presumed cases, or of its others."""

    item: str
    """The id of the MetaIC item, with its level of overlap as variant."""
    suffix: str
    """" (presumed)" for presumed cases; "" for the others."""
    tally: Tally
    """The counts of its cases."""
    figures: Figures
    """The sums that its cases reported: suspicious issues, and errors by kind."""

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
            **{name: self.sum_of(name) for name in (_SUSPICIOUS, *_ERROR_KINDS)},
        }


def captioning_summary(results: Sequence[RelationResult], *, model: str, data: str) -> Summary | None:
    """Returns a row for each MetaIC item, and the number of suspicious issues at each level of overlap."""
    counted = [
        _CaptionCounts(item=result.item, suffix=suffix, tally=tally, figures=figures)
        for result in results
        if result.item.startswith(_METAIC)
        for suffix, tally, figures in _counts(result)
        # An item without judged captions would be a row of zeros.
        if tally.judged
    ]
    if not counted:
        return None
    return Summary(
        kind="captioning",
        model=model,
        data=data,
        rows=tuple(each.row for each in counted),
        totals=_by_level(counted),
    )


def _by_level(counted: Sequence[_CaptionCounts]) -> Mapping[str, Cell]:
    """Returns the number and share of pairs that violate either relation, for levels where both have the same pairs."""
    totals: dict[str, Cell] = {}
    of_forms = {(each.level, each.suffix): each for each in counted if each.item.startswith(_FORMS)}
    for each in counted:
        other = of_forms.get((each.level, each.suffix))
        if not (each.item.startswith(_APPEARANCE) and other and _SUSPICIOUS in each.figures):
            continue
        pairs = each.figures[_SUSPICIOUS].cases
        violated, of_the_rest = each.sum_of(_SUSPICIOUS), other.sum_of(_SUSPICIOUS)
        # Different pairs cannot be added up, as after a run that ended early.
        if violated is None or of_the_rest is None or other.figures[_SUSPICIOUS].cases != pairs:
            continue
        where = f"at overlap {each.level}{each.suffix}"
        totals[f"suspicious issues {where}"] = violated + of_the_rest
        totals[f"share of pairs {where}"] = (violated + of_the_rest) / pairs
    return {**totals, **METAIC_RANGES} if totals else totals


def coverage_tables(results: Iterable[RelationResult]) -> tuple[Coverage, ...]:
    """Returns a table for each test and data source with several models, in the order of the results.

    Variants that some model lacks are left out.
    """
    found: dict[tuple[str, str, bool], dict[str, dict[str, Pairs]]] = {}
    for result in results:
        for presumed, pairs in ((False, result.pairs), (True, result.presumed.pairs if result.presumed else None)):
            if pairs is not None:
                models = found.setdefault((carets_test_of(result.item), result.data.name, presumed), {})
                models.setdefault(result.model.name, {})[result.item] = pairs
    return tuple(
        _table(test, data, presumed, models)
        for (test, data, presumed), models in found.items()
        if len(models) > 1 and any(pairs.tally.pairs for items in models.values() for pairs in items.values())
    )


def _table(test: str, data: str, presumed: bool, models: Mapping[str, _ByItem]) -> Coverage:
    # A share of pairs is only meaningful on pairs that both models were given.
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
    """Returns the share of their right pairs that are right in ours, among those answered in ours."""
    both = sum((ours[item].right & pairs.right).bit_count() for item, pairs in theirs.items())
    # A pair without an answer is no failure to cover it: it is left out of both sums.
    known = sum((pairs.right & ~ours[item].unanswered).bit_count() for item, pairs in theirs.items())
    return both / known if known else None


# VEglue, Chang et al., sections 4.6 and 5; published rates of OFA-VE, ALBEF-VE, LLaVA and GPT-4V, in this order, from
# Tables 2 (whole picture), 3 and 6 (in boxes). Presumed cases have rows of their own.

ISSUE, INCONSISTENT, SOURCE_RIGHT = "issue", "inconsistent", "source right"
"""The figures of verdicts on hypotheses, named as in ``relations.expectations``."""


def entailment_summary(results: Sequence[RelationResult], *, model: str, data: str) -> Summary | None:
    """Returns the figures of the items on hypotheses; None without cases.

    An issue is a case whose second label is unparsed or not the one that the paper expects. Issues are the violations,
    except for the items that demand the same label twice. An issue is inconsistent if the first label was right. Shares
    are of GNUM. The total is the mean rate of the three relations, presumed cases included, if each has any.
    """
    counted = [(result.item, *each) for result in results if result.item in PUBLISHED_IFR for each in _counts(result)]
    if not counted:
        return None
    rows = tuple(_ifr_row(item, suffix, tally, figures) for item, suffix, tally, figures in counted)
    rates = [
        ifr_of([(tally, figures) for item, _, tally, figures in counted if item == each]) for each in VEGLUE_RELATIONS
    ]
    known = [rate for rate in rates if rate is not None]
    totals: dict[str, Cell] = {}
    # Of fewer relations it would be another figure than the paper's.
    if len(known) == len(VEGLUE_RELATIONS):
        totals = {
            "mean IFR of MR1 to MR3": sum(known) / len(known),
            "the same of OFA-VE, ALBEF-VE, LLaVA and GPT-4V": ", ".join(f"{rate:.3f}" for rate in PUBLISHED_MEAN),
        }
    return Summary(kind="entailment", model=model, data=data, rows=rows, totals=totals)


def _counts(result: RelationResult) -> Iterator[tuple[str, Tally, Figures]]:
    for stratum in result.strata:
        if stratum.tally.cases:
            yield "" if stratum is result else _PRESUMED, stratum.tally, stratum.figures


def _ifr_row(item: str, suffix: str, tally: Tally, figures: Figures) -> Cells:
    return {
        "relation": f"{item}{suffix}",
        "GNUM": tally.judged,
        "INUM": _issues(tally, figures),
        "IFR": ifr_of([(tally, figures)]),
        "inconsistent": _share(figures, INCONSISTENT),
        "source right": _share(figures, SOURCE_RIGHT),
        "published IFR": f"{min(PUBLISHED_IFR[item]):.3f} to {max(PUBLISHED_IFR[item]):.3f}",
    }


def ifr_of(counted: Sequence[tuple[Tally, Figures]]) -> float | None:
    """Returns the IFR over all counts; None without judged cases."""
    made = sum(tally.judged for tally, _ in counted)
    return sum(_issues(tally, figures) for tally, figures in counted) / made if made else None


def _issues(tally: Tally, figures: Figures) -> int:
    # Items that demand the same label twice are judged otherwise than the paper counts issues.
    return round(figures[ISSUE].total) if ISSUE in figures else tally.violated + tally.unparsed


def _share(figures: Figures, name: str) -> float | None:
    return figures[name].mean if name in figures else None


def noise_summary(results: Sequence[RelationResult], *, model: str, data: str) -> Summary | None:
    """Returns a row for each partition, the least noise first: accuracy in percent, its drop in percentage points.

    The totals are the R_score of the first partition, and the monotonicity of the accuracy under noise over all seven,
    or of the pass rate if some accuracy is unknown.
    """
    partitions = {each.item: each for each in results if each.item.startswith(f"{NOISE}[") and each.tally.cases}
    if not partitions:
        return None
    ordered = [partitions[item] for item in sorted(partitions)]
    return Summary(
        kind="noise",
        model=model,
        data=data,
        rows=tuple(_noise_row(each) for each in ordered),
        totals={
            "R_score": _r_score(partitions[FIRST_PARTITION]) if FIRST_PARTITION in partitions else None,
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
    # A trend over some of the partitions is not the paper's figure.
    if len(ordered) < _PARTITIONS:
        return None
    for values in ([_percent(each, "noisy") for each in ordered], [each.pass_rate for each in ordered]):
        known = [value for value in values if value is not None]
        if len(known) == _PARTITIONS:
            return monotonicity(known)
    return None


def r_score(difference: float, *, t: float = TOLERANCE, m: float = LIMIT) -> float:
    """Returns ``(sqrt(m) - sqrt(d)) / (sqrt(m) - sqrt(t))`` in [0, 1], with d = ``|difference|`` in percentage points.

    Huang et al., AAAI 2019, equations 2 and 3: 1 if noise changes the accuracy by at most t points, 0 from m points on.
    Gains count like losses.

    >>> round(r_score(13.55), 2), round(r_score(-5.85), 2), r_score(0), r_score(40)
    (0.19, 0.48, 1.0, 0.0)

    Raises:
        VqamtError: not 0 <= t < m <= 100.
    """
    if not 0 <= t < m <= 100:
        raise VqamtError(f"Expected a tolerance and a limit with 0 <= t < m <= 100, but got t={t!r}, m={m!r}")
    # abs: the paper takes gains for instability as well.
    score = (sqrt(m) - sqrt(abs(difference))) / (sqrt(m) - sqrt(t))
    return max(0.0, min(1.0, score))


def monotonicity(values: Sequence[float]) -> float | None:
    """Returns Kendall's tau (Biometrika 30, 1938) of the values and their order, negated; None for fewer than two.

    1 if each value is below all before it, 0 without a trend, -1 if each is above them.

    >>> monotonicity([5, 3, 4, 1]), monotonicity([1, 1])
    (0.6666666666666666, 0.0)
    """
    pairs = list(combinations(values, 2))
    # Concordant less discordant pairs; ties count for neither.
    return sum((first > later) - (first < later) for first, later in pairs) / len(pairs) if pairs else None
