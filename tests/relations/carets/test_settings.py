"""``wordnet=`` and ``ontology=``: what they name, and what that changes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.meaning import Has
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.coco import COCO_CLASSES, annotated_exhaustively
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.carets import Antonym, Rephrase
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, load_knowledge
from pytest_vqamt.relations.soundness import object_names
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.making import scene_of
from tests.relations.carets.draws import KNOWN, cases
from tests.relations.deriving import derive
from tests.rows import each_row

DEBIAN = Path("/usr/share/wordnet")
IN_WORDS = [name for name in catalogue.TABLE if name.startswith("carets.") and name != "carets.published"]


def drawn(source: SceneSource, relation: Relation, draws: int = 25) -> list[str]:
    """The ids of what is drawn of each variant."""
    choose, found = RandomChooser(Random(3)), []
    for variant in relation.info.variants * draws:
        scene = source.scene(choose.between(0, len(source) - 1))
        case = derive(relation, scene, choose, variant, source.corpus)
        found.append(case.id if isinstance(case, Case) else case.reason)
    return found


@each_row("name", IN_WORDS)
def test_each_relation_in_words_takes_both(name: str) -> None:
    assert catalogue.get(name).info.settings == (WORDNET, ONTOLOGY)


@pytest.mark.skipif(not (DEBIAN / "data.noun").is_file(), reason="WordNet is not installed")
@pytest.mark.parametrize("name", IN_WORDS)
def test_all_of_wordnet_gives_the_same_cases_of_the_picture_world(name: str) -> None:
    pictures = load("pictures")
    ours, whole = catalogue.get(name), catalogue.get(name, {"wordnet": str(DEBIAN)})
    assert ours != whole
    assert drawn(pictures, ours) == drawn(pictures, whole)


@pytest.mark.parametrize(("setting", "what"), [("wordnet", "no such folder"), ("ontology", "could not be read")])
@pytest.mark.parametrize("name", IN_WORDS)
def test_a_path_to_nothing_is_told_in_one_line_before_anything_is_drawn(
    name: str, setting: str, what: str, tmp_path: Path
) -> None:
    path = str(tmp_path / "nowhere")
    with pytest.raises(OptionError, match=what) as told:
        catalogue.get(name, {setting: path})
    assert "\n" not in str(told.value)
    assert f"{setting}={path!r}" in str(told.value)


def pairs(relation: Relation, scene: Scene) -> set[tuple[str, ...]]:
    return {
        tuple(query.meaning.attribute for query in case.queries if isinstance(query.meaning, Has))
        for case in cases(relation, scene, scene_of("closed door", "gloss box", id="shop"))
    }


class TestAUsersOntology:
    HERE = scene_of("open clean door", "dog")

    @staticmethod
    def written(folder: Path, text: str) -> Antonym:
        path = folder / "own.toml"
        path.write_text(text, encoding="utf-8")
        return Antonym(ontology=str(path))

    def test_can_forbid_an_antonym(self, tmp_path: Path) -> None:
        ours = {("open", "closed"), ("closed", "open"), ("clean", "dirty"), ("dirty", "clean")}
        assert pairs(Antonym(), self.HERE) == ours
        own = self.written(
            tmp_path, '[category.openness]\nwords = ["open", "closed"]\noverlaps = [["open", "closed"]]\n'
        )
        assert pairs(own, self.HERE) == {("clean", "dirty"), ("dirty", "clean")}

    def test_can_remove_a_word(self, tmp_path: Path) -> None:
        own = self.written(tmp_path, '[remove]\nwords = ["open"]\n')
        assert pairs(own, self.HERE) == {("clean", "dirty"), ("dirty", "clean")}

    def test_can_add_an_antonym(self, tmp_path: Path) -> None:
        scene = scene_of("matte box")
        assert pairs(Antonym(), scene) == set()
        own = self.written(tmp_path, '[category.finish]\nwords = ["matte", "gloss"]\nantonyms = [["matte", "gloss"]]\n')
        assert pairs(own, scene) == {("matte", "gloss"), ("gloss", "matte")}

    def test_that_is_wrong_is_told_in_one_line(self, tmp_path: Path) -> None:
        own = self.written(tmp_path, "[category.finish]\nword = 1\n")
        with pytest.raises(OptionError, match=r"own\.toml.*\[category\.finish\]") as told:
            cases(own, self.HERE)
        assert "\n" not in str(told.value)

    def test_is_not_mixed_up_with_ours(self, tmp_path: Path) -> None:
        """Answers are kept by what they rest on."""
        own = self.written(
            tmp_path, '[category.openness]\nwords = ["open", "closed"]\noverlaps = [["open", "closed"]]\n'
        )
        for _ in range(2):
            assert ("open", "closed") in pairs(Antonym(), self.HERE)
            assert ("open", "closed") not in pairs(own, self.HERE)


def test_what_the_settings_name_is_opened_once() -> None:
    assert load_knowledge("bundled", "bundled") is load_knowledge("bundled", "bundled")
    assert Rephrase().known is Rephrase(wordnet="bundled").known


# What WordNet and the ontology say of pairs of names (rules: disjoint groups, sure absence, the only one).

NOTHING: frozenset[str] = frozenset()


@each_row(
    ("a", "b"),
    [
        ("dog", "puppy"), ("dog", "animal"), ("boy", "child"), ("mug", "cup"), ("truck", "van"), ("man", "skier"),
        ("teddy bear", "bear"), ("man", "person"), ("couch", "sofa"), ("bike", "bicycle"), ("dog", "hot dog"),
    ],
)  # fmt: skip
def test_names_that_one_thing_may_go_by_are_not_apart(a: str, b: str) -> None:
    """Rule 1: WordNet alone is not enough, boy and child are unrelated there."""
    scene = scene_of()
    assert not KNOWN.is_apart(a, b, scene)
    assert not KNOWN.is_apart(b, a, scene)


@pytest.mark.parametrize(("a", "b"), [("dog", "car"), ("man", "lamp"), ("pizza", "bed"), ("dog", "tree")])
def test_names_of_two_families_are_apart(a: str, b: str) -> None:
    assert KNOWN.is_apart(a, b, scene_of())
    assert KNOWN.is_apart(b, a, scene_of())


def test_a_class_list_that_has_both_tells_them_apart() -> None:
    assert KNOWN.is_apart("train", "truck", scene_of(exhaustive=("train", "truck")))
    assert not KNOWN.is_apart("train", "truck", scene_of(exhaustive=("train",)))
    assert not KNOWN.is_apart("dog", "puppy", scene_of(exhaustive=("dog", "puppy")))


@each_row(
    ("name", "here"),
    [
        ("tire", "car"), ("wheel", "bicycle"), ("keyboard", "laptop"), ("person", "shirt"), ("shirt", "man"),
        ("dog", "puppy"), ("animal", "teddy bear"), ("person", "mannequin"), ("horse", "horse statue"),
        ("dog", "stuffed animal"), ("car", "zzz"), ("dog", "dog"),
    ],
)  # fmt: skip
def test_nothing_is_absent_beside_what_it_comes_with_or_may_be(name: str, here: str) -> None:
    """Rule 4."""
    assert not KNOWN.is_absent(name, frozenset({here}), NOTHING)


@pytest.mark.parametrize(("name", "here"), [("dog", "car"), ("pizza", "bed"), ("cow", "lamp"), ("lamp", "dog")])
def test_what_is_unlike_all_that_is_there_can_be_absent(name: str, here: str) -> None:
    assert KNOWN.is_absent(name, frozenset({here}), NOTHING)
    assert not KNOWN.is_absent(name, frozenset({here, name}), NOTHING)


@each_row(
    ("name", "word", "never"),
    [
        ("car", "animal", True),
        ("cow", "animal", False),
        ("teddy bear", "animal", False),  # to some
        ("horn", "animal", False),  # an animal's, perhaps
        ("zzz", "animal", False),
        ("man", "clothing", False),  # he comes with it
        ("lamp", "furniture", False),
        ("dog", "furniture", True),
        ("tomato", "fruit", False),
    ],
)
def test_a_name_is_never_of_a_class_only_where_nobody_would_say_so(name: str, word: str, never: bool) -> None:
    assert KNOWN.is_never(name, word) is never


def test_a_class_covers_the_names_of_the_scene_that_are_of_it() -> None:
    scene: Scene = scene_of("dog", "teddy_bear", "cat", "car", "dog", "animal")
    group = KNOWN.class_group("animal", object_names(scene), ("black",))
    assert (group.name, group.covers, group.attributes) == ("animal", ("animal", "dog", "cat"), ("black",))


def test_classes_come_nearest_first() -> None:
    assert [each.word for each in KNOWN.classes_of("apple")] == ["fruit", "food"]
    assert KNOWN.classes_of("tire") == ()


def test_a_keyboard_is_never_absent_beside_a_laptop() -> None:
    """COCO marks keyboards where they stand alone, and every laptop shows one."""
    listed = annotated_exhaustively(COCO_CLASSES)
    assert not KNOWN.is_absent("keyboard", frozenset({"laptop"}), listed)
    assert KNOWN.is_absent("keyboard", frozenset({"dog"}), listed)
    assert KNOWN.is_absent("mouse", frozenset({"laptop"}), listed)


def test_a_name_is_that_of_a_physical_thing_to_be_seen() -> None:
    assert [KNOWN.is_named(name) for name in ("dog", "teddy bear", "zzz", "reflection")] == [True, True, False, False]
