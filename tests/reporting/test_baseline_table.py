"""What the summary says of a run that was held against a baseline."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytest_vqamt.core.results import BaselineUse, Report
from pytest_vqamt.core.tallies import AlikeTwice, PairedClusters
from pytest_vqamt.reporting.terminal import baseline_lines
from pytest_vqamt.stats.gates import held_against_baseline
from pytest_vqamt.stats.paired import change
from tests.reporting.running import run_into

USE = BaselineUse(file="ours.gz", digest="d", models=(("tiny", "0f"),))


def lines(report: Report) -> list[str]:
    return list(baseline_lines(report))


def compared(report: Report, *paired: PairedClusters | None, max_drop: float = 0.0) -> Report:
    """The report with what became of its items."""
    relations = [
        replace(result, change=None if each is None else change(each, version_before=1))
        for result, each in zip(report.relations, paired, strict=True)
    ]
    return replace(report, relations=held_against_baseline(relations, max_drop), baseline=USE)


def test_without_a_baseline_nothing_is_said(tmp_path: Path) -> None:
    assert lines(run_into(tmp_path, max_cases=1, relations=["control.repeat"])) == []


def test_a_row_for_each_item_with_what_became_of_it(tmp_path: Path) -> None:
    report = run_into(tmp_path, max_cases=1)
    broke = PairedClusters((AlikeTwice(0, 1, 0, 0, 10), AlikeTwice(1, 0, 0, 0, 29), AlikeTwice(0, 0, 1, 0, 1)))
    said = lines(compared(report, broke, None, PairedClusters((AlikeTwice(1, 0, 0, 0, 5),))))
    assert said[0] == "against the baseline ours.gz: tiny (0f)"
    rows = {line.split()[0]: line.split() for line in said if "." in line.split(" ")[0] and " " in line}
    # 39 held of 40 before, 30 now; McNemar of 10 that broke and 1 that was mended: 12 in 2048 ways.
    item = rows["metavqa.partition[object]"]
    assert item[1:5] == ["40", "0.975", "0.750", "-0.225"]
    assert item[-5:] == ["0.0059", "MISSED:", "drop", "<=", "0"]
    assert "metavqa.partition[property]" not in rows, "nobody has blessed it"
    control = rows["control.repeat"]
    assert control[:6] == ["control.repeat", "(control)", "5", "1.000", "1.000", "+0.000"]
    assert control[-2:] == ["-", "-"], "neither a p-value nor a gate"


def test_items_of_one_run_alone_are_named(tmp_path: Path) -> None:
    report = run_into(tmp_path, max_cases=1, relations=["control.repeat"])
    use = replace(USE, missing=("ours.gone-tiny-pictures:20", "ours.lost-tiny-pictures:20"), new=("ours.new-tiny-a:b",))
    said = " ".join(" ".join(lines(replace(report, baseline=use))).split())
    assert "2 items blessed, and not in this run: ours.gone-tiny-pictures:20, ours.lost-tiny-pictures:20" in said
    assert "1 item new in this run, and held against nothing until blessed: ours.new-tiny-a:b" in said


def test_another_version_and_another_judgement_are_said(tmp_path: Path) -> None:
    report = run_into(tmp_path, max_cases=1, relations=["control.repeat"])
    (result,) = report.relations
    made = change(PairedClusters((AlikeTwice(1, 0, 0, 0, 5),)), version_before=3, other_judgement=1)
    said = lines(replace(report, baseline=USE, relations=(replace(result, change=made),)))
    assert "control.repeat: blessed by version 3 of the relation, judged by version 1 now" in said
    assert (
        "control.repeat: 1 of the blessed cases is judged otherwise than then, from the same answers: before and now "
        "are both as they are judged now"
    ) in said
