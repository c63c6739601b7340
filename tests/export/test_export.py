"""What an export holds: which rows, with which labels, on which side, on which pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.case import Case, Outcome, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.edits import Cutout
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.meaning import Exists, Group
from pytest_vqamt.core.query import Failure, ModelInput, Query
from pytest_vqamt.core.report_json import case_from_row
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.export.cases import Only, Wanted
from pytest_vqamt.export.export import TEST, TRAIN, Terms, export_report, photos_in, split_side
from pytest_vqamt.export.export_files import Layout
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from tests.export import made_report
from tests.export.made_report import (
    HOLDS,
    SOURCE,
    captioning,
    case,
    entailment,
    erasing,
    exists,
    inserting,
    negation,
    row,
    write,
)
from tests.making import scene_of, thing_of
from tests.reporting.running import run_into, world

ALL = Wanted(only=Only.ALL)
SCENES = 20
RELATIONS = (
    "metavqa.partition[property]", "metavqa.cutting[count]", "metavqa.insertion_plus", "metavqa.removal[absent]",
    "carets.ontological[hyponym]", "carets.order[disjunction]", "carets.antonym", "veglue.mr1_joint_erase",
    "metaic.object_appearance[0]",
)  # fmt: skip
"""Between them they ask every kind of question but published ones, on pictures that are edited in many ways."""


def rows(folder: Path, side: str = "*") -> list[dict[str, Any]]:
    files = sorted(folder.glob(f"{side}/metadata.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return tmp_path / "report"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "set"


def test_each_query_of_a_violated_case_is_a_row(report: Path, out: Path) -> None:
    made = negation(0)
    write(report, row(made), row(negation(1), HOLDS))
    exported = export_report(report, out, Terms(split=1))
    first, second = sorted(rows(out), key=lambda each: str(each["roles"]))
    name = SOURCE.scene(0).objects[0].name
    assert (second["text"], second["label"], second["said"]) == (f"Is there a {name}?", "yes", ["Yes."])
    assert (first["text"], first["label"], first["said"]) == (f"Is there no {name}?", "no", ["banana"])
    assert first["roles"] == ["follow-up 1"]
    assert first["read_as"] == ["unparsed"]
    assert first["cases"] == second["cases"] == [made.id]
    assert first["relations"] == ["carets.negation"]
    assert first["verdicts"] == ["violated"]
    assert first["scene"] == first["photo"] == "pictures-0-0"
    assert first["query"] == made.queries[1].id
    assert first["picture"] == made.queries[1].picture.digest
    assert exported.cases_left_out == {"that hold": 1}
    assert exported.rows == 2


def test_all_cases_are_exported_where_that_is_asked_for(report: Path, out: Path) -> None:
    write(report, row(negation(0)), row(negation(1), HOLDS))
    assert export_report(report, out, Terms(split=1, wanted=ALL)).rows == 4


def test_a_query_of_several_cases_and_models_is_one_row(report: Path, out: Path) -> None:
    one, other = negation(0), erasing(0)
    again = case("control.repeat", exists(SOURCE.scene(0).picture), exists(SOURCE.scene(0).picture, trial=1))
    write(report, row(one), row(other), row(one, model="oracle"), row(again))
    export_report(report, out, Terms(split=1))
    found = {each["text"] + each["edits"]: each for each in rows(out)}
    assert len(found) == len(rows(out)) == 3
    shared = found[one.queries[0].text]
    assert shared["cases"] == [one.id, other.id, one.id, again.id, again.id]
    assert shared["models"] == ["tiny", "tiny", "oracle", "tiny", "tiny"]
    assert shared["roles"] == ["source", "source", "source", "source", "follow-up 1"]


def test_waived_presumed_and_failed_cases_are_left_out_and_counted(report: Path, out: Path) -> None:
    presumed = replace(negation(2), tags=("presumed",))
    error = Verdict(outcome=Outcome.ERROR, reason="out of memory")
    write(
        report,
        row(negation(0)),
        row(negation(1), waived=True),
        row(presumed),
        row(negation(3), error, (Failure(reason="no"), Failure(reason="no"))),
    )
    exported = export_report(report, out, Terms(split=1))
    assert exported.cases_left_out == {"waived": 1, "presumed": 1, "without a verdict (errors)": 1}
    assert {each["scene"] for each in rows(out)} == {"pictures-0-0"}
    export_report(report, out.with_name("more"), Terms(split=1, wanted=Wanted(presumed=True)))
    assert {each["scene"] for each in rows(out.with_name("more"))} == {"pictures-0-0", "pictures-0-2"}


def test_labels_that_the_annotations_leave_open_are_left_out_and_counted(report: Path, out: Path) -> None:
    picture = SOURCE.scene(0).picture
    asked = Query(picture=picture, text="Is there a tram?", meaning=Exists(group=Group(name="tram")))
    write(report, row(case("carets.rephrase", asked, exists(picture))))
    exported = export_report(report, out, Terms(split=1))
    assert exported.rows_left_out == {"whose answer the annotations leave open": 1}
    assert exported.rows == 1
    more = out.with_name("more")
    export_report(report, more, Terms(split=1, wanted=Wanted(presumed=True)))
    assert {each["text"]: each["certain"] for each in rows(more)}["Is there a tram?"] is False


@pytest.mark.parametrize("tag", ["baseline", "control"])
def test_baselines_and_controls_are_taken_only_by_name(report: Path, out: Path, tag: str) -> None:
    write(report, row(captioning(0)), row(negation(0)), tags={"metaic.deeptest": [tag]})
    for globs, tasks in ((), {"vqa"}), (("*",), {"vqa"}), (("metaic.*",), {"captioning"}):
        folder = out / "".join(globs).replace("*", "all")
        export_report(report, folder, Terms(split=1, wanted=Wanted(relations=globs)))
        assert {each["task"] for each in rows(folder)} == tasks


def test_of_all_relations_every_label_is_what_the_oracle_says(tmp_path: Path, out: Path) -> None:
    run_into(tmp_path / "report", model="oracle", relations=RELATIONS, max_cases=5)
    exported = export_report(tmp_path / "report", out, Terms(wanted=ALL, split=1))
    assert set(exported.labels) == {"vqa", "entailment", "captioning"}
    oracle = ModelCatalogue().load("oracle", ModelOptions())
    scenes = world("pictures:20")
    labels = {each["query"]: each["label"] for each in rows(out)}
    compared = 0
    for line in (tmp_path / "report/cases.jsonl").read_text(encoding="utf-8").splitlines():
        made = case_from_row(json.loads(line), lambda photo: scenes.scene(scenes.place(photo)))
        for query in made.queries:
            if query.id in labels:
                [answer] = oracle.ask(query.task, [ModelInput(query, lambda picture: render(picture, scenes))])
                assert labels[query.id] == answer.text
                compared += 1
    assert compared >= len(labels) > 80


@pytest.fixture
def many(report: Path) -> Path:
    cases: list[Case] = [made for index in range(SCENES) for made in (negation(index), erasing(index))]
    cases += [inserting(index, (index + 1) % SCENES) for index in range(SCENES)]
    return write(report, *map(row, cases))


def test_no_photo_is_on_both_sides(many: Path, out: Path) -> None:
    exported = export_report(many, out, Terms(split=0.6))
    train, test = ({each["photo"] for each in rows(out, side)} for side in ("train", "test"))
    assert train
    assert test
    assert not train & test
    left_out = exported.rows_left_out["of pictures with a thing cut out of a photo of the other side of the split"]
    inserted = [each for side in ("train", "test") for each in rows(out, side) if "inserted" in each["edits"]]
    assert left_out + len(inserted) == SCENES
    assert 0 < left_out < SCENES
    for each in inserted:
        index = int(each["photo"].rpartition("-")[2])
        pasted_from = SOURCE.scene((index + 1) % SCENES).photo
        assert split_side(SOURCE.scene(index).photo, 0.6, 0) == split_side(pasted_from, 0.6, 0)


def test_the_same_report_gives_the_same_files(many: Path, out: Path) -> None:
    lines = (many / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    export_report(many, out)
    (many / "cases.jsonl").write_text("\n".join(reversed(lines)) + "\n", encoding="utf-8")
    export_report(many, out.with_name("again"))

    def content(folder: Path) -> dict[str, object]:
        files = {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.png")}
        listed = {each["query"]: (each["file_name"], each["label"]) for each in rows(folder)}
        return {**files, **listed}

    assert content(out) == content(out.with_name("again"))
    assert [each["query"] for each in rows(out)] == [each["query"] for each in rows(out.with_name("again"))]


def test_pictures_have_the_pixels_that_the_model_saw(many: Path, out: Path) -> None:
    export_report(many, out, Terms(split=1, layout=Layout.JSONL))
    for made in (erasing(3), inserting(3, 4)):
        for query in made.queries:
            with Image.open(out / "images" / f"{query.picture.digest}.png") as image:
                assert image.mode == "RGB"
                assert np.array_equal(np.asarray(image), np.asarray(render(query.picture, SOURCE)))


def test_each_picture_is_written_once(many: Path, out: Path) -> None:
    exported = export_report(many, out)
    named = {each["file_name"] for each in rows(out)}
    assert sum(side.pictures for side in exported.sides.values()) == len(named) == len(list(out.rglob("*.png")))


def test_json_lines_name_what_each_task_has(report: Path, out: Path) -> None:
    write(report, row(negation(0)), row(entailment(0)), row(captioning(0)))
    export_report(report, out, Terms(layout=Layout.JSONL, split=1))
    lines = [json.loads(line) for line in (out / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    by_task = {each["task"]: each for each in lines}
    assert {"image", "question", "answer"} < by_task["vqa"].keys()
    assert {"image", "hypothesis", "label"} < by_task["entailment"].keys()
    assert by_task["entailment"]["label"] == "entailment"
    assert {"image", "caption"} < by_task["captioning"].keys()
    assert by_task["captioning"].keys().isdisjoint({"question", "hypothesis"})
    assert all((out / each["image"]).is_file() for each in lines)
    about = json.loads((out / "export.json").read_text(encoding="utf-8"))
    assert about["sides"]["train"] == {"rows": 6, "pictures": 2, "scenes": 1}
    assert about["report"]["data"] == [{"spec": made_report.DATA, "digest": SOURCE.digest}]


def test_evaluation_data_is_refused_before_anything_is_written(many: Path, out: Path) -> None:
    with pytest.raises(OptionError) as error:
        export_report(many, out, Terms(evaluation=("pictures:2",)))
    # Two scenes with three cases each: negation has two queries, erasing one that is not among them, insertion two. And
    # what is inserted into scene 19 is of scene 0.
    assert "got 11 rows of it, the first of scene 'pictures-0-0' of pictures:40 (pictures:2)" in str(error.value)
    assert not out.exists()
    assert not out.with_name("set.part").exists()
    exported = export_report(many, out, Terms(evaluation=("pictures:2",), skip_evaluation=True))
    assert exported.rows_left_out["of evaluation data"] == 11
    assert {"pictures-0-0", "pictures-0-1"}.isdisjoint(each["scene"] for each in rows(out))


def test_where_nothing_is_left_the_reasons_are_told(report: Path, out: Path) -> None:
    write(report, row(negation(0)), row(negation(1), HOLDS))
    with pytest.raises(OptionError, match=r"all 2 are left out, of evaluation data \(2\)"):
        export_report(report, out, Terms(evaluation=("pictures:9",), skip_evaluation=True))
    write(report, row(negation(1), HOLDS))
    with pytest.raises(OptionError, match=r"there are none; left out are those that hold \(1\)"):
        export_report(report, out)


def test_what_is_no_report_is_refused(tmp_path: Path, report: Path, out: Path) -> None:
    with pytest.raises(DataError, match=r"it has no cases\.jsonl"):
        export_report(tmp_path / "nowhere", out)
    write(report, row(negation(0)))
    with (report / "cases.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"case_id": "1", "relation": "carets.negation"}\n')
    with pytest.raises(DataError, match=r"cases\.jsonl:2: Expected a whole line"):
        export_report(report, out)
    with pytest.raises(OptionError, match=r"names none; did you mean 'carets\.negation'"):
        export_report(report, out, Terms(wanted=Wanted(relations=("carets.negatoin",))))


def test_other_data_is_refused(report: Path, out: Path) -> None:
    line = json.dumps(row(negation(39)))
    write(report, json.loads(line))
    with pytest.raises(DataError, match="name it with --data"):
        export_report(report, out, data="pictures:5")
    export_report(report, out, data="pictures:80")
    assert {each["data"] for each in rows(out)} == {"pictures:80"}


@given(st.text(), st.text(), st.text(max_size=20), st.floats(0, 1), st.integers())
def test_the_name_of_a_photo_makes_no_difference(one: str, other: str, digest: str, share: float, seed: int) -> None:
    sides = {split_side(Photo(id=name, digest=digest), share, seed) for name in (one, other)}
    assert len(sides) == 1


@given(st.text(max_size=20), st.floats(0, 1), st.floats(0, 1), st.integers())
def test_what_a_smaller_share_trains_on_a_larger_one_does_too(digest: str, a: float, b: float, seed: int) -> None:
    photo = Photo(id="a", digest=digest)
    if split_side(photo, min(a, b), seed) == TRAIN:
        assert split_side(photo, max(a, b), seed) == TRAIN


def test_the_share_is_that_of_the_photos() -> None:
    """Of 5,000 drawn with p = 0.8, 4,000 are expected, with a standard deviation of 28."""
    sides = [split_side(Photo(id="", digest=str(number)), 0.8, 7) for number in range(5000)]
    assert 3880 < sides.count(TRAIN) < 4120
    assert sides.count(TRAIN) + sides.count(TEST) == 5000


def test_a_share_of_one_is_all() -> None:
    assert {split_side(Photo(id="", digest=str(number)), 1.0, 0) for number in range(500)} == {TRAIN}


def test_another_seed_splits_otherwise() -> None:
    photos = [Photo(id="", digest=str(number)) for number in range(100)]
    assert [split_side(each, 0.5, 0) for each in photos] != [split_side(each, 0.5, 1) for each in photos]


def test_a_photo_that_a_thing_was_cut_out_of_is_in_the_picture() -> None:
    scene, other = scene_of("dog"), Photo(id="other.png", digest="other")
    cutout = Cutout(photo=other, thing=thing_of("cat"))
    picture = scene.picture.insert(cutout, (0, 0), (9, 9)).mirror().insert(cutout, (20, 0), (9, 9))
    assert photos_in(scene.picture) == (scene.photo,)
    assert photos_in(picture) == (scene.photo, other)
