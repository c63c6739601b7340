"""The summary of a report, from which terminal, Markdown and page are laid out: figures, gates, warnings, findings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil
from statistics import median

from pytest_vqamt.core.identity import matches
from pytest_vqamt.core.query import untaken
from pytest_vqamt.core.results import BaselineChange, BaselineUse, Gate, GateState, ModelUse, Report, Undecided
from pytest_vqamt.core.tallies import DECLINED_CAUSE, Tally
from pytest_vqamt.core.text import MAX_READ, count_noun, shown, some_of
from pytest_vqamt.language.english.phrases import join_phrases
from pytest_vqamt.reporting.view.answers import UnreadAnswers, noise_lines
from pytest_vqamt.reporting.view.causes import likely_causes
from pytest_vqamt.reporting.view.format import (
    describe_allowed,
    describe_gate,
    describe_points,
    format_change,
    format_percent,
    format_percents,
    rounded_up,
)
from pytest_vqamt.reporting.view.model_figures import (
    KindOfTotal,
    ModelFigures,
    counted_rows,
    describe_total,
    figures_of,
    is_apart,
    misleading_lines,
    model_figures,
    total_sentence,
    totals_of,
)
from pytest_vqamt.reporting.view.rankings import model_notes_of
from pytest_vqamt.reporting.view.rows import (
    ResultRow,
    case_link,
    describe_change,
    is_significant_drop,
    rate_difference,
    results_by_model_and_data,
)
from pytest_vqamt.stats.paired import SIGNIFICANT, may_fall
from pytest_vqamt.stats.power import RegressionGate, cases_to_tell
from pytest_vqamt.stats.thresholds import Drops, GateKind, TotalKind, allowed_drop

_DROPS_SHOWN = 8

_MUCH_UNREAD = 0.2
"""Above this share of unread cases the title says so, in place of a model's rates."""

_WAIVERS_SHOWN = 3

LONGEST_FAILURE = 300
"""The characters of ``Report.failure`` in a summary: the failed test has it in full."""

_FEW_MODELS = 3
"""So many are named in a title, each with its rates."""

_WEAKEST = 5
"""The relations listed as the weakest."""

_NAMED = 5
"""The relations that one sentence names before "and N more"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFinding:
    """An item that needs attention, with the reasons; ``link`` selects its cases."""

    item: str
    """The relation variant, with "(presumed)" for its presumed cases, or the name of a total."""
    link: str
    """Fragment of the page's address, such as "#relation=metavqa.partition"."""
    of: str
    """The model and the data, each only if there are several."""
    why: tuple[str, ...]
    """Reasons, a clause each, drops first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPart:
    """One model on one data source, over the rows that count (``counted_rows``)."""

    model: str
    """The model's name."""
    data: str
    """The spec of the data."""
    items: int
    """The number of relation variants with cases."""
    tally: Tally
    """Of all their cases."""
    figures: ModelFigures
    """Consistent, grounded and unread share, with their intervals."""
    unread: UnreadAnswers
    """The answers that could not be read."""

    @property
    def line(self) -> str:
        """The figures in one line."""
        figures = self.figures
        if not self.tally.judged:
            return self.title
        shares = (
            ("consistent", figures.consistent),
            (f"grounded{figures.grounded_of}", figures.grounded),
            ("unread", figures.unread),
        )
        rates = [f"{format_percent(share.rate)} {name}" for name, share in shares if share.rate is not None]
        # The title counts all cases, so the first rate names its smaller denominator.
        rates[0] += f" (of the {self.tally.judged:,} judged)" if self._apart else ""
        return f"{self.title}: {', '.join(rates)}"

    @property
    def title(self) -> str:
        """Model, data and counts of cases: violations, unread ones and those in no rate."""
        tally = self.tally
        what = f"{self.model} on {self.data}: "
        cases = f"{count_noun(tally.cases, 'case')} of {count_noun(self.items, 'relation variant')}"
        if not tally.judged:
            refused = f", {tally.refused:,} were refused" if tally.refused else ""
            return f"{what}none of {cases} was judged{refused}"
        # Without those that are in both counts, the numbers would not add up to the cases.
        both = f" ({tally.unread_holds:,} of them consistent)" if tally.unread_holds else ""
        unread = [f"{tally.unread_cases:,} unread{both}"] if tally.unread_cases else []
        first, *more = [count_noun(tally.violations, "violation"), *unread, *self._apart]
        counts = f"{', '.join([first, *more[:-1]])} and {more[-1]}" if more else first
        return f"{what}{counts} in {cases}"

    @property
    def _apart(self) -> list[str]:
        """Counts of the cases that no part has, by reason: controls, baselines, presumed; "" without any."""
        tally = self.tally
        counts = (
            (tally.errors, "without an answer"),
            (tally.declined - tally.refused, "declined"),
            (tally.flaky, "flaky"),
            (tally.waived, "waived"),
        )
        return [f"{count:,} {name}" for count, name in counts if count]

    @property
    def lines(self) -> Iterator[str]:
        """Title and one line per rate: value, 95 % interval, denominator."""
        yield self.title
        figures = self.figures
        readable = self.tally.readable_rate if self.tally.unread_cases else None
        others = f"; of the others {format_percent(readable)} are consistent" if readable is not None else ""
        obey = "the answers obey the relation (with the 95 % interval)"
        if self._apart:
            obey = f"the answers of the {self.tally.judged:,} judged cases obey the relation"
        for name, share, meaning in (
            ("consistent", figures.consistent, obey),
            ("grounded", figures.grounded, f"and change with the picture ({figures.grounded.about})"),
            ("unread", figures.unread, f"an answer could not be read{others}"),
        ):
            if share.rate is not None:
                interval = f"({format_percents(share.interval)})"
                # The widths of usual texts, "consistent", "100 %" and "(58 to 84 %)": the columns align.
                yield f"  {name:<10}  {format_percent(share.rate):>5}  {interval:<14}  {meaning}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCounts:
    """Counts of relation variants by the states of their gates; controls never have a gate."""

    items: int
    """The variants with cases, without controls; on several models or data a variant counts for each. ``across`` says
    so."""
    gated: int
    """Variants with a gate on a rate or on its drop."""
    missed: int
    """Variants that miss a gate."""
    unapplied: int = 0
    """The variants without a case on the data; ``unapplied_gates`` of them have a gate."""
    unapplied_gates: int = 0
    """Of the variants without a case, those that have a gate, which checks nothing."""
    undecided: int = 0
    """Those that miss no gate, and have too few cases to tell if one on a drop is met."""
    together: tuple[tuple[TotalKind, GateState], ...] = ()
    """The states of the gates on all relations together, and on accuracies."""
    undecided_fails: bool = False
    """True if a gate that cannot tell fails the run."""
    across: str = ""
    """Why a variant counts several times: " over 2 models", or ""."""

    @property
    def misses(self) -> int:
        """The gates that are missed, with those on all relations together."""
        return self.missed + sum(state is GateState.MISSED for _, state in self.together)

    @property
    def cannot_tell(self) -> int:
        """The gates that cannot tell, with those on all relations together."""
        return self.undecided + sum(state is GateState.CANNOT_TELL for _, state in self.together)

    @property
    def fail(self) -> bool:
        """True if the run fails by them."""
        return bool(self.misses or (self.undecided_fails and self.cannot_tell))

    @property
    def together_clauses(self) -> tuple[str, ...]:
        """A clause for each gate on all relations together and on accuracies."""
        states = dict.fromkeys(f"{kind.value}: {state.value}" for kind, state in self.together)
        fails = ["a gate that cannot tell fails the run (--vqamt-undecided)"]
        return (*states, *(fails if self.undecided_fails and self.cannot_tell else []))

    @property
    def met(self) -> int:
        return self.gated - self.missed - self.undecided

    @property
    def line(self) -> str:
        """The counts in one line.

        >>> GateCounts(items=36, gated=14, missed=2).line
        'gates: 12 met, 2 missed; 22 of 36 relation variants have none'
        >>> GateCounts(items=8, gated=8, missed=1, undecided=5).line
        'gates: 2 met, 1 missed, 5 cannot tell (too few cases); every relation has one'
        >>> GateCounts(items=9, gated=2, missed=0, across=" over 2 models").line
        'gates: 2 met, 0 missed; 7 of 9 relation variants over 2 models have none'
        >>> GateCounts(items=3, gated=2, missed=0, unapplied=2, unapplied_gates=1).line.split('; ')[0::2]
        ['gates: 2 met, 0 missed, 1 without a case', '2 of 5 relation variants do not apply to this data and model']
        """
        variants = f"{count_noun(self.items + self.unapplied, 'relation variant')}{self.across}"
        apply = f"{self.unapplied:,} of {variants} {'does' if self.unapplied == 1 else 'do'} not apply"
        not_applicable = [f"{apply} to this data and model"] if self.unapplied else []
        if not (self.gated or self.together):
            none = "no relation has a gate, so no rate can fail: set one with --vqamt-fail-under=RATE or GLOB=RATE"
            return "; ".join([none, *not_applicable])
        ungated = self.items - self.gated
        have = "has" if ungated == 1 else "have"
        without = f"{ungated:,} of {count_noun(self.items, 'relation variant')}{self.across} {have} none"
        if self.items == self.gated:
            without = "every relation has one"
        unchecked = f", {self.unapplied_gates:,} without a case" if self.unapplied_gates else ""
        undecided = f", {self.undecided:,} cannot tell (too few cases)" if self.undecided else ""
        counts = f"gates: {self.met:,} met, {self.missed:,} missed{undecided}{unchecked}"
        return "; ".join([counts, *self.together_clauses, without, *not_applicable])


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The summary of a report."""

    state: str
    """"missed", "cannot-tell", "met", "none" (no gate was set) or "partial" (a shard, or an incomplete run)."""
    title: str
    """The rates of one model, those or the range of several, or why there are none."""
    verdict: str
    """How many gates are met, missed or undecided, as sentences."""
    figures: tuple[ModelFigures, ...]
    """The figures of each model."""
    weakest_relations: tuple[WeakRelation, ...]
    """The relation variants that hold least often, the weakest first."""
    parts: tuple[RunPart, ...]
    """The figures of each model on each data source."""
    gates: GateCounts
    """How many relation variants have a gate, and miss it."""
    weakest: tuple[ResultRow, ...]
    """The rows with a pass rate, missed gates first, then by their pass rate; without controls, and without relations
    tagged "baseline" unless they miss a gate."""
    about: str
    """The figures of all parts as one sentence."""
    apart: str
    """The numbers of cases that the figures leave out; "" without any."""
    causes: tuple[str, ...]
    """What is likely wrong with a model's server, a sentence each with the cases that show it."""
    missed: tuple[ReportFinding, ...]
    """The items that missed a gate."""
    dropped: tuple[ReportFinding, ...]
    """The largest other significant drops since the baseline; ``drops_left_out`` more are not listed."""
    drops_left_out: int
    """Significant drops beyond those in ``dropped``."""
    notes: tuple[str, ...]
    """About gates, baseline and models."""
    regressions: int
    """The number of cases that held in the baseline and do not now."""


def headline(report: Report, lines: Sequence[ResultRow]) -> Headline:
    """The first lines of a report."""
    state, verdict = _verdict(report, lines)
    figures, weak = model_figures(report, lines), filter(_is_weak, sorted(lines, key=weakness))
    parts = run_parts(report, lines)
    apart = _apart(report, lines)
    # Rows that missed a gate are in ``missed`` already, whatever the reason.
    dropped = sorted((line for line in lines if not line.is_missed and is_significant_drop(line)), key=rate_difference)
    return Headline(
        state=state,
        title=_title(report, figures, parts),
        verdict=verdict,
        figures=figures,
        weakest_relations=tuple(_weak(report, line) for line in islice(weak, _WEAKEST)),
        parts=parts,
        gates=count_gates(report, lines),
        weakest=weakest_rows(lines),
        about=_about(parts, apart),
        apart=apart,
        causes=tuple(likely_causes(report)),
        missed=(
            *(_total_finding(report, each) for each in totals_of(report.baseline) if each.state is GateState.MISSED),
            *(_finding(report, line) for line in sorted(lines, key=weakness) if line.is_missed),
        ),
        dropped=tuple(_finding(report, line) for line in dropped[:_DROPS_SHOWN]),
        drops_left_out=max(0, len(dropped) - _DROPS_SHOWN),
        notes=tuple(_notes(report, lines)),
        regressions=count_regressions(lines),
    )


def run_parts(report: Report, rows: Sequence[ResultRow]) -> tuple[RunPart, ...]:
    """The figures of each model on each data source."""
    models = {use.name: use for use in report.models}
    return tuple(_run_part(models[model], data, counted) for (model, data), counted in rows_of_parts(report, rows))


def rows_of_parts(report: Report, rows: Sequence[ResultRow]) -> Iterator[tuple[tuple[str, str], list[ResultRow]]]:
    """The model and the data of each part, with the rows that count for it (``counted_rows``)."""
    # By identity here and below: results hold dicts, so they have no hash.
    by_result: dict[int, list[ResultRow]] = {}
    for row in rows:
        by_result.setdefault(id(row.result), []).append(row)
    for of, results in results_by_model_and_data(report):
        yield of, counted_rows(row for result in results for row in by_result.get(id(result), ()))


def _run_part(model: ModelUse, data: str, rows: Sequence[ResultRow]) -> RunPart:
    return RunPart(
        model=model.name,
        data=data,
        items=len({id(row.result) for row in rows}),
        tally=sum((row.counted.tally for row in rows), Tally()),
        figures=figures_of(model.name, rows),
        unread=UnreadAnswers.of((row.counted for row in rows), model),
    )


def count_gates(report: Report, lines: Sequence[ResultRow]) -> GateCounts:
    """The relation variants with gates; a variant on several models or data counts for each."""
    # From the results, as a variant without a case has no row.
    unapplied = [each for each in report.relations if not each.all_cases]
    missed = {id(line.result) for line in lines if line.is_missed}
    return GateCounts(
        items=len({id(line.result) for line in lines if not line.is_noise}),
        gated=len({id(line.result) for line in lines if line.gates}),
        missed=len(missed),
        # Of two rows of a result, ordinary and presumed, a missed one outweighs an undecided one.
        undecided=len({id(line.result) for line in lines if line.gate_state is GateState.CANNOT_TELL} - missed),
        unapplied=len(unapplied),
        unapplied_gates=sum(bool(each.gates) for each in unapplied),
        together=tuple((each.kind, each.state) for each in totals_of(report.baseline) if each.state),
        undecided_fails=report.undecided is Undecided.FAIL,
        across=f"{_across(report)}{' (controls apart)' if any(line.is_noise for line in lines) else ''}",
    )


def _across(report: Report) -> str:
    """Says why there are more results than relation variants, where there are several models or data sources."""
    kinds = (("model", len(report.models)), ("data source", len(report.data)))
    several = [count_noun(count, kind) for kind, count in kinds if count > 1]
    return f" over {' and '.join(several)}" if several else ""


def weakest_rows(lines: Sequence[ResultRow]) -> tuple[ResultRow, ...]:
    """The rows as ``Headline.weakest`` has them."""
    ranked = [line for line in lines if line.is_missed or (line.counted.tally.judged and not is_apart(line))]
    return tuple(sorted(ranked, key=lambda line: (not line.is_missed, *_by_rate(line))))


def untested_line(report: Report) -> str:
    """Says why no case of any relation but the controls was judged; "" if one was."""
    # Controls measure noise: where they alone are judged, no relation was tested.
    results = [each for each in report.relations if "control" not in each.tags] or report.relations
    if not results or any(each.total.judged for each in results):
        return ""
    reasons = Counter(
        "not applicable"
        if not each.all_cases
        else "declined or refused"
        if each.declined == each.all_cases
        else "without an answer"
        if each.errors == each.all_cases
        else "waived, flaky or without an answer"
        for each in results
    )
    named = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
    variants = f"{count_noun(len(results), 'relation variant')}{_across(report)}"
    return f"NOTHING WAS TESTED: none of {variants} has a judged case ({named})"


def ungated_line(report: Report, patterns: Sequence[str] = ()) -> str:
    """Says which gates check nothing, since no relation that they gate has a judged case; "" if all check something.

    Args:
        report: of a run.
        patterns: of the gates, where they are known; else all gates together count as one.
    """
    gated = [each for each in report.relations if each.gates or each.drop_gates]
    of_gate = {pattern: [each for each in gated if matches(pattern, each.item)] for pattern in patterns}
    empty = [
        pattern
        # A report read from its folder has gates without their patterns: all count as one.
        for pattern, results in (of_gate or {"": gated}).items()
        if results and not any(each.total.judged for each in results)
    ]
    named = f" by {', '.join(empty)}" if patterns else ""
    return f"NOTHING WAS GATED{named}: no relation with this gate has a judged case" if empty else ""


def is_broken(report: Report) -> bool:
    """True if no case was judged because items could not be run, for a reason that is known."""
    return bool(report.failure) and not any(each.total.judged for each in report.relations)


def _title(report: Report, figures: Sequence[ModelFigures], parts: Sequence[RunPart]) -> str:
    known = [each for each in figures if each.consistent.rate is not None]
    # First: with so many unread answers the other rates say more of the reader than of the model.
    if len(figures) == 1 and (figures[0].unread.rate or 0.0) > _MUCH_UNREAD:
        rate = format_percent(figures[0].unread.rate)
        if all(part.unread.is_refused for part in parts):
            return f"{figures[0].model} refused to answer in {rate} of its cases"
        return f"{figures[0].model} could not be read in {rate} of its cases"
    # Before "nothing was tested", which is true as well but hides the error.
    if is_broken(report):
        return f"No case was judged: {shown(report.failure, LONGEST_FAILURE)}"
    if untested := untested_line(report):
        return untested
    if not known:
        return f"{', '.join(model.name for model in report.models)}: no case was judged"
    if len(figures) == 1:
        return f"{known[0].model} is {_rates(known[0], ' of its cases')}"
    # No model is called the best: who never looks is often the most consistent.
    often = [each for each in figures if (each.unread.rate or 0.0) > _MUCH_UNREAD]
    unread = "".join(f"; {each.model} could not be read in {format_percent(each.unread.rate)}" for each in often)
    if len(known) <= _FEW_MODELS:
        return "; ".join(f"{each.model}: {_rates(each)}" for each in known) + unread
    return f"{len(known)} models: {_range_of(known)}{unread}"


def _rates(figures: ModelFigures, of: str = "") -> str:
    grounded = ""
    if figures.grounded.rate is not None:
        grounded = f", grounded in {format_percent(figures.grounded.rate)}{figures.grounded_of}"
    return f"consistent in {format_percent(figures.consistent.rate)}{of}{grounded}"


def _range_of(known: Sequence[ModelFigures]) -> str:
    """The lowest and the highest rates of several models."""
    kinds = (
        ("consistent", [each.consistent.rate for each in known]),
        ("grounded", [each.grounded.rate for each in known]),
    )
    ranges = (
        f"{kind} in {format_percent(min(rates))} to {format_percent(max(rates))}"
        for kind, every in kinds
        if (rates := [rate for rate in every if rate is not None])
    )
    return ", ".join(ranges)


def _verdict(report: Report, lines: Sequence[ResultRow]) -> tuple[str, str]:
    gates = count_gates(report, lines)
    items = f"{count_noun(gates.items, 'relation variant')}{gates.across}"
    share = f"{gates.gated} of {items} gated"
    together = "".join(f" {clause[0].upper()}{clause[1:]}." for clause in gates.together_clauses)
    undecided = f"{gates.undecided} cannot tell (too few cases), " if gates.undecided else ""
    if report.shard != "1/1":
        # Its gates are open: only vqamt merge has all cases.
        return "partial", shard_line(report)
    # Before "not the whole run": a missed gate fails an incomplete run, too.
    if gates.fail:
        return "missed", f"{share}: {gates.missed} missed, {undecided}{gates.met} met.{together}"
    if not report.complete:
        return "partial", f"Not the whole run. {share}." if gates.items else "Not the whole run."
    if not (gates.gated or gates.together):
        return "none", f"0 of {items} gated: no rate here can fail a run."
    if gates.cannot_tell:
        return "cannot-tell", f"{share}: none missed, {undecided}{gates.met} met.{together}"
    return "met", f"{share}: all met.{together}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeakRelation:
    """A relation variant that often does not hold; ``link`` selects its violations."""

    item: str
    """The relation variant."""
    link: str
    """Selects its violations on the page."""
    of: str
    """The model and the data, each only if there are several."""
    rate: str
    """The pass rate, such as "73 %"."""
    cases: str
    """The judged cases, such as "40 cases"."""
    interval: str
    """The 95 % interval, such as "58 to 84 %"."""
    claim: str
    """The relation in one sentence."""


def _is_weak(line: ResultRow) -> bool:
    tally = line.counted.tally
    return not is_apart(line) and tally.pass_rate is not None and tally.holds < tally.judged


def weakness(line: ResultRow) -> tuple[bool, float, float]:
    """Sort key: the lowest pass rate first, of equal rates the one with more cases.

    Rows without violations, controls and relations tagged "baseline" come last.
    """
    return not _is_weak(line), *_by_rate(line)


def _by_rate(line: ResultRow) -> tuple[float, float]:
    # More cases make the interval narrower, and its upper end lower.
    return line.counted.tally.pass_rate or 0.0, line.counted.interval[1]


def _weak(report: Report, line: ResultRow) -> WeakRelation:
    found = _finding(report, line)
    return WeakRelation(
        item=found.item,
        link=found.link,
        of=found.of,
        rate=format_percent(line.counted.tally.pass_rate),
        cases=count_noun(line.counted.tally.judged, "case"),
        interval=format_percents(line.counted.interval),
        claim=line.result.claim,
    )


def _about(parts: Sequence[RunPart], apart: str) -> str:
    sentences = "; ".join([*(part.line for part in parts), *([apart] if apart else [])])
    return f"{sentences}." if parts else "No relation was run."


def _apart(report: Report, lines: Sequence[ResultRow]) -> str:
    """Counts of cases that are in no rate, such as "3 flaky"; refusals in words are unread cases instead."""
    counted = {id(row.counted) for _, rows in rows_of_parts(report, lines) for row in rows}
    rest = [line for line in lines if id(line.counted) not in counted]
    if not rest:
        return ""
    tally = sum((line.counted.tally for line in rest), Tally())
    kinds = (
        ("controls", [line for line in rest if line.is_noise]),
        ("baselines", [line for line in rest if is_apart(line) and not line.is_noise]),
        ("presumed cases", [line for line in rest if not is_apart(line)]),
    )
    named = ", ".join(kind for kind, found in kinds if found)
    unread = f" and {tally.unread_cases:,} unread" if tally.unread_cases else ""
    variants = count_noun(len({id(line.result) for line in rest}), "relation variant")
    return (
        f"apart ({named}): {count_noun(tally.violations, 'violation')}{unread} in {count_noun(tally.cases, 'case')} of "
        f"{variants}{_across(report)}"
    )


def link_of(report: Report, item: str, model: str, data: str) -> str:
    """Link to cases of a relation, or of all without ``item``; model and data are in it where there are several."""
    several = len(report.models) > 1, len(report.data) > 1
    named = {
        **({"relation": item} if item else {}),
        **({"model": model} if any(several) else {}),
        **({"data": data} if several[1] else {}),
    }
    return case_link(**named)


def _finding(report: Report, line: ResultRow) -> ReportFinding:
    result = line.result
    return ReportFinding(
        item=f"{result.item} (presumed)" if line.is_presumed else result.item,
        link=link_of(report, result.item, result.model.name, result.data.name),
        of=_named_part(report, result.model.name, result.data.name),
        why=tuple(_why(line)),
    )


def _named_part(report: Report, model: str, data: str) -> str:
    """The model and the data, each only if there are several."""
    return " on ".join([*([model] if len(report.models) > 1 else []), *([data] if len(report.data) > 1 else [])])


def _total_finding(report: Report, found: KindOfTotal) -> ReportFinding:
    """All relations together, or the accuracy, of a model on data that missed the gate on the drop."""
    gate = found.gate
    assert gate is not None
    return ReportFinding(
        item=found.kind.value,
        link=link_of(report, "", found.total.model, found.total.data),
        of=_named_part(report, found.total.model, found.total.data),
        why=(f"{describe_total(found.total, found.kind)}; allowed drop: {describe_points(gate.threshold)}",),
    )


def _why(line: ResultRow) -> Iterator[str]:
    """Reasons of a finding: drops, then rates below their gates, then unread cases."""
    change = line.counted.change
    missed = [gate for gate in line.gates if not gate.met]
    if change is not None and (is_significant_drop(line) or _has_missed(change)):
        yield f"pass rate {describe_change(change)}"
    for part in line.grounded:
        if part.change is not None and _has_missed(part.change):
            yield f"grounded rate {describe_change(part.change)}"
    for gate in missed:
        # A gate that only unread cases miss is named with their share, below.
        if gate.kind != "max-drop" and (gate.unread is None or _is_below(line, gate)):
            yield f"{_reached(line, gate)}required: {_required(line, gate)}"
    before = next((each.unread_before for each in (change,) if each and each.unread_before is not None), None)
    earlier = "" if before is None else f" ({format_percent(before)} in the baseline)"
    unread = {gate.unread: format_percent(gate.unread) for gate in missed if gate.unread is not None}
    # Pass rate and grounded rate share the unread cases of an item: one line for both gates.
    for share, percent in unread.items():
        required = [_required(line, gate) for gate in missed if gate.unread == share]
        yield (
            f"{percent} of the cases are unread{earlier}, more than --vqamt-max-unread allows; required: "
            f"{', '.join(required)}"
        )


def _has_missed(change: BaselineChange) -> bool:
    # Missed for unread cases alone (``unread`` without ``dropped``), the gate shows no drop.
    return change.gate is not None and not change.gate.met and (change.gate.dropped or change.gate.unread is None)


def _is_below(line: ResultRow, gate: Gate) -> bool:
    """True if the rate misses a gate by itself, whatever is unread."""
    rates = [line.counted.tally.pass_rate] if gate is line.counted.gate else []
    rates += [part.rate for part in line.grounded if gate is part.gate]
    return any(rate is not None and rate < gate.threshold for rate in rates)


def _required(line: ResultRow, gate: Gate) -> str:
    return describe_gate(gate, is_grounded=line.is_of_grounded(gate))


def _reached(line: ResultRow, gate: Gate) -> str:
    """The rate that ``gate`` is about, with its interval."""
    if gate is line.counted.gate:
        return f"pass rate {format_percent(line.counted.tally.pass_rate)} ({format_percents(line.counted.interval)}), "
    for part in line.grounded:
        if gate is part.gate:
            return (
                f"grounded rate {format_percent(part.rate)} ({format_percents(part.interval)}, "
                f"by guessing {format_percent(part.chance.mean)}), "
            )
    return ""


def _notes(report: Report, lines: Sequence[ResultRow]) -> Iterator[str]:
    if not report.relations:
        return
    if not any(line.gates for line in lines) and report.shard == "1/1":
        yield "Set a gate with --vqamt-fail-under=RATE or GLOB=RATE."
    yield from model_notes(report)
    yield from baseline_notes(report, lines)
    yield from model_notes_of(report)


def _answered_by_lines(report: Report) -> Iterator[str]:
    """Tells of servers that answered with several models, or with another one than in the baseline."""
    before: dict[str, set[str]] = {}
    for name, model in report.baseline.answered_by if report.baseline else ():
        before.setdefault(name, set()).add(model)
    for use in report.models:
        now = use.answered_by
        if len(now) > 1:
            yield (
                f"{use.name} was answered by {len(now)} models, as its server says ({', '.join(now)}): its figures are "
                "of them together. Name one of them in --vqamt-model."
            )
        if len(now) == 1 and (asked := _asked_for(use)) and not _may_be_one_model(asked, now[0]):
            yield f"{use.name} was answered by {now[0]}, as its server says, which is not the {asked} that was asked."
        # One common name is enough: a server may spread requests over several models.
        if use.name in before and now and not before[use.name] & set(now):
            yield (
                f"{use.name} is answered by {', '.join(now)}, as its server says, and was answered by "
                f"{', '.join(sorted(before[use.name]))} in the baseline: it is another model."
            )


def _asked_for(use: ModelUse) -> str:
    """The name of the model that requests ask for; "" where there is none."""
    spec = use.spec or use.name
    if use.kind != "openai" or not spec.startswith("openai:"):  # of a served one the address is the server's
        return ""
    from pytest_vqamt.models.openai.openai_settings import ModelAddress  # few reports are of an endpoint

    return ModelAddress.parse(spec.removeprefix("openai:")).model


def _may_be_one_model(asked: str, answered: str) -> bool:
    """True if both names may be of one model, such as "gpt-4o" and "gpt-4o-2024-08-06"."""
    # "Qwen/Qwen2-VL-7B" and "qwen2vl-7b" are equal without owner, case and punctuation.
    one, other = (re.sub(r"[^a-z0-9]", "", name.casefold().rpartition("/")[2]) for name in (asked, answered))
    return one in other or other in one


def model_notes(report: Report) -> Iterator[str]:
    """What was odd about a model's calls and answers, a sentence each."""
    for model in report.models:
        if model.calls_raised:
            own = [each for each in report.relations if each.model.name == model.name]
            failed = sum(each.total.errors for each in own)
            contrasts = sum(each.grounded.cells.errors for each in own if each.grounded)
            lost = [count_noun(failed, "case")] if failed else []
            lost += [count_noun(contrasts, "contrast")] if contrasts else []
            after = f"; {' and '.join(lost)} had no answer" if lost else "; all answered on another try"
            # Of an item that could not be run there are no cases to count.
            is_known = own and report.complete and model.calls_raised < model.calls
            calls = count_noun(model.calls, "call")
            example = f", as {model.raised_example}" if model.raised_example else ""
            yield f"{model.name} raised in {model.calls_raised:,} of {calls}{example}{after if is_known else ''}."
        if model.answers_cut:
            yield (
                f"{count_noun(model.answers_cut, 'answer')} of {model.name} had more than {MAX_READ:,} characters, of "
                "which the two ends were read: does it stop? (max-tokens)"
            )
        if model.ran_on:
            yield (
                f"{count_noun(model.ran_on, 'answer')} of {model.name} ran on into questions that nobody asked (look "
                "at its chat template and end token); only what stands before them was read, as in "
                f"'{model.ran_on_example}'."
            )
        own = [each for each in report.relations if each.model.name == model.name and not each.total.cases]
        if unasked := [each for each in own if untaken(each.not_applicable)]:
            lacking = join_phrases(untaken(reason for each in unasked for reason in each.not_applicable), "or")
            yield (
                f"{model.name} does not take {lacking}: {count_noun(len(unasked), 'relation variant')} "
                f"{'was' if len(unasked) == 1 else 'were'} not asked (docs/how-to/conversations.md)."
            )
    yield from _not_taken_lines(report)


def report_warnings(
    report: Report, lines: Sequence[ResultRow], left_out: int, *, with_unread: bool = True
) -> Iterator[str]:
    """What limits the figures of a report, a sentence each; ``left_out`` violated and unread cases have no card."""
    # Of a broken report the title has the failure.
    if not report.complete and not is_broken(report):
        failure = f" ({shown(report.failure, LONGEST_FAILURE)})" if report.failure else ", or the run was stopped early"
        yield f"This report is not complete: an item could not be run{failure}. Unfinished items are missing."
    yield from _answered_by_lines(report)
    yield from total_drop_lines(report, lines)
    yield from together_lines(report, (GateState.CANNOT_TELL,))  # those that are missed are findings
    yield from undecided_lines(report, lines)
    yield from cannot_fall_lines(report, lines)
    several = len(report.models) > 1 or len(report.data) > 1
    for part in run_parts(report, lines):
        # The terminal has lines of its own for unread answers (``with_unread`` is False).
        if part.unread.is_often and with_unread:
            of = f"{part.model} on {part.data}: " if several else ""
            unread = part.unread
            yield (
                f"{of}{unread.headline}; {unread.rates}. Examples: {'; '.join(unread.examples)}. Advice: "
                f"{unread.advice}."
            )
    yield from (f"{line[0].upper()}{line[1:]}." for line in misleading_lines(report.relations, of_model=several))
    tally = sum((line.counted.tally for line in lines), Tally())
    yield from _unjudged_lines(report, tally, with_declined=with_unread)
    yield from (f"{line[0].upper()}{line[1:]}." for line in noise_lines(report.relations, of_model=several))
    if report.expired_waivers:
        yield f"{expired_waivers_line(report)}."
    if bad := bad_records_line(report):
        yield f"{bad}."
    if tally.truncated:
        yield f"In {count_noun(tally.truncated, 'case')} a model read only the beginning of a question."
    if report.baseline is not None:
        yield from _not_compared("in the baseline but not in this run", report.baseline.missing)
        yield from _not_compared("in this run but not in the baseline", report.baseline.new)
    if left_out:
        wrong = tally.judged - tally.holds
        yield (
            f"{wrong - left_out:,} of {count_noun(wrong, 'violated or unread case')} have a card on this page: "
            f"{'regressions first, then ' if report.baseline else ''}an equal share of each relation variant, in the "
            "order of the case ids, which is as good as random. All figures are over all cases."
        )


def _unjudged_lines(report: Report, tally: Tally, *, with_declined: bool) -> Iterator[str]:
    """The cases that count in no rate, a sentence for each cause, as each needs another cure."""
    cases = count_noun(tally.cases, "case")
    if tally.errors:
        yield f"{tally.errors:,} of {cases} had no answer (a model or file failed) and count in no rate."
    if with_declined and tally.declined:
        yield (
            f"{tally.declined:,} of {cases} were declined, {tally.refused:,} of them in words, and count in no "
            "pass rate."
        )
    if tally.flaky:
        yield (
            f"{tally.flaky:,} of {cases} are flaky: their verdict depends on which of the "
            f"{report.repeats} answers to a query are taken. They count in no rate."
        )


def _not_taken_lines(report: Report) -> Iterator[str]:
    """What a model or its server did not take, as a server only tells when it is asked."""
    found: dict[tuple[str, str], int] = {}
    for result in report.relations:
        for stratum in result.strata:
            declined = stratum.unread.get(DECLINED_CAUSE)
            if declined and declined.example and untaken([declined.example.answer]):
                told = result.model.name, declined.example.answer
                found[told] = found.get(told, 0) + stratum.tally.declined
    for (model, reason), count in found.items():
        yield f"{count_noun(count, 'case')} of {model} {'was' if count == 1 else 'were'} declined: {reason}."


def shard_line(report: Report) -> str:
    """Says that a shard has a part of the cases alone."""
    return (
        f"This is shard {report.shard}, which has only some of the cases: vqamt merge joins the shards and checks the "
        "gates on all cases."
    )


def bad_records_line(report: Report) -> str:
    """How many records could not be used; "" if there are none."""
    bad = sum(len(source.bad_records) for source in report.data)
    were = "was" if bad == 1 else "were"
    return f"{count_noun(bad, 'record')} of the data could not be used and {were} left out" if bad else ""


def expired_waivers_line(report: Report) -> str:
    """Names the waivers whose last day is over, with that day."""
    expired = report.expired_waivers
    named = some_of([f"{case_id} after {day}" for case_id, day in expired], _WAIVERS_SHOWN)
    verbs = ("has", "this case counts") if len(expired) == 1 else ("have", "these cases count")
    return f"{count_noun(len(expired), 'waiver')} {verbs[0]} expired ({named}): {verbs[1]} again"


def _not_compared(where: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"{count_noun(len(items), 'relation variant')} {where}: {', '.join(items)}."


def baseline_notes(report: Report, lines: Sequence[ResultRow]) -> Iterator[str]:
    """The comparison with the baseline as a whole, a sentence each."""
    if report.baseline is None:
        yield "No baseline was given: `vqamt bless DIR -o FILE` makes one from a report."
        return
    yield from total_notes(report)
    if not any(map(is_significant_drop, lines)):
        yield "No relation is significantly worse."
    doubtful = [line.result.item for line in lines if _is_doubtful(line)]
    if doubtful:
        yield (
            f"The interval of the change lies below 0 for {some_of(doubtful, _NAMED)}, but the drop is not "
            "significant after Holm's correction."
        )
    yield from _drop_gate_notes(report, lines)


def total_notes(report: Report) -> tuple[str, ...]:
    """The comparison of all relations together with the baseline, a sentence for each model and data source."""
    return tuple(_total_notes(report, report.baseline)) if report.baseline else ()


def _total_notes(report: Report, baseline: BaselineUse) -> Iterator[str]:
    models = ", ".join(name for name, _ in baseline.models)
    # The baseline may be of another model: two models are compared by blessing one.
    of_others = (
        "" if {name for name, _ in baseline.models} == {each.name for each in report.models} else f" (of {models})"
    )
    against = f"gainst the baseline {baseline.file}{of_others}"
    if not baseline.totals:
        yield f"A{against}: no case to compare."
    for total in baseline.totals:
        paired = total.change.paired
        of = f"{total.model} on {total.data}, a" if len(baseline.totals) > 1 else "A"
        # p is of a drop, so it says nothing where the rate rose.
        p = f" ({_describe_p(total.change.p)})" if paired.second_only < paired.first_only else ""
        yield (
            f"{of}{against}: {format_percent(paired.first_rate)} -> {format_percent(paired.second_rate)} of "
            f"{count_noun(paired.shared, 'shared case')}, {count_noun(paired.first_only, 'regression')}, "
            f"{count_noun(paired.second_only, 'fix', 'fixes')}{p}."
        )
    for found in totals_of(baseline):
        if found.kind is TotalKind.ACCURACY and found.state in (None, GateState.MET):
            sentence = total_sentence(found)
            yield f"{found.of}: {sentence}." if len(baseline.accuracy) > 1 else f"{sentence[0].upper()}{sentence[1:]}."


def total_drop_lines(report: Report, lines: Sequence[ResultRow]) -> Iterator[str]:
    """Significant drops over all relations together that are significant in no single one."""
    totals = report.baseline.totals if report.baseline else ()
    for total in totals:
        # Many small drops can add up to one that is no chance.
        change, part = total.change, (total.model, total.data)
        difference = change.paired.difference or 0.0
        of_part = (line for line in lines if (line.result.model.name, line.result.data.name) == part)
        is_missed = change.gate is not None and not change.gate.met  # that is a finding
        if difference >= 0 or change.p >= SIGNIFICANT or is_missed or any(map(_has_dropped, of_part)):
            continue
        of = f" of {total.model} on {total.data}" if len(totals) > 1 else ""
        drop = format_change(change.paired.first_rate, change.paired.second_rate).removeprefix("-")
        yield (
            f"All relations together{of} have dropped by {drop} points ({_describe_p(change.p)}), "
            "though no relation alone shows it: the page has the regressions."
        )


def _describe_p(p: float) -> str:
    return f"p = {p:.1g}" if p >= 0.0001 else "p < 0.0001"


def _has_dropped(line: ResultRow) -> bool:
    return is_significant_drop(line) or any(not gate.met for gate in line.gates if gate.kind == GateKind.DROP)


def _drop_gate_notes(report: Report, lines: Sequence[ResultRow]) -> Iterator[str]:
    """Counts of relations by the worst state of their gates on drops."""
    states = Counter(
        # GateState lists the worst first.
        next(state for state in GateState if any(change.gate.state is state for change in changes if change.gate))
        for line in lines
        if (changes := _gated_changes(line))
    )
    if not states.total():
        return
    yield (
        f"{states[GateState.MET]:,} of {count_noun(states.total(), 'relation variant')} "
        f"{'is' if states[GateState.MET] == 1 else 'are'} shown to be no worse than the baseline "
        f"by more than {describe_allowed(_allowed_drops(report))}, {states[GateState.MISSED]:,} missed, "
        f"{states[GateState.CANNOT_TELL]:,} with too few cases to tell."
    )


def _gated_changes(line: ResultRow) -> list[BaselineChange]:
    """The changes of its rates that have a gate on the drop."""
    changes = (line.counted.change, *(part.change for part in line.grounded))
    return [change for change in changes if change and change.gate]


def _allowed_drops(report: Report) -> Drops:
    return report.baseline.max_drop if report.baseline else {}


def together_lines(
    report: Report, states: Sequence[GateState] = (GateState.MISSED, GateState.CANNOT_TELL)
) -> Iterator[str]:
    """A sentence for each gate on all relations together, or on an accuracy, in one of ``states``."""
    found = [each for each in totals_of(report.baseline) if each.state in states]
    several = len(report.models) * len(report.data) > 1
    for each in found:
        sentence = f"{f'{each.of}: ' if several else ''}{total_sentence(each)}"
        yield f"{sentence[0].upper() if not several else sentence[0]}{sentence[1:]}."


def cannot_fall_lines(report: Report, lines: Sequence[ResultRow]) -> Iterator[str]:
    """Names the rates without a gate because they are lower in the baseline than the allowed drop."""
    if report.baseline is None:
        return
    drops = _allowed_drops(report)
    low = [
        (line.result.item + grounded, change.paired.first_rate or 0.0)
        for line in lines
        if not (line.is_presumed or is_apart(line))
        for grounded, change in (
            ("", line.counted.change),
            # The sure contrasts come first; presumed ones are not gated.
            *((" (grounded)", part.change) for part in line.grounded[:1]),
        )
        if change
        and change.gate is None
        and change.paired.shared
        and (allowed := allowed_drop(drops, line.result.item)) is not None
        and not may_fall(change, allowed)
    ]
    if not low:
        return
    named = some_of([f"{name} {format_percent(rate)}" for name, rate in low], _NAMED)
    cannot = "1 rate cannot fall" if len(low) == 1 else f"{len(low)} rates cannot fall"
    one = set(drops.values()) or {0.0}
    limit = (
        f"the {describe_points(one.pop())} that --vqamt-max-drop allows" if len(one) == 1 else "--vqamt-max-drop allows"
    )
    yield (
        f"{cannot} by more than {limit}, so no gate is on "
        f"{'it' if len(low) == 1 else 'them'} (in the baseline: {named})."
    )


def undecided_lines(report: Report, lines: Sequence[ResultRow]) -> Iterator[str]:
    """How many more cases let the undecided gates on drops tell."""
    undecided = [line for line in lines if line.gate_state is GateState.CANNOT_TELL]
    if not undecided:
        return
    drops = _allowed_drops(report)
    allowed = [line for line in undecided if allowed_drop(drops, line.result.item)]
    # With a limit of 0 no interval can lie wholly above it, however many cases there are.
    none_allowed = [line for line in undecided if not allowed_drop(drops, line.result.item)]
    if none_allowed:
        yield (
            f"{_relations(none_allowed)} cannot tell: no number of cases shows that a rate has not dropped at all. "
            "Allow a drop with --vqamt-max-drop=RATE."
        )
    undecided = allowed
    if not undecided:
        return
    tests = sum(len(_gated_changes(line)) for line in lines)
    # Gates on all relations together are tests of their own, which halve the level for these.
    families = 2 if report.total_gates else 1
    needed = [
        # Only part of the cases is compared (not new ones, nor errors), so more must be run.
        ceil(cases * line.counted.tally.cases / change.paired.shared)
        for line in undecided
        for change in _gated_changes(line)
        if change.gate
        and change.gate.uncertain
        and (
            cases := cases_to_tell(
                change.paired, RegressionGate(relations=tests, max_drop=change.gate.threshold, families=families)
            )
        )
    ]
    relations = _relations(undecided)
    limits = sorted({allowed_drop(drops, line.result.item) or 0.0 for line in undecided})
    limit = describe_points(limits[0]) if len(limits) == 1 else f"{100 * limits[0]:g} to {describe_points(limits[-1])}"
    # The most that one of them needs may be absurd, where its answers are as good as drawn.
    enough = f"--vqamt-max-cases={rounded_up(ceil(median(needed)))}" if needed else "more cases (--vqamt-max-cases)"
    for_half = ", enough for half of them" if len(needed) > 1 else ""
    pictures = min(line.result.data.scenes for line in undecided)
    if needed and median(needed) > pictures:  # cases of one picture are worth less the more of them there are
        for_half += f", of more pictures than the {pictures:,} here"
    yield (
        f"{relations} {'has' if relations.startswith('1 ') else 'have'} too few cases to tell a drop of more than "
        f"{limit} from chance: bless a run with {enough}{for_half}, which rules it out where "
        "nothing has changed. To show a drop takes more (`vqamt power`)."
    )


def _relations(lines: Sequence[ResultRow]) -> str:
    return count_noun(len({id(line.result) for line in lines}), "relation variant")


def _is_doubtful(line: ResultRow) -> bool:
    change = line.counted.change
    return change is not None and change.interval[1] < 0 and not is_significant_drop(line)


def count_regressions(lines: Sequence[ResultRow]) -> int:
    """The number of cases that held in the baseline and do not now."""
    return sum(line.counted.change.paired.first_only for line in lines if line.counted.change)
