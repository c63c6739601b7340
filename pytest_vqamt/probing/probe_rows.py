"""The types of ``probe.json``: a field for each of its members, in its order, from which the schema is made."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from pytest_vqamt.core.codec import Count, Rate, from_row, to_row
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.input_files import MAX_DATA_BYTES, describe_broken, parse_json, read_text
from pytest_vqamt.core.report_rows import Name, Positive
from pytest_vqamt.core.text import short_path
from pytest_vqamt.probing.against.comparison import AgainstResult, StageResult
from pytest_vqamt.probing.asking import SentRequest
from pytest_vqamt.probing.findings import FindingState

PROBE_FILE = "probe.json"

PROBE_SCHEMA = 1
"""Raised when a field of ``probe.json`` is renamed or removed; additions keep it."""

PROBE, AGAINST = "probe", "against"
"""What a ``probe.json`` may be: the probe of one model, or the comparison of two."""

ProbeSchemaNumber: TypeAlias = Annotated[int, Meta(extra_json_schema={"const": PROBE_SCHEMA})]

_ANEW = "write one with `vqamt probe MODEL --out DIR`"


class ProbeFindingRow(Struct, frozen=True, kw_only=True):
    """A fault of the deployment: more differences than chance explains."""

    kind: Name
    """The name that --allow takes."""
    state: FindingState
    """fails, allowed (--allow), or known, as the baseline has it, too."""
    reason: str
    """Why it is allowed, as --allow NAME=REASON says; empty where it does not say, or for any other state."""
    title: str
    """What was observed."""
    cause: str
    """The likely cause."""
    advice: str
    """What to do first."""
    differing: Count
    """Comparisons that show it."""
    compared: Count
    """All comparisons of its check."""
    p_value: Rate
    """The probability of at least as many differences on a sane deployment."""
    detail: str
    """At which sizes, lengths or forms."""
    ruled_out: tuple[str, ...]
    """What was tried, and is not the cause."""
    requests: tuple[Positive, ...]
    """The numbers of the requests that show it."""


class ProbeFigureRow(Struct, frozen=True, kw_only=True):
    """A number that two probes of one model can be compared by."""

    value: float
    """The number."""
    unit: str
    """Its unit: px, of 255, or %."""
    is_better_high: bool = True
    """False for a step that is the better the smaller it is."""
    is_gated: bool = True
    """False for a figure that fails no build."""


class SentRow(Struct, frozen=True, kw_only=True):
    """A request that was sent, with its answer."""

    number: Positive
    """Counts requests from 1."""
    sent: str
    """The cards in words; of a conversation all of its parts."""
    text: str
    """The question."""
    answer: str
    """As the model gave it; empty where it failed."""
    failure: str
    """Why there is no answer; empty where there is one."""
    tokens_in: Count | None
    """The prompt's tokens; null where they are not known of this request alone."""
    batch: Count
    """Requests of one number were sent together; 0 for those sent alone."""


class ProbeRow(Struct, frozen=True, kw_only=True, tag_field="is", tag=PROBE):
    """The probe of one model."""

    schema: ProbeSchemaNumber
    """The number of this schema."""
    model: Name
    """The spec of the model."""
    is_by_scores: bool
    """True if log-probabilities were compared (--scores), and not answers."""
    passed: bool
    """False where the exit status is no 0: a finding fails, a figure has dropped, or nothing could be checked."""
    requests: Count
    """How many were sent."""
    subject: str
    """The question of the comparisons; empty where no question could be used."""
    read: dict[str, tuple[Count, Count]]
    """How many cards were read rightly, and of how many, by what is to be read."""
    flips: Rate
    """The share of answers about easy cards that differed from the majority."""
    findings: tuple[ProbeFindingRow, ...]
    """In the order of the checks; empty for a sane deployment."""
    drops: tuple[str, ...]
    """Figures that have dropped since the baseline, in words."""
    not_found: tuple[str, ...]
    """Kinds that --allow names, and that were not found."""
    figures: dict[str, ProbeFigureRow]
    """By what was measured."""
    facts: dict[str, str]
    """Observations that are no finding, by what was observed."""
    checked: tuple[str, ...]
    """The checks that were made."""
    skipped: dict[str, str]
    """Checks that were not made, each with the reason."""
    log: tuple[SentRow, ...]
    """All requests."""


class StageRow(Struct, frozen=True, kw_only=True):
    """The paired answers of a stage of the comparison."""

    stage: Name
    """What its requests are about."""
    compared: Count
    """Requests that both answered."""
    differing: tuple[tuple[Positive, Positive], ...]
    """The numbers of two requests, to A and to B, whose answers differed twice in a row."""
    wavering: Count
    """Pairs that differed once, and not again."""
    right: tuple[Count, Count]
    """How many answers of A and of B name what the card shows."""
    p_value: Rate
    """The probability of so many differences between two sane deployments of the same weights."""
    is_finding: bool
    """True if chance does not explain the differences."""
    apart: float
    """The mean distance of the first tokens' scores, in shares of what two pictures are apart."""
    apart_later: float
    """The same of all tokens up to the first that differs."""
    divergence: float | None
    """The mean Kullback-Leibler divergence of the first tokens, in nats; null without log-probabilities."""
    flips: Count
    """Pairs whose likeliest first tokens differ; without log-probabilities, whose answers do."""
    parted_at: float | None
    """The median number of equal tokens, or characters, before answers part; null if none do."""


class ComparedFigureRow(Struct, frozen=True, kw_only=True):
    """How fine a detail both read; 0 for nothing that is read."""

    first: float
    """Of A."""
    second: float
    """Of B."""
    unit: str
    """px, or of 255."""
    has_dropped: bool
    """True if A's is worse by two steps of a ladder, which is a finding."""


class AgainstRow(Struct, frozen=True, kw_only=True, tag_field="is", tag=AGAINST):
    """The comparison of two deployments (--against)."""

    schema: ProbeSchemaNumber
    """The number of this schema."""
    models: tuple[Name, Name]
    """The specs of A and B."""
    stages: tuple[StageRow, ...]
    """In the order in which they were compared."""
    tokens: str
    """How the counts of prompt tokens differ; empty where they do not, or where a server counts none."""
    parted: str
    """The likely stage where they differ; empty if they do not differ."""
    explanation: str
    """What A does, where it was found; empty for nothing known."""
    smallest: str
    """The smallest picture that separates them; empty where none was found."""
    figures: dict[str, ComparedFigureRow]
    """By what was measured; empty where clear digits are not read."""
    complete: bool
    """False if the requests were spent before the last stage."""
    logs: tuple[tuple[SentRow, ...], tuple[SentRow, ...]]
    """All requests to A, and all to B."""


def row_text(row: ProbeRow | AgainstRow) -> str:
    """The text of ``probe.json``."""
    # In ASCII: answers of models may have lone surrogates, which no file can hold otherwise.
    return json.dumps(to_row(row), indent=1) + "\n"


def sent_rows(log: Iterable[SentRequest]) -> tuple[SentRow, ...]:
    """Requests, a row for each."""
    return tuple(
        SentRow(
            number=each.number,
            sent=each.look,
            text=each.text,
            answer=each.answer,
            failure=each.failure,
            tokens_in=each.tokens_in,
            batch=each.batch,
        )
        for each in log
    )


def against_row(result: AgainstResult) -> AgainstRow:
    """The comparison as it is written."""
    return AgainstRow(
        schema=PROBE_SCHEMA,
        models=result.models,
        stages=tuple(map(_stage_row, result.stages)),
        tokens=result.tokens,
        parted=result.parted,
        explanation=result.explanation.words if result.explanation else "",
        smallest=result.explanation.smallest if result.explanation else "",
        figures={
            each.first.name: ComparedFigureRow(
                first=each.first.value,
                second=each.second.value,
                unit=each.first.unit,
                has_dropped=each.has_dropped,
            )
            for each in result.figures
        },
        complete=result.complete,
        logs=(sent_rows(result.logs[0]), sent_rows(result.logs[1])),
    )


def _stage_row(result: StageResult) -> StageRow:
    return StageRow(
        stage=result.stage.value,
        compared=result.compared,
        differing=tuple((one.number, other.number) for one, other in result.differing),
        wavering=result.wavering,
        right=result.right,
        p_value=result.p_value,
        is_finding=result.is_finding,
        apart=result.apart,
        apart_later=result.apart_later,
        divergence=result.divergence,
        flips=result.flips,
        parted_at=result.parted_at,
    )


def read_probe(file: Path) -> ProbeRow:
    """Reads the ``probe.json`` of one model.

    Raises:
        DataError: it cannot be read, or is another file.
    """
    where = short_path(file)
    try:
        row: object = parse_json(read_text(file, MAX_DATA_BYTES))
    except (OSError, ValueError) as error:
        raise DataError(f"Expected a {PROBE_FILE}, but got {where}: {describe_broken(error)}; {_ANEW}") from error
    if not isinstance(row, dict):
        raise DataError(f"Expected a {PROBE_FILE}, but got {where}, which holds no object: {_ANEW}")
    if "is" not in row and row.keys() >= {"findings", "read", "figures", "log"}:
        raise DataError(
            f"Expected a {PROBE_FILE} of schema {PROBE_SCHEMA}, but got {where}, which an earlier version of "
            f"pytest-vqamt wrote without a schema: probe the deployment that it is of again, and {_ANEW}"
        )
    if row.get("is") == AGAINST:
        raise DataError(
            f"Expected the {PROBE_FILE} of one model, but got {where}, the comparison of two: {_ANEW} and no --against"
        )
    if row.get("is") != PROBE:
        raise DataError(f"Expected a {PROBE_FILE}, but got {where}, which `vqamt probe` did not write: {_ANEW}")
    if row.get("schema") != PROBE_SCHEMA:
        raise DataError(
            f"Expected a {PROBE_FILE} of schema {PROBE_SCHEMA}, but got schema={row.get('schema')!r} in {where}, which "
            f"another version of pytest-vqamt wrote: {_ANEW} of this version"
        )
    try:
        return from_row(row, ProbeRow)
    except ValueError as error:
        raise DataError(f"Expected a whole {PROBE_FILE}, but got {where}: {error}; {_ANEW}") from error
