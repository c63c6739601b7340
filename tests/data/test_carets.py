"""``carets:DIR``: a scene for each image of the published pairs, with the questions as they are published."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import PublishedPair, PublishedQuestion, Scene
from pytest_vqamt.data.carets import TESTS, CaretsPhotos, load
from pytest_vqamt.relations import published
from tests.data.made_carets import CHOICES, FILES, NEGATED, choice_row, row, write_carets
from tests.data.made_coco import Row, write_photos
from tests.rows import each_row

REAL = Path(__file__).parents[2] / "../shared/data/carets"

real_data = pytest.mark.skipif(not REAL.is_dir(), reason="the data of ../shared/data is not here")
an_absent_file = pytest.mark.filterwarnings("ignore:.*which is not there:UserWarning")

SIX_OF = {
    "antonym_consistency": 2,
    "ontological_consistency": 3,
    "phrasal_invariance": 9,
    "symmetry_invariance": 8,
    "negation_consistency": 4,
}
"""How many files of each test are in the sample; default.yml lists one more for the second. Each has six pairs."""


def scenes(source: CaretsPhotos) -> list[Scene]:
    return [source.scene(index) for index in range(len(source))]


def questions(source: CaretsPhotos) -> list[PublishedQuestion]:
    return [question for scene in scenes(source) for question in scene.questions]


@real_data
@an_absent_file
def test_the_published_sample_is_all_there() -> None:
    source = load(str(REAL))
    assert source.bad_records == ()
    assert source.published_pairs == 156
    assert source.description == "CARETS, 156 published question pairs about 155 images, without photos"
    tests = Counter(question.pair.test for question in questions(source) if question.pair)
    assert tests == {test: 6 * files for test, files in SIX_OF.items()}
    assert tuple(tests) == TESTS


@real_data
@an_absent_file
def test_every_record_of_the_sample_is_a_question_with_its_text_and_label() -> None:
    found = {question.id: question for question in questions(load(str(REAL)))}
    written = {
        f"{file.name}:{each['question_id']}": each
        for file in REAL.glob("*.json")
        for each in json.loads(file.read_text())
    }
    assert found.keys() == written.keys()
    assert len(found) == 312
    for name, each in written.items():
        assert found[name].text == each["sent"].strip()
        assert dict(zip(found[name].answers, found[name].scores, strict=True)) == each["label"]
        assert found[name].kind == each["question_type"]


@real_data
@an_absent_file
def test_a_pair_of_the_sample_as_a_person_reads_it() -> None:
    source = load(str(REAL))
    scene = source.scene(source.place("2386977.jpg"))
    file = "object_choice_rel_ontology_ontology_test.json"
    first, second = (question for question in scene.questions if question.id.startswith(file))
    assert (first.id, first.pair) == (f"{file}:2386977-1-5", None)
    assert first.text == "Would you call the baked good beside the large donut, a donut, or a cinnamon roll?"
    assert second.text == "Would you call the baked good beside the large food, a donut, or a cinnamon roll?"
    assert first.answers == second.answers == ("cinnamon roll",)
    assert first.options == second.options == ("donut", "cinnamon roll")
    assert second.pair == PublishedPair(original=first.id, test="ontological_consistency", demand="implied")


@real_data
def test_a_file_that_is_named_and_absent_is_one_warning() -> None:
    with pytest.warns(UserWarning, match="names") as told:
        load(str(REAL))
    assert [str(each.message).partition(" names ")[2] for each in told] == [
        "object_verification_ontology_ontology_test.json, which is not there: the pairs in it are left out"
    ]


def test_a_clone_of_the_authors_has_its_default_yml_in_configs(tmp_path: Path) -> None:
    write_carets(tmp_path, within="data/questions")
    (tmp_path / "configs").mkdir()
    (tmp_path / "default.yml").rename(tmp_path / "configs" / "default.yml")
    assert load(str(tmp_path)).published_pairs == load(str(write_carets(tmp_path / "flat"))).published_pairs


def test_an_image_may_be_named_with_its_suffix(tmp_path: Path) -> None:
    rows = {
        file: [_with_suffix(each) for each in some]
        for file, some in (("negated.json", NEGATED), ("choices.json", CHOICES))
    }
    for folder, files in (("with", rows), ("without", FILES)):
        write_photos(tmp_path / folder / "images", "7.jpg", "8.jpg")
        write_carets(tmp_path / folder, files)
    one, other = (load(str(tmp_path / folder)) for folder in ("with", "without"))
    assert one.bad_records == ()
    assert [scene.photo for scene in scenes(one)] == [scene.photo for scene in scenes(other)]


def _with_suffix(row: Row) -> Row:
    image = str(row["img_id"])
    return {**row, "img_id": f"{image}.jpg", "question_id": str(row["question_id"]).replace(image, f"{image}.jpg", 1)}


@pytest.mark.filterwarnings("error::UserWarning")
def test_who_takes_warnings_for_errors_is_told_in_one_line(tmp_path: Path) -> None:
    write_carets(tmp_path, {"negated.json": NEGATED})
    with pytest.raises(DataError, match=r"^Expected every file of .*, but .* names choices\.json, which is not there"):
        load(str(tmp_path))


def test_the_tests_are_the_variants_of_the_relation() -> None:
    assert published.PUBLISHED_TESTS == TESTS


@each_row("within", [".", "data/questions"])
def test_files_lie_where_default_yml_says_or_beside_it(tmp_path: Path, within: str) -> None:
    source = load(str(write_carets(tmp_path, within=within)))
    assert [scene.id for scene in scenes(source)] == ["8", "7"], "in the order of default.yml"
    assert [question.options for question in questions(source)] == [("red", "blue")] * 2 + [("yes", "no")] * 2
    assert [question.pair and question.pair.demand for question in questions(source)] == [
        None, "implied", None, "opposite",
    ]  # fmt: skip


def test_files_may_be_compressed(tmp_path: Path) -> None:
    write_carets(tmp_path, {"choices.json": CHOICES})
    (tmp_path / "negated.json.gz").write_bytes(gzip.compress(json.dumps(NEGATED).encode()))
    assert load(str(tmp_path)).published_pairs == 2


def test_one_id_in_two_files_is_of_two_questions(tmp_path: Path) -> None:
    files = {"choices.json": [choice_row("7-0-1"), choice_row("7-0-1-h")], "negated.json": NEGATED}
    source = load(str(write_carets(tmp_path, files)))
    assert [question.id for question in source.scene(0).questions] == [
        "choices.json:7-0-1", "choices.json:7-0-1-h", "negated.json:7-0-1", "negated.json:7-0-1-n",
    ]  # fmt: skip
    assert source.published_pairs == 2


def test_two_questions_may_be_made_from_one(tmp_path: Path) -> None:
    more = [*CHOICES, choice_row("8-2-3-hh", "What color is the object, red or blue?")]
    source = load(str(write_carets(tmp_path, {**FILES, "choices.json": more})))
    assert [question.id.partition(":")[2] for question in source.scene(0).questions] == ["8-2-3", "8-2-3-h", "8-2-3-hh"]
    assert source.published_pairs == 3


def test_the_order_of_records_and_spaces_in_texts_do_not_matter(tmp_path: Path) -> None:
    rows = [row("7-0-1-n", " Is there\nno  dog?", "no"), *CHOICES, row("7-0-1")]
    source = load(str(write_carets(tmp_path, {**FILES, "negated.json": [rows[0], rows[-1]]})))
    assert [question.text for question in source.scene(1).questions] == ["Is there a dog?", "Is there no dog?"]


def test_an_answer_with_a_score_is_one_of_the_options(tmp_path: Path) -> None:
    label = {"red": 0.3, "dark red": 0.9}
    rows = [choice_row("8-2-3", label=label), choice_row("8-2-3-h", label=label)]
    question = load(str(write_carets(tmp_path, {**FILES, "choices.json": rows}))).scene(0).questions[0]
    assert (question.answers, question.scores) == (("red", "dark red"), (0.3, 0.9))
    assert question.options == ("red", "blue", "dark red")


@each_row("folder", ["data/images", "images"])
def test_photos_are_found_by_the_ids_of_the_images(tmp_path: Path, folder: str) -> None:
    write_photos(tmp_path / folder, "7.jpg", "8.jpg", size=(64, 48))
    source = load(str(write_carets(tmp_path)))
    scene = source.scene(1)
    assert (scene.id, scene.photo.id, scene.width, scene.height) == ("7", "7.jpg", 64, 48)
    assert source.photo(scene.photo).size == (64, 48)
    assert source.place("7.jpg") == 1
    assert source.description == "CARETS, 2 published question pairs about 2 images"


def test_without_photos_the_questions_are_known_and_the_pixels_are_not(tmp_path: Path) -> None:
    source = load(str(write_carets(tmp_path)))
    scene = source.scene(0)
    assert (scene.width, scene.height, scene.objects) == (0, 0, ())
    with pytest.raises(DataError, match=r"'8\.jpg', but carets:.* without photos: put them into .*data/images"):
        source.photo(scene.photo)
    with pytest.raises(DataError, match=r"thing_id='1' of \S+\.jpg: it has none"):
        source.mask(scene.photo, "1")


def test_a_photo_that_is_missing_among_others_is_a_bad_record(tmp_path: Path) -> None:
    write_photos(tmp_path / "images", "8.jpg", size=(64, 48))
    source = load(str(write_carets(tmp_path)))
    assert [scene.id for scene in scenes(source)] == ["8"]
    [told] = source.bad_records
    assert told.startswith("negated.json: image 7: Expected its photo in ")
    assert told.endswith(", but there is no '7.jpg': add it")
    assert source.published_pairs == 1


def test_the_corpus_has_every_scene_and_no_thing(tmp_path: Path) -> None:
    corpus = load(str(write_carets(tmp_path))).corpus
    assert (corpus.scenes, corpus.names, corpus.simplest_first) == (2, (), (0, 1))
    assert corpus.scene(0).id == "8"


def test_the_digest_changes_with_a_label(tmp_path: Path) -> None:
    plain = load(str(write_carets(tmp_path / "plain")))
    other = [row("7-0-1", answer="no"), row("7-0-1-n", "Is there no dog?", "yes")]
    assert load(str(write_carets(tmp_path / "same"))).digest == plain.digest
    assert load(str(write_carets(tmp_path / "other", {**FILES, "negated.json": other}))).digest != plain.digest
