"""``vqamt describe`` says what a relation claims, and shows cases with their right answers."""

from __future__ import annotations

import re

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.relations import catalogue


def described(capsys: pytest.CaptureFixture[str], *typed: str) -> str:
    assert main(["describe", *typed]) == 0
    return capsys.readouterr().out


def test_what_the_relation_says_of_itself(capsys: pytest.CaptureFixture[str]) -> None:
    printed = described(capsys, "metavqa.partition", "--cases=0")
    assert printed.startswith("metavqa.partition\nThe count of two groups together equals the sum of their counts.\n")
    told = dict(re.findall(r"^(\w+) {2,}(.*)$", printed, re.MULTILINE))
    assert told["source"] == "Yuan et al., CVPR 2021, section 4.1.1"
    assert told["task"] == "vqa"
    assert told["variants"] == "metavqa.partition[object], metavqa.partition[property]"
    assert told["version"] == str(catalogue.get("metavqa.partition").info.version)
    assert told["tags"] == "none"
    assert told["reports"].endswith("; each by present_groups")


def test_deviations_are_told_where_the_docstring_points_to_them_too(capsys: pytest.CaptureFixture[str]) -> None:
    printed = described(capsys, "metavqa.partition", "--cases=0")
    assert "Deviation: groups and properties as in groups." in printed
    assert "Two names to be added up come from different top families" in printed
    assert "``" not in printed


def test_a_control_is_said_to_be_never_gated(capsys: pytest.CaptureFixture[str]) -> None:
    assert "tags      control (never gated)" in described(capsys, "control.repeat", "--cases=0")


def test_the_examples_have_right_answers_that_obey(capsys: pytest.CaptureFixture[str]) -> None:
    printed = described(capsys, "metavqa.partition[object]", "--data=pictures:10", "--cases=3")
    assert printed.count("metavqa.partition[object] on pictures:10, with the right answers") == 1
    cases = re.findall(r"case [0-9a-f]{16}, scene pictures-0-\d\n((?: {4}.*\n)+)", printed)
    assert len(cases) == 3
    for case in cases:
        total, first, second = (int(number) for number in re.findall(r"\?\s+->  (\d+)$", case, re.MULTILINE))
        assert total == first + second
        assert case.splitlines()[-1] == "    expected: first = second + third"


def test_examples_are_of_each_variant_that_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    both = described(capsys, "metavqa.reorder", "--data=pictures:10", "--cases=1")
    assert re.findall(r"^(\S+) on pictures:10", both, re.MULTILINE) == [
        "metavqa.reorder[object]",
        "metavqa.reorder[property]",
    ]
    one = described(capsys, "metavqa.reorder[property]", "--data=pictures:10", "--cases=1")
    assert re.findall(r"^(\S+) on pictures:10", one, re.MULTILINE) == ["metavqa.reorder[property]"]


def test_another_seed_gives_other_examples(capsys: pytest.CaptureFixture[str]) -> None:
    def ids(seed: int) -> list[str]:
        printed = described(capsys, "metavqa.reversion[object]", "--data=pictures:10", "--cases=3", f"--seed={seed}")
        return re.findall(r"case ([0-9a-f]{16})", printed)

    assert ids(1) != ids(2)
    assert ids(1) == ids(1)


def test_an_edited_picture_and_a_repeated_question_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    printed = described(capsys, "control.*", "--data=pictures:5", "--cases=1")
    assert re.search(r"\? \[asked again\]\s+->", printed)
    assert re.search(r"\? \[reencode\]\s+->", printed)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["metavqa.reorder[objects]"], "did you mean 'metavqa.reorder[object]'"),
        (["metavqa.reorder", "--data=picture"], "did you mean 'pictures'"),
        (["metavqa.reorder", "--cases=-1"], "--cases=-1"),
    ],
)
def test_a_wrong_argument_is_told_in_one_line(capsys: pytest.CaptureFixture[str], typed: list[str], told: str) -> None:
    assert main(["describe", *typed]) == 2
    assert told in capsys.readouterr().err
