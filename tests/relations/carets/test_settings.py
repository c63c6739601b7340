"""``wordnet=`` and ``ontology=``: what they name, and what that changes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.meaning import Has
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.carets.antonym import Antonym
from pytest_vqamt.relations.carets.rephrase import Rephrase
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, load_knowledge
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.making import scene_of
from tests.relations.carets.draws import cases

DEBIAN = Path("/usr/share/wordnet")
IN_WORDS = [name for name in catalogue.TABLE if name.startswith("carets.") and name != "carets.published"]


def drawn(source: SceneSource, relation: Relation, draws: int = 25) -> list[str]:
    """The ids of what is drawn of each variant."""
    choose, found = RandomChooser(Random(3)), []
    for variant in relation.info.variants * draws:
        scene = source.scene(choose.between(0, len(source) - 1))
        case = relation.derive(scene, source.corpus, choose, variant)
        found.append(case.id if isinstance(case, Case) else case.reason)
    return found


@pytest.mark.parametrize("name", IN_WORDS)
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
