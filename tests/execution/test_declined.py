"""Cases that a model declines or refuses: counted apart in every output, in no rate."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt import Declined, ModelInput, run
from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.meaning import Count, Group
from pytest_vqamt.core.query import Answer, Query
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.relations.expectations import judged, same_answer
from pytest_vqamt.reporting.blessing import bless
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.reporting.junit import properties
from pytest_vqamt.reporting.markdown import summary_page
from pytest_vqamt.reporting.merging import merge_folders
from pytest_vqamt.reporting.table_export import write_csv
from pytest_vqamt.reporting.terminal import summary
from tests.reporting.reported import report_in
from tests.reporting.running import run_into

Row = dict[str, Any]
ITEM = "metavqa.partition[object]"


class Replying:
    """Returns the same for every query."""

    def __init__(self, reply: str | Declined) -> None:
        self.reply = reply

    def answer(self, batch: Sequence[ModelInput]) -> list[str | Declined]:
        return [self.reply for _ in batch]


def _case() -> Case:
    scene = Scene(id="1", photo=Photo(id="1", digest="0"), width=9, height=9)
    query = Query(picture=scene.picture, text="How many dogs are there?", meaning=Count(groups=(Group(name="dog"),)))
    return Case(relation="r", variant="", scene="1", queries=(query, query), expected="first = second")


NO, UNSURE = "I'm sorry, but I can't help with that.", "It cannot be determined from the image."


@pytest.mark.parametrize(
    ("texts", "outcome"),
    [
        ((NO, NO), Outcome.DECLINED),
        ((NO, UNSURE), Outcome.DECLINED),
        (("2", NO), Outcome.VIOLATED),
        ((NO, "2"), Outcome.VIOLATED),
        (("2", "red"), Outcome.UNPARSED),
        (("", ""), Outcome.UNPARSED),
        (("2", "2"), Outcome.HOLDS),
    ],
)
def test_refusing_all_declines_and_refusing_one_violates(texts: tuple[str, str], outcome: Outcome) -> None:
    verdict = judged(_case(), [Answer(text) for text in texts], same_answer)

    assert verdict.outcome is outcome


def test_an_answer_in_another_language_has_that_cause() -> None:
    german = Answer("Das Bild zeigt einen Hund und eine Katze.")
    assert judged(_case(), [Answer("2"), german], same_answer).unread == ("", "other language")
    english = Answer("The picture shows a dog.")
    assert judged(_case(), [Answer("red"), english], same_answer).unread[0] == "no number"


def test_one_query_that_the_adapter_declines_declines_the_case() -> None:
    verdict = judged(_case(), [Answer("2"), Declined("unknown words", words=("kite",)).answer], same_answer)

    assert (verdict.outcome, verdict.reason) == (Outcome.DECLINED, "declined: unknown words: kite")
    assert verdict.unread == ("", "declined")


UNKNOWN = Declined("unknown words", words=("dog", "kite"))
declining, refusing, answering = Replying(UNKNOWN), Replying(NO), Replying("2")
HERE = "python:tests.execution.test_declined"


def _run(folder: Path, model: str, shard: tuple[int, int] = (1, 1)) -> Row:
    run_into(folder, model=f"{HERE}:{model}", relations=[ITEM], max_cases=6, shard=shard, fail_under=["0.9"])
    row: Row = report_in(folder)["relations"][0]
    return row


def _sides(row: Row) -> Row:
    """How many unread answers there are to source queries and follow-ups, by cause."""
    return {cause: {side: told[side] for side in ("source", "follow_up")} for cause, told in row["unread"].items()}


def test_reports_have_declined_cases_and_unknown_words(tmp_path: Path) -> None:
    row = _run(tmp_path, "declining")

    assert (row["cases"], row["declined"], row["refused"], row["pass_rate"]) == (6, 6, 0, None)
    assert _sides(row) == {"declined": {"source": 6, "follow_up": 12}}
    assert row["unknown_words"] == {"dog": 6, "kite": 6}
    assert row["gate"] is None  # there is nothing to be gated
    page = summary_page(read_report(tmp_path))
    assert "unknown words, with the cases that they kept out: dog (6), kite (6)" in page
    assert "6 of 6 cases were declined, 0 of them in words, and count in no pass rate." in page


def test_refusals_in_words_are_counted_by_side_and_miss_a_gate(tmp_path: Path) -> None:
    row = _run(tmp_path, "refusing")

    assert (row["declined"], row["refused"]) == (6, 6)
    assert _sides(row) == {"refusal": {"source": 6, "follow_up": 12}}
    assert row["unread"]["refusal"]["example"]["answer"] == "I'm sorry, but I can't help with that."
    assert row["gate"]["met"] is False


def test_csv_names_why_answers_have_no_reading(tmp_path: Path) -> None:
    _run(tmp_path, "refusing")
    write_csv(tmp_path, tmp_path / "cases.csv")

    rows = list(csv.DictReader((tmp_path / "cases.csv").read_text().splitlines()))
    assert {(row["verdict"], row["unread_1"], row["unread_3"]) for row in rows} == {("declined", "refusal", "refusal")}


@pytest.mark.parametrize("model", ["declining", "refusing"])
def test_shards_merge_to_the_whole_run(tmp_path: Path, model: str) -> None:
    whole = _run(tmp_path / "whole", model)
    for number in (1, 2):
        _run(tmp_path / str(number), model, shard=(number, 2))
    merge_folders([tmp_path / "1", tmp_path / "2"], tmp_path / "merged")

    merged = report_in(tmp_path / "merged")["relations"][0]
    names = ("declined", "refused", "unread", "unknown_words", "gate", "cases")
    assert {name: merged[name] for name in names} == {name: whole[name] for name in names}


def test_terminal_and_junit_count_declined_cases() -> None:
    report = run(model=refusing, data="pictures:20", relations=ITEM, max_cases=6, contrast=0)

    assert dict(properties(report.relations[0]))["vqamt_declined"] == 6
    assert dict(properties(report.relations[0]))["vqamt_unread_refusal"] == 18
    lines = list(summary(report))
    head, row = (line.split() for line in lines if line.startswith(("relation ", f"{ITEM} ")))
    assert row[head.index("declined") - 3] == "6"  # two heads are of five words
    assert "declined: 6 of 6 cases, 6 of them in words; no pass rate counts them" in lines


def test_a_baseline_keeps_declined_cases_out_of_the_comparison(tmp_path: Path) -> None:
    _run(tmp_path / "before", "declining")
    blessed = tmp_path / "blessed.jsonl.gz"
    bless(tmp_path / "before", blessed)

    report = run(model=answering, data="pictures:20", relations=ITEM, sampler="random", max_cases=6, baseline=blessed)

    change = report.relations[0].change
    assert change is not None
    assert (change.paired.shared, change.other_judgement) == (0, 0)


def test_the_cache_keeps_a_declined_answer(tmp_path: Path) -> None:
    answer = Declined("unknown words", words=("dog", "kite")).answer
    with AnswerStore(tmp_path / "answers.sqlite") as store:
        store.put("f", {"0" * 16: answer, "1" * 16: Answer("2")})
        assert store.get("f", ["0" * 16, "1" * 16]) == {"0" * 16: answer, "1" * 16: Answer("2")}


def test_a_declined_case_has_no_violated_contrast() -> None:
    report = run(model=refusing, data="pictures:30", relations=ITEM, max_cases=8, contrast=1, shrink=0)

    (result,) = report.relations
    assert result.grounded is not None
    assert result.grounded.cells.declined == result.grounded.cells.total > 0
    assert result.ungrounded is None
    lines = "\n".join(summary(report))
    assert "violated contrast" not in lines
    assert "of all answers are" not in lines
