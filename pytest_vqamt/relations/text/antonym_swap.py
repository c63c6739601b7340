"""The relation ``text.antonym_swap``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Label
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.labels import label_becomes
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, DrawsOnWords
from pytest_vqamt.relations.text.antonyms import with_antonym
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class AntonymSwap(DrawsOnWords):
    """With an antonym for one of its words, an entailed hypothesis is contradicted.

    The baseline TextFlint of Chang et al., VEglue, section 4.5 (Wang et al., ACL 2021): mostly words for the sexes. The
    hypothesis is one of the data set's own that its picture entails, where there are any with units linked to boxes;
    else it is written from the scene (``veglue.writing``).

    **Deviations:** antonyms are curated (``language.ontology``, ``language.opposite_words``), not all that WordNet has.
    That of a name is taken only where nothing in the scene could go by it, nor anything else that the hypothesis names;
    that of an attribute only where each bearer of the name surely lacks it. Pronouns go with the name. Where something
    of the name may be there without being annotated, the case is presumed.
    """

    info: ClassVar[RelationInfo] = RelationInfo(
        name="text.antonym_swap",
        task=Task.ENTAILMENT,
        claim="With an antonym for one of its words, an entailed hypothesis is contradicted.",
        source="Chang et al., VEglue, section 4.5; Wang et al., TextFlint, ACL 2021",
        tags=("baseline",),
        breakdown=("kind", "shape", "units"),
        settings=(WORDNET, ONTOLOGY),
    )

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        change = with_antonym(scene, corpus, self.known, choose)
        if change is None:
            return NotApplicable(reason="no word of a hypothesis whose antonym is surely false")
        return change.case(self, variant, scene, expected="second is contradiction")

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return label_becomes(case, answers, Label.CONTRADICTION)
