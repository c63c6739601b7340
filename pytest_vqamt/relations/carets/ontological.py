"""The relation ``carets.ontological``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, PairKind, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.base import case_of
from pytest_vqamt.relations.carets import arguments
from pytest_vqamt.relations.carets.arguments import Argument, existence_argument, one_template
from pytest_vqamt.relations.expectations import no_implies_no, yes_implies_yes
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.soundness import object_names
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class Ontological(LexicalRelation):
    """Where there is a dog there is an animal; where there is no animal there is no dog.

    Jimenez et al., ACL 2022, section 4.2 (b). ``hypernym``: a name in the scene becomes the word for its class.
    ``hyponym``: a class of which there is nothing becomes one of its kinds. Only these directions are implied. The
    published pairs also have choices whose related object becomes its class ("the cup near the dog", "the cup near the
    animal"); ``carets.published`` asks those. Of a scene they are hardly ever sure: the class must have no other thing.

    **Deviations:**

    - The class is a word that people use ("animal", "fruit"), curated, with what WordNet has below its synsets.
    - No class is said to be absent where some name in the scene could be of it in any of its senses.
    - Attributes that depend on the class ("small") are left out (rule: no gradable words).
    - Only what is implied is expected: "no couch" and then "furniture: yes" is no contradiction. The paper demands the
      same answer, and its published pairs are judged so.
    - ``hyponym`` is presumed where the source does not annotate the class exhaustively. ``hypernym`` rests on no
      absence.
    """

    info = RelationInfo(
        name="carets.ontological",
        task=Task.VQA,
        source="Jimenez et al., ACL 2022, section 4.2 (b)",
        variants=("hypernym", "hyponym"),
        version=4,
        breakdown=(),
        settings=(WORDNET, ONTOLOGY),
        pairs=PairKind.IMPLIED,
    )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return (yes_implies_yes if case.variant == "hypernym" else no_implies_no)(case, answers)

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known, gradable=False)
        drawn = (sample_hypernym if variant == "hypernym" else sample_hyponym)(view, choose)
        if isinstance(drawn, NotApplicable):
            return drawn
        argument, other = drawn
        template = one_template(argument, choose)
        return case_of(
            self,
            variant,
            scene,
            ((scene.picture, each.worded(template)) for each in (argument, other)),
            expected="a yes stays a yes" if variant == "hypernym" else "a no stays a no",
            facts=argument.facts(template=template, other_template=template),
            presumed=other.rests_on_absence,
        )


_WITH_ATTRIBUTE = 0.5


def sample_hypernym(view: AskableScene, choose: Chooser) -> tuple[Argument, Argument] | NotApplicable:
    """Draws "is there a dog", which is true, and "is there an animal", with the same attribute or none."""
    found = [
        (name, each.word)
        for name in view.names
        for each in view.classes_of(name)
        if each.word not in (name, singular(name))
    ]
    if not found:
        return NotApplicable(reason="no more general word is known for a thing in the picture")
    by = [arguments.class_and_name_weight(word, name, view.corpus, view.known) for name, word in found]
    name, word = choose.weighted(found, by)
    words = list(dict.fromkeys(each for thing in view.things_named(name) for each in view.askable_attributes(thing)))
    attributes = (choose.one(words),) if words and choose.chance(_WITH_ATTRIBUTE) else ()
    kind = Group(name=name, attributes=attributes)
    return existence_argument(kind, subject=word, truth="yes"), existence_argument(
        view.known.class_group(word, object_names(view.scene), attributes), subject=word, truth="yes"
    )


def sample_hyponym(view: AskableScene, choose: Chooser) -> tuple[Argument, Argument] | NotApplicable:
    """Draws "is there an animal", which is false, and "is there a dog", with the same attribute or none."""
    if not view.scene.objects:
        return NotApplicable(reason="no thing in the scene")
    companion = choose.one(view.scene.objects).name
    found = [
        (name, word)
        for name, _ in view.corpus.cooccurring.get(companion, ())
        if name not in view.annotated_names
        for word in view.classes_absent(name)
    ]
    sure = [each for each in found if not view.is_presumed(each[1])]
    found = sure or found
    if not found:
        return NotApplicable(reason="nothing that could be there is of a more general kind that is surely absent")
    by = [arguments.class_and_name_weight(word, name, view.corpus, view.known) for name, word in found]
    name, word = choose.weighted(found, by)
    words = view.askable_attributes_of(name)
    attributes = (choose.one(words),) if words and choose.chance(_WITH_ATTRIBUTE) else ()
    unsure = view.is_presumed(word)
    return (
        existence_argument(Group(name=word, attributes=attributes), subject=word, truth="no", unsure=unsure),
        existence_argument(Group(name=name, attributes=attributes), subject=word, truth="no", unsure=unsure),
    )
