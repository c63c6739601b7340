"""Figures of models in the papers' own tables, in percent as printed there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# The human reference and the published IFR of VEglue are in ``papers``.


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFigures:
    """The figures of one kind in a paper; None where it gives none."""

    source: str
    """The paper and its tables."""
    columns: tuple[str, ...]
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

_CARETS_TESTS = ("rephrase", "order", "ontological", "visual", "negation", "antonym")

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
