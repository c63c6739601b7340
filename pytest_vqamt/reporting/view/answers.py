"""What models' answers were like: those that have no reading, those to repeated queries, and how sure models were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from pytest_vqamt.core.case import CONFIDENT, MILLION, RIGHT_FOLLOW_UP, RIGHT_SOURCE, Figure, Figures
from pytest_vqamt.core.results import ModelUse, RelationResult, Report, StratumResult
from pytest_vqamt.core.tallies import (
    CALIBRATION_BINS,
    DECLINED_CAUSE,
    CalibrationBin,
    GradedCases,
    RepeatedCases,
    Tally,
    Unread,
    UnreadCount,
    add_unread,
)
from pytest_vqamt.core.text import count_noun, one_line, some_of
from pytest_vqamt.reporting.view.format import ViewTable, format_percent, format_rate, text_table, wrapped
from pytest_vqamt.reporting.view.rows import results_by_model_and_data

_WORDS_SHOWN = 12

OFTEN_UNREAD = 0.1
"""From this share of unread cases on, a summary warns of them."""


# By the causes that language/answers names; another cause has advice on the form of answers.
_ADVICE: Mapping[str, str] = {
    "refusal": "the model refuses: look at its system prompt and its safety settings",
    "unsure": "the model does not commit itself: ask it, in its prompt, for its best guess",
    "sees nothing": "the pictures may not reach the model: `vqamt probe MODEL` tries that",
    "cut off": "answers end too early: raise the most tokens of an answer (--vqamt-option=longest-answer=N)",
    "other language": "the model answers in another language: name the one that you want in its system prompt",
    "empty answer": "the model says nothing: look at its adapter, its chat template and its longest answer",
}
# Only the user's own function can be given the prompt that asks for a form.
_OTHER_FORM = "the answers are not of the kind asked for: "
_OWN_READER = "write a reader (--vqamt-option=reader=MODULE:FUNC)"
_ADVICE_ON_FORM = (
    f"{_OTHER_FORM}make the function a class and give the model `each.prompt` (docs/tutorial/your-model.md), or "
    f"{_OWN_READER}"
)
_ADVICE_ON_FORM_BY_KIND: Mapping[str, str] = {
    **dict.fromkeys(
        # These take no prompt of the user's, so a reader is all that helps.
        ("tiny", "lxmert", "visualbert", "vilt", "blip", "answers", "oracle", "fault"),
        f"{_OTHER_FORM}{_OWN_READER}",
    ),
    **dict.fromkeys(
        ("hf", "openai"), f"{_OTHER_FORM}change the prompt (--vqamt-option=prompt-question=TEXT), or {_OWN_READER}"
    ),
}
"""For models whose code is not the user's, by their kinds."""

_CAUSES_NAMED = 4
_EXAMPLES = 2

_REPEAT_HEAD = ("cases", "flaky", "pass rate", "pass@all", "one trial", "variance within cases", "between cases")
_ITEMS_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadAnswers:
    """Answers that have no reading: how many, why, and what to do about them."""

    tally: Tally
    """Of all cases, with those that could be read."""
    causes: tuple[tuple[str, UnreadCount], ...]
    """Each cause with its number of answers and an example, the most frequent one first."""
    kind: str = ""
    """The kind of the model; "" for an object, whose code is the user's."""

    @classmethod
    def of(cls, strata: Iterable[StratumResult], model: ModelUse) -> UnreadAnswers:
        """The sum over ordinary or presumed cases of items on ``model``."""
        found = list(strata)
        total: Unread = reduce(add_unread, (each.unread for each in found), {})
        return cls(
            tally=sum((each.tally for each in found), Tally()),
            kind=model.kind,
            causes=tuple(
                sorted(
                    # A query that the adapter declined has no answer: such cases are counted as declined.
                    ((cause, count) for cause, count in total.items() if cause != DECLINED_CAUSE),
                    key=lambda each: (-each[1].answers, each[0]),
                )
            ),
        )

    @property
    def is_often(self) -> bool:
        """True if so many cases are unread that a reader must be warned."""
        return (self.tally.unread_rate or 0.0) > OFTEN_UNREAD

    @property
    def is_refused(self) -> bool:
        """True if refusals are the most frequent cause."""
        return bool(self.causes) and self.causes[0][0] == "refusal"

    @property
    def headline(self) -> str:
        """How many cases are unread, and the causes with their numbers of answers.

        >>> UnreadAnswers(
        ...     tally=Tally(cases=8, holds=4, unparsed=4, unread_cases=4), causes=(("refusal", UnreadCount(1, 3)),)
        ... ).headline
        '50 % of 8 cases could not be read (4 answers: refusal 4)'
        """
        tally, answers = self.tally, sum(count.answers for _, count in self.causes)
        return (
            f"{format_percent(tally.unread_rate)} of {count_noun(tally.answered, 'case')} could not be read "
            f"({count_noun(answers, 'answer')}: {self.named_causes})"
        )

    @property
    def named_causes(self) -> str:
        """Each cause with its number of answers, the most frequent ones alone where there are many."""
        named = [f"{cause} {count.answers:,}" for cause, count in self.causes]
        rest = sum(count.answers for _, count in self.causes[_CAUSES_NAMED:])
        return ", ".join([*named[:_CAUSES_NAMED], *([f"other {rest:,}"] if rest else [])])

    @property
    def rates(self) -> str:
        """The pass rate of the readable cases, and that of all with unread ones as violations."""
        tally = self.tally
        if not tally.readable:
            return "no case can be read, so nothing is known of the model's consistency"
        # A case can hold although one of its answers is unread, where the others decide it.
        but = f" but for {tally.unread_holds:,} that hold" if tally.unread_holds else ""
        return (
            f"{format_percent(tally.readable_rate)} of the {count_noun(tally.readable, 'readable case')} hold; with "
            f"unread ones as violations{but}, {format_percent(tally.pass_rate)}"
        )

    @property
    def examples(self) -> tuple[str, ...]:
        """An answer of each of the most frequent causes, with its question, a line each."""
        return tuple(
            f"{cause}: {_abridged(example.text, 28) or '(captioning)'} -> '{_abridged(example.answer, 44)}'"
            for cause, count in self.causes[:_EXAMPLES]
            if (example := count.example)
        )

    @property
    def advice(self) -> str:
        """What to do about the most frequent cause."""
        if not self.causes:
            return ""
        on_form = _ADVICE_ON_FORM_BY_KIND.get(self.kind, _ADVICE_ON_FORM)
        return _ADVICE.get(self.causes[0][0], on_form)


def _abridged(text: str, most: int) -> str:
    """The text as one line of at most so many characters, with both its ends.

    >>> _abridged("Sure! Looking at the picture, I would say two", 24)
    'Sure! Look...ld say two'
    """
    line = one_line(text)
    # Both ends, as a verdict may come first or last; three characters are the dots.
    half = (most - 3) // 2
    return line if len(line) <= most else f"{line[:half].rstrip()}...{line[-half:].lstrip()}"


def unread_tables(report: Report, *, in_full: bool) -> Iterator[ViewTable]:
    """A table for each model and data source with answers that have no reading; ``in_full`` also one by relation."""
    for (model, data), results in results_by_model_and_data(report):
        unread = [(result, _unread(result)) for result in results]
        total: Unread = reduce(add_unread, (each for _, each in unread), {})
        if not total:
            continue
        # All, declined and refused cases: the last is part of the second.
        cases = [sum(getattr(result, name) for result in results) for name in ("all_cases", "declined", "refused")]
        yield text_table(
            [("cause", "to source queries", "to follow-ups"), *_cause_rows(total)],
            caption=f"answers of {model} on {data} that have no reading, by cause",
            notes=_declined_notes(results, *cases),
        )
        if in_full:
            causes = sorted(total)
            rows = [
                (result.item, *(_sides(counts.get(cause)) for cause in causes), str(result.declined))
                for result, counts in unread
                if counts
            ]
            yield text_table(
                [("relation", *causes, "cases declined"), *rows],
                caption=f"the same by relation variant (to source queries + to follow-ups), {model} on {data}",
            )


def _unread(result: RelationResult) -> Unread:
    return reduce(add_unread, (stratum.unread for stratum in result.strata), {})


def _cause_rows(total: Unread) -> Iterator[tuple[str, str, str]]:
    for cause, count in sorted(total.items(), key=lambda each: (-each[1].answers, each[0])):
        yield cause, f"{count.source:,}", f"{count.follow_up:,}"


def _sides(count: UnreadCount | None) -> str:
    return f"{count.source:,} + {count.follow_up:,}" if count else "0"


def _declined_notes(results: Sequence[RelationResult], cases: int, declined: int, refused: int) -> list[str]:
    notes = []
    if declined:
        notes.append(
            f"declined: {declined:,} of {count_noun(cases, 'case')}, {refused:,} of them in words; no pass rate counts "
            "them"
        )
    words: Counter[str] = Counter()
    for result in results:
        for stratum in result.strata:
            words.update(stratum.unknown_words)
    if words:
        ranked = sorted(words.items(), key=lambda each: (-each[1], each[0]))
        named = some_of([f"{word} ({times:,})" for word, times in ranked], _WORDS_SHOWN)
        notes.append(f"unknown words, with the cases that they kept out: {named}")
    return notes


def accuracy_tables(report: Report, *, in_full: bool) -> Iterator[ViewTable]:
    """A table for each model on data whose questions come with answers; ``in_full`` also by relation."""
    for (model, data), results in results_by_model_and_data(report):
        counted = [(result.item, [stratum.figures for stratum in result.strata]) for result in results]
        rows = [_accuracy_row("all", [each for _, some in counted for each in some])]
        # No question of this data comes with an answer.
        if rows == [None]:
            continue
        if in_full:
            rows += [_accuracy_row(item, some) for item, some in counted]
        yield text_table(
            [("relation", "answers", "right before", "right after the change"), *filter(None, rows)],
            caption=f"answers of {model} on {data} that are those given with the questions",
        )


def _accuracy_row(item: str, figures: Sequence[Figures]) -> tuple[str, ...] | None:
    """The number of answers that are given, and the shares that are right; None without any."""
    before, after = (
        reduce(add, (each[name] for each in figures if name in each), Figure())
        for name in (RIGHT_SOURCE, RIGHT_FOLLOW_UP)
    )
    if before.mean is None or after.mean is None:
        return None
    return item, f"{before.cases:,}", format_percent(before.mean), format_percent(after.mean)


# Repeated queries, and the noise of models


def repeat_tables(report: Report, *, in_full: bool) -> Iterator[ViewTable]:
    """A table for each model and data source whose queries were asked several times; ``in_full`` also by relation."""
    for (model, data), results in results_by_model_and_data(report):
        counted = [(result, repeated) for result in results if (repeated := _repeated(result)) is not None]
        if not counted:
            continue
        rows = [_repeat_row("all", [result for result, _ in counted], reduce(add, (each for _, each in counted)))]
        if in_full:
            rows += [_repeat_row(result.item, [result], repeated) for result, repeated in counted]
        yield text_table(
            [("relation", *_REPEAT_HEAD), *rows],
            caption=f"{model} on {data}, each query asked {report.repeats} times",
            notes=(
                "flaky: the verdict depends on which of the answers are taken; no rate counts such cases",
                "pass@all: every trial of the case holds; one trial: what a run that asks once would have",
            ),
        )


def _repeated(result: RelationResult) -> RepeatedCases | None:
    counted = [stratum.repeated for stratum in result.strata if stratum.repeated]
    return reduce(add, counted) if counted else None


def _repeat_row(name: str, results: Sequence[RelationResult], repeated: RepeatedCases) -> tuple[str, ...]:
    tally = reduce(add, (stratum.tally for result in results for stratum in result.strata), Tally())
    return (
        name,
        f"{repeated.cases:,}",
        f"{tally.flaky:,}",
        format_rate(tally.pass_rate),
        format_rate(repeated.pass_all_rate),
        format_rate(repeated.trial_rate),
        *("-" if each is None else f"{each:.4f}" for each in (repeated.within, repeated.between)),
    )


def noise_lines(results: Sequence[RelationResult], *, of_model: bool = False) -> Iterator[str]:
    """Names the relation variants whose violations noise explains, a line per model; ``of_model`` names the model."""
    known = [
        (result, stratum)
        for result in results
        for stratum in result.strata
        # A control measures the noise: explaining it by noise says nothing.
        if stratum.noise and "control" not in result.tags
    ]
    for name in dict.fromkeys(result.model.name for result, _ in known):
        violated = [
            (result.item, stratum.tally.judged - stratum.tally.holds, stratum.noise)
            for result, stratum in known
            if result.model.name == name and stratum.tally.judged > stratum.tally.holds
        ]
        explained = [
            (item, violations, noise.expected) for item, violations, noise in violated if noise and noise.explains
        ]
        if not explained:
            continue
        items = [f"{item} ({times:,}, {expected:.1f} expected)" for item, times, expected in explained]
        named = some_of(items, _ITEMS_NAMED)
        where = (
            "all violations"
            if len(explained) == len(violated)
            else f"the violations in {len(explained):,} of {count_noun(len(violated), 'relation variant')}"
        )
        yield f"noise explains {where}{f' of {name}' if of_model else ''}: {named}"


def wrapped_noise_lines(results: Sequence[RelationResult]) -> Iterator[str]:
    """The same, folded for the terminal."""
    for line in noise_lines(results):
        yield from wrapped(line)


# Scores


def grade_tables(report: Report) -> Iterator[ViewTable]:
    """The calibration curve of each model and data source whose answers have scores, with the margins as notes.

    Only sure cases are in it, since the truth of presumed ones is not.
    """
    for (model, data), results in results_by_model_and_data(report):
        counted = [result.graded for result in results if result.graded]
        if not counted:
            continue
        total: GradedCases = reduce(add, counted)
        error = total.calibration_error
        yield text_table(
            [
                ("probability", "answers", "mean probability", "share right"),
                *(_bin_row(place, each) for place, each in enumerate(total.calibration) if each.answers),
            ],
            caption=(
                f"calibration of {model} on {data}"
                f"{'' if error is None else f', expected calibration error {error:.3f}'}"
            ),
            notes=_margin_notes(total),
        )


def _bin_row(place: int, counted: CalibrationBin) -> tuple[str, ...]:
    low, high = (each / CALIBRATION_BINS for each in (place, place + 1))
    return (
        f"{100 * low:.0f} to {100 * high:.0f} %",
        f"{counted.answers:,}",
        format_rate(counted.millionths / MILLION / counted.answers),
        format_rate(counted.right / counted.answers),
    )


def _margin_notes(total: GradedCases) -> list[str]:
    margins = [
        # z: a mean of -0.0001 is written as 0.000, not as -0.000.
        f"{figure.mean:z.3f} over {figure.cases:,} {which}"
        for figure, which in ((total.violated, "violated cases"), (total.held, "that hold"))
        if figure.mean is not None
    ]
    notes = [f"mean margin of the least sure answer of a case: {', '.join(margins)}"] if margins else []
    if total.violated.cases:
        notes.append(
            f"confident violations, with a margin of {CONFIDENT:g} or more: {total.confident:,} of "
            f"{total.violated.cases:,}; they are shown first"
        )
    return notes
