"""Relations of users: ``@vqamt.relation``, and ``vqamt.case`` and ``case_of`` with which they make their cases."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Integral, Real
from typing import TypeAlias, cast

from pytest_vqamt.core.case import (
    Case,
    Fact,
    NotApplicable,
    Outcome,
    PairKind,
    RelationInfo,
    Verdict,
)
from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.errors import VqamtError, cut_to_user_code, did_you_mean, location, without_partial
from pytest_vqamt.core.meaning import Annotated, Describe, Label, groups_of
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.core.text import first_line
from pytest_vqamt.language.answers.reading import plain_meaning
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.base import bare_signature
from pytest_vqamt.relations.catalogue import check_new_name, register
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import Expectation
from pytest_vqamt.sampling.chooser import Chooser

Input: TypeAlias = "tuple[Picture, Question | str]"
"""A picture, and what is asked about it."""

FollowUp: TypeAlias = "Input | Picture | Question | str"
"""An input, or what is new in it: another picture with the same question, or another question on the same picture."""

_PARAMETERS = ("scene", "corpus", "choose")

Derive: TypeAlias = Callable[[Scene, Corpus, Chooser], "Draft | NotApplicable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a user's relation returns, made by ``case`` or ``case_of``."""

    inputs: tuple[Input, ...] = ()
    """The source input first."""
    queries: tuple[Query, ...] = ()
    """In place of ``inputs``: the source query first."""
    expected: str
    """How the answers relate, in words; "" for the claim of the relation."""
    facts: tuple[tuple[str, Fact], ...] = ()
    """Names and values by which the report can be read."""


def case(
    picture: Picture,
    question: Question | str,
    *,
    follow_up: FollowUp | Sequence[FollowUp],
    expected: str = "",
    facts: Mapping[str, Fact] | tuple[tuple[str, Fact], ...] = (),
) -> Draft:
    """A case of one source input and one follow-up or several, which a relation returns.

    Args:
        picture: the picture of the source input.
        question: a plain text, or a ``Question`` of ``vqamt.ask`` or ``vqamt.Question.free``. The text decides whether
            the answer is yes or no, or a number. Where it just names things that the data annotate ("Is there a
            dog?"), the right answer is known, so that the oracle can answer and the case can have a contrast.
        follow_up: ``(picture, question)``, just a picture with the same question, just a question about the same
            picture, or a list of these.
        expected: describes how the answers relate; by default the report shows the claim.
        facts: names and values for the report and ``cases.jsonl``.

    Raises:
        VqamtError: an argument cannot be used.
    """
    several = (follow_up,) if _is_one(follow_up) else tuple(cast("Sequence[FollowUp]", follow_up))
    inputs = ((picture, question), *(_input(each, picture, question) for each in several))
    for place, (each, text) in enumerate(cast("tuple[tuple[object, object], ...]", inputs)):
        if not isinstance(each, Picture) or not isinstance(text, Question | str):
            raise VqamtError(
                f"Expected a picture and a question in input {place + 1} of vqamt.case, but got {each!r} and {text!r}: "
                "give scene.picture or an edit of it, and a text or a vqamt.Question"
            )
    if not isinstance(expected, str):
        raise VqamtError(f"Expected a text, but got expected={expected!r}: leave it off to have the claim shown")
    return Draft(inputs=inputs, expected=expected, facts=tuple(_facts(facts)))


def case_of(
    *queries: Query, expected: str = "", facts: Mapping[str, Fact] | tuple[tuple[str, Fact], ...] = ()
) -> Draft:
    """A case of queries that are more than a picture and a text, such as those that ``vqamt.Query.of`` makes.

    Args:
        *queries: two or more, the source query first. A ``vqamt.Reply`` in one quotes the answer to another.
        expected: describes how the answers relate; by default the report shows the claim.
        facts: names and values for the report and ``cases.jsonl``.

    Raises:
        VqamtError: an argument cannot be used.
    """
    if len(queries) < 2 or not all(isinstance(each, Query) for each in queries):
        raise VqamtError(
            f"Expected two queries or more in vqamt.case_of, but got {queries!r}: make each with vqamt.Query.of"
        )
    if not isinstance(expected, str):
        raise VqamtError(f"Expected a text, but got expected={expected!r}: leave it off to have the claim shown")
    return Draft(queries=queries, expected=expected, facts=tuple(_facts(facts)))


def _facts(given: object) -> Iterator[tuple[str, Fact]]:
    pairs = given.items() if isinstance(given, Mapping) else given
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise VqamtError(f"Expected names and values in facts of vqamt.case, but got facts={given!r}")
    for pair in pairs:
        match pair:
            case (str() as name, str() | bool() as value):
                yield name, value
            # Also NumPy's numbers; NaN and infinity are no JSON.
            case (str() as name, Integral() as value):
                yield name, int(value)
            case (str() as name, Real() as value) if isfinite(value):
                yield name, float(value)
            case _:
                raise VqamtError(
                    "Expected facts of vqamt.case to be names with a text, a finite number, True or False, but got "
                    f"{pair!r} in facts={given!r}: convert the value, or leave the fact out"
                )


def _is_one(follow_up: object) -> bool:
    # A tuple of a picture and a question is one follow-up; any other sequence is a list of them.
    if isinstance(follow_up, Picture | Question | str) or not isinstance(follow_up, Sequence):
        return True
    return len(follow_up) == 2 and isinstance(follow_up[0], Picture) and isinstance(follow_up[1], Question | str)


def _input(follow_up: object, picture: Picture, question: Question | str) -> Input:
    if isinstance(follow_up, Picture):
        return follow_up, question
    if isinstance(follow_up, Question | str):
        return picture, follow_up
    if not isinstance(follow_up, Sequence) or len(follow_up) != 2:
        raise VqamtError(
            f"Expected a follow-up to be (picture, question), a picture, or a question, but got follow_up={follow_up!r}"
        )
    return follow_up[0], follow_up[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRelation:
    """A relation made of a function that drafts cases, and an expectation."""

    info: RelationInfo
    """Its name, task and the other arguments of ``relation``."""
    draft: Derive
    """The user's function, which drafts one case of a scene."""
    expect: Expectation
    """Judges the answers of a case."""

    def derive(self, draw: Draw) -> Case | NotApplicable:
        draft = self.draft(_without_conversations(draw.scene), draw.corpus, draw.choose)
        if isinstance(draft, NotApplicable) and isinstance(draft.reason, str):
            return draft
        if not isinstance(draft, Draft):
            raise VqamtError(
                f"Expected relation {self.info.name!r} ({location(self.draft)}) to return vqamt.case(...) or "
                f"vqamt.NotApplicable(reason=...), but got {draft!r}"
            )
        contrast, asked = self.info.contrast, len(draft.queries or draft.inputs)
        if not isinstance(contrast, bool) and contrast >= asked:
            raise VqamtError(
                f"Expected contrast of relation {self.info.name!r} ({location(self.draft)}) to be the number of one "
                f"of its questions, from 0, but got contrast={contrast} for a case of {asked}"
            )
        if draft.queries:
            self._check_needs(draft.queries)
            return draw.case_of(draft.queries, expected=draft.expected or self.info.claim, facts=draft.facts)
        inputs = self._asked(draft.inputs, draw.scene, draw.corpus)
        return draw.case(inputs, expected=draft.expected or self.info.claim, facts=draft.facts)

    def _check_needs(self, queries: Sequence[Query]) -> None:
        needed = frozenset[Ability]().union(*(query.abilities for query in queries))
        if lacking := needed.difference(self.info.needs):
            named = tuple(each.value for each in Ability if each in {*self.info.needs, *lacking})
            raise VqamtError(
                f"Expected relation {self.info.name!r} ({location(self.draft)}) to say what its queries need of a "
                f"model, but got needs={tuple(each.value for each in self.info.needs)!r}: give needs={named!r}"
            )

    def _asked(self, inputs: Sequence[Input], scene: Scene, corpus: Corpus) -> Iterator[tuple[Picture, Question]]:
        for picture, question in inputs:
            if isinstance(question, Question):
                yield picture, question
                continue
            try:
                yield picture, _question_of(question, self.info.task, scene, corpus)
            except VqamtError as error:
                raise VqamtError(f"{error} (in relation {self.info.name!r}, {location(self.draft)})") from None

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        try:
            verdict = self.expect(case, answers)
        except VqamtError as error:
            if cut_to_user_code(error.__traceback__) is None:  # no line of the user's is in its traceback
                raise VqamtError(f"{error} ({location(self.draft)})") from error
            raise
        if not isinstance(verdict, Verdict):
            raise VqamtError(
                f"Expected the expectation of relation {self.info.name!r} ({location(self.expect)}) to return a "
                f"vqamt.Verdict, but got {verdict!r}: put @vqamt.expectation on a function that returns True or False"
            )
        _check_verdict(verdict, f"{self.info.name!r} ({location(self.expect)})")
        return verdict


def _without_conversations(scene: Scene) -> Scene:
    """The scene without questions that end a conversation: a relation that took the text would ask it alone."""
    if not any(each.turns for each in scene.questions):
        return scene
    return replace(scene, questions=tuple(each for each in scene.questions if not each.turns))


def _check_verdict(verdict: Verdict, relation: str) -> None:
    """Checks what a report writes of a verdict: a function of the user's made it."""
    fields: dict[str, tuple[object, bool, str]] = {
        "outcome": (verdict.outcome, isinstance(verdict.outcome, Outcome), "a vqamt.Outcome"),
        "reason": (verdict.reason, isinstance(verdict.reason, str), "a text"),
        "vacuous": (verdict.vacuous, isinstance(verdict.vacuous, bool), "True or False"),
        "readings": (verdict.readings, _are_texts(verdict.readings), "a tuple of texts"),
        "unread": (verdict.unread, _are_texts(verdict.unread), "a tuple of texts"),
        "figures": (verdict.figures, _are_figures(verdict.figures), "a tuple of names with finite numbers"),
    }
    for name, (given, fits, expected) in fields.items():
        if not fits:
            raise VqamtError(
                f"Expected the expectation of relation {relation} to return a verdict whose {name} is {expected}, but "
                f"got {name}={given!r}"
            )


def _are_texts(given: object) -> bool:
    return isinstance(given, tuple) and all(isinstance(each, str) for each in given)


def _are_figures(given: object) -> bool:
    if not isinstance(given, tuple):
        return False
    return all(
        isinstance(each, tuple)
        and len(each) == 2
        and isinstance(each[0], str)
        and isinstance(each[1], Real)
        and isfinite(each[1])
        for each in given
    )


def _question_of(text: str, task: Task, scene: Scene, corpus: Corpus) -> Question:
    """Returns the question of a plain text; its truth is known if the text names only things of the data."""
    if task is Task.CAPTIONING:
        return Question(text, Describe())
    if task is Task.ENTAILMENT:
        return Question(text, Annotated(answers=(), options=tuple(label.value for label in Label)))
    meaning = plain_meaning(text)
    if meaning is None:
        return Question.free(text)
    # Words that the data never uses ("Is there a glitch?") have no known truth, though the sentence is understood.
    here = {thing.name for thing in scene.objects}
    known = all(
        (group.name in corpus.frequency or group.name in here)
        and set(group.attributes) <= {attribute for attribute, _ in corpus.attributes.get(group.name, ())}
        for group in groups_of(meaning)
    )
    return Question(text, meaning) if known else Question.free(text)


def _check_signature(name: str, draft: object) -> None:
    """Checks that a function takes a scene, a corpus and a chooser, in this order, and can return a case."""
    if not callable(draft) or isinstance(draft, type):
        raise VqamtError(f"Expected a function (scene, corpus, choose) as relation {name!r}, but got {draft!r}")
    where = location(draft)
    what = f"relation {name!r}{f' ({where})' if where else ''} to be a function (scene, corpus, choose)"
    # Called, each of these makes an object, and no error says that its body did not run.
    if inspect.isgeneratorfunction(draft) or inspect.iscoroutinefunction(draft):
        raise VqamtError(f"Expected {what} that returns one vqamt.case(...), but it yields or is async")
    try:
        signature = bare_signature(draft)
    except ValueError:  # a function that is written in C has none
        return
    try:
        given = signature.bind(*_PARAMETERS).arguments
    except TypeError:
        given = {}
    # In another order the names are those of other values, which fails far from here or never.
    in_order = all(parameter == value for parameter, value in given.items() if parameter in _PARAMETERS)
    if not given or not in_order:
        raise VqamtError(f"Expected {what}, but it takes {signature}")


def _check_metadata(version: object, contrast: object, **names: object) -> None:
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise VqamtError(f"Expected a whole number from 1 up, but got version={version!r}")
    # True and False are integers, too.
    if not isinstance(contrast, int) or contrast < 0:
        raise VqamtError(f"Expected True, False or the number of a question, from 0, but got contrast={contrast!r}")
    for argument, given in names.items():
        # A text is a sequence of its characters, and would be taken for many names.
        if not isinstance(given, tuple | list) or not all(isinstance(each, str) for each in given):
            raise VqamtError(f"Expected names in a tuple, such as ('size',), but got {argument}={given!r}")


def relation(
    name: str,
    *,
    expect: Expectation,
    task: str = "vqa",
    version: int = 1,
    tags: tuple[str, ...] = (),
    contrast: bool | int = True,
    directional: bool = False,
    pairs: str | None = None,
    breakdown: tuple[str, ...] = (),
    exact_pixels: bool = False,
    needs: tuple[str, ...] = (),
) -> Callable[[Derive], UserRelation]:
    """Makes a relation of a function ``(scene, corpus, choose) -> vqamt.case(...)`` and adds it to the session.

    Args:
        name: a prefix and a name, "ours.mirror".
        expect: how the answers relate: ``vqamt.same_answer``, ``vqamt.opposite_answer``, ``vqamt.sum_of_parts``, or any
            function of a case and its answers that returns a Verdict.
        task: "vqa", "entailment" or "captioning".
        version: raise it when the function's wording or sampling changes.
        tags: "baseline" keeps it out of gates that do not name it.
        contrast: False if its cases get no contrast, or the number of the question, from 0, that gets it. By default
            it is the first for which another picture has another right answer.
        directional: whether only a model that looks at the picture can satisfy it; then a case is its own contrast.
        pairs: "same", "opposite" or "implied" (``vqamt.PairKind``) adds the metrics of pairs, ACC, CONS and C-ACC, for
            cases of two questions whose right answers are known.
        breakdown: the names of facts of ``vqamt.case`` by which the report breaks verdicts down.
        exact_pixels: whether answers depend on exact pixels, so that servers are sent all pictures without loss.
        needs: what a model must take for the queries of ``vqamt.case_of``: "pictures", "turns", "interleaved" or
            "system". To other models the relation is not applicable.

    Raises:
        VqamtError: an argument cannot be used, or the function takes other parameters.
    """
    check_new_name(name)
    if task not in tuple(Task):
        raise VqamtError(f"Expected a task, but got task={task!r}; {did_you_mean(str(task), tuple(Task))}")
    if not callable(expect):
        raise VqamtError(f"Expected a function such as vqamt.same_answer, but got expect={expect!r}")
    _check_metadata(version, contrast, tags=tags, breakdown=breakdown, needs=needs)
    for each in needs:
        if each not in tuple(Ability):
            raise VqamtError(
                f"Expected an ability of models, but got needs={needs!r}; {did_you_mean(each, tuple(Ability))}"
            )
    if pairs is not None and pairs not in tuple(PairKind):
        raise VqamtError(
            f"Expected a kind of pairs, but got pairs={pairs!r}; {did_you_mean(str(pairs), tuple(PairKind))}"
        )

    def declare(draft: Derive) -> UserRelation:
        _check_signature(name, draft)
        claim = first_line(without_partial(draft).__doc__, without_partial(expect).__doc__, name)
        made = UserRelation(
            info=RelationInfo(
                name=name,
                task=Task(task),
                claim=claim,
                source=f"{draft.__module__}",
                version=version,
                tags=tuple(tags),
                contrast=contrast,
                directional=("",) if directional else (),
                pairs=None if pairs is None else PairKind(pairs),
                breakdown=tuple(breakdown),
                exact_pixels=exact_pixels,
                needs=tuple(Ability(each) for each in needs),
            ),
            draft=draft,
            expect=expect,
        )
        register(made)
        return made

    return declare
