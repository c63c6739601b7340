"""``vqamt list --data SPEC``: how many cases each relation variant has on a data source, and why some have none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.progress_bar import SHOW_AFTER_S, progress_bar
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.scene_source import PairedSource, PresetSource, SceneSource
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import PublishedRelation, Relation
from pytest_vqamt.relations.presets import preset
from pytest_vqamt.reporting.view.format import aligned_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How far one relation variant applies to one source."""

    item: str
    """The id of the relation variant."""
    cases: int
    """How many cases were found; the search ends at the number that was wanted."""
    presumed: int
    """The cases that rest on the absence of what is not annotated for certain: reported apart, and not gated."""
    pictures: frozenset[str]
    """The pictures with a case, as ids of scenes. Where no more cases were looked for, there may be others."""
    of_pictures: int
    """The number of pictures of the source."""
    reason: str
    """The most frequent reason for which a scene gave no case; "" if every scene that was looked at gave one."""


def coverage(source: SceneSource, relations: Sequence[tuple[Relation, str]], sampling: Sampling) -> Iterator[Coverage]:
    """Yields the coverage of each relation variant: the cases that a run with this ``sampling`` would have.

    Raises:
        VqamtError: a scene cannot be read.
    """
    with progress_bar("sampling", len(relations), "relation variant", delay_s=SHOW_AFTER_S) as advance:
        for relation, variant in relations:
            plan = Plan(relation=relation, variant=variant, source=source, sampling=sampling)
            # All of them first: ``not_applicable`` is known only after iteration.
            cases = list(plan)
            [(reason, _)] = plan.not_applicable.most_common(1) or [("", 0)]
            yield Coverage(
                item=relation.info.item(variant),
                cases=len(cases),
                presumed=sum(case.is_presumed for case in cases),
                pictures=frozenset(case.scene for case in cases),
                of_pictures=len(source),
                reason=reason,
            )
            advance()


def coverage_rows(spec: str, relations: Sequence[str], sampling: Sampling) -> list[Coverage]:
    """Returns the coverage of the relation variants that the globs name.

    Without globs they are those of the data's own preset, as in a run, or all but those on request.

    Raises:
        VqamtError: the data cannot be used, or a glob names nothing.
    """
    source = sources.load(spec, allow_bad_records=sampling.allow_bad_records)
    # Photos with questions have a preset of their own, in runs as here.
    own = preset(source.preset).relations if isinstance(source, PresetSource) else ()
    chosen = catalogue.select(relations or own)
    # As in a run: on published pairs only the relations about them, and these on no other data.
    has_pairs = isinstance(source, PairedSource)
    fitting = [each for each in chosen if isinstance(each[0], PublishedRelation) == has_pairs]
    return list(coverage(source, fitting, sampling))


def coverage_lines(spec: str, rows: Sequence[Coverage], most: int) -> Iterator[str]:
    """Yields a table, those without a case last, and a summary."""
    covered = [row for row in rows if row.cases]
    empty = [row for row in rows if not row.cases]
    if covered:
        table = [("relation variant", "cases", "presumed", "pictures")]
        for row in covered:
            more = "+" if row.cases >= most else ""  # no further ones were looked for
            on = f"{len(row.pictures)}{more if len(row.pictures) < row.of_pictures else ''} of {row.of_pictures}"
            table.append((row.item, f"{row.cases}{more}", str(row.presumed), on))
        yield from aligned_table(table)
        yield ""
    if empty:
        width = max(len(row.item) for row in empty)
        yield "without a case:"
        yield from (f"  {row.item.ljust(width)}  {row.reason or 'no case found'}" for row in empty)
        yield ""
    of = count_noun(len(rows), "relation variant")
    have = "has" if len(covered) == 1 else "have"
    pictures = frozenset[str]().union(*(row.pictures for row in rows))
    on = f", on {len(pictures)} of its {count_noun(rows[0].of_pictures, 'picture')}" if rows else ""
    yield f"{len(covered)} of {of} {have} cases on {spec} (looked for {most} of each){on}"


def coverage_json(rows: Sequence[Coverage]) -> list[Json]:
    """Returns the rows as ``vqamt list --json`` has them."""
    return [
        {
            "id": row.item,
            "cases": row.cases,
            "presumed": row.presumed,
            "pictures": len(row.pictures),
            "of_pictures": row.of_pictures,
            "reason": row.reason or None,
        }
        for row in rows
    ]
