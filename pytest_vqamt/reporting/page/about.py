"""What stands at the end of the page: what did not apply, what was left out, and how the run was set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.results import ModelUse, Report
from pytest_vqamt.reporting.costs import amount, asked_in_words, work_in_words
from pytest_vqamt.reporting.page.figures import counted
from pytest_vqamt.reporting.page.links import chosen
from pytest_vqamt.reporting.view.lines import Line

_BAD_SHOWN = 100
_WAIVED_SHOWN = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Inapplicable:
    """Scenes that gave an item no case, and why, the most frequent reason first; ``cases`` are of the others."""

    item: str
    model: str
    data: str
    cases: int
    scenes: int
    reasons: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRecords:
    """What is wrong with the records of a data source that were left out; ``more`` are not shown."""

    data: str
    lines: tuple[str, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Waived:
    """A case that a person judged invalid, and why; ``link`` chooses it."""

    id: str
    link: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waivers:
    """What the run was told to leave out, of which ``cases`` occurred; ``more`` are not shown."""

    cases: int
    shown: tuple[Waived, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something about the run; one that ``varies`` may differ between two runs that found the same."""

    name: str
    value: str
    varies: bool = False


def inapplicable(report: Report) -> tuple[Inapplicable, ...]:
    """The items that some scene gave no case of, those without any case first.

    Why a scene gives no case has nothing to do with the model: of several, the first is told of.
    """
    told = {(result.item, result.data.spec): result for result in reversed(report.relations)}
    found = [
        Inapplicable(
            item=result.item,
            model=result.model.name,
            data=result.data.spec,
            cases=result.all_cases,
            scenes=result.scenes_not_applicable,
            reasons=tuple(sorted(result.not_applicable.items(), key=lambda pair: (-pair[1], pair[0]))),
        )
        for result in report.relations
        if told[result.item, result.data.spec] is result and (result.scenes_not_applicable or not result.all_cases)
    ]
    return tuple(sorted(found, key=lambda each: each.cases > 0))


def bad_records(report: Report) -> tuple[BadRecords, ...]:
    """The bad records of each data source that has any."""
    return tuple(
        BadRecords(
            data=source.spec,
            lines=source.bad_records[:_BAD_SHOWN],
            more=max(0, len(source.bad_records) - _BAD_SHOWN),
        )
        for source in report.data
        if source.bad_records
    )


def waivers(report: Report, lines: Sequence[Line]) -> Waivers | None:
    """The cases that were waived; None where there is nothing to say of any."""
    cases = sum(line.counted.tally.waived for line in lines)
    if not report.waived and not cases:
        return None
    shown = report.waived[:_WAIVED_SHOWN]
    return Waivers(
        cases=cases,
        shown=tuple(Waived(id=id_, link=chosen(text=id_), reason=reason) for id_, reason in shown),
        more=len(report.waived) - len(shown),
    )


def facts(report: Report) -> Iterator[Fact]:
    """How the run was set, what it drew on, and what it cost."""
    yield Fact(name="pytest-vqamt", value=report.vqamt_version)
    yield Fact(name="started", value=report.started, varies=True)
    yield Fact(name="duration", value=f"{report.duration_s:,.1f} s", varies=True)
    yield Fact(name="seed", value=str(report.seed))
    yield Fact(name="sampler", value=report.sampler)
    yield Fact(name="cases at most", value=f"{report.max_cases:,} of each relation variant, model and data source")
    if report.shard != "1/1":
        yield Fact(name="shard", value=report.shard)
    for name, value in report.settings:
        yield Fact(name=f"setting {name}", value=value)
    for model in report.models:
        yield Fact(name=f"model {model.name}", value=f"{', '.join(model.tasks)}; fingerprint {model.fingerprint}")
        yield from _cost(model)
    for source in report.data:
        yield Fact(name=f"data {source.spec}", value=f"{counted(source.scenes, 'scene')}; digest {source.digest}")
    drawn_on = dict.fromkeys(each for result in report.relations if result.all_cases for each in result.resources)
    for name, which in drawn_on:
        yield Fact(name=name, value=which)
    if report.baseline:
        yield Fact(name="baseline", value=f"{report.baseline.file}; digest {report.baseline.digest}")
        for name, fingerprint in report.baseline.models:
            yield Fact(name=f"blessed model {name}", value=f"fingerprint {fingerprint}")


def _cost(model: ModelUse) -> Iterator[Fact]:
    yield Fact(name="asked", value=asked_in_words(model), varies=True)
    yield Fact(name="at work", value=work_in_words(model) or "-", varies=True)
    for name, value in model.usage:
        yield Fact(name=f"used {name}", value=amount(value), varies=True)
