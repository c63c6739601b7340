"""Judgements of sampled cases, and the rates computed from them."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from io import StringIO
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.errors import DataError, did_you_mean
from pytest_vqamt.core.input_files import read_text
from pytest_vqamt.core.tallies import Clusters, SceneCounter
from pytest_vqamt.reporting.audit.sample import AuditCase, CaseKey, Sample, SampleSettings, parse_settings
from pytest_vqamt.reporting.audit.sheet import SHEET, unescape_formula
from pytest_vqamt.stats.intervals import pass_rate_interval, wilson

_NEEDED = ("case_id", "model", "data", "judgement", "note", "of", "drawn_from")

_AS_WRITTEN = f"give the {SHEET} that `vqamt audit -o` wrote, or the one that its page gives"


class Judgement(StrEnum):
    """A person's judgement of a case."""

    VALID = "valid"
    INVALID = "invalid"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidRate:
    """The share of valid cases with its 95 % interval."""

    rate: float | None
    """None if nothing was judged."""
    interval: tuple[float, float]
    """(0, 1) if nothing was judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFigures:
    """The figures of a judged sample."""

    population: int
    """The number of cases to sample from."""
    drawn: int
    """The number of sampled cases; some may not be judged."""
    valid: int
    """Cases judged valid."""
    invalid: int
    """Cases judged invalid."""
    unsure: int
    """Cases judged unsure."""
    share: ValidRate
    """The share of valid cases among the judged ones; unsure ones count as not valid. Chang et al. (VEglue, section
    4.4) count as valid what all three judges believe to be so."""
    decided: ValidRate
    """The same without the unsure cases."""
    unseen: tuple[str, ...] = ()
    """In a stratified sample the items without a judged case, which are not in the rates."""

    @property
    def judged(self) -> int:
        return self.valid + self.invalid + self.unsure


def audit_figures(sample: Sample, judgements: Mapping[CaseKey, Judgement]) -> AuditFigures:
    """The figures of all cases; in a stratified sample the items are weighted by their numbers of cases."""
    figures = _figures(sample.cases, judgements, sample.drawn_from)
    if sample.draw.per_relation is None:
        return figures
    return replace(
        figures,
        share=_weighted(sample, judgements, without_unsure=False),
        decided=_weighted(sample, judgements, without_unsure=True),
        unseen=tuple(
            item for item in sample.population if not any(judgements.get(drawn.key) for drawn in _of(item, sample))
        ),
    )


def figures_by_item(sample: Sample, judgements: Mapping[CaseKey, Judgement]) -> dict[str, AuditFigures]:
    """The figures of each sampled item, sorted by name."""
    return {
        item: _figures(cases, judgements, population)
        for item, population in sample.population.items()
        if (cases := _of(item, sample))
    }


def _figures(cases: Sequence[AuditCase], judgements: Mapping[CaseKey, Judgement], population: int) -> AuditFigures:
    counts = Counter(judgements[drawn.key] for drawn in cases if drawn.key in judgements)
    return AuditFigures(
        population=population,
        drawn=len(cases),
        valid=counts[Judgement.VALID],
        invalid=counts[Judgement.INVALID],
        unsure=counts[Judgement.UNSURE],
        share=_share(cases, judgements, without_unsure=False),
        decided=_share(cases, judgements, without_unsure=True),
    )


def _of(item: str, sample: Sample) -> list[AuditCase]:
    return [drawn for drawn in sample.cases if drawn.item == item]


def _share(cases: Sequence[AuditCase], judgements: Mapping[CaseKey, Judgement], *, without_unsure: bool) -> ValidRate:
    """The share of valid ones. The interval is by scene: judgements of one picture are not independent."""
    clusters = _clusters(cases, judgements, without_unsure=without_unsure)
    rate = clusters.holds / clusters.judged if clusters.judged else None
    return ValidRate(rate=rate, interval=pass_rate_interval(clusters))


def _clusters(cases: Sequence[AuditCase], judgements: Mapping[CaseKey, Judgement], *, without_unsure: bool) -> Clusters:
    """The judged cases by scene; a valid one holds."""
    spread = SceneCounter()
    for drawn in cases:
        judgement = judgements.get(drawn.key)
        if judgement is None or (without_unsure and judgement is Judgement.UNSURE):
            continue
        outcome = Outcome.HOLDS if judgement is Judgement.VALID else Outcome.VIOLATED
        # Two data sources may name different scenes alike.
        spread.add(f"{drawn.data}\x1f{drawn.scene}", outcome)
    return spread.clusters


def _weighted(sample: Sample, judgements: Mapping[CaseKey, Judgement], *, without_unsure: bool) -> ValidRate:
    return combine_strata(
        [
            AuditStratum(cases, _clusters(_of(item, sample), judgements, without_unsure=without_unsure))
            for item, cases in sample.population.items()
        ]
    )


class AuditStratum(NamedTuple):
    """A stratum of a stratified sample."""

    cases: int
    """All of its cases, judged or not."""
    judged: Clusters
    """The judged cases by scene; valid ones hold."""


def combine_strata(strata: Sequence[AuditStratum]) -> ValidRate:
    """The rate of all strata of a stratified sample; strata without a judged case are left out.

    ``p = sum w_i p_i`` with ``w_i = N_i / N``: unbiased. The interval is the wider, at each of its ends, of two, for
    each is too narrow where the other is not. One is made of the intervals ``(l_i, u_i)`` of the strata, ``p - sqrt(sum
    w_i^2 (p_i - l_i)^2)`` to ``p + sqrt(sum w_i^2 (u_i - p_i)^2)`` (Zou, Huang and Zhang, Computational Statistics &
    Data Analysis 53, 2009): many strata of a few cases each, all valid, push it upwards. The other is Wilson's for as
    many cases as these are worth, ``1 / sum w_i^2 / n_i`` (Kish, Survey Sampling, 1965), which takes the rates of the
    strata to be alike.

    >>> from pytest_vqamt.core.tallies import SceneTally
    >>> all_valid, half = Clusters((SceneTally(1, 1, 5),)), Clusters((SceneTally(0, 1, 5), SceneTally(1, 1, 5)))
    >>> combine_strata([AuditStratum(30, half), AuditStratum(10, all_valid)]).rate
    0.625
    """
    known = [(cases, clusters) for cases, clusters in strata if clusters.judged]
    total = sum(cases for cases, _ in known)
    if not total:
        return ValidRate(rate=None, interval=(0.0, 1.0))
    rate = low_gap = high_gap = spread = 0.0
    for cases, clusters in known:
        weight, here, ends = cases / total, clusters.holds / clusters.judged, pass_rate_interval(clusters)
        rate += weight * here
        low_gap += (weight * (here - ends[0])) ** 2
        high_gap += (weight * (ends[1] - here)) ** 2
        spread += weight**2 / clusters.judged
    # 1 / spread is the effective number of cases.
    low, high = wilson(rate / spread, 1 / spread)
    return ValidRate(
        rate=rate, interval=(max(0.0, min(low, rate - sqrt(low_gap))), min(1.0, max(high, rate + sqrt(high_gap))))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The agreement of two judges on the cases that both judged."""

    first: str
    """The file name of the first sheet."""
    second: str
    """The file name of the second sheet."""
    shared: int
    """Cases that both judged."""
    same: int
    """Cases with one judgement by both."""
    kappa: float | None
    """Cohen's kappa; None if it is undefined: no case, or one judgement for all of them."""


def agreements(sheets: Sequence[JudgedSheet]) -> tuple[Agreement, ...]:
    """The agreement of each pair of sheets."""
    return tuple(_agreement(first, second) for first, second in combinations(sheets, 2))


def _agreement(first: JudgedSheet, second: JudgedSheet) -> Agreement:
    pairs = [(first.judgements[key], second.judgements[key]) for key in first.judgements if key in second.judgements]
    return Agreement(
        first=first.file.name,
        second=second.file.name,
        shared=len(pairs),
        same=sum(one is other for one, other in pairs),
        kappa=cohen_kappa(pairs),
    )


def cohen_kappa(pairs: Sequence[tuple[Judgement, Judgement]]) -> float | None:
    """Cohen's kappa, ``(p_o - p_e) / (1 - p_e)``, over the three judgements.

    ``p_o`` is the share of cases that both say the same of, and ``p_e`` the share expected of two people who say each
    word as often as these do, but of cases at random. Cohen, Educational and Psychological Measurement 20 (1960).

    >>> valid, invalid = Judgement.VALID, Judgement.INVALID
    >>> cohen_kappa([(valid, valid), (valid, valid), (invalid, invalid), (valid, invalid)])
    0.5
    """
    cases = len(pairs)
    one, other = Counter(each for each, _ in pairs), Counter(each for _, each in pairs)
    by_chance = sum(one[word] * other[word] for word in Judgement)  # times cases * cases
    # Both say one word of all cases, or there is none: 0 / 0.
    if by_chance == cases * cases:
        return None
    same = sum(first is second for first, second in pairs)
    return (same * cases - by_chance) / (cases * cases - by_chance)


def majority(sheets: Sequence[JudgedSheet]) -> dict[CaseKey, Judgement]:
    """The majority judgement of each case; unsure without a majority."""
    words: dict[CaseKey, Counter[Judgement]] = {}
    for sheet in sheets:
        for key, word in sheet.judgements.items():
            words.setdefault(key, Counter())[word] += 1
    return {
        key: word if 2 * times > counted.total() else Judgement.UNSURE
        for key, counted in words.items()
        # A tie has no majority, so it does not matter which of its words this is.
        for word, times in counted.most_common(1)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSheet:
    """The judgements of one person."""

    file: Path
    """The sheet."""
    judgements: Mapping[CaseKey, Judgement]
    """Of the judged cases."""
    notes: Mapping[CaseKey, str]
    """Of the cases with a note, in one line each."""


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    """In the spreadsheet, where the head is row 1."""
    cells: Mapping[str, str]
    """By the names of their columns."""

    @property
    def key(self) -> CaseKey:
        case_id, model, data = (unescape_formula(self.cells[name].strip()) for name in ("case_id", "model", "data"))
        # Case ids are hexadecimal, so that capitals are no other id.
        return case_id.lower(), model, data


def read_settings(file: Path) -> tuple[SampleSettings, int]:
    """The sample settings of a sheet, and the number of cases to sample from.

    Raises:
        DataError: the file is not a sheet, or its rows are of several samples.
    """
    found: dict[tuple[str, str], int] = {}
    for row in _rows(file):
        found.setdefault((row.cells["of"].strip(), row.cells["drawn_from"].strip()), row.number)
    if not found:
        raise DataError(f"{file}: Expected a row for each case, but got none: {_AS_WRITTEN}")
    # Two sheets pasted into one file would mix two samples.
    (given, first), *others = found.items()
    if others:
        raise DataError(
            f"{file}, row {others[0][1]}: Expected rows of one sample, but got drawn_from={others[0][0][1]!r} "
            f"after {given[1]!r} in row {first}: give the sheets one by one"
        )
    try:
        return parse_settings(*given)
    except DataError as error:
        raise DataError(f"{file}, row {first}: {error}") from error


def read_judgements(file: Path, sample: Sample, is_known: Callable[[str], bool]) -> JudgedSheet:
    """Reads the judgements of a sheet of ``sample``; ``is_known`` is true of case ids of the report.

    Raises:
        DataError: the file is not a sheet, a row is not a case of the sample or a duplicate, or a judgement is invalid.
    """
    drawn = {each.key for each in sample.cases}
    seen: dict[CaseKey, int] = {}
    judgements: dict[CaseKey, Judgement] = {}
    notes: dict[CaseKey, str] = {}
    for row in _rows(file):
        where, key = f"{file}, row {row.number}", row.key
        if key not in drawn:
            raise DataError(f"{where}: {_stranger(key, is_known)}")
        if key in seen:
            raise DataError(
                f"{where}: Expected each case once, but got case_id={key[0]!r} in row {seen[key]}, too: "
                "leave one of the two rows"
            )
        seen[key] = row.number
        if judgement := _judgement(row.cells["judgement"], where):
            judgements[key] = judgement
        if note := " ".join(unescape_formula(row.cells["note"].strip()).split()):
            notes[key] = note
    return JudgedSheet(file=file, judgements=judgements, notes=notes)


def has_judgements(file: Path) -> bool:
    """True if the sheet has a judgement or a note.

    Raises:
        DataError: the file is not a sheet.
    """
    return any(row.cells[name].strip() for row in _rows(file) for name in ("judgement", "note"))


def _stranger(key: CaseKey, is_known: Callable[[str], bool]) -> str:
    """Why a row is not of the sample."""
    case_id, model, data = key
    if not is_known(case_id):
        return (
            f"Expected a case of the report, but got case_id={case_id!r}, which it does not have: name the report that "
            "the sheet was drawn from (a spreadsheet may also have taken an id for a number: set that column to text)"
        )
    given = ", ".join(f"{name}={value!r}" for name, value in (("model", model), ("data", data)) if value)
    return (
        f"Expected a case of the sample, but got case_id={case_id!r}, {given}, which was not drawn: "
        "leave the rows as they were, and judge no others"
    )


def _judgement(cell: str, where: str) -> Judgement | None:
    word = cell.strip().lower()
    if not word:
        return None
    known = [each.value for each in Judgement]
    if word not in known:
        raise DataError(
            f"{where}: Expected a judgement, or nothing where the case is not judged, but got judgement={cell!r}; "
            f"{did_you_mean(word, known)}"
        )
    return Judgement(word)


def _rows(file: Path) -> Iterator[_Row]:
    """The rows with their spreadsheet numbers, without blank ones; the head decides the delimiter."""
    try:
        text = read_text(file)
    except OSError as error:
        raise DataError(
            f"Expected a ticked sheet, but got --read {str(file)!r} ({error.strerror or error}): {_AS_WRITTEN}"
        ) from error
    head = text.partition("\n")[0]
    # Spreadsheets of some languages save CSV with semicolons; the head has no such marks in its names.
    apart = next((mark for mark in ",;\t" if mark in head), ",")
    try:
        lines = list(csv.reader(StringIO(text, newline=""), delimiter=apart, strict=True))
    except csv.Error as error:
        raise DataError(f"{file}: Expected a sheet in CSV, but got {error}: {_AS_WRITTEN}") from error
    names = [name.strip() for name in lines[0]] if lines else []
    if missing := [name for name in _NEEDED if name not in names]:
        raise DataError(f"{file}: Expected the columns {', '.join(_NEEDED)}, but got no {missing[0]!r}: {_AS_WRITTEN}")
    for number, line in enumerate(lines[1:], start=2):
        # Spreadsheets leave rows of empty cells at the end.
        if not any(cell.strip() for cell in line):
            continue
        # Rows may be shorter than the head where their last cells are empty.
        yield _Row(number, {**dict.fromkeys(names, ""), **dict(zip(names, line, strict=False))})
