"""A report written by hand: a few cases of the picture world, with what a model said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pytest_vqamt.core.case import Case, Outcome, Verdict
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.edits import Cutout
from pytest_vqamt.core.meaning import Absent, Count, Describe, Entails, Exists, Group, Unit
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Failure, Query, Task
from pytest_vqamt.core.report_json import case_line, case_row
from pytest_vqamt.core.report_rows import SCHEMA
from pytest_vqamt.picture_world.source import PictureWorld

SOURCE = PictureWorld(40)
DATA = "pictures:40"
VIOLATED = Verdict(outcome=Outcome.VIOLATED, reason="no", readings=("yes", "unparsed"))
HOLDS = Verdict(outcome=Outcome.HOLDS, readings=("yes", "no"))
SAID = (Answer("Yes."), Answer("banana"))


def exists(picture: Picture, *, absent: bool = False, trial: int = 0) -> Query:
    """Whether there is, or is not, one of the first thing of the scene before any edit."""
    name = SOURCE.scene(SOURCE.place(picture.photo.id)).objects[0].name
    group = Group(name=name)
    text = f"Is there {'no' if absent else 'a'} {name}?"
    return Query(picture=picture, text=text, meaning=(Absent if absent else Exists)(group=group), trial=trial)


def negation(index: int) -> Case:
    picture = SOURCE.scene(index).picture
    return case("carets.negation", exists(picture), exists(picture, absent=True))


def erasing(index: int) -> Case:
    """Is there one? In the photo, and where all of that name are erased."""
    scene = SOURCE.scene(index)
    edited = scene.picture
    for thing in scene.objects:
        if thing.name == scene.objects[0].name:
            edited = edited.erase(thing.box)
    return case("metavqa.removal", exists(scene.picture), exists(edited))


def inserting(index: int, other: int) -> Case:
    """A thing of the other scene is put into the picture."""
    scene = SOURCE.scene(index)
    cutout = Cutout(photo=SOURCE.scene(other).photo, thing=SOURCE.scene(other).objects[0])
    picture = scene.picture.insert(cutout, (0, 0), (40, 40))
    count = Count(groups=(Group(name=cutout.thing.name),))
    queries = (Query(picture=each, text="How many?", meaning=count) for each in (scene.picture, picture))
    return case("metavqa.insertion", *queries)


def captioning(index: int) -> Case:
    picture = SOURCE.scene(index).picture
    captions = (Query(picture=each, meaning=Describe(), task=Task.CAPTIONING) for each in (picture, picture.mirror()))
    return case("metaic.deeptest", *captions)


def entailment(index: int) -> Case:
    scene = SOURCE.scene(index)
    unit = Unit(group=Group(name=scene.objects[0].name))
    meaning = Entails(units=(unit,))
    texts = (f"A {scene.objects[0].name} is there.", f"There is a {scene.objects[0].name}.")
    hypotheses = (Query(picture=scene.picture, text=text, meaning=meaning, task=Task.ENTAILMENT) for text in texts)
    return case("text.ours", *hypotheses)


def case(relation: str, *queries: Query, tags: tuple[str, ...] = ()) -> Case:
    scene = queries[0].picture.photo.id
    return Case(relation=relation, variant="", scene=scene, queries=queries, expected="as it is", tags=tags)


def row(
    made: Case,
    verdict: Verdict = VIOLATED,
    said: Sequence[Answer | Failure] = SAID,
    *,
    model: str = "tiny",
    waived: bool = False,
) -> dict[str, Json]:
    return case_row(made, said, verdict, model=model, data=DATA, waived=waived)


def write(folder: Path, *rows: dict[str, Json], tags: dict[str, list[str]] | None = None) -> Path:
    """The report in ``folder``; ``tags`` of its relations, which have none otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cases.jsonl").write_text("".join(case_line(each) + "\n" for each in rows), encoding="utf-8")
    items = dict.fromkeys(str(each["relation"]) for each in rows)
    about = {
        "schema": SCHEMA,
        "vqamt_version": "1.2.3",
        "seed": 5,
        "models": [{"name": "tiny", "fingerprint": "f"}],
        "data": [{"spec": DATA, "digest": SOURCE.digest}],
        "relations": [{"id": item, "tags": (tags or {}).get(item, [])} for item in items],
    }
    (folder / "report.json").write_text(json.dumps(about), encoding="utf-8")
    return folder
