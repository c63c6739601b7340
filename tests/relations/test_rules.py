"""The rules of soundness: the page lists them, and each decides."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pytest_vqamt.core.box import Box
from pytest_vqamt.relations import catalogue, rules
from pytest_vqamt.relations.rules import Rule
from tests.making import scene_of, thing_of
from tests.relations.carets.draws import KNOWN, view_of
from tests.rows import each_row

PAGE = Path(__file__).parents[2] / "docs/explanation/soundness.md"

YARD = scene_of("open door", "red car", "blue car", "red green ball", "man", "open closed box", crowds=("flower",))
DOOR, CAR, _, BALL, _, BOX = YARD.objects
VIEW = view_of(YARD)
LARGE = thing_of("dog", box=Box(40, 40, 30, 30))


def test_the_page_has_a_section_for_each_rule_that_begins_with_its_sentence() -> None:
    part = PAGE.read_text(encoding="utf-8").partition("## The rules\n")[2].partition("\n## ")[0]
    sections = dict(re.findall(r"^### (.+)\n\n((?:.+\n)+)", part, re.MULTILINE))
    assert list(sections) == [rule.name for rule in rules.RULES]
    for rule in rules.RULES:
        assert " ".join(sections[rule.name].split()).startswith(f"{rule.sentence} "), rule.name
        assert "*For you:*" in sections[rule.name], rule.name


DECISIONS: tuple[tuple[Rule[..., object], tuple[Any, ...], object], ...] = (
    # 30 px of 200 are more than the least 24; a thing of 15 is a speck.
    (rules.SALIENT, (LARGE, YARD), True),
    (rules.SALIENT, (DOOR, YARD), False),
    (rules.DISJOINT, ("dog", "car", YARD), True),
    (rules.DISJOINT, ("mug", "cup", YARD), False),
    (rules.EXCLUSIVE, ("car", YARD), True),
    # A ball that is red and green would be counted twice.
    (rules.EXCLUSIVE, ("ball", YARD), False),
    (rules.COUNTABLE, ("car", YARD), True),
    (rules.COUNTABLE, ("flower", YARD), False),
    (rules.ABSENT, (VIEW, "giraffe"), True),
    # A car has tires, a man may wear a shirt, and a truck is taken for a car.
    (rules.ABSENT, (VIEW, "tire"), False),
    (rules.ABSENT, (VIEW, "shirt"), False),
    (rules.ABSENT, (VIEW, "truck"), False),
    (rules.FALSE, (VIEW, CAR, "blue"), True),
    # Nothing says that the car is not open.
    (rules.FALSE, (VIEW, CAR, "open"), False),
    (rules.UNIQUE, (VIEW, DOOR), True),
    (rules.UNIQUE, (VIEW, CAR), False),
    (rules.UNGRADED, (KNOWN, "red"), True),
    (rules.UNGRADED, (KNOWN, "small"), False),
    (rules.ANTONYM, (VIEW, DOOR, "open"), "closed"),
    (rules.ANTONYM, (VIEW, BOX, "open"), None),
    (rules.ANTONYM, (VIEW, CAR, "red"), None),
    (rules.ONE_SIDE, ((True, False),), True),
    (rules.ONE_SIDE, ((True, True),), False),
    (rules.UNTOUCHED, ("dog", "car", YARD), True),
    # Who erases the man may erase his shirt.
    (rules.UNTOUCHED, ("shirt", "man", YARD), False),
    (rules.BASELINE, (catalogue.get("corruption").info,), True),
    (rules.BASELINE, (catalogue.get("metavqa.partition").info,), False),
)


@each_row(("rule", "given", "decision"), DECISIONS)
def test_each_rule_decides(rule: Rule[..., object], given: tuple[Any, ...], decision: object) -> None:
    assert rule.check(*given) == decision


def test_each_rule_takes_something_and_leaves_something_out() -> None:
    assert {rule.name for rule, _, found in DECISIONS if found} == {rule.name for rule in rules.RULES}
    assert {rule.name for rule, _, found in DECISIONS if not found} == {rule.name for rule in rules.RULES}
