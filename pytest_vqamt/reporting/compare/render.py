"""A comparison as a person reads it in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from pytest_vqamt.reporting.compare_words import (
    GATE,
    HEAD,
    blocks,
    cells,
    ids_in_words,
    moved,
    remarks,
    replay,
    run_in_words,
    tags_of,
    verdict,
    where,
)
from pytest_vqamt.reporting.compared import ComparedItem, Comparison, MovedCase, Standing
from pytest_vqamt.reporting.page.figures import counted
from pytest_vqamt.reporting.text_table import table

_WIDTH = 100


def comparison_lines(comparison: Comparison, *, in_full: bool = False) -> Iterator[str]:
    """Both runs, a table for each two models and data sources, what is in one alone, and the cases that moved.

    Their ids are listed for the items that got worse, ``in_full`` for all.
    """
    yield f"before: {run_in_words(comparison.before)}"
    yield f"now:    {run_in_words(comparison.after)}"
    gate = comparison.max_drop is not None
    for title, items in blocks(comparison):
        yield ""
        yield title
        yield ""
        rows = ((_named(item), *cells(item, gate=gate)) for item in items)
        yield from table([(*HEAD, GATE) if gate else HEAD, *rows])
    yield ""
    yield from remarks(comparison)
    if comparison.notes:
        yield ""
        yield from (f"note: {note}" for note in comparison.notes)
    yield from _alone(comparison)
    yield from _moved(comparison, in_full=in_full)
    yield ""
    yield from _wrapped(verdict(comparison))


def _named(item: ComparedItem) -> str:
    tags = tags_of(item)
    return f"{item.item} ({', '.join(tags)})" if tags else item.item


def _alone(comparison: Comparison) -> Iterator[str]:
    for items, name in (
        (comparison.only_before, comparison.before.name),
        (comparison.only_after, comparison.after.name),
    ):
        if items:
            yield ""
            yield from _wrapped(
                f"{len(items)} {'item is' if len(items) == 1 else 'items are'} only in {name}: {', '.join(items)}"
            )


def _moved(comparison: Comparison, *, in_full: bool) -> Iterator[str]:
    some = [item for item in comparison.items if item.broke or item.mended]
    if not some:
        return
    yield ""
    yield moved(some)
    listed = [item for item in some if in_full or item.standing is Standing.WORSE]
    for item in listed:
        told = [ids_in_words(ids, what) for ids, what in ((item.broke, "broke"), (item.mended, "mended")) if ids]
        yield from _wrapped(f"{_named(item)}{where(item, comparison)}: {'; '.join(told)}")
    if len(listed) < len(some):
        which = "other relation variant" if listed else "relation variant"
        yield f"-v lists the ids of {counted(len(some) - len(listed), which)}"
    for case in comparison.shown:
        yield ""
        yield from _case(case, comparison)


def _case(case: MovedCase, comparison: Comparison) -> Iterator[str]:
    yield f"{case.item}: scene {case.scene}, case {case.case_id} {'was mended' if case.mended else 'broke'}"
    asked = [f"{query.text} [{query.edits}]" if query.edits else query.text for query in case.queries]
    width = max(map(len, asked), default=0)
    for text, query in zip(asked, case.queries, strict=True):
        same = query.before == query.after
        told = f"{query.after!r} both times" if same else f"{query.before!r} then, {query.after!r} now"
        yield f"    {text.ljust(width)}  ->  {told}"
    yield f"  expected: {case.expected}"
    yield f"  {'then' if case.mended else 'now'}: {case.reason}"
    yield f"  replay:   {replay(case, comparison)}"


def _wrapped(text: str) -> Sequence[str]:
    return wrap(text, width=_WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
