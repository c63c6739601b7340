"""Prints each warning, note and advice of the reports once in each of its forms, for a person to read.

``python -m tests.reporting.sentences`` writes ``sentences.txt`` anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_vqamt.commands.bless import _about_drops, _warnings
from pytest_vqamt.commands.power import SmallestDrop
from pytest_vqamt.core.case import Figure
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import (
    BaselineTotal,
    BaselineUse,
    GapToFirst,
    Gate,
    Grounded,
    ModelUse,
    Noise,
    RankedModel,
    Ranking,
    RankingKind,
    RelationResult,
    Report,
    Undecided,
)
from pytest_vqamt.core.tallies import (
    Clusters,
    GroundedCells,
    PairedClusters,
    PairedSceneTally,
    SceneTally,
    Tally,
    UnreadCount,
    UnreadExample,
)
from pytest_vqamt.reporting.item_messages import (
    declined_message,
    drop_message,
    drop_title,
    error_rate_message,
    missed_drops,
    missed_gate_message,
    missing_message,
    not_applicable_message,
    refused_message,
    repeated_drop_message,
    total_message,
    undecided_message,
)
from pytest_vqamt.reporting.view.answers import UnreadAnswers, noise_lines
from pytest_vqamt.reporting.view.headline import (
    baseline_notes,
    headline,
    model_notes,
    report_warnings,
    ungated_line,
    untested_line,
)
from pytest_vqamt.reporting.view.model_figures import totals_of
from pytest_vqamt.reporting.view.rankings import model_notes_of
from pytest_vqamt.reporting.view.rows import result_rows
from pytest_vqamt.stats.paired import change_of, with_holm_gates
from pytest_vqamt.stats.thresholds import TotalKind
from tests.reporting.html.made import OTHER, TINY, report, result

FILE = Path(__file__).with_name("sentences.txt")
EXAMPLE = UnreadExample("c1", "Is there a dog?", "I cannot say.")
_CAUSES = ("refusal", "unsure", "sees nothing", "cut off", "other language", "empty answer", "no number")


def sections() -> Iterator[tuple[str, list[str]]]:
    """The sentences by what they are about."""
    yield "titles and verdicts", _titles()
    yield "gates", _gates()
    yield "warnings", _warned()
    yield "notes on the baseline", _on_baseline()
    yield "notes on models", _on_models()
    yield "unread answers", _unread()
    yield "failures", _failures()
    yield "bless", _blessing()


def sentences() -> str:
    """The text of ``sentences.txt``: each sentence once."""
    blocks = (f"# {title}\n\n" + "".join(f"{line}\n" for line in dict.fromkeys(lines)) for title, lines in sections())
    return "\n".join(blocks)


def paired(kept: int, lost: int = 0, won: int = 0, neither: int = 0) -> PairedClusters:
    """Cases of a scene each."""
    rows = ((1, 0, 0, 0, kept), (0, 1, 0, 0, lost), (0, 0, 1, 0, won), (0, 0, 0, 1, neither))
    return PairedClusters(tuple(PairedSceneTally(*row) for row in rows if row[-1]))


def changed(
    two: PairedClusters, *, max_drop: float = 0.05, unread: float | None = None, **fields: Any
) -> RelationResult:
    """An item with its change since the baseline, under the gate."""
    (made,) = with_holm_gates([change_of(two, unread_before=unread)], [max_drop])
    if unread is not None and made.gate:
        fields["unread"] = {"no number": UnreadCount(4, 0, EXAMPLE)}
        made = replace(made, gate=replace(made.gate, met=False, unread=unread + 0.01))
    holds = two.both + two.second_only
    return result(change=made, **{"holds": holds, "violated": two.shared - holds, **fields})


def contrasts(grounded: int, consistent: int, rest: int = 0, *, chance: float = 0.25) -> Grounded:
    """Cases with a contrast of a scene each."""
    cells = GroundedCells(consistent_changed=grounded, consistent_unchanged=consistent, inconsistent_changed=rest)
    rows = (SceneTally(0, 1, consistent + rest), SceneTally(1, 1, grounded))
    share = grounded / cells.cases
    return Grounded(
        cells=cells,
        interval=(max(0.0, share - 0.1), min(1.0, share + 0.1)),
        chance=Figure(cells.cases, round(chance * cells.cases * 1_000_000)),
        clusters=Clusters(tuple(row for row in rows if row.scenes)),
    )


def against(*results: RelationResult, max_drop: float = 0.05, **fields: Any) -> Report:
    """A report against a baseline."""
    use = BaselineUse(file="base.gz", digest="d", models=(("tiny", "f1"),), max_drop={"*": max_drop})
    return report(*results, baseline=replace(use, **fields))


def total(two: PairedClusters, *, max_drop: float | None = 0.05) -> BaselineTotal:
    change = change_of(two)
    if max_drop is not None:
        (change,) = with_holm_gates([change], [max_drop], families=2)
    return BaselineTotal(model="tiny", data="gqa:DIR", change=change)


FALLEN, SAME, FEW = paired(40, 30, 2, 28), paired(300, 0, 0, 100), paired(8, 1, 1, 2)


def unread(cause: str, **fields: Any) -> RelationResult:
    """An item of ten cases, four of which have an answer that could not be read."""
    tally = Tally(cases=10, holds=6, unparsed=4, unread_cases=5, unread_holds=1)
    return result(tally=tally, unread={cause: UnreadCount(5, 0, EXAMPLE)}, **fields)


def _told(made: Report) -> list[str]:
    head = headline(made, result_rows(made))
    findings = [
        why for found in (*head.missed, *head.dropped) for why in (f"{found.item}: {each}" for each in found.why)
    ]
    return [head.title, head.verdict, head.gates.line, head.about, *findings, *head.notes]


def _titles() -> list[str]:
    met, missed = (
        replace(Gate(kind="fail-under", threshold=0.7, on="point", met=True), met=each) for each in (True, False)
    )
    unjudged = result(tally=Tally(cases=10, errors=10))
    made = [
        report(result()),
        report(result(gate=met)),
        report(result(gate=missed), result("ours.b")),
        report(result(grounded=contrasts(9, 1))),
        report(result(grounded=contrasts(1, 9))),
        report(result(tally=Tally(cases=14, holds=6, violated=3, errors=1, declined=2, flaky=1, waived=1))),
        report(result(), result(model=OTHER, holds=9, violated=1)),
        report(*(result(model=replace(OTHER, name=f"m{n}"), holds=n, violated=10 - n) for n in (5, 6, 7, 8))),
        report(unread("refusal")),
        report(unread("no number")),
        report(unread("no number"), result(model=OTHER)),
        report(unjudged),
        report(unjudged, complete=False, failure="CUDA is out of memory"),
        report(result(), complete=False),
        report(result(), shard="1/2"),
        report(),
        report(result("control.repeat", tags=("control",)), result(tally=Tally(), holds=0, violated=0)),
        report(result(tally=Tally(cases=3, declined=3, refused=3)), result("ours.b", tally=Tally(cases=2, waived=2))),
        report(result(), result("ours.p", tags=("baseline",), violated=4)),
    ]
    return [line for each in made for line in (*_told(each), untested_line(each), ungated_line(each)) if line]


def _gates() -> list[str]:
    few, fallen, same = changed(FEW), changed(FALLEN), changed(SAME)
    made = [
        against(same),
        against(few),
        against(few, fallen),
        against(changed(FALLEN, unread=0.21)),
        report(unread("no number", gate=Gate(kind="fail-under", threshold=0.7, on="point", met=False, unread=0.4))),
        replace(against(few), undecided=Undecided.FAIL),
        against(fallen, totals=(total(FALLEN),), accuracy=(total(FEW),)),
        against(same, totals=(total(SAME),), accuracy=(total(SAME),)),
        report(
            result(tally=Tally(cases=3, errors=3), gate=Gate(kind="fail-under", threshold=0.7, on="point", met=False))
        ),
    ]
    return [line for each in made for line in (*_told(each)[1:], ungated_line(each)) if line]


def _warned() -> list[str]:
    grounded = (result(f"ours.{n}", grounded=contrasts(1, 19)) for n in range(1, 6))
    odd = result(
        tally=Tally(cases=20, holds=9, violated=2, errors=3, declined=2, refused=1, flaky=2, waived=1, truncated=2)
    )
    other = replace(TINY, name="gpt=x", spec="openai:gpt-4o@http://h/v1", usage=(("answers of m-1", 3.0),))
    two = replace(other, usage=(("answers of m-1", 3.0), ("answers of m-2", 2.0)))
    bad = replace(result().data, bad_records=("row 1",))
    more = replace(result().data, bad_records=("row 1", "row 2"))
    noisy = [
        result("ours.a", noise=Noise(expected=3.0, explains=True)),
        result("ours.b", noise=Noise(expected=0.1, explains=False)),
    ]
    made = [
        report(odd, repeats=5),
        report(result(data=bad)),
        report(result(data=more)),
        report(result(grounded=contrasts(1, 19))),
        report(*grounded),
        report(result(), complete=False),
        report(result(), complete=False, failure="the server is gone"),
        report(result(), shard="1/2"),
        report(unread("no number"), result(model=OTHER)),
        report(result(), expired_waivers=(("c1", "2026-10-31"),)),
        report(result(), expired_waivers=tuple((f"c{n}", "2026-10-31") for n in range(1, 6))),
        report(*noisy[:1]),
        report(*noisy),
        report(*noisy, result("ours.a", model=OTHER)),
        report(result(model=other)),
        report(result(model=two)),
        against(result(model=other), answered_by=(("gpt=x", "m-0"),)),
        against(result(), missing=("ours.gone-tiny-gqa:DIR",), new=("ours.new-tiny-gqa:DIR", "ours.two-tiny-gqa:DIR")),
        against(changed(FEW)),
        against(changed(FEW), changed(paired(150, 4, 4, 42)), changed(paired(90, 4, 4, 2))),
        against(changed(FEW, max_drop=0.0), max_drop=0.0),
        against(changed(paired(150, 4, 4, 42))),
        against(changed(SAME), totals=(total(paired(70, 12, 1, 17), max_drop=0.2),)),
        against(changed(SAME), totals=(total(FEW),), accuracy=(total(paired(38, 4, 2, 16)),)),
        against(changed(SAME), totals=(total(FALLEN),), accuracy=(total(FALLEN),)),
        against(changed(SAME), result("ours.low", change=change_of(paired(1, 0, 0, 99)))),
        against(
            *(
                result(
                    f"ours.{n}",
                    change=change_of(paired(1, 0, 0, 99)),
                    grounded=replace(contrasts(1, 19), change=change_of(paired(0, 0, 1, 99))),
                )
                for n in range(1, 5)
            )
        ),
    ]
    return [
        line
        for each in made
        for left_out in (0, 1)
        for line in (*report_warnings(each, result_rows(each), left_out), *noise_lines(each.relations))
    ]


def _on_baseline() -> list[str]:
    falling = replace(change_of(paired(80, 12, 3, 5)), p_holm=0.2)
    made = [
        report(result()),
        against(),
        against(changed(SAME), totals=(total(SAME, max_drop=None),), accuracy=(total(SAME),)),
        against(changed(FALLEN), changed(FEW), totals=(total(FALLEN),)),
        against(result(change=falling), totals=(total(FEW),), models=(("old", "f0"),)),
        against(
            result(change=falling),
            totals=(total(FEW), replace(total(FEW), data="coco:DIR")),
            accuracy=(total(SAME), replace(total(SAME), data="coco:DIR")),
        ),
    ]
    return [line for each in made for line in baseline_notes(each, result_rows(each))]


def _on_models() -> list[str]:
    raised = replace(TINY, calls=9, calls_raised=2, raised_example="ValueError: too large")
    lost = result(
        model=raised,
        tally=Tally(cases=10, holds=8, errors=2),
        grounded=replace(contrasts(4, 4), cells=GroundedCells(consistent_changed=4, errors=1)),
    )
    made = [
        report(result(model=raised)),
        report(lost),
        report(result(model=replace(TINY, answers_cut=1))),
        report(result(model=replace(TINY, ran_on=3, ran_on_example="2 Question: Is it red?"))),
    ]
    first = RankedModel(model="tiny", mean=0.9, interval=(0.8, 0.95), best_in=1)

    def ranked(p: float) -> Report:
        gap = GapToFirst(difference=-0.05, interval=(-0.09, 0.01), p=p)
        second = RankedModel(model="other", mean=0.85, interval=(0.8, 0.9), best_in=0, behind=gap)
        ranking = Ranking(data="gqa:DIR", kind=RankingKind.RELATIONS, items=("ours.rule",), places=(first, second))
        both = result(grounded=contrasts(4, 6)), result(model=OTHER, grounded=contrasts(8, 2))
        return report(*both, ranking=(ranking,))

    notes = [line for each in made for line in model_notes(each)]
    return notes + [line for p in (0.3, 0.001) for line in model_notes_of(ranked(p))]


def _model(name: str, kind: str) -> ModelUse:
    return ModelUse(name=name, fingerprint="f", tasks=("vqa",), kind=kind)


def _unread() -> list[str]:
    lines = []
    for name, kind in (("tiny", "tiny"), ("org/model", "hf"), ("m:answer", "python")):
        model = _model(name, kind)
        for cause in _CAUSES:
            found = UnreadAnswers.of([unread(cause)], model)
            lines += [found.headline, found.rates, found.advice]
    nothing = UnreadAnswers.of(
        [result(tally=Tally(cases=4, unparsed=4, unread_cases=4), unread={"refusal": UnreadCount(4)})],
        _model("tiny", "tiny"),
    )
    return [*lines, nothing.rates]


def _failures() -> list[str]:
    def gated(on: str = "point", share: float | None = None) -> Gate:
        return Gate(kind="fail-under", threshold=0.9, on=on, met=False, unread=share)

    held = Gate(kind="grounded-under", threshold=0.9, on="point", met=False)
    of_contrasts = replace(contrasts(4, 4, 2), gate=held)
    made = [
        missed_gate_message(each, "pytest")
        for each in (
            result(gate=gated()),
            result(gate=gated("lower-bound")),
            result(tally=Tally(cases=3, errors=3), gate=gated()),
            unread("no number", gate=gated(share=0.4)),
            result(grounded=of_contrasts),
            result(grounded=replace(of_contrasts, cells=GroundedCells())),
            result(grounded=replace(contrasts(9, 1), presumed=of_contrasts)),
        )
    ]
    made += [
        drop_message(each, (), "pytest")
        for each in (changed(FALLEN), changed(FALLEN, unread=0.21), changed(SAME, unread=0.21))
    ]
    made.append(undecided_message(changed(FEW)))
    made += [
        drop_title(changed(FALLEN)),
        repeated_drop_message(changed(FALLEN), missed_drops(changed(FALLEN))),
        missing_message("ours.rule-tiny-pictures:500"),
    ]
    one = paired(1, 0, 0, 0)  # no number of losses of so few is significant
    use = against(totals=(total(FALLEN), total(FEW), total(one)), accuracy=(total(FALLEN), total(FEW))).baseline
    made += [total_message(each) for each in totals_of(use)]
    refused = result(tally=Tally(cases=3, declined=3, refused=3), unread={"refusal": UnreadCount(3)})
    made += [
        error_rate_message(result(tally=Tally(cases=10, holds=7, errors=3), error="the server is gone"), 0.1),
        not_applicable_message(result(tally=Tally(), not_applicable={"no two things": 8})),
        not_applicable_message(result(tally=Tally())),
        refused_message(refused),
        declined_message(result(tally=Tally(cases=3, declined=3))),
        declined_message(result(tally=Tally(cases=3, declined=3), unknown_words={"toaster": 3})),
    ]
    return [line for each in made for line in each.split("\n")]


def _blessing() -> list[str]:
    def drops(*found: float | None, ruled_out: float = 0.03) -> list[SmallestDrop]:
        given: Any = {"cases": 100, "pictures": 90, "rate": 0.9, "ruled_out": ruled_out}
        return [SmallestDrop(name="ours.rule", drop=each, **given) for each in found]

    together = [replace(*drops(0.08), kind=TotalKind.RELATIONS)]
    blind = report(result(grounded=contrasts(1, 99)), unread("no number", item="ours.b"))
    return [
        *_warnings(blind),
        _about_drops({"*": 0.1}, drops(None), []),
        _about_drops({"*": 0.06}, drops(0.12, None), []),
        _about_drops({"*": 0.06, "all-relations": 0.03}, drops(0.12), together),
    ]


if __name__ == "__main__":
    FILE.write_text(sentences(), encoding="utf-8")
