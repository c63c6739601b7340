"""The relation ``text.word_substitution``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.labels import same_label
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, DrawsOnWords
from pytest_vqamt.relations.text.near_words import with_a_near_word
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class WordSubstitution(DrawsOnWords):
    """With a near word for one of its words, an entailed hypothesis has the same label.

    The baseline CAT of Chang et al., VEglue, section 4.5 (Sun et al., ICSE 2022). The hypothesis is one of the data
    set's own that its picture entails, where there are any with units linked to boxes; else it is written from the
    scene (``veglue.writing``).

    **Deviations:** hypotheses that are entailed alone. CAT takes words that a language model thinks likely in the
    place, antonyms now and then among them (a fifth of its tests are wrong, Table 2). Here it is a synonym
    (``language.synonyms``), or the word for a class that every thing of the name is of, by WordNet and the ontology
    ("animal" for "dog"), which is entailed as well; not where something is said of it that depends on its class, since
    a small elephant is no small animal.
    """

    info: ClassVar[RelationInfo] = RelationInfo(
        name="text.word_substitution",
        task=Task.ENTAILMENT,
        claim="With a near word for one of its words, an entailed hypothesis has the same label.",
        source="Chang et al., VEglue, section 4.5; Sun et al., CAT, ICSE 2022",
        tags=("baseline",),
        breakdown=("kind", "shape", "units"),
        settings=(WORDNET, ONTOLOGY),
    )

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        change = with_a_near_word(scene, corpus, self.known, choose)
        if change is None:
            return NotApplicable(reason="no word of a hypothesis that has a synonym or a class")
        return change.case(self, variant, scene, expected="first = second")

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return same_label(case, answers)
