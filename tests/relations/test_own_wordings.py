"""Questions in wordings of a user."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_vqamt import Answer, Declined, ModelInput, run
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.meaning import Absent, Both, Count, Exists, Group, Has, Located, Meaning, Side
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.reference import oracle
from pytest_vqamt.relations.own_wordings import read_wordings
from tests.rows import each_row

TEXT = """
[[exists]]
text = "is there {a} ?"
many = "any {nouns} ?"
negated = "is there no {noun} ?"
many_negated = "no {nouns} ?"
[[count]]
text = "how many {nouns} ?"
[[count]]
text = "number of {nouns} ?"
[[both]]
text = "is there {all} ?"
negated = "not both {all} ?"
[[has]]
text = "is {the} {attribute} ?"
[[located]]
text = "is {the} {side} {other} ?"
"""
CUP = Group(name="cup", attributes=("red",))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    written = tmp_path / "wordings.toml"
    written.write_text(TEXT)
    return written


@each_row(
    ("meaning", "wording", "text"),
    [
        (Exists(group=CUP), 0, "is there a red cup ?"),
        (Absent(group=CUP), 3, "is there no red cup ?"),
        (Exists(group=Group(name="scissors")), 0, "any scissors ?"),
        (Absent(group=Group(name="scissors")), 0, "no scissors ?"),
        (Count(groups=(CUP, Group(name="dog"))), 0, "how many red cups and dogs ?"),
        (Count(groups=(CUP,)), 1, "number of red cups ?"),
        (Both(groups=(CUP, Group(name="dog"))), 0, "is there a red cup and a dog ?"),
        (Has(group=Group(name="cup"), attribute="red"), 0, "is the cup red ?"),
        (Located(group=CUP, side=Side.LEFT, other=Group(name="dog")), 0, "is the red cup left of the dog ?"),
    ],
)
def test_templates_are_filled(tmp_path: Path, meaning: Meaning, wording: int, text: str) -> None:
    written = tmp_path / "wordings.toml"
    written.write_text(TEXT)
    assert read_wordings(written).text(meaning, wording) == text


class OfTemplates:
    """Parses the templates of the file, and declines all else."""

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer | Declined]:
        answers = oracle.load("", ModelOptions()).answer(batch)
        known = re.compile(r"(?:is there|is the|not both|any|no|how many|number of) [a-z ]+ \?")
        return [each if known.fullmatch(item.text) else Declined() for item, each in zip(batch, answers, strict=True)]


def test_a_model_of_fixed_templates_runs_all_relations_that_have_them(file: Path) -> None:
    names = ("metavqa.partition[object]", "metavqa.reversion", "carets.negation")
    settings = {"wordings": str(file)}
    report = run(model=OfTemplates(), data="pictures:20", relations=names, max_cases=8, settings=settings, shrink=0)

    tallies = {each.item: each.tally for each in report.relations}
    assert sum(each.violated + each.unparsed + each.errors for each in tallies.values()) == 0
    assert all(each.judged and not each.declined for each in tallies.values()), tallies


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[exist]]\ntext = "{a}"', "unknown kind"),
        ('[[count]]\ntext = "how many {noun} ?"', "with fillings of {nouns}"),
        ('[[count]]\ntext = "how many ?"', "with fillings of {nouns}"),
        ('[[exists]]\ntext = "is there {a} ?"', "expected the texts text, many, negated, many_negated, but got text"),
        ('[count]\ntext = "{nouns}"', "expected tables"),
        ('[[count]]\ntext = "{nouns"', "number 1: expected text = '{nouns' to be a template: "),
        ('[[count]]\ntext = "how many {nouns:d} ?"', "with fillings of {nouns}, but got"),
        ('[[count]]\ntext = "how many {nouns!z} ?"', "with fillings of {nouns}, but got"),
        ('[[count]]\ntext = "how many {nouns:{nouns}} ?"', "with fillings of {nouns}, but got"),
        ("[[count]]\ntext = 3", "expected text to be a text, but got 3"),
        ('[[has]]\ntext = "is {the} nice ?"', "expected text with the fillings {attribute} and {the}, but got"),
        ("count = []", "expected a table such as [[count]], but got none"),
        ("", "expected a table such as [[count]], but got none"),
        (
            '[[both]]\ntext = "{all} ?"\nnegated = "{all} ?"',
            "number 1: expected negated to ask the opposite of text, but got '{all} ?' as both",
        ),
        ("[[count", "a TOML file of wordings"),
    ],
)
def test_a_wrong_file_is_one_line(tmp_path: Path, text: str, told: str) -> None:
    written = tmp_path / "wordings.toml"
    written.write_text(text)
    with pytest.raises(OptionError, match=re.escape(told)) as error:
        read_wordings(written)
    assert "\n" not in str(error.value)
