"""Tables of the answers that have no reading, by cause, and of the words that models do not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce

from pytest_vqamt.core.results import RelationResult, Report
from pytest_vqamt.core.tallies import Unread, UnreadCount, add_unread
from pytest_vqamt.reporting.view.format import count_noun
from pytest_vqamt.reporting.view.rows import results_by_model_and_data
from pytest_vqamt.reporting.view.tables import ViewTable, text_table

_WORDS_SHOWN = 12


def unread_tables(report: Report, *, in_full: bool) -> Iterator[ViewTable]:
    """A table for each model and data source with answers that have no reading; ``in_full`` also one by relation."""
    for (model, data), results in results_by_model_and_data(report):
        unread = [(result, _unread(result)) for result in results]
        total: Unread = reduce(add_unread, (each for _, each in unread), {})
        if not total:
            continue
        cases = [sum(getattr(result, name) for result in results) for name in ("all_cases", "declined", "refused")]
        yield text_table(
            [("cause", "to source queries", "to follow-ups"), *_rows(total)],
            caption=f"answers of {model} on {data} that have no reading, by cause",
            notes=_notes(results, *cases),
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


def _rows(total: Unread) -> Iterator[tuple[str, str, str]]:
    for cause, count in sorted(total.items(), key=lambda each: (-sum(each[1]), each[0])):
        yield cause, f"{count.source:,}", f"{count.follow_up:,}"


def _sides(count: UnreadCount | None) -> str:
    return f"{count.source:,} + {count.follow_up:,}" if count else "0"


def _notes(results: Sequence[RelationResult], cases: int, declined: int, refused: int) -> list[str]:
    notes = []
    if declined:
        notes.append(
            f"declined: {declined:,} of {count_noun(cases, 'case')}, {refused:,} of them in words; no rate counts them"
        )
    words: Counter[str] = Counter()
    for result in results:
        for stratum in result.strata:
            words.update(stratum.unknown_words)
    if words:
        ranked = sorted(words.items(), key=lambda each: (-each[1], each[0]))
        named = ", ".join(f"{word} ({times:,})" for word, times in ranked[:_WORDS_SHOWN])
        more = f", and {len(ranked) - _WORDS_SHOWN:,} more in report.json" if len(ranked) > _WORDS_SHOWN else ""
        notes.append(f"unknown words, with the cases that they kept out: {named}{more}")
    return notes
