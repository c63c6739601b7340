"""A sample is random, repeats with its seed, and says what it was drawn from."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.audit.sample import AuditTarget, Sample, SampleSettings, draw_sample, parse_settings
from tests.reporting.audit.made_reports import Row, row, written

FORTY = [row(number, verdict="violated" if number < 30 else "holds") for number in range(40)]


def ids(sample: Sample) -> list[str]:
    return [each.case_id for each in sample.cases]


def drawn(
    folder: Path, rows: list[Row], draw: SampleSettings, tags: dict[str, tuple[str, ...]] | None = None
) -> Sample:
    return draw_sample(written(folder, rows, tags), folder, draw)


def test_violations_alone_are_drawn_for_precision_and_all_cases_for_the_valid_tests_rate(tmp_path: Path) -> None:
    unparsed = row(100, verdict="unparsed")
    others = [row(101, verdict="error"), row(102, waived=True)]
    rows = [*FORTY, unparsed, *others]
    violations = drawn(tmp_path, rows, SampleSettings(of=AuditTarget.VIOLATIONS))
    assert set(ids(violations)) == {each["case_id"] for each in [*FORTY[:30], unparsed]}
    assert violations.population == {"ours.one": 31}
    every = drawn(tmp_path, rows, SampleSettings(of=AuditTarget.ALL))
    assert set(ids(every)) == {each["case_id"] for each in [*FORTY, unparsed, others[1]]}, "all but the error"


def test_the_same_seed_gives_the_same_sample_in_the_same_order_whatever_the_order_of_the_file(tmp_path: Path) -> None:
    draw = SampleSettings(of=AuditTarget.VIOLATIONS, sample=10)
    first = drawn(tmp_path / "a", FORTY, draw)
    assert ids(drawn(tmp_path / "b", FORTY[::-1], draw)) == ids(first)
    assert ids(drawn(tmp_path / "a", FORTY, SampleSettings(of=AuditTarget.VIOLATIONS, sample=10, seed=1))) != ids(first)


def test_a_larger_sample_begins_with_the_smaller_one(tmp_path: Path) -> None:
    smaller = drawn(tmp_path, FORTY, SampleSettings(of=AuditTarget.VIOLATIONS, sample=7))
    larger = drawn(tmp_path, FORTY, SampleSettings(of=AuditTarget.VIOLATIONS, sample=20))
    assert ids(larger)[:7] == ids(smaller)
    assert len(set(ids(larger))) == 20


def test_each_case_is_drawn_as_often_as_any_other(tmp_path: Path) -> None:
    report = written(tmp_path, FORTY)
    seeds = 600
    times = Counter(
        case_id
        for seed in range(seeds)
        for case_id in ids(
            draw_sample(report, tmp_path, SampleSettings(of=AuditTarget.VIOLATIONS, sample=6, seed=seed))
        )
    )
    # Each of 30 is drawn by a fifth of the seeds: 120 times, with a standard deviation of sqrt(600 / 5 * 4 / 5) = 9.8.
    assert len(times) == 30
    assert all(abs(each - 120) < 4 * 9.8 for each in times.values())


def test_a_sample_of_everything_where_there_is_no_more(tmp_path: Path) -> None:
    assert len(drawn(tmp_path, FORTY, SampleSettings(of=AuditTarget.VIOLATIONS, sample=500)).cases) == 30


def test_with_so_many_of_each_relation_the_first_of_each_come_first(tmp_path: Path) -> None:
    rows = [row(number, item=item) for item, cases in (("ours.one", 20), ("ours.two[b]", 2)) for number in range(cases)]
    sample = drawn(tmp_path, rows, SampleSettings(of=AuditTarget.VIOLATIONS, per_relation=3))
    items = [each.item for each in sample.cases]
    assert Counter(items) == {"ours.one": 3, "ours.two[b]": 2}
    assert sorted(items[:2]) == sorted(items[2:4]) == ["ours.one", "ours.two[b]"]
    assert sample.population == {"ours.one": 20, "ours.two[b]": 2}


def test_presumed_cases_are_an_item_of_their_own(tmp_path: Path) -> None:
    rows = [row(1), row(2, tags=["presumed"])]
    assert drawn(tmp_path, rows, SampleSettings(of=AuditTarget.ALL)).population == {
        "ours.one": 1,
        "ours.one (presumed)": 1,
    }


@pytest.mark.parametrize(
    ("globs", "items"),
    [
        ((), ["ours.one", "theirs.two[a]"]),
        (("*",), ["ours.one", "theirs.two[a]"]),
        (("theirs.*",), ["theirs.two[a]"]),
        (("control.repeat",), ["control.repeat"]),
        (("control.*", "ours.*"), ["control.repeat", "ours.one"]),
    ],
)
def test_what_measures_noise_is_drawn_from_only_where_it_is_named(
    globs: tuple[str, ...], items: list[str], tmp_path: Path
) -> None:
    rows = [row(1), row(1, item="theirs.two[a]"), row(1, item="control.repeat")]
    sample = drawn(
        tmp_path, rows, SampleSettings(of=AuditTarget.VIOLATIONS, relations=globs), {"control.repeat": ("control",)}
    )
    assert sorted(sample.population) == items


def of_two_models() -> list[Row]:
    return [
        row(1, model="one"),
        row(2, model="one", verdict="error"),
        row(3, model="one"),
        row(1, model="two"),
        row(2, model="two"),
        row(3, model="two", verdict="holds"),
        row(3, model="two", data="pictures:7", verdict="holds"),
    ]


def test_a_case_that_several_models_were_asked_is_one_test_and_may_be_several_violations(tmp_path: Path) -> None:
    rows = of_two_models()
    tests = drawn(tmp_path, rows, SampleSettings(of=AuditTarget.ALL))
    assert sorted(ids(tests)) == sorted({str(each["case_id"]) for each in rows})
    assert {each.model for each in tests.cases} == {""}
    violations = drawn(tmp_path, rows, SampleSettings(of=AuditTarget.VIOLATIONS))
    assert sorted((each.model, each.case_id) for each in violations.cases) == sorted(
        (str(each["model"]), str(each["case_id"])) for each in rows if each["verdict"] == "violated"
    )


def test_one_model_or_one_data_source(tmp_path: Path) -> None:
    rows = of_two_models()
    one = drawn(tmp_path, rows, SampleSettings(of=AuditTarget.VIOLATIONS, model="two"))
    assert {each.model for each in one.cases} == {"two"}
    seven = drawn(tmp_path, rows, SampleSettings(of=AuditTarget.ALL, data=("pictures:7",)))
    assert [each.data for each in seven.cases] == ["pictures:7"]


@pytest.mark.parametrize(
    ("draw", "told"),
    [
        (
            SampleSettings(of=AuditTarget.VIOLATIONS, relations=("our.*",)),
            "'our.*' names none; did you mean 'ours'?",
        ),
        (SampleSettings(of=AuditTarget.VIOLATIONS, model="tinny"), "got 'tinny'; did you mean 'tiny'?"),
        (
            SampleSettings(of=AuditTarget.VIOLATIONS),
            "has none: name other relations or another report, or draw from --of all",
        ),
        (
            SampleSettings(of=AuditTarget.ALL, data=("coco:x",)),
            "has none of --data coco:x: name other relations or another report",
        ),
    ],
)
def test_nothing_to_draw_from(draw: SampleSettings, told: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r".") as error:
        drawn(tmp_path, [row(1, verdict="holds")], draw)
    assert told in str(error.value)


@pytest.mark.parametrize("line", ["[]", '{"case_id"', '{"case_id":"a"}', '{"relation":"ours.one","verdict":"fine"}'])
def test_a_broken_line_is_named(line: str, tmp_path: Path) -> None:
    report = written(tmp_path, [row(1)])
    with (tmp_path / "cases.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(DataError, match=r"cases\.jsonl:2: Expected a whole line of a report"):
        draw_sample(report, tmp_path, SampleSettings(of=AuditTarget.ALL))


def test_a_report_without_cases_is_named(tmp_path: Path) -> None:
    report: Report = written(tmp_path, [row(1)])
    (tmp_path / "cases.jsonl").unlink()
    with pytest.raises(DataError, match=r"it has no cases\.jsonl"):
        draw_sample(report, tmp_path, SampleSettings(of=AuditTarget.ALL))


@pytest.mark.parametrize(
    "draw",
    [
        SampleSettings(of=AuditTarget.ALL),
        SampleSettings(of=AuditTarget.VIOLATIONS, sample=7, seed=3, relations=("metavqa.*", "ours.one[a]")),
        SampleSettings(
            of=AuditTarget.ALL, per_relation=5, model="python:my models:load 'it'", data=("coco:a b", "photos:c=d")
        ),
    ],
)
def test_a_draw_is_read_back_from_its_words(draw: SampleSettings) -> None:
    assert parse_settings(draw.of.value, draw.words(812)) == (draw, 812)


@pytest.mark.parametrize(
    ("of", "words"),
    [
        ("some", "population=1 sample=1 seed=0"),
        ("all", "population=1 sample=many seed=0"),
        ("all", "population=1 sample=0 seed=0"),
        ("all", "population=1 sample=1"),
        ("all", "sample=1 seed=0"),
        ("all", "population=1 sample=1 seed=0 model='a"),
        ("all", ""),
    ],
)
def test_words_that_tell_of_no_draw(of: str, words: str) -> None:
    with pytest.raises(DataError, match="leave them as they were"):
        parse_settings(of, words)


@pytest.mark.parametrize("size", [0, -1])
def test_a_sample_has_one_case_or_more(size: int) -> None:
    with pytest.raises(OptionError, match="Expected --sample to be a whole number from 1 up"):
        SampleSettings(of=AuditTarget.ALL, sample=size)
    with pytest.raises(OptionError, match="Expected --per-relation to be a whole number from 1 up"):
        SampleSettings(of=AuditTarget.ALL, per_relation=size)
