"""``vqamt.Report``: cases with pictures, a table, files, a view for notebooks."""

from __future__ import annotations

import gc
import json
import re
from pathlib import Path

import pytest
from PIL import Image

import pytest_vqamt as vqamt
from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.errors import DataError, OptionError, VqamtError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.reporting.markdown import case_lines

RELATIONS = "metavqa.reversion[object],metavqa.insertion[count]"


class Counting:
    """Says "yes" to everything, and "1" where it is asked how many."""

    name = "counting"

    def answer(self, batch: list[ModelInput]) -> list[str]:
        return ["1" if isinstance(each.query.meaning, vqamt.Count) else "yes" for each in batch]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> vqamt.Report:
    folder = tmp_path_factory.mktemp("report") / "out"
    return vqamt.run(
        model=Counting(), data="pictures:8", relations=RELATIONS, max_cases=4, shrink=0, fail_under=0.9, report=folder
    )


def test_a_run_writes_all_files_and_says_in_short_what_it_found(made: vqamt.Report) -> None:
    assert sorted(file.name for file in made.folder.iterdir()) == [
        "badge.json", "cases.jsonl", "report.html", "report.json", "summary.md",
    ]  # fmt: skip
    text = repr(made)
    assert text.startswith("<vqamt.Report: counting ")
    assert "violations in 8 cases" in text
    assert len(text) < 300


def test_cases_have_their_answers_and_their_pictures(made: vqamt.Report) -> None:
    cases = list(made.cases())
    assert len(cases) == 8
    assert made.unread == ()
    assert [case.id for case in made.violations] == [
        case.id for case in cases if case.verdict in (Outcome.VIOLATED, Outcome.UNPARSED)
    ]
    inserted = next(made.cases("metavqa.insertion"))
    first, second = inserted.pictures
    assert (type(first), first.mode, first.size) == (Image.Image, "RGB", second.size)
    assert first.tobytes() != second.tobytes()
    assert inserted.queries[1].edits.startswith("inserted ")
    assert inserted.queries[0].edits == ""
    assert {query.answer for query in inserted.queries} == {"1"}
    # "Yes" to both a question and its opposite is a violation, and no other relation was asked for.
    assert [case.relation for case in made.cases("*reversion*", verdict="violated")] == [
        "metavqa.reversion[object]"
    ] * 4
    with pytest.raises(OptionError, match="verdict='wrong'"):
        next(made.cases(verdict="wrong"))
    with pytest.raises(OptionError, match=r"Expected verdict to be one or several of holds, .*but got verdict=\[\]"):
        next(made.cases(verdict=[]))


class Conversing(Counting):
    """Takes whole conversations."""

    takes = ("pictures", "turns", "interleaved")


def test_a_conversation_has_its_turns_and_all_its_pictures() -> None:
    report = vqamt.run(model=Conversing(), data="pictures:8", relations="turn.last,multi.sum", max_cases=2, shrink=0)
    last = next(report.cases("turn.last"))
    alone, later = last.queries
    assert alone.said == (("user", f"[picture] {alone.text}"),)
    assert [role for role, _ in later.said] == ["user", "assistant", "user", "assistant", "user"]
    assert [words.count("[picture]") for _, words in later.said] == [1, 0, 1, 0, 0]
    assert later.said[-1][1].endswith(later.text)
    assert len(later.pictures) == 2
    assert later.pictures[0] == later.picture
    assert later.pictures[1] != later.picture
    assert len(next(report.cases("multi.sum")).queries[0].pictures) in (2, 3)


class Chatting(Counting):
    """Says now and then that it is happy to help, or refuses; answers without looking."""

    def answer(self, batch: list[ModelInput]) -> list[str]:
        return [self._said(each.query.text, said) for each, said in zip(batch, super().answer(batch), strict=True)]

    def _said(self, text: str, answer: str) -> str:
        return ("I can't help with that.", "I would be happy to help!", answer, answer)[len(text) % 4]


def test_violations_and_unread_cases_are_those_that_are_counted() -> None:
    """Controls have cases of their own, and count in neither."""
    relations = f"{RELATIONS},veglue.*,metavqa.removal*,control.repeat"
    report = vqamt.run(model=Chatting(), data="pictures:30", relations=relations, max_cases=10, shrink=0)
    counted = re.search(r"([0-9]+) violations and ([0-9]+) unread in", repr(report))
    assert counted is not None
    assert [len(report.violations), len(report.unread)] == [int(each) for each in counted.groups()]
    assert min(len(report.violations), len(report.unread)) >= 10
    assert not {case.id for case in report.violations} & {case.id for case in report.unread}
    assert any(case.relation == "control.repeat" and case.is_unread for case in report.cases())
    rows = [row for row in report.to_dataframe().to_dict("records") if row["relation"] != "control.repeat"]
    sure = [row for row in rows if "presumed" not in row["tags"]]
    for column, cases in (("violated", report.violations), ("unread_cases", report.unread)):
        assert sum(row[column] for row in sure) == len(cases)


class Failing(Chatting):
    """Raises on some texts, too."""

    def _said(self, text: str, answer: str) -> str:
        if len(text) % 5 == 0:
            raise RuntimeError("too dark")
        return super()._said(text, answer)


def test_cases_without_an_answer_are_counted_and_listed() -> None:
    relations = f"{RELATIONS},veglue.*,metavqa.removal*,control.repeat"
    report = vqamt.run(model=Failing(), data="pictures:30", relations=relations, max_cases=10, shrink=0)
    told = re.search(r"violations, [0-9]+ unread and ([0-9]+) without an answer in ([0-9]+) cases", repr(report))
    judged = re.search(r"consistent \(of the ([0-9]+) judged\)", repr(report))
    assert told is not None
    assert judged is not None
    assert len(report.errors) == int(told[1]) >= 10
    assert {case.verdict for case in report.errors} == {Outcome.ERROR}
    table = report.to_dataframe()
    parts = table[["holds", "violated", "unread_cases", "errors", "declined", "flaky", "waived"]].sum(axis=1)
    assert ((parts - table["unread_holds"]) == table["cases"]).all()
    sure = table[~table["tags"].str.contains("presumed|control")]
    assert (sure["errors"].sum(), sure["cases"].sum()) == (int(told[1]), int(told[2]))
    assert int(judged[1]) == sum(case.verdict.is_judged for case in report._counted())


def test_the_summary_names_three_cases_of_a_missed_relation(made: vqamt.Report, tmp_path: Path) -> None:
    ids = sorted(case.id for case in made.violations if case.relation == "metavqa.reversion[object]")
    assert len(ids) == 4
    lines = (made.folder / "summary.md").read_text().splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("- **`metavqa.reversion[object]`**"))
    named = [line.partition("`: ") for line in lines[place + 1 : place + 4]]
    assert [command.removeprefix("  - `vqamt replay ") for command, *_ in named] == ids[:3]
    case = next(case for case in made.cases() if case.id == ids[0])
    assert named[0][2] == " / ".join(query.text for query in case.queries)
    assert ids[3] not in lines[place + 4], "three are enough"
    # A case that held in the baseline comes first.
    rows = [json.loads(line) for line in (made.folder / "cases.jsonl").read_text().splitlines()]
    changed = [{**row, "before": "holds"} if row["case_id"] == ids[3] else row for row in rows]
    (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(row, separators=(',', ':'))}\n" for row in changed))
    of_reversion = case_lines(made, tmp_path)["#relation=metavqa.reversion%5Bobject%5D", "metavqa.reversion[object]"]
    assert [re.findall("[0-9a-f]{16}", line)[0] for line in of_reversion] == [ids[3], *ids[:2]]


def test_the_table_has_a_row_for_each_relation(made: vqamt.Report) -> None:
    pytest.importorskip("pandas")
    table = made.to_dataframe().set_index("relation")
    assert list(table.index) == ["metavqa.reversion[object]", "metavqa.insertion[count]"]
    row = table.loc["metavqa.reversion[object]"]
    assert (row["cases"], row["pass_rate"], row["gate"], row["unread"]) == (4, 0.0, "missed", 0.0)
    assert row["pass_rate_low"] == 0 < row["pass_rate_high"] < 1
    # Of a model that never changes its answer no case is grounded.
    assert set(table["grounded"].dropna()) <= {0.0}


def test_a_notebook_shows_the_headline_a_chart_and_three_violations(made: vqamt.Report) -> None:
    text = made._repr_html_()
    assert text.count("<image ") >= 3
    assert text.count("vqamt replay ") == 3
    assert "counting is consistent in" in text
    assert not re.search(r"<script|<style|\bon\w+=|https?:", text.replace("http://www.w3.org", ""))
    assert len(text) < 60_000
    case = made.violations[0]
    assert case.id in case._repr_html_()


def test_a_report_is_saved_read_and_compared(made: vqamt.Report, tmp_path: Path) -> None:
    saved = made.save(tmp_path / "again", images="none")
    assert (saved / "cases.jsonl").read_bytes() == (made.folder / "cases.jsonl").read_bytes()
    read = vqamt.Report.read(saved)
    assert [case.id for case in read.cases()] == [case.id for case in made.cases()]
    assert next(read.cases()).pictures[0].size == next(made.cases()).pictures[0].size
    compared = made.compare(read, max_drop=0.0)
    assert (compared.missed, len(compared.items) > 1) == ((), True)
    assert "metavqa.reversion[object]" in repr(compared)
    other = vqamt.run(Counting(), data="pictures:8", relations=RELATIONS, max_cases=4, shrink=0)
    lines = repr(made.compare(other)).splitlines()
    assert lines[0].startswith(f"before: {made.folder}, ")
    assert lines[1].startswith("now:    the other report, ")
    assert "exit status" not in repr(made.compare(other))
    with pytest.raises(OptionError, match="images='some'"):
        made.save(tmp_path, images="some")
    with pytest.raises(DataError):
        vqamt.Report.read(tmp_path / "nowhere")


def test_without_a_folder_the_cases_last_as_long_as_the_report(tmp_path: Path) -> None:
    report = vqamt.run(model=Counting(), data="pictures:4", relations="metavqa.reversion[object]", max_cases=2)
    folder = report.folder
    case = next(report.cases())
    assert folder.is_dir()
    report.save(tmp_path / "kept", images="none")
    del report
    gc.collect()
    assert not folder.exists()
    assert case.pictures[0].size == (224, 224)
    assert (tmp_path / "kept" / "report.html").is_file()


def test_progress_is_shown_by_relation(capsys: pytest.CaptureFixture[str]) -> None:
    vqamt.run(
        model=Counting(), data="pictures:4", relations="metavqa.reversion[object]", max_cases=2, shrink=0, progress=True
    )
    shown = capsys.readouterr().err
    assert "metavqa.reversion[object]" in shown
    assert "2 violations" in shown


def test_a_folder_that_cannot_be_written_is_an_error_before_the_model_is_asked(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    def never(image: object, text: str) -> str:
        raise AssertionError("asked")

    with pytest.raises(VqamtError, match="file"):
        vqamt.run(model=never, data="pictures:4", max_cases=1, report=tmp_path / "file")
