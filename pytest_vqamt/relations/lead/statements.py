"""Draws a question, and a statement before it that contradicts the picture."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.meaning import Exists, Has
from pytest_vqamt.language.questions.leading import STATEMENTS, Speaker, claim, neutral_claim, statement
from pytest_vqamt.language.questions.templates import TEMPLATES, QuestionType
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.base import Relation, case_of
from pytest_vqamt.relations.carets.argument_sampling import sample_argument
from pytest_vqamt.sampling.chooser import Chooser

_TYPES = (QuestionType.OBJECT, QuestionType.ATTRIBUTE)
_NAMES_THE_PICTURE = re.compile(r"\b(?:picture|image|photo)\b")


@cache
def templates_about_the_picture(type_: QuestionType, *, related: bool) -> tuple[int, ...]:
    """Returns the templates that ask what the picture shows, in so many words."""
    wordings = TEMPLATES[type_].applicable(related=related)
    return tuple(number for number, text in enumerate(wordings) if _NAMES_THE_PICTURE.search(text))


def led_case(relation: Relation, speaker: Speaker, view: AskableScene, choose: Chooser) -> Case | NotApplicable:
    """Returns the case of a question after a neutral statement, and after one that contradicts the picture."""
    argument = sample_argument(_TYPES, view, choose)
    if isinstance(argument, NotApplicable):
        return argument
    meaning = argument.asking.meaning
    assert isinstance(meaning, Exists | Has)
    template = choose.one(templates_about_the_picture(argument.asking.type, related=argument.is_related))
    wording = choose.between(0, STATEMENTS - 1)
    question = argument.worded(template)
    contradicting = claim(meaning, holds=argument.truth == "no")
    statements = (statement(speaker, each, wording) for each in (neutral_claim(len(contradicting)), contradicting))
    picture = view.scene.picture
    return case_of(
        relation,
        "",
        view.scene,
        ((picture, replace(question, text=f"{said} {question.text}")) for said in statements),
        expected="first = second",
        facts=(("statement", wording), *argument.facts(template=template, other_template=template)),
    )
