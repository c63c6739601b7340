"""What is wrong with published CARETS files is told in one line that names the file and the record."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data import catalogue
from pytest_vqamt.data.carets import load
from tests.data.made_carets import CHOICES, FILES, NEGATED, SUITE, choice_row, row, write_carets
from tests.rows import each_row

FIRST, SECOND = NEGATED


@each_row(
    "rows, told",
    [
        (["no record"], "negated.json: [0]: Expected a JSON object, but got record='no record'"),
        ([{**FIRST, "img_id": ""}, SECOND], "negated.json: question 7-0-1: img_id: Expected a text that is not blank"),
        ([{**FIRST, "img_id": "9"}, SECOND], "negated.json: question 7-0-1: question_id: Expected 9-I-TEMPLATE or 9-"),
        ([{**FIRST, "sent": " "}, SECOND], "negated.json: question 7-0-1: sent: Expected a text that is not blank"),
        ([{**FIRST, "question_type": 3}, SECOND], "negated.json: question 7-0-1: question_type: Expected a text"),
        (
            [{**FIRST, "label": "yes"}, SECOND],
            "negated.json: question 7-0-1: label: Expected a JSON object, but got lab",
        ),
        ([{**FIRST, "label": {}}, SECOND], "negated.json: question 7-0-1: label: Expected scores from 0 up of one"),
        ([{**FIRST, "label": {"yes": 0}}, SECOND], "negated.json: question 7-0-1: label: Expected scores from 0 up"),
        ([{**FIRST, "label": {"yes": "1"}}, SECOND], "negated.json: question 7-0-1: label.yes: Expected a number"),
        ([{**FIRST, "label": {" ": 1}}, SECOND], "negated.json: question 7-0-1: label: Expected answers that are not"),
        ([{**FIRST, "label": {"red": 1}}, SECOND], "negated.json: question 7-0-1: assignment.category-options1: Expec"),
        ([FIRST], "negated.json: question 7-0-1: Expected its perturbed partner 7-0-1-SUFFIX too, but there is none"),
        ([SECOND], "negated.json: question 7-0-1-n: Expected its original 7-0-1 too, but there is none: add it"),
        ([FIRST, FIRST, SECOND], "negated.json: question 7-0-1: question_id: Expected an id of its own"),
        ([FIRST, SECOND, SECOND], "negated.json: question 7-0-1-n: question_id: Expected an id of its own"),
        (
            [FIRST, row("7-0-1-n", answer="yes")],
            "negated.json: question 7-0-1-n: label: Expected one yes and one no as the right answers of the pair, as "
            "negation_consistency demands, but got 'yes' and then 'yes': leave the pair out",
        ),
    ],
)
def test_a_broken_record_is_named_once_and_the_rest_stays(tmp_path: Path, rows: list[object], told: str) -> None:
    source = load(str(write_carets(tmp_path, {**FILES, "negated.json": rows})))
    [bad] = source.bad_records
    assert bad[: len(told)] == told
    assert [source.scene(index).id for index in range(len(source))] == ["8"], "the partner of what is broken goes, too"


def test_the_partner_of_a_question_without_an_id_is_named_too(tmp_path: Path) -> None:
    source = load(str(write_carets(tmp_path, {**FILES, "negated.json": [{**FIRST, "question_id": None}, SECOND]})))
    assert [bad.partition(": Expected")[0] for bad in source.bad_records] == [
        "negated.json: [0]: question_id",
        "negated.json: question 7-0-1-n",
    ]


@each_row(
    "second, told",
    [
        (
            choice_row("8-2-3-h", label={"blue": 1}),
            "label: Expected the same right answer as that of its original, as ",
        ),
        (choice_row("8-2-3-h", assignment={}), "assignment.category-options1: Expected two choices or more"),
        (choice_row("8-2-3-h", assignment=None), "assignment: Expected a JSON object, but got assignment=None"),
        (
            choice_row("8-2-3-h", assignment={"category-options1": ["red"]}),
            "assignment.category-options1: Expected two",
        ),
        (
            choice_row("8-2-3-h", assignment={"category-options1": ["red", 1]}),
            "assignment.category-options1[1]: Expect",
        ),
    ],
)
def test_broken_choices_are_named(tmp_path: Path, second: object, told: str) -> None:
    source = load(str(write_carets(tmp_path, {**FILES, "choices.json": [CHOICES[0], second]})))
    [bad] = source.bad_records
    assert bad.startswith(f"choices.json: question 8-2-3-h: {told}")
    assert source.published_pairs == 1


def test_a_session_refuses_them_unless_they_are_allowed(tmp_path: Path) -> None:
    spec = f"carets:{write_carets(tmp_path, {**FILES, 'negated.json': [FIRST]})}"
    with pytest.raises(DataError, match=r"but 1 is bad, beside 1 good scene; the first: negated\.json: question 7-0-1"):
        catalogue.load(spec)
    assert len(catalogue.load(spec, allow_bad_records=True)) == 1


def test_files_without_a_pair_that_can_be_used_are_refused(tmp_path: Path) -> None:
    write_carets(tmp_path, {"choices.json": [], "negated.json": [FIRST]})
    with pytest.raises(
        DataError, match=r"a question pair of carets:.* but there is none: negated\.json: question 7-0-1"
    ):
        load(str(tmp_path))


@each_row("argument", ["", "nowhere"])
def test_a_folder_that_is_not_there_is_refused(argument: str) -> None:
    with pytest.raises(OptionError, match=rf"^Expected --vqamt-data=carets:DIR, but got '{argument}'"):
        load(argument)


def test_a_folder_without_default_yml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Expected default\.yml of the CARETS authors in .*, but there is none"):
        load(str(tmp_path))


@each_row(
    "suite, told",
    [
        ("tests: [", r"default\.yml' to be YAML, but it breaks off at line 1, column 9"),
        ("tests: {a: !!python/object:os.system {}}", r"to be YAML, but it breaks off at line 1, column 12"),
        ("", r"default\.yml: Expected a JSON object, but got record=None"),
        ("- tests", r"default\.yml: Expected a JSON object, but got record=\['tests'\]"),
        ("files_root: .", r"default\.yml: tests: Expected a JSON object, but got no 'tests'"),
        (SUITE.replace("negation_", "negatoin_"), r"field='negatoin_consistency'; did you mean 'negation_consistency'"),
        (
            SUITE.replace("ontological_inv", "inv_"),
            r"eval_type: Expected one of invariance, directional_expectation, on",
        ),
        (SUITE.replace("- choices.json", "- 3"), r"tests\.ontological_consistency\.files\[0\]: Expected a text"),
        (
            SUITE.replace("choices.json", "negated.json"),
            r"files\[0\]: Expected a file that is named once, .*ontological",
        ),
        (SUITE.replace(".json", ".jsn"), r"names, in .*data/questions' or in .*, but there is none \(the first: choic"),
        ("\ud800".encode("utf-16", "surrogatepass").decode("latin-1"), r"to be YAML, but it breaks off"),
    ],
)
def test_a_broken_default_yml_is_told_of_in_one_line(tmp_path: Path, suite: str, told: str) -> None:
    write_carets(tmp_path, suite=suite)
    with pytest.raises(DataError, match=told) as raised:
        load(str(tmp_path))
    assert "\n" not in str(raised.value)


@each_row(
    "text, told",
    [
        (
            '{"questions": []}',
            r"negated\.json' to be a list of questions, but got \{'questions': \[\]\}: fetch it again",
        ),
        ('[{"img_id": ', r"negated\.json': Expected JSON, but it breaks off"),
        ("", r"negated\.json': Expected JSON, but it is empty"),
    ],
)
def test_a_file_that_is_no_list_is_refused(tmp_path: Path, text: str, told: str) -> None:
    write_carets(tmp_path)
    (tmp_path / "negated.json").write_text(text)
    with pytest.raises(DataError, match=told):
        load(str(tmp_path))
