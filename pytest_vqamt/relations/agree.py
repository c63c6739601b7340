"""The relation ``agree.form``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import inf

from pytest_vqamt.core.case import Case, NotApplicable, Outcome, RelationInfo, Verdict
from pytest_vqamt.core.meaning import Group, WhichThere, groups_of
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.language.answers.answer_text import UnreadableAnswer, prepare
from pytest_vqamt.language.answers.counts import Quantifier
from pytest_vqamt.language.captions.caption_reader import class_of
from pytest_vqamt.language.captions.verdicts import least_claimed
from pytest_vqamt.language.english.nouns import indefinite, is_countable, plural
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations import groups
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import format_reading, read_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.metaic import caption_query
from pytest_vqamt.relations.presence import TOO_FEW
from pytest_vqamt.relations.rules import SALIENT
from pytest_vqamt.relations.soundness import countable_names

_PRESENT = 0.7
"""The share of captions with a thing that is there, as of questions in MetaVQA; of the others most hold vacuously."""


@dataclass(frozen=True, slots=True)
class Form(LexicalRelation):
    """Asked for one fact in two forms, a model does not contradict itself.

    The consistency of ConBench (Zhang et al., NeurIPS 2024, arXiv 2405.14156, sections 2 and 3), which asks for one
    fact by yes or no, by a choice, and by a caption; here without its ground truth, and with counts for its limited
    answers. Each answer is a claim about the number of things of one name, and the two claims must leave a number that
    fits both:

    - a count says its number, and a quantifier ("many") one or more; a bound ("at most 3") says nothing;
    - yes says one or more, and no says none;
    - of two things one of which is there, the one that is chosen is there, and the other is not;
    - a caption says that there are at least as many as it names ("a dog", "two puppies"), and what it does not name,
      it does not deny. Only sure words count (``least_claimed``); without any the case holds vacuously.

    **Deviations**, so that no perfect perceiver violates it: names are there, salient and not to be taken for anything
    else in the picture, or surely absent. A choice is between one of each, and presumed where the absence is;
    so is a caption where the name is absent. A count and a yes or no need no truth and are never presumed.
    """

    info = RelationInfo(
        name="agree.form",
        task=Task.VQA,
        source="Zhang et al., NeurIPS 2024 (ConBench, arXiv 2405.14156)",
        version=2,
        variants=("count_exists", "choice_exists", "caption_exists", "caption_count"),
        captioned=("caption_exists", "caption_count"),
        breakdown=("present",),
        settings=(WORDNET, ONTOLOGY),
    )

    def derive(self, draw: Draw) -> Case | NotApplicable:
        match draw.variant:
            case "count_exists":
                return _count_exists(draw)
            case "choice_exists":
                return _choice_exists(draw)
        return _caption(draw)

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        name = groups_of(case.queries[1].meaning)[0].name
        claims = [_claim(query, answer, name) for query, answer in zip(case.queries, answers, strict=True)]
        readings = tuple(claim.reading for claim in claims)
        for claim in claims:
            if claim.unread:
                return Verdict(outcome=Outcome.UNPARSED, reason=claim.unread, readings=readings)
        least, most = max(claim.least for claim in claims), min(claim.most for claim in claims)
        if least > most:
            reason = f"the answers must not contradict each other about {plural(name)}, but got {', '.join(readings)}"
            return Verdict(outcome=Outcome.VIOLATED, reason=reason, readings=readings)
        return Verdict(outcome=Outcome.HOLDS, vacuous=any(claim.says_nothing for claim in claims), readings=readings)


def _count_exists(draw: Draw) -> Case | NotApplicable:
    single = groups.sample_single(draw.view, draw.choose, "object")
    if isinstance(single, NotApplicable):
        return single
    counted = simple.count(single.group, draw.wording(simple.COUNT_WORDINGS))
    return _case(draw, counted, _exists(single.group, draw), present=single.present)


def _choice_exists(draw: Draw) -> Case | NotApplicable:
    view = draw.view
    there = [name for name in view.nouns if _is_there(name, view) and view.absent(name)]
    if not there:
        return TOO_FEW
    present = draw.choose.one(there)
    absent = draw.choose.one([name for name, _ in view.absent(present)])
    options = [Group(name=name) for name in draw.choose.several((present, absent), 2)]
    chosen = simple.which_there(options, draw.wording(simple.WHICH_THERE_WORDINGS))
    asked = draw.choose.one(options)
    return _case(draw, chosen, _exists(asked, draw), present=asked.name == present, presumed=view.is_presumed(absent))


def _caption(draw: Draw) -> Case | NotApplicable:
    view, counts = draw.view, draw.variant == "caption_count"
    names = countable_names(view.scene) if counts else view.nouns
    there = [name for name in names if _is_read(name) and name in view.nouns and _is_there(name, view)]
    if not there:
        return NotApplicable(reason="nothing is surely there that captions can be read for")
    name, present = draw.choose.one(there), draw.choose.chance(_PRESENT)
    if not present:
        absent = [each for each, _ in view.absent(name) if _is_read(each) and (not counts or is_countable(each))]
        if not absent:
            return NotApplicable(reason="nothing is surely absent that captions can be read for")
        name = draw.choose.one(absent)
    group = Group(name=name)
    asked = simple.count(group, draw.wording(simple.COUNT_WORDINGS)) if counts else _exists(group, draw)
    return _case(draw, asked, present=present, presumed=not present and view.is_presumed(name))


def _case(draw: Draw, *asked: Question, present: bool, presumed: bool = False) -> Case:
    """Returns the case of the questions; they follow a caption in the variants that ask for one."""
    captions = (caption_query(draw.picture),) if draw.variant in Form.info.captioned else ()
    return draw.case_of(
        (*captions, *(Query(picture=draw.picture, text=each.text, meaning=each.meaning) for each in asked)),
        expected="first and second do not contradict each other",
        facts=(("present", present),),
        presumed=presumed,
    )


def _exists(group: Group, draw: Draw) -> Question:
    return simple.exists(group, draw.wording(simple.EXISTS_WORDINGS))


def _is_there(name: str, view: AskableScene) -> bool:
    """True if a thing of this name is seen for certain, and nothing else could go by the name."""
    return view.is_unambiguous(name) and any(SALIENT.check(thing, view.scene) for thing in view.things_named(name))


@cache
def _is_read(name: str) -> bool:
    """True if the number of things of this name can be read from a caption."""
    return (
        class_of(name) is not None
        and least_claimed(indefinite(name), name) == 1
        and (not is_countable(name) or least_claimed(f"three {plural(name)}", name) == 3)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claim:
    """The number of things of a name that an answer leaves possible."""

    reading: str
    """The answer as reports have it ("yes", "at least 2")."""
    least: int = 0
    """The smallest number."""
    most: float = inf
    """The largest number; infinite where the answer sets no bound."""
    unread: str = ""
    """Why the answer has no reading; "" if it has one."""

    @property
    def says_nothing(self) -> bool:
        return self.least == 0 and self.most == inf


def _claim(query: Query, answer: Answer, name: str) -> _Claim:
    if query.task is Task.CAPTIONING:
        return _claim_of_caption(answer, name)
    found = read_answer(query, answer)
    reading = format_reading(found)
    if isinstance(found, UnreadableAnswer):
        return _Claim(reading=reading, unread=found.reason.value)
    # "Many" is one or more here: a yes beside it is no contradiction. A bound ("at most 3") may be 0.
    if isinstance(found, Quantifier):
        bounded = any(character.isdigit() for character in found.word)
        return _Claim(reading=reading, least=0 if bounded else 1)
    # "The dog" of dog and kite: to the question about the kite that is a no.
    if isinstance(query.meaning, WhichThere):
        found = found == name
    if isinstance(found, bool):
        return _Claim(reading=reading, least=1) if found else _Claim(reading=reading, most=0)
    assert isinstance(found, int), "a count is read as a number or a quantifier"
    return _Claim(reading=reading, least=found, most=found)


def _claim_of_caption(answer: Answer, name: str) -> _Claim:
    prepared = prepare(answer.text)
    if prepared.unreadable:
        return _Claim(reading="unparsed", unread=prepared.unreadable.reason.value)
    least = least_claimed(prepared.said, name)
    return _Claim(reading=f"at least {least}" if least else "no claim", least=least)
