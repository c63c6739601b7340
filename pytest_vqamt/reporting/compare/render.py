"""A comparison as a person reads it in a terminal."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from textwrap import wrap

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.report_json import change_row
from pytest_vqamt.core.results import Gate
from pytest_vqamt.reporting.compare.comparison import ComparedItem, ComparedRun, Comparison, MovedCase, Standing
from pytest_vqamt.reporting.markdown import code, plain, prose
from pytest_vqamt.reporting.markdown import table as markdown_table
from pytest_vqamt.reporting.text import p_in_words, table
from pytest_vqamt.reporting.view.lines import counted

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


HEAD = ("relation", "shared cases", "before", "now", "change", "95 % interval", "p (Holm)", "standing")
GATE = "gate"
IDS_SHOWN = 5
"""How many ids of a relation's cases are listed."""

_STANDINGS = {
    Standing.WORSE: "worse: it has dropped, and that is no chance (p below 0.05)",
    Standing.BETTER: "better: it has risen, and that is no chance, by the same test the other way round",
    Standing.NO_WORSE: "no worse: the whole interval lies above the drop that is allowed",
    Standing.UNCHANGED: "unchanged: no verdict is another one",
    Standing.UNCERTAIN: "uncertain: neither is shown; `vqamt power` says how many cases it takes",
}


def cells(item: ComparedItem, *, gate: bool) -> tuple[str, ...]:
    """The figures of an item, in the order of the heads but the first; with ``gate`` that of the gate, too."""
    paired, change = item.change.paired, item.change
    more = (_gate(change.gate),) if gate else ()
    if paired.first_rate is None or paired.second_rate is None or paired.difference is None:
        return ("0", *("-" for _ in HEAD[2:]), *more)
    low, high = change.interval
    return (
        str(paired.shared),
        f"{paired.first_rate:.3f}",
        f"{paired.second_rate:.3f}",
        f"{paired.difference:+.3f}",
        f"{low:+.3f} to {high:+.3f}",
        f"({p_in_words(change.p)})" if change.p_holm is None else p_in_words(change.p_holm),
        item.standing.value,
        *more,
    )


def tags_of(item: ComparedItem) -> tuple[str, ...]:
    """Those of the relation, and of its cases where they are presumed."""
    return (*item.tags, "presumed") if item.presumed else item.tags


def where(item: ComparedItem, comparison: Comparison) -> str:
    """The model and the data of an item, in brackets, as far as there are several; otherwise nothing."""
    several = {each.models[1] for each in comparison.items}, {each.data[1] for each in comparison.items}
    told = [name for name, of in zip((item.models[1], item.data[1]), several, strict=True) if len(of) > 1]
    return f" ({' on '.join(told)})" if told else ""


def blocks(comparison: Comparison) -> Iterator[tuple[str, Sequence[ComparedItem]]]:
    """The items of each two models and data sources, with what heads them."""
    found: dict[tuple[tuple[str, str], tuple[str, str]], list[ComparedItem]] = {}
    for item in comparison.items:
        found.setdefault((item.models, item.data), []).append(item)
    for ((old, new), (_, data)), items in found.items():
        yield f"{new if old == new else f'{old}, and now {new},'} on {data}", items


def remarks(comparison: Comparison) -> Iterator[str]:
    """How the table is to be read: of what stands in it."""
    items = comparison.items
    yield "p: how likely a drop as large as this would be by chance, with so many looked at together (Holm)"
    for standing, told in _STANDINGS.items():
        if any(each.standing is standing for each in items):
            yield told
    if any(each.change.p_holm is None and each.change.paired.shared for each in items):
        yield "p in brackets: taken by itself, of controls, baselines and presumed cases, which no gate is for"


def verdict(comparison: Comparison) -> str:
    """What came of the gate."""
    if comparison.max_drop is None:
        return "nothing was demanded, so the exit status is 0: --max-drop=RATE fails where one has dropped further"
    gated = sum(each.change.gate is not None for each in comparison.items)
    variants = counted(gated, "relation variant")
    missed = comparison.missed
    allowed = f"dropped by more than {comparison.max_drop:g}, beyond chance"
    if not missed:
        return f"met: none of {variants} has {allowed}"
    return f"MISSED: {len(missed)} of {variants} {'has' if len(missed) == 1 else 'have'} {allowed}: " + ", ".join(
        f"{each.item}{where(each, comparison)}" for each in missed
    )


def moved(items: Sequence[ComparedItem]) -> str:
    """How many cases broke and were mended, in all."""
    broke, mended = sum(len(each.broke) for each in items), sum(len(each.mended) for each in items)
    return (
        f"{counted(broke, 'case')} broke (held before, not now), {counted(mended, 'case')} mended (the other way round)"
    )


def ids_in_words(ids: Sequence[str], what: str) -> str:
    """The first ids, and how many more there are."""
    more = f" and {len(ids) - IDS_SHOWN:,} more" if len(ids) > IDS_SHOWN else ""
    return f"{len(ids):,} {what}: {', '.join(ids[:IDS_SHOWN])}{more}"


def replay(case: MovedCase, comparison: Comparison) -> str:
    """What to type to see the pictures of a case."""
    return shlex.join(("vqamt", "replay", case.case_id, "--report", comparison.after.name))


def run_in_words(run: ComparedRun) -> str:
    """Which run it is, and of which models."""
    models = ", ".join(f"{name} ({fingerprint})" for name, fingerprint in run.models)
    return f"{run.name}, pytest-vqamt {run.vqamt_version}, seed {run.seed}, {models}"


def _gate(gate: Gate | None) -> str:
    return "-" if gate is None else f"{'met' if gate.met else 'MISSED'}: drop <= {gate.threshold:g}"


SCHEMA = 1
"""Raised when a field is renamed or removed; additions keep it."""

Row = dict[str, Json]


def comparison_json(comparison: Comparison) -> str:
    """The whole comparison as one JSON object."""
    return json.dumps(comparison_row(comparison), ensure_ascii=False, indent=1)


def comparison_row(comparison: Comparison) -> Row:
    """The fields, as docs/comparing.md names them."""
    return {
        "schema": SCHEMA,
        "before": _run_row(comparison.before),
        "after": _run_row(comparison.after),
        "max_drop": comparison.max_drop,
        "met": None if comparison.max_drop is None else not comparison.missed,
        "notes": list(comparison.notes),
        "only_before": list(comparison.only_before),
        "only_after": list(comparison.only_after),
        "relations": [_item(item) for item in comparison.items],
        "shown": [_case_row(case) for case in comparison.shown],
    }


def _run_row(run: ComparedRun) -> Row:
    return {
        "name": run.name,
        "vqamt_version": run.vqamt_version,
        "seed": run.seed,
        "models": [{"name": name, "fingerprint": fingerprint} for name, fingerprint in run.models],
        "data": [{"spec": spec, "digest": digest} for spec, digest in run.data],
    }


def _item(item: ComparedItem) -> Row:
    return {
        "id": item.item,
        "version": item.version,
        "models": list(item.models),
        "data": list(item.data),
        "presumed": item.presumed,
        "tags": list(item.tags),
        "standing": item.standing.value,
        "change": change_row(item.change),
        "p_gain": item.p_gain,
        "only_before": item.only_before,
        "only_after": item.only_after,
        "unjudged": item.unjudged,
        "other_verdict": item.other_verdict,
        "broke": list(item.broke),
        "mended": list(item.mended),
    }


def _case_row(case: MovedCase) -> Row:
    return {
        "case_id": case.case_id,
        "id": case.item,
        "model": case.model,
        "data": case.data,
        "scene": case.scene,
        "mended": case.mended,
        "expected": case.expected,
        "reason": case.reason,
        "queries": [
            {"text": query.text, "edits": query.edits, "before": query.before, "after": query.after}
            for query in case.queries
        ],
    }


def comparison_markdown(comparison: Comparison) -> Iterator[str]:
    """The lines; nothing that came from data or a model is markup in them."""
    yield f"## vqamt: {plain(comparison.before.name)} and {plain(comparison.after.name)} compared"
    yield ""
    yield f"**{prose(verdict(comparison))}**"
    yield ""
    yield f"- before: {_run_markdown(comparison.before)}"
    yield f"- now: {_run_markdown(comparison.after)}"
    gate = comparison.max_drop is not None
    heads = (*HEAD, GATE) if gate else HEAD
    for title, items in blocks(comparison):
        yield ""
        yield f"### {plain(title)}"
        yield ""
        yield from markdown_table(
            heads, [(_named_markdown(item), *map(plain, cells(item, gate=gate))) for item in items]
        )
    yield ""
    yield from (f"- {prose(remark)}" for remark in (*remarks(comparison), *comparison.notes))
    for ids, run in ((comparison.only_before, comparison.before), (comparison.only_after, comparison.after)):
        if ids:
            yield f"- only in {plain(run.name)}: {', '.join(map(code, ids))}"
    yield from _moved_markdown(comparison)


def _moved_markdown(comparison: Comparison) -> Iterator[str]:
    some = [item for item in comparison.items if item.broke or item.mended]
    if not some:
        return
    yield ""
    yield f"### {plain(moved(some))}"
    yield ""
    yield from markdown_table(
        ("relation", "broke", "mended"),
        [
            (
                f"{_named_markdown(item)} {plain(where(item, comparison))}".rstrip(),
                f"{len(item.broke):,}",
                f"{len(item.mended):,}",
            )
            for item in some
        ],
    )
    for case in comparison.shown:
        yield ""
        yield from _case_markdown(case, comparison)


def _case_markdown(case: MovedCase, comparison: Comparison) -> Iterator[str]:
    yield (
        f"**{code(case.item)}** {'was mended' if case.mended else 'broke'}: scene {code(case.scene)}, "
        f"case {code(case.case_id)}, expected {plain(case.expected)}; "
        f"{'then' if case.mended else 'now'}: {plain(case.reason)}"
    )
    yield ""
    yield from markdown_table(
        ("question", "answer before", "answer now"),
        [
            (
                plain(f"{query.text} [{query.edits}]" if query.edits else query.text),
                _answer(query.before),
                _answer(query.after),
            )
            for query in case.queries
        ],
        numbers_from=3,
    )
    yield ""
    yield f"Its pictures: {code(replay(case, comparison))}"


def _named_markdown(item: ComparedItem) -> str:
    tags = tags_of(item)
    return f"{code(item.item)} ({plain(', '.join(tags))})" if tags else code(item.item)


def _run_markdown(run: ComparedRun) -> str:
    models = ", ".join(f"{code(name)} ({code(fingerprint)})" for name, fingerprint in run.models)
    return f"{code(run.name)}, pytest-vqamt {plain(run.vqamt_version)}, seed {run.seed}, {models}"


def _answer(answer: str | None) -> str:
    return "no answer" if answer is None else plain(answer)
