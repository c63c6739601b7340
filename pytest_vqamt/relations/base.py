"""What a relation is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Answer
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.sampling.chooser import Chooser


class Relation(Protocol):
    """A rule that makes cases from scenes and says whether answers obey it. Both methods are pure."""

    @property
    def info(self) -> RelationInfo: ...

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        """One case from ``scene``, all choices made by ``choose``."""
        ...

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        """Whether ``answers``, in the order of ``case.queries``, obey."""
        ...
