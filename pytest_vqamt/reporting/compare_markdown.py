"""A comparison as GitHub-flavoured markdown: for a comment on a change, or the summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_vqamt.reporting.compare_words import (
    GATE,
    HEAD,
    blocks,
    cells,
    moved,
    remarks,
    replay,
    tags_of,
    verdict,
    where,
)
from pytest_vqamt.reporting.compared import ComparedItem, ComparedRun, Comparison, MovedCase
from pytest_vqamt.reporting.markdown import code, plain, prose
from pytest_vqamt.reporting.markdown import table as markdown_table


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
