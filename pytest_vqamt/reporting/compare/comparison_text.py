"""A comparison as terminal text, JSON and Markdown."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence

from pytest_vqamt.core.codec import Json, to_row
from pytest_vqamt.core.report_json import change_row
from pytest_vqamt.core.results import BaselineTotal, GateState, Undecided
from pytest_vqamt.core.text import count_noun, quoted, shown, some_of, visible
from pytest_vqamt.reporting.compare.compared_scores import score_sentences
from pytest_vqamt.reporting.compare.comparison import (
    ChangedCase,
    ComparedItem,
    ComparedRun,
    ComparedTotal,
    Comparison,
    Conclusion,
)
from pytest_vqamt.reporting.markdown import code, escape, markdown_table, prose
from pytest_vqamt.reporting.view.format import (
    CHANGE_HEAD,
    ViewTable,
    change_cells,
    describe_allowed,
    drop_gate_cell,
    tagged,
    text_table,
    wrapped,
)
from pytest_vqamt.reporting.view.model_figures import KindOfTotal, total_sentence
from pytest_vqamt.stats.thresholds import TotalKind

COMPARISON_SCHEMA = 1
"""Raised when a field is renamed or removed; additions keep it."""

_IDS_SHOWN = 5
"""How many case ids of a relation variant are listed."""

_CONCLUSIONS = {
    Conclusion.WORSE: "worse: significant drop (Holm-adjusted p < 0.05)",
    Conclusion.BETTER: "better: significant rise, by the same test in the other direction",
    Conclusion.NO_WORSE: "no worse: the whole interval lies above the allowed drop",
    Conclusion.UNCHANGED: "unchanged: every verdict is the same",
    Conclusion.UNCERTAIN: "uncertain: too few cases to tell; `vqamt power` computes how many are needed",
}

_BETWEEN_MODELS = {
    **_CONCLUSIONS,
    Conclusion.WORSE: "worse: the second model holds in significantly fewer cases (Holm-adjusted p < 0.05)",
    Conclusion.BETTER: "better: the second model holds in significantly more cases (Holm-adjusted p < 0.05)",
}

Row = dict[str, Json]

_JSON_NAMES = {"item": "id", "regressions": "broke", "fixes": "mended", "is_fix": "mended"}
"""Names of fields in the JSON, where they differ: scripts of users read these."""


def comparison_lines(comparison: Comparison, *, in_full: bool = False, in_python: bool = False) -> Iterator[str]:
    """The comparison as lines for a terminal.

    Case ids are listed for the items that got worse, with ``in_full`` for all. With ``in_python`` the lines name
    arguments and attributes, and no option, command or exit status.
    """
    yield from map(visible, _lines(comparison, in_full=in_full, in_python=in_python))


def _lines(comparison: Comparison, *, in_full: bool, in_python: bool) -> Iterator[str]:
    yield f"before: {_describe_run(comparison.before)}"
    yield f"now:    {_describe_run(comparison.after)}"
    for title, items in _blocks(comparison):
        yield ""
        yield title
        yield ""
        yield from _table(comparison, items, _total_of(comparison, items)).lines
    yield ""
    yield from _table_notes(comparison)
    if comparison.notes:
        yield ""
        yield from (f"note: {note}" for note in comparison.notes)
    for ids, run in _unmatched(comparison):
        yield ""
        yield from wrapped(f"{count_noun(len(ids), 'item')} only in {run.name}: {', '.join(ids)}")
    for sentence in _score_sentences(comparison):
        yield from wrapped(sentence)
    yield from _changed_case_lines(comparison, in_full=in_full, in_python=in_python)
    yield ""
    yield from wrapped(gate_verdict(comparison, in_python=in_python))
    for sentence in total_verdicts(comparison):
        yield from wrapped(sentence)


def _score_sentences(comparison: Comparison) -> Iterator[str]:
    for found in comparison.scores:
        for sentence in score_sentences(found):
            yield f"{found.models[1]}, {found.data[1]}: {sentence}" if len(comparison.scores) > 1 else sentence


def _changed_case_lines(comparison: Comparison, *, in_full: bool, in_python: bool) -> Iterator[str]:
    changed = _changed(comparison)
    if not changed:
        return
    yield ""
    yield _count_changes(changed)
    # Of all changed items the ids would fill the terminal.
    listed = [item for item in changed if in_full or item.standing is Conclusion.WORSE]
    for item in listed:
        ids = "; ".join(
            _list_ids(ids, count)
            for ids, count in (
                (item.regressions, count_noun(len(item.regressions), "regression")),
                (item.fixes, count_noun(len(item.fixes), "fix", "fixes")),
            )
            if ids
        )
        yield from wrapped(f"{_name(item)}{_model_and_data(item, comparison)}: {ids}")
    if len(listed) < len(changed):
        which = "other relation variant" if listed else "relation variant"
        rest = count_noun(len(changed) - len(listed), which)
        yield f"{'items has' if in_python else '-v lists'} the ids of {rest}"
    for case in comparison.shown:
        yield ""
        yield from _case_lines(case)
        if not in_python:
            yield f"  replay:   {_replay_command(case, comparison)}"


def _case_lines(case: ChangedCase) -> Iterator[str]:
    yield f"{case.item}: scene {case.scene}, case {case.case_id} {_direction(case)}"
    texts = [shown(_query_text(query.text, query.edits)) for query in case.queries]
    width = max(map(len, texts), default=0)
    for text, query in zip(texts, case.queries, strict=True):
        same = query.before == query.after
        before, after = _answer(query.before), _answer(query.after)
        answers = f"{after} both times" if same else f"{before} before, {after} now"
        yield f"    {text.ljust(width)}  ->  {answers}"
    yield f"  expected: {shown(case.expected)}"
    yield f"  {_violated_in(case)}: {shown(case.reason)}"


def _answer(text: str | None) -> str:
    return "None" if text is None else quoted(text)


def gate_verdict(comparison: Comparison, *, in_python: bool = False) -> str:
    """The verdict of the gates on drops, and the items that miss them.

    Where the comparison fails by all relations together (``total_verdicts``), no word says that it is met.
    """
    if comparison.max_drop is None and in_python:
        return "no gate was set: set one with max_drop=RATE"
    if comparison.max_drop is None:
        return "no gate was set, so the exit status is 0: set one with --max-drop=RATE"
    gated = [each for each in comparison.items if each.change.gate is not None]
    grounded = sum(each.grounded for each in gated)
    passed = len(gated) - grounded
    variants = count_noun(passed, "relation variant")
    if grounded:
        variants = f"{len(gated)} rates ({count_noun(passed, 'pass rate')}, {count_noun(grounded, 'grounded rate')})"
    missed = comparison.missed
    if not gated:
        return f"met: no rate can fall by more than {describe_allowed(comparison.max_drop)}"
    drop = f"a significant drop of more than {describe_allowed(comparison.max_drop)}"
    unsure = sum(each.change.gate.uncertain for each in gated if each.change.gate)
    untold = f"; {unsure} cannot tell (too few cases)" if unsure else ""
    # No gate is missed, and yet the comparison fails.
    if not missed and unsure and comparison.undecided is Undecided.FAIL:
        return f"MISSED: {unsure} of {variants} cannot tell (too few cases), which fails here; none has {drop}"
    if not missed:
        # It may fail by a total alone, which has a line of its own.
        return f"{'' if comparison.fails else 'met: '}none of {variants} has {drop}{untold}"
    unread = [each for each in missed if each.change.gate and each.change.gate.unread is not None]
    if unread:
        drop += ", or too many answers that could not be read"
    named = ", ".join(
        f"{each.item}{' (grounded)' if each.grounded else ''}{_model_and_data(each, comparison)}" for each in missed
    )
    return f"MISSED: {len(missed)} of {variants} {'has' if len(missed) == 1 else 'have'} {drop}: {named}{untold}"


def total_verdicts(comparison: Comparison) -> Iterator[str]:
    """A sentence for each gate on all relations together or on an accuracy."""
    several = len({(each.models, each.data) for each in comparison.items}) > 1
    for found in comparison.gated_totals:
        missed = found.state is GateState.MISSED
        sentence = f"{f'{found.of}: ' if several else ''}{total_sentence(found)}"
        yield f"MISSED: {sentence}" if missed else sentence
    if comparison.max_drop is None:
        # Without gates the accuracy is reported all the same; the totals are a row of the table.
        for accuracy in comparison.accuracy:
            total = BaselineTotal(model=accuracy.models[1], data=accuracy.data[1], change=accuracy.change)
            found = KindOfTotal(TotalKind.ACCURACY, total, 1)
            yield f"{f'{found.of}: ' if several else ''}{total_sentence(found)}"


def comparison_markdown(comparison: Comparison) -> Iterator[str]:
    """The comparison as lines of Markdown, in which text from data or models is never markup."""
    yield f"## vqamt: {escape(comparison.before.name)} and {escape(comparison.after.name)} compared"
    yield ""
    yield f"**{prose(gate_verdict(comparison))}**"
    yield ""
    for sentence in total_verdicts(comparison):
        yield prose(sentence)
        yield ""
    yield f"- before: {_run_markdown(comparison.before)}"
    yield f"- now: {_run_markdown(comparison.after)}"
    for title, items in _blocks(comparison):
        yield ""
        yield f"### {escape(title)}"
        yield ""
        total = _total_of(comparison, items)
        table = _table(comparison, items, total)
        names = [*map(_name_markdown, items), *(["total"] if total else [])]
        # The first cell of a row is the name, which is code in Markdown.
        rows = [(name, *map(escape, cells)) for name, (_, *cells) in zip(names, table.row_texts, strict=True)]
        yield from markdown_table(table.head_texts, rows)
    yield ""
    yield from (f"- {prose(note)}" for note in (*_table_notes(comparison), *comparison.notes))
    for ids, run in _unmatched(comparison):
        yield f"- only in {escape(run.name)}: {', '.join(map(code, ids))}"
    yield from (f"- {escape(sentence)}" for sentence in _score_sentences(comparison))
    yield from _changed_case_markdown(comparison)


def _changed_case_markdown(comparison: Comparison) -> Iterator[str]:
    changed = _changed(comparison)
    if not changed:
        return
    yield ""
    yield f"### {escape(_count_changes(changed))}"
    yield ""
    yield from markdown_table(
        ("relation", "regressions", "fixes"),
        [
            (
                f"{_name_markdown(item)} {escape(_model_and_data(item, comparison))}".rstrip(),
                f"{len(item.regressions):,}",
                f"{len(item.fixes):,}",
            )
            for item in changed
        ],
    )
    for case in comparison.shown:
        yield ""
        yield (
            f"**{code(case.item)}** {_direction(case)}: scene {code(case.scene)}, "
            f"case {code(case.case_id)}, expected {escape(case.expected)}; "
            f"{_violated_in(case)}: {escape(case.reason)}"
        )
        yield ""
        rows = [
            (
                escape(_query_text(query.text, query.edits)),
                _answer_markdown(query.before),
                _answer_markdown(query.after),
            )
            for query in case.queries
        ]
        yield from markdown_table(("question", "answer before", "answer now"), rows, numbers_from=3)
        yield ""
        yield f"Its pictures: {code(_replay_command(case, comparison))}"


def _name_markdown(item: ComparedItem) -> str:
    tags = _tags(item)
    return f"{code(item.item)} ({escape(', '.join(tags))})" if tags else code(item.item)


def _run_markdown(run: ComparedRun) -> str:
    models = ", ".join(f"{code(name)} ({code(fingerprint)})" for name, fingerprint in run.models)
    return f"{code(run.name)}, pytest-vqamt {escape(run.vqamt_version)}, seed {run.seed}, {models}"


def _answer_markdown(answer: str | None) -> str:
    return "no answer" if answer is None else escape(answer)


def comparison_json(comparison: Comparison) -> str:
    """The whole comparison as one JSON object, with the fields that docs/how-to/compare.md names."""
    return json.dumps(
        {
            "schema": COMPARISON_SCHEMA,
            "before": _run_row(comparison.before),
            "after": _run_row(comparison.after),
            "max_drop": None if comparison.max_drop is None else dict(comparison.max_drop),
            "met": None if comparison.max_drop is None else not comparison.fails,
            "undecided": comparison.undecided.value,
            "two_sided": comparison.two_sided,
            "notes": list(comparison.notes),
            "only_before": list(comparison.only_before),
            "only_after": list(comparison.only_after),
            **{
                name: [{**to_row(each), "change": change_row(each.change)} for each in totals]
                for name, totals in (("totals", comparison.totals), ("accuracy", comparison.accuracy))
            },
            "scores": [to_row(each) for each in comparison.scores],
            "relations": [_renamed({**to_row(item), "change": change_row(item.change)}) for item in comparison.items],
            "shown": [_renamed(to_row(case)) for case in comparison.shown],
        },
        ensure_ascii=False,
        indent=1,
    )


def _run_row(run: ComparedRun) -> Row:
    return {
        "name": run.name,
        "vqamt_version": run.vqamt_version,
        "seed": run.seed,
        "models": [{"name": name, "fingerprint": fingerprint} for name, fingerprint in run.models],
        "data": [{"spec": spec, "digest": digest} for spec, digest in run.data],
    }


def _renamed(row: Row) -> Row:
    return {_JSON_NAMES.get(name, name): value for name, value in row.items()}


# What terminal and Markdown share.


def _total_of(comparison: Comparison, items: Sequence[ComparedItem]) -> ComparedTotal | None:
    """The total of the relations in a table; None if there is only one."""
    first = items[0]
    found = (each for each in comparison.totals if (each.models, each.data) == (first.models, first.data))
    # The total of one relation is that relation's own row.
    return next(found, None) if len({item.item for item in items}) > 1 else None


def _table(comparison: Comparison, items: Sequence[ComparedItem], total: ComparedTotal | None) -> ViewTable:
    is_gated = comparison.max_drop is not None
    head = ("relation", *CHANGE_HEAD, "standing", *(("gate",) if is_gated else ()))
    rows = [
        (
            _name(item),
            *change_cells(item.change, unadjusted_p=True, two_sided=comparison.two_sided),
            item.standing.value if item.change.paired.difference is not None else "-",
            # Without --max-drop the column would be empty.
            *((drop_gate_cell(item.change.gate),) if is_gated else ()),
        )
        for item in items
    ]
    if total:
        cells = change_cells(total.change, unadjusted_p=True, two_sided=comparison.two_sided)
        gate = (drop_gate_cell(total.change.gate),) if is_gated else ()
        rows.append(("total", *cells, total.standing.value, *gate))
    return text_table([head, *rows])


def _tags(item: ComparedItem) -> tuple[str, ...]:
    kinds = (*(("presumed",) if item.presumed else ()), *(("grounded",) if item.grounded else ()))
    return (*item.tags, *kinds)


def _name(item: ComparedItem) -> str:
    return tagged(item.item, _tags(item))


def _model_and_data(item: ComparedItem, comparison: Comparison) -> str:
    """The model and the data of an item in brackets, each only if the comparison has several."""
    several = {each.models[1] for each in comparison.items}, {each.data[1] for each in comparison.items}
    names = [
        name for name, all_names in zip((item.models[1], item.data[1]), several, strict=True) if len(all_names) > 1
    ]
    return f" ({' on '.join(names)})" if names else ""


def _blocks(comparison: Comparison) -> Iterator[tuple[str, Sequence[ComparedItem]]]:
    """The items of each pair of models and data sources, with a title."""
    found: dict[tuple[tuple[str, str], tuple[str, str]], list[ComparedItem]] = {}
    for item in comparison.items:
        found.setdefault((item.models, item.data), []).append(item)
    for ((old, new), (_, data)), items in found.items():
        yield f"{new if old == new else f'{old}, and now {new},'} on {data}", items


def _table_notes(comparison: Comparison) -> Iterator[str]:
    """What the words in the table mean, as far as they occur in it."""
    items = comparison.items
    if comparison.two_sided:
        yield "p: two-sided p-value of the difference, Holm-adjusted over all relation variants but controls"
    else:
        shared = ", and for the gates on all together" if comparison.gated_totals else ""
        yield f"p: p-value of the drop, Holm-adjusted over all gated relation variants{shared}"
    for conclusion, meaning in (_BETWEEN_MODELS if comparison.two_sided else _CONCLUSIONS).items():
        if conclusion in {each.standing for each in items} | {each.standing for each in comparison.totals}:
            yield meaning
    if any(each.grounded for each in items):
        yield "grounded: of the cases with a contrast in both runs, those that hold with another answer to the contrast"
    if any(each.change.p_holm is None and each.change.paired.shared for each in items):
        yield "p in brackets: not adjusted (controls, baselines and presumed cases are not gated)"
    elif any(
        total.change.p_holm is None
        for _, of_block in _blocks(comparison)
        if (total := _total_of(comparison, of_block)) is not None
    ):
        yield "p in brackets: not adjusted (the total has no gate)"


def _unmatched(comparison: Comparison) -> Iterator[tuple[tuple[str, ...], ComparedRun]]:
    for ids, run in ((comparison.only_before, comparison.before), (comparison.only_after, comparison.after)):
        if ids:
            yield ids, run


def _changed(comparison: Comparison) -> list[ComparedItem]:
    return [item for item in comparison.items if item.regressions or item.fixes]


def _count_changes(items: Sequence[ComparedItem]) -> str:
    # A grounded item has cases that the ordinary item has, too.
    own = [each for each in items if not each.grounded]
    regressions, fixes = sum(len(each.regressions) for each in own), sum(len(each.fixes) for each in own)
    return (
        f"{count_noun(regressions, 'regression')} (held before, not now), "
        f"{count_noun(fixes, 'fix', 'fixes')} (the reverse)"
    )


def _list_ids(ids: Sequence[str], count: str) -> str:
    return f"{count}: {some_of(ids, _IDS_SHOWN)}"


def _direction(case: ChangedCase) -> str:
    return "was fixed" if case.is_fix else "regressed"


def _violated_in(case: ChangedCase) -> str:
    return "before" if case.is_fix else "now"


def _query_text(text: str, edits: str) -> str:
    return f"{text} [{edits}]" if edits else text


def _replay_command(case: ChangedCase, comparison: Comparison) -> str:
    return shlex.join(("vqamt", "replay", case.case_id, "--report", comparison.after.name))


def _describe_run(run: ComparedRun) -> str:
    models = ", ".join(f"{name} ({fingerprint})" for name, fingerprint in run.models)
    return f"{run.name}, pytest-vqamt {run.vqamt_version}, seed {run.seed}, {models}"
