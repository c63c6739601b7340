"""``snli-ve:DIR``: a scene for each photo that hypotheses are about, from each form in which they are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.meaning import Entails, Group, Label, Unit, truth
from pytest_vqamt.core.scene import LabelName, LinkedUnit, PublishedHypothesis, Scene, Thing
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.snli_ve.hypothesis_rows import HypothesisRow, UnitRow
from pytest_vqamt.data.snli_ve.scenes import Linking, linking, load
from tests.data.made_coco import write_photos
from tests.data.made_snli_ve import (
    DOG,
    MAN,
    graph_row,
    official_row,
    table_row,
    thing,
    unit,
    units_row,
    write_lines,
    write_official,
    write_table,
    write_units,
)
from tests.rows import each_row

REAL = Path(__file__).parents[2] / "../shared/data/snli_ve"

real_data = pytest.mark.skipif(not REAL.is_dir(), reason="the data of ../shared/data is not here")


def scenes(source: AnnotatedPhotos) -> list[Scene]:
    return [source.scene(index) for index in range(len(source))]


def only(source: AnnotatedPhotos) -> PublishedHypothesis:
    """The one hypothesis of a source of one."""
    [scene] = scenes(source)
    [hypothesis] = scene.hypotheses
    return hypothesis


def things(scene: Scene) -> dict[str, Box]:
    return {thing.name: thing.box for thing in scene.objects}


# The official files.


def test_the_official_files_give_hypotheses_by_photo(tmp_path: Path) -> None:
    rows = [
        official_row("8.jpg#0r1n", "A dog sleeps.", gold_label="neutral", sentence1="A dog lies there."),
        official_row("7.jpg#0r1e"),
        official_row("8.jpg#1r1c", "A cat.", gold_label="contradiction", sentence1="A dog lies there."),
    ]
    source = load(str(write_official(tmp_path, *rows)))
    assert [(scene.id, scene.photo.id) for scene in scenes(source)] == [("8", "8.jpg"), ("7", "7.jpg")]
    first, second = source.scene(0).hypotheses
    assert (first.id, first.text, first.label) == ("8.jpg#0r1n", "A dog sleeps.", "neutral")
    assert (second.id, second.text, second.label) == ("8.jpg#1r1c", "A cat.", "contradiction")
    assert source.scene(0).captions == ("A dog lies there.",)
    assert source.bad_records == ()
    assert source.description == (
        "3 hypotheses, 0 entailed with boxes, about 2 photos, no photos, each taken to end where its boxes do"
    )


def test_what_annotators_did_not_agree_on_is_left_out_quietly(tmp_path: Path) -> None:
    source = load(str(write_official(tmp_path, official_row(), official_row("7.jpg#1r1e", gold_label="-"))))
    assert only(source).id == "7.jpg#0r1e"
    assert source.bad_records == ()


def test_units_that_no_file_gives_are_read_off_the_sentence(tmp_path: Path) -> None:
    rows = [official_row(), official_row("7.jpg#0r1c", "A woman sits.", gold_label="contradiction")]
    first, second = load(str(write_official(tmp_path, *rows))).scene(0).hypotheses
    assert first.units == (LinkedUnit(object="man", property="plays with a dog"), LinkedUnit(object="dog"))
    assert second.units == (LinkedUnit(object="woman", property="sits"),)


@each_row("field", ["Flickr30K_ID", "Flikr30kID", None])
def test_the_photo_is_named_as_in_each_release(tmp_path: Path, field: str | None) -> None:
    row = official_row()
    photo = row.pop("Flickr30K_ID")
    source = load(str(write_official(tmp_path, row | ({field: photo} if field else {}))))
    assert source.scene(0).photo.id == "7.jpg"


@each_row("there, taken", [(("train", "dev", "test"), "test"), (("train", "dev"), "dev"), (("train",), "train")])
def test_of_several_splits_the_test_split_is_taken(tmp_path: Path, there: tuple[str, ...], taken: str) -> None:
    for split in there:
        write_official(tmp_path, official_row(text=f"It is {split}."), split=split)
    assert only(load(str(tmp_path))).text == f"It is {taken}."


def test_a_file_that_is_named_is_taken(tmp_path: Path) -> None:
    for split in ("dev", "test"):
        write_official(tmp_path, official_row(text=f"It is {split}."), split=split)
    source = load(str(tmp_path / "snli_ve_dev.jsonl"))
    assert (only(source).text, source.spec) == ("It is dev.", f"snli-ve:{tmp_path / 'snli_ve_dev.jsonl'}")


def test_a_byte_order_mark_windows_line_ends_and_blank_lines(tmp_path: Path) -> None:
    lines = [json.dumps(official_row()), "", json.dumps(official_row("8.jpg#0r1e"))]
    (tmp_path / "snli_ve_test.jsonl").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    source = load(str(tmp_path))
    assert [scene.hypotheses[0].text for scene in scenes(source)] == ["A man plays with a dog."] * 2
    assert source.bad_records == ()


# The authors' table.


def test_the_table_gives_units_with_boxes(tmp_path: Path) -> None:
    source = load(str(write_table(tmp_path)))
    scene = source.scene(0)
    assert things(scene) == {"man": Box(10, 10, 30, 60), "dog": Box(50, 40, 20, 20)}
    man, dog = scene.objects
    assert (man.attributes, dog.attributes) == (("plays with a dog",), ())
    assert only(source) == PublishedHypothesis(
        id="7.jpg#0r1e",
        text="a man plays with a dog.",
        label="entailment",
        units=(
            LinkedUnit(object="man", property="plays with a dog", thing=man.id),
            LinkedUnit(object="dog", thing=dog.id),
        ),
    )
    assert scene.exhaustive == frozenset()
    assert source.description.startswith("1 hypothesis, 1 entailed with boxes, about 1 photo")


def test_a_table_is_known_by_its_fields_whatever_it_is_called(tmp_path: Path) -> None:
    write_lines(tmp_path / "answers.jsonl", [{"id": "x", "answer": "yes"}])
    write_lines(tmp_path / "torn.jsonl", ["{"])
    write_table(tmp_path, name="b.jsonl")
    write_table(tmp_path, table_row("8.jpg#0r1e"), name="a.jsonl")
    assert [scene.id for scene in scenes(load(str(tmp_path)))] == ["8", "7"], "tables by name"
    assert [scene.id for scene in scenes(load(str(tmp_path / "b.jsonl")))] == ["7"]


def test_a_unit_of_the_table_without_box_or_without_object(tmp_path: Path) -> None:
    row = table_row(subject=";man;;dog", modifier=";stands;happily;", bbox=";;1,1,2,2;50,40,70,60")
    scene = load(str(write_table(tmp_path, row))).scene(0)
    assert list(things(scene)) == ["dog"]
    assert [(each.object, bool(each.thing)) for each in scene.hypotheses[0].units] == [("man", False), ("dog", True)]


def test_the_table_says_the_units_of_official_hypotheses_and_no_more(tmp_path: Path) -> None:
    write_official(tmp_path, official_row(text="A man plays with a dog!"))
    write_table(tmp_path, table_row(label="neutral"), table_row("9.jpg#0r1e"))
    source = load(str(tmp_path))
    hypothesis = only(source)
    assert (hypothesis.text, hypothesis.label) == ("A man plays with a dog!", "entailment")
    assert all(each.thing for each in hypothesis.units)
    assert source.bad_records == ()


def test_a_sentence_of_the_table_in_other_words_is_that_of_its_units(tmp_path: Path) -> None:
    write_official(tmp_path, official_row(text="A man plays wth a dog."))
    write_table(tmp_path)
    assert only(load(str(tmp_path))).text == "a man plays with a dog."


@real_data
def test_the_published_sample_is_all_there() -> None:
    source = load(str(REAL))
    assert source.bad_records == ()
    assert source.description == (
        "200 hypotheses, 200 entailed with boxes, about 188 photos, no photos, each taken to end where its boxes do"
    )
    file = REAL / "hypotheses_with_units.jsonl"
    written = {row["uniq_id"]: row for row in map(json.loads, file.read_text(encoding="utf-8").splitlines())}
    found = {each.id: each for scene in scenes(source) for each in scene.hypotheses}
    assert found.keys() == written.keys()
    for name, row in written.items():
        assert (found[name].text, found[name].label) == (row["sentence"], "entailment")
        assert "".join(f";{each.object}" for each in found[name].units) == row["subject"]
        assert "".join(f";{each.property}" for each in found[name].units) == row["modifier"]


@real_data
def test_a_photo_of_the_sample_as_a_person_reads_it() -> None:
    """Of "the man is inbetween the boy and the wall." and "a child is outside." the child is the boy, by its box."""
    source = load(str(REAL))
    scene = source.scene(source.place("1015118661.jpg"))
    man, boy, wall = scene.objects
    assert [each.name for each in scene.objects] == ["man", "boy", "wall"]
    assert [each.attributes for each in scene.objects] == [
        ("is inbetween the boy and the wall",), ("is outside",), (),
    ]  # fmt: skip
    assert man.box == Box.from_corners(170.170166015625, 0.0, 336.3363342285156, 262.76275634765625)
    # From 173.67 and 58.18, where both begin, to 281.78 and 375, the end of the taller one.
    assert (boy.box.x, boy.box.y) == pytest.approx((173.6736602783203, 58.18318176269531))
    assert (boy.box.x1, boy.box.y1) == pytest.approx((281.78173828125, 375.0))
    between, outside = scene.hypotheses
    assert [each.thing for each in between.units] == [man.id, boy.id, wall.id]
    assert outside.units == (LinkedUnit(object="child", property="is outside", thing=boy.id),)
    assert (scene.width, scene.height) == (337, 375)


@real_data
def test_no_thing_of_the_sample_is_several_things() -> None:
    source = load(str(REAL))
    linked = {each.object: each.thing for scene in scenes(source) for it in scene.hypotheses for each in it.units}
    plural = ("people", "two men", "three professional cooks", "group of friends", "three woman", "2 females", "boats")
    pronouns = ("somebody", "she", "him", "someone", "another", "something")
    assert not any(linked.get(noun) for noun in (*plural, *pronouns))
    assert all(linked[noun] for noun in ("one of the men", "martial arts instructor", "lioness", "air compressor"))


# Files of units.


def test_a_file_of_units_is_enough(tmp_path: Path) -> None:
    source = load(str(write_units(tmp_path)))
    assert things(source.scene(0)) == {"man": Box(10, 10, 30, 60), "dog": Box(50, 40, 20, 20)}
    assert only(source).units[0].property == "plays with a dog"
    assert only(load(str(tmp_path / "units.jsonl"))).id == "7.jpg#0r1e"


def test_a_file_of_units_wins(tmp_path: Path) -> None:
    write_official(tmp_path, official_row(), official_row("7.jpg#1r1e", "A park."))
    write_table(tmp_path)
    write_units(tmp_path, units_row("7.jpg#0r1e", unit("dog", "plays", [1, 2, 3, 4]), text="A dog plays."))
    scene = load(str(tmp_path)).scene(0)
    assert [each.text for each in scene.hypotheses] == ["A dog plays.", "A park."]
    assert things(scene) == {"dog": Box(1, 2, 3, 4)}
    assert scene.captions == ("A man in a park plays with his dog.",)


def test_a_person_may_correct_the_label(tmp_path: Path) -> None:
    write_official(tmp_path)
    source = load(str(write_units(tmp_path, units_row(label="contradiction"))))
    assert only(source).label == "contradiction"
    assert source.scene(0).objects == ()
    assert [each.thing for each in only(source).units] == ["", ""]


def test_units_of_a_sentence_wherever_it_stands(tmp_path: Path) -> None:
    write_official(tmp_path, official_row(), official_row("8.jpg#0r1n", gold_label="neutral"))
    units = [{"object": "somebody", "property": "plays"}]
    write_units(tmp_path, {"hypothesis": "a man plays  with a dog", "units": units})
    found = [scene.hypotheses[0].units for scene in scenes(load(str(tmp_path)))]
    assert found == [(LinkedUnit(object="somebody", property="plays"),)] * 2


def test_a_hypothesis_of_no_units(tmp_path: Path) -> None:
    assert only(load(str(write_units(tmp_path, units_row(units=[]))))).units == ()


def test_articles_before_an_object_are_left_out(tmp_path: Path) -> None:
    row = units_row("7.jpg#0r1e", unit("A man", "sits", MAN), unit("the  dog", None, DOG), unit("an"))  # type: ignore[arg-type]  # null is what is tested
    assert [each.object for each in only(load(str(write_units(tmp_path, row)))).units] == ["man", "dog", "an"]


# Photos.


@each_row("folder", ["flickr30k-images", "flickr30k_images", "images", ""])
def test_photos_are_found_in_the_folders_that_people_have(tmp_path: Path, folder: str) -> None:
    write_photos(tmp_path / folder, "7.jpg")
    source = load(str(write_units(tmp_path)))
    scene = source.scene(0)
    assert (scene.width, scene.height) == (100, 80)
    assert source.photo(scene.photo).size == (100, 80)
    assert source.description == "1 hypothesis, 1 entailed with boxes, about 1 photo"
    assert source.place("7.jpg") == 0


def test_pictures_of_other_things_are_no_photos(tmp_path: Path) -> None:
    write_photos(tmp_path, "plot.png")
    write_photos(tmp_path / "images", "8.jpg")
    source = load(str(write_units(tmp_path)))
    assert source.bad_records == ()
    assert source.photos is None


def test_the_folder_of_photos_may_be_a_link(tmp_path: Path) -> None:
    write_photos(tmp_path / "elsewhere", "7.jpg")
    folder = tmp_path / "data"
    write_units(folder)
    (folder / "flickr30k-images").symlink_to(tmp_path / "elsewhere")
    assert load(str(folder)).photo(load(str(folder)).scene(0).photo).size == (100, 80)


def test_photos_of_other_kinds_are_named_in_full(tmp_path: Path) -> None:
    write_photos(tmp_path / "images", "shop.png")
    source = load(str(write_units(tmp_path, units_row("q1", photo="shop.png"))))
    assert (source.scene(0).id, source.scene(0).photo.id, source.scene(0).width) == ("shop.png", "shop.png", 100)


def test_a_box_is_cut_to_the_photo(tmp_path: Path) -> None:
    write_photos(tmp_path / "images", "7.jpg")
    row = table_row(bbox=";-5,-5,40,90;50,40,100.5,80.2")
    assert things(load(str(write_table(tmp_path, row))).scene(0)) == {
        "man": Box(0, 0, 40, 80),
        "dog": Box(50, 40, 50, 40),
    }


def test_a_photo_is_turned_as_its_exif_says(tmp_path: Path) -> None:
    from PIL import Image

    exif = Image.Exif()
    exif[0x0112] = 6
    (tmp_path / "images").mkdir()
    Image.new("RGB", (80, 100)).save(tmp_path / "images" / "7.jpg", exif=exif)
    scene = load(str(write_units(tmp_path))).scene(0)
    assert (scene.width, scene.height) == (100, 80)


def test_without_photos_a_photo_ends_where_its_boxes_do(tmp_path: Path) -> None:
    source = load(str(write_table(tmp_path, table_row(bbox=";10,10,40.2,70;50,40,70,60"))))
    scene = source.scene(0)
    assert (scene.width, scene.height) == (70, 70)
    with pytest.raises(DataError, match=r"'7\.jpg', but snli-ve:.* without photos: put them into .*flickr30k-images"):
        source.photo(scene.photo)
    with pytest.raises(DataError, match=r"thing_id='x' of 7\.jpg: it has none"):
        source.mask(scene.photo, "x")


def test_without_photos_and_boxes_no_size_is_known(tmp_path: Path) -> None:
    scene = load(str(write_official(tmp_path))).scene(0)
    assert (scene.width, scene.height, scene.objects) == (0, 0, ())


# The whole.


def test_the_corpus_knows_the_things(tmp_path: Path) -> None:
    write_official(tmp_path, official_row(), official_row("8.jpg#0r1e"))
    corpus = load(str(write_table(tmp_path))).corpus
    assert (corpus.scenes, corpus.names, corpus.simplest_first) == (2, ("dog", "man"), (1, 0))
    assert corpus.scene(0).hypotheses
    assert corpus.mean_colour is None


def test_the_digest_changes_with_a_line_of_any_file(tmp_path: Path) -> None:
    def digest() -> str:
        return load(str(tmp_path)).digest

    write_official(tmp_path)
    seen = [digest()]
    assert digest() == seen[0]
    write_table(tmp_path)
    seen.append(digest())
    write_units(tmp_path)
    seen.append(digest())
    write_units(tmp_path, units_row(label="neutral"))
    seen.append(digest())
    write_photos(tmp_path / "images", "7.jpg")
    assert len({*seen, digest()}) == 5


def test_what_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"snli-ve:DIR or snli-ve:FILE\.jsonl, but got 'snli-ve:': name the folder"):
        load("")
    with pytest.raises(DataError, match="there is no such path"):
        load(str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="there is no such path"):
        load("x" * 5000)
    with pytest.raises(
        DataError, match=r"Expected snli_ve_test\.jsonl, .*units\.jsonl or a table.*, but there is none"
    ):
        load(str(tmp_path))
    other = write_lines(tmp_path / "other.jsonl", [{"hypothesis": "A man.", "units": []}])
    with pytest.raises(DataError, match=r"has no pairID and gold_label or uniq_id and subject: .* units units\.jsonl$"):
        load(str(other))


HERE = Box(0, 0, 100, 100)
NEARLY_HERE = Box(0, 0, 100, 90)
"""IoU 0.9 with HERE."""
LESS = Box(0, 0, 100, 89)
"""IoU 0.89."""
HALF = Box(0, 0, 100, 50)
"""IoU 0.5, and 50/90 with NEARLY_HERE."""


def said(name: str, *units: tuple[str, str, Box | None], label: LabelName = "entailment") -> HypothesisRow:
    """A hypothesis with units."""
    rows = tuple(UnitRow(object=noun, property=each, box=box) for noun, each, box in units)
    return HypothesisRow(id=name, photo="7.jpg", text="text", label=label, units=rows)


def names(found: Linking) -> list[str]:
    return [each.name for each in found.objects]


def seen(name: str, box: Box, **fields: object) -> Thing:
    return Thing(id=f"g-{name}", name=name, box=box, **fields)  # type: ignore[arg-type]  # each test gives what fits


# What gives a thing.


def test_a_unit_with_a_box_is_a_thing() -> None:
    found = linking([said("h", ("young girl", "stands nearby", HERE))])
    assert found.objects == (
        Thing(id="h 1", name="girl", box=HERE, attributes=("stands nearby",), multi_coloured=True),
    )
    assert found.things == {("h", 0): "h 1"}


SEVERAL_OR_UNNAMED = [
    "people", "girls", "two men", "2 females", "three woman", "several children", "man and woman", "group of friends",
    "couple of dogs", "12 cats", "someone", "Somebody", "she", "him", "another", "something", "they",
]  # fmt: skip


@each_row("noun", SEVERAL_OR_UNNAMED)
def test_several_things_and_what_says_of_nothing_what_it_is_are_none(noun: str) -> None:
    found = linking([said("h", (noun, "runs", HERE), ("dog", "", HALF))])
    assert names(found) == ["dog"]
    assert found.things == {("h", 1): "h 2"}


@each_row(
    "noun, name",
    [
        ("one of the men", "man"),
        ("scissors", "scissors"),
        ("pair of glasses", "glasses"),
        ("glass of water", "glass"),
        ("Bowling Ball", "ball"),
        ("couple", "couple"),
        ("bus", "bus"),
    ],
)
def test_one_thing_is_called_by_its_head_noun(noun: str, name: str) -> None:
    assert names(linking([said("h", (noun, "", HERE))])) == [name]


@each_row("label", ["neutral", "contradiction"])
def test_what_is_not_entailed_tells_of_nothing(label: LabelName) -> None:
    row = said("h", ("dog", "sleeps", HERE), label=label)
    found = linking([row])
    assert found.objects == ()
    assert found.hypothesis(row).units == (LinkedUnit(object="dog", property="sleeps"),)


def test_a_unit_without_a_box_is_not_linked() -> None:
    row = said("h", ("dog", "sleeps", None), ("cat", "", HERE))
    found = linking([row])
    assert names(found) == ["cat"]
    assert [each.thing for each in found.hypothesis(row).units] == ["", "h 2"]


# One thing of several units.


def test_units_of_several_hypotheses_about_one_thing() -> None:
    rows = [said("a", ("dog", "runs", HERE)), said("b", ("brown dog", "is happy", NEARLY_HERE), ("dog", "runs", HERE))]
    found = linking(rows)
    assert [(each.id, each.box, each.attributes) for each in found.objects] == [("a 1", HERE, ("runs", "is happy"))]
    assert set(found.things.values()) == {"a 1"}
    assert len(found.things) == 3


def test_boxes_that_overlap_less_are_of_two() -> None:
    found = linking([said("a", ("dog", "runs", HERE)), said("b", ("dog", "sits", LESS))])
    assert [each.attributes for each in found.objects] == [("runs",), ("sits",)]


@each_row(
    "one, other, is_one",
    [
        ("boy", "child", True),
        ("man", "person", True),
        ("bike", "bicycle", True),
        ("animal", "dog", True),
        ("skateboarder", "person", True),
        ("man", "woman", False),
        ("man", "boat", False),
        ("gizmo", "gadget", False),
    ],
)
def test_two_names_may_be_those_of_one_thing(one: str, other: str, is_one: bool) -> None:
    found = linking([said("a", (one, "", HERE)), said("b", (other, "", NEARLY_HERE))])
    assert names(found) == ([one] if is_one else [one, other])


def test_the_box_is_around_all_of_them() -> None:
    moved = Box(2, 2, 100, 100)  # 98 * 98 / (20,000 - 98 * 98) = 0.92
    assert linking([said("a", ("dog", "", HERE)), said("b", ("dog", "", moved))]).objects[0].box == Box(0, 0, 102, 102)


def test_of_two_that_fit_the_nearer_one() -> None:
    first, second, third = Box(0, 0, 100, 100), Box(0, 11, 100, 100), Box(0, 4, 100, 100)
    # 89/111 = 0.80 between the first two; the third has 96/104 = 0.92 with the first and 93/107 = 0.87 with the second.
    found = linking([said(name, ("dog", name, box)) for name, box in (("a", first), ("b", second), ("c", third))])
    assert [each.attributes for each in found.objects] == [("a", "c"), ("b",)]


# With the scene graph.


def test_a_thing_of_the_scene_graph_is_what_the_unit_speaks_of() -> None:
    outlined = seen("person", HERE, attributes=("standing",), has_mask=True, synset="person.n.01")
    tree = seen("tree", Box(200, 0, 50, 100), synset="tree.n.01")
    row = said("h", ("young girl", "waves", HALF))
    found = linking([row], [tree, outlined])
    assert found.objects == (
        tree,
        Thing(
            id="g-person", name="girl", box=HERE, attributes=("standing", "waves"), has_mask=True, multi_coloured=True
        ),
    )
    assert found.hypothesis(row).units[0].thing == "g-person"


def test_without_a_mask_it_is_as_large_as_both_boxes() -> None:
    found = linking([said("h", ("dog", "", Box(0, 0, 100, 60)))], [seen("dog", HALF, synset="dog.n.01")])
    assert found.objects == (
        Thing(id="g-dog", name="dog", box=Box(0, 0, 100, 60), synset="dog.n.01", multi_coloured=True),
    )


def test_boxes_that_overlap_less_than_half_or_names_that_differ_are_of_two() -> None:
    less = Box(0, 0, 100, 49)
    assert names(linking([said("h", ("dog", "", less))], [seen("dog", HERE)])) == ["dog", "dog"]
    assert names(linking([said("h", ("dog", "", HERE))], [seen("car", HERE)])) == ["car", "dog"]


def test_of_two_things_of_the_scene_graph_the_nearer_one() -> None:
    far, near = seen("person", HALF), seen("man", NEARLY_HERE)
    assert linking([said("h", ("man", "", HERE))], [far, near]).things == {("h", 0): "g-man"}


def test_units_that_differ_a_little_are_one_by_the_scene_graph() -> None:
    rows = [said("a", ("man", "sits", HERE)), said("b", ("person", "reads", Box(0, 0, 100, 70)))]  # IoU 0.7
    assert names(linking(rows)) == ["man", "person"]
    found = linking(rows, [seen("person", Box(0, 0, 100, 85))])
    assert [(each.id, each.name, each.attributes) for each in found.objects] == [
        ("g-person", "man", ("sits", "reads"))
    ]  # fmt: skip
    assert found.objects[0].box == HERE
    assert set(found.things.values()) == {"g-person"}


def test_two_who_embrace_are_two_though_a_detector_saw_one() -> None:
    left, right = Box(0, 0, 60, 100), Box(40, 0, 60, 100)
    found = linking([said("h", ("girl", "hugs", left), ("girl", "is hugged", right))], [seen("person", HERE)])
    assert found.things == {("h", 0): "g-person", ("h", 1): "h 2"}
    assert names(found) == ["girl", "girl"]


def test_ids_of_the_scene_graph_are_not_taken_again() -> None:
    taken = Thing(id="h 1", name="car", box=HALF)
    assert [each.id for each in linking([said("h", ("dog", "", HERE))], [taken]).objects] == ["h 1", "h 1'"]


# From files.


def test_scene_graphs_give_the_other_things(tmp_path: Path) -> None:
    write_photos(tmp_path / "images", "7.jpg")
    outline = [[10, 10, 40, 10, 40, 70, 10, 70]]
    graph = graph_row(
        thing("p", "person", [10, 10, 30, 58], mask=outline, attributes=["tall"]),
        thing("t", "tree", [60, 0, 30, 30]),
        regions=[{"name": "leaf", "box": [0, 70, 90, 10]}],
        relationships=[{"subject": "p", "predicate": "beside", "object": "t"}],
        exhaustive=["tree"],
        captions=["A park."],
    )
    write_lines(tmp_path / "images" / "graphs.jsonl", [graph])
    source = load(str(write_units(tmp_path)))
    scene = source.scene(0)
    assert [(each.id, each.name, each.has_mask) for each in scene.objects] == [
        ("p", "man", True), ("t", "tree", False), ("7.jpg#0r1e 2", "dog", False),
    ]  # fmt: skip
    assert scene.thing("p").attributes == ("tall", "plays with a dog")
    assert [each.thing for each in scene.hypotheses[0].units] == ["p", "7.jpg#0r1e 2"]
    assert (scene.exhaustive, scene.captions) == (frozenset(), ("A park.",))
    assert (scene.regions[0].name, scene.relationships[0].predicate) == ("leaf", "beside")
    assert source.mask(scene.photo, "p").getbbox() == (10, 10, 40, 70)
    with pytest.raises(DataError, match="thing_id='t'"):
        source.mask(scene.photo, "t")
    assert source.description.endswith("about 1 photo, 1 scene graph")
    assert source.corpus.cutouts["man"][0].thing == "p"


@each_row("name", ["7.jpg", "flickr30k-images/7.jpg"])
def test_scene_graphs_may_lie_beside_the_hypotheses_and_without_photos(tmp_path: Path, name: str) -> None:
    rows = [graph_row(thing("t", "tree", [60, 0, 30, 30]), photo=name), graph_row(photo="of-another.jpg")]
    write_lines(tmp_path / "graphs.jsonl", rows)
    source = load(str(write_units(tmp_path)))
    scene = source.scene(0)
    assert [each.name for each in scene.objects] == ["tree", "man", "dog"]
    assert (scene.id, scene.width, scene.height) == ("7", 100, 80)
    assert len(source) == 1
    assert source.description.endswith("about 1 photo, 2 scene graphs, no photos")


def test_the_digest_changes_with_the_scene_graphs(tmp_path: Path) -> None:
    plain = load(str(write_units(tmp_path))).digest
    write_lines(tmp_path / "graphs.jsonl", [graph_row()])
    assert load(str(tmp_path)).digest != plain


def test_what_linked_units_say_is_entailed_and_contradicted_once_a_thing_is_erased(tmp_path: Path) -> None:
    row = units_row("q", unit("man", "plays", MAN), unit("dog", "", DOG), unit("people", "", [0, 0, 9, 9]))
    scene = load(str(write_units(tmp_path, row))).scene(0)
    linked = [each for each in scene.hypotheses[0].units if each.thing]
    meaning = Entails(
        units=tuple(
            Unit(group=Group(name=scene.thing(each.thing).name, attributes=(each.property,) if each.property else ()))
            for each in linked
        )
    )
    assert truth(meaning, scene) is Label.ENTAILMENT
    for each in linked:
        assert truth(meaning, scene.picture.erase(scene.thing(each.thing).box).scene) is Label.CONTRADICTION
