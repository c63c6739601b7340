"""What a person reads at the end."""

from __future__ import annotations

import re

import pytest

from tests.plugin.conftest import Run

HEAD = ("relation", "cases", "pass rate", "95 % interval", "vacuous", "unparsed", "errors", "gate")
MIXED = """
    class Model:
        def answer(self, batch):
            return [self.one(each.query.meaning) for each in batch]

        def one(self, meaning):
            if type(meaning).__name__ == "Absent":
                raise RuntimeError("cannot negate")
            return "0"
"""


def table(result: pytest.RunResult) -> dict[str, dict[str, str]]:
    """The table of the summary, by relation and column."""
    lines = result.outlines
    rule = next(number for number, line in enumerate(lines) if re.fullmatch(r"-+(  -+)+", line))
    ends = [found.end() for found in re.finditer("-+", lines[rule])]
    starts = [0, *ends[:-1]]
    columns = tuple(lines[rule - 1][start:end].strip() for start, end in zip(starts, ends, strict=True))
    assert columns == HEAD
    rows = {}
    for line in lines[rule + 1 :]:
        if not line:
            break
        cells = [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
        rows[cells[0]] = dict(zip(HEAD, cells, strict=True))
    return rows


def test_the_table_has_a_row_for_each_relation(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(mixed=MIXED)
    pytester.makeconftest(
        """
        import pytest_vqamt as vqamt

        @vqamt.relation("ours.never", expect=vqamt.same_answer, tags=("baseline",))
        def never(scene, corpus, choose):
            return vqamt.NotApplicable(reason="no mirror")
        """
    )
    result = run(
        "--vqamt-relations=metavqa.reorder[object],metavqa.reversion[object],control.repeat,ours.never",
        "--vqamt-max-error-rate=1",
        "--vqamt-fail-under=metavqa.reorder=0.5",
        model="python:mixed:Model",
    )
    rows = table(result)
    assert list(rows) == [
        "metavqa.reorder[object]",
        "metavqa.reversion[object]",
        "control.repeat (control)",
        "ours.never (baseline)",
    ]
    # Twice 0 is equal and shows nothing: every case vacuous. Four of four: from 4 / (4 + z^2) = 0.510 on.
    reorder = ("metavqa.reorder[object]", "4", "1.000", "0.510 to 1.000", "100%", "0", "0", "met: >= 0.5")
    assert tuple(rows["metavqa.reorder[object]"].values()) == reorder
    reversion = ("metavqa.reversion[object]", "4", "-", "-", "-", "0", "4", "-")
    assert tuple(rows["metavqa.reversion[object]"].values()) == reversion
    never = ("ours.never (baseline)", "0", "-", "-", "-", "-", "-", "not applicable")
    assert tuple(rows["ours.never (baseline)"].values()) == never
    shown = result.stdout.str()
    assert "metavqa.reorder[object]: 100% of all answers are '0'\n" in shown
    assert "metavqa.reversion[object]: 4 of 4 cases had no answer; the first: RuntimeError: cannot negate\n" in shown
    assert "no gate was set" not in shown


def test_an_answer_that_dominates_is_pointed_out(run: Run) -> None:
    result = run("--vqamt-relations=metavqa.reversion[object]", model="fault:always-yes")
    assert "metavqa.reversion[object]: 100% of all answers are 'yes'\n" in result.stdout.str()
    fair = run("--vqamt-relations=metavqa.reversion[object]")
    assert "of all answers are" not in fair.stdout.str(), "half yes, half no"


def test_answers_of_the_wrong_kind_are_counted_apart(run: Run) -> None:
    rows = table(run("--vqamt-relations=metavqa.reversion[object]", model="fault:refuses"))
    row = rows["metavqa.reversion[object]"]
    assert (row["cases"], row["pass rate"], row["unparsed"], row["errors"]) == ("4", "0.000", "4", "0")


def test_the_simplest_violation_of_each_relation(run: Run) -> None:
    result = run("--vqamt-relations=metavqa.reversion,control.repeat", "--vqamt-model=fault:inconsistent")
    shown = result.stdout.str()
    assert "simplest violation found" not in shown, "that of the noise floor is not shown"
    result = run("--vqamt-relations=metavqa.reversion", model="fault:always-no", shrink=30)
    result.stdout.fnmatch_lines(
        [
            "metavqa.reversion?object?: Asked whether there is any and whether there is none, *",
            "simplest violation found: scene pictures-0-*, case *",
            "    *[?]*->  'no'",
            "    *[?]*->  'no'",
            "  expected: one yes, one no",
            "  one answer must be yes and the other no, but got no, no",
            "  replay:   pytest * --vqamt-model=fault:always-no --vqamt-data=pictures:20 --vqamt-replay=*",
            "",
            "metavqa.reversion?property?: *",
        ],
        consecutive=True,
    )


@pytest.mark.parametrize("ci", ["", "true"], ids=["at a desk", "on CI"])
def test_a_violation_stands_there_once(run: Run, monkeypatch: pytest.MonkeyPatch, ci: str) -> None:
    monkeypatch.setenv("CI", ci)  # on CI, pytest's short summary repeats whole failure messages
    result = run("--vqamt-relations=metavqa.reversion[object]", "--vqamt-fail-under=0.9", model="fault:always-no")
    assert result.stdout.str().count("simplest violation found") == 1
    assert "MISSED: >= 0.9" in result.stdout.str()


def test_each_model_on_each_source_has_a_table(run: Run) -> None:
    result = run(
        "--vqamt-relations=control.repeat", "--vqamt-model=fault:always-no", data=("pictures:20", "pictures:30")
    )
    blocks = [line for line in result.outlines if line.endswith(" scenes)")]
    assert blocks == [
        "oracle on pictures:20 (20 scenes)",
        "oracle on pictures:30 (30 scenes)",
        "fault:always-no on pictures:20 (20 scenes)",
        "fault:always-no on pictures:30 (30 scenes)",
    ]
    assert all(not result.outlines[result.outlines.index(block) - 1] for block in blocks[1:]), "a line apart"


def test_without_a_model_nothing_is_said(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_own="def test_own(): pass")
    result = run(model=None)
    result.assert_outcomes(passed=1)
    assert "vqamt:" not in result.stdout.str()
