"""What the table, the markdown and the summary line of a comparison have in common: its figures in words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from pytest_vqamt.core.results import Gate
from pytest_vqamt.reporting.compared import ComparedItem, ComparedRun, Comparison, MovedCase, Standing
from pytest_vqamt.reporting.page.figures import counted
from pytest_vqamt.reporting.text import p_in_words

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
    if paired.before is None or paired.after is None or paired.difference is None:
        return ("0", *("-" for _ in HEAD[2:]), *more)
    low, high = change.interval
    return (
        str(paired.shared),
        f"{paired.before:.3f}",
        f"{paired.after:.3f}",
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
