"""A random sample of the cases of a report: the same for the same seed, whatever the order of the file."""

from __future__ import annotations

import heapq
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias, cast

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.case_store import find_cases_file, numbered_rows
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, OptionError, did_you_mean
from pytest_vqamt.core.identity import check_patterns, digest, matches
from pytest_vqamt.core.results import Report

CaseKey: TypeAlias = tuple[str, str, str]
"""Identifies a case in its sample: its id, its model and its data."""

_NOISE = "control"
_VIOLATIONS = (Outcome.VIOLATED, Outcome.UNPARSED)

DEFAULT_SAMPLE = 100
"""The default sample size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditCase:
    """A case of the sample."""

    row: Mapping[str, Json]
    """The case in the report."""
    where: str
    """The file and the line number."""
    item: str
    """The relation variant; presumed cases are an item of their own."""
    model: str
    """The model of the violation; "" if the case itself is judged, for all models."""

    @property
    def case_id(self) -> str:
        return str(self.row["case_id"])

    @property
    def data(self) -> str:
        return str(self.row["data"])

    @property
    def scene(self) -> str:
        return str(self.row["scene"])

    @property
    def key(self) -> CaseKey:
        return self.case_id, self.model, self.data


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A sample of cases."""

    draw: SampleSettings
    """How it was drawn."""
    cases: tuple[AuditCase, ...]
    """In the order of judging; any first part of them is a random sample too."""
    population: Mapping[str, int]
    """The number of cases of each item to sample from."""

    @property
    def drawn_from(self) -> int:
        return sum(self.population.values())

    @property
    def words(self) -> str:
        """The description of the sample on its sheet."""
        return self.draw.words(self.drawn_from)


def draw_sample(report: Report, folder: Path, draw: SampleSettings) -> Sample:
    """Samples the cases in ``folder`` uniformly without replacement; only the sample is in memory.

    The cases with the smallest digests of seed and identity are taken, so a larger sample contains the smaller one of
    the same seed. With ``per_relation`` this holds for each relation variant.

    Raises:
        OptionError: the report has no case to sample from.
        DataError: its cases cannot be read.
    """
    # First, as it checks names before the cases are read.
    left_out = _left_out(report, draw)
    wanted = _SampleHeaps(
        draw, left_out, counts_once=draw.of is AuditTarget.ALL and len(report.models) * len(report.data) > 1
    )
    file = find_cases_file(folder)
    for number, row in numbered_rows(file):
        wanted.add(row, f"{file}:{number}")
    sample = wanted.sample()
    if not sample.cases:
        what = "violations" if draw.of is AuditTarget.VIOLATIONS else "cases"
        raise OptionError(
            f"Expected {what} to draw from, but {str(folder)!r} has none{_filters_in_words(draw)}: "
            "name other relations or another report"
            + (", or draw from --of all" if draw.of is AuditTarget.VIOLATIONS else "")
        )
    return sample


def _left_out(report: Report, draw: SampleSettings) -> frozenset[str]:
    items = {each.item: each.tags for each in report.relations}
    check_patterns(draw.relations, items)
    models = [model.name for model in report.models]
    if draw.model is not None and draw.model not in models:
        raise OptionError(
            f"Expected --model to name a model of the report, but got {draw.model!r}; "
            f"{did_you_mean(draw.model, models)}"
        )
    return frozenset(item for item, tags in items.items() if not _is_drawn_from(item, tags, draw.relations))


def _is_drawn_from(item: str, tags: tuple[str, ...], globs: tuple[str, ...]) -> bool:
    """Controls are sampled only if a glob names them and is not just a wildcard."""
    naming = [glob for glob in globs if matches(glob, item)]
    if _NOISE in tags:
        # "*" names nothing; "control.*" does.
        return any(any(map(str.isalnum, glob)) for glob in naming)
    return bool(naming) or not globs


def _filters_in_words(draw: SampleSettings) -> str:
    parts = [f"--relations {','.join(draw.relations)}"] if draw.relations else []
    parts += [f"--model {draw.model}"] if draw.model is not None else []
    parts += [f"--data {spec}" for spec in draw.data]
    return f" of {' '.join(parts)}" if parts else ""


@dataclass(slots=True)
class _SampleHeaps:
    """The cases with the smallest digests so far, in a heap for each stratum."""

    draw: SampleSettings
    """The settings."""
    left_out: frozenset[str]
    """Items that are not sampled."""
    counts_once: bool
    """True if a case of several models or data sources is one case."""
    population: dict[str, int] = field(default_factory=dict)
    """The cases so far of each item to sample from."""
    _known: set[int] = field(default_factory=set)
    """The digests of the cases so far, where each counts once."""
    _drawn: dict[str, list[tuple[int, int, AuditCase]]] = field(default_factory=dict)
    """For each stratum a heap of negated digests, so that the largest comes out first; the number settles ties."""
    _lines: int = 0
    """The lines read."""

    def add(self, row: dict[str, Json], where: str) -> None:
        self._lines += 1
        if not self._is_wanted(row):
            return
        of_all = self.draw.of is AuditTarget.ALL
        drawn = AuditCase(row=row, where=where, item=_item(row), model="" if of_all else str(row["model"]))
        named = (drawn.case_id,) if of_all else drawn.key  # a case of two data sources is one case
        # As good as a random number, and the same for a case wherever it is in the file.
        rank = int(digest("audit", str(self.draw.seed), *named), 16)
        if self.counts_once:
            if rank in self._known:
                return
            self._known.add(rank)
        self.population[drawn.item] = self.population.get(drawn.item, 0) + 1
        heap = self._drawn.setdefault(drawn.item if self.draw.per_relation else "", [])
        entry = (-rank, -self._lines, drawn)
        if len(heap) < (self.draw.per_relation or self.draw.sample):
            heapq.heappush(heap, entry)
        else:
            # Full: the largest digest, which may be this one's, leaves it.
            heapq.heappushpop(heap, entry)

    def sample(self) -> Sample:
        ranked = [
            (place, -rank, -number, drawn)
            for heap in self._drawn.values()
            for place, (rank, number, drawn) in enumerate(sorted(heap, key=lambda one: one[:2], reverse=True))
        ]
        # With strata, first the first of each, then the second of each; with none, simply by digest.
        ranked.sort(key=lambda one: one[:3])
        return Sample(
            draw=self.draw,
            cases=tuple(drawn for *_, drawn in ranked),
            population=dict(sorted(self.population.items())),
        )

    def _is_wanted(self, row: dict[str, Json]) -> bool:
        outcome = Outcome(str(row["verdict"]))
        if self.draw.of is AuditTarget.VIOLATIONS:
            # Waived violations were judged before, as invalid.
            if outcome not in _VIOLATIONS or row.get("waived"):
                return False
        elif not outcome.is_judged:
            return False
        return (
            row["relation"] not in self.left_out
            and self.draw.model in (None, row["model"])
            and (not self.draw.data or row["data"] in self.draw.data)
        )


def _item(row: Mapping[str, Json]) -> str:
    presumed = "presumed" in cast("list[Json]", row.get("tags") or [])
    return f"{row['relation']} (presumed)" if presumed else str(row["relation"])


class AuditTarget(StrEnum):
    """The cases that are sampled."""

    VIOLATIONS = "violations"
    """The share of true violations is the precision."""
    ALL = "all"
    """All cases with a verdict: the share of valid ones is the valid tests rate (VTR)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSettings:
    """The settings of a sample."""

    of: AuditTarget
    """Violations, or all cases."""
    sample: int = DEFAULT_SAMPLE
    """The number of cases in all."""
    per_relation: int | None = None
    """The number of cases of each relation variant, in place of ``sample``."""
    seed: int = 0
    """Another seed draws another sample."""
    relations: tuple[str, ...] = ()
    """Globs; without any, all relations but controls."""
    model: str | None = None
    """Sample only cases of this model."""
    data: tuple[str, ...] = ()
    """Sample only cases of these data specs."""

    def __post_init__(self) -> None:
        if self.sample < 1:
            raise OptionError(f"Expected --sample to be a whole number from 1 up, but got {self.sample!r}")
        if self.per_relation is not None and self.per_relation < 1:
            raise OptionError(f"Expected --per-relation to be a whole number from 1 up, but got {self.per_relation!r}")

    def words(self, population: int) -> str:
        """The settings and the number of cases to sample from, as a cell of a sheet.

        >>> SampleSettings(of=AuditTarget.ALL, relations=("metavqa.*",)).words(812)
        "population=812 sample=100 seed=0 'relations=metavqa.*'"
        """
        size = f"sample={self.sample}" if self.per_relation is None else f"per-relation={self.per_relation}"
        parts = [f"population={population}", size, f"seed={self.seed}"]
        parts += [f"relations={','.join(self.relations)}"] if self.relations else []
        parts += [f"model={self.model}"] if self.model is not None else []
        parts += [f"data={spec}" for spec in self.data]
        return shlex.join(parts)


def parse_settings(of: str, words: str) -> tuple[SampleSettings, int]:
    """Parses the cell of a sheet: the settings, and the number of cases to sample from.

    Raises:
        DataError: the cell is not as it was written.
    """
    try:
        parts = [part.partition("=") for part in shlex.split(words)]
        one = {name: value for name, _, value in parts}
        per_relation = one.get("per-relation")
        draw = SampleSettings(
            of=AuditTarget(of),
            sample=int(one["sample"]) if per_relation is None else DEFAULT_SAMPLE,
            per_relation=None if per_relation is None else int(per_relation),
            seed=int(one["seed"]),
            relations=tuple(part for part in one.get("relations", "").split(",") if part),
            model=one.get("model"),
            data=tuple(value for name, _, value in parts if name == "data"),
        )
        return draw, int(one["population"])
    except (KeyError, ValueError, OptionError) as error:
        raise DataError(
            f"Expected the columns of and drawn_from as `vqamt audit -o` wrote them, but got of={of!r}, "
            f"drawn_from={words!r}: leave them as they were"
        ) from error
