"""One table of all relations: what answers get which verdict, and what a picture of nothing gives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import NotApplicable, Outcome
from pytest_vqamt.core.scene import Region, Scene
from pytest_vqamt.relations import catalogue
from tests.making import answers_of, choosers, scene_of, thing_of
from tests.relations.carets.draws import corpus_of
from tests.relations.deriving import derive, the_case
from tests.relations.inserted import corpus_of as corpus_with_cutouts
from tests.relations.inserted import kennel
from tests.relations.metavqa.test_insertion import YARD as KENNELS_YARD
from tests.relations.spatial.gardens import IN_A_ROW
from tests.relations.veglue.rooms import ROOM, said
from tests.relations.veglue.tables import FRUIT
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("small_things_are_salient")

HOLDS, VIOLATED, UNPARSED = Outcome.HOLDS, Outcome.VIOLATED, Outcome.UNPARSED
NOT_ALIKE = "all answers must be the same, but got {}"
MORE = "the second count must be one more than the first, but got {}"
LESS = "the second count must be one less than the first, but got {}"
SIX_TIMES_NO = ("no",) * 6
ENTAILED, NEUTRAL, DENIED = "entailment", "neutral", "contradiction"

# Three brown and black dogs, a cat on a bench, a car; the cut pictures of it have five pieces.
YARD = "yard"
OPEN_DOOR = scene_of("open door", exhaustive=("door",))
DESCRIBED = scene_of("black dog", "brown dog", "red car", "striped cat", "standing man")

# An item, its scene, the verdict, whether it is vacuous (None: not said) and its reason ("": not said),
# where "{}" is the answers as they stand; and answers that all get this verdict. The case is the simplest one.
VERDICTS: tuple[tuple[str, str | Scene, Outcome, bool | None, str, tuple[tuple[str, ...], ...]], ...] = (
    ("metavqa.partition[object]", YARD, HOLDS, False, "", (
        ("4", "three", "There is one cat."), ("9", "7", "2"),
    )),
    ("metavqa.partition[object]", YARD, VIOLATED, None, "expected 3 + 1 = 4, but got 3, 3, 1", (("3", "3", "1"),)),
    # Yuan et al., section 4.1.1: many and some are many again; whether many is 7 + 8 arithmetic does not say.
    ("metavqa.partition[object]", YARD, HOLDS, None, "", (("many", "many", "2"),)),
    ("metavqa.partition[object]", YARD, VIOLATED, None, "", (("9", "many", "2"),)),
    ("metavqa.partition[object]", YARD, HOLDS, True, "", (("many", "7", "8"),)),
    ("metavqa.reorder[object]", YARD, HOLDS, None, "", (("4", "four in total"),)),
    ("metavqa.reorder[object]", YARD, VIOLATED, None, "all answers must be the same, but got 4, 3", (("4", "3"),)),
    ("metavqa.cutting[count]", YARD, HOLDS, False, "", (("3", "1", "one", "There is one dog.", "none", "0"),)),
    # As in figure 1 of the paper: what is seen in the pieces is not what was seen in the whole.
    ("metavqa.cutting[count]", YARD, VIOLATED, None, "expected 1 + 1 + 2 + 0 + 0 = 4, but got 3, 1, 1, 2, 0, 0", (
        ("3", "1", "1", "2", "0", "0"),
    )),
    ("metavqa.cutting[count]", YARD, HOLDS, True, "", (("0",) * 6,)),
    # Yuan et al., Table 2: V(q, i) = V(q, i1) or V(q, i2) or ...; of "is there no" it is "and".
    ("metavqa.cutting[exists]", YARD, HOLDS, None, "", (("yes", "no", "no", "yes", "no", "no"), SIX_TIMES_NO)),
    ("metavqa.cutting[exists]", YARD, VIOLATED, None, "", (
        ("yes", *SIX_TIMES_NO[1:]), ("no", "yes", *SIX_TIMES_NO[2:]),
    )),
    ("metavqa.cutting[absent]", YARD, HOLDS, None, "", (("no", "no", "no", "no", "yes", "yes"),)),
    ("metavqa.cutting[absent]", YARD, VIOLATED, None, "", (
        ("yes", "no", "no", "no", "yes", "yes"), ("no", "yes", "yes", "yes", "yes", "yes"),
    )),
    # Yuan et al., Table 3: V(q, i) = V(q, i_insert) = V(q, i_remove), of counts as of yes and no.
    ("metavqa.insertion[count]", KENNELS_YARD, HOLDS, False, "", (("1", "There is one."),)),
    ("metavqa.insertion[exists]", KENNELS_YARD, HOLDS, False, "", (("yes", "There is one."),)),
    ("metavqa.insertion[absent]", KENNELS_YARD, HOLDS, False, "", (("no", "No."),)),
    ("metavqa.insertion[count]", KENNELS_YARD, VIOLATED, None, NOT_ALIKE, (("1", "2"),)),
    ("metavqa.insertion[exists]", KENNELS_YARD, VIOLATED, None, NOT_ALIKE, (("yes", "no"),)),
    ("metavqa.insertion[absent]", KENNELS_YARD, VIOLATED, None, NOT_ALIKE, (("no", "yes"),)),
    ("metavqa.insertion_plus", KENNELS_YARD, HOLDS, False, "", (("1", "2"), ("none", "a dog"))),
    ("metavqa.insertion_plus", KENNELS_YARD, VIOLATED, None, MORE, (("0", "0"), ("1", "1"), ("2", "1"), ("1", "3"))),
    ("metavqa.removal[count]", YARD, HOLDS, False, "", (("1", "just one"),)),
    ("metavqa.removal[exists]", YARD, HOLDS, False, "", (("yes", "There is one."),)),
    ("metavqa.removal[absent]", YARD, HOLDS, False, "", (("no", "No."),)),
    ("metavqa.removal[count]", YARD, VIOLATED, None, NOT_ALIKE, (("1", "2"),)),
    ("metavqa.removal[exists]", YARD, VIOLATED, None, NOT_ALIKE, (("yes", "no"),)),
    ("metavqa.removal[absent]", YARD, VIOLATED, None, NOT_ALIKE, (("no", "yes"),)),
    # Section 4.2.2: models that answer 0 to everything pass, which is what Removal+ is for.
    ("metavqa.removal[count]", YARD, HOLDS, True, "", (("0", "0"),)),
    ("metavqa.removal_plus", YARD, VIOLATED, None, LESS, (("0", "0"), ("2", "2"), ("2", "3"), ("3", "1"))),
    ("metavqa.removal_plus", YARD, HOLDS, False, "", (
        ("3", "2"), ("one", "none"), ("There are 2.", "a single one"),
    )),
    ("veglue.vqa_mr1", FRUIT, HOLDS, None, "", (("yes", "yes"), ("Yes, there are.", "There is a banana."))),
    ("veglue.vqa_mr1", FRUIT, VIOLATED, None, NOT_ALIKE, (("yes", "no"),)),
    ("veglue.vqa_mr2", FRUIT, HOLDS, False, "", (("yes", "no"),)),
    ("veglue.vqa_mr2", FRUIT, HOLDS, True, "", (("no", "no"),)),
    ("veglue.vqa_mr2", FRUIT, VIOLATED, None, "yes must become no, but got {}", (("yes", "yes"), ("no", "yes"))),
    ("veglue.vqa_mr3", FRUIT, HOLDS, None, "", (("yes", "Yes."),)),
    ("veglue.vqa_mr3", FRUIT, VIOLATED, None, NOT_ALIKE, (("yes", "no"),)),
    ("veglue.mr1_joint_erase", ROOM, HOLDS, False, "", (
        (ENTAILED, ENTAILED), (DENIED, "It is an entailment."),
    )),
    ("veglue.mr1_joint_erase", ROOM, VIOLATED, False, "", ((ENTAILED, DENIED), (NEUTRAL, NEUTRAL))),
    ("veglue.mr1_joint_erase", ROOM, UNPARSED, False, "", ((ENTAILED, "a dog"),)),
    ("veglue.mr2_linked_erase", ROOM, HOLDS, False, "", ((ENTAILED, DENIED),)),
    ("veglue.mr2_linked_erase", ROOM, HOLDS, True, "", ((DENIED, DENIED),)),
    ("veglue.mr2_linked_erase", ROOM, VIOLATED, False, "", ((ENTAILED, ENTAILED), (ENTAILED, NEUTRAL))),
    ("veglue.mr2_linked_erase", ROOM, UNPARSED, False, "", ((ENTAILED, "yes"),)),
    ("veglue.mr3_unlinked_erase", ROOM, HOLDS, None, "", ((ENTAILED, ENTAILED),)),
    ("veglue.mr3_unlinked_erase", ROOM, VIOLATED, None, "", ((ENTAILED, NEUTRAL), (NEUTRAL, NEUTRAL))),
    ("veglue.mr3_unlinked_erase", ROOM, UNPARSED, None, "", ((ENTAILED, "no"),)),
    ("veglue.corruption[zoom-global]", ROOM, HOLDS, None, "", ((ENTAILED, ENTAILED), (NEUTRAL, NEUTRAL))),
    ("veglue.corruption[zoom-global]", ROOM, VIOLATED, None, "", ((ENTAILED, DENIED),)),
    ("veglue.corruption[zoom-global]", ROOM, UNPARSED, None, "", ((ENTAILED, "snow"),)),
    ("text.antonym_swap", OPEN_DOOR, HOLDS, False, "", ((ENTAILED, DENIED),)),
    ("text.antonym_swap", OPEN_DOOR, HOLDS, True, "", ((DENIED, DENIED),)),
    ("text.antonym_swap", OPEN_DOOR, VIOLATED, False, "", ((ENTAILED, NEUTRAL),)),
    ("text.antonym_swap", OPEN_DOOR, UNPARSED, False, "", ((ENTAILED, "closed"),)),
    ("text.word_substitution", scene_of("couch"), HOLDS, None, "", ((ENTAILED, ENTAILED), (NEUTRAL, NEUTRAL))),
    ("text.word_substitution", scene_of("couch"), VIOLATED, None, "", ((ENTAILED, NEUTRAL),)),
    ("text.word_substitution", scene_of("couch"), UNPARSED, None, "", ((NEUTRAL, "sofa"),)),
    ("spatial.mirror[opposite]", IN_A_ROW, HOLDS, False, "", (("yes", "no"),)),
    ("spatial.mirror[opposite]", IN_A_ROW, VIOLATED, False, "", (("yes", "yes"), ("no", "no"))),
    ("spatial.mirror[opposite]", IN_A_ROW, UNPARSED, False, "", (("yes", "maybe"),)),
    ("spatial.mirror[swap]", IN_A_ROW, HOLDS, False, "", (("yes", "yes"),)),
    ("spatial.mirror[swap]", IN_A_ROW, VIOLATED, False, "", (("no", "yes"),)),
    ("spatial.inverse", IN_A_ROW, HOLDS, False, "", (("no", "no"),)),
    ("spatial.inverse", IN_A_ROW, VIOLATED, False, "", (("no", "yes"),)),
    ("spatial.antisymmetric", IN_A_ROW, HOLDS, False, "", (("yes", "no"),)),
    ("spatial.antisymmetric", IN_A_ROW, HOLDS, True, "", (("no", "no"),)),
    ("spatial.antisymmetric", IN_A_ROW, VIOLATED, False, "", (("yes", "yes"),)),
    ("spatial.transitive", IN_A_ROW, HOLDS, False, "", (("yes", "yes", "yes"),)),
    ("spatial.transitive", IN_A_ROW, HOLDS, True, "", (("yes", "no", "no"),)),
    ("spatial.transitive", IN_A_ROW, VIOLATED, False, "", (("yes", "yes", "no"),)),
    ("count.part_of_whole", DESCRIBED, HOLDS, None, "", (("2", "1"), ("2", "There are two of them."))),
    ("count.part_of_whole", DESCRIBED, VIOLATED, None, "", (("2", "3"), ("none", "1"))),
    ("count.part_of_whole", DESCRIBED, UNPARSED, None, "", (("2", "red"),)),
    ("control.repeat", YARD, HOLDS, None, "", (("4", "4"), ("a herd of llamas", "a herd of llamas"))),
    ("control.repeat", YARD, VIOLATED, None, "", (("4", "5"),)),
    ("control.reencode", YARD, HOLDS, None, "", (("4", "four"),)),
    ("control.reencode", YARD, VIOLATED, None, "", (("4", "0"),)),
)  # fmt: skip


@each_row(("item", "scene", "outcome", "vacuous", "reason", "answers"), VERDICTS)
def test_verdicts(
    yard: Scene,
    item: str,
    scene: str | Scene,
    outcome: Outcome,
    vacuous: bool | None,
    reason: str,
    answers: tuple[tuple[str, ...], ...],
) -> None:
    name, _, variant = item.rstrip("]").partition("[")
    relation = catalogue.get(name)
    made = yard if isinstance(scene, str) else scene
    corpus = corpus_with_cutouts([made, kennel((60, 30))]) if made is KENNELS_YARD else None
    case = the_case(relation, made, variant, corpus)
    for texts in answers:
        verdict = relation.judge(case, answers_of(*texts))
        assert verdict.outcome is outcome, texts
        assert vacuous in (None, verdict.vacuous), texts
        assert not reason or verdict.reason == reason.format(", ".join(texts)), texts


def crowd(scene: Scene, name: str, box: Box) -> Scene:
    return replace(scene, regions=(Region(name=name, box=box),))


def overlapping(*names: str, step: int = 20) -> Scene:
    return scene_of(*(thing_of(name, id=name, box=Box(step * at, 0, 30, 30)) for at, name in enumerate(names)))


NO_OTHER = "no other thing in the picture has a sure answer"
ALL_OVERLAP = "every thing overlaps another"
TOO_SMALL = "every countable thing overlaps another or is too small"
NOTHING_TO_ASK = "no question about a thing that can be erased has a sure answer"
NOTHING_TO_ERASE = "no thing can be erased alone"
NOTHING_TO_STATE = "no hypothesis is surely true or false after an erasure"
NO_ANTONYM = "no word of a hypothesis has a surely false antonym"
NO_SYNONYM = "no word of a hypothesis has a synonym or a class"

# An item, why there is no case, and scenes of which that is said.
REASONS: tuple[tuple[str, str, tuple[Scene, ...]], ...] = (
    ("metavqa.cutting[count]", "no gap between things to cut at", (scene_of(), overlapping("dog", "cat"))),
    ("metavqa.cutting[count]", NO_OTHER, (scene_of("water", "scissors"),)),
    ("metavqa.cutting[count]", "a thing lies outside the picture", (
        scene_of("dog", thing_of("cat", id="beyond", box=Box(300, 0, 10, 10))),
    )),
    ("metavqa.removal[count]", ALL_OVERLAP, (
        scene_of(), overlapping("dog", "cat"), crowd(scene_of("dog", "cat"), "person", Box(0, 0, 200, 100)),
    )),
    ("metavqa.removal[exists]", ALL_OVERLAP, (scene_of(),)),
    ("metavqa.removal[absent]", ALL_OVERLAP, (scene_of(),)),
    ("metavqa.removal[count]", NO_OTHER, (scene_of("dog", "dog"),)),
    ("metavqa.removal_plus", TOO_SMALL, (
        scene_of("water", "scissors"), scene_of("dog", "dogs"), overlapping("dog", "cat"),
        crowd(scene_of("dog"), "dog", Box(150, 50, 20, 20)),
    )),
    ("veglue.vqa_mr1", NOTHING_TO_ASK, (scene_of("apple"), scene_of("dog", "puppy"), scene_of("water", "scissors"))),
    ("veglue.vqa_mr2", NOTHING_TO_ASK, (scene_of("apple", "apple"), scene_of("water"))),
    ("veglue.vqa_mr3", NOTHING_TO_ASK, (scene_of("apple"),)),
    ("veglue.vqa_mr1", NOTHING_TO_ERASE, (scene_of(),)),
    ("veglue.vqa_mr2", NOTHING_TO_ERASE, (scene_of(),)),
    # One is behind the other.
    ("veglue.vqa_mr3", NOTHING_TO_ERASE, (
        scene_of(),
        scene_of(thing_of("bus", id="0", box=Box(0, 0, 80, 80)), thing_of("man", id="1", box=Box(10, 10, 60, 70))),
    )),
    # A wheel is a part of a bicycle, and a shirt a garment of who wears it.
    ("veglue.mr1_joint_erase", NOTHING_TO_STATE, (
        scene_of("apple"), scene_of("dog", "puppy"), scene_of("bear", "teddy_bear"), scene_of("bicycle", "wheel"),
        scene_of("man", "shirt"), scene_of("water", "scissors"),
    )),
    ("veglue.mr2_linked_erase", NOTHING_TO_STATE, (scene_of("apple", "apple"), scene_of("water"))),
    ("veglue.mr2_linked_erase", NOTHING_TO_ERASE, (scene_of(),)),
    ("veglue.mr3_unlinked_erase", NOTHING_TO_STATE, (scene_of("apple"),)),
    ("veglue.mr3_unlinked_erase", NOTHING_TO_ERASE, (scene_of(),)),
    ("veglue.corruption[zoom-object]", "no hypothesis is surely true", (scene_of(),)),
    ("veglue.corruption[zoom-global]", "no hypothesis is surely true", (scene_of(),)),
    ("text.antonym_swap", NO_ANTONYM, (
        scene_of("cup"), scene_of(), replace(scene_of("man"), hypotheses=(said("a cup."),)),
    )),
    ("text.word_substitution", NO_SYNONYM, (scene_of("thingamajig"), scene_of())),
    # The crowd of a made scene is at the left edge, below the middle.
    ("metaic.deeptest[shear]", "a thing would leave the picture", (scene_of("dog", crowds=("person",)),)),
    ("lang.switch[de]", "no thing in the picture has a noun in the language that means the same things", (
        scene_of("chair", "cup", exhaustive=("chair", "cup")),
    )),
)  # fmt: skip


@each_row(("item", "reason", "scenes"), REASONS)
def test_why_there_is_no_case(item: str, reason: str, scenes: tuple[Scene, ...]) -> None:
    name, _, variant = item.rstrip("]").partition("[")
    for scene in scenes:
        for choose in choosers(10):
            assert derive(catalogue.get(name), scene, choose, variant) == NotApplicable(reason=reason), scene


ITEMS = [(name, variant) for name in catalogue.BUILT_IN for variant in catalogue.get(name).info.variants]
OF_ANY_PICTURE = ("metaic.deeptest",)
"""Relations that ask for the caption of the picture, whatever it shows."""


@each_row(("name", "variant"), ITEMS)
def test_a_picture_of_nothing_gives_no_case(bare: Scene, name: str, variant: str) -> None:
    farm = corpus_of(bare, scene_of("cow", "white dog", "blue car", id="farm"))
    # CARETS asks of nothing even where the data know of things; MetaVQA counts none of two that are elsewhere.
    for corpus in (None, farm) if name.startswith("carets.") else (None,):
        for choose in choosers(20):
            found = derive(catalogue.get(name), bare, choose, variant, corpus)
            assert isinstance(found, NotApplicable) is (name not in OF_ANY_PICTURE)
