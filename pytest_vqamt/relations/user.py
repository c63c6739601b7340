"""A user's own relation, as a decorated function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pytest_vqamt.core.case import Case, Fact, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.errors import VqamtError, did_you_mean
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.expectations import Expectation
from pytest_vqamt.sampling.chooser import Chooser

Input: TypeAlias = tuple[Picture, Question]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a user's function gives: inputs, the source's first, and facts to be reported."""

    inputs: tuple[Input, ...]
    expected: str
    facts: tuple[tuple[str, Fact], ...] = ()


Derive: TypeAlias = Callable[[Scene, Corpus, Chooser], "Draft | NotApplicable"]


def case(
    picture: Picture,
    question: Question,
    *,
    follow_up: Input | Sequence[Input],
    expected: str = "",
    facts: tuple[tuple[str, Fact], ...] = (),
) -> Draft:
    """A case of one source input and one follow-up ``(picture, question)``, or several of them.

    ``expected`` says in words how the answers relate; without it the report takes the expectation's own words.
    """
    follow_ups = (follow_up,) if _is_input(follow_up) else tuple(follow_up)
    return Draft(inputs=((picture, question), *follow_ups), expected=expected, facts=facts)  # type: ignore[arg-type]  # _is_input tells the two forms apart, which mypy cannot follow


def _is_input(value: Input | Sequence[Input]) -> bool:
    return len(value) == 2 and isinstance(value[0], Picture)


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRelation:
    """A relation made of a function that drafts cases and an expectation."""

    info: RelationInfo
    draft: Derive
    expect: Expectation

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        draft = self.draft(scene, corpus, choose)
        if isinstance(draft, NotApplicable):
            return draft
        if not isinstance(draft, Draft):
            raise VqamtError(
                f"Expected relation {self.info.name!r} to return vqamt.case(...) or vqamt.NotApplicable(reason=...), "
                f"but got {draft!r}"
            )
        return Case(
            relation=self.info.name,
            variant=variant,
            scene=scene.id,
            queries=tuple(
                Query(picture=picture, text=question.text, meaning=question.meaning, task=self.info.task)
                for picture, question in draft.inputs
            ),
            expected=draft.expected or self.info.claim,
            facts=draft.facts,
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        verdict = self.expect(case, answers)
        if not isinstance(verdict, Verdict):
            raise VqamtError(
                f"Expected what relation {self.info.name!r} expects to give a vqamt.Verdict, but got {verdict!r}"
            )
        return verdict


def relation(
    name: str, *, expect: Expectation, task: str = "vqa", version: int = 1, tags: tuple[str, ...] = ()
) -> Callable[[Derive], UserRelation]:
    """Make a relation of a function ``(scene, corpus, choose) -> vqamt.case(...)`` and add it to the session.

    Args:
        name: a prefix and a name, "ours.mirror".
        expect: how the answers relate: ``vqamt.same_answer``, ``vqamt.opposite_answer``, ``vqamt.sum_of_parts``, or any
            function of a case and its answers that gives a Verdict.
        task: "vqa", "entailment" or "captioning".
        version: to be raised when the function changes what it asks.
        tags: "baseline" keeps it out of gates that do not name it.

    Raises:
        VqamtError: the name or the task is not one that can be used.
    """
    if name.count(".") != 1 or not all(part.replace("_", "").isalnum() for part in name.split(".")):
        raise VqamtError(f"Expected the name of a relation to look like 'ours.mirror', but got name={name!r}")
    if task not in tuple(Task):
        raise VqamtError(f"Expected a task, but got task={task!r}; {did_you_mean(task, tuple(Task))}")

    def declare(draft: Derive) -> UserRelation:
        claim = (draft.__doc__ or expect.__doc__ or name).strip().splitlines()[0]
        made = UserRelation(
            info=RelationInfo(
                name=name, task=Task(task), claim=claim, source=f"{draft.__module__}", version=version, tags=tags
            ),
            draft=draft,
            expect=expect,
        )
        catalogue.register(made)
        return made

    return declare
